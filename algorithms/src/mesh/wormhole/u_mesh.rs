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
use crate::logp::multicast::halving::halve;
use crate::logp::multicast::schedule::by_intervals;
use crate::mesh::multicast::column_path::xy_path;
use crate::plan::narrow;

/// Halving on the chain of dimension order. See the module.
pub struct UMesh;

/// The chain as labels, and the position of the source in it, from 1.
fn chain(mesh: Mesh, source: u32, destinations: &[u32]) -> (Vec<u32>, u32) {
    let mut chain = [&[source], destinations].concat();
    chain.sort_unstable_by_key(|&node| mesh.position(node));
    let index = (1..).zip(&chain).find(|&(_, &node)| node == source);
    let index = index.map_or(1, |(index, _)| index);
    (chain, index)
}

impl Scheme for UMesh {
    fn worms(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Worm> {
        let (chain, index) = chain(mesh, source, destinations);
        let at = |position: u32| chain[position as usize - 1];
        let sends = by_intervals(narrow(chain.len() as u64), index, |size, at| {
            halve(size, at, true)
        });
        let worm = |(from, to)| to_last(xy_path(mesh, at(from), mesh.position(at(to))));
        sends.into_iter().map(worm).collect()
    }

    fn meets(&self, ports: u64) -> bool {
        ports > 1
    }

    /// A worm for each destination.
    fn most_hops(&self, mesh: Mesh, K: u32) -> u64 {
        u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)
    }
}
