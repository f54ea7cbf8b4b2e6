//! A grid of points: the product of the axes that each algorithm reads.

mod cell;

use std::fmt::Write as _;

use algorithms::catalogue::{Axis, Entry, Problem};
use algorithms::error::Error;
use algorithms::logp::pipeline::Instance;
use algorithms::mesh::Sampling;
use serde::{Serialize, Serializer};

pub use cell::{Cell, WormholeCell};

use crate::config::axis::Values;
use crate::machine::Machine;

/// Values by [`Axis`], in the order of [`Axis::ALL`]; absent where a grid has none.
pub type Axes = [Option<Values>; Axis::ALL.len()];

/// A named product of axes and the algorithms evaluated over it.
#[derive(Debug, Clone, Serialize)]
pub struct Grid {
    /// Its name in the configuration.
    pub name: String,
    /// In the order of the catalogue.
    #[serde(serialize_with = "names")]
    pub algorithms: Vec<&'static Entry>,
    /// The values it is the product of.
    #[serde(serialize_with = "by_symbol")]
    pub axes: Axes,
    /// Machines and message sizes in place of L, o and g, for trees, and of n, too, for pipelined ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<Machines>,
    /// Positions of the source, for trees.
    pub sources: Values,
    /// Random multicasts per point, or random sets of them at once, for meshes.
    pub trials: u64,
}

/// Most dimensions that the cells of an algorithm have.
pub const MAX_DIMENSIONS: usize = 8;

/// Where L, o and g come from if not from axes.
#[derive(Debug, Clone, Serialize)]
pub struct Machines {
    /// The profiles.
    pub machines: Vec<Machine>,
    /// The message sizes, ascending.
    pub bytes: Vec<u64>,
}

impl Machines {
    /// What both have, if there is a machine and a message size.
    fn common(&self, other: &Self) -> Option<Self> {
        let machines: Vec<_> = self.machines.iter().filter(|own| other.machines.contains(own)).cloned().collect();
        let bytes: Vec<_> = self.bytes.iter().copied().filter(|size| other.bytes.binary_search(size).is_ok()).collect();
        (!machines.is_empty() && !bytes.is_empty()).then_some(Self { machines, bytes })
    }
}

/// What the cells of an algorithm differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// One of the axes.
    Axis(Axis),
    /// The position of the source.
    Source,
    /// The machine profile.
    Machine,
    /// The message size.
    Bytes,
}

/// A value that makes sense at no point of its grid.
pub struct Useless {
    /// Of what it is a value.
    pub dimension: Dimension,
    /// The value.
    pub value: u64,
    /// What was expected instead.
    pub reason: String,
}

/// What an error of [`Cell::point`] is about.
fn blamed(error: &Error) -> Option<Dimension> {
    match error {
        Error::Parameter { symbol: "source", .. } => Some(Dimension::Source),
        Error::Parameter { symbol: "mesh", .. } => Some(Dimension::Axis(Axis::N)),
        Error::Parameter { symbol: "bytes", .. } => Some(Dimension::Bytes),
        Error::Parameter { symbol, .. } => {
            Axis::ALL.into_iter().find(|axis| axis.symbol() == *symbol).map(Dimension::Axis)
        }
        _ => None,
    }
}

