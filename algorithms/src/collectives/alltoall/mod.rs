//! Alltoall: every rank gets a block from every rank.

mod bine;
mod bruck;
mod linear;
mod pairwise;

use std::ops::Range;

use super::parameters::Parameters;
use super::{Collective, Goal, Set, Share, bounds};
use crate::log2::ceil_log2;
use crate::papers;
use crate::plan::Task;
use crate::problem::listed;
use crate::wide::Wide;
pub use linear::Linear;

/// Every rank gets a block from every rank; block `K*i + j` is that of rank i for rank j.
#[derive(Debug)]
pub struct Alltoall;

impl Goal for Alltoall {
    fn blocks(&self, task: &Task) -> u128 {
        u128::from(task.K) * u128::from(task.K)
    }

    /// No algorithm of castbench sends a block more often than once for each binary digit of a rank.
    fn parts(&self, task: &Task) -> Wide {
        Wide::from(self.blocks(task)) * Wide::from(u64::from(ceil_log2(task.K)) + 1)
    }

    fn starts_with(&self, task: &Task, rank: u64, block: u64) -> bool {
        block / task.K == rank
    }

    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)> {
        (block % task.K == rank).then_some((block / task.K, 1))
    }

    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        if task.is_counted() {
            return crossing_uneven(task, set);
        }
        [(u128::from(set.ranks) * u128::from(task.K - set.ranks)).saturating_mul(task.n.into()); 2]
    }

    fn involved(&self, task: &Task) -> u64 {
        let has_words = |from, to| from != to && size(task, from, to) > 0;
        let count = |rank| {
            let others =
                |is_one: &dyn Fn(u64) -> bool| (0..task.K).filter(|&it| is_one(it)).count();
            others(&|to| has_words(rank, to)).max(others(&|from| has_words(from, rank)))
        };
        match task.is_counted() {
            true => 1 + (0..task.K).map(count).max().unwrap_or(0) as u64,
            false => task.K,
        }
    }

    fn share(&self, task: &Task) -> Share {
        let others = |rank: u64| {
            let others = (0..task.K).filter(move |&other| other != rank);
            let sums = others.map(|other| [size(task, rank, other), size(task, other, rank)]);
            let [sent, received] = sums.fold([0, 0], |[sent, received], [to, from]| {
                [sent + to, received + from]
            });
            sent.max(received)
        };
        let words = match task.is_counted() {
            true => (0..task.K).map(others).max().unwrap_or(0).into(),
            false => bounds::others(task),
        };
        Share {
            words,
            combined: Wide::ZERO,
            is_multicast: false,
        }
    }

    /// Cost: linear in K.
    fn starts(&self, task: &Task, rank: u64) -> Vec<u64> {
        (rank * task.K..(rank + 1) * task.K).collect()
    }

    /// Cost: linear in K.
    fn ends(&self, task: &Task, rank: u64) -> Vec<u64> {
        (0..task.K).map(|from| from * task.K + rank).collect()
    }
}

/// How many words of one rank are for another one.
fn size(task: &Task, from: u64, to: u64) -> u64 {
    let words = words(task, from, to);
    words.end - words.start
}

/// Of a set that is no range of ranks nothing is known.
fn crossing_uneven(task: &Task, set: &Set) -> [u128; 2] {
    if set.last - set.first + 1 > set.ranks {
        return [0; 2];
    }
    let (K, ranks) = (task.K, set.first..set.last + 1);
    let of = |from: u64, to: Range<u64>| {
        let words = task.words(K * from + to.start..K * from + to.end);
        u128::from(words.end - words.start)
    };
    (0..K).fold([0, 0], |[enter, leave], from| {
        let inside = of(from, ranks.clone());
        match ranks.contains(&from) {
            true => [enter, leave + of(from, 0..K) - inside],
            false => [enter + inside, leave],
        }
    })
}

/// The words of one rank for another one.
fn words(task: &Task, from: u64, to: u64) -> Range<u64> {
    let block = task.K * (from % task.K) + to % task.K;
    task.words(block..block + 1)
}

/// The row of the list.
pub static ALLTOALL: Collective = Collective {
    name: "alltoall",
    title: "Alltoall under LogGOPS",
    goal: &Alltoall,
    parameters: Parameters::RADIX,
    examples: &[&[("L", 6), ("o", 2), ("g", 4), ("K", 8), ("n", 64)]],
    limits: &[],
    entries: listed! {
        "alltoall-linear" => Linear::ALLTOALL, (papers::FOLKLORE, "Open MPI: linear"):
            "every rank sends all its blocks, then receives";
        "alltoall-pairwise" => pairwise::PAIRWISE, (papers::FOLKLORE, "Open MPI: pairwise"):
            "in round r every rank sends to the rank r further on and receives from the rank r before it";
        "alltoall-bruck" => bruck::BRUCK, (papers::BRUCK, "section 3"):
            "in round x every rank passes on the blocks that have digit x of their way left";
        "alltoall-bine" => bine::BINE, (papers::BINE, "alltoall"):
            "partners at distances 1, 1, 3, 5, 11, .. exchange the blocks that go on to the other one's ranks";
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::logp::LogP;

    #[test]
    fn a_rank_has_the_blocks_of_the_goal() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        for K in 1..6 {
            let task = Task::new(machine, K, 1, 0);
            for rank in 0..K {
                let starts: Vec<u64> = (0..K * K)
                    .filter(|&block| Alltoall.starts_with(&task, rank, block))
                    .collect();
                let ends: Vec<u64> = (0..K * K)
                    .filter(|&block| Alltoall.ends_with(&task, rank, block).is_some())
                    .collect();
                assert_eq!(
                    (Alltoall.starts(&task, rank), Alltoall.ends(&task, rank)),
                    (starts, ends)
                );
            }
        }
    }
}
