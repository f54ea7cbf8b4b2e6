//! What is drawn on a plot: cells, lines and markers.

use plotters::chart::ChartContext;
use plotters::coord::CoordTranslate as _;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::{DashedLineSeries, PathElement, SVGBackend};
use plotters::style::Color as _;

use super::regions;
use super::scale::Scale;
use super::style::{FAINT_INK, INK, LABEL, Look, Marker, PAPER, Point, ROW, TINT};
use super::svg::{CENTRE, FINE, Sheet, fine, stroke, text, text_width};
use super::{Join, MapCell, Panel, Series};

pub type Plot<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// Pixels of the sheet in pixels of the picture.
fn coarse((x, y): (i32, i32)) -> Point {
    (
        f64::from(x) / f64::from(FINE),
        f64::from(y) / f64::from(FINE),
    )
}

/// Where the values of a plot are.
pub fn place(plot: &Plot<'_, '_>, values: Point) -> Point {
    coarse(plot.as_coord_spec().translate(&values))
}

/// The top left and the bottom right corner of a plot.
pub fn frame(plot: &Plot<'_, '_>) -> [Point; 2] {
    let (columns, rows) = plot.plotting_area().get_pixel_range();
    [(columns.start, rows.start), (columns.end, rows.end)].map(coarse)
}

/// Draws the areas of each look, and its sign once in each region that has room for it.
pub fn draw_cells(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    let at = |x: f64, y: f64| place(plot, (x, y));
    let columns = regions::columns(&panel.cells);
    for cell in regions::rectangles(&columns) {
        let [(x, bottom), (end, top)] = [0, 1].map(|end| at(cell.x[end], cell.y[end]));
        // Areas of one colour overlap a little, or a thin line would show between them.
        let corners = [(x - SEAM, top - SEAM), (end + SEAM, bottom + SEAM)];
        let stripes = panel.stripes.iter().find(|(look, _)| *look == cell.look);
        match stripes {
            None => sheet.rectangle(corners, cell.look.colour, None),
            Some((_, looks)) => draw_stripes(corners, looks, sheet),
        }
    }
    // A line between looks of one colour.
    let is_apart = |one: &MapCell, other: &MapCell| {
        one.look.colour == other.look.colour && one.look != other.look
    };
    for pair in columns.windows(2) {
        if pair[0].x[0] == pair[1].x[0] && is_apart(&pair[0], &pair[1]) {
            let [left, right] = pair[1].x.map(|x| at(x, pair[1].y[0]));
            sheet.line(&[left, right], PAPER, 1.0);
        }
    }
    for (one, other, y) in regions::beside(&columns) {
        if is_apart(&columns[one], &columns[other]) {
            sheet.line(&y.map(|y| at(columns[one].x[1], y)), PAPER, 1.0);
        }
    }
    let mut drawn = columns;
    for cell in &mut drawn {
        let [from, to] = [0, 1].map(|end| at(cell.x[end], cell.y[end]));
        (cell.x, cell.y) = ([from.0, to.0], [to.1, from.1]);
    }
    // On stripes a sign has a box.
    let room = |look: Look| {
        if look.colour == Look::NEUTRAL.colour {
            (2.0 * half_of(look), 16.0)
        } else {
            (text_width(&look.sign(), LABEL) + 2.0, LABEL)
        }
    };
    let signs = regions::signs(&drawn, room);
    // A look whose regions are small has its sign above the map.
    let mut above = regions::unsigned(&drawn, &signs);
    above.sort_by(|(_, one), (_, other)| one.0.total_cmp(&other.0));
    let [(_, top), (right, _)] = frame(plot);
    let mut places: Vec<f64> = above.iter().map(|(_, at)| at.0).collect();
    spread(&mut places, SIGN, right - SIGN / 2.0);
    for ((look, at), x) in above.into_iter().zip(places) {
        sheet.line(&[(x, top - 3.0), at], INK, 1.0);
        sheet.circle(at, 1.6, INK.filled());
        marker(look, (x, top - 11.0), 1.0, sheet);
    }
    for (look, at) in signs {
        if look.colour == Look::NEUTRAL.colour {
            marker(look, at, 1.0, sheet)
        } else {
            sign(look, at, sheet)
        }
    }
}

