//! What is said of axes, as options or in a table of a document: read in one place, whose errors say where a word stood.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use algorithms::catalogue::entries;
use algorithms::problem::{Axis, Entry, Kind};
use toml::Spanned;

use super::values::{COUNTS, FORMS};
use super::{
    Axes, Cell, Key, Machines, PointValues, RANKS, Space, Values, form, indices, refuse_units,
};
use crate::base::failure::{Failure, Result};
use crate::base::units::{grouped, joined, whole_multiples};
use crate::networks::Site;
use crate::output::diagnostics::Source;
use crate::space::machine::Machine;
use crate::space::tables::WireAxis;

/// Texts by the id of their option: the key of an axis, or the long option of the sides of a mesh.
pub type Given = BTreeMap<&'static str, String>;

/// Who says them.
#[derive(Debug, Clone)]
pub enum Speaker<'a> {
    /// Options, for the algorithm or the problem `name`, that the verb reads after `command`.
    Options {
        /// The algorithm or the problem.
        name: &'a str,
        /// The verb and what it names.
        command: String,
        /// The algorithm of an example.
        entry: Entry,
    },
    /// A table of a document, and what it is.
    Table(&'a Source, String),
}

/// What is said of one axis.
#[derive(Debug, Clone)]
struct Word<'a> {
    /// The option or the key, as spelled.
    name: String,
    /// The texts, each with its place in the document.
    texts: Vec<Spanned<Cow<'a, str>>>,
    /// The place of all.
    span: Range<usize>,
}

/// What is said of axes, by their keys.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    speaker: Speaker<'a>,
    said: BTreeMap<Key, Word<'a>>,
    machines: Machines,
    /// The networks on which the points stand. Where nothing is said of the number of ranks, it is theirs.
    pub sites: Vec<Site>,
}

/// The options of an axis: their ids, and how each is spelled.
fn options(axis: &Axis) -> Vec<(&'static str, String)> {
    match (axis.kind, axis.short, axis.long) {
        (Kind::Sides, Some(short), Some(long)) => {
            vec![(long, format!("--{long}")), (axis.key, format!("-{short}"))]
        }
        _ => vec![(axis.key, axis.option())],
    }
}

fn find<'a>(axes: &'a [Axis], key: &str) -> Option<&'a Axis> {
    axes.iter().find(|axis| axis.key == key)
}

impl<'a> Words<'a> {
    /// The options of an algorithm, or of all algorithms of its problem.
    ///
    /// # Errors
    /// Exit code 2 for an option that the problem does not read, for two that exclude each other, for an unknown machine.
    pub fn options(given: &'a Given, name: &'a str, command: String, entry: Entry) -> Result<Self> {
        let axes = entry.axes();
        let mut said = BTreeMap::new();
        for axis in axes {
            let typed: Vec<_> = options(axis)
                .into_iter()
                .filter_map(|(id, option)| Some((option, given.get(id)?)))
                .collect();
            if let [(one, _), (other, _), ..] = &typed[..] {
                bail!("{one} excludes {other}; remove one of them");
            }
            let word = typed
                .into_iter()
                .map(|(name, text)| Word::option(name, text.as_str().into()));
            said.extend(word.map(|word| (axis.key, word)));
        }
        let mut words = Self {
            speaker: Speaker::Options {
                name,
                command,
                entry,
            },
            said,
            machines: Machines::default(),
            sites: Vec::new(),
        };
        words.machines = words.read_machines(axes)?;
        let is_own = |id: &str| axes.iter().flat_map(options).any(|option| option.0 == id);
        if let Some(id) = given.keys().find(|id| !is_own(id)) {
            let option = entries()
                .iter()
                .flat_map(|entry| entry.axes())
                .flat_map(options)
                .find(|option| option.0 == *id);
            return Err(
                words.not_read(&option.map_or_else(|| format!("--{id}"), |option| option.1))
            );
        }
        Ok(words)
    }

