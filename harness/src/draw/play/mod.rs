//! The page of `castbench show --html`: plays any executions in a browser on one clock, in one HTML file that needs no other.
//!
//! The page holds the rows of `castbench export csv` of each as JSON. Its script derives all that it states from them; it knows
//! no problem. The page depends only on the execution: no time, no host.

use std::collections::{BTreeMap, VecDeque};

use algorithms::internals::engine::{Machine, Operation, Program};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;
use serde_json::Value;

use crate::base::failure::{Failure, Result};
use crate::base::revision::revision;
use crate::base::units::grouped;
use crate::draw::execution::{Execution, too_many};
use crate::draw::trace::{EventRow, Trace};
use crate::print::column::{self, Tabled as _};
use crate::print::markup;

/// The style of the page of `castbench report`, and what this page adds.
const STYLES: [&str; 2] = [include_str!("style.css"), include_str!("play.css")];
/// What the page states, and how it draws and plays it.
const SCRIPTS: [&str; 2] = [include_str!("state.js"), include_str!("play.js")];

/// Most nodes and events of a page.
const MAX_NODES: u32 = 256;
const MAX_EVENTS: usize = 1 << 16;
/// The largest integer that JavaScript represents exactly.
const MAX_TIME: u64 = (1 << 53) - 1;

/// The data that the script of the page reads.
#[derive(Serialize)]
struct Data {
    columns: Vec<String>,
    events: Vec<Vec<Value>>,
    /// By message, where processors send messages.
    messages: Vec<Option<Sent>>,
    /// The unit of their sizes.
    size: &'static str,
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
    size: Option<u64>,
    /// When it is at its receiver.
    there: u64,
    /// The ranges of words that it carries, where that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<(u64, u64)>,
}

/// An execution on a page.
pub struct Played<'a> {
    /// The execution that is played.
    pub execution: &'a Execution,
    /// The sizes of its messages, where processors send any.
    pub program: Option<(Machine, Program)>,
    /// Lines about it, each with a title.
    pub about: Vec<(&'static str, String)>,
}

/// Why a page could not play an execution, and the limit.
pub fn too_large(execution: &Execution) -> Option<String> {
    let events = &execution.events;
    let stage = &execution.stage;
    if events.len() > MAX_EVENTS {
        let [count, most] = [events.len(), MAX_EVENTS].map(|count| grouped(count as u64));
        return Some(format!(
            "{count} events are too many to play; expected at most {most}"
        ));
    }
    let last = events
        .iter()
        .map(|event| event.end)
        .max()
        .unwrap_or_default();
    if last > MAX_TIME {
        let [last, most] = [last, MAX_TIME].map(grouped);
        return Some(format!(
            "an event ends at {last}, expected at most {most}; use a coarser time unit"
        ));
    }
    too_many(stage.hints.noun, stage.nodes, MAX_NODES)
}

/// The page of some executions, side by side.
///
/// # Errors
/// Exit code 1 if a message of the program has no time, or if JSON fails; 2 for sends that are posted together.
pub fn page(played: &[Played<'_>]) -> Result<String> {
    let data = played.iter().map(data).collect::<Result<Vec<Data>>>()?;
    let data = serde_json::to_string(&data).map_err(Failure::internal)?;
    // No text can end the script element.
    Ok(markup::well_formed(
        document(played, &data.replace('<', "\\u003c")).into_string(),
    ))
}

fn data(played: &Played<'_>) -> Result<Data> {
    let Played {
        execution, program, ..
    } = played;
    if program
        .as_ref()
        .is_some_and(|(_, program)| program.is_posted_together())
    {
        bail!("--html: the page draws sends one by one; name the algorithm without `:posted`");
    }
    let stage = &execution.stage;
    let name = |node: u32| node + stage.first;
    let trace = Trace::new(stage.clone(), execution.events.clone());
    let columns = EventRow::columns();
    let values = |row: EventRow| {
        columns
            .iter()
            .filter_map(|column| column.value(&row))
            .collect()
    };
    let messages = program
        .as_ref()
        .map(|(machine, program)| sent(*machine, program, execution))
        .transpose();
    Ok(Data {
        columns: column::names(&columns).map(str::to_owned).collect(),
        events: trace.rows().map(values).collect(),
        messages: messages.map_err(Failure::internal)?.unwrap_or_default(),
        size: program
            .as_ref()
            .map_or("", |(machine, _)| unit_of_sizes(*machine)),
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
    })
}

/// The unit in which a machine counts messages; empty where sizes do not matter.
fn unit_of_sizes(machine: Machine) -> &'static str {
    match machine {
        Machine::LogP(_) => "",
        Machine::Words(_) => "word",
        Machine::LogGops(_) => "byte",
    }
}

