//! The figures of a configuration: which rows each needs and what chart it makes of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

mod cost_and_gap;
mod cost_history;
mod machine_times;
mod mesh_links;
mod over_optimum;
mod winners;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use algorithms::catalogue::Problem as AlgorithmProblem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;

use crate::chart::style::Look;
use crate::chart::{Chart, ChartError};
use crate::config::diagnostics::{Problem, Source};
use crate::failure::{Code, Failure};
use crate::output;
use crate::record::manifest::{FileEntry, RunStatus, SCHEMA};
use crate::record::{LogpRow, MeshRow, Row, Status, columns, file_name};
use crate::regress::history::{self, HistoryRow};

pub use cost_and_gap::CostAndGap;
pub use cost_history::CostHistory;
pub use machine_times::MachineTimes;
pub use mesh_links::MeshLinks;
pub use over_optimum::OverOptimum;
pub use winners::Winners;

/// A figure that a configuration asks for.
pub trait Figure: Send + Sync {
    /// The file it is drawn into.
    fn file(&self) -> &Spanned<String>;

    /// Whether it reads this row of a sweep.
    fn wants(&self, row: &Row) -> bool;

    /// Whether there is anything to draw: a directory need not have a history.
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
    #[serde(default, rename = "mesh-links")]
    mesh_links: Vec<MeshLinks>,
    #[serde(default, rename = "over-optimum")]
    over_optimum: Vec<OverOptimum>,
    #[serde(default)]
    winners: Vec<Winners>,
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
}

impl Rows {
    /// Those that this figure reads.
    fn of(&self, figure: &impl Figure) -> impl Iterator<Item = &Row> {
        self.points.iter().filter(|row| figure.wants(row))
    }

    /// Of these, those of `logp-multicast.csv`.
    fn logp(&self, figure: &impl Figure) -> impl Iterator<Item = &LogpRow> {
        self.of(figure).filter_map(|row| if let Row::Logp(row) = row { Some(row) } else { None })
    }

    /// Of these, those of `mesh-multicast.csv`.
    fn mesh(&self, figure: &impl Figure) -> impl Iterator<Item = &MeshRow> {
        self.of(figure).filter_map(|row| if let Row::Mesh(row) = row { Some(row) } else { None })
    }
}

