//! Optimal: no gossip on the mesh takes fewer steps; no link is ever idle and no node gets a message twice.
//!
//! **Source.** The trees and the order are castbench's. Wang, Ying, "The gossiping algorithm in square mesh", prove the
//! bound and leave open whether it is reached. Wang, Lau, "Optimal gossiping in square 2D meshes", Theoretical Computer Science 384, 2007,
//! say that it is, by another algorithm (only the abstract was available).
//!
//! **Symbols.** n is the side of the mesh, `T = (n^2+n)/2` the lower bound.
//!
//! **Algorithm.** Each message has a fixed broadcast tree: a row, every other column, and leaves beside these
//! columns. Every link is in exactly T of the trees. In each step each link executes the trunk hop that is due first, of those whose
//! sender holds the message; if there is none, any ready leaf hop.
//!
//! **Cost.** T steps for n >= 2, 0 for n = 1.
//!
//! 1. The due steps of the trunk hops on a link differ, and a hop is due after the one before it in its tree. So
//!    by induction over the steps none is made later than it is due.
//! 2. A link is never idle if before each step t at least t of its T hops are ready, even when trunk hops are executed only when due.
//!    About half of the hops of a link are leaf hops, for which no other hop waits. Each round of the columns makes n/2 of them ready for
//!    each link, and those of the first round come in time to fill the gaps at the border.
//!
//! It is not proved for every n that there are always enough ready hops (2). A test counts them for each link, and the schedule was
//! executed for every n up to [`MAX_CHECKED`]; for larger n no cost is stated.
//!
//! **When it wins.** Always: `floor((n-1)/2)` steps before the [coupled](super::coupled) schedule and n - 2 before the two
//! phases. Those need no table of due steps.
//!
//! **Departures from the paper.** Half of the columns carry the messages that all of them carry there, so that leaf hops remain for the end.
//! With the paper's routes a link is idle while the last message goes from the middle to the border.

mod trees;

use super::{Gossip, MAX_CHECKED, Steps, Transfer, lower_bound, refuse_schedule, refuse_unchecked};
use crate::error::Error;
use trees::{Held, Hop, Place, Tree};

/// The optimal gossip. See the module.
#[derive(Debug, Clone, Copy)]
pub struct Optimal;

impl Gossip for Optimal {
    /// ```
    /// use castbench_algorithms::internals::mesh::gossip::Gossip;
    /// use castbench_algorithms::internals::mesh::gossip::optimal::Optimal;
    /// assert_eq!(Optimal.steps(8)?, 36);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn steps(&self, n: u32) -> Result<u64, Error> {
        Ok(lower_bound(refuse_unchecked(n)?))
    }

    /// At this side the ready hops take about 400 MB.
    fn most_side(&self) -> u32 {
        MAX_CHECKED
    }

    fn schedule(&self, n: u32) -> Result<Box<dyn Steps>, Error> {
        refuse_schedule(n, MAX_CHECKED)?;
        Ok(Box::new(Schedule::new(n)))
    }
}

/// The ready hops of a link, as numbers whose last bit is the direction: 1 to the greater end.
#[derive(Default)]
struct Ready {
    /// Trunk hops with due step, message and direction, the first due at the end. New hops are due soon, so they belong near the end.
    trunk: Vec<u32>,
    /// Leaf hops: message and direction.
    leaves: Vec<u16>,
}

/// The steps, one at a time. The links of every row, from position 0 on, are followed by those of every column.
struct Schedule {
    n: u32,
    trees: Vec<Tree>,
    ready: Vec<Ready>,
    /// Whether each link has a ready trunk hop: the rest is mostly not in the cache.
    has_trunk: Vec<bool>,
    /// Messages that a node got in the last step and forwards.
    learned: Vec<(u16, Held)>,
}

impl Schedule {
    fn new(n: u32) -> Self {
        let nodes = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
        let trees: Vec<Tree> = nodes.map(|node| Tree::new(n, node)).collect();
        let ready: Vec<Ready> = (0..2 * n * (n - 1)).map(|_| Ready::default()).collect();
        // At most MAX_CHECKED^2 = 2^14 messages.
        let learned = (0..).zip(&trees).map(|(message, _)| (message, Held::Own)).collect();
        Self { n, trees, has_trunk: vec![false; ready.len()], ready, learned }
    }

    /// The hops that a node can make now that it holds a message.
    #[inline]
    fn make_ready(&mut self, message: u16, held: Held) {
        let n = self.n;
        let tree = self.trees[usize::from(message)];
        tree.pass_on(held, |Hop { link: Place { in_row, line, at }, forward, due }| {
            // A row of an odd message is a column of the mesh.
            let first = if in_row == tree.odd { n * (n - 1) } else { 0 };
            let link = (first + line * (n - 1) + at) as usize;
            let Ready { trunk, leaves } = &mut self.ready[link];
            // Below 2^15, with due steps below 2^14.
            let hop = message << 1 | u16::from(forward);
            let Some(due) = due else {
                leaves.push(hop);
                return;
            };
            let hop = due << 16 | u32::from(hop);
            if self.has_trunk[link] {
                let place = trunk.iter().rposition(|&other| other > hop).map_or(0, |later| later + 1);
                trunk.insert(place, hop);
            } else {
                trunk.push(hop);
                self.has_trunk[link] = true;
            }
        });
    }

    /// The next hop of a link: message and direction, and whether the receiver forwards it.
    #[inline]
    fn next(&mut self, link: usize) -> Option<(u16, bool)> {
        let Ready { trunk, leaves } = &mut self.ready[link];
        if !self.has_trunk[link] {
            return leaves.pop().map(|hop| (hop, false));
        }
        #[expect(clippy::cast_possible_truncation, reason = "the low 16 bits")]
        let hop = trunk.pop().map(|hop| (hop as u16, true));
        self.has_trunk[link] = !trunk.is_empty();
        hop
    }
}

impl Steps for Schedule {
    fn step(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let n = self.n;
        let before = transfers.len();
        let mut learned = std::mem::take(&mut self.learned);
        for (message, held) in learned.drain(..) {
            self.make_ready(message, held);
        }
        let mut links = 0..;
        for is_row in [true, false] {
            for line in 0..n {
                let (first, along) = if is_row { (line * n, 1) } else { (line, n) };
                for (position, link) in (0..n - 1).zip(&mut links) {
                    let Some((hop, in_trunk)) = self.next(link) else { continue };
                    let (message, forward) = (hop >> 1, hop & 1 == 1);
                    let near = first + position * along;
                    let (from, to) = if forward { (near, near + along) } else { (near + along, near) };
                    transfers.push(Transfer { from, to, message: message.into() });
                    if in_trunk {
                        let in_row = is_row != self.trees[usize::from(message)].odd;
                        let at = position + u32::from(forward);
                        learned.push((message, Held::Hop(Place { in_row, line, at }, forward)));
                    }
                }
            }
        }
        self.learned = learned;
        transfers.len() > before
    }
}
