//! The event engine on random programs with dependencies, against a slow clock that steps through every unit of time.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod programs;
mod random;

use std::collections::BTreeMap;

use castbench_algorithms::internals::engine::Builder;
use castbench_algorithms::internals::engine::program::MAX_OPERATIONS;
use castbench_algorithms::internals::engine::{self, Failure, Fault, Machine};
use castbench_algorithms::internals::engine::{ANY, Operation, Until};
use castbench_algorithms::logp::LogGops;
use castbench_algorithms::logp::LogP;
use programs::{Step, Written, build, programs};
use proptest::prelude::*;

fn count(written: &Written) -> u32 {
    u32::try_from(written.len()).unwrap()
}

/// A sent message: sender, tag, size, and when its first and its last byte arrive.
#[derive(Debug, Clone, Copy)]
struct Sent {
    from: u32,
    tag: u32,
    bytes: u64,
    first: u64,
    last: u64,
}

/// A processor under the clock.
#[derive(Default)]
struct Clocked {
    spans: Vec<Option<(u64, u64)>>,
    /// When each receive was posted, and the message that it takes in.
    posted: Vec<Option<u64>>,
    taken: Vec<Option<Sent>>,
    /// The receives that wait in the order of posting, and the messages that wait in the order of arrival.
    receives: Vec<usize>,
    messages: Vec<Sent>,
    cpus: BTreeMap<u32, u64>,
    /// When the last operation of each direction of a nic began, and of a send when its gap is over.
    gaps: BTreeMap<(u32, u8), u64>,
}

fn fits(operation: Operation, message: &Sent) -> bool {
    let Operation::Receive { from, tag, .. } = operation else {
        return false;
    };
    (from == ANY || from == message.from) && (tag == ANY || tag == message.tag)
}

impl Clocked {
    fn new(operations: &[Step]) -> Self {
        let count = operations.len();
        Self {
            spans: vec![None; count],
            posted: vec![None; count],
            taken: vec![None; count],
            ..Self::default()
        }
    }

    fn is_free(&self, step: &Step, now: u64) -> bool {
        step.2.iter().all(|&(earlier, until)| match until {
            Until::Done => self.spans[earlier].is_some_and(|span| span.1 <= now),
            // For a receive: it is posted.
            Until::Started => self.posted[earlier]
                .or(self.spans[earlier].map(|span| span.0))
                .is_some_and(|at| at <= now),
        })
    }

    /// A message arrives: the first receive that was posted and fits gets it.
    fn arrive(&mut self, operations: &[Step], message: Sent) {
        match self
            .receives
            .iter()
            .position(|&receive| fits(operations[receive].0, &message))
        {
            Some(index) => self.taken[self.receives.remove(index)] = Some(message),
            None => self.messages.push(message),
        }
    }

    /// Posts receives one by one, the first of those that could be.
    fn post(&mut self, operations: &[Step], now: u64) {
        let is_receive = |i: usize| matches!(operations[i].0, Operation::Receive { .. });
        while let Some(receive) = (0..operations.len()).find(|&i| {
            is_receive(i) && self.posted[i].is_none() && self.is_free(&operations[i], now)
        }) {
            self.posted[receive] = Some(now);
            match self
                .messages
                .iter()
                .position(|message| fits(operations[receive].0, message))
            {
                Some(index) => self.taken[receive] = Some(self.messages.remove(index)),
                None => self.receives.push(receive),
            }
        }
    }

    /// The first operation that may begin.
    fn next(&self, machine: Machine, operations: &[Step], now: u64) -> Option<usize> {
        (0..operations.len()).find(|&i| {
            let (operation, (cpu, nic), _) = &operations[i];
            let is_there = match operation {
                Operation::Receive { .. } => {
                    self.taken[i].is_some_and(|message| message.last <= now)
                }
                _ => self.is_free(&operations[i], now),
            };
            let is_past = |time: Option<&u64>| time.is_none_or(|&until| until <= now);
            // The gap before a receive is that of its own message.
            let own = self.taken[i].map_or(0, |message| machine.at(message.bytes).unwrap().g());
            let port = self
                .gaps
                .get(&(*nic, direction(*operation)))
                .map(|&time| time + own);
            self.spans[i].is_none()
                && is_there
                && is_past(self.cpus.get(cpu))
                && is_past(port.as_ref())
        })
    }
}

