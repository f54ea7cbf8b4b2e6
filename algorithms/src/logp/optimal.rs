//! Optimal: no multicast under LogP ends earlier.
//!
//! **Source.** Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993,
//! theorem 1; Shou, Chen, "The implementation of optimal broadcast and summation algorithms in the LogP
//! model", Journal of Software 1997, theorems 2 to 4 and algorithm 1.
//!
//! **Symbols.** K (there P) nodes, the source included; D = L + 2o; g' = max(g, o); `N(t)` (there `f_t`) is how
//! many nodes can hold the message by time t.
//!
//! **Algorithm.** Everyone who holds the message sends it to someone who lacks it, every g', until the end.
//! A node that holds it at t has children that hold it at `t + D + i*g'`, i >= 0. The processors are numbered
//! in preorder (definition 3, which keeps a subtree on consecutive processors); for a K between two values
//! of N the first K of that order take part.
//!
//! **Cost.** The least t with `N(t) >= K`, where `N(t) = N(t-g') + N(t-D)` and, in closed form (not in the papers:
//! a node a hops and b gaps down holds the message at `aD + bg'`, and there are `C(a+b-1, b)` such nodes),
//! `N(t) = sum over a >= 0 of C(a + floor((t - aD)/g'), a)`. K - 1 messages.
//!
//! **Departures from the papers.**
//! 1. Shou and Chen tabulate `f` up to the finishing time. That is done here only while the table is a few
//!    cache lines; otherwise N(t) is summed, O(log^2 K) a value, so K = 10^18 in picoseconds costs microseconds.
//! 2. The Fibonacci paper writes `f_i = 1 for 0 <= i <= L+2o`; at `t = D` two nodes hold the message.
//! 3. Theorem 4 is evaluated with g' for g (the paper states g >= o), and its irrational bounds as the
//!    nearest integers that say the same of an integer time.

use num_integer::Integer;

use super::halving::ceil_log2;
use super::schedule::Schedule;
use super::{LogP, Multicast};
use crate::cost::{Claim, Relation};
use crate::error::Error;
use crate::log2;

/// The optimal tree. See the module.
#[derive(Debug, Clone, Copy)]
pub struct Optimal;

/// The least time in which any multicast reaches K nodes: the lower bound of the problem.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
///
/// ```
/// use algorithms::logp::{LogP, optimal};
/// assert_eq!(optimal::time(LogP::new(6, 2, 4)?, 1_000_000_000_000_000_000)?, 396);
/// # Ok::<(), algorithms::error::Error>(())
/// ```
pub fn time(model: LogP, K: u64) -> Result<u64, Error> {
    let gap = model.gap();
    if K == 1 {
        return Ok(0);
    }
    if gap == 0 {
        return Ok(model.D());
    }
    // Every node holds the message at some aD + bg', so time may be counted in their common divisor.
    let unit = model.D().gcd(&gap);
    let (D, gap) = (model.D() / unit, gap / unit);
    let time = tabulated_time(D, gap, K).or_else(|| searched_time(D, gap, K));
    time.and_then(|time| time.checked_mul(unit)).ok_or(Error::Overflow)
}

/// How many nodes can hold the message by time `t`, or `cap` if that is less.
///
/// Cost: O(m^2) for `m = t / max(D, g')`, independent of t otherwise.
#[must_use]
pub fn reached_by(model: LogP, t: u64, cap: u64) -> u64 {
    match model.gap() {
        0 if t < model.D() => cap.min(1),
        0 => cap,
        gap => reached(model.D(), gap, t, cap),
    }
}

impl Multicast for Optimal {
    fn time(&self, model: LogP, K: u64, _source: u64) -> Result<u64, Error> {
        time(model, K)
    }

