//! The rows that a figure reads: those at the values that it holds.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use algorithms::catalogue;
use algorithms::problem::{Axis, Entry, Kind, Problem, spelled};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::base::failure::Result;
use crate::base::units::{grouped, joined, show_bytes, sizes};
use crate::record::on_network::NETWORK;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::space::Rules;
use crate::space::machine::PORTS;
use crate::space::values::{self, HOLD, Key};

const fn axis(key: Key, kind: Kind, title: &'static str) -> Axis {
    Axis {
        short: None,
        long: None,
        ..Axis::new(key, &[], kind, title, title)
    }
}

/// The axes that measurements have instead of a machine and the times of a model.
static MEASURED: [Axis; 6] = [
    axis("measurement", Kind::Profile, "measurement"),
    axis(MACHINE, Kind::Profile, "machine"),
    axis("bytes", Kind::Bytes, "message size"),
    axis(HOSTS, Kind::Count, "hosts"),
    axis("mapping", Kind::Profile, "mapping"),
    axis(HOLD, Kind::Count, "relay delay, in ps/B"),
];

/// The axis of rows on networks.
static NETWORKS: [Axis; 1] = [axis(NETWORK, Kind::Profile, "network")];

/// The axis of profiles.
pub const MACHINE: Key = "machine";

/// The axis with the number of hosts; without a value, each node has its own host.
const HOSTS: Key = "hosts";

/// The axes of the rows of a problem, measured or not.
pub fn axes(problem: &'static Problem, measured: bool) -> impl Iterator<Item = &'static Axis> {
    let own = problem
        .axes
        .iter()
        .filter(move |axis| !measured || matches!(axis.kind, Kind::Count | Kind::Word(_)));
    MEASURED[..if measured { MEASURED.len() } else { 0 }]
        .iter()
        .chain(own)
        .chain(NETWORKS.iter().filter(move |_| !measured))
}

/// The name of an algorithm without that of its problem, or else without the first word that all algorithms of its problem share.
pub fn stem(entry: &Entry) -> &'static str {
    let behind = |name: &'static str, word| name.strip_prefix(word)?.strip_prefix('-');
    let problem = entry.problem();
    let word = entry.name.split('-').next().unwrap_or_default();
    let is_shared = catalogue::entries()
        .iter()
        .all(|other| other.problem() != problem || behind(other.name, word).is_some());
    behind(entry.name, problem.name)
        .or_else(|| behind(entry.name, word).filter(|_| is_shared))
        .unwrap_or(entry.name)
}

/// The stem of a name, where all these are algorithms of its problem.
pub fn short<'a, 'b>(name: &'a str, mut all: impl Iterator<Item = &'b str>) -> &'a str {
    let Some(entry) = catalogue::find(name) else {
        return name;
    };
    if all.all(|name| catalogue::find(name).is_some_and(|own| own.problem() == entry.problem())) {
        stem(&entry)
    } else {
        name
    }
}

/// The key of an axis, also of measurements.
///
/// # Errors
/// There is no such axis; the message lists all.
pub fn key_of(text: &str) -> Result<Key, String> {
    if text == NETWORK {
        return Ok(NETWORK);
    }
    let measured = MEASURED.iter().map(|axis| axis.key);
    measured
        .clone()
        .find(|key| *key == text)
        .map_or_else(|| values::key_of(text), Ok)
        .map_err(|explanation| {
            let others = measured.filter(|key| values::key_of(key).is_err());
            let others = joined(" ", others);
            format!("{explanation}; measurements also have {others}")
        })
}

/// The key of an axis in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireKey(pub Key);

impl<'de> Deserialize<'de> for WireKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        key_of(&String::deserialize(deserializer)?)
            .map(Self)
            .map_err(D::Error::custom)
    }
}

/// The value of an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// The value of any axis but a machine.
    Number(u64),
    /// The name of a machine.
    Name(String),
}

/// The values at which axes are held.
pub type HeldAxes = BTreeMap<Key, Held>;

