//! The grammar of values, on the command line and in configurations: `PART,PART,...`. A part is a `VALUE`, `A..B`
//! (every whole number), `A..B..STEP` or `A..B..xFACTOR`. Each axis has its form of a value: 18, 64KiB, 8x6.

use algorithms::problem::Kind;

use super::{Count, Values, WireAxis, WireRange, refuse_many};
use crate::units::{parse_bytes, parse_count, parse_side, parse_sides};

impl Values {
    /// Reads `8,12,18`, `1..64`, `0..60..4` (step), `1..1024..x2` (factor), or several of them joined by commas.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(text: &str, kind: Kind) -> Result<Self, String> {
        let part = |part: &str| read(part.trim(), kind)?.check();
        Self::joined(text.split(',').map(part).collect::<Result<_, _>>()?)
    }

    /// The values of all parts, each once.
    pub(in crate::config) fn joined(parts: Vec<Self>) -> Result<Self, String> {
        match <[Self; 1]>::try_from(parts) {
            Ok([only]) => Ok(only),
            Err(parts) => {
                refuse_many(parts.iter().map(Self::count).fold(0, u64::saturating_add))?;
                Ok(Self::list(parts.iter().flat_map(Self::iter).collect()))
            }
        }
    }
}

fn read(part: &str, kind: Kind) -> Result<WireAxis, String> {
    let value = match kind {
        Kind::Bytes => parse_bytes,
        Kind::Sides if part.contains("..") => parse_side,
        Kind::Sides => |text: &str| if text.contains('x') { parse_sides(text) } else { parse_side(text) },
        Kind::Count | Kind::Time | Kind::Profile => parse_count,
    };
    let Some((from, rest)) = part.split_once("..") else {
        return Ok(WireAxis::List(vec![value(part)?]));
    };
    let (to, by) = rest.split_once("..").map_or((rest, None), |(to, by)| (to, Some(by)));
    let (step, factor) = match by.map(|by| (by, by.strip_prefix('x'))) {
        None => (None, None),
        Some((_, Some(factor))) => {
            (None, Some(factor.parse().map_err(|_| "expected a factor above 1, as in 1..1024..x2".to_owned())?))
        }
        Some((step, None)) => (Some(value(step)?), None),
    };
    Ok(WireAxis::Range(WireRange { from: Count(value(from)?), to: Count(value(to)?), step: step.map(Count), factor }))
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
}
