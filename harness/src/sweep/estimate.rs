//! How large a sweep will be, before anything runs: how many points, how much CSV.

use std::collections::BTreeMap;

use algorithms::cost::Limits;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use rayon::prelude::*;

use super::parts::{Cells, Part, most_terms};
use crate::config::Config;
use crate::record::row;
use crate::record::shard::Shard;

/// Most cells of all parts together that are each looked at.
const MAX_LOOKED_AT: u64 = 10_000_000;
/// Most cells of a part that are drawn first, or instead. A share of them is off by less than 3 % of all, mostly.
const MAX_SAMPLES: u64 = 1 << 12;
/// Most cells of all parts together that are drawn, but for some of each.
const MAX_ALL_SAMPLES: u64 = 1 << 23;
const MIN_SAMPLES: u64 = 16;
/// Rows of a problem that are made to see how long they are.
const ROWS: u64 = 64;
/// Most steps, of [`Entry::steps`](algorithms::problem::Entry::steps), of all points of a part that are each looked at, and
/// of the points of all parts that are drawn: seconds to half a minute of a core.
const MAX_STEPS: u64 = 1 << 25;
const MAX_ALL_DRAWN_STEPS: u64 = 1 << 23;
/// Steps from which on a point is slow: it is not asked whether it applies, and no row is made of it. Some milliseconds.
const SLOW: usize = 1 << 12;
/// Most hops of a point that is evaluated for the length of its row, where a point is measured in hops alone: random
/// multicasts are drawn for it whether they are simulated or not.
const MAX_HOPS: u64 = 1 << 20;

/// Most cells of a part that are looked at for its work, and most steps for them: milliseconds.
const MAX_LOOKS: u64 = 1 << 11;
const MAX_STEPS_FOR_WORK: u64 = 1 << 13;

/// Steps of a simulation that take about as long as evaluating and writing a row.
const STEPS_OF_A_ROW: u64 = 128;

/// What a part of a sweep will come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Points: cells that no earlier grid has; a bound where they are not exact.
    pub points: u64,
    /// Cells that an earlier grid has.
    pub in_earlier_grid: u64,
    /// Points that do not apply to the algorithm; without those of which only a long computation tells.
    pub not_applicable: u64,
    /// Points that are simulated, too.
    pub simulated: u64,
    /// Whether each point was looked at and told what it is; else the shares of those that do not apply or are simulated
    /// are those of a sample.
    pub exact: bool,
    /// Whether points were found of which only a long computation tells whether they apply.
    pub slow: bool,
    /// How much work it is: a unit for each point, and more for its simulation.
    pub work: u64,
    /// Bytes of CSV, from the length of some rows.
    pub csv_bytes: u64,
}

/// What a look at some cells found.
#[derive(Default)]
struct Seen {
    points: u64,
    not_applicable: u64,
    simulated: u64,
    slow: u64,
    /// About how many steps the simulations would take.
    work: u64,
    /// How many steps the look took.
    steps: u64,
}

impl Seen {
    fn and(self, other: Self) -> Self {
        Self {
            points: self.points + other.points,
            not_applicable: self.not_applicable + other.not_applicable,
            simulated: self.simulated + other.simulated,
            slow: self.slow + other.slow,
            work: self.work.saturating_add(other.work),
            steps: self.steps + other.steps,
        }
    }
}

/// About how many bytes of CSV the rows of all parts are; points of several grids count in each.
#[must_use]
pub fn csv_bytes(parts: &[Part<'_>]) -> u64 {
    let rows = row_bytes(parts);
    let of = |part: &Part<'_>| {
        part.cells().saturating_mul(rows.get(part.entry.problem().name()).copied().unwrap_or(TYPICAL_ROW))
    };
    parts.iter().map(of).fold(0, u64::saturating_add)
}

