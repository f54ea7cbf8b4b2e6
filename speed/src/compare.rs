//! What became of the counts since the baseline.

use std::collections::BTreeSet;
use std::fmt;

use crate::baseline::Counts;

/// What became of one bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Above the tolerance.
    Worse,
    /// Below the tolerance.
    Better,
    /// Not in the baseline.
    New,
    /// Only in the baseline.
    Gone,
    /// Another count within the tolerance.
    Close,
    /// The same count.
    Equal,
    /// Counted under other conditions.
    NotComparable,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::New => "new",
            Self::Gone => "gone",
            Self::Close => "close",
            Self::Equal => "equal",
            Self::NotComparable => "not comparable",
        })
    }
}

/// One bench, before and now; one of the two is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub bench: String,
    /// Instructions in the baseline.
    pub before: Option<u64>,
    /// Instructions now.
    pub now: Option<u64>,
    /// What became of it.
    pub verdict: Verdict,
}

/// All benches of either side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// By name.
    pub rows: Vec<Row>,
    /// The conditions that differ, in words; where there is one, no count is judged.
    pub differences: Vec<String>,
}

impl Comparison {
    /// Compares; a change of more than `tolerance` percent is better or worse.
    #[must_use]
    pub fn new(before: &Counts, now: &Counts, tolerance: u64) -> Self {
        let keys: BTreeSet<_> = before.conditions.keys().chain(now.conditions.keys()).collect();
        let differences: Vec<_> = keys
            .into_iter()
            .filter(|&key| before.conditions.get(key) != now.conditions.get(key))
            .map(|key| {
                let value = |counts: &Counts| counts.conditions.get(key).cloned().unwrap_or_else(|| "nothing".into());
                format!("{key} was {}, is {}", value(before), value(now))
            })
            .collect();
        let benches: BTreeSet<_> = before.instructions.keys().chain(now.instructions.keys()).collect();
        let row = |bench: &String| {
            let (before, now) = (before.instructions.get(bench).copied(), now.instructions.get(bench).copied());
            let verdict = match (before, now) {
                (None, _) => Verdict::New,
                (_, None) => Verdict::Gone,
                _ if !differences.is_empty() => Verdict::NotComparable,
                (Some(before), Some(now)) => judge(before, now, tolerance),
            };
            Row { bench: bench.clone(), before, now, verdict }
        };
        let rows = benches.into_iter().map(row).collect();
        Self { rows, differences }
    }

    /// How many benches have this verdict.
    #[must_use]
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows.iter().filter(|row| row.verdict == verdict).count()
    }
}

fn judge(before: u64, now: u64, tolerance: u64) -> Verdict {
    let part = u128::from(before) * u128::from(tolerance);
    let (before, now) = (100 * u128::from(before), 100 * u128::from(now));
    if now > before + part {
        Verdict::Worse
    } else if now + part < before {
        Verdict::Better
    } else if now == before {
        Verdict::Equal
    } else {
        Verdict::Close
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(rustc: &str, instructions: &[(&str, u64)]) -> Counts {
        Counts {
            conditions: [("rustc".to_owned(), rustc.to_owned())].into(),
            instructions: instructions.iter().map(|&(bench, count)| (bench.to_owned(), count)).collect(),
        }
    }

    #[test]
    fn a_change_beyond_the_tolerance_is_better_or_worse() {
        for (before, now, verdict) in [
            (1000, 1000, Verdict::Equal),
            (1000, 1020, Verdict::Close),
            (1000, 1021, Verdict::Worse),
            (1000, 980, Verdict::Close),
            (1000, 979, Verdict::Better),
            (0, 1, Verdict::Worse),
            (u64::MAX, u64::MAX - 1, Verdict::Close),
            (1, u64::MAX, Verdict::Worse),
        ] {
            assert_eq!(judge(before, now, 2), verdict, "{before} -> {now}");
        }
        assert_eq!(judge(1000, 1001, 0), Verdict::Worse);
        assert_eq!(judge(1000, 1, 100), Verdict::Close);
    }

    #[test]
    fn benches_come_and_go() {
        let before = counts("1.95.0", &[("stays", 10), ("goes", 20), ("slows", 100)]);
        let now = counts("1.95.0", &[("stays", 10), ("comes", 30), ("slows", 103)]);
        let comparison = Comparison::new(&before, &now, 2);
        let found: Vec<_> = comparison.rows.iter().map(|row| (row.bench.as_str(), row.verdict)).collect();
        let expected =
            [("comes", Verdict::New), ("goes", Verdict::Gone), ("slows", Verdict::Worse), ("stays", Verdict::Equal)];
        assert_eq!(found, expected);
        assert_eq!((comparison.rows[0].before, comparison.rows[0].now), (None, Some(30)));
        assert_eq!((comparison.rows[1].before, comparison.rows[1].now), (Some(20), None));
        assert_eq!(comparison.count(Verdict::Worse), 1);
        assert!(comparison.differences.is_empty());
    }

    #[test]
    fn counts_of_another_compiler_are_not_judged() {
        let before = counts("1.95.0", &[("stays", 10), ("goes", 1)]);
        let now = counts("1.96.0", &[("stays", 1000)]);
        let comparison = Comparison::new(&before, &now, 2);
        assert_eq!(comparison.differences, ["rustc was 1.95.0, is 1.96.0"]);
        assert_eq!(comparison.count(Verdict::Worse), 0);
        assert_eq!(comparison.rows[1].verdict, Verdict::NotComparable);
        let unnamed = Counts { conditions: [].into(), ..before.clone() };
        assert_eq!(Comparison::new(&unnamed, &now, 2).differences, ["rustc was nothing, is 1.96.0"]);
    }
}
