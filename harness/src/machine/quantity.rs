//! The numbers of a profile: a text with a unit, or a table with an origin.

use serde::{Deserialize, Serialize};

use crate::units::parse_duration;

/// A number of a profile, in the unit of its symbol, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// ns, or ps per byte for G, O and H.
    pub value: u64,
    /// Its origin.
    pub origin: String,
}

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct Nanoseconds {
    pub ns: u64,
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "WrittenPerByte")]
pub(super) struct PerByte {
    pub fs: u64,
    pub origin: String,
}

impl From<Number> for Nanoseconds {
    fn from(Number { value: ns, origin }: Number) -> Self {
        Self { ns, origin }
    }
}

impl From<Number> for PerByte {
    fn from(Number { value, origin }: Number) -> Self {
        Self { fs: value.saturating_mul(1000), origin }
    }
}

/// Symbol, value with unit, and origin.
pub(super) fn nanoseconds<'a>(symbol: &'static str, time: &'a Nanoseconds) -> (&'static str, String, &'a str) {
    (symbol, format!("{} ns", time.ns), &time.origin)
}

/// Symbol, value with unit, and origin.
pub(super) fn per_byte<'a>(symbol: &'static str, time: &'a PerByte) -> (&'static str, String, &'a str) {
    (symbol, format!("{} ps/B", time.ps()), &time.origin)
}

impl Default for PerByte {
    fn default() -> Self {
        Self { fs: 0, origin: "left out".to_owned() }
    }
}

impl PerByte {
    /// `1.11`: the number in ps.
    pub fn ps(&self) -> String {
        let (whole, part) = (self.fs / 1000, format!(".{:03}", self.fs % 1000));
        format!("{whole}{}", part.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Whole ps are written as a number, others as a text.
#[derive(Serialize)]
struct WrittenPerByte {
    #[serde(skip_serializing_if = "Option::is_none")]
    ps_per_byte: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    origin: String,
}

impl From<PerByte> for WrittenPerByte {
    fn from(own: PerByte) -> Self {
        let ps_per_byte = own.fs.is_multiple_of(1000).then_some(own.fs / 1000);
        let value = if ps_per_byte.is_none() { Some(format!("{}ps", own.ps())) } else { None };
        Self { ps_per_byte, value, origin: own.origin }
    }
}

/// `"1.5us"`, or a table.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text with a unit, as in \"1.5us\" or \"82ps\", or { value = \"1.5us\", origin = \"...\" }"
)]
enum Wire {
    Text(String),
    Table(Table),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    value: Option<String>,
    ns: Option<u64>,
    ps_per_byte: Option<u64>,
    origin: Option<String>,
}

impl Wire {
    /// The number in this unit, and its origin; `own` is the number of a table with the key of the number's kind, and
    /// that of the other kind. `parts` of the unit are one of the key's.
    fn read(
        self,
        unit: (&str, u128),
        parts: u64,
        own: fn(&Table) -> (Option<u64>, Option<u64>),
    ) -> Result<(u64, String), String> {
        let table = match self {
            Self::Text(text) => Table { value: Some(text), ns: None, ps_per_byte: None, origin: None },
            Self::Table(table) => table,
        };
        let number = match (&table.value, own(&table)) {
            (Some(text), (None, None)) => parse_duration(text, unit)?,
            (None, (Some(number), None)) => {
                number.checked_mul(parts).ok_or_else(|| format!("{number} does not fit in 64 bits of {}", unit.0))?
            }
            _ => {
                return Err("expected one number: `value`, a text with a unit, as in \"1.5us\", or `ns` or `ps_per_byte`, as its unit is"
                    .to_owned());
            }
        };
        Ok((number, table.origin.unwrap_or_else(|| "not stated".to_owned())))
    }
}

impl TryFrom<Wire> for Nanoseconds {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        wire.read(("ns", 1_000_000), 1, |table| (table.ns, table.ps_per_byte)).map(|(ns, origin)| Self { ns, origin })
    }
}

impl TryFrom<Wire> for PerByte {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let read = wire.read(("fs", 1), 1000, |table| (table.ps_per_byte, table.ns));
        read.map(|(fs, origin)| Self { fs, origin })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form() {
        let read = |text: &str| toml::from_str::<std::collections::BTreeMap<String, Nanoseconds>>(text);
        for text in ["L = '2us'", "L = { ns = 2_000, origin = 'a' }", "L = { value = '2us' }", "[L]\nns = 2000"] {
            assert_eq!(read(text).unwrap()["L"].ns, 2000, "{text}");
        }
        for text in ["L = 2000", "L = 1.5", "L = { ps_per_byte = 3 }", "L = { ns = 3, value = '3ns' }", "L = {}"] {
            assert!(read(text).unwrap_err().to_string().contains("a text with a unit"), "{text}");
        }
    }

    /// Whole and other picoseconds are read back as written.
    #[test]
    fn times_per_byte_are_exact() {
        type Read = std::collections::BTreeMap<String, PerByte>;
        for (text, fs, ps) in [
            ("G = '82ps/B'", 82_000, "82"),
            ("G = { ps_per_byte = 82, origin = 'a' }", 82_000, "82"),
            ("G = '1.11ps'", 1_110, "1.11"),
            ("G = '7fs'", 7, "0.007"),
        ] {
            let read: Read = toml::from_str(text).unwrap();
            assert_eq!((read["G"].fs, read["G"].ps().as_str()), (fs, ps), "{text}");
            let written = toml::to_string(&read).unwrap();
            assert_eq!(toml::from_str::<Read>(&written).unwrap(), read, "{written}");
            assert_eq!(written.contains("ps_per_byte"), fs % 1000 == 0, "{written}");
        }
        for text in ["G = '0.0001ps'", "G = { ps_per_byte = 99999999999999999 }", "G = { ns = 3 }"] {
            assert!(toml::from_str::<Read>(text).is_err(), "{text}");
        }
    }
}
