//! Swing: reduce-scatter and allgather between ranks at distances 1, 1, 3, 5, 11, ...
//!
//! **Source.** De Sensi, Bonato, Saam, Hoefler, "Swing: Short-cutting rings for higher bandwidth allreduce", NSDI 2024,
//! section 3, on a ring with one port: the algorithm for bandwidth.
//!
//! For even K. With `rho(s) = 1 - 2 + 4 - .. = (1 - (-2)^(s+1))/3`, in step s an even rank i exchanges with rank `i + rho(s)`, an
//! odd one with `i - rho(s)` (modulo K). The words are K blocks, the first `n mod K` of them one word longer; rank i reduces
//! block i. There are `p = ceil(log2 K)` steps. From step s on a rank reaches the ranks `R(s)`: itself for s = p, else those
//! that it and its partner of step s reach from step s+1 on. In step s a rank sends the blocks of `R(s)` that are not in
//! `R(s+1)`, and the partner combines them. An allgather follows, the same steps backwards.
//!
//! **Cost** for K dividing n the sum over s of `2 D(b(s) n/K) + c b(s) n/K` where no gap is longer than its hop; else rounds are
//! as far apart as gaps require. `b(s) = |R(s)| - |R(s+1)|` is `2^(p-1-s)` for `K = 2^p`. For all even K,
//! `|R(s)| = 2 min(2^(p-1-s), K/gcd(K, 2^(s+1)))` for s < p: relative to an even rank the even numbers of R(s) are multiples of
//! `2^(s+1)` and the odd ones are rho(s) plus such a multiple, and there are `2^(p-1-s)` of each in a row. For other n
//! messages of a round differ by up to b(s) words. Then the times of all ranks are followed round by round, in time
//! O(K log K), for up to 2^22 messages.
//!
//! **When it wins.** On a ring or a torus, where near ranks are cheaper; here as Rabenseifner's allreduce for `K = 2^p`, and also
//! in `2 ceil(log2 K)` rounds for other even K.
//!
//! **Departures.** Odd K are refused; the original deals out the words of one rank to the others. For `K < 2^p` some ranks can
//! be reached on two ways; a block is sent in the last step in which it can be.
//!
//! # Reduce-scatter of Bine
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `reduce_scatter_bine_permute_remap`, and
//! `reduce_scatter_bine_block_by_block_any_even` for even K beside powers of two.
//!
//! For even K. Steps and partners are those of [`ALLREDUCE`], with b(s) blocks in the
//! message of step s. Each block has n words.
//!
//! **Cost** the sum over s of `D(b(s) n) + c b(s) n` where no gap is longer than its hop; else rounds are as far apart as gaps
//! require. All ranks do the same at the same time.
//!
//! **When it wins.** Where near ranks are cheaper; elsewhere it costs what recursive halving does for `K = 2^p`.
//!
//! **Departures.** A message has all blocks of its step. The authors renumber blocks in memory for that, which takes no time here,
//! and send each block alone for other even K. Odd K are refused, as in their code.
//!
//! # Allgather of Bine
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `allgather_bine_permute_remap`, and
//! `allgather_bine_block_by_block_any_even` for even K beside powers of two.
//!
//! For even K: [`REDUCE_SCATTER`] backwards. In step s, from the last one on, a rank sends
//! the b(s) blocks that its partner sent to it there, without combining them.
//!
//! **Cost** the sum over s of `D(b(s) n)` where no gap is longer than its hop; else rounds are as far apart as gaps require. All
//! ranks do the same at the same time.
//!
//! **When it wins.** Where near ranks are cheaper: the longest messages go to the nearest ranks. Elsewhere it costs what recursive
//! doubling does for `K = 2^p`.
//!
//! **Departures.** A message has all blocks of its step. The authors renumber blocks in memory for that, which takes no time here,
//! and send each block alone for other even K. Odd K are refused, as in their code.

use super::negabinary::{Butterfly, hops, of_blocks};
use super::rounds::InRounds;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Hop, Plan, Task};

/// Ranks at odd distances combine first.
pub const ALLREDUCE: InRounds = InRounds {
    combines: true,
    gathers: true,
    times: |own, task, times| {
        let hops = hops(&dealt(own, task)?)?;
        for &step in hops.iter().filter(|_| own.combines) {
            times.exchange_between(step);
        }
        for step in hops.into_iter().rev().filter(|_| own.gathers) {
            times.exchange_between(step.map(Hop::without_combining));
        }
        Ok(())
    },
    plan: |own, task| {
        let butterfly = Butterfly::new(&dealt(own, task)?);
        let tag = if own.combines { ceil_log2(task.K) } else { 0 };
        let phases = [
            own.combines.then(|| butterfly.combining()),
            own.gathers.then(|| butterfly.finished().tags(tag)),
        ];
        Ok(Plan::Rounds(phases.into_iter().flatten().collect()))
    },
};

/// Ranks at odd distances combine first.
pub const REDUCE_SCATTER: InRounds = InRounds {
    gathers: false,
    ..ALLREDUCE
};

/// See the module.
pub const ALLGATHER: InRounds = InRounds {
    combines: false,
    ..ALLREDUCE
};

/// The task with all blocks as one vector.
fn dealt(own: &InRounds, task: &Task) -> Result<Task, Error> {
    if own.deals() {
        Ok(*task)
    } else {
        of_blocks(task)
    }
}
