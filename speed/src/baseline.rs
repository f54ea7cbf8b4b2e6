//! Counts in a file: under which conditions they were taken, then one bench a line, sorted, so that a diff reads well.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use rayon::prelude::*;

use crate::callgrind;
use crate::cases::cases;

/// The instructions of each bench.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// What decides them besides the code: compiler, target, flags, valgrind, C library, processor.
    pub conditions: BTreeMap<String, String>,
    /// By the bench's name.
    pub instructions: BTreeMap<String, u64>,
}

/// The titles of the columns.
const HEADER: &str = "bench,instructions";

impl Counts {
    /// Counts every bench with `program run NAME`, each in a process of its own, as many at once as there are cores.
    ///
    /// # Errors
    /// The first that cannot be counted.
    pub fn take(program: &Path) -> Result<Self, String> {
        let cases = cases().map_err(|error| error.to_string())?;
        let count = |name: String| callgrind::count(program, &name).map(|instructions| (name, instructions));
        let instructions = cases.par_iter().map(|case| count(case.name())).collect::<Result<_, _>>()?;
        Ok(Self { conditions: conditions()?, instructions })
    }

    /// Reads what [`Counts::to_text`] wrote.
    ///
    /// # Errors
    /// The first line that is not of this form.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut counts = Self::default();
        for (index, line) in text.lines().enumerate() {
            let wrong = |expected: &str| format!("line {}: `{line}`: expected {expected}", index + 1);
            if let Some(condition) = line.strip_prefix("# ") {
                let (key, value) = condition.split_once(" = ").ok_or_else(|| wrong("`# condition = value`"))?;
                counts.conditions.insert(key.into(), value.into());
            } else if line != HEADER {
                let (bench, digits) = line.split_once(',').ok_or_else(|| wrong(HEADER))?;
                let instructions = digits.parse().map_err(|_| wrong("a whole number of instructions"))?;
                if counts.instructions.insert(bench.into(), instructions).is_some() {
                    return Err(wrong("every bench once"));
                }
            }
        }
        Ok(counts)
    }

    /// The file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (key, value) in &self.conditions {
            // Writing to a string does not fail.
            let _ = writeln!(text, "# {key} = {value}");
        }
        let _ = writeln!(text, "{HEADER}");
        for (bench, instructions) in &self.instructions {
            let _ = writeln!(text, "{bench},{instructions}");
        }
        text
    }
}

/// The conditions here and now.
fn conditions() -> Result<BTreeMap<String, String>, String> {
    let pairs = [
        ("compiler", env!("SPEED_RUSTC").to_owned()),
        ("target", env!("SPEED_TARGET").to_owned()),
        ("flags", if env!("SPEED_FLAGS").is_empty() { "none".to_owned() } else { env!("SPEED_FLAGS").to_owned() }),
        ("tool", callgrind::version()?),
        ("libc", callgrind::libc()),
        ("vectors", vectors().to_owned()),
    ];
    Ok(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// The widest vectors that the processor has and valgrind passes on: copies and ChaCha8 are chosen by them at run time.
fn vectors() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            return "avx2";
        }
        if std::arch::is_x86_feature_detected!("avx") {
            return "avx";
        }
    }
    "of the target"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let counts = Counts {
            conditions: [("rustc".into(), "1 = one".into()), ("flags".into(), "none".into())].into(),
            instructions: [("b/simulated".into(), 7), ("a/analytic".into(), u64::MAX)].into(),
        };
        let text = counts.to_text();
        assert_eq!(
            text,
            "# flags = none\n# rustc = 1 = one\nbench,instructions\na/analytic,18446744073709551615\nb/simulated,7\n"
        );
        assert_eq!(Counts::from_text(&text), Ok(counts));
    }

    #[test]
    fn lines_of_another_form_are_refused() {
        for (line, expected) in [
            ("# rustc", "`# condition = value`"),
            ("a/analytic", HEADER),
            ("a/analytic,-1", "a whole number"),
            ("<<<<<<< HEAD", HEADER),
            ("a/analytic,1\na/analytic,1", "every bench once"),
        ] {
            let error = Counts::from_text(&format!("{HEADER}\n{line}\n")).unwrap_err();
            assert!(error.starts_with("line ") && error.contains(expected), "{error}");
        }
    }
}
