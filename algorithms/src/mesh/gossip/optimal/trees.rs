//! One broadcast tree for each message, such that every link lies in exactly `(n^2+n)/2` of the `n^2` trees.
//!
//! Coordinates are *local*: those of the mesh for the message of an even node, x and y exchanged for that of an odd one. A message with
//! source (sx, sy) runs along its row sy to both ends; from each node of that row in a column of parity p along the column to both ends;
//! and from these columns to the remaining nodes, the *leaves*, each beside two nodes that hold it. Hops of the first two kinds are
//! *trunk* hops.

/// A node by column and row.
pub(super) type Node = (u32, u32);

/// A line of the mesh and a place on it, in local coordinates. In a row the place is x, in a column y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) in_row: bool,
    pub(super) line: u32,
    pub(super) at: u32,
}

/// How a node got a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    /// It is its own.
    Own,
    /// By a trunk hop that ended in this place, to a greater or smaller position.
    Hop(Place, bool),
}

/// One hop of a tree over the link from a place to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hop {
    /// The smaller end of the link.
    pub(super) link: Place,
    /// Whether it leads to the greater end.
    pub(super) forward: bool,
    /// For a trunk hop, after which the receiver forwards the message: the latest step of the hop, from 1. A hop to a leaf has none.
    pub(super) due: Option<u32>,
}

/// The tree of one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    n: u32,
    /// Whether x and y are exchanged.
    pub(super) odd: bool,
    sx: u32,
    sy: u32,
    /// For odd n, the messages of the nodes (0, even), which balance the odd checkerboard.
    exceptional: bool,
    /// Parity of the columns that are trunk.
    parity: u32,
    /// How many steps later than their distance from the source's row the hops along columns are due.
    delay: u32,
    /// Whether the first of them are due a step earlier.
    early: bool,
}

impl Tree {
    pub(super) fn new(n: u32, (x, y): Node) -> Self {
        let odd = !(x + y).is_multiple_of(2);
        let (sx, sy) = if odd { (y, x) } else { (x, y) };
        let exceptional = !n.is_multiple_of(2) && !odd && sx == 0;
        let parity = if n.is_multiple_of(2) {
            sx % 2
        } else if exceptional {
            0
        } else {
            (sy + 1) % 2
        };
        Self { n, odd, sx, sy, exceptional, parity, delay: 0, early: false }.with_delay()
    }

    /// When the hops along columns are due.
    ///
    /// In each round every other node of a column sends one of its messages to both ends. For odd n a round is a step shorter than the way
    /// from border to border, so the border nodes send a step early, while the last hop of the previous round is on its way to them.
    fn with_delay(self) -> Self {
        let n = self.n;
        if n.is_multiple_of(2) {
            return Self { delay: (1 + self.sx / 2) * (n - 1), ..self };
        }
        let round = if self.exceptional {
            (n - 1) / 2
        } else if self.odd {
            self.sx / 2
        } else {
            // A source in column 0 is exceptional.
            (self.sx - 1) / 2
        };
        let late = !self.exceptional && self.odd != self.sy.is_multiple_of(2);
        let border = !self.exceptional && (self.sy == 0 || self.sy == n - 1);
        let delay = (n + u32::from(late) + round * n.saturating_sub(2)).saturating_sub(2);
        Self { delay, early: border && round >= 1, ..self }
    }

    /// The hops of a node for a message, given how it got it.
    #[inline]
    pub(super) fn pass_on(&self, held: Held, mut hop: impl FnMut(Hop)) {
        match held {
            Held::Own => {
                for forward in [false, true] {
                    self.along_row(self.sx, forward, &mut hop);
                }
                self.enter_column(self.sx, &mut hop);
            }
            Held::Hop(Place { in_row: true, at: x, .. }, forward) => {
                self.along_row(x, forward, &mut hop);
                self.enter_column(x, &mut hop);
            }
            Held::Hop(Place { in_row: false, line: x, at: y }, forward) => {
                self.along_column(x, y, forward, &mut hop);
                let (left, right) = self.leaves(x, y);
                for (leaf, forward) in [(left, false), (right, true)] {
                    if leaf {
                        let link = Place { in_row: true, line: y, at: x - u32::from(!forward) };
                        hop(Hop { link, forward, due: None });
                    }
                }
            }
        }
    }

    /// The trunk hop from place x of the row of the source.
    #[inline]
    fn along_row(&self, x: u32, forward: bool, hop: &mut impl FnMut(Hop)) {
        if x != if forward { self.n - 1 } else { 0 } {
            let link = Place { in_row: true, line: self.sy, at: x - u32::from(!forward) };
            hop(Hop { link, forward, due: Some(x.abs_diff(self.sx) + 1) });
        }
    }

    /// The trunk hops from the row of the source into a column.
    #[inline]
    fn enter_column(&self, x: u32, hop: &mut impl FnMut(Hop)) {
        if x % 2 == self.parity {
            for forward in [false, true] {
                self.along_column(x, self.sy, forward, hop);
            }
        }
    }

    /// The trunk hop from place y of a column.
    #[inline]
    fn along_column(&self, x: u32, y: u32, forward: bool, hop: &mut impl FnMut(Hop)) {
        if y != if forward { self.n - 1 } else { 0 } {
            let link = Place { in_row: false, line: x, at: y - u32::from(!forward) };
            let due = self.delay + y.abs_diff(self.sy) + 1 - u32::from(self.early && y == self.sy);
            hop(Hop { link, forward, due: Some(due) });
        }
    }

