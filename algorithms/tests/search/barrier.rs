//! Barrier under LogP: every schedule of messages between K ranks. A message carries the knowledge of its sender.
//!
//! **Enumerated.** At every whole time every rank that is not busy may begin to receive a message that has arrived, if
//! its last receive began `g` ago or longer; may begin a send to any other rank, if its last send began `g` ago or
//! longer; may do nothing. With k ports, a send or a receive needs one of k ports that began its last one `g` ago or
//! longer. A send and a receive occupy the rank for `o` each (with `o = 0` it may do several at one time), a message is
//! in transit for `L` and may wait for its receiver without limit. It carries all that its sender knows when the send
//! begins, because less never helps. The capacity of the network is not enforced, which only allows more schedules.
//!
//! **Why that is all.** Whole times suffice (see the head of this test). A state ignores the names of ranks. A state is
//! dropped if less than a hop is left and a rank lacks something that no message in transit can bring in time: it
//! cannot end by the cost of the compared algorithm.

use std::collections::HashSet;

use castbench_algorithms::cost::{Exact, Limits};
use castbench_algorithms::internals::collectives::Task;
use castbench_algorithms::internals::collectives::barrier::Barrier;
use castbench_algorithms::internals::engine;
use castbench_algorithms::internals::problem::Problem;
use castbench_algorithms::logp::LogP;

use super::Effort;

#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Rank {
    /// The ranks that it knows to have entered, as bits.
    knows: u8,
    busy: u8,
    /// What it knows when it is no longer busy: what it is taking in, or nothing.
    taking_in: u8,
    /// For each port how long until it may send, the shortest first.
    send_in: Vec<u8>,
    /// For each port how long until it may receive, the shortest first.
    receive_in: Vec<u8>,
    /// For each message to it, how long until it has arrived, and what it tells.
    coming: Vec<(u8, u8)>,
}

type State = Vec<Rank>;

#[derive(Clone, Copy)]
struct Machine {
    L: u8,
    o: u8,
    g: u8,
    /// Ports in each direction.
    k: u8,
}

/// A port that is free is busy for so long.
fn occupy(ports: &mut [u8], time: u8) {
    ports[0] = time;
    ports.sort_unstable();
}

impl Machine {
    /// Everything that the rank `p` may begin now, the ranks before it having begun what they do.
    fn beginnings(self, state: &State, p: usize) -> Vec<State> {
        let mut found = vec![state.clone()];
        // First it receives, because then it can send more.
        let mut next = 0;
        while let Some(state) = found.get(next).cloned() {
            next += 1;
            if state[p].busy > 0 || state[p].receive_in[0] > 0 {
                continue;
            }
            let mut arrived: Vec<usize> = (0..state[p].coming.len()).filter(|&at| state[p].coming[at].0 == 0).collect();
            arrived.dedup_by_key(|at| state[p].coming[*at]);
            for at in arrived {
                let mut next = state.clone();
                let (_, told) = next[p].coming.remove(at);
                next[p].busy = self.o;
                occupy(&mut next[p].receive_in, self.g);
                *(if self.o == 0 { &mut next[p].knows } else { &mut next[p].taking_in }) |= told;
                found.push(next);
            }
        }
        let mut next = 0;
        while let Some(state) = found.get(next).cloned() {
            next += 1;
            if state[p].busy > 0 || state[p].send_in[0] > 0 {
                continue;
            }
            for to in (0..state.len()).filter(|&to| to != p) {
                let mut next = state.clone();
                next[p].busy = self.o;
                occupy(&mut next[p].send_in, self.g);
                let told = next[p].knows;
                // Nothing that its receiver knows anyway.
                if told & !next[to].knows != 0 {
                    next[to].coming.push((self.o + self.L, told));
                    next[to].coming.sort_unstable();
                    found.push(next);
                }
            }
        }
        found
    }

    /// A time unit later.
    fn later(mut state: State) -> State {
        for rank in &mut state {
            if rank.busy == 1 {
                rank.knows |= std::mem::take(&mut rank.taking_in);
            }
            let ports = rank.send_in.iter_mut().chain(&mut rank.receive_in);
            ports.chain([&mut rank.busy]).for_each(|field| *field = field.saturating_sub(1));
            rank.coming.iter_mut().for_each(|message| message.0 = message.0.saturating_sub(1));
            let knows = rank.knows;
            rank.coming.retain(|message| message.1 & !knows != 0);
        }
        state
    }

    /// Whether all ranks may still learn everything in this time.
    fn may_end(self, state: &State, all: u8, left: u64) -> bool {
        let hop = u64::from(self.L + 2 * self.o);
        let told = |rank: &Rank, by: u64| {
            let coming = rank.coming.iter().filter(|message| u64::from(message.0 + self.o) <= by);
            coming.fold(rank.knows | rank.taking_in, |told, message| told | message.1)
        };
        // In less than two hops a rank can learn only what others know or receive from messages in transit.
        let most = state.iter().map(|rank| told(rank, left).count_ones()).max().unwrap_or(0);
        state.iter().all(|rank| match left.checked_sub(hop) {
            None => told(rank, left) == all,
            Some(spare) if spare < hop => {
                let receives = (spare / u64::from(self.g) + 1) * u64::from(self.k);
                u64::from(told(rank, left).count_ones()) + receives * u64::from(most) >= u64::from(all.count_ones())
            }
            Some(_) => true,
        })
    }

