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

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::segments;
use crate::collectives::trees::RADICES;
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::fibonacci::small_part;
use crate::logp::multicast::optimal::{self, Neighbours};
use crate::logp::pipeline::shape::{self, ChildGroup, MAX_STEPS, binary};
use crate::logp::pipeline::{Duplex, program};
use crate::plan::binomial;
use crate::plan::compiled::Compiled;
use crate::plan::{self, Family, Load, Plan, Task};

type Parts = fn(&mut Context, u64, &mut Vec<ChildGroup>);

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    /// The parent and the children of a number among K, by the radix; by ranges where there is none.
    family: Option<fn(u64, u64, u64) -> Family>,
    /// The radix; 0 where there is none.
    radix: u64,
    /// Adds the children of the root from the number of ranks; none in a chain, which is not followed.
    parts: Option<Parts>,
    /// Whether the times of a segment decide its parts, which can be many.
    is_optimal: bool,
}

/// What the parts of the optimal tree depend on.
struct Context {
    /// The times of a segment.
    model: LogP,
    neighbours: Neighbours,
    /// How much each number gives away first: a number that has given away its first parts is as one that begins there.
    given: HashMap<u64, u64>,
    /// The number of parts after which no more are read.
    most: usize,
    radix: u64,
}

impl Context {
    fn new(model: LogP, most: usize, radix: u64) -> Self {
        Self {
            model,
            neighbours: Neighbours::default(),
            given: HashMap::new(),
            most,
            radix,
        }
    }
}

impl Tree {
    /// The root is the parent of all others.
    pub const FLAT: Self = Self::by_family(
        |K, number, _| Family::flat(K, number),
        |_, size, parts| parts.extend((size > 1).then(|| (1, size - 1))),
    );
    /// Every number passes segments to the next.
    pub const CHAIN: Self = Self {
        family: Some(|K, number, _| Family::chain(K, number)),
        parts: None,
        radix: 0,
        is_optimal: false,
    };
    /// The complete binary tree, level by level.
    pub const BINARY: Self = Self::by_family(
        |K, number, _| Family::binary(K, number),
        |_, size, parts| binary(size, parts),
    );
    /// The binomial tree, largest subtree first.
    pub const BINOMIAL: Self = Self::by_family(
        |K, number, _| Family::binomial(K, number).reversed(),
        |_, size, parts| {
            let sizes = binomial::children(size, 0)
                .rev()
                .map(|child| binomial::size(size, child));
            parts.extend(sizes.zip(1..));
        },
    );
    /// The binomial tree whose nearest child comes first and has the largest subtree.
    pub const BMTREE: Self = Self::by_family(
        |K, number, _| Family::bmtree(K, number),
        |_, size, parts| parts.extend(split(size, |size| size / 2)),
    );
    /// The k-nomial tree of radix 4.
    pub const K_NOMIAL_4: Self = Self {
        radix: 4,
        ..Self::by_family(Family::k_nomial, |context, size, parts| {
            let children = Family::below_digits(size, 0, context.radix);
            parts.extend(
                children
                    .map(|(child, width)| width.min(size - child))
                    .zip(1..),
            );
        })
    };
    /// The complete tree in which each number has as many children as the radix, in the order of the numbers.
    pub const K_ARY_4: Self = Self {
        radix: 4,
        ..Self::by_family(Family::k_ary, |context, size, parts| {
            k_ary(size, context.radix, parts)
        })
    };
    /// Half of the numbers to each child.
    pub const HALVING: Self =
        Self::by_ranges(|_, size, parts| parts.extend(split(size, |size| size.div_ceil(2))));
    /// The smaller part of a Fibonacci split to each child.
    pub const FIBONACCI: Self =
        Self::by_ranges(|_, size, parts| parts.extend(split(size, small_part)));
    /// The optimal tree for one segment.
    pub const OPTIMAL: Self = Self {
        is_optimal: true,
        ..Self::by_ranges(
            |Context {
                 model,
                 neighbours,
                 given,
                 most,
                 ..
             },
             size,
             parts| {
                // Where times exceed 64 bits the tree has no cost, and any part will do.
                let first = |size| {
                    let first = || neighbours.given_away(*model, size).unwrap_or(1);
                    *given.entry(size).or_insert_with(first)
                };
                parts.extend(split(size, first).take(*most + 1));
            },
        )
    };

    const fn by_family(family: fn(u64, u64, u64) -> Family, parts: Parts) -> Self {
        Self {
            family: Some(family),
            ..Self::by_ranges(parts)
        }
    }

    const fn by_ranges(parts: Parts) -> Self {
        Self {
            family: None,
            parts: Some(parts),
            radix: 0,
            is_optimal: false,
        }
    }

    fn context(&self, model: LogP, most: usize) -> Context {
        Context::new(model, most, self.radix)
    }

