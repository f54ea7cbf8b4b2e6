//! What Open MPI 4.1 and 5.0 choose without rules, and what MPICH 4.0 chooses.
//!
//! **Open MPI**: component `tuned`, measured in 4.1.4 and 5.0.10, which have the same table. A program instead of the library's
//! algorithms recorded which one `tuned` calls, for every number of ranks from 2 to 4,100 at each power of two of bytes and just
//! below; `tests/mpi/mpi_defaults.rs` repeats this at each threshold. Operators commute; no choice cuts a message.
//! **MPICH**: the decisions of its file `generic.json` for one rank per node, with built-in operators that commute. A test counts
//! the messages of 4.0.

use super::{Call, Decisions};

/// `MPI_Bcast`: bytes of the message.
pub(crate) const BCAST: &Decisions = &[
    (
        0,
        &[
            (0, 3),
            (32, 5),
            (256, 3),
            (512, 7),
            (1 << 10, 1),
            (1 << 15, 5),
            (1 << 17, 2),
            (1 << 18, 1),
            (1 << 19, 6),
            (1 << 20, 5),
        ],
    ),
    (
        4,
        &[
            (0, 5),
            (64, 6),
            (128, 5),
            (1 << 11, 6),
            (1 << 13, 1),
            (1 << 20, 2),
        ],
    ),
    (
        8,
        &[
            (0, 7),
            (8, 5),
            (64, 7),
            (1 << 12, 5),
            (1 << 14, 6),
            (1 << 15, 1),
        ],
    ),
    (16, &[(0, 7), (1 << 12, 6), (1 << 20, 8)]),
    (32, &[(0, 6), (1 << 11, 7)]),
    (64, &[(0, 7)]),
    (
        128,
        &[(0, 6), (2, 5), (1 << 14, 1), (1 << 15, 5), (1 << 16, 7)],
    ),
    (256, &[(0, 7), (1 << 14, 4), (1 << 15, 7)]),
    (1024, &[(0, 7), (1 << 19, 8)]),
    (2048, &[(0, 7), (1 << 18, 8)]),
    (4096, &[(0, 7), (1 << 13, 5), (1 << 14, 7), (1 << 18, 8)]),
];

/// `MPI_Allreduce`: bytes of the vector.
pub(crate) const ALLREDUCE: &Decisions = &[
    (
        0,
        &[
            (0, 4),
            (8, 3),
            (1 << 12, 4),
            (1 << 13, 3),
            (1 << 14, 4),
            (1 << 16, 5),
            (1 << 18, 6),
        ],
    ),
    (4, &[(0, 4), (16, 3), (1 << 13, 6)]),
    (8, &[(0, 3), (1 << 13, 6)]),
    (16, &[(0, 5), (64, 3), (1 << 12, 6)]),
    (32, &[(0, 5), (128, 6)]),
    (64, &[(0, 3), (1 << 18, 6)]),
    (128, &[(0, 2), (1 << 17, 3), (1 << 18, 6)]),
    (256, &[(0, 2), (1 << 12, 6)]),
    (512, &[(0, 2), (1 << 11, 3), (1 << 14, 6)]),
    (2048, &[(0, 2), (1 << 11, 5), (1 << 12, 3), (1 << 14, 6)]),
    (4096, &[(0, 2), (1 << 11, 5), (1 << 14, 3), (1 << 15, 6)]),
];

