//! The figures of a configuration: which rows each needs and what chart it makes of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

pub mod adhoc;
mod history;
mod lines;
mod looks;
pub mod origin;
mod preview;
pub(crate) mod select;
pub(crate) mod signs;
mod winners;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Entry;
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use crate::chart::{Chart, ChartError, Fit, png};
use crate::config::axis::Key;
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::{Code, Failure};
use crate::measured::results::Results;
use crate::output::{self, Draft, Lock};
use crate::readers::table::Table;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::regress::history as acceptances;

use history::{History, WireHistory};
pub use lines::{Column, Side};
use lines::{Lines, WireLines};
use origin::Origin;
pub use preview::gap;
use select::Place;
use winners::{Winners, WireWinners};

/// The file and texts of a figure.
pub struct About {
    /// The file it is drawn into.
    pub file: Spanned<String>,
    /// The title above it.
    pub title: String,
    /// What it shows, in a sentence for the page of `castbench report`.
    pub shows: Option<String>,
    /// The first sentence of the caption.
    pub note: Option<String>,
}

/// A figure that a configuration asks for.
pub trait Figure: Send + Sync {
    /// Its file and texts.
    fn about(&self) -> &About;

    /// The name of the file it is drawn into.
    fn file(&self) -> &str {
        self.about().file.get_ref()
    }

    /// Whether it draws the history of accepted costs and not the sweep.
    fn is_history(&self) -> bool {
        false
    }

    /// The directory, beside the sweep, of the measurements it draws instead of the sweep.
    fn measurements(&self) -> Option<&str> {
        None
    }

    /// The table, beside the sweep, whose times it draws beside the rows.
    fn table(&self) -> Option<&str> {
        None
    }

    /// The algorithms that it draws, each once.
    fn algorithms(&self) -> Vec<Entry> {
        Vec::new()
    }

    /// The rows of a sweep that it cannot do without.
    fn needs(&self) -> Vec<Need<'_>> {
        Vec::new()
    }

    /// Whether it reads this row of a sweep.
    fn wants(&self, row: &Row) -> bool;

    /// Whether there is anything to draw: not every directory has a history, or measurements.
    fn applies(&self, _: &Rows) -> bool {
        true
    }

    /// The chart.
    ///
    /// # Errors
    /// The rows that are missing or that the figure cannot distinguish.
    fn chart(&self, rows: &Rows) -> Result<Chart, Undrawn>;
}

/// A figure of any kind.
pub type FigureSpec = Box<dyn Figure>;

/// The table `[figures]` of a configuration, a list for each kind.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFigures {
    #[serde(default)]
    history: Vec<WireHistory>,
    #[serde(default)]
    lines: Vec<WireLines>,
    #[serde(default)]
    measured: Vec<Spanned<IgnoredAny>>,
    #[serde(default)]
    winners: Vec<WireWinners>,
}

/// Rows of each of these algorithms, at one place.
pub struct Need<'a> {
    algorithms: Vec<Entry>,
    place: &'a Place,
    /// The axes that may have any value.
    free: Vec<Key>,
}

/// Why a figure cannot be drawn from these rows.
pub enum Undrawn {
    /// There are no rows of these algorithms at this place.
    Missing {
        /// The rows, in words.
        what: String,
        /// The algorithms.
        names: Vec<&'static str>,
        /// The values of axes.
        place: Place,
    },
    /// There are rows, but nothing of them can be drawn; the reason and what to change.
    Empty(String),
    /// The rows that it cannot distinguish, in words.
    Alike(String),
}

/// The rows that any figure reads.
#[derive(Default)]
pub struct Rows {
    /// Rows of the sweep.
    points: Vec<Row>,
    /// Rows of the sweep where an algorithm is not defined.
    undefined: Vec<Row>,
    /// Rows of the history beside it.
    history: Vec<acceptances::HistoryRow>,
    /// Rows of the measurements beside it, by their directory.
    measured: BTreeMap<String, Vec<Row>>,
    /// Tables of `castbench read` beside it, by their names.
    tables: BTreeMap<String, Table>,
}

/// All figures of a configuration; their file names must be plain and distinct.
///
/// # Errors
/// Exit code 3, with the place.
pub fn check(source: &Source, wire: WireFigures) -> Result<Vec<FigureSpec>, Failure> {
    let mut figures: Vec<FigureSpec> = Vec::new();
    for wire in wire.lines {
        figures.push(Box::new(Lines::check(source, wire)?));
    }
    for wire in wire.winners {
        figures.push(Box::new(Winners::check(source, wire)?));
    }
    if let Some(former) = wire.measured.first() {
        return Err(source.failure(&Complaint {
            span: former.span(),
            title: "measured times are drawn by [[figures.lines]]".to_owned(),
            label: "expected [[figures.lines]]".to_owned(),
            help: "write `x = \"K\"`, `with = [\"predicted\"]`, `at = { bytes = \"1MiB\", hold_ps_per_byte = 0 }` in place of `message`, and in each panel `at = { hosts = 8, mapping = \"neighbours\", hold_ps_per_byte = 84_972 }`; the other keys stay",
        }));
    }
    figures.extend(wire.history.into_iter().map(|wire| Box::new(History::from(wire)) as FigureSpec));
    let mut names = BTreeSet::new();
    for figure in &figures {
        let name = figure.file();
        let plain = Path::new(name).file_name().is_some_and(|file| file == name);
        let complain = |label: &str, help: &str| {
            let title = format!("`{name}` cannot name a figure");
            source.failure(&Complaint { span: figure.about().file.span(), title, label: label.to_owned(), help })
        };
        if !plain || !(name.ends_with(".svg") || is_png(name)) || !names.insert(name.to_owned()) {
            let label = "expected a file name that no other figure has, ending in .svg or .png and without a directory";
            return Err(complain(label, "the directory is given with --out"));
        }
        if is_png(name) && png::check_available().is_err() {
            let label = "this castbench was built without PNG";
            return Err(complain(label, "build it with `--features png`, or name a file that ends in .svg"));
        }
    }
    Ok(figures)
}

