//! Text of the OSU micro-benchmarks (`c/util/osu_util_mpi.c` of 5.8 to 7.5).
//!
//! `Avg` is the mean over ranks of their means over calls, `Max` the largest of these means. A latency is half a round
//! trip. The sizes are those of MPI's arguments.

use super::lines::{foreign, lines};
use super::sheet::{
    Bytes, Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, collective, nanoseconds,
    plain, whole_number,
};

const BEGIN: &str = "# OSU ";

/// Columns with a time in microseconds, the best first.
const TIMES: [TimeColumns; 4] = [
    (&["Max Latency(us)"], Statistic::Slowest),
    (&["Avg Latency(us)"], Statistic::Mean),
    (&["Latency (us)"], Statistic::Mean),
    (&["Bandwidth (MB/s)"], Statistic::Bandwidth),
];

/// Whether a text is of these benchmarks.
pub fn recognizes(text: &str) -> bool {
    lines(text).any(|(_, line)| line.starts_with(BEGIN))
}

/// What is known of the rows that follow.
#[derive(Default)]
struct Test<'a> {
    /// `MPI-CUDA Broadcast Latency Test v7.5`.
    title: Option<&'a str>,
    datatype: Option<String>,
    table: Option<Header<'a>>,
}

/// Reads the tables.
///
/// # Errors
/// A row that is not as its header says.
pub fn read(text: &str) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let mut test = Test::default();
    for (number, line) in lines(text) {
        if let Some(title) = line.strip_prefix(BEGIN) {
            test = Test {
                title: Some(title),
                ..Test::default()
            };
        } else if let Some(name) = line.strip_prefix("# Datatype:") {
            test.datatype = plain(name.trim().trim_end_matches('.'));
            test.table = test.table.filter(|_| test.datatype.is_none());
        } else if let Some(header) = line.strip_prefix('#') {
            let names = header
                .split("  ")
                .map(str::trim)
                .filter(|name| !name.is_empty());
            let names: Vec<&str> = names.collect();
            let slowest = TIMES[0].0[0];
            let other = names
                .iter()
                .find(|name| name.starts_with("Max") && **name != slowest)
                .map(ToString::to_string);
            let Some(table) = Header::new(names, &TIMES) else {
                continue;
            };
            if let Some(other) = other {
                let reason = format!(
                    "the column `{other}` is not `{slowest}`, which states the slowest rank; is the header damaged?"
                );
                return Err(Unread::at(number, reason));
            }
            test.table = Some(table);
        } else if line.contains("DATA VALIDATION ERROR") {
            return Err(Unread::at(
                number,
                "the benchmark found wrong data, and does not mark the row; measure again",
            ));
        } else if let (Some(title), Some(table)) = (test.title, &test.table) {
            if line.starts_with(|sign: char| sign.is_ascii_digit()) {
                row(&mut sheet, (number, line), (title, &test.datatype), table)?
            } else {
                foreign(number, line, table.names.len())?
            }
        } else if test.title.is_some() && line.starts_with(|sign: char| sign.is_ascii_digit()) {
            sheet.skip(number, || {
                "no column is a latency or a bandwidth".to_owned()
            })?;
        }
    }
    Ok(sheet)
}

/// The backend and the collective in `MPI-CUDA Broadcast Latency Test v7.5`.
fn named(title: &str) -> Option<(Option<String>, &'static str)> {
    let (backend, words) = title.split_once(' ')?;
    let name = match words.split(" Test").next()?.trim() {
        "Latency" | "Bandwidth" => "pingpong",
        name => collective(
            name.strip_suffix(" Latency")?
                .trim_end_matches(" Personalized Exchange"),
        )?,
    };
    // One-sided tests are named after their function: `MPI_Put`.
    ["MPI", "NCCL", "RCCL", "HCCL", "XCCL"]
        .contains(&backend.split('-').next()?)
        .then(|| (plain(backend).filter(|backend| backend != "MPI"), name))
}

fn row(
    sheet: &mut Sheet,
    (number, line): (u64, &str),
    (title, datatype): (&str, &Option<String>),
    table: &Header<'_>,
) -> Result<(), Unread> {
    let word = table.row(number, line)?;
    let whole = |name| whole_number::<u64>(word(name), number, name);
    // A barrier has no size.
    let size = whole("Size")?.unwrap_or(0);
    let Some((backend, name)) = named(title) else {
        return sheet.skip(number, || {
            format!("`OSU {title}` is no test of a collective or of two ranks")
        });
    };
    if word("Validation").is_some_and(|verdict| verdict != "Pass") {
        return sheet.skip(number, || {
            format!("{size} bytes: the benchmark found wrong data (Validation)")
        });
    }
    let time = word(table.times[0]).unwrap_or_default();
    let ns = match table.statistic {
        // Megabytes a second are bytes a microsecond.
        Statistic::Bandwidth => time
            .parse::<f64>()
            .ok()
            .and_then(|rate| nanoseconds(&(size as f64 / rate).to_string(), 1e3)),
        _ => nanoseconds(time, 1e3),
    };
    let Some(ns) = ns else {
        return sheet.skip(number, || format!("`{time}` is no time"));
    };
    let ranks = (name == "pingpong").then_some(2);
    let datatype = datatype.clone();
    let cell = PartialKey {
        ranks,
        backend,
        datatype,
        ..PartialKey::new(Some(name), Bytes::of_osu(name, size), table.statistic)
    };
    sheet.add(number, cell, ns, whole("Iterations")?)
}
