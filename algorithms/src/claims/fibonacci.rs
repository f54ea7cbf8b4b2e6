//! The claims of Gu, Li, Liu, "Fibonacci series-based multicast algorithm", 2002.
//!
//! T(K) is the time of their Fibonacci tree unless halving is named; n is the largest with `f_n <= K`. The paper assumes
//! `g >= o`, so points with a smaller g are outside.

mod comparison;
#[cfg(test)]
mod tests;

use super::axis::Axis;
use super::claim::{Cause, Claim, Outcome, Paper, as_published, at_most, claim, equal};
use super::trees::{evaluation, machine, of_tree, time};
use crate::log2;
use crate::logp::multicast::fibonacci::{FIBONACCI, Fibonacci, index};
use crate::logp::multicast::halving::Halving;
use crate::logp::multicast::optimal;

const PAPER: Paper = Paper::Fibonacci;

/// Machines, and nodes from K on.
fn trees(least: u64) -> [Axis; 4] {
    [
        Axis::range("L", 1, 16),
        Axis::range("o", 0, 2),
        Axis::range("g", 1, 16),
        Axis::range("K", least, 144),
    ]
}

/// Compares the Fibonacci tree's cost with the paper's figure at `section`.
fn published(
    section: &'static str,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    of_tree(move |model, K| as_published(evaluation(&Fibonacci, model, K, 1)?, section))
}

/// The cost of the Fibonacci tree is at most `bound`, given D, g', n and K; outside where `bound` is `None`.
fn bounded(
    bound: impl Fn(u64, u64, u64, u64) -> Option<u64> + Send + Sync + 'static,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    of_tree(move |model, K| {
        let n = index(K) as u64;
        let Some(bound) = bound(model.D(), model.gap(), n, K) else {
            return Ok(Outcome::Outside);
        };
        Ok(at_most("cost", time(&Fibonacci, model, K, 1)?, bound))
    })
}

pub(super) fn claims() -> Vec<Claim> {
    let mut claims = Vec::from(halving());
    claims.extend(recurrence());
    claims.extend(bounds());
    claims.extend(logarithm());
    claims.extend(comparison::claims());
    claims.extend(optimum());
    claims
}

fn halving() -> [Claim; 2] {
    let axes = [
        Axis::range("L", 1, 10),
        Axis::range("o", 0, 1),
        Axis::range("g", 1, 10),
        Axis::range("K", 1, 36),
        Axis::range("source", 1, 36),
    ];
    [
        claim!(PAPER, "fibonacci-2", "section 3, (2)": "halving takes T(K) = ceil(log2 K)·(L+2o)")
            .on(axes)
            .shown_by("cost halving")
            .noted("where g > L+2o the source's own sends wait for the gap; from an inner source it can be cheaper")
            .checked(|v| match machine(v)? {
                Some(model) if v[4] <= v[3] => as_published(evaluation(&Halving, model, v[3], v[4])?, "(2)"),
                _ => Ok(Outcome::Outside),
            }),
        claim!("halving-time" mends "fibonacci-2", "logp::multicast::halving":
            "where max(g, o) <= L+2o, halving takes ceil(log2 K)·(L+2o) from either edge and no more from inside")
        .on(axes)
        .shown_by("cost halving")
        .noted("checked for every source")
        .checked(|v| {
            let (K, source) = (v[3], v[4]);
            let Some(model) = machine(v)?.filter(|model| source <= K && model.gap() <= model.D()) else {
                return Ok(Outcome::Outside);
            };
            let formula = u64::from(K.next_power_of_two().trailing_zeros()) * model.D();
            Ok(halved(time(&Halving, model, K, source)?, formula, source == 1 || source == K))
        }),
    ]
}

