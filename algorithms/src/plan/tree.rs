//! Trees: words go down from the root or up to it.

use std::iter;

use super::script::{Act, Script};
use super::task::{Task, narrow};
use super::words::{Deal, Words};

/// A number in a tree whose root has number 0.
#[derive(Debug, Clone, Default)]
pub struct Family {
    /// Its parent; none of the root.
    pub parent: Option<u64>,
    /// How many numbers its subtree has, where blocks go along the tree.
    pub size: u64,
    /// Its children in the order of its messages, and how many numbers their subtrees have, where blocks go along the tree.
    pub children: Vec<(u64, u64)>,
}

/// Successive children with equal subtrees: the subtree, by its size or by its root, and the index of the last of them among all
/// children, from 1.
pub type ChildGroup = (u64, u64);

/// What goes along the edges of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// The vector, in m segments.
    Vector,
    /// The blocks of the ranks of a subtree, n words each.
    Blocks,
    /// The blocks of a subtree, of a vector that is dealt out to K blocks by the numbers from the root.
    Dealt,
}

/// A tree, and what goes along it. Numbers count from the root.
pub struct Tree<'a> {
    pub(crate) family: Box<dyn Fn(u64) -> Family + 'a>,
    load: Load,
    pub(super) is_up: bool,
    /// The blocks of a subtree, by its root and its size; those of a range that begins with the root where nothing is stated.
    words: Option<SubtreeWords<'a>>,
}

type SubtreeWords<'a> = Box<dyn Fn(u64, u64) -> Words + 'a>;

impl<'a> Tree<'a> {
    /// A tree up or down which messages go.
    pub fn new(load: Load, is_up: bool, family: impl Fn(u64) -> Family + 'a) -> Self {
        Self {
            family: Box::new(family),
            load,
            is_up,
            words: None,
        }
    }

    /// Every number receives from its parent, then sends to its children.
    pub fn down(load: Load, family: impl Fn(u64) -> Family + 'a) -> Self {
        Self::new(load, false, family)
    }

    /// The blocks of a subtree, by its root and its size, have these words.
    pub fn with_words(self, words: impl Fn(u64, u64) -> Words + 'a) -> Self {
        Self {
            words: Some(Box::new(words)),
            ..self
        }
    }

    /// Every number receives from its children, then sends to its parent. Vectors are combined.
    pub fn up(load: Load, family: impl Fn(u64) -> Family + 'a) -> Self {
        Self::new(load, true, family)
    }

    /// Into how many messages the words of an edge are cut.
    pub(super) fn tags(&self, task: &Task) -> u64 {
        if self.load == Load::Vector { task.m } else { 1 }
    }

    pub(super) fn write(&self, task: &Task, rank: u32, script: &mut Script) {
        let (number, deal) = (task.number(rank), Deal::new(task));
        let family = (self.family)(number);
        let own = (number, family.size);
        let parent = family.parent.map(|parent| (parent, own));
        for segment in 0..self.tags(task) {
            let mut step = |is_sent, (peer, child)| {
                let peer = task.rank(peer);
                let act = match (is_sent, self.load) {
                    (true, _) => Act::Send,
                    (false, Load::Vector) if self.is_up => Act::combining(rank, peer),
                    _ => Act::Receive,
                };
                let words = self.words(task, segment, child);
                script.push_words(act, peer, narrow(segment), words, task, deal);
            };
            if let (false, Some(parent)) = (self.is_up, parent) {
                step(false, parent);
            }
            for &child in &family.children {
                step(!self.is_up, (child.0, child));
            }
            if let (true, Some(parent)) = (self.is_up, parent) {
                step(true, parent);
            }
        }
    }

    /// All numbers, the senders of each before it.
    pub(super) fn in_turn(&self) -> Vec<u64> {
        let (mut numbers, mut next) = (vec![0], 0);
        while let Some(&number) = numbers.get(next) {
            let children = (self.family)(number).children.into_iter();
            numbers.extend(children.map(|(child, _)| child));
            next += 1;
        }
        if self.is_up {
            numbers.reverse();
        }
        numbers
    }

