//! Circulant: with one port, the fewest possible rounds, for every number of nodes.
//!
//! **Source.** Träff, "Round-optimal n-block broadcast schedules in logarithmic time", arXiv 2312.11236, and "Optimal
//! broadcast schedules in logarithmic time with applications to broadcast, all-broadcast, reduction and all-reduction",
//! arXiv 2407.18004.
//!
//! **Symbols.** n nodes (there p), the source included; m messages (there n blocks); `q = ceil(log2 n)`;
//! `skip[q] = n`, `skip[i] = ceil(skip[i+1]/2)`.
//!
//! **Algorithm.** In round i of a phase of q rounds every node r sends to `r + skip[i]` and receives from
//! `r - skip[i]`, modulo n. Messages are counted from the one that the root sends in round 0 of the phase; it sends
//! message i in round i. The *base block* b of a node r is the smallest index when r is written as a sum of skips,
//! largest first. In a phase the node receives b and the messages from -q to -1 but b - q, each once, and what it sends
//! in a round it has from an earlier one, or it is b - q. From 9 nodes on several schedules do so; the one of the papers is found on a line
//! that starts at the root, where node r stands at `n + r`. For round 0, 1, .. it takes a sum of skips, of indices below q+1 other than b and
//! those taken, that is at most `n + r - skip[i]` and below the last sum: depth first, larger skips first, and a sum at most
//! `n + r - skip[i+1]` is extended first. Its last index, less q, is the message; for index q it is b. In the next phase all numbers are q larger. Messages below
//! message 0 of all are not sent, instead of those past the last the last is. The first phase starts x rounds late, so
//! that the last one ends in full: `x = (q - (m-1+q) mod q) mod q`.
//!
//! **Cost.** `m - 1 + ceil(log2 n)` rounds, the least there can be. O(log n) for the schedule of a node.
//!
//! **When it wins.** With one port, always. It does not exist for more ports.
//!
//! **Departures from the papers.** The send schedule of a node follows from its receivers' schedules; the papers compute it without them.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::RoundBroadcast;
use super::bounds::ceil_log;
use super::rounds::{Rounds, Transfer};
use crate::cost::{Published, Relation};
use crate::error::{Error, fit, refuse_if};

/// Träff's broadcast on a circulant graph. See the module.
pub struct Circulant;

impl RoundBroadcast for Circulant {
    /// ```
    /// use castbench_algorithms::internals::multiport::RoundBroadcast;
    /// use castbench_algorithms::internals::multiport::circulant::Circulant;
    /// assert_eq!(Circulant.rounds(1_000_000_007, 1, 100)?, 99 + 30);
    /// assert!(Circulant.rounds(9, 2, 100).is_err());
    /// # Ok::<(), castbench_algorithms::error::Error>(())
    /// ```
    fn rounds(&self, n: u64, k: u64, m: u64) -> Result<u64, Error> {
        check_one_port(k)?;
        if n == 1 {
            return Ok(0);
        }
        fit(u128::from(m - 1) + u128::from(ceil_log(2, n.into())))
    }

    fn schedule(&self, n: u32, k: u32, m: u32) -> Result<Box<dyn Rounds>, Error> {
        check_one_port(k.into())?;
        Ok(Box::new(Phases::new(n, m)))
    }

    fn published(&self, n: u64, k: u64, m: u64) -> Vec<Published> {
        if n < 2 || k != 1 {
            return Vec::new();
        }
        vec![Published {
            section: "arXiv 2312.11236",
            formula: "m - 1 + ceil(log2 n)",
            relation: Relation::Equal,
            value: u128::from(m - 1) + u128::from(ceil_log(2, n.into())),
        }]
    }
}

fn check_one_port(k: u64) -> Result<(), Error> {
    refuse_if!(k != 1, "k" = k =>
        "expected 1: the circulant schedule has one port; with more ports use hypercube-balanced");
    Ok(())
}

/// Which message each node receives in each round.
#[derive(Clone)]
pub(crate) struct Schedule {
    graph: Arc<Graph>,
    /// The last message.
    last: u64,
    /// x: how many rounds the first phase starts late.
    late: u64,
}

