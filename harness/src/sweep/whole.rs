//! Recognises a directory that already has the complete results of a sweep, so there is nothing to do.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::identity::Identity;
use super::publish::row_files;
use super::report::{Report, State};
use super::unfinished::{self, ToSweep};
use crate::record::manifest::{FileEntry, Manifest};
use crate::record::shard::Shard;
use crate::record::summary::Summary;

/// The report of the sweep whose results are in `out`. They must have this identity and match the
/// digests of their manifest, and have no point that failed or disagrees.
pub(super) fn found(out: &Path, sweep: &ToSweep<'_>, shard: Option<Shard>) -> Option<Report> {
    if unfinished::is_kept(out) {
        return None;
    }
    let manifest = Manifest::<Value>::open(&out.join("manifest.json"), "").ok()?;
    let there = Identity::from_manifest(&manifest, manifest.configuration.clone());
    // A failed point must be evaluated again for its message: the manifest of a whole sweep has only counts.
    let points = &manifest.points;
    let went_wrong =
        manifest.shard.is_none() && (points.disagree + points.failed > 0 || points.ok == 0);
    if there != *sweep.identity || went_wrong {
        return None;
    }
    let listed = |name: &String| manifest.files.iter().any(|file| file.name == *name);
    let intact = |file: &FileEntry| file.found_in(out, "").is_ok();
    if !row_files(sweep.problems).iter().all(listed) || !manifest.files.iter().all(intact) {
        return None;
    }
    let summary = match manifest.shard {
        Some(entry) => entry.summary,
        None => Summary {
            tally: manifest.points,
            ..Summary::default()
        },
    };
    let state = State::FoundWhole;
    Some(Report {
        summary,
        files: Vec::new(),
        evaluated: 0,
        repeated: 0,
        elapsed: Duration::ZERO,
        shard,
        state,
    })
}
