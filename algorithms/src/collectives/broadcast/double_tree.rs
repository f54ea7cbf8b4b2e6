//! Broadcast down two binary trees at the same time, in segments.
//!
//! **Source.** Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing
//! 35(12), 2009: two trees of all ranks but the root, in neither of which a rank has children if it has them in the other.
//!
//! **Trees.** Ranks are numbered from the root, `h = K-1` of them without it. The first tree is in order: a subtree of S
//! consecutive places has `a = floor((S-1)/2)`, or a+1 if that is even, places below its root. So places with children are
//! even. Number v has place v in the first tree, in the second `h+1-v` for even h and `v mod h + 1` for odd h. The root
//! sends segments in turn to the roots of both trees, even segments to the first one.
//!
//! **A rank** with two children receives a segment from its parent, sends it to the first child, receives a segment of the
//! other tree, and sends the first one to the second child. That segment is l segments behind, so that it is there: messages
//! of the other tree delay no rank. At the end the rank receives the last ones of the other tree.
//!
//! **Cost** with s words in a segment, `G = max(g(s), o(s))`, `P = max(g(s), 2o(s))`. The root of a tree with two children gets a
//! segment every G + P until the l-th one, later every 2P. A segment reaches the first child D(s) later, the second
//! D(s) + P, or D(s) + G before the l-th one. No other rank delays it. So the cost is that of the last segment of each tree to
//! its last leaf, or to the last rank that receives l more from the other tree G apart. l is the least number of periods
//! of the roots that exceeds the longest way down. O(log K) sizes of subtrees tell it.
//!
//! **When it wins.** Long vectors on many ranks: every rank sends and receives each word about once, over paths of about
//! `log2 K` ranks.
//!
//! **Departures.** m has to divide n. The paper has rounds in which a message is sent and received, and colours edges with
//! the parity of theirs. Here a rank receives its segments of the other tree later by the time that messages take.

use std::collections::BTreeMap;

use crate::collectives::script::Script;
use crate::collectives::task::Hop;
use crate::collectives::{Algorithm, Task, narrow};
use crate::error::{Error, fit};

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct DoubleTree;

/// How many places are below the root of a subtree, and how many above it.
fn split(size: u64) -> [u64; 2] {
    let below = if size == 1 { 0 } else { (size - 1) / 2 | 1 };
    [below, size - 1 - below]
}

/// A node of a tree: its place, and those of its parent and its children; 0 where there is none.
struct Node {
    parent: u64,
    children: [u64; 2],
}

impl Node {
    /// The one with a place from 1 to h.
    fn of(h: u64, place: u64) -> Self {
        let (mut before, mut size, mut parent) = (0, h, 0);
        loop {
            let [below, above] = split(size);
            let root = before + below + 1;
            if place == root {
                let child = |before: u64, size: u64| if size == 0 { 0 } else { before + split(size)[0] + 1 };
                return Self { parent, children: [child(before, below), child(root, above)] };
            }
            parent = root;
            (before, size) = if place < root { (before, below) } else { (root, above) };
        }
    }
}

/// The place of a number in one of the trees.
fn place(h: u64, tree: usize, number: u64) -> u64 {
    match (tree, h % 2) {
        (0, _) => number,
        (_, 0) => h + 1 - number,
        _ => number % h + 1,
    }
}

/// The number with a place.
fn number(h: u64, tree: usize, place: u64) -> u64 {
    match (tree, h % 2) {
        (0, _) => place,
        (_, 0) => h + 1 - place,
        _ => (place + h - 2) % h + 1,
    }
}

/// The longest ways from the root of a tree to a node by its number of children: from receive to receive.
type Ways = [Option<u128>; 3];

/// The times of segments.
struct Pace {
    hop: Hop,
    /// Between two sends.
    apart: u128,
    /// Between two sends with a receive.
    around: u128,
    /// How many ranks the trees have.
    h: u64,
    /// How many segments a rank is behind in the other tree.
    behind: u64,
}

impl Pace {
    fn of(task: &Task) -> Result<Self, Error> {
        let hop = task.hop(task.n / task.m)?;
        let pace = Self { hop, apart: hop.g.max(hop.o), around: hop.g.max(2 * hop.o), h: task.K - 1, behind: 0 };
        let longest = pace.ways(pace.around).into_iter().flatten().max().unwrap_or(0);
        let behind = (longest + pace.apart)
            .checked_div(pace.periods()[0])
            .map_or(u64::MAX, |count| u64::try_from(count).unwrap_or(u64::MAX).saturating_add(1));
        Ok(Self { behind, ..pace })
    }

    /// From one segment to the next at the root of a tree: of the first ones, and of those after which it receives one of
    /// the other tree.
    fn periods(&self) -> [u128; 2] {
        let Self { hop, apart, around, .. } = *self;
        let own = match self.h {
            1 => [0, 0],
            // The root has one child.
            2 => [0, (apart + 2 * hop.o).max(2 * hop.g)],
            _ => [apart + around, 2 * around],
        };
        own.map(|own| own.max(2 * apart))
    }

