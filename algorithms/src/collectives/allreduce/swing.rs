//! Swing: reduce-scatter and allgather between ranks at distances 1, 1, 3, 5, 11, ...
//!
//! **Source.** De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! section 3, on a ring with one port: the algorithm for bandwidth.
//!
//! For even K. With `rho(s) = 1 - 2 + 4 - .. = (1 - (-2)^(s+1))/3`, in step s an even rank i exchanges with rank `i + rho(s)`, an
//! odd one with `i - rho(s)` (modulo K). The words are K blocks, the first `n mod K` of them one word longer; rank i reduces
//! block i. There are `p = ceil(log2 K)` steps. From step s on a rank reaches the ranks `R(s)`: itself for s = p, else those
//! that it and its partner of step s reach from step s+1 on. In step s a rank sends the blocks of `R(s)` that are not in
//! `R(s+1)`, and the partner combines them. An allgather follows, the same steps backwards.
//!
//! **Cost** for K dividing n the sum over s of `2 D(b(s) n/K) + c b(s) n/K` where no gap is longer than its hop; else rounds are
//! as far apart as gaps require. `b(s) = |R(s)| - |R(s+1)|` is `2^(p-1-s)` for `K = 2^p`. For all even K,
//! `|R(s)| = 2 min(2^(p-1-s), K/gcd(K, 2^(s+1)))` for s < p: relative to an even rank the even numbers of R(s) are multiples of
//! `2^(s+1)` and the odd ones are rho(s) plus such a multiple, and there are `2^(p-1-s)` of each in a row. For other n
//! messages of a round differ by up to b(s) words. Then the times of all ranks are followed round by round, in time
//! O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** On a ring or a torus, where near ranks are cheaper; here as Rabenseifner's allreduce for `K = 2^p`, and also
//! in `2 ceil(log2 K)` rounds for other even K.
//!
//! **Departures.** Odd K are refused; the original deals out the words of one rank to the others. For `K < 2^p` some ranks can
//! be reached on two ways; a block is sent in the last step in which it can be.

use std::array;
use std::cell::OnceCell;
use std::rc::Rc;

use super::Algorithm;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Closed, Properties};
use crate::error::{Error, refuse_if};
use crate::log2::ceil_log2;
use crate::plan::{Hop, Phase, Plan, Task, Words, narrow};

/// See the module.
pub struct Swing;

impl Algorithm for Swing {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        // The steps, with blocks of the smallest and of the largest size.
        let Task { K, n, .. } = *task;
        refuse_if!(K % 2 == 1 && K > 1, "K" = K => "expected an even number: ranks exchange in pairs");
        let steps = ceil_log2(K);
        let hops = |step| {
            let blocks = reached(K, step) - reached(K, step + 1);
            let hop = |words| task.hop(blocks.checked_mul(words).ok_or(Error::Overflow)?);
            Ok::<_, Error>([hop(n / K)?, hop(n.div_ceil(K))?])
        };
        let mut rounds = RoundTimes::new(task, n.is_multiple_of(K));
        for step in 0..steps {
            rounds.exchange_between(hops(step)?);
        }
        for step in (0..steps).rev() {
            rounds.exchange_between(hops(step)?.map(Hop::without_combining));
        }
        rounds.closed()
    }

    fn duplex_formula(&self, task: &Task) -> Result<Closed, Error> {
        self.formula(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let (K, steps) = (task.K, ceil_log2(task.K));
        let offsets = Offsets::default();
        // A division of 128 bits for each step, not for each message.
        let far: [u64; 64] = array::from_fn(|step| {
            if step < steps as usize {
                rho(K, narrow(step as u64))
            } else {
                0
            }
        });
        let to = move |rank, step: u64| offset_by(K, rank, far[narrow(step) as usize]);
        let counts = offsets.clone();
        let blocks = move |rank: u64, step: u64| offsets.words(task, rank, narrow(step));
        let count = move |rank: u64, step: u64| counts.count(&task, rank, narrow(step));
        let (all, back) = (u64::from(steps), move |round| u64::from(steps) - 1 - round);
        let (given, given_count) = (blocks.clone(), count.clone());
        let finished = Phase::new(
            &task,
            all,
            move |rank, round| to(rank, back(round)),
            move |rank, round| blocks(to(rank, back(round)), back(round)),
        );
        let finished =
            finished.counted(move |rank, round| count(to(rank, back(round)), back(round)));
        let combining = Phase::new(&task, all, to, given).counted(given_count);
        Ok(Plan::Rounds(vec![
            combining.combined(),
            finished.tags(steps),
        ]))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            ..Properties::PLAIN
        }
    }
}

