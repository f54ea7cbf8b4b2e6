//! The schedule in a file as an algorithm, so that all verbs take it, whatever its format.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use algorithms::error::Error;
use algorithms::internals::engine;
use algorithms::internals::imported;
use algorithms::logp::Levels;
use algorithms::problem::Entry;

use super::finding::Trouble;
use super::goal::reader;
use super::read::{self, File};
use super::schedule::Schedule;
use super::{check, program};
use crate::base::failure::{Failure, Result};
use crate::base::units::{grouped, plural};
use crate::output;

/// The error of a file that cannot be read: its line, where it has lines, and what is wrong.
pub fn failure(name: &str, trouble: &Trouble) -> Failure {
    let at = |line: Option<u64>| line.map_or_else(String::new, |line| format!(":{line}"));
    match trouble {
        Trouble::Unread(line, explanation) => {
            failure!(Configuration, "{name}{}: {explanation}", at(*line))
        }
        Trouble::Wrong(finding) => {
            let line = Some(finding.line.into()).filter(|&line| line > 0);
            failure!(Disagreement, "{name}{}: {finding}", at(line))
        }
        Trouble::NotJudged(line, reason) => {
            failure!(NotJudged, "{name}{}: not judged: {reason}", at(*line))
        }
    }
}

/// Opens a file.
///
/// # Errors
/// Exit code 3, with its name.
pub fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    failure!(Configuration, "cannot read the schedule `{path}`: {error}")
}

/// Longest GOAL file: more than `export goal` writes of its largest trees.
const MAX_BYTES: u64 = 4 << 30;

/// Reads and checks the schedule of a file; `-` is standard input.
///
/// # Errors
/// Exit code 3 for a file without a schedule or whose messages have no cost, 5 for a schedule that is wrong.
pub fn entry(path: &Path) -> Result<Entry> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let unread = |error| unread(path, &error);
    let mut input = BufReader::new(output::open_user(path).map_err(unread)?);
    let begin = input.fill_buf().map_err(unread)?;
    let (format, is_in_chunks, schedule): (_, _, Box<dyn imported::Schedule>) =
        if read::is_goal(begin) {
            let goal = Goal::read(name.clone(), input)?;
            (read::GOAL, false, Box::new(goal))
        } else {
            let begin = begin.to_vec();
            let content = output::bytes_after(begin, input.into_inner()).map_err(unread)?;
            let file = File::new(path, content).map_err(unread)?;
            let (is_in_chunks, schedule) =
                steps(&file).map_err(|trouble| failure(&name, &trouble))?;
            (file.format(), is_in_chunks, Box::new(schedule))
        };
    let ranks = plural(schedule.ranks().into(), "rank");
    let operations = plural(schedule.operations(), "operation");
    let summary = format!("{format}, {ranks}, {operations}");
    let about = [name, summary, format.to_owned()];
    imported::entry(about, is_in_chunks, schedule)
        .ok_or_else(|| failure!(Internal, "the schedule of the file is not found"))
}

/// A program in GOAL, which is executed as it is.
struct Goal {
    name: String,
    goal: reader::Goal,
}

impl Goal {
    fn read(name: String, input: BufReader<fs::File>) -> Result<Self> {
        // The length of a pipe is not known in advance.
        let length = input
            .get_ref()
            .metadata()
            .ok()
            .filter(fs::Metadata::is_file)
            .map_or(MAX_BYTES, |file| file.len().min(MAX_BYTES));
        match reader::read_from(input.take(MAX_BYTES + 1), length, None) {
            Ok(goal) => Ok(Self { name, goal }),
            Err(reader::Failure::Io(error)) => Err(unread(Path::new(&name), &error)),
            Err(reader::Failure::Goal(error)) => Err(failure!(Configuration, "{name}:{error}")),
        }
    }
}

impl imported::Schedule for Goal {
    fn ranks(&self) -> u32 {
        self.goal.program.processors()
    }

    fn operations(&self) -> u64 {
        self.goal.program.operations() as u64
    }

    fn locate(&self, fault: &engine::Fault) -> Option<String> {
        Some(format!("{}:{}", self.name, self.goal.tell(fault)))
    }

    fn program(&self, _: u64, levels: Option<&'static Levels>) -> Result<engine::Program, Error> {
        Ok(self.goal.program.on(levels))
    }
}

/// Whether the messages of a file are parts of a vector of any size, and its steps.
fn steps(file: &File) -> Result<(bool, Schedule), Trouble> {
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
    Ok((messages.all(|step| step.bytes == 0), schedule))
}

impl imported::Schedule for Schedule {
    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn operations(&self) -> u64 {
        program::operations(self).into()
    }

    fn counts(&self, words: u64) -> Option<String> {
        let is_sized = self.steps.iter().any(|step| step.bytes > 0);
        let of = match &self.task {
            _ if is_sized => return None,
            None => "a chunk: the file does not say how many a rank has",
            Some(_) => "the larger of input and output of a rank, with all of its blocks",
        };
        let chunk = grouped(program::chunk_bytes(self, words));
        Some(format!(
            "a size of {} is {of}; a chunk has {chunk}",
            grouped(words)
        ))
    }

    fn program(
        &self,
        words: u64,
        levels: Option<&'static Levels>,
    ) -> Result<engine::Program, Error> {
        let chunk = self
            .steps
            .iter()
            .all(|step| step.bytes == 0)
            .then(|| program::chunk_bytes(self, words));
        Ok(program::program(self, chunk, &|_| 0, levels)?)
    }
}
