//! Compares two sets of costs point by point. Costs are exact, so there is no tolerance.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;
use algorithms::problem::Problem;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero as _};

use super::costs::{Cost, Costs, Left, PointKey};
use super::grids::GridChange;
use crate::print::column::tabled;

/// How the cost at a point changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It rose.
    Worse,
    /// The point had a cost and has none.
    Gone,
    /// It fell.
    Better,
    /// The point had none and has one.
    New,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Gone => "gone",
            Self::Better => "better",
            Self::New => "new",
        }
    }
}

tabled! {
    /// Counts of the points of an algorithm by verdict.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Verdicts {
        /// name of the algorithm
        pub algorithm: String,
        /// points with the same cost in both
        pub equal: u64,
        /// points with a lower cost now
        pub better: u64,
        /// points with a higher cost now
        pub worse: u64,
        /// points with a cost now and none before
        pub new: u64,
        /// points with a cost before and none now
        pub gone: u64,
        /// points with another revision of the algorithm, and those that failed or disagree on either side
        pub incomparable: u64,
        /// points with the same cost and another lower bound
        pub bound_moved: u64,
    }
}

/// A point with two costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// How the cost changed.
    pub verdict: Verdict,
    /// The algorithm.
    pub algorithm: String,
    /// The options of `castbench cost` for the point.
    pub point: String,
    /// The cost before.
    pub old: Option<String>,
    /// The cost now.
    pub new: Option<String>,
    /// The current lower bound; the old one if there is no current cost.
    pub lower_bound: String,
    order: Severity,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Severity {
    /// New cost over old; `None` for an old cost of 0, which is worse than any ratio, or a missing cost.
    ratio: Option<BigRational>,
    rank: usize,
    point: PointKey,
}

impl Change {
    /// New cost over old, rounded; none if there is no ratio.
    pub fn ratio(&self) -> Option<f64> {
        self.order.ratio.as_ref().and_then(ToPrimitive::to_f64)
    }
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// How the grids changed; then only common points are compared.
    pub changed_grids: Vec<GridChange>,
    /// A line for each algorithm of either side, in the order of the catalogue.
    pub algorithms: Vec<Verdicts>,
    /// Every point with two costs, the worst first.
    pub changes: Vec<Change>,
    /// What of the current points is not compared.
    pub left: Left,
}

