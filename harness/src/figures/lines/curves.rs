//! The series of one panel: their rows, and what is drawn of them.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::cost::Exact;
use algorithms::problem::{Axis, Kind};

use super::{Beside, Lines, Over, Panel, Quantity, Side};
use crate::chart::style::Look;
use crate::chart::{self, Join, Markers, Series};
use crate::figures::looks::{Looks, look_of};
use crate::figures::select::{self, Held, HeldAxes, short};
use crate::figures::{Rows, Undrawn, coordinate};
use crate::measured::config::Algorithm;
use crate::measured::record::{SummaryRow, off};
use crate::readers::table::Table;
use crate::record::{Row, rounded};
use crate::space::Key;

/// Algorithms whose values are the same at every point, drawn as one series.
pub struct Curve<'a> {
    /// Its name in the legend.
    pub label: String,
    /// The values of the axis `by` and the algorithms that it stands for.
    keys: Vec<(Option<Held>, &'static str)>,
    /// Its colour and marker.
    pub look: Look,
    /// Its rows by the value on the axis drawn.
    pub rows: BTreeMap<u64, &'a Row>,
    /// The value drawn of each row that has one.
    pub points: Vec<(u64, f64)>,
}

impl Curve<'_> {
    /// The algorithms.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|(_, name)| *name)
    }

    fn by(&self) -> Option<&Held> {
        self.keys.first().and_then(|(by, _)| by.as_ref())
    }
}

/// One panel with its rows.
pub struct Drawn<'a> {
    /// Its definition.
    pub panel: &'a Panel,
    /// The text above it.
    pub heading: String,
    /// In the order of the catalogue.
    pub curves: Vec<Curve<'a>>,
    /// Bounds, published costs and times of a table, behind the curves.
    pub behind: Vec<Series>,
    /// Simulated costs, on the curves.
    pub before: Vec<Series>,
    /// The areas behind everything.
    pub bands: Vec<chart::Band>,
    /// The unit of the rows.
    pub unit: &'static str,
    /// The parameters of the panel's machine at its message sizes, and the names of the machines of its band.
    pub machines: Option<String>,
    /// Algorithms that have rows here and no line.
    pub unnamed: BTreeSet<&'static str>,
    /// Algorithms that should have a line and have no rows.
    pub missing: Vec<&'static str>,
    /// Series for which no look was free.
    pub crowded: Vec<String>,
    /// The rows of its algorithms where these are not defined.
    pub undefined: Vec<&'a Row>,
    /// How many rows of its algorithms there are, with these.
    pub asked: u64,
}

/// The rows at the held values, of one value of the axis `by`, by algorithm.
type Named<'a> = BTreeMap<(Option<Held>, &'static str), BTreeMap<u64, &'a Row>>;

/// All rows at the held values, of any algorithm. Of rows that differ only in `trials`, the row with the most.
///
/// # Errors
/// Measurements that the figure cannot distinguish: it would draw one of them for all.
fn rows_at<'a>(
    figure: &Lines,
    panel: &Panel,
    held: &HeldAxes,
    rows: &'a Rows,
) -> Result<Named<'a>, Undrawn> {
    let filters = figure.filters_at(panel, held);
    let by = figure.by.and_then(|key| figure.axis(key));
    let is_read = |name: &str| {
        panel.names().any(|own| own == name)
            || matches!(panel.over, Some(Over::Algorithm(over)) if over == name)
    };
    let mut named: Named<'a> = BTreeMap::new();
    let rows = figure.rows(rows).iter();
    for row in rows.filter(|row| filters.iter().any(|filter| filter.takes(row))) {
        let Some(x) = select::along(row, figure.x) else {
            continue;
        };
        // Only a file that was edited by hand holds a name that is not in the catalogue.
        let Some(algorithm) = Algorithm::find(&row.algorithm) else {
            continue;
        };
        let known = named
            .entry((
                by.and_then(|axis| Held::from_row(row, axis)),
                algorithm.name(),
            ))
            .or_default();
        let kept = known
            .insert(x, row)
            .filter(|kept| row.value("trials") <= kept.value("trials"));
        if kept.is_some() && row.measured.is_some() && is_read(&row.algorithm) {
            let differs = |axis: &&Axis| {
                kept.is_some_and(|kept| Held::from_row(row, axis) != Held::from_row(kept, axis))
            };
            let keys: Vec<Key> = figure.axes().filter(differs).map(|axis| axis.key).collect();
            let (name, along, keys) = (&row.algorithm, figure.x, keys.join(", "));
            return Err(Undrawn::Alike(format!(
                "several measurements of {name} at {along} = {x} differ in {keys}; hold that with `at`, or draw it with `x` or `by`"
            )));
        }
        kept.map(|kept| known.insert(x, kept));
    }
    Ok(named)
}

