//! Trees of ranks, and the counts of a message down or up one.

use algorithms::internals::plan::{Family, InOrder};

use super::features::{Counts, INSIDE, Model};

/// A kind of tree of ranks.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    /// The children of a rank among these, in the order of its sends.
    family: fn(u64, u64) -> Family,
    /// Of these ranks.
    root: fn(u64) -> u64,
    /// Whether ranks of a node send to different nodes at once.
    is_shifted: bool,
}

impl Tree {
    /// The lower bits of a rank are its subtree; the largest subtree first.
    pub const BINOMIAL: Self = Self::new(|ranks, rank| Family::binomial(ranks, rank).reversed());
    /// Open MPI's `bmtree`: a rank reaches those with one more bit above its own, the nearest first.
    pub const NEAR: Self = Self::new(Family::bmtree).shifted();
    /// Four digits in place of two.
    pub const K_NOMIAL_4: Self =
        Self::new(|ranks, rank| Family::k_nomial(ranks, rank, 4).ascending());
    /// Two children.
    pub const BINARY: Self = Self::new(|ranks, rank| Family::k_ary(ranks, rank, 2)).shifted();
    /// Two children whose ranks are a range each, the nearest last; the root is the last rank.
    pub const IN_ORDER: Self = Self {
        root: |ranks| ranks - 1,
        ..Self::new(|ranks, rank| {
            let InOrder {
                parent, children, ..
            } = InOrder::with_last(ranks, rank);
            Family::new(parent, children.into_iter().flatten()).reversed()
        })
    };
    /// All ranks are children of the root.
    pub const FLAT: Self = Self::new(Family::flat);

    const fn new(family: fn(u64, u64) -> Family) -> Self {
        Self {
            family,
            root: |_| 0,
            is_shifted: false,
        }
    }

    const fn shifted(self) -> Self {
        Self {
            is_shifted: true,
            ..self
        }
    }

    /// The children of a rank in the order of its sends, each with the number of ranks that get their blocks through it.
    fn children(self, rank: u64, ranks: u64) -> impl DoubleEndedIterator<Item = (u64, f64)> {
        let children = (self.family)(ranks, rank).children.into_iter();
        children.map(|(child, below)| (child, below as f64))
    }
}

impl Model {
    /// The share of a message between a rank and its child: of these trees all ranks of a node send at once.
    fn share(&self, tree: Tree, one: u64, other: u64) -> f64 {
        if self.alone() == INSIDE || self.is_inside(one, other) {
            INSIDE
        } else if tree.is_shifted {
            self.shift(one.abs_diff(other))
        } else {
            self.alone()
        }
    }

    /// From the root to all ranks; a child gets `bytes(ranks below it)`. A rank posts its sends together: they share the port
    /// fairly, so a long message of s bytes has left when each other one has sent s bytes or all of its own.
    pub fn down(&self, tree: Tree, ranks: u64, bytes: impl Fn(f64) -> f64) -> Counts {
        self.spread(tree, ranks, |node, begin| {
            let sends: Vec<(u64, f64)> = tree
                .children(node, ranks)
                .map(|(child, below)| (child, bytes(below)))
                .collect();
            let (mut left, mut shared) = (Counts::default(), (-1.0, 0.0));
            let mut reached = Vec::new();
            for (number, &(child, own)) in (1u32..).zip(&sends) {
                let share = self.share(tree, node, child);
                left =
                    self.later(self.post(f64::from(number), share), left) + self.wire(own, share);
                if shared.0 != own {
                    shared = (own, sends.iter().map(|(_, other)| other.min(own)).sum());
                }
                let sent = if self.is_rendezvous(own) {
                    self.post(1.0, share) + self.wire(shared.1, share)
                } else {
                    left
                };
                reached.push((child, begin + sent + self.latency(own, share)));
            }
            (begin + self.post(sends.len() as f64, self.alone()), reached)
        })
    }

    /// From the root to all ranks with blocking sends: the next one begins when a short message has left, or a long one has arrived.
    pub fn down_blocking(&self, tree: Tree, ranks: u64, bytes: impl Fn(f64) -> f64) -> Counts {
        self.spread(tree, ranks, |node, mut begin| {
            let mut reached = Vec::new();
            for (child, below) in tree.children(node, ranks) {
                let own = bytes(below);
                let share = self.share(tree, node, child);
                let sent = begin + self.train(own, 1.0, share);
                let arrived = sent + self.latency(own, share);
                reached.push((child, arrived));
                begin = if self.is_rendezvous(own) {
                    arrived
                } else {
                    sent
                };
            }
            (begin, reached)
        })
    }

    /// The last end of a rank, if `sends` gives the end of its own sends and the begin of each child.
    fn spread(
        &self,
        tree: Tree,
        ranks: u64,
        sends: impl Fn(u64, Counts) -> (Counts, Vec<(u64, Counts)>),
    ) -> Counts {
        let mut open = vec![((tree.root)(ranks), Counts::default())];
        let mut last = Counts::default();
        while let Some((node, begin)) = open.pop() {
            let (end, reached) = sends(node, begin);
            last = self.later(last, end);
            open.extend(reached);
        }
        last
    }

    /// From all ranks to the root, which a rank combines if it takes `vector` bytes. A long message waits until its receive
    /// is posted, after the ones before it.
    pub fn up(
        &self,
        tree: Tree,
        ranks: u64,
        bytes: &impl Fn(f64) -> f64,
        vector: Option<f64>,
    ) -> Counts {
        self.ready(tree, (tree.root)(ranks), ranks, bytes, vector)
    }

    fn ready(
        &self,
        tree: Tree,
        node: u64,
        ranks: u64,
        bytes: &impl Fn(f64) -> f64,
        vector: Option<f64>,
    ) -> Counts {
        let (mut now, mut port) = (Counts::default(), Counts::default());
        for (child, below) in tree.children(node, ranks).rev() {
            let (own, share) = (bytes(below), self.share(tree, node, child));
            let mut sent = self.ready(tree, child, ranks, bytes, vector) + self.post(1.0, share);
            if self.is_rendezvous(own) {
                sent = self.later(sent, now);
            }
            port = self.later(port, sent) + self.wire(own, share);
            now = self.later(now, port + self.latency(own, share)) + self.take(1.0);
            now = now + vector.map_or_else(Counts::default, |vector| self.combine(own, vector));
        }
        now
    }
}
