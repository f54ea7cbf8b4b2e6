//! What is said below a figure of lines: what the numbers say, and what is left out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use algorithms::cost::Exact;

use super::curves::{Curve, Drawn, cost, shares_links, value};
use super::{Beside, Column, Lines};
use crate::chart::scale::group_digits;
use crate::figures::coordinate;
use crate::figures::select::Held;
use crate::measured::claims::order;
use crate::measured::record::SummaryRow;
use crate::record::Row;
use crate::units::{grouped, plural};

/// The lines of the caption.
pub fn lines(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption = Vec::new();
    caption.extend(ratios(all));
    if figure.measurements.is_some() {
        caption.extend(measured(figure, all));
    }
    for drawn in all {
        let is_cost = matches!(drawn.panel.y, Column::Cost | Column::Analytic) && drawn.panel.over.is_none();
        if is_cost && drawn.panel.has(Beside::LowerBound) {
            caption.extend(drawn.curves.iter().filter_map(|curve| verdict(figure, curve, drawn.unit)));
        }
    }
    caption.extend(simulated(figure, all));
    let compared: Vec<String> = all.iter().filter_map(|drawn| compared(figure, drawn)).collect();
    if !compared.is_empty() {
        caption.extend(compared);
        caption.push("A difference below 1 % counts as none.".to_owned());
    }
    caption.extend(all.iter().flat_map(|drawn| drawn.machines.clone()));
    caption.extend(left_out(figure, all));
    let mut said = BTreeSet::new();
    caption.retain(|line| said.insert(line.clone()));
    caption
}