/// All figures of a configuration, with file names that are names and of their own.
///
/// # Errors
/// Exit code 3, with the place.
pub fn check(source: &Source, wire: WireFigures) -> Result<Vec<FigureSpec>, Failure> {
    let WireFigures { cost_and_gap, cost_history, machine_times, mesh_links, over_optimum, winners } = wire;
    let mut figures: Vec<FigureSpec> = Vec::new();
    figures.extend(machine_times.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(mesh_links.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(over_optimum.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(winners.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(cost_and_gap.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    figures.extend(cost_history.into_iter().map(|figure| Box::new(figure) as FigureSpec));
    let mut names = BTreeSet::new();
    for figure in &figures {
        let name = figure.file().get_ref();
        let plain = Path::new(name).file_name().is_some_and(|file| file == name.as_str());
        if !plain || !name.ends_with(".svg") || !names.insert(name.clone()) {
            return Err(source.failure(&Problem {
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
    let sweep = Sweep::open(from)?;
    let wanted = |row: &Row| row.status() == Status::Ok && figures.iter().any(|figure| figure.wants(row));
    let mut rows = Vec::new();
    for problem in AlgorithmProblem::ALL {
        rows.extend(match problem {
            AlgorithmProblem::LogpMulticast => sweep.rows(problem, Row::Logp, wanted)?,
            AlgorithmProblem::LogpSummation => sweep.rows(problem, Row::Summation, wanted)?,
            AlgorithmProblem::MeshMulticast => sweep.rows(problem, Row::Mesh, wanted)?,
            AlgorithmProblem::MeshGossip => sweep.rows(problem, Row::Gossip, wanted)?,
            AlgorithmProblem::KPortBroadcast => sweep.rows(problem, Row::KPort, wanted)?,
        });
    }
    let rows = Rows { points: rows, history: history::read(from)? };
    let figures: Vec<&FigureSpec> = figures.iter().filter(|figure| figure.applies(&rows)).collect();
    // All are drawn before the first is written.
    let drawn = figures.iter().map(|figure| draw(figure.as_ref(), &rows, from)).collect::<Result<Vec<_>, _>>()?;
    let mut files = Vec::new();
    for (figure, svg) in figures.into_iter().zip(drawn) {
        let path = out.join(figure.file().get_ref());
        output::write(&path, svg.as_bytes())?;
        files.push(path);
    }
    Ok(files)
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

/// The results of a sweep, as its manifest lists them.
struct Sweep<'a> {
    directory: &'a Path,
    manifest: Option<WireManifest>,
}

/// What matters here of a manifest.
#[derive(Deserialize)]
struct WireManifest {
    schema: u32,
    status: RunStatus,
    files: Vec<FileEntry>,
}

impl<'a> Sweep<'a> {
    /// Reads the manifest, if there is one: CSV files can be drawn without, but not against it.
    fn open(directory: &'a Path) -> Result<Self, Failure> {
        let path = directory.join("manifest.json");
        if !path.exists() {
            return Ok(Self { directory, manifest: None });
        }
        let text = fs::read_to_string(&path).map_err(|error| Failure::read(&path, error))?;
        let manifest: WireManifest = serde_json::from_str(&text).map_err(|error| {
            Failure::read(&path, format_args!("{error}; it is no manifest of castbench, sweep again"))
        })?;
        if manifest.schema != SCHEMA {
            let reason = format!("its schema is {}, this castbench reads {SCHEMA}; sweep again", manifest.schema);
            return Err(Failure::read(&path, reason));
        }
        if manifest.status != RunStatus::Complete {
            let reason = "the sweep was interrupted, so a figure might leave out what it compares; sweep again";
            return Err(Failure::read(&path, reason));
        }
        Ok(Self { directory, manifest: Some(manifest) })
    }

    /// The wanted rows of a problem; none where the sweep did not touch the problem.
    fn rows<T: DeserializeOwned>(
        &self,
        problem: AlgorithmProblem,
        row: impl Fn(T) -> Row,
        wanted: impl Fn(&Row) -> bool,
    ) -> Result<Vec<Row>, Failure> {
        let name = file_name(problem);
        let path = self.directory.join(&name);
        let failed = |error: csv::Error| Failure::read(&path, error);
        if let Some(manifest) = &self.manifest {
            let Some(entry) = manifest.files.iter().find(|entry| entry.name == name) else { return Ok(Vec::new()) };
            let digest = fs::File::open(&path).and_then(output::sha256).map_err(|error| Failure::read(&path, error))?;
            if digest != entry.sha256 {
                let reason = "it is not the file that manifest.json describes; sweep again, or remove the manifest to draw it all the same";
                return Err(Failure::read(&path, reason));
            }
        } else if !has_results(self.directory) {
            let reason = "there is no such file; run `castbench sweep` first, or name its directory with --from";
            return Err(Failure::read(&path, reason));
        } else if !path.exists() {
            return Ok(Vec::new());
        }
        let mut reader = csv::Reader::from_path(&path).map_err(failed)?;
        let header = reader.headers().map_err(failed)?.clone();
        let columns = columns(problem).map_err(|error| Failure::new(Code::Internal, error))?;
        if let Some(missing) = columns.iter().find(|column| !header.iter().any(|own| own == column.as_str())) {
            return Err(Failure::read(&path, format_args!("it has no column `{missing}`; sweep again")));
        }
        let mut rows = Vec::new();
        for read in reader.into_deserialize() {
            let row = row(read.map_err(failed)?);
            if wanted(&row) {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}

/// Whether a directory holds results of any problem.
fn has_results(directory: &Path) -> bool {
    AlgorithmProblem::ALL.into_iter().any(|problem| directory.join(file_name(problem)).exists())
}

/// The look that an algorithm has in every figure.
fn look_of(algorithm: &str) -> Look {
    match algorithm {
        "halving" | "unicast" | "summation-paper" | "gossip-two-phase" | "k-tree" => Look::FIRST,
        "fibonacci" | "dual-path" | "summation-optimal" | "gossip-coupled" | "k-tree-packed" => Look::SECOND,
        "flat" | "broadcast" | "repeated" | "gossip-optimal" => Look::THIRD,
        "chain" | "pipelined-chain" => Look::FOURTH,
        "circulant" => Look::FIFTH,
        "hypercube" => Look::SIXTH,
        "optimal" => Look::REFERENCE,
        _ => Look::OTHER,
    }
}

/// The cost of a tree in a row, for drawing.
fn time(row: &LogpRow) -> Option<f64> {
    // Up to 2^53 exactly; beyond, a pixel does not tell.
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    row.analytic_time.map(|time| time as f64)
}

/// A count, for drawing.
fn coordinate(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let coordinate = count as f64;
    coordinate
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::ALGORITHMS;

    use super::*;

    /// Two algorithms of one problem may be drawn together.
    #[test]
    fn looks_tell_the_algorithms_of_a_problem_apart() {
        for (number, one) in ALGORITHMS.iter().enumerate() {
            assert_ne!(look_of(one.name), Look::OTHER, "{}", one.name);
            for other in &ALGORITHMS[..number] {
                let alike = one.problem() == other.problem() && look_of(one.name) == look_of(other.name);
                assert!(!alike, "{} and {}", one.name, other.name);
            }
        }
    }
}
