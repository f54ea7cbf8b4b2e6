//! Every algorithm by name: what it solves, which axes it reads, where it is published, how to evaluate it.
//!
//! A new algorithm is one file beside its relatives and one entry in [`ALGORITHMS`]; it then appears in
//! sweeps, the agreement tests, `cost`, `show` and the listing without another line.

mod effort;
pub(crate) mod list;
mod pipelined;
mod problem;
mod worms;

use std::fmt;

use crate::cost::{Evaluation, Exact, LARGEST, Limits};
use crate::error::Error;
use crate::logp::pipeline::{self, Instance, Machine};
use crate::logp::summation::{self, Summation};
use crate::logp::{self, LogP};
use crate::mesh::gossip::{self, Gossip};
use crate::mesh::labelling::Mesh;
use crate::mesh::wormhole::{self, Scheme, Setting};
use crate::mesh::{self, Sampling};
use crate::multiport;

pub use crate::logp::multicast::optimal::Neighbours;
pub use list::ALGORITHMS;
pub use problem::{Axis, Problem};

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
    /// A point of [`Problem::PipelinedBroadcast`].
    PipelinedBroadcast {
        /// What messages cost by their size.
        machine: Machine,
        /// Nodes, words, ports and segments; each at least 1.
        instance: Instance,
    },
    /// A point of [`Problem::WormholeMulticast`].
    WormholeMulticast(Setting),
}

