//! Allreduce: every rank gets the combination of all ranks' words.

mod bine;
mod bucket;
pub(super) mod rabenseifner;
mod recursive_doubling;
mod segmented_ring;
mod swing_torus;
mod tree_chain;
mod trivance;

use super::alltoall::Linear;
use super::double_tree::DoubleTree;
use super::k_nomial::KNomial;
use super::n_blocks::NBlocks;
use super::parameters::Parameters;
use super::sequence::Sequence;
use super::switched::Switched;
use super::{
    Algorithm, Collective, Goal, Share, allgather, broadcast, circulant, reduce, reduce_scatter,
    ring, swing,
};
use crate::papers;
use crate::plan::Task;
use crate::problem::listed;
use crate::wide::Wide;
pub use recursive_doubling::RECURSIVE_DOUBLING;

/// Every rank gets the combination of all ranks' words.
#[derive(Debug)]
pub struct Allreduce;

impl Goal for Allreduce {
    fn ends_with(&self, task: &Task, _: u64, _: u64) -> Option<(u64, u64)> {
        Some((0, task.K))
    }

    /// `2(N-1)n` between N groups (Patarasuk, Yuan 2009). For each word: before some group first has the combination, each of
    /// the others has sent a message that leads there; after that, each of them receives one more.
    fn between(&self, task: &Task, groups: u64) -> u128 {
        2 * u128::from(groups.saturating_sub(1)) * u128::from(task.n)
    }

    /// Of what ranks [send](Goal::between) in all, one of them sends `ceil(2(K-1)n/K)`. One rank makes `ceil((K-1)n/K)` of `(K-1)n`
    /// combinations.
    fn share(&self, task: &Task) -> Share {
        let others = Wide::from(task.n) * Wide::from(task.K - 1);
        Share {
            words: (2 * others).div_ceil(task.K),
            combined: others.div_ceil(task.K),
            is_multicast: false,
        }
    }
}
/// Every rank sends to rank 0, and receives from it.
const FLAT: Sequence = Sequence::at_rank_0([&[&reduce::FLAT], &[&broadcast::Tree::FLAT]], true);
/// Up a binomial tree, and down one.
const BINOMIAL: Sequence =
    Sequence::at_rank_0([&[&reduce::BINOMIAL], &[&broadcast::Tree::BMTREE]], true);
/// Up two binary trees in turn, and down.
pub const DOUBLE_TREE: Sequence =
    Sequence::at_rank_0([&[&DoubleTree::REDUCE], &[&DoubleTree::BROADCAST]], false);
/// On a circulant graph.
const N_BLOCKS: Sequence =
    Sequence::at_rank_0([&[&NBlocks::REDUCE], &[&NBlocks::BROADCAST]], false);
/// A reduce-scatter, then an allgather.
const COMPOSED: Sequence = Sequence::on_blocks([reduce_scatter::ANY, allgather::ANY], false);
/// With recursive exchange of radix 4 among the halves.
const COMPOSED_4: Sequence = Sequence::on_blocks([reduce_scatter::ANY_4, allgather::ANY_4], false);
/// Every rank reads its block of all vectors, combines them, and writes the result to all.
const SLIDING_WINDOW: Sequence =
    Sequence::on_blocks([&[&Linear::REDUCE_SCATTER], &[&Linear::ALLGATHER]], false);

