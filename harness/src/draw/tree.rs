//! A multicast tree as text and as a drawing: nodes, send order, receive times.

use std::collections::BTreeSet;

use super::execution::{Drawing, Execution, Message, too_many};
use super::spanning::Tree;
use crate::base::units::{grouped, plural};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{
    CENTRE, HEADING, MARGIN, RIGHT, SUBTITLE, Sheet, TOP_LEFT, bold, middle, text, text_width,
};

/// An execution in which every node but one receives one message.
struct TimedTree<'a> {
    execution: &'a Execution,
    tree: Tree,
    /// The message that each node receives, and its number among the sender's sends, from 1.
    received: Vec<Option<(Message, usize)>>,
    finish: u64,
}

/// The tree along a downward time axis: a node stands at the time at which it holds the message. None if the messages of the
/// execution form no tree.
pub fn drawing(execution: &Execution) -> Option<Drawing<'_>> {
    let nodes = execution.stage.nodes;
    let messages = execution.messages();
    let tree = Tree::from_sends(execution, messages.iter().map(Message::ends))?;
    let mut received = vec![None; nodes as usize];
    let mut orders = vec![0; nodes as usize];
    for message in messages {
        let order = &mut orders[message.send.node as usize];
        *order += 1;
        received[message.send.peer as usize] = Some((message, *order));
    }
    let own = TimedTree {
        execution,
        tree,
        received,
        finish: execution.finish(),
    };
    let (is_critical, critical) = own.critical_path();
    let on = execution
        .carrier
        .as_ref()
        .map_or_else(String::new, |carrier| format!(", {carrier}"));
    let heading = [format!("{}{on}", execution.title()), execution.subtitle()];

    // A parent stands above its last child. Earlier children stand to the left and higher, so no line to a child
    // crosses a later one or its subtree.
    let positions = own.tree.positions(|_, last| last);
    let widest = positions.iter().copied().fold(1.0, f64::max);
    // At least as wide as the subtitle; a small tree is stretched to that width.
    let longest = text_width(&heading[1], SUBTITLE);
    let labels = MARGIN + text_width(&grouped(own.finish), LABEL);
    let first = labels + AXIS;
    let leaf = LEAF * ((longest - first) / (widest * LEAF)).clamp(1.0, 2.0);
    let width = (first + widest * leaf + LEAF).max(MARGIN * 2.0 + longest);
    // The hops that fit into the time; 0 if nothing is sent.
    let hop = own
        .received
        .iter()
        .flatten()
        .map(|(message, _)| message.receive.end - message.send.start);
    let hops = own.finish as f64 / hop.min().unwrap_or(1) as f64;
    // The nodes of a chain must not touch.
    let least = hops.min(f64::from(nodes)) * RADIUS * 2.4;
    let height = (hops * HOP).min(least.max(TALL)).max(60.0);
    let summary = format!("The critical path: {critical}.");
    Some(Drawing {
        heading,
        lines: own.lines(&is_critical, &critical),
        too_large: too_many("node", nodes, 256),
        size: (width.floor(), (TOP + height + 78.0).floor()),
        explanation: format!("{NOTE} {summary}"),
        draw: Box::new(move |sheet| {
            let y = |time: u64| TOP + height * time as f64 / own.finish.max(1) as f64;
            own.draw_time_axis(sheet, (labels, width), y);
            let x = |node: u32| first + positions[node as usize] * leaf;
            own.draw(sheet, &is_critical, |node| (x(node), y(own.held(node))));
            let below = |row: f64| (MARGIN, TOP + height + 32.0 + row * 18.0);
            let small = text(LABEL, FAINT_INK, TOP_LEFT);
            sheet.write(NOTE, below(0.0), small.clone());
            let (left, top) = below(1.0);
            let sample = [left, left + 24.0].map(|x| (x, top + 6.0));
            sheet.line(&sample, CRITICAL.0, CRITICAL.1);
            sheet.write(&summary, (left + 32.0, top), small);
        }),
    })
}

/// The least distance of two leaves, in pixels.
const LEAF: f64 = 50.0;
const RADIUS: f64 = 14.0;
const TOP: f64 = HEADING + 36.0;
/// Size of the letters beside the nodes.
const LABEL: f64 = 12.0;
const NOTE: &str = "A node stands at the time at which it holds the message; the number on a line is the send's place in its parent's order.";
/// Between the labels of the times and the first node.
const AXIS: f64 = 40.0;
/// Height of a hop, where that does not make the picture taller than this.
const HOP: f64 = 78.0;
const TALL: f64 = 2400.0;
/// How a send on the critical path is drawn.
const CRITICAL: (RGBColor, f64) = (Look::SECOND.colour, 4.0);

