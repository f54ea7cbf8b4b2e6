//! The claims of Gu, Li, Liu, "Fibonacci series-based multicast algorithm", 2002.
//!
//! T(K) is the time of their Fibonacci tree unless halving is named; n is the largest with `f_n <= K`. The paper assumes
//! `g >= o`, so points with a smaller g are outside. That Fibonacci is faster than halving for `g <= 0.3884·(L+2o)` it derives
//! from (2) and (11).

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use super::claim::Point;
use super::claim::{Claim, Objection, Verdict, at_most, ceil_log, claims, equal, hold, only};
use crate::log2;
use crate::logp::LogP;
use crate::logp::multicast::fibonacci::{FIBONACCI, index};
use crate::logp::multicast::optimal;

/// Nodes from 1 on, or from 2 on.
const TREES: &str = "L = 1..16; o = 0..2; g = 1..16; K = 1..144";
const FROM_2: &str = "L = 1..16; o = 0..2; g = 1..16; K = 2..144";
const HALVING: &str = "L = 1..10; o = 0..1; g = 1..10; K = 1..36; source = 1..36";
const SIZES: &str = "L = 1..20; o = 0..2; g = 1..20; index = 3..40";
/// A hop up to 50 and a gap up to half of it.
const THRESHOLD: &str = "L = 1..50; o = 0; g = 1..25; K = 3..200";
const SOURCES: &str = "L = 1..30; o = 0; g = 1..12; K = 3..40; source = 1..40";

