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

use crate::collectives::trees::Segments;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::subtrees::{InOrder, up};
use crate::plan::{Family, Load, Part, Phase, Plan, Task, Tree, Words, narrow};
use crate::wide::Wide;

/// See the module.
pub const IN_ORDER_BINARY: Plain = Plain {
    formula: |task| {
        let K = task.K;
        if K == 1 {
            return Ok(Closed::Exact(0));
        }
        let segments = Segments::new(task)?;
        let root = InOrder::with_last(K, task.root);
        let (mut end, mut last_receive) = (Wide::ZERO, None);
        let parts = |size, parts: &mut Vec<_>| {
            let sizes = [(size - 1) / 2, size / 2].into_iter();
            parts.extend(sizes.filter(|&size| size > 0).zip(1..));
        };
        up(K, parts, |size, below| {
            if size == K {
                end = segments.end(below);
            } else if size == root.size && size > 1 {
                last_receive = Some(segments.last_receive(below));
            }
            Ok(segments.relay(below))
        })?;
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
            let tree = InOrder::with_last(K, last.rank(number).into());
            let number = |rank| last.number(narrow(rank));
            Family::new(
                tree.parent.map(number),
                tree.children.into_iter().flatten().map(number),
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
