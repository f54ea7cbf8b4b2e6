//! `castbench cost`: lower bound, published, analytic and simulated cost at one point.
//!
//! One point is no table of rows, so it has no columns of its own: `Report` is the text, `Json` the JSON, and the other formats print
//! the row of a sweep.

pub(super) mod ends;
pub(super) mod parts;
pub(super) mod slopes;

use std::fmt;
use std::io::Write;

use algorithms::cost::{Agreement, By, Evaluation, Exact, Limits, Published, Simulated, Unit};
use algorithms::error::Error;
use algorithms::internals::claims::{self, Claim, Paper};
use algorithms::internals::engine::{self, Machine, Program};
use algorithms::problem::{Entry, Instance, Refused};
use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};

use super::options::{PointArgs, Printed};
use super::point::{self, Parameters, Say};
use crate::base::failure::{Failure, Result, contradiction, tell};
use crate::base::units::{grouped, parse_count, plural};
use crate::networks::{NetworkArgs, Placed};
use crate::print;
use crate::print::column::Tabled as _;
use crate::record::link_time::LinkTime;
use crate::record::on_network::OnNetwork;
use crate::record::{Row, rounded, row};
use crate::space::Cell;

/// Arguments of `cost`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  castbench cost fibonacci -L 6 -o 2 -g 4 -K 18
  castbench cost halving --machine ethernet100-switched --bytes 1MiB -K 18 --format json
  castbench cost dual-path --mesh 8x8 -K 16 --trials 10000 --seed 1
  castbench cost summation-optimal -L 5 -o 2 -g 4 -P 7 --operands 82
  castbench cost gossip-coupled -n 8
  castbench cost k-tree -n 100 -k 3 -m 17
  castbench cost broadcast-chain --ports duplex -L 6 -o 2 -g 4 -K 8 -n 64 -k 1 -m 16
  castbench cost broadcast-binary --ports duplex -L 6 -o 2 -g 4 -K 8 -n 1024 -m 64
  castbench cost optimal -L 6 -o 2 -g 4 -K 18 --slopes
  castbench cost optimal.goal -L 6 -o 2 -g 4 --ends

For trees K counts the source, for meshes only the destinations, as in their papers. n is the side of a mesh, or the \
nodes of a k-port network with the source; k is its ports, m the messages. A collective has n words, or \
--bytes on a machine, on K ranks, in m segments. P is the processors of a summation, --operands the numbers summed. \
The JSON is one object: an integer is a number, an exact fraction the string `num/den`, and a value that does not \
apply is null.

--slopes: the cost is linear in each parameter between breakpoints. A slope is the growth of the cost per unit, below or \
above the value; it holds up to a stated value, an integer or a fraction `num/den`. In CSV and JSON `up_to_is` and \
`down_to_is` say what that value is: a breakpoint, zero, no end, or the end of the search (`optimal` on extreme \
machines).")]
pub struct Cost {
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// Simulate trees, summations and k-port networks of up to this many nodes [default: 1048576]
    #[arg(long, value_name = "NODES", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to: Option<u64>,
    /// Simulate up to this many hops, deliveries or additions [default: 100000000]
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true)]
    pub simulate_up_to_hops: Option<u64>,
    /// Also execute with LogP's capacity: at most ceil(L/g') messages in transit from or to a processor
    #[arg(long)]
    pub capacity: bool,
    /// Also print what the cost is spent on, along a critical path
    #[arg(long)]
    pub explain: bool,
    /// Print instead how the cost changes with each parameter of the machine, and the critical path
    #[arg(long, conflicts_with_all = ["capacity", "explain", "network", "placement", "without", "slow", "half_duplex"])]
    pub slopes: bool,
    /// Print instead when each rank is done
    #[arg(long, conflicts_with_all = ["capacity", "explain", "slopes", "network", "placement", "without", "slow", "half_duplex"])]
    pub ends: bool,
    /// The network.
    #[command(flatten, next_help_heading = "Network")]
    pub network: NetworkArgs,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid point, 3 for a file without a schedule, 5 if analytic and simulated cost differ.
