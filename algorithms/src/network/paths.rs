//! Blocks that one rank gathers, or scatters: the largest flow to the root, cut into paths.
//!
//! A flow from all ranks to the root that is as large as their blocks together exists, because no cut around the root is narrower
//! than the bound says. Each block takes shortest paths of what the flow has left (Ford, Fulkerson, 1956). Scatter is gather on
//! the links turned round. Flows in both directions of a link cancel, so a half-duplex link carries one of them.

use super::bounds::Collective;
use super::cuts::Demand;
use super::flow::{Amount, ENDLESS, Flow, narrow};
use super::forest::{Arc, Forest, Tree};
use super::graph::{Link, Near};
use super::topology::Network;

/// A path for each share of each rank's block; the arcs and demands have a ratio of 1.
pub(super) fn paths(
    network: &Network,
    arcs: &[Arc],
    demand: &Demand,
    collective: Collective,
) -> Forest {
    let (ranks, nodes, links) = (network.ranks(), network.nodes(), Arc::links(arcs));
    let root = collective.root().unwrap_or(0);
    let mut pipes = links.clone();
    let others = (0..ranks).filter(|rank| *rank != root);
    pipes.extend(others.map(|rank| Link::new(nodes, rank, demand.weights[rank])));
    let mut flow = Flow::<Amount>::new(nodes + 1, &pipes);
    let is_goal: Vec<_> = (0..=nodes).map(|node| node == root).collect();
    flow.run(nodes, &is_goal, ENDLESS);
    let carried = |link: usize| flow.left(link)[1];
    let mut left: Vec<Amount> = (0..links.len())
        .map(|link| {
            let back = network.link(network.links()[link].to, network.links()[link].from);
            (carried(link) - back.map_or(0, carried)).max(0)
        })
        .collect();
    let near = Near::new(nodes, &links, false);
    let (mut routes, mut trees) = (Vec::new(), Vec::new());
    for rank in 0..ranks {
        let mut weight = demand.weights[rank];
        while weight > 0 {
            let Some(path) = shortest(&near, &left, rank, root) else {
                break;
            };
            let share = path
                .iter()
                .map(|link| left[*link])
                .fold(weight, Amount::min);
            path.iter().for_each(|link| left[*link] -= share);
            weight -= share;
            let first = routes.len();
            for link in path {
                let ends = &links[link];
                if ends.from < ranks {
                    routes.push(Arc::new(link, ends));
                } else if let Some(route) = routes.last_mut() {
                    route.links.push(narrow(link));
                    route.to = ends.to;
                }
            }
            trees.push(Tree {
                root: rank,
                weight: share.unsigned_abs(),
                routes: (first..routes.len()).map(narrow).collect(),
            });
        }
    }
    Forest {
        arcs: routes,
        trees,
    }
}

/// The links of a shortest path over those with something left; none from a node to itself.
fn shortest(near: &Near, left: &[Amount], from: usize, to: usize) -> Option<Vec<usize>> {
    let found = near.search([from], |link, _, _| left[link] > 0);
    let mut index = found.iter().position(|(node, _)| *node == to)?;
    let mut path = Vec::new();
    while let (_, Some((link, last))) = found[index] {
        path.push(link);
        index = found[..index].iter().rposition(|(node, _)| *node == last)?;
    }
    path.reverse();
    Some(path)
}
