//! Trees by their subtrees. Many ranks have equal ones, which are followed once: few sizes occur, so trees of 2^64 ranks are
//! followed in microseconds.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::iter;
use std::rc::Rc;

use super::task::narrow;
use super::tree::{ChildGroup, Family};
use crate::error::Error;

/// Follows a tree down. `known` has what is known of the ranks with subtrees of a kind, at first of the root alone; `parts` adds the
/// children of a rank from the kind of its subtree. `visit` takes the kind, what is known there and the children, which it adds to
/// `known`: with lower kinds, or with kinds of their own. Returns how many children were followed: more than `most` where it ended early.
pub fn down<N: Ord + Copy, C, S>(
    mut known: BTreeMap<N, S>,
    most: usize,
    mut parts: impl FnMut(N, &mut Vec<C>),
    mut visit: impl FnMut(N, S, &[C], &mut BTreeMap<N, S>),
) -> usize {
    let (mut children, mut followed) = (Vec::new(), 0);
    while let Some((kind, state)) = known.pop_last() {
        children.clear();
        parts(kind, &mut children);
        followed += children.len();
        if followed > most {
            break;
        }
        visit(kind, state, &children, &mut known);
    }
    followed
}

/// Follows a tree up: `visit` takes a kind of subtrees and what it returned for the children, in order. The root is the last.
pub fn up<N: Ord + Copy, S>(
    root: N,
    parts: impl FnMut(N, &mut Vec<(N, u64)>),
    mut visit: impl FnMut(N, &[&S]) -> Result<S, Error>,
) -> Result<(), Error> {
    let mut order = Vec::new();
    let whole = BTreeMap::from([(root, ())]);
    down(whole, usize::MAX, parts, |kind, (), children, known| {
        order.push((kind, children.to_vec()));
        known.extend(children.iter().map(|&(child, _)| (child, ())));
    });
    let mut known = BTreeMap::new();
    for (kind, children) in order.into_iter().rev() {
        let mut below = Vec::new();
        for (child, last) in children {
            below.resize(narrow(last) as usize, &known[&child]);
        }
        let state = visit(kind, &below)?;
        known.insert(kind, state);
    }
    Ok(())
}

/// The children of a rank that gives away parts of these sizes until it is alone.
pub fn split(mut size: u64, mut given: impl FnMut(u64) -> u64) -> impl Iterator<Item = ChildGroup> {
    let part = iter::from_fn(move || {
        let part = (size > 1).then(|| given(size))?;
        size -= part;
        Some(part)
    });
    part.zip(1..)
}

/// The children of the root of a tree of two halves.
pub fn binary(size: u64, parts: &mut Vec<ChildGroup>) {
    let sizes = [(size / 2, 1), ((size - 1) / 2, 2)];
    parts.extend(sizes.into_iter().filter(|&(size, _)| size > 0));
}

/// The families of a tree in which a child has the last numbers that its parent still has; `given` tells how many numbers one with so
/// many gives away.
pub fn by_ranges<'a>(K: u64, given: impl FnMut(u64) -> u64 + 'a) -> impl Fn(u64) -> Family + 'a {
    // Few sizes of subtrees occur, many times each: the distances of their children.
    let known = RefCell::new((given, HashMap::<u64, Rc<[u64]>>::new()));
    move |number| {
        let (given, known) = &mut *known.borrow_mut();
        let mut distances = |size| {
            let make = || {
                let mut left = size;
                let first = |(part, _)| {
                    left -= part;
                    left
                };
                split(size, &mut *given).map(first).collect()
            };
            Rc::clone(known.entry(size).or_insert_with(make))
        };
        let (mut parent, mut start, mut size) = (None, 0, K);
        loop {
            let children = distances(size);
            if number == start {
                let ends = iter::once(size).chain(children.iter().copied());
                let children = children.iter().zip(ends);
                let children = children.map(|(child, end)| (start + child, end - child));
                return Family {
                    parent,
                    size,
                    children: children.collect(),
                };
            }
            // The first child that is not larger has it.
            let index = children.partition_point(|child| start + child > number);
            let end = index.checked_sub(1).map_or(size, |before| children[before]);
            let first = children.get(index).copied().unwrap_or(0);
            (parent, start, size) = (Some(start), start + first, end - first);
        }
    }
}

/// The root of a subtree of a binary tree whose subtrees are ranges of positions.
#[derive(Debug, Clone, Copy, Default)]
pub struct InOrder {
    /// The first position of the subtree.
    pub first: u64,
    /// How many positions it has.
    pub size: u64,
    /// The position of its parent.
    pub parent: Option<u64>,
    /// The positions of its children.
    pub children: [Option<u64>; 2],
}

impl InOrder {
    /// The subtree whose root has this position below K, in a tree in which the last position of a subtree is its root. The first child is
    /// the nearest one.
    pub fn with_last(K: u64, position: u64) -> Self {
        Self::new(K, position, |size| {
            let others = size - 1;
            (others, [(size / 2, others / 2), (0, size / 2)])
        })
    }

    /// The subtree whose root has this position below K. From the size of a subtree `shape` tells how far its root is from its first
    /// position, and how far its children's subtrees, with their sizes.
    pub fn new(K: u64, position: u64, shape: impl Fn(u64) -> (u64, [(u64, u64); 2])) -> Self {
        let (mut first, mut size, mut parent) = (0, K, None);
        loop {
            let (root, parts) = shape(size);
            if position == first + root {
                let child = |(far, size)| (size > 0).then(|| first + far + shape(size).0);
                return Self {
                    first,
                    size,
                    parent,
                    children: parts.map(child),
                };
            }
            parent = Some(first + root);
            let has = |(far, size): (u64, u64)| (far..far + size).contains(&(position - first));
            let (far, of_part) = parts[usize::from(!has(parts[0]))];
            (first, size) = (first + far, of_part);
        }
    }
}
