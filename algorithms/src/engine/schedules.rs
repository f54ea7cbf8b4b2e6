//! Schedules of multicast trees and of summation as programs.

use super::builder::Builder;
use super::fault::Fault;
use super::program::{Operation, Program};
use super::step::{Kind, MAX_OPERATIONS, NONE, Step};
use crate::logp::multicast::schedule::Schedule;
use crate::logp::summation::schedule::{self as summation, Operation as Addition};

/// The program of a multicast tree: a node receives, except the source, then sends to its targets in order. Node v is processor
/// v - 1; every message has `bytes` bytes.
///
/// # Errors
/// [`Fault::Unmatched`] for a schedule that is no tree: a node gets the message never or twice.
pub fn multicast(schedule: &Schedule, bytes: u64) -> Result<Program, Fault> {
    tree(schedule, bytes).map_or_else(|| any(schedule, bytes), Ok)
}

/// The program of a schedule that reaches every node once, else none. It equals that of [`any`] and takes a third of the time,
/// because the messages need no matching.
fn tree(schedule: &Schedule, bytes: u64) -> Option<Program> {
    let nodes = schedule.nodes();
    let sends = nodes.checked_sub(1)?;
    let source = schedule.source().checked_sub(1).filter(|&source| source < nodes)?;
    if schedule.sends() != sends as usize || sends == 0 || nodes > MAX_OPERATIONS / 2 {
        return None;
    }
    let operations = 2 * sends as usize;
    let mut ranges = Vec::with_capacity(nodes as usize);
    let mut steps = Vec::with_capacity(operations);
    // All nodes but the source receive; messages are numbered by receiver.
    let message_to = |processor: u32| processor - u32::from(processor > source);
    let mut next = 0;
    for processor in 0..nodes {
        let start = next;
        if processor != source {
            steps.push(Step { code: Kind::Receive.code(0), peer: NONE, message: message_to(processor) });
            next += 1;
        }
        for &target in schedule.targets(processor + 1) {
            let to = target.checked_sub(1).filter(|&to| to < nodes && to != source)?;
            steps.push(Step { code: Kind::Send.code(0), peer: to, message: message_to(to) });
            next += 1;
        }
        ranges.push((start, next));
    }
    for processor in 0..nodes {
        for &target in schedule.targets(processor + 1) {
            let receive = ranges[target as usize - 1].0;
            if std::mem::replace(&mut steps[receive as usize].peer, processor) != NONE {
                return None;
            }
        }
    }
    Some(Program { steps, sizes: vec![bytes], sent: sends, ..Program::idle(ranges) })
}

/// The program of any schedule.
fn any(schedule: &Schedule, bytes: u64) -> Result<Program, Fault> {
    let nodes = schedule.nodes();
    // A node that is not reached waits for the source, which sends it nothing: the builder refuses that.
    let mut sender = vec![schedule.source(); nodes as usize + 1];
    for node in 1..=nodes {
        for &target in schedule.targets(node) {
            if let Some(known) = sender.get_mut(target as usize) {
                *known = node;
            }
        }
    }
    let mut builder = Builder::new(nodes)?;
    builder.reserve(nodes as usize + schedule.sends());
    for node in 1..=nodes {
        builder.begin(node - 1)?;
        if node != schedule.source() {
            // Node 0 is none.
            let from = sender[node as usize].checked_sub(1).unwrap_or(nodes);
            builder.push(Operation::Receive { from, tag: 0, bytes })?;
        }
        for &target in schedule.targets(node) {
            builder.push(Operation::Send { to: target.checked_sub(1).unwrap_or(nodes), tag: 0, bytes })?;
        }
    }
    builder.in_order()
}

/// The program of a summation: an addition takes one time unit, and a partial sum `bytes` bytes.
///
/// # Errors
/// [`Fault::Unmatched`] for a partial sum that no processor receives.
pub fn summation(schedule: &summation::Schedule, bytes: u64) -> Result<Program, Fault> {
    let mut builder = Builder::new(schedule.processors())?;
    for processor in 0..schedule.processors() {
        builder.begin(processor)?;
        for step in schedule.program(processor) {
            builder.push(match *step {
                Addition::Add { operands } => Operation::Compute { time: operands },
                Addition::Combine { .. } => Operation::Compute { time: 1 },
                Addition::Receive { from } => Operation::Receive { from, tag: 0, bytes },
                Addition::Send { to } => Operation::Send { to, tag: 0, bytes },
            })?;
        }
    }
    builder.in_order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::LogP;
    use crate::logp::multicast::problem::LogpMulticast;
    use crate::problem::Problem as _;

    #[test]
    fn a_tree_becomes_the_program_that_the_builder_makes() {
        let model = LogP::new(6, 2, 4).unwrap();
        for entry in LogpMulticast::ENTRIES {
            let algorithm = entry.algorithm;
            for (nodes, source) in [(2, 1), (2, 2), (3, 2), (18, 1), (100, 33), (100, 100)] {
                let schedule = algorithm.schedule(model, nodes, source);
                let program = tree(&schedule, 8).unwrap();
                assert_eq!(program, any(&schedule, 8).unwrap(), "{}", entry.name);
            }
        }
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let refused = |nodes, source, sends: &[_]| {
            let schedule = Schedule::from_sends(nodes, source, sends);
            assert!(tree(&schedule, 1).is_none());
            multicast(&schedule, 1).unwrap_err()
        };
        assert!(matches!(refused(3, 1, &[(1, 2)]), Fault::Unmatched { from: 0, to: 2, .. }));
        assert!(matches!(refused(3, 1, &[(1, 2), (1, 2)]), Fault::Unmatched { to: 1, sends: 2, receives: 1, .. }));
        assert!(matches!(refused(3, 1, &[(1, 2), (2, 1)]), Fault::Unmatched { to: 0, sends: 1, receives: 0, .. }));
        assert!(matches!(refused(2, 1, &[(1, 3)]), Fault::NoSuchProcessor { named: 2, .. }));
        assert!(matches!(refused(2, 1, &[(1, 0)]), Fault::NoSuchProcessor { .. }));
        assert!(matches!(refused(2, 0, &[(1, 2)]), Fault::NoSuchProcessor { .. } | Fault::Unmatched { .. }));
        assert_eq!(multicast(&Schedule::from_sends(1, 1, &[]), 1).unwrap().operations(), 0);
        // Every node has a sender, but the message never arrives.
        let circle = multicast(&Schedule::from_sends(3, 1, &[(2, 3), (3, 2)]), 1).unwrap();
        let machine = crate::engine::Machine::LogP(LogP::new(6, 2, 4).unwrap());
        assert!(crate::engine::run(machine, &circle).is_err());
    }
}