impl Held {
    /// Reads a value as the user writes it, with files in this directory.
    ///
    /// # Errors
    /// The expected form.
    pub fn parse(directory: &Path, axis: &Axis, text: &str) -> Result<Self, String> {
        let kind = match axis.kind {
            Kind::Profile => return Ok(Self::Name(text.to_owned())),
            // Other times have no unit.
            Kind::Time if axis.key != COMBINE => Kind::Count,
            kind => kind,
        };
        values::value(directory, text, kind).map(Self::Number)
    }

    /// The value of a row.
    pub fn from_row(row: &Row, axis: &Axis) -> Option<Self> {
        match axis.kind {
            Kind::Profile => name_of(row, axis).map(|name| Self::Name(name.to_owned())),
            _ => row.value(axis.key).map(Self::Number),
        }
    }

    /// The value with its unit, as texts show it.
    pub fn show(&self, axis: &Axis, on_machine: bool) -> String {
        let (value, unit) = self.amount(axis, on_machine);
        if unit.is_empty() {
            value
        } else {
            format!("{value} {}", singular(unit, &value))
        }
    }

    /// Its number or name, and the unit of that number; empty for counts and names. With `on_machine` a profile gives the
    /// times, so they are physical.
    fn amount(&self, axis: &Axis, on_machine: bool) -> (String, &'static str) {
        match (self, axis.kind) {
            (Self::Name(name), _) => (name.clone(), ""),
            (Self::Number(bytes), _) if is_bytes(axis, on_machine) => (show_bytes(*bytes), ""),
            (Self::Number(value), Kind::Sides | Kind::Word(_) | Kind::Counts) => {
                (spelled(axis, *value).into_owned(), "")
            }
            (Self::Number(value), _) => match unit(axis, on_machine) {
                "ns" => duration(*value),
                unit => (grouped(*value), unit),
            },
        }
    }

    /// The value as `--at` takes it.
    pub fn typed(&self, axis: &Axis) -> String {
        match self {
            Self::Number(value) => spelled(axis, *value).into_owned(),
            Self::Name(name) => name.clone(),
        }
    }
}

/// Whether an axis only states how random instances were drawn. No figure needs to hold it; of rows that differ in
/// nothing else, the one with the most draws counts.
pub fn is_draw(axis: &Axis) -> bool {
    matches!(axis.key, "trials" | "seed")
}

/// The name that a row has on an axis of names.
pub fn name_of<'a>(row: &'a Row, axis: &Axis) -> Option<&'a str> {
    if axis.key == NETWORK {
        return row.on_network.as_ref().map(|own| &*own.network);
    }
    row.measured
        .as_ref()
        .map_or_else(|| row.machine(), |measured| measured.name(axis.key))
}

/// Whether a row is one of those meant.
pub type Test = Box<dyn Fn(&Row) -> bool + Send + Sync>;

/// The rows that one of these takes.
pub fn any(tests: Vec<Test>) -> Test {
    Box::new(move |row| tests.iter().any(|test| test(row)))
}

/// The rows of a problem, measured or not, with these values. The `free` axes may have any value. The other axes have
/// their default, or what the profile of a row states, and no machine; in a measured row they have any value, and each node has
/// its own host. It is made once for all rows, since a sweep has many.
pub fn filter(
    problem: &'static Problem,
    measured: bool,
    held: &HeldAxes,
    free: &[Key],
    rules: &Rules,
) -> Test {
    let test = |(index, axis): (usize, &'static Axis)| -> Option<Test> {
        // The index of an axis of the problem matters to rows that are not measured.
        let number = move |row: &Row| {
            if measured {
                row.value(axis.key)
            } else {
                row.values[index]
            }
        };
        let is_name = axis.kind == Kind::Profile;
        Some(match held.get(axis.key).cloned() {
            Some(Held::Number(held)) => Box::new(move |row| number(row) == Some(held)),
            // Any mapping matches where each node of a measurement has its own host.
            Some(Held::Name(held)) => {
                Box::new(move |row| name_of(row, axis).map_or(measured, |name| name == held))
            }
            None if free.contains(&axis.key) && is_name => {
                Box::new(move |row| name_of(row, axis).is_some())
            }
            None if free.contains(&axis.key) => Box::new(move |row| number(row).is_some()),
            None if measured && axis.key == HOSTS => Box::new(|row| {
                row.measured
                    .as_ref()
                    .is_some_and(|measured| measured.has_own_hosts())
            }),
            None if !measured && is_name => Box::new(move |row| name_of(row, axis).is_none()),
            None if measured || is_draw(axis) => return None,
            None => {
                let default = axis.default?;
                let rules = rules.clone();
                let rule =
                    move |row: &Row| rules.get(&(axis.key, row.machine()?.to_owned())).copied();
                Box::new(move |row| {
                    number(row).is_none_or(|number| number == rule(row).unwrap_or(default))
                })
            }
        })
    };
    let tests: Vec<Test> = axes(problem, measured)
        .enumerate()
        .filter_map(test)
        .collect();
    Box::new(move |row| {
        row.problem == problem
            && row.measured.is_some() == measured
            && tests.iter().all(|test| test(row))
    })
}

