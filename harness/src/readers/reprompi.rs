//! Text of ReproMPI (`output_management/results_output.c`): parameters as `#@key=value`, a header, a row for each call,
//! for each process of a call, or for each size.
//!
//! The sizes are those of MPI's arguments, times are in seconds.

use std::collections::BTreeMap;

use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, lines, nanoseconds};

/// Most calls whose processes have rows of their own.
const MAX_CALLS: usize = 1 << 18;

/// What rows state, the best first: columns, all needed, and what a time is.
const KINDS: [(&[&str], Statistic); 5] = [
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

struct Header<'a> {
    names: Vec<&'a str>,
    times: Vec<usize>,
    statistic: Statistic,
    is_local: bool,
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
            header = Some(columns(number, line)?);
        } else if let Some(header) = header.as_ref().filter(|_| !line.is_empty() && !line.starts_with('#')) {
            row(&mut sheet, &mut calls, (number, line), (ranks, element), header)?;
        }
    }
    let local = header.is_some_and(|header| header.is_local);
    for ((name, size, _), [from, to]) in calls {
        let ns = nanoseconds(&(if local { to } else { to - from }).to_string(), 1e9);
        match ns {
            Some(ns) => {
                let cell =
                    PartialKey { ranks, ..PartialKey::new(Some(name), Bytes::argument(name, size), Statistic::Call) };
                sheet.add(last, cell, ns, Some(1))?;
            }
            None => sheet.skip(last, || "a call ends before it begins".to_owned()),
        }
    }
    Ok(sheet)
}

fn columns(number: u64, line: &str) -> Result<Header<'_>, Unread> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let at = |wanted: &&str| names.iter().position(|name| name == wanted);
    let kind = KINDS.iter().find_map(|(wanted, statistic)| {
        let times: Vec<usize> = wanted.iter().map(at).collect::<Option<_>>()?;
        Some((times, *statistic, wanted[0].starts_with("loc")))
    });
    let Some((times, statistic, is_local)) = kind else {
        return Err(Unread::at(number, "expected a column of times: runtime_sec, median_sec, mean_sec or *_tend_sec"));
    };
    Ok(Header { names, times, statistic, is_local })
}

fn row(
    sheet: &mut Sheet,
    calls: &mut Calls,
    (number, line): (u64, &str),
    (ranks, element): (Option<u32>, u64),
    header: &Header<'_>,
) -> Result<(), Unread> {
    let words: Vec<&str> = line.split_whitespace().take(header.names.len() + 1).collect();
    if words.len() != header.names.len() {
        return Err(Unread::at(number, format!("expected {} columns, as the header has", header.names.len())));
    }
    let word = |wanted: &str| header.names.iter().position(|name| *name == wanted).map(|at| words[at]);
    let test = word("test").unwrap_or_default();
    let Some(name) = collective(test) else {
        sheet.skip(number, || format!("`{test}` is no collective"));
        return Ok(());
    };
    if word("errorcode").is_some_and(|code| code != "0") {
        sheet.skip(number, || "the call missed its window".to_owned());
        return Ok(());
    }
    let whole = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
    let size = whole(word("msize")).or_else(|| whole(word("count"))?.checked_mul(element));
    let size = size.ok_or_else(|| Unread::at(number, "expected a size in the column msize or count"))?;
    let times: Vec<f64> = header.times.iter().map(|&at| words[at].parse().unwrap_or(f64::NAN)).collect();
    if let (&[from, to], Some(repetition)) = (&times[..], whole(word("nrep"))) {
        let call = calls.entry((name, size, repetition)).or_insert([f64::INFINITY, f64::NEG_INFINITY]);
        // Clocks that are not synchronised give durations only.
        let end = if header.is_local { to - from } else { to };
        *call = [call[0].min(from), call[1].max(end)];
        return match calls.len() > MAX_CALLS {
            true => Err(Unread::at(number, format!("more than {MAX_CALLS} calls; split the file"))),
            false => Ok(()),
        };
    }
    let Some(ns) = times.first().and_then(|time| nanoseconds(&time.to_string(), 1e9)) else {
        sheet.skip(number, || "it has no time".to_owned());
        return Ok(());
    };
    let calls = whole(word("valid_nrep")).or_else(|| whole(word("total_nrep")));
    let calls = calls.or((header.statistic == Statistic::Call).then_some(1));
    let cell = PartialKey { ranks, ..PartialKey::new(Some(name), Bytes::argument(name, size), header.statistic) };
    sheet.add(number, cell, ns, calls)
}
