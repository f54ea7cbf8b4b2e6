//! `castbench show`: what an algorithm does at one point, as text, as a drawing and as a page that plays it.

use std::cmp::Ordering;
use std::io::Write;
use std::path::PathBuf;

use algorithms::cost::Limits;
use algorithms::internals::execution::{Event, View, What};
use algorithms::network::Bound;
use algorithms::problem::{Entry, Instance, Kind, Sides};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use num_rational::Ratio;
use num_traits::ToPrimitive as _;

use super::cost::{counted, exact};
use super::instance::{instance, unread};
use super::options::PointArgs;
use super::point;
use crate::base::failure::{Failure, Result, contradiction, stdout};
use crate::base::terminal;
use crate::base::units::{grouped, parse_count, parse_mesh, plural, show_bytes};
use crate::draw::chart::format::ImageFormat;
use crate::draw::play::{self, Played};
use crate::draw::{self, Drawing, Execution, Wired};
use crate::figures::origin::{refuse_stranger, write_without};
use crate::networks::bound::{COLLECTIVES, Stated, collective, described};
use crate::networks::{NetworkArgs, Placed};
use crate::output::{self, ending};
use crate::space::{Cell, Space};

/// A drawing of any execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LoadView {
    /// A heat map of the links of a mesh: number of messages over each; with --mesh for the ranks of any problem, row by row,
    /// whose messages go along x first
    Links,
    /// Number of messages from each rank to each other rank
    Matrix,
}

/// Arguments of `show`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("algorithm", |algorithm| algorithm.index(1).required(false).default_value("").hide_default_value(true)))]
#[command(after_help = "Examples:
  castbench show fibonacci -L 6 -o 2 -g 4 -K 18 --svg tree.svg
  castbench show dual-path --mesh 4x3 --source 1,1 --to 0,0 --to 3,2
  castbench show dual-path --mesh 8x8 -K 6 --seed 3 --svg paths.svg
  castbench show summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82 --svg timelines.svg
  castbench show gossip-two-phase -n 7 --svg steps.svg
  castbench show k-tree -n 14 -k 3 -m 6 --svg trees.svg
  castbench show broadcast-binary --ports duplex -L 6 -o 2 -g 4 -K 7 -n 64 -m 8 --svg segments.svg
  castbench show worm-u-mesh --mesh 8x8 -K 20 --startup 100 --hop 2 --flit 1 --flits 64 --view links --svg links.svg
  castbench show broadcast-scatter-ring -L 6 -o 2 -g 4 -K 8 -n 64 --view matrix
  castbench show --network mesh:4x4 --bound allgather --svg mesh.svg
  castbench show allreduce-swing -L 6 -o 2 -g 4 -K 16 -n 160 --view links --network torus:4x4
  castbench show allreduce-ring -L 6 -o 2 -g 4 -K 8 -n 64 --html ring.html
  castbench show allreduce-ring allreduce-rabenseifner -L 6 -o 2 -g 4 -K 8 -n 64 --html both.html")]
pub struct Show {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// Another algorithm of the problem, which the page plays beside the first on one clock
    #[arg(value_name = "OTHER", index = 2, requires = "html")]
    pub other: Option<String>,
    /// A destination, instead of K random ones; may be repeated
    #[arg(long, value_name = "x,y", allow_negative_numbers = true, conflicts_with_all = ["K", "seed"], help_heading = "Point")]
    pub to: Vec<String>,
    /// Draw this view instead of the usual one of the problem
    #[arg(long, value_enum)]
    pub view: Option<LoadView>,
    /// Row of the mesh whose timetable of gossip is shown [default: 0]
    #[arg(long, value_name = "Y", value_parser = parse_count, allow_negative_numbers = true, help_heading = "Point")]
    pub row: Option<u64>,
    /// The network of --view links; without an algorithm it is drawn with the certificate of a bound.
    #[command(flatten, next_help_heading = "Network")]
    pub network: NetworkArgs,
    /// Without an algorithm: the collective whose certificate is marked [default: allreduce]
    #[arg(long, value_name = "COLLECTIVE", requires = "network", value_parser = PossibleValuesParser::new(COLLECTIVES))]
    pub bound: Option<String>,
    /// Also draw into this file .svg, .png or .pdf
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub svg: Option<PathBuf>,
    /// Also write a web page into this file that plays the execution: what each node does and holds at each time
    #[arg(long, value_name = "FILE", value_parser = ending::named(&["html"]))]
    pub html: Option<PathBuf>,
}

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
pub fn run(arguments: &Show) -> Result {
    let mut text = Vec::new();
    answer(arguments, &mut text)?;
    stdout(terminal::print_coloured(&String::from_utf8_lossy(&text)))
}