/// The unit of an axis's numbers; empty for counts, names and what states its own unit.
pub fn unit(axis: &Axis, on_machine: bool) -> &'static str {
    match (axis.kind, axis.key) {
        (Kind::Time, COMBINE) if on_machine => "ps/B",
        (Kind::Time, COMBINE) => "time units per word",
        (Kind::Time, _) if on_machine => "ns",
        (Kind::Time, _) => "time units",
        (_, HOLD) => "ps/B",
        (Kind::Bytes, ELEMENT) if !on_machine => "words",
        _ => "",
    }
}

/// The time to combine: on a profile for each byte, else for each word.
const COMBINE: Key = "c";

/// Sizes: on a profile in bytes, else in words.
const ELEMENT: Key = "element";

/// Whether the values of an axis have names and no order.
pub fn is_named(axis: &Axis) -> bool {
    matches!(axis.kind, Kind::Profile | Kind::Counts | Kind::Word(_))
}

/// Whether an axis counts bytes.
pub fn is_bytes(axis: &Axis, on_machine: bool) -> bool {
    axis.kind == Kind::Bytes && unit(axis, on_machine).is_empty()
}

/// One time unit, two time units.
fn singular(unit: &str, value: &str) -> String {
    if value == "1" {
        unit.replacen("units", "unit", 1)
            .replacen("words", "word", 1)
    } else {
        unit.to_owned()
    }
}

/// Nanoseconds in the largest unit below them, exact to three digits after the point.
fn duration(ns: u64) -> (String, &'static str) {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let (size, unit) = units
        .into_iter()
        .find(|(size, _)| ns >= *size)
        .unwrap_or((1, "ns"));
    let fraction = format!("{:03}", u128::from(ns % size) * 1000 / u128::from(size));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    (format!("{}{point}{fraction}", grouped(ns / size)), unit)
}

/// The title of an axis in a chart, with its unit.
pub fn title(axis: &Axis, on_machine: bool) -> String {
    let unit = unit(axis, on_machine);
    if axis.title.contains(unit) {
        axis.title.to_owned()
    } else {
        format!("{}, in {unit}", axis.title)
    }
}

/// `L = 6, o = 2 time units`, in the problem's order of axes; a unit stands after the last of those that share it.
pub fn words(
    held: &HeldAxes,
    axes: impl Iterator<Item = &'static Axis>,
    on_machine: bool,
) -> Vec<String> {
    let held: Vec<(Key, (String, &str))> = axes
        .filter_map(|axis| Some((axis, held.get(axis.key)?)))
        .map(|(axis, held)| (axis.key, held.amount(axis, on_machine)))
        .collect();
    let unit_of = |number: usize| held.get(number).map(|(_, (_, unit))| *unit);
    held.iter()
        .enumerate()
        .map(|(number, (key, (value, unit)))| {
            if unit.is_empty() || unit_of(number + 1) == Some(*unit) {
                return format!("{key} = {value}");
            }
            let is_alone = number.checked_sub(1).and_then(unit_of) != Some(*unit);
            let unit = if is_alone {
                singular(unit, value)
            } else {
                (*unit).to_owned()
            };
            format!("{key} = {value} {unit}")
        })
        .collect()
}

