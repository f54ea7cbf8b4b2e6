//! How people write and read numbers and names.

use std::borrow::Cow;
use std::time::SystemTime;

pub use algorithms::internals::text::{group, grouped, plural, size as show_bytes};
use algorithms::problem::Sides;
use jiff::Timestamp;

const MAX_NAME: usize = 200;

/// The text for a missing value in a column of text. pandas would read a run of blanks as numbers, and warn of mixed
/// types.
pub const NONE: &str = "none";

/// Whether a text can be a name in results. A spreadsheet reads other beginnings as a formula, a program as an option.
#[must_use]
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_NAME && !begins_formula(text)
}

/// Whether a spreadsheet would execute a text as a formula.
#[must_use]
pub fn begins_formula(text: &str) -> bool {
    text.trim_start().starts_with(['=', '+', '-', '@'])
}

/// The current time; the last representable moment if the clock is beyond it.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX)
}

/// Reads a whole number; underscores may group its digits.
///
/// # Errors
/// What was expected.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("expected a whole number that is not negative, as in 18 or 1_000_000".to_owned());
    }
    digits.parse().map_err(|_| format!("expected at most {} (64 bits)", u64::MAX))
}

const BYTE_UNITS: [(&str, u64); 13] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("PiB", 1 << 50),
    ("EiB", 1 << 60),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("PB", 1_000_000_000_000_000),
    ("EB", 1_000_000_000_000_000_000),
    ("B", 1),
];

/// Reads a message size: bytes, or a unit from B, kB to EB, KiB to EiB.
///
/// # Errors
/// What was expected.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let unit = BYTE_UNITS.iter().find_map(|&(unit, size)| Some((text.strip_suffix(unit)?, size)));
    let (number, size) = unit.unwrap_or((text, 1));
    let digits = number.trim_end().replace('_', "");
    if digits.is_empty() || digits.bytes().any(|byte| !byte.is_ascii_digit()) || digits.bytes().all(|byte| byte == b'0')
    {
        return Err("expected a positive number of bytes, as in 1500, 64KiB, 1MiB or 4MB".to_owned());
    }
    let bytes = digits.parse().ok().and_then(|count: u64| count.checked_mul(size));
    bytes.ok_or_else(|| format!("expected at most {} bytes (64 bits), which is below 16EiB", u64::MAX))
}

/// Reads the sides of a mesh: `8x6`.
///
/// # Errors
/// What was expected.
pub fn parse_sides(text: &str) -> Result<u64, String> {
    let expected = || "expected width and height of a mesh, as in 8x8".to_owned();
    let (w, h) = text.split_once('x').ok_or_else(expected)?;
    let [w, h] = [w, h].map(|side| parse_count(side.trim()));
    Sides { w: w.map_err(|_| expected())?, h: h.map_err(|_| expected())? }.value().ok_or_else(expected)
}

/// The side of a square mesh; larger numbers encode other sides, see [`Sides`].
///
/// # Errors
/// What was expected.
pub fn parse_side(text: &str) -> Result<u64, String> {
    let side = parse_count(text)?;
    Sides { w: side, h: side }.value().ok_or_else(|| format!("expected a side of at most {}", grouped(u32::MAX)))
}

/// Message sizes for one axis: powers of two each in its own unit, others all in the largest unit that divides them.
#[must_use]
pub fn sizes(values: &[u64]) -> Vec<String> {
    if values.iter().all(|bytes| bytes.is_power_of_two()) {
        return values.iter().map(|&bytes| show_bytes(bytes)).collect();
    }
    let zeros = values.iter().filter(|bytes| **bytes > 0).map(|bytes| bytes.trailing_zeros()).min().unwrap_or(0);
    let units = BYTE_UNITS[..6].iter().rev().chain(&BYTE_UNITS[12..]);
    let fits = |(_, size): &&(&str, u64)| size.trailing_zeros() <= zeros;
    let (unit, size) = units.copied().find(|unit| fits(&unit)).unwrap_or(("B", 1));
    values.iter().map(|bytes| format!("{} {unit}", grouped(bytes / size))).collect()
}

/// Quotes a word for a POSIX shell if needed.
#[must_use]
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,+@%=".contains(sign);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''")).into()
}

