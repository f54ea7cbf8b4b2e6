//! Broadcast of several messages on k ports: every schedule of small n, k and m.
//!
//! **Enumerated.** In each round every node sends up to k messages that it held before the round, each to any other
//! node, and no node receives more than k. A state has the messages that each node holds after a round.
//!
//! **Why that is all.** No message goes to a node that holds it or receives it in that round: leaving such a send out
//! keeps every rule. If one state holds all that another one does, only the larger is kept, because it can do all that
//! the other can. Nodes other than the source, and messages, have no names.
//!
//! **Two rounds.** Larger instances are searched for schedules of two rounds. All first rounds of the root are
//! enumerated. The second round is possible if no node lacks more than k messages, and if for each set of messages its
//! holders have ports for all nodes that lack one: then a flow from holders to deliveries exists.

use std::collections::BTreeSet;

use castbench_algorithms::internals::multiport::RoundBroadcast as _;
use castbench_algorithms::internals::multiport::balanced::BalancedHypercube;
use castbench_algorithms::internals::multiport::bounds::least_rounds;
use castbench_algorithms::internals::multiport::problem::{KPortPoint, ROUND_BROADCASTS};

use super::Effort;

/// What the nodes but the source hold after a round, a set of messages for each.
type State = Vec<u8>;

/// A state on its way through a round, and how many messages each node, the source first, has received in it.
type Way = (State, Vec<u32>);

/// A node in a round.
#[derive(Clone, Copy)]
struct Sender {
    /// Its number, the source's being 0, and what it held before the round.
    me: usize,
    held: u8,
    k: u32,
}

impl Sender {
    /// All that can come of a way when the node sends up to `left` messages more. The sends are numbered and taken in
    /// ascending order, from `least` on.
    fn all_ways(self, left: u32, least: usize, way: &Way, into: &mut BTreeSet<Way>) {
        into.insert(way.clone());
        let nodes = way.1.len();
        for send in (least..nodes * 8).filter(|_| left > 0) {
            let (to, message) = (send / 8, 1u8 << (send % 8));
            // The source lacks nothing.
            let Some(index) = to.checked_sub(1) else {
                continue;
            };
            if to == self.me || way.1[to] >= self.k || self.held & !way.0[index] & message == 0 {
                continue;
            }
            let mut after = way.clone();
            after.0[index] |= message;
            after.1[to] += 1;
            self.all_ways(left - 1, send + 1, &after, into);
        }
    }
}

/// A canonical state: the least over all orders of nodes and messages.
fn canonical(state: &State, m: u32) -> State {
    fn orders(m: u32) -> Vec<Vec<u32>> {
        (0..m).fold(vec![vec![]], |shorter, new| {
            let insert = |order: &Vec<u32>, at| {
                let mut order = order.clone();
                order.insert(at, new);
                order
            };
            shorter
                .iter()
                .flat_map(|order| (0..=order.len()).map(move |at| insert(order, at)))
                .collect()
        })
    }
    let rename = |order: &Vec<u32>| {
        let mask = |held: u8| {
            (0..m)
                .filter(|bit| held >> bit & 1 == 1)
                .map(|bit| 1 << order[bit as usize])
                .sum()
        };
        let mut renamed: State = state.iter().map(|&held| mask(held)).collect();
        renamed.sort_unstable();
        renamed
    };
    orders(m).iter().map(rename).min().unwrap()
}

/// The least number of rounds of any schedule, and the number of states.
fn by_exhaustion(n: u32, k: u32, m: u32) -> (u64, usize) {
    let all = u8::try_from((1u32 << m) - 1).unwrap();
    let mut states = BTreeSet::from([vec![0; n as usize - 1]]);
    let mut met = 0;
    for round in 0.. {
        met += states.len();
        if states
            .iter()
            .any(|state| state.iter().all(|&held| held == all))
        {
            return (round, met);
        }
        let mut next = BTreeSet::new();
        for before in &states {
            let mut ways = BTreeSet::from([(before.clone(), vec![0; n as usize])]);
            for me in 0..n as usize {
                let held = if me == 0 { all } else { before[me - 1] };
                let sender = Sender { me, held, k };
                let mut more = BTreeSet::new();
                ways.iter()
                    .for_each(|way| sender.all_ways(k, 0, way, &mut more));
                ways = more;
            }
            next.extend(ways.iter().map(|(state, _)| canonical(state, m)));
        }
        let within = |a: &State, b: &State| a != b && a.iter().zip(b).all(|(a, b)| a & !b == 0);
        states = next
            .iter()
            .filter(|a| !next.iter().any(|b| within(a, b)))
            .cloned()
            .collect();
    }
    unreachable!("rounds go on")
}

