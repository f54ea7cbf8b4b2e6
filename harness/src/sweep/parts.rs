//! The cells of a sweep in order: part by part, in each part by number.

use std::collections::BTreeMap;
use std::sync::Arc;

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Entry;

use crate::base::failure::Result;
use crate::base::units::grouped;
use crate::config::Config;
use crate::record::shard::Shard;
use crate::space::{Cell, Points, Space};

/// A part of a sweep: one algorithm over one grid.
pub struct Part<'a> {
    /// The algorithm.
    pub entry: Entry,
    /// The grid.
    pub grid: &'a Space,
    pub(super) product: Arc<Points<'a>>,
    /// Earlier products of the same algorithm that may share cells.
    earlier: Vec<Arc<Points<'a>>>,
}

impl<'a> Part<'a> {
    /// All parts of a configuration: by problem, then algorithm, then grid.
    ///
    /// # Errors
    /// Exit code 3 for too many grids, 4 without points.
    pub fn all(config: &'a Config) -> Result<Vec<Self>> {
        let mut grids: BTreeMap<_, (Entry, Vec<&Space>)> = BTreeMap::new();
        for grid in &config.grids {
            for &entry in &grid.algorithms {
                // Algorithms that are not of the catalogue have one rank, behind all others.
                let problem = PROBLEMS
                    .iter()
                    .position(|problem| problem == entry.problem());
                grids
                    .entry((problem, entry.rank(), entry.name))
                    .or_insert((entry, Vec::new()))
                    .1
                    .push(grid);
            }
        }
        let mut parts: Vec<Self> = Vec::new();
        for (entry, grids) in grids.into_values() {
            if grids.len() > MAX_GRIDS {
                let (name, count, most) = (
                    config.name(),
                    grouped(grids.len() as u64),
                    grouped(MAX_GRIDS as u64),
                );
                bail!(
                    Configuration,
                    "{name}: {count} grids have `{}`, more than the limit of {most}; put the values into the axes of \
                     one grid, or split the configuration",
                    entry.name
                );
            }
            let products: Vec<_> = grids
                .into_iter()
                .map(|grid| Arc::new(grid.over(entry)))
                .collect();
            parts.extend(products.iter().enumerate().map(|(number, product)| {
                let earlier = products[..number]
                    .iter()
                    .filter(|earlier| earlier.may_meet(product))
                    .cloned()
                    .collect();
                Self {
                    entry,
                    grid: product.space,
                    product: Arc::clone(product),
                    earlier,
                }
            }));
        }
        if parts.iter().all(|part| part.cells() == 0) {
            let name = config.name();
            bail!(
                Nothing,
                "{name}: no grid has a point; add a [[grid]] with the axes of an algorithm"
            );
        }
        Ok(parts)
    }

    /// The number of its cells, including those of earlier grids. It fits in 64 bits for a checked configuration.
    pub fn cells(&self) -> u64 {
        u64::try_from(self.product.size()).unwrap_or(u64::MAX)
    }

    /// The cell with this number, unless an earlier grid has it.
    pub fn cell(&self, number: u64) -> Option<Cell<'a>> {
        let cell = self.product.cell(number);
        let repeated = self.earlier.iter().any(|grid| grid.contains(&cell));
        (!repeated).then_some(cell)
    }
}

/// Most grids of one algorithm: each is compared with all before it.
const MAX_GRIDS: usize = 4096;

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
        Self {
            parts,
            ends: ends.collect(),
            shard,
        }
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
        (
            &self.parts[number],
            number.checked_sub(1).map_or(0, |before| self.ends[before]),
        )
    }

    /// The position after the last cell of that part.
    pub fn end(&self, position: u64) -> u64 {
        self.shard.share(self.ends[self.part_number(position)])
    }
}
