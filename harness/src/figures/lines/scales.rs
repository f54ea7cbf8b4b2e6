//! The axes of the panels.

use std::collections::BTreeSet;

use algorithms::problem::Kind;

use super::curves::Drawn;
use super::{Lines, Over, Panel, Quantity, Side};
use crate::chart::scale::Scale;
use crate::chart::{self, AxisSpec};
use crate::figures::coordinate;
use crate::figures::select;
use crate::units::{grouped, show_bytes, sizes};

/// The least and the greatest value.
type Ends = (f64, f64);

/// The unit of machine times, and its nanoseconds.
type TimeUnit = (&'static str, f64);

/// The most values for which each one has a tick.
const MOST_TICKS: usize = 6;

/// The least span of a logarithmic axis with ticks at powers of ten.
const DECADES: f64 = 1000.0;

/// Whether two panels have the same scale on a side. Panels compare equal by address where they scale freely.
fn is_alike(side: Side, a: &Panel, b: &Panel) -> bool {
    let is_free = a.free.contains(&side) || b.free.contains(&side);
    let is_same = (a.y, a.over, &a.log, &a.algorithms) == (b.y, b.over, &b.log, &b.algorithms);
    std::ptr::eq(a, b) || !is_free && is_same
}

/// All points of a panel, bands included.
fn points(drawn: &Drawn<'_>) -> Vec<(f64, f64)> {
    let edges = drawn.bands.iter().flat_map(|band| &band.edges);
    let edges = edges.flat_map(|&(x, low, high)| [(x, low), (x, high)]);
    drawn
        .series()
        .into_iter()
        .flat_map(|series| series.points)
        .chain(edges)
        .collect()
}

fn ends(values: impl Iterator<Item = f64>) -> Ends {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// The panels of a figure. Those that differ only in their rows have the same axes.
pub fn panels(figure: &Lines, all: &[Drawn<'_>]) -> Vec<chart::Panel> {
    let ends_of = |one: &Drawn<'_>| {
        let alike = |side| {
            all.iter()
                .filter(move |other| is_alike(side, one.panel, other.panel))
                .flat_map(points)
        };
        (
            ends(alike(Side::X).map(|point| point.0)),
            ends(alike(Side::Y).map(|point| point.1)),
        )
    };
    let all_ends: Vec<(Ends, Ends)> = all.iter().map(ends_of).collect();
    let undivided = all
        .iter()
        .zip(&all_ends)
        .filter(|(drawn, _)| drawn.panel.over.is_none());
    let highest = undivided.map(|(_, (_, y))| y.1).fold(0.0, f64::max);
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
    let time = units
        .into_iter()
        .find(|(_, size)| highest >= 2.0 * size)
        .unwrap_or(("ns", 1.0));
    all.iter()
        .zip(all_ends)
        .map(|(drawn, ends)| panel(figure, drawn, time, ends))
        .collect()
}

/// A panel of the chart.
fn panel(
    figure: &Lines,
    drawn: &Drawn<'_>,
    time: TimeUnit,
    (x, (least, most)): (Ends, Ends),
) -> chart::Panel {
    let is_time = drawn.unit == "ns" && drawn.panel.over.is_none();
    let divisor = if is_time { time.1 } else { 1.0 };
    let mut series = drawn.series();
    series
        .iter_mut()
        .flat_map(|series| &mut series.points)
        .for_each(|point| point.1 /= divisor);
    let named = &series[..series.len() - drawn.before.len()];
    let named = named.iter().filter(|series| !series.label.is_empty());
    let legend: Vec<_> = named
        .map(|series| (series.label.clone(), series.look))
        .collect();
    let edge = |&(x, low, high): &(f64, f64, f64)| (x, low / divisor, high / divisor);
    let band = |band: &chart::Band| chart::Band {
        edges: band.edges.iter().map(edge).collect(),
        look: band.look,
    };
    chart::Panel {
        heading: Some(drawn.heading.clone()).filter(|heading| !heading.is_empty()),
        width: chart::panel_width(figure.panels.len(), &legend),
        x: along(figure, drawn, x),
        y: AxisSpec {
            title: title(drawn, time.0),
            scale: upward(drawn, is_time, (least / divisor, most / divisor)),
        },
        bands: drawn.bands.iter().map(band).collect(),
        cells: Vec::new(),
        series,
        legend,
    }
}

/// What is drawn, and its unit.
fn title(drawn: &Drawn<'_>, time: &str) -> String {
    let unit = match drawn.unit {
        "ns" => time,
        "time" => "time units",
        unit => unit,
    };
    let column = if drawn.unit == "ns" && drawn.panel.y == Quantity::Cost {
        "time"
    } else {
        drawn.panel.y.title()
    };
    let title = match drawn.panel.over {
        Some(Over::LowerBound) => format!("{column} / lower bound"),
        Some(Over::Algorithm(name)) if drawn.panel.y == Quantity::Median => {
            format!("{column} / that of {name}")
        }
        Some(Over::Algorithm(name)) => format!("{column} / cost of {name}"),
        None => format!("{column} ({unit})"),
    };
    if drawn.panel.is_log(Side::Y) {
        format!("{title}, log scale")
    } else {
        title
    }
}

/// The horizontal axis. If there are few values, each has a tick.
fn along(figure: &Lines, drawn: &Drawn<'_>, (first, last): Ends) -> AxisSpec {
    let axis = figure.axis(figure.x);
    let title = axis.map_or_else(String::new, |axis| select::title(axis, figure.on_machine()));
    let is_bytes = axis.is_some_and(|axis| axis.kind == Kind::Bytes);
    let values: BTreeSet<u64> = drawn
        .curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|point| point.0)
        .collect();
    let is_log = drawn.panel.is_log(Side::X);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a tick at a whole number of bytes"
    )]
    let scale = if is_log && is_bytes {
        Scale::log2(first, last).relabelled(|bytes| show_bytes(bytes as u64))
    } else if is_log {
        Scale::log2(first, last)
    } else if values.len() <= MOST_TICKS && first < last {
        let (margin, values) = ((last - first) * 0.1, Vec::from_iter(values));
        let labels = if is_bytes {
            sizes(&values)
        } else {
            values.iter().map(|value| grouped(*value)).collect()
        };
        Scale::linear(first - margin, last + margin)
            .with_ticks(values.into_iter().map(coordinate).zip(labels))
    } else {
        let (first, last) = (if first <= last * 0.2 { 0.0 } else { first }, last * 1.005);
        if is_bytes {
            Scale::bytes(first, last)
        } else {
            Scale::counts(first, last)
        }
    };
    AxisSpec {
        title: format!("{title}{}", if is_log { " (log scale)" } else { "" }),
        scale,
    }
}

/// The vertical axis: it begins at 1 for ratios, else at 0. A ratio to another algorithm may be below 1, a ratio to a
/// bound may not.
fn upward(drawn: &Drawn<'_>, is_time: bool, (least, most): Ends) -> Scale {
    let is_ratio = drawn.panel.over.is_some();
    let base = if drawn.panel.over == Some(Over::LowerBound) || is_ratio && least >= 1.0 {
        1.0
    } else {
        0.0
    };
    if drawn.panel.is_log(Side::Y) {
        let low = if base > 0.0 { base } else { least * 0.9 };
        return if most >= low * DECADES {
            Scale::log10(low, most * 1.2)
        } else {
            Scale::log2(low, most * 1.2)
        };
    }
    let top = base + (most - base) * 1.04;
    if is_ratio || is_time || top < 1.0 {
        Scale::linear(base, top.max(base + 0.1))
    } else {
        Scale::counts(base, top.max(1.0))
    }
}
