//! Two collectives one after the other, which together do the work of a third one.
//!
//! | algorithm | first | then | source |
//! |---|---|---|---|
//! | `allreduce-flat` | `reduce-flat` | `broadcast-flat` | Open MPI: basic linear |
//! | `allreduce-reduce-broadcast` | `reduce-binomial` | `broadcast-bmtree` | Open MPI: nonoverlapping |
//! | `allreduce-double-tree` | `reduce-double-tree` | `broadcast-double-tree` | Sanders, Speck, Träff 2009 |
//! | `allreduce-n-block-circulant` | `reduce-n-block-circulant` | `broadcast-n-block-circulant` | Träff 2024 |
//! | `allreduce-sliding-window` | `reduce-scatter-linear` | `allgather-linear` | UCC: `sliding_window` |
//! | `allreduce-composed` | `reduce-scatter-circulant` or `-linear` | `allgather-circulant` or `-linear` | Träff, Gropp, Thakur 2010 |
//! | `reduce-composed` | `reduce-scatter-circulant` or `-linear` | `gather-optimal` or `-binomial` | Träff, Gropp, Thakur 2010 |
//! | `broadcast-composed` | `scatter-optimal` or `-binomial` | `allgather-circulant` or `-linear` | Träff, Gropp, Thakur 2010 |
//!
//! `*-composed-4` have `reduce-scatter-recursive-exchange-4` and `allgather-recursive-exchange-4` among their halves, too, where they have
//! a formula: K is `q 4^p` with `q < 4`.
//!
//! The first four reduce to rank 0 and broadcast from it. The others work on K blocks of `b = n/K` words, the first
//! `n mod K` of them one word longer. Each of their halves takes the algorithm that is cheapest for blocks of `ceil(n/K)`
//! words with strict ports and the parameters of the network, whatever ports there are; of equal ones the first in the table. Only trees
//! number ranks from the root.
//!
//! **Cost.** The sum of the costs of both halves, where no gap of the first half delays the second one. A rank begins its second
//! half when it ends its first one.
//!
//! - *The cost is at most the sum*: it is the sum if all ranks begin the second half when the last one ends the first half.
//! - *The cost is at least the sum*: a longest path of the second half begins at a rank that ends the first half last. After a
//!   reduce this is rank 0, the root of the broadcast. In these allgathers all ranks do the same, so such a path begins at
//!   every rank. In these reduce-scatters all ranks do the same, so all of them end last.
//!
//! When a gap delays nothing:
//!
//! - *Rank 0*: `g(s) <= 2 D(t) + ct`, for s words in the longest segment and t in the shortest. From the last send of a rank
//!   in the reduce to its next one, rank 0 gets the result, which takes `D + ct` at least, and the rank gets it back, which
//!   takes D. From its last receive to the next one it takes longer.
//! - *Blocks*: `g(b) <= D(b)`. Then the gap of a larger message is not longer than its hop either. When the last rank ends the
//!   first half, the hop of each of its messages is over, and so is the gap.
//!
//! Where K does not divide n the cost lies between those with the shortest blocks and with the longest ones: an execution in order is a
//! longest path, so no time falls where a message grows.
//!
//! Elsewhere all ranks are followed message by message, up to 2^22 messages.
//!
//! **When it wins.** Flat: few ranks over a long latency. Binomial: not by this cost, but it sends the fewest messages, `2(K-1)`.
//! Double trees: long vectors on many ranks, because words in all are few and paths are short. Composed: vectors on few ranks
//! over a long latency, where a linear half waits for the latency once.
//!
//! **Departures.** Open MPI's nonoverlapping chooses the two algorithms by size. NCCL's double trees send a segment down once it
//! is combined; here all are combined first. In UCC's sliding window a rank
//! gets its block from the memory of the others and puts the result there, some at a time, without work for them; here these are messages.

use super::{Algorithm, Blocks, PortRule, Properties};
use crate::collectives::Closed;
use crate::error::{Error, fit};
use crate::plan::{Part, Plan, Task, narrow};
use crate::wide::Wide;

/// See the module.
#[derive(Clone, Copy)]
pub struct Sequence {
    /// The algorithms of each half, of which it takes the one that costs least.
    halves: [&'static [&'static dyn Algorithm]; 2],
    /// Whether they work on K blocks of a vector; otherwise on the whole vector, which is at rank 0 between them.
    on_blocks: bool,
    keeps_order: bool,
}

