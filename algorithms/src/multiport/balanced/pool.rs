//! The rounds of a plan.

use super::super::rounds::{Rounds, Transfer, once_to_a_node};
use super::plan::Plan;

/// The rounds of m messages over a hypercube and a pool.
pub(super) struct Pool {
    plan: Plan,
    n: u64,
    k: u64,
    m: u64,
    round: u64,
}

impl Pool {
    pub(super) fn new(plan: Plan, n: u64, k: u64, m: u64) -> Self {
        Self { plan, n, k, m, round: 0 }
    }

    /// The message in a slot, from 0, of the batch that left the root so many rounds ago, if there is one.
    fn message(&self, slot: u64, ago: u64) -> Option<u64> {
        let before = (self.round - 1).checked_sub(ago)?;
        let (first, last) = (before * self.k, (self.m - 1) / self.k);
        if before < last {
            return Some(first + slot);
        }
        let turn = if before == last { 0 } else { self.plan.turn };
        let class = self.plan.class[usize::try_from((slot + turn) % self.k).unwrap_or(0)];
        Some(last * self.k + class)
    }

    /// The dimension of the round that was so many rounds ago.
    fn dimension(&self, ago: u64) -> u64 {
        let dimensions = self.plan.cube.dimensions();
        (self.round + dimensions - 1 - ago) % dimensions
    }

    /// The places that wait for a slot that went through the hypercube so many rounds ago.
    fn waiting(&self, slot: u64, ago: u64) -> impl Iterator<Item = u64> + '_ {
        let dimension = self.dimension(ago);
        (1..self.plan.places).filter(move |&place| self.plan.waits(dimension, place, slot))
    }

    /// Appends what a place receives from other places.
    fn receive(&self, place: u64, push: &mut impl FnMut(u64, u64, Option<u64>)) {
        let cube = &self.plan.cube;
        let unit = cube.unit(self.round, 0);
        let own = cube.digit(place, unit);
        let line = place - own * unit;
        if own > 0 {
            let (digit, ago) = if line == 0 { (own, 0) } else { cube.passed_on(self.round, line) };
            push(line, place, self.message(digit - 1, ago));
        }
        let dimension = self.dimension(0);
        for digit in (1..=self.k).filter(|&digit| digit != own && !self.plan.waits(dimension, place, digit - 1)) {
            push(line + digit * unit, place, self.message(digit - 1, cube.dimensions()));
        }
    }

    /// Appends what the pool receives of a slot instead of the root and of those who wait, and what it sends.
    fn share(&self, slot: u64, push: &mut impl FnMut(u64, u64, Option<u64>)) {
        let cube = &self.plan.cube;
        let (unit, dimensions) = (cube.unit(self.round, 0), cube.dimensions());
        let holders = &self.plan.holders[usize::try_from(slot).unwrap_or(0)];
        let lines = std::iter::once(0).chain(self.waiting(slot, 0).map(|place| place - cube.digit(place, unit) * unit));
        for (line, (holder, _)) in lines.zip(holders) {
            push(line + (slot + 1) * unit, self.plan.places + holder, self.message(slot, dimensions));
        }
        if self.round == 1 {
            return;
        }
        let lack = (0..self.n - self.plan.places).filter(|index| holders.iter().all(|(holder, _)| holder != index));
        let mut receivers = lack.map(|index| self.plan.places + index).chain(self.waiting(slot, 1));
        let message = self.message(slot, dimensions + 1);
        for (holder, sends) in holders {
            for to in receivers.by_ref().take(usize::try_from(*sends).unwrap_or(usize::MAX)) {
                push(self.plan.places + holder, to, message);
            }
        }
    }
}

impl Rounds for Pool {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        let batches = self.m.div_ceil(self.k);
        if self.round == batches + self.plan.cube.dimensions() {
            return false;
        }
        self.round += 1;
        let mut push = |from: u64, to: u64, message: Option<u64>| {
            sends.extend(message.and_then(|message| Transfer::of(from, to, message)));
        };
        (1..self.plan.places).for_each(|place| self.receive(place, &mut push));
        (0..self.k).for_each(|slot| self.share(slot, &mut push));
        if self.round >= batches {
            // A message of the last batch is in several slots: once to a node is enough.
            once_to_a_node(sends);
        }
        true
    }
}
