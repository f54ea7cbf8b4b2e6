//! `best --along`: along one axis, from where to where which algorithm is the best.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use algorithms::problem::{Problem, spelled};

use super::columns::{HOLDS_ABSENT, NOT_COMPARED, factor, of_these};
use super::question::{Case, Choice, Executed, Question, absences, execute};
use super::{Best, SPANS, Spans, draw, question, spans, warnings};
use crate::base::failure::Result;
use crate::base::threads;
use crate::base::units::{grouped, parse_bytes, parse_count, plural, together};
use crate::figures::caption::listed;
use crate::figures::select::is_named;
use crate::libraries::functions_of;
use crate::print::{self, Columns, Format};
use crate::record::{rounded, row};
use crate::space::machine::PORTS;
use crate::space::{Cell, Values};

/// Reads a value of the axis that runs.
pub(super) fn parse_value(text: &str) -> Result<u64, String> {
    parse_count(text).or_else(|_| parse_bytes(text))
}

/// The most values that are all compared.
const MAX_SCANNED: u64 = 4096;

/// The fewest values that are compared on each side of a change, however many lines are asked.
const LEAST_SCANNED: u64 = 8;

/// A range in which one algorithm is the best wherever it is defined.
pub(in super::super) struct Stretch<'q> {
    pub(super) first: u64,
    pub(super) last: u64,
    /// The cases compared.
    pub(super) cases: Vec<Case<'q>>,
}

/// The stretches along the axis at one point of the others.
pub(super) type Line<'q> = Vec<Stretch<'q>>;

/// What is asked along an axis.
#[derive(Clone, Copy)]
pub(super) struct Along<'q> {
    pub(super) question: &'q Question,
    /// The axis that runs.
    pub(super) index: usize,
    /// Its first and its last value.
    pub(super) ends: (u64, u64),
}

/// Writes the stretches along the axis with this key, of each value of the other axes. Returns how they were searched, after
/// warnings.
pub(super) fn answer(
    arguments: &Best,
    key: &str,
    problem: &'static Problem,
    format: Format,
    out: &mut impl Write,
) -> Result<String> {
    if arguments.explain && !format.is_text() {
        bail!(
            "--explain: with --along it adds sentences below a table; write --format table, markdown or latex"
        );
    }
    let axes = problem.axes;
    let Some(index) = axes.iter().position(|axis| axis.key == key) else {
        let name = problem.name;
        bail!("--along: `{name}` has no axis `{key}`");
    };
    let (key, option) = (axes[index].key, axes[index].option());
    if is_named(&axes[index]) {
        bail!("--along {key}: its values have no order; list them with {option}, without --along");
    }
    if key == "bytes" && !arguments.plane.0.contains_key("machine") {
        bail!("--along bytes: needs --machine; add --machine NAME");
    }
    let usual = |spans: Spans| {
        let (_, span) = spans.into_iter().find(|(own, _)| *own == key)?;
        Some(Values::parse(span, axes[index].kind).ok()?.bounds())
    };
    let first = usual(SPANS).map(|(first, _)| first);
    let Some(from) = arguments.from.or(first) else {
        bail!("--along {key}: from where? write --from and --to");
    };
    let mut asked = arguments.clone();
    if asked.plane.0.insert(key, from.to_string()).is_some() {
        bail!("{option}: --from and --to give the values of this axis; remove it");
    }
    let question = question(&asked, problem, functions_of(problem.name).next())?;
    let last = usual(spans(question.space.machines.all())).map(|(_, last)| last);
    let Some(to) = arguments.to.or(last) else {
        bail!("--along {key}: to where? write --to");
    };
    if from > to {
        bail!("--from {from} is above --to {to}; swap them");
    }
    let along = Along {
        question: &question,
        index,
        ends: (from, to),
    };
    let several = question.several();
    if arguments.svg.is_some() && several.len() != 1 {
        bail!(
            "--svg: a figure along {key} needs one other axis with several values; {}",
            along.one_other(&several)
        );
    }
    let count = u64::try_from(question.points().size()).unwrap_or(u64::MAX);
    let lines: Vec<Line<'_>> = question.each(1, "lines", |at, done| {
        let line = along.line(at, count);
        done();
        line
    })?;
    let said = along.sentences(&lines);
    let stretches = || lines.iter().flatten();
    let cases: Vec<&Case<'_>> = stretches().flat_map(|stretch| &stretch.cases).collect();
    let absences = absences(cases.iter().copied(), "value", Cell::options);
    let compared = plural(absences.asked, "value");
    let how = format!("{compared} compared: {}", along.how(count));
    let absent = absences.statements();
    let executed: Vec<Executed> = stretches().map(|stretch| stretch.case().executed).collect();
    let executed = Executed::stated(&executed, |count| {
        format!("the best at {}", plural(count, "first value"))
    });
    let warnings = warnings(&asked, &cases);
    let data = (0..axes.len()).filter(|index| several.contains(index));
    let mut shown = of_these(axes, data, &several, |stretch: &Stretch<'_>| {
        &stretch.case().at
    });
    shown.extend(columns(key).0);
    print::rows(format, &shown, stretches(), out)?;
    if arguments.explain {
        print::statements(format, "In words, of the values compared", &said, out)?;
    }
    print::statements(format, "Not compared", &absent, out)?;
    if let Some(path) = &arguments.svg {
        let facts = said.into_iter().chain([format!("{how}.")]);
        let absent = listed("Not compared", "; ", absent);
        let facts = facts.chain(absent).collect();
        draw(path, &along.chart(several[0], &lines, facts), arguments)?;
    }
    Ok(format!("{warnings}{how}; {executed}"))
}

