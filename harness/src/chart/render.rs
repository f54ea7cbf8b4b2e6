//! Draws a checked chart with plotters.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::CoordTranslate as _;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{Circle, DashedLineSeries, PathElement, Polygon, Rectangle, SVGBackend};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, ShapeStyle};

use super::scale::Scale;
use super::style::{FAINT_INK, GRID, INK, Look, Marker, PAPER};
use super::svg::{FINE, HEADING, MARGIN, Sheet, TITLE, drawing, fine, line, picture, stroke, text, text_width, write};
use super::{Cell, Chart, ChartError, Line, Markers, Panel, Series};

const LABEL: f64 = 13.0;
/// The widest row of panels.
const WIDEST: u32 = 1300;
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

type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// Draws the chart as SVG.
pub(super) fn draw(chart: &Chart) -> Result<String, ChartError> {
    let several = chart.panels.iter().any(|panel| panel.heading.is_some());
    // Heading of the panel, title of its y axis.
    let above = if several { 30.0 } else { 0.0 } + 30.0;
    let rows = rows(&chart.panels);
    // Names beside a plot may need more than its height.
    let names = chart.panels.iter().map(|panel| panel.legend.len()).max().unwrap_or(0);
    let panel_height = f64::from(chart.height).max(names as f64 * LABEL_DISTANCE + X_LABELS + ABOVE_PLOT);
    let row_height = above + panel_height;
    let panels = rows.iter().map(|row| row.iter().map(|panel| f64::from(panel.width)).sum()).fold(0.0, f64::max);
    let longest = [panels, LEAST_WIDTH, text_width(&chart.subtitle, LABEL), text_width(&chart.title, TITLE)];
    let longest = longest.into_iter().fold(0.0, f64::max);
    let caption = wrapped(&chart.caption.join(" "), longest);
    let bottom = MARGIN + ABOVE_CAPTION - 8.0 + caption.len() as f64 * CAPTION_LINE;
    let width = whole(longest + 2.0 * MARGIN);
    let height = whole(HEADING + rows.len() as f64 * row_height) + whole(bottom);
    picture((width, height), (&chart.title, &chart.subtitle), &chart.caption.join(" "), |sheet| {
        for (number, row) in rows.iter().enumerate() {
            let (mut left, top) = (MARGIN, HEADING + number as f64 * row_height + above);
            for panel in row {
                let size = (fine(f64::from(panel.width)), fine(panel_height));
                let area = sheet.clone().shrink((fine(left), fine(top)), size);
                if let Some(heading) = &panel.heading {
                    let style = text(LABEL + 1.0, INK, HPos::Left, VPos::Bottom);
                    write(sheet, heading, (left, top - 28.0), &style)?;
                }
                draw_panel(panel, sheet, (left, top), &area)?;
                left += f64::from(panel.width);
            }
        }
        let below = HEADING + rows.len() as f64 * row_height + ABOVE_CAPTION;
        for (number, content) in caption.iter().enumerate() {
            let at = (MARGIN, below + number as f64 * CAPTION_LINE);
            write(sheet, content, at, &text(LABEL, FAINT_INK, HPos::Left, VPos::Top))?;
        }
        Ok(())
    })
}

/// A text in lines of about this width, broken neither before a percent sign nor around an equals sign.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let text = text.replace(" %", "\u{a0}%").replace(" = ", "\u{a0}=\u{a0}");
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut().filter(|line| text_width(line, LABEL) + text_width(word, LABEL) + LABEL <= width) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| line.replace('\u{a0}', " ")).collect()
}

/// The panels in rows, as many per row as fit.
fn rows(panels: &[Panel]) -> Vec<Vec<&Panel>> {
    let mut rows: Vec<Vec<&Panel>> = Vec::new();
    for panel in panels {
        match rows.last_mut() {
            Some(row) if row.iter().map(|panel| panel.width).sum::<u32>() + panel.width <= WIDEST => row.push(panel),
            _ => rows.push(vec![panel]),
        }
    }
    rows
}

/// Pixels of the picture, whole.
pub(super) fn whole(pixels: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number of pixels")]
    let whole = pixels.ceil() as u32;
    whole
}

/// How wide the names beside a plot are.
pub(super) fn legend_width(legend: &[(String, Look)]) -> f64 {
    legend.iter().map(|(name, _)| text_width(name, LABEL) + 44.0).fold(14.0, f64::max)
}

/// How wide the labels of a vertical axis are.
pub(super) fn y_labels(scale: &Scale) -> f64 {
    text_width(scale.widest_label(), LABEL) + 12.0
}

