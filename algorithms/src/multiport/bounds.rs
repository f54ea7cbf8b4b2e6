//! Lower bounds: no broadcast of m messages to n nodes with k ports takes fewer rounds.
//!
//! **Source.** Ding, Li, "Algorithm and analysis of multiple messages broadcast in the multiport model", theorems 1
//! and 2, after Bar-Noy, Ho, "Broadcasting multiple messages in the multiport model", IEEE TPDS 10(5), 1999. The
//! bound by counting is not in the papers.
//!
//! **By counting.** Before round t at most `(k+1)^(t-1)` nodes hold anything, each sends k messages, and the n - 1
//! others receive k each. Of `m(n-1)` deliveries round t makes at most `k*min((k+1)^(t-1), n-1)`. While
//! `(k+1)^(t-1) < n-1`, that is for t up to `s = min{s : (k+1)^s >= n-1}`, these add up to `(k+1)^s - 1`; every
//! later round makes `k(n-1)`. So a broadcast takes at least
//!
//! `T* = s + ceil((m(n-1) - ((k+1)^s - 1)) / (k(n-1)))`
//!
//! rounds. For k = 1 that is `m - 1 + ceil(log2 n)`. It is never below theorem 2, which lets the last message start
//! in round `ceil(m/k)` and spread from a single node while the others are done: where that needs more
//! deliveries than the rounds have room for, T* is larger by one.

use super::rounds::check_instance;
use crate::cost::{Published, Relation};
use crate::error::{Error, fit};

/// T*, the lower bound by counting. See the module.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits; [`Error::Parameter`] for an instance of nothing.
///
/// ```
/// use algorithms::multiport::bounds::least_rounds;
/// assert_eq!(least_rounds(9, 2, 5)?, 4);
/// assert_eq!(least_rounds(1_000_000_000_000_000_000, 1, 1_000)?, 999 + 60);
/// # Ok::<(), algorithms::error::Error>(())
/// ```
pub fn least_rounds(n: u64, k: u64, m: u64) -> Result<u64, Error> {
    check_instance(n, k, m)?;
    if n == 1 {
        return Ok(0);
    }
    let (others, ports) = (u128::from(n - 1), u128::from(k));
    let (growing, reached) = power_from(ports + 1, others);
    // What the growing rounds have room for may pass what there is to deliver; it is then less than a round's worth.
    let rest = (u128::from(m) * others).saturating_sub(reached - 1);
    fit(u128::from(growing) + rest.div_ceil(ports * others))
}

/// Theorem 2 of Ding and Li as a claim on a cost; none for n = 1, of which it does not speak. All are at least 1.
pub fn theorem_2(n: u64, k: u64, m: u64) -> Option<Published> {
    (n > 1).then(|| Published {
        place: "theorem 2",
        formula: "ceil(m/k) - 1 + ceil(log_{k+1} n)",
        relation: Relation::AtLeast,
        value: u128::from(m.div_ceil(k) - 1) + u128::from(ceil_log(u128::from(k) + 1, n.into())),
    })
}

/// `ceil(log_base value)`: the least s with `base^s >= value`. The base is at least 2.
pub(super) fn ceil_log(base: u128, value: u128) -> u32 {
    power_from(base, value).0
}

/// The least s with `base^s >= value`, and that power or, where it passes 128 bits, the largest number.
pub(super) fn power_from(base: u128, value: u128) -> (u32, u128) {
    let powers = std::iter::successors(Some(1u128), |power| Some(power.saturating_mul(base)));
    (0..).zip(powers).find(|(_, power)| *power >= value).unwrap_or((128, u128::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defining sum, round by round.
    fn by_counting(n: u128, k: u128, m: u128) -> u64 {
        let (mut holders, mut room) = (1, 0);
        for round in 0.. {
            if room >= m * (n - 1) {
                return round;
            }
            room += k * (n - 1).min(holders);
            holders = n.min(holders * (k + 1));
        }
        unreachable!("rounds go on")
    }

    fn published(n: u64, k: u64, m: u64) -> u64 {
        u64::try_from(theorem_2(n, k, m).unwrap().value).unwrap()
    }

    #[test]
    fn the_closed_form_is_the_sum() {
        for n in 1..=130u64 {
            for k in (1..=20).chain([100, 128, 129, 1000]) {
                for m in 1..=64 {
                    assert_eq!(least_rounds(n, k, m), Ok(by_counting(n.into(), k.into(), m.into())), "{n} {k} {m}");
                }
            }
        }
    }

    #[test]
    fn never_below_theorem_2_and_at_most_one_above() {
        for n in 2..=300 {
            for k in 1..=16 {
                for m in 1..=4 * k {
                    let (counted, published) = (least_rounds(n, k, m).unwrap(), published(n, k, m));
                    assert!((published..=published + 1).contains(&counted), "{n} {k} {m}: {counted}, {published}");
                    if k == 1 {
                        assert_eq!(counted, published, "{n} {m}");
                    }
                }
            }
        }
    }

    /// How much is gained: with up to 300 nodes, 2 to 8 ports and 3 batches, a round in more than half of the cases.
    #[test]
    fn above_theorem_2_in_more_than_half_of_the_cases() {
        let instances = (2..=8).flat_map(|k| (2..=300).flat_map(move |n| (1..=3 * k).map(move |m| (n, k, m))));
        let (all, above) = instances.fold((0, 0), |(all, above), (n, k, m)| {
            (all + 1, above + u64::from(least_rounds(n, k, m).unwrap() > published(n, k, m)))
        });
        assert_eq!((all, above), (31_395, 17_106));
    }

    #[test]
    fn the_logarithm_is_exact_at_powers() {
        for base in 2..=10u128 {
            for s in 1..=18 {
                let power = base.pow(s);
                assert_eq!([power, power + 1].map(|value| ceil_log(base, value)), [s, s + 1], "{base}^{s}");
            }
        }
        assert_eq!(ceil_log(2, 1), 0);
        assert_eq!(ceil_log(1 << 64, 3 << 64), 2);
        assert_eq!(ceil_log(2, u128::MAX), 128);
        assert_eq!(ceil_log(u128::MAX - 1, u128::MAX), 2);
    }

    #[test]
    fn extreme_parameters_have_an_answer() {
        const MOST: u64 = u64::MAX;
        assert_eq!(least_rounds(MOST, MOST, MOST), Ok(2));
        assert_eq!(least_rounds(MOST, MOST, 1), Ok(1));
        assert_eq!(least_rounds(2, MOST, MOST), Ok(1));
        assert_eq!(least_rounds(2, 1, MOST), Ok(MOST));
        assert_eq!(least_rounds(3, 1, MOST), Err(Error::Overflow));
        // 41 growing rounds, in which all but 0.01 of two messages' worth less one is delivered.
        assert_eq!(least_rounds(MOST, 2, MOST), Ok(41 + (1 << 63) - 1));
        assert_eq!(least_rounds(1, 1, MOST), Ok(0));
        assert!(least_rounds(0, 1, 1).is_err() && least_rounds(1, 0, 1).is_err() && least_rounds(1, 1, 0).is_err());
    }
}