/// Fills a rectangle with level stripes in the colours of these looks. Stripes of rectangles beside each other meet.
fn draw_stripes([(left, top), (right, bottom)]: [Point; 2], looks: &[Look], sheet: &Sheet<'_>) {
    for (number, look) in (0_u32..).zip(looks.iter().cycle()) {
        let [from, to] = [number, number + 1].map(|edge| f64::from(edge) * STRIPE);
        if from >= bottom || looks.is_empty() {
            break;
        }
        if to > top {
            let corners = [(left, from.max(top)), (right, to.min(bottom))];
            sheet.rectangle(corners, look.colour, None);
        }
    }
}

/// Height of a stripe.
const STRIPE: f64 = 5.0;

/// Between two signs above a map.
const SIGN: f64 = 17.0;

/// By how much areas of one colour overlap.
const SEAM: f64 = 0.5;

/// Writes the letter or number of a look around a point.
fn sign(look: Look, at: Point, sheet: &Sheet<'_>) {
    sheet.write(look.sign(), at, text(LABEL, look.ink(), CENTRE));
}

/// The corners of a line that is level around each of these points.
pub fn steps(points: &[Point]) -> Vec<Point> {
    let ends = points.first().into_iter().chain(points.last()).copied();
    let mut corners: Vec<Point> = points
        .iter()
        .zip(points.iter().skip(1))
        .flat_map(|(one, other)| {
            let x = f64::midpoint(one.0, other.0);
            [(x, one.1), (x, other.1)]
        })
        .chain(ends)
        .collect();
    corners.sort_by(|one, other| one.0.total_cmp(&other.0));
    corners
}

/// Where the points of each series are. On an ordinal axis each look has a lane of its own, so that no point hides another.
pub fn places(panel: &Panel, plot: &Plot<'_, '_>) -> Vec<Vec<Point>> {
    let [is_across, is_up] = [&panel.x, &panel.y].map(|axis| axis.values().is_some());
    let mut lanes: Vec<Look> = Vec::new();
    for series in panel.series.iter().filter(|own| !own.is_joined()) {
        if (is_across || is_up) && !lanes.contains(&series.look) {
            lanes.push(series.look);
        }
    }
    let [one, next] = [(0.0, 0.0), (1.0, 1.0)].map(|values| place(plot, values));
    let room = if is_across {
        next.0 - one.0
    } else {
        one.1 - next.1
    };
    let step = LANE.min(0.8 * room / lanes.len().max(1) as f64);
    let middle = lanes.len().saturating_sub(1) as f64 / 2.0;
    panel
        .series
        .iter()
        .map(|series| {
            let lane = lanes.iter().position(|look| *look == series.look);
            let shift = lane
                .filter(|_| !series.is_joined())
                .map_or(0.0, |lane| (lane as f64 - middle) * step);
            let moved = |(x, y): Point| {
                if is_across {
                    (x + shift, y)
                } else {
                    (x, y + shift)
                }
            };
            series
                .points
                .iter()
                .map(|point| moved(place(plot, *point)))
                .collect()
        })
        .collect()
}

/// The widest lane of a look.
const LANE: f64 = 12.0;

/// Shades every other value of an ordinal axis, so that points beside each other belong to one.
pub fn draw_rows(panel: &Panel, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    let [low, high] = frame(plot);
    for (axis, is_across) in [(&panel.x, true), (&panel.y, false)] {
        for value in (0..axis.values().unwrap_or(0)).step_by(2) {
            let ends = [-0.5, 0.5].map(|half| value as f64 + half);
            let [one, other] = ends.map(|end| place(plot, (end, end)));
            let corners = if is_across {
                [(one.0, low.1), (other.0, high.1)]
            } else {
                [(low.0, other.1), (high.0, one.1)]
            };
            sheet.rectangle(corners, ROW, None);
        }
    }
}

/// Draws a short stroke on the horizontal axis at each value.
pub fn draw_rug(values: &[f64], plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    let [_, (_, bottom)] = frame(plot);
    for value in values {
        let x = place(plot, (*value, 1.0)).0;
        sheet.line(&[(x, bottom), (x, bottom - STROKE)], FAINT_INK, 0.6);
    }
}

/// Length of a stroke on an axis.
const STROKE: f64 = 4.5;

