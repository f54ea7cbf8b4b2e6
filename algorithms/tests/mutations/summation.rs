//! Summation schedules, for the simulator, which adds numbers, and its audit.
//!
//! `logp/summation/audit/tests.rs` has executions that begin too early.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use castbench_algorithms::internals::engine::Fault;
use castbench_algorithms::internals::logp::summation::problem::SUMMATIONS;
use castbench_algorithms::internals::logp::summation::schedule::{Operation, Schedule};
use castbench_algorithms::internals::logp::summation::simulator::execute;
use castbench_algorithms::internals::violation;
use castbench_algorithms::internals::violation::Violation;
use castbench_algorithms::logp::LogP;

use super::{Judged, LEGAL, Mutants, Tally};

#[derive(Debug, Clone)]
struct Written {
    model: (u64, u64, u64),
    processors: Processors,
}

/// The operands and the program of each processor.
type Processors = Vec<(u64, Vec<Operation>)>;

/// A processor in the judge.
#[derive(Debug, Clone, Default)]
struct Processor {
    next: usize,
    clock: u64,
    last_receive: Option<u64>,
    operands_left: u64,
    /// The number of operands in its partial sum; none if it holds nothing.
    holds: u64,
    received: BTreeMap<u32, u64>,
    has_sent: bool,
}

/// A message, by sender: receiver, arrival, entry into the network, number of operands.
type Sent = BTreeMap<u32, (u32, u64, u64, u64)>;

impl Written {
    fn run(&self) -> Result<u64, Box<dyn Debug>> {
        let (L, o, g) = self.model;
        let mut schedule = Schedule::default();
        for (operands, program) in &self.processors {
            schedule.push(*operands, program.iter().copied());
        }
        let executed = execute(LogP::new(L, o, g).unwrap(), &schedule).map(|trace| trace.finish);
        executed.map_err(|error| match violation::<Violation>(&error) {
            Some(broken) => Box::new(broken.clone()) as Box<dyn Debug>,
            None => Box::new(
                violation::<Fault>(&error)
                    .expect("a rule or a fault")
                    .clone(),
            ),
        })
    }

    /// Runs the programs in turn until none can continue, and counts operands instead of adding them.
    fn judge(&self) -> Judged<u64> {
        let P = u32::try_from(self.processors.len()).unwrap();
        let mut broken = BTreeSet::new();
        let start = |&(operands, _): &(u64, Vec<Operation>)| Processor {
            operands_left: operands.saturating_sub(1),
            holds: operands.min(1),
            ..Processor::default()
        };
        let mut all: Vec<Processor> = self.processors.iter().map(start).collect();
        let mut sent = Sent::new();
        let mut entered: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
        let mut is_going_on = true;
        while std::mem::take(&mut is_going_on) {
            for p in 0..P {
                let program = &self.processors[p as usize].1;
                while let Some(&operation) = program.get(all[p as usize].next) {
                    match self.step(
                        p,
                        P,
                        operation,
                        &mut all[p as usize],
                        &mut sent,
                        &mut entered,
                    ) {
                        Ok(true) => is_going_on = true,
                        Ok(false) => break,
                        // Its later operations are ignored; others may wait for it, or break rules too.
                        Err(rule) => {
                            broken.insert(rule);
                            break;
                        }
                    }
                    all[p as usize].next += 1;
                }
            }
        }
        for (p, own) in (0u32..).zip(&all) {
            if let Some(&Operation::Receive { from }) = self.processors[p as usize].1.get(own.next)
            {
                broken.extend(
                    (from != p && from < P && !sent.contains_key(&from)).then_some("Deadlock"),
                );
            }
        }
        let count = |p: u32, operation| {
            let program = self
                .processors
                .get(p as usize)
                .map_or(&[][..], |own| &own.1);
            program.iter().filter(|&&own| own == operation).count()
        };
        let pairs = (0..P).flat_map(|from| (0..P).map(move |to| (from, to)));
        let is_unmatched = |(from, to)| {
            count(from, Operation::Send { to }) != count(to, Operation::Receive { from })
        };
        broken.extend(pairs.into_iter().any(is_unmatched).then_some("Unmatched"));
        // The rest, after all programs ran to their end.
        if !broken.is_empty() {
            return Err(broken);
        }
        for (p, own) in (0u32..).zip(&all) {
            broken.extend((own.operands_left > 0).then_some("NotAdded"));
            broken.extend((!own.received.is_empty()).then_some("NotCombined"));
            broken.extend((p > 0 && own.holds > 0).then_some("Kept"));
        }
        broken.extend(
            sent.values()
                .any(|message| message.3 > 0)
                .then_some("Unread"),
        );
        broken.extend((all[0].holds == 0).then_some("NoResult"));
        let (L, o, g) = self.model;
        if g.max(o) > 0 {
            let most = usize::try_from(L.div_ceil(g.max(o))).unwrap();
            let is_full = |times: &Vec<u64>, at: u64| {
                times
                    .iter()
                    .filter(|&&time| time <= at && at - time < L)
                    .count()
                    > most
            };
            let full = entered
                .values()
                .any(|times| times.iter().any(|&at| is_full(times, at)));
            broken.extend(full.then_some("Capacity"));
        }
        if !broken.is_empty() {
            return Err(broken);
        }
        let operands: u64 = self.processors.iter().map(|processor| processor.0).sum();
        assert_eq!(
            all[0].holds, operands,
            "whatever keeps the rules adds all operands"
        );
        Ok(all[0].clock)
    }

