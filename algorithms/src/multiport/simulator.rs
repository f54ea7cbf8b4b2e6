//! Executes a broadcast round by round under the rules of the multiport model. It knows the model and no algorithm.
//!
//! The rules: every node and message exists; no node sends to itself; in a round a node sends at most k messages and receives at most k; it
//! sends only what it held *before* the round; at the end every node holds every message. Redundant messages, and several between two
//! nodes in a round, are allowed and counted.

use super::rounds::{Rounds, Transfer};
pub use crate::rounds::Trace;
use crate::rounds::{self, Network};
use crate::violation::{Rule, Violation};

/// Executes the rounds of a broadcast of m messages from node 0 to n nodes with k ports.
///
/// Cost: linear in the sends, and `n/64` for every message.
///
/// # Errors
/// The first [`Violation`] in the order of the rounds and of the sends within a round.
///
/// ```
/// # use castbench_algorithms::internals::multiport::simulator::simulate;
/// let trees = castbench_algorithms::internals::multiport::problem::ROUND_BROADCASTS.find("k-tree").unwrap();
/// let trace = simulate(14, 3, 6, &mut *trees.schedule(14, 3, 6)?)?;
/// assert_eq!((trace.rounds, trace.sends, trace.repeated), (trees.rounds(14, 3, 6)?, 6 * 13, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(n: u32, k: u32, m: u32, schedule: &mut dyn Rounds) -> Result<Trace, Violation> {
    observe(n, k, m, schedule, |_, _| {})
}

/// Executes the rounds and reports the checked sends of each round, counted from 1.
///
/// # Errors
/// Errors of [`simulate`].
pub fn observe(
    n: u32,
    k: u32,
    m: u32,
    schedule: &mut dyn Rounds,
    checked: impl FnMut(u64, &[Transfer]),
) -> Result<Trace, Violation> {
    let network = Ports {
        k,
        used: vec![(0, 0); n as usize],
    };
    rounds::observe(n, (m, |_| 0), network, schedule, checked)
}

struct Ports {
    k: u32,
    /// (sent, received) by each node in this round.
    used: Vec<(u32, u32)>,
}

impl Network for Ports {
    #[inline]
    fn take(&mut self, round: u64, Transfer { from, to, .. }: Transfer) -> Result<(), Violation> {
        let (sent, received) = (self.used[from as usize].0, self.used[to as usize].1);
        if from == to || sent.max(received) >= self.k {
            return Err(broken(round, self.k, (from, to), sent));
        }
        self.used[from as usize].0 += 1;
        self.used[to as usize].1 += 1;
        Ok(())
    }

    #[inline]
    fn free(&mut self, sends: &[Transfer]) {
        for send in sends {
            self.used[send.from as usize] = (0, 0);
            self.used[send.to as usize] = (0, 0);
        }
    }
}

/// The rule that a send breaks.
#[cold]
fn broken(round: u64, k: u32, (from, to): (u32, u32), sent: u32) -> Violation {
    let (rule, text) = if from == to {
        (Rule::ToItself, format!("node {from} sends to itself"))
    } else if sent >= k {
        (
            Rule::TooManySent,
            format!("node {from} sends more than its k = {k} ports allow"),
        )
    } else {
        (
            Rule::TooManyReceived,
            format!("node {to} receives more than its k = {k} ports allow"),
        )
    };
    rule.broken(format_args!("round {round}: {text}"))
}

#[cfg(test)]
pub(super) mod tests;