fn direction(operation: Operation) -> u8 {
    match operation {
        Operation::Compute { .. } => 0,
        Operation::Send { .. } => 1,
        Operation::Receive { .. } => 2,
    }
}

/// The begin and end of each operation by the rules, with a clock: at each time messages arrive, then on each
/// processor, repeatedly, receives are posted and the first operation that may begin does so. `None` in a deadlock.
fn by_the_clock(machine: Machine, written: &Written) -> Option<Vec<Vec<(u64, u64)>>> {
    let mut left: usize = written.iter().map(Vec::len).sum();
    let mut all: Vec<Clocked> = written
        .iter()
        .map(|operations| Clocked::new(operations))
        .collect();
    let first_byte = machine.at(1).unwrap();
    let mut under_way: Vec<(usize, Sent)> = Vec::new();
    for now in 0..5000 {
        // In the order of sending; at one time by sender.
        under_way.sort_by_key(|(_, message)| (message.first, message.from));
        let later = under_way.partition_point(|(_, message)| message.first <= now);
        for (to, message) in under_way.drain(..later) {
            all[to].arrive(&written[to], message);
        }
        for (processor, operations) in written.iter().enumerate() {
            loop {
                let own = &mut all[processor];
                own.post(operations, now);
                let Some(i) = own.next(machine, operations, now) else {
                    break;
                };
                let (operation, (cpu, nic), _) = operations[i];
                let bytes = match operation {
                    Operation::Compute { .. } => None,
                    Operation::Send { bytes, .. } => Some(bytes),
                    Operation::Receive { .. } => Some(own.taken[i].unwrap().bytes),
                };
                let model = bytes.map(|bytes| machine.at(bytes).unwrap());
                let end = now
                    + model.map_or(0, |model| model.o())
                    + if let Operation::Compute { time } = operation {
                        time
                    } else {
                        0
                    };
                if let Operation::Send { to, tag, bytes } = operation {
                    let first = now + first_byte.o() + first_byte.L();
                    let last = end + model.unwrap().L();
                    let from = u32::try_from(processor).unwrap();
                    under_way.push((
                        to as usize,
                        Sent {
                            from,
                            tag,
                            bytes,
                            first,
                            last,
                        },
                    ));
                }
                if let Some(model) = model {
                    let after = if matches!(operation, Operation::Send { .. }) {
                        model.g()
                    } else {
                        0
                    };
                    own.gaps.insert((nic, direction(operation)), now + after);
                }
                own.cpus.insert(cpu, end);
                own.spans[i] = Some((now, end));
                left -= 1;
            }
        }
        if left == 0 {
            return all
                .into_iter()
                .map(|own| own.spans.into_iter().collect())
                .collect();
        }
    }
    None
}

/// Compares the engine with the clock on a program.
fn check_by_the_clock(machine: Machine, written: &Written) {
    let mut builder = Builder::new(count(written)).unwrap();
    build(written, &mut builder, 1, None);
    let program = builder.by_dependencies().unwrap();
    let mut starts = Vec::new();
    let outcome = engine::observe(machine, &program, |operation, start| {
        starts.push((operation, start))
    });
    match (by_the_clock(machine, written), outcome) {
        (Some(spans), Ok(outcome)) => {
            starts.sort_unstable();
            let expected: Vec<u64> = spans.iter().flatten().map(|span| span.0).collect();
            assert_eq!(
                starts.iter().map(|start| start.1).collect::<Vec<_>>(),
                expected
            );
            let ends: Vec<u64> = spans
                .iter()
                .map(|spans| spans.iter().map(|span| span.1).max().unwrap_or(0))
                .collect();
            assert_eq!(&outcome.ends, &ends);
            assert_eq!(Some(outcome.finish), ends.iter().copied().max());
        }
        // Receives that are posted early can take the messages of others, so that a program deadlocks.
        (None, Err(Failure::Program(Fault::Deadlock { .. }))) => {}
        (clock, engine) => panic!("by the clock {clock:?}, the engine {engine:?}"),
    }
}

