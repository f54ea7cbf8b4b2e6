//! Gossip step by step: the timetable of a row, as in figures 1 and 3 of the paper, and the whole mesh.

use std::fmt;

use algorithms::mesh::gossip::Transfer;
use plotters::prelude::{Circle, Polygon};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{Drawing, pixels, too_many_nodes};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::{grouped, plural};

/// A gossip, executed.
pub struct GossipSteps {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Side of the mesh.
    pub n: u32,
    /// The row whose timetable is shown.
    pub row: u32,
    /// What crosses which link, by step.
    pub steps: Vec<Vec<Transfer>>,
}

impl GossipSteps {
    fn title(&self) -> String {
        let steps = plural(self.steps.len() as u64, "step");
        format!("{0}: gossip on the {1}x{1} mesh, {steps}", self.algorithm, self.n)
    }

    fn subtitle(&self) -> String {
        let n = u64::from(self.n);
        let links = 2 * n * (n - 1);
        let sent: u64 = self.steps.iter().map(|step| step.len() as u64).sum();
        let slots = links * self.steps.len() as u64;
        format!(
            "timetable of row {}; {} over {} links, {} of {} link-steps idle; node (x, y) and its message have number {n}y + x",
            self.row,
            plural(sent, "transfer"),
            grouped(links),
            grouped(slots - sent),
            grouped(slots),
        )
    }

    /// What crosses the links of the row in a step, from left to right.
    fn of_row(&self, step: &[Transfer]) -> Vec<Option<Transfer>> {
        let mut links = vec![None; self.n as usize - 1];
        let first = self.row * self.n;
        for transfer in step {
            let (left, right) = (transfer.from.min(transfer.to), transfer.from.max(transfer.to));
            if left / self.n == self.row && right == left + 1 {
                links[(left - first) as usize] = Some(*transfer);
            }
        }
        links
    }
}