/// Compares every broadcast of the catalogue with the search. Returns whether one of them is optimal.
fn check((n, k, m): (u32, u32, u32), effort: &mut Effort) -> bool {
    let (least, states) = by_exhaustion(n, k, m);
    effort.add(states);
    let (n, k, m) = (n.into(), k.into(), m.into());
    // Here the bound is also reached.
    assert_eq!(least_rounds(n, k, m), Ok(least), "n={n} k={k} m={m}");
    !effort
        .hold(&ROUND_BROADCASTS, KPortPoint { n, k, m }, least)
        .is_empty()
}

#[test]
fn no_schedule_beats_the_bound() {
    let instances = [(2, 6), (3, 5), (4, 5), (5, 4), (6, 3), (7, 2)]
        .into_iter()
        .flat_map(|(n, most)| (1..=3).flat_map(move |k| (1..=most).map(move |m| (n, k, m))));
    let mut effort = Effort::default();
    let missed: Vec<_> = instances
        .filter(|&instance| !check(instance, &mut effort))
        .collect();
    effort.tell("k ports");
    assert_eq!(missed, []);
}

/// All that the root can send in one round: the set of messages that each node receives. Nodes have no names, so the
/// sets are in descending order.
fn first_rounds(k: u32, m: u32, nodes: usize, before: &mut Vec<u8>, each: &mut impl FnMut(&[u8])) {
    each(before);
    let most = before.last().map_or((1 << m) - 1, |set| *set);
    let used: u32 = before.iter().map(|set| set.count_ones()).sum();
    if before.len() == nodes {
        return;
    }
    for set in (1..=most).filter(|set| used + set.count_ones() <= k) {
        before.push(set);
        first_rounds(k, m, nodes, before, each);
        before.pop();
    }
}

/// Whether a round from there, each of the first nodes but the root holding a set of messages, brings all to all.
fn is_done_after((n, k, m): (u32, u32, u32), held: &[u8]) -> bool {
    let lacked = |message: u32| {
        n - 1
            - held
                .iter()
                .map(|set| u32::from(set >> message & 1))
                .sum::<u32>()
    };
    let receives =
        (0..n - 1).all(|node| m - held.get(node as usize).map_or(0, |set| set.count_ones()) <= k);
    let mut sets = (1..1u32 << m).map(|set| {
        let due: u32 = (0..m)
            .filter(|message| set >> message & 1 == 1)
            .map(lacked)
            .sum();
        let holders: u32 = held
            .iter()
            .map(|&held| u32::from(u32::from(held) & set != 0))
            .sum();
        due <= k * (holders + 1)
    });
    receives && sets.all(|is_sent| is_sent)
}

/// Whether two rounds suffice, and the number of first rounds.
fn in_two_rounds((n, k, m): (u32, u32, u32)) -> (bool, usize) {
    let (mut states, mut found) = (0, false);
    first_rounds(k, m, n as usize - 1, &mut Vec::new(), &mut |held| {
        states += 1;
        found |= is_done_after((n, k, m), held);
    });
    (found, states)
}

/// Two rounds suffice exactly where the bound allows them.
#[test]
fn the_bound_is_the_least_of_two_rounds() {
    let (mut effort, mut above) = (Effort::default(), Vec::new());
    for (k, m) in [(1, 4), (2, 5), (3, 6), (4, 7), (5, 6), (6, 5)]
        .into_iter()
        .flat_map(|(k, most)| (1..=most).map(move |m| (k, m)))
    {
        for n in 2..=(k + 1) * (k + 1) + 1 {
            let (found, states) = in_two_rounds((n, k, m));
            effort.add(states);
            let [N, K, M] = [n, k, m].map(u64::from);
            let least = least_rounds(N, K, M).unwrap();
            assert_eq!(least <= 2, found, "n={n} k={k} m={m}");
            if found
                && !effort
                    .hold(&ROUND_BROADCASTS, KPortPoint { n: N, k: K, m: M }, least)
                    .is_empty()
            {
                continue;
            }
            if found {
                above.push((n, k, m));
            }
        }
    }
    effort.tell("k ports, two rounds");
    // The balanced hypercube does not exist for these numbers of nodes and ports.
    assert_eq!(
        above,
        [
            (5, 5, 3),
            (5, 5, 4),
            (5, 5, 5),
            (5, 5, 6),
            (6, 6, 3),
            (6, 6, 4),
            (6, 6, 5)
        ]
    );
}

/// Where the balanced hypercube does not exist, the bound may or may not be reached.
#[test]
fn the_bound_may_be_too_low_where_the_balanced_hypercube_does_not_exist() {
    for (instance, is_reached) in [((5, 5, 6), true), ((6, 6, 7), false)] {
        let (n, k, m) = instance;
        let [n, k, m] = [n, k, m].map(u64::from);
        assert_eq!(least_rounds(n, k, m), Ok(2));
        assert!(BalancedHypercube.rounds(n, k, m).is_err());
        assert_eq!(in_two_rounds(instance).0, is_reached, "{instance:?}");
    }
}
