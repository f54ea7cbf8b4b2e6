//! Which rows a figure reads: those at the values that it holds.

use std::collections::BTreeMap;

use algorithms::problem::{Axis, Kind, Sides};
use serde::{Deserialize, Deserializer};

use crate::config::axis::{Count, Key};
use crate::record::Row;
use crate::units::{grouped, parse_bytes, parse_count, parse_side, parse_sides, show_bytes};

/// The value of an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Of every axis but machines.
    Number(u64),
    /// The name of a machine.
    Name(String),
}

/// The values at which axes are held.
pub type Place = BTreeMap<Key, Held>;

impl Held {
    /// Reads a value as it is typed.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn parse(axis: &Axis, text: &str) -> Result<Self, String> {
        match axis.kind {
            Kind::Profile => Ok(Self::Name(text.to_owned())),
            Kind::Bytes => parse_bytes(text).map(Self::Number),
            Kind::Sides => parse_side(text).or_else(|_| parse_sides(text)).map(Self::Number),
            Kind::Count | Kind::Time => parse_count(text).map(Self::Number),
        }
    }

    /// The value that a row has.
    pub fn of(row: &Row, axis: &Axis) -> Option<Self> {
        match axis.kind {
            Kind::Profile => row.machine().map(|name| Self::Name(name.to_owned())),
            _ => row.value(axis.key).map(Self::Number),
        }
    }

    /// As a text has it.
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

/// `axis = value`, as a configuration has it: a number or a text.
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

/// Whether an axis says only how random instances were drawn: no figure needs to hold it, and of several rows that
/// differ in nothing else the one with the most draws counts.
pub fn is_draw(axis: &Axis) -> bool {
    matches!(axis.key, "trials" | "seed")
}

/// Whether a row has these values and any at the `free` axes. Of the other axes it has the default; and no machine.
pub fn is_at(row: &Row, place: &Place, free: &[Key]) -> bool {
    row.problem.axes().iter().all(|axis| {
        let value = Held::of(row, axis);
        match place.get(axis.key) {
            Some(held) => value.as_ref() == Some(held),
            None if free.contains(&axis.key) => value.is_some(),
            None if axis.kind == Kind::Profile => value.is_none(),
            None if is_draw(axis) => true,
            None => value.is_none() || axis.default.is_none_or(|default| value == Some(Held::Number(default))),
        }
    })
}

/// `L = 6, o = 2`, in the order in which the problem lists its axes.
pub fn told(place: &Place, axes: &[Axis]) -> Vec<String> {
    let held = axes.iter().filter_map(|axis| Some((axis, place.get(axis.key)?)));
    held.map(|(axis, value)| format!("{} = {}", axis.key, value.show(axis))).collect()
}

/// Where a row stands on an axis that is drawn; a mesh by its side, if it is a square.
pub fn along(row: &Row, x: Key) -> Option<u64> {
    let axis = row.problem.axes().iter().find(|axis| axis.key == x)?;
    row.value(x).filter(|value| axis.kind != Kind::Sides || *value <= u64::from(u32::MAX))
}
