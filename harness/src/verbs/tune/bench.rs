//! What is asked of a machine: times of calls under decisions.

use super::cells::Cell;
use crate::base::failure::Result;
use crate::rules::Table;

/// Executions of a call before those that count.
pub const WARM_UP: u32 = 1;

/// Times of a run.
#[derive(Debug)]
pub struct Run {
    /// The times of each call, ns.
    pub times: Vec<Vec<u64>>,
    /// What the run took, s.
    pub seconds: f64,
    /// What of it passed before the first call and after the last one, s.
    pub overhead: f64,
}

/// A machine.
pub trait Bench {
    /// Runs calls under the decisions of a table, each this many times after [`WARM_UP`], in turns.
    ///
    /// # Errors
    /// A run that fails, is interrupted, or takes too long.
    fn run(&mut self, table: &Table, calls: &[Cell], repetitions: u32) -> Result<Run>;
}
