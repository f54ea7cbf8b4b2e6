//! The messages of an execution over time: a line for those that begin and end together.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use algorithms::cost::Unit;
use algorithms::internals::execution::{Event, What};

use super::execution::{Drawing, Execution, Svg};
use super::timelines::Timelines;
use crate::base::units::{grouped, plural};

/// Characters of a line.
const WIDTH: usize = 80;
/// Most messages that a line names, and most lines.
const MOST_MESSAGES: usize = 16;
const MOST_LINES: usize = 256;

/// Messages by time, and as a picture the timelines of the nodes.
pub struct Messages {
    timelines: Timelines,
    noun: &'static str,
    nodes: u32,
    /// Titles of the columns, without that of the messages.
    titles: Vec<String>,
    lines: Vec<MessageLine>,
    /// Which nodes stand together, a line each.
    groups: Vec<String>,
}

/// Messages that are alike: what stands in the columns, and sender and receiver of each.
struct MessageLine {
    columns: Vec<String>,
    pairs: Vec<(u32, u32)>,
}

/// When messages begin, are received and are combined, and their size.
type Alike = [u64; 4];

impl Messages {
    pub fn new(execution: Execution) -> Self {
        let stage = &execution.stage;
        let (noun, nodes, item) = (stage.hints.noun, stage.nodes, stage.item);
        let size = if stage.unit == Unit::Nanoseconds {
            "bytes"
        } else {
            "words"
        };
        let alike = alike(&execution);
        let events = || alike.values().flatten();
        let has_item = events().any(|event| event.item > 0);
        let has_work = alike
            .keys()
            .any(|[_, received, combined, _]| combined > received);
        let has_size = events().any(|event| event.size > 0);
        let has_column = [true, true, has_work, has_item, has_size];
        let kept = |columns: [String; 5]| {
            let kept = columns.into_iter().zip(has_column);
            kept.filter_map(|(column, is_kept)| is_kept.then_some(column))
                .collect()
        };
        let titles = ["begins", "received", "combined", item, size].map(str::to_owned);
        let line = |([begins, received, combined, size], events): (Alike, Vec<&Event>)| {
            let items = || events.iter().map(|event| event.item);
            let items = run((items().min().unwrap_or(0), items().max().unwrap_or(0)));
            let [begins, received, combined, size] =
                [begins, received, combined, size].map(grouped);
            let pair = |event: &&Event| (execution.label(event.peer), execution.label(event.node));
            let mut pairs: Vec<(u32, u32)> = events.iter().map(pair).collect();
            pairs.sort_unstable();
            let columns = kept([begins, received, combined, items, size]);
            MessageLine { columns, pairs }
        };
        let lines = alike.into_iter().map(line).collect();
        let groups = execution
            .groups()
            .into_iter()
            .filter(|(name, _)| !name.is_empty());
        let line = |(name, nodes): (String, Vec<u32>)| {
            let plural = if nodes.len() == 1 { "" } else { "s" };
            format!(
                "{name}: {noun}{plural} {}",
                ranges(nodes.into_iter().map(|node| execution.label(node)))
            )
        };
        let groups = groups.map(line);
        Self {
            groups: groups.collect(),
            noun,
            nodes,
            titles: kept(titles),
            lines,
            timelines: Timelines::new(execution),
        }
    }

    /// What a line names: a rule for all nodes, or the messages, with the number of those left out.
    fn words(&self, pairs: &[(u32, u32)]) -> Vec<String> {
        if let Some([name, _]) = rule(pairs, self.nodes) {
            return vec![name];
        }
        let shown = pairs.iter().take(MOST_MESSAGES);
        let mut words: Vec<String> = shown.map(|(from, to)| format!("{from}>{to}")).collect();
        if pairs.len() > MOST_MESSAGES {
            words.push(format!("and {} more", pairs.len() - MOST_MESSAGES));
        }
        words
    }