/// Writes the text and, if asked, the drawing and the page.
///
/// # Errors
/// The errors of [`run`].
pub fn answer(arguments: &Show, out: &mut impl Write) -> Result {
    if let Some(path) = &arguments.svg {
        ImageFormat::named("--svg", path)?;
    }
    if let Some(placed) = arguments.network.read()? {
        return on_network(arguments, &placed, out);
    }
    let entry = named(arguments)?;
    let mut arguments = arguments.clone();
    let mesh = mesh(entry, &mut arguments)?;
    let arguments = &arguments;
    let shown = execute(entry, arguments, &arguments.point, mesh.is_some())?;
    point::warn_of_doubts(&shown.asked.cell(), &arguments.point.axes.0);
    let page = arguments
        .html
        .as_ref()
        .map(|_| page(entry, arguments, &shown))
        .transpose()?;
    let mut execution = shown.execution;
    mesh.map_or(Ok(()), |sides| cross(&mut execution, sides))?;
    let drawing = drawing(entry, arguments, &execution)?;
    write_drawing(arguments, &drawing)?;
    if let (Some(path), Some(page)) = (&arguments.html, page) {
        refuse_stranger(path)?;
        output::write(path, page.as_bytes())?;
    }
    stdout(write!(out, "{drawing}"))
}

/// Writes the picture, if one is asked for.
fn write_drawing(arguments: &Show, drawing: &Drawing<'_>) -> Result {
    let Some(path) = &arguments.svg else {
        return Ok(());
    };
    if let Some(reason) = &drawing.too_large {
        bail!("--svg: {reason}");
    }
    write_without(path, &drawing.to_svg())
}

fn named(arguments: &Show) -> Result<Entry> {
    if arguments.point.algorithm.is_empty() {
        bail!("name an algorithm, as `castbench list` does, or a --network");
    }
    point::find(&arguments.point)
}

/// Most links that the text lists.
const MAX_LINKS: usize = 16;

