//! A network: ranks, switches and links.

use std::collections::BTreeMap;

use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{CheckedMul, Zero};

use super::fault::{Fault, MOST_CAPACITY, MOST_LINKS, MOST_NODES};
use super::flow::Amount;
use super::graph::{Link, Near};

/// How the nodes of a network stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Shape {
    /// A grid of ranks without switches. The last coordinate changes fastest.
    Grid {
        /// Ranks along each dimension.
        sides: Vec<usize>,
        /// Whether the last rank of a row is linked to the first one.
        wraps: bool,
    },
    /// Ranks below levels of switches: a path leads up, then down.
    Tree,
    /// Ranks in boxes: rank r is number `r % size` of box `r / size`.
    Boxes {
        /// Ranks of a box.
        size: usize,
    },
    /// Nothing is known.
    #[default]
    Other,
}

/// Ranks, switches and the links between them. Every rank reaches every rank.
///
/// Nodes are numbered: ranks from 0, then switches.
#[derive(Debug, Clone)]
pub struct Network {
    name: String,
    ranks: usize,
    /// Names of ranks, then of switches.
    nodes: Vec<String>,
    /// In order of their ends, at most one from a node to another.
    links: Vec<Link>,
    denominator: u64,
    unit: Option<u64>,
    shape: Shape,
    options: Vec<String>,
    is_half_duplex: bool,
}

impl Network {
    /// A network of numbered nodes. Parallel links become one.
    ///
    /// # Errors
    /// [`Fault`] with the index of the link at fault; a rank that does not reach another one; too many nodes or links; a common
    /// denominator or a sum of capacities above 44 bits.
    pub fn new(ranks: usize, switches: usize, links: &[Link<Ratio<u64>>]) -> Result<Self, Fault> {
        if ranks < 2 {
            return Err(Fault::TooFewRanks { ranks });
        }
        let nodes = ranks.saturating_add(switches);
        Fault::check_size("nodes", nodes, MOST_NODES)?;
        Fault::check_size("links", links.len(), MOST_LINKS)?;
        let mut denominator = 1_u64;
        for (index, link) in links.iter().enumerate() {
            check(link, index, nodes)?;
            let part = link.capacity.denom() / denominator.gcd(link.capacity.denom());
            denominator = denominator
                .checked_mul(part)
                .filter(|denominator| *denominator <= MOST_CAPACITY)
                .ok_or(Fault::Capacities { link: index })?;
        }
        let (mut merged, mut sum) = (BTreeMap::new(), 0_u64);
        for (index, link) in links.iter().enumerate() {
            let scaled = (denominator / link.capacity.denom()).checked_mul(*link.capacity.numer());
            let all = scaled.and_then(|scaled| sum.checked_add(scaled));
            sum = all
                .filter(|sum| *sum <= MOST_CAPACITY)
                .ok_or(Fault::Capacities { link: index })?;
            *merged.entry((link.from, link.to)).or_insert(0) += scaled.unwrap_or_default();
        }
        let common = merged.values().fold(denominator, |all, one| all.gcd(one));
        let links = merged.into_iter().map(|((from, to), capacity)| Link {
            from,
            to,
            capacity: capacity / common,
        });
        let network = Self {
            name: "own".to_owned(),
            ranks,
            nodes: (0..ranks)
                .map(|rank| rank.to_string())
                .chain((0..switches).map(|switch| format!("s{switch}")))
                .collect(),
            links: links.collect(),
            denominator: denominator / common,
            unit: None,
            shape: Shape::Other,
            options: Vec::new(),
            is_half_duplex: false,
        };
        network.check_connected()?;
        Ok(network)
    }

    /// Every rank reaches every rank if rank 0 reaches all and all reach rank 0.
    fn check_connected(&self) -> Result<(), Fault> {
        let unreached = |is_reversed| {
            let near = Near::new(self.nodes(), &self.links, is_reversed);
            let hops = near.hops(0);
            (0..self.ranks).find(|rank| hops[*rank].is_none())
        };
        match (unreached(false), unreached(true)) {
            (Some(to), _) => Err(Fault::Unreachable { from: 0, to }),
            (_, Some(from)) => Err(Fault::Unreachable { from, to: 0 }),
            _ => Ok(()),
        }
    }