    /// The longest ways where a segment is sent so much later to a second child.
    fn ways(&self, later: u128) -> Ways {
        let mut latest: BTreeMap<u64, u128> = BTreeMap::from([(self.h, 0)]);
        let mut ways = [None; 3];
        while let Some((size, time)) = latest.pop_last() {
            let children = split(size);
            let count = children.into_iter().filter(|&size| size > 0).count();
            ways[count] = ways[count].max(Some(time));
            let arrivals = [self.hop.D(), self.hop.D() + later].map(|way| time.saturating_add(way));
            for (child, arrival) in children.into_iter().zip(arrivals).filter(|&(child, _)| child > 0) {
                let known = latest.entry(child).or_default();
                *known = arrival.max(*known);
            }
        }
        ways
    }

    /// The way to the last place of a tree where `later` counts, to the first place where it does not.
    fn edge(&self, tree: usize, later: u128) -> u128 {
        let mut size = self.h;
        let mut time: u128 = 0;
        while size > 1 {
            size = split(size)[1 - tree];
            time = time.saturating_add(self.hop.D() + if tree == 0 { later } else { 0 });
        }
        time
    }

    /// When the last rank has received all of both trees.
    fn end(&self, m: u64) -> u128 {
        let Self { hop: Hop { o, L, .. }, apart, around, behind, h, .. } = *self;
        let counts = [m.div_ceil(2), m / 2];
        let mut end = 0;
        let mut both = [0; 2];
        for tree in 0..2 {
            let Some(last) = counts[tree].checked_sub(1) else { continue };
            let [first, second] = self.periods();
            let root = (tree as u128 * apart + o + L)
                .saturating_add(u128::from(last.min(behind)).saturating_mul(first))
                .saturating_add(u128::from(last.saturating_sub(behind)).saturating_mul(second));
            let is_behind = last >= behind;
            let later = if is_behind { around } else { apart };
            let [leaf, one, two] = self.ways(later);
            // From the last receive of a rank to the next one, which is of the other tree.
            let next = if is_behind { [around + apart, 2 * around] } else { [around, 2 * o + apart] };
            let others = counts[1 - tree] - counts[tree].saturating_sub(behind);
            let tail = |way: Option<u128>, next: u128| match (way, others.checked_sub(1)) {
                (Some(way), Some(more)) => way.saturating_add(next + u128::from(more).saturating_mul(apart)),
                _ => 0,
            };
            let way = leaf.unwrap_or(0).max(tail(one, next[0])).max(tail(two, next[1]));
            end = end.max(root.saturating_add(way).saturating_add(o));
            both[tree] = root.saturating_add(self.edge(tree, later)).saturating_add(o);
        }
        // A rank without children receives segments of both trees in turn.
        if h % 2 == 1 && m > 1 { end.max(both[usize::from(m % 2 == 1)].saturating_add(apart)) } else { end }
    }
}

impl Algorithm for DoubleTree {
    fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        let &Task { K, n, m, .. } = task;
        if !n.is_multiple_of(m) {
            return Err(Error::parameter("m", m, format!("expected a divisor of n = {n}: all segments have one size")));
        }
        if K == 1 {
            return Ok(Some(0));
        }
        fit(Pace::of(task)?.end(m)).map(Some)
    }

    fn messages(&self, task: &Task) -> u128 {
        u128::from(task.K - 1) * u128::from(task.m)
    }

    fn keeps_order(&self) -> bool {
        true
    }

    fn is_segmented(&self) -> bool {
        true
    }

    fn script(&self, task: &Task, rank: u32, script: &mut Script) {
        let (h, me, m) = (task.K - 1, task.number(rank), task.m);
        let words = |segment| [task.block(segment, m)];
        let rank = |tree, place| task.rank(if place == 0 { 0 } else { number(h, tree, place) });
        if me == 0 {
            let top = if h == 0 { 0 } else { split(h)[0] + 1 };
            for segment in 0..if h == 0 { 0 } else { m } {
                script.send(rank(usize::from(segment % 2 == 1), top), narrow(segment), words(segment));
            }
            return;
        }
        let Ok(Pace { behind, .. }) = Pace::of(task) else { return };
        let nodes = [0, 1].map(|tree| Node::of(h, place(h, tree, me)));
        // The tree in which it has children, or the first one.
        let own = usize::from(nodes[1].children[0] > 0);
        let is_leaf = nodes[own].children[0] == 0;
        let behind = if is_leaf { 0 } else { behind };
        let receive = |script: &mut Script, tree: usize, index: Option<u64>| {
            let segment = index.and_then(|index| index.checked_mul(2)?.checked_add(tree as u64));
            let Some(segment) = segment.filter(|&segment| segment < m) else { return };
            script.receive(rank(tree, nodes[tree].parent), narrow(segment), words(segment));
        };
        for index in 0..m.div_ceil(2).saturating_add(behind.min(m)) {
            receive(script, own, Some(index));
            let segment = 2 * index + own as u64;
            let [first, second] = nodes[own].children.map(|child| (child > 0 && segment < m).then(|| rank(own, child)));
            if let Some(child) = first {
                script.send(child, narrow(segment), words(segment));
            }
            receive(script, 1 - own, index.checked_sub(behind.min(m)));
            if let Some(child) = second {
                script.send(child, narrow(segment), words(segment));
            }
        }
    }
}
