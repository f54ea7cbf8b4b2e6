//! Scatter-allgather: every node gets one block of the message, then all nodes gather all blocks.
//!
//! **Source.** Barnett, Shuler, van de Geijn, Gupta, Payne, Watts, "Interprocessor collective communication library
//! (InterCom)", SHPCC 1994; Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
//! MPICH", International Journal of High Performance Computing Applications 19(1), 2005, section 4.2: MPICH's choice for long
//! messages, with recursive doubling up to some size and a ring above. Open MPI's tuned collectives have both.
//!
//! **Symbols.** K nodes from 0 at the source; c segments in K blocks of c/K segments and B words; k ports; D(s) and g'(s) of s words.
//!
//! **Algorithm.** Scatter: in the binomial tree of the K nodes, each node sends each child the blocks of the child's subtree in one
//! message, the largest first, child x over port `x mod k`. Allgather by a *ring*: over its first port, node v sends node v + 1 its
//! own block and then each block from v - 1, K - 1 in all. Allgather by *recursive doubling*, for K = 2^q: in step i node v
//! exchanges its `2^i` blocks with the node that differs in bit i. The source also takes part in the allgather.
//!
//! **Cost.** Until every node holds every block. Node v has its block and a free first port at `r(v)`. It begins its i-th send at
//! `t(v, i) = max(t(v, i-1) + g', t(u, i-1) + D)`, where u is its partner in that step and `t(v, 1) = r(v)`: the longest path over
//! `r(v)`, hops and gaps. The last missing block of a node comes with its last message, except for nodes that have more than one
//! block after the scatter. So in the ring the longest path from an even v has `K-2` steps of `max(D, g')`; from an odd v one step
//! is the lesser of the two. In recursive doubling all paths count except the one to the source, which misses nothing. The values
//! `r(v)` follow from the recurrence of the binomial tree over the sizes of subtrees, O(log^2 K).
//!
//! **Until the last operation has ended**, which MPI waits for, with R the largest `r(v)`: the ring takes
//! `R + (K-2)*max(D(B), g'(B)) + D(B)`, recursive doubling
//! `R + max(D(B), g'(B)) + ... + max(D(2^(q-2)B), g'(2^(q-2)B)) + D(2^(q-1)B)`, because nodes are also sent blocks that they hold.
//!
//! **When it wins.** Long messages to many nodes: every byte reaches a node twice for any number of nodes, while a tree's busiest
//! node sends it several times. A pipelined chain sends it once, but begins with K hops.
//!
//! **Departures.** Blocks have one size, so segments must have one size and K must divide their number; other instances are refused
//! (MPICH has shorter and empty last blocks). As there, a node with more than its block after the scatter skips no step.

use std::collections::BTreeMap;

use super::cut::{Hop, Instance};
use super::program::{MAX_PORTS, Writer};
use super::{Broadcast, Machine};
use crate::engine::Fault;
use crate::engine::program::Program;
use crate::error::{Error, fit, refuse_if};
use crate::plan::Family;
use crate::wide::Wide;

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

/// The most children of a node in a binomial tree; further ports are idle.
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
        refuse_if!(self.allgather == Allgather::Doubling && !K.is_power_of_two(), "K" = K =>
            "expected a power of two for recursive doubling; take scatter-ring for others");
        let cut = instance.cut();
        if cut.last != cut.words || !cut.segments.is_multiple_of(K) {
            let expected = if n.is_multiple_of(K) {
                format!(
                    "expected a multiple of K = {K} that divides n = {n}: every node gets a block of as many; take {K}"
                )
            } else {
                format!(
                    "K = {K} does not divide n = {n}, so no m will do: all blocks are of one size; choose an n divisible by {K}"
                )
            };
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
        let mut scatter = Scatter::new(machine, block, k);
        fit(match self.allgather {
            Allgather::Ring => scatter.held_of_ring(K, Hop::new(machine, block)?)?,
            Allgather::Doubling => {
                let hops = (0..K.ilog2()).map(|bit| Hop::new(machine, block << bit));
                scatter.held_of_doubling(K, &hops.collect::<Result<Vec<_>, _>>()?)?
            }
        })
    }

    fn ended(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        let Instance { K, k, .. } = instance;
        let block = self.block(instance)?;
        if K == 1 {
            return Ok(0);
        }
        let ready = Scatter::new(machine, block, k).latest(K, Nodes::ALL)?.unwrap_or_default();
        let step = |blocks: u64| Hop::new(machine, blocks * block);
        let slower = |hop: Hop| hop.D.max(hop.gap);
        fit(match self.allgather {
            Allgather::Ring => ready + (K - 2) * slower(step(1)?) + step(1)?.D,
            Allgather::Doubling => {
                let last = K.ilog2() - 1;
                let steps = (0..last).map(|bit| step(1 << bit).map(slower)).sum::<Result<Wide, _>>()?;
                ready + steps + step(1 << last)?.D
            }
        })
    }

    fn is_in_blocks(&self) -> bool {
        true
    }

    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error> {
        let block = self.block(instance)?;
        let nodes = instance.K;
        let per_block = instance.cut().segments / nodes;
        let ports = instance.k.min(MAX_CHILDREN).min(MAX_PORTS);
        let mut writer = BlockWriter { writer: Writer::new(machine, instance)?, nodes, block, per_block, ports };
        for node in 0..nodes {
            let holds = writer.scatter(node)?;
            match self.allgather {
                Allgather::Ring => writer.ring(node, holds)?,
                Allgather::Doubling => writer.doubling(node, holds)?,
            }
        }
        Ok(writer.writer.finish()?)
    }
}