impl fmt::Display for GossipSteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        writeln!(f)?;
        let width = (self.n * self.n).to_string().len() + 3;
        write!(f, "step  busy links ")?;
        for x in 1..self.n {
            write!(f, "{:^width$}", format!("{}-{x}", x - 1))?;
        }
        writeln!(f)?;
        for (number, step) in self.steps.iter().enumerate() {
            let mut line = format!("{:>4}  {:>10} ", number + 1, step.len());
            for transfer in self.of_row(step) {
                let cell = match transfer {
                    None => "-".to_owned(),
                    Some(Transfer { from, to, message }) if from < to => format!("{message}>"),
                    Some(Transfer { message, .. }) => format!("<{message}"),
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

impl Drawing for GossipSteps {
    fn too_large(&self) -> Option<String> {
        too_many_nodes(self.n * self.n, 100)
    }

    /// On the left the timetable of the row, on the right the mesh in each step.
    fn to_svg(&self) -> Result<String, ChartError> {
        let table = MARGIN + 44.0 + LINK * f64::from(self.n - 1) + 30.0;
        let mesh = PITCH * f64::from(self.n - 1) + AROUND;
        let columns = COLUMNS.min(self.steps.len().max(1));
        let rows = self.steps.len().div_ceil(columns);
        let height = (STEP * self.steps.len() as f64).max((mesh + 16.0) * rows as f64);
        let width = table + mesh * columns as f64 + MARGIN;
        let longest = text_width(&self.subtitle(), SUBTITLE).max(text_width(TOLD, 12.0)) + 2.0 * MARGIN;
        let size = pixels(width.max(longest), TOP + height + 66.0);
        picture(size, (&self.title(), &self.subtitle()), "", |sheet| {
            self.draw_timetable(sheet)?;
            let mut held = vec![1u32; (self.n * self.n) as usize];
            for (number, step) in self.steps.iter().enumerate() {
                let at = (number % columns, number / columns);
                let corner = (table + AROUND / 2.0 + mesh * at.0 as f64, TOP + 16.0 + (mesh + 16.0) * at.1 as f64);
                self.draw_mesh(sheet, corner, number, step, &held)?;
                step.iter().for_each(|transfer| held[transfer.to as usize] += 1);
            }
            draw_legend(sheet, (MARGIN, TOP + height + 24.0))
        })
    }
}

impl GossipSteps {
    /// A dot where a link is busy, a ring where it is idle, and a line along the way of each message.
    fn draw_timetable(&self, sheet: &Sheet<'_>) -> Result<(), ChartError> {
        let x = |link: u32| MARGIN + 44.0 + LINK * (f64::from(link) + 0.5);
        let y = |step: usize| TOP + STEP * (step as f64 + 0.5);
        for node in 0..self.n {
            let place = (x(node) - LINK / 2.0, TOP - 10.0);
            write(sheet, &node.to_string(), place, &text(LABEL, FAINT_INK, HPos::Center, VPos::Bottom))?;
        }
        let rows: Vec<_> = self.steps.iter().map(|step| self.of_row(step)).collect();
        for (number, row) in rows.iter().enumerate() {
            for (link, transfer) in (0u32..).zip(row) {
                let Some(transfer) = transfer else { continue };
                let next = if transfer.from < transfer.to { link.checked_add(1) } else { link.checked_sub(1) };
                let Some(next) = next.filter(|&next| next < self.n - 1) else { continue };
                let onward = |later: &&[Option<Transfer>]| {
                    later[next as usize].is_some_and(|hop| hop.message == transfer.message && hop.from == transfer.to)
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
            for (link, transfer) in (0u32..).zip(row) {
                let centre = (fine(x(link)), fine(y(number)));
                match transfer {
                    None => sheet.draw(&Circle::new(centre, fine(4.0), stroke(FAINT_INK, 1.0))).map_err(drawing)?,
                    Some(transfer) => {
                        let colour = if transfer.from < transfer.to { RIGHT } else { LEFT };
                        sheet.draw(&Circle::new(centre, fine(8.0), colour.filled())).map_err(drawing)?;
                        let style = text(9.0, PAPER, HPos::Center, VPos::Center);
                        write(sheet, &transfer.message.to_string(), (x(link), y(number)), &style)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The mesh in one step, y upwards: who sends over which link, and how much each node holds before it.
    fn draw_mesh(
        &self,
        sheet: &Sheet<'_>,
        corner: (f64, f64),
        number: usize,
        step: &[Transfer],
        held: &[u32],
    ) -> Result<(), ChartError> {
        let at = |node: u32| {
            let (x, y) = (node % self.n, node / self.n);
            (corner.0 + PITCH * f64::from(x), corner.1 + PITCH * f64::from(self.n - 1 - y))
        };
        let title = (corner.0 - 6.0, corner.1 - 9.0);
        write(sheet, &format!("step {}", number + 1), title, &bold(LABEL, INK, HPos::Left, VPos::Bottom))?;
        for node in 0..self.n * self.n {
            let right = (node % self.n + 1 < self.n).then_some(node + 1);
            let up = (node / self.n + 1 < self.n).then_some(node + self.n);
            for next in [right, up].into_iter().flatten() {
                line(sheet, &[at(node), at(next)], GRID, 1.0)?;
            }
        }
        for transfer in step {
            let colour = match transfer.to.checked_sub(transfer.from) {
                Some(1) => RIGHT,
                None if transfer.from - transfer.to == 1 => LEFT,
                _ => VERTICAL,
            };
            arrow(sheet, at(transfer.from), at(transfer.to), colour)?;
        }
        for (node, &held) in (0u32..).zip(held) {
            let (x, y) = at(node);
            let centre = (fine(x), fine(y));
            let share = f64::from(held) / f64::from(self.n * self.n);
            sheet.draw(&Circle::new(centre, fine(4.5), shade(share).filled())).map_err(drawing)?;
            sheet.draw(&Circle::new(centre, fine(4.5), stroke(FAINT_INK, 0.8))).map_err(drawing)?;
        }
        Ok(())
    }
}

/// An arrow between two neighbours that leaves their circles free.
fn arrow(sheet: &Sheet<'_>, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> Result<(), ChartError> {
    let (dx, dy) = ((to.0 - from.0) / PITCH, (to.1 - from.1) / PITCH);
    let (start, tip) = ((from.0 + dx * 5.0, from.1 + dy * 5.0), (to.0 - dx * 5.0, to.1 - dy * 5.0));
    line(sheet, &[start, tip], colour, 1.8)?;
    let wing = |side: f64| (tip.0 - dx * 6.5 - dy * side, tip.1 - dy * 6.5 + dx * side);
    let corners = [tip, wing(3.2), wing(-3.2)].map(|(x, y)| (fine(x), fine(y)));
    sheet.draw(&Polygon::new(corners.to_vec(), colour.filled())).map_err(drawing)
}

/// From paper to ink with the share of all messages that a node holds.
fn shade(share: f64) -> RGBColor {
    let mix = |paper: u8, ink: u8| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
        let mixed = (f64::from(paper) + (f64::from(ink) - f64::from(paper)) * share).round() as u8;
        mixed
    };
    RGBColor(mix(PAPER.0, INK.0), mix(PAPER.1, INK.1), mix(PAPER.2, INK.2))
}

const TOLD: &str = "ring: idle link; number: message; line: its way. Meshes: before each step, row 0 at the bottom, nodes darker the more they hold.";

fn draw_legend(sheet: &Sheet<'_>, (mut x, y): (f64, f64)) -> Result<(), ChartError> {
    for (name, colour) in [("to the right", RIGHT), ("to the left", LEFT), ("up or down", VERTICAL)] {
        line(sheet, &[(x, y), (x + 20.0, y)], colour, 3.0)?;
        write(sheet, name, (x + 26.0, y), &text(12.0, INK, HPos::Left, VPos::Center))?;
        x += 26.0 + text_width(name, 12.0) + 18.0;
    }
    write(sheet, TOLD, (MARGIN, y + 22.0), &text(12.0, FAINT_INK, HPos::Left, VPos::Center))
}