impl Comparison {
    /// The verdict on all points; points that are gone are incomparable.
    pub fn word(&self) -> &'static str {
        let is_whole = self.changed_grids.is_empty() && self.count(|tally| tally.gone) == 0;
        if self.count(|tally| tally.worse) == 0 && !is_whole {
            return "incomparable";
        }
        self.word_of_overlap()
    }

    /// The verdict on the points of both sides.
    pub fn word_of_overlap(&self) -> &'static str {
        let any = |of: fn(&Verdicts) -> u64| self.count(of) > 0;
        if any(|tally| tally.worse) {
            "worse"
        } else if any(|tally| tally.incomparable) {
            "incomparable"
        } else if any(|tally| tally.better) {
            "better"
        } else {
            "equal"
        }
    }

    /// The points of a table: without new points and without those missing because the grids changed.
    pub fn reported(&self) -> impl Iterator<Item = &Change> {
        let is_whole = self.changed_grids.is_empty();
        self.changes
            .iter()
            .filter(move |change| match change.verdict {
                Verdict::New => false,
                Verdict::Gone => is_whole,
                Verdict::Worse | Verdict::Better => true,
            })
    }

    /// Number of points with comparable costs on both sides.
    pub fn in_common(&self) -> u64 {
        self.count(|tally| tally.equal + tally.better + tally.worse)
    }

    /// Compares the costs of one problem; `incomparable` names algorithms with another revision.
    pub fn add(&mut self, old: &Costs, new: &Costs, incomparable: &BTreeSet<String>) {
        let empty = BTreeMap::new();
        let Some(problem) = new.problem.or(old.problem) else {
            return;
        };
        self.left += new.left.clone();
        let failures = [&new.failed, &old.failed];
        let with_costs = old.algorithms.keys().chain(new.algorithms.keys());
        let names: BTreeSet<&String> = with_costs
            .chain(failures.iter().flat_map(|failed| failed.keys()))
            .collect();
        for name in names {
            let mut failed = BTreeMap::new();
            for (point, why) in failures.iter().filter_map(|all| all.get(name)).flatten() {
                failed.entry(point).or_insert(why);
            }
            let before = old.algorithms.get(name).unwrap_or(&empty);
            let now = new.algorithms.get(name).unwrap_or(&empty);
            let mut tally = Verdicts {
                algorithm: name.clone(),
                ..Verdicts::default()
            };
            if incomparable.contains(name) {
                tally.incomparable = before
                    .keys()
                    .chain(now.keys())
                    .collect::<BTreeSet<_>>()
                    .len() as u64;
            } else {
                tally.incomparable = failed.len() as u64;
                let points = before
                    .keys()
                    .chain(now.keys().filter(|point| !before.contains_key(*point)));
                for point in points.filter(|point| !failed.contains_key(point)) {
                    self.point(
                        &mut tally,
                        (point, problem),
                        before.get(point),
                        now.get(point),
                    );
                }
            }
            let named = |(point, why): (&&PointKey, &&String)| {
                format!("{name} {}: {why}", point.options(problem))
            };
            self.left.failed.extend(failed.iter().map(named));
            self.algorithms.push(tally);
        }
    }

    fn point(
        &mut self,
        tally: &mut Verdicts,
        (point, problem): (&PointKey, &Problem),
        old: Option<&Cost>,
        new: Option<&Cost>,
    ) {
        let (verdict, count) = match (old, new) {
            (Some(old), Some(new)) => match old.cost.cmp(&new.cost) {
                Ordering::Equal => {
                    tally.equal += 1;
                    tally.bound_moved += u64::from(old.lower_bound != new.lower_bound);
                    return;
                }
                Ordering::Less => (Verdict::Worse, &mut tally.worse),
                Ordering::Greater => (Verdict::Better, &mut tally.better),
            },
            (Some(_), None) => (Verdict::Gone, &mut tally.gone),
            (None, _) => (Verdict::New, &mut tally.new),
        };
        *count += 1;
        let ratio = old.zip(new).and_then(|(old, new)| {
            let [old, new] = [old, new].map(|cost| cost.cost.to_rational());
            (!old.is_zero()).then(|| new / old)
        });
        let order = Severity {
            ratio,
            rank: rank(&tally.algorithm),
            point: point.clone(),
        };
        self.changes.push(Change {
            verdict,
            algorithm: tally.algorithm.clone(),
            point: point.options(problem),
            old: old.map(|old| old.cost.to_string()),
            new: new.map(|new| new.cost.to_string()),
            lower_bound: new
                .or(old)
                .map(|cost| cost.lower_bound.to_string())
                .unwrap_or_default(),
            order,
        });
    }

    /// Sorts everything for printing.
    pub fn sorted(mut self) -> Self {
        self.algorithms
            .sort_by_key(|tally| (rank(&tally.algorithm), tally.algorithm.clone()));
        self.changes.sort_by(|one, other| {
            let by_verdict = (one.verdict as usize).cmp(&(other.verdict as usize));
            // Small improvements come last.
            let gain = if one.verdict == Verdict::Better {
                other
            } else {
                one
            };
            let loss = if one.verdict == Verdict::Better {
                one
            } else {
                other
            };
            let by_ratio = match (&gain.order.ratio, &loss.order.ratio) {
                (Some(first), Some(second)) => second.cmp(first),
                (first, second) => first.is_some().cmp(&second.is_some()),
            };
            let by_order =
                || (one.order.rank, &one.order.point).cmp(&(other.order.rank, &other.order.point));
            by_verdict.then(by_ratio).then_with(by_order)
        });
        self
    }

    /// The sum of a count over all algorithms.
    pub fn count(&self, of: impl Fn(&Verdicts) -> u64) -> u64 {
        self.algorithms.iter().map(of).sum()
    }
}

