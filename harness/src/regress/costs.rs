//! The costs in a directory, by algorithm and point: of a sweep, or of a baseline, which has some of the same columns.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::AddAssign;
use std::path::Path;

#[cfg(test)]
use algorithms::catalogue;
use algorithms::cost::{Exact, Unit};
use algorithms::problem::{Axis, Kind, Problem, spelled};
use num_rational::BigRational;
use num_traits::{One as _, ToPrimitive as _, Zero as _};

use crate::base::failure::Result;
use crate::base::units::{grouped, joined, plural};
use crate::output;
use crate::print::ci::Metric;
use crate::print::column::{self, Column, Reader};
use crate::record::on_network;
use crate::record::row;
use crate::record::{Row, Status, file_name, rounded};
use crate::space::PointValues;

/// The costs of one problem.
#[derive(Default)]
pub struct Costs {
    /// The problem; none without costs.
    pub problem: Option<&'static Problem>,
    /// By algorithm; points in the order of their numbers.
    pub algorithms: BTreeMap<String, BTreeMap<PointKey, Cost>>,
    /// Why points have no cost that can be compared, by algorithm: they failed, or their costs disagree.
    pub failed: BTreeMap<String, BTreeMap<PointKey, String>>,
    /// What of its rows is no cost.
    pub left: Left,
}

/// What a comparison of costs leaves out.
#[derive(Debug, Default, Clone)]
pub struct Left {
    /// Points that failed on either side, or whose costs disagree, with the reason.
    pub failed: Vec<String>,
    /// Points without a formula that are too large for an execution, or have a mean of random ones.
    pub unknown: u64,
    /// Points with times of the links of a network.
    pub on_networks: u64,
}

impl Left {
    /// A sentence on the points that failed.
    pub fn failures(&self) -> Option<String> {
        const SHOWN: usize = 3;
        let count = self.failed.len();
        let more = count.saturating_sub(SHOWN) as u64;
        (count > 0).then(|| {
            let shown = joined("; ", self.failed.iter().take(SHOWN));
            let more = if more > 0 {
                format!("; and {} more", grouped(more))
            } else {
                String::new()
            };
            format!(
                "{} without a cost to compare: {shown}{more}",
                plural(count as u64, "point")
            )
        })
    }

    /// A sentence for each kind.
    pub fn statements(&self) -> impl Iterator<Item = String> {
        let failed = self.failures();
        let unknown = "without an exact cost: no formula, and an execution is too large, or a mean of random ones";
        let on_networks = "on networks: their costs are compared, the times of links are not";
        let all = [(self.unknown, unknown), (self.on_networks, on_networks)];
        let some = all.into_iter().filter(|(points, _)| *points > 0);
        let statement = |(points, what)| format!("{} {what}", plural(points, "point"));
        failed.into_iter().chain(some.map(statement))
    }
}

impl AddAssign for Left {
    fn add_assign(&mut self, other: Self) {
        self.failed.extend(other.failed);
        self.unknown += other.unknown;
        self.on_networks += other.on_networks;
    }
}

/// What identifies a point: its machine profile, and the values of its axes without those that a profile determines and those
/// that only sample.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PointKey {
    machine: Option<Box<str>>,
    /// Of the axes that decide, in their order: the bytes of each number, the highest first, which sort as the numbers do and
    /// compare in one call.
    values: Box<[u8]>,
}

/// The axes that identify a point, with their indices, beside the profile.
fn deciding(problem: &Problem, on_machine: bool) -> impl Iterator<Item = (usize, &'static Axis)> {
    let axes = problem.axes.iter().enumerate();
    axes.filter(move |(_, axis)| {
        axis.kind != Kind::Profile && !axis.samples && axis.applies(on_machine)
    })
}

/// The costs at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The lower bound for any algorithm.
    pub lower_bound: Exact,
    /// The exact cost.
    pub cost: Exact,
}

