//! Summation under LogP, backwards from the end: the most operands that every schedule can sum by a time.
//!
//! **Enumerated.** At every whole time every processor may begin to receive, or to send, or neither; messages may wait
//! without limit. Backwards, an addition splits a value in two, a send gains a value, a receive loses one, and every
//! value at the beginning is an operand.
//!
//! **Why that is all.** Whole times suffice (see the head of this test). Values and processors need no names. One
//! restriction is used: a free processor with a value adds, because one of the two values may proceed as before, and
//! the other one stays until the beginning as one more operand. More is allowed than in the model (several messages of a processor, no limit of messages in
//! transit), so the result is a bound. castbench's schedules, which keep all rules, reach it.

use std::collections::BTreeSet;

use castbench_algorithms::internals::logp::summation::optimal;
use castbench_algorithms::internals::logp::summation::problem::{SUMMATIONS, SummationPoint};
use castbench_algorithms::logp::LogP;

use super::Effort;

/// A processor in a search that runs backwards from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Processor {
    /// How many values it holds. Backwards an addition makes two values of one.
    values: u8,
    /// For how long it is still busy with a message, and whether a value comes of that.
    busy: u8,
    gains: bool,
    /// How long until it may receive, and send, again.
    receive_in: u8,
    send_in: u8,
}

/// Processors in no order, since backwards nothing but the one value at the end tells them apart; and for each
/// message in the network in how long it may have been sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    processors: Vec<Processor>,
    messages: Vec<u8>,
}

impl State {
    fn new(mut processors: Vec<Processor>, mut messages: Vec<u8>) -> Self {
        processors.sort_unstable();
        messages.sort_unstable();
        Self {
            processors,
            messages,
        }
    }

    /// The states after one more processor begins, at this moment, to receive or to send; seen backwards.
    fn beginnings(&self, (L, o, g): (u8, u8, u8)) -> Vec<Self> {
        let mut states = Vec::new();
        for (p, processor) in self
            .processors
            .iter()
            .enumerate()
            .filter(|(_, processor)| processor.busy == 0)
        {
            let mut processors = self.processors.clone();
            if processor.values > 0 && processor.receive_in == 0 {
                processors[p] = Processor {
                    values: processor.values - 1,
                    busy: o,
                    receive_in: g,
                    ..*processor
                };
                let messages = self.messages.iter().copied().chain([o + L]).collect();
                states.push(Self::new(processors.clone(), messages));
            }
            if self.messages.first() == Some(&0) && processor.send_in == 0 {
                let values = processor.values + u8::from(o == 0);
                processors[p] = Processor {
                    values,
                    busy: o,
                    gains: o > 0,
                    send_in: g,
                    ..*processor
                };
                states.push(Self::new(processors, self.messages[1..].to_vec()));
            }
        }
        states
    }

    /// One unit of time before: a processor that is not busy and holds a value has added, for that is never worse than to idle.
    fn unit(&self) -> Self {
        let processors = self.processors.iter().map(|processor| {
            let busy = processor.busy.saturating_sub(1);
            let gained = if processor.busy == 0 {
                processor.values > 0
            } else {
                processor.gains && busy == 0
            };
            Processor {
                values: processor.values + u8::from(gained),
                busy,
                gains: processor.gains && busy > 0,
                receive_in: processor.receive_in.saturating_sub(1),
                send_in: processor.send_in.saturating_sub(1),
            }
        });
        Self::new(
            processors.collect(),
            self.messages
                .iter()
                .map(|wait| wait.saturating_sub(1))
                .collect(),
        )
    }
}

/// The most operands that P processors can sum by 0, 1, 2, ..., and the number of states.
fn by_exhaustion(model: (u8, u8, u8), P: usize, end: u8) -> (Vec<u8>, usize) {
    let idle = Processor {
        values: 0,
        busy: 0,
        gains: false,
        receive_in: 0,
        send_in: 0,
    };
    let mut processors = vec![idle; P];
    processors[0].values = 1;
    let mut states = BTreeSet::from([State::new(processors, Vec::new())]);
    let mut most = Vec::new();
    let mut met = 0;
    for _ in 0..=end {
        met += states.len();
        let done = states.iter().filter(|state| state.messages.is_empty());
        let done =
            done.filter(|state| state.processors.iter().all(|processor| processor.busy == 0));
        most.push(
            done.map(|state| {
                state
                    .processors
                    .iter()
                    .map(|processor| processor.values)
                    .sum()
            })
            .max()
            .unwrap(),
        );
        let mut begun = states.clone();
        let mut pending: Vec<State> = states.into_iter().collect();
        while let Some(state) = pending.pop() {
            pending.extend(
                state
                    .beginnings(model)
                    .into_iter()
                    .filter(|next| begun.insert(next.clone())),
            );
        }
        states = begun.iter().map(State::unit).collect();
    }
    (most, met)
}

#[test]
fn no_schedule_sums_more_than_the_formula() {
    let mut effort = Effort::default();
    for (L, o) in (0..=4)
        .flat_map(|L| (0..=3).map(move |o| (L, o)))
        .filter(|(L, o)| L + o > 0)
    {
        for g in 0..=5 {
            let model = LogP::new(L.into(), o.into(), g.into()).unwrap();
            for (P, end) in [(2u8, 8 + 3 * o), (3, 7 + 3 * o), (4, 6 + 3 * o)] {
                let (most, states) = by_exhaustion((L, o, g), P.into(), end);
                effort.add(states);
                for (t, &most) in (0..).zip(&most) {
                    assert_eq!(
                        optimal::summed_by(model, P.into(), t),
                        Ok(most.into()),
                        "{model:?} P={P} t={t}"
                    );
                }
                for operands in 1..=most[most.len() - 1] {
                    let least = most.iter().position(|&most| most >= operands).unwrap() as u64;
                    let reaching = effort.hold(
                        &SUMMATIONS,
                        SummationPoint {
                            model,
                            P: P.into(),
                            operands: operands.into(),
                        },
                        least,
                    );
                    assert!(
                        reaching.contains(&"summation-optimal"),
                        "{model:?} P={P} N={operands}"
                    );
                }
            }
        }
    }
    effort.tell("summation, backwards");
}