/// A number of seconds in a suitable unit, to about two digits.
#[must_use]
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3_600.0, "hours"), (60.0, "minutes")];
    let (size, unit) = UNITS.into_iter().find(|(size, _)| seconds >= 2.0 * size).unwrap_or((1.0, "seconds"));
    short(seconds / size, unit)
}

/// A number of bytes in a suitable decimal unit, to about two digits.
#[must_use]
pub fn volume(bytes: u64) -> String {
    const UNITS: [(f64, &str); 6] = [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let bytes = bytes as f64;
    let (size, unit) = UNITS.into_iter().find(|(size, _)| bytes >= *size).unwrap_or((1.0, "B"));
    short(bytes / size, unit)
}

fn short(number: f64, unit: &str) -> String {
    if number < 10.0 { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

/// Most characters of a foreign word in a message.
pub const MAX_REPEATED: usize = 200;

/// A text for a message: its first `most` characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => text.into(),
        Some((end, _)) => format!("{}...", &text[..end]).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(parse_count("18446744073709551615"), Ok(u64::MAX));
        for bad in ["", "-1", "+1", "1.5", "1e6", "_", "18446744073709551616", " 1"] {
            assert!(parse_count(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sides() {
        assert_eq!((parse_side("8"), parse_sides("8x8")), (Ok(8), Ok(8)));
        assert!(parse_side("4294967295").is_ok() && parse_side("4294967296").is_err() && parse_side("x").is_err());
        assert!(parse_sides("4294967296x1").is_err() && parse_sides("8").is_err());
    }

    #[test]
    fn bytes() {
        for (text, bytes) in [("1500", 1500), ("1MiB", 1 << 20), ("4 MB", 4_000_000), ("7B", 7), ("2GiB", 2 << 30)] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for bad in ["", "0", "0MiB", "MiB", "1mib", "-1B", "1.5MiB", "99999999999999999999", "18446744073709551615KiB"]
        {
            assert!(parse_bytes(bad).is_err(), "{bad:?}");
        }
        for (text, told) in
            [("0_0kB", "a positive number"), ("16EiB", "at most"), ("20 EB", "at most"), ("1YiB", "a positive")]
        {
            assert!(parse_bytes(text).unwrap_err().contains(told), "{text}");
        }
        assert_eq!(parse_bytes("15EiB"), Ok(15 << 60));
        assert_eq!(show_bytes(3 << 40), "3 TiB");
        assert_eq!(show_bytes(1 << 20), "1 MiB");
        assert_eq!(show_bytes(1500), "1500 B");
        assert_eq!(show_bytes(3 << 10), "3 KiB");
        assert_eq!(sizes(&[1, 16, 4096, 1 << 20]), ["1 B", "16 B", "4 KiB", "1 MiB"]);
        assert_eq!(sizes(&[0, 1500, 4096]), ["0 B", "1,500 B", "4,096 B"]);
        assert_eq!(sizes(&[96 << 10, 1 << 20]), ["96 KiB", "1,024 KiB"]);
    }

    #[test]
    fn amounts() {
        let durations = [(0.04, "0.0 seconds"), (119.0, "119 seconds"), (120.0, "2.0 minutes"), (2e5, "2.3 days")];
        for (seconds, text) in durations {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(duration(1e12), "31688 years");
        for (bytes, text) in [(0, "0.0 B"), (999, "999 B"), (1500, "1.5 kB"), (u64::MAX, "18 EB")] {
            assert_eq!(volume(bytes), text);
        }
    }

    #[test]
    fn long_texts_are_not_repeated_whole() {
        assert_eq!(shortened("halving", 7), "halving");
        assert_eq!(shortened("halving", 4), "halv...");
        assert_eq!(shortened("\u{e9}\u{e9}\u{e9}", 2), "\u{e9}\u{e9}...");
    }

    #[test]
    fn words_of_a_shell() {
        for (text, word) in [("c.toml", "c.toml"), ("my c.toml", "'my c.toml'"), ("it's", "'it'\\''s'"), ("", "''")] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn groups() {
        assert_eq!(grouped(1_234_567u64), "1,234,567");
        assert_eq!(grouped(123u64), "123");
        assert_eq!(plural(1, "row"), "1 row");
        assert_eq!(plural(1000, "row"), "1,000 rows");
    }
}
