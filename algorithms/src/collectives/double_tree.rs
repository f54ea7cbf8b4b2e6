//! Two binary trees of ranks down which a vector goes at the same time, in segments, or up which it is combined.
//!
//! # Broadcast
//!
//! **Source.** Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009: two trees of all ranks but the root, in neither of which a rank has children if it has them in the other.
//!
//! **Trees.** Ranks are numbered from the root, `h = K-1` of them without it. The first tree is in order: a subtree of S
//! consecutive positions has `a = floor((S-1)/2)`, or a+1 if that is even, positions below its root; for S = 1 none. So positions with children are
//! even. Number v has position v in the first tree, in the second `h+1-v` for even h and `v mod h + 1` for odd h. The root
//! sends segments in turn to the roots of both trees, even segments to the first one.
//!
//! **A rank** with two children receives a segment from its parent, sends it to the first child, receives a segment of the
//! other tree, and sends the first one to the second child. That segment is l segments behind, so that it is there: messages
//! of the other tree delay no rank. At the end the rank receives the last ones of the other tree.
//!
//! **Cost** with s words in a segment, `G = max(g(s), o(s))`, `P = max(g(s), 2o(s))`. The root of a tree with two children gets a
//! segment every G + P until the l-th one, later every 2P. A segment reaches the first child D(s) later, the second
//! D(s) + P, or D(s) + G before the l-th one. No other rank delays it. So the cost is that of the last segment of each tree to
//! its last leaf, or to the last rank that receives l more from the other tree G apart. The
//! second tree's root gets each segment G after the first's. So l is the least number of periods of the roots (G + P, with fewer
//! than two children 2G) that exceeds the sum of G and the longest way down, with D(s) + P to second children. O(log K) sizes of subtrees
//! tell it.
//!
//! **When it wins.** Long vectors on many ranks: every rank sends and receives each word about once, over paths of about
//! `log2 K` ranks.
//!
//! **Departures.** m has to divide n. The paper has rounds in which a message is sent and received, and colours edges with
//! the parity of theirs. Here a rank receives its segments of the other tree later by the time that messages take.
//!
//! # Reduce
//!
//! **Source.** Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009.
//!
//! It is the broadcast backwards: a rank sends where it receives there, and
//! receives and combines where it sends there, in the opposite order, from the last segment on.
//!
//! **Cost.** That of the broadcast with `G = max(g(s), o(s) + cs)` and `P = max(g(s), 2o(s) + cs)` for s words in a segment, and
//! `D(s) + cs` for a way: a longest path has the same length in both directions. Only sends of a rank without children
//! are `max(g(s), o(s))` apart. O(log K) sizes of subtrees tell it.
//!
//! **When it wins.** Long vectors on many ranks: every rank sends, receives and combines each word about once, over paths
//! of about `log2 K` ranks.
//!
//! **Departures.** m has to divide n. The paper colours edges with the parity of rounds; see the broadcast.
//!
//! A longest path has the same length in both directions: segments have one size, and what combines a segment after its
//! receive is, backwards, a part of its send.

use std::collections::BTreeMap;

use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::{Error, refuse_if};
use crate::plan::subtrees::{InOrder, down};
use crate::plan::{ChildGroup, Hop, Plan, Script, Task, narrow};
use crate::wide::Wide;

/// See the module.
pub struct DoubleTree {
    combines: bool,
}

impl DoubleTree {
    pub const BROADCAST: Self = Self { combines: false };
    pub const REDUCE: Self = Self { combines: true };
}

/// How many positions are below the root of a subtree, and how many above it.
fn split(size: u64) -> [u64; 2] {
    let below = if size == 1 { 0 } else { ((size - 1) / 2) | 1 };
    [below, size - 1 - below]
}

/// The position of a number in one of the trees, or the number with a position: where the trees have an odd number of positions, so much
/// further on in the second one.
fn in_tree(h: u64, tree: usize, of: u64, further: u64) -> u64 {
    match (tree, h % 2) {
        (0, _) => of,
        (_, 0) => h + 1 - of,
        _ => (of - 1 + further) % h + 1,
    }
}