/// The name of a series: the algorithm, the value of the axis that tells the series apart, or both.
fn label(figure: &Lines, panel: &Panel, by: Option<&Held>, algorithm: &str) -> String {
    let algorithm = short(algorithm, figure.panels.iter().flat_map(Panel::names));
    let (Some(key), Some(held)) = (figure.by, by) else {
        return algorithm.to_owned();
    };
    let text = figure
        .axis(key)
        .map_or_else(String::new, |axis| held.show(axis, figure.on_machine()));
    let value = if matches!(held, Held::Name(_)) {
        text
    } else {
        format!("{key} = {text}")
    };
    if panel.algorithms.len() == 1 {
        value
    } else {
        format!("{algorithm}, {value}")
    }
}

/// Gives each series of a panel its look. Bounds and published costs take theirs afterwards.
///
/// # Errors
/// The rows cannot be told apart.
pub fn give_looks(
    figure: &Lines,
    panel: &Panel,
    rows: &Rows,
    looks: &mut Looks,
) -> Result<(), Undrawn> {
    let named = rows_at(figure, panel, &panel.held, rows)?;
    for algorithm in panel.names() {
        for (by, _) in named.keys().filter(|(_, name)| *name == algorithm) {
            let preferred = figure.by.is_none().then(|| look_of(algorithm));
            looks.assign(&label(figure, panel, by.as_ref(), algorithm), preferred);
        }
    }
    Ok(())
}

/// The curves of a panel, and the names of those for which no look was free.
fn curves<'a>(
    figure: &Lines,
    panel: &Panel,
    named: &Named<'a>,
    looks: &mut Looks,
) -> (Vec<Curve<'a>>, Vec<String>) {
    let (mut curves, mut crowded): (Vec<Curve<'a>>, Vec<String>) = Default::default();
    let of = |algorithm| {
        named
            .iter()
            .filter(move |((_, name), _)| *name == algorithm)
    };
    for (key, rows) in panel.names().flat_map(of) {
        let label = label(figure, panel, key.0.as_ref(), key.1);
        let points = points(panel, rows, |x| reference(panel, named, key.0.as_ref(), x));
        if points.is_empty() {
            continue;
        }
        let Some(look) = looks.assign(&label, None) else {
            crowded.push(label);
            continue;
        };
        // The ring of a reference leaves the marker inside it visible.
        let alike = |curve: &&mut Curve<'_>| {
            curve.points == points && ![curve.look, look].contains(&Look::REFERENCE)
        };
        match curves.iter_mut().find(alike) {
            Some(curve) => {
                curve.label = format!("{} = {label}", curve.label);
                curve.keys.push(key.clone());
            }
            None => curves.push(Curve {
                label,
                keys: vec![key.clone()],
                look,
                rows: rows.clone(),
                points,
            }),
        }
    }
    (curves, crowded)
}