    /// The least time in which all K ranks know that all have entered, or `most` if no schedule ends before, and the
    /// number of states.
    fn least(self, K: usize, most: u64) -> (u64, usize) {
        let all = (0..K).fold(0, |all, rank| all | 1 << rank);
        let ports = vec![0; self.k.into()];
        let rank = Rank { send_in: ports.clone(), receive_in: ports, ..Rank::default() };
        let begin: State = (0..K).map(|number| Rank { knows: 1 << number, ..rank.clone() }).collect();
        let orders = orders(K);
        let (mut now, mut states) = (HashSet::from([begin]), 0);
        for time in 0..most {
            states += now.len();
            let mut next = HashSet::new();
            for state in now {
                let mut partial = vec![state];
                for p in 0..K {
                    partial = partial.iter().flat_map(|state| self.beginnings(state, p)).collect();
                }
                // With o = 0 what is taken in counts at once.
                if partial.iter().any(|state| state.iter().all(|rank| rank.knows == all)) {
                    return (time, states);
                }
                // What ends at `most` need not be found.
                let Some(left) = most.checked_sub(time + 2) else { continue };
                let later = partial.into_iter().map(Self::later).filter(|state| self.may_end(state, all, left));
                next.extend(later.map(|state| named(&state, &orders)));
            }
            if next.iter().any(|state| state.iter().all(|rank| rank.knows == all)) {
                return (time + 1, states);
            }
            now = next;
        }
        (most, states)
    }
}

/// All orders of K ranks.
fn orders(K: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![]];
    for rank in 0..K {
        let inserted = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..=order.len()).map(|at| [&order[..at], &[rank], &order[at..]].concat()).collect()
        };
        orders = orders.iter().flat_map(inserted).collect();
    }
    orders
}

/// The same state, ranks called so that it comes first of all.
fn named(state: &State, orders: &[Vec<usize>]) -> State {
    let renamed = |order: &Vec<usize>| -> State {
        let told = |mask: u8| order.iter().enumerate().fold(0, |new, (at, &old)| new | (mask >> old & 1) << at);
        order
            .iter()
            .map(|&old| {
                let rank = &state[old];
                let mut coming: Vec<(u8, u8)> = rank.coming.iter().map(|&(time, mask)| (time, told(mask))).collect();
                coming.sort_unstable();
                Rank { knows: told(rank.knows), taking_in: told(rank.taking_in), coming, ..rank.clone() }
            })
            .collect()
    };
    orders.iter().map(renamed).min().unwrap_or_default()
}

#[test]
fn every_schedule_of_small_barriers() {
    let mut effort = Effort::default();
    let mut hold_ports = |K: usize, (L, o, g): (u8, u8, u8), k: u8| {
        let model = LogP::new(L.into(), o.into(), g.into()).unwrap();
        let radix = u64::from(k) + 1;
        let task = Task { k: k.into(), r: radix, ..Task::new(engine::Machine::Words(model), K as u64, 1, 0) };
        // Schedules that end after the algorithms need no search.
        let cost = |entry: &castbench_algorithms::internals::problem::Listed<_>| {
            let found = Barrier::at(entry.algorithm, task, &Limits::default()).ok()?;
            let Some(Exact::Integer(cost)) = found.analytic else { panic!("{} has no whole cost", entry.name) };
            Some(cost)
        };
        let most = <Barrier as Problem>::ENTRIES.iter().filter_map(cost).min().unwrap();
        let (least, states) = Machine { L, o, g, k }.least(K, most);
        effort.add(states.max(1));
        effort.hold::<Barrier>(task, least).contains(&"barrier-dissemination")
    };
    // On two ports with radix 3 three ranks need one round. Four ranks have too many states.
    for machine in [(1, 0, 1), (1, 0, 2), (0, 1, 1), (0, 1, 2), (1, 1, 3), (2, 1, 3), (1, 0, 4), (2, 0, 1), (1, 1, 1)] {
        assert!((1..=3).all(|K| hold_ports(K, machine, 2)), "{machine:?} on two ports");
    }
    let mut hold = |K, machine| hold_ports(K, machine, 1);
    for machine in [(1, 0, 1), (1, 0, 2), (0, 1, 1), (0, 1, 2), (1, 1, 3), (2, 1, 3), (1, 0, 4)] {
        assert!((1..=3).all(|K| hold(K, machine)), "{machine:?}");
    }
    // If a hop takes two gaps or more, three ranks that send to all end before dissemination's second round.
    assert!(!hold(3, (2, 0, 1)) && !hold(3, (1, 1, 1)));
    for machine in [(1, 0, 1), (1, 0, 2), (0, 1, 1), (0, 1, 2)] {
        assert!(hold(4, machine), "{machine:?}");
    }
    assert!(hold(5, (1, 0, 1)));
    effort.tell("barriers");
}
