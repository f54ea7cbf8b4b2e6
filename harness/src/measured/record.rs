//! The results of a measurement: three CSV files and a manifest.
//!
//! Unlike those of a sweep, the rows differ from run to run, so the manifest records date and hosts.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Instant;

use algorithms::catalogue;
use algorithms::problem::Kind;
use measure::results::{HostEntry, Launch, Repetition, Results, Status};
use measure::statistics::Median;
use measure::wire::Times;
use serde::{Deserialize, Serialize};

use super::config::{self, Config};
use super::earlier::{Earlier, Rows};
pub use super::earlier::{MEASUREMENTS, NODES};
use super::manifest::{Manifest, SCHEMA};
use super::plan::Point;
use crate::failure::{Code, Failure};
use crate::listed::FileEntry;
use crate::output::{self, Draft, Holder, Lock};
use crate::revision::revision;
use crate::seal;
use crate::units::{self, plural};

/// The file of the points.
pub const SUMMARY: &str = "summary.csv";

/// `measurements.csv`: one execution of a program, its bytes checked at every node.
#[derive(Debug, Clone, Serialize)]
pub struct ExecutionRow {
    /// The position in the order of executions; warm-ups have numbers but no rows.
    pub number: u64,
    /// The part of the configuration.
    pub measurement: String,
    /// The transport.
    pub transport: &'static str,
    /// The algorithm, or the function of the MPI library.
    pub algorithm: &'static str,
    /// Nodes, the source included.
    pub K: u32,
    /// Values of further axes, as `k=1 m=16`; no column if no point of the configuration has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<String>,
    /// Position of the source; empty if the algorithm has no such axis.
    pub source: Option<u32>,
    /// Length of the message.
    pub bytes: u64,
    /// Number of hosts.
    pub hosts: u32,
    /// The mapping of nodes to hosts.
    pub mapping: &'static str,
    /// Relay delay.
    pub hold_ps_per_byte: u64,
    /// The profile for which the program was made.
    pub machine: String,
    /// The repetition of this point, from 1.
    pub repetition: u32,
    /// From the start of the first node to the end of the last one.
    pub completion_ns: u64,
    /// Largest error of the hosts' clocks; 0 for one clock.
    pub clock_error_ns: u64,
}

/// `nodes.csv`: the times of a node in an execution.
#[derive(Debug, Clone, Serialize)]
pub struct NodeRow {
    /// The execution, as in `measurements.csv`.
    pub number: u64,
    /// Position of the node, from 1.
    pub node: u32,
    /// Its host.
    pub host: String,
    /// The node that sent all its messages; empty if there is none, or if the MPI library decides.
    pub sender: Option<u32>,
    /// Arrival of the last byte; for a node that receives nothing, its start. All times count from the start of the
    /// first node.
    pub received_ns: u64,
    /// End of the relay delay of that message and of the last computation.
    pub held_ns: u64,
    /// Acknowledgment of the last send; empty if the node sends nothing.
    pub sent_ns: Option<u64>,
}

/// `summary.csv`: all repetitions of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The part of the configuration.
    pub measurement: String,
    /// The transport.
    pub transport: String,
    /// The algorithm, or the function of the MPI library.
    pub algorithm: String,
    /// Nodes, the source included.
    pub K: u32,
    /// Values of further axes, as `k=1 m=16`; no column if no point of the configuration has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<String>,
    /// Position of the source; empty if the algorithm has no such axis.
    pub source: Option<u32>,
    /// Length of the message.
    pub bytes: u64,
    /// Number of hosts.
    pub hosts: u32,
    /// The mapping of nodes to hosts.
    pub mapping: String,
    /// Relay delay.
    pub hold_ps_per_byte: u64,
    /// The profile for which the program was made.
    pub machine: String,
    /// Number of repetitions.
    pub repetitions: usize,
    /// The median of their completion times.
    pub median_ns: u64,
    /// Lower end of the interval for the true median.
    pub low_ns: u64,
    /// Upper end of the interval for the true median.
    pub high_ns: u64,
    /// The probability that the interval contains the true median.
    pub coverage_f64: f64,
    /// The least completion time.
    pub least_ns: u64,
    /// The greatest completion time.
    pub greatest_ns: u64,
    /// The profile's prediction under LogP, with the relay delay and one host per node; empty for functions of the MPI
    /// library.
    pub model_ns: Option<u64>,
    /// The predicted time of a tree with the nodes of a host sharing its link, max-min fairly; empty if all messages stay on one
    /// host, and for other programs.
    pub link_sharing_ns: Option<u64>,
}

