//! Multicast on a two-dimensional mesh, counted in links.
//!
//! A `w x h` mesh has a pair of opposite links between neighbours. A multicast has a source and `K`
//! destinations, **not** counting the source; its cost is the number of links its messages cross,
//! counted with repetition. The figures here are expectations over a source drawn uniformly and `K`
//! destinations drawn uniformly among the other nodes.

mod axes;
mod draws;
pub mod gossip;
pub mod labelling;
pub mod multicast;
pub mod wormhole;

use crate::error::{Error, refuse_if};
use crate::execution::{Class, Hints, Stage, View, Which};
use labelling::Mesh;

/// How a Monte Carlo run draws its multicasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sampling {
    /// How many multicasts are drawn, at least one.
    pub trials: u64,
    /// The seed of the portable generator (ChaCha8). The same seed draws the same multicasts for every algorithm.
    pub seed: u64,
}

impl Sampling {
    /// Checks the number of trials.
    ///
    /// # Errors
    /// [`Error::Parameter`] without a trial.
    pub fn new(trials: u64, seed: u64) -> Result<Self, Error> {
        refuse_if!(trials == 0, "trials" = 0 => "expected at least 1 random multicast, as in 10000");
        Ok(Self { trials, seed })
    }
}

/// Checks a number of destinations.
///
/// # Errors
/// [`Error::Parameter`] above `w*h - 1`.
pub fn check_destinations(mesh: Mesh, K: u64) -> Result<u32, Error> {
    let most = mesh.nodes() - 1;
    u32::try_from(K).ok().filter(|&K| K <= most).ok_or_else(|| {
        Error::parameter(
            "K",
            K,
            format!(
                "expected at most {most} on the {mesh} mesh: K counts the destinations without the source (w*h - 1)"
            ),
        )
    })
}

/// The multicast in labels, given by positions or drawn by a seed.
///
/// # Errors
/// [`Error::Parameter`] for nodes that are not on the mesh, and for destinations that are the source or named twice.
fn chosen(mesh: Mesh, K: u32, seed: u64, which: &Which) -> Result<(u32, Vec<u32>), Error> {
    let label = |axis, node: u32| {
        let (x, y) = (node % mesh.w(), node / mesh.w());
        let found = (y < mesh.h()).then(|| mesh.label(x, y));
        found.ok_or_else(|| {
            Error::parameter(
                axis,
                node,
                format!("expected a node below {}", mesh.nodes()),
            )
        })
    };
    let given = which.source.map(|node| label("source", node)).transpose()?;
    if which.destinations.is_empty() {
        let (drawn, mut destinations) = draw(mesh, K, seed);
        let source = given.unwrap_or(drawn);
        // A given source replaces the drawn one, also among the destinations.
        destinations
            .iter_mut()
            .filter(|label| **label == source)
            .for_each(|label| *label = drawn);
        return Ok((source, destinations));
    }
    let source = given.ok_or_else(|| {
        Error::parameter(
            "source",
            "nothing",
            "expected one where destinations are given",
        )
    })?;
    let mut labels: Vec<u32> = Vec::with_capacity(which.destinations.len());
    for &node in &which.destinations {
        let found = label("K", node)?;
        refuse_if!(found == source || labels.contains(&found), "K" = node =>
            "expected distinct destinations other than the source");
        labels.push(found);
    }
    Ok((source, labels))
}

/// The number of a label in an execution: row by row.
fn numbered(mesh: Mesh, label: u32) -> u32 {
    let (x, y) = mesh.position(label);
    y * mesh.w() + x
}

/// The classes of a path along labels.
const NETWORKS: &[Class] = &[
    Class {
        name: "high network",
        brief: "high network",
        mark: '^',
    },
    Class {
        name: "low network",
        brief: "low network",
        mark: 'v',
    },
    Class {
        name: "both networks",
        brief: "both",
        mark: '*',
    },
];

/// A mesh whose messages follow paths along its labels. Source and destinations are labels.
fn stage(mesh: Mesh, source: Option<u32>, destinations: &[u32]) -> Stage {
    let destinations = destinations
        .iter()
        .map(|&label| numbered(mesh, label))
        .collect();
    let mut labels = vec![0; mesh.nodes() as usize];
    (0..mesh.nodes()).for_each(|label| labels[numbered(mesh, label) as usize] = label);
    let source = source.map(|label| numbered(mesh, label));
    let hints = Hints::new(
        View::Paths,
        "",
        "numbers are labels along the Hamiltonian snake",
    );
    let sides = Some((mesh.w(), mesh.h()));
    let stage = Stage {
        source,
        destinations,
        mesh: sides,
        classes: NETWORKS,
        ..Stage::new(mesh.nodes())
    };
    stage.drawn(Hints { labels, ..hints })
}

/// The network of a path, as an index into [`NETWORKS`]: labels rise, fall, or do both.
fn network(path: &[u32]) -> u8 {
    if path.is_sorted() {
        0
    } else {
        1 + u8::from(!path.iter().rev().is_sorted())
    }
}

pub use draws::draw;
