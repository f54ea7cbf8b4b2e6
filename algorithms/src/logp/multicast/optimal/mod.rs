//! Optimal: no multicast under LogP ends earlier.
//!
//! **Source.** Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993,
//! theorem 1; Shou, Chen, "The implementation of optimal broadcast and summation algorithms in the LogP
//! model", Journal of Software 1997, theorems 2 to 4 and algorithm 1.
//!
//! **Symbols.** K (there P) nodes, the source included; D = L + 2o; g' = max(g, o); `N(t)` (there `f_t`) is how
//! many nodes can hold the message by time t.
//!
//! **Algorithm.** Every node that holds the message sends it to a node that lacks it, every g', until the end.
//! A node that holds it at t has children that hold it at `t + D + i*g'`, i >= 0. The processors are numbered
//! in preorder (definition 3: a subtree has consecutive processors). For a K between two values of N, the first K of that order
//! take part.
//!
//! **Cost.** The least t with `N(t) >= K`, where `N(t) = N(t-g') + N(t-D)` and, in closed form (not in the papers:
//! a node a hops and b gaps down holds the message at `aD + bg'`, and there are `C(a+b-1, b)` such nodes),
//! `N(t) = sum over a >= 0 of C(a + floor((t - aD)/g'), a)`. K - 1 messages.
//!
//! **Departures from the papers.**
//! 1. Shou and Chen tabulate `f` up to the finishing time. Here that is done only for small tables; otherwise N(t) is a sum of
//!    O(log^2 K) terms, so K = 10^18 in picoseconds takes microseconds.
//! 2. The Fibonacci paper writes `f_i = 1 for 0 <= i <= L+2o`; at `t = D` two nodes hold the message.
//! 3. Theorem 4 is evaluated with g' for g (the paper states g >= o). Its irrational bounds are rounded to equivalent integers.

mod least;
pub(super) mod neighbours;

use super::Multicast;
use super::schedule::{Schedule, from_source};
use crate::cost::{Published, Relation};
use crate::error::Error;
use crate::log2;
use crate::logp::LogP;
pub use least::reached_by;
pub use neighbours::{Neighbours, time};

/// The optimal tree. See the module.
pub struct Optimal;

impl Multicast for Optimal {
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        time(model, K)
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

    /// Preorder numbering from the source on, wrapping at K.
    fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule {
        let position = |number: u32| from_source(K, source, number.into());
        let horizon = time(model, u64::from(K)).map_or(u128::MAX, u128::from);
        let children = (1..K).zip(preorder(model, horizon, u32::MAX));
        let sends: Vec<_> = children
            .map(|(child, (parent, _))| (position(parent), position(child)))
            .collect();
        Schedule::from_sends(K, source, &sends)
    }

    fn published(&self, model: LogP, K: u64) -> Vec<Published> {
        let (D, gap) = (model.D(), model.gap());
        let wide = u128::from(D.max(gap));
        vec![
            Published {
                section: "theorem 4, upper",
                formula: "max(g, L+2o)·log2(4K)",
                relation: Relation::Below,
                value: log2::ceil_scaled(D.max(gap), 1, K) + 2 * wide,
            },
            Published {
                section: "theorem 4, lower",
                formula: "min(g, L+2o)·log2 K",
                relation: Relation::AtLeast,
                value: log2::ceil_scaled(D.min(gap), 1, K),
            },
        ]
    }
}

/// The nodes of the tree below its root (number 0) in preorder, numbered from 1: the parent of each and when it holds the message.
/// The tree has all nodes that hold it before `horizon`, and the first `at_horizon` of those that hold it at `horizon`.
pub(in crate::logp) fn preorder(
    model: LogP,
    horizon: u128,
    at_horizon: u32,
) -> impl Iterator<Item = (u32, u128)> {
    let (D, gap) = (u128::from(model.D()), u128::from(model.gap()));
    let mut left_at_horizon = at_horizon;
    // Sending nodes: the number and when the next receiver would hold the message.
    let mut sending = vec![(0, D)];
    let mut next = 1;
    std::iter::from_fn(move || {
        loop {
            let (sender, held) = sending.last_mut()?;
            let (parent, label) = (*sender, *held);
            if label > horizon || (label == horizon && left_at_horizon == 0) {
                sending.pop();
                continue;
            }
            left_at_horizon -= u32::from(label == horizon);
            *held += gap;
            sending.push((next, label + D));
            next += 1;
            return Some((parent, label));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a gap the root sends to all at once.
    #[test]
    fn without_a_gap_all_are_reached_after_a_hop() {
        let model = LogP::new(5, 0, 0).unwrap();
        assert_eq!(
            [0, 4, 5, 6].map(|t| reached_by(model, t, 100)),
            [1, 1, 100, 100]
        );
        assert_eq!(reached_by(model, 4, 0), 0);
    }

    #[test]
    fn figure_1_of_the_logp_paper() {
        let model = LogP::new(6, 2, 4).unwrap();
        assert_eq!(time(model, 8).unwrap(), 24);
        let eight = Optimal.schedule(model, 8, 1);
        // Processors 1, 4, 6 and 7 there; positions count from 1.
        assert_eq!(eight.targets(1), [2, 5, 7, 8]);
        let seven = Optimal.schedule(model, 7, 1);
        assert_eq!(seven.targets(1), [2, 5, 7]);
    }

    /// Theorem 3: child k of `(p, T)` is processor `p + 1 + f_T - f_{T-kg}`, as in preorder.
    #[test]
    fn theorem_3_numbers_in_preorder() {
        for (L, o, g) in [(6, 2, 4), (1, 1, 5), (0, 1, 1), (7, 0, 2)] {
            let model = LogP::new(L, o, g).unwrap();
            let f = |t: u64| reached_by(model, t, u64::MAX);
            for nodes in (0..40).map(f).take_while(|&nodes| nodes < 5000) {
                let schedule = Optimal.schedule(model, u32::try_from(nodes).unwrap(), 1);
                let mut pending = vec![(0u64, time(model, nodes).unwrap())];
                while let Some((p, T)) = pending.pop() {
                    for (k, &child) in (0u64..).zip(schedule.targets(u32::try_from(p + 1).unwrap()))
                    {
                        let number = p + 1 + f(T) - f(T - k * g);
                        assert_eq!(u64::from(child - 1), number, "{model:?} node {p} child {k}");
                        pending.push((number, T - model.D() - k * g));
                    }
                }
            }
        }
    }

    #[test]
    fn extreme_parameters_have_an_answer() {
        // One message at a time: a chain until the root's second send, a million hops later.
        assert_eq!(
            time(LogP::new(1, 0, 1_000_000_000).unwrap(), 1_000_001).unwrap(),
            1_000_000
        );
        // No gap: all at the same time.
        assert_eq!(time(LogP::new(5, 0, 0).unwrap(), u64::MAX).unwrap(), 5);
        // A hop of half the range.
        assert_eq!(
            time(LogP::new(u64::MAX / 2, 0, 1).unwrap(), 3).unwrap(),
            u64::MAX / 2 + 1
        );
        assert_eq!(
            time(LogP::new(u64::MAX, 0, u64::MAX).unwrap(), 3),
            Err(Error::Overflow)
        );
    }
}
