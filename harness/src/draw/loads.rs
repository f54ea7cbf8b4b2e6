//! Message counts: per link of a mesh as a heat map, and per pair of ranks as a matrix.

use std::collections::BTreeMap;

use algorithms::internals::execution::What;

use super::execution::{Drawing, Execution, Mesh, loaded};
use crate::base::units::{grouped, joined, plural};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{
    ABOVE, CENTRE, HEADING, LEFT, MARGIN, RIGHT, Sheet, direction, middle, moved, text, text_width,
};

/// Message counts by sender and receiver, or by the ends of the links.
struct Loads {
    counts: BTreeMap<(u32, u32), u64>,
    most: u64,
}

impl Loads {
    fn new(execution: &Execution, counted: What) -> Self {
        let mut counts = BTreeMap::new();
        for event in execution.events_of(counted) {
            *counts.entry((event.node, event.peer)).or_default() += 1;
        }
        let most = counts.values().copied().max().unwrap_or(0);
        Self { counts, most }
    }

    fn count(&self, from: u32, to: u32) -> u64 {
        self.counts.get(&(from, to)).copied().unwrap_or(0)
    }

    fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The first pair with the most messages in words, if there is one.
    fn heaviest(&self, before: &str, name: impl Fn(u32) -> String) -> String {
        self.counts
            .iter()
            .find(|(_, count)| **count == self.most)
            .map_or_else(String::new, |((from, to), most)| {
                let [from, to] = [from, to].map(|node| name(*node));
                format!("; the most, {}, {before} {from} to {to}", grouped(*most))
            })
    }

    fn colour(&self, count: u64) -> RGBColor {
        loaded(count as f64 / self.most.max(1) as f64)
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

const LABEL: f64 = 11.0;
const TOP: f64 = HEADING + 34.0;
/// The largest mesh with numbers at its links; on a larger one they would touch.
const MOST_NUMBERED: u32 = 100;

/// A mesh, its links in the colours of their loads.
pub fn links(execution: &Execution) -> Drawing<'_> {
    let mesh = Mesh::new(&execution.stage);
    let loads = Loads::new(execution, What::Cross);
    let place = |node: u32| format!("({},{})", node % mesh.w, node / mesh.w);
    let subtitle = format!(
        "{} of {} of {}{}",
        plural(loads.total(), "crossing"),
        grouped(loads.counts.len() as u64),
        plural(2 * mesh.links().count() as u64, "link"),
        loads.heaviest("over", place)
    );
    let is_numbered = mesh.nodes() <= MOST_NUMBERED;
    let pitch = if is_numbered { 64.0 } else { 28.0 };
    let at = move |node: u32| mesh.at(node, (MARGIN + 20.0, TOP), pitch);
    let [wide, high] = mesh.size(pitch);
    let caption = "messages per link; of the two links between neighbours, the lower one leads right, the right one up";
    let size = (wide + 2.0 * MARGIN + 40.0, TOP + high + 86.0);
    let heading = [execution.title(), subtitle];
    let lines = lines_of(mesh, &loads);
    Drawing::new(heading, lines, size, caption, move |sheet| {
        for (node, next) in mesh.links() {
            for (from, to) in [(node, next), (next, node)] {
                let count = loads.count(from, to);
                loads.draw_link(sheet, [from, to].map(at), count, is_numbered);
            }
        }
        for node in 0..mesh.nodes() {
            let is_source = execution.stage.source == Some(node);
            let fill = if is_source { INK } else { PAPER };
            sheet.disc(at(node), 5.0, fill, (FAINT_INK, 1.0));
        }
        loads.draw_legend(sheet, (MARGIN, TOP + high + 44.0));
    })
    .with_most("node", mesh.nodes(), 1024)
}

/// Loads there and back beside the nodes of a mesh.
fn lines_of(mesh: Mesh, loads: &Loads) -> Vec<String> {
    let w = mesh.w;
    let h = mesh.h;
    let both = |(node, next)| match (loads.count(node, next), loads.count(next, node)) {
        (0, 0) => ".".to_owned(),
        (there, back) => format!("{there}/{back}"),
    };
    let width = mesh.links().map(|link| both(link).len()).max().unwrap_or(1);
    let mut lines = Vec::new();
    for y in (0..h).rev() {
        let node = |x: u32| y * w + x;
        if y + 1 < h {
            let up = |x| format!("{:<width$}", both((node(x), node(x) + w)));
            let up = joined("   ", (0..w).map(up));
            lines.push(format!("  {}", up.trim_end()));
        }
        let right = |x| format!("o {:^width$} ", both((node(x), node(x) + 1)));
        let right: String = (0..w - 1).map(right).collect();
        lines.push(format!("  {right}o"));
    }
    lines.extend([
        "",
        "3/1: three messages to the right or up, one to the left or down; . none; row 0 at the bottom",
    ].map(str::to_owned));
    lines
}

impl Loads {
    /// One of the two links between neighbours, drawn to the right of its direction.
    fn draw_link(&self, sheet: &Sheet<'_>, ends: [Point; 2], count: u64, is_numbered: bool) {
        let way = direction(ends);
        let [from, to] = ends;
        let line = [moved(from, way, 5.0, 3.2), moved(to, way, -5.0, 3.2)];
        let (colour, width) = if count == 0 {
            (GRID, 1.0)
        } else {
            (self.colour(count), 4.4)
        };
        sheet.line(&line, colour, width);
        if is_numbered && count > 0 {
            let position = moved(middle(ends), way, 0.0, 13.0);
            sheet.write(grouped(count), position, text(LABEL, FAINT_INK, CENTRE));
        }
    }
}

/// A row for each sender, a column for each receiver; the nodes of a group stand together.
pub fn matrix(execution: &Execution) -> Drawing<'_> {
    // Executions without sends consist of crossings of links.
    let has_sends = execution.events_of(What::Send).next().is_some();
    let counted = if has_sends { What::Send } else { What::Cross };
    let loads = Loads::new(execution, counted);
    let label = |node| execution.label(node).to_string();
    let subtitle = format!(
        "{} between {}{}",
        plural(loads.total(), "message"),
        plural(loads.counts.len() as u64, "pair"),
        loads.heaviest("from", label)
    );
    // The first node of a group has its name.
    let order: Order = execution
        .groups()
        .into_iter()
        .flat_map(|(name, nodes)| {
            let name = std::iter::once(Some(name).filter(|name| !name.is_empty()));
            nodes.into_iter().zip(name.chain(std::iter::repeat(None)))
        })
        .collect();
    let side = if order.len() <= 24 { 26.0 } else { 14.0 };
    let corner = (MARGIN + 46.0, TOP + 22.0);
    let extent = side * order.len() as f64;
    let aside = order
        .iter()
        .filter_map(|(_, name)| name.as_ref())
        .map(|name| 12.0 + text_width(name, 12.0))
        .fold(0.0, f64::max);
    let caption = "messages; one row per sender, one column per receiver";
    let size = (corner.0 + extent + aside + MARGIN, corner.1 + extent + 68.0);
    let step = order.len().div_ceil(32).max(1);
    let heading = [execution.title(), subtitle];
    let lines = loads.rows(&order, label);
    Drawing::new(heading, lines, size, caption, move |sheet| {
        for (row, &(from, _)) in order.iter().enumerate() {
            let y = corner.1 + side * row as f64;
            if row % step == 0 {
                let middle = y + side / 2.0;
                let across = (corner.0 + y - corner.1 + side / 2.0, corner.1 - 4.0);
                let label = label(from);
                sheet.write(
                    &label,
                    (corner.0 - 6.0, middle),
                    text(LABEL, FAINT_INK, RIGHT),
                );
                sheet.write(label, across, text(LABEL, FAINT_INK, ABOVE));
            }
            for (column, &(to, _)) in order.iter().enumerate() {
                let at = (corner.0 + side * column as f64, y);
                loads.draw_cell(sheet, at, side, loads.count(from, to));
            }
        }
        for (row, name) in order
            .iter()
            .enumerate()
            .filter_map(|(row, (_, name))| Some((row, name.as_ref()?)))
        {
            let [x, y] = [corner.0, corner.1].map(|corner| corner + side * row as f64);
            sheet.line(&[(corner.0, y), (corner.0 + extent, y)], INK, 1.5);
            sheet.line(&[(x, corner.1), (x, corner.1 + extent)], INK, 1.5);
            let position = (corner.0 + extent + 8.0, y + side / 2.0);
            sheet.write(name, position, text(12.0, INK, LEFT));
        }
        loads.draw_legend(sheet, (MARGIN, corner.1 + extent + 26.0));
    })
}

