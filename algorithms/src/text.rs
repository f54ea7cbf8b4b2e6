//! Counts and sizes as text.

/// A count with its digits in groups of three.
///
/// ```
/// # use castbench_algorithms::internals::text::{grouped, plural, size};
/// assert_eq!((grouped(1_048_576u64), plural(1, "node"), size(1 << 20)), ("1,048,576".into(), "1 node".into(), "1 MiB".into()));
/// ```
#[must_use]
pub fn grouped(count: impl Into<u128>) -> String {
    group(&count.into().to_string())
}

/// Digits in groups of three.
#[must_use]
pub fn group(digits: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1 point`, `2 points`.
#[must_use]
pub fn plural(count: u64, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        grouped(count),
        if count == 1 { "" } else { "s" }
    )
}

/// A message size in the largest binary unit that divides it.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 6] = [
        ("EiB", 60),
        ("PiB", 50),
        ("TiB", 40),
        ("GiB", 30),
        ("MiB", 20),
        ("KiB", 10),
    ];
    let fits = |&&(_, bits): &&(&str, u32)| bytes > 0 && bytes.trailing_zeros() >= bits;
    let (unit, bits) = UNITS.iter().find(fits).copied().unwrap_or(("B", 0));
    format!("{} {unit}", bytes >> bits)
}
