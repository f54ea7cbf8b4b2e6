//! `castbench score`: compares a learnt machine with measurements that it was not learnt from.

mod figure;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::fit::Data;
use super::options::Printed;
use super::predict::check_ranks;
use crate::base::failure::{Failure, Result, tell};
use crate::base::units::{parse_count, plural};
use crate::draw::chart::format::ImageFormat;
use crate::figures::origin::write_without;
use crate::output::diagnostics::Source;
use crate::predict::decision::Margin;
use crate::predict::filter::Filter;
use crate::predict::measured::{File, Record};
use crate::predict::pairs::Pairs;
use crate::predict::profile::{self, Profile};
use crate::predict::score::{self, HeldOut, LeaveOut, Score, Slowdown};
use crate::print::{Columns, Format};

/// Arguments of `score`.
#[derive(Debug, Args)]
#[command(
    after_help = "A cell is a collective at a number of nodes and bytes. Our choice in a cell is the algorithm with the shortest predicted time among those \
that `predict` compares, which were learnt from, or the library's default unless that algorithm is faster with a probability of 60 %; of 65 % in a collective that was not \
learnt from, and of --confidence with other ranks per node. A rule is written only where `predict --rules` would write one, if the library had these algorithms: where the \
algorithm and the default were learnt from, by --within and --confidence. The slowdown is the measured time of the choice over the shortest measured time of the algorithms with a known \
program. Below 1, the default was chosen and is faster than these. Cells that the profile was learnt from are never scored. `unseen` marks collectives that \
the profile has no measurement of. `castbench fit --help` explains DATA and expressions.

Examples:
  castbench score measured.csv --profile mine.toml
  castbench score measured.csv --profile mine.toml --test 'nodes==128' --format json
  castbench score measured.csv --leave-out nodes --svg scores.svg"
)]
pub struct ScoreArgs {
    /// The measurements.
    #[command(flatten)]
    pub data: Data,
    /// Profile of `castbench fit`
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "leave_out",
        conflicts_with = "leave_out"
    )]
    pub profile: Option<PathBuf>,
    /// Leave out parts in turn, learn from the rest, and score all parts together
    #[arg(long, value_enum, value_name = "WHAT")]
    pub leave_out: Option<LeaveOut>,
    /// Score these rows only, as in 'nodes==128'
    #[arg(long, value_name = "EXPR", value_parser = Filter::parse)]
    pub test: Option<Filter>,
    /// Ranks on each node, for a profile of latency and bandwidth; DATA is then the medians of `osu_allreduce`
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 1)]
    pub ranks_per_node: u64,
    /// What rules are counted.
    #[command(flatten)]
    pub margin: Margin,
    /// Draw slowdown against size, a panel for each collective, into a file .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an expression that does not fit, 3 for a file that is no table of measurements or no profile, 4 if no cell is
/// left to score.
pub fn run(arguments: &ScoreArgs) -> Result {
    if let Some(path) = &arguments.svg {
        ImageFormat::named("--svg", path)?;
    }
    let source = arguments
        .profile
        .as_deref()
        .map(|path| profile::source(&path.display().to_string(), path))
        .transpose()?;
    let pairs = source.as_ref().map(Pairs::parse).transpose()?.flatten();
    let files = arguments.data.read()?;
    let cells = match pairs {
        Some(pairs) => {
            check_ranks(arguments.ranks_per_node)?;
            pairs
                .score(&files, arguments.ranks_per_node, arguments.test.as_ref())?
                .into_iter()
                .map(HeldOut::from_pairs)
                .collect()
        }
        None if arguments.ranks_per_node != 1 => bail!(
            "--ranks-per-node: a table of collectives states the ranks of each row; select some with --test"
        ),
        None => of_collectives(arguments, source.as_ref(), files)?,
    };
    if cells.is_empty() {
        bail!(
            Nothing,
            "every selected cell was learnt from; learn from fewer with `castbench fit --train`, or select others with --test"
        );
    }
    if let Some(path) = &arguments.svg {
        draw(path, &cells)?;
    }
    let scores = score::summary(&cells);
    arguments
        .printed
        .format
        .rows(&columns(arguments.printed.format), &scores)?;
    let above: Vec<&str> = scores
        .iter()
        .filter(|score| !score.is_unseen && is_above(score))
        .map(|score| &*score.collective)
        .collect();
    if !above.is_empty() {
        tell!(
            "{}: our choice is slower than the library's default",
            above.join(", ")
        );
    }
    Ok(())
}

