//! PAT: allgather and reduce-scatter over the binary digits of the distance, the farthest first or last.
//!
//! **Source.** Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale", arXiv 2506.20252, 2025; NCCL:
//! PAT (`PatAGAlgorithm`, `PatRSAlgorithm`).
//!
//! A block goes down a binomial tree of the distances `0 <= s < K` from its rank, with `P = 2^ceil(log2 K)`. A message has blocks of at
//! most A ranks, for a power of two `A <= P/2` and `D = P/A`; `allgather-pat:A` and `reduce-scatter-pat:A` round A down to one, and
//! without it `A = P/2`. **Allgather.** In rounds of distance `d = P/2, P/4, .., D` rank i sends rank `i + d` (modulo K) in one message its
//! blocks `i - s` for all multiples s of 2d with `s + d < K`. Then in a round for each v of `0 < v < D`, whose lowest bit is b, it sends
//! rank `i + b` its blocks `i - s` for all s from `v - b` on in steps of D with `s + b < K`: that is one tree, walked A times at once, in
//! preorder with the farthest child first: `D/2, D/2 + D/4, .., 1`. **Reduce-scatter** is the allgather backwards, combined, except for the
//! order of the trees: its first rounds are those of `v = D-1, D-2, .., 1`.
//!
//! **Cost** the sum over the messages of a rank of `D(an)`, in a reduce-scatter of `D(an) + can`, for a blocks, where no gap is longer
//! than its hop; else rounds are as far apart as gaps require. All ranks do the same at the same time.
//!
//! **When it wins.** Short blocks, for any K: without a limit `ceil(log2 K)` rounds with K-1 blocks, as Bruck's allgather, whose long
//! messages go far. Here they go to near ranks. A limit takes `log2 A + P/A - 1` rounds, and buffers for `A log2(P/A)` blocks.
//!
//! **Departures.** NCCL's ranks send an allgather to `i - d`. Where its buffers have room for several messages it sends as many of A
//! blocks in a round; here it is one.

use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Phase, Plan, Task, Words};
use crate::wide::Wide;

/// See the module.
pub struct Pat {
    combines: bool,
    /// Ranks whose blocks a message has, at most.
    most: u64,
}

impl Pat {
    /// The farthest distance first.
    pub const ALLGATHER: Self = Self::new(false);
    /// The nearest distance first, combined.
    pub const REDUCE_SCATTER: Self = Self::new(true);

    const fn new(combines: bool) -> Self {
        Self {
            combines,
            most: u64::MAX,
        }
    }

    fn walk(&self, K: u64) -> Result<Walk, Error> {
        let digits = ceil_log2(K);
        let before = self.most.ilog2().min(digits.saturating_sub(1));
        Ok(Walk {
            K,
            digits,
            before: before.into(),
            stride: (1u64.checked_shl(digits - before)).ok_or(Error::Overflow)?,
            in_preorder: !self.combines,
        })
    }
}

/// The rounds of an allgather.
#[derive(Clone, Copy)]
struct Walk {
    K: u64,
    /// `log2 P`.
    digits: u32,
    /// How many of them are before the trees: `log2 A`.
    before: u64,
    /// D.
    stride: u64,
    in_preorder: bool,
}

/// A round: how far its messages go, and which blocks they have, as distances of these from the sender.
struct Round {
    distance: u64,
    first: u64,
    stride: u64,
    blocks: u64,
}

impl Walk {
    fn round(self, index: u64) -> Round {
        if let Some(index) = index.checked_sub(self.before) {
            let number = match self.in_preorder {
                true => preorder(index + 1, self.stride),
                false => index + 1,
            };
            let distance = 1 << number.trailing_zeros();
            return Round {
                distance,
                first: number - distance,
                stride: self.stride,
                blocks: self.K.saturating_sub(number).div_ceil(self.stride),
            };
        }
        let distance = 1 << (u64::from(self.digits) - 1 - index);
        Round {
            distance,
            first: 0,
            stride: distance.saturating_mul(2),
            blocks: (self.K - distance).div_ceil(distance).div_ceil(2),
        }
    }

    /// Rounds in a row with messages of one size: how many rounds, and how many blocks.
    fn runs(self) -> Vec<(u64, u64)> {
        let mut runs: Vec<_> = (0..self.before)
            .map(|index| (1, self.round(index).blocks))
            .collect();
        if self.in_preorder {
            self.add_runs(0, self.stride, &mut runs);
        } else {
            let longer = (self.K % self.stride).max(1) - 1;
            let blocks = self.K / self.stride;
            runs.extend([(longer, blocks + 1), (self.stride - 1 - longer, blocks)]);
        }
        runs
    }

