//! Scans up and down a binary tree.
//!
//! **Source.** Sanders, Traeff, "Parallel prefix (scan) algorithms for MPI", EuroPVM/MPI 2006, the binary tree.
//!
//! A subtree has the ranks of a range. Its root is the middle one, the later of two; the ranks below it are its left
//! subtree and those above its right subtree.
//!
//! - *Up*: a rank receives the combination of its left subtree, then that of its right subtree, and sends that of the
//!   whole range to its parent.
//! - *Down*: a rank receives the combination of all ranks below the range from its parent, sends it to the left, combines it
//!   with what it has, and sends the combination of all ranks up to itself to the right.
//!
//! Ranks whose range begins with rank 0 receive nothing from their parents. Those whose range ends with rank K-1 send
//! nothing up, and receive nothing from the right. In an exclusive scan a rank combines its own result last. Rank K-1 sends its
//! words nowhere then, and does not combine them with those from the left.
//!
//! **Cost** by a recurrence over sizes of subtrees. All subtrees of a size send up at the same time. When a subtree is
//! done is the larger of a constant and the arrival from the parent plus a constant, because every time is a longest path.
//! Of the ranges of a level, the sizes are `floor(K/2^j)` and one less; those with rank 0 have `floor(K/2^j)` ranks, those
//! with rank K-1 `floor((K+1)/2^j) - 1`. So at most four subtrees per level are computed: O(log K).
//!
//! **When it wins.** On 5 and 6 ranks where combining takes longer than hops. Elsewhere not by time: a level takes two hops and three
//! combinings, a round of recursive doubling one hop and two combinings. It sends fewer than 2K messages, where recursive doubling sends up to `K log2 K`.
//!
//! **Departures.** The paper sends segments, in a pipeline both up and down; here vectors are whole.

use super::{Algorithm, ScanKind};
use crate::collectives::Closed;
use crate::error::Error;
use crate::plan::subtrees::InOrder;
use crate::plan::timeline::{Instant as _, RankClock, Time};
use crate::plan::{Act, Hop, Plan, RESULT, Script, Task, narrow};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct BinaryTree(pub ScanKind);

/// The rounds.
const UP: u32 = 0;
const DOWN: u32 = 1;

/// The times of a subtree.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    /// When its message arrives at its parent.
    up: Time,
    /// When it is done, by the arrival of the message from its parent.
    end: Time,
}

impl BinaryTree {
    /// The times of a subtree from those of its two parts, where it has them.
    fn subtree(
        self,
        hop: Hop,
        parts: [Option<Subtree>; 2],
        is_first: bool,
        is_last: bool,
    ) -> Subtree {
        let [left, right] = parts;
        let is_scan = self.0 == ScanKind::Scan;
        let mut line = RankClock::default();
        if let Some(left) = left {
            let is_combined = is_scan || right.is_some() || !is_last;
            line.receive(hop.combining(is_combined), left.up);
        }
        let mut up = Time::ZERO;
        if !is_last {
            if let Some(right) = right {
                line.receive(hop, right.up);
            }
            up = line.send(hop);
        }
        let mut end = Time::ZERO;
        let mut last = Wide::ZERO;
        if !is_first {
            line.receive(hop.without_combining(), Time::X);
            if let Some(left) = left {
                end = end.max(left.end.after(line.send(hop)));
            }
            let is_combined = is_scan || right.is_some();
            line.work(if is_combined { hop.q } else { Wide::ZERO });
            last = if !is_scan && left.is_some() {
                hop.q
            } else {
                Wide::ZERO
            };
        } else if let Some(left) = left {
            end = end.max(left.end);
        }
        if let Some(right) = right {
            end = end.max(right.end.after(line.send(hop)));
        }
        line.work(last);
        Subtree {
            up,
            end: end.max(line.ready),
        }
    }
}

impl Algorithm for BinaryTree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let hop = task.hop(task.n)?;
        let (K, levels) = (task.K, task.K.ilog2());
        // Of the level below: the subtrees of both sizes, the one with rank 0 and the one with rank K-1.
        let (mut large, mut small, mut first, mut last) = (None, None, None, None);
        for level in (1..=levels).rev() {
            let size = K >> level;
            // floor((K+1)/2^level) - 1.
            let last_size = if K.trailing_ones() >= level {
                size
            } else {
                size - 1
            };
            let part = |ranks: u64| if ranks == size / 2 { large } else { small };
            let inner = |ranks: u64| {
                (ranks > 0).then(|| {
                    self.subtree(hop, [part(ranks / 2), part((ranks - 1) / 2)], false, false)
                })
            };
            let new_first = self.subtree(hop, [first, part((size - 1) / 2)], true, false);
            let new_last = (last_size > 0)
                .then(|| self.subtree(hop, [part(last_size / 2), last], false, true));
            (large, small) = (inner(size), inner(size - 1));
            (first, last) = (Some(new_first), new_last);
        }
        Closed::exact(self.subtree(hop, [first, last], true, true).end.known())
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, kind) = (*task, self.0);
        let K = u128::from(task.K);
        let messages = 2 * K - u128::from(K.ilog2() + 1) - u128::from((K + 1).ilog2());
        Ok(Plan::script(messages, 2, move |rank, script| {
            let shape = |size| (size / 2, [(0, size / 2), (size / 2 + 1, (size - 1) / 2)]);
            let node = InOrder::new(task.K, rank.into(), shape);
            write(&task, kind == ScanKind::Scan, node, script);
        }))
    }
}

/// What a rank does. A scan has one vector, and one for messages; the result of an exclusive one is without the rank's own words, which
/// another vector has.
fn write(task: &Task, is_scan: bool, node: InOrder, script: &mut Script) {
    let (is_first, is_last) = (node.first == 0, node.first + node.size == task.K);
    let [left, right] = node.children.map(|child| child.map(narrow));
    let [own, message] = if is_scan { [RESULT, 1] } else { [1, 2] };
    let words = || task.vector();
    if let Some(left) = left {
        let act = if is_scan {
            Act::CombineBefore
        } else {
            Act::Receive
        };
        script.push(act, RESULT, left, UP, words());
        if !is_scan && (right.is_some() || !is_last) {
            script.local(own, (RESULT, own), words());
        }
    }
    if let (Some(right), false) = (right, is_last) {
        script.push(Act::Receive, message, right, UP, words());
        script.local(message, (own, message), words());
    }
    if let (Some(parent), false) = (node.parent, is_last) {
        let sent = if right.is_some() { message } else { own };
        script.push(Act::Send, sent, narrow(parent), UP, words());
    }
    let parent = node.parent.filter(|_| !is_first);
    let below = if left.is_some() { message } else { RESULT };
    if let Some(parent) = parent {
        let act = if is_scan && left.is_none() {
            Act::CombineBefore
        } else {
            Act::Receive
        };
        script.push(act, below, narrow(parent), DOWN, words());
        if let Some(left) = left {
            script.push(Act::Send, message, left, DOWN, words());
        }
        let is_combined = if is_scan {
            left.is_some()
        } else {
            right.is_some()
        };
        if is_combined {
            script.local(own, (below, own), words());
        }
    }
    if let Some(right) = right {
        script.push(Act::Send, own, right, DOWN, words());
    }
    if !is_scan && parent.is_some() && left.is_some() {
        script.local(RESULT, (message, RESULT), words());
    }
}
