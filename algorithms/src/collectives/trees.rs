//! Trees of ranks: up them a reduce combines a vector in segments, down them a broadcast sends it.
//!
//! Ranks are numbered from the root. A tree gives the parent of a number, and its children in the order in which a reduce
//! receives from them.

use super::script::Script;
use super::task::Hop;
use super::{Task, binomial, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// The segments of a vector: first the longer ones, then those that are a word shorter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segments {
    /// A longer one, and a shorter one.
    pub hops: [Hop; 2],
    /// How many of each; at least one longer one.
    pub counts: [u64; 2],
}

/// How long a rank needs at least between two receives, which it combines, or between two sends, if it combines nothing.
pub(super) fn between(hop: Hop) -> Wide {
    hop.g.max(hop.o + hop.q)
}

impl Segments {
    /// The m segments of a vector.
    ///
    /// # Errors
    /// [`Error::Overflow`], also where the root cannot receive or send all of them within 64 bits. Elsewhere all times on
    /// the way fit in 128.
    pub fn of(task: &Task) -> Result<Self, Error> {
        let (words, longer) = (task.n / task.m, task.n % task.m);
        let counts = if longer == 0 { [task.m, 0] } else { [longer, task.m - longer] };
        let first = task.hop(words + u64::from(longer > 0))?;
        let hops = [first, if longer == 0 { first } else { task.hop(words)? }];
        for (hop, count) in hops.into_iter().zip(counts) {
            fit(count.saturating_sub(1) * between(hop))?;
        }
        Ok(Self { hops, counts })
    }
}

/// The parent of a rank in a tree, and its children.
#[derive(Debug)]
pub(super) struct Family {
    pub parent: Option<u32>,
    pub children: Vec<u32>,
}

impl Family {
    /// Of numbers.
    pub fn of(task: &Task, parent: Option<u64>, children: impl Iterator<Item = u64>) -> Self {
        let rank = |number| task.rank(number);
        Self { parent: parent.map(rank), children: children.map(rank).collect() }
    }

    /// Every rank is a child of the root.
    pub fn flat(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        Self::of(task, (number > 0).then_some(0), 1..if number == 0 { task.K } else { 1 })
    }

    /// Every number is the child of the one before.
    pub fn chain(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        Self::of(task, number.checked_sub(1), (number + 1..task.K).take(1))
    }

    /// The complete binary tree, level by level: number i of a level of `2^l` has the children i and `i + 2^l` of the next.
    pub fn binary(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        // The numbers of a level of `width` begin at `width - 1`. The parent's level is half as wide.
        let width = 1 << number.saturating_add(1).ilog2();
        let parent = (number > 0).then(|| (number + 1 - width) % (width / 2) + width / 2 - 1);
        Self::of(task, parent, [number + width, number + 2 * width].into_iter().filter(|&child| child < task.K))
    }

    /// The [binomial] tree, the smallest subtree first.
    pub fn binomial(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        Self::of(task, binomial::parent(number), binomial::children(task.K, number))
    }

    /// The binomial tree whose numbers grow by bits above their highest one, the nearest child first.
    pub fn bmtree(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        let parent = number.checked_ilog2().map(|bit| number ^ 1 << bit);
        let first = number.checked_ilog2().map_or(0, |bit| bit + 1);
        let children = (first..u64::BITS).map(|bit| 1 << bit).take_while(|&bit| bit < task.K - number);
        Self::of(task, parent, children.map(|bit| number + bit))
    }

    /// The k-nomial tree of radix 4, the largest subtree first.
    pub fn k_nomial_4(task: &Task, rank: u32) -> Self {
        let number = task.number(rank);
        let lowest = number.trailing_zeros() / 2;
        let parent = (number > 0).then(|| number & !(3 << (2 * lowest)));
        Self::of(task, parent, Self::below_digits_4(task.K, number).map(|(child, _)| child))
    }

    /// The numbers below K that differ from a number in one digit to base 4 below its lowest one, and the numbers from
    /// each one to the next that differs in the same digit.
    pub fn below_digits_4(K: u64, number: u64) -> impl Iterator<Item = (u64, u64)> {
        let digits = (number.trailing_zeros() / 2).min(u64::BITS / 2);
        let places = (0..digits).rev().map(|digit| 1 << (2 * digit));
        let child = move |place: u64| {
            (1..4).map_while(move |digit| Some((number.checked_add(place.checked_mul(digit)?)?, place)))
        };
        places.flat_map(child).filter(move |&(child, _)| child < K)
    }

    /// The children in the opposite order.
    pub fn reversed(mut self) -> Self {
        self.children.reverse();
        self
    }

    /// What a rank does that receives each segment from its children, combines it, and sends it to its parent.
    pub fn up(&self, task: &Task, rank: u32, script: &mut Script) {
        for segment in 0..task.m {
            let words = task.block(segment, task.m);
            for &child in &self.children {
                script.combine(rank, child, narrow(segment), [words.clone()]);
            }
            if let Some(parent) = self.parent {
                script.send(parent, narrow(segment), [words]);
            }
        }
    }

    /// What a rank does that receives each segment from its parent and sends it to its children.
    pub fn down(&self, task: &Task, script: &mut Script) {
        for segment in 0..task.m {
            let words = task.block(segment, task.m);
            if let Some(parent) = self.parent {
                script.receive(parent, narrow(segment), [words.clone()]);
            }
            for &child in &self.children {
                script.send(child, narrow(segment), [words.clone()]);
            }
        }
    }
}