impl TimedTree<'_> {
    fn nodes(&self) -> std::ops::Range<u32> {
        0..self.execution.stage.nodes
    }

    fn held(&self, node: u32) -> u64 {
        self.received[node as usize].map_or(0, |(message, _)| message.receive.end)
    }

    /// The sends that determine when the last node holds the message; of several such paths, the one to the first node.
    /// Whether each node is on it, and its hops and gaps: before its n-th send a node waits n - 1 gaps.
    fn critical_path(&self) -> (Vec<bool>, String) {
        let mut last = self.nodes().filter(|&node| self.held(node) == self.finish);
        let mut at = last.next();
        let mut is_on_it = vec![false; self.received.len()];
        let mut hops = 0;
        let mut gaps = 0;
        while let Some(node) = at {
            is_on_it[node as usize] = true;
            at = self.received[node as usize].map(|(message, order)| {
                hops += 1;
                gaps += order as u64 - 1;
                message.send.node
            });
        }
        let others = match last.count() {
            0 => String::new(),
            more => format!(
                "; {} at the end of others",
                plural(more as u64, "more node")
            ),
        };
        let hops = plural(hops, "hop");
        let gaps = plural(gaps, "gap");
        (is_on_it, format!("{hops} and {gaps}{others}"))
    }

    fn lines(&self, is_critical: &[bool], critical: &str) -> Vec<String> {
        let outline = self.tree.outline(|node| self.execution.label(node));
        let width = outline
            .iter()
            .map(|(line, _)| line.chars().count())
            .fold(4, usize::max);
        let digits = grouped(self.finish).len().max(5);
        let row = |[node, order, sent, held, left]: [&str; 5], mark: &str| {
            format!(
                "{node:<width$}  {order:>5}  {sent:>digits$}  {held:>digits$}  {left:>digits$}{mark}"
            )
        };
        let mut lines = vec![row(["node", "order", "sent", "held", "left"], "")];
        lines.extend(outline.iter().map(|(line, node)| {
            let mark = if is_critical[*node as usize] {
                "  *"
            } else {
                ""
            };
            let [held, left] = [self.held(*node), self.finish - self.held(*node)].map(grouped);
            let (order, sent) = self.received[*node as usize]
                .map_or_else(Default::default, |(message, order)| {
                    (order.to_string(), grouped(message.send.start))
                });
            row([line, &order, &sent, &held, &left], mark)
        }));
        lines.extend([
            String::new(),
            "order: which send of its parent; sent, held: when the send begins and the node holds the message;".to_owned(),
            format!("left: time from then to the end{};", self.execution.stage.hints.note),
            format!("*: on the critical path, {critical}"),
        ]);
        lines
    }

    fn draw_time_axis(
        &self,
        sheet: &Sheet<'_>,
        (labels, width): (f64, f64),
        y: impl Fn(u64) -> f64,
    ) {
        let mut last = f64::NEG_INFINITY;
        let times: BTreeSet<u64> = self.nodes().map(|node| self.held(node)).collect();
        for time in times {
            let at = y(time);
            sheet.line(&[(labels + 6.0, at), (width - MARGIN, at)], GRID, 1.0);
            if at - last >= 13.0 {
                sheet.write(grouped(time), (labels, at), text(LABEL, FAINT_INK, RIGHT));
                last = at;
            }
        }
    }

    fn draw(&self, sheet: &Sheet<'_>, is_critical: &[bool], at: impl Fn(u32) -> Point) {
        for (node, is_critical) in self.nodes().zip(is_critical) {
            if let Some((message, order)) = self.received[node as usize] {
                let ends = [message.send.node, node].map(&at);
                draw_send(sheet, ends, order, *is_critical);
            }
        }
        for node in self.nodes() {
            let (fill, ink) = if node == self.tree.root {
                (Look::SECOND.colour, PAPER)
            } else {
                (PAPER, INK)
            };
            sheet.disc(at(node), RADIUS, fill, (INK, 1.4));
            let label = self.execution.label(node);
            sheet.write(label, at(node), bold(LABEL, ink, CENTRE));
        }
    }
}

fn draw_send(sheet: &Sheet<'_>, ends: [Point; 2], order: usize, is_critical: bool) {
    let (colour, width) = if is_critical {
        CRITICAL
    } else {
        (Look::FIRST.colour, 1.6)
    };
    sheet.line(&ends, colour, width);
    let (x, y) = middle(ends);
    let half = 3.5 * order.to_string().len() as f64 + 2.0;
    sheet.rectangle([(x - half, y - 7.0), (x + half, y + 7.0)], PAPER, None);
    sheet.write(order, (x, y), text(11.0, FAINT_INK, CENTRE));
}
