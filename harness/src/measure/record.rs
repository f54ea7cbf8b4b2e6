//! What a measurement leaves: three CSV files and a manifest.
//!
//! Unlike a sweep's, these rows differ from run to run, so the manifest says when and on which machine they were made.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::config::Config;
use super::delivery::Delivery;
use super::plan::{Point, Tree};
use super::statistics::Median;
use super::wire::Facts;
use crate::failure::Failure;
use crate::output::{self, Batch, Draft, Holder};
use crate::record::manifest::FileEntry;
use crate::units::plural;

/// Version of the manifest and of the columns of the CSV files.
pub const SCHEMA: u32 = 2;

/// `measurements.csv`: a multicast that was carried out, its bytes checked at every node.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// In which order they were carried out; warm-ups have numbers and no rows.
    pub number: u64,
    /// The part of the configuration.
    pub measurement: String,
    /// How messages travelled.
    pub transport: &'static str,
    /// The tree, or the function of the MPI library.
    pub algorithm: &'static str,
    /// Nodes, the source included.
    pub K: u32,
    /// Position of the source.
    pub source: u32,
    /// Length of the message.
    pub bytes: u64,
    /// Hosts that the nodes were placed on.
    pub hosts: u32,
    /// How they were placed.
    pub mapping: &'static str,
    /// Relay delay.
    pub hold_ps_per_byte: u64,
    /// The profile that the tree was made for.
    pub machine: String,
    /// Which time of this point, from 1.
    pub repetition: u32,
    /// From the start of the first send until the last node had the message.
    pub completion_ns: u64,
    /// By how much the clocks of the hosts may have been wrong; 0 for one clock.
    pub clock_error_ns: u64,
}

/// `nodes.csv`: when a node had the message of a multicast.
#[derive(Debug, Clone, Serialize)]
pub struct NodeRow {
    /// The multicast, as in `measurements.csv`.
    pub number: u64,
    /// Position of the node, from 1.
    pub node: u32,
    /// Its host.
    pub host: String,
    /// Who sent it the message; empty for the source, and where the MPI library decides it.
    pub sender: Option<u32>,
    /// The last byte was there; 0 for the source. All times from the start of the first send.
    pub received_ns: u64,
    /// The relay delay was over: the node had the message.
    pub held_ns: u64,
    /// Its last send was acknowledged; empty where it sends nothing.
    pub sent_ns: Option<u64>,
}

/// `summary.csv`: all repetitions of a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// The part of the configuration.
    pub measurement: String,
    /// How messages travelled.
    pub transport: String,
    /// The tree, or the function of the MPI library.
    pub algorithm: String,
    /// Nodes, the source included.
    pub K: u32,
    /// Position of the source.
    pub source: u32,
    /// Length of the message.
    pub bytes: u64,
    /// Hosts that the nodes were placed on.
    pub hosts: u32,
    /// How they were placed.
    pub mapping: String,
    /// Relay delay.
    pub hold_ps_per_byte: u64,
    /// The profile that the tree was made for.
    pub machine: String,
    /// How many.
    pub repetitions: usize,
    /// The median of their completion times.
    pub median_ns: u64,
    /// Lower end of the interval for the true median.
    pub low_ns: u64,
    /// Upper end of the interval for the true median.
    pub high_ns: u64,
    /// The probability that the interval holds it.
    pub coverage_f64: f64,
    /// The least completion time.
    pub least_ns: u64,
    /// The greatest completion time.
    pub greatest_ns: u64,
    /// What the profile predicts under LogP, relay delay included: each node on a host of its own; empty for what the MPI
    /// library does in its own way.
    pub model_ns: Option<u64>,
    /// The same with the nodes of a host sharing its link, max-min fairly; empty where all messages stay on one host.
    pub link_sharing_ns: Option<u64>,
}

impl SummaryRow {
    /// Whether each node had a host of its own.
    #[must_use]
    pub fn has_own_hosts(&self) -> bool {
        self.hosts == self.K
    }

