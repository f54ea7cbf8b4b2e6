//! Swing on all ports of a torus.
//!
//! **Source.** De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting rings for higher bandwidth allreduce", NSDI 2024 (arXiv
//! 2401.09356), on tori of several dimensions: plain and mirrored collectives side by side.
//!
//! For even sides. A vector is cut into parts, one for each port, the first ones one word longer; `collectives::torus` has their number and
//! dimensions. A part takes one step of [Swing](crate::collectives::swing) along one dimension, as on a ring of that side, then one in the next dimension
//! that has steps left: `ceil(log2 side)` in each. For `K = 2^p` each step halves the words of a part: a rank whose coordinate has a number
//! with a 0 in bit s, as in [`allreduce-bine`](crate::collectives::allreduce), keeps the first half, rounded down. For other K they are cut into a block for
//! each rank. From a step on a rank reaches the ranks at whose coordinates it arrives by the steps left in each dimension; in a step it sends
//! the blocks of those that it does not reach from the next one on. The messages of a round are in the order of the parts. An allgather
//! follows, the same steps and messages backwards.
//!
//! **Cost** where K times the parts divides n as in `collectives::torus`, with a message of each part in each step, of its words times the
//! share of ranks that only that step reaches: over `2^(s+1)` in step s for `K = 2^p`.
//!
//! **When it wins.** Long vectors on a torus whose ports all send at once. On `2d` ports of a torus with equal sides the busiest link carries
//! `1 - 2^-d` times the sum over `s < p/d` of `r(s) 2^(-ds)`, times `2n/2d`, with `r(s) = (2^(s+1) + (-1)^s)/3`: 1.00, 1.10 and 1.20 times the
//! least for `4x4`, `8x8` and ever longer sides, 1.04 in three dimensions.
//!
//! **Departures.** Odd sides are refused: ranks exchange in pairs. The original deals out the words of one rank of an odd ring to the others,
//! in messages beside those of the pairs. A block that can be reached on two ways is sent in the last step in which it can be, as in the
//! authors' library.

use std::iter;
use std::ops::Range;

use crate::collectives::negabinary::{number, partner, reach, reached};
use crate::collectives::torus::{Dimension, OnTorus, Shape, in_turn};
use crate::error::{Error, refuse_if};
use crate::plan::{self, Task, Words, narrow, words::window};

/// See the module.
pub struct SwingTorus;

/// How many steps of each dimension are over after so many rounds.
fn over(part: &[Dimension], rounds: u64) -> impl Iterator<Item = (Dimension, u32)> {
    let steps: Vec<_> = in_turn(part, 2).take(narrow(rounds) as usize).collect();
    let count =
        move |dimension: &Dimension| steps.iter().filter(|step| step.0 == *dimension).count();
    part.iter()
        .map(move |dimension| (*dimension, narrow(count(dimension) as u64)))
}

impl OnTorus for SwingTorus {
    fn shape(&self, task: &Task, part: &[Dimension]) -> Result<Shape, Error> {
        let is_odd = part.iter().any(|dimension| dimension.side % 2 == 1);
        refuse_if!(task.K > 1 && is_odd, "K" = task.K => "expected even sides of the torus: ranks exchange in pairs");
        Ok(Shape::scattering(
            task,
            part,
            in_turn(part, 2).count() as u64,
        ))
    }

    fn words(&self, part: &[Dimension], round: u64, words: u64) -> u64 {
        let [before, after] = [round, round + 1].map(|rounds| {
            let reached = over(part, rounds).map(|(dimension, step)| reached(dimension.side, step));
            reached.product::<u64>()
        });
        let ranks = part.iter().map(|dimension| dimension.side);
        words / ranks.product::<u64>() * (before - after)
    }

    fn message(
        &self,
        part: &[Dimension],
        rank: u64,
        [round, _]: [u64; 2],
        words: Range<u64>,
    ) -> (u64, Words) {
        let n = words.end - words.start;
        let at = move |own: Range<u64>| words.start + own.start..words.start + own.end;
        let steps: Vec<_> = in_turn(part, 2).take(narrow(round + 1) as usize).collect();
        let (dimension, step) = steps[narrow(round) as usize];
        let to = dimension.moved(rank, partner(dimension.side, dimension.at(rank), step));
        let ranks: u64 = part.iter().map(|dimension| dimension.side).product();
        if ranks.is_power_of_two() {
            // Which half the rank keeps in each step, and in the last one its partner.
            let bit = |(dimension, step): &(Dimension, u32)| {
                number(dimension.side, dimension.at(rank)) >> step & 1
            };
            let kept = (0..).zip(&steps).map(|(index, step)| bit(step) << index);
            let given = kept.sum::<u64>() ^ 1 << round;
            let words = Words::Range(at(window(n, given, narrow(round + 1))));
            return (to, words);
        }
        let part = part.to_vec();
        let own = move |block| at(plan::part(n, block, ranks));
        let sent = move || sent(&part, rank, round, dimension).into_iter().map(own);
        (to, Words::several(iter::once_with(sent).flatten()))
    }
}

/// The ranks that a rank reaches from a round on, in which it sends along a dimension, and not from the next one on.
fn sent(part: &[Dimension], rank: u64, round: u64, along: Dimension) -> Vec<u64> {
    let mut all = vec![rank];
    for (dimension, step) in over(part, round) {
        let side = dimension.side;
        let mut reach = reach(side, dimension.at(rank), step);
        if dimension == along {
            reach.drain(..narrow(reached(side, step + 1)) as usize);
        }
        let moved = |rank| reach.iter().map(move |&at| dimension.moved(rank, at));
        all = all.into_iter().flat_map(moved).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::Algorithm;
    use crate::collectives::swing;
    use crate::collectives::tests::machines;

    /// On one port the torus is a ring.
    #[test]
    fn a_torus_of_one_dimension_is_a_ring() {
        for machine in machines() {
            for K in (2..40).step_by(2) {
                let task = Task::new(machine, K, 3 * K, 1);
                let time = |algorithm: &dyn Algorithm| algorithm.time(&task);
                assert_eq!(time(&SwingTorus), time(&swing::ALLREDUCE), "{task:?}");
            }
        }
    }
}