/// Draws figures from the CSV files in `from` into `out`. Returns the files written, and the texts that are not drawn.
///
/// # Errors
/// Exit code 4 where there is no figure or a figure's rows are missing, 74 where files cannot be read or written.
pub fn draw_all(
    figures: &[&FigureSpec],
    (from, out): (&Path, &Path),
    fit: &Fit,
    origin: impl Fn(&str) -> Origin,
) -> Result<(Vec<PathBuf>, String), Failure> {
    if figures.is_empty() {
        let explanation =
            "the configuration has no figure; add a [[figures.lines]], as `castbench init sweep` prints them";
        return Err(Failure::new(Code::Nothing, explanation));
    }
    // All are drawn before the first is written.
    let drawn = drawn(figures, from, fit)?;
    let _lock = Lock::new(out)?;
    let (mut files, mut drafts, mut texts) = (Vec::new(), Vec::new(), String::new());
    for (figure, picture) in drawn {
        let path = out.join(figure.file());
        texts += &picture.left_out;
        drafts.push(Draft::with_contents(&path, &encoded(figure.file(), picture, fit, &origin(figure.file()))?)?);
        files.push(path);
    }
    output::publish(drafts, &[])?;
    Ok((files, texts))
}

/// A drawing, and its texts that are not drawn, as a paragraph.
pub struct Picture {
    /// The drawing, without its origin.
    pub svg: String,
    /// The title, the parameters and the caption, as far as they are not drawn.
    pub left_out: String,
}

fn is_png(file: &str) -> bool {
    file.ends_with(".png")
}

/// A drawing with its origin, in the format of its file.
///
/// # Errors
/// Those of [`png::of`].
pub fn encoded(file: &str, picture: Picture, fit: &Fit, origin: &Origin) -> Result<Vec<u8>, Failure> {
    let bytes = if is_png(file) { png::of(&picture.svg, fit) } else { Ok(picture.svg.into_bytes()) };
    bytes.map(|bytes| origin.within(bytes))
}

/// Draws those of these figures that have rows from the CSV files in `from`.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(
    figures: &[&'a FigureSpec],
    from: &Path,
    fit: &Fit,
) -> Result<Vec<(&'a FigureSpec, Picture)>, Failure> {
    let sweep = Sweep::open(from)?;
    let wanted = |row: &Row| {
        matches!(row.status, Status::Ok | Status::NotApplicable) && figures.iter().any(|figure| figure.wants(row))
    };
    let mut rows = Vec::new();
    for &problem in PROBLEMS {
        rows.extend(sweep.rows(problem, wanted)?);
    }
    let (points, undefined) = rows.into_iter().partition(|row: &Row| row.status == Status::Ok);
    let mut measured = BTreeMap::new();
    for directory in figures.iter().filter_map(|figure| figure.measurements()) {
        let results = Results::open(&from.join(directory))?;
        measured.insert(directory.to_owned(), results.map(Results::into_rows).unwrap_or_default());
    }
    let tables = figures.iter().filter_map(|figure| figure.table());
    let tables =
        tables.map(|name| Ok((name.to_owned(), Table::open(&from.join(name))?))).collect::<Result<_, Failure>>()?;
    let rows = Rows { points, undefined, history: acceptances::read(from)?, measured, tables };
    let figures = figures.iter().filter(|figure| figure.applies(&rows));
    figures.map(|&figure| Ok((figure, picture(figure.as_ref(), &rows, from, fit)?))).collect()
}

fn picture(figure: &dyn Figure, rows: &Rows, from: &Path, fit: &Fit) -> Result<Picture, Failure> {
    let file = figure.file();
    let chart = figure.chart(rows).map_err(|why| match why {
        Undrawn::Alike(told) => Failure::new(Code::Configuration, format_args!("figure {file}: {told}")),
        Undrawn::Empty(told) => Failure::new(Code::Nothing, format_args!("figure {file}: {told}")),
        Undrawn::Missing { what, names, place } => {
            let told = match figure.measurements() {
                Some(directory) => {
                    let directory = from.join(directory);
                    Ok(format!("measurement in `{}` has no rows of {what}; measure them", directory.display()))
                }
                None => Sweep::open(from).and_then(|sweep| select::instead(&sweep, &names, &place)).map(|instead| {
                    let instead = if instead.is_empty() { instead } else { format!("; {instead}") };
                    format!("sweep in `{}` has no rows of {what}{instead}; sweep a grid that has them", from.display())
                }),
            };
            let told = told.map(|told| format!("figure {file}: the {told}, or remove the figure"));
            told.map_or_else(|failure| failure, |told| Failure::new(Code::Nothing, told))
        }
    })?;
    let svg = chart.fitted(fit).map_err(|error| match error {
        ChartError::Drawing(_) => Failure::new(Code::Internal, format_args!("figure {file}: {error}")),
        ChartError::Narrow(_) => {
            Failure::usage(format_args!("figure {file}: {error}; raise --width, or lower --font-size"))
        }
        _ => Failure::read(from, format_args!("figure {file}: {error}; sweep again")),
    })?;
    let left_out = chart.left_out(fit);
    Ok(Picture { svg, left_out: if left_out.is_empty() { String::new() } else { left_out.join(" ") + "\n" } })
}

/// A count, for drawing.
fn coordinate(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let coordinate = count as f64;
    coordinate
}