/// `MPI_Reduce`: bytes of the vector.
pub(crate) const REDUCE: &Decisions = &[
    (
        0,
        &[
            (0, 7),
            (8, 4),
            (16, 3),
            (32, 1),
            (1 << 18, 3),
            (1 << 19, 2),
            (1 << 20, 3),
        ],
    ),
    (
        4,
        &[
            (0, 4),
            (1 << 12, 2),
            (1 << 16, 5),
            (1 << 18, 1),
            (1 << 19, 5),
            (1 << 20, 1),
        ],
    ),
    (8, &[(0, 4), (1 << 13, 5)]),
    (16, &[(0, 4), (1 << 12, 5)]),
    (32, &[(0, 5)]),
    (256, &[(0, 5), (1 << 13, 6), (1 << 14, 5)]),
    (512, &[(0, 5)]),
    (
        2048,
        &[(0, 5), (512, 6), (1 << 10, 5), (1 << 13, 6), (1 << 14, 5)],
    ),
    (
        4096,
        &[
            (0, 5),
            (16, 6),
            (32, 5),
            (1 << 10, 6),
            (1 << 11, 5),
            (1 << 13, 6),
            (1 << 14, 5),
        ],
    ),
];

/// `MPI_Reduce_scatter`: bytes of all blocks.
pub(crate) const REDUCE_SCATTER: &Decisions = &[
    (0, &[(0, 3), (1 << 16, 4), (1 << 17, 3)]),
    (4, &[(0, 1), (8, 2), (1 << 18, 3)]),
    (8, &[(0, 2), (1 << 18, 3)]),
    (32, &[(0, 1), (64, 2), (1 << 11, 4), (1 << 19, 3)]),
    (
        64,
        &[(0, 1), (256, 2), (512, 4), (1 << 11, 2), (1 << 12, 4)],
    ),
    (128, &[(0, 1), (256, 2), (512, 4)]),
    (256, &[(0, 1), (256, 2), (1 << 10, 4)]),
    (
        512,
        &[(0, 1), (512, 2), (1 << 11, 4), (1 << 13, 2), (1 << 14, 4)],
    ),
    (
        1024,
        &[(0, 1), (512, 2), (1 << 12, 4), (1 << 14, 2), (1 << 15, 4)],
    ),
    (2048, &[(0, 1), (512, 2), (1 << 12, 4)]),
    (4096, &[(0, 1), (1 << 10, 2), (1 << 13, 4)]),
];

/// `MPI_Reduce_scatter_block`: bytes of a block.
pub(crate) const REDUCE_SCATTER_BLOCK: &Decisions = &[
    (
        0,
        &[
            (0, 2),
            (4, 4),
            (8, 3),
            (16, 4),
            (128, 3),
            (256, 4),
            (1 << 12, 3),
            (1 << 13, 4),
            (1 << 17, 1),
        ],
    ),
    (
        4,
        &[
            (0, 3),
            (8, 2),
            (32, 4),
            (256, 3),
            (1 << 13, 4),
            (1 << 14, 3),
            (1 << 20, 1),
        ],
    ),
    (
        8,
        &[
            (0, 1),
            (4, 3),
            (32, 4),
            (128, 3),
            (1 << 19, 1),
            (1 << 22, 4),
        ],
    ),
    (
        16,
        &[(0, 1), (32, 3), (1 << 19, 1), (1 << 21, 3), (1 << 22, 4)],
    ),
    (32, &[(0, 3), (4, 1), (16, 4), (1 << 16, 1), (1 << 18, 4)]),
];

/// `MPI_Allgather`: bytes of a block.
pub(crate) const ALLGATHER: &Decisions = &[
    (0, &[(0, 6)]),
    (3, &[(0, 3)]),
    (32, &[(0, 3), (1 << 10, 5), (1 << 16, 4)]),
    (64, &[(0, 3), (512, 5), (1 << 16, 4)]),
    (
        128,
        &[(0, 3), (512, 5), (1 << 17, 4), (1 << 19, 5), (1 << 20, 4)],
    ),
    (
        256,
        &[
            (0, 3),
            (32, 2),
            (128, 3),
            (1 << 10, 5),
            (1 << 17, 4),
            (1 << 19, 5),
            (1 << 20, 4),
        ],
    ),
    (512, &[(0, 3), (64, 2), (256, 3), (1 << 11, 5)]),
    (
        1024,
        &[
            (0, 3),
            (4, 2),
            (8, 3),
            (16, 2),
            (32, 3),
            (256, 2),
            (512, 3),
            (1 << 12, 5),
        ],
    ),
    (2048, &[(0, 2), (32, 3), (128, 2), (512, 3), (1 << 12, 5)]),
    (
        4096,
        &[(0, 3), (2, 2), (8, 3), (16, 2), (512, 3), (1 << 12, 5)],
    ),
];

