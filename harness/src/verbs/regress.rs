//! `castbench regress` and `compare`: whether any cost got worse.

use std::fmt::Write as _;
use std::io::Write as _;

use serde::Serialize;

use super::sweep::threads;
use super::table::table;
use crate::cli::{Compare, Regress, RegressAction, ReportFormat};
use crate::config::{BuiltIn, Config};
use crate::failure::{Code, Failure, stdout, tell};
use crate::markup;
use crate::regress::{self, Accept, Baseline, Change, Comparison, GridChange, Place, Tally, Today};
use crate::signals;
use crate::terminal;
use crate::units::{self, begins_formula, grouped, plural};

/// Runs the verb `regress`.
///
/// # Errors
/// Exit code 6 if a cost got worse, 7 without a baseline, 8 if points cannot be compared; those of a sweep.
pub fn run(arguments: &Regress) -> Result<(), Failure> {
    let jobs = threads(arguments.jobs)?;
    let config = Config::select(arguments.config.as_deref(), BuiltIn::Regress, &[])?;
    let command = Accept { baseline: &arguments.baseline, config: arguments.config.as_deref() };
    if let Some(RegressAction::Accept { reason }) = &arguments.action {
        return accept(arguments, &config, jobs, reason, &command);
    }
    let comparison = told(REGRESS, arguments.format, || {
        let Some(baseline) = Baseline::open(&arguments.baseline, &command)? else {
            let directory = arguments.baseline.display();
            let explanation = format_args!("there is no baseline in `{directory}`; {}", command.advice());
            return Err(Failure::new(Code::NoBaseline, explanation));
        };
        signals::stop_on_interrupt()?;
        Today::evaluate(&config, jobs)?.against(&baseline)
    })?;
    print(&comparison, REGRESS, arguments.format, arguments.points)?;
    let gone = comparison.count(|tally| tally.gone);
    verdict(&comparison, gone, &format!("if this is intended: {command}"))
}

/// Compares. Without anything to compare, the output in the format asked for says so.
fn told(
    verb: &str,
    format: ReportFormat,
    compare: impl FnOnce() -> Result<Comparison, Failure>,
) -> Result<Comparison, Failure> {
    let failure = match compare() {
        Err(failure) if matches!(failure.code, Code::Incomparable | Code::NoBaseline) => failure,
        other => return other,
    };
    let word = if failure.code == Code::NoBaseline { "no_baseline" } else { "incomparable" };
    let reason = failure.explanation();
    let mut out = terminal::text_if(format != ReportFormat::Json);
    stdout(match format {
        ReportFormat::Table => Ok(()),
        ReportFormat::Markdown => writeln!(out, "{}{}", heading(verb, word), markup::markdown(&reason)),
        ReportFormat::Json => {
            let report = serde_json::json!({ "verdict": word, "reason": reason });
            serde_json::to_writer_pretty(&mut out, &report).map_err(Into::into).and_then(|()| writeln!(out))
        }
    })?;
    Err(failure)
}

const REGRESS: &str = "regress";
const COMPARE: &str = "compare";

/// Runs the verb `compare`.
///
/// # Errors
/// Exit code 6 if a cost got worse, 8 if the sweeps share no point, 74 if a directory cannot be read.
pub fn compare(arguments: &Compare) -> Result<(), Failure> {
    let compare = || regress::compare(&arguments.old, &arguments.new);
    let comparison = told(COMPARE, arguments.format, compare)?;
    print(&comparison, COMPARE, arguments.format, arguments.points)?;
    // Sweeps of different grids are compared where they overlap.
    verdict(&comparison, 0, "the table shows where")
}

fn accept(
    arguments: &Regress,
    config: &Config,
    jobs: Option<usize>,
    reason: &str,
    command: &Accept<'_>,
) -> Result<(), Failure> {
    let reason = reason.trim();
    if reason.is_empty() || reason.contains(char::is_control) || begins_formula(reason) {
        let explanation = "--reason: expected one line without control characters that says why the new costs are \
                           right; a spreadsheet reads `=`, `+`, `-` or `@` at its start as a formula";
        return Err(Failure::usage(explanation));
    }
    signals::stop_on_interrupt()?;
    let place = Place::of(&arguments.baseline)?;
    let today = Today::evaluate(config, jobs)?;
    let date = units::now().strftime("%Y-%m-%d").to_string();
    // Accepting replaces an unreadable baseline; without it, nothing can be compared.
    let known = Baseline::open(&arguments.baseline, command).unwrap_or_else(|failure| {
        tell(format_args!("{}\nthe old baseline is ignored: every point counts as new", failure.explanation()));
        None
    });
    match today.accept(known.as_ref(), place, (&date, reason))? {
        None => tell("nothing to accept: the baseline has the current costs"),
        Some(comparison) => {
            print(&comparison, "regress accept", arguments.format, arguments.points)?;
            tell(format_args!("accepted into {}", arguments.baseline.display()));
        }
    }
    Ok(())
}

