//! Barrier up and down a binomial tree.
//!
//! **Source.** Folklore; Open MPI: tree.
//!
//! The parent of rank v is v without its lowest bit 1. Rank v receives reports from `v + 1`, `v + 2`, `v + 4`, ..., as far as
//! these are its children and below K, and reports to its parent. Then it is released by its parent and releases the same
//! children in the opposite order.
//!
//! **Cost** by a recurrence in O(log K): for `K = 2^p` and `g' <= D` it is `2pD`. A subtree of `2^j` ranks reports at a time
//! that depends on j alone; when it is done is the larger of a constant and the time of its release plus a constant, because
//! every time is a longest path. So the times of `2^(j+1)` ranks follow from those of `2^j`. The last child of rank 0 has the
//! `K - 2^p` ranks from `2^p` on, its last child the rest without the next bit 1 of K, and so on: one more subtree for each
//! bit 1.
//!
//! **When it wins.** Never by time: recursive doubling needs half the hops. It sends 2(K-1) messages, the fewest possible, in
//! `2 log2 K` hops, and the linear barrier as many in two hops and 2(K-2) gaps.
//!
//! **Departures.** None.

use crate::collectives::trees::between;
use crate::collectives::{Closed, Plain, Properties};
use crate::plan::timeline::{Instant as _, RankClock, Time};
use crate::plan::{Family, Hop};

/// The times of a subtree.
#[derive(Debug, Clone, Copy)]
struct Subtree {
    /// When its report arrives.
    report: Time,
    /// When it is done, by the arrival of its release.
    end: Time,
}

/// A rank with the reports of some children, none by default.
#[derive(Debug, Clone, Copy, Default)]
struct Parent {
    line: RankClock<Time>,
    /// When these children are done, by the start of the first release.
    children: Time,
}

impl Parent {
    /// With one more child, which is released first.
    fn with(mut self, hop: Hop, child: Subtree) -> Self {
        self.line.receive(hop, child.report);
        let released = child.end.after(Time::X.plus(hop.o + hop.L));
        Self {
            line: self.line,
            children: released.max(
                self.children
                    .after(Time::X.plus(between(hop.without_combining()))),
            ),
        }
    }

    /// The subtree of this rank, as its parent sees it.
    fn subtree(self, hop: Hop) -> Subtree {
        let mut line = self.line;
        let report = line.send(hop);
        line.receive(hop, Time::X);
        Subtree {
            report,
            end: line.ready.max(self.children.after(line.next_send())),
        }
    }
}

/// See the module.
pub const TREE: Plain = Plain {
    formula: |task| {
        let hop = task.hop(task.n)?;
        // Of the ranks from the highest multiples of 2^bit on: the subtree of those below K.
        let (mut full, mut rest) = (Parent::default(), None);
        for bit in 0..=task.K.ilog2() {
            if task.K >> bit & 1 == 1 {
                rest = Some(rest.map_or(full, |rest: Parent| full.with(hop, rest.subtree(hop))));
            }
            full = full.with(hop, full.subtree(hop));
        }
        let root = rest.unwrap_or_default();
        Closed::exact(
            root.line
                .ready
                .max(root.children.after(root.line.ready))
                .known(),
        )
    },
    holds_on_duplex: |task| task.k == 1,
    plan: |task| {
        let K = task.K;
        let family = move |number| Family::binomial(K, number);
        Ok(super::reported(task, family, move |number| {
            family(number).reversed()
        }))
    },
    properties: Properties::PLAIN,
};
