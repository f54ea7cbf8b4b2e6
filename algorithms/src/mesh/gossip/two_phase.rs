//! Two phases: every node broadcasts along its own line, then all crossing lines gossip.
//!
//! **Source.** Wang, Ying, "The gossiping algorithm in square mesh", sections 2 and 3, figures 1 to 3.
//!
//! **Symbols.** n is the side of the mesh; `v_0 .. v_{n-1}` are the nodes of a line (a row or a column) and `v_c` is
//! its centre, `c = n/2` for even n and `(n-1)/2` for odd; `L_i` and `R_i` are what `v_i` has yet to send left and
//! right.
//!
//! **Algorithm.** Phase 1: every even node broadcasts its message along its row, every odd node along its column. Two
//! nodes whose messages would meet on a link have an odd distance, so one of them is even and uses the row, the other the column: no
//! message waits. Phase 2: every row gossips the messages that its nodes got from their columns, and every column those from the rows. A
//! node left of the centre sends right while `R_i` is not empty, and only then accepts from the right; on the right it is mirrored. So all
//! messages flow to the centre, and back.
//!
//! After phase 1 all nodes of a column hold the same messages of its odd nodes. So in phase 2 all rows are equal, and one of them is
//! executed for all; likewise the columns.
//!
//! **Cost.** `(n-1) + (n^2+n-2)/2 = (n^2+3n-4)/2` steps. In phase 2 a link left of the centre carries a message every
//! step until all from its left are across. By then all from the right have also reached the centre, so the link `v_{c-1} v_c` carries all
//! messages of the line without a pause. The last continues left over c - 1 links without waiting, because a node has sent its own
//! messages when the first from the centre arrives. A line has n^2/2 messages for even n;
//! for odd n a row has (n^2-1)/2, a column (n^2+1)/2, and the columns are last.
//!
//! **When it wins.** Never against [coupled](super::coupled), which uses the same routes; they are equal for n <= 3. It needs only two queues
//! per node and line, and no priorities.
//!
//! **Departures from the paper.**
//! 1. "3-D square mesh" in its introduction means a 2-D mesh.
//! 2. Its sum in section 3, whose printed terms do not add up to the stated result, is read as
//!    `((n+1)/2)^2 + ((n-1)/2)^2 + (n-1)/2 - 1`.
//! 3. The messages that a node "got in phase 1" along a line include its own one if it broadcast that along the line, as the paper's counts
//!    (n+1)/2 and (n-1)/2 show.
//! 4. The paper sets no order within `R_i` and `L_i` at the start; here it is by number.

use std::collections::VecDeque;

use super::{Gossip, Rounds, Transfer};
use crate::cost::{Published, Relation};
use crate::error::{Error, fit};

/// The two phases. See the module.
pub struct TwoPhase;

/// How many steps phase 1 takes; phase 2 begins with the next.
#[must_use]
pub fn first_phase(n: u32) -> u64 {
    u64::from(n.saturating_sub(1))
}

impl Gossip for TwoPhase {
    /// ```
    /// use castbench_algorithms::internals::mesh::gossip::Gossip;
    /// use castbench_algorithms::internals::mesh::gossip::two_phase::TwoPhase;
    /// assert_eq!(TwoPhase.steps(8)?, 42);
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn steps(&self, n: u32) -> Result<u64, Error> {
        let n = u128::from(n);
        fit((n - 1) * (n + 4) / 2)
    }

    fn schedule(&self, n: u32) -> Result<Box<dyn Rounds>, Error> {
        // Phase 2 of every row and of every column; the moves of a line in a step are kept to avoid allocations.
        let (mut step, mut row, mut column, mut moves) = (0, row(n), column(n), Vec::new());
        Ok(Box::new(move |transfers: &mut Vec<Transfer>| {
            let before = transfers.len();
            if u64::from(step) < first_phase(n) {
                step += 1;
                broadcast(n, step, transfers);
                return transfers.len() > before;
            }
            // Nodes of a row are 1 apart and rows are n apart; for columns it is the other way round.
            for (line, along, across) in [(&mut row, 1, n), (&mut column, n, 1)] {
                line.step(&mut moves);
                for &Move { from, to, message } in &moves {
                    let lines = (0..n).map(|number| number * across);
                    transfers.extend(lines.map(|line| Transfer {
                        from: line + from * along,
                        to: line + to * along,
                        message,
                    }));
                }
            }
            transfers.len() > before
        }))
    }

    fn published(&self, n: u32) -> Vec<Published> {
        let wide = u128::from(n);
        vec![Published {
            section: "section 3, S_sum",
            formula: "(n^2+3n-4)/2",
            relation: Relation::Equal,
            value: (wide * (wide + 3)).saturating_sub(4) / 2,
        }]
    }
}

/// Step `step` of phase 1: every message goes from the nodes `step - 1` away, on both sides, to the next.
fn broadcast(n: u32, step: u32, transfers: &mut Vec<Transfer>) {
    for y in 0..n {
        for x in 0..n {
            let message = y * n + x;
            let (position, along) = if (x + y).is_multiple_of(2) {
                (x, 1)
            } else {
                (y, n)
            };
            if position >= step {
                let to = message - step * along;
                transfers.push(Transfer {
                    from: to + along,
                    to,
                    message,
                });
            }
            if position + step < n {
                let to = message + step * along;
                transfers.push(Transfer {
                    from: to - along,
                    to,
                    message,
                });
            }
        }
    }
}

