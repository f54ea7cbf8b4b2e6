//! Draws a checked chart with plotters.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::CoordTranslate as _;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{Circle, DashedLineSeries, PathElement, Polygon, Rectangle, SVGBackend};
use plotters::style::{Color, RGBColor, ShapeStyle};

use super::scale::Scale;
use super::style::{FAINT_INK, GRID, INK, Look, Marker, PAPER};
use super::svg::{
    BOTTOM_LEFT, CENTRE, FINE, LEFT, MARGIN, SUBTITLE, Sheet, TITLE, TOP_LEFT, fine, sheet, stroke,
    text, text_width, whole,
};
use super::{
    Chart, ChartError, Join, LEAST_CELL, LEAST_PLOT, MapCell, Markers, PageFit, Panel, Series,
};

/// Size of labels and captions.
pub(super) const LABEL: f64 = 13.0;
/// The widest row of panels.
const WIDEST: f64 = 1300.0;
/// Least width of a line of the caption.
const LEAST_WIDTH: f64 = 800.0;
const CAPTION_LINE: f64 = 19.0;
/// Between the panels and the caption.
const ABOVE_CAPTION: f64 = 14.0;
/// Height of the ticks and the title of a horizontal axis.
pub(super) const X_LABELS: f64 = 46.0;
/// Margin above a plot.
pub(super) const ABOVE_PLOT: f64 = 4.0;
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

/// Draws the chart as SVG.
pub(super) fn draw(chart: &Chart, fit: &PageFit) -> Result<String, ChartError> {
    let room = fit.pixels();
    let margin = if room.is_some() { PAGE_MARGIN } else { MARGIN };
    let several = chart.panels.iter().any(|panel| panel.heading.is_some());
    // Heading of the panel, title of its y axis.
    let above = if several { 30.0 } else { 0.0 } + 30.0;
    let inner = room.map(|room| room - 2.0 * margin);
    let (rows, names) = match inner {
        None => (natural_rows(&chart.panels), Names::Beside),
        Some(inner) => fitted_rows(&chart.panels, inner).map_err(|least| {
            ChartError::Narrow(whole((least + 2.0 * margin) * fit.scale().unwrap_or(1.0)))
        })?,
    };
    let panel_height = panel_height(chart, &rows, inner.is_some(), names);
    let row_height = above + panel_height;
    let panels = rows
        .iter()
        .map(|row| row.iter().map(|(_, width)| width).sum())
        .fold(0.0, f64::max);
    let longest = [
        panels,
        LEAST_WIDTH,
        text_width(&chart.subtitle, LABEL),
        text_width(&chart.title, TITLE),
    ];
    let longest = inner.unwrap_or_else(|| longest.into_iter().fold(0.0, f64::max));
    let (lines, above_rows) = heading(chart, fit, inner, margin);
    let caption = if fit.caption {
        wrapped(&chart.caption.join(" "), longest, LABEL)
    } else {
        Vec::new()
    };
    let bottom = margin + ABOVE_CAPTION - 8.0 + caption.len() as f64 * CAPTION_LINE;
    let width = whole(longest + 2.0 * margin);
    let height = whole(above_rows + rows.len() as f64 * row_height) + whole(bottom);
    sheet(
        (width, height),
        fit,
        (&chart.title, &chart.subtitle),
        &chart.caption.join(" "),
        |sheet| {
            for (content, y, size, ink) in &lines {
                sheet.write(content, (margin, *y), &text(*size, *ink, TOP_LEFT));
            }
            for (number, row) in rows.iter().enumerate() {
                let (mut left, top) = (margin, above_rows + number as f64 * row_height + above);
                for (panel, width) in row {
                    if let Some(heading) = &panel.heading {
                        sheet.write(
                            heading,
                            (left, top - 28.0),
                            &text(LABEL + 1.0, INK, BOTTOM_LEFT),
                        );
                    }
                    draw_panel(panel, sheet, (left, top), (*width, panel_height), names);
                    left += width;
                }
            }
            let below = above_rows + rows.len() as f64 * row_height + ABOVE_CAPTION;
            for (number, content) in caption.iter().enumerate() {
                let at = (margin, below + number as f64 * CAPTION_LINE);
                sheet.write(content, at, &text(LABEL, FAINT_INK, TOP_LEFT));
            }
        },
    )
}

