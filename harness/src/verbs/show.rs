//! `castbench show`: what an algorithm does at one point, as text, as a drawing and as a page that plays it.

use std::io::Write;

use algorithms::cost::Limits;
use algorithms::internals::execution::{Event, View};
use algorithms::problem::{Entry, Kind};

use super::cost::{counted, exact};
use super::instance::{instance, unread};
use super::point;
use crate::cli::{LoadView, PointArgs, Show};
use crate::draw::{self, Drawing, Execution};
use crate::failure::{Code, Failure, stdout};
use crate::grid::Cell;
use crate::output;
use crate::play;
use crate::terminal;
use crate::units::{grouped, plural, show_bytes};

/// Most nodes shown: a chain fills a triangle with its branches.
const MAX_NODES: u64 = 1024;
/// Most columns, one for each node or tree.
const MAX_COLUMNS: u64 = 64;
/// Most messages over single links that are shown: up to four events each, 200 MB.
const MAX_HOPS: u64 = 1 << 20;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a point that is invalid or too large to show, 74 if a file cannot be written.
pub fn run(arguments: &Show) -> Result<(), Failure> {
    let mut text = Vec::new();
    answer(arguments, &mut text)?;
    stdout(terminal::print_coloured(&String::from_utf8_lossy(&text)))
}

/// Writes the text and, if asked, the drawing and the page.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Show, out: &mut impl Write) -> Result<(), Failure> {
    let entry = point::find(&arguments.point)?;
    let (asked, _) = instance(entry, "show", &arguments.point, &arguments.to)?;
    point::warn_of_doubts(&asked.cell(), &arguments.point.given);
    let execution = execute(entry, arguments, &arguments.point)?;
    let page = arguments.html.as_ref().map(|_| page(entry, arguments, &execution)).transpose()?;
    let drawing = drawing(entry, arguments, execution)?;
    if let Some(path) = &arguments.svg {
        if let Some(reason) = drawing.too_large() {
            return Err(Failure::usage(format_args!("--svg: {reason}")));
        }
        let svg = drawing.to_svg().map_err(|error| Failure::new(Code::Internal, error))?;
        output::write(path, svg.as_bytes())?;
    }
    if let (Some(path), Some(page)) = (&arguments.html, page) {
        output::write(path, page.as_bytes())?;
    }
    stdout(write!(out, "{drawing}"))
}

/// The page that plays the execution.
fn page(entry: Entry, arguments: &Show, execution: &Execution) -> Result<String, Failure> {
    if let Some(reason) = play::too_large(execution) {
        return Err(Failure::usage(format_args!("--html: {reason}")));
    }
    let (asked, _) = instance(entry, "show", &arguments.point, &arguments.to)?;
    let cell = asked.cell();
    let program = cell.entry.program(cell.machines.setting(), &cell.values, &Limits::default(), None);
    let program = program.map_err(|refused| point::refuse(&refused))?;
    play::page(execution, program.as_ref(), &about(&cell)?)
}

/// The algorithm, its source and its costs, each with a title.
fn about(cell: &Cell<'_>) -> Result<Vec<(&'static str, String)>, Failure> {
    let problem = cell.entry.problem();
    let mut point = String::new();
    let described = problem.describe(cell.machines.setting(), &cell.values, &mut point);
    described.map_err(|error| Failure::new(Code::Internal, error))?;
    let place = Some(cell.entry.place).filter(|place| !place.is_empty()).map(|place| format!(", {place}"));
    let source = format!("{}{}", cell.entry.paper, place.unwrap_or_default());
    let point = point.trim_end().replace('\n', "; ");
    let mut about = vec![("Algorithm", cell.entry.summary.to_owned()), ("Source", source), ("Point", point)];
    // A mean over random instances says nothing of this one.
    let costs = (!problem.fractions()).then(|| cell.evaluate(&Limits { nodes: 0, hops: 0 }).ok()).flatten();
    let Some(costs) = costs else { return Ok(about) };
    let unit = problem.unit(&cell.values);
    about.extend(costs.analytic.map(|cost| ("Cost", exact(&cost, unit))));
    about.push(("Lower bound", exact(&costs.lower_bound, unit)));
    about.extend(costs.published.iter().map(|claim| {
        let (sign, value) = (claim.relation.symbol(), counted(claim.value, unit));
        ("Published", format!("cost {sign} {value}: {}, {}", claim.place, claim.formula))
    }));
    Ok(about)
}