/// A row in phase 2: its node x holds the messages of the odd nodes of column x.
fn row(n: u32) -> GossipLine {
    GossipLine::new((0..n).map(|x| {
        (0..n)
            .filter(|y| !(x + y).is_multiple_of(2))
            .map(|y| y * n + x)
            .collect()
    }))
}

/// A column in phase 2: its node y holds the messages of the even nodes of row y.
fn column(n: u32) -> GossipLine {
    GossipLine::new((0..n).map(|y| {
        (0..n)
            .filter(|x| (x + y).is_multiple_of(2))
            .map(|x| y * n + x)
            .collect()
    }))
}

/// A message crosses a link of a line; `from` and `to` are positions on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Move {
    from: u32,
    to: u32,
    message: u32,
}

/// Figure 2: linear gossip, every node with its own program. The messages at the two ends are never sent.
struct GossipLine {
    /// `L_i`, the messages that node i still has to send left.
    left: Vec<VecDeque<u32>>,
    /// `R_i`, the messages that node i still has to send right.
    right: Vec<VecDeque<u32>>,
}

impl GossipLine {
    /// A line whose nodes hold these messages.
    fn new(messages: impl Iterator<Item = VecDeque<u32>>) -> Self {
        let left: Vec<VecDeque<u32>> = messages.collect();
        Self {
            right: left.clone(),
            left,
        }
    }

    /// Replaces `moves` by those of the next step; none at the end of the gossip.
    fn step(&mut self, moves: &mut Vec<Move>) {
        moves.clear();
        let centre = self.left.len() / 2;
        // Left of the centre the node on the left decides, right of it the node on the right.
        for (near, link) in (0..).zip(1..self.left.len()) {
            let (right, left) = (&mut self.right[link - 1], &mut self.left[link]);
            let far = near + 1;
            let rightward = |message| Move {
                from: near,
                to: far,
                message,
            };
            let leftward = |message| Move {
                from: far,
                to: near,
                message,
            };
            moves.extend(if link <= centre {
                right
                    .pop_front()
                    .map(rightward)
                    .or_else(|| left.pop_front().map(leftward))
            } else {
                left.pop_front()
                    .map(leftward)
                    .or_else(|| right.pop_front().map(rightward))
            });
        }
        // A message that arrives in a step is forwarded in the next one at the earliest.
        for &Move { from, to, message } in &*moves {
            let queues = if from < to {
                &mut self.right
            } else {
                &mut self.left
            };
            queues[to as usize].push_back(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All moves of a line, step by step.
    fn timetable(mut line: GossipLine) -> Vec<Vec<Move>> {
        let mut moves = Vec::new();
        std::iter::from_fn(|| {
            line.step(&mut moves);
            (!moves.is_empty()).then(|| moves.clone())
        })
        .collect()
    }

    /// On a column of n = 7 the even nodes hold 4 messages and the odd ones 3: figure 3, the links of the left half.
    #[test]
    fn figure_3_of_the_paper() {
        let timetable = timetable(column(7));
        let link = |near: u32| -> String {
            let at = |moves: &Vec<Move>| {
                moves
                    .iter()
                    .find(|a_move| a_move.from.min(a_move.to) == near)
                    .copied()
            };
            let sign = |a_move: Option<Move>| {
                a_move.map_or(
                    '.',
                    |Move { from, to, .. }| if from < to { '>' } else { '<' },
                )
            };
            timetable.iter().map(|moves| sign(at(moves))).collect()
        };
        assert_eq!(link(0), ">>>><<<.<<<<.<<<<<<<<<<<<<<");
        assert_eq!(link(1), ">>>>>>><<<<.<<<<<<<<<<<<<<.");
        assert_eq!(link(2), ">>>>>>>>>>><<<<<<<<<<<<<<..");
    }

    /// Queues are first in, first out, so each node forwards messages in the order in which it got them.
    #[test]
    fn a_node_sends_its_own_before_what_it_got() {
        let timetable = timetable(GossipLine::new(
            [vec![7, 8], vec![9], vec![]]
                .into_iter()
                .map(VecDeque::from),
        ));
        let rightward = |near: u32| -> Vec<u32> {
            timetable
                .iter()
                .flatten()
                .filter(|a| (a.from, a.to) == (near, near + 1))
                .map(|a| a.message)
                .collect()
        };
        assert_eq!(rightward(0), [7, 8]);
        assert_eq!(rightward(1), [9, 7, 8]);
    }

    #[test]
    fn the_claims_of_the_paper() {
        let claims = |n| {
            TwoPhase
                .published(n)
                .into_iter()
                .map(|claim| (claim.relation, claim.value))
                .collect::<Vec<_>>()
        };
        assert_eq!(claims(1), [(Relation::Equal, 0)]);
        assert_eq!(claims(7), [(Relation::Equal, 33)]);
        let wide = u128::from(u32::MAX);
        assert_eq!(
            claims(u32::MAX),
            [(Relation::Equal, (wide * wide + 3 * wide - 4) / 2)]
        );
    }
}
