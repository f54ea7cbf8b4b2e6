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

use std::mem;
use std::ops::Range;

use super::{Algorithm, Folded, Task, narrow};
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Rabenseifner;

impl Algorithm for Rabenseifner {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        rounds(task)?.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        let Folded { p, r } = Folded::of(task.K);
        u64::from(2 * p) * Wide::from(1u64 << p) + 4 * Wide::from(r)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let folded = Folded::of(task.K);
        let last = 2 * folded.p + 2;
        let Some(number) = folded.fold(task, rank, script) else {
            script.receive(rank - 1, last, task.vector());
            return;
        };
        let windows = folded.halve(task, rank, number, script);
        for (round, bit) in (folded.p + 2..).zip((0..folded.p as usize).rev()) {
            let peer = narrow(folded.rank(number ^ (1 << bit), false));
            let kept = &windows[bit + 1];
            script.send(peer, round, [kept.clone()]);
            script.receive(peer, round, [other_half(&windows[bit], kept)]);
        }
        if number < folded.r {
            script.send(rank + 1, last, task.vector());
        }
    }
}

/// The half of a window that a rank gives away, by the one that it keeps.
pub(in crate::collectives) fn other_half(whole: &Range<u64>, kept: &Range<u64>) -> Range<u64> {
    if kept.start == whole.start { kept.end..whole.end } else { whole.start..kept.start }
}

/// The halving, which `reduce-rabenseifner` has, too.
impl Folded {
    /// Combines the words of pairs, in rounds 0 and 1: the number of a rank that takes part.
    pub(in crate::collectives) fn fold(self, task: &Task, rank: u32, script: &mut Script) -> Option<u64> {
        let (first_half, second_half) = (0..task.n / 2, task.n / 2..task.n);
        let Some(number) = self.number(rank.into(), false) else {
            script.send(rank - 1, 0, [first_half]);
            script.combine(rank, rank - 1, 0, [second_half.clone()]);
            script.send(rank - 1, 1, [second_half]);
            return None;
        };
        if number < self.r {
            script.send(rank + 1, 0, [second_half.clone()]);
            script.combine(rank, rank + 1, 0, [first_half]);
            script.receive(rank + 1, 1, [second_half]);
        }
        Some(number)
    }

    /// The window of a number before each round of halving, and after the last one.
    pub(in crate::collectives) fn windows(self, task: &Task, number: u64) -> Vec<Range<u64>> {
        let (mut windows, mut window) = (Vec::new(), 0..task.n);
        for bit in 0..self.p {
            let middle = window.start + (window.end - window.start) / 2;
            let kept = if number >> bit & 1 == 0 { window.start..middle } else { middle..window.end };
            windows.push(mem::replace(&mut window, kept));
        }
        windows.push(window);
        windows
    }

    /// Halves the words, in rounds from 2 on: the [windows](Self::windows).
    pub(in crate::collectives) fn halve(
        self,
        task: &Task,
        rank: u32,
        number: u64,
        script: &mut Script,
    ) -> Vec<Range<u64>> {
        let windows = self.windows(task, number);
        for (bit, pair) in (0..self.p).zip(windows.windows(2)) {
            let peer = narrow(self.rank(number ^ (1 << bit), false));
            script.send(peer, bit + 2, [other_half(&pair[0], &pair[1])]);
            script.combine(rank, peer, bit + 2, [pair[1].clone()]);
        }
        windows
    }

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

/// How many words a number holds after some halvings. A first half of w words has `floor(w/2)`, a second one
/// `floor((w+1)/2)`; so it is n plus the lowest bits of the number, shifted.
pub(super) fn window(n: u64, number: u64, halvings: u32) -> u64 {
    let below = (1 << halvings) - 1;
    (n >> halvings) + (((n & below) + (number & below)) >> halvings)
}

/// The rounds, with the largest window in each.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let folded = Folded::of(task.K);
    let Folded { p, r } = folded;
    let mut rounds = match r {
        0 => Rounds::new(task.n.is_multiple_of(task.K)),
        _ => Rounds::late(Folded::folded(task)?),
    };
    for bit in 0..p {
        rounds.exchange(task.hop(half(task.n, bit + 1))?, 1);
    }
    for bit in (0..p).rev() {
        rounds.exchange(task.hop(half(task.n, bit + 1))?.plain(), 1);
    }
    if r > 0 {
        rounds.hand_on(task.hop(task.n)?);
    }
    Ok(rounds)
}

/// When the last rank is done, from the times of all ranks.
fn followed(task: &Task) -> Result<Option<Wide>, Error> {
    let folded = Folded::of(task.K);
    let Folded { p, r } = folded;
    let Some(mut ranks) = Ranks::new(task.K, 2 * u64::from(p) + 3) else { return Ok(None) };
    let [first, second, all] = [task.hop(task.n / 2)?, task.hop(task.n.div_ceil(2))?, task.hop(task.n)?];
    ranks.exchange(|rank| {
        let is_odd = rank % 2 == 1;
        Ok((rank < 2 * r).then_some((rank ^ 1, if is_odd { first } else { second })))
    })?;
    ranks.exchange(|rank| Ok((rank < 2 * r && rank % 2 == 1).then(|| (rank - 1, second.plain()))))?;
    let mut halve = |bit: u32, gives: bool| {
        ranks.exchange(|rank| {
            let Some(number) = folded.number(rank, false) else { return Ok(None) };
            let kept = window(task.n, number, bit + 1);
            let hop = if gives { task.hop(window(task.n, number, bit) - kept)? } else { task.hop(kept)?.plain() };
            Ok(Some((folded.rank(number ^ (1 << bit), false), hop)))
        })
    };
    (0..p).try_for_each(|bit| halve(bit, true))?;
    (0..p).rev().try_for_each(|bit| halve(bit, false))?;
    ranks.exchange(|rank| Ok((rank < 2 * r && rank % 2 == 0).then_some((rank + 1, all.plain()))))?;
    Ok(Some(ranks.end()))
}
