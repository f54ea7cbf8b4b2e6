//! Every algorithm by name: what it solves, which axes it reads, where it is published, how to evaluate it.
//!
//! A new algorithm is one file beside its relatives and one entry in [`ALGORITHMS`]; it then appears in
//! sweeps, the agreement tests, `cost`, `show` and the listing without another line.

use std::fmt;

use crate::cost::{Evaluation, Limits};
use crate::error::Error;
use crate::logp::chain::Chain;
use crate::logp::fibonacci::Fibonacci;
use crate::logp::flat::Flat;
use crate::logp::halving::Halving;
use crate::logp::optimal::Optimal;
use crate::logp::summation::optimal::SummationOptimal;
use crate::logp::summation::paper::SummationPaper;
use crate::logp::summation::{self, Summation};
use crate::logp::{self, LogP};
use crate::mesh::broadcast::Broadcast;
use crate::mesh::dual_path::DualPath;
use crate::mesh::gossip::coupled::Coupled;
use crate::mesh::gossip::optimal::Optimal as OptimalGossip;
use crate::mesh::gossip::two_phase::TwoPhase;
use crate::mesh::gossip::{self, Gossip};
use crate::mesh::labelling::Mesh;
use crate::mesh::unicast::Unicast;
use crate::mesh::{self, Sampling};
use crate::multiport;
use crate::multiport::chain::PipelinedChain;
use crate::multiport::circulant::Circulant;
use crate::multiport::hypercube::Hypercube;
use crate::multiport::k_tree::KTree;
use crate::multiport::packed::PackedTrees;
use crate::multiport::repeated::Repeated;

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
}

impl Problem {
    /// All problems, in the order in which reports list them.
    pub const ALL: [Self; 5] =
        [Self::LogpMulticast, Self::LogpSummation, Self::MeshMulticast, Self::MeshGossip, Self::KPortBroadcast];

    /// A name fit for a file.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::LogpMulticast => "logp-multicast",
            Self::LogpSummation => "logp-summation",
            Self::MeshMulticast => "mesh-multicast",
            Self::MeshGossip => "mesh-gossip",
            Self::KPortBroadcast => "k-port-broadcast",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slug().fmt(f)
    }
}

/// The axes of the grid: seven, and the two of a summation.
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
    /// Side of a square mesh, or nodes of a k-port network, the source included.
    N,
    /// Ports.
    Ports,
    /// Messages.
    M,
    /// Processors of a summation.
    P,
    /// Numbers to be summed, the N of the papers.
    Operands,
}

impl Axis {
    /// All axes, in the order of the grid's product.
    pub const ALL: [Self; 9] =
        [Self::L, Self::O, Self::G, Self::K, Self::N, Self::Ports, Self::M, Self::P, Self::Operands];

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
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.symbol().fmt(f)
    }
}

/// Where to ask an algorithm for its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Point {
    /// A point of [`Problem::LogpMulticast`].
    LogpMulticast {
        /// The machine.
        model: LogP,
        /// Nodes, the source included; at least 1.
        K: u64,
        /// Position of the source, `1..=K`.
        source: u64,
    },
    /// A point of [`Problem::LogpSummation`].
    LogpSummation {
        /// The machine; its time unit is that of an addition.
        model: LogP,
        /// Processors; at least 1.
        P: u64,
        /// Numbers to be summed; at least 1.
        operands: u64,
    },
    /// A point of [`Problem::MeshMulticast`].
    MeshMulticast {
        /// The mesh.
        mesh: Mesh,
        /// Destinations, without the source; at most `w*h - 1`.
        K: u64,
        /// How the simulation draws its multicasts.
        sampling: Sampling,
    },
    /// A point of [`Problem::MeshGossip`].
    MeshGossip {
        /// Side of the mesh; at least 1.
        n: u64,
    },
    /// A point of [`Problem::KPortBroadcast`].
    KPortBroadcast {
        /// Nodes, the source included; at least 1.
        n: u64,
        /// Messages that a node sends at most, and receives at most, in a round; at least 1.
        k: u64,
        /// Messages; at least 1.
        m: u64,
    },
}

