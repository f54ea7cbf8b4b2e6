//! Rules on which node sends to which, which every execution and audit of a multicast checks.

use crate::violation::{Rule, Violation};

/// Checks that the source is a node.
pub(crate) fn check_source(source: u32, nodes: u32) -> Result<(), Violation> {
    let exists = (1..=nodes).contains(&source);
    Rule::NoSuchNode.unless(exists, || {
        format!("the source {source} is not one of the nodes 1 to {nodes}")
    })
}

/// Checks that a send joins two nodes.
#[inline]
pub(crate) fn check_send(sender: u32, receiver: u32, nodes: u32) -> Result<(), Violation> {
    let exist = (1..=nodes).contains(&sender) && (1..=nodes).contains(&receiver);
    Rule::NoSuchNode.unless(exist, || {
        format!("node {sender} sends to {receiver}; the nodes are 1 to {nodes}")
    })?;
    Rule::ToItself.unless(sender != receiver, || {
        format!("node {sender} sends to itself")
    })
}

/// A message that arrives at this time at a node that has it, or gets it from another.
#[cold]
pub(crate) fn twice(sender: u32, receiver: u32, time: u64) -> Violation {
    let text = format_args!(
        "node {receiver} gets the message a second time, from node {sender} at time {time}"
    );
    Rule::Twice.broken(text)
}

/// Checks that every node holds the message at some time.
pub(crate) fn check_reached<T: PartialEq>(held: &[T], never: &T) -> Result<(), Violation> {
    let Some(before) = held.iter().position(|time| time == never) else {
        return Ok(());
    };
    let count = held.iter().filter(|time| *time == never).count();
    Err(Rule::Missing.broken(format_args!(
        "{count} of {} nodes never get the message, node {} among them",
        held.len(),
        before + 1
    )))
}
