//! Sums up measurements that are there again: a new column of `summary.csv` needs no new measurement.

use std::fs;
use std::path::Path;

use measure::results::Launch;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::config::Config;
use super::plan::{self, Point};
use super::record::{self, SCHEMA, SummaryRow};
use crate::failure::{Code, Failure};
use crate::listed::{self, FileEntry};
use crate::output::{self, Draft, Lock};

/// `manifest.json` of a measurement; what is not looked at stays as it is.
#[derive(Serialize, Deserialize)]
struct Manifest {
    schema: u32,
    outcome: Box<RawValue>,
    tool: Box<RawValue>,
    version: Box<RawValue>,
    revision: Box<RawValue>,
    started: Box<RawValue>,
    seconds: Box<RawValue>,
    configuration_source: Box<RawValue>,
    configuration: Box<RawValue>,
    interval: Box<RawValue>,
    hosts: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mpi: Option<Launch>,
    files: Vec<FileEntry>,
}

/// Of a row of `measurements.csv`, its point and its time.
#[derive(Deserialize)]
struct Timed {
    measurement: String,
    algorithm: String,
    K: u32,
    axes: Option<String>,
    bytes: u64,
    hosts: u32,
    mapping: String,
    hold_ps_per_byte: u64,
    completion_ns: u64,
}

impl Timed {
    fn is_of(&self, point: &Point<'_>) -> bool {
        self.measurement == point.measurement.name
            && self.algorithm == point.algorithm.name()
            && (self.K, self.bytes, self.hosts) == (point.K, point.task.bytes, point.hosts)
            && self.axes.as_deref().unwrap_or_default() == point.axes
            && self.mapping == point.mapping
            && self.hold_ps_per_byte == point.hold_ps_per_byte
    }
}

/// Writes `summary.csv` in `directory` again, from the `measurements.csv` there, and its digest into `manifest.json`.
///
/// # Errors
/// Exit code 3 where the directory was measured with another configuration, 74 where its files cannot be read, are not
/// those of the manifest, or cannot be written.
pub fn again(config: &Config, directory: &Path) -> Result<Vec<SummaryRow>, Failure> {
    let path = directory.join("manifest.json");
    let unread = |error: &dyn std::fmt::Display| Failure::read(&path, error);
    // First, for locking a directory makes it where there is none.
    let advice = "name the --out of a measurement, or measure first, without --summarise";
    fs::metadata(&path).map_err(|error| unread(&format_args!("{error}; nothing was measured there, {advice}")))?;
    let _lock = Lock::of(directory)?;
    let text = output::read_text(&path).map_err(|error| unread(&error))?;
    let mut manifest: Manifest = serde_json::from_str(&text).map_err(|error| unread(&error))?;
    let measured: serde_json::Value =
        serde_json::from_str(manifest.configuration.get()).map_err(|error| unread(&error))?;
    let given = serde_json::to_value(config).map_err(|error| Failure::new(Code::Internal, error))?;
    if measured != given {
        return Err(Failure::new(
            Code::Configuration,
            format_args!(
                "{} is not the configuration that `{}` was measured with, or a machine profile has changed since; give that one, or measure again",
                config.name,
                directory.display()
            ),
        ));
    }
    let launched = manifest.mpi.as_ref().map(|launch| &launch.placement[..]).unwrap_or_default();
    let points = plan::points(config, launched)?;
    let times: Vec<Timed> = listed::rows(&manifest.files, directory, "measurements.csv", "measure again")?;
    let of = |point: &Point<'_>| times.iter().filter(|row| row.is_of(point)).map(|row| row.completion_ns).collect();
    let (transport, with_axes) = (config.settings.transport.name(), record::have_axes(&points));
    let rows: Vec<SummaryRow> =
        points.iter().filter_map(|point| record::summary(transport, point, with_axes, of(point))).collect();
    let bytes = output::csv_bytes(&rows)?;
    let digest = output::sha256(&bytes[..]).map_err(|error| Failure::new(Code::Internal, error))?;
    let summary = FileEntry { name: "summary.csv".to_owned(), rows: rows.len() as u64, sha256: digest };
    manifest.files.retain(|file| file.name != summary.name);
    manifest.files.push(summary);
    manifest.schema = SCHEMA;
    let mut text = serde_json::to_vec_pretty(&manifest).map_err(|error| Failure::new(Code::Internal, error))?;
    text.push(b'\n');
    let drafts = vec![Draft::of(&directory.join("summary.csv"), &bytes)?, Draft::of(&path, &text)?];
    output::publish(drafts, &[])?;
    Ok(rows)
}
