//! Text and JSON of nccl-tests (`src/common.cu`, `src/util.cu`), of RCCL's copy, and of versions before 2.13.
//!
//! A time is the mean over calls and ranks, or with times of each call (`-I 1 -J FILE`) their median. The sizes are those
//! of the whole vector. JSON keeps the whole environment of the run in `env`: no field here takes it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, lines, nanoseconds};

/// Whether a text is of these tests: JSON, a header, or a list of devices.
#[must_use]
pub fn recognizes(text: &str) -> bool {
    is_json(text)
        || lines(text).any(|(_, line)| {
            line.starts_with('#')
                && (line.contains("nccl-tests") || line.contains("algbw") || line.contains("Using devices"))
        })
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads a text or JSON: the times out of place, or those in place.
///
/// # Errors
/// A row with other columns; JSON that is no result of nccl-tests.
pub fn read(text: &str, in_place: bool) -> Result<Sheet, Unread> {
    if is_json(text) { json(text, in_place) } else { table(text, in_place) }
}

/// What a run says of itself.
#[derive(Default)]
struct Run {
    /// The name of the test, once it is known.
    test: Option<String>,
    library: Option<String>,
    ranks: BTreeSet<u32>,
    hosts: BTreeSet<String>,
    /// Whether there are several communicators, of numbers of ranks that are not stated.
    is_split: bool,
}

impl Run {
    fn device(&mut self, rank: u32, group: &str, host: &str) {
        self.ranks.insert(rank);
        self.hosts.insert(host.to_owned());
        self.is_split |= group != "0";
    }

    /// Adds a time; without one, and of other tests, the line is skipped.
    fn add(
        &self,
        sheet: &mut Sheet,
        line: u64,
        bytes: u64,
        time: Option<(u64, Statistic)>,
        calls: Option<u64>,
    ) -> Result<(), Unread> {
        let name = self.test.as_deref().map(|test| collective(test.trim_end_matches("_perf")));
        let (None | Some(Some(_)), Some((ns, statistic))) = (name, time) else {
            let test = self.test.as_deref().filter(|_| time.is_some());
            return sheet
                .skip(line, || test.map_or("it has no time".to_owned(), |test| format!("`{test}` is no collective")));
        };
        let known = |set: usize| u32::try_from(set).ok().filter(|&count| count > 0 && !self.is_split);
        let cell = PartialKey {
            library: self.library.clone(),
            ranks: known(self.ranks.len()),
            nodes: known(self.hosts.len()),
            ..PartialKey::new(name.flatten(), Bytes::Vector(bytes), statistic)
        };
        sheet.add(line, cell, ns, calls)
    }
}

/// `2.28.7`, from 22807.
fn version(number: u64) -> String {
    format!("nccl {}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

fn table(text: &str, in_place: bool) -> Result<Sheet, Unread> {
    let (mut sheet, mut run) = (Sheet::default(), Run::default());
    // How many columns of times a side has, and whether they are of the processor only.
    let (mut side, mut is_cpu) = (4, false);
    for (number, line) in lines(text) {
        let words: Vec<&str> = line.split_whitespace().take(64).collect();
        match words[..] {
            ["#", "nccl-tests", ..] => {
                let library = words.iter().find_map(|word| word.strip_prefix("nccl-library="));
                run.library = library.and_then(|library| library.parse().ok()).map(version);
            }
            ["#", "Collective", "test", "starting:", test, ..] => run.test = Some(test.to_owned()),
            ["#", "Using", "devices", ..] => {
                run.ranks.clear();
                run.hosts.clear();
            }
            ["#", "Rank", rank, ..] => {
                let after = |word: &str| words.iter().position(|own| *own == word).and_then(|at| words.get(at + 1));
                if let (Ok(rank), Some(host)) = (rank.parse(), after("on")) {
                    run.device(rank, after("Group").unwrap_or(&"0"), host);
                }
            }
            ["#", "size", ..] => {
                is_cpu = words.contains(&"cputime");
                side = if words.contains(&"i_min") { 8 } else { 4 };
            }
            [size, count, kind, ..] if !kind.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-') => {
                let (Ok(size), Ok(_)) = (size.parse(), count.parse::<u64>()) else { continue };
                let time = time(&words[3..], side, in_place).ok_or_else(|| {
                    Unread::at(number, "expected size, count, type, redop, root, and time, algbw, busbw, #wrong twice")
                })?;
                let time = nanoseconds(time, 1e3).filter(|_| !is_cpu).map(|ns| (ns, Statistic::Mean));
                run.add(&mut sheet, number, size, time, None)?;
            }
            _ => {}
        }
    }
    Ok(sheet)
}

/// The time in the words after the type, where older versions print no operation and no root, and a side may be blank.
fn time<'a>(words: &[&'a str], side: usize, in_place: bool) -> Option<&'a str> {
    let is_number = |word: &&str| *word == "N/A" || word.parse::<f64>().is_ok();
    let from = usize::from(words.first().is_some_and(|word| !is_number(word)));
    let numbers: Vec<&str> = words[from..].iter().copied().take_while(|word| is_number(word)).collect();
    let times = &numbers[numbers.len() % 4..];
    let is_whole = numbers.len() % 4 < 2 && (times.len() == side || times.len() == 2 * side);
    // A single side is the one in place.
    let at = if in_place { times.len().saturating_sub(side) } else { 0 };
    times.get(at).copied().filter(|_| is_whole)
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    nccl_version: Value,
    config: Config,
    results: Vec<MessageSize>,
}

