//! `castbench regress`: whether any cost got worse.

pub(super) mod today;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use algorithms::catalogue;
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;

use super::options::formats;
use crate::base::failure::{Code, Failure, Result, stdout, tell};
use crate::base::terminal;
use crate::base::units::{self, begins_formula, joined, parse_count, plural};
use crate::config::Config;
use crate::figures;
use crate::output::built_in::BuiltIn;
use crate::output::{ending, signals};
use crate::print::ci::{self, Case};
use crate::print::column::Tabled as _;
use crate::print::markup;
use crate::print::{self, Columns, Format, Object};
use crate::regress::costs::Costs;
use crate::regress::{
    self, Accept, Baseline, Change, Comparison, DIRECTORY, GridChange, Locked, Verdict, Verdicts,
};

/// Arguments of `regress`.
#[derive(Debug, Args)]
#[command(
    after_help = "Costs are exact, so every difference is real. Exit code 0: all costs are equal, better or new. 6: a cost got \
worse. 8: none got worse, but some points cannot be compared or are gone. 7: there is no baseline. With --against, \
points of only one sweep are counted as gone or new, and 8 is that the sweeps have no common point.

Examples:
  castbench regress
  castbench regress --from reports/new --against reports/old --points 20
  castbench regress --format markdown
  castbench regress --config my.toml --baseline gate/baseline --format github --summary summary.md
  castbench regress accept --reason \"fibonacci: a better split of 12 nodes\""
)]
pub struct Regress {
    /// What to do instead of comparing.
    #[command(subcommand)]
    pub action: Option<RegressAction>,
    /// Directory of the baseline; the history is in its parent directory
    #[arg(long, value_name = "DIR", default_value = DIRECTORY, global = true)]
    pub baseline: PathBuf,
    /// Directory of a sweep whose costs are compared instead of current ones
    #[arg(long, value_name = "DIR", requires = "against", conflicts_with_all = ["baseline", "config", "jobs"])]
    pub from: Option<PathBuf>,
    /// Directory of a sweep, or a baseline, with which --from is compared
    #[arg(long, value_name = "DIR", requires = "from", conflicts_with_all = ["baseline", "config", "jobs"])]
    pub against: Option<PathBuf>,
    /// Configuration file with the grids [default: the one that `castbench init regress` prints]
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,
    /// Threads [default: one per core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, global = true)]
    pub jobs: Option<usize>,
    /// How to print
    #[arg(long, value_parser = formats(RegressFormat::Plain, OF_CI), default_value = "table", global = true)]
    pub format: RegressFormat,
    /// Also add the comparison in Markdown to this file, as to that of a job of GitHub Actions
    #[arg(long, value_name = "FILE", global = true, value_parser = ending::named(&["md"]))]
    pub summary: Option<PathBuf>,
    /// Most points with another cost, new or gone, that a table shows
    #[arg(long, value_name = "COUNT", value_parser = points, allow_negative_numbers = true, default_value_t = 10, global = true)]
    pub points: usize,
}

/// How `regress` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegressFormat {
    /// The formats of other verbs.
    Plain(Format),
    /// XML for CI servers.
    Junit,
    /// Commands of GitHub Actions.
    Github,
    /// Current costs for Bencher.
    Bencher,
    /// Current costs for github-action-benchmark.
    SmallerIsBetter,
}

fn points(text: &str) -> Result<usize, String> {
    Ok(usize::try_from(parse_count(text)?).unwrap_or(usize::MAX))
}

const OF_CI: [(&str, &str, RegressFormat); 4] = [
    (
        "junit",
        "XML that CI servers show as tests, one for each algorithm",
        RegressFormat::Junit,
    ),
    (
        "github",
        "Commands of GitHub Actions: an error for each worse point",
        RegressFormat::Github,
    ),
    (
        "bencher",
        "Current costs in Bencher Metric Format; needs no baseline",
        RegressFormat::Bencher,
    ),
    (
        "customSmallerIsBetter",
        "Current costs for github-action-benchmark; needs no baseline",
        RegressFormat::SmallerIsBetter,
    ),
];

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

