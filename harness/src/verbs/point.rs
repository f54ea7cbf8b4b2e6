//! Reads a point from the options of a verb: which ones the algorithm reads, which are missing, which are invalid.

use std::fmt::Display;
use std::path::Path;

use algorithms::catalogue::find as find_entry;
use algorithms::error::Error;
use algorithms::problem::{self, Axis, Entry, Instance, Kind, Refused};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::options::{AxisOptions, PointArgs};
use crate::base::failure::{Code, Failure, Result, tell};
use crate::base::near;
use crate::base::units::{grouped, show_bytes};
use crate::config;
use crate::space::{Cell, Given, Space, Words};
use crate::verify;

/// The algorithm of a point, which can be one of the user, or the schedule in a file.
pub(super) fn find(point: &PointArgs) -> Result<Entry> {
    let name = &*point.algorithm;
    config::given(&point.with)?;
    if let Some(entry) = find_entry(name) {
        return Ok(entry);
    }
    let path = Path::new(name);
    if name == "-" || path.exists() && !path.is_dir() {
        return verify::entry::entry(path);
    }
    let no_file = if name.contains(['.', '/']) {
        " and no file"
    } else {
        ""
    };
    bail!(
        "there is no algorithm{no_file} `{name}`; {}",
        near::algorithms(name)
    )
}

/// A verb announces work of more steps than this: some seconds, and gigabytes if it keeps all of them.
const MANY_STEPS: u64 = 1 << 28;

/// What a verb says beside its answer, a line each: the program prints it, a library returns it.
pub type Say<'a> = &'a mut dyn FnMut(String);

/// Says that a verb takes long at a point.
pub(super) fn say_work(instance: &Instance, does: &str, advice: &str, say: Say<'_>) {
    let steps = instance.work();
    if steps > MANY_STEPS {
        say(format!(
            "note: this {does} about {} steps, at about 100 million per second, and may need gigabytes of memory; \
             {advice}",
            grouped(steps)
        ));
    }
}

/// The machine of a point and the size of its message.
pub(super) fn machine(cell: &Cell<'_>) -> Option<String> {
    let message = cell.bytes().map_or_else(String::new, |bytes| {
        format!(", message of {}", show_bytes(bytes))
    });
    cell.machine()
        .map(|machine| format!("machine {}{message}", machine.name))
}

/// Why costs at a point mean little, a sentence each; `given` are the options typed.
pub(super) fn doubts(cell: &Cell<'_>, instance: &Instance, given: &Given) -> Vec<String> {
    let problem = cell.entry.problem();
    let mut doubts = Vec::new();
    let is_free = !given.contains_key("c") && cell.value("c").is_none_or(|c| c == 0);
    if problem.combines() && is_free && cell.value("K").is_some_and(|ranks| ranks > 1) {
        let unit = if cell.machine().is_some() {
            "picoseconds to combine a byte"
        } else {
            "time to combine two words"
        };
        doubts
            .push(format!("combining takes no time here, which favours algorithms that combine more; add -c: {unit}"));
    }
    if instance.is_free() {
        let (on, advice) = match cell.machine() {
            Some(machine) => (
                format!(" on `{}`", machine.name),
                "`castbench calibrate` measures o and g",
            ),
            None => (String::new(), "give -o or -g"),
        };
        doubts.push(format!(
            "o = g = 0{on}: short messages leave at once, in any number, so their costs are too low; {advice}"
        ));
    }
    doubts.extend(cell.machines.unread(problem));
    doubts
}

/// Prints a line for each reason why costs at a point mean little; `given` are the options typed.
pub(super) fn warn_of_doubts(cell: &Cell<'_>, given: &Given) {
    say_doubts(cell, given, &mut |doubt| tell(doubt));
}

/// Says each reason why costs at a point mean little.
pub(super) fn say_doubts(cell: &Cell<'_>, given: &Given, say: Say<'_>) {
    if let Ok(instance) = cell.bind() {
        doubts(cell, &instance, given)
            .iter()
            .chain(&cell.guess())
            .for_each(|doubt| say(format!("warning: {doubt}")));
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Broken(error) => error.into(),
            refused => Self::usage(refused),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Parameter { .. } | Error::Overflow => Self::usage(error),
            Error::Panicked(_) => Self::new(Code::Internal, error),
            Error::Given(_) => Self::new(Code::Configuration, error),
            error if error.is_of_given() => Self::new(Code::Disagreement, error),
            // The only other error is a schedule that its simulator rejected.
            _ => Self::new(
                Code::Disagreement,
                format_args!("{error}; this is a bug in castbench"),
            ),
        }
    }
}

/// Reads the options of an algorithm for this verb.
pub(super) fn read(entry: Entry, verb: &str, arguments: &PointArgs) -> Result<Space> {
    let name = entry.name;
    let with = arguments.with.iter();
    let with = with.map(|file| format!(" --with {}", file.display()));
    let command = format!("{verb} {name}{}", with.collect::<String>());
    Words::options(&arguments.axes.0, name, command, entry)?.point(entry)
}

/// A point of a collective on any machine: who sends what to whom does not depend on it.
pub(super) fn anywhere(
    entry: Entry,
    verb: &str,
    [ranks, words, root, ports]: [u64; 4],
) -> Result<Space> {
    let values = [
        ("L", 1),
        ("o", 0),
        ("g", 1),
        ("K", ranks),
        ("n", words),
        ("root", root),
        ("k", ports),
    ];
    of_values(entry, verb, values)
}

/// The point of an algorithm with those of these values that it reads.
pub(super) fn of_values(
    entry: Entry,
    verb: &str,
    values: impl IntoIterator<Item = (&'static str, impl Display)>,
) -> Result<Space> {
    let reads = |key: &str| entry.axes().iter().any(|axis| axis.key == key);
    let read = values.into_iter().filter(|(key, _)| reads(key));
    let axes = read.map(|(key, value)| (key, value.to_string()));
    let asked = PointArgs {
        axes: AxisOptions(axes.collect()),
        ..PointArgs::default()
    };
    self::read(entry, verb, &asked)
}

/// The values of a point, each under the key of its axis: a mesh as `WxH`, a machine by its name.
pub struct Parameters<'a>(pub &'a Cell<'a>);

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (cell, values) = (self.0, self.0.resolved());
        let pair = |(axis, value): (&'static Axis, &Option<u64>)| {
            let value = (*value)?;
            Some(match axis.kind {
                Kind::Profile => (axis.key, cell.machines.get(value)?.name.as_str().into()),
                Kind::Sides => (
                    axis.long.unwrap_or(axis.key),
                    problem::spelled(axis, value).into(),
                ),
                Kind::Word(_) | Kind::Counts => (axis.key, problem::spelled(axis, value).into()),
                Kind::Count | Kind::Time | Kind::Bytes => (axis.key, Value::from(value)),
            })
        };
        serializer.collect_map(cell.entry.axes().iter().zip(values.iter()).filter_map(pair))
    }
}
