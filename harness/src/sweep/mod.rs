//! Evaluates the grids of a configuration in parallel and writes the rows in a fixed order.
//!
//! The cells have one order (`parts`). Blocks of consecutive cells are evaluated as CSV (`block`) and appended to
//! separate files until the sweep is complete (`unfinished`). So a sweep can stop at any time and resume to the same
//! bytes. Memory holds a few batches of blocks, however many rows there are.

mod block;
mod estimate;
mod identity;
mod merge;
mod parts;
mod pipeline;
mod publish;
mod report;
mod unfinished;
mod whole;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use algorithms::problem::Problem;

use crate::base::failure::{Code, Failure, Result};
use crate::base::progress::{self, Progress};
use crate::base::threads;
use crate::config::Config;
use crate::output;
use crate::output::interruption::INTERRUPTED;
use crate::plans;
use crate::record::manifest::Manifest;
use crate::record::shard::Shard;
use crate::record::summary::Summary;

pub use block::{Keep, csv};
pub use estimate::{ROW_BYTES, work};
pub use identity::Existing;
pub use merge::merge;
pub use parts::Part;
pub use report::{Report, State};
pub use unfinished::header;

use identity::Identity;
use parts::Cells;
use unfinished::{ToSweep, Unfinished};

/// How a sweep runs; the rows depend only on the shard.
#[derive(Debug, Default, Clone, Copy)]
pub struct Options {
    /// Threads; by default one per core.
    pub jobs: Option<usize>,
    /// Only this shard.
    pub shard: Option<Shard>,
    /// What to do with an unfinished sweep in the same directory.
    pub existing: Existing,
    /// Time between checkpoints; by default two seconds.
    pub checkpoint_every: Option<Duration>,
}

/// Sweeps a configuration or a shard and writes `PROBLEM.csv` for each problem, `findings.csv` (of a whole sweep) and
/// `manifest.json` into `out`. If it fails or stops before, `Existing::Resume` continues it.
///
/// # Errors
/// Exit code 2 if an unfinished sweep is in the way, 4 without points, 74 if `out` cannot be written.
pub fn run(config: &Config, out: &Path, options: &Options) -> Result<Report> {
    let parts = Part::all(config)?;
    let pool = threads::pool(options.jobs)?;
    let cells = Cells::new(&parts, options.shard.unwrap_or(Shard::WHOLE));
    let problems = problems(&parts);
    let sweep = ToSweep {
        problems: &problems,
        identity: &Identity::new(config, options.shard)?,
        end: cells.len(),
        checkpoint_every: options.checkpoint_every,
    };
    let found = || {
        (options.existing == Existing::Resume)
            .then(|| whole::found(out, &sweep, options.shard))
            .flatten()
    };
    // Complete results without traces of a killed process need no writing.
    let is_tidy = !output::is_touched(out);
    if is_tidy && let Some(report) = found() {
        return Ok(report);
    }
    let lock = publish::lock(out, &sweep)?;
    if !is_tidy && let Some(report) = found() {
        unfinished::remove(&lock)?;
        return Ok(report);
    }
    let unfinished = Unfinished::open(lock, &sweep, options.existing)?;
    let extra = estimate::in_units(estimate::steps_left(&cells, unfinished.next, config));
    let progress = Progress::weighted(
        cells.len(),
        unfinished.next,
        "points",
        extra,
        progress::clock(),
    );
    let source = pipeline::Source {
        config,
        cells: &cells,
        pool: &pool,
        progress: &progress,
        stop: &INTERRUPTED,
        keep: &|problem, rows| csv(problem, rows, config.has_networks(problem)),
    };
    finish(out, options, &source, unfinished).map_err(|failure| advise(out, failure))
}

/// Evaluates a configuration until `stop` is set, keeps of the rows of a problem what `keep` makes of them on any thread, and
/// gives it to `take` in order; `progress` shows how far it is.
///
/// # Errors
/// Exit code 4 without points, 130 if stopped.
pub fn evaluate<T: Send>(
    config: &Config,
    jobs: Option<usize>,
    stop: &AtomicBool,
    progress: impl FnOnce(u64, u64) -> Progress,
    (keep, mut take): (&Keep<'_, T>, impl FnMut(&'static Problem, T) -> Result),
) -> Result<Report> {
    let parts = Part::all(config)?;
    let pool = threads::pool(jobs)?;
    let cells = Cells::new(&parts, Shard::WHOLE);
    let progress = progress(
        cells.len(),
        estimate::in_units(estimate::steps_left(&cells, 0, config)),
    );
    let source = pipeline::Source {
        config,
        cells: &cells,
        pool: &pool,
        progress: &progress,
        stop,
        keep,
    };
    let (mut summary, mut next) = (Summary::default(), 0);
    pipeline::run(&source, next, |block| {
        if let Some(block) = block {
            take(block.problem, block.kept)?;
            summary.absorb(block.summary);
            next = block.positions.end;
        }
        Ok(())
    })?;
    plans::end_all()?;
    progress.finish();
    if next < cells.len() {
        bail!(Interrupted, "interrupted; nothing is kept");
    }
    Ok(Report {
        evaluated: summary.points(),
        repeated: cells.len().saturating_sub(summary.points()),
        summary,
        files: Vec::new(),
        elapsed: progress.elapsed(),
        shard: None,
        state: State::Evaluated,
    })
}

