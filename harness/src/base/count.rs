//! A whole number in a document.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::base::units::parse_count;

/// A non-negative whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub u64);

struct CountVisitor;
impl Visitor<'_> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number that is not negative, as in 18")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Count, E> {
        let unexpected = serde::de::Unexpected::Signed(value);
        u64::try_from(value)
            .map(Count)
            .map_err(|_| E::invalid_value(unexpected, &self))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Count, E> {
        Ok(Count(value))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Count, E> {
        parse_count(text)
            .map(Count)
            .map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}