    /// The keys of a table, which is named in words.
    ///
    /// # Errors
    /// Exit code 3 for an unknown machine.
    pub fn table(
        source: &'a Source,
        name: String,
        axes: impl IntoIterator<Item = (Key, &'a Spanned<WireAxis>)>,
    ) -> Result<Self> {
        let all = algorithms::catalogue::axes();
        let word = |(key, wire): (Key, &'a Spanned<WireAxis>)| {
            let is_profile = all
                .iter()
                .any(|axis| axis.key == key && axis.kind == Kind::Profile);
            let name = if is_profile { "machines" } else { key };
            let texts = wire
                .get_ref()
                .0
                .iter()
                .map(|text| Spanned::new(text.span(), text.get_ref().as_str().into()));
            let word = Word {
                name: name.to_owned(),
                texts: texts.collect(),
                span: wire.span(),
            };
            (key, word)
        };
        let mut words = Self {
            speaker: Speaker::Table(source, name),
            said: axes.into_iter().map(word).collect(),
            machines: Machines::default(),
            sites: Vec::new(),
        };
        words.machines = words.read_machines(all)?;
        Ok(words)
    }

    /// Whether something is said of the axis.
    pub fn has(&self, key: &str) -> bool {
        self.said.contains_key(key) || key == RANKS && !self.sites.is_empty()
    }

    /// The machines named.
    pub fn machines(&self) -> &Machines {
        &self.machines
    }

    /// Says this of an axis, as if it were an option, unless something is said of it.
    pub fn or(&mut self, axis: &Axis, text: &'a str) {
        self.said
            .entry(axis.key)
            .or_insert_with(|| Word::option(axis.option(), text.into()));
    }

    /// The space of these algorithms. Where `is_open`, open axes may have no values.
    ///
    /// # Errors
    /// Exit code 2 or 3 for an axis that no algorithm reads or that is missing, and for a text that is no value.
    pub fn space(&self, algorithms: Vec<Entry>, is_open: bool) -> Result<Space> {
        let mut space = Space {
            algorithms,
            machines: self.machines.clone(),
            sites: self.sites.clone(),
            is_open,
            ..Space::default()
        };
        self.refuse_decimals()?;
        let mut axes = Axes::new();
        for key in self.said.keys() {
            let kind = space.kind(key);
            let values = match kind {
                Kind::Profile => Values::below(space.machines.all().len() as u64)
                    .unwrap_or_else(|| Values::only(0)),
                kind => self.values(key, kind)?,
            };
            axes.insert(*key, values);
        }
        space.axes = axes;
        self.refuse_unread(&space.algorithms)?;
        self.refuse_missing(&space.algorithms, is_open)?;
        Ok(space)
    }

    /// The space of one point.
    ///
    /// # Errors
    /// The errors of [`Self::space`], and exit code 2 for an axis with several values.
    pub fn point(&self, entry: Entry) -> Result<Space> {
        let space = self.space(vec![entry], false)?;
        match space.axes.iter().find(|(_, values)| values.count() > 1) {
            None => Ok(space),
            Some((key, values)) => {
                let word = &self.said[key];
                let expected = format!(
                    "expected one value, got {}; `castbench best` and `castbench sweep` take several",
                    grouped(values.count())
                );
                Err(self.no_value(key, word, &word.texts[0], expected))
            }
        }
    }

    /// The values of an axis.
    ///
    /// # Errors
    /// Exit code 2 or 3 for a text that is none.
    pub fn values(&self, key: Key, kind: Kind) -> Result<Values> {
        let word = &self.said[key];
        let on_profile = !self.machines.all().is_empty();
        let directory = match &self.speaker {
            Speaker::Table(source, _) => source.directory(),
            Speaker::Options { .. } => Path::new(""),
        };
        let parts = word
            .texts
            .iter()
            .map(|text| {
                refuse_units(key, kind, text.get_ref(), on_profile)
                    .and_then(|()| Values::parse_in(directory, text.get_ref(), kind))
                    .map_err(|expected| self.no_value(key, word, text, expected))
            })
            .collect::<Result<_, _>>()?;
        Values::joined(parts).map_err(|expected| match &self.speaker {
            Speaker::Table(source, _) => {
                let title = format!("axis `{key}` has no usable values");
                source.failure(
                    word.span.clone(),
                    title,
                    expected,
                    format!("write values {FORMS}"),
                )
            }
            Speaker::Options { .. } => failure!(Usage, "{}: {expected}", word.name),
        })
    }

    fn no_value(
        &self,
        key: &str,
        word: &Word<'_>,
        text: &Spanned<Cow<'_, str>>,
        expected: String,
    ) -> Failure {
        let (span, text) = (text.span(), text.get_ref());
        match &self.speaker {
            Speaker::Options { .. } => {
                failure!(Usage, "{} {text}: {expected}", word.name)
            }
            Speaker::Table(source, _) => {
                let title = format!("`{text}` is not a value of `{key}`");
                let forms = if key == "counts" { COUNTS } else { FORMS };
                source.failure(span, title, expected, format!("write values {forms}"))
            }
        }
    }

    fn not_read(&self, option: &str) -> Failure {
        let Speaker::Options { name, entry, .. } = &self.speaker else {
            return failure!(Usage, "{option} is not read; remove it");
        };
        let problem = entry.problem().name;
        let of = if *name == problem {
            String::new()
        } else {
            format!(" ({problem})")
        };
        failure!(
            Usage,
            "`{name}`{of} does not read {option}; remove it. {}",
            self.example()
        )
    }

    /// A sentence with a complete command.
    fn example(&self) -> String {
        match &self.speaker {
            Speaker::Options { command, entry, .. } => {
                format!(
                    "For example: castbench {command} {}",
                    example(*entry, &self.machines)
                )
            }
            Speaker::Table(..) => String::new(),
        }
    }

    /// Refuses what no algorithm reads, because it would have no effect.
    fn refuse_unread(&self, algorithms: &[Entry]) -> Result {
        let reads = |entry: &Entry, key: Key| {
            indices(entry.problem(), |key| self.has(key))
                .into_iter()
                .any(|index| entry.axes()[index].key == key)
        };
        let Some((key, word)) = self
            .said
            .iter()
            .find(|(key, _)| !algorithms.iter().any(|entry| reads(entry, key)))
        else {
            return Ok(());
        };
        let in_another_form = algorithms
            .iter()
            .find(|entry| find(entry.axes(), key).is_some());
        let option = &word.name;
        Err(match (&self.speaker, in_another_form) {
            (Speaker::Options { .. }, None) => self.not_read(option),
            (Speaker::Options { .. }, Some(entry)) => {
                let profile = entry
                    .axes()
                    .iter()
                    .find(|axis| axis.kind == Kind::Profile)
                    .map(Axis::option)
                    .unwrap_or_default();
                Failure::usage(if self.machines.all().is_empty() {
                    format!("{option} needs {profile}; add {profile} NAME, or remove {option}")
                } else {
                    format!("{option} excludes {profile}; remove one of them")
                })
            }
            (Speaker::Table(source, name), _) => {
                let title = format!("no algorithm of {name} reads `{option}`");
                let (label, help) = match in_another_form {
                    Some(entry) => (
                        format!(
                            "`{}` does not take `{option}` together with machines",
                            entry.name
                        ),
                        "remove the key or `machines`, or put one of them into another table",
                    ),
                    None if algorithms.is_empty() => {
                        ("no algorithm finds all its axes here".to_owned(), UNREAD)
                    }
                    None => {
                        let names = joined(", ", algorithms.iter().map(|entry| entry.name));
                        (format!("the algorithms are {names}"), UNREAD)
                    }
                };
                source.failure(word.span.clone(), title, label, help)
            }
        })
    }

    /// The first axis that an algorithm reads and that has neither words nor a default.
    pub fn missing(&self, entry: Entry) -> Option<&'static Axis> {
        form(entry.problem(), |key| self.has(key)).err()
    }

