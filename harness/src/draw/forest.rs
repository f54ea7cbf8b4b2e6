//! Trees that messages use in turn, side by side.

use std::fmt;

use algorithms::internals::execution::Stage;

use super::execution::{Drawing, Execution, Svg};
use super::spanning::Tree;
use crate::base::units::plural;
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, RGBColor};
use crate::draw::chart::svg::{ABOVE, CENTRE, HEADING, MARGIN, RIGHT, Sheet, bold, text};

/// The trees of an execution.
pub struct Forest {
    execution: Execution,
    trees: Vec<Tree>,
    /// The depth of each node in each tree.
    depths: Vec<Vec<u32>>,
}

/// Widest line of text.
const TEXT: usize = 100;

impl Forest {
    /// The trees that items use in turn; `None` if items do not follow that many trees in turn.
    pub fn trees(execution: &Execution, trees: u32) -> Option<Vec<Tree>> {
        let stage = &execution.stage;
        let mut edges = vec![Vec::new(); stage.items as usize];
        execution
            .messages()
            .iter()
            .for_each(|message| edges[message.item as usize].push((message.from, message.to)));
        let tree = |edges: &Vec<(u32, u32)>| {
            Tree::from_sends(
                stage.nodes,
                stage.source.unwrap_or(0),
                edges.iter().copied(),
            )
        };
        let found: Option<Vec<Tree>> = edges.get(..trees as usize)?.iter().map(tree).collect();
        edges.iter_mut().for_each(|edges| edges.sort_unstable());
        let is_in_turn = edges
            .iter()
            .zip(edges.iter().skip(trees as usize))
            .all(|(earlier, later)| earlier == later);
        found.filter(|_| is_in_turn)
    }

    pub fn new(execution: Execution, trees: Vec<Tree>) -> Self {
        let depths = trees.iter().map(|tree| {
            tree.depths()
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect()
        });
        Self {
            depths: depths.collect(),
            execution,
            trees,
        }
    }

    fn height(&self) -> u32 {
        self.depths.iter().flatten().copied().max().unwrap_or(0)
    }

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
    fn column(&self, number: usize) -> Vec<String> {
        let mut lines = vec![format!("tree {number}")];
        let nodes = self.trees[number].outline().into_iter();
        lines.extend(
            nodes.map(|(branches, node)| format!("{branches}{}", self.execution.label(node))),
        );
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
}

/// Between two leaves, between two levels, between two trees.
const LEAF: f64 = 27.0;
const LEVEL: f64 = 62.0;
const BETWEEN: f64 = 40.0;
/// The limit over all trees: some 8,000 pixels hold that many.
const MAX_CIRCLES: u64 = 400;
const RADIUS: f64 = 11.0;
const TOP: f64 = HEADING + 30.0;
const LEFT_EDGE: f64 = MARGIN + 64.0;

impl Drawing for Forest {
    fn heading(&self) -> [String; 2] {
        let Stage { item, items, .. } = self.execution.stage;
        let (trees, items) = (
            plural(self.trees.len() as u64, "tree"),
            plural(items.into(), item),
        );
        let (height, rounds) = (self.height(), plural(self.execution.finish(), "round"));
        let turn = format!("{item} i down tree i mod {}", self.trees.len());
        [
            self.execution.title(),
            format!("{trees} of height at most {height}; {items} in {rounds}, {turn}"),
        ]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<Vec<String>> = (0..self.trees.len())
            .map(|tree| self.column(tree))
            .collect();
        let width = |column: &Vec<String>| column[0].chars().count() + 4;
        let mut rest = columns.as_slice();
        while !rest.is_empty() {
            let mut room = TEXT;
            let fits = rest.iter().take_while(|column| {
                let fits = width(column) <= room;
                room = room.saturating_sub(width(column));
                fits
            });
            let (line, later) = rest.split_at(fits.count().max(1));
            rest = later;
            // All trees span the same nodes, so their columns are equally long.
            for number in 0..line[0].len() {
                let row: Vec<&str> = line.iter().map(|column| column[number].as_str()).collect();
                writeln!(f, "{}", row.join("    ").trim_end())?;
            }
            if !rest.is_empty() {
                writeln!(f)?;
            }
        }
        Ok(())
    }

    fn too_large(&self) -> Option<String> {
        let circles = u64::from(self.execution.stage.nodes) * self.trees.len() as u64;
        (circles > MAX_CIRCLES).then(|| {
            format!("{circles} nodes in all trees are too many to draw legibly; expected n*k of at most {MAX_CIRCLES}")
        })
    }

    /// A level for each round after a message's release.
    fn to_svg(&self) -> Svg {
        let positions: Vec<Vec<f64>> = self
            .trees
            .iter()
            .map(|tree| tree.positions(f64::midpoint))
            .collect();
        let widths: Vec<f64> = positions
            .iter()
            .map(|positions| LEAF * (positions.iter().copied().fold(0.0, f64::max) + 1.0))
            .collect();
        let width = widths.iter().map(|width| width + BETWEEN).sum::<f64>() + LEFT_EDGE;
        let bottom = TOP + LEVEL * f64::from(self.height()) + 40.0;
        self.picture((width, bottom + 34.0), CAPTION, |sheet| {
            for round in 1..=self.height() {
                let y = TOP + 16.0 + LEVEL * f64::from(round);
                sheet.line(&[(LEFT_EDGE - 4.0, y), (width - MARGIN, y)], GRID, 1.0);
                sheet.write(
                    format!("round {round}"),
                    (LEFT_EDGE - 10.0, y),
                    text(12.0, FAINT_INK, RIGHT),
                );
            }
            let mut left = LEFT_EDGE;
            for (tree, (positions, width)) in positions.iter().zip(&widths).enumerate() {
                self.draw_tree(sheet, tree, positions, left);
                left += width + BETWEEN;
            }
        })
    }
}

const CAPTION: &str = "Round 1 is the round in which a message is released. A node has the colour of the tree in which it forwards; grey: several trees.";

fn colour(tree: usize) -> RGBColor {
    Look::ALL[tree % 5].colour
}

impl Forest {
    fn draw_tree(&self, sheet: &Sheet<'_>, number: usize, positions: &[f64], left: f64) {
        let tree = &self.trees[number];
        let at = |node: u32| {
            let down = LEVEL * f64::from(self.depths[number][node as usize]);
            (
                left + LEAF * (positions[node as usize] + 0.5),
                TOP + 16.0 + down,
            )
        };
        let name = (at(tree.root).0, at(tree.root).1 - RADIUS - 6.0);
        sheet.write(format!("tree {number}"), name, bold(12.0, INK, ABOVE));
        for node in 0..self.execution.stage.nodes {
            tree.children(node)
                .iter()
                .for_each(|&child| sheet.line(&[at(node), at(child)], FAINT_INK, 1.0));
        }
        for node in 0..self.execution.stage.nodes {
            let fill = self.fill(node);
            sheet.disc(at(node), RADIUS, fill, (FAINT_INK, 1.0));
            let ink = if fill == PAPER { INK } else { PAPER };
            sheet.write(
                self.execution.label(node),
                at(node),
                text(10.0, ink, CENTRE),
            );
        }
    }
}
