//! The cells of a sweep in order: part by part, in each part by number.

use std::collections::BTreeMap;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Entry;

use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::grid::{Cell, Grid, Product};
use crate::record::shard::Shard;

use super::overlap::earlier_grids;

/// A part of a sweep: one algorithm over one grid.
pub struct Part<'a> {
    /// The algorithm.
    pub entry: Entry,
    /// The grid.
    pub grid: &'a Grid,
    pub(super) product: Product<'a>,
    /// Earlier products of the same algorithm that may share cells.
    earlier: Vec<Product<'a>>,
}

impl<'a> Part<'a> {
    /// All parts of a configuration: by problem, then algorithm, then grid.
    ///
    /// # Errors
    /// Exit code 3 if the grids overlap too much, 4 without points.
    pub fn all(config: &'a Config) -> Result<Vec<Self>, Failure> {
        let mut grids: BTreeMap<_, (Entry, Vec<&Grid>)> = BTreeMap::new();
        for grid in &config.grids {
            for &entry in &grid.algorithms {
                // Algorithms that are not of the catalogue have one rank, behind all others.
                let problem = PROBLEMS.iter().position(|problem| *problem == entry.problem());
                grids.entry((problem, entry.rank(), entry.name)).or_insert((entry, Vec::new())).1.push(grid);
            }
        }
        let mut parts: Vec<Self> = Vec::new();
        for (entry, grids) in grids.into_values() {
            let earlier = earlier_grids(entry, &grids)
                .map_err(|reason| Failure::new(Code::Configuration, format_args!("{}: {reason}", config.name())))?;
            let of = |(grid, earlier): (&'a Grid, Vec<&'a Grid>)| {
                let earlier = earlier.into_iter().map(|grid| grid.over(entry)).collect();
                Self { entry, grid, product: grid.over(entry), earlier }
            };
            parts.extend(grids.into_iter().zip(earlier).map(of));
        }
        if parts.iter().all(|part| part.cells() == 0) {
            let name = config.name();
            let explanation = format_args!("{name}: no grid has a point; add a [[grid]] with the axes of an algorithm");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(parts)
    }

    /// The number of its cells, including those of earlier grids. It fits in 64 bits for a checked configuration.
    #[must_use]
    pub fn cells(&self) -> u64 {
        u64::try_from(self.product.size()).unwrap_or(u64::MAX)
    }

    /// The number of its cells that earlier grids have, and whether it is known; otherwise 0.
    ///
    /// Computed by inclusion and exclusion, so the sizes of the grids do not matter. Cost: at most `most_terms`
    /// intersections of grids, see [`most_terms`].
    #[must_use]
    pub(super) fn repeated(&self, most_terms: u32) -> (u64, bool) {
        let earlier: Vec<&Grid> = self.earlier.iter().map(|product| product.grid).collect();
        match shared(self.entry, self.grid, &earlier, &mut { most_terms }) {
            Some(cells) => (u64::try_from(cells).unwrap_or(u64::MAX), true),
            None => (0, self.earlier.is_empty()),
        }
    }

    /// The cell with this number, unless an earlier grid has it.
    #[must_use]
    pub fn cell(&self, number: u64) -> Option<Cell<'a>> {
        let cell = self.product.cell(number);
        let repeated = self.earlier.iter().any(|grid| grid.contains(&cell));
        (!repeated).then_some(cell)
    }
}

/// Most intersections of grids for one part.
const MAX_TERMS: u32 = 1 << 16;
/// Most intersections for all parts together: a second or two.
const ALL_TERMS: u32 = 1 << 22;

/// Most intersections for each part: fewer if many grids overlap.
pub(super) fn most_terms(parts: &[Part<'_>]) -> u32 {
    let overlapping = parts.iter().filter(|part| !part.earlier.is_empty()).count();
    (ALL_TERMS / u32::try_from(overlapping.max(1)).unwrap_or(u32::MAX)).clamp(1, MAX_TERMS)
}

/// The number of points of a grid that the others have; none if that needs more intersections than `left`.
///
/// Each of the others counts the points that it shares with the grid and that no earlier one has.
fn shared(entry: Entry, grid: &Grid, others: &[&Grid], left: &mut u32) -> Option<u128> {
    let mut sum = 0;
    for (number, other) in others.iter().enumerate() {
        *left = left.checked_sub(1)?;
        if let Some(common) = grid.common(entry, other) {
            sum += common.over(entry).size() - shared(entry, &common, &others[..number], left)?;
        }
    }
    Some(sum)
}

/// The cells of a sweep or of one shard, by position from 0.
pub(super) struct Cells<'a> {
    parts: &'a [Part<'a>],
    /// The number of cells up to the end of each part.
    ends: Vec<u64>,
    /// The shard; [`Shard::WHOLE`] has all cells.
    pub shard: Shard,
}

