//! Split-binary: half of the message down each subtree of a binary tree, then the halves are exchanged.
//!
//! **Source.** `split_binary` of Open MPI's tuned collectives; Pjesivac-Grbovic et al., "Performance analysis of MPI
//! collective operations", Cluster Computing 10(2), 2007.
//!
//! **Symbols.** K nodes from 0 at the source; c segments; k ports; D and g' of a whole segment; see the [module](super)
//! for ports and lanes.
//!
//! **Algorithm.** The tree is [`binary`](crate::logp::multicast::binary): the nodes of odd number are in the left subtree, those
//! of even number in the right one. The first `floor(c/2)` segments go down the left one and the others down the right one,
//! alternately at the source. Nodes 2i-1 and 2i are partners: when a node holds its half and its first port is free, it sends the
//! whole half to its partner in one message. If K is even, the last node has no partner: the source sends it the other half.
//!
//! **Cost.** With one port and c even, about `T(1 + floor((K-1)/2)) + (c-1)*g' + D(n/2)`, T of the binary tree: nodes send half as
//! many segments as in the pipelined binary tree, and then one long message. The exact cost follows from the recurrence below over
//! the sizes of subtrees, two per depth: O(log K). The last segment of the right half can be shorter, and follows no segment of the
//! left half where c is odd, so it has its own time.
//!
//! **When it wins.** Against the binary tree where bandwidth dominates, with too many nodes for a chain.
//!
//! **Departures.** Open MPI halves the words, castbench the segments. Open MPI uses the chain for messages that cannot be halved; here
//! they are refused.

use std::collections::BTreeMap;

use super::cut::{Cut, Hop, Instance, Lanes};
use super::program::Writer;
use super::{Broadcast, Machine};
use crate::engine::Fault;
use crate::engine::program::Program;
use crate::error::{Error, fit, refuse_if};
use crate::logp::multicast::Multicast;
use crate::logp::multicast::binary::Binary;

/// Halves down both subtrees. See the module.
pub struct SplitBinary;

/// How a message is halved.
struct Halves {
    cut: Cut,
    /// Segments of the left half and of the right one.
    left: u64,
    right: u64,
    /// Words of both.
    words: (u64, u64),
    lanes: Lanes,
}

impl Halves {
    fn new(instance: Instance) -> Result<Self, Error> {
        instance.check()?;
        let Instance { K, n, k, m } = instance;
        refuse_if!(K == 2, "K" = K => "expected 3 nodes or more, one in each subtree; take segmented-chain for two");
        let cut = instance.cut();
        refuse_if!(cut.segments == 1 && K > 1, "m" = m =>
            "expected at least 2, a segment for either half; write 2 or more");
        let left = cut.segments / 2;
        let words = left * cut.words;
        Ok(Self { cut, left, right: cut.segments - left, words: (words, n - words), lanes: Lanes::new(k, 2) })
    }
}

impl Broadcast for SplitBinary {
    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        let halves = Halves::new(instance)?;
        if instance.K == 1 {
            return Ok(0);
        }
        fit(Times::new(machine, &halves)?.finish(machine, instance.K, &halves)?)
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        let halves = Halves::new(instance)?;
        let nodes = super::narrow("K", instance.K)?;
        let tree = Binary.schedule(machine.at(1)?, nodes, 1);
        let mut parent = vec![0; nodes as usize];
        for node in 1..=nodes {
            tree.targets(node).iter().for_each(|&child| parent[child as usize - 1] = node - 1);
        }
        let mut writer = Writer::new(nodes, machine)?;
        for node in 0..nodes {
            halves.write(&mut writer, node, (nodes, parent[node as usize]), tree.targets(node + 1))?;
        }
        Ok(writer.finish()?)
    }
}

