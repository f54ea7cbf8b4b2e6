//! The estimated work of a sweep, as a curve over its cells that can be read both ways.

use algorithms::catalogue::Axis;
use rayon::prelude::*;

use super::parts::{Part, Place};
use crate::config::Config;
use crate::grid::Dimension;

/// Most stretches of a part whose work is summed up one by one; inside one it is taken to grow evenly.
const STRETCHES: u64 = 1 << 14;

/// Most cells of a stretch that are looked at.
const SAMPLES: u64 = 8;

/// The work of all parts.
pub(super) struct Efforts {
    parts: Vec<PartEffort>,
}

/// The work of a part. It does not depend on L, o, g, machine or source, so it is known where it is known for the
/// dimensions in between, which repeat `outer` times, each of their cells standing for `inner` ones.
struct PartEffort {
    outer: u64,
    /// Cells of the dimensions in between.
    middle: u64,
    inner: u64,
    /// Cells of those in a stretch; the last one may have fewer.
    stretch: u64,
    /// What the stretches up to here take, the first entry 0.
    cumulative: Vec<u128>,
}

fn decides(dimension: Dimension) -> bool {
    match dimension {
        Dimension::Axis(axis) => !matches!(axis, Axis::L | Axis::O | Axis::G),
        Dimension::Source | Dimension::Machine | Dimension::Bytes => false,
    }
}

impl PartEffort {
    fn of(part: &Part<'_>, config: &Config) -> Self {
        let product = |dimensions: &[(Dimension, u64)]| dimensions.iter().map(|&(_, count)| count).product::<u64>();
        let dimensions = &part.dimensions;
        let first = dimensions.iter().position(|&(dimension, _)| decides(dimension)).unwrap_or(dimensions.len());
        let last = dimensions.iter().rposition(|&(dimension, _)| decides(dimension)).map_or(first, |last| last + 1);
        let [outer, middle, inner] = [&dimensions[..first], &dimensions[first..last], &dimensions[last..]].map(product);
        let stretch = middle.div_ceil(STRETCHES).max(1);
        // With the greatest L, o and g: the least may be no machine.
        let base = outer.saturating_sub(1).saturating_mul(middle);
        let effort = |number: u64| {
            let cell = part.grid.cell(part.entry, dimensions, (base + number) * inner, config.seed);
            cell.point().map_or(1, |point| part.entry.effort(&point, &config.limits))
        };
        let of_stretch = |number: u64| {
            let start = number * stretch;
            let cells = stretch.min(middle - start);
            let samples = cells.min(SAMPLES);
            let sum: u128 = (0..samples).map(|sample| u128::from(effort(start + sample * cells / samples))).sum();
            sum * u128::from(cells) / u128::from(samples)
        };
        let stretches: Vec<u128> = (0..middle.div_ceil(stretch)).into_par_iter().map(of_stretch).collect();
        let sums = stretches.iter().scan(0, |sum: &mut u128, &effort| {
            *sum += effort * u128::from(inner);
            Some(*sum)
        });
        Self { outer, middle, inner, stretch, cumulative: std::iter::once(0).chain(sums).collect() }
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

    /// The cells of stretch `number` and where it starts.
    fn stretch(&self, number: usize) -> (u64, u64) {
        let start = number as u64 * self.stretch;
        ((self.stretch.min(self.middle - start)) * self.inner, start * self.inner)
    }

    /// The cell before which this much work lies; `effort` is below the total.
    fn cell(&self, effort: u128) -> u64 {
        let (repetition, rest) = (effort / self.period(), effort % self.period());
        let number = self.cumulative.partition_point(|&sum| sum <= rest) - 1;
        let (cells, start) = self.stretch(number);
        let own = self.cumulative[number + 1] - self.cumulative[number];
        let inside = (rest - self.cumulative[number]) * u128::from(cells) / own;
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
        let number = usize::try_from(rest / (self.stretch * self.inner)).unwrap_or(usize::MAX);
        let (cells, start) = self.stretch(number);
        let own = self.cumulative[number + 1] - self.cumulative[number];
        let inside = own * u128::from(rest - start) / u128::from(cells);
        u128::from(repetition) * self.period() + self.cumulative[number] + inside
    }
}

impl Efforts {
    /// Looks at the dimensions of each part that decide: at all of their cells where they are few, else at some.
    pub(super) fn of(parts: &[Part<'_>], config: &Config) -> Self {
        Self { parts: parts.iter().map(|part| PartEffort::of(part, config)).collect() }
    }

    /// All of it.
    pub(super) fn total(&self) -> u128 {
        self.parts.iter().map(PartEffort::total).sum()
    }

    /// The place before which this much work lies: never further back for more of it, and the end from the total on.
    pub(super) fn place(&self, effort: u128) -> Place {
        let mut left = effort;
        for (number, part) in self.parts.iter().enumerate() {
            if left < part.total() {
                return Place { part: number, cell: part.cell(left) };
            }
            left -= part.total();
        }
        Place { part: self.parts.len(), cell: 0 }
    }

    /// The work before a place.
    pub(super) fn before(&self, place: Place) -> u128 {
        let whole: u128 = self.parts[..place.part].iter().map(PartEffort::total).sum();
        whole + self.parts.get(place.part).map_or(0, |part| part.before(place.cell))
    }
}
