//! Cost over lower bound of each algorithm at each acceptance, as a mean over the points of the regression grid.

use std::collections::BTreeMap;

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::AnyProblem;

use super::looks::look_of;
use super::{About, Figure, Rows, Undrawn, coordinate};
use crate::chart::scale::Scale;
use crate::chart::{AxisSpec, Chart, Join, Markers, Panel, Series};
use crate::regress::history::HistoryRow;
use crate::units::plural;

/// Every algorithm, one panel per problem.
pub struct History(pub About);

/// By index in the catalogue: the name, and the mean at each acceptance that includes it.
type Curves<'a> = BTreeMap<(usize, &'a str), (&'a str, Vec<(f64, f64)>)>;

/// An acceptance: date, revision and reason.
type Acceptance<'a> = (&'a str, &'a str, &'a str);

impl Figure for History {
    fn about(&self) -> &About {
        &self.0
    }

    fn is_history(&self) -> bool {
        true
    }

    fn applies(&self, rows: &Rows) -> bool {
        !rows.history.is_empty()
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Undrawn> {
        let acceptances = acceptances(&rows.history);
        let panels: Vec<Panel> = PROBLEMS
            .iter()
            .filter_map(|&problem| panel(problem, &curves(&rows.history, problem), acceptances.len()))
            .collect();
        let mut caption: Vec<String> = self.0.note.iter().cloned().collect();
        caption.extend(acceptances.last().map(|(date, revision, reason)| {
            format!("Acceptance {} ({date}, commit {revision}): {reason}.", acceptances.len())
        }));
        caption.push("history.csv has the date, commit and reason of each.".to_owned());
        let subtitle =
            format!("mean over the points of the regression grid; {}", plural(acceptances.len() as u64, "acceptance"));
        Ok(Chart { title: self.0.title.clone(), subtitle, caption, panels, height: 300 })
    }
}

/// In the order of the file, where the rows of an acceptance are adjacent.
fn acceptances(history: &[HistoryRow]) -> Vec<Acceptance<'_>> {
    let mut all: Vec<Acceptance<'_>> = history.iter().map(acceptance).collect();
    all.dedup();
    all
}

fn acceptance(row: &HistoryRow) -> Acceptance<'_> {
    (&row.date, &row.revision, &row.reason)
}

fn curves<'a>(history: &'a [HistoryRow], problem: &'static dyn AnyProblem) -> Curves<'a> {
    let mut curves: Curves<'_> = BTreeMap::new();
    let mut number = 0;
    let mut last = None;
    for row in history {
        if last != Some(acceptance(row)) {
            number += 1;
            last = Some(acceptance(row));
        }
        // Without points an algorithm has gone, and its curve ends.
        let entry = catalogue::find(&row.algorithm).filter(|entry| row.points > 0 && entry.problem() == problem);
        if let Some(entry) = entry {
            let mean = row.sum_over_bound_f64 / coordinate(row.points);
            let curve = curves.entry((entry.rank(), entry.name)).or_insert((entry.name, Vec::new()));
            curve.1.push((coordinate(number), mean));
        }
    }
    curves
}

fn panel(problem: &dyn AnyProblem, curves: &Curves<'_>, acceptances: usize) -> Option<Panel> {
    let most = curves.values().flat_map(|(_, points)| points).map(|point| point.1).fold(1.0, f64::max);
    let series: Vec<Series> = curves
        .values()
        .map(|(name, points)| Series {
            label: (*name).to_owned(),
            look: look_of(name),
            points: points.clone(),
            markers: Markers::Every(1),
            line: if points.len() > 1 { Join::Solid } else { Join::None },
        })
        .collect();
    let logarithmic = most > 20.0;
    let y = if logarithmic {
        Scale::log10(1.0, most * 1.2)
    } else {
        Scale::linear(1.0, (1.0 + (most - 1.0) * 1.1).max(1.1))
    };
    let unit = if logarithmic { "cost / lower bound (log scale)" } else { "cost / lower bound" };
    (!series.is_empty()).then(|| Panel {
        heading: Some(problem.name().to_owned()),
        width: 420,
        x: AxisSpec { title: "acceptance".to_owned(), scale: Scale::counts(0.5, coordinate(acceptances as u64) + 0.5) },
        y: AxisSpec { title: unit.to_owned(), scale: y },
        bands: Vec::new(),
        cells: Vec::new(),
        legend: series.iter().map(|series| (series.label.clone(), series.look)).collect(),
        series,
    })
}
