//! The figure of `castbench score`: slowdown against size, a panel for each collective.

use std::collections::BTreeSet;

use crate::base::units::plural;
use crate::draw::chart::scale::Scale;
use crate::draw::chart::style::Look;
use crate::draw::chart::{Chart, Join, Panel, Series};
use crate::figures::curves::{ALL, series};
use crate::predict::score::{Choice, HeldOut};

/// What a point is of, how it is drawn, and its value.
type Kind = (&'static str, Look, fn(&Choice) -> Option<f64>);

const KINDS: [Kind; 3] = [
    ("the library's default", Look::SECOND, |choice| {
        choice.default
    }),
    ("the nearest cell's best", Look::THIRD, |choice| {
        choice.nearest
    }),
    ("our choice", Look::FIRST, |choice| Some(choice.ours)),
];

/// The chart of cells with a choice; none has none.
pub fn chart(cells: &[HeldOut]) -> Option<Chart> {
    let collectives: BTreeSet<&str> = cells
        .iter()
        .filter(|cell| cell.choice.is_some())
        .map(|cell| cell.collective.as_str())
        .collect();
    let panels: Vec<Panel> = collectives
        .iter()
        .map(|collective| panel(cells, collective))
        .collect();
    let count = cells.iter().filter(|cell| cell.choice.is_some()).count();
    (!panels.is_empty()).then(|| Chart {
        title: "Measured time of a choice over the best measured one".to_owned(),
        subtitle: format!(
            "{} that were not learnt from; 1 is the best algorithm with a program",
            plural(count as u64, "cell")
        ),
        caption: vec![
            "A point for each number of nodes. Below 1: an algorithm that castbench has no program of.".to_owned(),
        ],
        panels,
    })
}

fn panel(cells: &[HeldOut], collective: &str) -> Panel {
    let choices = || {
        cells
            .iter()
            .filter(|cell| cell.collective == collective)
            .filter_map(|cell| cell.choice)
    };
    let series = |&(label, look, of): &Kind| {
        let points = choices().filter_map(|choice| Some((choice.bytes, of(&choice)?)));
        let mut points: Vec<(u64, f64)> = points.collect();
        points.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        series(label.to_owned(), look, points, (ALL, Join::None))
    };
    let series: Vec<Series> = KINDS.iter().filter_map(series).collect();
    let all = || series.iter().flat_map(|series| &series.points);
    let [low, high] = [
        all().map(|point| point.1).fold(1.0, f64::min),
        all().map(|point| point.1).fold(1.5, f64::max),
    ];
    let [first, last] = [
        all().map(|point| point.0).fold(f64::MAX, f64::min),
        all().map(|point| point.0).fold(1.0, f64::max),
    ];
    let sizes = Scale::log_bytes(first / 1.5, last * 1.5);
    let x = sizes.titled("size of the vector");
    let y = Scale::log10(low / 1.1, high * 1.1).titled("time over the best (log scale)");
    Panel::new(Some(collective.to_owned()), [x, y], series)
}
