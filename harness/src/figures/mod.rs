//! Figures: a [`Spec`] of a configuration or the command line, the rows it needs, and the chart and the files made of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

pub mod adhoc;
pub(crate) mod caption;
mod curves;
mod errors;
mod history;
pub mod looks;
pub(crate) mod map;
pub mod origin;
mod preview;
mod read;
mod scales;
pub(crate) mod select;
mod spec;
mod strokes;
pub mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use algorithms::catalogue::PROBLEMS;
use serde::Deserialize;

use self::table::Table;
use crate::base::failure::{Code, Failure};
use crate::base::units::plural;
use crate::draw::chart::format::ImageFormat;
use crate::draw::chart::{Chart, ChartError, Legend, PageFit};
use crate::measured::results::Results;
use crate::output::diagnostics::Source;
use crate::output::{self, Draft};
use crate::print::markup;
use crate::record::history as acceptances;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::space::Rules;

use origin::Origin;
pub use preview::check_rows;
use read::{Reader, WireLines, WireWinners};
use select::Filter;
pub use spec::Spec;
use spec::{About, Layer, Rows};

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
fn chart(spec: &Spec, rows: &Rows) -> Result<Chart, Failure> {
    let Some(first) = spec.panels.first() else {
        return Ok(history::chart(&spec.about, &rows.history));
    };
    if let Some(up) = first.up() {
        return map::chart(spec, first, up, rows);
    }
    let drawn = curves::drawn(spec, rows)?;
    let mut panels = scales::panels(spec, &drawn);
    panels.extend(errors::panel(spec, &drawn));
    Ok(Chart {
        title: spec.about.title.clone(),
        subtitle: caption::subtitle(spec, &drawn),
        caption: caption::facts(spec, rows, &drawn),
        panels,
    })
}

/// A file, what is drawn into it, and how that was drawn.
pub type Drawing = (PathBuf, Picture, Origin);

/// Writes drawings, and with them the texts that are not drawn if they have a file; otherwise returns these texts.
///
/// # Errors
/// Exit code 2 where the system cannot write the format of a file, 74 where a file cannot be written or is of another program.
pub fn write(drawings: Vec<Drawing>, caption: Option<&Path>) -> Result<String, Failure> {
    let mut drafts = Vec::new();
    let mut texts = String::new();
    for (file, picture, origin) in drawings {
        texts += &picture.left_out;
        let bytes = picture.bytes(&file, &origin)?;
        origin::refuse_stranger(&file)?;
        drafts.push(Draft::with_contents(&file, &bytes)?);
    }
    if let Some(file) = caption {
        let is_latex = file.extension().is_some_and(|extension| extension == "tex");
        // A paragraph for each figure.
        let texts: String = match is_latex {
            true => texts
                .lines()
                .map(|line| markup::latex(line) + "\n")
                .collect(),
            false => texts.clone(),
        };
        drafts.push(Draft::with_contents(file, texts.as_bytes())?);
    }
    output::publish(drafts, &[])?;
    Ok(if caption.is_some() {
        String::new()
    } else {
        texts
    })
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

impl Picture {
    /// The picture of a chart.
    ///
    /// # Errors
    /// Why it cannot be drawn in this size.
    pub fn new(chart: &Chart, fit: &PageFit) -> Result<Self, ChartError> {
        let (svg, left_out) = chart.fitted(fit)?;
        let left_out = left_out.join(" ");
        let end = if left_out.is_empty() { "" } else { "\n" };
        let (left_out, fit) = (left_out + end, fit.clone());
        Ok(Self { svg, left_out, fit })
    }

    /// The picture with its origin in the format of this file.
    ///
    /// # Errors
    /// Exit code 2 where the system cannot write the format.
    pub fn bytes(self, file: &Path, origin: &Origin) -> Result<Vec<u8>, Failure> {
        let format = ImageFormat::from_name(&file.to_string_lossy()).unwrap_or(ImageFormat::Svg);
        format.bytes(&origin.within(&self.svg), &self.fit, &origin.text())
    }
}

/// A figure with its picture, or why it cannot be drawn in its size.
pub type Drawn<'a> = (&'a Spec, Result<Picture, Failure>);