impl<'a> Drawn<'a> {
    /// The series of a panel.
    ///
    /// # Errors
    /// No algorithm of the panel has a row.
    pub fn new(
        figure: &Lines,
        panel: &'a Panel,
        rows: &'a Rows,
        looks: &mut Looks,
    ) -> Result<Self, Undrawn> {
        let named = rows_at(figure, panel, &panel.held, rows)?;
        let (curves, crowded) = curves(figure, panel, &named, looks);
        let edges = panel.held_and_edges().split_off(1);
        let edges: Vec<Named<'_>> = edges
            .iter()
            .map(|held| rows_at(figure, panel, held, rows))
            .collect::<Result<_, _>>()?;
        let Some(first) = curves.iter().find_map(|curve| curve.rows.values().next()) else {
            return Err(undrawn(figure, panel, &named));
        };
        let has_line = |name: &&str| panel.names().any(|own| own == *name);
        let is_reference =
            |name: &&str| matches!(panel.over, Some(Over::Algorithm(over)) if over == *name);
        let unnamed = named
            .keys()
            .map(|(_, name)| *name)
            .filter(|name| !has_line(name) && !is_reference(name));
        let is_missing = |name: &&str| {
            crowded.is_empty()
                && curves
                    .iter()
                    .flat_map(Curve::names)
                    .all(|drawn| drawn != *name)
        };
        Ok(Self {
            heading: heading(figure, panel, first),
            unit: if first.unit == "ns" {
                "ns"
            } else {
                first.problem.unit(&[]).word()
            },
            behind: {
                let table = figure.table.as_ref().and_then(|name| rows.tables.get(name));
                let mut behind = behind(figure, panel, &named, &curves, looks);
                behind.extend(
                    table
                        .into_iter()
                        .flat_map(|table| measured(&curves, table, looks)),
                );
                behind
            },
            before: if panel.has(Beside::Simulated) {
                curves.iter().filter_map(simulated).collect()
            } else {
                vec![]
            },
            bands: bands(panel, &edges, &curves),
            machines: machines(figure, panel, &named, &edges),
            unnamed: unnamed.collect(),
            missing: panel.names().filter(is_missing).collect(),
            asked: asked(panel, &named),
            undefined: undefined(figure, panel, rows),
            crowded,
            panel,
            curves,
        })
    }

    /// The curves as series. Points of an excess are not joined, because it jumps between them. Nor are points with
    /// others missing in between, as of an algorithm for powers of two; the name of these says how many there are.
    fn lines(&self) -> impl Iterator<Item = Series> {
        let all: BTreeSet<u64> = self
            .curves
            .iter()
            .flat_map(|curve| &curve.points)
            .map(|point| point.0)
            .collect();
        let line = move |curve: &Curve<'_>| {
            let (first, last) = (
                curve.points.first().map_or(0, |p| p.0),
                curve.points.last().map_or(0, |p| p.0),
            );
            let is_dot = curve.points.len() == 1 && all.len() > 1;
            let is_whole =
                !is_dot && curve.points.len() * 10 >= all.range(first..=last).count() * 9;
            let series = series(&curve.label, curve.look, &curve.points)?;
            let is_joined = self.panel.y != Quantity::Excess && !self.panel.has(Beside::Predicted);
            if !is_joined || !is_whole {
                let (some, all) = (curve.points.len(), all.len());
                let label = if is_joined {
                    format!("{} (at {some} of {all})", curve.label)
                } else {
                    series.label
                };
                return Some(Series {
                    label,
                    markers: Markers::Every(1),
                    line: Join::None,
                    ..series
                });
            }
            let is_marked = self.before.iter().any(|points| points.look == curve.look);
            Some(Series {
                markers: if is_marked {
                    Markers::None
                } else {
                    series.markers
                },
                ..series
            })
        };
        self.curves.iter().filter_map(line)
    }

    /// The interval of each median.
    fn intervals(&self) -> impl Iterator<Item = Series> {
        let medians = self
            .curves
            .iter()
            .filter(|_| self.panel.y == Quantity::Median && self.panel.over.is_none());
        let interval = |(&x, row, look): (&u64, &Row, Look)| {
            let ends = row.measured.as_ref().map(|row| [row.low_ns, row.high_ns])?;
            let points = ends.map(|ns| (coordinate(x), coordinate(ns))).to_vec();
            Some(Series {
                label: String::new(),
                look,
                points,
                markers: Markers::None,
                line: Join::Interval,
            })
        };
        medians
            .flat_map(|curve| curve.rows.iter().map(|(x, row)| (x, *row, curve.look)))
            .filter_map(interval)
    }

    /// All series in drawing order, the last on top.
    pub fn series(&self) -> Vec<Series> {
        let behind = self.behind.iter().cloned().chain(self.intervals());
        behind
            .chain(self.lines())
            .chain(self.before.iter().cloned())
            .collect()
    }
}

