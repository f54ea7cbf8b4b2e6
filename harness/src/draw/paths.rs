//! A multicast on a mesh as text and as a drawing: the labelled grid with the paths in colour.

use std::fmt;

use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::multicast::walk::Routes;
use anstyle::{AnsiColor, Style};
use plotters::prelude::{Circle, Polygon};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{Drawing, too_many_nodes};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, bold, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::plural;

/// One multicast and where its messages go.
pub struct MulticastPaths {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The mesh.
    pub mesh: Mesh,
    /// Label of the source.
    pub source: u32,
    /// Labels of the destinations.
    pub destinations: Vec<u32>,
    /// The paths.
    pub routes: Routes,
    /// Links crossed, with repetition.
    pub links: u64,
}

/// Which network a path uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Network {
    High,
    Low,
    /// Labels rise and fall: the path keeps to neither.
    Both,
}

impl Network {
    fn of(path: &[u32]) -> Self {
        if path.is_sorted() {
            Self::High
        } else if path.iter().rev().is_sorted() {
            Self::Low
        } else {
            Self::Both
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::High => "high network",
            Self::Low => "low network",
            Self::Both => "both networks",
        }
    }

    fn colour(self) -> RGBColor {
        match self {
            Self::High => Look::FIRST.colour,
            Self::Low => Look::SECOND.colour,
            Self::Both => Look::THIRD.colour,
        }
    }

    fn style(self) -> Style {
        match self {
            Self::High => AnsiColor::Blue.on_default(),
            Self::Low => AnsiColor::Red.on_default(),
            Self::Both => AnsiColor::Green.on_default(),
        }
    }

    fn mark(self) -> char {
        match self {
            Self::High => '^',
            Self::Low => 'v',
            Self::Both => '*',
        }
    }
}

impl MulticastPaths {
    fn nodes(&self) -> u32 {
        self.mesh.nodes()
    }

    fn title(&self) -> String {
        let destinations = plural(self.destinations.len() as u64, "destination");
        format!("{} on {}: {destinations}, {}", self.algorithm, self.mesh, plural(self.links, "link"))
    }

    fn subtitle(&self) -> String {
        let (x, y) = self.mesh.position(self.source);
        format!(
            "source {} at ({x},{y}), black; destinations filled; numbers are labels along the Hamiltonian snake",
            self.source
        )
    }

    /// The network whose path first comes by a node.
    fn visited_by(&self, label: u32) -> Option<Network> {
        self.routes.paths().find(|path| path.contains(&label)).map(Network::of)
    }

    fn cell(&self, label: u32, digits: usize) -> String {
        let bold = Style::new().bold();
        if label == self.source {
            return format!("{bold}[{label:>digits$}]{bold:#}");
        }
        let network = self.visited_by(label);
        let style = network.map_or_else(|| Style::new().dimmed(), Network::style);
        let mark = network.map_or(' ', Network::mark);
        if self.destinations.contains(&label) {
            format!("{style}({label:>digits$}){style:#}")
        } else {
            format!("{style} {label:>digits$}{mark}{style:#}")
        }
    }
}

impl fmt::Display for MulticastPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        writeln!(f)?;
        let digits = (self.nodes() - 1).to_string().len();
        for y in (0..self.mesh.h()).rev() {
            let row: Vec<String> = (0..self.mesh.w()).map(|x| self.cell(self.mesh.label(x, y), digits)).collect();
            writeln!(f, "  {}", row.join(" "))?;
        }
        writeln!(f)?;
        writeln!(f, "[source]  (destination)  passed: ^ high network, v low network, * both")?;
        for path in self.routes.paths() {
            let network = Network::of(path);
            let style = network.style();
            let steps: Vec<String> = path.iter().map(|&label| self.step(label)).collect();
            let links = plural(path.len() as u64 - 1, "link");
            writeln!(f, "{style}{}{style:#}, {links}: {}", network.name(), steps.join(" "))?;
        }
        Ok(())
    }
}

impl MulticastPaths {
    fn step(&self, label: u32) -> String {
        if label == self.source {
            format!("[{label}]")
        } else if self.destinations.contains(&label) {
            format!("({label})")
        } else {
            label.to_string()
        }
    }
}

/// Between two nodes, in pixels.
const PITCH: f64 = 62.0;
const RADIUS: f64 = 15.0;
const TOP: f64 = HEADING + 8.0;
/// Size of the letters of the legend.
const LABEL: f64 = 13.0;

impl Drawing for MulticastPaths {
    fn too_large(&self) -> Option<String> {
        too_many_nodes(self.nodes(), 256)
    }

