//! `castbench cost`: lower bound, published, analytic and simulated cost at one point.

pub(super) mod programs;

use std::io::Write;

use algorithms::catalogue::{Entry, Point, Problem};
use algorithms::cost::{Agreement, Evaluation, Exact, Limits, Simulated};
use algorithms::logp::pipeline::{self, Instance};
use algorithms::mesh::wormhole::Setting;

use super::point;
use crate::cli::{Cost, Format};
use crate::failure::{Code, Failure, stdout};
use crate::grid::Cell;
use crate::output;
use crate::record;
use crate::units::{grouped, plural, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a point that makes no sense, 5 where analytic and simulated cost differ.
pub fn run(arguments: &Cost) -> Result<(), Failure> {
    answer(arguments, &Limits { nodes: u64::MAX, hops: u64::MAX }, &mut anstream::stdout().lock())
}

/// Writes the answer; simulates at most as much as `most`, whatever the arguments ask for.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Cost, most: &Limits, out: &mut impl Write) -> Result<(), Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    refuse_unread(entry, arguments)?;
    let machine = point::machine(&arguments.point)?;
    let cell = point::cell(entry, &arguments.point, machine.as_ref(), arguments.trials)?;
    let defaults = Limits::default();
    let limits = Limits {
        nodes: arguments.simulate_up_to.unwrap_or(defaults.nodes).min(most.nodes),
        hops: arguments.simulate_up_to_hops.unwrap_or(defaults.hops).min(most.hops),
    };
    let checked = cell.point().map_err(|error| point::refuse(&error))?;
    let evaluation = entry.evaluate(&checked, &limits).map_err(|error| point::refuse(&error))?;
    match arguments.format {
        Format::Table => {
            stdout(write!(out, "{}", Report { entry, cell: &cell, point: &checked, evaluation: &evaluation }))?
        }
        Format::Json => stdout(writeln!(out, "{}", programs::json(entry, &cell, &checked, &evaluation)?))?,
        Format::Csv => {
            stdout(out.write_all(&output::csv_bytes(&[record::row(entry, &cell, &evaluation)])?))?;
        }
    }
    if evaluation.agreement() == Agreement::Differ {
        let explanation = "analytic and simulated cost differ, which is a bug in castbench";
        return Err(Failure::new(Code::Disagreement, explanation));
    }
    Ok(())
}

fn refuse_unread(entry: &Entry, arguments: &Cost) -> Result<(), Failure> {
    use Problem::{
        KPortBroadcast, LogpMulticast, LogpSummation, MeshGossip, MeshMulticast, PipelinedBroadcast, WormholeMulticast,
    };
    let Cost { point, trials, simulate_up_to, simulate_up_to_hops, format: _ } = arguments;
    let others: [point::Readers<'_>; 3] = [
        ("--trials", trials.is_some(), &[MeshMulticast, WormholeMulticast]),
        (
            "--simulate-up-to",
            simulate_up_to.is_some(),
            &[LogpMulticast, LogpSummation, KPortBroadcast, PipelinedBroadcast],
        ),
        (
            "--simulate-up-to-hops",
            simulate_up_to_hops.is_some(),
            &[LogpSummation, MeshMulticast, MeshGossip, KPortBroadcast, PipelinedBroadcast, WormholeMulticast],
        ),
    ];
    point::refuse_unread(entry, point, &others)
}

/// Name of the machine and message size of a cell, if a machine gave its parameters.
fn machine_of<'a>(cell: &Cell<'a>) -> Option<(&'a str, u64)> {
    match *cell {
        Cell::Logp { machine, .. } => machine.map(|(machine, bytes)| (machine.name.as_str(), bytes)),
        Cell::Pipelined { machine, instance, .. } => machine.map(|machine| (machine.name.as_str(), instance.n)),
        _ => None,
    }
}

/// The answer for people.
struct Report<'a> {
    entry: &'a Entry,
    cell: &'a Cell<'a>,
    point: &'a Point,
    evaluation: &'a Evaluation,
}

