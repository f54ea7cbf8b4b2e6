//! The axes that the problems on a mesh share.

use crate::problem::{Axis, Kind};

/// The sides of the mesh.
pub(super) const SIDES: Axis = Axis {
    long: Some("mesh"),
    ..Axis::new(
        "n",
        &["mesh_width_nodes", "mesh_height_nodes"],
        Kind::Sides,
        "side n of the mesh",
        "side of a square mesh; --mesh WxH takes any",
    )
};

/// Destinations.
pub(super) const DESTINATIONS: Axis = Axis::new(
    "K",
    &["K_destinations"],
    Kind::Count,
    "destinations K, without the source",
    "destinations, without the source",
);

/// Random multicasts.
pub(super) const TRIALS: Axis = Axis {
    default: Some(10_000),
    samples: true,
    ..Axis::new(
        "trials",
        &["trials"],
        Kind::Count,
        "random multicasts",
        "how many random multicasts are simulated",
    )
};

/// Which random multicasts.
pub(super) const SEED: Axis = Axis {
    default: Some(1),
    samples: true,
    ..Axis::new(
        "seed",
        &["seed"],
        Kind::Count,
        "seed",
        "seed of the random multicasts",
    )
};
