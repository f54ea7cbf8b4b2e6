//! The results of the checks, with the compared times.

use serde::Serialize;

use crate::measured::record::SummaryRow;

/// The result at one K.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The number of nodes.
    pub K: u32,
    /// A sentence: medians with their intervals in brackets.
    pub found: String,
    /// The compared times, in the order of the sentence.
    pub times: Vec<Time>,
}

/// A measured time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Time {
    pub(super) algorithm: String,
    pub(super) K: u32,
    pub(super) bytes: u64,
    pub(super) median_ns: u64,
    pub(super) low_ns: u64,
    pub(super) high_ns: u64,
    pub(super) coverage_f64: f64,
}

impl Found {
    pub(super) fn new(K: u32, found: String, rows: &[&SummaryRow]) -> Self {
        let time = |row: &&SummaryRow| Time {
            algorithm: row.algorithm.clone(),
            K: row.K,
            bytes: row.bytes,
            median_ns: row.median_ns,
            low_ns: row.low_ns,
            high_ns: row.high_ns,
            coverage_f64: row.coverage_f64,
        };
        Self { K, found, times: rows.iter().map(time).collect() }
    }
}
