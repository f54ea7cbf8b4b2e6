//! The axes of a claim's grid.

use std::fmt;

/// A symbol and its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The symbol, as in the paper.
    pub symbol: &'static str,
    /// The values, ascending.
    pub values: Values,
}

/// The values of an axis, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// All from the first to the last.
    Range(u64, u64),
    /// These.
    Few(&'static [u64]),
}

impl Values {
    /// How many there are.
    #[must_use]
    pub fn count(self) -> u64 {
        match self {
            Self::Range(first, last) => last - first + 1,
            Self::Few(values) => values.len() as u64,
        }
    }

    /// The value with this number, from 0, below [`Values::count`].
    #[must_use]
    pub fn value(self, number: u64) -> u64 {
        match self {
            Self::Range(first, _) => first + number,
            Self::Few(values) => usize::try_from(number).map_or(0, |number| values[number]),
        }
    }
}

impl Axis {
    /// An axis over all values from `first` to `last`.
    #[must_use]
    pub const fn range(symbol: &'static str, first: u64, last: u64) -> Self {
        Self {
            symbol,
            values: Values::Range(first, last),
        }
    }

    /// An axis over a few values.
    #[must_use]
    pub const fn few(symbol: &'static str, values: &'static [u64]) -> Self {
        Self {
            symbol,
            values: Values::Few(values),
        }
    }
}

/// Symbol and values: `K = 1..400` or `K = 8, 12, 18`.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.symbol)?;
        match self.values {
            Values::Range(first, last) if first == last => first.fmt(f),
            Values::Range(first, last) => write!(f, "{first}..{last}"),
            Values::Few(values) => f.write_str(
                &values
                    .iter()
                    .map(u64::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        }
    }
}
