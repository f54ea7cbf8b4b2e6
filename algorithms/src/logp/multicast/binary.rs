//! Binary: a complete binary tree whose two subtrees differ by one node at most.
//!
//! **Source.** Folklore; `binary` of Open MPI's tuned collectives, with its numbering: each of two children gets every other node.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o).
//!
//! **Algorithm.** Nodes are numbered from the source on, wrapping at K, from 0. A node v of level l, the nodes
//! `2^l - 1` to `2^(l+1) - 2`, sends to `v + 2^l` and to `v + 2^(l+1)` where these exist.
//!
//! **Cost.** Node e (from 0) of level l holds the message at `l*D + b*g'`, b the ones in e in binary: with h full
//! levels below the source and p nodes on the level after them, `max(h*(D + g'), [p > 0] (h+1)*D + b(p)*g')` with b(p)
//! the most ones of a number below p. For every source; K - 1 messages; O(log K) to evaluate.
//!
//! **When it wins.** With one message hardly ever. With many segments, between the chain, which is long, and trees whose root sends
//! each segment more than twice.

use super::Numbered;
use crate::error::fit;
use crate::plan::Family;

/// The complete binary tree. See the module.
///
/// ```
/// use castbench_algorithms::logp::LogP;
/// use castbench_algorithms::internals::logp::multicast::Multicast;
/// use castbench_algorithms::internals::logp::multicast::binary::BINARY;
/// assert_eq!(BINARY.time(LogP::new(6, 2, 4)?, 7, 1)?, 28);
/// # Ok::<(), castbench_algorithms::error::Error>(())
/// ```
pub const BINARY: Numbered = Numbered {
    time: |model, K| {
        let (D, gap) = model.wide();
        // Levels of 1, 2, 4, ... nodes, including the source's.
        let levels = if K == u64::MAX { 64 } else { (K + 1).ilog2() };
        let full = u64::from(levels - 1) * (D + gap);
        let last = u128::from(K) + 1 - (1 << levels);
        match u64::try_from(last) {
            Ok(0) | Err(_) => fit(full),
            Ok(last) => {
                fit(full.max(u64::from(levels) * D + u64::from(most_ones_below(last)) * gap))
            }
        }
    },
    family: Family::binary,
};

/// The most ones that a number below p >= 1 has in binary.
fn most_ones_below(p: u64) -> u32 {
    let last = p - 1;
    // A smaller number has the same highest bits, then 0 instead of 1, then any bits.
    let fewer = (0..u64::BITS)
        .filter(|bit| last >> bit & 1 == 1)
        .map(|bit| (last >> bit).count_ones() - 1 + bit);
    fewer.max().unwrap_or(0).max(last.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::LogP;
    use crate::logp::multicast::Multicast as _;

    #[test]
    fn most_ones_by_counting() {
        let mut most = 0;
        for p in 1..3000u64 {
            most = most.max((p - 1).count_ones());
            assert_eq!(most_ones_below(p), most, "{p}");
        }
    }

    #[test]
    fn both_subtrees_are_alike() {
        let model = LogP::new(6, 2, 4).unwrap();
        for K in 2..200u32 {
            let schedule = BINARY.schedule(model, K, 1);
            let below = |first: u32| {
                let mut pending = vec![first];
                let mut nodes = 0;
                while let Some(node) = pending.pop() {
                    nodes += 1;
                    pending.extend(schedule.targets(node));
                }
                nodes
            };
            let sizes: Vec<u32> = schedule
                .targets(1)
                .iter()
                .map(|&child| below(child))
                .collect();
            assert_eq!(sizes.iter().sum::<u32>(), K - 1);
            assert_eq!(sizes[0], (K - 1).div_ceil(2), "K={K}");
        }
    }

    #[test]
    fn the_largest_sizes_do_not_wrap() {
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(BINARY.time(model, u64::MAX, 1), Ok(63 * 14));
        assert_eq!(BINARY.time(model, u64::MAX - 1, 1), Ok(62 * 14 + 10));
    }
}
