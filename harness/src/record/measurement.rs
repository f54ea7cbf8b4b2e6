//! The rows of a measurement's three files.

use std::cmp::Ordering;

use algorithms::catalogue;
use algorithms::problem::{Entry, Kind};
use measure::library::Library;
use measure::statistics::CONFIDENCE;

use crate::base::units::plural;
use crate::libraries;
use crate::print::column::{Column, Tabled, tabled};

/// The file of the executions.
pub const MEASUREMENTS: &str = "measurements.csv";
/// The file of the nodes.
pub const NODES: &str = "nodes.csv";
/// The file of the points.
pub const SUMMARY: &str = "summary.csv";

/// What executes a measured point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// The program of an algorithm of the catalogue, message by message.
    Program(Entry),
    /// The MPI library.
    Library(Library),
}

impl Algorithm {
    /// The algorithm of this name.
    pub fn find(name: &str) -> Option<Self> {
        catalogue::find(name)
            .map(Self::Program)
            .or_else(|| Library::named(name).map(Self::Library))
    }

    /// The algorithm of the catalogue with its axes; for a function of the library, the first of its problem.
    pub fn entry(self) -> Entry {
        match self {
            Self::Program(entry) => entry,
            Self::Library(library) => *catalogue::entries()
                .iter()
                .find(|entry| entry.problem().name == problem(library))
                .unwrap_or(&catalogue::entries()[0]),
        }
    }

    /// Its name in configurations and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Program(entry) => entry.name,
            Self::Library(library) => library.name(),
        }
    }

    /// Its rank in reports: that of the catalogue, the library last.
    pub fn rank(self) -> usize {
        match self {
            Self::Program(entry) => entry.rank(),
            Self::Library(library) => catalogue::entries().len() + library as usize,
        }
    }
}

/// The problem of the catalogue that a function of the library solves.
fn problem(library: Library) -> &'static str {
    match library {
        Library::Bcast | Library::Ibcast => "logp-multicast",
        _ => libraries::functions()
            .find(|function| function.name == library.name())
            .map_or("", |function| function.collective),
    }
}

tabled! {
    /// `measurements.csv`: one execution of a program, its bytes checked at every node.
    #[derive(Debug, Clone)]
    pub struct ExecutionRow {
        /// place of the execution in the random order; warm-ups have numbers but no rows
        pub number: u64,
        /// `name` of a `[[measurement]]`
        pub measurement: String,
        /// `tcp`, `emulated` or `mpi`
        pub transport: String,
        /// name in the catalogue, or function of the MPI library
        pub algorithm: String,
        /// nodes, the source included
        pub K: u32,
        /// values of further axes, as `k=1 m=16`; the column is missing if no point has any
        pub axes: Option<String>,
        /// position of the source; empty if the algorithm has none
        pub source: Option<u32>,
        /// length of the message
        pub bytes: u64,
        /// number of hosts
        pub hosts: u32,
        /// `round-robin`, `neighbours`, `block`, `list` of a machine, or `launched` by MPI's launcher
        pub mapping: String,
        /// relay delay, ps per further byte
        pub hold_ps_per_byte: u64,
        /// name of the machine profile for which the program was made
        pub machine: String,
        /// repetition of this point, from 1
        pub repetition: u32,
        /// from the start of the first node that begins until the last node is done
        pub completion_ns: u64,
        /// largest error of the hosts' clocks; 0 for one clock
        pub clock_error_ns: u64,
    }
}

tabled! {
    /// `nodes.csv`: the times of a node in an execution, from the start of the first node.
    #[derive(Debug, Clone)]
    pub struct NodeRow {
        /// place of the execution in the random order; warm-ups have numbers but no rows
        pub number: u64,
        /// position of the node, from 1
        pub node: u32,
        /// its host
        pub host: String,
        /// node that sent all its messages; empty if there is none, or if the MPI library decides
        pub sender: Option<u32>,
        /// when its last byte arrived; for a node that receives nothing, its start
        pub received_ns: u64,
        /// when its relay delay and its last computation ended
        pub held_ns: u64,
        /// when the last send was acknowledged; empty if the node sends nothing
        pub sent_ns: Option<u64>,
    }
}

tabled! {
    /// `summary.csv`: all repetitions of a point.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SummaryRow {
        /// `name` of a `[[measurement]]`
        pub measurement: String,
        /// `tcp`, `emulated` or `mpi`
        pub transport: String,
        /// name in the catalogue, or function of the MPI library
        pub algorithm: String,
        /// nodes, the source included
        pub K: u32,
        /// values of further axes, as `k=1 m=16`; the column is missing if no point has any
        pub axes: Option<String>,
        /// position of the source; empty if the algorithm has none
        pub source: Option<u32>,
        /// length of the message
        pub bytes: u64,
        /// number of hosts
        pub hosts: u32,
        /// `round-robin`, `neighbours`, `block`, `list` of a machine, or `launched` by MPI's launcher
        pub mapping: String,
        /// relay delay, ps per further byte
        pub hold_ps_per_byte: u64,
        /// name of the machine profile for which the program was made
        pub machine: String,
        /// number of completion times
        pub repetitions: usize,
        /// their median
        pub median_ns: u64,
        /// lower end of the interval for the true median
        pub low_ns: u64,
        /// upper end of that interval
        pub high_ns: u64,
        /// probability that the interval contains the true median, rounded
        pub coverage_f64: f64,
        /// least time
        pub least_ns: u64,
        /// greatest time
        pub greatest_ns: u64,
        /// prediction of the machine profile, with its levels, under LogP; empty for functions of the MPI library
        pub model_ns: Option<u64>,
        /// the same with the nodes of a host sharing its link; only of trees, on a profile without levels
        pub link_sharing_ns: Option<u64>,
        beside:
        /// How its measurement ended and what it has, if executions are missing.
        pub unfinished: Option<String>,
    }
}

