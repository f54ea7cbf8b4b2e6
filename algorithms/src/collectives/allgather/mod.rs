//! Allgather: every rank gets the block of every rank.

mod bruck;
mod neighbour_exchange;
pub(super) mod recursive_doubling;
mod sparbit;
mod two_way_ring;

use super::alltoall::Linear;
use super::k_nomial::KNomial;
use super::n_blocks::AllBlocks;
use super::parameters::Parameters;
use super::pat::Pat;
use super::switched::Switched;
use super::{Algorithm, Collective, Goal, Set, bounds, circulant, ring, swing};
use crate::papers;
use crate::plan::Task;
use crate::problem::listed;
pub use recursive_doubling::RECURSIVE_DOUBLING;

/// Every rank gets the block of every rank; block i is that of rank i.
#[derive(Debug)]
pub struct Allgather;

impl Goal for Allgather {
    fn blocks(&self, task: &Task) -> u128 {
        task.K.into()
    }

    fn starts_with(&self, _: &Task, rank: u64, block: u64) -> bool {
        rank == block
    }

    fn ends_with(&self, _: &Task, _: u64, block: u64) -> Option<(u64, u64)> {
        Some((block, 1))
    }

    fn needed_by_all(&self, task: &Task) -> u64 {
        task.block_words()
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        let [inside, outside] = bounds::sides(task, set);
        match set.ranks == task.K {
            true => [0; 2],
            false => [outside, inside],
        }
    }
}
/// The algorithms of a half of a [sequence](super::sequence), of which the cheaper one is taken.
pub(super) const ANY: &[&dyn Algorithm] = &[&circulant::ALLGATHER, &Linear::ALLGATHER];
/// With recursive exchange of radix 4 beside them.
pub(super) const ANY_4: &[&dyn Algorithm] = &[
    &circulant::ALLGATHER,
    &Linear::ALLGATHER,
    &KNomial::ALLGATHER_4,
];

/// The row of the list.
pub static ALLGATHER: Collective = Collective {
    name: "allgather",
    title: "Allgather under LogGOPS",
    goal: &Allgather,
    parameters: Parameters::BLOCKS,
    examples: &[
        &[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64)],
        &[("ports", 2)],
    ],
    limits: &[],
    entries: listed! {
        "allgather-ring" => ring::ALLGATHER, (papers::FOLKLORE, "Open MPI: ring"):
            "every rank passes on the block that it received last";
        "allgather-recursive-doubling" => RECURSIVE_DOUBLING, (papers::MPICH, "section 4.1"):
            "in round r ranks whose numbers differ in bit r exchange all blocks that they hold";
        "allgather-bruck" => bruck::Bruck::BY_PORTS, (papers::BRUCK, "section 4"):
            "in round x every rank sends its blocks to the rank 2^x before it; on k ports to k ranks, for base k+1; NAME:N for base N";
        "allgather-neighbour-exchange" => neighbour_exchange::NEIGHBOUR_EXCHANGE, (papers::NEIGHBOURS, "section 2"):
            "neighbours exchange two blocks, to the left and to the right in turn";
        "allgather-circulant" => circulant::ALLGATHER, (papers::CIRCULANT, "allgather"):
            "in round j every rank sends its first blocks to the rank ceil(K/2^j) before it, from the last j to 1";
        "allgather-sparbit" => sparbit::SPARBIT, (papers::SPARBIT, "Open MPI: sparbit"):
            "every rank sends each block that it holds to the rank 2^i on, from the largest i to 0";
        "allgather-bine" => swing::ALLGATHER, (papers::BINE, "butterflies"):
            "partners at distances .., 11, 5, 3, 1, 1 exchange all blocks that the other one lacks";
        "allgather-recursive-exchange-4" => KNomial::ALLGATHER_4, (papers::FOLKLORE, "UCC: knomial"):
            "recursive doubling with radix 4: in a round ranks whose numbers differ in a digit exchange all blocks that they hold";
        "allgather-recexch-4" => KNomial::RECEXCH_ALLGATHER_4, (papers::FOLKLORE, "MPICH: recexch_doubling"):
            "as allgather-recursive-exchange of radix 4 among the last ranks of groups of 4";
        "allgather-recexch-halving-4" => KNomial::RECEXCH_HALVING_4, (papers::FOLKLORE, "MPICH: recexch_halving"):
            "as allgather-recexch of radix 4 from the farthest ranks to the nearest, after ranks with opposite digits exchanged their blocks";
        "allgather-pat" => Pat::ALLGATHER, (papers::PAT, "NCCL: PatAGAlgorithm"):
            "every rank sends its blocks to the rank 2^i on in one message, from the largest i to 0";
        "allgather-linear" => Linear::ALLGATHER, (papers::FOLKLORE, "Open MPI: libnbc"):
            "every rank sends its block to all others, then receives theirs";
        "allgather-two-way-ring" => two_way_ring::TWO_WAY_RING,
            (papers::FOLKLORE, "collectives::allgather::two_way_ring"):
            "every rank passes on blocks to both neighbours in turn; on two ports to both at once";
        "allgather-n-block-circulant" => AllBlocks::ALLGATHER, (papers::N_BLOCKS, "all-broadcast; MPICH: circ_graph"):
            "every rank sends pieces of all blocks along a circulant graph, in the fewest rounds; NAME:N for N pieces";
        "allgather-switch" => Switched::Allgather, (papers::SHARP, "NCCL: nvls"):
            "a switch copies the block of each rank to all others";
    },
};
