//! Guidelines for self-consistent collectives: no function costs more than other functions that do its work.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE Transactions on Parallel and
//! Distributed Systems 21(5), 2010. A library breaks one by a poor choice of algorithm; the catalogue breaks one
//! only where it lacks an algorithm. The cost of a function is that of the best algorithm of the catalogue.

use super::axis::Axis;
use super::claim::{Cause, Claim, LIMITS, Outcome, Paper};
use crate::catalogue::{self, entries};
use crate::cost::{Exact, Limits};
use crate::error::Error;
use crate::problem::{Setting, Value};

/// A function of MPI, and its words: n or K times n.
type Call = (&'static str, Words);

#[derive(Debug, Clone, Copy)]
enum Words {
    N,
    KTimesN,
}

use Words::{KTimesN, N};

/// A name, the function, and what does the same work.
type Guideline = (&'static str, Call, &'static [Call], &'static str);

const GUIDELINES: [Guideline; 13] = [
    ("guidelines-gather", ("gather", N), &[("allgather", N)], "Gather(n) <= Allgather(n)"),
    ("guidelines-scatter", ("scatter", N), &[("alltoall", N)], "Scatter(n) <= Alltoall(n)"),
    ("guidelines-allgather", ("allgather", N), &[("alltoall", N)], "Allgather(n) <= Alltoall(n)"),
    ("guidelines-reduce", ("reduce", N), &[("allreduce", N)], "Reduce(n) <= Allreduce(n)"),
    (
        "guidelines-reduce-gather",
        ("reduce", KTimesN),
        &[("reduce-scatter", N), ("gather", N)],
        "Reduce(Kn) <= Reduce_scatter(n) + Gather(n)",
    ),
    (
        "guidelines-reduce-scatter",
        ("reduce-scatter", N),
        &[("reduce", KTimesN), ("scatter", N)],
        "Reduce_scatter(n) <= Reduce(Kn) + Scatter(n)",
    ),
    (
        "guidelines-reduce-scatter-allreduce",
        ("reduce-scatter", N),
        &[("allreduce", KTimesN)],
        "Reduce_scatter(n) <= Allreduce(Kn)",
    ),
    (
        "guidelines-allreduce",
        ("allreduce", KTimesN),
        &[("reduce-scatter", N), ("allgather", N)],
        "Allreduce(Kn) <= Reduce_scatter(n) + Allgather(n)",
    ),
    (
        "guidelines-broadcast",
        ("broadcast", KTimesN),
        &[("scatter", N), ("allgather", N)],
        "Bcast(Kn) <= Scatter(n) + Allgather(n)",
    ),
    ("guidelines-scatter-broadcast", ("scatter", N), &[("broadcast", KTimesN)], "Scatter(n) <= Bcast(Kn)"),
    (
        "guidelines-allgather-broadcast",
        ("allgather", N),
        &[("gather", N), ("broadcast", KTimesN)],
        "Allgather(n) <= Gather(n) + Bcast(Kn)",
    ),
    (
        "guidelines-allreduce-broadcast",
        ("allreduce", N),
        &[("reduce", N), ("broadcast", N)],
        "Allreduce(n) <= Reduce(n) + Bcast(n)",
    ),
    ("guidelines-exscan", ("exscan", N), &[("scan", N)], "Exscan(n) <= Scan(n)"),
];

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    GUIDELINES.into_iter().map(claim).collect()
}

fn claim((id, left, right, statement): Guideline) -> Claim {
    let axes = [
        Axis::few("L", &[1, 20]),
        Axis::few("o", &[2]),
        Axis::few("g", &[1, 4]),
        Axis::range("K", 2, 12),
        Axis::few("n", &[1, 7, 60]),
        Axis::few("c", &[0, 3]),
    ];
    Claim::new(Paper::Guidelines, id, "guidelines for collectives", statement)
        .noted("costs of the best algorithms of the catalogue")
        .on(axes)
        .repeated(move |v| line(left, v))
        .checked(move |v| {
            let least = cost(left, v)?;
            let together = right.iter().try_fold(0, |sum: u64, &call| {
                Ok::<_, Cause>(sum.checked_add(cost(call, v)?).ok_or(Error::Overflow)?)
            })?;
            Ok(Outcome::new(least <= together, || format!("cost {least}, the others {together}")))
        })
}

/// The words of a call.
fn words(words: Words, [K, n]: [u64; 2]) -> u64 {
    match words {
        N => n,
        KTimesN => K * n,
    }
}

/// What shows the cost of a call.
fn line((name, amount): Call, v: &[u64]) -> String {
    let &[L, o, g, K, n, c] = v else { return String::new() };
    let combines = catalogue::problem(name).is_some_and(|problem| problem.axes().iter().any(|axis| axis.key == "c"));
    let c = if combines { format!(" -c {c}") } else { String::new() };
    format!("best --problem {name} -L {L} -o {o} -g {g} -K {K} -n {}{c}", words(amount, [K, n]))
}

/// The cost of the best algorithm of the catalogue.
fn cost((name, amount): Call, v: &[u64]) -> Result<u64, Cause> {
    let &[L, o, g, K, n, c] = v else { return Err(Error::Overflow.into()) };
    let words = words(amount, [K, n]);
    let mut least = None;
    for entry in entries().iter().filter(|entry| entry.problem().name() == name) {
        // Segments of one size, which all algorithms that segment accept.
        for m in (1..=words).filter(|&m| words.is_multiple_of(m)) {
            let value = |key: &str| match key {
                "L" => Some(L),
                "o" => Some(o),
                "g" => Some(g),
                "K" => Some(K),
                "n" => Some(words),
                "c" => Some(c),
                "m" => Some(m),
                _ => None,
            };
            let values: Vec<Value> = entry.axes().iter().map(|axis| value(axis.key).or(axis.default)).collect();
            // Other claims execute these algorithms; here only those without a formula are executed.
            for limits in [Limits { nodes: 0, hops: 0 }, LIMITS] {
                let evaluation = match entry.evaluate(&Setting::default(), &values, &limits) {
                    Err(refused) if refused.is_not_applicable() => break,
                    evaluation => evaluation.map_err(Error::from)?,
                };
                if let Some(Exact::Integer(cost)) = evaluation.analytic.or_else(|| evaluation.simulated.cost()) {
                    least = Some(least.map_or(cost, |least: u64| least.min(cost)));
                    break;
                }
            }
        }
    }
    least.ok_or_else(|| Error::Overflow.into())
}
