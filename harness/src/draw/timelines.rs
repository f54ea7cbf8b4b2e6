//! The timelines of nodes: computing, receiving, sending, waiting.

use std::fmt;

use algorithms::internals::execution::{Class, Event, What};

use super::execution::{Drawing, Execution, Svg, too_many};
use crate::base::units::grouped;
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, RGBColor};
use crate::draw::chart::svg::{ABOVE, HEADING, LEFT, MARGIN, RIGHT, Sheet, text, text_width};

/// An execution by nodes.
pub struct Timelines {
    execution: Execution,
    /// The events of each node, in order.
    spans: Vec<Vec<Event>>,
    finish: u64,
}

/// The activity of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    /// A computation of this class.
    Compute(usize),
    Receive,
    Send,
    Wait,
}

/// The class of computations without one.
const COMPUTES: &[Class] = &[Class {
    name: "computes",
    brief: "computes {time}",
    mark: '+',
}];
/// The colour of each class.
const COMPUTATIONS: [RGBColor; 3] = [
    RGBColor(0x8c, 0xbf, 0xe0),
    Look::FIRST.colour,
    Look::FOURTH.colour,
];

impl Activity {
    fn from_event(event: &Event) -> Self {
        match event.what {
            What::Send => Self::Send,
            What::Receive => Self::Receive,
            _ => Self::Compute(event.class.into()),
        }
    }
}

/// The longest time that is written with one letter per time unit.
const LETTERS: u64 = 100;

impl Timelines {
    pub fn new(execution: Execution) -> Self {
        let mut spans = vec![Vec::new(); execution.stage.nodes as usize];
        for event in execution
            .events
            .iter()
            .filter(|event| !event.what.is_gap() && event.what != What::Cross)
        {
            spans[event.node as usize].push(*event);
        }
        // A stable sort keeps the order of events that begin together.
        spans
            .iter_mut()
            .for_each(|spans: &mut Vec<Event>| spans.sort_by_key(|event| event.start));
        Self {
            finish: execution.finish(),
            execution,
            spans,
        }
    }

    fn classes(&self) -> &'static [Class] {
        let computes = || {
            self.spans
                .iter()
                .flatten()
                .any(|event| event.what == What::Compute)
        };
        match self.execution.stage.classes {
            [] if computes() => COMPUTES,
            classes => classes,
        }
    }

    /// All activities, in the order of the legend.
    fn legend(&self) -> impl Iterator<Item = Activity> {
        let mut classes = (0..self.classes().len()).map(Activity::Compute);
        let first = classes.next();
        first
            .into_iter()
            .chain([Activity::Receive])
            .chain(classes)
            .chain([Activity::Send, Activity::Wait])
    }

    /// Its letter, its name and its colour.
    fn look(&self, activity: Activity) -> (char, &'static str, RGBColor) {
        match activity {
            Activity::Compute(class) => {
                let Class { mark, name, .. } = self.classes()[class];
                (mark, name, COMPUTATIONS[class % COMPUTATIONS.len()])
            }
            Activity::Receive => ('r', "receives", Look::THIRD.colour),
            Activity::Send => ('s', "sends", Look::SECOND.colour),
            Activity::Wait => ('.', "waits", GRID),
        }
    }

    /// The activities of a node from 0 to its last event, waits included.
    fn activities(&self, node: usize) -> Vec<(u64, u64, Activity)> {
        let mut activities = Vec::new();
        let mut now = 0;
        for event in &self.spans[node] {
            if event.start > now {
                activities.push((now, event.start, Activity::Wait));
            }
            activities.push((event.start, event.end, Activity::from_event(event)));
            now = now.max(event.end);
        }
        activities
    }

    fn letters(&self, node: usize) -> String {
        let letter = |(start, end, activity)| (start..end).map(move |_| self.look(activity).0);
        self.activities(node).into_iter().flat_map(letter).collect()
    }

    fn words(&self, node: usize) -> String {
        let word = |event: &Event| {
            let peer = self.execution.label(event.peer).to_string();
            let what = match Activity::from_event(event) {
                Activity::Compute(class) => {
                    let time = grouped(event.end - event.start);
                    self.classes()[class]
                        .brief
                        .replace("{time}", &time)
                        .replace("{peer}", &peer)
                }
                Activity::Receive => format!("receives from {peer}"),
                Activity::Send | Activity::Wait => format!("sends to {peer}"),
            };
            format!("{} {what}", grouped(event.start))
        };
        self.spans[node]
            .iter()
            .map(word)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// The column with a number for each node, if there is one.
    fn beside(&self, node: usize) -> String {
        let (title, numbers) = &self.execution.stage.hints.beside;
        numbers.get(node).map_or_else(String::new, |&number| {
            format!("  {:>1$}", grouped(number), title.len())
        })
    }

    /// Whether one letter per time unit shows everything. A send that takes no time would have no letter.
    fn is_by_letter(&self) -> bool {
        let has_letter = |event: &Event| event.what == What::Compute || event.end > event.start;
        self.finish <= LETTERS && !self.overlaps() && self.spans.iter().flatten().all(has_letter)
    }

    /// Whether a node does two things at once, as on several ports or in rounds.
    fn overlaps(&self) -> bool {
        self.spans
            .iter()
            .any(|spans| spans.windows(2).any(|pair| pair[1].start < pair[0].end))
    }
}