    /// Preorder numbering from the source on, wrapping at K.
    fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule {
        let position = |number: u32| {
            let shifted = u64::from(source - 1) + u64::from(number);
            // Below K, hence below 2^32.
            u32::try_from(shifted % u64::from(K)).unwrap_or(0) + 1
        };
        let (D, gap) = model.wide();
        let horizon = time(model, u64::from(K)).map_or(u128::MAX, u128::from);
        let mut sends = Vec::with_capacity(K as usize - 1);
        // A node still sending: its number and when its next receiver would hold the message.
        let mut sending = vec![(0, D)];
        let mut reached = 1;
        while reached < K {
            let Some((sender, held)) = sending.last_mut() else { break };
            if *held > horizon {
                sending.pop();
                continue;
            }
            sends.push((position(*sender), position(reached)));
            let first_child = *held + D;
            *held += gap;
            sending.push((reached, first_child));
            reached += 1;
        }
        Schedule::new(K, source, &sends)
    }

    fn published(&self, model: LogP, K: u64) -> Vec<Claim> {
        let (D, gap) = (model.D(), model.gap());
        let wide = u128::from(D.max(gap));
        vec![
            Claim {
                place: "theorem 4, upper",
                formula: "max(g, L+2o)·log2(4K)",
                relation: Relation::Below,
                value: log2::ceil_scaled(D.max(gap), 1, K) + 2 * wide,
            },
            Claim {
                place: "theorem 4, lower",
                formula: "min(g, L+2o)·log2 K",
                relation: Relation::AtLeast,
                value: log2::ceil_scaled(D.min(gap), 1, K),
            },
        ]
    }
}

/// Longest table of [`tabulated_time`]: four kilobytes, about a nanosecond an entry.
const TABLE: usize = 512;

/// The least t with `N(t) >= K` by the recurrence, where it is sure to lie inside the [`TABLE`].
///
/// The root's first child leads a subtree with `t - D` left; the rest of the tree is what a root that
/// begins g' later would reach.
fn tabulated_time(D: u64, gap: u64, K: u64) -> Option<u64> {
    if u128::from(D.max(gap)) * u128::from(ceil_log2(K)) >= TABLE as u128 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "both are below TABLE")]
    let (D, gap) = (D as usize, gap as usize);
    let mut reached = [0u64; TABLE];
    for t in 0..TABLE {
        let root_and_later = if t >= gap { reached[t - gap] } else { 1 };
        let first_child = if t >= D { reached[t - D] } else { 0 };
        reached[t] = root_and_later.saturating_add(first_child);
        if reached[t] >= K {
            return Some(t as u64);
        }
    }
    None
}

/// The least t with `N(t) >= K >= 2`, none where t does not fit.
///
/// Doubling takes at least `min(D, g')` and, as halving shows, at most `max(D, g')`. Bisection narrows this to a
/// window no longer than the step of a [`Row`], in which each row has one arrival at most; these are counted through.
fn searched_time(D: u64, gap: u64, K: u64) -> Option<u64> {
    let doublings = u64::from(ceil_log2(K));
    let mut low = doublings.saturating_mul(D.min(gap)) - 1;
    let mut high = doublings.saturating_mul(D.max(gap));
    if high == u64::MAX && reached(D, gap, high, K) < K {
        return None;
    }
    while high - low > D.min(gap) {
        let middle = low + (high - low) / 2;
        if reached(D, gap, middle, K) >= K {
            high = middle;
        } else {
            low = middle;
        }
    }
    let mut arrivals = [(u64::MAX, 0); ROWS];
    let mut nodes = 1;
    let mut count = 0;
    for row in rows(D, gap, high) {
        nodes += row.held_by(low, u64::MAX);
        arrivals[count] = row.next_after(low);
        count += 1;
    }
    arrivals[..count].sort_unstable();
    for (time, new) in arrivals {
        nodes = new.saturating_add(nodes);
        if nodes >= K {
            return Some(time);
        }
    }
    None
}

/// `N(t)` or `cap`, whichever is less.
fn reached(D: u64, gap: u64, t: u64, cap: u64) -> u64 {
    let mut total = 1u64;
    for row in rows(D, gap, t) {
        total = total.saturating_add(row.held_by(t, cap));
        if total >= cap {
            return cap;
        }
    }
    total
}

