//! One broadcast tree for each message, such that every link lies in exactly `(n^2+n)/2` of the `n^2` trees.
//!
//! Coordinates are *local*: those of the mesh for the message of an even node, x and y exchanged for that of an odd one. A message with
//! source (sx, sy) runs along its row sy to both ends; from each node of that row in a column of parity p along the column to both ends;
//! and from these columns to the remaining nodes, the *leaves*, each beside two nodes that hold it. Hops of the first two kinds are
//! *trunk* hops.

/// A node by column and row.
pub(super) type Node = (u32, u32);

/// The trunk hops of a message along a line, in local coordinates: from the source along its row, or from the row of the source along a
/// column, to the end of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// Whether the line is the row.
    pub(super) in_row: bool,
    pub(super) line: u32,
    /// The position from which the first hop leads: x in the row, y in a column.
    pub(super) from: u32,
    /// Whether the hops lead to greater positions.
    pub(super) forward: bool,
    /// The latest steps, from 1, of the first hop and of the second one; the others follow.
    pub(super) due: [u32; 2],
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
        Self {
            n,
            odd,
            sx,
            sy,
            exceptional,
            parity,
            delay: 0,
            early: false,
        }
        .with_delay()
    }

    /// When the hops along columns are due.
    ///
    /// In each round every other node of a column sends one of its messages to both ends. For odd n a round is a step shorter than the way
    /// from border to border, so the border nodes send a step early, while the last hop of the previous round is on its way to them.
    fn with_delay(self) -> Self {
        let n = self.n;
        if n.is_multiple_of(2) {
            return Self {
                delay: (1 + self.sx / 2) * (n - 1),
                ..self
            };
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
        Self {
            delay,
            early: border && round >= 1,
            ..self
        }
    }

    /// The column and the row of the source.
    pub(super) fn source(&self) -> Node {
        (self.sx, self.sy)
    }

    /// Whether a column is trunk.
    pub(super) fn is_trunk(&self, x: u32) -> bool {
        x % 2 == self.parity
    }

    /// When the first hops along columns are due, and the second ones.
    pub(super) fn columns_due(&self) -> [u32; 2] {
        [self.delay + 1 - u32::from(self.early), self.delay + 2]
    }

    /// All trunk hops.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run> + use<'_> {
        let &Self { sx, sy, .. } = self;
        let row = Run {
            in_row: true,
            line: sy,
            from: sx,
            forward: false,
            due: [1, 2],
        };
        let column = move |line| Run {
            in_row: false,
            line,
            from: sy,
            due: self.columns_due(),
            ..row
        };
        let columns = (0..self.n).filter(|&x| self.is_trunk(x)).map(column);
        [row].into_iter().chain(columns).flat_map(|run| {
            [
                run,
                Run {
                    forward: true,
                    ..run
                },
            ]
        })
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
            return if self.odd {
                below(n) <= tx
            } else {
                below(n) >= n - tx
            };
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

    /// A hop of a tree.
    struct Hop {
        /// The nodes that it joins, on the mesh.
        ends: (Node, Node),
        /// The first step in which it is made; a leaf hop may be made later.
        ready: u32,
        /// The latest step; a hop to a leaf has none.
        due: Option<u32>,
    }

    /// All hops of a tree, each after the one before it, where trunk hops are made when they are due, but for the first ones along columns.
    fn hops(tree: &Tree) -> Vec<Hop> {
        let on_mesh = |(x, y): Node| if tree.odd { (y, x) } else { (x, y) };
        let mut hops = Vec::new();
        let mut hop = |from, to, ready, due| {
            hops.push(Hop {
                ends: (on_mesh(from), on_mesh(to)),
                ready,
                due,
            })
        };
        for Run {
            in_row,
            line,
            from,
            forward,
            due: [first, second],
        } in tree.runs()
        {
            let node = |at| if in_row { (at, line) } else { (line, at) };
            let count = if forward { tree.n - 1 - from } else { from };
            let mut held = if in_row { 0 } else { line.abs_diff(tree.sx) };
            for number in 0..count {
                let at = |number| {
                    if forward {
                        from + number
                    } else {
                        from - number
                    }
                };
                let due = if number == 0 {
                    first
                } else {
                    second + number - 1
                };
                let ready = if !in_row && number == 0 {
                    held + 1
                } else {
                    due
                };
                assert!(
                    held < due,
                    "{tree:?} leaves {:?} too late",
                    node(at(number))
                );
                hop(node(at(number)), node(at(number + 1)), ready, Some(due));
                held = due;
                if !in_row {
                    let (x, y) = node(at(number + 1));
                    let (left, right) = tree.leaves(x, y);
                    for leaf in [left.then(|| x - 1), right.then(|| x + 1)]
                        .into_iter()
                        .flatten()
                    {
                        hop((x, y), (leaf, y), held + 1, None);
                    }
                }
            }
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
                for (from, to) in hops(&tree).into_iter().map(|hop| hop.ends) {
                    assert!(
                        reached.contains(&from),
                        "n = {n}: {from:?} lacks the message of {source:?}"
                    );
                    assert!(
                        !reached.contains(&to),
                        "n = {n}: {to:?} gets the message of {source:?} twice"
                    );
                    reached.push(to);
                    *load.entry((from.min(to), from.max(to))).or_default() += 1;
                }
                assert_eq!(
                    reached.len(),
                    (n * n) as usize,
                    "n = {n}: the message of {source:?} does not reach all"
                );
            }
            assert_eq!(load.len(), (2 * n * (n - 1)) as usize);
            assert!(
                load.values().all(|&trees| trees == (n * n + n) / 2),
                "n = {n}"
            );
        }
    }

    /// The hops over one link.
    #[derive(Default)]
    struct Load {
        /// Steps in which trunk hops are due.
        due: Vec<u32>,
        /// The first step of each hop.
        ready: Vec<u32>,
    }

    /// The hops of all trees by link.
    fn loads(n: u32) -> BTreeMap<(Node, Node), Load> {
        let mut loads: BTreeMap<(Node, Node), Load> = BTreeMap::new();
        for source in nodes(n) {
            for Hop {
                ends: (from, to),
                ready,
                due,
            } in hops(&Tree::new(n, source))
            {
                let load = loads.entry((from.min(to), from.max(to))).or_default();
                load.ready.push(ready);
                load.due.extend(due);
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
                assert!(
                    due.windows(2).all(|pair| pair[0] < pair[1]),
                    "n = {n}: {link:?} {due:?}"
                );
                assert!(
                    due.last().is_none_or(|&last| last <= steps),
                    "n = {n}: {link:?} {due:?}"
                );
                ready.sort_unstable();
                // The t-th hop to become ready is so by step t.
                assert!(
                    (1..).zip(&ready).all(|(step, &from)| from <= step),
                    "n = {n}: {link:?} is idle"
                );
            }
        }
    }
}
