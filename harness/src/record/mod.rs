//! The rows of a sweep in CSV: a missing value is empty and never 0.

pub mod findings;
pub mod history;
pub mod link_time;
pub mod manifest;
pub mod measured;
pub mod measurement;
pub mod on_network;
pub mod results;
pub mod row;
pub mod shard;
pub mod summary;

use algorithms::problem::Problem;

pub use row::{Row, Status, rounded};

/// The name of a problem's CSV file.
pub fn file_name(problem: &Problem) -> String {
    format!("{}.csv", problem.name)
}