/// The title and the subtitle in lines, each with its y, its size and its colour, and the height of all.
type Heading = (Vec<(String, f64, f64, RGBColor)>, f64);

fn heading(chart: &Chart, fit: &PageFit, inner: Option<f64>, margin: f64) -> Heading {
    let mut lines = Vec::new();
    let mut height = if fit.title || inner.is_none() {
        margin
    } else {
        margin - ABOVE_PANEL
    };
    // The distance to a line's top from the bottom of another line of its text, and of another text.
    let texts = [
        (&chart.title, TITLE, INK, 6.0, 0.0),
        (&chart.subtitle, SUBTITLE, FAINT_INK, 5.0, 12.0),
    ];
    for (content, size, ink, between, above) in texts.into_iter().filter(|_| fit.title) {
        let parts = inner.map_or_else(
            || vec![content.clone()],
            |inner| wrapped(content, inner, size),
        );
        for (number, part) in parts.into_iter().enumerate() {
            height += if number == 0 { above } else { between };
            lines.push((part, height, size, ink));
            height += size;
        }
    }
    (lines, height)
}

/// Where the names of the series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// Beside the plot, at the ends of their lines.
    Beside,
    /// Below the plot, because there is no room beside it.
    Below,
}

/// Panels in rows, each panel with its width.
type PanelRows<'a> = Vec<Vec<(&'a Panel, f64)>>;

/// Rows of as many panels as the width has room for, with the names beside them or, if more panels fit then, below.
///
/// # Errors
/// The least width.
fn fitted_rows(panels: &[Panel], inner: f64) -> Result<(PanelRows<'_>, Names), f64> {
    let plot = |panel: &Panel| {
        let cells = if panel.cells.is_empty() {
            0.0
        } else {
            panel.x.scale.ticks() as f64 * LEAST_CELL
        };
        y_labels(&panel.y.scale) + cells.max(LEAST_PLOT.into())
    };
    let below = panels
        .iter()
        .map(|panel| plot(panel) + LAST_TICK)
        .fold(0.0, f64::max);
    let beside = panels
        .iter()
        .map(|panel| plot(panel) + legend_width(&panel.legend))
        .fold(0.0, f64::max);
    let fit = |least: f64| {
        (1..=panels.len())
            .rev()
            .find(|count| *count as f64 * least <= inner)
    };
    let (columns, names) = match (fit(beside), fit(below)) {
        (Some(beside), Some(below)) if beside >= below => (beside, Names::Beside),
        (_, Some(below)) => (below, Names::Below),
        (_, None) => return Err(below),
    };
    let width = inner / columns as f64;
    Ok((
        panels
            .chunks(columns)
            .map(|row| row.iter().map(|panel| (panel, width)).collect())
            .collect(),
        names,
    ))
}

/// The height of each panel: lower than wide on a page; names may need more.
fn panel_height(chart: &Chart, rows: &PanelRows<'_>, is_page: bool, names: Names) -> f64 {
    let all = || rows.iter().flatten();
    let lines = all()
        .map(|(panel, width)| legend_lines(panel, *width, names))
        .max()
        .unwrap_or(0) as f64;
    let cells = all()
        .filter(|(panel, _)| !panel.cells.is_empty())
        .map(|(panel, _)| panel.y.scale.ticks())
        .max();
    let cells = cells.unwrap_or(0) as f64 * LEAST_CELL + X_LABELS + ABOVE_PLOT;
    let widest = all().map(|(_, width)| *width).fold(0.0, f64::max);
    let height = if is_page {
        (widest * PAGE_HEIGHT).min(chart.height.into()).max(cells)
    } else {
        chart.height.into()
    };
    match names {
        Names::Beside => height.max(lines * LABEL_DISTANCE + X_LABELS + ABOVE_PLOT),
        Names::Below => height + lines * LABEL_DISTANCE + ABOVE_NAMES,
    }
}

