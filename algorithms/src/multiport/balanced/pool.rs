//! The rounds of a hypercube and a pool.

use std::iter::repeat_n;

use super::super::bounds::power_from;
use super::super::rounds::{Rounds, Transfer};
use super::ending;
use super::layout::{Layout, index};

/// The rounds of m messages over a hypercube and a pool.
pub(super) struct Pool {
    layout: Layout,
    n: u64,
    k: u64,
    /// b.
    batches: u64,
    /// The last messages in the slots of the rounds from b on.
    ending: Vec<Vec<u64>>,
    messages_ending: u64,
    round: u64,
    last: u64,
}

impl Pool {
    /// For an instance that ends early.
    pub(super) fn new(n: u64, k: u64, m: u64) -> Self {
        let base = u128::from(k) + 1;
        let (q, power) = power_from(base, n.into());
        // Less than n.
        let vertices = u64::try_from(power / base).unwrap_or(1);
        let (batches, messages_ending) = (m.div_ceil(k), (m - 1) % k + 1);
        Self {
            layout: Layout::new(vertices, n - vertices, k, messages_ending),
            n,
            k,
            batches,
            ending: ending::slots(q, messages_ending, k),
            messages_ending,
            round: 0,
            last: batches - 1 + u64::from(q),
        }
    }

    /// The message in a slot of a batch, from 1 on.
    fn message(&self, slot: u64, batch: u64) -> u64 {
        let before = (batch.min(self.batches) - 1) * self.k;
        match batch.checked_sub(self.batches) {
            None => before + slot,
            Some(later) => before + self.ending[index(later)][index(slot)],
        }
    }

    /// The batch that left the root this number of rounds ago, if there is one.
    fn batch(&self, ago: u64) -> Option<u64> {
        self.round.checked_sub(ago).filter(|&batch| batch > 0)
    }

    /// The slot and the batch of the message that a vertex other than the root's holds while it grows, before this round.
    fn growing(&self, vertex: u64) -> (u64, Option<u64>) {
        let cube = &self.layout.cube;
        let own = cube.digit(vertex, cube.unit(self.round, 0));
        let (digit, ago) = if own > 0 {
            (own, cube.dimensions())
        } else {
            cube.passed_on(self.round, vertex)
        };
        (digit - 1, self.batch(ago))
    }

    /// Each line of the hypercube receives what its node with digit 0 holds, or a slot each from the root.
    fn grow(&self, push: &mut impl FnMut(u64, u64, u64)) {
        let cube = &self.layout.cube;
        let unit = cube.unit(self.round, 0);
        for vertex in 1..self.layout.vertices {
            let own = cube.digit(vertex, unit);
            let line = vertex - own * unit;
            let (slot, batch) = match (own, line) {
                (0, _) => continue,
                (_, 0) => (own - 1, Some(self.round)),
                _ => self.growing(line),
            };
            if let Some(batch) = batch {
                push(line, vertex, self.message(slot, batch));
            }
        }
    }

    /// Sends full-grown messages to all nodes that have their slot.
    fn spread(&self, push: &mut impl FnMut(u64, u64, u64)) {
        let cube = &self.layout.cube;
        let Some(batch) = self.batch(cube.dimensions()) else {
            return;
        };
        let unit = cube.unit(self.round, 0);
        for slot in 0..self.k {
            let passes =
                |node: u64| node < self.layout.vertices && cube.digit(node, unit) == slot + 1;
            let senders = (1..self.layout.vertices)
                .filter(|&vertex| passes(vertex))
                .flat_map(|vertex| repeat_n(vertex, index(self.k)));
            let receivers = self
                .layout
                .nodes(self.round, slot, true)
                .filter(|&node| !passes(node));
            let message = self.message(slot, batch);
            senders
                .zip(receivers)
                .for_each(|(from, to)| push(from, to, message));
        }
    }

    /// The pool sends the messages of the previous round's spread to all nodes that lack them.
    fn complete(&self, push: &mut impl FnMut(u64, u64, u64)) {
        let Some(batch) = self.batch(self.layout.cube.dimensions() + 1) else {
            return;
        };
        for slot in 0..self.k {
            let message = self.message(slot, batch);
            for (send, to) in (0..).zip(self.layout.nodes(self.round - 1, slot, false)) {
                push(self.layout.completes(slot, send), to, message);
            }
        }
    }

    /// All nodes that hold one of the last messages send it to nodes that lack it.
    fn end(&self, push: &mut impl FnMut(u64, u64, u64)) {
        let first = (self.batches - 1) * self.k;
        let held = |vertex: u64| match self.growing(vertex) {
            (slot, Some(batch)) => self.message(slot, batch),
            // Not in the last round.
            (_, None) => u64::MAX,
        };
        // Of each vertex; the root's holds all.
        let held: Vec<u64> = std::iter::once(u64::MAX)
            .chain((1..self.layout.vertices).map(held))
            .collect();
        for message in first..first + self.messages_ending {
            let holds = |node: u64| held.get(index(node)) == Some(&message);
            let from_root = (0..self.k)
                .filter(|&slot| self.message(slot, self.round) == message)
                .map(|_| 0);
            let vertices = (1..self.layout.vertices).filter(|&vertex| holds(vertex));
            let senders =
                from_root.chain(vertices.flat_map(|vertex| repeat_n(vertex, index(self.k))));
            let receivers = (1..self.n).filter(|&node| !holds(node));
            senders
                .zip(receivers)
                .for_each(|(from, to)| push(from, to, message));
        }
    }
}

impl Rounds for Pool {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        if self.round == self.last {
            return false;
        }
        self.round += 1;
        let mut push =
            |from: u64, to: u64, message: u64| sends.extend(Transfer::new(from, to, message));
        self.complete(&mut push);
        if self.round < self.last {
            self.grow(&mut push);
            self.spread(&mut push);
        } else {
            self.end(&mut push);
        }
        true
    }
}
