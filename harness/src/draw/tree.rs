//! A multicast tree as text and as a drawing: nodes, send order, receive times.

use std::fmt;

use algorithms::logp::LogP;
use algorithms::logp::multicast::critical::CriticalPath;
use algorithms::logp::multicast::schedule::Schedule;
use algorithms::logp::multicast::simulator::Trace;
use plotters::prelude::{Circle, Rectangle};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::outline::outline;
use super::{Drawing, too_many_nodes};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::{grouped, plural, show_bytes};

/// An executed multicast.
pub struct MulticastTree {
    algorithm: &'static str,
    /// The machine and the message size that gave L, o and g, in which case times are in ns.
    machine: Option<(String, u64)>,
    model: LogP,
    schedule: Schedule,
    trace: Trace,
    /// `parent[v - 1]`: who sends to v, and which of its sends that is, from 1.
    parents: Vec<Option<(u32, usize)>>,
    path: CriticalPath,
    /// `is_critical[v - 1]`: whether v is on the path.
    is_critical: Vec<bool>,
}

impl MulticastTree {
    /// A schedule and what happened when it was executed, with the critical path of that.
    #[must_use]
    pub fn new(
        algorithm: &'static str,
        machine: Option<(String, u64)>,
        model: LogP,
        (schedule, trace): (Schedule, Trace),
        path: CriticalPath,
    ) -> Self {
        let mut parents = vec![None; schedule.nodes() as usize];
        for node in 1..=schedule.nodes() {
            for (number, &child) in schedule.targets(node).iter().enumerate() {
                parents[child as usize - 1] = Some((node, number + 1));
            }
        }
        let mut is_critical = vec![false; schedule.nodes() as usize];
        path.nodes.iter().for_each(|&node| is_critical[node as usize - 1] = true);
        Self { algorithm, machine, model, schedule, trace, parents, path, is_critical }
    }

    fn nodes(&self) -> u32 {
        self.schedule.nodes()
    }

    fn held(&self, node: u32) -> u64 {
        self.trace.held[node as usize - 1]
    }

    fn title(&self) -> String {
        let on = self.machine.as_ref().map(|(name, bytes)| format!(", {} on {name}", show_bytes(*bytes)));
        let nodes = plural(u64::from(self.nodes()), "node");
        format!("{}: {nodes} from node {}{}", self.algorithm, self.schedule.source(), on.unwrap_or_default())
    }

    fn subtitle(&self) -> String {
        let [L, o, g, D, gap, finish] =
            [self.model.L(), self.model.o(), self.model.g(), self.model.D(), self.model.gap(), self.trace.finish]
                .map(grouped);
        let unit = if self.machine.is_some() { ", all in ns" } else { "" };
        format!(
            "L = {L}, o = {o}, g = {g}; a hop takes D = {D}, sends are g' = {gap} apart; the last node holds the message at {finish}{unit}"
        )
    }

    fn is_critical(&self, node: u32) -> bool {
        self.is_critical[node as usize - 1]
    }

    /// What the critical path is made of.
    fn critical(&self) -> String {
        let (hops, gaps) = (plural(self.path.hops(), "hop"), plural(self.path.gaps, "gap"));
        let others = match self.path.last {
            1 => String::new(),
            last => format!("; {} at the end of others", plural(last as u64 - 1, "more node")),
        };
        format!("{hops} and {gaps}{others}")
    }

    /// Nodes in preorder with the drawing of the branches that lead to them.
    fn lines(&self) -> Vec<(String, u32)> {
        outline(self.schedule.source(), |node| self.schedule.targets(node))
    }
}

impl fmt::Display for MulticastTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        writeln!(f)?;
        let lines = self.lines();
        let width = lines.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0).max(4);
        let digits = grouped(self.trace.finish).len().max(5);
        writeln!(
            f,
            "{:<width$}  {:>5}  {:>digits$}  {:>digits$}  {:>digits$}",
            "node", "order", "sent", "held", "left"
        )?;
        for (line, node) in lines {
            let mark = if self.is_critical(node) { "  *" } else { "" };
            let time = self.held(node);
            let [held, left] = [time, self.trace.finish - time].map(grouped);
            match self.parents[node as usize - 1] {
                None => {
                    writeln!(f, "{line:<width$}  {:>5}  {:>digits$}  {held:>digits$}  {left:>digits$}{mark}", "", "")?
                }
                Some((_, order)) => {
                    let sent = grouped(time - self.model.D());
                    writeln!(f, "{line:<width$}  {order:>5}  {sent:>digits$}  {held:>digits$}  {left:>digits$}{mark}")?;
                }
            }
        }
        writeln!(f)?;
        writeln!(
            f,
            "order: which send of its parent; sent, held: when the send begins and the node holds the message;"
        )?;
        writeln!(f, "left: time from then to the end, the T of Shou and Chen, whose processor p is node p + 1;")?;
        writeln!(f, "*: on the critical path, {}", self.critical())
    }
}

/// Between two leaves, in pixels, at least.
const LEAF: f64 = 50.0;
const RADIUS: f64 = 14.0;
const TOP: f64 = HEADING + 36.0;
/// Size of the letters beside the nodes.
const LABEL: f64 = 12.0;
const NOTE: &str =
    "A node stands at the time at which it holds the message; the number on a line is the order of the send.";
/// Between the labels of the times and the first node.
const AXIS: f64 = 40.0;
/// Height of a hop, where that does not make the picture taller than this.
const HOP: f64 = 78.0;
const TALL: f64 = 2400.0;
/// How a send on the critical path is drawn.
const CRITICAL: (RGBColor, f64) = (Look::SECOND.colour, 4.0);