/// The greatest ratio of each series, where ratios are drawn.
fn ratios(all: &[Drawn<'_>]) -> Option<String> {
    let mut largest: Vec<(&str, f64)> = Vec::new();
    for curve in all.iter().filter(|drawn| drawn.panel.over.is_some()).flat_map(|drawn| &drawn.curves) {
        let own = curve.points.iter().map(|point| point.1).fold(0.0, f64::max);
        match largest.iter_mut().find(|(label, _)| *label == curve.label) {
            Some(known) => known.1 = known.1.max(own),
            None => largest.push((&curve.label, own)),
        }
    }
    let told = |(label, ratio): &(&str, f64)| format!("{label} {}", group_digits(&format!("{ratio:.3}")));
    let told: Vec<String> = largest.iter().map(told).collect();
    (!told.is_empty()).then(|| format!("Largest ratio drawn: {}.", told.join(", ")))
}

/// How measured times are drawn, and of each panel which series is faster and how far the predictions are off.
fn measured(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let points = "Points: medians, with the interval that holds the true median.";
    let lines = "Lines: what is predicted, by LogP where each node has a host of its own; where nodes share hosts, with their links shared max-min fairly. Dashed where that makes a difference: LogP, which knows no shared links.";
    let has_lines = all.iter().any(|drawn| drawn.panel.has(Beside::Predicted));
    let mut caption = vec![if has_lines { format!("{points} {lines}") } else { points.to_owned() }];
    for drawn in all {
        let rows =
            || drawn.curves.iter().flat_map(|curve| curve.rows.values()).filter_map(|row| row.measured.as_deref());
        let farthest = |of: &str, predicted: &dyn Fn(&SummaryRow) -> Option<u64>| {
            let errors = rows().filter_map(|row| Some(100.0 * row.error_of(predicted(row)?)));
            let most = errors.max_by(|a, b| a.abs().total_cmp(&b.abs()));
            most.map(|most| format!("from {of} {most:+.1} %"))
        };
        let shared = rows().any(shares_links).then(|| farthest("fairly shared links", &SummaryRow::predicted_ns));
        let off: Vec<String> = shared.flatten().into_iter().chain(farthest("LogP", &|row| row.model_ns)).collect();
        let off = (!off.is_empty()).then(|| format!("farthest {}", off.join(", ")));
        let told: Vec<String> = fastest(figure, &drawn.curves).into_iter().chain(off).collect();
        let heading = if drawn.heading.is_empty() { String::new() } else { format!("{}: ", drawn.heading) };
        caption.extend((!told.is_empty()).then(|| format!("{heading}{}.", told.join("; "))));
    }
    caption
}

/// The series that is faster than each other one wherever it is drawn. Where another was not measured, nothing is decided.
fn fastest(figure: &Lines, curves: &[Curve<'_>]) -> Option<String> {
    let beats = |one: &Curve<'_>, other: &Curve<'_>| {
        let times = |x| one.rows[x].measured.as_ref().zip(other.rows.get(x)?.measured.as_ref());
        one.rows.keys().all(|x| times(x).and_then(|(one, other)| order(one, other)) == Some(Ordering::Less))
    };
    let wins = |one: &&Curve<'_>| curves.iter().all(|other| other.label == one.label || beats(one, other));
    let winner = curves.iter().find(wins).map_or("no series", |curve| &curve.label);
    (curves.len() > 1).then(|| format!("{winner} is faster at every value of {}", figure.x))
}

/// How near the bound a series of whole numbers comes.
fn verdict(figure: &Lines, curve: &Curve<'_>, unit: &str) -> Option<String> {
    let mut gaps: BTreeMap<u64, u64> = BTreeMap::new();
    for &(x, _) in &curve.points {
        let row = curve.rows.get(&x)?;
        let (Exact::Integer(cost), Exact::Integer(bound)) = (cost(row)?, row.lower_bound.as_ref()?) else {
            return None;
        };
        gaps.insert(x, cost.saturating_sub(*bound));
    }
    let met = gaps.values().filter(|gap| **gap == 0).count();
    let worst = gaps.iter().max_by_key(|(x, gap)| (**gap, std::cmp::Reverse(**x))).filter(|(_, gap)| **gap > 0);
    let unit = if unit == "time" { "time unit" } else { unit.trim_end_matches('s') };
    let worst = worst.map(|(&x, &gap)| {
        let most = if unit == "n" { format!("{} ns", grouped(gap)) } else { plural(gap, unit) };
        format!("; most above it: {most}, first at {} = {}", figure.x, grouped(x))
    });
    let values = plural(gaps.len() as u64, "value");
    let met = grouped(met as u64);
    Some(format!("{}: at the lower bound for {met} of {values}{}.", curve.label, worst.unwrap_or_default()))
}

/// Where costs are simulated: how far the means are from the expectations, and what has no expectation.
fn simulated(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption = Vec::new();
    let rows = || all.iter().flat_map(|drawn| &drawn.curves).flat_map(|curve| curve.rows.values().copied());
    if all.iter().any(|drawn| !drawn.before.is_empty()) {
        let deviation = |row: &Row| {
            let off = (value(row, Column::Simulated)? - value(row, Column::Analytic)?).abs();
            Some(if row.standard_error? > 0.0 { off / row.standard_error? } else { 0.0 })
        };
        let largest = rows().filter_map(deviation).reduce(f64::max);
        let largest = largest.map_or_else(String::new, |errors| {
            format!("; the largest deviation at any {} is {errors:.1} standard errors", figure.x)
        });
        caption.push(format!("Lines: exact expectations. Points: simulated means{largest}."));
        let mean = |curve: &Curve<'_>| {
            let sum: f64 = curve.points.iter().map(|point| point.1).sum();
            format!("{} {:.1}", curve.label, sum / coordinate(curve.points.len() as u64))
        };
        let means: Vec<String> = all.first().map_or(vec![], |drawn| drawn.curves.iter().map(mean).collect());
        caption.push(format!("Mean over the values of {} drawn: {}.", figure.x, means.join(", ")));
    }
    let is_cost = |drawn: &&Drawn<'_>| drawn.panel.y == Column::Cost;
    let drawn_without = |curve: &&Curve<'_>| {
        curve.points.iter().any(|(x, _)| curve.rows.get(x).is_some_and(|row| row.analytic.is_none()))
    };
    let mut without: Vec<&str> = Vec::new();
    for curve in all.iter().filter(is_cost).flat_map(|drawn| &drawn.curves).filter(drawn_without) {
        without.extend(curve.names().filter(|name| !without.contains(name)).collect::<Vec<_>>());
    }
    if !without.is_empty() {
        caption.push(format!("Simulated where there is no formula: {}.", without.join(", ")));
    }
    caption
}

