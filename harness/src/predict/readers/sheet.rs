//! What a file of measured times says: cells and their times.

use std::collections::BTreeMap;
use std::str::FromStr;

/// Most cells of one file, so that no file fills the memory.
const MAX_CELLS: usize = 1 << 16;
/// Most times of one file.
const MAX_TIMES: usize = 1 << 21;

/// What one time of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Statistic {
    /// One call: the time of the slowest rank.
    Call,
    /// The mean over calls of the slowest rank.
    Slowest,
    /// The mean over calls and ranks.
    Mean,
    /// Bytes over the bandwidth of many messages under way.
    Bandwidth,
}

impl Statistic {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Slowest => "slowest-mean",
            Self::Mean => "mean",
            Self::Bandwidth => "bandwidth",
        }
    }
}

/// How a benchmark counts bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bytes {
    /// The whole vector.
    Vector(u64),
    /// The block of each rank.
    Block(u64),
}

impl Bytes {
    /// The bytes of MPI's argument: a block for collectives that move blocks.
    pub fn argument(collective: &str, bytes: u64) -> Self {
        let name = collective.strip_prefix('i').unwrap_or(collective);
        match name.strip_suffix(['v', 'w']).unwrap_or(name) {
            "allgather" | "alltoall" | "gather" | "scatter" | "reduce_scatter_block" => {
                Self::Block(bytes)
            }
            _ => Self::Vector(bytes),
        }
    }

    /// The size that the OSU micro-benchmarks print: of a reduce-scatter the vector, which they divide among the ranks.
    #[must_use]
    pub fn of_osu(collective: &str, bytes: u64) -> Self {
        match collective.contains("reduce_scatter") {
            true => Self::Vector(bytes),
            false => Self::argument(collective, bytes),
        }
    }
}

/// What a file says of a time; nothing where it does not say it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartialKey {
    /// The function of MPI, in small letters and without `MPI_`.
    pub collective: Option<&'static str>,
    /// The algorithm.
    pub algorithm: Option<String>,
    /// The library and its version.
    pub library: Option<String>,
    /// What the messages go through, if not plain MPI on host memory: `MPI-CUDA`, `NCCL-CUDA`.
    pub backend: Option<String>,
    /// The type of an element.
    pub datatype: Option<String>,
    /// The operation of a reduction.
    pub operator: Option<String>,
    /// Whether the result replaces the operand.
    pub in_place: Option<bool>,
    /// How many ranks took part.
    pub ranks: Option<u32>,
    /// How many hosts they were on.
    pub nodes: Option<u32>,
    /// The size.
    pub bytes: Bytes,
    /// What each time is.
    pub statistic: Statistic,
}

impl PartialKey {
    /// A cell of which only this is known.
    pub fn new(collective: Option<&'static str>, bytes: Bytes, statistic: Statistic) -> Self {
        let (algorithm, library, backend, datatype, operator) = (None, None, None, None, None);
        let (in_place, ranks, nodes) = (None, None, None);
        Self {
            collective,
            algorithm,
            library,
            backend,
            datatype,
            operator,
            in_place,
            ranks,
            nodes,
            bytes,
            statistic,
        }
    }

    /// A cell with the bytes of MPI's argument.
    pub fn argument(collective: &'static str, bytes: u64, statistic: Statistic) -> Self {
        Self::new(
            Some(collective),
            Bytes::argument(collective, bytes),
            statistic,
        )
    }
}

impl PartialKey {
    /// The collective and the bytes, for messages.
    fn shown(&self) -> String {
        let (Bytes::Vector(bytes) | Bytes::Block(bytes)) = self.bytes;
        format!(
            "{} of {bytes} bytes",
            self.collective.unwrap_or("the collective")
        )
    }
}

/// The times of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Times {
    /// In nanoseconds.
    pub ns: Vec<u64>,
    /// How many calls they are of, where the file says it.
    pub calls: Option<u64>,
    /// The line of the first; 0 where the file has no lines.
    line: u64,
}

