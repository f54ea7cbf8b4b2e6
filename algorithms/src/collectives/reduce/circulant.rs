//! Reduce on a circulant graph: reduce-scatter, then a gather up a binomial tree.
//!
//! **Source.** The reduce-scatter of Träff, "Optimal, non-pipelined reduce-scatter and allreduce algorithms", arXiv 2410.14234,
//! 2024, with the gather of Rabenseifner's reduce for any K.
//!
//! Ranks are numbered from the root. The words are K blocks, the first `r = n mod K` of them one word longer. The rounds of
//! [`reduce_scatter::Circulant`] leave number i with the combination of block i.
//! Then in round j, j from 0, each number with lowest bit j sends the blocks of its subtree of the binomial tree to the number
//! without that bit.
//!
//! **Cost** where K divides n and no gap is longer than its hop: that of `reduce-scatter-circulant` and that of
//! [`gather-binomial`](crate::collectives::gather::Binomial) with n/K words; why is in
//! [`sequence`](crate::collectives::sequence). Else the times of all ranks are followed round by round, in time O(K log K),
//! for up to 2^22 messages.
//!
//! **When it wins.** Long vectors where K is no power of two: `2 ceil(log2 K)` rounds, and a rank sends and combines fewer
//! words than twice n.
//!
//! **Departures.** The paper ends with an allgather in place of the gather, for an allreduce.

use crate::collectives::circulant::Round;
use crate::collectives::rounds::{Ranks, Rounds};
use crate::collectives::script::Script;
use crate::collectives::sequence::Sequence;
use crate::collectives::task::Hop;
use crate::collectives::{Algorithm, Task, binomial, circulant, gather, reduce_scatter};
use crate::error::{Error, fit};
use crate::log2::ceil_log2;
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Circulant;

/// The same messages where K divides n, but for the ranks between which they are sent.
const HALVES: Sequence = Sequence::on_blocks([&[&reduce_scatter::Circulant], &[&gather::Binomial]], false);

impl Algorithm for Circulant {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        if task.n.is_multiple_of(task.K)
            && let [sum, most] = HALVES.sums(task)?
            && sum == most
        {
            return fit(sum).map(Some);
        }
        let Some(mut ranks) = Ranks::new(task.K, 2 * u64::from(ceil_log2(task.K))) else { return Ok(None) };
        circulant::follow(task, &mut ranks)?;
        for round in 0..ceil_log2(task.K) {
            ranks.exchange(|number| {
                if number == 0 || number.trailing_zeros() != round {
                    return Ok(None);
                }
                let hop = circulant::hop(task, number, binomial::size(task.K, number))?;
                Ok(Some((number - (1 << round), hop.plain())))
            })?;
        }
        fit(ranks.end()).map(Some)
    }

    /// With the largest message of each round, and with the smallest one along a chain, which goes on in the gather from a
    /// number of ones alone to the root.
    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        let mut rounds = Rounds::new(false);
        for round in circulant::rounds(task.K) {
            rounds.exchange_between(circulant::hops(task, round)?);
        }
        for bit in 0..ceil_log2(task.K) {
            let round = Round { skip: 1 << bit, count: (1 << bit).min(task.K - (1 << bit)) };
            let [smallest, largest] = circulant::hops(task, round)?.map(Hop::plain);
            if 2 << bit <= task.K {
                rounds.exchange_between([smallest, largest]);
            } else {
                rounds.exchange_at_most(largest, 1);
            }
        }
        rounds.bounds()
    }

    fn messages(&self, task: &Task) -> Wide {
        circulant::messages(task) + Wide::from(task.K - 1)
    }

    /// Far ranks are combined first.
    fn keeps_order(&self) -> bool {
        false
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        circulant::reduce_scatter(task, rank, script);
        let (number, first) = (task.number(rank), ceil_log2(task.K));
        let subtree = |of| task.dealt(of, binomial::size(task.K, of));
        for child in binomial::children(task.K, number) {
            script.receive(task.rank(child), first + child.trailing_zeros(), subtree(child));
        }
        if let Some(parent) = binomial::parent(number) {
            script.send(task.rank(parent), first + number.trailing_zeros(), subtree(number));
        }
    }
}