    /// Executes an operation if that is possible now, or returns the rule that it breaks.
    fn step(
        &self,
        p: u32,
        P: u32,
        operation: Operation,
        own: &mut Processor,
        sent: &mut Sent,
        entered: &mut BTreeMap<u32, Vec<u64>>,
    ) -> Result<bool, &'static str> {
        let (L, o, g) = self.model;
        let other = match operation {
            Operation::Add { .. } => None,
            Operation::Receive { from } | Operation::Combine { from } => Some(from),
            Operation::Send { to } => Some(to),
        };
        if other == Some(p) {
            return Err("ToItself");
        }
        if other.is_some_and(|other| other >= P) {
            let is_message = !matches!(operation, Operation::Combine { .. });
            return Err(if is_message {
                "NoSuchProcessor"
            } else {
                "NoSuchNode"
            });
        }
        match operation {
            Operation::Add { operands } => {
                if own.holds == 0 {
                    return Err("NotHeld");
                }
                own.operands_left = own.operands_left.checked_sub(operands).ok_or("NoOperand")?;
                own.holds += operands;
                own.clock += operands;
            }
            Operation::Receive { from } => {
                let Some(message) = sent.get_mut(&from) else {
                    return Ok(false);
                };
                let (to, arrival, entry, operands) = *message;
                if to != p {
                    return Err("NotAddressed");
                }
                if operands == 0 {
                    return Err("Twice");
                }
                message.3 = 0;
                let start = own
                    .clock
                    .max(arrival)
                    .max(own.last_receive.map_or(0, |last| last + g));
                own.last_receive = Some(start);
                own.clock = start + o;
                own.received.insert(from, operands);
                entered.entry(p).or_default().push(entry);
            }
            Operation::Combine { from } => {
                let Some(operands) = own.received.remove(&from) else {
                    return Err("NotReceived");
                };
                if own.holds == 0 {
                    return Err("NotHeld");
                }
                own.holds += operands;
                own.clock += 1;
            }
            Operation::Send { to } => {
                if own.holds == 0 || own.has_sent {
                    return Err("NotHeld");
                }
                own.clock += o;
                sent.insert(p, (to, own.clock + L, own.clock, own.holds));
                own.holds = 0;
                own.has_sent = true;
            }
        }
        Ok(true)
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Mutants::new(self);
        let mut with = |kind, change: &dyn Fn(&mut Processors)| {
            mutants.with(kind, |mutant| change(&mut mutant.processors))
        };
        let P = u32::try_from(self.processors.len()).unwrap();
        for p in 0..P as usize {
            let (operands, program) = &self.processors[p];
            with("an operand more", &|all| all[p].0 += 1);
            if *operands > 0 {
                with("an operand lost", &|all| all[p].0 -= 1);
                with("a node left out", &|all| all[p].1.clear());
            }
            for index in 0..program.len() {
                let operation = program[index];
                let dropped = match operation {
                    Operation::Add { .. } => "additions left out",
                    Operation::Receive { .. } => "a receive left out",
                    Operation::Combine { .. } => "a partial sum lost",
                    Operation::Send { .. } => "a message dropped",
                };
                with(dropped, &|all| {
                    all[p].1.remove(index);
                });
                let twice = match operation {
                    Operation::Add { .. } => "operands added twice",
                    Operation::Receive { .. } => "a message received twice",
                    Operation::Combine { .. } => "a partial sum added twice",
                    Operation::Send { .. } => "a message sent twice",
                };
                with(twice, &|all| all[p].1.insert(index, operation));
                if index + 1 < program.len() {
                    with("two operations exchanged", &|all| {
                        all[p].1.swap(index, index + 1)
                    });
                }
                for other in 0..=P {
                    let changed = match operation {
                        Operation::Receive { from } if from != other => {
                            Operation::Receive { from: other }
                        }
                        Operation::Combine { from } if from != other => {
                            Operation::Combine { from: other }
                        }
                        Operation::Send { to } if to != other => Operation::Send { to: other },
                        _ => continue,
                    };
                    let kind = match operation {
                        Operation::Receive { .. } => "a receive from another",
                        Operation::Combine { .. } => "another's partial sum added",
                        _ => "a wrong receiver",
                    };
                    with(kind, &|all| all[p].1[index] = changed);
                }
            }
            // Each waits for the other's message.
            if let Some(&Operation::Send { to }) = program.last() {
                with("a ring of waits", &|all| {
                    let back = u32::try_from(p).unwrap();
                    all[p].1.insert(0, Operation::Receive { from: to });
                    all[to as usize].1.push(Operation::Send { to: back });
                });
            }
        }
        mutants.made
    }
}

