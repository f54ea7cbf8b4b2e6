//! Charts: what to draw. `render`, `page`, `names` and `marks` make all calls to plotters for charts.
//!
//! A [`Chart`] is checked before it is drawn: plotters hangs on a degenerate logarithmic range, overflows far outside
//! the picture, and draws NaN or zero at the edge without an error.

mod fit;
mod fonts;
pub mod format;
mod marks;
mod names;
mod page;
pub mod pdf;
mod regions;
mod render;
pub mod scale;
pub mod style;
pub mod svg;

pub use fit::{Legend, PageFit};
use scale::Scale;
use style::{Look, Point};

/// A figure: one or more panels side by side under a common title.
pub struct Chart {
    /// The title.
    pub title: String,
    /// The parameters.
    pub subtitle: String,
    /// Sentences under the panels, the most important first; all are shown.
    pub caption: Vec<String>,
    /// From left to right, wrapped into rows.
    pub panels: Vec<Panel>,
}

/// A pair of axes and what is drawn on them.
#[derive(Clone)]
pub struct Panel {
    /// Title of the panel, where there are several.
    pub heading: Option<String>,
    /// The horizontal axis.
    pub x: Scale,
    /// The vertical axis.
    pub y: Scale,
    /// Areas behind the lines.
    pub bands: Vec<Band>,
    /// The areas of a map.
    pub cells: Vec<MapCell>,
    /// The looks whose areas are striped in the colours of others.
    pub stripes: Vec<(Look, Vec<Look>)>,
    /// The lines and points.
    pub series: Vec<Series>,
    /// Values along that have a short stroke on the horizontal axis.
    pub rug: Vec<f64>,
    /// Names and their looks. The name of a series stands at the end of its line.
    pub legend: Vec<(String, Look)>,
}

/// The area between two lines over the same x.
#[derive(Clone)]
pub struct Band {
    /// `(x, low, high)`.
    pub edges: Vec<(f64, f64, f64)>,
    /// The look whose colour it has.
    pub look: Look,
}

/// An area of a map: a computed point, or the computed points between two values.
#[derive(Clone, Copy)]
pub struct MapCell {
    /// Where it begins and ends along.
    pub x: [f64; 2],
    /// Where it begins and ends upward.
    pub y: [f64; 2],
    /// Its colour and its sign.
    pub look: Look,
}

/// A line with its points.
#[derive(Clone)]
pub struct Series {
    /// Named at the right end of the line.
    pub label: String,
    /// Colour, marker and stroke.
    pub look: Look,
    /// `(x, y)`, ascending in x.
    pub points: Vec<Point>,
    /// Every n-th point has a marker, so that markers do not touch; without a number only the one in the label.
    pub markers: Option<usize>,
    /// How the points are joined.
    pub line: Join,
}

impl Series {
    /// Whether it is a line.
    pub fn is_joined(&self) -> bool {
        matches!(self.line, Join::Solid | Join::Dashed)
    }

    /// The length of its dashes and of the gaps behind them; none of a whole line, or of points.
    fn dashes(&self) -> Option<[f64; 2]> {
        let reference = Some([5.0, 4.0]);
        match self.line {
            Join::Dashed => reference,
            Join::Solid if self.look == Look::REFERENCE => reference,
            Join::Solid => self.look.pen.dashes(),
            Join::None | Join::Interval => None,
        }
    }
}

/// How the points of a series are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Not joined.
    None,
    /// By a line, dashed for references, else by the pen of the look.
    Solid,
    /// By a dashed line.
    Dashed,
    /// By a line with a bar at each point, wider than a marker.
    Interval,
}

/// Why a chart cannot be drawn.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum ChartError {
    /// Nothing to draw.
    #[error("{0} has no point to draw")]
    Empty(String),
    /// A series or an area has a value outside its axis.
    #[error("{0} holds {1}, which lies outside the axis")]
    Outside(String, f64),
    /// The width asked for is less than this, in millimetres.
    #[error("it needs a width of {0}mm with this size of letters")]
    Narrow(u32),
    /// The height allowed is less than this, in millimetres.
    #[error("it needs a height of {0}mm with this width and size of letters")]
    Low(u32),
}

impl Chart {
    /// Draws the chart as SVG, in its natural size.
    ///
    /// # Errors
    /// There is nothing to draw, or a value is outside its axis.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        self.fitted(&PageFit::default()).map(|(svg, _)| svg)
    }

    /// Draws the chart as SVG for a page; also returns the texts that are not drawn.
    ///
    /// # Errors
    /// There is nothing to draw, a value is outside its axis, or the page is too narrow or too low.
    pub fn fitted(&self, fit: &PageFit) -> Result<(String, Vec<String>), ChartError> {
        self.check()?;
        let (svg, facts) = render::draw(self, fit)?;
        let heading = [&self.title, &self.subtitle]
            .into_iter()
            .filter(|text| fit.no_title == Some(true) && !text.is_empty());
        Ok((
            svg,
            heading
                .map(|text| format!("{}.", text.trim_end_matches('.')))
                .chain(facts)
                .collect(),
        ))
    }

    /// Refuses an empty chart, infinite or NaN values, and values that are not positive on a logarithmic axis.
    fn check(&self) -> Result<(), ChartError> {
        if self.panels.is_empty() {
            return Err(ChartError::Empty(format!("`{}`", self.title)));
        }
        self.panels.iter().try_for_each(Panel::check)
    }
}

