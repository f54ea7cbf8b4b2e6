//! Whether any cost got worse: current costs over the grids of `configs/regress.toml` against a baseline, or one sweep
//! against another.

mod acceptance;
pub mod audit;
mod baseline;
mod comparison;
pub mod costs;
mod grids;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use serde::Deserialize;

use crate::base::failure::{Code, Failure, Result};
use crate::base::units::shell_word;
use crate::config::Config;
use crate::output::seal::{self, Expected};
use crate::output::{self, Holder, Lock};
use crate::print::column;
use crate::record::file_name;
use crate::record::history;
use crate::record::manifest::{self, FileEntry, SCHEMA};

pub use baseline::Baseline;
pub use comparison::{Change, Comparison, Verdict, Verdicts};
use costs::{Costs, columns};
pub use grids::{GridChange, RecordedGrid, tell_others};

/// Default directory of the baseline.
pub const DIRECTORY: &str = "reports/baseline";

/// The command that accepts the current costs, with the given options.
pub struct Accept<'a> {
    /// The directory of the baseline.
    pub baseline: &'a Path,
    /// The configuration, unless it is built in.
    pub config: Option<&'a Path>,
}

impl Accept<'_> {
    /// What to do if the change is intended.
    pub fn advice(&self) -> String {
        format!("to accept the current costs as the baseline: {self}")
    }

    /// The command that compares the current costs with the baseline.
    pub fn comparing(&self) -> String {
        format!("castbench regress{}", self.options())
    }

    fn options(&self) -> String {
        let baseline = Some(self.baseline).filter(|path| *path != Path::new(DIRECTORY));
        let options = [("--baseline", baseline), ("--config", self.config)];
        let given = options.into_iter().filter_map(|(option, path)| {
            Some(format!(
                " {option} {}",
                shell_word(&path?.to_string_lossy())
            ))
        });
        given.collect()
    }
}

impl fmt::Display for Accept<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = self.options();
        write!(f, "castbench regress accept{options} --reason \"...\"")
    }
}

/// The current costs.
pub struct Today<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// Its costs, by problem.
    pub costs: Vec<Costs>,
    /// Why some points have none.
    pub failure: Option<Failure>,
}

/// A baseline and its history, which change together, by one castbench at a time.
pub struct Locked {
    directory: PathBuf,
    reports: PathBuf,
    _locks: [Lock; 2],
}

impl Locked {
    /// Locks both directories.
    ///
    /// # Errors
    /// Exit code 2 for a directory without a name, 74 if another castbench holds the lock, the directory has other
    /// results, or it cannot be written.
    pub fn new(baseline: &Path) -> Result<Self> {
        let (Some(reports), Some(_)) = (baseline.parent(), baseline.file_name()) else {
            let name = baseline.display();
            let expected =
                "expected the name of a directory, because the history is stored beside it";
            bail!("--baseline `{name}`: {expected}, as `reports/baseline`");
        };
        let locks = [Lock::new(reports)?, Lock::new(baseline)?];
        Holder::Baseline.refuse_others(baseline)?;
        let files = PROBLEMS
            .iter()
            .map(|problem| (file_name(problem), column::header(&columns(problem))));
        output::refuse_strangers(baseline, files)?;
        Ok(Self {
            directory: baseline.to_owned(),
            reports: reports.to_owned(),
            _locks: locks,
        })
    }
}

