//! Trivance: all words to both neighbours at distances 1, 3, 9, ...
//!
//! **Source.** Juerss, Addanki, Schmid, "Trivance: Latency-optimal allreduce by shortcutting multiport networks", arXiv 2602.17254,
//! 2026, as its abstract has it: `log3 K` steps, in which both ports of a ring send at triple distances.
//!
//! For `K = 3^q`. On a ring a rank holds the combination of the `3^s` ranks around it before step s. It sends that to the ranks `3^s` behind and
//! before it, in this order, and combines what they send with its own. On a torus the vector is cut into a part for each dimension, the first ones one word longer;
//! `collectives::torus` has the dimensions. A part goes from one to the next, a step in each, so that all ports send in every step.
//!
//! **Cost** where the parts have one size as in `collectives::torus`, with two messages of each part in each of q steps.
//!
//! **When it wins.** Short vectors over a long latency, on two ports or more: `log3 K` rounds. A link carries `(a-1)/2 n` words for sides of a.
//!
//! **Departures.** Other K are refused: what ranks hold would overlap.

use std::ops::Range;

use crate::collectives::torus::{Dimension, OnTorus, Shape, in_turn};
use crate::error::{Error, refuse_if};
use crate::plan::{Task, Words, narrow};

/// See the module.
pub struct Trivance;

impl OnTorus for Trivance {
    fn shape(&self, task: &Task, part: &[Dimension]) -> Result<Shape, Error> {
        let rounds = task.K.ilog(3);
        refuse_if!(task.K != 3u64.pow(rounds), "K" = task.K => "expected a power of three");
        Ok(Shape {
            rounds: rounds.into(),
            parts: part.len() as u64,
            each: 2,
            scatters: false,
        })
    }

    fn words(&self, _: &[Dimension], _: u64, words: u64) -> u64 {
        words
    }

    fn message(
        &self,
        part: &[Dimension],
        rank: u64,
        [round, message]: [u64; 2],
        words: Range<u64>,
    ) -> (u64, Words) {
        let step = in_turn(part, 3).nth(narrow(round) as usize);
        let to = step.map_or(rank, |(dimension, step)| {
            let far = 3u64.pow(step);
            let far = [far, dimension.side - far][narrow(message) as usize];
            dimension.moved(rank, dimension.at(rank) + far)
        });
        (to, Words::Range(words))
    }
}
