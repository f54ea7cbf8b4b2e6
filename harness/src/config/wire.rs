//! The TOML of a configuration, and its translation into a checked [`Config`].

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{axes, entries, find};
use algorithms::cost::Limits;
use algorithms::logp::Profile;
use algorithms::problem::{Axis, Entry, Kind};
use serde::Deserialize;
use toml::Spanned;

use super::axis::{Count, FORMS, Key, Values, WireAxis, refuse_units};
use super::diagnostics::{KEYS, Source};
use super::{Config, GridSpans, tables};
use crate::failure::Failure;
use crate::figures::{self, WireFigures};
use crate::grid::{self, Axes, Grid, Machines, form};
use crate::machine::{Basis, Machine};
use crate::near;
use crate::plans::{self, WireAlgorithm};
use crate::units::is_name;

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
    #[serde(default)]
    algorithm: Vec<WireAlgorithm>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLimits {
    simulate_up_to_nodes: Option<Count>,
    simulate_up_to_hops: Option<Count>,
    most_points: Option<Count>,
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table [[grid]] with a name and the values of its axes"
)]
struct WireGrid {
    name: Spanned<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    without: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(deserialize_with = "tables::axes::<GridKey, _>")]
    axes: BTreeMap<Key, Spanned<WireAxis>>,
}

/// The keys of a grid that are not axes.
const OWN: [&str; 3] = ["name", "algorithms", "without"];

/// The key of an axis in a configuration: a grid has `machines`, a point has a `machine`.
fn spelled(axis: &Axis) -> &'static str {
    if axis.kind == Kind::Profile {
        "machines"
    } else {
        axis.key
    }
}

/// The key of an axis of a grid.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct GridKey(Key);

impl TryFrom<String> for GridKey {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let found = axes()
            .iter()
            .find(|axis| spelled(axis) == text)
            .map(|axis| Self(axis.key));
        found.ok_or_else(|| tables::unknown(&text, &OWN, axes().iter().map(|axis| spelled(axis))))
    }
}

impl From<GridKey> for Key {
    fn from(GridKey(key): GridKey) -> Self {
        key
    }
}

/// The axis whose default is the seed of the configuration.
const SEED: &str = "seed";

const MAX_POINTS: u64 = 10_000_000;
const SIMULATE_UP_TO_NODES: u64 = 4096;

fn parsed(source: &Source) -> Result<WireConfig, Failure> {
    let wire: WireConfig = match source.parse_with(KEYS, |document| {
        tables::gather_axes(document, "grid", &OWN, &[])
    }) {
        Ok(wire) => wire,
        // A file of another schema may have unknown keys; then the schema is the error.
        Err(failure) => {
            return check_schema(source, &source.parse::<WireSchema>(KEYS)?.schema)
                .and(Err(failure));
        }
    };
    check_schema(source, &wire.schema).map(|()| wire)
}

/// Adds the algorithms of a configuration to the catalogue.
pub(super) fn given(source: &Source) -> Result<Vec<Entry>, Failure> {
    plans::check(source, &parsed(source)?.algorithm)
}

pub(super) fn check(source: &Source) -> Result<Config, Failure> {
    let wire = parsed(source)?;
    let given = plans::check(source, &wire.algorithm)?;
    let algorithms = plans::records(source, &wire.algorithm, &given)?;
    let mut names = BTreeSet::new();
    let mut grids = Vec::new();
    let mut spans = Vec::new();
    let mut machines = BTreeMap::new();
    let seed = wire.seed.map_or(1, |seed| seed.0);
    for grid in wire.grid {
        let (name, span) = (grid.name.get_ref().clone(), grid.name.span());
        spans.push(grid.spans());
        if !is_name(&name) || name.contains(['.', '=']) || !names.insert(name.clone()) {
            let title = format_args!("`{name}` is not a valid name of a grid");
            let label =
                "expected a name that no other grid has, of at most 200 bytes, without `.` and `=`";
            return Err(source.failure(
                span,
                title,
                label,
                "`--set GRID.AXIS=VALUES` finds a grid by its name",
            ));
        }
        let grid = GridCheck {
            source,
            seed,
            given: &given,
        }
        .check(grid)?;
        if let (Some(name), Some(span)) = (
            homonym(&mut machines, &grid),
            spans
                .last()
                .and_then(|spans| spans.axes.get("machine").cloned()),
        ) {
            let title = format_args!("two machines of this configuration have the name `{name}`");
            let label = "a machine here has other numbers than in an earlier grid";
            let help = "give your profile another `name`: rows identify machines by it";
            return Err(source.failure(span, title, label, help));
        }
        grids.push(grid);
    }
    let rules = grid::rules(&grids);
    let defaults = Limits::default();
    let limit = |value: Option<Count>, default| value.map_or(default, |value| value.0);
    Ok(Config {
        source: source.clone(),
        spans,
        seed,
        limits: Limits {
            nodes: limit(wire.limits.simulate_up_to_nodes, SIMULATE_UP_TO_NODES),
            hops: limit(wire.limits.simulate_up_to_hops, defaults.hops),
        },
        most_points: limit(wire.limits.most_points, MAX_POINTS),
        algorithms,
        grids,
        figures: figures::check(source, wire.figures, &rules)?,
    })
}

