//! Text of the Intel MPI Benchmarks, IMB-MPI1 (`src_c/IMB_output.c`).
//!
//! `t_max` is the mean over calls of the slowest rank. The time of `PingPong` is half a round trip. The sizes are those
//! of MPI's arguments.

use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, lines, nanoseconds};

const BEGIN: &str = "# Benchmarking ";

/// Columns with a time in microseconds, the best first.
const TIMES: [(&str, Statistic); 2] = [("t_max[usec]", Statistic::Slowest), ("t[usec]", Statistic::Mean)];

/// Whether a text is of these benchmarks.
#[must_use]
pub fn recognizes(text: &str) -> bool {
    lines(text).any(|(_, line)| line.starts_with(BEGIN) || line.contains("Intel(R) MPI Benchmarks"))
}

/// Reads the tables.
///
/// # Errors
/// A row that is not as its header says.
pub fn read(text: &str) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let (mut test, mut ranks) = ("", None);
    let mut header: Vec<&str> = Vec::new();
    for (number, line) in lines(text) {
        if let Some(name) = line.strip_prefix(BEGIN) {
            (test, ranks, header) = (name.trim(), None, Vec::new());
        } else if let Some(count) = line.strip_prefix("# #processes = ") {
            ranks = count.split_whitespace().next().and_then(|count| count.parse().ok());
        } else if line.contains("#repetitions") {
            header = line.split_whitespace().collect();
        } else if !line.starts_with(|sign: char| sign.is_ascii_digit()) {
            header.clear();
        } else if !header.is_empty() {
            row(&mut sheet, (number, line), (test, ranks), &header)?;
        }
    }
    Ok(sheet)
}

fn row(
    sheet: &mut Sheet,
    (number, line): (u64, &str),
    (test, ranks): (&str, Option<u32>),
    header: &[&str],
) -> Result<(), Unread> {
    let at = |wanted: &str| header.iter().position(|name| *name == wanted);
    let time = TIMES.iter().find_map(|(name, statistic)| Some((at(name)?, *statistic)));
    let (Some(name), Some((time, statistic)), None) = (collective(test), time, at("Group")) else {
        sheet.skip(number, || format!("`{test}` is no test of one collective at a time, or of two ranks"));
        return Ok(());
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.iter().any(|word| word.starts_with("time-out") || word.starts_with("int-overflow")) {
        sheet.skip(number, || "the benchmark gave up".to_owned());
        return Ok(());
    }
    if words.len() != header.len() {
        return Err(Unread::at(number, format!("expected {} columns, as the header of the table has", header.len())));
    }
    let size = at("#bytes").map_or(Ok(0), |size| words[size].parse());
    let size: u64 = size.map_err(|_| Unread::at(number, "expected a number of bytes"))?;
    let Some(ns) = nanoseconds(words[time], 1e3) else {
        sheet.skip(number, || format!("`{}` is no time", words[time]));
        return Ok(());
    };
    let calls = at("#repetitions").and_then(|calls| words[calls].parse().ok());
    let key = PartialKey { ranks, ..PartialKey::new(Some(name), Bytes::argument(name, size), statistic) };
    sheet.add(number, key, ns, calls)
}
