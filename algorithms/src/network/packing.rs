//! Schedules that take the least time: trees whose shares of M load no link beyond its capacity times the bound.
//!
//! - Allgather, broadcast: trees that spread from each root. Reduce-scatter, reduce: the same on the links turned round.
//! - Allreduce: reduce-scatter, then allgather, if their times add up to the bound. Otherwise, if links are even, spanning trees, each
//!   used to reduce and to spread; with switches if they can go.
//! - Gather, scatter: a path for each share of a block (`paths`). Alltoall: each block on its fixed route, where that takes the bound.
//! - Half-duplex: spanning trees, from each root. Where switches cannot go each direction gets half of a link.
//!
//! Switches go first: a link to a switch and a link from it become one, by shares such that the bound still holds
//! (`switches`). Then, if each rank can get everything from ranks that are nearer to the root, trees have the least height there is,
//! and each rank needs one small flow (`levels`). Otherwise trees grow in turn, arc by arc, breadth first, a flow for each
//! (`arborescences`). Before all that, fabrics and boxes with rails are tried for trees of height 1 and 2 (`direct`).
//! Spanning trees are arborescences of the links turned so that they exist (`spanning`).
//!
//! **Cost.** N ranks, q trees for each root. By levels: N flows between N roots and the links of a rank. Arc by arc: q N² flows over
//! the network. 1,024 ranks of a torus by levels take a second; spanning trees of a 32x32 mesh, arc by arc, half a minute.
//!
//! **Height.** By levels it is the largest distance between ranks, which nothing is below. Arc by arc it
//! is at most N - 1.
//!
//! **Sources.** Edmonds, "Edge-disjoint branchings", 1973; Bang-Jensen, Frank, Jackson, 1995; Bérczi, Frank, "Packing arborescences",
//! 2009; Zhao and others, "ForestColl", arXiv 2402.06787, for switches and for shares of trees; Lee, Streinu, "Pebble game algorithms
//! and sparse graphs", 2008, for spanning trees.

use num_integer::Integer;
use num_rational::Ratio;

use super::arborescences::grow;
use super::bounds::{Bound, Collective};
use super::cuts::{Demand, Fraction, Terrain, feeds_switches};
use super::direct::direct;
use super::flow::{Amount, narrow};
use super::forest::{Arc, Forest, Route, Tree};
use super::graph::Link;
use super::levels::by_levels;
use super::paths::paths;
use super::spanning::spanning_trees;
use super::switches::{Aim, shortest_ways, without_switches};
use super::topology::Network;

/// Trees that together do a collective. All work at once, in a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// The collective.
    pub collective: Collective,
    /// Routes of all trees.
    pub routes: Vec<Route>,
    /// Trees that reduce: each rank sends to its parent. Their roots hold the sum. Of a scatter they are paths, from the root to the
    /// rank of a block, which is the root of the tree.
    pub reduce: Vec<Tree>,
    /// Trees that spread: each rank sends to its children. Of a gather they are paths, from the rank of a block to the root; of an
    /// alltoall blocks, of each rank to the ranks from the last to the first.
    pub spread: Vec<Tree>,
    /// What weights are shares of. If trees reduce, their weights add up to it; if trees spread, theirs, too. Of an allreduce the
    /// weights at a root are the same in both.
    pub parts: u128,
}

impl Schedule {
    /// A schedule that takes the time of the bound wherever [`Bound::is_exact`] holds. `None` for an alltoall elsewhere, and for
    /// capacities whose shares do not fit in 128 bits.
    ///
    /// # Panics
    /// If the root is no rank.
    #[must_use]
    pub fn new(network: &Network, collective: Collective) -> Option<Self> {
        let is_rank = |root| root < network.ranks();
        assert!(collective.root().is_none_or(is_rank), "the root is a rank");
        match collective {
            Collective::Alltoall => pairs(network),
            Collective::Gather { .. } | Collective::Scatter { .. } => one_way(network, collective),
            _ if network.is_half_duplex() => {
                spanning(network, collective).or_else(|| one_way(network, collective))
            }
            _ => one_way(network, collective),
        }
    }

    /// Makes one of trees that spread, on turned links if the collective runs backwards.
    fn from_forest(collective: Collective, forest: Forest) -> Self {
        let is_backward = collective.is_backward();
        let route = |arc: Arc| {
            let Arc {
                from,
                to,
                mut links,
                ..
            } = arc;
            if is_backward {
                links.reverse();
            }
            let (from, to) = if is_backward { (to, from) } else { (from, to) };
            Route { from, to, links }
        };
        let parts = forest.trees.iter().map(|tree| tree.weight).sum();
        let (reduce, spread) = match is_backward {
            true => (forest.trees, Vec::new()),
            false => (Vec::new(), forest.trees),
        };
        let routes = forest.arcs.into_iter().map(route).collect();
        Self {
            collective,
            routes,
            reduce,
            spread,
            parts,
        }
        .without_idle()
    }