/// How an algorithm is run, by the problem it solves.
#[derive(Clone, Copy)]
pub enum Algorithm {
    /// A multicast tree under LogP.
    LogpMulticast(&'static dyn logp::multicast::Multicast),
    /// A summation under LogP.
    LogpSummation(&'static dyn Summation),
    /// A multicast on a mesh.
    MeshMulticast(&'static dyn mesh::multicast::Multicast),
    /// Gossip on a mesh.
    MeshGossip(&'static dyn Gossip),
    /// A broadcast of several messages on several ports.
    KPortBroadcast(&'static dyn multiport::Broadcast),
    /// A broadcast of one message in segments.
    PipelinedBroadcast(&'static dyn pipeline::Broadcast),
    /// A multicast on a mesh done with worms.
    WormholeMulticast(&'static dyn Scheme),
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
    /// About how many nanoseconds a step of its simulation takes, its schedule included: a node of a tree, a processor
    /// of a summation, a link of a multicast at its longest, a delivery of gossip, on k ports or of a segment, a hop of
    /// a worm. For [`Entry::effort`].
    pub step_ns: u32,
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
            Algorithm::PipelinedBroadcast(_) => Problem::PipelinedBroadcast,
            Algorithm::WormholeMulticast(_) => Problem::WormholeMulticast,
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
            Problem::PipelinedBroadcast => &[Axis::L, Axis::O, Axis::G, Axis::K, Axis::N, Axis::Ports, Axis::M],
            Problem::WormholeMulticast => {
                &[Axis::N, Axis::K, Axis::Ports, Axis::M, Axis::Startup, Axis::Hop, Axis::Flit, Axis::Flits]
            }
        }
    }

    /// Whether the algorithm takes this point at all: some exist only for some parameters.
    ///
    /// # Errors
    /// [`Error::Parameter`] with what it takes instead.
    pub fn check(&self, point: &Point) -> Result<(), Error> {
        match self.problem() {
            // These take every point of their problem.
            Problem::LogpMulticast | Problem::MeshMulticast | Problem::WormholeMulticast => Ok(()),
            Problem::LogpSummation | Problem::MeshGossip | Problem::KPortBroadcast | Problem::PipelinedBroadcast => {
                match self.analytic(point, &mut Neighbours::default()) {
                    Err(error @ Error::Parameter { .. }) => Err(error),
                    _ => Ok(()),
                }
            }
        }
    }

    /// How many steps [`Entry::check`] and [`Entry::analytic`] take at this point, at most `most`, where there may be many:
    /// a million take a second. 0 where they are done at once. [`Entry::effort`] has nothing of them.
    #[must_use]
    pub fn steps(&self, point: &Point, most: usize) -> usize {
        match (self.algorithm, *point) {
            (Algorithm::PipelinedBroadcast(algorithm), Point::PipelinedBroadcast { machine, instance }) => {
                algorithm.steps(machine, instance, most)
            }
            _ => 0,
        }
    }

    /// The analytic cost alone, where it is known; `neighbours` keeps what the next points, if they are near, need not ask
    /// again.
    ///
    /// # Errors
    /// A parameter out of range, or a cost that does not fit.
    pub fn analytic(&self, point: &Point, neighbours: &mut Neighbours) -> Result<Option<Exact>, Error> {
        // Whether a point has an answer does not depend on whether it is simulated.
        let integer = |cost: Result<u64, Error>| match cost? {
            cost if cost > LARGEST => Err(Error::Overflow),
            cost => Ok(Some(Exact::Integer(cost))),
        };
        match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(algorithm), Point::LogpMulticast { model, K, source }) => {
                logp::multicast::check_instance(K, source)?;
                integer(algorithm.time_near(model, K, source, neighbours))
            }
            (Algorithm::LogpSummation(algorithm), Point::LogpSummation { model, P, operands }) => {
                integer(algorithm.time(model, P, operands))
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, .. }) => {
                let K = mesh::check_destinations(mesh, K)?;
                Ok(algorithm.expected_links(mesh, K).map(Exact::from))
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => {
                integer(gossip::check_side(n).and_then(|n| algorithm.steps(n)))
            }
            (Algorithm::KPortBroadcast(algorithm), Point::KPortBroadcast { n, k, m }) => {
                integer(algorithm.rounds(n, k, m))
            }
            (Algorithm::PipelinedBroadcast(algorithm), Point::PipelinedBroadcast { machine, instance }) => {
                integer(algorithm.time(machine, instance))
            }
            (Algorithm::WormholeMulticast(scheme), Point::WormholeMulticast(setting)) => {
                wormhole::problem::evaluate(scheme, &setting, &Limits { nodes: 0, hops: 0 }).map(|found| found.analytic)
            }
            _ => Err(Error::WrongProblem { algorithm: self.name }),
        }
    }

    /// Whether [`Entry::evaluate`] would simulate this point, too, under these limits.
    #[must_use]
    pub fn simulates(&self, point: &Point, limits: &Limits) -> bool {
        match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(_), Point::LogpMulticast { K, .. }) => {
                logp::multicast::problem::is_simulated(K, limits)
            }
            (Algorithm::LogpSummation(_), Point::LogpSummation { P, operands, .. }) => {
                summation::problem::is_simulated(P, operands, limits)
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::multicast::problem::is_simulated(algorithm, mesh, K, sampling, limits)
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => {
                gossip::problem::is_simulated(algorithm, n, limits)
            }
            (Algorithm::KPortBroadcast(_), Point::KPortBroadcast { n, k, m }) => {
                multiport::problem::is_simulated(n, k, m, limits)
            }
            (Algorithm::PipelinedBroadcast(_), Point::PipelinedBroadcast { instance, .. }) => {
                pipeline::problem::is_simulated(instance, limits)
            }
            (Algorithm::WormholeMulticast(scheme), Point::WormholeMulticast(setting)) => {
                wormhole::problem::is_simulated(scheme, &setting, limits)
            }
            _ => false,
        }
    }

    /// Lower bound, published figures, analytic and simulated cost at one point.
    ///
    /// # Errors
    /// A parameter out of range, a cost that does not fit, or a schedule that the simulator rejects.
    pub fn evaluate(&self, point: &Point, limits: &Limits) -> Result<Evaluation, Error> {
        self.evaluate_near(point, limits, &mut Neighbours::default())
    }

    /// The same, for points one after the other, as along an axis: `neighbours` keeps what they share.
    ///
    /// # Errors
    /// Those of [`Entry::evaluate`].
    pub fn evaluate_near(
        &self,
        point: &Point,
        limits: &Limits,
        neighbours: &mut Neighbours,
    ) -> Result<Evaluation, Error> {
        let evaluation = match (self.algorithm, *point) {
            (Algorithm::LogpMulticast(algorithm), Point::LogpMulticast { model, K, source }) => {
                logp::multicast::problem::evaluate_near(algorithm, model, (K, source), limits, neighbours)
            }
            (Algorithm::LogpSummation(algorithm), Point::LogpSummation { model, P, operands }) => {
                summation::problem::evaluate(algorithm, model, P, operands, limits)
            }
            (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
                mesh::multicast::problem::evaluate(algorithm, mesh, K, sampling, limits)
            }
            (Algorithm::MeshGossip(algorithm), Point::MeshGossip { n }) => {
                gossip::problem::evaluate(algorithm, n, limits)
            }
            (Algorithm::KPortBroadcast(algorithm), Point::KPortBroadcast { n, k, m }) => {
                multiport::problem::evaluate(algorithm, n, k, m, limits)
            }
            (Algorithm::PipelinedBroadcast(algorithm), Point::PipelinedBroadcast { machine, instance }) => {
                pipeline::problem::evaluate(algorithm, machine, instance, limits)
            }
            (Algorithm::WormholeMulticast(scheme), Point::WormholeMulticast(setting)) => {
                wormhole::problem::evaluate(scheme, &setting, limits)
            }
            _ => Err(Error::WrongProblem { algorithm: self.name }),
        };
        match &evaluation {
            Ok(Evaluation { analytic: Some(Exact::Integer(cost)), .. }) if *cost > LARGEST => Err(Error::Overflow),
            _ => evaluation,
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The algorithm of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ALGORITHMS.iter().find(|entry| entry.name == name)
}
