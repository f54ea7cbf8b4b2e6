//! The statements of Gu, Li, Liu, 2002, on their figures 6 and 7: multicast times of 1 MB and 4 MB messages at K = 8, 12, 18.
//! The paper gives no parameters of its machine, so the caller chooses one.

use std::cmp::Ordering;

use super::axis::Axis;
use super::claim::{Cause, Claim, Outcome, Paper, Repeat};
use super::trees::time;
use crate::logp::loggops::LogGops;
use crate::logp::multicast::fibonacci::Fibonacci;
use crate::logp::multicast::halving::Halving;

/// Their section of the paper.
pub const SECTION: &str = "section 5, figures 6 and 7";

/// The three statements: letter and text.
pub const STATEMENTS: [(&str, &str); 3] = [
    (
        "a",
        "both times grow with K and with the size of the message",
    ),
    ("b", "halving is slower than Fibonacci at every K"),
    (
        "c",
        "the time of halving less that of Fibonacci grows with K",
    ),
];

const BYTES: &[u64] = &[1 << 20, 4 << 20];
const NODES: &[u64] = &[8, 12, 18];

/// The times in ns of halving and of Fibonacci.
fn times(machine: LogGops, bytes: u64, K: u64) -> Result<[u64; 2], Cause> {
    let model = machine.at(bytes)?;
    Ok([time(&Halving, model, K, 1)?, time(&Fibonacci, model, K, 1)?])
}

/// The value before this one.
fn before(values: &[u64], value: u64) -> Option<u64> {
    values.iter().rev().copied().find(|&other| other < value)
}

/// The three statements about the figures, on a machine of this name.
#[must_use]
pub fn figures(name: &str, machine: LogGops) -> [Claim; 3] {
    let claim = |index: usize, note| {
        let (letter, statement) = STATEMENTS[index];
        Claim {
            id: format!("figures-{letter}-{name}").into(),
            statement: format!("on {name}: {statement}").into(),
            repeat: Repeat::Options(format!("cost fibonacci --machine {name}").into()),
            ..Claim::new(Paper::Fibonacci, "", SECTION, "")
                .on([Axis::few("bytes", BYTES), Axis::few("K", NODES)])
                .noted(note)
        }
    };
    [
        claim(
            0,
            "each point against the next smaller one, exactly (the figures call a difference below 1 % none). Where relays are slow, a tree may serve more nodes in the same time",
        )
        .checked(move |v| grows(machine, v[0], v[1])),
        claim(1, "halving is behind where a hop takes two gaps or more").checked(move |v| {
            let [halving, fibonacci] = times(machine, v[0], v[1])?;
            Ok(Outcome::new(halving > fibonacci, || format!("halving {halving} ns, Fibonacci {fibonacci} ns")))
        }),
        claim(2, "each K against the next smaller one, exactly (the figures call a difference below 1 % none)")
            .checked(move |v| difference_grows(machine, v[0], v[1])),
    ]
}

fn grows(machine: LogGops, bytes: u64, K: u64) -> Result<Outcome, Cause> {
    let here = times(machine, bytes, K)?;
    let smaller = [
        before(NODES, K).map(|K| (bytes, K)),
        before(BYTES, bytes).map(|bytes| (bytes, K)),
    ];
    if smaller == [None, None] {
        return Ok(Outcome::Outside);
    }
    for (bytes, K) in smaller.into_iter().flatten() {
        let there = times(machine, bytes, K)?;
        for (tree, (now, less)) in ["halving", "Fibonacci"]
            .into_iter()
            .zip(here.into_iter().zip(there))
        {
            if now <= less {
                return Ok(Outcome::Fails(format!(
                    "{tree} {now} ns, as much as {less} ns for {bytes} bytes and K = {K}"
                )));
            }
        }
    }
    Ok(Outcome::Holds)
}

fn difference_grows(machine: LogGops, bytes: u64, K: u64) -> Result<Outcome, Cause> {
    let Some(fewer) = before(NODES, K) else {
        return Ok(Outcome::Outside);
    };
    let [here, there] = [times(machine, bytes, K)?, times(machine, bytes, fewer)?];
    // Compares the differences between halving and Fibonacci, without negative numbers.
    let order = (u128::from(here[0]) + u128::from(there[1]))
        .cmp(&(u128::from(there[0]) + u128::from(here[1])));
    Ok(Outcome::new(order == Ordering::Greater, || {
        let [a, b] =
            [there, here].map(|[halving, fibonacci]| format!("{halving} - {fibonacci} ns"));
        format!("{b}, at K = {fewer} {a}")
    }))
}
