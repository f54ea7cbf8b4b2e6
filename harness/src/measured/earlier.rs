//! A measurement that continues: what its directory has and what is missing.

use std::collections::BTreeSet;
use std::path::Path;

use measure::results::{HostEntry, Status};
use measure::run;
use serde_json::Value;

use super::config::Config;
use super::plan::Point;
use crate::base::failure::{Failure, Result};
use crate::base::revision::revision;
use crate::output;
use crate::print::column::Tabled;
use crate::print::listed::{self, FileEntry};
use crate::record::measured::manifest::Manifest;
use crate::record::measurement::{ExecutionRow, MEASUREMENTS, NODES, NodeRow, SUMMARY, SummaryRow};

const ADVICE: &str = "name another --out, or replace it with --force";
const SUMMARISE: &str = "summarise again with --summarise";

/// The results of an earlier run; none by default.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Executions that need not be repeated.
    pub done: run::Earlier,
    /// The completion times of each point.
    pub times: Vec<Vec<u64>>,
    /// Its executions and its nodes.
    pub files: Option<[Rows; 2]>,
    /// When it began, in UTC.
    pub started: Option<String>,
    /// When it was resumed, in UTC.
    pub resumed: Vec<String>,
    /// Its duration.
    pub seconds: f64,
    /// Its hosts.
    pub hosts: Vec<HostEntry>,
    /// Whether no execution is missing.
    pub complete: bool,
}

/// A CSV file of an earlier run.
#[derive(Debug)]
pub struct Rows {
    /// The text, with the header.
    pub text: String,
    /// The number of rows.
    pub rows: u64,
}

impl Rows {
    fn read<T: Tabled>(files: &[FileEntry], directory: &Path, name: &str) -> Result<Self> {
        let rows = listed::rows::<T>(files, directory, name, ADVICE)?.len() as u64;
        let path = directory.join(name);
        let text = output::read_text(&path).map_err(output::unread(&path))?;
        if output::has_formula(text.as_bytes()) {
            let reason = "a spreadsheet would execute one of its fields as a formula";
            return Err(Failure::read(&path, format_args!("{reason}; {ADVICE}")));
        }
        Ok(Self { text, rows })
    }
}

/// Most executions: one more is still far from overflow, and every JSON reader has the number exactly.
const MAX_NUMBER: u64 = 1 << 53;

/// The executions of a measurement of these points, each with the index of its point. All numbers of the file are checked here.
///
/// # Errors
/// Exit code 74 if they cannot be read or cannot be results of this measurement.
pub(super) fn executions(
    files: &[FileEntry],
    directory: &Path,
    (config, points): (&Config, &[Point<'_>]),
    advice: &str,
) -> Result<Vec<(usize, ExecutionRow)>> {
    let mut known = BTreeSet::new();
    let mut checked = |row: ExecutionRow| {
        let index = points
            .iter()
            .position(|point| is_of(&row, point))
            .ok_or("belongs to no point of the configuration")?;
        if !(1..=config.settings.repetitions).contains(&row.repetition) {
            return Err("has a repetition that the configuration does not have");
        }
        if !(1..=MAX_NUMBER).contains(&row.number) {
            return Err("has an impossible number of an execution");
        }
        let is_new = known.insert((index, row.repetition));
        if is_new {
            Ok((index, row))
        } else {
            Err("repeats a repetition")
        }
    };
    let rows = listed::rows(files, directory, MEASUREMENTS, advice)?;
    let failed = |row: usize, why| {
        Failure::read(
            &directory.join(MEASUREMENTS),
            format_args!("row {} {why}; {advice}", row + 1),
        )
    };
    rows.into_iter()
        .enumerate()
        .map(|(at, row)| checked(row).map_err(|why| failed(at, why)))
        .collect()
}

fn is_of(row: &ExecutionRow, point: &Point<'_>) -> bool {
    row.measurement == point.measurement.name
        && row.algorithm == point.algorithm.name()
        && (row.K, row.bytes, row.hosts)
            == (point.task.ranks(), point.task.bytes, point.task.hosts())
        && row.axes.as_deref().unwrap_or_default() == point.axes
        && row.mapping == point.mapping
        && row.hold_ps_per_byte == point.task.hold_ps_per_byte
}

impl Earlier {
    /// The results of these points in `directory`; none if it has none.
    ///
    /// # Errors
    /// Exit code 3 if they are of another configuration, 74 if they cannot be read or are of another castbench.
    pub fn read(directory: &Path, config: &Config, points: &[Point<'_>]) -> Result<Self> {
        let path = directory.join("manifest.json");
        if !path.exists() {
            return Ok(Self::default());
        }
        let manifest = Manifest::<Value>::open(&path, ADVICE)?;
        same_configuration(config, &manifest.configuration, directory)?;
        let own = (env!("CARGO_PKG_VERSION"), revision());
        if (&*manifest.version, &*manifest.revision) != own {
            let (version, revision) = (&manifest.version, &manifest.revision);
            let reason = format_args!(
                "castbench {version} (revision {revision}) measured it, not this version"
            );
            return Err(Failure::read(&path, format_args!("{reason}; {ADVICE}")));
        }
        listed::rows::<SummaryRow>(&manifest.files, directory, SUMMARY, SUMMARISE)?;
        let mut earlier = Self {
            times: vec![Vec::new(); points.len()],
            started: Some(manifest.started),
            resumed: manifest.resumed,
            seconds: manifest.seconds,
            hosts: manifest.hosts,
            complete: manifest.outcome == Status::Complete,
            ..Self::default()
        };
        for (index, row) in executions(&manifest.files, directory, (config, points), ADVICE)? {
            earlier.done.done.insert((index, row.repetition));
            earlier.done.number = earlier.done.number.max(row.number);
            earlier.times[index].push(row.completion_ns);
        }
        earlier.files = Some([
            Rows::read::<ExecutionRow>(&manifest.files, directory, MEASUREMENTS)?,
            Rows::read::<NodeRow>(&manifest.files, directory, NODES)?,
        ]);
        Ok(earlier)
    }
}

/// Refuses a configuration that differs from the measured one.
pub(super) fn same_configuration(config: &Config, measured: &Value, directory: &Path) -> Result {
    let given = serde_json::to_value(config).map_err(Failure::internal)?;
    if *measured == given {
        return Ok(());
    }
    bail!(
        Configuration,
        "{} differs from the configuration that `{}` was measured with, or a machine profile changed; name that \
             configuration, or measure again",
        config.name,
        directory.display()
    )
}
