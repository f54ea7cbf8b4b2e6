//! k-nomial: trees in which a round multiplies the holders by a radix; radix 2 is the binomial tree.
//!
//! **Source.** Folklore; `knomial` of Open MPI's tuned collectives (default radix 4) and the binomial tree of MPICH, which numbers
//! the nodes as here. Open MPI's `binomial` gives the largest part away first
//! (`broadcast-bmtree`).
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; r >= 2 the radix; D = L + 2o; g' = max(g, o).
//!
//! **Algorithm.** Nodes are numbered from the source on, wrapping at K, from 0, and written with digits of base r. A
//! node sends to the nodes that differ from it in one digit of those below its lowest digit that is not 0 (all of them
//! at the source): the highest digit first, and each digit with the values 1 to r - 1 in turn.
//!
//! **Cost.** `F(p)`, the time of `r^p` nodes, is 0 for p = 0, else `p*(r-1)*g' + max(D - g', p*(D - g'))`. For K
//! between let `r^(p-1) < K <= r^p` and `a = ceil(K/r^(p-1)) - 1`, how many nodes the source sends to at the highest
//! digit: `T(K) = max([a > 1] (a-2)*g' + D + F(p-1), (a-1)*g' + D + T(K - a*r^(p-1)), [p > 1] a*g' + F(p-1))`. For
//! every source; K - 1 messages; O(log K) to evaluate.
//!
//! **When it wins.** The binomial tree where a relay is as fast as a second send, `g' ~ D`; a larger radix where a hop takes several
//! gaps.

use super::Numbered;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::plan::Family;
use crate::wide::Wide;

/// The binomial tree.
///
/// ```
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::logp::multicast::Multicast;
/// use castbench_algorithms::internals::logp::multicast::k_nomial::{BINOMIAL, RADIX_4};
/// assert_eq!(BINOMIAL.time(LogP::new(6, 2, 4)?, 8, 1)?, 30);
/// assert_eq!(RADIX_4.time(LogP::new(6, 2, 4)?, 4, 1)?, 18);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub const BINOMIAL: Numbered = Numbered {
    time: |model, K| time(model, K, 2),
    family: |K, number| Family::k_nomial(K, number, 2),
};
/// The tree of radix 4, Open MPI's default.
pub const RADIX_4: Numbered = Numbered {
    time: |model, K| time(model, K, 4),
    family: |K, number| Family::k_nomial(K, number, 4),
};
/// The tree of radix 8.
pub const RADIX_8: Numbered = Numbered {
    time: |model, K| time(model, K, 8),
    family: |K, number| Family::k_nomial(K, number, 8),
};

/// `F(p)`.
fn whole((D, gap): (Wide, Wide), radix: u64, digits: u32) -> Wide {
    let (p, more) = (u64::from(digits), radix - 1);
    match digits {
        0 => Wide::ZERO,
        _ if D >= gap => p * (D + (more - 1) * gap),
        _ => D + (p * more - 1) * gap,
    }
}

fn time(model: LogP, K: u64, radix: u64) -> Result<u64, Error> {
    let (D, gap) = model.wide();
    let (mut start, mut finish, mut rest) = (Wide::ZERO, Wide::ZERO, K);
    while rest > 1 {
        // The highest digit of the last number.
        let digits = (rest - 1).ilog(radix);
        let sends = (rest - 1) / radix.pow(digits);
        let below = whole((D, gap), radix, digits);
        if sends > 1 {
            finish = finish.max(start + (sends - 2) * gap + D + below);
        }
        if digits > 0 {
            finish = finish.max(start + sends * gap + below);
        }
        // Continue with the last receiver, the only one whose part can be incomplete.
        start += (sends - 1) * gap + D;
        rest -= sends * radix.pow(digits);
    }
    fit(finish.max(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::Multicast as _;

    #[test]
    fn a_binomial_tree_of_eight_and_one_of_eleven() {
        let model = LogP::new(6, 2, 4).unwrap();
        let eight = BINOMIAL.schedule(model, 8, 1);
        assert_eq!(
            (eight.targets(1), eight.targets(5)),
            (&[5, 3, 2][..], &[7, 6][..])
        );
        let eleven = RADIX_4.schedule(model, 11, 1);
        assert_eq!(
            (eleven.targets(1), eleven.targets(5)),
            (&[5, 9, 2, 3, 4][..], &[6, 7, 8][..])
        );
        assert_eq!(eleven.targets(9), [10, 11]);
    }

    /// For r^p nodes the closed form equals the maximum over all paths of digits from the highest digit down.
    #[test]
    fn whole_trees_solve_their_recurrence() {
        for radix in [2, 4, 8] {
            for (D, gap) in [(10u64, 4u64), (1, 1), (1, 9), (7, 8), (5, 0)] {
                let (D, gap) = (Wide::from(D), Wide::from(gap));
                let mut times = vec![Wide::ZERO];
                for p in 1..8u32 {
                    let last_at = |i: u32| {
                        let before = (radix - 1) * u64::from(p - i) - 1;
                        D + before * gap + times[i as usize]
                    };
                    times.push((0..p).map(last_at).max().unwrap());
                    assert_eq!(
                        whole((D, gap), radix, p),
                        times[p as usize],
                        "D={D} g'={gap} p={p}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_largest_sizes_do_not_wrap() {
        let model = LogP::new(6, 2, 4).unwrap();
        for tree in [BINOMIAL, RADIX_4, RADIX_8] {
            assert!(tree.time(model, u64::MAX, 1).unwrap() < 64 * 10 * 4);
        }
        assert_eq!(BINOMIAL.time(model, 1 << 63, 1), Ok(630));
    }
}
