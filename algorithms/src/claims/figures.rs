//! The statements of Gu, Li, Liu, 2002, on their figures 6 and 7: multicast times of 1 MB and 4 MB messages at K = 8, 12, 18.
//! The paper gives no parameters of its machine, so the caller chooses one.

use super::claim::Point;
use super::claim::{Claim, Objection, Paper, Verdict, hold, only};
use crate::logp::loggops::LogGops;

/// Letter, statement, what is checked, and how.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    fn(&Point<'_>, LogGops, [u64; 2]) -> Verdict,
);

const ROWS: [Row; 3] = [
    (
        "a",
        "both times grow with K and with the size of the message",
        "each point against the next smaller one, exactly (the figures call a difference below 1 % none). Where relays are slow, a tree may serve more nodes in the same time",
        grows,
    ),
    (
        "b",
        "halving is slower than Fibonacci at every K",
        "halving is behind where a hop takes two gaps or more",
        |p, machine, at| {
            let [halving, fibonacci] = times(p, machine, at)?;
            hold!(
                halving > fibonacci,
                "halving {halving} ns, Fibonacci {fibonacci} ns"
            )
        },
    ),
    (
        "c",
        "the time of halving less that of Fibonacci grows with K",
        "each K against the next smaller one, exactly (the figures call a difference below 1 % none)",
        difference_grows,
    ),
];

const GRID: &str = "bytes = 1048576, 4194304; K = 8, 12, 18";

/// The times in ns of halving and of Fibonacci.
fn times(p: &Point<'_>, machine: LogGops, [bytes, K]: [u64; 2]) -> Result<[u64; 2], Objection> {
    let model = machine.at(bytes)?;
    let others = [
        ("L", model.L()),
        ("o", model.o()),
        ("g", model.g()),
        ("K", K),
    ];
    Ok([
        p.cost_at("halving", &others)?,
        p.cost_at("fibonacci", &others)?,
    ])
}

/// The value of [`GRID`] before this one.
fn before(value: u64) -> Option<u64> {
    let pairs = [[8, 12], [12, 18], [1_048_576, 4_194_304]];
    pairs
        .into_iter()
        .find(|[_, own]| *own == value)
        .map(|[other, _]| other)
}

fn grows(p: &Point<'_>, machine: LogGops, [bytes, K]: [u64; 2]) -> Verdict {
    let fewer = before(K).map(|K| [bytes, K]);
    let shorter = before(bytes).map(|bytes| [bytes, K]);
    only(fewer.or(shorter).is_some())?;
    let here = times(p, machine, [bytes, K])?;
    for at @ [bytes, K] in fewer.into_iter().chain(shorter) {
        let there = times(p, machine, at)?;
        for (tree, (now, less)) in ["halving", "Fibonacci"].iter().zip(here.iter().zip(there)) {
            hold!(
                *now > less,
                "{tree} {now} ns, as much as {less} ns for {bytes} bytes and K = {K}"
            )?;
        }
    }
    Ok(())
}

fn difference_grows(p: &Point<'_>, machine: LogGops, [bytes, K]: [u64; 2]) -> Verdict {
    let fewer = before(K).ok_or(Objection::Outside)?;
    let [a, b] = times(p, machine, [bytes, K])?;
    let [c, d] = times(p, machine, [bytes, fewer])?;
    // The differences are compared without negative numbers.
    let [now, less] = [(a, d), (c, b)].map(|(one, other)| u128::from(one) + u128::from(other));
    hold!(now > less, "{a} - {b} ns, at K = {fewer} {c} - {d} ns")
}

/// The three statements about the figures, on a machine of this name.
#[must_use]
pub fn figures(name: &str, machine: LogGops) -> [Claim; 3] {
    const SECTION: &str = "section 5, figures 6 and 7";
    ROWS.map(|(letter, statement, note, check)| Claim {
        id: format!("figures-{letter}-{name}").into(),
        statement: format!("on {name}: {statement}").into(),
        note,
        shown: format!("cost fibonacci --machine {name}").into(),
        ..Claim::new(Paper::Fibonacci, SECTION, GRID, move |p, at| {
            check(p, machine, at)
        })
    })
}
