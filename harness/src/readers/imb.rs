//! Text of the Intel MPI Benchmarks, IMB-MPI1 (`src_c/IMB_output.c`).
//!
//! `t_max` is the mean over calls of the slowest rank. The time of `PingPong` is half a round trip. The sizes are those
//! of MPI's arguments.

use super::sheet::{Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, collective, lines, nanoseconds, size};

const BEGIN: &str = "# Benchmarking ";

/// Columns with a time in microseconds, the best first; some tables have none.
const TIMES: [TimeColumns; 3] =
    [(&["t_max[usec]"], Statistic::Slowest), (&["t[usec]"], Statistic::Mean), (&[], Statistic::Mean)];

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
    let (mut test, mut ranks, mut header) = ("", None, None);
    for (number, line) in lines(text) {
        if let Some(name) = line.strip_prefix(BEGIN) {
            (test, ranks, header) = (name.trim(), None, None);
        } else if let Some(count) = line.strip_prefix("# #processes = ") {
            ranks = count.split_whitespace().next().and_then(|count| count.parse().ok());
        } else if line.contains("#repetitions") {
            header = Header::new(line.split_whitespace().collect(), &TIMES);
        } else if !line.starts_with(|sign: char| sign.is_ascii_digit()) {
            header = None;
        } else if let Some(header) = &header {
            row(&mut sheet, (number, line), (test, ranks), header)?;
        }
    }
    Ok(sheet)
}

fn row(
    sheet: &mut Sheet,
    (number, line): (u64, &str),
    (test, ranks): (&str, Option<u32>),
    header: &Header<'_>,
) -> Result<(), Unread> {
    let name = collective(test).filter(|_| !header.names.contains(&"Group"));
    let (Some(name), Some(time)) = (name, header.times.first()) else {
        return sheet.skip(number, || format!("`{test}` is no test of one collective at a time, or of two ranks"));
    };
    if line.split_whitespace().any(|word| word.starts_with("time-out") || word.starts_with("int-overflow")) {
        return sheet.skip(number, || "the benchmark gave up".to_owned());
    }
    let word = header.row(number, line)?;
    let size = size(word("#bytes"), number)?;
    let time = word(time).unwrap_or_default();
    let Some(ns) = nanoseconds(time, 1e3) else { return sheet.skip(number, || format!("`{time}` is no time")) };
    let key = PartialKey { ranks, ..PartialKey::argument(name, size, header.statistic) };
    sheet.add(number, key, ns, word("#repetitions").and_then(|calls| calls.parse().ok()))
}
