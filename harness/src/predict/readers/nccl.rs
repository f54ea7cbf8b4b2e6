//! Text and JSON of nccl-tests (`src/common.cu`, `src/util.cu`), of RCCL's copy, and of versions before 2.13.
//!
//! A time is the mean over calls and ranks, or with times of each call (`-I 1 -J FILE`) their median. The sizes are those
//! of the whole vector. JSON keeps the whole environment of the run in `env`: no field here takes it.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::lines::{foreign, lines};
use super::rate::through_ports;
use super::sheet::{
    Bytes, PartialKey, Sheet, Statistic, Unread, check_rate, collective, nanoseconds, plain,
};

/// Whether a text is of these tests: JSON, a header, or a list of devices.
pub fn recognizes(text: &str) -> bool {
    is_json(text)
        || lines(text).any(|(_, line)| {
            line.starts_with('#')
                && (line.contains("nccl-tests")
                    || line.contains("algbw")
                    || line.contains("Using devices"))
        })
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads a text or JSON: the times out of place, or those in place.
///
/// # Errors
/// A row with other columns; JSON that is no result of nccl-tests.
pub fn read(text: &str, stated: Option<&'static str>, in_place: bool) -> Result<Sheet, Unread> {
    if is_json(text) {
        json(text, in_place)
    } else {
        table(text, stated, in_place)
    }
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

    /// Compares a number of ranks with those that are listed, and the factor between the bandwidths that follows from it with the bandwidths.
    fn check_ranks(&self, ranks: u32, rates: [Option<f64>; 3]) -> Result<(), String> {
        if let Some(missing) = (0..ranks).find(|rank| !self.ranks.contains(rank)) {
            return Err(format!(
                "the list of devices has no rank {missing}; its line is damaged, measure again"
            ));
        }
        let [Some(factor), Some(rate), Some(bus_rate)] = rates else {
            return Ok(());
        };
        // Both have two digits after the point.
        let most = 0.006 * (1.0 + factor) + 1e-4 * rate;
        if (factor * rate - bus_rate).abs() > most {
            return Err(format!(
                "busbw is {bus_rate} and algbw {rate}; with the {ranks} ranks in the list of devices busbw is {:.2}: \
                 lines of the list are missing, measure again",
                factor * rate
            ));
        }
        Ok(())
    }

    /// Adds a time; without one, with wrong data, and of other tests, the line is skipped.
    fn add(&self, sheet: &mut Sheet, line: u64, point: Point<'_>) -> Result<(), Unread> {
        let Point {
            bytes,
            kind,
            operator,
            in_place,
            time,
            rate,
            bus_rate,
            is_wrong,
            calls,
        } = point;
        let name = self
            .test
            .as_deref()
            .map(|test| collective(test.trim_end_matches("_perf")));
        let (None | Some(Some(_)), Some((ns, statistic))) = (name, time) else {
            let test = self.test.as_deref().filter(|_| time.is_some());
            return sheet.skip(line, || {
                test.map_or_else(
                    || format!("{bytes} bytes have no time"),
                    |test| format!("`{test}` is no collective"),
                )
            });
        };
        if is_wrong {
            return sheet.skip(line, || {
                format!("{bytes} bytes: the benchmark found wrong data (#wrong)")
            });
        }
        if let (Some(rate), Statistic::Mean) = (rate, statistic) {
            check_rate(line, bytes, ns, rate, 0.1)?;
        }
        let known = |set: usize| {
            u32::try_from(set)
                .ok()
                .filter(|&count| count > 0 && !self.is_split)
        };
        let ranks = known(self.ranks.len());
        if let Some(ranks) = ranks {
            let name = name.flatten().unwrap_or_default();
            let factor = through_ports(name, ranks.into(), ranks.into(), 1, 1);
            self.check_ranks(ranks, [factor, rate, bus_rate])
                .map_err(|reason| Unread::at(line, reason))?;
        }
        let cell = PartialKey {
            library: self.library.clone(),
            datatype: plain(kind),
            operator: plain(operator).filter(|name| name != "none"),
            in_place: Some(in_place),
            ranks,
            nodes: known(self.hosts.len()),
            ..PartialKey::new(name.flatten(), Bytes::Vector(bytes), statistic)
        };
        sheet.add(line, cell, ns, calls)
    }
}

/// What a row says of one side.
struct Point<'a> {
    bytes: u64,
    kind: &'a str,
    operator: &'a str,
    in_place: bool,
    time: Option<(u64, Statistic)>,
    /// Gigabytes a second.
    rate: Option<f64>,
    /// Gigabytes a second through the link of a rank.
    bus_rate: Option<f64>,
    is_wrong: bool,
    calls: Option<u64>,
}

