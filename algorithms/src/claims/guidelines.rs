//! Guidelines for self-consistent collectives: no function costs more than other functions that do its work.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE Transactions on Parallel and
//! Distributed Systems 21(5), 2010. A library breaks one by a poor choice of algorithm; the catalogue breaks one
//! only where it lacks an algorithm. The cost of a function is that of the best algorithm of the catalogue.

use super::axis::Axis;
use super::claim::{Cause, Claim, LIMITS, Outcome, Paper, by_key, evaluated};
use crate::catalogue::{self, entries};
use crate::cost::{Exact, Limits};
use crate::error::Error;

/// A collective, and whether its vector has K*n words instead of n.
type Call = (String, bool);

/// Names and statements; what is checked is read from the statement.
const GUIDELINES: [(&str, &str); 13] = [
    ("guidelines-gather", "Gather(n) <= Allgather(n)"),
    ("guidelines-scatter", "Scatter(n) <= Alltoall(n)"),
    ("guidelines-allgather", "Allgather(n) <= Alltoall(n)"),
    ("guidelines-reduce", "Reduce(n) <= Allreduce(n)"),
    (
        "guidelines-reduce-gather",
        "Reduce(Kn) <= Reduce_scatter(n) + Gather(n)",
    ),
    (
        "guidelines-reduce-scatter",
        "Reduce_scatter(n) <= Reduce(Kn) + Scatter(n)",
    ),
    (
        "guidelines-reduce-scatter-allreduce",
        "Reduce_scatter(n) <= Allreduce(Kn)",
    ),
    (
        "guidelines-allreduce",
        "Allreduce(Kn) <= Reduce_scatter(n) + Allgather(n)",
    ),
    (
        "guidelines-broadcast",
        "Bcast(Kn) <= Scatter(n) + Allgather(n)",
    ),
    ("guidelines-scatter-broadcast", "Scatter(n) <= Bcast(Kn)"),
    (
        "guidelines-allgather-broadcast",
        "Allgather(n) <= Gather(n) + Bcast(Kn)",
    ),
    (
        "guidelines-allreduce-broadcast",
        "Allreduce(n) <= Reduce(n) + Bcast(n)",
    ),
    ("guidelines-exscan", "Exscan(n) <= Scan(n)"),
];

/// `Reduce_scatter(n)`, `Bcast(Kn)`.
fn call(text: &str) -> Call {
    let (name, words) = text.split_once('(').unwrap_or((text, ""));
    (
        name.to_lowercase()
            .replace('_', "-")
            .replace("bcast", "broadcast"),
        words == "Kn)",
    )
}

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    GUIDELINES.into_iter().map(claim).collect()
}

fn claim((id, statement): (&'static str, &'static str)) -> Claim {
    let (left, right) = statement.split_once(" <= ").unwrap_or_default();
    let (left, right): (Call, Vec<Call>) = (call(left), right.split(" + ").map(call).collect());
    let shown = left.clone();
    let axes = [
        Axis::few("L", &[1, 20]),
        Axis::few("o", &[2]),
        Axis::few("g", &[1, 4]),
        Axis::range("K", 2, 12),
        Axis::few("n", &[1, 7, 60]),
        Axis::few("c", &[0, 3]),
    ];
    Claim::new(
        Paper::Guidelines,
        id,
        "guidelines for collectives",
        statement,
    )
    .noted("costs of the best algorithms of the catalogue")
    .on(axes)
    .repeated(move |v| line(&shown, v))
    .checked(move |v| {
        let least = cost(&left, v)?;
        let together = right.iter().try_fold(0, |sum: u64, call| {
            Ok::<_, Cause>(sum.checked_add(cost(call, v)?).ok_or(Error::Overflow)?)
        })?;
        Ok(Outcome::new(least <= together, || {
            format!("cost {least}, the others {together}")
        }))
    })
}

/// What shows the cost of a call.
fn line((name, is_all): &Call, v: &[u64]) -> String {
    let &[L, o, g, K, n, c] = v else {
        return String::new();
    };
    let combines = catalogue::problem(name)
        .is_some_and(|problem| problem.axes().iter().any(|axis| axis.key == "c"));
    let c = if combines {
        format!(" -c {c}")
    } else {
        String::new()
    };
    format!(
        "best --problem {name} -L {L} -o {o} -g {g} -K {K} -n {}{c}",
        if *is_all { K * n } else { n }
    )
}

/// The cost of the best algorithm of the catalogue.
fn cost((name, is_all): &Call, v: &[u64]) -> Result<u64, Cause> {
    let &[.., K, n, _] = v else {
        return Err(Error::Overflow.into());
    };
    let words = if *is_all { K * n } else { n };
    let mut least = None;
    for entry in entries()
        .iter()
        .filter(|entry| entry.problem().name() == name)
    {
        // Segments of one size, which all algorithms that segment accept.
        for m in (1..=words).filter(|&m| words.is_multiple_of(m)) {
            let value = |key: &str| match key {
                "n" => Some(words),
                "m" => Some(m),
                key => by_key(&["L", "o", "g", "K", "n", "c"], v)(key),
            };
            // Other claims execute these algorithms; here only those without a formula are executed.
            for limits in [Limits { nodes: 0, hops: 0 }, LIMITS] {
                let Some(evaluation) = evaluated(entry, &limits, value)? else {
                    break;
                };
                if let Some(Exact::Integer(cost)) =
                    evaluation.analytic.or_else(|| evaluation.simulated.cost())
                {
                    least = Some(least.map_or(cost, |least: u64| least.min(cost)));
                    break;
                }
            }
        }
    }
    least.ok_or_else(|| Error::Overflow.into())
}
