//! How people write and read numbers and names.

use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::time::SystemTime;

pub use algorithms::internals::text::{group, grouped, plural, size as show_bytes};
use algorithms::problem::Sides;
use jiff::Timestamp;

const MAX_NAME: usize = 200;

/// The text for a missing value in a column of text. pandas would read a run of blanks as numbers, and warn of mixed
/// types.
pub const NONE: &str = "none";

/// Whether a text can be a name in results. A spreadsheet reads other beginnings as a formula, a program as an option.
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= MAX_NAME && !begins_formula(text)
}

/// Whether a spreadsheet would execute a text as a formula.
pub fn begins_formula(text: &str) -> bool {
    text.trim_start().starts_with(['=', '+', '-', '@'])
}

/// The texts of all items, with this one between two of them.
pub fn joined(between: &str, all: impl IntoIterator<Item = impl Display>) -> String {
    let mut text = String::new();
    for (number, item) in all.into_iter().enumerate() {
        let before = if number > 0 { between } else { "" };
        // Writing to a string cannot fail.
        _ = write!(text, "{before}{item}");
    }
    text
}

/// Equal items once, in the order of their first, each with all that stands beside it.
pub fn together<T: PartialEq, V>(all: impl IntoIterator<Item = (T, V)>) -> Vec<(T, Vec<V>)> {
    let mut found: Vec<(T, Vec<V>)> = Vec::new();
    for (item, value) in all {
        match found.iter_mut().find(|known| known.0 == item) {
            Some(known) => known.1.push(value),
            None => found.push((item, vec![value])),
        }
    }
    found
}

/// Equal items once, in the order of their first.
pub fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let all = together(all.into_iter().map(|item| (item, ())));
    all.into_iter().map(|(item, _)| item).collect()
}

/// The current time; the last representable moment if the clock is beyond it.
pub fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX)
}

/// Why a text is not a number of some unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoNumber {
    NoDigits,
    Fraction,
    TooLarge,
}

/// Digits that underscores may group, with decimals, or a power: the numerator and denominator of `18`, `1_000`, `1.5`
/// or `10^6`.
fn ratio(text: &str) -> Result<(u128, u128), NoNumber> {
    let text = text.replace('_', "");
    let digits = |digits: &str| {
        if digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.is_empty() {
            digits.parse::<u128>().map_err(|_| NoNumber::TooLarge)
        } else {
            Err(NoNumber::NoDigits)
        }
    };
    if let Some((base, exponent)) = text.split_once('^') {
        let (base, exponent) = (digits(base)?, digits(exponent)?);
        let power = u32::try_from(exponent)
            .ok()
            .and_then(|exponent| base.checked_pow(exponent));
        return Ok((power.ok_or(NoNumber::TooLarge)?, 1));
    }
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, "0"));
    let fraction = decimals.trim_end_matches('0');
    let whole = digits(whole)?;
    let tail = if fraction.is_empty() && !decimals.is_empty() {
        0
    } else {
        digits(fraction)?
    };
    let parts = || {
        let scale = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        Some((whole.checked_mul(scale)?.checked_add(tail)?, scale))
    };
    parts().ok_or(NoNumber::TooLarge)
}

/// The number in a text, times `size`, divided by `per`: exactly.
fn amount(text: &str, size: u128, per: u128) -> Result<u64, NoNumber> {
    let (over, under) = ratio(text)?;
    let (Some(over), Some(under)) = (over.checked_mul(size), under.checked_mul(per)) else {
        return Err(NoNumber::TooLarge);
    };
    if over % under != 0 {
        return Err(NoNumber::Fraction);
    }
    u64::try_from(over / under).map_err(|_| NoNumber::TooLarge)
}

/// Reads a whole number; underscores may group its digits, and `10^6` is a power.
///
/// # Errors
/// What was expected.
pub fn parse_count(text: &str) -> Result<u64, String> {
    amount(text, 1, 1).map_err(|wrong| match wrong {
        NoNumber::TooLarge => format!("expected at most {} (64 bits)", u64::MAX),
        _ => "expected a whole number that is not negative, as in 18, 1_000_000 or 10^6".to_owned(),
    })
}

/// Reads a time: a whole number of the model's unit, or a duration with its unit, as a number of ps.
///
/// # Errors
/// What was expected; for decimals, by what to multiply.
pub fn parse_time(text: &str) -> Result<u64, String> {
    if has_unit(text) {
        return parse_duration(text, ("ps", 1_000));
    }
    match whole_multiples(&[text]) {
        Some((scale @ 2.., values)) => Err(format!(
            "times are whole numbers of one unit; multiply all of them by {scale}, which makes this one {}",
            values[0]
        )),
        _ => parse_count(text),
    }
}