/// Draws those of these figures that have rows from the CSV files in `from`. A figure that does not fit its page leaves the
/// others as they are.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(
    figures: &[&'a Spec],
    from: &Path,
    fit: &PageFit,
) -> Result<Vec<Drawn<'a>>, Failure> {
    let sweep = Sweep::open(from)?;
    let filters: Vec<Filter> = figures.iter().flat_map(|figure| figure.filters()).collect();
    let mut rows = Vec::new();
    for problem in PROBLEMS {
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
        from: from.to_owned(),
        points,
        undefined,
        history: acceptances::read(from)?,
        ..Rows::default()
    };
    // What a warning says of a file is said once.
    let new = |name: &Option<String>, is_known: &dyn Fn(&str) -> bool| {
        name.clone().filter(|name| !is_known(name))
    };
    for figure in figures {
        if let Some(name) = new(&figure.measurements, &|name| {
            rows.measured.contains_key(name)
        }) {
            let results = Results::open(&from.join(&name))?;
            let results = results.map(Results::into_rows).unwrap_or_default();
            if let Some(warning) = table::rate_warning(&results) {
                tell!("{name}: {warning}");
            }
            rows.measured.insert(name, results);
        }
        if let Some(name) = new(&figure.table, &|name| rows.tables.contains_key(name)) {
            let table = Table::open(&from.join(&name))?;
            if let Some(left_out) = table.left_out(&rows.points) {
                tell!("{name}: {left_out}");
            }
            rows.tables.insert(name, table);
        }
    }
    let figures = figures.iter().filter(|figure| figure.applies(&rows));
    let drawn = |&figure: &&'a Spec| match picture(figure, &rows, fit) {
        Err(failure) if failure.code != Code::Usage => Err(failure),
        picture => Ok((figure, picture)),
    };
    figures.map(drawn).collect()
}

/// A figure with only these of its panels.
///
/// # Errors
/// Exit code 2 for a number that no panel has.
fn with_panels<P: Clone>(figure: &Spec, all: &[P], numbers: &[u16]) -> Result<Vec<P>, Failure> {
    let panel = |number: &u16| {
        let panel = all.get(usize::from(*number).saturating_sub(1)).cloned();
        panel.ok_or_else(|| {
            let has = plural(all.len() as u64, "panel");
            figure.refused(Code::Usage, format_args!("--panels {number}: it has {has}"))
        })
    };
    match numbers {
        [] => Ok(all.to_vec()),
        _ => numbers.iter().map(panel).collect(),
    }
}

fn picture(figure: &Spec, rows: &Rows, fit: &PageFit) -> Result<Picture, Failure> {
    let figure = &figure.clone().with_networks_of(rows);
    let mut fit = fit.over(&figure.about.page);
    // Points on networks have no line at whose end a name could stand.
    if figure.is_over_names() {
        fit.legend.get_or_insert(Legend::Once);
    }
    // Lines of other panels change neither scales nor captions. A map, the history and errors have the panels of their drawing.
    let mut panels = figure.panels.iter();
    let is_of_lines = panels.all(|panel| panel.up().is_none() && !panel.has(&Layer::Errors));
    let chart = match is_of_lines && !figure.is_history() {
        true => {
            let panels = with_panels(figure, &figure.panels, &fit.panels)?;
            let figure = Spec {
                panels,
                ..figure.clone()
            };
            chart(&figure, rows)?
        }
        false => {
            let chart = chart(figure, rows)?;
            let panels = with_panels(figure, &chart.panels, &fit.panels)?;
            Chart { panels, ..chart }
        }
    };
    Picture::new(&chart, &fit).map_err(|error| match error {
        ChartError::Drawing(_) => figure.refused(Code::Internal, error),
        ChartError::Narrow(_) => figure.refused(
            Code::Usage,
            format_args!("{error}; raise --width or lower --font-size; --only draws some figures of a configuration"),
        ),
        ChartError::Low(_) => figure.refused(
            Code::Usage,
            format_args!("{error}; raise --height or --width, lower --font-size, or draw some panels, as with --panels 1,2"),
        ),
        _ => {
            let file = figure.file();
            Failure::read(&rows.from, format_args!("figure {file}: {error}; sweep again"))
        }
    })
}

#[cfg(test)]
mod tests;