    /// Where the nodes were, in words.
    #[must_use]
    pub fn placing(&self) -> String {
        placing((!self.has_own_hosts()).then_some((self.hosts, self.mapping.as_str())))
    }

    /// The better prediction there is; none for what the MPI library does.
    #[must_use]
    pub fn predicted_ns(&self) -> Option<u64> {
        self.link_sharing_ns.or(self.model_ns)
    }

    /// By how much the median is above a prediction, as a fraction of that.
    #[must_use]
    pub fn error_of(&self, predicted_ns: u64) -> f64 {
        off(self.median_ns, predicted_ns)
    }
}

/// Where nodes are, in words: on so many hosts that they share, placed like this, or each on its own.
#[must_use]
pub fn placing(shared: Option<(u32, &str)>) -> String {
    match shared {
        Some((hosts, mapping)) => format!("{}, {mapping}", plural(hosts.into(), "host")),
        None => "own hosts".to_owned(),
    }
}

/// By how much a time is above another, as a fraction of that.
#[must_use]
pub fn off(time: u64, of: u64) -> f64 {
    time as f64 / of as f64 - 1.0
}

/// How a measurement ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "reason", rename_all = "snake_case")]
pub enum Status {
    /// Every point was measured as often as was asked.
    Complete,
    /// It was stopped; what was finished is there.
    Interrupted,
    /// A rank, a host or a connection failed; what was finished is there.
    Failed(String),
}

/// A host that took part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HostEntry {
    /// Its name in the results.
    pub name: String,
    /// Its address; missing where the MPI library keeps it to itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What it said of itself.
    pub facts: Facts,
}

/// How MPI was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// What the library calls itself.
    pub library: String,
    /// How ranks waited for messages.
    pub waiting: String,
    /// What was set for the library: its parameters, as it takes them from the environment.
    pub parameters: BTreeMap<String, String>,
    /// The host of each rank, as its place in the list of hosts.
    pub placement: Vec<u32>,
}

/// `manifest.json`.
#[derive(Serialize)]
struct Manifest<'a> {
    schema: u32,
    outcome: &'a Status,
    tool: &'static str,
    version: &'static str,
    revision: &'static str,
    /// When it began, in UTC.
    started: &'a str,
    seconds: f64,
    configuration_source: &'a str,
    configuration: &'a Config,
    /// How the median's interval was made.
    interval: &'static str,
    hosts: &'a [HostEntry],
    #[serde(skip_serializing_if = "Option::is_none")]
    mpi: Option<&'a Launch>,
    files: Vec<FileEntry>,
}

/// Everything that was measured.
#[derive(Debug)]
pub struct Records {
    /// How it ended.
    pub status: Status,
    /// When it began, in UTC.
    pub started: String,
    /// How long it took.
    pub seconds: f64,
    /// The hosts that took part, in the order of the configuration.
    pub hosts: Vec<HostEntry>,
    /// How MPI was started; none for other transports.
    pub launch: Option<Launch>,
    /// A row for each multicast.
    pub rows: Vec<Row>,
    /// A row for each node of each.
    pub nodes: Vec<NodeRow>,
    /// A row for each point.
    pub summary: Vec<SummaryRow>,
}

/// The row of a multicast, and those of its nodes. `hosts` names the host of each node.
#[must_use]
pub fn rows(
    number: u64,
    repetition: u32,
    (transport, point): (&'static str, &Point<'_>),
    hosts: &[String],
    delivery: &Delivery,
) -> (Row, Vec<NodeRow>) {
    let row = Row {
        number,
        measurement: point.measurement.name.clone(),
        transport,
        algorithm: point.algorithm.name(),
        K: point.K,
        source: point.measurement.source,
        bytes: point.bytes,
        hosts: point.hosts,
        mapping: point.mapping,
        hold_ps_per_byte: point.hold_ps_per_byte,
        machine: point.measurement.machine.name.clone(),
        repetition,
        completion_ns: delivery.completion_ns,
        clock_error_ns: delivery.clock_error_ns,
    };
    let mut senders = vec![None; hosts.len() + 1];
    if let Some(Tree { schedule, .. }) = &point.tree {
        for sender in 1..=point.K {
            for &receiver in schedule.targets(sender) {
                senders[receiver as usize] = Some(sender);
            }
        }
    }
    let node = |((node, receipt), host): ((u32, &super::delivery::Receipt), &String)| NodeRow {
        number,
        node,
        host: host.clone(),
        sender: senders[node as usize],
        received_ns: receipt.received_ns,
        held_ns: receipt.held_ns,
        sent_ns: receipt.sent_ns,
    };
    let nodes = (1..).zip(&delivery.ranks).zip(hosts).map(node).collect();
    (row, nodes)
}

