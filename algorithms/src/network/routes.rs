//! Fixed routes, and how much the messages of an algorithm load each link.
//!
//! | shape | route |
//! |---|---|
//! | grid | along the last dimension, then the one before it, the shorter way; of a tie half goes each way |
//! | boxes | within a box over its own links; to another box over switches only |
//! | others | a shortest path over switches only; where there is none, over ranks, too |
//!
//! Of several links on shortest paths the widest ones are taken. Of c such links a message to rank d takes the one with the
//! number `d / p % c`, where p is the product of the c before it (D-mod-k, as static routes of fat trees). A message whose
//! dimension-order route has lost a link takes a shortest path, too.
//!
//! The load of a link is the sum of the bytes over it. The largest load over its capacity is a time that no schedule of these
//! messages on these routes beats; it says nothing about latency.

use std::collections::BTreeMap;

use num_rational::Ratio;

use super::graph::Near;
use super::{Network, Route, Shape};
use crate::engine::program::{Operation, Program};
use crate::error::Broken;

/// Bytes by receiver and sender.
pub type Traffic = BTreeMap<(usize, usize), u64>;

/// What the messages of a program carry, where rank r stands on node `places[r]`.
///
/// # Panics
/// If there are more ranks than places.
#[must_use]
pub fn traffic(program: &Program, places: &[usize]) -> Traffic {
    let mut traffic = Traffic::new();
    for from in 0..program.processors() {
        for operation in program.range(from) {
            if let Operation::Send { to, bytes, .. } = program.operation(operation) {
                let pair = [to, from].map(|rank| places[rank as usize]);
                let all = traffic.entry(pair.into()).or_insert(0_u64);
                *all = all.saturating_add(bytes);
            }
        }
    }
    traffic
}

/// Messages that load links for less time than the collective takes.
#[derive(Debug, thiserror::Error)]
#[error("their busiest link takes less time than the bound")]
pub struct BelowBound;

impl Broken for BelowBound {
    const WHAT: &'static str = "messages";
}

/// The load of each link.
#[derive(Debug, Clone)]
pub struct Loads<'a> {
    network: &'a Network,
    /// Twice the bytes over each link.
    halves: Vec<u128>,
}

impl<'a> Loads<'a> {
    /// The loads of messages between ranks.
    ///
    /// # Panics
    /// If the network has no such rank.
    #[must_use]
    pub fn new(network: &'a Network, traffic: &Traffic) -> Self {
        let mut halves = vec![0; network.links().len()];
        let mut routes = Routes::new(network);
        for (&(to, from), &bytes) in traffic {
            routes.each(from, to, |link, share| {
                // So that a load times the denominator of capacities stays below 2^128.
                let load: u128 = halves[link] + u128::from(bytes) * share;
                halves[link] = load.min(u64::MAX.into());
            });
        }
        Self { network, halves }
    }

    /// The loads of a byte from each rank to each other one.
    #[must_use]
    pub fn of_pairs(network: &'a Network) -> Self {
        let all = 0..network.ranks();
        let pairs = all
            .clone()
            .flat_map(|to| all.clone().map(move |from| (to, from)));
        let others = pairs.filter(|(to, from)| to != from);
        Self::new(network, &others.map(|pair| (pair, 1)).collect())
    }

    /// The loads of messages on routes of their own, each with its bytes.
    ///
    /// # Panics
    /// If the network has no such link.
    #[must_use]
    pub fn along<'r>(
        network: &'a Network,
        messages: impl IntoIterator<Item = (&'r Route, u128)>,
    ) -> Self {
        let mut halves = vec![0; network.links().len()];
        for (route, bytes) in messages {
            for &link in &route.links {
                halves[link as usize] += 2 * bytes;
            }
        }
        Self { network, halves }
    }

    /// The bytes over a link.
    #[must_use]
    pub fn bytes(&self, link: usize) -> Ratio<u128> {
        Ratio::new(self.halves[link], 2)
    }

