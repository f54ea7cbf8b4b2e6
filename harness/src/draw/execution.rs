//! The view of an execution that drawings use.

use std::collections::BTreeMap;
use std::fmt;

use algorithms::cost::Unit;
use algorithms::internals::execution::{Event, Stage, What};

use crate::base::units::plural;
use crate::draw::chart::style::{FAINT_INK, PAPER, Point, RGBColor};
use crate::draw::chart::svg::{self, LEFT, MARGIN, SUBTITLE, Sheet, text, text_width};

/// Size of the letters of a caption.
const CAPTION: f64 = 12.0;

/// Something that can be shown: as text by [`fmt::Display`], and as SVG.
pub struct Drawing<'a> {
    /// Its title and the line below it.
    pub heading: [String; 2],
    /// The lines of text below both.
    pub lines: Vec<String>,
    /// If a picture would not be legible: the reason, and the limit.
    pub too_large: Option<String>,
    /// Width and height of the picture.
    pub size: Point,
    /// The accessible description below the subtitle.
    pub explanation: String,
    /// Draws the picture below the heading.
    pub draw: Box<dyn Fn(&Sheet<'_>) + 'a>,
}

impl<'a> Drawing<'a> {
    /// A drawing at least this large, and as wide as its subtitle and its caption, which stands in its last line.
    pub fn new(
        heading: [String; 2],
        lines: Vec<String>,
        (width, height): Point,
        caption: impl Into<String>,
        draw: impl Fn(&Sheet<'_>) + 'a,
    ) -> Self {
        let caption = caption.into();
        let longest = text_width(&heading[1], SUBTITLE).max(text_width(&caption, CAPTION));
        Self {
            heading,
            lines,
            too_large: None,
            size: (width.max(longest + 2.0 * MARGIN), height),
            explanation: caption.clone(),
            draw: Box::new(move |sheet| {
                draw(sheet);
                if !caption.is_empty() {
                    let style = text(CAPTION, FAINT_INK, LEFT);
                    sheet.write(&caption, (MARGIN, height - MARGIN), style);
                }
            }),
        }
    }

    /// The drawing, whose picture has room for so many of its nodes.
    pub fn with_most(self, noun: &str, nodes: u32, most: u32) -> Self {
        Self {
            too_large: too_many(noun, nodes, most),
            ..self
        }
    }

    /// The picture.
    pub fn to_svg(&self) -> String {
        let [title, subtitle] = &self.heading;
        svg::picture(self.size, (title, subtitle), &self.explanation, &*self.draw)
    }
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [title, subtitle] = &self.heading;
        writeln!(f, "{title}\n{subtitle}\n")?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// An execution of an algorithm.
#[derive(Debug)]
pub struct Execution {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The message size and the machine, if times are those of a machine.
    pub carrier: Option<String>,
    /// The processors or the mesh.
    pub stage: Stage,
    /// The events, in order of time.
    pub events: Vec<Event>,
}

/// A message of an execution: its send, and its receive by its last receiver.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub send: Event,
    pub receive: Event,
}

impl Message {
    /// Sender and receiver.
    pub fn ends(&self) -> (u32, u32) {
        (self.send.node, self.send.peer)
    }
}

impl Execution {
    /// The algorithm and what is executed.
    pub fn title(&self) -> String {
        match (self.stage.hints.title.as_str(), self.stage.mesh) {
            ("", Some((w, h))) => format!("{} on {w}x{h}", self.algorithm),
            (title, _) => format!("{}: {title}", self.algorithm),
        }
    }

    /// The line below the title of a drawing with times.
    pub fn subtitle(&self) -> String {
        let unit = if self.stage.unit == Unit::Nanoseconds {
            ", all in ns"
        } else {
            ""
        };
        format!("{}{unit}", self.stage.hints.subtitle)
    }

    /// The number of a node that users see.
    pub fn label(&self, node: u32) -> u32 {
        self.stage
            .hints
            .labels
            .get(node as usize)
            .copied()
            .unwrap_or(node + self.stage.first)
    }