impl Halves {
    /// What one of these nodes does, from 0; `children` count from 1.
    fn write(
        &self,
        writer: &mut Writer,
        node: u32,
        (nodes, parent): (u32, u32),
        children: &[u32],
    ) -> Result<(), Fault> {
        let &Halves { cut, left, right, lanes: Lanes { lanes, ports }, .. } = self;
        writer.begin(node)?;
        let (own, other) = if node % 2 == 1 { (0..left, left) } else { (left..cut.segments, 0) };
        // After the ports: a unit for each lane, for the segment with its own time, and for the other half.
        let lanes_used = lanes.min(right);
        let (takes_lanes, takes_half) = (lanes_used * ports, lanes_used * ports + lanes_used + 1);
        let mut held = Vec::new();
        for segment in own.clone().take_while(|_| node > 0) {
            let lane = if segment + 1 == cut.segments { lanes_used } else { (segment - own.start) % lanes };
            held.push(writer.receive(parent, (segment, cut.size(segment)), takes_lanes + lane)?);
        }
        for number in 0..if node == 0 { right } else { own.end - own.start } {
            for (child, &to) in (0..).zip(children) {
                // At the source the first child is for the left half.
                let segment = if node > 0 { own.start + number } else { number + left * child };
                if node == 0 && child == 0 && number == left {
                    continue;
                }
                let port = number % lanes * ports + child % ports;
                let receive = usize::try_from(number).ok().and_then(|number| held.get(number)).copied();
                writer.send(to - 1, (segment, cut.size(segment)), port, receive)?;
            }
        }
        // It exchanges its half, which begins with its first segment, for the other one.
        let words = |half: u64| if half == 0 { self.words.0 } else { self.words.1 };
        let (gives, gets) = ((own.start, words(own.start)), (other, words(other)));
        let alone = nodes.is_multiple_of(2).then(|| nodes - 1);
        let partner = if node % 2 == 1 { node + 1 } else { node.wrapping_sub(1) };
        match (node, alone) {
            (0, Some(alone)) => writer.send(alone, gives, 0, held)?,
            (0, None) => {}
            _ if Some(node) == alone => drop(writer.receive(0, gets, takes_half)?),
            _ => {
                writer.send(partner, gives, 0, held)?;
                writer.receive(partner, gets, takes_half)?;
            }
        }
        Ok(())
    }
}

/// The times in a subtree, by the recurrence over its size.
///
/// The first node of a subtree holds whole segment j of a lane at `a + j*M*G`, see [`shape`](super::shape). M is 2 where the source
/// has one port for both halves, else 1; no node below sends a segment more often. Times count from a, or for the last segment from
/// z, when it is held. The relevant time of a node is when it can send its half: it holds all of it, and its first port is free.
struct Times {
    whole: Hop,
    last: Hop,
    ports: u64,
    /// M.
    pace: u128,
    /// Segments of the left half on the first lane, the fullest.
    left_on_lane: u128,
    /// Segments of the right half: on the fullest lane without the last one, on the lane of the last one, and on the first lane.
    right_whole_on_lane: u128,
    with_last: u128,
    right_on_first: u128,
    is_last_on_first: bool,
}

/// Times from a and from z; the former only where there is a whole segment.
type Right = (u128, u128);

impl Times {
    fn new(machine: Machine, halves: &Halves) -> Result<Self, Error> {
        let &Halves { cut, left, right, lanes: Lanes { lanes, ports }, .. } = halves;
        Ok(Self {
            whole: Hop::new(machine, cut.words)?,
            last: Hop::new(machine, cut.last)?,
            ports,
            pace: if ports == 1 { 2 } else { 1 },
            left_on_lane: left.div_ceil(lanes).into(),
            right_whole_on_lane: (right - 1).div_ceil(lanes).into(),
            with_last: ((right - 1) / lanes + 1).into(),
            right_on_first: right.div_ceil(lanes).into(),
            is_last_on_first: (right - 1) % lanes == 0,
        })
    }

    fn gaps(&self, count: u128) -> u128 {
        self.whole.gap.saturating_mul(count)
    }

    fn paced(&self, segments: u128) -> u128 {
        self.gaps(self.pace.saturating_mul(segments))
    }

    /// The sizes of both subtrees, with the number of sends before on their port; and how often the first port sends a segment.
    fn children(&self, size: u64) -> (Vec<(u64, u128)>, u128) {
        let second = if self.ports == 1 { 1 } else { 0 };
        let children = [((size - 1).div_ceil(2), 0), ((size - 1) / 2, second)];
        let children: Vec<_> = children.into_iter().filter(|child| child.0 > 0).collect();
        let sends = if self.ports == 1 { children.len() } else { children.len().min(1) };
        (children, sends as u128)
    }

