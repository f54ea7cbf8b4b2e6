//! What a sweep found, and the verdict on it.

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::{Code, Failure};
use crate::record::manifest::FileEntry;
use crate::record::shard::Shard;
use crate::record::summary::{First, Summary};
use crate::units::plural;

/// What a sweep found.
pub struct Report {
    /// How its points ended and how the published figures fared.
    pub summary: Summary,
    /// The files written now.
    pub files: Vec<FileEntry>,
    /// How many points were evaluated now, and not before the sweep was taken up again.
    pub evaluated: u64,
    /// How long that took.
    pub elapsed: Duration,
    /// The shard, where it was not the whole.
    pub(super) shard: Option<Shard>,
    /// What became of it.
    pub state: State,
}

/// What became of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All points are evaluated, all files in their places.
    Evaluated,
    /// It was so before.
    FoundWhole,
    /// It was stopped; what was finished is kept in this directory.
    Stopped(PathBuf),
}

impl Report {
    /// The verdict: whether every point was evaluated and analytic and simulated agree everywhere.
    ///
    /// # Errors
    /// Exit code 5, 130, 9 or, where no point applies, 4, naming the first point concerned as a command that repeats it.
    pub fn verdict(&self) -> Result<(), Failure> {
        let tally = &self.summary.tally;
        if let Some(First { point, .. }) = &self.summary.disagreement {
            return Err(Failure::new(
                Code::Disagreement,
                format_args!(
                    "analytic and simulated cost differ at {}, which is a bug in castbench; the first is\n  {point}",
                    plural(tally.disagree, "point")
                ),
            ));
        }
        if let State::Stopped(out) = &self.state {
            let explanation = format_args!(
                "interrupted after {}, which are kept; the same command with --resume goes on from there (into `{}`)",
                plural(self.summary.points(), "point"),
                out.display(),
            );
            return Err(Failure::new(Code::Interrupted, explanation));
        }
        if let Some(First { point, .. }) = &self.summary.failed {
            return Err(Failure::new(
                Code::PointsFailed,
                format_args!(
                    "{} could not be evaluated (column `note` says why); the first is\n  {point}",
                    plural(tally.failed, "point")
                ),
            ));
        }
        // The other shards may hold points that apply.
        if let (Some(First { point, .. }), 0, None) = (&self.summary.not_applicable, tally.ok, self.shard) {
            let explanation = format_args!("no point applies to its algorithm; the first is\n  {point}");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(())
    }
}
