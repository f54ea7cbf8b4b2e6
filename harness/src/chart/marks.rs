//! What is drawn on a plot: cells, lines and markers.

use plotters::chart::ChartContext;
use plotters::coord::CoordTranslate as _;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{DashedLineSeries, PathElement, SVGBackend};
use plotters::style::Color as _;

use super::names::Point;
use super::scale::Scale;
use super::style::{Look, Marker};
use super::svg::{CENTRE, FINE, Sheet, fine, stroke, text};
use super::{Join, MapCell, Markers, Panel, Series};

pub(super) type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// Pixels of the sheet in pixels of the picture.
pub(super) fn coarse((x, y): (i32, i32)) -> Point {
    (
        f64::from(x) / f64::from(FINE),
        f64::from(y) / f64::from(FINE),
    )
}

/// Where the values of a plot are.
pub(super) fn place(plot: &Plot<'_, '_>, values: &(f64, f64)) -> (i32, i32) {
    plot.as_coord_spec().translate(values)
}

/// Draws a rectangle with its sign for each cell, apart from its neighbours.
pub(super) fn draw_cells(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
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

pub(super) fn draw_series(
    series: &Series,
    is_stepped: bool,
    plot: &mut Plot<'_, '_>,
    sheet: &Sheet<'_>,
) {
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
pub(super) fn marker(look: Look, at: Point, sheet: &Sheet<'_>) {
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
