//! Messages on a mesh in steps: the timetable of a row, and the whole mesh.

use std::fmt;

use algorithms::internals::execution::Event;
use plotters::prelude::{Circle, Polygon};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::execution::{Drawing, Execution, pixels, shade, too_many};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::{grouped, plural};

/// An execution by steps.
pub(super) struct Steps {
    title: String,
    subtitle: String,
    w: u32,
    h: u32,
    /// The row whose timetable is shown.
    row: u32,
    /// The crossings of links, by step.
    steps: Vec<Vec<Event>>,
}

impl Steps {
    pub(super) fn new(execution: Execution, row: u32) -> Self {
        let (w, h) = execution.stage.mesh.unwrap_or((execution.stage.nodes, 1));
        let count = usize::try_from(execution.finish()).unwrap_or_default();
        let mut steps = vec![Vec::new(); count];
        for event in &execution.events {
            steps[usize::try_from(event.start).unwrap_or_default()].push(*event);
        }
        let links = u64::from(w) * u64::from(h - 1) + u64::from(h) * u64::from(w - 1);
        let (sent, slots) = (execution.events.len() as u64, links * count as u64);
        let title = format!("{}, {}", execution.title(), plural(count as u64, "step"));
        let subtitle = format!(
            "timetable of row {row}; {} over {} links, {} of {} link-steps idle; {}",
            plural(sent, "transfer"),
            grouped(links),
            grouped(slots.saturating_sub(sent)),
            grouped(slots),
            execution.stage.hints.subtitle,
        );
        Self { title, subtitle, w, h, row, steps }
    }

    /// The crossings of the links of the row in a step, from left to right.
    fn of_row(&self, step: &[Event]) -> Vec<Option<Event>> {
        let mut links = vec![None; self.w as usize - 1];
        for event in step {
            let left = event.node.min(event.peer);
            if left / self.w == self.row && left.abs_diff(event.node.max(event.peer)) == 1 {
                links[(left % self.w) as usize] = Some(*event);
            }
        }
        links
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        writeln!(f, "{}", self.subtitle)?;
        writeln!(f)?;
        let width = (self.w * self.h).to_string().len() + 3;
        write!(f, "step  busy links ")?;
        for x in 1..self.w {
            write!(f, "{:^width$}", format!("{}-{x}", x - 1))?;
        }
        writeln!(f)?;
        for (number, step) in self.steps.iter().enumerate() {
            let mut line = format!("{:>4}  {:>10} ", number + 1, step.len());
            for event in self.of_row(step) {
                let cell = match event {
                    None => "-".to_owned(),
                    Some(Event { node, peer, item, .. }) if node < peer => format!("{item}>"),
                    Some(Event { item, .. }) => format!("<{item}"),
                };
                line.push_str(&format!("{cell:^width$}"));
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "a column for each link of the row; 3> goes right, <3 goes left, - is idle; busy links: of the whole mesh"
        )
    }
}

const TOP: f64 = HEADING + 40.0;
/// Between two links of the timetable, and between two steps.
const LINK: f64 = 34.0;
const STEP: f64 = 20.0;
/// Between two nodes of a small mesh, and around it.
const PITCH: f64 = 24.0;
const AROUND: f64 = 34.0;
const LABEL: f64 = 11.0;
/// Most meshes side by side.
const COLUMNS: usize = 6;

const RIGHT: RGBColor = Look::FIRST.colour;
const LEFT: RGBColor = Look::SECOND.colour;
const VERTICAL: RGBColor = Look::THIRD.colour;

impl Drawing for Steps {
    fn too_large(&self) -> Option<String> {
        too_many("node", self.w * self.h, 100)
    }

