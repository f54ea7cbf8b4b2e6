//! The rule of ports that a profile states: a word, or a table with an origin.

use algorithms::catalogue::axes;
use algorithms::problem::Kind;
use serde::{Deserialize, Serialize};

use crate::base::units::parse_word;

/// The key of a profile, and of the axis of points.
pub const PORTS: &str = "ports";

/// The rule of ports of a profile, and its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Table")]
pub struct PortRule {
    /// Its value on the axis.
    pub(super) value: u64,
    /// Its origin.
    pub(super) origin: String,
}

impl PortRule {
    /// The rule with this word, as measured.
    ///
    /// # Errors
    /// The words that there are.
    pub fn new(word: &str, origin: String) -> Result<Self, String> {
        Ok(Self {
            value: parse_word(words(), word)?,
            origin,
        })
    }

    /// `strict`, `duplex` or `switch`.
    pub fn word(&self) -> &'static str {
        usize::try_from(self.value)
            .ok()
            .and_then(|value| words().get(value))
            .copied()
            .unwrap_or_default()
    }
}

/// The rules by their values.
fn words() -> &'static [&'static str] {
    match axes()
        .iter()
        .find(|axis| axis.key == PORTS)
        .map(|axis| axis.kind)
    {
        Some(Kind::Word(words)) => words,
        _ => &[],
    }
}

/// `"duplex"`, or a table.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"strict\", \"duplex\" or \"switch\", or { value = \"duplex\", origin = \"...\" }"
)]
enum Wire {
    Word(String),
    Table(Table),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    value: String,
    origin: Option<String>,
}

impl From<PortRule> for Table {
    fn from(own: PortRule) -> Self {
        Self {
            value: own.word().to_owned(),
            origin: Some(own.origin),
        }
    }
}

impl TryFrom<Wire> for PortRule {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Self, String> {
        let Table { value, origin } = match wire {
            Wire::Word(value) => Table {
                value,
                origin: None,
            },
            Wire::Table(table) => table,
        };
        Self::new(&value, origin.unwrap_or_else(|| "not stated".to_owned()))
    }
}
