//! Figures: a [`Spec`] of a configuration or the command line, the rows it needs, and the chart and the files made of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

pub mod adhoc;
pub(crate) mod caption;
mod curves;
mod history;
mod looks;
pub(crate) mod map;
pub mod origin;
mod preview;
mod read;
mod scales;
pub(crate) mod select;
mod spec;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use serde::Deserialize;

use crate::chart::format::ImageFormat;
use crate::chart::{Chart, ChartError, PageFit};
use crate::chart::{pdf, png};
use crate::config::diagnostics::Source;
use crate::failure::{Code, Failure};
use crate::grid::Rules;
use crate::markup;
use crate::measured::results::Results;
use crate::output::{self, Draft, Lock};
use crate::readers::table::Table;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::regress::history as acceptances;

use origin::Origin;
pub use preview::check_rows;
use read::{Reader, WireLines, WireWinners};
use select::Filter;
pub use spec::Spec;
use spec::{About, Rows, Undrawn};

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

/// All figures of a configuration; their file names must be plain and distinct.
///
/// # Errors
/// Exit code 3, with line and column.
pub fn check(source: &Source, wire: WireFigures, rules: &Rules) -> Result<Vec<Spec>, Failure> {
    let reader = |measured| Reader {
        source: Some(source),
        measured,
        rules,
    };
    let lines = wire.lines.into_iter();
    let lines = lines.map(|own| reader(own.measurements.is_some()).lines(own));
    let winners = wire
        .winners
        .into_iter()
        .map(|own| reader(false).winners(own));
    let history = wire.history.into_iter().map(|own| Ok(Spec::history(own)));
    let mut figures = lines
        .chain(winners)
        .chain(history)
        .collect::<Result<Vec<_>, _>>()?;
    let mut names = BTreeSet::new();
    for figure in &mut figures {
        let about = &mut figure.about;
        about.page = about.page.over(&wire.page);
        let name = about.file.get_ref();
        let plain = Path::new(name)
            .file_name()
            .is_some_and(|file| file == name.as_str());
        if ImageFormat::from_name(name).is_none() || !plain || !names.insert(name.clone()) {
            let title = format_args!("`{name}` cannot name a figure");
            let label = "expected a file name that no other figure has, ending in .svg, .png or .pdf and without a directory";
            let help = "the directory is given with --out";
            return Err(source.failure(about.file.span(), title, label, help));
        }
    }
    Ok(figures)
}

/// The chart of a figure.
///
/// # Errors
/// The rows that are missing or that the figure cannot distinguish.
fn chart(spec: &Spec, rows: &Rows) -> Result<Chart, Undrawn> {
    let Some(first) = spec.panels.first() else {
        return Ok(history::chart(&spec.about, &rows.history));
    };
    if let Some(up) = first.up() {
        return map::chart(spec, first, up, rows);
    }
    let drawn = curves::drawn(spec, rows)?;
    let panels = scales::panels(spec, &drawn);
    Ok(Chart {
        title: spec.about.title.clone(),
        subtitle: caption::subtitle(spec, &drawn),
        caption: caption::facts(spec, &drawn, &panels),
        height: if panels.len() > 3 { 320 } else { 410 },
        panels,
    })
}

/// Draws figures from the CSV files in `from` into `out`, and the texts that are not drawn into a file. Returns the files
/// written, and these texts if no file was given.
///
/// # Errors
/// Exit code 4 where there is no figure or a figure's rows are missing, 74 where files cannot be read or written.
pub fn draw_all(
    figures: &[&Spec],
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
        ImageFormat::Png => png::from_svg(&picture.svg, &picture.fit, &origin.text()),
        ImageFormat::Pdf => pdf::from_svg(&picture.svg, &picture.fit, &origin.text()),
        ImageFormat::Svg => Ok(origin.within(&picture.svg).into_bytes()),
    }
}

/// Draws those of these figures that have rows from the CSV files in `from`.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(
    figures: &[&'a Spec],
    from: &Path,
    fit: &PageFit,
) -> Result<Vec<(&'a Spec, Picture)>, Failure> {
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
    let (points, undefined) = rows
        .into_iter()
        .partition(|row: &Row| row.status == Status::Ok);
    let mut rows = Rows {
        points,
        undefined,
        history: acceptances::read(from)?,
        ..Rows::default()
    };
    for figure in figures {
        if let Some(name) = &figure.measurements {
            let results = Results::open(&from.join(name))?;
            let results = results.map(Results::into_rows).unwrap_or_default();
            rows.measured.insert(name.clone(), results);
        }
        if let Some(name) = &figure.table {
            let table = Table::open(&from.join(name))?;
            rows.tables.insert(name.clone(), table);
        }
    }
    let figures = figures.iter().filter(|figure| figure.applies(&rows));
    figures
        .map(|&figure| Ok((figure, picture(figure, &rows, from, fit)?)))
        .collect()
}

fn picture(figure: &Spec, rows: &Rows, from: &Path, fit: &PageFit) -> Result<Picture, Failure> {
    let file = figure.file();
    let fit = fit.over(&figure.about.page);
    let refused = |code, why: &str| Failure::new(code, format_args!("figure {file}: {why}"));
    let chart = chart(figure, rows).map_err(|why| match why {
        Undrawn::Alike(why) => refused(Code::Configuration, &why),
        Undrawn::Empty(why) => refused(Code::Nothing, &why),
        Undrawn::Missing { what, names, held } => {
            let advice = match &figure.measurements {
                Some(directory) => {
                    let directory = from.join(directory);
                    let directory = directory.display();
                    Ok(format!("measurement in `{directory}` has no rows of {what}; measure them"))
                }
                None => Sweep::open(from).and_then(|sweep| {
                    let instead = select::instead(&sweep, &names, &held)?;
                    let before = if instead.is_empty() { "" } else { "; " };
                    let from = from.display();
                    Ok(format!("sweep in `{from}` has no rows of {what}{before}{instead}; sweep a grid that has them"))
                }),
            };
            let why = |advice| refused(Code::Nothing, &format!("the {advice}, or remove the figure"));
            advice.map_or_else(|failure| failure, why)
        }
    })?;
    let svg = chart.fitted(&fit).map_err(|error| match error {
        ChartError::Drawing(_) => refused(Code::Internal, &error.to_string()),
        ChartError::Narrow(_) => Failure::usage(format_args!(
            "figure {file}: {error}; raise --width or lower --font-size; --only draws some figures of a configuration"
        )),
        _ => Failure::read(from, format_args!("figure {file}: {error}; sweep again")),
    })?;
    let left_out = chart.left_out(&fit).join(" ");
    let end = if left_out.is_empty() { "" } else { "\n" };
    let left_out = left_out + end;
    Ok(Picture { svg, left_out, fit })
}

#[cfg(test)]
mod tests;
