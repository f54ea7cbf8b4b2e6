//! How accepted costs changed: the cost of each algorithm over that at the first acceptance of its line, which follows the
//! ratio of each acceptance to the one before, over the points of both.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;

use super::caption::listed;
use super::curves::{ALL, series};
use super::looks::{Looks, look_of};
use super::spec::{About, coordinate};
use crate::base::units::{joined, plural};
use crate::draw::chart::scale::Scale;
use crate::draw::chart::style::Look;
use crate::draw::chart::{Chart, Join, Panel, Series};
use crate::record::history::{HistoryRow, acceptances};

/// The acceptances of an algorithm with points in common, and the mean at the first times the ratios since.
type Stretch = Vec<(u64, f64)>;

/// By index in the catalogue and name, the stretches of each algorithm.
type Curves<'a> = BTreeMap<(usize, &'a str), Vec<Stretch>>;

/// A line for each algorithm whose costs changed, and one for all others.
pub fn chart(about: &About, history: &[HistoryRow]) -> Chart {
    let acceptances: Vec<&[HistoryRow]> = acceptances(history).collect();
    let count = acceptances.len() as u64;
    let curves = curves(&acceptances);
    let changed = curves
        .iter()
        .filter(|(_, stretches)| stretches.iter().any(is_changed));
    let mut all = Vec::new();
    let mut crowded = Vec::new();
    let mut looks = Looks::default();
    for ((_, name), stretches) in changed {
        match looks.assign(name, Some(look_of(name))) {
            Some(look) => all.extend(lines(name, look, stretches)),
            None => crowded.push(*name),
        }
    }
    let others = curves.len() - looks.count() - crowded.len();
    if others > 0 {
        let label = format!("{}: no cost changed", plural(others as u64, "algorithm"));
        let ends = [1, count.max(1)].map(|end| (end, 1.0));
        let unchanged = series(label, Look::REFERENCE, ends, (0, Join::Dashed));
        all.splice(..0, unchanged);
    }
    let last = acceptances.last().map(|rows| {
        let row = &rows[0];
        format!(
            "Acceptance {count} ({}, commit {}): {}.",
            row.date, row.revision, row.reason
        )
    });
    let breaks = "Lines break where an acceptance states no ratio to the one before, because they have no point in common or an older \
                  castbench accepted another grid: at acceptance";
    let changes = changes(curves.values());
    let changes = (!changes.is_empty()).then(|| format!("{breaks} {}.", joined(", ", changes)));
    let crowded = listed("Too many lines to tell apart; not drawn", ", ", crowded);
    let rest = "history.csv has the date, commit and reason of each.".to_owned();
    let facts = [about.note.clone(), last, crowded, Some(rest), changes];
    let number = plural(count, "acceptance");
    Chart {
        title: about.title.clone(),
        subtitle: format!("over the points that an acceptance and the one before have; {number}"),
        caption: facts.into_iter().flatten().collect(),
        panels: vec![panel(all, count)],
    }
}

/// Whether the costs of an algorithm changed, by more than floats round.
fn is_changed(stretch: &Stretch) -> bool {
    let first = stretch.first().map_or(0.0, |point| point.1);
    stretch
        .iter()
        .any(|point| (point.1 - first).abs() > 1e-9 * first.abs())
}

/// The ratio of an algorithm's costs to those of the acceptance before, over the points of both. Of older rows it is known where the
/// points stayed the same.
fn over_before(row: &HistoryRow, before: &[HistoryRow]) -> Option<f64> {
    let before = before
        .iter()
        .find(|other| other.algorithm == row.algorithm && other.points > 0)?;
    let is_kept = row.points == before.points
        && row.algorithm_revision == before.algorithm_revision
        && row.points_changed <= row.points_better + row.points_worse;
    row.over_before_f64.or(match row.points_changed {
        _ if !is_kept => None,
        // Bounds can move without the costs.
        0 => Some(1.0),
        _ => Some(row.sum_over_bound_f64 / before.sum_over_bound_f64),
    })
}

