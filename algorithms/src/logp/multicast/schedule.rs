//! The schedule of a multicast: for every node, to whom it sends and in which order.
//!
//! A schedule carries no times. When each send happens is the business of the simulator, which knows
//! the model; a schedule knows the algorithm only.

/// A multicast as its nodes would run it. Nodes are positions `1..=K`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    nodes: u32,
    source: u32,
    /// `targets[first[v - 1]..first[v]]` are the receivers of node v.
    first: Vec<u32>,
    targets: Vec<u32>,
}

impl Schedule {
    /// Builds a schedule from `(sender, receiver)` pairs. The sends of one node must stand in the
    /// order in which it makes them; the nodes may be interleaved in any way.
    ///
    /// Takes any pairs between nodes `1..=nodes`, sensible or not: judging them is the simulator's work.
    ///
    /// Cost: linear in nodes and sends.
    ///
    /// # Panics
    /// If a sender lies outside `1..=nodes` or there are more than 2^32 - 1 sends.
    #[must_use]
    pub fn new(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Self {
        let mut first = vec![0u32; nodes as usize + 1];
        for &(sender, _) in sends {
            assert!((1..=nodes).contains(&sender), "sender {sender} is not one of 1..={nodes}");
            first[sender as usize] += 1;
        }
        for node in 1..first.len() {
            first[node] += first[node - 1];
        }
        let mut next = first.clone();
        let mut targets = vec![0; sends.len()];
        for &(sender, receiver) in sends {
            let slot = &mut next[sender as usize - 1];
            targets[*slot as usize] = receiver;
            *slot += 1;
        }
        Self { nodes, source, first, targets }
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

    /// The receivers of `node`, in the order it sends to them.
    ///
    /// # Panics
    /// If `node` is not one of `1..=nodes`.
    #[must_use]
    pub fn targets(&self, node: u32) -> &[u32] {
        &self.targets[self.range(node)]
    }

    /// Where the sends of `node` stand in the numbering of all sends.
    pub(crate) fn range(&self, node: u32) -> std::ops::Range<usize> {
        self.first[node as usize - 1] as usize..self.first[node as usize] as usize
    }

    /// The receiver of the send with this number.
    pub(crate) fn target(&self, send: usize) -> u32 {
        self.targets[send]
    }
}

/// The position of the node with this number, counted from 0 at the source and wrapping at the last of `nodes` positions.
pub(crate) fn from_source(nodes: u32, source: u32, number: u64) -> u32 {
    let position = (u64::from(source - 1) + number) % u64::from(nodes);
    // Below `nodes`.
    u32::try_from(position).unwrap_or(0) + 1
}

/// How an interval algorithm splits: the source at position `at` (from 1) of `size` nodes hands a part
/// of them to the node that leads it.
pub(crate) struct Split {
    /// First and last position of the part given away.
    pub part: (u32, u32),
    /// The node in that part which receives the message.
    pub leader: u32,
}

/// Executes an interval algorithm: whoever holds the message for `[left, right]` splits it until it
/// stands there alone. `split(size, at)` answers in positions `1..=size`.
pub(crate) fn by_intervals(nodes: u32, source: u32, split: impl Fn(u32, u32) -> Split) -> Schedule {
    let mut sends = Vec::with_capacity(nodes as usize - 1);
    let mut pending = vec![(1, nodes, source)];
    while let Some((mut left, mut right, holder)) = pending.pop() {
        while left < right {
            let split = split(right - left + 1, holder - left + 1);
            let shift = left - 1;
            let (from, to, leader) = (split.part.0 + shift, split.part.1 + shift, split.leader + shift);
            sends.push((holder, leader));
            pending.push((from, to, leader));
            if from == left {
                left = to + 1;
            } else {
                right = from - 1;
            }
        }
    }
    Schedule::new(nodes, source, &sends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sends_keep_their_order_per_node() {
        let schedule = Schedule::new(4, 2, &[(2, 4), (4, 1), (2, 3)]);
        assert_eq!(schedule.targets(2), [4, 3]);
        assert_eq!(schedule.targets(4), [1]);
        assert!(schedule.targets(1).is_empty());
        assert_eq!(schedule.sends(), 3);
    }
}