/// An algorithm's rank in the catalogue; unknown ones come last.
pub(super) fn rank(name: &str) -> usize {
    catalogue::find(name).map_or(usize::MAX, |entry| entry.rank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::column::Datum;
    use crate::record::{Row, Status};
    use crate::space::PointValues;

    fn costs(points: &[(&str, &str, &str, &str)]) -> Costs {
        let mut costs = Costs {
            problem: catalogue::problem("mesh-gossip"),
            ..Costs::default()
        };
        for &(algorithm, n, lower_bound, cost) in points {
            let exact = |text| Datum::parse(text).unwrap();
            let cost = Cost {
                lower_bound: exact(lower_bound),
                cost: exact(cost),
            };
            let problem = costs.problem.unwrap();
            let mut values = PointValues::none(problem.axes);
            values[0] = n.parse().ok();
            let row = Row::new(problem, algorithm.to_owned(), values, Status::Ok);
            costs
                .algorithms
                .entry(algorithm.to_owned())
                .or_default()
                .insert(PointKey::new(&row).unwrap(), cost);
        }
        costs
    }

    fn compared(old: &Costs, new: &Costs, incomparable: &[&str]) -> Comparison {
        let mut comparison = Comparison::default();
        comparison.add(
            old,
            new,
            &incomparable.iter().map(|&name| name.to_owned()).collect(),
        );
        comparison.sorted()
    }

    #[test]
    fn every_verdict() {
        let old = costs(&[
            ("gossip-coupled", "2", "3", "3"),
            ("gossip-coupled", "3", "6", "7"),
            ("gossip-coupled", "4", "10", "12"),
            ("gossip-coupled", "5", "15", "17"),
            ("gossip-coupled", "6", "21", "9/2"),
            ("gossip-coupled", "10", "0", "0"),
            ("gossip-optimal", "2", "3", "3"),
            ("vanished", "2", "3", "3"),
        ]);
        let new = costs(&[
            ("gossip-coupled", "2", "2", "3"),
            ("gossip-coupled", "3", "6", "8"),
            ("gossip-coupled", "4", "10", "11"),
            ("gossip-coupled", "6", "21", "14/3"),
            ("gossip-coupled", "7", "28", "31"),
            ("gossip-coupled", "10", "0", "1"),
            ("gossip-optimal", "2", "3", "4"),
            ("gossip-optimal", "3", "6", "6"),
        ]);
        let comparison = compared(&old, &new, &["gossip-optimal"]);
        let tally = |equal, better, worse, new, gone, incomparable, bound_moved| {
            (equal, better, worse, new, gone, incomparable, bound_moved)
        };
        let tallies: Vec<_> = comparison
            .algorithms
            .iter()
            .map(|t| {
                (
                    t.algorithm.as_str(),
                    tally(
                        t.equal,
                        t.better,
                        t.worse,
                        t.new,
                        t.gone,
                        t.incomparable,
                        t.bound_moved,
                    ),
                )
            })
            .collect();
        assert_eq!(
            tallies,
            [
                ("gossip-coupled", tally(1, 1, 3, 1, 1, 0, 1)),
                ("gossip-optimal", tally(0, 0, 0, 0, 0, 2, 0)),
                ("vanished", tally(0, 0, 0, 0, 1, 0, 0)),
            ]
        );
        // From 0 to 1 is worse than any ratio; 8/7 is worse than (14/3)/(9/2) = 28/27.
        let changes: Vec<_> = comparison
            .changes
            .iter()
            .map(|change| (change.verdict.word(), change.point.as_str()))
            .collect();
        assert_eq!(
            changes,
            [
                ("worse", "-n 10"),
                ("worse", "-n 3"),
                ("worse", "-n 6"),
                ("gone", "-n 5"),
                ("gone", "-n 2"),
                ("better", "-n 4"),
                ("new", "-n 7"),
            ]
        );
    }

    #[test]
    fn the_larger_gain_comes_first() {
        let old = costs(&[
            ("gossip-coupled", "2", "1", "10"),
            ("gossip-coupled", "3", "1", "10"),
        ]);
        let new = costs(&[
            ("gossip-coupled", "2", "1", "9"),
            ("gossip-coupled", "3", "1", "5"),
        ]);
        let points: Vec<_> = compared(&old, &new, &[])
            .changes
            .into_iter()
            .map(|change| change.point)
            .collect();
        assert_eq!(points, ["-n 3", "-n 2"]);
    }

    #[test]
    fn nothing_differs_from_itself() {
        let costs = costs(&[
            ("gossip-coupled", "2", "3", "3"),
            ("gossip-coupled", "3", "6", "20/3"),
        ]);
        let comparison = compared(&costs, &costs, &[]);
        assert!(comparison.changes.is_empty());
        assert_eq!(comparison.count(|tally| tally.equal), 2);
    }
}