pub(super) fn claims() -> Vec<Claim> {
    claims![
        Fibonacci "fibonacci-2" "section 3, (2)": "halving takes T(K) = ceil(log2 K)·(L+2o)",
            HALVING, "cost halving", "where g > L+2o the source's own sends wait for the gap; from an inner source it can be cheaper",
            |p, []| p.published("halving", "(2)");
        Castbench "halving-time" mends "fibonacci-2" "logp::multicast::halving": "where max(g, o) <= L+2o, halving takes ceil(log2 K)·(L+2o) from either edge and no more from inside",
            HALVING, "cost halving", "checked for every source",
            |p, [_, _, _, K, source]| {
                let model = p.machine()?;
                only(model.gap() <= model.D())?;
                let (cost, formula) = (p.cost("halving")?, ceil_log(2, K) * model.D());
                halved(cost, formula, source == 1 || source == K)
            };
        Fibonacci "fibonacci-3" "section 4, (3) and (4)": "T(K) = max(T(f_(n-2)) + L+2o, T(K - f_(n-2)) + g), T(1) = 0, T(2) = L+2o, whatever the source",
            "L = 1..8; o = 0..1; g = 1..8; K = 1..36; source = 1..36", "cost fibonacci", "checked for every source",
            |p, [_, _, _, K]| {
                let model = p.machine()?;
                equal("cost", p.cost("fibonacci")?, by_recurrence(model.D(), model.gap(), K))
            };
        Fibonacci "fibonacci-increasing" "section 4, before (3)": "T(K) obviously increases with K",
            FROM_2, "cost fibonacci", "a Fibonacci size splits better than the size before it; checked as T(K-1) <= T(K)",
            |p, [_, _, _, K]| {
                let [before, cost] = grown(p, [K - 1, K])?;
                hold!(before <= cost, "T(K-1) = {before}, T(K) = {cost}")
            };
        Castbench "fibonacci-increasing-sizes" mends "fibonacci-increasing" "logp::multicast::fibonacci": "T(f_(n-1)) <= T(f_n)",
            SIZES, "", "index is n. Between Fibonacci sizes T may fall, by more the larger they are",
            |p, [_, _, _, n]| {
                let [before, cost] = grown(p, [FIBONACCI[at(n - 1)], FIBONACCI[at(n)]])?;
                hold!(before <= cost, "T(f_(n-1)) = {before}, T(f_n) = {cost}")
            };
        Castbench "fibonacci-sizes" mends "fibonacci-11" "logp::multicast::fibonacci": "T(f_n) = (n-1)/2·(L+2o) for odd n >= 3, (n-2)/2·(L+2o) + g for even n where L+2o >= 2g, else L+2o + (n-3)·g",
            SIZES, "", "index is n; f_40 is 102334155 nodes. So T grows as 0.72022·log2 K·(L+2o) where L+2o >= 2g",
            |p, [_, _, _, n]| {
                let (model, [cost]) = (p.machine()?, grown(p, [FIBONACCI[at(n)]])?);
                equal("cost", cost, at_fibonacci_size(model.D(), model.gap(), n))
            };
        Fibonacci "fibonacci-7" "section 4, (7)": "L+2o >= 2g: T(K) <= (n-1)/2·(L+2o+g) for odd n, (n-2)/2·(L+2o+g) + max(g, L+2o) for even n",
            FROM_2, "cost fibonacci", "the step before (9); rests on T(K) increasing, which is false, and holds all the same",
            |p, [_, _, _, K]| before_9(p, K, |D, gap| D >= 2 * gap);
        Fibonacci "fibonacci-8" "section 4, (8)": "L+2o < 2g: T(K) <= (n-1)/2·3g for odd n, (n-2)/2·3g + max(g, L+2o) for even n",
            FROM_2, "cost fibonacci", "the step before (9)",
            |p, [_, _, _, K]| before_9(p, K, |D, gap| D < 2 * gap);
        Fibonacci "fibonacci-9" "section 4, (9)": "T(K) <= floor(n/2)·(g + max(2g, L+2o))",
            TREES, "cost fibonacci", "with room: from one Fibonacci size to the next but one T grows by L+2o where this has g + L+2o",
            |p, []| p.published("fibonacci", "(9)");
        Fibonacci "fibonacci-10" "section 4, (10)": "f_n <= K < f_(n+1): n < 1.44043·(log2 K - 1.16096)",
            "K = 1..100000", "", "f_n is about phi^n/sqrt 5, so 1.16096 is to be added, not subtracted",
            |_, [K]| {
                let n = index(K) as u128;
                hold!(is_below_10(n, K), "n = {n}, claimed below {}", difference(log2::ceil_scaled(LOG, 1, K), SHIFT))
            };
        Castbench "fibonacci-10-mended" mends "fibonacci-10" "logp::multicast::fibonacci": "f_n <= K < f_(n+1): n < 1.44043·(log2 K + 1.16096) + 1/3",
            "K = 1..100000", "", "the third is for K = 1, where n = 2, and the other f_n of even n, which lie below phi^n/sqrt 5",
            |_, [K]| hold!(is_below_10_mended(index(K) as u128, K), "n = {}", index(K));
        Fibonacci "fibonacci-11" "section 4, (11)": "T(K) <= floor(0.72022·log2 K)·(g + max(2g, L+2o))",
            TREES, "cost fibonacci", "(10), by which n was replaced, has the sign of 1.16096 wrong; the abstract leaves out the floor (fibonacci-abstract)",
            |p, []| p.published("fibonacci", "(11)");
        Fibonacci "fibonacci-abstract" "abstract; section 1": "T(K) <= 0.72022·log2 K·(g + max(2g, L+2o))",
            TREES, "cost fibonacci", "(11) without its floor; what the wrong sign leaves out shows where L+2o is large beside g, at f_n of odd n and just above",
            |p, [_, _, _, K]| {
                let (round, cost) = (round(p.machine()?), p.cost("fibonacci")?);
                // An integer is at most a number if and only if it is at most the number rounded down.
                let (bound, _) = log2::floor_scaled(72_022 * round, 1, K);
                let [whole, hundredths] = [bound / 100_000, bound / 1000 % 100];
                hold!(u128::from(cost) * 100_000 <= bound, "cost {cost}, claimed <= {whole}.{hundredths:02}...")
            };
        Castbench "fibonacci-11-mended" mends "fibonacci-11" "logp::multicast::fibonacci": "T(K) <= floor((1.44043·(log2 K + 1.16096) + 1/3)/2)·(g + max(2g, L+2o))",
            TREES, "cost fibonacci", "(9) with n by fibonacci-10-mended; fibonacci-sizes is sharper",
            |p, [_, _, _, K]| {
                let bound = rounds_mended(K) * u128::from(round(p.machine()?));
                at_most("cost", p.cost("fibonacci")?, bound)
            };
        Fibonacci "fibonacci-threshold" "section 4, after (11); abstract": "g <= 0.3884·(L+2o): Fibonacci is faster than halving",
            THRESHOLD, "cost fibonacci", "from an edge; K = 1 and 2 are left out: there both trees are the same. Sufficient, not necessary",
            |p, []| below_threshold(p, Ordering::is_lt);
        Fibonacci "fibonacci-threshold-any-source" "section 4, after (11); abstract": "g <= 0.3884·(L+2o): Fibonacci is faster than halving, wherever the source is",
            SOURCES, "cost fibonacci", "a tie at most: the middle one of three nodes sends to the other two in both trees",
            |p, []| below_threshold(p, Ordering::is_lt);
        Castbench "fibonacci-threshold-four" mends "fibonacci-threshold-any-source" "logp::multicast::fibonacci": "g <= 0.3884·(L+2o): Fibonacci is no slower than halving wherever the source is, and faster from K = 4 on",
            SOURCES, "cost fibonacci", "checked, not proved",
            |p, [_, _, _, K]| below_threshold(p, if K < 4 { Ordering::is_le } else { Ordering::is_lt });
        Castbench "fibonacci-threshold-half" mends "fibonacci-threshold" "logp::multicast::fibonacci": "from an edge and K >= 3: Fibonacci is faster than halving where 2g < L+2o, and no slower where 2g = L+2o",
            THRESHOLD, "cost fibonacci", "checked, not proved; at 2g = L+2o + 1 four nodes are enough to lose",
            |p, []| {
                let model = p.machine()?;
                let half = (2 * model.gap()).cmp(&model.D());
                only(half.is_le())?;
                against_halving(p, if half.is_lt() { Ordering::is_lt } else { Ordering::is_le })
            };
        Fibonacci "fibonacci-recurrence" "section 2, conditions 1 and 2": "N(t) = f_t nodes are reached by time t, where f_i = 1 for 0 <= i <= L+2o and f_(i-g) + f_(i-L-2o) else",
            "L = 1..12; o = 0..2; g = 1..12; t = 0..60", "", "off by one: at t = L+2o two nodes hold the message. logp-theorem-2 has it right",
            |p, [_, _, _, t]| {
                let model = p.machine()?;
                let (D, g, mut f) = (model.D(), model.g(), vec![1u64; at(model.D()) + 1]);
                for i in D + 1..=t {
                    // Before 0 the sequence is not defined.
                    let later = i.checked_sub(g).ok_or(Objection::Outside)?;
                    f.push(f[at(later)] + f[at(i - D)]);
                }
                equal("N(t) =", optimal::reached_by(model, t, u64::MAX), f[at(t)])
            };
        Castbench "interval-optimum" "against section 2 of Gu, Li, Liu: no practical optimal algorithm": "T(K) = min over s < K of max(T(s) + L+2o, T(K-s) + g where K-s > 1) is the optimal time for every K",
            "L = 1..12; o = 0..1; g = 1..12; K = 1..60", "cost optimal", "an optimal tree that splits intervals, as halving and Fibonacci do (Park et al. 1996, OPT-tree)",
            |p, [_, _, _, K]| {
                let model = p.machine()?;
                let mut best = vec![0, 0];
                for nodes in 2..=at(K) {
                    let after = |rest: usize| if rest > 1 { best[rest] + model.gap() } else { 0 };
                    let split = (1..nodes).map(|part| (best[part] + model.D()).max(after(nodes - part)));
                    best.push(split.min().unwrap_or(0));
                }
                equal("least cost", optimal::time(model, K)?, best[at(K)])
            };
    ]
}