/// An index that is below the length of something in memory.
fn at(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn names<S: Serializer>(entries: &[&'static Entry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| entry.name))
}

fn by_symbol<S: Serializer>(axes: &Axes, serializer: S) -> Result<S::Ok, S::Error> {
    let present = Axis::ALL.iter().zip(axes).filter_map(|(axis, values)| Some((axis.symbol(), values.as_ref()?)));
    serializer.collect_map(present)
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
        self.dimensions(entry).iter().map(|&(_, count)| u128::from(count)).fold(1, u128::saturating_mul)
    }

    /// What the cells of `entry` differ in and in how many values, slowest first; at most [`MAX_DIMENSIONS`].
    #[must_use]
    pub fn dimensions(&self, entry: &Entry) -> Vec<(Dimension, u64)> {
        let axis = |axis: Axis| (Dimension::Axis(axis), self.axes[axis as usize].as_ref().map_or(0, Values::count));
        let read = entry.axes().iter().copied().map(axis);
        let source = (Dimension::Source, self.sources.count());
        match entry.problem() {
            Problem::LogpMulticast => match &self.machines {
                None => read.chain([source]).collect(),
                Some(machines) => {
                    let profiles = (Dimension::Machine, machines.machines.len() as u64);
                    vec![profiles, (Dimension::Bytes, machines.bytes.len() as u64), axis(Axis::K), source]
                }
            },
            Problem::PipelinedBroadcast => match &self.machines {
                None => read.collect(),
                Some(machines) => {
                    let profiles = (Dimension::Machine, machines.machines.len() as u64);
                    let bytes = (Dimension::Bytes, machines.bytes.len() as u64);
                    vec![profiles, bytes, axis(Axis::K), axis(Axis::Ports), axis(Axis::M)]
                }
            },
            Problem::LogpSummation
            | Problem::MeshMulticast
            | Problem::MeshGossip
            | Problem::KPortBroadcast
            | Problem::WormholeMulticast => read.collect(),
        }
    }

    /// The value of a dimension with this number; of machines, which have none, the number.
    fn value(&self, dimension: Dimension, number: u64) -> u64 {
        match dimension {
            Dimension::Axis(axis) => self.axes[axis as usize].as_ref().map_or(0, |values| values.get(number)),
            Dimension::Source => self.sources.get(number),
            Dimension::Machine => number,
            Dimension::Bytes => self.machines.as_ref().map_or(0, |machines| machines.bytes[at(number)]),
        }
    }

    /// The cell of `entry` with this number, the last of its [`dimensions`](Self::dimensions) running fastest.
    #[must_use]
    pub fn cell(&self, entry: &Entry, dimensions: &[(Dimension, u64)], number: u64, seed: u64) -> Cell<'_> {
        let mut values = [0; MAX_DIMENSIONS];
        let mut rest = number;
        for (value, &(dimension, count)) in values.iter_mut().zip(dimensions).rev() {
            *value = self.value(dimension, rest % count);
            rest /= count;
        }
        match (entry.problem(), &self.machines) {
            (Problem::LogpMulticast, None) => Cell::Logp {
                machine: None,
                parameters: (values[0], values[1], values[2]),
                K: values[3],
                source: values[4],
            },
            (Problem::LogpMulticast, Some(machines)) => Cell::Logp {
                machine: Some((&machines.machines[at(values[0])], values[1])),
                parameters: (0, 0, 0),
                K: values[2],
                source: values[3],
            },
            (Problem::LogpSummation, _) => {
                Cell::Summation { parameters: (values[0], values[1], values[2]), P: values[3], operands: values[4] }
            }
            (Problem::MeshMulticast, _) => {
                let sampling = Sampling { trials: self.trials, seed };
                Cell::Mesh { sides: (values[0], values[0]), K: values[1], sampling }
            }
            (Problem::MeshGossip, _) => Cell::Gossip { n: values[0] },
            (Problem::KPortBroadcast, _) => Cell::KPort { n: values[0], k: values[1], m: values[2] },
            (Problem::PipelinedBroadcast, None) => {
                let instance = Instance { K: values[3], n: values[4], k: values[5], m: values[6] };
                Cell::Pipelined { machine: None, parameters: (values[0], values[1], values[2]), instance }
            }
            (Problem::PipelinedBroadcast, Some(machines)) => {
                let instance = Instance { K: values[2], n: values[1], k: values[3], m: values[4] };
                let machine = Some(&machines.machines[at(values[0])]);
                Cell::Pipelined { machine, parameters: (0, 0, 0), instance }
            }
            (Problem::WormholeMulticast, _) => {
                let [n, K, k, m, t_s, t_h, t_f, flits] = values;
                let sampling = Sampling { trials: self.trials, seed };
                Cell::Wormhole(WormholeCell { sides: (n, n), K, k, m, timing: (t_s, t_h, t_f, flits), sampling })
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
        let has_parameters = |(L, o, g)| has(Axis::L, L) && has(Axis::O, o) && has(Axis::G, g);
        match *cell {
            Cell::Logp { machine, parameters, K, source } => {
                let has_machine = match (machine, &self.machines) {
                    (None, None) => has_parameters(parameters),
                    (Some((machine, bytes)), Some(own)) => {
                        own.machines.contains(machine) && own.bytes.binary_search(&bytes).is_ok()
                    }
                    _ => false,
                };
                has_machine && has(Axis::K, K) && self.sources.contains(source)
            }
            Cell::Summation { parameters, P, operands } => {
                has_parameters(parameters) && has(Axis::P, P) && has(Axis::Operands, operands)
            }
            Cell::Mesh { sides: (w, h), K, sampling } => {
                w == h && has(Axis::N, w) && has(Axis::K, K) && sampling.trials == self.trials
            }
            Cell::Gossip { n } => has(Axis::N, n),
            Cell::KPort { n, k, m } => has(Axis::N, n) && has(Axis::Ports, k) && has(Axis::M, m),
            Cell::Pipelined { machine, parameters, instance: Instance { K, n, k, m } } => {
                let has_message = match (machine, &self.machines) {
                    (None, None) => has_parameters(parameters) && has(Axis::N, n),
                    (Some(machine), Some(own)) => own.machines.contains(machine) && own.bytes.binary_search(&n).is_ok(),
                    _ => false,
                };
                has_message && has(Axis::K, K) && has(Axis::Ports, k) && has(Axis::M, m)
            }
            Cell::Wormhole(WormholeCell { sides: (w, h), K, k, m, timing: (t_s, t_h, t_f, flits), sampling }) => {
                w == h
                    && (has(Axis::N, w) && has(Axis::K, K) && has(Axis::Ports, k) && has(Axis::M, m))
                    && (has(Axis::Startup, t_s) && has(Axis::Hop, t_h) && has(Axis::Flit, t_f))
                    && (has(Axis::Flits, flits) && sampling.trials == self.trials)
            }
        }
    }

    /// The points of `entry` that both grids have, as a grid of that algorithm alone; none where they share none.
    #[must_use]
    pub fn common(&self, entry: &'static Entry, other: &Self) -> Option<Self> {
        let machines = match (&self.machines, &other.machines) {
            (None, None) => None,
            (Some(own), Some(others)) => Some(own.common(others)?),
            _ => return None,
        };
        let mut common = Self {
            algorithms: vec![entry],
            axes: Axes::default(),
            machines,
            name: String::new(),
            sources: Values::one(1),
            trials: self.trials,
        };
        for (dimension, _) in self.dimensions(entry) {
            match dimension {
                Dimension::Axis(axis) => {
                    let [own, others] = [self, other].map(|grid| grid.axes[axis as usize].as_ref());
                    common.axes[axis as usize] = Some(own?.common(others?)?);
                }
                Dimension::Source => common.sources = self.sources.common(&other.sources)?,
                Dimension::Machine | Dimension::Bytes => {}
            }
        }
        let draws = matches!(entry.problem(), Problem::MeshMulticast | Problem::WormholeMulticast);
        (!draws || self.trials == other.trials).then_some(common)
    }

    /// The values with which no point of any algorithm makes sense, the one most to blame first.
    ///
    /// All that a value asks of the others is that they are large enough, or small enough, so it is enough to
    /// look at the ends of each dimension together with the ends of the others.
    #[must_use]
    pub fn useless_values(&self) -> Vec<Useless> {
        let mut tried: Vec<(Dimension, u64, Option<Error>)> = Vec::new();
        for entry in &self.algorithms {
            let dimensions = self.dimensions(entry);
            for (place, &(dimension, count)) in dimensions.iter().enumerate() {
                for end in [0, count.saturating_sub(1)] {
                    let (value, reason) = (self.value(dimension, end), self.senseless(entry, &dimensions, place, end));
                    match tried.iter_mut().find(|known| (known.0, known.1) == (dimension, value)) {
                        // Of use to one algorithm is of use.
                        Some(known) => known.2 = known.2.take().and(reason),
                        None => tried.push((dimension, value, reason)),
                    }
                }
            }
        }
        let useless = tried.into_iter().filter_map(|(dimension, value, reason)| Some((dimension, value, reason?)));
        let mut useless: Vec<_> = useless.collect();
        // Where nothing in the grid makes sense, the error knows which value is to blame.
        useless.sort_by_key(|(dimension, _, reason)| blamed(reason) != Some(*dimension));
        let told = |(dimension, value, reason): (Dimension, u64, Error)| Useless {
            dimension,
            value,
            reason: reason.to_string(),
        };
        useless.into_iter().map(told).collect()
    }

    /// Why no corner of the grid with this digit at this place makes sense, if none does.
    fn senseless(&self, entry: &Entry, dimensions: &[(Dimension, u64)], place: usize, digit: u64) -> Option<Error> {
        let mut reason = None;
        for corner in 0..1u32 << dimensions.len() {
            let number = dimensions.iter().enumerate().fold(0, |number, (other, &(_, count))| {
                let own = if corner >> other & 1 == 1 { count.saturating_sub(1) } else { 0 };
                number * count + if other == place { digit } else { own }
            });
            match self.cell(entry, dimensions, number, 0).point() {
                Ok(_) => return None,
                Err(error) => reason = Some(error),
            }
        }
        reason
    }

    /// Replaces an axis if the grid has it, and says whether it has.
    pub fn replace(&mut self, axis: Axis, values: &Values) -> bool {
        let own = &mut self.axes[axis as usize];
        if own.is_some() {
            *own = Some(values.clone());
        }
        own.is_some()
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
                let dimensions = grid.dimensions(entry);
                assert!(dimensions.len() <= super::MAX_DIMENSIONS);
                let mut cells: Vec<String> = Vec::new();
                for number in 0..count {
                    let cell = grid.cell(entry, &dimensions, number, 1);
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
