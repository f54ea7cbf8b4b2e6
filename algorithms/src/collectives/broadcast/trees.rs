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
//! | `broadcast-halving` | by ranges, `P(S) = ceil(S/2)` | [halving](crate::logp::multicast::halving) |
//! | `broadcast-optimal` | by ranges, `P(S) = min(N(t-D), S-1)` with the least t for which `N(t) >= S` ranks can hold a segment | [OPT-tree](crate::logp::multicast::opt_tree), for a longer segment |
//! | `broadcast-fibonacci` | by ranges, `P(S) = f(i-2)` for Fibonacci numbers `f(i) <= S < f(i+1)` | [Fibonacci](crate::logp::multicast::fibonacci) |
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

use super::segments::{self, ChildGroup};
use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::multicast::fibonacci::small_part;
use crate::logp::multicast::optimal::Neighbours;
use crate::logp::pipeline::{self, trees::Pipelined};
use crate::plan::binomial;
use crate::plan::{self, Family, Load, Plan, Task};

type Parts = fn((LogP, &mut Neighbours), u64, &mut Vec<ChildGroup>);

/// See the module.
#[derive(Debug, Clone, Copy)]
pub struct Tree {
    /// The parent and the children of a number among K; by ranges where there is none.
    family: Option<fn(u64, u64) -> Family>,
    /// Adds the children of the root, from the times of a segment and the number of ranks; none in a chain, which is not followed.
    parts: Option<Parts>,
    /// The tree where ports are duplex.
    duplex: &'static Pipelined,
}

impl Tree {
    /// The root is the parent of all others.
    pub const FLAT: Self = Self::new(Family::flat, &Pipelined::FLAT, |_, size, parts| {
        parts.extend((size > 1).then(|| (1, size - 1)));
    });

    /// Every number passes segments to the next.
    pub const CHAIN: Self = Self { family: Some(Family::chain), parts: None, duplex: &Pipelined::CHAIN };

    /// The complete binary tree, level by level.
    pub const BINARY: Self = Self::new(Family::binary, &Pipelined::BINARY, |_, size, parts| binary(size, parts));
    /// The binomial tree, largest subtree first.
    pub const BINOMIAL: Self = Self::new(
        |K, number| Family::binomial(K, number).reversed(),
        &Pipelined::BINOMIAL,
        |_, size, parts| {
            binomial(size, parts);
        },
    );
    /// The binomial tree whose nearest child comes first and has the largest subtree.
    pub const BMTREE: Self = Self::new(Family::bmtree, &Pipelined::BMTREE, |_, size, parts| bmtree(size, parts));
    /// The k-nomial tree of radix 4.
    pub const K_NOMIAL_4: Self =
        Self::new(Family::k_nomial_4, &Pipelined::K_NOMIAL_4, |_, size, parts| k_nomial_4(size, parts));
    /// Half of the numbers to each child.
    pub const HALVING: Self =
        Self::by_ranges(&Pipelined::HALVING, |_, size, parts| split(size, |size| size.div_ceil(2), parts));
    /// The smaller part of a Fibonacci split to each child.
    pub const FIBONACCI: Self = Self::by_ranges(&Pipelined::FIBONACCI, |_, size, parts| split(size, small_part, parts));
    /// The optimal tree for one segment.
    pub const OPTIMAL: Self = Self::by_ranges(&Pipelined::OPTIMAL, |(model, neighbours), size, parts| {
        // Where times exceed 64 bits the tree has no cost, and any part will do.
        split(size, |size| neighbours.given_away(model, size).unwrap_or(1), parts);
    });

    const fn new(family: fn(u64, u64) -> Family, duplex: &'static Pipelined, parts: Parts) -> Self {
        Self { family: Some(family), parts: Some(parts), duplex }
    }

