//! What the time of a program is spent on: the parts of a critical path.

use super::super::program::Program;
use super::super::{Failure, Machine};
use super::{Costs, Terms, Waits};
use crate::error::Error;
use crate::logp::Levels;

/// What the time on a critical path is spent on, in the time unit of the machine. The parts sum to the time: nothing waits on a
/// critical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// Messages of one byte or word on their way: L.
    pub latency: u64,
    /// Processors send and receive: o, and O for each further byte.
    pub overhead: u64,
    /// Ports wait for the next message: g.
    pub gap: u64,
    /// The further bytes or words of messages, on their way and in ports: G and H.
    pub bandwidth: u64,
    /// Processors combine or compute.
    pub computation: u64,
}

/// The parts of the least time `until` from the start of a program to an operation that ends then; none if none ends then.
///
/// Where the program ends later, what it does after that time does not count. Times are those of an execution: each message is
/// rounded up to 1 ns on a machine profile. Takes time linear in the operations.
///
/// # Errors
/// Errors of the engine.
///
/// ```
/// use castbench_algorithms::internals::engine::Machine;
/// use castbench_algorithms::internals::engine::schedules::multicast;
/// use castbench_algorithms::internals::engine::waits::{Parts, parts};
/// use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
/// use castbench_algorithms::logp::LogP;
///
/// // Two sends of the source: the second is over after a gap and a hop, 4 + 10.
/// let program = multicast(&Schedule::new(3, 1, &[(1, 2), (1, 3)])?, 1)?;
/// let found = parts(Machine::LogP(LogP::new(6, 2, 4)?), &program, 14)?;
/// assert_eq!(found, Some(Parts { latency: 6, overhead: 4, gap: 4, ..Parts::default() }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parts(machine: Machine, program: &Program, until: u64) -> Result<Option<Parts>, Failure> {
    if program.is_posted_together() {
        let expected = "expected an algorithm that sends one by one; remove `:posted`";
        return Err(Error::parameter("algorithm", "posted", expected).into());
    }
    if machine.levels().is_some_and(Levels::has_ranges) {
        let expected = "expected one without [[sizes]] and `x`: parts are known where each byte takes as long as the one before";
        return Err(Error::parameter("machine", "a machine with ranges of sizes", expected).into());
    }
    if until == 0 {
        return Ok(Some(Parts::default()));
    }
    // Each part is a parameter of value 1, and the last one the unit of time.
    let ones = (vec![1; 5], 1);
    let at_level = |level: u32| {
        machine.levels().map_or(machine, |levels| {
            Machine::LogGops((*levels.at(level as usize)).into())
        })
    };
    let waits = Waits::new(machine, program, ones, |size| {
        costs(at_level(program.level(size)), program.sizes[size as usize])
    })?;
    let (path, terms, computation, _) = waits.path(&waits.here(0)?, until.into());
    let [latency, overhead, gap, bandwidth, ..] = terms[..] else {
        return Ok(None);
    };
    Ok((!path.is_empty()).then_some(Parts {
        latency,
        overhead,
        gap,
        bandwidth,
        computation,
    }))
}

/// The costs of a message as the engine has them, in parts. A size that the machine cannot carry is not sent.
fn costs(machine: Machine, bytes: u64) -> Costs {
    let times = |bytes| {
        machine
            .at(bytes)
            .map_or([0; 3], |model| [model.L(), model.o(), model.g()])
    };
    let ([L, o, g], [first, _, gap]) = (times(bytes), times(1));
    let sum = |latency, overhead, gap, bandwidth| -> Vec<Terms> {
        vec![vec![latency, overhead, gap, bandwidth, 0]]
    };
    Costs {
        L: sum(first.min(L), 0, 0, L.saturating_sub(first)),
        o: sum(0, o, 0, 0),
        g: sum(0, 0, gap.min(g), g.saturating_sub(gap)),
    }
}
