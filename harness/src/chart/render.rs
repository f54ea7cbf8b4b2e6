//! Draws a checked chart with plotters.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::CoordTranslate as _;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{DashedLineSeries, PathElement, Polygon, SVGBackend};
use plotters::style::{Color, RGBColor, ShapeStyle};

use super::fit::Legend;
use super::scale::Scale;
use super::style::{FAINT_INK, GRID, INK, LABEL, Look, Marker, PAPER};
use super::svg::{
    BOTTOM_LEFT, CENTRE, FINE, LEFT, MARGIN, SUBTITLE, Sheet, TITLE, TOP_LEFT, fine, sheet, stroke,
    text, text_width, whole,
};
use super::{Chart, ChartError, Join, MapCell, Markers, PageFit, Panel, Series};
use crate::units::together;

/// Least side of a cell: its sign can be read.
const LEAST_CELL: f64 = 14.0;
/// Least width of a plot with the labels of its y axis.
const LEAST_PLOT: f64 = 250.0;
/// The widest row of panels.
const WIDEST: f64 = 1300.0;
/// Least width of a line of the caption.
const LEAST_WIDTH: f64 = 800.0;
const CAPTION_LINE: f64 = 19.0;
/// Between the panels and the caption.
const ABOVE_CAPTION: f64 = 14.0;
/// Height of the ticks and the title of a horizontal axis.
const X_LABELS: f64 = 46.0;
/// Margin above a plot.
const ABOVE_PLOT: f64 = 4.0;
/// Least distance between two labels at the ends of lines.
const LABEL_DISTANCE: f64 = 17.0;
/// Between a plot and the names below it.
const ABOVE_NAMES: f64 = 14.0;
/// Free above the first text of a panel.
const ABOVE_PANEL: f64 = 10.0;
/// Margin of a picture of a given width.
const PAGE_MARGIN: f64 = 3.0;
/// Height of a panel of a given width, as a part of the width.
const PAGE_HEIGHT: f64 = 0.72;
/// Room right of a plot for half of its last tick.
const LAST_TICK: f64 = 20.0;

type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// A name and its look.
type Name = (String, Look);

/// A point of the picture.
type Point = (f64, f64);

/// Draws the chart as SVG.
pub(super) fn draw(chart: &Chart, fit: &PageFit) -> Result<String, ChartError> {
    let page = Page::new(chart, fit)?;
    let titles = [&chart.title, &chart.subtitle].map(String::as_str);
    let margin = page.margin;
    let longest = [
        LEAST_WIDTH,
        text_width(titles[1], LABEL),
        text_width(titles[0], TITLE),
    ];
    let row_width = |row: &Vec<(&Panel, f64)>| row.iter().map(|(_, width)| width).sum();
    let longest = page
        .rows
        .iter()
        .map(row_width)
        .chain(longest)
        .fold(0.0, f64::max);
    let longest = page.inner.unwrap_or(longest);
    let (lines, above_rows) = page.heading(titles, fit);
    let shared = match page.names {
        Names::Once => together(
            chart
                .panels
                .iter()
                .flat_map(|panel| &panel.legend)
                .map(|name| (name, ())),
        ),
        _ => Vec::new(),
    };
    let shared: Vec<Name> = shared.into_iter().map(|(name, _)| name.clone()).collect();
    let text_of_caption = chart.caption.join(" ");
    let caption = match fit.caption {
        true => wrapped(&text_of_caption, longest, LABEL),
        false => Vec::new(),
    };
    let below_rows = above_rows + page.rows.len() as f64 * page.row_height();
    let above_caption = match &shared[..] {
        [] => ABOVE_CAPTION,
        _ => ABOVE_CAPTION + ABOVE_NAMES + lines_of(&shared, longest) * LABEL_DISTANCE,
    };
    let bottom = margin + above_caption - 8.0 + caption.len() as f64 * CAPTION_LINE;
    let size = (
        whole(longest + 2.0 * margin),
        whole(below_rows) + whole(bottom),
    );
    sheet(
        size,
        fit,
        (titles[0], titles[1]),
        &text_of_caption,
        |sheet| {
            for (content, y, size, ink) in &lines {
                sheet.write(content, (margin, *y), &text(*size, *ink, TOP_LEFT));
            }
            page.draw(sheet, above_rows);
            let names = below(&shared, (margin, below_rows + ABOVE_NAMES), longest);
            draw_names(&chart.panels, sheet, names);
            for (number, content) in caption.iter().enumerate() {
                let y = below_rows + above_caption + number as f64 * CAPTION_LINE;
                sheet.write(content, (margin, y), &text(LABEL, FAINT_INK, TOP_LEFT));
            }
        },
    )
}

