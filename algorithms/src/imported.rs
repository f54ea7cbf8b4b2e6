//! Schedules from files of other programs, each as an algorithm that callers execute as they do those of the
//! [catalogue](crate::catalogue).
//!
//! What a schedule is for is not known here, so the lower bound is 0 and no formula states the cost: an execution does. Each is
//! kept until the process ends, because an [`Entry`] refers to it.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::cost::{Exact, Limits, Simulated};
use crate::engine::program::Program;
use crate::engine::{self, Fault, Machine};
use crate::error::{Error, refuse_if};
use crate::execution::{self, Emit, Hints, Stage, View, Which};
use crate::logp::{Levels, LogP, axes};
use crate::problem::entry::composed;
use crate::problem::{
    About, AnyProblem, Axis, Carrier, Entry, Kind, Listed, Problem, Run, Scope, Setting, Unit,
    Value, needed,
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

    /// What each rank does with this number of words, on a machine with these levels. A file that states sizes ignores the words.
    ///
    /// # Errors
    /// Errors of the engine's builder.
    fn program(&self, words: u64, levels: Option<&'static Levels>) -> Result<Program, Error>;
}

/// Schedules from files: with the sizes of messages, or `IN_CHUNKS` of a vector of any size.
pub struct Imported<const IN_CHUNKS: bool>;

static FILES: [Mutex<Vec<&'static Listed<dyn Schedule>>>; 2] =
    [Mutex::new(Vec::new()), Mutex::new(Vec::new())];

fn with<const IN_CHUNKS: bool, T>(
    used: impl FnOnce(&mut Vec<&'static Listed<dyn Schedule>>) -> T,
) -> T {
    used(
        &mut FILES[usize::from(IN_CHUNKS)]
            .lock()
            .unwrap_or_else(PoisonError::into_inner),
    )
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
    const PROBLEMS: [&[&dyn AnyProblem]; 2] = [&[&Imported::<false>], &[&Imported::<true>]];
    match is_in_chunks {
        false => with::<false, _>(|all| all.push(listed)),
        true => with::<true, _>(|all| all.push(listed)),
    }
    composed(PROBLEMS[usize::from(is_in_chunks)], name)
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

impl<const IN_CHUNKS: bool> Problem for Imported<IN_CHUNKS> {
    const NAME: &'static str = if IN_CHUNKS {
        "schedule of chunks"
    } else {
        "schedule"
    };
    const TITLE: &'static str = "Schedules from files";
    const AXES: &'static [Axis] = if IN_CHUNKS {
        &[axes::MACHINE, axes::BYTES, axes::L, axes::O, axes::G, WORDS]
    } else {
        &[axes::MACHINE, axes::L, axes::O, axes::G]
    };
    const UNIT: Unit = Unit::Time;
    const ENTRIES: &'static [Listed<dyn Schedule>] = &[];
    const EXAMPLES: &'static [&'static [Value]] = if IN_CHUNKS {
        &[&[None, None, Some(6), Some(2), Some(4), Some(1024)]]
    } else {
        &[&[None, Some(6), Some(2), Some(4)]]
    };
    const UNKNOWN: &'static str =
        "no formula states the cost of a file; only an execution is exact";

    type Point = ImportedPoint;
    type Algorithm = dyn Schedule;
    type Memo = ();

    fn point(setting: &Setting, values: &[Value]) -> Result<ImportedPoint, Error> {
        let value = |key| {
            Self::AXES
                .iter()
                .zip(values)
                .find(|(axis, _)| axis.key == key)
                .and_then(|(_, value)| *value)
        };
        let (machine, size) = match value("machine") {
            Some(machine) => (Machine::LogGops(setting.profile(machine)?), "bytes"),
            None => {
                let [L, o, g] = [
                    needed("L", value("L"))?,
                    needed("o", value("o"))?,
                    needed("g", value("g"))?,
                ];
                (Machine::Words(LogP::new(L, o, g)?), "n")
            }
        };
        let words = if IN_CHUNKS {
            needed(size, value(size))?
        } else {
            1
        };
        refuse_if!(words == 0, size = 0 => "expected at least 1");
        Ok(ImportedPoint { machine, words })
    }

    fn listed(number: usize) -> Option<&'static Listed<dyn Schedule>> {
        with::<IN_CHUNKS, _>(|all| all.get(number).copied())
    }

    /// The number of the last schedule of this name.
    fn composed(name: &str) -> Option<usize> {
        with::<IN_CHUNKS, _>(|all| all.iter().rposition(|listed| listed.about.name == name))
    }

    fn describe(point: ImportedPoint, out: &mut dyn fmt::Write) -> fmt::Result {
        match point.machine {
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

    fn is_free(point: ImportedPoint) -> bool {
        point.machine.is_free()
    }

    fn analytic(_: &dyn Schedule, _: ImportedPoint, (): &mut ()) -> Result<Option<Exact>, Error> {
        Ok(None)
    }

    fn proof(_: &dyn Schedule) -> &'static str {
        "execution"
    }

    fn lower_bound(_: ImportedPoint, (): &mut ()) -> Result<Exact, Error> {
        Ok(Exact::Integer(0))
    }

    fn too_large(schedule: &dyn Schedule, _: ImportedPoint, limits: &Limits) -> Option<String> {
        let (ranks, most) = (schedule.ranks(), limits.nodes.min(Limits::MAX_NODES));
        if u64::from(ranks) > most {
            return Some(format!(
                "{} are above the {most} that are simulated",
                plural(ranks.into(), "rank")
            ));
        }
        let (operations, most) = (schedule.operations(), limits.hops);
        let what = plural(operations, "operation");
        (operations > most).then(|| format!("{what} are above the {most} that are simulated"))
    }

    fn work(schedule: &dyn Schedule, _: ImportedPoint) -> u64 {
        8 * schedule.operations()
    }

    fn simulate(schedule: &dyn Schedule, point: ImportedPoint) -> Result<Simulated, Error> {
        let (machine, program) = point.program(schedule)?;
        let done = engine::run(machine, &program).map_err(|failure| located(schedule, failure))?;
        Ok(Simulated::Exact(done.finish))
    }

    fn program(
        schedule: &dyn Schedule,
        point: ImportedPoint,
        _: Carrier,
    ) -> Option<Result<Run, Error>> {
        Some(point.program(schedule))
    }

    fn execute(
        schedule: &dyn Schedule,
        point: ImportedPoint,
        _: &Which,
        emit: Emit<'_>,
    ) -> Result<Stage, Error> {
        let (machine, program) = point.program(schedule)?;
        let finish = execution::of_program(machine, &program, &|_, event| event, emit)
            .map_err(|error| located(schedule, error))?;
        let mut about = String::new();
        // Writing to a string cannot fail.
        let _ = Self::describe(point, &mut about);
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
            ..Stage::new(schedule.ranks(), Self::UNIT)
        }
        .drawn(hints))
    }
}
