//! Multicast with worms: every small multicast flit by flit, and every order in which links could be granted.
//!
//! **Enumerated.** 1. Every source with every set of destinations on small meshes, and on the smallest every ordered pair of
//! multicasts at once, for every scheme, with one port and several: each worm is there when the simulator of single
//! flits (`ticks`) says, which shares no code with that of the catalogue. The model determines the order of grants (first
//! come, first served), so an instance has one execution.
//! 2. What no order of grants can change. A worm that waits for a link holds the one before it on its path, or none; so worms
//! wait for each other in a ring only if the pairs (link, next link) of all paths have a cycle (Dally, Seitz 1987). These
//! are collected over every multicast of a mesh, for each scheme: without a cycle no worm is ever blocked forever, for any
//! concurrent multicasts of the scheme and any order of grants.
//! 3. No worm arrives before an undisturbed message over the shortest path to its destination.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::wormhole::problem::SCHEMES;
use castbench_algorithms::internals::mesh::wormhole::simulator::Simulator;
use castbench_algorithms::internals::mesh::wormhole::{Scheme, Timing, Worm};

use super::{Effort, ticks};

fn schemes() -> impl Iterator<Item = (&'static str, &'static dyn Scheme)> {
    SCHEMES
        .entries
        .iter()
        .map(|entry| (entry.name, entry.algorithm))
}

/// Every source with every set of destinations that is not empty.
fn multicasts(mesh: Mesh) -> Vec<(u32, Vec<u32>)> {
    let members = move |set: u32| {
        (0..mesh.nodes())
            .filter(move |label| set >> label & 1 == 1)
            .collect()
    };
    let sets = |source: u32| (1..1u32 << mesh.nodes()).filter(move |set| set >> source & 1 == 0);
    (0..mesh.nodes())
        .flat_map(|source| sets(source).map(move |set| (source, members(set))))
        .collect()
}

/// Links on a shortest path, by breadth-first search.
fn hops(mesh: Mesh, from: u32, to: u32) -> u64 {
    let mut far = BTreeMap::from([(from, 0)]);
    let mut pending = VecDeque::from([from]);
    while let Some(at) = pending.pop_front() {
        let next = far[&at] + 1;
        for beside in mesh.neighbours(at) {
            far.entry(beside).or_insert_with(|| {
                pending.push_back(beside);
                next
            });
        }
    }
    far[&to]
}

/// Compares the simulator with that of single flits, and for one multicast with its formula.
fn check(mesh: Mesh, timing: Timing, ports: u64, scheme: &dyn Scheme, all: &[&(u32, Vec<u32>)]) {
    let mut simulator = Simulator::new(mesh, timing, ports);
    let mut worms: Vec<(u32, Vec<Worm>)> = Vec::new();
    for (source, to) in all {
        let own = scheme.worms(mesh, *source, to);
        simulator.add(*source, to, &own).unwrap();
        worms.push((*source, own));
    }
    let end = simulator.run().unwrap();
    let there: Vec<u64> = simulator.flights().map(|flight| flight.there).collect();
    assert_eq!(there.iter().max(), Some(&end));
    assert_eq!(
        ticks::run(timing, ports, &worms),
        Some(there),
        "{mesh} {timing:?} {ports} ports {all:?}"
    );
    if let [(_, to)] = all {
        // The theorem of U-mesh: with one port no header waits.
        assert!(
            ports > 1 || simulator.flights().all(|flight| flight.waited == 0),
            "{mesh} {timing:?} {all:?}"
        );
        let formula = scheme.time(timing, ports, &worms[0].1);
        assert!(
            formula.is_none_or(|time| time == end),
            "{mesh} {timing:?} {ports} ports {all:?}: {formula:?}, {end}"
        );
        assert!(
            formula.is_some() || ports > 1,
            "{mesh} {timing:?} {all:?} has a formula"
        );
        let hops: usize = worms[0].1.iter().map(|worm| worm.path.len() - 1).sum();
        assert!(
            hops as u64 <= scheme.most_hops(mesh, u32::try_from(to.len()).unwrap()),
            "{mesh} {all:?}"
        );
    }
    let least = all
        .iter()
        .flat_map(|(source, to)| to.iter().map(|&node| hops(mesh, *source, node)));
    let least = least.map(|hops| timing.startup + hops * timing.hop + timing.flits * timing.flit);
    assert!(least.max() <= Some(end), "{mesh} {all:?}");
}

