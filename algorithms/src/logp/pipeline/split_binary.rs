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
use std::ops::Range;

use super::Duplex;
use super::cut::{Cut, Lanes};
use super::program::Writer;
use crate::engine::Fault;
use crate::error::{Error, fit, refuse_if};
use crate::plan::compiled::Compiled;
use crate::plan::subtrees::{binary, down};
use crate::plan::{Family, Hop, Task};
use crate::wide::Wide;

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
    fn new(task: &Task) -> Result<Self, Error> {
        let &Task { K, n, k, m, .. } = task;
        refuse_if!(K == 2, "K" = K => "expected 3 nodes or more, one in each subtree; take broadcast-chain for two");
        let cut = Cut::of(task);
        refuse_if!(cut.segments == 1 && K > 1, "m" = m =>
            "expected at least 2, a segment for either half; write 2 or more");
        let left = cut.segments / 2;
        let words = left * cut.words;
        Ok(Self {
            cut,
            left,
            right: cut.segments - left,
            words: (words, n - words),
            lanes: Lanes::new(k, 2),
        })
    }
}

impl Duplex for SplitBinary {
    fn time(&self, task: &Task) -> Result<u64, Error> {
        let halves = Halves::new(task)?;
        if task.K == 1 {
            return Ok(0);
        }
        fit(time(task, &halves)?)
    }

    fn compiled(&self, task: &Task) -> Result<Compiled, Error> {
        let halves = Halves::new(task)?;
        let mut writer = Writer::new(task)?;
        for node in 0..task.K {
            halves.write(&mut writer, node, task.K)?;
        }
        Ok(writer.finish()?)
    }
}

impl Halves {
    /// What one of K nodes does.
    fn write(&self, writer: &mut Writer, node: u64, K: u64) -> Result<(), Fault> {
        let &Halves {
            cut,
            left,
            right,
            lanes: Lanes { lanes, ports },
            ..
        } = self;
        writer.begin(node)?;
        let Family {
            parent, children, ..
        } = Family::binary(K, node);
        let part = HalfOf::new(K, node, [left, right]);
        let own = &part.segments;
        // After the ports: a unit for each lane, for the segment with its own time, and for the other half.
        let lanes_used = lanes.min(right);
        let (takes_lanes, takes_half) = (lanes_used * ports, lanes_used * ports + lanes_used + 1);
        let mut held = Vec::new();
        let turns = own.end - own.start;
        if let Some(parent) = parent {
            for (turn, segment) in (0..).zip(own.clone()) {
                let is_last = segment + 1 == cut.segments;
                let lane = if is_last { lanes_used } else { turn % lanes };
                let message = (segment, cut.size(segment));
                held.push(writer.receive(parent, message, takes_lanes + lane)?);
            }
        }
        for turn in 0..turns {
            for (child, &(to, _)) in (0..).zip(&children) {
                let Some(segment) = part.sent(child, turn) else {
                    continue;
                };
                let port = turn % lanes * ports + child % ports;
                let receive = held.get(usize::try_from(turn).unwrap_or(usize::MAX));
                writer.send(to, (segment, cut.size(segment)), port, receive.copied())?;
            }
        }
        // It exchanges its half, which begins with its first segment, for the other one.
        let halves = [(0, self.words.0), (left, self.words.1)];
        let [gives, gets] = [part.side, 1 - part.side].map(|side| halves[side]);
        if let Some(to) = part.to {
            writer.send(to, gives, 0, held)?;
        }
        if let Some(from) = part.from {
            writer.receive(from, gets, takes_half)?;
        }
        Ok(())
    }
}

/// The half that a number gets from its parent, the left one (0) or the right one (1). The root has both, and sends as many turns as the
/// right one has segments.
pub(crate) struct HalfOf {
    pub side: usize,
    /// Its segments.
    pub segments: Range<u64>,
    /// To which number it sends this half at the end, and from which it gets the other one: numbers 2i - 1 and 2i exchange theirs. If K is
    /// even, the last one gets the right half from the root.
    pub to: Option<u64>,
    pub from: Option<u64>,
}

impl HalfOf {
    /// The half of one of K numbers.
    pub fn new(K: u64, number: u64, [left, right]: [u64; 2]) -> Self {
        let alone = K.is_multiple_of(2).then(|| K - 1);
        let (side, segments, partner) = match number % 2 {
            1 => (0, 0..left, number + 1),
            _ => (1, left..left + right, number.wrapping_sub(1)),
        };
        let (to, from) = match number {
            0 => (alone, None),
            _ if Some(number) == alone => (None, Some(0)),
            _ => (Some(partner), Some(partner)),
        };
        Self {
            side,
            segments,
            to,
            from,
        }
    }

    /// The segment that goes to a child, from 0, in a turn.
    pub fn sent(&self, child: u64, turn: u64) -> Option<u64> {
        let start = self.segments.start;
        match self.from {
            // The left half ends where that of the root begins.
            None if child == 0 => (turn < start).then_some(turn),
            _ => Some(start + turn),
        }
    }
}

