//! Allreduce on a Bine butterfly: reduce-scatter, then allgather, of contiguous words.
//!
//! **Source.** De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, "Bine trees: Enhancing collective operations
//! by optimizing communication locality", SC 2025: the algorithm for long vectors, whose blocks are renumbered
//! (`allreduce_bine_bdw_remap` in the authors' library).
//!
//! For `K = 2^p`. The partners are those of [`Swing`](super::Swing): in step s an even rank i exchanges with rank
//! `i + (1 - (-2)^(s+1))/3`, an odd one with `i - ..` (modulo K). Both hold the same window of words and halve it; the rank
//! whose number has a 0 in bit s keeps the first half (rounded down). The number of a rank is the Gray code of the negabinary
//! number i or `i - K` for odd i, `-i` or `K - i` for even i. In step s it changes in bit s, and in no lower bit. After p steps
//! each rank holds one combined block; an allgather follows, the same steps backwards.
//!
//! **Cost** with `h(j) = ceil(n/2^j)` the sum over `1 <= j <= p` of `2 D(h(j)) + c h(j)` where no gap is longer than its hop. As in
//! Rabenseifner's allreduce, the largest message of each round goes along a chain: backwards from the rank with the number
//! of p ones, the rank before in step s has a 0 in bit s and the same lower bits, so it sends the second half of the
//! largest window. The allgather goes back along it. Where 2^p divides n all ranks do the same, and rounds are as far apart as
//! gaps require. Else, where a gap is longer than its hop, the times of all ranks are followed round by round, in time
//! O(K log K), for up to 2^22 messages. Below 2^p words some windows are empty; they are sent as one word.
//!
//! **When it wins.** Where near ranks are cheaper; here it costs what Rabenseifner's allreduce costs.
//!
//! **Departures.** Other K are refused, as in the authors' code.

use super::rabenseifner::window;
use super::swing::partner;
use super::{Algorithm, Task, narrow};
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::error::Error;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Bine;

impl Algorithm for Bine {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        rounds(task)?.end_or(|| followed(task))
    }

    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        rounds(task)?.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        2 * Wide::from(task.K) * Wide::from(task.K.ilog2())
    }

    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (me, p) = (u64::from(rank), task.K.ilog2());
        let number = number(task.K, me);
        let mut window = 0..task.n;
        let mut exchanges = Vec::new();
        for step in 0..p {
            let peer = narrow(partner(task.K, me, step));
            let middle = window.start + (window.end - window.start) / 2;
            let (first, second) = (window.start..middle, middle..window.end);
            let (kept, given) = if number >> step & 1 == 0 { (first, second) } else { (second, first) };
            script.send(peer, step, [given.clone()]);
            script.combine(rank, peer, step, [kept.clone()]);
            exchanges.push((peer, kept.clone(), given));
            window = kept;
        }
        for (round, (peer, kept, given)) in (p..).zip(exchanges.into_iter().rev()) {
            script.send(peer, round, [kept]);
            script.receive(peer, round, [given]);
        }
    }
}

/// The number of a rank: the Gray code of negabinary digits.
fn number(K: u64, rank: u64) -> u64 {
    let (value, other) =
        if rank.is_multiple_of(2) { (rank.wrapping_neg(), K - rank) } else { (rank, rank.wrapping_sub(K)) };
    // One of two values that are equal modulo K has so few digits.
    let digits = Some(negabinary(value)).filter(|&digits| digits < K).unwrap_or_else(|| negabinary(other));
    digits ^ digits >> 1
}

/// The digits of a number, in two's complement, to base -2.
fn negabinary(value: u64) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    value.wrapping_add(ODD) ^ ODD
}

/// The steps, with the largest message in each.
fn rounds(task: &Task) -> Result<Rounds, Error> {
    let p = task.power_of_two()?;
    let half = |step: u32| task.hop(task.n.div_ceil(2 << step));
    let mut rounds = Rounds::new(task.n.is_multiple_of(task.K));
    for step in 0..p {
        rounds.exchange(half(step)?, 1);
    }
    for step in (0..p).rev() {
        rounds.exchange(half(step)?.plain(), 1);
    }
    Ok(rounds)
}

/// When the last rank is done, from the times of all ranks.
fn followed(task: &Task) -> Result<Option<Wide>, Error> {
    let p = task.K.ilog2();
    let Some(mut ranks) = Ranks::new(task.K, 2 * u64::from(p)) else { return Ok(None) };
    let held = |rank: u64, step: u32| window(task.n, number(task.K, rank), step);
    for step in 0..p {
        ranks.exchange(|rank| {
            let words = held(rank, step) - held(rank, step + 1);
            Ok(Some((partner(task.K, rank, step), task.hop(words)?)))
        })?;
    }
    for step in (0..p).rev() {
        ranks.exchange(|rank| Ok(Some((partner(task.K, rank, step), task.hop(held(rank, step + 1))?.plain()))))?;
    }
    Ok(Some(ranks.end()))
}
