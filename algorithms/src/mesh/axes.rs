//! The axes that the problems on a mesh share.

use crate::problem::{Axis, Kind};

/// The sides of the mesh.
pub(super) const SIDES: Axis = Axis {
    key: "n",
    short: Some('n'),
    long: Some("mesh"),
    columns: &["mesh_width_nodes", "mesh_height_nodes"],
    kind: Kind::Sides,
    default: None,
    samples: false,
    title: "side n of the mesh",
    meaning: "side of a square mesh; --mesh WxH takes any",
};

/// Destinations.
pub(super) const DESTINATIONS: Axis = Axis {
    key: "K",
    short: Some('K'),
    long: None,
    columns: &["K_destinations"],
    kind: Kind::Count,
    default: None,
    samples: false,
    title: "destinations K, without the source",
    meaning: "destinations, without the source",
};

/// Random multicasts.
pub(super) const TRIALS: Axis = Axis {
    key: "trials",
    short: None,
    long: Some("trials"),
    columns: &["trials"],
    kind: Kind::Count,
    default: Some(10_000),
    samples: true,
    title: "random multicasts",
    meaning: "how many random multicasts are simulated",
};

/// Which random multicasts.
pub(super) const SEED: Axis = Axis {
    key: "seed",
    short: None,
    long: Some("seed"),
    columns: &["seed"],
    kind: Kind::Count,
    default: Some(1),
    samples: true,
    title: "seed",
    meaning: "seed of the random multicasts",
};