pub fn run(arguments: &Cost) -> Result {
    let most = Limits {
        nodes: u64::MAX,
        hops: u64::MAX,
    };
    let out = &mut arguments.printed.format.stdout();
    answer(arguments, &most, out, &mut |line| tell(line))
}

/// Writes the answer. Simulates at most `most`, even if the arguments ask for more.
///
/// # Errors
/// The errors of [`run`].
pub fn answer(arguments: &Cost, most: &Limits, out: &mut impl Write, say: Say<'_>) -> Result {
    let entry = point::find(&arguments.point)?;
    let of_programs = [("--slopes", arguments.slopes), ("--ends", arguments.ends)];
    if let Some((option, _)) = of_programs
        .into_iter()
        .find(|asked| asked.1 && !entry.sends())
    {
        return Err(without_messages(option, entry));
    }
    let asked = point::read(entry, "cost", &arguments.point)?;
    let cell = asked.cell();
    point::say_doubts(&cell, &arguments.point.axes.0, say);
    let at = At {
        cell,
        ports: asked.ports(entry.problem()),
        instance: cell.bind()?,
    };
    let (own, defaults) = (arguments, Limits::default());
    let limits = Limits {
        nodes: own.simulate_up_to.unwrap_or(defaults.nodes).min(most.nodes),
        hops: own
            .simulate_up_to_hops
            .unwrap_or(defaults.hops)
            .min(most.hops),
    };
    match (arguments.slopes, arguments.ends) {
        (true, _) => slopes::print(&at, &limits, arguments.printed.format, out),
        (_, true) => ends::print(&at, &limits, arguments.printed.format, out),
        _ => costs(arguments, &at, &limits, out, say),
    }
}

/// Prints the costs.
fn costs(
    arguments: &Cost,
    at: &At<'_>,
    limits: &Limits,
    out: &mut impl Write,
    say: Say<'_>,
) -> Result {
    let At { cell, instance, .. } = at;
    if instance.why_skipped(limits).is_none() {
        let advice = "--simulate-up-to 0 skips the simulation";
        point::say_work(instance, "simulates", advice, say);
    }
    let added = [
        ("--capacity", arguments.capacity),
        ("--explain", arguments.explain),
    ];
    let is_row = arguments.printed.format.is_rows();
    if let Some((option, _)) = added.into_iter().find(|added| is_row && added.1) {
        bail!("{option}: rows of a sweep have no column for it; write --format json");
    }
    let mut evaluation = instance.evaluate(limits)?;
    let figures =
        audited(cell.entry.name).filter_map(|claim| (claim.figure)(&|key| cell.value(key)));
    evaluation.published.extend(figures);
    let placed = arguments.network.read()?;
    let on_network = placed
        .as_ref()
        .map(|placed| placed.link_time(cell, instance))
        .transpose()?;
    let capacity = arguments.capacity.then(|| Capacity::new(at, limits));
    let parts = arguments.explain.then(|| split(instance, &evaluation));
    let report = Report {
        at,
        evaluation: &evaluation,
        capacity: capacity.transpose()?,
        parts: parts.transpose()?,
        on_network: placed.as_ref().zip(on_network.as_ref()),
    };
    let mut columns = row::columns(cell.entry.problem());
    if on_network.is_some() {
        columns.extend(row::of_network());
    }
    let rows = [Row {
        on_network: on_network.as_ref().map(|found| Box::new(found.row())),
        ..Row::from_result(cell, &Ok(evaluation.clone()))
    }];
    print::single(
        arguments.printed.format,
        &report,
        &report.json(),
        (&columns, rows),
        out,
    )?;
    contradiction(cell.entry, &evaluation).map_or(Ok(()), Err)
}

/// A point, and the algorithm bound to it.
pub(super) struct At<'a> {
    cell: Cell<'a>,
    /// Its rule of ports, and what decides it.
    ports: Option<String>,
    instance: Instance,
}

