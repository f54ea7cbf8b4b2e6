//! `best --along`: along one axis, from where to where which algorithm is the best.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Bound;

use algorithms::problem::{Axis, Kind, spelled};

use super::columns::{HOLDS_ABSENT, NOT_COMPARED, factor, of_axes};
use super::question::{Case, Executed, Question};
use super::{Best, BestFormat, SPANS, Spans, draw, named, question, spans, warnings};
use crate::base::absent::{Absences, Absent};
use crate::base::failure::Result;
use crate::base::progress::Progress;
use crate::base::threads;
use crate::base::units::{grouped, parse_bytes, parse_count, plural};
use crate::figures::caption::listed;
use crate::libraries::functions_of;
use crate::print::{self, Columns, Format};
use crate::record::{rounded, row};
use crate::space::PointValues;
use crate::space::machine::PORTS;

/// Reads a value of the axis that runs.
pub(super) fn parse_value(text: &str) -> Result<u64, String> {
    parse_count(text).or_else(|_| parse_bytes(text))
}

/// The most values that are all compared.
const MAX_SCANNED: u64 = 4096;

/// The fewest values that are compared on each side of a change, however many lines are asked.
const LEAST_SCANNED: u64 = 8;

/// A range in which one algorithm is the best wherever it is defined.
pub(in super::super) struct Stretch<'a> {
    pub(super) question: &'a Question,
    pub(super) first: u64,
    pub(super) last: u64,
    /// The case at the first value.
    pub(super) case: Case,
    /// The algorithms that are best where those before them are not defined, with the number of compared values.
    pub(super) instead: Vec<(&'static str, u64)>,
    /// How many values were compared.
    compared: u64,
    /// The algorithms without a cost at some of them.
    absences: Absences,
}

/// The stretches along the axis at one point of the others, and the cases that were compared.
pub(super) type Line<'a> = (Vec<Stretch<'a>>, Vec<Case>);

/// What is asked along an axis.
#[derive(Clone, Copy)]
pub(super) struct Along<'a> {
    pub(super) question: &'a Question,
    /// The axis that runs.
    pub(super) index: usize,
    /// Its first and its last value.
    pub(super) ends: (u64, u64),
}

/// Writes the stretches along the axis with this key, of each value of the other axes. Returns how they were searched, after
/// warnings.
pub(super) fn answer(arguments: &Best, key: &str, out: &mut impl Write) -> Result<String> {
    let (&BestFormat::Rows(format), [problem]) = (&arguments.format, &arguments.problem[..]) else {
        bail!(
            "--along: prints rows of one problem; write --format {}, and one --problem",
            Format::names()
        );
    };
    if arguments.explain && !format.is_text() {
        bail!(
            "--explain: with --along it adds sentences below a table; write --format table, markdown or latex"
        );
    }
    let problem = named(problem)?;
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
        let mut ends = spans
            .into_iter()
            .find(|(own, _)| *own == key)?
            .1
            .split("..")
            .map_while(|end| parse_value(end).ok());
        ends.next().zip(ends.next())
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
    let several = along.several();
    if arguments.svg.is_some() && several.len() != 1 {
        bail!(
            "--svg: a figure along {key} needs one other axis with several values; {}",
            along.one_other(&several)
        );
    }
    let points = question.points();
    let count = usize::try_from(points.size()).unwrap_or(usize::MAX);
    let progress = Progress::bar(count as u64, "lines");
    let lines: Result<Vec<Line<'_>>> = threads::in_order(0..count, |number| {
        let line = along.line(points.cell(number as u64).values, count as u64);
        progress.advance(1, 0);
        line
    });
    progress.finish();
    let lines = lines?;
    let cases = || lines.iter().flat_map(|(_, cases)| cases);
    let all: Vec<(&Question, &Case)> = cases().map(|case| (&question, case)).collect();
    let compared = all.len() as u64;
    let absences = question::absences(all.iter().copied()).statements(compared, "value");
    let stretches = || lines.iter().flat_map(|(stretches, _)| stretches);
    let names: Vec<&str> = several
        .iter()
        .flat_map(|index| {
            let axis = &axes[*index];
            axis.columns.iter().chain([&axis.key]).copied()
        })
        .collect();
    let mut shown = of_axes(&question, |stretch: &Stretch<'_>| {
        (stretch.question, &stretch.case)
    });
    // A column of tables has no name.
    shown.retain(|column| {
        let name = if column.name.is_empty() {
            &column.title
        } else {
            &*column.name
        };
        names.contains(&name)
    });
    shown.extend(columns(key).0);
    print::rows(format, &shown, stretches(), out)?;
    let said = along.sentences(&lines);
    if arguments.explain {
        print::statements(format, "In words, of the values compared", &said, out)?;
    }
    print::statements(format, "Not compared", &absences, out)?;
    let how = along.how(count as u64);
    if let Some(path) = &arguments.svg {
        let values = plural(compared, "value");
        let how = format!("{values} compared: {how}.");
        let facts = said
            .into_iter()
            .chain([how])
            .chain(listed("Not compared", "; ", absences));
        let chart = along.chart(several[0], &lines, facts.collect());
        draw(path, &chart, arguments)?;
    }
    let warnings = warnings(&asked, &all);
    let executed: Vec<Executed> = stretches().map(|stretch| stretch.case.executed).collect();
    let executed = Executed::stated(&executed, |count| {
        format!("the best at {}", plural(count, "first value"))
    });
    Ok(format!(
        "{warnings}{} compared: {how}; {executed}",
        plural(compared, "value")
    ))
}