/// Lines of names beside or below a panel.
fn legend_lines(panel: &Panel, width: f64, names: Names) -> usize {
    let columns = if names == Names::Below {
        legend_columns(panel, width)
    } else {
        1
    };
    panel.legend.len().div_ceil(columns)
}

/// Names in a line below a panel.
fn legend_columns(panel: &Panel, width: f64) -> usize {
    let own = legend_width(&panel.legend);
    (1..=panel.legend.len())
        .rev()
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

/// The panels in their natural width, as many per row as fit.
fn natural_rows(panels: &[Panel]) -> PanelRows<'_> {
    let mut rows: PanelRows<'_> = Vec::new();
    for panel in panels {
        let width = f64::from(panel.width);
        match rows.last_mut() {
            Some(row) if row.iter().map(|(_, width)| width).sum::<f64>() + width <= WIDEST => {
                row.push((panel, width))
            }
            _ => rows.push(vec![(panel, width)]),
        }
    }
    rows
}

/// How wide the names beside a plot are.
pub(super) fn legend_width(legend: &[(String, Look)]) -> f64 {
    legend
        .iter()
        .map(|(name, _)| text_width(name, LABEL) + 44.0)
        .fold(14.0, f64::max)
}

/// How wide the labels of a vertical axis are.
pub(super) fn y_labels(scale: &Scale) -> f64 {
    text_width(scale.widest_label(), LABEL) + 12.0
}

fn draw_panel(
    panel: &Panel,
    sheet: &Sheet<'_>,
    (left, top): (f64, f64),
    (wide, high): (f64, f64),
    names: Names,
) {
    let label_width = y_labels(&panel.y.scale);
    let lines = legend_lines(panel, wide, names) as f64;
    let (legend_width, high) = match names {
        Names::Beside => (legend_width(&panel.legend), high),
        Names::Below => (LAST_TICK, high - lines * LABEL_DISTANCE - ABOVE_NAMES),
    };
    let area = &sheet
        .area
        .clone()
        .shrink((fine(left), fine(top)), (fine(wide), fine(high)));
    let room = text_width(panel.x.scale.widest_label(), LABEL) + 10.0;
    let x = panel
        .x
        .scale
        .thinned(wide - label_width - legend_width, room);
    let y = panel
        .y
        .scale
        .thinned(high - X_LABELS - ABOVE_PLOT, LABEL + 3.0);
    let (columns, rows) = (x.ticks(), y.ticks());
    // Lines of a grid would hide the signs of cells.
    let grid = if panel.cells.is_empty() {
        GRID.to_rgba()
    } else {
        GRID.mix(0.0)
    };
    // The title of the y axis stands above it, so that it is horizontal.
    sheet.write(
        &panel.y.title,
        (left, top - 6.0),
        &text(LABEL, FAINT_INK, BOTTOM_LEFT),
    );
    let plot = ChartBuilder::on(area)
        .x_label_area_size(fine(X_LABELS))
        .y_label_area_size(fine(label_width))
        .margin_right(fine(legend_width))
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
            color: grid,
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
        sheet.keep(plot.draw_series([Polygon::new(outline, band.look.colour.mix(0.16).filled())]));
    }
    for series in &panel.series {
        draw_series(series, panel.is_stepped(), &mut plot, sheet);
    }
    let labels = match names {
        Names::Beside => beside(panel, &plot),
        Names::Below => below(panel, (left, top + high + ABOVE_NAMES), wide),
    };
    draw_legend(panel, sheet, labels);
}

