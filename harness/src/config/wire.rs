//! What a configuration file says, and its translation into a checked [`Config`].

use std::collections::BTreeSet;

use algorithms::catalogue::{self, ALGORITHMS, Axis, Entry, Problem as AlgorithmProblem};
use algorithms::cost::Limits;
use serde::Deserialize;
use toml::Spanned;

use super::Config;
use super::axis::{Count, Values, WireAxis, WireBytes};
use super::diagnostics::{Problem, Source};
use crate::failure::Failure;
use crate::figures::{Figure, WireFigures};
use crate::grid::{Grid, Machines};
use crate::machine::Machine;

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
    L: Option<Spanned<WireAxis>>,
    o: Option<Spanned<WireAxis>>,
    g: Option<Spanned<WireAxis>>,
    K: Option<Spanned<WireAxis>>,
    n: Option<Spanned<WireAxis>>,
    k: Option<Spanned<WireAxis>>,
    m: Option<Spanned<WireAxis>>,
    source: Option<Spanned<WireAxis>>,
    machines: Option<Spanned<Vec<Spanned<String>>>>,
    bytes: Option<Spanned<Vec<WireBytes>>>,
    trials: Option<Spanned<Count>>,
}

/// What a sweep may hold unless its configuration says otherwise.
const MOST_POINTS: u64 = 10_000_000;
/// How large a tree a sweep executes, unless its configuration says otherwise.
const SIMULATE_UP_TO_NODES: u64 = 4096;

/// Reads and checks a configuration.
pub(super) fn check(source: &Source) -> Result<Config, Failure> {
    let wire: WireConfig = source.parse()?;
    if wire.schema.get_ref().0 != 1 {
        return Err(source.failure(&Problem {
            span: wire.schema.span(),
            title: format!("schema {} is not known to this castbench", wire.schema.get_ref().0),
            label: "expected 1".to_owned(),
            help: "write `schema = 1`, or use the castbench that wrote this file",
        }));
    }
    let mut names = BTreeSet::new();
    let mut grids = Vec::new();
    let mut spans = Vec::new();
    for grid in wire.grid {
        let (name, span) = (grid.name.get_ref().clone(), grid.name.span());
        spans.push(span.clone());
        if name.is_empty() || name.contains(['.', '=']) || !names.insert(name.clone()) {
            return Err(source.failure(&Problem {
                span,
                title: format!("`{name}` cannot name a grid"),
                label: "expected a name of its own, without `.` and `=`".to_owned(),
                help: "`--set GRID.AXIS=VALUES` finds a grid by its name",
            }));
        }
        grids.push(GridCheck { source }.check(grid)?);
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
        most_points: limit(wire.limits.most_points, MOST_POINTS),
        grids,
        figures: <dyn Figure>::check(source, wire.figures)?,
    })
}

/// Checks the tables `[[grid]]` of one file.
struct GridCheck<'a> {
    source: &'a Source,
}

impl GridCheck<'_> {
    fn failure(&self, span: std::ops::Range<usize>, title: String, label: &str, help: &str) -> Failure {
        self.source.failure(&Problem { span, title, label: label.to_owned(), help })
    }

    fn check(&self, wire: WireGrid) -> Result<Grid, Failure> {
        let name = wire.name.get_ref().as_str();
        let spans = [&wire.L, &wire.o, &wire.g, &wire.K, &wire.n, &wire.k, &wire.m];
        let mut axes: [Option<Values>; 7] = Default::default();
        for ((slot, axis), symbol) in axes.iter_mut().zip(spans).zip(Axis::ALL) {
            *slot = self.axis(name, symbol.symbol(), axis.as_ref())?;
        }
        let machines = self.machines(&wire, &axes)?;
        let has = |axis: Axis| {
            let from_machine = machines.is_some() && matches!(axis, Axis::L | Axis::O | Axis::G);
            from_machine || axes[axis as usize].is_some()
        };
        let algorithms = self.algorithms(&wire, has)?;
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
        let grid = Grid { name: name.to_owned(), algorithms, axes, machines, sources, trials };
        self.useless_values(&wire, &grid)?;
        Ok(grid)
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

    fn machines(&self, wire: &WireGrid, axes: &[Option<Values>; 7]) -> Result<Option<Machines>, Failure> {
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
        Ok(Some(Machines { machines: found.collect::<Result<_, _>>()?, bytes }))
    }

    /// The algorithms named, or all whose axes the grid has.
    fn algorithms(&self, wire: &WireGrid, has: impl Fn(Axis) -> bool) -> Result<Vec<&'static Entry>, Failure> {
        let missing = |entry: &Entry| entry.axes().iter().copied().find(|&axis| !has(axis));
        let Some(named) = &wire.algorithms else {
            return Ok(ALGORITHMS.iter().filter(|entry| missing(entry).is_none()).collect());
        };
        let mut chosen: Vec<&'static Entry> = Vec::new();
        for name in named.get_ref() {
            let Some(entry) = catalogue::find(name.get_ref()) else {
                let known: Vec<&str> = ALGORITHMS.iter().map(|entry| entry.name).collect();
                let help = format!("the algorithms are {}", known.join(", "));
                let title = format!("there is no algorithm `{}`", name.get_ref());
                return Err(self.failure(name.span(), title, "not in the catalogue", &help));
            };
            if let Some(axis) = missing(entry) {
                let title = format!("`{}` reads the axis {axis}, which this grid lacks", entry.name);
                let help = format!("add `{axis} = [...]` to the grid, or remove the algorithm");
                return Err(self.failure(name.span(), title, "asked for here", &help));
            }
            chosen.push(entry);
        }
        chosen.sort_by_key(|entry| ALGORITHMS.iter().position(|known| known.name == entry.name));
        chosen.dedup_by_key(|entry| entry.name);
        Ok(chosen)
    }

    /// Refuses values that no algorithm of the grid can use at any point; a value that some can use makes
    /// rows that say "not applicable" for the others.
    fn useless_values(&self, wire: &WireGrid, grid: &Grid) -> Result<(), Failure> {
        let solves = |problem| grid.algorithms.iter().any(|entry| entry.problem() == problem);
        let trees = solves(AlgorithmProblem::LogpMulticast);
        let meshes = solves(AlgorithmProblem::MeshMulticast);
        let Some((K, values)) = wire.K.as_ref().zip(grid.axes[Axis::K as usize].as_ref()) else { return Ok(()) };
        let (least, most) = values.bounds();
        if trees && !meshes && least == 0 {
            let title = format!("K = 0 in grid `{}`", grid.name);
            let help = "K counts the source itself: start at 1, a multicast that sends nothing";
            return Err(self.failure(K.span(), title, "a tree has at least its source", help));
        }
        if let Some(n) = grid.axes[Axis::N as usize].as_ref().filter(|_| meshes && !trees) {
            let side = n.bounds().1;
            let destinations = side.saturating_mul(side).saturating_sub(1);
            if most > destinations {
                let title = format!("K = {most} in grid `{}`", grid.name);
                let label = format!("above n*n - 1 = {destinations}, all the destinations there are");
                return Err(self.failure(K.span(), title, &label, "K counts the destinations without the source"));
            }
        }
        if let Some(sources) = wire.source.as_ref().filter(|_| trees) {
            let (first, last) = grid.sources.bounds();
            if first == 0 || last > most {
                let title = format!("source = {} in grid `{}`", if first == 0 { first } else { last }, grid.name);
                let label = format!("expected positions from 1 to K, which is at most {most} here");
                return Err(self.failure(sources.span(), title, &label, "write `source = [1]`, or leave it out"));
            }
        }
        Ok(())
    }
}
