//! Evaluates the grids of a configuration in parallel and writes the rows in a fixed order.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use algorithms::catalogue::{Entry, Problem};
use rayon::prelude::*;
use serde::Deserialize;

use crate::config::Config;
use crate::failure::{Code, Failure, tell};
use crate::grid::{Cell, Grid};
use crate::output::Draft;
use crate::progress::Progress;
use crate::record::findings::{Finding, Findings, place};
use crate::record::manifest::{FileEntry, Manifest, RunStatus, Tally};
use crate::record::{self, Outcome, Status};
use crate::units::plural;

/// Cells evaluated between two visits to the file: enough to keep all threads busy, few enough to hold.
const CHUNK: u64 = 1 << 14;

/// A part of a sweep: one algorithm over one grid.
pub struct Part<'a> {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The grid.
    pub grid: &'a Grid,
    /// Grids before it, which may hold some of the same cells.
    earlier: &'a [Grid],
}

impl<'a> Part<'a> {
    /// All parts of a configuration: by problem, then by algorithm, then by grid.
    ///
    /// # Errors
    /// Exit code 4 where there is no point.
    pub fn all(config: &'a Config) -> Result<Vec<Self>, Failure> {
        let of = |(number, grid): (usize, &'a Grid)| {
            let earlier = &config.grids[..number];
            grid.algorithms.iter().map(move |&entry| Part { entry, grid, earlier })
        };
        let mut parts: Vec<Self> = config.grids.iter().enumerate().flat_map(of).collect();
        // Stable, so the grids of an algorithm keep their order.
        parts.sort_by_key(|part| (part.entry.problem(), part.entry.rank()));
        if parts.iter().all(|part| part.cells() == 0) {
            let name = config.name();
            let explanation =
                format_args!("{name}: no grid holds a point; add a [[grid]] with the axes of an algorithm");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(parts)
    }

    /// How many cells the part has, those of earlier grids included. A checked configuration keeps this in 64 bits.
    #[must_use]
    pub fn cells(&self) -> u64 {
        u64::try_from(self.grid.cells(self.entry)).unwrap_or(u64::MAX)
    }

    /// The cell with this number, unless an earlier grid has it.
    #[must_use]
    pub fn cell(&self, number: u64, seed: u64) -> Option<Cell<'a>> {
        let cell = self.grid.cell(self.entry, number, seed);
        let repeated = self.earlier.iter().any(|grid| grid.contains(self.entry, &cell));
        (!repeated).then_some(cell)
    }
}

/// What a sweep found.
pub struct Report {
    /// How the points ended.
    pub tally: Tally,
    /// The files written.
    pub files: Vec<FileEntry>,
    /// How the published figures fared.
    pub findings: Findings,
    /// How long it took.
    pub elapsed: Duration,
    /// The first point at which analytic and simulated cost differ.
    disagreement: Option<String>,
    /// The first point that could not be evaluated.
    failed: Option<String>,
    /// The first point that does not apply, and why.
    not_applicable: Option<String>,
    interrupted: bool,
}

/// Set from outside to stop a sweep; see [`stop_on_interrupt`].
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C stops a sweep and keeps what is finished.
///
/// # Errors
/// Exit code 1 where the handler cannot be set.
pub fn stop_on_interrupt() -> Result<(), Failure> {
    let stop = || {
        if !INTERRUPTED.swap(true, Ordering::Relaxed) {
            tell("stopping: the points under way are finished first");
        }
    };
    ctrlc::set_handler(stop)
        .map_err(|error| Failure::new(Code::Internal, format_args!("cannot watch for Ctrl-C: {error}")))
}

