//! Where the panels of a chart are on a sheet: in a grid of their natural size, or of the width and the height of a printed page.

use plotters::chart::ChartBuilder;
use plotters::prelude::Polygon;
use plotters::style::{Color, ShapeStyle};

use super::Panel;
use super::fit::Legend;
use super::marks::{
    Plot, depths, draw_cells, draw_rows, draw_rug, draw_series, frame, place, places, size, steps,
};
use super::names::{self, Name, Names};
use super::scale::Scale;
use super::style::{FAINT_INK, GRID, INK, LABEL, Marker, PAPER, Point, TINT};
use super::svg::{
    BELOW, BOTTOM_LEFT, CENTRE, RIGHT, Sheet, TOP_LEFT, balanced, fine, stroke, text, text_width,
    widest,
};
use crate::base::units::distinct;

/// Least width of a plot in its natural size.
const LEAST_PLOT: f64 = 200.0;
/// Least width of a plot of a printed page.
const LEAST_WIDE: f64 = 90.0;
/// Least height of a plot of a printed page.
const LEAST_HIGH: f64 = 44.0;
/// A lower plot of a printed page takes the room of the caption.
const READABLE: f64 = 110.0;
/// So is a plot whose rows of points are lower.
const READABLE_ROW: f64 = 40.0;
/// The widest row of panels.
const WIDEST: f64 = 1300.0;
/// Height of the ticks and the title of a horizontal axis.
const X_LABELS: f64 = 46.0;
/// Names of rows that are longer, as a part of the width, have two lines.
const LONG_NAMES: f64 = 0.35;
/// So many rows have room for two lines each.
const FEW_ROWS: usize = 12;
/// Height of a further row of labels.
const LABEL_ROW: f64 = 14.0;
/// Height of the ticks alone.
const X_TICKS: f64 = 24.0;
/// Margin above a plot.
const ABOVE_PLOT: f64 = 4.0;
/// Margin above a map, which has signs there.
const ABOVE_MAP: f64 = 20.0;
/// Height of a line of text above or below the panels of a printed page.
const LINE: f64 = 17.0;
/// Between a plot and the text above it.
const BELOW_TEXT: f64 = 6.0;
/// Between the texts of two panels.
const BETWEEN_TEXTS: f64 = 10.0;
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

/// The panels on a sheet, in a grid.
#[derive(Clone)]
pub struct Page<'a> {
    /// All panels in their order.
    panels: &'a [Panel],
    /// How many stand in a row.
    columns: usize,
    /// The width of each.
    width: f64,
    /// Where the names of the series are.
    names: Names,
    /// Each name once, if they are below all panels.
    once: Vec<Name>,
    /// Lines of the title of the y axis and of the x axis, where all panels share them.
    shared: [Vec<String>; 2],
    /// Height of the heading and the title of the y axis above the panels of each row.
    above: Vec<f64>,
    /// Height of each plot.
    plot: f64,
}

