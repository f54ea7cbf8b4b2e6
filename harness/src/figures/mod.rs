//! Figures: a [`Spec`] of a configuration or the command line, the rows it needs, and the chart and the files made of them.
//!
//! A figure reads rows and nothing else: no algorithm, no grid, no machine profile.

pub mod adhoc;
pub(crate) mod caption;
pub(crate) mod curves;
mod history;
pub mod looks;
pub(crate) mod map;
pub mod origin;
mod read;
mod scales;
pub(crate) mod select;
mod spec;
mod strokes;
pub mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::{Axis, Entry};
use serde::Deserialize;

use self::table::Table;
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::{joined, plural};
use crate::config::Config;
use crate::draw::chart::format::ImageFormat;
use crate::draw::chart::{Chart, ChartError, Legend, PageFit};
use crate::output::diagnostics::{KEYS, Source};
use crate::output::{self, Draft};
use crate::print::markup;
use crate::record::history as acceptances;
use crate::record::measured::Results;
use crate::record::on_network::NETWORK;
use crate::record::results::Sweep;
use crate::record::{Row, Status};
use crate::space::{Rules, Space, rules};

use origin::Origin;
use read::{Reader, WireLines, WireWinners};
use select::{Held, any};
pub use spec::Spec;
use spec::{About, Layer, Panel, Rows};

#[derive(Deserialize)]
struct WireConfig {
    #[serde(default)]
    figures: WireFigures,
}

/// The table `[figures]` of a configuration, a list for each kind.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFigures {
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
pub fn of(config: &Config) -> Result<Vec<Spec>> {
    let wire = config.source.parse::<WireConfig>(KEYS)?.figures;
    check(&config.source, wire, &rules(&config.grids))
}

fn check(source: &Source, wire: WireFigures, rules: &Rules) -> Result<Vec<Spec>> {
    let reader = |measured| Reader {
        source: Some(source),
        measured,
        rules,
    };
    let mut figures = Vec::new();
    for own in wire.lines {
        figures.push(reader(own.measurements.is_some()).lines(own, None)?);
    }
    for own in wire.winners {
        figures.push(reader(false).winners(own)?);
    }
    figures.extend(wire.history.into_iter().map(Spec::history));
    let mut names = BTreeSet::new();
    for figure in &mut figures {
        let about = &mut figure.about;
        about.page = about.page.over(&wire.page);
        let name = about.file.get_ref();
        let plain = Path::new(name)
            .file_name()
            .is_some_and(|file| file == name.as_str() && !name.starts_with('.'));
        if ImageFormat::from_name(name).is_none() || !plain || !names.insert(name.clone()) {
            let title = format_args!("`{name}` cannot name a figure");
            let label = "expected a file name that no other figure has, ending in .svg, .png or .pdf, not beginning with `.`, and without a directory";
            let help = "the directory is given with --out";
            return Err(source.failure(about.file.span(), title, label, help));
        }
    }
    Ok(figures)
}

/// Refuses figures whose rows no grid has.
///
/// # Errors
/// Exit code 3, with the line of the figure, what is missing, and what there is instead.
pub fn check_rows(config: &Config, figures: &[Spec]) -> Result {
    for figure in figures {
        for panel in figure.of_sweep() {
            let of = |panel: &Panel, entry| missing(figure, panel, entry, &config.grids);
            let entries = || panel.algorithms.iter().map(|own| own.entry());
            let over = panel.over_algorithm().and_then(catalogue::find);
            // An edge of a band needs one algorithm.
            let edge = |held| {
                let panel = Panel {
                    held,
                    ..panel.clone()
                };
                let missing: Option<Vec<_>> = entries().map(|entry| of(&panel, entry)).collect();
                missing?.into_iter().next()
            };
            let missing = entries().chain(over).find_map(|entry| of(panel, entry));
            if let Some((title, help)) =
                missing.or_else(|| panel.edges().into_iter().find_map(edge))
            {
                let span = figure.about.file.span();
                let title = format_args!("figure {}: {title}", figure.file());
                return Err(config
                    .source
                    .failure(span, title, "drawn into this file", help));
            }
        }
    }
    Ok(())
}

