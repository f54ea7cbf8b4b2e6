//! Executions for other programs: Chrome trace JSON, which Perfetto opens, and CSV of events.
//!
//! In a trace a node is a process and each of its cpus, ports and links a track. Arrows lead from a send to its receive,
//! and along the links that a message crosses one after the other. Perfetto counts in microseconds: one of them is one unit
//! of the model's time; on a machine profile it is a microsecond.

use std::collections::BTreeMap;
use std::io::{self, Write};

use algorithms::cost::Unit;
use algorithms::execution::{Event, Stage, What};
use serde::Serialize;

/// An execution: where, and its events in order of time.
#[derive(Debug)]
pub struct Trace {
    /// Where it happens.
    pub stage: Stage,
    /// What happens.
    pub events: Vec<Event>,
}

/// A row of the CSV.
#[derive(Serialize)]
struct Row {
    start: u64,
    end: u64,
    node: u64,
    what: &'static str,
    port: Option<u32>,
    peer: Option<u64>,
    message: Option<u32>,
    item: Option<u32>,
    class: Option<&'static str>,
}

impl Trace {
    /// The node as users know it.
    fn name(&self, node: u32) -> u64 {
        u64::from(node) + u64::from(self.stage.first)
    }

    fn class(&self, event: &Event) -> Option<&'static str> {
        self.stage.classes.get(usize::from(event.class)).map(|class| class.name)
    }

    /// Writes a row for each event. What an event does not have is empty.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(out);
        writer.write_record(["start", "end", "node", "what", "port", "peer", "message", "item", "class"])?;
        for event in &self.events {
            let is_message = event.what != What::Compute;
            writer.serialize(Row {
                start: event.start,
                end: event.end,
                node: self.name(event.node),
                what: event.what.word(),
                port: (event.what != What::Cross).then_some(event.port),
                peer: is_message.then(|| self.name(event.peer)),
                message: is_message.then_some(event.transfer),
                item: (is_message && !self.stage.item.is_empty()).then_some(event.item),
                class: self.class(event).filter(|_| !is_message || self.stage.mesh.is_some()),
            })?;
        }
        writer.flush()
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_trace(&self, out: &mut impl Write) -> io::Result<()> {
        let tracks = self.tracks();
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        self.write_names(out, &tracks)?;
        let mut arrows = Arrows::new(&self.events);
        for event in &self.events {
            self.write_slice(out, event, tracks[&track_of(event)])?;
            write!(out, "{}}}", arrows.at(event))?;
        }
        writeln!(out, "\n]}}")
    }

    /// Names and orders the processes, which Perfetto sorts by their number of events otherwise, and names their tracks.
    fn write_names(&self, out: &mut impl Write, tracks: &BTreeMap<(u32, Track, u32), u64>) -> io::Result<()> {
        let nodes = if self.stage.mesh.is_some() { "node" } else { "rank" };
        let (mut comma, mut last) = ("", None);
        for (&(node, kind, lane), &track) in tracks {
            let pid = self.name(node);
            let mut facts = Vec::new();
            if last.replace(node) != Some(node) {
                facts.push(("process_name", format!("\"name\":\"{nodes} {pid}\"")));
                facts.push(("process_sort_index", format!("\"sort_index\":{pid}")));
            }
            facts.push(("thread_name", format!("\"name\":\"{}\"", kind.name(lane, |peer| self.name(peer)))));
            for (what, args) in facts {
                write!(
                    out,
                    "{comma}\n{{\"ph\":\"M\",\"pid\":{pid},\"tid\":{track},\"name\":\"{what}\",\"args\":{{{args}}}}}"
                )?;
                comma = ",";
            }
        }
        Ok(())
    }

    /// Writes an event up to the arrows that end or begin there.
    fn write_slice(&self, out: &mut impl Write, event: &Event, track: u64) -> io::Result<()> {
        write!(out, ",\n{{\"ph\":\"X\",\"pid\":{},\"tid\":{track},\"ts\":", self.name(event.node))?;
        self.write_time(out, event.start)?;
        write!(out, ",\"dur\":")?;
        self.write_time(out, event.end - event.start)?;
        write!(out, ",\"name\":\"")?;
        let (peer, item) = (self.name(event.peer), self.stage.item);
        match event.what {
            What::Compute => write!(out, "{}\"", self.class(event).unwrap_or("compute"))?,
            What::Send => write!(out, "send to {peer}\"")?,
            What::Receive => write!(out, "receive from {peer}\"")?,
            What::Cross => write!(out, "message {}\"", event.transfer)?,
            What::SendGap | What::ReceiveGap => write!(out, "gap\"")?,
        }
        if event.what != What::Compute && !event.what.is_gap() {
            write!(out, ",\"args\":{{\"message\":{}", event.transfer)?;
            if !item.is_empty() {
                // Where items are messages, a transfer is a hop of one.
                let key = if item == "message" { "item" } else { item };
                write!(out, ",\"{key}\":{}", event.item)?;
            }
            if let Some(class) = self.class(event) {
                write!(out, ",\"class\":\"{class}\"")?;
            }
            write!(out, "}}")?;
        }
        Ok(())
    }

    /// A time in microseconds.
    fn write_time(&self, out: &mut impl Write, time: u64) -> io::Result<()> {
        match self.stage.unit {
            Unit::Nanoseconds => write!(out, "{}.{:03}", time / 1000, time % 1000),
            _ => write!(out, "{time}"),
        }
    }

    /// The tracks of each node, with numbers that are larger than those of all processes: Perfetto takes track 0 for the
    /// track with the number of its process, and two tracks with one number for one.
    fn tracks(&self) -> BTreeMap<(u32, Track, u32), u64> {
        let mut tracks: BTreeMap<_, _> = self.events.iter().map(|event| (track_of(event), 0)).collect();
        let processes = tracks.last_key_value().map_or(0, |((node, ..), _)| self.name(*node) + 1);
        for (track, number) in tracks.values_mut().zip(processes..) {
            *track = number;
        }
        tracks
    }
}