impl Schedule {
    /// Of n nodes and m messages.
    pub fn new(n: u32, m: u64) -> Self {
        let (graph, last) = (Arc::new(Graph::new(n)), m - 1);
        let q = u64::from(graph.q.max(1));
        Self {
            graph,
            last,
            late: (q - last % q) % q,
        }
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u64 {
        match self.graph.q {
            0 => 0,
            q => self.last + u64::from(q),
        }
    }

    /// The phase of a round, and the number of the round in it.
    fn phase(&self, round: u64) -> (u64, usize) {
        let (round, q) = (round + self.late, u64::from(self.graph.q.max(1)));
        (round / q, usize::try_from(round % q).unwrap_or(0))
    }

    /// How far nodes send in a round.
    pub fn skip(&self, round: u64) -> u64 {
        self.graph.skip[self.phase(round).1]
    }

    /// What a node receives in a round, if it receives.
    pub fn message(&self, node: u64, round: u64) -> Option<u64> {
        if node == 0 {
            return None;
        }
        let (phase, index) = self.phase(round);
        let block = if self.graph.n > MAX_TABLE {
            let mut blocks = Vec::new();
            self.graph.received(node, &mut blocks);
            *blocks.get(index)?
        } else {
            self.graph.row(index)[usize::try_from(node).ok()?].into()
        };
        self.numbered(phase, block.into())
    }

    /// The rounds, whole phases, in which as many messages are sent as in each of the next phases, and all of them are below message `long`,
    /// or none: then a phase is like the one before it, where only the messages below are longer.
    pub fn repeats(&self, long: u64) -> [Range<u64>; 2] {
        let (q, late) = (u64::from(self.graph.q.max(1)), self.late);
        let end = (self.rounds() + late) / q;
        let first = (1 + late.div_ceil(q)).min(end);
        let long_end = ((long + late) / q).clamp(first, end);
        let short = (long + q + late).div_ceil(q).clamp(long_end, end);
        [first..long_end, short..end].map(|phases| phases.start * q - late..phases.end * q - late)
    }

    /// The message of a phase with this number from 0; none below message 0.
    fn numbered(&self, phase: u64, block: u64) -> Option<u64> {
        let q = u64::from(self.graph.q);
        let message = (phase * q + block).checked_sub(q + self.late)?;
        Some(message.min(self.last))
    }
}

/// The most nodes whose schedules stay in memory for [`Schedule::message`]: 20 MB.
const MAX_TABLE: u64 = 1 << 20;

/// The circulant graph of n nodes, and the schedule of each of its nodes.
struct Graph {
    n: u64,
    q: u32,
    /// `skip[0..=q]`.
    skip: Vec<u64>,
    /// What each node receives in round 0 of a phase, then in round 1, and so on: [`Graph::received`].
    table: OnceLock<Vec<u8>>,
}

impl Graph {
    fn new(n: u32) -> Self {
        let q = ceil_log(2, n.into());
        let mut skip: Vec<u64> =
            std::iter::successors(Some(u64::from(n)), |skip| Some(skip.div_ceil(2)))
                .take(q as usize + 1)
                .collect();
        skip.reverse();
        Self {
            n: n.into(),
            q,
            skip,
            table: OnceLock::new(),
        }
    }

    /// What each node receives in this round of a phase.
    fn row(&self, round: usize) -> &[u8] {
        // In memory, so below 2^64.
        let n = usize::try_from(self.n).unwrap_or(usize::MAX);
        let table = self.table.get_or_init(|| {
            let mut table = vec![0; n * self.q as usize];
            let mut blocks = Vec::new();
            for node in 1..n {
                self.received(node as u64, &mut blocks);
                for (round, &block) in blocks.iter().enumerate() {
                    // Below 2q, which is at most 64.
                    table[round * n + node] = u8::try_from(block).unwrap_or(u8::MAX);
                }
            }
            table
        });
        &table[round * n..][..n]
    }

    fn skip(&self, index: u32) -> u64 {
        self.skip[index as usize]
    }

