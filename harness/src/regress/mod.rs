//! Whether any cost anywhere got worse: today's costs over the grids of `configs/regress.toml` against a baseline, or
//! one sweep against another.

mod baseline;
mod comparison;
pub mod costs;
mod grids;
pub mod history;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::AnyProblem;
use serde_json::Value;

use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::output::{self, Holder, Lock};
use crate::record::file_name;
use crate::record::manifest::{self, FileEntry, SCHEMA};
use crate::seal;
use crate::sweep;
use crate::units::shell_word;

pub use baseline::Baseline;
pub use comparison::{Change, Comparison, Tally, Verdict};
use costs::Costs;
pub use grids::GridChange;

/// Where the baseline is unless an option says otherwise.
pub const DIRECTORY: &str = "reports/baseline";

/// The command that makes the costs of today the baseline, with the options that were given.
pub struct Accept<'a> {
    /// The directory of the baseline.
    pub baseline: &'a Path,
    /// The configuration, if not the one built in.
    pub config: Option<&'a Path>,
}

impl Accept<'_> {
    /// What to do where that is meant.
    #[must_use]
    pub fn advice(&self) -> String {
        format!("to make the costs of today the baseline: {self}")
    }
}

impl fmt::Display for Accept<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let baseline = Some(self.baseline).filter(|path| *path != Path::new(DIRECTORY));
        f.write_str("castbench regress accept")?;
        for (option, path) in [("--baseline", baseline), ("--config", self.config)] {
            path.map_or(Ok(()), |path| write!(f, " {option} {}", shell_word(&path.to_string_lossy())))?;
        }
        f.write_str(" --reason \"...\"")
    }
}

/// The costs of today.
pub struct Today<'a> {
    /// What was evaluated.
    config: &'a Config,
    /// By problem.
    costs: Vec<Costs>,
}

/// A baseline and the history beside its directory, which change together, and by one castbench at a time.
pub struct Place {
    directory: PathBuf,
    reports: PathBuf,
    _locks: [Lock; 2],
}

impl Place {
    /// Locks both directories.
    ///
    /// # Errors
    /// Exit code 2 for a directory without a name, 74 where another castbench is accepting costs there, where it holds
    /// something else, or nothing can be written.
    pub fn of(baseline: &Path) -> Result<Self, Failure> {
        let (Some(reports), Some(_)) = (baseline.parent(), baseline.file_name()) else {
            let name = baseline.display();
            let expected = "expected a directory by its name, for the history is kept beside it";
            return Err(Failure::usage(format_args!("--baseline `{name}`: {expected}, as `reports/baseline`")));
        };
        let locks = [Lock::of(reports)?, Lock::of(baseline)?];
        Holder::Baseline.refuse_others(baseline)?;
        let files = PROBLEMS.iter().map(|&problem| (file_name(problem), baseline::header(problem)));
        output::refuse_strangers(baseline, files)?;
        Ok(Self { directory: baseline.to_owned(), reports: reports.to_owned(), _locks: locks })
    }
}

impl<'a> Today<'a> {
    /// Evaluates a configuration.
    ///
    /// # Errors
    /// Those of [`sweep::evaluate`]: what disagrees, failed or was interrupted is no cost to compare.
    pub fn evaluate(config: &'a Config, jobs: Option<usize>) -> Result<Self, Failure> {
        let mut costs = Vec::new();
        for (problem, csv) in sweep::evaluate(config, jobs)? {
            costs.push(Costs::of(problem, &csv[..], Path::new(&file_name(problem)))?);
        }
        Ok(Self { config, costs })
    }

    /// Compares a baseline with today: where the grids changed, the points in common.
    ///
    /// # Errors
    /// Exit code 8 for one that says nothing of today, 74 where it cannot be read.
    pub fn against(&self, baseline: &Baseline) -> Result<Comparison, Failure> {
        let changed_grids = baseline.grid_changes(self.config);
        Ok(Comparison { changed_grids, ..baseline.compare(&self.costs, false)? })
    }