/// Halving takes the time of the formula from an edge, and at most that from inside.
fn halved(cost: u64, formula: u64, is_edge: bool) -> Verdict {
    let holds = cost == formula || (cost < formula && !is_edge);
    hold!(holds, "cost {cost}, formula {formula}")
}

/// The times of Fibonacci trees of some sizes.
fn grown<const N: usize>(p: &Point<'_>, sizes: [u64; N]) -> Result<[u64; N], Objection> {
    p.machine()?;
    let mut times = [0; N];
    for (time, K) in times.iter_mut().zip(sizes) {
        *time = p.cost_at("fibonacci", &[("K", K)])?;
    }
    Ok(times)
}

/// (3) and (4) as printed.
fn by_recurrence(D: u64, g: u64, K: u64) -> u64 {
    match K {
        1 => 0,
        2 => D,
        _ => {
            let small = FIBONACCI[index(K) - 2];
            (by_recurrence(D, g, small) + D).max(by_recurrence(D, g, K - small) + g)
        }
    }
}

/// The time at a Fibonacci size, in closed form.
fn at_fibonacci_size(D: u64, gap: u64, n: u64) -> u64 {
    match n {
        0..=2 => 0,
        _ if D < 2 * gap => D + (n - 3) * gap,
        _ if n % 2 == 1 => (n - 1) / 2 * D,
        _ => (n - 2) / 2 * D + gap,
    }
}

