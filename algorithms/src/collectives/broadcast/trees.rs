//! Broadcast down a tree, in segments.
//!
//! Ranks are numbered from the root. For each segment a rank receives from its parent and sends to its children in turn.
//!
//! | algorithm | children of number v below K, in this order | source |
//! |---|---|---|
//! | `broadcast-flat` | of the root: all other numbers | Open MPI: basic linear |
//! | `broadcast-chain` | v + 1 | Open MPI: pipeline (`chain` with a fanout of 1) |
//! | `broadcast-binary` | of number i in a level of `2^l`: i and `i + 2^l` of the next level | Open MPI: binary |
//! | `broadcast-binomial` | `v + 2^h` below the lowest bit of v, the largest h first | MPICH: binomial (`MPIR_Bcast_intra_binomial`) |
//! | `broadcast-bmtree` | `v + 2^h` above the highest bit of v, the smallest h first | Open MPI: binomial (`build_bmtree`) |
//! | `broadcast-k-nomial-4` | `v + d·4^h` below the lowest digit of v to base 4, the largest h first, d = 1, 2, 3 | Open MPI: knomial |
//! | `broadcast-k-ary-4` | `4v + 1` to `4v + 4` | MPICH: `tree`, `pipelined_tree` (`kary`, whose radix is 2 by default) |
//! | `broadcast-halving` | by ranges, `P(S) = ceil(S/2)` | [halving](crate::logp::multicast::halving) |
//! | `broadcast-optimal` | by ranges, `P(S) = min(N(t-D), S-1)` with the least t for which `N(t) >= S` ranks can hold a segment | [OPT-tree](crate::logp::multicast::opt_tree), for a longer segment |
//! | `broadcast-fibonacci` | by ranges, `P(S) = f(i-2)` for Fibonacci numbers `f(i) <= S < f(i+1)` | [Fibonacci](crate::logp::multicast::fibonacci) |
//!
//! The number at the end of a name is the radix: `broadcast-k-nomial-3`, `broadcast-k-ary-5`.
//!
//! By ranges: a number begins with the range of S numbers that starts with itself. While S > 1, the last P(S) numbers of the
//! range become the subtree of the first of them, its next child. The other numbers are the new range.
//!
//! **Cost.** What a rank and all below it do follows from the size of its subtree; few sizes occur, and their
//! [times](super::segments) follow from those of their parents. A binary tree has two sizes at most on each level, and so have
//! halving and a bmtree, `floor(K/2^l)` and `ceil(K/2^l)`; the others have complete subtrees, and an incomplete one per level.
//! `O(log^2 K)`. Of the optimal tree up to 2^20 children of subtrees of different sizes are followed.
//! For m dividing n, with a segment of s words and `G = max(g(s), o(s))`:
//!
//! - flat: `(m(K-1) - 1)G + D(s)`;
//! - chain: `(K-1)D(s) + (m-1)P`, where `P = max(g(s), 2o(s))` is the period of a rank between two others; for K = 2 there is none, and
//!   `P = G`. For segments of two sizes the [times of both](super::segments) are joined where the size changes. O(1);
//! - binary, `K = 2^(H+1) - 1`, H >= 2: `H(D(s) + G) + (m-1)(G + max(g(s), 2o(s)))`: the path over second children, and the
//!   period of a rank with two;
//! - binomial and bmtree, `K = 2^p`: `D(s) + (p-1) max(D(s), G) + (m-1)pG`: one segment, as in a scatter, and the period of the root,
//!   which has most children; that of another rank with d children is `(d-1)G + max(g(s), 2o(s))`, which is not longer.
//!
//! **When it wins.** Flat: two ranks, or a few over a long latency. Chain: long vectors on few ranks; in the steady state a rank receives and
//! sends each word once. Binomial and bmtree: short vectors, `ceil(log2 K)` messages on the longest path. In a bmtree the first
//! children have the most ranks below them, for other K than powers of two, too. 4-nomial: short vectors over a long latency.
//! Binary: vectors of medium length on many ranks. The optimal tree: whole vectors; no broadcast of one segment takes less time.
//!
//! **Departures.** MPICH sends a vector whole, and Open MPI down a flat tree.

