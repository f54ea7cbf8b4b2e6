//! The axes of the panels of lines.

use std::collections::BTreeSet;

use super::curves::{ALL, Curve, Drawn, MOST_TICKS, measured_name, series};
use super::select;
use super::spec::{Layer, Over, Panel, Quantity, Side, Spec, coordinate};
use crate::base::units::{grouped, sizes, together};
use crate::draw::chart::scale::Scale;
use crate::draw::chart::style::{Look, Marker};
use crate::draw::chart::{self, Join, Series};
use crate::record::on_network::NETWORK;
use crate::space::RANKS;

/// The least and the greatest value.
type Ends = (f64, f64);

/// The unit of machine times, and its nanoseconds.
type TimeUnit = (&'static str, f64);

/// So many values are seen by the markers of lines.
const MOST_MARKED: usize = 8;

/// Points at whole numbers up to this one have a row for each number.
const MOST_LEVELS: u32 = 6;

/// Whether two panels have the same scale on a side. All share the axis drawn along; panels compare equal by address where
/// they scale freely.
fn is_alike(side: Side, a: &Panel, b: &Panel) -> bool {
    let is_free = a.free.contains(&side) || b.free.contains(&side);
    let is_same = match side {
        Side::X => a.is_log(side) == b.is_log(side),
        Side::Y => (a.y, a.over, &a.log, &a.algorithms) == (b.y, b.over, &b.log, &b.algorithms),
    };
    std::ptr::eq(a, b) || !is_free && is_same
}

/// The coordinates of all points of a panel on a side, bands included.
fn coordinates(drawn: &Drawn<'_>, side: Side) -> Vec<f64> {
    let edges = drawn
        .bands
        .iter()
        .flat_map(|band| &band.edges)
        .flat_map(|&(x, low, high)| [(x, low), (x, high)]);
    drawn
        .series
        .iter()
        .flat_map(|series| &series.points)
        .copied()
        .chain(edges)
        .map(|(x, y)| match side {
            Side::X => x,
            Side::Y => y,
        })
        .collect()
}

/// The panels of a figure. Those that differ only in their rows have the same axes.
pub fn panels(spec: &Spec, all: &[Drawn<'_>]) -> Vec<chart::Panel> {
    let ends_of = |one: &Drawn<'_>, side| {
        all.iter()
            .filter(|other| is_alike(side, one.panel, other.panel))
            .flat_map(|other| coordinates(other, side))
            .fold(
                (f64::INFINITY, f64::NEG_INFINITY),
                |(low, high): Ends, value| (low.min(value), high.max(value)),
            )
    };
    let highest = all
        .iter()
        .filter(|drawn| is_cost(drawn.panel))
        .map(|drawn| ends_of(drawn, Side::Y).1)
        .fold(0.0, f64::max);
    let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
    let time = units
        .into_iter()
        .find(|(_, size)| highest >= 2.0 * size)
        .unwrap_or(("ns", 1.0));
    all.iter()
        .map(|drawn| {
            panel(
                spec,
                drawn,
                time,
                [Side::X, Side::Y].map(|side| ends_of(drawn, side)),
            )
        })
        .collect()
}

/// Whether a panel has costs in their unit.
fn is_cost(panel: &Panel) -> bool {
    !panel.is_ratio() && !panel.y.is_of_links()
}

/// A panel of the chart.
fn panel(
    spec: &Spec,
    drawn: &Drawn<'_>,
    time: TimeUnit,
    [x, (least, most)]: [Ends; 2],
) -> chart::Panel {
    let is_time = drawn.unit == "ns" && is_cost(drawn.panel);
    let divisor = if is_time { time.1 } else { 1.0 };
    let mut series = drawn.series.clone();
    let mut bands = drawn.bands.clone();
    series
        .iter_mut()
        .flat_map(|series| &mut series.points)
        .for_each(|point| point.1 /= divisor);
    for (_, low, high) in bands.iter_mut().flat_map(|band| &mut band.edges) {
        (*low, *high) = (*low / divisor, *high / divisor);
    }
    let up = upward(drawn, is_time, (least / divisor, most / divisor))
        .titled(title(spec, drawn, time.0));
    let heading = Some(drawn.heading.clone()).filter(|heading| !heading.is_empty());
    let mut axes = [along(spec, drawn, x), up];
    if drawn.is_apart || spec.is_over_names() {
        let values = ordinal(spec, drawn);
        let labels = values.iter().map(|value| label(spec, drawn, *value));
        axes[0] = Scale::ordinal(labels.collect()).titled(&*axes[0].title);
        for point in series.iter_mut().flat_map(|series| &mut series.points) {
            let at = values.iter().position(|own| coordinate(*own) == point.0);
            point.0 = coordinate(at.unwrap_or(0) as u64);
        }
    }
    // Names of networks need room beside the points.
    if spec.is_over_names() {
        axes[0].title = format!("{} (ranks)", spec.title_of(NETWORK));
        axes.reverse();
        for own in &mut series {
            own.points
                .iter_mut()
                .for_each(|point| *point = (point.1, point.0));
            own.points.sort_by(|one, other| one.0.total_cmp(&other.0));
        }
    }
    let mut panel = chart::Panel::new(heading, axes, series);
    if spec.is_over_names() {
        return panel;
    }
    panel.legend.extend(drawn.area.clone());
    let rug = rug(spec, drawn);
    if !rug.is_empty() {
        let look = Look::REFERENCE.with(Marker::Rug);
        panel.legend.push(("values computed".to_owned(), look));
    }
    chart::Panel {
        bands,
        rug,
        ..panel
    }
}

/// The values along lines, where there are so many that not all points have markers.
fn rug(spec: &Spec, drawn: &Drawn<'_>) -> Vec<f64> {
    let is_line = spec.measurements.is_none() && drawn.series.iter().any(Series::is_joined);
    let values = drawn.xs();
    if is_line && values.len() > MOST_MARKED {
        values.into_iter().map(coordinate).collect()
    } else {
        Vec::new()
    }
}

/// What is drawn, and its unit.
fn title(spec: &Spec, drawn: &Drawn<'_>, time: &str) -> String {
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
        Some(Over::Algorithm(name))
            if drawn.panel.y == Quantity::Median || drawn.panel.y.is_of_links() =>
        {
            format!("{column} / that of {}", spec.short(name))
        }
        Some(Over::Algorithm(name)) => format!("{column} / cost of {}", spec.short(name)),
        None if drawn.panel.is_ratio() => column.to_owned(),
        None if drawn.panel.y.is_of_links() => {
            let unit = if spec.on_machine() { "bytes" } else { "words" };
            format!("{column} ({unit} over a capacity of 1)")
        }
        None => format!("{column} ({unit})"),
    };
    if drawn.panel.is_log(Side::Y) {
        format!("{title}, log scale")
    } else {
        title
    }
}