/// What a printed page lacks: the least width or height of the panels.
pub enum Lack {
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
            None if panels.len() > 1 => Names::Once,
            _ => Names::Beside,
        };
        let one = Self::grid(panels, names, 1, WIDEST);
        let beside = one.y_labels() + one.beside();
        let usual = match panels.len() {
            1 => 940.0,
            2 | 4 => 620.0,
            _ => 430.0,
        };
        let width = match panels.first().filter(|panel| !panel.cells.is_empty()) {
            Some(map) => beside + side(&map.x, 560.0, 44.0).max(LEAST_PLOT),
            None => (beside + LEAST_PLOT).max(usual),
        };
        let columns = (1..=panels.len())
            .rev()
            .find(|columns| *columns as f64 * width <= WIDEST)
            .unwrap_or(1);
        let page = Self::grid(panels, names, columns, columns as f64 * width);
        let plot = match panels {
            [map, ..] if !map.cells.is_empty() => side(&map.y, 380.0, 32.0),
            [_, _, _, _, ..] => 270.0,
            _ => 360.0,
        };
        let plot = plot.max(page.least_of_names());
        Page { plot, ..page }
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
        let lowest = wide_enough()
            .map(|page| page.high(wide, page.least_high()))
            .reduce(f64::min)
            .ok_or(Lack::Width(least))?;
        let plot = |page: &Self| page.plot_high(wide, height);
        let size = |page: &Self| page.plot_wide().min(USUAL_SHAPE * plot(page)).min(LARGE);
        let empty = |page: &Self| page.above.len() * page.columns - panels.len();
        let best = wide_enough()
            .filter(|page| plot(page) >= page.least_high())
            .max_by(|one, other| {
                size(one)
                    .total_cmp(&size(other))
                    .then(empty(other).cmp(&empty(one)))
            })
            .ok_or(Lack::Height(lowest))?;
        let plot = plot(best);
        Ok(Page {
            plot,
            ..best.clone()
        })
    }

    /// A grid with so many columns in this width.
    fn grid(panels: &'a [Panel], names: Names, columns: usize, wide: f64) -> Self {
        let all = panels.iter().flat_map(|panel| &panel.legend);
        let mut once: Vec<&Name> = distinct(all.filter(|_| names == Names::Once));
        // What areas and strokes are comes last.
        once.sort_by_key(|(_, look)| {
            [Marker::Area, Marker::Interval, Marker::Rug].contains(&look.marker)
        });
        let mut page = Page {
            panels,
            columns,
            width: wide / columns as f64,
            names,
            once: once
                .iter()
                .copied()
                .filter(|name| !once.iter().any(|other| is_part(name, other)))
                .cloned()
                .collect(),
            shared: [Vec::new(), Vec::new()],
            above: Vec::new(),
            plot: 0.0,
        };
        let shared = |axis: fn(&Panel) -> &Scale, is_shared: bool| {
            let titles = panels.iter().map(|panel| axis(panel).title.as_str());
            // The heading of a panel may say what its axis is.
            let mut titles = titles.filter(|title| !title.is_empty());
            let first = titles.next().unwrap_or_default();
            if is_shared && titles.all(|title| title == first) {
                balanced(first, wide, LABEL)
            } else {
                Vec::new()
            }
        };
        let has_several = panels.len() > 1;
        page.shared = [
            shared(|panel| &panel.y, has_several),
            // A title in the middle of a narrow plot may not fit there.
            shared(
                |panel| &panel.x,
                has_several
                    || panels
                        .iter()
                        .any(|panel| text_width(&panel.x.title, LABEL) > page.plot_wide()),
            ),
        ];
        page.above = panels
            .chunks(columns)
            .map(|row| {
                row.iter()
                    .map(|panel| {
                        let [heading, title] =
                            page.texts(panel).map(|lines| lines.len() as f64 * LINE);
                        let between = if heading > 0.0 && title > 0.0 {
                            BELOW_HEADING
                        } else {
                            0.0
                        };
                        BELOW_TEXT + title + between + heading
                    })
                    .fold(0.0, f64::max)
            })
            .collect();
        page
    }

    fn most(&self, of: impl Fn(&Panel) -> f64) -> f64 {
        self.panels.iter().map(of).fold(0.0, f64::max)
    }

    /// The lines of the heading and of the title of the y axis above a panel; no heading where the title begins with it.
    fn texts(&self, panel: &Panel) -> [Vec<String>; 2] {
        // The text of the next panel begins where this one ends.
        let lines = |text: &str| balanced(text, self.width - BETWEEN_TEXTS, LABEL);
        let own = panel.y.title.to_lowercase();
        let heading = panel
            .heading
            .as_deref()
            .filter(|text| !own.starts_with(&text.to_lowercase()));
        let title = match self.shared[0][..] {
            [] => lines(&panel.y.title),
            _ => Vec::new(),
        };
        [heading.map_or_else(Vec::new, lines), title]
    }

    /// The room right of each plot.
    fn beside(&self) -> f64 {
        match self.names {
            Names::Beside => self.most(|panel| names::width(&panel.legend)),
            _ => LAST_TICK,
        }
    }

    /// How wide the labels left of each plot are.
    fn y_labels(&self) -> f64 {
        let wide = |panel: &Panel| match self.names_of_rows(panel) {
            Some(names) => widest(names.iter().flatten(), LABEL),
            None => panel.y.labels_wide(),
        };
        self.most(wide) + 12.0
    }

    /// The names of the rows of a panel in two lines, where one would leave the points little room.
    fn names_of_rows(&self, panel: &Panel) -> Option<Vec<Vec<String>>> {
        let rows = panel.y.values().filter(|_| panel.cells.is_empty());
        let is_wide = panel.y.labels_wide() > LONG_NAMES * self.width;
        rows.filter(|rows| is_wide && *rows <= FEW_ROWS)?;
        let widths = (6..=20).map(|part| self.width * f64::from(part) / 20.0);
        let is_low = |names: &Vec<Vec<String>>| names.iter().all(|name| name.len() <= 2);
        widths
            .map(|wide| {
                panel
                    .y
                    .labels()
                    .map(|(_, label)| balanced(label, wide, LABEL))
                    .collect()
            })
            .find(is_low)
    }

    /// The width of each plot.
    fn plot_wide(&self) -> f64 {
        self.width - self.y_labels() - self.beside()
    }

    /// The least width of all panels of a printed page.
    fn least_wide(&self) -> f64 {
        self.columns as f64 * (self.y_labels() + LEAST_WIDE + self.beside())
    }

    /// The least height of a plot of a printed page.
    fn least_high(&self) -> f64 {
        let rows = self.most(|panel| {
            let names = self.names_of_rows(panel);
            names.map_or(0.0, |names| names.len() as f64 * 2.0 * LABEL)
        });
        LEAST_HIGH.max(self.least_of_names()).max(rows)
    }

    /// The height of the plots of a printed page in this height of all panels.
    fn plot_high(&self, wide: f64, height: f64) -> f64 {
        let share = (height - self.high(wide, 0.0)) / self.above.len().max(1) as f64;
        let most = self.width * PAGE_HEIGHT - self.outside();
        share.min(most.max(self.least_high()).max(self.rows_high()))
    }

    /// The height of a plot with names beside it.
    fn least_of_names(&self) -> f64 {
        match self.names {
            Names::Beside => self.most(|panel| panel.legend.len() as f64) * names::DISTANCE,
            _ => 0.0,
        }
    }

    /// The height of a panel around its plot, without the names below it.
    fn outside(&self) -> f64 {
        let labels = if self.shared[1].is_empty() {
            X_LABELS
        } else {
            X_TICKS
        };
        labels + (self.label_rows() - 1) as f64 * LABEL_ROW + self.above_plot()
    }

    /// The rows in which the values along a map have labels.
    fn label_rows(&self) -> usize {
        self.panels
            .iter()
            .filter(|panel| !panel.cells.is_empty())
            .map(|map| map.x.label_rows(self.plot_wide()))
            .max()
            .unwrap_or(1)
    }

    /// The margin above each plot.
    fn above_plot(&self) -> f64 {
        if self.panels.iter().all(|panel| panel.cells.is_empty()) {
            ABOVE_PLOT
        } else {
            ABOVE_MAP
        }
    }

    /// The height of a panel with a plot of this height.
    fn panel_high(&self, plot: f64) -> f64 {
        let below = |panel: &Panel| names::high(&panel.legend, self.width);
        let names = match self.names {
            Names::Below => self.most(below),
            _ => 0.0,
        };
        self.outside() + plot + names
    }

    /// The height of all panels with plots of this height, with what they share.
    fn high(&self, wide: f64, plot: f64) -> f64 {
        let shared = self.shared.iter().map(Vec::len).sum::<usize>() as f64 * LINE;
        let panels = self.above.iter().map(|above| above + self.panel_high(plot));
        shared + panels.sum::<f64>() + names::high(&self.once, wide)
    }

    /// Whether lines of its plots are hard to tell apart.
    pub fn is_low(&self) -> bool {
        self.plot < self.rows_high().max(READABLE)
    }

    /// The height of a plot whose rows of points are apart; 0 without rows.
    fn rows_high(&self) -> f64 {
        self.most(|panel| {
            panel
                .y
                .values()
                .filter(|_| panel.cells.is_empty())
                .unwrap_or(0) as f64
                * READABLE_ROW
        })
    }

    /// The height of all panels, with what they share.
    pub fn height(&self, wide: f64) -> f64 {
        self.high(wide, self.plot)
    }

    /// The width of a row.
    pub fn wide(&self) -> f64 {
        self.columns as f64 * self.width
    }

    /// Draws the panels, and what they share, from a point in this width.
    pub fn draw(&self, sheet: &Sheet<'_>, (left, top): Point, wide: f64) {
        let [above, below] = &self.shared;
        let mut y = top + above.len() as f64 * LINE;
        let style = text(LABEL, FAINT_INK, TOP_LEFT);
        sheet.lines(above, (left, top), LINE, style);
        let height = self.panel_high(self.plot);
        for (row, above) in self.panels.chunks(self.columns).zip(&self.above) {
            for (number, panel) in row.iter().enumerate() {
                let at = (left + number as f64 * self.width, y + above);
                self.draw_above(sheet, at, &self.texts(panel));
                self.draw_panel(panel, sheet, at);
            }
            y += above + height;
        }
        let style = text(LABEL, FAINT_INK, CENTRE);
        sheet.lines(below, (left + wide / 2.0, y + LINE / 2.0), LINE, style);
        y += below.len() as f64 * LINE;
        let names = names::flowing(&self.once, (left, y + names::ABOVE), wide).0;
        names::draw(self.panels, sheet, names);
    }

    /// Writes the heading and the title of the y axis above a panel, so that the title is horizontal.
    fn draw_above(
        &self,
        sheet: &Sheet<'_>,
        (left, top): Point,
        [heading, title]: &[Vec<String>; 2],
    ) {
        let titles = title.len() as f64 * LINE + if title.is_empty() { 0.0 } else { BELOW_HEADING };
        for (from, lines, ink) in [(titles, heading, INK), (0.0, title, FAINT_INK)] {
            let below = lines.len().saturating_sub(1) as f64;
            let at = (left, top - BELOW_TEXT - from - below * LINE);
            sheet.lines(lines, at, LINE, text(LABEL, ink, BOTTOM_LEFT));
        }
    }

    fn draw_panel(&self, panel: &Panel, sheet: &Sheet<'_>, (left, top): Point) {
        let high = self.outside() + self.plot;
        let area = sheet.area.clone();
        let area = &area.shrink((fine(left), fine(top)), (fine(self.width), fine(high)));
        let length = self.plot_wide();
        let room = panel.x.labels_wide() + 10.0;
        let rows = self.label_rows();
        let x = match rows {
            1 => panel.x.thinned(length, room),
            _ => panel.x.clone().with_ticks([]),
        };
        let x = x.within(length, LAST_TICK);
        let names = self.names_of_rows(panel);
        let y = match names {
            Some(_) => panel.y.clone().with_ticks([]),
            None => panel.y.thinned(self.plot, LABEL + 3.0),
        };
        let ticks = [x.ticks(), y.ticks()];
        // Lines of a grid would hide the signs of cells.
        let grid = if panel.cells.is_empty() { 1.0 } else { 0.0 };
        let plot = ChartBuilder::on(area)
            .x_label_area_size(fine(self.outside() - self.above_plot()))
            .y_label_area_size(fine(self.y_labels()))
            .margin_right(fine(self.beside()))
            .margin_top(fine(self.above_plot()))
            .build_cartesian_2d(x, y);
        let Ok(mut plot) = plot else {
            return;
        };
        if panel.cells.is_empty() {
            draw_rows(panel, &plot, sheet);
        }
        let mut mesh = plot.configure_mesh();
        if self.shared[1].is_empty() {
            mesh.x_desc(panel.x.title.as_str());
        }
        _ = mesh
            .x_labels(ticks[0])
            .y_labels(ticks[1])
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
        draw_cells(panel, &plot, sheet);
        if rows > 1 {
            draw_labels(&panel.x, rows, &plot, sheet);
        }
        for (number, name) in names.iter().flatten().enumerate() {
            draw_name(number, name, &plot, sheet);
        }
        draw_rug(&panel.rug, &plot, sheet);
        for band in &panel.bands {
            let edge = |of: fn(&(f64, f64, f64)) -> Point| {
                let points: Vec<Point> = band.edges.iter().map(of).collect();
                if panel.is_stepped() {
                    steps(&points)
                } else {
                    points
                }
            };
            let low = edge(|&(x, low, _)| (x, low)).into_iter();
            let high = edge(|&(x, _, high)| (x, high)).into_iter().rev();
            let outline: Vec<_> = low.chain(high).collect();
            let style = band.look.colour.mix(TINT).filled();
            _ = plot.draw_series([Polygon::new(outline, style)]);
        }
        let places = places(panel, &plot);
        let depths = depths(panel, &places);
        let size = size(panel, &places);
        for ((series, places), depths) in panel.series.iter().enumerate().zip(&places).zip(&depths)
        {
            let canvas = (&mut plot, sheet);
            draw_series(series, (places, depths), (panel.is_stepped(), size), canvas);
        }
        let names = match self.names {
            Names::Beside => names::beside(panel, &plot),
            Names::Below => {
                let at = (left, top + high + names::ABOVE);
                names::flowing(&panel.legend, at, self.width).0
            }
            Names::Once => Vec::new(),
        };
        names::draw(std::slice::from_ref(panel), sheet, names);
    }
}

