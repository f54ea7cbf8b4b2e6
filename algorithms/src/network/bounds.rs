//! The least time of a collective, and why nothing is faster.
//!
//! A certificate is a cut, a partition or the distances. What must cross its links, over their capacity, is a bound on the time of
//! every schedule: anybody can add it up, and [`Bound::check`] does. N is the number of ranks, B+(S) the capacity of the links
//! that leave the set of nodes S.
//!
//! | collective | certificate | crosses, in M | reached |
//! |---|---|---|---|
//! | broadcast, reduce | cut between the root and a rank | 1 | always (Edmonds) |
//! | gather, scatter | cut that holds the root or not | ranks on the other side over N | always (a flow) |
//! | allgather, reduce-scatter | cut | ranks that send, or receive, over N | always (ForestColl) |
//! | allreduce | partition of the ranks into k parts | 2(k-1) over the sum of B+ | if links are even and switches can go; where reduce-scatter and allgather take as long |
//! | alltoall | cut, distances | s(N-s)/N for s ranks; sum of distances over N | where messages on [fixed routes](super::routes) take as long |
//!
//! *Broadcast* and *allgather* are reached if no switch has more capacity to send than to receive, *reduce* and *reduce-scatter* if none
//! has more to receive than to send: a switch does not copy.
//!
//! *Allreduce.* For each word let w be the first part that holds a complete result. Each other part has sent something of the word
//! to another part before, and receives it after: 2(k-1) routes between parts, and each leaves the part where it starts. Switches
//! belong to the part that makes its B+ least. If the capacities of both directions differ, a cut can be stronger.
//!
//! *Half-duplex.* Every block of an allgather takes k-1 routes between parts. Each crosses the border of two parts, so the sum of
//! capacities of all borders carries 2(k-1); the same holds for broadcast, reduce and reduce-scatter, twice as much for allreduce.
//! It is reached if switches can go. On an n x n mesh it is n(n+1)/2 blocks: gossip.
//!
//! *Switches can go* where links between ranks can replace them by shares that make no partition weaker: that is searched for in a few
//! ways, on networks of up to 2^17 links times ranks. Without switches nothing is to be found.
//!
//! **Cost.** Cuts: a max-flow for each rank and each step of Newton. Partitions: a min-cut for each rank and step.
//!
//! **Sources.** Edmonds, "Edge-disjoint branchings", 1973; Nash-Williams and Tutte, 1961, on packing spanning trees; Zhao and others,
//! "ForestColl", arXiv 2402.06787; Bang-Jensen, Frank, Jackson, "Preserving and increasing local edge-connectivity in mixed graphs",
//! 1995; Cunningham, "Optimal attack and reinforcement of a network", 1985.

use num_rational::Ratio;

use super::cuts::{Demand, Fraction, LeastCut, Terrain, feeds_switches, leaving, members};
use super::flow::Amount;
use super::graph::Near;
use super::routes::Loads;
use super::spanning::even_arcs;
use super::topology::{Network, Shape};

/// A collective on a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Collective {
    /// The root's vector goes to all.
    Broadcast {
        /// The root.
        root: usize,
    },
    /// The root gets the sum of all vectors.
    Reduce {
        /// The root.
        root: usize,
    },
    /// The root gets the block of each rank.
    Gather {
        /// The root.
        root: usize,
    },
    /// Each rank gets its block of the root.
    Scatter {
        /// The root.
        root: usize,
    },
    /// All get the block of each rank.
    Allgather,
    /// Each rank gets its block of the sum of all vectors.
    ReduceScatter,
    /// All get the sum of all vectors.
    Allreduce,
    /// Each rank sends a block to each.
    Alltoall,
}

/// Why nothing is faster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certificate {
    /// The nodes of one side, in order. It counts the links that leave it.
    Cut(Vec<usize>),
    /// Nodes of each part, in order. Each rank is in one part. It counts the links that leave each part.
    Partition(Vec<Vec<usize>>),
    /// Every block crosses at least as many links as the shortest path has. It counts all links.
    Distances,
}

/// The least time of a collective, or less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The collective.
    pub collective: Collective,
    /// No schedule takes less, in units of M over a capacity of 1.
    pub time: Ratio<u128>,
    /// Why.
    pub certificate: Certificate,
    /// Whether it is proven that a schedule takes this time.
    pub is_exact: bool,
}

