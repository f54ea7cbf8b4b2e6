//! The figures of a configuration: which rows each needs and what chart it makes of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

pub mod adhoc;
mod history;
mod lines;
mod looks;
pub mod origin;
mod preview;
pub(crate) mod ratios;
pub(crate) mod select;
pub(crate) mod signs;
mod winners;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use algorithms::problem::Entry;
use serde::Deserialize;
use toml::Spanned;

use crate::chart::format::ImageFormat;
use crate::chart::{Chart, ChartError, PageFit};
use crate::chart::{pdf, png};
use crate::config::diagnostics::Source;
use crate::failure::{Code, Failure, tell};
use crate::markup;
use crate::measured::results::Results;
use crate::output::{self, Draft, Lock};
use crate::readers::table::{self, Table};
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::regress::history as acceptances;
use crate::space::Key;
use crate::space::Rules;

use history::History;
use lines::{Lines, WireLines};
use origin::Origin;
pub use preview::check_rows;
use select::{Filter, HeldAxes};
use winners::{Winners, WireWinners};

/// The file and texts of a figure; also a table `[[figures.history]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The file it is drawn into.
    pub file: Spanned<String>,
    /// The title above it.
    pub title: String,
    /// What it shows, in a sentence for the page of `castbench report`.
    pub shows: Option<String>,
    /// The first sentence of the caption.
    pub note: Option<String>,
    /// Its size and parts, where the command line does not give them.
    #[serde(default)]
    pub page: PageFit,
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

    /// The rows of a sweep that it reads: those that any of these takes.
    fn filters(&self) -> Vec<Filter> {
        Vec::new()
    }

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
    history: Vec<About>,
    #[serde(default)]
    lines: Vec<WireLines>,
    #[serde(default)]
    page: PageFit,
    #[serde(default)]
    winners: Vec<WireWinners>,
}

/// Rows of each of these algorithms, at one value of each held axis.
pub struct Need<'a> {
    algorithms: Vec<Entry>,
    held: &'a HeldAxes,
    /// The axes that may have any value.
    free: Vec<Key>,
}