/// The values of the axes drawn at which the algorithms of a panel have rows with a cost.
fn asked(panel: &Panel, named: &Named<'_>) -> u64 {
    let own = named
        .iter()
        .filter(|((_, name), _)| panel.names().any(|own| own == *name));
    let all: BTreeSet<(&Option<Held>, u64)> = own
        .flat_map(|((by, _), rows)| rows.keys().map(move |x| (by, *x)))
        .collect();
    all.len() as u64
}

/// The rows of the algorithms of a panel where these are not defined and another one is.
fn undefined<'a>(figure: &Lines, panel: &Panel, rows: &'a Rows) -> Vec<&'a Row> {
    let filters = figure.filters_at(panel, &panel.held);
    let is_own = |row: &&Row| {
        panel.names().any(|own| own == row.algorithm)
            && filters.iter().any(|filter| filter.takes(row))
    };
    let undefined = rows
        .undefined
        .iter()
        .filter(|_| figure.measurements.is_none())
        .filter(is_own);
    let along = |row: &Row| {
        (
            select::along(row, figure.x),
            figure.by.and_then(|by| select::along(row, by)),
        )
    };
    let drawn: BTreeSet<_> = rows.points.iter().filter(is_own).map(along).collect();
    let mut known = BTreeSet::new();
    undefined
        .filter(|row| drawn.contains(&along(row)) && known.insert((&row.algorithm, along(row))))
        .collect()
}

/// Why no algorithm of a panel has a point.
fn undrawn(figure: &Lines, panel: &Panel, named: &Named<'_>) -> Undrawn {
    let names: Vec<&'static str> = panel.names().collect();
    let rows = || {
        named
            .iter()
            .filter(|((_, name), _)| names.contains(name))
            .flat_map(|(_, rows)| rows.iter())
    };
    let title = panel.y.title();
    let listed = format!("`{}`", names.join("`, `"));
    if rows().next().is_none() {
        let values = select::words(&panel.held, figure.axes(), figure.on_machine());
        let at = if values.is_empty() {
            String::new()
        } else {
            format!(" at {}", values.join(", "))
        };
        return Undrawn::Missing {
            what: format!("{listed} along {}{at}", figure.x),
            names,
            held: panel.held.clone(),
        };
    }
    let why = "it is missing, or 0, which has no ratio and no place on a logarithmic scale";
    Undrawn::Empty(format!(
        "the rows of {listed} have no {title} to draw: {why}; draw another column, or change `over` or `log`"
    ))
}

/// A line with a dozen markers; none without points.
fn series(label: &str, look: Look, points: &[(u64, f64)]) -> Option<Series> {
    let stride = points.len().div_ceil(12).max(1);
    let points: Vec<_> = points.iter().map(|&(x, y)| (coordinate(x), y)).collect();
    let markers = Markers::Every(stride);
    (!points.is_empty()).then(|| Series {
        label: label.to_owned(),
        look,
        points,
        markers,
        line: Join::Solid,
    })
}

/// The value of a column in a row.
pub fn value(row: &Row, column: Quantity) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "only to draw")]
    let wide = |value: u128| value as f64;
    match column {
        Quantity::Cost => cost(row).and_then(rounded),
        Quantity::Analytic => row.analytic.as_ref().and_then(rounded),
        Quantity::Simulated => row.simulated.as_ref().and_then(rounded),
        Quantity::Published => row.published.as_ref().map(|(value, _)| wide(*value)),
        Quantity::LowerBound => row.lower_bound.as_ref().and_then(rounded),
        Quantity::Median => row
            .measured
            .as_ref()
            .map(|measured| coordinate(measured.median_ns)),
        Quantity::Excess => {
            let (cost, bound) = (cost(row)?, row.lower_bound.as_ref()?);
            // Two fractions that are equal may round to different floats.
            if cost == bound {
                Some(0.0)
            } else {
                Some(rounded(cost)? - rounded(bound)?)
            }
        }
    }
}

/// The analytic cost, or the simulated one where there is no formula.
pub fn cost(row: &Row) -> Option<&Exact> {
    row.analytic.as_ref().or(row.simulated.as_ref())
}

