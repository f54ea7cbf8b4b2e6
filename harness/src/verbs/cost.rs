//! `castbench cost`: lower bound, published, analytic and simulated cost at one point.

pub mod programs;

use std::fmt;
use std::io::Write;

use algorithms::cost::{Agreement, Evaluation, Exact, Limits, Simulated, Unit};
use algorithms::internals::engine;
use algorithms::problem::Kind;
use serde::Serialize;

use super::point::{self, Asked};
use crate::cli::{Cost, Format};
use crate::failure::{Code, Failure, differ, stdout};
use crate::grid::Cell;
use crate::output::CsvWriter;
use crate::record::{rounded, row};
use crate::terminal;
use crate::units::{grouped, plural, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid point, 5 if analytic and simulated cost differ.
pub fn run(arguments: &Cost) -> Result<(), Failure> {
    answer(
        arguments,
        &Limits { nodes: u64::MAX, hops: u64::MAX },
        &mut terminal::text_if(arguments.format == Format::Table),
    )
}

/// Writes the answer. Simulates at most `most`, even if the arguments ask for more.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Cost, most: &Limits, out: &mut impl Write) -> Result<(), Failure> {
    let asked = Asked::new(point::find(&arguments.point)?, "cost", &arguments.point, &[])?;
    let cell = asked.cell();
    let defaults = Limits::default();
    point::warn_of_doubts(&cell, &arguments.point.given);
    let limits = Limits {
        nodes: arguments.simulate_up_to.unwrap_or(defaults.nodes).min(most.nodes),
        hops: arguments.simulate_up_to_hops.unwrap_or(defaults.hops).min(most.hops),
    };
    if cell.check().is_ok() && cell.simulates(&limits) {
        point::warn_of_work(&cell, "simulates", "--simulate-up-to 0 skips the simulation");
    }
    if arguments.capacity && arguments.format == Format::Csv {
        return Err(Failure::usage("--capacity: rows of a sweep have no column for it; write --format json"));
    }
    let evaluation = cell.evaluate(&limits).map_err(|refused| point::refuse(&refused))?;
    let capacity = arguments.capacity.then(|| Capacity::of(&cell, &limits)).transpose()?;
    match arguments.format {
        Format::Table => {
            let report = Report { cell: &cell, evaluation: &evaluation, capacity: capacity.as_ref() };
            stdout(write!(out, "{report}"))?;
        }
        Format::Json => stdout(writeln!(out, "{}", programs::json(&cell, &evaluation, capacity)?))?,
        Format::Csv => csv(&cell, &evaluation, out)?,
    }
    if evaluation.agreement() == Agreement::Differ {
        return Err(Failure::new(Code::Disagreement, differ(cell.entry)));
    }
    Ok(())
}

fn csv(cell: &Cell<'_>, evaluation: &Evaluation, out: &mut impl Write) -> Result<(), Failure> {
    let failed = |error: csv::Error| Failure::new(Code::Internal, error);
    let mut writer = CsvWriter::headless(Vec::new());
    writer.write_record(row::header(cell.entry.problem())).map_err(failed)?;
    row::write(&mut writer, cell, &Ok(evaluation.clone())).map_err(failed)?;
    let text = writer.into_inner().map_err(failed)?;
    stdout(out.write_all(&text))
}

/// An execution with LogP's capacity, beside the one without.
#[derive(Serialize)]
struct Capacity {
    /// When every operation has ended.
    finish: u64,
    /// How many processors end later.
    delayed: u64,
    /// By how much at most.
    longest_delay: u64,
}

impl Capacity {
    fn of(cell: &Cell<'_>, limits: &Limits) -> Result<Self, Failure> {
        let refuse = |told: &dyn fmt::Display| Failure::usage(format_args!("--capacity: {told}; remove the option"));
        let run = cell.entry.program(cell.machines.setting(), &cell.values, limits, None);
        let run = run.map_err(|refused| point::refuse(&refused))?;
        let Some((machine, program)) = run else { return Err(refuse(&"no processor sends messages here")) };
        let failed = |failure: engine::Failure| refuse(&failure);
        let free = engine::run(machine, &program).map_err(failed)?;
        let within = engine::run_within_capacity(machine, &program, |_, _| {}).map_err(failed)?;
        let delays = || {
            within.ends.iter().zip(&free.ends).map(|(late, end)| late.saturating_sub(*end)).filter(|&delay| delay > 0)
        };
        let (delayed, longest_delay) = (delays().count() as u64, delays().max().unwrap_or(0));
        Ok(Self { finish: within.finish, delayed, longest_delay })
    }
}

