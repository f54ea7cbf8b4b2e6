//! The algorithm of least cost over the plane of two axes, and beside it by which factor one of them costs more.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue;
use algorithms::cost::Exact;
use algorithms::problem::{Axis, Entry};
use serde::Deserialize;
use toml::Spanned;

use super::lines::{Over, Reader, Side, WireHeldAxes};
use super::ratios::Ratios;
use super::select::{self, Filter, HeldAxes, WireKey, short};
use super::signs::Signs;
use super::{About, Figure, Need, Rows, Undrawn, coordinate};
use crate::absent::Absences;
use crate::chart::scale::Scale;
use crate::chart::style::Look;
use crate::chart::{self, AxisSpec, Chart, MapCell, PageFit, Panel};
use crate::config::diagnostics::Source;
use crate::failure::Failure;
use crate::record::Row;
use crate::space::Key;
use crate::space::Rules;
use crate::units::{grouped, plural};

/// Some algorithms of one problem over two axes, the others held.
pub struct Winners {
    about: About,
    x: Key,
    y: Key,
    algorithms: Vec<Entry>,
    held: HeldAxes,
    /// The algorithm whose cost over the least is drawn, too.
    over: Option<&'static str>,
    /// What profiles state where the figure holds no value.
    rules: Rules,
}

/// A table `[[figures.winners]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireWinners {
    file: Spanned<String>,
    title: String,
    shows: Option<String>,
    note: Option<String>,
    /// Its size and parts.
    #[serde(default)]
    pub page: PageFit,
    x: Spanned<WireKey>,
    y: Spanned<WireKey>,
    algorithms: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    at: WireHeldAxes,
    over: Option<Spanned<String>>,
    /// Without effect since each value drawn has a row or a column of its own.
    #[serde(default, rename = "log")]
    _log: Vec<Side>,
}

/// The least cost at each point of the plane.
type Winner<'a> = BTreeMap<(u64, u64), Least<'a>>;

/// The least cost at a point.
struct Least<'a> {
    /// The algorithms that have it, in the order of the configuration.
    names: Vec<&'a str>,
    /// The cost over it of the algorithm that `over` names; none where that is not defined
    /// or only the least is 0.
    over: Option<f64>,
}

impl Winners {
    /// Checks a figure of a configuration.
    ///
    /// # Errors
    /// Exit code 3, with line and column.
    pub fn check(source: &Source, wire: WireWinners, rules: &Rules) -> Result<Self, Failure> {
        let reader = Reader {
            source,
            measured: false,
        };
        let algorithms = reader.algorithms(&wire.algorithms)?;
        let [WireKey(x), WireKey(y)] = [*wire.x.get_ref(), *wire.y.get_ref()];
        for (key, span) in [(x, wire.x.span()), (y, wire.y.span())] {
            reader.axis(key, span, &algorithms)?;
        }
        let held = reader.held_axes(&wire.at, &algorithms)?;
        if x == y || held.contains_key(x) || held.contains_key(y) {
            let title = format_args!("{x} and {y} do not make a plane");
            let help = "write two axes as `x` and `y`, and the others in `at`";
            return Err(source.failure(
                wire.y.span(),
                title,
                "expected another axis, which `at` does not hold",
                help,
            ));
        }
        reader.refuse_open(wire.algorithms.span(), &held, &[x, y], &algorithms)?;
        let over = wire
            .over
            .as_ref()
            .map(|over| reader.over(over, &algorithms).map(|own| (own, over.span())));
        let over = match over.transpose()? {
            None => None,
            Some((Over::Algorithm(name), _)) if algorithms.iter().any(|own| own.name() == name) => {
                Some(name)
            }
            Some((_, span)) => {
                let title = "`over` is not one of the algorithms compared";
                let help = "add it to `algorithms`, so that its cost is never below the least";
                return Err(source.failure(span, title, "expected one of `algorithms`", help));
            }
        };
        let algorithms: Vec<Entry> = algorithms
            .into_iter()
            .map(|algorithm| algorithm.entry())
            .collect();
        if let Some(entry) = algorithms.iter().find(|entry| entry.problem().fractions()) {
            let title = format_args!("`{}` costs fractions", entry.name);
            let label = "expected algorithms with integer costs, because ties are exact";
            return Err(source.failure(
                wire.algorithms.span(),
                title,
                label,
                "draw it in a [[figures.lines]]",
            ));
        }
        let about = About {
            file: wire.file,
            title: wire.title,
            shows: wire.shows,
            note: wire.note,
            page: wire.page,
        };
        Ok(Self {
            about,
            x,
            y,
            algorithms,
            held,
            over,
            rules: rules.clone(),
        })
    }

