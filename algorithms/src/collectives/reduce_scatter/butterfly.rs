//! Reduce-scatter on a butterfly, in the order of ranks.
//!
//! **Source.** Träff, "An improved algorithm for (non-commutative) reduce-scatter with an application", EuroPVM/MPI 2005;
//! Open MPI: butterfly.
//!
//! For `K = 2^p`: in round j, from 0 up, ranks whose numbers differ in bit j halve the blocks for which both are
//! responsible. Blocks are ordered by the mirrored bits of their numbers, so that rank i ends with block i. For other K, with
//! `r = K - 2^p`, the first r even ranks send all blocks to the next rank, which takes part for both. The 2^p groups of
//! blocks stand in the order of their ranks then; a group has the blocks of both ranks of a pair. The rank with number v
//! ends with the group with the mirrored number. It sends the first block of a pair to the even rank, and the other block,
//! or the only one, to the odd rank or single rank with that number.
//!
//! **Cost** for r = 0 the sum over j < p of `D(2^j n) + c 2^j n` where no gap is longer than its hop; else rounds are as far
//! apart as gaps require. For r > 0 groups differ in size and ranks begin at different times. The times of all ranks are
//! followed round by round, in time O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** Operators that do not commute: as recursive halving for powers of two, and it keeps the order of ranks.
//!
//! **Departures.** For `K = 2^p` blocks stay in place; the original permutes them locally, which takes no time here.

use std::ops::Range;

use crate::collectives::folded::Folded;
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Butterfly;

impl Algorithm for Butterfly {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        rounds(task)?.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        let Folded { p, r } = Folded::of(task.K);
        let numbers = 1 << p;
        // Numbers whose bits read the same in both directions end with their own group.
        let moved = if r == 0 { 0 } else { numbers - (1 << p.div_ceil(2)) };
        u64::from(p) * Wide::from(numbers) + 2 * Wide::from(r) + moved
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let folded = Folded::of(task.K);
        let Folded { p, r } = folded;
        let all = 0..task.K * task.n;
        let Some(number) = folded.number(rank.into(), true) else {
            script.send(rank + 1, 0, [all]);
            let from = folded.rank(mirrored(u64::from(rank) / 2, p), true);
            script.receive(narrow(from), p + 1, task.blocks(rank.into(), 1));
            return;
        };
        if number < r {
            script.combine(rank, rank - 1, 0, [all]);
        }
        for bit in 0..p {
            let peer = narrow(folded.rank(number ^ (1 << bit), true));
            script.send(peer, bit + 1, groups(task, folded, number ^ (1 << bit), bit));
            script.combine(rank, peer, bit + 1, groups(task, folded, number, bit));
        }
        if r > 0 {
            let group = mirrored(number, p);
            let owner = folded.rank(group, true);
            if group < r {
                script.send(narrow(owner - 1), p + 1, task.blocks(owner - 1, 1));
            }
            if owner != u64::from(rank) {
                script.send(narrow(owner), p + 2, task.blocks(owner, 1));
                script.receive(narrow(owner), p + 2, task.blocks(rank.into(), 1));
            }
        }
    }
}

/// The lowest p bits of a number in the opposite order.
fn mirrored(number: u64, p: u32) -> u64 {
    if p == 0 { 0 } else { number.reverse_bits() >> (64 - p) }
}

/// The first block of a group.
fn start(folded: Folded, group: u64) -> u64 {
    group + group.min(folded.r)
}

/// The words that the rank with this number keeps in a round.
fn groups(task: &Task, folded: Folded, number: u64, bit: u32) -> impl Iterator<Item = Range<u64>> + use<> {
    let (n, kept) = (task.n, 2 << bit);
    // For K = 2^p groups are blocks in mirrored order: those whose numbers have the same lowest bits.
    let (first, length, step) = if folded.r == 0 {
        (number % kept, 1, kept)
    } else {
        let first = mirrored(number % kept, folded.p);
        let end = first + (1 << (folded.p - bit - 1));
        (start(folded, first), start(folded, end) - start(folded, first), task.K)
    };
    (first..task.K).step_by(narrow(step) as usize).map(move |block| block * n..(block + length) * n)
}

/// The rounds, with the smallest and the largest message in each. For r > 0 a chain begins with number 0 and ends with the last
/// number, which has its group then.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let Folded { p, r } = Folded::of(task.K);
    let mut rounds = Rounds::new(r == 0);
    if r > 0 {
        let all = task.hop(task.K * task.n)?;
        rounds = Rounds::late([all.combined(), Wide::ZERO, all.o + all.L]);
    }
    for bit in (0..p).rev() {
        let groups = 1 << bit;
        let most = groups + r.min(groups);
        // The groups of one block are fewer than 2^p.
        let least = groups + groups.saturating_sub((1 << p) - r);
        rounds.exchange_between([task.hop(least * task.n)?, task.hop(most * task.n)?]);
    }
    if r > 0 {
        rounds.exchange_at_most(task.hop(task.n)?.plain(), 2);
    }
    Ok(rounds)
}

/// When the last rank is done, from the times of all ranks.
fn followed(task: &Task) -> Result<Option<Wide>, Error> {
    let folded = Folded::of(task.K);
    let Folded { p, r } = folded;
    let Some(mut ranks) = Ranks::new(task.K, u64::from(p) + 3) else { return Ok(None) };
    let all = task.hop(task.K * task.n)?;
    ranks.exchange(|rank| Ok(folded.number(rank, true).is_none().then_some((rank + 1, all))))?;
    for bit in 0..p {
        let count = 1 << (p - bit - 1);
        ranks.exchange(|rank| {
            let Some(number) = folded.number(rank, true) else { return Ok(None) };
            let peer = number ^ (1 << bit);
            let first = mirrored(peer % (2 << bit), p);
            let blocks = start(folded, first + count) - start(folded, first);
            Ok(Some((folded.rank(peer, true), task.hop(blocks * task.n)?)))
        })?;
    }
    let one = task.hop(task.n)?.plain();
    let owner = |rank| folded.number(rank, true).map(|number| mirrored(number, p));
    ranks.exchange(|rank| Ok(owner(rank).filter(|&group| group < r).map(|group| (2 * group, one))))?;
    ranks.exchange(|rank| {
        let to = owner(rank).map(|group| folded.rank(group, true));
        Ok(to.filter(|&to| to != rank).map(|to| (to, one)))
    })?;
    Ok(Some(ranks.end()))
}
