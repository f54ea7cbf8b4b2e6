//! Spanning trees of links that are even both ways, as many as the strength of the network allows.
//!
//! The strength is the least c(P)/(k-1) of all partitions P into k parts, c(P) the capacity between parts, each link counted once
//! (Nash-Williams, Tutte). Let t trees use each link b times its capacity at most, t/b the strength. A pebble game (Lee, Streinu)
//! takes widths of links, as much as it can, such that no set of v ranks has more than t(v-1) inside, and shares each width among
//! its two ends, at most t for each rank. Turned towards the rank with the share, and with no share for the root, links then hold t
//! arborescences from the root.

use super::arborescences::grow;
use super::cuts::{Demand, Fraction, Terrain};
use super::flow::{Amount, ENDLESS, Flow};
use super::forest::{Arc, Forest};
use super::graph::{Link, Near};
use super::switches::{Aim, without_switches};
use super::topology::Network;

/// Four links times ranks, and arcs without switches times ranks, above which spanning trees of a network with switches would take minutes.
const MOST_WORK: usize = 1 << 19;

/// The links between ranks that spanning trees use, there and back in turns, and the least ratio of what leaves the parts of a
/// partition to their number less 1. Links have to be even. `None` if switches do not go without making that ratio less, or there is
/// more work than [`MOST_WORK`].
pub(super) fn even_arcs(network: &Network) -> Option<(Vec<Arc>, Fraction)> {
    let ranks = network.ranks();
    let links = network.turned(false);
    let is_much = |arcs: usize| network.switches() > 0 && arcs * ranks > MOST_WORK;
    if is_much(4 * links.len()) {
        return None;
    }
    let (ratio, _) = Terrain::new(ranks, network.nodes(), &links).strength();
    let mut arcs = Vec::new();
    for (index, link) in links.iter().enumerate() {
        if let Some(back) = network
            .link(link.to, link.from)
            .filter(|back| index < *back)
        {
            arcs.extend([Arc::new(index, link), Arc::new(back, &links[back])]);
        }
    }
    let (arcs, factor) = without_switches(network, arcs, Aim::Strength(ratio))?;
    let ratio = Fraction::new(ratio.over * factor, ratio.under);
    (!is_much(arcs.len())).then_some((arcs, ratio))
}

/// Spanning trees, weighted so that the sum over each link is at most its capacity over the strength. `None` as for [`even_arcs`].
pub(super) fn spanning_trees(network: &Network) -> Option<Forest> {
    let ranks = network.ranks();
    let (mut arcs, ratio) = even_arcs(network)?;
    // What leaves parts counts each link twice.
    let ratio = Fraction::new(ratio.over, 2 * ratio.under);
    arcs.iter_mut().for_each(|arc| arc.width *= ratio.under);
    let near = Near::new(ranks, &Arc::links(&arcs), false);
    let root = (0..ranks).min_by_key(|rank| near.hops(*rank).into_iter().max());
    let root = root.unwrap_or(0);
    let edges: Vec<_> = Arc::links(&arcs).into_iter().step_by(2).collect();
    let shares = play(ranks, &edges, ratio.over, root);
    for (both, [at_from, at_to]) in arcs.chunks_mut(2).zip(shares) {
        (both[0].width, both[1].width) = (at_to, at_from);
    }
    arcs.retain(|arc| arc.width > 0);
    let mut weights = vec![0; ranks];
    weights[root] = ratio.over;
    let sinks = (0..ranks).collect();
    Some(grow(ranks, arcs, &Demand { weights, sinks }))
}

/// The share of each end in the width that is taken of each edge. The root has none.
fn play(ranks: usize, edges: &[Link<Amount>], trees: Amount, root: usize) -> Vec<[Amount; 2]> {
    // A flow moves shares: from a rank over an edge to its other end, and from a rank to what it has free.
    let (start, goal) = (ranks, ranks + 1);
    let link = |from, to| Link::new(from, to, 0);
    let mut pipes: Vec<_> = edges.iter().map(|edge| link(edge.from, edge.to)).collect();
    pipes.extend((0..ranks).map(|rank| link(rank, goal)));
    pipes.extend((0..ranks).map(|rank| link(start, rank)));
    let mut flow = Flow::<Amount>::new(ranks + 2, &pipes);
    let (free, collect) = (edges.len(), edges.len() + ranks);
    (0..ranks).for_each(|rank| flow.set(free + rank, trees));
    let mut is_goal = vec![false; ranks + 2];
    is_goal[goal] = true;
    for (index, edge) in edges.iter().enumerate() {
        let ends = [edge.from, edge.to];
        ends.iter().for_each(|end| flow.set(collect + end, ENDLESS));
        let most = flow.run(start, &is_goal, trees + edge.capacity) - trees;
        flow.undo();
        flow.run(start, &is_goal, most.max(0));
        flow.keep();
        let [at_from, at_to] = ends.map(|end| flow.left(collect + end)[1]);
        ends.iter().for_each(|end| flow.set(collect + end, 0));
        flow.set_both(index, at_from, at_to);
    }
    flow.set(free + root, 0);
    flow.run(root, &is_goal, ENDLESS);
    (0..edges.len()).map(|edge| flow.left(edge)).collect()
}