/// Some of the nodes of a subtree, which are numbered from 0 at its root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Nodes {
    /// Only the even ones (0) or the odd ones (1).
    parity: Option<u64>,
    /// All but this one.
    but: Option<u64>,
}

impl Nodes {
    const ALL: Self = Self { parity: None, but: None };
    const EVEN: Self = Self { parity: Some(0), but: None };
    const ODD: Self = Self { parity: Some(1), but: None };

    fn has_root(self) -> bool {
        self.parity != Some(1) && self.but != Some(0)
    }

    /// The nodes of the set that are in the subtree of a child, which begins at this node; `None` without any.
    fn within(self, offset: u64) -> Option<Self> {
        let but = self.but.and_then(|but| but.checked_sub(offset));
        match self.parity {
            // A leaf.
            Some(0) if offset == 1 => None,
            Some(1) if offset == 1 => Some(Self { parity: None, but }),
            parity => Some(Self { parity, but }),
        }
    }
}

/// A child in the binomial tree.
struct Child {
    /// Its position behind the root, and the nodes of its subtree.
    offset: u64,
    size: u64,
    /// When it holds the blocks of its subtree, after the root holds all.
    holds: Wide,
}

/// The scatter by the sizes of subtrees.
struct Scatter {
    machine: Machine,
    block: u64,
    ports: u64,
    /// [`Scatter::latest`] of whole subtrees.
    known: BTreeMap<(u64, Nodes), Option<Wide>>,
}

impl Scatter {
    fn new(machine: Machine, block: u64, k: u64) -> Self {
        Self { machine, block, ports: k.min(MAX_CHILDREN), known: BTreeMap::new() }
    }

    /// The subtrees of the root of a tree with this many nodes, the largest first, and when its first port is free.
    fn children(&self, size: u64) -> Result<(Vec<Child>, Wide), Error> {
        // When each port is free.
        let mut free: BTreeMap<u64, Wide> = BTreeMap::new();
        let mut children: Vec<Child> = Vec::new();
        let highest = (size > 1).then(|| 1 << (size - 1).ilog2());
        let offsets = std::iter::successors(highest, |offset: &u64| Some(offset / 2).filter(|half| *half > 0));
        for (child, offset) in (0u64..).zip(offsets) {
            let part = offset.min(size - offset);
            let hop = Hop::new(self.machine, part.checked_mul(self.block).ok_or(Error::Overflow)?)?;
            let start = free.entry(child % self.ports).or_default();
            children.push(Child { offset, size: part, holds: *start + hop.D });
            *start += hop.gap;
        }
        Ok((children, free.get(&0).copied().unwrap_or_default()))
    }

    /// When the last of some of `size` nodes holds its block and has a free first port, after the first node holds all blocks; `None`
    /// without such nodes.
    fn latest(&mut self, size: u64, of: Nodes) -> Result<Option<Wide>, Error> {
        let of = Nodes { but: of.but.filter(|but| *but < size), ..of };
        if let Some(&found) = self.known.get(&(size, of)) {
            return Ok(found);
        }
        let (children, free) = self.children(size)?;
        let mut latest = of.has_root().then_some(free);
        for Child { offset, size, holds } in children {
            let Some(within) = of.within(offset) else { continue };
            latest = latest.max(self.latest(size, within)?.map(|ready| holds + ready));
        }
        self.known.insert((size, of), latest);
        Ok(latest)
    }