impl Timelines {
    /// The timelines by letters, where these show everything.
    pub fn begin(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_by_letter() {
            self.write_letters(f)?;
            writeln!(f)?;
        }
        Ok(())
    }

    fn write_letters(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hints = &self.execution.stage.hints;
        let tens: String = (0..self.finish.div_ceil(10).max(1))
            .map(|ten| format!("{:<10}", ten * 10))
            .collect();
        self.write_rows(f, tens.trim_end(), &|node| self.letters(node))?;
        let looks = self.legend().map(|activity| self.look(activity));
        let legend: Vec<String> = looks
            .map(|(mark, name, _)| format!("{mark} {name}"))
            .collect();
        writeln!(f, "\n{}", legend.join(", "))?;
        if hints.note.is_empty() {
            Ok(())
        } else {
            writeln!(f, "{}", hints.note)
        }
    }

    /// A row for each node.
    fn write_rows(
        &self,
        f: &mut fmt::Formatter<'_>,
        title: &str,
        row: &dyn Fn(usize) -> String,
    ) -> fmt::Result {
        let hints = &self.execution.stage.hints;
        let (noun, width) = (hints.noun, hints.noun.len().max(4));
        let beside = if hints.beside.0.is_empty() {
            String::new()
        } else {
            format!("  {}", hints.beside.0)
        };
        writeln!(f, "{noun:>width$}{beside}  {title}")?;
        for (name, nodes) in self.execution.groups() {
            if !name.is_empty() {
                writeln!(f, "{name}")?;
            }
            for (node, label) in nodes
                .iter()
                .map(|&node| (node as usize, node + self.execution.stage.first))
            {
                writeln!(
                    f,
                    "{}",
                    format!("{label:>width$}{}  {}", self.beside(node), row(node)).trim_end()
                )?;
            }
        }
        Ok(())
    }
}

impl Drawing for Timelines {
    fn heading(&self) -> [String; 2] {
        [self.execution.title(), self.execution.subtitle()]
    }

    fn text(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_by_letter() {
            return self.write_letters(f);
        }
        self.write_rows(f, "what it does from which time on", &|node| {
            self.words(node)
        })
    }

    fn too_large(&self) -> Option<String> {
        too_many(
            self.execution.stage.hints.noun,
            self.execution.stage.nodes,
            256,
        )
    }

    /// A bar per node along a common time axis; a thin line for each message.
    fn to_svg(&self) -> Svg {
        let widest = if self.execution.stage.hints.beside.0.is_empty() {
            "P000"
        } else {
            "P000: 000,000"
        };
        let left = MARGIN + text_width(widest, LABEL) + 8.0;
        let (middles, names, bottom) = self.rows();
        let x = |time: u64| left + SPAN * time as f64 / self.finish.max(1) as f64;
        self.picture(
            (left + SPAN + MARGIN * 2.0, bottom + 68.0),
            &self.caption(),
            |sheet| {
                draw_axis(sheet, self.finish, &x, (TOP, bottom));
                for (name, y) in &names {
                    sheet.line(&[(MARGIN, *y), (x(self.finish), *y)], GRID, 1.0);
                    sheet.write(name, (MARGIN, y + NAME / 2.0), text(LABEL, INK, LEFT));
                }
                for (node, &y) in middles.iter().enumerate() {
                    self.draw_timeline(sheet, (node, y), left, &x);
                }
                let y = |node: u32| middles.get(node as usize).copied().unwrap_or(TOP);
                let mut messages = self.execution.messages();
                messages.sort_by_key(|message| message.from);
                for message in messages {
                    let ends = [
                        (x(message.sent), y(message.from)),
                        (x(message.received), y(message.to)),
                    ];
                    sheet.line(&ends, FAINT_INK, 1.0);
                }
                let (looks, y) = (
                    self.legend().map(|activity| self.look(activity)),
                    bottom + 28.0,
                );
                let names = looks.map(|(_, name, colour)| (name, colour));
                sheet.legend((MARGIN, y), [14.0, 18.0, LABEL], names, |x, colour| {
                    sheet.rectangle([(x, y - 6.0), (x + 14.0, y + 6.0)], colour, None);
                });
            },
        )
    }
}