/// The time of a round in (9) and (11): `g + max(2g, D)`.
fn round(model: LogP) -> u64 {
    model.gap() + model.D().max(2 * model.gap())
}

/// The bound of (7) for `D >= 2g`, of (8) for `D < 2g`.
fn by_7_or_8(model: LogP, n: u64) -> u64 {
    (n - 1) / 2 * round(model) + (1 - n % 2) * model.D().max(model.gap())
}

fn before_9(p: &Point<'_>, K: u64, is_meant: impl Fn(u64, u64) -> bool) -> Verdict {
    let model = p.machine()?;
    only(is_meant(model.D(), model.gap()))?;
    at_most(
        "cost",
        p.cost("fibonacci")?,
        by_7_or_8(model, index(K) as u64),
    )
}

/// 1.44043·log2 K and 1.44043·1.16096 in units of 10^-10.
const LOG: u64 = 144_043 * 100_000;
const SHIFT: u128 = 144_043 * 116_096;
const UNIT: u128 = 10_000_000_000;

/// The difference of two numbers in units of 10^-10, to three decimals.
fn difference(a: u128, b: u128) -> String {
    let (sign, thousandths) = (if a < b { "-" } else { "" }, a.abs_diff(b) * 1000 / UNIT);
    format!("{sign}{}.{:03}", thousandths / 1000, thousandths % 1000)
}

/// Whether n is below the bound of (10) as printed.
fn is_below_10(n: u128, K: u64) -> bool {
    // An integer is below a number if and only if it is below the number rounded up.
    n * UNIT + SHIFT < log2::ceil_scaled(LOG, 1, K)
}

/// Whether n is below the bound that holds instead of (10).
fn is_below_10_mended(n: u128, K: u64) -> bool {
    3 * n * UNIT < 3 * (SHIFT + log2::ceil_scaled(LOG, 1, K)) + UNIT
}

/// Half the bound that holds instead of (10), rounded down.
fn rounds_mended(K: u64) -> u128 {
    (3 * SHIFT + UNIT + log2::floor_scaled(3 * LOG, 1, K).0) / (6 * UNIT)
}

/// Whether `g > 0.3884·(L+2o)`, about which the paper says nothing.
fn is_above_threshold(model: LogP) -> bool {
    10_000 * model.gap() > 3_884 * model.D()
}

fn below_threshold(p: &Point<'_>, holds: fn(Ordering) -> bool) -> Verdict {
    only(!is_above_threshold(p.machine()?))?;
    against_halving(p, holds)
}

/// Compares the times of Fibonacci and halving.
fn against_halving(p: &Point<'_>, holds: fn(Ordering) -> bool) -> Verdict {
    let (fibonacci, halving) = (p.cost("fibonacci")?, p.cost("halving")?);
    hold!(
        holds(fibonacci.cmp(&halving)),
        "Fibonacci {fibonacci}, halving {halving}"
    )
}

/// A small number as an index.
fn at(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
