//! The schedule of a summation: how many operands each processor has, and what it does in which order.
//!
//! A schedule carries no times. When each operation happens is the business of the simulator.

use std::fmt;

/// One step of a processor's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Adds that many further operands of its own to its partial sum, one time unit each.
    Add {
        /// How many.
        operands: u64,
    },
    /// Receives the partial sum of another processor, once it has arrived. Takes `o`.
    Receive {
        /// Who sent it.
        from: u32,
    },
    /// Adds a received partial sum to its own. One time unit.
    Combine {
        /// Whose it was.
        from: u32,
    },
    /// Sends its partial sum, and holds nothing from then on. Takes `o`.
    Send {
        /// To whom.
        to: u32,
    },
}

/// What a processor does, with the processor as the subject: "sends to 3".
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add { operands } => write!(f, "adds {operands} of its operands"),
            Self::Receive { from } => write!(f, "receives from {from}"),
            Self::Combine { from } => write!(f, "adds the partial sum of {from}"),
            Self::Send { to } => write!(f, "sends to {to}"),
        }
    }
}

/// A summation as its processors would run it. Processors are `0..P`; processor 0 is to hold the sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The operands of each processor.
    operands: Vec<u64>,
    /// The program of processor p ends at `ends[p]`, where that of p + 1 begins.
    ends: Vec<usize>,
    operations: Vec<Operation>,
}

impl Schedule {
    /// Adds the next processor: how many operands it has and what it does. The first of them is its partial sum from
    /// the beginning. One that takes no part has neither operands nor a program.
    ///
    /// Takes any program, sensible or not: judging it is the simulator's work.
    ///
    /// # Panics
    /// Above 2^32 - 1 processors.
    pub fn push(&mut self, operands: u64, program: impl IntoIterator<Item = Operation>) {
        assert!(self.operands.len() < u32::MAX as usize, "more than 2^32 - 1 processors");
        self.operands.push(operands);
        self.operations.extend(program);
        self.ends.push(self.operations.len());
    }

    /// How many processors there are, those that take no part included.
    #[must_use]
    pub fn processors(&self) -> u32 {
        // Checked by `push`.
        u32::try_from(self.operands.len()).unwrap_or(u32::MAX)
    }

    /// How many operands are processor p's own.
    ///
    /// # Panics
    /// If p is not one of `0..P`.
    #[must_use]
    pub fn operands(&self, p: u32) -> u64 {
        self.operands[p as usize]
    }

    /// What processor p does, in that order.
    ///
    /// # Panics
    /// If p is not one of `0..P`.
    #[must_use]
    pub fn program(&self, p: u32) -> &[Operation] {
        &self.operations[self.range(p)]
    }

    /// Where the program of processor p stands in the numbering of all operations.
    pub(super) fn range(&self, p: u32) -> std::ops::Range<usize> {
        let p = p as usize;
        let start = if p == 0 { 0 } else { self.ends[p - 1] };
        start..self.ends[p]
    }

    /// The operations of all processors, in the order of their numbers.
    pub(super) fn operations(&self) -> &[Operation] {
        &self.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a refusal says it: "processor 1 sends to 0, but ...".
    #[test]
    fn operations_are_said_of_their_processor() {
        let said = |operation: Operation| operation.to_string();
        assert_eq!(said(Operation::Add { operands: 3 }), "adds 3 of its operands");
        assert_eq!(said(Operation::Receive { from: 1 }), "receives from 1");
        assert_eq!(said(Operation::Combine { from: 1 }), "adds the partial sum of 1");
        assert_eq!(said(Operation::Send { to: 0 }), "sends to 0");
    }

    #[test]
    fn programs_stand_one_after_the_other() {
        let mut schedule = Schedule::default();
        schedule.push(3, [Operation::Add { operands: 2 }, Operation::Receive { from: 2 }]);
        schedule.push(0, []);
        schedule.push(1, [Operation::Send { to: 0 }]);
        assert_eq!(schedule.processors(), 3);
        assert_eq!(schedule.program(0), [Operation::Add { operands: 2 }, Operation::Receive { from: 2 }]);
        assert!(schedule.program(1).is_empty());
        assert_eq!(schedule.program(2), [Operation::Send { to: 0 }]);
        assert_eq!([0, 1, 2].map(|p| schedule.operands(p)), [3, 0, 1]);
    }
}
