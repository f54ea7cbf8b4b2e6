//! Split-binary: half of the words down each side of a binary tree, then ranks of both sides exchange their halves.
//!
//! **Source.** Open MPI: `split_binary`; Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster
//! Computing 10(2), 2007.
//!
//! Ranks are numbered from the root. The tree is that of [`broadcast-binary`](super::Tree::BINARY): odd numbers are below child 1, even
//! ones below child 2. The root sends segments in turn to child 1, the first `floor(m/2)` of them, and to child 2, the others.
//! Every number passes each segment to its children. Then numbers 2i-1 and 2i send each other their half in one message. For even K
//! the last number has no partner: the root sends it the other half.
//!
//! **Cost** for m dividing n. A rank below the root has h words in its half and h' in the other one. At A it has sent all
//! segments, and its processor and port are free. At B it began to receive the last one. Each rank has two times:
//!
//! - `A + D(h)`: its partner has received its half.
//! - `max(A + o(h), B + g(h')) + o(h')`: it could have received the other half, if that had been there.
//!
//! The cost is the latest of these times of all ranks. No time of a rank depends on its partner. A and B follow from the
//! [tree](super::segments), whose subtrees have two sizes on each level: O(log K). For K > 2 the root sends the segments of
//! a half `2 max(g, o)` apart. If m is odd, the last one follows after `max(g, o)`.
//!
//! **When it wins.** Long vectors with too many ranks for a chain: a rank receives half of the segments and one message
//! instead of all segments.
//!
//! **Departures.** Open MPI halves the words; castbench the segments, which are of one size. For vectors that cannot be halved it takes
//! a chain; here they are refused.

use std::collections::BTreeMap;
use std::iter;

use super::segments::{Starts, Visit, follow};
use crate::collectives::trees::{Segments, between};
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::{Error, fit, refuse_if};
use crate::logp::pipeline;
use crate::logp::pipeline::split_binary::HalfOf;
use crate::plan::subtrees::binary;
use crate::plan::{ChildGroup, Family, Hop, Plan, Script, Task, narrow};
use crate::wide::Wide;

/// See the module.
pub struct SplitBinary;

/// How many segments are in each half.
fn counts(task: &Task) -> [u64; 2] {
    [task.m / 2, task.m - task.m / 2]
}

/// The ranks of one side, which exchange their half for the other one.
struct Side {
    segments: Segments,
    own: Hop,
    other: Hop,
}

impl Side {
    /// When the last rank of a subtree of this size has both halves, of which the last number may have no partner. The root of the subtree
    /// gets its segments at `arrivals`.
    fn end(&self, size: u64, arrivals: Starts, is_alone: bool) -> Wide {
        let mut end = Wide::ZERO;
        // The last number is in one of the subtrees of a size.
        let known = BTreeMap::from([((size, is_alone), Some(arrivals))]);
        let parts = |(size, _), parts: &mut Vec<ChildGroup>| binary(size, parts);
        // The last level fills both sides in turn: the last number is below the second child where both have one size.
        let kind = |(size, has_last): (u64, bool), (child, index)| {
            (child, has_last && (index == 2) == (size % 2 == 1))
        };
        let visit = |own, visit: Visit| {
            end = end.max(self.exchanged(&visit, own == (1, true)));
        };
        follow(&self.segments, known, usize::MAX, parts, kind, visit);
        end
    }

    /// The later of both times of a rank; one without a partner sends nothing.
    fn exchanged(&self, visit: &Visit, is_alone: bool) -> Wide {
        let (free, port) = self.free(visit);
        let (sent, arrived) = if is_alone {
            (Wide::ZERO, free)
        } else {
            (free + self.own.D(), free + self.own.o)
        };
        sent.max(arrived.max(port) + self.other.o)
    }

    /// When a rank is done with its segments, and when its port can receive the other half after them.
    fn free(&self, Visit { arrivals, sends }: &Visit) -> (Wide, Wide) {
        let last = usize::from(self.segments.counts[1] > 0);
        let hop = self.segments.hops[last];
        match sends {
            // The arrival stands for B. If the receive began later, A is so much later that the port delays nothing.
            Some((sends, d)) => (
                sends.0[last][1] + *d * between(hop),
                arrivals.0[last][1] + self.other.g,
            ),
            None => {
                let [begun, received] = self.segments.received(*arrivals);
                (received, begun + self.other.g)
            }
        }
    }
}