/// Before 2.13 a row has the largest error, which was wrong above this.
fn largest_error(kind: &str) -> f64 {
    match kind {
        "half" | "bfloat16" => 1e-2,
        "float" => 1e-5,
        "double" => 1e-12,
        _ => 0.0,
    }
}

/// `2.28.7`, from 22807.
fn version(number: u64) -> String {
    format!(
        "nccl {}.{}.{}",
        number / 10_000,
        number / 100 % 100,
        number % 100
    )
}

/// How the rows of a text are written.
struct Layout {
    /// How many columns of times a side has.
    side: usize,
    /// Whether the times are of the processor only.
    is_cpu: bool,
    /// Whether a row has the number of wrong elements, and not the largest error.
    counts_wrong: bool,
}

fn table(text: &str, stated: Option<&'static str>, in_place: bool) -> Result<Sheet, Unread> {
    let (mut sheet, mut run) = (Sheet::default(), Run::default());
    let mut layout = Layout {
        side: 4,
        is_cpu: false,
        counts_wrong: false,
    };
    let (mut is_table, mut skipped) = (false, 0);
    for (number, line) in lines(text) {
        let words: Vec<&str> = line.split_whitespace().take(64).collect();
        match words[..] {
            ["#", "nccl-tests", ..] => {
                let library = words
                    .iter()
                    .find_map(|word| word.strip_prefix("nccl-library="));
                run.library = library
                    .and_then(|library| library.parse().ok())
                    .map(version);
            }
            ["#", "Collective", "test", "starting:", test, ..] => run.test = Some(test.to_owned()),
            ["#", "Using", "devices", ..] => {
                run.ranks.clear();
                run.hosts.clear();
            }
            ["#", "Rank", rank, ..] => {
                let after = |word: &str| {
                    words
                        .iter()
                        .position(|own| *own == word)
                        .and_then(|at| words.get(at + 1))
                };
                if let (Ok(rank), Some(host)) = (rank.parse(), after("on")) {
                    run.device(rank, after("Group").unwrap_or(&"0"), host);
                }
            }
            ["#", "size", ..] => {
                let has = |name: &str| words.contains(&name);
                (is_table, skipped) = (true, sheet.skipped.0);
                let side = if has("i_min") { 8 } else { 4 };
                layout = Layout {
                    side,
                    is_cpu: has("cputime"),
                    counts_wrong: has("#wrong"),
                };
            }
            ["#", "Out", "of", "bounds", "values", ..]
                if words.contains(&"FAILED") && sheet.skipped.0 == skipped =>
            {
                let reason = "the benchmark found wrong data, and no row says which; measure again";
                return Err(Unread::at(number, reason));
            }
            ["#", ..] => {}
            [size, count, kind, ..]
                if size.parse::<u64>().is_ok()
                    && count.parse::<u64>().is_ok()
                    && kind.parse::<f64>().is_err() =>
            {
                let is_blank = line.trim().contains(BLANK);
                let point = point(&words, &layout, is_blank, in_place).ok_or_else(|| {
                    Unread::at(number, "expected size, count, type, redop, root, and time, algbw, busbw, #wrong twice; the row is cut or of another test")
                })?;
                let collective = stated.filter(|_| run.test.is_none());
                check_operator(number, collective, point.operator)?;
                run.add(&mut sheet, number, point)?;
                is_table = true;
            }
            _ if is_table => foreign(number, line, layout.side)?,
            _ => {}
        }
    }
    Ok(sheet)
}

/// Compares the operation of a row with the collective that the command line states, because older tests do not name theirs.
fn check_operator(line: u64, stated: Option<&str>, operator: &str) -> Result<(), Unread> {
    let Some(stated) = stated.filter(|_| !operator.is_empty()) else {
        return Ok(());
    };
    if stated.contains("reduce") == (operator != "none") {
        return Ok(());
    }
    let message = format!(
        "redop is `{operator}`, so this is no {stated}; write each test to a file, with its --collective"
    );
    Err(Unread::at(line, message))
}

/// What stands, at least, in place of the left side of a row that has only the right one.
const BLANK: &str = "                        ";

