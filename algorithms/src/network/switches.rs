//! Networks without their switches: a link to a switch and a link from it become one.
//!
//! Splitting off (Bang-Jensen, Frank, Jackson): where a switch receives as much as it sends, its links can be paired, by shares,
//! such that no set of nodes that lacks a rank sends less than what starts in it. Pairs that keep trees low are tried first, all
//! at once; where they break a cut, pairs are taken one by one, each at the largest share.

use num_integer::Integer;

use super::cuts::{Demand, Fraction, Terrain, feeds_switches, leaving};
use super::flow::{Amount, narrow};
use super::forest::Arc;
use super::graph::{Link, Near};
use super::topology::{Network, Shape};

/// The widest arc.
const MOST_WIDTH: Amount = 1 << 76;

/// A link to a switch and one from it, and how wide they become together.
#[derive(Clone, Copy)]
struct Pair {
    into: usize,
    out: usize,
    width: Amount,
}

/// What must hold while switches are replaced.
pub(super) enum Aim {
    /// Sets that lack a rank send what starts in them.
    Spread(Demand),
    /// No partition has a lower ratio of what leaves its parts to their number less 1. Arcs come in twos, there and back.
    Strength(Fraction),
}

/// Replaces the arcs of all switches. Returns the arcs and the factor by which they became wider: demands and ratios have to as
/// well. `None` if that was not found, which does not happen to a demand.
pub(super) fn without_switches(
    network: &Network,
    mut arcs: Vec<Arc>,
    mut aim: Aim,
) -> Option<(Vec<Arc>, Amount)> {
    let mut factor = 1;
    for switch in outermost_last(network, &arcs) {
        factor *= Split::new(network, switch, &mut arcs, &mut aim).run()?;
    }
    Some((arcs, factor))
}

/// The switches with arcs, those far from ranks first.
fn outermost_last(network: &Network, arcs: &[Arc]) -> Vec<usize> {
    let near = Near::new(network.nodes(), &Arc::links(arcs), true);
    let hops = near.hops_over(0..network.ranks(), |_| true);
    let mut switches: Vec<_> = (network.ranks()..network.nodes()).collect();
    switches.sort_by_key(|switch| std::cmp::Reverse(hops[*switch]));
    switches
}