impl SummaryRow {
    /// Whether each node had its own host.
    #[must_use]
    pub fn has_own_hosts(&self) -> bool {
        self.hosts == self.K
    }

    /// Its number on this axis.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<u64> {
        match key {
            config::NODES => Some(self.K.into()),
            config::SOURCE => self.source.map(u64::from),
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
    #[must_use]
    pub fn name(&self, key: &str) -> Option<&str> {
        match key {
            "machine" => Some(&self.machine),
            "measurement" => Some(&self.measurement),
            "mapping" => (!self.has_own_hosts()).then_some(&*self.mapping),
            _ => None,
        }
    }

    /// The placement in words.
    #[must_use]
    pub fn placing(&self) -> String {
        placing((!self.has_own_hosts()).then_some((self.hosts, self.mapping.as_str())))
    }

    /// The best available prediction; none for functions of the MPI library.
    #[must_use]
    pub fn predicted_ns(&self) -> Option<u64> {
        self.link_sharing_ns.or(self.model_ns)
    }

    /// The relative error of a prediction: how far the median is above it.
    #[must_use]
    pub fn error_of(&self, predicted_ns: u64) -> f64 {
        off(self.median_ns, predicted_ns)
    }
}

/// A placement in words: the shared hosts and the mapping, or own hosts.
#[must_use]
pub fn placing(shared: Option<(u32, &str)>) -> String {
    match shared {
        Some((hosts, mapping)) => format!("{}, {mapping}", plural(hosts.into(), "host")),
        None => "own hosts".to_owned(),
    }
}

/// How far a time is above another, relative to that.
#[must_use]
pub fn off(time: u64, of: u64) -> f64 {
    time as f64 / of as f64 - 1.0
}

/// The start of a measurement.
pub struct Begun {
    at: jiff::Timestamp,
    instant: Instant,
}

impl Begun {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        Self {
            at: units::now(),
            instant: Instant::now(),
        }
    }
}

/// All results.
#[derive(Debug)]
pub struct Records {
    /// How it ended.
    pub status: Status,
    /// When this run of it began, in UTC.
    pub started: String,
    /// Duration of this run.
    pub seconds: f64,
    /// Results of earlier runs.
    pub earlier: Earlier,
    /// The hosts, in the order of the configuration.
    pub hosts: Vec<HostEntry>,
    /// How MPI was started; none for other transports.
    pub launch: Option<Launch>,
    /// A row for each execution of a program.
    pub rows: Vec<ExecutionRow>,
    /// A row for each node of each execution.
    pub nodes: Vec<NodeRow>,
    /// A row for each point.
    pub summary: Vec<SummaryRow>,
}

impl Records {
    /// The rows of these points.
    #[must_use]
    pub fn new(
        config: &Config,
        points: &[Point<'_>],
        begun: &Begun,
        earlier: Earlier,
        results: Results,
    ) -> Self {
        let transport = config.settings.transport.name();
        let Results {
            status,
            hosts,
            launch,
            repetitions,
        } = results;
        let (mut rows, mut nodes) = (Vec::new(), Vec::new());
        let mut times = earlier.times.clone();
        times.resize(points.len(), Vec::new());
        let with_axes = have_axes(points);
        for repetition in &repetitions {
            let point = &points[repetition.task];
            rows.push(row(transport, point, with_axes, repetition));
            nodes.extend(node_rows(point, &hosts, repetition));
            times[repetition.task].push(repetition.delivery.completion_ns);
        }
        let summary = points
            .iter()
            .zip(times)
            .filter_map(|(point, times)| summary(transport, point, with_axes, times))
            .collect();
        let mut all = earlier.hosts.clone();
        let is_new = |host: &HostEntry| !earlier.hosts.contains(host);
        all.extend(hosts.into_values().filter(is_new));
        Self {
            status,
            started: begun.at.to_string(),
            seconds: begun.instant.elapsed().as_secs_f64(),
            hosts: all,
            launch,
            earlier,
            rows,
            nodes,
            summary,
        }
    }

    /// The rows of `measurements.csv`.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.of_earlier(0) + self.rows.len() as u64
    }

