//! The costs in a directory, by algorithm and point: of a sweep, or of a baseline, which has some of the same columns.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Display;
use std::io;
use std::path::Path;

use algorithms::catalogue;
use algorithms::cost::Unit;
use algorithms::problem::{AnyProblem, Axis, Kind, spelled};
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use crate::failure::{Code, Failure};
use crate::output;
use crate::print::ci::Metric;
use crate::record::file_name;
use crate::record::row::{self, MAX_CHARACTERS};
use crate::units::{MAX_REPEATED, shortened};

/// The costs of one problem.
#[derive(Default)]
pub struct Costs {
    /// The problem; none without costs.
    pub problem: Option<&'static dyn AnyProblem>,
    /// By algorithm; points in the order of their texts.
    pub algorithms: BTreeMap<String, BTreeMap<PointKey, Cost>>,
}

/// Stands between the values of a point, before all printable characters; a file with a value that contains it is refused.
const SEPARATOR: char = '\u{1f}';

/// The values of a point in the order of [`point_columns`]: one text, because a baseline has 120,000 points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointKey(Box<str>);

/// The costs at a point as text: whole numbers or `num/den` in lowest terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The lower bound for any algorithm.
    pub lower_bound: Box<str>,
    /// The exact cost.
    pub cost: Box<str>,
}

/// An exact cost from its text; none if it is not a number, or longer than any cost.
#[must_use]
pub fn exact(text: &str) -> Option<BigRational> {
    // Most costs are whole numbers, which need no lowest terms.
    if let Ok(whole) = text.parse::<u64>() {
        return Some(BigRational::from_integer(whole.into()));
    }
    if text.len() > MAX_CHARACTERS {
        return None;
    }
    text.parse()
        .ok()
        .filter(|cost: &BigRational| !cost.is_negative())
}

impl<'a> FromIterator<&'a str> for PointKey {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        let values = Vec::from_iter(values);
        Self(values.join(SEPARATOR.encode_utf8(&mut [0; 4])).into())
    }
}

impl PointKey {
    /// The values.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.split(SEPARATOR)
    }

    /// A sort key: numbers sort by value, so 9 comes before 10.
    #[must_use]
    pub fn in_order(&self) -> Vec<(u64, String)> {
        self.values()
            .map(|value| (value.parse().unwrap_or(0), value.to_owned()))
            .collect()
    }

    /// The unit of a cost at the point.
    #[must_use]
    pub fn unit(&self, problem: &dyn AnyProblem) -> &'static str {
        let profile = problem
            .axes()
            .iter()
            .find(|axis| axis.kind == Kind::Profile)
            .map(|axis| axis.columns[0]);
        let mut columns = point_columns(problem).into_iter().zip(self.values());
        let on_profile = columns.any(|(name, value)| Some(name) == profile && !value.is_empty());
        if on_profile {
            Unit::Nanoseconds
        } else {
            problem.unit(&[])
        }
        .plural()
    }

    /// The options of `castbench cost` for the point.
    #[must_use]
    pub fn options(&self, problem: &dyn AnyProblem) -> String {
        let mut values = self.values();
        let mut options: Vec<String> = Vec::new();
        let mut on_profile = false;
        for (axis, columns) in identifying(problem) {
            let own: Vec<&str> = columns
                .iter()
                .map(|_| values.next().unwrap_or_default())
                .collect();
            on_profile |= axis.kind == Kind::Profile && !own[0].is_empty();
            // A profile implies the axes of a model.
            if own.iter().all(|value| !value.is_empty()) && axis.applies(on_profile) {
                options.push(format!("{} {}", axis.option(), own.join("x")));
            }
        }
        options.join(" ")
    }
}

/// The axes that identify the points of a problem, with the columns that do: of a profile only its name.
fn identifying(
    problem: &dyn AnyProblem,
) -> impl Iterator<Item = (&'static Axis, &'static [&'static str])> {
    let columns = |axis: &'static Axis| {
        if axis.kind == Kind::Profile {
            &axis.columns[..1]
        } else {
            axis.columns
        }
    };
    problem
        .axes()
        .iter()
        .filter(|axis| !axis.samples)
        .map(move |axis| (axis, columns(axis)))
}

