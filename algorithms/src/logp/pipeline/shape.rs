//! The time of a pipelined tree, by a recurrence over the sizes of its parts instead of its nodes.
//!
//! A tree is given by the sizes of the parts that a node gives away, in order ([`TreeShape`]). Few sizes occur, each at many nodes. The
//! times below a node depend only on its size and on the pace at which its segments arrive.
//!
//! For one lane (see the [module](super)): let a node hold whole segment j of the lane at `a + j*M*G`, with `a = M = 0` at the source;
//! D and G are hop and gap of a whole segment. Child number b of `d` on a port holds segment j at `a + (b + j*M')*G + D` with
//! `M' = max(M, d)`: a port that sends each segment d times needs dG per segment, and cannot be faster than segments arrive. So along
//! a path a adds up as for one message, and M is the most sends per segment of any port on it.
//!
//! A shorter last segment has D' and G'. If the node holds it at z after q - 1 whole ones on its lane, the port is free at
//! `a + (d + (q-2)*M')*G`, and the child holds it at `max(z, that) + b*G' + D'`.
//!
//! The time is the maximum over all nodes. For each size and M the recurrence stores, relative to a: the time of the last whole
//! segment, the time of the shorter one if it arrives without delay (z = 0), and its time directly behind the whole ones.

use std::collections::BTreeMap;

use super::cut::{Cut, Hop, Lanes};
use crate::error::{Error, fit};

/// A tree by the sizes of its parts.
pub(super) trait TreeShape {
    /// Calls `give` with the sizes of the parts that the first of `size >= 2` nodes gives away, in order, and the number of successive
    /// parts of that size, until `give` returns false.
    ///
    /// # Errors
    /// Errors of the tree's own split.
    fn parts(&self, size: u64, give: &mut dyn FnMut(u64, u64) -> bool) -> Result<(), Error>;
}

/// The most parts that are read, and the most pairs of size and pace: about 1 s.
const MAX_STEPS: usize = 1 << 20;

/// Successive parts of one size: the size, the number of parts before, the number of parts.
type Run = (u64, u64, u64);

/// The parts of each size that occurs.
struct Sizes {
    /// By size: the runs, and the number of parts.
    runs: BTreeMap<u64, (Vec<Run>, u64)>,
    degree: u64,
    /// Parts that were read.
    steps: usize,
}

impl Sizes {
    /// `None` where there are more parts than `most_steps`.
    fn new(shape: &dyn TreeShape, K: u64, most_steps: usize) -> Result<Option<Self>, Error> {
        let mut sizes = Self { runs: BTreeMap::new(), degree: 1, steps: 0 };
        let mut pending = vec![K];
        while let Some(size) = pending.pop() {
            if size == 1 || sizes.runs.contains_key(&size) {
                continue;
            }
            let (mut runs, mut count) = (Vec::<Run>::new(), 0u64);
            shape.parts(size, &mut |part, times| {
                sizes.steps += 1;
                match runs.last_mut() {
                    Some((last, _, run)) if *last == part => *run += times,
                    _ => runs.push((part, count, times)),
                }
                count += times;
                sizes.steps <= most_steps
            })?;
            if sizes.steps > most_steps {
                return Ok(None);
            }
            pending.extend(runs.iter().map(|run| run.0));
            sizes.degree = sizes.degree.max(count);
            sizes.runs.insert(size, (runs, count));
        }
        Ok(Some(sizes))
    }
}

/// How many parts [`time`] reads, at most `most`.
pub(super) fn steps(shape: &dyn TreeShape, K: u64, most: usize) -> usize {
    match Sizes::new(shape, K, most) {
        Ok(sizes) => sizes.map_or(most, |sizes| sizes.steps.min(most)),
        // `time` also refuses it.
        Err(_) => 0,
    }
}

fn too_many(K: u64) -> Error {
    let expected = format!(
        "expected a tree with at most {MAX_STEPS} kinds of parts; choose a smaller K, or L, o and g closer to each other"
    );
    Error::parameter("K", K, expected)
}

/// A child of a part: its size, its number on its port, and the number of children of that port.
struct Child {
    size: u64,
    before: u64,
    port: u64,
}

