//! A multicast tree of your own under LogP: its cost, its execution, an audit and the lower bound.
//!
//! Nodes are `1..=K`, and one of them is the source. A [`Schedule`] says to which nodes each node sends and in which order. Each
//! function judges it in its own way: [`cost`] by a recurrence along the tree, [`simulate`] by executing it on the engine of all programs,
//! [`audit()`] by checking given times against the rules of LogP. Agreement is evidence; the crate's own algorithms have to pass
//! the same test.

pub use crate::logp::multicast::audit::TimedSend;
pub use crate::logp::multicast::recurrence::cost;
pub use crate::logp::multicast::schedule::Schedule;
pub use crate::logp::multicast::simulator::{Trace, simulate};

use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::schedule::check_size;
use crate::logp::multicast::{audit, check_instance, optimal};

/// Checks timed sends against every rule of LogP, and returns when the last of `nodes` nodes holds the message. The times can
/// come from [`Trace`], from another program or from a measurement.
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