/// The longest ways from the root of a tree to a node by its number of children: from receive to receive.
type Ways = [Option<Wide>; 3];

/// The times of segments. In a reduce a send is what combines a segment, backwards.
struct Pace {
    hop: Hop,
    /// What a send occupies.
    send: Wide,
    /// Between two sends.
    apart: Wide,
    /// Between two sends with a receive.
    around: Wide,
    /// Between two receives.
    received: Wide,
    /// How many ranks the trees have.
    h: u64,
    /// How many segments a rank is behind in the other tree.
    behind: u64,
}

impl Pace {
    fn new(task: &Task) -> Result<Self, Error> {
        let hop = task.hop(task.n / task.m)?;
        let (send, h) = (hop.o + hop.q, task.K - 1);
        let [apart, around, received] = [send, send + hop.o, hop.o].map(|busy| hop.g.max(busy));
        let pace = Self {
            hop,
            send,
            apart,
            around,
            received,
            h,
            behind: 0,
        };
        let longest = pace
            .ways(pace.around)
            .into_iter()
            .flatten()
            .max()
            .unwrap_or_default();
        let behind = (longest + pace.apart)
            .checked_div(pace.periods()[0])
            .map_or(u64::MAX, |count| {
                u64::try_from(count).unwrap_or(u64::MAX).saturating_add(1)
            });
        Ok(Self { behind, ..pace })
    }

    /// From one segment to the next at the root of a tree: of the first ones, and of those after which it receives one of
    /// the other tree.
    fn periods(&self) -> [Wide; 2] {
        let Self {
            hop,
            send,
            apart,
            around,
            received,
            ..
        } = *self;
        let own = match self.h {
            1 => [Wide::ZERO; 2],
            // The root has one child.
            2 => [Wide::ZERO, (send + received + hop.o).max(2 * hop.g)],
            _ => [apart + around, 2 * around],
        };
        own.map(|own| own.max(2 * apart))
    }

    /// The longest ways where a segment is sent so much later to a second child.
    fn ways(&self, later: Wide) -> Ways {
        let mut ways = [None; 3];
        let root = BTreeMap::from([(self.h, Wide::ZERO)]);
        let parts = |size, children: &mut Vec<ChildGroup>| {
            children.extend(split(size).into_iter().filter(|&size| size > 0).zip(1..));
        };
        down(root, usize::MAX, parts, |_, time, children, latest| {
            ways[children.len()] = ways[children.len()].max(Some(time));
            let arrival = time + self.hop.combined();
            for (&(child, _), arrival) in children.iter().zip([arrival, arrival + later]) {
                let known = latest.entry(child).or_default();
                *known = arrival.max(*known);
            }
        });
        ways
    }

    /// The path to the last position of a tree where `later` counts, to the first position where it does not.
    fn edge(&self, tree: usize, later: Wide) -> Wide {
        let mut size = self.h;
        let mut time = Wide::ZERO;
        while size > 1 {
            size = split(size)[1 - tree];
            time = time + self.hop.combined() + if tree == 0 { later } else { Wide::ZERO };
        }
        time
    }

