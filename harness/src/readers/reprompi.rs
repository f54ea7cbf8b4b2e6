//! Text of ReproMPI (`output_management/results_output.c`): parameters as `#@key=value`, a header, a row for each call,
//! for each process of a call, or for each size.
//!
//! The sizes are those of MPI's arguments, times are in seconds.

use std::collections::BTreeMap;

use super::sheet::{Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, collective, lines, nanoseconds};

/// Most calls whose processes have rows of their own.
const MAX_CALLS: usize = 1 << 18;

/// What rows state, the best first.
const TIMES: [TimeColumns; 5] = [
    (&["gl_tstart_sec", "gl_tend_sec"], Statistic::Call),
    (&["loc_tstart_sec", "loc_tend_sec"], Statistic::Call),
    (&["runtime_sec"], Statistic::Call),
    (&["median_sec"], Statistic::Call),
    (&["mean_sec"], Statistic::Mean),
];

/// Whether a text is of this benchmark.
#[must_use]
pub fn recognizes(text: &str) -> bool {
    let is_header = |line: &str| line.starts_with("test ") && line.contains("_sec") || line.starts_with("process ");
    lines(text).any(|(_, line)| line.starts_with("#@") || is_header(line))
}

/// The begin and the end of the processes of a call.
type Calls = BTreeMap<(&'static str, u64, u64), [f64; 2]>;

/// Whether the clocks of the processes are not synchronised, so that they give durations only.
fn is_local(header: &Header<'_>) -> bool {
    header.times[0].starts_with("loc")
}

/// Reads the rows.
///
/// # Errors
/// A row that is not as its header says, or a header without a time.
pub fn read(text: &str) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let mut calls = Calls::new();
    let (mut ranks, mut element) = (None, 1);
    let mut header: Option<Header<'_>> = None;
    let mut last = 0;
    for (number, line) in lines(text) {
        last = number;
        let first = line.split_whitespace().next().unwrap_or_default();
        if let Some((key, value)) = line.strip_prefix("#@").and_then(|line| line.split_once('=')) {
            match key {
                "nprocs" => ranks = value.trim().parse().ok(),
                "datatype_size_bytes" => element = value.trim().parse().unwrap_or(1),
                _ => {}
            }
        } else if first == "test" || first == "process" {
            let found = Header::new(line.split_whitespace().collect(), &TIMES);
            let expected = "expected a column of times: runtime_sec, median_sec, mean_sec or *_tend_sec";
            header = Some(found.ok_or_else(|| Unread::at(number, expected))?);
        } else if let Some(header) = header.as_ref().filter(|_| !line.is_empty() && !line.starts_with('#')) {
            row(&mut sheet, &mut calls, (number, line), (ranks, element), header)?;
        }
    }
    let local = header.as_ref().is_some_and(is_local);
    for ((name, size, _), [from, to]) in calls {
        let ns = nanoseconds(&(if local { to } else { to - from }).to_string(), 1e9);
        match ns {
            Some(ns) => {
                let cell = PartialKey { ranks, ..PartialKey::argument(name, size, Statistic::Call) };
                sheet.add(last, cell, ns, Some(1))?;
            }
            None => sheet.skip(last, || "a call ends before it begins".to_owned())?,
        }
    }
    Ok(sheet)
}

fn row(
    sheet: &mut Sheet,
    calls: &mut Calls,
    (number, line): (u64, &str),
    (ranks, element): (Option<u32>, u64),
    header: &Header<'_>,
) -> Result<(), Unread> {
    let word = header.row(number, line)?;
    let whole = |name: &str| word(name)?.parse::<u64>().ok();
    let test = word("test").unwrap_or_default();
    let Some(name) = collective(test) else {
        return sheet.skip(number, || format!("`{test}` is no collective"));
    };
    if word("errorcode").is_some_and(|code| code != "0") {
        return sheet.skip(number, || "the call missed its window".to_owned());
    }
    let size = whole("msize").or_else(|| whole("count")?.checked_mul(element));
    let size = size.ok_or_else(|| Unread::at(number, "expected a size in the column msize or count"))?;
    let time = |name: &&str| word(name).and_then(|word| word.parse().ok()).unwrap_or(f64::NAN);
    let times: Vec<f64> = header.times.iter().map(time).collect();
    if let (&[from, to], Some(repetition)) = (&times[..], whole("nrep")) {
        let call = calls.entry((name, size, repetition)).or_insert([f64::INFINITY, f64::NEG_INFINITY]);
        let end = if is_local(header) { to - from } else { to };
        *call = [call[0].min(from), call[1].max(end)];
        return match calls.len() > MAX_CALLS {
            true => Err(Unread::at(number, format!("more than {MAX_CALLS} calls; split the file"))),
            false => Ok(()),
        };
    }
    let Some(ns) = times.first().and_then(|time| nanoseconds(&time.to_string(), 1e9)) else {
        return sheet.skip(number, || "it has no time".to_owned());
    };
    let calls = whole("valid_nrep").or_else(|| whole("total_nrep"));
    let calls = calls.or((header.statistic == Statistic::Call).then_some(1));
    let cell = PartialKey { ranks, ..PartialKey::argument(name, size, header.statistic) };
    sheet.add(number, cell, ns, calls)
}
