//! The texts of a figure of lines: what the numbers say, and what is left out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use algorithms::catalogue;
use algorithms::cost::Exact;
use algorithms::problem::Kind;

use super::curves::{Curve, Drawn, HALVES, cost, shares_links, value};
use super::select;
use super::spec::{Layer, Panel, Quantity, Rows, Spec, coordinate};
use super::strokes;
use crate::base::answers::Absences;
use crate::base::units::{distinct, grouped, joined, plural, together};
use crate::draw::chart::scale::group_digits;
use crate::record::Row;
use crate::record::measurement::{SummaryRow, order};
use crate::record::on_network::NETWORK;
use crate::space::RANKS;
use crate::space::machine::PORTS;

/// A sentence that lists items; none without items.
pub fn listed(
    before: &str,
    separator: &str,
    items: impl IntoIterator<Item = impl Display>,
) -> Option<String> {
    let items = joined(separator, items);
    (!items.is_empty()).then(|| format!("{before}: {items}."))
}

/// ` in 3 panels`, where there are several.
fn in_panels(count: usize, all: &[Drawn<'_>]) -> String {
    match all.len() {
        1 => String::new(),
        _ => format!(" in {}", plural(count as u64, "panel")),
    }
}

fn curves<'a, 'b>(all: &'b [Drawn<'a>]) -> impl Iterator<Item = &'b Curve<'a>> + Clone {
    all.iter().flat_map(|drawn| &drawn.curves)
}

fn rows<'a>(all: &[Drawn<'a>]) -> impl Iterator<Item = &'a Row> + Clone {
    all.iter().flat_map(Drawn::rows)
}

/// Most values of the axis drawn along that are listed one by one.
const MOST_LISTED: usize = 6;

