//! The CSV of NCCL's example tuner plugin, which RCCL reads too (`NCCL_TUNER_CONFIG_FILE`): the first line that fits counts.
//!
//! There is no header: NCCL would read it as a rule. For a call that no line fits, or whose line has -1 channels, the reader asks for one
//! channel; of 0 channels NCCL takes its own number. So a file cannot leave a call to NCCL whole: without a line NCCL takes its own
//! algorithm and protocol, on one channel. An unknown collective is an allreduce to the reader, an unknown algorithm a ring, and a line has
//! 255 bytes at most.

use std::collections::HashMap;

use crate::base::units::plural;
use crate::libraries::{Call, Family, Function, Numbered, Row, SIMPLE};

use super::{
    Dialect, Effect, Finding, MAX_LINES, Range, Reading, Selected, Table, Written, commented, lines,
};

/// The collectives that the reader knows.
fn rows() -> impl Iterator<Item = &'static Row> {
    Family::Nccl
        .rows()
        .iter()
        .filter(|row| !row.algorithms.is_empty())
}

/// The function of the reader's name for a collective.
fn function(name: &str) -> Option<&'static str> {
    rows().find(|row| row.key() == name).map(|row| row.name)
}

/// The reader's name for a function, if it has one.
fn collective(function: &Function) -> Option<String> {
    rows().find(|row| row.name == function.name).map(Row::key)
}

/// The most numbers of ranks of a decision, which has a line for each.
const MAX_RANKS: u64 = 4096;

/// The longest line that the reader takes whole.
const MAX_LINE: usize = 255;

/// The table as lines.
///
/// # Errors
/// The errors of [`Dialect::write`].
pub fn write(table: &Table) -> Result<Written, String> {
    let mut left = Vec::new();
    let mut count = 0;
    let usage = "Bytes as NCCL counts them: of all ranks for allgather and reducescatter. 0 channels are NCCL's own number. For a call \
                 that no line fits NCCL takes its own algorithm and protocol, on one channel.";
    // The file leaves no call to NCCL whole.
    let usual = "The library's own choice stays where nothing was asked,";
    let own = "There is no line for calls that were not asked,";
    let beside = format!("{own} and none for a number of ranks on which the fastest");
    let mut table = table.clone();
    for note in &mut table.notes {
        *note = note.replace(&format!("{usual} and where the fastest"), &beside);
        *note = note.replace(usual, own);
    }
    let table = &table;
    // The reader cuts longer lines, and reads the rest of a comment as a rule.
    let mut text: String = commented(Dialect::Nccl, table, &[usage])
        .lines()
        .map(|line| broken(line) + "\n")
        .collect();
    for function in table.functions() {
        let Some(collective) = collective(function) else {
            left.push(format!("{}: NCCL has no such collective", function.name));
            continue;
        };
        for line in lines(Dialect::Nccl, table, function, &mut left)? {
            let (Some(name), Some(take)) = (line.decision.name, line.decision.take) else {
                continue;
            };
            let protocol = take.protocol.unwrap_or(SIMPLE);
            // A line has one number of ranks, or any.
            let all: Vec<String> = match line.ranks {
                [0 | 1, u64::MAX] => vec!["-1".to_owned()],
                [first, last] if last - first < MAX_RANKS => {
                    (first..=last).map(|K| K.to_string()).collect()
                }
                [first, last] => {
                    left.push(format!(
                        "{} on {first} to {last} ranks: a line of NCCL has one number of ranks",
                        function.name
                    ));
                    continue;
                }
            };
            count += all.len();
            if count > MAX_LINES {
                let most = MAX_LINES;
                return Err(format!(
                    "a line of NCCL has one number of ranks: more than {most} lines; name fewer ranks or sizes"
                ));
            }
            for ranks in all {
                text += &format!(
                    "{collective},{},{},{name},{protocol},0,-1,{ranks}\n",
                    line.bytes[0], line.bytes[1]
                );
            }
        }
    }
    let written: Vec<Line> = text
        .lines()
        .filter_map(|line| Line::parse(line).ok())
        .collect();
    left.extend(throttled(&written));
    Ok(Written { text, left })
}

/// A comment in lines that the reader takes whole.
fn broken(comment: &str) -> String {
    let mut length = 0;
    let word = |word: &str| {
        let is_next = length + word.len() > MAX_LINE - 8;
        length = if is_next {
            word.len()
        } else {
            length + word.len()
        };
        if is_next {
            format!("\n# {word}")
        } else {
            word.to_owned()
        }
    };
    comment.split_inclusive(' ').map(word).collect()
}