/// A rank seen from another one: the offset is that from an even rank, and of the other sign from an odd one.
fn offset_by(K: u64, rank: u64, offset: u64) -> u64 {
    if rank.is_multiple_of(2) {
        (rank + offset) % K
    } else {
        (rank + K - offset) % K
    }
}

/// `rho(step)` modulo K.
fn rho(K: u64, step: u32) -> u64 {
    let distance = (1 - (-2i128).pow(step + 1)) / 3;
    u64::try_from(distance.rem_euclid(K.into())).unwrap_or(0)
}

/// The rank with which a rank exchanges in a step.
pub(super) fn partner(K: u64, rank: u64, step: u32) -> u64 {
    offset_by(K, rank, rho(K, step))
}

/// How many ranks a rank reaches from this step on.
fn reached(K: u64, step: u32) -> u64 {
    let steps = ceil_log2(K);
    if step == steps {
        return 1;
    }
    // The greatest common divisor of an even number and a power of two.
    let common = 1 << K.trailing_zeros().min(step + 1);
    2 * (K / common).min(1 << (steps - 1 - step))
}

/// The ranks that an even rank reaches, by the last step in which it can send to them. They are found when they are needed.
#[derive(Clone, Default)]
struct Offsets(Rc<OnceCell<Found>>);

struct Found {
    /// Offset 0, then the offsets of the last step, of the step before it, ..
    all: Vec<u64>,
    /// The ends of the parts of `all`.
    ends: Vec<usize>,
    /// For each step how many of its offsets are below each number, twice around.
    below: Vec<Vec<u32>>,
}

impl Found {
    fn new(K: u64) -> Self {
        let mut is_known = vec![false; narrow(K) as usize];
        is_known[0] = true;
        let (mut all, mut ends) = (vec![0], vec![1]);
        for step in (0..ceil_log2(K)).rev() {
            let partner = rho(K, step);
            for index in 0..all.len() {
                // The partner is odd.
                let offset = (partner + K - all[index]) % K;
                if !std::mem::replace(&mut is_known[narrow(offset) as usize], true) {
                    all.push(offset);
                }
            }
            ends.push(all.len());
        }
        let mut found = Self {
            all,
            ends,
            below: Vec::new(),
        };
        found.below = (0..ceil_log2(K)).map(|step| found.below(K, step)).collect();
        found
    }

    /// The offsets of the blocks that are sent in a step.
    fn of_step(&self, step: u32) -> &[u64] {
        let last = self.ends.len() - 1 - step as usize;
        &self.all[self.ends[last - 1]..self.ends[last]]
    }

    fn below(&self, K: u64, step: u32) -> Vec<u32> {
        let mut sums = vec![0; 2 * narrow(K) as usize + 1];
        for &offset in self.of_step(step) {
            for around in [offset, offset + K] {
                sums[narrow(around) as usize + 1] = 1;
            }
        }
        let mut sum = 0;
        for below in &mut sums {
            sum += *below;
            *below = sum;
        }
        sums
    }
}

impl Offsets {
    fn found(&self, K: u64) -> &Found {
        self.0.get_or_init(|| Found::new(K))
    }

    /// The blocks of the ranks that a rank reaches in a step.
    fn words(&self, task: Task, rank: u64, step: u32) -> Words {
        let offsets = self.clone();
        let block = move |index: usize| {
            task.block(
                offset_by(task.K, rank, offsets.found(task.K).of_step(step)[index]),
                task.K,
            )
        };
        Words::several((0..self.found(task.K).of_step(step).len()).map(block))
    }

    /// How many words they have. Blocks below n mod K are longer.
    fn count(&self, task: &Task, rank: u64, step: u32) -> u64 {
        let (K, longer) = (task.K, task.n % task.K);
        let found = self.found(K);
        let first = if rank.is_multiple_of(2) {
            K - rank
        } else {
            (rank + 1 + K - longer) % K
        } % K;
        let below = &found.below[step as usize];
        let long = below[narrow(first + longer) as usize] - below[narrow(first) as usize];
        found.of_step(step).len() as u64 * (task.n / K) + u64::from(long)
    }
}
