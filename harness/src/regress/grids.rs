//! Compares the current grids with those of a baseline, and names the axes that differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use algorithms::catalogue::{self, axes};
use algorithms::logp::Profile;
use algorithms::problem::Kind;
use serde::{Deserialize, Serialize};

use crate::base::units::joined;
use crate::config::Config;
use crate::record::results::Sweep;
use crate::space::Values;
use crate::space::machine::Machine;

/// A grid as manifests record it. A baseline records no algorithms: a new algorithm makes no point incomparable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RecordedGrid {
    /// The names of its algorithms, where a manifest is read.
    #[serde(default, skip_serializing)]
    pub algorithms: Vec<String>,
    /// The values of each axis.
    pub axes: BTreeMap<String, Values>,
    /// The profiles of the axis `machine`.
    pub machines: Vec<Machine>,
    /// Its name.
    pub name: String,
}

/// A difference between the grids of a baseline and the current ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GridChange {
    /// The grid.
    pub grid: String,
    /// The axis that differs; missing if the whole grid is new or gone.
    pub axis: Option<String>,
    /// Its old values; missing if it had none.
    pub before: Option<String>,
    /// Its current values; missing if it has none.
    pub now: Option<String>,
}

impl fmt::Display for GridChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            grid,
            axis,
            before,
            now,
        } = self;
        let values =
            |values: &Option<String>| values.clone().unwrap_or_else(|| "no values".to_owned());
        match axis {
            Some(axis) => write!(
                f,
                "grid `{grid}`: axis {axis} had {}, has {}",
                values(before),
                values(now)
            ),
            None if before.is_none() => write!(f, "grid `{grid}` is new"),
            None => write!(f, "grid `{grid}` is gone"),
        }
    }
}

pub(super) fn from_config(config: &Config) -> Vec<RecordedGrid> {
    // What is written can be read.
    serde_json::to_value(&config.grids)
        .and_then(serde_json::from_value)
        .unwrap_or_default()
}

/// Says that the rows of a sweep are not of the grids of a configuration, and what differs.
pub fn tell_others(sweep: &Sweep<'_>, config: &Config) {
    const SHOWN: usize = 3;
    let recorded = sweep
        .manifest()
        .and_then(|manifest| Vec::deserialize(&manifest.configuration["grids"]).ok());
    let changes = recorded.map_or_else(Vec::new, |before: Vec<RecordedGrid>| {
        changes(&before, &from_config(config))
    });
    if changes.is_empty() {
        return;
    }
    let more = changes.len().saturating_sub(SHOWN);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    tell!(
        "warning: the rows in `{}` are not of the grids of {}: {}{more}; sweep again for those",
        sweep.directory().display(),
        config.name(),
        joined("; ", changes.iter().take(SHOWN).map(GridChange::to_string))
    );
}

/// The differences, in the order of the current grids. The order of grids decides no point.
pub(super) fn changes(before: &[RecordedGrid], now: &[RecordedGrid]) -> Vec<GridChange> {
    let find =
        |grids: &[RecordedGrid], name: &str| grids.iter().find(|grid| grid.name == name).cloned();
    let whole = |grid: &RecordedGrid, was: bool, is: bool| {
        let described = |there: bool| there.then(|| "a grid".to_owned());
        GridChange {
            grid: grid.name.clone(),
            axis: None,
            before: described(was),
            now: described(is),
        }
    };
    let mut changes = Vec::new();
    for grid in now {
        match find(before, &grid.name) {
            Some(old) => changes.extend(between(&old, grid)),
            None => changes.push(whole(grid, false, true)),
        }
    }
    changes.extend(
        before
            .iter()
            .filter(|old| find(now, &old.name).is_none())
            .map(|old| whole(old, true, false)),
    );
    changes
}

impl RecordedGrid {
    /// The values of an axis in short; machines by their names.
    pub fn described(&self, key: &str) -> Option<String> {
        let names = self.machines.iter().map(|machine| machine.name.as_str());
        Some(self.axes.get(key)?.describe(self.kind(key), names))
    }

    /// What an axis of its algorithms is: problems give one key several meanings.
    fn kind(&self, key: &str) -> Kind {
        let entries = self
            .algorithms
            .iter()
            .filter_map(|name| catalogue::find(name));
        let own = entries.flat_map(|entry| entry.axes().iter());
        own.chain(axes().iter().copied())
            .find(|axis| axis.key == key)
            .map_or(Kind::Count, |axis| axis.kind)
    }
}

fn between(before: &RecordedGrid, now: &RecordedGrid) -> Vec<GridChange> {
    let keys: BTreeSet<&String> = before.axes.keys().chain(now.axes.keys()).collect();
    let differs = |key: &&&String| match (before.axes.get(**key), now.axes.get(**key)) {
        (Some(_), Some(_)) if now.kind(key) == Kind::Profile => decisive(before) != decisive(now),
        (Some(before), Some(now)) => before.count() != now.count() || before.iter().ne(now.iter()),
        _ => true,
    };
    let change = |key: &&String| {
        let (mut was, mut is) = (before.described(key), now.described(key));
        if was == is {
            // The short texts are equal, so the values or the numbers that differ are printed.
            (was, is) = (whole(before, now, key), whole(now, before, key));
        }
        GridChange {
            grid: now.name.clone(),
            axis: Some((*key).clone()),
            before: was,
            now: is,
        }
    };
    keys.iter().filter(differs).map(change).collect()
}

/// Whether machines of one name have different numbers.
pub(super) fn have_other_machines(before: &[RecordedGrid], now: &[RecordedGrid]) -> bool {
    let of = |grids| <[RecordedGrid]>::iter(grids).flat_map(decisive);
    of(before).any(|(name, profile)| of(now).any(|own| own.0 == name && own.1 != profile))
}

/// What decides points and costs: not the file of a profile, nor the origin of its numbers.
fn decisive(grid: &RecordedGrid) -> Vec<(&str, Profile)> {
    grid.machines
        .iter()
        .map(|machine| (machine.name.as_str(), machine.profile()))
        .collect()
}

/// All values of an axis; of profiles the numbers that differ from those of the other grid.
fn whole(grid: &RecordedGrid, other: &RecordedGrid, key: &str) -> Option<String> {
    if grid.kind(key) == Kind::Profile {
        let differing = |(machine, other): (&Machine, &Machine)| {
            let numbers: Vec<String> = machine
                .numbers()
                .into_iter()
                .zip(other.numbers())
                .filter(|((_, own, _), (_, other, _))| own != other)
                .map(|((symbol, value, _), _)| format!("{symbol} = {value}"))
                .collect();
            (!numbers.is_empty()).then(|| format!("{} with {}", machine.name, numbers.join(", ")))
        };
        return Some(joined(
            "; ",
            grid.machines
                .iter()
                .zip(&other.machines)
                .filter_map(differing),
        ));
    }
    Some(joined(
        ", ",
        grid.axes.get(key)?.iter().map(|value| value.to_string()),
    ))
}