/// The answer as text.
struct Report<'a> {
    cell: &'a Cell<'a>,
    evaluation: &'a Evaluation,
    capacity: Option<&'a Capacity>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cell, evaluation, capacity } = self;
        let (entry, problem) = (cell.entry, cell.entry.problem());
        writeln!(f, "{}: {}", entry.name, entry.summary)?;
        if let Some(machine) = cell.machine() {
            let bytes = entry.axes().iter().find(|axis| axis.kind == Kind::Bytes).and_then(|axis| cell.value(axis.key));
            let message = bytes.map_or_else(String::new, |bytes| format!(", message of {}", show_bytes(bytes)));
            writeln!(f, "machine {}{message}", machine.name)?;
        }
        problem.describe(cell.machines.setting(), &cell.values, f)?;
        writeln!(f)?;
        let unit = problem.unit(&cell.values);
        let bound = problem
            .bound(cell.machines.setting(), &cell.values)
            .map_or_else(String::new, |name| format!(", by {name}"));
        writeln!(f, "  lower bound  {}{bound}", exact(&evaluation.lower_bound, unit))?;
        if evaluation.published.is_empty() {
            writeln!(f, "  published    none: no paper gives a figure here")?;
        }
        for (number, claim) in evaluation.published.iter().enumerate() {
            let holds = match evaluation.analytic {
                Some(Exact::Integer(cost)) if claim.relation.holds(cost, claim.value) => "holds",
                _ => "does not hold",
            };
            let title = if number == 0 { "published" } else { "" };
            let (sign, value) = (claim.relation.symbol(), counted(claim.value, unit));
            writeln!(f, "  {title:<11}  cost {sign} {value}: {}, {}; {holds}", claim.place, claim.formula)?;
        }
        match &evaluation.analytic {
            Some(cost) => {
                let by = evaluation.by.map_or_else(String::new, |by| format!(", by {}", by.word()));
                writeln!(f, "  analytic     {}{}{by}", exact(cost, unit), self.over_bound(cost))?;
            }
            None => writeln!(f, "  analytic     none: {}", entry.unknown(cell.machines.setting(), &cell.values))?,
        }
        match &evaluation.simulated {
            Simulated::Exact(cost) => {
                writeln!(f, "  simulated    {}, {}", counted(*cost, unit), self.agreement())
            }
            Simulated::Mean(sample) => {
                let error = sample.squared_standard_error().and_then(|squared| rounded(&Exact::from(squared)));
                let spread =
                    error.map_or_else(String::new, |squared| format!(" +- {:.4} (standard error)", squared.sqrt()));
                let mean = rounded(&Exact::from(sample.mean())).unwrap_or(f64::NAN);
                let (trials, unit) = (plural(sample.trials, "trial"), unit.plural());
                writeln!(f, "  simulated    {mean:.4}{spread} {unit}, mean of {trials}, {}", self.agreement())
            }
            Simulated::ExactMean(mean) => writeln!(f, "  simulated    {}, {}", exact(mean, unit), self.agreement()),
            Simulated::Skipped(reason) => writeln!(f, "  simulated    not run: {reason}"),
        }?;
        if let Some(Capacity { finish, delayed, longest_delay }) = capacity {
            let late = match delayed {
                0 => "no processor ends later".to_owned(),
                _ => format!("{} later, by {} at most", plural(*delayed, "processor"), counted(*longest_delay, unit)),
            };
            writeln!(f, "  capacity     {} until every operation has ended, {late}", counted(*finish, unit))?;
        }
        match ended(cell) {
            Some(ended) if Some(&ended) != evaluation.analytic.as_ref() => {
                writeln!(
                    f,
                    "  all ended    {}: some nodes receive data that they hold already, and MPI waits for these \
                     messages",
                    exact(&ended, unit)
                )
            }
            _ => Ok(()),
        }
    }
}

/// When every operation has ended, if the problem distinguishes that from its cost.
fn ended(cell: &Cell<'_>) -> Option<Exact> {
    cell.entry.ended(cell.machines.setting(), &cell.values)?.ok()
}

pub(super) fn counted(count: impl Into<u128>, unit: Unit) -> String {
    let (count, unit) = (count.into(), unit.plural());
    let unit = if count == 1 && unit != Unit::Nanoseconds.plural() { unit.trim_end_matches('s') } else { unit };
    format!("{} {unit}", grouped(count))
}

pub(super) fn exact(exact: &Exact, unit: Unit) -> String {
    match exact {
        Exact::Integer(value) => counted(*value, unit),
        Exact::Rational(_) => {
            let value = rounded(exact).unwrap_or(f64::NAN);
            let fraction = exact.to_string();
            // A fraction of a large mesh has hundreds of digits; JSON prints all of them.
            let shown = if fraction.len() <= 40 { fraction } else { "exact fraction with --format json".to_owned() };
            format!("{value:.4} {} ({shown})", unit.plural())
        }
    }
}

impl Report<'_> {
    fn over_bound(&self, cost: &Exact) -> String {
        match (rounded(cost), rounded(&self.evaluation.lower_bound)) {
            (Some(cost), Some(bound)) if bound > 0.0 => format!(", {:.2} x the lower bound", cost / bound),
            _ => String::new(),
        }
    }

    fn agreement(&self) -> &'static str {
        match self.evaluation.agreement() {
            Agreement::Agree => "agrees",
            Agreement::Differ => "DIFFERS from analytic",
            Agreement::NotCompared if self.evaluation.analytic.is_none() => "with nothing to compare",
            Agreement::NotCompared => "too few trials to compare",
        }
    }
}
