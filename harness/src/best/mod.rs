//! Which broadcast is best where: every algorithm of the catalogue with every segment size, over a plane of nodes and
//! message sizes; how far the next one and a library's own choice are behind, and how near the lower bound is.
//!
//! Times are analytic. The best one of each cell is executed as well, as far as that is cheap ([`MAX_DELIVERIES`]).

pub mod library;
pub mod map;
pub mod rules;

use algorithms::catalogue;
use algorithms::cost::{Agreement, Limits, Simulated};
use algorithms::error::Error;
use algorithms::logp::loggops::LogGops;
use algorithms::logp::pipeline::bounds::least_time;
use algorithms::logp::pipeline::problem::{PipelinedBroadcast, Point};
use algorithms::logp::pipeline::{Broadcast, Instance, Machine};
use algorithms::problem::{Entry, Problem as _};
use rayon::prelude::*;
use serde::Serialize;

use crate::failure::{Code, Failure};
use library::Library;

/// Most cells of a plane.
pub const MAX_CELLS: usize = 10_000;
/// Up to so many messages the best algorithm of a cell is executed.
pub const MAX_DELIVERIES: u64 = 100_000;
/// The least segment that is tried, in bytes; the others are twice as long each.
const LEAST_SEGMENT: u64 = 256;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Question {
    /// What the machine is called.
    pub machine: String,
    /// Its parameters.
    pub parameters: LogGops,
    /// Numbers of nodes, the source included.
    pub K: Vec<u64>,
    /// Message sizes.
    pub bytes: Vec<u64>,
    /// Ports of a node.
    pub ports: u64,
    /// The library whose choice is compared.
    pub against: Library,
    /// Whether only what that library has is tried.
    pub only: bool,
    /// A message is cut finer only where that saves more than so many percent of the time: a profile is not that exact.
    pub within_percent: u64,
}

/// An algorithm with a segment size, and its time.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// The algorithm.
    pub entry: Entry,
    /// Bytes of a segment; the whole message where it is not cut.
    pub segment: u64,
    /// Into how many the message is cut.
    pub segments: u64,
    /// How long it takes, ns.
    pub time: u64,
}

/// One number of nodes and one message size.
#[derive(Debug, Clone, Copy)]
pub struct Cell {
    /// Nodes, the source included.
    pub K: u64,
    /// Length of the message.
    pub bytes: u64,
    /// Nothing is faster than this, ns.
    pub lower_bound: u64,
    /// The fastest; of several the first in the catalogue, with the longest segments.
    pub best: Choice,
    /// The fastest of the others.
    pub runner_up: Option<Choice>,
    /// What the library chooses by itself.
    pub library: Option<Choice>,
    /// Whether the best was executed, too.
    pub executed: bool,
}

impl Cell {
    /// By which factor the next algorithm is slower.
    #[must_use]
    pub fn runner_up_over_best(&self) -> Option<f64> {
        self.runner_up.map(|choice| over(choice.time, self.best.time))
    }

    /// By which factor the library's choice is slower.
    #[must_use]
    pub fn library_over_best(&self) -> Option<f64> {
        self.library.map(|choice| over(choice.time, self.best.time))
    }
}

fn over(time: u64, best: u64) -> f64 {
    if time == best { 1.0 } else { time as f64 / best as f64 }
}

/// A row of the CSV: times in ns, sizes in bytes.
#[derive(Debug, Serialize)]
pub struct Row {
    machine: String,
    ports: u64,
    K_nodes: u64,
    bytes: u64,
    algorithm: &'static str,
    segment_bytes: u64,
    segments: u64,
    time_ns: u64,
    executed: bool,
    lower_bound_ns: u64,
    runner_up: Option<&'static str>,
    runner_up_segment_bytes: Option<u64>,
    runner_up_ns: Option<u64>,
    runner_up_over_best_f64: Option<f64>,
    library: &'static str,
    library_algorithm: Option<&'static str>,
    library_ns: Option<u64>,
    library_over_best_f64: Option<f64>,
}