/// Where no profile gives the unit, a text with a unit is refused with these words.
pub const NO_UNIT: &str = "a unit needs a machine profile; L, o, g and the times beside them are whole numbers of one unit, as in 6";

/// The least power of ten that makes these numbers whole, and the products; none where they are no numbers.
pub fn whole_multiples(texts: &[&str]) -> Option<(u64, Vec<u64>)> {
    let ratios: Vec<(u128, u128)> = texts
        .iter()
        .map(|text| ratio(text).ok())
        .collect::<Option<_>>()?;
    let scale = ratios.iter().map(|ratio| ratio.1).max()?;
    Some((
        u64::try_from(scale).ok()?,
        ratios
            .into_iter()
            .map(|(over, under)| u64::try_from(over.checked_mul(scale / under)?).ok())
            .collect::<Option<_>>()?,
    ))
}

const TIME_UNITS: [(&str, u128); 7] = [
    ("fs", 1),
    ("ps", 1_000),
    ("ns", 1_000_000),
    ("us", 1_000_000_000),
    ("\u{b5}s", 1_000_000_000),
    ("ms", 1_000_000_000_000),
    ("s", 1_000_000_000_000_000),
];

/// A time per byte may have its divisor, as in 82ps/B.
fn without_divisor(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix("/B").unwrap_or(text)
}

/// Whether a text ends in a unit of time.
pub fn has_unit(text: &str) -> bool {
    without_divisor(text).ends_with('s')
}

/// Reads a duration such as `1.5us` or `82ps/B` as an exact number of units, each of this name and length in fs.
///
/// # Errors
/// What was expected.
pub fn parse_duration(text: &str, (name, fs): (&str, u128)) -> Result<u64, String> {
    let expected = || {
        format!("`{text}` is not a duration; expected a number with a unit, as in 1.5us or 82ps")
    };
    let bare = without_divisor(text);
    let unit = TIME_UNITS
        .iter()
        .find_map(|(unit, size)| Some((bare.strip_suffix(unit)?, *size)));
    let (number, size) = unit.ok_or_else(expected)?;
    amount(number.trim_end(), size, fs).map_err(|wrong| match wrong {
        NoNumber::NoDigits => expected(),
        NoNumber::Fraction => {
            format!("`{text}` is not a whole number of {name}; use a multiple of 1 {name}")
        }
        NoNumber::TooLarge => format!("`{text}` does not fit in 64 bits of its unit"),
    })
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
    let (number, size) = BYTE_UNITS
        .iter()
        .find_map(|&(unit, size)| Some((text.strip_suffix(unit)?, size)))
        .unwrap_or((text, 1));
    match amount(number.trim_end(), size.into(), 1) {
        Ok(bytes @ 1..) => Ok(bytes),
        Err(NoNumber::TooLarge) => Err(format!(
            "expected at most {} bytes (64 bits), which is below 16EiB",
            u64::MAX
        )),
        _ => match text
            .trim_start_matches(|sign: char| sign.is_ascii_digit())
            .trim()
        {
            unit if parse_count(text.trim_end_matches(unit).trim())
                .is_ok_and(|count| count > 0) =>
            {
                Err(format!(
                    "expected a positive number of bytes; `{unit}` is none of the units B, kB to EB, KiB to EiB"
                ))
            }
            _ => Err(
                "expected a positive number of bytes, as in 1500, 64KiB, 64kB or 4MB".to_owned(),
            ),
        },
    }
}

/// The number of a word among some.
///
/// # Errors
/// What was expected.
pub fn parse_word(words: &[&str], text: &str) -> Result<u64, String> {
    words
        .iter()
        .position(|word| *word == text)
        .map(|number| number as u64)
        .ok_or_else(|| format!("expected {}", words.join(" or ")))
}

/// Reads the sides of a mesh: `8x6`, or `8` for a square one.
///
/// # Errors
/// What was expected.
pub fn parse_mesh(text: &str) -> Result<u64, String> {
    let Some((w, h)) = text.split_once('x') else {
        return parse_side(text);
    };
    let expected = || "expected width and height of a mesh, as in 8x8".to_owned();
    let [w, h] = [w, h].map(|side| parse_count(side.trim()));
    Sides {
        w: w.map_err(|_| expected())?,
        h: h.map_err(|_| expected())?,
    }
    .value()
    .ok_or_else(expected)
}

