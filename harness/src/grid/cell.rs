//! One point of a grid.

use algorithms::catalogue::Point;
use algorithms::error::Error;
use algorithms::logp::multicast::check_instance;
use algorithms::logp::pipeline::{self, Instance};
use algorithms::logp::{LogP, summation};
use algorithms::mesh::check_destinations;
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::wormhole::{Setting, Timing};
use algorithms::mesh::{Sampling, gossip};
use algorithms::multiport;

use crate::machine::Machine;

/// One point of a grid, as its row names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// A tree under LogP.
    Logp {
        /// The profile and the message size that gave L, o and g, if any did.
        machine: Option<(&'a Machine, u64)>,
        /// L, o and g, unless the profile says otherwise.
        parameters: (u64, u64, u64),
        /// Nodes, the source included.
        K: u64,
        /// Position of the source.
        source: u64,
    },
    /// A summation under LogP.
    Summation {
        /// L, o and g.
        parameters: (u64, u64, u64),
        /// Processors.
        P: u64,
        /// Numbers to be summed.
        operands: u64,
    },
    /// A multicast on a mesh.
    Mesh {
        /// Columns and rows.
        sides: (u64, u64),
        /// Destinations.
        K: u64,
        /// How multicasts are drawn.
        sampling: Sampling,
    },
    /// Gossip on a mesh.
    Gossip {
        /// Side of the mesh.
        n: u64,
    },
    /// A broadcast on k ports.
    KPort {
        /// Nodes, the source included.
        n: u64,
        /// Ports.
        k: u64,
        /// Messages.
        m: u64,
    },
    /// A broadcast of one message in segments.
    Pipelined {
        /// The profile that gives the cost of a message by its bytes, if any does.
        machine: Option<&'a Machine>,
        /// L, o and g, unless the profile says otherwise.
        parameters: (u64, u64, u64),
        /// Nodes, words or bytes, ports, segments.
        instance: Instance,
    },
    /// Multicasts on a mesh with wormhole switching.
    Wormhole(WormholeCell),
}

/// Multicasts on a mesh with wormhole switching, as their row names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WormholeCell {
    /// Columns and rows.
    pub sides: (u64, u64),
    /// Destinations.
    pub K: u64,
    /// Ports.
    pub k: u64,
    /// Multicasts at once.
    pub m: u64,
    /// `t_s`, `t_h`, `t_f` and flits.
    pub timing: (u64, u64, u64, u64),
    /// Which multicasts are drawn.
    pub sampling: Sampling,
}

impl WormholeCell {
    fn setting(self) -> Result<Setting, Error> {
        let Self { sides: (w, h), K, k, m, timing: (t_s, t_h, t_f, flits), sampling } = self;
        let (mesh, timing) = (Mesh::new(w, h)?, Timing::new(t_s, t_h, t_f, flits)?);
        let setting = Setting { mesh, K, ports: k, multicasts: m, timing, sampling };
        setting.check().map(|_| setting)
    }
}

impl Cell<'_> {
    /// The point to evaluate.
    ///
    /// # Errors
    /// Why the combination of values has no meaning: such a cell is not applicable, which is no failure.
    pub fn point(&self) -> Result<Point, Error> {
        match *self {
            Cell::Logp { machine, parameters: (L, o, g), K, source } => {
                let model = match machine {
                    Some((machine, bytes)) => machine.parameters().at(bytes)?,
                    None => LogP::new(L, o, g)?,
                };
                check_instance(K, source)?;
                Ok(Point::LogpMulticast { model, K, source })
            }
            Cell::Summation { parameters: (L, o, g), P, operands } => {
                let model = LogP::new(L, o, g)?;
                summation::check_instance(P, operands)?;
                Ok(Point::LogpSummation { model, P, operands })
            }
            Cell::Mesh { sides: (w, h), K, sampling } => {
                let mesh = Mesh::new(w, h)?;
                check_destinations(mesh, K)?;
                Ok(Point::MeshMulticast { mesh, K, sampling })
            }
            Cell::Gossip { n } => {
                gossip::check_side(n)?;
                Ok(Point::MeshGossip { n })
            }
            Cell::KPort { n, k, m } => {
                multiport::check_instance(n, k, m)?;
                Ok(Point::KPortBroadcast { n, k, m })
            }
            Cell::Pipelined { machine, parameters: (L, o, g), instance } => {
                instance.check()?;
                let machine = match machine {
                    Some(machine) => pipeline::Machine::LogGops(machine.parameters()),
                    None => pipeline::Machine::Words(LogP::new(L, o, g)?),
                };
                Ok(Point::PipelinedBroadcast { machine, instance })
            }
            Cell::Wormhole(cell) => cell.setting().map(Point::WormholeMulticast),
        }
    }
}