/// The network with the certificate of a bound, or with the loads of an algorithm.
fn on_network(arguments: &Show, placed: &Placed, out: &mut impl Write) -> Result {
    let network = &placed.network;
    let is_plain = arguments.point.algorithm.is_empty();
    let view = (!is_plain).then_some(LoadView::Links);
    if arguments.html.is_some() || arguments.row.is_some() || arguments.view != view {
        bail!(
            "--network: `show` draws its links: name an algorithm with --view links, or none without; remove --html and --row"
        );
    }
    if is_plain && !(arguments.point.axes.0.is_empty() && arguments.to.is_empty()) {
        bail!("--network: without an algorithm there is no point; name one, or remove its options");
    }
    let links = |of: &dyn Fn(usize) -> Option<String>| -> Vec<String> {
        let all: Vec<String> = (0..network.links().len()).filter_map(of).collect();
        let more = all.len().saturating_sub(MAX_LINKS);
        let end = (more > 0).then(|| format!("and {more} more"));
        all.into_iter().take(MAX_LINKS).chain(end).collect()
    };
    let ends = |link: usize| {
        let link = network.links()[link];
        format!("{} -> {}", network.node(link.from), network.node(link.to))
    };
    let wired = if is_plain {
        let name = arguments.bound.as_deref().unwrap_or("allreduce");
        let bound = Bound::new(network, collective(name, None, network)?);
        let stated = Stated { network, bound };
        let [is_marked, is_inside] = stated.marks();
        let mut lines = vec![stated.to_string(), String::new()];
        lines.extend(links(&|link| is_marked[link].then(|| ends(link))));
        let title = format!(
            "{}: at least {} M for {name}",
            network.name(),
            stated.bound.time
        );
        Wired {
            network: network.clone(),
            heading: [title, described(network)],
            lines,
            caption: format!("in orange, the certificate: {stated}"),
            is_marked,
            is_inside,
            loads: None,
        }
    } else {
        if arguments.bound.is_some() {
            bail!("--bound: with an algorithm its loads are drawn; remove the option");
        }
        let entry = named(arguments)?;
        let (asked, _) = instance(entry, "show", &arguments.point, &arguments.to)?;
        let cell = asked.cell();
        let found = placed.link_time(&cell, &cell.bind()?)?;
        let most = found.loads.time();
        let share = |link: usize| {
            let share = found.loads.time_of(link) / most.max(Ratio::from_integer(1) / u128::MAX);
            share.to_f64().unwrap_or(0.0)
        };
        let loads: Vec<f64> = (0..network.links().len()).map(share).collect();
        let mut order: Vec<usize> = (0..loads.len()).filter(|&link| loads[link] > 0.0).collect();
        order.sort_by(|one, other| loads[*other].total_cmp(&loads[*one]));
        let mut lines = vec![found.to_string(), String::new()];
        lines.extend(order.iter().take(MAX_LINKS).map(|&link| {
            let (carried, unit) = (found.loads.bytes(link), found.unit());
            format!("{:<24} {carried} {unit}", ends(link))
        }));
        let more = order.len().saturating_sub(MAX_LINKS);
        lines.extend((more > 0).then(|| format!("and {more} more")));
        Wired {
            network: network.clone(),
            heading: [
                format!("{} on {}", entry.name, network.name()),
                placed.heading(),
            ],
            lines,
            caption: "the darker a link, the longer it takes; the darkest takes longest".to_owned(),
            is_marked: vec![false; loads.len()],
            is_inside: vec![false; network.nodes()],
            loads: Some(loads),
        }
    };
    let drawing = wired.drawing();
    write_drawing(arguments, &drawing)?;
    stdout(write!(out, "{drawing}"))
}

/// The mesh that is given for the links of a problem without one.
fn mesh(entry: Entry, arguments: &mut Show) -> Result<Option<Sides>> {
    let is_on_mesh = entry.axes().iter().any(|axis| axis.kind == Kind::Sides);
    if is_on_mesh || arguments.view != Some(LoadView::Links) {
        return Ok(None);
    }
    arguments
        .point
        .axes
        .0
        .remove("mesh")
        .map(|text| {
            parse_mesh(&text)
                .map(Sides::from_value)
                .map_err(|expected| failure!(Usage, "--mesh {text}: {expected}"))
        })
        .transpose()
}

/// Adds the links that messages cross on a mesh where ranks stand row by row: along x, then along y.
fn cross(execution: &mut Execution, Sides { w, h }: Sides) -> Result {
    let nodes = execution.stage.nodes;
    let [w, h] = [w, h].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    if execution.stage.mesh.is_some() {
        bail!(
            "`{}` has a mesh of its own; remove --mesh",
            execution.algorithm
        );
    }
    if w.checked_mul(h) != Some(nodes) {
        bail!(
            "--mesh {w}x{h}: expected one of {}",
            plural(nodes.into(), "node")
        );
    }
    let mut links = Vec::new();
    for message in execution
        .events
        .iter()
        .filter(|event| event.what == What::Send)
    {
        let (mut at, to) = (message.node, message.peer);
        while at != to {
            let next = match (at % w).cmp(&(to % w)) {
                Ordering::Less => at + 1,
                Ordering::Greater => at - 1,
                Ordering::Equal if at < to => at + w,
                Ordering::Equal => at - w,
            };
            links.push(Event {
                node: at,
                peer: next,
                what: What::Cross,
                ..*message
            });
            at = next;
        }
        if links.len() as u64 > MAX_HOPS {
            bail!(
                "--mesh {w}x{h}: messages cross more than {} links",
                grouped(MAX_HOPS)
            );
        }
    }
    execution.stage.mesh = Some((w, h));
    execution.events.extend(links);
    Ok(())
}