    /// The smallest index when `node` is written as a sum of skips, largest first; q for the root.
    fn base_block(&self, node: u64) -> u32 {
        let mut rest = node;
        for index in (0..self.q).rev() {
            if self.skip(index) <= rest {
                rest -= self.skip(index);
                if rest == 0 {
                    return index;
                }
            }
        }
        self.q
    }

    /// What `node` receives in each round of a phase, as a number from 0: q more than in the papers.
    fn received(&self, node: u64, blocks: &mut Vec<u32>) {
        let base = self.base_block(node);
        let unused = (1 << (self.q + 1)) - 1 - (1 << base);
        blocks.clear();
        Search {
            graph: self,
            target: self.n + node,
            unused,
            last: 2 * self.n,
            blocks,
        }
        .run(0, self.q + 1);
        for block in blocks {
            // The path over the whole ring is the message that reaches the node first.
            if *block == self.q {
                *block = self.q + base;
            }
        }
    }
}

/// The search for the receive schedule of a node, seen as `target = n + node` on a line that starts at the root.
///
/// For round i it finds a sum of skips not above the sender's position, `target - skip[i]`; one that is not above the
/// next sender's position either is extended first. The smallest index in the sum is the number of the message. The search is depth first,
/// larger skips first, each sum below the one found before, and uses a number once. The papers prove that it finds q numbers in O(q)
/// steps and that the sender has the message; the tests check both.
struct Search<'a> {
    graph: &'a Graph,
    target: u64,
    /// The indices not found yet, bit by bit.
    unused: u64,
    /// The sum found last.
    last: u64,
    blocks: &'a mut Vec<u32>,
}

impl Search<'_> {
    /// Extends the sum `at` by skips of indices below `end`.
    fn run(&mut self, at: u64, mut end: u32) {
        while let Some(index) = self.next_below(end) {
            let sum = at + self.graph.skip(index);
            if sum <= self.within(0) && sum < self.last {
                if sum <= self.within(1) {
                    self.run(sum, index + 1);
                }
                if at > self.within(1) {
                    return;
                }
                self.last = sum;
                self.blocks.push(index);
                self.unused &= !(1 << index);
            }
            if self.blocks.len() == self.graph.q as usize {
                return;
            }
            end = index;
        }
    }

    /// The largest unused index below `end`.
    fn next_below(&self, end: u32) -> Option<u32> {
        (self.unused & ((1 << end) - 1)).checked_ilog2()
    }

    /// The sender of the present round, or of a later one; 0 where there is none.
    fn within(&self, later: usize) -> u64 {
        let skip = self.graph.skip.get(self.blocks.len() + later);
        skip.map_or(0, |skip| self.target - skip)
    }
}

/// The rounds, phase by phase.
struct Phases {
    n: u32,
    schedule: Schedule,
    /// The number of the next round.
    round: u64,
}

impl Phases {
    fn new(n: u32, m: u32) -> Self {
        Self {
            n,
            schedule: Schedule::new(n, m.into()),
            round: 0,
        }
    }
}

