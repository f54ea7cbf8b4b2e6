//! The cost of a tree by a recurrence along it, which executes nothing.

use super::rules::{check_reached, check_send, check_source, twice};
use super::schedule::Schedule;
use crate::cost::LARGEST;
use crate::error::Error;
use crate::logp::LogP;

/// When the last node holds the message, by recurrence: child number i of a node, from 0, holds it `i*g' + D` after the node.
///
/// Cost: linear in nodes and sends.
///
/// # Errors
/// [`Error::Rejected`] where a node is reached twice or never or sends to itself, or where a source or receiver is no node;
/// [`Error::Overflow`].
pub fn cost(model: LogP, schedule: &Schedule) -> Result<u64, Error> {
    let (nodes, source) = (schedule.nodes(), schedule.source());
    check_source(source, nodes)?;
    let mut held = vec![None; nodes as usize];
    held[source as usize - 1] = Some(0);
    let (mut reached, mut next, mut last) = (vec![(source, 0u64)], 0, 0);
    while let Some(&(sender, since)) = reached.get(next) {
        next += 1;
        for (number, &receiver) in (0u64..).zip(schedule.targets(sender)) {
            let gaps = number
                .checked_mul(model.gap())
                .and_then(|gaps| gaps.checked_add(model.D()));
            let time = gaps
                .and_then(|gaps| gaps.checked_add(since))
                .filter(|&time| time <= LARGEST)
                .ok_or(Error::Overflow)?;
            check_send(sender, receiver, nodes)?;
            if held[receiver as usize - 1].replace(time).is_some() {
                return Err(twice(sender, receiver, time - model.o()).into());
            }
            last = last.max(time);
            reached.push((receiver, time));
        }
    }
    check_reached(&held, &None)?;
    Ok(last)
}
