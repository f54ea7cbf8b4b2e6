//! Messages on a mesh: the labelled grid with the paths in colour, as text and as a drawing.

use algorithms::cost::Unit;
use algorithms::internals::execution::{Class, Event, What};
use anstyle::{AnsiColor, Style};

use super::execution::{Drawing, Execution, Mesh, Message};
use super::messages::aligned;
use crate::base::units::{grouped, joined, plural, together};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{CENTRE, HEADING, MARGIN, Sheet, bold, direction, moved};

/// An execution on a mesh whose messages follow paths.
struct Paths<'a> {
    execution: &'a Execution,
    mesh: Mesh,
    /// The nodes in the order of their labels.
    by_label: Vec<u32>,
    /// The path of each message, by its number.
    paths: Vec<Path>,
}

/// The links that a message crosses, in order; all are of one class.
struct Path(Vec<Event>);

impl Path {
    fn class(&self) -> usize {
        self.0.first().map_or(0, |link| link.class.into())
    }

    fn links(&self) -> u64 {
        self.0.len() as u64
    }

    fn nodes(&self) -> impl Iterator<Item = u32> {
        self.0
            .first()
            .map(|link| link.node)
            .into_iter()
            .chain(self.0.iter().map(|link| link.peer))
    }
}

/// By class.
const COLOURS: [(RGBColor, AnsiColor); 3] = [
    (Look::FIRST.colour, AnsiColor::Blue),
    (Look::SECOND.colour, AnsiColor::Red),
    (Look::THIRD.colour, AnsiColor::Green),
];

fn colour(class: usize) -> RGBColor {
    COLOURS[class % COLOURS.len()].0
}

fn style(class: usize) -> Style {
    COLOURS[class % COLOURS.len()].1.on_default()
}

/// The labelled mesh with the snake in grey and the paths in colour.
pub fn drawing(execution: &Execution) -> Drawing<'_> {
    let stage = &execution.stage;
    let mut by_label: Vec<u32> = (0..stage.nodes).collect();
    by_label.sort_by_key(|&node| execution.label(node));
    let paths = execution.by_message(What::Cross).into_iter();
    let own = Paths {
        execution,
        mesh: Mesh::new(stage),
        by_label,
        paths: paths.map(Path).collect(),
    };
    let Mesh { w, h } = own.mesh;
    let destinations = plural(stage.destinations.len() as u64, "destination");
    let links = plural(own.paths.iter().map(Path::links).sum(), "link");
    let source = stage.source.map_or_else(String::new, |source| {
        let label = execution.label(source);
        format!("source {label} at ({},{}), black; ", source % w, source / w)
    });
    let heading = [
        format!(
            "{} on {w}x{h}: {destinations}, {links}",
            execution.algorithm
        ),
        format!("{source}destinations filled; {}", stage.hints.subtitle),
    ];
    let [width, height] = [w, h].map(|side| f64::from(side) * PITCH);
    let size = (width + 2.0 * MARGIN, TOP + height + 40.0);
    let lines = own.lines();
    Drawing::new(heading, lines, size, "", move |sheet| {
        own.draw(sheet, height)
    })
    .with_most("node", stage.nodes, 256)
}

impl Paths<'_> {
    fn class(&self, class: usize) -> Class {
        let plain = Class {
            name: "path",
            brief: "path",
            mark: '*',
        };
        self.execution
            .stage
            .classes
            .get(class)
            .copied()
            .unwrap_or(plain)
    }

    fn is_source(&self, node: u32) -> bool {
        self.execution.stage.source == Some(node)
    }

    fn is_destination(&self, node: u32) -> bool {
        self.execution.stage.destinations.contains(&node)
    }

    /// The class of the first path through a node.
    fn visited_by(&self, node: u32) -> Option<usize> {
        self.paths
            .iter()
            .find(|path| path.nodes().any(|passed| passed == node))
            .map(Path::class)
    }

    fn cell(&self, node: u32, digits: usize) -> String {
        let bold = Style::new().bold();
        let label = self.execution.label(node);
        if self.is_source(node) {
            return format!("{bold}[{label:>digits$}]{bold:#}");
        }
        let class = self.visited_by(node);
        let style = class.map_or_else(|| Style::new().dimmed(), style);
        let mark = class.map_or(' ', |class| self.class(class).mark);
        if self.is_destination(node) {
            format!("{style}({label:>digits$}){style:#}")
        } else {
            format!("{style} {label:>digits$}{mark}{style:#}")
        }
    }

    fn step(&self, node: u32) -> String {
        let label = self.execution.label(node);
        if self.is_source(node) {
            format!("[{label}]")
        } else if self.is_destination(node) {
            format!("({label})")
        } else {
            label.to_string()
        }
    }
}

