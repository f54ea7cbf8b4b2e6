//! Why something is no network.

use crate::text::grouped;

/// The most ranks and switches together.
pub const MOST_NODES: usize = 1 << 16;

/// The most links. Each direction is a link.
pub const MOST_LINKS: usize = 1 << 21;

/// The largest sum of all capacities in units of one over the common denominator, and the largest such denominator. Products with
/// numbers of ranks and shares of trees then fit in 128 bits.
pub(super) const MOST_CAPACITY: u64 = 1 << 44;

/// Why something is no network. Indices of links count what the caller gave, from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A collective is between two ranks at least.
    #[error("a collective needs at least 2 ranks, and this network has {ranks}")]
    TooFewRanks {
        /// Its ranks.
        ranks: usize,
    },
    /// Above [`MOST_NODES`] or [`MOST_LINKS`].
    #[error("{} {what} are too many; a network has at most {} {what}", grouped(*count as u64), grouped(*most as u64))]
    TooLarge {
        /// Nodes or links.
        what: &'static str,
        /// How many were asked for; the largest number stands for all above it.
        count: usize,
        /// The most.
        most: usize,
    },
    /// A link ends at a node that does not exist.
    #[error("node {node} does not exist; nodes are 0 to {}", nodes - 1)]
    UnknownNode {
        /// The link.
        link: usize,
        /// Its end.
        node: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A node that does not exist was named.
    #[error("node {node} does not exist; nodes are 0 to {}", nodes - 1)]
    NoNode {
        /// The node.
        node: usize,
        /// The number of nodes.
        nodes: usize,
    },
    /// A link leads from a node to itself.
    #[error("a link leads from a node to itself; take it away")]
    Loop {
        /// The link.
        link: usize,
    },
    /// A link carries nothing.
    #[error("a link has a capacity of 0; take it away or give it a capacity above 0")]
    NoCapacity {
        /// The link.
        link: usize,
    },
    /// Capacities as integers over a common denominator need more than 44 bits.
    #[error(
        "the capacities have no common denominator within 44 bits from this link on; round them or use a larger unit"
    )]
    Capacities {
        /// The first link that does not fit.
        link: usize,
    },
    /// A rank does not reach another one.
    #[error("rank {from} does not reach rank {to}; add links between them")]
    Unreachable {
        /// The rank that sends.
        from: usize,
        /// The rank that does not receive.
        to: usize,
    },
    /// A half-duplex link has one capacity for both directions.
    #[error(
        "the link from {from} to {to} is not as wide in the other direction; a half-duplex link has one capacity"
    )]
    OneWay {
        /// Where it starts.
        from: usize,
        /// Where it ends.
        to: usize,
    },
    /// There is no link to take away.
    #[error("there is no link between {a} and {b}")]
    NoLink {
        /// A node.
        a: usize,
        /// Another node.
        b: usize,
    },
    /// A name that is no network.
    #[error("network {name}: {expected}")]
    Name {
        /// What was given.
        name: String,
        /// What is accepted.
        expected: String,
    },
}

impl Fault {
    /// The index of the link at fault among those that were given.
    #[must_use]
    pub fn link(&self) -> Option<usize> {
        match self {
            Self::UnknownNode { link, .. }
            | Self::Loop { link }
            | Self::NoCapacity { link }
            | Self::Capacities { link } => Some(*link),
            _ => None,
        }
    }

    /// Refuses a number above the most.
    pub(super) fn check_size(what: &'static str, count: usize, most: usize) -> Result<(), Self> {
        if count > most {
            return Err(Self::TooLarge { what, count, most });
        }
        Ok(())
    }

    /// Refuses sizes whose product is above [`MOST_NODES`], before anything is allocated.
    pub(super) fn check_product(sizes: &[usize]) -> Result<usize, Self> {
        let product = sizes
            .iter()
            .fold(1, |all: usize, size| all.saturating_mul(*size));
        Self::check_size("nodes", product, MOST_NODES)?;
        Ok(product)
    }

    /// Refuses more than [`MOST_LINKS`] links, before anything is allocated.
    pub(super) fn check_links(count: usize) -> Result<(), Self> {
        Self::check_size("links", count, MOST_LINKS)
    }
}
