//! An execution round by round: which node receives which message from which node.

use std::fmt;

use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::execution::{Drawing, Execution, Message, pixels, too_many};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{HEADING, MARGIN, SUBTITLE, bold, drawing, fine, picture, stroke, text, text_width, write};
use crate::units::plural;

/// What nodes receive, by round.
pub(super) struct Deliveries {
    title: String,
    subtitle: String,
    nodes: u32,
    /// The numbers of those that receive.
    receivers: Vec<u32>,
    /// The messages that each of them receives, by round.
    rounds: Vec<Vec<Vec<Message>>>,
    sends: usize,
}

impl Deliveries {
    pub(super) fn new(execution: &Execution) -> Self {
        let stage = &execution.stage;
        // The source receives nothing.
        let receivers: Vec<u32> = (0..stage.nodes).filter(|&node| stage.source != Some(node)).collect();
        let mut columns = vec![None; stage.nodes as usize];
        receivers.iter().enumerate().for_each(|(column, &node)| columns[node as usize] = Some(column));
        let messages = execution.messages();
        let count = usize::try_from(execution.finish()).unwrap_or_default();
        let mut rounds = vec![vec![Vec::new(); receivers.len()]; count];
        for message in &messages {
            // Round r ends at time r.
            let round = usize::try_from(message.held.saturating_sub(1)).unwrap_or_default();
            if let Some(column) = columns[message.to as usize] {
                rounds[round][column].push(Message { from: execution.label(message.from), ..*message });
            }
        }
        let title = format!("{}, {}", execution.title(), plural(stage.items.into(), stage.item));
        let subtitle = format!(
            "{}, {}; 3<0 is {} 3 from {} 0",
            plural(count as u64, "round"),
            plural(messages.len() as u64, "send"),
            stage.item,
            stage.hints.noun
        );
        let receivers = receivers.into_iter().map(|node| execution.label(node)).collect();
        Self { title, subtitle, nodes: stage.nodes, receivers, rounds, sends: messages.len() }
    }
}

fn cell(received: &[Message]) -> String {
    received.iter().map(|message| format!("{}<{}", message.item, message.from)).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "{}", self.subtitle)?;
        writeln!(f)?;
        let rows: Vec<Vec<String>> =
            self.rounds.iter().map(|round| round.iter().map(|received| cell(received)).collect()).collect();
        let width = |(column, node): (usize, &u32)| {
            let widest = rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
            widest.max(node.to_string().len()) + 2
        };
        let widths: Vec<usize> = self.receivers.iter().enumerate().map(width).collect();
        let heading: String =
            self.receivers.iter().zip(&widths).map(|(node, &width)| format!("{node:>width$}")).collect();
        writeln!(f, "what each node receives, messages by number")?;
        writeln!(f, "round{heading}")?;
        for (number, row) in rows.iter().enumerate() {
            let cells: String = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$}")).collect();
            writeln!(f, "{}", format!("{:>5}{cells}", number + 1).trim_end())?;
        }
        Ok(())
    }
}

/// The limits of a picture.
const MAX_ROUNDS: usize = 128;
const MAX_SENDS: usize = 4096;
const TOP: f64 = HEADING + 44.0;
const ROW: f64 = 26.0;
const LEFT: f64 = MARGIN + 54.0;

impl Drawing for Deliveries {
    fn too_large(&self) -> Option<String> {
        let (rounds, sends) = (self.rounds.len(), self.sends);
        let too_many_rounds = || {
            format!(
                "{rounds} rounds with {sends} sends are too many to draw legibly; expected at most {MAX_ROUNDS} and {MAX_SENDS}"
            )
        };
        too_many("node", self.nodes, 64).or_else(|| (rounds > MAX_ROUNDS || sends > MAX_SENDS).then(too_many_rounds))
    }

    /// A row for each round and a column for each node; a cell with one message has its colour.
    fn to_svg(&self) -> Result<String, ChartError> {
        let widest = self.rounds.iter().flatten().map(|received| cell(received).len()).max().unwrap_or(0).max(3);
        let column = widest as f64 * 7.2 + 10.0;
        let width = LEFT + column * self.receivers.len() as f64 + MARGIN;
        let longest = text_width(&self.subtitle, SUBTITLE) + 2.0 * MARGIN;
        let size = pixels(width.max(longest), TOP + ROW * self.rounds.len() as f64 + MARGIN);
        let x = |place: usize| LEFT + column * (place as f64 + 0.5);
        let y = |round: usize| TOP + ROW * (round as f64 + 0.5);
        picture(size, (&self.title, &self.subtitle), "", |sheet| {
            for (place, node) in self.receivers.iter().enumerate() {
                let style = bold(12.0, INK, HPos::Center, VPos::Bottom);
                write(sheet, &node.to_string(), (x(place), TOP - 8.0), &style)?;
            }
            for (number, round) in self.rounds.iter().enumerate() {
                let style = text(12.0, FAINT_INK, HPos::Right, VPos::Center);
                write(sheet, &format!("round {}", number + 1), (LEFT - 6.0, y(number)), &style)?;
                for (place, received) in round.iter().enumerate() {
                    let corner = |side: f64| (fine(x(place) + side * column / 2.0), fine(y(number) + side * ROW / 2.0));
                    let corners = [corner(-1.0), corner(1.0)];
                    if let [only] = received.as_slice() {
                        sheet.draw(&Rectangle::new(corners, tint(only.item).filled())).map_err(drawing)?;
                    }
                    sheet.draw(&Rectangle::new(corners, stroke(GRID, 1.0))).map_err(drawing)?;
                    write(sheet, &cell(received), (x(place), y(number)), &text(12.0, INK, HPos::Center, VPos::Center))?;
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