impl Panel {
    /// A panel of lines; the series with a label have a name in the legend.
    pub fn new(heading: Option<String>, [x, y]: [Scale; 2], series: Vec<Series>) -> Self {
        let named = series.iter().filter(|series| !series.label.is_empty());
        Self {
            heading,
            x,
            y,
            bands: Vec::new(),
            cells: Vec::new(),
            stripes: Vec::new(),
            rug: Vec::new(),
            legend: named
                .map(|series| (series.label.clone(), series.look))
                .collect(),
            series,
        }
    }

    /// Whether its lines have a value at each whole number and none between two: they are level around each number.
    fn is_stepped(&self) -> bool {
        let mut xs: Vec<f64> = self
            .series
            .iter()
            .filter(|series| series.is_joined())
            .flat_map(|series| &series.points)
            .map(|point| point.0)
            .collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        xs.len() > 2
            && xs
                .windows(2)
                .all(|pair| (pair[1] - pair[0] - 1.0).abs() < 1e-9)
    }

    fn check(&self) -> Result<(), ChartError> {
        if self.series.is_empty() && self.cells.is_empty() {
            return Err(ChartError::Empty(format!(
                "panel `{}`",
                self.heading.as_deref().unwrap_or_default()
            )));
        }
        let name = |series: Option<&Series>| {
            series.map_or_else(
                || "an area".to_owned(),
                |series| format!("series `{}`", series.label),
            )
        };
        if let Some(empty) = self.series.iter().find(|series| series.points.is_empty()) {
            return Err(ChartError::Empty(name(Some(empty))));
        }
        let areas = self
            .bands
            .iter()
            .flat_map(|band| &band.edges)
            .flat_map(|&(x, low, high)| [(x, low), (x, high)])
            .chain(
                self.cells
                    .iter()
                    .flat_map(|cell| [0, 1].map(|end| (cell.x[end], cell.y[end]))),
            );
        for (series, (x, y)) in self
            .series
            .iter()
            .flat_map(|series| {
                series
                    .points
                    .iter()
                    .map(move |point| (Some(series), *point))
            })
            .chain(areas.map(|point| (None, point)))
        {
            for (value, scale) in [(x, &self.x), (y, &self.y)] {
                // NaN has no place on any axis, and 0 has none on a logarithmic one.
                if !scale.holds(value) {
                    return Err(ChartError::Outside(name(series), value));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::style::Look;
    use super::*;

    fn chart(points: &[Point], x: Scale, y: Scale) -> Chart {
        let axis = |scale: Scale| scale.titled("value");
        let series = Series {
            label: "cost".to_owned(),
            look: Look::FIRST,
            points: points.to_vec(),
            markers: Some(1),
            line: Join::Solid,
        };
        let panel = Panel::new(None, [axis(x), axis(y)], vec![series]);
        Chart {
            title: "t".to_owned(),
            subtitle: String::new(),
            caption: vec![],
            panels: vec![panel],
        }
    }

    #[test]
    fn values_outside_an_axis_are_refused() {
        let log = || Scale::log10(1.0, 100.0);
        let linear = || Scale::linear(0.0, 10.0);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = chart(&[(1.0, bad)], linear(), linear())
                .to_svg()
                .unwrap_err();
            assert!(error.to_string().contains("series `cost` holds"), "{error}");
            assert!(chart(&[(bad, 1.0)], linear(), linear()).to_svg().is_err());
        }
        for outside in [-0.1, 10.1, 1e300, -1e300] {
            assert!(
                chart(&[(1.0, outside)], linear(), linear())
                    .to_svg()
                    .is_err()
            );
        }
        assert!(chart(&[(1.0, 0.0)], linear(), log()).to_svg().is_err());
        assert!(chart(&[(-1.0, 1.0)], log(), linear()).to_svg().is_err());
        assert!(chart(&[], linear(), linear()).to_svg().is_err());
    }

    /// Constant and zero costs are normal; plotters hangs or panics on each of these ranges.
    #[test]
    fn degenerate_ranges_are_widened() {
        for (low, high) in [
            (0.0, 0.0),
            (5.0, 5.0),
            (f64::NAN, 1.0),
            (3.0, f64::INFINITY),
            (7.0, 2.0),
            (-4.0, -4.0),
        ] {
            for scale in [
                Scale::linear(low, high),
                Scale::log10(low, high),
                Scale::log2(low, high),
            ] {
                let middle = scale.middle();
                let svg = chart(&[(1.0, middle)], Scale::linear(0.0, 2.0), scale)
                    .to_svg()
                    .unwrap();
                assert!(svg.starts_with("<svg") && !svg.contains("NaN"));
            }
        }
    }

    /// Costs at all whole numbers are steps; of other numbers nothing is known, so lines lead from one to the next.
    #[test]
    fn whole_numbers_are_steps() {
        let corners = |points: &[Point]| {
            let svg = chart(points, Scale::linear(0.0, 9.0), Scale::linear(0.0, 9.0))
                .to_svg()
                .unwrap();
            let line = svg
                .split("<polyline")
                .find(|part| part.contains("#0072B2"))
                .unwrap();
            line.split_once("points=\"")
                .unwrap()
                .1
                .split('"')
                .next()
                .unwrap()
                .split_whitespace()
                .count()
        };
        assert_eq!(corners(&[(1.0, 1.0), (2.0, 1.0), (3.0, 4.0)]), 6);
        assert_eq!(corners(&[(1.0, 1.0), (2.0, 1.0), (4.0, 4.0)]), 3);
    }

    /// Equal points of two series stand side by side on an axis of names, and on one another on an axis of numbers.
    #[test]
    fn points_on_an_ordinal_axis_have_lanes() {
        let places = |x: Scale| {
            let mut chart = chart(&[(0.0, 1.0), (1.0, 2.0)], x, Scale::linear(0.0, 4.0));
            let first = &mut chart.panels[0].series[0];
            first.line = Join::None;
            let second = Series {
                look: Look::ALL[10],
                ..first.clone()
            };
            assert_eq!(second.look.marker, first.look.marker);
            chart.panels[0].series.push(second);
            let svg = chart.to_svg().unwrap();
            let circles = svg.split("<circle cx=\"").skip(1);
            let circles = circles.map(|rest| rest.split('"').next().unwrap().to_owned());
            circles.take(4).collect::<Vec<_>>()
        };
        let names = places(Scale::ordinal(vec!["a".to_owned(), "b".to_owned()]));
        assert!(names[0] != names[2] && names[1] != names[3], "{names:?}");
        let numbers = places(Scale::linear(-0.5, 1.5));
        assert!(numbers[..2] == numbers[2..], "{numbers:?}");
    }

    /// Points of one series that would touch are smaller.
    #[test]
    fn dense_points_are_small() {
        let radius = |count: u32| {
            let points: Vec<_> = (0..count).map(|x| (f64::from(x), 1.0)).collect();
            let end = f64::from(count);
            let mut chart = chart(&points, Scale::linear(0.0, end), Scale::linear(0.0, 4.0));
            chart.panels[0].series[0].line = Join::None;
            let svg = chart.to_svg().unwrap();
            let (_, circle) = svg.split_once("<circle").unwrap();
            let (_, radius) = circle.split_once(" r=\"").unwrap();
            radius.split('"').next().unwrap().parse::<u32>().unwrap()
        };
        assert_eq!([radius(20), radius(2000)], [27, 14]);
    }

    /// Long names of few rows have two lines on a page, so that the points have room.
    #[test]
    fn names_of_few_rows_have_two_lines() {
        let is_broken = |rows: u32, width| {
            let points: Vec<_> = (0..rows).map(|row| (1.0, f64::from(row))).collect();
            let name = |row| format!("torus {row}x8, node 0 slowed to 0.5 (64)");
            let names = Scale::ordinal((0..rows).map(name).collect());
            let mut chart = chart(&points, Scale::linear(0.0, 2.0), names);
            chart.panels[0].series[0].line = Join::None;
            let width = Some(width);
            let fit = PageFit {
                width,
                ..PageFit::default()
            };
            let (svg, _) = chart.fitted(&fit).unwrap();
            !svg.contains("node 0 slowed to 0.5")
        };
        assert_eq!(
            [(8, 88.0), (8, 180.0), (20, 88.0)].map(|(rows, width)| is_broken(rows, width)),
            [true, false, false]
        );
    }

    /// The part of a line that lies under another one is wider, so that both are visible.
    #[test]
    fn a_hidden_line_is_wider_where_it_is_hidden() {
        let points = [(1.0, 1.0), (2.0, 1.0), (4.0, 3.0)];
        let mut chart = chart(&points, Scale::linear(0.0, 5.0), Scale::linear(0.0, 4.0));
        let first = chart.panels[0].series[0].clone();
        let own = first.look;
        let over = |look| Series {
            look,
            points: vec![(1.0, 1.0), (2.0, 1.0), (4.0, 2.0)],
            ..first.clone()
        };
        let mut widest = |look| {
            chart.panels[0].series.truncate(1);
            chart.panels[0].series.push(over(look));
            let svg = chart.to_svg().unwrap();
            let lines = svg
                .split("<polyline")
                .filter(|line| line.contains("#0072B2"));
            let width = |line: &str| {
                let rest = line.split_once("stroke-width=\"")?.1;
                rest.split('"').next()?.parse::<u32>().ok()
            };
            lines.filter_map(width).max().unwrap()
        };
        assert_eq!([widest(Look::SECOND), widest(own)], [27, 14]);
    }

    #[test]
    fn drawing_is_repeatable() {
        let draw = || {
            chart(
                &[(1.0, 1.0), (2.0, 3.0)],
                Scale::linear(0.0, 2.0),
                Scale::linear(0.0, 4.0),
            )
            .to_svg()
            .unwrap()
        };
        assert_eq!(draw(), draw());
    }
}
