//! Text of ReproMPI (`output_management/results_output.c`): parameters as `#@key=value`, a header, a row for each call,
//! for each process of a call, or for each size.
//!
//! The sizes are those of MPI's arguments, times are in seconds.

use std::collections::{BTreeMap, BTreeSet};

use super::lines::lines;
use super::sheet::{
    Bytes, Header, PartialKey, Sheet, Statistic, TimeColumns, Unread, collective, nanoseconds,
    plain, whole_number,
};

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
pub fn recognizes(text: &str) -> bool {
    let is_header = |line: &str| {
        line.starts_with("test ") && line.contains("_sec") || line.starts_with("process ")
    };
    lines(text).any(|(_, line)| line.starts_with("#@") || is_header(line))
}

/// A call: the cell and the number of the repetition.
type Calls = BTreeMap<(PartialKey, u64), Call>;

struct Call {
    /// The line of its first row.
    line: u64,
    /// The begin and the end of its processes, in seconds.
    span: [f64; 2],
    processes: BTreeSet<Option<u64>>,
    /// Whether a process of it missed its window.
    is_missed: bool,
}

/// What is known of the rows that follow.
#[derive(Default)]
struct Run<'a> {
    ranks: Option<u32>,
    element: Option<u64>,
    datatype: Option<String>,
    operator: Option<String>,
    header: Option<Header<'a>>,
}

/// Reads the rows; `ranks` and `element`, the bytes of one, are those of a header that is cut.
///
/// # Errors
/// A row that is not as its header says, or a header without a time; a call twice, or with a part of its processes.
pub fn read(text: &str, ranks: Option<u32>, element: Option<u64>) -> Result<Sheet, Unread> {
    let mut sheet = Sheet::default();
    let mut calls = Calls::new();
    let mut run = Run {
        ranks,
        element,
        ..Run::default()
    };
    for (number, line) in lines(text) {
        let first = line.split_whitespace().next().unwrap_or_default();
        if let Some((key, value)) = line
            .strip_prefix("#@")
            .and_then(|line| line.split_once('='))
        {
            let value = value.trim();
            match key {
                "nprocs" => run.ranks = whole_number(Some(value), number, key)?,
                "datatype_size_bytes" => {
                    run.element = whole_number(Some(value), number, key)?;
                    if element.is_some_and(|stated| run.element != Some(stated)) {
                        return Err(Unread::at(
                            number,
                            "--element says another number; remove the option",
                        ));
                    }
                }
                "datatype" => run.datatype = plain(value),
                "operation" => run.operator = plain(value),
                _ => {}
            }
        } else if first == "test" || first == "process" {
            let found = Header::new(line.split_whitespace().collect(), &TIMES);
            let expected =
                "expected a column of times: runtime_sec, median_sec, mean_sec or *_tend_sec";
            run.header = Some(found.ok_or_else(|| Unread::at(number, expected))?);
        } else if let Some(header) = run
            .header
            .as_ref()
            .filter(|_| !line.is_empty() && !line.starts_with('#'))
        {
            row(&mut sheet, &mut calls, (number, line), &run, header)?;
        }
    }
    for (
        (cell, _),
        Call {
            line,
            span: [from, to],
            processes,
            is_missed,
        },
    ) in calls
    {
        // A row without a process is of the whole call.
        let whole = match cell.ranks {
            Some(ranks) if !processes.contains(&None) => ranks as usize,
            _ => processes.len(),
        };
        match nanoseconds(&(to - from).to_string(), 1e9) {
            _ if is_missed => {
                sheet.skip(line, || "a call missed its window (errorcode)".to_owned())?
            }
            _ if processes.len() != whole => {
                return Err(Unread::at(
                    line,
                    format!(
                        "a call has {} of {whole} processes; rows are missing",
                        processes.len()
                    ),
                ));
            }
            Some(ns) => sheet.call(line, cell, ns, Some(1))?,
            None => sheet.skip(line, || {
                "a call has no time, or ends before it begins".to_owned()
            })?,
        }
    }
    Ok(sheet)
}

fn row(
    sheet: &mut Sheet,
    calls: &mut Calls,
    (number, line): (u64, &str),
    run: &Run<'_>,
    header: &Header<'_>,
) -> Result<(), Unread> {
    let word = header.row(number, line)?;
    let whole = |name| whole_number::<u64>(word(name), number, name);
    let test = word("test").unwrap_or_default();
    let Some(name) = collective(test) else {
        return sheet.skip(number, || format!("`{test}` is no collective"));
    };
    let size = match (whole("msize")?, whole("count")?) {
        (None, Some(count)) => {
            let unknown = "nothing says how many bytes an element of its counts has; add --element, as in --element 4";
            let element = run.element.ok_or_else(|| Unread::at(number, unknown))?;
            count.checked_mul(element)
        }
        (size, _) => size,
    };
    let size =
        size.ok_or_else(|| Unread::at(number, "expected a size in the column msize or count"))?;
    let is_reduction = name.contains("reduce") || name.ends_with("scan");
    let bytes = match name.ends_with("reduce_scatter") {
        // Each rank receives this size.
        true => Bytes::Block(size),
        false => Bytes::argument(name, size),
    };
    let cell = PartialKey {
        ranks: run.ranks,
        datatype: run.datatype.clone(),
        operator: run.operator.clone().filter(|_| is_reduction),
        ..PartialKey::new(Some(name), bytes, header.statistic)
    };
    let time = |name: &&str| {
        word(name)
            .and_then(|word| word.parse().ok())
            .unwrap_or(f64::NAN)
    };
    let times: Vec<f64> = header.times.iter().map(time).collect();
    let is_missed = word("errorcode").is_some_and(|code| code != "0");
    if let Some(repetition) = whole("nrep")? {
        let (from, to) = match times[..] {
            // Without a common clock the processes give durations only.
            [from, to] if header.times[0].starts_with("loc") => (0.0, to - from),
            [from, to] => (from, to),
            _ => (0.0, times.first().copied().unwrap_or(f64::NAN)),
        };
        let span = [f64::INFINITY, f64::NEG_INFINITY];
        let new = || Call {
            line: number,
            span,
            processes: BTreeSet::new(),
            is_missed: false,
        };
        let call = calls.entry((cell, repetition)).or_insert_with(new);
        if !call.processes.insert(whole("process")?) {
            let message = format!(
                "repetition {repetition} of {name} is also in line {}; write each run to a file of its own",
                call.line
            );
            return Err(Unread::at(number, message));
        }
        // A sum keeps what is no number.
        call.span = if (from + to).is_nan() {
            [f64::NAN; 2]
        } else {
            [call.span[0].min(from), call.span[1].max(to)]
        };
        call.is_missed |= is_missed;
        return if calls.len() > MAX_CALLS {
            Err(Unread::at(
                number,
                format!("more than {MAX_CALLS} calls; split the file"),
            ))
        } else {
            Ok(())
        };
    }
    let Some(ns) = times
        .first()
        .and_then(|time| nanoseconds(&time.to_string(), 1e9))
    else {
        return sheet.skip(number, || "it has no time".to_owned());
    };
    let calls = whole("valid_nrep")?.or(whole("total_nrep")?);
    if calls == Some(0) {
        return sheet.skip(number, || "no call of it is valid (valid_nrep)".to_owned());
    }
    sheet.add(number, cell, ns, calls)
}