    /// When one of `size` nodes holds its block and has a free first port, after the first node holds all blocks.
    fn ready(&self, size: u64, node: u64) -> Result<Wide, Error> {
        let (children, free) = self.children(size)?;
        match children.iter().find(|child| (child.offset..child.offset + child.size).contains(&node)) {
            None => Ok(free),
            Some(child) => Ok(child.holds + self.ready(child.size, node - child.offset)?),
        }
    }

    /// When every node of K >= 2 holds every block by the ring. Of the nodes on a path from u, the last leaf waits longest where hops
    /// are slow (u - 1 or u - 2), the first leaf where gaps are (u + 1 or u + 2); the source waits for nothing.
    fn held_of_ring(&mut self, K: u64, Hop { D, gap }: Hop) -> Result<Wide, Error> {
        let all = (K - 2) * D.max(gap) + D;
        // One step of the slower kind fewer, and one of the other.
        let fewer = K.checked_sub(3).map(|steps| steps * D.max(gap) + D.min(gap) + D);
        let odd = self.latest(K, Nodes::ODD)?.zip(fewer).map(|(ready, fewer)| ready + fewer);
        let plus = |ready: Option<Wide>| ready.map(|ready| ready + all);
        if D >= gap || K.is_multiple_of(2) {
            return Ok(plus(self.latest(K, Nodes::EVEN)?).max(odd).unwrap_or_default());
        }
        // With an odd number of nodes the last one is an even leaf before the source.
        let even = plus(self.latest(K, Nodes { but: Some(K - 1), ..Nodes::EVEN })?);
        let before_it = plus(Some(self.ready(K, K - 2)?));
        let last = fewer.map(|fewer| fewer + self.ready(K, K - 1).unwrap_or(Wide::MAX));
        Ok(even.max(odd).max(before_it).max(last).unwrap_or_default())
    }

    /// When every node of K = 2^q >= 2 holds every block by recursive doubling, with a hop for each step. In the last step each node gets
    /// the other half of the blocks; the source already has them.
    fn held_of_doubling(&mut self, K: u64, hops: &[Hop]) -> Result<Wide, Error> {
        let half = K / 2;
        let (Some(last), steps) = (hops.last(), &hops[..hops.len().saturating_sub(1)]) else { return Ok(Wide::ZERO) };
        let longest: Wide = steps.iter().map(|hop| hop.D.max(hop.gap)).sum();
        // The longest path goes to the partner in steps in which a hop is longer than a gap.
        let across = (0u32..).zip(steps).filter(|(_, hop)| hop.D > hop.gap).fold(0u64, |sum, (bit, _)| sum | 1 << bit);
        let (children, free) = self.children(K)?;
        let mut latest = Some(free);
        for Child { offset, size, holds } in children {
            let of = if offset == half { Nodes { but: Some(across), ..Nodes::ALL } } else { Nodes::ALL };
            latest = latest.max(self.latest(size, of)?.map(|ready| holds + ready));
        }
        let mut held = latest.map_or(Wide::ZERO, |ready| ready + longest);
        // Where that path leads to the source, the next longest differs in the step with the least difference.
        let difference = |hop: &Hop| hop.D.max(hop.gap).checked_sub(hop.D.min(hop.gap));
        if let Some(fewer) = steps.iter().filter_map(difference).min().and_then(|least| longest.checked_sub(least)) {
            held = held.max(self.ready(K, half + across)? + fewer);
        }
        Ok(held + last.D)
    }
}

/// Writes what nodes do with blocks.
struct BlockWriter {
    writer: Writer,
    nodes: u64,
    /// Words and segments of a block.
    block: u64,
    per_block: u64,
    ports: u64,
}

impl BlockWriter {
    /// A message of blocks: its first segment and its words.
    fn message(&self, (first, blocks): (u64, u64)) -> (u64, u64) {
        (first * self.per_block, blocks * self.block)
    }

    /// Receives the blocks of a subtree and sends those of the children. Returns the receive, if there is one.
    fn scatter(&mut self, node: u64) -> Result<Option<u32>, Fault> {
        self.writer.begin(node)?;
        let Family { parent, size, children } = Family::binomial(self.nodes, node).reversed();
        let own = self.message((node, size));
        let holds = parent.map(|parent| self.writer.receive(parent, own, self.ports)).transpose()?;
        for (child, to) in (0..).zip(children) {
            self.writer.send(to.0, self.message(to), child % self.ports, holds)?;
        }
        Ok(holds)
    }

