//! The configuration of a sweep: its grids. [`figures::of`](crate::figures::of) reads which figures to draw.
//!
//! `wire` holds the TOML, [`Config`] the checked values with defaults filled in.

mod wire;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use algorithms::catalogue::axes;
use algorithms::cost::Limits;
use algorithms::problem::{Entry, Kind, Problem, spelled};
use serde::Serialize;

use crate::base::failure::{Failure, Result};
use crate::base::units::{grouped, joined};
use crate::networks::Placed;
use crate::output::built_in::BuiltIn;
use crate::output::diagnostics::Source;
use crate::plans::record::Record;
use crate::space::values::key_of;
use crate::space::{Cell, Space, Useless, Values, refuse_units};

/// A checked configuration.
pub struct Config {
    /// Its document.
    pub source: Source,
    spans: Vec<GridSpans>,
    /// Seed of all random draws.
    pub seed: u64,
    /// Limits of simulation.
    pub limits: Limits,
    /// Most points of a sweep.
    pub most_points: u64,
    /// The algorithms of its own.
    algorithms: Vec<Record>,
    /// The grids to sweep.
    pub grids: Vec<Space>,
    /// The networks of the grids, by their names there.
    networks: BTreeMap<String, Placed>,
}

/// For which grids `--set` gave an axis its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    ForAll,
    ForThis,
}

/// The spans of one grid in the source, and the axes that `--set` replaced.
#[derive(Debug, Clone)]
struct GridSpans {
    name: Range<usize>,
    axes: BTreeMap<&'static str, Range<usize>>,
    set: BTreeMap<&'static str, Set>,
}

/// The part of a configuration that a manifest records: everything that decides the rows.
#[derive(Debug, Serialize)]
pub struct Resolved<'a> {
    seed: u64,
    simulate_up_to_nodes: u64,
    simulate_up_to_hops: u64,
    #[serde(skip_serializing_if = "<[Record]>::is_empty")]
    algorithms: &'a [Record],
    grids: &'a [Space],
}

/// Adds the algorithms of configurations to the catalogue, and returns them.
///
/// # Errors
/// Exit code 3, with file, line and value, or with the name that two files give.
pub fn given(paths: &[PathBuf]) -> Result<Vec<Entry>> {
    let mut all: Vec<Entry> = Vec::new();
    for path in paths {
        let found = wire::given(&Source::read(path, "configuration")?)?;
        if let Some(twice) = all
            .iter()
            .find(|known| found.iter().any(|own| own.name == known.name))
        {
            let (path, name, other) = (path.display(), twice.name, twice.paper);
            bail!(
                Configuration,
                "--with {path}: it gives an algorithm `{name}`, as {other} does; rename one of them"
            );
        }
        all.extend(found);
    }
    Ok(all)
}