/// Runs the verb `regress`.
///
/// # Errors
/// Exit code 6 if a cost got worse, 7 without a baseline, 8 if points cannot be compared; those of a sweep.
pub fn run(arguments: &Regress) -> Result {
    if let (Some(from), Some(against)) = (&arguments.from, &arguments.against) {
        if arguments.action.is_some() {
            bail!("--from: `regress accept` accepts current costs; remove --from and --against");
        }
        return compare(arguments, from, against);
    }
    let config = Config::select(arguments.config.as_deref(), BuiltIn::Regress, &[])?;
    figures::of(&config)?;
    let command = Accept {
        baseline: &arguments.baseline,
        config: arguments.config.as_deref(),
    };
    if let Some(RegressAction::Accept { reason }) = &arguments.action {
        let RegressFormat::Plain(_) = arguments.format else {
            bail!(
                "--format: `regress accept` prints {}; compare first, then accept",
                Format::names()
            );
        };
        return accept(arguments, &config, reason, &command);
    }
    let Some(outcome) = compared(arguments, &config, &command).transpose() else {
        return Ok(());
    };
    let file = arguments
        .config
        .as_ref()
        .map_or_else(String::new, |path| path.display().to_string());
    print(
        REGRESS,
        outcome.as_ref().map(|(comparison, _)| comparison),
        arguments,
        &file,
    )?;
    let (comparison, failure) = outcome?;
    let gone = comparison.count(|tally| tally.gone);
    let verdict = verdict(
        &comparison,
        gone,
        &format!("if this is intended: {command}"),
    );
    match failure {
        Some(failure) if comparison.count(|tally| tally.worse) == 0 => Err(failure),
        _ => verdict,
    }
}

/// Compares current costs with the baseline; also why some points have none. A dashboard gets the costs first, and needs no baseline.
fn compared(
    arguments: &Regress,
    config: &Config,
    command: &Accept<'_>,
) -> Result<Option<(Comparison, Option<Failure>)>> {
    let baseline = Baseline::open(&arguments.baseline, command)?;
    let is_dashboard = matches!(
        arguments.format,
        RegressFormat::Bencher | RegressFormat::SmallerIsBetter
    );
    if baseline.is_none() && !is_dashboard {
        let directory = arguments.baseline.display();
        bail!(
            NoBaseline,
            "there is no baseline in `{directory}`; {}",
            command.advice()
        );
    }
    signals::stop_on_interrupt()?;
    let mut today = today::evaluate(config, arguments.jobs)?;
    if is_dashboard {
        today = today.whole()?;
        let mut out = terminal::data();
        let metrics = Vec::from_iter(today.costs.iter().flat_map(Costs::metrics));
        match arguments.format {
            RegressFormat::Bencher => print::json(&ci::bencher(&metrics), &mut out)?,
            _ => print::json(&metrics, &mut out)?,
        }
    }
    let compared = baseline.map(|baseline| today.against(&baseline));
    Ok(compared.transpose()?.map(|found| (found, today.failure)))
}

const REGRESS: &str = "regress";
const COMPARE: &str = "regress --against";

/// Compares two sweeps.
fn compare(arguments: &Regress, from: &Path, against: &Path) -> Result {
    if matches!(
        arguments.format,
        RegressFormat::Bencher | RegressFormat::SmallerIsBetter
    ) {
        bail!("--format: it has current costs only; remove --from and --against");
    }
    let outcome = regress::compare(against, from);
    print(COMPARE, outcome.as_ref(), arguments, "")?;
    // Sweeps of different grids are compared where they overlap.
    verdict(&outcome?, 0, "the table shows where")
}

/// Prints a comparison, and adds it to the summary that is asked.
fn print(
    verb: &str,
    outcome: Result<&Comparison, &Failure>,
    arguments: &Regress,
    file: &str,
) -> Result {
    show(verb, outcome, arguments.format, (arguments.points, file))?;
    if let Ok(comparison) = outcome {
        comparison.left.statements().for_each(tell);
    }
    if let Some(path) = &arguments.summary {
        ci::summarise(path, &markdown(verb, outcome, arguments.points))?;
    }
    Ok(())
}

