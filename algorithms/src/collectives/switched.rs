//! Collectives through a switch that combines what ranks send and copies what they get.
//!
//! **Source.** Graham et al., "Scalable hierarchical aggregation protocol (`SHArP`)", COMHPC 2016; NCCL: `NVLS` (`device/all_reduce.h`,
//! `all_gather.h`, `reduce_scatter.h`), where a rank loads words that the switch combines, and stores words that it copies. Here a rank
//! sends its words for each such load.
//!
//! Each rank is at the switch over one port ([`plan::switch`](crate::plan::switch)). With `p = max(g, o)` of a message:
//!
//! | algorithm | what passes the switch | cost |
//! |---|---|---|
//! | allreduce, barrier | the vector of all ranks, to all of them, in m segments | all sends, then all receives; `D(n)` for m = 1 |
//! | allreduce in blocks | block i of all ranks to rank i; then from there to all others | `2o + L + (K-2)p + max((K-1)p + 2o, p + 2o + L, Kp)` of a block, if K divides n |
//! | broadcast, reduce | the vector from the root to all others; of all ranks to the root | `D(n)` |
//! | allgather | the block of each rank to all others | `D(n) + (K-2)p` |
//! | reduce-scatter | block i of all ranks to rank i | `D(n) + (K-1)p` |
//!
//! *Allreduce in blocks.* Rank i sends its last block at `(K-1)p`, has its own block at `max((K-1)p, ip + L) + 2o` and sends it p after
//! its last send or later, at `S(i)`. Others receive it from `S(i) + o + L` on, in the order of i and p apart. `S(i) - ip` does not grow with
//! i, so that K-1 receives in a row end last that begin with the first block: that of rank 1 at rank 0, because `S(0) <= S(1)`.
//!
//! **When it wins.** Wherever there is such a switch: one hop for any K, and a port sends and receives n words of an allreduce, where
//! ranks alone need `2(K-1)/K n`. In blocks they are `(1 + 1/K)n`, one way after the other: for a switch that combines words only where a
//! rank loads them, which would send those of all ranks to each.
//!
//! **Departures.** The order in which a switch combines is its own, so none is kept. Combining takes the switch no time.

use super::ports::Ports;
use super::{Algorithm, Closed, Properties};
use crate::error::{Error, fit, refuse_if};
use crate::plan::task::PortRule;
use crate::plan::{Ends, Passage, Plan, Stage, Task, part};
use crate::wide::Wide;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switched {
    /// The vector of all ranks, to all of them.
    Allreduce,
    /// A block of all ranks to each, which has it copied to all others.
    AllreduceInBlocks,
    /// From the root to all others.
    Broadcast,
    /// Of all ranks to the root.
    Reduce,
    /// The block of each rank to all others.
    Allgather,
    /// A block of all ranks to each.
    ReduceScatter,
}

impl Switched {
    /// The cost where all blocks have so many words.
    fn in_blocks(task: &Task, words: u64) -> Result<Wide, Error> {
        let (hop, K) = (task.hop(words)?, task.K);
        let p = hop.gap();
        let sent = ((K - 1) * p + 2 * hop.o).max(p + hop.D()).max(K * p);
        Ok(hop.D() + (task.K - 2) * p + sent)
    }
}

impl Algorithm for Switched {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        refuse_if!(!task.has_switch || task.rule != PortRule::Strict, "ports" = PortRule::WORDS[task.ports()] =>
            "expected switch: words pass one that combines and copies");
        if task.K == 1 {
            return Closed::exact(Wide::ZERO);
        }
        let hop = task.hop(task.n)?;
        let p = hop.gap();
        match self {
            Self::Allreduce => {
                let (longer, m) = (task.n % task.m, task.m);
                let mut ports = Ports::new(task);
                ports.exchange([
                    (task.hop(task.n.div_ceil(m))?, longer),
                    (task.hop(task.n / m)?, m - longer),
                ]);
                Closed::exact(ports.end())
            }
            Self::AllreduceInBlocks => {
                let [least, most] = [task.n / task.K, task.n.div_ceil(task.K)];
                let [below, above] = [Self::in_blocks(task, least)?, Self::in_blocks(task, most)?];
                if below == above {
                    return Closed::exact(above);
                }
                Ok(Closed::Between([fit(below)?, fit(above)?]))
            }
            Self::Broadcast | Self::Reduce => Closed::exact(hop.D()),
            Self::Allgather => Closed::exact(hop.D() + (task.K - 2) * p),
            Self::ReduceScatter => Closed::exact(hop.D() + (task.K - 1) * p),
        }
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let vector = move |from, to| {
            Stage::new(1, move |_| Passage {
                from,
                to,
                words: 0..task.n,
            })
        };
        let to_owners = move |words: fn(&Task, u64) -> std::ops::Range<u64>| {
            Stage::new(task.K, move |block| Passage {
                from: Ends::All,
                to: Ends::Only(block),
                words: words(&task, block),
            })
        };
        let to_others = move |words: fn(&Task, u64) -> std::ops::Range<u64>| {
            Stage::new(task.K, move |block| Passage {
                from: Ends::Only(block),
                to: Ends::AllBut(block),
                words: words(&task, block),
            })
        };
        let part_of = |task: &Task, block| task.block(block, task.K);
        let own = |task: &Task, block| task.words(block..block + 1);
        Ok(Plan::Switch(match self {
            Self::Allreduce => vec![Stage::new(task.m, move |segment| Passage {
                from: Ends::All,
                to: Ends::All,
                words: part(task.n, segment, task.m),
            })],
            Self::AllreduceInBlocks => vec![to_owners(part_of), to_others(part_of)],
            Self::Broadcast => vec![vector(Ends::Only(task.root), Ends::AllBut(task.root))],
            Self::Reduce => vec![vector(Ends::All, Ends::Only(task.root))],
            Self::Allgather => vec![to_others(own)],
            Self::ReduceScatter => vec![to_owners(own)],
        }))
    }

    /// It refuses them.
    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn properties(&self) -> Properties {
        Properties {
            keeps_order: false,
            is_segmented: *self == Self::Allreduce,
            ..Properties::PLAIN
        }
    }
}