/// The divisor of the values at x, if they are divided.
fn reference(panel: &Panel, named: &Named<'_>, by: Option<&Held>, x: u64) -> Option<f64> {
    match panel.over? {
        Over::LowerBound => None,
        Over::Algorithm(name) => {
            let column = if panel.y == Quantity::Median {
                Quantity::Median
            } else {
                Quantity::Cost
            };
            value(named.get(&(by.cloned(), name))?.get(&x)?, column)
        }
    }
}

/// The points of a series, without those at 0 on a logarithmic axis and without ratios to 0.
fn points(
    panel: &Panel,
    own: &BTreeMap<u64, &Row>,
    reference: impl Fn(u64) -> Option<f64>,
) -> Vec<(u64, f64)> {
    let point = |(&x, row): (&u64, &&Row)| {
        let own = value(row, panel.y)?;
        let y = match panel.over {
            None => own,
            Some(Over::LowerBound) => {
                own / value(row, Quantity::LowerBound).filter(|bound| *bound > 0.0)?
            }
            Some(Over::Algorithm(_)) => own / reference(x).filter(|cost| *cost > 0.0)?,
        };
        let is_on_scale = (x > 0 || !panel.is_log(Side::X)) && (y > 0.0 || !panel.is_log(Side::Y));
        is_on_scale.then_some((x, y))
    };
    own.iter().filter_map(point).collect()
}