/// The columns that identify the points of a problem.
#[must_use]
pub fn point_columns(problem: &dyn AnyProblem) -> Vec<&'static str> {
    identifying(problem)
        .flat_map(|(_, columns)| columns)
        .copied()
        .collect()
}

/// The column of the lower bound.
pub const LOWER_BOUND: &str = "lower_bound";
/// The column of the exact cost.
pub const COST: &str = "analytic";

/// A column of a file that identifies points.
struct KeyColumn {
    /// None in a file older than its axis: all rows then have the default.
    index: Option<usize>,
    default: String,
    /// Whether a profile determines it: L, o and g do not identify a point on a profile.
    is_implied: bool,
}

impl Costs {
    /// Reads a problem's file in a directory; `None` if there is none.
    ///
    /// # Errors
    /// Exit code 8 for a file without the current columns, or with two costs for a point; 74 if it cannot be read.
    pub fn read(
        directory: &Path,
        problem: &'static dyn AnyProblem,
    ) -> Result<Option<Self>, Failure> {
        let path = directory.join(file_name(problem));
        if !path.exists() {
            return Ok(None);
        }
        let file = output::open_lines(&path).map_err(|error| Failure::read(&path, error))?;
        Self::from_csv(problem, file, &path).map(Some)
    }

    /// Reads the rows of a problem from `path`.
    ///
    /// # Errors
    /// Exit code 8 for missing columns or two costs of one point, 74 for a row that cannot be read.
    pub fn from_csv(
        problem: &'static dyn AnyProblem,
        rows: impl io::Read,
        path: &Path,
    ) -> Result<Self, Failure> {
        let failed = |error: csv::Error| Failure::read(path, error);
        let mut reader = csv::Reader::from_reader(rows);
        let header = reader.headers().map_err(failed)?.clone();
        let position = |name: &str| header.iter().position(|own| own == name);
        let needed = |name: &str| {
            position(name).ok_or_else(|| {
                let explanation = format_args!(
                    "`{}` has no column `{name}`; it was written by a different version of castbench",
                    path.display()
                );
                Failure::new(Code::Incomparable, explanation)
            })
        };
        let algorithm = needed("algorithm")?;
        let columns = identifying(problem)
            .flat_map(|(axis, names)| names.iter().map(move |name| (*name, axis)));
        let column = |(name, axis): (&'static str, &Axis)| {
            let index = axis
                .default
                .map_or_else(|| needed(name).map(Some), |_| Ok(position(name)))?;
            let default = axis
                .default
                .map_or_else(String::new, |default| spelled(axis, default).into_owned());
            Ok(KeyColumn {
                index,
                default,
                is_implied: !axis.applies(true),
            })
        };
        let point = columns.map(column).collect::<Result<Vec<_>, Failure>>()?;
        let profile = problem
            .axes()
            .iter()
            .find(|axis| axis.kind == Kind::Profile)
            .and_then(|axis| position(axis.columns[0]));
        let (lower_bound, analytic) = (needed(LOWER_BOUND)?, needed(COST)?);
        let simulated = position("simulated").unwrap_or(analytic);
        // An algorithm of a user can have no formula; comparing two sweeps knows only its name.
        let is_given = |name: &str| catalogue::find(name).is_none_or(|entry| entry.is_given);
        let mut costs = Self {
            problem: Some(problem),
            ..Self::default()
        };
        for row in reader.records() {
            let row = row.map_err(failed)?;
            let cost = if row[analytic].is_empty() && is_given(&row[algorithm]) {
                simulated
            } else {
                analytic
            };
            // A point that does not apply has no cost.
            if row[cost].is_empty() {
                continue;
            }
            let refused = |reason: &dyn Display| {
                let line = row.position().map_or(0, csv::Position::line);
                Failure::read(path, format_args!("line {line}: {reason}"))
            };
            if let Some(wrong) = [cost, lower_bound]
                .into_iter()
                .find(|&at| exact(&row[at]).is_none())
            {
                return Err(refused(&format_args!(
                    "`{}` is not a cost",
                    shortened(&row[wrong], MAX_REPEATED)
                )));
            }
            if row.as_slice().contains(SEPARATOR) {
                return Err(refused(
                    &"the row holds U+001F, a character that castbench never writes",
                ));
            }
            let on_profile = profile.is_some_and(|at| !row::text(&row[at]).is_empty());
            let values = point.iter().map(|column| match column.index {
                _ if on_profile && column.is_implied => "",
                Some(index) => row::text(&row[index]),
                None => column.default.as_str(),
            });
            let point = PointKey::from_iter(values);
            let found = Cost {
                lower_bound: row[lower_bound].into(),
                cost: row[cost].into(),
            };
            let known = costs
                .algorithms
                .entry(row[algorithm].to_owned())
                .or_default();
            match known.entry(point) {
                Entry::Vacant(place) => _ = place.insert(found),
                Entry::Occupied(other) if *other.get() == found => {}
                Entry::Occupied(other) => {
                    let (at, other) = (other.key().options(problem), &other.get().cost);
                    let explanation = format_args!(
                        "two costs for {} {at}: {other} and {}",
                        &row[algorithm], found.cost
                    );
                    return Err(Failure::new(
                        Code::Incomparable,
                        format_args!("`{}` holds {explanation}", path.display()),
                    ));
                }
            }
        }
        Ok(costs)
    }
}