fn accept(arguments: &Regress, config: &Config, reason: &str, command: &Accept<'_>) -> Result {
    let reason = reason.trim();
    if reason.is_empty() || reason.contains(char::is_control) || begins_formula(reason) {
        bail!(
            "--reason: expected one line without control characters that says why the new costs are \
                           right; a spreadsheet reads `=`, `+`, `-` or `@` at its start as a formula"
        );
    }
    signals::stop_on_interrupt()?;
    let locked = Locked::new(&arguments.baseline)?;
    let today = today::evaluate(config, arguments.jobs)?.whole()?;
    let date = units::now().strftime("%Y-%m-%d").to_string();
    // Accepting replaces an unreadable baseline; without it, nothing can be compared.
    let known = Baseline::open(&arguments.baseline, command).unwrap_or_else(|failure| {
        tell!(
            "{}\nthe old baseline is ignored: every point counts as new",
            failure.explanation()
        );
        None
    });
    match today.accept(known.as_ref(), locked, (&date, reason))? {
        None => tell("nothing to accept: the baseline has the current costs"),
        Some(comparison) => {
            show(
                "regress accept",
                Ok(&comparison),
                arguments.format,
                (arguments.points, ""),
            )?;
            comparison.left.statements().for_each(tell);
            tell!("accepted into {}", arguments.baseline.display());
        }
    }
    Ok(())
}

/// The verdict of a comparison; `gone` points count as incomparable.
fn verdict(comparison: &Comparison, gone: u64, advice: &str) -> Result {
    let worse = comparison.count(|tally| tally.worse);
    if worse > 0 {
        let mut explanation = format!("the cost got worse at {}", plural(worse, "point"));
        if !comparison.changed_grids.is_empty() {
            explanation += &format!("; the grids differ, too: {}", changed(comparison));
        }
        bail!(Regression, "{explanation}; {advice}");
    }
    if !comparison.changed_grids.is_empty() {
        bail!(
            Incomparable,
            "the grids differ from those of the baseline: {}; {} in common; {advice}",
            changed(comparison),
            plural(comparison.in_common(), "point")
        );
    }
    let incomparable = comparison.count(|tally| tally.incomparable) + gone;
    if incomparable > 0 {
        bail!(
            Incomparable,
            "{} cannot be compared: removed since the baseline, failed, or the revision of their algorithm changed; \
             {advice}",
            plural(incomparable, "point")
        );
    }
    Ok(())
}

fn changed(comparison: &Comparison) -> String {
    joined(
        "; ",
        comparison.changed_grids.iter().map(GridChange::to_string),
    )
}

fn tallies() -> Columns<'static, Verdicts> {
    Columns(Verdicts::columns()).data_only(|name| name == "bound_moved")
}

fn cost(cost: &Option<String>) -> String {
    cost.clone().unwrap_or_else(|| "none".to_owned())
}

/// The columns of CSV, and of the list `changes` in JSON.
pub(super) fn columns() -> Columns<'static, Change> {
    Columns::<Change>::empty()
        .column("verdict", "`worse`, `gone`, `better` or `new`", |change| {
            change.verdict.word()
        })
        .data("algorithm", "name of the algorithm", |change| {
            change.algorithm.clone()
        })
        .column(
            "point",
            "the point, as options of `castbench cost`",
            |change| change.point.clone(),
        )
        .shown("point", |change| {
            format!("{} {}", change.algorithm, change.point)
        })
        .code()
        .column("old", "cost before", |change| change.old.clone())
        .shown("before", |change| cost(&change.old))
        .column("new", "cost now", |change| change.new.clone())
        .shown("now", |change| cost(&change.new))
        .text("now/before", |change| {
            change
                .ratio()
                .map(|ratio| format!("{ratio:.3}"))
                .unwrap_or_default()
        })
        .column(
            "lower_bound",
            "the current lower bound; the old one without a current cost",
            |change| change.lower_bound.clone(),
        )
}

#[derive(Serialize)]
struct Report<'c, 'a> {
    verdict: &'static str,
    changed_grids: &'a [GridChange],
    algorithms: Vec<Object<'c, 'static, Verdicts, &'a Verdicts>>,
    changes: Vec<Object<'c, 'static, Change, &'a Change>>,
    not_compared: Vec<String>,
}

