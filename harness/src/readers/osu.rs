//! Text of the OSU micro-benchmarks (`c/util/osu_util_mpi.c` of 5.8 to 7.5).
//!
//! `Avg` is the mean over ranks of their means over calls, `Max` the largest of these means. A latency is half a round
//! trip. The sizes are those of MPI's arguments.

use super::sheet::{Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, collective, lines, nanoseconds, size};

const BEGIN: &str = "# OSU MPI";

/// Columns with a time in microseconds, the best first.
const TIMES: [TimeColumns; 4] = [
    (&["Max Latency(us)"], Statistic::Slowest),
    (&["Avg Latency(us)"], Statistic::Mean),
    (&["Latency (us)"], Statistic::Mean),
    (&["Bandwidth (MB/s)"], Statistic::Bandwidth),
];

/// Whether a text is of these benchmarks.
#[must_use]
pub fn recognizes(text: &str) -> bool {
    lines(text).any(|(_, line)| line.starts_with(BEGIN))
}

/// Reads the tables.
///
/// # Errors
/// A row that is not as its header says.
pub fn read(text: &str) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let (mut test, mut table) = (None, None);
    for (number, line) in lines(text) {
        if let Some(title) = line.strip_prefix(BEGIN) {
            (test, table) = (Some(title), None);
        } else if let Some(header) = line.strip_prefix('#') {
            let names = header.split("  ").map(str::trim).filter(|name| !name.is_empty());
            table = Header::new(names.collect(), &TIMES).or(table);
        } else if !line.starts_with(|sign: char| sign.is_ascii_digit()) {
            // Empty lines are inside of tables, other text ends them.
            table = table.filter(|_| line.is_empty());
        } else if let (Some(test), Some(table)) = (test, &table) {
            row(&mut sheet, (number, line), test, table)?;
        } else if test.is_some() {
            sheet.skip(number, || "no column is a latency or a bandwidth".to_owned())?;
        }
    }
    Ok(sheet)
}

/// The collective in `-CUDA Broadcast Latency Test v7.5`.
fn named(title: &str) -> Option<&'static str> {
    let words = title.split_once(' ')?.1;
    let name = words.split(" Test").next()?;
    match name.trim() {
        "Latency" | "Bandwidth" => Some("pingpong"),
        name => collective(name.strip_suffix(" Latency")?.trim_end_matches(" Personalized Exchange")),
    }
}

fn row(sheet: &mut Sheet, (number, line): (u64, &str), test: &str, table: &Header<'_>) -> Result<(), Unread> {
    let word = table.row(number, line)?;
    let size = size(word("Size"), number)?;
    let Some(name) = named(test) else {
        return sheet.skip(number, || format!("`OSU MPI{test}` is no test of a collective or of two ranks"));
    };
    let time = word(table.times[0]).unwrap_or_default();
    let ns = match table.statistic {
        // Megabytes a second are bytes a microsecond.
        Statistic::Bandwidth => {
            time.parse::<f64>().ok().and_then(|rate| nanoseconds(&(size as f64 / rate).to_string(), 1e3))
        }
        _ => nanoseconds(time, 1e3),
    };
    let Some(ns) = ns else { return sheet.skip(number, || format!("`{time}` is no time")) };
    let ranks = (name == "pingpong").then_some(2);
    let cell = PartialKey { ranks, ..PartialKey::argument(name, size, table.statistic) };
    sheet.add(number, cell, ns, word("Iterations").and_then(|calls| calls.parse().ok()))
}
