//! Scatter-allgather: every node gets one block of the message, then all gather all blocks.
//!
//! **Source.** Barnett, Shuler, van de Geijn, Gupta, Payne, Watts, "Interprocessor collective communication library
//! (InterCom)", SHPCC 1994; Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
//! MPICH", International Journal of High Performance Computing Applications 19(1), 2005, section 4.2: what MPICH takes
//! for long messages, with recursive doubling up to some size and a ring beyond; both are in Open MPI's tuned
//! collectives, too.
//!
//! **Symbols.** K nodes from 0 at the source; c segments in K blocks of c/K, of B words each; k ports; D(s) and g'(s)
//! of s words.
//!
//! **Algorithm.** Scatter: down the binomial tree of the K nodes, each node sends each child the blocks of the child's
//! subtree in one message, the largest first, child x over port `x mod k`. Allgather by a *ring*: over its first port
//! every node sends node v + 1 its own block and then each block it gets from v - 1, K - 1 in all. Allgather by
//! *recursive doubling*, for K = 2^q: in step i node v exchanges the `2^i` blocks it has by then with the node that
//! differs in bit i. The source takes part in both as if it did not have all blocks.
//!
//! **Cost.** With R when the last node has its block and its first port is free, ring:
//! `R + (K-2)*max(D(B), g'(B)) + D(B)`; recursive doubling: `R + max(D(B), g'(B)) + ... + max(D(2^(q-2)B), g'(2^(q-2)B)) + D(2^(q-1)B)`: the latest
//! node begins latest, and what it sends, or what it sends next, is always what others wait for, on whichever path
//! takes longer. R by the recurrence of the binomial tree over the sizes of subtrees, O(log^2 K).
//!
//! **When it wins.** Long messages to many nodes: every byte goes to a node twice, however many nodes there are, where
//! a tree's busiest node sends it several times. A pipelined chain sends it once, but takes K hops to begin with.
//!
//! **Departures.** The blocks are of one size, so the segments must be, and K must divide them: others are refused
//! (MPICH has shorter and empty last blocks). There, too, a node that has more than its block after the scatter skips
//! no step.

use std::collections::BTreeMap;

use super::cut::{Hop, Instance};
use super::program::{MAX_PORTS, tag, unit};
use super::shape::Shape;
use super::{Broadcast, Machine};
use crate::engine::Fault;
use crate::engine::builder::Builder;
use crate::engine::program::{Operation, Program, Until};
use crate::error::{Error, fit};
use crate::logp::multicast::Multicast;
use crate::logp::multicast::k_nomial::KNomial;
use crate::logp::multicast::schedule::Schedule;

/// A scatter and one of the allgathers. See the module.
#[derive(Debug, Clone, Copy)]
pub struct ScatterAllgather {
    allgather: Allgather,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Allgather {
    Ring,
    Doubling,
}

/// Most children that a node of a binomial tree has; ports beyond stand idle.
const MAX_CHILDREN: u64 = 64;

impl ScatterAllgather {
    /// With the ring.
    pub const RING: Self = Self { allgather: Allgather::Ring };
    /// With recursive doubling.
    pub const DOUBLING: Self = Self { allgather: Allgather::Doubling };

    /// The words of a block.
    fn block(self, instance: Instance) -> Result<u64, Error> {
        instance.check()?;
        let Instance { K, n, m, .. } = instance;
        if self.allgather == Allgather::Doubling && !K.is_power_of_two() {
            let expected = "expected a power of two for recursive doubling; take scatter-ring for others";
            return Err(Error::parameter("K", K, expected));
        }
        let cut = instance.cut();
        if cut.last != cut.words || !cut.segments.is_multiple_of(K) {
            let expected = format!(
                "expected a number of segments that K = {K} divides and that divides n = {n}, for every node has a block of as many; write such a one"
            );
            return Err(Error::parameter("m", m, expected));
        }
        Ok(n / K)
    }
}

impl Broadcast for ScatterAllgather {
    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        let Instance { K, k, .. } = instance;
        let block = self.block(instance)?;
        if K == 1 {
            return Ok(0);
        }
        let ready = Scatter { machine, block, ports: k.min(MAX_CHILDREN) }.ready(K, &mut BTreeMap::new())?;
        let step = |blocks: u64| Hop::of(machine, blocks * block);
        let slower = |hop: Hop| hop.D.max(hop.gap);
        fit(match self.allgather {
            Allgather::Ring => {
                let hop = step(1)?;
                ready.saturating_add(slower(hop).saturating_mul(u128::from(K - 2))).saturating_add(hop.D)
            }
            Allgather::Doubling => {
                let mut time = ready;
                let last = K.ilog2() - 1;
                for bit in 0..last {
                    time = time.saturating_add(slower(step(1 << bit)?));
                }
                time.saturating_add(step(1 << last)?.D)
            }
        })
    }

    fn is_in_blocks(&self) -> bool {
        true
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        let block = self.block(instance)?;
        let nodes = super::narrow("K", instance.K)?;
        let per_block = instance.cut().segments / instance.K;
        let tree = KNomial::BINOMIAL.schedule(machine.at(1)?, nodes, 1);
        let ports = instance.k.min(MAX_CHILDREN).min(MAX_PORTS);
        let mut writer = Writer { builder: Builder::new(nodes)?, nodes, block, per_block, ports, first: None };
        for node in 0..nodes {
            let holds = writer.scatter(&tree, node)?;
            match self.allgather {
                Allgather::Ring => writer.ring(node, holds)?,
                Allgather::Doubling => writer.doubling(node, holds)?,
            }
        }
        Ok(writer.builder.by_dependencies()?)
    }
}