    /// The due step of a hop along a column, after one with this due step.
    #[inline]
    pub(super) fn due_after(&self, due: u32) -> u32 {
        due + 1 + u32::from(self.early && due == self.delay)
    }

    /// Whether a node of a trunk column passes the message on to the leaves on its left and right: nearly always to one of them.
    #[inline]
    pub(super) fn leaves(&self, x: u32, y: u32) -> (bool, bool) {
        let left = x > 0 && !self.is_from_left(x.saturating_sub(1), y);
        let right = x + 1 < self.n && self.is_from_left(x + 1, y);
        (left, right)
    }

    /// Whether a leaf gets the message from the left, not from the right.
    #[inline]
    fn is_from_left(&self, tx: u32, ty: u32) -> bool {
        let (n, sy) = (self.n, self.sy);
        let below = |modulus: u32| if ty <= sy { sy - ty } else { sy + modulus - ty };
        if n.is_multiple_of(2) {
            return if self.odd { below(n) <= tx } else { below(n) >= n - tx };
        }
        let offset = below(if sy.is_multiple_of(2) { n + 1 } else { n - 1 });
        let shift = if self.sx <= tx { 2 } else { 0 };
        match (sy % 2, ty % 2) {
            _ if self.exceptional => ty % 2 == 1 && offset <= tx,
            (0, 1) => offset <= tx + shift,
            (1, 0) if self.odd => offset + shift <= tx,
            _ => offset <= tx,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn nodes(n: u32) -> impl Iterator<Item = Node> {
        (0..n).flat_map(move |y| (0..n).map(move |x| (x, y)))
    }

    /// The nodes that a hop joins, on the mesh.
    fn ends(tree: &Tree, Hop { link: Place { in_row, line, at }, forward, .. }: Hop) -> (Node, Node) {
        let ends = [at, at + 1].map(|at| if in_row == tree.odd { (line, at) } else { (at, line) });
        if forward { (ends[0], ends[1]) } else { (ends[1], ends[0]) }
    }

    /// All hops of a tree, each after the one before it, which is due when its sender gets the message.
    fn hops(tree: &Tree) -> Vec<(Hop, u32)> {
        let mut hops = Vec::new();
        let mut held = vec![(Held::Own, 0)];
        while let Some((at, since)) = held.pop() {
            tree.pass_on(at, |hop| {
                hops.push((hop, since));
                if let Some(due) = hop.due {
                    let end = Place { at: hop.link.at + u32::from(hop.forward), ..hop.link };
                    held.push((Held::Hop(end, hop.forward), due));
                }
            });
        }
        hops
    }

    /// Every tree reaches every node once, and every link is in as many trees as there are steps.
    #[test]
    fn the_trees_span_and_share_the_links_evenly() {
        for n in 2..=24 {
            let mut load: BTreeMap<(Node, Node), u32> = BTreeMap::new();
            for source in nodes(n) {
                let tree = Tree::new(n, source);
                let mut reached = vec![source];
                for (from, to) in hops(&tree).into_iter().map(|(hop, _)| ends(&tree, hop)) {
                    assert!(reached.contains(&from), "n = {n}: {from:?} lacks the message of {source:?}");
                    assert!(!reached.contains(&to), "n = {n}: {to:?} gets the message of {source:?} twice");
                    reached.push(to);
                    *load.entry((from.min(to), from.max(to))).or_default() += 1;
                }
                assert_eq!(reached.len(), (n * n) as usize, "n = {n}: the message of {source:?} does not reach all");
            }
            assert_eq!(load.len(), (2 * n * (n - 1)) as usize);
            assert!(load.values().all(|&trees| trees == (n * n + n) / 2), "n = {n}");
        }
    }

    /// The hops over one link.
    #[derive(Default)]
    struct Load {
        /// Steps in which trunk hops are due.
        due: Vec<u32>,
        /// The first step of each hop, if no trunk hop is executed before it is due.
        ready: Vec<u32>,
    }

    /// The hops of all trees by link.
    fn loads(n: u32) -> BTreeMap<(Node, Node), Load> {
        let mut loads: BTreeMap<(Node, Node), Load> = BTreeMap::new();
        for source in nodes(n) {
            let tree = Tree::new(n, source);
            for (hop, since) in hops(&tree) {
                let (from, to) = ends(&tree, hop);
                let load = loads.entry((from.min(to), from.max(to))).or_default();
                load.ready.push(since + 1);
                assert!(hop.due.is_none_or(|due| since < due), "n = {n}: {source:?} leaves {from:?} too late");
                load.due.extend(hop.due);
            }
        }
        loads
    }

    /// The conditions of the cost: on a link no two trunk hops are due in one step, none before its sender can hold the message, and before
    /// each step t at least t hops are ready. So no link is idle until its last hop.
    #[test]
    fn no_link_is_ever_idle() {
        for n in 2..=32 {
            let steps = (n * n + n) / 2;
            for (link, Load { mut due, mut ready }) in loads(n) {
                due.sort_unstable();
                assert!(due.windows(2).all(|pair| pair[0] < pair[1]), "n = {n}: {link:?} {due:?}");
                assert!(due.last().is_none_or(|&last| last <= steps), "n = {n}: {link:?} {due:?}");
                ready.sort_unstable();
                // The t-th hop to become ready is so by step t.
                assert!((1..).zip(&ready).all(|(step, &from)| from <= step), "n = {n}: {link:?} is idle");
            }
        }
    }
}
