//! The k spanning trees of a broadcast, side by side.

use std::fmt;

use algorithms::multiport::Trees;
use plotters::prelude::Circle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::outline::outline;
use super::{Drawing, pixels};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::plural;

/// The trees of an algorithm for n nodes and k ports.
pub struct Forest {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The trees.
    pub trees: Trees,
    /// Messages, dealt out to the trees in turn.
    pub m: u64,
    /// In how many rounds all nodes hold all of them.
    pub rounds: u64,
}

/// Widest line of text.
const TEXT: usize = 100;

impl Forest {
    fn title(&self) -> String {
        let (n, k) = (plural(self.trees.nodes().into(), "node"), plural(self.trees.trees().into(), "port"));
        format!("{}: {n}, {k}", self.algorithm)
    }

    fn subtitle(&self) -> String {
        let rounds = plural(self.rounds, "round");
        let (trees, height) = (plural(self.trees.trees().into(), "tree"), self.trees.height());
        format!(
            "{trees} of height at most {height}; {} in {rounds}, message i down tree i mod {}",
            plural(self.m, "message"),
            self.trees.trees()
        )
    }

    /// What a node is filled with: the colour of the tree in which it sends on, if that is one.
    fn fill(&self, node: u32) -> RGBColor {
        let mut inner = (0..self.trees.trees()).filter(|&tree| !self.trees.children(tree, node).is_empty());
        match (node, inner.next(), inner.next()) {
            (0, ..) => INK,
            (_, None, _) => PAPER,
            (_, Some(tree), None) => colour(tree),
            (_, Some(_), Some(_)) => FAINT_INK,
        }
    }

    /// A tree as lines of one width.
    fn column(&self, tree: u32) -> Vec<String> {
        let mut lines = vec![format!("tree {tree}")];
        lines.extend(outline(0, |node| self.trees.children(tree, node)).into_iter().map(|(line, _)| line));
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        lines.into_iter().map(|line| format!("{line:<width$}")).collect()
    }
}

impl fmt::Display for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        let columns: Vec<Vec<String>> = (0..self.trees.trees()).map(|tree| self.column(tree)).collect();
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
/// In all trees together: as many as some eight thousand pixels hold.
const MAX_CIRCLES: u64 = 400;
const RADIUS: f64 = 11.0;
const TOP: f64 = HEADING + 30.0;
const LEFT: f64 = MARGIN + 64.0;

impl Drawing for Forest {
    fn too_large(&self) -> Option<String> {
        let circles = u64::from(self.trees.nodes()) * u64::from(self.trees.trees());
        (circles > MAX_CIRCLES).then(|| {
            format!("{circles} nodes in all trees are too many to draw legibly; expected n*k of at most {MAX_CIRCLES}")
        })
    }

    /// A level for each round after the message's release; a node has the colour of the tree in which it sends on.
    fn to_svg(&self) -> Result<String, ChartError> {
        let places: Vec<Vec<f64>> = (0..self.trees.trees()).map(|tree| self.places(tree)).collect();
        let widths: Vec<f64> =
            places.iter().map(|places| LEAF * (places.iter().copied().fold(0.0, f64::max) + 1.0)).collect();
        let width = widths.iter().map(|width| width + BETWEEN).sum::<f64>() + LEFT;
        let bottom = TOP + LEVEL * f64::from(self.trees.height()) + 40.0;
        let longest = text_width(&self.subtitle(), SUBTITLE).max(text_width(TOLD, 12.0)) + 2.0 * MARGIN;
        picture(pixels(width.max(longest), bottom + 34.0), (&self.title(), &self.subtitle()), TOLD, |sheet| {
            for round in 1..=self.trees.height() {
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
            for (tree, (places, width)) in (0u32..).zip(places.iter().zip(&widths)) {
                self.draw_tree(sheet, tree, places, left)?;
                left += width + BETWEEN;
            }
            write(sheet, TOLD, (MARGIN, bottom + 10.0), &text(12.0, FAINT_INK, HPos::Left, VPos::Center))
        })
    }
}

const TOLD: &str =
    "Round 1 is that of a message's release. A node has the colour of the tree in which it sends on, grey of several.";

fn colour(tree: u32) -> RGBColor {
    let looks = [Look::FIRST, Look::SECOND, Look::THIRD, Look::FOURTH, Look::FIFTH];
    looks[tree as usize % looks.len()].colour
}

impl Forest {
    /// Horizontal places in distances of leaves, a parent above the middle of its children.
    fn places(&self, tree: u32) -> Vec<f64> {
        let mut places = vec![0.0; self.trees.nodes() as usize];
        let preorder: Vec<u32> =
            outline(0, |node| self.trees.children(tree, node)).into_iter().map(|(_, node)| node).collect();
        let mut leaves = 0.0;
        for &node in &preorder {
            if self.trees.children(tree, node).is_empty() {
                places[node as usize] = leaves;
                leaves += 1.0;
            }
        }
        // Children come after their parent in preorder, so from the end they are placed first.
        for &node in preorder.iter().rev() {
            if let [first, .., last] | [first @ last] = self.trees.children(tree, node) {
                places[node as usize] = f64::midpoint(places[*first as usize], places[*last as usize]);
            }
        }
        places
    }

    fn draw_tree(&self, sheet: &Sheet<'_>, tree: u32, places: &[f64], left: f64) -> Result<(), ChartError> {
        let at = |node: u32| {
            let down = LEVEL * f64::from(self.trees.depth(tree, node));
            (left + LEAF * (places[node as usize] + 0.5), TOP + 16.0 + down)
        };
        let name = (at(0).0, at(0).1 - RADIUS - 6.0);
        write(sheet, &format!("tree {tree}"), name, &bold(12.0, INK, HPos::Center, VPos::Bottom))?;
        for node in 0..self.trees.nodes() {
            for &child in self.trees.children(tree, node) {
                line(sheet, &[at(node), at(child)], FAINT_INK, 1.0)?;
            }
        }
        for node in 0..self.trees.nodes() {
            let (x, y) = at(node);
            let centre = (fine(x), fine(y));
            let fill = self.fill(node);
            sheet.draw(&Circle::new(centre, fine(RADIUS), fill.filled())).map_err(drawing)?;
            sheet.draw(&Circle::new(centre, fine(RADIUS), stroke(FAINT_INK, 1.0))).map_err(drawing)?;
            let ink = if fill == PAPER { INK } else { PAPER };
            write(sheet, &node.to_string(), (x, y), &text(10.0, ink, HPos::Center, VPos::Center))?;
        }
        Ok(())
    }
}
