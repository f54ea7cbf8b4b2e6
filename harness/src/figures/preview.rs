//! Whether the grids of a configuration have the rows of its figures, before they are swept.

use algorithms::problem::{Axis, Entry};

use super::select::{self, Held};
use super::spec::{Need, Spec};
use crate::config::diagnostics::Source;
use crate::failure::Failure;
use crate::space::Space;

/// Refuses figures whose rows no grid has.
///
/// # Errors
/// Exit code 3, with the line of the figure, what is missing, and what there is instead.
pub fn check_rows(source: &Source, figures: &[Spec], grids: &[Space]) -> Result<(), Failure> {
    for (figure, need) in figures
        .iter()
        .flat_map(|figure| figure.needs().into_iter().map(move |need| (figure, need)))
    {
        if let Some((title, help)) = need
            .algorithms
            .iter()
            .find_map(|&entry| need.missing_of(entry, grids))
        {
            let title = format_args!("figure {}: {title}", figure.file());
            return Err(source.failure(
                figure.about.file.span(),
                title,
                "drawn into this file",
                help,
            ));
        }
    }
    Ok(())
}

/// Whether a grid has this value of an axis for an algorithm; an axis that the grid does not give has its default.
fn has(grid: &Space, entry: Entry, axis: &Axis, held: Option<&Held>) -> bool {
    match (grid.over(entry).values(axis), held) {
        (Some(values), Some(Held::Number(value))) => values.contains(*value),
        (Some(_), Some(Held::Name(name))) => grid
            .machines
            .all()
            .iter()
            .any(|machine| machine.name == *name),
        (found, None) => found.is_some(),
        (None, Some(_)) => false,
    }
}

impl Need<'_> {
    /// What is missing of an algorithm in all grids, and what they have.
    fn missing_of(&self, entry: Entry, grids: &[Space]) -> Option<(String, String)> {
        let own = || grids.iter().filter(|grid| grid.algorithms.contains(&entry));
        let name = entry.name;
        if own().next().is_none() {
            let problem = |other: &&Entry| other.problem() == entry.problem();
            let others = grids
                .iter()
                .flat_map(|grid| &grid.algorithms)
                .filter(problem);
            let mut others: Vec<&str> = others.map(|other| other.name).collect();
            others.sort_unstable();
            others.dedup();
            let there = if others.is_empty() {
                "no other of its problem".to_owned()
            } else {
                others.join(", ")
            };
            let help =
                format!("add it to a grid, or remove it from the figure; the grids have {there}");
            return Some((format!("no grid has `{name}`"), help));
        }
        let axes = entry
            .axes()
            .iter()
            .filter(|axis| self.held.contains_key(axis.key) || self.free.contains(&axis.key));
        let axes: Vec<&Axis> = axes.collect();
        let held = |axis: &Axis| self.held.get(axis.key);
        if own().any(|grid| axes.iter().all(|axis| has(grid, entry, axis, held(axis)))) {
            return None;
        }
        let absent = axes
            .iter()
            .find(|axis| !own().any(|grid| has(grid, entry, axis, held(axis))));
        Some(match absent {
            None => {
                let values = select::words(
                    self.held,
                    entry.axes().iter(),
                    select::on_machine(self.held, &self.free),
                );
                let title = format!("no grid has `{name}` at {} together", values.join(", "));
                (
                    title,
                    "each value is in a grid, but not all in one; add them to one grid".to_owned(),
                )
            }
            Some(axis) => {
                let key = axis.key;
                let wanted = held(axis).map_or_else(
                    || format!("an axis {key}"),
                    |held| format!("{key} = {}", held.typed(axis)),
                );
                let values = |grid: &Space| {
                    let machines: Vec<&str> = grid
                        .machines
                        .all()
                        .iter()
                        .map(|machine| machine.name.as_str())
                        .collect();
                    let own = grid.over(entry).values(axis)?;
                    Some(format!(
                        "{} (grid {})",
                        own.describe(axis.kind, machines),
                        grid.name
                    ))
                };
                let there: Vec<String> = own().filter_map(values).collect();
                let help = match &there[..] {
                    [] => format!("no grid of `{name}` has the axis {key}; add it to one"),
                    _ => {
                        format!(
                            "there are {key} = {}; draw one of these, or add the value to a grid",
                            there.join(", ")
                        )
                    }
                };
                (format!("no grid has `{name}` with {wanted}"), help)
            }
        })
    }
}
