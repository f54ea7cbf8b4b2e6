//! Intel MPI's `I_MPI_ADJUST_*`: numbers of algorithms with the sizes and ranks for which they are, both ends included.
//!
//! The numbers are those of the versions 2019 to 2021.12. From 2021.13 on a number is a preset, so a file is for the versions it names.
//! castbench writes bytes of the operand, a block where there are blocks; Intel documents "message size" and no more.

use crate::libraries::{Call, Family, Function, Library, Numbered};

use super::shell::assignments;
use super::{
    Dialect, Effect, Finding, Range, Reading, Selected, Table, Written, commented, lines, short,
};

const PREFIX: &str = "I_MPI_ADJUST_";
/// The last size or number of ranks that is written.
const LARGEST: u64 = i32::MAX as u64;

/// The table as lines for a shell.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn write(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let mut text = commented(
        Dialect::Intel,
        table,
        &[
            "For Intel MPI 2019 to 2021.12: from 2021.13 on these numbers mean presets. 0 is its own choice.",
        ],
    );
    // The largest number has no end, so another end stays below it.
    let range = |[first, last]: Range| {
        format!(
            "{first}-{}",
            if last == u64::MAX {
                LARGEST
            } else {
                last.min(LARGEST - 1)
            }
        )
    };
    for function in table.functions() {
        let mut lines = lines(Dialect::Intel, table, function, &mut left)?;
        let is_beyond =
            |range: Range| range[1] != u64::MAX && range[1] >= LARGEST || range[0] >= LARGEST;
        for line in lines
            .iter()
            .filter(|line| is_beyond(line.bytes) || is_beyond(line.ranks))
        {
            let of = line.decision.name.as_deref().unwrap_or("its own choice");
            left.push(format!(
                "{}: {of} from {} B on, for sizes or ranks from {LARGEST} on: Intel MPI compares 31 bits",
                function.name, line.bytes[0]
            ));
        }
        lines.retain(|line| line.bytes[0] < LARGEST && line.ranks[0] < LARGEST);
        let parts: Vec<String> = lines
            .iter()
            .map(|line| {
                let number = line
                    .decision
                    .name
                    .as_ref()
                    .and_then(|name| name.split(' ').next())
                    .unwrap_or("0");
                format!("{number}:{}@{}", range(line.bytes), range(line.ranks))
            })
            .collect();
        if !parts.is_empty() {
            text += &format!(
                "export {PREFIX}{}=\"{}\"\n",
                short(function).to_uppercase(),
                parts.join(";")
            );
        }
    }
    Ok(Written { text, left })
}

/// The operations of Intel MPI; each also with `I` before it.
const OPERATIONS: [&str; 18] = [
    "ALLGATHER",
    "ALLGATHERV",
    "ALLREDUCE",
    "ALLTOALL",
    "ALLTOALLV",
    "ALLTOALLW",
    "BARRIER",
    "BCAST",
    "EXSCAN",
    "GATHER",
    "GATHERV",
    "REDUCE",
    "REDUCE_SCATTER",
    "REDUCE_SCATTER_BLOCK",
    "SCAN",
    "SCATTER",
    "SCATTERV",
    "NEIGHBOR_ALLTOALL",
];

/// What may stand behind an operation, for other settings of it.
const SETTINGS: [&str; 8] = [
    "_LIST",
    "_SEGMENT",
    "_KN_RADIX",
    "_KARY_RADIX",
    "_RADIX",
    "_NETWORK",
    "_NODE",
    "_COMPOSITION",
];

/// An algorithm and for which sizes and ranks it is; all where there are none.
struct Part {
    number: u64,
    fits: Vec<(Range, Range)>,
}

/// What a variable is: an operation's algorithms, another setting, or none that Intel MPI has.
fn judged(name: &str) -> Option<Finding> {
    let is_operation = |word: &str| {
        OPERATIONS
            .iter()
            .any(|known| word == *known || word.strip_prefix('I') == Some(known))
    };
    let setting = SETTINGS
        .iter()
        .find(|setting| name.strip_suffix(*setting).is_some_and(is_operation));
    match setting {
        _ if is_operation(name) => None,
        Some(_) => {
            let why = format!(
                "{PREFIX}{name} restricts or refines the choice; castbench reads only the algorithms"
            );
            Some(Finding::new("", Effect::Outside, why))
        }
        None => {
            let near = OPERATIONS
                .iter()
                .filter(|known| distance(known, name) <= 2)
                .min_by_key(|known| distance(known, name));
            let instead = near.map_or_else(String::new, |near| {
                format!("; did you mean {PREFIX}{near}?")
            });
            Some(Finding::new(
                "",
                Effect::Skips,
                format!("Intel MPI reads no variable {PREFIX}{name}{instead}"),
            ))
        }
    }
}

/// How many letters differ between two words.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 0..other.len() {
            let cost = diagonal + usize::from(letter != other[column]);
            diagonal = row[column + 1];
            row[column + 1] = cost.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// Reads lines for a shell, or of a file of variables.