/// One side of a row: after the type, older versions print no operation and no root, and the left side may be blank. A row that ends
/// after its left side is cut.
fn point<'a>(
    words: &[&'a str],
    layout: &Layout,
    is_blank: bool,
    in_place: bool,
) -> Option<Point<'a>> {
    let Layout {
        side,
        is_cpu,
        counts_wrong,
    } = *layout;
    let is_number = |word: &&str| *word == "N/A" || word.parse::<f64>().is_ok();
    let (&[size, _, kind], words) = words.split_at_checked(3)? else {
        return None;
    };
    let operator = words
        .first()
        .filter(|word| !is_number(word))
        .copied()
        .unwrap_or_default();
    let numbers: Vec<&str> = words[usize::from(!operator.is_empty())..]
        .iter()
        .copied()
        .take_while(is_number)
        .collect();
    let times = &numbers[numbers.len() % 4..];
    let sides = if is_blank { 1 } else { 2 };
    if numbers.len() % 4 >= 2 || times.len() != sides * side {
        return None;
    }
    let in_place = in_place || is_blank;
    let own = if in_place {
        &times[times.len() - side..]
    } else {
        &times[..side]
    };
    let wrong = own[3].parse::<f64>().ok();
    let most = if counts_wrong {
        0.0
    } else {
        largest_error(kind)
    };
    Some(Point {
        bytes: size.parse().ok()?,
        kind,
        operator,
        in_place,
        time: nanoseconds(own[0], 1e3)
            .filter(|_| !is_cpu)
            .map(|ns| (ns, Statistic::Mean)),
        rate: own[1].parse().ok(),
        bus_rate: own[2].parse().ok(),
        is_wrong: wrong.is_some_and(|wrong| wrong > most || wrong.is_nan()),
        calls: None,
    })
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    nccl_version: Value,
    config: Config,
    results: Vec<MessageSize>,
    #[serde(default)]
    out_of_bounds: OutOfBounds,
}

#[derive(Default, Deserialize)]
struct OutOfBounds {
    #[serde(default)]
    okay: Value,
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
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    redop: String,
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
    #[serde(default)]
    alg_bw: Value,
    #[serde(default)]
    bus_bw: Value,
    #[serde(default)]
    nwrong: Value,
}

#[derive(Deserialize)]
struct Calls {
    #[serde(default)]
    p50_us: Value,
}

fn json(text: &str, in_place: bool) -> Result<Sheet, Unread> {
    let document: Document = serde_json::from_str(text).map_err(|error| {
        if error.is_eof() {
            Unread::at(
                error.line() as u64,
                "the end is missing: the run was interrupted; run it again",
            )
        } else {
            Unread::at(
                error.line() as u64,
                format!("no result of nccl-tests: {error}"),
            )
        }
    })?;
    let mut run = Run {
        test: test(&document.args),
        ..Run::default()
    };
    run.library = match &document.nccl_version {
        Value::Number(number) => number.as_u64().map(version),
        Value::String(text) => text.parse().ok().map(version),
        _ => None,
    };
    for Device {
        rank,
        group,
        hostname,
    } in &document.config.devices
    {
        run.device(*rank, &group.to_string(), hostname);
    }
    let mut sheet = Sheet::default();
    for point in &document.results {
        let (side, calls, in_place) = match (in_place, &point.out_of_place) {
            (false, Some(side)) => (Some(side), &point.out_of_place_per_iter, false),
            _ => (point.in_place.as_ref(), &point.in_place_per_iter, true),
        };
        let ns = |value: &Value| nanoseconds(&value.as_f64()?.to_string(), 1e3);
        let median = calls
            .as_ref()
            .and_then(|calls| ns(&calls.p50_us))
            .map(|ns| (ns, Statistic::Call));
        let point = Point {
            bytes: point.size,
            kind: &point.kind,
            operator: &point.redop,
            in_place,
            time: median.or_else(|| Some((ns(&side?.time)?, Statistic::Mean))),
            rate: side.and_then(|side| side.alg_bw.as_f64()),
            bus_rate: side.and_then(|side| side.bus_bw.as_f64()),
            is_wrong: side
                .is_some_and(|side| side.nwrong.as_f64().is_some_and(|wrong| wrong != 0.0)),
            calls: point.actual_iterations.or(document.config.iterations),
        };
        run.add(&mut sheet, 0, point)?;
    }
    if document.out_of_bounds.okay == Value::Bool(false) && sheet.skipped.0 == 0 {
        return Err(Unread::at(
            0,
            "the benchmark found wrong data, and no result says which; measure again",
        ));
    }
    Ok(sheet)
}

/// The program that was called.
fn test(args: &[String]) -> Option<String> {
    let program = args.first()?.rsplit('/').next()?;
    program.ends_with("_perf").then(|| program.to_owned())
}