/// A comparison, or why there is none.
type Outcome<'a> = Result<&'a Comparison, &'a Failure>;

/// Prints an outcome in any format. Where there was nothing to compare, formats for programs and reviews say so;
/// another failure is only a message, and an error for CI servers.
fn show(
    verb: &str,
    outcome: Outcome<'_>,
    format: RegressFormat,
    (points, file): (usize, &str),
) -> Result {
    if matches!(format, RegressFormat::Plain(_))
        && outcome.is_err_and(|failure| absence(failure).is_none())
    {
        return Ok(());
    }
    let mut out = if let RegressFormat::Plain(format) = format {
        format.stdout()
    } else {
        terminal::data()
    };
    match (format, outcome) {
        (RegressFormat::Bencher | RegressFormat::SmallerIsBetter, _) => Ok(()),
        (RegressFormat::Junit, _) => stdout(writeln!(
            out,
            "{}",
            ci::junit("castbench regress", &cases(outcome, points))
        )),
        (RegressFormat::Github, _) => {
            let message = annotations(outcome, points, file);
            stdout(message.iter().try_for_each(|line| writeln!(out, "{line}")))
        }
        (RegressFormat::Plain(Format::Csv), Ok(comparison)) => {
            print::csv(&columns(), &comparison.changes, &mut out)
        }
        (RegressFormat::Plain(Format::Json), Err(failure)) => print::json(
            &json!({ "verdict": absence(failure), "reason": failure.explanation() }),
            &mut out,
        ),
        (RegressFormat::Plain(Format::Json), Ok(comparison)) => {
            let Comparison {
                changed_grids,
                algorithms,
                changes,
                left,
            } = comparison;
            let (of_algorithms, of_changes) = (tallies(), columns());
            let report = Report {
                verdict: word(comparison, verb),
                changed_grids,
                algorithms: print::records(&of_algorithms, algorithms),
                changes: print::records(&of_changes, changes),
                not_compared: left.statements().collect(),
            };
            print::json(&report, &mut out)
        }
        (RegressFormat::Plain(Format::Markdown), _) => {
            stdout(out.write_all(markdown(verb, outcome, points).as_bytes()))
        }
        (RegressFormat::Plain(_), Err(_)) => Ok(()),
        (RegressFormat::Plain(format), Ok(comparison)) => {
            stdout(out.write_all(text(comparison, format, points).as_bytes()))
        }
    }
}

/// The word for a failure that leaves nothing to compare.
fn absence(failure: &Failure) -> Option<&'static str> {
    match failure.code {
        Code::NoBaseline => Some("no_baseline"),
        Code::Incomparable => Some("incomparable"),
        _ => None,
    }
}

fn markdown(verb: &str, outcome: Outcome<'_>, points: usize) -> String {
    let (message, text) = match outcome {
        Ok(comparison) => (
            word(comparison, verb),
            text(comparison, Format::Markdown, points),
        ),
        Err(failure) => (
            absence(failure).unwrap_or("failed"),
            markup::markdown(&failure.explanation()) + "\n",
        ),
    };
    format!("**castbench {verb}: {message}**\n\n{text}")
}

/// Counts, points and remarks.
fn text(comparison: &Comparison, format: Format, points: usize) -> String {
    let mut text = print::text(format, &tallies(), &comparison.algorithms);
    if points > 0 && comparison.reported().next().is_some() {
        text += &format!(
            "\n{}",
            print::text(format, &columns(), comparison.reported().take(points))
        );
    }
    let is_terminal = format == Format::Table;
    for line in remarks(comparison, points) {
        let paragraph = if is_terminal { "" } else { "\n" };
        text += &format!("{paragraph}{}\n", format.escaped(&line));
    }
    text
}

/// A point with two costs on one line.
fn spelled(change: &Change) -> String {
    let Change {
        algorithm, point, ..
    } = change;
    let [before, now] = [&change.old, &change.new].map(cost);
    let verdict = change.verdict.word();
    format!("{verdict}: {algorithm} {point}: {before} before, {now} now")
}

