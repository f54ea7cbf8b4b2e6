//! Where the panels of a chart are on a sheet: in their natural size, or in a grid that fits the width and the height of a
//! printed page.

use plotters::chart::ChartBuilder;
use plotters::prelude::Polygon;
use plotters::style::{Color, ShapeStyle, TextStyle};

use super::fit::Legend;
use super::marks::{Marked, draw_cells, draw_series, places, steps};
use super::names::{self, Name, Names};
use super::scale::Scale;
use super::style::{FAINT_INK, GRID, INK, LABEL, Look, PAPER, Point};
use super::svg::{BOTTOM_LEFT, CENTRE, Sheet, TOP_LEFT, fine, stroke, text, text_width, wrapped};
use super::{AxisSpec, Panel};
use crate::base::units::together;

/// Least side of a cell.
const LEAST_CELL: f64 = 3.0;
/// Least side of a cell of a printed page.
const LEAST_PAGE_CELL: f64 = 1.5;
/// Least width of a plot with the labels of its y axis.
const LEAST_PLOT: f64 = 250.0;
/// Least width of a plot of a printed page.
const LEAST_WIDE: f64 = 96.0;
/// Least height of a plot of a printed page.
const LEAST_HIGH: f64 = 44.0;
/// The widest row of panels.
const WIDEST: f64 = 1300.0;
/// Height of the ticks and the title of a horizontal axis.
const X_LABELS: f64 = 46.0;
/// Height of the ticks alone.
const X_TICKS: f64 = 24.0;
/// Margin above a plot.
const ABOVE_PLOT: f64 = 4.0;
/// Height of a line of text above or below the panels of a printed page.
const LINE: f64 = 17.0;
/// Between a plot and the text above it.
const BELOW_TEXT: f64 = 6.0;
/// Between the title of the y axis and the heading above it.
const BELOW_HEADING: f64 = 5.0;
/// Greatest height of a panel of a printed page, as a part of its width.
const PAGE_HEIGHT: f64 = 0.75;
/// Least part of a printed page that is plot where names stand beside it.
const PLOT_PART: f64 = 0.6;
/// A plot so wide is large enough: a lower figure is better than a larger plot.
const LARGE: f64 = 200.0;
/// A plot of a printed page is as good as one that is wider by this factor than high.
const USUAL_SHAPE: f64 = 1.5;
/// Room right of a plot for half of its last tick.
const LAST_TICK: f64 = 20.0;

/// The panels on a sheet.
#[derive(Clone)]
pub(super) struct Page<'a> {
    /// All panels in their order.
    panels: &'a [Panel],
    /// Where the names of the series are.
    names: Names,
    /// Each name once, if they are below all panels.
    once: Vec<Name>,
    /// The panels in rows, each with its width.
    rows: Vec<Vec<(&'a Panel, f64)>>,
    /// Lines of the title of the y axis and of the x axis, where all panels of a printed page share them.
    shared: [Vec<String>; 2],
    /// Whether the texts of a panel are broken into lines.
    is_broken: bool,
    /// Height of the heading and the title of the y axis above the panels of each row.
    above: Vec<f64>,
    /// Height of the labels below each plot.
    x_labels: f64,
    /// Height of each plot.
    plot: f64,
}

/// What a printed page lacks: the least width or height of the panels.
pub(super) enum Lack {
    /// Width in pixels.
    Width(f64),
    /// Height in pixels.
    Height(f64),
}

impl<'a> Page<'a> {
    /// The panels in their natural size, as many per row as fit.
    pub fn natural(panels: &'a [Panel], legend: Option<Legend>) -> Self {
        let names = match legend {
            Some(Legend::Once) => Names::Once,
            _ => Names::Beside,
        };
        let several = panels.iter().any(|panel| panel.heading.is_some());
        let above = if several { 60.0 } else { 30.0 };
        let mut page = Page {
            x_labels: X_LABELS,
            ..Self::new(panels, names)
        };
        for panel in panels {
            let names = page.beside(panel) - names::width(&panel.legend);
            let width = natural_width(panel, panels.len()) + names;
            let row_width = |row: &Vec<(_, f64)>| row.iter().map(|(_, own)| own).sum::<f64>();
            match page.rows.last_mut() {
                Some(row) if row_width(row) + width <= WIDEST => row.push((panel, width)),
                _ => page.rows.push(vec![(panel, width)]),
            }
        }
        page.above = vec![above; page.rows.len()];
        page.plot = (natural_height(panels) - page.outside()).max(page.least_of_names());
        page
    }

