//! The series of one panel: their rows, and what is drawn of them.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::cost::Exact;
use algorithms::problem::{Axis, Kind};

use super::looks::{Looks, look_of};
use super::select::{self, Held, HeldAxes};
use super::spec::{Layer, Over, Panel, Quantity, Rows, Side, Spec, coordinate};
use super::strokes;
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::joined;
use crate::draw::chart::style::{Look, Marker};
use crate::draw::chart::{Band, Join, Series};
use crate::figures::table::Table;
use crate::record::measurement::{Algorithm, SummaryRow, off};
use crate::record::{Row, rounded};
use crate::space::Key;

/// The value of the axis `by` and the algorithm of a series.
type Name = (Option<Held>, &'static str);

/// Values drawn, by that on the axis drawn along.
pub type Points = BTreeMap<u64, f64>;

/// Rows by their value on the axis drawn along.
type Along<'a> = BTreeMap<u64, &'a Row>;

/// The most values for which each one has a tick.
pub const MOST_TICKS: usize = 6;

/// Algorithms whose values are the same at every point, drawn as one series.
pub struct Curve<'a> {
    /// Its name in the legend.
    pub label: String,
    keys: Vec<Name>,
    /// Its colour and marker.
    pub look: Look,
    /// Its rows.
    pub rows: Along<'a>,
    /// The value drawn of each row that has one.
    pub points: Points,
}

impl Curve<'_> {
    /// The algorithms.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|(_, name)| *name)
    }

    /// The values of the axis at which it has a point.
    pub fn xs(&self) -> impl Iterator<Item = u64> {
        self.points.keys().copied()
    }

    pub fn by(&self) -> Option<&Held> {
        self.keys.first().and_then(|(by, _)| by.as_ref())
    }

    /// A value of each row that has one.
    fn values(&self, value: impl Fn(u64, &Row) -> Option<f64>) -> Points {
        self.rows
            .iter()
            .filter_map(|(&x, row)| Some((x, value(x, row)?)))
            .collect()
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
    /// All series in drawing order, the last on top: bounds and other costs, the curves, simulated costs.
    pub series: Vec<Series>,
    /// The ratios of reduce-scatter and allgather, if they are drawn.
    pub halves: Points,
    /// Whether simulated costs are points on the lines.
    pub is_simulated: bool,
    /// The areas behind everything.
    pub bands: Vec<Band>,
    /// The lines that are areas, each with the number of values that are one.
    pub thickets: Vec<String>,
    /// Whether its values are few and stand apart, with bars in place of areas.
    pub is_apart: bool,
    /// What areas and bars are.
    pub area: Option<(String, Look)>,
    /// The unit of the rows.
    pub unit: &'static str,
    /// The parameters of the panel's machine at its message sizes, and the names of the machines of its band.
    pub machines: Option<String>,
    /// Algorithms that have rows here and no line.
    pub unnamed: BTreeSet<&'static str>,
    /// Algorithms that should have a line and have no rows.
    pub missing: Vec<&'static str>,
    /// Algorithms that should have a line and have values only where none can be drawn, each behind the reason.
    pub pointless: Vec<(String, &'static str)>,
    /// Series for which no look was free.
    pub crowded: Vec<String>,
    /// The rows of its algorithms where these are not defined.
    pub undefined: Vec<&'a Row>,
    /// How many rows of its algorithms there are, with these.
    pub asked: u64,
    /// The values of the axis at which a row has a value and no point, each behind the reason.
    pub lost: Vec<(String, u64)>,
}

impl<'a> Drawn<'a> {
    /// The rows drawn.
    pub fn rows(&self) -> impl Iterator<Item = &'a Row> + Clone {
        self.curves
            .iter()
            .flat_map(|curve| curve.rows.values().copied())
    }

    /// The values of the axis at which it has points.
    pub fn xs(&self) -> BTreeSet<u64> {
        self.curves.iter().flat_map(Curve::xs).collect()
    }
}

/// The rows of a panel at the values held, of any algorithm.
struct Part<'a> {
    spec: &'a Spec,
    panel: &'a Panel,
    named: BTreeMap<Name, Along<'a>>,
}