/// The child of a run that holds segments last: in the last row, on a port with the most children if the run has one.
fn last_child((size, before, count): Run, children: u64, ports: u64) -> Child {
    // The first `full + 1` ports have one child more than the others.
    let (most, full) = ((children - 1) / ports, (children - 1) % ports);
    let last = before + count - 1;
    let x = last.min(last / ports * ports + full).max(before);
    Child { size, before: x / ports, port: if x % ports <= full { most + 1 } else { most } }
}

/// The times of parts of one size and pace, after their first node.
#[derive(Debug, Default, Clone, Copy)]
struct Times {
    /// The last whole segment.
    whole: u128,
    /// The shorter one without delay.
    alone: u128,
    /// The shorter one directly behind the whole ones.
    behind: u128,
}

/// The segments that each part gets.
struct Load {
    whole: Hop,
    last: Hop,
    /// Whole segments on the fullest lane.
    whole_on_lane: u128,
    /// Segments on the lane of the last one, including it.
    with_last: u128,
}

impl Load {
    /// The times of a node whose segments arrive at pace `M`.
    fn times(&self, runs: impl Iterator<Item = (Child, Times)>, pace: u64) -> Times {
        let Hop { D, gap } = self.whole;
        let mut times = Times::default();
        for (child, below) in runs {
            let paced = u128::from(pace.max(child.port));
            let (b, d) = (u128::from(child.before), u128::from(child.port));
            let before = gap.saturating_mul(b);
            let rest = gap.saturating_mul(self.whole_on_lane.saturating_sub(1).saturating_mul(paced)).max(below.whole);
            times.whole = times.whole.max(before.saturating_add(D).saturating_add(rest));
            let alone = self.last.gap.saturating_mul(b).saturating_add(self.last.D).saturating_add(below.alone);
            times.alone = times.alone.max(alone);
            if let Some(before_both) = self.with_last.checked_sub(2) {
                let free = gap.saturating_mul(d.saturating_add(before_both.saturating_mul(paced)));
                let later = before.saturating_add(D).saturating_add(below.behind);
                times.behind = times.behind.max(free.saturating_add(alone)).max(later);
            }
        }
        times
    }
}

/// The time of a pipelined tree.
///
/// Cost: S log S for S sizes that occur, times the parts that a node gives away; independent of the number of segments.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits; [`Error::Parameter`] for a tree with too many sizes.
pub(super) fn time(shape: &dyn TreeShape, K: u64, k: u64, cut: Cut, whole: Hop, last: Hop) -> Result<u64, Error> {
    if K == 1 {
        return Ok(0);
    }
    let sizes = Sizes::new(shape, K, MAX_STEPS)?.ok_or_else(|| too_many(K))?;
    let lanes = Lanes::new(k, sizes.degree);
    let load = Load {
        whole,
        last,
        whole_on_lane: u128::from(
            if cut.last == cut.words { cut.segments } else { cut.segments - 1 }.div_ceil(lanes.lanes),
        ),
        with_last: u128::from((cut.segments - 1) / lanes.lanes + 1),
    };
    // The sizes that occur at each pace.
    let mut known: BTreeMap<(u64, u64), Times> = BTreeMap::new();
    let mut pending = vec![(K, 0)];
    while let Some((size, pace)) = pending.pop() {
        let Some((runs, children)) = sizes.runs.get(&size) else { continue };
        if known.insert((size, pace), Times::default()).is_none() {
            let below = runs.iter().map(|&run| last_child(run, *children, lanes.ports));
            pending.extend(below.map(|child| (child.size, pace.max(child.port))));
        }
        if known.len() > MAX_STEPS {
            return Err(too_many(K));
        }
    }
    // A part is smaller than its whole, and so comes before it.
    let order: Vec<(u64, u64)> = known.keys().copied().collect();
    for (size, pace) in order {
        let Some((runs, children)) = sizes.runs.get(&size) else { continue };
        let below = runs.iter().map(|&run| last_child(run, *children, lanes.ports));
        let below = below.map(|child| {
            let times = known.get(&(child.size, pace.max(child.port))).copied().unwrap_or_default();
            (child, times)
        });
        let times = load.times(below, pace);
        known.insert((size, pace), times);
    }
    let Times { whole, alone, behind } = known.get(&(K, 0)).copied().unwrap_or_default();
    let shorter = if cut.last == cut.words { 0 } else { alone.max(behind) };
    fit(if load.whole_on_lane == 0 { shorter } else { whole.max(shorter) })
}