    /// The labelled mesh with the snake in grey and the paths in colour, each a little beside the links so
    /// that opposite and repeated uses of a link can be seen.
    fn to_svg(&self) -> Result<String, ChartError> {
        let (w, h) = (f64::from(self.mesh.w()), f64::from(self.mesh.h()));
        let longest = text_width(&self.subtitle(), SUBTITLE);
        let width = (w * PITCH).max(longest) + 2.0 * MARGIN;
        let height = TOP + h * PITCH + 40.0;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size in pixels")]
        let size = (width.ceil() as u32, height.ceil() as u32);
        picture(size, (&self.title(), &self.subtitle()), "", |sheet| {
            for label in 0..self.nodes() {
                for next in self.mesh.neighbours(label).filter(|&next| next > label) {
                    let width = if next == label + 1 { 7.0 } else { 1.2 };
                    line(sheet, &[self.at(label), self.at(next)], GRID, width)?;
                }
            }
            for (number, path) in self.routes.paths().enumerate() {
                self.draw_path(sheet, path, 3.0 + 1.5 * (number % 4) as f64)?;
            }
            for label in 0..self.nodes() {
                self.draw_node(sheet, label)?;
            }
            self.draw_legend(sheet, (MARGIN, TOP + h * PITCH + 8.0))
        })
    }
}

impl MulticastPaths {
    /// Where a node stands: x to the right, y upwards.
    fn at(&self, label: u32) -> (f64, f64) {
        let (x, y) = self.mesh.position(label);
        let down = self.mesh.h() - 1 - y;
        (MARGIN + PITCH * (f64::from(x) + 0.5), TOP + PITCH * (f64::from(down) + 0.5))
    }

    /// A path, shifted to its right by `aside` so that ways there and back lie side by side.
    fn draw_path(&self, sheet: &Sheet<'_>, path: &[u32], aside: f64) -> Result<(), ChartError> {
        let colour = Network::of(path).colour();
        for hop in path.windows(2) {
            let (from, to) = (self.at(hop[0]), self.at(hop[1]));
            let (dx, dy) = ((to.0 - from.0) / PITCH, (to.1 - from.1) / PITCH);
            let shift = |(x, y): (f64, f64)| (x - dy * aside, y + dx * aside);
            let (start, end) = (shift(from), shift(to));
            line(sheet, &[start, end], colour, 2.2)?;
            // The arrow stands where the circle of the next node does not cover it.
            let tip = (end.0 - dx * (RADIUS + 2.0), end.1 - dy * (RADIUS + 2.0));
            let wing = |side: f64| (tip.0 - dx * 9.0 - dy * side, tip.1 - dy * 9.0 + dx * side);
            let corners = [tip, wing(4.5), wing(-4.5)].map(|(x, y)| (fine(x), fine(y)));
            sheet.draw(&Polygon::new(corners.to_vec(), colour.filled())).map_err(drawing)?;
        }
        Ok(())
    }

    fn draw_node(&self, sheet: &Sheet<'_>, label: u32) -> Result<(), ChartError> {
        let (x, y) = self.at(label);
        let centre = (fine(x), fine(y));
        let destination = self.destinations.contains(&label);
        let (fill, ink) = match (label == self.source, destination) {
            (true, _) => (INK, PAPER),
            (_, true) => (self.visited_by(label).map_or(INK, Network::colour), PAPER),
            _ => (PAPER, FAINT_INK),
        };
        sheet.draw(&Circle::new(centre, fine(RADIUS), fill.filled())).map_err(drawing)?;
        sheet.draw(&Circle::new(centre, fine(RADIUS), stroke(FAINT_INK, 1.0))).map_err(drawing)?;
        write(sheet, &label.to_string(), (x, y), &bold(12.0, ink, HPos::Center, VPos::Center))
    }

    fn draw_legend(&self, sheet: &Sheet<'_>, (left, top): (f64, f64)) -> Result<(), ChartError> {
        let mut used: Vec<(Network, u64)> = Vec::new();
        for path in self.routes.paths() {
            let (network, links) = (Network::of(path), path.len() as u64 - 1);
            match used.iter_mut().find(|(known, _)| *known == network) {
                Some((_, total)) => *total += links,
                None => used.push((network, links)),
            }
        }
        let mut x = left;
        for (network, links) in used {
            let name = format!("{}, {}", network.name(), plural(links, "link"));
            line(sheet, &[(x, top + 8.0), (x + 22.0, top + 8.0)], network.colour(), 2.2)?;
            write(sheet, &name, (x + 28.0, top + 8.0), &text(LABEL, INK, HPos::Left, VPos::Center))?;
            x += 28.0 + text_width(&name, LABEL) + 16.0;
        }
        Ok(())
    }
}
