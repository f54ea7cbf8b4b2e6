//! Trees of ranks, and the counts of a message down or up one.

use super::features::{Counts, INSIDE, Model};

/// A kind of tree with its root at rank 0.
#[derive(Debug, Clone, Copy)]
pub enum Tree {
    /// The lower bits of a rank are its subtree; the largest subtree first.
    Binomial,
    /// Open MPI's `bmtree`: a rank reaches those with one more bit above its own, the nearest first.
    Near,
    /// Four digits in place of two.
    KNomial4,
    /// Two children.
    Binary,
    /// Two children whose ranks are a range each.
    InOrder,
    /// All ranks are children of the root.
    Flat,
}

/// A rank, or the range of ranks of an ordered tree.
type Node = (u64, u64);

/// The child of a binomial tree with this distance from rank `from`, and its ranks.
fn subtree(from: u64, distance: u64, ranks: u64) -> u64 {
    distance.min(ranks - from - distance)
}

impl Tree {
    fn root(self, ranks: u64) -> Node {
        if matches!(self, Self::InOrder) {
            (ranks - 1, 0)
        } else {
            (0, 0)
        }
    }

    /// The children of a rank in the order of its sends, each with the number of ranks that get their bytes through it.
    fn children(self, (rank, low): Node, ranks: u64) -> Vec<(Node, f64)> {
        let node = |child: u64, below: u64| ((child, 0), below as f64);
        let powers =
            |base: u64| std::iter::successors(Some(1), move |power: &u64| power.checked_mul(base));
        match self {
            Self::Binomial => {
                let mut all: Vec<_> = powers(2)
                    .take_while(|bit| rank & bit == 0 && rank + bit < ranks)
                    .map(|bit| node(rank + bit, subtree(rank, bit, ranks)))
                    .collect();
                all.reverse();
                all
            }
            Self::Near => powers(2)
                .skip_while(|&bit| bit <= rank)
                .take_while(|bit| rank + bit < ranks)
                .map(|bit| node(rank + bit, 1))
                .collect(),
            Self::KNomial4 => {
                let own =
                    powers(4).take_while(|&digit| rank.is_multiple_of(4 * digit) && digit < ranks);
                let child = |digit: u64| (1..4).map(move |times| rank + times * digit);
                own.flat_map(child)
                    .filter(|&child| child < ranks)
                    .map(|child| node(child, 1))
                    .collect()
            }
            Self::Binary => [2 * rank + 1, 2 * rank + 2]
                .into_iter()
                .filter(|&child| child < ranks)
                .map(|child| node(child, 1))
                .collect(),
            Self::InOrder => {
                let (others, right) = (rank - low, (rank - low) / 2);
                let far = (others > right).then(|| ((rank - right - 1, low), 1.0));
                let near = (right > 0).then(|| ((rank - 1, rank - right), 1.0));
                far.into_iter().chain(near).collect()
            }
            Self::Flat if rank == 0 => (1..ranks).map(|child| node(child, 1)).collect(),
            Self::Flat => Vec::new(),
        }
    }
}

impl Model {
    /// The share of a message between a rank and its child: of these trees all ranks of a node send at once.
    fn share(&self, tree: Tree, (one, _): Node, (other, _): Node) -> f64 {
        match tree {
            _ if self.alone() == INSIDE || self.is_inside(one, other) => INSIDE,
            Tree::Near | Tree::Binary => self.shift(one.abs_diff(other)),
            _ => self.alone(),
        }
    }

    /// From the root to all ranks; a child gets `bytes(ranks below it)`. A rank posts its sends together: they share the port
    /// fairly, so a long message of s bytes has left when each other one has sent s bytes or all of its own.
    pub fn down(&self, tree: Tree, ranks: u64, bytes: impl Fn(f64) -> f64) -> Counts {
        self.spread(tree, ranks, |node, begin| {
            let sends: Vec<(Node, f64)> = tree
                .children(node, ranks)
                .into_iter()
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
        sends: impl Fn(Node, Counts) -> (Counts, Vec<(Node, Counts)>),
    ) -> Counts {
        let mut open = vec![(tree.root(ranks), Counts::default())];
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
        self.ready(tree, tree.root(ranks), ranks, bytes, vector)
    }

    fn ready(
        &self,
        tree: Tree,
        node: Node,
        ranks: u64,
        bytes: &impl Fn(f64) -> f64,
        vector: Option<f64>,
    ) -> Counts {
        let (mut now, mut port) = (Counts::default(), Counts::default());
        for (child, below) in tree.children(node, ranks).into_iter().rev() {
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
