//! Barrier by dissemination, with a radix, on one port or several.
//!
//! **Source.** Radix 2: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", International Journal of
//! Parallel Programming 17(1), 1988; Open MPI's `bruck`, MPICH's dissemination. Larger ones: Hoefler, Mehlan, Mietke,
//! Rehm, "Fast barrier synchronization for InfiniBand", IPDPS 2006, n-way dissemination with `n = r - 1`.
//!
//! In round x = 0, 1, ... every rank i sends to `i + d r^x` and then receives from `i - d r^x`, for d = 1, 2, ..., r-1
//! with `d r^x < K` (modulo K). After round x it knows of the `r^(x+1)` ranks up to itself, so `R = ceil(log_r K)`
//! rounds are enough.
//!
//! **Cost**, 0 for K = 1, on one port. All ranks do the same at the same time. A round that begins at t has its sends
//! at `t`, `t + g'`, ... With z messages its receives begin at `t + o + max((z-1) g', L)` and are `g'` apart: messages
//! arrive `g'` apart from `t + o + L` on, and the processor is free `o` after the last send. So the next round begins
//! `P = max(max((z-1) g', L) + (z-1) g' + 2o, z g')` later, z = r-1. The last round has `y = ceil(K/r^(R-1)) - 1`
//! messages; its receives also wait `g'` after those of the round before. With `A(z) = o + max((z-1) g', L)`:
//!
//! `max((R-1) P + A(y), (R-2) P + A(r-1) + (r-1) g') + (y-1) g' + o`, the second value for R >= 2.
//!
//! Radix 2: `(R-1) max(D, g') + D`. On more ports the messages of one rank are followed.
//!
//! **When it wins.** Radix 2 takes the fewest rounds with one send per round, and is the usual choice of MPI libraries.
//! Brute force over small barriers finds nothing faster where a hop is at most as long as the gap. Where a hop takes
//! two gaps, three ranks that each send to both others are faster: there larger radices win.
//!
//! **Departures.** Hoefler et al. send all r-1 messages in the last round, too, to ranks modulo K.

use crate::collectives::ports::Ports;
use crate::collectives::{Closed, Plain, Properties, radix};
use crate::plan::{Phase, Plan, Words};

/// See the module.
pub const DISSEMINATION: Plain = Plain {
    formula: |task| {
        let hop = task.hop(task.n)?.without_combining();
        let mut ports = Ports::new(task);
        for round in radix::rounds(task) {
            ports.exchange([(hop, round.digits)]);
        }
        Closed::exact(ports.end())
    },
    holds_on_duplex: |task| task.k == 1 && task.r == 2,
    plan: |task| {
        let (K, n) = (task.K, task.n);
        let phase = |(tag, round): (u32, radix::Round)| {
            let to = move |rank, message| (rank + (message + 1) * round.unit) % K;
            let words = move |_, _| Words::Range(0..n);
            Phase::new(task, round.digits, to, words)
                .in_round(round.digits)
                .tag(tag)
                .combined()
        };
        Ok(Plan::Rounds(
            (0..).zip(radix::rounds(task)).map(phase).collect(),
        ))
    },
    // The knowledge of higher ranks comes first.
    properties: Properties {
        keeps_order: false,
        has_radix: true,
        has_ports: true,
        ..Properties::PLAIN
    },
};
