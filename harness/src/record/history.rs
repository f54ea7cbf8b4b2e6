//! `history.csv`: the changes of each acceptance, and the ratio of each algorithm to its lower bounds.

use std::path::Path;

use crate::base::failure::{Failure, Result};
use crate::output::{self, Draft};
use crate::print::column::{self, Tabled as _, tabled};

tabled! {
    /// One algorithm at one acceptance.
    #[derive(Debug, Clone, PartialEq)]
    pub struct HistoryRow {
        /// day of the acceptance, UTC
        pub date: String,
        /// git revision; `-dirty` with uncommitted changes
        pub revision: String,
        /// why the costs were accepted
        pub reason: String,
        /// name of the algorithm
        pub algorithm: String,
        /// revision that the algorithm declares
        pub algorithm_revision: u32,
        /// points with a cost
        pub points: u64,
        /// points whose cost changed, new and gone ones too
        pub points_changed: u64,
        /// points whose cost fell
        pub points_better: u64,
        /// points whose cost rose
        pub points_worse: u64,
        /// sum over the points of cost over lower bound, rounded; 0/0 counts as 1
        pub sum_over_bound_f64: f64,
        /// the largest of these ratios, rounded
        pub worst_over_bound_f64: f64,
        /// the point with that ratio, as options of `castbench cost`
        pub worst_point: String,
        /// at the points that the acceptance before has, too: sum of cost over lower bound, over that of the costs before; empty without such points, and in older files
        pub over_before_f64: Option<f64>,
    }
}

/// The file in a directory.
pub fn path(reports: &Path) -> std::path::PathBuf {
    reports.join("history.csv")
}

/// Reads the history in a directory; empty if there is none.
///
/// # Errors
/// Exit code 74 if it cannot be read.
pub fn read(reports: &Path) -> Result<Vec<HistoryRow>> {
    let path = path(reports);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let lines = output::open_lines(&path).map_err(output::unread(&path))?;
    let mut file = csv::Reader::from_reader(lines);
    let headers = file.headers().map_err(output::unread(&path))?;
    // Unknown columns would be lost when the next acceptance writes the file. Files from before the last column are read, too.
    let columns = HistoryRow::columns();
    let known: Vec<&str> = column::names(&columns).collect();
    if !headers.iter().eq(known.iter().copied())
        && !headers.iter().eq(known[..known.len() - 1].iter().copied())
    {
        let known = known.join(",");
        let reason = format_args!("its columns are not {known}; restore it, or move it away");
        return Err(Failure::read(&path, reason));
    }
    let rows: Vec<HistoryRow> = column::rows_of(&mut file).map_err(output::unread(&path))?;
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
pub fn append(reports: &Path, rows: Vec<HistoryRow>, has_baseline: bool) -> Result<Option<Draft>> {
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
        &column::csv(&HistoryRow::columns(), &all)?,
    )?))
}
