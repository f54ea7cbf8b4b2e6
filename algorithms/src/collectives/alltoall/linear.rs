//! Linear alltoall, allgather, reduce-scatter and allreduce.
//!
//! **Source.** Folklore; Open MPI: basic linear for alltoall, libnbc for allgather.
//!
//! Rank i sends n words for ranks i+1, i+2, ... (modulo K), then receives those of ranks i-1, i-2, ... In an allgather and an
//! allreduce it has the same words for all. In a reduce-scatter and an allreduce it combines what it receives.
//!
//! **Cost** with `G = max(g(n), o(n))` and `Q = max(g(n), o(n) + cn)`: `max((K-2)G, L(n)) + (K-2)Q + 2 o(n) + cn`, with Q = G and
//! without cn where nothing is combined, and 0 for K = 1. Sends are G apart. The message of round r is there `(r-1)G` after
//! the first one, so receives are Q apart from when the first message is there and the last send is over.
//!
//! **When it wins.** Short blocks over a long latency: a rank waits for it once.
//!
//! **Departures.** Open MPI posts its receives first; they take messages in while it sends.

use super::words;
use crate::collectives::ports::Ports;
use crate::collectives::trees::between;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::plan::task::PortRule;
use crate::plan::{Phase, Plan, Task, Words};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// The words of one rank for another one.
    words: fn(&Task, u64, u64) -> Words,
    combines: bool,
}

impl Linear {
    /// A block for each rank.
    pub const ALLTOALL: Self = Self {
        words: |task, from, to| Words::Range(words(task, from, to)),
        combines: false,
    };
    /// One block for all.
    pub const ALLGATHER: Self = Self {
        words: |_, from, _| Words::Blocks(from, 1),
        combines: false,
    };
    /// A block for each rank, which combines them.
    pub const REDUCE_SCATTER: Self = Self {
        words: |_, _, to| Words::Blocks(to, 1),
        combines: true,
    };
    /// All words for all, which combine them.
    pub const ALLREDUCE: Self = Self {
        words: |task, _, _| Words::Range(0..task.n),
        combines: true,
    };
}

impl Algorithm for Linear {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let Some(further) = task.K.checked_sub(2) else {
            return Ok(Closed::Exact(0));
        };
        let hop = task.hop(task.n)?;
        let hop = if self.combines {
            hop
        } else {
            hop.without_combining()
        };
        if task.rule == PortRule::Duplex {
            let mut ports = Ports::new(task);
            ports.exchange([(hop, task.K - 1)]);
            return Closed::exact(ports.end());
        }
        let [sent, received] = [hop.without_combining(), hop].map(|hop| further * between(hop));
        Closed::exact(sent.max(hop.L) + received + 2 * hop.o + hop.q)
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        !self.combines
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (task, of) = (*task, self.words);
        let to = move |rank, message| (rank + message + 1) % task.K;
        let words = move |rank, message| of(&task, rank, to(rank, message));
        let phase = Phase::new(&task, task.K - 1, to, words).in_round(task.K - 1);
        Ok(Plan::phase(if self.combines {
            phase.combined()
        } else {
            phase
        }))
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}
