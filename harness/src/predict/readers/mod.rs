//! Measured times from the outputs of benchmarks: a reader for each, one table of measurements.
//!
//! A reader is one file that gives a [`Sheet`]: times and what the file says of them. What it does not say, the caller
//! must: [`Stated`]. Nothing is guessed.

mod coltune;
mod imb;
pub mod lines;
mod nccl;
mod osu;
mod pico;
pub mod rate;
mod reprompi;
pub mod sheet;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective};

use crate::base::units::{is_name, joined};
use crate::predict::names;

/// A benchmark whose output is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Benchmark {
    /// Open MPI's collective tuning scripts: detail.out, and their runs.
    Coltune,
    /// OSU micro-benchmarks: text.
    Osu,
    /// Intel MPI Benchmarks: text of IMB-MPI1.
    Imb,
    /// nccl-tests: text or JSON.
    Nccl,
    /// ReproMPI: text.
    Reprompi,
    /// PICO: a CSV file for each cell.
    Pico,
}

impl Benchmark {
    /// All benchmarks.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().copied()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Coltune => "coltune",
            Self::Osu => "osu",
            Self::Imb => "imb",
            Self::Nccl => "nccl",
            Self::Reprompi => "reprompi",
            Self::Pico => "pico",
        }
    }

    /// The benchmark that wrote a file of this name.
    pub fn recognise(name: &str, text: &str) -> Option<Self> {
        Self::all().find(|benchmark| match benchmark {
            Self::Coltune => coltune::recognizes(name, text),
            Self::Osu => osu::recognizes(text),
            Self::Imb => imb::recognizes(text),
            Self::Nccl => nccl::recognizes(text),
            Self::Reprompi => reprompi::recognizes(text),
            Self::Pico => pico::recognizes(name),
        })
    }

    /// Reads a file of this name.
    ///
    /// # Errors
    /// The line that is wrong; a last line without its end.
    ///
    /// Cost: linear in the file. Memory: at most 64 MiB above its size.
    pub fn read(self, name: &str, text: &str, stated: &Stated) -> Result<Sheet, Unread> {
        if !text.trim_start().starts_with('{') {
            lines::check_end(text)?;
        }
        match self {
            Self::Coltune => coltune::read(name, text, stated.collective),
            Self::Osu => osu::read(text),
            Self::Imb => imb::read(text),
            Self::Nccl => nccl::read(text, stated.collective, stated.in_place),
            Self::Reprompi => reprompi::read(text, stated.ranks, stated.element),
            Self::Pico => pico::read(name, text, stated.element),
        }
    }
}

/// What the command line states of the files.
#[derive(Debug, Clone, Default, Args)]
pub struct Stated {
    /// The collective, as allreduce or `MPI_Allreduce`
    #[arg(long, value_name = "NAME", value_parser = parse_collective)]
    pub collective: Option<&'static str>,
    /// The algorithm that ran, as `default_ompi` or allreduce-ring
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub algorithm: Option<String>,
    /// The library that ran, as `Open MPI 4.1.4`
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub library: Option<String>,
    /// How many ranks took part
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub ranks: Option<u32>,
    /// How many nodes they were on
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub nodes: Option<u32>,
    /// How many ranks each node had, where a file has several numbers of ranks; the nodes of each number follow
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "nodes")]
    pub ranks_per_node: Option<u32>,
    /// Bytes of an element, where neither a file nor its name says them
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub element: Option<u64>,
    /// Take nccl-tests' times in place [default: out of place, where they are there]
    #[arg(long)]
    pub in_place: bool,
}

fn parse_collective(text: &str) -> Result<&'static str, String> {
    collective(text).ok_or_else(|| {
        "expected what a benchmark measures, as allreduce, reduce_scatter or pingpong".to_owned()
    })
}

fn parse_name(text: &str) -> Result<String, String> {
    let is_plain = is_name(text) && !text.contains(char::is_control);
    is_plain
        .then(|| text.to_owned())
        .ok_or_else(|| "expected a name of one line, as ring".to_owned())
}

/// What identifies a measurement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// How many nodes.
    pub nodes: u32,
    /// How many ranks.
    pub ranks: u32,
    /// The function of MPI, in small letters and without `MPI_`; `pingpong` is half a round trip of two ranks.
    pub collective: &'static str,
    /// Bytes of the whole vector.
    pub bytes: u64,
    /// The algorithm.
    pub algorithm: String,
    /// The library, where it is known.
    pub library: Option<String>,
    /// What each time is.
    pub statistic: Statistic,
    /// What measured it.
    pub benchmark: &'static str,
    /// What messages go through, if not plain MPI on host memory.
    pub backend: Option<String>,
    /// The type of an element, where it is known.
    pub datatype: Option<String>,
    /// The operation of a reduction, where it is known.
    pub operator: Option<String>,
    /// Whether the result replaces the operand, where it is known.
    pub in_place: Option<bool>,
    /// From 1: the number of the file among those that have the cell.
    pub run: u32,
}

