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
use crate::logp::{self, LogP};
use crate::mesh::broadcast::Broadcast;
use crate::mesh::dual_path::DualPath;
use crate::mesh::labelling::Mesh;
use crate::mesh::unicast::Unicast;
use crate::mesh::{self, Sampling};

/// What is to be done. Algorithms for one problem are comparable: same points, same unit of cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Problem {
    /// One message from one node to all of K under LogP; cost in time units.
    LogpMulticast,
    /// One message from a random source to K random destinations on a mesh; cost in links.
    MeshMulticast,
}

impl Problem {
    /// All problems, in the order in which reports list them.
    pub const ALL: [Self; 2] = [Self::LogpMulticast, Self::MeshMulticast];

    /// A name fit for a file.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::LogpMulticast => "logp-multicast",
            Self::MeshMulticast => "mesh-multicast",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.slug().fmt(f)
    }
}

/// The seven axes of the grid.
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
    /// Side of a square mesh, or processors of a multi-port network.
    N,
    /// Ports.
    Ports,
    /// Messages.
    M,
}

impl Axis {
    /// All axes, in the order of the grid's product.
    pub const ALL: [Self; 7] = [Self::L, Self::O, Self::G, Self::K, Self::N, Self::Ports, Self::M];

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
    /// A point of [`Problem::MeshMulticast`].
    MeshMulticast {
        /// The mesh.
        mesh: Mesh,
        /// Destinations, without the source; at most `w*h - 1`.
        K: u64,
        /// How the simulation draws its multicasts.
        sampling: Sampling,
    },
}

/// How an algorithm is run, by the problem it solves.
#[derive(Clone, Copy)]
pub enum Algorithm {
    /// A multicast tree under LogP.
    LogpMulticast(&'static dyn logp::Multicast),
    /// A multicast on a mesh.
    MeshMulticast(&'static dyn mesh::Multicast),
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
    /// How to run it.
    pub algorithm: Algorithm,
}

impl Entry {
    /// The problem it solves.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self.algorithm {
            Algorithm::LogpMulticast(_) => Problem::LogpMulticast,
            Algorithm::MeshMulticast(_) => Problem::MeshMulticast,
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
            Problem::MeshMulticast => &[Axis::N, Axis::K],
        }
    }

    /// Whether [`Entry::evaluate`] would simulate this point, too, under these limits.
    #[must_use]
    pub fn simulates(&self, point: &Point, limits: &Limits) -> bool {
        match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(_), Point::LogpMulticast { K, .. }) => logp::is_simulated(K, limits),
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::is_simulated(algorithm, mesh, K, sampling, limits)
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
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::evaluate(algorithm, mesh, K, sampling, limits)
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
const FOLKLORE: &str = "folklore";

/// The catalogue, in the order in which reports list it.
pub const ALGORITHMS: &[Entry] = &[
    Entry {
        name: "halving",
        summary: "the source hands half of the nodes to a relay",
        paper: FIBONACCI_PAPER,
        place: "section 3, equation (2)",
        algorithm: Algorithm::LogpMulticast(&Halving),
    },
    Entry {
        name: "fibonacci",
        summary: "the source keeps the larger part of a Fibonacci split",
        paper: FIBONACCI_PAPER,
        place: "algorithm 1, equations (3), (9), (11)",
        algorithm: Algorithm::LogpMulticast(&Fibonacci),
    },
    Entry {
        name: "optimal",
        summary: "everyone who holds the message sends it on",
        paper: LOGP_PAPER,
        place: "algorithm 1, theorems 2 to 4",
        algorithm: Algorithm::LogpMulticast(&Optimal),
    },
    Entry {
        name: "flat",
        summary: "the source sends to all",
        paper: FOLKLORE,
        place: "Open MPI: basic linear",
        algorithm: Algorithm::LogpMulticast(&Flat),
    },
    Entry {
        name: "chain",
        summary: "every node passes it to the next",
        paper: FOLKLORE,
        place: "Open MPI: chain",
        algorithm: Algorithm::LogpMulticast(&Chain),
    },
    Entry {
        name: "dual-path",
        summary: "one path up and one path down a Hamiltonian snake",
        paper: DUAL_PATH_PAPER,
        place: "algorithms 1 and 2, figure 3",
        algorithm: Algorithm::MeshMulticast(&DualPath),
    },
    Entry {
        name: "unicast",
        summary: "a separate message to every destination",
        paper: DUAL_PATH_PAPER,
        place: "section 4, figure 3",
        algorithm: Algorithm::MeshMulticast(&Unicast),
    },
    Entry {
        name: "broadcast",
        summary: "a spanning tree; who is no destination drops it",
        paper: DUAL_PATH_PAPER,
        place: "section 4",
        algorithm: Algorithm::MeshMulticast(&Broadcast),
    },
];

/// The algorithm of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ALGORITHMS.iter().find(|entry| entry.name == name)
}