/// A line of a file: no number for any.
struct Line {
    collective: &'static str,
    bytes: Range,
    algorithm: String,
    protocol: String,
    has_one_channel: bool,
    nodes: Option<u64>,
    ranks: Option<u64>,
}

/// A collective, and the numbers of nodes and ranks, where they matter.
type Calls = (&'static str, Option<u64>, Option<u64>);

/// Reads the file for calls with so many ranks on each node; what the reader would take for something else is unclear.
pub fn read(text: &str, node: u64) -> Reading {
    let mut findings = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    // For which calls there is a line before.
    let mut earlier: HashMap<Calls, Vec<Range>> = HashMap::new();
    for (number, raw) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    {
        let line = match Line::parse(raw) {
            Ok(line) if !line.exists() => {
                let why = format!(
                    "NCCL has no {} with {} for this collective, and the reader goes on to the next line that fits",
                    line.algorithm, line.protocol
                );
                findings.push(Finding::line(number, Effect::Skips, why));
                continue;
            }
            Ok(line) => line,
            Err((effect, why)) => {
                findings.push(Finding::line(number, effect, why));
                continue;
            }
        };
        let [first, last] = line.bytes;
        let covers = |nodes, ranks| {
            let ranges = earlier.get(&(line.collective, nodes, ranks));
            ranges.is_some_and(|ranges| {
                ranges
                    .iter()
                    .any(|range| range[0] <= first && last <= range[1])
            })
        };
        let (nodes, ranks) = (line.nodes, line.ranks);
        if first > last {
            let why = format!(
                "the first size, {first}, is above the last, {last}: no call fits; swap them"
            );
            findings.push(Finding::line(number, Effect::Skips, why));
        } else if covers(nodes, ranks)
            || covers(None, ranks)
            || covers(nodes, None)
            || covers(None, None)
        {
            let why = "a line above fits all of its calls, and the first that fits counts";
            findings.push(Finding::line(number, Effect::Skips, why));
        }
        let is_other =
            |nodes: &u64| ranks.is_some_and(|ranks| nodes.checked_mul(node) != Some(ranks));
        if let Some(nodes) = nodes.filter(is_other) {
            let why = format!(
                "nNodes = {nodes} with another nRanks: the calls here have {} on each node",
                plural(node, "rank")
            );
            findings.push(Finding::line(number, Effect::Outside, why));
        }
        earlier
            .entry((line.collective, nodes, ranks))
            .or_default()
            .push(line.bytes);
        lines.push(line);
    }
    if lines.is_empty() && findings.is_empty() {
        findings.push(Finding::new(
            "the file",
            Effect::Drops,
            "it has no line with a rule",
        ));
    }
    let mut about: Vec<String> = Vec::new();
    for row in rows() {
        if lines.iter().any(|line| line.collective == row.name) {
            about.push(row.key());
        }
    }
    let silent = |why| Finding::new("the file", Effect::Silent, why);
    if !lines.is_empty() {
        findings.extend(throttled(&lines).map(silent));
    }
    if lines.iter().any(|line| line.has_one_channel) {
        let why = "-1 channels are one channel to the reader; write 0 for NCCL's own number";
        findings.push(silent(why.to_owned()));
    }
    let selects = Box::new(move |function: &Function, call: Call| {
        let bytes = Dialect::Nccl.bytes(function, call);
        let fits = |line: &&Line| {
            let has = |wanted: Option<u64>, own| wanted.is_none_or(|wanted| wanted == own);
            let has_ranks = has(line.nodes, call.K.div_ceil(node)) && has(line.ranks, call.K);
            let has_size = (line.bytes[0]..=line.bytes[1]).contains(&bytes);
            line.collective == function.name && has_ranks && has_size
        };
        if collective(function).is_none() {
            return Selected::Own;
        }
        let line = lines.iter().find(fits);
        Selected::Named(line.map_or_else(|| "one channel".to_owned(), Line::name), 0)
    });
    Reading {
        selects,
        findings,
        about,
    }
}

/// What becomes of calls that no line fits.
fn throttled(lines: &[Line]) -> Option<String> {
    let slow: Vec<String> = rows()
        .filter(|row| !is_covered(row.name, lines))
        .map(Row::key)
        .collect();
    (!slow.is_empty()).then(|| {
        format!(
            "calls that no line fits get one channel, with NCCL's own algorithm and protocol; a line decides for all calls of {}",
            slow.join(", ")
        )
    })
}

/// Whether some line fits each call of a collective.
fn is_covered(collective: &str, lines: &[Line]) -> bool {
    let mut ranges: Vec<Range> = lines
        .iter()
        .filter(|line| line.collective == collective)
        .filter(|line| line.nodes.is_none() && line.ranks.is_none())
        .map(|line| line.bytes)
        .collect();
    ranges.sort_unstable();
    // The first size without a line.
    let mut next = Some(0);
    for [first, last] in ranges {
        if next.is_some_and(|next| first <= next && last >= next) {
            next = last.checked_add(1);
        }
    }
    next.is_none()
}

/// A number of nodes, ranks, operations or buffers; none for -1.
fn any_or(field: &str, name: &str) -> Result<Option<u64>, String> {
    match field {
        "-1" => Ok(None),
        _ => field
            .parse()
            .map(Some)
            .map_err(|_| format!("`{field}` is no {name}; write a number, or -1 for any")),
    }
}

impl Line {
    /// The algorithm, with a protocol that is not the first.
    fn name(&self) -> String {
        match self.protocol.as_str() {
            SIMPLE => self.algorithm.clone(),
            other => format!("{}_{other}", self.algorithm),
        }
    }

    /// Whether NCCL runs its algorithm with its protocol in its collective.
    fn exists(&self) -> bool {
        let mut own = rows().filter(|row| row.name == self.collective);
        own.any(|row| {
            row.algorithms
                .iter()
                .any(|known| known.name == self.algorithm)
        }) && Family::Nccl.runs(&self.algorithm, &self.protocol)
    }

    fn parse(line: &str) -> Result<Self, (Effect, String)> {
        let unclear = |why: String| (Effect::Unclear, why);
        if line.len() > MAX_LINE {
            return Err(unclear(format!(
                "it has {} bytes; the reader cuts it after {MAX_LINE}",
                line.len()
            )));
        }
        let fields: Vec<&str> = line
            .split(',')
            .map(|field| field.trim_matches([' ', '\t']))
            .collect();
        if fields.iter().filter(|field| !field.is_empty()).count() < 8 && fields.len() < 8 {
            let why = format!(
                "it has {} fields; the reader ignores a line with fewer than 8",
                fields.len()
            );
            return Err((Effect::Skips, why));
        }
        if let Some(empty) = fields.iter().position(|field| field.is_empty()) {
            return Err(unclear(format!(
                "field {} is empty: the reader leaves it out and shifts the fields behind it; write -1 for any",
                empty + 1
            )));
        }
        if fields.len() > 10 {
            return Err(unclear(format!(
                "it has {} fields; the reader takes 8 to 10",
                fields.len()
            )));
        }
        Self::of_fields(&fields).map_err(unclear)
    }

    fn of_fields(fields: &[&str]) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| format!("`{text}` is not a size; write bytes as a number"))
        };
        let collective = function(fields[0]).ok_or_else(|| {
            format!(
                "`{}` is an allreduce to the reader; it has no header",
                fields[0]
            )
        })?;
        let is = |known: &Numbered, field| known.name == field;
        let mut known = rows().flat_map(|row| &row.algorithms);
        if !known.any(|known| is(known, fields[3])) {
            return Err(format!(
                "the algorithm `{}` is a ring to the reader",
                fields[3]
            ));
        }
        let mut protocols = Family::Nccl.protocols().iter();
        if !protocols.any(|known| is(known, fields[4])) {
            return Err(format!(
                "the protocol `{}` is simple to the reader",
                fields[4]
            ));
        }
        let channels = any_or(fields[5], "number of channels")?;
        let (nodes, ranks) = (any_or(fields[6], "nNodes")?, any_or(fields[7], "nRanks")?);
        for (at, name) in [(8, "numPipeOps"), (9, "regBuff")] {
            let only = fields
                .get(at)
                .map_or(Ok(None), |field| any_or(field, name))?;
            if let Some(only) = only {
                return Err(format!(
                    "it is only for {name} = {only}, of which a call says nothing here; write -1"
                ));
            }
        }
        let bytes = [number(fields[1])?, number(fields[2])?];
        Ok(Self {
            collective,
            bytes,
            algorithm: fields[3].to_owned(),
            protocol: fields[4].to_owned(),
            has_one_channel: channels.is_none(),
            nodes,
            ranks,
        })
    }
}