/// Why a figure cannot be drawn from these rows.
pub enum Undrawn {
    /// There are no rows of these algorithms at these values.
    Missing {
        /// The rows, in words.
        what: String,
        /// The algorithms.
        names: Vec<&'static str>,
        /// The values of axes.
        held: HeldAxes,
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
/// Exit code 3, with line and column.
pub fn check(
    source: &Source,
    wire: WireFigures,
    rules: &Rules,
) -> Result<Vec<FigureSpec>, Failure> {
    let mut figures: Vec<FigureSpec> = Vec::new();
    for mut own in wire.lines {
        own.page = own.page.over(&wire.page);
        figures.push(Box::new(Lines::check(source, own, rules)?));
    }
    for mut own in wire.winners {
        own.page = own.page.over(&wire.page);
        figures.push(Box::new(Winners::check(source, own, rules)?));
    }
    for mut own in wire.history {
        own.page = own.page.over(&wire.page);
        figures.push(Box::new(History(own)));
    }
    let mut names = BTreeSet::new();
    for figure in &figures {
        let name = figure.file();
        let plain = Path::new(name).file_name().is_some_and(|file| file == name);
        let complain = |label: &str, help: &str| {
            let title = format_args!("`{name}` cannot name a figure");
            source.failure(figure.about().file.span(), title, label, help)
        };
        if ImageFormat::from_name(name).is_none() || !plain || !names.insert(name.to_owned()) {
            let label = "expected a file name that no other figure has, ending in .svg, .png or .pdf and without a directory";
            return Err(complain(label, "the directory is given with --out"));
        }
    }
    Ok(figures)
}

/// Draws figures from the CSV files in `from` into `out`, and the texts that are not drawn into a file. Returns the files
/// written, and these texts if no file was given.
///
/// # Errors
/// Exit code 4 where there is no figure or a figure's rows are missing, 74 where files cannot be read or written.
pub fn draw_all(
    figures: &[&FigureSpec],
    (from, out): (&Path, &Path),
    (fit, caption): (&PageFit, Option<&Path>),
    origin: impl Fn(&str) -> Origin,
) -> Result<(Vec<PathBuf>, String), Failure> {
    if figures.is_empty() {
        let explanation = "the configuration has no figure; add a [[figures.lines]], as `castbench init sweep` prints them";
        return Err(Failure::new(Code::Nothing, explanation));
    }
    // All are drawn before the first is written.
    let drawn = drawn(figures, from, fit)?;
    let _lock = Lock::new(out)?;
    let (mut files, mut drafts, mut texts) = (Vec::new(), Vec::new(), String::new());
    for (figure, picture) in drawn {
        let path = out.join(figure.file());
        texts += &picture.left_out;
        drafts.push(Draft::with_contents(
            &path,
            &encoded(format_of(figure.file()), picture, &origin(figure.file()))?,
        )?);
        files.push(path);
    }
    publish(drafts, caption, texts).map(|texts| (files, texts))
}

/// Publishes drawings, and with them the texts that are not drawn if they have a file; otherwise returns these texts.
///
/// # Errors
/// Exit code 74 where a file cannot be written.
pub fn publish(
    mut drafts: Vec<Draft>,
    caption: Option<&Path>,
    texts: String,
) -> Result<String, Failure> {
    let Some(file) = caption else {
        return output::publish(drafts, &[]).map(|()| texts);
    };
    let is_latex = file.extension().is_some_and(|extension| extension == "tex");
    let texts = if is_latex {
        markup::latex(&texts)
    } else {
        texts
    };
    drafts.push(Draft::with_contents(file, texts.as_bytes())?);
    output::publish(drafts, &[])?;
    Ok(String::new())
}

/// The format of a figure of a configuration, whose name is checked.
fn format_of(file: &str) -> ImageFormat {
    ImageFormat::from_name(file).unwrap_or(ImageFormat::Svg)
}

/// A drawing, and its texts that are not drawn, as a paragraph.
pub struct Picture {
    /// The drawing, without its origin.
    pub svg: String,
    /// The title, the parameters and the caption, as far as they are not drawn.
    pub left_out: String,
    /// Its size and parts.
    pub fit: PageFit,
}

/// A drawing with its origin, in a format.
///
/// # Errors
/// Exit code 2 where the system cannot write the format. Exit code 1: a bug.
pub fn encoded(format: ImageFormat, picture: Picture, origin: &Origin) -> Result<Vec<u8>, Failure> {
    match format {
        ImageFormat::Png => {
            png::from_svg(&picture.svg, &picture.fit).map(|bytes| origin.within(bytes))
        }
        ImageFormat::Pdf => {
            let [open, close] = origin::PDF_METADATA;
            pdf::from_svg(
                &picture.svg,
                &picture.fit,
                &format!("{open}{}{close}", markup::escaped(&origin.text())),
            )
        }
        ImageFormat::Svg => Ok(origin.within(picture.svg.into_bytes())),
    }
}

/// Draws those of these figures that have rows from the CSV files in `from`.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(
    figures: &[&'a FigureSpec],
    from: &Path,
    fit: &PageFit,
) -> Result<Vec<(&'a FigureSpec, Picture)>, Failure> {
    let sweep = Sweep::open(from)?;
    let filters: Vec<Filter> = figures.iter().flat_map(|figure| figure.filters()).collect();
    let mut rows = Vec::new();
    for &problem in PROBLEMS {
        let own: Vec<&Filter> = filters
            .iter()
            .filter(|filter| filter.problem() == problem)
            .collect();
        let wanted = |row: &Row| {
            matches!(row.status, Status::Ok | Status::NotApplicable)
                && own.iter().any(|filter| filter.takes(row))
        };
        // Also of a problem that no figure draws: its file may be of another sweep.
        rows.extend(sweep.rows(problem, wanted)?);
    }
    let (points, undefined): (Vec<Row>, Vec<Row>) = rows
        .into_iter()
        .partition(|row: &Row| row.status == Status::Ok);
    let mut measured = BTreeMap::new();
    let directories: BTreeSet<&str> = figures.iter().filter_map(|f| f.measurements()).collect();
    for directory in directories {
        let results = Results::open(&from.join(directory))?;
        let rows = results.map(Results::into_rows).unwrap_or_default();
        if let Some(warning) = table::rate_warning(&rows) {
            tell(format_args!("{directory}: {warning}"));
        }
        measured.insert(directory.to_owned(), rows);
    }
    let tables: BTreeSet<&str> = figures.iter().filter_map(|figure| figure.table()).collect();
    let tables = tables
        .into_iter()
        .map(|name| {
            let table = Table::open(&from.join(name))?;
            if let Some(left_out) = table.left_out(&points) {
                tell(format_args!("{name}: {left_out}"));
            }
            Ok((name.to_owned(), table))
        })
        .collect::<Result<_, Failure>>()?;
    let rows = Rows {
        points,
        undefined,
        history: acceptances::read(from)?,
        measured,
        tables,
    };
    let figures = figures.iter().filter(|figure| figure.applies(&rows));
    figures
        .map(|&figure| Ok((figure, picture(figure.as_ref(), &rows, from, fit)?)))
        .collect()
}

fn picture(
    figure: &dyn Figure,
    rows: &Rows,
    from: &Path,
    fit: &PageFit,
) -> Result<Picture, Failure> {
    let file = figure.file();
    let fit = fit.over(&figure.about().page);
    let chart = figure.chart(rows).map_err(|why| match why {
        Undrawn::Alike(explanation) => Failure::new(Code::Configuration, format_args!("figure {file}: {explanation}")),
        Undrawn::Empty(explanation) => Failure::new(Code::Nothing, format_args!("figure {file}: {explanation}")),
        Undrawn::Missing { what, names, held } => {
            let explanation = match figure.measurements() {
                Some(directory) => {
                    let directory = from.join(directory);
                    Ok(format!("measurement in `{}` has no rows of {what}; measure them", directory.display()))
                }
                None => Sweep::open(from).and_then(|sweep| select::instead(&sweep, &names, &held)).map(|instead| {
                    let instead = if instead.is_empty() { instead } else { format!("; {instead}") };
                    format!("sweep in `{}` has no rows of {what}{instead}; sweep a grid that has them", from.display())
                }),
            };
            let explanation =
                explanation.map(|explanation| format!("figure {file}: the {explanation}, or remove the figure"));
            explanation.map_or_else(|failure| failure, |explanation| Failure::new(Code::Nothing, explanation))
        }
    })?;
    let svg = chart.fitted(&fit).map_err(|error| match error {
        ChartError::Drawing(_) => Failure::new(Code::Internal, format_args!("figure {file}: {error}")),
        ChartError::Narrow(_) => Failure::usage(format_args!(
            "figure {file}: {error}; raise --width or lower --font-size; --only draws some figures of a configuration"
        )),
        _ => Failure::read(from, format_args!("figure {file}: {error}; sweep again")),
    })?;
    let left_out = chart.left_out(&fit);
    let left_out = if left_out.is_empty() {
        String::new()
    } else {
        left_out.join(" ") + "\n"
    };
    Ok(Picture { svg, left_out, fit })
}

/// A count, for drawing.
fn coordinate(count: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let coordinate = count as f64;
    coordinate
}
