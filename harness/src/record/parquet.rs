//! The rows as Parquet: the columns of the CSV file with types, and the configuration as metadata.
//!
//! A Parquet file is made from the finished CSV file. So resuming, shards and merging work only on CSV, and equal rows
//! give equal bytes.

#[cfg(feature = "parquet")]
mod convert;

use std::fs::File;
use std::path::Path;

use algorithms::problem::AnyProblem;

use crate::failure::Failure;

/// The name of a problem's Parquet file.
#[must_use]
pub fn file_name(problem: &dyn AnyProblem) -> String {
    format!("{}.parquet", problem.name())
}

/// Checks that this build can write Parquet.
///
/// # Errors
/// Exit code 2 if it cannot.
pub fn check_available() -> Result<(), Failure> {
    if cfg!(feature = "parquet") {
        return Ok(());
    }
    Err(Failure::usage(
        "--format parquet: this castbench was built without Parquet; build it with `--features parquet`, or write CSV",
    ))
}

/// Writes the rows of a problem's CSV file into a Parquet file. Both are open; the paths are for messages.
///
/// # Errors
/// Exit code 2 if this build cannot write Parquet, 74 if a file cannot be read or written or a number has too many
/// digits for the format.
#[cfg_attr(
    not(feature = "parquet"),
    expect(unused_variables, reason = "unused in this build")
)]
pub fn from_csv(
    problem: &dyn AnyProblem,
    (csv, csv_path): (&File, &Path),
    (file, path): (&File, &Path),
    metadata: Vec<(String, String)>,
) -> Result<(), Failure> {
    check_available()?;
    #[cfg(feature = "parquet")]
    convert::convert(problem, (csv, csv_path), (file, path), metadata)?;
    Ok(())
}
