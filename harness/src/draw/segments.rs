//! The timelines of nodes that forward items: when each sends which item, and when it holds all.

use std::fmt;

use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::execution::{Drawing, Execution, Message, pixels, too_many};
use super::time_axis;
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::grouped;

/// The messages of an execution by node, each in the order in which they begin.
pub(super) struct Segments {
    execution: Execution,
    sent: Vec<Vec<Message>>,
    received: Vec<Vec<Message>>,
    finish: u64,
}

impl Segments {
    pub(super) fn new(execution: Execution) -> Self {
        let mut messages = execution.messages();
        messages.sort_by_key(|message| (message.start, message.from, message.item, message.to));
        let mut sent = vec![Vec::new(); execution.stage.nodes as usize];
        let mut received = sent.clone();
        for message in messages {
            sent[message.from as usize].push(message);
            received[message.to as usize].push(message);
        }
        Self { finish: execution.finish(), execution, sent, received }
    }

    /// Each once, in the order in which they come.
    fn distinct(&self, nodes: impl Iterator<Item = u32>) -> String {
        let mut known: Vec<String> = Vec::new();
        for node in nodes {
            let node = self.execution.label(node).to_string();
            if !known.contains(&node) {
                known.push(node);
            }
        }
        known.join(" ")
    }

    /// When a node holds the first item, and when all. The source holds all at 0, even if it receives some again.
    fn holds(&self, node: usize) -> (u64, u64) {
        let is_source = self.execution.stage.source.is_some_and(|source| source as usize == node);
        let times = || self.received[node].iter().map(|message| message.held).filter(|_| !is_source);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// The sends of a node, each with its row. Sends that overlap are on different ports and have different rows.
    fn rows(&self, node: usize) -> Vec<(usize, &Message)> {
        let mut free: Vec<u64> = Vec::new();
        let place = |message: &Message, free: &mut Vec<u64>| {
            let row = free.iter().position(|&free| free <= message.start).unwrap_or(free.len());
            free.resize(free.len().max(row + 1), 0);
            free[row] = message.free;
            row
        };
        self.sent[node].iter().map(|message| (place(message, &mut free), message)).collect()
    }
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.execution.title())?;
        writeln!(f, "{}", self.execution.stage.hints.subtitle)?;
        writeln!(f)?;
        writeln!(f, "node  holds first  holds all  from       sends  until       to")?;
        for (node, (sent, received)) in self.sent.iter().zip(&self.received).enumerate() {
            let (first, all) = self.holds(node);
            let (first, all) = (grouped(first), grouped(all));
            let until = sent.iter().map(|message| message.free).max().map_or_else(String::new, grouped);
            let from = self.distinct(received.iter().map(|message| message.from));
            let to = self.distinct(sent.iter().map(|message| message.to));
            let label = node + self.execution.stage.first as usize;
            let line = format!("{label:>4}  {first:>11}  {all:>9}  {from:<8}  {:>6}  {until:<10}  {to}", sent.len());
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

const LABEL: f64 = 12.0;
const TOP: f64 = HEADING + 34.0;
/// Height of a row, and of the bar in it.
const PITCH: f64 = 20.0;
const BAR: f64 = 13.0;
/// Between two nodes.
const BETWEEN: f64 = 8.0;
/// Width of all time.
const SPAN: f64 = 900.0;
const TOLD: &str = "A bar is a send of the segment with that number, one row per port; the line below ends when the node holds all segments.";

/// Used in turn, so that adjacent segments differ.
const COLOURS: [RGBColor; 4] = [Look::FIRST.colour, Look::SECOND.colour, Look::THIRD.colour, Look::FOURTH.colour];

impl Drawing for Segments {
    fn too_large(&self) -> Option<String> {
        let sends: usize = self.sent.iter().map(Vec::len).sum();
        if sends > 4096 {
            return Some(format!("{sends} sends are too many to draw legibly; expected at most 4096"));
        }
        too_many("node", self.execution.stage.nodes, 64)
    }

    fn to_svg(&self) -> Result<String, ChartError> {
        let left = MARGIN + text_width("1,000", LABEL) + 8.0;
        let rows: Vec<_> = (0..self.sent.len()).map(|node| self.rows(node)).collect();
        let height = |rows: &Vec<(usize, &Message)>| {
            let most = rows.iter().map(|(row, _)| row + 1).max().unwrap_or(1);
            PITCH * most as f64 + BETWEEN
        };
        let bottom = TOP + rows.iter().map(height).sum::<f64>();
        let x = |time: u64| left + SPAN * time as f64 / self.finish.max(1) as f64;
        let subtitle = &self.execution.stage.hints.subtitle;
        let longest = text_width(subtitle, SUBTITLE) + 2.0 * MARGIN;
        let size = pixels((left + SPAN + MARGIN * 2.0).max(longest), bottom + 40.0);
        picture(size, (&self.execution.title(), subtitle), TOLD, |sheet| {
            time_axis::draw(sheet, self.finish, &x, (TOP, bottom))?;
            let mut y = TOP;
            for (node, rows) in rows.iter().enumerate() {
                self.draw_node(sheet, node, rows, (left, y), &x)?;
                y += height(rows);
            }
            write(sheet, TOLD, (MARGIN, bottom + 22.0), &text(LABEL, FAINT_INK, HPos::Left, VPos::Center))
        })
    }
}

impl Segments {
    fn draw_node(
        &self,
        sheet: &Sheet<'_>,
        node: usize,
        rows: &[(usize, &Message)],
        (left, top): (f64, f64),
        x: &dyn Fn(u64) -> f64,
    ) -> Result<(), ChartError> {
        let label = text(LABEL, INK, HPos::Right, VPos::Center);
        let number = node + self.execution.stage.first as usize;
        write(sheet, &number.to_string(), (left - 8.0, top + PITCH / 2.0), &label)?;
        let (_, all) = self.holds(node);
        line(sheet, &[(x(0), top + PITCH), (x(all), top + PITCH)], FAINT_INK, 1.0)?;
        for &(row, message) in rows {
            let y = top + PITCH * row as f64 + (PITCH - BAR) / 2.0;
            let (start, end) = (x(message.start), x(message.free.min(self.finish)));
            let corners = [(fine(start), fine(y)), (fine(end), fine(y + BAR))];
            let colour = COLOURS[message.item as usize % COLOURS.len()];
            sheet.draw(&Rectangle::new(corners, colour.mix(0.55).filled())).map_err(drawing)?;
            sheet.draw(&Rectangle::new(corners, stroke(PAPER, 0.6))).map_err(drawing)?;
            let number = message.item.to_string();
            if text_width(&number, LABEL - 2.0) + 4.0 < end - start {
                let style = text(LABEL - 2.0, INK, HPos::Center, VPos::Center);
                write(sheet, &number, ((start + end) / 2.0, y + BAR / 2.0), &style)?;
            }
        }
        Ok(())
    }
}
