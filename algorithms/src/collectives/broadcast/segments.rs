//! Times of vectors that are sent down a tree in segments.
//!
//! For each segment in turn a rank receives from its parent and sends to its d children. Segments have two sizes: first the
//! longer ones, then those that are a word shorter.
//!
//! The time of an operation is a longest path: over messages, from an operation of a rank to the next one, and between
//! sends or receives of a rank that a gap keeps apart. With `G = max(g, o)` between two sends, the first sends of
//! consecutive segments at a rank are at least `(d-1)G + max(g, 2o)` apart, at the root dG, where the size changes
//! `(d-1)G + max(g, o + o')` with the gap and overhead of the longer one and the overhead o' of the shorter one. So the
//! receives of a rank with children have no gap of their own.
//!
//! For segments of one size the time of the j-th send is a convex function of j: it is the largest of such lines. So the
//! first and the last segment of each size tell the first and the last of the next rank.
//!
//! A time is the largest of sums. So the times of ranks with equal subtrees are followed together, as the latest of each:
//! O(1) for each child of each size of subtrees.

use std::collections::BTreeMap;

use crate::collectives::Closed;
use crate::collectives::trees::{Segments, between};
use crate::error::{Error, refuse_if};
use crate::plan::subtrees::down;
use crate::plan::{ChildGroup, Hop, Task};
use crate::wide::Wide;

/// When a rank begins something, by the size of segments: with the first and with the last one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Starts(pub [[Wide; 2]; 2]);

impl Starts {
    /// The starts, later by a time for each size.
    fn plus(self, later: [Wide; 2]) -> Self {
        let [longer, shorter] = self.0;
        Self([
            longer.map(|time| time + later[0]),
            shorter.map(|time| time + later[1]),
        ])
    }

    /// The later of two.
    fn max(self, other: Self) -> Self {
        let sizes = [0, 1].map(|size| [0, 1].map(|end| self.0[size][end].max(other.0[size][end])));
        Self(sizes)
    }
}

impl Segments {
    /// When operations begin that arrivals allow from then on, which are so far apart, and so far where the size changes.
    fn paced(
        &self,
        Starts([longer, shorter]): Starts,
        [long, short]: [Wide; 2],
        change: Wide,
    ) -> Starts {
        let last = |first: Wide, size: usize, apart: Wide, last: Wide| {
            (first + self.counts[size].saturating_sub(1) * apart).max(last)
        };
        let last_longer = last(longer[0], 0, long, longer[1]);
        if self.counts[1] == 0 {
            return Starts([[longer[0], last_longer], [Wide::ZERO; 2]]);
        }
        let first_shorter = (last_longer + change).max(shorter[0]);
        Starts([
            [longer[0], last_longer],
            [first_shorter, last(first_shorter, 1, short, shorter[1])],
        ])
    }

    /// The first sends of a rank with d children that gets its segments then; the root has them at the start.
    pub(super) fn sends(&self, arrivals: Option<Starts>, d: u64) -> Starts {
        let received = self.hops.map(|hop| {
            if arrivals.is_some() {
                hop.o
            } else {
                Wide::ZERO
            }
        });
        let others = d - 1;
        let behind = |hop: Hop, received: Wide| others * between(hop) + hop.g.max(hop.o + received);
        let [long, short] = [0, 1].map(|size| behind(self.hops[size], received[size]));
        let change = behind(self.hops[0], received[1]);
        self.paced(
            arrivals.unwrap_or_default().plus(received),
            [long, short],
            change,
        )
    }

    /// When the segments arrive at a child of a rank with these first sends; `child` counts its children from 1.
    pub(super) fn arrivals(&self, sends: Starts, child: u64) -> Starts {
        let before = child - 1;
        sends.plus(self.hops.map(|hop| before * between(hop) + hop.o + hop.L))
    }

    /// When a rank without children begins to receive the last of the segments that arrive then, and when it has them.
    pub(super) fn received(&self, arrivals: Starts) -> [Wide; 2] {
        let [long, short] = self.hops;
        let Starts(starts) = self.paced(arrivals, self.hops.map(between), long.o.max(short.g));
        let last = usize::from(self.counts[1] > 0);
        [starts[last][1], starts[last][1] + self.hops[last].o]
    }
}

/// A rank that receives segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit {
    /// When segments arrive.
    pub arrivals: Starts,
    /// When it sends them to its first child, and the number of its children; `None` without children.
    pub sends: Option<(Starts, u64)>,
}

/// Visits the ranks of trees, by kinds of their subtrees, from when segments arrive there, `None` at a root that has them at the start.
/// `parts` as for [`down`]; `kind` tells that of a child from that of its parent and its group. Returns how many children were followed:
/// more than `most` where it ended early.
pub(super) fn follow<N: Ord + Copy>(
    segments: &Segments,
    known: BTreeMap<N, Option<Starts>>,
    most: usize,
    parts: impl FnMut(N, &mut Vec<ChildGroup>),
    kind: impl Fn(N, ChildGroup) -> N,
    mut visit: impl FnMut(N, Visit),
) -> usize {
    down(known, most, parts, |own, arrivals, children, known| {
        let sends = children
            .last()
            .map(|&(_, d)| (segments.sends(arrivals, d), d));
        let visited = Visit {
            arrivals: arrivals.unwrap_or_default(),
            sends,
        };
        visit(own, visited);
        let Some((sends, _)) = sends else { return };
        for &group in children {
            let arrivals = segments.arrivals(sends, group.1);
            let latest = known.entry(kind(own, group)).or_insert(Some(arrivals));
            *latest = latest.map(|known| known.max(arrivals));
        }
    })
}

/// When all ranks of a tree have all segments; `parts` and `most` as for [`down`].
///
/// # Errors
/// [`Error::Parameter`] for a tree with too many different subtrees, [`Error::Overflow`].
pub fn time(
    task: &Task,
    root: u64,
    most: usize,
    parts: impl FnMut(u64, &mut Vec<ChildGroup>),
) -> Result<Closed, Error> {
    let segments = Segments::new(task)?;
    let mut end = Wide::ZERO;
    let whole = BTreeMap::from([(root, None)]);
    let visit = |own, visit: Visit| {
        // The last rank to receive has no children.
        if visit.sends.is_none() && own != root {
            end = end.max(segments.received(visit.arrivals)[1]);
        }
    };
    let followed = follow(&segments, whole, most, parts, |_, (child, _)| child, visit);
    refuse_if!(followed > most, "K" = task.K =>
        "expected a tree with at most {most} different subtrees; choose a smaller K, or L, o and g closer to each other");
    Closed::exact(end)
}

/// When all ranks of a chain have all segments.
///
/// Each rank adds the time of a longer segment to that of the longer ones, and of a shorter one to that of the others, or
/// the size changes at this rank. It takes longest where the size changes at the last rank that sends.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn chain(task: &Task) -> Result<Closed, Error> {
    let Some(relays) = task.K.checked_sub(2) else {
        return Ok(Closed::Exact(0));
    };
    let segments = Segments::new(task)?;
    let relay = |arrivals: Starts| segments.arrivals(segments.sends(Some(arrivals), 1), 1);
    let mut arrivals = segments.arrivals(segments.sends(None, 1), 1);
    if relays > 0 {
        arrivals = relay(arrivals);
    }
    if let Some(others) = relays.checked_sub(2) {
        arrivals = relay(arrivals.plus(segments.hops.map(|hop| others * hop.D())));
    }
    Closed::exact(segments.received(arrivals)[1])
}