    /// Gives it a name, which answers state.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name, ..self }
    }

    /// Gives each node a name: ranks, then switches.
    ///
    /// # Panics
    /// If there are more or fewer names than nodes.
    #[must_use]
    pub fn with_nodes(self, nodes: Vec<String>) -> Self {
        assert_eq!(nodes.len(), self.nodes.len(), "a name for each node");
        Self { nodes, ..self }
    }

    /// States how the nodes stand. A shape that does not have the number of ranks is none.
    #[must_use]
    pub fn with_shape(self, shape: Shape) -> Self {
        let fits = match &shape {
            Shape::Grid { sides, .. } => {
                Fault::check_product(sides).is_ok_and(|product| product == self.ranks)
            }
            Shape::Boxes { size } => *size > 0,
            Shape::Tree | Shape::Other => true,
        };
        let shape = if fits { shape } else { Shape::Other };
        Self { shape, ..self }
    }

    /// States that a capacity of 1 is so many bytes per second.
    #[must_use]
    pub fn with_unit(self, bytes_per_second: u64) -> Self {
        let unit = Some(bytes_per_second);
        Self { unit, ..self }
    }

    /// Adds an option that answers state: `taper = 4`.
    #[must_use]
    pub fn with_option(mut self, option: impl Into<String>) -> Self {
        self.options.push(option.into());
        self
    }

    /// Lets both directions of each link share its capacity.
    ///
    /// # Errors
    /// [`Fault::OneWay`] if a link is not as wide in the other direction.
    pub fn half_duplex(mut self) -> Result<Self, Fault> {
        if let Some(link) = self.uneven() {
            let Link { from, to, .. } = *link;
            return Err(Fault::OneWay { from, to });
        }
        self.is_half_duplex = true;
        Ok(self)
    }

    /// The network without the links between two nodes, in both directions.
    ///
    /// # Errors
    /// [`Fault::NoLink`]; [`Fault::Unreachable`] if the rest is not connected.
    pub fn without(&self, a: usize, b: usize) -> Result<Self, Fault> {
        let (links, taken): (Vec<_>, Vec<_>) = self
            .exact_links()
            .partition(|link| (link.from, link.to) != (a, b) && (link.to, link.from) != (a, b));
        if taken.is_empty() {
            return Err(Fault::NoLink { a, b });
        }
        self.with_links(&links).map(|network| {
            network.with_option(format!("without {}-{}", self.node(a), self.node(b)))
        })
    }

    /// The network with all links of a node slower by a factor: 1/2 takes half of their capacity.
    ///
    /// # Errors
    /// [`Fault::UnknownNode`]; [`Fault::NoCapacity`] for a factor of 0; [`Fault::Capacities`].
    pub fn slow(&self, node: usize, factor: Ratio<u64>) -> Result<Self, Fault> {
        if node >= self.nodes() {
            return Err(Fault::NoNode {
                node,
                nodes: self.nodes(),
            });
        }
        let mut links: Vec<_> = self.exact_links().collect();
        for (index, link) in links.iter_mut().enumerate() {
            if link.from == node || link.to == node {
                let slower = link.capacity.checked_mul(&factor);
                link.capacity = slower.ok_or(Fault::Capacities { link: index })?;
            }
        }
        self.with_links(&links)
            .map(|network| network.with_option(format!("slow {} = {factor}", self.node(node))))
    }

    /// This network with other links.
    fn with_links(&self, links: &[Link<Ratio<u64>>]) -> Result<Self, Fault> {
        let Self {
            links, denominator, ..
        } = Self::new(self.ranks, self.switches(), links)?;
        Ok(Self {
            links,
            denominator,
            ..self.clone()
        })
    }

    /// The links with their capacities as fractions.
    fn exact_links(&self) -> impl Iterator<Item = Link<Ratio<u64>>> + '_ {
        self.links.iter().map(|link| Link {
            from: link.from,
            to: link.to,
            capacity: Ratio::new(link.capacity, self.denominator),
        })
    }

    /// A link whose other direction has another capacity, or is not there.
    fn uneven(&self) -> Option<&Link> {
        self.links
            .iter()
            .find(|link| self.capacity(link.to, link.from) != self.capacity(link.from, link.to))
    }

    /// Its name: `torus:8x8`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of ranks, at least 2.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// The number of switches.
    #[must_use]
    pub fn switches(&self) -> usize {
        self.nodes.len() - self.ranks
    }

    /// The number of ranks and switches.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The name of a node.
    ///
    /// # Panics
    /// If there is no such node.
    #[must_use]
    pub fn node(&self, node: usize) -> &str {
        &self.nodes[node]
    }

    /// The links in order of their ends. Capacities are in units of one over [`Network::denominator`].
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The index of the link from a node to another.
    #[must_use]
    pub fn link(&self, from: usize, to: usize) -> Option<usize> {
        self.links
            .binary_search_by_key(&(from, to), |link| (link.from, link.to))
            .ok()
    }

    /// The capacity from a node to another as a fraction, 0 without a link.
    #[must_use]
    pub fn capacity(&self, from: usize, to: usize) -> Ratio<u64> {
        self.link(from, to).map_or_else(Ratio::zero, |link| {
            Ratio::new(self.links[link].capacity, self.denominator)
        })
    }

    /// The common denominator of all capacities.
    #[must_use]
    pub fn denominator(&self) -> u64 {
        self.denominator
    }

    /// What a capacity of 1 is in bytes per second, if capacities have a unit.
    #[must_use]
    pub fn unit(&self) -> Option<u64> {
        self.unit
    }

    /// How the nodes stand. Links that were taken away or slowed do not change it.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What differs from the network of that name: options, links taken away, slow nodes.
    #[must_use]
    pub fn options(&self) -> &[String] {
        &self.options
    }

    /// The links as data take them, or for collectives that run backwards the links turned round.
    pub(super) fn turned(&self, is_backward: bool) -> Vec<Link<Amount>> {
        let turn = |link: &Link| {
            let (from, to) = match is_backward {
                true => (link.to, link.from),
                false => (link.from, link.to),
            };
            let capacity = link.capacity.into();
            Link { from, to, capacity }
        };
        self.links.iter().map(turn).collect()
    }

    /// Whether both directions of a link share its capacity.
    #[must_use]
    pub fn is_half_duplex(&self) -> bool {
        self.is_half_duplex
    }

    /// Whether each link has the same capacity in both directions.
    #[must_use]
    pub fn is_even(&self) -> bool {
        self.uneven().is_none()
    }
}

/// Checks a link that was given.
fn check(link: &Link<Ratio<u64>>, index: usize, nodes: usize) -> Result<(), Fault> {
    if let Some(node) = [link.from, link.to].into_iter().find(|node| *node >= nodes) {
        return Err(Fault::UnknownNode {
            link: index,
            node,
            nodes,
        });
    }
    if link.from == link.to {
        return Err(Fault::Loop { link: index });
    }
    // A caller can make a fraction with a denominator of 0.
    if link.capacity.numer() * link.capacity.denom().min(&1) == 0 {
        return Err(Fault::NoCapacity { link: index });
    }
    Ok(())
}