/// Runs a configuration and writes `PROBLEM.csv` for each problem, `findings.csv` and `manifest.json` into `out`.
///
/// # Errors
/// Exit code 4 where there is no point, 74 where `out` cannot be written.
pub fn run(config: &Config, out: &Path, jobs: Option<usize>) -> Result<Report, Failure> {
    let parts = Part::all(config)?;
    let total = parts.iter().map(Part::cells).sum();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()
        .map_err(|error| Failure::new(Code::Internal, format_args!("cannot start the threads: {error}")))?;
    let mut sweep = Sweep {
        config,
        progress: Progress::new(total),
        report: Report {
            tally: Tally::default(),
            files: Vec::new(),
            findings: Findings::default(),
            elapsed: Duration::ZERO,
            disagreement: None,
            failed: None,
            not_applicable: None,
            interrupted: false,
        },
    };
    // Everything that can be unwritable is opened before the first point is evaluated.
    let mut drafts = Vec::new();
    for problem in Problem::ALL {
        if parts.iter().any(|part| part.entry.problem() == problem) {
            drafts.push((problem, Draft::create(&out.join(record::file_name(problem)))?));
        }
    }
    let mut findings = Draft::create(&out.join("findings.csv"))?;
    let mut manifest = Draft::create(&out.join("manifest.json"))?;
    for (problem, draft) in &mut drafts {
        let own = parts.iter().filter(|part| part.entry.problem() == *problem);
        pool.install(|| sweep.problem(*problem, own, draft))?;
    }
    sweep.progress.finish();
    let stale = stale(out, &sweep.report.files);
    let mut report = sweep.report;
    report.elapsed = sweep.progress.elapsed();
    write_findings(&mut report, &mut findings)?;
    write_manifest(config, &report, &mut manifest)?;
    for (_, draft) in drafts {
        draft.publish()?;
    }
    findings.publish()?;
    manifest.publish()?;
    // What a sweep before this one left: beside the new manifest it would look like part of it.
    for path in stale {
        std::fs::remove_file(&path).map_err(|error| Failure::write(&path, &error))?;
    }
    Ok(report)
}

/// Results in `out` that the manifest there lists and the one to come will not.
fn stale(out: &Path, files: &[FileEntry]) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Old {
        files: Vec<FileEntry>,
    }
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap_or_default();
    let listed = serde_json::from_str::<Old>(&text).map_or_else(|_| Vec::new(), |old| old.files);
    let gone =
        |name: &String| listed.iter().any(|file| file.name == *name) && files.iter().all(|file| file.name != *name);
    let names = Problem::ALL.into_iter().map(record::file_name).filter(gone);
    names.map(|name| out.join(name)).filter(|path| path.is_file()).collect()
}

struct Sweep<'a> {
    config: &'a Config,
    progress: Progress,
    report: Report,
}

impl Sweep<'_> {
    fn problem<'p>(
        &mut self,
        problem: Problem,
        parts: impl Iterator<Item = &'p Part<'p>>,
        draft: &mut Draft,
    ) -> Result<(), Failure> {
        let path = draft.path().to_owned();
        let failed = |error: csv::Error| Failure::write(&path, &io::Error::from(error));
        let mut rows = 0;
        {
            let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(io::BufWriter::new(draft.file()));
            record::columns(problem).and_then(|columns| writer.write_record(columns)).map_err(failed)?;
            for part in parts {
                let mut next = 0;
                while next < part.cells() && !self.report.interrupted {
                    let end = part.cells().min(next + CHUNK);
                    for (cell, outcome) in self.chunk(part, next..end) {
                        self.record(part.entry, &cell, &outcome);
                        rows += 1;
                        writer.serialize(&outcome.row).map_err(failed)?;
                    }
                    next = end;
                }
            }
            writer.flush().map_err(|error| Failure::write(&path, &error))?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.report.files.push(FileEntry { name, rows, sha256: draft.digest()? });
        Ok(())
    }

    /// Evaluates the cells of a chunk in parallel; collecting keeps their order.
    fn chunk<'p>(&mut self, part: &Part<'p>, numbers: std::ops::Range<u64>) -> Vec<(Cell<'p>, Outcome)> {
        let (config, progress) = (self.config, &self.progress);
        let outcomes = numbers
            .into_par_iter()
            .filter_map(|number| {
                if INTERRUPTED.load(Ordering::Relaxed) {
                    return None;
                }
                let Some(cell) = part.cell(number, config.seed) else {
                    progress.skip();
                    return None;
                };
                let outcome = record::evaluate(part.entry, &cell, &config.limits);
                progress.tick();
                Some((cell, outcome))
            })
            .collect();
        self.report.interrupted = INTERRUPTED.load(Ordering::Relaxed);
        outcomes
    }

    fn record(&mut self, entry: &Entry, cell: &Cell<'_>, outcome: &Outcome) {
        let report = &mut self.report;
        let repeat = || format!("castbench cost {} {}", entry.name, place(cell));
        match outcome.status {
            Status::Ok => report.tally.ok += 1,
            Status::NotApplicable => {
                report.tally.not_applicable += 1;
                report
                    .not_applicable
                    .get_or_insert_with(|| format!("{}: {}", repeat(), outcome.row.note().unwrap_or_default()));
            }
            Status::Failed => {
                report.tally.failed += 1;
                report.failed.get_or_insert_with(repeat);
            }
            Status::Disagree => {
                report.tally.disagree += 1;
                report.disagreement.get_or_insert_with(repeat);
            }
        }
        if let Some(evaluation) = &outcome.evaluation {
            if evaluation.agreement() == algorithms::cost::Agreement::Agree {
                report.tally.simulated += 1;
            }
            report.findings.record(entry, cell, evaluation);
        }
    }
}

