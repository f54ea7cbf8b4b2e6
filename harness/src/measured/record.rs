//! The results of a measurement: three CSV files and a manifest.
//!
//! Unlike those of a sweep, the rows differ from run to run, so the manifest records date and hosts.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Instant;

use measure::results::{HostEntry, Launch, Repetition, Results, Status};
use measure::statistics::Median;
use measure::wire::Times;

use super::config::Config;
use super::earlier::{Earlier, Rows};
use super::plan::Point;
use crate::base::failure::Result;
use crate::base::revision::revision;
use crate::base::units::{self, plural};
use crate::output::seal;
use crate::output::{self, Draft, Holder, Lock};
use crate::print::column::{self, Tabled};
use crate::print::listed::FileEntry;
use crate::record::measured::manifest::{self, Manifest, Planned, SCHEMA};
use crate::record::measurement::{
    ExecutionRow, MEASUREMENTS, NODES, NodeRow, SUMMARY, SummaryRow, columns,
};

/// The start of a measurement.
pub struct Begun {
    at: jiff::Timestamp,
    instant: Instant,
}

impl Begun {
    /// Now.
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
    /// What it has once it is complete.
    pub planned: Planned,
    /// How MPI was started; none for other transports.
    pub launch: Option<Launch>,
    /// Whether rows have a column for further axes.
    pub have_axes: bool,
    /// A row for each execution of a program.
    pub rows: Vec<ExecutionRow>,
    /// A row for each node of each execution.
    pub nodes: Vec<NodeRow>,
    /// A row for each point.
    pub summary: Vec<SummaryRow>,
}

impl Records {
    /// The rows of these points.
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
        for repetition in &repetitions {
            let point = &points[repetition.task];
            rows.push(row(transport, point, repetition));
            nodes.extend(node_rows(point, &hosts, repetition));
            times[repetition.task].push(repetition.delivery.completion_ns);
        }
        let summary = points
            .iter()
            .zip(times)
            .filter_map(|(point, times)| summary(transport, point, times))
            .collect();
        let mut all = earlier.hosts.clone();
        all.extend(
            hosts
                .into_values()
                .filter(|host| !earlier.hosts.contains(host)),
        );
        Self {
            status,
            started: begun.at.to_string(),
            seconds: begun.instant.elapsed().as_secs_f64(),
            hosts: all,
            planned: Planned {
                points: points.len() as u64,
                executions: points.len() as u64 * u64::from(config.settings.repetitions),
            },
            launch,
            earlier,
            have_axes: have_axes(points),
            rows,
            nodes,
            summary,
        }
    }

    /// The rows of `measurements.csv`.
    pub fn executions(&self) -> u64 {
        self.of_earlier(0) + self.rows.len() as u64
    }

    /// The rows of `nodes.csv`.
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

/// Whether a point has axes without their own columns.
pub fn have_axes(points: &[Point<'_>]) -> bool {
    points.iter().any(|point| !point.axes.is_empty())
}

fn row(transport: &'static str, point: &Point<'_>, repetition: &Repetition) -> ExecutionRow {
    ExecutionRow {
        number: repetition.number,
        measurement: point.measurement.name.clone(),
        transport: transport.to_owned(),
        algorithm: point.algorithm.name().to_owned(),
        K: point.task.ranks(),
        axes: Some(point.axes.clone()),
        source: point.source,
        bytes: point.task.bytes,
        hosts: point.task.hosts(),
        mapping: point.mapping.to_owned(),
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
    (1..)
        .zip(point.task.senders())
        .zip(&repetition.delivery.ranks)
        .zip(&point.task.placement)
        .map(node)
        .collect()
}

/// The row of a point; none if it has no times.
pub fn summary(transport: &'static str, point: &Point<'_>, times: Vec<u64>) -> Option<SummaryRow> {
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
        axes: Some(point.axes.clone()),
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
        unfinished: None,
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
    fn check(self, out: &Path, is_mpi: bool) -> Result {
        Holder::Measurement.refuse_others(out)?;
        output::refuse_strangers(
            out,
            [
                begin::<ExecutionRow>(MEASUREMENTS),
                begin::<NodeRow>(NODES),
                begin::<SummaryRow>(SUMMARY),
            ],
        )?;
        let rows = out.join(MEASUREMENTS);
        let is_listed = out.join("manifest.json").exists();
        if self == Self::Yes || self == Self::GoOn && is_listed {
            return Ok(());
        }
        let there = [MEASUREMENTS, NODES, SUMMARY].map(|name| out.join(name));
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
        let (path, advice) = (path.display(), manifest::advice(is_mpi));
        if is_listed {
            bail!(Output, "`{path}` exists, with {what}; {advice}");
        }
        bail!(
            Output,
            "`{path}` exists, with {what}, without the manifest.json that says how it was measured; {UNLISTED}"
        )
    }
}

/// What to do with files of a measurement that no manifest lists.
pub const UNLISTED: &str = "name another --out, or measure again with --force";

/// The name of a file of results with the beginning of its first line, before a column that may be missing.
fn begin<T: Tabled>(name: &str) -> (String, Vec<u8>) {
    let columns: Vec<_> = T::columns()
        .into_iter()
        .take_while(|column| column.name != "axes")
        .collect();
    (name.to_owned(), column::header(&columns))
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
    pub fn create(out: &Path, replace: Replace, is_mpi: bool) -> Result<Self> {
        let lock = Lock::new(out)?;
        replace.check(out, is_mpi)?;
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
    pub fn publish(mut self, config: &Config, records: &Records) -> Result {
        let earlier = |file: usize| records.earlier.files.as_ref().map(|files| &files[file]);
        let have_axes = records.have_axes;
        let files = vec![
            fill(&mut self.rows, earlier(0), &records.rows, have_axes)?,
            fill(&mut self.nodes, earlier(1), &records.nodes, have_axes)?,
            fill(&mut self.summary, None, &records.summary, have_axes)?,
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
            planned: Some(records.planned),
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

fn fill<T: Tabled>(
    draft: &mut Draft,
    earlier: Option<&Rows>,
    rows: &[T],
    have_axes: bool,
) -> Result<FileEntry> {
    let csv = column::csv(&columns::<T>(have_axes), rows)?;
    match earlier {
        None => draft.put(&csv)?,
        Some(earlier) => {
            draft.put(earlier.text.as_bytes())?;
            let header = csv.iter().position(|&byte| byte == b'\n').unwrap_or(0);
            draft.put(&csv[header + 1..])?;
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
