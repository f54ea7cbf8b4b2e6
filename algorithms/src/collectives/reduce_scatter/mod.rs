//! Reduce-scatter: every rank gets the combination of all ranks' words for its block.

mod butterfly;
mod pairwise;
mod recursive_doubling;
mod recursive_halving;

use super::alltoall::Linear;
use super::k_nomial::KNomial;
use super::n_blocks::AllBlocks;
use super::parameters::Parameters;
use super::pat::Pat;
use super::switched::Switched;
use super::{Algorithm, Collective, Goal, Set, Share, bounds, circulant, ring, swing};
use crate::papers;
use crate::plan::Task;
use crate::problem::listed;
use crate::wide::Wide;

/// Every rank gets the combination of all ranks' words for its block of n words; `MPI_Reduce_scatter_block`.
#[derive(Debug)]
pub struct ReduceScatter;

impl Goal for ReduceScatter {
    fn blocks(&self, task: &Task) -> u128 {
        task.K.into()
    }

    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)> {
        (rank == block).then_some((0, task.K))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let [inside, outside] = bounds::sides(task, set);
        match set.ranks == task.K {
            true => [0; 2],
            false => [inside, outside],
        }
    }

    /// Every rank sends its contributions to the blocks of others, (K-1)n words; of K(K-1)n combinations some rank makes
    /// (K-1)n.
    fn share(&self, task: &Task) -> Share {
        let words = bounds::others(task);
        let combined = match task.is_counted() {
            true => (Wide::from(task.K - 1) * Wide::from(task.start(task.K))).div_ceil(task.K),
            false => words,
        };
        Share {
            words,
            combined,
            is_multicast: false,
        }
    }
}

/// The algorithms of a half of a [sequence](super::sequence), of which the cheaper one is taken.
pub(super) const ANY: &[&dyn Algorithm] = &[&circulant::REDUCE_SCATTER, &Linear::REDUCE_SCATTER];
/// With recursive exchange of radix 4 beside them.
pub(super) const ANY_4: &[&dyn Algorithm] = &[
    &circulant::REDUCE_SCATTER,
    &Linear::REDUCE_SCATTER,
    &KNomial::REDUCE_SCATTER_4,
];

/// The row of the list.
pub static REDUCE_SCATTER: Collective = Collective {
    name: "reduce-scatter",
    title: "Reduce-scatter under LogGOPS",
    goal: &ReduceScatter,
    parameters: Parameters::BLOCKS,
    examples: &[
        &[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64), ("c", 1)],
        &[("ports", 2)],
    ],
    limits: &[],
    entries: listed! {
        "reduce-scatter-ring" => ring::REDUCE_SCATTER, (papers::FOLKLORE, "Open MPI: ring"):
            "every block goes around the ring to its rank and is combined on the way";
        "reduce-scatter-pairwise" => pairwise::PAIRWISE, (papers::MPICH, "section 4.3"):
            "in round r every rank sends its words for the rank r further on";
        "reduce-scatter-recursive-halving" => recursive_halving::RECURSIVE_HALVING, (papers::MPICH, "section 4.3"):
            "ranks that are far apart first exchange and combine the blocks of each other's half";
        "reduce-scatter-recursive-doubling" => recursive_doubling::RECURSIVE_DOUBLING, (papers::MPICH, "section 4.3"):
            "in round r ranks whose numbers differ in bit r exchange and combine all blocks that they have not yet left out";
        "reduce-scatter-circulant" => circulant::REDUCE_SCATTER, (papers::CIRCULANT, "reduce-scatter"):
            "in round j every rank sends the blocks of half of the ranks that are left, ceil(K/2^j) ranks on";
        "reduce-scatter-butterfly" => butterfly::BUTTERFLY, (papers::BUTTERFLY, "Open MPI: butterfly"):
            "ranks that are near first exchange and combine half of their blocks, in mirrored order";
        "reduce-scatter-bine" => swing::REDUCE_SCATTER, (papers::BINE, "butterflies"):
            "partners at distances 1, 1, 3, 5, 11, .. exchange and combine the blocks that only the other one reaches later";
        "reduce-scatter-recursive-exchange-4" => KNomial::REDUCE_SCATTER_4, (papers::FOLKLORE, "UCC: knomial"):
            "recursive halving with radix 4: in a round ranks whose numbers differ in a digit send the blocks of the other ones";
        "reduce-scatter-pat" => Pat::REDUCE_SCATTER, (papers::PAT, "NCCL: PatRSAlgorithm"):
            "every rank sends combined blocks to the rank 2^i before it in one message, from i = 0 on";
        "reduce-scatter-linear" => Linear::REDUCE_SCATTER, (papers::FOLKLORE, "collectives::alltoall::linear"):
            "every rank sends all others their blocks, then receives and combines its own";
        "reduce-scatter-n-block-circulant" => AllBlocks::REDUCE_SCATTER, (papers::N_BLOCKS, "all-reduction"):
            "every rank sends combined pieces of all blocks along a circulant graph, in the fewest rounds; NAME:N for N pieces";
        "reduce-scatter-switch" => Switched::ReduceScatter, (papers::SHARP, "NCCL: nvls"):
            "a switch combines the blocks of all ranks for their owners";
    },
};