/// The verdict of a comparison; `gone` points count as incomparable.
fn verdict(comparison: &Comparison, gone: u64, advice: &str) -> Result<(), Failure> {
    let worse = comparison.count(|tally| tally.worse);
    if worse > 0 {
        let mut explanation = format!("the cost got worse at {}", plural(worse, "point"));
        if !comparison.changed_grids.is_empty() {
            explanation += &format!("; the grids differ, too: {}", changed(comparison));
        }
        return Err(Failure::new(Code::Regression, format_args!("{explanation}; {advice}")));
    }
    if !comparison.changed_grids.is_empty() {
        let explanation = format_args!(
            "the grids differ from those of the baseline: {}. {} in common, {advice}",
            changed(comparison),
            plural(comparison.in_common(), "point"),
        );
        return Err(Failure::new(Code::Incomparable, explanation));
    }
    let incomparable = comparison.count(|tally| tally.incomparable) + gone;
    if incomparable > 0 {
        let explanation = format_args!(
            "{} of the baseline cannot be compared: removed since, or the revision of their algorithm changed; \
             {advice}",
            plural(incomparable, "point")
        );
        return Err(Failure::new(Code::Incomparable, explanation));
    }
    Ok(())
}

fn changed(comparison: &Comparison) -> String {
    comparison.changed_grids.iter().map(GridChange::to_string).collect::<Vec<_>>().join("; ")
}

fn heading(verb: &str, word: &str) -> String {
    format!("**castbench {verb}: {word}**\n\n")
}

fn print(comparison: &Comparison, verb: &str, format: ReportFormat, points: u64) -> Result<(), Failure> {
    let points = usize::try_from(points).unwrap_or(usize::MAX);
    let mut out = terminal::text_if(format != ReportFormat::Json);
    match format {
        ReportFormat::Table => stdout(write!(out, "{}", for_people(comparison, points))),
        ReportFormat::Markdown => stdout(write!(out, "{}", markdown(comparison, verb, points))),
        ReportFormat::Json => {
            #[derive(Serialize)]
            struct Report<'a> {
                verdict: &'static str,
                #[serde(flatten)]
                comparison: &'a Comparison,
            }
            let report = Report { verdict: word(comparison, verb), comparison };
            stdout(serde_json::to_writer_pretty(&mut out, &report).map_err(Into::into).and_then(|()| writeln!(out)))
        }
    }
}

const TITLES: [&str; 7] = ["algorithm", "equal", "better", "worse", "new", "gone", "incomparable"];

fn cells(tally: &Tally) -> [String; 7] {
    let counts = [tally.equal, tally.better, tally.worse, tally.new, tally.gone, tally.incomparable];
    let [equal, better, worse, new, gone, incomparable] = counts.map(grouped);
    [tally.algorithm.clone(), equal, better, worse, new, gone, incomparable]
}

const CHANGE_TITLES: [&str; 6] = ["", "point", "before", "now", "now/before", "lower bound"];

fn change_cells(change: &Change) -> [String; 6] {
    let cost = |cost: &Option<String>| cost.clone().unwrap_or_else(|| "none".to_owned());
    let ratio = change.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default();
    let point = format!("{} {}", change.algorithm, change.point);
    let (old, new) = (cost(&change.old), cost(&change.new));
    [change.verdict.word().to_owned(), point, old, new, ratio, change.lower_bound.clone()]
}

fn for_people(comparison: &Comparison, points: usize) -> String {
    let mut tallies = table(TITLES);
    for tally in &comparison.algorithms {
        tallies.add_row(cells(tally));
    }
    let mut text = format!("{tallies}\n");
    if points > 0 && comparison.told().next().is_some() {
        let mut changes = table(CHANGE_TITLES);
        for change in comparison.told().take(points) {
            changes.add_row(change_cells(change));
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{changes}\n");
    }
    for line in remarks(comparison, points) {
        let _ = writeln!(text, "{line}");
    }
    text
}

fn markdown(comparison: &Comparison, verb: &str, points: usize) -> String {
    let tallies = comparison.algorithms.iter().map(|tally| {
        let [algorithm, counts @ ..] = cells(tally);
        std::iter::once(markup::markdown(&algorithm)).chain(counts).map(Into::into)
    });
    let mut text = heading(verb, word(comparison, verb)) + &markup::table(&TITLES, tallies);
    if points > 0 && comparison.told().next().is_some() {
        let changes = comparison.told().take(points).map(|change| {
            let mut cells = change_cells(change);
            cells[1] = markup::code(&cells[1]);
            cells.map(Into::into)
        });
        text += &format!("\n{}", markup::table(&CHANGE_TITLES, changes));
    }
    for line in remarks(comparison, points) {
        let _ = write!(text, "\n{}\n", markup::markdown(&line));
    }
    text
}

/// Sweeps of different grids are compared where they overlap, a baseline as a whole.
fn word(comparison: &Comparison, verb: &str) -> &'static str {
    if verb == COMPARE { comparison.word_of_overlap() } else { comparison.word() }
}

fn remarks(comparison: &Comparison, points: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if !comparison.changed_grids.is_empty() {
        let common = plural(comparison.in_common(), "point");
        lines.push(format!("{common} in common were compared; the grids changed: {}", changed(comparison)));
    }
    let hidden = comparison.told().count().saturating_sub(points);
    if hidden > 0 {
        let hidden = plural(hidden as u64, "more point");
        lines.push(format!("{hidden} with another cost; --points N shows more, --format json all"));
    }
    let moved = comparison.count(|tally| tally.bound_moved);
    if moved > 0 {
        lines.push(format!("the lower bound changed at {} with equal cost", plural(moved, "point")));
    }
    lines
}
