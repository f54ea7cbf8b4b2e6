//! Coupled: the routes of the two phases, without waiting for the end of the first one.
//!
//! **Source.** Wang, Ying, "The gossiping algorithm in square mesh", for the routes; its summary attributes the lost steps to phases
//! that are "not coupled tightly enough". It does not say how to couple them.
//!
//! **Symbols.** n is the side of the mesh. Position p of a line (a row or a column) has links to p - 1 and p + 1.
//!
//! **Algorithm.** The message of an even node runs along its row, and from every node of that row along the column;
//! that of an odd node along its column first, then along the rows. In each step each link carries, of the messages ready at its ends,
//! the one that is farthest from the end of the line. Ties: a first line before a second, then towards greater positions, then the
//! message that was ready first.
//!
//! **Cost.** `floor((n^2+2n-1)/2)` steps for n >= 2, 0 for n = 1.
//!
//! - These routes allow no fewer. For even n, the middle link of a line carries the n/2 messages that start on the line
//!   and the n^2/2 that cross it from others, one a step, and the last has n/2 - 1 links before it:
//!   `(n^2+n)/2 + n/2 - 1`. For odd n, a link of a column of odd x carries (n+1)/2 messages of its own odd nodes and
//!   (n^2+1)/2 of even nodes, and beside the centre the last has (n-3)/2 links before it at least:
//!   `(n^2+n)/2 + 1 + (n-3)/2`.
//! - It is not proved that this number of steps is enough. Execution confirmed it for every n up to [`MAX_CHECKED`]; for larger n no cost
//!   is stated.
//!
//! **When it wins.** Against [two phases](super::two_phase) for all n >= 4, by about n/2 steps. The lower bound is at
//! most (n-1)/2 steps away.
//!
//! **Departures from the paper.** There are no phases and no priority for messages to the centre.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::{Gossip, MAX_CHECKED, Rounds, Transfer, refuse_unchecked};
use crate::error::{Error, fit};

/// The two phases overlapped. See the module.
pub struct Coupled;

impl Gossip for Coupled {
    /// ```
    /// use castbench_algorithms::internals::mesh::gossip::Gossip;
    /// use castbench_algorithms::internals::mesh::gossip::coupled::Coupled;
    /// assert_eq!(Coupled.steps(8)?, 39);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn steps(&self, n: u32) -> Result<u64, Error> {
        refuse_unchecked(n)?;
        let n = u128::from(n);
        if n == 1 {
            Ok(0)
        } else {
            fit((n * (n + 2) - 1) / 2)
        }
    }

    fn schedule(&self, n: u32) -> Result<Box<dyn Rounds>, Error> {
        Ok(Box::new(Schedule::new(n)))
    }

    fn most_side(&self) -> u32 {
        MAX_CHECKED
    }
}

/// The kind of a crossing: on a message's first line towards greater positions (0) and smaller ones (1), and so on its second line (2 and 3).
/// Lower ones come first where the priority is the same.
type CrossingKind = usize;

fn is_first(kind: CrossingKind) -> bool {
    kind < 2
}

fn is_forward(kind: CrossingKind) -> bool {
    kind.is_multiple_of(2)
}

/// By kind the messages that are ready to cross a link, in the order in which they became ready.
type Ready = [VecDeque<u16>; 4];

/// The steps, one at a time. The links of every row, from position 0 on, are followed by those of every column.
struct Schedule {
    n: u32,
    /// The priority of kinds, by position on a line.
    orders: Vec<[CrossingKind; 4]>,
    /// By link.
    ready: Vec<Ready>,
    /// For each link, what crosses it in the current step.
    crossing: Vec<Option<(CrossingKind, u16)>>,
}

impl Schedule {
    fn new(n: u32) -> Self {
        let orders: Vec<_> = (0..n - 1).map(|position| order(n, position)).collect();
        let links = 2 * n as usize * orders.len();
        let mut schedule = Self {
            n,
            orders,
            ready: vec![Ready::default(); links],
            crossing: vec![None; links],
        };
        for y in 0..n {
            for x in 0..n {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "at most MAX_CHECKED^2 = 2^14 messages"
                )]
                let message = (y * n + x) as u16;
                let (row, column) = ((y, x), (n + x, y));
                let (first, second) = if (x + y).is_multiple_of(2) {
                    (row, column)
                } else {
                    (column, row)
                };
                for (position, kind) in [(first, 0), (first, 1), (second, 2), (second, 3)] {
                    schedule.make_ready(position, kind, message);
                }
            }
        }
        schedule
    }

    /// A message leaves this position of this line, unless the line ends there.
    fn make_ready(&mut self, (line, position): (u32, u32), kind: CrossingKind, message: u16) {
        let links = self.n - 1;
        let link = position.wrapping_sub(u32::from(!is_forward(kind)));
        if link < links {
            let link = (line * links + link) as usize;
            self.ready[link][kind].push_back(message);
        }
    }

    /// Chooses the message for each link, from those ready before the step.
    fn choose(&mut self) {
        let links = self.ready.iter_mut().zip(self.orders.iter().cycle());
        for ((ready, order), crossing) in links.zip(&mut self.crossing) {
            *crossing = order
                .iter()
                .find_map(|&kind| Some((kind, ready[kind].pop_front()?)));
        }
    }

    /// Appends the crossing messages, and makes them ready to be forwarded.
    fn cross(&mut self, transfers: &mut Vec<Transfer>) {
        let n = self.n;
        let crossing = std::mem::take(&mut self.crossing);
        let mut links = crossing.iter();
        for line in 0..2 * n {
            let (first, along) = if line < n {
                (line * n, 1)
            } else {
                (line - n, n)
            };
            for (position, crossing) in (0..n - 1).zip(&mut links) {
                let Some((kind, message)) = *crossing else {
                    continue;
                };
                let near = first + position * along;
                let (from, to) = if is_forward(kind) {
                    (near, near + along)
                } else {
                    (near + along, near)
                };
                transfers.push(Transfer {
                    from,
                    to,
                    message: message.into(),
                });
                let at = position + u32::from(is_forward(kind));
                self.make_ready((line, at), kind, message);
                if is_first(kind) {
                    let across = if line < n {
                        (n + at, line)
                    } else {
                        (at, line - n)
                    };
                    self.make_ready(across, 2, message);
                    self.make_ready(across, 3, message);
                }
            }
        }
        self.crossing = crossing;
    }
}

impl Rounds for Schedule {
    fn round(&mut self, transfers: &mut Vec<Transfer>) -> bool {
        let before = transfers.len();
        self.choose();
        self.cross(transfers);
        transfers.len() > before
    }
}

/// The priority of kinds on the link from this position of a line to the next: the farthest to go first.
fn order(n: u32, position: u32) -> [CrossingKind; 4] {
    let mut order = [0, 1, 2, 3];
    order.sort_by_key(|&kind| {
        Reverse(if is_forward(kind) {
            n - 2 - position
        } else {
            position
        })
    });
    order
}