fn draw_panel(panel: &Panel, sheet: &Sheet<'_>, (left, top): (f64, f64), area: &Sheet<'_>) -> Result<(), ChartError> {
    let label_width = y_labels(&panel.y.scale);
    let legend_width = legend_width(&panel.legend);
    let (wide, high) = area.dim_in_pixel();
    let [wide, high] = [wide, high].map(|pixels| f64::from(pixels) / f64::from(FINE));
    let room = text_width(panel.x.scale.widest_label(), LABEL) + 10.0;
    let x = panel.x.scale.thinned(wide - label_width - legend_width, room);
    let y = panel.y.scale.thinned(high - X_LABELS - ABOVE_PLOT, LABEL + 3.0);
    let (columns, rows) = (x.ticks(), y.ticks());
    // Lines of a grid would hide the signs of cells.
    let grid = if panel.cells.is_empty() { GRID.to_rgba() } else { GRID.mix(0.0) };
    // The title of the y axis stands above it, so that it is horizontal.
    let style = text(LABEL, FAINT_INK, HPos::Left, VPos::Bottom);
    write(sheet, &panel.y.title, (left, top - 6.0), &style)?;
    let mut plot = ChartBuilder::on(area)
        .x_label_area_size(fine(X_LABELS))
        .y_label_area_size(fine(label_width))
        .margin_right(fine(legend_width))
        .margin_top(fine(ABOVE_PLOT))
        .build_cartesian_2d(x, y)
        .map_err(drawing)?;
    plot.configure_mesh()
        .x_desc(panel.x.title.as_str())
        .x_labels(columns)
        .y_labels(rows)
        .light_line_style(ShapeStyle { color: PAPER.mix(0.0), filled: false, stroke_width: 0 })
        .bold_line_style(ShapeStyle { color: grid, ..stroke(GRID, 1.0) })
        .axis_style(stroke(FAINT_INK, 1.0))
        .label_style(text(LABEL, INK, HPos::Left, VPos::Top))
        .axis_desc_style(text(LABEL, FAINT_INK, HPos::Left, VPos::Top))
        .set_all_tick_mark_size(fine(4.0))
        .draw()
        .map_err(drawing)?;
    draw_cells(panel, &plot, sheet)?;
    draw_bands(panel, &mut plot)?;
    for series in &panel.series {
        draw_series(series, &mut plot, sheet)?;
    }
    draw_legend(panel, sheet, &plot)
}

/// Draws a rectangle with its sign for each cell, apart from its neighbours.
fn draw_cells(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) -> Result<(), ChartError> {
    for Cell { at: (x, y), look } in &panel.cells {
        let [(left, bottom), (right, top)] =
            [(x - 0.5, y - 0.5), (x + 0.5, y + 0.5)].map(|corner| plot.as_coord_spec().translate(&corner));
        let gap = fine(0.5);
        let corners = [(left + gap, top + gap), (right - gap, bottom - gap)];
        sheet.draw(&Rectangle::new(corners, look.colour.filled())).map_err(drawing)?;
        sign(*look, (i32::midpoint(left, right), i32::midpoint(top, bottom)), sheet)?;
    }
    Ok(())
}

/// Writes the letter or number of a look, centred on a pixel of the sheet.
fn sign(look: Look, (x, y): (i32, i32), sheet: &Sheet<'_>) -> Result<(), ChartError> {
    let style = text(if look.sign().len() < 2 { 10.0 } else { 8.0 }, look.ink(), HPos::Center, VPos::Center);
    sheet.draw_text(&look.sign(), &style, (x, y)).map_err(drawing)
}

fn draw_bands(panel: &Panel, plot: &mut Plot<'_, '_>) -> Result<(), ChartError> {
    for band in &panel.bands {
        let low = band.edges.iter().map(|&(x, low, _)| (x, low));
        let high = band.edges.iter().rev().map(|&(x, _, high)| (x, high));
        let outline: Vec<_> = low.chain(high).collect();
        let area = Polygon::new(outline, band.look.colour.mix(0.16).filled());
        plot.draw_series([area]).map_err(drawing)?;
    }
    Ok(())
}

fn draw_series(series: &Series, plot: &mut Plot<'_, '_>, sheet: &Sheet<'_>) -> Result<(), ChartError> {
    if series.line != Line::None {
        let style = stroke(series.look.colour, 1.8);
        if series.is_dashed() {
            let dashes = DashedLineSeries::new(series.points.clone(), fine(5.0), fine(4.0), style);
            plot.draw_series(dashes).map_err(drawing)?;
        } else {
            plot.draw_series([PathElement::new(series.points.clone(), style)]).map_err(drawing)?;
        }
    }
    for &point in series.points.iter().filter(|_| series.line == Line::Interval) {
        let (x, y) = plot.as_coord_spec().translate(&point);
        let (x, y) = (f64::from(x) / f64::from(FINE), f64::from(y) / f64::from(FINE));
        line(sheet, &[(x - 8.0, y), (x + 8.0, y)], series.look.colour, 1.8)?;
    }
    if let Markers::Every(stride) = series.markers {
        for &point in series.points.iter().step_by(stride.max(1)) {
            // On the sheet: the plotting area would cut markers at its edges.
            marker_at(series.look, plot.as_coord_spec().translate(&point), sheet)?;
        }
    }
    Ok(())
}

