//! Reduce up a binary tree that keeps the order of the ranks, in segments.
//!
//! **Source.** Open MPI: in-order binary (`ompi_coll_base_topo_build_in_order_bintree`).
//!
//! Rank K-1 is the root of the tree. The root of a subtree of S consecutive ranks is the last one. Of the others the first
//! `floor(S/2)` are the subtree of its second child, the rest that of its first child. For each segment a rank receives from
//! its first child, then from its second, combines, and sends to its parent. If the root is another rank, rank K-1 sends it
//! all words at the end.
//!
//! **Cost.** On each level subtrees have at most two sizes, `floor(K/2^l)` and one less. The [times](super::segments) of both
//! follow from those of the next level. Another root receives the words D(n) after rank K-1 has combined them, or g(n) after
//! it began its last receive as part of the tree, whichever is later. O(log K).
//!
//! **When it wins.** Operators that do not commute.
//!
//! **Departures.** None.

use super::segments::SendStarts;
use crate::collectives::trees::Segments;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::{Family, Load, Part, Phase, Plan, Task, Tree, Words, narrow};
use crate::wide::Wide;

/// A subtree of consecutive ranks.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    /// Its first rank.
    first: u64,
    /// How many ranks it has, at least 1.
    size: u64,
    /// How many levels it is below the whole.
    depth: u32,
    /// The rank to which its root sends.
    parent: Option<u64>,
}

/// The sizes of the subtrees below the root of one.
fn sizes(size: u64) -> [u64; 2] {
    [(size - 1) / 2, size / 2]
}

impl Subtree {
    /// The subtree whose root is this rank.
    fn new(K: u64, rank: u64) -> Self {
        let mut tree = Self {
            first: 0,
            size: K,
            depth: 0,
            parent: None,
        };
        while tree.root() != rank {
            let [first, second] = tree.children();
            tree = if rank < tree.first + second.size {
                second
            } else {
                first
            };
        }
        tree
    }

    fn root(self) -> u64 {
        self.first + self.size - 1
    }

    fn children(self) -> [Self; 2] {
        let [first, second] = sizes(self.size);
        let (depth, parent) = (self.depth + 1, Some(self.root()));
        [
            Self {
                first: self.first + second,
                size: first,
                depth,
                parent,
            },
            Self {
                first: self.first,
                size: second,
                depth,
                parent,
            },
        ]
    }
}

/// The times of subtrees of two sizes, w and w-1.
struct Level {
    size: u64,
    starts: [Option<SendStarts>; 2],
}

impl Level {
    /// The sends of the children of the root of a subtree of the level above.
    fn children(&self, of: u64) -> Vec<SendStarts> {
        let of_size = |size: u64| self.starts[usize::from(size < self.size)];
        sizes(of)
            .into_iter()
            .filter(|&size| size > 0)
            .filter_map(of_size)
            .collect()
    }
}

/// See the module.
pub const IN_ORDER_BINARY: Plain = Plain {
    formula: |task| {
        let K = task.K;
        if K == 1 {
            return Ok(Closed::Exact(0));
        }
        let segments = Segments::new(task)?;
        let root = Subtree::new(K, task.root);
        let mut last_receive = None;
        let mut level = Level {
            size: 1,
            starts: [Some(segments.leaf()), None],
        };
        for depth in (1..K.ilog2()).rev() {
            let size = K >> depth;
            let relay = |of: u64| {
                if of == 1 {
                    segments.leaf()
                } else {
                    segments.relay(&level.children(of))
                }
            };
            let starts = [Some(relay(size)), Some(relay(size - 1))];
            if root.depth == depth && root.size > 1 {
                last_receive = Some(segments.last_receive(&level.children(root.size)));
            }
            level = Level { size, starts };
        }
        let end = segments.end(&level.children(K));
        if task.root == K - 1 {
            return Closed::exact(end);
        }
        let whole = task.hop(task.n)?;
        let port = last_receive.map_or(Wide::ZERO, |began| began + whole.g);
        Closed::exact((end + whole.o + whole.L).max(port) + whole.o)
    },
    holds_on_duplex: |task| task.k == 1 && task.m == 1,
    plan: |task| {
        let (K, n, root) = (task.K, task.n, task.root);
        // Numbers count from the root of the tree.
        let last = Task {
            root: K - 1,
            ..*task
        };
        let family = move |number| {
            let tree = Subtree::new(K, last.rank(number).into());
            let children = tree.children().into_iter().filter(|child| child.size > 0);
            let number = |rank| last.number(narrow(rank));
            Family::new(
                tree.parent.map(number),
                children.map(|child| number(child.root())),
            )
        };
        let tree = Part {
            task: last,
            plan: Plan::Tree(Tree::up(Load::Vector, family)),
            tag: 0,
        };
        let to_root = move |rank, _| (rank == K - 1 && rank != root).then_some(root);
        let handed_on = Phase::some(u64::from(root != K - 1), 1, to_root, move |_, _| {
            Words::Range(0..n)
        });
        Ok(Plan::Then(vec![
            tree,
            Part {
                task: *task,
                plan: Plan::phase(handed_on),
                tag: narrow(task.m),
            },
        ]))
    },
    properties: Properties {
        is_segmented: true,
        ..Properties::PLAIN
    },
};
