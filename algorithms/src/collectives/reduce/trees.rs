//! Reduce up a tree, in segments: along a chain, or up a complete binary tree, a binomial one or a k-nomial one.
//!
//! Ranks are numbered from the root.
//!
//! # Chain
//!
//! **Source.** Folklore; Open MPI: pipeline (`chain` with a fanout of 1).
//!
//! The last rank sends its segments to the one before. Every other rank receives a
//! segment, combines it with its own, and sends it on; the root keeps it.
//!
//! **Cost** for m dividing n, with a segment of s words: `(K-1)(D(s) + cs) + (m-1)P`, where `P = max(g(s), 2o(s) + cs)` is the
//! period of a rank between two others; for K = 2 there is none, and `P = max(g(s), o(s) + cs)`. 0 for K = 1. For segments
//! of two sizes the [lines of both](super::segments) are joined where the size changes, at the root or the rank after it.
//! O(1).
//!
//! **When it wins.** Long vectors on few ranks: in the steady state a rank receives, combines and sends each word once.
//!
//! **Departures.** None.
//!
//! # Binary
//!
//! **Source.** Folklore; Open MPI: binary (`ompi_coll_base_topo_build_tree` with a fanout of 2).
//!
//! Numbers go level by level. Number i of a level of `2^l` has the children i and `i + 2^l` of the
//! next level. For each segment a rank receives from both, combines, and sends to its parent.
//!
//! **Cost.** Let M, d and the period P(d) of a rank be as in [segments](super::segments). A longest path begins at the first
//! number of the last level: no path is longer, no rank on another one has more children, and at each rank it enters by
//! the first child. So with H levels below the root, and s words in a segment where m divides n:
//! `H(D(s) + cs) + (d_1 + ... + d_H - H)M + (m-1)P`, where `d_i` are the children of the ranks on this path and P is the
//! longest of their periods. All but the last rank above the leaf have 2 children. For segments of two sizes the lines of
//! both are joined. O(log K).
//!
//! **When it wins.** Vectors of medium length on many ranks.
//!
//! **Departures.** None.
//!
//! # Binomial
//!
//! **Source.** Folklore; MPICH: binomial (`MPIR_Reduce_intra_binomial`); Open MPI: binomial.
//!
//! The tree is the binomial one. For each segment a rank
//! receives from its children, the smallest subtree first, combines, and sends to its parent.
//!
//! **Cost** for m dividing n and `K = 2^p`, with a segment of s words, `A = D(s) + cs` and `M = max(g(s), o(s) + cs)`:
//! `A + (p-1) max(A, g(s)) + (m-1)pM`. The first two terms are one segment, as in a gather; pM is the period of the root,
//! which has most children. 0 for K = 1.
//! Otherwise the [times](super::segments) of the complete subtrees, and of the incomplete ones on the path from the root
//! over last children, follow from those of their children. `O(log^2 K)`.
//!
//! **When it wins.** Short vectors: `ceil(log2 K)` messages on the longest path.
//!
//! **Departures.** MPICH sends a vector whole, and from another root for operators that do not commute.
//!
//! # K-nomial
//!
//! **Source.** Folklore; Open MPI 6: knomial (`ompi_coll_base_reduce_intra_knomial`) with its radix of 4.
//!
//! The number at the end of the name is the radix. The parent of a number is the number without its lowest digit to base 4. For each segment a rank receives from its children in
//! ascending order, so the smallest subtrees first, combines, and sends to its parent.
//!
//! **Cost** for m dividing n and `K = 4^p`, with A and M as above: `A + 2M + (p-1) max(A + 2M, g(s)) + (m-1)3pM` where `M <= A`: the last
//! three children of a rank send at the same time. 0 for K = 1. Otherwise as in the binomial tree: the times of complete subtrees, three
//! of each size, and of the incomplete ones on the path over last children. `O(log^2 K)`.
//!
//! **When it wins.** Short vectors where a hop is longer than the time between two receives.
//!
//! **Departures.** Open MPI sends a vector whole, posts all receives first, and combines the largest subtrees first.

use super::segments::{binary, chain};
use crate::collectives::broadcast::Tree;

/// Every rank combines and sends to the one before.
pub const CHAIN: Tree = Tree::CHAIN.up(Some(chain));
/// The complete binary tree, level by level.
pub const BINARY: Tree = Tree::BINARY.up(Some(binary));
/// The binomial tree, smallest subtree first.
pub const BINOMIAL: Tree = Tree::BINOMIAL.up(None);
/// The k-nomial tree of radix 4, smallest subtrees first.
pub const K_NOMIAL_4: Tree = Tree::K_NOMIAL_4.up(None);