/// The side of a square mesh; larger numbers encode other sides, see [`Sides`].
///
/// # Errors
/// What was expected.
pub fn parse_side(text: &str) -> Result<u64, String> {
    let side = parse_count(text)?;
    Sides { w: side, h: side }
        .value()
        .ok_or_else(|| format!("expected a side of at most {}", grouped(u32::MAX)))
}

/// Message sizes for one axis: powers of two each in its own unit, others all in the largest unit that divides them.
pub fn sizes(values: &[u64]) -> Vec<String> {
    if values.iter().all(|bytes| bytes.is_power_of_two()) {
        return values.iter().map(|&bytes| show_bytes(bytes)).collect();
    }
    let zeros = values
        .iter()
        .filter(|bytes| **bytes > 0)
        .map(|bytes| bytes.trailing_zeros())
        .min()
        .unwrap_or(0);
    let units = BYTE_UNITS[..6].iter().rev().chain(&BYTE_UNITS[12..]);
    let fits = |(_, size): &&(&str, u64)| size.trailing_zeros() <= zeros;
    let (unit, size) = units.copied().find(|unit| fits(&unit)).unwrap_or(("B", 1));
    values
        .iter()
        .map(|bytes| format!("{} {unit}", grouped(bytes / size)))
        .collect()
}

/// Quotes a word for a POSIX shell if needed.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./:,+@%=".contains(sign);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', "'\\''")).into()
}

/// A time in ms: to us, and one below 100 us to ns.
pub fn ms(ns: u64) -> String {
    let places = if ns < 100_000 { 6 } else { 3 };
    format!("{:.places$}", ns as f64 / 1e6)
}

/// A number of seconds in a suitable unit, to about two digits.
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [
        (365.25 * 86_400.0, "years"),
        (86_400.0, "days"),
        (3_600.0, "hours"),
        (60.0, "minutes"),
    ];
    let (size, unit) = UNITS
        .into_iter()
        .find(|(size, _)| seconds >= 2.0 * size)
        .unwrap_or((1.0, "seconds"));
    short(seconds / size, unit)
}

/// A number of bytes in a suitable decimal unit, to about two digits.
pub fn volume(bytes: u64) -> String {
    const UNITS: [(f64, &str); 6] = [
        (1e18, "EB"),
        (1e15, "PB"),
        (1e12, "TB"),
        (1e9, "GB"),
        (1e6, "MB"),
        (1e3, "kB"),
    ];
    let bytes = bytes as f64;
    let (size, unit) = UNITS
        .into_iter()
        .find(|(size, _)| bytes >= *size)
        .unwrap_or((1.0, "B"));
    short(bytes / size, unit)
}

fn short(number: f64, unit: &str) -> String {
    if number < 10.0 {
        format!("{number:.1} {unit}")
    } else {
        format!("{number:.0} {unit}")
    }
}

/// Most characters of a foreign word in a message.
pub const MAX_REPEATED: usize = 200;

