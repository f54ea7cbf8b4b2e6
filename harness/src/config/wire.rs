//! What a configuration file says, and its translation into a checked [`Config`].

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{self, ALGORITHMS, Axis, Entry, Problem};
use algorithms::cost::Limits;
use algorithms::logp::loggops::LogGops;
use serde::Deserialize;
use toml::Spanned;

use super::axis::{Count, Values, WireAxis, WireBytes};
use super::diagnostics::{Complaint, Source};
use super::{Config, GridSpans};
use crate::failure::Failure;
use crate::figures::{self, WireFigures};
use crate::grid::{Axes, Grid, Machines};
use crate::machine::{Basis, Machine};

/// Where the keys are explained.
const HELP: &str = "the keys and what they take are described in configs/default.toml";

#[derive(Deserialize)]
struct WireSchema {
    schema: Spanned<Count>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireConfig {
    schema: Spanned<Count>,
    seed: Option<Count>,
    #[serde(default)]
    limits: WireLimits,
    #[serde(default)]
    grid: Vec<WireGrid>,
    #[serde(default)]
    figures: WireFigures,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLimits {
    simulate_up_to_nodes: Option<Count>,
    simulate_up_to_hops: Option<Count>,
    most_points: Option<Count>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireGrid {
    name: Spanned<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    without: Option<Spanned<Vec<Spanned<String>>>>,
    L: Option<Spanned<WireAxis>>,
    o: Option<Spanned<WireAxis>>,
    g: Option<Spanned<WireAxis>>,
    K: Option<Spanned<WireAxis>>,
    n: Option<Spanned<WireAxis>>,
    k: Option<Spanned<WireAxis>>,
    m: Option<Spanned<WireAxis>>,
    P: Option<Spanned<WireAxis>>,
    operands: Option<Spanned<WireAxis>>,
    t_s: Option<Spanned<WireAxis>>,
    t_h: Option<Spanned<WireAxis>>,
    t_f: Option<Spanned<WireAxis>>,
    flits: Option<Spanned<WireAxis>>,
    source: Option<Spanned<WireAxis>>,
    machines: Option<Spanned<Vec<Spanned<String>>>>,
    bytes: Option<Spanned<Vec<WireBytes>>>,
    trials: Option<Spanned<Count>>,
}

/// What a sweep may hold unless its configuration says otherwise.
const MAX_POINTS: u64 = 10_000_000;
/// How large a tree a sweep executes, unless its configuration says otherwise.
const SIMULATE_UP_TO_NODES: u64 = 4096;

/// Reads and checks a configuration.
pub(super) fn check(source: &Source) -> Result<Config, Failure> {
    let wire: WireConfig = match source.parse(HELP) {
        Ok(wire) => wire,
        // A file of another schema may hold keys that are not known here, and the schema is then what is wrong.
        Err(failure) => return check_schema(source, &source.parse::<WireSchema>(HELP)?.schema).and(Err(failure)),
    };
    check_schema(source, &wire.schema)?;
    let mut names = BTreeSet::new();
    let mut grids = Vec::new();
    let mut spans = Vec::new();
    let mut machines = BTreeMap::new();
    for grid in wire.grid {
        let (name, span) = (grid.name.get_ref().clone(), grid.name.span());
        spans.push(grid.spans());
        if name.is_empty() || name.contains(['.', '=']) || !names.insert(name.clone()) {
            return Err(source.failure(&Complaint {
                span,
                title: format!("`{name}` cannot name a grid"),
                label: "expected a name of its own, without `.` and `=`".to_owned(),
                help: "`--set GRID.AXIS=VALUES` finds a grid by its name",
            }));
        }
        let grid = GridCheck { source }.check(grid)?;
        if let (Some(name), Some(span)) =
            (homonym(&mut machines, &grid), spans.last().and_then(|spans| spans.machines.clone()))
        {
            return Err(source.failure(&Complaint {
                span,
                title: format!("two machines of this configuration are called `{name}`"),
                label: "one of these has other numbers than in an earlier grid".to_owned(),
                help: "give a profile of your own a `name` of its own: rows tell machines apart by that",
            }));
        }
        grids.push(grid);
    }
    let defaults = Limits::default();
    let limit = |value: Option<Count>, default| value.map_or(default, |value| value.0);
    Ok(Config {
        source: source.clone(),
        spans,
        seed: limit(wire.seed, 1),
        limits: Limits {
            nodes: limit(wire.limits.simulate_up_to_nodes, SIMULATE_UP_TO_NODES),
            hops: limit(wire.limits.simulate_up_to_hops, defaults.hops),
        },
        most_points: limit(wire.limits.most_points, MAX_POINTS),
        grids,
        figures: figures::check(source, wire.figures)?,
    })
}

/// A machine that is called as one of an earlier grid, and is another; remembers those that are not.
fn homonym(known: &mut BTreeMap<String, (LogGops, Basis)>, grid: &Grid) -> Option<String> {
    let own = grid.machines.iter().flat_map(|machines| &machines.machines);
    let other = own.into_iter().find(|machine| {
        let numbers = (machine.parameters(), machine.basis);
        *known.entry(machine.name.clone()).or_insert(numbers) != numbers
    });
    other.map(|machine| machine.name.clone())
}

fn check_schema(source: &Source, schema: &Spanned<Count>) -> Result<(), Failure> {
    if schema.get_ref().0 == 1 {
        return Ok(());
    }
    Err(source.failure(&Complaint {
        span: schema.span(),
        title: format!("schema {} is not known to this castbench", schema.get_ref().0),
        label: "expected 1".to_owned(),
        help: "write `schema = 1`, or use the castbench that wrote this file",
    }))
}

impl WireGrid {
    /// In the order of [`Axis::ALL`].
    fn axes(&self) -> [&Option<Spanned<WireAxis>>; Axis::ALL.len()] {
        let Self { L, o, g, K, n, k, m, P, operands, t_s, t_h, t_f, flits, .. } = self;
        [L, o, g, K, n, k, m, P, operands, t_s, t_h, t_f, flits]
    }

    fn spans(&self) -> GridSpans {
        GridSpans {
            name: self.name.span(),
            axes: self.axes().map(|axis| axis.as_ref().map(Spanned::span)),
            source: self.source.as_ref().map(Spanned::span),
            machines: self.machines.as_ref().map(Spanned::span),
            set: Default::default(),
        }
    }
}

/// Checks the tables `[[grid]]` of one file.
struct GridCheck<'a> {
    source: &'a Source,
}

impl GridCheck<'_> {
    fn failure(&self, span: std::ops::Range<usize>, title: String, label: &str, help: &str) -> Failure {
        self.source.failure(&Complaint { span, title, label: label.to_owned(), help })
    }

    fn check(&self, wire: WireGrid) -> Result<Grid, Failure> {
        let name = wire.name.get_ref().as_str();
        let mut axes = Axes::default();
        for ((slot, axis), symbol) in axes.iter_mut().zip(wire.axes()).zip(Axis::ALL) {
            *slot = self.axis(name, symbol.symbol(), axis.as_ref())?;
        }
        let machines = self.machines(&wire, &axes)?;
        let lacks = |entry: &Entry, axis: Axis| {
            // A summation counts in additions, a machine in ns; the size of a pipelined message is in bytes there.
            let from_machine = match entry.problem() {
                Problem::LogpMulticast => matches!(axis, Axis::L | Axis::O | Axis::G),
                Problem::PipelinedBroadcast => matches!(axis, Axis::L | Axis::O | Axis::G | Axis::N),
                _ => false,
            };
            let from_machine = machines.is_some() && from_machine;
            !from_machine && axes[axis as usize].is_none()
        };
        let algorithms = self.algorithms(&wire, lacks)?;
        self.refuse_unread(&wire, &algorithms)?;
        let sources = self.axis(name, "source", wire.source.as_ref())?.unwrap_or_else(|| Values::one(1));
        let trials = wire.trials.as_ref().map_or(10_000, |trials| trials.get_ref().0);
        if let Some(zero) = wire.trials.as_ref().filter(|_| trials == 0) {
            let title = format!("grid `{name}` draws no multicasts");
            return Err(self.failure(
                zero.span(),
                title,
                "expected at least 1",
                "write `trials = 10000`, or leave it out",
            ));
        }
        Ok(Grid { name: name.to_owned(), algorithms, axes, machines, sources, trials })
    }

    fn axis(&self, grid: &str, symbol: &str, wire: Option<&Spanned<WireAxis>>) -> Result<Option<Values>, Failure> {
        let Some(wire) = wire else { return Ok(None) };
        wire.get_ref().check().map(Some).map_err(|expected| {
            let title = format!("axis {symbol} of grid `{grid}` has no usable values");
            let help =
                "write a list [8, 12, 18], { from = 1, to = 64, step = 3 } or { from = 1, to = 1024, factor = 2 }";
            self.failure(wire.span(), title, &expected, help)
        })
    }

    fn machines(&self, wire: &WireGrid, axes: &Axes) -> Result<Option<Machines>, Failure> {
        let Some(machines) = &wire.machines else {
            return match &wire.bytes {
                None => Ok(None),
                Some(bytes) => Err(self.failure(
                    bytes.span(),
                    "a message size needs a machine".to_owned(),
                    "L, o and g of the axes are those of one message already",
                    "add `machines = [\"ethernet100-switched\"]`, or remove `bytes`",
                )),
            };
        };
        let parameters = [&wire.L, &wire.o, &wire.g].into_iter().flatten().next();
        if let Some(axis) = parameters.filter(|_| axes[..3].iter().any(Option::is_some)) {
            let title = "a grid takes L, o and g from machines or from axes, not both".to_owned();
            return Err(self.failure(axis.span(), title, "this axis", "remove it, or move it to a grid of its own"));
        }
        if machines.get_ref().is_empty() {
            let title = "`machines` is empty".to_owned();
            return Err(self.failure(
                machines.span(),
                title,
                "expected a name",
                "name a machine, or leave the key out",
            ));
        }
        let found = machines.get_ref().iter().map(|name| {
            let found = Machine::find(name.get_ref(), &self.source.resolve(name.get_ref()))?;
            found.ok_or_else(|| {
                let title = format!("there is no machine `{}`", name.get_ref());
                self.failure(name.span(), title, "named here", &Machine::names())
            })
        });
        let sizes = wire.bytes.as_ref().map(|bytes| bytes.get_ref().iter().map(|size| size.0).collect::<Vec<_>>());
        if let Some(bytes) = wire.bytes.as_ref().filter(|bytes| bytes.get_ref().is_empty()) {
            let title = "`bytes` is empty".to_owned();
            return Err(self.failure(
                bytes.span(),
                title,
                "expected a size",
                "write `bytes = [\"1MiB\"]`, or leave the key out",
            ));
        }
        let mut bytes = sizes.unwrap_or_else(|| vec![1]);
        bytes.sort_unstable();
        bytes.dedup();
        let mut known: Vec<Machine> = Vec::new();
        for (machine, name) in found.collect::<Result<Vec<_>, _>>()?.into_iter().zip(machines.get_ref()) {
            if known.iter().any(|other| other.name == machine.name) {
                let title = format!("two machines of this grid are called `{}`", machine.name);
                let help = "name each machine once, and give a profile of your own a `name` of its own";
                return Err(self.failure(name.span(), title, "the second", help));
            }
            known.push(machine);
        }
        Ok(Some(Machines { machines: known, bytes }))
    }

    /// The algorithms named, or all whose axes the grid has.
    fn algorithms(
        &self,
        wire: &WireGrid,
        lacks: impl Fn(&Entry, Axis) -> bool,
    ) -> Result<Vec<&'static Entry>, Failure> {
        let missing = |entry: &Entry| entry.axes().iter().copied().find(|&axis| lacks(entry, axis));
        let Some(named) = &wire.algorithms else {
            let names = wire.without.as_ref().map_or(&[][..], |names| names.get_ref());
            let left_out = names.iter().map(|name| self.entry(name)).collect::<Result<Vec<_>, _>>()?;
            let is_left_out = |entry: &Entry| left_out.iter().any(|other| other.name == entry.name);
            return Ok(ALGORITHMS.iter().filter(|entry| missing(entry).is_none() && !is_left_out(entry)).collect());
        };
        if let Some(without) = &wire.without {
            let title = "a grid names algorithms or leaves some out, not both".to_owned();
            let help = "remove `without`, for only the algorithms that are named are taken";
            return Err(self.failure(without.span(), title, "these", help));
        }
        if named.get_ref().is_empty() {
            let help = "name an algorithm, or leave the key out for all whose axes the grid has";
            return Err(self.failure(named.span(), "`algorithms` is empty".to_owned(), "expected a name", help));
        }
        let mut chosen: Vec<&'static Entry> = Vec::new();
        for name in named.get_ref() {
            let entry = self.entry(name)?;
            if let Some(axis) = missing(entry) {
                let title = format!("`{}` reads the axis {axis}, which this grid lacks", entry.name);
                let why = if wire.machines.is_some() { "; machines give L, o and g to trees only" } else { "" };
                let help = format!("add `{axis} = [...]` to the grid, or remove the algorithm{why}");
                return Err(self.failure(name.span(), title, "asked for here", &help));
            }
            chosen.push(entry);
        }
        chosen.sort_by_key(|entry| entry.rank());
        chosen.dedup_by_key(|entry| entry.name);
        Ok(chosen)
    }