    /// The panels in a grid of a printed page, as large as its width and height allow.
    ///
    /// # Errors
    /// The width or the height that it needs.
    pub fn fitted(
        panels: &'a [Panel],
        legend: Option<Legend>,
        wide: f64,
        height: f64,
    ) -> Result<Self, Lack> {
        let grids =
            |names| (1..=panels.len()).map(move |columns| Self::grid(panels, names, columns, wide));
        let beside: Vec<Self> = grids(Names::Beside).collect();
        let all: Vec<Self> = match legend {
            Some(Legend::Each) => beside.into_iter().chain(grids(Names::Below)).collect(),
            None if panels.len() == 1 && beside[0].plot_wide() >= PLOT_PART * wide => beside,
            _ => grids(Names::Once).collect(),
        };
        let least = all
            .iter()
            .map(Self::least_wide)
            .fold(f64::INFINITY, f64::min);
        let wide_enough = || all.iter().filter(|page| page.least_wide() <= wide);
        let lowest = wide_enough().map(|page| page.high(wide, page.least_high()));
        let lowest = lowest.reduce(f64::min).ok_or(Lack::Width(least))?;
        let plot = |page: &Self| page.plot_high(wide, height);
        let size = |page: &Self| page.plot_wide().min(USUAL_SHAPE * plot(page)).min(LARGE);
        let best = wide_enough()
            .filter(|page| plot(page) >= page.least_high())
            .max_by(|one, other| size(one).total_cmp(&size(other)));
        let best = best.ok_or(Lack::Height(lowest))?;
        let plot = plot(best);
        Ok(Page {
            plot,
            ..best.clone()
        })
    }

    fn new(panels: &'a [Panel], names: Names) -> Self {
        let all = panels.iter().flat_map(|panel| &panel.legend);
        let once = together(all.filter(|_| names == Names::Once).map(|name| (name, ())));
        let mut once: Vec<&Name> = once.into_iter().map(|(name, _)| name).collect();
        // What areas are comes last.
        once.sort_by_key(|(_, look)| *look == Look::NEUTRAL);
        let is_new = |name: &&Name| !once.iter().any(|other| is_part(name, other));
        Page {
            panels,
            names,
            once: once.iter().copied().filter(is_new).cloned().collect(),
            rows: Vec::new(),
            shared: [Vec::new(), Vec::new()],
            is_broken: false,
            above: Vec::new(),
            x_labels: 0.0,
            plot: 0.0,
        }
    }

    /// A grid of a printed page with so many columns.
    fn grid(panels: &'a [Panel], names: Names, columns: usize, wide: f64) -> Self {
        let width = wide / columns as f64;
        let row = |row: &'a [Panel]| row.iter().map(|panel| (panel, width)).collect();
        let mut page = Page {
            rows: panels.chunks(columns).map(row).collect(),
            is_broken: true,
            ..Self::new(panels, names)
        };
        let shared = |axis: fn(&Panel) -> &AxisSpec, is_shared: bool| {
            let mut titles = panels.iter().map(|panel| axis(panel).title.as_str());
            let first = titles.next().unwrap_or_default();
            match is_shared && titles.all(|title| title == first) {
                true => wrapped(first, wide, LABEL),
                false => Vec::new(),
            }
        };
        // A title in the middle of a narrow plot may not fit there.
        let is_long = |panel: &Panel| {
            let plot = width - page.y_labels(panel) - page.beside(panel);
            text_width(&panel.x.title, LABEL) > plot
        };
        let has_several = panels.len() > 1;
        page.shared = [
            shared(|panel| &panel.y, has_several),
            shared(|panel| &panel.x, has_several || panels.iter().any(is_long)),
        ];
        page.x_labels = if page.shared[1].is_empty() {
            X_LABELS
        } else {
            X_TICKS
        };
        let above = |(panel, wide): &(&Panel, f64)| {
            let lines = page.texts(panel, *wide);
            let [heading, title] = lines.map(|lines| lines.len() as f64 * LINE);
            let between = if heading > 0.0 && title > 0.0 {
                BELOW_HEADING
            } else {
                0.0
            };
            BELOW_TEXT + title + between + heading
        };
        let above = |row: &Vec<_>| row.iter().map(above).fold(0.0, f64::max);
        page.above = page.rows.iter().map(above).collect();
        page
    }