/// How many series of its kind lie on each point. A line is drawn so much wider there, and a point so much larger, that all are
/// visible. Steps keep their width: between two values they lie apart.
pub fn depths(panel: &Panel, places: &[Vec<Point>]) -> Vec<Vec<f64>> {
    let mut depths: Vec<Vec<f64>> = places.iter().map(|all| vec![0.0; all.len()]).collect();
    for under in (0..places.len()).rev() {
        let (below, above) = depths.split_at_mut(under + 1);
        let own = &panel.series[under];
        if own.is_joined() && panel.is_stepped() {
            continue;
        }
        for (depth, at) in below[under].iter_mut().zip(&places[under]) {
            let above = panel
                .series
                .iter()
                .zip(places)
                .skip(under + 1)
                .zip(above.iter())
                .filter(|((other, _), _)| {
                    other.look != own.look
                        && other.is_joined() == own.is_joined()
                        && !other.label.is_empty()
                })
                .filter_map(|((other, over), depths)| {
                    Some(1.0 + depths[hiding(other, over, *at)?])
                });
            *depth = above.fold(0.0, f64::max).min(DEEPEST);
        }
    }
    depths
}

/// The point of a series at which it hides this place.
fn hiding(series: &Series, over: &[Point], (x, y): Point) -> Option<usize> {
    if !series.is_joined() {
        return over.iter().position(|at| (at.0 - x).hypot(at.1 - y) < NEAR);
    }
    over.windows(2).position(|pair| {
        let part = (x - pair[0].0) / (pair[1].0 - pair[0].0);
        let level = pair[0].1 + part * (pair[1].1 - pair[0].1);
        (0.0..=1.0).contains(&part) && (level - y).abs() < NEAR
    })
}

/// Two points, or two lines, that are nearer hide one another.
const NEAR: f64 = 2.0;
/// Most series that make one below them wider.
const DEEPEST: f64 = 2.0;
/// Pixels by which a line is wider for each series above it.
const WIDER: f64 = 1.6;
/// The part of its size by which a marker is larger for each series above it.
const LARGER: f64 = 0.6;

/// Draws the series with this number, whose points are at these places.
pub fn draw_series(
    (number, series): (usize, &Series),
    (places, depths): (&[Point], &[f64]),
    (is_stepped, size): (bool, f64),
    (plot, sheet): (&mut Plot<'_, '_>, &Sheet<'_>),
) {
    let Series { points, look, .. } = series;
    let mut line = |points: &[Point], width: f64| {
        let style = stroke(look.colour, width);
        let corners = if is_stepped {
            steps(points)
        } else {
            points.to_vec()
        };
        if let Some(dashes) = series.dashes() {
            let [dash, gap] = dashes.map(fine);
            let line = DashedLineSeries::new(corners, dash, gap, style);
            _ = plot.draw_series(line);
        } else {
            _ = plot.draw_series([PathElement::new(corners, style)]);
        }
    };
    if series.is_joined() {
        line(points, 1.8);
    }
    for pair in (1..points.len()).filter(|_| series.is_joined()) {
        let depth = depths[pair - 1].min(depths[pair]);
        if depth > 0.0 {
            line(&points[pair - 1..=pair], 1.8 + depth * WIDER);
        }
    }
    if series.line == Join::Interval {
        interval(places, *look, sheet);
    }
    if let Some(stride) = series.markers {
        let mut last: Option<Point> = None;
        let stride = stride.max(1);
        // The markers of lines on one another stand side by side.
        for (&at, depth) in places
            .iter()
            .zip(depths)
            .skip(number % stride)
            .step_by(stride)
        {
            let is_far = last.is_none_or(|last| (at.0 - last.0).hypot(at.1 - last.1) >= APART);
            // A line is seen without its markers, so that they stay apart; points are not.
            if is_far || series.line == Join::None {
                // On the sheet: the plotting area would cut markers at its edges.
                // A ring leaves what is inside it visible.
                let depth = if look.marker == Marker::Ring {
                    0.0
                } else {
                    *depth
                };
                let size = if series.is_joined() {
                    1.0
                } else {
                    size * (1.0 + depth * LARGER)
                };
                marker(*look, at, size, sheet);
                last = Some(at);
            }
        }
    }
}

/// By which factor points without lines are smaller, where most of those of a series would touch.
pub fn size(panel: &Panel, places: &[Vec<Point>]) -> f64 {
    let least = panel
        .series
        .iter()
        .zip(places)
        .filter(|(series, _)| series.line == Join::None)
        .filter_map(|(series, places)| {
            let stride = series.markers?.max(1);
            let drawn: Vec<&Point> = places.iter().step_by(stride).collect();
            let mut gaps: Vec<f64> = drawn
                .windows(2)
                .map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1))
                .filter(|gap| *gap > 0.0)
                .collect();
            gaps.sort_by(f64::total_cmp);
            gaps.get(gaps.len() / 2).copied()
        })
        .fold(f64::INFINITY, f64::min);
    (least / (2.0 * RADIUS)).clamp(SMALLEST, 1.0)
}

