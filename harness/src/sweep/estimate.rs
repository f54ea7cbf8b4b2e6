//! The work of a sweep before it runs.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};

use super::parts::{Cells, Part};
use crate::config::Config;
use crate::record::shard::Shard;

/// A point of more steps, of [`steps`](algorithms::problem::Instance::steps), takes some milliseconds to admit: it
/// counts as admitted.
const SLOW: usize = 1 << 12;
/// Most cells of a part, and most of their steps, to estimate its work: milliseconds.
const MAX_LOOKS: u64 = 1 << 11;
const MAX_STEPS: u64 = 1 << 13;

/// Steps of a simulation that take as long as evaluating and writing a row.
const STEPS_OF_A_ROW: u64 = 128;

/// Bytes of a row of CSV, about.
pub const ROW_BYTES: u64 = 160;

/// The approximate work of a part of a sweep: one unit per cell, and more for its simulation.
pub fn work(part: &Part<'_>, config: &Config) -> u64 {
    let cells = Cells::new(std::slice::from_ref(part), Shard::WHOLE);
    cells
        .len()
        .saturating_add(in_units(steps_left(&cells, 0, config)))
}

/// Approximate steps of the simulations of the cells from this position on. Cost: a sample of each part.
pub(super) fn steps_left(cells: &Cells<'_>, from: u64, config: &Config) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let (mut sum, mut position) = (0u64, from);
    while position < cells.len() {
        let ((part, start), end) = (cells.part(position), cells.end(position));
        let (count, mut steps, mut work, mut looks) = (end - position, 0, 0u64, 0);
        while looks < count.min(MAX_LOOKS) && steps <= MAX_STEPS {
            let offset = if count <= MAX_LOOKS {
                looks
            } else {
                below(&mut random, count)
            };
            let seen = see(part, config, cells.shard.cell(position + offset) - start);
            (steps, work, looks) = (steps + seen.0, work.saturating_add(seen.1), looks + 1);
        }
        sum = sum.saturating_add(scaled(count, work, looks.max(1)));
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

/// The steps to admit a cell, and those of its simulation.
fn see(part: &Part<'_>, config: &Config, cell: u64) -> (u64, u64) {
    let Some(Ok(instance)) = part.cell(cell).map(|cell| cell.bind()) else {
        return (0, 0);
    };
    let steps = instance.steps(SLOW);
    let is_simulated = (steps == SLOW || instance.admit().is_ok())
        && instance.why_skipped(&config.limits).is_none();
    (steps as u64, if is_simulated { instance.work() } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::diagnostics::Source;

    /// Points whose trees take a second each are not evaluated.
    #[test]
    fn the_work_of_points_that_take_long() {
        let text = "schema = 1\n[[grid]]\nname = 'a'\nalgorithms = ['broadcast-optimal']\nL = 1_000_000_000\no = 1\n\
                    g = 1\nK = { from = 1000000000000, to = 1000000000063 }\nn = 1000\nports = ['duplex']\nm = 10\n";
        let config = Config::from_source(&Source::built_in("slow.toml", text));
        let config = config.unwrap_or_else(|failure| panic!("{}", failure.message));
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((parts.len(), work(&parts[0], &config)), (1, 64));
    }
}
