//! Whether a directory holds the results of a sweep already: then there is nothing to resume and nothing to do.

use std::fs;
use std::path::Path;
use std::time::Duration;

use algorithms::catalogue::Problem;
use serde_json::Value;

use super::identity::Identity;
use super::{Options, Report, Summary, unfinished};
use crate::record::manifest::{FileEntry, Manifest};
use crate::record::{self, parquet};

/// The report of the sweep whose results are in `out`, if they are those of this very sweep, in the formats asked for,
/// byte for byte as their manifest says, and without a point that went wrong.
pub(super) fn found(out: &Path, problems: &[Problem], identity: &Identity, options: &Options) -> Option<Report> {
    if out.join(unfinished::DIRECTORY).exists() {
        return None;
    }
    let text = fs::read_to_string(out.join("manifest.json")).ok()?;
    let manifest: Manifest<Value> = serde_json::from_str(&text).ok()?;
    let there = Identity {
        schema: manifest.schema,
        version: manifest.version,
        revision: manifest.revision,
        shard: manifest.shard.as_ref().map(|entry| entry.shard),
        configuration: manifest.configuration,
    };
    // What went wrong is told by evaluating it again: of a whole sweep the manifest keeps only how often.
    let went_wrong = manifest.points.disagree + manifest.points.failed > 0 || manifest.points.ok == 0;
    if there != *identity || went_wrong {
        return None;
    }
    let names = problems.iter().flat_map(|&problem| {
        let csv = options.formats.csv.then(|| record::file_name(problem));
        let parquet = options.formats.parquet.then(|| parquet::file_name(problem));
        csv.into_iter().chain(parquet)
    });
    let listed = |name: String| manifest.files.iter().any(|file| file.name == name);
    let intact = |file: &FileEntry| file.found_in(out, "").is_ok();
    if !names.into_iter().all(listed) || !manifest.files.iter().all(intact) {
        return None;
    }
    let summary = match manifest.shard {
        Some(entry) => entry.summary,
        None => Summary { tally: manifest.points, ..Summary::default() },
    };
    let files = manifest.files;
    Some(Report { summary, files, evaluated: 0, elapsed: Duration::ZERO, shard: options.shard, stopped: None })
}
