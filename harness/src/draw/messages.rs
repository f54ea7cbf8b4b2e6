//! The messages of an execution over time: a line for those that begin and end together.

use std::collections::{BTreeMap, HashMap};

use algorithms::cost::Unit;
use algorithms::internals::execution::{Event, What};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm, fill};

use super::execution::{Drawing, Execution};
use super::timelines::Timelines;
use crate::base::units::{grouped, joined, plural};

/// Characters of a line.
const WIDTH: usize = 80;
/// Most messages that a line names, and most lines.
const MOST_MESSAGES: usize = 16;
const MOST_LINES: usize = 256;

/// Messages that are alike: what stands in the columns, and sender and receiver of each.
struct MessageLine {
    columns: Vec<String>,
    pairs: Vec<(u32, u32)>,
}

/// When messages begin, are received and are combined, and their size.
type Alike = [u64; 4];

/// Messages by time, and as a picture the timelines of the nodes.
pub fn drawing(execution: &Execution) -> Drawing<'_> {
    let timelines = Timelines::new(execution);
    let mut lines = timelines.letters().unwrap_or_default();
    lines.extend((!lines.is_empty()).then(String::new));
    let (titles, all) = table(execution);
    let printed = &all[..all.len().min(MOST_LINES)];
    let columns = printed.iter().map(|line| line.columns.clone());
    let columns = aligned(&Vec::from_iter([titles].into_iter().chain(columns)));
    lines.push(format!("{}messages", columns[0]));
    for (before, line) in columns[1..].iter().zip(printed) {
        lines.push(with_words(
            before,
            &words(&line.pairs, execution.stage.nodes),
        ));
    }
    lines.push(String::new());
    lines.extend(notes(execution, &all));
    timelines.drawing(lines)
}

/// The titles of the columns, without that of the messages, and the lines.
fn table(execution: &Execution) -> (Vec<String>, Vec<MessageLine>) {
    let stage = &execution.stage;
    let size = if stage.unit == Unit::Nanoseconds {
        "bytes"
    } else {
        "words"
    };
    let alike = alike(execution);
    let events = || alike.values().flatten();
    let has_item = events().any(|event| event.item > 0);
    let mut times = alike.keys();
    let has_work = times.any(|[_, received, combined, _]| combined > received);
    let has_size = events().any(|event| event.size > 0);
    let has_column = [true, true, has_work, has_item, has_size];
    let kept = |columns: [String; 5]| {
        columns
            .into_iter()
            .zip(has_column)
            .filter_map(|(column, is_kept)| is_kept.then_some(column))
            .collect()
    };
    let titles = ["begins", "received", "combined", stage.item, size].map(str::to_owned);
    (
        kept(titles),
        alike
            .iter()
            .map(|(times, events)| {
                let items = || events.iter().map(|event| event.item);
                let items = run((items().min().unwrap_or(0), items().max().unwrap_or(0)));
                let [begins, received, combined, size] = times.map(grouped);
                let label = |node| execution.label(node);
                let mut pairs: Vec<(u32, u32)> = events
                    .iter()
                    .map(|event| (label(event.peer), label(event.node)))
                    .collect();
                pairs.sort_unstable();
                let columns = kept([begins, received, combined, items, size]);
                MessageLine { columns, pairs }
            })
            .collect(),
    )
}

/// Rows of cells, each cell as wide as its column and on the right of it.
pub fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    rows.iter()
        .map(|row| {
            row.iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:>width$}  "))
                .collect()
        })
        .collect()
}

/// What a line names: a rule for all nodes, or the messages, with the number of those left out.
fn words(pairs: &[(u32, u32)], nodes: u32) -> String {
    if let Some([name, _]) = rule(pairs, nodes) {
        return name;
    }
    let shown = pairs
        .iter()
        .take(MOST_MESSAGES)
        .map(|(from, to)| format!("{from}>{to}"));
    let more = pairs.len().saturating_sub(MOST_MESSAGES);
    let more = (more > 0).then(|| format!("and\u{a0}{more}\u{a0}more"));
    joined(" ", shown.chain(more))
}

/// A line with these words behind its columns, broken where it is too wide.
fn with_words(before: &str, words: &str) -> String {
    let blank = " ".repeat(before.len());
    let options = Options::new(WIDTH)
        .initial_indent(before)
        .subsequent_indent(&blank)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit);
    fill(words, options).replace('\u{a0}', " ")
}