fn draw(path: &Path, cells: &[HeldOut]) -> Result {
    let Some(chart) = figure::chart(cells) else {
        bail!(
            Nothing,
            "--svg: no cell has several algorithms to choose from"
        );
    };
    let svg = chart.to_svg().map_err(Failure::internal)?;
    write_without(path, &svg)?;
    tell!("wrote {}", path.display());
    Ok(())
}

fn of_collectives(
    arguments: &ScoreArgs,
    source: Option<&Source>,
    files: Vec<(File, Vec<Record>)>,
) -> Result<Vec<HeldOut>> {
    let profile = source.map(Profile::parse).transpose()?;
    let names = profile
        .as_ref()
        .map(|profile| profile.names.clone())
        .unwrap_or_default();
    let (table, _) = arguments.data.table(files, names)?;
    let rows = table.select("--test", arguments.test.as_ref())?;
    score::check_defaults(&rows, "--test")?;
    table.left_out(&rows).iter().for_each(tell);
    if let Some(warning) = table.rate_warning(profile.as_ref().map(Profile::ns_per_byte)) {
        tell(warning);
    }
    let margin = arguments.margin;
    match (&profile, arguments.leave_out) {
        (Some(profile), _) => {
            let (cells, known) = score::cells(&profile.learned(), &rows, margin);
            if known > 0 {
                tell!(
                    "not scored: {} of cells that were learnt from",
                    plural(known as u64, "row")
                );
            }
            Ok(cells)
        }
        (None, Some(what)) => score::leave_out(&table, &rows, what, margin),
        (None, None) => Ok(Vec::new()),
    }
}

fn is_above(score: &Score) -> bool {
    score
        .slowdown
        .geomean
        .zip(score.default.geomean)
        .is_some_and(|(ours, default)| ours > default)
}

/// The columns of the answer: slowdowns are objects of JSON, and three columns each elsewhere.
pub fn columns<'a>(format: Format) -> Columns<'a, Score> {
    let mut columns = Columns::<Score>::empty()
        .column(
            "collective",
            "collective; `all` for those with a cell that was learnt from, `all unseen` \
                 for the others; then the cells of `all` by their distance from these",
            |score| score.collective.clone(),
        )
        .column("unseen", "whether no cell of it was learnt from", |score| {
            score.is_unseen
        })
        .column(
            "cells",
            "cells with several algorithms to choose from, perhaps the default; all if none has several",
            |score| score.cells,
        );
    for (name, holds, of) in SLOWDOWNS {
        if format == Format::Json {
            columns = columns.column(name, holds, move |score| json!(of(score)));
            continue;
        }
        for (part, of_part) in PARTS {
            let of = move |score: &Score| of_part(of(score));
            columns = columns.column(format!("{name}_{part}"), holds, of);
            columns = if part == "geomean" || name == "slowdown" {
                columns.shown(title(name, part), move |score| {
                    of(score).map_or_else(String::new, |ratio| format!("{ratio:.3}"))
                })
            } else {
                columns.title("")
            };
        }
    }
    let shown = |share: f64| format!("{:.1} %", 100.0 * share);
    columns
        .column(
            "median_error",
            "median of |predicted / measured - 1| over the algorithms",
            |score| score.median_error,
        )
        .shown("median error", move |score| shown(score.median_error))
        .column(
            "coverage",
            "share of measured times within the predicted 90 % interval",
            |score| score.coverage,
        )
        .shown("coverage", move |score| shown(score.coverage))
        .data("decided", "cells in which a rule decides", |score| {
            score.decided
        })
        .data(
            "slower",
            "those of them in which it is slower than the default",
            |score| score.slower,
        )
        .text("rules slower", |score| {
            format!("{} of {}", score.slower, score.decided)
        })
}

type Part = (&'static str, fn(Slowdown) -> Option<f64>);
const PARTS: [Part; 3] = [
    ("geomean", |of| of.geomean),
    ("p90", |of| of.p90),
    ("worst", |of| of.worst),
];

type Kind = (&'static str, &'static str, fn(&Score) -> Slowdown);
const SLOWDOWNS: [Kind; 5] = [
    (
        "slowdown",
        "our choice over the best with a program: geometric mean, 90th percentile and largest",
        |of| of.slowdown,
    ),
    ("default", "the library's default over that best", |of| {
        of.default
    }),
    (
        "nearest",
        "the best of the nearest cell that was learnt from, over that best",
        |of| of.nearest,
    ),
    (
        "over_all",
        "our choice over the best of all measured",
        |of| of.over_all,
    ),
    (
        "rules",
        "the default, or the algorithm of a rule where one decides, over that best",
        |of| of.rules,
    ),
];

fn title(name: &str, part: &str) -> String {
    if part == "geomean" {
        name.replace('_', " ")
    } else {
        part.to_owned()
    }
}
