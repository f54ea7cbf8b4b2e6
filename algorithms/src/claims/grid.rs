//! The grid of a claim: the product of its axes, point by point in one order.

use std::fmt;

use super::{Claim, Repeat};

/// A symbol and its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Axis {
    /// The symbol, as in the paper and, where it is an option, on the command line.
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
    fn value(self, number: u64) -> u64 {
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
        Self { symbol, values: Values::Range(first, last) }
    }

    /// An axis over a few values.
    #[must_use]
    pub const fn few(symbol: &'static str, values: &'static [u64]) -> Self {
        Self { symbol, values: Values::Few(values) }
    }
}

/// As in `K = 1..400` or `K = 8, 12, 18`.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.symbol)?;
        match self.values {
            Values::Range(first, last) if first == last => first.fmt(f),
            Values::Range(first, last) => write!(f, "{first}..{last}"),
            Values::Few(values) => f.write_str(&values.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

impl Claim {
    /// How many points the grid has, those that the claim does not speak of among them.
    #[must_use]
    pub fn grid_points(&self) -> u64 {
        self.axes.iter().map(|axis| axis.values.count()).product()
    }

    /// The grid in words, as in `L = 1..16, K = 1..400`.
    #[must_use]
    pub fn grid(&self) -> String {
        self.axes.iter().map(Axis::to_string).collect::<Vec<_>>().join("; ")
    }

    /// The values of the axes at a point, by its number from 0.
    pub(super) fn values(&self, mut number: u64) -> Vec<u64> {
        let mut values = vec![0; self.axes.len()];
        for (value, axis) in values.iter_mut().zip(&self.axes).rev() {
            let count = axis.values.count();
            *value = axis.values.value(number % count);
            number /= count;
        }
        values
    }

    /// A point in words, as in `L = 6, K = 2`.
    pub(super) fn point(&self, values: &[u64]) -> String {
        let one = |(axis, value): (&Axis, &u64)| format!("{} = {value}", axis.symbol);
        self.axes.iter().zip(values).map(one).collect::<Vec<_>>().join(", ")
    }

    /// The arguments of `castbench` that show this point.
    pub(super) fn command(&self, values: &[u64]) -> Option<String> {
        let prefix = match &self.repeat {
            Repeat::No => return None,
            Repeat::Line(line) => return Some(line(values)),
            Repeat::Options(prefix) => prefix,
        };
        let mut command = prefix.to_string();
        for (axis, value) in self.axes.iter().zip(values) {
            command += &match axis.symbol {
                "w" => format!(" --mesh {value}"),
                "h" => format!("x{value}"),
                short if short.len() == 1 => format!(" -{short} {value}"),
                long => format!(" --{long} {value}"),
            };
        }
        Some(command)
    }
}
