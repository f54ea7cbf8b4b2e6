//! Executes a gossip schedule under the rules of H*. It knows the mesh and the rules and no algorithm.

use super::{MAX_SIDE, Rounds, Transfer};
pub use crate::rounds::Trace;
use crate::rounds::{self, Network};
use crate::violation::{Rule, Violation};

/// Executes `schedule` on the `n x n` mesh.
///
/// Cost: linear in the transfers, n^4 bits of memory; at most n = [`MAX_SIDE`].
///
/// # Errors
/// The first [`Violation`] in the order in which the schedule names its transfers; at the end, a node that lacks a
/// message.
///
/// ```
/// # use castbench_algorithms::internals::mesh::gossip::lower_bound;
/// # use castbench_algorithms::internals::mesh::gossip::simulator::simulate;
/// let optimal = castbench_algorithms::internals::mesh::gossip::problem::GOSSIPS.find("gossip-optimal").unwrap();
/// let trace = simulate(6, &mut *optimal.schedule(6)?)?;
/// assert_eq!((trace.last, trace.repeated), (lower_bound(6).try_into()?, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(n: u32, schedule: &mut dyn Rounds) -> Result<Trace, Violation> {
    observe(n, schedule, |_, _| {})
}

/// Executes `schedule` and reports the checked transfers of each step, counted from 1.
///
/// # Errors
/// Errors of [`simulate`].
pub fn observe(
    n: u32,
    schedule: &mut dyn Rounds,
    checked: impl FnMut(u64, &[Transfer]),
) -> Result<Trace, Violation> {
    let text = || format!("a mesh of side {n} is not simulated: expected 1 to {MAX_SIDE}");
    Rule::TooLarge.unless((1..=MAX_SIDE).contains(&n), text)?;
    let nodes = n * n;
    let right = (0..nodes).map(|node| (node % n + 1 < n).then_some(false));
    let down = (0..nodes).map(|node| (node / n + 1 < n).then_some(false));
    let idle: Vec<_> = right.chain(down).collect();
    let network = Links {
        n,
        in_use: idle.clone(),
        idle,
    };
    rounds::observe(
        nodes,
        (nodes, |message| message),
        network,
        schedule,
        checked,
    )
}

struct Links {
    n: u32,
    /// Whether the link from each node to the next one in its row, then in its column, is in use; none beyond the edge.
    in_use: Vec<Option<bool>>,
    /// What `in_use` is between two steps: no link is in use.
    idle: Vec<Option<bool>>,
}

impl Network for Links {
    #[inline]
    fn take(&mut self, step: u64, Transfer { from, to, .. }: Transfer) -> Result<(), Violation> {
        let low = from.min(to);
        let index = match from.abs_diff(to) {
            1 => Some(low),
            apart if apart == self.n => Some(self.n * self.n + low),
            _ => None,
        };
        match index.and_then(|index| self.in_use[index as usize].as_mut()) {
            Some(in_use) if !*in_use => *in_use = true,
            link => return Err(broken(step, (from, to), link.is_some())),
        }
        Ok(())
    }

    fn free(&mut self, _: &[Transfer]) {
        self.in_use.copy_from_slice(&self.idle);
    }
}

