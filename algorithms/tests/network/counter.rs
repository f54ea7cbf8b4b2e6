//! A counter of what the trees of a schedule carry, which shares nothing with what makes them.

use castbench_algorithms::network::routes::{Loads, Traffic};
use castbench_algorithms::network::{Collective, Link, Network, Route, Schedule, Tree};
use num_rational::Ratio;
use num_traits::{CheckedDiv, Zero};

/// What a schedule does, counted from its trees alone.
pub trait Counted {
    /// The most routes from the root of a tree to a rank.
    fn height(&self) -> usize;
    /// What each link carries, in units of M. `None` if the trees do not do the collective.
    fn loads(&self, network: &Network) -> Option<Vec<Ratio<u128>>>;
    /// The largest load of a link over its capacity, in units of M over a capacity of 1.
    fn time(&self, network: &Network) -> Option<Ratio<u128>>;
}

impl Counted for Schedule {
    fn height(&self) -> usize {
        let mut heights = Vec::new();
        let mut height = |tree: &Tree, is_reduced: bool| {
            for route in &tree.routes {
                let Route { from, to, .. } = self.routes[*route as usize];
                let (parent, child) = if is_reduced { (to, from) } else { (from, to) };
                heights.resize(heights.len().max(parent + 1).max(child + 1), 0);
                if parent == tree.root {
                    heights[parent] = 0;
                }
                heights[child] = heights[parent] + 1;
            }
            let ends = tree.routes.iter().map(|route| {
                let Route { from, to, .. } = self.routes[*route as usize];
                heights[if is_reduced { from } else { to }]
            });
            ends.max().unwrap_or(0)
        };
        let reduced = self.reduce.iter().map(|tree| height(tree, true)).max();
        let spread = self.spread.iter().map(|tree| height(tree, false)).max();
        reduced.max(spread).unwrap_or(0)
    }

    /// What each link carries, in units of M, counted from the trees alone. `None` if the trees do not do the collective: if one does
    /// not span the ranks, a route is no path, or weights do not add up.
    fn loads(&self, network: &Network) -> Option<Vec<Ratio<u128>>> {
        let mut parts = vec![0_u128; network.links().len()];
        let mut at_roots = [vec![0; network.ranks()], vec![0; network.ranks()]];
        for (is_spread, trees) in [&self.reduce, &self.spread].into_iter().enumerate() {
            for tree in trees {
                *at_roots[is_spread].get_mut(tree.root)? += tree.weight;
                let mut has = vec![false; network.ranks()];
                has[tree.root] = true;
                for route in &tree.routes {
                    let route = self.routes.get(*route as usize)?;
                    let (parent, child) = match is_spread {
                        0 => (route.to, route.from),
                        _ => (route.from, route.to),
                    };
                    if !*has.get(parent)? || *has.get(child)? {
                        return None;
                    }
                    has[child] = true;
                    let mut at = route.from;
                    for &link in &route.links {
                        let Link { from, to, .. } = *network.links().get(link as usize)?;
                        if from != at || to < network.ranks() && to != route.to {
                            return None;
                        }
                        at = to;
                        parts[link as usize] += tree.weight;
                    }
                    if at != route.to {
                        return None;
                    }
                }
                let is_done = match self.collective {
                    Collective::Gather { root } | Collective::Scatter { root } => has[root],
                    _ => !has.contains(&false),
                };
                if !is_done {
                    return None;
                }
            }
        }
        weights_fit(self, &at_roots).then(|| {
            let share = |parts: &u128| Ratio::new(*parts, self.parts);
            parts.iter().map(share).collect()
        })
    }

    /// The time, in units of M over a capacity of 1: the largest load of a link over its capacity. `None` as for
    /// `loads`, and where it does not fit in 128 bits.
    fn time(&self, network: &Network) -> Option<Ratio<u128>> {
        if self.collective == Collective::Alltoall {
            let pairs = self.routes.iter().map(|route| ((route.to, route.from), 1));
            let pairs: Traffic = pairs.filter(|((to, from), _)| to != from).collect();
            let is_whole = pairs.len() == network.ranks() * (network.ranks() - 1);
            return is_whole.then(|| Loads::new(network, &pairs).time() / self.parts);
        }
        let mut loads = self.loads(network)?;
        if network.is_half_duplex() {
            let back = |link: &Link| network.link(link.to, link.from).map(|back| loads[back]);
            let both = network
                .links()
                .iter()
                .zip(&loads)
                .map(|(link, load)| Some(load + back(link)?));
            loads = both.collect::<Option<_>>()?;
        }
        let capacity = |link: &Link| Ratio::new(link.capacity.into(), network.denominator().into());
        let times = network.links().iter().zip(&loads);
        let times = times.map(|(link, load)| load.checked_div(&capacity(link)));
        times.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

/// Whether the weights at the roots, of trees that reduce and of trees that spread, are those of the collective.
fn weights_fit(schedule: &Schedule, [reduced, spread]: &[Vec<u128>; 2]) -> bool {
    let all: u128 = schedule.parts;
    let at = |root: usize, weights: &[u128]| {
        weights
            .iter()
            .enumerate()
            .all(|(rank, weight)| *weight == if rank == root { all } else { 0 })
    };
    let none = |weights: &[u128]| weights.iter().all(u128::is_zero);
    let each = |weights: &[u128]| {
        weights
            .iter()
            .all(|weight| weight * weights.len() as u128 == all)
    };
    match schedule.collective {
        Collective::Broadcast { root } => none(reduced) && at(root, spread),
        Collective::Reduce { root } => at(root, reduced) && none(spread),
        Collective::Allgather | Collective::Gather { .. } => none(reduced) && each(spread),
        Collective::ReduceScatter | Collective::Scatter { .. } => each(reduced) && none(spread),
        Collective::Allreduce => reduced == spread && reduced.iter().sum::<u128>() == all,
        Collective::Alltoall => false,
    }
}