impl Estimate {
    /// Of each part. Cost: a look at every cell of up to ten million, at some thousand of each part of more, and at some
    /// million of all parts together; as many intersections of grids.
    #[must_use]
    pub fn of_all(parts: &[Part<'_>], config: &Config) -> Vec<Self> {
        let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
        let rows = row_bytes(parts);
        let terms = most_terms(parts);
        let count = parts.len().max(1) as u64;
        let samples = (MAX_ALL_SAMPLES / count).clamp(MIN_SAMPLES, MAX_SAMPLES);
        let of = |(number, part): (usize, &Part<'_>)| {
            let cells = part.cells();
            let mut random = ChaCha8Rng::seed_from_u64(number as u64);
            let (mut seen, mut drawn) = (Seen::default(), 0);
            while drawn < samples.min(cells) && seen.steps <= MAX_ALL_DRAWN_STEPS / count {
                seen = seen.and(see(part, config, below(&mut random, cells)));
                drawn += 1;
            }
            let is_small = all <= MAX_LOOKED_AT || cells <= samples;
            let all_are_seen = is_small && scaled(cells, seen.steps, drawn.max(1)) <= MAX_STEPS / count;
            let points = if all_are_seen {
                seen = (0..cells).into_par_iter().map(|cell| see(part, config, cell)).reduce(Seen::default, Seen::and);
                seen.points
            } else {
                cells - part.repeated(terms).0
            };
            let share = |count| scaled(points, count, seen.points.max(1));
            let row = rows.get(part.entry.problem().name()).copied().unwrap_or(TYPICAL_ROW);
            Self {
                points,
                in_earlier_grid: cells - points,
                not_applicable: share(seen.not_applicable),
                simulated: share(seen.simulated),
                exact: all_are_seen && seen.slow == 0,
                slow: seen.slow > 0,
                work: points.saturating_add(in_units(share(seen.work))),
                csv_bytes: points.saturating_mul(row),
            }
        };
        parts.par_iter().enumerate().map(of).collect()
    }
}

/// About how many steps the simulations of the cells from this position on take. Cost: a look at some of each part.
pub(super) fn steps_left(cells: &Cells<'_>, from: u64, config: &Config) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let (mut sum, mut position) = (0u64, from);
    while position < cells.len() {
        let ((part, start), end) = (cells.part(position), cells.end(position));
        let (count, mut seen, mut looks) = (end - position, Seen::default(), 0);
        while looks < count.min(MAX_LOOKS) && seen.steps <= MAX_STEPS_FOR_WORK {
            let place = if count <= MAX_LOOKS { looks } else { below(&mut random, count) };
            seen = seen.and(see(part, config, cells.shard.cell(position + place) - start));
            looks += 1;
        }
        sum = sum.saturating_add(scaled(count, seen.work, looks.max(1)));
        position = end;
    }
    sum
}

/// Steps as units of work; a unit is a row that is evaluated and written and not simulated.
pub(super) fn in_units(steps: u64) -> u64 {
    steps / STEPS_OF_A_ROW
}

/// `whole * part / of`, rounded down.
fn scaled(whole: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(part) / u128::from(of)).unwrap_or(u64::MAX)
}

/// A number below `end`, which is at least 1.
fn below(random: &mut ChaCha8Rng, end: u64) -> u64 {
    // A bias of `end` in 2^64 does not matter here.
    u64::try_from((u128::from(random.next_u64()) * u128::from(end)) >> 64).unwrap_or(0)
}

fn see(part: &Part<'_>, config: &Config, cell: u64) -> Seen {
    let Some(cell) = part.cell(cell) else { return Seen::default() };
    if cell.check().is_err() {
        return Seen { points: 1, not_applicable: 1, ..Seen::default() };
    }
    let steps = cell.steps(SLOW);
    let applies = steps == SLOW || cell.admit().is_ok();
    let simulated = applies && cell.simulates(&config.limits);
    Seen {
        points: 1,
        not_applicable: u64::from(!applies),
        simulated: u64::from(simulated),
        work: if simulated { cell.work() } else { 0 },
        slow: u64::from(steps == SLOW),
        steps: steps as u64,
    }
}

