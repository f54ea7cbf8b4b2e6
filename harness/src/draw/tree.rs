//! A multicast tree as text and as a drawing: nodes, send order, receive times.

use std::collections::BTreeSet;
use std::fmt;

use super::execution::{Drawing, Execution, Message, Svg, too_many};
use super::spanning::Tree;
use crate::base::units::{grouped, plural};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{
    CENTRE, HEADING, MARGIN, RIGHT, SUBTITLE, Sheet, TOP_LEFT, bold, picture, text, text_width,
};

/// An execution in which every node but one receives one message.
pub struct TimedTree {
    execution: Execution,
    tree: Tree,
    /// The message that each node receives, and its number among the sender's sends, from 1.
    received: Vec<Option<(Message, usize)>>,
    finish: u64,
    /// Whether each node is on the critical path, and its hops and gaps.
    critical: (Vec<bool>, String),
}

/// The sends that determine when the last node holds the message; of several such paths, the one to the first node. Whether
/// each node is on it, and its hops and gaps: before its n-th send a node waits n - 1 gaps.
fn critical_path(received: &[Option<(Message, usize)>], finish: u64) -> (Vec<bool>, String) {
    let held =
        |received: &Option<(Message, usize)>| received.map_or(0, |(message, _)| message.held);
    let mut last = (0..received.len()).filter(|&node| held(&received[node]) == finish);
    let mut at = last.next();
    let (mut is_on_it, mut hops, mut gaps) = (vec![false; received.len()], 0, 0);
    while let Some(node) = at {
        is_on_it[node] = true;
        at = received[node].map(|(message, order)| {
            hops += 1;
            gaps += order as u64 - 1;
            message.from as usize
        });
    }
    let others = match last.count() {
        0 => String::new(),
        more => format!(
            "; {} at the end of others",
            plural(more as u64, "more node")
        ),
    };
    let (hops, gaps) = (plural(hops, "hop"), plural(gaps, "gap"));
    (is_on_it, format!("{hops} and {gaps}{others}"))
}

impl TimedTree {
    /// The tree of an execution's messages, if they form one.
    pub fn tree(execution: &Execution) -> Option<Tree> {
        let stage = &execution.stage;
        let messages = execution.messages();
        Tree::from_sends(
            stage.nodes,
            stage.source.unwrap_or(0),
            messages.iter().map(|message| (message.from, message.to)),
        )
    }

    pub fn new(execution: Execution, tree: Tree) -> Self {
        let nodes = execution.stage.nodes;
        let mut received = vec![None; nodes as usize];
        let mut orders = vec![0; nodes as usize];
        for message in execution.messages() {
            orders[message.from as usize] += 1;
            received[message.to as usize] = Some((message, orders[message.from as usize]));
        }
        let finish = execution.finish();
        let critical = critical_path(&received, finish);
        Self {
            execution,
            tree,
            received,
            finish,
            critical,
        }
    }

    fn nodes(&self) -> u32 {
        self.execution.stage.nodes
    }

    fn held(&self, node: u32) -> u64 {
        self.received[node as usize].map_or(0, |(message, _)| message.held)
    }
}

impl Drawing for TimedTree {
    fn heading(&self) -> [String; 2] {
        let on = self
            .execution
            .carrier
            .as_ref()
            .map(|carrier| format!(", {carrier}"));
        [
            format!("{}{}", self.execution.title(), on.unwrap_or_default()),
            self.execution.subtitle(),
        ]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.tree.outline().into_iter();
        let named = |(branches, node)| (format!("{branches}{}", self.execution.label(node)), node);
        let lines: Vec<(String, u32)> = lines.map(named).collect();
        let width = lines
            .iter()
            .map(|(line, _)| line.chars().count())
            .max()
            .unwrap_or(0)
            .max(4);
        let digits = grouped(self.finish).len().max(5);
        let mut row = |[node, order, sent, held, left]: [&str; 5], mark: &str| {
            writeln!(
                f,
                "{node:<width$}  {order:>5}  {sent:>digits$}  {held:>digits$}  {left:>digits$}{mark}"
            )
        };
        row(["node", "order", "sent", "held", "left"], "")?;
        for (line, node) in lines {
            let mark = if self.critical.0[node as usize] {
                "  *"
            } else {
                ""
            };
            let [held, left] = [self.held(node), self.finish - self.held(node)].map(grouped);
            let (order, sent) = self.received[node as usize]
                .map_or_else(Default::default, |(message, order)| {
                    (order.to_string(), grouped(message.start))
                });
            row([&line, &order, &sent, &held, &left], mark)?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "order: which send of its parent; sent, held: when the send begins and the node holds the message;"
        )?;
        writeln!(
            f,
            "left: time from then to the end{};",
            self.execution.stage.hints.note
        )?;
        writeln!(f, "*: on the critical path, {}", self.critical.1)
    }

