//! Lower bounds: no broadcast of m messages to n nodes with k ports takes fewer rounds.
//!
//! **Source.** Ding, Li, "Algorithm and analysis of multiple messages broadcast in the multiport model", theorems 1
//! and 2, after Bar-Noy, Ho, "Broadcasting multiple messages in the multiport model", IEEE TPDS 10(5), 1999. The
//! bounds by counting are not in the papers.
//!
//! **By counting copies.** In round t the root sends message i `x_i(t)` times, k times in all. Every other node that holds it sends it at
//! most k times. So c copies beside the root's become at most `(k+1)*c + x_i(t)`, and after T rounds there are at most
//! `X_i = x_i(1)*(k+1)^(T-1) + ... + x_i(T)`. That is a number to base k + 1, and the digits of all m numbers add up to k in
//! each position. Each of them must be n - 1 at least. Let F(T, m) be the greatest that the least of m such numbers can be:
//!
//! - `F(T, m) = F(T-1, m-k)` for m above k: the root sends k messages once each, and they have enough.
//! - `F(T, m) = a*(k+1)^(T-1) + F(T-1, m-e)` else, with `a = floor(k/m)` and `e = k mod m`. If the least number began with a larger
//!   digit, all would, which is more than k. If all begin with a at least, e of them can begin with more and have enough.
//!
//! A broadcast takes T rounds at least, for the least T with `F(T, m) >= n - 1`. With `b = ceil(m/k)` batches of messages, `r'` of which are
//! in the last, and `q = ceil(log_{k+1} n)`, that is
//!
//! `T* = b - 1 + q` where `n - 1 <= F(q, r')`, and `b + q` else.
//!
//! For a round more is enough: `F(q+1, r') >= (k+1)^q >= n`. For k = 1 this is `m - 1 + ceil(log2 n)`. Where r' divides k,
//! `F(q, r') = ((k+1)^q - 1) / r'`. Theorem 2 is `b - 1 + q`, so T* is that or one more.
//!
//! **By counting deliveries.** Before round t at most `(k+1)^(t-1)` nodes hold anything, each sends k messages, and the n - 1
//! others receive k each. `m(n-1)` deliveries are due. This is T* where r' divides k, and else T* or one less, for
//! `F(q, r') <= ((k+1)^q - 1) / r'`. At n = 9, k = 4 and m = 3 two rounds have room for 24 deliveries and 24 are due. But a message that
//! the root sends c times and then x times has 5c + x copies, and no three such numbers are 8.
//!
//! **Where it is reached.** The [`balanced`](super::balanced) hypercube reaches it wherever it exists.

use crate::cost::{Published, Relation};
use crate::error::{Error, fit};

/// T*, the lower bound by counting copies. See the module.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
///
/// ```
/// use castbench_algorithms::internals::multiport::bounds::least_rounds;
/// assert_eq!(least_rounds(9, 2, 5)?, 4);
/// assert_eq!(least_rounds(9, 4, 3)?, 3);
/// assert_eq!(least_rounds(1_000_000_000_000_000_000, 1, 1_000)?, 999 + 60);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub fn least_rounds(n: u64, k: u64, m: u64) -> Result<u64, Error> {
    if n == 1 {
        return Ok(0);
    }
    let q = ceil_log(u128::from(k) + 1, n.into());
    let is_early = reach(q, (m - 1) % k + 1, k) >= u128::from(n - 1);
    fit(u128::from(m.div_ceil(k)) + u128::from(q) - u128::from(is_early))
}

/// F: the number of copies, without the root's, that each of 1 to k messages can have after some rounds. See the module. `(k+1)^rounds` fits.
pub(super) fn reach(rounds: u32, mut messages: u64, k: u64) -> u128 {
    let mut copies = 0;
    for later in (0..rounds).rev() {
        copies += u128::from(k / messages) * (u128::from(k) + 1).pow(later);
        messages -= k % messages;
    }
    copies
}

/// Theorem 2 of Ding and Li as a published figure; none for n = 1, which it excludes. All are at least 1.
pub fn theorem_2(n: u64, k: u64, m: u64) -> Option<Published> {
    (n > 1).then(|| Published {
        section: "theorem 2",
        formula: "ceil(m/k) - 1 + ceil(log_{k+1} n)",
        relation: Relation::AtLeast,
        value: u128::from(m.div_ceil(k) - 1) + u128::from(ceil_log(u128::from(k) + 1, n.into())),
    })
}

/// `ceil(log_base value)`: the least s with `base^s >= value`. The base is at least 2.
pub(crate) fn ceil_log(base: u128, value: u128) -> u32 {
    power_from(base, value).0
}