/// What a track shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Track {
    Cpu,
    Send,
    Receive,
    Link,
}

impl Track {
    fn name(self, lane: u32, named: impl Fn(u32) -> u64) -> String {
        match self {
            Self::Cpu => format!("cpu {lane}"),
            Self::Send => format!("send port {lane}"),
            Self::Receive => format!("receive port {lane}"),
            Self::Link => format!("link to {}", named(lane)),
        }
    }
}

/// The node, and what of it an event occupies.
fn track_of(event: &Event) -> (u32, Track, u32) {
    let (track, lane) = match event.what {
        What::Compute => (Track::Cpu, event.port),
        What::Send | What::SendGap => (Track::Send, event.port),
        What::Receive | What::ReceiveGap => (Track::Receive, event.port),
        What::Cross => (Track::Link, event.peer),
    };
    (event.node, track, lane)
}

/// The arrows of messages: from each event of a message to its next one. They are bound to the slices, not to times, for where
/// links are counted several messages cross a link at the same time.
struct Arrows {
    /// Of each message, whether its first event was written, and how many are to come.
    messages: Vec<(bool, u32)>,
}

impl Arrows {
    fn new(events: &[Event]) -> Self {
        let mut messages = Vec::new();
        for message in events.iter().filter_map(Self::message) {
            messages.resize(messages.len().max(message + 1), (false, 0));
            messages[message].1 += 1;
        }
        Self { messages }
    }

    /// The message that an event moves.
    fn message(event: &Event) -> Option<usize> {
        let moves = matches!(event.what, What::Send | What::Receive | What::Cross);
        moves.then_some(event.transfer as usize)
    }

    /// The arrows at this event, which comes next: that from the event before, and that to the next one.
    fn at(&mut self, event: &Event) -> String {
        let Some(message) = Self::message(event) else { return String::new() };
        let (begun, left) = &mut self.messages[message];
        *left -= 1;
        let ends = if std::mem::replace(begun, true) { ",\"flow_in\":true" } else { "" };
        let begins = if *left > 0 { ",\"flow_out\":true" } else { "" };
        if ends.is_empty() && begins.is_empty() {
            String::new()
        } else {
            format!(",\"bind_id\":{message}{ends}{begins}")
        }
    }
}