/// The rule that a transfer breaks.
#[cold]
fn broken(step: u64, (from, to): (u32, u32), has_link: bool) -> Violation {
    let (rule, text) = if has_link {
        (
            Rule::LinkInUse,
            format!("node {from} sends over the link to node {to}, which is in use already"),
        )
    } else {
        (
            Rule::NoLink,
            format!("no link leads from node {from} to node {to}"),
        )
    };
    rule.broken(format_args!("step {step}: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Schedule = Vec<Vec<Transfer>>;

    fn transfer((from, to, message): (u32, u32, u32)) -> Transfer {
        Transfer { from, to, message }
    }

    /// On 2x2 all messages go round in one direction: nodes 0, 1, 3, 2.
    fn round() -> Schedule {
        let steps = [
            [(0, 1, 0), (1, 3, 1), (3, 2, 3), (2, 0, 2)],
            [(0, 1, 2), (1, 3, 0), (3, 2, 1), (2, 0, 3)],
            [(0, 1, 3), (1, 3, 2), (3, 2, 0), (2, 0, 1)],
        ];
        steps.map(|step| step.map(transfer).to_vec()).to_vec()
    }

    fn run(schedule: &Schedule) -> Result<Trace, Violation> {
        simulate(2, &mut schedule.iter())
    }

    /// Steps, transfers and repeated transfers.
    fn counts(n: u32, schedule: &Schedule) -> (u64, u64, u64) {
        let trace = simulate(n, &mut schedule.iter()).unwrap();
        (trace.last, trace.sends, trace.repeated)
    }

    fn not_held(step: u64, node: u32, message: u32) -> Result<Trace, Violation> {
        let text = format_args!(
            "round {step}: node {node} sends message {message}, which it did not hold before the round"
        );
        Err(Rule::NotHeld.broken(text))
    }

    fn no_link(step: u64, from: u32, to: u32) -> Result<Trace, Violation> {
        Err(Rule::NoLink.broken(format_args!(
            "step {step}: no link leads from node {from} to node {to}"
        )))
    }

    fn in_use(step: u64, from: u32, to: u32) -> Result<Trace, Violation> {
        let text = format_args!(
            "step {step}: node {from} sends over the link to node {to}, which is in use already"
        );
        Err(Rule::LinkInUse.broken(text))
    }

    fn missing(count: u32, node: u32, message: u32) -> Result<Trace, Violation> {
        let text =
            format_args!("{count} of 4 nodes never get message {message}, node {node} among them");
        Err(Rule::Missing.broken(text))
    }

    /// The round with one transfer (step and index from 0) replaced.
    fn with(step: usize, index: usize, other: (u32, u32, u32)) -> Result<Trace, Violation> {
        let mut schedule = round();
        schedule[step][index] = transfer(other);
        run(&schedule)
    }

    #[test]
    fn a_schedule_that_keeps_the_rules_is_counted() {
        assert_eq!(counts(2, &round()), (3, 12, 0));
        assert_eq!(counts(1, &Schedule::new()), (0, 0, 0));
        // A step without transfers counts, unless all is done before.
        let mut schedule = round();
        schedule.insert(1, Vec::new());
        schedule.push(Vec::new());
        assert_eq!(counts(2, &schedule), (4, 12, 0));
    }

    #[test]
    fn what_a_receiver_holds_already_is_counted() {
        let mut schedule = round();
        schedule.push(vec![transfer((1, 0, 3))]);
        assert_eq!(counts(2, &schedule), (3, 13, 1));
        // Node 3 gets message 0 from both sides in step 2; then the others go round one by one.
        let mut schedule = vec![
            vec![transfer((0, 1, 0)), transfer((0, 2, 0))],
            vec![transfer((1, 3, 0)), transfer((2, 3, 0))],
        ];
        let others = [
            (1, 3, 1),
            (3, 2, 1),
            (2, 0, 1),
            (2, 0, 2),
            (0, 1, 2),
            (1, 3, 2),
            (3, 2, 3),
            (2, 0, 3),
            (0, 1, 3),
        ];
        schedule.extend(others.map(|other| vec![transfer(other)]));
        assert_eq!(counts(2, &schedule), (11, 13, 1));
    }

    #[test]
    fn a_sender_holds_what_it_sends() {
        assert_eq!(with(0, 0, (0, 1, 2)), not_held(1, 0, 2));
        assert_eq!(with(1, 2, (3, 2, 0)), not_held(2, 3, 0));
    }

    #[test]
    fn what_arrives_in_a_step_is_not_sent_on_in_it() {
        let early = not_held(1, 1, 0);
        assert_eq!(with(0, 1, (1, 3, 0)), early);
        let mut schedule = round();
        schedule[0] = vec![transfer((1, 3, 0)), transfer((0, 1, 0))];
        assert_eq!(run(&schedule), early);
    }

    #[test]
    fn a_link_carries_one_message_a_step() {
        assert_eq!(with(0, 1, (0, 1, 0)), in_use(1, 0, 1));
        assert_eq!(with(0, 1, (1, 0, 1)), in_use(1, 1, 0));
        assert_eq!(with(2, 3, (3, 1, 3)), in_use(3, 3, 1));
    }

    #[test]
    fn messages_cross_links_only() {
        assert_eq!(with(0, 0, (0, 3, 0)), no_link(1, 0, 3));
        assert_eq!(with(0, 2, (2, 1, 2)), no_link(1, 2, 1));
        assert_eq!(with(1, 0, (0, 0, 0)), no_link(2, 0, 0));
        // On 3x3: the end of a row and the beginning of the next, and every other pair that is not 1 apart.
        for from in 0..9u32 {
            for to in 0..9u32 {
                let schedule = [vec![transfer((from, to, from))]];
                let apart = (from % 3).abs_diff(to % 3) + (from / 3).abs_diff(to / 3);
                let refused = simulate(3, &mut schedule.iter()) == no_link(1, from, to);
                assert_eq!(refused, apart != 1, "{from} to {to}");
            }
        }
    }

    #[test]
    fn nodes_and_messages_are_there() {
        let no_node = |step, from, to, nodes| {
            let text =
                format_args!("round {step}: node {from} sends to {to}, of {nodes} nodes from 0");
            Err(Rule::NoSuchNode.broken(text))
        };
        assert_eq!(with(1, 3, (2, 4, 2)), no_node(2, 2, 4, 4));
        assert_eq!(with(1, 3, (4, 2, 2)), no_node(2, 4, 2, 4));
        assert_eq!(with(0, 0, (u32::MAX, 0, 0)), no_node(1, u32::MAX, 0, 4));
        let no_message = |message: u32| {
            let text =
                format_args!("round 1: node 0 sends message {message}, of 4 messages from 0");
            Err(Rule::NoSuchMessage.broken(text))
        };
        assert_eq!(with(0, 0, (0, 1, 4)), no_message(4));
        assert_eq!(with(0, 0, (0, 1, u32::MAX)), no_message(u32::MAX));
        let alone = [vec![transfer((0, 1, 0))]];
        assert_eq!(simulate(1, &mut alone.iter()), no_node(1, 0, 1, 1));
    }

    #[test]
    fn who_is_left_without_a_message_is_named() {
        let mut schedule = round();
        schedule[2].pop();
        assert_eq!(run(&schedule), missing(1, 0, 1));
        schedule.pop();
        assert_eq!(run(&schedule), missing(1, 2, 0));
        assert_eq!(run(&Vec::new()), missing(3, 1, 0));
        // An idle link is no violation, but its message is missing.
        assert_eq!(with(2, 0, (1, 0, 0)), missing(1, 1, 3));
    }

    #[test]
    fn the_end_of_a_schedule_is_checked_though_all_is_done() {
        let mut schedule = round();
        schedule.push(vec![transfer((0, 3, 0))]);
        assert_eq!(run(&schedule), no_link(4, 0, 3));
    }

    #[test]
    fn sides_that_cannot_be_held_in_memory_are_refused() {
        for n in [0, MAX_SIDE + 1, u32::MAX] {
            assert_eq!(
                simulate(n, &mut Schedule::new().iter()).unwrap_err().rule,
                Rule::TooLarge
            );
        }
    }
}
