//! Allreduce as a reduce to rank 0 and a broadcast from it, over binomial trees.
//!
//! **Source.** Folklore; Open MPI: nonoverlapping, with binomial for reduce (in-order tree) and broadcast.
//!
//! **Reduce.** Rank v receives from and combines `v+1, v+2, v+4, ..` below K, as long as the bit is one of the zeros at the
//! end of v, and sends to the number without its lowest bit. **Broadcast.** Rank v receives from the number without its
//! highest bit and sends to `v + 2^h` below K for each `2^h > v`, in ascending order.
//!
//! **Cost** `f(K) + B(K)`. Let `M = D(n) + cn` and `T(j) = M + (j-1) max(M, g(n))`, the time in which a rank collects 2^j
//! ranks, j >= 1.
//!
//! - `f(1) = 0`, `f(2) = M`, and `f(x) = max(f(x - 2^j) + M, T(j) + max(o(n) + cn, g(n)))` for `2^j < x <= 2^(j+1)`, j >= 1:
//!   the last message comes from a rank that collected `x - 2^j`, and is received after those of 2^j ranks.
//! - `B(K)` is the largest `b D(n) + z max(g(n), o(n))` over the ranks v below K, for the b ones and z zeros in the binary
//!   number v: a rank gets the words one hop after its parent for each one, and one gap later for each zero.
//!
//! No port delays the broadcast. A rank that receives b >= 1 messages in the reduce has received and sent by T(b), and
//! `f(K) >= T(b) + g(n)` because K exceeds 2^b. A rank that receives none sends at 0. It has a message to send in the
//! broadcast only for K > 3, and then `f(K) >= g(n)`.
//!
//! **When it wins.** Not by this cost: recursive doubling takes half of the rounds and keeps the order of ranks, too. It sends
//! the fewest messages, 2(K-1).
//!
//! **Departures.** Open MPI's reduce and broadcast choose their algorithms by size; here both are binomial.

use super::{Algorithm, Task, narrow};
use crate::collectives::script::Script;
use crate::collectives::task::Hop;
use crate::collectives::trees::Family;
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct ReduceBroadcast;

impl Algorithm for ReduceBroadcast {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let hop = task.hop(task.n)?;
        fit(collected(hop, task.K) + broadcast(hop, task.K)).map(Some)
    }

    fn messages(&self, task: &Task) -> u128 {
        2 * u128::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        Family::binomial(task, rank).up(task, rank, script);
        if me > 0 {
            script.receive(rank ^ 1 << rank.ilog2(), 1, task.vector());
        }
        let bits = (0..u64::BITS - 1).map(|bit| 1 << bit).take_while(|bit| me + bit < K);
        for bit in bits.filter(|&bit| bit > me) {
            script.send(narrow(me + bit), 1, task.vector());
        }
    }
}

/// When the root of a subtree has the words of all its `ranks` ranks.
fn collected(hop: Hop, ranks: u64) -> u128 {
    let M = hop.combined();
    match ranks {
        0 | 1 => 0,
        2 => M,
        _ => {
            let j = (ranks - 1).ilog2();
            let before = M + u128::from(j - 1) * M.max(hop.g);
            (collected(hop, ranks - (1 << j)) + M).max(before + (hop.o + hop.q).max(hop.g))
        }
    }
}

/// How long a broadcast to `ranks` ranks takes.
fn broadcast(hop: Hop, ranks: u64) -> u128 {
    let Some(length) = (ranks - 1).checked_ilog2().map(|bit| u128::from(bit) + 1) else { return 0 };
    let (D, gap) = (hop.D(), hop.g.max(hop.o));
    let ones = u128::from(most_ones(ranks - 1));
    // Of numbers of one length the one with the most ones, or the fewest; or all ones, one bit shorter.
    (ones * D + (length - ones) * gap).max(D + (length - 1) * gap).max((length - 1) * D)
}

/// The most ones of a number up to this one and as long.
fn most_ones(last: u64) -> u32 {
    let lower = (0..last.ilog2()).filter(|bit| last >> bit & 1 == 1);
    // A one becomes a zero, and all bits below it become ones.
    lower.map(|bit| (last >> bit).count_ones() - 1 + bit).max().unwrap_or(0).max(last.count_ones())
}
