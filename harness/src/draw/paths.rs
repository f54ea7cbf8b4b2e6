//! Messages on a mesh: the labelled grid with the paths in colour, as text and as a drawing.

use std::fmt;

use algorithms::cost::Unit;
use algorithms::internals::execution::{Class, Event, What};
use anstyle::{AnsiColor, Style};

use super::execution::{Drawing, Execution, Mesh, Message, Svg, too_many};
use crate::base::units::{grouped, plural, together};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{CENTRE, HEADING, MARGIN, Sheet, bold, direction, moved};

/// An execution on a mesh whose messages follow paths.
pub struct Paths {
    execution: Execution,
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
        let start = self.0.first().map(|link| link.node);
        start.into_iter().chain(self.0.iter().map(|link| link.peer))
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

impl Paths {
    pub fn new(execution: Execution) -> Self {
        let mesh = Mesh::new(&execution.stage);
        let mut by_label: Vec<u32> = (0..execution.stage.nodes).collect();
        by_label.sort_by_key(|&node| execution.label(node));
        let paths = execution.paths().into_iter().map(Path).collect();
        Self {
            execution,
            mesh,
            by_label,
            paths,
        }
    }

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
        let (bold, label) = (Style::new().bold(), self.execution.label(node));
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

impl Drawing for Paths {
    fn heading(&self) -> [String; 2] {
        let Execution {
            algorithm, stage, ..
        } = &self.execution;
        let Mesh { w, h } = self.mesh;
        let destinations = plural(stage.destinations.len() as u64, "destination");
        let links = plural(self.paths.iter().map(Path::links).sum(), "link");
        let source = stage.source.map_or_else(String::new, |source| {
            format!(
                "source {} at ({},{}), black; ",
                self.execution.label(source),
                source % w,
                source / w
            )
        });
        let title = format!("{algorithm} on {w}x{h}: {destinations}, {links}");
        [
            title,
            format!("{source}destinations filled; {}", stage.hints.subtitle),
        ]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (self.by_label.len() - 1).to_string().len();
        for y in (0..self.mesh.h).rev() {
            let row: Vec<String> = (0..self.mesh.w)
                .map(|x| self.cell(y * self.mesh.w + x, digits))
                .collect();
            writeln!(f, "  {}", row.join(" "))?;
        }
        writeln!(f)?;
        let classes = self.execution.stage.classes.iter();
        let marks: Vec<String> = classes
            .map(|class| format!("{} {}", class.mark, class.brief))
            .collect();
        writeln!(f, "[source]  (destination)  passed: {}", marks.join(", "))?;
        for path in &self.paths {
            let style = style(path.class());
            let steps: Vec<String> = path.nodes().map(|node| self.step(node)).collect();
            let (name, links) = (self.class(path.class()).name, plural(path.links(), "link"));
            writeln!(f, "{style}{name}{style:#}, {links}: {}", steps.join(" "))?;
        }
        table(&self.execution, f)
    }

    fn too_large(&self) -> Option<String> {
        too_many("node", self.execution.stage.nodes, 256)
    }

    /// The labelled mesh with the snake in grey and the paths in colour. Paths are offset from their links, so that
    /// opposite and repeated uses of a link are visible.
    fn to_svg(&self) -> Svg {
        let (width, height) = (
            f64::from(self.mesh.w) * PITCH,
            f64::from(self.mesh.h) * PITCH,
        );
        self.picture((width + 2.0 * MARGIN, TOP + height + 40.0), "", |sheet| {
            for &node in &self.by_label {
                let label = self.execution.label(node);
                for next in self
                    .neighbours(node)
                    .filter(|&next| self.execution.label(next) > label)
                {
                    let width = if self.execution.label(next) == label + 1 {
                        7.0
                    } else {
                        1.2
                    };
                    sheet.line(&[self.at(node), self.at(next)], GRID, width);
                }
            }
            for (number, path) in self.paths.iter().enumerate() {
                self.draw_path(sheet, path, 3.0 + 1.5 * (number % 4) as f64);
            }
            self.by_label
                .iter()
                .for_each(|&node| self.draw_node(sheet, node));
            self.draw_legend(sheet, (MARGIN, TOP + height + 16.0));
        })
    }
}

/// Between two nodes, in pixels.
const PITCH: f64 = 62.0;
const RADIUS: f64 = 15.0;
const TOP: f64 = HEADING + 8.0;

impl Paths {
    fn neighbours(&self, node: u32) -> impl Iterator<Item = u32> {
        let (x, y, w) = (node % self.mesh.w, node / self.mesh.w, self.mesh.w);
        let [left, down] = [(x > 0).then(|| node - 1), (y > 0).then(|| node - w)];
        let [right, up] = [
            (x + 1 < w).then(|| node + 1),
            (y + 1 < self.mesh.h).then(|| node + w),
        ];
        [left, down, right, up].into_iter().flatten()
    }

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
        let name = |(class, links): (usize, Vec<u64>)| {
            (
                format!(
                    "{}, {}",
                    self.class(class).name,
                    plural(links.iter().sum(), "link")
                ),
                colour(class),
            )
        };
        sheet.legend(
            (x, y),
            [22.0, 16.0, 13.0],
            used.into_iter().map(name),
            |x, colour| {
                sheet.line(&[(x, y), (x + 22.0, y)], colour, 2.2);
            },
        );
    }
}

/// Writes a line for each message with its times: when it begins, how long it waits, and when it arrives; nothing if links are counted instead of time.
fn table(execution: &Execution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if execution.stage.unit == Unit::Links {
        return Ok(());
    }
    let (messages, paths) = (execution.messages(), execution.paths());
    let mut receivers: Vec<Vec<&Event>> = vec![Vec::new(); messages.len()];
    for event in execution.events_of(What::Receive) {
        receivers[event.transfer as usize].push(event);
    }
    let row = |(number, message): (usize, &Message)| {
        // The header takes the same time for each hop; the rest of its time it waited.
        let last = paths[number].last().map_or(message.sent, |link| link.start);
        let hop = message.received - last;
        let moving = hop * (paths[number].len() as u64).saturating_sub(1);
        let receivers: Vec<String> = receivers[number]
            .iter()
            .map(|event| execution.label(event.node).to_string())
            .collect();
        let [begins, waits, there] =
            [message.start, last - message.sent - moving, message.held].map(grouped);
        [
            execution.label(message.from).to_string(),
            begins,
            waits,
            there,
            receivers.join(" "),
        ]
    };
    let titles = ["sender", "begins", "waits", "there", "receivers"].map(str::to_owned);
    let rows: Vec<[String; 5]> = [titles]
        .into_iter()
        .chain(messages.iter().enumerate().map(row))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [a, b, c, d]: [usize; 4] = std::array::from_fn(width);
    writeln!(f, "\n{}", execution.stage.hints.note)?;
    for [sender, begins, waits, there, receivers] in &rows {
        writeln!(
            f,
            "  {sender:>a$}  {begins:>b$}  {waits:>c$}  {there:>d$}  {receivers}"
        )?;
    }
    writeln!(
        f,
        "all have the message after {}",
        plural(execution.finish(), "time unit")
    )
}
