//! Guidelines for self-consistent collectives: no function costs more than other functions that do its work.
//!
//! **Source.** Träff, Gropp, Thakur, "Self-consistent MPI performance guidelines", IEEE Transactions on Parallel and
//! Distributed Systems 21(5), 2010. A library breaks one by a poor choice of algorithm; the catalogue breaks one
//! only where it lacks an algorithm. The cost of a function is that of the best algorithm of the catalogue.

use super::claim::{Claim, Objection, Paper, hold};
use super::claim::{Point, entries_of};
use crate::cost::{Exact, Limits};
use crate::error::Error;

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

/// The problem of a call, `Reduce_scatter(n)` or `Bcast(Kn)`, and whether its vector has K·n words instead of n.
fn call(text: &str) -> (String, bool) {
    let (name, words) = text.split_once('(').unwrap_or((text, ""));
    let name = name.to_lowercase().replace('_', "-");
    (name.replace("bcast", "broadcast"), words == "Kn)")
}

/// All of them.
pub(super) fn claims() -> Vec<Claim> {
    GUIDELINES.into_iter().map(claim).collect()
}

fn claim((id, statement): (&'static str, &'static str)) -> Claim {
    const GRID: &str = "L = 1, 20; o = 2; g = 1, 4; K = 2..12; n = 1, 7, 60; c = 0, 3";
    let (left, right) = statement.split_once(" <= ").unwrap_or_default();
    let (problem, is_all) = call(left);
    let check = move |p: &Point<'_>, []: [u64; 0]| {
        let least = cost(p, left)?;
        let costs = right.split(" + ").map(|call| cost(p, call));
        let together: u64 = costs.sum::<Result<_, _>>()?;
        hold!(least <= together, "cost {least}, the others {together}")
    };
    Claim {
        id: id.into(),
        statement: statement.into(),
        note: "costs of the best algorithms of the catalogue",
        // Other claims execute these algorithms.
        limits: Limits { nodes: 0, hops: 0 },
        shown: format!("best --problem {problem}").into(),
        derived: Box::new(move |p, key, own| match key {
            "n" => Some(words(p, is_all)),
            _ => own,
        }),
        ..Claim::new(Paper::Guidelines, "guidelines for collectives", GRID, check)
    }
}

fn words(p: &Point<'_>, is_all: bool) -> u64 {
    let [_, _, _, K, n] = p.values();
    if is_all { K * n } else { n }
}

/// The cost of the best algorithm of the catalogue for a call.
fn cost(p: &Point<'_>, text: &str) -> Result<u64, Objection> {
    let (problem, is_all) = call(text);
    let words = words(p, is_all);
    let mut least = None;
    for entry in entries_of(&problem) {
        // Segments of one size, which all algorithms that segment accept.
        for m in (1..=words).filter(|&m| words.is_multiple_of(m)) {
            let cost = match p.evaluate(entry.name, &[("n", words), ("m", m)]) {
                Err(Objection::Outside) => continue,
                evaluation => evaluation?.analytic,
            };
            if let Some(Exact::Integer(cost)) = cost {
                least = Some(least.map_or(cost, |least: u64| least.min(cost)));
            }
        }
    }
    least.ok_or_else(|| Error::Overflow.into())
}