/// The page that plays the execution, beside that of the other algorithm if one is named.
fn page(entry: Entry, arguments: &Show, shown: &Shown) -> Result<String> {
    let first = played(shown)?;
    let Some(name) = &arguments.other else {
        return play::page(&[first]);
    };
    let point = PointArgs {
        algorithm: name.clone(),
        ..arguments.point.clone()
    };
    let other = point::find(&point)?;
    if other.problem().name != entry.problem().name {
        let [one, two] = [entry, other].map(|entry| entry.problem().name);
        bail!(
            "`{}` solves {one}, `{}` {two}; name two algorithms of one problem",
            entry.name,
            other.name
        );
    }
    // The page has a view of its own.
    let beside = execute(
        other,
        &Show {
            view: None,
            ..arguments.clone()
        },
        &point,
        false,
    )?;
    play::page(&[first, played(&beside)?])
}

/// An execution with its program and what is said about it.
fn played(shown: &Shown) -> Result<Played<'_>> {
    let Shown { asked, execution } = shown;
    if let Some(reason) = play::too_large(execution) {
        bail!("--html: {reason}");
    }
    let cell = asked.cell();
    let program = cell.bind()?.program(&Limits::default(), None)?;
    Ok(Played {
        execution,
        program,
        about: about(&cell)?,
    })
}

/// The algorithm, its source and its costs, each with a title.
fn about(cell: &Cell<'_>) -> Result<Vec<(&'static str, String)>> {
    let problem = cell.entry.problem();
    let mut point = String::new();
    cell.bind()?
        .describe(&mut point)
        .map_err(Failure::internal)?;
    let section = Some(cell.entry.section)
        .filter(|own| !own.is_empty())
        .map(|own| format!(", {own}"));
    let source = format!("{}{}", cell.entry.paper, section.unwrap_or_default());
    let point = point.trim_end().replace('\n', "; ");
    let mut about = vec![
        ("Algorithm", cell.entry.summary.to_owned()),
        ("Source", source),
        ("Point", point),
    ];
    // A mean over random instances says nothing of this one.
    let costs = (!problem.fractions)
        .then(|| cell.evaluate(&Limits { nodes: 0, hops: 0 }).ok())
        .flatten();
    let Some(costs) = costs else { return Ok(about) };
    if let Some(failure) = contradiction(cell.entry, &costs) {
        return Err(failure);
    }
    let unit = problem.unit(&cell.values);
    about.extend(costs.analytic.map(|cost| ("Cost", exact(&cost, unit))));
    about.push(("Lower bound", exact(&costs.lower_bound, unit)));
    about.extend(costs.published.iter().map(|claim| {
        let (sign, value) = (claim.relation.symbol(), counted(claim.value, unit));
        (
            "Published",
            format!("cost {sign} {value}: {}, {}", claim.section, claim.formula),
        )
    }));
    Ok(about)
}

