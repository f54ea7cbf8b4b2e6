//! Swing on all ports of a torus.
//!
//! **Source.** De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting rings for higher bandwidth allreduce", NSDI 2024 (arXiv
//! 2401.09356), on tori of several dimensions: plain and mirrored collectives side by side.
//!
//! For `K = 2^p`. A vector is cut into parts, one for each port, the first ones one word longer; `collectives::torus` has their
//! number and dimensions. In each of p steps a part halves its words with a partner along one dimension, as [Swing](super::Swing) does on a ring of that
//! side, and goes on in the next dimension that has steps left. An allgather follows, the same steps backwards.
//!
//! **Cost** where K times the parts divides n as in `collectives::torus`, with a message of each part in step s, of its words over `2^(s+1)`.
//!
//! **When it wins.** Long vectors on a torus whose ports all send at once. On `2d` ports of a torus with equal sides the busiest link carries
//! `1 - 2^-d` times the sum over `s < p/d` of `r(s) 2^(-ds)`, times `2n/2d`, with `r(s) = (2^(s+1) + (-1)^s)/3`: 1.00, 1.10 and 1.20 times the
//! least for `4x4`, `8x8` and ever longer sides, 1.04 in three dimensions.
//!
//! **Departures.** Sides that are no power of two are refused; the original has them.

use std::ops::Range;

use crate::collectives::negabinary::{number, partner};
use crate::collectives::torus::{Dimension, OnTorus, Shape, in_turn};
use crate::error::Error;
use crate::plan::{Task, narrow, words::window};

/// See the module.
pub struct SwingTorus;

impl OnTorus for SwingTorus {
    fn shape(&self, task: &Task, part: &[Dimension]) -> Result<Shape, Error> {
        let rounds = task.power_of_two()?.into();
        Ok(Shape::scattering(task, part, rounds))
    }

    fn words(&self, _: &[Dimension], round: u64, words: u64) -> u64 {
        words >> (round + 1)
    }

    fn message(
        &self,
        part: &[Dimension],
        rank: u64,
        [round, _]: [u64; 2],
        words: Range<u64>,
    ) -> (u64, Range<u64>) {
        // Which half the rank keeps in each step, and in the last one its partner.
        let (mut given, mut to) = (1 << round, rank);
        for (index, (dimension, step)) in (0..=round).zip(in_turn(part, 2)) {
            let at = dimension.at(rank);
            given ^= (number(dimension.side, at) >> step & 1) << index;
            to = dimension.moved(rank, partner(dimension.side, at, step));
        }
        let half = window(words.end - words.start, given, narrow(round + 1));
        (to, words.start + half.start..words.start + half.end)
    }
}