/// Whether the values of an axis have names and no order.
fn is_named(axis: &Axis) -> bool {
    matches!(axis.kind, Kind::Word(_) | Kind::Profile | Kind::Counts)
}

impl<'a> Along<'a> {
    /// The other axes with several values.
    pub(super) fn several(&self) -> Vec<usize> {
        self.question
            .plane()
            .into_iter()
            .filter(|(_, values)| values.len() > 1)
            .map(|(index, _)| index)
            .collect()
    }

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
    fn line(self, values: PointValues, lines: u64) -> Result<Line<'a>> {
        let (from, to) = self.ends;
        let mut search = Search {
            along: self,
            values,
            scanned: Self::scanned(lines),
            known: BTreeMap::new(),
        };
        if self.is_whole(lines) {
            search.all(from..=to)?;
        } else {
            search.halve(from, to)?;
        }
        let cases: Vec<(u64, Case)> = search.known.into_iter().collect();
        let mut stretches = self.stretches(&cases);
        for stretch in &mut stretches {
            stretch.case.executed = self.question.execute(&stretch.case.best)?;
        }
        Ok((stretches, cases.into_iter().map(|(_, case)| case).collect()))
    }

    fn stretches(&self, cases: &[(u64, Case)]) -> Vec<Stretch<'a>> {
        let mut all: Vec<Stretch<'a>> = Vec::new();
        let mut rest = cases;
        while let Some((first, _)) = rest.first() {
            let (own, after) = rest.split_at(one_stretch(rest));
            if let Some(last) = all.last_mut() {
                last.last = first - 1;
            }
            all.push(Stretch::new(self.question, own, self.key()));
            rest = after;
        }
        if let Some(last) = all.last_mut() {
            last.last = self.ends.1;
        }
        all
    }

    /// The key of the axis that runs.
    pub(super) fn key(&self) -> &'static str {
        self.question.problem.axes[self.index].key
    }
}

struct Search<'a> {
    along: Along<'a>,
    /// The values of the other axes.
    values: PointValues,
    /// How many values are compared on each side of a change.
    scanned: u64,
    known: BTreeMap<u64, Case>,
}

impl Search<'_> {
    fn case(&self, x: u64) -> Result<Case> {
        let mut values = self.values;
        values[self.along.index] = Some(x);
        self.along.question.compare(values, &|| ())
    }

    /// Compares these values, in parallel.
    fn all(&mut self, values: impl IntoIterator<Item = u64>) -> Result {
        let values: Vec<u64> = values.into_iter().collect();
        let cases = threads::in_order(0..values.len(), |index| self.case(values[index]))?;
        self.known.extend(values.into_iter().zip(cases));
        Ok(())
    }

    fn halve(&mut self, from: u64, to: u64) -> Result {
        // Many algorithms are best at powers of two alone, so the neighbours are asked, too.
        let around = |bit: u32| {
            [
                (1 << bit) - 1,
                1 << bit,
                (1 << bit) + 1,
                (1_u64 << bit).saturating_add(1 << bit >> 1),
            ]
        };
        let probes = (0..u64::BITS)
            .flat_map(around)
            .filter(|probe| (from..to).contains(probe));
        self.all(
            [from, to]
                .into_iter()
                .chain(probes)
                .collect::<BTreeSet<u64>>(),
        )?;
        let mut open: Vec<u64> = self.known.keys().copied().collect();
        while let Some(&low) = open.first() {
            let next = self
                .known
                .range((Bound::Excluded(low), Bound::Unbounded))
                .next();
            match next {
                Some((high, case)) if high - low > 1 && name(case) != name(&self.known[&low]) => {
                    let middle = low + (high - low) / 2;
                    let case = self.case(middle)?;
                    self.known.insert(middle, case);
                    open.insert(1, middle);
                }
                _ => drop(open.remove(0)),
            }
        }
        // Cuts into whole segments make costs cross back and forth.
        let cases: Vec<(u64, &'static str)> = self
            .known
            .iter()
            .map(|(x, case)| (*x, name(case)))
            .collect();
        let changes: Vec<u64> = cases
            .windows(2)
            .filter(|pair| pair[0].1 != pair[1].1)
            .map(|pair| pair[1].0)
            .collect();
        let most = self.scanned / (changes.len() as u64 / 16 + 1);
        let near = |x: u64| x - most.min(x / 4)..=x.saturating_add(most.min(x / 4));
        let near: BTreeSet<u64> = changes
            .into_iter()
            .flat_map(near)
            .filter(|x| (from..=to).contains(x))
            .collect();
        let left: Vec<u64> = near
            .into_iter()
            .filter(|x| !self.known.contains_key(x))
            .collect();
        self.all(left)
    }
}