fn problems(parts: &[Part<'_>]) -> Vec<&'static Problem> {
    let mut problems: Vec<&'static Problem> =
        parts.iter().map(|part| part.entry.problem()).collect();
    problems.dedup();
    problems
}

fn finish(
    out: &Path,
    options: &Options,
    source: &pipeline::Source<'_, Vec<u8>>,
    mut unfinished: Unfinished,
) -> Result<Report> {
    let before = unfinished.summary.points();
    let evaluated = pipeline::run(source, unfinished.next, |block| unfinished.take(block));
    if let Err(failure) = plans::end_all() {
        // No row may be continued whose costs are those of other points.
        unfinished.kept = false;
        return Err(failure);
    }
    evaluated?;
    unfinished.checkpoint()?;
    source.progress.finish();
    let mut report = Report {
        summary: unfinished.summary.clone(),
        files: Vec::new(),
        evaluated: unfinished.summary.points() - before,
        repeated: unfinished.next.saturating_sub(unfinished.summary.points()),
        elapsed: source.progress.elapsed(),
        shard: options.shard,
        state: State::Evaluated,
    };
    if unfinished.next < source.cells.len() {
        report.state = State::Stopped(out.to_owned());
    } else {
        let manifest = Manifest::new(source.config.name().to_owned(), source.config.resolved());
        report.files = publish::publish(unfinished, options.shard, manifest)?;
    }
    Ok(report)
}

fn advise(out: &Path, failure: Failure) -> Failure {
    if failure.code != Code::Output || !unfinished::is_kept(out) {
        return failure;
    }
    let message = format!(
        "{}; finished points are kept, and the same command with --resume continues",
        failure.message
    );
    Failure { message, ..failure }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use algorithms::catalogue::{entries, problem};
    use algorithms::error::Error;
    use algorithms::internals::logp::multicast::Multicast;
    use algorithms::internals::logp::multicast::problem::{LOGP_MULTICAST, MULTICASTS};
    use algorithms::internals::logp::multicast::schedule::Schedule;
    use algorithms::internals::problem::{Listed, Listing, algorithms_of};
    use algorithms::logp::LogP;
    use algorithms::problem::{About, Entry, Problem};

    use super::*;
    use crate::space::Space;
    use crate::space::Values;

    /// Claims a time one unit too small, and panics for [`Liar::LOST`] nodes.
    struct Liar;

    impl Liar {
        const LOST: u64 = 6000;
    }

    impl Multicast for Liar {
        fn time(&self, model: LogP, K: u64, _: u64) -> Result<u64, Error> {
            assert_ne!(K, Self::LOST, "no time");
            Ok((K - 1) * model.D() - 1)
        }

        fn schedule(&self, model: LogP, K: u32, source: u32) -> Schedule {
            algorithms::internals::logp::multicast::chain::CHAIN.schedule(model, K, source)
        }
    }

    /// Multicast under LogP by an algorithm that is not in the catalogue.
    static LYING: Problem = Problem::new(
        ["lying", "Multicast under LogP"],
        LOGP_MULTICAST.axes,
        &[&[("L", 6), ("o", 2), ("g", 4), ("K", 18), ("source", 1)]],
        &Listing {
            point: MULTICASTS.point,
            entries: &[Listed::<dyn Multicast> {
                about: About {
                    name: "liar",
                    summary: "",
                    paper: "",
                    section: "",
                    revision: 1,
                    is_given: false,
                },
                algorithm: &Liar,
            }],
        },
    );

    fn config(entry: Entry, K: &str) -> Config {
        let mut config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.message));
        let values = [("L", "6"), ("o", "2"), ("g", "4"), ("K", K)];
        let axes = values
            .map(|(key, values)| {
                (
                    key,
                    Values::parse(values, algorithms::problem::Kind::Count).unwrap(),
                )
            })
            .into();
        config.grids = vec![Space {
            name: "a".to_owned(),
            algorithms: vec![entry],
            axes,
            ..Space::default()
        }];
        config
    }

    fn run(config: &Config, out: &Path, existing: Existing) -> Report {
        super::run(
            config,
            out,
            &Options {
                existing,
                ..Options::default()
            },
        )
        .unwrap_or_else(|failure| panic!("{}", failure.message))
    }

    /// The check behind every cost can fail, and names the point.
    #[test]
    fn a_disagreement_fails_the_sweep() {
        let directory = tempfile::tempdir().unwrap();
        let report = run(
            &config(algorithms_of(&LYING, 0).next().unwrap(), "2,3,5000"),
            directory.path(),
            Existing::Refuse,
        );
        assert_eq!(
            (report.summary.tally.disagree, report.summary.tally.ok),
            (2, 1)
        );
        let failure = report.verdict().unwrap_err();
        assert_eq!(failure.code, Code::Disagreement);
        assert!(
            failure
                .message
                .contains("castbench cost liar -L 6 -o 2 -g 4 -K 2 --source 1"),
            "{}",
            failure.message
        );
    }

    /// A panic is in the row of its point; all other points are evaluated and published.
    #[test]
    fn a_panic_costs_its_point() {
        let directory = tempfile::tempdir().unwrap();
        let report = run(
            &config(algorithms_of(&LYING, 0).next().unwrap(), "5000,6000,7000"),
            directory.path(),
            Existing::Refuse,
        );
        assert_eq!(
            (report.summary.tally.failed, report.summary.tally.ok),
            (1, 2)
        );
        let rows = std::fs::read_to_string(directory.path().join("lying.csv")).unwrap();
        let lost: Vec<&str> = rows.lines().filter(|row| row.contains("failed")).collect();
        assert!(
            rows.lines().count() == 4 && lost.len() == 1 && lost[0].contains(",6000,"),
            "{rows}"
        );
        assert!(
            lost[0].contains("the evaluation panicked") && lost[0].contains("a bug in castbench"),
            "{rows}"
        );
        let failure = report.verdict().unwrap_err();
        assert_eq!(failure.code, Code::PointsFailed);
        assert!(
            failure
                .message
                .contains("castbench cost liar -L 6 -o 2 -g 4 -K 6000"),
            "{}",
            failure.message
        );
    }

    /// The first points of the sweep are named, whichever shard is merged first; a block ends when its time is over.
    #[test]
    fn what_shards_found_adds_up_in_any_order() {
        let config = config(algorithms_of(&LYING, 0).next().unwrap(), "2..21");
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let found = |shard: Shard| {
            let (cells, mut summary, mut next) = (Cells::new(&parts, shard), Summary::default(), 0);
            while next < cells.len() {
                let stop = AtomicBool::new(false);
                let block = block::evaluate(
                    (&config, &cells),
                    next..cells.len(),
                    Duration::ZERO,
                    &stop,
                    &|problem, rows| csv(problem, rows, false),
                );
                let block = block.unwrap_or_else(|failure| panic!("{}", failure.message));
                assert_eq!(block.positions, next..next + 1);
                summary.absorb(block.summary);
                next += 1;
            }
            summary
        };
        let whole = found(Shard::WHOLE);
        assert!(whole.points() == 20 && whole.disagreement.is_some());
        for of in [2, 3, 30] {
            let mut merged = Summary::default();
            (1..=of)
                .rev()
                .for_each(|index| merged.absorb(found(Shard { index, of })));
            assert_eq!(merged, whole);
        }
    }

    /// A sweep that stopped after its last point and before publishing continues from there.
    #[test]
    fn what_is_evaluated_already_is_taken_up() {
        let config = config(entries()[0], "1..50");
        let directory = tempfile::tempdir().unwrap();
        let (whole, out) = (directory.path().join("whole"), directory.path().join("out"));
        run(&config, &whole, Existing::Refuse);
        let read = |directory: &Path, name: &str| std::fs::read(directory.join(name)).unwrap();

        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let cells = Cells::new(&parts, Shard::WHOLE);
        let sweep = ToSweep {
            problems: &[problem("logp-multicast").unwrap()],
            identity: &Identity::new(&config, None)
                .unwrap_or_else(|failure| panic!("{}", failure.message)),
            end: 50,
            checkpoint_every: None,
        };
        let evaluate = || -> Result {
            let mut unfinished =
                Unfinished::open(publish::lock(&out, &sweep)?, &sweep, Existing::Refuse)?;
            let stop = AtomicBool::new(false);
            unfinished.take(Some(block::evaluate(
                (&config, &cells),
                0..cells.len(),
                Duration::MAX,
                &stop,
                &|problem, rows| csv(problem, rows, false),
            )?))?;
            unfinished.checkpoint()
        };
        evaluate().unwrap_or_else(|failure| panic!("{}", failure.message));
        assert!(unfinished::is_kept(&out) && !out.join("logp-multicast.csv").exists());

        let report = run(&config, &out, Existing::Resume);
        assert_eq!((report.summary.points(), report.evaluated), (50, 0));
        for name in ["logp-multicast.csv", "findings.csv", "manifest.json"] {
            assert!(read(&whole, name) == read(&out, name), "{name}");
        }
        assert!(!unfinished::is_kept(&out));
    }
}
