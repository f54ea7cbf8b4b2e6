//! The TOML of a configuration, and its translation into a checked [`Config`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use algorithms::catalogue::{axes, entries, find};
use algorithms::cost::Limits;
use algorithms::logp::Profile;
use algorithms::problem::{Axis, Entry, Kind};
use serde::Deserialize;
use serde::de::IgnoredAny;
use toml::Spanned;

use super::{Config, GridSpans};
use crate::base::count::Count;
use crate::base::failure::{Code, Result};
use crate::base::near;
use crate::base::units::is_name;
use crate::networks::{NetworkArgs, Placed, Site};
use crate::output::diagnostics::{KEYS, Source};
use crate::plans::{self, WireAlgorithm};
use crate::space::machine::Basis;
use crate::space::tables::{self, Keys, WireAxis};
use crate::space::{Key, Space, Values, Words};

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
    /// `figures::of` reads them.
    #[serde(rename = "figures")]
    _figures: Option<IgnoredAny>,
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
    #[serde(default)]
    networks: Vec<Spanned<String>>,
    #[serde(deserialize_with = "tables::axes::<GridKeys, _>")]
    axes: BTreeMap<Key, Spanned<WireAxis>>,
}

/// The keys of a grid; it has `machines`, where a point has a `machine`.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct GridKeys;

impl Keys for GridKeys {
    const OWN: &[&str] = &["name", "algorithms", "without", "networks"];

    fn axes() -> Vec<(&'static str, Key)> {
        let spelled = |axis: &&Axis| match axis.kind {
            Kind::Profile => "machines",
            _ => axis.key,
        };
        axes()
            .iter()
            .map(|axis| (spelled(axis), axis.key))
            .collect()
    }
}

/// The axis whose default is the seed of the configuration.
const SEED: &str = "seed";

const MAX_POINTS: u64 = 10_000_000;
const SIMULATE_UP_TO_NODES: u64 = 4096;

fn parsed(source: &Source) -> Result<WireConfig> {
    let wire: WireConfig = match source.parse_with(KEYS, |document| {
        tables::gather_axes(document, "grid", GridKeys::OWN, &[])
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
pub(super) fn given(source: &Source) -> Result<Vec<Entry>> {
    plans::check(source, &parsed(source)?.algorithm)
}

pub(super) fn check(source: &Source) -> Result<Config> {
    let wire = parsed(source)?;
    let given = plans::check(source, &wire.algorithm)?;
    let algorithms = plans::records(source, &wire.algorithm, &given)?;
    let mut names = BTreeSet::new();
    let mut grids = Vec::new();
    let mut spans = Vec::new();
    let mut machines = BTreeMap::new();
    let mut networks = BTreeMap::new();
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
        let sites = self::sites(source, &grid.networks, &mut networks)?;
        let grid = GridCheck {
            source,
            seed,
            given: &given,
        }
        .check(&grid, sites)?;
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
        networks,
    })
}

/// The networks of these names or files, each once, for points; `known` gets those that it lacks.
fn sites(
    source: &Source,
    names: &[Spanned<String>],
    known: &mut BTreeMap<String, Placed>,
) -> Result<Vec<Site>> {
    let mut sites: Vec<Site> = Vec::new();
    for name in names {
        let text = name.get_ref();
        let failure =
            |title: &str, help: &str| Err(source.failure(name.span(), title, "this network", help));
        let (file, changes) = text.split_at(text.find(',').unwrap_or(text.len()));
        let beside = source.resolve(file);
        let path = if beside.is_file() || Path::new(file).is_file() {
            format!("{}{changes}", beside.display())
        } else {
            text.clone()
        };
        if !known.contains_key(text) {
            let placed = match NetworkArgs::of(&path).read() {
                Ok(placed) => placed,
                Err(cause) if cause.code == Code::Usage => {
                    return failure(
                        &cause.explanation(),
                        "`castbench bound --help` lists networks",
                    );
                }
                Err(cause) => return Err(cause),
            };
            known.extend(placed.map(|placed| (text.clone(), placed)));
        }
        if sites.iter().any(|site| site.network == *text) {
            return failure("two networks with one name", "name each network once");
        }
        sites.extend(known.get(text).map(|placed| placed.site(text, path)));
    }
    Ok(sites)
}

/// The first machine with the name but not the numbers of a known one; adds the others to `known`.
fn homonym(
    known: &mut BTreeMap<String, (Profile, Basis, Option<&'static str>)>,
    grid: &Space,
) -> Option<String> {
    grid.machines
        .all()
        .iter()
        .find(|machine| {
            let numbers = (machine.profile(), machine.basis, machine.ports());
            *known.entry(machine.name.clone()).or_insert(numbers) != numbers
        })
        .map(|machine| machine.name.clone())
}

fn check_schema(source: &Source, schema: &Spanned<Count>) -> Result {
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
    fn check(&self, wire: &WireGrid, sites: Vec<Site>) -> Result<Space> {
        let name = wire.name.get_ref();
        let mut words = Words::table(
            self.source,
            format!("grid `{name}`"),
            wire.axes.iter().map(|(key, wire)| (*key, wire)),
        )?;
        words.sites = sites;
        let mut grid = words.space(self.algorithms(wire, &words)?, false)?;
        grid.name.clone_from(name);
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

    /// The named algorithms, or all whose axes the grid has.
    fn algorithms(&self, wire: &WireGrid, words: &Words<'_>) -> Result<Vec<Entry>> {
        let Some(named) = &wire.algorithms else {
            let left_out = wire
                .without
                .as_ref()
                .map_or(&[][..], |names| names.get_ref())
                .iter()
                .map(|name| self.entry(name))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(entries()
                .iter()
                .chain(self.given)
                .copied()
                .filter(|entry| words.missing(*entry).is_none() && !left_out.contains(entry))
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
            if let Some(axis) = words.missing(entry) {
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

    fn entry(&self, name: &Spanned<String>) -> Result<Entry> {
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
}