#[test]
fn the_simulator_of_summation_catches_every_mutant() {
    let mut tally = Tally::new("summation simulator");
    for (L, o, g) in [
        (5, 2, 4),
        (4, 3, 1),
        (1, 0, 3),
        (0, 1, 0),
        (4, 0, 0),
        (7, 1, 2),
    ] {
        let model = LogP::new(L, o, g).unwrap();
        for entry in SUMMATIONS.entries {
            let summation = entry.algorithm;
            for (P, operands) in [
                (1, 3),
                (2, 9),
                (3, 14),
                (4, 30),
                (6, 50),
                (7, 83),
                (9, 12),
                (9, 100),
            ] {
                // The paper's tree needs enough operands.
                let Ok(schedule) = summation.schedule(model, P, operands) else {
                    continue;
                };
                let of = |p| (schedule.operands(p), schedule.program(p).to_vec());
                let original = Written {
                    model: (L, o, g),
                    processors: (0..P).map(of).collect(),
                };
                tally.hold_all(&original, original.mutants(), Written::run, Written::judge);
            }
        }
    }
    tally.finish(&[
        ("an operand more", &["NotAdded", "Kept"]),
        ("an operand lost", &["NoOperand", "NotHeld"]),
        ("additions left out", &["NotAdded"]),
        ("operands added twice", &["NoOperand"]),
        ("a receive left out", &["Unmatched"]),
        ("a receive from another", &["Unmatched", "NoSuchProcessor"]),
        ("a partial sum lost", &["NotCombined"]),
        ("a partial sum added twice", &["NotReceived"]),
        (
            "another's partial sum added",
            &["NoSuchNode", "NotReceived", "ToItself"],
        ),
        ("a message dropped", &["Unmatched"]),
        ("a message sent twice", &["Unmatched"]),
        ("a message received twice", &["Unmatched"]),
        ("a wrong receiver", &["Unmatched", "NoSuchProcessor"]),
        ("a node left out", &["Unmatched", "NotAdded"]),
        // Its own additions may stand before or after a receive: only the times change.
        (
            "two operations exchanged",
            &[LEGAL, "NotReceived", "NotHeld"],
        ),
        ("a ring of waits", &["Deadlock"]),
    ]);
}
