//! The schedule of a multicast: the receivers of every node, in order.
//!
//! A schedule has no times: the simulator computes them by the rules of the model.

use crate::cost::Limits;
use crate::error::{Error, refuse_if};
use crate::plan::Family;

/// A multicast: the receivers of every node, in order. Nodes are `1..=K`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    nodes: u32,
    source: u32,
    /// `targets[first[v - 1]..first[v]]` are the receivers of node v.
    first: Vec<u32>,
    targets: Vec<u32>,
}

impl Schedule {
    /// A schedule from `(sender, receiver)` pairs. The sends of one node stand in the order in which it makes them; pairs of
    /// different nodes can be interleaved.
    ///
    /// The source and the receivers are checked later, by [`cost`](crate::tree::cost) and [`simulate`](crate::tree::simulate).
    ///
    /// Cost: linear in nodes and sends.
    ///
    /// # Errors
    /// [`Error::Parameter`] above 2^26 nodes, and for a sender outside `1..=nodes`.
    pub fn new(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Result<Self, Error> {
        check_size(nodes)?;
        match sends
            .iter()
            .find(|(sender, _)| !(1..=nodes).contains(sender))
        {
            Some((sender, _)) => Err(Error::parameter(
                "sender",
                sender,
                format!("expected one of the nodes 1 to {nodes}"),
            )),
            None => Ok(Self::from_sends(nodes, source, sends)),
        }
    }

    /// [`Schedule::new`] for an algorithm, whose senders are nodes. Another sender's sends are left out; the simulator then
    /// finds the nodes that are not reached.
    pub(crate) fn from_sends(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Self {
        let known = |&&(sender, _): &&(u32, u32)| (1..=nodes).contains(&sender);
        let mut first = vec![0u32; nodes as usize + 2];
        for (sender, _) in sends.iter().filter(known) {
            first[*sender as usize + 1] += 1;
        }
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut targets = vec![0; first.pop().unwrap_or(0) as usize];
        for &(sender, receiver) in sends.iter().filter(known) {
            // From the start of the sender's targets to their end.
            let slot = &mut first[sender as usize];
            targets[*slot as usize] = receiver;
            *slot += 1;
        }
        Self {
            nodes,
            source,
            first,
            targets,
        }
    }

    /// A tree of numbers that count from the source, whose positions wrap at `nodes`.
    pub(crate) fn from_family(nodes: u32, source: u32, family: impl Fn(u64) -> Family) -> Self {
        let at = |number| from_source(nodes, source, number);
        let mut sends = Vec::with_capacity(nodes as usize - 1);
        for number in 0..nodes.into() {
            let children = family(number).children.into_iter();
            sends.extend(children.map(|(child, _)| (at(number), at(child))));
        }
        Self::from_sends(nodes, source, &sends)
    }

    /// How many nodes take part, the source included.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Where the message starts.
    #[must_use]
    pub fn source(&self) -> u32 {
        self.source
    }

    /// How many messages are sent in all.
    #[must_use]
    pub fn sends(&self) -> usize {
        self.targets.len()
    }

    /// The receivers of `node`, in the order in which it sends to them; none for a node outside `1..=nodes`.
    #[must_use]
    pub fn targets(&self, node: u32) -> &[u32] {
        &self.targets[self.range(node)]
    }

    /// The numbers of the sends of `node`.
    pub(crate) fn range(&self, node: u32) -> std::ops::Range<usize> {
        match self
            .first
            .get((node as usize).wrapping_sub(1)..=node as usize)
        {
            Some(&[start, end]) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// The receiver of the send with this number.
    pub(crate) fn target(&self, send: usize) -> u32 {
        self.targets[send]
    }
}

/// Refuses more nodes than are executed, before memory is allocated for them.
pub(crate) fn check_size(nodes: u32) -> Result<(), Error> {
    refuse_if!(u64::from(nodes) > Limits::MAX_NODES, "nodes" = nodes => "expected at most {}", Limits::MAX_NODES);
    Ok(())
}

/// The position of the node with this number; numbers count from 0 at the source, positions wrap at `nodes`.
pub(crate) fn from_source(nodes: u32, source: u32, number: u64) -> u32 {
    let position = (u64::from(source - 1) + number) % u64::from(nodes);
    // Below `nodes`.
    u32::try_from(position).unwrap_or(0) + 1
}

/// The split of an interval: the part that the source gives away, and the node that leads it.
pub(crate) struct Split {
    /// First and last position of the part given away.
    pub part: (u32, u32),
    /// The node in that part which receives the message.
    pub leader: u32,
}

impl Split {
    /// The first positions, to a leader among them.
    pub fn first(given: u32, leader: u32) -> Self {
        let part = (1, given);
        Self { part, leader }
    }

    /// The last positions of `size`, to the first of them.
    pub fn last(given: u32, size: u32) -> Self {
        let leader = size - given + 1;
        let part = (leader, size);
        Self { part, leader }
    }
}

/// The sends of an interval algorithm, those of each node in order: a node that holds the message for `[left, right]` splits the interval until it is alone.
/// `split(size, at)` uses positions `1..=size`.
pub(crate) fn by_intervals(
    nodes: u32,
    source: u32,
    split: impl Fn(u32, u32) -> Split,
) -> Vec<(u32, u32)> {
    let mut sends = Vec::with_capacity(nodes as usize - 1);
    let mut pending = Vec::with_capacity(32);
    pending.push((1, nodes, source));
    while let Some((mut left, mut right, holder)) = pending.pop() {
        while left < right {
            let split = split(right - left + 1, holder - left + 1);
            let shift = left - 1;
            let (from, to, leader) = (
                split.part.0 + shift,
                split.part.1 + shift,
                split.leader + shift,
            );
            sends.push((holder, leader));
            pending.push((from, to, leader));
            if from == left {
                left = to + 1;
            } else {
                right = from - 1;
            }
        }
    }
    sends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_keep_their_order_per_node() {
        let schedule = Schedule::from_sends(4, 2, &[(2, 4), (4, 1), (2, 3)]);
        assert_eq!(schedule.targets(2), [4, 3]);
        assert_eq!(schedule.targets(4), [1]);
        assert!(schedule.targets(1).is_empty());
        assert_eq!(schedule.sends(), 3);
    }
}