    /// The rows of `nodes.csv`.
    #[must_use]
    pub fn node_rows(&self) -> u64 {
        self.of_earlier(1) + self.nodes.len() as u64
    }

    fn of_earlier(&self, file: usize) -> u64 {
        self.earlier
            .files
            .as_ref()
            .map_or(0, |files| files[file].rows)
    }
}

/// Whether a point has axes without their own columns: then all rows have a column for them.
#[must_use]
pub fn have_axes(points: &[Point<'_>]) -> bool {
    points.iter().any(|point| !point.axes.is_empty())
}

fn row(
    transport: &'static str,
    point: &Point<'_>,
    with_axes: bool,
    repetition: &Repetition,
) -> ExecutionRow {
    ExecutionRow {
        number: repetition.number,
        measurement: point.measurement.name.clone(),
        transport,
        algorithm: point.algorithm.name(),
        K: point.task.ranks(),
        axes: with_axes.then(|| point.axes.clone()),
        source: point.source,
        bytes: point.task.bytes,
        hosts: point.task.hosts(),
        mapping: point.mapping,
        hold_ps_per_byte: point.task.hold_ps_per_byte,
        machine: point.measurement.machine.name.clone(),
        repetition: repetition.repetition,
        completion_ns: repetition.delivery.completion_ns,
        clock_error_ns: repetition.delivery.clock_error_ns,
    }
}

fn node_rows(
    point: &Point<'_>,
    hosts: &BTreeMap<u32, HostEntry>,
    repetition: &Repetition,
) -> Vec<NodeRow> {
    let node = |(((node, sender), receipt), host): (((u32, Option<u32>), &Times), &u32)| NodeRow {
        number: repetition.number,
        node,
        host: hosts
            .get(host)
            .map(|host| host.name.clone())
            .unwrap_or_default(),
        sender: sender.map(|rank| rank + 1),
        received_ns: receipt.received,
        held_ns: receipt.held,
        sent_ns: receipt.sent,
    };
    let nodes = (1..).zip(point.task.senders());
    nodes
        .zip(&repetition.delivery.ranks)
        .zip(&point.task.placement)
        .map(node)
        .collect()
}

/// The row of a point; none if it has no times.
#[must_use]
pub fn summary(
    transport: &'static str,
    point: &Point<'_>,
    with_axes: bool,
    times: Vec<u64>,
) -> Option<SummaryRow> {
    let repetitions = times.len();
    let Median {
        median,
        low,
        high,
        coverage,
        least,
        greatest,
    } = Median::from_times(times)?;
    Some(SummaryRow {
        measurement: point.measurement.name.clone(),
        transport: transport.to_owned(),
        algorithm: point.algorithm.name().to_owned(),
        K: point.task.ranks(),
        axes: with_axes.then(|| point.axes.clone()),
        source: point.source,
        bytes: point.task.bytes,
        hosts: point.task.hosts(),
        mapping: point.mapping.to_owned(),
        hold_ps_per_byte: point.task.hold_ps_per_byte,
        machine: point.measurement.machine.name.clone(),
        repetitions,
        median_ns: median,
        low_ns: low,
        high_ns: high,
        coverage_f64: coverage,
        least_ns: least,
        greatest_ns: greatest,
        model_ns: point.model_ns,
        link_sharing_ns: point.link_sharing_ns,
    })
}

/// What to do with an existing measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// Refuse: it may have taken hours, and no command can restore it.
    No,
    /// Continue it.
    GoOn,
    /// Replace it.
    Yes,
}

