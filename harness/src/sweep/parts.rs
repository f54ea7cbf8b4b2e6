//! The cells of a sweep in their one order: part after part, in each part by number.

use std::ops::Range;

use algorithms::catalogue::Entry;

use crate::config::Config;
use crate::failure::{Code, Failure};
use crate::grid::{Cell, Dimension, Grid};

/// A part of a sweep: one algorithm over one grid.
pub struct Part<'a> {
    /// The algorithm.
    pub entry: &'static Entry,
    /// The grid.
    pub grid: &'a Grid,
    /// What its cells differ in, of [`Grid::dimensions`].
    pub(super) dimensions: Vec<(Dimension, u64)>,
    /// Grids before it, which may hold some of the same cells.
    earlier: &'a [Grid],
}

impl<'a> Part<'a> {
    /// All parts of a configuration: by problem, then by algorithm, then by grid.
    ///
    /// # Errors
    /// Exit code 4 where there is no point.
    pub fn all(config: &'a Config) -> Result<Vec<Self>, Failure> {
        let mut parts: Vec<Self> = Vec::new();
        for (number, grid) in config.grids.iter().enumerate() {
            for &entry in &grid.algorithms {
                // Not a list for each part: with many grids that would be the square of them.
                let earlier = &config.grids[..number];
                parts.push(Self { entry, grid, dimensions: grid.dimensions(entry), earlier });
            }
        }
        // Stable, so the grids of an algorithm keep their order.
        parts.sort_by_key(|part| (part.entry.problem(), part.entry.rank()));
        if parts.iter().all(|part| part.cells() == 0) {
            let name = config.name();
            let explanation =
                format_args!("{name}: no grid holds a point; add a [[grid]] with the axes of an algorithm");
            return Err(Failure::new(Code::Nothing, explanation));
        }
        Ok(parts)
    }

    /// How many cells the part has, those of earlier grids included. A checked configuration keeps this in 64 bits.
    #[must_use]
    pub fn cells(&self) -> u64 {
        self.dimensions.iter().map(|&(_, count)| count).fold(1, u64::saturating_mul)
    }

    /// The cell with this number, unless an earlier grid has it.
    #[must_use]
    pub fn cell(&self, number: u64, seed: u64) -> Option<Cell<'a>> {
        let cell = self.grid.cell(self.entry, &self.dimensions, number, seed);
        let repeated = self.earlier.iter().any(|grid| grid.contains(self.entry, &cell));
        (!repeated).then_some(cell)
    }
}

/// A place between two cells: the part and the number of the cell behind it. Places are ordered as cells are.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// Which of the parts; their number at the end of the sweep.
    pub part: usize,
    /// The number of the cell in the part.
    pub cell: u64,
}

/// Whether a place lies in the part that it names, or right behind it.
pub(super) fn is_place(parts: &[Part<'_>], place: Place) -> bool {
    place.cell <= parts.get(place.part).map_or(0, Part::cells) && place.part <= parts.len()
}

/// How many cells lie between two places.
pub(super) fn cells_between(parts: &[Part<'_>], range: &Range<Place>) -> u64 {
    let before = |place: Place| -> u64 {
        parts[..place.part].iter().map(Part::cells).fold(0, u64::saturating_add).saturating_add(place.cell)
    };
    before(range.end).saturating_sub(before(range.start))
}

/// Takes the next cells from `at` on that are of one part: at most `most`, and none beyond `end`. Moves `at` behind them;
/// none are left where it was there already.
pub(super) fn take_run(parts: &[Part<'_>], at: &mut Place, end: Place, most: u64) -> Option<(usize, Range<u64>)> {
    while *at < end {
        let last = if at.part == end.part { end.cell } else { parts[at.part].cells() };
        let (part, first) = (at.part, at.cell);
        let upto = last.min(first.saturating_add(most));
        *at = if upto == last && part != end.part {
            Place { part: part + 1, cell: 0 }
        } else {
            Place { part, cell: upto }
        };
        if first < upto {
            return Some((part, first..upto));
        }
    }
    None
}