/// A difference below this share counts as none.
const NOTABLE: f64 = 0.01;

/// Whether two costs grow along the axis, which is more, and whether their difference grows.
fn compared(figure: &Lines, drawn: &Drawn<'_>) -> Option<String> {
    let (one, other) = figure.compare?;
    let of = |name: &str| drawn.curves.iter().find(|curve| curve.names().any(|own| own == name));
    let second: BTreeMap<u64, f64> = of(other)?.points.iter().copied().collect();
    let pairs = of(one)?.points.iter().filter_map(|(x, y)| Some((*y, *second.get(x)?)));
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let is_above = |more: f64, less: f64| more > less + less.abs() * NOTABLE;
    let rises = |values: &[f64]| values.windows(2).all(|pair| is_above(pair[1], pair[0]));
    let more = first.iter().zip(&second).filter(|(first, second)| is_above(**first, **second)).count();
    let differences: Vec<f64> = first.iter().zip(&second).map(|(first, second)| first - second).collect();
    let word = |holds| if holds { "yes" } else { "no" };
    let both = match drawn.panel.place.get("machine") {
        Some(Held::Name(name)) => format!("{name}: both"),
        _ if drawn.heading.is_empty() => "Both".to_owned(),
        _ => format!("{}: both", drawn.heading),
    };
    Some(format!(
        "{both} grow with {x}: {}; {one} costs more than {other}: at {more} of {}; the difference grows with {x}: {}.",
        word(rises(&first) && rises(&second)),
        plural(first.len() as u64, "value"),
        word(rises(&differences)),
        x = figure.x,
    ))
}

/// The series that a reader might look for in vain.
fn left_out(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption = Vec::new();
    let named: BTreeSet<&str> = all.iter().flat_map(|drawn| drawn.panel.names()).collect();
    let unnamed: BTreeSet<&str> = all.iter().flat_map(|drawn| drawn.unnamed.iter().copied()).collect();
    let unnamed: Vec<&str> = unnamed.difference(&named).copied().collect();
    if !unnamed.is_empty() {
        let done = if figure.measurements.is_some() { "Measured" } else { "Evaluated" };
        caption.push(format!("{done} here and not in this figure: {}.", unnamed.join(", ")));
    }
    for drawn in all {
        if !drawn.crowded.is_empty() {
            caption.push(format!("Not drawn, for more lines cannot be told apart: {}.", drawn.crowded.join(", ")));
        }
        let own = |name: &&str| drawn.panel.names().any(|own| own == *name);
        let others: Vec<&str> = named.iter().copied().filter(|name| !own(name)).collect();
        if !others.is_empty() {
            caption.push(format!("Not in the panel \"{}\": {}.", drawn.heading, others.join(", ")));
        }
        if !drawn.missing.is_empty() {
            let place =
                if drawn.heading.is_empty() { String::new() } else { format!(" in the panel \"{}\"", drawn.heading) };
            let source = if figure.measurements.is_some() { "The measurements have" } else { "The sweep has" };
            caption.push(format!("{source} no value to draw{place}: {}.", drawn.missing.join(", ")));
        }
    }
    let lost = |drawn: &Drawn<'_>| -> Vec<u64> {
        let of_curve = |curve: &Curve<'_>| {
            let known = curve.rows.iter().filter(|(_, row)| value(row, drawn.panel.y).is_some()).map(|(x, _)| *x);
            let is_drawn = |x: &u64| curve.points.iter().any(|point| point.0 == *x);
            known.filter(|x| !is_drawn(x)).collect::<Vec<_>>()
        };
        drawn.curves.iter().flat_map(of_curve).collect()
    };
    let lost: BTreeSet<u64> = all.iter().flat_map(lost).collect();
    if let Some(first) = lost.first() {
        let more = if lost.len() > 1 {
            format!(" and {} more", plural(lost.len() as u64 - 1, "value"))
        } else {
            String::new()
        };
        let place = format!("{} = {}{more}", figure.x, grouped(*first));
        caption.push(format!("Not drawn at {place}: a value of 0 has no ratio and no place on a log scale."));
    }
    caption
}
