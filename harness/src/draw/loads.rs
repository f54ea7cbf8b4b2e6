//! Message counts: per link of a mesh as a heat map, and per pair of ranks as a matrix.

use std::collections::BTreeMap;
use std::fmt;

use algorithms::internals::execution::What;

use super::execution::{Drawing, Execution, Mesh, Svg, shade, too_many};
use crate::base::units::{grouped, plural};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{
    ABOVE, CENTRE, HEADING, LEFT, MARGIN, RIGHT, Sheet, direction, moved, text, text_width,
};

/// Message counts by sender and receiver, or by the ends of the links.
struct Loads {
    execution: Execution,
    counts: BTreeMap<(u32, u32), u64>,
    most: u64,
}

impl Loads {
    fn new(execution: Execution, counted: What) -> Self {
        let mut counts = BTreeMap::new();
        for event in execution.events_of(counted) {
            *counts.entry((event.node, event.peer)).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        Self {
            execution,
            counts,
            most,
        }
    }

    fn count(&self, from: u32, to: u32) -> u64 {
        self.counts.get(&(from, to)).copied().unwrap_or(0)
    }

    fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The first pair with the most messages in words, if there is one.
    fn heaviest(&self, before: &str, name: impl Fn(u32) -> String) -> String {
        let mut pairs = self.counts.iter();
        let heaviest = pairs.find(|(_, count)| **count == self.most);
        heaviest.map_or_else(String::new, |((from, to), most)| {
            let [from, to] = [from, to].map(|node| name(*node));
            format!("; the most, {}, {before} {from} to {to}", grouped(*most))
        })
    }

    /// From light to dark; 0 is white.
    fn colour(&self, count: u64) -> RGBColor {
        if count == 0 {
            PAPER
        } else {
            shade(0.15 + 0.85 * count as f64 / self.most.max(1) as f64, DARK)
        }
    }

    /// Swatches from none to the most.
    fn draw_legend(&self, sheet: &Sheet<'_>, (x, y): Point) {
        let mut counts: Vec<u64> = (0..=4).map(|quarter| self.most * quarter / 4).collect();
        counts.dedup();
        let counts = counts
            .into_iter()
            .map(|count| (grouped(count), self.colour(count)));
        sheet.legend((x, y), [16.0, 14.0, 12.0], counts, |x, colour| {
            sheet.rectangle(
                [(x, y - 6.0), (x + 16.0, y + 6.0)],
                colour,
                Some((FAINT_INK, 0.6)),
            );
        });
    }
}

const DARK: RGBColor = RGBColor(0x3f, 0x00, 0x7d);
const LABEL: f64 = 11.0;
const TOP: f64 = HEADING + 34.0;
/// The largest mesh with numbers at its links; on a larger one they would touch.
const MOST_NUMBERED: u32 = 100;

/// A mesh, its links in the colours of their loads.
pub struct Links {
    loads: Loads,
    mesh: Mesh,
}

impl Links {
    pub fn new(execution: Execution) -> Self {
        Self {
            mesh: Mesh::new(&execution.stage),
            loads: Loads::new(execution, What::Cross),
        }
    }

    /// Loads there and back.
    fn both(&self, node: u32, next: u32) -> String {
        match (self.loads.count(node, next), self.loads.count(next, node)) {
            (0, 0) => ".".to_owned(),
            (there, back) => format!("{there}/{back}"),
        }
    }
}

impl Drawing for Links {
    fn heading(&self) -> [String; 2] {
        let (loads, links) = (&self.loads, 2 * self.mesh.links().count() as u64);
        let at = |node: u32| format!("({},{})", node % self.mesh.w, node / self.mesh.w);
        let most = loads.heaviest("over", at);
        let (used, crossings) = (
            grouped(loads.counts.len() as u64),
            plural(loads.total(), "crossing"),
        );
        [
            loads.execution.title(),
            format!("{crossings} of {used} of {}{most}", plural(links, "link")),
        ]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mesh { w, h } = self.mesh;
        let width = self
            .mesh
            .links()
            .map(|(node, next)| self.both(node, next).len())
            .max()
            .unwrap_or(1);
        for y in (0..h).rev() {
            let node = |x: u32| y * w + x;
            if y + 1 < h {
                let up: Vec<String> = (0..w)
                    .map(|x| format!("{:<width$}", self.both(node(x), node(x) + w)))
                    .collect();
                writeln!(f, "  {}", up.join("   ").trim_end())?;
            }
            let right =
                (0..w - 1).map(|x| format!("o {:^width$} ", self.both(node(x), node(x) + 1)));
            writeln!(f, "  {}o", right.collect::<String>())?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "3/1: three messages to the right or up, one to the left or down; . none; row 0 at the bottom"
        )
    }

