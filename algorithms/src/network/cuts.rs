//! The cut or the partition that bounds a collective, by Newton on its ratio with max-flows.

use super::flow::{Amount, ENDLESS, Flow};
use super::graph::{Link, Near};
use num_integer::Integer;

/// A positive fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    pub(super) over: Amount,
    pub(super) under: Amount,
}

impl Fraction {
    pub(super) fn new(over: Amount, under: Amount) -> Self {
        let common = over.gcd(&under).max(1);
        Self {
            over: over / common,
            under: under / common,
        }
    }

    pub(super) fn is_above(self, other: Self) -> bool {
        self.over * other.under > other.over * self.under
    }
}

/// What spreads from ranks, and which ranks need all of it.
#[derive(Clone)]
pub(super) struct Demand {
    /// What starts at each rank.
    pub(super) weights: Vec<Amount>,
    /// Ranks that need everything, which starts elsewhere, too.
    pub(super) sinks: Vec<usize>,
}

impl Demand {
    /// Makes all of it larger by a factor.
    pub(super) fn scale(&mut self, factor: Amount) {
        self.weights.iter_mut().for_each(|weight| *weight *= factor);
    }
}

/// Links as a flow sees them, and an order of the ranks in which each is near to earlier ones.
pub(super) struct Terrain<'a> {
    nodes: usize,
    links: &'a [Link<Amount>],
    ranks: usize,
    near: Near,
    order: Vec<usize>,
}

impl<'a> Terrain<'a> {
    pub(super) fn new(ranks: usize, nodes: usize, links: &'a [Link<Amount>]) -> Self {
        let near = Near::new(nodes, links, false);
        let hops = near.hops(0);
        let mut order: Vec<_> = (0..ranks).collect();
        order.sort_by_key(|rank| hops[*rank]);
        Self {
            nodes,
            links,
            ranks,
            near,
            order,
        }
    }

    /// The largest ratio of what starts in a set that lacks a sink to the capacity of the links that leave it, and the set.
    pub(super) fn densest(&self, demand: &Demand) -> (Fraction, Vec<bool>) {
        let none = Fraction { over: 0, under: 1 };
        let all = (none, vec![true; self.nodes]);
        self.denser(demand, none, false).unwrap_or(all)
    }

    /// A set whose links carry less than what starts in it, and which lacks a sink.
    pub(super) fn violated(&self, demand: &Demand) -> Option<Vec<bool>> {
        let even = Fraction { over: 1, under: 1 };
        self.denser(demand, even, true).map(|(_, set)| set)
    }

    /// The set with the largest ratio above `best`, or with `is_first` the first one found.
    ///
    /// A flow enters each rank at its weight, all links are as wide as the ratio makes them. The ratio is large enough if all of it
    /// reaches each sink. A sink that is proven is in all sets that are left, so it becomes a source: later flows stay near.
    /// Costs a flow for each sink, and one more for each better set.
    fn denser(
        &self,
        demand: &Demand,
        mut best: Fraction,
        is_first: bool,
    ) -> Option<(Fraction, Vec<bool>)> {
        let all: Amount = demand.weights.iter().sum();
        let source = self.nodes;
        let mut pipes: Vec<_> = self
            .links
            .iter()
            .map(|link| Link::new(link.to, link.from, 0))
            .collect();
        pipes.extend((0..self.ranks).map(|rank| Link::new(rank, source, 0)));
        let mut flow = Flow::<Amount>::new(self.nodes + 1, &pipes);
        let widen = |flow: &mut Flow, best: Fraction| {
            for (index, link) in self.links.iter().enumerate() {
                flow.set(index, best.over * link.capacity);
            }
            for (rank, weight) in demand.weights.iter().enumerate() {
                flow.set(self.links.len() + rank, best.under * weight);
            }
        };
        widen(&mut flow, best);
        let mut is_source = vec![false; self.nodes + 1];
        is_source[source] = true;
        let is_sink = members(self.ranks, &demand.sinks);
        let mut found = None;
        // Sinks far apart come first, so that later ones are near to some of them.
        let mut places: Vec<_> = (0..self.ranks).collect();
        places.sort_by_key(|place| place.reverse_bits());
        let order = places.iter().map(|place| self.order[*place]);
        for sink in order.filter(|rank| is_sink[*rank]) {
            while flow.run(sink, &is_source, all * best.under) < all * best.under {
                let mut set = vec![true; self.nodes];
                flow.reached().for_each(|node| set[node] = false);
                best = self.ratio(demand, &set);
                found = Some((best, set));
                if is_first {
                    return found;
                }
                flow.keep();
                widen(&mut flow, best);
            }
            flow.undo();
            is_source[sink] = true;
        }
        found
    }

    fn ratio(&self, demand: &Demand, set: &[bool]) -> Fraction {
        let inside = demand
            .weights
            .iter()
            .zip(set)
            .filter(|(_, is_inside)| **is_inside);
        Fraction::new(
            inside.map(|(weight, _)| *weight).sum(),
            leaving(self.links, set),
        )
    }

    /// The partition of the ranks with the least sum of capacities that leave its parts over their number less 1, and its parts
    /// with the switches that make each sum least.
    ///
    /// Dilworth truncation by Edmonds' greedy algorithm: rank by rank, the largest number that no set of earlier ranks forbids,
    /// by a cut each. Tight sets that meet become one part. The flow of earlier ranks is kept, so that each new one stays near.
    pub(super) fn strength(&self) -> (Fraction, Vec<Vec<usize>>) {
        let alone: Vec<_> = (0..self.ranks).map(|rank| vec![rank]).collect();
        let mut best = self.value(&alone);
        let mut parts = alone;
        loop {
            let mut finer = self.truncate(best);
            if finer.len() < 2 {
                return (best, parts);
            }
            self.take_switches(&mut finer);
            let value = self.value(&finer);
            if !best.is_above(value) {
                return (best, parts);
            }
            (best, parts) = (value, finer);
        }
    }