    /// The algorithm of this name.
    fn entry(&self, name: &Spanned<String>) -> Result<&'static Entry, Failure> {
        catalogue::find(name.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = ALGORITHMS.iter().map(|entry| entry.name).collect();
            let help = format!("the algorithms are {}", known.join(", "));
            let title = format!("there is no algorithm `{}`", name.get_ref());
            self.failure(name.span(), title, "not in the catalogue", &help)
        })
    }

    /// Refuses a key that no algorithm of the grid reads: ignored in silence, it would look as if it counted.
    fn refuse_unread(&self, wire: &WireGrid, algorithms: &[&Entry]) -> Result<(), Failure> {
        let solves = |problem| algorithms.iter().any(|entry| entry.problem() == problem);
        let trees = solves(Problem::LogpMulticast);
        let multicasts = solves(Problem::MeshMulticast) || solves(Problem::WormholeMulticast);
        let from_machine = |entry: &Entry, axis: Axis| {
            wire.machines.is_some() && entry.problem() == Problem::PipelinedBroadcast && axis == Axis::N
        };
        let reads =
            |axis: Axis| algorithms.iter().any(|entry| entry.axes().contains(&axis) && !from_machine(entry, axis));
        let axes = Axis::ALL.into_iter().zip(wire.axes());
        let axes = axes.map(|(axis, wire)| (axis.symbol(), wire.as_ref().map(Spanned::span), reads(axis)));
        let keys = axes.chain([
            ("source", wire.source.as_ref().map(Spanned::span), trees),
            ("machines", wire.machines.as_ref().map(Spanned::span), trees || solves(Problem::PipelinedBroadcast)),
            ("trials", wire.trials.as_ref().map(Spanned::span), multicasts),
        ]);
        for (key, span, is_read) in keys {
            if let Some(span) = span.filter(|_| !is_read) {
                let title = format!("no algorithm of grid `{}` reads `{key}`", wire.name.get_ref());
                let names: Vec<&str> = algorithms.iter().map(|entry| entry.name).collect();
                let label = if names.is_empty() {
                    "no algorithm finds all its axes here".to_owned()
                } else {
                    format!("the algorithms are {}", names.join(", "))
                };
                let help =
                    "remove the key, or give the grid an algorithm that reads it and all its axes (`castbench list`)";
                return Err(self.failure(span, title, &label, help));
            }
        }
        Ok(())
    }
}
