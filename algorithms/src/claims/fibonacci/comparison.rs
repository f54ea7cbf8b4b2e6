//! The claims that Fibonacci is faster than halving for `g <= 0.3884·(L+2o)`, which the paper derives from (2) and (11).

use std::cmp::Ordering;

use super::PAPER;
use crate::claims::axis::Axis;
use crate::claims::claim::{Cause, Claim, Outcome, claim};
use crate::claims::trees::{machine, of_tree, time};
use crate::logp::LogP;
use crate::logp::multicast::fibonacci::Fibonacci;
use crate::logp::multicast::halving::Halving;

/// Machines with a hop up to 50 and a gap up to half of it, and nodes.
const THRESHOLD: [Axis; 4] = [
    Axis::range("L", 1, 50),
    Axis::few("o", &[0]),
    Axis::range("g", 1, 25),
    Axis::range("K", 3, 200),
];

/// Machines, nodes and sources.
const SOURCES: [Axis; 5] = [
    Axis::range("L", 1, 30),
    Axis::few("o", &[0]),
    Axis::range("g", 1, 12),
    Axis::range("K", 3, 40),
    Axis::range("source", 1, 40),
];

/// Compares the times of Fibonacci and halving, and gives both as text.
fn against_halving(
    model: LogP,
    K: u64,
    source: u64,
) -> Result<(Ordering, impl FnOnce() -> String), Cause> {
    let [fibonacci, halving] = [
        time(&Fibonacci, model, K, source)?,
        time(&Halving, model, K, source)?,
    ];
    Ok((fibonacci.cmp(&halving), move || {
        format!("Fibonacci {fibonacci}, halving {halving}")
    }))
}

/// Whether `g > 0.3884·(L+2o)`, about which the paper says nothing.
pub(super) fn is_above_threshold(model: LogP) -> bool {
    10_000 * model.gap() > 3_884 * model.D()
}

/// A check of both trees up to the paper's threshold, given K.
fn from_any_source(
    holds: fn(u64, Ordering) -> bool,
) -> impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static {
    move |v| match machine(v)? {
        Some(model) if v[4] <= v[3] && !is_above_threshold(model) => {
            let (order, times) = against_halving(model, v[3], v[4])?;
            Ok(Outcome::new(holds(v[3], order), times))
        }
        _ => Ok(Outcome::Outside),
    }
}

pub(super) fn claims() -> [Claim; 4] {
    [
        claim!(PAPER, "fibonacci-threshold", "section 4, after (11); abstract":
            "g <= 0.3884·(L+2o): Fibonacci is faster than halving")
        .on(THRESHOLD)
        .shown_by("cost fibonacci")
        .noted("from an edge; K = 1 and 2 are left out: there both trees are the same. Sufficient, not necessary")
        .checked(of_tree(move |model, K| {
            if is_above_threshold(model) {
                return Ok(Outcome::Outside);
            }
            let (order, times) = against_halving(model, K, 1)?;
            Ok(Outcome::new(order.is_lt(), times))
        })),
        claim!(PAPER, "fibonacci-threshold-any-source", "section 4, after (11); abstract":
            "g <= 0.3884·(L+2o): Fibonacci is faster than halving, wherever the source is")
        .on(SOURCES)
        .shown_by("cost fibonacci")
        .noted("a tie at most: the middle one of three nodes sends to the other two in both trees")
        .checked(from_any_source(|_, order| order.is_lt())),
        claim!("fibonacci-threshold-four" mends "fibonacci-threshold-any-source", "logp::multicast::fibonacci":
            "g <= 0.3884·(L+2o): Fibonacci is no slower than halving wherever the source is, and faster from K = 4 on")
        .on(SOURCES)
        .shown_by("cost fibonacci")
        .noted("checked, not proved")
        .checked(from_any_source(|K, order| if K < 4 { order.is_le() } else { order.is_lt() })),
        claim!("fibonacci-threshold-half" mends "fibonacci-threshold", "logp::multicast::fibonacci":
            "from an edge and K >= 3: Fibonacci is faster than halving where 2g < L+2o, and no slower where 2g = L+2o")
        .on(THRESHOLD)
        .shown_by("cost fibonacci")
        .noted("checked, not proved; at 2g = L+2o + 1 four nodes are enough to lose")
        .checked(of_tree(move |model, K| {
            let half = (2 * model.gap()).cmp(&model.D());
            let (order, times) = against_halving(model, K, 1)?;
            let holds = match half {
                Ordering::Less => order.is_lt(),
                Ordering::Equal => order.is_le(),
                Ordering::Greater => return Ok(Outcome::Outside),
            };
            Ok(Outcome::new(holds, times))
        })),
    ]
}
