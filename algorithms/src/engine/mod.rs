//! Executes any program under the rules of LogP: sends, receives and computations in order or by dependencies, several ports. It
//! knows the model and no algorithm.
//!
//! Every operation begins as early as the rules allow:
//!
//! - its [dependencies](program::Until) have ended (or begun; for a receive: are posted); where programs run in order, the
//!   operation before it has ended;
//! - its cpu must be free: a computation occupies it for its time, a send and a receive for `o`;
//! - a send begins at least `g` after the last send of its nic. It is done after `o`, and arrives `L` later;
//! - a receive begins when its message has arrived, and at least `g` after the last receive of its nic began.
//!
//! `L`, `o` and `g` are those of a message of that size ([`Machine`]); a message of 0 bytes counts as one of 1 byte. The gap
//! between two sends is that of the earlier message, which leaves after its send began. The gap between two receives is that of
//! the later message, which arrives before its receive begins.
//!
//! **Gaps.** Sends are `g` apart and receives are `g` apart. There is no gap between a receive and a send, as in the trees here, in
//! the summation of Karp et al. and in LogGOPSim.
//!
//! **Ties.** Of the operations of a processor that could begin at the same time, the first one in its program begins. A message
//! takes `o + L >= 1`, so processors do not affect each other at one time, and times depend on program and machine alone.
//! LogGOPSim breaks ties by kind (and sorts unstably above 16 free operations), so it can find other times.
//!
//! **Posted together.** Where a [program says so](Program::posts_together), consecutive sends of a processor share its nic: their
//! messages arrive together, when the one would that arrives last.
//!
//! **Exchanges.** A turn of a processor are its sends up to the next receive, and its receives up to the next send. A message is
//! [exchanged](Program::is_exchanged) if its receiver sends one to its sender in the turn in which it receives it, and the sender
//! receives that one in the turn in which it sends. On a machine with x it takes longer.
//!
//! **Matching.** A receive is posted when its dependencies allow it; that occupies no cpu. Messages with the same sender, receiver
//! and tag are taken in the order in which their sends began, by the receives in the order of posting. At one time, receives whose
//! posting does not wait for an operation of that time come first, in the order of the program; a posted receive can let others be
//! posted before the next. On a processor with a receive from [any](program::ANY) sender or with any tag, MPI's rules hold: every
//! receive, in the order of posting, takes the fitting message whose first byte arrives first. That is `o + L` of one byte after
//! its send began, so no message overtakes another one of its sender. At one time messages come by sender, then in sending order.
//!
//! **Not modelled**, on purpose:
//!
//! - contention inside the network: a message takes `L`, whatever else is in transit;
//! - the capacity `ceil(L/g')`, except in [`run_within_capacity`]. Sends of one nic are `g'` apart and so never exceed it; more
//!   messages *to* one processor are accepted, and wait there;
//! - rendezvous: a send ends after `o`, whether the receive is ready or not;
//! - overhead before the receive is ready: LogGOPSim spends it when the message arrives;
//! - cpu time of arriving bytes: a message arrives with its last byte. LogGOPSim occupies the receiver's cpu from the first byte on,
//!   and overlaps `(s-1)O` with `(s-1)G`. The gap `g + (s-1)G` of a nic is the same in both.
//!
//! `docs/model.md` has the smallest schedule for each difference to LogGOPSim, and `tests/loggopsim.rs` executes them by both rules.
//!
//! **Time.** Programs in order need no clock (`in_order`). Otherwise (`events`) a processor runs on while no unknown message can
//! come in between. It waits in a queue only if a ready receive without its message could overtake other ready operations. Both
//! take time linear in operations, messages and dependencies, except for the logarithms of priority queues.
//!
//! **Memory.** Beside the program (12 bytes per operation and 8 per processor), in order: 44 bytes per processor that receives one
//! message; a processor that never waits touches 16 of them. By events: 57 bytes; with several ports 32, and 8 for each cpu,
//! direction of a nic and message. In addition 4 bytes per operation where some wait for several others (12 with several ports, or
//! where receives are posted in order of time), 24 per coming operation and 16 per processor in the queue. `cargo bench --bench
//! engine` shows the growth, the examples `engine_memory` and `engine_first_run` memory and the cost of a fresh process.
//!
//! Every execution ends: a program that cannot continue is a [`Fault`].