fn drawing<'a>(entry: Entry, arguments: &Show, execution: &'a Execution) -> Result<Drawing<'a>> {
    let stage = &execution.stage;
    let row = match (stage.hints.view, arguments.row) {
        (View::Steps, row) => {
            let (row, rows) = (row.unwrap_or(0), stage.mesh.map_or(1, |(_, rows)| rows));
            u32::try_from(row)
                .ok()
                .filter(|&row| row < rows)
                .ok_or_else(|| {
                    failure!(Usage, "--row {row}: expected a row from 0 to {}", rows - 1)
                })?
        }
        (_, Some(_)) => return Err(unread(entry, "--row")),
        (_, None) => 0,
    };
    let whole = match stage.hints.view {
        // One message for each tree shows all trees.
        View::Forest(trees) if stage.items < trees => {
            let mut typed = arguments.point.clone();
            typed.set("m", Some(trees.to_string()));
            Some(execute(entry, arguments, &typed, false)?.execution)
        }
        _ => None,
    };
    Ok(draw::drawing(execution, whole.as_ref(), row))
}

/// A point and its execution.
struct Shown {
    asked: Space,
    execution: Execution,
}

/// Executes a point that is small enough to be shown.
fn execute(entry: Entry, arguments: &Show, point: &PointArgs, has_mesh: bool) -> Result<Shown> {
    let (asked, which) = instance(entry, "show", point, &arguments.to)?;
    let cell = asked.cell();
    let instance = cell.bind()?;
    let refuse = |why: String| {
        failure!(
            Usage,
            "too large to show: {why}; `castbench cost` takes larger points"
        )
    };
    if let Some(why) = too_large(&instance) {
        return Err(refuse(why));
    }
    let mut events = Vec::new();
    let mut keep = |event: Event| events.push(event);
    let mut stage = instance.execute(&which, &mut keep)?;
    match arguments.view {
        Some(LoadView::Links) if stage.mesh.is_none() && !has_mesh => {
            let explanation = "is not on a mesh, which --mesh WxH gives; write --view matrix";
            bail!("--view links: `{}` {explanation}", entry.name);
        }
        Some(LoadView::Links) => stage.hints.view = View::Links,
        Some(LoadView::Matrix) => stage.hints.view = View::Matrix,
        None => {}
    }
    let levels = cell
        .machine()
        .and_then(|machine| machine.profile().levels());
    if let Some(levels) = levels.filter(|levels| levels.ranks() > 1) {
        stage.hints.group = "node";
        stage.hints.groups = (0..stage.nodes)
            .map(|rank| levels.node(stage.nodes.into(), rank).0)
            .collect();
    }
    if let Some(ports) = asked.ports(cell.entry.problem()) {
        stage.hints.subtitle = format!("{ports}; {}", stage.hints.subtitle);
    }
    let (nodes, trees) = match stage.hints.view {
        View::Matrix => (MAX_COLUMNS, 0),
        View::Forest(trees) => (MAX_NODES, trees.into()),
        _ => (MAX_NODES, 0),
    };
    for (count, what, most) in [
        (stage.nodes.into(), "node", nodes),
        (trees, "tree", MAX_COLUMNS),
    ] {
        if count > most {
            return Err(refuse(format!(
                "{}, expected at most {}",
                plural(count, what),
                grouped(most)
            )));
        }
    }
    if stage.hints.view == View::Paths && stage.source.is_none() {
        bail!("`show` takes one multicast; `castbench cost` takes several at once");
    }
    let carrier = cell.machine().map(|machine| {
        format!(
            "{} on {}",
            show_bytes(cell.bytes().unwrap_or(1)),
            machine.name
        )
    });
    let execution = Execution {
        algorithm: entry.name,
        carrier,
        stage,
        events,
    };
    Ok(Shown { asked, execution })
}

/// Why a point has too many nodes or events, as far as that is known before the execution.
fn too_large(instance: &Instance) -> Option<String> {
    let above = |hops: u64| {
        instance.why_skipped(&Limits {
            nodes: MAX_NODES,
            hops,
        })
    };
    let most = Limits::default().hops;
    above(most).or_else(
        || match (above(MAX_HOPS)?, instance.program(&Limits::default(), None)) {
            // Added numbers count as hops, but the additions of a processor are one event.
            (_, Ok(Some((_, program)))) if program.operations() as u64 <= MAX_HOPS => None,
            (why, _) => Some(why),
        },
    )
}
