//! Bounds of networks by name: published ones, and those that follow by hand.

use castbench_algorithms::network::{Bound, Certificate, Collective, Fault, Network, Schedule};
use num_rational::Ratio;

use crate::counter::Counted as _;

fn named(name: &str) -> Network {
    Network::named(name).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// The bound, after its schedule was judged to take exactly that time.
fn reached(network: &Network, collective: Collective) -> Ratio<u128> {
    let bound = Bound::new(network, collective);
    assert!(
        bound.check(network) && bound.is_exact,
        "{} {collective:?}",
        network.name()
    );
    let schedule = Schedule::new(network, collective).expect("a schedule");
    assert_eq!(
        schedule.time(network),
        Some(bound.time),
        "{} {collective:?}",
        network.name()
    );
    bound.time
}

fn bound(network: &Network, collective: Collective) -> Ratio<u128> {
    let bound = Bound::new(network, collective);
    assert!(bound.check(network));
    bound.time
}

/// Reduce-scatter and allgather over the bound of an allreduce.
fn halves_over(network: &Network) -> Ratio<u128> {
    let halves = [Collective::ReduceScatter, Collective::Allgather];
    let time: Ratio<u128> = halves.iter().map(|half| bound(network, *half)).sum();
    time / bound(network, Collective::Allreduce)
}

/// A rank of a torus of d dimensions receives (N-1)/N M over 2d links; a DGX-1's over 6. SCCL has 7/6 blocks per NVLink there.
#[test]
fn ranks_that_are_alike_receive_over_all_their_links() {
    for (name, allgather) in [
        ("dgx1", Ratio::new(7, 48)),
        ("torus:8x8", Ratio::new(63, 256)),
        ("torus:4x4x4", Ratio::new(21, 128)),
        ("hypercube:5", Ratio::new(31, 160)),
        ("full:9", Ratio::new(1, 9)),
        ("ring:7", Ratio::new(3, 7)),
    ] {
        let network = named(name);
        assert_eq!(
            reached(&network, Collective::Allgather),
            allgather,
            "{name}"
        );
        assert_eq!(
            reached(&network, Collective::ReduceScatter),
            allgather,
            "{name}"
        );
        assert_eq!(
            reached(&network, Collective::Allreduce),
            allgather * 2,
            "{name}"
        );
    }
}

/// A corner of an n x n mesh receives over 2 links; all links together carry 2(N-1) of an allreduce.
#[test]
fn a_mesh_has_a_faster_allreduce_than_its_halves() {
    for (n, allgather, allreduce) in [
        (4, Ratio::new(15, 32), Ratio::new(5, 8)),
        (8, Ratio::new(63, 128), Ratio::new(9, 16)),
    ] {
        let network = named(&format!("mesh:{n}x{n}"));
        assert_eq!(reached(&network, Collective::Allgather), allgather);
        assert_eq!(reached(&network, Collective::Allreduce), allreduce);
        assert_eq!(halves_over(&network), Ratio::new(2 * (n - 1), n));
    }
    let mesh = named("mesh:16x16");
    assert_eq!(bound(&mesh, Collective::Allgather), Ratio::new(255, 512));
    assert_eq!(bound(&mesh, Collective::Allreduce), Ratio::new(17, 32));
    for (name, ratio) in [
        ("mesh:2x4", Ratio::new(5, 4)),
        ("mesh:4x8", Ratio::new(13, 8)),
        ("mesh:2x2x4", Ratio::new(7, 6)),
        ("mesh:8x8x8", Ratio::new(7, 4)),
    ] {
        assert_eq!(halves_over(&named(name)), ratio, "{name}");
    }
}

/// 63 parts lose a link of 256, or of 384.
#[test]
fn a_dead_link_hurts_the_halves_more() {
    let torus = named("torus:8x8").without(0, 1).expect("still connected");
    assert_eq!(reached(&torus, Collective::Allreduce), Ratio::new(63, 127));
    assert_eq!(halves_over(&torus), Ratio::new(127, 96));
    let torus = named("torus:4x4x4").without(0, 1).expect("still connected");
    assert_eq!(reached(&torus, Collective::Allreduce), Ratio::new(63, 191));
    assert_eq!(halves_over(&torus), Ratio::new(191, 160));
    let torus = torus.without(0, 4).expect("still connected");
    assert_eq!(halves_over(&torus), Ratio::new(190, 128));
}

/// What ForestColl's program prints for 2, 4 and 8 boxes, in seconds for 1 GB a block: 0.0028846, 0.00375, 0.004375.
#[test]
fn boxes_take_what_forestcoll_takes() {
    for (boxes, time) in [
        (2, Ratio::new(3, 1040)),
        (4, Ratio::new(3, 800)),
        (8, Ratio::new(7, 1600)),
    ] {
        let network = named(&format!("dgx-a100:{boxes}"));
        assert_eq!(reached(&network, Collective::Allgather), time);
        assert_eq!(halves_over(&network), Ratio::from_integer(1));
        let schedule = Schedule::new(&network, Collective::Allgather).expect("a schedule");
        assert_eq!(schedule.height(), 2);
    }
}

/// A box of 128 with a dead NIC has 7 left: (7 * 50) of 400 GB/s.
#[test]
fn rails_and_fat_trees_with_damage() {
    let rails = named("dgx-h100:128");
    assert_eq!(halves_over(&rails), Ratio::from_integer(1));
    let leaf = rails
        .links()
        .iter()
        .find(|link| link.from == 0 && link.to > 1024 + 127);
    let damaged = rails
        .without(0, leaf.expect("a NIC").to)
        .expect("still connected");
    // 2 * 1016/1024 over 350, over 2 * 127 over 127 * 400 + 350.
    let ratio = Ratio::new(2 * 1016, 1024 * 350) / Ratio::new(2 * 127, 127 * 400 + 350);
    assert_eq!(halves_over(&damaged), ratio);
    let tree = named("fat-tree:8");
    assert_eq!(halves_over(&tree), Ratio::from_integer(1));
    let slow = tree.slow(0, Ratio::new(1, 2)).expect("a host");
    // The host sends all of its vector and receives the sum at half speed: 2 M. In halves it is 127/128 each.
    assert_eq!(bound(&slow, Collective::Allreduce), Ratio::from_integer(2));
    assert_eq!(halves_over(&slow), Ratio::new(127, 64));
}

/// Reduce-scatter and allgather take 15/8 and more of these bounds; spanning trees over switches reach them.
#[test]
fn spanning_trees_over_switches_reach_the_bound() {
    let tree = named("fat-tree:4")
        .slow(0, Ratio::new(1, 2))
        .expect("a host");
    assert_eq!(
        reached(&tree, Collective::Allreduce),
        Ratio::from_integer(2)
    );
    assert_eq!(halves_over(&tree), Ratio::new(15, 8));
    // 32 ranks with 450 and 50 GB/s each, one without its 50.
    let boxes = named("dgx-h100:4").without(0, 36).expect("still connected");
    let singles = Ratio::new(2 * 31, 31 * 500 + 450);
    assert_eq!(reached(&boxes, Collective::Allreduce), singles);
    // 8 boxes with 8 NICs, one with 7.
    let boxes = named("dgx-h100:8,taper=4")
        .without(0, 72)
        .expect("still connected");
    let of_boxes = Ratio::new(2 * 7, 7 * 400 + 350);
    assert_eq!(reached(&boxes, Collective::Allreduce), of_boxes);
}

/// Below a spine, leaves are replaced in turn: what one of them leaves out, another one lacks.
#[test]
fn a_root_reaches_all_ranks_over_levels_of_switches() {
    for name in [
        "dgx-h100:8",
        "dgx-h100:8,pod=2,taper=3",
        "dgx-h100:12,nic=25/3",
        "fat-tree:4,taper=2",
        "dragonfly:5,2,2",
    ] {
        for root in [0, 5] {
            let network = named(name);
            let time = reached(&network, Collective::Broadcast { root });
            assert_eq!(reached(&network, Collective::Reduce { root }), time);
        }
    }
}

/// A spine tapered 8:1 leaves 200 GB/s to 4 boxes of 8, which exchange M.
#[test]
fn a_tapered_spine_is_the_bound() {
    let network = named("dgx-h100:8,taper=8");
    assert_eq!(reached(&network, Collective::Allreduce), Ratio::new(1, 200));
}

/// n(n+1)/2 blocks of M/n²: what gossip takes on an n x n mesh whose links go one way at a time.
#[test]
fn half_duplex_meshes_have_the_bound_of_gossip() {
    for n in 2..=6 {
        let mesh = named(&format!("mesh:{n}x{n}"))
            .half_duplex()
            .expect("even links");
        let blocks = Ratio::from_integer(n * (n + 1) / 2);
        assert_eq!(reached(&mesh, Collective::Allgather), blocks / (n * n));
        let bound = Bound::new(&mesh, Collective::Allgather);
        assert!(
            matches!(bound.certificate, Certificate::Partition(parts) if parts.len() as u128 == n * n)
        );
    }
}

/// The sum of distances over all links is 8 * 2 + 8 * 2 in each of 4 directions; half of a mesh sends over a row of links.
#[test]
fn an_alltoall_is_bound_by_distances_or_by_half_of_the_ranks() {
    let torus = Bound::new(&named("torus:8x8"), Collective::Alltoall);
    assert_eq!(torus.time, Ratio::from_integer(1));
    let mesh = Bound::new(&named("mesh:8x8"), Collective::Alltoall);
    assert_eq!(mesh.time, Ratio::new(32 * 32, 64 * 8));
    assert!(matches!(mesh.certificate, Certificate::Cut(nodes) if nodes.len() == 32));
}

/// Every rank of a torus gets everything on shortest paths.
#[test]
fn trees_of_tori_and_meshes_are_as_low_as_they_can_be() {
    for (name, height) in [
        ("torus:8x8", 8),
        ("mesh:8x8", 14),
        ("torus:3x4x5", 5),
        ("hypercube:5", 5),
    ] {
        let schedule = Schedule::new(&named(name), Collective::Allgather).expect("a schedule");
        assert_eq!(schedule.height(), height, "{name}");
    }
    // Both trees from a corner, grown in turn.
    let broadcast = Collective::Broadcast { root: 0 };
    let schedule = Schedule::new(&named("mesh:8x8"), broadcast).expect("a schedule");
    assert_eq!(schedule.height(), 14);
}

/// A certificate of another network, or a wrong one, is refused.
#[test]
fn wrong_certificates_and_schedules_are_refused() {
    let (torus, mesh) = (named("torus:4x4"), named("mesh:4x4"));
    let bound = Bound::new(&torus, Collective::Allgather);
    assert!(!bound.check(&mesh));
    let with = |certificate| Bound {
        certificate,
        ..bound.clone()
    };
    assert!(!with(Certificate::Cut(vec![3, 2])).check(&torus));
    assert!(!with(Certificate::Cut((0..16).collect())).check(&torus));
    assert!(!with(Certificate::Cut(vec![99])).check(&torus));
    assert!(!with(Certificate::Distances).check(&torus));
    let schedule = Schedule::new(&torus, Collective::Allgather).expect("a schedule");
    assert_eq!(schedule.time(&mesh), None);
    let mut short = schedule.clone();
    short.spread[0].routes.pop();
    assert_eq!(short.time(&torus), None);
    let mut heavy = schedule;
    heavy.spread[0].weight += 1;
    assert_eq!(heavy.time(&torus), None);
}

/// Each is an error that names what is wrong, and allocates nothing large.
#[test]
fn what_is_no_network_is_refused() {
    for (name, part) in [
        ("torus:9223372036854775808", "too many"),
        ("torus:99999x99999x99999x99999x99999", "too many"),
        ("full:65536", "too many"),
        ("hypercube:64", "too many"),
        ("fat-tree:9223372036854775808", "too many"),
        ("fat-tree:7", "even"),
        (
            "dragonfly:9223372036854775808,9223372036854775808,9223372036854775808",
            "too many",
        ),
        ("dragonfly:9,2,2", "5 groups"),
        ("ring:1", "2 ranks"),
        ("torus:0x4", "at least 1"),
        ("torus:8x", "whole number"),
        ("torus", "8x8"),
        ("moebius:8", "torus:8x8"),
        ("dgx-h100:8,tape=8", "taper"),
        ("dgx-h100:8,taper=0", "above 0"),
        ("dgx-h100:8,taper=1,taper=2", "twice"),
        ("ring:4,capacity=18446744073709551615", "44 bits"),
        (
            "mi250:2,xgmi=1/18446744073709551615,nic=1/18446744073709551614",
            "44 bits",
        ),
    ] {
        let fault = Network::named(name).expect_err(name);
        assert!(fault.to_string().contains(part), "{name}: {fault}");
    }
    let cut = named("mesh:1x4").without(1, 2).expect_err("two halves");
    assert_eq!(cut, Fault::Unreachable { from: 0, to: 2 });
    assert!(matches!(
        named("ring:4").without(0, 2),
        Err(Fault::NoLink { a: 0, b: 2 })
    ));
}

/// Sizes and capacities as they are built.
#[test]
fn names_make_the_networks_that_they_state() {
    for (name, ranks, switches, links) in [
        ("torus:2x3", 6, 0, 6 + 12),
        ("fat-tree:4", 16, 20, 2 * 48),
        (
            "dragonfly:33,8,4",
            1056,
            264,
            2 * (1056 + 33 * 28 + 33 * 32 / 2),
        ),
        ("dgx-a100:1", 8, 1, 16),
        ("dgx-h100:6", 48, 6 + 16 + 1, 2 * (96 + 16)),
        ("mi250:2", 32, 1, 2 * (56 + 32)),
    ] {
        let network = named(name);
        let sizes = (network.ranks(), network.switches(), network.links().len());
        assert_eq!(sizes, (ranks, switches, links), "{name}");
        assert!(network.is_even());
    }
    let tree = named("fat-tree:4,capacity=12.5,taper=3");
    assert_eq!(tree.options(), ["capacity = 25/2", "taper = 3"]);
    assert_eq!(tree.capacity(0, 16), Ratio::new(25, 2));
    assert_eq!(tree.capacity(24, 32), Ratio::new(25, 6));
}
