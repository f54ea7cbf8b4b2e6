//! `castbench regress` and `compare`: whether any cost got worse.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;

use super::sweep::threads;
use crate::config::{BuiltIn, Config};
use crate::failure::{Code, Failure, stdout, tell};
use crate::markup;
use crate::print::{self, Column, Format, Record};
use crate::regress::{self, Accept, Baseline, Change, Comparison, DIRECTORY, GridChange, Place, Tally, Today};
use crate::signals;
use crate::units::{self, begins_formula, parse_count, plural};

pub(crate) const COMPARE_HELP: &str =
    "Points of only one sweep are counted as gone or new. Exit code 6: a cost got worse. 8: \
the sweeps have no common point. 0: otherwise.

Example:
  castbench compare reports/old reports/new --points 20";

pub(crate) const HELP: &str =
    "Costs are exact, so every difference is real. Exit code 0: all costs are equal, better or new. 6: a cost got \
worse. 8: none got worse, but some points cannot be compared or are gone. 7: there is no baseline.

Examples:
  castbench regress
  castbench regress --format markdown
  castbench regress accept --reason \"fibonacci: a better split of 12 nodes\"";

/// Arguments of `regress`.
#[derive(Debug, Args)]
pub struct Regress {
    /// What to do instead of comparing.
    #[command(subcommand)]
    pub action: Option<RegressAction>,
    /// Directory of the baseline; the history is in its parent directory
    #[arg(long, value_name = "DIR", default_value = DIRECTORY, global = true)]
    pub baseline: PathBuf,
    /// Configuration file with the grids [default: the one that `castbench init regress` prints]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true, global = true)]
    pub jobs: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table, global = true)]
    pub format: Format,
    /// Most points with another cost that a table shows
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10, global = true)]
    pub points: u64,
}

/// What `regress` does instead of comparing.
#[derive(Debug, Subcommand)]
pub enum RegressAction {
    /// Accept current costs as the baseline, and record the reason in the history
    Accept {
        /// Why the new costs are right
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
pub struct Compare {
    /// Directory of a sweep, or a baseline
    pub old: PathBuf,
    /// Directory of the sweep to compare with it
    pub new: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Most points with another cost that a table shows
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 10)]
    pub points: u64,
}

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
    format: Format,
    compare: impl FnOnce() -> Result<Comparison, Failure>,
) -> Result<Comparison, Failure> {
    let failure = match compare() {
        Err(failure) if matches!(failure.code, Code::Incomparable | Code::NoBaseline) => failure,
        other => return other,
    };
    let word = if failure.code == Code::NoBaseline { "no_baseline" } else { "incomparable" };
    let reason = failure.explanation();
    let mut out = format.stdout();
    match format {
        Format::Table | Format::Csv => {}
        Format::Markdown => stdout(writeln!(out, "{}{}", heading(verb, word), markup::markdown(&reason)))?,
        Format::Json => print::json(&json!({ "verdict": word, "reason": reason }), &mut out)?,
    }
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

fn tallies<'a>() -> Vec<Column<'a, &'a Tally>> {
    type Of<'a> = Column<'a, &'a Tally>;
    vec![
        Of::new("algorithm", "name of the algorithm", |tally| tally.algorithm.clone()),
        Of::new("equal", "points with the same cost in both", |tally| tally.equal),
        Of::new("better", "points with a lower cost now", |tally| tally.better),
        Of::new("worse", "points with a higher cost now", |tally| tally.worse),
        Of::new("new", "points with a cost now and none before", |tally| tally.new),
        Of::new("gone", "points with a cost before and none now", |tally| tally.gone),
        Of::new("incomparable", "points with another revision of the algorithm", |tally| tally.incomparable),
        Of::new("bound_moved", "points with the same cost and another lower bound", |tally| tally.bound_moved)
            .untitled(),
    ]
}

/// The columns of CSV, and of the list `changes` in JSON.
pub(super) fn columns<'a>() -> Vec<Column<'a, &'a Change>> {
    type Of<'a> = Column<'a, &'a Change>;
    let cost = |cost: &Option<String>| cost.clone().unwrap_or_else(|| "none".to_owned());
    vec![
        Of::new("verdict", "`worse`, `gone`, `better` or `new`", |change| change.verdict.word()),
        Of::new("algorithm", "name of the algorithm", |change| change.algorithm.clone()).untitled(),
        Of::new("point", "the point, as options of `castbench cost`", |change| change.point.clone())
            .shown("point", |change| format!("{} {}", change.algorithm, change.point))
            .code(),
        Of::new("old", "cost before", |change| change.old.clone()).shown("before", move |change| cost(&change.old)),
        Of::new("new", "cost now", |change| change.new.clone()).shown("now", move |change| cost(&change.new)),
        Of::text("now/before", |change| change.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default()),
        Of::new("lower_bound", "the current lower bound; the old one without a current cost", |change| {
            change.lower_bound.clone()
        }),
    ]
}

#[derive(Serialize)]
struct Report<'c, 'a> {
    verdict: &'static str,
    changed_grids: &'a [GridChange],
    algorithms: Vec<Record<'c, 'a, &'a Tally>>,
    changes: Vec<Record<'c, 'a, &'a Change>>,
}

fn print(comparison: &Comparison, verb: &str, format: Format, points: u64) -> Result<(), Failure> {
    let mut out = format.stdout();
    let told = word(comparison, verb);
    if format == Format::Csv {
        return print::csv(&columns(), &comparison.changes, &mut out);
    }
    if format == Format::Json {
        let Comparison { changed_grids, algorithms, changes } = comparison;
        let (of_algorithms, of_changes) = (tallies(), columns());
        let report = Report {
            verdict: told,
            changed_grids,
            algorithms: print::records(&of_algorithms, algorithms),
            changes: print::records(&of_changes, changes),
        };
        return print::json(&report, &mut out);
    }
    let points = usize::try_from(points).unwrap_or(usize::MAX);
    let is_markdown = format == Format::Markdown;
    let mut text = if is_markdown { heading(verb, told) } else { String::new() };
    text += &print::text(format, &tallies(), &comparison.algorithms);
    if points > 0 && comparison.told().next().is_some() {
        text += &format!("\n{}", print::text(format, &columns(), comparison.told().take(points)));
    }
    for line in remarks(comparison, points) {
        text += &if is_markdown { format!("\n{}\n", markup::markdown(&line)) } else { format!("{line}\n") };
    }
    stdout(out.write_all(text.as_bytes()))
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
