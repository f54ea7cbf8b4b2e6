//! Reduce: the root gets the combination of all ranks' words.

mod circulant;
mod flat;
mod in_order_binary;
mod rabenseifner;
pub(super) mod segments;
mod trees;

use super::double_tree::DoubleTree;
use super::k_nomial::KNomial;
use super::n_blocks::NBlocks;
use super::parameters::Parameters;
use super::sequence::Sequence;
use super::switched::Switched;
use super::wave::Wave;
use super::{Collective, Goal, Set, Share, bine, gather, reduce_scatter, scatter};
use crate::papers;
use crate::plan::{Load, Task};
use crate::problem::listed;
use crate::wide::Wide;
pub use flat::FLAT;
pub use trees::BINOMIAL;
use trees::{BINARY, CHAIN, K_NOMIAL_4};

/// The root gets the combination of all ranks' n words; `MPI_Reduce`.
#[derive(Debug)]
pub struct Reduce;

impl Goal for Reduce {
    fn ends_with(&self, task: &Task, rank: u64, _: u64) -> Option<(u64, u64)> {
        (rank == task.root).then_some((0, task.K))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let n = if set.ranks == task.K {
            0
        } else {
            u128::from(task.n)
        };
        if set.has_root { [n, 0] } else { [0, n] }
    }

    /// Every rank but the root sends n words at least: before the root has the combination of a word, each other rank has
    /// sent a message that leads there. One rank makes `ceil((K-1)n/K)` of `(K-1)n` combinations.
    fn share(&self, task: &Task) -> Share {
        let combined = (Wide::from(task.n) * Wide::from(task.K - 1)).div_ceil(task.K);
        Share {
            words: task.n.into(),
            combined,
            is_multicast: false,
        }
    }
}

/// A reduce-scatter, then a gather.
const COMPOSED: Sequence = Sequence::on_blocks(
    [
        reduce_scatter::ANY,
        &[&scatter::Optimal::GATHER, &gather::BINOMIAL],
    ],
    false,
);
/// With recursive exchange of radix 4 among the reduce-scatters.
const COMPOSED_4: Sequence = Sequence::on_blocks(
    [
        reduce_scatter::ANY_4,
        &[&scatter::Optimal::GATHER, &gather::BINOMIAL],
    ],
    false,
);

/// The Bine tree.
const BINE: bine::Tree = bine::Tree::new(&BINOMIAL, Load::Vector, true);

/// The row of the list.
pub static REDUCE: Collective = Collective {
    name: "reduce",
    title: "Reduce under LogGOPS",
    goal: &Reduce,
    parameters: Parameters::ROOTED_SEGMENTED,
    examples: &[
        &[
            ("L", 6),
            ("o", 2),
            ("g", 4),
            ("K", 8),
            ("n", 1024),
            ("c", 1),
            ("m", 16),
        ],
        &[("m", 1)],
        &[("m", 1), ("ports", 2)],
    ],
    limits: &[["reduce-wave", "16,384 ranks", "refused"]],
    entries: listed! {
        "reduce-flat" => FLAT, (papers::FOLKLORE, "Open MPI: basic linear"): "every rank sends its words to the root";
        "reduce-chain" => CHAIN, (papers::FOLKLORE, "Open MPI: pipeline"):
            "every rank combines its words with those of the next rank and sends them to the rank before";
        "reduce-binary" => BINARY, (papers::FOLKLORE, "Open MPI: binary"): "words go up a complete binary tree";
        "reduce-binomial" => BINOMIAL, (papers::BINOMIAL, "Open MPI and MPICH: binomial"):
            "words go up a binomial tree, the smallest subtree first";
        "reduce-bine" => BINE, (papers::BINE, "trees, in segments"):
            "words go up a binomial tree whose subtrees are ranges of ranks, the smallest first";
        "reduce-k-nomial-4" => K_NOMIAL_4, (papers::FOLKLORE, "Open MPI: knomial"):
            "words go up a k-nomial tree of radix 4, the smallest subtrees first";
        "reduce-in-order-binary" => in_order_binary::IN_ORDER_BINARY, (papers::FOLKLORE, "Open MPI: in-order binary"):
            "words go up a binary tree whose subtrees are consecutive ranks";
        "reduce-wave" => Wave::REDUCE, (papers::FOLKLORE, "MPICH: topology_wave"):
            "words go up the tree of broadcast-wave, the last child first";
        "reduce-rabenseifner" => rabenseifner::RABENSEIFNER, (papers::RABENSEIFNER, "Open MPI: redscat_gather"):
            "recursive halving to one combined block a rank, then a gather up a binomial tree";
        "reduce-circulant" => circulant::CIRCULANT, (papers::CIRCULANT, "reduce-scatter"):
            "a reduce-scatter over skips of ceil(K/2^j) ranks, then a gather up a binomial tree";
        "reduce-k-nomial-gather-4" => KNomial::REDUCE_4, (papers::FOLKLORE, "UCC: srg"):
            "windows are combined by recursive exchange, then gathered up a k-nomial tree, both of radix 4";
        "reduce-n-block-circulant" => NBlocks::REDUCE, (papers::N_BLOCKS, "MPICH: circ_graph"):
            "the broadcast on a circulant graph backwards, combined";
        "reduce-double-tree" => DoubleTree::REDUCE, (papers::TWO_TREES, "reduction"):
            "segments go in turn up two binary trees; a rank has children in one of them";
        "reduce-composed" => COMPOSED, (papers::GUIDELINES, "Reduce(n) <= Reduce_scatter(n) + Gather(n)"):
            "a reduce-scatter, linear or on a circulant graph, then a gather up the best tree or a binomial one";
        "reduce-composed-4" => COMPOSED_4, (papers::GUIDELINES, "Reduce(n) <= Reduce_scatter(n) + Gather(n)"):
            "as reduce-composed, with a reduce-scatter by recursive exchange of radix 4, too";
        "reduce-switch" => Switched::Reduce, (papers::SHARP, "section III"):
            "a switch combines the vectors of all ranks for the root";
    },
};