/// The nodes in the order of rows and columns; the first one of a group has its name.
type Order = Vec<(u32, Option<String>)>;

impl Loads {
    fn rows(&self, order: &Order, label: impl Fn(u32) -> String) -> Vec<String> {
        let nodes = || order.iter().map(|(node, _)| *node);
        let sent = |from: u32| nodes().map(|to| self.count(from, to)).sum::<u64>();
        let received = |to: u32| nodes().map(|from| self.count(from, to)).sum::<u64>();
        let width = nodes()
            .flat_map(|node| {
                let sums = [received(node), sent(node)].map(|sum| sum.to_string());
                sums.into_iter().chain([label(node)])
            })
            .map(|text| text.len())
            .max()
            .unwrap_or(1);
        let cells = |cell: &dyn Fn(u32) -> String| -> String {
            order
                .iter()
                .map(|(node, name)| {
                    let before = if name.is_some() { "  " } else { " " };
                    format!("{before}{:>width$}", cell(*node))
                })
                .collect()
        };
        let mut lines = vec![format!("  from \\ to {}   sent", cells(&label))];
        for (from, name) in order {
            lines.extend(name.as_ref().map(|name| format!("  {name}")));
            let row = cells(&|to| match self.count(*from, to) {
                0 => ".".to_owned(),
                count => count.to_string(),
            });
            lines.push(format!("  {:>9} {row} {:>6}", label(*from), sent(*from)));
        }
        let received = cells(&|to| received(to).to_string());
        lines.push(format!("   received {received}"));
        lines
    }

    fn draw_cell(&self, sheet: &Sheet<'_>, (x, y): Point, side: f64, count: u64) {
        let corners = [(x, y), (x + side, y + side)];
        sheet.rectangle(corners, self.colour(count), Some((GRID, 0.8)));
        if count > 0 && side >= 20.0 {
            let ink = if 2 * count > self.most { PAPER } else { INK };
            sheet.write(grouped(count), middle(corners), text(LABEL, ink, CENTRE));
        }
    }
}
