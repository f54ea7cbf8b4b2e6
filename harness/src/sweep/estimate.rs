//! How large a sweep will be, before anything runs: how many points, how much time, how much CSV.

use std::collections::BTreeMap;

use algorithms::catalogue::{Neighbours, Point, Problem};
use algorithms::cost::Limits;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use rayon::prelude::*;

use super::parts::{Part, most_terms};
use crate::config::Config;
use crate::record;

/// Up to so many cells of all parts together each one is looked at.
const MAX_LOOKED_AT: u64 = 10_000_000;
/// Of a part of more: so many. A share of them is off by less than 3 % of all, mostly.
const SAMPLES: u64 = 1 << 12;
/// Of all parts together about so many: of thousands of parts each says little of the whole.
const ALL_SAMPLES: u64 = 1 << 23;
/// And of each these.
const FEWEST_SAMPLES: u64 = 16;
/// Rows of a problem that are made to see how long they are.
const ROWS: u64 = 64;
/// Most steps, of [`Entry::steps`](algorithms::catalogue::Entry::steps), of the points of all parts together that are each
/// looked at: seconds to half a minute of a core. Of a part with more than its share fewer points are.
const ALL_STEPS: u64 = 1 << 25;
/// Steps from which on a point is slow: it is not asked whether it applies, and no row is made of it. Some milliseconds.
const SLOW: usize = 1 << 12;
/// Steps that a slow point may take.
const MAX_STEPS: u64 = 1 << 20;
/// Cells of all parts together that are looked at to see how many steps they take, and in parts with too many.
const ALL_SLOW_SAMPLES: u64 = 1 << 12;
/// Of one part.
const SLOW_SAMPLES: u64 = 1 << 8;
/// A point is evaluated for the length of its row if that is thought to take no longer, in nanoseconds.
const MAX_EFFORT: u64 = 2_000_000;

/// What a part of a sweep will come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Points: cells that no earlier grid has. At most so many, where they are not exact.
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
    /// Whether points were found that take longer than [`Entry::effort`](algorithms::catalogue::Entry::effort) says.
    pub slow: bool,
    /// Bytes of CSV, from the length of some rows.
    pub csv_bytes: u64,
}

/// What may be looked at of each part where not all is: so much that all parts together take seconds, however many.
struct Most {
    /// Cells.
    samples: u64,
    /// Cells where points take many steps.
    slow_samples: u64,
    /// Intersections of grids.
    terms: u32,
}

