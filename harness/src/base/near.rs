//! Suggestions for an unknown name.

use algorithms::catalogue::{self, entries};

const MOST: usize = 3;
/// Longest name that is compared, in bytes: far above any known one, and the time grows with it.
const LONGEST: usize = 200;

/// The similar known names, the nearest first.
fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.len() > LONGEST {
        return Vec::new();
    }
    let name = name.to_lowercase().replace(['_', ' '], "-");
    let mut near: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|known| Some((distance(&name, known)?, known)))
        .collect();
    near.sort();
    near.dedup();
    near.into_iter()
        .map(|(_, known)| known)
        .take(MOST)
        .collect()
}

/// The number of wrong letters, if small, compared with the whole known name or with a part of it.
fn distance(name: &str, known: &str) -> Option<usize> {
    // One letter in four, and fewer than between unrelated words.
    let most = name.chars().count().div_ceil(4).min(3);
    let whole = strsim::osa_distance(name, &known.to_lowercase());
    if whole <= most {
        return Some(whole);
    }
    let holds = name.len() > 2 && known.contains(name) || known.len() > 3 && name.contains(known);
    (holds
        || known
            .split('-')
            .any(|part| part.len() > 3 && strsim::osa_distance(name, part) <= most))
    .then(|| most + whole)
}

/// The nearest names, and the command that lists all.
pub fn advice<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, list: &str) -> String {
    let near: Vec<String> = nearest(name, known)
        .into_iter()
        .map(|known| format!("`{known}`"))
        .collect();
    match near.as_slice() {
        [] => format!("`{list}` prints all"),
        [all @ .., last] => {
            let others = if all.is_empty() {
                String::new()
            } else {
                format!("{} or ", all.join(", "))
            };
            format!("did you mean {others}{last}? `{list}` prints all")
        }
    }
}

/// [`advice`] for the name of an algorithm.
pub fn algorithms(name: &str) -> String {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let other = format!("{stem}4");
    if stem.len() < name.len() && catalogue::find(&other).is_some() {
        let number = &name[stem.len()..];
        return format!("it takes a number, as in `{other}`, but not {number}");
    }
    if name.contains(':') {
        return "names for the levels of a machine are COLLECTIVE-leaders:X+Y and COLLECTIVE-lanes:X+Y, as \
                allreduce-lanes:ring+ring: X within nodes and Y between them, or a name for each part; NAME:posted \
                posts what a rank sends in a row together; some algorithms take a number, as allgather-pat:4"
            .to_owned();
    }
    advice(
        name,
        entries().iter().map(|entry| entry.name),
        "castbench list",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_named() {
        for name in [
            "allgather-pat:0",
            "allreduce-recexch-1",
            "gather-linear-sync:007",
        ] {
            assert!(algorithms(name).starts_with("it takes a number"), "{name}");
        }
        assert!(algorithms("allreduce-ring:4").starts_with("names for"));
    }

    #[test]
    fn a_few_names_are_offered_and_the_nearest_first() {
        let near = |name| nearest(name, entries().iter().map(|entry| entry.name));
        assert_eq!(near("fibonaci"), ["fibonacci", "broadcast-fibonacci"]);
        assert_eq!(near("halfing")[0], "halving");
        assert_eq!(near("Dual_Path")[0], "dual-path");
        assert!(
            !near("ring").is_empty() && near("ring").iter().all(|name| name.ends_with("-ring"))
        );
        assert!(near("binomial-tree").contains(&"binomial"));
        assert!(near("nonsense").is_empty() && near("").is_empty());
        let endless = "halving".repeat(1 << 20);
        assert!(near(&endless).is_empty());
        assert!(
            entries()
                .iter()
                .all(|entry| near(entry.name)[0] == entry.name)
        );
        assert_eq!(
            advice("x", ["halving"], "castbench list"),
            "`castbench list` prints all"
        );
        assert_eq!(
            advice("on", ["one", "ons"], "list"),
            "did you mean `one` or `ons`? `list` prints all"
        );
    }
}