/// Between two timelines, and the height of a bar.
const PITCH: f64 = 30.0;
const BAR: f64 = 17.0;
/// The name of a group, above its timelines.
const NAME: f64 = 24.0;
const TOP: f64 = HEADING + 34.0;
/// Width of all time.
const SPAN: f64 = 900.0;
const LABEL: f64 = 12.0;

impl Timelines {
    /// The middle of each node's bar, the name of each group with the line above it, and where the rows end.
    fn rows(&self) -> (Vec<f64>, Vec<(String, f64)>, f64) {
        let (mut middles, mut names, mut y) = (vec![TOP; self.spans.len()], Vec::new(), TOP);
        for (name, nodes) in self.execution.groups() {
            if !name.is_empty() {
                names.push((name, y));
                y += NAME;
            }
            for node in nodes {
                middles[node as usize] = y + PITCH / 2.0;
                y += PITCH;
            }
        }
        (middles, names, y)
    }

    /// The caption.
    fn caption(&self) -> String {
        match self.execution.stage.hints.beside.0 {
            "" => "Thin lines: messages.".to_owned(),
            title => {
                format!(
                    "Number beside each {}: its {title}. Thin lines: messages.",
                    self.execution.stage.hints.noun
                )
            }
        }
    }

    fn draw_timeline(
        &self,
        sheet: &Sheet<'_>,
        (node, y): (usize, f64),
        left: f64,
        x: &dyn Fn(u64) -> f64,
    ) {
        let initial: String = self
            .execution
            .stage
            .hints
            .noun
            .chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .collect();
        let number = node + self.execution.stage.first as usize;
        let beside = self
            .execution
            .stage
            .hints
            .beside
            .1
            .get(node)
            .map(|&number| format!(": {}", grouped(number)));
        let name = format!("{initial}{number}{}", beside.unwrap_or_default());
        sheet.write(name, (left - 8.0, y), text(LABEL, INK, RIGHT));
        let halves = self.overlaps();
        for (start, end, activity) in self.activities(node) {
            let (top, bottom) = match activity {
                Activity::Send if halves => (y, y + BAR / 2.0),
                Activity::Receive if halves => (y - BAR / 2.0, y),
                _ => (y - BAR / 2.0, y + BAR / 2.0),
            };
            sheet.rectangle(
                [(x(start), top), (x(end), bottom)],
                self.look(activity).2,
                Some((PAPER, 0.6)),
            );
        }
    }
}

/// Draws ticks from 0 to `finish`, as lines from `top` to `bottom`; `x` maps a time to its pixel.
fn draw_axis(sheet: &Sheet<'_>, finish: u64, x: &dyn Fn(u64) -> f64, (top, bottom): (f64, f64)) {
    let widest = (text_width(&grouped(finish), LABEL) + 14.0).max(40.0);
    let mut step: u64 = 1;
    while x(step) - x(0) < widest && step < finish {
        // 1, 2, 5, 10, 20, 50, ...
        step = if step.to_string().starts_with('2') {
            step / 2 * 5
        } else {
            step * 2
        };
    }
    let regular = (0..=finish / step).map(|tick| tick * step);
    for time in regular
        .filter(|time| x(finish) - x(*time) > widest)
        .chain([finish])
    {
        sheet.line(&[(x(time), top - 4.0), (x(time), bottom)], GRID, 1.0);
        sheet.write(
            grouped(time),
            (x(time), top - 8.0),
            text(LABEL, FAINT_INK, ABOVE),
        );
    }
}
