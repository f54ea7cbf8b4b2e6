//! A power of two among K ranks.

/// The ranks of a power of two among K, for algorithms that take no others: of the first 2r ranks each pair sends one
/// rank, `r = K - 2^p`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folded {
    /// `floor(log2 K)`.
    pub p: u32,
    /// How many pairs there are.
    pub r: u64,
}

impl Folded {
    pub fn of(K: u64) -> Self {
        let p = K.max(1).ilog2();
        Self { p, r: K - (1 << p) }
    }

    /// The number among `0..2^p` of a rank; `None` for the rank of a pair that stays outside. In a pair, `is_odd` tells
    /// whether the odd rank takes part.
    pub fn number(self, rank: u64, is_odd: bool) -> Option<u64> {
        match rank {
            rank if rank >= 2 * self.r => Some(rank - self.r),
            rank if (rank % 2 == 1) == is_odd => Some(rank / 2),
            _ => None,
        }
    }

    /// The rank with this number.
    pub fn rank(self, number: u64, is_odd: bool) -> u64 {
        if number < self.r { 2 * number + u64::from(is_odd) } else { number + self.r }
    }
}