    /// The words of a message to or from a child with a subtree of this size.
    fn words(&self, task: &Task, segment: u64, (child, size): (u64, u64)) -> Words {
        match (&self.words, self.load) {
            (_, Load::Vector) => Words::Range(task.block(segment, task.m)),
            (Some(words), _) => words(child, size),
            (None, Load::Dealt) => Words::Dealt(child, size),
            (None, Load::Blocks) => Words::Blocks(task.root + child, size),
        }
    }
}

impl Family {
    /// A parent and children, without the sizes of subtrees.
    pub fn new(parent: Option<u64>, children: impl IntoIterator<Item = u64>) -> Self {
        Self {
            parent,
            size: 0,
            children: children.into_iter().map(|child| (child, 0)).collect(),
        }
    }

    /// Every number is a child of the root.
    pub fn flat(K: u64, number: u64) -> Self {
        Self::k_nomial(K, number, K.max(2))
    }

    /// Every other rank is a child of the root, in the order of the ranks.
    pub fn by_rank(K: u64, root: u64, number: u64) -> Self {
        let mut family = Self::flat(K, number);
        let after = narrow(K - root) as usize - 1;
        if number == 0 {
            family.children.rotate_left(after);
        }
        family
    }

    /// Every number is the child of the one before.
    pub fn chain(K: u64, number: u64) -> Self {
        Self::k_ary(K, number, 1)
    }

    /// The complete binary tree, level by level: number i of a level of `2^l` has the children i and `i + 2^l` of the next.
    pub fn binary(K: u64, number: u64) -> Self {
        // The numbers of a level of `width` begin at `width - 1`. The parent's level is half as wide.
        let width = 1 << number.saturating_add(1).ilog2();
        let parent = (number > 0).then(|| (number + 1 - width) % (width / 2) + width / 2 - 1);
        let children = [number + width, number + 2 * width].into_iter();
        Self::new(parent, children.filter(|&child| child < K))
    }

    /// The tree in which each number has as many children as the radix, in the order of the numbers.
    pub fn k_ary(K: u64, number: u64, radix: u64) -> Self {
        let child = |digit: u64| number.checked_mul(radix)?.checked_add(digit);
        let children = (1..=radix).map_while(child).take_while(|&child| child < K);
        Self::new(number.checked_sub(1).map(|before| before / radix), children)
    }

    /// The [binomial](super::binomial) tree, the smallest subtree first.
    pub fn binomial(K: u64, number: u64) -> Self {
        Self::k_nomial(K, number, 2).reversed()
    }

    /// The binomial tree whose numbers grow by bits above their highest one, the nearest child first.
    pub fn bmtree(K: u64, number: u64) -> Self {
        let parent = number.checked_ilog2().map(|bit| number ^ 1 << bit);
        let first = number.checked_ilog2().map_or(0, |bit| bit + 1);
        let children = (first..u64::BITS)
            .map(|bit| 1 << bit)
            .take_while(|&bit| bit < K - number);
        Self::new(parent, children.map(|bit| number + bit))
    }

    /// The k-nomial tree of a radix of 2 at least, the highest digit first, its values in ascending order.
    pub fn k_nomial(K: u64, number: u64, radix: u64) -> Self {
        // Of a number with one digit, and of those below it.
        let units = || iter::successors(Some(1), |unit: &u64| unit.checked_mul(radix));
        let is_below = |unit: &u64| number == 0 || (number / unit).is_multiple_of(radix);
        let unit = units().find(|unit| !is_below(unit));
        let own = units().take_while(|unit| *unit < K - number && is_below(unit));
        let own: Vec<u64> = own.collect();
        let child = |unit: u64| {
            let others =
                (1..radix).map_while(move |digit| number.checked_add(unit.checked_mul(digit)?));
            let below = others.take_while(|&child| child < K);
            below.map(move |child| (child, unit.min(K - child)))
        };
        Self {
            parent: unit.map(|unit| number - number / unit % radix * unit),
            size: unit.map_or(K, |unit| unit.min(K - number)),
            children: own.into_iter().rev().flat_map(child).collect(),
        }
    }

    /// The children in the opposite order.
    pub fn reversed(mut self) -> Self {
        self.children.reverse();
        self
    }

    /// The children in the order of their numbers.
    pub fn ascending(mut self) -> Self {
        self.children.sort_unstable();
        self
    }
}