impl std::fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { entry, cell, point, evaluation } = self;
        writeln!(f, "{}: {}", entry.name, entry.summary)?;
        let unit = match point {
            Point::LogpMulticast { model, K, source } => {
                writeln!(f, "{} (the source counts), source at position {source}", plural(*K, "node"))?;
                if let Some((machine, bytes)) = machine_of(cell) {
                    writeln!(f, "machine {machine}, message of {}", show_bytes(bytes))?;
                }
                let [L, o, g, D, gap] = [model.L(), model.o(), model.g(), model.D(), model.gap()].map(grouped);
                writeln!(f, "L = {L}, o = {o}, g = {g}: a hop D = L+2o = {D}, sends g' = max(g, o) = {gap} apart")?;
                if machine_of(cell).is_some() { "ns" } else { "time units" }
            }
            Point::LogpSummation { model, P, operands } => {
                let (P, operands) = (plural(*P, "processor"), plural(*operands, "operand"));
                writeln!(f, "{operands} on {P}; an addition takes one time unit, the sum ends up on processor 0")?;
                let [L, o, g] = [model.L(), model.o(), model.g()].map(grouped);
                let gap = grouped(algorithms::logp::summation::gap(*model));
                writeln!(f, "L = {L}, o = {o}, g = {g}: a processor takes in a partial sum every max(g, o+1) = {gap}")?;
                "time units"
            }
            Point::MeshGossip { n } => {
                writeln!(f, "{n}x{n} mesh, half-duplex links: one message in one direction per link and step")?;
                "steps"
            }
            Point::KPortBroadcast { n, k, m } => {
                let (n, k, m) = (plural(*n, "node"), plural(*k, "port"), plural(*m, "message"));
                writeln!(f, "{m} from node 0 to all of {n} (node 0 counts), {k} each")?;
                "rounds"
            }
            Point::PipelinedBroadcast { machine, instance } => self.pipelined(f, *machine, *instance)?,
            Point::MeshMulticast { mesh, K, .. } => {
                let K = plural(*K, "destination");
                writeln!(f, "{K} (without the source) on the {mesh} mesh, all drawn uniformly: expected cost")?;
                "links"
            }
            Point::WormholeMulticast(setting) => {
                let Setting { mesh, K, ports, multicasts, timing, sampling } = setting;
                let (K, k) = (plural(*K, "destination"), plural(*ports, "port"));
                let (m, trials) = (plural(*multicasts, "multicast"), plural(sampling.trials, "draw"));
                writeln!(f, "{m} at once to {K} each on the {mesh} mesh, {k} a node; the mean over {trials}")?;
                let [t_s, t_h, t_f] = [timing.startup(), timing.hop(), timing.flit()].map(grouped);
                let flits = plural(timing.flits(), "flit");
                writeln!(f, "t_s = {t_s}, t_h = {t_h}, t_f = {t_f}: over H hops {flits} take t_s + H t_h + flits t_f")?;
                "time units"
            }
        };
        writeln!(f)?;
        writeln!(f, "  lower bound  {}", self.exact(&evaluation.lower_bound, unit))?;
        if evaluation.published.is_empty() {
            writeln!(f, "  published    none: no paper gives a figure here")?;
        }
        for (number, claim) in evaluation.published.iter().enumerate() {
            let holds = match evaluation.analytic {
                Some(Exact::Integer(cost)) if claim.relation.holds(cost, claim.value) => "holds",
                _ => "does not hold",
            };
            let title = if number == 0 { "published" } else { "" };
            let (sign, value) = (claim.relation.symbol(), counted(claim.value, unit));
            writeln!(f, "  {title:<11}  cost {sign} {value}: {}, {}; {holds}", claim.place, claim.formula)?;
        }
        match &evaluation.analytic {
            Some(cost) => writeln!(f, "  analytic     {}{}", self.exact(cost, unit), self.over_bound(cost))?,
            None => writeln!(f, "  analytic     none: {}", record::unknown(entry.problem()))?,
        }
        match &evaluation.simulated {
            Simulated::Exact(cost) => {
                writeln!(f, "  simulated    {}, {}", counted(*cost, unit), self.agreement())
            }
            Simulated::Mean(sample) => {
                let error = sample.squared_standard_error().and_then(|squared| record::rounded(&Exact::from(squared)));
                let spread =
                    error.map_or_else(String::new, |squared| format!(" +- {:.4} (standard error)", squared.sqrt()));
                let mean = record::rounded(&Exact::from(sample.mean())).unwrap_or(f64::NAN);
                let trials = plural(sample.trials, "trial");
                writeln!(f, "  simulated    {mean:.4}{spread} {unit}, mean of {trials}, {}", self.agreement())
            }
            Simulated::ExactMean(mean) => {
                writeln!(f, "  simulated    {}, {}", self.exact(mean, unit), self.agreement())
            }
            Simulated::Skipped(reason) => writeln!(f, "  simulated    not run: {reason}"),
        }
    }
}

