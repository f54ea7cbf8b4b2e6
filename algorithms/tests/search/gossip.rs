//! Gossip on the mesh: every schedule on 2x2, and an exact bound beyond.
//!
//! **Enumerated on 2x2.** In each step each of the four links idles or carries, in one direction, any message that its
//! sender held before the step, useful or not. A state has the messages of each node. That is every schedule by the
//! rules.
//!
//! **On 3x3** a state has 72 bits, and two steps have more than 2^40 variants. No search is needed: a link carries one message per step, so a step delivers at most 12 messages on 12 links; 72 deliveries are
//! due, because each node lacks eight messages; so five steps do not suffice. Six do: `gossip-optimal`. The count of
//! links and deliveries is made here from the definition of the mesh.

use std::collections::BTreeMap;

use castbench_algorithms::internals::mesh::gossip::lower_bound;
use castbench_algorithms::internals::mesh::gossip::problem::GOSSIPS;

use super::Effort;

/// The links of the mesh, by the nodes they join.
fn links(n: u32) -> Vec<(u32, u32)> {
    let apart = |a: u32, b: u32| (a % n).abs_diff(b % n) + (a / n).abs_diff(b / n);
    (0..n * n)
        .flat_map(|a| {
            (0..a)
                .filter(move |&b| apart(a, b) == 1)
                .map(move |b| (b, a))
        })
        .collect()
}

/// The least number of steps on the n x n mesh, and the number of states. Bit `node * n^2 + message` of a state: the
/// node holds the message.
fn by_exhaustion(n: u32) -> (u64, usize) {
    let nodes = n * n;
    let bit = |node: u32, message: u32| 1u64 << (node * nodes + message);
    let start = (0..nodes).map(|node| bit(node, node)).sum::<u64>();
    let all = (1 << (nodes * nodes)) - 1;
    let mut met = BTreeMap::from([(start, 0)]);
    let mut latest = vec![start];
    for steps in 0.. {
        if met.contains_key(&all) {
            return (met[&all], met.len());
        }
        let mut next = Vec::new();
        for state in latest {
            // What can be delivered, link by link.
            let mut ways = vec![state];
            for (a, b) in links(n) {
                let carried = [(a, b), (b, a)].into_iter().flat_map(|(from, to)| {
                    let held = (0..nodes).filter(move |&message| state & bit(from, message) != 0);
                    held.map(move |message| bit(to, message))
                });
                let more: Vec<u64> = carried
                    .flat_map(|new| ways.iter().map(move |way| way | new))
                    .collect();
                ways.extend(more);
                ways.sort_unstable();
                ways.dedup();
            }
            for way in ways {
                met.entry(way).or_insert_with(|| {
                    next.push(way);
                    steps + 1
                });
            }
        }
        latest = next;
    }
    unreachable!("steps go on")
}

#[test]
fn no_schedule_beats_the_bound_on_2x2() {
    let mut effort = Effort::default();
    for n in 1..=2 {
        let (least, states) = by_exhaustion(n);
        effort.add(states);
        assert_eq!(least, lower_bound(n), "n = {n}");
        let reaching = effort.hold(&GOSSIPS, n, least);
        assert!(
            reaching.contains(&"gossip-optimal"),
            "n = {n}: {reaching:?}"
        );
    }
    effort.tell("gossip, 1x1 and 2x2");
}

/// The exact argument of the head, and the simulated optimum of the catalogue, which meets it.
#[test]
fn no_schedule_delivers_more_than_a_message_a_link() {
    let mut effort = Effort::default();
    for n in 2..=12 {
        let due = u64::from(n * n * (n * n - 1));
        let each_step = links(n).len() as u64;
        let least = due.div_ceil(each_step);
        let reaching = effort.hold(&GOSSIPS, n, least);
        assert!(
            reaching.contains(&"gossip-optimal"),
            "n = {n}: {reaching:?}"
        );
    }
    println!("gossip, 3x3: 72 deliveries over 12 links a step, so 6 steps; gossip-optimal takes 6");
}