impl Sequence {
    /// A reduce to rank 0, then a broadcast from it.
    pub(super) const fn at_rank_0(
        halves: [&'static [&'static dyn Algorithm]; 2],
        keeps_order: bool,
    ) -> Self {
        Self {
            halves,
            on_blocks: false,
            keeps_order,
        }
    }

    /// Two halves that work on blocks.
    pub(super) const fn on_blocks(
        halves: [&'static [&'static dyn Algorithm]; 2],
        keeps_order: bool,
    ) -> Self {
        Self {
            halves,
            on_blocks: true,
            keeps_order,
        }
    }

    /// The task of each half: where K divides n each block has as many words.
    fn tasks(&self, task: &Task) -> [Task; 2] {
        let first = match () {
            () if !self.on_blocks => *task,
            () if task.n.is_multiple_of(task.K) => Task {
                n: task.n / task.K,
                ..*task
            },
            () => Task {
                blocks: Blocks::Dealt,
                ..*task
            },
        };
        // Nothing is combined after the first half.
        [first, Task { c: 0, ..first }]
    }

    /// The algorithm of each half, by its time with the longest blocks and strict ports.
    fn halves(&self, task: &Task) -> Result<[Half; 2], Error> {
        let [first, second] = self.tasks(task).map(|task| Task {
            n: task.block_words(),
            blocks: Blocks::Equal,
            rule: PortRule::Strict,
            ..task
        });
        Ok([
            Half::fastest(self.halves[0], &first)?,
            Half::fastest(self.halves[1], &second)?,
        ])
    }

    /// The sum of both times is the cost, or no more than it; then there is one that no cost exceeds. K divides the words of the task
    /// where the halves work on blocks.
    fn on_equal_blocks(&self, task: &Task) -> Result<Closed, Error> {
        let [first, second] = self.halves(task)?.map(|half| half.bounds.map(Wide::from));
        // All ports are free a gap after the end of the first half, of its largest message.
        let (is_hidden, largest) = if self.on_blocks {
            let one = task.hop(task.n / task.K)?;
            (one.g <= one.D(), task.hop(task.n)?)
        } else {
            let (longest, shortest) = (
                task.hop(task.n.div_ceil(task.m))?,
                task.hop(task.n / task.m)?,
            );
            (longest.g <= shortest.D() + shortest.combined(), longest)
        };
        // Bounds of a half say nothing of the rank at which it ends last.
        let is_known = first[0] == first[1] && second[0] == second[1];
        let least = if is_known {
            first[0] + second[0]
        } else {
            first[0].max(second[0])
        };
        let most = first[1] + second[1];
        let most = fit(if is_hidden { most } else { most + largest.g })?;
        let least = fit(least)?;
        Ok(if least == most {
            Closed::Exact(least)
        } else {
            Closed::Between([least, most])
        })
    }
}

/// The algorithm of a half.
#[derive(Clone, Copy)]
struct Half {
    algorithm: &'static dyn Algorithm,
    /// Bounds of its time.
    bounds: [u64; 2],
}

impl Half {
    /// The algorithm with the least upper bound of its time.
    fn fastest(algorithms: &[&'static dyn Algorithm], task: &Task) -> Result<Self, Error> {
        let mut least: Option<Self> = None;
        let mut refused = Error::Overflow;
        for &algorithm in algorithms {
            match algorithm.formula(task).map(Closed::bounds) {
                Ok(bounds) if least.is_none_or(|known| bounds[1] < known.bounds[1]) => {
                    least = Some(Self { algorithm, bounds });
                }
                Ok(_) => {}
                Err(error) => refused = error,
            }
        }
        least.ok_or(refused)
    }
}

/// What a formula for K blocks of one size says of blocks that n words are dealt out to: the bounds of blocks of the shortest and of the
/// longest size; nothing below where some blocks are empty.
///
/// # Errors
/// Errors of the formula; [`Error::Overflow`].
pub(super) fn on_blocks(
    task: &Task,
    formula: impl Fn(&Task) -> Result<Closed, Error>,
) -> Result<Closed, Error> {
    let (K, n) = (task.K, task.n);
    if n.is_multiple_of(K) {
        return formula(task);
    }
    let of = |block: u64| {
        formula(&Task {
            n: block.checked_mul(K).ok_or(Error::Overflow)?,
            ..*task
        })
    };
    let [_, most] = of(n.div_ceil(K))?.bounds();
    let least = if n < K { 0 } else { of(n / K)?.bounds()[0] };
    Ok(if least == most {
        Closed::Exact(least)
    } else {
        Closed::Between([least, most])
    })
}

impl Algorithm for Sequence {
    /// Algorithms with the messages of these halves between other ranks have the same formula.
    ///
    /// # Errors
    /// Errors of the halves.
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        if self.on_blocks {
            on_blocks(task, |task| self.on_equal_blocks(task))
        } else {
            self.on_equal_blocks(task)
        }
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        // The first half has fewer rounds.
        let rounds = narrow(if self.on_blocks { task.K } else { task.m });
        let parts = self
            .halves(task)?
            .into_iter()
            .zip(self.tasks(task))
            .zip([0, rounds]);
        let parts = parts.map(|((half, task), tag)| {
            Ok(Part {
                task,
                plan: half.algorithm.plan(&task)?,
                tag,
            })
        });
        parts.collect::<Result<_, Error>>().map(Plan::Then)
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: self.keeps_order,
            is_segmented: !self.on_blocks
                && self
                    .halves
                    .iter()
                    .all(|half| half.iter().all(|one| one.properties().is_segmented)),
            ..Properties::PLAIN
        }
    }
}