    /// The tree of K ranks on which the times of a segment are `model`.
    fn tree(
        &self,
        K: u64,
        model: impl FnOnce() -> Result<LogP, Error>,
    ) -> Result<plan::Tree<'_>, Error> {
        // One rank has one tree.
        if K == 1 {
            return Ok(plan::Tree::down(Load::Vector, move |number| {
                Family::flat(K, number)
            }));
        }
        if let Some(family) = self.family {
            let radix = self.radix;
            return Ok(plan::Tree::down(Load::Vector, move |number| {
                family(K, number, radix)
            }));
        }
        // Few sizes of subtrees occur, many times each.
        let known = RefCell::new((self.context(model()?, MAX_STEPS), HashMap::new()));
        let family = move |number| {
            let (context, known) = &mut *known.borrow_mut();
            from_parts(K, number, |size| {
                let make = || {
                    let (mut parts, mut left) = (Vec::new(), size);
                    if let Some(add_parts) = self.parts {
                        add_parts(context, size, &mut parts);
                    }
                    let first = |(part, _)| {
                        left -= part;
                        left
                    };
                    parts.into_iter().map(first).collect()
                };
                Rc::clone(known.entry(size).or_insert_with(make))
            })
        };
        Ok(plan::Tree::down(Load::Vector, family))
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
        let Some(add_parts) = self.parts else {
            return segments::chain(task);
        };
        let mut context = self.context(segment(task)?, MAX_STEPS);
        segments::time(task, |size, parts| add_parts(&mut context, size, parts))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        Ok(Plan::Tree(self.tree(task.K, || segment(task))?))
    }

    fn duplex(&self) -> Option<&dyn Duplex> {
        Some(self)
    }

    fn with_number(&self, radix: u64) -> Option<Box<dyn Algorithm>> {
        let has_radix = self.radix > 0 && RADICES.contains(&radix);
        has_radix.then(|| Box::new(Self { radix, ..*self }) as _)
    }

    fn properties(&self) -> Properties {
        Properties {
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
        let Some(add_parts) = self.parts else {
            return shape::chain(task);
        };
        let model = segment(task)?;
        if self.is_optimal {
            optimal::time(model, task.K)?;
        }
        let mut context = self.context(model, MAX_STEPS);
        shape::time(task, |size, parts| add_parts(&mut context, size, parts))
    }

    /// The other trees have few kinds of parts on every machine.
    fn steps(&self, task: &Task, most: usize) -> usize {
        let Some(add_parts) = self.parts.filter(|_| self.is_optimal) else {
            return 0;
        };
        // `time` refuses these errors before it reads the tree.
        let Ok(model) = segment(task) else {
            return 0;
        };
        let mut context = self.context(model, most);
        let parts = |size, parts: &mut Vec<ChildGroup>| add_parts(&mut context, size, parts);
        shape::latest(task, most, parts).map_or(0, |(_, steps)| steps.min(most))
    }

    fn compiled(&self, task: &Task) -> Result<Compiled, Error> {
        let model = segment(task)?;
        program::from_tree(task, self.tree(task.K, || Ok(model))?.family)
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

/// The children of a number that gives away parts of these sizes until it is alone.
fn split(mut size: u64, mut given: impl FnMut(u64) -> u64) -> impl Iterator<Item = ChildGroup> {
    let part = std::iter::from_fn(move || {
        let part = (size > 1).then(|| given(size))?;
        size -= part;
        Some(part)
    });
    part.zip(1..)
}

/// The family of a number in a tree in which a child has the last numbers that its parent still has; `children` gives their distances
/// from a parent with this many numbers.
fn from_parts(K: u64, number: u64, mut children: impl FnMut(u64) -> Rc<[u64]>) -> Family {
    let (mut parent, mut numbers) = (None, 0..K);
    loop {
        let (start, children) = (numbers.start, children(numbers.end - numbers.start));
        if number == start {
            return Family::new(parent, children.iter().map(|child| start + child));
        }
        // The first child that is not larger has it.
        let index = children.partition_point(|child| start + child > number);
        let end = index
            .checked_sub(1)
            .map_or(numbers.end, |before| start + children[before]);
        (parent, numbers) = (
            Some(start),
            start + children.get(index).copied().unwrap_or(0)..end,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Machine;
    use crate::logp::multicast::Multicast;
    use crate::logp::multicast::fibonacci::Fibonacci;
    use crate::logp::multicast::halving::Halving;
    use crate::logp::multicast::k_nomial::KNomial;
    use crate::logp::multicast::opt_tree::OptTree;

    /// One word down a tree is a multicast, which has formulas of its own.
    #[test]
    fn one_word_is_a_multicast() {
        let pairs: [(&dyn Algorithm, &dyn Multicast); 5] = [
            (&Tree::OPTIMAL, &OptTree),
            (&Tree::HALVING, &Halving),
            (&Tree::FIBONACCI, &Fibonacci),
            (&Tree::BINOMIAL, &KNomial::BINOMIAL),
            (&Tree::K_NOMIAL_4, &KNomial::RADIX_4),
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
