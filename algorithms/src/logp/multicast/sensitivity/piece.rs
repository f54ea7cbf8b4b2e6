//! The cost as hops and gaps.

/// A linear piece of the cost, `hops * D + gaps * g'`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Hops, each of one L and two o.
    pub hops: u64,
    /// Gaps between two sends of one node, each g or, where that is greater, o.
    pub gaps: u64,
}