impl Paths<'_> {
    fn lines(&self) -> Vec<String> {
        let w = self.mesh.w;
        let h = self.mesh.h;
        let digits = (self.by_label.len() - 1).to_string().len();
        let mut lines: Vec<String> = (0..h)
            .rev()
            .map(|y| {
                let cells = (0..w).map(|x| self.cell(y * w + x, digits));
                format!("  {}", joined(" ", cells))
            })
            .collect();
        let marks = self
            .execution
            .stage
            .classes
            .iter()
            .map(|class| format!("{} {}", class.mark, class.brief));
        let marks = joined(", ", marks);
        lines.extend([
            String::new(),
            format!("[source]  (destination)  passed: {marks}"),
        ]);
        lines.extend(self.paths.iter().map(|path| {
            let style = style(path.class());
            let steps = joined(" ", path.nodes().map(|node| self.step(node)));
            let name = self.class(path.class()).name;
            let links = plural(path.links(), "link");
            format!("{style}{name}{style:#}, {links}: {steps}")
        }));
        lines.extend(table(self.execution));
        lines
    }

    /// Paths are offset from their links, so that opposite and repeated uses of a link are visible.
    fn draw(&self, sheet: &Sheet<'_>, height: f64) {
        let label = |node| self.execution.label(node);
        let mut links: Vec<(u32, u32)> = self
            .mesh
            .links()
            .flat_map(|(one, other)| [(one, other), (other, one)])
            .collect();
        links.retain(|&(node, next)| label(next) > label(node));
        links.sort_by_key(|&(node, _)| label(node));
        for (node, next) in links {
            let width = if label(next) == label(node) + 1 {
                7.0
            } else {
                1.2
            };
            sheet.line(&[self.at(node), self.at(next)], GRID, width);
        }
        for (number, path) in self.paths.iter().enumerate() {
            self.draw_path(sheet, path, 3.0 + 1.5 * (number % 4) as f64);
        }
        for &node in &self.by_label {
            self.draw_node(sheet, node);
        }
        self.draw_legend(sheet, (MARGIN, TOP + height + 16.0));
    }
}

/// Between two nodes, in pixels.
const PITCH: f64 = 62.0;
const RADIUS: f64 = 15.0;
const TOP: f64 = HEADING + 8.0;

impl Paths<'_> {
    /// The position of a node: x to the right, y upwards.
    fn at(&self, node: u32) -> Point {
        self.mesh
            .at(node, (MARGIN + PITCH / 2.0, TOP + PITCH / 2.0), PITCH)
    }

    /// A path, shifted to its right by `aside`, so that opposite paths lie side by side.
    fn draw_path(&self, sheet: &Sheet<'_>, path: &Path, aside: f64) {
        let colour = colour(path.class());
        for link in &path.0 {
            let ends = [link.node, link.peer].map(|node| self.at(node));
            let way = direction(ends);
            let [start, end] = ends.map(|end| moved(end, way, 0.0, aside));
            sheet.line(&[start, end], colour, 2.2);
            // The tip stands outside the circle of the next node.
            sheet.arrow(
                moved(end, way, -(RADIUS + 2.0), 0.0),
                way,
                [9.0, 4.5],
                colour,
            );
        }
    }

    fn draw_node(&self, sheet: &Sheet<'_>, node: u32) {
        let (fill, ink) = match (self.is_source(node), self.is_destination(node)) {
            (true, _) => (INK, PAPER),
            (_, true) => (self.visited_by(node).map_or(INK, colour), PAPER),
            _ => (PAPER, FAINT_INK),
        };
        sheet.disc(self.at(node), RADIUS, fill, (FAINT_INK, 1.0));
        sheet.write(
            self.execution.label(node),
            self.at(node),
            bold(12.0, ink, CENTRE),
        );
    }

    fn draw_legend(&self, sheet: &Sheet<'_>, (x, y): Point) {
        let used = together(self.paths.iter().map(|path| (path.class(), path.links())));
        sheet.legend(
            (x, y),
            [22.0, 16.0, 13.0],
            used.into_iter().map(|(class, links)| {
                (
                    format!(
                        "{}, {}",
                        self.class(class).name,
                        plural(links.iter().sum(), "link")
                    ),
                    colour(class),
                )
            }),
            |x, colour| {
                sheet.line(&[(x, y), (x + 22.0, y)], colour, 2.2);
            },
        );
    }
}

/// A line for each message with its times: when it begins, how long it waits, and when it arrives; nothing if links are counted
/// instead of time.
fn table(execution: &Execution) -> Vec<String> {
    if execution.stage.unit == Unit::Links {
        return Vec::new();
    }
    let paths = execution.by_message(What::Cross);
    let receives = execution.by_message(What::Receive);
    let messages = execution.messages();
    let row = |(number, message): (usize, &Message)| {
        // The header takes the same time for each hop; the rest of its time it waited.
        let sent = message.send.end;
        let path = &paths[number];
        let last = path.last().map_or(sent, |link| link.start);
        let moving = (message.receive.start - last) * (path.len() as u64).saturating_sub(1);
        let times = [
            message.send.start,
            last - sent - moving,
            message.receive.end,
        ];
        let sender = execution.label(message.send.node).to_string();
        [sender].into_iter().chain(times.map(grouped)).collect()
    };
    let receivers = receives.iter().map(|events| {
        let receivers = events.iter().map(|event| execution.label(event.node));
        joined(" ", receivers)
    });
    let titles = ["sender", "begins", "waits", "there"]
        .map(str::to_owned)
        .to_vec();
    let rows = messages.iter().enumerate().map(row);
    let rows: Vec<Vec<String>> = [titles].into_iter().chain(rows).collect();
    let receivers = ["receivers".to_owned()].into_iter().chain(receivers);
    let rows = aligned(&rows).into_iter().zip(receivers);
    let mut lines = vec![String::new(), execution.stage.hints.note.clone()];
    lines.extend(rows.map(|(row, receivers)| format!("  {row}{receivers}")));
    let finish = plural(execution.finish(), "time unit");
    lines.push(format!("all have the message after {finish}"));
    lines
}
