//! The baseline: the accepted cost of every algorithm. One line per point, sorted, so that reviews show changes
//! clearly.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use algorithms::catalogue::{self, PROBLEMS, entries};
use algorithms::problem::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Accept;
use super::comparison::{Comparison, rank};
use super::costs::{Costs, columns};
use super::grids::{self, GridChange, RecordedGrid};
use crate::base::failure::{Code, Failure, Result};
use crate::base::revision::revision;
use crate::config::Config;
use crate::output::seal::{self, Expected};
use crate::output::{self, CsvWriter, Directory, Draft, Holder, Target};
use crate::print::column;
use crate::record::manifest::FileEntry;
use crate::record::{file_name, row};

/// Version of the files of a baseline.
const SCHEMA: u32 = 2;

#[derive(Serialize, Deserialize)]
struct BaselineManifest {
    schema: u32,
    version: String,
    revision: String,
    /// The declared revision of each algorithm.
    algorithms: BTreeMap<String, u32>,
    /// The grids without their algorithms: a new algorithm makes no point incomparable.
    grids: Value,
    files: Vec<FileEntry>,
}

/// A checked baseline.
pub struct Baseline {
    directory: PathBuf,
    manifest: BaselineManifest,
}

impl Baseline {
    /// Opens and checks the baseline in a directory; `None` if there is none. `accept` replaces it.
    ///
    /// # Errors
    /// Exit code 8 for one of another castbench, 74 for one that cannot be read or was edited.
    pub fn open(directory: &Path, accept: &Accept<'_>) -> Result<Option<Self>> {
        let path = directory.join("manifest.json");
        if !path.exists() {
            return Ok(None);
        }
        let advice = &format!("restore it, or accept the current costs as the baseline: {accept}");
        let expected = Expected {
            schema: SCHEMA,
            otherwise: Code::Incomparable,
            of: &[Holder::Baseline],
            advice,
        };
        let manifest: BaselineManifest = seal::open(&path, &expected)?;
        if manifest.files.is_empty() {
            return Err(Failure::read(
                &path,
                format_args!("it lists no files; {advice}"),
            ));
        }
        manifest
            .files
            .iter()
            .try_for_each(|file| file.found_in(directory, advice).map(drop))?;
        Ok(Some(Self {
            directory: directory.to_owned(),
            manifest,
        }))
    }

    /// Whether every algorithm has its recorded revision.
    pub fn is_current(&self) -> bool {
        self.revised().is_empty()
    }

    fn revised(&self) -> BTreeSet<String> {
        entries()
            .iter()
            .filter(|entry| {
                self.manifest
                    .algorithms
                    .get(entry.name)
                    .is_some_and(|&known| known != entry.revision)
            })
            .map(|entry| entry.name.to_owned())
            .collect()
    }

    /// The changes from its grids to those of a configuration. Unreadable grids count as none.
    pub fn grid_changes(&self, config: &Config) -> Vec<GridChange> {
        grids::changes(&self.grids(), &grids::from_config(config))
    }

    /// Whether a machine of its points has other numbers in a configuration.
    pub fn has_other_machines(&self, config: &Config) -> bool {
        grids::have_other_machines(&self.grids(), &grids::from_config(config))
    }

    fn grids(&self) -> Vec<RecordedGrid> {
        Vec::deserialize(&self.manifest.grids).unwrap_or_default()
    }

    /// Its costs, by problem.
    ///
    /// # Errors
    /// Exit code 8 for files without the current columns, 74 if they cannot be read.
    pub fn costs(&self) -> Result<Vec<Costs>> {
        PROBLEMS
            .iter()
            .filter_map(|problem| self.costs_of(problem).transpose())
            .collect()
    }

    fn costs_of(&self, problem: &'static Problem) -> Result<Option<Costs>> {
        let name = file_name(problem);
        if !self.manifest.files.iter().any(|file| file.name == name) {
            return Ok(None);
        }
        Costs::read(&self.directory, problem)
    }