/// Where the names of the series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Beside the plot, at the ends of their lines.
    Beside,
    /// Below the plot, because there is no room beside it.
    Below,
    /// Below all panels, each name once.
    Once,
}

impl Names {
    /// The names of one panel.
    fn of(self, panel: &Panel) -> &[Name] {
        match self {
            Self::Once => &[],
            _ => &panel.legend,
        }
    }

    /// The room right of a plot.
    fn beside(self, panel: &Panel) -> f64 {
        match self {
            Self::Beside => legend_width(&panel.legend),
            _ => LAST_TICK,
        }
    }
}

/// The panels on a page.
struct Page<'a> {
    margin: f64,
    /// The width between the margins, if it is given.
    inner: Option<f64>,
    names: Names,
    /// The panels in rows, each with its width.
    rows: Vec<Vec<(&'a Panel, f64)>>,
    /// Height of the heading and the title of the y axis above each panel.
    above: f64,
    /// Height of each panel.
    height: f64,
}

impl<'a> Page<'a> {
    fn new(chart: &'a Chart, fit: &PageFit) -> Result<Self, ChartError> {
        let room = fit.pixels();
        let margin = if room.is_some() { PAGE_MARGIN } else { MARGIN };
        let inner = room.map(|room| room - 2.0 * margin);
        let narrow = |least: f64| {
            ChartError::Narrow(whole((least + 2.0 * margin) * fit.scale().unwrap_or(1.0)))
        };
        let several = chart.panels.iter().any(|panel| panel.heading.is_some());
        let mut page = Page {
            margin,
            inner,
            names: match fit.legend {
                Some(Legend::Once) => Names::Once,
                _ => Names::Beside,
            },
            rows: Vec::new(),
            above: if several { 60.0 } else { 30.0 },
            height: 0.0,
        };
        match inner {
            None => page.set_natural(&chart.panels),
            Some(inner) => page.set_fitted(&chart.panels, inner).map_err(narrow)?,
        }
        page.height = page.panel_height(natural_height(&chart.panels));
        Ok(page)
    }

    /// The panels in their natural width, as many per row as fit.
    fn set_natural(&mut self, panels: &'a [Panel]) {
        for panel in panels {
            let names = self.names.beside(panel) - legend_width(&panel.legend);
            let width = natural_width(panel, panels.len()) + names;
            let row_width = |row: &Vec<(_, f64)>| row.iter().map(|(_, own)| own).sum::<f64>();
            match self.rows.last_mut() {
                Some(row) if row_width(row) + width <= WIDEST => row.push((panel, width)),
                _ => self.rows.push(vec![(panel, width)]),
            }
        }
    }

    /// Rows of as many panels as the width has room for, with the names beside them or, if more panels fit then, below.
    ///
    /// # Errors
    /// The least width.
    fn set_fitted(&mut self, panels: &'a [Panel], inner: f64) -> Result<(), f64> {
        let least = |names: Names| {
            let least = |panel: &Panel| {
                let cells = match panel.cells[..] {
                    [] => 0.0,
                    _ => panel.x.scale.ticks() as f64 * LEAST_CELL,
                };
                y_labels(&panel.y.scale) + cells.max(LEAST_PLOT) + names.beside(panel)
            };
            panels.iter().map(least).fold(0.0, f64::max)
        };
        let fit = |names| {
            let mut counts = (1..=panels.len()).rev();
            counts.find(|count| *count as f64 * least(names) <= inner)
        };
        let below = fit(Names::Below).ok_or_else(|| least(Names::Below))?;
        let beside = fit(self.names).filter(|count| *count >= below);
        if beside.is_none() {
            self.names = Names::Below;
        }
        let columns = beside.unwrap_or(below);
        let width = inner / columns as f64;
        let row = |row: &'a [Panel]| row.iter().map(|panel| (panel, width)).collect();
        self.rows = panels.chunks(columns).map(row).collect();
        Ok(())
    }

