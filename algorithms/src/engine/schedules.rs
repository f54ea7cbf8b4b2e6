//! Schedules of multicast trees and of summation as programs.

use super::builder::Builder;
use super::fault::Fault;
use super::program::{Operation, Program};
use super::step::{Kind, MAX_OPERATIONS, NONE, Step};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::recurrence;
use crate::logp::multicast::schedule::Schedule;
use crate::logp::summation::schedule::{self as summation, Operation as Addition};

/// The program of a multicast tree: a node receives, except the source, then sends to its targets in order. Node v is processor
/// v - 1; every message has `bytes` bytes.
///
/// # Errors
/// Errors of [`recurrence::cost`] for a schedule that is no tree: a node gets the message never or twice.
pub fn multicast(schedule: &Schedule, bytes: u64) -> Result<Program, Error> {
    let refused = || LogP::new(1, 0, 1).and_then(|model| recurrence::cost(model, schedule));
    tree(schedule, bytes).ok_or_else(|| refused().err().unwrap_or(Error::Overflow))
}

/// The program of a schedule in which every node has one sender, else none: it needs no matching of messages.
fn tree(schedule: &Schedule, bytes: u64) -> Option<Program> {
    let nodes = schedule.nodes();
    let sends = nodes.checked_sub(1)?;
    let source = schedule
        .source()
        .checked_sub(1)
        .filter(|&source| source < nodes)?;
    if schedule.sends() != sends as usize || nodes > MAX_OPERATIONS / 2 {
        return None;
    }
    // All nodes but the source receive, before they send; messages are numbered by receiver.
    let message_to = |processor: u32| processor - u32::from(processor > source);
    let mut ranges = Vec::with_capacity(nodes as usize);
    let mut steps = vec![
        Step {
            code: Kind::Receive.code(0),
            peer: NONE,
            message: NONE
        };
        2 * sends as usize
    ];
    let mut next = 0;
    for processor in 0..nodes {
        let start = next;
        next += u32::from(processor != source);
        for &target in schedule.targets(processor + 1) {
            let to = target
                .checked_sub(1)
                .filter(|&to| to < nodes && to != source)?;
            let message = message_to(to);
            steps[next as usize] = Step {
                code: Kind::Send.code(0),
                peer: to,
                message,
            };
            let receive = &mut steps[schedule.range(target).start + message as usize];
            if receive.peer != NONE {
                return None;
            }
            (receive.peer, receive.message) = (processor, message);
            next += 1;
        }
        ranges.push((start, next));
    }
    Some(Program {
        steps,
        sizes: vec![bytes],
        sent: sends,
        ..Program::idle(ranges)
    })
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
                Addition::Receive { from } => Operation::Receive {
                    from,
                    tag: 0,
                    bytes,
                },
                Addition::Send { to } => Operation::Send { to, tag: 0, bytes },
            })?;
        }
    }
    builder.in_order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::problem::MULTICASTS;
    use crate::violation::{Rule, Violation};

    #[test]
    fn a_tree_becomes_the_program_that_the_builder_makes() {
        let model = LogP::new(6, 2, 4).unwrap();
        for entry in MULTICASTS.entries {
            for (nodes, source) in [
                (1, 1),
                (2, 1),
                (2, 2),
                (3, 2),
                (18, 1),
                (100, 33),
                (100, 100),
            ] {
                let program =
                    multicast(&entry.algorithm.schedule(model, nodes, source), 8).unwrap();
                let mut builder = Builder::new(nodes).unwrap();
                for processor in 0..nodes {
                    builder.begin(processor).unwrap();
                    program
                        .range(processor)
                        .for_each(|it| _ = builder.push(program.operation(it)).unwrap());
                }
                let built = builder.in_order().unwrap();
                // Without messages the builder states no size.
                assert_eq!(
                    program,
                    Program {
                        sizes: program.sizes.clone(),
                        ..built
                    },
                    "{}",
                    entry.name
                );
            }
        }
    }

    #[test]
    fn a_summation_has_a_receive_for_each_partial_sum() {
        let (send, receive) = (
            |to| Addition::Send { to },
            |from| Addition::Receive { from },
        );
        let made = |programs: &[&[Addition]]| {
            let mut schedule = summation::Schedule::default();
            for program in programs {
                schedule.push(1, program.iter().copied());
            }
            summation(&schedule, 1)
        };
        // Two messages between two processors.
        let twice = made(&[&[receive(1), receive(1)], &[send(0), send(0)]]).unwrap();
        assert_eq!(twice.messages(), 2);
        let unmatched = |made| matches!(made, Err(Fault::Unmatched { .. }));
        assert!(unmatched(made(&[&[], &[send(0)]])));
        assert!(unmatched(made(&[&[receive(1)], &[]])));
        assert!(unmatched(made(&[&[receive(1), receive(1)], &[send(0)]])));
        assert!(unmatched(made(&[&[receive(1)], &[send(2)], &[]])));
        let is_unknown = |made| matches!(made, Err(Fault::NoSuchProcessor { named: 2, .. }));
        assert!(is_unknown(made(&[&[], &[send(2)]])));
        assert!(is_unknown(made(&[&[receive(2)], &[]])));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        let refused = |nodes, source, sends: &[_]| {
            let error = multicast(&Schedule::from_sends(nodes, source, sends), 1).unwrap_err();
            error.violation::<Violation>().unwrap().rule
        };
        assert_eq!(refused(3, 1, &[(1, 2)]), Rule::Missing);
        assert_eq!(refused(3, 1, &[(1, 2), (1, 2)]), Rule::Twice);
        assert_eq!(refused(3, 1, &[(1, 2), (2, 1)]), Rule::Twice);
        assert_eq!(refused(2, 1, &[(1, 3)]), Rule::NoSuchNode);
        assert_eq!(refused(2, 1, &[(1, 0)]), Rule::NoSuchNode);
        assert_eq!(refused(2, 0, &[(1, 2)]), Rule::NoSuchNode);
        assert_eq!(
            multicast(&Schedule::from_sends(1, 1, &[]), 1)
                .unwrap()
                .operations(),
            0
        );
        // Every node has a sender, but the message never arrives.
        let circle = multicast(&Schedule::from_sends(3, 1, &[(2, 3), (3, 2)]), 1).unwrap();
        let machine = crate::engine::Machine::LogP(LogP::new(6, 2, 4).unwrap());
        assert!(crate::engine::run(machine, &circle).is_err());
    }
}
