//! A grid of points: the product of the axes that each algorithm reads.

use std::fmt::Write as _;

use algorithms::catalogue::{Axis, Entry, Point, Problem};
use algorithms::error::Error;
use algorithms::logp::{LogP, check_instance};
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::{Sampling, check_destinations};
use serde::{Serialize, Serializer};

use crate::config::axis::Values;
use crate::machine::Machine;

/// A named product of axes and the algorithms evaluated over it.
#[derive(Debug, Clone, Serialize)]
pub struct Grid {
    /// Its name in the configuration.
    pub name: String,
    /// In the order of the catalogue.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<&'static Entry>,
    /// By [`Axis`], in the order of [`Axis::ALL`]; absent where the grid has none.
    #[serde(serialize_with = "by_symbol")]
    pub axes: [Option<Values>; 7],
    /// Machines and message sizes in place of L, o and g.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<Machines>,
    /// Positions of the source, for trees.
    pub sources: Values,
    /// Random multicasts per point, for meshes.
    pub trials: u64,
}

/// Where L, o and g come from if not from axes.
#[derive(Debug, Clone, Serialize)]
pub struct Machines {
    /// The profiles.
    pub machines: Vec<Machine>,
    /// The message sizes, ascending.
    pub bytes: Vec<u64>,
}

fn names<S: Serializer>(entries: &[&'static Entry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| entry.name))
}

fn by_symbol<S: Serializer>(axes: &[Option<Values>; 7], serializer: S) -> Result<S::Ok, S::Error> {
    let present = Axis::ALL.iter().zip(axes).filter_map(|(axis, values)| Some((axis.symbol(), values.as_ref()?)));
    serializer.collect_map(present)
}

/// One point of a grid, as its row names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// A tree under LogP.
    Logp {
        /// The profile and the message size that gave L, o and g, if any did.
        machine: Option<(&'a Machine, u64)>,
        /// L, o and g, unless the profile says otherwise.
        parameters: (u64, u64, u64),
        /// Nodes, the source included.
        K: u64,
        /// Position of the source.
        source: u64,
    },
    /// A multicast on a mesh.
    Mesh {
        /// Columns and rows.
        sides: (u64, u64),
        /// Destinations.
        K: u64,
        /// How multicasts are drawn.
        sampling: Sampling,
    },
}

impl Cell<'_> {
    /// The point to evaluate.
    ///
    /// # Errors
    /// Why the combination of values has no meaning: such a cell is not applicable, which is no failure.
    pub fn point(&self) -> Result<Point, Error> {
        match *self {
            Cell::Logp { machine, parameters: (L, o, g), K, source } => {
                let model = match machine {
                    Some((machine, bytes)) => machine.parameters().at(bytes)?,
                    None => LogP::new(L, o, g)?,
                };
                check_instance(K, source)?;
                Ok(Point::LogpMulticast { model, K, source })
            }
            Cell::Mesh { sides: (w, h), K, sampling } => {
                let mesh = Mesh::new(w, h)?;
                check_destinations(mesh, K)?;
                Ok(Point::MeshMulticast { mesh, K, sampling })
            }
        }
    }
}

impl Grid {
    /// How many cells all its algorithms have together.
    #[must_use]
    pub fn size(&self) -> u128 {
        self.algorithms.iter().map(|entry| self.cells(entry)).fold(0, u128::saturating_add)
    }

    /// How many cells `entry` has: the product of the axes it reads.
    #[must_use]
    pub fn cells(&self, entry: &Entry) -> u128 {
        self.radices(entry).iter().map(|&length| u128::from(length)).fold(1, u128::saturating_mul)
    }

    /// The lengths of the axes of `entry`, slowest first.
    fn radices(&self, entry: &Entry) -> Vec<u64> {
        let length = |axis: Axis| self.axes[axis as usize].as_ref().map_or(0, Values::count);
        match (entry.problem(), &self.machines) {
            (Problem::LogpMulticast, None) => {
                [Axis::L, Axis::O, Axis::G, Axis::K].map(length).into_iter().chain([self.sources.count()]).collect()
            }
            (Problem::LogpMulticast, Some(machines)) => {
                let (profiles, sizes) = (machines.machines.len() as u64, machines.bytes.len() as u64);
                vec![profiles, sizes, length(Axis::K), self.sources.count()]
            }
            (Problem::MeshMulticast, _) => vec![length(Axis::N), length(Axis::K)],
        }
    }

