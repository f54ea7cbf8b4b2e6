//! `--explain`: what a cost is spent on, along a critical path of the execution.

use std::fmt;

use algorithms::cost::{Exact, Limits};
use algorithms::error::Error;
use algorithms::internals::engine::waits::{self, Parts};
use algorithms::problem::{Instance, Refused};
use serde::{Serialize, Serializer};

use crate::base::failure::{Failure, Result};
use crate::base::units::{grouped, joined};

/// A part: its name, what it is, and its value.
pub(in super::super) type Part = (&'static str, &'static str, fn(&Parts) -> u64);

/// The parts, which sum to the cost.
pub(in super::super) const PARTS: [Part; 5] = [
    (
        "latency",
        "of the cost: messages of one byte or word on their way, L",
        |parts| parts.latency,
    ),
    (
        "overhead",
        "of the cost: ranks send and receive, o and O",
        |parts| parts.overhead,
    ),
    (
        "gap",
        "of the cost: ports wait for their next message, g",
        |parts| parts.gap,
    ),
    (
        "bandwidth",
        "of the cost: the further bytes or words of messages, G and H",
        |parts| parts.bandwidth,
    ),
    (
        "combining",
        "of the cost: ranks combine or compute, c",
        |parts| parts.computation,
    ),
];

/// Parts as text, and as an object with a key for each.
pub(in super::super) struct Split(pub Parts);

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = PARTS.map(|(name, _, value)| (name, value(&self.0)));
        let sum: u128 = values.iter().map(|(_, value)| u128::from(*value)).sum();
        let shown = values.into_iter().filter(|(_, value)| *value > 0);
        let share = |value: u64| (u128::from(value) * 100 + sum / 2) / sum.max(1);
        let shown =
            shown.map(|(name, value)| format!("{name} {} ({} %)", grouped(value), share(value)));
        f.write_str(&joined(", ", shown))
    }
}

impl Serialize for Split {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(PARTS.map(|(name, _, value)| (name, value(&self.0))))
    }
}

/// The parts of the cost of a point; none above these limits, and where sends are posted together.
///
/// # Errors
/// Exit code 2 for a problem in which no processor sends messages, 5 if no operation ends at the cost.
pub(in super::super) fn of_cost(
    instance: &Instance,
    cost: &Exact,
    limits: &Limits,
) -> Result<Option<Parts>> {
    let nothing_sent = || {
        Failure::usage(
            "--explain: this problem has no times of messages between processors; remove the option",
        )
    };
    let (machine, program) = match instance.program(limits, None) {
        Ok(run) => run.ok_or_else(nothing_sent)?,
        Err(Refused::TooLarge(_)) => return Ok(None),
        Err(refused) => return Err(refused.into()),
    };
    if program.is_posted_together() {
        return Ok(None);
    }
    let Exact::Integer(time) = cost else {
        return Err(nothing_sent());
    };
    waits::parts(machine, &program, *time)
        .map_err(Error::from)?
        .map(Some)
        .ok_or_else(|| {
            failure!(
                Disagreement,
                "--explain: no operation of the execution ends at the cost, {time}: both differ"
            )
        })
}