    /// Of a table, each algorithm is checked where it is named.
    fn refuse_missing(&self, algorithms: &[Entry], is_open: bool) -> Result {
        let (Speaker::Options { name, .. }, [entry, ..]) = (&self.speaker, algorithms) else {
            return Ok(());
        };
        let missing: Vec<String> = indices(entry.problem(), |key| self.has(key))
            .into_iter()
            .map(|index| &entry.axes()[index])
            .filter(|axis| {
                axis.default.is_none() && !self.has(axis.key) && !(is_open && axis.is_open)
            })
            .map(Axis::option)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        bail!("`{name}` needs {}. {}", missing.join(", "), self.example())
    }

    /// Refuses times with decimals among options, and says how to write all of them in a unit that makes them whole.
    fn refuse_decimals(&self) -> Result {
        let Speaker::Options { entry, .. } = self.speaker else {
            return Ok(());
        };
        if !self.machines.all().is_empty() {
            return Ok(());
        }
        let times: Vec<&Word<'_>> = entry
            .axes()
            .iter()
            .filter(|axis| axis.kind == Kind::Time)
            .filter_map(|axis| self.said.get(axis.key))
            .collect();
        let texts: Vec<&str> = times
            .iter()
            .map(|word| &**word.texts[0].get_ref())
            .collect();
        let Some((scale @ 2.., values)) = whole_multiples(&texts) else {
            return Ok(());
        };
        let all: Vec<String> = times
            .iter()
            .zip(values)
            .map(|(word, value)| format!("{} {value}", word.name))
            .collect();
        bail!(
            "times are whole numbers of one unit; multiply all of them by {scale}: {}",
            all.join(" ")
        )
    }

