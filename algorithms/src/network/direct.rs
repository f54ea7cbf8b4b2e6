//! Trees of height 1: each rank sends its block to each other rank over switches.
//!
//! On a fabric whose hosts' own links are the bound, nothing is better. Blocks take shortest ways over switches, among several one
//! by the number of the target, as in "d-mod-k" routing of fat trees (Zahavi, 2010), or the next that is not full. If all fit, the
//! bound is reached.

use super::cuts::Demand;
use super::flow::Amount;
use super::graph::Near;
use super::packing::{Arc, Forest, Tree};
use super::{MOST_LINKS, Network};

/// Links, and what they can still carry.
struct Ways<'a> {
    ranks: usize,
    arcs: &'a [Arc],
    back: Near,
    left: Vec<Amount>,
    weight: Amount,
    /// The last pair of ranks for which no way from a node was found.
    blocked: Vec<usize>,
}

/// Direct trees, or `None` where ranks are not all joined by switches alone, have different demands, or a link is too narrow.
pub(super) fn direct(network: &Network, arcs: &[Arc], demand: &Demand) -> Option<Forest> {
    let ranks = network.ranks;
    let weight = demand.weights[0];
    let pairs = ranks * (ranks - 1);
    if network.switches() == 0
        || pairs > MOST_LINKS
        || demand.weights.iter().any(|other| *other != weight)
    {
        return None;
    }
    let links = Arc::links(arcs);
    let out = Near::new(network.nodes(), &links, false);
    let mut ways = Ways {
        ranks,
        arcs,
        back: Near::new(network.nodes(), &links, true),
        left: arcs.iter().map(|arc| arc.width).collect(),
        weight,
        blocked: vec![usize::MAX; network.nodes()],
    };
    let (mut routes, mut trees) = (Vec::with_capacity(pairs), Vec::with_capacity(ranks));
    for root in 0..ranks {
        // A way passes no rank: ranks are as far as they are, but nothing is behind them.
        let hops = out.hops_over(root, |node| node >= ranks);
        let first = routes.len();
        for step in 1..ranks {
            let to = (root + step) % ranks;
            let mut links = Vec::new();
            let aim = Aim {
                hops: &hops,
                pair: routes.len(),
            };
            hops[to].filter(|_| ways.find(&aim, to, to, &mut links))?;
            routes.push(Arc {
                from: root,
                to,
                width: weight,
                links,
            });
        }
        let numbers = first..routes.len();
        trees.push(Tree {
            root,
            weight: weight.unsigned_abs(),
            routes: numbers
                .filter_map(|number| u32::try_from(number).ok())
                .collect(),
        });
    }
    Some(Forest {
        arcs: routes,
        trees,
    })
}

/// The root that ways are sought to, by the distances from it, and the number of the pair.
struct Aim<'a> {
    hops: &'a [Option<u32>],
    pair: usize,
}

impl Ways<'_> {
    /// Finds the rest of a shortest way from the root to a node, whose links it uses. Among the links that enter a node, `choice`
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
        let before: Vec<_> = self
            .back
            .of(node)
            .iter()
            .filter(|(_, other)| is_before(*other))
            .copied()
            .collect();
        for index in 0..before.len() {
            let (arc, other) = before[(choice + index) % before.len()];
            if self.left[arc] >= self.weight && self.find(aim, other, choice / before.len(), links)
            {
                self.left[arc] -= self.weight;
                links.extend(&self.arcs[arc].links);
                return true;
            }
        }
        self.blocked[node] = aim.pair;
        false
    }
}
