//! `history.csv`: the changes of each acceptance, and the ratio of each algorithm to its lower bounds.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::output::{self, Draft};

/// One algorithm at one acceptance.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// The day, UTC, as 2026-11-21.
    pub date: String,
    /// The git revision of castbench; `-dirty` with uncommitted changes.
    pub revision: String,
    /// Why the costs were accepted.
    pub reason: String,
    /// Name of the algorithm.
    pub algorithm: String,
    /// Its declared revision.
    pub algorithm_revision: u32,
    /// Points with a cost.
    pub points: u64,
    /// Points whose cost changed, including new and gone ones.
    pub points_changed: u64,
    /// Changed points with a lower cost.
    pub points_better: u64,
    /// Changed points with a higher cost.
    pub points_worse: u64,
    /// The sum of all ratios of cost to lower bound, rounded; 0/0 counts as 1.
    pub sum_over_bound_f64: f64,
    /// The largest cost over its lower bound, rounded.
    pub worst_over_bound_f64: f64,
    /// The point with it, as options of `castbench cost`.
    pub worst_point: String,
    /// At the points that the acceptance before has, too: the sum of cost over lower bound, over that of the costs before. None
    /// without such points, and in older files.
    #[serde(default)]
    pub over_before_f64: Option<f64>,
}

/// The file in a directory.
#[must_use]
pub fn path(reports: &Path) -> std::path::PathBuf {
    reports.join("history.csv")
}

/// Reads the history in a directory; empty if there is none.
///
/// # Errors
/// Exit code 74 if it cannot be read.
pub fn read(reports: &Path) -> Result<Vec<HistoryRow>, Failure> {
    let path = path(reports);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let failed = |error: csv::Error| Failure::read(&path, error);
    let mut reader = csv::Reader::from_reader(
        output::open_lines(&path).map_err(|error| Failure::read(&path, error))?,
    );
    // Unknown columns would be lost when the next acceptance writes the file.
    let known = String::from_utf8_lossy(&output::csv_header::<HistoryRow>()?)
        .trim_end()
        .to_owned();
    let headers = reader.headers().map_err(failed)?.clone();
    // Files from before the last column are read, too.
    let is_known = |known: &str| headers.iter().eq(known.split(','));
    if !is_known(&known) && !known.rsplit_once(',').is_some_and(|(old, _)| is_known(old)) {
        let reason = format_args!("its columns are not {known}; restore it, or move it away");
        return Err(Failure::read(&path, reason));
    }
    let rows = reader
        .into_deserialize()
        .collect::<Result<Vec<HistoryRow>, _>>()
        .map_err(failed)?;
    let is_finite = |row: &HistoryRow| {
        [row.sum_over_bound_f64, row.worst_over_bound_f64]
            .into_iter()
            .chain(row.over_before_f64)
            .all(f64::is_finite)
    };
    match rows.iter().find(|row| !is_finite(row)) {
        Some(row) => Err(Failure::read(
            &path,
            format_args!("a row of {} does not have a number", row.algorithm),
        )),
        None => Ok(rows),
    }
}

/// The rows of each acceptance, which are adjacent, in the order of the file.
pub fn acceptances(rows: &[HistoryRow]) -> impl DoubleEndedIterator<Item = &[HistoryRow]> {
    rows.chunk_by(|a, b| (&a.date, &a.revision, &a.reason) == (&b.date, &b.revision, &b.reason))
}

/// The file with these rows appended, not yet published. None if it ends with them: a killed acceptance wrote them.
/// Without a baseline, the numbers of changed points do not matter.
///
/// # Errors
/// Exit code 74 if it cannot be read or written.
pub fn append(
    reports: &Path,
    rows: Vec<HistoryRow>,
    has_baseline: bool,
) -> Result<Option<Draft>, Failure> {
    let mut all = read(reports)?;
    let essence = |row: &HistoryRow| {
        let row = HistoryRow {
            date: String::new(),
            ..row.clone()
        };
        if has_baseline {
            row
        } else {
            HistoryRow {
                points_changed: 0,
                points_better: 0,
                points_worse: 0,
                over_before_f64: None,
                ..row
            }
        }
    };
    let known: Vec<HistoryRow> = all.iter().map(essence).collect();
    if rows.iter().all(|row| known.contains(&essence(row))) {
        return Ok(None);
    }
    all.extend(rows);
    Ok(Some(Draft::with_contents(
        &path(reports),
        &output::csv_bytes(&all)?,
    )?))
}
