//! OPT-tree: optimal time by splits of intervals.
//!
//! **Source.** Park, Choi, Nupairoj, Ni, "Construction of optimal multicast trees based on the parameterized
//! communication model", ICPP 1996.
//!
//! **Symbols.** K nodes, the source included, at positions 1..K; D = L + 2o; g' = max(g, o); `N(t)` how many nodes can
//! hold the message by t (see [`optimal`]).
//!
//! **Algorithm.** `T(K) = min over s of max(T(s) + D, T(K-s) + g' [if K-s > 1])`: the source of K nodes gives s of them
//! away and continues with the rest. No search is needed: with t the least time for which `N(t) >= K`, every s is optimal that is at
//! most `N(t-D)` and leaves at most `N(t-g')`, because `N(t) = N(t-D) + N(t-g')`. Here s is the largest, `min(N(t-D), K-1)`: a node
//! that gives fewer parts away is ready earlier for the next message. Positions count from the source and wrap at K: where `g' > D`,
//! more than half is given away, and an inner source has no such part on one side.
//!
//! **Cost.** That of the optimal tree, the lower bound of the problem, for every source; K - 1 messages.
//!
//! **When it wins.** No tree is faster; the optimal tree in preorder is equal. Its parts are intervals, which wormhole networks need.
//!
//! **Departures from the paper.** There a table of all sizes up to K gives s, in O(K^2) or, with bounds, O(K).

use std::collections::HashMap;

use super::Multicast;
use super::optimal::{self, Neighbours};
use super::schedule::{Schedule, from_source};
use crate::error::Error;
use crate::logp::LogP;

/// The optimal split of intervals. See the module.
pub struct OptTree;

impl Multicast for OptTree {
    /// ```
    /// use castbench_algorithms::logp::LogP;
    /// use castbench_algorithms::internals::logp::multicast::Multicast;
    /// use castbench_algorithms::internals::logp::multicast::opt_tree::OptTree;
    /// assert_eq!(OptTree.time(LogP::new(6, 2, 4)?, 8, 1)?, 24);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        optimal::time(model, K)
    }

    fn time_near(
        &self,
        model: LogP,
        K: u64,
        _source: u64,
        neighbours: &mut Neighbours,
    ) -> Result<u64, Error> {
        neighbours.time(model, K)
    }

    fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule {
        // Few sizes occur, many times each.
        let mut known: HashMap<u32, u32> = HashMap::new();
        let mut neighbours = Neighbours::default();
        let mut sends = Vec::with_capacity(K as usize - 1);
        let mut pending = vec![(0, K)];
        while let Some((first, mut size)) = pending.pop() {
            while size > 1 {
                let given = *known.entry(size).or_insert_with(|| {
                    // Below `size`; where times exceed 64 bits the tree has no cost, and any part will do.
                    neighbours
                        .given_away(model, size.into())
                        .ok()
                        .and_then(|given| u32::try_from(given).ok())
                        .unwrap_or(1)
                });
                size -= given;
                let at = |number: u32| from_source(K, source, number.into());
                sends.push((at(first), at(first + size)));
                pending.push((first + size, given));
            }
        }
        Schedule::from_sends(K, source, &sends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part given away attains the optimum, and so do both parts: by the recurrence over all sizes that occur.
    #[test]
    fn the_split_attains_the_optimum() {
        for D in 1..=12 {
            for gap in 0..=12 {
                let model = LogP::new(D, 0, gap).unwrap();
                let time = |K| optimal::time(model, K).unwrap();
                for K in (2..200).chain([1 << 20, 999_999_999_999]) {
                    let given = Neighbours::default().given_away(model, K).unwrap();
                    assert!((1..K).contains(&given), "D={D} g'={gap} K={K}");
                    let rest = if K - given > 1 {
                        time(K - given) + gap
                    } else {
                        0
                    };
                    assert_eq!((time(given) + D).max(rest), time(K), "D={D} g'={gap} K={K}");
                }
            }
        }
    }

    #[test]
    fn parts_are_intervals_from_the_source_on() {
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(OptTree.schedule(model, 8, 1).targets(1), [6, 4, 3, 2]);
        assert_eq!(OptTree.schedule(model, 8, 4).targets(4), [1, 7, 6, 5]);
    }
}
