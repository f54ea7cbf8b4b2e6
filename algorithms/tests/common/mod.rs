//! Shared by several tests.

/// Chosen machines: the papers' own, g' > D, o > g, L = 0, g = 0, o = 0, all equal, g' = D, g' = D/2 (where Fibonacci
/// is optimal at its sizes), and extreme ratios.
pub const MACHINES: [(u64, u64, u64); 12] = [
    (6, 2, 4),
    (5, 2, 4),
    (1, 0, 3),
    (1, 1, 9),
    (3, 5, 2),
    (0, 1, 0),
    (0, 2, 7),
    (4, 0, 0),
    (1, 0, 1),
    (6, 0, 3),
    (97, 1, 2),
    (1_000_003, 17, 65_537),
];