    /// Drops routes that no tree takes.
    fn without_idle(mut self) -> Self {
        let mut numbers = vec![u32::MAX; self.routes.len()];
        let mut routes = Vec::new();
        for tree in self.reduce.iter_mut().chain(&mut self.spread) {
            for route in &mut tree.routes {
                let number = &mut numbers[*route as usize];
                if *number == u32::MAX {
                    *number = narrow(routes.len());
                    routes.push(self.routes[*route as usize].clone());
                }
                *route = *number;
            }
        }
        self.routes = routes;
        self
    }
}

/// Trees from each root of a collective that spreads, on turned links if it runs backwards.
fn spread(network: &Network, collective: Collective) -> Forest {
    let (ranks, nodes) = (network.ranks(), network.nodes());
    let links = network.turned(collective.is_backward());
    let copies = !matches!(
        collective,
        Collective::Gather { .. } | Collective::Scatter { .. }
    );
    let mut arcs = match !copies || feeds_switches(ranks, nodes, &links) {
        true => (0..)
            .zip(&links)
            .map(|(index, link)| Arc::new(index, link))
            .collect(),
        false => shortest_ways(network, &links),
    };
    let mut demand = collective.demand(ranks);
    let (ratio, _) = Terrain::new(ranks, nodes, &Arc::links(&arcs)).densest(&demand);
    scale(&mut arcs, ratio, &mut demand);
    if !copies {
        return paths(network, &arcs, &demand, collective);
    }
    if let Some(forest) = direct(network, &arcs, &demand) {
        return forest;
    }
    let aim = Aim::Spread(demand.clone());
    let (arcs, factor) = without_switches(network, arcs.clone(), aim).unwrap_or((arcs, 1));
    demand.scale(factor);
    by_levels(ranks, &arcs, &demand).unwrap_or_else(|| grow(ranks, arcs, &demand))
}

/// Makes arcs as wide, and demands as large, as makes them integers whose ratio of the bound is 1.
fn scale(arcs: &mut [Arc], ratio: Fraction, demand: &mut Demand) {
    let common = arcs.iter().fold(0, |all: Amount, arc| all.gcd(&arc.width));
    let Fraction { over, under } = Fraction::new(ratio.over * common, ratio.under);
    demand
        .weights
        .iter_mut()
        .for_each(|weight| *weight *= under);
    arcs.iter_mut()
        .for_each(|arc| arc.width = arc.width / common * over);
}

/// A schedule that uses each direction of a link for itself.
fn one_way(network: &Network, collective: Collective) -> Option<Schedule> {
    match collective {
        Collective::Allreduce => allreduce(network),
        _ => {
            let forest = spread(network, collective);
            Some(Schedule::from_forest(collective, forest))
        }
    }
}

/// Each block of an alltoall on its fixed route, where that takes the time of the bound.
fn pairs(network: &Network) -> Option<Schedule> {
    let ranks = network.ranks();
    let blocks = (0..ranks).flat_map(|from| (0..ranks).rev().map(move |to| (from, to)));
    let (mut routes, mut spread) = (Vec::new(), Vec::new());
    for (root, to) in blocks {
        let next = narrow(routes.len());
        routes.extend((root != to).then(|| Route {
            from: root,
            to,
            links: Vec::new(),
        }));
        spread.push(Tree {
            root,
            weight: 1,
            routes: (next..narrow(routes.len())).collect(),
        });
    }
    let is_exact = Bound::new(network, Collective::Alltoall).is_exact;
    is_exact.then(|| Schedule {
        collective: Collective::Alltoall,
        routes,
        reduce: Vec::new(),
        spread,
        parts: ranks as u128,
    })
}

fn allreduce(network: &Network) -> Option<Schedule> {
    let halves = [Collective::ReduceScatter, Collective::Allgather];
    let bound = Bound::new(network, Collective::Allreduce);
    let time: Ratio<u128> = halves
        .iter()
        .map(|half| Bound::new(network, *half).time)
        .sum();
    if network.is_even()
        && time > bound.time
        && let Some(schedule) = spanning(network, Collective::Allreduce)
    {
        return Some(schedule);
    }
    let [first, second] = halves.map(|half| Schedule::from_forest(half, spread(network, half)));
    joined(first, second)
}

