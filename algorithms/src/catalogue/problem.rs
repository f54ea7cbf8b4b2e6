//! The problems, and the axes over whose product their algorithms are evaluated.

use std::fmt;

/// What is to be done. Algorithms for one problem are comparable: same points, same unit of cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Problem {
    /// One message from one node to all of K under LogP; cost in time units.
    LogpMulticast,
    /// N operands summed on P processors under LogP; cost in time units, an addition takes one.
    LogpSummation,
    /// One message from a random source to K random destinations on a mesh; cost in links.
    MeshMulticast,
    /// A message from every node to every other on an n x n mesh of half-duplex links; cost in steps.
    MeshGossip,
    /// m messages from one node to all of n, k ports each; cost in rounds.
    KPortBroadcast,
    /// One message of n words in m segments from one node to all of K under LogP, k ports each; cost in time units.
    PipelinedBroadcast,
    /// m random multicasts to K destinations each on a mesh with wormhole switching; cost in time units.
    WormholeMulticast,
}

impl Problem {
    /// All problems, in the order in which reports list them.
    pub const ALL: [Self; 7] = [
        Self::LogpMulticast,
        Self::LogpSummation,
        Self::MeshMulticast,
        Self::MeshGossip,
        Self::KPortBroadcast,
        Self::PipelinedBroadcast,
        Self::WormholeMulticast,
    ];

    /// A name fit for a file.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::LogpMulticast => "logp-multicast",
            Self::LogpSummation => "logp-summation",
            Self::MeshMulticast => "mesh-multicast",
            Self::MeshGossip => "mesh-gossip",
            Self::KPortBroadcast => "k-port-broadcast",
            Self::PipelinedBroadcast => "pipelined-broadcast",
            Self::WormholeMulticast => "wormhole-multicast",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slug().fmt(f)
    }
}

/// The axes of the grid: seven, the two of a summation and the four of a worm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// Latency.
    L,
    /// Overhead.
    O,
    /// Gap.
    G,
    /// Nodes of a tree, the source included, or destinations on a mesh, without it.
    K,
    /// Side of a square mesh, nodes of a k-port network, the source included, or words of a pipelined message.
    N,
    /// Ports.
    Ports,
    /// Messages, or segments of a pipelined one.
    M,
    /// Processors of a summation.
    P,
    /// Numbers to be summed, the N of the papers.
    Operands,
    /// Startup of a worm.
    Startup,
    /// What a hop of its header takes.
    Hop,
    /// What each further flit takes.
    Flit,
    /// Length of a message in flits.
    Flits,
}

impl Axis {
    /// All axes, in the order of the grid's product.
    pub const ALL: [Self; 13] = [
        Self::L,
        Self::O,
        Self::G,
        Self::K,
        Self::N,
        Self::Ports,
        Self::M,
        Self::P,
        Self::Operands,
        Self::Startup,
        Self::Hop,
        Self::Flit,
        Self::Flits,
    ];

    /// The symbol, as in papers, configurations and on the command line: `K` is not `k`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::L => "L",
            Self::O => "o",
            Self::G => "g",
            Self::K => "K",
            Self::N => "n",
            Self::Ports => "k",
            Self::M => "m",
            Self::P => "P",
            Self::Operands => "operands",
            Self::Startup => "t_s",
            Self::Hop => "t_h",
            Self::Flit => "t_f",
            Self::Flits => "flits",
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.symbol().fmt(f)
    }
}
