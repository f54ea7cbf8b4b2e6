//! Bruck's alltoall, with a radix, on one port or several.
//!
//! **Source.** Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all communications in multiport
//! message-passing systems", IEEE Transactions on Parallel and Distributed Systems 8(11), 1997, section 3.
//!
//! The block of rank i for rank `i + s` (modulo K) goes d r^x ranks further in round x where digit x of s in base r is
//! d. In round x each rank passes on all such blocks that it has, in one message for each digit d = 1, 2, ..., r-1. After
//! every k messages, one for each port, it receives as many.
//!
//! **Cost.** A message for digit d has `b(x, d)` blocks, as many as numbers below K have digit x equal to d. For
//! `r = 2` and `k = 1` the cost is the sum over `x < ceil(log2 K)` of `D(b(x, 1) n)` where no gap is longer than its
//! hop; else rounds are as far apart as gaps require. For `r >= K` and `k = 1` it is that of [`Pairwise`](super::pairwise).
//! Otherwise all ranks do the same at the same time, too, and the messages of one rank are followed.
//!
//! **When it wins.** Short blocks on many ranks. `r = 2`: `ceil(log2 K)` messages a rank, with up to K/2 blocks each. A
//! larger radix sends more messages in all, and passes on each block less often: up to `ceil(log_r K)` times.
//! On k ports `r = k + 1` gives each port one message a round.
//!
//! **Departures.** Blocks are not rotated locally; that takes no time here. Over a long latency a rank could send all messages
//! of a round first, since none of them waits for another; then the paper's cost (`(r-1) ceil(log_r K)` messages one after
//! the other) would not hold where a gap is as long as a hop.

use super::words;
use crate::collectives::ports::Ports;
use crate::collectives::{Closed, Plain, Properties, radix};
use crate::error::Error;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
pub const BRUCK: Plain = Plain {
    formula: |task| {
        let mut ports = Ports::new(task);
        for round in radix::rounds(task) {
            let message = |(blocks, count)| {
                Ok::<_, Error>((task.hop(blocks * task.n)?.without_combining(), count))
            };
            let messages: Vec<_> = sizes(task, round).map(message).collect::<Result<_, _>>()?;
            ports.exchange_in_turns(messages);
        }
        Closed::exact(ports.end())
    },
    holds_on_duplex: |_| true,
    plan: |task| {
        let task = *task;
        let K = task.K;
        let phase = |(tag, round): (u32, radix::Round)| {
            let distance = move |message| (message + 1) * round.unit;
            let blocks = move |rank: u64, message| {
                ways(&task, round, distance(message)).map(move |way| {
                    // A block has come as far as the lower digits of its way say.
                    let from = rank + K - way % round.unit;
                    words(&task, from, from + way)
                })
            };
            let count = move |rank, message| match task.is_counted() {
                true => blocks(rank, message).map(|it| it.end - it.start).sum(),
                false => counts(&task, round, distance(message)) * task.n,
            };
            Phase::new(
                &task,
                round.digits,
                move |rank, message| (rank + distance(message)) % K,
                move |rank, message| Words::several(blocks(rank, message)),
            )
            .counted(count)
            .in_round(task.k)
            .tag(tag)
        };
        Ok(Plan::Rounds(
            (0..).zip(radix::rounds(&task)).map(phase).collect(),
        ))
    },
    properties: Properties {
        has_radix: true,
        has_ports: true,
        ..Properties::PLAIN
    },
};

/// The numbers below K whose digit in this round stands for this distance.
fn ways(task: &Task, round: radix::Round, distance: u64) -> impl Iterator<Item = u64> + use<> {
    let (K, unit, cycle) = (task.K, round.unit, round.unit.saturating_mul(task.r));
    (0..K.div_ceil(cycle))
        .map(move |turn| turn * cycle + distance)
        .flat_map(move |first| first..K.min(first + unit))
}

/// The numbers below K in whole cycles of all digits, by digit, and those behind them.
fn cycles(task: &Task, round: radix::Round) -> (u64, u64) {
    let cycle = round.unit.checked_mul(task.r);
    cycle.map_or((0, task.K), |cycle| {
        (task.K / cycle * round.unit, task.K % cycle)
    })
}

/// How many [`ways`] there are.
fn counts(task: &Task, round: radix::Round, distance: u64) -> u64 {
    let (whole, rest) = cycles(task, round);
    whole + rest.saturating_sub(distance).min(round.unit)
}

/// The messages of a round in order of their digits: how many blocks each has, and how many have as many.
fn sizes(task: &Task, round: radix::Round) -> impl Iterator<Item = (u64, u64)> {
    let (unit, r) = (round.unit, task.r);
    // Behind whole cycles are `full` digits, then a part of one.
    let (whole, rest) = cycles(task, round);
    let full = rest / unit;
    let sizes = [
        (whole + unit, full.saturating_sub(1)),
        (whole + rest % unit, full.min(1)),
        (whole, r - 1 - full),
    ];
    sizes
        .into_iter()
        .filter(|&(blocks, count)| blocks > 0 && count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::Algorithm;
    use crate::collectives::alltoall::pairwise::PAIRWISE;
    use crate::engine::Machine;
    use crate::logp::LogP;

    #[test]
    fn a_radix_of_all_ranks_is_the_pairwise_exchange() {
        for (L, o, g) in [(6, 2, 4), (100, 0, 1), (1, 0, 50), (0, 3, 1)] {
            let machine = Machine::Words(LogP::new(L, o, g).unwrap());
            for (K, n) in (1..40)
                .flat_map(|K| [1, 7].map(|n| (K, n)))
                .chain([(1 << 31, 3)])
            {
                let task = Task::new(machine, K, n, 0);
                for r in [K.max(2), K + 1, u64::MAX] {
                    let task = Task { r, ..task };
                    let [bruck, pairwise] = [&BRUCK as &dyn Algorithm, &PAIRWISE]
                        .map(|algorithm| (algorithm.time(&task), algorithm.messages(&task)));
                    assert_eq!(bruck, pairwise, "{task:?}");
                }
            }
        }
    }
}
