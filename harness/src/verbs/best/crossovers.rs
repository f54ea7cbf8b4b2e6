//! What `best --along` finds, in sentences and as a figure: the ranges of the best algorithms over another axis.

use super::along::{Along, Line, Stretch, ports};
use super::columns::value;
use super::map;
use crate::base::units::{grouped, joined, plural, show_bytes, together};
use crate::draw::chart::Chart;
use crate::draw::chart::scale::Scale;
use crate::figures::map::{Cell, panel, signs};
use crate::figures::select::{is_bytes, short, title};
use crate::space::machine::PORTS;

/// Between algorithms that are best where those before them are not defined.
const ELSE: &str = " else ";

/// The most points that a sentence lists.
const MOST_LISTED: usize = 3;

impl Along<'_> {
    /// From where on which algorithm is the best for good, and where the best changes most often.
    pub(super) fn sentences(&self, lines: &[Line<'_>]) -> Vec<String> {
        let last = lines.iter().filter_map(|line| line.last());
        let of = |last: &Stretch<'_>| (last.case().best.name(), self.rule(last));
        let mut said: Vec<String> = together(last.map(|last| (of(last), last)))
            .into_iter()
            .map(|(of, all)| self.for_good(of, &all, lines.len()))
            .collect();
        let changes = |line: &Line<'_>| (line.len() as u64).saturating_sub(1);
        let most = lines.iter().map(changes).max().unwrap_or(0);
        let often: Vec<String> = lines
            .iter()
            .filter(|line| changes(line) == most)
            .filter_map(|line| Some(self.place(line.first()?)))
            .collect();
        let times = plural(most, "time");
        said.push(match lines {
            [_] => format!("The best changes {times}."),
            _ if often.len() == lines.len() => format!("The best changes {times} at each point."),
            _ => {
                let more = match often.len().saturating_sub(MOST_LISTED) {
                    0 => String::new(),
                    more => format!("; and {more} more"),
                };
                let often = often[..often.len().min(MOST_LISTED)].join("; ");
                format!("The best changes most often, {times}, at {often}{more}.")
            }
        });
        said
    }

    /// One sentence about lines with the same last stretch.
    fn for_good(
        &self,
        (best, rule): (&str, Option<String>),
        all: &[&Stretch<'_>],
        lines: usize,
    ) -> String {
        let rule = rule.map_or_else(String::new, |rule| format!("With {rule} ports "));
        let defined = if all.iter().all(|stretch| stretch.instead().count() == 0) {
            ""
        } else {
            ", where it is defined,"
        };
        let (from, to) = (
            |of: &Stretch<'_>| self.show(of.first),
            self.show(self.ends.1),
        );
        let points = format!(" at {} of {lines}", plural(all.len() as u64, "point"));
        let places = if lines == 1 { "" } else { &*points };
        // With nothing behind it, the last value shows no range.
        if self.ends.0 < self.ends.1 && all.iter().all(|stretch| stretch.first == self.ends.1) {
            return format!("{rule}{best} is the best at {to}{places}, but not just below it.");
        }
        let at = |of: &Stretch<'_>| format!("{} ({})", from(of), self.place(of));
        let earliest = all.iter().min_by_key(|stretch| stretch.first);
        let latest = all.iter().max_by_key(|stretch| stretch.first);
        let range = match earliest.zip(latest) {
            Some((one, other)) if one.first < other.first => {
                let places = if all.len() == lines {
                    ""
                } else {
                    &*format!(",{points}")
                };
                format!("from between {} and {} on{places}", at(one), at(other))
            }
            ends => {
                let first = ends.map_or_else(String::new, |(one, _)| from(one));
                format!("from {first} on{places}")
            }
        };
        format!("{rule}{best} is the best for good{defined} {range}, up to {to}.")
    }

    /// The rule of ports, where it is the same at all points.
    fn rule(&self, stretch: &Stretch<'_>) -> Option<String> {
        let axes = self.question.problem.axes;
        let is_one = self
            .question
            .several()
            .iter()
            .all(|index| axes[*index].key != PORTS);
        ports(stretch.case()).filter(|_| is_one)
    }

    /// The values of the other axes that have several.
    fn place(&self, stretch: &Stretch<'_>) -> String {
        let axes = self.question.problem.axes;
        let of = |index: usize| {
            let value = value(&stretch.case().at, index);
            format!("{} = {value}", axes[index].key)
        };
        joined(", ", self.question.several().into_iter().map(of))
    }

    fn show(&self, x: u64) -> String {
        if self.is_bytes() {
            show_bytes(x)
        } else {
            format!("{} = {}", self.key(), grouped(x))
        }
    }

    fn is_bytes(&self) -> bool {
        let axis = &self.question.problem.axes[self.index];
        is_bytes(axis, map::on_machine(self.question))
    }

    /// The figure of lines over the axis `other`.
    pub(super) fn chart(&self, other: usize, lines: &[Line<'_>], facts: Vec<String>) -> Chart {
        let question = self.question;
        let (from, to) = self.ends;
        let is_log = from > 0 && to / from >= 8;
        let half = if is_log { 0.0 } else { 0.5 };
        let ends = [from as f64 - half, to as f64 + half];
        let scale = Scale::whole(ends, is_log, self.is_bytes());
        let titled = title(
            &question.problem.axes[self.index],
            map::on_machine(question),
        );
        let y = scale.titled(if is_log {
            format!("{titled}, log scale")
        } else {
            titled
        });
        let along = map::line(question, other);
        let stretches = || {
            (0..)
                .zip(lines)
                .flat_map(|(line, all)| all.iter().map(move |own| (line, own)))
        };
        let cells: Vec<Cell> = stretches()
            .map(|(line, own)| Cell {
                at: (line as u64, own.first),
                best: std::iter::once(own.case().best.name())
                    .chain(own.instead().map(|(name, _)| name))
                    .collect(),
                over: None,
            })
            .collect();
        let names = || question.space.algorithms.iter().map(|entry| entry.name);
        let looks = signs(
            &cells,
            names(),
            |name| short(name, names()).to_owned(),
            ELSE,
        );
        let partial = "else: the best where those before it are not defined.".to_owned();
        let partial = Some(partial).filter(|_| !looks.2.is_empty());
        let area = |(line, own): (usize, &Stretch<'_>)| {
            let end = match (is_log, own.last == to) {
                (true, false) => own.last + 1,
                _ => own.last,
            };
            let up = [own.first as f64 - half, end as f64 + half];
            [along.cell(along.values[line]), up]
        };
        let axes = [along.axis.clone(), y];
        let panel = panel(None, axes, stretches().map(area), looks);
        Chart {
            title: format!(
                "{}: the best by {} and {}",
                question.problem.title,
                question.problem.axes[other].key,
                self.key()
            ),
            subtitle: map::subtitle(question, self.key()),
            caption: [partial, map::ports(question)]
                .into_iter()
                .flatten()
                .chain(facts)
                .collect(),
            panels: vec![panel],
        }
    }
}