/// Size and arrival of each message. Messages between two processors with one tag are matched in order.
fn sent(
    machine: Machine,
    program: &Program,
    execution: &Execution,
) -> Result<Vec<Option<Sent>>, algorithms::error::Error> {
    let mut sizes: BTreeMap<(u32, u32, u32), VecDeque<(u32, u64)>> = BTreeMap::new();
    for from in 0..program.processors() {
        for operation in program.range(from) {
            if let Operation::Send { to, tag, bytes } = program.operation(operation) {
                sizes
                    .entry((from, to, tag))
                    .or_default()
                    .push_back((operation, bytes));
            }
        }
    }
    let is_sized = !unit_of_sizes(machine).is_empty();
    execution
        .messages()
        .into_iter()
        .enumerate()
        .map(|(number, message)| {
            let event = message.send;
            let size = sizes.get_mut(&(event.node, event.peer, event.item));
            let Some((operation, bytes)) = size.and_then(VecDeque::pop_front) else {
                return Ok(None);
            };
            let latency = program.seen_by(operation, operation, machine)?.L();
            let words = execution.stage.hints.carried.get(number);
            Ok(Some(Sent {
                size: is_sized.then_some(bytes),
                there: event.end.saturating_add(latency),
                words: words.cloned().unwrap_or_default(),
            }))
        })
        .collect()
}

fn document(played: &[Played<'_>], data: &str) -> Markup {
    let names: Vec<&str> = played
        .iter()
        .map(|played| played.execution.algorithm)
        .collect();
    let titles: Vec<String> = played
        .iter()
        .map(|played| played.execution.title())
        .collect();
    let what = titles.last().map_or("", String::as_str);
    let is_alone = played.len() == 1;
    // All have one problem and point, so what follows the name of the last holds for all.
    let title = [&names[..names.len().saturating_sub(1)], &[what]]
        .concat()
        .join(" and ");
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title, &STYLES))
            body {
                header {
                    h1 { (title) }
                    @for played in played { (about(played, is_alone)) }
                    noscript { p { "This page needs JavaScript. The text of " code { "castbench show" } " does not." } }
                }
                (controls())
                main .beside[!is_alone] { @for (number, played) in played.iter().enumerate() { (section(number, played)) } }
                (footer())
                script #execution type="application/json" { (PreEscaped(data)) }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    }
}

/// The head of a page of castbench.
pub fn head(title: &str, styles: &[&str]) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            // An empty icon, so that no browser asks a server for one.
            link rel="icon" href="data:,";
            @for style in styles { style { (PreEscaped(style)) } }
        }
    }
}

/// What wrote a page.
pub fn footer() -> Markup {
    html! {
        footer { p {
            "Written by castbench " (env!("CARGO_PKG_VERSION")) ", revision "
            code { (revision()) }
            ". Nothing on this page depends on when or where it was made."
        } }
    }
}

/// What is executed, where it comes from and what it costs.
fn about(
    Played {
        execution, about, ..
    }: &Played<'_>,
    is_alone: bool,
) -> Markup {
    let lines = || {
        execution
            .carrier
            .iter()
            .chain([&execution.stage.hints.subtitle])
            .filter(|line| !line.is_empty())
    };
    html! {
        @if is_alone { @for line in lines() { p { (line) } } }
        details {
            summary { @if is_alone { "The algorithm and its cost" } @else { (execution.algorithm) ": the algorithm and its cost" } }
            @if !is_alone { @for line in lines() { p { (line) } } }
            dl { @for (title, line) in about { dt { (title) } dd { (line) } } }
        }
    }
}

/// An execution: the drawing, and what happens at the chosen time.
fn section(number: usize, Played { execution, .. }: &Played<'_>) -> Markup {
    let hints = &execution.stage.hints;
    let is_mesh = execution.stage.mesh.is_some();
    let drawn = if is_mesh {
        "Mesh at the chosen time"
    } else {
        "Timelines; left and right arrow: next event of a row, up and down: next row"
    };
    let id = |name: &str| format!("{name}-{number}");
    html! {
        section .play aria-labelledby=(id("chart")) {
            div .stage {
                h2 id=(id("chart")) { (execution.algorithm) }
                p .status {}
                div .lanes { div { svg role="group" aria-label=(drawn) {} canvas aria-hidden="true" {} } }
                ul .legend {}
                p .said aria-live="polite" {}
            }
            div .state {
                h3 id=(id("nodes")) { "What each " (hints.noun) " does and has received" }
                div .nodes .scroll role="region" aria-labelledby=(id("nodes")) tabindex="0" {}
                h3 { "In transit" }
                ul .transit {}
            }
        }
    }
}

/// The bar that stays in view.
fn controls() -> Markup {
    html! {
        div .controls role="group" aria-label="Time" {
            button #run type="button" aria-keyshortcuts="Space" { "Play" }
            button #earlier type="button" aria-label="Previous moment" { "‹" }
            button #later type="button" aria-label="Next moment" { "›" }
            input #time type="range" min="0" step="1" value="0" aria-label="Time";
            output #now for="time" aria-live="off" {}
            label { "Speed " select #speed {
                @for (value, name) in [("0.25", "¼"), ("1", "1"), ("4", "4")] {
                    option value=(value) selected[value == "1"] { (name) }
                }
            } }
            p .keys {
                kbd { "Space" } " play, pause " kbd { "←" } " " kbd { "→" } " previous, next moment "
                kbd { "Home" } " " kbd { "End" } " start, end " kbd { "Tab" } " to the bars, arrows from bar to bar"
            }
        }
    }
}
