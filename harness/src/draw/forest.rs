//! Trees that messages use in turn, side by side.

use algorithms::internals::execution::Stage;

use super::execution::{Drawing, Execution};
use super::spanning::Tree;
use crate::base::units::plural;
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{ABOVE, CENTRE, HEADING, MARGIN, RIGHT, Sheet, bold, text};

/// The trees of an execution.
struct Forest<'a> {
    execution: &'a Execution,
    trees: Vec<Tree>,
}

/// Widest line of text.
const TEXT: usize = 100;
/// Between two leaves, between two levels, between two trees.
const LEAF: f64 = 27.0;
const LEVEL: f64 = 62.0;
const BETWEEN: f64 = 40.0;
/// The limit over all trees: some 8,000 pixels hold that many.
const MAX_CIRCLES: u64 = 400;
const RADIUS: f64 = 11.0;
const TOP: f64 = HEADING + 30.0;
const LEFT_EDGE: f64 = MARGIN + 64.0;
const CAPTION: &str = "Round 1 is the round in which a message is released. A node has the colour of the tree in which it forwards; grey: several trees.";

/// The trees that items of the `whole` execution use in turn, with a level for each round after a message's release; none if
/// items do not follow that many trees in turn.
pub fn drawing<'a>(execution: &'a Execution, whole: &Execution, trees: u32) -> Option<Drawing<'a>> {
    let trees = in_turn(whole, trees as usize)?;
    let own = Forest { execution, trees };
    let depths: Vec<Vec<u32>> = own.trees.iter().map(depths).collect();
    let height = depths.iter().flatten().copied().max().unwrap_or(0);
    let Stage {
        item, items, nodes, ..
    } = execution.stage;
    let count = own.trees.len();
    let trees = plural(count as u64, "tree");
    let items = plural(items.into(), item);
    let rounds = plural(execution.finish(), "round");
    let subtitle = format!(
        "{trees} of height at most {height}; {items} in {rounds}, {item} i down tree i mod {count}"
    );

    let positions: Vec<Vec<f64>> = own
        .trees
        .iter()
        .map(|tree| tree.positions(f64::midpoint))
        .collect();
    let wide = |positions: &Vec<f64>| LEAF * (positions.iter().copied().fold(0.0, f64::max) + 1.0);
    let widths: Vec<f64> = positions.iter().map(wide).collect();
    let width = widths.iter().map(|width| width + BETWEEN).sum::<f64>() + LEFT_EDGE;
    let down = |depth: u32| TOP + 16.0 + LEVEL * f64::from(depth);
    let size = (width, TOP + LEVEL * f64::from(height) + 74.0);
    let heading = [execution.title(), subtitle];
    let drawing = Drawing::new(heading, own.lines(), size, CAPTION, move |sheet| {
        for round in 1..=height {
            let y = down(round);
            sheet.line(&[(LEFT_EDGE - 4.0, y), (width - MARGIN, y)], GRID, 1.0);
            let style = text(12.0, FAINT_INK, RIGHT);
            sheet.write(format!("round {round}"), (LEFT_EDGE - 10.0, y), style);
        }
        let mut left = LEFT_EDGE;
        for number in 0..count {
            let x = |node: usize| left + LEAF * (positions[number][node] + 0.5);
            let y = |node: usize| down(depths[number][node]);
            let at = |node: u32| (x(node as usize), y(node as usize));
            own.draw_tree(sheet, number, at);
            left += widths[number] + BETWEEN;
        }
    });
    let circles = u64::from(nodes) * count as u64;
    let too_large = (circles > MAX_CIRCLES).then(|| {
        format!("{circles} nodes in all trees are too many to draw legibly; expected n*k of at most {MAX_CIRCLES}")
    });
    Some(Drawing {
        too_large,
        ..drawing
    })
}

/// The trees of an execution's items; none if items do not follow so many trees in turn.
fn in_turn(execution: &Execution, trees: usize) -> Option<Vec<Tree>> {
    let mut edges = vec![Vec::new(); execution.stage.items as usize];
    for message in execution.messages() {
        edges[message.send.item as usize].push(message.ends());
    }
    let found: Option<Vec<Tree>> = edges
        .get(..trees)?
        .iter()
        .map(|edges| Tree::from_sends(execution, edges.iter().copied()))
        .collect();
    edges.iter_mut().for_each(|edges| edges.sort_unstable());
    let later = edges.iter().skip(trees);
    found.filter(|_| edges.iter().zip(later).all(|(one, other)| one == other))
}

/// The depth of each node in a tree.
fn depths(tree: &Tree) -> Vec<u32> {
    tree.depths()
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect()
}

fn colour(tree: usize) -> RGBColor {
    Look::ALL[tree % 5].colour
}

impl Forest<'_> {
    /// The fill of a node: the colour of the tree in which it forwards, if it forwards in one tree only.
    fn fill(&self, node: u32) -> RGBColor {
        let mut inner =
            (0..self.trees.len()).filter(|&tree| !self.trees[tree].children(node).is_empty());
        match (inner.next(), inner.next()) {
            _ if self.execution.stage.source == Some(node) => INK,
            (None, _) => PAPER,
            (Some(tree), None) => colour(tree),
            (Some(_), Some(_)) => FAINT_INK,
        }
    }

    /// A tree as lines of one width.
    fn column(&self, (number, tree): (usize, &Tree)) -> Vec<String> {
        let nodes = tree
            .outline(|node| self.execution.label(node))
            .into_iter()
            .map(|(line, _)| line);
        let lines: Vec<String> = [format!("tree {number}")]
            .into_iter()
            .chain(nodes)
            .collect();
        let width = lines
            .iter()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        lines
            .into_iter()
            .map(|line| format!("{line:<width$}"))
            .collect()
    }

    /// All trees, as many beside each other as fit into a line.
    fn lines(&self) -> Vec<String> {
        let columns: Vec<Vec<String>> = self
            .trees
            .iter()
            .enumerate()
            .map(|own| self.column(own))
            .collect();
        let width = |column: &Vec<String>| column[0].chars().count() + 4;
        let mut lines = Vec::new();
        let mut rest = columns.as_slice();
        while !rest.is_empty() {
            let mut room = TEXT;
            let fits = rest.iter().take_while(|column| {
                let fits = width(column) <= room;
                room = room.saturating_sub(width(column));
                fits
            });
            let (own, later) = rest.split_at(fits.count().max(1));
            // All trees span the same nodes, so their columns are equally long.
            lines.extend((0..own[0].len()).map(|number| {
                let row: Vec<&str> = own.iter().map(|column| &*column[number]).collect();
                row.join("    ").trim_end().to_owned()
            }));
            lines.extend((!later.is_empty()).then(String::new));
            rest = later;
        }
        lines
    }

    fn draw_tree(&self, sheet: &Sheet<'_>, number: usize, at: impl Fn(u32) -> Point) {
        let tree = &self.trees[number];
        let nodes = 0..self.execution.stage.nodes;
        let (x, y) = at(tree.root);
        let style = bold(12.0, INK, ABOVE);
        sheet.write(format!("tree {number}"), (x, y - RADIUS - 6.0), style);
        for node in nodes.clone() {
            for &child in tree.children(node) {
                sheet.line(&[at(node), at(child)], FAINT_INK, 1.0);
            }
        }
        for node in nodes {
            let fill = self.fill(node);
            sheet.disc(at(node), RADIUS, fill, (FAINT_INK, 1.0));
            let ink = if fill == PAPER { INK } else { PAPER };
            let label = self.execution.label(node);
            sheet.write(label, at(node), text(10.0, ink, CENTRE));
        }
    }
}
