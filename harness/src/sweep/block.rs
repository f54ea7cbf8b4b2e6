//! Some consecutive cells of one part, evaluated and written as CSV: the unit of work of a sweep.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use algorithms::catalogue::{Neighbours, Problem};

use super::parts::{Part, Place};
use super::summary::Summary;
use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::record;

/// What came of the cells.
pub(super) struct Block {
    /// Whose file the rows belong to.
    pub problem: Problem,
    /// The rows, as they stand in the file.
    pub csv: Vec<u8>,
    /// How many rows: one for each cell that no earlier grid has.
    pub rows: u64,
    /// What the points found.
    pub summary: Summary,
    /// The place behind the last cell.
    pub end: Place,
}

/// Bytes of a row, about: what a buffer is made for.
const ROW_BYTES: usize = 160;

/// Evaluates the cells of a part with these numbers; `None` where `stop` was set before it was done.
///
/// # Errors
/// Exit code 1 for a row that the CSV library cannot write.
pub(super) fn evaluate(
    config: &Config,
    parts: &[Part<'_>],
    (number, cells): (usize, Range<u64>),
    stop: &AtomicBool,
) -> Result<Option<Block>, Failure> {
    let part = &parts[number];
    let end = Place { part: number, cell: cells.end };
    let failed = |error: csv::Error| Failure::new(Code::Internal, error);
    let room = usize::try_from(cells.end - cells.start).unwrap_or(0).saturating_mul(ROW_BYTES);
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::with_capacity(room));
    let mut neighbours = Neighbours::default();
    let mut rows = 0;
    let mut summary = Summary::default();
    for cell in cells {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let Some(cell) = part.cell(cell, config.seed) else { continue };
        let outcome = record::evaluate(part.entry, &cell, &config.limits, &mut neighbours);
        summary.record(part.entry, &cell, &outcome);
        writer.serialize(&outcome.row).map_err(failed)?;
        rows += 1;
    }
    let csv = writer.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Ok(Some(Block { problem: part.entry.problem(), csv, rows, summary, end }))
}