    fn most(&self, of: impl Fn(&Panel, f64) -> f64) -> f64 {
        let all = self.rows.iter().flatten();
        all.map(|(panel, wide)| of(panel, *wide))
            .fold(0.0, f64::max)
    }

    /// The lines of the heading and of the title of the y axis above a panel.
    fn texts(&self, panel: &Panel, wide: f64) -> [Vec<String>; 2] {
        let lines = |text: &str| match self.is_broken {
            true => wrapped(text, wide, LABEL),
            false => vec![text.to_owned()],
        };
        let heading = panel.heading.as_deref().map_or_else(Vec::new, lines);
        let title = match self.shared[0][..] {
            [] => lines(&panel.y.title),
            _ => Vec::new(),
        };
        [heading, title]
    }

    /// The room right of a plot.
    fn beside(&self, panel: &Panel) -> f64 {
        match self.names {
            Names::Beside => names::width(&panel.legend),
            _ => LAST_TICK,
        }
    }

    /// How wide the labels left of a plot are. The plots of a grid begin below one another.
    fn y_labels(&self, panel: &Panel) -> f64 {
        match self.is_broken {
            true => self.most(|panel, _| y_labels(&panel.y.scale)),
            false => y_labels(&panel.y.scale),
        }
    }

    /// The width of the narrowest plot.
    fn plot_wide(&self) -> f64 {
        let plot = |(panel, wide): &(&Panel, f64)| wide - self.y_labels(panel) - self.beside(panel);
        self.rows
            .iter()
            .flatten()
            .map(plot)
            .fold(f64::INFINITY, f64::min)
    }

    /// The least width of all panels of a grid.
    fn least_wide(&self) -> f64 {
        let columns = self.rows.first().map_or(0, Vec::len) as f64;
        let least = |panel: &Panel, _| {
            let cells = cells(panel, &panel.x.scale);
            self.y_labels(panel) + cells.max(LEAST_WIDE) + self.beside(panel)
        };
        columns * self.most(least)
    }

    /// The least height of a plot of a grid.
    fn least_high(&self) -> f64 {
        let cells = self.most(|panel, _| cells(panel, &panel.y.scale));
        cells.max(LEAST_HIGH).max(self.least_of_names())
    }

    /// The height of the plots of a grid in this height of all panels.
    fn plot_high(&self, wide: f64, height: f64) -> f64 {
        let share = (height - self.high(wide, 0.0)) / self.rows.len().max(1) as f64;
        let most = self.most(|_, wide| wide * PAGE_HEIGHT) - self.outside();
        share.min(most.max(self.least_high()))
    }

    /// The height of a plot with names beside it.
    fn least_of_names(&self) -> f64 {
        match self.names {
            Names::Beside => self.most(|panel, _| panel.legend.len() as f64) * names::DISTANCE,
            _ => 0.0,
        }
    }

    /// The height of a panel around its plot, without the names below it.
    fn outside(&self) -> f64 {
        self.x_labels + ABOVE_PLOT
    }

    /// The height of a panel with a plot of this height.
    fn panel_high(&self, plot: f64) -> f64 {
        let names = match self.names {
            Names::Below => {
                self.most(|panel, wide| names::lines(&panel.legend, wide)) * names::DISTANCE
                    + names::ABOVE
            }
            _ => 0.0,
        };
        self.outside() + plot + names
    }