    /// The runs below a number of the tree, of whose subtrees at most one has messages of both sizes.
    fn add_runs(self, number: u64, size: u64, runs: &mut Vec<(u64, u64)>) {
        let [longer, blocks] = [self.K % self.stride, self.K / self.stride];
        let sizes = std::iter::successors(Some(size / 2), |size| Some(size / 2));
        for size in sizes.take_while(|size| *size > 0) {
            let child = number + size;
            if child + size <= longer {
                runs.push((size, blocks + 1));
            } else if longer <= child {
                runs.push((size, blocks));
            } else {
                runs.push((1, blocks + 1));
                self.add_runs(child, size, runs);
            }
        }
    }
}

/// The number at an index of the preorder of a binomial tree with a power of two of numbers, the largest subtree first.
fn preorder(mut index: u64, mut size: u64) -> u64 {
    let mut number = 0;
    while index > 0 {
        index -= 1;
        size /= 2;
        while index >= size {
            index -= size;
            size /= 2;
        }
        number += size;
    }
    number
}

impl Algorithm for Pat {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let mut times = RoundTimes::new(task, true);
        let mut runs = self.walk(task.K)?.runs();
        if self.combines {
            runs.reverse();
        }
        for (rounds, blocks) in runs
            .into_iter()
            .filter(|&(rounds, blocks)| rounds.min(blocks) > 0)
        {
            let hop = task.hop(blocks * task.n)?.combining(self.combines);
            times.exchange(hop, rounds);
        }
        times.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let K = task.K;
        let walk = self.walk(K)?;
        let words = move |rank: u64, index| {
            let round = walk.round(index);
            let block = move |index| (rank + K - round.first - index * round.stride) % K;
            let blocks = (0..round.blocks).map(block);
            blocks.map(move |block| task.words(block..block + 1))
        };
        let count = move |rank, index| match task.is_counted() {
            true => words(rank, index)
                .map(|words| words.end - words.start)
                .sum(),
            false => walk.round(index).blocks * task.n,
        };
        let to = move |rank, index| {
            let round = walk.round(index);
            (round.blocks > 0).then_some((rank + round.distance) % K)
        };
        let messages = Wide::from(walk.before + walk.stride.min(K) - 1) * Wide::from(K);
        let words = move |rank, index| Words::several(words(rank, index));
        let allgather = Plan::phase(
            Phase::some(messages, walk.before + walk.stride - 1, to, words).counted(count),
        );
        Ok(if self.combines {
            allgather.reversed(true)
        } else {
            allgather
        })
    }

    fn with_number(&self, most: u64) -> Option<Box<dyn Algorithm>> {
        (most > 0).then(|| Box::new(Self { most, ..*self }) as _)
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::engine::Machine;
    use crate::logp::LogP;
    use crate::plan::script::Act;

    /// Which blocks ranks send to which ranks follows from the binomial trees alone. A message of `pat:A` has A blocks at most, and a rank
    /// holds `A log2(P/A)` blocks of others at most that it still has to send.
    #[test]
    fn a_limit_changes_messages_and_their_order_only() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        for K in 2..40u64 {
            let task = Task::new(machine, K, 1, 0);
            let edges: BTreeSet<_> = (0..K)
                .flat_map(|block| (1..K).map(move |number| (block, number)))
                .map(|(block, number)| {
                    let parent = number & (number - 1);
                    let [from, to] = [parent, number].map(|number| (block + number) % K);
                    (from, to, block)
                })
                .collect();
            for trees in (0..6).map(|bits| 1 << bits) {
                let pat = Pat::ALLGATHER.with_number(trees).unwrap();
                let (script, ends) = pat.plan(&task).unwrap().scripts(&task).unwrap();
                let (mut found, mut begin) = (BTreeSet::new(), 0);
                for (rank, end) in (0..).zip(ends) {
                    let (mut sent_later, mut most) = (BTreeSet::<u64>::new(), 0);
                    for step in script.steps[begin..end].iter().rev() {
                        let pieces = script.pieces(step).iter();
                        let blocks: Vec<u64> =
                            pieces.flat_map(|&(first, end)| first..end).collect();
                        if step.act == Act::Send {
                            assert!(blocks.len() as u64 <= trees, "K = {K}, A = {trees}");
                            sent_later.extend(blocks.iter().filter(|block| **block != rank));
                            let to = u64::from(step.peer);
                            found.extend(blocks.into_iter().map(|block| (rank, to, block)));
                        } else {
                            most = most.max(sent_later.len() as u64);
                            blocks.iter().for_each(|block| _ = sent_later.remove(block));
                        }
                    }
                    let room = K.next_power_of_two() / trees;
                    assert!(
                        trees * u64::from(room.max(2).ilog2()) >= most,
                        "K = {K}, A = {trees}"
                    );
                    begin = end;
                }
                assert_eq!(found, edges, "K = {K}, A = {trees}");
            }
        }
    }

    /// The order in which NCCL's trees of 8 ranks are walked.
    #[test]
    fn trees_are_walked_in_preorder() {
        let order: Vec<_> = (1..8).map(|index| preorder(index, 8)).collect();
        assert_eq!(order, [4, 6, 7, 5, 2, 3, 1]);
    }
}