/// When the root has sent its segments, and when they arrive at its children.
fn root(task: &Task, hop: Hop) -> (Wide, [Starts; 2]) {
    let [left, _] = counts(task);
    let (gap, there) = (between(hop), hop.o + hop.L);
    if task.K == 2 {
        return (
            left * gap,
            [
                Starts([[there, (left - 1) * gap + there], [Wide::ZERO; 2]]),
                Starts::default(),
            ],
        );
    }
    let pairs = |first: u64| {
        [
            first * gap + there,
            (first * gap + 2 * ((left - 1) * gap)) + there,
        ]
    };
    // Where the right half has one segment more, it follows the one before at once.
    let odd = [2 * (left * gap) + there; 2];
    (
        task.m * gap,
        [Starts([pairs(0), [Wide::ZERO; 2]]), Starts([pairs(1), odd])],
    )
}

impl Algorithm for SplitBinary {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let (K, m, n) = (task.K, task.m, task.n);
        refuse_if!(m < 2 || !n.is_multiple_of(m), "m" = m =>
            "expected 2 segments or more, of one size: a divisor of n = {n} from 2 on");
        if K == 1 {
            return Ok(Closed::Exact(0));
        }
        let (hop, [left, right]) = (task.hop(n / m)?, counts(task));
        // Within 64 bits, so no sum below overflows.
        fit(m * between(hop))?;
        let [left_half, right_half] = [left, right].map(|segments| task.hop(segments * (n / m)));
        let (left_half, right_half) = (left_half?, right_half?);
        let side = |counts: [u64; 2], own, other| Side {
            segments: Segments {
                hops: [hop; 2],
                counts,
            },
            own,
            other,
        };
        let (sent, arrivals) = root(task, hop);
        let is_alone = K % 2 == 0;
        let mut end = side([left, 0], left_half, right_half).end(K / 2, arrivals[0], is_alone);
        if is_alone {
            end = end.max(sent + right_half.D());
        }
        if K > 2 {
            let even_numbers = side([left, right - left], right_half, left_half);
            end = end.max(even_numbers.end((K - 1) / 2, arrivals[1], false));
        }
        Closed::exact(end)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, [left, right]) = (*task, counts(task));
        let messages =
            left * Wide::from(task.K / 2) + right * Wide::from((task.K - 1) / 2) + (task.K - 1);
        Ok(Plan::script(messages, task.m + 1, move |rank, script| {
            write(&task, rank, script)
        }))
    }

    fn duplex(&self) -> Option<&dyn pipeline::Duplex> {
        Some(&pipeline::split_binary::SplitBinary)
    }

    fn properties(&self) -> Properties {
        Properties {
            is_segmented: true,
            has_equal_segments: true,
            ..Properties::PLAIN
        }
    }
}

/// What a rank does.
fn write(task: &Task, rank: u32, script: &mut Script) {
    let (K, m, number) = (task.K, task.m, task.number(rank));
    let [left, right] = counts(task);
    let words = |segment: u64| [task.block(segment, m)];
    let starts = [0, left, m].map(|segment| task.block(segment, m).start);
    let half = |side: usize| iter::once(starts[side]..starts[side + 1]);
    let (family, own) = (
        Family::binary(K, number),
        HalfOf::new(K, number, [left, right]),
    );
    for (turn, segment) in (0..).zip(own.segments.clone()) {
        if let Some(parent) = family.parent {
            script.receive(task.rank(parent), narrow(segment), words(segment));
        }
        for (child, &(to, _)) in (0..).zip(&family.children) {
            if let Some(segment) = own.sent(child, turn) {
                script.send(task.rank(to), narrow(segment), words(segment));
            }
        }
    }
    if let Some(to) = own.to {
        script.send(task.rank(to), narrow(m), half(own.side));
    }
    if let Some(from) = own.from {
        script.receive(task.rank(from), narrow(m), half(1 - own.side));
    }
}