    /// Makes today the baseline in place of the one that is known, if any, and appends to the history. Returns what changed; where nothing did, nothing is written.
    ///
    /// # Errors
    /// Exit code 74 where something cannot be read or written.
    pub fn accept(
        &self,
        known: Option<&Baseline>,
        place: Place,
        (date, reason): (&str, &str),
    ) -> Result<Option<Comparison>, Failure> {
        let comparison = match known {
            Some(baseline) => baseline.compare(&self.costs, true)?,
            None => self.alone(),
        };
        let moved = comparison.count(|tally| tally.bound_moved) > 0 || !comparison.changes.is_empty();
        let current = |baseline: &Baseline| baseline.grid_changes(self.config).is_empty() && baseline.is_current();
        if !moved && known.is_some_and(current) {
            return Ok(None);
        }
        let Place { directory, reports, _locks } = place;
        let rows = history::rows(&comparison, &self.costs, (date, reason)).collect();
        // The history first: killed after it, the next acceptance finds its rows there, and adds none.
        let mut drafts = Vec::from_iter(history::append(&reports, rows, known.is_some())?);
        let (baseline, stale) = baseline::write(&directory, &self.costs, self.config)?;
        drafts.extend(baseline);
        output::publish(drafts, &stale)?;
        Ok(Some(comparison))
    }

    /// Everything is new.
    fn alone(&self) -> Comparison {
        let mut comparison = Comparison::default();
        for costs in &self.costs {
            comparison.add(&Costs::default(), costs, &BTreeSet::new());
        }
        comparison.sorted()
    }
}

/// Compares the results of two sweeps.
///
/// # Errors
/// Exit code 8 where they have no point in common or are of another castbench, 74 where they cannot be read.
pub fn compare(old: &Path, new: &Path) -> Result<Comparison, Failure> {
    for directory in [old, new] {
        check_results(directory)?;
    }
    let mut comparison = Comparison::default();
    for &problem in PROBLEMS {
        let (before, now) = (Costs::read(old, problem)?, Costs::read(new, problem)?);
        comparison.add(&before.unwrap_or_default(), &now.unwrap_or_default(), &BTreeSet::new());
    }
    if comparison.in_common() == 0 {
        let explanation = format_args!(
            "`{}` and `{}` have no point in common; compare sweeps of grids that overlap",
            old.display(),
            new.display()
        );
        return Err(Failure::new(Code::Incomparable, explanation));
    }
    Ok(comparison.sorted())
}

/// Refuses a directory without results, and results that are not whole.
fn check_results(directory: &Path) -> Result<(), Failure> {
    let has =
        |name: fn(&dyn AnyProblem) -> String| PROBLEMS.iter().any(|problem| directory.join(name(*problem)).exists());
    if !has(file_name) {
        let reason = match has(crate::record::parquet::file_name) {
            true => "it holds Parquet files, and CSV is compared; sweep with `--format csv,parquet`",
            false => "it holds no results; name the directory of a sweep (`castbench sweep --out DIR`)",
        };
        return Err(Failure::read(directory, reason));
    }
    let path = directory.join("manifest.json");
    if !path.exists() {
        return manifest::refuse_stopped(directory);
    }
    let text = output::read_text(&path).map_err(|error| Failure::read(&path, error))?;
    let manifest: Value = serde_json::from_str(&text).map_err(|error| Failure::read(&path, error))?;
    if manifest["schema"] != SCHEMA {
        let explanation = format_args!("`{}` has schema {}, not {SCHEMA}", path.display(), manifest["schema"]);
        return Err(Failure::new(Code::Incomparable, format_args!("{explanation}; sweep again")));
    }
    seal::check(&path, &text, "sweep again")?;
    let files: Vec<FileEntry> =
        serde_json::from_value(manifest["files"].clone()).map_err(|error| Failure::read(&path, error))?;
    files.iter().try_for_each(|file| file.found_in(directory, "sweep again").map(drop))?;
    manifest::refuse_unlisted(directory, &files)?;
    if manifest["status"] == "shard" {
        let directory = directory.display();
        let explanation =
            format_args!("`{directory}` holds one shard of a sweep; put the shards together with `castbench merge`");
        return Err(Failure::new(Code::Incomparable, explanation));
    }
    Ok(())
}