/// A shortest way over switches from each rank to each that it reaches so, with an equal share of its narrowest link, in
/// units that make shares integers or nearly.
///
/// For networks in which a switch can send more than it receives: no schedule is sure to reach their cuts.
pub(super) fn shortest_ways(network: &Network, links: &[Link<Amount>]) -> Vec<Arc> {
    let near = Near::new(network.nodes(), links, false);
    let mut arcs = Vec::new();
    let mut ways = vec![0; links.len()];
    for from in 0..network.ranks() {
        let goes_on = |_, node, is_start| is_start || node >= network.ranks();
        let mut own: Vec<Vec<u32>> = vec![Vec::new(); network.nodes()];
        for (to, before) in near.search([from], goes_on) {
            let Some((link, last)) = before else {
                continue;
            };
            own[to] = [&own[last][..], &[narrow(link)]].concat();
            if to < network.ranks() {
                own[to].iter().for_each(|link| ways[*link as usize] += 1);
                arcs.push(Arc {
                    from,
                    to,
                    width: 0,
                    links: own[to].clone(),
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
    aim: &'a mut Aim,
    /// By how much all arcs became wider.
    factor: Amount,
    /// Arcs to the switch and from it.
    into: Vec<usize>,
    out: Vec<usize>,
}

impl<'a> Split<'a> {
    fn new(network: &'a Network, switch: usize, arcs: &'a mut Vec<Arc>, aim: &'a mut Aim) -> Self {
        let of =
            |is: &dyn Fn(&Arc) -> bool| (0..arcs.len()).filter(|arc| is(&arcs[*arc])).collect();
        Self {
            into: of(&|arc| arc.to == switch),
            out: of(&|arc| arc.from == switch),
            network,
            switch,
            arcs,
            aim,
            factor: 1,
        }
    }

    fn run(mut self) -> Option<Amount> {
        if self.into.is_empty() || self.out.is_empty() {
            return Some(self.replace(&[]));
        }
        for choose in [Self::rails, Self::uniform, Self::across, Self::ring] {
            let pairs = choose(&mut self).and_then(|pairs| self.evened(pairs));
            if let Some(pairs) = pairs.filter(|pairs| self.holds(pairs)) {
                return Some(self.replace(&pairs));
            }
        }
        let Aim::Spread(demand) = &*self.aim else {
            return None;
        };
        let pairs = self.one_by_one(demand);
        Some(self.replace(&pairs))
    }

    /// Half of each pair with its reverse after it, if links have to stay even.
    fn evened(&mut self, mut pairs: Vec<Pair>) -> Option<Vec<Pair>> {
        if let Aim::Spread(_) = self.aim {
            return Some(pairs);
        }
        if pairs.iter().any(|pair| pair.width % 2 != 0) {
            self.scale(2)?;
            pairs.iter_mut().for_each(|pair| pair.width *= 2);
        }
        let halves = pairs.into_iter().flat_map(|pair| {
            let width = pair.width / 2;
            let (into, out) = (pair.out ^ 1, pair.into ^ 1);
            [Pair { width, ..pair }, Pair { into, out, width }]
        });
        Some(halves.collect())
    }

    /// Makes all arcs and the aim wider, unless they become too wide for sums.
    fn scale(&mut self, factor: Amount) -> Option<()> {
        let most = self.arcs.iter().map(|arc| arc.width).max()?;
        most.checked_mul(factor).filter(|most| *most < MOST_WIDTH)?;
        self.arcs.iter_mut().for_each(|arc| arc.width *= factor);
        self.factor *= factor;
        match self.aim {
            Aim::Spread(demand) => demand.scale(factor),
            Aim::Strength(ratio) => *ratio = Fraction::new(ratio.over * factor, ratio.under),
        }
        Some(())
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

    /// Puts pairs in place of the switch, and returns the factor.
    fn replace(self, pairs: &[Pair]) -> Amount {
        *self.arcs = self.with(pairs, false);
        self.factor
    }

    fn holds(&self, pairs: &[Pair]) -> bool {
        let links = Arc::links(&self.with(pairs, false));
        let terrain = Terrain::new(self.network.ranks(), self.network.nodes(), &links);
        match &*self.aim {
            // The switches that are left still receive as much as they send, or they cannot be replaced.
            Aim::Spread(demand) => {
                feeds_switches(self.network.ranks(), self.network.nodes(), &links)
                    && terrain.violated(demand).is_none()
            }
            Aim::Strength(ratio) => !terrain.is_weaker(*ratio),
        }
    }

    /// Equal shares of all pairs of ranks that are allowed; each rank's arc has the same number of them. `None` otherwise. Arcs between
    /// switches are left out.
    fn equal(&mut self, is_allowed: impl Fn(usize, usize) -> bool) -> Option<Vec<Pair>> {
        let ranks = self.network.ranks();
        let into: Vec<_> = self
            .into
            .iter()
            .copied()
            .filter(|arc| self.arcs[*arc].from < ranks)
            .collect();
        let out: Vec<_> = self
            .out
            .iter()
            .copied()
            .filter(|arc| self.arcs[*arc].to < ranks)
            .collect();
        let width = self.arcs[*into.first()?].width;
        let mut pairs = Vec::new();
        for &into in &into {
            for &out in &out {
                if is_allowed(self.arcs[into].from, self.arcs[out].to) {
                    pairs.push(Pair {
                        into,
                        out,
                        width: 0,
                    });
                }
            }
        }
        let count = pairs.len() / into.len();
        let mut counts = vec![0; self.arcs.len()];
        for pair in &pairs {
            counts[pair.into] += 1;
            counts[pair.out] += 1;
        }
        let all = || into.iter().chain(&out);
        if count == 0 || all().any(|arc| counts[*arc] != count || self.arcs[*arc].width != width) {
            return None;
        }
        let count = Amount::try_from(count).unwrap_or(1);
        let factor = count / count.gcd(&width);
        self.scale(factor)?;
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
        self.equal(|from, to| from != to && from % size == to % size)
    }

    /// All pairs of ranks.
    fn uniform(&mut self) -> Option<Vec<Pair>> {
        self.equal(|from, to| from != to)
    }

    /// Each arc to the one across: those of ranks to those of switches, if both are as wide.
    fn across(&mut self) -> Option<Vec<Pair>> {
        let all: Amount = self.out.iter().map(|arc| self.arcs[*arc].width).sum();
        self.circle(all / 2)
    }

    /// Each arc to the next one.
    fn ring(&mut self) -> Option<Vec<Pair>> {
        let both = self.into.iter().chain(&self.out);
        self.circle(both.map(|arc| self.arcs[*arc].width).max()?)
    }

    /// Widths lie on a circle, those of ranks first, then those of switches by rail. What enters leaves so far ahead. `None` if that
    /// is where it comes from, or if the switch sends less than it receives.
    fn circle(&self, ahead: Amount) -> Option<Vec<Pair>> {
        let width = |arc: &usize| self.arcs[*arc].width;
        let most = self.into.iter().chain(&self.out).map(width).max()?;
        let all: Amount = self.out.iter().map(width).sum();
        let is_even = self.into.iter().map(width).sum::<Amount>() == all;
        if !is_even || ahead < most || all - ahead < most {
            return None;
        }
        let rail = |node: usize| {
            let below = self
                .arcs
                .iter()
                .filter(|arc| arc.from == node && arc.to < self.network.ranks());
            let first = below.map(|arc| arc.to).min();
            match *self.network.shape() {
                Shape::Boxes { size } => first.map(|rank| rank % size),
                _ => None,
            }
        };
        let place = |node: usize| (node >= self.network.ranks(), rail(node), node);
        let (mut into, mut out) = (self.into.clone(), self.out.clone());
        into.sort_by_cached_key(|arc| place(self.arcs[*arc].from));
        out.sort_by_cached_key(|arc| place(self.arcs[*arc].to));
        let mut pairs = Vec::new();
        let mut exits = out.iter().cycle().map(|arc| (*arc, width(arc)));
        // The arc at the place of the first that enters, and what is left of it there.
        let (mut exit, mut passed) = (exits.next()?, 0);
        while passed + exit.1 <= ahead {
            passed += exit.1;
            exit = exits.next()?;
        }
        exit.1 -= ahead - passed;
        for &arc in &into {
            let mut left = width(&arc);
            while left > 0 {
                let width = left.min(exit.1);
                pairs.push(Pair {
                    into: arc,
                    out: exit.0,
                    width,
                });
                (left, exit.1) = (left - width, exit.1 - width);
                if exit.1 == 0 {
                    exit = exits.next()?;
                }
            }
        }
        Some(pairs)
    }

    /// Pairs one by one, each as wide as no cut forbids; those that lead back to where they start last.
    fn one_by_one(&self, demand: &Demand) -> Vec<Pair> {
        let mut pairs: Vec<Pair> = Vec::new();
        let mut left: Vec<_> = self.arcs.iter().map(|arc| arc.width).collect();
        for is_back in [false, true] {
            for &out in &self.out {
                for &into in &self.into {
                    if (self.arcs[into].from == self.arcs[out].to) != is_back {
                        continue;
                    }
                    let most = left[into].min(left[out]);
                    let width = self.widest(
                        demand,
                        &pairs,
                        Pair {
                            into,
                            out,
                            width: most,
                        },
                    );
                    left[into] -= width;
                    left[out] -= width;
                    pairs.extend((width > 0).then_some(Pair { into, out, width }));
                }
            }
        }
        pairs
    }

    /// The largest width of one more pair: what the narrowest cut leaves.
    fn widest(&self, demand: &Demand, pairs: &[Pair], mut pair: Pair) -> Amount {
        while pair.width > 0 {
            let arcs = self.with(&[pairs, &[pair]].concat(), true);
            let links = Arc::links(&arcs);
            let terrain = Terrain::new(self.network.ranks(), self.network.nodes(), &links);
            let Some(set) = terrain.violated(demand) else {
                break;
            };
            let weights = demand
                .weights
                .iter()
                .zip(&set)
                .filter(|(_, is_inside)| **is_inside);
            let needed: Amount = weights.map(|(weight, _)| weight).sum();
            pair.width -= needed - leaving(&links, &set);
        }
        pair.width.max(0)
    }
}