/// The panels with their rows.
///
/// # Errors
/// A panel has no point, or measurements that the figure cannot distinguish.
pub fn drawn<'a>(spec: &'a Spec, rows: &'a Rows) -> Result<Vec<Drawn<'a>>> {
    let part = |panel: &'a Panel| Part::new(spec, panel, &panel.held, rows);
    let parts = spec
        .panels
        .iter()
        .map(part)
        .collect::<Result<Vec<_>, _>>()?;
    // All algorithms have their looks before bounds and published costs take theirs.
    let mut looks = Looks::default();
    let keys = |part: &Part<'a>| {
        let keys = part.panel.names().flat_map(|name| part.keys_of(name));
        let preferred = |key: &Name| spec.by.is_none().then(|| look_of(key.1));
        keys.map(|key| (part.label(key), preferred(key)))
            .collect::<Vec<_>>()
    };
    let all: Vec<_> = parts.iter().flat_map(keys).collect();
    looks.assign_all(&all);
    parts
        .iter()
        .map(|part| part.drawn(&parts, rows, &mut looks))
        .collect()
}

impl<'a> Part<'a> {
    /// Of rows that differ only in `trials`, the row with the most.
    fn new(spec: &'a Spec, panel: &'a Panel, held: &HeldAxes, rows: &'a Rows) -> Result<Self> {
        let takes = spec.filter_at(panel, held);
        let by = spec.by.and_then(|key| spec.axis(key));
        let mut named: BTreeMap<Name, Along<'a>> = BTreeMap::new();
        for row in spec.rows(rows).iter().filter(|row| takes(row)) {
            // An algorithm of a configuration that is not given, or a file that was edited by hand.
            let algorithm = Algorithm::find(&row.algorithm);
            let Some((x, algorithm)) = spec.along(row, spec.x).zip(algorithm) else {
                continue;
            };
            let name = algorithm.name();
            let known = named
                .entry((by.and_then(|axis| Held::from_row(row, axis)), name))
                .or_default();
            let kept = known
                .get(&x)
                .filter(|kept| row.value("trials") <= kept.value("trials"));
            let Some(&kept) = kept else {
                known.insert(x, row);
                continue;
            };
            let is_read =
                panel.names().any(|own| own == name) || panel.over_algorithm() == Some(name);
            if row.measured.is_some() && is_read {
                let keys = spec
                    .axes()
                    .filter(|axis| Held::from_row(row, axis) != Held::from_row(kept, axis))
                    .map(|axis| axis.key);
                let along = spec.x;
                let keys = joined(", ", keys);
                return Err(spec.refused(Code::Configuration, format_args!(
                    "several measurements of {name} at {along} = {x} differ in {keys}; hold that with `at`, or draw it with `x` or `by`"
                )));
            }
        }
        Ok(Self { spec, panel, named })
    }

    /// The series of an algorithm.
    fn keys_of(&self, algorithm: &'static str) -> impl Iterator<Item = &Name> {
        self.named
            .keys()
            .filter(move |(_, name)| *name == algorithm)
    }