impl Collective {
    /// Its name as `castbench` writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Broadcast { .. } => "broadcast",
            Self::Reduce { .. } => "reduce",
            Self::Gather { .. } => "gather",
            Self::Scatter { .. } => "scatter",
            Self::Allgather => "allgather",
            Self::ReduceScatter => "reduce-scatter",
            Self::Allreduce => "allreduce",
            Self::Alltoall => "alltoall",
        }
    }

    /// The collective of that name; those without a root ignore it.
    #[must_use]
    pub fn from_name(name: &str, root: usize) -> Option<Self> {
        [
            Self::Broadcast { root },
            Self::Reduce { root },
            Self::Gather { root },
            Self::Scatter { root },
            Self::Allgather,
            Self::ReduceScatter,
            Self::Allreduce,
            Self::Alltoall,
        ]
        .into_iter()
        .find(|collective| collective.name() == name)
    }

    /// The root, if it has one.
    #[must_use]
    pub fn root(self) -> Option<usize> {
        match self {
            Self::Broadcast { root }
            | Self::Reduce { root }
            | Self::Gather { root }
            | Self::Scatter { root } => Some(root),
            _ => None,
        }
    }

    /// Whether it is another collective whose messages run backwards: reduce, scatter, reduce-scatter.
    pub(super) fn is_backward(self) -> bool {
        matches!(
            self,
            Self::Reduce { .. } | Self::Scatter { .. } | Self::ReduceScatter
        )
    }

    /// What spreads: for those that run backwards, with all links turned round.
    pub(super) fn demand(self, ranks: usize) -> Demand {
        let all = || (0..ranks).collect();
        let (weights, sinks) = match self {
            Self::Broadcast { root } | Self::Reduce { root } => {
                let at_root = (0..ranks).map(|rank| (rank == root).into());
                (at_root.collect(), all())
            }
            Self::Gather { root } | Self::Scatter { root } => (vec![1; ranks], vec![root]),
            _ => (vec![1; ranks], all()),
        };
        Demand { weights, sinks }
    }
}

impl Bound {
    /// The bound of a collective on a network.
    ///
    /// # Panics
    /// If the root is no rank.
    #[must_use]
    pub fn new(network: &Network, collective: Collective) -> Self {
        let ranks = network.ranks();
        assert!(
            collective.root().is_none_or(|root| root < ranks),
            "the root is a rank"
        );
        let certificate = match collective {
            Collective::Alltoall => return alltoall(network),
            Collective::Gather { .. } | Collective::Scatter { .. } => cut(network, collective).1,
            Collective::Allreduce => return allreduce(network),
            _ if network.is_half_duplex() => partition(network),
            _ => cut(network, collective).1,
        };
        let is_exact = is_reached(network, collective);
        Self::certified(network, collective, certificate, is_exact)
    }

    /// The bound that a certificate proves.
    fn certified(
        network: &Network,
        collective: Collective,
        certificate: Certificate,
        is_exact: bool,
    ) -> Self {
        let mut bound = Self {
            collective,
            time: Ratio::from_integer(0),
            certificate,
            is_exact,
        };
        bound.time = bound.crossing(network).unwrap_or(bound.time) / bound.capacity(network);
        bound
    }

    /// Whether the certificate proves the time: adds up what must cross, and the capacity that carries it.
    #[must_use]
    pub fn check(&self, network: &Network) -> bool {
        self.crossing(network)
            .is_some_and(|crossing| crossing == self.time * self.capacity(network))
    }

