//! Executes any programs under the rules of LogP: sends, receives and computation in any order or by dependencies, any
//! number of messages, several ports. Knows the model and nothing of the algorithms.
//!
//! Every operation begins as early as the rules let it:
//!
//! - it waits until what it [depends](program::Until) on is done (or has begun; of a receive, is posted), and
//!   where programs run in order for the operation before it;
//! - its cpu must be free: a computation occupies it for its time, a send and a receive for `o`;
//! - a send begins at least `g` after the last send of its nic. It is done after `o`, and arrives `L` later;
//! - a receive begins when its message has arrived, and at least `g` after the last receive of its nic.
//!
//! `L`, `o` and `g` are those of a message of that size ([`Machine`]); a message of no bytes counts as one of one byte.
//!
//! **Does the gap separate a receive from a send?** No: sends are `g` apart, receives are `g` apart, a receive and a send
//! are not, as in our trees, in the summation of Karp et al., and in LogGOPSim, which keeps a gap for each direction of a
//! nic. Simulators with one gap for both give more.
//!
//! **How are ties broken?** Of the operations of a processor that could begin at the same time, the one that stands first
//! in its program begins, and keeps its cpu until it is over. Processors cannot disturb each other at one time, for a
//! message takes `o + L >= 1` to arrive. So the times depend on the program and the machine alone. LogGOPSim breaks ties by
//! kind (and sorts unstably above 16 free operations): where a program leaves the order open, it may find other times.
//!
//! **Which receive takes which message?** A receive is posted when it depends on nothing any more, whether its message is there or
//! not; that occupies no cpu. Messages with the same sender, receiver and tag are taken in the order in which their sends began, by
//! the receives in the order in which they were posted. Of those that could be posted at one time, the ones that nothing begun at that
//! time lets be posted come first, and of these the one that stands first in its program; it may let others be posted before the next.
//! A receive from [any](program::ANY) sender or with any tag competes by MPI's rules: every receive of that processor, in the
//! order of posting, takes the message that fits whose first byte arrives first. That is `o + L` of one byte after its send began, so
//! no message overtakes another one of its sender. At one time they come by sender, then in the order of sending.
//!
//! **What is left out**, on purpose:
//!
//! - no contention inside the network: a message takes `L` whatever else is under way;
//! - the capacity `ceil(L/g')` is not enforced. Sends of one nic keep it by themselves, being `g'` apart; that many
//!   messages *to* one processor are let through, and wait there;
//! - no rendezvous: a send is done after `o`, whether the receive is ready or not;
//! - the overhead of a receive is spent when the program gets there. LogGOPSim spends it when the message arrives, even
//!   if that comes before the receive is ready;
//! - bytes that arrive occupy no cpu: a message is there with its last byte. LogGOPSim occupies the cpu of the receiver
//!   from the first byte on, and overlaps `(s-1)O` with `(s-1)G`. The gap `g + (s-1)G` of a nic is the same in both,
//!   but here that between two receives begins with the last byte of the first one, and there with its first byte.
//!
//! `docs/model.md` has the smallest schedule for each difference to LogGOPSim, and `tests/loggopsim.rs` executes them
//! by the rules of both.
//!
//! **What does it cost?** Where all programs run in order, times follow without a clock (`in_order`). Else (`events`) a
//! processor runs on as long as nothing that is not known can come between, and waits in a queue of spans of time only
//! where a receive is ready whose message is not sent yet and which could overtake what else is ready; programs without
//! such a competition never see the queue. Both take time linear in operations, messages and dependencies, but for the
//! logarithms of the priority queues, of what a processor has coming and of the spans that are waited for.
//!
//! Beside the program (12 bytes an operation and 8 a processor) an execution in order takes 44 bytes a processor that
//! receives one message, of which one that runs through without a wait within its program touches 16. By events it takes
//! 57; with several ports 32, 8 for each cpu and for each direction of a nic, and 8 for each message. To that come 4 bytes
//! an operation where some wait for several others (12 with several ports, or where receives are posted in order of time), 24 for each operation that is coming and 16 for
//! each processor that waits in the queue. `cargo bench --bench engine` shows the growth, the examples `engine_memory` and
//! `engine_first_run` the memory and what a fresh process pays.
//!
//! An execution ends: what cannot go on is a [`Fault`].

pub mod builder;
mod classes;
mod coming;
mod dependencies;
mod events;
pub mod fault;
mod in_order;
mod inbox;
mod mail;
mod matching;
mod ports;
pub mod program;
mod queue;
mod ready;
pub mod schedules;
mod several;
mod step;
mod times;
pub mod waits;

