//! The event engine on random programs with dependencies, against a slow clock that ticks through every unit of time.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

mod random;

use std::collections::BTreeMap;
use std::ops::Range;

use algorithms::engine::builder::Builder;
use algorithms::engine::program::{MAX_OPERATIONS, Operation, Program, Until};
use algorithms::engine::{self, Failure, Fault, Machine};
use algorithms::logp::LogP;
use algorithms::logp::loggops::LogGops;
use proptest::prelude::*;

/// A program as it is written, before it is checked.
#[derive(Debug, Clone)]
struct Written {
    processors: u32,
    /// Of each processor.
    operations: Vec<Vec<Step>>,
}

/// What, on which cpu and nic, and for which earlier ones in its list it waits.
type Step = (Operation, (u8, u8), Vec<(usize, Until)>);

impl Written {
    fn build(&self) -> Result<Program, Fault> {
        let mut builder = Builder::new(self.processors)?;
        for (processor, operations) in (0u32..).zip(&self.operations) {
            builder.begin(processor)?;
            let mut numbers = Vec::new();
            for (operation, place, waits) in operations {
                let number = builder.push_on(*operation, *place)?;
                for &(earlier, until) in waits {
                    builder.depend(number, numbers[earlier], until)?;
                }
                numbers.push(number);
            }
        }
        builder.by_dependencies()
    }
}

/// Small programs that can be executed.
fn programs() -> impl Strategy<Value = Written> {
    programs_of(2..5, 1..24)
}

/// Any programs that can be executed: messages and computations are dealt out in an order in which they could happen one
/// by one, and an operation depends only on earlier ones of its processor.
fn programs_of(processors: Range<u32>, steps: Range<usize>) -> impl Strategy<Value = Written> {
    let last = processors.end - 1;
    let step = (any::<bool>(), 0..last, 0..last, 0u32..2, 1u64..4, (0u8..2, 0u8..2), (0u8..2, 0u8..2), any::<u64>());
    (processors, prop::collection::vec(step, steps)).prop_map(|(processors, steps)| {
        let mut written = Written { processors, operations: vec![Vec::new(); processors as usize] };
        for (is_message, a, b, tag, size, first_place, second_place, bits) in steps {
            let (a, b) = (a % processors, b % processors);
            let mut add = |processor: u32, operation, place, bits: u64| {
                let operations = &mut written.operations[processor as usize];
                let count = operations.len();
                // Up to three of the operations so far; two bits in three ask for none.
                let waits = (0..3).map(|i| bits >> (8 * i)).filter(|bits| bits & 3 == 0 && count > 0);
                let until = |bits: u64| if bits & 4 == 0 { Until::Done } else { Until::Started };
                let waits = waits.map(|bits| (usize::try_from(bits >> 3 & 31).unwrap() % count, until(bits))).collect();
                operations.push((operation, place, waits));
            };
            if is_message {
                // One size for each channel, so that no receive is too small, whatever overtakes what.
                let bytes = 1 + 7 * u64::from(tag);
                add(a, Operation::Send { to: b, tag, bytes }, first_place, bits);
                add(b, Operation::Receive { from: a, tag, bytes }, second_place, bits >> 32);
            } else {
                add(a, Operation::Compute { time: size - 1 }, first_place, bits);
            }
        }
        written
    })
}

