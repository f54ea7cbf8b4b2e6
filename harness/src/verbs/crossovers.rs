//! `castbench crossovers`: along one axis, from where to where which algorithm is the best.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use algorithms::catalogue;
use algorithms::problem::spelled;
use clap::Args;

use super::best::columns::{HOLDS_ABSENT, NOT_COMPARED};
use super::best::{self, Best, BestFormat};
use super::point;
use crate::absent::{Absences, Absent};
use crate::best::{self as answers, Case, Question};
use crate::failure::{Failure, tell};
use crate::machine::PORTS;
use crate::print::{self, Column};
use crate::record::rounded;
use crate::threads;
use crate::units::{grouped, parse_bytes, parse_count, plural};

pub(crate) const HELP: &str = "One axis runs from --from to --to, all others have one value. Up to 4,096 values are all compared. Of more \
values castbench compares the powers of two, their neighbours and the values halfway. Between two of these that have different winners it finds a change by \
halving, and compares up to 2,048 values on each side of it. A row names the best, and then the algorithms that are best where it is not \
defined, as at most values of an axis for one that needs a power of two. Where costs cross and cross back elsewhere, the answer does not show it; it says how \
it was searched.

Examples:
  castbench crossovers --problem allreduce -L 6 -o 2 -g 4 -n 1024 --along K --from 2 --to 256
  castbench crossovers --problem broadcast --algorithms broadcast-binomial,broadcast-chain --machine ethernet100-switched -K 16 --along bytes --from 1 --to 1MiB";

/// Arguments of `crossovers`.
#[derive(Debug, Args)]
pub struct Crossovers {
    /// The axis that runs, as K or bytes
    #[arg(long, value_name = "AXIS")]
    pub along: String,
    /// The first value of that axis
    #[arg(long, value_name = "VALUE", value_parser = parse_value)]
    pub from: u64,
    /// The last value of that axis
    #[arg(long, value_name = "VALUE", value_parser = parse_value)]
    pub to: u64,
    /// As of `castbench best`
    #[command(flatten)]
    pub best: Best,
}

fn parse_value(text: &str) -> Result<u64, String> {
    parse_count(text).or_else(|_| parse_bytes(text))
}

/// The most values that are all compared.
const MAX_SCANNED: u64 = 4096;

/// A range in which one algorithm is the best wherever it is defined.
pub(super) struct Stretch {
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

/// Runs the verb.
///
/// # Errors
/// The errors of `best`.
pub fn run(arguments: &Crossovers) -> Result<(), Failure> {
    let Crossovers {
        along,
        from,
        to,
        best: asked,
    } = arguments;
    let BestFormat::Rows(format) = asked.format else {
        return Err(Failure::usage(
            "--format: `crossovers` prints rows; write table, csv, json or markdown",
        ));
    };
    let ignored = [
        ("--explain", asked.explain),
        ("--ties", asked.ties.is_some()),
        ("--svg", asked.svg.is_some()),
    ];
    if let Some((option, _)) = ignored.into_iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::usage(format_args!(
            "{option}: `castbench best` reads it at one value of the axis; remove it"
        )));
    }
    if from > to {
        return Err(Failure::usage(format_args!(
            "--from {from} is above --to {to}; swap them"
        )));
    }
    let mut asked = best::with_default(asked);
    let axes = catalogue::problem(&asked.problem[0]).map_or(&[][..], |problem| problem.axes());
    let Some(axis) = axes.iter().find(|axis| axis.key == along) else {
        return Err(Failure::usage(format_args!(
            "--along: `{}` has no axis `{along}`",
            asked.problem[0]
        )));
    };
    if asked.plane.0.contains_key(axis.key) {
        let option = axis.option();
        return Err(Failure::usage(format_args!(
            "{option}: --from and --to give the values of this axis; remove it"
        )));
    }
    asked.plane.0.insert(axis.key, from.to_string());
    let question = best::of_problem(&asked)?;
    if let Some((index, _)) = question.plane().iter().find(|(_, values)| values.len() > 1) {
        let option = question.problem.axes()[*index].option();
        return Err(Failure::usage(format_args!(
            "{option}: only the axis of --along has several values; name one"
        )));
    }
    let index = axes
        .iter()
        .position(|own| own.key == axis.key)
        .unwrap_or_default();
    let mut search = Search {
        question: &question,
        index,
        known: BTreeMap::new(),
    };
    let is_scan = to - from < MAX_SCANNED;
    if is_scan {
        search.all(*from..=*to)?
    } else {
        search.halve(*from, *to)?
    };
    let compared = search.known.len() as u64;
    let absences = answers::absences(search.known.values().map(|case| (&question, case)));
    let stretches = search.stretches(axis.key, *to);
    let mut out = format.stdout();
    print::rows(format, &columns(axis.key), &stretches, &mut out)?;
    print::statements(
        format,
        "Not compared",
        &absences.statements(compared, "value"),
        &mut out,
    )?;
    if let Some(Stretch { case, .. }) = stretches.first() {
        point::warn_of_doubts(
            &question.cell(case.best.entry, case.best.values),
            &asked.plane.0,
        );
    }
    if question.space.machines.unread(question.problem).is_none() {
        question.ports().iter().for_each(tell);
    }
    let how = if is_scan {
        "all"
    } else {
        "powers of two, their neighbours and halfway; between different winners by halving, and all around a change"
    };
    tell(format_args!(
        "{} compared: {how}",
        plural(compared, "value")
    ));
    Ok(())
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
        self.question.case(values)
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

    fn stretches(self, key: &str, to: u64) -> Vec<Stretch> {
        let cases: Vec<(u64, Case)> = self.known.into_iter().collect();
        let mut all: Vec<Stretch> = Vec::new();
        let mut rest = &cases[..];
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

pub(super) fn columns<'a>(key: &'static str) -> Vec<Column<'a, &'a Stretch>> {
    type Of<'a> = Column<'a, &'a Stretch>;
    let over = |stretch: &&Stretch| {
        stretch
            .case
            .runner_up
            .as_ref()
            .and_then(|choice| stretch.case.over_best(choice))
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
        Of::new("runner_up", "the next best algorithm there", |stretch| {
            stretch
                .case
                .runner_up
                .as_ref()
                .map(|choice| choice.entry.name)
        })
        .shown("runner-up there", |stretch| {
            stretch
                .case
                .runner_up
                .as_ref()
                .map_or_else(|| stretch.case.alone(), |choice| choice.entry.name)
        }),
        Of::new("runner_up_over_best_f64", "its cost over the best", over).shown(
            "over best",
            move |stretch| {
                over(stretch)
                    .map(|ratio| format!("{ratio:.2}x"))
                    .unwrap_or_default()
            },
        ),
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