impl PointKey {
    /// The point of a row.
    ///
    /// # Errors
    /// An axis without a value.
    pub fn new(row: &Row) -> Result<Self, String> {
        let machine = row.machine().map(Box::from);
        let value = |(index, axis): (usize, &Axis)| {
            row.values[index]
                .map(u64::to_be_bytes)
                .ok_or_else(|| format!("a row of {} without {}", row.algorithm, axis.key))
        };
        Ok(Self {
            values: deciding(row.problem, machine.is_some())
                .map(value)
                .collect::<Result<Vec<_>, _>>()?
                .concat()
                .into(),
            machine,
        })
    }

    /// Its values, with their axes.
    fn values(&self, problem: &Problem) -> impl Iterator<Item = ((usize, &'static Axis), u64)> {
        let values = self.values.as_chunks().0.iter();
        deciding(problem, self.machine.is_some())
            .zip(values.map(|value| u64::from_be_bytes(*value)))
    }

    /// The row of an algorithm at the point.
    pub fn row(&self, problem: &'static Problem, algorithm: &str, cost: &Cost) -> Row {
        let mut values = PointValues::none(problem.axes);
        for ((index, _), value) in self.values(problem) {
            values[index] = Some(value);
        }
        let machine = self.machine.as_deref();
        Row {
            machine: machine.map(|name| (name.to_owned(), String::new())),
            lower_bound: Some(cost.lower_bound.clone()),
            analytic: Some(cost.cost.clone()),
            ..Row::new(problem, algorithm.to_owned(), values, Status::Ok)
        }
    }

    /// The unit of a cost at the point.
    pub fn unit(&self, problem: &Problem) -> &'static str {
        match self.machine {
            Some(_) => Unit::Nanoseconds,
            None => problem.unit(&[]),
        }
        .plural()
    }

    /// The options of `castbench cost` for the point.
    pub fn options(&self, problem: &Problem) -> String {
        let profile = problem.axes.iter().find(|axis| axis.kind == Kind::Profile);
        let machine = profile.zip(self.machine.as_deref());
        let machine = machine.map(|(axis, name)| format!("{} {name}", axis.option()));
        let values = self.values(problem);
        let values =
            values.map(|((_, axis), value)| format!("{} {}", axis.option(), spelled(axis, value)));
        joined(" ", machine.into_iter().chain(values))
    }
}

/// The column of the exact cost.
pub const COST: &str = "analytic";

/// The columns of a baseline: of the rows of a sweep those that identify points, and two costs.
pub fn columns(problem: &Problem) -> Vec<Column<'static, Row>> {
    let of_axis = |axis: &Axis| {
        if axis.kind == Kind::Profile {
            &axis.columns[..1]
        } else {
            axis.columns
        }
    };
    let axes = problem.axes.iter().filter(|axis| !axis.samples);
    let names: Vec<&str> = axes.flat_map(of_axis).copied().collect();
    let is_own =
        |name: &str| [row::ALGORITHM, "lower_bound", COST].contains(&name) || names.contains(&name);
    let mut columns = row::columns(problem);
    columns.retain(|column| is_own(&column.name));
    columns
}

impl Costs {
    /// No costs yet.
    pub fn new(problem: &'static Problem) -> Self {
        Self {
            problem: Some(problem),
            ..Self::default()
        }
    }

