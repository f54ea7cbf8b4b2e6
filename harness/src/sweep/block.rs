//! Consecutive cells of one part, evaluated and written as CSV.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use algorithms::cost::Simulated;
use algorithms::problem::AnyProblem;

use super::estimate::ROW_BYTES;
use super::parts::Cells;
use crate::config::Config;
use crate::failure::Failure;
use crate::interruption;
use crate::output::CsvWriter;
use crate::record::row;
use crate::record::summary::Summary;

pub(super) struct Block {
    pub problem: &'static dyn AnyProblem,
    pub csv: Vec<u8>,
    /// Number of rows: one for each cell that no earlier grid has.
    pub rows: u64,
    /// Approximate number of steps of the simulations.
    pub work: u64,
    pub summary: Summary,
    pub positions: Range<u64>,
}

/// Cells between two reads of the clock: a read takes a tenth of the fastest cells.
const LOOK_EVERY: u64 = 16;

/// Evaluates the cells at these positions, all of one part. Ends early if `stop` is set or `time` is over, but after
/// one cell at least unless `stop` is set.
pub(super) fn evaluate(
    config: &Config,
    cells: &Cells<'_>,
    positions: Range<u64>,
    time: Duration,
    stop: &AtomicBool,
) -> Result<Block, Failure> {
    let begun = Instant::now();
    let (part, start) = cells.part(positions.start);
    let room =
        usize::try_from((positions.end - positions.start).saturating_mul(ROW_BYTES)).unwrap_or(0);
    let mut writer = CsvWriter::headless(Vec::with_capacity(room));
    let mut evaluate = part
        .entry
        .evaluator(part.grid.machines.setting(), config.limits);
    let (mut rows, mut work) = (0, 0u64);
    let mut summary = Summary::default();
    let mut end = positions.start;
    for position in positions.clone() {
        let done = position - positions.start;
        if stop.load(Ordering::Relaxed) || done % LOOK_EVERY == 1 && begun.elapsed() >= time {
            break;
        }
        let number = cells.shard.cell(position);
        let Some(cell) = part.cell(number - start) else {
            // A merge takes one line per cell from each shard in turn, so a cell without a row has an empty line.
            end = position + 1;
            if cells.shard.of > 1 {
                let mut csv = writer.into_inner()?;
                csv.push(b'\n');
                writer = CsvWriter::headless(csv);
            }
            continue;
        };
        let result = evaluate(&cell.values);
        // A command that was interrupted says nothing of its point.
        if result.is_err() && (stop.load(Ordering::Relaxed) || interruption::is_requested()) {
            break;
        }
        end = position + 1;
        summary.record(number, &cell, &result);
        row::write(&mut writer, &cell, &result)?;
        rows += 1;
        if result.is_ok_and(|evaluation| !matches!(evaluation.simulated, Simulated::Skipped(_))) {
            work = work.saturating_add(cell.bind().map_or(0, |instance| instance.work()));
        }
    }
    let csv = writer.into_inner()?;
    Ok(Block {
        problem: part.entry.problem(),
        csv,
        rows,
        work,
        summary,
        positions: positions.start..end,
    })
}