use std::collections::HashMap;

use super::segments;
use crate::collectives::reduce::segments as combined;
use crate::collectives::trees::RADICES;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::fibonacci::small_part;
use crate::logp::multicast::optimal::{self, Neighbours};
use crate::logp::pipeline::shape::{self, MAX_STEPS};
use crate::logp::pipeline::{Duplex, program};
use crate::plan::compiled::Compiled;
use crate::plan::subtrees::{binary, by_ranges, split};
use crate::plan::{self, ChildGroup, Family, Load, Plan, Task};

/// See the module, and that of a reduce up such a tree.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    shape: Shape,
    /// The radix; 0 where there is none.
    radix: u64,
    is_up: bool,
    /// The cost in closed form.
    closed: Option<Formula>,
}

/// The children of ranks.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// The parent and the children of a number among K, by the radix, and the children of the root.
    Numbers(fn(u64, u64, u64) -> Family, Parts),
    /// By ranges: how many numbers one with so many gives away.
    Ranges(fn(u64) -> u64),
    /// By ranges, of which the times of a segment decide, and which can be many.
    Optimal,
}

type Formula = fn(&Task) -> Result<Closed, Error>;

/// Adds the children of the root from the number of ranks.
type Parts = fn(&Tree, u64, &mut Vec<ChildGroup>);

impl Tree {
    /// The root is the parent of all others.
    pub const FLAT: Self = Self::new(Shape::Numbers(
        |K, number, _| Family::flat(K, number),
        |_, size, parts| parts.extend((size > 1).then(|| (1, size - 1))),
    ));
    /// Every number passes segments to the next.
    pub const CHAIN: Self = Self {
        closed: Some(segments::chain),
        ..Self::new(Shape::Numbers(
            |K, number, _| Family::chain(K, number),
            |_, size, parts| parts.extend((size > 1).then(|| (size - 1, 1))),
        ))
    };
    /// The complete binary tree, level by level.
    pub const BINARY: Self = Self::new(Shape::Numbers(
        |K, number, _| Family::binary(K, number),
        |_, size, parts| binary(size, parts),
    ));
    /// The binomial tree, largest subtree first.
    pub const BINOMIAL: Self = Self::new(Shape::Numbers(
        |K, number, _| Family::k_nomial(K, number, 2),
        |tree, size, parts| match tree.is_up {
            true => k_nomial(size, 2, true, parts),
            // Without divisions.
            false => parts.extend(split(size, |size| size - (1 << (size - 1).ilog2()))),
        },
    ));
    /// The binomial tree whose nearest child comes first and has the largest subtree.
    pub const BMTREE: Self = Self::new(Shape::Numbers(
        |K, number, _| Family::bmtree(K, number),
        |_, size, parts| parts.extend(split(size, |size| size / 2)),
    ));
    /// The k-nomial tree of radix 4.
    pub const K_NOMIAL_4: Self = Self {
        radix: 4,
        ..Self::new(Shape::Numbers(Family::k_nomial, |tree, size, parts| {
            k_nomial(size, tree.radix, tree.is_up, parts)
        }))
    };
    /// The complete tree in which each number has as many children as the radix, in the order of the numbers.
    pub const K_ARY_4: Self = Self {
        radix: 4,
        ..Self::new(Shape::Numbers(Family::k_ary, |tree, size, parts| {
            k_ary(size, tree.radix, parts)
        }))
    };
    /// Half of the numbers to each child.
    pub const HALVING: Self = Self::new(Shape::Ranges(|size| size.div_ceil(2)));
    /// The smaller part of a Fibonacci split to each child.
    pub const FIBONACCI: Self = Self::new(Shape::Ranges(small_part));
    /// The optimal tree for one segment.
    pub const OPTIMAL: Self = Self::new(Shape::Optimal);