/// What the rules mean, and where what is left out can be found.
fn notes(execution: &Execution, all: &[MessageLine]) -> Vec<String> {
    let noun = execution.stage.hints.noun;
    let nodes = execution.stage.nodes;
    let printed = &all[..all.len().min(MOST_LINES)];
    let rules = || printed.iter().filter_map(|line| rule(&line.pairs, nodes));
    let mut notes = vec![format!("a>b: {noun} a sends to {noun} b")];
    let groups = execution.groups().into_iter();
    notes.extend(
        groups
            .filter_map(|(name, nodes)| {
                let plural = if nodes.len() == 1 { "" } else { "s" };
                let nodes = ranges(nodes.into_iter().map(|node| execution.label(node)));
                (!name.is_empty()).then(|| format!("{name}: {noun}{plural} {nodes}"))
            })
            .take(MOST_LINES),
    );
    for is_bits in [false, true] {
        let first = rules().find(|[name, _]| name.contains('^') == is_bits);
        notes.extend(
            first.map(|[name, receiver]| {
                format!("{name}: every {noun} r sends to {noun} {receiver}")
            }),
        );
    }
    let lines = (all.len() - printed.len()) as u64;
    if lines > 0
        || printed
            .iter()
            .any(|line| line.pairs.len() > MOST_MESSAGES && rule(&line.pairs, nodes).is_none())
    {
        let left = match lines {
            0 => String::new(),
            _ => format!("{} left out. ", plural(lines, "line")),
        };
        notes.push(format!(
            "{left}This table is for up to {MOST_MESSAGES} {noun}s. `castbench export csv` with the same options \
             writes every\nmessage; --html FILE plays up to 256 {noun}s; --view matrix counts messages."
        ));
    }
    notes
}

/// Ascending numbers as `0-3, 8`.
fn ranges(numbers: impl Iterator<Item = u32>) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    joined(", ", runs.into_iter().map(run))
}

/// A run of numbers, `8` or `0-3`.
fn run((first, last): (u32, u32)) -> String {
    if first == last {
        first.to_string()
    } else {
        format!("{first}-{last}")
    }
}

/// What is received, by what the messages have in common.
fn alike(execution: &Execution) -> BTreeMap<Alike, Vec<&Event>> {
    let work: HashMap<(u32, u64), u64> = execution
        .events_of(What::Compute)
        .map(|event| ((event.node, event.start), event.end))
        .collect();
    let sends = execution.messages();
    let mut alike: BTreeMap<Alike, Vec<&Event>> = BTreeMap::new();
    for event in execution.events_of(What::Receive) {
        let mut combined = event.end;
        while let Some(&end) = work
            .get(&(event.node, combined))
            .filter(|&&end| end > combined)
        {
            combined = end;
        }
        let begins = sends
            .get(event.transfer as usize)
            .map(|own| own.send)
            .unwrap_or_default()
            .start;
        let key = [begins, event.end, combined, event.size];
        alike.entry(key).or_default().push(event);
    }
    alike
}

/// The name of the rule that these messages follow, and the receiver of node r, if every one of the nodes sends one: to a
/// number at a distance, modulo all, or to the number that differs in some bits.
fn rule(pairs: &[(u32, u32)], nodes: u32) -> Option<[String; 2]> {
    if nodes < 4 || !pairs.iter().map(|pair| pair.0).eq(0..nodes) {
        return None;
    }
    let same = |of: &dyn Fn(u32, u32) -> u32| {
        let mut all = pairs.iter().map(|&(from, to)| of(from, to));
        let first = all.next()?;
        all.all(|own| own == first).then_some(first)
    };
    let up = same(&|from, to| (to + nodes - from) % nodes);
    up.map(|up| {
        if up <= nodes / 2 {
            ('+', up)
        } else {
            ('-', nodes - up)
        }
    })
    .map(|(sign, by)| {
        [
            format!("r>r{sign}{by}"),
            format!("r {sign} {by} modulo {nodes}"),
        ]
    })
    .or_else(|| {
        same(&|from, to| from ^ to).map(|bits| [format!("r>r^{bits}"), format!("r xor {bits}")])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_needs_every_node() {
        let all = |of: &dyn Fn(u32) -> u32| (0..8).map(|rank| (rank, of(rank))).collect::<Vec<_>>();
        let rule = |pairs: &[(u32, u32)]| rule(pairs, 8).map(|[name, _]| name);
        assert_eq!(rule(&all(&|rank| (rank + 1) % 8)).unwrap(), "r>r+1");
        assert_eq!(rule(&all(&|rank| (rank + 6) % 8)).unwrap(), "r>r-2");
        assert_eq!(rule(&all(&|rank| rank ^ 2)).unwrap(), "r>r^2");
        assert_eq!(rule(&all(&|rank| (rank + 4) % 8)).unwrap(), "r>r+4");
        assert_eq!(rule(&all(&|rank| 7 - rank)).unwrap(), "r>r^7");
        assert_eq!(rule(&all(&|rank| (3 * rank + 1) % 8)), None);
        assert_eq!(rule(&all(&|rank| (rank + 1) % 8)[..7]), None);
        assert_eq!(rule(&[]), None);
    }
}