    /// Receives blocks; `sender` distinguishes different senders.
    fn receive(&mut self, (from, sender): (u64, u64), blocks: (u64, u64)) -> Result<u32, Fault> {
        self.writer.receive(from, self.message(blocks), self.ports + 1 + sender)
    }

    fn ring(&mut self, node: u64, mut holds: Option<u32>) -> Result<(), Fault> {
        let nodes = self.nodes;
        let before = |node: u64| if node == 0 { nodes - 1 } else { node - 1 };
        let next = if node + 1 == nodes { 0 } else { node + 1 };
        let mut block = node;
        for _ in 1..nodes {
            self.writer.send(next, self.message((block, 1)), 0, holds)?;
            block = before(block);
            holds = Some(self.receive((before(node), 0), (block, 1))?);
        }
        Ok(())
    }

    fn doubling(&mut self, node: u64, holds: Option<u32>) -> Result<(), Fault> {
        let mut held: Vec<u32> = holds.into_iter().collect();
        let mut bit = 1;
        while bit < self.nodes {
            let partner = node ^ bit;
            // All blocks that were received before.
            let first = |node: u64| node & !(bit - 1);
            self.writer.send(partner, self.message((first(node), bit)), 0, held.iter().copied())?;
            held.push(self.receive((partner, bit.ilog2().into()), (first(partner), bit))?);
            bit *= 2;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;
    use crate::logp::LogP;
    use crate::logp::loggops::LogGops;
    use crate::logp::pipeline::simulator::simulate;

    const BOTH: [ScatterAllgather; 2] = [ScatterAllgather::RING, ScatterAllgather::DOUBLING];

    fn machines() -> Vec<Machine> {
        let logp = [(1, 0, 1), (6, 2, 4), (100, 0, 1), (0, 3, 20), (5, 5, 5), (1, 0, 50), (3, 1, 5)];
        let profile = LogGops { L: 40, o: 3, g: 90, G: 2_000_000, O: 500_000, H: 300_000 };
        let words = logp.into_iter().map(|(L, o, g)| Machine::Words(LogP::new(L, o, g).unwrap()));
        words
            .chain([
                Machine::LogGops(profile.into()),
                Machine::LogGops(LogGops { g: 0, H: 9_000_000, ..profile }.into()),
            ])
            .collect()
    }

    /// Both formulas, for holding all blocks and for the last end, against the engine.
    #[test]
    fn both_times_are_what_is_executed() {
        let mut later = 0;
        for (machine, K) in machines().into_iter().flat_map(|machine| (1..=34).map(move |K| (machine, K))) {
            for (k, blocks) in [(1, 1), (1, 2), (2, 1), (3, 3)] {
                let instance = Instance { K, n: 4 * K * blocks, k, m: K * blocks };
                for algorithm in BOTH {
                    let Ok(time) = algorithm.time(machine, instance) else {
                        assert!(!K.is_power_of_two());
                        continue;
                    };
                    let ended = algorithm.ended(machine, instance).unwrap();
                    let program = || algorithm.program(machine, instance).unwrap();
                    assert_eq!(
                        simulate(machine, instance, program()),
                        Ok(time),
                        "{algorithm:?} {machine:?} {instance:?}"
                    );
                    assert_eq!(engine::run(machine, &program()).unwrap().finish, ended, "{algorithm:?} {instance:?}");
                    assert!(time <= ended);
                    later += u32::from(time < ended);
                }
            }
        }
        assert!(later > 500, "only {later} of them differ");
    }

    #[test]
    fn what_a_node_holds_already_is_not_waited_for() {
        let machine = Machine::Words(LogP::new(100, 0, 1).unwrap());
        for algorithm in BOTH {
            let instance = Instance { K: 2, n: 2, k: 1, m: 2 };
            let times = [algorithm.time(machine, instance), algorithm.ended(machine, instance)];
            assert_eq!(times, [Ok(101), Ok(200)]);
        }
    }

    /// A number of segments is offered only where one is valid.
    #[test]
    fn blocks_of_one_size() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let refused = |n, m| {
            let instance = Instance { K: 7, n, k: 1, m };
            ScatterAllgather::RING.time(machine, instance).unwrap_err().to_string()
        };
        assert!(refused(64, 7).contains("no m will do") && refused(64, 7).ends_with("choose an n divisible by 7"));
        assert!(refused(70, 3).ends_with("take 7"));
        assert!(ScatterAllgather::RING.time(machine, Instance { K: 7, n: 70, k: 1, m: 7 }).is_ok());
    }
}