    const fn new(shape: Shape) -> Self {
        Self {
            shape,
            radix: 0,
            is_up: false,
            closed: None,
        }
    }

    /// Up the same tree, not one by ranges. A rank receives from its children in ascending order.
    pub(in crate::collectives) const fn up(self, closed: Option<Formula>) -> Self {
        Self {
            is_up: true,
            closed,
            ..self
        }
    }

    /// Adds the children of a rank from the size of its subtree, where the times of a segment are `model`; about `most` at most.
    fn parts(&self, model: LogP, most: usize) -> impl FnMut(u64, &mut Vec<ChildGroup>) {
        let mut first = None;
        move |size, parts| match self.shape {
            Shape::Numbers(_, add) => add(self, size, parts),
            Shape::Ranges(given) => parts.extend(split(size, given)),
            Shape::Optimal => {
                let first = first.get_or_insert_with(|| optimal_part(model));
                parts.extend(split(size, first).take(most + 1));
            }
        }
    }

    /// The tree of K ranks on which the times of a segment are `model`.
    fn tree(
        &self,
        K: u64,
        model: impl FnOnce() -> Result<LogP, Error>,
    ) -> Result<plan::Tree<'_>, Error> {
        let Self { radix, is_up, .. } = *self;
        Ok(match self.shape {
            // One rank has one tree.
            _ if K == 1 => plan::Tree::new(Load::Vector, is_up, |_| Family::new(None, [])),
            Shape::Numbers(family, _) => plan::Tree::new(Load::Vector, is_up, move |number| {
                let family = family(K, number, radix);
                if is_up { family.ascending() } else { family }
            }),
            Shape::Ranges(given) => plan::Tree::down(Load::Vector, by_ranges(K, given)),
            Shape::Optimal => plan::Tree::down(Load::Vector, by_ranges(K, optimal_part(model()?))),
        })
    }
}

/// How many numbers one with so many gives away first in the optimal tree: a number that has given away its first parts is as one that
/// begins there.
fn optimal_part(model: LogP) -> impl FnMut(u64) -> u64 {
    let (mut neighbours, mut known) = (Neighbours::default(), HashMap::new());
    move |size| {
        // Where times exceed 64 bits the tree has no cost, and any part will do.
        let first = || neighbours.given_away(model, size).unwrap_or(1);
        *known.entry(size).or_insert_with(first)
    }
}

/// The times of a longer segment.
fn segment(task: &Task) -> Result<LogP, Error> {
    task.model(task.n.div_ceil(task.m))
}

impl Algorithm for Tree {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        if task.K == 1 {
            return Ok(Closed::Exact(0));
        }
        if let Some(closed) = self.closed {
            return closed(task);
        }
        let parts = self.parts(segment(task)?, MAX_STEPS);
        if self.is_up {
            combined::time(task, task.K, parts)
        } else {
            segments::time(task, task.K, MAX_STEPS, parts)
        }
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        self.is_up && task.k == 1 && task.m == 1
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::Tree(self.tree(task.K, || segment(task))?))
    }

    fn duplex(&self) -> Option<&dyn Duplex> {
        (!self.is_up).then_some(self)
    }

    fn with_number(&self, radix: u64) -> Option<Box<dyn Algorithm>> {
        let has_radix = self.radix > 0 && RADICES.contains(&radix);
        has_radix.then(|| Box::new(Self { radix, ..*self }) as _)
    }

    /// A reduce goes from the root to the last rank, then from rank 0 to the root.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.is_up,
            is_segmented: true,
            ..Properties::PLAIN
        }
    }
}

impl Duplex for Tree {
    fn crosses(&self) -> bool {
        false
    }