#[test]
fn every_small_multicast_flit_by_flit() {
    let timing = |t_s, t_h, t_f, flits| Timing::new(t_s, t_h, t_f, flits).unwrap();
    let mut effort = Effort::default();
    for (w, h) in [(2, 2), (4, 1), (3, 2), (2, 3), (3, 3)] {
        let mesh = Mesh::new(w, h).unwrap();
        for multicast in &multicasts(mesh) {
            for (_, scheme) in schemes() {
                for (timing, ports) in [
                    (timing(0, 1, 1, 1), 1),
                    (timing(2, 3, 2, 4), 1),
                    (timing(1, 2, 1, 3), 2),
                    (timing(0, 2, 1, 7), 4),
                ] {
                    check(mesh, timing, ports, scheme, &[multicast]);
                    effort.add(1);
                }
            }
        }
    }
    for (w, h) in [(2, 2), (3, 1)] {
        let mesh = Mesh::new(w, h).unwrap();
        let all = multicasts(mesh);
        for (first, second) in all
            .iter()
            .flat_map(|first| all.iter().map(move |second| (first, second)))
        {
            for (_, scheme) in schemes() {
                for (timing, ports) in [(timing(1, 3, 2, 4), 1), (timing(0, 1, 1, 2), 2)] {
                    check(mesh, timing, ports, scheme, &[first, second]);
                    effort.add(1);
                }
            }
        }
    }
    effort.tell("worms, flit by flit (a state is an execution)");
}

type Link = (u32, u32);

/// Whether some links follow each other in a ring: takes away links that nothing follows until none is left.
fn has_cycle(follows: &BTreeSet<(Link, Link)>) -> bool {
    let mut left = follows.clone();
    loop {
        let before: BTreeSet<Link> = left.iter().map(|pair| pair.0).collect();
        let count = left.len();
        left.retain(|pair| before.contains(&pair.1));
        if left.len() == count {
            return count > 0;
        }
    }
}

/// The pairs of links that follow each other on a path.
fn pairs(worms: &[Worm]) -> impl Iterator<Item = (Link, Link)> + '_ {
    worms.iter().flat_map(|worm| {
        worm.path
            .windows(3)
            .map(|hops| ((hops[0], hops[1]), (hops[1], hops[2])))
    })
}

#[test]
fn no_order_of_grants_causes_a_deadlock() {
    let mut effort = Effort::default();
    for (w, h) in [(2, 2), (3, 3), (4, 3), (3, 4)] {
        let mesh = Mesh::new(w, h).unwrap();
        let all = multicasts(mesh);
        for (name, scheme) in schemes() {
            let mut follows = BTreeSet::new();
            for (source, to) in &all {
                follows.extend(pairs(&scheme.worms(mesh, *source, to)));
            }
            effort.instances += all.len() as u64;
            effort.states += follows.len() as u64;
            assert!(
                !has_cycle(&follows),
                "{name} on {mesh}: links can wait for each other in a ring"
            );
        }
        // Were every turn allowed, there would be one.
        let turn = |start: u32| Worm {
            path: (0..3)
                .map(|step| [0, 1, 2, 3][(start as usize + step) % 4])
                .collect(),
            receivers: Vec::new(),
        };
        let ring: Vec<Worm> = (0..4).map(turn).collect();
        assert!(has_cycle(&pairs(&ring).collect()));
    }
    effort.tell("worms, any order of grants (a state is a pair of links)");
}