/// Reduce-scatter and allgather, with weights over a common number of parts.
/// `None` if those do not fit in 128 bits.
fn joined(mut first: Schedule, mut second: Schedule) -> Option<Schedule> {
    let others = second.parts / first.parts.gcd(&second.parts);
    let parts = first.parts.checked_mul(others)?;
    let scale =
        |trees: &mut Vec<Tree>, by: u128| trees.iter_mut().for_each(|tree| tree.weight *= by);
    scale(&mut first.reduce, parts / first.parts);
    scale(&mut second.spread, parts / second.parts);
    let offset = narrow(first.routes.len());
    let trees = second.spread.iter_mut();
    trees.for_each(|tree| tree.routes.iter_mut().for_each(|route| *route += offset));
    first.routes.append(&mut second.routes);
    Some(Schedule {
        collective: Collective::Allreduce,
        routes: first.routes,
        reduce: first.reduce,
        spread: second.spread,
        parts,
    })
}

/// Spanning trees, from each root of the collective; of an allreduce from the middle of each tree.
fn spanning(network: &Network, collective: Collective) -> Option<Schedule> {
    let Forest { arcs, trees } = spanning_trees(network)?;
    let back = |link: &u32| {
        let Link { from, to, .. } = network.links()[*link as usize];
        network.link(to, from).map(narrow)
    };
    let turned = arcs.iter().map(|arc| Route {
        from: arc.to,
        to: arc.from,
        links: arc.links.iter().rev().filter_map(back).collect(),
    });
    let there = arcs.iter().map(|arc| Route {
        from: arc.from,
        to: arc.to,
        links: arc.links.clone(),
    });
    let routes: Vec<_> = there.chain(turned).collect();
    let mut schedule = Schedule {
        collective,
        routes,
        reduce: Vec::new(),
        spread: Vec::new(),
        parts: trees.iter().map(|tree| tree.weight).sum(),
    };
    let mut roots = match collective.root() {
        Some(root) => vec![root],
        None => (0..network.ranks()).collect(),
    };
    for tree in &trees {
        let unrooted = Unrooted::new(&schedule.routes, tree, network.ranks());
        if collective == Collective::Allreduce {
            roots = vec![unrooted.middle()];
        }
        for &root in &roots {
            let [spread, reduce] = unrooted.at(root, tree.weight);
            match collective {
                Collective::Allreduce => {
                    schedule.reduce.push(reduce);
                    schedule.spread.push(spread);
                }
                _ if collective.is_backward() => schedule.reduce.push(reduce),
                _ => schedule.spread.push(spread),
            }
        }
    }
    schedule.parts *= roots.len() as u128;
    Some(schedule.without_idle())
}

/// A tree without a root: for each rank the routes that leave it and those that enter it, with the other rank.
struct Unrooted {
    near: Vec<Vec<(usize, [u32; 2])>>,
}

impl Unrooted {
    /// The second half of the routes are those of the first half turned round.
    fn new(routes: &[Route], tree: &Tree, ranks: usize) -> Self {
        let mut near = vec![Vec::new(); ranks];
        let half = narrow(routes.len() / 2);
        for &there in &tree.routes {
            let Route { from, to, .. } = routes[there as usize];
            near[from].push((to, [there, there + half]));
            near[to].push((from, [there + half, there]));
        }
        Self { near }
    }

    /// Ranks after those that are nearer to a root, each with its distance, its parent, and the routes from and to it.
    fn walk(&self, root: usize) -> Vec<(usize, usize, usize, [u32; 2])> {
        let mut order = vec![(root, 0, root, [u32::MAX; 2])];
        let mut index = 0;
        while let Some(&(rank, far, parent, _)) = order.get(index) {
            let children = self.near[rank].iter().filter(|(child, _)| *child != parent);
            order.extend(children.map(|&(child, routes)| (child, far + 1, rank, routes)));
            index += 1;
        }
        order
    }

    /// The rank whose distance to all others is least.
    fn middle(&self) -> usize {
        let height = |root: &usize| self.walk(*root).last().map(|(_, far, ..)| *far);
        (0..self.near.len()).min_by_key(height).unwrap_or(0)
    }

    /// The tree that spreads from a root, and the one that reduces to it.
    fn at(&self, root: usize, weight: u128) -> [Tree; 2] {
        let walk = self.walk(root);
        [0, 1].map(|way| Tree {
            root,
            weight,
            routes: walk[1..].iter().map(|(.., routes)| routes[way]).collect(),
        })
    }
}
