//! Broadcast as a scatter down a binomial tree and an allgather by recursive doubling.
//!
//! **Source.** Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", International
//! Journal of High Performance Computing Applications 19(1), 2005, section 4.2; MPICH:
//! `MPIR_Bcast_intra_scatter_recursive_doubling_allgather`; Open MPI: `scatter_allgather`.
//!
//! For `K = 2^p`. Ranks are numbered from the root, and so are K blocks of `b = n/K` words. The scatter is
//! [`scatter-binomial`](crate::collectives::scatter::Binomial). Then in round j, from 0 up, numbers that differ in bit j
//! exchange the `2^j` blocks that each of them should have.
//!
//! **Cost** where no gap is longer than its hop: `R + D(b) + D(2b) + .. + D(2^(p-1) b)`, with R for the time at which the last
//! rank is free after the scatter. It is not less, because a path of hops leads from that rank to the end. It is not more, because
//! it is the time of ranks that are all free at R. R follows from the complete subtrees of the scatter: `O(log^2 K)`. Else the messages
//! of all ranks are followed, up to 2^22.
//!
//! **When it wins.** Vectors of medium length on powers of two: `2 log2 K` messages on the longest path, and a rank
//! receives each word once or twice.
//!
//! **Departures.** K has to divide n. MPICH takes other K, too; here they are refused. A rank that has more than its
//! block after the scatter is sent blocks that it holds, as in MPICH.

use super::scatter_allgather::{block, scatter};
use crate::collectives::rounds::{Rounds, followed};
use crate::collectives::script::Script;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::Error;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct ScatterDoubling;

/// After the scatter, the latest time at which a rank is free, at which its port sends again, and at which its last
/// receive began.
type Latest = [u128; 3];

/// Those of a complete subtree, from those of all smaller ones: its message arrives at 0, or its root is that of all.
fn latest((task, block): (&Task, u64), below: &[Latest], is_root: bool) -> Result<Latest, Error> {
    let blocks = |bit: usize| task.hop(block << bit);
    let mut ready = if is_root { 0 } else { blocks(below.len())?.o };
    let (mut send, mut all) = (0, Latest::default());
    for (bit, below) in below.iter().enumerate().rev() {
        let hop = blocks(bit)?;
        let start = ready.max(send);
        (ready, send) = (start + hop.o, start + hop.g);
        let arrival = ready + hop.L;
        all = std::array::from_fn(|time| all[time].max(arrival + below[time]));
    }
    Ok([all[0].max(ready), all[1].max(send), all[2]])
}

/// The rounds of all ranks.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let bits = task.power_of_two()?;
    let block = block(task)?;
    let mut subtrees = Vec::with_capacity(64);
    for _ in 0..bits {
        subtrees.push(latest((task, block), &subtrees, false)?);
    }
    let mut rounds = Rounds::late(latest((task, block), &subtrees, true)?);
    for bit in 0..bits {
        rounds.exchange(task.hop(block << bit)?, 1);
    }
    Ok(rounds)
}

impl Algorithm for ScatterDoubling {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(self, task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        let [least, most] = rounds(task)?.bounds()?;
        Ok(self.time(task)?.map_or([least, most], |time| [time; 2]))
    }

    fn messages(&self, task: &Task) -> u128 {
        let K = u128::from(task.K);
        K - 1 + K * u128::from(task.K.ilog2())
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let me = task.number(rank);
        scatter(task, me, script);
        for bit in 0..task.K.ilog2() {
            let peer = me ^ 1 << bit;
            let blocks = |number: u64| task.dealt(number >> bit << bit, 1 << bit);
            script.send(task.rank(peer), narrow(u64::from(bit) + 1), blocks(me));
            script.receive(task.rank(peer), narrow(u64::from(bit) + 1), blocks(peer));
        }
    }
}
