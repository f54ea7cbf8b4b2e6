//! More than k + 1 nodes: the work of each node of a vertex in a round.
//!
//! A *slot* is the position of a message in its batch, from 1 to k. The last message also fills all slots after it.

use super::super::hypercube::Cube;
use super::super::rounds::{Rounds, Transfer, once_to_a_node};
use super::super::trees::Deal;
use super::shape::Grouping;

/// The rounds of m messages over a hypercube of at least two vertices.
pub(super) struct Groups {
    cube: Cube,
    shape: Grouping,
    k: u64,
    m: u64,
    /// Which node of each full vertex speaks, from 0 to k. The first full vertex is vertex 1.
    speaking: Vec<u64>,
    round: u64,
}

impl Groups {
    pub(super) fn new(shape: Grouping, k: u64, m: u64) -> Self {
        let cube = Cube::new(shape.vertices, k);
        let speaking = (0..shape.full).map(|_| 0).collect();
        Self {
            cube,
            shape,
            k,
            m,
            speaking,
            round: 0,
        }
    }

    /// The message in a slot of a batch, counted from 1, if there is such a batch.
    fn message(&self, slot: u64, batch: Option<u64>) -> Option<u64> {
        let before = batch?.checked_sub(1)?;
        Some((before * self.k + slot).min(self.m) - 1)
    }

    /// The batch that left the root this number of rounds ago.
    fn batch(&self, ago: u64) -> Option<u64> {
        self.round.checked_sub(ago)
    }

    /// Node number `member` of a vertex, from 0 to k.
    fn node(&self, vertex: u64, member: u64) -> u64 {
        if vertex <= self.shape.full {
            return 1 + (vertex - 1) * (self.k + 1) + member;
        }
        vertex + self.shape.full * self.k
    }

    /// The member that is `ahead` of another one, at most k + 1, counted around.
    fn ahead(&self, member: u64, ahead: u64) -> u64 {
        let behind = member + ahead;
        if behind > self.k {
            behind - (self.k + 1)
        } else {
            behind
        }
    }

    /// The node that speaks for a vertex in this round.
    fn speaker(&self, vertex: u64) -> u64 {
        if vertex == 0 {
            0
        } else {
            self.node(vertex, self.speaks(vertex))
        }
    }

    fn speaks(&self, vertex: u64) -> u64 {
        let index = usize::try_from(vertex - 1).unwrap_or(usize::MAX);
        self.speaking.get(index).copied().unwrap_or(0)
    }

    /// A node without a vertex.
    fn pool(&self, index: u64) -> u64 {
        self.shape.vertices + self.shape.full * self.k + index
    }

    /// The node without a vertex that receives a slot, the number of others to which it sends it, and the node that also receives it instead
    /// of the last vertex and sends it to the rest.
    fn dealt(&self, slot: u64) -> (u64, u64, Option<u64>) {
        let (first, sends, rest) = self.shape.deal.parts(self.k, self.shape.pool - 1, slot - 1);
        // In a row node 0 sends nothing. It has slot 1, so that it does not get the last message last.
        let idle = self.shape.deal == Deal::InRow && slot == 1;
        let second = if rest > 0 {
            Some(first + 1)
        } else {
            idle.then_some(0)
        };
        (first, sends, second)
    }

    /// Appends what the nodes of a vertex receive from other vertices.
    fn receive(&self, vertex: u64, push: &mut impl FnMut(u64, u64, Option<u64>)) {
        let unit = self.cube.unit(self.round, 0);
        let own = self.cube.digit(vertex, unit);
        let line = vertex - own * unit;
        let mut speaks = self.speaks(vertex);
        if own > 0 {
            // The batch of the slot `own` ends here. From now on the next speaker receives the messages to forward.
            speaks = self.ahead(speaks, 1);
            let (slot, ago) = if line == 0 {
                (own, 0)
            } else {
                self.cube.passed_on(self.round, line)
            };
            push(
                self.speaker(line),
                self.node(vertex, speaks),
                self.message(slot, self.batch(ago)),
            );
        }
        let batch = self.batch(self.cube.dimensions());
        for slot in (1..=self.k).filter(|&slot| slot != own) {
            // The slot `own` would be for the member k ahead, which has spoken so far.
            let ahead = if slot > own {
                slot - own
            } else {
                slot + self.k - own
            };
            let mut to = self.node(vertex, self.ahead(speaks, ahead));
            if vertex + 1 == self.shape.vertices
                && let (_, _, Some(second)) = self.dealt(slot)
            {
                to = self.pool(second);
            }
            push(
                self.speaker(line + slot * unit),
                to,
                self.message(slot, batch),
            );
        }
    }

    /// Appends what the nodes of a full vertex send each other.
    fn exchange(&self, vertex: u64, push: &mut impl FnMut(u64, u64, Option<u64>)) {
        let batch = self.batch(self.cube.dimensions() + 1);
        let own = self.cube.digit(vertex, self.cube.unit(self.round, 1));
        for ahead in 1..=self.k {
            // The inverse of the mapping of received slots.
            let slot = if own + ahead > self.k {
                own + ahead - self.k
            } else {
                own + ahead
            };
            let member = self.ahead(self.speaks(vertex), ahead);
            let message = self.message(slot, batch);
            for other in 1..=self.k {
                push(
                    self.node(vertex, member),
                    self.node(vertex, self.ahead(member, other)),
                    message,
                );
            }
        }
    }

    /// Appends what the nodes without a vertex receive instead of the root, and what they send.
    fn share(&self, push: &mut impl FnMut(u64, u64, Option<u64>)) {
        let unit = self.cube.unit(self.round, 0);
        let dimensions = self.cube.dimensions();
        for slot in 1..=self.k {
            let (first, sends, second) = self.dealt(slot);
            push(
                self.speaker(slot * unit),
                self.pool(first),
                self.message(slot, self.batch(dimensions)),
            );
            let lacks = |&index: &u64| index != first && Some(index) != second;
            let waits = second.map(|_| self.node(self.shape.vertices - 1, 0));
            let receivers = (0..self.shape.pool)
                .filter(lacks)
                .map(|index| self.pool(index))
                .chain(waits);
            let message = self.message(slot, self.batch(dimensions + 1));
            for (sent, to) in (0..).zip(receivers) {
                let from = if sent < sends {
                    first
                } else {
                    second.unwrap_or(first)
                };
                push(self.pool(from), to, message);
            }
        }
    }
}

impl Rounds for Groups {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        if self.round == self.cube.dimensions() + 1 + (self.m - 1).div_ceil(self.k) {
            return false;
        }
        self.round += 1;
        let mut push = |from: u64, to: u64, message: Option<u64>| {
            sends.extend(message.and_then(|message| Transfer::new(from, to, message)));
        };
        (1..self.shape.vertices).for_each(|vertex| self.receive(vertex, &mut push));
        (1..=self.shape.full).for_each(|vertex| self.exchange(vertex, &mut push));
        self.share(&mut push);
        if self.round * self.k >= self.m {
            // The last message is in several slots; a node needs it once.
            once_to_a_node(sends);
        }
        let unit = self.cube.unit(self.round, 0);
        for (vertex, speaking) in (1..).zip(&mut self.speaking) {
            if self.cube.digit(vertex, unit) > 0 {
                *speaking = if *speaking == self.k {
                    0
                } else {
                    *speaking + 1
                };
            }
        }
        true
    }
}
