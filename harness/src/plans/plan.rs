//! What a reader of plans makes of a file: a plan of castbench, or a schedule.

use std::path::Path;

use algorithms::error::Error;
use algorithms::internals::collectives::written::Written;
use algorithms::internals::collectives::{self, Task};
use algorithms::internals::engine::{Machine, Operation, Program};
use algorithms::internals::violation::Rule;

use crate::verify::read::File;
use crate::verify::schedule::Schedule;
use crate::verify::shape::Shape;
use crate::verify::{self, Trouble, program};

/// What a reader makes of a text.
pub enum Plan {
    /// A plan, whose result the judge of castbench follows.
    Written(Written),
    /// A schedule, which `verify` has judged: it is right, or this is wrong with it.
    Schedule(Result<Box<Schedule>, String>),
}

/// A plan that was read.
pub struct Loaded {
    /// The plan.
    pub plan: Plan,
    /// The rank that has the operand at the start, or gets the result, where the text states it.
    pub root: Option<u32>,
}

impl Loaded {
    /// How much memory it takes, about; `text` is the length of its text.
    pub fn bytes(&self, text: usize) -> usize {
        match &self.plan {
            Plan::Written(plan) => plan.bytes(),
            // A step of a few letters has numbers of its own for ranks, buffers and what it waits for.
            Plan::Schedule(_) => 8 * text,
        }
    }
}

impl From<(Written, Option<u32>)> for Loaded {
    fn from((plan, root): (Written, Option<u32>)) -> Self {
        Self {
            plan: Plan::Written(plan),
            root,
        }
    }
}

/// Reads a schedule of any format that `verify` judges.
///
/// # Errors
/// What is wrong with the file, or why castbench does not know the result or the cost of its schedule.
pub fn read(path: &Path, text: Vec<u8>, shape: &Shape) -> Result<Loaded, String> {
    let judged = File::new(path, text)
        .map_err(|error| error.to_string())?
        .schedule(Some(shape.collective), shape.root, None)
        .and_then(|schedule| {
            verify::check(&schedule)?;
            Ok(schedule)
        });
    let schedule = match judged {
        Err(Trouble::Unread(line, reason)) => {
            return Err(line.map_or_else(String::new, |line| format!("line {line}: ")) + &reason);
        }
        Err(Trouble::Wrong(finding)) => Err(finding.to_string()),
        Err(Trouble::NotJudged(_, reason)) => Err(reason),
        Ok(schedule) if schedule.collective().is_none() => {
            return Err(
                "the file does not say what its messages carry, so its result is not known"
                    .to_owned(),
            );
        }
        Ok(schedule) if schedule.has_no_cost => {
            return Err(
                "its messages do not tell its cost; `castbench verify` judges it".to_owned(),
            );
        }
        Ok(schedule) => Ok(Box::new(schedule)),
    };
    // The root that the file states, or else the one for which it was judged.
    let task = schedule
        .as_ref()
        .ok()
        .and_then(|schedule| schedule.task.as_ref());
    let stated = task.and_then(|task| u32::try_from(task.root()).ok());
    Ok(Loaded {
        plan: Plan::Schedule(schedule),
        root: Some(stated.unwrap_or(shape.root)),
    })
}