impl Drawing for MulticastTree {
    fn too_large(&self) -> Option<String> {
        too_many_nodes(self.nodes(), 256)
    }

    /// The tree hanging down a time axis: a node stands at the time at which it holds the message.
    fn to_svg(&self) -> Result<String, ChartError> {
        let mut places = self.places();
        let widest = places.iter().fold(1.0, |widest, &place| f64::max(widest, place));
        // As wide as the subtitle at least; a small tree is stretched over that width.
        let longest = text_width(&self.subtitle(), SUBTITLE);
        let labels = MARGIN + text_width(&grouped(self.trace.finish), LABEL);
        let first = labels + AXIS;
        let stretch = ((longest - first) / (widest * LEAF)).clamp(1.0, 2.0);
        places.iter_mut().for_each(|place| *place *= LEAF * stretch);
        let width = (first + widest * LEAF * stretch + LEAF).max(MARGIN * 2.0 + longest);
        let hops = self.trace.finish as f64 / self.model.D() as f64;
        // The nodes of a chain must not touch.
        let least = hops.min(f64::from(self.nodes())) * RADIUS * 2.4;
        let height = (hops * HOP).min(least.max(TALL)).max(60.0);
        let y = |time: u64| TOP + height * time as f64 / self.trace.finish.max(1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
        let size = (width as u32, (TOP + height + 78.0) as u32);
        let told = format!("The critical path: {}.", self.critical());
        picture(size, (&self.title(), &self.subtitle()), &format!("{NOTE} {told}"), |sheet| {
            self.draw_time_axis(sheet, (labels, width), &y)?;
            let at = |node: u32| (first + places[node as usize - 1], y(self.held(node)));
            for node in 1..=self.nodes() {
                if let Some((parent, order)) = self.parents[node as usize - 1] {
                    draw_send(sheet, at(parent), at(node), (order, self.is_critical(node)))?;
                }
            }
            for node in 1..=self.nodes() {
                draw_node(sheet, at(node), node, self.parents[node as usize - 1].is_none())?;
            }
            let below = |row: f64| (MARGIN, TOP + height + 32.0 + row * 18.0);
            let small = text(LABEL, FAINT_INK, HPos::Left, VPos::Top);
            write(sheet, NOTE, below(0.0), &small)?;
            let (left, top) = below(1.0);
            line(sheet, &[(left, top + 6.0), (left + 24.0, top + 6.0)], CRITICAL.0, CRITICAL.1)?;
            write(sheet, &told, (left + 32.0, top), &small)
        })
    }
}

impl MulticastTree {
    /// Horizontal places in distances of leaves: leaves side by side in the order of sends, a parent straight above
    /// its last child. Earlier children stand to the left and higher, so no line to a child passes a later one
    /// or what hangs from it.
    fn places(&self) -> Vec<f64> {
        let mut places = vec![0.0; self.nodes() as usize];
        let mut leaves = 0.0;
        let preorder = self.lines();
        for &(_, node) in &preorder {
            if self.schedule.targets(node).is_empty() {
                places[node as usize - 1] = leaves;
                leaves += 1.0;
            }
        }
        // Children come after their parent in preorder, so from the end they are placed first.
        for &(_, node) in preorder.iter().rev() {
            if let [.., last] = self.schedule.targets(node) {
                places[node as usize - 1] = places[*last as usize - 1];
            }
        }
        places
    }

    fn draw_time_axis(
        &self,
        sheet: &Sheet<'_>,
        (labels, width): (f64, f64),
        y: &dyn Fn(u64) -> f64,
    ) -> Result<(), ChartError> {
        let mut times: Vec<u64> = self.trace.held.clone();
        times.sort_unstable();
        times.dedup();
        let mut last = f64::NEG_INFINITY;
        for time in times {
            let at = y(time);
            line(sheet, &[(labels + 6.0, at), (width - MARGIN, at)], GRID, 1.0)?;
            if at - last >= 13.0 {
                write(sheet, &grouped(time), (labels, at), &text(LABEL, FAINT_INK, HPos::Right, VPos::Center))?;
                last = at;
            }
        }
        Ok(())
    }
}

fn draw_send(
    sheet: &Sheet<'_>,
    from: (f64, f64),
    to: (f64, f64),
    (order, is_critical): (usize, bool),
) -> Result<(), ChartError> {
    let (colour, width) = if is_critical { CRITICAL } else { (Look::FIRST.colour, 1.6) };
    line(sheet, &[from, to], colour, width)?;
    let (x, y) = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
    let half = 3.5 * order.to_string().len() as f64 + 2.0;
    let back = [(fine(x - half), fine(y - 7.0)), (fine(x + half), fine(y + 7.0))];
    sheet.draw(&Rectangle::new(back, PAPER.filled())).map_err(drawing)?;
    write(sheet, &order.to_string(), (x, y), &text(11.0, FAINT_INK, HPos::Center, VPos::Center))
}

fn draw_node(sheet: &Sheet<'_>, at: (f64, f64), node: u32, source: bool) -> Result<(), ChartError> {
    let centre = (fine(at.0), fine(at.1));
    let fill = if source { Look::SECOND.colour } else { PAPER };
    sheet.draw(&Circle::new(centre, fine(RADIUS), fill.filled())).map_err(drawing)?;
    sheet.draw(&Circle::new(centre, fine(RADIUS), stroke(INK, 1.4))).map_err(drawing)?;
    let ink = if source { PAPER } else { INK };
    write(sheet, &node.to_string(), at, &bold(LABEL, ink, HPos::Center, VPos::Center))
}
