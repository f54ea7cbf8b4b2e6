//! Trees that messages use in turn, side by side.

use std::fmt;

use algorithms::internals::execution::Stage;
use plotters::prelude::Circle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::execution::{Drawing, Execution, pixels};
use super::spanning::Tree;
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::plural;

/// The trees of an execution.
pub(super) struct Forest {
    execution: Execution,
    trees: Vec<Tree>,
    /// The depth of each node in each tree.
    depths: Vec<Vec<u32>>,
}

/// Widest line of text.
const TEXT: usize = 100;

impl Forest {
    /// The trees that items use in turn; `None` if items do not follow that many trees in turn.
    pub(super) fn trees(execution: &Execution, trees: u32) -> Option<Vec<Tree>> {
        let stage = &execution.stage;
        let mut edges = vec![Vec::new(); stage.items as usize];
        execution.messages().iter().for_each(|message| edges[message.item as usize].push((message.from, message.to)));
        let tree =
            |edges: &Vec<(u32, u32)>| Tree::from_sends(stage.nodes, stage.source.unwrap_or(0), edges.iter().copied());
        let found: Option<Vec<Tree>> = edges.get(..trees as usize)?.iter().map(tree).collect();
        edges.iter_mut().for_each(|edges| edges.sort_unstable());
        let is_in_turn = edges.iter().zip(edges.iter().skip(trees as usize)).all(|(earlier, later)| earlier == later);
        found.filter(|_| is_in_turn)
    }

    pub(super) fn new(execution: Execution, trees: Vec<Tree>) -> Self {
        let depths = trees.iter().map(|tree| tree.depths().into_iter().map(Option::unwrap_or_default).collect());
        Self { depths: depths.collect(), execution, trees }
    }

    fn subtitle(&self) -> String {
        let Stage { item, items, .. } = self.execution.stage;
        let (trees, items) = (plural(self.trees.len() as u64, "tree"), plural(items.into(), item));
        let rounds = plural(self.execution.finish(), "round");
        format!(
            "{trees} of height at most {}; {items} in {rounds}, {item} i down tree i mod {}",
            self.height(),
            self.trees.len()
        )
    }

    fn height(&self) -> u32 {
        self.depths.iter().flatten().copied().max().unwrap_or(0)
    }

    /// The fill of a node: the colour of the tree in which it forwards, if it forwards in one tree only.
    fn fill(&self, node: u32) -> RGBColor {
        let mut inner = (0..self.trees.len()).filter(|&tree| !self.trees[tree].children(node).is_empty());
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
        lines.extend(nodes.map(|(branches, node)| format!("{branches}{}", self.execution.label(node))));
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        lines.into_iter().map(|line| format!("{line:<width$}")).collect()
    }
}

impl fmt::Display for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.execution.title())?;
        writeln!(f, "{}", self.subtitle())?;
        let columns: Vec<Vec<String>> = (0..self.trees.len()).map(|tree| self.column(tree)).collect();
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
            writeln!(f)?;
            // All trees span the same nodes, so their columns are equally long.
            for number in 0..line[0].len() {
                let row: Vec<&str> = line.iter().map(|column| column[number].as_str()).collect();
                writeln!(f, "{}", row.join("    ").trim_end())?;
            }
        }
        Ok(())
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
const LEFT: f64 = MARGIN + 64.0;

impl Drawing for Forest {
    fn too_large(&self) -> Option<String> {
        let circles = u64::from(self.execution.stage.nodes) * self.trees.len() as u64;
        (circles > MAX_CIRCLES).then(|| {
            format!("{circles} nodes in all trees are too many to draw legibly; expected n*k of at most {MAX_CIRCLES}")
        })
    }

    /// A level for each round after a message's release.
    fn to_svg(&self) -> Result<String, ChartError> {
        let positions: Vec<Vec<f64>> = self.trees.iter().map(|tree| tree.positions(f64::midpoint)).collect();
        let widths: Vec<f64> =
            positions.iter().map(|positions| LEAF * (positions.iter().copied().fold(0.0, f64::max) + 1.0)).collect();
        let width = widths.iter().map(|width| width + BETWEEN).sum::<f64>() + LEFT;
        let bottom = TOP + LEVEL * f64::from(self.height()) + 40.0;
        let longest = text_width(&self.subtitle(), SUBTITLE).max(text_width(CAPTION, 12.0)) + 2.0 * MARGIN;
        picture(
            pixels(width.max(longest), bottom + 34.0),
            (&self.execution.title(), &self.subtitle()),
            CAPTION,
            |sheet| {
                for round in 1..=self.height() {
                    let y = TOP + 16.0 + LEVEL * f64::from(round);
                    line(sheet, &[(LEFT - 4.0, y), (width - MARGIN, y)], GRID, 1.0)?;
                    write(
                        sheet,
                        &format!("round {round}"),
                        (LEFT - 10.0, y),
                        &text(12.0, FAINT_INK, HPos::Right, VPos::Center),
                    )?;
                }
                let mut left = LEFT;
                for (tree, (positions, width)) in positions.iter().zip(&widths).enumerate() {
                    self.draw_tree(sheet, tree, positions, left)?;
                    left += width + BETWEEN;
                }
                write(sheet, CAPTION, (MARGIN, bottom + 10.0), &text(12.0, FAINT_INK, HPos::Left, VPos::Center))
            },
        )
    }
}

const CAPTION: &str = "Round 1 is the round in which a message is released. A node has the colour of the tree in which it forwards; grey: several trees.";

fn colour(tree: usize) -> RGBColor {
    let looks = [Look::FIRST, Look::SECOND, Look::THIRD, Look::FOURTH, Look::FIFTH];
    looks[tree % looks.len()].colour
}

impl Forest {
    fn draw_tree(&self, sheet: &Sheet<'_>, number: usize, positions: &[f64], left: f64) -> Result<(), ChartError> {
        let tree = &self.trees[number];
        let at = |node: u32| {
            let down = LEVEL * f64::from(self.depths[number][node as usize]);
            (left + LEAF * (positions[node as usize] + 0.5), TOP + 16.0 + down)
        };
        let name = (at(tree.root).0, at(tree.root).1 - RADIUS - 6.0);
        write(sheet, &format!("tree {number}"), name, &bold(12.0, INK, HPos::Center, VPos::Bottom))?;
        for node in 0..self.execution.stage.nodes {
            for &child in tree.children(node) {
                line(sheet, &[at(node), at(child)], FAINT_INK, 1.0)?;
            }
        }
        for node in 0..self.execution.stage.nodes {
            let (x, y) = at(node);
            let centre = (fine(x), fine(y));
            let fill = self.fill(node);
            sheet.draw(&Circle::new(centre, fine(RADIUS), fill.filled())).map_err(drawing)?;
            sheet.draw(&Circle::new(centre, fine(RADIUS), stroke(FAINT_INK, 1.0))).map_err(drawing)?;
            let ink = if fill == PAPER { INK } else { PAPER };
            write(
                sheet,
                &self.execution.label(node).to_string(),
                (x, y),
                &text(10.0, ink, HPos::Center, VPos::Center),
            )?;
        }
        Ok(())
    }
}