/// Most rows that begin up to `ceil(log2 K) * max(D, g')`, for K of 64 bits.
const ROWS: usize = 66;

/// The nodes that are equally many hops from the root, where a hop is dearer than a gap, or equally many gaps
/// where it is not; so there are `t / max(D, g')` rows up to a time t.
///
/// A node a >= 1 hops and b gaps down exists `C(a+b-1, b)` times. Row number i holds those of `a = i+1`, or of
/// `b = i`; either way its nodes arrive at `start`, `start + step`, ..., and `C(i+j, i)` of them at number j.
struct Row {
    number: u64,
    start: u64,
    step: u64,
}

/// The rows that begin up to `end`, in that order.
fn rows(D: u64, gap: u64, end: u64) -> impl Iterator<Item = Row> {
    let starts = std::iter::successors(Some(D), move |start| start.checked_add(D.max(gap)));
    let step = D.min(gap);
    (0..).zip(starts.take_while(move |&start| start <= end)).map(move |(number, start)| Row { number, start, step })
}

impl Row {
    /// How many nodes of the row hold the message by `t`, or `cap`: the sum of `C(i+j, i)` over the arrivals so far.
    fn held_by(&self, t: u64, cap: u64) -> u64 {
        match t.checked_sub(self.start) {
            None => 0,
            Some(since) => binomial((since / self.step).saturating_add(self.number + 1), self.number + 1, cap),
        }
    }

    /// The first arrival after `t`: when, and of how many nodes.
    fn next_after(&self, t: u64) -> (u64, u64) {
        match t.checked_sub(self.start) {
            None => (self.start, 1),
            Some(since) => {
                let number = since / self.step + 1;
                let time = (t - since % self.step).saturating_add(self.step);
                (time, binomial(number.saturating_add(self.number), self.number, u64::MAX))
            }
        }
    }
}

/// Rows 0 to 67 of Pascal's triangle up to their middle: all that fit in 64 bits whole.
static PASCAL: [[u64; 34]; 68] = {
    let mut rows = [[0; 34]; 68];
    let mut n = 0;
    while n < rows.len() {
        rows[n][0] = 1;
        let mut k = 1;
        while k <= n / 2 {
            // Above the middle of the row before, its mirror image.
            let right = if k <= (n - 1) / 2 { k } else { n - 1 - k };
            rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][right];
            k += 1;
        }
        n += 1;
    }
    rows
};