/// How an algorithm is run, by the problem it solves.
#[derive(Clone, Copy)]
pub enum Algorithm {
    /// A multicast tree under LogP.
    LogpMulticast(&'static dyn logp::Multicast),
    /// A summation under LogP.
    LogpSummation(&'static dyn Summation),
    /// A multicast on a mesh.
    MeshMulticast(&'static dyn mesh::Multicast),
    /// Gossip on a mesh.
    MeshGossip(&'static dyn Gossip),
    /// A broadcast of several messages on several ports.
    KPortBroadcast(&'static dyn multiport::Broadcast),
}

/// One algorithm.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its name on the command line, in configurations and in results.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The work that describes it.
    pub paper: &'static str,
    /// Where in that work: section, theorem, algorithm.
    pub place: &'static str,
    /// Raised by whoever changes what the algorithm *is*: costs of two revisions are not compared with each other.
    pub revision: u32,
    /// How to run it.
    pub algorithm: Algorithm,
}

impl Entry {
    /// The problem it solves.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self.algorithm {
            Algorithm::LogpMulticast(_) => Problem::LogpMulticast,
            Algorithm::LogpSummation(_) => Problem::LogpSummation,
            Algorithm::MeshMulticast(_) => Problem::MeshMulticast,
            Algorithm::MeshGossip(_) => Problem::MeshGossip,
            Algorithm::KPortBroadcast(_) => Problem::KPortBroadcast,
        }
    }

    /// Its place in the catalogue, by which reports are ordered; behind all others where it has none.
    #[must_use]
    pub fn rank(&self) -> usize {
        ALGORITHMS.iter().position(|known| known.name == self.name).unwrap_or(usize::MAX)
    }

    /// The axes it reads: it is evaluated over their product and no other.
    #[must_use]
    pub fn axes(&self) -> &'static [Axis] {
        match self.problem() {
            Problem::LogpMulticast => &[Axis::L, Axis::O, Axis::G, Axis::K],
            Problem::LogpSummation => &[Axis::L, Axis::O, Axis::G, Axis::P, Axis::Operands],
            Problem::MeshMulticast => &[Axis::N, Axis::K],
            Problem::MeshGossip => &[Axis::N],
            Problem::KPortBroadcast => &[Axis::N, Axis::Ports, Axis::M],
        }
    }

    /// Whether the algorithm takes this point at all: some exist only for some parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] with what it takes instead.
    pub fn check(&self, point: &Point) -> Result<(), Error> {
        let cost = match (self.algorithm, *point) {
            (Algorithm::LogpSummation(algorithm), Point::LogpSummation { model, P, operands }) => {
                algorithm.time(model, P, operands)
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => {
                gossip::check_side(n).and_then(|n| algorithm.steps(n))
            }
            (Algorithm::KPortBroadcast(algorithm), Point::KPortBroadcast { n, k, m }) => algorithm.rounds(n, k, m),
            _ => return Ok(()),
        };
        match cost {
            Err(error @ Error::Parameter { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// Whether [`Entry::evaluate`] would simulate this point, too, under these limits.
    #[must_use]
    pub fn simulates(&self, point: &Point, limits: &Limits) -> bool {
        match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(_), Point::LogpMulticast { K, .. }) => logp::is_simulated(K, limits),
            (Algorithm::LogpSummation(_), Point::LogpSummation { P, operands, .. }) => {
                summation::is_simulated(P, operands, limits)
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::is_simulated(algorithm, mesh, K, sampling, limits)
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => gossip::is_simulated(algorithm, n, limits),
            (Algorithm::KPortBroadcast(_), Point::KPortBroadcast { n, k, m }) => {
                multiport::is_simulated(n, k, m, limits)
            }
            _ => false,
        }
    }

    /// Lower bound, published figures, analytic and simulated cost at one point.
    ///
    /// # Errors
    /// A parameter out of range, a cost that does not fit, or a schedule that the simulator rejects.
    pub fn evaluate(&self, point: &Point, limits: &Limits) -> Result<Evaluation, Error> {
        match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(algorithm), Point::LogpMulticast { model, K, source }) => {
                logp::evaluate(algorithm, model, K, source, limits)
            }
            (Algorithm::LogpSummation(algorithm), Point::LogpSummation { model, P, operands }) => {
                summation::evaluate(algorithm, model, P, operands, limits)
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::evaluate(algorithm, mesh, K, sampling, limits)
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => gossip::evaluate(algorithm, n, limits),
            (Algorithm::KPortBroadcast(algorithm), Point::KPortBroadcast { n, k, m }) => {
                multiport::evaluate(algorithm, n, k, m, limits)
            }
            _ => Err(Error::WrongProblem { algorithm: self.name }),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

const FIBONACCI_PAPER: &str = "Gu, Li, Liu 2002, Fibonacci series-based multicast algorithm";
const LOGP_PAPER: &str = "Shou, Chen 1997, Optimal broadcast and summation in the LogP model";
const DUAL_PATH_PAPER: &str = "Xie, Zhu, Kang, Wang 1996, A network-partition based multicasting method";
const GOSSIP_PAPER: &str = "Wang, Ying, The gossiping algorithm in square mesh";
const K_TREE_PAPER: &str = "Ding, Li, Algorithm and analysis of multiple messages broadcast in the multiport model";
const CIRCULANT_PAPER: &str = "Träff 2024, Optimal broadcast schedules in logarithmic time";
const OWN: &str = "castbench";
const FOLKLORE: &str = "folklore";

/// The catalogue, in the order in which reports list it.
pub const ALGORITHMS: &[Entry] = &[
    Entry {
        name: "halving",
        summary: "the source hands half of the nodes to a relay",
        paper: FIBONACCI_PAPER,
        place: "section 3, equation (2)",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Halving),
    },
    Entry {
        name: "fibonacci",
        summary: "the source keeps the larger part of a Fibonacci split",
        paper: FIBONACCI_PAPER,
        place: "algorithm 1, equations (3), (9), (11)",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Fibonacci),
    },
    Entry {
        name: "optimal",
        summary: "everyone who holds the message sends it on",
        paper: LOGP_PAPER,
        place: "algorithm 1, theorems 2 to 4",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Optimal),
    },
    Entry {
        name: "flat",
        summary: "the source sends to all",
        paper: FOLKLORE,
        place: "Open MPI: basic linear",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Flat),
    },
    Entry {
        name: "chain",
        summary: "every node passes it to the next",
        paper: FOLKLORE,
        place: "Open MPI: chain",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Chain),
    },
    Entry {
        name: "summation-paper",
        summary: "the broadcast tree reversed, cut in preorder",
        paper: LOGP_PAPER,
        place: "algorithm 2, theorems 5 and 6",
        revision: 1,
        algorithm: Algorithm::LogpSummation(&SummationPaper),
    },
    Entry {
        name: "summation-optimal",
        summary: "the most fruitful processors only, as late as they can send",
        paper: "Karp, Sahay, Santos, Schauser 1993, Optimal broadcast and summation in the LogP model",
        place: "section 5",
        revision: 1,
        algorithm: Algorithm::LogpSummation(&SummationOptimal),
    },
    Entry {
        name: "dual-path",
        summary: "one path up and one path down a Hamiltonian snake",
        paper: DUAL_PATH_PAPER,
        place: "algorithms 1 and 2, figure 3",
        revision: 1,
        algorithm: Algorithm::MeshMulticast(&DualPath),
    },
    Entry {
        name: "unicast",
        summary: "a separate message to every destination",
        paper: DUAL_PATH_PAPER,
        place: "section 4, figure 3",
        revision: 1,
        algorithm: Algorithm::MeshMulticast(&Unicast),
    },
    Entry {
        name: "broadcast",
        summary: "a spanning tree; who is no destination drops it",
        paper: DUAL_PATH_PAPER,
        place: "section 4",
        revision: 1,
        algorithm: Algorithm::MeshMulticast(&Broadcast),
    },
    Entry {
        name: "gossip-two-phase",
        summary: "rows and columns broadcast, then gossip what they got",
        paper: GOSSIP_PAPER,
        place: "section 3, figures 1 to 3",
        revision: 1,
        algorithm: Algorithm::MeshGossip(&TwoPhase),
    },
    Entry {
        name: "gossip-coupled",
        summary: "the same routes without phases, farthest to go first",
        paper: OWN,
        place: "mesh::gossip::coupled",
        revision: 1,
        algorithm: Algorithm::MeshGossip(&Coupled),
    },
    Entry {
        name: "gossip-optimal",
        summary: "a row, every other column, leaves between: no link is ever idle",
        paper: OWN,
        place: "mesh::gossip::optimal",
        revision: 1,
        algorithm: Algorithm::MeshGossip(&OptimalGossip),
    },
    Entry {
        name: "k-tree",
        summary: "k spanning trees, a message in k to each",
        paper: K_TREE_PAPER,
        place: "section 5, theorems 1 and 2; after Bar-Noy, Ho 1999",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&KTree),
    },
    Entry {
        name: "k-tree-packed",
        summary: "k spanning trees of the least height that k can have",
        paper: OWN,
        place: "multiport::packed",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&PackedTrees),
    },
    Entry {
        name: "circulant",
        summary: "one port: a circulant graph with ceil(log2 n) skips, round-optimal",
        paper: CIRCULANT_PAPER,
        place: "arXiv 2407.18004",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&Circulant),
    },
    Entry {
        name: "hypercube",
        summary: "n = (k+1)^q: in turn along each digit of the nodes, round-optimal",
        paper: OWN,
        place: "multiport::hypercube",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&Hypercube),
    },
    Entry {
        name: "repeated",
        summary: "the best broadcast of one message, m times",
        paper: FOLKLORE,
        place: "Ding, Li: theorem 1, m times",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&Repeated),
    },
    Entry {
        name: "pipelined-chain",
        summary: "every node passes k messages a round to the next",
        paper: FOLKLORE,
        place: "Open MPI: pipeline",
        revision: 1,
        algorithm: Algorithm::KPortBroadcast(&PipelinedChain),
    },
];

/// The algorithm of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ALGORITHMS.iter().find(|entry| entry.name == name)
}