/// Draws a rectangle with its sign for each cell, apart from its neighbours.
fn draw_cells(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    for MapCell { at: (x, y), look } in &panel.cells {
        let [(left, bottom), (right, top)] = [(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)]
            .map(|corner| plot.as_coord_spec().translate(&corner));
        let gap = fine(0.5);
        let corners = [(left + gap, top + gap), (right - gap, bottom - gap)];
        sheet.keep(
            sheet
                .area
                .draw(&Rectangle::new(corners, look.colour.filled())),
        );
        sign(
            *look,
            (i32::midpoint(left, right), i32::midpoint(top, bottom)),
            sheet,
        );
    }
}

/// Writes the letter or number of a look, centred on a pixel of the sheet.
fn sign(look: Look, at: (i32, i32), sheet: &Sheet<'_>) {
    let style = text(
        if look.sign().len() < 2 { 10.0 } else { 8.0 },
        look.ink(),
        CENTRE,
    );
    sheet.keep(sheet.area.draw_text(&look.sign(), &style, at));
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
    if series.line != Join::None {
        let style = stroke(series.look.colour, 1.8);
        let corners = if is_stepped {
            steps(&series.points)
        } else {
            series.points.clone()
        };
        if series.is_dashed() {
            sheet.keep(plot.draw_series(DashedLineSeries::new(
                corners,
                fine(5.0),
                fine(4.0),
                style,
            )));
        } else {
            sheet.keep(plot.draw_series([PathElement::new(corners, style)]));
        }
    }
    for &point in series
        .points
        .iter()
        .filter(|_| series.line == Join::Interval)
    {
        let (x, y) = plot.as_coord_spec().translate(&point);
        let (x, y) = (
            f64::from(x) / f64::from(FINE),
            f64::from(y) / f64::from(FINE),
        );
        sheet.line(&[(x - 8.0, y), (x + 8.0, y)], series.look.colour, 1.8);
    }
    if let Markers::Every(stride) = series.markers {
        for &point in series.points.iter().step_by(stride.max(1)) {
            // On the sheet: the plotting area would cut markers at its edges.
            marker_at(series.look, plot.as_coord_spec().translate(&point), sheet);
        }
    }
}

const RADIUS: f64 = 4.8;

/// Draws a marker centred on a pixel of the sheet.
fn marker_at(look: Look, at: (i32, i32), sheet: &Sheet<'_>) {
    let colour = look.colour;
    let moved = |corners: &[(f64, f64)]| {
        corners
            .iter()
            .map(|&(x, y)| (at.0 + fine(x), at.1 + fine(y)))
            .collect::<Vec<_>>()
    };
    let polygon = |corners: &[(f64, f64)]| {
        sheet.keep(
            sheet
                .area
                .draw(&Polygon::new(moved(corners), colour.filled())),
        )
    };
    let circle = |radius, style: ShapeStyle| {
        sheet.keep(sheet.area.draw(&Circle::new(at, fine(radius), style)))
    };
    let arm = |x: f64, y: f64| {
        sheet.keep(sheet.area.draw(&PathElement::new(
            moved(&[(-x, -y), (x, y)]),
            stroke(colour, 2.0),
        )))
    };
    match look.marker {
        Marker::Circle => circle(RADIUS, colour.filled()),
        // Larger than the others, so that the marker inside stays visible.
        Marker::Ring => circle(RADIUS + 1.7, stroke(colour, 1.4)),
        Marker::Cross => arm(4.2, 4.2).and_then(|()| arm(4.2, -4.2)),
        Marker::Plus => arm(5.4, 0.0).and_then(|()| arm(0.0, 5.4)),
        Marker::Square => polygon(&[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)]),
        Marker::Triangle => polygon(&[(0.0, -5.5), (5.2, 4.0), (-5.2, 4.0)]),
        Marker::Nabla => polygon(&[(0.0, 5.5), (-5.2, -4.0), (5.2, -4.0)]),
        Marker::Diamond => polygon(&[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]),
        Marker::Letter(_) | Marker::Number(_) => {
            let half = fine(7.0);
            let corners = [(at.0 - half, at.1 - half), (at.0 + half, at.1 + half)];
            sheet.keep(sheet.area.draw(&Rectangle::new(corners, colour.filled())));
            sign(look, at, sheet);
            None
        }
    };
}