/// Halving takes the time of the formula from an edge, and at most that from inside.
fn halved(cost: u64, formula: u64, is_edge: bool) -> Outcome {
    let holds = if is_edge {
        cost == formula
    } else {
        cost <= formula
    };
    Outcome::new(holds, || format!("cost {cost}, formula {formula}"))
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

fn recurrence() -> [Claim; 4] {
    [
        claim!(PAPER, "fibonacci-3", "section 4, (3) and (4)":
            "T(K) = max(T(f_(n-2)) + L+2o, T(K - f_(n-2)) + g), T(1) = 0, T(2) = L+2o, whatever the source")
        .on([
            Axis::range("L", 1, 8),
            Axis::range("o", 0, 1),
            Axis::range("g", 1, 8),
            Axis::range("K", 1, 36),
            Axis::range("source", 1, 36),
        ])
        .shown_by("cost fibonacci")
        .noted("checked for every source")
        .checked(|v| match machine(v)? {
            Some(model) if v[4] <= v[3] => {
                let cost = time(&Fibonacci, model, v[3], v[4])?;
                Ok(equal("cost", cost, by_recurrence(model.D(), model.gap(), v[3]).into()))
            }
            _ => Ok(Outcome::Outside),
        }),
        claim!(PAPER, "fibonacci-increasing", "section 4, before (3)": "T(K) obviously increases with K")
            .on(trees(2))
            .shown_by("cost fibonacci")
            .noted("a Fibonacci size splits better than the size before it; checked as T(K-1) <= T(K)")
            .checked(of_tree(|model, K| {
                let [before, cost] = [time(&Fibonacci, model, K - 1, 1)?, time(&Fibonacci, model, K, 1)?];
                Ok(no_less(["T(K-1)", "T(K)"], [before, cost]))
            })),
        claim!("fibonacci-increasing-sizes" mends "fibonacci-increasing", "logp::multicast::fibonacci":
            "T(f_(n-1)) <= T(f_n)")
        .on([Axis::range("L", 1, 20), Axis::range("o", 0, 2), Axis::range("g", 1, 20), Axis::range("index", 3, 40)])
        .noted("index is n. Between Fibonacci sizes T may fall, by more the larger they are")
        .checked(of_tree(|model, n| {
            let [before, cost] =
                [time(&Fibonacci, model, FIBONACCI[at(n - 1)], 1)?, time(&Fibonacci, model, FIBONACCI[at(n)], 1)?];
            Ok(no_less(["T(f_(n-1))", "T(f_n)"], [before, cost]))
        })),
        claim!("fibonacci-sizes" mends "fibonacci-11", "logp::multicast::fibonacci":
            "T(f_n) = (n-1)/2·(L+2o) for odd n >= 3, (n-2)/2·(L+2o) + g for even n where L+2o >= 2g, else L+2o + (n-3)·g")
        .on([Axis::range("L", 1, 20), Axis::range("o", 0, 2), Axis::range("g", 1, 20), Axis::range("index", 3, 40)])
        .noted("index is n; f_40 is 102334155 nodes. So T grows as 0.72022·log2 K·(L+2o) where L+2o >= 2g")
        .checked(of_tree(|model, n| {
            Ok(equal("cost", time(&Fibonacci, model, FIBONACCI[at(n)], 1)?, at_fibonacci_size(model.D(), model.gap(), n).into()))
        })),
    ]
}

/// The second of two named times is not less than the first.
fn no_less(names: [&str; 2], [before, after]: [u64; 2]) -> Outcome {
    Outcome::new(before <= after, || {
        format!("{} = {before}, {} = {after}", names[0], names[1])
    })
}

/// The bound of (7), for `D >= 2g`.
fn by_7(D: u64, gap: u64, n: u64) -> u64 {
    (n - 1) / 2 * (D + gap) + (1 - n % 2) * D.max(gap)
}

/// The bound of (8), for `D < 2g`.
fn by_8(D: u64, gap: u64, n: u64) -> u64 {
    (n - 1) / 2 * 3 * gap + (1 - n % 2) * D.max(gap)
}

fn bounds() -> [Claim; 3] {
    [
        claim!(PAPER, "fibonacci-7", "section 4, (7)":
            "L+2o >= 2g: T(K) <= (n-1)/2·(L+2o+g) for odd n, (n-2)/2·(L+2o+g) + max(g, L+2o) for even n")
        .on(trees(2))
        .shown_by("cost fibonacci")
        .noted("the step before (9); rests on T(K) increasing, which is false, and holds all the same")
        .checked(bounded(|D, gap, n, _| (D >= 2 * gap).then(|| by_7(D, gap, n)))),
        claim!(PAPER, "fibonacci-8", "section 4, (8)":
            "L+2o < 2g: T(K) <= (n-1)/2·3g for odd n, (n-2)/2·3g + max(g, L+2o) for even n")
        .on(trees(2))
        .shown_by("cost fibonacci")
        .noted("the step before (9)")
        .checked(bounded(|D, gap, n, _| (D < 2 * gap).then(|| by_8(D, gap, n)))),
        claim!(PAPER, "fibonacci-9", "section 4, (9)": "T(K) <= floor(n/2)·(g + max(2g, L+2o))")
            .on(trees(1))
            .shown_by("cost fibonacci")
            .noted("with room: from one Fibonacci size to the next but one T grows by L+2o where this has g + L+2o")
            .checked(published("(9)")),
    ]
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

/// The time of a round in (9) and (11): `g + max(2g, D)`.
fn round(D: u64, gap: u64) -> u64 {
    gap + D.max(2 * gap)
}

/// Half the bound that holds instead of (10), rounded down.
fn rounds_mended(K: u64) -> u128 {
    (3 * SHIFT + UNIT + log2::floor_scaled(3 * LOG, 1, K).0) / (6 * UNIT)
}

fn logarithm() -> [Claim; 5] {
    let axes = [Axis::range("K", 1, 100_000)];
    [
        claim!(PAPER, "fibonacci-10", "section 4, (10)": "f_n <= K < f_(n+1): n < 1.44043·(log2 K - 1.16096)")
            .on(axes)
            .noted("f_n is about phi^n/sqrt 5, so 1.16096 is to be added, not subtracted")
            .checked(|v| {
                let (n, K) = (index(v[0]) as u128, v[0]);
                Ok(Outcome::new(is_below_10(n, K), || {
                    format!("n = {n}, claimed below {}", difference(log2::ceil_scaled(LOG, 1, K), SHIFT))
                }))
            }),
        claim!("fibonacci-10-mended" mends "fibonacci-10", "logp::multicast::fibonacci":
            "f_n <= K < f_(n+1): n < 1.44043·(log2 K + 1.16096) + 1/3")
        .on(axes)
        .noted("the third is for K = 1, where n = 2, and the other f_n of even n, which lie below phi^n/sqrt 5")
        .checked(|v| {
            let (n, K) = (index(v[0]) as u128, v[0]);
            Ok(Outcome::new(is_below_10_mended(n, K), || format!("n = {n}")))
        }),
        claim!(PAPER, "fibonacci-11", "section 4, (11)": "T(K) <= floor(0.72022·log2 K)·(g + max(2g, L+2o))")
        .on(trees(1))
        .shown_by("cost fibonacci")
        .noted("(10), by which n was replaced, has the sign of 1.16096 wrong; the abstract leaves out the floor (fibonacci-abstract)")
        .checked(published("(11)")),
        claim!(PAPER, "fibonacci-abstract", "abstract; section 1": "T(K) <= 0.72022·log2 K·(g + max(2g, L+2o))")
            .on(trees(1))
            .shown_by("cost fibonacci")
            .noted("(11) without its floor; what the wrong sign leaves out shows where L+2o is large beside g, at f_n of odd n and just above")
            .checked(of_tree(|model, K| {
                let cost = time(&Fibonacci, model, K, 1)?;
                // An integer is at most a number if and only if it is at most the number rounded down.
                let (bound, _) = log2::floor_scaled(72_022 * round(model.D(), model.gap()), 1, K);
                let hundredths = bound / 1000;
                Ok(Outcome::new(u128::from(cost) * 100_000 <= bound, || {
                    format!("cost {cost}, claimed <= {}.{:02}...", hundredths / 100, hundredths % 100)
                }))
            })),
        claim!("fibonacci-11-mended" mends "fibonacci-11", "logp::multicast::fibonacci":
            "T(K) <= floor((1.44043·(log2 K + 1.16096) + 1/3)/2)·(g + max(2g, L+2o))")
        .on(trees(1))
        .shown_by("cost fibonacci")
        .noted("(9) with n by fibonacci-10-mended; fibonacci-sizes is sharper")
        .checked(bounded(|D, gap, _, K| u64::try_from(rounds_mended(K)).ok().map(|rounds| rounds * round(D, gap)))),
    ]
}

fn optimum() -> [Claim; 2] {
    [
        claim!(PAPER, "fibonacci-recurrence", "section 2, conditions 1 and 2":
            "N(t) = f_t nodes are reached by time t, where f_i = 1 for 0 <= i <= L+2o and f_(i-g) + f_(i-L-2o) else")
        .on([Axis::range("L", 1, 12), Axis::range("o", 0, 2), Axis::range("g", 1, 12), Axis::range("t", 0, 60)])
        .noted("off by one: at t = L+2o two nodes hold the message. logp-theorem-2 has it right")
        .checked(of_tree(|model, t| {
            let (D, g) = (model.D(), model.g());
            let found = optimal::reached_by(model, t, u64::MAX);
            let mut f: Vec<u64> = Vec::new();
            for i in 0..=t {
                // Before 0 the sequence is not defined.
                let next = match (i <= D, i.checked_sub(g)) {
                    (true, _) => 1,
                    (false, Some(later)) => f[at(later)] + f[at(i - D)],
                    (false, None) => return Ok(Outcome::Outside),
                };
                f.push(next);
            }
            Ok(equal("N(t) =", found, f[at(t)].into()))
        })),
        claim!(Paper::Castbench, "interval-optimum", "against section 2 of Gu, Li, Liu: no practical optimal algorithm":
            "T(K) = min over s < K of max(T(s) + L+2o, T(K-s) + g where K-s > 1) is the optimal time for every K")
        .on([Axis::range("L", 1, 12), Axis::range("o", 0, 1), Axis::range("g", 1, 12), Axis::range("K", 1, 60)])
        .shown_by("cost optimal")
        .noted("an optimal tree that splits intervals, as halving and Fibonacci do (Park et al. 1996, OPT-tree)")
        .checked(of_tree(|model, K| {
            let mut best = vec![0, 0];
            for nodes in 2..=at(K) {
                let after = |rest: usize| if rest > 1 { best[rest] + model.gap() } else { 0 };
                let split = (1..nodes).map(|part| (best[part] + model.D()).max(after(nodes - part)));
                best.push(split.min().unwrap_or(0));
            }
            Ok(equal("least cost", optimal::time(model, K)?, best[at(K)].into()))
        })),
    ]
}

/// A small number as an index.
fn at(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
