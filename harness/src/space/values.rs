//! The values of one axis: as typed (list, range, geometric range) and as checked.

mod grammar;

use algorithms::catalogue::axes;
use algorithms::internals::collectives::counts;
use algorithms::problem::{Kind, Sides};
use serde::{Deserialize, Serialize};

pub use grammar::{HOLD, refuse_units, value};

use crate::base::units::{grouped, joined, plural, show_bytes};

/// The longest list that a message repeats in full.
const FEW: usize = 8;

/// The forms of the values of an axis.
pub const FORMS: &str = "as in [8, 12, 18], \"1..64\", { from = 1, to = 64, step = 3 } or { from = 1, to = 1024, factor = 2 }";

/// The forms of the values of `counts`.
pub const COUNTS: &str = "as in \"even\" or [\"zipf:1\", [3, 1, 4]], which are two values";

/// Most values of one axis that are stored one by one.
pub const MAX_VALUES: u64 = 10_000_000;

/// The checked values of an axis: at least one, ascending, distinct.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Values {
    /// A list.
    List(Vec<u64>),
    /// `from`, `from + step`, ... up to `to`.
    Range {
        /// First value.
        from: u64,
        /// Upper limit of the values.
        to: u64,
        /// At least 1.
        step: u64,
    },
}

impl Values {
    /// A single value.
    pub fn one(value: u64) -> Self {
        Self::List(vec![value])
    }

    /// A single value, without a list.
    pub fn only(value: u64) -> Self {
        Self::Range {
            from: value,
            to: value,
            step: 1,
        }
    }

    /// The numbers from 0 up to and without `end`; none if that is 0.
    pub fn below(end: u64) -> Option<Self> {
        Some(Self::Range {
            from: 0,
            to: end.checked_sub(1)?,
            step: 1,
        })
    }

    /// The number of values.
    pub fn count(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            // A range that was read from a file may be unchecked, so this saturates.
            Self::Range { from, to, step } => {
                (to.saturating_sub(*from) / (*step).max(1)).saturating_add(1)
            }
        }
    }

    /// The value at `index`, below `count()`.
    pub fn get(&self, index: u64) -> u64 {
        match self {
            Self::List(values) => usize::try_from(index)
                .ok()
                .and_then(|index| values.get(index).copied())
                .unwrap_or(0),
            Self::Range { from, step, .. } => from.saturating_add(index.saturating_mul(*step)),
        }
    }

    /// Whether `value` is among them.
    pub fn contains(&self, value: u64) -> bool {
        match self {
            Self::List(values) => values.binary_search(&value).is_ok(),
            Self::Range { from, to, step } => {
                (*from..=*to).contains(&value) && (value - from).is_multiple_of(*step)
            }
        }
    }

    /// The smallest and the largest value.
    pub fn bounds(&self) -> (u64, u64) {
        (self.get(0), self.get(self.count() - 1))
    }

    /// The values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count()).map(|index| self.get(index))
    }

    /// A short text of the values; values of an axis of profiles are indices into `profiles`.
    pub fn describe<'a>(&self, kind: Kind, profiles: impl IntoIterator<Item = &'a str>) -> String {
        let value = |value: u64| match kind {
            Kind::Bytes => show_bytes(value),
            Kind::Counts => counts::spelled(value).into_owned(),
            Kind::Sides if value > u64::from(u32::MAX) => Sides::from_value(value).to_string(),
            Kind::Word(words) => usize::try_from(value)
                .ok()
                .and_then(|value| words.get(value))
                .map_or_else(String::new, |word| (*word).to_owned()),
            _ => grouped(value),
        };
        match self {
            _ if kind == Kind::Profile => joined("; ", profiles),
            Self::List(values) if values.len() <= FEW => {
                joined("; ", values.iter().map(|&own| value(own)))
            }
            Self::List(values) => {
                let [first, last] =
                    [values.first(), values.last()].map(|end| value(end.copied().unwrap_or(0)));
                format!("{} from {first} to {last}", plural(self.count(), "value"))
            }
            Self::Range { from, to, .. } if from == to => value(*from),
            Self::Range { from, to, step: 1 } => format!("{} to {}", value(*from), value(*to)),
            Self::Range { from, to, step } => {
                format!("{} to {}, every {step}", value(*from), value(*to))
            }
        }
    }

    /// These values, each once.
    pub fn list(mut values: Vec<u64>) -> Self {
        values.sort_unstable();
        values.dedup();
        Self::List(values)
    }
}

