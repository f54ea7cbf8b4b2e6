//! Audits executions of every summation of the catalogue that are changed once, in every way of some kinds.
//!
//! An independent judge names all rules that a mutant breaks. The audit refuses each mutant for one of them, or the mutant breaks none and
//! ends when the judge says. `cargo test -p castbench-algorithms mutations -- --nocapture` prints the counts.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::logp::summation::problem::SUMMATIONS;
use crate::logp::summation::simulator::simulate;

/// An execution: the operands of each processor, and its operations with start and end.
#[derive(Debug, Clone)]
struct Executed {
    model: (u64, u64, u64),
    processors: Vec<(u64, Vec<Span>)>,
}

impl Executed {
    fn audit(&self) -> Result<u64, Violation> {
        let (L, o, g) = self.model;
        let (mut spans, mut ends, mut schedule) = (Vec::new(), Vec::new(), Schedule::default());
        for (operands, own) in &self.processors {
            schedule.push(*operands, own.iter().map(|span| span.operation));
            spans.extend(own.iter().copied());
            ends.push(spans.len());
        }
        let operands: u64 = self.processors.iter().map(|processor| processor.0).sum();
        let sum = (0..operands).map(|index| u128::from(value(index))).sum();
        audit(
            LogP::new(L, o, g).unwrap(),
            &schedule,
            &Trace {
                finish: 0,
                sum,
                spans,
                ends,
            },
        )
    }

    fn all(&self) -> impl Iterator<Item = (u32, &Span)> {
        (0..)
            .zip(&self.processors)
            .flat_map(|(p, own)| own.1.iter().map(move |span| (p, span)))
    }

    /// The rules of time: durations, no overlap, gaps, arrivals, capacity.
    fn judge_times(&self, broken: &mut BTreeSet<&'static str>) {
        let (L, o, g) = self.model;
        for (_, own) in &self.processors {
            for span in own {
                let takes = match span.operation {
                    Operation::Add { operands } => operands,
                    Operation::Combine { .. } => 1,
                    Operation::Receive { .. } | Operation::Send { .. } => o,
                };
                broken.extend(
                    (span.end.checked_sub(span.start) != Some(takes)).then_some("Duration"),
                );
            }
            broken.extend(
                own.windows(2)
                    .any(|pair| pair[1].start < pair[0].end)
                    .then_some("Overlap"),
            );
            let receives: Vec<u64> = own
                .iter()
                .filter(|s| matches!(s.operation, Operation::Receive { .. }))
                .map(|s| s.start)
                .collect();
            broken.extend(
                receives
                    .windows(2)
                    .any(|pair| pair[1] < pair[0] + g)
                    .then_some("Gap"),
            );
        }
        let sends = || {
            self.all().filter_map(|(from, span)| match span.operation {
                Operation::Send { to } => Some((from, to, span.start + o)),
                _ => None,
            })
        };
        for (p, span) in self.all() {
            if let Operation::Receive { from: named } = span.operation {
                let early = sends().any(|(from, to, entered)| {
                    (from, to) == (named, p) && span.start < entered + L
                });
                broken.extend(early.then_some("Early"));
            }
        }
        let most = if g.max(o) == 0 {
            u64::MAX
        } else {
            L.div_ceil(g.max(o))
        };
        let is_full = |(_, receiver, at): (u32, u32, u64)| {
            sends()
                .filter(|&(_, to, entered)| to == receiver && entered <= at && at - entered < L)
                .count() as u64
                > most
        };
        broken.extend(sends().any(is_full).then_some("Capacity"));
    }