impl At<'_> {
    fn unit(&self) -> Unit {
        self.cell.entry.problem().unit(&self.cell.values)
    }

    /// The program that this option executes.
    fn program(&self, option: &str, limits: &Limits) -> Result<(Machine, Program)> {
        match self.instance.program(limits, None) {
            Ok(run) => run.ok_or_else(|| without_messages(option, self.cell.entry)),
            Err(Refused::TooLarge(why)) => Err(failure!(
                Usage,
                "{option}: too large to execute: {why}; choose a smaller point"
            )),
            Err(refused) => Err(refused.into()),
        }
    }

    /// Why its program cannot be executed: its own execution names the place in a file.
    fn failed(&self, failure: impl Into<Error>, limits: &Limits) -> Failure {
        match self.instance.evaluate(limits) {
            Ok(_) => failure.into().into(),
            Err(refused) => refused.into(),
        }
    }

    /// What is asked, in some lines; `units` are said of a machine.
    fn heading(&self, f: &mut fmt::Formatter<'_>, units: &str) -> fmt::Result {
        let entry = self.cell.entry;
        writeln!(f, "{}: {}", entry.name, entry.summary)?;
        if let Some(machine) = point::machine(&self.cell) {
            writeln!(f, "{machine}{units}")?;
        }
        self.ports
            .iter()
            .try_for_each(|ports| writeln!(f, "{ports}"))?;
        self.instance.describe(f)
    }
}

/// The refusal of an option that only programs have.
fn without_messages(option: &str, entry: Entry) -> Failure {
    let (name, problem) = (entry.name, entry.problem().name);
    failure!(
        Usage,
        "{option}: no processors of `{name}` ({problem}) send messages to each other; remove the option. For example: castbench cost \
         optimal -L 6 -o 2 -g 4 -K 18 {option}"
    )
}

/// The parts of the cost.
fn split(instance: &Instance, evaluation: &Evaluation) -> Result<parts::Split> {
    // The parts are those of the execution, also where a formula says another cost.
    let simulated = evaluation.simulated.cost();
    let cost = simulated.or_else(|| evaluation.analytic.clone());
    cost.map_or(Ok(None), |cost| {
        parts::of_cost(instance, &cost, &Limits::default())
    })?.map(parts::Split).ok_or_else(|| {
        Failure::usage("--explain: this point is too large to execute, or sends are posted together; remove the option")
    })
}

#[derive(Serialize)]
struct Json<'a> {
    algorithm: &'a str,
    parameters: Parameters<'a>,
    lower_bound: Value,
    published: Option<u128>,
    /// All figures of papers, where there are some.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    published_costs: Vec<PublishedCost>,
    analytic: Option<Value>,
    analytic_by: Option<&'static str>,
    simulated: Option<Value>,
    /// With `--capacity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<&'a Capacity>,
    /// With `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<&'a parts::Split>,
    /// With `--network`.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_network: Option<Value>,
}

/// What a paper states of the cost.
#[derive(Serialize)]
struct PublishedCost {
    formula: &'static str,
    relation: &'static str,
    value: u128,
    /// The part of the paper.
    source: &'static str,
}

/// An execution with LogP's capacity, beside the one without.
#[derive(Serialize)]
struct Capacity {
    /// When every operation has ended.
    finish: u64,
    /// How many processors end later.
    delayed: u64,
    /// By how much at most.
    longest_delay: u64,
}

impl Capacity {
    fn new(at: &At<'_>, limits: &Limits) -> Result<Self> {
        let (machine, program) = at.program("--capacity", limits)?;
        let failed =
            |failure: engine::Failure| failure!(Usage, "--capacity: {failure}; remove the option");
        let free = engine::run(machine, &program).map_err(failed)?;
        let within = engine::run_within_capacity(machine, &program, |_, _| {}).map_err(failed)?;
        let delays = || {
            within
                .ends
                .iter()
                .zip(&free.ends)
                .map(|(late, end)| late.saturating_sub(*end))
                .filter(|&delay| delay > 0)
        };
        let (delayed, longest_delay) = (delays().count() as u64, delays().max().unwrap_or(0));
        Ok(Self {
            finish: within.finish,
            delayed,
            longest_delay,
        })
    }
}

