//! How large a sweep will be, before anything runs: how many points, how much time, how much CSV.

use std::collections::BTreeMap;

use algorithms::catalogue::{Neighbours, Problem};
use algorithms::cost::Limits;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use rayon::prelude::*;

use super::parts::{Part, most_terms};
use crate::config::Config;
use crate::record;

/// Up to so many cells of all parts together each one is looked at.
const MOST_LOOKED_AT: u64 = 10_000_000;
/// Of a part of more: so many. A share of them is off by less than 3 % of all, mostly.
const SAMPLES: u64 = 1 << 12;
/// Of all parts together about so many: of thousands of parts each says little of the whole.
const ALL_SAMPLES: u64 = 1 << 23;
/// And of each these.
const FEWEST_SAMPLES: u64 = 16;
/// Rows of a problem that are made to see how long they are.
const ROWS: u64 = 64;
/// A point is evaluated for the length of its row if that is thought to take no longer, in nanoseconds.
const MOST_EFFORT: u64 = 2_000_000;

/// What a part of a sweep will come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimate {
    /// Points: cells that no earlier grid has. At most so many, where they are not exact.
    pub points: u64,
    /// Cells that an earlier grid has.
    pub in_earlier_grid: u64,
    /// Points that do not apply to the algorithm.
    pub not_applicable: u64,
    /// Points that are simulated, too.
    pub simulated: u64,
    /// Whether each point was looked at; else the shares of those that do not apply or are simulated are those of a sample.
    pub exact: bool,
    /// Bytes of CSV, from the length of some rows.
    pub csv_bytes: u64,
}

/// What may be looked at of each part where not all is: so much that all parts together take seconds, however many.
struct Most {
    /// Cells.
    samples: u64,
    /// Intersections of grids.
    terms: u32,
}

impl Most {
    fn of(parts: &[Part<'_>]) -> Self {
        let samples = (ALL_SAMPLES / parts.len().max(1) as u64).clamp(FEWEST_SAMPLES, SAMPLES);
        Self { samples, terms: most_terms(parts) }
    }
}

/// What a look at some cells found: looked at, points, not applicable, simulated.
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
        let of = |(number, part): (usize, &Part<'_>)| {
            let row = rows.get(&part.entry.problem()).copied().unwrap_or(TYPICAL_ROW);
            Self::of(part, config, number as u64, all <= MOST_LOOKED_AT, &most, row)
        };
        parts.par_iter().enumerate().map(of).collect()
    }

    fn of(part: &Part<'_>, config: &Config, number: u64, all: bool, most: &Most, row_bytes: u64) -> Self {
        let cells = part.cells();
        let exact = all || cells <= most.samples;
        let mut random = ChaCha8Rng::seed_from_u64(number);
        let see = |cell: u64| see(part, config, cell);
        let add = |a: Seen, b: Seen| std::array::from_fn(|place| a[place] + b[place]);
        let (points, not_applicable, simulated) = if exact {
            let [_, points, not_applicable, simulated] = (0..cells).into_par_iter().map(see).reduce(Seen::default, add);
            (points, not_applicable, simulated)
        } else {
            let [_, seen, not_applicable, simulated] =
                (0..most.samples).map(|_| see(below(&mut random, cells))).fold(Seen::default(), add);
            let points = cells - part.repeated(most.terms).0;
            let share = |count: u64| scaled(points, count, seen.max(1));
            (points, share(not_applicable), share(simulated))
        };
        let csv_bytes = u64::try_from(u128::from(points) * u128::from(row_bytes)).unwrap_or(u64::MAX);
        Self { points, in_earlier_grid: cells - points, not_applicable, simulated, exact, csv_bytes }
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

fn see(part: &Part<'_>, config: &Config, cell: u64) -> Seen {
    match part.cell(cell, config.seed) {
        None => [1, 0, 0, 0],
        Some(cell) => match cell.point().and_then(|point| part.entry.check(&point).map(|()| point)) {
            Err(_) => [1, 1, 1, 0],
            Ok(point) => [1, 1, 0, u64::from(part.entry.simulates(&point, &config.limits))],
        },
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
        if cell.point().is_ok_and(|point| part.entry.effort(&point, &none) > MOST_EFFORT) {
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
