//! The rows of a sweep in memory.

use algorithms::problem::AnyProblem;

use super::ProblemCsv;
use super::block::Block;
use super::pipeline::Sink;
use super::unfinished::header;
use crate::failure::{Code, Failure};
use crate::record::summary::Summary;

pub(super) struct Collected {
    /// In the order of the problems.
    pub rows: Vec<ProblemCsv>,
    /// All cells before this position are done.
    pub next: u64,
    pub summary: Summary,
}

impl Collected {
    pub fn new(problems: Vec<&'static dyn AnyProblem>) -> Self {
        let rows = problems.into_iter().map(|problem| (problem, header(problem))).collect();
        Self { rows, next: 0, summary: Summary::default() }
    }
}

impl Sink for Collected {
    fn next(&self) -> u64 {
        self.next
    }

    fn append(&mut self, block: Block) -> Result<(), Failure> {
        let rows = self.rows.iter_mut().find(|(problem, _)| *problem == block.problem);
        let (_, rows) = rows.ok_or_else(|| Failure::new(Code::Internal, "a row of a problem that is not swept"))?;
        rows.extend(block.csv);
        self.summary.absorb(block.summary);
        self.next = block.positions.end;
        Ok(())
    }
}