impl<'q> Along<'q> {
    /// What to write for one other axis with several values.
    fn one_other(&self, several: &[usize]) -> String {
        let axes = self.question.problem.axes;
        if let [first, others @ ..] = several {
            let others: Vec<String> = others.iter().map(|&at| axes[at].option()).collect();
            let first = axes[*first].option();
            return format!(
                "keep those of {first}, and write one of {}",
                others.join(", ")
            );
        }
        let mut plane = self.question.plane();
        // The usual ones first; 0 has no double.
        let usual = ["K", "bytes", "n"];
        plane.retain(|(at, values)| *at != self.index && values[0] > 0 && !is_named(&axes[*at]));
        plane.sort_by_key(|(at, _)| {
            usual
                .iter()
                .position(|key| *key == axes[*at].key)
                .unwrap_or(usual.len())
        });
        plane.first().map_or_else(
            || "name another problem".to_owned(),
            |(at, values)| {
                let [one, two] = [1, 2].map(|times| times * values[0]);
                format!("write {} {one},{two}", axes[*at].option())
            },
        )
    }

    /// Whether all values are compared where there are this many lines.
    fn is_whole(&self, lines: u64) -> bool {
        self.ends.1 - self.ends.0 < MAX_SCANNED / lines
    }

    /// How many values are compared on each side of a change.
    fn scanned(lines: u64) -> u64 {
        (MAX_SCANNED / 2 / lines).max(LEAST_SCANNED)
    }

    fn how(&self, lines: u64) -> String {
        if self.is_whole(lines) {
            return "all".to_owned();
        }
        let most = grouped(Self::scanned(lines));
        format!(
            "powers of two, their neighbours and halfway; between different winners by halving, and up to {most} on each side of a change"
        )
    }

    /// The line at these values of the other axes. With more `lines` fewer values are scanned around a change.
    fn line(self, at: Cell<'q>, lines: u64) -> Result<Line<'q>> {
        let (from, to) = self.ends;
        let mut search = Search {
            along: self,
            at,
            known: BTreeMap::new(),
        };
        if self.is_whole(lines) {
            search.compare(from..=to)?;
        } else {
            search.halve(Self::scanned(lines))?;
        }
        let x = |case: &Case<'q>| case.at.values[self.index].unwrap_or_default();
        let mut stretches = Vec::new();
        let mut left = search.known.into_values().collect::<Vec<_>>().into_iter();
        while !left.as_slice().is_empty() {
            let count = one_stretch(left.as_slice());
            let mut cases: Vec<Case<'q>> = left.by_ref().take(count).collect();
            cases[0].executed = execute(&cases[0].best)?;
            stretches.push(Stretch {
                first: x(&cases[0]),
                last: left.as_slice().first().map_or(to, |next| x(next) - 1),
                cases,
            });
        }
        Ok(stretches)
    }

    /// The key of the axis that runs.
    pub(super) fn key(&self) -> &'static str {
        self.question.problem.axes[self.index].key
    }
}

struct Search<'q> {
    along: Along<'q>,
    /// The point, of which the value along the axis changes.
    at: Cell<'q>,
    known: BTreeMap<u64, Case<'q>>,
}

impl Search<'_> {
    /// Compares those of these values that are not known, in parallel.
    fn compare(&mut self, values: impl IntoIterator<Item = u64>) -> Result {
        let new = |x: &u64| !self.known.contains_key(x);
        let values: BTreeSet<u64> = values.into_iter().filter(new).collect();
        let cases = threads::in_order(&values, |x| {
            let mut at = self.at;
            at.values[self.along.index] = Some(*x);
            self.along.question.compare(at, &|| ())
        })?;
        self.known.extend(values.into_iter().zip(cases));
        Ok(())
    }

    /// The neighbours among the values compared between which the best changes.
    fn changes(&self) -> Vec<(u64, u64)> {
        let pairs = self.known.iter().zip(self.known.iter().skip(1));
        pairs
            .filter(|((_, one), (_, other))| one.best.name() != other.best.name())
            .map(|((low, _), (high, _))| (*low, *high))
            .collect()
    }

    /// Compares at most `most` values on each side of a change.
    fn halve(&mut self, most: u64) -> Result {
        let (from, to) = self.along.ends;
        // Many algorithms are best at powers of two alone, so the neighbours are asked, too.
        let around = |bit: u32| {
            let power = 1_u64 << bit;
            [
                power - 1,
                power,
                power + 1,
                power.saturating_add(power >> 1),
            ]
        };
        let probes = (0..u64::BITS).flat_map(around).chain([from, to]);
        self.compare(probes.filter(|x| (from..=to).contains(x)))?;
        loop {
            let mut open = self.changes();
            open.retain(|(low, high)| high - low > 1);
            if open.is_empty() {
                break;
            }
            let middle = |(low, high)| low + (high - low) / 2;
            self.compare(open.into_iter().map(middle))?;
        }
        // Cuts into whole segments make costs cross back and forth.
        let changes = self.changes();
        let most = most / (changes.len() as u64 / 16 + 1);
        let near = |(_, x): (u64, u64)| x - most.min(x / 4)..=x.saturating_add(most.min(x / 4));
        let near = changes.into_iter().flat_map(near);
        self.compare(near.filter(|x| (from..=to).contains(x)))
    }
}

