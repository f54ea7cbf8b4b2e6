//! Linear alltoall, allgather, reduce-scatter and allreduce.
//!
//! **Source.** Folklore; Open MPI: basic linear for alltoall, libnbc for allgather.
//!
//! Rank i sends n words for ranks i+1, i+2, ... (modulo K), then receives those of ranks i-1, i-2, ... In an allgather and an
//! allreduce it has the same words for all. In a reduce-scatter and an allreduce it combines what it receives. `alltoall-linear:N` and
//! `allgather-linear:N` send N messages, then receive as many, and so on.
//!
//! **Cost** with `G = max(g(n), o(n))` and `Q = max(g(n), o(n) + cn)`: `max((K-2)G, L(n)) + (K-2)Q + 2 o(n) + cn`, with Q = G and
//! without cn where nothing is combined, and 0 for K = 1. Sends are G apart. The message of round r is there `(r-1)G` after
//! the first one, so receives are Q apart from when the first message is there and the last send is over. With N messages in a round all
//! ranks do the same at the same time, so one of them is followed until all of its times are equally later in each round.
//!
//! **When it wins.** Short blocks over a long latency: a rank waits for it once.
//!
//! **Departures.** Open MPI posts its receives first; they take messages in while it sends. Of N messages in flight its `linear_sync` and
//! UCC's batched replace each one that is done; here all N are done first.

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
    /// Most messages of a round.
    most: u64,
}

impl Linear {
    /// A block for each rank.
    pub const ALLTOALL: Self = Self {
        words: |task, from, to| Words::Range(words(task, from, to)),
        combines: false,
        most: u64::MAX,
    };
    /// One block for all.
    pub const ALLGATHER: Self = Self {
        words: |_, from, _| Words::Blocks(from, 1),
        combines: false,
        most: u64::MAX,
    };
    /// A block for each rank, which combines them.
    pub const REDUCE_SCATTER: Self = Self {
        words: |_, _, to| Words::Blocks(to, 1),
        combines: true,
        most: u64::MAX,
    };
    /// All words for all, which combine them.
    pub const ALLREDUCE: Self = Self {
        words: |task, _, _| Words::Range(0..task.n),
        combines: true,
        most: u64::MAX,
    };
}

impl Algorithm for Linear {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let Some(further) = task.K.checked_sub(2) else {
            return Ok(Closed::Exact(0));
        };
        let hop = task.hop(task.n)?.combining(self.combines);
        if task.rule == PortRule::Duplex || self.most <= further {
            let (all, most) = (task.K - 1, self.most.min(task.K - 1));
            let mut ports = Ports::new(task);
            ports.repeat(hop, most, all / most);
            ports.exchange([(hop, all % most)]);
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
        let phase = Phase::new(&task, task.K - 1, to, words).in_round(self.most.min(task.K - 1));
        Ok(Plan::phase(if self.combines {
            phase.combined()
        } else {
            phase
        }))
    }

    fn with_number(&self, most: u64) -> Option<Box<dyn Algorithm>> {
        (most > 0 && !self.combines).then(|| Box::new(Self { most, ..*self }) as _)
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collectives::alltoall::pairwise::PAIRWISE;
    use crate::collectives::tests::machines;

    /// With one message in a round ranks exchange pairwise, with K-1 messages all of them are in the first one.
    #[test]
    fn rounds_lie_between_pairwise_and_linear() {
        let linear = |most| Linear::ALLTOALL.with_number(most).unwrap();
        for (machine, K) in machines()
            .into_iter()
            .flat_map(|on| (2..20).map(move |K| (on, K)))
        {
            for rule in [PortRule::Strict, PortRule::Duplex] {
                let task = Task {
                    rule,
                    ..Task::new(machine, K, 7, 0)
                };
                let time = |algorithm: &dyn Algorithm| algorithm.time(&task).unwrap();
                assert_eq!(time(&*linear(1)), time(&PAIRWISE), "{task:?}");
                assert_eq!(time(&*linear(K - 1)), time(&Linear::ALLTOALL), "{task:?}");
            }
        }
    }
}
