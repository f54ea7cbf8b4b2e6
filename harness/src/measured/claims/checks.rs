//! The three statements at one point: a size and a K of a setting.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::found::Found;
use super::interval::{self, Interval};
use crate::measured::record::SummaryRow;
use crate::measured::results::MeasuredPoint;

#[derive(Debug, Clone)]
pub(super) enum Judgement {
    Holds,
    NotDecided(Found),
    Fails(Found),
}

const TREES: [(&str, &str); 2] = [("halving", "halving"), ("fibonacci", "Fibonacci")];

/// The times of the two trees in one setting, by size and K. A point that two parts of the configuration measured has
/// two times, and both count.
pub(super) struct Times<'a> {
    trees: [BTreeMap<(u64, u32), Vec<&'a SummaryRow>>; 2],
}

impl<'a> Times<'a> {
    pub fn of(points: impl Iterator<Item = &'a MeasuredPoint>) -> Self {
        let mut trees = [BTreeMap::new(), BTreeMap::new()];
        for row in points.map(|point| &point.row) {
            for (times, _) in trees.iter_mut().zip(TREES).filter(|(_, (name, _))| *name == row.algorithm) {
                times.entry((row.bytes, row.K)).or_insert_with(Vec::new).push(row);
            }
        }
        Self { trees }
    }

    /// The sizes at which both trees were measured.
    pub fn sizes(&self) -> Vec<u64> {
        let [halving, fibonacci] = self.trees.each_ref().map(|times| times.keys().map(|key| key.0));
        let halving: BTreeSet<u64> = halving.collect();
        fibonacci.collect::<BTreeSet<u64>>().intersection(&halving).copied().collect()
    }

    /// The K at which at least one tree was measured with this size.
    pub fn nodes(&self, bytes: u64) -> Vec<u32> {
        let nodes = self.trees.iter().flat_map(BTreeMap::keys).filter(|key| key.0 == bytes).map(|key| key.1);
        nodes.collect::<BTreeSet<u32>>().into_iter().collect()
    }

    fn at(&self, tree: usize, bytes: u64, K: u32) -> &[&'a SummaryRow] {
        self.trees[tree].get(&(bytes, K)).map_or(&[], Vec::as_slice)
    }

    fn missing(&self, bytes: u64, K: u32) -> Option<Judgement> {
        let gone = (0..TREES.len()).find(|&tree| self.at(tree, bytes, K).is_empty())?;
        Some(Judgement::NotDecided(Found::new(K, format!("{} was not measured at K = {K}", TREES[gone].1), &[])))
    }

    /// (a) Both times grow with K and with the size, compared with the next smaller measured K and size of the same
    /// tree. None if there is neither.
    pub fn grows(&self, bytes: u64, K: u32) -> Option<Judgement> {
        if let Some(missing) = self.missing(bytes, K) {
            return Some(missing);
        }
        let mut checked = Vec::new();
        for (tree, (_, name)) in TREES.into_iter().enumerate() {
            let own = || self.trees[tree].keys();
            let fewer = own().filter(|key| key.0 == bytes && key.1 < K).max_by_key(|key| key.1);
            let shorter = own().filter(|key| key.1 == K && key.0 < bytes).max_by_key(|key| key.0);
            for &(other_bytes, other_K) in fewer.into_iter().chain(shorter) {
                for now in self.at(tree, bytes, K) {
                    for less in self.at(tree, other_bytes, other_K) {
                        let order = interval::order(now, less);
                        let against = if other_K < K {
                            format!("at K = {other_K}")
                        } else {
                            format!("for {}", crate::units::show_bytes(other_bytes))
                        };
                        let found = || {
                            let text = format!("{name} {}, {against} {}", told(now), told(less));
                            Found::new(K, text, &[now, less])
                        };
                        checked.push(decided(order, found));
                    }
                }
            }
        }
        worst(checked)
    }

    /// (b) Halving is slower than Fibonacci.
    pub fn slower(&self, bytes: u64, K: u32) -> Option<Judgement> {
        if let Some(missing) = self.missing(bytes, K) {
            return Some(missing);
        }
        let checked = self.pairs(bytes, K).into_iter().map(|[halving, fibonacci]| {
            let found = || {
                let text = format!("halving {}, Fibonacci {}", told(halving), told(fibonacci));
                Found::new(K, text, &[halving, fibonacci])
            };
            decided(interval::order(halving, fibonacci), found)
        });
        worst(checked)
    }

    /// (c) Halving minus Fibonacci grows with K, compared with the next smaller K. None at the smallest.
    pub fn difference_grows(&self, bytes: u64, K: u32) -> Option<Judgement> {
        let fewer = self.nodes(bytes).into_iter().rfind(|&other| other < K)?;
        if let Some(missing) = self.missing(bytes, K).or_else(|| self.missing(bytes, fewer)) {
            return Some(missing);
        }
        let mut checked = Vec::new();
        for here in self.pairs(bytes, K) {
            for there in self.pairs(bytes, fewer) {
                let order = difference(here).zip(difference(there)).and_then(|(here, there)| here.order(there));
                let found = || {
                    let text =
                        format!("difference {}, at K = {fewer} {}", told_difference(here), told_difference(there));
                    Found::new(K, text, &[here, there].concat())
                };
                checked.push(decided(order, found));
            }
        }
        worst(checked)
    }

    fn pairs(&self, bytes: u64, K: u32) -> Vec<[&'a SummaryRow; 2]> {
        let fibonacci = self.at(1, bytes, K);
        self.at(0, bytes, K).iter().flat_map(|halving| fibonacci.iter().map(|other| [*halving, *other])).collect()
    }
}

/// Every statement says that something is greater.
fn decided(order: Option<Ordering>, found: impl FnOnce() -> Found) -> Judgement {
    match order {
        Some(Ordering::Greater) => Judgement::Holds,
        Some(_) => Judgement::Fails(found()),
        None => Judgement::NotDecided(found()),
    }
}

/// The first that fails, else the first that is not decided, else one that holds; none if there are none.
fn worst(checked: impl IntoIterator<Item = Judgement>) -> Option<Judgement> {
    let badness = |judgement: &Judgement| match judgement {
        Judgement::Holds => 0,
        Judgement::NotDecided(_) => 1,
        Judgement::Fails(_) => 2,
    };
    checked.into_iter().reduce(|worst, next| if badness(&next) > badness(&worst) { next } else { worst })
}

fn difference([halving, fibonacci]: [&SummaryRow; 2]) -> Option<Interval> {
    Some(Interval::of(halving)?.less(Interval::of(fibonacci)?))
}

fn told(row: &SummaryRow) -> String {
    let [median, low, high] = [row.median_ns, row.low_ns, row.high_ns].map(|ns| ms(ns.into()));
    format!("{median} [{low}, {high}] ms")
}

/// A difference of medians, with its widest interval.
fn told_difference(pair @ [halving, fibonacci]: [&SummaryRow; 2]) -> String {
    let median = ms(i128::from(halving.median_ns) - i128::from(fibonacci.median_ns));
    match difference(pair) {
        Some(Interval { low, high }) => format!("{median} [{}, {}] ms", ms(low), ms(high)),
        None => format!("{median} ms from too few repetitions"),
    }
}

/// Three digits of ms, so microseconds.
fn ms(ns: i128) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}
