//! The grammar of values, on the command line and in configurations: `PART,PART,...`. A part is a `VALUE`, `A..B`
//! (every whole number), `A..B..STEP` or `A..B..xFACTOR`. Each axis has its form of a value: 18, 64KiB, 8x6.

use std::path::Path;

use algorithms::problem::Kind;

use super::{Values, geometric, refuse_many};
use crate::base::units::{
    NO_UNIT, has_unit, parse_bytes, parse_count, parse_mesh, parse_side, parse_time, parse_word,
};
use crate::space::counts;

impl Values {
    /// Reads `8,12,18`, `1..64`, `0..60..4` (step), `1..1024..x2` (factor), or several of them joined by commas.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str, kind: Kind) -> Result<Self, String> {
        Self::parse_in(Path::new(""), text, kind)
    }

    /// [`Values::parse`] of a text whose files are in this directory.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse_in(directory: &Path, text: &str, kind: Kind) -> Result<Self, String> {
        if kind == Kind::Counts && counts::is_list(text) {
            return counts::parse(text, directory).map(Self::one);
        }
        Self::joined(
            text.split(',')
                .map(|part| read(directory, part.trim(), kind))
                .collect::<Result<_, _>>()?,
        )
    }

    /// The values of all parts, each once.
    pub(in crate::space) fn joined(parts: Vec<Self>) -> Result<Self, String> {
        match <[Self; 1]>::try_from(parts) {
            Ok([only]) => Ok(only),
            Err(parts) if parts.is_empty() => {
                Err("expected at least one value; remove the axis if no algorithm of this grid reads it".to_owned())
            }
            Err(parts) => {
                refuse_many(parts.iter().map(Self::count).fold(0, u64::saturating_add))?;
                Ok(Self::list(parts.iter().flat_map(Self::iter).collect()))
            }
        }
    }
}

/// The relay delay of a measurement, which is no axis of a problem.
pub const HOLD: &str = "hold_ps_per_byte";

/// Refuses a unit of time where times count the unit of the model: everywhere but in the time to combine words on a
/// machine profile and in a relay delay, which are in whole ps per byte.
///
/// # Errors
/// What to write.
pub fn refuse_units(key: &str, kind: Kind, values: &str, on_profile: bool) -> Result<(), String> {
    let mut parts = values.split(',').flat_map(|part| part.split(".."));
    match (kind, on_profile && key == "c" || key == HOLD) {
        (Kind::Bytes, _) if key == "element" && !on_profile && parts.any(|part| part.ends_with('B')) => {
            Err("a unit needs a machine profile; without one, an element is a whole number of words".to_owned())
        }
        (Kind::Time, false) if parts.any(has_unit) => Err(NO_UNIT.to_owned()),
        (Kind::Time, true) if parts.any(|part| part.contains('.') && !has_unit(part)) => Err(
            "on a machine profile this is a whole number of ps per byte, as in 50 or 50ps"
                .to_owned(),
        ),
        _ => Ok(()),
    }
}

/// Reads one value of an axis of this kind; files of counts are in this directory.
///
/// # Errors
/// What was expected.
pub fn value(directory: &Path, text: &str, kind: Kind) -> Result<u64, String> {
    match kind {
        Kind::Word(words) => parse_word(words, text),
        Kind::Counts => counts::parse(text, directory),
        Kind::Bytes => parse_bytes(text),
        Kind::Sides => parse_mesh(text),
        Kind::Time => parse_time(text),
        Kind::Count | Kind::Profile => parse_count(text),
    }
}

fn read(directory: &Path, part: &str, kind: Kind) -> Result<Values, String> {
    let value = |text: &str| match kind {
        Kind::Sides if part.contains("..") => parse_side(text),
        kind => value(directory, text, kind),
    };
    // A table of a configuration that is no range.
    if part.starts_with('{') {
        return Err(
            "expected `from` and `to`, each one value, and at most one of `step` and `factor`"
                .to_owned(),
        );
    }
    let range = part
        .split_once("..")
        .filter(|_| !matches!(kind, Kind::Word(_) | Kind::Counts));
    let Some((from, rest)) = range else {
        return value(part).map(Values::one);
    };
    let (to, by) = rest.split_once("..").unwrap_or((rest, "1"));
    let (from, to) = (value(from)?, value(to)?);
    if from > to {
        return Err(format!(
            "expected the smaller end first, as in {to} to {from}"
        ));
    }
    if let Some(factor) = by.strip_prefix('x') {
        let factor = factor
            .parse()
            .map_err(|_| "expected a factor above 1, as in 1..1024..x2".to_owned())?;
        return geometric(from, to, factor);
    }
    match value(by)? {
        0 => Err("expected a step of at least 1".to_owned()),
        1 if (from, to) == (0, u64::MAX) => Err(format!(
            "expected at most {to} values, and 0 to {to} has one more; begin at 1, or give a step"
        )),
        step => Ok(Values::Range { from, to, step }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kind: Kind) -> Result<Vec<u64>, String> {
        Values::parse(text, kind).map(|values| values.iter().collect())
    }

    #[test]
    fn values_are_written_as_their_axis_has_them() {
        let sides = |w, h| algorithms::problem::Sides { w, h }.value().unwrap();
        for (text, kind, values) in [
            ("18,8,12,8", Kind::Count, vec![8, 12, 18]),
            ("2..6", Kind::Count, vec![2, 3, 4, 5, 6]),
            ("0..10..4", Kind::Time, vec![0, 4, 8]),
            (
                "50ps,0.1ns..0.3ns..100ps",
                Kind::Time,
                vec![50, 100, 200, 300],
            ),
            ("2..10^2..x7", Kind::Count, vec![2, 14, 98]),
            ("2..16..x2,18", Kind::Count, vec![2, 4, 8, 16, 18]),
            ("3..18..x2", Kind::Count, vec![3, 6, 12]),
            ("1KiB..4KiB..x2,64", Kind::Bytes, vec![64, 1024, 2048, 4096]),
            ("1KiB..3KiB..1KiB", Kind::Bytes, vec![1024, 2048, 3072]),
            ("8x6,2..4", Kind::Sides, vec![2, 3, 4, sides(8, 6)]),
            ("2..8..x2", Kind::Sides, vec![2, 4, 8]),
        ] {
            assert_eq!(read(text, kind), Ok(values), "{text}");
        }
        for (text, kind) in [
            ("8..4", Kind::Count),
            ("2..", Kind::Count),
            ("..8", Kind::Count),
            ("2,,4", Kind::Count),
            ("2..x", Kind::Count),
            ("1KiB", Kind::Count),
            ("8x6", Kind::Count),
            ("0..4KiB", Kind::Bytes),
            ("2x2..8x8", Kind::Sides),
        ] {
            assert!(read(text, kind).is_err(), "{text}");
        }
    }

    #[test]
    fn times_per_byte_have_units() {
        let refused =
            |key, text, on_profile| refuse_units(key, Kind::Time, text, on_profile).is_err();
        assert!(refused("L", "6ns", true) && refused("c", "50ps", false));
        assert!(!refused("c", "50ps", true) && !refused(HOLD, "50ps", false));
        assert!(refused(HOLD, "0.5", false) && !refused(HOLD, "0.5ns,50", false));
    }
}