impl Row {
    /// The row of a cell.
    #[must_use]
    pub fn of(question: &Question, cell: &Cell) -> Self {
        Self {
            machine: question.machine.clone(),
            ports: question.ports,
            K_nodes: cell.K,
            bytes: cell.bytes,
            algorithm: cell.best.entry.name,
            segment_bytes: cell.best.segment,
            segments: cell.best.segments,
            time_ns: cell.best.time,
            executed: cell.executed,
            lower_bound_ns: cell.lower_bound,
            runner_up: cell.runner_up.map(|choice| choice.entry.name),
            runner_up_segment_bytes: cell.runner_up.map(|choice| choice.segment),
            runner_up_ns: cell.runner_up.map(|choice| choice.time),
            runner_up_over_best_f64: cell.runner_up_over_best(),
            library: question.against.name(),
            library_algorithm: cell.library.map(|choice| choice.entry.name),
            library_ns: cell.library.map(|choice| choice.time),
            library_over_best_f64: cell.library_over_best(),
        }
    }
}

/// Answers in the order of K, then of bytes.
///
/// # Errors
/// Exit code 2 where a time does not fit in 64 bits, or nothing can be done at a cell; 5 where a best time is not the executed
/// one.
pub fn answer(question: &Question) -> Result<Vec<Cell>, Failure> {
    let plane: Vec<(u64, u64)> =
        question.K.iter().flat_map(|&K| question.bytes.iter().map(move |&bytes| (K, bytes))).collect();
    plane.into_par_iter().map(|(K, bytes)| question.cell(K, bytes)).collect()
}

impl Question {
    fn cell(&self, K: u64, bytes: u64) -> Result<Cell, Failure> {
        let refuse = |error: Error| Failure::usage(format_args!("K = {K}, {bytes} bytes: {error}"));
        let mut choices = Vec::new();
        for (entry, algorithm) in broadcasts() {
            if !self.only || self.against.has(entry.name) {
                choices.extend(self.fastest(entry, algorithm, K, bytes).map_err(refuse)?);
            }
        }
        // Stable: of those alike the first in the catalogue.
        choices.sort_by_key(|choice| choice.time);
        let nothing = || {
            Failure::usage(format_args!(
                "K = {K}, {bytes} bytes: nothing broadcasts that in a time that fits in 64 bits; ask for fewer nodes or bytes"
            ))
        };
        let best = *choices.first().ok_or_else(nothing)?;
        let runner_up = choices.get(1).copied();
        let library = self.against.default_of(K, bytes).map(|name| self.whole(name, K, bytes)).transpose();
        let library = library.map_err(refuse)?.flatten();
        let instance = Instance { K, n: bytes, k: self.ports, m: 1 };
        let lower_bound = self.bound(instance).map_err(refuse)?;
        let executed = self.execute(best, K, bytes)?;
        Ok(Cell { K, bytes, lower_bound, best, runner_up, library, executed })
    }

    fn machine(&self) -> Machine {
        Machine::LogGops(self.parameters)
    }

    /// A bound for every cut that is tried, blocks for each node among them.
    fn bound(&self, instance: Instance) -> Result<u64, Error> {
        cuts(instance.n)
            .chain([instance.K.min(instance.n)])
            .map(|m| least_time(self.machine(), Instance { m, ..instance }))
            .try_fold(u64::MAX, |least, time| match time {
                // Cut like that it takes longer than can be said.
                Err(Error::Overflow) => Ok(least),
                time => Ok(least.min(time?)),
            })
    }