/// A text for a message: its first `most` characters.
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
    fn short_times_are_no_zeros() {
        assert_eq!(
            [316, 99_999, 100_000, 1_234_567].map(ms),
            ["0.000316", "0.099999", "0.100", "1.235"]
        );
    }

    #[test]
    fn counts() {
        assert_eq!(parse_count("1_000"), Ok(1000));
        assert_eq!(
            (parse_count("10^6"), parse_count("2^63")),
            (Ok(1_000_000), Ok(1 << 63))
        );
        assert_eq!(parse_count("18446744073709551615"), Ok(u64::MAX));
        for bad in [
            "",
            "-1",
            "+1",
            "1.5",
            "1e6",
            "_",
            "18446744073709551616",
            " 1",
            "2^64",
            "^2",
            "2^",
            "2^2^2",
            "1.",
        ] {
            assert!(parse_count(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sides() {
        assert_eq!((parse_mesh("8"), parse_mesh("8x8")), (Ok(8), Ok(8)));
        assert!(
            parse_side("4294967295").is_ok()
                && parse_side("4294967296").is_err()
                && parse_side("x").is_err()
        );
        assert!(
            parse_mesh("4294967296x1").is_err()
                && parse_mesh("8x").is_err()
                && parse_mesh("x").is_err()
        );
    }

    #[test]
    fn bytes() {
        for (text, bytes) in [
            ("1500", 1500),
            ("1MiB", 1 << 20),
            ("4 MB", 4_000_000),
            ("7B", 7),
            ("2GiB", 2 << 30),
        ]
        .into_iter()
        .chain([
            ("1.5MiB", 3 << 19),
            ("0.5kB", 500),
            ("2^20", 1 << 20),
            ("1_000B", 1000),
        ]) {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for bad in [
            "",
            "0",
            "0MiB",
            "MiB",
            "1mib",
            "-1B",
            "1.5B",
            "99999999999999999999",
            "18446744073709551615KiB",
        ] {
            assert!(parse_bytes(bad).is_err(), "{bad:?}");
        }
        for (text, explanation) in [
            ("0_0kB", "a positive number"),
            ("16EiB", "at most"),
            ("20 EB", "at most"),
            ("1YiB", "a positive"),
        ] {
            assert!(
                parse_bytes(text).unwrap_err().contains(explanation),
                "{text}"
            );
        }
        assert_eq!(parse_bytes("15EiB"), Ok(15 << 60));
        assert_eq!(show_bytes(3 << 40), "3 TiB");
        assert_eq!(show_bytes(1 << 20), "1 MiB");
        assert_eq!(show_bytes(1500), "1500 B");
        assert_eq!(show_bytes(3 << 10), "3 KiB");
        assert_eq!(
            sizes(&[1, 16, 4096, 1 << 20]),
            ["1 B", "16 B", "4 KiB", "1 MiB"]
        );
        assert_eq!(sizes(&[0, 1500, 4096]), ["0 B", "1,500 B", "4,096 B"]);
        assert_eq!(sizes(&[96 << 10, 1 << 20]), ["96 KiB", "1,024 KiB"]);
    }

    #[test]
    fn durations_are_exact() {
        let (fs, ps, ns) = (("fs", 1), ("ps", 1_000), ("ns", 1_000_000));
        for (text, unit, value) in [
            ("1.5us", ns, 1500),
            ("82ps", ps, 82),
            ("82 ps/B", ps, 82),
            ("0.082ns", ps, 82),
            ("1.11ps/B", fs, 1_110),
            ("1_000ns", ns, 1000),
            ("0.5 ms", ns, 500_000),
            ("1.500us", ns, 1500),
            ("1s", ns, 1_000_000_000),
            ("0s", ps, 0),
        ] {
            assert_eq!(parse_duration(text, unit), Ok(value), "{text}");
        }
        for (text, explanation) in [
            ("1.5", "with a unit"),
            ("us", "with a unit"),
            (".5us", "with a unit"),
            ("5.us", "with a unit"),
            ("-1us", "with a unit"),
            ("1e3us", "with a unit"),
            ("1 year", "with a unit"),
            ("0.5ns", "whole number of ns"),
            ("99999999999999s", "does not fit"),
            ("99999999999999999999999999999999999999999s", "does not fit"),
        ] {
            assert!(
                parse_duration(text, ns).is_err_and(|error| error.contains(explanation)),
                "{text}"
            );
        }
    }

    #[test]
    fn times_of_a_model_are_whole() {
        assert_eq!(
            (parse_time("6"), parse_time("50ps"), parse_time("0.05ns/B")),
            (Ok(6), Ok(50), Ok(50))
        );
        assert!(
            parse_time("0.3")
                .unwrap_err()
                .contains("multiply all of them by 10, which makes this one 3")
        );
        assert!(
            parse_time("0.3ps")
                .unwrap_err()
                .contains("not a whole number of ps")
        );
        assert!(
            parse_time("x")
                .unwrap_err()
                .contains("expected a whole number")
        );
        assert_eq!(
            whole_multiples(&["6", "0.25", "1.50"]),
            Some((100, vec![600, 25, 150]))
        );
        assert_eq!(whole_multiples(&["6", "x"]), None);
    }

    #[test]
    fn amounts() {
        let durations = [
            (0.04, "0.0 seconds"),
            (119.0, "119 seconds"),
            (120.0, "2.0 minutes"),
            (2e5, "2.3 days"),
        ];
        for (seconds, text) in durations {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(duration(1e12), "31688 years");
        for (bytes, text) in [
            (0, "0.0 B"),
            (999, "999 B"),
            (1500, "1.5 kB"),
            (u64::MAX, "18 EB"),
        ] {
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
        for (text, word) in [
            ("c.toml", "c.toml"),
            ("my c.toml", "'my c.toml'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
        ] {
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
