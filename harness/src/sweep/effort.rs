//! The estimated work of a sweep, as a curve over its cells that can be read both ways.

use algorithms::catalogue::Axis;
use rayon::prelude::*;

use super::parts::{Part, Place};
use crate::config::Config;
use crate::grid::Dimension;

/// Most segments of a part whose work is summed up one by one; inside one it is taken to grow evenly.
const SEGMENTS: u64 = 1 << 14;

/// Most segments of all parts together, 16 bytes each; a part has one at least.
const ALL_SEGMENTS: u64 = 1 << 20;

/// Most cells of a segment that are looked at.
const SAMPLES: u64 = 8;

/// The work of all parts.
pub(super) struct Efforts {
    parts: Vec<PartEffort>,
    /// What the parts up to each take, the first entry 0.
    cumulative: Vec<u128>,
}

/// The work of a part. It does not depend on L, o, g, machine or source, so it is known where it is known for the
/// dimensions in between, which repeat `outer` times, each of their cells standing for `inner` ones.
struct PartEffort {
    outer: u64,
    /// Cells of the dimensions in between.
    middle: u64,
    inner: u64,
    /// Cells of those in a segment; the last one may have fewer.
    segment: u64,
    /// What the segments up to here take, the first entry 0.
    cumulative: Vec<u128>,
}

fn decides(dimension: Dimension) -> bool {
    match dimension {
        Dimension::Axis(axis) => !matches!(axis, Axis::L | Axis::O | Axis::G),
        Dimension::Source | Dimension::Machine | Dimension::Bytes => false,
    }
}

/// The same part of `range` as `x` is of `whole`, which is not 0; rounded where the product needs more than 128 bits. It
/// does not fall as x grows.
fn part_of(x: u128, whole: u128, range: u128) -> u128 {
    let shift = (whole.ilog2() + range.max(1).ilog2()).saturating_sub(126);
    let [x, whole] = [x, whole].map(|value| value.checked_shr(shift).unwrap_or(0));
    // Shifted down to nothing where `range` alone fills the bits: then only all of it can be told from none of it.
    let whole = whole.max(1);
    (x * range / whole).min(range)
}

/// How often the dimensions of a part that decide repeat, how many cells they have, and for how many each stands.
fn extents(part: &Part<'_>) -> [u64; 3] {
    let product = |dimensions: &[(Dimension, u64)]| dimensions.iter().map(|&(_, count)| count).product::<u64>();
    let dimensions = &part.dimensions;
    let first = dimensions.iter().position(|&(dimension, _)| decides(dimension)).unwrap_or(dimensions.len());
    let last = dimensions.iter().rposition(|&(dimension, _)| decides(dimension)).map_or(first, |last| last + 1);
    [&dimensions[..first], &dimensions[first..last], &dimensions[last..]].map(product)
}

/// How many segments each part may have, so that all together have at most `all`, or one each: what small parts leave is
/// for the large ones. It reads the configuration alone, for where a sweep is cut depends on it.
fn most_segments(middles: &[u64], all: u64) -> u64 {
    let needed = |most: u64| middles.iter().map(|&middle| middle.min(most)).fold(0, u64::saturating_add);
    let (mut fits, mut beyond) = (1, SEGMENTS + 1);
    while fits + 1 < beyond {
        let between = fits.midpoint(beyond);
        *if needed(between) <= all { &mut fits } else { &mut beyond } = between;
    }
    fits
}

impl PartEffort {
    fn of(part: &Part<'_>, config: &Config, most_segments: u64) -> Self {
        let dimensions = &part.dimensions;
        let [outer, middle, inner] = extents(part);
        let segment = middle.div_ceil(most_segments).max(1);
        // With the least and with the greatest L, o and g: either may be no machine.
        let greatest = (outer > 1).then(|| (outer - 1).saturating_mul(middle));
        let effort = |number: u64| {
            let at = |base: u64| {
                let cell = part.grid.cell(part.entry, dimensions, (base + number) * inner, config.seed);
                cell.point().map_or(1, |point| part.entry.effort(&point, &config.limits))
            };
            greatest.map_or(0, at).max(at(0))
        };
        let of_segment = |number: u64| {
            let start = number * segment;
            let cells = segment.min(middle - start);
            let samples = cells.min(SAMPLES);
            let sum: u128 = (0..samples).map(|sample| u128::from(effort(start + sample * cells / samples))).sum();
            sum * u128::from(cells) / u128::from(samples)
        };
        let segments: Vec<u128> = (0..middle.div_ceil(segment)).into_par_iter().map(of_segment).collect();
        let sums = segments.iter().scan(0, |sum: &mut u128, &effort| {
            *sum += effort * u128::from(inner);
            Some(*sum)
        });
        let mut cumulative = Vec::with_capacity(segments.len() + 1);
        cumulative.extend(std::iter::once(0).chain(sums));
        Self { outer, middle, inner, segment, cumulative }
    }

    /// Of one repetition.
    fn period(&self) -> u128 {
        self.cumulative.last().copied().unwrap_or(0)
    }

    fn total(&self) -> u128 {
        self.period() * u128::from(self.outer)
    }

    /// Cells of one repetition.
    fn cells(&self) -> u64 {
        self.middle * self.inner
    }

    /// The cells of segment `number` and where it starts.
    fn segment(&self, number: usize) -> (u64, u64) {
        let start = number as u64 * self.segment;
        ((self.segment.min(self.middle - start)) * self.inner, start * self.inner)
    }