/// Writes the name of a row left of a plot.
fn draw_name(row: usize, lines: &[String], plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    let [(left, _), _] = frame(plot);
    let middle = place(plot, (1.0, row as f64)).1;
    sheet.line(&[(left - 4.0, middle), (left, middle)], FAINT_INK, 1.0);
    let above = (lines.len() - 1) as f64 / 2.0;
    let at = (left - 8.0, middle - above * LABEL);
    sheet.lines(lines, at, LABEL, text(LABEL, INK, RIGHT));
}

/// Writes the labels of a horizontal axis below it, in so many rows.
fn draw_labels(scale: &Scale, rows: usize, plot: &Plot<'_, '_>, sheet: &Sheet<'_>) {
    let [_, (_, bottom)] = frame(plot);
    for (number, (value, label)) in scale.labels().enumerate() {
        let x = place(plot, (value, 0.0)).0;
        let end = bottom + 4.0 + (number % rows) as f64 * LABEL_ROW;
        sheet.line(&[(x, bottom), (x, end)], FAINT_INK, 1.0);
        sheet.write(label, (x, end + 3.0), text(LABEL, INK, BELOW));
    }
}

/// Whether a look stands for all these algorithms, `a`, and for more, `a = b`, so that one name is enough.
fn is_part((name, look): &Name, (other, others): &Name) -> bool {
    name != other
        && look == others
        && name
            .split(" = ")
            .all(|part| other.split(" = ").any(|own| own == part))
}

/// The length of a side of a map with these values.
fn side(scale: &Scale, whole: f64, most: f64) -> f64 {
    scale.values().map_or(whole, |values| {
        let values = values as f64;
        values * (whole / values.max(1.0)).min(most)
    })
}