    /// How long a link takes, in units of a byte over a capacity of 1. The directions of a half-duplex link take turns.
    #[must_use]
    pub fn time_of(&self, link: usize) -> Ratio<u128> {
        let one = &self.network.links()[link];
        let back = self.network.link(one.to, one.from);
        let back = back.filter(|_| self.network.is_half_duplex());
        let halves = self.halves[link] + back.map_or(0, |back| self.halves[back]);
        let denominator = u128::from(self.network.denominator());
        Ratio::new(halves * denominator, 2 * u128::from(one.capacity))
    }

    /// The first of the links that take longest; none without messages.
    #[must_use]
    pub fn busiest(&self) -> Option<usize> {
        let used = (0..self.halves.len()).filter(|&link| self.halves[link] > 0);
        used.rev().max_by_key(|&link| self.time_of(link))
    }

    /// How long the busiest link takes.
    #[must_use]
    pub fn time(&self) -> Ratio<u128> {
        self.busiest()
            .map_or_else(|| Ratio::from_integer(0), |link| self.time_of(link))
    }
}

/// Through which nodes a route may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    OwnBox,
    Switches,
    All,
}

/// Routes to one receiver after the other.
struct Routes<'a> {
    network: &'a Network,
    out: Near,
    into: Near,
    /// The receiver, and the hops of each node to it where they are known.
    to: usize,
    hops: Vec<(Through, Vec<Option<u32>>)>,
}

impl<'a> Routes<'a> {
    fn new(network: &'a Network) -> Self {
        let near = |is_reversed| Near::new(network.nodes(), network.links(), is_reversed);
        Self {
            network,
            out: near(false),
            into: near(true),
            to: usize::MAX,
            hops: Vec::new(),
        }
    }

    /// Names each link of a route, with how many halves of a message it carries.
    fn each(&mut self, from: usize, to: usize, mut link: impl FnMut(usize, u128)) {
        if let Some(route) = self.along_dimensions(from, to) {
            route
                .into_iter()
                .for_each(|(crossed, halves)| link(crossed, halves));
            return;
        }
        if self.to != to {
            (self.to, self.hops) = (to, Vec::new());
        }
        let is_in_box =
            matches!(*self.network.shape(), Shape::Boxes { size } if from / size == to / size);
        let ways = [Through::OwnBox, Through::Switches, Through::All];
        for through in ways.into_iter().skip(usize::from(!is_in_box)) {
            let known = self.hops.iter().position(|(known, _)| *known == through);
            let known = known.unwrap_or_else(|| {
                let leads_on = |node| self.leads_on(node, through);
                let hops = self.into.hops_over([to], leads_on);
                self.hops.push((through, hops));
                self.hops.len() - 1
            });
            if self.hops[known].1[from].is_some() {
                return self.walk(from, &self.hops[known], |crossed| link(crossed, 2));
            }
        }
    }

    /// The links of a route in dimension order on a grid, with halves of a message, if all of them are there.
    fn along_dimensions(&self, from: usize, to: usize) -> Option<Vec<(usize, u128)>> {
        let Shape::Grid { sides, wraps } = self.network.shape() else {
            return None;
        };
        let (mut route, mut at, mut stride) = (Vec::new(), from, 1);
        for &side in sides.iter().rev() {
            let [here, there] = [at, to].map(|node| node / stride % side);
            let [up, down] = [there + side - here, here + side - there].map(|hops| hops % side);
            // Each way: whether up, its hops, and how many halves of a message go there.
            let ways = match wraps {
                false => vec![(there > here, here.abs_diff(there), 2)],
                true if up == down => vec![(true, up, 1), (false, down, 1)],
                true => vec![(up < down, up.min(down), 2)],
            };
            for (is_up, hops, halves) in ways {
                let mut node = at;
                for _ in 0..hops {
                    let own = node / stride % side;
                    let next = (own + if is_up { 1 } else { side - 1 }) % side;
                    let next = node - own * stride + next * stride;
                    route.push((self.network.link(node, next)?, halves));
                    node = next;
                }
            }
            at = at - here * stride + there * stride;
            stride *= side;
        }
        Some(route)
    }

