//! Text of the OSU micro-benchmarks (`c/util/osu_util_mpi.c` of 5.8 to 7.5).
//!
//! `Avg` is the mean over ranks of their means over calls, `Max` the largest of these means. A latency is half a round
//! trip. The sizes are those of MPI's arguments.

use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, lines, nanoseconds};

const BEGIN: &str = "# OSU MPI";

/// Columns with a time in microseconds, the best first.
const TIMES: [(&str, Statistic); 4] = [
    ("Max Latency(us)", Statistic::Slowest),
    ("Avg Latency(us)", Statistic::Mean),
    ("Latency (us)", Statistic::Mean),
    ("Bandwidth (MB/s)", Statistic::Bandwidth),
];

/// Whether a text is of these benchmarks.
#[must_use]
pub fn recognizes(text: &str) -> bool {
    lines(text).any(|(_, line)| line.starts_with(BEGIN))
}

/// The columns of a table.
struct Table {
    width: usize,
    size: Option<usize>,
    time: usize,
    statistic: Statistic,
    calls: Option<usize>,
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
            (test, table) = (Some((named(title), title)), None);
        } else if let Some(header) = line.strip_prefix('#') {
            table = columns(header).or(table);
        } else if !line.starts_with(|sign: char| sign.is_ascii_digit()) {
            // Empty lines are inside of tables, other text ends them.
            table = table.filter(|_| line.is_empty());
        } else if let (Some((name, title)), Some(table)) = (test, &table) {
            row(&mut sheet, (number, line), name.ok_or(title), table)?;
        } else if test.is_some() {
            sheet.skip(number, || "no column is a latency or a bandwidth".to_owned());
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

fn columns(header: &str) -> Option<Table> {
    let names: Vec<&str> = header.split("  ").map(str::trim).filter(|name| !name.is_empty()).collect();
    let at = |wanted: &str| names.iter().position(|name| *name == wanted);
    let (time, statistic) = TIMES.iter().find_map(|(name, statistic)| Some((at(name)?, *statistic)))?;
    Some(Table { width: names.len(), size: at("Size"), time, statistic, calls: at("Iterations") })
}

fn row(
    sheet: &mut Sheet,
    (number, line): (u64, &str),
    name: Result<&'static str, &str>,
    table: &Table,
) -> Result<(), Unread> {
    let words: Vec<&str> = line.split_whitespace().take(table.width + 1).collect();
    if words.len() != table.width {
        return Err(Unread::at(number, format!("expected {} columns, as the header of the table has", table.width)));
    }
    let size = table.size.map_or(Ok(0), |size| words[size].parse());
    let size: u64 = size.map_err(|_| Unread::at(number, "expected a size in bytes"))?;
    let name = match name {
        Ok(name) => name,
        Err(title) => {
            sheet.skip(number, || format!("`OSU MPI{title}` is no test of a collective or of two ranks"));
            return Ok(());
        }
    };
    let ns = match table.statistic {
        // Megabytes a second are bytes a microsecond.
        Statistic::Bandwidth => {
            words[table.time].parse::<f64>().ok().and_then(|rate| nanoseconds(&(size as f64 / rate).to_string(), 1e3))
        }
        _ => nanoseconds(words[table.time], 1e3),
    };
    let Some(ns) = ns else {
        sheet.skip(number, || format!("`{}` is no time", words[table.time]));
        return Ok(());
    };
    let mut cell = PartialKey::new(Some(name), Bytes::argument(name, size), table.statistic);
    cell.ranks = (name == "pingpong").then_some(2);
    sheet.add(number, cell, ns, table.calls.and_then(|calls| words[calls].parse().ok()))
}