/// The smallest marker, as a part of its usual size.
const SMALLEST: f64 = 0.5;
/// Least distance between two markers of a line.
const APART: f64 = 18.0;
const RADIUS: f64 = 3.4;

/// Draws a line between two points with a bar at each.
fn interval(ends: &[Point], look: Look, sheet: &Sheet<'_>) {
    sheet.line(ends, look.colour, 1.8);
    for (x, y) in ends {
        sheet.line(&[(x - 6.0, *y), (x + 6.0, *y)], look.colour, 1.8);
    }
}

/// Draws a marker around a point, as large as usual by this factor.
pub fn marker(look: Look, at: Point, size: f64, sheet: &Sheet<'_>) {
    let colour = look.colour;
    let moved = |(x, y): Point| (at.0 + size * x, at.1 + size * y);
    let polygon = |corners: &[Point]| {
        sheet.polygon(corners.iter().copied().map(moved), colour);
    };
    let arm = |x: f64, y: f64| sheet.line(&[(-x, -y), (x, y)].map(moved), colour, 1.6);
    match look.marker {
        Marker::Circle => sheet.circle(at, size * RADIUS, colour.filled()),
        // Larger than the others, so that the marker inside stays visible.
        Marker::Ring => sheet.circle(at, size * RADIUS + 1.2, stroke(colour, 1.2)),
        Marker::Cross => [3.0, -3.0].into_iter().for_each(|y| arm(3.0, y)),
        Marker::Plus => [(3.8, 0.0), (0.0, 3.8)]
            .into_iter()
            .for_each(|(x, y)| arm(x, y)),
        Marker::Square => polygon(&[(-3.1, -3.1), (3.1, -3.1), (3.1, 3.1), (-3.1, 3.1)]),
        Marker::Triangle => polygon(&[(0.0, -3.9), (3.7, 2.8), (-3.7, 2.8)]),
        Marker::Nabla => polygon(&[(0.0, 3.9), (-3.7, -2.8), (3.7, -2.8)]),
        Marker::Diamond => polygon(&[(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)]),
        Marker::Star => {
            [3.0, -3.0].into_iter().for_each(|y| arm(3.0, y));
            arm(0.0, 4.2);
        }
        Marker::Area => {
            sheet.rectangle(
                [(-8.5, -5.0), (8.5, 5.0)].map(moved),
                colour.mix(TINT),
                None,
            );
        }
        Marker::Interval => {
            interval(&[(0.0, -6.0), (0.0, 6.0)].map(moved), look, sheet);
        }
        Marker::Rug => {
            let line = |from: Point, to: Point| sheet.line(&[from, to].map(moved), FAINT_INK, 0.8);
            line((-8.5, 3.0), (8.5, 3.0));
            for x in [-6.0, -1.0, 2.5, 6.0] {
                line((x, 3.0), (x, 3.0 - STROKE));
            }
        }
        Marker::Letter(_) | Marker::Number(_) => {
            let half = half_of(look);
            sheet.rectangle([(-half, -7.5), (half, 7.5)].map(moved), colour, None);
            sign(look, at, sheet);
        }
    }
}

/// Half the width of the box of a sign.
fn half_of(look: Look) -> f64 {
    (text_width(&look.sign(), LABEL) / 2.0 + 2.0).max(6.0)
}

/// Moves ascending places up to keep their distance, then down again if they are beyond the last one allowed.
pub fn spread(places: &mut [f64], distance: f64, last: f64) {
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + distance);
    }
    let mut limit = last;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - distance;
    }
}