    /// What must cross the links that the certificate counts, in units of M. `None` if it certifies nothing: then it is not a cut or
    /// partition of this network that bounds this collective.
    #[must_use]
    pub fn crossing(&self, network: &Network) -> Option<Ratio<u128>> {
        let shares = if network.is_half_duplex() { 2 } else { 1 };
        let n = network.ranks() as u128;
        match &self.certificate {
            Certificate::Cut(nodes) => {
                let in_order = nodes.windows(2).all(|pair| pair[0] < pair[1]);
                if !in_order || nodes.last().is_some_and(|last| *last >= network.nodes()) {
                    return None;
                }
                let is_inside = members(network.nodes(), nodes);
                let inside = is_inside[..network.ranks()]
                    .iter()
                    .filter(|is| **is)
                    .count() as u128;
                let outside = n - inside;
                let root_is = |side: bool| {
                    let root = self.collective.root();
                    root.is_some_and(|root| is_inside[root] == side)
                };
                let (holds, numerator, denominator) = match self.collective {
                    Collective::Broadcast { .. } => (root_is(true), 1, 1),
                    Collective::Reduce { .. } => (root_is(false), 1, 1),
                    Collective::Gather { .. } => (root_is(false), inside, n),
                    Collective::Scatter { .. } => (root_is(true), outside, n),
                    Collective::Allgather => (true, inside, n),
                    Collective::ReduceScatter => (true, outside, n),
                    Collective::Allreduce => (true, shares, 1),
                    Collective::Alltoall => (true, inside * outside * shares, n),
                };
                (holds && inside > 0 && outside > 0).then(|| Ratio::new(numerator, denominator))
            }
            Certificate::Partition(parts) => {
                let mut part_of = vec![0; network.nodes()];
                for node in parts.iter().flatten() {
                    *part_of.get_mut(*node)? += 1;
                }
                let once = part_of[..network.ranks()].iter().all(|parts| *parts == 1);
                let k = parts.len() as u128;
                let has_ranks = |part: &Vec<usize>| part.iter().any(|node| *node < network.ranks());
                let counts = match self.collective {
                    Collective::Allreduce => shares,
                    Collective::Gather { .. }
                    | Collective::Scatter { .. }
                    | Collective::Alltoall => 0,
                    _ => shares - 1,
                };
                (once && k > 1 && parts.iter().all(has_ranks) && counts > 0)
                    .then(|| Ratio::from_integer(2 * (k - 1) * counts))
            }
            Certificate::Distances => {
                let is_alltoall = self.collective == Collective::Alltoall;
                is_alltoall.then(|| Ratio::new(distances(network), n))
            }
        }
    }

    /// The capacity of the links that the certificate counts.
    ///
    /// # Panics
    /// If the certificate has nodes that the network lacks.
    #[must_use]
    pub fn capacity(&self, network: &Network) -> Ratio<u128> {
        let links = network.turned(false);
        let around = |nodes: &Vec<usize>| leaving(&links, &members(network.nodes(), nodes));
        let all: Amount = links.iter().map(|link| link.capacity).sum();
        let sum: Amount = match &self.certificate {
            Certificate::Cut(nodes) => around(nodes),
            Certificate::Partition(parts) => parts.iter().map(around).sum(),
            Certificate::Distances if network.is_half_duplex() => all / 2,
            Certificate::Distances => all,
        };
        Ratio::new(sum.unsigned_abs(), network.denominator().into())
    }
}

/// The strongest cut of a collective that spreads, with its ratio of demand to capacity.
fn cut(network: &Network, collective: Collective) -> (Fraction, Certificate) {
    let is_backward = collective.is_backward();
    let links = network.turned(is_backward);
    let terrain = Terrain::new(network.ranks(), network.nodes(), &links);
    let (ratio, set) = terrain.densest(&collective.demand(network.ranks()));
    // Turned round, what leaves a set enters it.
    let nodes = (0..network.nodes()).filter(|node| set[*node] != is_backward);
    (ratio, Certificate::Cut(nodes.collect()))
}

fn partition(network: &Network) -> Certificate {
    let links = network.turned(false);
    let terrain = Terrain::new(network.ranks(), network.nodes(), &links);
    Certificate::Partition(terrain.strength().1)
}

/// Whether a schedule takes the time of a collective that is no allreduce or alltoall.
fn is_reached(network: &Network, collective: Collective) -> bool {
    if matches!(
        collective,
        Collective::Gather { .. } | Collective::Scatter { .. }
    ) {
        return true;
    }
    match network.is_half_duplex() {
        true => even_arcs(network).is_some(),
        false => {
            let links = network.turned(collective.is_backward());
            feeds_switches(network.ranks(), network.nodes(), &links)
        }
    }
}

/// A partition, or a cut where the directions of links differ.
fn allreduce(network: &Network) -> Bound {
    let bound = |certificate| Bound::certified(network, Collective::Allreduce, certificate, false);
    let mut best = bound(partition(network));
    if !network.is_even() {
        for side in [
            Collective::Broadcast { root: 0 },
            Collective::Reduce { root: 0 },
        ] {
            let other = bound(cut(network, side).1);
            if other.time > best.time {
                best = other;
            }
        }
    }
    let in_halves = || halves(network) == (best.time, true);
    let is_plain = network.is_even() && network.switches() == 0;
    best.is_exact = is_plain
        || !network.is_half_duplex() && in_halves()
        || network.is_even() && even_arcs(network).is_some();
    best
}

