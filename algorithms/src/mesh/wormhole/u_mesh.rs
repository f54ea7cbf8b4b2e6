//! U-mesh: halving over the nodes in dimension order, so that the unicasts of one step never meet.
//!
//! **Source.** McKinley, Xu, Esfahanian, Ni, "Unicast-based multicast communication in wormhole-routed networks", IEEE
//! TPDS 5(12), 1994, figure 8 and theorem 2.
//!
//! **Symbols.** K destinations without the source.
//!
//! **Algorithm.** Source and destinations form a chain, ordered by column and then by row. A node that holds the message and a stretch of
//! the chain sends to the node of the half without itself that is next to its own half, and gives that half away, of an odd stretch the
//! larger one, until its stretch has one node. Worms use XY routing. `ceil(log2(K+1))` steps.
//!
//! **Cost.** With one port, a recurrence over the halves, each sender with its own worms. By the theorem worms of different senders never
//! wait for each other (depth contention-free, for every startup and length); the simulation checks that at every point. With several ports
//! it does not hold: a worm that starts early meets worms of other senders, and only the simulation gives the time.
//!
//! **When it wins.** Against other unicasts for all but very few destinations; against paths on large meshes and with many simultaneous
//! multicasts, because its worms are short. Each step takes a startup and a whole message.
//!
//! **Departures from the paper.**
//! 1. It has one port; with k ports a sender starts its next k steps simultaneously.
//! 2. For a holder in the exact middle of its stretch, both halves satisfy the theorem; here it sends to the upper one. The paper's choice
//!    was not checked; links and times can differ there.

use super::unicasts::to_last;
use super::{Mesh, Scheme, Worm};
use crate::mesh::multicast::column_path::xy_path;

/// Halving on the chain of dimension order. See the module.
pub struct UMesh;

/// The chain as labels, and the index of the source in it.
fn chain(mesh: Mesh, source: u32, destinations: &[u32]) -> (Vec<u32>, usize) {
    let mut chain = [&[source], destinations].concat();
    chain.sort_unstable_by_key(|&node| mesh.position(node));
    let index = chain.iter().position(|&node| node == source).unwrap_or(0);
    (chain, index)
}

/// A stretch of the chain, with its ends, and the node that holds the message there.
#[derive(Clone, Copy)]
struct ChainStretch {
    left: usize,
    right: usize,
    holder: usize,
}

impl ChainStretch {
    /// The next send of the holder: the receiver with its part. The rest stays with the holder.
    fn halve(&mut self) -> Option<Self> {
        let Self {
            left,
            right,
            holder,
        } = *self;
        if left == right {
            return None;
        }
        // Twice the middle, which can be between two nodes.
        let middle = left + right;
        if 2 * holder <= middle {
            // The right half, without the middle where that is the holder.
            let centre = if 2 * holder == middle {
                holder + 1
            } else {
                left + (right - left).div_ceil(2)
            };
            self.right = centre - 1;
            Some(Self {
                left: centre,
                right,
                holder: centre,
            })
        } else {
            let centre = left + (right - left) / 2;
            self.left = centre + 1;
            Some(Self {
                left,
                right: centre,
                holder: centre,
            })
        }
    }

    /// All sends of the holder, in order.
    fn sends(mut self) -> Vec<Self> {
        std::iter::from_fn(|| self.halve()).collect()
    }
}

impl Scheme for UMesh {
    fn worms(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Worm> {
        let (chain, index) = chain(mesh, source, destinations);
        let mut worms = Vec::new();
        let mut pending = vec![ChainStretch {
            left: 0,
            right: chain.len() - 1,
            holder: index,
        }];
        while let Some(stretch) = pending.pop() {
            let sends = stretch.sends();
            let from = chain[stretch.holder];
            let worm =
                |to: &ChainStretch| to_last(xy_path(mesh, from, mesh.position(chain[to.holder])));
            worms.extend(sends.iter().map(worm));
            pending.extend(sends);
        }
        worms
    }

    fn meets(&self, ports: u64) -> bool {
        ports > 1
    }

    /// A worm for each destination.
    fn most_hops(&self, mesh: Mesh, K: u32) -> u64 {
        u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)
    }
}