    /// The machines that these words name on the axis of profiles.
    fn read_machines(&self, axes: &[impl std::borrow::Borrow<Axis>]) -> Result<Machines> {
        let profile = axes
            .iter()
            .map(std::borrow::Borrow::borrow)
            .find(|axis| axis.kind == Kind::Profile);
        let Some(word) = profile.and_then(|axis| self.said.get(axis.key)) else {
            return Ok(Machines::default());
        };
        let mut known: Vec<Machine> = Vec::new();
        let names = word.texts.iter().flat_map(|text| {
            text.get_ref()
                .split(',')
                .map(|name| Spanned::new(text.span(), name.trim().to_owned()))
        });
        for name in names {
            let machine = match &self.speaker {
                Speaker::Options { .. } => named_machine(name.get_ref())?,
                Speaker::Table(source, _) => Machine::named_in(source, &name)?,
            };
            if known.iter().any(|other| other.name == machine.name) {
                let title = format!("two machines have the name `{}`", machine.name);
                let help = "name each machine once, and give your profile another `name`";
                return Err(match &self.speaker {
                    Speaker::Options { .. } => {
                        failure!(Usage, "{}: {title}; {help}", word.name)
                    }
                    Speaker::Table(source, _) => {
                        source.failure(name.span(), title, "the second", help)
                    }
                });
            }
            known.push(machine);
        }
        match &self.speaker {
            Speaker::Table(source, _) if known.is_empty() => {
                let title = "`machines` names no machine";
                Err(source.failure(word.span.clone(), title, "expected names", Machine::names()))
            }
            _ => Ok(Machines::new(known)),
        }
    }
}

const UNREAD: &str =
    "remove the key, or name an algorithm that reads it and all its axes (`castbench list`)";

impl<'a> Word<'a> {
    fn option(name: String, text: Cow<'a, str>) -> Self {
        Self {
            name,
            texts: vec![Spanned::new(0..0, text)],
            span: 0..0,
        }
    }
}

/// The machine with this name, or in this file.
///
/// # Errors
/// Exit code 2 for an unknown name, 3 for an invalid file.
pub fn named_machine(name: &str) -> Result<Machine> {
    Machine::find(name, Path::new(name))?
        .ok_or_else(|| failure!(Usage, "there is no machine `{name}`; {}", Machine::names()))
}

/// Example options of a point for this algorithm, on the first of these profiles if there is one.
pub fn example(entry: Entry, machines: &Machines) -> String {
    let axes = entry.axes();
    let mut values = PointValues::none(axes);
    values.copy_from_slice(&entry.example());
    if !machines.all().is_empty() {
        let indices = indices(entry.problem(), |key| {
            find(axes, key).is_some_and(|axis| axis.kind == Kind::Profile)
        });
        for (index, (axis, value)) in axes.iter().zip(values.iter_mut()).enumerate() {
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
    for (axis, value) in axes.iter().zip(defaults.iter_mut()) {
        *value = value.map(|own| axis.default.unwrap_or(own));
    }
    // To find out where a user's command is defined would run it.
    let is_enough = entry.is_given
        || entry
            .at(machines.setting(), &defaults)
            .is_ok_and(|instance| instance.admit().is_ok());
    for (axis, value) in axes.iter().zip(values.iter_mut()) {
        *value = value.filter(|own| {
            axis.default
                .is_none_or(|default| !is_enough && default != *own)
        });
    }
    Cell {
        entry,
        machines,
        values,
        site: None,
    }
    .options()
}
