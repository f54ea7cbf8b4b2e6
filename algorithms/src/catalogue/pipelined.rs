//! The entries of broadcasts of a long message in segments.

use super::list::{FOLKLORE, OWN};
use super::{Algorithm, Entry};
use crate::logp::pipeline;
use crate::logp::pipeline::scatter_allgather::ScatterAllgather;
use crate::logp::pipeline::split_binary::SplitBinary;
use crate::logp::pipeline::trees::Pipelined;

const MPICH_PAPER: &str =
    "Thakur, Rabenseifner, Gropp 2005, Optimization of collective communication operations in MPICH";

pub(super) const CHAIN: Entry = pipelined(
    "segmented-chain",
    "every node passes the segments to the next",
    (FOLKLORE, "Open MPI: pipeline"),
    700,
    &Pipelined::CHAIN,
);

pub(super) const FLAT: Entry = pipelined(
    "segmented-flat",
    "the source sends every segment to all",
    (FOLKLORE, "Open MPI: basic linear, in segments"),
    350,
    &Pipelined::FLAT,
);

pub(super) const BINARY: Entry = pipelined(
    "segmented-binary",
    "segments down a complete binary tree",
    (FOLKLORE, "Open MPI: binary"),
    700,
    &Pipelined::BINARY,
);

pub(super) const BINOMIAL: Entry = pipelined(
    "segmented-binomial",
    "segments down a binomial tree",
    (FOLKLORE, "MPICH: binomial"),
    700,
    &Pipelined::BINOMIAL,
);

pub(super) const BINOMIAL_IN_ORDER: Entry = pipelined(
    "segmented-binomial-in-order",
    "a binomial tree whose nodes send to the nearest, with the largest part, first",
    (FOLKLORE, "Open MPI: binomial"),
    700,
    &Pipelined::BINOMIAL_IN_ORDER,
);

pub(super) const K_NOMIAL_4: Entry = pipelined(
    "segmented-k-nomial-4",
    "segments down a k-nomial tree of radix 4",
    (FOLKLORE, "Open MPI: knomial"),
    700,
    &Pipelined::K_NOMIAL_4,
);

pub(super) const HALVING: Entry = pipelined(
    "segmented-halving",
    "segments down the halving tree",
    (OWN, "logp::pipeline::trees"),
    700,
    &Pipelined::HALVING,
);

pub(super) const FIBONACCI: Entry = pipelined(
    "segmented-fibonacci",
    "segments down the Fibonacci tree",
    (OWN, "logp::pipeline::trees"),
    700,
    &Pipelined::FIBONACCI,
);

pub(super) const OPTIMAL: Entry = pipelined(
    "segmented-optimal",
    "segments down the tree that is optimal for one of them",
    (OWN, "logp::pipeline::trees"),
    700,
    &Pipelined::OPTIMAL,
);

pub(super) const SPLIT_BINARY: Entry = pipelined(
    "split-binary",
    "half of the message down either side of a binary tree, then exchanged",
    (FOLKLORE, "Open MPI: split_binary"),
    900,
    &SplitBinary,
);

pub(super) const SCATTER_DOUBLING: Entry = pipelined(
    "scatter-doubling",
    "a block to every node, then recursive doubling",
    (MPICH_PAPER, "section 4.2"),
    10,
    &ScatterAllgather::DOUBLING,
);

pub(super) const SCATTER_RING: Entry = pipelined(
    "scatter-ring",
    "a block to every node, then around a ring",
    (MPICH_PAPER, "section 4.2"),
    1500,
    &ScatterAllgather::RING,
);

/// A broadcast in segments, at its first revision, with its paper and the place in it.
const fn pipelined(
    name: &'static str,
    summary: &'static str,
    (paper, place): (&'static str, &'static str),
    step_ns: u32,
    algorithm: &'static dyn pipeline::Broadcast,
) -> Entry {
    Entry { name, summary, paper, place, revision: 1, step_ns, algorithm: Algorithm::PipelinedBroadcast(algorithm) }
}
