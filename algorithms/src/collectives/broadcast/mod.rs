//! Broadcast: every rank gets the root's words.
//!
//! A rank has one processor for the overheads of sends and receives, as in all collectives here: strict ports. With duplex
//! [ports](crate::plan::task::PortRule) each port has its own overhead, and a rank sends and receives at the same time, on any number of
//! ports: what then differs, and its formulas and programs, is in [`pipeline`](crate::logp::pipeline).

mod scatter_allgather;
mod scattered;
pub(super) mod segments;
mod split_binary;
mod trees;

use super::double_tree::DoubleTree;
use super::k_nomial::KNomial;
use super::n_blocks::NBlocks;
use super::parameters::Parameters;
use super::sequence::Sequence;
use super::switched::Switched;
use super::wave::Wave;
use super::{Collective, Goal, Set, Share, allgather, bine, scatter};
use crate::papers;
use crate::plan::{Load, Task};
use crate::problem::listed;
use crate::wide::Wide;
use scattered::Scattered;
pub use trees::Tree;

/// Every rank gets the root's n words; `MPI_Bcast`.
#[derive(Debug)]
pub struct Broadcast;

impl Goal for Broadcast {
    fn starts_with(&self, task: &Task, rank: u64, _: u64) -> bool {
        rank == task.root
    }

    fn ends_with(&self, task: &Task, _: u64, _: u64) -> Option<(u64, u64)> {
        Some((task.root, 1))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let n = if set.ranks == task.K {
            0
        } else {
            u128::from(task.n)
        };
        if set.has_root { [0, n] } else { [n, 0] }
    }

    /// The root sends every word, and the last one of them has to reach K ranks.
    fn share(&self, task: &Task) -> Share {
        Share {
            words: task.n.into(),
            combined: Wide::ZERO,
            is_multicast: true,
        }
    }
}

/// A scatter, then an allgather.
const COMPOSED: Sequence = Sequence::on_blocks(
    [
        &[&scatter::Optimal::SCATTER, &scatter::BINOMIAL],
        allgather::ANY,
    ],
    true,
);
/// With recursive exchange of radix 4 among the allgathers.
const COMPOSED_4: Sequence = Sequence::on_blocks(
    [
        &[&scatter::Optimal::SCATTER, &scatter::BINOMIAL],
        allgather::ANY_4,
    ],
    true,
);

/// The Bine tree.
const BINE: bine::Tree = bine::Tree::new(&Tree::BINOMIAL, Load::Vector, false);

/// The row of the list.
pub static BROADCAST: Collective = Collective {
    name: "broadcast",
    title: "Broadcast under LogGOPS",
    goal: &Broadcast,
    parameters: Parameters::BROADCAST,
    examples: &[
        &[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64), ("m", 16)],
        &[("m", 1)],
        &[("m", 1), ("ports", 2)],
    ],
    limits: &[
        [
            "broadcast-optimal",
            "a tree with 2^20 different subtrees",
            "refused, after one or two seconds",
        ],
        ["broadcast-wave", "16,384 ranks", "refused"],
    ],
    entries: listed! {
        "broadcast-flat" => Tree::FLAT, (papers::FOLKLORE, "Open MPI: basic linear"):
            "the root sends every segment to every rank";
        "broadcast-wave" => Wave::BROADCAST, (papers::FOLKLORE, "MPICH: topology_wave"):
            "segments go down a tree that grows from group to group of a machine with levels, each rank from the one that reaches it first";
        "broadcast-chain" => Tree::CHAIN, (papers::FOLKLORE, "Open MPI: pipeline"):
            "every rank passes the segments to the next";
        "broadcast-binary" => Tree::BINARY, (papers::FOLKLORE, "Open MPI: binary"):
            "segments go down a complete binary tree";
        "broadcast-binomial" => Tree::BINOMIAL, (papers::BINOMIAL, "MPICH: binomial"):
            "segments go down a binomial tree, the largest subtree first";
        "broadcast-bmtree" => Tree::BMTREE, (papers::BINOMIAL, "Open MPI: binomial"):
            "segments go down a binomial tree, the nearest rank first";
        "broadcast-bine" => BINE, (papers::BINE, "trees, in segments"):
            "segments go down a binomial tree whose subtrees are ranges of ranks around the root's, the farthest first";
        "broadcast-k-nomial-4" => Tree::K_NOMIAL_4, (papers::FOLKLORE, "Open MPI: knomial"):
            "segments go down a k-nomial tree of radix 4, the largest subtree first";
        "broadcast-k-ary-4" => Tree::K_ARY_4, (papers::FOLKLORE, "MPICH: kary"):
            "segments go down a complete tree in which every rank has 4 children";
        "broadcast-halving" => Tree::HALVING, (papers::FIBONACCI, "section 3, in segments"):
            "a rank gives half of its ranks to a relay, and so on with the rest";
        "broadcast-fibonacci" => Tree::FIBONACCI, (papers::FIBONACCI, "algorithm 1, in segments"):
            "a rank keeps the larger part of a Fibonacci split, and so on";
        "broadcast-optimal" => Tree::OPTIMAL, (papers::OWN, "the tree of OPT-tree, in segments"):
            "segments go down the tree that is optimal for one of them";
        "broadcast-scatter-allgather" => scatter_allgather::SCATTER_ALLGATHER, (papers::MPICH, "section 4.2"):
            "a scatter down a binomial tree, then each rank sends the next one the blocks that it lacks";
        "broadcast-scatter-ring" => Scattered::RING, (papers::MPICH, "section 4.2"):
            "a scatter down a binomial tree, then all blocks go around a ring";
        "broadcast-scatter-doubling" => Scattered::DOUBLING, (papers::MPICH, "section 4.2"):
            "a scatter down a binomial tree, then ranks whose numbers differ in a bit exchange blocks";
        "broadcast-scatter-k-nomial-4" => KNomial::BROADCAST_4, (papers::FOLKLORE, "UCC: sag_knomial"):
            "a scatter of windows, then an allgather by recursive exchange, both of radix 4";
        "broadcast-n-block-circulant" => NBlocks::BROADCAST, (papers::N_BLOCKS, "MPICH: circ_graph"):
            "segments go over a circulant graph: in m-1+ceil(log2 K) rounds each rank gets every segment once";
        "broadcast-double-tree" => DoubleTree::BROADCAST, (papers::TWO_TREES, "broadcast"):
            "segments go in turn down two binary trees; a rank has children in one of them";
        "broadcast-split-binary" => split_binary::SplitBinary, (papers::FOLKLORE, "Open MPI: split_binary"):
            "half of the words down each side of a binary tree, then ranks of both sides exchange their halves";
        "broadcast-composed" => COMPOSED, (papers::GUIDELINES, "Bcast(n) <= Scatter(n) + Allgather(n)"):
            "a scatter down the best tree or a binomial one, then an allgather, linear or on a circulant graph";
        "broadcast-composed-4" => COMPOSED_4, (papers::GUIDELINES, "Bcast(n) <= Scatter(n) + Allgather(n)"):
            "as broadcast-composed, with an allgather by recursive exchange of radix 4, too";
        "broadcast-switch" => Switched::Broadcast, (papers::SHARP, "section III; multicast"):
            "a switch copies what the root sends to all others";
    },
};