/// The values of an axis on which each has as much room: of networks, which have names, those drawn, the first one last, which is
/// on top.
fn ordinal(spec: &Spec, drawn: &Drawn<'_>) -> Vec<u64> {
    if !spec.is_over_names() {
        return drawn.xs().into_iter().collect();
    }
    let points = || drawn.series.iter().flat_map(|own| &own.points);
    (0..spec.networks.len() as u64)
        .rev()
        .filter(|number| points().any(|(x, _)| *x == coordinate(*number)))
        .collect()
}

/// The name of a value on such an axis; behind that of a network stands how many ranks it has.
fn label(spec: &Spec, drawn: &Drawn<'_>, value: u64) -> String {
    let row = drawn
        .curves
        .iter()
        .filter(|_| spec.is_over_names())
        .filter_map(|curve| curve.rows.get(&value))
        .next();
    let ranks = row.and_then(|row| row.value(RANKS));
    let ranks = ranks.map_or_else(String::new, |ranks| format!(" ({})", grouped(ranks)));
    spec.value(value) + &ranks
}

/// The horizontal axis. If there are few values, each has a tick.
fn along(spec: &Spec, drawn: &Drawn<'_>, (first, last): Ends) -> Scale {
    let title = spec.title_of(spec.x);
    let is_bytes = spec
        .axis(spec.x)
        .is_some_and(|axis| select::is_bytes(axis, spec.on_machine()));
    let values = drawn.xs();
    let is_log = drawn.panel.is_log(Side::X);
    let scale = if !is_log && values.len() <= MOST_TICKS && first < last {
        let margin = (last - first) * 0.1;
        let values = Vec::from_iter(values);
        let labels = if is_bytes {
            sizes(&values)
        } else {
            values.iter().map(|value| grouped(*value)).collect()
        };
        Scale::linear(first - margin, last + margin)
            .with_ticks(values.into_iter().map(coordinate).zip(labels))
    } else {
        let ends = match is_log {
            true => [first, last],
            false if first <= last * 0.2 => [0.0, last * 1.005],
            false => [first, last * 1.005],
        };
        Scale::whole(ends, is_log, is_bytes)
    };
    scale.titled(title + if is_log { " (log scale)" } else { "" })
}

