//! Executions for other programs: Chrome trace JSON, which Perfetto opens, and CSV of events.
//!
//! In a trace, a node is a process, and each of its cpus, ports and links is a track. Arrows connect a send with its
//! receive, and the links that a message crosses one after the other. Perfetto counts in microseconds: one stands for
//! one time unit of the model, or for 1 us on a machine profile.

use std::collections::BTreeMap;
use std::io::{self, Write};

use algorithms::cost::Unit;
use algorithms::internals::execution::{Event, Stage, What};

use crate::print::column::{self, Tabled as _, tabled};

/// An execution: its stage, and its events in order of time.
#[derive(Debug)]
pub struct Trace {
    /// Where it happens.
    pub stage: Stage,
    /// What happens.
    pub events: Vec<Event>,
}

tabled! {
    /// An event with the numbers of users; values of all but the first four columns may be missing.
    #[derive(Debug)]
    pub struct EventRow {
        /// begin of the event: time, ns, steps, rounds; hops where links are counted
        start: u64,
        /// end of the event
        end: u64,
        /// its node
        node: u64,
        /// `compute`, `send`, `receive`, `cross` (a message holds a link), `send-gap`, `receive-gap` (a port takes no other message)
        what: String,
        /// cpu or port
        port: Option<u32>,
        /// other node of the message, or end of the link
        peer: Option<u64>,
        /// number of the message
        message: Option<u32>,
        /// what it carries: a segment, a message of the problem, a round
        item: Option<u32>,
        /// network of a path, or kind of addition
        class: Option<String>,
    }
}

impl Trace {
    /// An execution with its events in the order of an export: longer ones first, so that a gap encloses the message
    /// before it.
    pub fn new(stage: Stage, mut events: Vec<Event>) -> Self {
        events.sort_unstable_by_key(|event| (event.start, std::cmp::Reverse(event.end), *event));
        Self { stage, events }
    }

    /// A row for each event; values that the event does not have are missing.
    pub fn rows(&self) -> impl Iterator<Item = EventRow> {
        self.events.iter().map(|event| {
            let is_message = event.what != What::Compute;
            EventRow {
                start: event.start,
                end: event.end,
                node: self.name(event.node),
                what: event.what.word().to_owned(),
                port: (event.what != What::Cross).then_some(event.port),
                peer: is_message.then(|| self.name(event.peer)),
                message: is_message.then_some(event.transfer),
                item: (is_message && !self.stage.item.is_empty()).then_some(event.item),
                class: self
                    .class(event)
                    .filter(|_| !is_message || self.stage.mesh.is_some())
                    .map(str::to_owned),
            }
        })
    }

    /// The node's number for users.
    fn name(&self, node: u32) -> u64 {
        u64::from(node) + u64::from(self.stage.first)
    }

    fn class(&self, event: &Event) -> Option<&'static str> {
        self.stage
            .classes
            .get(usize::from(event.class))
            .map(|class| class.name)
    }

    /// Writes a row for each event; missing values are empty.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        column::write(&EventRow::columns(), self.rows(), out)
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write_trace(&self, out: &mut impl Write) -> io::Result<()> {
        let tracks = self.tracks();
        write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        self.write_names(out, &tracks)?;
        // The first and the last event of each message.
        let mut ends: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
        let numbered = || self.events.iter().enumerate();
        for (number, event) in numbered().filter(|(_, event)| moves(event)) {
            ends.entry(event.transfer).or_insert([number; 2])[1] = number;
        }
        for (number, event) in numbered() {
            self.write_slice(out, event, tracks[&track_of(event)])?;
            // Arrows lead from each event of a message to the next one. They are bound to slices, not to times, because several
            // messages may cross a link at the same time where links are counted.
            let ends = ends.get(&event.transfer).filter(|_| moves(event));
            if let Some(&[first, last]) = ends.filter(|[first, last]| first < last) {
                let end = if first < number {
                    ",\"flow_in\":true"
                } else {
                    ""
                };
                let begin = if number < last {
                    ",\"flow_out\":true"
                } else {
                    ""
                };
                write!(out, ",\"bind_id\":{}{end}{begin}", event.transfer)?;
            }
            write!(out, "}}")?;
        }
        writeln!(out, "\n]}}")
    }

    /// Names and orders the processes, which Perfetto would sort by their number of events, and names their tracks.
    fn write_names(&self, out: &mut impl Write, tracks: &BTreeMap<Track, u64>) -> io::Result<()> {
        let nodes = if self.stage.mesh.is_some() {
            "node"
        } else {
            "rank"
        };
        let mut comma = "";
        let mut last = None;
        for (&(node, kind, lane), &track) in tracks {
            let pid = self.name(node);
            let mut facts = Vec::new();
            if last.replace(node) != Some(node) {
                facts.push(("process_name", format!("\"name\":\"{nodes} {pid}\"")));
                facts.push(("process_sort_index", format!("\"sort_index\":{pid}")));
            }
            let lane = if TRACKS[kind] == "link to" {
                self.name(lane)
            } else {
                lane.into()
            };
            facts.push((
                "thread_name",
                format!("\"name\":\"{} {lane}\"", TRACKS[kind]),
            ));
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

    /// Writes an event, except the arrows that end or begin there.
    fn write_slice(&self, out: &mut impl Write, event: &Event, track: u64) -> io::Result<()> {
        let pid = self.name(event.node);
        let peer = self.name(event.peer);
        let item = self.stage.item;
        let name = match event.what {
            What::Compute => self.class(event).unwrap_or("compute").to_owned(),
            What::Send => format!("send to {peer}"),
            What::Receive => format!("receive from {peer}"),
            What::Cross => format!("message {}", event.transfer),
            What::SendGap | What::ReceiveGap => "gap".to_owned(),
        };
        let [start, lasts] = [event.start, event.end - event.start].map(|time| self.time(time));
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":{pid},\"tid\":{track},\"ts\":{start},\"dur\":{lasts},\"name\":\"{name}\""
        )?;
        if moves(event) {
            write!(out, ",\"args\":{{\"message\":{}", event.transfer)?;
            if !item.is_empty() {
                // Where items are messages, a transfer is a hop of a message.
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

    fn time(&self, time: u64) -> String {
        match self.stage.unit {
            Unit::Nanoseconds => format!("{}.{:03}", time / 1000, time % 1000),
            _ => time.to_string(),
        }
    }

    /// The tracks of each node. Their numbers exceed those of all processes: Perfetto takes track 0 for the process
    /// itself, and merges tracks with equal numbers.
    fn tracks(&self) -> BTreeMap<Track, u64> {
        let mut tracks: BTreeMap<_, _> = self
            .events
            .iter()
            .map(|event| (track_of(event), 0))
            .collect();
        let processes = tracks
            .last_key_value()
            .map_or(0, |((node, ..), _)| self.name(*node) + 1);
        for (track, number) in tracks.values_mut().zip(processes..) {
            *track = number;
        }
        tracks
    }
}

/// What tracks are, in their order.
const TRACKS: [&str; 4] = ["cpu", "send port", "receive port", "link to"];

/// A node, which of the [`TRACKS`] and its number.
type Track = (u32, usize, u32);

/// The track that an event occupies.
fn track_of(event: &Event) -> Track {
    match event.what {
        What::Compute => (event.node, 0, event.port),
        What::Send | What::SendGap => (event.node, 1, event.port),
        What::Receive | What::ReceiveGap => (event.node, 2, event.port),
        What::Cross => (event.node, 3, event.peer),
    }
}

/// Whether a message is on its way.
fn moves(event: &Event) -> bool {
    matches!(event.what, What::Send | What::Receive | What::Cross)
}
