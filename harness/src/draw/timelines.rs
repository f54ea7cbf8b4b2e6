//! A summation as the timelines of its processors: what each does when, and which message waits for whom.

use std::fmt;

use algorithms::logp::LogP;
use algorithms::logp::summation::schedule::{Operation, Schedule};
use algorithms::logp::summation::simulator::{Span, Trace};
use plotters::prelude::Rectangle;
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, RGBColor};

use super::{Drawing, pixels, time_axis};
use crate::chart::ChartError;
use crate::chart::style::{FAINT_INK, GRID, INK, Look, PAPER};
use crate::chart::svg::{
    HEADING, MARGIN, SUBTITLE, Sheet, drawing, fine, line, picture, stroke, text, text_width, write,
};
use crate::units::{grouped, plural};

/// An executed summation.
pub struct Timelines {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The machine.
    pub model: LogP,
    /// Who does what in which order.
    pub schedule: Schedule,
    /// Who did what when.
    pub trace: Trace,
}

/// What a processor is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Add,
    Combine,
    Receive,
    Send,
    Wait,
}

/// In the order of the legend.
const ACTIVITIES: [Activity; 5] = [Activity::Add, Activity::Receive, Activity::Combine, Activity::Send, Activity::Wait];

impl Activity {
    fn of(operation: Operation) -> Self {
        match operation {
            Operation::Add { .. } => Self::Add,
            Operation::Combine { .. } => Self::Combine,
            Operation::Receive { .. } => Self::Receive,
            Operation::Send { .. } => Self::Send,
        }
    }

    fn mark(self) -> char {
        match self {
            Self::Add => '+',
            Self::Combine => 'c',
            Self::Receive => 'r',
            Self::Send => 's',
            Self::Wait => '.',
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Add => "adds own operands",
            Self::Combine => "adds the partial sum received",
            Self::Receive => "receives",
            Self::Send => "sends",
            Self::Wait => "waits",
        }
    }

    fn colour(self) -> RGBColor {
        match self {
            Self::Add => RGBColor(0x8c, 0xbf, 0xe0),
            Self::Combine => Look::FIRST.colour,
            Self::Receive => Look::THIRD.colour,
            Self::Send => Look::SECOND.colour,
            Self::Wait => GRID,
        }
    }
}

/// Widest timeline that is written a letter for each time unit.
const LETTERS: u64 = 100;

impl Timelines {
    fn title(&self) -> String {
        let operands = (0..self.schedule.processors()).map(|p| self.schedule.operands(p)).sum();
        let (operands, processors) =
            (plural(operands, "operand"), plural(self.schedule.processors().into(), "processor"));
        format!("{}: {operands} on {processors}", self.algorithm)
    }

    fn subtitle(&self) -> String {
        let [L, o, g, finish] = [self.model.L(), self.model.o(), self.model.g(), self.trace.finish].map(grouped);
        let idle = (0..self.schedule.processors()).filter(|&p| self.schedule.operands(p) == 0).count() as u64;
        let idle = if idle == 0 { String::new() } else { format!("; {} without a part", plural(idle, "processor")) };
        format!("L = {L}, o = {o}, g = {g}; processor 0 holds the sum at {finish}{idle}")
    }

    /// The activities of a processor without a gap, from the start to its last operation.
    fn activities(&self, p: u32) -> Vec<(u64, u64, Activity)> {
        let mut activities = Vec::new();
        let mut now = 0;
        for &Span { start, end, operation } in self.trace.spans(p) {
            if start > now {
                activities.push((now, start, Activity::Wait));
            }
            activities.push((start, end, Activity::of(operation)));
            now = end;
        }
        activities
    }

    fn letters(&self, p: u32) -> String {
        let letter = |(start, end, activity): (u64, u64, Activity)| (start..end).map(move |_| activity.mark());
        self.activities(p).into_iter().flat_map(letter).collect()
    }

    fn words(&self, p: u32) -> String {
        let word = |span: &Span| {
            let what = match span.operation {
                Operation::Add { operands } => format!("adds {}", grouped(operands)),
                Operation::Combine { from } => format!("adds the sum of {from}"),
                Operation::Receive { from } => format!("receives from {from}"),
                Operation::Send { to } => format!("sends to {to}"),
            };
            format!("{} {what}", grouped(span.start))
        };
        self.trace.spans(p).iter().map(word).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for Timelines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "{}", self.subtitle())?;
        writeln!(f)?;
        // Where o = 0 a send takes no time, and so no letter.
        let by_letter = self.trace.finish <= LETTERS && self.model.o() > 0;
        let heading = if by_letter {
            (0..self.trace.finish.div_ceil(10).max(1)).map(|ten| format!("{:<10}", ten * 10)).collect()
        } else {
            "what it does from which time on".to_owned()
        };
        writeln!(f, "processor  operands  {}", heading.trim_end())?;
        for p in 0..self.schedule.processors() {
            let timeline = if by_letter { self.letters(p) } else { self.words(p) };
            let line = format!("{p:>9}  {:>8}  {timeline}", grouped(self.schedule.operands(p)));
            writeln!(f, "{}", line.trim_end())?;
        }
        if by_letter {
            let legend = ACTIVITIES.map(|activity| format!("{} {}", activity.mark(), activity.name()));
            writeln!(f)?;
            writeln!(f, "{}", legend.join(", "))?;
            writeln!(f, "operands: how many of its own; the first of them is there without an addition")?;
        }
        Ok(())
    }
}