/// How many of these cases, from the first on, are one stretch: the best of each is the first of one list of algorithms that is
/// defined there, and the list begins with the best of the first and of the last case.
fn one_stretch(cases: &[Case<'_>]) -> usize {
    let mut list: Vec<&'static str> = Vec::new();
    let mut length = 0;
    for (index, case) in cases.iter().enumerate() {
        let name = case.best.name();
        let place = list.iter().position(|own| *own == name);
        let place = place.unwrap_or(list.len());
        let is_absent = |own: &&str| case.absent.iter().any(|absent| absent.name == *own);
        if !list[..place].iter().all(is_absent) {
            break;
        }
        if place == list.len() {
            list.push(name);
        }
        if place == 0 {
            length = index + 1;
        }
    }
    length
}

impl<'q> Stretch<'q> {
    /// The case at the first value.
    pub(super) fn case(&self) -> &Case<'q> {
        &self.cases[0]
    }

    /// The algorithms that are best where those before them are not defined, with the number of compared values.
    pub(super) fn instead(&self) -> impl Iterator<Item = (&'static str, u64)> {
        together(self.cases.iter().map(|case| (case.best.name(), ())))
            .into_iter()
            .skip(1)
            .map(|(name, all)| (name, all.len() as u64))
    }
}

/// The rule of ports of a case; none for problems without such a rule.
pub(super) fn ports(Case { at, .. }: &Case<'_>) -> Option<String> {
    let axis = at.entry.axes().iter().find(|axis| axis.key == PORTS)?;
    Some(spelled(axis, at.value(PORTS)?).into_owned())
}

pub(in super::super) fn columns<'a, 'q: 'a>(key: &'static str) -> Columns<'a, Stretch<'q>> {
    let next = |stretch: &Stretch<'_>| stretch.case().runner_up.as_ref().map(Choice::name);
    let over = |stretch: &Stretch<'_>| {
        let case = stretch.case();
        case.over_best(case.runner_up.as_ref()?)
    };
    let instead = |stretch: &Stretch<'_>| -> Vec<String> {
        let all = plural(stretch.cases.len() as u64, "value");
        let at = |(name, count)| format!("{name} at {} of {all}", grouped(count));
        stretch.instead().map(at).collect()
    };
    Columns::<Stretch<'q>>::empty()
        .data("axis", "the axis that runs", move |_| key)
        .column("first", "from this value on", |stretch| stretch.first)
        .shown(format!("{key} from"), |stretch| grouped(stretch.first))
        .column("last", "to this value", |stretch| stretch.last)
        .shown("to", |stretch| grouped(stretch.last))
        .column(
            "best",
            "the best algorithm where it is defined; of equal ones the first of the \
                 catalogue",
            |stretch| stretch.case().best.name(),
        )
        .data("best_f64", "its cost at the first value", |stretch| {
            rounded(&stretch.case().best.cost)
        })
        .column("ports", "rule of ports there", |stretch| {
            ports(stretch.case())
        })
        .column("runner_up", "the next best algorithm there", next)
        .shown("runner-up there", move |stretch| {
            next(stretch).unwrap_or_else(|| stretch.case().alone())
        })
        .column("runner_up_over_best_f64", "its cost over the best", over)
        .shown("over best", move |stretch| factor(over(stretch)))
        .column(
            "instead",
            "the best algorithms where that is not defined, and at how many compared \
                 values",
            instead,
        )
        .title("where not defined")
        .data(NOT_COMPARED, HOLDS_ABSENT, move |stretch| {
            let place = |at: &Cell<'_>| format!("{key} = {}", at.value(key).unwrap_or_default());
            absences(&stretch.cases, "value", place).statements()
        })
        .data(
            "best_cost",
            "the cost of the best at the first value",
            |stretch| row::json(&stretch.case().best.cost),
        )
        .data(
            "executed",
            "whether the best was also simulated at the first value",
            |stretch| stretch.case().executed != Executed::Not,
        )
}
