//! Schedules from files of other programs, each as an algorithm that callers execute as they do those of the
//! [catalogue](crate::catalogue).
//!
//! What a schedule is for is not known here, so the lower bound is 0 and no formula states the cost: an execution does. Each is
//! kept until the process ends, because an [`Entry`] refers to it.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cost::{By, Exact, Limits, Simulated};
use crate::engine::program::Program;
use crate::engine::{self, Fault, Machine};
use crate::error::{Error, refuse_if};
use crate::execution::{self, Emit, Hints, Stage, View, Which};
use crate::logp::{Levels, LogP, axes};
use crate::problem::entry::composed;
use crate::problem::{
    About, Algorithms, At, Axis, Carrier, Case, Entry, Kind, Listed, Memo, Problem, Run, Scope,
    Setting, Value, coordinates, needed,
};
use crate::text::{grouped, plural};

/// What a file says.
pub trait Schedule: Send + Sync {
    /// How many ranks there are.
    fn ranks(&self) -> u32;

    /// How many operations they have at most.
    fn operations(&self) -> u64;

    /// What is wrong where in the file, if an execution found this fault.
    fn locate(&self, _: &Fault) -> Option<String> {
        None
    }

    /// What a number of words counts, in words, and how large chunks are; none where the file states sizes.
    fn counts(&self, _words: u64) -> Option<String> {
        None
    }

    /// What each rank does with this number of words, on a machine with these levels. A file that states sizes ignores the words.
    ///
    /// # Errors
    /// Errors of the engine's builder.
    fn program(&self, words: u64, levels: Option<&'static Levels>) -> Result<Program, Error>;
}

/// Schedules from files: with the sizes of messages, or in chunks of a vector of any size.
pub struct Imported {
    is_in_chunks: bool,
    files: Mutex<Vec<&'static Listed<dyn Schedule>>>,
}

impl Imported {
    const fn new(is_in_chunks: bool) -> Self {
        Self {
            is_in_chunks,
            files: Mutex::new(Vec::new()),
        }
    }

    fn files(&self) -> MutexGuard<'_, Vec<&'static Listed<dyn Schedule>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

static WITH_SIZES: Imported = Imported::new(false);
static IN_CHUNKS: Imported = Imported::new(true);

const TITLE: &str = "Schedules from files";
static PROBLEMS: [Problem; 2] = [
    Problem::new(
        ["schedule", TITLE],
        &[axes::MACHINE, axes::L, axes::O, axes::G],
        &[&[("L", 6), ("o", 2), ("g", 4)]],
        &WITH_SIZES,
    ),
    Problem::new(
        ["schedule of chunks", TITLE],
        &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, WORDS],
        &[&[("L", 6), ("o", 2), ("g", 4), ("n", 1024)]],
        &IN_CHUNKS,
    ),
];

/// The problem of schedules in chunks, which is not in the catalogue.
#[must_use]
pub fn of_chunks() -> &'static Problem {
    &PROBLEMS[1]
}

/// Makes an algorithm of a schedule: the name of its file, what it has, and its format.
#[must_use]
pub fn entry(
    [name, summary, format]: [String; 3],
    is_in_chunks: bool,
    schedule: Box<dyn Schedule>,
) -> Option<Entry> {
    let [name, summary, paper] = [name, summary, format].map(|text| &*text.leak());
    let about = About {
        name,
        summary,
        paper,
        section: "",
        revision: 1,
        is_given: true,
    };
    let listed = Box::leak(Box::new(Listed {
        about,
        algorithm: &*Box::leak(schedule),
    }));
    let (known, problem) = if is_in_chunks {
        (&IN_CHUNKS, &PROBLEMS[1..])
    } else {
        (&WITH_SIZES, &PROBLEMS[..1])
    };
    known.files().push(listed);
    composed(problem, name)
}

/// The error of an execution, with the place in the file where that is known.
fn located(schedule: &dyn Schedule, error: impl Into<Error>) -> Error {
    let error = error.into();
    let place = error.violation().and_then(|fault| schedule.locate(fault));
    place.map_or_else(|| error.of_given(), Error::Given)
}

/// A machine, and the words of the vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImportedPoint {
    machine: Machine,
    words: u64,
}

impl ImportedPoint {
    fn program(&self, schedule: &dyn Schedule) -> Result<Run, Error> {
        self.machine
            .levels()
            .map_or(Ok(()), |levels| levels.check(schedule.ranks().into()))?;
        Ok((
            self.machine,
            schedule.program(self.words, self.machine.levels())?,
        ))
    }
}

