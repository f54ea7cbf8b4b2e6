//! Times of vectors that are combined up a tree in segments.
//!
//! For each segment in turn a rank receives from its children, in their order, combines, and sends to its parent. Segments
//! have two sizes: first the longer ones, then those that are a word shorter.
//!
//! The time of an operation is a longest path: over messages, from an operation of a rank to the next one, and between
//! sends or receives of a rank that a gap keeps apart. With `M = max(g, o + q)` between two receives, the last receives of
//! consecutive segments at a rank with d children are `(d-1)M + max(g, 2o + q)` apart, at the root dM, or as far as the
//! child requires that is slowest. So the times of segments of one size lie on lines. Where the size changes a rank
//! is free one combination, or one gap, after the last longer segment. The second shorter segment may follow the first at
//! less than the period, because the gap of a longer message delayed the first.

use crate::collectives::Closed;
use crate::collectives::trees::{Segments, between};
use crate::error::{Error, fit};
use crate::plan::subtrees::up;
use crate::plan::{ChildGroup, Hop, Task};
use crate::wide::Wide;

/// When a rank begins something for some of the segments.
#[derive(Debug, Clone, Copy)]
pub(super) struct SendStarts {
    /// The first segment.
    first: Wide,
    /// The first shorter segment.
    shorter: Wide,
    /// The second shorter segment.
    second: Wide,
    /// From one longer segment to the next; from the second shorter one to the third and so on.
    periods: [Wide; 2],
}

/// What follows from the sends of the children of a rank.
struct Receives {
    /// The sends of the rank.
    sends: SendStarts,
    /// When its last receive of the last segment begins.
    last: Wide,
}

/// When the root of a tree has the result; `parts` as for [`up`].
///
/// # Errors
/// [`Error::Overflow`].
pub fn time(
    task: &Task,
    root: u64,
    parts: impl FnMut(u64, &mut Vec<ChildGroup>),
) -> Result<Closed, Error> {
    let segments = Segments::new(task)?;
    let mut end = Wide::ZERO;
    up(root, parts, |subtree, below| {
        if subtree == root && !below.is_empty() {
            end = segments.end(below);
        }
        Ok(segments.relay(below))
    })?;
    Closed::exact(end)
}

/// When the root of a chain has the result.
///
/// # Errors
/// [`Error::Overflow`].
pub fn chain(task: &Task) -> Result<Closed, Error> {
    let Some(relays) = task.K.checked_sub(2) else {
        return Ok(Closed::Exact(0));
    };
    let segments = Segments::new(task)?;
    Closed::exact(segments.end(&[&segments.relays(segments.relay(&[]), 1, relays)?]))
}

/// When the root of a complete binary tree of two ranks at least has the result.
///
/// # Errors
/// [`Error::Overflow`].
pub fn binary(task: &Task) -> Result<Closed, Error> {
    let (levels, segments) = (task.K.ilog2(), Segments::new(task)?);
    // The first number of the level above the last has both children.
    let d = 1 + usize::from(task.K >= 3 << (levels - 1));
    let leaf = segments.relay(&[]);
    Closed::exact(if levels == 1 {
        segments.end(&[&leaf; 2][..d])
    } else {
        let lowest = segments.relays(leaf, d, 1)?;
        segments.end(&[&segments.relays(lowest, 2, u64::from(levels) - 2)?; 2])
    })
}

impl Segments {
    /// The sends of a rank that receives from these children in this order.
    pub(super) fn relay(&self, children: &[&SendStarts]) -> SendStarts {
        if !children.is_empty() {
            return self.receives(children, false).sends;
        }
        let periods = self.hops.map(|hop| hop.gap());
        let shorter = self.counts[0] * periods[0];
        SendStarts {
            first: Wide::ZERO,
            shorter,
            second: shorter + periods[1],
            periods,
        }
    }

