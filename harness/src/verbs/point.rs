//! Reads a point from the options of a verb: which ones the algorithm reads, which are missing, which are invalid.

use std::path::Path;

use algorithms::catalogue::{entries, find as find_entry};
use algorithms::error::Error;
use algorithms::problem::{self, AnyProblem, Axis, Entry, Instance, Kind, Refused};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::options::{Given, PointArgs};
use crate::config;
use crate::config::axis::refuse_units;
use crate::failure::{Code, Failure, tell};
use crate::grid::{Cell, Machines, PointValues, indices, is_owned};
use crate::machine::Machine;
use crate::near;
use crate::units::{
    grouped, parse_bytes, parse_count, parse_mesh, parse_time, parse_word, show_bytes,
    whole_multiples,
};
use crate::verify;

/// The algorithm of a point, which can be one of the user, or the schedule in a file.
pub(super) fn find(point: &PointArgs) -> Result<Entry, Failure> {
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
    Err(Failure::usage(format_args!(
        "there is no algorithm{no_file} `{name}`; {}",
        near::algorithms(name)
    )))
}

/// A verb announces work of more steps than this: some seconds, and gigabytes if it keeps all of them.
const MANY_STEPS: u64 = 1 << 28;

/// What a verb says beside its answer, a line each: the program prints it, a library returns it.
pub type Say<'a> = &'a mut dyn FnMut(String);

/// Says that a verb takes long at a point.
pub(super) fn say_work(instance: &dyn Instance, does: &str, advice: &str, say: Say<'_>) {
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
pub(super) fn doubts(cell: &Cell<'_>, instance: &dyn Instance, given: &Given) -> Vec<String> {
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
        doubts(cell, &*instance, given)
            .iter()
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

pub(super) fn named_machine(name: &str) -> Result<Machine, Failure> {
    let found = Machine::find(name, Path::new(name))?;
    found.ok_or_else(|| {
        Failure::usage(format_args!(
            "there is no machine `{name}`; {}",
            Machine::names()
        ))
    })
}

/// A reader of axis options: an algorithm, or a verb for all algorithms of a problem.
pub(super) struct Reader<'a> {
    pub problem: &'static dyn AnyProblem,
    pub name: &'a str,
    /// A sentence with a complete command.
    pub example: &'a str,
    /// Ids of options that the verb reads itself.
    pub others: &'a [&'a str],
    /// Whether an axis may be left out.
    pub is_optional: &'a dyn Fn(&Axis) -> bool,
}

type Typed<'a> = Vec<(usize, Option<(String, &'a str)>)>;

impl Reader<'_> {
    /// Finds the form that matches the options.
    pub(super) fn read<'a>(&self, given: &'a Given) -> Result<Typed<'a>, Failure> {
        let Self {
            problem,
            name,
            example,
            others,
            is_optional,
        } = self;
        let axes = problem.axes();
        let own = |id: &str| {
            axes.iter()
                .any(|axis| options(axis).iter().any(|option| option.0 == id))
        };
        if let Some(unread) = given.keys().find(|id| !own(id) && !others.contains(id)) {
            let of = if *name == problem.name() {
                String::new()
            } else {
                format!(" ({})", problem.name())
            };
            let unread = spelled(unread);
            bail!("`{name}`{of} does not read {unread}; remove it. {example}");
        }
        for axis in axes {
            let mut typed = options(axis)
                .into_iter()
                .filter(|(id, _)| given.contains_key(id));
            if let (Some((_, one)), Some((_, other))) = (typed.next(), typed.next()) {
                bail!("{one} excludes {other}; remove one of them");
            }
        }
        let has = |key: &str| {
            axes.iter()
                .any(|axis| axis.key == key && typed(given, axis).is_some())
        };
        let indices = indices(*problem, has);
        let profile = axes.iter().find(|axis| axis.kind == Kind::Profile);
        let outside = axes
            .iter()
            .enumerate()
            .filter(|(index, _)| !indices.contains(index));
        if let Some((option, _)) = outside.filter_map(|(_, axis)| typed(given, axis)).next() {
            let profile_option = profile.map(Axis::option).unwrap_or_default();
            return Err(Failure::usage(
                match profile.is_some_and(|profile| has(profile.key)) {
                    true => format!("{option} excludes {profile_option}; remove one of them"),
                    false => format!(
                        "{option} needs {profile_option}; add {profile_option} NAME, or remove {option}"
                    ),
                },
            ));
        }
        let on_profile = profile.is_some_and(|profile| has(profile.key));
        for (axis, (option, text)) in axes
            .iter()
            .filter_map(|axis| Some((axis, typed(given, axis)?)))
        {
            let read = refuse_units(axis.key, axis.kind, text, on_profile);
            read.map_err(|message| Failure::usage(format_args!("{option} {text}: {message}")))?;
        }
        let missing = indices
            .iter()
            .map(|&index| &axes[index])
            .filter(|axis| !is_optional(axis) && !has(axis.key));
        let missing: Vec<String> = missing.map(Axis::option).collect();
        if !missing.is_empty() {
            bail!("`{name}` needs {}. {example}", missing.join(", "));
        }
        Ok(indices
            .into_iter()
            .map(|index| (index, typed(given, &axes[index])))
            .collect())
    }
}

