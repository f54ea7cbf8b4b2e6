//! What can go wrong when an algorithm is asked for its cost.

use crate::cost::LARGEST;
use crate::engine::{Failure, Fault};
use crate::logp::multicast::simulator::Violation;
use crate::logp::pipeline::simulator::Violation as SegmentViolation;
use crate::logp::summation::simulator as summation;
use crate::mesh::gossip::simulator::Violation as GossipViolation;
use crate::mesh::multicast::walk::WalkError;
use crate::mesh::wormhole::simulator::Violation as WormViolation;
use crate::multiport;

/// Why an algorithm has no answer at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A parameter lies outside what the model or the algorithm accepts.
    #[error("{symbol} = {value}: {expected}")]
    Parameter {
        /// The symbol of the parameter, as on the command line and in the configuration.
        symbol: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been accepted, and what to write instead.
        expected: String,
    },
    /// The cost is above [`LARGEST`].
    #[error("the cost does not fit in 64 bits (it is above {LARGEST}); use smaller values or a coarser unit of time")]
    Overflow,
    /// The simulator rejected the schedule: the algorithm broke a rule of its model.
    #[error("the simulator rejected the schedule: {0}")]
    Schedule(Violation),
    /// The simulator rejected the schedule of a summation.
    #[error("the simulator rejected the schedule: {0}")]
    Summation(summation::Violation),
    /// The mesh walker rejected the routes.
    #[error("the simulator rejected the routes: {0}")]
    Routes(#[from] WalkError),
    /// The gossip simulator rejected the schedule.
    #[error("the simulator rejected the schedule: {0}")]
    Gossip(#[from] GossipViolation),
    /// The wormhole simulator rejected the worms, or they are stuck.
    #[error("the simulator rejected the worms: {0}")]
    Worms(#[from] WormViolation),
    /// The simulator of the multiport model rejected the rounds.
    #[error("the simulator rejected the rounds: {0}")]
    Rounds(#[from] multiport::simulator::Violation),
    /// The engine rejected the programs of a pipelined broadcast.
    #[error("the simulator rejected the programs: {0}")]
    Program(Fault),
    /// What the messages of a pipelined broadcast carry is not what their senders hold, or not all.
    #[error("the simulator rejected the messages: {0}")]
    Segments(#[from] SegmentViolation),
    /// An algorithm was asked about a point of another problem.
    #[error("`{algorithm}` solves another problem than this point poses")]
    WrongProblem {
        /// The name in the catalogue.
        algorithm: &'static str,
    },
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        match violation {
            Violation::TimeOverflow => Self::Overflow,
            other => Self::Schedule(other),
        }
    }
}

impl From<summation::Violation> for Error {
    fn from(violation: summation::Violation) -> Self {
        match violation {
            summation::Violation::TimeOverflow => Self::Overflow,
            other => Self::Summation(other),
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::TimeOverflow { .. } => Self::Overflow,
            other => Self::Program(other),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Machine(error) => error,
            Failure::Program(fault) => fault.into(),
        }
    }
}

impl Error {
    pub(crate) fn parameter(symbol: &'static str, value: impl ToString, expected: impl Into<String>) -> Self {
        Self::Parameter { symbol, value: value.to_string(), expected: expected.into() }
    }
}

/// Narrows an exact cost to the 64 bits in which costs are reported.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit; a cost never wraps.
pub(crate) fn fit(cost: u128) -> Result<u64, Error> {
    u64::try_from(cost).map_err(|_| Error::Overflow)
}

#[cfg(test)]
mod tests;
