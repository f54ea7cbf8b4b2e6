//! Optimal: no gossip on the mesh takes fewer steps; no link is ever idle and no node gets a message twice.
//!
//! **Source.** The trees and the order are castbench's. Wang, Ying, "The gossiping algorithm in square mesh", prove the
//! bound and leave open whether it is reached. Wang, Lau, "Optimal gossiping in square 2D meshes", Theoretical Computer Science 384, 2007,
//! say that it is, by another algorithm (only the abstract was available).
//!
//! **Symbols.** n is the side of the mesh, `T = (n^2+n)/2` the lower bound.
//!
//! **Algorithm.** Each message has a fixed broadcast tree: a row, every other column, and leaves beside these
//! columns. Every link is in exactly T of the trees. In each step each link executes the trunk hop that is due; if there is none, any
//! ready leaf hop; if there is none either, a hop from a row into a column whose sender holds the message and which is due later.
//!
//! **Cost.** T steps for n >= 2, 0 for n = 1.
//!
//! 1. The due steps of the trunk hops on a link differ, and a hop is due after the one before it in its tree. So
//!    by induction over the steps none is made later than it is due.
//! 2. A link is never idle if before each step t at least t of its T hops are ready. A trunk hop counts as ready in the step in which it is
//!    due; a hop into a column as soon as its sender holds the message.
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

use super::{Gossip, MAX_CHECKED, Rounds, Transfer, lower_bound, refuse_unchecked};
use crate::error::Error;
use trees::{Run, Tree};

/// The optimal gossip. See the module.
pub struct Optimal;

impl Gossip for Optimal {
    /// ```
    /// use castbench_algorithms::internals::mesh::gossip::Gossip;
    /// use castbench_algorithms::internals::mesh::gossip::optimal::Optimal;
    /// assert_eq!(Optimal.steps(8)?, 36);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn steps(&self, n: u32) -> Result<u64, Error> {
        refuse_unchecked(n)?;
        Ok(lower_bound(n))
    }

    /// At this side the ready hops take about 400 MB.
    fn most_side(&self) -> u32 {
        MAX_CHECKED
    }

    fn schedule(&self, n: u32) -> Result<Box<dyn Rounds>, Error> {
        Ok(Box::new(Schedule::new(n)))
    }
}

/// A message and the direction of a hop as one number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Hop(u16);