/// Whether a grid has this value of an axis for an algorithm; an axis that the grid does not give has its default.
fn has(spec: &Spec, grid: &Space, entry: Entry, axis: &Axis, held: Option<&Held>) -> bool {
    if axis.key == NETWORK {
        return grid
            .sites
            .iter()
            .any(|site| held.is_none_or(|held| *held == Held::Name(site.network.clone())))
            && spec
                .networks
                .iter()
                .all(|name| grid.sites.iter().any(|site| site.network == *name));
    }
    match (grid.over(entry).values(axis), held) {
        (Some(values), Some(Held::Number(value))) => values.contains(*value),
        (Some(_), Some(Held::Name(name))) => grid
            .machines
            .all()
            .iter()
            .any(|machine| machine.name == *name),
        (found, None) => found.is_some(),
        (None, Some(_)) => false,
    }
}

/// What all grids lack of an algorithm of a panel, and what they have.
fn missing(spec: &Spec, panel: &Panel, entry: Entry, grids: &[Space]) -> Option<(String, String)> {
    let own: Vec<&Space> = grids
        .iter()
        .filter(|grid| grid.algorithms.contains(&entry))
        .collect();
    let name = entry.name;
    if own.is_empty() {
        let others: BTreeSet<&str> = grids
            .iter()
            .flat_map(|grid| &grid.algorithms)
            .filter(|other| other.problem() == entry.problem())
            .map(|other| other.name)
            .collect();
        let there = if others.is_empty() {
            "no other of its problem".to_owned()
        } else {
            joined(", ", others)
        };
        let help =
            format!("add it to a grid, or remove it from the figure; the grids have {there}");
        return Some((format!("no grid has `{name}`"), help));
    }
    let (free, held) = (spec.free(), |axis: &Axis| panel.held.get(axis.key));
    let axes: Vec<&Axis> = select::axes(entry.problem(), false)
        .filter(|axis| held(axis).is_some() || free.contains(&axis.key))
        .collect();
    let has = |grid: &&Space, axis: &Axis| has(spec, grid, entry, axis, held(axis));
    let is_on_network = axes.iter().any(|axis| axis.key == NETWORK);
    if own
        .iter()
        .filter(|grid| is_on_network || grid.sites.is_empty())
        .any(|grid| axes.iter().all(|axis| has(grid, axis)))
    {
        return None;
    }
    let Some(axis) = axes
        .iter()
        .find(|axis| !own.iter().any(|grid| has(grid, axis)))
    else {
        if !is_on_network && own.iter().all(|grid| !grid.sites.is_empty()) {
            let help = "write `network = ...` in `at`, or draw along it with `x` or `by`";
            let title = format!("all grids of `{name}` have networks, and the figure holds none");
            return Some((title, help.to_owned()));
        }
        let on_machine = select::on_machine(&panel.held, &free);
        let values = select::words(&panel.held, entry.axes().iter(), on_machine).join(", ");
        let help = "each value is in a grid, but not all in one; add them to one grid";
        return Some((
            format!("no grid has `{name}` at {values} together"),
            help.to_owned(),
        ));
    };
    let key = axis.key;
    let wanted = match held(axis) {
        None if key == NETWORK && !spec.networks.is_empty() => "its `networks`".to_owned(),
        None => format!("an axis {key}"),
        Some(held) => format!("{key} = {}", held.typed(axis)),
    };
    let there = joined(
        ", ",
        own.iter().filter_map(|grid| {
            let own = match key {
                NETWORK => joined(", ", grid.sites.iter().map(|site| &site.network)),
                _ => {
                    let machines = grid.machines.all().iter().map(|own| own.name.as_str());
                    grid.over(entry).values(axis)?.describe(axis.kind, machines)
                }
            };
            (!own.is_empty()).then(|| format!("{own} (grid {})", grid.name))
        }),
    );
    let help = match &*there {
        "" => format!("no grid of `{name}` has the axis {key}; add it to one"),
        _ => format!("there are {key} = {there}; draw one of these, or add the value to a grid"),
    };
    Some((format!("no grid has `{name}` with {wanted}"), help))
}

