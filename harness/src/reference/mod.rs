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