    /// The height of all panels with plots of this height, with what they share.
    fn high(&self, wide: f64, plot: f64) -> f64 {
        let shared = self.shared.iter().map(Vec::len).sum::<usize>() as f64 * LINE;
        let names = match names::flowing(&self.once, (0.0, 0.0), wide).1 {
            0.0 => 0.0,
            lines => names::ABOVE + lines * names::DISTANCE,
        };
        let above: f64 = self.above.iter().sum();
        shared + above + self.rows.len() as f64 * self.panel_high(plot) + names
    }

    /// The height of all panels, with what they share.
    pub fn height(&self, wide: f64) -> f64 {
        self.high(wide, self.plot)
    }

    /// The width of the widest row.
    pub fn wide(&self) -> f64 {
        let width = |row: &Vec<(&Panel, f64)>| row.iter().map(|(_, width)| width).sum();
        self.rows.iter().map(width).fold(0.0, f64::max)
    }

    /// Draws the panels, and what they share, from a point in this width.
    pub fn draw(&self, sheet: &Sheet<'_>, (left, top): Point, wide: f64) {
        let [above, below] = &self.shared;
        let mut y = top + above.len() as f64 * LINE;
        let style = text(LABEL, FAINT_INK, TOP_LEFT);
        for (number, line) in above.iter().enumerate() {
            sheet.write(line, (left, top + number as f64 * LINE), &style);
        }
        let height = self.panel_high(self.plot);
        for (row, above) in self.rows.iter().zip(&self.above) {
            let mut x = left;
            for (panel, width) in row {
                let at = (x, y + above);
                let [heading, title] = self.texts(panel, *width);
                self.draw_above(sheet, at, [&heading, &title]);
                self.draw_panel(panel, sheet, at, *width);
                x += width;
            }
            y += above + height;
        }
        for line in below {
            let style = text(LABEL, FAINT_INK, CENTRE);
            sheet.write(line, (left + wide / 2.0, y + LINE / 2.0), &style);
            y += LINE;
        }
        let names = names::flowing(&self.once, (left, y + names::ABOVE), wide).0;
        names::draw(self.panels, sheet, names);
    }