/// Begins and ends as the rules say, found by a clock that ticks: at each time, on each processor, again and again the
/// first operation of its list that may begin. `None` where nothing happens any more.
fn by_the_clock(machine: Machine, written: &Written) -> Option<Vec<Vec<(u64, u64)>>> {
    let count: usize = written.operations.iter().map(Vec::len).sum();
    let mut spans: Vec<Vec<Option<(u64, u64)>>> =
        written.operations.iter().map(|operations| vec![None; operations.len()]).collect();
    let mut cpu = BTreeMap::new();
    let mut gap = BTreeMap::new();
    // By (from, to, tag): arrivals in the order of the sends; receives in the order in which they were ready.
    let mut arrivals: BTreeMap<(u32, u32, u32), Vec<u64>> = BTreeMap::new();
    let mut ready: BTreeMap<(u32, u32, u32), Vec<usize>> = BTreeMap::new();
    let mut done = 0;
    for now in 0..5000 {
        for (processor, operations) in (0u32..).zip(&written.operations) {
            loop {
                let free = |i: usize, spans: &[Vec<Option<(u64, u64)>>]| {
                    operations[i].2.iter().all(|&(earlier, until)| match spans[processor as usize][earlier] {
                        None => false,
                        Some((start, end)) => (if until == Until::Done { end } else { start }) <= now,
                    })
                };
                // First whoever is ready now gets its place among the receives of its channel.
                let waiting = |i: usize, spans: &[Vec<Option<(u64, u64)>>]| {
                    spans[processor as usize][i].is_none() && free(i, spans)
                };
                for (i, (operation, ..)) in operations.iter().enumerate() {
                    if let Operation::Receive { from, tag, .. } = *operation {
                        let queue = ready.entry((from, processor, tag)).or_default();
                        if waiting(i, &spans) && !queue.contains(&i) {
                            queue.push(i);
                        }
                    }
                }
                let mut chosen = None;
                for (i, (operation, place, _)) in operations.iter().enumerate() {
                    if !waiting(i, &spans) {
                        continue;
                    }
                    if let Operation::Receive { from, tag, .. } = *operation {
                        let channel = (from, processor, tag);
                        let position = ready[&channel].iter().position(|&receive| receive == i).unwrap();
                        let arrived = arrivals.get(&channel).and_then(|times| times.get(position));
                        if arrived.is_none_or(|&time| time > now) {
                            continue;
                        }
                    }
                    let direction = match operation {
                        Operation::Compute { .. } => 0,
                        Operation::Send { .. } => 1,
                        Operation::Receive { .. } => 2,
                    };
                    let busy = cpu.get(&(processor, place.0)).is_some_and(|&until| until > now);
                    let spaced = gap.get(&(processor, place.1, direction)).is_none_or(|&until| until <= now);
                    if !busy && spaced {
                        chosen = Some((i, direction));
                        break;
                    }
                }
                let Some((i, direction)) = chosen else { break };
                let (operation, place, _) = &operations[i];
                let end = match *operation {
                    Operation::Compute { time } => now + time,
                    Operation::Send { to, tag, bytes } => {
                        let model = machine.at(bytes).unwrap();
                        gap.insert((processor, place.1, direction), now + model.g());
                        let arrival = now + model.o() + model.L();
                        arrivals.entry((processor, to, tag)).or_default().push(arrival);
                        now + model.o()
                    }
                    Operation::Receive { bytes, .. } => {
                        let model = machine.at(bytes).unwrap();
                        gap.insert((processor, place.1, direction), now + model.g());
                        now + model.o()
                    }
                };
                cpu.insert((processor, place.0), end);
                spans[processor as usize][i] = Some((now, end));
                done += 1;
            }
        }
        if done == count {
            return spans.into_iter().map(|spans| spans.into_iter().collect()).collect();
        }
    }
    None
}

/// Holds a program against the clock.
fn check_by_the_clock(machine: Machine, written: &Written) {
    let program = written.build().unwrap();
    let mut starts = Vec::new();
    let outcome = engine::observe(machine, &program, |operation, start| starts.push((operation, start)));
    match (by_the_clock(machine, written), outcome) {
        (Some(spans), Ok(outcome)) => {
            starts.sort_unstable();
            let expected: Vec<u64> = spans.iter().flatten().map(|span| span.0).collect();
            assert_eq!(starts.iter().map(|start| start.1).collect::<Vec<_>>(), expected);
            let ends: Vec<u64> = spans.iter().map(|spans| spans.iter().map(|span| span.1).max().unwrap_or(0)).collect();
            assert_eq!(&outcome.ends, &ends);
            assert_eq!(Some(outcome.finish), ends.iter().copied().max());
        }
        // Receives that are ready early can take the messages of others, and stop a program that could run.
        (None, Err(Failure::Program(Fault::Deadlock { .. }))) => {}
        (clock, engine) => panic!("by the clock {clock:?}, the engine {engine:?}"),
    }
}