    /// Adds the cost of a row; a point that does not apply has none.
    ///
    /// # Errors
    /// Two costs of one point, or one without a lower bound or a value of an axis.
    pub fn add(&mut self, row: Row) -> Result<(), String> {
        let point = PointKey::new(&row)?;
        self.left.on_networks += u64::from(row.on_network.is_some());
        if let Some(why) = row.failure() {
            self.failed
                .entry(row.algorithm)
                .or_default()
                .insert(point, why);
            return Ok(());
        }
        // Where no formula holds, the cost is that of the execution, if that is not a mean of random ones.
        let is_mean = row.problem.fractions;
        let Some(cost) = row.analytic.or(row.simulated.filter(|_| !is_mean)) else {
            self.left.unknown += u64::from(row.status == Status::Ok);
            return Ok(());
        };
        let no_bound = || format!("a cost of {} without a lower bound", row.algorithm);
        let lower_bound = row.lower_bound.ok_or_else(no_bound)?;
        let cost = Cost { lower_bound, cost };
        let known = match self.algorithms.get_mut(&row.algorithm) {
            Some(known) => known,
            None => self.algorithms.entry(row.algorithm.clone()).or_default(),
        };
        match known.entry(point) {
            Entry::Vacant(place) => _ = place.insert(cost),
            Entry::Occupied(other) if *other.get() == cost => {}
            Entry::Occupied(other) => {
                let (at, other) = (other.key().options(row.problem), &other.get().cost);
                let algorithm = row.algorithm;
                return Err(format!(
                    "two costs for {algorithm} {at}: {other} and {}",
                    cost.cost
                ));
            }
        }
        Ok(())
    }

