//! Alltoall on a Bine butterfly.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025 (arXiv 2508.17311): `bine_alltoall_small` in the authors' library.
//!
//! For even K. Ranks have the partners of [`allreduce-bine`](crate::collectives::allreduce), from the nearest on. The block of a rank for
//! another one goes along the tree of its rank: in step s each rank that the tree has reached sends it on to its partner, if that is new.
//! In step s a rank sends all blocks that go to its partner then, one of each rank in whose tree it reaches a part of the ranks; that are
//! K/2 blocks for `K = 2^p`.
//!
//! **Cost** the sum of `D(b(s) n)` over the steps, with b(s) blocks in step s, where no gap is longer than its hop; else rounds are as
//! far apart as gaps require. For `K = 2^p` that is `(p-1) max(D, g) + D` of nK/2 words, and 0 for K = 1. All ranks do the same at the
//! same time.
//!
//! **When it wins.** Short blocks where near ranks are cheaper; elsewhere it costs what Bruck's alltoall of radix 2 does.
//!
//! **Departures.** Blocks are not moved in memory at the end, which takes no time here. The authors' code has powers of two only.

use std::cell::OnceCell;
use std::iter;
use std::rc::Rc;

use super::words;
use crate::collectives::negabinary::{Edge, check, members, offset_by, partner, tree};
use crate::collectives::rounds::InRounds;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::plan::{Phase, Plan, Words, narrow};

/// What goes in each step: how far the sender is from the rank whose block it is, and how far the ranks are for which it is.
fn steps(K: u64) -> Vec<Vec<(u64, Vec<u64>)>> {
    let edges = tree(K, 0..ceil_log2(K));
    let members = members(K, &edges);
    let mut steps = vec![Vec::new(); ceil_log2(K) as usize];
    for Edge { step, from, to } in edges {
        steps[step as usize].push((from, members[narrow(to) as usize].clone()));
    }
    steps
}

/// How many blocks a rank sends in each step.
fn counts(K: u64) -> Vec<u64> {
    if K.is_power_of_two() {
        return vec![K / 2; ceil_log2(K) as usize];
    }
    let of = |step: Vec<(u64, Vec<u64>)>| step.iter().map(|(_, to)| to.len() as u64).sum();
    steps(K).into_iter().map(of).collect()
}

/// See the module.
pub const BINE: InRounds = InRounds {
    combines: false,
    gathers: false,
    times: |_, task, times| {
        check(task.K)?;
        for blocks in counts(task.K) {
            let words = blocks.checked_mul(task.n).ok_or(Error::Overflow)?;
            times.exchange(task.hop(words)?.without_combining(), 1);
        }
        Ok(())
    },
    plan: |_, task| {
        check(task.K)?;
        let (task, K) = (*task, task.K);
        // Made for the first message: how many there are is asked of any K.
        let made = OnceCell::new();
        let to = move |rank, step| partner(K, rank, narrow(step));
        let blocks = Rc::new(move |rank: u64, step: u64| -> Vec<_> {
            let of = |(far, receivers): &(u64, Vec<u64>)| {
                // A rank of the other parity sees distances of the other sign.
                let from = match (rank + far).is_multiple_of(2) {
                    true => (rank + K - far) % K,
                    false => (rank + far) % K,
                };
                let pair = |&to: &u64| words(&task, from, offset_by(K, from, to));
                receivers.iter().map(pair).collect::<Vec<_>>()
            };
            let steps = made.get_or_init(|| steps(K));
            steps[narrow(step) as usize].iter().flat_map(of).collect()
        });
        let own = Rc::clone(&blocks);
        let sent = OnceCell::new();
        let count = move |rank, step: u64| match task.is_counted() {
            true => own(rank, step)
                .iter()
                .map(|words| words.end - words.start)
                .sum(),
            false => sent.get_or_init(|| counts(K))[narrow(step) as usize] * task.n,
        };
        let words = move |rank, step| {
            let blocks = Rc::clone(&blocks);
            Words::several(iter::once_with(move || blocks(rank, step)).flatten())
        };
        let each = ceil_log2(K).into();
        Ok(Plan::phase(
            Phase::new(&task, each, to, words).counted(count),
        ))
    },
};