/// When everything begins and ends in a program without its dependencies, each operation after the one before it, all on
/// one cpu and nic. With a spare processor, on two cpus, the whole program is executed as one with several ports.
fn in_order(
    machine: Machine,
    written: &Written,
    place: (u8, u8),
    spare: bool,
) -> (bool, Vec<Option<u64>>, Result<engine::Completion, Failure>) {
    let mut builder = Builder::new(written.processors + u32::from(spare)).unwrap();
    let mut count = 0;
    for (processor, operations) in (0u32..).zip(&written.operations) {
        builder.begin(processor).unwrap();
        for (operation, ..) in operations {
            builder.push_on(*operation, place).unwrap();
            count += 1;
        }
    }
    if spare {
        builder.begin(written.processors).unwrap();
        for cpu in 0..2 {
            builder.push_on(Operation::Compute { time: 0 }, (cpu, 0)).unwrap();
        }
    }
    let program = builder.in_order().unwrap();
    let mut starts = vec![None; program.operations()];
    let mut outcome = engine::observe(machine, &program, |operation, start| starts[operation as usize] = Some(start));
    starts.truncate(count);
    if let Ok(outcome) = &mut outcome {
        outcome.ends.truncate(written.operations.len());
    }
    (program.is_in_order(), starts, outcome)
}

proptest! {
    #![proptest_config(random::cases(200, 60_802))]

    /// Programs of many operations a processor, beyond what is looked at at once.
    #[test]
    fn long_programs_run_as_by_the_clock(written in programs_of(1..3, 100..250), L in 0u64..6, o in 0u64..4, g in 0u64..6) {
        prop_assume!(L + o > 0);
        check_by_the_clock(Machine::LogP(LogP::new(L, o, g).unwrap()), &written);
    }
}

proptest! {
    #![proptest_config(random::cases(1000, 60_803))]

    /// What runs in order takes the same times without a clock and by events, with one port or several.
    #[test]
    fn in_order_and_by_events_agree(written in programs_of(1..40, 1..400), L in 0u64..1000, o in 0u64..100, g in 0u64..1000, G in 0u64..9) {
        prop_assume!(L + o > 0);
        let machine = Machine::LogGops(LogGops { L, o, g, G: G * 1000, O: 300, H: 0 });
        let (is_in_order, starts, outcome) = in_order(machine, &written, (0, 0), false);
        prop_assert!(is_in_order && outcome.is_ok() && starts.iter().all(Option::is_some));
        for (place, spare) in [((3, 7), false), ((0, 0), true)] {
            let (is_in_order, by_events, outcome_by_events) = in_order(machine, &written, place, spare);
            prop_assert!(!is_in_order);
            prop_assert_eq!(&by_events, &starts);
            prop_assert_eq!(&outcome_by_events, &outcome);
        }
    }
}

proptest! {
    #![proptest_config(random::cases(3000, 60_804))]
    #[test]
    fn random_programs_run_as_by_the_clock(written in programs(), L in 0u64..6, o in 0u64..4, g in 0u64..6, G in 0u64..3, sized in any::<bool>()) {
        prop_assume!(L + o > 0);
        let machine = if sized {
            Machine::LogGops(LogGops { L, o, g, G: G * 1000, O: 300, H: 0 })
        } else {
            Machine::LogP(LogP::new(L, o, g).unwrap())
        };
        check_by_the_clock(machine, &written);
    }
}

#[test]
fn more_processors_than_the_engine_can_number_are_refused() {
    let processors = Builder::new(MAX_OPERATIONS + 1).err();
    assert_eq!(processors, Some(Fault::TooLarge { what: "processors", most: MAX_OPERATIONS.into() }));
}