impl Replace {
    fn check(self, out: &Path) -> Result<(), Failure> {
        let rows = out.join(MEASUREMENTS);
        let there = match self {
            Self::Yes => return Ok(()),
            Self::GoOn if out.join("manifest.json").exists() => return Ok(()),
            Self::GoOn | Self::No => [MEASUREMENTS, NODES, SUMMARY].map(|name| out.join(name)),
        };
        let Some(path) = there.into_iter().find(|path| path.exists()) else {
            return Ok(());
        };
        let lines = |file| {
            BufReader::new(file)
                .lines()
                .map_while(Result::ok)
                .skip(1)
                .count()
        };
        let count = output::open_lines(&rows).map_or(0, lines);
        let what = if count > 0 {
            plural(count as u64, "execution")
        } else {
            "a measurement".to_owned()
        };
        let advice = "continue with --resume, replace it with --force, or name another --out";
        Err(Failure::new(
            Code::Output,
            format_args!("`{}` exists, with {what}; {advice}", path.display()),
        ))
    }
}

/// The files of a measurement, opened before it begins so that a bad directory is reported first.
pub struct Files {
    _lock: Lock,
    rows: Draft,
    nodes: Draft,
    summary: Draft,
    manifest: Draft,
}

impl Files {
    /// Opens the files.
    ///
    /// # Errors
    /// Exit code 74 if the directory cannot be written or has results that must stay.
    pub fn create(out: &Path, replace: Replace) -> Result<Self, Failure> {
        let lock = Lock::new(out)?;
        Holder::Measurement.refuse_others(out)?;
        replace.check(out)?;
        let draft = |name: &str| Draft::create(&out.join(name));
        let [rows, nodes] = [draft(MEASUREMENTS)?, draft(NODES)?];
        let [summary, manifest] = [draft(SUMMARY)?, draft("manifest.json")?];
        Ok(Self {
            _lock: lock,
            rows,
            nodes,
            summary,
            manifest,
        })
    }

    /// Fills and publishes the files. The manifest is last because it lists the others.
    ///
    /// # Errors
    /// Exit code 74 if they cannot be written.
    pub fn publish(mut self, config: &Config, records: &Records) -> Result<(), Failure> {
        let earlier = |file: usize| records.earlier.files.as_ref().map(|files| &files[file]);
        let files = vec![
            fill(&mut self.rows, earlier(0), &records.rows)?,
            fill(&mut self.nodes, earlier(1), &records.nodes)?,
            fill(&mut self.summary, None, &records.summary)?,
        ];
        let mut resumed = records.earlier.resumed.clone();
        resumed.extend(
            records
                .earlier
                .started
                .is_some()
                .then(|| records.started.clone()),
        );
        let manifest = Manifest {
            schema: SCHEMA,
            outcome: records.status.clone(),
            tool: "castbench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: revision().to_owned(),
            started: records
                .earlier
                .started
                .as_ref()
                .unwrap_or(&records.started)
                .clone(),
            resumed,
            seconds: records.earlier.seconds + records.seconds,
            configuration_source: config.name.clone(),
            configuration: config,
            interval: "order statistics of the repetitions, no assumption on their distribution"
                .to_owned(),
            hosts: records.hosts.clone(),
            mpi: records.launch.clone(),
            files,
        };
        let mut text = seal::pretty(&manifest)?;
        text.push(b'\n');
        self.manifest.put(&text)?;
        output::publish(
            vec![self.rows, self.nodes, self.summary, self.manifest],
            &[],
        )
    }
}

fn fill<T: Serialize>(
    draft: &mut Draft,
    earlier: Option<&Rows>,
    rows: &[T],
) -> Result<FileEntry, Failure> {
    match earlier {
        None => draft.put(&output::csv_bytes(rows)?)?,
        Some(earlier) => {
            draft.put(earlier.text.as_bytes())?;
            draft.put(&output::csv_behind(rows)?)?;
        }
    }
    let before = earlier.map_or(0, |earlier| earlier.rows);
    let name = draft
        .path()
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    Ok(FileEntry {
        name,
        rows: before + rows.len() as u64,
        sha256: draft.digest()?,
    })
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
        }
    }
}