/// What all panels share: the values of axes, the range drawn, and the number of random instances.
pub fn subtitle(spec: &Spec, all: &[Drawn<'_>]) -> String {
    let own = spec.own();
    let mut shared = spec.panels[0].held.clone();
    // Loads of links do not depend on times.
    let is_of_links = all.iter().all(|drawn| drawn.panel.y.is_of_links());
    let is_idle = |key| is_of_links && spec.axis(key).is_some_and(|axis| axis.kind == Kind::Time);
    shared.retain(|key, _| !own.contains(key) && !is_idle(key));
    let mut parts = spec.words(&shared);
    let ranks: BTreeSet<u64> = rows(all)
        .filter(|_| spec.x == NETWORK && !spec.is_over_names())
        .filter_map(|row| row.value(RANKS))
        .collect();
    if let [ranks] = Vec::from_iter(ranks)[..] {
        parts.push(format!("{RANKS} = {}", grouped(ranks)));
    }
    let xs: BTreeSet<u64> = curves(all).flat_map(Curve::xs).collect();
    let ends = xs.first().zip(xs.last()).filter(|_| !spec.is_over_names());
    if let Some((first, last)) = ends {
        let show = |x: &u64| spec.value(*x);
        parts.push(if xs.len() <= MOST_LISTED {
            format!(
                "{} = {}",
                spec.along_key(),
                joined(", ", xs.iter().map(show))
            )
        } else {
            format!(
                "{} from {} to {}",
                spec.along_key(),
                show(first),
                show(last)
            )
        });
    }
    let repetitions = rows(all).filter_map(|row| Some(row.measured.as_ref()?.repetitions));
    let draws: BTreeSet<u64> = rows(all).filter_map(|row| row.value("trials")).collect();
    let how = match (repetitions.min(), draws.first().zip(draws.last())) {
        (Some(least), _) => format!("at least {least} repetitions"),
        (None, None) if is_of_links => "exact link times".to_owned(),
        (None, None) => "exact costs".to_owned(),
        (None, Some((least, most))) => {
            let before = if least == most {
                String::new()
            } else {
                format!("{} to ", grouped(*least))
            };
            let seed = rows(all).find_map(|row| row.value("seed")).unwrap_or(0);
            let most = grouped(*most);
            format!("{before}{most} random instances for each point, seed {seed}")
        }
    };
    format!("{}; {how}", parts.join(", "))
}

/// The facts of the caption, the most important first.
pub fn facts(spec: &Spec, rows: &Rows, all: &[Drawn<'_>]) -> Vec<String> {
    let mut caption: Vec<String> = spec.about.note.iter().cloned().collect();
    caption.extend(thickets(all));
    caption.extend(generated(spec, all));
    caption.extend(ratios(spec, all));
    caption.extend(lower_bounds(spec, all));
    caption.extend(units_of_networks(spec, all));
    if spec.measurements.is_some() {
        caption.extend(measured(spec, all));
    }
    let tables = spec
        .table
        .iter()
        .filter_map(|name| Some((name, rows.tables.get(name)?)));
    caption
        .extend(tables.map(|(name, table)| format!("Measured times: {} of {name}.", table.what())));
    caption.extend(above_bound(spec, all));
    caption.extend(simulated(spec, all));
    caption.extend(compared(spec, all));
    caption.extend(all.iter().filter_map(|drawn| drawn.machines.clone()));
    if spec.by != Some(PORTS) {
        caption.extend(ports(all));
    }
    caption.extend(gaps(spec, all));
    caption.extend(left_out(spec, all));
    distinct(caption)
}

/// Each of these texts once, with the headings of its panels if it is not of all.
fn in_which_panels(texts: Vec<(String, String)>, panels: usize) -> impl Iterator<Item = String> {
    together(texts).into_iter().map(move |(text, headings)| {
        if headings.len() == panels {
            text
        } else {
            format!("{text} ({})", headings.join(", "))
        }
    })
}

/// The rules of ports of the costs drawn.
fn ports(all: &[Drawn<'_>]) -> impl Iterator<Item = String> {
    // Of a rule that is held the subtitle tells.
    let is_open = |panel: &Panel| !panel.y.is_of_links() && !panel.held.contains_key(PORTS);
    let rules: Vec<_> = all
        .iter()
        .filter(|drawn| is_open(drawn.panel))
        .filter_map(|drawn| {
            let rule = select::ports(drawn.rows())?;
            Some((rule.trim_end_matches('.').to_owned(), drawn.heading.clone()))
        })
        .collect();
    let panels = rules.len();
    in_which_panels(rules, panels).map(|rule| format!("{rule}."))
}

/// The lines that turn too often to be followed.
fn thickets(all: &[Drawn<'_>]) -> Option<String> {
    let names = in_which_panels(
        all.iter()
            .flat_map(|drawn| {
                drawn
                    .thickets
                    .iter()
                    .map(|name| (name.clone(), drawn.heading.clone()))
                    .collect::<Vec<_>>()
            })
            .collect(),
        all.len(),
    );
    let before = "Areas: least to greatest of neighbouring values, with their mean as a line";
    listed(before, ", ", names)
}

/// The values of the axis between which nothing was computed, where lines break.
fn gaps(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let of_panel = |drawn: &Drawn<'_>| {
        let xs = Vec::from_iter(drawn.xs());
        let all: Vec<f64> = xs.iter().copied().map(coordinate).collect();
        let gaps = strokes::gaps(&all);
        xs.windows(2)
            .filter(|pair| gaps.contains(&(coordinate(pair[0]), coordinate(pair[1]))))
            .map(|pair| format!("{} and {}", spec.at(pair[0]), spec.value(pair[1])))
            .collect::<Vec<_>>()
    };
    let joined = all
        .iter()
        .filter(|drawn| drawn.panel.y != Quantity::Excess && !spec.is_over_names());
    let gaps = distinct(joined.flat_map(of_panel));
    listed("Not computed, so not joined, between", "; ", gaps)
}

/// Whether a schedule takes the bound of each network, where generated ones are drawn.
fn generated(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let open: BTreeSet<u64> = all
        .iter()
        .find(|drawn| drawn.panel.has(&Layer::Generated))?
        .rows()
        .filter(|row| {
            row.on_network
                .as_ref()
                .is_some_and(|own| own.link_exact == Some(false))
        })
        .filter_map(|row| spec.along(row, spec.x))
        .collect();
    let names = open.into_iter().map(|x| spec.value(x));
    let open = listed(
        "Whether a schedule takes the bound is not proven on",
        "; ",
        names,
    );
    Some(open.unwrap_or_else(|| {
        "generated schedule: of `castbench generate`, in the least time on each network.".to_owned()
    }))
}

/// The greatest ratio of each series, where ratios are drawn; on networks with the place of it.
fn ratios(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let points = all
        .iter()
        .filter(|drawn| drawn.panel.is_ratio())
        .flat_map(|drawn| {
            drawn
                .curves
                .iter()
                .map(|curve| (curve.label.clone(), curve.points.clone()))
                .chain([(HALVES.to_owned(), drawn.halves.clone())])
        })
        .flat_map(|(label, points)| points.into_iter().map(move |point| (label.clone(), point)));
    listed(
        "Largest ratio drawn",
        if spec.x == NETWORK { "; " } else { ", " },
        together(points).into_iter().map(|(label, points)| {
            let differs = points.iter().any(|point| point.1 != points[0].1);
            let largest =
                points.into_iter().fold(
                    (0, 0.0),
                    |most, point| {
                        if point.1 > most.1 { point } else { most }
                    },
                );
            let at = match spec.x {
                NETWORK if differs && spec.is_over_names() => {
                    format!(" ({})", spec.value(largest.0))
                }
                NETWORK if differs => format!(" ({})", spec.at(largest.0)),
                _ => String::new(),
            };
            let largest = largest.1;
            // Four digits, and all in front of the point.
            let decimals = [10.0, 100.0, 1000.0]
                .iter()
                .filter(|limit| largest < **limit)
                .count();
            format!(
                "{label} {}{at}",
                group_digits(&format!("{largest:.decimals$}"))
            )
        }),
    )
}

/// Link times of several networks stand at one axis, and each counts capacities by itself.
fn units_of_networks(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let is_time = |y| matches!(y, Quantity::LinkTime | Quantity::LinkBound);
    let mut panels = all.iter().map(|drawn| drawn.panel);
    let is_drawn =
        spec.x == NETWORK && panels.any(|panel| panel.over.is_none() && is_time(panel.y));
    is_drawn.then(|| {
        "Each network counts capacities in its own unit; link_ratio compares networks.".to_owned()
    })
}

/// The user's algorithms whose lower bound is below that of others at one point, where bounds are drawn or divide: their plans cut
/// messages finer than into one part for each rank.
fn lower_bounds(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let bounds = |curve: &Curve<'_>| {
        curve
            .rows
            .iter()
            .filter_map(|(x, row)| Some((*x, value(row, Quantity::LowerBound)?)))
            .collect::<BTreeMap<u64, f64>>()
    };
    let mut lower = Vec::new();
    for drawn in all.iter().filter(|drawn| {
        let is_over = drawn.panel.divisor() == Quantity::LowerBound;
        is_over || drawn.panel.has(&Layer::LowerBound)
    }) {
        for own in drawn.curves.iter().filter(|own| {
            own.names()
                .any(|name| catalogue::find(name).is_some_and(|entry| entry.is_given))
        }) {
            let others: Vec<_> = drawn
                .curves
                .iter()
                .filter(|other| other.by() == own.by())
                .map(bounds)
                .collect();
            let found = bounds(own).into_iter().filter(|(x, bound)| {
                others
                    .iter()
                    .filter_map(|other| other.get(x))
                    .any(|other| other > bound)
            });
            lower.extend(found.map(|(x, _)| (own.label.clone(), x)));
        }
    }
    let before = "Below the lower bound of the others, because messages are cut finer, is that of";
    listed(
        before,
        "; ",
        together(lower)
            .into_iter()
            .map(|(label, at)| format!("{label} ({})", at_values(spec, at))),
    )
}

/// How measured times are drawn, how far off the predictions are, and which series is faster in how many panels.
fn measured(spec: &Spec, all: &[Drawn<'_>]) -> Vec<String> {
    let rows = || rows(all).filter_map(|row| row.measured.as_deref());
    let coverage = |row: &SummaryRow| row.coverage_f64;
    let least = rows().map(coverage).fold(1.0, f64::min);
    let at = if rows().any(|row| coverage(row) > least) {
        "at least "
    } else {
        ""
    };
    let points = format!(
        "Points: medians of real messages, with confidence intervals of {at}{:.1} %.",
        100.0 * least
    );
    let is_drawn = |layer| all.iter().any(|drawn| drawn.panel.has(layer));
    let is_crowded = |row: &&SummaryRow| row.hosts == 1 && row.K > 1 && row.model_ns.is_some();
    let crowded = rows().filter(is_crowded).count() as u64;
    let crowded = (crowded > 0 && (is_drawn(&Layer::Predicted) || is_drawn(&Layer::Errors))).then(|| {
        format!(
            "At {} all ranks share one host: LogP assumes a processor and a link for each, so it applies only to a machine with levels.",
            plural(crowded, "point")
        )
    });
    let farthest = |is_one: &dyn Fn(&SummaryRow) -> bool,
                    predicted: &dyn Fn(&SummaryRow) -> Option<u64>| {
        let most = rows()
            .filter(|row| is_one(row))
            .filter_map(|row| Some(100.0 * row.error_of(predicted(row)?)))
            .max_by(|a, b| a.abs().total_cmp(&b.abs()));
        most.map_or_else(String::new, |most| format!("; largest error {most:+.1} %"))
    };
    let lines = is_drawn(&Layer::Predicted).then(|| {
        let solid = farthest(&|_| true, &SummaryRow::predicted_ns);
        if !rows().any(shares_links) {
            return format!("Lines: predictions by LogP{solid}.");
        }
        let dashed = farthest(&shares_links, &|row| row.model_ns);
        format!("Solid lines: predictions by LogP, and by links shared max-min fairly where nodes share hosts{solid}. Dashed lines: LogP there{dashed}.")
    });
    let unfinished = rows()
        .find_map(|row| row.unfinished.as_ref())
        .map(|how| format!("The measurement is not complete: it {how}."));
    let facts = [unfinished, Some(points), lines, crowded, fastest(spec, all)];
    facts.into_iter().flatten().collect()
}

/// In how many panels a series is faster than each other one at every value of the axis.
fn fastest(spec: &Spec, all: &[Drawn<'_>]) -> Option<String> {
    let compared = all.iter().filter(|drawn| drawn.curves.len() > 1);
    let winners = together(compared.map(|drawn| (winner(&drawn.curves), ())));
    let faster = format!("Faster at every value of {}", spec.x);
    let faster = listed(
        &faster,
        ", ",
        winners.iter().filter_map(|(name, own)| {
            name.map(|name| format!("{name}{}", in_panels(own.len(), all)))
        }),
    );
    let undecided = winners
        .iter()
        .find(|(name, _)| name.is_none())
        .map(|(_, own)| {
            let panels = in_panels(own.len(), all);
            format!(
                "No line is the fastest at every value of {}{panels}.",
                spec.x
            )
        });
    let sentences = joined(" ", faster.into_iter().chain(undecided));
    (!sentences.is_empty()).then_some(sentences)
}

/// The series that is faster than each other one wherever it is drawn; none if another was not measured there.
fn winner<'a>(curves: &'a [Curve<'_>]) -> Option<&'a str> {
    let time = |curve: &'a Curve<'_>, x| curve.rows.get(x)?.measured.as_deref();
    let beats = |one: &'a Curve<'_>, other: &'a Curve<'_>| {
        one.rows.keys().all(|x| {
            time(one, x)
                .zip(time(other, x))
                .and_then(|(one, other)| order(one, other))
                == Some(Ordering::Less)
        })
    };
    curves
        .iter()
        .find(|one| {
            curves
                .iter()
                .filter(|other| other.label != one.label)
                .all(|other| beats(one, other))
        })
        .map(|curve| curve.label.as_str())
}

/// Which series meet the lower bound everywhere, and how far above it the others come. Expectations are left out.
fn above_bound(spec: &Spec, all: &[Drawn<'_>]) -> Vec<String> {
    let panels: Vec<&Drawn<'_>> = all
        .iter()
        .filter(|drawn| {
            let is_cost = matches!(drawn.panel.y, Quantity::Cost | Quantity::Analytic);
            is_cost && drawn.panel.over.is_none() && drawn.panel.has(&Layer::LowerBound)
        })
        .collect();
    let mut gaps: Vec<(&str, (u64, String))> = Vec::new();
    for drawn in &panels {
        let panel = match panels[..] {
            [_] => String::new(),
            _ => format!(", {}", drawn.heading),
        };
        for curve in &drawn.curves {
            let gap = largest_gap(curve);
            let gap = gap.map(|(x, gap)| (gap, format!("{}{panel}", spec.at(x))));
            gaps.extend(gap.map(|gap| (curve.label.as_str(), gap)));
        }
    }
    let unit = match panels.first().map_or("", |drawn| drawn.unit) {
        "time" => "time units",
        unit => unit,
    };
    // Of equal gaps, the first counts.
    let (met, above): (Vec<_>, Vec<_>) = together(gaps)
        .into_iter()
        .filter_map(|(label, gaps)| Some((label, gaps.into_iter().rev().max_by_key(|gap| gap.0)?)))
        .partition(|(_, (gap, _))| *gap == 0);
    let above = above
        .into_iter()
        .map(|(label, (gap, point))| format!("{label} {} ({point})", grouped(gap)));
    let above = listed(
        &format!("Most above the lower bound, in {unit}"),
        "; ",
        above,
    );
    let met = met.into_iter().map(|(label, _)| label);
    let met = listed("At the lower bound everywhere", "; ", met);
    above.into_iter().chain(met).collect()
}

/// The first value of the axis at which a series of whole numbers is farthest above the bound, and by how much.
fn largest_gap(curve: &Curve<'_>) -> Option<(u64, u64)> {
    let gap = |x: u64| {
        let row = curve.rows.get(&x)?;
        match (cost(row)?, row.lower_bound.as_ref()?) {
            (Exact::Integer(cost), Exact::Integer(bound)) => Some((x, cost.saturating_sub(*bound))),
            _ => None,
        }
    };
    let gaps = curve.xs().map(gap).collect::<Option<Vec<_>>>()?;
    gaps.into_iter().rev().max_by_key(|(_, gap)| *gap)
}

/// The deviation of simulated means from the expectations, and the series without an expectation.
fn simulated(spec: &Spec, all: &[Drawn<'_>]) -> Vec<String> {
    let means = all.iter().any(|drawn| drawn.is_simulated).then(|| {
        let largest = rows(all).filter_map(|row| {
        let off = (value(row, Quantity::Simulated)? - value(row, Quantity::Analytic)?).abs();
        let error = row.standard_error?;
        Some(if error > 0.0 { off / error } else { 0.0 })
    }).reduce(f64::max);
        let Some(errors) = largest else {
            return "Lines: analytic costs. Points: simulated ones.".to_owned();
        };
        format!(
            "Lines: exact expectations. Points: simulated means; the largest deviation at any {} is {errors:.1} standard errors.",
            spec.x
        )
    });
    let without = all
        .iter()
        .filter(|drawn| drawn.panel.y == Quantity::Cost)
        .flat_map(|drawn| &drawn.curves)
        .filter(|curve| {
            curve
                .xs()
                .filter_map(|x| curve.rows.get(&x))
                .any(|row| row.analytic.is_none())
        });
    let names = distinct(without.flat_map(Curve::names));
    means
        .into_iter()
        .chain(listed("Simulated (no formula)", ", ", names))
        .collect()
}

/// A difference below this share counts as none.
const NOTABLE: f64 = 0.01;

/// At how many values of each panel one cost is above the other, and in which panels both and their difference grow.
fn compared(spec: &Spec, all: &[Drawn<'_>]) -> Vec<String> {
    let Some((one, other)) = spec.compare else {
        return Vec::new();
    };
    let panels: Vec<(String, String, bool)> = all
        .iter()
        .filter_map(|drawn| {
            let (above, grows) = compared_in(drawn, one, other)?;
            Some((drawn.heading.clone(), above, grows))
        })
        .collect();
    let is_one = panels.len() == 1;
    let above = panels.iter().map(|(heading, above, _)| {
        if is_one {
            above.clone()
        } else {
            format!("{above} ({heading})")
        }
    });
    let grow: Vec<String> = panels
        .iter()
        .filter(|(.., grows)| *grows)
        .map(|(heading, ..)| format!("\"{heading}\""))
        .collect();
    let grown = match grow.len() {
        0 if is_one => "do not always grow by over 1 %".to_owned(),
        0 => "grow by over 1 % in no panel".to_owned(),
        _ if is_one => "grow by over 1 %".to_owned(),
        count if count == panels.len() => "grow by over 1 % in every panel".to_owned(),
        _ => format!("grow by over 1 % only in {}", grow.join(" and ")),
    };
    let x = spec.x;
    let values = format!("Values of {x} at which {one} costs over 1 % more than {other}");
    let above = listed(&values, ", ", above);
    let growth =
        format!("From each value of {x} to the next, both costs and their difference {grown}.");
    above
        .into_iter()
        .flat_map(|above| [above, growth.clone()])
        .collect()
}

fn compared_in(drawn: &Drawn<'_>, one: &str, other: &str) -> Option<(String, bool)> {
    let of = |name: &str| {
        drawn
            .curves
            .iter()
            .find(|curve| curve.names().any(|own| own == name))
    };
    let second = &of(other)?.points;
    let (first, second): (Vec<f64>, Vec<f64>) = of(one)?
        .points
        .iter()
        .filter_map(|(x, y)| Some((*y, *second.get(x)?)))
        .unzip();
    let both = || first.iter().zip(&second);
    let is_above = |more: f64, less: f64| more > less + less.abs() * NOTABLE;
    let rises = |values: &[f64]| values.windows(2).all(|pair| is_above(pair[1], pair[0]));
    let more = both()
        .filter(|(first, second)| is_above(**first, **second))
        .count();
    let differences: Vec<f64> = both().map(|(first, second)| first - second).collect();
    let all_grow = rises(&first) && rises(&second) && rises(&differences);
    Some((format!("{more} of {}", first.len()), all_grow))
}

/// Algorithms and points that are not drawn.
fn left_out(spec: &Spec, all: &[Drawn<'_>]) -> Vec<String> {
    let (done, source) = match spec.measurements {
        Some(_) => ("Measured", "measurements have"),
        None => ("Swept", "sweep has"),
    };
    let named: BTreeSet<&str> = all.iter().flat_map(|drawn| drawn.panel.names()).collect();
    let unnamed: BTreeSet<&str> = all.iter().flat_map(|drawn| drawn.unnamed.clone()).collect();
    let unnamed = unnamed.difference(&named);
    let mut caption = Vec::from_iter(listed(&format!("{done}, not drawn"), ", ", unnamed));
    for Drawn {
        heading,
        crowded,
        missing,
        pointless,
        ..
    } in all
    {
        let before = "Too many lines to tell apart; not drawn";
        caption.extend(listed(before, ", ", crowded));
        let panel = match &**heading {
            "" => String::new(),
            heading => format!(" in panel \"{heading}\""),
        };
        let before = format!("The {source} no value to draw{panel}");
        caption.extend(listed(&before, ", ", missing));
        for (why, names) in together(pointless.iter().cloned()) {
            let names = names.into_iter().map(|name| spec.short(name));
            caption.extend(listed(
                &format!("Not drawn{panel}, since {why}"),
                ", ",
                names,
            ));
        }
    }
    // Panels at the same values show the same points.
    let mut known = BTreeSet::new();
    let undefined = all
        .iter()
        .flat_map(|drawn| drawn.undefined.iter().copied())
        .filter(|row| known.insert(std::ptr::from_ref::<Row>(row)))
        .filter_map(|row| Some((row, spec.at(spec.along(row, spec.x)?))));
    let mut held = BTreeSet::new();
    let own = all.iter().filter(|drawn| held.insert(&drawn.panel.held));
    caption.extend(without_cost(
        spec,
        undefined,
        own.map(|drawn| drawn.asked).sum(),
    ));
    let unknown = all
        .iter()
        .flat_map(|drawn| {
            drawn
                .curves
                .iter()
                .flat_map(|curve| &curve.rows)
                .filter(|(_, row)| value(row, drawn.panel.y).is_none())
        })
        .map(|(x, _)| ("some rows have no value there".to_owned(), *x));
    let lost = all.iter().flat_map(|drawn| drawn.lost.iter().cloned());
    caption.extend(
        together(lost.chain(unknown))
            .into_iter()
            .map(|lost| not_drawn(spec, lost)),
    );
    caption
}

/// Says at which values of the axis a point is not drawn, and why.
fn not_drawn(spec: &Spec, (why, at): (String, Vec<u64>)) -> String {
    format!("Not drawn at {}: {why}.", at_values(spec, at))
}

/// The first of some values of the axis, and how many more there are.
fn at_values(spec: &Spec, at: Vec<u64>) -> String {
    let at = BTreeSet::from_iter(at);
    let first = at.first().map_or_else(String::new, |x| spec.at(*x));
    match at.len() - 1 {
        0 => first,
        more => format!("{first} and {} more", plural(more as u64, "value")),
    }
}

/// At how many of the points asked for algorithms are not defined, or failed, from rows without a cost, each with its point.
pub fn without_cost<'a>(
    spec: &Spec,
    rows: impl Iterator<Item = (&'a Row, String)>,
    asked: u64,
) -> impl Iterator<Item = String> {
    let [mut undefined, mut failed] = [0; 2].map(|_| Absences::new("point"));
    undefined.asked = asked;
    for (row, at) in rows {
        let name = spec.short(&row.algorithm);
        match row.failure() {
            Some(why) => {
                failed.asked += 1;
                failed.add(name, &why, || at);
            }
            None => undefined.add(name, &reason(&row.note), || at),
        }
    }
    failed.asked = failed.asked.max(asked);
    [("Not defined", undefined), ("Failed, not drawn", failed)]
        .into_iter()
        .filter_map(|(what, absences)| listed(what, "; ", absences.statements()))
}

/// What an algorithm needs, of the refusal of a point: without the value refused, which the caption names, and without advice.
fn reason(note: &str) -> String {
    let (why, _) = note.split_once("; use ").unwrap_or((note, ""));
    why.split_once(": ")
        .filter(|(before, _)| before.contains(" = "))
        .map_or(why, |(_, why)| why)
        .replacen("expected", "needs", 1)
}