    /// The cell of `entry` with this number, the last axis running fastest.
    #[must_use]
    pub fn cell(&self, entry: &Entry, number: u64, seed: u64) -> Cell<'_> {
        let radices = self.radices(entry);
        let mut digits = vec![0; radices.len()];
        let mut rest = number;
        for (digit, radix) in digits.iter_mut().zip(&radices).rev() {
            (*digit, rest) = (rest % radix, rest / radix);
        }
        let value = |axis: Axis, digit: u64| self.axes[axis as usize].as_ref().map_or(0, |values| values.get(digit));
        match (entry.problem(), &self.machines) {
            (Problem::LogpMulticast, None) => Cell::Logp {
                machine: None,
                parameters: (value(Axis::L, digits[0]), value(Axis::O, digits[1]), value(Axis::G, digits[2])),
                K: value(Axis::K, digits[3]),
                source: self.sources.get(digits[4]),
            },
            (Problem::LogpMulticast, Some(machines)) => {
                let at = |digit: u64| usize::try_from(digit).unwrap_or(usize::MAX);
                Cell::Logp {
                    machine: Some((&machines.machines[at(digits[0])], machines.bytes[at(digits[1])])),
                    parameters: (0, 0, 0),
                    K: value(Axis::K, digits[2]),
                    source: self.sources.get(digits[3]),
                }
            }
            (Problem::MeshMulticast, _) => {
                let n = value(Axis::N, digits[0]);
                let sampling = Sampling { trials: self.trials, seed };
                Cell::Mesh { sides: (n, n), K: value(Axis::K, digits[1]), sampling }
            }
        }
    }

    /// Whether this grid has that cell, too: of two grids only the first evaluates it.
    #[must_use]
    pub fn contains(&self, entry: &Entry, cell: &Cell<'_>) -> bool {
        let has =
            |axis: Axis, value: u64| self.axes[axis as usize].as_ref().is_some_and(|values| values.contains(value));
        if !self.algorithms.iter().any(|own| own.name == entry.name) {
            return false;
        }
        match (*cell, &self.machines) {
            (Cell::Logp { machine: None, parameters: (L, o, g), K, source }, None) => {
                has(Axis::L, L)
                    && has(Axis::O, o)
                    && has(Axis::G, g)
                    && has(Axis::K, K)
                    && self.sources.contains(source)
            }
            (Cell::Logp { machine: Some((machine, bytes)), K, source, .. }, Some(own)) => {
                own.machines.contains(machine)
                    && own.bytes.contains(&bytes)
                    && has(Axis::K, K)
                    && self.sources.contains(source)
            }
            (Cell::Mesh { sides: (w, h), K, .. }, _) => w == h && has(Axis::N, w) && has(Axis::K, K),
            _ => false,
        }
    }

    /// Replaces an axis if the grid has it, and says whether it has.
    pub fn replace(&mut self, axis: Axis, values: &Values) -> bool {
        let own = &mut self.axes[axis as usize];
        if own.is_some() {
            *own = Some(values.clone());
        }
        own.is_some()
    }

    /// Axes of the grid that none of its algorithms reads.
    pub fn unread(&self) -> impl Iterator<Item = Axis> {
        Axis::ALL.into_iter().filter(|&axis| {
            self.axes[axis as usize].is_some() && !self.algorithms.iter().any(|entry| entry.axes().contains(&axis))
        })
    }

    /// Its name and the lengths of its axes, for messages.
    #[must_use]
    pub fn describe(&self) -> String {
        let mut text = "the largest:".to_owned();
        for (axis, values) in Axis::ALL.iter().zip(&self.axes) {
            if let Some(values) = values {
                // Writing to a string cannot fail.
                let _ = write!(text, " {axis} has {},", crate::units::plural(values.count(), "value"));
            }
        }
        let _ = write!(text, " for {}", crate::units::plural(self.algorithms.len() as u64, "algorithm"));
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;

    /// Numbers and cells of every grid of the default configuration correspond one to one.
    #[test]
    fn cells_are_distinct_and_contained() {
        let config = Config::load(None).unwrap_or_else(|failure| panic!("{}", failure.message));
        for grid in &config.grids {
            for entry in &grid.algorithms {
                let count = u64::try_from(grid.cells(entry)).unwrap();
                let mut cells: Vec<String> = Vec::new();
                for number in 0..count {
                    let cell = grid.cell(entry, number, 1);
                    assert!(grid.contains(entry, &cell), "{cell:?}");
                    cells.push(format!("{cell:?}"));
                }
                cells.sort();
                cells.dedup();
                assert_eq!(cells.len() as u64, count, "{} over {}", entry.name, grid.name);
            }
        }
    }
}