/// The cells of a file.
#[derive(Debug, Default)]
pub struct Sheet {
    /// In order.
    pub cells: BTreeMap<PartialKey, Times>,
    times: usize,
    /// How many results are not taken, and why the first of them is not.
    pub skipped: (u64, Option<Unread>),
}

/// Why a file or a result is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// From 1; none where the file has no lines.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

impl Unread {
    /// A line that is wrong; 0 where the file has no lines.
    pub fn at(line: u64, message: impl Into<String>) -> Self {
        Self {
            line: Some(line).filter(|&line| line > 0),
            message: message.into(),
        }
    }
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.line
            .map_or(Ok(()), |line| write!(f, "line {line}: "))?;
        f.write_str(&self.message)
    }
}

impl Sheet {
    /// Adds the only time of a cell, of this many calls.
    ///
    /// # Errors
    /// A second time of the cell; more cells or times than castbench reads.
    pub fn add(
        &mut self,
        line: u64,
        cell: PartialKey,
        ns: u64,
        calls: Option<u64>,
    ) -> Result<(), Unread> {
        if let Some(first) = self.cells.get(&cell) {
            let at = if first.line > 0 {
                format!(", first in line {}", first.line)
            } else {
                String::new()
            };
            let of = first.ns.first().copied().unwrap_or(0);
            let message = format!(
                "{} has a second time, {ns} ns and {of} ns{at}: other runs or other ranks; write each run to a file of its own",
                cell.shown()
            );
            return Err(Unread::at(line, message));
        }
        self.call(line, cell, ns, calls)
    }

    /// Adds one of several times of a cell.
    ///
    /// # Errors
    /// More cells or times than castbench reads.
    pub fn call(
        &mut self,
        line: u64,
        cell: PartialKey,
        ns: u64,
        calls: Option<u64>,
    ) -> Result<(), Unread> {
        self.times += 1;
        let times = self.cells.entry(cell).or_insert_with(|| Times {
            line,
            ..Times::default()
        });
        times.ns.push(ns);
        times.calls = calls.map(|calls| times.calls.unwrap_or(0).saturating_add(calls));
        if self.cells.len() > MAX_CELLS || self.times > MAX_TIMES {
            let reason =
                format!("more than {MAX_CELLS} sizes or {MAX_TIMES} times; split the file");
            return Err(Unread::at(line, reason));
        }
        Ok(())
    }

    /// Counts a result that is not taken.
    ///
    /// # Errors
    /// None; the reader of a line returns what this returns.
    pub fn skip(&mut self, line: u64, reason: impl FnOnce() -> String) -> Result<(), Unread> {
        self.skipped.0 += 1;
        self.skipped
            .1
            .get_or_insert_with(|| Unread::at(line, reason()));
        Ok(())
    }
}

/// Columns with times, all needed, and what a time is.
pub type TimeColumns = (&'static [&'static str], Statistic);

/// The header of a table in a text.
#[derive(Debug)]
pub struct Header<'a> {
    /// The names of all columns.
    pub names: Vec<&'a str>,
    /// The columns with times.
    pub times: &'static [&'static str],
    /// What a time is.
    pub statistic: Statistic,
}

impl<'a> Header<'a> {
    /// A header with these names, and the first of some columns of times that it has.
    pub fn new(names: Vec<&'a str>, known: &[TimeColumns]) -> Option<Self> {
        let (times, statistic) = *known
            .iter()
            .find(|(times, _)| times.iter().all(|time| names.contains(time)))?;
        Some(Self {
            names,
            times,
            statistic,
        })
    }

    /// The words of a row, by the names of their columns.
    ///
    /// # Errors
    /// Another number of words than the header has, or a least time above a mean or the largest.
    pub fn row<'b>(
        &'b self,
        line: u64,
        text: &'b str,
    ) -> Result<impl Fn(&str) -> Option<&'b str>, Unread> {
        let words: Vec<&str> = text.split_whitespace().take(self.names.len() + 1).collect();
        let width = self.names.len();
        if words.len() != width {
            return Err(Unread::at(
                line,
                format!("expected {width} columns, as the header of the table has"),
            ));
        }
        let of = move |name: &str| {
            self.names
                .iter()
                .position(|own| *own == name)
                .map(|at| words[at])
        };
        for names in ORDERED {
            let values = names.map(|name| of(name).and_then(|word| word.parse::<f64>().ok()));
            if let [Some(least), Some(middle), Some(most)] = values
                && !(least <= middle && middle <= most)
            {
                let [least, middle, most] = names;
                return Err(Unread::at(
                    line,
                    format!("expected {least} <= {middle} <= {most}; the row is damaged"),
                ));
            }
        }
        Ok(of)
    }
}