/// The first machine with the name but not the numbers of a known one; adds the others to `known`.
fn homonym(
    known: &mut BTreeMap<String, (Profile, Basis, Option<&'static str>)>,
    grid: &Grid,
) -> Option<String> {
    let other = grid.machines.all().iter().find(|machine| {
        let numbers = (machine.profile(), machine.basis, machine.ports());
        *known.entry(machine.name.clone()).or_insert(numbers) != numbers
    });
    other.map(|machine| machine.name.clone())
}

fn check_schema(source: &Source, schema: &Spanned<Count>) -> Result<(), Failure> {
    if schema.get_ref().0 == 1 {
        return Ok(());
    }
    let title = format_args!("this castbench does not know schema {}", schema.get_ref().0);
    let help = "write `schema = 1`, or use the castbench that wrote this file";
    Err(source.failure(schema.span(), title, "expected 1", help))
}

impl WireGrid {
    fn spans(&self) -> GridSpans {
        let axes = self
            .axes
            .iter()
            .map(|(key, axis)| (*key, axis.span()))
            .collect();
        GridSpans {
            name: self.name.span(),
            axes,
            set: BTreeMap::new(),
        }
    }
}

struct GridCheck<'a> {
    source: &'a Source,
    seed: u64,
    /// The algorithms of the configuration itself.
    given: &'a [Entry],
}

