//! The distribution of the spare nodes' children to the trees, and the resulting heights.

/// The distribution of the spare nodes' children to the trees. A spare node has up to k children, a tree needs a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deal {
    /// In a row: tree j takes numbers `j*a` to `j*a + a - 1`, of which each spare node but the first holds k.
    InRow,
    /// All a of a tree from one spare node; the a + 1 spare nodes take turns, each for up to `ceil(k/(a+1))` trees.
    Whole,
}

/// a in `n - 2 = q*k + a`; 0 for a single node.
pub(super) fn remainder(n: u64, k: u64) -> u64 {
    n.saturating_sub(2) % k
}

impl Deal {
    /// [`Deal::Whole`] if that serves all trees: `(a+1)*floor(k/a) >= k`, or a = 0.
    pub(crate) fn whole_if_possible(n: u64, k: u64) -> Self {
        let a = remainder(n, k);
        let whole = k
            .checked_div(a)
            .is_none_or(|trees| u128::from(trees) * (u128::from(a) + 1) >= k.into());
        if whole { Self::Whole } else { Self::InRow }
    }

    /// The source of the a > 0 children of a tree: the number of the first spare node from `k*q + 1`, how many it gives, and how many the next
    /// one gives.
    pub(crate) fn parts(self, k: u64, a: u64, tree: u64) -> (u64, u64, u64) {
        match self {
            Self::InRow => {
                let (spare, used) = (tree * a / k, tree * a % k);
                let first = a.min(k - used);
                (spare + 1, first, a - first)
            }
            Self::Whole => (tree * (a + 1) / k, a, 0),
        }
    }

    /// Whether one of the first `trees` trees has children from two spare nodes. In a row, the first to straddle
    /// number k is tree `floor(k/a)`, if a does not divide k.
    fn splits(self, k: u64, a: u64, trees: u64) -> bool {
        self == Self::InRow && !k.is_multiple_of(a) && trees > k / a
    }
}

/// The greatest height among the first `trees` of the k trees, in closed form. `n >= 1`.
///
/// Cost: O(log n).
pub(crate) fn height(n: u64, k: u64, trees: u64, deal: Deal) -> u64 {
    if n <= 2 || k == 1 {
        return n - 1;
    }
    // Nodes of the full tree of this height.
    let (mut height, mut full) = (0, 1);
    while full < u128::from(n - 1) {
        height += 1;
        full = full * u128::from(k) + 1;
    }
    let a = remainder(n, k);
    let nearly_full = full - u128::from(n - 1) < k.into();
    1 + height + u64::from(a > 0 && nearly_full && deal.splits(k, a, trees))
}