    /// The height of each panel: lower than wide on a page; names may need more.
    fn panel_height(&self, usual: f64) -> f64 {
        let all = || self.rows.iter().flatten();
        let most = |of: &dyn Fn(&Panel, f64) -> f64| {
            all()
                .map(|(panel, width)| of(panel, *width))
                .fold(0.0, f64::max)
        };
        let cells = most(&|panel, _| match panel.cells[..] {
            [] => 0.0,
            _ => panel.y.scale.ticks() as f64 * LEAST_CELL,
        });
        let outside = X_LABELS + ABOVE_PLOT;
        let height = match self.inner {
            Some(_) => (most(&|_, width| width) * PAGE_HEIGHT)
                .min(usual)
                .max(cells + outside),
            None => usual,
        };
        let names = |width| most(&|panel, own| lines_of(self.names.of(panel), own.min(width)));
        match self.names {
            Names::Beside => height.max(names(0.0) * LABEL_DISTANCE + outside),
            Names::Below => height + names(f64::MAX) * LABEL_DISTANCE + ABOVE_NAMES,
            Names::Once => height,
        }
    }

    fn row_height(&self) -> f64 {
        self.above + self.height
    }

    /// The title and the subtitle in lines, each with its y, its size and its colour, and the height of all.
    fn heading(&self, [title, subtitle]: [&str; 2], fit: &PageFit) -> Heading {
        let mut lines = Vec::new();
        let is_bare = !fit.title && self.inner.is_some();
        let mut height = self.margin - if is_bare { ABOVE_PANEL } else { 0.0 };
        // The distance to a line's top from the bottom of another line of its text, and of another text.
        let texts = [
            (title, TITLE, INK, 6.0, 0.0),
            (subtitle, SUBTITLE, FAINT_INK, 5.0, 12.0),
        ];
        for (content, size, ink, between, above) in texts.into_iter().filter(|_| fit.title) {
            let parts = match self.inner {
                Some(inner) => wrapped(content, inner, size),
                None => vec![content.to_owned()],
            };
            for (number, part) in parts.into_iter().enumerate() {
                height += if number == 0 { above } else { between };
                lines.push((part, height, size, ink));
                height += size;
            }
        }
        (lines, height)
    }

    fn draw(&self, sheet: &Sheet<'_>, mut top: f64) {
        for row in &self.rows {
            let mut left = self.margin;
            for (panel, width) in row {
                let at = (left, top + self.above);
                if let Some(heading) = &panel.heading {
                    let style = text(LABEL + 1.0, INK, BOTTOM_LEFT);
                    sheet.write(heading, (left, at.1 - 28.0), &style);
                }
                self.draw_panel(panel, sheet, at, *width);
                left += width;
            }
            top += self.row_height();
        }
    }