/// The least s with `base^s >= value`, and that power, saturated at 128 bits.
pub(super) fn power_from(base: u128, value: u128) -> (u32, u128) {
    let powers = std::iter::successors(Some(1u128), |power| Some(power.saturating_mul(base)));
    (0..)
        .zip(powers)
        .find(|(_, power)| *power >= value)
        .unwrap_or((128, u128::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By counting deliveries, round by round.
    fn by_deliveries(n: u128, k: u128, m: u128) -> u64 {
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

    /// The greatest possible minimum of m numbers, over all ways to share k in each position.
    fn greatest(rounds: u32, k: u64, numbers: Vec<u64>) -> u64 {
        fn ways(left: u64, more: &[u64], before: &mut Vec<u64>, each: &mut impl FnMut(&[u64])) {
            let Some((number, more)) = more.split_first() else {
                return each(before);
            };
            for digit in 0..=left {
                before.push(number + digit);
                ways(left - digit, more, before, each);
                before.pop();
            }
        }
        if rounds == 0 {
            return numbers.into_iter().min().unwrap();
        }
        let shifted: Vec<u64> = numbers.iter().map(|number| number * (k + 1)).collect();
        let mut best = 0;
        ways(k, &shifted, &mut Vec::new(), &mut |numbers| {
            best = best.max(greatest(rounds - 1, k, numbers.to_vec()))
        });
        best
    }

    #[test]
    fn no_way_to_send_makes_more_copies() {
        for (k, rounds, most) in [
            (1, 6, 4),
            (2, 4, 4),
            (3, 3, 4),
            (4, 2, 5),
            (5, 2, 5),
            (4, 3, 3),
            (7, 2, 4),
        ] {
            for m in 1..=most {
                let found = u128::from(greatest(rounds, k, vec![0; m]));
                let m = m as u64;
                let before = u32::try_from((m - 1) / k).unwrap();
                let left = rounds.saturating_sub(before);
                assert_eq!(
                    reach(left, (m - 1) % k + 1, k),
                    found,
                    "{k} ports, {rounds} rounds, {m} messages"
                );
            }
        }
    }

    /// It is reached where the last messages share the ports evenly; elsewhere it can be a round too low.
    #[test]
    fn never_below_the_bound_by_deliveries() {
        let mut above = Vec::new();
        for n in 2..=130u64 {
            for k in (1..=20).chain([100, 128, 129, 1000]) {
                for m in 1..=64 {
                    let (least, deliveries) = (
                        least_rounds(n, k, m).unwrap(),
                        by_deliveries(n.into(), k.into(), m.into()),
                    );
                    let even = k % ((m - 1) % k + 1) == 0;
                    assert!(
                        (deliveries..=deliveries + u64::from(!even)).contains(&least),
                        "{n} {k} {m}"
                    );
                    if least > deliveries {
                        above.push((n, k, m));
                    }
                }
            }
        }
        let first = |k: u64| above.iter().copied().find(|point| point.1 == k);
        assert_eq!(
            [3, 4, 5].map(first),
            [None, Some((9, 4, 3)), Some((9, 5, 4))]
        );
    }

    #[test]
    fn never_below_theorem_2_and_at_most_one_above() {
        for n in 2..=300 {
            for k in 1..=16 {
                for m in 1..=4 * k {
                    let (counted, published) = (least_rounds(n, k, m).unwrap(), published(n, k, m));
                    assert!(
                        (published..=published + 1).contains(&counted),
                        "{n} {k} {m}: {counted}, {published}"
                    );
                    if k == 1 {
                        assert_eq!(counted, published, "{n} {m}");
                    }
                }
            }
        }
    }

    /// The gain: with up to 300 nodes, 2 to 8 ports and 3 batches, a round in more than half of the cases.
    #[test]
    fn above_theorem_2_in_more_than_half_of_the_cases() {
        let instances =
            (2..=8).flat_map(|k| (2..=300).flat_map(move |n| (1..=3 * k).map(move |m| (n, k, m))));
        let (all, above) = instances.fold((0, 0), |(all, above), (n, k, m)| {
            (
                all + 1,
                above + u64::from(least_rounds(n, k, m).unwrap() > published(n, k, m)),
            )
        });
        assert_eq!((all, above), (31_395, 17_637));
    }

    #[test]
    fn the_logarithm_is_exact_at_powers() {
        for base in 2..=10u128 {
            for s in 1..=18 {
                let power = base.pow(s);
                assert_eq!(
                    [power, power + 1].map(|value| ceil_log(base, value)),
                    [s, s + 1],
                    "{base}^{s}"
                );
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
        // 3^41 is 1.98 times as much, and the last message is alone in its batch.
        assert_eq!(least_rounds(MOST, 2, MOST), Ok(41 + (1 << 63) - 1));
        assert_eq!(reach(1, MOST, MOST), 1);
        assert_eq!(least_rounds(1, 1, MOST), Ok(0));
    }
}
