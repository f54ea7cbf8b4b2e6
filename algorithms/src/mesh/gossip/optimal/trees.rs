//! One broadcast tree for each message, such that every link lies in exactly `(n^2+n)/2` of the `n^2` trees.
//!
//! All is said in *local* coordinates: those of the mesh for the message of an even node, x and y exchanged for that
//! of an odd one. With its source at (sx, sy), a message runs along its row sy, both ways to the ends; from each node
//! of that row in a column of parity p along the column, both ways to the ends; and from these columns to the nodes
//! that are left, the *leaves*, each beside two nodes that hold it. Hops of the first two kinds are *trunk* hops.

/// A node by column and row.
pub(super) type Node = (u32, u32);

/// One hop of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hop {
    /// The receiver passes the message on; the hop is made in this step, from 1, or an earlier one.
    Trunk(u32),
    /// The receiver is a leaf of the tree: the hop may be made in any step.
    Leaf,
}

/// The tree of one message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tree {
    n: u32,
    /// Whether x and y are exchanged.
    odd: bool,
    sx: u32,
    sy: u32,
    /// Of odd n, the messages of the nodes (0, even): they even out the odd checkerboard.
    exceptional: bool,
    /// Parity of the columns that are trunk.
    parity: u32,
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
        Self { n, odd, sx, sy, exceptional, parity }
    }

    /// The hop from a node that holds the message to a neighbour, if the tree has it.
    pub(super) fn hop(&self, from: Node, to: Node) -> Option<Hop> {
        let local = |(x, y): Node| if self.odd { (y, x) } else { (x, y) };
        let ((x, y), (tx, ty)) = (local(from), local(to));
        if y == self.sy && ty == self.sy {
            let distance = tx.abs_diff(self.sx);
            return (distance > x.abs_diff(self.sx)).then_some(Hop::Trunk(distance));
        }
        if tx == x {
            let distance = ty.abs_diff(self.sy);
            let onward = x % 2 == self.parity && distance > y.abs_diff(self.sy);
            return onward.then(|| Hop::Trunk(self.due_in_column(distance)));
        }
        // Who is in a trunk column gets it along that.
        let leaf = tx % 2 != self.parity && self.is_from_left(tx, ty) == (tx > x);
        leaf.then_some(Hop::Leaf)
    }

    /// When the hop along a column that ends so far from the row of the source is due.
    ///
    /// The column hops go in rounds, in each of which every other node of a column sends one of its messages to both
    /// ends. For odd n a round lasts a step less than the way from border to border, so the border nodes send a step
    /// early: the last hop of the round before is still on its way to them.
    fn due_in_column(&self, distance: u32) -> u32 {
        let n = self.n;
        if n.is_multiple_of(2) {
            return (1 + self.sx / 2) * (n - 1) + distance;
        }
        let round = if self.exceptional {
            (n - 1) / 2
        } else if self.odd {
            self.sx / 2
        } else {
            (self.sx - 1) / 2
        };
        let late = !self.exceptional && self.odd != self.sy.is_multiple_of(2);
        let border = !self.exceptional && (self.sy == 0 || self.sy == n - 1);
        let early = border && distance == 1 && round >= 1;
        n - 2 + u32::from(late) + round * (n - 2) + distance - u32::from(early)
    }

    /// Whether a leaf gets the message from the left, not from the right.
    fn is_from_left(&self, tx: u32, ty: u32) -> bool {
        let (n, sy) = (self.n, self.sy);
        let below = |modulus: u32| (sy + modulus - ty) % modulus;
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

    fn neighbours(n: u32, (x, y): Node) -> impl Iterator<Item = Node> {
        let around = [(x + 1, y), (x, y + 1), (x.wrapping_sub(1), y), (x, y.wrapping_sub(1))];
        around.into_iter().filter(move |&(x, y)| x < n && y < n)
    }

    fn nodes(n: u32) -> impl Iterator<Item = Node> {
        (0..n).flat_map(move |y| (0..n).map(move |x| (x, y)))
    }

    /// Every tree reaches every node once, and every link is in as many trees as there are steps.
    #[test]
    fn the_trees_span_and_share_the_links_evenly() {
        for n in 2..=24 {
            let mut load: BTreeMap<(Node, Node), u32> = BTreeMap::new();
            for source in nodes(n) {
                let tree = Tree::new(n, source);
                let mut reached = vec![source];
                let mut next = 0;
                while let Some(&from) = reached.get(next) {
                    for to in neighbours(n, from).filter(|&to| tree.hop(from, to).is_some()) {
                        assert!(!reached.contains(&to), "n = {n}: {to:?} gets the message of {source:?} twice");
                        reached.push(to);
                        *load.entry((from.min(to), from.max(to))).or_default() += 1;
                    }
                    next += 1;
                }
                assert_eq!(reached.len(), (n * n) as usize, "n = {n}: the message of {source:?} does not reach all");
            }
            assert_eq!(load.len(), (2 * n * (n - 1)) as usize);
            assert!(load.values().all(|&trees| trees == (n * n + n) / 2), "n = {n}");
        }
    }

    /// What the hops over one link are like.
    #[derive(Default)]
    struct Load {
        /// Steps in which trunk hops are due.
        due: Vec<u32>,
        /// From which step on each hop can be made, if no trunk hop was made before it was due.
        ready: Vec<u32>,
    }

    /// The hops of all trees by link.
    fn loads(n: u32) -> BTreeMap<(Node, Node), Load> {
        let mut loads: BTreeMap<(Node, Node), Load> = BTreeMap::new();
        for source in nodes(n) {
            let tree = Tree::new(n, source);
            let mut holders = vec![(source, 0)];
            while let Some((from, held)) = holders.pop() {
                for to in neighbours(n, from) {
                    let Some(hop) = tree.hop(from, to) else { continue };
                    let load = loads.entry((from.min(to), from.max(to))).or_default();
                    load.ready.push(held + 1);
                    if let Hop::Trunk(due) = hop {
                        assert!(held < due, "n = {n}: the message of {source:?} leaves {from:?} at {due}");
                        load.due.push(due);
                        holders.push((to, due));
                    }
                }
            }
        }
        loads
    }

    /// What the cost rests on: on a link no two trunk hops are due in one step, none before its sender can hold the
    /// message, and before each step t at least t hops are ready. So no link is idle until its work is done.
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
