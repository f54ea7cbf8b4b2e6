//! A broadcast on k ports round by round: which node gets which message from whom.

use std::fmt;

use algorithms::multiport::Transfer;
use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{Drawing, pixels, too_many_nodes};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{HEADING, MARGIN, SUBTITLE, bold, drawing, fine, picture, stroke, text, text_width, write};
use crate::units::plural;

/// An executed broadcast.
pub struct Deliveries {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Nodes, the source included.
    pub n: u32,
    /// Ports.
    pub k: u32,
    /// Messages.
    pub m: u32,
    /// What is sent, by round.
    pub rounds: Vec<Vec<Transfer>>,
}

impl Deliveries {
    fn title(&self) -> String {
        let (n, k) = (plural(self.n.into(), "node"), plural(self.k.into(), "port"));
        format!("{}: {n}, {k}, {}", self.algorithm, plural(self.m.into(), "message"))
    }

    fn subtitle(&self) -> String {
        let sends: u64 = self.rounds.iter().map(|round| round.len() as u64).sum();
        format!(
            "{}, {}; 3<0 is message 3 from node 0",
            plural(self.rounds.len() as u64, "round"),
            plural(sends, "send")
        )
    }

    /// What each node gets in a round.
    fn received(&self, round: &[Transfer]) -> Vec<Vec<Transfer>> {
        let mut received = vec![Vec::new(); self.n as usize];
        round.iter().for_each(|send| received[send.to as usize].push(*send));
        received
    }
}

fn cell(sends: &[Transfer]) -> String {
    sends.iter().map(|send| format!("{}<{}", send.message, send.from)).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        writeln!(f)?;
        let rows: Vec<Vec<String>> =
            self.rounds.iter().map(|round| self.received(round).iter().map(|sends| cell(sends)).collect()).collect();
        let width = |node: usize| {
            let widest = rows.iter().map(|row| row[node].len()).max().unwrap_or(0);
            widest.max(node.to_string().len()) + 2
        };
        // The source gets nothing.
        let widths: Vec<usize> = (1..self.n as usize).map(width).collect();
        let heading = (1..).zip(&widths).map(|(node, &width)| format!("{node:>width$}")).collect::<String>();
        writeln!(f, "what each node receives, messages by number")?;
        writeln!(f, "round{heading}")?;
        for (number, row) in rows.iter().enumerate() {
            let cells =
                row[1..].iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect::<String>();
            writeln!(f, "{}", format!("{:>5}{cells}", number + 1).trim_end())?;
        }
        Ok(())
    }
}

/// What a picture holds at most.
const MAX_ROUNDS: usize = 128;
const MAX_SENDS: usize = 4096;
const TOP: f64 = HEADING + 44.0;
const ROW: f64 = 26.0;
const LEFT: f64 = MARGIN + 54.0;

impl Drawing for Deliveries {
    fn too_large(&self) -> Option<String> {
        let (rounds, sends) = (self.rounds.len(), self.rounds.iter().map(Vec::len).sum::<usize>());
        let too_many = || {
            format!(
                "{rounds} rounds with {sends} sends are too many to draw legibly; expected at most {MAX_ROUNDS} and {MAX_SENDS}"
            )
        };
        too_many_nodes(self.n, 64).or_else(|| (rounds > MAX_ROUNDS || sends > MAX_SENDS).then(too_many))
    }

    /// A row for each round and a column for each node; a cell with one message has its colour.
    fn to_svg(&self) -> Result<String, ChartError> {
        let rows: Vec<_> = self.rounds.iter().map(|round| self.received(round)).collect();
        let widest = rows.iter().flatten().map(|sends| cell(sends).len()).max().unwrap_or(0).max(3);
        let column = widest as f64 * 7.2 + 10.0;
        let width = LEFT + column * f64::from(self.n - 1) + MARGIN;
        let longest = text_width(&self.subtitle(), SUBTITLE) + 2.0 * MARGIN;
        let size = pixels(width.max(longest), TOP + ROW * rows.len() as f64 + MARGIN);
        let x = |node: usize| LEFT + column * (node as f64 - 0.5);
        let y = |round: usize| TOP + ROW * (round as f64 + 0.5);
        picture(size, (&self.title(), &self.subtitle()), "", |sheet| {
            for node in 1..self.n as usize {
                let style = bold(12.0, INK, HPos::Center, VPos::Bottom);
                write(sheet, &node.to_string(), (x(node), TOP - 8.0), &style)?;
            }
            for (number, row) in rows.iter().enumerate() {
                let style = text(12.0, FAINT_INK, HPos::Right, VPos::Center);
                write(sheet, &format!("round {}", number + 1), (LEFT - 6.0, y(number)), &style)?;
                for (node, sends) in row.iter().enumerate().skip(1) {
                    let corner = |side: f64| (fine(x(node) + side * column / 2.0), fine(y(number) + side * ROW / 2.0));
                    let corners = [corner(-1.0), corner(1.0)];
                    if let [only] = sends.as_slice() {
                        sheet.draw(&Rectangle::new(corners, tint(only.message).filled())).map_err(drawing)?;
                    }
                    sheet.draw(&Rectangle::new(corners, stroke(GRID, 1.0))).map_err(drawing)?;
                    write(sheet, &cell(sends), (x(node), y(number)), &text(12.0, INK, HPos::Center, VPos::Center))?;
                }
            }
            Ok(())
        })
    }
}

/// A light colour for a message.
fn tint(message: u32) -> RGBColor {
    let looks = [Look::FIRST, Look::SECOND, Look::THIRD, Look::FOURTH, Look::FIFTH];
    let RGBColor(r, g, b) = looks[message as usize % looks.len()].colour;
    let light = |ink: u8, paper: u8| paper - (paper - ink) / 3;
    RGBColor(light(r, PAPER.0), light(g, PAPER.1), light(b, PAPER.2))
}