/// A name with its look, at the x and the y of its marker.
type LegendEntry<'a> = (f64, f64, &'a str, Look);

/// Names each series at the end of its line, and moves names apart that would overlap. Looks without a line are listed
/// from the top.
fn beside<'a>(panel: &'a Panel, plot: &Plot<'_, '_>) -> Vec<LegendEntry<'a>> {
    let (columns, rows) = plot.plotting_area().get_pixel_range();
    let left = f64::from(columns.end) / f64::from(FINE) + 22.0;
    let (top, bottom) = (
        f64::from(rows.start) / f64::from(FINE),
        f64::from(rows.end) / f64::from(FINE),
    );
    let end_of = |name: &str| {
        let series = panel.series.iter().find(|series| series.label == *name)?;
        let last = series.points.last()?;
        Some(f64::from(plot.as_coord_spec().translate(last).1) / f64::from(FINE))
    };
    // The names of a map stand at even distances.
    let gaps = panel.legend.len().saturating_sub(1).max(1);
    let distance = ((bottom - top - 10.0) / gaps as f64).clamp(LABEL_DISTANCE, 22.0);
    let mut labels: Vec<(f64, &str, Look)> = Vec::new();
    for (number, (name, look)) in panel.legend.iter().enumerate() {
        let y = end_of(name).unwrap_or(top + 10.0 + number as f64 * distance);
        labels.push((y.clamp(top, bottom), name, *look));
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    spread(&mut labels, bottom);
    labels
        .into_iter()
        .map(|(y, name, look)| (left, y, name, look))
        .collect()
}

/// The names of a panel in lines below it.
fn below(panel: &Panel, (left, top): (f64, f64), wide: f64) -> Vec<LegendEntry<'_>> {
    let columns = legend_columns(panel, wide);
    let column = wide / columns as f64;
    let positions = (0..).map(|number| {
        let (line, cell) = (number / columns, number % columns);
        (
            left + 10.0 + cell as f64 * column,
            top + line as f64 * LABEL_DISTANCE,
        )
    });
    panel
        .legend
        .iter()
        .zip(positions)
        .map(|((name, look), (x, y))| (x, y, name.as_str(), *look))
        .collect()
}

fn draw_legend(panel: &Panel, sheet: &Sheet<'_>, labels: Vec<LegendEntry<'_>>) {
    for (left, y, name, look) in labels {
        let own = || panel.series.iter().filter(|series| series.label == name);
        let dashes =
            own().any(Series::is_dashed) && own().all(|series| series.markers == Markers::None);
        if dashes {
            for start in [left - 8.0, left + 1.5] {
                sheet.line(&[(start, y), (start + 6.5, y)], look.colour, 1.8);
            }
        } else {
            marker_at(look, (fine(left), fine(y)), sheet);
        }
        sheet.write(name, (left + 12.0, y), &text(LABEL, INK, LEFT));
    }
}

/// Moves labels down to keep their distance, then up again if they left the panel.
fn spread(labels: &mut [(f64, &str, Look)], bottom: f64) {
    for i in 1..labels.len() {
        labels[i].0 = labels[i].0.max(labels[i - 1].0 + LABEL_DISTANCE);
    }
    let mut limit = bottom;
    for label in labels.iter_mut().rev() {
        label.0 = label.0.min(limit);
        limit = label.0 - LABEL_DISTANCE;
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
        let mut labels = vec![
            (10.0, "a", Look::FIRST),
            (11.0, "b", Look::FIRST),
            (90.0, "c", Look::FIRST),
            (95.0, "d", Look::FIRST),
        ];
        spread(&mut labels, 100.0);
        let heights: Vec<f64> = labels.iter().map(|label| label.0).collect();
        assert!(
            heights
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= LABEL_DISTANCE - 1e-9),
            "{heights:?}"
        );
        assert!(heights[3] <= 100.0 && heights[0] >= 0.0);
    }
}