    /// Writes the heading and the title of the y axis above a panel, so that the title is horizontal.
    fn draw_above(&self, sheet: &Sheet<'_>, (left, top): Point, [heading, title]: [&[String]; 2]) {
        let style = text(LABEL, FAINT_INK, BOTTOM_LEFT);
        let titles = title.len() as f64 * LINE + if title.is_empty() { 0.0 } else { BELOW_HEADING };
        let size = if self.is_broken { LABEL } else { LABEL + 1.0 };
        let above = |from: f64, lines: &[String], style: &TextStyle<'_>| {
            for (number, line) in lines.iter().rev().enumerate() {
                sheet.write(line, (left, from - number as f64 * LINE), style);
            }
        };
        above(
            top - BELOW_TEXT - titles,
            heading,
            &text(size, INK, BOTTOM_LEFT),
        );
        above(top - BELOW_TEXT, title, &style);
    }

    fn draw_panel(&self, panel: &Panel, sheet: &Sheet<'_>, (left, top): Point, wide: f64) {
        let label_width = self.y_labels(panel);
        let names_width = self.beside(panel);
        let high = self.outside() + self.plot;
        let area = sheet.area.clone();
        let area = &area.shrink((fine(left), fine(top)), (fine(wide), fine(high)));
        let room = text_width(panel.x.scale.widest_label(), LABEL) + 10.0;
        let length = wide - label_width - names_width;
        let mut x = panel.x.scale.thinned(length, room);
        if self.is_broken {
            x = x.within(length, LAST_TICK, |label| text_width(label, LABEL));
        }
        let y = panel.y.scale.thinned(self.plot, LABEL + 3.0);
        let (columns, rows) = (x.ticks(), y.ticks());
        // Lines of a grid would hide the signs of cells.
        let grid = if panel.cells.is_empty() { 1.0 } else { 0.0 };
        let plot = ChartBuilder::on(area)
            .x_label_area_size(fine(self.x_labels))
            .y_label_area_size(fine(label_width))
            .margin_right(fine(names_width))
            .margin_top(fine(ABOVE_PLOT))
            .build_cartesian_2d(x, y);
        let Some(mut plot) = sheet.keep(plot) else {
            return;
        };
        let mut mesh = plot.configure_mesh();
        if self.shared[1].is_empty() {
            mesh.x_desc(panel.x.title.as_str());
        }
        let mesh = mesh
            .x_labels(columns)
            .y_labels(rows)
            .light_line_style(ShapeStyle {
                color: PAPER.mix(0.0),
                filled: false,
                stroke_width: 0,
            })
            .bold_line_style(ShapeStyle {
                color: GRID.mix(grid),
                ..stroke(GRID, 1.0)
            })
            .axis_style(stroke(FAINT_INK, 1.0))
            .label_style(text(LABEL, INK, TOP_LEFT))
            .axis_desc_style(text(LABEL, FAINT_INK, TOP_LEFT))
            .set_all_tick_mark_size(fine(4.0))
            .draw();
        sheet.keep(mesh);
        draw_cells(panel, &plot, sheet);
        for band in &panel.bands {
            let edge = |of: fn(&(f64, f64, f64)) -> (f64, f64)| {
                let points: Vec<(f64, f64)> = band.edges.iter().map(of).collect();
                match panel.is_stepped() {
                    true => steps(&points),
                    false => points,
                }
            };
            let low = edge(|&(x, low, _)| (x, low)).into_iter();
            let high = edge(|&(x, _, high)| (x, high)).into_iter().rev();
            let outline: Vec<_> = low.chain(high).collect();
            let style = band.look.colour.mix(0.16).filled();
            sheet.keep(plot.draw_series([Polygon::new(outline, style)]));
        }
        let places = places(panel, &plot);
        let mut marked = Marked::new();
        for (series, places) in panel.series.iter().zip(&places) {
            let canvas = (&mut plot, sheet);
            draw_series((series, places), panel.is_stepped(), canvas, &mut marked);
        }
        let names = match self.names {
            Names::Beside => names::beside(panel, &plot),
            Names::Below => names::below(&panel.legend, (left, top + high + names::ABOVE), wide),
            Names::Once => Vec::new(),
        };
        names::draw(std::slice::from_ref(panel), sheet, names);
    }
}

/// Whether a look stands for all these algorithms, `a`, and for more, `a = b`, so that one name is enough.
fn is_part((name, look): &Name, (other, others): &Name) -> bool {
    let has = |part: &str| other.split(" = ").any(|own| own == part);
    name != other && look == others && name.split(" = ").all(has)
}

/// The least length of a side of a panel with cells.
fn cells(panel: &Panel, scale: &Scale) -> f64 {
    match scale.values().filter(|_| !panel.cells.is_empty()) {
        None => 0.0,
        Some(values) => values as f64 * LEAST_PAGE_CELL,
    }
}

/// The length of a side of a map with these values.
fn side(scale: &Scale, whole: f64, most: f64) -> f64 {
    scale.values().map_or(whole, |values| {
        let values = values as f64;
        values * (whole / values.max(1.0)).clamp(LEAST_CELL, most)
    })
}

/// The width of one of several panels: wider where long names would leave too little of the plot.
fn natural_width(panel: &Panel, panels: usize) -> f64 {
    let names = names::width(&panel.legend);
    let usual: f64 = match panels {
        _ if !panel.cells.is_empty() => {
            let plot = y_labels(&panel.y.scale) + side(&panel.x.scale, 560.0, 44.0);
            return (plot + names).ceil();
        }
        1 => 940.0,
        2 | 4 => 620.0,
        _ => 430.0,
    };
    usual.max(LEAST_PLOT + names.ceil())
}

/// The height of panels.
fn natural_height(panels: &[Panel]) -> f64 {
    match panels {
        [first, ..] if !first.cells.is_empty() => {
            (side(&first.y.scale, 380.0, 32.0) + X_LABELS + ABOVE_PLOT).ceil()
        }
        [_, _, _, _, ..] => 320.0,
        _ => 410.0,
    }
}

/// How wide the labels of a vertical axis are.
fn y_labels(scale: &Scale) -> f64 {
    text_width(scale.widest_label(), LABEL) + 12.0
}
