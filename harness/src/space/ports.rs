//! What a profile owns of its points, the rule of ports and the time to combine: what is asked, else what the profile states, else
//! the default of the axis. All verbs, sweeps and figures resolve and state it here.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::axes;
use algorithms::problem::{Axis, Kind, Problem, spelled};

use super::values::Key;
use super::{Machines, PointValues, RANKS, Space};
use crate::base::units::{joined, together};
use crate::networks::Site;
use crate::space::machine::{COMBINING, PORTS};

/// Whether a profile can own an axis, which then has no value of its own where none is asked.
pub fn is_owned(axis: &Axis) -> bool {
    matches!(axis.key, PORTS | COMBINING)
}

/// The values of these axes that profiles state, by the key and the name of the profile.
pub type Rules = BTreeMap<(Key, String), u64>;

/// The rules that the profiles of these grids state.
pub fn rules(grids: &[Space]) -> Rules {
    let machines = grids.iter().flat_map(|grid| grid.machines.all());
    let owned = axes().iter().filter(|axis| is_owned(axis));
    machines
        .flat_map(|machine| owned.clone().map(move |axis| (machine, axis)))
        .filter_map(|(machine, axis)| {
            Some(((axis.key, machine.name.clone()), machine.stated(axis)?))
        })
        .collect()
}

impl Machines {
    /// The values of an axis on these machines where none is asked.
    pub fn values_of(&self, axis: &Axis) -> Vec<u64> {
        let own = self
            .all()
            .iter()
            .filter_map(|machine| machine.value_of(axis));
        let default = axis.default.filter(|_| self.all().is_empty());
        own.chain(default)
            .collect::<BTreeSet<u64>>()
            .into_iter()
            .collect()
    }

    /// Fills in the axes that a profile can own, where a point has no value of them.
    pub fn complete(&self, axes: &[Axis], values: &mut PointValues, site: Option<&Site>) {
        let ranks = axes.iter().position(|axis| axis.key == RANKS);
        if let Some((index, site)) = ranks.zip(site) {
            values[index].get_or_insert(site.ranks);
        }
        let profile = axes.iter().position(|axis| axis.kind == Kind::Profile);
        let machine = profile.and_then(|profile| self.get(values[profile]?));
        let owned = axes
            .iter()
            .zip(&mut **values)
            .filter(|(axis, _)| is_owned(axis));
        for (axis, value) in owned {
            *value =
                value.or_else(|| machine.map_or(axis.default, |machine| machine.value_of(axis)));
        }
    }

    /// The rule of ports of points on these machines, and what decides it: the values asked, the profile or the default. None
    /// for a problem that no rule concerns.
    pub fn ports(&self, problem: &Problem, asked: Option<&[u64]>) -> Option<String> {
        let Some(axis) = problem.axes.iter().find(|axis| axis.key == PORTS) else {
            return self.unread(problem);
        };
        let word = |value: u64| spelled(axis, value).into_owned();
        if let Some(asked) = asked {
            let words = joined(" and ", asked.iter().map(|&value| word(value)));
            return Some(format!("{words} ports, as asked"));
        }
        let default = word(axis.default.unwrap_or_default());
        let all = self.all();
        if all.is_empty() {
            return Some(format!("{default} ports, the default"));
        }
        let rules = together(
            all.iter()
                .map(|machine| (machine.ports(), machine.name.as_str())),
        );
        let state = |(rule, names): (Option<&str>, Vec<&str>)| match rule {
            Some(rule) => format!("{rule} ports, by profile {}", names.join(", ")),
            None if names.len() == all.len() => format!("{default} ports, the default"),
            None => format!(
                "{default} ports, the default, for profile {}",
                names.join(", ")
            ),
        };
        Some(joined("; ", rules.into_iter().map(state)))
    }

    /// What is said of a problem that has strict ports only, on profiles with another rule.
    pub fn unread(&self, problem: &Problem) -> Option<String> {
        let has_rule = problem.axes.iter().any(|axis| axis.key == PORTS);
        if has_rule {
            None
        } else {
            self.strictly(&format!("`{}`", problem.name))
        }
    }

    /// What is said of something that has strict ports only, on profiles with another rule.
    pub fn strictly(&self, what: &str) -> Option<String> {
        let others = self
            .all()
            .iter()
            .filter_map(|machine| Some((machine.ports()?, machine.name.as_str())));
        let others: Vec<String> = together(others.filter(|(rule, _)| *rule != STRICT))
            .into_iter()
            .map(|(rule, names)| format!("profile {} says {rule}", names.join(", ")))
            .collect();
        (!others.is_empty()).then(|| {
            format!(
                "{STRICT} ports: {what} is defined for them only; {}",
                others.join("; ")
            )
        })
    }
}

/// The rule of problems without the axis.
const STRICT: &str = "strict";
