//! Alltoall on a Bine butterfly.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `bine_alltoall_small` in the authors' library.
//!
//! For `K = 2^p`. Ranks have the partners and numbers of [`allreduce-bine`](crate::collectives::allreduce). Before step s a rank holds
//! blocks of the `2^s` ranks from which it can be reached in the steps before, for the ranks whose numbers have its lowest s bits. In
//! the step it sends the blocks for those that have bit s of its partner's number, K/2 blocks in all: a partner's number differs in
//! bit s and in no lower bit. After p steps all blocks are at their ranks.
//!
//! **Cost** `(p-1) max(D(s), g(s)) + D(s)` with `s = nK/2`, and 0 for K = 1: all ranks do the same at the same time.
//!
//! **When it wins.** Short blocks where near ranks are cheaper; elsewhere it costs what Bruck's alltoall of radix 2 does.
//!
//! **Departures.** Blocks are not moved in memory at the end, which takes no time here. Other K are refused, as in the authors' code.

use super::words;
use crate::collectives::negabinary::{number, partner};
use crate::collectives::rounds::RoundTimes;
use crate::collectives::{Algorithm, Closed};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words, narrow};

/// See the module.
pub struct Bine;

impl Algorithm for Bine {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let (p, words) = (task.power_of_two()?, (task.K / 2).checked_mul(task.n));
        let mut rounds = RoundTimes::new(task, true);
        let hop = task.hop(words.ok_or(Error::Overflow)?)?;
        rounds.exchange(hop.without_combining(), p.into());
        rounds.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, p) = (*task, task.power_of_two()?);
        let to = move |rank, step| partner(task.K, rank, narrow(step));
        let blocks = move |rank, step: u64| {
            let bits = (2 << step) - 1;
            let there = number(task.K, to(rank, step)) & bits;
            let receivers = (0..task.K).filter(move |&rank| number(task.K, rank) & bits == there);
            let receivers: Vec<u64> = receivers.collect();
            let mut senders = vec![rank];
            for before in (0..step).rev() {
                senders.extend(senders.clone().into_iter().map(|rank| to(rank, before)));
            }
            let pairs = senders
                .into_iter()
                .flat_map(move |from| receivers.clone().into_iter().map(move |to| (from, to)));
            pairs.map(move |(from, to)| words(&task, from, to))
        };
        let count = move |rank, step| match task.is_counted() {
            true => blocks(rank, step)
                .map(|words| words.end - words.start)
                .sum(),
            false => task.K / 2 * task.n,
        };
        let words = move |rank, step| Words::several(blocks(rank, step));
        Ok(Plan::phase(
            Phase::new(&task, p.into(), to, words).counted(count),
        ))
    }
}