/// The segments that go down a subtree, on the lanes of [`shape`](super::shape).
///
/// A node holds whole segment j of a lane at `a + j*M*G`. M is 2 where the source has one port for both halves, else 1; no node
/// sends a segment more often.
struct Stream {
    whole: Hop,
    last: Hop,
    ports: u64,
    /// M.
    pace: u64,
    /// Whole segments on the fullest lane.
    whole_on_lane: u64,
    /// Of a half whose last segment has a time of its own: the segments on its lane, and whether that is the first one.
    with_last: Option<(u64, bool)>,
}

impl Stream {
    fn new(task: &Task, halves: &Halves) -> Result<[Self; 2], Error> {
        let &Halves {
            cut,
            left,
            right,
            lanes: Lanes { lanes, ports },
            ..
        } = halves;
        let (whole, last) = (task.hop(cut.words)?, task.hop(cut.last)?);
        let pace = if ports == 1 { 2 } else { 1 };
        let half = |whole_on_lane, with_last| Self {
            whole,
            last,
            ports,
            pace,
            whole_on_lane,
            with_last,
        };
        let with_last = ((right - 1) / lanes + 1, (right - 1).is_multiple_of(lanes));
        Ok([
            half(left.div_ceil(lanes), None),
            half((right - 1).div_ceil(lanes), Some(with_last)),
        ])
    }

    /// The time of this number of whole segments at the pace of the source.
    fn paced(&self, segments: u64) -> Wide {
        segments * (self.pace * self.whole.gap())
    }

    /// When the partners of all nodes of a subtree have its half, which takes D(half) as one message; the node of the highest number may
    /// have none. A node sends its half when it holds all of it and its first port is free. The first node has the first whole segment and
    /// the last segment at these times.
    fn end(&self, size: u64, start: (Wide, Wide), half: Wide, is_alone: bool) -> Wide {
        let &Self {
            whole,
            last,
            ports,
            whole_on_lane,
            with_last,
            ..
        } = self;
        let mut end = Wide::ZERO;
        // The highest number is in one of the subtrees of a size.
        let known = BTreeMap::from([((size, is_alone), start)]);
        down(
            known,
            usize::MAX,
            |(size, _), children| binary(size, children),
            |(size, has_last), (first, mut held), children, known| {
                let degree = children.len() as u64;
                let sends = if ports == 1 { degree } else { degree.min(1) };
                let mut ready = whole_on_lane
                    .checked_sub(1)
                    .map_or(Wide::ZERO, |behind| first + self.paced(behind));
                match with_last {
                    Some((on_lane, is_on_first)) => {
                        ready = ready.max(held);
                        let between = on_lane.checked_sub(2);
                        let free = between.map_or(Wide::ZERO, |between| {
                            first + sends * whole.gap() + self.paced(between)
                        });
                        held = held.max(free);
                        ready = if is_on_first {
                            ready.max(held + sends * last.gap())
                        } else {
                            ready + sends * whole.gap()
                        };
                    }
                    None => ready += sends * whole.gap(),
                }
                let alone = (size, has_last) == (1, true);
                end = end.max(if alone { ready } else { ready + half });
                // With one port both children are on it, with two each has its own. Levels fill both sides alternately, the second one last:
                // it has the highest number if both sides have one size.
                for (&(child, _), index) in children.iter().zip(0..) {
                    let before = index * (2 - ports);
                    let has_last = has_last && (index == 1) == (size % 2 == 1);
                    let (a, z) = known.entry((child, has_last)).or_default();
                    *a = (*a).max(first + before * whole.gap() + whole.D());
                    *z = (*z).max(held + before * last.gap() + last.D());
                }
            },
        );
        end
    }
}

/// The time of the broadcast to K >= 3 nodes.
fn time(task: &Task, halves: &Halves) -> Result<Wide, Error> {
    let K = task.K;
    let &Halves {
        cut,
        left,
        right,
        words,
        lanes: Lanes { lanes, ports },
    } = halves;
    let (of_left, of_right) = (task.hop(words.0)?.D(), task.hop(words.1)?.D());
    let [of_first, of_second] = Stream::new(task, halves)?;
    let Stream { whole, last, .. } = of_first;
    // The source begins to send the last segment: behind that of the left half, if there is one on the same port.
    let is_behind = ports == 1 && cut.segments.is_multiple_of(2);
    let last_start =
        of_first.paced((right - 1) / lanes) + if is_behind { whole.gap() } else { Wide::ZERO };
    let is_alone = K.is_multiple_of(2);
    let mut time = of_first.end(
        (K - 1).div_ceil(2),
        (whole.D(), Wide::ZERO),
        of_left,
        is_alone,
    );
    if is_alone {
        let free = match (ports == 1, (right - 1).is_multiple_of(lanes)) {
            (true, true) => last_start + last.gap(),
            (true, false) => of_first.paced(right.div_ceil(lanes)),
            (false, _) => left.div_ceil(lanes) * whole.gap(),
        };
        time = time.max(free + of_right);
    }
    let second = whole.D() + if ports == 1 { whole.gap() } else { Wide::ZERO };
    let start = (second, last_start + last.D());
    Ok(time.max(of_second.end((K - 1) / 2, start, of_right, false)))
}