pub fn read(text: &str, version: Library) -> Reading {
    let mut findings = Vec::new();
    let all = assignments(text, "I_MPI_ADJUST", '#', &mut findings);
    let mut parts: Vec<(String, usize, Vec<Part>)> = Vec::new();
    for assignment in &all {
        let name = assignment
            .name
            .strip_prefix(PREFIX)
            .unwrap_or(&assignment.name);
        if let Some(finding) = judged(name) {
            findings.push(Finding {
                place: format!("line {}", assignment.line + 1),
                ..finding
            });
            continue;
        }
        if let Some((_, line, _)) = parts.iter().find(|(own, ..)| own == name) {
            let why = format!(
                "{PREFIX}{name} is set again in line {}: the later value counts",
                assignment.line + 1
            );
            findings.push(Finding::line(*line, Effect::Skips, why));
        }
        let read: Result<Vec<Part>, _> = assignment
            .value
            .split(';')
            .filter(|part| !part.trim().is_empty())
            .map(Part::parse)
            .collect();
        match read {
            Ok(read) => {
                for part in read.iter().filter(|part| part.is_empty()) {
                    let why = format!(
                        "algorithm {}: the first of a range is above the last: no call fits",
                        part.number
                    );
                    findings.push(Finding::line(assignment.line, Effect::Skips, why));
                }
                for number in read.iter().filter_map(|part| part.unknown(name, version)) {
                    let why = format!(
                        "castbench knows no algorithm {number} of {}; it does not judge what runs",
                        name.to_lowercase()
                    );
                    findings.push(Finding::line(assignment.line, Effect::Outside, why));
                }
                parts.retain(|(own, ..)| own != name);
                parts.push((name.to_owned(), assignment.line, read));
            }
            Err(why) => findings.push(Finding::line(assignment.line, Effect::Unclear, why)),
        }
    }
    if all.is_empty() {
        return Reading::refused(vec![Finding::new(
            "the file",
            Effect::Unclear,
            format!("there is no line `{PREFIX}...=`"),
        )]);
    }
    let about = parts.iter().map(|(name, ..)| name.to_lowercase()).collect();
    let selects = Box::new(move |function: &Function, call: Call| {
        let name = short(function).to_uppercase();
        let own = parts.iter().find(|(own, ..)| *own == name);
        let Some(part) = own.and_then(|(_, _, parts)| parts.iter().find(|part| part.has(call)))
        else {
            return Selected::Own;
        };
        let number = part.number;
        let is_it = |known: &&&Numbered| u64::from(known.number) == number;
        let mut known = function.algorithms(Library::Intel2021).iter();
        match (number, version, known.find(is_it)) {
            (0, ..) => Selected::Own,
            (_, Library::Intel2021Presets, _) => Selected::Named(format!("preset {number}"), 0),
            (.., Some(known)) => Selected::Named(Dialect::Intel.word(function, known), 0),
            (.., None) => Selected::Named(format!("algorithm {number}"), 0),
        }
    });
    Reading {
        selects,
        findings,
        about,
    }
}

impl Part {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let refuse = || format!("`{text}`: expected a number and conditions, as 8:0-4096@2-64");
        let (number, fits) = text
            .split_once(':')
            .map_or((text, None), |(number, fits)| (number, Some(fits)));
        let range = |text: &str| {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            Some([first.trim().parse().ok()?, last.trim().parse().ok()?])
        };
        let one = |text: &str| match text.split_once('@') {
            Some((bytes, ranks)) => Some((range(bytes)?, range(ranks)?)),
            None => Some((range(text)?, [0, u64::MAX])),
        };
        let fits = fits
            .into_iter()
            .flat_map(|fits| fits.split(','))
            .map(|text| one(text).ok_or_else(refuse));
        Ok(Self {
            number: number.trim().parse().map_err(|_| refuse())?,
            fits: fits.collect::<Result<_, _>>()?,
        })
    }

    /// Its number, where castbench knows algorithms of the operation and not this one.
    fn unknown(&self, operation: &str, version: Library) -> Option<u64> {
        let mut rows = Family::Intel.rows().iter();
        let row = rows.find(|row| row.key().eq_ignore_ascii_case(operation))?;
        let is_judged = self.number > 0 && version == Library::Intel2021;
        (is_judged
            && !row
                .algorithms
                .iter()
                .any(|known| u64::from(known.number) == self.number))
        .then_some(self.number)
    }

    /// Whether a condition fits no call.
    fn is_empty(&self) -> bool {
        self.fits
            .iter()
            .any(|(bytes, ranks)| bytes[0] > bytes[1] || ranks[0] > ranks[1])
    }

    fn has(&self, call: Call) -> bool {
        let within =
            |[first, last]: Range, value: u64| first <= value && (value <= last || last == LARGEST);
        self.fits.is_empty()
            || self
                .fits
                .iter()
                .any(|&(bytes, ranks)| within(bytes, call.bytes) && within(ranks, call.K))
    }
}
