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
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Sparbit;

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

impl Algorithm for Sparbit {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let hop = task.hop(task.n)?.plain();
        let mut ports = Ports::new(1);
        for (_, sent) in rounds(task.K) {
            ports.exchange([(hop, sent)]);
        }
        fit(ports.end()).map(Some)
    }

    fn messages(&self, task: &Task) -> Wide {
        Wide::from(task.K) * Wide::from(task.K - 1)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        // A block further back by so much, modulo K.
        let back = |by: u64| (me + K - by % K) % K;
        for (distance, sent) in rounds(K) {
            for block in (0..sent).map(|place| back(2 * place * distance)) {
                script.send(narrow((me + distance) % K), narrow(block), task.blocks(block, 1));
            }
            for block in (0..sent).map(|place| back((2 * place + 1) * distance)) {
                script.receive(narrow(back(distance)), narrow(block), task.blocks(block, 1));
            }
        }
    }
}
