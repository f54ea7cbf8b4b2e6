//! A network: nodes where they stand, links with what marks them.

use std::f64::consts::TAU;

use algorithms::network::{Link, Network, Shape};

use super::execution::{Drawing, loaded, shade};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{CENTRE, HEADING, MARGIN, Sheet, direction, moved, text};

/// A network, and how its links and nodes are marked.
pub struct Wired {
    /// The network.
    pub network: Network,
    /// Title, and the line below it.
    pub heading: [String; 2],
    /// The text.
    pub lines: Vec<String>,
    /// What the marks mean.
    pub caption: String,
    /// Whether each link is marked.
    pub is_marked: Vec<bool>,
    /// Whether each node is marked.
    pub is_inside: Vec<bool>,
    /// How dark each link is, from 0 to 1; without it all have one colour.
    pub loads: Option<Vec<f64>>,
}

const MARK: RGBColor = Look::SECOND.colour;
const TOP: f64 = HEADING + 40.0;
/// Largest network that is legible.
const MOST: u32 = 1200;

/// Where the nodes stand, in steps to the right and down.
fn positions(network: &Network) -> Vec<Point> {
    let ranks = network.ranks();
    let nodes = network.nodes();
    match network.shape() {
        Shape::Grid { sides, .. } => (0..ranks).map(|rank| on_grid(sides, rank)).collect(),
        _ if ranks == nodes => {
            let radius = (ranks as f64 / TAU).max(1.0);
            (0..ranks)
                .map(|rank| {
                    let angle = TAU * rank as f64 / ranks as f64;
                    (radius * (1.0 + angle.sin()), radius * (1.0 - angle.cos()))
                })
                .collect()
        }
        _ => in_levels(network),
    }
}

/// The last dimension to the right, the one before it up, the third one back; blocks of these side by side, then below.
fn on_grid(sides: &[usize], rank: usize) -> Point {
    let mut rest = rank;
    let mut last = sides.iter().rev().copied();
    let [(x, w), (y, h), (z, d), (column, _)] = [(); 4].map(|()| {
        let side = last.next().unwrap_or(1);
        let digit = rest % side;
        rest /= side;
        (digit as f64, side as f64)
    });
    // No node stands behind another one.
    let [wide, high] = BACK.map(|step| (step * (d - 1.0) + 0.7).max(1.0));
    let block = [
        wide * w + BACK[0] * (d - 1.0) + 0.5,
        high * h + BACK[1] * (d - 1.0) + 0.5,
    ];
    (
        wide * x + BACK[0] * z + block[0] * column,
        high * (h - 1.0 - y) + BACK[1] * (d - 1.0 - z) + block[1] * rest as f64,
    )
}

/// A step back in the third dimension, to the right and up.
const BACK: [f64; 2] = [0.44, 0.36];

/// Ranks below, switches above in rows by their hops from ranks, each over the middle of what is below it.
fn in_levels(network: &Network) -> Vec<Point> {
    let ranks = network.ranks();
    let nodes = network.nodes();
    let mut level = vec![nodes; nodes];
    level[..ranks].fill(0);
    for _ in ranks..nodes {
        for link in network.links() {
            level[link.to] = level[link.to].min(level[link.from] + 1);
        }
    }
    let top = level
        .iter()
        .copied()
        .filter(|&level| level < nodes)
        .max()
        .unwrap_or(0);
    let gap = match network.shape() {
        Shape::Boxes { size } => *size,
        _ => ranks,
    };
    let mut at: Vec<Point> = (0..nodes)
        .map(|node| {
            (
                (node + node / gap) as f64,
                2.0 * (top - level[node].min(top)) as f64,
            )
        })
        .collect();
    for row in 1..=top {
        let mut own: Vec<usize> = (ranks..nodes).filter(|&node| level[node] == row).collect();
        for &node in &own {
            let below: Vec<f64> = network
                .links()
                .iter()
                .filter(|link| link.to == node && level[link.from] < row)
                .map(|link| at[link.from].0)
                .collect();
            at[node].0 = below.iter().sum::<f64>() / below.len().max(1) as f64;
        }
        // Switches over the same middle stand side by side.
        own.sort_by(|one, other| at[*one].0.total_cmp(&at[*other].0));
        let wide = (ranks + ranks / gap) as f64;
        let count = own.len() as f64;
        let is_tight = own
            .windows(2)
            .any(|pair| at[pair[1]].0 - at[pair[0]].0 < 0.9);
        for (index, node) in own.into_iter().enumerate().filter(|_| is_tight) {
            at[node].0 = (index as f64 + 0.5) * (wide / count).max(1.0);
        }
    }
    at
}