    /// The rules of messages and sums: each is sent once, received once and added once, and nothing follows the send.
    fn judge_sums(&self, broken: &mut BTreeSet<&'static str>) {
        let P = u32::try_from(self.processors.len()).unwrap();
        let count = |wanted: &dyn Fn(u32, Operation) -> bool| {
            self.all().filter(|(p, s)| wanted(*p, s.operation)).count()
        };
        for (p, span) in self.all() {
            let other = match span.operation {
                Operation::Add { .. } => continue,
                Operation::Receive { from } | Operation::Combine { from } => from,
                Operation::Send { to } => to,
            };
            broken.extend((other == p).then_some("ToItself"));
            broken.extend((other >= P).then_some("NoSuchNode"));
            let sends_here = count(&|own, op| own == other && op == Operation::Send { to: p });
            let sends_at_all =
                count(&|own, op| own == other && matches!(op, Operation::Send { .. }));
            if let Operation::Receive { from } = span.operation {
                broken.extend((sends_at_all == 0).then_some("Deadlock"));
                broken.extend((sends_at_all > 0 && sends_here == 0).then_some("NotAddressed"));
                let receives = count(&|_, op| op == Operation::Receive { from });
                broken.extend((receives > 1).then_some("Twice"));
            }
            if let Operation::Send { to } = span.operation {
                broken.extend(
                    (count(&|q, op| q == to && op == Operation::Receive { from: p }) == 0)
                        .then_some("Unread"),
                );
            }
        }
        for (p, (operands, own)) in (0u32..).zip(&self.processors) {
            let mut in_hand: BTreeSet<u32> = BTreeSet::new();
            let mut added = 0;
            let mut has_sent = false;
            for span in own {
                let needs_a_sum = !matches!(span.operation, Operation::Receive { .. });
                broken.extend((has_sent || needs_a_sum && *operands == 0).then_some("NotHeld"));
                match span.operation {
                    Operation::Add { operands } => added += operands,
                    Operation::Receive { from } => _ = in_hand.insert(from),
                    Operation::Combine { from } => {
                        broken.extend((!in_hand.remove(&from)).then_some("NotReceived"))
                    }
                    Operation::Send { .. } => has_sent = true,
                }
            }
            broken.extend((!in_hand.is_empty()).then_some("NotCombined"));
            let due = operands.saturating_sub(1);
            broken.extend((added > due).then_some("NoOperand"));
            broken.extend((added < due).then_some("NotAdded"));
            broken.extend((p > 0 && *operands > 0 && !has_sent).then_some("Kept"));
            broken.extend((p == 0 && (has_sent || *operands == 0)).then_some("NoResult"));
        }
    }

    fn judge(&self) -> Result<u64, BTreeSet<&'static str>> {
        let mut broken = BTreeSet::new();
        self.judge_times(&mut broken);
        self.judge_sums(&mut broken);
        let end = self.processors[0].1.last().map_or(0, |span| span.end);
        if broken.is_empty() {
            Ok(end)
        } else {
            Err(broken)
        }
    }

    /// Moves an operation without changing how long it takes.
    fn moved(&mut self, p: usize, index: usize, start: u64) {
        let span = &mut self.processors[p].1[index];
        (span.start, span.end) = (start, start + (span.end - span.start));
    }

    fn mutants(&self) -> Vec<(&'static str, Self)> {
        let mut mutants = Vec::new();
        let mut with = |kind, change: &dyn Fn(&mut Self)| {
            let mut mutant = self.clone();
            change(&mut mutant);
            mutants.push((kind, mutant));
        };
        for p in 0..self.processors.len() {
            for (index, &span) in self.processors[p].1.iter().enumerate() {
                let (early, close) = match span.operation {
                    Operation::Receive { .. } => (
                        "a receive one unit too early",
                        "a receive before its message",
                    ),
                    Operation::Send { .. } => {
                        ("a send one unit too early", "a send before its sum is done")
                    }
                    Operation::Add { .. } | Operation::Combine { .. } => (
                        "an addition one unit too early",
                        "an addition before the one before it",
                    ),
                };
                if span.start > 0 {
                    with(early, &|mutant| mutant.moved(p, index, span.start - 1));
                }
                for start in 0..span.start.saturating_sub(1) {
                    with(close, &|mutant| mutant.moved(p, index, start));
                }
                with("an operation one unit later", &|mutant| {
                    mutant.moved(p, index, span.start + 1)
                });
                with("an operation that takes longer", &|mutant| {
                    mutant.processors[p].1[index].end += 1
                });
                if span.end > span.start {
                    with("an operation that takes less", &|mutant| {
                        mutant.processors[p].1[index].end -= 1
                    });
                }
                with("an operation left out", &|mutant| {
                    _ = mutant.processors[p].1.remove(index)
                });
                with("an operation twice", &|mutant| {
                    let end = mutant.processors[p].1.last().map_or(0, |span| span.end) + 1000;
                    let again = Span {
                        start: end,
                        end: end + (span.end - span.start),
                        ..span
                    };
                    mutant.processors[p].1.push(again);
                });
            }
        }
        // Two receives with nothing between, from the end of the first to the end of its gap.
        for p in 0..self.processors.len() {
            let own = &self.processors[p].1;
            let receives: Vec<usize> = (0..own.len())
                .filter(|&index| matches!(own[index].operation, Operation::Receive { .. }))
                .collect();
            for pair in receives.windows(2) {
                for start in own[pair[0]].end..own[pair[0]].start + self.model.2 {
                    with("two receives too close", &|mutant| {
                        mutant.moved(p, pair[1], start);
                        mutant.processors[p].1.drain(pair[0] + 1..pair[1]);
                    });
                }
            }
        }
        // All that a processor receives was sent at one time.
        with("a network too full", &|mutant| {
            let receives = mutant.processors[0]
                .1
                .iter()
                .filter_map(|span| match span.operation {
                    Operation::Receive { from } => Some(from as usize),
                    _ => None,
                });
            let senders: Vec<usize> = receives.collect();
            let last = |mutant: &Self, p: usize| mutant.processors[p].1.len() - 1;
            let starts: Vec<u64> = senders
                .iter()
                .map(|&p| mutant.processors[p].1[last(mutant, p)].start)
                .collect();
            let latest = starts.into_iter().max().unwrap_or(0);
            for p in senders {
                mutant.moved(p, last(mutant, p), latest);
            }
            mutant.processors[0]
                .1
                .iter_mut()
                .for_each(|span| (span.start, span.end) = (span.start + 1000, span.end + 1000));
        });
        mutants
    }
}