pub mod builder;
mod capacity;
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
mod shared;
mod step;
mod times;
pub mod waits;

use crate::error::Error;
use crate::logp::{Levels, LogP, Profile};
pub use builder::Builder;
pub use capacity::run_within_capacity;
pub use fault::{Fault, Wait};
pub use program::{ANY, Operation, Program, Until};
pub(crate) use times::Begun;
pub use times::Completion;
use times::Cost;

/// What messages cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Machine {
    /// L, o and g for messages of any size.
    LogP(LogP),
    /// By their size in words of one small message each, sent as a train: LogGP with `G = g'`.
    Words(LogP),
    /// By their size, in nanoseconds, and by the level at which sender and receiver meet.
    LogGops(Profile),
}

impl Machine {
    /// The machine that messages of this size see, through the network where there are levels.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn at(&self, bytes: u64) -> Result<LogP, Error> {
        match self {
            Self::LogP(model) => Ok(*model),
            Self::Words(model) => train(*model, bytes.max(1)),
            Self::LogGops(model) => model.at(bytes.max(1)),
        }
    }

    /// The levels, where ranks are near or far.
    #[must_use]
    pub fn levels(&self) -> Option<&'static Levels> {
        if let Self::LogGops(profile) = self {
            profile.levels()
        } else {
            None
        }
    }

    /// The machine that messages of this size see at this level, in an exchange or not.
    ///
    /// # Errors
    /// Errors of [`Machine::at`].
    pub fn of_message(self, level: usize, bytes: u64, is_exchanged: bool) -> Result<LogP, Error> {
        match self.levels() {
            Some(levels) => levels.of_message(level, bytes, is_exchanged),
            None => self.at(bytes),
        }
    }

    /// The machine for K processors: flat where all of them are equally near.
    #[must_use]
    pub fn of_ranks(self, K: u64) -> Self {
        if let Self::LogGops(profile) = self {
            Self::LogGops(profile.of_ranks(K))
        } else {
            self
        }
    }

    /// A machine on which no message takes longer.
    #[must_use]
    pub fn fastest(self) -> Self {
        if let Self::LogGops(profile) = self {
            Self::LogGops(profile.fastest().into())
        } else {
            self
        }
    }

    /// Whether a send of the smallest message takes its sender no time.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.at(1).is_ok_and(|model| model.gap() == 0)
    }

    /// The machine that messages of this size see, of a machine profile only.
    #[must_use]
    pub fn profile_at(&self, bytes: u64) -> Option<LogP> {
        matches!(self, Self::LogGops(_))
            .then(|| self.at(bytes).ok())
            .flatten()
    }
}