    fn draw_panel(&self, panel: &Panel, sheet: &Sheet<'_>, (left, top): Point, wide: f64) {
        let label_width = y_labels(&panel.y.scale);
        let names_width = self.names.beside(panel);
        let below_plot = match self.names {
            Names::Below => lines_of(&panel.legend, wide) * LABEL_DISTANCE + ABOVE_NAMES,
            _ => 0.0,
        };
        let high = self.height - below_plot;
        let area = sheet.area.clone();
        let area = &area.shrink((fine(left), fine(top)), (fine(wide), fine(high)));
        let room = text_width(panel.x.scale.widest_label(), LABEL) + 10.0;
        let x = panel
            .x
            .scale
            .thinned(wide - label_width - names_width, room);
        let y = panel
            .y
            .scale
            .thinned(high - X_LABELS - ABOVE_PLOT, LABEL + 3.0);
        let (columns, rows) = (x.ticks(), y.ticks());
        // Lines of a grid would hide the signs of cells.
        let grid = if panel.cells.is_empty() { 1.0 } else { 0.0 };
        // The title of the y axis stands above it, so that it is horizontal.
        let style = text(LABEL, FAINT_INK, BOTTOM_LEFT);
        sheet.write(&panel.y.title, (left, top - 6.0), &style);
        let plot = ChartBuilder::on(area)
            .x_label_area_size(fine(X_LABELS))
            .y_label_area_size(fine(label_width))
            .margin_right(fine(names_width))
            .margin_top(fine(ABOVE_PLOT))
            .build_cartesian_2d(x, y);
        let Some(mut plot) = sheet.keep(plot) else {
            return;
        };
        let mesh = plot
            .configure_mesh()
            .x_desc(panel.x.title.as_str())
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
            let low = band.edges.iter().map(|&(x, low, _)| (x, low));
            let high = band.edges.iter().rev().map(|&(x, _, high)| (x, high));
            let outline: Vec<_> = low.chain(high).collect();
            let style = band.look.colour.mix(0.16).filled();
            sheet.keep(plot.draw_series([Polygon::new(outline, style)]));
        }
        for series in &panel.series {
            draw_series(series, panel.is_stepped(), &mut plot, sheet);
        }
        let names = match self.names {
            Names::Beside => beside(panel, &plot),
            _ => below(self.names.of(panel), (left, top + high + ABOVE_NAMES), wide),
        };
        draw_names(std::slice::from_ref(panel), sheet, names);
    }
}

/// The length of a side of a map with these values.
fn side(scale: &Scale, whole: f64, most: f64) -> f64 {
    let ticks = scale.ticks() as f64;
    ticks * (whole / ticks.max(1.0)).clamp(LEAST_CELL, most)
}

/// The width of one of several panels: wider where long names would leave too little of the plot.
fn natural_width(panel: &Panel, panels: usize) -> f64 {
    let names = legend_width(&panel.legend);
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

/// Lines of text, each with its y, its size and its colour, and the height of all.
type Heading = (Vec<(String, f64, f64, RGBColor)>, f64);

/// Lines of names in this width.
fn lines_of(legend: &[Name], width: f64) -> f64 {
    legend.len().div_ceil(columns_of(legend, width)) as f64
}

/// Names in a line of this width.
fn columns_of(legend: &[Name], width: f64) -> usize {
    let own = legend_width(legend);
    let mut counts = (1..=legend.len()).rev();
    counts
        .find(|count| *count as f64 * own <= width)
        .unwrap_or(1)
}

/// A text in lines of about this width, broken neither before a percent sign nor around an equals sign.
fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let text = text
        .replace(" %", "\u{a0}%")
        .replace(" = ", "\u{a0}=\u{a0}");
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines
            .last_mut()
            .filter(|line| text_width(line, size) + text_width(word, size) + size <= width)
        {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| line.replace('\u{a0}', " "))
        .collect()
}

/// How wide the names beside a plot are.
fn legend_width(legend: &[Name]) -> f64 {
    let widths = legend
        .iter()
        .map(|(name, _)| text_width(name, LABEL) + 44.0);
    widths.fold(14.0, f64::max)
}

/// How wide the labels of a vertical axis are.
fn y_labels(scale: &Scale) -> f64 {
    text_width(scale.widest_label(), LABEL) + 12.0
}

/// Pixels of the sheet in pixels of the picture.
fn coarse((x, y): (i32, i32)) -> Point {
    (
        f64::from(x) / f64::from(FINE),
        f64::from(y) / f64::from(FINE),
    )
}

/// Where the values of a plot are.
fn place(plot: &Plot<'_, '_>, values: &(f64, f64)) -> (i32, i32) {
    plot.as_coord_spec().translate(values)
}