    /// The rows of a drawing: the nodes of each group stand together, below its name. Without groups one without a name.
    pub fn groups(&self) -> Vec<(String, Vec<u32>)> {
        let hints = &self.stage.hints;
        let mut groups: BTreeMap<Option<u64>, Vec<u32>> = BTreeMap::new();
        for node in 0..self.stage.nodes {
            let group = hints.groups.get(node as usize).copied();
            groups.entry(group).or_default().push(node);
        }
        let name = |group| format!("{} {group}", hints.group);
        groups
            .into_iter()
            .map(|(group, nodes)| (group.map_or_else(String::new, name), nodes))
            .collect()
    }

    /// When the last node is done.
    pub fn finish(&self) -> u64 {
        self.events
            .iter()
            .filter(|event| !event.what.is_gap())
            .map(|event| event.end)
            .max()
            .unwrap_or(0)
    }

    /// Its events of a kind.
    pub fn events_of(&self, what: What) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.what == what)
    }

    /// Its events of a kind, in order, by the number of their message.
    pub fn by_message(&self, what: What) -> Vec<Vec<Event>> {
        let mut all: Vec<Vec<Event>> = Vec::new();
        for event in self.events_of(what) {
            let index = event.transfer as usize;
            all.resize(all.len().max(index + 1), Vec::new());
            all[index].push(*event);
        }
        all
    }

    /// All messages, by their numbers.
    pub fn messages(&self) -> Vec<Message> {
        let [sends, receives] = [What::Send, What::Receive].map(|what| self.by_message(what));
        let last = |events: Option<&Vec<Event>>| {
            events
                .and_then(|events| events.last())
                .copied()
                .unwrap_or_default()
        };
        (0..sends.len())
            .map(|number| Message {
                send: last(sends.get(number)),
                receive: last(receives.get(number)),
            })
            .collect()
    }
}

/// The message if a picture cannot hold this many nodes.
pub(crate) fn too_many(noun: &str, nodes: u32, most: u32) -> Option<String> {
    (nodes > most).then(|| {
        format!(
            "{} are too many to draw legibly; expected at most {most}",
            plural(nodes.into(), noun)
        )
    })
}

/// A mix of paper and a colour by its share.
pub fn shade(share: f64, colour: RGBColor) -> RGBColor {
    let mix = |paper: u8, ink: u8| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between two bytes"
        )]
        let mixed = (f64::from(paper) + (f64::from(ink) - f64::from(paper)) * share).round() as u8;
        mixed
    };
    RGBColor(
        mix(PAPER.0, colour.0),
        mix(PAPER.1, colour.1),
        mix(PAPER.2, colour.2),
    )
}

/// The colour of a link or a pair by its share of the most, from light to dark; 0 is white.
pub fn loaded(share: f64) -> RGBColor {
    const DARK: RGBColor = RGBColor(0x3f, 0x00, 0x7d);
    if share > 0.0 {
        shade(0.15 + 0.85 * share, DARK)
    } else {
        PAPER
    }
}

/// A mesh, its nodes row by row.
#[derive(Debug, Clone, Copy)]
pub struct Mesh {
    pub w: u32,
    pub h: u32,
}

impl Mesh {
    /// The mesh of an execution; without one, a row of its nodes.
    pub fn new(stage: &Stage) -> Self {
        let (w, h) = stage.mesh.unwrap_or((stage.nodes, 1));
        Self { w, h }
    }

    pub fn nodes(self) -> u32 {
        self.w * self.h
    }

    /// The pairs of neighbours, each once, from the left and from below.
    pub fn links(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.nodes()).flat_map(move |node| {
            let right = (node % self.w + 1 < self.w).then_some(node + 1);
            [
                right,
                (node + self.w < self.nodes()).then_some(node + self.w),
            ]
            .into_iter()
            .flatten()
            .map(move |next| (node, next))
        })
    }

    /// The position of a node below and right of a corner: x to the right, y upwards.
    pub fn at(self, node: u32, (left, top): Point, pitch: f64) -> Point {
        let x = node % self.w;
        let y = self.h - 1 - node / self.w;
        (left + pitch * f64::from(x), top + pitch * f64::from(y))
    }

    /// The sides of a drawing between the outermost nodes.
    pub fn size(self, pitch: f64) -> [f64; 2] {
        [self.w, self.h].map(|side| pitch * f64::from(side - 1))
    }
}
