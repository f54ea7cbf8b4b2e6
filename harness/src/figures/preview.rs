//! Whether the grids of a configuration have the rows of its figures, before they are swept.

use std::collections::BTreeSet;

use algorithms::problem::{Axis, Entry};

use super::select::{self, Held};
use super::spec::{Panel, Spec};
use crate::base::failure::Failure;
use crate::output::diagnostics::Source;
use crate::record::on_network::NETWORK;
use crate::space::{Site, Space};

/// Refuses figures whose rows no grid has.
///
/// # Errors
/// Exit code 3, with the line of the figure, what is missing, and what there is instead.
pub fn check_rows(source: &Source, figures: &[Spec], grids: &[Space]) -> Result<(), Failure> {
    for figure in figures {
        for panel in figure.of_sweep() {
            let entries = panel.algorithms.iter().map(|own| own.entry());
            let missing = entries.map(|entry| missing(figure, panel, entry, grids));
            if let Some((title, help)) = missing.flatten().next() {
                let (file, span) = (figure.file(), figure.about.file.span());
                let title = format_args!("figure {file}: {title}");
                return Err(source.failure(span, title, "drawn into this file", help));
            }
        }
    }
    Ok(())
}

/// Whether a grid has this value of an axis for an algorithm; an axis that the grid does not give has its default.
fn has(spec: &Spec, grid: &Space, entry: Entry, axis: &Axis, held: Option<&Held>) -> bool {
    if axis.key == NETWORK {
        let is_held =
            |site: &Site| held.is_none_or(|held| *held == Held::Name(site.network.clone()));
        let is_drawn = |name: &String| grid.sites.iter().any(|site| site.network == *name);
        return grid.sites.iter().any(is_held) && spec.networks.iter().all(is_drawn);
    }
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

/// What all grids lack of an algorithm of a panel, and what they have.
fn missing(spec: &Spec, panel: &Panel, entry: Entry, grids: &[Space]) -> Option<(String, String)> {
    let own: Vec<&Space> = grids
        .iter()
        .filter(|grid| grid.algorithms.contains(&entry))
        .collect();
    let name = entry.name;
    if own.is_empty() {
        let others = grids.iter().flat_map(|grid| &grid.algorithms);
        let others = others.filter(|other| other.problem() == entry.problem());
        let others: BTreeSet<&str> = others.map(|other| other.name).collect();
        let others: Vec<&str> = others.into_iter().collect();
        let there = match &others[..] {
            [] => "no other of its problem".to_owned(),
            _ => others.join(", "),
        };
        let help =
            format!("add it to a grid, or remove it from the figure; the grids have {there}");
        return Some((format!("no grid has `{name}`"), help));
    }
    let (free, held) = (spec.free(), |axis: &Axis| panel.held.get(axis.key));
    let is_read = |axis: &&Axis| held(axis).is_some() || free.contains(&axis.key);
    let axes: Vec<&Axis> = select::axes(entry.problem(), false)
        .filter(is_read)
        .collect();
    let has = |grid: &&Space, axis: &Axis| has(spec, grid, entry, axis, held(axis));
    let is_on_network = axes.iter().any(|axis| axis.key == NETWORK);
    if own
        .iter()
        .filter(|grid| is_on_network || grid.sites.is_empty())
        .any(|grid| axes.iter().all(|axis| has(grid, axis)))
    {
        return None;
    }
    let Some(axis) = axes
        .iter()
        .find(|axis| !own.iter().any(|grid| has(grid, axis)))
    else {
        if !is_on_network && own.iter().all(|grid| !grid.sites.is_empty()) {
            let help = "write `network = ...` in `at`, or draw along it with `x` or `by`";
            let title = format!("all grids of `{name}` have networks, and the figure holds none");
            return Some((title, help.to_owned()));
        }
        let on_machine = select::on_machine(&panel.held, &free);
        let values = select::words(&panel.held, entry.axes().iter(), on_machine).join(", ");
        let help = "each value is in a grid, but not all in one; add them to one grid";
        return Some((
            format!("no grid has `{name}` at {values} together"),
            help.to_owned(),
        ));
    };
    let key = axis.key;
    let wanted = match held(axis) {
        None if key == NETWORK && !spec.networks.is_empty() => "its `networks`".to_owned(),
        None => format!("an axis {key}"),
        Some(held) => format!("{key} = {}", held.typed(axis)),
    };
    let values = |grid: &&Space| {
        if axis.key == NETWORK {
            let names = grid.sites.iter().map(|site| &*site.network);
            let names: Vec<&str> = names.collect();
            return (!names.is_empty())
                .then(|| format!("{} (grid {})", names.join(", "), grid.name));
        }
        let machines = grid
            .machines
            .all()
            .iter()
            .map(|machine| machine.name.as_str());
        let own = grid.over(entry).values(axis)?;
        let own = own.describe(axis.kind, machines.collect::<Vec<_>>());
        Some(format!("{own} (grid {})", grid.name))
    };
    let there: Vec<String> = own.iter().filter_map(values).collect();
    let there = there.join(", ");
    let help = match &*there {
        "" => format!("no grid of `{name}` has the axis {key}; add it to one"),
        _ => format!("there are {key} = {there}; draw one of these, or add the value to a grid"),
    };
    Some((format!("no grid has `{name}` with {wanted}"), help))
}