use crate::error::Error;
use crate::logp::LogP;
use crate::logp::loggops::LogGops;
pub use fault::{Fault, Wait};
use program::Program;
pub use times::Completion;
use times::Cost;

/// What messages cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Machine {
    /// The same, whatever their size.
    LogP(LogP),
    /// By their size in words of one small message each, sent as a train: LogGP with `G = g'`.
    Words(LogP),
    /// By their size, in nanoseconds.
    LogGops(LogGops),
}

impl Machine {
    /// The machine that messages of this size see.
    ///
    /// # Errors
    /// [`Error::Parameter`] where a time does not fit in 64 bits.
    pub fn at(&self, bytes: u64) -> Result<LogP, Error> {
        match self {
            Self::LogP(model) => Ok(*model),
            Self::Words(model) => train(*model, bytes.max(1)),
            Self::LogGops(model) => model.at(bytes.max(1)),
        }
    }
}

/// The machine that a train of so many words sees: `L + (s-1)g'` until the last one is there, and `s*g'` for the port.
fn train(model: LogP, words: u64) -> Result<LogP, Error> {
    let gap = model.gap();
    let L = (words - 1).checked_mul(gap).and_then(|behind| model.L().checked_add(behind));
    match (L, words.checked_mul(gap)) {
        (Some(L), Some(gap)) => LogP::new(L, model.o(), gap),
        _ => {
            Err(Error::parameter("n", words, "expected a message whose time fits in 64 bits; use a coarser time unit"))
        }
    }
}

/// Why there is no time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine has no times for a message of some size.
    #[error(transparent)]
    Machine(#[from] Error),
    /// The program cannot be executed.
    #[error(transparent)]
    Program(#[from] Fault),
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Machine(error) => error,
            Failure::Program(fault) => fault.into(),
        }
    }
}

/// Executes a program on a machine.
///
/// # Errors
/// A [`Fault`] for programs that wait for each other, for a message larger than its receive and for times that do not
/// fit in 64 bits; the error of the machine for a message that it cannot carry.
///
/// ```
/// # use castbench_algorithms::engine::{run, Machine, schedules::multicast};
/// # use castbench_algorithms::logp::{LogP, multicast::schedule::Schedule};
/// let program = multicast(&Schedule::new(3, 1, &[(1, 2), (1, 3)]), 1)?;
/// let outcome = run(Machine::LogP(LogP::new(6, 2, 4)?), &program)?;
/// // The source is done with its second send after 4 + 2, the last receiver after 4 + 10.
/// assert_eq!((outcome.ends, outcome.finish), (vec![6, 10, 14], 14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(machine: Machine, program: &Program) -> Result<Completion, Failure> {
    observe(machine, program, |_, _| {})
}

/// Executes a program and tells of each operation, by its number, when it began. An operation is told of after those that
/// it waited for, in no other order.
///
/// # Errors
/// As [`run`].
pub fn observe(machine: Machine, program: &Program, mut started: impl FnMut(u32, u64)) -> Result<Completion, Failure> {
    observe_messages(machine, program, |operation, start, _| started(operation, start))
}

/// As [`observe`], and tells of each send and receive the number of the message, which is the same for both.
pub(crate) fn observe_messages(
    machine: Machine,
    program: &Program,
    started: impl FnMut(u32, u64, u32),
) -> Result<Completion, Failure> {
    let costs = costs(machine, program)?;
    // A machine that cannot carry one byte carries no message.
    let first_byte = machine.at(1).map_or(0, |model| model.o().saturating_add(model.L()));
    Ok(events::run(program, &costs, first_byte, started)?)
}

/// The costs of a message of each size, in the order in which the program numbers them.
fn costs(machine: Machine, program: &Program) -> Result<Vec<Cost>, Error> {
    // Looked up once for all sizes, for each of many may be too large for the machine.
    let mut sent = None;
    let cost = |(size, &bytes): (usize, &u64)| match machine.at(bytes) {
        Ok(model) => Ok(Cost { L: model.L(), o: model.o(), g: model.g() }),
        Err(error) if sent.get_or_insert_with(|| program.sent_sizes())[size] => Err(error),
        // The room of a receive costs nothing, however large.
        Err(_) => Ok(Cost { L: 0, o: 0, g: 0 }),
    };
    program.sizes.iter().enumerate().map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_the_error_of_its_machine_or_program() {
        let refused = Error::parameter("bytes", 1, "expected 2");
        assert_eq!(Error::from(Failure::Machine(refused.clone())), refused);
        assert_eq!(Error::from(Failure::Program(Fault::NotBegun)), Fault::NotBegun.into());
    }
}