    /// When the last node of a left subtree can exchange, with and without the node of the highest number.
    fn left(&self, size: u64, known: &mut BTreeMap<u64, (u128, Option<u128>)>) -> (u128, Option<u128>) {
        if let Some(&found) = known.get(&size) {
            return found;
        }
        let (children, sends) = self.children(size);
        let own = self.paced(self.left_on_lane - 1).saturating_add(self.gaps(sends));
        let mut found = (own, (size > 1).then_some(own));
        // Levels fill both sides alternately, the second one last.
        let holds_last = if size % 2 == 1 { 1 } else { 0 };
        for (number, &(child, before)) in children.iter().enumerate() {
            let (all, but_last) = self.left(child, known);
            let hop = self.gaps(before).saturating_add(self.whole.D);
            found.0 = found.0.max(hop.saturating_add(all));
            let below = if number == holds_last { but_last } else { Some(all) };
            found.1 = found.1.max(below.map(|below| hop.saturating_add(below)));
        }
        known.insert(size, found);
        found
    }

    /// When the last node of a right subtree can exchange.
    fn right(&self, size: u64, known: &mut BTreeMap<u64, Right>) -> Right {
        if let Some(&found) = known.get(&size) {
            return found;
        }
        let (children, sends) = self.children(size);
        let behind = |sends: u128| Some(self.gaps(sends).saturating_add(self.paced(self.with_last.checked_sub(2)?)));
        let (mut whole, mut last) = (self.paced(self.right_whole_on_lane.saturating_sub(1)), 0u128);
        if self.is_last_on_first {
            let port = self.last.gap.saturating_mul(sends);
            last = last.max(port);
            whole = whole.max(behind(sends).map_or(0, |free| free.saturating_add(port)));
        } else if sends > 0 {
            whole = whole.max(self.paced(self.right_on_first - 1).saturating_add(self.gaps(sends)));
        }
        for &(child, before) in &children {
            let below = self.right(child, known);
            whole = whole.max(self.gaps(before).saturating_add(self.whole.D).saturating_add(below.0));
            let hop = self.last.gap.saturating_mul(before).saturating_add(self.last.D).saturating_add(below.1);
            last = last.max(hop);
            // With one port both children are on it, with two each has its own.
            whole = whole.max(behind(sends).map_or(0, |free| free.saturating_add(hop)));
        }
        known.insert(size, (whole, last));
        (whole, last)
    }

    /// The time of the broadcast to K >= 3 nodes.
    fn finish(&self, machine: Machine, K: u64, halves: &Halves) -> Result<u128, Error> {
        let &Halves { cut, right, words, .. } = halves;
        let (of_left, of_right) = (Hop::new(machine, words.0)?.D, Hop::new(machine, words.1)?.D);
        let one_port = self.ports == 1;
        // The source begins to send the last segment: behind that of the left half, if there is one on the same port.
        let rounds = self.paced(self.with_last - 1);
        let last_start = rounds.saturating_add(if one_port && cut.segments % 2 == 0 { self.whole.gap } else { 0 });
        let (all, but_last) = self.left((K - 1).div_ceil(2), &mut BTreeMap::new());
        let first = self.whole.D;
        let mut time = if K % 2 == 1 {
            first.saturating_add(all).saturating_add(of_left)
        } else {
            let free = match (one_port, self.is_last_on_first) {
                (true, true) => last_start.saturating_add(self.last.gap),
                (true, false) => self.paced(self.right_on_first),
                (false, _) => self.gaps(self.left_on_lane),
            };
            let exchanged = but_last.map_or(0, |all| first.saturating_add(all).saturating_add(of_left));
            exchanged.max(first.saturating_add(all)).max(free.saturating_add(of_right))
        };
        let (whole, last) = self.right((K - 1) / 2, &mut BTreeMap::new());
        let mut ready = last_start.saturating_add(self.last.D).saturating_add(last);
        if right > 1 {
            let second = first.saturating_add(if one_port { self.whole.gap } else { 0 });
            ready = ready.max(second.saturating_add(whole));
        }
        time = time.max(ready.saturating_add(of_right));
        Ok(time)
    }
}