    fn too_large(&self) -> Option<String> {
        too_many("node", self.mesh.nodes(), 1024)
    }

    fn to_svg(&self) -> Svg {
        let is_numbered = self.mesh.nodes() <= MOST_NUMBERED;
        let pitch = if is_numbered { 64.0 } else { 28.0 };
        let at = |node: u32| self.mesh.at(node, (MARGIN + 20.0, TOP), pitch);
        let [wide, high] = self.mesh.size(pitch);
        let caption = "messages per link; of the two links between neighbours, the lower one leads right, the right one up";
        let size = (wide + 2.0 * MARGIN + 40.0, TOP + high + 86.0);
        self.picture(size, caption, |sheet| {
            for (node, next) in self.mesh.links() {
                for (from, to) in [(node, next), (next, node)] {
                    self.draw_link(
                        sheet,
                        (at(from), at(to)),
                        self.loads.count(from, to),
                        is_numbered,
                    );
                }
            }
            for node in 0..self.mesh.nodes() {
                let is_source = self.loads.execution.stage.source == Some(node);
                let fill = if is_source { INK } else { PAPER };
                sheet.disc(at(node), 5.0, fill, (FAINT_INK, 1.0));
            }
            self.loads.draw_legend(sheet, (MARGIN, TOP + high + 44.0));
        })
    }
}

impl Links {
    /// One of the two links between neighbours, drawn to the right of its direction.
    fn draw_link(
        &self,
        sheet: &Sheet<'_>,
        (from, to): (Point, Point),
        count: u64,
        is_numbered: bool,
    ) {
        let way = direction([from, to]);
        let ends = [moved(from, way, 5.0, 3.2), moved(to, way, -5.0, 3.2)];
        let (colour, width) = if count == 0 {
            (GRID, 1.0)
        } else {
            (self.loads.colour(count), 4.4)
        };
        sheet.line(&ends, colour, width);
        if is_numbered && count > 0 {
            let middle = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
            let position = moved(middle, way, 0.0, 13.0);
            sheet.write(grouped(count), position, text(LABEL, FAINT_INK, CENTRE));
        }
    }
}

/// A row for each sender, a column for each receiver.
pub struct Matrix(Loads);

impl Matrix {
    pub fn new(execution: Execution) -> Self {
        // Executions without sends consist of crossings of links.
        let has_sends = execution.events_of(What::Send).next().is_some();
        Self(Loads::new(
            execution,
            if has_sends { What::Send } else { What::Cross },
        ))
    }

    /// The nodes in the order of rows and columns; the first one of a group has its name.
    fn order(&self) -> Vec<(u32, Option<String>)> {
        let named = |(name, nodes): (String, Vec<u32>)| {
            let name = std::iter::once(Some(name).filter(|name| !name.is_empty()));
            nodes.into_iter().zip(name.chain(std::iter::repeat(None)))
        };
        self.0
            .execution
            .groups()
            .into_iter()
            .flat_map(named)
            .collect()
    }