    fn too_large(&self) -> Option<String> {
        too_many("node", self.nodes(), 256)
    }

    /// The tree along a downward time axis: a node stands at the time at which it holds the message.
    fn to_svg(&self) -> Svg {
        // A parent stands above its last child. Earlier children stand to the left and higher, so no line to a child
        // crosses a later one or its subtree.
        let mut positions = self.tree.positions(|_, last| last);
        let widest = positions
            .iter()
            .fold(1.0, |widest, &position| f64::max(widest, position));
        // At least as wide as the subtitle; a small tree is stretched to that width.
        let [title, subtitle] = self.heading();
        let longest = text_width(&subtitle, SUBTITLE);
        let labels = MARGIN + text_width(&grouped(self.finish), LABEL);
        let first = labels + AXIS;
        let stretch = ((longest - first) / (widest * LEAF)).clamp(1.0, 2.0);
        positions
            .iter_mut()
            .for_each(|position| *position *= LEAF * stretch);
        let width = (first + widest * LEAF * stretch + LEAF).max(MARGIN * 2.0 + longest);
        // The hops that fit into the time; 0 if nothing is sent.
        let hop = self
            .received
            .iter()
            .flatten()
            .map(|(message, _)| message.held - message.start)
            .min()
            .unwrap_or(1);
        let hops = self.finish as f64 / hop as f64;
        // The nodes of a chain must not touch.
        let least = hops.min(f64::from(self.nodes())) * RADIUS * 2.4;
        let height = (hops * HOP).min(least.max(TALL)).max(60.0);
        let y = |time: u64| TOP + height * time as f64 / self.finish.max(1) as f64;
        let size = (width.floor(), (TOP + height + 78.0).floor());
        let summary = format!("The critical path: {}.", self.critical.1);
        picture(
            size,
            (&title, &subtitle),
            &format!("{NOTE} {summary}"),
            |sheet| {
                self.draw_time_axis(sheet, (labels, width), &y);
                let at = |node: u32| (first + positions[node as usize], y(self.held(node)));
                for node in 0..self.nodes() {
                    if let Some((message, order)) = self.received[node as usize] {
                        let is_critical = self.critical.0[node as usize];
                        draw_send(sheet, at(message.from), at(node), (order, is_critical));
                    }
                }
                for node in 0..self.nodes() {
                    let (fill, ink) = if node == self.tree.root {
                        (Look::SECOND.colour, PAPER)
                    } else {
                        (PAPER, INK)
                    };
                    sheet.disc(at(node), RADIUS, fill, (INK, 1.4));
                    sheet.write(
                        self.execution.label(node),
                        at(node),
                        bold(LABEL, ink, CENTRE),
                    );
                }
                let below = |row: f64| (MARGIN, TOP + height + 32.0 + row * 18.0);
                let small = text(LABEL, FAINT_INK, TOP_LEFT);
                sheet.write(NOTE, below(0.0), small.clone());
                let (left, top) = below(1.0);
                sheet.line(
                    &[(left, top + 6.0), (left + 24.0, top + 6.0)],
                    CRITICAL.0,
                    CRITICAL.1,
                );
                sheet.write(summary, (left + 32.0, top), small);
            },
        )
    }
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

impl TimedTree {
    fn draw_time_axis(
        &self,
        sheet: &Sheet<'_>,
        (labels, width): (f64, f64),
        y: &dyn Fn(u64) -> f64,
    ) {
        let mut last = f64::NEG_INFINITY;
        for time in (0..self.nodes())
            .map(|node| self.held(node))
            .collect::<BTreeSet<u64>>()
        {
            let at = y(time);
            sheet.line(&[(labels + 6.0, at), (width - MARGIN, at)], GRID, 1.0);
            if at - last >= 13.0 {
                sheet.write(grouped(time), (labels, at), text(LABEL, FAINT_INK, RIGHT));
                last = at;
            }
        }
    }
}

fn draw_send(sheet: &Sheet<'_>, from: Point, to: Point, (order, is_critical): (usize, bool)) {
    let (colour, width) = if is_critical {
        CRITICAL
    } else {
        (Look::FIRST.colour, 1.6)
    };
    sheet.line(&[from, to], colour, width);
    let (x, y) = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    let half = 3.5 * order.to_string().len() as f64 + 2.0;
    sheet.rectangle([(x - half, y - 7.0), (x + half, y + 7.0)], PAPER, None);
    sheet.write(order, (x, y), text(11.0, FAINT_INK, CENTRE));
}
