//! A pipelined broadcast as the timelines of its nodes: which segment each sends when, and when it holds all.

use std::fmt;

use algorithms::engine::program::{Operation, Program};
use algorithms::engine::{self, Failure};
use algorithms::logp::pipeline::Machine;
use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{Drawing, pixels, time_axis};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::grouped;

/// A message of an execution. Nodes count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Message {
    from: u32,
    to: u32,
    segment: u32,
    /// When it begins, when its port is free again, and when its receiver holds it.
    start: u64,
    free: u64,
    held: u64,
}

/// The node that has the message.
const SOURCE: u32 = 1;

/// An executed broadcast.
pub struct Segments {
    title: String,
    subtitle: String,
    nodes: u32,
    /// In the order in which they begin.
    messages: Vec<Message>,
    finish: u64,
}

impl Segments {
    /// Executes programs whose messages bear the number of their segment.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn execute(title: String, told: &str, machine: Machine, program: &Program) -> Result<Self, Failure> {
        let mut messages = Vec::new();
        let mut sizes = Vec::new();
        engine::observe(machine, program, |operation, start| {
            if let Operation::Send { to, tag, bytes } = program.operation(operation) {
                messages.push((operation, Message { from: 0, to: to + 1, segment: tag, start, free: 0, held: 0 }));
                sizes.push(bytes);
            }
        })?;
        let owner = |operation: u32| (0..program.processors()).find(|&p| program.range(p).contains(&operation));
        let mut told_messages = Vec::with_capacity(messages.len());
        for ((operation, message), bytes) in messages.into_iter().zip(sizes) {
            let model = machine.at(bytes)?;
            let from = owner(operation).map_or(0, |processor| processor + 1);
            let (free, held) = (message.start + model.gap(), message.start + model.D());
            told_messages.push(Message { from, free, held, ..message });
        }
        told_messages.sort_by_key(|message| (message.start, message.from, message.segment, message.to));
        let finish = told_messages.iter().map(|message| message.held).max().unwrap_or(0);
        let subtitle = format!("{told}; it ends at {}", grouped(finish));
        Ok(Self { title, subtitle, nodes: program.processors(), messages: told_messages, finish })
    }

    fn sent_by(&self, node: u32) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.from == node)
    }

    fn held_by(&self, node: u32) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(move |message| message.to == node)
    }

    /// When a node holds the first segment, and when all: the source from the beginning, even if it gets some again.
    fn holds(&self, node: u32) -> (u64, u64) {
        let times = || self.held_by(node).map(|message| message.held).filter(|_| node != SOURCE);
        (times().min().unwrap_or(0), times().max().unwrap_or(0))
    }

    /// The sends of a node with a row for each, as few rows as do: those that overlap are on different ports.
    fn rows(&self, node: u32) -> Vec<(usize, &Message)> {
        let mut free: Vec<u64> = Vec::new();
        let place = |message: &Message, free: &mut Vec<u64>| {
            let row = free.iter().position(|&free| free <= message.start).unwrap_or(free.len());
            free.resize(free.len().max(row + 1), 0);
            free[row] = message.free;
            row
        };
        self.sent_by(node).map(|message| (place(message, &mut free), message)).collect()
    }
}

/// Each once, in the order in which they come.
fn distinct(nodes: impl Iterator<Item = u32>) -> String {
    let mut known: Vec<String> = Vec::new();
    for node in nodes {
        let node = node.to_string();
        if !known.contains(&node) {
            known.push(node);
        }
    }
    known.join(" ")
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "{}", self.subtitle)?;
        writeln!(f)?;
        writeln!(f, "node  holds first  holds all  from       sends  until       to")?;
        for node in 1..=self.nodes {
            let (first, all) = self.holds(node);
            let until = self.sent_by(node).map(|message| message.free).max().map_or_else(String::new, grouped);
            let (from, to) = (
                distinct(self.held_by(node).map(|message| message.from)),
                distinct(self.sent_by(node).map(|message| message.to)),
            );
            let sends = self.sent_by(node).count();
            let line = format!(
                "{node:>4}  {:>11}  {:>9}  {from:<8}  {sends:>6}  {until:<10}  {to}",
                grouped(first),
                grouped(all)
            );
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
const TOLD: &str =
    "Each bar is a port that sends a segment, with its number; a line beneath marks the time until a node holds all.";

/// Segments in turn, so that one is told from the next.
const COLOURS: [RGBColor; 4] = [Look::FIRST.colour, Look::SECOND.colour, Look::THIRD.colour, Look::FOURTH.colour];

impl Drawing for Segments {
    fn too_large(&self) -> Option<String> {
        if self.messages.len() > 4096 {
            let sends = self.messages.len();
            return Some(format!("{sends} sends are too many to draw legibly; expected at most 4096"));
        }
        super::too_many_nodes(self.nodes, 64)
    }

    fn to_svg(&self) -> Result<String, ChartError> {
        let left = MARGIN + text_width("1,000", LABEL) + 8.0;
        let rows: Vec<_> = (1..=self.nodes).map(|node| self.rows(node)).collect();
        let height = |rows: &Vec<(usize, &Message)>| {
            let most = rows.iter().map(|(row, _)| row + 1).max().unwrap_or(1);
            PITCH * most as f64 + BETWEEN
        };
        let bottom = TOP + rows.iter().map(height).sum::<f64>();
        let x = |time: u64| left + SPAN * time as f64 / self.finish.max(1) as f64;
        let longest = text_width(&self.subtitle, SUBTITLE) + 2.0 * MARGIN;
        let size = pixels((left + SPAN + MARGIN * 2.0).max(longest), bottom + 40.0);
        picture(size, (&self.title, &self.subtitle), TOLD, |sheet| {
            time_axis::draw(sheet, self.finish, &x, (TOP, bottom))?;
            let mut y = TOP;
            for (node, rows) in (1..).zip(&rows) {
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
        node: u32,
        rows: &[(usize, &Message)],
        (left, top): (f64, f64),
        x: &dyn Fn(u64) -> f64,
    ) -> Result<(), ChartError> {
        let label = text(LABEL, INK, HPos::Right, VPos::Center);
        write(sheet, &node.to_string(), (left - 8.0, top + PITCH / 2.0), &label)?;
        let (_, all) = self.holds(node);
        line(sheet, &[(x(0), top + PITCH), (x(all), top + PITCH)], FAINT_INK, 1.0)?;
        for &(row, message) in rows {
            let y = top + PITCH * row as f64 + (PITCH - BAR) / 2.0;
            let (start, end) = (x(message.start), x(message.free.min(self.finish)));
            let corners = [(fine(start), fine(y)), (fine(end), fine(y + BAR))];
            let colour = COLOURS[message.segment as usize % COLOURS.len()];
            sheet.draw(&Rectangle::new(corners, colour.mix(0.55).filled())).map_err(drawing)?;
            sheet.draw(&Rectangle::new(corners, stroke(PAPER, 0.6))).map_err(drawing)?;
            let number = message.segment.to_string();
            if text_width(&number, LABEL - 2.0) + 4.0 < end - start {
                let style = text(LABEL - 2.0, INK, HPos::Center, VPos::Center);
                write(sheet, &number, ((start + end) / 2.0, y + BAR / 2.0), &style)?;
            }
        }
        Ok(())
    }
}