/// The outline of a marker around its centre, in pixels of the picture.
fn outline(marker: Marker) -> &'static [(f64, f64)] {
    match marker {
        Marker::Square => &[(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)],
        Marker::Triangle => &[(0.0, -5.5), (5.2, 4.0), (-5.2, 4.0)],
        _ => &[],
    }
}

const RADIUS: f64 = 4.8;

/// Draws a marker centred on a pixel of `area`.
fn marker_at(look: Look, at: (i32, i32), area: &Sheet<'_>) -> Result<(), ChartError> {
    let colour = look.colour;
    match look.marker {
        Marker::Circle => area.draw(&Circle::new(at, fine(RADIUS), colour.filled())),
        Marker::Ring => {
            // Larger than the others, so that the marker inside stays visible.
            area.draw(&Circle::new(at, fine(RADIUS + 1.7), stroke(colour, 1.4)))
        }
        Marker::Cross => {
            let arm = fine(4.2);
            let [falling, rising] = [-arm, arm].map(|up| vec![(at.0 - arm, at.1 + up), (at.0 + arm, at.1 - up)]);
            area.draw(&PathElement::new(falling, stroke(colour, 2.0))).map_err(drawing)?;
            area.draw(&PathElement::new(rising, stroke(colour, 2.0)))
        }
        Marker::Letter(_) | Marker::Number(_) => {
            let half = fine(7.0);
            let corners = [(at.0 - half, at.1 - half), (at.0 + half, at.1 + half)];
            area.draw(&Rectangle::new(corners, colour.filled())).map_err(drawing)?;
            return sign(look, at, area);
        }
        Marker::Square | Marker::Triangle => {
            let corners: Vec<_> = outline(look.marker).iter().map(|&(x, y)| (at.0 + fine(x), at.1 + fine(y))).collect();
            area.draw(&Polygon::new(corners, colour.filled()))
        }
    }
    .map_err(drawing)
}

/// Names each series at the end of its line, and moves names apart that would overlap. Looks without a line are listed
/// from the top.
fn draw_legend(panel: &Panel, sheet: &Sheet<'_>, plot: &Plot<'_, '_>) -> Result<(), ChartError> {
    let (columns, rows) = plot.plotting_area().get_pixel_range();
    let left = f64::from(columns.end) / f64::from(FINE) + 22.0;
    let (top, bottom) = (f64::from(rows.start) / f64::from(FINE), f64::from(rows.end) / f64::from(FINE));
    let end_of = |name: &str| {
        let series = panel.series.iter().find(|series| series.label == *name)?;
        let last = series.points.last()?;
        Some(f64::from(plot.as_coord_spec().translate(last).1) / f64::from(FINE))
    };
    let mut labels: Vec<(f64, &str, Look)> = Vec::new();
    for (number, (name, look)) in panel.legend.iter().enumerate() {
        let y = end_of(name).unwrap_or(top + 10.0 + number as f64 * 22.0);
        labels.push((y.clamp(top, bottom), name, *look));
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    spread(&mut labels, bottom);
    for (y, name, look) in labels {
        let own = || panel.series.iter().filter(|series| series.label == name);
        let dashes = own().any(Series::is_dashed) && own().all(|series| series.markers == Markers::None);
        if !dashes {
            marker_at(look, (fine(left), fine(y)), sheet)?;
        } else {
            for start in [left - 8.0, left + 1.5] {
                line(sheet, &[(start, y), (start + 6.5, y)], look.colour, 1.8)?;
            }
        }
        let style = text(LABEL, INK, HPos::Left, VPos::Center);
        write(sheet, name, (left + 12.0, y), &style)?;
    }
    Ok(())
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
        let facts: Vec<String> = (0..90).map(|fact| format!("Sentence {fact} has six words.")).collect();
        let lines = wrapped(&facts.join(" "), 500.0);
        assert_eq!(lines.join(" "), facts.join(" "));
        assert!(lines.len() > 30 && lines.iter().all(|line| text_width(line, LABEL) <= 500.0), "{lines:?}");
        assert_eq!(wrapped("", 500.0), [""; 0]);
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
        let places: Vec<f64> = labels.iter().map(|label| label.0).collect();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= LABEL_DISTANCE - 1e-9), "{places:?}");
        assert!(places[3] <= 100.0 && places[0] >= 0.0);
    }
}
