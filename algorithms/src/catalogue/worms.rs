//! The entries of multicasts on a mesh with wormhole switching.

use super::list::{COLUMN_PATH_PAPER, FOLKLORE, MULTI_PATH_PAPER};
use super::{Algorithm, Entry};
use crate::mesh::wormhole::u_mesh::UMesh;
use crate::mesh::wormhole::unicasts::Unicasts;
use crate::mesh::wormhole::{Scheme, paths};

const U_MESH_PAPER: &str = "McKinley, Xu, Esfahanian, Ni 1994, Unicast-based multicast in wormhole-routed networks";

pub(super) const U_MESH: Entry = worms(
    "worm-u-mesh",
    "halving over the nodes in dimension order, unicasts that on one port never meet",
    (U_MESH_PAPER, "figure 8, theorem 2"),
    72,
    &UMesh,
);

pub(super) const DUAL_PATH: Entry = worms(
    "worm-dual-path",
    "dual-path as worms: one up the snake, one down",
    (MULTI_PATH_PAPER, "section 4"),
    75,
    &paths::DUAL_PATH,
);

pub(super) const MULTI_PATH: Entry = worms(
    "worm-multi-path",
    "multi-path as worms: up to four",
    (MULTI_PATH_PAPER, "section 4"),
    75,
    &paths::MULTI_PATH,
);

pub(super) const FIXED_PATH: Entry = worms(
    "worm-fixed-path",
    "the snake itself as worms, up and down",
    (MULTI_PATH_PAPER, "section 4"),
    75,
    &paths::FIXED_PATH,
);

pub(super) const COLUMN_PATH: Entry = worms(
    "worm-column-path",
    "column-path as worms: up to two a column",
    (COLUMN_PATH_PAPER, "section 4"),
    60,
    &paths::COLUMN_PATH,
);

pub(super) const UNICAST: Entry = worms(
    "worm-unicast",
    "the source sends to one destination after the other, the farthest first",
    (FOLKLORE, "separate addressing"),
    62,
    &Unicasts,
);

/// A multicast done with worms, at its first revision, with its paper and the place in it.
const fn worms(
    name: &'static str,
    summary: &'static str,
    (paper, place): (&'static str, &'static str),
    step_ns: u32,
    scheme: &'static dyn Scheme,
) -> Entry {
    Entry { name, summary, paper, place, revision: 1, step_ns, algorithm: Algorithm::WormholeMulticast(scheme) }
}
