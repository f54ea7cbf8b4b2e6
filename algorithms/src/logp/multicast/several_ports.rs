//! The optimal multicast of one message where nodes send over several ports at once.

use super::optimal;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::lattice::binomial;

/// The least time in which one message reaches K nodes, with k simultaneous sends per node.
///
/// A node that holds it at t can have k receivers hold it at each `t + D + i*g'`. So a hops and b gaps down there are
/// `k^a * C(a+b-1, b)` nodes, and by t at most N(t), the sum over a of `k^a * C(a + floor((t - aD)/g'), a)`. Sending as early as
/// possible is optimal, as with one port: a node that holds the message earlier can send at least as much.
///
/// Cost: that of [`optimal::time`] for k = 1, else O(log^3 K).
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
pub fn one_message(model: LogP, K: u64, k: u64) -> Result<u64, Error> {
    if k == 1 || K <= 2 {
        return optimal::time(model, K);
    }
    if model.gap() == 0 {
        return Ok(model.D());
    }
    // In every max(D, g') each holder can reach k others, so at least half of the remaining nodes.
    let mut high =
        u128::from(model.D().max(model.gap())) * u128::from(u64::BITS - K.leading_zeros());
    let mut low = 0;
    while low < high {
        let middle = low + (high - low) / 2;
        if reached(model, k, middle, K) >= K {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    fit(low)
}

/// How many nodes can hold a message by t with k simultaneous sends per node, or `cap` if that is less.
fn reached(model: LogP, k: u64, t: u128, cap: u64) -> u64 {
    let (D, gap) = (u128::from(model.D()), u128::from(model.gap()));
    let (mut total, mut fan) = (1u64, 1u64);
    let mut hops = 1;
    // The count at least doubles per hop, so the loop is short.
    while let Some(left) = t.checked_sub(u128::from(hops) * D) {
        fan = fan.saturating_mul(k);
        let gaps = u64::try_from(left / gap).unwrap_or(u64::MAX);
        let ways = binomial(gaps.saturating_add(hops), hops, cap);
        total = total.saturating_add(fan.saturating_mul(ways));
        if total >= cap {
            return cap;
        }
        hops += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least t by which K nodes hold the message, counted by following every send.
    fn by_following(D: u64, gap: u64, K: u64, k: u64) -> u64 {
        // How many nodes begin to hold it at each time.
        let mut held = vec![1u64];
        let mut total = 1;
        while total < K {
            let t = held.len() as u64;
            let senders = held
                .iter()
                .zip(0..)
                .filter(|(_, at)| t >= at + D && (t - at - D).is_multiple_of(gap));
            let new = senders.map(|(nodes, _)| nodes * k).sum();
            total += new;
            held.push(new);
        }
        held.len() as u64 - 1
    }

    #[test]
    fn several_ports_by_following_every_send() {
        for D in 1..9 {
            for gap in 1..9 {
                let model = LogP::new(D, 0, gap).unwrap();
                for k in 1..5 {
                    for K in [1, 2, 3, 4, 5, 9, 16, 17, 100, 1000] {
                        assert_eq!(
                            one_message(model, K, k),
                            Ok(by_following(D, gap, K, k)),
                            "D={D} g'={gap} K={K} k={k}"
                        );
                    }
                }
            }
        }
        assert_eq!(one_message(LogP::new(7, 0, 0).unwrap(), 50, 2), Ok(7));
        assert_eq!(
            one_message(LogP::new(6, 2, 4).unwrap(), u64::MAX, u64::MAX),
            Ok(10)
        );
    }
}
