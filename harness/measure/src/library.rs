//! The collectives of an MPI library: what each rank gives and gets.
//!
//! Operands are in blocks of as many bytes as the measurement states. Ranks combine with the bitwise exclusive or.

use serde::{Deserialize, Serialize};

/// A collective function of the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Library {
    /// The blocking broadcast.
    Bcast,
    /// The non-blocking broadcast, polled until it is done.
    Ibcast,
    /// The combination of all blocks, on the root.
    Reduce,
    /// The combination of all blocks, on every rank.
    Allreduce,
    /// The combination of all r-th blocks, on rank r.
    ReduceScatterBlock,
    /// The blocks of all ranks, on every rank.
    Allgather,
    /// A block from every rank to every rank.
    Alltoall,
    /// The blocks of all ranks, on the root.
    Gather,
    /// A block from the root to every rank.
    Scatter,
    /// The combination of the blocks of ranks 0 to r, on rank r.
    Scan,
    /// The combination of the blocks of the ranks below r, on rank r.
    Exscan,
    /// No operand.
    Barrier,
}

/// The numbers of the blocks that are combined to one.
type Combined = Vec<u32>;

impl Library {
    /// All, with their names in the MPI standard.
    pub const ALL: [(Self, &str); 12] = [
        (Self::Bcast, "MPI_Bcast"),
        (Self::Ibcast, "MPI_Ibcast"),
        (Self::Reduce, "MPI_Reduce"),
        (Self::Allreduce, "MPI_Allreduce"),
        (Self::ReduceScatterBlock, "MPI_Reduce_scatter_block"),
        (Self::Allgather, "MPI_Allgather"),
        (Self::Alltoall, "MPI_Alltoall"),
        (Self::Gather, "MPI_Gather"),
        (Self::Scatter, "MPI_Scatter"),
        (Self::Scan, "MPI_Scan"),
        (Self::Exscan, "MPI_Exscan"),
        (Self::Barrier, "MPI_Barrier"),
    ];

    /// Its name in the MPI standard.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|known| known.0 == self)
            .map_or("", |known| known.1)
    }

    /// The function of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.1 == name)
            .map(|known| known.0)
    }

    /// Whether it is a broadcast.
    #[must_use]
    pub fn is_broadcast(self) -> bool {
        matches!(self, Self::Bcast | Self::Ibcast)
    }

    /// Whether one rank has the operand at the start, or gets the result.
    #[must_use]
    pub fn has_root(self) -> bool {
        self.is_broadcast() || matches!(self, Self::Reduce | Self::Gather | Self::Scatter)
    }

    /// The blocks that a rank gives. Each block of all ranks has a number of its own.
    #[must_use]
    pub fn gives(self, K: u32, root: u32, rank: u32) -> Vec<u32> {
        match self {
            Self::Bcast | Self::Ibcast if rank == root => vec![0],
            Self::Scatter if rank == root => (0..K).collect(),
            Self::Bcast | Self::Ibcast | Self::Scatter | Self::Barrier => Vec::new(),
            Self::ReduceScatterBlock | Self::Alltoall => (rank * K..(rank + 1) * K).collect(),
            Self::Reduce
            | Self::Allreduce
            | Self::Allgather
            | Self::Gather
            | Self::Scan
            | Self::Exscan => vec![rank],
        }
    }

    /// The blocks that a rank gets, each a combination.
    #[must_use]
    pub fn gets(self, K: u32, root: u32, rank: u32) -> Vec<Combined> {
        let from_all = || (0..K).map(move |from| from * K + rank);
        match self {
            Self::Bcast | Self::Ibcast => vec![vec![0]],
            Self::Scatter => vec![vec![rank]],
            Self::Reduce | Self::Gather if rank != root => Vec::new(),
            Self::Reduce | Self::Allreduce => vec![(0..K).collect()],
            Self::Gather | Self::Allgather => (0..K).map(|from| vec![from]).collect(),
            Self::ReduceScatterBlock => vec![from_all().collect()],
            Self::Alltoall => from_all().map(|block| vec![block]).collect(),
            Self::Scan => vec![(0..=rank).collect()],
            // The standard leaves the result of rank 0 undefined.
            Self::Exscan if rank == 0 => Vec::new(),
            Self::Exscan => vec![(0..rank).collect()],
            Self::Barrier => Vec::new(),
        }
    }

    /// The most blocks that a rank gives and gets.
    #[must_use]
    pub fn blocks(self, K: u32) -> u64 {
        let K = u64::from(K);
        match self {
            Self::Alltoall => 2 * K,
            Self::ReduceScatterBlock | Self::Allgather | Self::Gather | Self::Scatter => K + 1,
            Self::Reduce | Self::Allreduce | Self::Scan | Self::Exscan => 2,
            Self::Bcast | Self::Ibcast => 1,
            Self::Barrier => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All given blocks arrive somewhere, none is made up, and `blocks` is the most of any rank.
    #[test]
    fn what_is_given_arrives() {
        for (library, _) in Library::ALL {
            for (K, root) in (1..7).flat_map(|K| (0..K).map(move |root| (K, root))) {
                let mut given: Vec<u32> = (0..K)
                    .flat_map(|rank| library.gives(K, root, rank))
                    .collect();
                let mut got: Vec<u32> = (0..K)
                    .flat_map(|rank| library.gets(K, root, rank))
                    .flatten()
                    .collect();
                given.sort_unstable();
                got.sort_unstable();
                got.dedup();
                // In an exclusive scan no rank waits for the last one.
                let least = given.len() - usize::from(library == Library::Exscan);
                assert_eq!(got, given[..least], "{library:?} K={K}");
                let own =
                    |rank| library.gives(K, root, rank).len() + library.gets(K, root, rank).len();
                let most = (0..K).map(own).max().unwrap_or(0) as u64;
                // A broadcast is in place.
                let most = most - u64::from(library.is_broadcast());
                assert!(
                    most == library.blocks(K) || K == 1,
                    "{library:?} K={K}: {most}"
                );
            }
        }
    }
}