/// What fails for a whole comparison: why there is none, other grids, and points without a cost.
fn broken(outcome: Outcome<'_>) -> Option<String> {
    match outcome {
        Err(failure) => Some(failure.explanation()),
        Ok(comparison) if comparison.changed_grids.is_empty() => comparison.left.failures(),
        Ok(comparison) => Some(format!(
            "the grids differ from those of the baseline: {}",
            changed(comparison)
        )),
    }
}

/// A test for the baseline and one for each algorithm, so that names stay from run to run.
fn cases(outcome: Outcome<'_>, points: usize) -> Vec<Case> {
    let broken = broken(outcome).map(|message| ("not compared".to_owned(), message, String::new()));
    let baseline = Case {
        class: "castbench".to_owned(),
        name: "baseline".to_owned(),
        failure: broken,
        output: String::new(),
    };
    let of = |comparison: &Comparison, tally: &Verdicts| {
        let Verdicts {
            equal,
            better,
            worse,
            new,
            gone,
            incomparable,
            ..
        } = *tally;
        let gone = if comparison.changed_grids.is_empty() {
            gone
        } else {
            0
        };
        let failing = comparison.reported().filter(|change| {
            change.algorithm == tally.algorithm
                && matches!(change.verdict, Verdict::Worse | Verdict::Gone)
        });
        let kind = if worse > 0 { "worse" } else { "incomparable" };
        let message = format!("{worse} points worse, {gone} gone, {incomparable} incomparable");
        let text = joined("\n", failing.take(points).map(spelled));
        let is_bad = worse + gone + incomparable > 0;
        Case {
            class: catalogue::find(&tally.algorithm)
                .map_or("", |entry| entry.problem().name)
                .to_owned(),
            name: tally.algorithm.clone(),
            failure: is_bad.then(|| (kind.to_owned(), message, text)),
            output: format!("{equal} points equal, {better} better, {new} new"),
        }
    };
    let algorithms = outcome.into_iter().flat_map(|comparison| {
        comparison
            .algorithms
            .iter()
            .map(move |tally| of(comparison, tally))
    });
    std::iter::once(baseline).chain(algorithms).collect()
}

/// An error for each worse point and for what is broken, then a notice with the counts.
fn annotations(outcome: Outcome<'_>, points: usize, file: &str) -> Vec<String> {
    let note = |level: &str, title: &str, text: &str| {
        ci::annotation(
            level,
            (file, None),
            &format!("castbench regress: {title}"),
            text,
        )
    };
    let mut lines: Vec<String> = broken(outcome)
        .iter()
        .map(|message| note("error", "not compared", message))
        .collect();
    let Ok(comparison) = outcome else {
        return lines;
    };
    let failing = comparison
        .reported()
        .filter(|change| change.verdict != Verdict::Better);
    lines.extend(
        failing
            .take(points)
            .map(|change| note("error", change.verdict.word(), &spelled(change))),
    );
    let count = |of: fn(&Verdicts) -> u64| comparison.count(of);
    let counts = format!(
        "{} points worse, {} gone, {} incomparable, {} better, {} equal, {} new",
        count(|tally| tally.worse),
        count(|tally| tally.gone),
        count(|tally| tally.incomparable),
        count(|tally| tally.better),
        count(|tally| tally.equal),
        count(|tally| tally.new),
    );
    lines.push(note("notice", comparison.word(), &counts));
    lines
}

/// Sweeps of different grids are compared where they overlap, a baseline as a whole.
fn word(comparison: &Comparison, verb: &str) -> &'static str {
    if verb == COMPARE {
        comparison.word_of_overlap()
    } else {
        comparison.word()
    }
}

fn remarks(comparison: &Comparison, points: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if !comparison.changed_grids.is_empty() {
        let common = plural(comparison.in_common(), "point");
        lines.push(format!(
            "{common} in common were compared; the grids changed: {}",
            changed(comparison)
        ));
    }
    let hidden = comparison.reported().count().saturating_sub(points);
    if hidden > 0 {
        let hidden = plural(hidden as u64, "more point");
        lines.push(format!(
            "{hidden} with another cost, new or gone; --points N shows more, --format json all"
        ));
    }
    let moved = comparison.count(|tally| tally.bound_moved);
    if moved > 0 {
        lines.push(format!(
            "the lower bound changed at {} with equal cost",
            plural(moved, "point")
        ));
    }
    lines
}
