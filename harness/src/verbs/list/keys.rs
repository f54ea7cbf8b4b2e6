//! The keys of configurations, measurements and machine profiles.

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::{Kind, spelled};

use crate::base::units::together;
use crate::print::Columns;

/// The rows of a table that is kept as text: a line for each, with ` | ` between its cells. The rows of problems stand where an empty
/// line cuts it.
pub fn cells<const N: usize>(text: &'static str) -> [impl Iterator<Item = [&'static str; N]>; 2] {
    let (before, after) = text.split_once("\n\n").unwrap_or_default();
    [before, after].map(|part| {
        part.lines().map(|line| {
            let mut cells = line.splitn(N, " | ");
            std::array::from_fn(|_| cells.next().unwrap_or_default())
        })
    })
}

/// A key, the file or the table that has it, and what it takes.
pub type Key = (&'static str, &'static str, String);

/// The columns of a key.
pub fn columns() -> Columns<'static, Key> {
    Columns::<Key>::empty()
        .column("key", "key of a file", |key| key.0)
        .code()
        .column(
            "table",
            "file, or table in a file, that has the key",
            |key| key.1,
        )
        .column("takes", "meaning of its values", |key| key.2.clone())
}

/// All keys, in the order of the files. The problems define those of the axes.
pub fn keys() -> Vec<Key> {
    let [before, after] = cells(include_str!("keys.txt"))
        .map(|part| part.map(|[table, key, takes]| (key, table, takes.to_owned())));
    before.chain(axes()).chain(after).collect()
}

const GRID: &str = "[[grid]]";

fn axes() -> Vec<Key> {
    let all = || {
        PROBLEMS
            .iter()
            .flat_map(|problem| problem.axes.iter().map(|axis| (axis, problem.name)))
    };
    let mut found = together(all().map(|(axis, problem)| {
        let key = if axis.kind == Kind::Profile {
            "machines"
        } else {
            axis.key
        };
        let default = axis.default.map(|default| spelled(axis, default));
        ((key, axis.meaning, default), problem)
    }));
    found.sort_by_key(|((key, ..), _)| all().position(|(axis, _)| axis.key == *key));
    found
        .into_iter()
        .map(|((key, meaning, default), problems)| {
            let default =
                default.map_or_else(String::new, |value| format!("; {value} if left out"));
            (
                key,
                GRID,
                format!("axis of {}: {meaning}{default}", problems.join(", ")),
            )
        })
        .collect()
}
