//! Exact counting over random multicasts.
//!
//! A uniform source with K uniform destinations is a uniform set of K+1 of the `n = w*h` nodes, one of
//! which is then called the source. Costs that depend on the set alone are averaged over sets.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::mesh::labelling::Mesh;

/// `C(n, k)`.
pub(super) fn binomial(n: u32, k: u32) -> BigUint {
    if k > n {
        return BigUint::zero();
    }
    (1..=k.min(n - k)).fold(BigUint::one(), |product, i| product * (n - i + 1) / i)
}

/// `numerator / denominator` in lowest terms.
pub(super) fn ratio(numerator: BigUint, denominator: BigUint) -> BigRational {
    BigRational::new(BigInt::from(numerator), BigInt::from(denominator))
}

/// No multicast to K destinations crosses fewer links on average than this.
///
/// Every destination is entered through its own link: at least K links. The links also connect source and destinations, so each of the
/// `w-1` vertical and `h-1` horizontal cuts of the mesh that separates them is crossed: in expectation, 1 minus the probability that all
/// K+1 are on one side. The bound is the larger of the two; it is exact for K = 1, the mean distance, and for K = n-1.
pub(super) fn lower_bound(mesh: Mesh, K: u32) -> BigRational {
    let (n, k) = (mesh.nodes(), K + 1);
    // C(side, k) for every number of nodes on one side of a cut, each from the one before.
    let mut sets = BigUint::one();
    let mut together = BigUint::zero();
    for side in k..n {
        for across in [mesh.h(), mesh.w()] {
            if side.is_multiple_of(across) {
                together += &sets;
            }
        }
        sets = sets * (side + 1) / (side + 1 - k);
    }
    // The sides of a cut are the mirror images of another cut's, so each side counts for two cuts.
    let separated = &sets * (mesh.w() - 1 + mesh.h() - 1) - together * 2u8;
    ratio(separated, sets).max(BigRational::from_integer(BigInt::from(K)))
}

/// `sum over d >= 1 of weight(d) * C(top - d, k)`: how often distances `d` apart count where the k others of a
/// multicast avoid d nodes of `top`.
pub(super) fn weighted_ways(top: u32, k: u32, weight: impl Fn(u32) -> u64) -> BigUint {
    // C(m, k) for m = top - d, from the farthest pairs (m = k) to the nearest, each from the one before.
    let mut ways = BigUint::one();
    let mut sum = BigUint::zero();
    for m in k..top {
        sum += &ways * weight(top - m);
        ways = ways * (m + 1) / (m + 1 - k);
    }
    sum
}

/// The probability that at least one of K destinations falls into a set of `size` of the `others` nodes that are
/// not the source, as a fraction whose denominator is the number of choices of K of these.
pub(super) fn hits(others: u32, K: u32, size: u32) -> BigUint {
    binomial(others, K) - binomial(others - size, K)
}

/// The sum of [`hits`] over sets of all sizes from 1 on, each times its weight.
pub(super) fn weighted_hits(others: u32, K: u32, weight: impl Fn(u32) -> u64) -> BigUint {
    let all: u64 = (1..=others).map(&weight).sum();
    binomial(others, K) * all - weighted_ways(others, K, weight)
}

/// The sum of the distances over all unordered pairs whose labels differ by `d`, for `0 < d < n`.
pub(super) fn distances_at(mesh: Mesh, d: u32) -> u64 {
    let stretch = ColumnStretch::new(mesh.h().into(), d.into());
    let w = u64::from(mesh.w());
    w.saturating_sub(stretch.columns) * stretch.near
        + w.saturating_sub(stretch.columns + 1) * stretch.far
}

/// The pairs whose labels differ by d on a snake of columns of `h` nodes.
///
/// With `d = q*h + s`, `s < h`: from row offset r of a column the partner stands q columns on while
/// `r + s < h`, else q+1. Two columns an even number apart run the same way, so their rows differ by s
/// (or, past the turn, h-s); an odd number apart they run against each other and the row differences are
/// `|M - 2r|` for `r = 0..=M`, which add up to `floor((M+1)^2 / 2)`.
pub(super) struct ColumnStretch {
    /// q.
    pub(super) columns: u64,
    /// The sum of the distances of the pairs from one column to that q on.
    pub(super) near: u64,
    /// The sum of the distances of the pairs from one column to that q+1 on.
    pub(super) far: u64,
}

impl ColumnStretch {
    /// Pairs d apart, `d > 0`, in columns of `h > 0` nodes.
    pub(super) fn new(h: u64, d: u64) -> Self {
        let (q, s) = (d / h, d % h);
        let mirrored = |rows: u64| rows * rows / 2;
        let near_rows = if q.is_multiple_of(2) {
            (h - s) * s
        } else {
            mirrored(h - s)
        };
        let far_rows = if q.is_multiple_of(2) {
            mirrored(s)
        } else {
            s * (h - s)
        };
        Self {
            columns: q,
            near: (h - s) * q + near_rows,
            far: s * (q + 1) + far_rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_label_difference() {
        for (w, h) in [
            (1, 1),
            (1, 6),
            (6, 1),
            (2, 3),
            (3, 2),
            (4, 3),
            (5, 7),
            (8, 8),
        ] {
            let mesh = Mesh::new(w, h).unwrap();
            for d in 1..mesh.nodes() {
                let sum: u32 = (d..mesh.nodes())
                    .map(|label| mesh.distance(label - d, label))
                    .sum();
                assert_eq!(distances_at(mesh, d), u64::from(sum), "{mesh} d={d}");
            }
        }
    }
}