    /// The best segment size of an algorithm: the longest whose time is within the percentage of the least. None where the
    /// algorithm does not apply.
    fn fastest(&self, entry: Entry, algorithm: &dyn Broadcast, K: u64, bytes: u64) -> Result<Option<Choice>, Error> {
        let mut choices: Vec<Choice> = Vec::new();
        for instance in self.instances(entry.name, K, bytes) {
            match algorithm.time(self.machine(), instance) {
                Ok(time) => {
                    let cut = instance.cut();
                    choices.push(Choice { entry, segment: cut.words, segments: cut.segments, time });
                }
                // What takes longer than can be said is not the best.
                Err(Error::Parameter { .. } | Error::Overflow) => {}
                Err(error) => return Err(error),
            }
        }
        let Some(least) = choices.iter().map(|choice| u128::from(choice.time)).min() else { return Ok(None) };
        let most = least * u128::from(100 + self.within_percent);
        Ok(choices.into_iter().find(|choice| u128::from(choice.time) * 100 <= most))
    }

    /// What an algorithm is tried with: the whole message, then shorter and shorter segments.
    fn instances(&self, name: &str, K: u64, bytes: u64) -> Vec<Instance> {
        let k = self.ports;
        if library::scatters(name) {
            // A block for each node, of one size each: at most K - 1 bytes more than there are.
            return bytes.div_ceil(K).checked_mul(K).map(|n| Instance { K, n, k, m: K }).into_iter().collect();
        }
        let of_whole = |instance: &Instance| !library::is_whole(name) || instance.m == 1;
        let of_library = |instance: &Instance| !self.only || of_whole(instance);
        cuts(bytes).map(|m| Instance { K, n: bytes, k, m }).filter(of_library).collect()
    }

    /// An algorithm by name as libraries do it by default, with the whole message in one piece; in halves where it is made of
    /// halves.
    fn whole(&self, name: &str, K: u64, bytes: u64) -> Result<Option<Choice>, Error> {
        let Some((entry, algorithm)) = broadcasts().find(|(entry, _)| entry.name == name) else { return Ok(None) };
        for instance in self.instances(name, K, bytes).into_iter().take(2) {
            match algorithm.time(self.machine(), instance) {
                Ok(time) => {
                    let cut = instance.cut();
                    return Ok(Some(Choice { entry, segment: cut.words, segments: cut.segments, time }));
                }
                Err(Error::Parameter { .. } | Error::Overflow) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Executes a choice, if that is cheap; whether it did.
    fn execute(&self, choice: Choice, K: u64, bytes: u64) -> Result<bool, Failure> {
        let instances = self.instances(choice.entry.name, K, bytes);
        let chosen = instances.into_iter().find(|instance| instance.cut().segments == choice.segments);
        let Some(instance) = chosen else { return Ok(false) };
        let limits = Limits { hops: MAX_DELIVERIES, ..Limits::default() };
        let Some(algorithm) = PipelinedBroadcast::find(choice.entry.name) else { return Ok(false) };
        let point = Point { machine: self.machine(), instance };
        let evaluation = PipelinedBroadcast::at(algorithm, point, &limits).map_err(Failure::usage)?;
        if evaluation.agreement() == Agreement::Differ {
            let explanation = format_args!(
                "{}, K = {K}, {bytes} bytes: analytic and simulated cost differ, which is a bug in castbench",
                choice.entry.name
            );
            return Err(Failure::new(Code::Disagreement, explanation));
        }
        Ok(matches!(evaluation.simulated, Simulated::Exact(_)))
    }
}

/// The broadcasts of the catalogue.
fn broadcasts() -> impl Iterator<Item = (Entry, &'static dyn Broadcast)> {
    PipelinedBroadcast::ENTRIES.iter().filter_map(|listed| Some((catalogue::find(listed.name)?, listed.algorithm)))
}

/// Into how many segments a message is cut: one, then as many as there are of each power of two of bytes, down to
/// [`LEAST_SEGMENT`].
fn cuts(bytes: u64) -> impl Iterator<Item = u64> {
    let longest = bytes.checked_next_power_of_two().unwrap_or(1 << 63) / 2;
    let sizes = std::iter::successors(Some(longest), |size| Some(size / 2)).take_while(|size| *size >= LEAST_SEGMENT);
    std::iter::once(1).chain(sizes.map(move |size| bytes.div_ceil(size)))
}
