//! Bucket allreduce on a torus: rings along all dimensions at once.
//!
//! **Source.** Sack, Gropp, "Collective algorithms for multiported torus networks", ACM Transactions on Parallel Computing 1(2), 2015.
//!
//! A vector is cut into parts, one for each port, the first ones one word longer; `collectives::torus` has their number and dimensions. A part goes
//! through them one after the other: around the rings of one with a ranks each rank combines one block of a of the words that are left, in `a - 1`
//! rounds, as in the ring of a reduce-scatter: the one with coordinate i sends block `i - 1 - r` in round r, and goes on with block i. An
//! allgather follows, the same rounds backwards, and in each the messages of the parts in the opposite order.
//!
//! **Cost** where K times the parts divides n as in `collectives::torus`, with a message of each part in a round, of its words over the sides
//! that it has gone through or goes through.
//!
//! **When it wins.** The longest vectors on a torus: all messages go to neighbours, and on `2d` ports of a torus with equal sides all links
//! carry `(K-1)/K n/d` words, the fewest possible. It has `2(a-1)` rounds for each side a.
//!
//! **Departures.** None.

use std::ops::Range;

use crate::collectives::torus::{Dimension, OnTorus, Shape};
use crate::error::Error;
use crate::plan::{self, Task, Words};

/// See the module.
pub struct Bucket;

/// The dimensions that are over in a round, the next one, and its rounds before this one.
fn place(part: &[Dimension], mut round: u64) -> (&[Dimension], Dimension, u64) {
    let mut over = 0;
    while let Some(rest) = round.checked_sub(part[over].side - 1) {
        (over, round) = (over + 1, rest);
    }
    (&part[..over], part[over], round)
}

impl OnTorus for Bucket {
    fn shape(&self, task: &Task, part: &[Dimension]) -> Result<Shape, Error> {
        let rounds = part.iter().map(|dimension| dimension.side - 1).sum();
        Ok(Shape::scattering(task, part, rounds))
    }

    fn words(&self, part: &[Dimension], round: u64, words: u64) -> u64 {
        let (over, next, _) = place(part, round);
        let sides = over.iter().map(|dimension| dimension.side);
        words / sides.product::<u64>() / next.side
    }

    fn message(
        &self,
        part: &[Dimension],
        rank: u64,
        [round, _]: [u64; 2],
        words: Range<u64>,
    ) -> (u64, Words) {
        let (over, next, round) = place(part, round);
        let block = |words: Range<u64>, block, of: &Dimension| {
            let own = plan::part(words.end - words.start, block, of.side);
            words.start + own.start..words.start + own.end
        };
        let own = |words, dimension: &Dimension| block(words, dimension.at(rank), dimension);
        let (at, left) = (next.at(rank), over.iter().fold(words, own));
        let sent = (at + 2 * next.side - 1 - round) % next.side;
        let words = Words::Range(block(left, sent, &next));
        (next.moved(rank, at + 1), words)
    }
}