/// `MPI_Alltoall`: bytes of a block.
pub(crate) const ALLTOALL: &Decisions = &[
    (
        0,
        &[
            (0, 2),
            (2, 5),
            (4, 2),
            (16, 5),
            (64, 2),
            (256, 5),
            (1 << 12, 2),
            (1 << 15, 4),
            (1 << 18, 5),
            (1 << 20, 2),
        ],
    ),
    (
        3,
        &[
            (0, 4),
            (1 << 13, 1),
            (1 << 14, 4),
            (1 << 16, 1),
            (1 << 19, 2),
            (1 << 20, 1),
        ],
    ),
    (8, &[(0, 4), (1 << 18, 1)]),
    (
        16,
        &[
            (0, 4),
            (4, 3),
            (512, 4),
            (1 << 13, 1),
            (1 << 15, 4),
            (1 << 18, 1),
            (1 << 19, 4),
        ],
    ),
    (32, &[(0, 3), (512, 1), (1 << 19, 4)]),
    (
        64,
        &[
            (0, 3),
            (1 << 10, 1),
            (1 << 11, 4),
            (1 << 12, 1),
            (1 << 18, 2),
        ],
    ),
    (128, &[(0, 3), (1 << 10, 4), (1 << 11, 1), (1 << 18, 2)]),
    (256, &[(0, 3), (1 << 10, 4), (1 << 13, 1), (1 << 15, 2)]),
    (
        512,
        &[
            (0, 3),
            (512, 4),
            (1 << 13, 1),
            (1 << 14, 4),
            (1 << 17, 1),
            (1 << 18, 2),
        ],
    ),
    (
        1024,
        &[
            (0, 3),
            (512, 4),
            (1 << 10, 1),
            (1 << 11, 4),
            (1 << 14, 1),
            (1 << 18, 4),
        ],
    ),
    (
        2048,
        &[
            (0, 3),
            (1 << 10, 4),
            (1 << 12, 1),
            (1 << 13, 4),
            (1 << 17, 1),
        ],
    ),
    (
        4096,
        &[
            (0, 3),
            (1 << 11, 4),
            (1 << 13, 1),
            (1 << 14, 4),
            (1 << 15, 1),
            (1 << 16, 4),
        ],
    ),
];

/// `MPI_Gather`: bytes of a block.
pub(crate) const GATHER: &Decisions = &[
    (
        0,
        &[
            (0, 3),
            (2, 1),
            (4, 2),
            (1 << 15, 1),
            (1 << 16, 2),
            (1 << 17, 3),
        ],
    ),
    (
        4,
        &[
            (0, 2),
            (1 << 10, 1),
            (1 << 13, 2),
            (1 << 15, 1),
            (1 << 18, 3),
        ],
    ),
    (8, &[(0, 2)]),
    (256, &[(0, 2), (1 << 11, 1), (1 << 13, 2)]),
    (512, &[(0, 2)]),
];

/// `MPI_Scatter`: bytes of a block.
pub(crate) const SCATTER: &Decisions = &[
    (0, &[(0, 3), (2, 1), (1 << 17, 3), (1 << 18, 1)]),
    (
        4,
        &[
            (0, 2),
            (1 << 11, 1),
            (1 << 12, 2),
            (1 << 13, 1),
            (1 << 15, 3),
            (1 << 20, 1),
        ],
    ),
    (8, &[(0, 2), (1 << 14, 3), (1 << 20, 1)]),
    (16, &[(0, 2), (1 << 14, 1), (1 << 15, 3)]),
    (32, &[(0, 2), (512, 3), (1 << 13, 2), (1 << 14, 3)]),
    (64, &[(0, 2), (512, 3)]),
];