fn refuse_many(count: u64) -> Result<(), String> {
    if count > MAX_VALUES {
        return Err(format!(
            "expected at most {} values on one axis, got {}",
            grouped(MAX_VALUES),
            grouped(count)
        ));
    }
    Ok(())
}

/// `from`, then each value times the factor, rounded down but at least one more, up to `to`.
fn geometric(from: u64, to: u64, factor: f64) -> Result<Values, String> {
    if !(factor > 1.0 && factor.is_finite()) {
        return Err("expected a number above 1 for the factor".to_owned());
    }
    if from == 0 {
        return Err("expected `from` to be at least 1 with a factor, because 0 stays 0".to_owned());
    }
    let mut values = vec![];
    let mut value = from;
    while value <= to {
        values.push(value);
        refuse_many(values.len() as u64)?;
        let Some(next) = times(value, factor) else {
            break;
        };
        value = next.max(value + 1);
    }
    Ok(Values::List(values))
}

/// `value * factor`, rounded down; none above 64 bits. `factor` is above 1, so a result is below `u64::MAX`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "positive, and out of range only at the end of the sequence"
)]
fn times(value: u64, factor: f64) -> Option<u64> {
    if factor.fract() == 0.0 && factor < u64::MAX as f64 {
        // Exact, while a float would round above 2^53.
        value.checked_mul(factor as u64)
    } else {
        Some(value as f64 * factor)
            .filter(|&product| product < u64::MAX as f64)
            .map(|product| product as u64)
    }
}

/// The key of an axis, as the problems spell it.
pub type Key = &'static str;

/// The key of an axis, as the problems spell it.
///
/// # Errors
/// An unknown axis, with the list of all axes.
pub fn key_of(symbol: &str) -> Result<&'static str, String> {
    axes()
        .iter()
        .find(|axis| axis.key == symbol)
        .map(|axis| axis.key)
        .ok_or_else(|| no_axis(symbol))
}

/// The message for an unknown axis.
pub fn no_axis(symbol: &str) -> String {
    format!(
        "there is no axis `{symbol}`; the axes are {} (K is not k)",
        joined(" ", axes().iter().map(|axis| axis.key))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<u64> {
        Values::parse(text, Kind::Count).unwrap().iter().collect()
    }

    #[test]
    fn every_form_of_an_axis() {
        assert_eq!(values("18,8,12,8"), [8, 12, 18]);
        assert_eq!(values("1..5"), [1, 2, 3, 4, 5]);
        assert_eq!(values("0..10..4"), [0, 4, 8]);
        assert_eq!(values("3..50..x2"), [3, 6, 12, 24, 48]);
        assert_eq!(values("1..10..x1.5"), [1, 2, 3, 4, 6, 9]);
        assert_eq!(values("1,4..6"), [1, 4, 5, 6]);
    }

    #[test]
    fn membership_follows_the_values() {
        for text in ["18,8,12", "0..10..4", "3..50..x2"] {
            let axis = Values::parse(text, Kind::Count).unwrap();
            for value in 0..60 {
                assert_eq!(
                    axis.contains(value),
                    values(text).contains(&value),
                    "{text} {value}"
                );
            }
        }
    }

    #[test]
    fn impossible_axes_are_refused() {
        for bad in [
            "",
            "a",
            "5..1",
            "1..5..0",
            "1..5..x1",
            "0..5..x2",
            "1..5..xfoo",
            "-1",
            "1..99999999..x1.0000000001",
            "1,1..18446744073709551615",
            "0..18446744073709551615",
        ] {
            assert!(Values::parse(bad, Kind::Count).is_err(), "{bad}");
        }
        assert_eq!(
            Values::parse("1..18446744073709551615", Kind::Count)
                .unwrap()
                .count(),
            u64::MAX
        );
        assert_eq!(
            values("9223372036854775807..18446744073709551615..x2"),
            [u64::MAX / 2, u64::MAX - 1]
        );
    }
}
