//! The size of a sweep before it runs: its points and its work.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use rayon::prelude::*;

use super::parts::{Cells, Part};
use crate::config::Config;

/// Up to this many cells of all parts together, every cell is counted.
const MAX_LOOKED_AT: u64 = 10_000_000;
/// Most sampled cells of a part. The error of a share is mostly below 3 % of all cells.
const MAX_SAMPLES: u64 = 1 << 12;
/// Most sampled cells of all parts together, besides some of each part.
const MAX_ALL_SAMPLES: u64 = 1 << 23;
const MIN_SAMPLES: u64 = 16;
/// Most steps, of [`steps`](algorithms::problem::Instance::steps), to count the points of a part. Also the most
/// steps of all sampled points. They take seconds to half a minute of a core.
const MAX_STEPS: u64 = 1 << 25;
const MAX_ALL_DRAWN_STEPS: u64 = 1 << 23;
/// A point of more steps is slow, some milliseconds: whether it applies is not computed.
const SLOW: usize = 1 << 12;
/// Most cells of a part, and most of their steps, to estimate its work: milliseconds.
const MAX_LOOKS: u64 = 1 << 11;
const MAX_STEPS_FOR_WORK: u64 = 1 << 13;

/// Steps of a simulation that take as long as evaluating and writing a row.
const STEPS_OF_A_ROW: u64 = 128;

/// The estimate of a part of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Points: cells that no earlier grid has; estimated unless exact.
    pub points: u64,
    /// Cells that an earlier grid has.
    pub in_earlier_grid: u64,
    /// Points that do not apply to the algorithm, except slow ones.
    pub not_applicable: u64,
    /// Points that are also simulated.
    pub simulated: u64,
    /// Whether every point was counted; otherwise the counts come from a sample.
    pub exact: bool,
    /// Whether slow points were found.
    pub slow: bool,
    /// Work: one unit per point, and more for its simulation.
    pub work: u64,
}

#[derive(Default)]
struct Seen {
    points: u64,
    not_applicable: u64,
    simulated: u64,
    slow: u64,
    work: u64,
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

/// Bytes of a row of CSV, about.
pub const ROW_BYTES: u64 = 160;

impl Estimate {
    /// The estimate of each part. Cost: up to ten million inspected cells, or samples of thousands of cells per part
    /// and some million in all.
    #[must_use]
    pub fn of_all(parts: &[Part<'_>], config: &Config) -> Vec<Self> {
        let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
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
            if all_are_seen {
                seen = (0..cells).into_par_iter().map(|cell| see(part, config, cell)).reduce(Seen::default, Seen::and);
            }
            let points = match part.may_repeat() {
                true if all_are_seen => seen.points,
                true => scaled(cells, seen.points, drawn.max(1)),
                false => cells,
            };
            let share = |count| scaled(points, count, seen.points.max(1));
            Self {
                points,
                in_earlier_grid: cells - points,
                not_applicable: share(seen.not_applicable),
                simulated: share(seen.simulated),
                exact: all_are_seen && seen.slow == 0,
                slow: seen.slow > 0,
                work: points.saturating_add(in_units(share(seen.work))),
            }
        };
        parts.par_iter().enumerate().map(of).collect()
    }
}

/// Approximate steps of the simulations of the cells from this position on. Cost: a sample of each part.
pub(super) fn steps_left(cells: &Cells<'_>, from: u64, config: &Config) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let (mut sum, mut position) = (0u64, from);
    while position < cells.len() {
        let ((part, start), end) = (cells.part(position), cells.end(position));
        let (count, mut seen, mut looks) = (end - position, Seen::default(), 0);
        while looks < count.min(MAX_LOOKS) && seen.steps <= MAX_STEPS_FOR_WORK {
            let offset = if count <= MAX_LOOKS { looks } else { below(&mut random, count) };
            seen = seen.and(see(part, config, cells.shard.cell(position + offset) - start));
            looks += 1;
        }
        sum = sum.saturating_add(scaled(count, seen.work, looks.max(1)));
        position = end;
    }
    sum
}

/// Steps as units of work; a unit is a row that is not simulated.
pub(super) fn in_units(steps: u64) -> u64 {
    steps / STEPS_OF_A_ROW
}

fn scaled(whole: u64, part: u64, of: u64) -> u64 {
    u64::try_from(u128::from(whole) * u128::from(part) / u128::from(of)).unwrap_or(u64::MAX)
}

/// A number below `end`, which is at least 1.
fn below(random: &mut ChaCha8Rng, end: u64) -> u64 {
    // The bias of `end` in 2^64 is negligible.
    u64::try_from((u128::from(random.next_u64()) * u128::from(end)) >> 64).unwrap_or(0)
}

fn see(part: &Part<'_>, config: &Config, cell: u64) -> Seen {
    let Some(cell) = part.cell(cell) else { return Seen::default() };
    let Ok(instance) = cell.bind() else {
        return Seen { points: 1, not_applicable: 1, ..Seen::default() };
    };
    let steps = instance.steps(SLOW);
    let applies = steps == SLOW || instance.admit().is_ok();
    let simulated = applies && instance.why_skipped(&config.limits).is_none();
    Seen {
        points: 1,
        not_applicable: u64::from(!applies),
        simulated: u64::from(simulated),
        work: if simulated { instance.work() } else { 0 },
        slow: u64::from(steps == SLOW),
        steps: steps as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One grid with this axis K, on a machine where the time of such a tree takes a second.
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

    /// A plan does not evaluate these points: each takes a second or two.
    #[test]
    fn points_that_take_long_are_not_evaluated() {
        for (K, points) in [
            ("{ from = 1000000000000, to = 1000000000063 }", 64),
            ("{ from = 1000000000000, to = 1000009999999 }", 10_000_000),
        ] {
            of_slow(K, "[1]", |parts, config| {
                let estimate = Estimate::of_all(parts, config).remove(0);
                let expected = Estimate {
                    points,
                    in_earlier_grid: 0,
                    not_applicable: 0,
                    simulated: 0,
                    exact: false,
                    slow: true,
                    work: points,
                };
                assert_eq!(estimate, expected);
            });
        }
    }

    /// Slow points among others: the others are counted.
    #[test]
    fn what_takes_long_is_left_out() {
        of_slow("[1, 2, 3, 1000000000000]", "[1]", |parts, config| {
            let estimate = Estimate::of_all(parts, config).remove(0);
            let found = (estimate.points, estimate.not_applicable, estimate.simulated, estimate.exact);
            assert_eq!(found, (4, 0, 3, false));
        });
        of_slow("[0, 1, 2, 3]", "[1]", |parts, config| {
            let estimate = Estimate::of_all(parts, config).remove(0);
            let found = (estimate.points, estimate.not_applicable, estimate.simulated, estimate.exact);
            assert_eq!(found, (4, 1, 3, true));
        });
    }

    /// Together all points take too many steps, so they are sampled, though none is slow.
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