    fn short<'a>(&self, name: &'a str) -> &'a str {
        short(name, self.algorithms.iter().map(|entry| entry.name))
    }

    fn axes(&self) -> &'static [Axis] {
        self.algorithms.first().map_or(&[], Entry::axes)
    }

    /// The coordinates of a row.
    fn point(&self, row: &Row) -> Option<(u64, u64)> {
        select::along(row, self.x).zip(select::along(row, self.y))
    }

    fn on_machine(&self) -> bool {
        select::on_machine(&self.held, &[self.x, self.y])
    }

    /// The algorithms of least cost at each point where all that are defined have a cost, and the number of points where
    /// only some of them have.
    fn winners<'a>(&self, rows: &'a Rows) -> (Winner<'a>, usize) {
        // Of an algorithm that is not defined at a point no cost.
        let mut costs: BTreeMap<(u64, u64), BTreeMap<&str, Option<u64>>> = BTreeMap::new();
        let filters = self.filters();
        let takes = |row: &Row| filters.iter().any(|filter| filter.takes(row));
        let known = rows.points.iter().filter_map(|row| match &row.analytic {
            Some(Exact::Integer(cost)) => Some((row, Some(*cost))),
            _ => None,
        });
        for (row, cost) in known.chain(rows.undefined.iter().map(|row| (row, None))) {
            if let Some(point) = self.point(row).filter(|_| self.is_drawn(row) && takes(row)) {
                costs
                    .entry(point)
                    .or_default()
                    .entry(&row.algorithm)
                    .or_insert(cost);
            }
        }
        // A point where no algorithm is defined is not one of the plane.
        costs.retain(|_, costs| costs.values().any(Option::is_some));
        let winner = |costs: BTreeMap<&'a str, Option<u64>>| {
            let known = || {
                costs
                    .iter()
                    .filter_map(|(name, cost)| Some((*name, (*cost)?)))
            };
            let best = known().map(|(_, cost)| cost).min()?;
            let mut names: Vec<&str> = known()
                .filter(|(_, cost)| *cost == best)
                .map(|(name, _)| name)
                .collect();
            names.sort_by_key(|name| self.algorithms.iter().position(|entry| entry.name == *name));
            let over = self
                .over
                .and_then(|name| *costs.get(name)?)
                .and_then(|cost| over_least(cost, best));
            (costs.len() == self.algorithms.len()).then_some(Least { names, over })
        };
        let all = costs.len();
        let winners: Winner<'a> = costs
            .into_iter()
            .filter_map(|(point, costs)| Some((point, winner(costs)?)))
            .collect();
        let partial = all - winners.len();
        (winners, partial)
    }

    fn is_drawn(&self, row: &Row) -> bool {
        self.algorithms
            .iter()
            .any(|entry| entry.name == row.algorithm)
    }

    /// An axis with these values, each in its own row or column, and the coordinate of each.
    fn spec(&self, key: Key, values: impl Iterator<Item = u64>) -> (AxisSpec, BTreeMap<u64, f64>) {
        let values: BTreeSet<u64> = values.collect();
        let values: Vec<u64> = values.into_iter().collect();
        let axis = self.axes().iter().find(|axis| axis.key == key);
        let title = axis.map_or_else(String::new, |axis| select::title(axis, self.on_machine()));
        let labels = axis.map_or_else(Vec::new, |axis| select::labels(axis, &values));
        let coordinates = values.into_iter().zip((0..).map(coordinate)).collect();
        (
            AxisSpec {
                title,
                scale: Scale::ordinal(labels),
            },
            coordinates,
        )
    }

    /// The cost of the algorithm that `over` names over the least, at each point.
    fn ratios(&self, winners: &Winner<'_>) -> Ratios {
        Ratios::new(
            winners.values().map(|least| least.over).collect(),
            "not defined, or no ratio to 0",
        )
    }

    /// A map of the points with these looks, and its height.
    fn map(
        &self,
        winners: &Winner<'_>,
        heading: Option<String>,
        looks: Vec<Look>,
        legend: Vec<(String, Look)>,
    ) -> (Panel, u32) {
        let (x, columns) = self.spec(self.x, winners.keys().map(|key| key.0));
        let (y, lines) = self.spec(self.y, winners.keys().map(|key| key.1));
        let cell = |((x, y), look): (&(u64, u64), Look)| MapCell {
            at: (columns[x], lines[y]),
            look,
        };
        let cells = winners.keys().zip(looks).map(cell).collect();
        chart::map(heading, [x, y], cells, legend)
    }

    /// The algorithms that are not defined at points drawn.
    fn absences(&self, rows: &Rows, winners: &Winner<'_>) -> Absences {
        let filters = self.filters();
        let mut absences = Absences::default();
        for row in rows
            .undefined
            .iter()
            .filter(|row| self.is_drawn(row) && filters.iter().any(|own| own.takes(row)))
        {
            if let Some(point) = self.point(row).filter(|point| winners.contains_key(point)) {
                let at = || format!("{} = {}, {} = {}", self.x, point.0, self.y, point.1);
                absences.add(self.short(&row.algorithm), &row.note, at);
            }
        }
        absences
    }

    /// How often each algorithm wins, and what is not drawn.
    fn caption(&self, rows: &Rows, winners: &Winner<'_>, partial: usize) -> Vec<String> {
        let names = || self.algorithms.iter().map(|entry| entry.name);
        let count = |is_one: &dyn Fn(&Vec<&str>) -> bool| {
            winners
                .values()
                .filter(|least| is_one(&least.names))
                .count() as u64
        };
        let alone = names()
            .map(|name| (name, count(&|set| set[..] == [name])))
            .filter(|(_, won)| *won > 0);
        let alone: Vec<String> = alone
            .map(|(name, won)| format!("{} at {}", self.short(name), grouped(won)))
            .collect();
        let several = count(&|set| set.len() > 1);
        let never: Vec<&str> = names()
            .filter(|name| count(&|set| set.contains(name)) == 0)
            .map(|name| self.short(name))
            .collect();
        let mut caption: Vec<String> = self.about.note.iter().cloned().collect();
        caption.push(
            "A cell is a computed point; values between two cells were not computed.".to_owned(),
        );
        let points = plural(winners.len() as u64, "point");
        if !alone.is_empty() {
            caption.push(format!(
                "Cheapest alone, of {points}: {}.",
                alone.join(", ")
            ));
        }
        if several > 0 {
            caption.push(format!(
                "Several cost the same at {} of {points}.",
                grouped(several)
            ));
        }
        if !never.is_empty() {
            caption.push(format!("Nowhere cheapest: {}.", never.join(", ")));
        }
        if let Some((name, summary)) = self.over.zip(self.ratios(winners).summary()) {
            let cheapest = grouped(count(&|set| set.contains(&name)));
            caption.push(format!(
                "Cost of {}: {summary}; among the best at {cheapest} of {points}.",
                self.short(name)
            ));
        }
        let taken = rows
            .points
            .iter()
            .filter(|row| self.is_drawn(row) && self.filters().iter().any(|own| own.takes(row)));
        caption.extend(select::ports(taken));
        let absences = self
            .absences(rows, winners)
            .statements(winners.len() as u64, "point");
        if !absences.is_empty() {
            caption.push(format!("Not defined: {}.", absences.join("; ")));
        }
        if partial > 0 {
            caption.push(format!(
                "Left out: {} without a cost of each algorithm that is defined.",
                plural(partial as u64, "point")
            ));
        }
        let filters = self.filters();
        let takes = |row: &Row| filters.iter().any(|filter| filter.takes(row));
        let others = rows
            .points
            .iter()
            .filter(|row| !self.is_drawn(row) && takes(row));
        let others: BTreeSet<&str> = others
            .filter_map(|row| Some(catalogue::find(&row.algorithm)?.name))
            .collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.into_iter().collect();
            caption.push(format!("Swept, not compared: {}.", others.join(", ")));
        }
        caption
    }
}