fn write_findings(report: &mut Report, draft: &mut Draft) -> Result<(), Failure> {
    let path = draft.path().to_owned();
    let failed = |error: csv::Error| Failure::write(&path, &io::Error::from(error));
    let mut rows = 0;
    {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(draft.file());
        let columns = record::columns_of(&Finding::default());
        columns.and_then(|columns| writer.write_record(columns)).map_err(failed)?;
        for finding in report.findings.rows() {
            rows += 1;
            writer.serialize(finding).map_err(failed)?;
        }
        writer.flush().map_err(|error| Failure::write(&path, &error))?;
    }
    report.files.push(FileEntry { name: "findings.csv".to_owned(), rows, sha256: draft.digest()? });
    Ok(())
}

fn write_manifest(config: &Config, report: &Report, draft: &mut Draft) -> Result<(), Failure> {
    let status = if report.interrupted { RunStatus::Interrupted } else { RunStatus::Complete };
    let manifest = Manifest::new(status, config.name(), config.resolved(), report.files.clone(), report.tally);
    let path = draft.path().to_owned();
    serde_json::to_writer_pretty(draft.file(), &manifest)
        .map_err(|error| Failure::write(&path, &io::Error::from(error)))
}

impl Report {
    /// The verdict: whether every point was evaluated and analytic and simulated agree everywhere.
    ///
    /// # Errors
    /// Exit code 5, 130, 9 or, where no point applies, 4, naming the first point concerned as a command that repeats it.
    pub fn verdict(&self) -> Result<(), Failure> {
        if let Some(point) = &self.disagreement {
            return Err(Failure::new(
                Code::Disagreement,
                format_args!(
                    "analytic and simulated cost differ at {}, which is a bug in castbench; the first is\n  {point}",
                    plural(self.tally.disagree, "point")
                ),
            ));
        }
        if self.interrupted {
            let rows = plural(self.rows(), "row");
            return Err(Failure::new(
                Code::Interrupted,
                format_args!("interrupted; what was finished is kept: {rows}"),
            ));
        }
        if let Some(point) = &self.failed {
            return Err(Failure::new(
                Code::PointsFailed,
                format_args!(
                    "{} could not be evaluated (column `note` says why); the first is\n  {point}",
                    plural(self.tally.failed, "point")
                ),
            ));
        }
        if let (Some(point), 0) = (&self.not_applicable, self.tally.ok) {
            let explanation = format_args!("no point applies to its algorithm; the first is\n  {point}");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(())
    }

    /// All rows of points.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let Tally { ok, simulated: _, not_applicable, failed, disagree } = self.tally;
        ok + not_applicable + failed + disagree
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::Algorithm;
    use algorithms::error::Error;
    use algorithms::logp::schedule::Schedule;
    use algorithms::logp::{LogP, Multicast};

    use super::*;
    use crate::config::axis::Values;

    /// Claims to be done a time unit before it is.
    struct Liar;

    impl Multicast for Liar {
        fn time(&self, model: LogP, K: u64, _: u64) -> Result<u64, Error> {
            Ok((K - 1) * model.D() - 1)
        }

        fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule {
            algorithms::logp::chain::Chain.schedule(model, K, source)
        }
    }

    static LIAR: Entry = Entry {
        name: "liar",
        summary: "",
        paper: "",
        place: "",
        revision: 1,
        algorithm: Algorithm::LogpMulticast(&Liar),
    };

    /// The one check that every number rests on can fail, and names the point.
    #[test]
    fn a_disagreement_fails_the_sweep() {
        let mut config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.message));
        let one = |value| Some(Values::one(value));
        config.grids = vec![Grid {
            name: "a".to_owned(),
            algorithms: vec![&LIAR],
            axes: [one(6), one(2), one(4), Some(Values::parse("2,3,5000").unwrap()), None, None, None, None, None],
            machines: None,
            sources: Values::one(1),
            trials: 1,
        }];
        let directory = tempfile::tempdir().unwrap();
        let report = run(&config, directory.path(), Some(1)).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((report.tally.disagree, report.tally.ok), (2, 1));
        let failure = report.verdict().unwrap_err();
        assert_eq!(failure.code, Code::Disagreement);
        assert!(failure.message.contains("castbench cost liar -L 6 -o 2 -g 4 -K 2 --source 1"), "{}", failure.message);
    }
}