#[test]
fn every_mutated_execution_is_refused_or_legal() {
    let mut counts: BTreeMap<(&str, String), u64> = BTreeMap::new();
    for (L, o, g) in [
        (5, 2, 4),
        (4, 3, 1),
        (1, 0, 3),
        (0, 1, 0),
        (4, 0, 0),
        (7, 1, 7),
    ] {
        let model = LogP::new(L, o, g).unwrap();
        for entry in SUMMATIONS.entries {
            let summation = entry.algorithm;
            for (P, operands) in [(1, 3), (2, 9), (4, 30), (6, 50), (7, 83), (9, 12), (9, 100)] {
                // The paper's tree needs enough of them.
                let Ok(schedule) = summation.schedule(model, P, operands) else {
                    continue;
                };
                let trace = simulate(model, &schedule).unwrap();
                let of = |p| (schedule.operands(p), trace.spans(p).to_vec());
                let original = Executed {
                    model: (L, o, g),
                    processors: (0..P).map(of).collect(),
                };
                assert_eq!(
                    (original.audit().ok(), original.judge().ok()),
                    (Some(trace.finish), Some(trace.finish))
                );
                for (kind, mutant) in original.mutants() {
                    let verdict = match (mutant.audit(), mutant.judge()) {
                        (Ok(said), Ok(judged)) if said == judged => "legal".to_string(),
                        (Err(violation), Err(broken)) => {
                            let named = format!("{:?}", violation.rule);
                            assert!(
                                broken.contains(&*named),
                                "{kind}: {violation:?}, broken are {broken:?}: {mutant:?}"
                            );
                            named
                        }
                        (said, judged) => {
                            panic!("{kind}: said {said:?}, judged {judged:?}: {mutant:?}")
                        }
                    };
                    *counts.entry((kind, verdict)).or_default() += 1;
                }
            }
        }
    }
    for ((kind, verdict), count) in &counts {
        println!("summation audit | {kind} | {verdict} {count}");
    }
    // Processors of the catalogue are busy until they receive, so what is too early overlaps; a message is not there
    // yet where its sender is later.
    let expected: [(&str, &[&str]); 13] = [
        ("a network too full", &["Capacity", "legal"]),
        ("a receive before its message", &["Overlap"]),
        ("a receive one unit too early", &["Overlap"]),
        ("a send before its sum is done", &["Overlap"]),
        ("a send one unit too early", &["Overlap"]),
        ("an addition before the one before it", &["Overlap"]),
        ("an addition one unit too early", &["Overlap"]),
        (
            "an operation left out",
            &["Deadlock", "NotAdded", "NotCombined", "NotReceived"],
        ),
        (
            "an operation one unit later",
            &["Capacity", "Early", "Overlap", "legal"],
        ),
        ("an operation that takes less", &["Duration"]),
        ("an operation that takes longer", &["Duration"]),
        (
            "an operation twice",
            &["NoOperand", "NotHeld", "NotReceived", "Twice"],
        ),
        ("two receives too close", &["Gap"]),
    ];
    let expected = expected
        .iter()
        .flat_map(|(kind, verdicts)| verdicts.iter().map(move |verdict| (*kind, *verdict)));
    assert!(
        expected.eq(counts
            .keys()
            .map(|(kind, verdict)| (*kind, verdict.as_str()))),
        "{counts:?}"
    );
}
