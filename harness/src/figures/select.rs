//! The rows that a figure reads: those at the values that it holds.

use std::collections::BTreeMap;

use algorithms::catalogue;
use algorithms::problem::{AnyProblem, Axis, Kind, Sides};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::config::axis::{self, Count, Key};
use crate::record::Row;
use crate::units::{grouped, parse_bytes, parse_count, parse_mesh, parse_time, show_bytes};

const fn axis(key: Key, kind: Kind, title: &'static str) -> Axis {
    Axis { key, short: None, long: None, columns: &[], kind, default: None, samples: false, title, meaning: title }
}

/// The axes that measurements have instead of a machine and the times of a model.
static MEASURED: [Axis; 6] = [
    axis("measurement", Kind::Profile, "measurement"),
    axis("machine", Kind::Profile, "machine"),
    axis("bytes", Kind::Bytes, "message size"),
    axis(HOSTS, Kind::Count, "hosts"),
    axis("mapping", Kind::Profile, "mapping"),
    axis("hold_ps_per_byte", Kind::Count, "relay delay (ps/B)"),
];

/// The axis with the number of hosts; without a value, each node has its own host.
const HOSTS: Key = "hosts";

/// The axes of the rows of a problem, measured or not.
pub fn axes(problem: &'static dyn AnyProblem, measured: bool) -> impl Iterator<Item = &'static Axis> {
    let own = problem.axes().iter().filter(move |axis| !measured || axis.kind == Kind::Count);
    MEASURED[..if measured { MEASURED.len() } else { 0 }].iter().chain(own)
}

/// A name without that of its problem, where all these are algorithms of the problem and begin with its name.
pub fn short<'a, 'b>(name: &'a str, mut all: impl Iterator<Item = &'b str>) -> &'a str {
    let Some(problem) = catalogue::find(name).map(|entry| entry.problem().name()) else { return name };
    let is_one = |name: &str| catalogue::find(name).is_some_and(|entry| entry.problem().name() == problem);
    let stem = |name: &'a str| name.strip_prefix(problem)?.strip_prefix('-');
    let begins = |name: &str| name.strip_prefix(problem).is_some_and(|rest| rest.starts_with('-'));
    stem(name).filter(|_| all.all(|name| is_one(name) && begins(name))).unwrap_or(name)
}

/// The key of an axis, also of measurements.
///
/// # Errors
/// There is no such axis; the message lists all.
pub fn key_of(text: &str) -> Result<Key, String> {
    let measured = MEASURED.iter().map(|axis| axis.key);
    measured.clone().find(|key| *key == text).map_or_else(|| axis::key_of(text), Ok).map_err(|told| {
        let others: Vec<Key> = measured.filter(|key| axis::key_of(key).is_err()).collect();
        format!("{told}; measurements also have {}", others.join(" "))
    })
}

/// The key of an axis in a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WireKey(pub Key);

impl<'de> Deserialize<'de> for WireKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        key_of(&String::deserialize(deserializer)?).map(Self).map_err(D::Error::custom)
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
pub type Place = BTreeMap<Key, Held>;

impl Held {
    /// Reads a value as the user writes it.
    ///
    /// # Errors
    /// The expected form.
    pub fn parse(axis: &Axis, text: &str) -> Result<Self, String> {
        match axis.kind {
            Kind::Profile => Ok(Self::Name(text.to_owned())),
            Kind::Bytes => parse_bytes(text).map(Self::Number),
            Kind::Sides => parse_mesh(text).map(Self::Number),
            Kind::Time if axis.key == "c" => parse_time(text).map(Self::Number),
            Kind::Count | Kind::Time => parse_count(text).map(Self::Number),
        }
    }

    /// The value of a row.
    pub fn of(row: &Row, axis: &Axis) -> Option<Self> {
        match axis.kind {
            Kind::Profile => {
                let name = row.measured.as_ref().map_or_else(|| row.machine(), |measured| measured.name(axis.key));
                name.map(|name| Self::Name(name.to_owned()))
            }
            _ => row.value(axis.key).map(Self::Number),
        }
    }

    /// Whether a row has this value. Any mapping matches where each node has its own host.
    fn is_of(&self, row: &Row, axis: &Axis) -> bool {
        let own = Self::of(row, axis);
        own.as_ref() == Some(self) || own.is_none() && row.measured.is_some() && axis.kind == Kind::Profile
    }

    /// As texts show it.
    pub fn show(&self, axis: &Axis) -> String {
        match (self, axis.kind) {
            (Self::Name(name), _) => name.clone(),
            (Self::Number(bytes), Kind::Bytes) => show_bytes(*bytes),
            (Self::Number(sides), Kind::Sides) => Sides::of(*sides).to_string(),
            (Self::Number(value), _) => grouped(*value),
        }
    }

    /// As `--at` takes it.
    pub fn typed(&self, axis: &Axis) -> String {
        match self {
            Self::Number(value) if axis.kind != Kind::Sides => value.to_string(),
            _ => self.show(axis),
        }
    }
}

/// A value in a configuration: a number or a text.
pub struct WireHeld(pub String);

impl<'de> Deserialize<'de> for WireHeld {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "expected a whole number as in 18, or a text as in \"1MiB\"")]
        enum Either {
            Text(String),
            Number(Count),
        }
        Ok(Self(match Either::deserialize(deserializer)? {
            Either::Text(text) => text,
            Either::Number(Count(number)) => number.to_string(),
        }))
    }
}

/// Whether an axis only states how random instances were drawn. No figure needs to hold it; of rows that differ in
/// nothing else, the one with the most draws counts.
pub fn is_draw(axis: &Axis) -> bool {
    matches!(axis.key, "trials" | "seed")
}

/// Whether a row has these values. The `free` axes may have any value. The other axes have their default, and no
/// machine; in a measured row they have any value, and each node has its own host.
pub fn is_at(row: &Row, place: &Place, free: &[Key]) -> bool {
    axes(row.problem, row.measured.is_some()).all(|axis| {
        let value = Held::of(row, axis);
        match (place.get(axis.key), &row.measured) {
            (Some(held), _) => held.is_of(row, axis),
            (None, _) if free.contains(&axis.key) => value.is_some(),
            (None, Some(measured)) => axis.key != HOSTS || measured.has_own_hosts(),
            (None, None) if axis.kind == Kind::Profile => value.is_none(),
            (None, None) if is_draw(axis) => true,
            (None, None) => value.is_none() || axis.default.is_none_or(|default| value == Some(Held::Number(default))),
        }
    })
}

/// `L = 6, o = 2`, in the problem's order of axes.
pub fn told(place: &Place, axes: impl Iterator<Item = &'static Axis>) -> Vec<String> {
    let held = axes.filter_map(|axis| Some((axis, place.get(axis.key)?)));
    held.map(|(axis, value)| format!("{} = {}", axis.key, value.show(axis))).collect()
}

/// The coordinate of a row on a drawn axis; for a square mesh its side.
pub fn along(row: &Row, x: Key) -> Option<u64> {
    let axis = axes(row.problem, row.measured.is_some()).find(|axis| axis.key == x)?;
    row.value(x).filter(|value| axis.kind != Kind::Sides || *value <= u64::from(u32::MAX))
}
