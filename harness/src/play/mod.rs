//! The page of `castbench show --html`: plays any execution in a browser, in one HTML file that needs no other.
//!
//! The page holds the rows of `castbench export csv` as JSON. Its script derives all that it states from them; it knows
//! no problem. The page depends only on the execution: no time, no host.

use std::collections::{BTreeMap, VecDeque};

use algorithms::internals::engine::{Machine, Operation, Program};
use algorithms::internals::execution::{Event, What};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use crate::draw::{Execution, too_many};
use crate::failure::{Code, Failure};
use crate::markup;
use crate::revision::revision;
use crate::trace::{COLUMNS, Row, Trace};
use crate::units::{grouped, plural};

/// The style of the page of `castbench report`, and what this page adds.
const STYLES: [&str; 2] = [include_str!("../report/page/style.css"), include_str!("play.css")];
/// What the page states, and how it draws and plays it.
const SCRIPTS: [&str; 2] = [include_str!("state.js"), include_str!("play.js")];

/// Most nodes and events of a page.
const MAX_NODES: u32 = 256;
const MAX_EVENTS: usize = 1 << 16;
/// The largest integer that JavaScript represents exactly.
const MAX_TIME: u64 = (1 << 53) - 1;

/// What the script reads.
#[derive(Serialize)]
struct Data {
    columns: [&'static str; COLUMNS.len()],
    events: Vec<Row>,
    /// By message, where processors send messages.
    messages: Vec<Option<Sent>>,
    nodes: u32,
    first: u32,
    labels: Vec<u32>,
    groups: Vec<u64>,
    group: &'static str,
    source: Option<u32>,
    destinations: Vec<u32>,
    mesh: Option<(u32, u32)>,
    unit: &'static str,
    noun: &'static str,
    item: &'static str,
}

/// A message of a program.
#[derive(Clone, Serialize)]
struct Sent {
    /// Its size, where sizes matter.
    size: Option<String>,
    /// When it is at its receiver.
    there: u64,
}

/// Why a page could not play an execution, and the limit.
#[must_use]
pub fn too_large(execution: &Execution) -> Option<String> {
    let (events, stage) = (&execution.events, &execution.stage);
    if events.len() > MAX_EVENTS {
        let [count, most] = [events.len(), MAX_EVENTS].map(|count| grouped(count as u64));
        return Some(format!("{count} events are too many to play; expected at most {most}"));
    }
    let last = events.iter().map(|event| event.end).max().unwrap_or_default();
    if last > MAX_TIME {
        let [last, most] = [last, MAX_TIME].map(grouped);
        return Some(format!("an event ends at {last}, expected at most {most}; use a coarser time unit"));
    }
    too_many(stage.hints.noun, stage.nodes, MAX_NODES)
}

/// The page. `program` has the sizes of messages, `about` the lines of the header, each with a title.
///
/// # Errors
/// Exit code 1 if a message of the program has no time, or if JSON fails; 2 for sends that are posted together.
pub fn page(
    execution: &Execution,
    program: Option<&(Machine, Program)>,
    about: &[(&str, String)],
) -> Result<String, Failure> {
    let internal = |error: &dyn std::fmt::Display| Failure::new(Code::Internal, error);
    if program.is_some_and(|(_, program)| program.is_posted_together()) {
        return Err(Failure::usage("--html: the page draws sends one by one; name the algorithm without `:posted`"));
    }
    let stage = &execution.stage;
    let name = |node: u32| node + stage.first;
    let trace = Trace::new(stage.clone(), execution.events.clone());
    let messages = program.map(|(machine, program)| sent(*machine, program, &trace.events)).transpose();
    let data = Data {
        columns: COLUMNS.map(|column| column.0),
        events: trace.rows().collect(),
        messages: messages.map_err(|error| internal(&error))?.unwrap_or_default(),
        nodes: stage.nodes,
        first: stage.first,
        labels: stage.hints.labels.clone(),
        groups: stage.hints.groups.clone(),
        group: stage.hints.group,
        source: stage.source.map(name),
        destinations: stage.destinations.iter().copied().map(name).collect(),
        mesh: stage.mesh,
        unit: stage.unit.plural(),
        noun: stage.hints.noun,
        item: stage.item,
    };
    // No text can end the script element.
    let data = serde_json::to_string(&data).map_err(|error| internal(&error))?.replace('<', "\\u003c");
    Ok(markup::well_formed(document(execution, about, &data).into_string()))
}

/// Size and arrival of each message. Messages between two processors with one tag are matched in order.
fn sent(machine: Machine, program: &Program, events: &[Event]) -> Result<Vec<Option<Sent>>, algorithms::error::Error> {
    let mut sizes: BTreeMap<(u32, u32, u32), VecDeque<(u32, u64)>> = BTreeMap::new();
    for from in 0..program.processors() {
        for operation in program.range(from) {
            if let Operation::Send { to, tag, bytes } = program.operation(operation) {
                sizes.entry((from, to, tag)).or_default().push_back((operation, bytes));
            }
        }
    }
    let unit = match machine {
        Machine::LogP(_) => None,
        Machine::Words(_) => Some("word"),
        Machine::LogGops(_) => Some("byte"),
    };
    let mut messages = Vec::new();
    let mut sends: Vec<&Event> = events.iter().filter(|event| event.what == What::Send).collect();
    sends.sort_by_key(|event| event.transfer);
    for event in sends {
        let size = sizes.get_mut(&(event.node, event.peer, event.item)).and_then(VecDeque::pop_front);
        let place = event.transfer as usize;
        messages.resize(messages.len().max(place + 1), None);
        let Some((operation, bytes)) = size else { continue };
        let there = event.end.saturating_add(program.seen_by(operation, machine)?.L());
        messages[place] = Some(Sent { size: unit.map(|unit| plural(bytes, unit)), there });
    }
    Ok(messages)
}

fn document(execution: &Execution, about: &[(&str, String)], data: &str) -> Markup {
    let (hints, title) = (&execution.stage.hints, execution.title());
    let drawn = match execution.stage.mesh {
        Some(_) => "Mesh at the chosen time",
        None => "Timelines; left and right arrow: next event of a row, up and down: next row",
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                // An empty icon, so that no browser asks a server for one.
                link rel="icon" href="data:,";
                @for style in STYLES { style { (PreEscaped(style)) } }
            }
            body {
                header {
                    h1 { (title) }
                    @for line in execution.carrier.iter().chain([&hints.subtitle]).filter(|line| !line.is_empty()) {
                        p { (line) }
                    }
                    details open {
                        summary { "The algorithm and its cost" }
                        dl { @for (title, line) in about { dt { (title) } dd { (line) } } }
                    }
                    noscript { p { "This page needs JavaScript. The text of " code { "castbench show" } " does not." } }
                }
                (controls())
                main {
                    section .stage aria-labelledby="chart-title" {
                        h2 #chart-title { @if execution.stage.mesh.is_some() { "Mesh" } @else { "Timelines" } }
                        div #chart { svg role="group" aria-label=(drawn) {} }
                        ul #legend {}
                        p #event aria-live="polite" {}
                    }
                    section .state aria-labelledby="transit-title" {
                        h2 #transit-title { "In transit" }
                        ul #transit {}
                        h2 #nodes-title { "What each " (hints.noun) " does and has received" }
                        div #nodes .scroll role="region" aria-labelledby="nodes-title" tabindex="0" {}
                    }
                }
                footer { p {
                    "Written by castbench " (env!("CARGO_PKG_VERSION")) ", revision "
                    code { (revision()) }
                    ". Nothing on this page depends on when or where it was made."
                } }
                script #execution type="application/json" { (PreEscaped(data)) }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    }
}

/// The bar that stays in view.
fn controls() -> Markup {
    html! {
        div .controls role="group" aria-label="Time" {
            button #play type="button" { "Play" }
            button #earlier type="button" aria-label="Previous moment" { "‹" }
            button #later type="button" aria-label="Next moment" { "›" }
            input #time type="range" min="0" step="1" value="0" aria-label="Time";
            output #now for="time" aria-live="off" {}
            label { "Speed " select #speed {
                @for (value, name) in [("0.25", "¼"), ("1", "1"), ("4", "4")] {
                    option value=(value) selected[value == "1"] { (name) }
                }
            } }
        }
    }
}