/// The chart of a figure.
///
/// # Errors
/// The rows that are missing or that the figure cannot distinguish.
fn chart(spec: &Spec, rows: &Rows) -> Result<Chart> {
    let Some(first) = spec.panels.first() else {
        return Ok(history::chart(&spec.about, &rows.history));
    };
    if let Some(up) = first.up() {
        return map::chart(spec, first, up, rows);
    }
    let drawn = curves::drawn(spec, rows)?;
    let mut panels = scales::panels(spec, &drawn);
    panels.extend(scales::errors(spec, &drawn));
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
pub fn write(drawings: Vec<Drawing>, caption: Option<&Path>) -> Result<String> {
    let mut drafts = Vec::new();
    let (mut texts, mut captions) = (String::new(), Vec::new());
    for (file, picture, origin) in drawings {
        texts += &picture.left_out;
        captions.push((file.display().to_string(), picture.left_out.clone()));
        let bytes = picture.bytes(&file, &origin)?;
        origin::refuse_stranger(&file)?;
        drafts.push(Draft::with_contents(&file, &bytes)?);
    }
    if let Some(file) = caption {
        let is_latex = file.extension().is_some_and(|extension| extension == "tex");
        // The mark keeps files of others from being replaced. A paragraph for each figure.
        let mark = if is_latex { '%' } else { '#' };
        let heads = captions.len() > 1;
        let paragraph = |(name, text): (String, String)| {
            let head = if heads {
                format!("\n{mark} {name}\n")
            } else {
                String::new()
            };
            let lines = text.lines().map(|line| {
                if is_latex {
                    markup::latex(line) + "\n"
                } else {
                    format!("{line}\n")
                }
            });
            head + &lines.collect::<String>()
        };
        let texts: String = captions.into_iter().map(paragraph).collect();
        let texts = format!("{mark} castbench figures --caption\n{texts}");
        let mut draft = Draft::with_contents(file, texts.as_bytes())?;
        draft.refuse_other()?;
        drafts.push(draft);
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
        let mut left_out = left_out.join(" ");
        let fit = fit.clone();
        left_out.extend((!left_out.is_empty()).then_some('\n'));
        Ok(Self { svg, left_out, fit })
    }

    /// The picture with its origin in the format of this file.
    ///
    /// # Errors
    /// Exit code 2 where the system cannot write the format.
    pub fn bytes(self, file: &Path, origin: &Origin) -> Result<Vec<u8>> {
        ImageFormat::from_name(&file.to_string_lossy())
            .unwrap_or(ImageFormat::Svg)
            .bytes(&origin.within(&self.svg), &self.fit, &origin.text())
    }
}

/// The rows with a cost, and those without one that counts.
fn by_cost(rows: Vec<Row>) -> (Vec<Row>, Vec<Row>) {
    rows.into_iter().partition(|row| row.status == Status::Ok)
}

/// A figure with its picture, or why it cannot be drawn in its size.
pub type Drawn<'a> = (&'a Spec, Result<Picture>);

