//! Gossip: no node receives a message twice, and the lower bounds counted. The claims have the formulas.

use std::collections::BTreeMap;

use castbench_algorithms::internals::mesh::gossip::coupled::Coupled;
use castbench_algorithms::internals::mesh::gossip::problem::GOSSIPS;
use castbench_algorithms::internals::mesh::gossip::simulator::{Trace, simulate};
use castbench_algorithms::internals::mesh::gossip::two_phase::{TwoPhase, first_phase};
use castbench_algorithms::internals::mesh::gossip::{Gossip, Transfer, lower_bound, theorem_1};

/// Every gossip of the catalogue, by name.
fn gossips() -> impl Iterator<Item = (&'static str, &'static dyn Gossip)> {
    GOSSIPS
        .entries
        .iter()
        .map(|entry| (entry.name, entry.algorithm))
}

/// Checks one algorithm on one mesh.
fn check(name: &str, algorithm: &dyn Gossip, n: u32) {
    let what = format!("{name}, n = {n}");
    let steps = algorithm.steps(n).expect(&what);
    let nodes = u64::from(n) * u64::from(n);
    // One transfer per pair of a message and another node: each node receives each message once.
    let expected = Trace {
        rounds: steps,
        last: steps,
        sends: nodes * (nodes - 1),
        repeated: 0,
    };
    let mut schedule = algorithm.schedule(n).expect(&what);
    assert_eq!(
        simulate(n, schedule.as_mut()),
        Ok(expected),
        "{what}: executed against analytic"
    );
    assert!(
        lower_bound(n) <= steps,
        "{what}: {steps} steps are below the bound"
    );
    for claim in algorithm.published(n).into_iter().chain(theorem_1(n)) {
        assert!(
            claim.relation.holds(steps, claim.value),
            "{what}: {claim:?} does not hold for {steps}"
        );
    }
}

#[test]
fn every_side_up_to_32() {
    for (name, algorithm) in gossips() {
        (1..=32).for_each(|n| check(name, algorithm, n));
    }
}

/// The lower bound proved for the coupled routes, counted on their transfers: the load of each link, and the fewest
/// links that the last message over it still has to cross.
#[test]
fn no_order_on_the_coupled_routes_is_faster() {
    for n in 2..=16 {
        let mut load = BTreeMap::new();
        let mut schedule = Coupled.schedule(n).unwrap();
        let mut transfers = Vec::new();
        while schedule.round(&mut transfers) {}
        for Transfer { from, to, .. } in transfers {
            *load.entry((from.min(to), from.max(to))).or_insert(0u64) += 1;
        }
        let least = load.into_iter().map(|((low, high), load)| {
            let position = if high - low == 1 { low % n } else { low / n };
            load + u64::from(position.min(n - 2 - position))
        });
        assert_eq!(least.max(), Some(Coupled.steps(n).unwrap()), "n = {n}");
    }
}

/// Phase 1 brings every message to its whole line and to no other node, and no step sooner.
#[test]
fn the_first_phase_is_a_broadcast_along_lines() {
    for n in 1..=9 {
        let mut schedule = TwoPhase.schedule(n).unwrap();
        let mut transfers = Vec::new();
        let mut last = 0;
        for _ in 0..first_phase(n) {
            last = transfers.len();
            assert!(schedule.round(&mut transfers));
        }
        assert!(n == 1 || last < transfers.len());
        let mut brought: Vec<(u32, u32)> = transfers
            .iter()
            .map(|transfer| (transfer.message, transfer.to))
            .collect();
        brought.sort_unstable();
        let own_line = |message: u32, node: u32| {
            let even = (message % n + message / n).is_multiple_of(2);
            message != node
                && if even {
                    message / n == node / n
                } else {
                    message % n == node % n
                }
        };
        let pairs = (0..n * n).flat_map(|message| (0..n * n).map(move |node| (message, node)));
        assert!(
            pairs
                .filter(|&(message, node)| own_line(message, node))
                .eq(brought),
            "n = {n}"
        );
    }
}