impl Hop {
    /// There are at most [`MAX_CHECKED`]^2 = 2^14 messages.
    #[inline]
    fn new(message: u32, forward: bool) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "below 2^15")]
        let message = (message << 1) as u16;
        Self(message | u16::from(forward))
    }

    #[inline]
    fn message(self) -> u32 {
        u32::from(self.0 >> 1)
    }

    /// Whether it leads to the greater end of the link.
    #[inline]
    fn forward(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A run of trunk hops that goes on by one hop in each step.
#[derive(Clone, Copy)]
struct Wave {
    hop: Hop,
    /// The column of the tree that it goes along; `None` for the row.
    column: Option<u8>,
    /// The position on the line from which the next hop leads.
    at: u8,
    /// How many hops are left.
    left: u8,
    /// Whether the next hop was made before it was due.
    is_made: bool,
    /// The link of the next hop.
    link: u32,
}

/// The steps, one at a time. The links of every row, from position 0 on, are followed by those of every column.
struct Schedule {
    n: u32,
    step: u32,
    trees: Vec<Tree>,
    /// What starts in each step.
    starts: Vec<Vec<Wave>>,
    waves: Vec<Wave>,
    /// The ready leaf hops of each link.
    leaves: Vec<Vec<Hop>>,
    /// The hops into a column that are ready on each link. Some may have been made when they were due.
    early: Vec<Vec<Hop>>,
    /// Whether hops into columns were made before they were due.
    made: Vec<bool>,
    /// For each link, what crosses it in the current step.
    crossing: Vec<Option<Hop>>,
}

impl Schedule {
    fn new(n: u32) -> Self {
        let nodes = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
        let trees: Vec<Tree> = nodes.map(|node| Tree::new(n, node)).collect();
        let links = (2 * n * (n - 1)) as usize;
        let mut schedule = Self {
            n,
            step: 0,
            trees,
            starts: vec![Vec::new(); (n * (n + 1) / 2) as usize + 1],
            waves: Vec::new(),
            leaves: vec![Vec::new(); links],
            early: vec![Vec::new(); links],
            made: vec![false; (n * n * (n + 1)) as usize],
            crossing: vec![None; links],
        };
        for message in 0..n * n {
            let tree = schedule.trees[message as usize];
            for run in tree.runs() {
                schedule.plan(message, run);
            }
            schedule.enter(message, tree.source().0);
        }
        schedule
    }

    /// Plans the waves of a run: one, or one of the first hop and one of the others.
    fn plan(
        &mut self,
        message: u32,
        Run {
            in_row,
            line,
            from,
            forward,
            due: [first, second],
        }: Run,
    ) {
        let n = self.n;
        // A row of an odd message is a column of the mesh.
        let links = if in_row == self.trees[message as usize].odd {
            n * (n - 1)
        } else {
            0
        } + line * (n - 1);
        let count = if forward { n - 1 - from } else { from };
        let mut wave = |due: u32, skipped: u32, left: u32| {
            let at = if forward {
                from + skipped
            } else {
                from - skipped
            };
            self.starts[due as usize].push(Wave {
                hop: Hop::new(message, forward),
                column: (!in_row).then_some(small(line)),
                at: small(at),
                left: small(left),
                is_made: false,
                link: links + at - u32::from(!forward),
            });
        };
        match count {
            0 => {}
            _ if second == first + 1 => wave(first, 0, count),
            _ => {
                wave(first, 0, 1);
                if count > 1 {
                    wave(second, 1, count - 1);
                }
            }
        }
    }

    /// A message has reached this position of its row.
    fn enter(&mut self, message: u32, x: u32) {
        let tree = &self.trees[message as usize];
        let (n, (_, y)) = (self.n, tree.source());
        if tree.is_trunk(x) {
            let first = if tree.odd { 0 } else { n * (n - 1) } + x * (n - 1) + y;
            if y > 0 {
                self.early[first as usize - 1].push(Hop::new(message, false));
            }
            if y < n - 1 {
                self.early[first as usize].push(Hop::new(message, true));
            }
        }
    }

    /// A hop into a column that is ready on a link and due later; it counts as made from now on.
    fn take_early(&mut self, link: usize) -> Option<Hop> {
        let n = self.n as usize;
        while let Some(hop) = self.early[link].pop() {
            if self.trees[hop.message() as usize].columns_due()[0] > self.step {
                let column = link % (n * (n - 1)) / (n - 1);
                let index = self.index(hop, column);
                self.made[index] = true;
                return Some(hop);
            }
        }
        None
    }

    /// The index of a hop into a column in `made`.
    fn index(&self, hop: Hop, column: usize) -> usize {
        hop.message() as usize * (self.n as usize + 1) + column / 2 * 2 + usize::from(hop.forward())
    }

    /// Starts the waves of the current step.
    fn start(&mut self) {
        let Some(waves) = self.starts.get_mut(self.step as usize).map(std::mem::take) else {
            return;
        };
        for mut wave in waves {
            let row = self.trees[wave.hop.message() as usize].source().1;
            if let Some(column) = wave.column
                && u32::from(wave.at) == row
            {
                wave.is_made = self.made[self.index(wave.hop, column.into())];
            }
            self.waves.push(wave);
        }
    }

    /// Makes the hops to leaves ready that follow the current hops of the waves, and moves these on.
    fn advance(&mut self) {
        let n = self.n;
        let mut waves = std::mem::take(&mut self.waves);
        waves.retain_mut(|wave| {
            let forward = wave.hop.forward();
            wave.at = if forward { wave.at + 1 } else { wave.at - 1 };
            wave.link = if forward {
                wave.link + 1
            } else {
                wave.link.wrapping_sub(1)
            };
            wave.left -= 1;
            wave.is_made = false;
            if let Some(x) = wave.column {
                let (x, y) = (u32::from(x), u32::from(wave.at));
                let tree = &self.trees[wave.hop.message() as usize];
                let row = if tree.odd { n + y } else { y } * (n - 1);
                let (left, right) = tree.leaves(x, y);
                if left {
                    self.leaves[(row + x - 1) as usize].push(Hop::new(wave.hop.message(), false));
                }
                if right {
                    self.leaves[(row + x) as usize].push(Hop::new(wave.hop.message(), true));
                }
            } else {
                self.enter(wave.hop.message(), wave.at.into());
            }
            wave.left > 0
        });
        self.waves = waves;
    }

    /// Appends the crossing messages.
    fn cross(&self, transfers: &mut Vec<Transfer>) {
        let n = self.n;
        let mut links = self.crossing.iter();
        for is_row in [true, false] {
            for line in 0..n {
                let (first, along) = if is_row { (line * n, 1) } else { (line, n) };
                for (position, crossing) in (0..n - 1).zip(&mut links) {
                    let Some(hop) = *crossing else { continue };
                    let near = first + position * along;
                    let (from, to) = if hop.forward() {
                        (near, near + along)
                    } else {
                        (near + along, near)
                    };
                    transfers.push(Transfer {
                        from,
                        to,
                        message: hop.message(),
                    });
                }
            }
        }
    }
}

/// A position on the mesh, or a number of hops, below [`MAX_CHECKED`].
fn small(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

impl Rounds for Schedule {
    fn round(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let before = transfers.len();
        self.step += 1;
        self.start();
        self.crossing.fill(None);
        for wave in self.waves.iter().filter(|wave| !wave.is_made) {
            self.crossing[wave.link as usize] = Some(wave.hop);
        }
        for link in 0..self.crossing.len() {
            if self.crossing[link].is_none() {
                self.crossing[link] = self.leaves[link].pop().or_else(|| self.take_early(link));
            }
        }
        self.cross(transfers);
        self.advance();
        transfers.len() > before
    }
}
