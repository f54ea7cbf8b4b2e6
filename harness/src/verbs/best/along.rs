//! `best --along`: along one axis, from where to where which algorithm is the best.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::ops::Bound;

use algorithms::problem::spelled;

use super::columns::{HOLDS_ABSENT, NOT_COMPARED, factor};
use super::{Best, BestFormat, named, question, warnings};
use crate::base::absent::{Absences, Absent};
use crate::base::failure::Failure;
use crate::base::threads;
use crate::base::units::{grouped, parse_bytes, parse_count, plural};
use crate::best::{self as answers, Case, Question};
use crate::print::{self, Column, Format};
use crate::record::rounded;
use crate::reference::libraries::functions_of;
use crate::space::machine::PORTS;

/// Reads a value of the axis that runs.
pub(super) fn parse_value(text: &str) -> Result<u64, String> {
    parse_count(text).or_else(|_| parse_bytes(text))
}

/// The most values that are all compared.
const MAX_SCANNED: u64 = 4096;

/// A range in which one algorithm is the best wherever it is defined.
pub(in super::super) struct Stretch {
    first: u64,
    last: u64,
    /// The case at the first value.
    case: Case,
    /// The algorithms that are best where those before them are not defined, with the number of compared values.
    instead: Vec<(&'static str, u64)>,
    /// How many values were compared.
    compared: u64,
    /// The algorithms without a cost at some of them.
    absences: Absences,
}

/// Writes the stretches along the axis with this key. Returns how they were searched, after warnings.
pub(super) fn answer(arguments: &Best, key: &str, out: &mut impl Write) -> Result<String, Failure> {
    let (&BestFormat::Rows(format), [problem]) = (&arguments.format, &arguments.problem[..]) else {
        bail!(
            "--along: prints rows of one problem; write --format {}, and one --problem",
            Format::names()
        );
    };
    let (from, to) = (arguments.from.unwrap_or(0), arguments.to.unwrap_or(0));
    if from > to {
        bail!("--from {from} is above --to {to}; swap them");
    }
    let problem = named(problem)?;
    let axes = problem.axes;
    let Some(index) = axes.iter().position(|axis| axis.key == key) else {
        let name = problem.name;
        bail!("--along: `{name}` has no axis `{key}`");
    };
    let (key, option) = (axes[index].key, axes[index].option());
    let mut asked = arguments.clone();
    if asked.plane.0.insert(key, from.to_string()).is_some() {
        bail!("{option}: --from and --to give the values of this axis; remove it");
    }
    let question = question(&asked, problem, functions_of(problem.name).next())?;
    if let Some((index, _)) = question.plane().iter().find(|(_, values)| values.len() > 1) {
        let option = axes[*index].option();
        bail!("{option}: only the axis of --along has several values; name one");
    }
    let mut search = Search {
        question: &question,
        index,
        known: BTreeMap::new(),
    };
    let how = if to - from < MAX_SCANNED {
        search.all(from..=to)?;
        "all"
    } else {
        search.halve(from, to)?;
        "powers of two, their neighbours and halfway; between different winners by halving, and all around a change"
    };
    let cases: Vec<(u64, Case)> = search.known.into_iter().collect();
    let all = || cases.iter().map(|(_, case)| (&question, case));
    let compared = cases.len() as u64;
    let absences = answers::absences(all()).statements(compared, "value");
    let stretches = stretches(&cases, key, to);
    print::rows(format, &columns(key), &stretches, out)?;
    print::statements(format, "Not compared", &absences, out)?;
    let warnings = warnings(&asked, &all().collect::<Vec<_>>());
    Ok(format!(
        "{warnings}{} compared: {how}",
        plural(compared, "value")
    ))
}

struct Search<'a> {
    question: &'a Question,
    /// That of the axis that runs.
    index: usize,
    known: BTreeMap<u64, Case>,
}

impl Search<'_> {
    fn case(&self, x: u64) -> Result<Case, Failure> {
        let mut values = self.question.points().cell(0).values;
        values[self.index] = Some(x);
        self.question.case(values, &|| ())
    }

    /// Compares these values, in parallel.
    fn all(&mut self, values: impl IntoIterator<Item = u64>) -> Result<(), Failure> {
        let values: Vec<u64> = values.into_iter().collect();
        let cases = threads::in_order(0..values.len(), |index| self.case(values[index]))?;
        self.known.extend(values.into_iter().zip(cases));
        Ok(())
    }

    fn halve(&mut self, from: u64, to: u64) -> Result<(), Failure> {
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
        let most = MAX_SCANNED / 2 / (changes.len() as u64 / 16 + 1);
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

fn stretches(cases: &[(u64, Case)], key: &str, to: u64) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    let mut rest = cases;
    while let Some((first, _)) = rest.first() {
        let (own, after) = rest.split_at(one_stretch(rest));
        if let Some(last) = all.last_mut() {
            last.last = first - 1;
        }
        all.push(Stretch::new(own, key));
        rest = after;
    }
    if let Some(last) = all.last_mut() {
        last.last = to;
    }
    all
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

impl Stretch {
    fn new(cases: &[(u64, Case)], key: &str) -> Self {
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
        let of = |(name, count): &(&str, u64)| {
            format!(
                "{name} at {} of {}",
                grouped(*count),
                plural(self.compared, "value")
            )
        };
        self.instead.iter().map(of).collect()
    }
}

fn name(case: &Case) -> &'static str {
    case.best.entry.name
}

/// The rule of ports of a case; none for problems without such a rule.
fn ports(case: &Case) -> Option<String> {
    let axes = case.best.entry.axes();
    let index = axes.iter().position(|axis| axis.key == PORTS)?;
    Some(spelled(&axes[index], case.values[index]?).into_owned())
}

pub(in super::super) fn columns<'a>(key: &'static str) -> Vec<Column<'a, &'a Stretch>> {
    type Of<'a> = Column<'a, &'a Stretch>;
    let next = |stretch: &&Stretch| {
        let next = stretch.case.runner_up.as_ref();
        next.map(|choice| choice.entry.name)
    };
    let over = |stretch: &&Stretch| {
        let next = stretch.case.runner_up.as_ref();
        next.and_then(|choice| stretch.case.over_best(choice))
    };
    vec![
        Of::new("axis", "the axis that runs", move |_| key).data_only(),
        Of::new("first", "from this value on", |stretch| stretch.first)
            .shown(format!("{key} from"), |stretch| grouped(stretch.first)),
        Of::new("last", "to this value", |stretch| stretch.last)
            .shown("to", |stretch| grouped(stretch.last)),
        Of::new(
            "best",
            "the best algorithm where it is defined; of equal ones the first of the catalogue",
            |stretch| name(&stretch.case),
        ),
        Of::new("best_f64", "its cost at the first value", |stretch| {
            rounded(&stretch.case.best.cost)
        })
        .data_only(),
        Of::new("ports", "rule of ports there", |stretch| {
            ports(&stretch.case)
        }),
        Of::new("runner_up", "the next best algorithm there", next)
            .shown("runner-up there", move |stretch| {
                next(stretch).unwrap_or_else(|| stretch.case.alone())
            }),
        Of::new("runner_up_over_best_f64", "its cost over the best", over)
            .shown("over best", move |stretch| factor(over(stretch))),
        Of::new(
            "instead",
            "the best algorithms where that is not defined, and at how many compared values",
            |stretch| stretch.instead(),
        )
        .title("where not defined"),
        Of::new(NOT_COMPARED, HOLDS_ABSENT, |stretch| {
            stretch.absences.statements(stretch.compared, "value")
        })
        .data_only(),
    ]
}