/// The scatter by the sizes of subtrees.
struct Scatter {
    machine: Machine,
    block: u64,
    ports: u64,
}

impl Scatter {
    /// When the last of `size` nodes holds its block and its first port is free, from when the first holds all of
    /// theirs.
    fn ready(&self, size: u64, known: &mut BTreeMap<u64, u128>) -> Result<u128, Error> {
        if size == 1 {
            return Ok(0);
        }
        if let Some(&found) = known.get(&size) {
            return Ok(found);
        }
        let mut parts = Vec::new();
        KNomial::BINOMIAL.parts(size, &mut |part, times| {
            parts.extend((0..times).map(|_| part));
            true
        })?;
        // When each port is free.
        let mut free: BTreeMap<u64, u128> = BTreeMap::new();
        let mut ready = 0;
        for (child, part) in (0u64..).zip(parts) {
            let hop = Hop::of(self.machine, part.checked_mul(self.block).ok_or(Error::Overflow)?)?;
            let start = free.entry(child % self.ports).or_default();
            ready = ready.max(start.saturating_add(hop.D).saturating_add(self.ready(part, known)?));
            *start = start.saturating_add(hop.gap);
        }
        ready = ready.max(free.get(&0).copied().unwrap_or(0));
        known.insert(size, ready);
        Ok(ready)
    }
}

/// Writes the programs of all nodes, from 0.
struct Writer {
    builder: Builder,
    nodes: u32,
    /// Words and segments of a block.
    block: u64,
    per_block: u64,
    ports: u64,
    /// The last send of the first port of the node that is written.
    first: Option<u32>,
}

impl Writer {
    /// The tag of a message whose first block is this one: its first segment.
    fn tag(&self, block: u32) -> Result<u32, Fault> {
        tag(u64::from(block) * self.per_block)
    }

    /// The blocks of a subtree come in, and those of its children go out. Tells the receive, if there is one.
    fn scatter(&mut self, tree: &Schedule, node: u32) -> Result<Option<u32>, Fault> {
        self.builder.begin(node)?;
        self.first = None;
        // As many as its lowest bit says, as far as they are there.
        let nodes = self.nodes;
        let subtree = move |node: u32| u64::from((node & node.wrapping_neg()).min(nodes - node));
        let mut holds = None;
        if node > 0 {
            let from = node & (node - 1);
            let receive = Operation::Receive { from, tag: self.tag(node)?, bytes: subtree(node) * self.block };
            holds = Some(self.builder.push_on(receive, unit(self.ports)?)?);
        }
        let mut last: Vec<Option<u32>> = vec![None; usize::try_from(self.ports).unwrap_or(0)];
        for (child, &to) in tree.targets(node + 1).iter().enumerate() {
            let port = child % last.len();
            let send = Operation::Send { to: to - 1, tag: self.tag(to - 1)?, bytes: subtree(to - 1) * self.block };
            let send = self.builder.push_on(send, unit(port as u64)?)?;
            for earlier in holds.into_iter().chain(last[port].replace(send)) {
                self.builder.depend(send, earlier, Until::Done)?;
            }
        }
        self.first = last.first().copied().flatten();
        Ok(holds)
    }

    /// Sends blocks over the first port, once what was received is there.
    fn send(&mut self, to: u32, (block, blocks): (u32, u64), holds: Option<u32>) -> Result<(), Fault> {
        let send = Operation::Send { to, tag: self.tag(block)?, bytes: blocks * self.block };
        let send = self.builder.push_on(send, unit(0)?)?;
        for earlier in holds.into_iter().chain(self.first.replace(send)) {
            self.builder.depend(send, earlier, Until::Done)?;
        }
        Ok(())
    }

    /// Takes blocks in; what comes from different senders is told apart by `sender`.
    fn receive(&mut self, (from, sender): (u32, u64), (block, blocks): (u32, u64)) -> Result<u32, Fault> {
        let receive = Operation::Receive { from, tag: self.tag(block)?, bytes: blocks * self.block };
        self.builder.push_on(receive, unit(self.ports + 1 + sender)?)
    }

    fn ring(&mut self, node: u32, mut holds: Option<u32>) -> Result<(), Fault> {
        let nodes = self.nodes;
        let before = |node: u32| if node == 0 { nodes - 1 } else { node - 1 };
        let next = if node + 1 == nodes { 0 } else { node + 1 };
        let mut block = node;
        for _ in 1..nodes {
            self.send(next, (block, 1), holds)?;
            block = before(block);
            holds = Some(self.receive((before(node), 0), (block, 1))?);
        }
        Ok(())
    }

    fn doubling(&mut self, node: u32, holds: Option<u32>) -> Result<(), Fault> {
        let mut held: Vec<u32> = holds.into_iter().collect();
        let mut bit = 1;
        while bit < self.nodes {
            let partner = node ^ bit;
            // All that came in before.
            let first = |node: u32| node & !(bit - 1);
            self.send(partner, (first(node), bit.into()), None)?;
            if let Some(send) = self.first {
                for &earlier in &held {
                    self.builder.depend(send, earlier, Until::Done)?;
                }
            }
            held.push(self.receive((partner, bit.ilog2().into()), (first(partner), bit.into()))?);
            bit *= 2;
        }
        Ok(())
    }
}
