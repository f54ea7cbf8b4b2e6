//! Trees of height 1 or 2 on fabrics: over switches, a rank sends its block to each other rank, or to the ranks with its number in
//! each other box, which send it on in their boxes.
//!
//! On a fabric whose hosts' own links are the bound, nothing is better. Blocks take shortest ways over switches, among several one
//! by the number of the target, as in "d-mod-k" routing of fat trees (Zahavi, 2010), or the next that is not full. If all fit, the
//! bound is reached.

use super::cuts::Demand;
use super::fault::MOST_LINKS;
use super::flow::{Amount, narrow};
use super::forest::{Arc, Forest, Tree};
use super::graph::Near;
use super::topology::{Network, Shape};

/// Links, and what they can still carry.
struct Ways<'a> {
    ranks: usize,
    arcs: &'a [Arc],
    back: Near,
    left: Vec<Amount>,
    /// The last pair of ranks for which no way from a node was found.
    blocked: Vec<usize>,
}

/// A way that is sought: distances from the rank where it starts, its number and what it carries.
struct Aim<'a> {
    hops: &'a [Option<u32>],
    pair: usize,
    weight: Amount,
}

/// Low trees, or `None` where ranks are not all joined by switches alone, have different demands, or a link is too narrow.
pub(super) fn direct(network: &Network, arcs: &[Arc], demand: &Demand) -> Option<Forest> {
    let is_uniform = demand
        .weights
        .iter()
        .all(|weight| *weight == demand.weights[0]);
    if network.switches() == 0 || !is_uniform {
        return None;
    }
    let boxes = match network.shape() {
        Shape::Boxes { size } => Some(*size),
        _ => None,
    };
    [Some(1), boxes]
        .into_iter()
        .flatten()
        .find_map(|size| by_boxes(network, arcs, demand.weights[0], size))
}

/// Trees that enter each box of a size once, at the rank with the root's number.
fn by_boxes(network: &Network, arcs: &[Arc], weight: Amount, size: usize) -> Option<Forest> {
    let ranks = network.ranks();
    let boxes = ranks / size;
    // Routes of a rank: to the same number in the following boxes, then to the following numbers of its box.
    let each = boxes - 1 + size - 1;
    if boxes * size != ranks || ranks * each > MOST_LINKS {
        return None;
    }
    let links = Arc::links(arcs);
    let out = Near::new(network.nodes(), &links, false);
    let mut ways = Ways {
        ranks,
        arcs,
        back: Near::new(network.nodes(), &links, true),
        left: arcs.iter().map(|arc| arc.width).collect(),
        blocked: vec![usize::MAX; network.nodes()],
    };
    let mut routes = Vec::with_capacity(ranks * each);
    for from in 0..ranks {
        let hops = out.hops_over([from], |node| node >= ranks);
        let first = from / size * size;
        let others = (1..boxes).map(|step| ((from + step * size) % ranks, 1));
        // A rank sends on the block of its number in each box.
        let inside = (1..size).map(|step| (first + (from + step) % size, boxes));
        for (to, blocks) in others.chain(inside) {
            let aim = Aim {
                hops: &hops,
                pair: routes.len(),
                weight: weight * Amount::try_from(blocks).ok()?,
            };
            let mut links = Vec::new();
            hops[to].filter(|_| ways.find(&aim, to, to, &mut links))?;
            routes.push(Arc {
                from,
                to,
                width: aim.weight,
                links,
            });
        }
    }
    let tree = |root: usize| {
        let others = (0..boxes - 1).map(|step| root * each + step);
        let inside = (0..boxes).flat_map(|step| {
            let rank = (root + step * size) % ranks;
            (boxes - 1..each).map(move |route| rank * each + route)
        });
        Tree {
            root,
            weight: weight.unsigned_abs(),
            routes: others.chain(inside).map(narrow).collect(),
        }
    };
    Some(Forest {
        arcs: routes,
        trees: (0..ranks).map(tree).collect(),
    })
}

impl Ways<'_> {
    /// Finds the rest of a shortest way from its start to a node, and uses its links. Among the links that enter a node, `choice`
    /// says which one is first.
    fn find(&mut self, aim: &Aim, node: usize, choice: usize, links: &mut Vec<u32>) -> bool {
        let hops = aim.hops;
        if hops[node] == Some(0) || self.blocked[node] == aim.pair {
            return hops[node] == Some(0);
        }
        let is_before = |other: usize| {
            let is_nearer = hops[other].map(|hops| hops + 1) == hops[node];
            is_nearer && (other >= self.ranks || hops[other] == Some(0))
        };
        let near = self.back.of(node).iter();
        let before: Vec<_> = near
            .filter(|(_, other)| is_before(*other))
            .copied()
            .collect();
        for index in 0..before.len() {
            let (arc, other) = before[(choice + index) % before.len()];
            if self.left[arc] >= aim.weight && self.find(aim, other, choice / before.len(), links) {
                self.left[arc] -= aim.weight;
                links.extend(&self.arcs[arc].links);
                return true;
            }
        }
        self.blocked[node] = aim.pair;
        false
    }
}