/// `C(n, k)` or `cap`, whichever is less.
fn binomial(n: u64, k: u64, cap: u64) -> u64 {
    if k > n {
        return 0;
    }
    let k = k.min(n - k);
    if n < PASCAL.len() as u64 {
        #[expect(clippy::cast_possible_truncation, reason = "below 68 and below 34")]
        return PASCAL[n as usize][k as usize].min(cap);
    }
    let mut product = 1u64;
    for i in 1..=k {
        // C(n-k+i, i), which grows with i: once at the cap, at the cap for good.
        let factor = n - k + i;
        let next = match product.checked_mul(factor) {
            Some(next) => next / i,
            None => match u64::try_from(u128::from(product) * u128::from(factor) / u128::from(i)) {
                Ok(next) => next,
                Err(_) => return cap,
            },
        };
        if next >= cap {
            return cap;
        }
        product = next;
    }
    product.min(cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `f_t` of theorem 2, case by case as Shou and Chen print it, with g' for g.
    fn theorem_2(D: usize, gap: usize, end: usize) -> Vec<u64> {
        let mut f: Vec<u64> = Vec::new();
        for t in 0..end {
            f.push(if t < D {
                1
            } else if t < gap {
                1 + (t / D) as u64
            } else if t >= gap.max(D) {
                f[t - gap].saturating_add(f[t - D])
            } else {
                1
            });
        }
        f
    }

    #[test]
    fn the_closed_form_solves_theorem_2() {
        for D in 1..15u8 {
            for gap in 1..20u8 {
                let table = theorem_2(D.into(), gap.into(), 200);
                for (t, &nodes) in table.iter().enumerate() {
                    assert_eq!(reached(D.into(), gap.into(), t as u64, u64::MAX), nodes, "D={D} g'={gap} t={t}");
                }
            }
        }
    }

    #[test]
    fn table_and_search_agree() {
        for D in 1..=20 {
            for gap in 1..=20 {
                for K in (2..200).chain([1 << 20, (1 << 20) + 1, 999_999_999_999]) {
                    if let Some(time) = tabulated_time(D, gap, K) {
                        assert_eq!(searched_time(D, gap, K), Some(time), "D={D} g'={gap} K={K}");
                    }
                }
            }
        }
    }

    /// The interval form of the optimum (OPT-tree, Park et al. 1996): the best first split.
    #[test]
    fn the_best_split_is_no_better() {
        for D in 1..=12 {
            for gap in 1..=12 {
                let model = LogP::new(D, 0, gap).unwrap();
                let mut best = vec![0, 0];
                for K in 2..120usize {
                    let split = |given: usize| {
                        let rest = K - given;
                        (best[given] + D).max(if rest > 1 { best[rest] + gap } else { 0 })
                    };
                    let least = (1..K).map(split).min().unwrap();
                    assert_eq!(time(model, K as u64).unwrap(), least, "D={D} g={gap} K={K}");
                    best.push(least);
                }
            }
        }
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

    /// Theorem 3: child k of `(p, T)` is processor `p + 1 + f_T - f_{T-kg}`, which is what preorder gives.
    #[test]
    fn theorem_3_numbers_in_preorder() {
        for (L, o, g) in [(6, 2, 4), (1, 1, 5), (0, 1, 1), (7, 0, 2)] {
            let model = LogP::new(L, o, g).unwrap();
            let f = |t: u64| reached_by(model, t, u64::MAX);
            for nodes in (0..40).map(f).take_while(|&nodes| nodes < 5000) {
                let schedule = Optimal.schedule(model, u32::try_from(nodes).unwrap(), 1);
                let mut pending = vec![(0u64, time(model, nodes).unwrap())];
                while let Some((p, T)) = pending.pop() {
                    for (k, &child) in (0u64..).zip(schedule.targets(u32::try_from(p + 1).unwrap())) {
                        let number = p + 1 + f(T) - f(T - k * g);
                        assert_eq!(u64::from(child - 1), number, "{model:?} node {p} child {k}");
                        pending.push((number, T - model.D() - k * g));
                    }
                }
            }
        }
    }

    #[test]
    fn binomials_by_addition() {
        let mut row = vec![1u64];
        for n in 1..130u64 {
            let inner = row.windows(2).map(|pair| pair[0].saturating_add(pair[1]));
            row = std::iter::once(1).chain(inner).chain([1]).collect();
            for (k, &value) in (0..).zip(&row) {
                assert_eq!(binomial(n, k, u64::MAX), value, "C({n}, {k})");
                assert_eq!(binomial(n, k, 1000), value.min(1000), "C({n}, {k}) up to 1000");
            }
        }
        assert_eq!(binomial(3, 4, 10), 0);
        assert_eq!(binomial(u64::MAX, 1, u64::MAX), u64::MAX);
    }

    #[test]
    fn extreme_parameters_have_an_answer() {
        // One message at a time: a chain until the root's second send, a million hops later.
        assert_eq!(time(LogP::new(1, 0, 1_000_000_000).unwrap(), 1_000_001).unwrap(), 1_000_000);
        // No gap: everyone at once.
        assert_eq!(time(LogP::new(5, 0, 0).unwrap(), u64::MAX).unwrap(), 5);
        // A hop of half the range.
        assert_eq!(time(LogP::new(u64::MAX / 2, 0, 1).unwrap(), 3).unwrap(), u64::MAX / 2 + 1);
        assert_eq!(time(LogP::new(u64::MAX, 0, u64::MAX).unwrap(), 3), Err(Error::Overflow));
    }
}