    /// All rows of all series.
    fn rows(&self) -> impl Iterator<Item = &'a Row> {
        self.named.values().flat_map(BTreeMap::values).copied()
    }

    /// The name of a series: the algorithm, the value of the axis that tells the series apart, or both.
    fn label(&self, (by, algorithm): &Name) -> String {
        self.label_of(by.as_ref(), self.spec.short(algorithm))
    }

    fn label_of(&self, by: Option<&Held>, algorithm: &str) -> String {
        let (Some(key), Some(held)) = (self.spec.by, by) else {
            return algorithm.to_owned();
        };
        let text = self.spec.show(key, held);
        let value = match held {
            Held::Name(_) => text,
            Held::Number(_) => format!("{key} = {text}"),
        };
        match self.panel.algorithms[..] {
            [_] => value,
            _ => format!("{algorithm}, {value}"),
        }
    }

    /// What the values of a row with this value of `by` are divided by.
    fn divisor(&self, x: u64, row: &Row, by: Option<&Held>) -> Option<f64> {
        let column = self.panel.divisor();
        match self.panel.over {
            None => Some(1.0),
            Some(Over::LowerBound) => value(row, column),
            Some(Over::Algorithm(name)) => {
                value(self.named.get(&(by.cloned(), name))?.get(&x)?, column)
            }
        }
    }

    /// Why a row of a series with a value there has no point.
    fn why_lost(&self, x: u64, row: &Row, by: Option<&Held>) -> String {
        let over = self.panel.over_algorithm();
        let column = self.panel.divisor();
        let what = match over {
            Some(name) => format!("{} of {}", column.title(), self.spec.short(name)),
            None => column.title().to_owned(),
        };
        match (over, self.divisor(x, row, by)) {
            (_, None) => format!("no {what} is known there"),
            (Some(_), Some(divisor)) if divisor <= 0.0 => format!("the {what} is 0 there"),
            _ => "0 has no ratio and no place on a log scale".to_owned(),
        }
    }

    /// The values of the axis at which a row of a series has a value and no point, each behind the reason.
    fn lost(&self, key: &Name) -> impl Iterator<Item = (String, u64)> {
        let rows = &self.named[key];
        let by = key.0.as_ref();
        let drawn = self.points(rows, by, self.panel.y);
        rows.iter()
            .filter(|(_, row)| value(row, self.panel.y).is_some())
            .filter(move |(x, _)| !drawn.contains_key(x))
            .map(move |(x, row)| (self.why_lost(*x, row, by), *x))
    }

    /// The points of a column of rows with this value of `by`, divided as the panel asks; without those at 0 on a
    /// logarithmic axis and without ratios to 0.
    fn points(&self, rows: &Along<'_>, by: Option<&Held>, column: Quantity) -> Points {
        let panel = self.panel;
        rows.iter()
            .filter_map(|(&x, row)| {
                let divisor = self.divisor(x, row, by).filter(|divisor| *divisor > 0.0)?;
                let y = value(row, column)? / divisor;
                let is_on_scale =
                    (x > 0 || !panel.is_log(Side::X)) && (y > 0.0 || !panel.is_log(Side::Y));
                is_on_scale.then_some((x, y))
            })
            .collect()
    }

    /// The points of a series of this panel.
    fn own(&self, key: &Name) -> Option<Points> {
        let rows = self.named.get(key)?;
        self.panel
            .names()
            .any(|name| name == key.1)
            .then(|| self.points(rows, key.0.as_ref(), self.panel.y))
    }

    /// The curves, and the names of those for which no look was free. Series that are equal in all panels are one.
    fn curves(&self, all: &[Self], looks: &mut Looks) -> (Vec<Curve<'a>>, Vec<String>) {
        let (mut curves, mut crowded): (Vec<Curve<'a>>, Vec<String>) = Default::default();
        for key in self.panel.names().flat_map(|name| self.keys_of(name)) {
            let label = self.label(key);
            let rows = &self.named[key];
            let points = self.points(rows, key.0.as_ref(), self.panel.y);
            if points.is_empty() {
                continue;
            }
            let Some(look) = looks.assign(&label, None) else {
                crowded.push(label);
                continue;
            };
            let is_equal = |part: &Self, other: &Name| {
                part.own(key)
                    .zip(part.own(other))
                    .is_none_or(|(one, other)| one == other)
            };
            match curves.iter_mut().find(|curve| {
                curve.points == points
                    && all
                        .iter()
                        .all(|part| curve.keys.iter().all(|other| is_equal(part, other)))
            }) {
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

    fn drawn(&self, all: &[Self], rows: &'a Rows, looks: &mut Looks) -> Result<Drawn<'a>> {
        let spec = self.spec;
        let panel = self.panel;
        let (curves, crowded) = self.curves(all, looks);
        let mut edges = Vec::new();
        for held in panel.edges() {
            let edge = Part::new(spec, panel, &held, rows)?;
            if edge.named.is_empty() {
                let what = format!("the edge of a band at {}", spec.words(&held).join(", "));
                return Err(spec.missing(rows, panel, &what));
            }
            edges.push(edge);
        }
        let Some(first) = curves.iter().find_map(|curve| curve.rows.values().next()) else {
            return Err(self.undrawn(rows));
        };
        let own: BTreeSet<&str> = panel.names().collect();
        let is_other =
            |name: &&'static str| !own.contains(name) && panel.over_algorithm() != Some(*name);
        let drawn: BTreeSet<&str> = curves.iter().flat_map(Curve::names).collect();
        let undefined = self.undefined(rows);
        let is_named = |name: &str| undefined.iter().any(|row| row.algorithm == name);
        let mut missing = Vec::new();
        let mut pointless = Vec::new();
        for name in panel
            .names()
            .filter(|name| crowded.is_empty() && !drawn.contains(name))
        {
            match self.keys_of(name).find_map(|key| self.lost(key).next()) {
                Some((why, _)) => pointless.push((why, name)),
                None if !is_named(name) => missing.push(name),
                None => {}
            }
        }
        let all = self
            .named
            .iter()
            .filter(|((_, name), _)| own.contains(name))
            .flat_map(|((by, _), rows)| rows.keys().map(move |x| (by, *x)));
        let simulated: Vec<Series> = curves
            .iter()
            .filter_map(|curve| self.simulated(curve))
            .collect();
        let is_simulated = !simulated.is_empty();
        let mut series = self.behind(&curves, looks);
        let xs: BTreeSet<u64> = curves.iter().flat_map(Curve::xs).collect();
        let xs: Vec<f64> = xs.into_iter().map(coordinate).collect();
        let table = spec.table.as_ref().and_then(|name| rows.tables.get(name));
        if let Some(table) = table {
            series.extend(measured(&curves, table, looks));
        }
        series.extend(curves.iter().flat_map(|curve| self.intervals(curve)));
        let mut bands = self.bands(&edges, &curves);
        if self.is_apart() {
            let bar = |look, (x, low, high)| Series {
                label: String::new(),
                look,
                points: vec![(x, low), (x, high)],
                markers: None,
                line: Join::Interval,
            };
            for Band { edges, look } in std::mem::take(&mut bands) {
                series.extend(edges.into_iter().map(|edge| bar(look, edge)));
            }
        }
        series.extend(self.lines(&curves, &simulated));
        let mut series = strokes::drawn(series.into_iter().chain(simulated).collect(), &xs);
        let mut thickets = Vec::new();
        for own in &mut series {
            if let Some((band, count)) = strokes::thinned(own) {
                bands.push(band);
                thickets.push(format!("{} ({count} values)", own.label));
            }
        }
        let area = self.area(&series, &bands);
        Ok(Drawn {
            area,
            heading: self.heading(first),
            is_apart: self.is_apart(),
            unit: match &*first.unit {
                "ns" => "ns",
                _ => first.problem.unit(&[]).word(),
            },
            halves: self.on_networks(&curves, &Layer::Halves),
            is_simulated,
            series,
            bands,
            thickets,
            machines: self.machines(&edges),
            unnamed: self
                .named
                .keys()
                .map(|(_, name)| *name)
                .filter(is_other)
                .collect(),
            missing,
            pointless,
            asked: all.collect::<BTreeSet<_>>().len() as u64,
            undefined,
            lost: curves
                .iter()
                .flat_map(|curve| self.lost(&curve.keys[0]))
                .collect(),
            crowded,
            panel,
            curves,
        })
    }

    /// The rows of its algorithms where these failed, or are not defined and another one is.
    fn undefined(&self, rows: &'a Rows) -> Vec<&'a Row> {
        let spec = self.spec;
        let panel = self.panel;
        let takes = spec.filter_at(panel, &panel.held);
        let is_own = |row: &&Row| {
            panel.names().any(|own| own == row.algorithm)
                && spec.along(row, spec.x).is_some()
                && takes(row)
        };
        let along = |row: &Row| {
            let by = spec.by.and_then(|by| spec.along(row, by));
            (spec.along(row, spec.x), by)
        };
        let undefined = rows
            .undefined
            .iter()
            .filter(|_| spec.measurements.is_none());
        let drawn: BTreeSet<_> = rows.points.iter().filter(is_own).map(along).collect();
        let mut known = BTreeSet::new();
        undefined
            .filter(is_own)
            .filter(|row| row.failure().is_some() || drawn.contains(&along(row)))
            .filter(|row| known.insert((&row.algorithm, along(row))))
            .collect()
    }

    /// Why no algorithm has a point.
    fn undrawn(&self, rows: &Rows) -> Failure {
        let spec = self.spec;
        let panel = self.panel;
        let names: Vec<&'static str> = panel.names().collect();
        let has = |names: &[&str]| self.named.keys().any(|(_, name)| names.contains(name));
        let over = panel.over_algorithm().filter(|over| !has(&[*over]));
        let listed = format!("`{}`", joined("`, `", &names));
        let lacking = match over {
            _ if !has(&names) => Some(listed.clone()),
            over => over.map(|over| format!("`{over}`")),
        };
        if let Some(lacking) = lacking {
            let values = spec.words(&panel.held);
            let before = if values.is_empty() { "" } else { " at " };
            let values = values.join(", ");
            let what = format!("{lacking} along {}{before}{values}", spec.x);
            return spec.missing(rows, panel, &what);
        }
        let title = panel.y.title();
        let (why, advice) = if panel.over.is_none() && panel.log.is_empty() {
            ("it is missing", "draw another column")
        } else {
            (
                "it is missing, or 0, which has no ratio and no place on a logarithmic scale",
                "draw another column, or change `over` or `log`",
            )
        };
        let why = format_args!("the rows of {listed} have no {title} to draw: {why}; {advice}");
        spec.refused(Code::Nothing, why)
    }

    /// The curves as series. Points of an excess are not joined, because it jumps between them. Nor are points with
    /// others missing in between, as of an algorithm for powers of two; the name of these says how many there are.
    fn lines(&self, curves: &[Curve<'_>], simulated: &[Series]) -> Vec<Series> {
        let all: BTreeSet<u64> = curves.iter().flat_map(Curve::xs).collect();
        let is_joined = self.panel.y != Quantity::Excess
            && !self.panel.has(&Layer::Predicted)
            && !self.is_apart()
            && !self.spec.is_over_names();
        curves
            .iter()
            .filter_map(
                |Curve {
                     label,
                     look,
                     points,
                     ..
                 }| {
                    let first = points.first_key_value()?;
                    let last = points.last_key_value()?;
                    let is_dot = points.len() == 1 && all.len() > 1;
                    let is_whole =
                        !is_dot && points.len() * 10 >= all.range(first.0..=last.0).count() * 9;
                    let label = if is_joined && !is_whole {
                        format!("{label} (at {} of {})", points.len(), all.len())
                    } else {
                        label.clone()
                    };
                    let label = if self.panel.has(&Layer::Predicted) {
                        measured_name(&label)
                    } else {
                        label
                    };
                    let is_marked = simulated.iter().any(|points| points.look == *look);
                    let (dots, join) = match is_joined && is_whole {
                        true if is_marked => (0, Join::Solid),
                        true => (DOTS, Join::Solid),
                        false => (ALL, Join::None),
                    };
                    series(label, *look, points.clone(), (dots, join))
                },
            )
            .collect()
    }

    /// The interval of each median.
    fn intervals(&self, curve: &Curve<'_>) -> Vec<Series> {
        let is_median = self.panel.y == Quantity::Median && self.panel.over.is_none();
        curve
            .rows
            .iter()
            .filter(|_| is_median)
            .filter_map(|(&x, row)| {
                let points = row
                    .measured
                    .as_ref()
                    .map(|row| [row.low_ns, row.high_ns])?
                    .map(|ns| (x, coordinate(ns)));
                series(String::new(), curve.look, points, (0, Join::Interval))
            })
            .collect()
    }

    /// Lower bounds, predictions and published costs, where the curves have points.
    fn behind(&self, curves: &[Curve<'_>], looks: &mut Looks) -> Vec<Series> {
        let mut behind = Vec::new();
        if self.panel.has(&Layer::LowerBound) {
            behind.extend(self.bounds(curves, looks));
        }
        for (layer, label) in [
            (Layer::Generated, "generated schedule"),
            (Layer::Halves, HALVES),
        ] {
            if !self.panel.has(&layer) {
                continue;
            }
            let look = looks.reference(label);
            let points = self.on_networks(curves, &layer);
            behind.extend(series(label.to_owned(), look, points, (ALL, Join::None)));
        }
        if self.panel.has(&Layer::Predicted) {
            behind.extend(curves.iter().flat_map(predicted));
        }
        for (key, look) in curves
            .iter()
            .filter(|_| self.panel.has(&Layer::Published))
            .flat_map(|curve| curve.keys.iter().map(|key| (key, curve.look)))
        {
            behind.extend(self.published(key, look, looks));
        }
        behind
    }

    /// What a layer draws beside link times over the bound: a value on each network.
    fn on_networks(&self, curves: &[Curve<'_>], layer: &Layer) -> Points {
        let value = |row: &Row| {
            let own = row.on_network.as_ref()?;
            match layer {
                Layer::Generated => own.link_exact?.then_some(1.0),
                _ => Some(rounded(own.link_halves.as_ref()?)? / rounded(own.link_bound.as_ref()?)?),
            }
        };
        let rows = curves
            .iter()
            .filter(|_| self.panel.has(layer))
            .flat_map(|curve| &curve.rows);
        // Rows at one coordinate are on one network.
        rows.filter_map(|(x, row)| Some((*x, value(row)?)))
            .collect()
    }

    /// A bound for each problem and each value of the axis `by`.
    fn bounds(&self, curves: &[Curve<'_>], looks: &mut Looks) -> Vec<Series> {
        let mut bounds: BTreeMap<(Option<&Held>, &str), Along<'_>> = BTreeMap::new();
        for curve in curves {
            for (x, row) in &curve.rows {
                let kept = bounds
                    .entry((curve.by(), row.problem.name))
                    .or_default()
                    .entry(*x)
                    .or_insert(row);
                if row.value("trials") > kept.value("trials") {
                    *kept = row;
                }
            }
        }
        let is_one = self.panel.has_one_problem();
        bounds
            .iter()
            .filter_map(|((by, problem), rows)| {
                let label = match by {
                    None if is_one => "lower bound".to_owned(),
                    _ => format!("lower bound, {}", self.label_of(*by, problem)),
                };
                let look = looks.reference(&label);
                // Other markers would cover the curves that meet the bound.
                let dots = if look == Look::REFERENCE { DOTS } else { 0 };
                let points = self.points(rows, *by, Quantity::LowerBound);
                series(label, look, points, (dots, Join::Dashed))
            })
            .collect()
    }

    /// The costs that the paper states, a series for each relation to the cost.
    fn published(&self, key: &Name, look: Look, looks: &mut Looks) -> Vec<Series> {
        let label = self.label(key);
        let mut relations: BTreeMap<&str, Along<'_>> = BTreeMap::new();
        for (&x, row) in &self.named[key] {
            if let Some((_, relation)) = &row.published {
                relations.entry(relation).or_default().insert(x, row);
            }
        }
        relations
            .iter()
            .filter_map(|(relation, rows)| {
                let label = format!("{label}, {}", stated(relation));
                let points = self.points(rows, key.0.as_ref(), Quantity::Published);
                let look = looks.beside(&label, look);
                series(label, look, points, (DOTS, Join::Solid))
            })
            .collect()
    }

    /// Simulated costs as points on a line, if they are asked for.
    fn simulated(&self, curve: &Curve<'_>) -> Option<Series> {
        // Without expectations the curve itself is simulated.
        let is_known = curve.rows.values().all(|row| row.analytic.is_some());
        let points = self.points(&curve.rows, curve.by(), Quantity::Simulated);
        series(String::new(), curve.look, points, (16, Join::None))
            .filter(|_| is_known && self.panel.has(&Layer::Simulated))
    }

    /// Whether its values are so few that bars tell more than areas.
    fn is_apart(&self) -> bool {
        let xs: BTreeSet<u64> = self
            .panel
            .names()
            .flat_map(|name| self.keys_of(name))
            .flat_map(|key| self.named[key].keys().copied())
            .collect();
        self.spec
            .panels
            .iter()
            .any(|panel| !panel.edges().is_empty())
            && xs.len() <= MOST_TICKS
    }

    /// The area behind each line.
    fn bands(&self, edges: &[Part<'_>], curves: &[Curve<'_>]) -> Vec<Band> {
        let [low, high] = edges else {
            return Vec::new();
        };
        let own = |part: &Part<'_>, curve: &Curve<'_>| {
            let rows = curve.keys.iter().find_map(|key| part.named.get(key));
            rows.map(|rows| part.points(rows, curve.by(), self.panel.y))
                .unwrap_or_default()
        };
        curves
            .iter()
            .map(|curve| {
                let high = own(high, curve);
                Band {
                    edges: own(low, curve)
                        .into_iter()
                        .filter_map(|(x, low)| Some((coordinate(x), low, *high.get(&x)?)))
                        .collect(),
                    look: curve.look,
                }
            })
            .collect()
    }

    /// What areas and bars are, in the legend: `area: fast-hosts to slow-hosts`, `area: g = 3 to 5 time units`. Those of one
    /// colour have it there, too.
    fn area(&self, series: &[Series], bands: &[Band]) -> Option<(String, Look)> {
        let bars = series.iter().filter(|own| own.line == Join::Interval);
        let marker = match bars.clone().next() {
            Some(_) => Marker::Interval,
            None => Marker::Area,
        };
        let mut looks: Vec<Look> = bars.map(|own| own.look).collect();
        looks.extend(
            bands
                .iter()
                .filter(|band| band.edges.iter().any(|(_, low, high)| low < high))
                .map(|band| band.look),
        );
        looks.dedup();
        let look = match looks[..] {
            [] => return None,
            [look] => look,
            _ => Look::REFERENCE,
        };
        let edges = self.panel.edges();
        let [low, high] = &edges[..] else {
            let name = match marker {
                Marker::Interval => "bars: interval of the true median",
                _ => "area: least to greatest of neighbours",
            };
            return Some((name.to_owned(), look.with(marker)));
        };
        let span = |(key, first): (&Key, &Held)| {
            let last = high.get(key).filter(|last| *last != first)?;
            let before = self
                .panel
                .held
                .get(key)
                .map(|held| self.spec.show(key, held))
                .unwrap_or_default()
                + "-";
            let [first, last] = [first, last].map(|held| {
                let text = self.spec.show(key, held);
                text.strip_prefix(&before)
                    .map_or(text.clone(), str::to_owned)
            });
            let [one, other] = [&first, &last].map(|text| text.split_once(' '));
            Some(match (one, other) {
                // A unit once.
                (Some((number, unit)), Some((_, same))) if unit == same => {
                    format!("{key} = {number} to {last}")
                }
                _ => format!("{first} to {last}"),
            })
        };
        let spans = joined(", ", low.iter().filter_map(span));
        let shape = if self.is_apart() { "bars" } else { "area" };
        let name = format!("{shape}: {spans}");
        Some((name, look.with(marker)))
    }

    /// The text above the panel: its own, or the values in which it differs, or the column; and how many of the algorithms it draws,
    /// where others draw more.
    fn heading(&self, row: &Row) -> String {
        let panel = self.panel;
        let count =
            |all: &mut dyn Iterator<Item = &'static str>| all.collect::<BTreeSet<_>>().len();
        let all = count(&mut self.spec.panels.iter().flat_map(Panel::names));
        let here = count(&mut panel.names());
        let own = self.own_heading(row);
        let some = format!("{here} of {all} algorithms");
        match here == all {
            true => own,
            _ if panel.heading.is_none() && own == panel.y.title() => some,
            _ => format!("{own}, {some}"),
        }
    }

    fn own_heading(&self, row: &Row) -> String {
        let spec = self.spec;
        let panel = self.panel;
        let own = spec.own();
        // A panel without a value of its own has the default.
        let default = |axis: &Axis| axis.default.map(Held::Number);
        let value = |axis: &Axis| panel.held.get(axis.key).cloned().or_else(|| default(axis));
        let mut held: HeldAxes = spec
            .axes()
            .filter(|axis| own.contains(axis.key))
            .filter_map(|axis| Some((axis.key, value(axis)?)))
            .collect();
        let machine = row
            .machine
            .as_ref()
            .filter(|_| held.remove(select::MACHINE).is_some())
            .map(|(name, basis)| format!("{basis}: {name}"));
        let parts = joined(", ", machine.into_iter().chain(spec.words(&held)));
        match &panel.heading {
            Some(heading) => heading.clone(),
            None if parts.is_empty() && spec.panels.len() > 1 => panel.y.title().to_owned(),
            None => parts,
        }
    }

    /// The parameters of a panel's machine at the message sizes drawn, and the names of the machines of its band:
    /// `mine at 1 MiB: L = 160.6 ms, g = 89.1 ms`. They depend on the message size, so a time that differs between the
    /// rows is a range.
    fn machines(&self, edges: &[Part<'_>]) -> Option<String> {
        let first = self.rows().next()?.machine();
        let machine = first.filter(|_| self.panel.held.contains_key(select::MACHINE))?;
        let edge = |part: &Part<'_>| Some(part.rows().next()?.machine()?.to_owned());
        let edges = joined(" to ", edges.iter().filter_map(edge));
        let before = if edges.is_empty() { "" } else { "; bars: " };
        let range = |axis: &Axis| {
            let values: BTreeSet<u64> = self.rows().filter_map(|row| row.value(axis.key)).collect();
            let show = |value: &u64| Held::Number(*value).show(axis, true);
            let first = values.first()?;
            let last = values.last()?;
            Some(if first == last {
                show(first)
            } else {
                format!("{} to {}", show(first), show(last))
            })
        };
        let times = self
            .spec
            .axes()
            .filter(|axis| select::unit(axis, true) == "ns")
            .filter_map(|axis| Some(format!("{} = {}", axis.key, range(axis)?)));
        let sizes = self.spec.axes().find(|axis| axis.kind == Kind::Bytes);
        let sizes = sizes
            .and_then(range)
            .map_or_else(String::new, |sizes| format!(" at {sizes}"));
        let times = joined(", ", times);
        (!times.is_empty()).then(|| format!("{machine}{sizes}: {times}{before}{edges}."))
    }
}

/// The name of both in their least times, one after the other, as `castbench bound` has it.
pub const HALVES: &str = "reduce-scatter+allgather";

/// A marker for each point.
pub const ALL: usize = usize::MAX;

/// About how many markers a line has.
const DOTS: usize = 12;

/// A series with about so many markers; none without points.
pub fn series(
    label: String,
    look: Look,
    points: impl IntoIterator<Item = (u64, f64)>,
    (dots, line): (usize, Join),
) -> Option<Series> {
    let points: Vec<(f64, f64)> = points
        .into_iter()
        .map(|(x, y)| (coordinate(x), y))
        .collect();
    let markers = match dots {
        0 => None,
        _ => Some(points.len().div_ceil(dots).max(1)),
    };
    (!points.is_empty()).then_some(Series {
        label,
        look,
        points,
        markers,
        line,
    })
}

/// The value of a column in a row.
pub fn value(row: &Row, column: Quantity) -> Option<f64> {
    match column {
        Quantity::Cost => cost(row).and_then(rounded),
        Quantity::Analytic => row.analytic.as_ref().and_then(rounded),
        Quantity::Simulated => row.simulated.as_ref().and_then(rounded),
        Quantity::Published => row.published.as_ref().map(|(value, _)| *value as f64),
        Quantity::LowerBound => row.lower_bound.as_ref().and_then(rounded),
        Quantity::Median => row.measured.as_ref().map(|row| coordinate(row.median_ns)),
        Quantity::LinkTime => rounded(row.on_network.as_ref()?.link_time.as_ref()?),
        Quantity::LinkBound => rounded(row.on_network.as_ref()?.link_bound.as_ref()?),
        Quantity::LinkRatio => row.on_network.as_ref()?.link_ratio,
        Quantity::Excess => {
            let cost = cost(row)?;
            let bound = row.lower_bound.as_ref()?;
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

/// Whether the two predictions differ by more than the width of a line.
pub fn shares_links(row: &SummaryRow) -> bool {
    row.model_ns
        .zip(row.predicted_ns())
        .is_some_and(|(model, predicted)| off(model, predicted).abs() > 0.005)
}

/// The best prediction of measured times, and LogP's where it differs.
fn predicted(curve: &Curve<'_>) -> Vec<Series> {
    let line = |label: String, join, time: &dyn Fn(&SummaryRow) -> Option<u64>| {
        let points = curve.values(|_, row| Some(coordinate(time(row.measured.as_ref()?)?)));
        series(label, curve.look, points, (0, join))
    };
    let mut rows = curve
        .rows
        .values()
        .filter_map(|row| row.measured.as_deref());
    let label = format!("{}, predicted by LogP alone", curve.label);
    let logp = rows
        .any(shares_links)
        .then(|| line(label, Join::Dashed, &|row| row.model_ns));
    let label = format!("{}, predicted", curve.label);
    let best = line(label, Join::Solid, &SummaryRow::predicted_ns);
    logp.flatten().into_iter().chain(best).collect()
}

/// What a published number is to the cost, by the relation of the cost to it.
fn stated(relation: &str) -> &'static str {
    match relation {
        "<=" => "upper bound in its paper",
        "<" => "strict upper bound in its paper",
        ">=" => "lower bound in its paper",
        _ => "cost in its paper",
    }
}

/// The name of the measured times of a curve.
pub fn measured_name(label: &str) -> String {
    format!("{label}, measured")
}

/// The times of a table at the points of each curve.
fn measured(curves: &[Curve<'_>], table: &Table, looks: &mut Looks) -> Vec<Series> {
    curves
        .iter()
        .filter_map(|curve| {
            let times = |(&x, row): (&u64, &&Row)| {
                table.times(row).iter().map(move |&ns| (x, coordinate(ns)))
            };
            let times = curve.rows.iter().flat_map(times);
            let label = measured_name(&curve.label);
            let look = looks.beside(&label, curve.look);
            series(label, look, times, (ALL, Join::None))
        })
        .collect()
}