/// A cost over the least one; none if only the least is 0.
fn over_least(cost: u64, least: u64) -> Option<f64> {
    if cost == least {
        Some(1.0)
    } else {
        (least > 0).then(|| coordinate(cost) / coordinate(least))
    }
}

impl Figure for Winners {
    fn about(&self) -> &About {
        &self.about
    }

    fn filters(&self) -> Vec<Filter> {
        let problem = self.algorithms.first().map(Entry::problem);
        problem
            .map(|problem| Filter::new(problem, false, &self.held, &[self.x, self.y], &self.rules))
            .into_iter()
            .collect()
    }

    fn algorithms(&self) -> Vec<Entry> {
        self.algorithms.clone()
    }

    fn needs(&self) -> Vec<Need<'_>> {
        let algorithms = self.algorithms.clone();
        vec![Need {
            algorithms,
            held: &self.held,
            free: vec![self.x, self.y],
        }]
    }

    fn chart(&self, rows: &Rows) -> Result<Chart, Undrawn> {
        let (winners, partial) = self.winners(rows);
        let names: Vec<&'static str> = self.algorithms.iter().map(|entry| entry.name).collect();
        let values = select::words(&self.held, self.axes().iter(), self.on_machine()).join(", ");
        if winners.is_empty() {
            let what = format!("all of {} at {values}", names.join(", "));
            return Err(Undrawn::Missing {
                what,
                names,
                held: self.held.clone(),
            });
        }
        let sets: Vec<Vec<&str>> = winners.values().map(|least| least.names.clone()).collect();
        let signs = Signs::new(names.iter().copied(), &sets);
        let looks = sets.iter().map(|set| signs.look(set)).collect();
        let heading = self.over.map(|_| "the best algorithm".to_owned());
        let (first, height) = self.map(
            &winners,
            heading,
            looks,
            signs.legend(|name| self.short(name).to_owned()),
        );
        let second = self.over.map(|name| {
            let ratios = self.ratios(&winners);
            let heading = format!("cost of {} over the best", self.short(name));
            self.map(&winners, Some(heading), ratios.looks(), ratios.legend())
                .0
        });
        let short_names: Vec<&str> = names.iter().map(|name| self.short(name)).collect();
        let mut caption = self.caption(rows, &winners, partial);
        caption.push(format!("Compared: {}.", short_names.join(", ")));
        let subtitle = [values, "least exact cost".to_owned()]
            .into_iter()
            .filter(|part| !part.is_empty());
        let subtitle = subtitle.collect::<Vec<_>>().join("; ");
        Ok(Chart {
            title: self.about.title.clone(),
            subtitle,
            caption,
            panels: [first].into_iter().chain(second).collect(),
            height,
        })
    }
}