impl Today<'_> {
    /// These costs, if all points have one.
    ///
    /// # Errors
    /// Why some have none.
    pub fn whole(self) -> Result<Self> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self),
        }
    }

    /// Compares a baseline with the current costs; if its points or machines changed, at the common points.
    ///
    /// # Errors
    /// Exit code 8 if nothing can be compared, 74 if it cannot be read.
    pub fn against(&self, baseline: &Baseline) -> Result<Comparison> {
        let mut comparison = baseline.compare(&self.costs, false)?;
        if comparison.count(|tally| tally.gone) > 0 || baseline.has_other_machines(self.config) {
            comparison.changed_grids = baseline.grid_changes(self.config);
        }
        Ok(comparison)
    }

    /// Accepts the current costs as the baseline and appends to the history. Returns the changes; without changes,
    /// writes nothing.
    ///
    /// # Errors
    /// Exit code 74 if a file cannot be read or written.
    pub fn accept(
        &self,
        known: Option<&Baseline>,
        locked: Locked,
        (date, reason): (&str, &str),
    ) -> Result<Option<Comparison>> {
        let comparison = match known {
            Some(baseline) => baseline.compare(&self.costs, true)?,
            None => self.alone(),
        };
        let moved =
            comparison.count(|tally| tally.bound_moved) > 0 || !comparison.changes.is_empty();
        let current = |baseline: &Baseline| {
            baseline.grid_changes(self.config).is_empty() && baseline.is_current()
        };
        if !moved && known.is_some_and(current) {
            return Ok(None);
        }
        let Locked {
            directory,
            reports,
            _locks,
        } = locked;
        let before = known.map(Baseline::costs).transpose()?.unwrap_or_default();
        let costs = (&before[..], &self.costs[..]);
        let rows = acceptance::rows(&comparison, costs, (date, reason)).collect();
        // The history comes first: if killed after it, the next acceptance finds its rows and adds none.
        let mut drafts = Vec::from_iter(history::append(&reports, rows, known.is_some())?);
        let (baseline, stale) = baseline::write(&directory, &self.costs, self.config)?;
        drafts.extend(baseline);
        output::publish(drafts, &stale)?;
        Ok(Some(comparison))
    }

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
/// Exit code 8 if they have no common point or are of another castbench, 74 if they cannot be read.
pub fn compare(old: &Path, new: &Path) -> Result<Comparison> {
    for directory in [old, new] {
        check_results(directory)?;
    }
    let mut comparison = Comparison::default();
    for problem in PROBLEMS {
        let (before, now) = (Costs::read(old, problem)?, Costs::read(new, problem)?);
        comparison.add(
            &before.unwrap_or_default(),
            &now.unwrap_or_default(),
            &BTreeSet::new(),
        );
    }
    if comparison.in_common() == 0 {
        let failed = comparison.left.statements().next();
        let failed = failed.filter(|_| !comparison.left.failed.is_empty());
        bail!(
            Incomparable,
            "`{}` and `{}` have no common point; {}",
            old.display(),
            new.display(),
            failed.unwrap_or_else(|| "compare sweeps of grids that overlap".to_owned())
        );
    }
    Ok(comparison.sorted())
}

/// What the manifests of sweeps and baselines both state; only those of sweeps have a status.
#[derive(Deserialize)]
struct Listed {
    files: Vec<FileEntry>,
    status: Option<String>,
}

/// Refuses a directory without results of a whole sweep.
fn check_results(directory: &Path) -> Result {
    if !PROBLEMS
        .iter()
        .any(|problem| directory.join(file_name(problem)).exists())
    {
        let reason =
            "it has no results; name the directory of a sweep (`castbench sweep --out DIR`)";
        return Err(Failure::read(directory, reason));
    }
    let path = directory.join("manifest.json");
    manifest::check_stopped(directory, path.exists())?;
    if !path.exists() {
        return Ok(());
    }
    let advice = "sweep again";
    let manifest: Listed = seal::open(
        &path,
        &Expected {
            schema: SCHEMA,
            otherwise: Code::Incomparable,
            of: &[Holder::Sweep, Holder::Baseline],
            advice,
        },
    )?;
    manifest
        .files
        .iter()
        .try_for_each(|file| file.found_in(directory, advice).map(drop))?;
    manifest::refuse_unlisted(directory, &manifest.files)?;
    if manifest.status.as_deref() == Some("shard") {
        let directory = directory.display();
        bail!(
            Incomparable,
            "`{directory}` holds one shard of a sweep; merge the shards with `castbench merge`"
        );
    }
    Ok(())
}