/// The answer as text.
struct Report<'a> {
    at: &'a At<'a>,
    evaluation: &'a Evaluation,
    capacity: Option<Capacity>,
    parts: Option<parts::Split>,
    on_network: Option<(&'a Placed, &'a LinkTime<'a>)>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            at,
            evaluation,
            capacity,
            parts,
            on_network,
        } = self;
        let (entry, instance, unit) = (at.cell.entry, &at.instance, at.unit());
        at.heading(f, "")?;
        writeln!(f)?;
        let bound = instance
            .bound_name()
            .map_or_else(String::new, |name| format!(", by {name}"));
        writeln!(
            f,
            "  lower bound  {}{bound}",
            exact(&evaluation.lower_bound, unit)
        )?;
        // Papers state costs of blocks of one size.
        let audited = || audited(entry.name).filter(|_| !at.cell.is_counted());
        if evaluation.published.is_empty() && audited().next().is_none() {
            writeln!(f, "  published    none: no paper gives a figure here")?;
        }
        for claim in audited().filter(|_| evaluation.published.is_empty()) {
            let (statement, section, slug) = (&claim.statement, &claim.section, claim.paper.slug());
            writeln!(
                f,
                "  published    {statement}: {section}; `castbench audit --paper {slug}` checks it where o = 0"
            )?;
        }
        for (number, claim) in evaluation.published.iter().enumerate() {
            let cost = evaluation.analytic.clone();
            let holds = match cost.or_else(|| evaluation.simulated.cost()) {
                Some(Exact::Integer(cost)) if claim.relation.holds(cost, claim.value) => "holds",
                Some(_) => "does not hold",
                None => "not compared",
            };
            let title = if number == 0 { "published" } else { "" };
            let (sign, value) = (claim.relation.symbol(), counted(claim.value, unit));
            writeln!(
                f,
                "  {title:<11}  cost {sign} {value}: {}, {}; {holds}",
                claim.section, claim.formula
            )?;
        }
        match &evaluation.analytic {
            Some(cost) => {
                let by = evaluation
                    .by
                    .map_or_else(String::new, |by| format!(", by {}", by.word()));
                writeln!(
                    f,
                    "  analytic     {}{}{by}",
                    exact(cost, unit),
                    self.over_bound(cost)
                )?;
            }
            None => writeln!(f, "  analytic     none: {}", instance.unknown())?,
        }
        match &evaluation.simulated {
            Simulated::Exact(cost) => {
                writeln!(
                    f,
                    "  simulated    {}, {}",
                    counted(*cost, unit),
                    self.agreement()
                )
            }
            Simulated::Unjudged(cost, why) => {
                writeln!(
                    f,
                    "  simulated    {}, {}; {why}",
                    counted(*cost, unit),
                    self.agreement()
                )
            }
            Simulated::Mean(sample) => {
                let error = sample
                    .squared_standard_error()
                    .and_then(|squared| rounded(&Exact::from(squared)));
                let spread = error.map_or_else(String::new, |squared| {
                    format!(" +- {:.4} (standard error)", squared.sqrt())
                });
                let mean = rounded(&Exact::from(sample.mean())).unwrap_or(f64::NAN);
                let (trials, unit) = (plural(sample.trials, "trial"), unit.plural());
                writeln!(
                    f,
                    "  simulated    {mean:.4}{spread} {unit}, mean of {trials}, {}",
                    self.agreement()
                )
            }
            Simulated::ExactMean(mean) => writeln!(
                f,
                "  simulated    {}, {}",
                exact(mean, unit),
                self.agreement()
            ),
            Simulated::Skipped(reason) => writeln!(f, "  simulated    not run: {reason}"),
        }?;
        if let Some(parts) = parts {
            writeln!(f, "  spent on     {parts}")?;
        }
        if let Some(Capacity {
            finish,
            delayed,
            longest_delay,
        }) = capacity
        {
            let late = match delayed {
                0 => "no processor ends later".to_owned(),
                _ => format!(
                    "{} later, by {} at most",
                    plural(*delayed, "processor"),
                    counted(*longest_delay, unit)
                ),
            };
            writeln!(
                f,
                "  capacity     {} until every operation has ended, {late}",
                counted(*finish, unit)
            )?;
        }
        if let Some((placed, found)) = on_network {
            writeln!(f, "  link time    {found}")?;
            writeln!(f, "               {}", placed.heading())?;
        }
        Ok(())
    }
}

