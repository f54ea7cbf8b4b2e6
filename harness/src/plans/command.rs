//! Plans from a command: it is started once, reads a point as one line of JSON, and answers with a plan in one line.
//!
//! The command is code that the user trusts: nothing confines it. It runs in a directory of its own, which is deleted with it.
//! [`Process`] has the protocol. A command that breaks it is asked no more, and none of its answers counts, because a line too
//! many shifts all that follow.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use algorithms::error::Error;

use super::kept::{Answer, Kept};
use super::point::PlanPoint;
use super::process::{Process, Trouble};
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::joined;
use crate::verify::json;
use crate::verify::shape::Shape;

/// Most time after the last answer in which a command ends, or writes what it should not.
const GRACE: Duration = Duration::from_secs(10);

/// A command that makes plans.
pub struct Command {
    words: Vec<OsString>,
    line: String,
    limit: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    process: Option<Process>,
    /// By question.
    kept: Kept<String>,
    /// The command and how it broke the protocol.
    broken: Option<String>,
}

/// A command that was started.
struct Started {
    state: Arc<Mutex<State>>,
    /// Its words.
    line: String,
    /// How long it may take to end.
    limit: Duration,
}

/// All commands that were started.
static STARTED: Mutex<Vec<Started>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all commands. One that is asked again is started again.
///
/// # Errors
/// Exit code 3 if one of them wrote a line that answers no point: then none of its answers counts.
pub fn end_all() -> Result {
    let started = std::mem::take(&mut *lock(&STARTED));
    let mut result = Ok(());
    for Started { state, line, limit } in started {
        let mut state = lock(&state);
        if let Some(mut process) = state.process.take()
            && let Err(reason) = process.finish(limit.min(GRACE))
        {
            state
                .broken
                .get_or_insert(format!("the command `{line}` {reason}; {ADVICE}"));
        }
        if let Some(reason) = state.broken.take() {
            state.kept = Kept::default();
            result = result.and(Err(Failure::new(Code::Configuration, reason)));
        }
    }
    result
}

const ADVICE: &str = "so its answers cannot be told apart and none counts; write one line for each point, with the `number` \
                      of the point, as docs/plans.md says";

impl Command {
    /// A command whose words name files of a directory or are left as they are, and most time for an answer.
    ///
    /// # Errors
    /// Why the current directory is not known.
    pub fn new(directory: &Path, words: &[String], limit: Duration) -> io::Result<Self> {
        let directory = std::env::current_dir()?.join(directory);
        let words: Vec<OsString> = words
            .iter()
            .map(|word| match directory.join(word) {
                path if path.is_file() => path.into_os_string(),
                _ => word.into(),
            })
            .collect();
        let line = joined(" ", words.iter().map(|word| word.to_string_lossy()));
        Ok(Self {
            words,
            line,
            limit,
            state: Arc::default(),
        })
    }

    /// Its words that name files beside the configuration.
    pub fn files(&self) -> Vec<PathBuf> {
        self.words
            .iter()
            .map(PathBuf::from)
            .filter(|path| path.is_absolute() && path.is_file())
            .collect()
    }

    /// The plan of a point.
    ///
    /// # Errors
    /// [`Error::Given`] with the point and what the command wrote to stderr.
    pub fn plan(&self, point: &PlanPoint, shape: &Shape) -> Answer {
        let mut state = lock(&self.state);
        let question = point.question(shape);
        if let Some(known) = state.kept.get(&question) {
            return known;
        }
        if let Some(reason) = &state.broken {
            return Err(Error::Given(reason.clone()));
        }
        let State {
            process,
            kept,
            broken,
        } = &mut *state;
        let mut bytes = question.len();
        let found = self.ask(process, &question, shape, &mut bytes);
        let is_interrupted = matches!(found, Err(Trouble::Interrupted));
        let answer = found.map_err(|trouble| {
            let errors = process
                .as_mut()
                .map_or_else(String::new, Process::complaints);
            // The next point gets a new process: the answer to this one may still be under way.
            *process = None;
            let (reason, advice) = match trouble {
                Trouble::Failed(reason) => (reason, String::new()),
                Trouble::Interrupted => ("was interrupted".to_owned(), String::new()),
                Trouble::Protocol(reason) => (reason, format!("; {ADVICE}")),
            };
            let explanation = format!(
                "the command `{}` {reason}{advice}; the point is {question}}}{errors}",
                self.line
            );
            if !advice.is_empty() {
                *broken = Some(explanation.clone());
            }
            Error::Given(explanation)
        });
        if !is_interrupted {
            kept.keep(question, bytes, &answer);
        }
        answer
    }

    fn ask(
        &self,
        process: &mut Option<Process>,
        question: &str,
        shape: &Shape,
        bytes: &mut usize,
    ) -> Result<Arc<super::plan::Loaded>, Trouble> {
        if process.is_none() {
            let started = Process::start(&self.words);
            *process = Some(
                started.map_err(|error| Trouble::Failed(format!("cannot be started: {error}")))?,
            );
            let mut started = lock(&STARTED);
            if !started
                .iter()
                .any(|one| Arc::ptr_eq(&one.state, &self.state))
            {
                let state = Arc::clone(&self.state);
                started.push(Started {
                    state,
                    line: self.line.clone(),
                    limit: self.limit,
                });
            }
        }
        let process = process
            .as_mut()
            .ok_or_else(|| Trouble::Failed("is not running".to_owned()))?;
        let text = process.answer(question, self.limit)?;
        *bytes += text.len();
        let read = json::answer(&text, shape);
        let json::Answer { plan, number } =
            read.map_err(|reason| Trouble::Failed(format!("answers with no plan: {reason}")))?;
        process.check_number(number)?;
        Ok(Arc::new(plan.into()))
    }
}