impl Rounds for Phases {
    fn round(&mut self, sends: &mut Vec<Transfer>) -> bool {
        if self.round == self.schedule.rounds() {
            return false;
        }
        let (phase, index) = self.schedule.phase(self.round);
        // It is below n.
        let skip = u32::try_from(self.schedule.skip(self.round)).unwrap_or(0);
        self.round += 1;
        let n = self.n;
        let row = self.schedule.graph.row(index);
        sends.extend((1..n).zip(&row[1..]).filter_map(|(to, &block)| {
            let message = self.schedule.numbered(phase, block.into())?;
            let from = if to < skip {
                n - (skip - to)
            } else {
                to - skip
            };
            Some(Transfer {
                from,
                to,
                message: u32::try_from(message).ok()?,
            })
        }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::simulator::tests::most_parallel;
    use super::super::simulator::{Trace, simulate};
    use super::*;

    /// What a node receives in each round of a phase, numbered as in the papers.
    fn receive_schedule(graph: &Graph, node: u64) -> Vec<i64> {
        let mut blocks = Vec::new();
        graph.received(node, &mut blocks);
        blocks
            .iter()
            .map(|&block| i64::from(block) - i64::from(graph.q))
            .collect()
    }

    /// The papers' conditions on a node: what it receives, and that it has what its receivers expect.
    fn check_node<T: AsRef<[i64]>>(graph: &Graph, node: u64, schedule: impl Fn(u64) -> T) {
        let (n, q) = (graph.n, i64::from(graph.q));
        let base = i64::from(graph.base_block(node));
        let schedule_here = schedule(node);
        let received = schedule_here.as_ref();
        if node > 0 {
            let mut sorted = received.to_vec();
            sorted.sort_unstable();
            let expected = (-q..0).filter(|&block| block != base - q).chain([base]);
            assert!(
                sorted.into_iter().eq(expected),
                "n = {n}, node {node} receives {received:?}"
            );
        }
        for (round, skip) in graph.skip[..graph.q as usize].iter().enumerate() {
            let receiver = (node + skip) % n;
            if receiver == 0 {
                continue;
            }
            let sent = schedule(receiver).as_ref()[round];
            let has = match node {
                0 => sent == i64::try_from(round).unwrap(),
                _ => sent == base - q || received[..round].contains(&sent),
            };
            assert!(
                has,
                "n = {n}, node {node} sends {sent} in round {round} and receives {received:?}"
            );
        }
    }

    #[test]
    fn the_papers_conditions_hold_for_all_small_graphs() {
        for n in 2..3000 {
            let graph = Graph::new(n);
            let schedules: Vec<_> = (0..n.into())
                .map(|node| receive_schedule(&graph, node))
                .collect();
            let schedule = |node: u64| &schedules[usize::try_from(node).unwrap()];
            (0..n.into()).for_each(|node| check_node(&graph, node, schedule));
        }
    }

    #[test]
    fn the_papers_conditions_hold_in_large_graphs() {
        let sizes = (12..=20).flat_map(|e| {
            [
                (1 << e) - 1,
                1 << e,
                (1 << e) + 1,
                (1 << e) / 3 * 2,
                (1 << e) / 7 * 5,
            ]
        });
        for n in sizes.chain([999_983, (1 << 25) - 1, u32::MAX]) {
            let graph = Graph::new(n);
            let step = graph.n / 97;
            let nodes = (0..20)
                .chain((0..97).map(|i| i * step + i))
                .chain(graph.n - 20..graph.n);
            let skips = graph
                .skip
                .iter()
                .flat_map(|&skip| [skip - 1, skip, skip + 1]);
            nodes.chain(skips).for_each(|node| {
                check_node(&graph, node % graph.n, |node| {
                    receive_schedule(&graph, node)
                })
            });
        }
    }

    #[test]
    fn base_blocks_of_seventeen_nodes() {
        let graph = Graph::new(17);
        assert_eq!(graph.skip, [1, 2, 3, 5, 9, 17]);
        let base: Vec<u32> = (0..17).map(|node| graph.base_block(node)).collect();
        assert_eq!(base, [5, 0, 1, 2, 0, 3, 0, 1, 2, 4, 0, 1, 2, 0, 3, 0, 1]);
    }

    #[test]
    fn every_number_of_rounds_ends_with_a_whole_phase() {
        for n in 2..=70 {
            for m in 1..=30 {
                let trace = simulate(n, 1, m, &mut Phases::new(n, m));
                let rounds = u64::from(m - 1 + ceil_log(2, n.into()));
                let least = u64::from(m) * u64::from(n - 1);
                let fits =
                    |trace: &Trace| trace.rounds == rounds && trace.sends - trace.repeated == least;
                assert!(
                    trace.as_ref().is_ok_and(fits),
                    "n = {n}, m = {m}: {trace:?}"
                );
                assert_eq!(most_parallel(&mut Phases::new(n, m)), 1, "n = {n}, m = {m}");
            }
        }
    }

    #[test]
    fn more_ports_are_refused() {
        for k in [2, u32::MAX] {
            assert!(Circulant.rounds(5, k.into(), 3).is_err());
            assert!(Circulant.schedule(5, k, 3).is_err());
            assert!(Circulant.published(5, k.into(), 3).is_empty());
        }
    }
}
