//! The rows as Parquet: the columns of the CSV file with their types, and the parameters of the sweep as metadata.
//!
//! A Parquet file is made from the whole CSV file: a sweep can be stopped and taken up, cut into shards and merged
//! without a thought of it, and the same rows always give the same bytes.

#[cfg(feature = "parquet")]
mod convert;

use std::path::Path;

use algorithms::problem::AnyProblem;

use crate::failure::Failure;

/// The name of a problem's Parquet file.
#[must_use]
pub fn file_name(problem: &dyn AnyProblem) -> String {
    format!("{}.parquet", problem.name())
}

/// Whether this castbench can write Parquet.
///
/// # Errors
/// Exit code 2 where it was built without.
pub fn check_available() -> Result<(), Failure> {
    if cfg!(feature = "parquet") {
        return Ok(());
    }
    Err(Failure::usage(
        "--format parquet: this castbench was built without it; build it with `--features parquet`, or write CSV",
    ))
}

/// Writes the rows of a problem's CSV file into a Parquet file at `path`.
///
/// # Errors
/// Exit code 2 where this castbench was built without Parquet, 74 where something cannot be read or written or where a
/// number has more digits than the format can hold.
#[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "there is nothing to do with them"))]
pub fn from_csv(
    problem: &dyn AnyProblem,
    csv: &Path,
    path: &Path,
    metadata: Vec<(String, String)>,
) -> Result<(), Failure> {
    check_available()?;
    #[cfg(feature = "parquet")]
    convert::convert(problem, csv, path, metadata)?;
    Ok(())
}
