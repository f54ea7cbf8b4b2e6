//! The floor of the mesh multicasts: shortest trees against all connected sets, the greedy tree against its guarantee.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use castbench_algorithms::internals::mesh::draw;
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::Multicast;
use castbench_algorithms::internals::mesh::multicast::steiner::{MAX_EXACT, Steiner, shortest};
use castbench_algorithms::internals::mesh::multicast::walk::{Routes, Walker};

/// For every set of nodes, the links of the smallest connected superset.
fn smallest(mesh: Mesh) -> Vec<u64> {
    let n = mesh.nodes();
    let connected = |set: u32| {
        let mut seen = set & set.wrapping_neg();
        loop {
            let nodes = (0..n).filter(|node| seen >> node & 1 == 1);
            let grown = nodes.flat_map(|node| mesh.neighbours(node)).fold(seen, |all, next| all | 1 << next) & set;
            if grown == seen {
                return seen == set && set != 0;
            }
            seen = grown;
        }
    };
    let mut fewest: Vec<u64> =
        (0..1u32 << n).map(|set| if connected(set) { u64::from(set.count_ones()) - 1 } else { u64::MAX }).collect();
    for set in (0..1usize << n).rev() {
        for node in (0..n).filter(|node| set >> node & 1 == 0) {
            fewest[set] = fewest[set].min(fewest[set | 1 << node]);
        }
    }
    fewest
}

fn members(mesh: Mesh, set: u32) -> Vec<u32> {
    (0..mesh.nodes()).filter(|node| set >> node & 1 == 1).collect()
}

/// Every source and every set of destinations: walked as long as counted, shortest up to the limit, at most 3/2 beyond.
#[test]
fn the_guarantee_holds_for_every_multicast() {
    let mut off = 0;
    for (w, h) in [(4, 3), (3, 4), (2, 6), (13, 1)] {
        let mesh = Mesh::new(w, h).unwrap();
        let smallest = smallest(mesh);
        let (mut walker, mut routes) = (Walker::new(mesh), Routes::default());
        for (set, &links) in (0..).zip(&smallest).skip(1) {
            for source in members(mesh, set) {
                let destinations = members(mesh, set & !(1 << source));
                routes.clear();
                Steiner.route(mesh, source, &destinations, &mut routes);
                let walked = walker.walk(source, &destinations, &routes).unwrap();
                assert_eq!(walked, Steiner.links(mesh, source, &destinations));
                if destinations.len() <= MAX_EXACT as usize {
                    assert_eq!(walked, links, "{mesh} {set:b}");
                } else {
                    assert!(links <= walked && 2 * walked <= 3 * links, "{mesh} {set:b}: {walked} for {links}");
                    off += u32::from(walked > links);
                }
            }
        }
    }
    assert!(off > 0, "the greedy tree should be longer somewhere, or it proves nothing");
}

/// Beyond brute force: between the half perimeter and the guarantee of the greedy tree.
#[test]
fn trees_on_large_meshes_stay_within_their_bounds() {
    for (w, h) in [(16, 16), (40, 3), (128, 128)] {
        let mesh = Mesh::new(w, h).unwrap();
        for seed in 0..40 {
            let (source, destinations) = draw(mesh, 9, seed);
            let terminals = [&[source], &*destinations].concat();
            let (exact, greedy) = (shortest(mesh, &terminals), Steiner.links(mesh, source, &destinations));
            let reach = |of: fn((u32, u32)) -> u32| {
                let values = || terminals.iter().map(|&label| of(mesh.position(label)));
                u64::from(values().max().unwrap() - values().min().unwrap())
            };
            assert!(reach(|at| at.0) + reach(|at| at.1) <= exact, "{mesh} seed {seed}");
            assert!(exact <= greedy && 2 * greedy <= 3 * exact, "{mesh} seed {seed}: {greedy} for {exact}");
        }
    }
}

#[test]
fn the_expectation_is_known_where_it_is_counted() {
    let known = |w, h, K| Steiner.expected_links(Mesh::new(w, h).unwrap(), K).is_some();
    for K in 0..12 {
        assert_eq!(known(4, 3, K), K <= MAX_EXACT || K == 11, "K={K}");
    }
    assert!(known(4, 5, 7) && known(3, 7, 2) && known(8, 8, 63));
    let is_shortest = |K| Steiner::is_shortest(Mesh::new(8, 8).unwrap(), K);
    assert!(is_shortest(MAX_EXACT) && is_shortest(63) && !is_shortest(MAX_EXACT + 1) && !is_shortest(62));
    assert!(!known(3, 7, 3) && !known(4, 5, 8));
}