    /// When the last rank has received all of both trees.
    fn end(&self, m: u64) -> Wide {
        let Self {
            hop: Hop { o, L, .. },
            send,
            apart,
            around,
            received,
            behind,
            h,
        } = *self;
        let counts = [m.div_ceil(2), m / 2];
        let mut end = Wide::ZERO;
        let mut both = [Wide::ZERO; 2];
        for tree in 0..2 {
            let Some(last) = counts[tree].checked_sub(1) else {
                continue;
            };
            let [first, second] = self.periods();
            let root = tree as u64 * apart
                + send
                + L
                + last.min(behind) * first
                + last.saturating_sub(behind) * second;
            let is_behind = last >= behind;
            let later = if is_behind { around } else { apart };
            let [leaf, one, two] = self.ways(later);
            // From the last receive of a rank to the next one, which is of the other tree.
            let next = if is_behind {
                [around + received, 2 * around]
            } else {
                [around, o + send + apart]
            };
            let others = counts[1 - tree] - counts[tree].saturating_sub(behind);
            let tail = |way: Option<Wide>, next: Wide| match (way, others.checked_sub(1)) {
                (Some(way), Some(more)) => way + next + more * received,
                _ => Wide::ZERO,
            };
            let way = leaf
                .unwrap_or_default()
                .max(tail(one, next[0]))
                .max(tail(two, next[1]));
            end = end.max(root + way + o);
            both[tree] = root + self.edge(tree, later) + o;
        }
        // A rank without children receives segments of both trees in turn.
        if h % 2 == 1 && m > 1 {
            end.max(both[usize::from(m % 2 == 1)] + received)
        } else {
            end
        }
    }
}

impl Algorithm for DoubleTree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let &Task { K, n, m, .. } = task;
        refuse_if!(!n.is_multiple_of(m), "m" = m => "expected a divisor of n = {n}: all segments have one size");
        if K == 1 {
            return Ok(Closed::Exact(0));
        }
        Closed::exact(Pace::new(task)?.end(m))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let task = *task;
        let messages = Wide::from(task.K - 1) * Wide::from(task.m);
        let write = move |rank, script: &mut Script| write(&task, rank, script);
        let broadcast = Plan::script(messages, task.m, write);
        Ok(match self.combines {
            true => broadcast.reversed(true),
            false => broadcast,
        })
    }

    /// The positions of the second tree are not in order.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            is_segmented: true,
            ..Properties::PLAIN
        }
    }
}

/// What a rank of a broadcast does, in order.
fn write(task: &Task, rank: u32, script: &mut Script) {
    let (h, me, m) = (task.K - 1, task.number(rank), task.m);
    if h == 0 {
        return;
    }
    let rank = |tree, position| {
        task.rank(if position == 0 {
            0
        } else {
            in_tree(h, tree, position, h - 1)
        })
    };
    let mut step = |sends, tree: usize, position, index: Option<u64>| {
        let segment = index.and_then(|index| index.checked_mul(2)?.checked_add(tree as u64));
        if let Some(segment) = segment.filter(|&segment| segment < m) {
            let (peer, round, words) = (
                rank(tree, position),
                narrow(segment),
                [task.block(segment, m)],
            );
            if sends {
                script.send(peer, round, words)
            } else {
                script.receive(peer, round, words)
            }
        }
    };
    if me == 0 {
        for index in 0..m.div_ceil(2) {
            for tree in 0..2 {
                step(true, tree, split(h)[0] + 1, Some(index));
            }
        }
        return;
    }
    let shape = |size| {
        let [below, above] = split(size);
        (below, [(0, below), (below + 1, above)])
    };
    let nodes = [0, 1].map(|tree| InOrder::new(h, in_tree(h, tree, me, 1) - 1, shape));
    // The tree in which it has children, or the first one.
    let own = usize::from(nodes[1].children[0].is_some());
    let parent = |tree: usize| nodes[tree].parent.map_or(0, |parent| parent + 1);
    let [first, second] = nodes[own]
        .children
        .map(|child| child.map(|child| child + 1));
    // A task whose times are not known is not executed.
    let behind = if first.is_none() {
        0
    } else {
        Pace::new(task).map_or(0, |pace| pace.behind.min(m))
    };
    for index in 0..m.div_ceil(2).saturating_add(behind) {
        step(false, own, parent(own), Some(index));
        if let Some(first) = first {
            step(true, own, first, Some(index));
        }
        step(false, 1 - own, parent(1 - own), index.checked_sub(behind));
        if let Some(second) = second {
            step(true, own, second, Some(index));
        }
    }
}
