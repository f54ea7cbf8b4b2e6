//! Networks without their switches: a link to a switch and a link from it become one.
//!
//! Splitting off (Bang-Jensen, Frank, Jackson): where a switch receives as much as it sends, its links can be paired, by shares,
//! such that no set of nodes that lacks a rank sends less than what starts in it. Pairs that keep trees low are tried first, all
//! at once; where they break a cut, pairs are taken one by one, each at the largest share.

use std::collections::VecDeque;

use num_integer::Integer;

use super::cuts::{Demand, Terrain, leaving, pipe};
use super::flow::{Amount, ENDLESS, Flow, Pipe};
use super::graph::Near;
use super::packing::Arc;
use super::{Link, Network, Shape};

/// A link to a switch and one from it, and how wide they become together.
#[derive(Clone, Copy)]
struct Pair {
    into: usize,
    out: usize,
    width: Amount,
}

/// Replaces the arcs of all switches. Widths and demands may become multiples of what they were.
pub(super) fn without_switches(network: &Network, arcs: &mut Vec<Arc>, demand: &mut Demand) {
    if arcs.iter().all(|arc| arc.from.max(arc.to) < network.ranks) {
        return;
    }
    // Switches far from ranks go first.
    let links = Arc::links(arcs);
    let near = Near::new(network.nodes(), &links, true);
    let mut hops = vec![u32::MAX; network.nodes()];
    hops[..network.ranks].fill(0);
    let mut queue: VecDeque<_> = (0..network.ranks).collect();
    while let Some(node) = queue.pop_front() {
        for &(_, other) in near.of(node) {
            if hops[other] == u32::MAX {
                hops[other] = hops[node] + 1;
                queue.push_back(other);
            }
        }
    }
    let mut switches: Vec<_> = (network.ranks..network.nodes()).collect();
    switches.sort_by_key(|switch| std::cmp::Reverse(hops[*switch]));
    for switch in switches {
        Split::new(network, switch, arcs, demand).run();
    }
}

/// A shortest way over switches from each rank to each that it reaches so, with an equal share of its narrowest link, in
/// units that make shares integers or nearly.
///
/// For networks in which a switch can send more than it receives: no schedule is sure to reach their cuts.
pub(super) fn shortest_ways(network: &Network, links: &[Link<Amount>]) -> Vec<Arc> {
    let near = Near::new(network.nodes(), links, false);
    let mut arcs = Vec::new();
    let mut ways = vec![0; links.len()];
    for from in 0..network.ranks {
        let mut seen = vec![false; network.nodes()];
        seen[from] = true;
        let mut queue = VecDeque::from([(from, Vec::new())]);
        while let Some((node, way)) = queue.pop_front() {
            for &(link, to) in near
                .of(node)
                .iter()
                .filter(|_| node == from || node >= network.ranks)
            {
                if !std::mem::replace(&mut seen[to], true) {
                    let mut way = way.clone();
                    way.push(u32::try_from(link).unwrap_or(u32::MAX));
                    queue.push_back((to, way));
                }
            }
            if node < network.ranks && node != from {
                way.iter().for_each(|link| ways[*link as usize] += 1);
                arcs.push(Arc {
                    from,
                    to: node,
                    width: 0,
                    links: way,
                });
            }
        }
    }
    let most = ways.iter().max().copied().unwrap_or(1);
    for arc in &mut arcs {
        let shares = arc.links.iter().map(|link| *link as usize);
        let shares = shares.map(|link| links[link].capacity * most / ways[link]);
        arc.width = shares.min().unwrap_or(0);
    }
    arcs
}

/// A switch that is replaced.
struct Split<'a> {
    network: &'a Network,
    switch: usize,
    arcs: &'a mut Vec<Arc>,
    demand: &'a mut Demand,
    /// Arcs to the switch and from it.
    into: Vec<usize>,
    out: Vec<usize>,
}

impl<'a> Split<'a> {
    fn new(
        network: &'a Network,
        switch: usize,
        arcs: &'a mut Vec<Arc>,
        demand: &'a mut Demand,
    ) -> Self {
        let of =
            |is: &dyn Fn(&Arc) -> bool| (0..arcs.len()).filter(|arc| is(&arcs[*arc])).collect();
        Self {
            into: of(&|arc| arc.to == switch),
            out: of(&|arc| arc.from == switch),
            network,
            switch,
            arcs,
            demand,
        }
    }

    fn run(mut self) {
        if self.into.is_empty() || self.out.is_empty() {
            return self.replace(&[]);
        }
        for choose in [Self::rails, Self::uniform, Self::filled] {
            let pairs = choose(&mut self).filter(|pairs| self.holds(pairs));
            if let Some(pairs) = pairs {
                return self.replace(&pairs);
            }
        }
        let pairs = self.one_by_one();
        self.replace(&pairs);
    }

    /// The arcs with some pairs in place of what they take from the arcs of the switch.
    fn with(&self, pairs: &[Pair], keeps_rest: bool) -> Vec<Arc> {
        let mut arcs = self.arcs.clone();
        for pair in pairs {
            arcs[pair.into].width -= pair.width;
            arcs[pair.out].width -= pair.width;
            let (into, out) = (&self.arcs[pair.into], &self.arcs[pair.out]);
            if into.from != out.to && pair.width > 0 {
                arcs.push(Arc {
                    from: into.from,
                    to: out.to,
                    width: pair.width,
                    links: [&into.links[..], &out.links[..]].concat(),
                });
            }
        }
        arcs.retain(|arc| keeps_rest || arc.from != self.switch && arc.to != self.switch);
        arcs
    }