    /// What the rules mean, and where what is left out can be found.
    fn notes(&self) -> Vec<String> {
        let (noun, nodes) = (self.noun, self.nodes);
        let printed = &self.lines[..self.lines.len().min(MOST_LINES)];
        let rules = || printed.iter().filter_map(|line| rule(&line.pairs, nodes));
        let mut notes = vec![format!("a>b: {noun} a sends to {noun} b")];
        notes.extend(self.groups.iter().take(MOST_LINES).cloned());
        for is_bits in [false, true] {
            let first = rules().find(|[name, _]| name.contains('^') == is_bits);
            notes.extend(first.map(|[name, receiver]| {
                format!("{name}: every {noun} r sends to {noun} {receiver}")
            }));
        }
        let is_cut = |line: &MessageLine| {
            line.pairs.len() > MOST_MESSAGES && rule(&line.pairs, nodes).is_none()
        };
        let lines = self.lines.len().saturating_sub(MOST_LINES) as u64;
        if lines > 0 || printed.iter().any(is_cut) {
            let left = if lines > 0 {
                format!("{} left out. ", plural(lines, "line"))
            } else {
                String::new()
            };
            notes.push(format!(
                "{left}This table is for up to {MOST_MESSAGES} {noun}s. `castbench export csv` with the same options \
                 writes every\nmessage; --html FILE plays up to 256 {noun}s; --view matrix counts messages."
            ));
        }
        notes
    }
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
    runs.into_iter().map(run).collect::<Vec<_>>().join(", ")
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
    let work = execution.events_of(What::Compute);
    let work: HashMap<(u32, u64), u64> = work
        .map(|event| ((event.node, event.start), event.end))
        .collect();
    let begins = execution.events_of(What::Send);
    let begins: HashMap<u32, u64> = begins.map(|event| (event.transfer, event.start)).collect();
    let mut alike: BTreeMap<Alike, Vec<&Event>> = BTreeMap::new();
    for event in execution.events_of(What::Receive) {
        let mut combined = event.end;
        while let Some(&end) = work
            .get(&(event.node, combined))
            .filter(|&&end| end > combined)
        {
            combined = end;
        }
        let begins = begins.get(&event.transfer).copied().unwrap_or_default();
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
        let first = of(pairs[0].0, pairs[0].1);
        pairs
            .iter()
            .all(|&(from, to)| of(from, to) == first)
            .then_some(first)
    };
    let up = same(&|from, to| {
        if to >= from {
            to - from
        } else {
            nodes - (from - to)
        }
    });
    let shift = up.map(|up| {
        if up <= nodes / 2 {
            ('+', up)
        } else {
            ('-', nodes - up)
        }
    });
    let shift = shift.map(|(sign, by)| {
        [
            format!("r>r{sign}{by}"),
            format!("r {sign} {by} modulo {nodes}"),
        ]
    });
    shift.or_else(|| {
        same(&|from, to| from ^ to).map(|bits| [format!("r>r^{bits}"), format!("r xor {bits}")])
    })
}

impl Drawing for Messages {
    fn heading(&self) -> [String; 2] {
        self.timelines.heading()
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timelines.begin(f)?;
        let printed = &self.lines[..self.lines.len().min(MOST_LINES)];
        let width = |(column, title): (usize, &String)| {
            printed
                .iter()
                .map(|line| line.columns[column].len())
                .max()
                .unwrap_or(0)
                .max(title.len())
        };
        let widths: Vec<usize> = self.titles.iter().enumerate().map(width).collect();
        let row = |cells: &[String]| {
            let padded = cells
                .iter()
                .zip(&widths)
                .map(|(cell, width)| format!("{cell:>width$}  "));
            padded.collect::<String>()
        };
        let before = row(&self.titles);
        writeln!(f, "{before}messages")?;
        for line in printed {
            let mut text = row(&line.columns);
            let mut used = text.len();
            for (number, word) in self.words(&line.pairs).into_iter().enumerate() {
                let blank = match number {
                    0 => String::new(),
                    _ if used + word.len() < WIDTH => " ".to_owned(),
                    _ => format!("\n{}", " ".repeat(before.len())),
                };
                used = if blank.len() > 1 {
                    before.len()
                } else {
                    used + blank.len()
                } + word.len();
                text += &format!("{blank}{word}");
            }
            writeln!(f, "{text}")?;
        }
        writeln!(f)?;
        self.notes()
            .iter()
            .try_for_each(|note| writeln!(f, "{note}"))
    }

    fn too_large(&self) -> Option<String> {
        self.timelines.too_large()
    }

    fn to_svg(&self) -> Svg {
        self.timelines.to_svg()
    }
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