    /// Reads a problem's file in a directory; `None` if there is none.
    ///
    /// # Errors
    /// Exit code 8 for a file without the current columns, or with two costs for a point; 74 if it cannot be read.
    pub fn read(directory: &Path, problem: &'static Problem) -> Result<Option<Self>> {
        let path = directory.join(file_name(problem));
        if !path.exists() {
            return Ok(None);
        }
        let lines = output::open_lines(&path).map_err(output::unread(&path))?;
        let mut file = csv::Reader::from_reader(lines);
        // A baseline has costs only.
        let lacking = |column: Column<'static, Row>| match &*column.name {
            "simulated" => Some(column.lacking("")),
            "status" => Some(column.lacking(Status::Ok.word())),
            "note" => Some(column.lacking("none")),
            _ => None,
        };
        let swept = row::columns(problem).into_iter().filter_map(lacking);
        let columns = columns(problem).into_iter().chain(swept);
        let header = file.headers().map_err(output::unread(&path))?;
        let network = header.iter().position(|name| name == on_network::NETWORK);
        let incomparable = |wrong: String| failure!(Incomparable, "`{}` {wrong}", path.display());
        let reader = Reader::new(columns, header).map_err(|missing| {
            incomparable(format!(
                "has no column `{missing}`; it was written by a different version of castbench"
            ))
        })?;
        let (mut costs, mut twice) = (Self::new(problem), None);
        let read = column::each(&mut file, |record| {
            let values = PointValues::none(problem.axes);
            let mut row = Row::new(problem, String::new(), values, Status::Ok);
            reader.read(record, &mut row)?;
            let name = network.and_then(|network| record.get(network));
            costs.left.on_networks += u64::from(name.is_some_and(|name| !name.is_empty()));
            costs
                .add(row)
                .inspect_err(|wrong| twice = Some(wrong.clone()))
        });
        if let Some(wrong) = twice {
            return Err(incomparable(format!("holds {wrong}")));
        }
        read.map_err(output::unread(&path))?;
        Ok(Some(costs))
    }

    /// Each cost under its algorithm and point.
    pub fn metrics(&self) -> Vec<Metric> {
        let Some(problem) = self.problem else {
            return Vec::new();
        };
        let of = |(name, points): (&String, &BTreeMap<PointKey, Cost>)| {
            let metric = |(point, cost): (&PointKey, &Cost)| {
                Some(Metric {
                    name: format!("{name} {}", point.options(problem)),
                    unit: point.unit(problem),
                    value: rounded(&cost.cost)?,
                })
            };
            points.iter().filter_map(metric).collect::<Vec<_>>()
        };
        self.algorithms.iter().flat_map(of).collect()
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
    pub fn new(points: &'a BTreeMap<PointKey, Cost>) -> Self {
        let mut over = Self::default();
        for (point, cost) in points {
            over.at_bound += u64::from(cost.lower_bound == cost.cost);
            let bound = cost.lower_bound.to_rational();
            let ratio = if bound.is_zero() {
                BigRational::one()
            } else {
                cost.cost.to_rational() / bound
            };
            over.sum += ratio.to_f64().unwrap_or(f64::NAN);
            if over.worst.as_ref().is_none_or(|(known, _)| ratio > *known) {
                over.worst = Some((ratio, point));
            }
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::print::column::{self, Datum as _, MAX_CHARACTERS};

    /// The points of a file, each with its costs.
    fn read(problem: &str, text: &str) -> Result<Vec<(PointKey, Cost)>> {
        let problem = catalogue::problem(problem).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(file_name(problem)), text).unwrap();
        let costs = Costs::read(directory.path(), problem)?.unwrap_or_default();
        Ok(costs.algorithms.into_values().flatten().collect())
    }

    /// Reading a number is quadratic in its digits: a million of them took minutes.
    #[test]
    fn no_cost_has_a_million_digits() {
        let exact = |text: &str| Exact::parse(text);
        assert_eq!(exact("9/6"), exact("3/2"));
        assert!(exact(&"9".repeat(MAX_CHARACTERS + 1)).is_none());
        assert!(exact("-1").is_none() && exact("1/0").is_none() && exact("").is_none());
    }

    #[test]
    fn a_point_is_written_as_options() {
        let options = |name, values: &[&str]| {
            let problem = catalogue::problem(name).unwrap();
            let header = String::from_utf8(column::header(&columns(problem))).unwrap();
            let text = format!("{header}\nx,{},3,3\n", values.join(","));
            let points = read(name, &text).ok().unwrap();
            points[0].0.options(problem)
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
                    "0",
                    "16",
                    "1",
                    "duplex",
                    "1"
                ]
            ),
            "--machine ethernet100-held --bytes 1048576 -K 8 --root 0 -m 16 --element 1 --ports duplex -k 1"
        );
        assert_eq!(
            options(
                "wormhole-multicast",
                &["8", "8", "16", "1", "2", "100", "3", "1", "64", "50", "7"]
            ),
            "--mesh 8x8 -K 16 -k 1 -m 2 --startup 100 --hop 3 --flit 1 --flits 64 --trials 50 --seed 7"
        );
    }

    /// A baseline from before an axis holds points at its default.
    #[test]
    fn a_missing_axis_has_its_default() {
        let read = |text: &str| read("barrier", text);
        let old = "algorithm,machine,L_time,o_time,g_time,K_nodes,lower_bound,analytic\nbarrier-linear,,6,2,4,3,14,24\n";
        let new = "algorithm,machine,L_time,o_time,g_time,K_nodes,r_radix,k_ports,lower_bound,analytic\n\
                   barrier-linear,,6,2,4,3,2,1,14,24\n";
        let [old_costs, new_costs] = [old, new].map(|text| read(text).ok().unwrap());
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
        let read = |times: &str, machine: &str| {
            let text = format!(
                "algorithm,machine,message_bytes,L_time,o_time,g_time,K_nodes,n_words,c_per_word,root,lower_bound,analytic\n\
                 gather-linear,{machine},{times},4,64,0,0,14,24\n"
            );
            read("gather", &text).ok().unwrap()
        };
        assert_eq!(read("64,,,", "mine"), read("64,9,2,4", "mine"));
        assert_ne!(read(",6,2,5", ""), read(",6,2,4", ""));
    }

    #[test]
    fn points_are_in_order_of_their_numbers() {
        let text = "algorithm,n_side_nodes,lower_bound,analytic\ngossip-optimal,10,3,3\ngossip-optimal,9,3,3\n";
        let points = read("mesh-gossip", text).ok().unwrap();
        let options = points
            .iter()
            .map(|(point, _)| point.options(catalogue::problem("mesh-gossip").unwrap()));
        assert!(options.eq(["-n 9", "-n 10"]));
    }
}
