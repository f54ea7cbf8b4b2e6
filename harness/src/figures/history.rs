//! Cost over lower bound of each algorithm at each acceptance, as a mean over the points of the regression grid.

use std::collections::BTreeMap;

use algorithms::catalogue::{self, PROBLEMS};
use algorithms::problem::AnyProblem;

use super::looks::look_of;
use super::{About, Figure, Rows, Undrawn, coordinate};
use crate::chart::scale::Scale;
use crate::chart::{AxisSpec, Chart, Join, Markers, Panel, Series};
use crate::regress::history::{HistoryRow, acceptances};
use crate::units::plural;

/// Every algorithm, one panel per problem.
pub struct History(pub About);

/// By index in the catalogue and name, the mean at each acceptance that includes the algorithm.
type Curves<'a> = BTreeMap<(usize, &'a str), Vec<(f64, f64)>>;

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
        let acceptances: Vec<&[HistoryRow]> = acceptances(&rows.history).collect();
        let panel =
            |&problem: &&'static dyn AnyProblem| panel(problem, &curves(&acceptances, problem), acceptances.len());
        let panels: Vec<Panel> = PROBLEMS.iter().filter_map(panel).collect();
        let mut caption: Vec<String> = self.0.note.iter().cloned().collect();
        caption.extend(acceptances.last().map(|rows| {
            let HistoryRow { date, revision, reason, .. } = &rows[0];
            format!("Acceptance {} ({date}, commit {revision}): {reason}.", acceptances.len())
        }));
        caption.push("history.csv has the date, commit and reason of each.".to_owned());
        let subtitle =
            format!("mean over the points of the regression grid; {}", plural(acceptances.len() as u64, "acceptance"));
        Ok(Chart { title: self.0.title.clone(), subtitle, caption, panels, height: 300 })
    }
}

fn curves<'a>(acceptances: &[&'a [HistoryRow]], problem: &'static dyn AnyProblem) -> Curves<'a> {
    let mut curves: Curves<'_> = BTreeMap::new();
    let numbered = (1..).zip(acceptances).flat_map(|(number, rows)| rows.iter().map(move |row| (number, row)));
    // Without points an algorithm has gone, and its curve ends.
    for (number, row) in numbered.filter(|(_, row)| row.points > 0) {
        let Some(entry) = catalogue::find(&row.algorithm).filter(|entry| entry.problem() == problem) else { continue };
        let mean = row.sum_over_bound_f64 / coordinate(row.points);
        curves.entry((entry.rank(), entry.name)).or_default().push((coordinate(number), mean));
    }
    curves
}

fn panel(problem: &dyn AnyProblem, curves: &Curves<'_>, acceptances: usize) -> Option<Panel> {
    let most = curves.values().flatten().map(|point| point.1).fold(1.0, f64::max);
    let series: Vec<Series> = curves
        .iter()
        .map(|((_, name), points)| Series {
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