/// The vertical axis: it begins at 1 for ratios, else at 0. A ratio to another algorithm may be below 1, a ratio to a
/// bound may not. Points at few whole numbers have rows, in which those of different series stand beside each other.
fn upward(drawn: &Drawn<'_>, is_time: bool, (least, most): Ends) -> Scale {
    let is_ratio = drawn.panel.is_ratio();
    let is_over_bound =
        drawn.panel.over == Some(Over::LowerBound) || drawn.panel.y == Quantity::LinkRatio;
    let base = if is_over_bound || is_ratio && least >= 1.0 {
        1.0
    } else {
        0.0
    };
    if drawn.panel.is_log(Side::Y) {
        let is_of_links = drawn.panel.y == Quantity::LinkRatio;
        let low = match base > 0.0 {
            // Points at 1 do not lie on the axis.
            true if is_of_links => 0.9,
            true => base,
            false => least * 0.9,
        };
        return Scale::log10(low, most * 1.2);
    }
    let mut ys = coordinates(drawn, Side::Y).into_iter();
    let is_few = most <= f64::from(MOST_LEVELS) && ys.all(|y| y.fract() == 0.0);
    if is_few
        && !is_ratio
        && !is_time
        && drawn.series.iter().all(|series| series.line == Join::None)
    {
        let levels = (0..=MOST_LEVELS).filter(|level| f64::from(*level) <= most);
        return Scale::ordinal(levels.map(|level| level.to_string()).collect());
    }
    if is_ratio && base == 0.0 && least >= NEAR_ONE {
        return Scale::around(least.min(1.0), most.max(1.0));
    }
    let top = base + (most - base) * 1.04;
    if is_ratio || is_time || top < 1.0 {
        Scale::linear(base, top.max(base + 0.1))
    } else {
        Scale::counts(base, top.max(1.0))
    }
}

/// An axis of ratios that are all greater does not begin at 0.
const NEAR_ONE: f64 = 0.8;

/// The last panel of measured times, if it is asked for: the predictions of all others over the medians, on which they often lie.
/// Each algorithm has as many points at a value as other panels.
pub fn errors(spec: &Spec, all: &[Drawn<'_>]) -> Option<chart::Panel> {
    let curves: Vec<&Curve<'_>> = all
        .iter()
        .filter(|drawn| drawn.panel.has(&Layer::Errors))
        .flat_map(|drawn| &drawn.curves)
        .collect();
    let values: BTreeSet<u64> = curves.iter().flat_map(|curve| curve.xs()).collect();
    let points = |curve: &Curve<'_>| {
        (0_u64..)
            .zip(&values)
            .filter_map(|(place, x)| {
                let row = curve.rows.get(x)?.measured.as_ref()?;
                let predicted = row.predicted_ns().filter(|ns| *ns > 0)?;
                Some((place, 1.0 + row.error_of(predicted)))
            })
            .collect::<Vec<_>>()
    };
    let name = |curve: &Curve<'_>| (measured_name(&curve.label), curve.look);
    let named = curves.iter().map(|curve| (name(curve), points(curve)));
    let measured: Vec<Series> = together(named)
        .into_iter()
        .filter_map(|((label, look), points)| {
            series(label, look, points.concat(), (ALL, Join::None))
        })
        .collect();
    let [least, most] = measured
        .iter()
        .flat_map(|own| &own.points)
        .fold([1.0_f64; 2], |[least, most], (_, ratio)| {
            [least.min(*ratio), most.max(*ratio)]
        });
    let labels = values.iter().map(|x| spec.value(*x)).collect();
    let axes = [
        Scale::ordinal(labels).titled(spec.title_of(spec.x)),
        Scale::around(least, most),
    ];
    let ends = [-0.5, values.len() as f64 - 0.5].map(|x| (x, 1.0));
    let one = Series {
        label: String::new(),
        look: Look::REFERENCE,
        points: ends.into(),
        markers: None,
        line: Join::Solid,
    };
    let before = if all.len() > 1 { "all: " } else { "" };
    let heading = Some(format!("{before}predicted / measured"));
    let drawn = || [one].into_iter().chain(measured.clone()).collect();
    (!measured.is_empty()).then(|| chart::Panel::new(heading, axes, drawn()))
}
