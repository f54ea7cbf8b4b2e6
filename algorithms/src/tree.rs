//! A multicast tree of your own under LogP: its cost, its execution, an audit and the lower bound.
//!
//! Nodes are `1..=K`, and one of them is the source. A [`Schedule`] says to which nodes each node sends and in which order. Each
//! function judges it in its own way: [`cost`] by a recurrence along the tree, [`simulate`] by executing it event by event,
//! [`audit()`] by checking given times against the rules of LogP. Agreement is evidence; the crate's own algorithms have to pass
//! the same test.

pub use crate::logp::multicast::audit::TimedSend;
pub use crate::logp::multicast::schedule::Schedule;
pub use crate::logp::multicast::simulator::Trace;

use crate::cost::LARGEST;
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::rules::{check_reached, check_send, check_source, twice};
use crate::logp::multicast::schedule::check_size;
use crate::logp::multicast::{audit, check_instance, optimal, simulator};

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
            let gaps = number.checked_mul(model.gap()).and_then(|gaps| gaps.checked_add(model.D()));
            let time =
                gaps.and_then(|gaps| gaps.checked_add(since)).filter(|&time| time <= LARGEST).ok_or(Error::Overflow)?;
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

/// Executes a schedule event by event, every send as early as the rules of LogP allow.
///
/// # Errors
/// Errors of [`cost`].
pub fn simulate(model: LogP, schedule: &Schedule) -> Result<Trace, Error> {
    simulator::simulate(model, schedule)
}

/// Checks timed sends against every rule of LogP, and returns when the last of `nodes` nodes holds the message. The times can
/// come from [`Trace::timed`], from another program or from a measurement.
///
/// Every node receives exactly once, a sender holds the message when it sends, its sends are `g` apart and occupy it for `o`
/// each, and at most `ceil(L/g')` of its messages are in transit.
///
/// # Errors
/// [`Error::Rejected`] with the first rule that is broken; [`Error::Overflow`].
pub fn audit(model: LogP, nodes: u32, source: u32, sends: Vec<TimedSend>) -> Result<u64, Error> {
    check_size(nodes)?;
    Ok(audit::audit(model, nodes, source, sends)?)
}

/// The least time in which any multicast reaches K nodes.
///
/// # Errors
/// [`Error::Parameter`] for `K = 0`; [`Error::Overflow`].
pub fn lower_bound(model: LogP, K: u64) -> Result<u64, Error> {
    check_instance(K, 1)?;
    optimal::time(model, K)
}