/// Draws a rectangle with its sign for each cell, apart from its neighbours.
fn draw_cells(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    for MapCell { at: (x, y), look } in &panel.cells {
        let (low, high) = (
            place(plot, &(x - 0.5, y - 0.5)),
            place(plot, &(x + 0.5, y + 0.5)),
        );
        let ((left, bottom), (right, top)) = (coarse(low), coarse(high));
        let corners = [(left + 0.5, top + 0.5), (right - 0.5, bottom - 0.5)];
        sheet.rectangle(corners, look.colour, None);
        sign(
            *look,
            coarse((i32::midpoint(low.0, high.0), i32::midpoint(high.1, low.1))),
            sheet,
        );
    }
}

/// Writes the letter or number of a look around a point.
fn sign(look: Look, at: Point, sheet: &Sheet<'_>) {
    let size = if look.sign().len() < 2 { 10.0 } else { 8.0 };
    sheet.write(&look.sign(), at, &text(size, look.ink(), CENTRE));
}

/// The corners of a line that is level around each of these points.
fn steps(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let ends = points.first().into_iter().chain(points.last()).copied();
    let middle = |(one, other): (&(f64, f64), &(f64, f64))| {
        let x = f64::midpoint(one.0, other.0);
        [(x, one.1), (x, other.1)]
    };
    let mut corners: Vec<(f64, f64)> = points
        .iter()
        .zip(points.iter().skip(1))
        .flat_map(middle)
        .chain(ends)
        .collect();
    corners.sort_by(|one, other| one.0.total_cmp(&other.0));
    corners
}

fn draw_series(series: &Series, is_stepped: bool, plot: &mut Plot<'_, '_>, sheet: &Sheet<'_>) {
    let Series { points, look, .. } = series;
    if series.line != Join::None {
        let style = stroke(look.colour, 1.8);
        let corners = if is_stepped {
            steps(points)
        } else {
            points.clone()
        };
        if series.is_dashed() {
            let line = DashedLineSeries::new(corners, fine(5.0), fine(4.0), style);
            sheet.keep(plot.draw_series(line));
        } else {
            sheet.keep(plot.draw_series([PathElement::new(corners, style)]));
        }
    }
    for point in points.iter().filter(|_| series.line == Join::Interval) {
        let (x, y) = coarse(place(plot, point));
        sheet.line(&[(x - 8.0, y), (x + 8.0, y)], look.colour, 1.8);
    }
    if let Markers::Every(stride) = series.markers {
        for point in points.iter().step_by(stride.max(1)) {
            // On the sheet: the plotting area would cut markers at its edges.
            marker(*look, coarse(place(plot, point)), sheet);
        }
    }
}

const RADIUS: f64 = 4.8;

/// Draws a marker around a point.
fn marker(look: Look, at: Point, sheet: &Sheet<'_>) {
    let colour = look.colour;
    let moved = |(x, y): Point| (at.0 + x, at.1 + y);
    let polygon = |corners: &[Point]| {
        sheet.polygon(corners.iter().copied().map(moved), colour);
    };
    let arm = |x: f64, y: f64| sheet.line(&[(-x, -y), (x, y)].map(moved), colour, 2.0);
    match look.marker {
        Marker::Circle => sheet.circle(at, RADIUS, colour.filled()),
        // Larger than the others, so that the marker inside stays visible.
        Marker::Ring => sheet.circle(at, RADIUS + 1.7, stroke(colour, 1.4)),
        Marker::Cross => [4.2, -4.2].into_iter().for_each(|y| arm(4.2, y)),
        Marker::Plus => [(5.4, 0.0), (0.0, 5.4)]
            .into_iter()
            .for_each(|(x, y)| arm(x, y)),
        Marker::Square => polygon(&[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)]),
        Marker::Triangle => polygon(&[(0.0, -5.5), (5.2, 4.0), (-5.2, 4.0)]),
        Marker::Nabla => polygon(&[(0.0, 5.5), (-5.2, -4.0), (5.2, -4.0)]),
        Marker::Diamond => polygon(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
        Marker::Letter(_) | Marker::Number(_) => {
            sheet.rectangle([(-7.0, -7.0), (7.0, 7.0)].map(moved), colour, None);
            sign(look, at, sheet);
        }
    }
}

/// A name with its look, where its marker is.
type Placed<'a> = (Point, &'a Name);

