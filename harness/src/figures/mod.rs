//! The figures of a configuration: which rows each needs and what chart it makes of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

mod cost_and_gap;
mod cost_history;
mod machine_times;
mod measured;
mod mesh_links;
mod over_optimum;
mod winners;
mod wormhole_times;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use algorithms::catalogue::{PROBLEMS, entries};
use serde::Deserialize;
use toml::Spanned;

use crate::chart::style::Look;
use crate::chart::{Chart, ChartError};
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::{Code, Failure};
use crate::measured::record::SummaryRow;
use crate::measured::results::Results;
use crate::output::{self, Draft, Lock};
use crate::record::results::Sweep;
use crate::record::{Row, Status, rounded};
use crate::regress::history::{self, HistoryRow};

pub use cost_and_gap::CostAndGap;
pub use cost_history::CostHistory;
pub use machine_times::MachineTimes;
pub use measured::Measured;
pub use mesh_links::MeshLinks;
pub use over_optimum::OverOptimum;
pub use winners::Winners;
pub use wormhole_times::WormholeTimes;

/// A figure that a configuration asks for.
pub trait Figure: Send + Sync {
    /// The file it is drawn into.
    fn file(&self) -> &Spanned<String>;

    /// What it shows, in a sentence for the page of `castbench report`, if the configuration says so.
    fn shows(&self) -> Option<&str>;

    /// Whether it draws the history of accepted costs and not the sweep.
    fn is_history(&self) -> bool {
        false
    }

    /// The directory, beside the sweep, of the measurements it draws instead of the sweep.
    fn measurements(&self) -> Option<&str> {
        None
    }

    /// Whether it reads this row of a sweep.
    fn wants(&self, row: &Row) -> bool;

    /// Whether there is anything to draw: a directory need not have a history, or measurements.
    fn applies(&self, _: &Rows) -> bool {
        true
    }

    /// The chart.
    ///
    /// # Errors
    /// Which rows are missing.
    fn chart(&self, rows: &Rows) -> Result<Chart, Missing>;
}

/// A figure of any kind.
pub type FigureSpec = Box<dyn Figure>;

/// The table `[figures]` of a configuration, a list for each kind.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFigures {
    #[serde(default, rename = "cost-and-gap")]
    cost_and_gap: Vec<CostAndGap>,
    #[serde(default, rename = "cost-history")]
    cost_history: Vec<CostHistory>,
    #[serde(default, rename = "machine-times")]
    machine_times: Vec<MachineTimes>,
    #[serde(default)]
    measured: Vec<Measured>,
    #[serde(default, rename = "mesh-links")]
    mesh_links: Vec<MeshLinks>,
    #[serde(default, rename = "over-optimum")]
    over_optimum: Vec<OverOptimum>,
    #[serde(default)]
    winners: Vec<Winners>,
    #[serde(default, rename = "wormhole-times")]
    wormhole_times: Vec<WormholeTimes>,
}

/// Rows that a figure needs and the sweep lacks, in words.
pub struct Missing(pub String);

/// The rows that any figure reads.
#[derive(Default)]
pub struct Rows {
    /// Of the sweep.
    points: Vec<Row>,
    /// Of the history beside it.
    history: Vec<HistoryRow>,
    /// Of the measurements beside it, by their directory.
    measured: BTreeMap<String, Vec<SummaryRow>>,
}

impl Rows {
    /// Those that this figure reads.
    fn of(&self, figure: &impl Figure) -> impl Iterator<Item = &Row> {
        self.points.iter().filter(|row| figure.wants(row))
    }
}

