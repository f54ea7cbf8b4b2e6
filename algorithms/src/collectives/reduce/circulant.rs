//! Reduce on a circulant graph: reduce-scatter, then a gather up a binomial tree.
//!
//! **Source.** The reduce-scatter of Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234,
//! 2024, with the gather of Rabenseifner's reduce for any K.
//!
//! Ranks are numbered from the root. The words are K blocks, the first `r = n mod K` of them one word longer. The rounds of
//! [`circulant::REDUCE_SCATTER`] leave number i with the combination of block i.
//! Then in round j, j from 0, each number with lowest bit j sends the blocks of its subtree of the binomial tree to the number
//! without that bit.
//!
//! **Cost** where K divides n and no gap is longer than its hop: that of `reduce-scatter-circulant` and that of
//! [`gather-binomial`](crate::collectives::gather::BINOMIAL) with n/K words; why is in
//! [`sequence`](crate::collectives::sequence). Else the times of all ranks are followed round by round, in time O(K log K),
//! for up to 2^22 messages.
//!
//! **When it wins.** Long vectors where K is no power of two: `2 ceil(log2 K)` rounds, and a rank sends and combines fewer
//! words than twice n.
//!
//! **Departures.** The paper ends with an allgather instead of the gather, for an allreduce.

use crate::collectives::circulant::Round;
use crate::collectives::rounds::RoundTimes;
use crate::collectives::sequence::Sequence;
use crate::collectives::{Algorithm, Closed, Plain, Properties, circulant, gather};
use crate::log2::ceil_log2;
use crate::plan::binomial;
use crate::plan::{Hop, Phase, Plan, Words};

/// A reduce-scatter and a gather with as many messages of as many words where K divides n, between other ranks.
const HALVES: Sequence =
    Sequence::on_blocks([&[&circulant::REDUCE_SCATTER], &[&gather::BINOMIAL]], false);

/// See the module.
pub const CIRCULANT: Plain = Plain {
    formula: |task| {
        if task.n.is_multiple_of(task.K)
            && let Closed::Exact(sum) = HALVES.formula(task)?
        {
            return Ok(Closed::Exact(sum));
        }
        // With the largest message of each round, and with the smallest one along a chain, which goes on in the gather from a number
        // of ones alone to the root.
        let mut rounds = RoundTimes::new(task, false);
        for round in circulant::rounds(task.K) {
            rounds.exchange_between(circulant::hops(task, round)?);
        }
        for bit in 0..ceil_log2(task.K) {
            let round = Round {
                skip: 1 << bit,
                count: (1 << bit).min(task.K - (1 << bit)),
            };
            let [smallest, largest] = circulant::hops(task, round)?.map(Hop::without_combining);
            if 2 << bit <= task.K {
                rounds.exchange_between([smallest, largest]);
            } else {
                rounds.exchange_at_most(largest, 1);
            }
        }
        rounds.bounds().map(Closed::Between)
    },
    holds_on_duplex: |_| false,
    plan: |task| {
        let (K, rounds) = (task.K, ceil_log2(task.K));
        let phases = circulant::reduce_scatter(task, Words::Dealt).into_iter();
        let to = |number: u64, bit| {
            (number > 0 && u64::from(number.trailing_zeros()) == bit)
                .then(|| number - (1u64 << bit))
        };
        let subtree = move |number, _| Words::Dealt(number, binomial::size(K, number));
        let gather = Phase::some(K - 1, rounds.into(), to, subtree).tags(rounds);
        Ok(Plan::Rounds(
            phases
                .chain([gather])
                .map(Phase::numbered_from_root)
                .collect(),
        ))
    },
    // Far ranks are combined first.
    properties: Properties {
        keeps_order: false,
        ..Properties::PLAIN
    },
};