impl Most {
    fn of(parts: &[Part<'_>]) -> Self {
        let all = parts.len().max(1) as u64;
        Self {
            samples: (ALL_SAMPLES / all).clamp(FEWEST_SAMPLES, SAMPLES),
            slow_samples: (ALL_SLOW_SAMPLES / all).clamp(1, SLOW_SAMPLES),
            terms: most_terms(parts),
        }
    }
}

/// What a look at some cells found: points, not applicable, simulated, slow.
type Seen = [u64; 4];

/// About how many bytes of CSV the rows of all parts are; points of several grids count in each.
#[must_use]
pub fn csv_bytes(parts: &[Part<'_>], config: &Config) -> u64 {
    let rows = row_bytes(parts, config);
    let of =
        |part: &Part<'_>| part.cells().saturating_mul(rows.get(&part.entry.problem()).copied().unwrap_or(TYPICAL_ROW));
    parts.iter().map(of).fold(0, u64::saturating_add)
}

impl Estimate {
    /// Of each part. Cost: a look at every cell of up to ten million, at some thousand of each part of more, and at some
    /// million of all parts together; as many intersections of grids.
    #[must_use]
    pub fn of_all(parts: &[Part<'_>], config: &Config) -> Vec<Self> {
        let all = parts.iter().map(Part::cells).fold(0, u64::saturating_add);
        let rows = row_bytes(parts, config);
        let most = Most::of(parts);
        let steps: Vec<u64> = parts.par_iter().map(|part| steps(part, config, most.slow_samples)).collect();
        let are_few = steps.iter().copied().fold(0, u64::saturating_add) <= ALL_STEPS;
        let share = ALL_STEPS / parts.len().max(1) as u64;
        let of = |(number, part): (usize, &Part<'_>)| {
            let row = rows.get(&part.entry.problem()).copied().unwrap_or(TYPICAL_ROW);
            let takes_long = !are_few && steps[number] > share;
            Self::of(part, config, number as u64, (all <= MAX_LOOKED_AT, takes_long), &most, row)
        };
        parts.par_iter().enumerate().map(of).collect()
    }

    fn of(
        part: &Part<'_>,
        config: &Config,
        number: u64,
        (all, takes_long): (bool, bool),
        most: &Most,
        row_bytes: u64,
    ) -> Self {
        let cells = part.cells();
        let see = |cell: u64| see(part, config, cell);
        let add = |a: Seen, b: Seen| std::array::from_fn(|place| a[place] + b[place]);
        let mut random = ChaCha8Rng::seed_from_u64(number);
        let all = !takes_long && (all || cells <= most.samples);
        let (points, not_applicable, simulated, slow, exact) = if all {
            let seen = (0..cells).into_par_iter().map(see).reduce(Seen::default, add);
            let [points, not_applicable, simulated, slow] = seen;
            (points, not_applicable, simulated, slow > 0, slow == 0)
        } else {
            let samples = if takes_long { most.slow_samples } else { most.samples };
            let seen = (0..samples).map(|_| see(below(&mut random, cells))).fold(Seen::default(), add);
            let [seen, not_applicable, simulated, slow] = seen;
            let points = cells - part.repeated(most.terms).0;
            let share = |count: u64| scaled(points, count, seen.max(1));
            (points, share(not_applicable), share(simulated), slow > 0, false)
        };
        let csv_bytes = u64::try_from(u128::from(points) * u128::from(row_bytes)).unwrap_or(u64::MAX);
        Self { points, in_earlier_grid: cells - points, not_applicable, simulated, exact, slow, csv_bytes }
    }
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

/// About how many steps all points of a part take together, from so many of its cells, drawn by lot.
fn steps(part: &Part<'_>, config: &Config, samples: u64) -> u64 {
    let cells = part.cells();
    let samples = samples.min(cells);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut sum = 0;
    for _ in 0..samples {
        let cell = part.grid.cell(part.entry, &part.dimensions, below(&mut random, cells), config.seed);
        sum += match cell.point().map_or(0, |point| part.entry.steps(&point, SLOW)) {
            SLOW.. => MAX_STEPS,
            steps => steps as u64,
        };
        // More would not change what is done about it.
        if scaled(cells, sum, samples) > ALL_STEPS {
            break;
        }
    }
    scaled(cells, sum, samples.max(1))
}

fn see(part: &Part<'_>, config: &Config, cell: u64) -> Seen {
    let Some(cell) = part.cell(cell, config.seed) else { return [0; 4] };
    let simulates = |point: &Point| u64::from(part.entry.simulates(point, &config.limits));
    match cell.point() {
        Err(_) => [1, 1, 0, 0],
        Ok(point) if part.entry.steps(&point, SLOW) == SLOW => [1, 0, simulates(&point), 1],
        Ok(point) if part.entry.check(&point).is_err() => [1, 1, 0, 0],
        Ok(point) => [1, 0, simulates(&point), 0],
    }
}

/// How long a row of each problem is, on the average of some, in bytes; without what only a simulation would tell.
fn row_bytes(parts: &[Part<'_>], config: &Config) -> BTreeMap<Problem, u64> {
    let of_problem = |parts: &[Part<'_>]| (parts[0].entry.problem(), mean_row(parts, config));
    parts.chunk_by(|one, next| one.entry.problem() == next.entry.problem()).map(of_problem).collect()
}

/// The same for some parts.
fn mean_row(parts: &[Part<'_>], config: &Config) -> u64 {
    let none = Limits { nodes: 0, hops: 0 };
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let upto: Vec<u64> = parts
        .iter()
        .scan(0u64, |sum, part| {
            *sum = sum.saturating_add(part.cells());
            Some(*sum)
        })
        .collect();
    let all = upto.last().copied().unwrap_or(0);
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    let mut rows = 0;
    for _ in 0..ROWS.min(all) {
        let drawn = below(&mut random, all);
        let number = upto.partition_point(|&sum| sum <= drawn);
        let part = &parts[number];
        let cell = drawn - number.checked_sub(1).map_or(0, |before| upto[before]);
        let cell = part.grid.cell(part.entry, &part.dimensions, cell, config.seed);
        let takes_long =
            |point: Point| part.entry.effort(&point, &none) > MAX_EFFORT || part.entry.steps(&point, SLOW) == SLOW;
        if cell.point().is_ok_and(takes_long) {
            continue;
        }
        let outcome = record::evaluate(part.entry, &cell, &none, &mut Neighbours::default());
        rows += u64::from(writer.serialize(&outcome.row).is_ok());
    }
    let bytes = writer.into_inner().map_or(0, |csv| csv.len() as u64);
    bytes.checked_div(rows).unwrap_or(TYPICAL_ROW)
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
                    csv_bytes,
                };
                assert_eq!(estimate, told);
                assert_eq!(super::csv_bytes(parts, config), csv_bytes);
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

    #[test]
    fn of_many_parts_each_is_looked_at_less() {
        of_slow("[1]", "[1]", |parts, _| {
            let most = Most::of(parts);
            assert_eq!((most.samples, most.slow_samples, most.terms), (SAMPLES, SLOW_SAMPLES, 1 << 16));
        });
    }
}
