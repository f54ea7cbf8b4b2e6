//! Barrier by a message that goes around a ring twice.
//!
//! **Source.** Folklore; Open MPI: double ring (`ompi_coll_base_barrier_intra_doublering`).
//!
//! Rank 0 sends to rank 1. Every other rank receives from the rank before it and sends to the next one (modulo K), until rank 0 has
//! the message. It then knows that all ranks have entered, and the message goes around once more.
//!
//! **Cost** `KD + max(KD, g)` for K >= 2, and 0 for K = 1. There is one message at a time. Each rank sends and receives again one turn
//! later, so that only rank 0 may wait for its gap, before the second turn.
//!
//! **When it wins.** Never by time. Each message goes to a neighbour, and a rank that was lost is found by its neighbours.
//!
//! **Departures.** None.

use crate::collectives::{Closed, Plain, Properties};
use crate::plan::{Plan, narrow};
use crate::wide::Wide;

/// See the module.
pub const DOUBLE_RING: Plain = Plain {
    formula: |task| {
        if task.K == 1 {
            return Ok(Closed::Exact(0));
        }
        let hop = task.hop(task.n)?;
        let turn = Wide::from(task.K) * hop.D();
        Closed::exact(turn + turn.max(hop.g))
    },
    holds_on_duplex: |task| task.k == 1,
    plan: |task| {
        let task = *task;
        let last = narrow(task.K - 1);
        let messages = if task.K == 1 {
            Wide::ZERO
        } else {
            2 * Wide::from(task.K)
        };
        Ok(Plan::script(messages, 2, move |rank, script| {
            for turn in 0..2 {
                let next = if rank == last { 0 } else { rank + 1 };
                if rank > 0 {
                    script.combine(rank, rank - 1, turn, task.vector());
                }
                script.send(next, turn, task.vector());
                if rank == 0 {
                    script.combine(rank, last, turn, task.vector());
                }
            }
        }))
    },
    // A rank hears of itself in the second turn.
    properties: Properties {
        keeps_order: false,
        ..Properties::PLAIN
    },
};
