//! Broadcast as a scatter down a binomial tree and an allgather along a chain.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2, after van de Geijn, without the messages that bring
//! nothing new.
//!
//! Ranks are numbered from the root, and so are K blocks of `b = n/K` words, the first `n mod K` of them one word longer. The scatter is
//! [`scatter-binomial`](crate::collectives::scatter::BINOMIAL): number i gets the blocks of its subtree, s(i) of them. Then in
//! round r number i sends block i - r to number i+1 and receives block `i-1-r` from number i-1 (modulo K), for
//! `K - s(i)` rounds, in which it receives the blocks that it lacks.
//!
//! **Cost** where K divides n and `g(b) <= D(b)`, with `G = max(g(b), o(b))`, `P = max(g(b), 2o(b))` and U(i) for the time at which number i
//! begins its first send after the scatter: the largest `U(i) + (K-1-i)D(b) + iP` for i < K-1, and `(K-1)G` after the last
//! number has its block. The longest path leads over the last number, which is in K-1 rounds. A path takes D(b) to the
//! next number, or P from one round to the next at one number, which is less. It can do so at number K-2, which sends and
//! receives in all rounds of the path. U is followed over the subtrees of the scatter, which have few sizes:
//! `O(log^2 K)`. Elsewhere the times of all ranks are followed, for up to 2^22 messages.
//!
//! **When it wins.** Long vectors: every rank but the root receives n words, and sends about as many.
//!
//! **Departures.** MPICH and Open MPI also send the blocks that a rank holds already, and rank K-1 sends to the root: that is
//! [`broadcast-scatter-ring`](super::scattered).

use super::scattered;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::sequence::on_blocks;
use crate::collectives::{Closed, Plain, Properties};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::plan::binomial;
use crate::plan::{Hop, Phase, Task, Words, narrow};
use crate::wide::Wide;

/// The subtrees of the scatter.
struct Subtrees {
    task: Task,
    /// How much less one round takes at one number than from number to number.
    less: i128,
    /// The latest of complete subtrees, by the exponents of their sizes.
    complete: Vec<i128>,
}

/// A time that can be subtracted from others. Those here fit in 64 bits, or are sums of 64 such times.
fn signed(time: Wide) -> i128 {
    i128::try_from(u128::from(time)).unwrap_or(i128::MAX)
}

impl Subtrees {
    /// Of the numbers of a subtree the latest first send after the scatter, from the time at which the root of the subtree
    /// has its blocks, less the time by which its messages arrive earlier because of its number. `last` is that of the
    /// last child with its number of ranks, the others are complete, of all powers of two below `2^bit`.
    fn latest(&self, bit: u32, (ranks, last): (u64, i128)) -> Result<i128, Error> {
        let subtrees = (0..bit)
            .rev()
            .map(|bit| (1 << bit, self.complete[bit as usize], bit));
        let (mut sent, mut latest) = (0, i128::MIN);
        for (ranks, below, bit) in [(ranks, last, bit)].into_iter().chain(subtrees) {
            let hop = self.task.hop(self.task.n / self.task.K * ranks)?;
            let later = below - (self.less << bit);
            latest = latest.max(sent + signed(hop.D()) + later);
            sent += signed(hop.gap());
        }
        Ok(latest.max(sent))
    }

    /// The latest first send after the scatter of all K numbers, relative as in [`Self::latest`]; `last` is that of the last
    /// number.
    fn all(mut self, last: i128) -> Result<i128, Error> {
        let mut all = last;
        for (bit, ranks) in binomial::incomplete(self.task.K) {
            while self.complete.len() <= bit as usize {
                let latest = match self.complete.last() {
                    None => 0,
                    Some(&half) => self.latest(
                        narrow(self.complete.len() as u64) - 1,
                        (1 << (self.complete.len() - 1), half),
                    )?,
                };
                self.complete.push(latest);
            }
            all = self.latest(bit, (ranks, all))?;
        }
        Ok(all)
    }
}

/// In how many rounds a number receives.
fn rounds(K: u64, number: u64) -> u64 {
    K - binomial::size(K, number)
}

/// At most the time of rounds in which every number sends a message as long as any of the round. At least that of the last
/// number, whose block goes on in each round, and that of number K-2, which sends in each round.
fn bounds(task: &Task, hop: Hop) -> Result<Closed, Error> {
    let (K, block) = (task.K, task.n / task.K);
    let mut rounds = RoundTimes::new(task, false);
    for bit in (0..ceil_log2(K)).rev() {
        rounds.exchange(task.hop(block << bit)?, 1);
    }
    rounds.exchange(hop, K - 1);
    let least = ((K - 1) * hop.D()).max((K - 2) * hop.g);
    Ok(Closed::Between([fit(least)?, rounds.bounds()?[1]]))
}

/// How many messages the allgather has.
fn messages(K: u64) -> Wide {
    let K = u128::from(K);
    // The subtrees of all numbers but the root have a rank for each one of the binary numbers below K.
    let ones = (0..u64::BITS).map(|bit| {
        let (pairs, rest) = (K >> (bit + 1), K & ((2 << bit) - 1));
        (pairs << bit) + rest.saturating_sub(1 << bit)
    });
    ((K - 1) * K - ones.sum::<u128>()).into()
}

/// The cost where K divides n.
fn on_equal_blocks(task: &Task) -> Result<Closed, Error> {
    let K = task.K;
    if K == 1 {
        return Ok(Closed::Exact(0));
    }
    let hop = task.hop(task.n / K)?;
    if hop.D() < hop.g {
        return bounds(task, hop);
    }
    let Hop { o, g, .. } = hop;
    let period = g.max(2 * o);
    // It takes no less; so all times below fit.
    let along = fit((K - 1) * hop.D())?;
    let less = signed(hop.D()) - signed(period);
    let last = (signed(g.max(o)) - signed(period)) * i128::from(K - 1);
    let latest = Subtrees {
        task: *task,
        less,
        complete: Vec::with_capacity(64),
    }
    .all(last)?;
    Closed::exact((latest + i128::from(along)).cast_unsigned())
}

/// See the module.
pub const SCATTER_ALLGATHER: Plain = Plain {
    formula: |task| on_blocks(task, on_equal_blocks),
    holds_on_duplex: |_| false,
    plan: |task| {
        let K = task.K;
        let to = move |number, round| {
            Some(number + 1).filter(|&next| next < K && round < rounds(K, next))
        };
        let block = move |number, round| Words::Dealt(number + K - round, 1);
        Ok(scattered::plan(
            task,
            vec![Phase::some(messages(K), K - 1, to, block)],
        ))
    },
    properties: Properties::PLAIN,
};