/// The columns of such rows. There is none for further axes if no point has any.
pub fn columns<T: Tabled>(have_axes: bool) -> Vec<Column<'static, T>> {
    let mut columns = T::columns();
    columns.retain(|column| have_axes || column.name != "axes");
    columns
}

impl SummaryRow {
    /// Whether each node had its own host.
    pub fn has_own_hosts(&self) -> bool {
        self.hosts == self.K
    }

    /// Its number on this axis.
    pub fn value(&self, key: &str) -> Option<u64> {
        match key {
            "K" => Some(self.K.into()),
            "source" => self.source.map(u64::from),
            "bytes" => Some(self.bytes),
            "hosts" => Some(self.hosts.into()),
            "hold_ps_per_byte" => Some(self.hold_ps_per_byte),
            _ => {
                let mut axes = self
                    .axes
                    .iter()
                    .flat_map(|axes| axes.split(' '))
                    .filter_map(|axis| axis.split_once('='));
                let value = axes.find(|(own, _)| *own == key).map(|(_, value)| value)?;
                match catalogue::axes()
                    .iter()
                    .find(|axis| axis.key == key)
                    .map(|axis| axis.kind)
                {
                    Some(Kind::Word(words)) => words
                        .iter()
                        .position(|word| *word == value)
                        .map(|index| index as u64),
                    _ => value.parse().ok(),
                }
            }
        }
    }

    /// Its name on this axis. With a host per node, all mappings are equal.
    pub fn name(&self, key: &str) -> Option<&str> {
        match key {
            "machine" => Some(&self.machine),
            "measurement" => Some(&self.measurement),
            "mapping" => (!self.has_own_hosts()).then_some(&*self.mapping),
            _ => None,
        }
    }

    /// The placement in words.
    pub fn placing(&self) -> String {
        placing((!self.has_own_hosts()).then_some((self.hosts, self.mapping.as_str())))
    }

    /// The best available prediction; none for functions of the MPI library.
    pub fn predicted_ns(&self) -> Option<u64> {
        self.link_sharing_ns.or(self.model_ns)
    }

    /// The relative error of a prediction: how far it is above the median.
    pub fn error_of(&self, predicted_ns: u64) -> f64 {
        off(predicted_ns, self.median_ns)
    }
}

/// A placement in words: the shared hosts and the mapping, or own hosts.
pub fn placing(shared: Option<(u32, &str)>) -> String {
    match shared {
        Some((hosts, mapping)) => format!("{}, {mapping}", plural(hosts.into(), "host")),
        None => "own hosts".to_owned(),
    }
}

/// How far a time is above another, relative to that.
pub fn off(time: u64, of: u64) -> f64 {
    time as f64 / of as f64 - 1.0
}

/// Which of two points took longer: none if their intervals overlap or have too few repetitions.
///
/// The answer is right if both intervals contain their medians, with a probability of at least 0.9.
pub fn order(a: &SummaryRow, b: &SummaryRow) -> Option<Ordering> {
    // The interval of one repetition has no width and would decide everything.
    let decides = |row: &SummaryRow| row.coverage_f64 >= CONFIDENCE;
    match (
        decides(a) && decides(b),
        a.low_ns > b.high_ns,
        a.high_ns < b.low_ns,
    ) {
        (true, true, _) => Some(Ordering::Greater),
        (true, _, true) => Some(Ordering::Less),
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod made_up {
    use super::SummaryRow;

    /// A median with an interval of 1 ns to either side, 1001 bytes, one host per node.
    pub(crate) fn row(algorithm: &str, K: u32, median_ns: u64) -> SummaryRow {
        SummaryRow {
            measurement: "m".to_owned(),
            transport: "emulated".to_owned(),
            algorithm: algorithm.to_owned(),
            K,
            axes: None,
            source: Some(1),
            bytes: 1001,
            hosts: K,
            mapping: "round-robin".to_owned(),
            hold_ps_per_byte: 0,
            machine: "wire".to_owned(),
            repetitions: 9,
            median_ns,
            low_ns: median_ns - 1,
            high_ns: median_ns + 1,
            coverage_f64: 0.96,
            least_ns: median_ns - 1,
            greatest_ns: median_ns + 1,
            model_ns: Some(median_ns),
            link_sharing_ns: None,
            unfinished: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::row;
    use super::*;

    #[test]
    fn overlapping_intervals_decide_nothing() {
        let of = |low_ns, high_ns| SummaryRow {
            low_ns,
            high_ns,
            ..row("halving", 8, low_ns)
        };
        for (a, b, expected) in [
            (of(5, 9), of(1, 4), Some(Ordering::Greater)),
            (of(1, 4), of(5, 9), Some(Ordering::Less)),
            (of(4, 9), of(1, 4), None),
            (of(1, 9), of(3, 4), None),
            (of(3, 3), of(3, 3), None),
        ] {
            assert_eq!(order(&a, &b), expected, "{a:?} {b:?}");
        }
    }

    /// The interval of five repetitions contains the median with probability 0.9375.
    #[test]
    fn too_few_repetitions_decide_nothing() {
        let (slow, fast) = (row("halving", 8, 20), row("fibonacci", 8, 10));
        assert_eq!(order(&slow, &fast), Some(Ordering::Greater));
        for coverage_f64 in [0.0, 0.9375] {
            let unsure = SummaryRow {
                coverage_f64,
                ..fast.clone()
            };
            assert_eq!((order(&slow, &unsure), order(&unsure, &slow)), (None, None));
        }
    }
}
