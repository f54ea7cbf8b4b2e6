//! Unicasts as worms: the source sends to one destination after the other.
//!
//! **Source.** Folklore; the baseline of McKinley, Xu, Esfahanian, Ni, "Unicast-based multicast communication in
//! wormhole-routed networks", IEEE TPDS 5(12), 1994.
//!
//! **Algorithm.** A worm for each destination by XY routing, first along the row and then along the column, the farthest
//! destination first (of equally far ones that of the lower label).
//!
//! **Cost.** With one port `K-1` times the occupation of the port, and then the last worm: no worm catches up with the one before, because no
//! header is faster than a tail. With more ports, worms that start in the same direction queue.
//!
//! **When it wins.** For one destination, where all schemes are equal; otherwise at best with very many ports and short messages.
//!
//! **Departures from the paper.** None.

use super::{Mesh, Scheme, Worm};
use crate::mesh::multicast::Routing as _;
use crate::mesh::multicast::column_path::xy_path;
use crate::mesh::multicast::unicast::Unicast;

/// One worm for each destination. See the module.
pub struct Unicasts;

/// A worm that ends at its only receiver.
pub(super) fn to_last(path: Vec<u32>) -> Worm {
    Worm {
        receivers: path.last().copied().into_iter().collect(),
        path,
    }
}

impl Scheme for Unicasts {
    fn worms(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Worm> {
        let mut order = destinations.to_vec();
        order.sort_unstable_by_key(|&node| (std::cmp::Reverse(mesh.distance(source, node)), node));
        let worm = |node| to_last(xy_path(mesh, source, mesh.position(node)));
        order.into_iter().map(worm).collect()
    }

    fn most_hops(&self, mesh: Mesh, K: u32) -> u64 {
        Unicast.most_links(mesh, K)
    }
}