impl Key {
    /// What tells it from the usual measurement of the algorithm, for people.
    pub fn variant(&self) -> String {
        let place = self
            .in_place
            .filter(|&is_in_place| is_in_place)
            .map(|_| "in place".to_owned());
        let run = (self.run > 1).then(|| format!("run {}", self.run));
        let all = [&self.backend, &self.datatype, &self.operator, &place, &run];
        joined(" ", all.into_iter().flatten().map(String::as_str))
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measurement {
    /// What was measured.
    pub key: Key,
    /// The median of its times.
    pub median_ns: u64,
    /// How many calls stand behind it, where every file says it.
    pub samples: Option<u64>,
}

/// The measurements of several files: a cell of several files has several runs.
#[derive(Debug, Default)]
pub struct Measurements {
    cells: BTreeMap<Key, (u64, Option<u64>)>,
}

impl Measurements {
    /// Adds the times of a file.
    ///
    /// # Errors
    /// What the file does not say and the caller neither; what both say differently.
    pub fn add(
        &mut self,
        benchmark: Benchmark,
        sheet: Sheet,
        stated: &Stated,
    ) -> Result<(), String> {
        for (cell, mut times) in sheet.cells {
            let mut key = key(benchmark, cell, stated)?;
            while self.cells.contains_key(&key) {
                key.run += 1;
            }
            self.cells.insert(key, (median(&mut times.ns), times.calls));
        }
        Ok(())
    }

    /// The rows, in order.
    pub fn rows(self) -> impl Iterator<Item = Measurement> {
        self.cells
            .into_iter()
            .map(|(key, (median_ns, samples))| Measurement {
                key,
                median_ns,
                samples,
            })
    }
}

/// The middle of some times; of an even number of them, the mean of the two in the middle, rounded down.
fn median(times: &mut [u64]) -> u64 {
    times.sort_unstable();
    let middle = |at: usize| times.get(at).copied().unwrap_or(0);
    match times.len() % 2 {
        1 => middle(times.len() / 2),
        _ => middle((times.len() / 2).saturating_sub(1)).midpoint(middle(times.len() / 2)),
    }
}

fn key(benchmark: Benchmark, cell: PartialKey, stated: &Stated) -> Result<Key, String> {
    fn one<T: PartialEq + std::fmt::Display>(
        file: Option<T>,
        stated: Option<T>,
        [option, what, example]: [&str; 3],
    ) -> Result<T, String> {
        match (file, stated) {
            (Some(file), Some(stated)) if file != stated => Err(format!(
                "its {what}: {file}, --{option}: {stated}; remove the option"
            )),
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => Err(format!(
                "it does not say its {what}; add --{option}, as in --{option} {example}"
            )),
        }
    }
    let collective = one(
        cell.collective,
        stated.collective,
        ["collective", "collective", "allreduce"],
    )?;
    if let Some(name) = &stated.algorithm
        && let Some(of) = names::another(collective, name)
    {
        return Err(format!(
            "--algorithm {name}: it is an algorithm of {of}, and the times are of {collective}; name what ran"
        ));
    }
    let ranks = one(cell.ranks, stated.ranks, ["ranks", "number of ranks", "64"])?;
    if let Some(each) = stated
        .ranks_per_node
        .filter(|&each| ranks > each && !ranks.is_multiple_of(each))
    {
        return Err(format!(
            "its {ranks} ranks are not on nodes of {each} each; give the number of nodes with --nodes"
        ));
    }
    let nodes = stated
        .ranks_per_node
        .map(|each| ranks.div_ceil(each))
        .or(stated.nodes);
    let nodes = one(cell.nodes, nodes, ["nodes", "number of nodes", "4"])?;
    if nodes == 0 || nodes > ranks {
        return Err(format!(
            "{nodes} nodes cannot have {ranks} ranks; give the nodes that took part with --nodes"
        ));
    }
    let bytes = match cell.bytes {
        Bytes::Vector(bytes) => Some(bytes),
        Bytes::Block(bytes) => bytes.checked_mul(ranks.into()),
    };
    Ok(Key {
        nodes,
        ranks,
        collective,
        bytes: bytes.ok_or("a size times the number of ranks does not fit in 64 bits")?,
        algorithm: one(
            cell.algorithm,
            stated.algorithm.clone(),
            ["algorithm", "algorithm", "default_ompi"],
        )?,
        library: match (cell.library, &stated.library) {
            (own, None) => own,
            (None, Some(stated)) => Some(stated.clone()),
            // RCCL's tests print its version as that of NCCL.
            (Some(own), Some(stated)) if names::is_of_gpus(&own) && names::is_of_gpus(stated) => {
                Some(stated.clone())
            }
            (own, stated) => one(
                own,
                stated.clone(),
                ["library", "library", "Open MPI 4.1.4"],
            )
            .map(Some)?,
        },
        statistic: cell.statistic,
        benchmark: benchmark.name(),
        backend: cell.backend,
        datatype: cell.datatype,
        operator: cell.operator,
        in_place: cell.in_place,
        run: 1,
    })
}
