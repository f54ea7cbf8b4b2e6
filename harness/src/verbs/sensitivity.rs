//! `castbench sensitivity`: how the cost of a multicast tree moves with L, o and g.

mod programs;

use std::fmt;
use std::io::Write;

use algorithms::cost::{Exact, Limits};
use algorithms::error::Error;
use algorithms::logp::LogP;
use algorithms::logp::multicast::Multicast;
use algorithms::logp::multicast::critical::CriticalPath;
use algorithms::logp::multicast::problem::{LogpMulticast, Point};
use algorithms::logp::multicast::sensitivity::{self, Piece};
use algorithms::logp::multicast::simulator::simulate;
use algorithms::problem::{Entry, Problem as _};
use algorithms::reach::{Reach, Side};

use super::point::{self, Asked};
use super::table::table;
use crate::cli::{Format, Sensitivity};
use crate::failure::{Code, Failure, stdout};
use crate::grid::Cell;
use crate::output;
use crate::record::rounded;
use crate::units::{grouped, plural, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for another problem's algorithm or a point that makes no sense, 5 where analytic and simulated cost differ.
pub fn run(arguments: &Sensitivity) -> Result<(), Failure> {
    answer(arguments, &mut anstream::stdout().lock())
}

/// Writes the answer.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Sensitivity, out: &mut impl Write) -> Result<(), Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    let Some(tree) = LogpMulticast::find(entry.name) else { return Err(another_problem(entry)) };
    let asked = Asked::new(entry, &arguments.point, &[])?;
    let cell = asked.cell();
    let Point { model, K, source } =
        LogpMulticast::point(cell.machines.setting(), &cell.values).map_err(|error| point::refuse_error(&error))?;
    let around = sensitivity::sensitivity(tree, model, K, source).map_err(|error| match error {
        Error::Overflow if tree.time(model, K, source).is_ok() => too_large(),
        error => point::refuse_error(&error),
    })?;
    let machine = cell.machine().map(|machine| (machine.name.as_str(), cell.value("bytes").unwrap_or(1)));
    let path = critical_path(tree, model, (K, source), around.cost)?;
    let answer = Answer { cell: &cell, entry, machine, model, K, source, around, path };
    match arguments.format {
        Format::Table => stdout(write!(out, "{answer}")),
        Format::Csv => stdout(out.write_all(&output::csv_bytes(&answer.rows().map(|row| answer.whole_row(row)))?)),
        Format::Json => {
            let json = serde_json::to_string(&answer.json()).map_err(|error| Failure::new(Code::Internal, error))?;
            stdout(writeln!(out, "{json}"))
        }
    }
}

fn another_problem(entry: Entry) -> Failure {
    let names: Vec<&str> = LogpMulticast::ENTRIES.iter().map(|entry| entry.name).collect();
    Failure::usage(format_args!(
        "`{}` ({}) is no multicast under LogP, and sensitivity is to L, o and g of those alone: {}",
        entry.name,
        entry.problem().name(),
        names.join(", ")
    ))
}

fn too_large() -> Failure {
    Failure::usage(
        "the cost fits in 64 bits, but costs on machines around this one that have to be looked at do not (they are above \
         18446744073709551615); use a smaller K or a coarser unit of time",
    )
}

/// The critical path of the execution, if the tree is not too large for one.
fn critical_path(
    tree: &dyn Multicast,
    model: LogP,
    (K, source): (u64, u64),
    cost: u64,
) -> Result<Option<CriticalPath>, Failure> {
    let (Ok(nodes), Ok(position)) = (u32::try_from(K), u32::try_from(source)) else { return Ok(None) };
    if K > Limits::default().nodes {
        return Ok(None);
    }
    let schedule = tree.schedule(model, nodes, position);
    let traced =
        simulate(model, &schedule).and_then(|trace| Ok((CriticalPath::of(model, &schedule, &trace)?, trace.finish)));
    let (path, finish) = traced.map_err(|violation| point::refuse_error(&violation.into()))?;
    if finish == cost {
        return Ok(Some(path));
    }
    let explanation = "analytic and simulated cost differ, which is a bug in castbench";
    Err(Failure::new(Code::Disagreement, explanation))
}

/// What there is to say.
struct Answer<'a> {
    cell: &'a Cell<'a>,
    entry: Entry,
    machine: Option<(&'a str, u64)>,
    model: LogP,
    K: u64,
    source: u64,
    around: sensitivity::Sensitivity,
    path: Option<CriticalPath>,
}

/// How many of each parameter some hops and gaps take: L, o, g.
fn counts(model: LogP, hops: u64, gaps: u64) -> [u64; 3] {
    let overheads = hops.saturating_mul(2);
    if model.o() > model.g() { [hops, overheads.saturating_add(gaps), 0] } else { [hops, overheads, gaps] }
}

