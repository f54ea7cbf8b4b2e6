//! The caption of a figure of lines: what the numbers say, and what is left out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use algorithms::cost::Exact;

use super::super::select;
use super::curves::{Curve, Drawn, cost, shares_links, value};
use super::{Beside, Lines, Quantity};
use crate::absent::Absences;
use crate::chart::scale::group_digits;
use crate::chart::{self, Covered};
use crate::figures::select::short;
use crate::measured::interval::order;
use crate::measured::record::SummaryRow;
use crate::record::Row;
use crate::units::{grouped, plural, together};

/// The facts of the caption, the most important first.
pub fn facts(figure: &Lines, all: &[Drawn<'_>], panels: &[chart::Panel]) -> Vec<String> {
    let mut caption: Vec<String> = figure.about.note.iter().cloned().collect();
    caption.extend(ratios(all));
    if figure.measurements.is_some() {
        caption.extend(measured(figure, all));
    }
    let bounded = |drawn: &&Drawn<'_>| {
        let is_cost = matches!(drawn.panel.y, Quantity::Cost | Quantity::Analytic)
            && drawn.panel.over.is_none();
        is_cost && drawn.panel.has(Beside::LowerBound)
    };
    caption.extend(
        figure
            .table
            .iter()
            .map(|table| format!("Measured times: medians of {table}.")),
    );
    caption.extend(above_bound(
        figure,
        &all.iter().filter(bounded).collect::<Vec<_>>(),
    ));
    caption.extend(simulated(figure, all));
    caption.extend(compared(figure, all));
    caption.extend(all.iter().filter_map(|drawn| drawn.machines.clone()));
    caption.extend(ports(all));
    caption.extend(covered(figure, panels));
    caption.extend(left_out(figure, all));
    let mut known = BTreeSet::new();
    caption.retain(|fact| known.insert(fact.clone()));
    caption
}

/// The rules of ports of the costs drawn; with their panels where these differ.
fn ports(all: &[Drawn<'_>]) -> Vec<String> {
    let of_panel = |drawn: &Drawn<'_>| {
        let rows = drawn
            .curves
            .iter()
            .flat_map(|curve| curve.rows.values().copied());
        Some((select::ports(rows)?, drawn.heading.clone()))
    };
    let rules = together(all.iter().filter_map(of_panel));
    let text = |(rule, headings): &(String, Vec<String>)| match rules.len() {
        1 => rule.clone(),
        _ => format!("{} ({}).", rule.trim_end_matches('.'), headings.join(", ")),
    };
    rules.iter().map(text).collect()
}

/// The lines that cannot be seen, because another one lies on them.
fn covered(figure: &Lines, panels: &[chart::Panel]) -> Option<String> {
    let line = |Covered {
                    under,
                    over,
                    hidden,
                    all,
                }: Covered<'_>| {
        let part = if hidden < all {
            format!(" at {hidden} of {all} values of {}", figure.x)
        } else {
            String::new()
        };
        format!("{under} under {over}{part}")
    };
    let heading = |panel: &chart::Panel| panel.heading.clone().unwrap_or_default();
    let lines = panels.iter().flat_map(|panel| {
        panel
            .covered()
            .into_iter()
            .map(move |own| (line(own), heading(panel)))
    });
    let text = |(text, headings): (String, Vec<String>)| match headings.len() == panels.len() {
        true => text,
        false => format!("{text} ({})", headings.join(", ")),
    };
    let text: Vec<String> = together(lines).into_iter().map(text).collect();
    (!text.is_empty()).then(|| format!("Equal, so hidden: {}.", text.join("; ")))
}