/// The machine for a train of this number s of words: the last one arrives `L + (s-1)g'` later, and the port is busy for `s*g'`.
fn train(model: LogP, words: u64) -> Result<LogP, Error> {
    let gap = model.gap();
    let L = (words - 1)
        .checked_mul(gap)
        .and_then(|behind| model.L().checked_add(behind));
    match (L, words.checked_mul(gap)) {
        (Some(L), Some(gap)) => LogP::new(L, model.o(), gap),
        _ => Err(Error::Overflow),
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
/// # use castbench_algorithms::internals::engine::{Machine, run};
/// # use castbench_algorithms::internals::engine::schedules::multicast;
/// # use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
/// # use castbench_algorithms::logp::LogP;
/// let program = multicast(&Schedule::new(3, 1, &[(1, 2), (1, 3)])?, 1)?;
/// let outcome = run(Machine::LogP(LogP::new(6, 2, 4)?), &program)?;
/// // The source is done with its second send after 4 + 2, the last receiver after 4 + 10.
/// assert_eq!((outcome.ends, outcome.finish), (vec![6, 10, 14], 14));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(machine: Machine, program: &Program) -> Result<Completion, Failure> {
    observe_each(machine, program, |_| {})
}

/// Executes a program and calls `started` with the number and the start of each operation, after the operations that it waited
/// for, otherwise in any order.
///
/// # Errors
/// Errors of [`run`].
pub fn observe(
    machine: Machine,
    program: &Program,
    mut started: impl FnMut(u32, u64),
) -> Result<Completion, Failure> {
    observe_messages(machine, program, |begun| {
        started(begun.operation, begun.start)
    })
}

/// Whether a machine defines the times of a program: ranks share nics only in programs in order. What messages take longer that
/// cross is defined where operations have turns, or no two processors send to each other.
#[must_use]
pub fn is_defined(machine: Machine, program: &Program) -> bool {
    let Some(levels) = machine.levels().filter(|_| !program.is_in_order()) else {
        return true;
    };
    let crosses = || levels.has_exchange() && !program.has_turns && program.sends_both_ways();
    levels.nics().is_none() && !crosses()
}

/// Executes a program and calls `started` as [`observe`] does, also with the message of each operation.
pub(crate) fn observe_messages(
    machine: Machine,
    program: &Program,
    mut started: impl FnMut(Begun),
) -> Result<Completion, Failure> {
    // All observers share one copy of the engine, because each copy takes seconds to compile.
    observe_each(machine, program, &mut started as &mut dyn FnMut(Begun))
}

fn observe_each(
    machine: Machine,
    program: &Program,
    started: impl FnMut(Begun),
) -> Result<Completion, Failure> {
    let costs = costs(machine, program)?;
    if !is_defined(machine, program) {
        let expected = "expected one without `nics` and `x`: ranks share nics, and messages that cross take longer, only in \
                        programs in order with strict ports, one for each rank";
        return Err(Error::parameter("machine", "a machine with `nics` or `x`", expected).into());
    }
    if program.together && !program.is_in_order() {
        let expected = "expected 1: sends that are posted together share one port";
        return Err(Error::parameter("k", "several", expected).into());
    }
    if let Some((levels, nics)) = machine
        .levels()
        .and_then(|levels| Some((levels, levels.nics()?)))
    {
        return Ok(shared::run(program, &costs, (levels, nics), started)?);
    }
    // A machine that cannot carry one byte carries no message.
    let first_byte = |size| {
        let model = machine.of_message(program.level(size) as usize, 1, false);
        model.map_or(0, |model| model.o().saturating_add(model.L()))
    };
    let first_bytes: Vec<u64> = if program.receives_any() {
        (0..)
            .zip(&program.sizes)
            .map(|(size, _)| first_byte(size))
            .collect()
    } else {
        Vec::new()
    };
    Ok(events::run(program, &costs, &first_bytes, started)?)
}

/// The costs of a message of each size and level, in the order in which the program numbers them.
fn costs(machine: Machine, program: &Program) -> Result<Vec<Cost>, Error> {
    // Computed at most once: many sizes can be too large for the machine.
    let mut sent = None;
    let cost = |(size, _): (u32, &u64)| match program.model(machine, size) {
        Ok(model) => Ok(Cost {
            L: model.L(),
            o: model.o(),
            g: model.g(),
        }),
        Err(error) if sent.get_or_insert_with(|| program.sent_sizes())[size as usize] => Err(error),
        // A size that only receives have costs nothing.
        Err(_) => Ok(Cost { L: 0, o: 0, g: 0 }),
    };
    (0..).zip(&program.sizes).map(cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_the_error_of_its_machine_or_program() {
        let refused = Error::parameter("bytes", 1, "expected 2");
        assert_eq!(Error::from(Failure::Machine(refused.clone())), refused);
        assert_eq!(
            Error::from(Failure::Program(Fault::NotBegun)),
            Fault::NotBegun.into()
        );
    }
}