/// `MPI_Scan` and `MPI_Exscan`.
pub(crate) const SCAN: &Decisions = &[(0, &[(0, 1)])];

/// `MPI_Barrier`.
pub(crate) const BARRIER: &Decisions = &[
    (0, &[(0, 3)]),
    (4, &[(0, 1)]),
    (8, &[(0, 3)]),
    (64, &[(0, 4)]),
    (256, &[(0, 6)]),
    (512, &[(0, 4)]),
    (1024, &[(0, 6)]),
    (4096, &[(0, 4)]),
];

/// The number of the algorithm that Open MPI runs where this one is chosen for a collective, by its number in rules files, with
/// segments of this size. The operator commutes.
pub(crate) fn runs(collective: u32, number: u32, segment: u64, call: Call) -> u32 {
    let (K, count) = (call.K, call.count());
    match (collective, number) {
        (0, 3) if !K.is_power_of_two() => 2,
        (0, 5) if K % 2 == 1 => 4,
        (2, 4) if count < K => 3,
        (2, 5) if count < K.saturating_mul(elements(segment, call.element)) => runs(2, 4, 0, call),
        (2, 6) | (11, 7) if count < power(K) => 1,
        (7, 4) if count < 2 || segment > (count / 2).saturating_mul(call.element) => 2,
        (7, 8 | 9) if count < K => 1,
        _ => number,
    }
}

/// Elements of a segment of an allreduce: rounded, a half down. Without segments there are none to send.
fn elements(segment: u64, element: u64) -> u64 {
    if segment < element {
        return u64::MAX;
    }
    segment / element + u64::from(segment % element > element / 2)
}

/// The largest power of two up to K.
fn power(K: u64) -> u64 {
    K.checked_ilog2().map_or(0, |log| 1 << log)
}

/// MPICH's choices: the number of the algorithm, where the catalogue or the library's list has one.
pub(crate) mod mpich {
    use super::{Call, power};

    pub(crate) fn bcast(Call { K, bytes, .. }: Call) -> Option<u32> {
        Some(match bytes {
            _ if K < 8 => 1,
            ..=12_288 => 1,
            12_289..=524_288 if K.is_power_of_two() => 4,
            _ => 5,
        })
    }

    pub(crate) fn allreduce(call: Call) -> Option<u32> {
        Some(if call.bytes <= 8 || is_short(call) {
            3
        } else {
            4
        })
    }

    pub(crate) fn reduce(call: Call) -> Option<u32> {
        Some(if call.bytes <= 2048 || is_short(call) {
            1
        } else {
            4
        })
    }

    pub(crate) fn reduce_scatter(call: Call) -> Option<u32> {
        Some(if call.bytes.saturating_mul(call.K) < 524_288 {
            5
        } else {
            3
        })
    }

    pub(crate) fn reduce_scatter_block(call: Call) -> Option<u32> {
        Some(if call.bytes.saturating_mul(call.K) < 524_288 {
            4
        } else {
            3
        })
    }

    pub(crate) fn allgather(call: Call) -> Option<u32> {
        Some(match call.bytes.saturating_mul(call.K) {
            ..524_288 if call.K.is_power_of_two() => 3,
            ..81_920 if !call.K.is_power_of_two() => 1,
            _ => 4,
        })
    }

    pub(crate) fn alltoall(Call { K, bytes, .. }: Call) -> Option<u32> {
        Some(match bytes {
            ..=256 if K > 8 => 1,
            ..=32_768 => 5,
            _ => 3,
        })
    }

    /// Fewer elements than the largest power of two up to K.
    fn is_short(call: Call) -> bool {
        call.count() < power(call.K)
    }
}
