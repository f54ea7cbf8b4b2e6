//! The schedules of multicast trees and of summation as programs.

use super::fault::Fault;
use super::program::{Builder, Operation, Program};
use crate::logp::schedule::Schedule;
use crate::logp::summation::schedule::{self as summation, Operation as Step};

/// The program of a multicast tree: whoever is not the source receives, then sends to its targets in their order. Node v
/// is processor v - 1, every message has `bytes` bytes.
///
/// # Errors
/// [`Fault::Unmatched`] for what is no tree: a node that gets the message never or twice.
pub fn multicast(schedule: &Schedule, bytes: u64) -> Result<Program, Fault> {
    let nodes = schedule.nodes();
    // Who is not reached waits for the source, which sends it nothing: a receive that is refused.
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
            builder.push(Operation::Receive { from: sender[node as usize].wrapping_sub(1), tag: 0, bytes })?;
        }
        for &target in schedule.targets(node) {
            builder.push(Operation::Send { to: target.wrapping_sub(1), tag: 0, bytes })?;
        }
    }
    builder.in_order()
}

/// The program of a summation: an addition takes one time unit, and a partial sum `bytes` bytes.
///
/// # Errors
/// [`Fault::Unmatched`] for a partial sum that nobody takes in.
pub fn summation(schedule: &summation::Schedule, bytes: u64) -> Result<Program, Fault> {
    let mut builder = Builder::new(schedule.processors())?;
    for processor in 0..schedule.processors() {
        builder.begin(processor)?;
        for step in schedule.program(processor) {
            builder.push(match *step {
                Step::Add { operands } => Operation::Compute { time: operands },
                Step::Combine { .. } => Operation::Compute { time: 1 },
                Step::Receive { from } => Operation::Receive { from, tag: 0, bytes },
                Step::Send { to } => Operation::Send { to, tag: 0, bytes },
            })?;
        }
    }
    builder.in_order()
}
