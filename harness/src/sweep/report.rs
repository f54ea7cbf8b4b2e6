//! The results of a sweep, and the verdict.

use std::path::PathBuf;

use algorithms::catalogue::find;
use std::time::Duration;

use crate::base::failure::{Result, disagreement};
use crate::base::units::plural;
use crate::record::manifest::FileEntry;
use crate::record::shard::Shard;
use crate::record::summary::{First, Summary};

/// The results of a sweep.
pub struct Report {
    /// Counts by status and findings.
    pub summary: Summary,
    /// The new files.
    pub files: Vec<FileEntry>,
    /// Points evaluated now, without those before a resume.
    pub evaluated: u64,
    /// Points of the grids that have their row in another grid; 0 where that is not known.
    pub repeated: u64,
    /// The duration of that.
    pub elapsed: Duration,
    /// The shard, if it is not the whole sweep.
    pub(super) shard: Option<Shard>,
    /// The state of the sweep.
    pub state: State,
}

/// The state of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// All points are evaluated, all files in place.
    Evaluated,
    /// It was complete before.
    FoundWhole,
    /// It was stopped; finished points are kept in this directory.
    Stopped(PathBuf),
}

impl Report {
    /// The verdict: whether every point was evaluated and analytic and simulated agree everywhere.
    ///
    /// # Errors
    /// Exit code 5, 130, 9 or, if no point applies, 4, with the command that repeats the first point concerned.
    pub fn verdict(&self) -> Result {
        let tally = &self.summary.tally;
        if let Some(First { point, .. }) = &self.summary.disagreement {
            let count = plural(tally.disagree, "point");
            let why = point.split(' ').nth(2).and_then(find).map_or(
                "analytic and simulated cost differ, or one is below the lower bound",
                disagreement,
            );
            bail!(Disagreement, "at {count} {why}; the first is\n  {point}");
        }
        if let State::Stopped(out) = &self.state {
            bail!(
                Interrupted,
                "interrupted after {}, which are kept in `{}`; the same command with --resume continues",
                plural(self.summary.points(), "point"),
                out.display()
            );
        }
        if let Some(First { point, .. }) = &self.summary.failed {
            bail!(
                PointsFailed,
                "{} could not be evaluated; the first is\n  {point}",
                plural(tally.failed, "point")
            );
        }
        // Other shards may have points that apply.
        if let (Some(First { point, .. }), 0, None) =
            (&self.summary.not_applicable, tally.ok, self.shard)
        {
            bail!(
                Nothing,
                "no point applies to its algorithm; the first is\n  {point}"
            );
        }
        Ok(())
    }
}
