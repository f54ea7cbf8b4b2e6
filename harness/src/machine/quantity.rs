//! The numbers of a profile: a text with a unit, or a table with an origin.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct Nanoseconds {
    pub ns: u64,
    pub origin: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire")]
pub(super) struct PicosecondsPerByte {
    pub ps_per_byte: u64,
    pub origin: String,
}

impl Default for PicosecondsPerByte {
    fn default() -> Self {
        Self { ps_per_byte: 0, origin: "left out".to_owned() }
    }
}

/// `"1.5us"`, or a table.
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

const FORMS: &str = "a text with a unit, as in \"1.5us\" or \"82ps\", or { value = \"1.5us\", origin = \"...\" }";

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WireVisitor;
        impl<'de> Visitor<'de> for WireVisitor {
            type Value = Wire;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(FORMS)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Wire, E> {
                Ok(Wire::Text(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Wire, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map)).map(Wire::Table)
            }
        }
        deserializer.deserialize_any(WireVisitor)
    }
}

impl Wire {
    /// The number in units of `ps` picoseconds, and its origin; `own` is the number of a table with the key of that
    /// unit.
    fn read(self, ps: u64, own: fn(&Table) -> (Option<u64>, Option<u64>)) -> Result<(u64, String), String> {
        let table = match self {
            Self::Text(text) => Table { value: Some(text), ns: None, ps_per_byte: None, origin: None },
            Self::Table(table) => table,
        };
        let number = match (&table.value, own(&table)) {
            (Some(text), (None, None)) => duration(text, ps)?,
            (None, (Some(number), None)) => number,
            _ => return Err(format!("expected {FORMS}")),
        };
        Ok((number, table.origin.unwrap_or_else(|| "not stated".to_owned())))
    }
}

impl TryFrom<Wire> for Nanoseconds {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        wire.read(1000, |table| (table.ns, table.ps_per_byte)).map(|(ns, origin)| Self { ns, origin })
    }
}

impl TryFrom<Wire> for PicosecondsPerByte {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let read = wire.read(1, |table| (table.ps_per_byte, table.ns));
        read.map(|(ps_per_byte, origin)| Self { ps_per_byte, origin })
    }
}

const UNITS: [(&str, u128); 6] = [
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("\u{b5}s", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
];

/// A duration as an exact number of units of `ps` picoseconds.
fn duration(text: &str, ps: u64) -> Result<u64, String> {
    let expected = || format!("`{text}` is not a duration; expected a number with a unit, as in 1.5us or 82ps");
    // A time per byte may have its divisor, as in 82ps/B.
    let bare = text.trim().trim_end_matches("/B");
    let unit = UNITS.iter().find_map(|(unit, size)| Some((bare.strip_suffix(unit)?, *size)));
    let (number, size) = unit.ok_or_else(expected)?;
    let number = number.trim_end().replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return Err(expected());
    }
    let digits = |text: &str| text.parse::<u128>().ok();
    let fraction = fraction.trim_end_matches('0');
    let parts = || {
        let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let tail = if fraction.is_empty() { 0 } else { digits(fraction)? };
        let all = digits(whole)?.checked_mul(scale)?.checked_add(tail)?.checked_mul(size)?;
        Some((all, scale.checked_mul(ps.into())?))
    };
    let (all, per) = parts().ok_or_else(|| format!("`{text}` has too many digits"))?;
    if all % per != 0 {
        let unit = if ps == 1 { "ps" } else { "ns" };
        return Err(format!("`{text}` is not a whole number of {unit}; use a multiple of 1 {unit}"));
    }
    u64::try_from(all / per).map_err(|_| format!("`{text}` does not fit in 64 bits of its unit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact() {
        for (text, ps, value) in [
            ("1.5us", 1000, 1500),
            ("82ps", 1, 82),
            ("82 ps/B", 1, 82),
            ("0.082ns", 1, 82),
            ("1_000ns", 1000, 1000),
            ("0.5 ms", 1000, 500_000),
            ("1.500us", 1000, 1500),
            ("1s", 1000, 1_000_000_000),
            ("0s", 1, 0),
        ] {
            assert_eq!(duration(text, ps), Ok(value), "{text}");
        }
        for (text, told) in [
            ("1.5", "with a unit"),
            ("us", "with a unit"),
            ("-1us", "with a unit"),
            ("1e3ns", "with a unit"),
            ("1.us", "with a unit"),
            ("0.5ns", "not a whole number of ns"),
            ("99999999999999999999s", "does not fit in 64 bits"),
            ("999999999999999999999999999999999999s", "too many digits"),
        ] {
            assert!(duration(text, 1000).is_err_and(|error| error.contains(told)), "{text}");
        }
    }

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
}