/// Draws those of these figures that have rows from the CSV files in `from`. A figure that does not fit its page leaves the
/// others as they are.
///
/// # Errors
/// Exit code 4 where a figure's rows are missing, 74 where files cannot be read.
pub fn drawn<'a>(figures: &[&'a Spec], sweep: &Sweep<'_>, fit: &PageFit) -> Result<Vec<Drawn<'a>>> {
    let from = sweep.directory();
    let mut rows = Vec::new();
    for problem in PROBLEMS {
        let own = figures.iter().filter(|figure| figure.draws(problem));
        let wanted = any(own.map(|figure| figure.filter()).collect());
        // Also of a problem that no figure draws: its file may be of another sweep.
        rows.extend(sweep.rows(problem, &wanted)?);
    }
    let (points, undefined) = by_cost(rows);
    let mut rows = Rows {
        from: from.to_owned(),
        points,
        undefined,
        history: acceptances::read(from)?,
        ..Rows::default()
    };
    // What a warning says of a file is said once.
    for figure in figures {
        if let Some(name) = &figure.measurements
            && !rows.measured.contains_key(name)
        {
            let results = Results::open(&from.join(name))?
                .map(Results::into_rows)
                .unwrap_or_default();
            if let Some(warning) = table::rate_warning(&results) {
                tell!("{name}: {warning}");
            }
            rows.measured.insert(name.clone(), results);
        }
        if let Some(name) = &figure.table
            && !rows.tables.contains_key(name)
        {
            let table = Table::open(&from.join(name))?;
            if let Some(left_out) = table.left_out(&rows.points) {
                tell!("{name}: {left_out}");
            }
            rows.tables.insert(name.clone(), table);
        }
    }
    figures
        .iter()
        .filter(|figure| figure.applies(&rows))
        .map(|&figure| match picture(figure, &rows, fit) {
            Err(failure) if failure.code != Code::Usage => Err(failure),
            picture => Ok((figure, picture)),
        })
        .collect()
}

/// A figure with only these of its panels.
///
/// # Errors
/// Exit code 2 for a number that no panel has.
fn with_panels<P: Clone>(figure: &Spec, all: &[P], numbers: &[u16]) -> Result<Vec<P>> {
    let panel = |number: &u16| {
        all.get(usize::from(*number).saturating_sub(1))
            .cloned()
            .ok_or_else(|| {
                let has = plural(all.len() as u64, "panel");
                figure.refused(Code::Usage, format_args!("--panels {number}: it has {has}"))
            })
    };
    match numbers {
        [] => Ok(all.to_vec()),
        _ => numbers.iter().map(panel).collect(),
    }
}

fn picture(figure: &Spec, rows: &Rows, fit: &PageFit) -> Result<Picture> {
    let figure = &figure.clone().with_networks_of(rows);
    let mut fit = fit.over(&figure.about.page);
    // A part that is drawn is as if nothing was said of it.
    for part in [&mut fit.no_title, &mut fit.no_caption] {
        *part = part.filter(|is_left_out| *is_left_out);
    }
    // Points on networks have no line at whose end a name could stand.
    if figure.is_over_names() {
        fit.legend.get_or_insert(Legend::Once);
    }
    // Lines of other panels change neither scales nor captions. A map, the history and errors have the panels of their drawing.
    let mut panels = figure.panels.iter();
    let is_of_lines = panels.all(|panel| panel.up().is_none() && !panel.has(&Layer::Errors));
    let chart = if is_of_lines && !figure.is_history() {
        let panels = with_panels(figure, &figure.panels, &fit.panels)?;
        let figure = Spec {
            panels,
            ..figure.clone()
        };
        chart(&figure, rows)?
    } else {
        let chart = chart(figure, rows)?;
        let panels = with_panels(figure, &chart.panels, &fit.panels)?;
        Chart { panels, ..chart }
    };
    Picture::new(&chart, &fit).map_err(|error| match error {
        ChartError::Narrow(_) => figure.refused(
            Code::Usage,
            format_args!("{error}; raise --width or lower --font-size, or these keys of its `page`; --only draws some figures of a configuration"),
        ),
        ChartError::Low(_) => figure.refused(
            Code::Usage,
            format_args!("{error}; raise --height or --width, lower --font-size, change these keys of its `page`, or draw some panels, as with --panels 1,2"),
        ),
        _ => {
            let file = figure.file();
            Failure::read(&rows.from, format_args!("figure {file}: {error}; sweep again"))
        }
    })
}

#[cfg(test)]
mod tests;
