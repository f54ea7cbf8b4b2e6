//! CSV of PICO: a file for each cell, `COUNT_COLLECTIVE_ALGORITHM[_TYPE].csv`, with a line for each call in nanoseconds.
//!
//! A line has the slowest rank under the title `highest`, or a column for each rank. The first tenth of the calls is
//! left out: the caches are cold. COUNT is that of the whole vector, in elements; some runs of NCCL count bytes.

use super::lines::lines;
use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, plain, whole};

/// Names of types at the end of a file's name, and their bytes.
const TYPES: [(&str, u64); 10] = [
    ("char", 1),
    ("int8", 1),
    ("int16", 2),
    ("int32", 4),
    ("int64", 8),
    ("int", 4),
    ("float", 4),
    ("double", 8),
    ("uint8", 1),
    ("half", 2),
];

/// Whether a file is one of PICO's.
pub fn recognizes(name: &str) -> bool {
    parse(name).is_some()
}

struct Name<'a> {
    count: u64,
    collective: &'static str,
    algorithm: &'a str,
    element: Option<u64>,
    datatype: Option<&'a str>,
}

fn parse(name: &str) -> Option<Name<'_>> {
    let (count, rest) = name.strip_suffix(".csv")?.split_once('_')?;
    let cuts = rest.match_indices('_').map(|(at, _)| at);
    // `reduce_scatter_ring` is a reduce-scatter.
    let (collective, rest) = cuts
        .filter_map(|at| Some((collective(&rest[..at])?, &rest[at + 1..])))
        .next_back()?;
    let (algorithm, datatype, element) = rest
        .rsplit_once('_')
        .and_then(|(algorithm, name)| {
            let (name, bytes) = TYPES.iter().find(|(known, _)| *known == name)?;
            Some((algorithm, *name, *bytes))
        })
        .map_or((rest, None, None), |(algorithm, name, bytes)| {
            (algorithm, Some(name), Some(bytes))
        });
    Some(Name {
        count: count.parse().ok()?,
        collective,
        algorithm,
        element,
        datatype,
    })
}

/// Reads a file of this name; `element` is the size of a type that the name does not say.
///
/// # Errors
/// A name of another form, a type of unknown size, a line without a number.
pub fn read(name: &str, text: &str, element: Option<u64>) -> Result<Sheet, Unread> {
    let refuse = |message: &str| Unread {
        line: None,
        message: message.to_owned(),
    };
    let reason = "expected a name as 1024_allreduce_ring_ompi_int32.csv, which says count, collective and algorithm";
    let parsed = parse(name).ok_or_else(|| refuse(reason))?;
    let reason =
        "its name does not say how many bytes an element has; add --element, as in --element 4";
    // Whether these count elements or bytes differs from run to run.
    let is_unsure = parsed
        .algorithm
        .split('_')
        .any(|word| ["nccl", "rccl"].contains(&word))
        && element.is_none();
    let element = element.or(parsed.element).filter(|_| !is_unsure).ok_or_else(|| {
        refuse(if is_unsure { "COUNT of a run of NCCL is in elements or in bytes; add --element, as in --element 1 for bytes" } else { reason })
    })?;
    let bytes = parsed
        .count
        .checked_mul(element)
        .ok_or_else(|| refuse("its size does not fit in 64 bits"))?;
    let cell = PartialKey {
        algorithm: Some(
            plain(parsed.algorithm)
                .ok_or_else(|| refuse("expected letters, digits, `_`, `-`, `.` in its name"))?,
        ),
        datatype: parsed.datatype.map(str::to_owned),
        ..PartialKey::new(
            Some(parsed.collective),
            Bytes::Vector(bytes),
            Statistic::Call,
        )
    };
    let mut all = lines(text).filter(|(_, line)| !line.is_empty() && !line.starts_with("->"));
    let title = all.next().map_or("", |(_, line)| line);
    if title
        .split(',')
        .all(|field| field.trim().parse::<f64>().is_ok())
    {
        return Err(Unread::at(
            1,
            "expected a title, as `highest`; the begin of the file is missing, or it is empty",
        ));
    }
    let titles: Vec<&str> = title.split(',').map(str::trim).collect();
    let highest = titles.iter().position(|title| *title == "highest");
    // Where each rank has a column, there are as many ranks.
    let ranks = titles.iter().filter(|title| title.starts_with("rank"));
    let cell = PartialKey {
        ranks: u32::try_from(ranks.count()).ok().filter(|&ranks| ranks > 0),
        ..cell
    };
    let (width, calls): (_, Vec<(u64, &str)>) = (titles.len(), all.collect());
    let mut sheet = Sheet::default();
    for (number, line) in calls.iter().skip(calls.len() / 10) {
        let times: Option<Vec<f64>> = line
            .split(',')
            .map(|field| field.trim().parse::<f64>().ok())
            .collect();
        let times = times.filter(|times| {
            times.len() == width && times.iter().all(|ns| ns.is_finite() && *ns >= 0.0)
        });
        let times = times.ok_or_else(|| {
            Unread::at(
                *number,
                format!("expected {width} times in nanoseconds, as the title has"),
            )
        })?;
        let own = highest.map(|highest| times[highest]);
        if let Some(own) = own.filter(|own| times.iter().any(|ns| ns > own)) {
            let message = format!("`highest` is {own}, and the time of a rank is longer");
            return Err(Unread::at(*number, message));
        }
        match whole(times.into_iter().fold(0.0, f64::max)) {
            Some(ns) => sheet.call(*number, cell.clone(), ns, Some(1))?,
            None => sheet.skip(*number, || "it has no time".to_owned())?,
        }
    }
    Ok(sheet)
}
