//! Allgather by neighbour exchange.
//!
//! **Source.** Chen, Zhang, Zhang, Yuan, "Performance evaluation of allgather algorithms on terascale Linux cluster with
//! fast Ethernet", HPC Asia 2005; Open MPI: neighbor exchange.
//!
//! For even K. In round 0 ranks 2i and 2i+1 exchange their blocks. In each of the `K/2 - 1` further rounds every rank
//! exchanges the two blocks that it received last with its other neighbour and with this one in turn; in round 1 its own
//! block and the one received.
//!
//! **Cost** `D(n) + (K/2-1) D(2n)` where no gap is longer than its hop; else rounds are as far apart as gaps require.
//!
//! **When it wins.** Where messages between neighbours are cheaper than others: K/2 rounds, half as many as the ring.
//!
//! **Departures.** None. Odd K are refused; Open MPI takes the ring for them.

use crate::collectives::rounds::InRounds;
use crate::error::refuse_if;
use crate::plan::{Phase, Plan, Words};

/// See the module.
pub const NEIGHBOUR_EXCHANGE: InRounds = InRounds {
    combines: false,
    gathers: false,
    times: |_, task, times| {
        refuse_if!(task.K % 2 == 1 && task.K > 1, "K" = task.K => "expected an even number: ranks exchange in pairs");
        if task.K > 1 {
            times.exchange(task.hop(task.n)?.without_combining(), 1);
        }
        if task.K > 2 {
            times.exchange(task.hop(2 * task.n)?.without_combining(), task.K / 2 - 1);
        }
        Ok(())
    },
    plan: |_, task| {
        let K = task.K;
        // Even ranks begin to the right, and go on to the left and to the right in turn.
        let is_right = |rank: u64, round: u64| (rank + round).is_multiple_of(2);
        let to = move |rank, round| {
            if is_right(rank, round) {
                (rank + 1) % K
            } else {
                (rank + K - 1) % K
            }
        };
        // What comes from one side lies two blocks further in that direction each time.
        let sent = move |rank: u64, round: u64| {
            let (pair, further) = (rank / 2 * 2, round / 2 * 2);
            if is_right(rank, round) {
                pair + K - further
            } else {
                pair + further
            }
        };
        let first = Phase::new(task, (K / 2).min(1), to, |rank, _| Words::Blocks(rank, 1));
        let others = (K / 2).saturating_sub(1);
        let others = Phase::new(
            task,
            others,
            move |rank, message| to(rank, message + 1),
            move |rank, message| Words::Blocks(sent(rank, message + 1), 2),
        );
        Ok(Plan::Rounds(vec![first, others.tags(1)]))
    },
};