impl Costs {
    /// Each cost under its algorithm and point.
    #[must_use]
    pub fn metrics(&self) -> Vec<Metric> {
        let Some(problem) = self.problem else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (name, points) in &self.algorithms {
            for (point, cost) in points {
                let value = exact(&cost.cost).and_then(|cost| cost.to_f64());
                let metric = |value| {
                    let name = format!("{name} {}", point.options(problem));
                    Metric {
                        name,
                        unit: point.unit(problem),
                        value,
                    }
                };
                all.extend(value.map(metric));
            }
        }
        all
    }
}

/// Ratios of an algorithm's costs to their lower bounds.
#[derive(Default)]
pub struct OverBound<'a> {
    /// Number of points at the lower bound.
    pub at_bound: u64,
    /// The sum of all ratios of cost to lower bound, rounded; 0/0 counts as 1.
    pub sum: f64,
    /// The largest ratio and its point; of several points the first in numeric order.
    pub worst: Option<(BigRational, &'a PointKey)>,
}

impl<'a> OverBound<'a> {
    /// Over these points.
    #[must_use]
    pub fn new(points: &'a BTreeMap<PointKey, Cost>) -> Self {
        let mut over = Self::default();
        for (point, cost) in points {
            let (Some(bound), Some(cost)) = (exact(&cost.lower_bound), exact(&cost.cost)) else {
                continue;
            };
            over.at_bound += u64::from(bound == cost);
            let ratio = if bound.is_zero() {
                BigRational::one()
            } else {
                cost / bound
            };
            over.sum += ratio.to_f64().unwrap_or(f64::NAN);
            let is_worse = |(known, at): &(BigRational, &PointKey)| {
                ratio > *known || (ratio == *known && point.in_order() < at.in_order())
            };
            if over.worst.as_ref().is_none_or(is_worse) {
                over.worst = Some((ratio, point));
            }
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reading a number is quadratic in its digits: a million of them took minutes.
    #[test]
    fn no_cost_has_a_million_digits() {
        assert_eq!(exact("9/6"), exact("3/2"));
        assert!(exact(&"9".repeat(MAX_CHARACTERS)).is_some());
        assert!(exact(&"9".repeat(MAX_CHARACTERS + 1)).is_none());
        assert!(exact("-1").is_none() && exact("1/0").is_none() && exact("").is_none());
    }

    #[test]
    fn a_point_is_written_as_options() {
        let options = |problem, values: &[&str]| {
            let problem = catalogue::problem(problem).unwrap();
            assert_eq!(values.len(), point_columns(problem).len());
            PointKey::from_iter(values.iter().copied()).options(problem)
        };
        assert_eq!(
            options("logp-multicast", &["", "", "6", "2", "4", "18", "1"]),
            "-L 6 -o 2 -g 4 -K 18 --source 1"
        );
        assert_eq!(
            options(
                "logp-multicast",
                &["ethernet100-held", "1048576", "1", "2", "3", "18", "1"]
            ),
            "--machine ethernet100-held --bytes 1048576 -K 18 --source 1"
        );
        assert_eq!(
            options("logp-summation", &["5", "2", "4", "7", "82"]),
            "-L 5 -o 2 -g 4 -P 7 --operands 82"
        );
        assert_eq!(
            options("mesh-multicast", &["8", "9", "3"]),
            "--mesh 8x9 -K 3"
        );
        assert_eq!(options("mesh-gossip", &["8"]), "-n 8");
        assert_eq!(
            options("k-port-broadcast", &["100", "3", "17"]),
            "-n 100 -k 3 -m 17"
        );
        assert_eq!(
            options(
                "broadcast",
                &[
                    "", "", "6", "2", "4", "8", "64", "0", "16", "1", "duplex", "1"
                ]
            ),
            "-L 6 -o 2 -g 4 -K 8 -n 64 --root 0 -m 16 --element 1 --ports duplex -k 1"
        );
        assert_eq!(
            options(
                "broadcast",
                &[
                    "ethernet100-held",
                    "1048576",
                    "",
                    "",
                    "",
                    "8",
                    "",
                    "1",
                    "16"
                ]
            ),
            "--machine ethernet100-held --bytes 1048576 -K 8 -k 1 -m 16"
        );
        assert_eq!(
            options(
                "wormhole-multicast",
                &["8", "8", "16", "1", "2", "100", "3", "1", "64", "50", "7"]
            ),
            "--mesh 8x8 -K 16 -k 1 -m 2 --startup 100 --hop 3 --flit 1 --flits 64 --trials 50 --seed 7"
        );
    }

    /// A value with the separator could make two points equal.
    #[test]
    fn no_value_holds_the_separator() {
        let gossip = catalogue::problem("mesh-gossip").unwrap();
        let read = |n: &str| {
            let text = format!(
                "algorithm,n_side_nodes,lower_bound,analytic\ngossip-optimal,7,3,3\ngossip-optimal,{n},3,3\n"
            );
            Costs::from_csv(gossip, text.as_bytes(), Path::new("gossip.csv"))
                .map(|costs| costs.algorithms["gossip-optimal"].len())
        };
        assert_eq!(read("8").ok(), Some(2));
        let failure = read("8\u{1f}9").err().unwrap();
        assert_eq!(failure.code, Code::Output);
        assert!(
            failure
                .message
                .ends_with("line 3: the row holds U+001F, a character that castbench never writes")
        );
    }

    /// A baseline from before an axis holds points at its default.
    #[test]
    fn a_missing_axis_has_its_default() {
        let barrier = catalogue::problem("barrier").unwrap();
        let read = |text: &str| Costs::from_csv(barrier, text.as_bytes(), Path::new("barrier.csv"));
        let old = "algorithm,machine,L_time,o_time,g_time,K_nodes,lower_bound,analytic\nbarrier-linear,,6,2,4,3,14,24\n";
        let new = "algorithm,machine,L_time,o_time,g_time,K_nodes,r_radix,k_ports,lower_bound,analytic\n\
                   barrier-linear,,6,2,4,3,2,1,14,24\n";
        let [old_costs, new_costs] = [old, new].map(|text| read(text).ok().unwrap().algorithms);
        assert_eq!(old_costs, new_costs);
        assert!(
            read(&old.replace("K_nodes", "K_ranks"))
                .err()
                .unwrap()
                .message
                .contains("has no column `K_nodes`")
        );
    }

    /// L, o and g follow from a profile: a baseline without them has the same points.
    #[test]
    fn a_profile_identifies_a_point_without_its_times() {
        let gather = catalogue::problem("gather").unwrap();
        let read = |times: &str, machine: &str| {
            let text = format!(
                "algorithm,machine,message_bytes,L_time,o_time,g_time,K_nodes,n_words,c_per_word,root,lower_bound,analytic\n\
                 gather-linear,{machine},{times},4,,0,0,14,24\n"
            );
            Costs::from_csv(gather, text.as_bytes(), Path::new("gather.csv"))
                .ok()
                .unwrap()
                .algorithms
        };
        assert_eq!(read("64,,,", "mine"), read("64,9,2,4", "mine"));
        assert_ne!(read(",6,2,5", ""), read(",6,2,4", ""));
    }

    #[test]
    fn points_are_in_order_of_their_numbers() {
        let point = |values: [&str; 2]| PointKey::from_iter(values);
        let (nine, ten) = (point(["", "9"]), point(["", "10"]));
        assert!(nine.in_order() < ten.in_order() && nine > ten);
    }
}