fn published(figure: &Published) -> PublishedCost {
    PublishedCost {
        formula: figure.formula,
        relation: figure.relation.symbol(),
        value: figure.value,
        source: figure.section,
    }
}

/// What papers state of the cost of an algorithm in another model, which `audit` checks.
fn audited(algorithm: &str) -> impl Iterator<Item = Claim> {
    claims::all().into_iter().filter(move |claim| {
        let is_stated = claim
            .statement
            .split_once(" takes")
            .is_some_and(|(own, _)| own == algorithm);
        is_stated && ![Paper::Castbench, Paper::Guidelines].contains(&claim.paper)
    })
}

pub(super) fn counted(count: impl Into<u128>, unit: Unit) -> String {
    let (count, unit) = (count.into(), unit.plural());
    let unit = if count == 1 && unit != Unit::Nanoseconds.plural() {
        unit.trim_end_matches('s')
    } else {
        unit
    };
    format!("{} {unit}", grouped(count))
}

pub(super) fn exact(exact: &Exact, unit: Unit) -> String {
    match exact {
        Exact::Integer(value) => counted(*value, unit),
        Exact::Rational(_) => {
            let value = rounded(exact).unwrap_or(f64::NAN);
            let fraction = exact.to_string();
            // A fraction of a large mesh has hundreds of digits; JSON prints all of them.
            let shown = if fraction.len() <= 40 {
                fraction
            } else {
                "exact fraction with --format json".to_owned()
            };
            format!("{value:.4} {} ({shown})", unit.plural())
        }
    }
}

impl Report<'_> {
    fn json(&self) -> Json<'_> {
        let Self {
            at: At { cell, .. },
            evaluation,
            capacity,
            parts,
            on_network,
        } = self;
        Json {
            algorithm: cell.entry.name,
            parameters: Parameters(cell),
            lower_bound: row::json(&evaluation.lower_bound),
            published: evaluation.headline().map(|claim| claim.value),
            published_costs: evaluation.published.iter().map(published).collect(),
            analytic: evaluation.analytic.as_ref().map(row::json),
            analytic_by: evaluation.by.map(By::word),
            simulated: evaluation.simulated.cost().as_ref().map(row::json),
            capacity: capacity.as_ref(),
            parts: parts.as_ref(),
            on_network: on_network.map(|(_, found)| {
                json!(print::Object {
                    columns: &OnNetwork::columns(),
                    row: found.row()
                })
            }),
        }
    }

    fn over_bound(&self, cost: &Exact) -> String {
        match (rounded(cost), rounded(&self.evaluation.lower_bound)) {
            (Some(cost), Some(bound)) if bound > 0.0 => {
                format!(", {:.2} x the lower bound", cost / bound)
            }
            _ => String::new(),
        }
    }

    fn agreement(&self) -> &'static str {
        match self.evaluation.agreement() {
            Agreement::Agree => "agrees",
            Agreement::Differ if self.evaluation.analytic.is_none() => "ABOVE the upper bound",
            Agreement::Differ => "DIFFERS from analytic",
            Agreement::BelowBound => "BELOW the lower bound",
            Agreement::NotCompared if self.evaluation.analytic.is_none() => {
                "with nothing to compare"
            }
            Agreement::NotCompared => "too few trials to compare",
        }
    }
}
