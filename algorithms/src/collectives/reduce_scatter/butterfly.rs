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

use crate::collectives::numbers::Numbers;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Plain, Properties};
use crate::plan::{Phase, Plan, Task, Words, narrow};
use crate::wide::Wide;

/// See the module.
pub const BUTTERFLY: Plain = Plain {
    formula: |task| {
        // The rounds, with the smallest and the largest message in each. For r > 0 a chain begins with number 0 and ends with the last
        // number, which has its group then.
        let numbers = Numbers::in_pairs(task.K, false);
        let (p, r) = (numbers.bits(), numbers.outside);
        let mut rounds = RoundTimes::new(task, r == 0);
        if r > 0 {
            let all = task.hop(task.K * task.n)?;
            rounds = RoundTimes::late([all.combined(), Wide::ZERO, all.o + all.L]);
        }
        for bit in (0..p).rev() {
            let groups = 1 << bit;
            let most = groups + r.min(groups);
            // The groups of one block are fewer than 2^p.
            let least = groups + groups.saturating_sub((1 << p) - r);
            rounds.exchange_between([task.hop(least * task.n)?, task.hop(most * task.n)?]);
        }
        if r > 0 {
            rounds.exchange_at_most(task.hop(task.n)?.without_combining(), 2);
        }
        rounds.closed()
    },
    holds_on_duplex: |task| task.K.is_power_of_two(),
    plan: |task| {
        let (task, numbers) = (*task, Numbers::in_pairs(task.K, false));
        let (p, r) = (numbers.bits(), numbers.outside);
        let given = move |number: u64, bit: u64| {
            Words::several(groups(&task, numbers, number ^ 1 << bit, narrow(bit)))
        };
        let count = move |rank, bit: u64| {
            let other = numbers.number(rank).unwrap_or(0) ^ 1 << bit;
            let first = mirrored(other % (2 << bit), p);
            let end = first + (1u64 << (u64::from(p) - bit - 1));
            let (first, end) = (numbers.first(first), numbers.first(end));
            // Groups of one block are in mirrored order.
            match task.is_counted() && r == 0 {
                true => groups(&task, numbers, other, narrow(bit))
                    .map(|words| words.end - words.start)
                    .sum(),
                false => task.start(end) - task.start(first),
            }
        };
        let halving = numbers
            .exchange_bits(|bit| 1 << bit, given)
            .counted(count)
            .tags(1)
            .combined();
        // The ranks that need the group that a rank has at the end.
        let group = move |rank| {
            numbers
                .number(rank)
                .filter(|_| r > 0)
                .map(|number| mirrored(number, p))
        };
        let to_even = move |rank, _| {
            group(rank)
                .filter(|&group| group < r)
                .map(|group| 2 * group)
        };
        let to_odd = move |rank, _| {
            group(rank)
                .map(|group| numbers.rank(group))
                .filter(|&owner| owner != rank)
        };
        // Numbers whose bits read the same in both directions end with their own group.
        let moved = if r == 0 {
            0
        } else {
            (1 << p) - (1u64 << p.div_ceil(2))
        };
        let block = |to: u64| Words::Blocks(to, 1);
        Ok(Plan::Rounds(vec![
            numbers.enter(move |_| Words::Blocks(0, task.K)).combined(),
            halving,
            Phase::some(r, 1, to_even, move |rank, message| {
                block(to_even(rank, message).unwrap_or(rank))
            })
            .tag(p + 1),
            Phase::some(moved, 1, to_odd, move |rank, message| {
                block(to_odd(rank, message).unwrap_or(rank))
            })
            .tag(p + 2),
        ]))
    },
    properties: Properties::PLAIN,
};

/// The lowest p bits of a number in the opposite order.
fn mirrored(number: u64, p: u32) -> u64 {
    if p == 0 {
        0
    } else {
        number.reverse_bits() >> (64 - p)
    }
}

/// The words that the rank with this number keeps in a round.
fn groups(
    task: &Task,
    numbers: Numbers,
    number: u64,
    bit: u32,
) -> impl Iterator<Item = Range<u64>> + use<> {
    let (task, kept) = (*task, 2 << bit);
    // For K = 2^p groups are blocks in mirrored order: those whose numbers have the same lowest bits.
    let (first, length, step) = if numbers.outside == 0 {
        (number % kept, 1, kept)
    } else {
        let first = mirrored(number % kept, numbers.bits());
        let end = first + (1u64 << (numbers.bits() - bit - 1));
        (
            numbers.first(first),
            numbers.first(end) - numbers.first(first),
            task.K,
        )
    };
    (first..task.K)
        .step_by(narrow(step) as usize)
        .map(move |block| task.words(block..block + length))
}