/// The row of the list.
pub static ALLREDUCE: Collective = Collective {
    name: "allreduce",
    title: "Allreduce under LogGOPS",
    goal: &Allreduce,
    parameters: Parameters::SEGMENTED,
    examples: &[
        &[
            ("L", 6),
            ("o", 2),
            ("g", 4),
            ("K", 8),
            ("n", 1024),
            ("c", 1),
        ],
        &[("K", 9)],
        &[("ports", 2)],
    ],
    // Limits of all collectives; they are listed once, with the first collective.
    limits: &[
        [
            "collectives",
            "2^64 - 1 words of all ranks",
            "refused: the judge numbers all words",
        ],
        [
            "collectives whose ranks are followed to find the cost",
            "2^22 messages; the model page says where ranks are followed",
            "no exact cost; bounds on both sides, in the column `note` of a sweep",
        ],
        [
            "simulation of collectives, with any options",
            "2^22 messages; up to 4,096 ranks 2^24, if each rank sends at most one to each other rank",
            "no simulated cost; the answer says why",
        ],
        [
            "judgement of a simulated collective",
            "2^22 messages, 2^24 blocks that ranks hold",
            "a simulated cost that the answer calls `not judged`",
        ],
    ],
    entries: listed! {
        "allreduce-recursive-doubling" => RECURSIVE_DOUBLING, (papers::MPICH, "section 4.5"):
            "in round r ranks whose numbers differ in bit r exchange and combine all words";
        "allreduce-ring" => ring::ALLREDUCE, (papers::RING, "section 3"): "blocks go around a ring twice, combined the first time";
        "allreduce-rabenseifner" => rabenseifner::RABENSEIFNER, (papers::RABENSEIFNER, "section 2.2"):
            "recursive halving to one combined block a rank, then recursive doubling to all blocks";
        "allreduce-circulant" => circulant::ALLREDUCE, (papers::CIRCULANT, "allreduce"):
            "reduce-scatter and allgather over skips of ceil(K/2^j) ranks";
        "allreduce-swing" => swing::ALLREDUCE, (papers::SWING, "for long vectors"):
            "reduce-scatter and allgather between ranks at distances 1, 1, 3, 5, 11, ..";
        "allreduce-swing-torus" => swing_torus::SwingTorus, (papers::SWING, "tori of several dimensions"):
            "on k ports k parts of the vector, half of them mirrored, are halved by Swing from dimension to dimension";
        "allreduce-bucket" => bucket::Bucket, (papers::BUCKET, "allreduce"):
            "on k ports k parts of the vector go around the rings of a torus, each from another dimension on";
        "allreduce-trivance" => trivance::Trivance, (papers::TRIVANCE, "log3 K steps"):
            "every rank sends all words to both ranks at distances 1, 3, 9, .., and combines theirs";
        "allreduce-bine" => bine::BINE, (papers::BINE, "long vectors"):
            "the partners of Swing halve windows of words, then exchange them";
        "allreduce-recursive-multiplying-4" => KNomial::ALLREDUCE_4, (papers::FOLKLORE, "UCC: knomial"):
            "recursive doubling with radix 4: in a round ranks whose numbers differ in a digit exchange and combine all words";
        "allreduce-recursive-multiplying-wrapped-4" => KNomial::WRAPPED_ALLREDUCE_4, (papers::FOLKLORE, "MPICH: recursive_multiplying"):
            "as allreduce-recursive-multiplying of radix 4 among the first 4^p ranks, for all whose numbers are equal modulo 4^p";
        "allreduce-recexch-4" => KNomial::RECEXCH_ALLREDUCE_4, (papers::FOLKLORE, "MPICH: recexch"):
            "as allreduce-recursive-multiplying of radix 4 among the last ranks of groups of 4";
        "allreduce-scatter-allgather-4" => KNomial::WINDOWS_4, (papers::FOLKLORE, "UCC: sra_knomial"):
            "recursive halving and doubling with radix 4: ranks whose numbers differ in a digit divide a window into four";
        "allreduce-recexch-scatter-allgather-4" => KNomial::RECEXCH_WINDOWS_4, (papers::FOLKLORE, "MPICH: k_reduce_scatter_allgather"):
            "as allreduce-scatter-allgather of radix 4 among the last ranks of groups of 4";
        "allreduce-n-block-circulant" => N_BLOCKS, (papers::N_BLOCKS, "MPICH: circ_graph"):
            "a reduce, then a broadcast of segments on a circulant graph";
        "allreduce-segmented-ring" => segmented_ring::SegmentedRing, (papers::FOLKLORE, "Open MPI: segmented_ring"):
            "blocks go around a ring in segments and are combined, then whole";
        "allreduce-reduce-broadcast" => BINOMIAL, (papers::FOLKLORE, "Open MPI: nonoverlapping"):
            "a reduce up a binomial tree, then a broadcast down it";
        "allreduce-double-tree" => DOUBLE_TREE, (papers::TWO_TREES, "reduction, then broadcast"):
            "segments go up two binary trees in turn and are combined, then down the same trees";
        "allreduce-double-tree-chain" => tree_chain::TREE_CHAIN, (papers::FOLKLORE, "NCCL: tree"):
            "segments go up two binary trees of nodes in turn, and down them at the same time; the ranks of a node are a chain";
        "allreduce-flat" => FLAT, (papers::FOLKLORE, "Open MPI: basic linear"):
            "every rank sends to rank 0, and gets the result from it";
        "allreduce-composed" => COMPOSED, (papers::GUIDELINES, "Allreduce(n) <= Reduce_scatter(n) + Allgather(n)"):
            "a reduce-scatter, then an allgather, each linear or on a circulant graph, whichever costs less";
        "allreduce-composed-4" => COMPOSED_4, (papers::GUIDELINES, "Allreduce(n) <= Reduce_scatter(n) + Allgather(n)"):
            "as allreduce-composed, with halves by recursive exchange of radix 4, too";
        "allreduce-sliding-window" => SLIDING_WINDOW, (papers::FOLKLORE, "UCC: sliding_window"):
            "every rank gets its block from all others, combines it, and sends the result to all";
        "allreduce-linear" => Linear::ALLREDUCE, (papers::FOLKLORE, "collectives::alltoall::linear"):
            "every rank sends all words to all others, then receives and combines theirs";
        "allreduce-switch" => Switched::Allreduce, (papers::SHARP, "NCCL: collnet"):
            "a switch combines the vectors of all ranks and copies the result to them";
        "allreduce-switch-blocks" => Switched::AllreduceInBlocks, (papers::SHARP, "NCCL: nvls"):
            "each rank gets its block combined by a switch, which copies it to all others";
    },
};