    fn time(&self, task: &Task) -> Result<u64, Error> {
        if self.closed.is_some() {
            return shape::chain(task);
        }
        let model = segment(task)?;
        if let Shape::Optimal = self.shape {
            optimal::time(model, task.K)?;
        }
        shape::time(task, self.parts(model, MAX_STEPS))
    }

    /// The other trees have few kinds of parts on every machine.
    fn steps(&self, task: &Task, most: usize) -> usize {
        match (self.shape, segment(task)) {
            (Shape::Optimal, Ok(model)) => shape::latest(task, most, self.parts(model, most))
                .map_or(0, |(_, steps)| steps.min(most)),
            // `time` refuses these errors before it reads the tree.
            _ => 0,
        }
    }

    fn compiled(&self, task: &Task) -> Result<Compiled, Error> {
        let model = segment(task)?;
        program::from_tree(task, self.tree(task.K, || Ok(model))?.family)
    }
}

/// The children of the root of a k-nomial tree: the values of a digit in ascending order, from the highest digit on, or up to it.
fn k_nomial(size: u64, radix: u64, is_up: bool, parts: &mut Vec<ChildGroup>) {
    let mut before = 0;
    let digit = |exponent: u32| {
        let unit = radix.pow(exponent);
        let count = ((size - 1) / unit).min(radix - 1);
        parts.extend((count > 1).then(|| (unit, before + count - 1)));
        before += count;
        parts.push((unit.min(size - count * unit), before));
    };
    let digits = 0..(size - 1)
        .checked_ilog(radix)
        .map_or(0, |highest| highest + 1);
    if is_up {
        digits.for_each(digit);
    } else {
        digits.rev().for_each(digit);
    }
}

/// The children of the root of a tree in which each number has as many children as the radix, in the order of the numbers.
fn k_ary(size: u64, radix: u64, parts: &mut Vec<ChildGroup>) {
    // Levels below the root that are full in the subtree of a child, and what is left for the last level.
    let (mut full, mut width, mut left) = (0, 1, size - 1);
    while left / radix >= width {
        left -= width * radix;
        full += width;
        width *= radix;
    }
    let whole = left / width;
    let cut = whole + u64::from(left % width > 0);
    let mut last = 0;
    for (size, to) in [
        (full + width, whole),
        (full + left % width, cut),
        (full, radix),
    ] {
        if size > 0 && to > last {
            parts.push((size, to));
            last = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::logp::multicast::Multicast;
    use crate::logp::multicast::fibonacci::Fibonacci;
    use crate::logp::multicast::halving::Halving;
    use crate::logp::multicast::k_nomial::{self, RADIX_4};
    use crate::logp::multicast::opt_tree::OptTree;

    /// One word down a tree is a multicast, which has formulas of its own.
    #[test]
    fn one_word_is_a_multicast() {
        let pairs: [(&dyn Algorithm, &dyn Multicast); 5] = [
            (&Tree::OPTIMAL, &OptTree),
            (&Tree::HALVING, &Halving),
            (&Tree::FIBONACCI, &Fibonacci),
            (&Tree::BINOMIAL, &k_nomial::BINOMIAL),
            (&Tree::K_NOMIAL_4, &RADIX_4),
        ];
        for (L, o, g) in [(6, 2, 4), (0, 1, 9), (100, 3, 1), (1, 0, 1)] {
            let model = LogP::new(L, o, g).unwrap();
            for K in (1..=300).chain([1 << 40, 1_000_000_000_000_000_000, 1 << 63, u64::MAX]) {
                for (number, (tree, multicast)) in pairs.into_iter().enumerate() {
                    let time = tree
                        .time(&Task::new(Machine::Words(model), K, 1, 0))
                        .unwrap();
                    assert_eq!(
                        time,
                        Some(multicast.time(model, K, 1).unwrap()),
                        "pair {number}: {model:?} K={K}"
                    );
                }
            }
        }
    }
}