    /// The sends of the last rank of a chain. Each rank is the first child of the next one, all have d children, two at most, and a
    /// first child is never earlier than the other.
    ///
    /// Each rank adds the time of a longer segment to that of the first, and of a shorter one to that of the others, or
    /// the size changes at this rank. It takes longest where the size changes at the last rank.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    fn relays(&self, child: SendStarts, d: usize, ranks: u64) -> Result<SendStarts, Error> {
        let relay = |child| self.relay(&[&child; 2][..d]);
        let Some(others) = ranks.checked_sub(2) else {
            return Ok(if ranks == 0 { child } else { relay(child) });
        };
        let first = relay(child);
        let beside = |hop| if d == 2 { between(hop) } else { Wide::ZERO };
        let further = |hop: Hop| fit(others * (hop.combined() + beside(hop))).map(Wide::from);
        let [more, later] = self.hops.map(further);
        let (more, later) = (more?, later?);
        Ok(relay(SendStarts {
            first: first.first + more,
            shorter: first.shorter + later,
            second: first.second + later,
            ..first
        }))
    }

    /// When a rank that receives from these children in this order, and sends, begins its last receive.
    pub(super) fn last_receive(&self, children: &[&SendStarts]) -> Wide {
        self.receives(children, false).last
    }

    /// When the root, which receives from these children in this order, has the result.
    pub(super) fn end(&self, children: &[&SendStarts]) -> Wide {
        let hop = self.hops[usize::from(self.counts[1] > 0)];
        self.receives(children, true).last + hop.o + hop.q
    }

    /// The times of a rank with these children.
    fn receives(&self, children: &[&SendStarts], is_root: bool) -> Receives {
        let [long, short] = self.hops;
        let others = children.len() as u64 - 1;
        let own = self.hops.map(|hop| {
            others * between(hop)
                + if is_root {
                    between(hop)
                } else {
                    hop.g.max(2 * hop.o + hop.q)
                }
        });
        // The last receive, as far as it depends on the send of a child.
        let after = |hop: Hop, of: fn(&SendStarts) -> Wide| {
            let children = children.iter().zip((0..=others).rev());
            children.map(move |(child, later)| {
                (child, of(child) + hop.o + hop.L + later * between(hop))
            })
        };
        let latest = |hop, of| {
            after(hop, of)
                .map(|(_, time)| time)
                .max()
                .unwrap_or_default()
        };
        let on_line = |hop, of, size: usize, segments: u64| {
            let last = |(child, time): (&&SendStarts, _)| {
                time + segments * own[size].max(child.periods[size])
            };
            after(hop, of).map(last).max().unwrap_or_default()
        };
        let first = latest(long, |child| child.first);
        let longer = on_line(long, |child| child.first, 0, self.counts[0] - 1);
        let relayed = SendStarts {
            first: first + long.o + long.q,
            shorter: Wide::ZERO,
            second: Wide::ZERO,
            periods: own,
        };
        if self.counts[1] == 0 {
            return Receives {
                sends: relayed,
                last: longer,
            };
        }
        let combined = longer + long.o + long.q;
        let free = combined + if is_root { Wide::ZERO } else { long.o };
        let shorter = (free.max(longer + short.g) + others * between(short))
            .max(latest(short, |child| child.shorter));
        let sent = (shorter + short.o + short.q).max(combined + long.g);
        let next = (shorter + own[1]).max(if is_root {
            Wide::ZERO
        } else {
            sent + short.o + others * between(short)
        });
        let second = next.max(latest(short, |child| child.second));
        let again = (second + short.o + short.q).max(sent + short.g);
        let last = match self.counts[1] {
            1 => shorter,
            count => (next + (count - 2) * own[1]).max(on_line(
                short,
                |child| child.second,
                1,
                count - 2,
            )),
        };
        Receives {
            sends: SendStarts {
                shorter: sent,
                second: again,
                ..relayed
            },
            last,
        }
    }
}
