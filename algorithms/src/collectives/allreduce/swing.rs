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

use super::{Algorithm, Task, narrow};
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::collectives::task::Hop;
use crate::error::Error;
use crate::log2::ceil_log2;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Swing;

impl Algorithm for Swing {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        rounds(task)?.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        2 * Wide::from(task.K) * Wide::from(ceil_log2(task.K))
    }

    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (K, me) = (task.K, u64::from(rank));
        let offsets = Offsets::of(K);
        let steps = ceil_log2(K);
        let blocks = |rank: u64, step| {
            offsets.of_step(step).iter().map(move |&offset| task.block(offset_by(K, rank, offset), K))
        };
        for step in 0..steps {
            let peer = partner(K, me, step);
            script.send(narrow(peer), step, blocks(me, step));
            script.combine(rank, narrow(peer), step, blocks(peer, step));
        }
        for step in (0..steps).rev() {
            let peer = partner(K, me, step);
            script.send(narrow(peer), 2 * steps - 1 - step, blocks(peer, step));
            script.receive(narrow(peer), 2 * steps - 1 - step, blocks(me, step));
        }
    }
}

/// A rank seen from another one: the offset is that from an even rank, and of the other sign from an odd one.
fn offset_by(K: u64, rank: u64, offset: u64) -> u64 {
    if rank.is_multiple_of(2) { (rank + offset) % K } else { (rank + K - offset) % K }
}

/// `rho(step)` modulo K.
fn rho(K: u64, step: u32) -> u64 {
    let distance = (1 - (-2i128).pow(step + 1)) / 3;
    u64::try_from(distance.rem_euclid(K.into())).unwrap_or(0)
}

/// The rank with which a rank exchanges in a step.
pub(super) fn partner(K: u64, rank: u64, step: u32) -> u64 {
    offset_by(K, rank, rho(K, step))
}

/// How many ranks a rank reaches from this step on.
fn reached(K: u64, step: u32) -> u64 {
    let steps = ceil_log2(K);
    if step == steps {
        return 1;
    }
    // The greatest common divisor of an even number and a power of two.
    let common = 1 << K.trailing_zeros().min(step + 1);
    2 * (K / common).min(1 << (steps - 1 - step))
}

/// The ranks that an even rank reaches, by the last step in which it can send to them.
struct Offsets {
    /// Itself, then those of the last step, of the step before it, ..
    all: Vec<u64>,
    /// The ends of the parts of `all`.
    ends: Vec<usize>,
}

impl Offsets {
    fn of(K: u64) -> Self {
        let mut is_known = vec![false; narrow(K) as usize];
        is_known[0] = true;
        let (mut all, mut ends) = (vec![0], vec![1]);
        for step in (0..ceil_log2(K)).rev() {
            let partner = rho(K, step);
            for place in 0..all.len() {
                // The partner is odd.
                let offset = (partner + K - all[place]) % K;
                if !std::mem::replace(&mut is_known[narrow(offset) as usize], true) {
                    all.push(offset);
                }
            }
            ends.push(all.len());
        }
        Self { all, ends }
    }

    /// Those to which it sends in a step.
    fn of_step(&self, step: u32) -> &[u64] {
        let last = self.ends.len() - 1 - step as usize;
        &self.all[self.ends[last - 1]..self.ends[last]]
    }
}

/// The steps, with blocks of the smallest and of the largest size.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let Task { K, n, .. } = *task;
    if K % 2 == 1 && K > 1 {
        return Err(Error::parameter("K", K, "expected an even number: ranks exchange in pairs"));
    }
    let steps = ceil_log2(K);
    let hops = |step| {
        let blocks = reached(K, step) - reached(K, step + 1);
        let hop = |words| task.hop(blocks.checked_mul(words).ok_or(Error::Overflow)?);
        Ok::<_, Error>([hop(n / K)?, hop(n.div_ceil(K))?])
    };
    let mut rounds = Rounds::new(n.is_multiple_of(K));
    for step in 0..steps {
        rounds.exchange_between(hops(step)?);
    }
    for step in (0..steps).rev() {
        rounds.exchange_between(hops(step)?.map(Hop::plain));
    }
    Ok(rounds)
}

/// When the last rank is done, from the times of all ranks.
fn followed(task: &Task) -> Result<Option<Wide>, Error> {
    let (K, steps) = (task.K, ceil_log2(task.K));
    let Some(mut ranks) = Ranks::new(K, 2 * u64::from(steps)) else { return Ok(None) };
    let offsets = Offsets::of(K);
    let sums: Vec<_> = (0..steps).map(|step| Sums::of(K, offsets.of_step(step))).collect();
    // Blocks below n mod K are longer.
    let longer = task.n % K;
    let words = |rank: u64, step: u32| {
        let first = if rank.is_multiple_of(2) { K - rank } else { (rank + 1 + K - longer) % K };
        let sums = &sums[step as usize];
        sums.count(0, K) * (task.n / K) + sums.count(first % K, longer)
    };
    for step in 0..steps {
        ranks.exchange(|rank| Ok(Some((partner(K, rank, step), task.hop(words(rank, step))?))))?;
    }
    for step in (0..steps).rev() {
        ranks.exchange(|rank| {
            let peer = partner(K, rank, step);
            Ok(Some((peer, task.hop(words(peer, step))?.plain())))
        })?;
    }
    Ok(Some(ranks.end()))
}

/// How many offsets of a step are below each number, twice around.
struct Sums(Vec<u64>);

impl Sums {
    fn of(K: u64, offsets: &[u64]) -> Self {
        let mut sums = vec![0; 2 * narrow(K) as usize + 1];
        for &offset in offsets {
            for around in [offset, offset + K] {
                sums[narrow(around) as usize + 1] = 1;
            }
        }
        let mut sum = 0;
        for below in &mut sums {
            sum += *below;
            *below = sum;
        }
        Self(sums)
    }

    /// How many of the `numbers` numbers from `first` on are offsets.
    fn count(&self, first: u64, numbers: u64) -> u64 {
        self.0[narrow(first + numbers) as usize] - self.0[narrow(first) as usize]
    }
}