impl Plan {
    /// What the ranks of a task do; of a schedule only how many messages they send.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the plan is for another number of ranks.
    pub fn plan(&self, task: &Task) -> Result<collectives::Plan<'static>, Error> {
        let schedule = match self {
            Self::Written(plan) => return plan.plan(task),
            Self::Schedule(Err(_)) => return Ok(collectives::Plan::script(0_u64, 0, |_, _| {})),
            Self::Schedule(Ok(schedule)) => schedule,
        };
        if u64::from(schedule.ranks) != task.K {
            return refused(
                "K",
                task.K,
                format!(
                    "expected {}: the schedule is for as many ranks",
                    schedule.ranks
                ),
            );
        }
        if task.k != 1 {
            return refused(
                "k",
                task.k,
                "expected 1: the ranks of a schedule have one port".to_owned(),
            );
        }
        if schedule.program.is_some() && task.c != 0 {
            return refused(
                "c",
                task.c,
                "expected 0: the schedule states its computations".to_owned(),
            );
        }
        let size = if matches!(task.machine, Machine::LogGops(_)) {
            "bytes"
        } else {
            "n"
        };
        if let Err(expected) = chunk(schedule, task) {
            return refused(size, task.n, expected);
        }
        let messages = schedule
            .steps
            .iter()
            .filter(|step| step.send.is_some())
            .count();
        Ok(collectives::Plan::script(messages as u64, 0, |_, _| {}))
    }

    /// The program of a schedule.
    pub fn judged(&self, task: &Task) -> Option<Result<Program, Error>> {
        let Self::Schedule(schedule) = self else {
            return None;
        };
        Some(match schedule {
            Err(finding) => Err(Rule::Program.broken(format_args!("{finding}")).into()),
            Ok(schedule) => self.plan(task).and_then(|_| {
                let levels = task.machine.levels();
                if let Some(program) = &schedule.program {
                    return Ok(program.on(levels));
                }
                let chunk = chunk(schedule, task).ok().flatten();
                // Costs of points are checked where they are added up.
                let combining = |words| task.combining(words).unwrap_or(u64::MAX);
                Ok(program::program(schedule, chunk, &combining, levels)?)
            }),
        })
    }

    /// Into how many parts it cuts a block at most, where these are more than K.
    pub fn parts(&self, K: u64) -> u64 {
        match self {
            Self::Written(plan) => plan.parts(K),
            Self::Schedule(Ok(schedule)) => match &schedule.task {
                // The file states the sizes of messages.
                Some(task) if schedule.program.is_none() => task.share().into(),
                _ => u64::MAX,
            },
            Self::Schedule(Err(_)) => u64::MAX,
        }
    }

    /// Whether it cuts a vector into m segments.
    pub fn is_segmented(&self) -> bool {
        matches!(self, Self::Written(plan) if plan.is_segmented())
    }

    /// Whether it names ranks, so that it has one root.
    pub fn has_ranks(&self) -> bool {
        !matches!(self, Self::Written(plan) if !plan.has_ranks())
    }
}

/// A point that a plan is not for.
pub(super) fn refused<T>(symbol: &'static str, value: u64, expected: String) -> Result<T, Error> {
    Err(Error::Parameter {
        symbol,
        axis: symbol,
        value: value.to_string(),
        expected,
    })
}

/// How many words of the task a chunk has; none where only the file states the sizes of messages. An error says what n is expected.
fn chunk(schedule: &Schedule, task: &Task) -> Result<Option<u64>, String> {
    let stated = |step: u32, program: &Program| match program.operation(step) {
        Operation::Send { bytes, .. } => bytes,
        _ => 0,
    };
    match (&schedule.task, &schedule.program) {
        (Some(judged), _) => {
            let share = u64::from(judged.share()).max(1);
            let mut sized = schedule
                .steps
                .iter()
                .filter(|step| step.send.is_some() && step.count > 0);
            let first = schedule.program.as_ref().and_then(|_| sized.clone().next());
            let chunk = first.map_or(task.n / share, |step| step.bytes / u64::from(step.count));
            if chunk * share != task.n {
                return Err(match first {
                    Some(_) => format!("expected {}, the size that the file states", chunk * share),
                    None => format!(
                        "expected a multiple of {share}: the schedule cuts a block into {share} chunks"
                    ),
                });
            }
            let is_even =
                first.is_none() || sized.all(|step| step.bytes == chunk * u64::from(step.count));
            is_even
                .then_some(Some(chunk))
                .ok_or_else(|| "expected a file whose chunks have one size".to_owned())
        }
        (None, Some(program)) => {
            let most = (0..u32::try_from(program.operations()).unwrap_or(u32::MAX))
                .map(|step| stated(step, program))
                .max()
                .unwrap_or(0);
            // The messages of a barrier may have any size.
            let has_words = schedule
                .judged
                .is_some_and(|judged| !judged.goal.is_idempotent());
            if has_words && most != task.n {
                Err(format!(
                    "expected {most}, the size of the longest message of the file"
                ))
            } else {
                Ok(None)
            }
        }
        (None, None) => Ok(None),
    }
}
