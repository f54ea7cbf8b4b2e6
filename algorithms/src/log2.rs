//! Certified integer parts of multiples of a binary logarithm.
//!
//! Two papers bound costs by `c * log2(K)`. Floating point would sometimes round such a bound across an integer. Here two
//! fixed-point numbers enclose the logarithm and are refined until both have the same integer part. This ends because
//! `log2(K)` is irrational unless K is a power of two, which has its own case.

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

/// `floor(numerator * log2(x) / denominator)`, and whether that is exact (no fraction was cut off).
///
/// Cost: 40 to 100 ns; microseconds where 56 fractional bits do not decide, which is rare for multiples far below 2^56.
///
/// # Panics
/// If `x` or `denominator` is zero.
///
/// ```
/// # use castbench_algorithms::internals::log2::floor_scaled;
/// // 0.72022 log2 12 is 2.58...; 3 log2 8 is 9.
/// assert_eq!(floor_scaled(72_022, 100_000, 12), (2, false));
/// assert_eq!(floor_scaled(3, 1, 8), (9, true));
/// ```
#[must_use]
pub fn floor_scaled(numerator: u64, denominator: u64, x: u64) -> (u128, bool) {
    assert!(
        x > 0 && denominator > 0,
        "log2 of zero, or division by zero"
    );
    let (scale, unit) = (u128::from(numerator), u128::from(denominator));
    if x.is_power_of_two() {
        let product = scale * u128::from(x.trailing_zeros());
        return (product / unit, product.is_multiple_of(unit));
    }
    if scale == 0 {
        return (0, true);
    }
    // A few fractional bits nearly always decide; otherwise all 56 are computed.
    let few = (numerator / denominator)
        .checked_ilog2()
        .map_or(0, |whole| whole + 1)
        + 18;
    for bits in [few, FRACTION].into_iter().filter(|&bits| bits <= FRACTION) {
        let low = fixed_point(x, bits);
        // Below 2^64 * 2^62, so the products fit.
        let floors = [low, low + 2].map(|log| ((scale * u128::from(log)) >> bits) / unit);
        if floors[0] == floors[1] {
            return (floors[0], false);
        }
    }
    let mut bits = 128;
    loop {
        let low = big_fixed_point(x, bits);
        let floors = [low.clone(), low + 2u8].map(|log| ((log * numerator) >> bits) / denominator);
        if floors[0] == floors[1] {
            // At most 2^64 * 64.
            return (floors[0].to_u128().unwrap_or(u128::MAX), false);
        }
        bits *= 2;
    }
}

/// `ceil(numerator * log2(x) / denominator)`; see [`floor_scaled`].
#[must_use]
pub fn ceil_scaled(numerator: u64, denominator: u64, x: u64) -> u128 {
    let (floor, exact) = floor_scaled(numerator, denominator, x);
    floor + u128::from(!exact)
}

/// Most fractional bits of [`fixed_point`].
const FRACTION: u32 = 56;

/// A lower bound of `log2(x) * 2^bits`, less than 2 below it; at most 56 bits.
///
/// Squaring a mantissa in [1, 2) doubles its logarithm, so each squaring yields one more bit. Cutting
/// the square to 64 bits at step i loses a relative 2^-63 at most, which is 1.45 * 2^-63 of its logarithm and
/// 1.45 * 2^-63-i of the result: 1.45 * 2^-63 in all, plus 2^-bits for the bits not computed.
fn fixed_point(x: u64, bits: u32) -> u64 {
    let whole = x.ilog2();
    let mut mantissa = x << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..bits {
        let square = u128::from(mantissa) * u128::from(mantissa);
        let carry = square >> 127;
        log = log << 1 | u64::from(carry == 1);
        // The shift leaves at most 64 bits.
        mantissa = u64::try_from(square >> (63 + carry)).unwrap_or(u64::MAX);
    }
    log
}

/// [`fixed_point`] to any number of fractional bits.
fn big_fixed_point(x: u64, bits: u64) -> BigUint {
    let point = bits + 64;
    let whole = x.ilog2();
    let mut mantissa = (BigUint::from(x) << point) >> whole;
    let mut log = BigUint::from(whole);
    for _ in 0..bits {
        mantissa = (&mantissa * &mantissa) >> point;
        log <<= 1u8;
        if mantissa.bits() > point + 1 {
            mantissa >>= 1u8;
            log += BigUint::one();
        }
    }
    log
}

/// `ceil(log2 K)` for K >= 1.
pub(crate) fn ceil_log2(K: u64) -> u32 {
    if K <= 1 { 0 } else { (K - 1).ilog2() + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `floor(a * log2(x) / b)` is the greatest j with `2^(j*b) <= x^a`.
    fn by_powers(a: u32, b: u64, x: u64) -> u128 {
        let power = BigUint::from(x).pow(a);
        u128::from((power.bits() - 1) / b)
    }

    #[test]
    fn equals_comparison_of_powers() {
        for x in 1..600 {
            for (a, b) in [(1, 1), (3, 2), (72022 / 8, 100_000 / 8), (7, 5), (1000, 3)] {
                assert_eq!(
                    floor_scaled(u64::from(a), b, x).0,
                    by_powers(a, b, x),
                    "{a} {b} {x}"
                );
            }
        }
    }

    /// Next to a power of two the first enclosure contains the integer and must be refined.
    #[test]
    fn next_to_integers() {
        for a in [3, 5, 7, 11] {
            for power in 20..63 * a {
                let root: BigUint = BigUint::one() << power;
                let root = root.nth_root(a).to_u64().unwrap();
                for x in [root, root + 1] {
                    assert_eq!(
                        floor_scaled(u64::from(a), 1, x).0,
                        by_powers(a, 1, x),
                        "{a} {x}"
                    );
                }
            }
        }
    }

    #[test]
    fn both_precisions_agree() {
        for x in [3, 5, 7, 1_000_003, u64::MAX, (1 << 63) + 1] {
            for bits in [1, 18, 30, FRACTION] {
                let fine = big_fixed_point(x, 200) >> (200 - bits);
                let coarse = BigUint::from(fixed_point(x, bits));
                assert!(coarse <= fine && fine < coarse + 2u8, "{x} {bits}");
            }
        }
    }

    #[test]
    fn an_undecided_enclosure_is_refined() {
        // log2(2^64 - 1) is below 64 by 2^-63.5: 56 bits cannot tell.
        assert_eq!(floor_scaled(1, 1, u64::MAX), (63, false));
        assert_eq!(ceil_scaled(1, 1, u64::MAX), 64);
        assert_eq!(ceil_scaled(5, 1, 8), 15);
        assert_eq!(
            floor_scaled(u64::MAX, 1, 3).0,
            ((BigUint::from(u64::MAX) * big_fixed_point(3, 512)) >> 512u32)
                .to_u128()
                .unwrap()
        );
    }
}