/// Columns whose values grow.
const ORDERED: [[&str; 3]; 4] = [
    ["Min Latency(us)", "Avg Latency(us)", "Max Latency(us)"],
    ["t_min[usec]", "t_avg[usec]", "t_max[usec]"],
    ["min_sec", "median_sec", "max_sec"],
    ["min_sec", "mean_sec", "max_sec"],
];

/// Compares a time with the bandwidth beside it, in bytes a nanosecond, up to the digits that benchmarks print.
///
/// # Errors
/// Two that disagree: one of them has another unit than its column says, or is damaged.
pub fn check_rate(line: u64, bytes: u64, ns: u64, rate: f64, digit: f64) -> Result<(), Unread> {
    let [least, most] = [ns as f64 + 10.0, (ns as f64 - 10.0).max(1.0)].map(|ns| bytes as f64 / ns);
    if (0.9 * least - digit..=1.1 * most + digit).contains(&rate) || !rate.is_finite() {
        return Ok(());
    }
    let own = bytes as f64 / ns as f64;
    let message = format!(
        "{bytes} bytes in {ns} ns are {own:.3} GB/s, and the row says {rate:.3}, {:.3} times as much; its time is in another unit, \
         or the row is damaged",
        rate / own
    );
    Err(Unread::at(line, message))
}

/// A name from a file that a column can hold; none for others.
pub fn plain(name: &str) -> Option<String> {
    (!name.is_empty()
        && name.len() <= 64
        && !name.starts_with('-')
        && name.chars().all(|sign| {
            sign.is_ascii_alphanumeric() || b"_-.".contains(&u8::try_from(sign).unwrap_or(0))
        }))
    .then(|| name.to_owned())
}

/// The whole number in the column of this name; none without the column.
///
/// # Errors
/// A word that is no whole number.
pub fn whole_number<T: FromStr>(
    word: Option<&str>,
    line: u64,
    name: &str,
) -> Result<Option<T>, Unread> {
    let refuse = |word| format!("{name} is `{word}`; expected a whole number, as 1000");
    word.map(|word| word.parse().map_err(|_| Unread::at(line, refuse(word))))
        .transpose()
}

/// The tests and functions that are read, as tables name them.
const COLLECTIVES: [&str; 18] = [
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "pingpong",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "scatter",
    "scatterv",
];

/// The collective that a benchmark calls `Reduce_scatter`, `All-to-All` or `all_reduce_perf`; none for another test.
pub fn collective(name: &str) -> Option<&'static str> {
    fn plain(name: &str) -> impl Iterator<Item = u8> {
        name.bytes()
            .filter(|sign| !b"_- ".contains(sign))
            .map(|sign| sign.to_ascii_lowercase())
    }
    let wanted: Vec<u8> = plain(name).collect();
    let wanted = wanted.strip_prefix(b"mpi").unwrap_or(&wanted);
    let wanted = if wanted == b"broadcast" {
        b"bcast"
    } else {
        wanted
    };
    COLLECTIVES
        .into_iter()
        .find(|known| plain(known).eq(wanted.iter().copied()))
}

/// A time in nanoseconds, from a number of units of this length. None for other words and what is [no time](whole).
pub fn nanoseconds(text: &str, unit: f64) -> Option<u64> {
    whole(text.parse::<f64>().ok()? * unit)
}

/// A time in whole nanoseconds, at least 1. None for 0, what is no number, and more than 31 years.
pub fn whole(ns: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked, and rounded"
    )]
    let rounded = |ns: f64| (ns.round() as u64).max(1);
    (ns > 0.0 && ns < 1e18).then(|| rounded(ns))
}