/// When everything begins and ends in a program without its dependencies, each operation after the one before it, all
/// on one cpu and nic. With a spare processor, on two cpus, the whole program is executed as one with several ports.
fn in_order(
    machine: Machine,
    written: &Written,
    port: (u32, u32),
    spare: bool,
) -> (bool, Vec<Option<u64>>, Result<engine::Completion, Failure>) {
    let mut builder = Builder::new(count(written) + u32::from(spare)).unwrap();
    build(written, &mut builder, 1, Some(port));
    if spare {
        builder.begin(count(written)).unwrap();
        for cpu in 0..2 {
            builder
                .push_on(Operation::Compute { time: 0 }, (cpu, 0))
                .unwrap();
        }
    }
    let program = builder.in_order().unwrap();
    let mut starts = vec![None; program.operations()];
    let mut outcome = engine::observe(machine, &program, |operation, start| {
        starts[operation as usize] = Some(start)
    });
    starts.truncate(written.iter().map(Vec::len).sum());
    if let Ok(outcome) = &mut outcome {
        outcome.ends.truncate(written.len());
    }
    (program.is_in_order(), starts, outcome)
}

proptest! {
    #![proptest_config(random::cases(200, 60_802))]

    /// Programs with many operations per processor, more than the engine inspects at once.
    #[test]
    fn long_programs_run_as_by_the_clock(written in programs(1..3, 100..250, 0..3, 0..3), L in 0u64..6, o in 0u64..4, g in 0u64..6) {
        prop_assume!(L + o > 0);
        check_by_the_clock(Machine::LogP(LogP::new(L, o, g).unwrap()), &written);
    }
}

proptest! {
    #![proptest_config(random::cases(1000, 60_803))]

    /// Programs that run in order take the same times in order and by events, with one port or several.
    #[test]
    fn in_order_and_by_events_agree(written in programs(1..40, 1..400, 0..1, 0..3), L in 0u64..1000, o in 0u64..100, g in 0u64..1000, G in 0u64..9) {
        prop_assume!(L + o > 0);
        let machine = Machine::LogGops(LogGops { L, o, g, G: G * 1_000_000, O: 300_000, H: 0 }.into());
        let (is_in_order, starts, outcome) = in_order(machine, &written, (0, 0), false);
        prop_assert!(is_in_order && outcome.is_ok() && starts.iter().all(Option::is_some));
        for (port, spare) in [((3, 7), false), ((0, 0), true)] {
            let (is_in_order, by_events, outcome_by_events) = in_order(machine, &written, port, spare);
            prop_assert!(!is_in_order);
            prop_assert_eq!(&by_events, &starts);
            prop_assert_eq!(&outcome_by_events, &outcome);
        }
    }
}

proptest! {
    #![proptest_config(random::cases(3000, 60_804))]
    #[test]
    fn random_programs_run_as_by_the_clock(written in programs(2..5, 1..24, 0..3, 0..3), L in 0u64..6, o in 0u64..4, g in 0u64..6, G in 0u64..3, sized in any::<bool>()) {
        prop_assume!(L + o > 0);
        let machine = if sized {
            Machine::LogGops(LogGops { L, o, g, G: G * 1_000_000, O: 300_000, H: 0 }.into())
        } else {
            Machine::LogP(LogP::new(L, o, g).unwrap())
        };
        check_by_the_clock(machine, &written);
    }
}

#[test]
fn more_processors_than_the_engine_can_number_are_refused() {
    let processors = Builder::new(MAX_OPERATIONS + 1).err();
    assert_eq!(
        processors,
        Some(Fault::TooLarge {
            what: "processors",
            most: MAX_OPERATIONS.into()
        })
    );
}