fn curves<'a>(acceptances: &[&'a [HistoryRow]]) -> Curves<'a> {
    let mut curves: Curves<'_> = BTreeMap::new();
    let numbered = (0_usize..)
        .zip(acceptances)
        .flat_map(|(number, rows)| rows.iter().map(move |row| (number, row)));
    // Without points an algorithm has gone, and its curve ends.
    for (number, row) in numbered.filter(|(_, row)| row.points > 0) {
        let Some(entry) = catalogue::find(&row.algorithm) else {
            continue;
        };
        let stretches = curves.entry((entry.rank(), entry.name)).or_default();
        let before = number.checked_sub(1).map_or(&[][..], |at| acceptances[at]);
        let ratio = over_before(row, before);
        let x = number as u64 + 1;
        match stretches.last_mut().and_then(|stretch| {
            let level = stretch.last()?.1 * ratio?;
            Some((stretch, level))
        }) {
            Some((stretch, level)) => stretch.push((x, level)),
            None => stretches.push(vec![(x, row.sum_over_bound_f64 / coordinate(row.points))]),
        }
    }
    curves
}

/// The acceptances, by number, at which the line of an algorithm breaks.
fn changes<'a>(curves: impl Iterator<Item = &'a Vec<Stretch>>) -> BTreeSet<u64> {
    curves
        .flat_map(|stretches| &stretches[1..])
        .map(|stretch| stretch[0].0)
        .collect()
}

/// A line for each stretch of an algorithm, over the cost at its beginning; the last one has its name.
fn lines(name: &str, look: Look, stretches: &[Stretch]) -> impl Iterator<Item = Series> {
    stretches
        .iter()
        .rev()
        .enumerate()
        .rev()
        .filter_map(move |(behind, points)| {
            let label = if behind == 0 { name } else { "" };
            let join = match points[..] {
                [_] => Join::None,
                _ => Join::Solid,
            };
            let points = points.iter().map(|(x, y)| (*x, y / points[0].1));
            series(label.to_owned(), look, points, (ALL, join))
        })
}

fn panel(series: Vec<Series>, acceptances: u64) -> Panel {
    let points = || series.iter().flat_map(|series| &series.points);
    let least = points().map(|point| point.1).fold(1.0, f64::min);
    let most = points().map(|point| point.1).fold(1.0, f64::max);
    let beyond = 0.1 * (most - least).max(0.2);
    let x = Scale::counts(0.5, coordinate(acceptances) + 0.5)
        .titled("acceptance: a run of `castbench regress accept`");
    let y = Scale::linear((least - beyond).max(0.0), most + beyond)
        .titled("cost / cost at the beginning of the line");
    Panel::new(None, [x, y], series)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(points: u64, changed: u64, sum: f64) -> HistoryRow {
        let algorithm = "broadcast-flat".to_owned();
        HistoryRow {
            algorithm,
            points,
            points_changed: changed,
            sum_over_bound_f64: sum,
            ..HistoryRow::default()
        }
    }

    /// Another grid of the same costs is no jump; a cost that doubles at the points of both is a line that doubles.
    #[test]
    fn a_line_follows_the_points_of_both_acceptances() {
        let with = |row: HistoryRow, over_before_f64| HistoryRow {
            over_before_f64,
            ..row
        };
        let rows = [
            [row(10, 10, 100.0)],
            [with(row(30, 20, 90_000.0), Some(1.0))],
            [with(row(40, 40, 160_000.0), Some(2.0))],
            [with(row(5, 45, 15.0), None)],
        ];
        let acceptances: Vec<&[HistoryRow]> = rows.iter().map(|rows| &rows[..]).collect();
        let curves = curves(&acceptances);
        assert_eq!(
            curves.values().next().unwrap()[..],
            [vec![(1, 10.0), (2, 10.0), (3, 20.0)], vec![(4, 3.0)]]
        );
        assert_eq!(changes(curves.values()), [4].into());
    }

    /// Older rows state no ratio: means over other points are not joined, and the caption names the acceptance.
    #[test]
    fn a_line_breaks_where_the_grid_changed() {
        let rows = [
            [row(10, 10, 100.0)],
            [row(10, 0, 100.0)],
            [row(30, 20, 90_000.0)],
            [row(30, 0, 90_000.0)],
        ];
        let acceptances: Vec<&[HistoryRow]> = rows.iter().map(|rows| &rows[..]).collect();
        let curves = curves(&acceptances);
        let stretches = curves.values().next().unwrap();
        assert_eq!(
            stretches[..],
            [vec![(1, 10.0), (2, 10.0)], vec![(3, 3000.0), (4, 3000.0)]]
        );
        assert_eq!(changes(curves.values()), [3].into());
        // As many points can be others.
        let replaced = [[row(10, 10, 100.0)], [row(10, 20, 90_000.0)]];
        let acceptances: Vec<&[HistoryRow]> = replaced.iter().map(|rows| &rows[..]).collect();
        let curves = super::curves(&acceptances);
        assert_eq!(changes(curves.values()), [2].into());
    }
}
