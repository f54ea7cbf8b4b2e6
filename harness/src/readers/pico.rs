//! CSV of PICO: a file for each cell, `COUNT_COLLECTIVE_ALGORITHM[_TYPE].csv`, with a line for each call in nanoseconds.
//!
//! A line has the slowest rank under the title `highest`, or a column for each rank. The first tenth of the calls is
//! left out: the caches are cold. COUNT is that of the whole vector.

use super::sheet::{Bytes, PartialKey, Sheet, Statistic, Unread, collective, lines, whole};

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
#[must_use]
pub fn recognizes(name: &str) -> bool {
    parse(name).is_some()
}

struct Name<'a> {
    count: u64,
    collective: &'static str,
    algorithm: &'a str,
    element: Option<u64>,
}

fn parse(name: &str) -> Option<Name<'_>> {
    let (count, rest) = name.strip_suffix(".csv")?.split_once('_')?;
    let cuts = rest.match_indices('_').map(|(at, _)| at);
    // `reduce_scatter_ring` is a reduce-scatter.
    let (collective, rest) = cuts.filter_map(|at| Some((collective(&rest[..at])?, &rest[at + 1..]))).next_back()?;
    let typed = rest
        .rsplit_once('_')
        .and_then(|(algorithm, name)| Some((algorithm, TYPES.iter().find(|(known, _)| *known == name)?.1)));
    let (algorithm, element) = typed.map_or((rest, None), |(algorithm, bytes)| (algorithm, Some(bytes)));
    Some(Name { count: count.parse().ok()?, collective, algorithm, element })
}

/// Reads a file of this name; `element` is the size of a type that the name does not say.
///
/// # Errors
/// A name of another form, a type of unknown size, a line without a number.
pub fn read(name: &str, text: &str, element: Option<u64>) -> Result<Sheet, Unread> {
    let refuse = |message: &str| Unread { line: None, message: message.to_owned() };
    let reason = "expected a name as 1024_allreduce_ring_ompi_int32.csv, which says count, collective and algorithm";
    let parsed = parse(name).ok_or_else(|| refuse(reason))?;
    let reason = "its name does not say how many bytes an element has; add --element, as in --element 4";
    let element = parsed.element.or(element).ok_or_else(|| refuse(reason))?;
    let bytes = parsed.count.checked_mul(element).ok_or_else(|| refuse("its size does not fit in 64 bits"))?;
    let cell = PartialKey {
        algorithm: Some(parsed.algorithm.to_owned()),
        ..PartialKey::new(Some(parsed.collective), Bytes::Vector(bytes), Statistic::Call)
    };
    let is_call = |(number, line): &(u64, &str)| *number > 1 && !line.is_empty() && !line.starts_with("->");
    let cold = lines(text).filter(is_call).count() / 10;
    let mut sheet = Sheet::default();
    for (number, line) in lines(text).filter(is_call).skip(cold) {
        let mut times = line.split(',').map(|field| field.trim().parse::<f64>().ok());
        let slowest = times.try_fold(0.0, |slowest: f64, time| Some(slowest.max(time?)));
        match slowest {
            None => return Err(Unread::at(number, "expected times in nanoseconds")),
            Some(ns) => match whole(ns) {
                Some(ns) => sheet.add(number, cell.clone(), ns, Some(1))?,
                None => sheet.skip(number, || "it has no time".to_owned())?,
            },
        }
    }
    Ok(sheet)
}