fn is_absent(case: &Case, name: &str) -> bool {
    case.absent.iter().any(|absent| absent.entry.name == name)
}

/// How many of these cases, from the first on, are one stretch: the best of each is the first of one list of algorithms that is
/// defined there, and the list begins with the best of the first and of the last case.
fn one_stretch(cases: &[(u64, Case)]) -> usize {
    let mut list: Vec<&'static str> = Vec::new();
    let mut length = 0;
    for (index, (_, case)) in cases.iter().enumerate() {
        let place = list
            .iter()
            .position(|own| *own == name(case))
            .unwrap_or(list.len());
        if !list[..place].iter().all(|own| is_absent(case, own)) {
            break;
        }
        if place == list.len() {
            list.push(name(case));
        }
        if place == 0 {
            length = index + 1;
        }
    }
    length
}

impl<'a> Stretch<'a> {
    fn new(question: &'a Question, cases: &[(u64, Case)], key: &str) -> Self {
        let (first, case) = &cases[0];
        let mut instead: Vec<(&'static str, u64)> = Vec::new();
        let mut absences = Absences::default();
        for (x, other) in cases {
            match instead.iter_mut().find(|(own, _)| *own == name(other)) {
                Some((_, count)) => *count += 1,
                None if name(other) != name(case) => instead.push((name(other), 1)),
                None => {}
            }
            for Absent { entry, why } in &other.absent {
                absences.add(entry.name, why, || format!("{key} = {x}"));
            }
        }
        let compared = cases.len() as u64;
        Self {
            question,
            first: *first,
            last: cases[cases.len() - 1].0,
            case: case.clone(),
            instead,
            compared,
            absences,
        }
    }

    /// Which algorithms are best where the first is not defined, and at how many values.
    fn instead(&self) -> Vec<String> {
        self.instead
            .iter()
            .map(|(name, count)| {
                format!(
                    "{name} at {} of {}",
                    grouped(*count),
                    plural(self.compared, "value")
                )
            })
            .collect()
    }
}

pub(super) fn name(case: &Case) -> &'static str {
    case.best.entry.name
}

/// The rule of ports of a case; none for problems without such a rule.
pub(super) fn ports(case: &Case) -> Option<String> {
    let axes = case.best.entry.axes();
    let index = axes.iter().position(|axis| axis.key == PORTS)?;
    Some(spelled(&axes[index], case.values[index]?).into_owned())
}

pub(in super::super) fn columns<'a>(key: &'static str) -> Columns<'a, Stretch<'a>> {
    let next = |stretch: &Stretch<'_>| {
        stretch
            .case
            .runner_up
            .as_ref()
            .map(|choice| choice.entry.name)
    };
    let over = |stretch: &Stretch<'_>| {
        stretch
            .case
            .runner_up
            .as_ref()
            .and_then(|choice| stretch.case.over_best(choice))
    };
    Columns::<Stretch>::empty()
        .data("axis", "the axis that runs", move |_| key)
        .column("first", "from this value on", |stretch| stretch.first)
        .shown(format!("{key} from"), |stretch| grouped(stretch.first))
        .column("last", "to this value", |stretch| stretch.last)
        .shown("to", |stretch| grouped(stretch.last))
        .column(
            "best",
            "the best algorithm where it is defined; of equal ones the first of the \
                 catalogue",
            |stretch| name(&stretch.case),
        )
        .data("best_f64", "its cost at the first value", |stretch| {
            rounded(&stretch.case.best.cost)
        })
        .column("ports", "rule of ports there", |stretch| {
            ports(&stretch.case)
        })
        .column("runner_up", "the next best algorithm there", next)
        .shown("runner-up there", move |stretch| {
            next(stretch).unwrap_or_else(|| stretch.case.alone())
        })
        .column("runner_up_over_best_f64", "its cost over the best", over)
        .shown("over best", move |stretch| factor(over(stretch)))
        .column(
            "instead",
            "the best algorithms where that is not defined, and at how many compared \
                 values",
            |stretch| stretch.instead(),
        )
        .title("where not defined")
        .data(NOT_COMPARED, HOLDS_ABSENT, |stretch| {
            stretch.absences.statements(stretch.compared, "value")
        })
        .data(
            "best_cost",
            "the cost of the best at the first value",
            |stretch| row::json(&stretch.case.best.cost),
        )
        .data(
            "executed",
            "whether the best was also simulated at the first value",
            |stretch| stretch.case.executed != Executed::Not,
        )
}
