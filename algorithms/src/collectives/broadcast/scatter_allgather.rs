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
use crate::plan::subtrees::{split, up};
use crate::plan::{Hop, Phase, Task, Words};
use crate::wide::Wide;

/// A time that can be subtracted from others. Those here fit in 64 bits, or are sums of 64 such times.
fn signed(time: Wide) -> i128 {
    i128::try_from(u128::from(time)).unwrap_or(i128::MAX)
}

/// The latest first send after the scatter of all K numbers, from the time at which the root of a subtree has its blocks, less the time by
/// which its messages arrive earlier because of its number: one round takes so much less at one number than from number to number.
/// `last` is that of the last number.
fn latest(task: &Task, less: i128, last: i128) -> Result<i128, Error> {
    let mut all = 0;
    let parts = |(size, has_last), parts: &mut Vec<_>| {
        let halves = split(size, |size| size - (1 << (size - 1).ilog2()));
        parts.extend(halves.map(|(size, index)| ((size, has_last && index == 1), index)));
    };
    up((task.K, true), parts, |(size, has_last), below| {
        let (mut distance, mut sent, mut latest) = (size, 0, 0);
        for &&(ranks, below) in below {
            let hop = task.hop(task.n / task.K * ranks)?;
            distance -= ranks;
            latest = latest.max(sent + signed(hop.D()) + below - less * i128::from(distance));
            sent += signed(hop.gap());
        }
        all = match (size, has_last) {
            (1, true) => last,
            _ => latest.max(sent),
        };
        Ok((size, all))
    })?;
    Ok(all)
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
    let latest = latest(task, less, last)?;
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