/// A point as typed: its algorithm, and its values with the machine to which they refer.
pub(super) struct TypedPoint {
    entry: Entry,
    machines: Machines,
    values: PointValues,
    /// What is asked on the axis of rules of ports.
    ports: Option<u64>,
}

/// The options of an axis: ids of [`PointArgs`], and how each is spelled.
fn options(axis: &Axis) -> Vec<(&'static str, String)> {
    match (axis.kind, axis.short, axis.long) {
        (Kind::Sides, Some(short), Some(long)) => {
            vec![(long, format!("--{long}")), (axis.key, format!("-{short}"))]
        }
        _ => vec![(axis.key, axis.option())],
    }
}

/// The option given for an axis, and its text.
fn typed<'a>(given: &'a Given, axis: &Axis) -> Option<(String, &'a str)> {
    options(axis)
        .into_iter()
        .find_map(|(id, option)| Some((option, given.get(id)?.as_str())))
}

/// Example options of a point for this algorithm.
pub(super) fn example(entry: Entry) -> String {
    example_on(entry, &Machines::default())
}

/// Example options of a point for this algorithm, on the first of these profiles if there is one.
fn example_on(entry: Entry, machines: &Machines) -> String {
    let mut values = PointValues::none(entry.axes());
    values.copy_from_slice(entry.example());
    if !machines.all().is_empty() {
        let profile = |key: &str| {
            entry
                .axes()
                .iter()
                .any(|axis| axis.kind == Kind::Profile && axis.key == key)
        };
        let indices = indices(entry.problem(), profile);
        for (index, (axis, value)) in entry.axes().iter().zip(values.iter_mut()).enumerate() {
            let on_machine = match axis.kind {
                Kind::Profile => Some(0),
                Kind::Bytes if axis.default.is_none() => Some(1 << 20),
                _ => *value,
            };
            *value = on_machine.filter(|_| indices.contains(&index));
        }
    }
    // An axis with a default may be left out, where the algorithm is defined with all defaults.
    let mut defaults = values;
    for (axis, value) in entry.axes().iter().zip(defaults.iter_mut()) {
        *value = value.map(|own| axis.default.unwrap_or(own));
    }
    // To find out where a user's command is defined would run it.
    let is_enough = entry.is_given
        || entry
            .at(machines.setting(), &defaults)
            .is_ok_and(|instance| instance.admit().is_ok());
    for (axis, value) in entry.axes().iter().zip(values.iter_mut()) {
        *value = value.filter(|own| {
            axis.default
                .is_none_or(|default| !is_enough && default != *own)
        });
    }
    Cell {
        entry,
        machines,
        values,
    }
    .options()
}

/// How the option with this id is spelled.
fn spelled(id: &str) -> String {
    let all = entries().iter().flat_map(|entry| entry.axes());
    let of_id = all.flat_map(options).find(|option| option.0 == id);
    of_id.map_or_else(|| format!("--{id}"), |option| option.1)
}