/// Names each series at the end of its line, and moves names apart that would overlap. Looks without a line are listed
/// from the top.
fn beside<'a>(panel: &'a Panel, plot: &Plot<'_, '_>) -> Vec<Placed<'a>> {
    let (columns, rows) = plot.plotting_area().get_pixel_range();
    let (right, top) = coarse((columns.end, rows.start));
    let (_, bottom) = coarse((0, rows.end));
    let end_of = |name: &str| {
        let series = panel.series.iter().find(|series| series.label == *name)?;
        Some(coarse(place(plot, series.points.last()?)).1)
    };
    // The names of a map stand at even distances.
    let gaps = panel.legend.len().saturating_sub(1).max(1);
    let distance = ((bottom - top - 10.0) / gaps as f64).clamp(LABEL_DISTANCE, 22.0);
    let label = |(number, name): (usize, &'a Name)| {
        let y = end_of(&name.0).unwrap_or(top + 10.0 + number as f64 * distance);
        ((right + 22.0, y.clamp(top, bottom)), name)
    };
    let mut labels: Vec<Placed<'a>> = panel.legend.iter().enumerate().map(label).collect();
    labels.sort_by(|one, other| one.0.1.total_cmp(&other.0.1));
    spread(&mut labels, bottom);
    labels
}

/// Names in lines from this point.
fn below(legend: &[Name], (left, top): Point, wide: f64) -> Vec<Placed<'_>> {
    let columns = columns_of(legend, wide);
    let place = |(number, name)| {
        let (line, cell) = ((number / columns) as f64, (number % columns) as f64);
        let x = left + 10.0 + cell * (wide / columns as f64);
        ((x, top + line * LABEL_DISTANCE), name)
    };
    legend.iter().enumerate().map(place).collect()
}

fn draw_names(panels: &[Panel], sheet: &Sheet<'_>, names: Vec<Placed<'_>>) {
    for ((left, y), (name, look)) in names {
        let all = panels.iter().flat_map(|panel| &panel.series);
        let own: Vec<&Series> = all.filter(|series| series.label == *name).collect();
        let is_bare = own.iter().all(|series| series.markers == Markers::None);
        if is_bare && own.iter().any(|series| series.is_dashed()) {
            for start in [left - 8.0, left + 1.5] {
                sheet.line(&[(start, y), (start + 6.5, y)], look.colour, 1.8);
            }
        } else {
            marker(*look, (left, y), sheet);
        }
        sheet.write(name, (left + 12.0, y), &text(LABEL, INK, LEFT));
    }
}

/// Moves labels down to keep their distance, then up again if they left the panel.
fn spread(labels: &mut [Placed<'_>], bottom: f64) {
    for i in 1..labels.len() {
        labels[i].0.1 = labels[i].0.1.max(labels[i - 1].0.1 + LABEL_DISTANCE);
    }
    let mut limit = bottom;
    for ((_, y), _) in labels.iter_mut().rev() {
        *y = y.min(limit);
        limit = *y - LABEL_DISTANCE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caption_is_shown_whole() {
        let facts: Vec<String> = (0..90)
            .map(|fact| format!("Sentence {fact} has six words."))
            .collect();
        let lines = wrapped(&facts.join(" "), 500.0, LABEL);
        assert_eq!(lines.join(" "), facts.join(" "));
        assert!(
            lines.len() > 30 && lines.iter().all(|line| text_width(line, LABEL) <= 500.0),
            "{lines:?}"
        );
        assert_eq!(wrapped("", 500.0, LABEL), [""; 0]);
    }

    #[test]
    fn labels_keep_their_distance() {
        let name = (String::new(), Look::FIRST);
        let mut labels = [10.0, 11.0, 90.0, 95.0].map(|y| ((0.0, y), &name));
        spread(&mut labels, 100.0);
        let heights: Vec<f64> = labels.iter().map(|label| label.0.1).collect();
        assert!(
            heights
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= LABEL_DISTANCE - 1e-9),
            "{heights:?}"
        );
        assert!(heights[3] <= 100.0 && heights[0] >= 0.0);
    }
}