/// The row of a point; none where it was never measured.
#[must_use]
pub fn summary(transport: &'static str, point: &Point<'_>, times: Vec<u64>) -> Option<SummaryRow> {
    let repetitions = times.len();
    let Median { median, low, high, coverage, least, greatest } = Median::of(times)?;
    Some(SummaryRow {
        measurement: point.measurement.name.clone(),
        transport: transport.to_owned(),
        algorithm: point.algorithm.name().to_owned(),
        K: point.K,
        source: point.measurement.source,
        bytes: point.bytes,
        hosts: point.hosts,
        mapping: point.mapping.to_owned(),
        hold_ps_per_byte: point.hold_ps_per_byte,
        machine: point.measurement.machine.name.clone(),
        repetitions,
        median_ns: median,
        low_ns: low,
        high_ns: high,
        coverage_f64: coverage,
        least_ns: least,
        greatest_ns: greatest,
        model_ns: point.tree.as_ref().map(|tree| tree.model_ns),
        link_sharing_ns: point.tree.as_ref().and_then(|tree| tree.link_sharing_ns),
    })
}

/// The files of a measurement, opened before it begins so that a bad place fails at once.
pub struct Files {
    batch: Batch,
    rows: Draft,
    nodes: Draft,
    summary: Draft,
    manifest: Draft,
}

impl Files {
    /// Opens them.
    ///
    /// # Errors
    /// Exit code 74 where the directory cannot be written.
    pub fn create(out: &Path) -> Result<Self, Failure> {
        let batch = Batch::open(out)?;
        Holder::Measurement.refuse_others(out)?;
        let draft = |name: &str| batch.draft(&out.join(name));
        let [rows, nodes] = [draft("measurements.csv")?, draft("nodes.csv")?];
        let [summary, manifest] = [draft("summary.csv")?, draft("manifest.json")?];
        Ok(Self { batch, rows, nodes, summary, manifest })
    }

    /// Fills and publishes them; the manifest last, for it says what the others are.
    ///
    /// # Errors
    /// Exit code 74 where they cannot be written.
    pub fn publish(mut self, config: &Config, records: &Records) -> Result<(), Failure> {
        let files = vec![
            fill(&mut self.rows, &records.rows)?,
            fill(&mut self.nodes, &records.nodes)?,
            fill(&mut self.summary, &records.summary)?,
        ];
        let manifest = Manifest {
            schema: SCHEMA,
            outcome: &records.status,
            tool: "castbench",
            version: env!("CARGO_PKG_VERSION"),
            revision: env!("CASTBENCH_REVISION"),
            started: &records.started,
            seconds: records.seconds,
            configuration_source: &config.name,
            configuration: config,
            interval: "order statistics of the repetitions, no assumption on their distribution",
            hosts: &records.hosts,
            mpi: records.launch.as_ref(),
            files,
        };
        let path = self.manifest.path().to_owned();
        let mut text = serde_json::to_vec_pretty(&manifest)
            .map_err(|error| Failure::write(&path, &std::io::Error::from(error)))?;
        text.push(b'\n');
        self.manifest.put(&text)?;
        self.batch.publish(vec![self.rows, self.nodes, self.summary, self.manifest], Vec::new())
    }
}

fn fill<T: Serialize>(draft: &mut Draft, rows: &[T]) -> Result<FileEntry, Failure> {
    draft.put(&output::csv_bytes(rows)?)?;
    let name = draft.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(FileEntry { name, rows: rows.len() as u64, sha256: draft.digest()? })
}
