//! All connected graphs of 2 to 7 nodes.

use std::collections::BTreeSet;

use castbench_algorithms::network::{Bound, Certificate, Collective, Link, Network, Schedule};
use num_rational::Ratio;

use crate::counter::Counted as _;

use crate::brute;

/// A graph: for each node a set of neighbours.
type Graph = Vec<u8>;

/// The least numbering of a graph among those whose nodes are in order of their degrees.
fn canonical(graph: &Graph) -> Graph {
    fn search(graph: &Graph, order: &mut Vec<usize>, least: &mut Option<Graph>) {
        let nodes = graph.len();
        if order.len() == nodes {
            let row = |node: &usize| {
                let near = order
                    .iter()
                    .enumerate()
                    .filter(|(_, other)| graph[*node] >> **other & 1 == 1);
                near.map(|(index, _)| 1 << index).sum()
            };
            let renamed: Graph = order.iter().map(row).collect();
            if least.as_ref().is_none_or(|least| renamed < *least) {
                *least = Some(renamed);
            }
            return;
        }
        let left = (0..nodes).filter(|node| !order.contains(node));
        let degree = left.clone().map(|node| graph[node].count_ones()).min();
        for node in left.collect::<Vec<_>>() {
            if Some(graph[node].count_ones()) == degree {
                order.push(node);
                search(graph, order, least);
                order.pop();
            }
        }
    }
    let mut least = None;
    search(graph, &mut Vec::new(), &mut least);
    least.expect("some numbering")
}

/// Connected graphs of a number of nodes, one of each kind. One node fewer leaves a connected graph, if it is the right one.
fn connected(nodes: usize) -> BTreeSet<Graph> {
    if nodes == 1 {
        return BTreeSet::from([vec![0]]);
    }
    let smaller = connected(nodes - 1);
    let larger = smaller.iter().flat_map(|graph| {
        (1..1_u8 << (nodes - 1)).map(|near| {
            let mut graph = graph.clone();
            for (node, row) in graph.iter_mut().enumerate() {
                *row |= (near >> node & 1) << (nodes - 1);
            }
            graph.push(near);
            canonical(&graph)
        })
    });
    larger.collect()
}

fn network(graph: &Graph) -> Network {
    let mut links = Vec::new();
    for (from, near) in graph.iter().enumerate() {
        let to = (0..graph.len()).filter(|to| near >> to & 1 == 1);
        links.extend(to.map(|to| Link {
            from,
            to,
            capacity: Ratio::from_integer(1),
        }));
    }
    Network::new(graph.len(), 0, &links).expect("a connected graph")
}

/// Whether the bound is what all cuts and partitions say, and whether a schedule takes its time. Returns the time.
fn judge(network: &Network, collective: Collective) -> Ratio<u128> {
    let bound = Bound::new(network, collective);
    assert!(bound.check(network), "{network:?} {bound:?}");
    let brute = brute::bound(network, collective);
    if collective == Collective::Alltoall {
        // Distances can be stronger than any cut.
        let is_far = bound.certificate == Certificate::Distances && bound.time > brute;
        assert!(is_far || bound.time == brute, "{network:?} {bound:?}");
    } else {
        assert_eq!(bound.time, brute, "{network:?} {bound:?}");
        assert!(bound.is_exact, "{network:?} {bound:?}");
    }
    if let Some(schedule) = Schedule::new(network, collective) {
        assert_eq!(
            schedule.time(network),
            Some(bound.time),
            "{network:?} {bound:?}"
        );
    }
    bound.time
}

/// 995 graphs. Of these 979 have a faster allreduce than reduce-scatter and allgather, by 12/7 at most.
#[test]
fn bounds_of_all_small_graphs_are_those_of_all_cuts_and_partitions() {
    let (mut graphs, mut above, mut largest) = (0, 0, Ratio::from_integer(0));
    for nodes in 2..=7 {
        for graph in connected(nodes) {
            let network = network(&graph);
            let times = brute::collectives(nodes / 2).map(|collective| judge(&network, collective));
            let ratio = (times[4] + times[5]) / times[6];
            assert!(ratio >= Ratio::from_integer(1));
            graphs += 1;
            above += u32::from(ratio > Ratio::from_integer(1));
            largest = largest.max(ratio);
        }
    }
    assert_eq!((graphs, above, largest), (995, 979, Ratio::new(12, 7)));
}

/// One capacity for both directions of a link.
#[test]
fn half_duplex_bounds_of_small_graphs_are_reached() {
    for nodes in 2..=6 {
        for graph in connected(nodes) {
            let network = network(&graph).half_duplex().expect("even links");
            for collective in brute::collectives(nodes / 2) {
                judge(&network, collective);
            }
        }
    }
}

/// A link more, in one direction or both, and no bound rises.
#[test]
fn no_bound_rises_when_a_link_is_added() {
    for graph in connected(5) {
        let few = network(&graph);
        for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))) {
            if from == to || few.link(from, to).is_some() {
                continue;
            }
            let mut links: Vec<_> = few
                .links()
                .iter()
                .map(|link| Link {
                    from: link.from,
                    to: link.to,
                    capacity: Ratio::from_integer(link.capacity),
                })
                .collect();
            links.push(Link {
                from,
                to,
                capacity: Ratio::from_integer(1),
            });
            let more = Network::new(5, 0, &links).expect("a connected graph");
            for collective in brute::collectives(2) {
                let time = |network| Bound::new(network, collective).time;
                assert!(time(&more) <= time(&few), "{more:?} {collective:?}");
            }
        }
    }
}