    /// On the left the timetable of the row, on the right the mesh in each step.
    fn to_svg(&self) -> Result<String, ChartError> {
        let table = MARGIN + 44.0 + LINK * f64::from(self.w - 1) + 30.0;
        let [wide, high] = [self.w, self.h].map(|side| PITCH * f64::from(side - 1) + AROUND);
        let columns = COLUMNS.min(self.steps.len().max(1));
        let rows = self.steps.len().div_ceil(columns);
        let height = (STEP * self.steps.len() as f64).max((high + 16.0) * rows as f64);
        let width = table + wide * columns as f64 + MARGIN;
        let longest = text_width(&self.subtitle, SUBTITLE).max(text_width(CAPTION, 12.0)) + 2.0 * MARGIN;
        let size = pixels(width.max(longest), TOP + height + 66.0);
        picture(size, (&self.title, &self.subtitle), "", |sheet| {
            self.draw_timetable(sheet)?;
            let mut held = vec![1u32; (self.w * self.h) as usize];
            for (number, step) in self.steps.iter().enumerate() {
                let at = (number % columns, number / columns);
                let corner = (table + AROUND / 2.0 + wide * at.0 as f64, TOP + 16.0 + (high + 16.0) * at.1 as f64);
                self.draw_mesh(sheet, corner, number, step, &held)?;
                step.iter().for_each(|event| held[event.peer as usize] += 1);
            }
            draw_legend(sheet, (MARGIN, TOP + height + 24.0))
        })
    }
}

impl Steps {
    /// A dot for a busy link, a ring for an idle one, and a line along the path of each message.
    fn draw_timetable(&self, sheet: &Sheet<'_>) -> Result<(), ChartError> {
        let x = |link: u32| MARGIN + 44.0 + LINK * (f64::from(link) + 0.5);
        let y = |step: usize| TOP + STEP * (step as f64 + 0.5);
        for node in 0..self.w {
            let position = (x(node) - LINK / 2.0, TOP - 10.0);
            write(sheet, &node.to_string(), position, &text(LABEL, FAINT_INK, HPos::Center, VPos::Bottom))?;
        }
        let rows: Vec<_> = self.steps.iter().map(|step| self.of_row(step)).collect();
        for (number, row) in rows.iter().enumerate() {
            for (link, event) in (0u32..).zip(row) {
                let Some(event) = event else { continue };
                let next = if event.node < event.peer { link.checked_add(1) } else { link.checked_sub(1) };
                let Some(next) = next.filter(|&next| next < self.w - 1) else { continue };
                let onward = |later: &&[Option<Event>]| {
                    later[next as usize].is_some_and(|hop| hop.item == event.item && hop.node == event.peer)
                };
                let later = rows[number + 1..].iter().map(Vec::as_slice);
                if let Some(wait) = later.clone().position(|row| onward(&row)) {
                    line(sheet, &[(x(link), y(number)), (x(next), y(number + 1 + wait))], FAINT_INK, 0.8)?;
                }
            }
        }
        for (number, row) in rows.iter().enumerate() {
            let style = text(LABEL, FAINT_INK, HPos::Right, VPos::Center);
            write(sheet, &(number + 1).to_string(), (MARGIN + 28.0, y(number)), &style)?;
            for (link, event) in (0u32..).zip(row) {
                let centre = (fine(x(link)), fine(y(number)));
                match event {
                    None => sheet.draw(&Circle::new(centre, fine(4.0), stroke(FAINT_INK, 1.0))).map_err(drawing)?,
                    Some(event) => {
                        let colour = if event.node < event.peer { RIGHT } else { LEFT };
                        sheet.draw(&Circle::new(centre, fine(8.0), colour.filled())).map_err(drawing)?;
                        let style = text(9.0, PAPER, HPos::Center, VPos::Center);
                        write(sheet, &event.item.to_string(), (x(link), y(number)), &style)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The mesh in one step, y upwards: the links in use, and the items that each node holds before the step.
    fn draw_mesh(
        &self,
        sheet: &Sheet<'_>,
        corner: (f64, f64),
        number: usize,
        step: &[Event],
        held: &[u32],
    ) -> Result<(), ChartError> {
        let at = |node: u32| {
            let (x, y) = (node % self.w, node / self.w);
            (corner.0 + PITCH * f64::from(x), corner.1 + PITCH * f64::from(self.h - 1 - y))
        };
        let title = (corner.0 - 6.0, corner.1 - 9.0);
        write(sheet, &format!("step {}", number + 1), title, &bold(LABEL, INK, HPos::Left, VPos::Bottom))?;
        for node in 0..self.w * self.h {
            let right = (node % self.w + 1 < self.w).then_some(node + 1);
            let up = (node / self.w + 1 < self.h).then_some(node + self.w);
            for next in [right, up].into_iter().flatten() {
                line(sheet, &[at(node), at(next)], GRID, 1.0)?;
            }
        }
        for &Event { node, peer, .. } in step {
            let colour = match node / self.w == peer / self.w {
                true if node < peer => RIGHT,
                true => LEFT,
                false => VERTICAL,
            };
            arrow(sheet, at(node), at(peer), colour)?;
        }
        for (node, &held) in (0u32..).zip(held) {
            let (x, y) = at(node);
            let centre = (fine(x), fine(y));
            let share = f64::from(held) / f64::from(self.w * self.h);
            sheet.draw(&Circle::new(centre, fine(4.5), shade(share, INK).filled())).map_err(drawing)?;
            sheet.draw(&Circle::new(centre, fine(4.5), stroke(FAINT_INK, 0.8))).map_err(drawing)?;
        }
        Ok(())
    }
}

/// An arrow between the circles of two neighbours.
fn arrow(sheet: &Sheet<'_>, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> Result<(), ChartError> {
    let (dx, dy) = ((to.0 - from.0) / PITCH, (to.1 - from.1) / PITCH);
    let (start, tip) = ((from.0 + dx * 5.0, from.1 + dy * 5.0), (to.0 - dx * 5.0, to.1 - dy * 5.0));
    line(sheet, &[start, tip], colour, 1.8)?;
    let wing = |side: f64| (tip.0 - dx * 6.5 - dy * side, tip.1 - dy * 6.5 + dx * side);
    let corners = [tip, wing(3.2), wing(-3.2)].map(|(x, y)| (fine(x), fine(y)));
    sheet.draw(&Polygon::new(corners.to_vec(), colour.filled())).map_err(drawing)
}

const CAPTION: &str = "ring: idle link; number: message; line: its path. Meshes: before each step, row 0 at the bottom; darker nodes hold more messages.";

fn draw_legend(sheet: &Sheet<'_>, (mut x, y): (f64, f64)) -> Result<(), ChartError> {
    for (name, colour) in [("to the right", RIGHT), ("to the left", LEFT), ("up or down", VERTICAL)] {
        line(sheet, &[(x, y), (x + 20.0, y)], colour, 3.0)?;
        write(sheet, name, (x + 26.0, y), &text(12.0, INK, HPos::Left, VPos::Center))?;
        x += 26.0 + text_width(name, 12.0) + 18.0;
    }
    write(sheet, CAPTION, (MARGIN, y + 22.0), &text(12.0, FAINT_INK, HPos::Left, VPos::Center))
}