fn drawing(entry: Entry, arguments: &Show, execution: Execution) -> Result<Box<dyn Drawing>, Failure> {
    let stage = &execution.stage;
    let row = match (stage.hints.view, arguments.row) {
        (View::Steps, row) => {
            let (row, rows) = (row.unwrap_or(0), stage.mesh.map_or(1, |(_, rows)| rows));
            let found = u32::try_from(row).ok().filter(|&row| row < rows);
            found.ok_or_else(|| Failure::usage(format_args!("--row {row}: expected a row from 0 to {}", rows - 1)))?
        }
        (_, Some(_)) => return Err(unread(entry, "--row")),
        (_, None) => 0,
    };
    let whole = match stage.hints.view {
        // One message for each tree shows all trees.
        View::Forest(trees) if stage.items < trees => {
            let mut typed = arguments.point.clone();
            typed.set("m", Some(trees.to_string()));
            Some(execute(entry, arguments, &typed)?)
        }
        _ => None,
    };
    Ok(draw::drawing(execution, whole.as_ref(), row))
}

/// Executes a point that is small enough to be shown.
fn execute(entry: Entry, arguments: &Show, point: &PointArgs) -> Result<Execution, Failure> {
    let (asked, which) = instance(entry, "show", point, &arguments.to)?;
    let cell = asked.cell();
    let (setting, values) = (cell.machines.setting(), &*cell.values);
    let refuse = |why: String| {
        Failure::usage(format_args!(
            "too large to show: {why}; `castbench cost` takes larger \
                                                            points"
        ))
    };
    if let Some(why) = too_large(&cell) {
        return Err(refuse(why));
    }
    let mut events = Vec::new();
    let mut keep = |event: Event| events.push(event);
    let mut stage = entry.execute(setting, values, &which, &mut keep).map_err(|refused| point::refuse(&refused))?;
    match arguments.view {
        Some(LoadView::Links) if stage.mesh.is_none() => {
            let explanation = format_args!("--view links: `{}` is not on a mesh; write --view matrix", entry.name);
            return Err(Failure::usage(explanation));
        }
        Some(LoadView::Links) => stage.hints.view = View::Links,
        Some(LoadView::Matrix) => stage.hints.view = View::Matrix,
        None => {}
    }
    let levels = cell.machine().and_then(|machine| machine.profile().levels());
    if let Some(levels) = levels.filter(|levels| levels.ranks() > 1) {
        stage.hints.group = "node";
        stage.hints.groups = (0..stage.nodes).map(|rank| levels.place(stage.nodes.into(), rank).0).collect();
    }
    let (nodes, trees) = match stage.hints.view {
        View::Rounds | View::Matrix => (MAX_COLUMNS, 0),
        View::Forest(trees) => (MAX_NODES, trees.into()),
        _ => (MAX_NODES, 0),
    };
    for (count, what, most) in [(stage.nodes.into(), "node", nodes), (trees, "tree", MAX_COLUMNS)] {
        if count > most {
            return Err(refuse(format!("{}, expected at most {}", plural(count, what), grouped(most))));
        }
    }
    if stage.hints.view == View::Paths && stage.source.is_none() {
        return Err(Failure::usage("`show` takes one multicast; `castbench cost` takes several at once"));
    }
    let bytes = entry.axes().iter().find(|axis| axis.kind == Kind::Bytes).and_then(|axis| cell.value(axis.key));
    let carrier = cell.machine().map(|machine| format!("{} on {}", show_bytes(bytes.unwrap_or(1)), machine.name));
    Ok(Execution { algorithm: entry.name, carrier, stage, events })
}

/// Why a point has too many nodes or events, as far as that is known before the execution.
fn too_large(cell: &Cell<'_>) -> Option<String> {
    let (setting, values) = (cell.machines.setting(), &*cell.values);
    let above = |hops: u64| cell.entry.why_skipped(setting, values, &Limits { nodes: MAX_NODES, hops });
    let most = Limits::default().hops;
    above(most).or_else(|| match (above(MAX_HOPS)?, cell.entry.program(setting, values, &Limits::default(), None)) {
        // Added numbers count as hops, but the additions of a processor are one event.
        (_, Ok(Some((_, program)))) if program.operations() as u64 <= MAX_HOPS => None,
        (why, _) => Some(why),
    })
}