/// The greatest ratio of each series, where ratios are drawn.
fn ratios(all: &[Drawn<'_>]) -> Option<String> {
    let curves = all
        .iter()
        .filter(|drawn| drawn.panel.over.is_some())
        .flat_map(|drawn| &drawn.curves);
    let points = curves.flat_map(|curve| {
        curve
            .points
            .iter()
            .map(|point| (curve.label.as_str(), point.1))
    });
    let text = |(label, ratios): (&str, Vec<f64>)| {
        let largest = ratios.into_iter().fold(0.0, f64::max);
        format!("{label} {}", group_digits(&format!("{largest:.3}")))
    };
    let text: Vec<String> = together(points).into_iter().map(text).collect();
    (!text.is_empty()).then(|| format!("Largest ratio drawn: {}.", text.join(", ")))
}

/// How measured times are drawn, how far off the predictions are, and which series is faster in how many panels.
fn measured(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption =
        vec!["Points: medians, with the interval that contains the true median.".to_owned()];
    let rows = || {
        all.iter()
            .flat_map(|drawn| &drawn.curves)
            .flat_map(|curve| curve.rows.values())
    };
    let rows = || rows().filter_map(|row| row.measured.as_deref());
    let farthest = |rows: &mut dyn Iterator<Item = &SummaryRow>,
                    predicted: &dyn Fn(&SummaryRow) -> Option<u64>| {
        let errors = rows.filter_map(|row| Some(100.0 * row.error_of(predicted(row)?)));
        let most = errors.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        most.map_or_else(String::new, |most| format!("; largest error {most:+.1} %"))
    };
    if all.iter().any(|drawn| drawn.panel.has(Beside::Predicted)) {
        let solid = farthest(&mut rows(), &SummaryRow::predicted_ns);
        if rows().any(shares_links) {
            let dashed = farthest(&mut rows().filter(|row| shares_links(row)), &|row| {
                row.model_ns
            });
            caption.push(format!(
                "Solid lines: predictions by LogP, and by links shared max-min fairly where nodes share hosts{solid}. Dashed lines: LogP there{dashed}."
            ));
        } else {
            caption.push(format!("Lines: predictions by LogP{solid}."));
        }
    }
    caption.extend(fastest(figure, all));
    caption
}

/// In how many panels a series is faster than each other one at every value of the axis.
fn fastest(figure: &Lines, all: &[Drawn<'_>]) -> Option<String> {
    let compared: Vec<&Drawn<'_>> = all.iter().filter(|drawn| drawn.curves.len() > 1).collect();
    let panels = together(
        compared
            .iter()
            .filter_map(|drawn| Some((winner(&drawn.curves)?, ()))),
    );
    let x = figure.x;
    let panels_of = |count: usize| {
        if all.len() > 1 {
            format!(" in {}", plural(count as u64, "panel"))
        } else {
            String::new()
        }
    };
    let winners: Vec<String> = panels
        .iter()
        .map(|(name, own)| format!("{name}{}", panels_of(own.len())))
        .collect();
    let undecided = compared.len() - panels.iter().map(|(_, own)| own.len()).sum::<usize>();
    let faster = (!winners.is_empty())
        .then(|| format!("Faster at every value of {x}: {}.", winners.join(", ")));
    let none = (undecided > 0).then(|| {
        format!(
            "No line is the fastest at every value of {x}{}.",
            panels_of(undecided)
        )
    });
    let sentences: Vec<String> = faster.into_iter().chain(none).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The series that is faster than each other one wherever it is drawn; none if another was not measured there.
fn winner<'a>(curves: &'a [Curve<'_>]) -> Option<&'a str> {
    let beats = |one: &Curve<'_>, other: &Curve<'_>| {
        let times = |x| {
            one.rows[x]
                .measured
                .as_ref()
                .zip(other.rows.get(x)?.measured.as_ref())
        };
        one.rows
            .keys()
            .all(|x| times(x).and_then(|(one, other)| order(one, other)) == Some(Ordering::Less))
    };
    let wins = |one: &&Curve<'_>| {
        curves
            .iter()
            .all(|other| other.label == one.label || beats(one, other))
    };
    curves.iter().find(wins).map(|curve| curve.label.as_str())
}

/// Which series meet the lower bound everywhere, and how far above it the others come. Expectations are left out.
fn above_bound(figure: &Lines, panels: &[&Drawn<'_>]) -> Vec<String> {
    let mut gaps: Vec<(&str, (u64, String))> = Vec::new();
    for drawn in panels {
        let panel = if panels.len() > 1 {
            format!(", {}", drawn.heading)
        } else {
            String::new()
        };
        let gap =
            |curve| largest_gap(curve).map(|(x, gap)| (gap, format!("{}{panel}", figure.at(x))));
        gaps.extend(
            drawn
                .curves
                .iter()
                .filter_map(|curve| Some((curve.label.as_str(), gap(curve)?))),
        );
    }
    // Of equal gaps, the first counts.
    let largest = |(label, gaps): (_, Vec<(u64, String)>)| {
        Some((label, gaps.into_iter().rev().max_by_key(|gap| gap.0)?))
    };
    let unit = panels.first().map_or("", |drawn| {
        if drawn.unit == "time" {
            "time units"
        } else {
            drawn.unit
        }
    });
    let (met, above): (Vec<_>, Vec<_>) = together(gaps)
        .into_iter()
        .filter_map(largest)
        .partition(|(_, (gap, _))| *gap == 0);
    let met: Vec<&str> = met.into_iter().map(|(label, _)| label).collect();
    let above: Vec<String> = above
        .into_iter()
        .map(|(label, (gap, point))| format!("{label} {} ({point})", grouped(gap)))
        .collect();
    let mut caption = Vec::new();
    if !above.is_empty() {
        caption.push(format!(
            "Most above the lower bound, in {unit}: {}.",
            above.join("; ")
        ));
    }
    if !met.is_empty() {
        caption.push(format!(
            "At the lower bound everywhere: {}.",
            met.join("; ")
        ));
    }
    caption
}

/// The first value of the axis at which a series of whole numbers is farthest above the bound, and by how much.
fn largest_gap(curve: &Curve<'_>) -> Option<(u64, u64)> {
    let mut largest: Option<(u64, u64)> = None;
    for &(x, _) in &curve.points {
        let row = curve.rows.get(&x)?;
        let (Exact::Integer(cost), Exact::Integer(bound)) = (cost(row)?, row.lower_bound.as_ref()?)
        else {
            return None;
        };
        let gap = cost.saturating_sub(*bound);
        if largest.is_none_or(|(_, known)| gap > known) {
            largest = Some((x, gap));
        }
    }
    largest
}

/// The deviation of simulated means from the expectations, and the series without an expectation.
fn simulated(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption = Vec::new();
    let rows = || {
        all.iter()
            .flat_map(|drawn| &drawn.curves)
            .flat_map(|curve| curve.rows.values().copied())
    };
    if all.iter().any(|drawn| !drawn.before.is_empty()) {
        let deviation = |row: &Row| {
            let off = (value(row, Quantity::Simulated)? - value(row, Quantity::Analytic)?).abs();
            Some(if row.standard_error? > 0.0 {
                off / row.standard_error?
            } else {
                0.0
            })
        };
        let largest = rows().filter_map(deviation).reduce(f64::max);
        let largest = largest.map_or_else(String::new, |errors| {
            format!(
                "; the largest deviation at any {} is {errors:.1} standard errors",
                figure.x
            )
        });
        caption.push(format!(
            "Lines: exact expectations. Points: simulated means{largest}."
        ));
    }
    let is_cost = |drawn: &&Drawn<'_>| drawn.panel.y == Quantity::Cost;
    let drawn_without = |curve: &&Curve<'_>| {
        curve
            .points
            .iter()
            .any(|(x, _)| curve.rows.get(x).is_some_and(|row| row.analytic.is_none()))
    };
    let mut without: Vec<&str> = Vec::new();
    for curve in all
        .iter()
        .filter(is_cost)
        .flat_map(|drawn| &drawn.curves)
        .filter(drawn_without)
    {
        without.extend(
            curve
                .names()
                .filter(|name| !without.contains(name))
                .collect::<Vec<_>>(),
        );
    }
    if !without.is_empty() {
        caption.push(format!("Simulated (no formula): {}.", without.join(", ")));
    }
    caption
}

/// A difference below this share counts as none.
const NOTABLE: f64 = 0.01;

/// At how many values of each panel one cost is above the other, and in which panels both and their difference grow.
fn compared(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let Some((one, other)) = figure.compare else {
        return Vec::new();
    };
    let panels: Vec<(&str, (String, bool))> = all
        .iter()
        .filter_map(|drawn| Some((drawn.heading.as_str(), compared_in(drawn, one, other)?)))
        .collect();
    if panels.is_empty() {
        return Vec::new();
    }
    let (x, is_one) = (figure.x, panels.len() == 1);
    let panel = |heading: &str| {
        if is_one {
            String::new()
        } else {
            format!(" ({heading})")
        }
    };
    let above: Vec<String> = panels
        .iter()
        .map(|(heading, (above, _))| format!("{above}{}", panel(heading)))
        .collect();
    let grow: Vec<&str> = panels
        .iter()
        .filter(|(_, (_, grows))| *grows)
        .map(|(heading, _)| *heading)
        .collect();
    let grown = match grow.len() {
        0 if is_one => "do not always grow by over 1 %".to_owned(),
        0 => "grow by over 1 % in no panel".to_owned(),
        _ if is_one => "grow by over 1 %".to_owned(),
        count if count == panels.len() => "grow by over 1 % in every panel".to_owned(),
        _ => format!(
            "grow by over 1 % only in {}",
            grow.iter()
                .map(|heading| format!("\"{heading}\""))
                .collect::<Vec<_>>()
                .join(" and ")
        ),
    };
    vec![
        format!(
            "Values of {x} at which {one} costs over 1 % more than {other}: {}.",
            above.join(", ")
        ),
        format!("From each value of {x} to the next, both costs and their difference {grown}."),
    ]
}

fn compared_in(drawn: &Drawn<'_>, one: &str, other: &str) -> Option<(String, bool)> {
    let of = |name: &str| {
        drawn
            .curves
            .iter()
            .find(|curve| curve.names().any(|own| own == name))
    };
    let second: BTreeMap<u64, f64> = of(other)?.points.iter().copied().collect();
    let pairs = of(one)?
        .points
        .iter()
        .filter_map(|(x, y)| Some((*y, *second.get(x)?)));
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.unzip();
    let is_above = |more: f64, less: f64| more > less + less.abs() * NOTABLE;
    let rises = |values: &[f64]| values.windows(2).all(|pair| is_above(pair[1], pair[0]));
    let more = first
        .iter()
        .zip(&second)
        .filter(|(first, second)| is_above(**first, **second))
        .count();
    let differences: Vec<f64> = first
        .iter()
        .zip(&second)
        .map(|(first, second)| first - second)
        .collect();
    let all_grow = rises(&first) && rises(&second) && rises(&differences);
    Some((format!("{more} of {}", first.len()), all_grow))
}

/// Algorithms and points that are not drawn.
fn left_out(figure: &Lines, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption = Vec::new();
    let (done, source) = match figure.measurements {
        Some(_) => ("Measured", "measurements have"),
        None => ("Swept", "sweep has"),
    };
    let named: BTreeSet<&str> = all.iter().flat_map(|drawn| drawn.panel.names()).collect();
    let unnamed: BTreeSet<&str> = all
        .iter()
        .flat_map(|drawn| drawn.unnamed.iter().copied())
        .collect();
    let unnamed: Vec<&str> = unnamed.difference(&named).copied().collect();
    if !unnamed.is_empty() {
        caption.push(format!("{done}, not drawn: {}.", unnamed.join(", ")));
    }
    for drawn in all {
        if !drawn.crowded.is_empty() {
            caption.push(format!(
                "Too many lines to tell apart; not drawn: {}.",
                drawn.crowded.join(", ")
            ));
        }
        if !drawn.missing.is_empty() {
            let panel = if drawn.heading.is_empty() {
                String::new()
            } else {
                format!(" in panel \"{}\"", drawn.heading)
            };
            caption.push(format!(
                "The {source} no value to draw{panel}: {}.",
                drawn.missing.join(", ")
            ));
        }
    }
    let mut absences = Absences::default();
    for drawn in all {
        for row in &drawn.undefined {
            let at = || select::along(row, figure.x).map_or_else(String::new, |x| figure.at(x));
            absences.add(short(&row.algorithm, named.iter().copied()), &row.note, at);
        }
    }
    if !absences.is_empty() {
        let asked = all.iter().map(|drawn| drawn.asked).sum();
        caption.push(format!(
            "Not defined: {}.",
            absences.statements(asked, "point").join("; ")
        ));
    }
    let lost = |drawn: &Drawn<'_>| -> Vec<u64> {
        let of_curve = |curve: &Curve<'_>| {
            let known = curve
                .rows
                .iter()
                .filter(|(_, row)| value(row, drawn.panel.y).is_some())
                .map(|(x, _)| *x);
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
        let values = format!("{}{more}", figure.at(*first));
        caption.push(format!(
            "Not drawn at {values}: 0 has no ratio and no place on a log scale."
        ));
    }
    caption
}
