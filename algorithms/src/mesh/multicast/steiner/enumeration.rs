//! The mean length of shortest trees over all sets of terminals of a small mesh, without computing trees.

use num_bigint::BigUint;
use num_rational::BigRational;

use super::super::counting::{binomial, ratio};
use crate::mesh::labelling::Mesh;

/// Larger than any tree.
const NONE: u8 = u8::MAX;

/// The expected links of a shortest tree over K destinations, by counting: `O(2^n n)` steps, `2^n` bytes.
///
/// The shortest tree of a set spans the smallest connected set of nodes around it, so each connected set gives its size to its subsets.
pub(super) fn mean_links(mesh: Mesh, K: u32) -> BigRational {
    let n = mesh.nodes();
    let around: Vec<u32> = (0..n)
        .map(|node| {
            mesh.neighbours(node)
                .fold(0, |set, next| set | 1u32 << next)
        })
        .collect();
    let mut fewest: Vec<u8> = (0..1u32 << n)
        .map(|set| {
            if is_connected(set, &around) {
                links(set)
            } else {
                NONE
            }
        })
        .collect();
    for node in 0..n {
        for set in (0..1usize << n).filter(|set| set >> node & 1 == 0) {
            fewest[set] = fewest[set].min(fewest[set | 1 << node]);
        }
    }
    let sets = (0..1u32 << n)
        .zip(fewest)
        .filter(|(set, _)| set.count_ones() == K + 1);
    ratio(
        sets.map(|(_, links)| BigUint::from(links)).sum(),
        binomial(n, K + 1),
    )
}

/// The links of a tree that spans a connected set.
fn links(set: u32) -> u8 {
    u8::try_from(set.count_ones()).map_or(NONE, |nodes| nodes.saturating_sub(1))
}

/// Whether the links between nodes of the set connect it; the empty set is not.
fn is_connected(set: u32, around: &[u32]) -> bool {
    let mut reached = set & set.wrapping_neg();
    let mut pending = reached;
    while pending != 0 {
        let new = around[pending.trailing_zeros() as usize] & set & !reached;
        pending = (pending & (pending - 1)) | new;
        reached |= new;
    }
    set != 0 && reached == set
}