/// Refuses times with decimals, and says how to write all times of the point in a unit that makes them whole.
fn refuse_decimals(axes: &[Axis], given: &Typed<'_>) -> Result<(), Failure> {
    let is_time = |index: usize| axes[index].kind == Kind::Time;
    let times = given
        .iter()
        .filter(|(index, _)| is_time(*index))
        .filter_map(|(_, typed)| typed.as_ref());
    let (options, texts): (Vec<&str>, Vec<&str>) =
        times.map(|(option, text)| (option.as_str(), *text)).unzip();
    match whole_multiples(&texts) {
        Some((scale @ 2.., values)) => {
            let all: Vec<String> = options
                .iter()
                .zip(values)
                .map(|(option, value)| format!("{option} {value}"))
                .collect();
            Err(Failure::usage(format_args!(
                "times are whole numbers of one unit; multiply all of them by {scale}: {}",
                all.join(" ")
            )))
        }
        _ => Ok(()),
    }
}

impl TypedPoint {
    /// Reads the options of an algorithm for this verb; `others` are ids that the verb reads itself.
    pub(super) fn new(
        entry: Entry,
        verb: &str,
        arguments: &PointArgs,
        others: &[&str],
    ) -> Result<Self, Failure> {
        let profile = entry.axes().iter().find(|axis| axis.kind == Kind::Profile);
        let name = profile.and_then(|profile| typed(&arguments.axes.0, profile));
        let machine = name.map(|(_, name)| named_machine(name)).transpose()?;
        let machines =
            machine.map_or_else(Machines::default, |machine| Machines::new(vec![machine]));
        let reader = Reader {
            problem: entry.problem(),
            name: entry.name,
            example: &format!(
                "For example: castbench {verb} {} {}",
                entry.name,
                example_on(entry, &machines)
            ),
            others,
            is_optional: &|axis| axis.default.is_some(),
        };
        let mut asked = Self {
            entry,
            machines,
            values: PointValues::none(entry.axes()),
            ports: None,
        };
        let given = reader.read(&arguments.axes.0)?;
        if asked.machines.all().is_empty() {
            refuse_decimals(entry.axes(), &given)?;
        }
        for (index, typed) in given {
            let axis = &entry.axes()[index];
            asked.values[index] = match typed {
                None if is_owned(axis) => None,
                None => asked
                    .machines
                    .all()
                    .first()
                    .map_or(axis.default, |machine| machine.value_of(axis)),
                Some((option, text)) => Some(Self::value(axis, &option, text)?),
            };
        }
        asked.ports = entry
            .axes()
            .iter()
            .position(is_owned)
            .and_then(|index| asked.values[index]);
        asked.machines.complete(entry.axes(), &mut asked.values);
        Ok(asked)
    }

    /// The rule of ports of the point, and what decides it.
    pub(super) fn ports(&self) -> Option<String> {
        self.machines.ports(
            self.entry.problem(),
            self.ports.as_ref().map(std::slice::from_ref),
        )
    }

    fn value(axis: &Axis, option: &str, text: &str) -> Result<u64, Failure> {
        let value = match axis.kind {
            Kind::Profile => Ok(0),
            Kind::Bytes => parse_bytes(text),
            Kind::Sides => parse_mesh(text),
            Kind::Time => parse_time(text),
            Kind::Count => parse_count(text),
            Kind::Word(words) => parse_word(words, text),
        };
        value.map_err(|expected| Failure::usage(format_args!("{option} {text}: {expected}")))
    }

    pub(super) fn cell(&self) -> Cell<'_> {
        Cell {
            entry: self.entry,
            machines: &self.machines,
            values: self.values,
        }
    }
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
                Kind::Word(_) => (axis.key, problem::spelled(axis, value).into()),
                Kind::Count | Kind::Time | Kind::Bytes => (axis.key, Value::from(value)),
            })
        };
        serializer.collect_map(cell.entry.axes().iter().zip(values.iter()).filter_map(pair))
    }
}