#[derive(Deserialize)]
struct Config {
    iterations: Option<u64>,
    #[serde(default)]
    devices: Vec<Device>,
}

#[derive(Deserialize)]
struct Device {
    rank: u32,
    #[serde(default)]
    group: u32,
    hostname: String,
}

#[derive(Deserialize)]
struct MessageSize {
    size: u64,
    out_of_place: Option<Side>,
    in_place: Option<Side>,
    out_of_place_per_iter: Option<Calls>,
    in_place_per_iter: Option<Calls>,
    actual_iterations: Option<u64>,
}

/// A number that is not one is the text `nan`.
#[derive(Deserialize)]
struct Side {
    #[serde(default)]
    time: Value,
}

#[derive(Deserialize)]
struct Calls {
    #[serde(default)]
    p50_us: Value,
}

fn json(text: &str, in_place: bool) -> Result<Sheet, Unread> {
    let document: Document = serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => Unread::at(error.line() as u64, "the end is missing: the run was interrupted; run it again"),
        false => Unread::at(error.line() as u64, format!("no result of nccl-tests: {error}")),
    })?;
    let mut run = Run { test: test(&document.args), ..Run::default() };
    run.library = match &document.nccl_version {
        Value::Number(number) => number.as_u64().map(version),
        Value::String(text) => text.parse().ok().map(version),
        _ => None,
    };
    for Device { rank, group, hostname } in &document.config.devices {
        run.device(*rank, &group.to_string(), hostname);
    }
    let mut sheet = Sheet::default();
    for point in &document.results {
        let (side, calls) = match (in_place, &point.out_of_place) {
            (false, Some(side)) => (Some(side), &point.out_of_place_per_iter),
            _ => (point.in_place.as_ref(), &point.in_place_per_iter),
        };
        let ns = |value: &Value| nanoseconds(&value.as_f64()?.to_string(), 1e3);
        let median = calls.as_ref().and_then(|calls| ns(&calls.p50_us)).map(|ns| (ns, Statistic::Call));
        let time = median.or_else(|| Some((ns(&side?.time)?, Statistic::Mean)));
        run.add(&mut sheet, 0, point.size, time, point.actual_iterations.or(document.config.iterations))?;
    }
    Ok(sheet)
}

/// The program that was called.
fn test(args: &[String]) -> Option<String> {
    let program = args.first()?.rsplit('/').next()?;
    program.ends_with("_perf").then(|| program.to_owned())
}
