//! Rabenseifner's allreduce: recursive halving, then recursive doubling.
//!
//! **Source.** Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, section 2.2; Open MPI:
//! `redscat_allgather`.
//!
//! For `K = 2^p`: in round j rank i holds a window of words. It and the rank whose number differs in bit j halve the
//! window. The lower rank keeps the first half (rounded down) and sends the other one; each combines the half that it
//! keeps. After p rounds each rank holds one combined block. In p more rounds the same pairs exchange what they hold, in
//! the opposite order.
//!
//! For other K, with `r = K - 2^p`, the first 2r ranks form pairs. The even rank sends the second half of its words, the
//! odd one the first half; each combines; the odd rank sends its half back, and the even rank takes part for both. At the
//! end it sends all words to the odd rank.
//!
//! **Cost** with `h(j) = ceil(n/2^j)` and `F` when an even rank of a pair holds both halves, 0 for r = 0:
//! `F + sum over j of [2 D(h(j)) + c h(j)] + (r > 0: D(n))` where no gap is longer than its hop. There
//! `F = 2 D(h(1)) + c h(1)`. The largest message of each round goes the way from rank 0 to rank K-1 and back, so that
//! none waits. Where 2^p divides n and r = 0 all ranks do the same, and rounds are as far apart as gaps require. Elsewhere
//! all ranks are followed round by round, in time O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** Long vectors on many ranks: as few words as around a ring for powers of two, in `2 log2 K` rounds.
//!
//! **Departures.** For `n < 2^p` Open MPI takes another algorithm; here some blocks are empty then, and their messages take
//! the time of one word. Open MPI uses it for operators that commute only; this order of halves keeps the order of ranks.

use crate::collectives::{Plain, Properties};
use crate::plan::{Plan, Task, Words, narrow};

use crate::collectives::numbers::Numbers;
use crate::collectives::rounds::RoundTimes;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
pub const RABENSEIFNER: Plain = Plain {
    formula: |task| {
        // The rounds, with the largest window in each.
        let numbers = Numbers::in_pairs(task.K, true);
        let (p, r) = (numbers.bits(), numbers.outside);
        let mut rounds = match r {
            0 => RoundTimes::new(task, task.n.is_multiple_of(task.K)),
            _ => RoundTimes::late(Numbers::folded(task)?),
        };
        for bit in 0..p {
            rounds.exchange(task.hop(half(task.n, bit + 1))?, 1);
        }
        for bit in (0..p).rev() {
            rounds.exchange(task.hop(half(task.n, bit + 1))?.without_combining(), 1);
        }
        if r > 0 {
            rounds.hand_on(task.hop(task.n)?);
        }
        rounds.closed()
    },
    holds_on_duplex: |task| task.K.is_power_of_two(),
    plan: |task| {
        let (n, numbers) = (task.n, Numbers::in_pairs(task.K, true));
        let p = numbers.bits();
        let mut phases = numbers.halving(task);
        let bit = move |round| u64::from(p) - 1 - round;
        let kept = move |number, round| Words::Window(number, narrow(bit(round)) + 1);
        let doubling = numbers.exchange_bits(move |round| 1 << bit(round), kept);
        let leave = numbers.leave(move |_| Words::Range(0..n));
        phases.extend([doubling.tags(p + 2), leave.tag(2 * p + 2)]);
        Ok(Plan::Rounds(phases))
    },
    properties: Properties::PLAIN,
};

impl Numbers {
    /// The even rank of a pair, once it holds both halves: when it is free, when its port is free to send, and when it
    /// began its last receive.
    pub(in crate::collectives) fn folded(task: &Task) -> Result<[Wide; 3], Error> {
        let (small, large) = (task.hop(task.n / 2)?, task.hop(task.n.div_ceil(2))?);
        // The odd rank sends the smaller half, combines the larger one, and sends it back.
        let combined = small.o.max(large.o + large.L) + large.o + large.q;
        let back = combined.max(small.g);
        // The even rank sends the larger half, combines the smaller one, and receives the larger one.
        let received = large.o.max(small.o + small.L);
        let ready = received + small.o + small.q;
        let last = ready.max(back + large.o + large.L).max(received + large.g);
        Ok([last + large.o, large.g, last])
    }
}

/// The largest window after `times` halvings, `ceil(n/2^times)`.
fn half(n: u64, times: u32) -> u64 {
    n.div_ceil(1 << times)
}
