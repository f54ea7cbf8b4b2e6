//! The numbers of a profile: a text with a unit, or a table with an origin.

use serde::{Deserialize, Serialize};

use crate::base::units::parse_duration;

/// A number of a profile, in the unit of its symbol, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    /// ns, or ps per byte for G, O and H.
    pub value: u64,
    /// Its origin.
    pub origin: String,
}

/// A number with its origin, in ns, or in fs per byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Table")]
pub(super) struct Quantity<const PER_BYTE: bool> {
    pub value: u64,
    pub origin: String,
}

pub(super) type Nanoseconds = Quantity<false>;
pub(super) type PerByte = Quantity<true>;

impl<const PER_BYTE: bool> Default for Quantity<PER_BYTE> {
    fn default() -> Self {
        Self {
            value: 0,
            origin: "left out".to_owned(),
        }
    }
}

impl<const PER_BYTE: bool> From<Number> for Quantity<PER_BYTE> {
    fn from(Number { value, origin }: Number) -> Self {
        Self {
            value: value.saturating_mul(Self::PARTS),
            origin,
        }
    }
}

impl<const PER_BYTE: bool> Quantity<PER_BYTE> {
    /// How many of its units are one of the keys `ns` and `ps_per_byte`.
    const PARTS: u64 = if PER_BYTE { 1000 } else { 1 };

    /// `1.11`: the number in units of its key.
    fn number(&self) -> String {
        if PER_BYTE {
            let (whole, part) = (self.value / 1000, format!(".{:03}", self.value % 1000));
            format!(
                "{whole}{}",
                part.trim_end_matches('0').trim_end_matches('.')
            )
        } else {
            self.value.to_string()
        }
    }

    /// Adds to its origin.
    pub fn add_origin(&mut self, more: &str) {
        self.origin = format!("{}; {more}", self.origin);
    }

    /// Symbol, value with unit, and origin.
    pub fn named<'a>(&'a self, symbol: &'static str) -> (&'static str, String, &'a str) {
        (
            symbol,
            format!("{} {}", self.number(), if PER_BYTE { "ps/B" } else { "ns" }),
            &self.origin,
        )
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

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ps_per_byte: Option<u64>,
    origin: Option<String>,
}

/// Whole units of a key are written as a number, others as a text.
impl<const PER_BYTE: bool> From<Quantity<PER_BYTE>> for Table {
    fn from(own: Quantity<PER_BYTE>) -> Self {
        let parts = Quantity::<PER_BYTE>::PARTS;
        let whole = own.value.is_multiple_of(parts).then_some(own.value / parts);
        let [ns, ps_per_byte] = [false, true].map(|key| whole.filter(|_| key == PER_BYTE));
        let value = whole.is_none().then(|| format!("{}ps", own.number()));
        Self {
            value,
            ns,
            ps_per_byte,
            origin: Some(own.origin),
        }
    }
}

impl<const PER_BYTE: bool> TryFrom<Wire> for Quantity<PER_BYTE> {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let Table {
            value,
            ns,
            ps_per_byte,
            origin,
        } = match wire {
            Wire::Text(text) => Table {
                value: Some(text),
                ..Table::default()
            },
            Wire::Table(table) => table,
        };
        let (unit, own, other) = if PER_BYTE {
            (("fs", 1), ps_per_byte, ns)
        } else {
            (("ns", 1_000_000), ns, ps_per_byte)
        };
        let value = match (value, own, other) {
            (Some(text), None, None) => parse_duration(&text, unit)?,
            (None, Some(number), None) => number
                .checked_mul(Self::PARTS)
                .ok_or_else(|| format!("{number} does not fit in 64 bits of {}", unit.0))?,
            _ => {
                return Err("expected one number: `value`, a text with a unit, as in \"1.5us\", or `ns` or `ps_per_byte`, as its unit is"
                    .to_owned());
            }
        };
        Ok(Self {
            value,
            origin: origin.unwrap_or_else(|| "not stated".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_form() {
        let read =
            |text: &str| toml::from_str::<std::collections::BTreeMap<String, Nanoseconds>>(text);
        for text in [
            "L = '2us'",
            "L = { ns = 2_000, origin = 'a' }",
            "L = { value = '2us' }",
            "[L]\nns = 2000",
        ] {
            assert_eq!(read(text).unwrap()["L"].value, 2000, "{text}");
        }
        for text in [
            "L = 2000",
            "L = 1.5",
            "L = { ps_per_byte = 3 }",
            "L = { ns = 3, value = '3ns' }",
            "L = {}",
        ] {
            assert!(
                read(text)
                    .unwrap_err()
                    .to_string()
                    .contains("a text with a unit"),
                "{text}"
            );
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
            assert_eq!(
                (read["G"].value, read["G"].number().as_str()),
                (fs, ps),
                "{text}"
            );
            let written = toml::to_string(&read).unwrap();
            assert_eq!(toml::from_str::<Read>(&written).unwrap(), read, "{written}");
            assert_eq!(written.contains("ps_per_byte"), fs % 1000 == 0, "{written}");
        }
        for text in [
            "G = '0.0001ps'",
            "G = { ps_per_byte = 99999999999999999 }",
            "G = { ns = 3 }",
        ] {
            assert!(toml::from_str::<Read>(text).is_err(), "{text}");
        }
    }
}
