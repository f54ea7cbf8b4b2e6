//! Optimal: no gossip on the mesh takes fewer steps; no link is ever idle and nobody gets a message twice.
//!
//! **Source.** The trees and the order are castbench's. Wang, Ying, "The gossiping algorithm in square mesh", prove the
//! bound and leave open whether it is reached; Wang, Lau, "Optimal gossiping in square 2D meshes", Theoretical
//! Computer Science 384, 2007, say that it is (by another algorithm, of which the abstract alone was read).
//!
//! **Symbols.** n is the side of the mesh, `T = (n^2+n)/2` the lower bound.
//!
//! **Algorithm.** Each message has a fixed broadcast tree: a row, every other column, and leaves beside these
//! columns. Every link lies in exactly T of the trees. In each step each link makes, of the trunk hops whose sender
//! holds the message, the one that is due first; where there is none, any leaf hop that is ready.
//!
//! **Cost.** T steps for n >= 2, 0 for n = 1.
//!
//! 1. The due steps of the trunk hops on a link differ, and a hop is due after the one before it in its tree. So
//!    by induction over the steps none is made later than it is due.
//! 2. A link works on any hop that is ready. It is never idle if before each step t at least t of its T hops are
//!    ready even when trunk hops are made no sooner than due. About half of the hops of a link are leaf hops, on which
//!    nothing waits; each round of the columns makes n/2 of them ready for each link, and those of the first round
//!    come in time to fill what the border leaves open.
//!
//! That there are always enough ready hops (2) is not written out for every n. A test counts them, link by link, and
//! the schedule was executed for every n up to [`MAX_CHECKED`]; beyond, no cost is stated.
//!
//! **When it wins.** Always: `floor((n-1)/2)` steps before the [coupled](super::coupled) schedule and n - 2 before the two
//! phases. Those need no table of due steps.
//!
//! **Departures from the paper.** Half of the columns carry what all of them carry there, so that the work left at the end
//! is leaf hops: the paper's routes leave a link idle while the last message goes from the middle to the border.

mod trees;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Gossip, MAX_CHECKED, Steps, Transfer, lower_bound, refuse_schedule, refuse_unchecked};
use crate::error::Error;
use trees::{Hop, Node, Tree};

/// The optimal gossip. See the module.
#[derive(Debug, Clone, Copy)]
pub struct Optimal;

impl Gossip for Optimal {
    /// ```
    /// use algorithms::mesh::gossip::{Gossip, optimal::Optimal};
    /// assert_eq!(Optimal.steps(8)?, 36);
    /// # Ok::<(), algorithms::error::Error>(())
    /// ```
    fn steps(&self, n: u32) -> Result<u64, Error> {
        Ok(lower_bound(refuse_unchecked(n)?))
    }

    /// There the hops that are ready take some 400 megabytes.
    fn most_side(&self) -> u32 {
        MAX_CHECKED
    }

    fn schedule(&self, n: u32) -> Result<Box<dyn Steps>, Error> {
        refuse_schedule(n, MAX_CHECKED)?;
        Ok(Box::new(Schedule::new(n)))
    }
}

/// What is ready to cross a link; messages by number.
#[derive(Default)]
struct Ready {
    /// Trunk hops, the first due on top: due step and message in one number.
    trunk: BinaryHeap<Reverse<u32>>,
    /// Leaf hops, to the greater end and to the smaller.
    leaves: [Vec<u16>; 2],
}

/// The steps, one at a time. The links of every row, from position 0 on, are followed by those of every column.
struct Schedule {
    n: u32,
    trees: Vec<Tree>,
    ready: Vec<Ready>,
    /// Who came to hold which message in the last step.
    learned: Vec<(u32, u32)>,
}

impl Schedule {
    fn new(n: u32) -> Self {
        let trees = (0..n * n).map(|node| Tree::new(n, place(n, node))).collect();
        let ready = (0..2 * n * (n - 1)).map(|_| Ready::default()).collect();
        Self { n, trees, ready, learned: (0..n * n).map(|node| (node, node)).collect() }
    }

    /// The hops that a node can make now that it holds a message.
    fn make_ready(&mut self, node: u32, message: u32) {
        let n = self.n;
        let (x, y) = place(n, node);
        let rows = n * (n - 1);
        let offers = [
            (x + 1 < n).then(|| ((x + 1, y), y * (n - 1) + x, 0)),
            (y + 1 < n).then(|| ((x, y + 1), rows + x * (n - 1) + y, 0)),
            (x > 0).then(|| ((x.wrapping_sub(1), y), (y * (n - 1) + x).wrapping_sub(1), 1)),
            (y > 0).then(|| ((x, y.wrapping_sub(1)), (rows + x * (n - 1) + y).wrapping_sub(1), 1)),
        ];
        for (to, link, towards) in offers.into_iter().flatten() {
            let ready = &mut self.ready[link as usize];
            match self.trees[message as usize].hop((x, y), to) {
                // Both below 2^16, for n <= 128.
                Some(Hop::Trunk(due)) => ready.trunk.push(Reverse(due << 16 | message)),
                #[expect(clippy::cast_possible_truncation, reason = "at most MAX_CHECKED^2 = 2^14 messages")]
                Some(Hop::Leaf) => ready.leaves[towards].push(message as u16),
                None => {}
            }
        }
    }

    /// What crosses a link now: the message, and whether to the greater end.
    fn choose(&mut self, link: usize, near: Node, in_row: bool) -> Option<(u32, bool)> {
        let ready = &mut self.ready[link];
        if let Some(Reverse(hop)) = ready.trunk.pop() {
            let message = hop & 0xffff;
            let source = place(self.n, message);
            // A trunk hop leads away from its source.
            let forward = if in_row { source.0 <= near.0 } else { source.1 <= near.1 };
            return Some((message, forward));
        }
        let [forward, backward] = &mut ready.leaves;
        let pop = |stack: &mut Vec<u16>, forward| stack.pop().map(|message| (u32::from(message), forward));
        pop(forward, true).or_else(|| pop(backward, false))
    }
}

impl Steps for Schedule {
    fn step(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let n = self.n;
        let before = transfers.len();
        for (node, message) in std::mem::take(&mut self.learned) {
            self.make_ready(node, message);
        }
        for line in 0..2 * n {
            for position in 0..n - 1 {
                let in_row = line < n;
                let (near, along) = if in_row { ((position, line), 1) } else { ((line - n, position), n) };
                let link = line * (n - 1) + position;
                if let Some((message, forward)) = self.choose(link as usize, near, in_row) {
                    let (near, far) = (near.1 * n + near.0, near.1 * n + near.0 + along);
                    let (from, to) = if forward { (near, far) } else { (far, near) };
                    transfers.push(Transfer { from, to, message });
                    self.learned.push((to, message));
                }
            }
        }
        transfers.len() > before
    }
}

/// Column and row of a node.
fn place(n: u32, node: u32) -> Node {
    (node % n, node / n)
}