    /// Whether a route to the receiver may lead through a node.
    fn leads_on(&self, node: usize, through: Through) -> bool {
        let ranks = self.network.ranks();
        let is_own = |rank: usize| match *self.network.shape() {
            Shape::Boxes { size } => rank < ranks && rank / size == self.to / size,
            _ => false,
        };
        match through {
            Through::OwnBox if node < ranks => is_own(node),
            Through::OwnBox => self.out.of(node).iter().all(|&(_, other)| is_own(other)),
            Through::Switches => node >= ranks,
            Through::All => true,
        }
    }

    fn walk(
        &self,
        from: usize,
        (through, hops): &(Through, Vec<Option<u32>>),
        mut link: impl FnMut(usize),
    ) {
        let (mut node, mut turn) = (from, self.to);
        while let Some(far) = hops[node].filter(|&far| far > 0) {
            let is_nearer = |other: usize| {
                hops[other] == Some(far - 1) && (other == self.to || self.leads_on(other, *through))
            };
            let nearer = self.out.of(node).iter().copied();
            let nearer: Vec<(usize, usize)> =
                nearer.filter(|&(_, other)| is_nearer(other)).collect();
            let width = |&(crossed, _): &(usize, usize)| self.network.links()[crossed].capacity;
            let widest = nearer.iter().map(width).max();
            let best = || nearer.iter().filter(|one| Some(width(one)) == widest);
            let count = best().count().max(1);
            let Some(&(crossed, next)) = best().nth(turn % count) else {
                return;
            };
            link(crossed);
            (node, turn) = (next, turn / count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Link;

    const NETWORKS: [&str; 9] = [
        "torus:4x4",
        "torus:2x3x4",
        "mesh:3x5",
        "hypercube:4",
        "fat-tree:4,taper=2",
        "dragonfly:5,2,2",
        "dgx1",
        "dgx-h100:8,pod=2",
        "mi250:2",
    ];

    fn networks() -> impl Iterator<Item = Network> {
        let broken = Network::named("torus:4x4").and_then(|torus| torus.without(0, 1));
        let named = NETWORKS.map(|name| Network::named(name).unwrap());
        named.into_iter().chain([broken.unwrap()])
    }

    /// Both halves of a message leave its sender, reach its receiver, and pass every other node; no route passes a node twice.
    #[test]
    fn routes_lead_from_senders_to_receivers() {
        for network in networks() {
            let mut routes = Routes::new(&network);
            for to in 0..network.ranks() {
                for from in (0..network.ranks()).filter(|from| *from != to) {
                    let (mut surplus, mut entered) =
                        (vec![0_i64; network.nodes()], vec![0; network.nodes()]);
                    routes.each(from, to, |link, halves| {
                        let Link { from, to, .. } = network.links()[link];
                        let halves = i64::try_from(halves).unwrap();
                        surplus[from] -= halves;
                        surplus[to] += halves;
                        entered[to] += halves;
                    });
                    let name = network.name();
                    assert_eq!(
                        (surplus[from], surplus[to]),
                        (-2, 2),
                        "{name}: {from} to {to}"
                    );
                    assert_eq!(
                        surplus.iter().filter(|one| **one != 0).count(),
                        2,
                        "{name}: {from} to {to}"
                    );
                    assert!(
                        entered.iter().all(|halves| *halves <= 2),
                        "{name}: {from} to {to}"
                    );
                }
            }
        }
    }

    /// Over a fat tree messages between pods never pass a rank, and all cores carry equal shares of a transpose.
    #[test]
    fn messages_to_all_spread_over_the_cores() {
        let network = Network::named("fat-tree:4").unwrap();
        let pairs =
            (0..16).flat_map(|to| (0..16).map(move |from| ((to, from), u64::from(to != from))));
        let loads = Loads::new(&network, &pairs.collect());
        let is_core = |node: usize| network.node(node).starts_with("core");
        let into_cores =
            (0..network.links().len()).filter(|&link| is_core(network.links()[link].to));
        // Each pod has 4 ranks, which send to 12 others, over 4 links to the cores.
        for link in into_cores {
            assert_eq!(loads.bytes(link), Ratio::from_integer(12));
        }
    }
}
