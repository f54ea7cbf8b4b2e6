//! The rows of a sweep in CSV: a missing value is empty and never 0.

pub mod findings;
pub mod manifest;
pub mod parquet;
pub mod results;
pub mod row;
pub mod shard;
pub mod summary;

use algorithms::problem::AnyProblem;
use serde::Serialize;

use crate::output::CsvWriter;
pub use row::{Row, Status, rounded};

/// The name of a problem's CSV file.
#[must_use]
pub fn file_name(problem: &dyn AnyProblem) -> String {
    format!("{}.csv", problem.name())
}

/// The header of this row, also for files without rows.
///
/// # Errors
/// A row that cannot be written.
pub fn columns_of<T: Serialize>(row: &T) -> Result<Vec<String>, csv::Error> {
    let mut writer = CsvWriter::new(Vec::new());
    writer.serialize(row)?;
    let text = writer.into_inner()?;
    let mut reader = csv::Reader::from_reader(text.as_slice());
    Ok(reader.headers()?.iter().map(str::to_owned).collect())
}