impl GridCheck<'_> {
    fn check(&self, wire: WireGrid) -> Result<Grid, Failure> {
        let name = wire.name.get_ref().as_str();
        let mut grid = Grid {
            name: name.to_owned(),
            algorithms: Vec::new(),
            axes: Axes::new(),
            machines: Machines::default(),
        };
        grid.algorithms = self.algorithms(&wire)?;
        let on_profile = axes()
            .iter()
            .any(|axis| axis.kind == Kind::Profile && wire.axes.contains_key(axis.key));
        for (key, wire) in &wire.axes {
            let kind = grid.kind(key);
            let values = if kind == Kind::Profile {
                grid.machines = self.machines(wire)?;
                Values::below(grid.machines.all().len() as u64).unwrap_or_else(|| Values::only(0))
            } else {
                self.values(key, wire, kind, on_profile)?
            };
            grid.axes.insert(key, values);
        }
        self.refuse_unread(&wire, &grid.algorithms)?;
        let draws = grid
            .algorithms
            .iter()
            .flat_map(|entry| entry.axes())
            .any(|axis| axis.key == SEED);
        if draws {
            grid.axes
                .entry(SEED)
                .or_insert_with(|| Values::one(self.seed));
        }
        Ok(grid)
    }

    fn values(
        &self,
        key: &str,
        wire: &Spanned<WireAxis>,
        kind: Kind,
        on_profile: bool,
    ) -> Result<Values, Failure> {
        let value = |word: &Spanned<String>| {
            let text = word.get_ref();
            let read =
                refuse_units(key, kind, text, on_profile).and_then(|()| Values::parse(text, kind));
            read.map_err(|expected| {
                let title = format!("`{text}` is not a value of `{key}`");
                self.source.failure(
                    word.span(),
                    title,
                    expected,
                    format!("write values {FORMS}"),
                )
            })
        };
        let parts = wire
            .get_ref()
            .0
            .iter()
            .map(value)
            .collect::<Result<_, _>>()?;
        Values::joined(parts).map_err(|expected| {
            let title = format!("axis `{key}` has no usable values");
            self.source.failure(
                wire.span(),
                title,
                expected,
                format!("write values {FORMS}"),
            )
        })
    }

    fn machines(&self, wire: &Spanned<WireAxis>) -> Result<Machines, Failure> {
        let names = wire.get_ref().0.iter().flat_map(|names| {
            names
                .get_ref()
                .split(',')
                .map(|name| Spanned::new(names.span(), name.trim().to_owned()))
        });
        let mut known: Vec<Machine> = Vec::new();
        if wire.get_ref().0.is_empty() {
            let title = "`machines` names no machine";
            return Err(self.source.failure(
                wire.span(),
                title,
                "expected names",
                Machine::names(),
            ));
        }
        for name in names {
            let machine = Machine::named_in(self.source, &name)?;
            if known.iter().any(|other| other.name == machine.name) {
                let title = format!("two machines of this grid have the name `{}`", machine.name);
                let help = "name each machine once, and give your profile another `name`";
                return Err(self.source.failure(name.span(), title, "the second", help));
            }
            known.push(machine);
        }
        Ok(Machines::new(known))
    }

    /// The named algorithms, or all whose axes the grid has.
    fn algorithms(&self, wire: &WireGrid) -> Result<Vec<Entry>, Failure> {
        let missing =
            |entry: &Entry| form(entry.problem(), |key| wire.axes.contains_key(key)).err();
        let Some(named) = &wire.algorithms else {
            let names = wire
                .without
                .as_ref()
                .map_or(&[][..], |names| names.get_ref());
            let left_out = names
                .iter()
                .map(|name| self.entry(name))
                .collect::<Result<Vec<_>, _>>()?;
            let is_taken = |entry: &Entry| missing(entry).is_none() && !left_out.contains(entry);
            return Ok(entries()
                .iter()
                .chain(self.given)
                .copied()
                .filter(is_taken)
                .collect());
        };
        if let Some(without) = &wire.without {
            let title = "`algorithms` and `without` exclude each other";
            let help = "remove `without`: only the named algorithms are taken";
            return Err(self.source.failure(without.span(), title, "these", help));
        }
        if named.get_ref().is_empty() {
            let help = "name an algorithm, or remove the key to take all whose axes the grid has";
            return Err(self.source.failure(
                named.span(),
                "`algorithms` is empty".to_owned(),
                "expected a name",
                help,
            ));
        }
        let mut chosen: Vec<Entry> = Vec::new();
        for name in named.get_ref() {
            let entry = self.entry(name)?;
            if let Some(axis) = missing(&entry) {
                let title = format!(
                    "`{}` reads the axis {}, which this grid lacks",
                    entry.name, axis.key
                );
                let help = format!(
                    "add `{} = [...]` to the grid, or remove the algorithm",
                    axis.key
                );
                return Err(self
                    .source
                    .failure(name.span(), title, "this algorithm", &help));
            }
            chosen.push(entry);
        }
        chosen.sort_by_key(|entry| (entry.rank(), entry.name));
        chosen.dedup();
        Ok(chosen)
    }

    fn entry(&self, name: &Spanned<String>) -> Result<Entry, Failure> {
        find(name.get_ref()).ok_or_else(|| {
            let title = format!("there is no algorithm `{}`", name.get_ref());
            self.source.failure(
                name.span(),
                title,
                "unknown algorithm",
                near::algorithms(name.get_ref()),
            )
        })
    }

    /// Refuses a key that no algorithm of the grid reads, because it would have no effect.
    fn refuse_unread(&self, wire: &WireGrid, algorithms: &[Entry]) -> Result<(), Failure> {
        let reads = |entry: &Entry, key: &str| {
            let form = form(entry.problem(), |key| wire.axes.contains_key(key)).unwrap_or_default();
            form.into_iter().any(|index| entry.axes()[index].key == key)
        };
        for (key, axis) in &wire.axes {
            if !algorithms.iter().any(|entry| reads(entry, key)) {
                let spelled = axes()
                    .iter()
                    .find(|axis| axis.key == *key)
                    .map_or(*key, |axis| spelled(axis));
                let title = format!(
                    "no algorithm of grid `{}` reads `{spelled}`",
                    wire.name.get_ref()
                );
                let on_machines = |entry: &&Entry| entry.axes().iter().any(|axis| axis.key == *key);
                if let Some(entry) = algorithms.iter().find(on_machines) {
                    let label = format!(
                        "`{}` does not take `{spelled}` together with machines",
                        entry.name
                    );
                    let help = "remove the key or `machines`, or put one of them into another grid";
                    return Err(self.source.failure(axis.span(), title, &label, help));
                }
                let names: Vec<&str> = algorithms.iter().map(|entry| entry.name).collect();
                let label = if names.is_empty() {
                    "no algorithm finds all its axes here".to_owned()
                } else {
                    format!("the algorithms are {}", names.join(", "))
                };
                let help = "remove the key, or give the grid an algorithm that reads it and all its axes (`castbench list`)";
                return Err(self.source.failure(axis.span(), title, &label, help));
            }
        }
        Ok(())
    }
}