/// Lower bounds and published costs, where the curves have points.
fn behind(
    figure: &Lines,
    panel: &Panel,
    named: &Named<'_>,
    curves: &[Curve<'_>],
    looks: &mut Looks,
) -> Vec<Series> {
    let mut behind = Vec::new();
    if panel.has(Beside::LowerBound) {
        behind.extend(bounds(figure, panel, curves, looks));
    }
    if panel.has(Beside::Predicted) {
        behind.extend(curves.iter().flat_map(predicted));
    }
    if panel.has(Beside::Published) {
        for curve in curves {
            for key in &curve.keys {
                let label = label(figure, panel, key.0.as_ref(), key.1);
                behind.extend(
                    named
                        .get(key)
                        .into_iter()
                        .flat_map(|rows| published(panel, &label, rows, curve.look, looks)),
                );
            }
        }
    }
    behind
}

/// The points of another column than that of the panel.
fn others(panel: &Panel, column: Quantity, rows: &BTreeMap<u64, &Row>) -> Vec<(u64, f64)> {
    points(
        &Panel {
            y: column,
            over: None,
            ..panel.clone()
        },
        rows,
        |_| None,
    )
}

/// A bound for each problem and each value of the axis `by`.
fn bounds(figure: &Lines, panel: &Panel, curves: &[Curve<'_>], looks: &mut Looks) -> Vec<Series> {
    let mut bounds: BTreeMap<(Option<&Held>, &str), BTreeMap<u64, &Row>> = BTreeMap::new();
    for curve in curves {
        for (x, row) in &curve.rows {
            let kept = bounds
                .entry((curve.by(), row.problem.name()))
                .or_default()
                .entry(*x)
                .or_insert(row);
            if row.value("trials") > kept.value("trials") {
                *kept = row;
            }
        }
    }
    let is_one = panel.problems().len() == 1;
    let bound = |((by, problem), rows): (&(Option<&Held>, &str), &BTreeMap<u64, &Row>)| {
        let of = by
            .map(|by| label(figure, panel, Some(by), problem))
            .or((!is_one).then(|| (*problem).to_owned()));
        let label = of.map_or_else(
            || "lower bound".to_owned(),
            |of| format!("lower bound, {of}"),
        );
        let look = looks.reference(&label);
        let bound = series(&label, look, &others(panel, Quantity::LowerBound, rows))?;
        // Other markers would cover the curves that meet the bound.
        let markers = if look == Look::REFERENCE {
            bound.markers
        } else {
            Markers::None
        };
        Some(Series {
            markers,
            line: Join::Dashed,
            ..bound
        })
    };
    bounds.iter().filter_map(bound).collect()
}

/// Whether the two predictions differ by more than the width of a line.
pub fn shares_links(row: &SummaryRow) -> bool {
    row.model_ns
        .zip(row.predicted_ns())
        .is_some_and(|(model, predicted)| off(model, predicted).abs() > 0.005)
}

/// The best prediction of measured times, and LogP's where it differs.
fn predicted(curve: &Curve<'_>) -> Vec<Series> {
    let line = |label: String, line: Join, time: &dyn Fn(&SummaryRow) -> Option<u64>| {
        let point = |(&x, row): (&u64, &&Row)| Some((x, coordinate(time(row.measured.as_ref()?)?)));
        let points: Vec<(u64, f64)> = curve.rows.iter().filter_map(point).collect();
        Some(Series {
            markers: Markers::None,
            line,
            ..series(&label, curve.look, &points)?
        })
    };
    let is_shared = curve
        .rows
        .values()
        .filter_map(|row| row.measured.as_deref())
        .any(shares_links);
    let logp = || {
        line(format!("{}, LogP", curve.label), Join::Dashed, &|row| {
            row.model_ns
        })
    };
    let logp = is_shared.then(logp).flatten();
    logp.into_iter()
        .chain(line(String::new(), Join::Solid, &SummaryRow::predicted_ns))
        .collect()
}

/// The costs that the paper states, a series for each relation to the cost.
fn published(
    panel: &Panel,
    label: &str,
    rows: &BTreeMap<u64, &Row>,
    look: Look,
    looks: &mut Looks,
) -> Vec<Series> {
    let relation = |row: &Row| row.published.as_ref().map(|published| published.1.clone());
    let relations: BTreeSet<String> = rows.values().filter_map(|row| relation(row)).collect();
    let drawn = |own: &String| {
        let label = format!("{label}, {}", stated(own));
        let rows = rows
            .iter()
            .filter(|(_, row)| relation(row).as_ref() == Some(own));
        let points = others(
            panel,
            Quantity::Published,
            &rows.map(|(&x, &row)| (x, row)).collect(),
        );
        series(&label, looks.beside(&label, look), &points)
    };
    relations.iter().filter_map(drawn).collect()
}

/// What a published number is to the cost, by the relation of the cost to it.
fn stated(relation: &str) -> &'static str {
    match relation {
        "<=" => "published upper bound",
        "<" => "published strict upper bound",
        ">=" => "published lower bound",
        _ => "published",
    }
}

/// Simulated costs as points on a line.
fn simulated(curve: &Curve<'_>) -> Option<Series> {
    // Without expectations the curve itself is simulated.
    let is_known = curve.rows.values().all(|row| row.analytic.is_some());
    let known = curve.rows.iter().filter(|_| is_known);
    let points: Vec<(u64, f64)> = known
        .filter_map(|(&x, row)| Some((x, value(row, Quantity::Simulated)?)))
        .collect();
    let stride = points.len().div_ceil(16).max(1);
    let series = series(&format!("{}, simulated", curve.label), curve.look, &points)?;
    Some(Series {
        markers: Markers::Every(stride),
        line: Join::None,
        ..series
    })
}

/// The times of a table at the points of each curve.
fn measured(curves: &[Curve<'_>], table: &Table, looks: &mut Looks) -> Vec<Series> {
    let times = |curve: &Curve<'_>| {
        let times = curve
            .rows
            .iter()
            .flat_map(|(&x, row)| table.times(row).iter().map(move |&ns| (x, coordinate(ns))));
        let label = format!("{}, measured", curve.label);
        let series = series(
            &label,
            looks.beside(&label, curve.look),
            &times.collect::<Vec<_>>(),
        )?;
        Some(Series {
            markers: Markers::Every(1),
            line: Join::None,
            ..series
        })
    };
    curves.iter().filter_map(times).collect()
}

/// The area behind each line, except references.
fn bands(panel: &Panel, edges: &[Named<'_>], curves: &[Curve<'_>]) -> Vec<chart::Band> {
    let [low, high] = edges else {
        return Vec::new();
    };
    let own = |named: &Named<'_>, curve: &Curve<'_>| -> Vec<(u64, f64)> {
        let rows = curve.keys.iter().find_map(|key| named.get(key));
        rows.map(|rows| points(panel, rows, |x| reference(panel, named, curve.by(), x)))
            .unwrap_or_default()
    };
    let band = |curve: &Curve<'_>| {
        let (low, high) = (own(low, curve), own(high, curve));
        let high: BTreeMap<u64, f64> = high.into_iter().collect();
        let edges = low
            .into_iter()
            .filter_map(|(x, low)| Some((coordinate(x), low, *high.get(&x)?)));
        chart::Band {
            edges: edges.collect(),
            look: curve.look,
        }
    };
    curves
        .iter()
        .filter(|curve| curve.look != Look::REFERENCE)
        .map(band)
        .collect()
}