/// The least time of a reduce-scatter and then an allgather, and whether schedules take it.
#[must_use]
pub fn halves(network: &Network) -> (Ratio<u128>, bool) {
    let gathered = Bound::new(network, Collective::Allgather);
    let scattered = match network.is_even() {
        true => gathered.clone(),
        false => Bound::new(network, Collective::ReduceScatter),
    };
    let is_exact = gathered.is_exact && scattered.is_exact;
    (gathered.time + scattered.time, is_exact)
}

/// The sum of distances between all ranks, in links.
fn distances(network: &Network) -> u128 {
    let near = Near::new(network.nodes(), network.links(), false);
    let of_rank = |rank| {
        let hops = near.hops(rank);
        let far = hops[..network.ranks()].iter().flatten();
        far.map(|hops| u128::from(*hops)).sum::<u128>()
    };
    (0..network.ranks()).map(of_rank).sum()
}

/// Most ranks whose messages to each other are led over fixed routes, to see whether they take the bound.
const MOST_PAIRED: usize = 512;

/// Most ranks all of whose cuts are compared: 2^(N-1) max-flows.
const MOST_SEARCHED: usize = 12;

/// At most about this many cuts by number are compared above [`MOST_SEARCHED`] ranks.
const MOST_CUTS: usize = 256;

/// The strongest cut, of larger networks of some cuts, or the distances.
///
/// The best cut is NP-hard to find. Compared are all of up to [`MOST_SEARCHED`] ranks, else those of one rank, and of the first ranks
/// by number and by each coordinate of a grid. They do not depend on links, so that no bound rises when a link is added.
fn alltoall(network: &Network) -> Bound {
    let ranks = network.ranks();
    let orders = orders(network);
    let mut best: Option<(Fraction, Certificate)> = None;
    for is_backward in [false, true] {
        let links = network.turned(is_backward);
        let mut least = LeastCut::new(&Terrain::new(ranks, network.nodes(), &links));
        let sets = orders.iter().flat_map(|(order, step)| {
            let ends = (*step..=order.len()).step_by(*step);
            ends.map(|end| &order[..end])
        });
        for set in sets {
            let (width, nodes) = least.around(set);
            let pairs = Amount::try_from(set.len() * (ranks - set.len())).unwrap_or(Amount::MAX);
            let ratio = Fraction::new(pairs, width);
            if best.as_ref().is_none_or(|(best, _)| ratio.is_above(*best)) {
                let is_inside = members(network.nodes(), &nodes);
                let nodes = (0..network.nodes()).filter(|node| is_inside[*node] != is_backward);
                best = Some((ratio, Certificate::Cut(nodes.collect())));
            }
        }
        if network.is_even() {
            break;
        }
    }
    let bound = |certificate| Bound::certified(network, Collective::Alltoall, certificate, false);
    let far = bound(Certificate::Distances);
    let cut = best.map(|(_, cut)| bound(cut));
    let mut best = cut.filter(|cut| cut.time >= far.time).unwrap_or(far);
    let is_taken = || Loads::of_pairs(network).time() / ranks as u128 == best.time;
    best.is_exact = ranks <= MOST_PAIRED && is_taken();
    best
}

/// Orders of ranks; where a number of ranks divides the number of first ranks, their cut is compared.
fn orders(network: &Network) -> Vec<(Vec<usize>, usize)> {
    let ranks = network.ranks();
    if ranks <= MOST_SEARCHED {
        let of = |set: usize| (0..ranks).filter(move |rank| set >> rank & 1 == 1);
        let sets = (1..1 << (ranks - 1)).map(|set| of(set).collect::<Vec<_>>());
        return sets.map(|set| (set.clone(), set.len())).collect();
    }
    let by_number = |step| vec![((0..ranks - 1).collect(), step)];
    let orders: Vec<_> = match network.shape() {
        Shape::Grid { sides, .. } => {
            let mut stride = ranks;
            let by_coordinate = |side: &usize| {
                stride /= side;
                let mut order: Vec<_> = (0..ranks).collect();
                order.sort_by_key(|rank| rank / stride % side);
                order.truncate(ranks - 1);
                (order, ranks / side)
            };
            sides.iter().map(by_coordinate).collect()
        }
        Shape::Boxes { size } => by_number(*size),
        _ => by_number(ranks.div_ceil(MOST_CUTS)),
    };
    let alone = (0..ranks).map(|rank| (vec![rank], 1));
    alone.chain(orders).collect()
}
