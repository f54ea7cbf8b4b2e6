//! The rule of ports of points: what is asked, else what the profile states, else the default of the axis. All verbs, sweeps and
//! figures resolve and state it here.

use std::collections::BTreeMap;

use algorithms::catalogue::axes;
use algorithms::problem::{AnyProblem, Axis, Kind, spelled};

use super::{Grid, Machines, PointValues};
use crate::machine::PORTS;
use crate::units::together;

/// Whether a profile can own an axis, which then has no value of its own where none is asked.
#[must_use]
pub fn is_owned(axis: &Axis) -> bool {
    axis.key == PORTS
}

/// The value of that axis by the name of each profile that states one.
pub type Rules = BTreeMap<String, u64>;

/// The rules that the profiles of these grids state.
#[must_use]
pub fn rules(grids: &[Grid]) -> Rules {
    let Some(axis) = axes().iter().copied().find(|axis| is_owned(axis)) else {
        return Rules::new();
    };
    let machines = grids
        .iter()
        .flat_map(|grid| grid.machines.all())
        .filter(|machine| machine.ports().is_some());
    machines
        .filter_map(|machine| Some((machine.name.clone(), machine.value_of(axis)?)))
        .collect()
}

impl Machines {
    /// The values of an axis on these machines where none is asked.
    #[must_use]
    pub fn values_of(&self, axis: &Axis) -> Vec<u64> {
        let own = self.all().iter().map(|machine| machine.value_of(axis));
        if self.all().is_empty() {
            axis.default.into_iter().collect()
        } else {
            own.flatten().collect()
        }
    }

    /// Fills in the axis that a profile can own, where a point has no value of it.
    pub fn complete(&self, axes: &[Axis], values: &mut PointValues) {
        let Some(index) = axes.iter().position(is_owned) else {
            return;
        };
        let profile = axes.iter().position(|axis| axis.kind == Kind::Profile);
        let machine = profile.and_then(|profile| self.get(values[profile]?));
        values[index] = values[index].or_else(|| {
            machine.map_or(axes[index].default, |machine| {
                machine.value_of(&axes[index])
            })
        });
    }

    /// The rule of ports of points on these machines, and what decides it: the values asked, the profile or the default. None
    /// for a problem that no rule concerns.
    #[must_use]
    pub fn ports(&self, problem: &dyn AnyProblem, asked: Option<&[u64]>) -> Option<String> {
        let Some(axis) = problem.axes().iter().find(|axis| is_owned(axis)) else {
            return self.unread(problem);
        };
        let word = |value: u64| spelled(axis, value).into_owned();
        if let Some(asked) = asked {
            let words: Vec<String> = asked.iter().map(|&value| word(value)).collect();
            return Some(format!("{} ports, as asked", words.join(" and ")));
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
        Some(rules.into_iter().map(state).collect::<Vec<_>>().join("; "))
    }

    /// What is said of a problem that has strict ports only, on profiles with another rule.
    #[must_use]
    pub fn unread(&self, problem: &dyn AnyProblem) -> Option<String> {
        let has_rule = problem.axes().iter().any(is_owned);
        if has_rule {
            None
        } else {
            self.strictly(&format!("`{}`", problem.name()))
        }
    }

    /// What is said of something that has strict ports only, on profiles with another rule.
    #[must_use]
    pub fn strictly(&self, what: &str) -> Option<String> {
        let others = self
            .all()
            .iter()
            .filter_map(|machine| Some((machine.ports()?, machine.name.as_str())));
        let others = together(others.filter(|(rule, _)| *rule != STRICT));
        let state =
            |(rule, names): (&str, Vec<&str>)| format!("profile {} says {rule}", names.join(", "));
        let others: Vec<String> = others.into_iter().map(state).collect();
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
