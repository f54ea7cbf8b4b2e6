//! The schedule in a file as an algorithm, so that all verbs take it, whatever its format.

use std::path::Path;

use algorithms::error::Error;
use algorithms::internals::engine;
use algorithms::internals::imported;
use algorithms::logp::Levels;
use algorithms::problem::Entry;

use super::finding::Trouble;
use super::read::File;
use super::schedule::Schedule;
use super::{check, program};
use crate::failure::{Code, Failure};
use crate::units::plural;

/// The error of a file that cannot be read: its line, where it has lines, and what is wrong.
#[must_use]
pub fn failure(name: &str, trouble: &Trouble) -> Failure {
    let at = |line: Option<u64>| line.map_or_else(String::new, |line| format!(":{line}"));
    match trouble {
        Trouble::Unread(line, explanation) => Failure::new(
            Code::Configuration,
            format_args!("{name}{}: {explanation}", at(*line)),
        ),
        Trouble::Wrong(finding) => {
            let line = Some(finding.line.into()).filter(|&line| line > 0);
            Failure::new(
                Code::Disagreement,
                format_args!("{name}{}: {finding}", at(line)),
            )
        }
        Trouble::NotJudged(line, reason) => Failure::new(
            Code::NotJudged,
            format_args!("{name}{}: not judged: {reason}", at(*line)),
        ),
    }
}

/// Opens a file.
///
/// # Errors
/// Exit code 3, with its name.
pub fn open(path: &Path) -> Result<File, Failure> {
    let failed = |error| {
        Failure::new(
            Code::Configuration,
            format_args!("cannot read the schedule `{}`: {error}", path.display()),
        )
    };
    File::open(path).map_err(failed)
}

/// Reads and checks the schedule of a file.
///
/// # Errors
/// Exit code 3 for a file without a schedule or whose messages have no cost, 5 for a schedule that is wrong.
pub fn entry(path: &Path) -> Result<Entry, Failure> {
    let name = path.display().to_string();
    let file = open(path)?;
    let (is_in_chunks, schedule) = read(&file).map_err(|trouble| failure(&name, &trouble))?;
    let [ranks, operations] = [u64::from(schedule.ranks()), schedule.operations()];
    let summary = format!(
        "{}, {}",
        plural(ranks, "rank"),
        plural(operations, "operation")
    );
    let about = [
        name,
        format!("{}, {summary}", file.format()),
        file.format().to_owned(),
    ];
    imported::entry(about, is_in_chunks, schedule).ok_or_else(|| {
        Failure::new(
            Code::Internal,
            format_args!("{} is not found", path.display()),
        )
    })
}

fn read(file: &File) -> Result<(bool, Box<dyn imported::Schedule>), Trouble> {
    if let Some(program) = file.program()? {
        let mut schedule = Schedule::new(program.processors(), 0);
        schedule.program = Some(program);
        return Ok((false, Box::new(schedule)));
    }
    if file.is_plan() {
        return Err(Trouble::file(
            "a plan of castbench is for a collective of any size: name it in an [[algorithm]], and give that with --with",
        ));
    }
    let schedule = file.schedule(None, 0, None)?;
    check(&schedule)?;
    let mut messages = schedule.steps.iter().filter(|step| step.send.is_some());
    if schedule.has_no_cost || messages.clone().next().is_none() {
        return Err(Trouble::file(
            "its messages are not stated one by one, so they cannot be executed; `castbench verify` judges it",
        ));
    }
    Ok((messages.all(|step| step.bytes == 0), Box::new(schedule)))
}

impl imported::Schedule for Schedule {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn operations(&self) -> u64 {
        self.program.as_ref().map_or_else(
            || program::operations(self).into(),
            |program| program.operations() as u64,
        )
    }

    fn program(
        &self,
        words: u64,
        levels: Option<&'static Levels>,
    ) -> Result<engine::Program, Error> {
        if let Some(program) = &self.program {
            return Ok(program.on(levels));
        }
        let chunk = self
            .steps
            .iter()
            .all(|step| step.bytes == 0)
            .then(|| program::chunk_bytes(self, words));
        Ok(program::program(self, chunk, &|_| 0, levels)?)
    }
}
