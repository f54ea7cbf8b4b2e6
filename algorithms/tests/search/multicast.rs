//! Multicast under LogP: every schedule of one message to K processors.
//!
//! **Enumerated.** At every whole time every processor that is not busy may begin a send to any other, if it holds the
//! message and its last send began `g` ago or longer; may begin to receive a message that has arrived, if its last
//! receive began `g` ago or longer; may do nothing. A send and a receive occupy it for `o` each, a message is in
//! transit for `L` and may wait for its receiver without limit; at most `ceil(L/g')` are in transit from, and to, one
//! processor. Nothing is assumed about trees, receivers or waits.
//!
//! **Why that is all.** Whole times suffice (see the head of this test). A state ignores the names of processors,
//! because only the number that hold the message matters. No message goes to a processor that has the
//! message or will receive it: of several only the first is kept, and none to the source. Leaving out a message and its
//! receive keeps every rule, because rules only limit distances and numbers.

use std::collections::HashSet;

use castbench_algorithms::internals::logp::multicast::optimal;
use castbench_algorithms::internals::logp::multicast::problem::{LogpMulticastPoint, MULTICASTS};
use castbench_algorithms::logp::LogP;

use super::Effort;

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Processor {
    holds: bool,
    /// The time for which it is busy with an overhead, and whether that is of a receive.
    busy: u8,
    receives: bool,
    /// The times until it may begin to send, and to receive, again.
    send_in: u8,
    receive_in: u8,
    /// The time until arrival of each message to it.
    coming: Vec<u8>,
    /// The time until arrival of each message from it that is in transit.
    leaving: Vec<u8>,
}

type State = Vec<Processor>;

#[derive(Clone, Copy)]
struct Machine {
    L: u8,
    o: u8,
    g: u8,
}

impl Machine {
    /// All that one processor may begin at this moment.
    fn beginnings(self, state: &State) -> Vec<State> {
        let Self { L, o, g } = self;
        let mut found = Vec::new();
        for p in (0..state.len()).filter(|&p| state[p].busy == 0) {
            if state[p].receive_in == 0
                && let Some(index) = state[p].coming.iter().position(|&wait| wait == 0)
            {
                let mut after = state.clone();
                let own = &mut after[p];
                own.coming.remove(index);
                (own.busy, own.receives, own.receive_in) = (o, o > 0, g);
                own.holds |= o == 0;
                found.push(sorted(after));
            }
            if !state[p].holds || state[p].send_in > 0 {
                continue;
            }
            for q in (0..state.len()).filter(|&q| q != p) {
                let other = &state[q];
                if other.holds || other.receives || !other.coming.is_empty() {
                    continue;
                }
                let mut after = state.clone();
                (after[p].busy, after[p].send_in) = (o, g);
                after[p].leaving.push(o + L);
                after[q].coming.push(o + L);
                found.push(sorted(after));
            }
        }
        found
    }

    /// Whether no more are in transit than the network takes: a message is from when its sender's overhead is over.
    fn within_capacity(self, state: &State) -> bool {
        let Self { L, o, g } = self;
        let most = if g.max(o) == 0 {
            u8::MAX
        } else {
            L.div_ceil(g.max(o))
        };
        let in_transit = |waits: &[u8]| waits.iter().filter(|&&wait| 0 < wait && wait <= L).count();
        state
            .iter()
            .all(|p| in_transit(&p.coming).max(in_transit(&p.leaving)) <= most.into())
    }
}

fn sorted(mut state: State) -> State {
    for processor in &mut state {
        processor.coming.sort_unstable();
        processor.leaving.sort_unstable();
    }
    state.sort_unstable();
    state
}

/// One unit of time later.
fn tick(state: &State) -> State {
    let less = |wait: u8| wait.saturating_sub(1);
    let after = |processor: &Processor| {
        let busy = less(processor.busy);
        Processor {
            holds: processor.holds || processor.receives && busy == 0,
            busy,
            receives: processor.receives && busy > 0,
            send_in: less(processor.send_in),
            receive_in: less(processor.receive_in),
            coming: processor.coming.iter().map(|&wait| less(wait)).collect(),
            leaving: processor
                .leaving
                .iter()
                .map(|&wait| less(wait))
                .filter(|&wait| wait > 0)
                .collect(),
        }
    };
    sorted(state.iter().map(after).collect())
}

/// The least time in which K processors hold the message, and the number of states.
fn by_exhaustion(machine: Machine, K: usize) -> (u64, usize) {
    let mut start = vec![Processor::default(); K];
    start[0].holds = true;
    let mut states = HashSet::from([sorted(start)]);
    let mut met = 0;
    for now in 0.. {
        let mut pending: Vec<State> = states.iter().cloned().collect();
        while let Some(state) = pending.pop() {
            for next in machine.beginnings(&state) {
                if !states.contains(&next) {
                    states.insert(next.clone());
                    pending.push(next);
                }
            }
        }
        met += states.len();
        if states
            .iter()
            .any(|state| state.iter().all(|processor| processor.holds))
        {
            return (now, met);
        }
        states = states
            .iter()
            .filter(|state| machine.within_capacity(state))
            .map(tick)
            .collect();
    }
    unreachable!("time goes on")
}

fn model(Machine { L, o, g }: Machine) -> LogP {
    LogP::new(L.into(), o.into(), g.into()).unwrap()
}

/// Compares every tree of the catalogue, from every source, with the search.
fn check(machine: Machine, K: usize, effort: &mut Effort) {
    let (least, states) = by_exhaustion(machine, K);
    effort.add(states);
    let model = model(machine);
    assert_eq!(optimal::time(model, K as u64), Ok(least), "{model:?} K={K}");
    for source in 1..=K as u64 {
        let reaching = effort.hold(
            &MULTICASTS,
            LogpMulticastPoint {
                model,
                K: K as u64,
                source,
            },
            least,
        );
        assert!(
            ["optimal", "opt-tree"]
                .iter()
                .all(|name| reaching.contains(name)),
            "{model:?} K={K}: {reaching:?}"
        );
    }
}

fn machines(most: (u8, u8, u8)) -> impl Iterator<Item = Machine> {
    let each = (0..=most.0)
        .flat_map(move |L| (0..=most.1).flat_map(move |o| (0..=most.2).map(move |g| (L, o, g))));
    each.filter(|(L, o, _)| L + o > 0)
        .map(|(L, o, g)| Machine { L, o, g })
}

#[test]
fn no_schedule_beats_the_optimal_tree() {
    let mut effort = Effort::default();
    for machine in machines((4, 3, 5)) {
        for K in 1..=5 {
            check(machine, K, &mut effort);
        }
    }
    // More processors, on fewer machines: g' below D/2, between, above D; o above g; L = 0; g' = 0.
    for (L, o, g) in [
        (6, 2, 4),
        (5, 0, 1),
        (4, 1, 2),
        (2, 0, 3),
        (2, 3, 1),
        (0, 1, 0),
        (0, 2, 3),
        (3, 0, 0),
        (1, 1, 4),
    ] {
        for K in 6..=7 {
            check(Machine { L, o, g }, K, &mut effort);
        }
    }
    effort.tell("multicast");
}