impl Config {
    /// Reads a configuration file, or the built-in one.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        Self::load_or(path, BuiltIn::Default)
    }

    fn load_or(path: Option<&Path>, otherwise: BuiltIn) -> Result<Self> {
        let source = match path {
            Some(path) => Source::read(path, "configuration")?,
            None => otherwise.source(),
        };
        wire::check(&source)
    }

    /// The configuration in this document, checked for useless values and its size.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn from_source(source: &Source) -> Result<Self> {
        wire::check(source)?.checked()
    }

    /// [`Config::load`], then replaces axes by `--set`, then checks.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value; exit code 2 for an invalid `--set`.
    pub fn select(path: Option<&Path>, otherwise: BuiltIn, settings: &[String]) -> Result<Self> {
        Self::set_all(path, otherwise, settings)?.checked()
    }

    fn checked(self) -> Result<Self> {
        match self.too_many_points() {
            Some(title) => Err(self.blame_largest(title, "shorten an axis, or raise the limit")),
            None => self.check_values().map(|()| self),
        }
    }

    /// [`Config::select`] for counting only: up to 2^64 - 1 points, above any limit.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value; exit code 2 for an invalid `--set`.
    pub fn survey(path: Option<&Path>, settings: &[String]) -> Result<Self> {
        let config = Self::set_all(path, BuiltIn::Default, settings)?;
        let size = config.size();
        if size > u128::from(u64::MAX) {
            let title = format!("{} points are too many to number in 64 bits", grouped(size));
            return Err(config.blame_largest(title, "shorten an axis"));
        }
        config.check_values().map(|()| config)
    }

    fn set_all(path: Option<&Path>, otherwise: BuiltIn, settings: &[String]) -> Result<Self> {
        let mut config = Self::load_or(path, otherwise)?;
        // What is said of one grid comes before what is said of all, in either order.
        let is_of_one = |setting: &&String| {
            let target = setting.split('=').next();
            target.is_some_and(|target| target.contains('.'))
        };
        let (of_one, of_all): (Vec<_>, Vec<_>) = settings.iter().partition(is_of_one);
        for setting in of_all.into_iter().chain(of_one) {
            config
                .set(setting)
                .map_err(|reason| failure!(Usage, "--set {setting}: {reason}"))?;
        }
        Ok(config)
    }

    /// The name of its file.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Whether rows of a problem have columns of networks.
    pub fn has_networks(&self, problem: &Problem) -> bool {
        let mut grids = self.grids.iter().filter(|grid| !grid.sites.is_empty());
        grids.any(|grid| grid.algorithms.iter().any(|own| own.problem() == problem))
    }

    /// The network of a point.
    pub fn network(&self, cell: &Cell<'_>) -> Option<&Placed> {
        self.networks.get(&cell.site?.network)
    }

    /// Everything that decides the rows.
    pub fn resolved(&self) -> Resolved<'_> {
        Resolved {
            seed: self.seed,
            simulate_up_to_nodes: self.limits.nodes,
            simulate_up_to_hops: self.limits.hops,
            algorithms: &self.algorithms,
            grids: &self.grids,
        }
    }

    /// Replaces an axis in every grid that has it, or in the named grid.
    fn set(&mut self, setting: &str) -> Result<(), String> {
        let expected = "expected AXIS=VALUES, as in K=8,12,18 or trees.K=1..64";
        let (target, values) = setting.split_once('=').ok_or(expected)?;
        let (grid, symbol) = match target.rsplit_once('.') {
            Some((grid, symbol)) => (Some(grid.trim()), symbol.trim()),
            None => (None, target.trim()),
        };
        let key = key_of(symbol)?;
        if axes()
            .iter()
            .any(|axis| axis.key == key && axis.kind == Kind::Profile)
        {
            return Err("machines cannot be set here; name them in the configuration".to_owned());
        }
        let mut touched = false;
        for (candidate, spans) in self.grids.iter_mut().zip(&mut self.spans) {
            let kind = candidate.kind(key);
            if grid.is_some_and(|name| name != candidate.name) {
                continue;
            }
            let on_profile = !candidate.machines.all().is_empty();
            if let Some(own) = candidate.axes.get_mut(key) {
                refuse_units(key, kind, values, on_profile)?;
                *own = Values::parse(values, kind)?;
                let scope = if grid.is_some() {
                    Set::ForThis
                } else {
                    Set::ForAll
                };
                if spans.set.insert(key, scope) == Some(scope) {
                    return Err(format!(
                        "{target} is set twice; join its values with commas"
                    ));
                }
                touched = true;
            }
        }
        match (touched, grid) {
            (true, _) => Ok(()),
            (false, None) => Err(format!("no grid of {} has an axis {key}", self.name())),
            (false, Some(name)) => {
                let names = joined(", ", self.grids.iter().map(|grid| grid.name.as_str()));
                Err(format!(
                    "no grid `{name}` with an axis {key}; the grids are {names}"
                ))
            }
        }
    }

    /// Number of cells of all grids, at most 2^128 - 1.
    pub fn size(&self) -> u128 {
        self.grids
            .iter()
            .map(Space::size)
            .fold(0, u128::saturating_add)
    }

    /// A message if the grids exceed the configuration's limit of points.
    pub fn too_many_points(&self) -> Option<String> {
        let size = self.size();
        let limit = self.most_points;
        let [points, most] = [size, limit.into()].map(grouped);
        (size > u128::from(limit))
            .then(|| format!("{points} points are more than the {most} of limits.most_points"))
    }

    fn blame_largest(&self, title: String, help: &str) -> Failure {
        let (label, span) = self
            .grids
            .iter()
            .zip(&self.spans)
            .max_by_key(|(grid, _)| grid.size())
            .map_or_else(Default::default, |(grid, span)| {
                (grid.describe(), span.name.clone())
            });
        self.source.failure(span, title, label, help)
    }

    /// Refuses a value that is invalid at every point of its grid. Elsewhere it gives rows that say "not applicable".
    ///
    /// After `--set`, only the new values are checked, because they may leave the others without a point. For a value
    /// that went to every grid, one valid grid is enough.
    fn check_values(&self) -> Result {
        let useless: Vec<Vec<Useless>> = self.grids.iter().map(Space::useless_values).collect();
        for ((grid, spans), found) in self.grids.iter().zip(&self.spans).zip(&useless) {
            let changed = !spans.set.is_empty();
            for Useless {
                axis,
                value,
                reason,
            } in found
            {
                let key = axis.key;
                let title = format!(
                    "{key} = {} is invalid at every point of grid `{}`",
                    spelled(axis, *value),
                    grid.name
                );
                let of_use_elsewhere = || {
                    let has = |other: &Space| other.axes.contains_key(key);
                    self.grids.iter().zip(&useless).any(|(other, found)| {
                        has(other)
                            && !found
                                .iter()
                                .any(|other| (other.axis.key, other.value) == (key, *value))
                    })
                };
                match spans.set.get(key) {
                    None if changed => {}
                    None => {
                        let help = "remove the value, or change the other axes so that it is valid";
                        let span = spans.axes.get(key).unwrap_or(&spans.name).clone();
                        return Err(self.source.failure(span, title, reason, help));
                    }
                    Some(Set::ForAll) if of_use_elsewhere() => {}
                    Some(_) => {
                        bail!("--set: {title}: {reason}");
                    }
                }
            }
        }
        Ok(())
    }
}
