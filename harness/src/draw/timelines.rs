//! The timelines of nodes: computing, receiving, sending, waiting.

use algorithms::internals::execution::{Class, Event, What};

use super::execution::{Drawing, Execution};
use crate::base::units::{grouped, joined};
use crate::draw::chart::style::{FAINT_INK, GRID, INK, Look, PAPER, RGBColor};
use crate::draw::chart::svg::{ABOVE, HEADING, LEFT, MARGIN, RIGHT, Sheet, text, text_width};

/// An execution by nodes.
pub struct Timelines<'a> {
    execution: &'a Execution,
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

/// A bar for each node along a common time axis; a thin line for each message.
pub fn drawing(execution: &Execution) -> Drawing<'_> {
    let own = Timelines::new(execution);
    let lines = own
        .letters()
        .unwrap_or_else(|| own.rows("what it does from which time on", &|node| own.words(node)));
    own.drawing(lines)
}

impl<'a> Timelines<'a> {
    pub fn new(execution: &'a Execution) -> Self {
        let mut spans = vec![Vec::new(); execution.stage.nodes as usize];
        for event in execution
            .events
            .iter()
            .filter(|event| !event.what.is_gap() && event.what != What::Cross)
        {
            spans[event.node as usize].push(*event);
        }
        // A stable sort keeps the order of events that begin together.
        for spans in &mut spans {
            spans.sort_by_key(|event: &Event| event.start);
        }
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
        classes
            .next()
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

    fn words(&self, node: usize) -> String {
        joined(
            "; ",
            self.spans[node].iter().map(|event| {
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
            }),
        )
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
        self.finish <= LETTERS
            && !self.overlaps()
            && self
                .spans
                .iter()
                .flatten()
                .all(|event| event.what == What::Compute || event.end > event.start)
    }

    /// Whether a node does two things at once, as on several ports or in rounds.
    fn overlaps(&self) -> bool {
        self.spans
            .iter()
            .any(|spans| spans.windows(2).any(|pair| pair[1].start < pair[0].end))
    }
}

impl<'a> Timelines<'a> {
    /// The timelines by letters, if these show everything.
    pub fn letters(&self) -> Option<Vec<String>> {
        let tens = (0..self.finish.div_ceil(10).max(1)).map(|ten| format!("{:<10}", ten * 10));
        let letters = |node| {
            self.activities(node)
                .into_iter()
                .flat_map(|(start, end, activity)| (start..end).map(move |_| self.look(activity).0))
                .collect()
        };
        let looks = self.legend().map(|activity| self.look(activity));
        let legend = joined(", ", looks.map(|(mark, name, _)| format!("{mark} {name}")));
        let note = Some(self.execution.stage.hints.note.clone());
        let below = [String::new(), legend].into_iter();
        let below = below.chain(note.filter(|note| !note.is_empty()));
        let rows = || self.rows(tens.collect::<String>().trim_end(), &letters);
        self.is_by_letter()
            .then(|| rows().into_iter().chain(below).collect())
    }

    /// A row for each node.
    fn rows(&self, title: &str, row: &dyn Fn(usize) -> String) -> Vec<String> {
        let hints = &self.execution.stage.hints;
        let noun = hints.noun;
        let width = hints.noun.len().max(4);
        let beside = match hints.beside.0 {
            "" => String::new(),
            title => format!("  {title}"),
        };
        let mut lines = vec![format!("{noun:>width$}{beside}  {title}")];
        for (name, nodes) in self.execution.groups() {
            lines.extend(Some(name).filter(|name| !name.is_empty()));
            lines.extend(nodes.into_iter().map(|node| {
                let label = node + self.execution.stage.first;
                let beside = self.beside(node as usize);
                let row = row(node as usize);
                let line = format!("{label:>width$}{beside}  {row}");
                line.trim_end().to_owned()
            }));
        }
        lines
    }

    /// The drawing with these lines of text.
    pub fn drawing(self, lines: Vec<String>) -> Drawing<'a> {
        let execution = self.execution;
        let finish = self.finish;
        let hints = &execution.stage.hints;
        let (widest, beside) = match hints.beside.0 {
            "" => ("P000", String::new()),
            title => (
                "P000: 000,000",
                format!("Number beside each {}: its {title}. ", hints.noun),
            ),
        };
        let left = MARGIN + text_width(widest, LABEL) + 8.0;
        let (middles, names, bottom) = self.places();
        let x = move |time: u64| left + SPAN * time as f64 / finish.max(1) as f64;
        let heading = [execution.title(), execution.subtitle()];
        let size = (left + SPAN + MARGIN * 2.0, bottom + 68.0);
        let caption = format!("{beside}Thin lines: messages.");
        Drawing::new(heading, lines, size, caption, move |sheet| {
            draw_axis(sheet, finish, &x, (TOP, bottom));
            for (name, y) in &names {
                sheet.line(&[(MARGIN, *y), (x(finish), *y)], GRID, 1.0);
                sheet.write(name, (MARGIN, y + NAME / 2.0), text(LABEL, INK, LEFT));
            }
            for (node, &y) in middles.iter().enumerate() {
                self.draw_timeline(sheet, (node, y), left, &x);
            }
            let y = |node: u32| middles.get(node as usize).copied().unwrap_or(TOP);
            let mut messages = execution.messages();
            messages.sort_by_key(|message| message.send.node);
            for message in messages {
                let (from, to) = message.ends();
                let ends = [
                    (x(message.send.end), y(from)),
                    (x(message.receive.start), y(to)),
                ];
                sheet.line(&ends, FAINT_INK, 1.0);
            }
            let (looks, y) = (self.legend().map(|own| self.look(own)), bottom + 28.0);
            let names = looks.map(|(_, name, colour)| (name, colour));
            sheet.legend((MARGIN, y), [14.0, 18.0, LABEL], names, |x, colour| {
                sheet.rectangle([(x, y - 6.0), (x + 14.0, y + 6.0)], colour, None);
            });
        })
        .with_most(hints.noun, execution.stage.nodes, 256)
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

impl Timelines<'_> {
    /// The middle of each node's bar, the name of each group with the line above it, and where the rows end.
    fn places(&self) -> (Vec<f64>, Vec<(String, f64)>, f64) {
        let mut middles = vec![TOP; self.spans.len()];
        let mut names = Vec::new();
        let mut y = TOP;
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

    fn draw_timeline(
        &self,
        sheet: &Sheet<'_>,
        (node, y): (usize, f64),
        left: f64,
        x: &dyn Fn(u64) -> f64,
    ) {
        let hints = &self.execution.stage.hints;
        let initial = hints.noun.get(..1).unwrap_or_default().to_uppercase();
        let number = node + self.execution.stage.first as usize;
        let beside = hints
            .beside
            .1
            .get(node)
            .map_or_else(String::new, |own| format!(": {}", grouped(*own)));
        let name = format!("{initial}{number}{beside}");
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
    for time in (0..=finish / step)
        .map(|tick| tick * step)
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