    /// Compares it with current costs. Algorithms with another revision are incomparable, unless `all` is set.
    ///
    /// # Errors
    /// Exit code 8 for files without the current columns, 74 if they cannot be read.
    pub fn compare(&self, today: &[Costs], all: bool) -> Result<Comparison> {
        let revised = if all { BTreeSet::new() } else { self.revised() };
        let mut comparison = Comparison::default();
        for problem in PROBLEMS {
            let old = self.costs_of(problem)?;
            let (old, none) = (old.unwrap_or_default(), Costs::default());
            let new = today
                .iter()
                .find(|costs| costs.problem == Some(problem))
                .unwrap_or(&none);
            // An algorithm without a recorded revision may have been another one.
            let incomparable: BTreeSet<String> = old
                .algorithms
                .keys()
                .filter(|name| !all && !self.manifest.algorithms.contains_key(*name))
                .chain(&revised)
                .cloned()
                .collect();
            comparison.add(&old, new, &incomparable);
        }
        Ok(comparison.sorted())
    }
}

/// The drafts of a baseline, its manifest last, and the files of the old one to remove.
type Written = (Vec<Draft>, Vec<Target>);

/// Writes these costs as a baseline.
///
/// # Errors
/// Exit code 74 if it cannot be written.
pub fn write(directory: &Path, costs: &[Costs], config: &Config) -> Result<Written> {
    let mut manifest = BaselineManifest {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: revision().to_owned(),
        algorithms: BTreeMap::new(),
        grids: serde_json::to_value(grids::from_config(config)).unwrap_or_default(),
        files: Vec::new(),
    };
    let mut drafts = Vec::new();
    for costs in costs {
        let Some(problem) = costs.problem else {
            continue;
        };
        manifest.algorithms.extend(
            costs
                .algorithms
                .keys()
                .filter_map(|name| Some((name.clone(), catalogue::find(name)?.revision))),
        );
        let mut draft = Draft::create(&directory.join(file_name(problem)))?;
        let rows = write_costs(&mut draft, problem, costs)?;
        manifest.files.push(FileEntry {
            name: file_name(problem),
            rows,
            sha256: draft.digest()?,
        });
        drafts.push(draft);
    }
    let path = directory.join("manifest.json");
    let mut text = seal::pretty(&manifest)?;
    text.push(b'\n');
    drafts.push(Draft::with_contents(&path, &text)?);
    let stale = PROBLEMS
        .iter()
        .map(file_name)
        .filter(|name| manifest.files.iter().all(|file| file.name != *name));
    let directory = Directory::make(directory)?;
    let there = stale.filter(|name| directory.has(name).unwrap_or(false));
    Ok((drafts, there.map(|name| directory.target(name)).collect()))
}

/// Algorithms in the order of the catalogue, points in numeric order.
fn write_costs(draft: &mut Draft, problem: &'static Problem, costs: &Costs) -> Result<u64> {
    let path = draft.path().to_owned();
    let failed = |error: csv::Error| match error.into_kind() {
        // The kind of the error selects the advice.
        csv::ErrorKind::Io(error) => Failure::write(&path, &error),
        other => failure!(Internal, "{other:?}"),
    };
    let columns = columns(problem);
    let mut writer = CsvWriter::new(draft.file());
    writer
        .write_record(column::names(&columns))
        .map_err(failed)?;
    let mut names: Vec<&String> = costs.algorithms.keys().collect();
    names.sort_by_key(|name| rank(name));
    let mut rows = 0;
    for name in names {
        for (point, cost) in &costs.algorithms[name] {
            let row = point.row(problem, name, cost);
            // Without a machine profile its field is empty.
            let fields = columns.iter().map(|column| column.field(&row));
            writer
                .write_record(fields.map(|field| row::text(&field).to_owned()))
                .map_err(failed)?;
            rows += 1;
        }
    }
    writer.flush().map_err(output::unwritten(&path))?;
    Ok(rows)
}