/// So many of a unit, which is named in the plural.
fn counted(count: impl Into<u128>, unit: &str) -> String {
    let count = count.into();
    let unit = if count == 1 { unit.strip_suffix('s').unwrap_or(unit) } else { unit };
    format!("{} {unit}", grouped(count))
}

impl Report<'_> {
    /// What is sent how, and the unit of time.
    fn pipelined(
        &self,
        f: &mut std::fmt::Formatter<'_>,
        machine: pipeline::Machine,
        instance: Instance,
    ) -> Result<&'static str, std::fmt::Error> {
        let Instance { K, n, k, .. } = instance;
        let cut = instance.cut();
        let (K, k) = (plural(K, "node"), plural(k, "port"));
        let name = machine_of(self.cell).map(|named| named.0);
        let size = |words: u64| if name.is_some() { show_bytes(words) } else { plural(words, "word") };
        writeln!(f, "{} to {K} (the source counts), {k} each", size(n))?;
        let rest = if cut.last < cut.words { format!(", the last of {}", size(cut.last)) } else { String::new() };
        writeln!(f, "{} of {}{rest}", plural(cut.segments, "segment"), size(cut.words))?;
        if let Some(name) = name {
            writeln!(f, "machine {name}")?;
        }
        if let Ok(model) = machine.at(cut.words) {
            let [D, gap] = [model.D(), model.gap()].map(grouped);
            writeln!(f, "a segment's hop takes {D}, two of them leave a port {gap} apart")?;
        }
        Ok(if name.is_some() { "ns" } else { "time units" })
    }

    fn exact(&self, exact: &Exact, unit: &str) -> String {
        match exact {
            Exact::Integer(value) => counted(*value, unit),
            Exact::Rational(_) => {
                let value = record::rounded(exact).unwrap_or(f64::NAN);
                let fraction = exact.to_string();
                // A fraction of a large mesh has hundreds of digits; JSON gives it whole.
                let shown =
                    if fraction.len() <= 40 { fraction } else { "exact fraction with --format json".to_owned() };
                format!("{value:.4} {unit} ({shown})")
            }
        }
    }

    fn over_bound(&self, cost: &Exact) -> String {
        let values = (record::rounded(cost), record::rounded(&self.evaluation.lower_bound));
        match values {
            (Some(cost), Some(bound)) if bound > 0.0 => format!(", {:.2} x the lower bound", cost / bound),
            _ => String::new(),
        }
    }

    fn agreement(&self) -> &'static str {
        match self.evaluation.agreement() {
            Agreement::Agree => "agrees",
            Agreement::Differ => "DIFFERS from analytic",
            Agreement::NotCompared if self.evaluation.analytic.is_none() => "with nothing to compare",
            Agreement::NotCompared => "too few trials to compare",
        }
    }
}
