//! The time of a pipelined tree, by a recurrence over the sizes of its subtrees instead of its nodes.
//!
//! A tree is given by the sizes of the subtrees that a node gives away, in order. Few sizes occur, each at many nodes. The times below
//! a node depend only on its size and on the pace at which its segments arrive, so nodes of one size and pace are followed together,
//! as the latest of each.
//!
//! For one lane (see the [module](super)): let a node hold whole segment j of the lane at `a + j*M*G`, with `a = M = 0` at the source;
//! D and G are hop and gap of a whole segment. Child number b of `d` on a port holds segment j at `a + (b + j*M')*G + D` with
//! `M' = max(M, d)`: a port that sends each segment d times needs dG per segment, and cannot be faster than segments arrive. So along
//! a path a adds up as for one message, and M is the most sends per segment of any port on it.
//!
//! A shorter last segment has D' and G'. If the node holds it at z after q - 1 whole ones on its lane, the port is free at
//! `a + (d + (q-2)*M')*G`, and the child holds it at `max(z, that) + b*G' + D'`.

use std::collections::BTreeMap;

use super::cut::{Cut, Lanes};
use crate::error::{Error, fit};
use crate::plan::subtrees::down;
use crate::plan::{ChildGroup, Task};
use crate::wide::Wide;

/// The most children that are followed: about 1 s.
pub(crate) const MAX_STEPS: usize = 1 << 20;

/// When segments arrive at the nodes of one size and pace, at the latest: the first whole one of a lane, and the shorter last one.
type Arrivals = (Wide, Wide);

/// The child of a group that holds segments last, in the last row on a port with the most children if the group has one: its number
/// on its port, and the number of children of that port.
fn last_child((before, last): (u64, u64), children: u64, ports: u64) -> (u64, u64) {
    // The first `full + 1` ports have one child more than the others.
    let (most, full) = ((children - 1) / ports, (children - 1) % ports);
    let last = last - 1;
    let x = last.min(last / ports * ports + full).max(before);
    (x / ports, if x % ports <= full { most + 1 } else { most })
}

/// Whole segments on the fullest lane, and segments on the lane of the last.
fn on_lanes(cut: Cut, lanes: u64) -> (u64, u64) {
    let whole = if cut.last == cut.words {
        cut.segments
    } else {
        cut.segments - 1
    };
    (whole.div_ceil(lanes), (cut.segments - 1) / lanes + 1)
}

/// The time of a pipelined tree; `parts` adds the children of a node from the size of its subtree.
///
/// Cost: S log S for S sizes that occur, times the children of a node; independent of the number of segments.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits; [`Error::Parameter`] for a tree with too many sizes.
pub(crate) fn time(
    task: &Task,
    parts: impl FnMut(u64, &mut Vec<ChildGroup>),
) -> Result<u64, Error> {
    let K = task.K;
    let (time, steps) = latest(task, MAX_STEPS, parts)?;
    if steps <= MAX_STEPS {
        return fit(time);
    }
    let expected = format!(
        "expected a tree with at most {MAX_STEPS} kinds of parts; choose a smaller K, or L, o and g closer to each other"
    );
    Err(Error::parameter("K", K, expected))
}

/// The time of a tree, and how many children were followed for it: more than `most` where it is not known.
pub(crate) fn latest(
    task: &Task,
    most: usize,
    mut parts: impl FnMut(u64, &mut Vec<ChildGroup>),
) -> Result<(Wide, usize), Error> {
    let cut = Cut::of(task);
    let (whole, last) = (task.hop(cut.words)?, task.hop(cut.last)?);
    let mut degree = 0;
    let root = BTreeMap::from([(task.K, ())]);
    let read = down(root, most, &mut parts, |_, (), children, known| {
        degree = degree.max(children.last().map_or(0, |&(_, last)| last));
        known.extend(children.iter().map(|&(size, _)| (size, ())));
    });
    if read > most {
        return Ok((Wide::ZERO, read));
    }
    let Lanes { lanes, ports } = Lanes::new(task.k, degree);
    let (whole_on_lane, with_last) = on_lanes(cut, lanes);
    let mut time = Wide::ZERO;
    let root = BTreeMap::from([((task.K, 0), Arrivals::default())]);
    let steps = down(
        root,
        most,
        |(size, _), children| parts(size, children),
        |(_, pace), (first, shorter), children, known| {
            let count = children.last().map_or(0, |&(_, last)| last);
            let mut before = 0;
            for &(size, last_index) in children {
                let (number, of_port) = last_child((before, last_index), count, ports);
                before = last_index;
                let pace = pace.max(of_port);
                let paced = |segments: u64| segments * Wide::from(pace) * whole.gap();
                let free = with_last.checked_sub(2).map_or(Wide::ZERO, |between| {
                    first + of_port * whole.gap() + paced(between)
                });
                let first = first + number * whole.gap() + whole.D();
                let shorter = shorter.max(free) + number * last.gap() + last.D();
                if let Some(behind) = whole_on_lane.checked_sub(1) {
                    time = time.max(first + paced(behind));
                }
                if cut.last < cut.words {
                    time = time.max(shorter);
                }
                let latest = known.entry((size, pace)).or_default();
                *latest = (latest.0.max(first), latest.1.max(shorter));
            }
        },
    );
    Ok((time, steps))
}

/// The time of a chain: the solution of the recurrence, whose sizes are too many to follow.
pub(crate) fn chain(task: &Task) -> Result<u64, Error> {
    let (K, cut) = (task.K, Cut::of(task));
    let (whole, last) = (task.hop(cut.words)?, task.hop(cut.last)?);
    if K == 1 {
        return Ok(0);
    }
    let (whole_on_lane, with_last) = on_lanes(cut, Lanes::new(task.k, 1).lanes);
    // There is a whole segment, and its hop is at least as long as that of the last one. So the last one waits longest at the last
    // relay; if it is whole, both times are equal.
    let time = (K - 1) * whole.D() + (whole_on_lane - 1) * whole.gap();
    fit(time.max((K - 2) * whole.D() + (with_last - 1) * whole.gap() + last.D()))
}