/// The rules of ports of these rows, as a sentence; none if their problems have no such rule.
pub fn ports<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<String> {
    let rule = |row: &'a Row| {
        let axis = row.problem.axes.iter().find(|axis| axis.key == PORTS);
        axis.and_then(|axis| Some(spelled(axis, row.value(axis.key)?).into_owned()))
    };
    let mut rules: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (rule, row) in rows.filter_map(|row| Some((rule(row)?, row))) {
        rules.entry(rule).or_default().extend(row.machine());
    }
    let is_one = rules.len() == 1;
    let all = joined(
        "; ",
        rules.iter().map(|(rule, machines)| {
            if is_one || machines.is_empty() {
                rule.clone()
            } else {
                format!("{rule} on {}", joined(", ", machines))
            }
        }),
    );
    (!all.is_empty()).then(|| format!("Ports: {all}."))
}

/// The labels of values on one axis.
pub fn labels(axis: &Axis, values: &[u64], on_machine: bool) -> Vec<String> {
    if is_bytes(axis, on_machine) {
        return sizes(values);
    }
    values
        .iter()
        .map(|value| Held::Number(*value))
        .map(|own| own.amount(axis, on_machine).0)
        .collect()
}

/// Whether a held or a free axis is that of a profile.
pub fn on_machine(held: &HeldAxes, free: &[Key]) -> bool {
    held.contains_key(MACHINE) || free.contains(&MACHINE)
}

/// The coordinate of a row on a drawn axis; for a square mesh its side.
pub fn along(row: &Row, x: Key) -> Option<u64> {
    let axis = axes(row.problem, row.measured.is_some()).find(|axis| axis.key == x)?;
    row.value(x)
        .filter(|value| axis.kind != Kind::Sides || *value <= u64::from(u32::MAX))
}

/// What results have of these algorithms where they have no row at these values: the values of the first axis whose value is
/// missing. Empty if every value is there, but not all in one row.
///
/// # Errors
/// The results cannot be read.
pub fn instead(sweep: &Sweep<'_>, algorithms: &[&str], held: &HeldAxes) -> Result<String> {
    // By problem: two have an axis of one key, `n`, with values of two kinds.
    let known: RefCell<BTreeMap<(&str, Key), BTreeSet<Held>>> = RefCell::default();
    let note = |row: &Row| {
        if row.status == Status::Ok && algorithms.contains(&row.algorithm.as_str()) {
            axes(row.problem, false)
                .filter(|axis| held.contains_key(axis.key))
                .filter_map(|axis| Some((axis.key, Held::from_row(row, axis)?)))
                .for_each(|(key, value)| {
                    let own = (row.problem.name, key);
                    known.borrow_mut().entry(own).or_default().extend([value])
                });
        }
        false
    };
    let mut problems: Vec<_> = algorithms
        .iter()
        .filter_map(|name| Some(catalogue::find(name)?.problem()))
        .collect();
    problems.dedup();
    for problem in &problems {
        sweep.rows(problem, note)?;
    }
    let known = known.into_inner();
    let missing = |problem: &Problem, axis: &Axis| {
        let values = known.get(&(problem.name, axis.key))?;
        let wanted = held
            .get(axis.key)
            .filter(|wanted| !values.contains(*wanted))?;
        let listed = values.iter().take(MOST_LISTED);
        let listed = joined(", ", listed.map(|value| value.typed(axis)));
        let more = values.len().saturating_sub(MOST_LISTED);
        let more = if more > 0 {
            format!(" and {} more", grouped(more as u64))
        } else {
            String::new()
        };
        let key = axis.key;
        let wanted = wanted.typed(axis);
        Some(format!(
            "{key} = {wanted} is not among them; there are {key} = {listed}{more}"
        ))
    };
    Ok(problems
        .iter()
        .find_map(|problem| problem.axes.iter().find_map(|axis| missing(problem, axis)))
        .unwrap_or_default())
}

