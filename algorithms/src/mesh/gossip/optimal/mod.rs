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

/// The due step, message and direction of a hop as one number, which orders hops by due step. It is 0 for a hop to a leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packed(u32);

impl Packed {
    /// There are at most [`MAX_CHECKED`]^2 = 2^14 messages, and fewer steps.
    #[inline]
    fn new(due: u32, message: u32, forward: bool) -> Self {
        Self(due << 16 | message << 1 | u32::from(forward))
    }

    fn due(self) -> u32 {
        self.0 >> 16
    }

    fn message(self) -> u32 {
        (self.0 & 0xffff) >> 1
    }

    /// Whether the hop leads to the greater end of the link.
    fn forward(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The ready hops of a link.
#[derive(Clone, Default)]
struct Ready {
    /// Trunk hops, the first due at the end. New hops are due soon, so they belong near the end.
    trunk: Vec<Packed>,
    /// The low half of leaf hops.
    leaves: Vec<u16>,
}

impl Ready {
    /// Adds a hop.
    #[inline]
    fn push(&mut self, hop: Packed) {
        if hop.due() == 0 {
            self.leaves.push((hop.0 & 0xffff) as u16);
            return;
        }
        let later = self.trunk.len();
        self.trunk.push(hop);
        for place in (0..later).rev() {
            if self.trunk[place] > hop {
                break;
            }
            self.trunk.swap(place, place + 1);
        }
    }

    /// Takes the trunk hop that is due first, else a leaf hop.
    #[inline]
    fn pop(&mut self) -> Option<Packed> {
        self.trunk.pop().or_else(|| self.leaves.pop().map(|hop| Packed(hop.into())))
    }
}

/// The steps, one at a time. The links of every row, from position 0 on, are followed by those of every column.
struct Schedule {
    n: u32,
    trees: Vec<Tree>,
    ready: Vec<Ready>,
    /// For each link, what crosses it in the current step.
    crossing: Vec<Option<Packed>>,
}

impl Schedule {
    fn new(n: u32) -> Self {
        let nodes = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
        let trees: Vec<Tree> = nodes.map(|node| Tree::new(n, node)).collect();
        let links = (2 * n * (n - 1)) as usize;
        let mut schedule = Self { n, trees, ready: vec![Ready::default(); links], crossing: vec![None; links] };
        for message in 0..n * n {
            schedule.make_ready(message, Held::Own);
        }
        schedule
    }

    /// The hops that a node can make now that it holds a message.
    fn make_ready(&mut self, message: u32, held: Held) {
        let n = self.n;
        let tree = self.trees[message as usize];
        tree.pass_on(held, |Hop { link: Place { in_row, line, at }, forward, due }| {
            // A row of an odd message is a column of the mesh.
            let first = if in_row == tree.odd { n * (n - 1) } else { 0 };
            let hop = Packed::new(due.unwrap_or(0), message, forward);
            self.ready[(first + line * (n - 1) + at) as usize].push(hop);
        });
    }

    /// The same after a hop to node (x, y) along a column of its tree, as nearly all trunk hops are: the next one crosses the next link.
    #[inline]
    fn make_next_ready(&mut self, hop: Packed, link: usize, (x, y): (u32, u32)) {
        let n = self.n;
        let tree = &self.trees[hop.message() as usize];
        if 0 < y && y < n - 1 {
            let next = if hop.forward() { link + 1 } else { link - 1 };
            self.ready[next].push(Packed::new(tree.due_after(hop.due()), hop.message(), hop.forward()));
        }
        let row = if tree.odd { n + y } else { y } * (n - 1);
        let mut leaf = |forward: bool| {
            let link = (row + x - u32::from(!forward)) as usize;
            self.ready[link].push(Packed::new(0, hop.message(), forward));
        };
        let (left, right) = tree.leaves(x, y);
        if left | right {
            leaf(right);
        }
        if left & right {
            leaf(false);
        }
    }

    /// Appends the crossing messages, and makes the hops ready that follow.
    fn cross(&mut self, transfers: &mut Vec<Transfer>) {
        let n = self.n;
        let crossing = std::mem::take(&mut self.crossing);
        let mut links = crossing.iter().enumerate();
        for is_row in [true, false] {
            for line in 0..n {
                let (first, along) = if is_row { (line * n, 1) } else { (line, n) };
                for (position, (link, crossing)) in (0..n - 1).zip(&mut links) {
                    let Some(hop) = *crossing else { continue };
                    let near = first + position * along;
                    let (from, to) = if hop.forward() { (near, near + along) } else { (near + along, near) };
                    transfers.push(Transfer { from, to, message: hop.message() });
                    if hop.due() == 0 {
                        continue;
                    }
                    let at = position + u32::from(hop.forward());
                    if is_row == self.trees[hop.message() as usize].odd {
                        self.make_next_ready(hop, link, (line, at));
                    } else {
                        let end = Place { in_row: true, line, at };
                        self.make_ready(hop.message(), Held::Hop(end, hop.forward()));
                    }
                }
            }
        }
        self.crossing = crossing;
    }
}

impl Steps for Schedule {
    fn step(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let before = transfers.len();
        // A short separate loop, so that cache misses overlap.
        for (crossing, ready) in self.crossing.iter_mut().zip(&mut self.ready) {
            *crossing = ready.pop();
        }
        self.cross(transfers);
        transfers.len() > before
    }
}