/// All figures of a configuration, with file names that are names and of their own.
///
/// # Errors
/// Exit code 3, with the place.
pub fn check(source: &Source, wire: WireFigures) -> Result<Vec<FigureSpec>, Failure> {
    let WireFigures { cost_and_gap, cost_history, machine_times, measured, mesh_links, over_optimum, .. } = wire;
    let mut figures: Vec<FigureSpec> = Vec::new();
    figures.extend(machine_times.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(measured.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(mesh_links.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(over_optimum.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(wire.wormhole_times.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(wire.winners.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(cost_and_gap.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(cost_history.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    let mut names = BTreeSet::new();
    for figure in &figures {
        let name = figure.file().get_ref();
        let plain = Path::new(name).file_name().is_some_and(|file| file == name.as_str());
        if !plain || !name.ends_with(".svg") || !names.insert(name.clone()) {
            return Err(source.failure(&Complaint {
                span: figure.file().span(),
                title: format!("`{name}` cannot name a figure"),
                label: "expected a file name of its own that ends in .svg, without a directory".to_owned(),
                help: "the directory is given with --out",
            }));
        }
    }
    Ok(figures)
}

/// Draws all figures from the CSV files in `from` into `out` and returns the files written.
///
/// # Errors
/// Exit code 4 where there is no figure or a figure's rows are missing, 74 where files cannot be read or written.
pub fn draw_all(figures: &[FigureSpec], from: &Path, out: &Path) -> Result<Vec<std::path::PathBuf>, Failure> {
    if figures.is_empty() {
        let explanation =
            "the configuration asks for no figure; add a [[figures.over-optimum]], as configs/default.toml has";
        return Err(Failure::new(Code::Nothing, explanation));
    }
    let figures: Vec<&FigureSpec> = figures.iter().collect();
    // All are drawn before the first is written.
    let drawn = drawn(&figures, from)?;
    let _lock = Lock::of(out)?;
    let (mut files, mut drafts) = (Vec::new(), Vec::new());
    for (figure, svg) in drawn {
        let path = out.join(figure.file().get_ref());
        drafts.push(Draft::of(&path, svg.as_bytes())?);
        files.push(path);
    }
    output::publish(drafts, &[])?;
    Ok(files)
}

/// Draws these figures, as far as there is anything to draw, from the CSV files in `from`.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(figures: &[&'a FigureSpec], from: &Path) -> Result<Vec<(&'a FigureSpec, String)>, Failure> {
    let sweep = Sweep::open(from)?;
    let wanted = |row: &Row| row.status == Status::Ok && figures.iter().any(|figure| figure.wants(row));
    let mut rows = Vec::new();
    for &problem in PROBLEMS {
        rows.extend(sweep.rows(problem, wanted)?);
    }
    let mut measured = BTreeMap::new();
    for directory in figures.iter().filter_map(|figure| figure.measurements()) {
        let results = Results::open(&from.join(directory))?;
        measured.insert(directory.to_owned(), results.map(Results::into_rows).unwrap_or_default());
    }
    let rows = Rows { points: rows, history: history::read(from)?, measured };
    let figures = figures.iter().filter(|figure| figure.applies(&rows));
    figures.map(|&figure| Ok((figure, draw(figure.as_ref(), &rows, from)?))).collect()
}

fn draw(figure: &dyn Figure, rows: &Rows, from: &Path) -> Result<String, Failure> {
    let file = figure.file().get_ref();
    let chart = figure.chart(rows).map_err(|Missing(what)| {
        Failure::new(
            Code::Nothing,
            format_args!(
                "figure {file}: the sweep in `{}` has no rows of {what}; sweep a grid that has them, or remove the figure from the configuration",
                from.display()
            ),
        )
    })?;
    chart.to_svg().map_err(|error| match error {
        ChartError::Drawing(_) => Failure::new(Code::Internal, format_args!("figure {file}: {error}")),
        _ => Failure::read(from, format_args!("figure {file}: {error}; sweep again")),
    })
}

/// The look that an algorithm has in every figure. One that is not listed takes the first that its problem has left.
fn look_of(algorithm: &str) -> Look {
    let Some(entry) = entries().iter().find(|entry| entry.name == algorithm) else { return Look::OTHER };
    let relatives = || entries().iter().filter(|other| other.problem() == entry.problem()).map(|other| other.name);
    let left = Look::ALL.into_iter().filter(|look| relatives().all(|name| listed_look(name) != Some(*look)));
    let unlisted = relatives().filter(|name| listed_look(name).is_none());
    let derived = || unlisted.zip(left).find(|(name, _)| *name == algorithm).map(|(_, look)| look);
    listed_look(algorithm).or_else(derived).unwrap_or(Look::OTHER)
}

/// Looks that are chosen: related algorithms of different problems look alike.
fn listed_look(algorithm: &str) -> Option<Look> {
    Some(match algorithm {
        "halving" | "unicast" | "worm-unicast" | "summation-paper" | "gossip-two-phase" | "k-tree"
        | "segmented-halving" => Look::FIRST,
        "fibonacci"
        | "dual-path"
        | "worm-dual-path"
        | "summation-optimal"
        | "gossip-coupled"
        | "k-tree-packed"
        | "segmented-fibonacci" => Look::SECOND,
        "flat" | "broadcast" | "worm-u-mesh" | "repeated" | "gossip-optimal" | "segmented-flat" => Look::THIRD,
        "chain" | "pipelined-chain" | "multi-path" | "worm-multi-path" | "segmented-chain" => Look::FOURTH,
        "circulant" | "fixed-path" | "worm-fixed-path" | "binary" | "segmented-binary" => Look::FIFTH,
        "hypercube" | "column-path" | "worm-column-path" | "binomial" | "segmented-binomial" => Look::SIXTH,
        "segmented-bmtree" => Look::THIRTEENTH,
        "opt-tree" | "segmented-optimal" => Look::SEVENTH,
        "k-nomial-4" | "hypercube-balanced" | "segmented-k-nomial-4" => Look::EIGHTH,
        "k-nomial-8" | "split-binary" => Look::NINTH,
        "halving-floor" | "hypercube-grouped" | "scatter-ring" => Look::TENTH,
        "scatter-doubling" => Look::ELEVENTH,
        "xy-tree" => Look::TWELFTH,
        "optimal" | "steiner" => Look::REFERENCE,
        _ => return None,
    })
}

/// The exact cost of a row, for drawing.
fn cost(row: &Row) -> Option<f64> {
    row.analytic.as_ref().and_then(rounded)
}

/// A count, for drawing.
fn coordinate(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let coordinate = count as f64;
    coordinate
}

#[cfg(test)]
mod tests {

    use super::*;

    /// Two algorithms of one problem may be drawn together.
    #[test]
    fn looks_tell_the_algorithms_of_a_problem_apart() {
        for (number, one) in entries().iter().enumerate() {
            assert_ne!(look_of(one.name), Look::OTHER, "{}", one.name);
            for other in &entries()[..number] {
                let alike = one.problem() == other.problem() && look_of(one.name) == look_of(other.name);
                assert!(!alike, "{} and {}", one.name, other.name);
            }
        }
    }
}
