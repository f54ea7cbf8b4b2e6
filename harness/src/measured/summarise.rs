//! Summarises existing measurements again: a new column of `summary.csv` needs no new measurement.

use std::fs;
use std::path::Path;

use serde_json::value::RawValue;

use super::config::Config;
use super::earlier::{executions, same_configuration};
use super::plan;
use super::record::{self, UNLISTED};
use crate::base::failure::{Failure, Result, tell};
use crate::output::seal;
use crate::output::{self, Draft, Lock};
use crate::print::column;
use crate::print::listed::FileEntry;
use crate::record::measured::manifest::{Manifest, SCHEMA};
use crate::record::measurement::{MEASUREMENTS, SUMMARY, SummaryRow, columns};

/// Writes `summary.csv` in `directory` again, from its `measurements.csv`, and the new digest into `manifest.json`. Says
/// what is missing of a measurement that is not complete.
///
/// # Errors
/// Exit code 3 if the directory is of another configuration, 74 if its files cannot be read or written or differ from
/// the manifest.
pub fn again(config: &Config, directory: &Path) -> Result<(Vec<SummaryRow>, Option<String>)> {
    let path = directory.join("manifest.json");
    let unread = |error: &dyn std::fmt::Display| Failure::read(&path, error);
    // Checked first, because locking creates a missing directory.
    fs::metadata(&path).map_err(|error| {
        unread(&if directory.join(MEASUREMENTS).exists() {
            format!("{error}; it says how {MEASUREMENTS} was measured; {UNLISTED}")
        } else {
            let advice = "name the --out of a measurement, or measure first, without --summarise";
            format!("{error}; the directory has no measurement, {advice}")
        })
    })?;
    let _lock = Lock::new(directory)?;
    let text = output::read_text(&path).map_err(|error| unread(&error))?;
    let mut manifest: Manifest<Box<RawValue>> =
        serde_json::from_str(&text).map_err(|error| unread(&error))?;
    // Older manifests have no digest.
    if manifest.schema >= SCHEMA {
        seal::check(&path, &text, "measure again")?;
    }
    for file in manifest.files.iter().filter(|file| file.name != SUMMARY) {
        file.found_in(directory, "measure again")?;
    }
    let measured: serde_json::Value =
        serde_json::from_str(manifest.configuration.get()).map_err(|error| unread(&error))?;
    same_configuration(config, &measured, directory)?;
    let launched = manifest
        .mpi
        .as_ref()
        .map(|launch| &launch.placement[..])
        .unwrap_or_default();
    let points = plan::points(config, launched)?;
    plan::guesses(&points).iter().for_each(tell);
    let mut times = vec![Vec::new(); points.len()];
    for (index, row) in executions(
        &manifest.files,
        directory,
        (config, &points),
        "measure again",
    )? {
        times[index].push(row.completion_ns);
    }
    let transport = config.settings.transport.name();
    let summary = |(point, times)| record::summary(transport, point, times);
    let rows: Vec<SummaryRow> = points.iter().zip(times).filter_map(summary).collect();
    let columns = columns::<SummaryRow>(record::have_axes(&points));
    let bytes = column::csv(&columns, &rows)?;
    let digest = output::sha256(&bytes[..]).map_err(Failure::internal)?;
    let summary = FileEntry {
        name: SUMMARY.to_owned(),
        rows: rows.len() as u64,
        sha256: digest,
    };
    manifest.files.retain(|file| file.name != summary.name);
    manifest.files.push(summary);
    manifest.schema = SCHEMA;
    let mut text = seal::pretty(&manifest)?;
    text.push(b'\n');
    let drafts = vec![
        Draft::with_contents(&directory.join(SUMMARY), &bytes)?,
        Draft::with_contents(&path, &text)?,
    ];
    output::publish(drafts, &[])?;
    Ok((rows, manifest.unfinished()))
}