    fn replace(self, pairs: &[Pair]) {
        *self.arcs = self.with(pairs, false);
    }

    /// A set that sends too little after pairs were replaced.
    fn broken(&self, arcs: &[Arc]) -> Option<Vec<bool>> {
        let links = Arc::links(arcs);
        Terrain::new(self.network.ranks, self.network.nodes(), &links).violated(self.demand)
    }

    fn holds(&self, pairs: &[Pair]) -> bool {
        self.broken(&self.with(pairs, false)).is_none()
    }

    /// Equal shares of all pairs that are allowed; each arc has the same number of them. `None` otherwise.
    fn equal(&mut self, is_allowed: impl Fn(usize, usize) -> bool) -> Option<Vec<Pair>> {
        let width = self.arcs[self.into[0]].width;
        let mut pairs = Vec::new();
        for &into in &self.into {
            for &out in &self.out {
                if is_allowed(self.arcs[into].from, self.arcs[out].to) {
                    pairs.push(Pair {
                        into,
                        out,
                        width: 0,
                    });
                }
            }
        }
        let count = pairs.len() / self.into.len();
        let mut counts = vec![0; self.arcs.len()];
        for pair in &pairs {
            counts[pair.into] += 1;
            counts[pair.out] += 1;
        }
        let all = || self.into.iter().chain(&self.out);
        if count == 0 || all().any(|arc| counts[*arc] != count || self.arcs[*arc].width != width) {
            return None;
        }
        let count = Amount::try_from(count).unwrap_or(1);
        let factor = count / count.gcd(&width);
        self.arcs.iter_mut().for_each(|arc| arc.width *= factor);
        self.demand
            .weights
            .iter_mut()
            .for_each(|weight| *weight *= factor);
        pairs
            .iter_mut()
            .for_each(|pair| pair.width = width * factor / count);
        Some(pairs)
    }

    /// Pairs of ranks with the same number in their boxes.
    fn rails(&mut self) -> Option<Vec<Pair>> {
        let Shape::Boxes { size } = *self.network.shape() else {
            return None;
        };
        let ranks = self.network.ranks;
        self.equal(|from, to| from != to && from < ranks && to < ranks && from % size == to % size)
    }

    /// All pairs of ranks.
    fn uniform(&mut self) -> Option<Vec<Pair>> {
        let ranks = self.network.ranks;
        self.equal(|from, to| from != to && from < ranks && to < ranks)
    }

    /// Any pairs that use all that the switch sends.
    fn filled(&mut self) -> Option<Vec<Pair>> {
        let (start, goal) = (
            self.into.len() + self.out.len(),
            self.into.len() + self.out.len() + 1,
        );
        let mut pipes = Vec::new();
        for (index, into) in self.into.iter().enumerate() {
            pipes.push(Pipe {
                capacity: self.arcs[*into].width,
                ..pipe(start, index)
            });
            for (number, out) in self.out.iter().enumerate() {
                if self.arcs[*into].from != self.arcs[*out].to {
                    pipes.push(Pipe {
                        capacity: ENDLESS,
                        ..pipe(index, self.into.len() + number)
                    });
                }
            }
        }
        pipes.extend(self.out.iter().enumerate().map(|(number, out)| Pipe {
            capacity: self.arcs[*out].width,
            ..pipe(self.into.len() + number, goal)
        }));
        let mut flow = Flow::new(goal + 1, &pipes);
        let mut is_goal = vec![false; goal + 1];
        is_goal[goal] = true;
        flow.run(start, &is_goal, ENDLESS);
        let pairs = pipes
            .iter()
            .enumerate()
            .filter(|(_, pipe)| pipe.from < self.into.len());
        let pairs = pairs.map(|(index, pipe)| Pair {
            into: self.into[pipe.from],
            out: self.out[pipe.to - self.into.len()],
            width: flow.left(index)[1],
        });
        Some(pairs.filter(|pair| pair.width > 0).collect())
    }

    /// Pairs one by one, each as wide as no cut forbids; those that lead back to where they start last.
    fn one_by_one(&self) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut left: Vec<_> = self.arcs.iter().map(|arc| arc.width).collect();
        for is_back in [false, true] {
            for &out in &self.out {
                for &into in &self.into {
                    if (self.arcs[into].from == self.arcs[out].to) != is_back {
                        continue;
                    }
                    let width = self.widest(&pairs, into, out, left[into].min(left[out]));
                    left[into] -= width;
                    left[out] -= width;
                    pairs.extend((width > 0).then_some(Pair { into, out, width }));
                }
            }
        }
        pairs
    }

    /// The largest width of one more pair: what the narrowest cut leaves.
    fn widest(&self, pairs: &[Pair], into: usize, out: usize, most: Amount) -> Amount {
        let mut width = most;
        let mut pairs = pairs.to_vec();
        while width > 0 {
            pairs.push(Pair { into, out, width });
            let arcs = self.with(&pairs, true);
            let Some(set) = self.broken(&arcs) else { break };
            let weights = self
                .demand
                .weights
                .iter()
                .zip(&set)
                .filter(|(_, is_inside)| **is_inside);
            let needed: Amount = weights.map(|(weight, _)| weight).sum();
            width -= needed - leaving(&Arc::links(&arcs), &set);
            pairs.pop();
        }
        width.max(0)
    }
}