    fn sum(&self, pairs: impl Iterator<Item = (u32, u32)>) -> u64 {
        pairs.map(|(from, to)| self.0.count(from, to)).sum()
    }
}

impl Drawing for Matrix {
    fn heading(&self) -> [String; 2] {
        let loads = &self.0;
        let label = |node| loads.execution.label(node).to_string();
        let most = loads.heaviest("from", label);
        let (pairs, messages) = (
            plural(loads.counts.len() as u64, "pair"),
            plural(loads.total(), "message"),
        );
        [
            loads.execution.title(),
            format!("{messages} between {pairs}{most}"),
        ]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.order();
        let nodes = || order.iter().map(|(node, _)| *node);
        let label = |node: u32| self.0.execution.label(node).to_string();
        let sent = |from: u32| self.sum(nodes().map(|to| (from, to)));
        let received = |to: u32| self.sum(nodes().map(|from| (from, to)));
        let all = nodes()
            .map(|node| received(node).max(sent(node)))
            .max()
            .unwrap_or(0);
        let width = nodes()
            .map(|node| label(node).len())
            .max()
            .unwrap_or(1)
            .max(all.to_string().len());
        let cells = |cell: &dyn Fn(u32) -> String| -> String {
            let before = |name: &Option<String>| if name.is_some() { "  " } else { " " };
            order
                .iter()
                .map(|(node, name)| format!("{}{:>width$}", before(name), cell(*node)))
                .collect()
        };
        writeln!(f, "  from \\ to {}   sent", cells(&label))?;
        for (from, name) in &order {
            if let Some(name) = name {
                writeln!(f, "  {name}")?;
            }
            let from = *from;
            let row = cells(&|to| match self.0.count(from, to) {
                0 => ".".to_owned(),
                count => count.to_string(),
            });
            writeln!(f, "  {:>9} {row} {:>6}", label(from), sent(from))?;
        }
        writeln!(f, "   received {}", cells(&|to| received(to).to_string()))
    }

    fn to_svg(&self) -> Svg {
        let (loads, order) = (&self.0, self.order());
        let side = if order.len() <= 24 { 26.0 } else { 14.0 };
        let corner = (MARGIN + 46.0, TOP + 22.0);
        let extent = side * order.len() as f64;
        let names = order.iter().filter_map(|(_, name)| name.as_ref());
        let aside = names
            .map(|name| 12.0 + text_width(name, 12.0))
            .fold(0.0, f64::max);
        let caption = "messages; one row per sender, one column per receiver";
        let size = (corner.0 + extent + aside + MARGIN, corner.1 + extent + 68.0);
        let step = order.len().div_ceil(32).max(1);
        self.picture(size, caption, |sheet| {
            for (row, &(from, _)) in order.iter().enumerate() {
                let y = corner.1 + side * row as f64;
                if row % step == 0 {
                    let (row, column) = (
                        (corner.0 - 6.0, y + side / 2.0),
                        corner.0 + y - corner.1 + side / 2.0,
                    );
                    let label = loads.execution.label(from).to_string();
                    sheet.write(&label, row, text(LABEL, FAINT_INK, RIGHT));
                    sheet.write(
                        label,
                        (column, corner.1 - 4.0),
                        text(LABEL, FAINT_INK, ABOVE),
                    );
                }
                for (column, &(to, _)) in order.iter().enumerate() {
                    self.draw_cell(
                        sheet,
                        (corner.0 + side * column as f64, y),
                        side,
                        loads.count(from, to),
                    );
                }
            }
            for (row, name) in (0..)
                .zip(&order)
                .filter_map(|(row, (_, name))| Some((f64::from(row), name.as_ref()?)))
            {
                let [x, y] = [corner.0, corner.1].map(|corner| corner + side * row);
                sheet.line(&[(corner.0, y), (corner.0 + extent, y)], INK, 1.5);
                sheet.line(&[(x, corner.1), (x, corner.1 + extent)], INK, 1.5);
                let position = (corner.0 + extent + 8.0, y + side / 2.0);
                sheet.write(name, position, text(12.0, INK, LEFT));
            }
            loads.draw_legend(sheet, (MARGIN, corner.1 + extent + 26.0));
        })
    }
}

impl Matrix {
    fn draw_cell(&self, sheet: &Sheet<'_>, (x, y): Point, side: f64, count: u64) {
        sheet.rectangle(
            [(x, y), (x + side, y + side)],
            self.0.colour(count),
            Some((GRID, 0.8)),
        );
        if count > 0 && side >= 20.0 {
            let ink = if 2 * count > self.0.most { PAPER } else { INK };
            sheet.write(
                grouped(count),
                (x + side / 2.0, y + side / 2.0),
                text(LABEL, ink, CENTRE),
            );
        }
    }
}
