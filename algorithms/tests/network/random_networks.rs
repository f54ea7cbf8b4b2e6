//! Random networks with switches, of links that differ in both directions.

use castbench_algorithms::network::{Bound, Certificate, Collective, Link, Network, Schedule};
use num_rational::Ratio;

use crate::counter::Counted as _;
use proptest::prelude::*;

use crate::brute;
use crate::random::cases;

/// Networks of a few ranks and switches, with capacities below a number, over 1 or 2. With `is_even`, links are as wide in both
/// directions.
fn networks(is_even: bool, most: u64) -> impl Strategy<Value = Network> {
    (2..6_usize, 0..4_usize).prop_flat_map(move |(ranks, switches)| {
        let nodes = ranks + switches;
        let link = (0..nodes, 0..nodes, 1..most, 1..3_u64);
        prop::collection::vec(link, nodes..4 * nodes).prop_filter_map("connected", move |links| {
            let mut given = Vec::new();
            for (from, to, over, under) in links {
                let capacity = Ratio::new(over, under);
                given.extend((from != to).then_some(Link { from, to, capacity }));
                given.extend((from != to && is_even).then_some(Link {
                    from: to,
                    to: from,
                    capacity,
                }));
            }
            Network::new(ranks, switches, &given).ok()
        })
    })
}

/// The bound is that of all cuts and partitions; no schedule is faster, and one is as fast where the bound says so.
fn judge(network: &Network, collective: Collective) {
    let bound = Bound::new(network, collective);
    assert!(bound.check(network));
    let brute = brute::bound(network, collective);
    if collective == Collective::Alltoall {
        // Distances can be stronger than any cut.
        let is_far = bound.certificate == Certificate::Distances && bound.time > brute;
        assert!(is_far || bound.time == brute, "{bound:?}");
    } else {
        assert_eq!(bound.time, brute, "{bound:?}");
    }
    if let Some(schedule) = Schedule::new(network, collective) {
        let time = schedule
            .time(network)
            .expect("trees that do the collective");
        assert!(time >= bound.time);
        assert!(time == bound.time || !bound.is_exact, "{time} {bound:?}");
    }
}

proptest! {
    #![proptest_config(cases(400, 57))]

    #[test]
    fn bounds_are_those_of_all_cuts(network in networks(false, 7), root in 0..2_usize) {
        for collective in brute::collectives(root) {
            judge(&network, collective);
        }
    }

    #[test]
    fn even_networks_have_schedules(network in networks(true, 7), root in 0..2_usize) {
        for collective in brute::collectives(root) {
            judge(&network, collective);
        }
    }

    #[test]
    fn half_duplex_networks_have_schedules(network in networks(true, 7), root in 0..2_usize) {
        let network = network.half_duplex().expect("even links");
        for collective in brute::collectives(root) {
            judge(&network, collective);
        }
    }

    #[test]
    fn large_capacities_do_not_overflow(network in networks(false, 1 << 37), even in networks(true, 1 << 37)) {
        for collective in brute::collectives(1) {
            judge(&network, collective);
            judge(&even, collective);
        }
    }
}
