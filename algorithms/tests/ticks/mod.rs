//! Worms flit by flit and tick by tick: slow, simple, and without code of the event simulator.

use std::collections::{BTreeMap, VecDeque};

use castbench_algorithms::internals::mesh::wormhole::{Timing, Worm};

/// A multicast: source, and its worms.
pub type Multicast = (u32, Vec<Worm>);

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unsent,
    Startup(u64),
    Waiting,
    Moving(u64),
    There(u64),
}

struct Moving<'a> {
    message: usize,
    worm: &'a Worm,
    /// Links that each flit has crossed, the header's first.
    flits: Vec<usize>,
    state: State,
}

impl Moving<'_> {
    fn hops(&self) -> usize {
        self.worm.path.len() - 1
    }

    fn tail(&self) -> usize {
        self.flits[self.flits.len() - 1]
    }

    /// Every flit moves on over a link that no other crosses, into a buffer that is empty by then; at the end there
    /// is room for all.
    fn move_up(&mut self) {
        let hops = self.hops();
        let before = self.flits.clone();
        for number in 0..self.flits.len() {
            let next = before[number] + 1;
            let crosses = number == 0 || before[number - 1] >= next;
            if next <= hops
                && crosses
                && (number == 0 || next == hops || self.flits[number - 1] > next)
            {
                self.flits[number] = next;
            }
        }
    }
}

/// The arrival of each worm; `None` in a deadlock.
pub fn run(timing: Timing, ports: u64, multicasts: &[Multicast]) -> Option<Vec<u64>> {
    let flits = usize::try_from(timing.flits).unwrap() + 1;
    let mut worms: Vec<Moving<'_>> = Vec::new();
    for (message, (_, own)) in multicasts.iter().enumerate() {
        worms.extend(own.iter().map(|worm| Moving {
            message,
            worm,
            flits: vec![0; flits],
            state: State::Unsent,
        }));
    }
    let mut to_send: BTreeMap<u32, VecDeque<usize>> = BTreeMap::new();
    let mut waiting: BTreeMap<(u32, u32), VecDeque<usize>> = BTreeMap::new();
    let mut got: Vec<(u32, usize)> = multicasts
        .iter()
        .enumerate()
        .map(|(message, (source, _))| (*source, message))
        .collect();
    for now in 0.. {
        let mut asks = Vec::new();
        for (number, worm) in worms.iter_mut().enumerate() {
            match worm.state {
                State::Startup(until) if until == now => asks.push(number),
                State::Moving(until) if until == now => {
                    let passed = worm.tail();
                    worm.move_up();
                    if worm.tail() > passed
                        && worm.worm.receivers.contains(&worm.worm.path[worm.tail()])
                    {
                        got.push((worm.worm.path[worm.tail()], worm.message));
                    }
                    if worm.tail() == worm.hops() {
                        worm.state = State::There(now);
                    } else if worm.flits[0] == worm.hops() {
                        worm.state = State::Moving(now + timing.flit);
                    } else {
                        asks.push(number);
                    }
                }
                _ => {}
            }
        }
        for (node, message) in got.drain(..) {
            let own = (0..worms.len())
                .filter(|&w| worms[w].message == message && worms[w].worm.path[0] == node);
            to_send.entry(node).or_default().extend(own);
        }
        for (node, queue) in &mut to_send {
            let sends = |worm: &&Moving<'_>| {
                worm.worm.path[0] == *node && worm.tail() == 0 && worm.state != State::Unsent
            };
            let mut busy = worms.iter().filter(sends).count() as u64;
            while busy < ports && !queue.is_empty() {
                let number = queue.pop_front().unwrap();
                worms[number].state = State::Startup(now + timing.startup);
                if timing.startup == 0 {
                    asks.push(number);
                }
                busy += 1;
            }
        }
        asks.sort_unstable();
        for number in asks {
            let worm = &mut worms[number];
            worm.state = State::Waiting;
            let at = worm.flits[0];
            waiting
                .entry((worm.worm.path[at], worm.worm.path[at + 1]))
                .or_default()
                .push_back(number);
        }
        for (&(from, to), queue) in &mut waiting {
            let holds = |worm: &Moving<'_>| {
                let granted = worm.flits[0]
                    + usize::from(
                        matches!(worm.state, State::Moving(_)) && worm.flits[0] < worm.hops(),
                    );
                (worm.tail()..granted)
                    .any(|link| (worm.worm.path[link], worm.worm.path[link + 1]) == (from, to))
            };
            let taken = worms.iter().any(holds);
            if let Some(number) = (!taken).then(|| queue.pop_front()).flatten() {
                worms[number].state = State::Moving(now + timing.hop);
            }
        }
        if !worms
            .iter()
            .any(|worm| matches!(worm.state, State::Startup(_) | State::Moving(_)))
        {
            break;
        }
    }
    worms
        .iter()
        .map(|worm| {
            if let State::There(time) = worm.state {
                Some(time)
            } else {
                None
            }
        })
        .collect()
}
