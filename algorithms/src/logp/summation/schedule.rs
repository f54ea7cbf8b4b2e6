//! The schedule of a summation: the operands of each processor, and its operations in order. It has no times.

use std::fmt;

/// One step of a processor's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Adds this number of own operands to its partial sum, one time unit each.
    Add {
        /// How many.
        operands: u64,
    },
    /// Receives the partial sum of another processor. Takes `o`.
    Receive {
        /// The sender.
        from: u32,
    },
    /// Adds a received partial sum to its own. One time unit.
    Combine {
        /// Its sender.
        from: u32,
    },
    /// Sends its partial sum, and then holds nothing. Takes `o`.
    Send {
        /// The receiver.
        to: u32,
    },
}

impl Operation {
    /// How long it takes, on a machine with this overhead.
    pub(super) fn takes(self, o: u64) -> u64 {
        match self {
            Self::Add { operands } => operands,
            Self::Combine { .. } => 1,
            Self::Receive { .. } | Self::Send { .. } => o,
        }
    }
}

/// A predicate for the processor: "sends to 3".
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

/// A summation. Processors are `0..P`; processor 0 holds the sum at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The operands of each processor.
    operands: Vec<u64>,
    /// The program of processor p ends at `ends[p]`, where that of p + 1 begins.
    ends: Vec<usize>,
    operations: Vec<Operation>,
}

impl Schedule {
    /// An empty schedule with room for these processors and operations.
    pub(super) fn with_capacity(processors: usize, operations: usize) -> Self {
        Self {
            operands: Vec::with_capacity(processors),
            ends: Vec::with_capacity(processors),
            operations: Vec::with_capacity(operations),
        }
    }

    /// Adds the next processor with its operands and its program. Its first operand is its partial sum at the start. A processor that
    /// takes no part has neither.
    ///
    /// The simulator checks the program.
    ///
    /// # Panics
    /// Above 2^32 - 1 processors.
    pub fn push(&mut self, operands: u64, program: impl IntoIterator<Item = Operation>) {
        assert!(
            self.operands.len() < u32::MAX as usize,
            "more than 2^32 - 1 processors"
        );
        self.operands.push(operands);
        self.operations.extend(program);
        self.ends.push(self.operations.len());
    }

    /// How many processors there are, including those that take no part.
    #[must_use]
    pub fn processors(&self) -> u32 {
        // `push` ensures it.
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

    /// The operations of processor p, in order.
    ///
    /// # Panics
    /// If p is not one of `0..P`.
    #[inline]
    #[must_use]
    pub fn program(&self, p: u32) -> &[Operation] {
        &self.operations[self.range(p)]
    }

    /// The numbers of the operations of processor p.
    #[inline]
    pub(super) fn range(&self, p: u32) -> std::ops::Range<usize> {
        let p = p as usize;
        let start = if p == 0 { 0 } else { self.ends[p - 1] };
        start..self.ends[p]
    }

    /// The operations of all processors, in the order of their numbers.
    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations read as part of a refusal: "processor 1 sends to 0, but ...".
    #[test]
    fn operations_are_said_of_their_processor() {
        let said = |operation: Operation| operation.to_string();
        assert_eq!(
            said(Operation::Add { operands: 3 }),
            "adds 3 of its operands"
        );
        assert_eq!(said(Operation::Receive { from: 1 }), "receives from 1");
        assert_eq!(
            said(Operation::Combine { from: 1 }),
            "adds the partial sum of 1"
        );
        assert_eq!(said(Operation::Send { to: 0 }), "sends to 0");
    }

    #[test]
    fn programs_stand_one_after_the_other() {
        let mut schedule = Schedule::default();
        schedule.push(
            3,
            [
                Operation::Add { operands: 2 },
                Operation::Receive { from: 2 },
            ],
        );
        schedule.push(0, []);
        schedule.push(1, [Operation::Send { to: 0 }]);
        assert_eq!(schedule.processors(), 3);
        assert_eq!(
            schedule.program(0),
            [
                Operation::Add { operands: 2 },
                Operation::Receive { from: 2 }
            ]
        );
        assert!(schedule.program(1).is_empty());
        assert_eq!(schedule.program(2), [Operation::Send { to: 0 }]);
        assert_eq!([0, 1, 2].map(|p| schedule.operands(p)), [3, 0, 1]);
    }
}