const WORDS: Axis = Axis {
    scope: Scope::Model,
    ..Axis::new(
        "n",
        &["n_words"],
        Kind::Count,
        "words n",
        "words of the larger of input and output of a rank",
    )
};

impl Algorithms for Imported {
    fn count(&self) -> usize {
        0
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        self.files().get(number).map(|listed| &listed.about)
    }

    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Case>, Error> {
        let (machine, size, n, [L, o, g]) = if self.is_in_chunks {
            let [machine, bytes, L, o, g, n] = coordinates(values)?;
            match machine {
                Some(_) => (machine, "bytes", bytes, [L, o, g]),
                None => (machine, "n", n, [L, o, g]),
            }
        } else {
            let [machine, L, o, g] = coordinates(values)?;
            (machine, "n", Some(1), [L, o, g])
        };
        let machine = match machine {
            Some(machine) => Machine::LogGops(setting.profile(machine)?),
            None => Machine::Words(LogP::new(
                needed("L", L)?,
                needed("o", o)?,
                needed("g", g)?,
            )?),
        };
        let words = needed(size, n)?;
        refuse_if!(words == 0, size = 0 => "expected at least 1");
        Ok(Box::new(At {
            algorithm: self.files()[number].algorithm,
            point: ImportedPoint { machine, words },
        }))
    }

    /// The number of the last schedule of this name.
    fn composed(&self, name: &str) -> Option<usize> {
        let files = self.files();
        files.iter().rposition(|listed| listed.about.name == name)
    }

    fn proof(&self, _: usize) -> &'static str {
        "execution"
    }
}

impl Case for At<dyn Schedule, ImportedPoint> {
    fn bound_name(&self) -> Option<&'static str> {
        Some("default: an [[algorithm]] with this plan has that of its collective")
    }

    fn why_unknown(&self) -> &'static str {
        "no formula states the cost of a file; only an execution is exact"
    }

    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        if let Some(counts) = self.algorithm.counts(self.point.words) {
            writeln!(out, "{counts}")?;
        }
        match self.point.machine {
            Machine::Words(model) | Machine::LogP(model) => {
                let [L, o, g] = [model.L(), model.o(), model.g()].map(grouped);
                writeln!(
                    out,
                    "L = {L}, o = {o}, g = {g}; a message of s bytes is a train of s small messages"
                )
            }
            Machine::LogGops(_) => writeln!(out, "each message takes the time of its size"),
        }
    }

    fn is_free(&self) -> bool {
        self.point.machine.is_free()
    }

    fn analytic(&self, _: &mut Memo) -> Result<Option<(Exact, By)>, Error> {
        Ok(None)
    }

    fn lower_bound(&self, _: &mut Memo) -> Result<Exact, Error> {
        Ok(Exact::Integer(0))
    }

    fn too_large(&self, limits: &Limits) -> Option<String> {
        let (ranks, most) = (self.algorithm.ranks(), limits.nodes.min(Limits::MAX_NODES));
        if u64::from(ranks) > most {
            return Some(format!(
                "{} are above the {most} that are simulated",
                plural(ranks.into(), "rank")
            ));
        }
        let (operations, most) = (self.algorithm.operations(), limits.hops);
        let what = plural(operations, "operation");
        (operations > most).then(|| format!("{what} are above the {most} that are simulated"))
    }

    fn work(&self) -> u64 {
        8 * self.algorithm.operations()
    }

    fn simulate(&self) -> Result<Simulated, Error> {
        let (machine, program) = self.point.program(self.algorithm)?;
        let done =
            engine::run(machine, &program).map_err(|failure| located(self.algorithm, failure))?;
        Ok(Simulated::Exact(done.finish))
    }

    fn program(&self, _: Carrier) -> Option<Result<Run, Error>> {
        Some(self.point.program(self.algorithm))
    }

    fn execute(&self, _: &Which, emit: Emit<'_>) -> Result<Stage, Error> {
        let schedule = self.algorithm;
        let (machine, program) = self.point.program(schedule)?;
        let finish = execution::of_program(machine, &program, &|_, event| event, emit)
            .map_err(|error| located(schedule, error))?;
        let mut about = String::new();
        // Writing to a string cannot fail.
        let _ = self.describe(&mut about);
        let ends = format!(
            "{}; the last rank ends at {}",
            about.trim_end(),
            grouped(finish)
        );
        let hints = Hints {
            noun: "rank",
            ..Hints::new(
                View::Messages,
                plural(schedule.ranks().into(), "rank"),
                ends,
            )
        };
        Ok(Stage {
            item: "tag",
            ..Stage::new(schedule.ranks())
        }
        .drawn(hints))
    }
}