impl Wired {
    fn colour(&self, link: usize) -> (RGBColor, f64) {
        match (&self.loads, self.is_marked[link]) {
            (Some(loads), _) if loads[link] > 0.0 => (loaded(loads[link]), 3.2),
            (Some(_), _) => (GRID, 1.0),
            (None, true) => (MARK, 2.0),
            (None, false) => (shade(0.45, INK), 1.0),
        }
    }

    fn draw_link(
        &self,
        sheet: &Sheet<'_>,
        index: usize,
        place: impl Fn(usize) -> Point,
        pitch: f64,
    ) {
        let Link { from: a, to: b, .. } = self.network.links()[index];
        let [from, to] = [a, b].map(&place);
        // Each direction is to the right of its own way.
        let way = direction([from, to]);
        let side = |end: Point, along: f64| moved(end, way, along, 2.0);
        let (colour, width) = self.colour(index);
        let wraps = matches!(self.network.shape(), Shape::Grid { sides, wraps: true } if a.abs_diff(b) > 1 && is_around(sides, a, b));
        if wraps {
            // Half of it leaves each end, outwards.
            let stub = 0.42 * pitch;
            sheet.line(&[side(from, 0.0), side(from, -stub)], colour, width);
            sheet.line(&[side(to, 0.0), side(to, stub)], colour, width);
            return;
        }
        sheet.line(&path(&self.network, index, place, pitch), colour, width);
    }
}

/// The line of a link, which bows where it would lead over another node; both directions bow to one side.
fn path(network: &Network, index: usize, place: impl Fn(usize) -> Point, pitch: f64) -> Vec<Point> {
    let Link { from: a, to: b, .. } = network.links()[index];
    let [from, to] = [a, b].map(&place);
    let way = direction([from, to]);
    let up = if a < b { -1.0 } else { 1.0 };
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let line = |height: f64| -> Vec<Point> {
        let parts = if height == 0.0 { 1 } else { 16 };
        (0..=parts)
            .map(|part| {
                let along = f64::from(part) / f64::from(parts);
                let aside = up * height * pitch * 4.0 * along * (1.0 - along);
                moved(from, way, length * along, 2.0 + aside)
            })
            .collect()
    };
    let is_clear = |line: &Vec<Point>| {
        let others = (0..network.nodes()).filter(|node| ![a, b].contains(node));
        others.map(&place).all(|node| {
            let mut parts = line.windows(2);
            parts.all(|part| away([part[0], part[1]], node) > CLEAR * pitch)
        })
    };
    let lines = BOWS.map(line);
    let [.., widest] = &lines;
    let clear = lines.iter().find(|line| is_clear(line));
    clear.unwrap_or(widest).clone()
}

/// How high links may bow, in steps between nodes.
const BOWS: [f64; 5] = [0.0, 0.4, -0.4, -0.7, 0.7];
/// How far from other nodes they stay.
const CLEAR: f64 = 0.22;

/// How far a point is from a line.
fn away([from, to]: [Point; 2], (x, y): Point) -> f64 {
    let way = direction([from, to]);
    let length = (to.0 - from.0).hypot(to.1 - from.1);
    let along = ((x - from.0) * way.0 + (y - from.1) * way.1).clamp(0.0, length);
    let nearest = moved(from, way, along, 0.0);
    (x - nearest.0).hypot(y - nearest.1)
}