    const fn by_ranges(duplex: &'static Pipelined, parts: Parts) -> Self {
        Self { family: None, parts: Some(parts), duplex }
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
        let Some(add_parts) = self.parts else { return segments::chain(task) };
        let (model, mut neighbours) = (segment(task)?, Neighbours::default());
        segments::time(task, |size, parts| add_parts((model, &mut neighbours), size, parts))
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        let (K, model) = (task.K, segment(task)?);
        if let Some(family) = self.family {
            return Ok(Plan::Tree(plan::Tree::down(Load::Vector, move |number| family(K, number))));
        }
        // Few sizes of subtrees occur, many times each.
        let known = RefCell::new((Neighbours::default(), HashMap::new()));
        let family = move |number| {
            let (neighbours, known) = &mut *known.borrow_mut();
            from_parts(K, number, |size| {
                let make = || {
                    let mut parts = Vec::new();
                    if let Some(add_parts) = self.parts {
                        add_parts((model, neighbours), size, &mut parts);
                    }
                    Rc::from(parts)
                };
                Rc::clone(known.entry(size).or_insert_with(make))
            })
        };
        Ok(Plan::Tree(plan::Tree::down(Load::Vector, family)))
    }

    fn duplex(&self) -> Option<&'static dyn pipeline::Broadcast> {
        Some(self.duplex)
    }

    fn properties(&self) -> Properties {
        Properties { is_segmented: true, ..Properties::PLAIN }
    }
}

/// The children of the root of a binary tree.
pub(super) fn binary(size: u64, parts: &mut Vec<ChildGroup>) {
    let sizes = [(size / 2, 1), ((size - 1) / 2, 2)];
    parts.extend(sizes.into_iter().filter(|&(size, _)| size > 0));
}

fn binomial(size: u64, parts: &mut Vec<ChildGroup>) {
    let sizes = binomial::children(size, 0).rev().map(|child| binomial::size(size, child));
    parts.extend(sizes.zip(1..));
}

/// Below child `2^h` are the numbers `2^h` plus multiples of `2^(h+1)`, which form a bmtree.
fn bmtree(size: u64, parts: &mut Vec<ChildGroup>) {
    let others = size - 1;
    let sizes = (0..u64::BITS).map_while(|bit| others.checked_sub(1 << bit).map(|rest| (rest >> bit) / 2 + 1));
    parts.extend(sizes.zip(1..));
}

/// The children of a number that gives away parts of these sizes until it is alone, as far as they are followed.
fn split(mut size: u64, mut given: impl FnMut(u64) -> u64, parts: &mut Vec<ChildGroup>) {
    while size > 1 && parts.len() <= segments::MOST {
        let part = given(size);
        size -= part;
        parts.push((part, parts.len() as u64 + 1));
    }
}

/// The family of a number in a tree in which a child has the last numbers that its parent still has.
fn from_parts(K: u64, number: u64, mut parts: impl FnMut(u64) -> Rc<[ChildGroup]>) -> Family {
    let (mut parent, mut numbers) = (None, 0..K);
    loop {
        let mut end = numbers.end;
        let child = |&(size, _): &ChildGroup| {
            end -= size;
            end
        };
        let parts = parts(numbers.end - numbers.start);
        if number == numbers.start {
            return Family::new(parent, parts.iter().map(child));
        }
        // The first one is the last number that is not larger.
        let mut before = numbers.end;
        let first = parts.iter().map(child).find(|&child| {
            let is_it = child <= number;
            before = if is_it { before } else { child };
            is_it
        });
        (parent, numbers) = (Some(numbers.start), first.unwrap_or(numbers.start)..before);
    }
}

fn k_nomial_4(size: u64, parts: &mut Vec<ChildGroup>) {
    let children = Family::below_digits_4(size, 0);
    parts.extend(children.map(|(child, width)| width.min(size - child)).zip(1..));
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
        let pairs: [(Tree, &dyn Multicast); 5] = [
            (Tree::OPTIMAL, &OptTree),
            (Tree::HALVING, &Halving),
            (Tree::FIBONACCI, &Fibonacci),
            (Tree::BINOMIAL, &KNomial::BINOMIAL),
            (Tree::K_NOMIAL_4, &KNomial::RADIX_4),
        ];
        for (L, o, g) in [(6, 2, 4), (0, 1, 9), (100, 3, 1), (1, 0, 1)] {
            let model = LogP::new(L, o, g).unwrap();
            for K in (1..=300).chain([1 << 40, 1_000_000_000_000_000_000]) {
                for (tree, multicast) in pairs {
                    let time = tree.time(&Task::new(Machine::Words(model), K, 1, 0)).unwrap();
                    assert_eq!(time, Some(multicast.time(model, K, 1).unwrap()), "{tree:?} {model:?} K={K}");
                }
            }
        }
    }
}