/// Most values that a message lists.
const MOST_LISTED: usize = 20;

#[cfg(test)]
mod tests {
    use algorithms::catalogue::PROBLEMS;

    use super::*;

    fn axis_of(key: Key) -> &'static Axis {
        let all = PROBLEMS
            .iter()
            .flat_map(|problem| problem.axes)
            .chain(&MEASURED);
        all.into_iter().find(|axis| axis.key == key).unwrap()
    }

    #[test]
    fn a_value_has_its_unit() {
        for (key, value, on_machine, text) in [
            ("c", 50, true, "50 ps/B"),
            ("c", 1, false, "1 time unit per word"),
            ("c", 0, false, "0 time units per word"),
            ("L", 10_342, true, "10.342 µs"),
            ("o", 160_567_000, true, "160.567 ms"),
            ("g", 2_000_000_000, true, "2 s"),
            ("g", 999, true, "999 ns"),
            ("L", 0, true, "0 ns"),
            ("L", 6, false, "6 time units"),
            ("t_s", 1, false, "1 time unit"),
            ("bytes", 1 << 20, true, "1 MiB"),
            ("bytes", 1500, true, "1500 B"),
            ("hold_ps_per_byte", 84_972, false, "84,972 ps/B"),
            ("K", 1024, true, "1,024"),
        ] {
            assert_eq!(
                Held::Number(value).show(axis_of(key), on_machine),
                text,
                "{key}"
            );
        }
        let mesh = PROBLEMS
            .iter()
            .flat_map(|problem| problem.axes)
            .find(|axis| axis.kind == Kind::Sides)
            .unwrap();
        assert_eq!(Held::Number(8).show(mesh, false), "8x8");
        assert_eq!(
            Held::Name("mine".to_owned()).show(axis_of("machine"), true),
            "mine"
        );
    }

    /// The columns of every axis state its unit, so the texts can be compared with them.
    #[test]
    fn every_time_has_the_unit_of_its_column() {
        for axis in PROBLEMS.iter().flat_map(|problem| problem.axes) {
            let unit = unit(axis, false);
            let column = axis.columns.first().copied().unwrap_or_default();
            assert_eq!(
                unit == "time units",
                column.ends_with("_time"),
                "{}",
                axis.key
            );
            assert_eq!(
                unit == "time units per word",
                column.ends_with("_per_word"),
                "{}",
                axis.key
            );
            assert!(
                unit.is_empty() || title(axis, false).ends_with(unit),
                "{}",
                title(axis, false)
            );
        }
        assert_eq!(
            title(axis_of("c"), true),
            "time c to combine two words, in ps/B"
        );
        assert_eq!(
            title(axis_of("hold_ps_per_byte"), true),
            "relay delay, in ps/B"
        );
    }

    #[test]
    fn values_of_one_unit_share_it() {
        let held: HeldAxes = [("L", 6), ("o", 2), ("g", 4), ("K", 24), ("c", 1)]
            .map(|(key, value)| (key, Held::Number(value)))
            .into();
        let axes = || {
            algorithms::catalogue::problem("allreduce")
                .unwrap()
                .axes
                .iter()
        };
        assert_eq!(
            words(&held, axes(), false).join(", "),
            "L = 6, o = 2, g = 4 time units, K = 24, c = 1 time unit per word"
        );
        let held: HeldAxes = [("n", 64), ("element", 2)]
            .map(|(key, value)| (key, Held::Number(value)))
            .into();
        assert_eq!(words(&held, axes(), false), ["n = 64", "element = 2 words"]);
        assert_eq!(words(&held, axes(), true), ["n = 64", "element = 2 B"]);
        assert_eq!(Held::Number(1).show(axis_of("element"), false), "1 word");
        let held: HeldAxes = [("c", 50)]
            .map(|(key, value)| (key, Held::Number(value)))
            .into();
        assert_eq!(words(&held, axes(), true), ["c = 50 ps/B"]);
    }
}