/// The text above a panel: its own, or the values in which it differs, or the column.
fn heading(figure: &Lines, panel: &Panel, row: &Row) -> String {
    let axes = || figure.axes().filter(|axis| figure.own().contains(axis.key));
    // A panel without a value of its own has the default; sizes are those of messages on a machine.
    let default = |axis: &Axis| {
        axis.default
            .filter(|_| axis.kind != Kind::Bytes || row.machine.is_some())
    };
    let value = |axis: &Axis| {
        panel
            .held
            .get(axis.key)
            .cloned()
            .or(default(axis).map(Held::Number))
    };
    let mut held: HeldAxes = axes()
        .filter_map(|axis| Some((axis.key, value(axis)?)))
        .collect();
    let machine = row
        .machine
        .as_ref()
        .filter(|_| held.remove(select::MACHINE).is_some());
    let machine = machine.map(|(name, basis)| format!("{basis}: {name}"));
    let parts: Vec<String> = machine
        .into_iter()
        .chain(select::words(&held, axes(), figure.on_machine()))
        .collect();
    let made = if parts.is_empty() && figure.panels.len() > 1 {
        panel.y.title().to_owned()
    } else {
        parts.join(", ")
    };
    panel.heading.clone().unwrap_or(made)
}

/// The parameters of a panel's machine at the message sizes drawn, and the names of the machines of its band.
fn machines(
    figure: &Lines,
    panel: &Panel,
    named: &Named<'_>,
    edges: &[Named<'_>],
) -> Option<String> {
    let own: Vec<&Row> = named.values().flat_map(BTreeMap::values).copied().collect();
    let machine = own
        .first()?
        .machine()
        .filter(|_| panel.held.contains_key(select::MACHINE))?;
    let edge = |named: &Named<'_>| {
        Some(
            named
                .values()
                .find_map(|rows| rows.values().next())?
                .machine()?
                .to_owned(),
        )
    };
    let edges: Vec<String> = edges.iter().filter_map(edge).collect();
    let band = if edges.is_empty() {
        String::new()
    } else {
        format!("; bands: {}", edges.join(" to "))
    };
    let parameters = parameters(figure, &own);
    (!parameters.is_empty()).then(|| format!("{machine}{parameters}{band}."))
}

/// ` at 1 MiB: L = 160.6 ms, g = 89.1 ms`: the times of a machine in these rows. They depend on the message size, so a
/// time that differs between the rows is a range.
fn parameters(figure: &Lines, rows: &[&Row]) -> String {
    let range = |axis: &Axis| {
        let values: BTreeSet<u64> = rows.iter().filter_map(|row| row.value(axis.key)).collect();
        let show = |value: &u64| Held::Number(*value).show(axis, true);
        let (first, last) = (values.first()?, values.last()?);
        Some(if first == last {
            show(first)
        } else {
            format!("{} to {}", show(first), show(last))
        })
    };
    let is_time = |axis: &&Axis| select::unit(axis, true) == "ns";
    let times = figure
        .axes()
        .filter(is_time)
        .filter_map(|axis| Some(format!("{} = {}", axis.key, range(axis)?)));
    let times: Vec<String> = times.collect();
    let sizes = figure
        .axes()
        .find(|axis| axis.kind == Kind::Bytes)
        .and_then(range);
    let sizes = sizes.map_or_else(String::new, |sizes| format!(" at {sizes}"));
    if times.is_empty() {
        String::new()
    } else {
        format!("{sizes}: {}", times.join(", "))
    }
}