impl Answer<'_> {
    /// `3 hops and 1 gap, which is 3 L + 6 o + 1 g`.
    fn spelled(&self, hops: u64, gaps: u64) -> String {
        let [L, o, g] = counts(self.model, hops, gaps);
        let terms = [(L, "L"), (o, "o"), (g, "g")].into_iter().filter(|(count, _)| *count > 0);
        let sum: Vec<String> = terms.map(|(count, symbol)| format!("{} {symbol}", grouped(count))).collect();
        let sum = if sum.is_empty() { "nothing".to_owned() } else { sum.join(" + ") };
        format!("{} and {}, which is {sum}", plural(hops, "hop"), plural(gaps, "gap"))
    }

    fn write_path(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(path) = &self.path else {
            let most = grouped(Limits::default().nodes);
            return writeln!(f, "  critical path  not traced: above the {most} nodes that are simulated");
        };
        writeln!(f, "  critical path  {}", self.spelled(path.hops(), path.gaps))?;
        writeln!(f, "                 {}", way(path))?;
        if path.last > 1 {
            let others = plural(path.last as u64 - 1, "more node");
            let verb = if path.last == 2 { "holds" } else { "hold" };
            writeln!(
                f,
                "                 {others} {verb} the message last, each at the end of a critical path of its own"
            )?;
        }
        Ok(())
    }

    /// The pieces of the cost, if the path does not say it already.
    fn write_pieces(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hops, gaps) = (self.around.slower_hops, self.around.slower_gaps);
        let spelled = |piece: Piece| self.spelled(piece.hops, piece.gaps);
        if hops != gaps {
            writeln!(f, "  breakpoint     {}, where D grows against g'", spelled(hops))?;
            writeln!(f, "                 {}, where g' grows against D", spelled(gaps))?;
        } else if self.path.as_ref().is_none_or(|path| (path.hops(), path.gaps) != (hops.hops, hops.gaps)) {
            writeln!(f, "  around here    {}", spelled(hops))?;
        }
        Ok(())
    }
}

/// Most sends of a path that are spelled out.
const MAX_SPELLED: usize = 8;

/// `node 1, its send 2 to 9, its send 1 to 12`.
fn way(path: &CriticalPath) -> String {
    let mut words = vec![format!("node {}", path.nodes[0])];
    let sends: Vec<_> = path.orders.iter().zip(&path.nodes[1..]).collect();
    let skipped = if sends.len() > MAX_SPELLED { 3..sends.len() - 3 } else { 0..0 };
    for (number, (order, node)) in sends.into_iter().enumerate() {
        if !skipped.contains(&number) {
            words.push(format!("its send {order} to {node}"));
        } else if number == skipped.start {
            words.push(format!("{} more sends", grouped(skipped.len() as u64)));
        }
    }
    words.join(", ")
}

/// The answer for people.
impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entry, machine, model, K, source, around, .. } = self;
        writeln!(f, "{}: {}", entry.name, entry.summary)?;
        writeln!(f, "{} (the source counts), source at position {source}", plural(*K, "node"))?;
        if let Some((machine, bytes)) = machine {
            writeln!(f, "machine {machine}, message of {}; times in ns", show_bytes(*bytes))?;
        }
        let [L, o, g, D, gap, cost] =
            [model.L(), model.o(), model.g(), model.D(), model.gap(), around.cost].map(grouped);
        writeln!(f, "L = {L}, o = {o}, g = {g}: a hop D = L+2o = {D}, sends g' = max(g, o) = {gap} apart")?;
        writeln!(f)?;
        writeln!(f, "  cost           {cost}")?;
        self.write_path(f)?;
        self.write_pieces(f)?;
        writeln!(f)?;
        let mut people = table(["parameter", "value", "slope below", "down to", "slope above", "up to"]);
        for (row, parameter) in self.rows().iter().zip([&around.L, &around.o, &around.g]) {
            let cell = |side: Option<&Side>, what: &dyn Fn(&Side) -> String| side.map_or_else(String::new, what);
            let slope = |side: &Side| grouped(side.slope);
            people.add_row([
                row.parameter.to_owned(),
                grouped(row.value),
                cell(parameter.below.as_ref(), &slope),
                cell(parameter.below.as_ref(), &|side| reach(&side.reach, "or less")),
                slope(&parameter.above),
                reach(&parameter.above.reach, "or more"),
            ]);
        }
        writeln!(f, "{people}")?;
        writeln!(f)?;
        writeln!(f, "slope: by how much the cost grows with each unit of the parameter, the others as they are;")?;
        writeln!(f, "down to, up to: the values between which that is so")
    }
}

fn reach(reach: &Reach, farther: &str) -> String {
    let shown = |value: &Exact| match value {
        Exact::Integer(value) => grouped(*value),
        fraction @ Exact::Rational(_) => {
            format!("{:.4} ({fraction})", rounded(fraction).unwrap_or(f64::NAN))
        }
    };
    match reach {
        Reach::NoEnd => "no end".to_owned(),
        Reach::Zero => "0".to_owned(),
        Reach::Breakpoint(value) => shown(value),
        Reach::NotBefore(value) => format!("{} {farther}", shown(value)),
    }
}