/// Between two timelines, and the height of a bar.
const PITCH: f64 = 30.0;
const BAR: f64 = 17.0;
const TOP: f64 = HEADING + 34.0;
/// Width of all time.
const SPAN: f64 = 900.0;
const LABEL: f64 = 12.0;

impl Drawing for Timelines {
    fn too_large(&self) -> Option<String> {
        let processors = self.schedule.processors();
        let too_many = || format!("{processors} processors are too many to draw legibly; expected at most 256");
        (processors > 256).then(too_many)
    }

    /// A bar a processor along a common time axis; a thin line for each message on its way.
    fn to_svg(&self) -> Result<String, ChartError> {
        let rows = f64::from(self.schedule.processors());
        let left = MARGIN + text_width("P000: 000,000", LABEL) + 8.0;
        let bottom = TOP + rows * PITCH;
        let x = |time: u64| left + SPAN * time as f64 / self.trace.finish.max(1) as f64;
        let longest = text_width(&self.subtitle(), SUBTITLE) + 2.0 * MARGIN;
        let size = pixels((left + SPAN + MARGIN * 2.0).max(longest), bottom + 68.0);
        picture(size, (&self.title(), &self.subtitle()), TOLD, |sheet| {
            time_axis::draw(sheet, self.trace.finish, &x, (TOP, bottom))?;
            for p in 0..self.schedule.processors() {
                self.draw_timeline(sheet, p, left, &x)?;
            }
            for p in 0..self.schedule.processors() {
                self.draw_messages(sheet, p, &x)?;
            }
            draw_legend(sheet, (MARGIN, bottom + 28.0))
        })
    }
}

/// The middle of a processor's bar.
fn y(p: u32) -> f64 {
    TOP + PITCH * (f64::from(p) + 0.5)
}

impl Timelines {
    fn draw_timeline(&self, sheet: &Sheet<'_>, p: u32, left: f64, x: &dyn Fn(u64) -> f64) -> Result<(), ChartError> {
        let name = format!("P{p}: {}", grouped(self.schedule.operands(p)));
        write(sheet, &name, (left - 8.0, y(p)), &text(LABEL, INK, HPos::Right, VPos::Center))?;
        for (start, end, activity) in self.activities(p) {
            let corners = [(fine(x(start)), fine(y(p) - BAR / 2.0)), (fine(x(end)), fine(y(p) + BAR / 2.0))];
            sheet.draw(&Rectangle::new(corners, activity.colour().filled())).map_err(drawing)?;
            sheet.draw(&Rectangle::new(corners, stroke(PAPER, 0.6))).map_err(drawing)?;
        }
        Ok(())
    }

    /// From the end of each send of `p` to the begin of its reception.
    fn draw_messages(&self, sheet: &Sheet<'_>, p: u32, x: &dyn Fn(u64) -> f64) -> Result<(), ChartError> {
        for sent in self.trace.spans(p) {
            let Operation::Send { to } = sent.operation else { continue };
            let received = self.trace.spans(to).iter().find(|span| span.operation == Operation::Receive { from: p });
            if let Some(received) = received {
                line(sheet, &[(x(sent.end), y(p)), (x(received.start), y(to))], FAINT_INK, 1.0)?;
            }
        }
        Ok(())
    }
}

const TOLD: &str = "Beside each processor its own operands; thin lines are messages on their way.";

fn draw_legend(sheet: &Sheet<'_>, (mut x, y): (f64, f64)) -> Result<(), ChartError> {
    for activity in ACTIVITIES {
        let corners = [(fine(x), fine(y - 6.0)), (fine(x + 14.0), fine(y + 6.0))];
        sheet.draw(&Rectangle::new(corners, activity.colour().filled())).map_err(drawing)?;
        write(sheet, activity.name(), (x + 20.0, y), &text(LABEL, INK, HPos::Left, VPos::Center))?;
        x += 20.0 + text_width(activity.name(), LABEL) + 18.0;
    }
    write(sheet, TOLD, (MARGIN, y + 22.0), &text(LABEL, FAINT_INK, HPos::Left, VPos::Center))
}
