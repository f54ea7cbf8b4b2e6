//! Evaluates the grids of a configuration in parallel and writes the rows in a fixed order.
//!
//! The cells have one order ([`parts`]); consecutive ones are evaluated together, as CSV ([`block`]), and appended to
//! files that stand apart until they are whole ([`unfinished`]), so that a sweep can be stopped at any time and goes
//! on with the same bytes. Memory holds a few batches of blocks, however many rows there are.

mod block;
mod effort;
mod identity;
mod lock;
mod merge;
mod parts;
mod pipeline;
mod publish;
mod shard;
mod summary;
mod unfinished;
mod whole;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use algorithms::catalogue::Problem;

use crate::config::Config;
use crate::failure::{Code, Failure, tell};
use crate::progress::Progress;
use crate::record::manifest::{FileEntry, Manifest};
use crate::units::plural;

pub use merge::merge;
pub use parts::{Part, Place};
pub use publish::Formats;
pub use shard::{Cuts, MOST_SHARDS, Shard, Stretch};
pub use summary::Summary;
pub use unfinished::Existing;

use identity::Identity;
use unfinished::Unfinished;

/// How a sweep is run; no rows depend on more of it than on the shard.
#[derive(Debug, Default, Clone, Copy)]
pub struct Options {
    /// Threads; one for each core where it is not said.
    pub jobs: Option<usize>,
    /// Only this stretch.
    pub shard: Option<Shard>,
    /// What to do with an unfinished sweep in the same place.
    pub existing: Existing,
    /// In which formats the rows are written; a shard is written as CSV.
    pub formats: Formats,
}

/// What a sweep found.
pub struct Report {
    /// How its points ended and how the published figures fared.
    pub summary: Summary,
    /// The files written; none where it was stopped.
    pub files: Vec<FileEntry>,
    /// How many points were evaluated now, and not before the sweep was taken up again.
    pub evaluated: u64,
    /// How long that took.
    pub elapsed: Duration,
    /// The stretch, where it was not the whole.
    shard: Option<Shard>,
    /// Where the rows are that were finished when it was stopped.
    stopped: Option<PathBuf>,
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

/// Runs a configuration, or a shard of it, and writes `PROBLEM.csv` for each problem, `findings.csv` (of a whole sweep)
/// and `manifest.json` into `out`, all of them or none.
///
/// # Errors
/// Exit code 2 where an unfinished sweep is in the way, 4 where there is no point, 74 where `out` cannot be written.
pub fn run(config: &Config, out: &Path, options: &Options) -> Result<Report, Failure> {
    let parts = Part::all(config)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .build()
        .map_err(|error| Failure::new(Code::Internal, format_args!("cannot start the threads: {error}")))?;
    let cells = match options.shard {
        None => Place::default()..Place { part: parts.len(), cell: 0 },
        Some(shard) => pool.install(|| Cuts::new(&parts, config, shard.of).stretch(shard.index)).cells,
    };
    let mut problems: Vec<Problem> = parts.iter().map(|part| part.entry.problem()).collect();
    problems.dedup();
    let identity = Identity::new(config, options.shard)?;
    if options.existing == Existing::Resume
        && let Some(report) = whole::found(out, &problems, &identity, options)
    {
        tell(format_args!("`{}` holds the whole of it already", out.display()));
        return Ok(report);
    }
    let unfinished = Unfinished::open(out, &problems, &identity, cells.start, options.existing)?;
    let before = unfinished.summary.points();
    let total = parts::cells_between(&parts, &cells);
    let progress = Progress::new(total, total - parts::cells_between(&parts, &(unfinished.next..cells.end)));
    let source = pipeline::Source { config, parts: &parts, end: cells.end, pool: &pool, progress: &progress };
    let unfinished = pipeline::run(&source, unfinished)?;
    progress.finish();
    let mut report = Report {
        summary: unfinished.summary.clone(),
        files: Vec::new(),
        evaluated: unfinished.summary.points() - before,
        elapsed: progress.elapsed(),
        shard: options.shard,
        stopped: None,
    };
    if parts::cells_between(&parts, &(unfinished.next..cells.end)) > 0 {
        report.stopped = Some(out.to_owned());
    } else {
        report.files = publish::publish(out, unfinished, options.formats, options.shard, Manifest::new(config))?;
    }
    Ok(report)
}

impl Report {
    /// The verdict: whether every point was evaluated and analytic and simulated agree everywhere.
    ///
    /// # Errors
    /// Exit code 5, 130, 9 or, where no point applies, 4, naming the first point concerned as a command that repeats it.
    pub fn verdict(&self) -> Result<(), Failure> {
        let tally = &self.summary.tally;
        if let Some(point) = &self.summary.disagreement {
            return Err(Failure::new(
                Code::Disagreement,
                format_args!(
                    "analytic and simulated cost differ at {}, which is a bug in castbench; the first is\n  {point}",
                    plural(tally.disagree, "point")
                ),
            ));
        }
        if let Some(out) = &self.stopped {
            let explanation = format_args!(
                "interrupted after {}, which are kept; the same command with --resume goes on from there (into `{}`)",
                plural(self.summary.points(), "point"),
                out.display(),
            );
            return Err(Failure::new(Code::Interrupted, explanation));
        }
        if let Some(point) = &self.summary.failed {
            return Err(Failure::new(
                Code::PointsFailed,
                format_args!(
                    "{} could not be evaluated (column `note` says why); the first is\n  {point}",
                    plural(tally.failed, "point")
                ),
            ));
        }
        // The other shards may hold points that apply.
        if let (Some(point), 0, None) = (&self.summary.not_applicable, tally.ok, self.shard) {
            let explanation = format_args!("no point applies to its algorithm; the first is\n  {point}");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::{Algorithm, Entry};
    use algorithms::error::Error;
    use algorithms::logp::schedule::Schedule;
    use algorithms::logp::{LogP, Multicast};

    use super::*;
    use crate::config::axis::Values;
    use crate::grid::Grid;

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
        step_ns: 100,
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
        let report =
            run(&config, directory.path(), &Options::default()).unwrap_or_else(|failure| panic!("{}", failure.message));
        assert_eq!((report.summary.tally.disagree, report.summary.tally.ok), (2, 1));
        let failure = report.verdict().unwrap_err();
        assert_eq!(failure.code, Code::Disagreement);
        assert!(failure.message.contains("castbench cost liar -L 6 -o 2 -g 4 -K 2 --source 1"), "{}", failure.message);
    }
}