    /// Whether some partition is below a ratio.
    pub(super) fn is_weaker(&self, ratio: Fraction) -> bool {
        let mut parts = self.truncate(ratio);
        self.take_switches(&mut parts);
        parts.len() > 1 && ratio.is_above(self.value(&parts))
    }

    fn value(&self, parts: &[Vec<usize>]) -> Fraction {
        let mut part_of = vec![usize::MAX; self.nodes];
        let mut sum = 0;
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|node| part_of[*node] = number);
            let links = part.iter().flat_map(|node| self.near.of(*node));
            let leave = links.filter(|(_, to)| part_of[*to] != number);
            sum += leave
                .map(|(link, _)| self.links[*link].capacity)
                .sum::<Amount>();
        }
        Fraction::new(sum, Amount::try_from(parts.len() - 1).unwrap_or(ENDLESS))
    }

    /// The partition with the least sum of what leaves each part, less the ratio for each part.
    fn truncate(&self, ratio: Fraction) -> Vec<Vec<usize>> {
        let sink = self.nodes;
        let mut pipes = self.links.to_vec();
        pipes
            .iter_mut()
            .for_each(|pipe| pipe.capacity *= ratio.under);
        pipes.extend((0..self.ranks).map(|rank| Link::new(rank, sink, 0)));
        let mut flow = Flow::<Amount>::new(self.nodes + 1, &pipes);
        let mut is_goal: Vec<_> = (0..=sink)
            .map(|node| node < self.ranks || node == sink)
            .collect();
        let mut parts: Vec<usize> = (0..self.ranks).collect();
        for &rank in &self.order {
            is_goal[rank] = false;
            let width = flow.run(rank, &is_goal, ENDLESS);
            for other in flow.reached().filter(|node| *node < self.ranks) {
                join(&mut parts, rank, other);
            }
            flow.undo();
            // Of what ended here before, and of what the rank may add, this much leaves it for good.
            flow.run(rank, &is_goal, (width - ratio.over).max(0));
            flow.keep();
            flow.set(self.links.len() + rank, (ratio.over - width).max(0));
        }
        let mut sets = vec![Vec::new(); self.ranks];
        for rank in 0..self.ranks {
            sets[find(&mut parts, rank)].push(rank);
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// Adds to each part the switches with which the least capacity leaves it.
    fn take_switches(&self, parts: &mut [Vec<usize>]) {
        if self.ranks == self.nodes {
            return;
        }
        let mut least = LeastCut::new(self);
        for part in parts {
            *part = least.around(part).1;
        }
    }
}

/// Cuts around sets of ranks, with the switches that make them least.
pub(super) struct LeastCut {
    flow: Flow,
    is_goal: Vec<bool>,
    links: usize,
}

impl LeastCut {
    pub(super) fn new(terrain: &Terrain) -> Self {
        let mut pipes = terrain.links.to_vec();
        pipes.extend((0..terrain.ranks).map(|rank| Link::new(terrain.nodes, rank, 0)));
        Self {
            flow: Flow::new(terrain.nodes + 1, &pipes),
            is_goal: (0..=terrain.nodes)
                .map(|node| node < terrain.ranks)
                .collect(),
            links: terrain.links.len(),
        }
    }

    /// The least capacity that leaves a set of ranks with any switches, and the set with the fewest such switches.
    pub(super) fn around(&mut self, ranks: &[usize]) -> (Amount, Vec<usize>) {
        let source = self.is_goal.len() - 1;
        for &rank in ranks {
            self.is_goal[rank] = false;
            self.flow.set(self.links + rank, ENDLESS);
        }
        let width = self.flow.run(source, &self.is_goal, ENDLESS);
        let mut set: Vec<_> = self.flow.reached().filter(|node| *node != source).collect();
        set.sort_unstable();
        self.flow.undo();
        for &rank in ranks {
            self.is_goal[rank] = true;
            self.flow.set(self.links + rank, 0);
        }
        (width, set)
    }
}

/// The capacity of the links that leave a set of nodes.
pub(super) fn leaving(links: &[Link<Amount>], is_inside: &[bool]) -> Amount {
    let leave = links
        .iter()
        .filter(|link| is_inside[link.from] && !is_inside[link.to]);
    leave.map(|link| link.capacity).sum()
}

/// Whether each switch receives at least as much as it sends: only then schedules are sure to reach cuts, because it does not copy.
pub(super) fn feeds_switches(ranks: usize, nodes: usize, links: &[Link<Amount>]) -> bool {
    let mut surplus = vec![0; nodes];
    for link in links {
        surplus[link.to] += link.capacity;
        surplus[link.from] -= link.capacity;
    }
    surplus[ranks..].iter().all(|surplus| *surplus >= 0)
}

/// Which nodes are in a list.
pub(super) fn members(nodes: usize, list: &[usize]) -> Vec<bool> {
    let mut is_inside = vec![false; nodes];
    list.iter().for_each(|node| is_inside[*node] = true);
    is_inside
}

/// The first member of the set of a rank.
fn find(parts: &mut [usize], mut rank: usize) -> usize {
    while parts[rank] != rank {
        parts[rank] = parts[parts[rank]];
        rank = parts[rank];
    }
    rank
}

fn join(parts: &mut [usize], a: usize, b: usize) {
    let (a, b) = (find(parts, a), find(parts, b));
    parts[a.max(b)] = a.min(b);
}
