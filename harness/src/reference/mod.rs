//! Reference tables of keys, libraries and limits, for `castbench list` and docs/reference.

pub mod keys;
pub mod libraries;
pub mod limits;
pub mod papers;

/// The rows of a table that is kept as text: a line for each, with ` | ` between its cells.
pub fn cells<const N: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    text.lines().map(|line| {
        let mut cells = line.splitn(N, " | ");
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    })
}

/// Equal items once, each with its problems.
pub fn together<T: PartialEq>(all: impl IntoIterator<Item = (T, &'static str)>) -> Vec<(T, Vec<&'static str>)> {
    let mut found: Vec<(T, Vec<&'static str>)> = Vec::new();
    for (item, problem) in all {
        match found.iter_mut().find(|known| known.0 == item) {
            Some(known) => known.1.push(problem),
            None => found.push((item, vec![problem])),
        }
    }
    found
}
