//! Summation under LogP, forwards and without restriction: every schedule for a given number of operands.
//!
//! **Enumerated.** Every distribution of the operands. Then, at every whole time, every processor that is not busy may
//! begin to add two of the values it holds (one unit), to send one of them (`o`, if its last send began `g` ago or
//! longer), to receive one that has arrived (`o`, if its last receive began `g` ago or longer), or do nothing. That
//! ends when a single value is left: with every addition there is one less, and none is ever lost, so that is the sum
//! of all.
//!
//! **Why that is all.** Whole times suffice (see the head of this test). Values need no names: only their number
//! determines when one is left. Processors need no names: the holder of the last value is processor 0. More is allowed
//! than in the model: a processor may hold and send several values, and the capacity of the network is not limited. So
//! the result is a lower bound for the model. castbench's schedules, which keep all its rules, reach it.
//!
//! [`summation`](super::summation) searches backwards and further, and no processor idles that could add.

use std::collections::HashSet;

use castbench_algorithms::internals::logp::summation::optimal;
use castbench_algorithms::internals::logp::summation::problem::{LogpSummation, Point};
use castbench_algorithms::logp::LogP;

use super::Effort;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Processor {
    values: u8,
    /// For how long it is busy, and whether it has a value more then: the sum of two, or one received.
    busy: u8,
    gains: bool,
    send_in: u8,
    receive_in: u8,
}

/// Processors, and for each message in how long it has arrived where; both sorted, so that a message names its receiver
/// by standing with it.
type State = Vec<(Processor, Vec<u8>)>;

#[derive(Clone, Copy)]
struct Machine {
    L: u8,
    o: u8,
    g: u8,
}

fn sorted(mut state: State) -> State {
    state.iter_mut().for_each(|(_, coming)| coming.sort_unstable());
    state.sort_unstable();
    state
}

impl Machine {
    /// All that one processor may begin at this moment.
    fn beginnings(self, state: &State) -> Vec<State> {
        let Self { L, o, g } = self;
        let mut found = Vec::new();
        for p in (0..state.len()).filter(|&p| state[p].0.busy == 0) {
            let (own, coming) = &state[p];
            if own.values >= 2 {
                let mut after = state.clone();
                after[p].0 = Processor { values: own.values - 2, busy: 1, gains: true, ..*own };
                found.push(sorted(after));
            }
            if own.receive_in == 0 && coming.first() == Some(&0) {
                let mut after = state.clone();
                after[p].0 =
                    Processor { values: own.values + u8::from(o == 0), busy: o, gains: o > 0, receive_in: g, ..*own };
                after[p].1.remove(0);
                found.push(sorted(after));
            }
            if own.send_in == 0 && own.values > 0 {
                for q in (0..state.len()).filter(|&q| q != p) {
                    let mut after = state.clone();
                    after[p].0 = Processor { values: own.values - 1, busy: o, send_in: g, ..*own };
                    after[q].1.push(o + L);
                    found.push(sorted(after));
                }
            }
        }
        found
    }
}

/// One unit of time later.
fn tick(state: &State) -> State {
    let less = |wait: u8| wait.saturating_sub(1);
    let after = |(own, coming): &(Processor, Vec<u8>)| {
        let busy = less(own.busy);
        let gained = own.gains && busy == 0;
        let own = Processor {
            values: own.values + u8::from(gained),
            busy,
            gains: own.gains && busy > 0,
            send_in: less(own.send_in),
            receive_in: less(own.receive_in),
        };
        (own, coming.iter().map(|&wait| less(wait)).collect())
    };
    sorted(state.iter().map(after).collect())
}

/// All ways to deal operands out to processors.
fn dealt(operands: u8, P: usize) -> Vec<Vec<u8>> {
    if P == 1 {
        return vec![vec![operands]];
    }
    let first = |first: u8| {
        dealt(operands - first, P - 1).into_iter().map(move |rest| std::iter::once(first).chain(rest).collect())
    };
    (0..=operands).flat_map(first).collect()
}

/// The least time to sum the operands, and the number of states.
fn by_exhaustion(machine: Machine, P: usize, operands: u8) -> (u64, usize) {
    let start = |values: Vec<u8>| {
        sorted(values.into_iter().map(|values| (Processor { values, ..Processor::default() }, Vec::new())).collect())
    };
    let mut states: HashSet<State> = dealt(operands, P).into_iter().map(start).collect();
    let mut met = 0;
    let is_one = |state: &State| {
        let here: u8 = state.iter().map(|(own, _)| own.values).sum();
        here == 1 && state.iter().all(|(own, coming)| !own.gains && coming.is_empty())
    };
    for now in 0.. {
        met += states.len();
        if states.iter().any(is_one) {
            return (now, met);
        }
        let mut pending: Vec<State> = states.iter().cloned().collect();
        while let Some(state) = pending.pop() {
            for next in machine.beginnings(&state) {
                if !states.contains(&next) {
                    states.insert(next.clone());
                    pending.push(next);
                }
            }
        }
        states = states.iter().map(tick).collect();
    }
    unreachable!("time goes on")
}

#[test]
fn no_schedule_sums_sooner() {
    let mut effort = Effort::default();
    let machines = (0..=2u8).flat_map(|L| (0..=2u8).flat_map(move |o| (0..=3u8).map(move |g| Machine { L, o, g })));
    for machine in machines.filter(|machine| machine.L + machine.o > 0) {
        for (P, most) in [(1, 6), (2, 8), (3, 6)] {
            for operands in 1..=most {
                let (least, states) = by_exhaustion(machine, P, operands);
                effort.add(states);
                let model = LogP::new(machine.L.into(), machine.o.into(), machine.g.into()).unwrap();
                let (P, operands) = (P as u64, u64::from(operands));
                assert_eq!(optimal::time(model, P, operands), Ok(least), "{model:?} P={P} N={operands}");
                let reaching = effort.hold::<LogpSummation>(Point { model, P, operands }, least);
                assert!(reaching.contains(&"summation-optimal"), "{model:?} P={P} N={operands}: {reaching:?}");
            }
        }
    }
    effort.tell("summation, forwards");
}