impl<'a> Cells<'a> {
    pub fn new(parts: &'a [Part<'a>], shard: Shard) -> Self {
        let ends = parts.iter().scan(0, |sum: &mut u64, part| {
            *sum = sum.saturating_add(part.cells());
            Some(*sum)
        });
        Self { parts, ends: ends.collect(), shard }
    }

    /// The number of cells.
    pub fn len(&self) -> u64 {
        self.shard.share(self.ends.last().copied().unwrap_or(0))
    }

    fn part_number(&self, position: u64) -> usize {
        let cell = self.shard.cell(position);
        self.ends.partition_point(|&end| end <= cell)
    }

    /// The part with the cell at this position, and the number of cells before that part.
    pub fn part(&self, position: u64) -> (&'a Part<'a>, u64) {
        let number = self.part_number(position);
        (&self.parts[number], number.checked_sub(1).map_or(0, |before| self.ends[before]))
    }

    /// The position after the last cell of that part.
    pub fn end(&self, position: u64) -> u64 {
        self.shard.share(self.ends[self.part_number(position)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERLAPPING: &str = r#"
schema = 1
[[grid]]
name = "a"
algorithms = ["halving", "k-tree", "unicast"]
L = [5, 6, 9]
o = { from = 0, to = 20, step = 3 }
g = [4]
K = { from = 1, to = 12 }
n = [4]
k = [1, 2, 3]
m = { from = 1, to = 40, step = 4 }
source = [1, 2]
trials = 7
[[grid]]
name = "b"
algorithms = ["halving", "k-tree", "unicast"]
L = { from = 4, to = 9 }
o = { from = 0, to = 20, step = 2 }
g = [4, 5]
K = [3, 5, 7, 11]
n = [4, 5]
k = { from = 2, to = 9 }
m = { from = 3, to = 60, step = 6 }
source = [2, 3]
trials = 7
[[grid]]
name = "b once more"
algorithms = ["halving", "k-tree"]
L = { from = 4, to = 9 }
o = { from = 0, to = 20, step = 2 }
g = [4, 5]
K = [3, 5, 7, 11]
n = [4, 5]
k = { from = 2, to = 9 }
m = { from = 3, to = 60, step = 6 }
source = [2, 3]
[[grid]]
name = "c"
algorithms = ["halving", "k-tree", "unicast"]
L = [6]
o = { from = 0, to = 20 }
g = [4]
K = { from = 1, to = 12 }
n = [3, 4]
k = [2]
m = { from = 1, to = 60 }
trials = 6
[[grid]]
name = "machines"
algorithms = ["halving"]
machines = ["ethernet100-held", "ethernet100-switched"]
bytes = ["1", "9"]
K = [3, 5]
[[grid]]
name = "one machine"
algorithms = ["halving"]
machines = ["ethernet100-switched"]
bytes = ["9", "10"]
K = { from = 1, to = 4 }
"#;

    /// Counting and computing the shared points give the same number.
    #[test]
    fn inclusion_and_exclusion_count_what_is_there() {
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), OVERLAPPING).unwrap();
        let config = Config::load(Some(path.path())).unwrap_or_else(|failure| panic!("{}", failure.message));
        let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
        let mut shared = 0;
        for part in &parts {
            let counted = (0..part.cells()).filter(|&number| part.cell(number).is_none()).count() as u64;
            assert_eq!(
                part.repeated(most_terms(&parts)),
                (counted, true),
                "{} over {}",
                part.entry.name,
                part.grid.name
            );
            shared += counted;
        }
        // All of "b once more", and some of "b", "c" and "one machine".
        assert!(shared > 1000, "{shared}");
    }

    /// All parts together look at a limited number of intersections; a part with too small a share states none.
    #[test]
    fn intersections_are_bounded_for_all_parts_together() {
        for count in [2, 64, 65, 66, 400] {
            let mut text = "schema = 1\n".to_owned();
            for number in 1..=count {
                let axes = format!("L = {{ from = {number}, to = 1000 }}\no = [2]\ng = [4]\nK = [1, {}]", 1 + number);
                text += &format!("[[grid]]\nname = \"g{number}\"\nalgorithms = [\"flat\"]\n{axes}\n");
            }
            let path = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(path.path(), text).unwrap();
            let config = Config::load(Some(path.path())).unwrap_or_else(|failure| panic!("{}", failure.message));
            let parts = Part::all(&config).unwrap_or_else(|failure| panic!("{}", failure.message));
            let most = most_terms(&parts);
            assert_eq!(most, (ALL_TERMS / (count - 1)).min(MAX_TERMS), "{count}");
            assert_eq!(parts[0].repeated(most), (0, true));
            assert_eq!(parts[1].repeated(most), (999, true), "K = 1 from the first grid");
            assert_eq!(parts[1].repeated(0), (0, false));
        }
    }
}