    /// The cell before which this much work lies; `effort` is below the total.
    fn cell(&self, effort: u128) -> u64 {
        let (repetition, rest) = (effort / self.period(), effort % self.period());
        let number = self.cumulative.partition_point(|&sum| sum <= rest) - 1;
        let (cells, start) = self.segment(number);
        let own = self.cumulative[number + 1] - self.cumulative[number];
        let inside = part_of(rest - self.cumulative[number], own, cells.into());
        // Below the cells of the part.
        let cell = repetition * u128::from(self.cells()) + u128::from(start) + inside;
        u64::try_from(cell).unwrap_or(u64::MAX)
    }

    /// The work before a cell.
    fn before(&self, cell: u64) -> u128 {
        if self.cells() == 0 {
            return 0;
        }
        let (repetition, rest) = (cell / self.cells(), cell % self.cells());
        let number = usize::try_from(rest / (self.segment * self.inner)).unwrap_or(usize::MAX);
        let (cells, start) = self.segment(number);
        let own = self.cumulative[number + 1] - self.cumulative[number];
        let inside = part_of((rest - start).into(), cells.into(), own);
        u128::from(repetition) * self.period() + self.cumulative[number] + inside
    }
}

impl Efforts {
    /// Looks at the dimensions of each part that decide: at all of their cells where they are few, else at some. Memory
    /// holds 16 bytes for each of [`ALL_SEGMENTS`], and less than 200 for a part.
    pub(super) fn of(parts: &[Part<'_>], config: &Config) -> Self {
        let middles: Vec<u64> = parts.iter().map(|part| extents(part)[1]).collect();
        let most = most_segments(&middles, ALL_SEGMENTS);
        let parts: Vec<_> = parts.iter().map(|part| PartEffort::of(part, config, most)).collect();
        let sums = parts.iter().scan(0, |sum: &mut u128, part| {
            *sum += part.total();
            Some(*sum)
        });
        let cumulative = std::iter::once(0).chain(sums).collect();
        Self { parts, cumulative }
    }

    /// All of it.
    pub(super) fn total(&self) -> u128 {
        self.cumulative.last().copied().unwrap_or(0)
    }

    /// That of one part.
    pub(super) fn of_part(&self, number: usize) -> u128 {
        self.parts[number].total()
    }

    /// The place before which this much work lies: never further back for more of it, and the end from the total on.
    pub(super) fn place(&self, effort: u128) -> Place {
        // Parts without work are passed over.
        let behind = self.cumulative.partition_point(|&sum| sum <= effort);
        match self.parts.get(behind - 1) {
            Some(part) => Place { part: behind - 1, cell: part.cell(effort - self.cumulative[behind - 1]) },
            None => Place { part: self.parts.len(), cell: 0 },
        }
    }

    /// The work before a place.
    pub(super) fn before(&self, place: Place) -> u128 {
        self.cumulative[place.part] + self.parts.get(place.part).map_or(0, |part| part.before(place.cell))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    #[test]
    fn what_small_parts_leave_is_for_the_large_ones() {
        for (middles, all, most) in [
            (&[][..], 8, SEGMENTS),
            (&[u64::MAX, 3], 1 << 20, SEGMENTS),
            (&[SEGMENTS; 64], 1 << 20, SEGMENTS),
            (&[SEGMENTS; 65], 1 << 20, (1 << 20) / 65),
            (&[1, 2, 100, u64::MAX], 23, 10),
            (&[1, 2, 100, u64::MAX], 24, 10),
            (&[1, 2, 100, u64::MAX], 25, 11),
            (&[5, 5, 5], 2, 1),
        ] {
            assert_eq!(most_segments(middles, all), most, "{middles:?} {all}");
        }
    }

    /// What is kept of a grid depends on how many there are: of hundreds with long axes no more than of some.
    #[test]
    fn memory_is_the_same_for_any_number_of_grids() {
        let mut text = "schema = 1\n".to_owned();
        for L in 1..=200 {
            let axes = "o = [2]\ng = [4]\nK = { from = 2, to = 16384 }";
            writeln!(text, "[[grid]]\nname = \"g{L}\"\nalgorithms = [\"flat\"]\nL = [{L}]\n{axes}").unwrap();
        }
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), text).unwrap();
        let config = Config::load(Some(path.path())).unwrap_or_else(|failure| panic!("{}", failure.message));
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let efforts = Efforts::of(&parts, &config);
        let kept: usize = efforts.parts.iter().map(|part| part.cumulative.capacity() - 1).sum();
        assert!((1 << 19..=1 << 20).contains(&kept), "{kept}");
        // All grids are alike.
        assert!((0..200).all(|part| efforts.of_part(part) == efforts.of_part(0)));
        assert_eq!(efforts.place(efforts.total() / 2), Place { part: 100, cell: 0 });
    }

    #[test]
    fn parts_of_a_range_of_any_size() {
        assert_eq!(part_of(3, 4, 100), 75);
        assert_eq!(part_of(0, 1, 0), 0);
        for (whole, range) in [(u128::MAX, u128::MAX), (1, u128::MAX), (u128::MAX, 1), (10 << 64, 7 << 100)] {
            assert_eq!(part_of(0, whole, range), 0);
            let mut last = 0;
            for step in 0..=8 {
                let part = part_of(whole / 8 * step, whole, range);
                assert!(last <= part && part <= range, "{whole} {range} {step}");
                last = part;
            }
        }
    }
}