/// Whether a link of a torus leads around a side.
fn is_around(sides: &[usize], a: usize, b: usize) -> bool {
    let mut stride = 1;
    sides.iter().rev().any(|&side| {
        let [here, there] = [a, b].map(|node| node / stride % side);
        stride *= side;
        side > 2 && here.abs_diff(there) == side - 1
    })
}

impl Wired {
    /// The drawing.
    pub fn drawing(self) -> Drawing<'static> {
        let heading = self.heading.clone();
        let caption = self.caption.clone();
        let lines = self.lines.iter().map(|line| format!("  {line}")).collect();
        let nodes = u32::try_from(self.network.nodes()).unwrap_or(u32::MAX);
        // A larger one is not drawn.
        let at = Some(&self.network)
            .filter(|_| nodes <= MOST)
            .map_or_else(Vec::new, positions);
        let most = |of: fn(&Point) -> f64| at.iter().map(of).fold(0.0, f64::max);
        let (wide, high) = (most(|at| at.0), most(|at| at.1));
        let pitch = (1100.0 / wide.max(1.0)).clamp(16.0, 56.0);
        let corner = (MARGIN + 34.0, TOP);
        let place =
            move |node: usize| (corner.0 + pitch * at[node].0, corner.1 + pitch * at[node].1);
        let radius = if pitch < 24.0 { 4.0 } else { 10.0 };
        let size = (pitch * wide + 2.0 * corner.0, TOP + pitch * high + 62.0);
        Drawing::new(heading, lines, size, caption, move |sheet| {
            for index in 0..self.network.links().len() {
                self.draw_link(sheet, index, &place, pitch);
            }
            for node in 0..self.network.nodes() {
                let is_rank = node < self.network.ranks();
                let fill = match (self.is_inside[node], is_rank) {
                    (true, _) => MARK,
                    (false, true) => PAPER,
                    (false, false) => shade(0.3, INK),
                };
                let (x, y) = place(node);
                if is_rank {
                    sheet.disc((x, y), radius, fill, (FAINT_INK, 1.0));
                } else {
                    let half = radius * 0.9;
                    sheet.rectangle(
                        [(x - half, y - half), (x + half, y + half)],
                        fill,
                        Some((INK, 1.0)),
                    );
                }
                if radius > 4.0 && is_rank {
                    let ink = if self.is_inside[node] { PAPER } else { INK };
                    let name = self.network.node(node);
                    let name = if name.len() > 3 {
                        node.to_string()
                    } else {
                        name.to_owned()
                    };
                    sheet.write(name, (x, y), text(10.0, ink, CENTRE));
                }
            }
        })
        .with_most("node", nodes, MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No link is drawn over a node that it does not join, and no node over another one.
    #[test]
    fn links_lead_past_other_nodes() {
        for name in [
            "mesh:3x3x3",
            "torus:3x4x5",
            "hypercube:5",
            "dragonfly:3,2,1",
            "fat-tree:4",
            "dgx1",
        ] {
            let network = Network::named(name).unwrap();
            let at = positions(&network);
            let apart =
                |one: usize, other: usize| (at[one].0 - at[other].0).hypot(at[one].1 - at[other].1);
            for (index, link) in network.links().iter().enumerate() {
                let is_drawn_around = matches!(network.shape(), Shape::Grid { sides, wraps: true } if is_around(sides, link.from, link.to));
                let line = path(
                    &network,
                    index,
                    |node| (56.0 * at[node].0, 56.0 * at[node].1),
                    56.0,
                );
                for node in
                    (0..network.nodes()).filter(|&node| ![link.from, link.to].contains(&node))
                {
                    assert!(apart(node, link.to) > 0.5, "{name}: {node} and {}", link.to);
                    let from = |part: &[Point]| {
                        away([part[0], part[1]], (56.0 * at[node].0, 56.0 * at[node].1))
                    };
                    let is_past = line.windows(2).all(|part| from(part) > 10.0);
                    assert!(is_past || is_drawn_around, "{name}: {link:?} over {node}");
                }
            }
        }
    }
}
