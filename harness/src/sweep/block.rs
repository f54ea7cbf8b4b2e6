//! Consecutive cells of one part, evaluated.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use algorithms::cost::Simulated;
use algorithms::problem::{Problem, Refused};

use super::estimate::ROW_BYTES;
use super::parts::Cells;
use crate::base::failure::Result;
use crate::config::Config;
use crate::output::CsvWriter;
use crate::output::interruption;
use crate::print::column;
use crate::record::on_network::OnNetwork;
use crate::record::row::{self, Row};
use crate::record::summary::Summary;

/// What is kept of the rows of a block; none stands for a cell that an earlier grid has, where a merge needs its place.
pub type Keep<'a, T> = dyn Fn(&'static Problem, Vec<Option<Row>>) -> Result<T> + Sync + 'a;

pub(super) struct Block<T> {
    pub problem: &'static Problem,
    pub kept: T,
    /// Number of rows: one for each cell that no earlier grid has.
    pub rows: u64,
    /// Approximate number of steps of the simulations.
    pub work: u64,
    pub summary: Summary,
    pub positions: Range<u64>,
}

/// Cells between two reads of the clock: a read takes a tenth of the fastest cells.
const LOOK_EVERY: u64 = 16;

/// Rows as CSV, a line for each cell: a merge takes one from each shard in turn. With networks they have more columns.
///
/// # Errors
/// A row that the CSV library cannot write.
pub fn csv(
    problem: &'static Problem,
    rows: Vec<Option<Row>>,
    has_networks: bool,
) -> Result<Vec<u8>> {
    let columns = row::swept(problem, has_networks);
    let room = usize::try_from(ROW_BYTES).unwrap_or(0);
    let mut writer = CsvWriter::new(Vec::with_capacity(rows.len().saturating_mul(room)));
    for row in &rows {
        match row {
            Some(row) => column::write_row(&columns, row, &mut writer)?,
            None => {
                let mut csv = writer.into_inner()?;
                csv.push(b'\n');
                writer = CsvWriter::new(csv);
            }
        }
    }
    Ok(writer.into_inner()?)
}

/// Evaluates the cells at these positions, all of one part. Ends early if `stop` is set or `time` is over, but after
/// one cell at least unless `stop` is set.
pub(super) fn evaluate<T>(
    (config, cells): (&Config, &Cells<'_>),
    positions: Range<u64>,
    time: Duration,
    stop: &AtomicBool,
    keep: &Keep<'_, T>,
) -> Result<Block<T>> {
    let begun = Instant::now();
    let (part, start) = cells.part(positions.start);
    let mut evaluate = part
        .entry
        .evaluator(part.grid.machines.setting(), config.limits);
    let (mut rows, mut work) = (Vec::new(), 0u64);
    let mut summary = Summary::default();
    let mut end = positions.start;
    for position in positions.clone() {
        let done = position - positions.start;
        if stop.load(Ordering::Relaxed) || done % LOOK_EVERY == 1 && begun.elapsed() >= time {
            break;
        }
        let number = cells.shard.cell(position);
        let Some(cell) = part.cell(number - start) else {
            end = position + 1;
            if cells.shard.of > 1 {
                rows.push(None);
            }
            continue;
        };
        let mut result = evaluate(&cell.values);
        let placed = config.network(&cell).filter(|_| result.is_ok());
        let link_time = placed.map(|placed| placed.link_time(&cell, &cell.bind()?));
        let (on_network, too_large) = match link_time.transpose() {
            Ok(found) => (found.map(|found| found.row()), None),
            Err(Refused::TooLarge(why)) => (None, Some(why)),
            Err(refused) => {
                result = Err(refused);
                (None, None)
            }
        };
        // A command that was interrupted says nothing of its point.
        if result.is_err() && (stop.load(Ordering::Relaxed) || interruption::is_requested()) {
            break;
        }
        end = position + 1;
        summary.record(number, &cell, &result);
        let mut row = Row::from_result(&cell, &result);
        row.note.extend(too_large);
        row.on_network = cell.site.map(|site| {
            let network = site.network.clone();
            Box::new(OnNetwork {
                network,
                ..on_network.unwrap_or_default()
            })
        });
        rows.push(Some(row));
        if result.is_ok_and(|evaluation| !matches!(evaluation.simulated, Simulated::Skipped(_))) {
            work = work.saturating_add(cell.bind().map_or(0, |instance| instance.work()));
        }
    }
    let problem = part.entry.problem();
    Ok(Block {
        problem,
        rows: rows.iter().flatten().count() as u64,
        kept: keep(problem, rows)?,
        work,
        summary,
        positions: positions.start..end,
    })
}
