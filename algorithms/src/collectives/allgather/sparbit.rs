//! Sparbit allgather.
//!
//! **Source.** Loch, Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware MPI Allgather algorithm", IEEE
//! Cluster 2021; Open MPI: sparbit.
//!
//! In round `0 <= j < p`, `p = ceil(log2 K)`, the distance is `d = 2^(p-1-j)`. Rank i sends blocks `i, i - 2d, i - 4d, ..` to
//! rank `i + d` and receives as many from rank `i - d` (modulo K); each block is a message. It begins with one block, and
//! before round j holds `b(j)` of them. A round is short if rank i+d has one of them already: then one block less is sent,
//! `a(j) = b(j) - 1`, else `a(j) = b(j)`; `b(j+1) = b(j) + a(j)`. With K = 2^t u and u odd, the round of distance `2^i` is
//! short for `i = t`, and for `i > t` where bit i of K is 0.
//!
//! **Cost.** With `G = max(g(n), o(n))` a round takes `max((a-1)G + o(n), o(n) + L(n)) + (a-1)G + o(n)`, `a = a(j)`: a
//! rank sends all its blocks, then receives as many, which are at least G apart. The next round begins no sooner than G
//! after the last send, and its first receive no sooner than G after the last receive. All ranks do the same at the same
//! time.
//!
//! **When it wins.** Never by this cost, because each block is a message: Bruck's allgather has the same rounds. Its large
//! rounds are between close ranks, and no block is moved in memory.
//!
//! **Departures.** None. In a round Open MPI posts sends and receives in turn; here a rank sends first.

use crate::collectives::ports::Ports;
use crate::collectives::{Closed, Plain, Properties};
use crate::log2::ceil_log2;
use crate::plan::{Phase, Plan, Words};

/// The distance of each round, and how many blocks a rank sends in it.
fn rounds(K: u64) -> impl Iterator<Item = (u64, u64)> {
    let even = K.trailing_zeros();
    let mut held = 1;
    (0..ceil_log2(K)).rev().map(move |bit| {
        let is_short = bit == even || (bit > even && K >> bit & 1 == 0);
        let sent = held - u64::from(is_short);
        held += sent;
        (1 << bit, sent)
    })
}

/// See the module.
pub const SPARBIT: Plain = Plain {
    formula: |task| {
        let hop = task.hop(task.n)?.without_combining();
        let mut ports = Ports::new(task);
        for (_, sent) in rounds(task.K) {
            ports.exchange([(hop, sent)]);
        }
        Closed::exact(ports.end())
    },
    holds_on_duplex: |_| true,
    plan: |task| {
        let K = task.K;
        let phase = |(distance, sent): (u64, u64)| {
            let words =
                move |rank, block: u64| Words::Blocks(rank + K - 2 * block * distance % K, 1);
            Phase::new(task, sent, move |rank, _| (rank + distance) % K, words)
                .in_round(sent)
                .tags_of_blocks()
        };
        Ok(Plan::Rounds(rounds(K).map(phase).collect()))
    },
    properties: Properties::PLAIN,
};