/// How long a row of each problem is, on the average of some, in bytes; without what only a simulation would tell.
fn row_bytes(parts: &[Part<'_>]) -> BTreeMap<&'static str, u64> {
    let of_problem = |parts: &[Part<'_>]| (parts[0].entry.problem().name(), mean_row(parts));
    parts.chunk_by(|one, next| one.entry.problem() == next.entry.problem()).map(of_problem).collect()
}

/// The same for some parts.
fn mean_row(parts: &[Part<'_>]) -> u64 {
    let cells = Cells::new(parts, Shard::WHOLE);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let drawn: Vec<u64> = (0..ROWS.min(cells.len())).map(|_| below(&mut random, cells.len())).collect();
    let lengths: Vec<u64> = drawn
        .into_par_iter()
        .filter_map(|number| {
            let (part, start) = cells.part(number);
            row_length(part, number - start)
        })
        .collect();
    lengths.iter().sum::<u64>().checked_div(lengths.len() as u64).unwrap_or(TYPICAL_ROW)
}

/// How long a row is, if it takes no long time to make.
fn row_length(part: &Part<'_>, cell: u64) -> Option<u64> {
    let cell = part.product.cell(cell);
    let within = |hops: u64| cell.simulates(&Limits { nodes: 0, hops });
    if cell.check().is_ok() && (cell.steps(SLOW) == SLOW || within(u64::MAX) && !within(MAX_HOPS)) {
        return None;
    }
    let result = cell.evaluate(&Limits { nodes: 0, hops: 0 });
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    row::write(&mut writer, &cell, &result).ok()?;
    writer.into_inner().ok().map(|csv| csv.len() as u64)
}

/// Bytes of a row where none could be made quickly.
const TYPICAL_ROW: u64 = 200;

#[cfg(test)]
mod tests {
    use super::*;

    /// Of one grid with this axis K, on a machine where the time of a tree as large takes a second.
    fn of_slow(K: &str, o: &str, check: impl FnOnce(&[Part<'_>], &Config)) {
        let path = tempfile::NamedTempFile::new().unwrap();
        let text = format!(
            "schema = 1\n[limits]\nmost_points = 100_000_000\n[[grid]]\nname = \"a\"\nalgorithms = [\"segmented-optimal\"]\n\
             L = [1_000_000_000]\no = {o}\ng = [1]\nK = {K}\nn = [1000]\nk = [1]\nm = [10]\n"
        );
        std::fs::write(path.path(), text).unwrap();
        let config = Config::load(Some(path.path())).unwrap_or_else(|failure| panic!("{}", failure.message));
        check(&Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message)), &config);
    }

    /// None of these points is evaluated, for a plan or for the word before a sweep: each of them takes a second or two.
    #[test]
    fn points_that_take_long_are_not_evaluated() {
        for (K, points) in [
            ("{ from = 1000000000000, to = 1000000000063 }", 64),
            ("{ from = 1000000000000, to = 1000009999999 }", 10_000_000),
        ] {
            of_slow(K, "[1]", |parts, config| {
                let estimate = Estimate::of_all(parts, config).remove(0);
                // As there is no row, one is as long as any.
                let csv_bytes = points * TYPICAL_ROW;
                let told = Estimate {
                    points,
                    in_earlier_grid: 0,
                    not_applicable: 0,
                    simulated: 0,
                    exact: false,
                    slow: true,
                    work: points,
                    csv_bytes,
                };
                assert_eq!(estimate, told);
                assert_eq!(super::csv_bytes(parts), csv_bytes);
            });
        }
    }

    /// One that takes long among others that do not: the others are told of.
    #[test]
    fn what_takes_long_is_left_out() {
        of_slow("[1, 2, 3, 1000000000000]", "[1]", |parts, config| {
            let estimate = Estimate::of_all(parts, config).remove(0);
            let found = (estimate.points, estimate.not_applicable, estimate.simulated, estimate.exact);
            assert_eq!(found, (4, 0, 3, false));
            assert_ne!(estimate.csv_bytes, 4 * TYPICAL_ROW);
        });
        of_slow("[0, 1, 2, 3]", "[1]", |parts, config| {
            let estimate = Estimate::of_all(parts, config).remove(0);
            let found = (estimate.points, estimate.not_applicable, estimate.simulated, estimate.exact);
            assert_eq!(found, (4, 1, 3, true));
        });
    }

    /// Where all points together take too many steps, some are drawn, though none is slow.
    #[test]
    fn points_that_take_some_steps_each() {
        of_slow("{ from = 3000, to = 3999 }", "[1]", |parts, config| {
            assert!(Estimate::of_all(parts, config).remove(0).exact);
        });
        of_slow("{ from = 3000, to = 3099 }", "{ from = 0, to = 999 }", |parts, config| {
            let estimate = Estimate::of_all(parts, config).remove(0);
            assert!(!estimate.exact && estimate.not_applicable == 0, "{estimate:?}");
            assert_eq!((estimate.points, estimate.simulated), (100_000, 100_000));
        });
    }
}
