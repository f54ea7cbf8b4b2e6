//! The table of a figure of lines in a configuration, checked.

use std::collections::BTreeMap;
use std::ops::Range;

use algorithms::problem::{Axis, Kind};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{Beside, Lines, Over, Panel, Quantity, Side};
use crate::chart::PageFit;
use crate::config::diagnostics::Source;
use crate::failure::Failure;
use crate::figures::About;
use crate::figures::select::{self, Held, HeldAxes, WireKey, is_draw, key_of};
use crate::machine::Machine;
use crate::measured::config::Algorithm;
use crate::near;
use crate::space::Key;
use crate::space::Rules;

/// A table `[[figures.lines]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireLines {
    file: Spanned<String>,
    title: String,
    shows: Option<String>,
    note: Option<String>,
    /// Its size and parts.
    #[serde(default)]
    pub page: PageFit,
    measurements: Option<String>,
    table: Option<Spanned<String>>,
    x: Spanned<WireKey>,
    by: Option<Spanned<String>>,
    compare: Option<Spanned<(String, String)>>,
    algorithms: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    at: WireHeldAxes,
    y: Option<Quantity>,
    over: Option<Spanned<String>>,
    #[serde(default)]
    log: Vec<Side>,
    #[serde(default)]
    free: Vec<Side>,
    #[serde(rename = "with")]
    beside: Option<Spanned<Vec<Beside>>>,
    #[serde(default)]
    panels: Vec<WirePanel>,
}

/// The keys of one panel; the figure's apply where they are missing.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePanel {
    heading: Option<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    at: WireHeldAxes,
    y: Option<Quantity>,
    over: Option<Spanned<String>>,
    log: Option<Vec<Side>>,
    free: Option<Vec<Side>>,
    #[serde(rename = "with")]
    beside: Option<Spanned<Vec<Beside>>>,
    band: Option<Spanned<BTreeMap<WireKey, Pair>>>,
}

/// The axis of message sizes, which a machine's times depend on: a caption states it also where it is the default.
const BYTES: Key = "bytes";

/// Two values of an axis.
type Pair = (Spanned<Value>, Spanned<Value>);

/// Values of axes with their positions in the document.
pub type WireHeldAxes = BTreeMap<WireKey, Spanned<Value>>;

/// Checks the parts of a figure.
pub struct Reader<'a> {
    /// Its document.
    pub source: &'a Source,
    /// Whether it draws measurements.
    pub measured: bool,
}

impl Reader<'_> {
    fn failure(&self, span: Range<usize>, [title, label, help]: [&str; 3]) -> Failure {
        self.source.failure(span, title, label, help)
    }

    /// The algorithms of these names, in the order of the catalogue.
    pub fn algorithms(
        &self,
        wire: &Spanned<Vec<Spanned<String>>>,
    ) -> Result<Vec<Algorithm>, Failure> {
        let names = wire.get_ref();
        if names.is_empty() {
            let help = "name the algorithms that the figure draws";
            return Err(self.failure(
                wire.span(),
                ["`algorithms` is empty", "expected a name", help],
            ));
        }
        let mut found = names
            .iter()
            .map(|name| self.algorithm(name))
            .collect::<Result<Vec<_>, _>>()?;
        found.sort_by_key(|algorithm| algorithm.rank());
        found.dedup();
        let unit = |algorithm: &Algorithm| algorithm.entry().problem().unit(&[]);
        if let Some(other) = found
            .iter()
            .find(|other| !self.measured && unit(other) != unit(&found[0]))
        {
            let explanation = |algorithm: &Algorithm| {
                format!("`{}` costs {}", algorithm.name(), unit(algorithm).plural())
            };
            let title = format!("{} and {}", explanation(&found[0]), explanation(other));
            return Err(self.failure(
                wire.span(),
                [
                    &title,
                    "named together here",
                    "draw them in separate figures",
                ],
            ));
        }
        Ok(found)
    }

    fn algorithm(&self, name: &Spanned<String>) -> Result<Algorithm, Failure> {
        let found = Algorithm::find(name.get_ref());
        found
            .filter(|found| self.measured || matches!(found, Algorithm::Program(_)))
            .ok_or_else(|| {
                let title = format!("there is no algorithm `{}`", name.get_ref());
                self.failure(
                    name.span(),
                    [
                        &title,
                        "not in the catalogue",
                        &near::algorithms(name.get_ref()),
                    ],
                )
            })
    }

    /// The values at which axes of these algorithms are held.
    pub fn held_axes(
        &self,
        wire: &WireHeldAxes,
        algorithms: &[Algorithm],
    ) -> Result<HeldAxes, Failure> {
        let held = wire.iter().map(|(&WireKey(key), value)| {
            let axis = self.axis(key, value.span(), algorithms)?;
            Ok((key, self.held(axis, value)?))
        });
        held.collect()
    }

    fn held(&self, axis: &Axis, value: &Spanned<Value>) -> Result<Held, Failure> {
        let text = &value
            .get_ref()
            .as_str()
            .map_or_else(|| value.get_ref().to_string(), str::to_owned);
        if axis.key == "machine" {
            return Machine::name_of(text, &self.source.resolve(text)).map(Held::Name);
        }
        Held::parse(axis, text).map_err(|expected| {
            let title = format!("`{text}` is no value of axis {}", axis.key);
            self.failure(
                value.span(),
                [&title, &expected, "write a value that the axis takes"],
            )
        })
    }

    /// The axis with this key. All algorithms must read it; of measured ones, which may solve different problems, one
    /// must.
    pub fn axis(
        &self,
        key: Key,
        span: Range<usize>,
        algorithms: &[Algorithm],
    ) -> Result<&'static Axis, Failure> {
        let all = |algorithm: &Algorithm| select::axes(algorithm.entry().problem(), self.measured);
        let of = |algorithm: &Algorithm| all(algorithm).find(|axis| axis.key == key);
        let axis = algorithms.iter().find_map(of);
        let is_enough = self.measured && axis.is_some();
        if let Some(other) = algorithms
            .iter()
            .find(|other| !is_enough && of(other).is_none())
        {
            let title = format!("`{}` does not read the axis {key}", other.name());
            let keys: Vec<&str> = all(other).map(|axis| axis.key).collect();
            let help = format!(
                "it reads {}; hold or draw those, or remove the algorithm",
                keys.join(" ")
            );
            return Err(self.failure(span, [&title, "asked for here", &help]));
        }
        axis.ok_or_else(|| {
            self.failure(
                span,
                [
                    &format!("no algorithm reads the axis {key}"),
                    "asked for here",
                    "",
                ],
            )
        })
    }

    /// Refuses an axis that is neither held nor drawn: one series would mix rows of several values. Measurements are
    /// checked when they are drawn.
    pub fn refuse_open(
        &self,
        span: Range<usize>,
        held: &HeldAxes,
        free: &[Key],
        all: &[Algorithm],
    ) -> Result<(), Failure> {
        let given = |key: &str| held.contains_key(key) || free.contains(&key);
        for entry in all
            .iter()
            .filter(|_| !self.measured)
            .map(|algorithm| algorithm.entry())
        {
            let on_profile = entry
                .axes()
                .iter()
                .any(|axis| axis.kind == Kind::Profile && given(axis.key));
            let is_read = |axis: &Axis| axis.applies(on_profile);
            if let Some(axis) = entry
                .axes()
                .iter()
                .find(|axis| given(axis.key) && !is_read(axis))
            {
                let title = format!(
                    "`{}` does not take the axis {} together with the others here",
                    entry.name, axis.key
                );
                return Err(self.failure(
                    span,
                    [
                        &title,
                        "here",
                        "hold a machine, or the parameters of the model",
                    ],
                ));
            }
            let open = |axis: &&Axis| {
                axis.default.is_none() && is_read(axis) && !given(axis.key) && !is_draw(axis)
            };
            if let Some(axis) = entry.axes().iter().find(open) {
                let title = format!("axis {} has no value for `{}`", axis.key, entry.name);
                let help = format!(
                    "write `at = {{ {} = ... }}`, or draw along it with `x` or `by`",
                    axis.key
                );
                return Err(self.failure(span, [&title, "without a value here", &help]));
            }
        }
        Ok(())
    }

    /// What costs are divided by.
    pub fn over(&self, wire: &Spanned<String>, algorithms: &[Algorithm]) -> Result<Over, Failure> {
        if wire.get_ref() == "lower_bound" {
            return Ok(Over::LowerBound);
        }
        let over = self.algorithm(wire)?;
        let is_other = |other: &&Algorithm| {
            !self.measured && other.entry().problem() != over.entry().problem()
        };
        if let Some(other) = algorithms.iter().find(is_other) {
            let title = format!(
                "`{}` and `{}` solve different problems",
                over.name(),
                other.name()
            );
            let help = "divide by an algorithm of the same problem";
            return Err(self.failure(wire.span(), [&title, "divided by here", help]));
        }
        Ok(Over::Algorithm(over.name()))
    }

    /// Two algorithms that are drawn.
    fn pair(
        &self,
        wire: &Spanned<(String, String)>,
        all: &[Algorithm],
    ) -> Result<(&'static str, &'static str), Failure> {
        let (one, other) = wire.get_ref();
        let named = |name: &String| {
            all.iter()
                .map(|algorithm| algorithm.name())
                .find(|own| own == name)
                .ok_or_else(|| {
                    let title = format!("`{name}` is not an algorithm of this figure");
                    self.failure(
                        wire.span(),
                        [&title, "compared here", "add it to `algorithms`"],
                    )
                })
        };
        Ok((named(one)?, named(other)?))
    }

    fn band(
        &self,
        panel: &WirePanel,
        algorithms: &[Algorithm],
    ) -> Result<Option<(Key, [Held; 2])>, Failure> {
        let Some(band) = &panel.band else {
            return Ok(None);
        };
        let [(&WireKey(key), (low, high))] = band.get_ref().iter().collect::<Vec<_>>()[..] else {
            let help = "write `band = { machine = [\"a\", \"b\"] }`";
            let title = "a band lies between two values of one axis";
            return Err(self.failure(band.span(), [title, "expected one axis", help]));
        };
        let axis = self.axis(key, band.span(), algorithms)?;
        Ok(Some((key, [self.held(axis, low)?, self.held(axis, high)?])))
    }
}

impl Lines {
    /// Checks a figure of a configuration.
    ///
    /// # Errors
    /// Exit code 3, with line and column: an algorithm, an axis or a value that does not exist or does not fit the others.
    pub fn check(source: &Source, wire: WireLines, rules: &Rules) -> Result<Self, Failure> {
        let reader = Reader {
            source,
            measured: wire.measurements.is_some(),
        };
        let algorithms = reader.algorithms(&wire.algorithms)?;
        let x = wire.x.get_ref().0;
        if reader.axis(x, wire.x.span(), &algorithms)?.kind == Kind::Profile {
            let title = format!("axis {x} has no numbers to draw along");
            return Err(reader.failure(
                wire.x.span(),
                [&title, "here", "write `by = \"machine\"` for a line each"],
            ));
        }
        let by = match &wire.by {
            Some(by) if by.get_ref() != "algorithm" => {
                let key = key_of(by.get_ref());
                let key = key.map_err(|explanation| {
                    reader.failure(
                        by.span(),
                        [&explanation, "here", "write `algorithm` or an axis"],
                    )
                })?;
                reader.axis(key, by.span(), &algorithms)?;
                Some(key)
            }
            _ => None,
        };
        let compare = wire
            .compare
            .as_ref()
            .map(|pair| reader.pair(pair, &algorithms));
        let one = [WirePanel::default()];
        let given = if wire.panels.is_empty() {
            &one[..]
        } else {
            &wire.panels
        };
        let panels = given
            .iter()
            .map(|own| panel(&reader, &wire, own, by))
            .collect::<Result<Vec<_>, _>>()?;
        let about = About {
            file: wire.file,
            title: wire.title,
            shows: wire.shows,
            note: wire.note,
            page: wire.page,
        };
        let table = wire.table.map(Spanned::into_inner);
        let (compare, rules) = (compare.transpose()?, rules.clone());
        Ok(Self {
            about,
            measurements: wire.measurements,
            table,
            x,
            by,
            compare,
            panels,
            rules,
        })
    }
}

/// A panel: its own keys, and the figure's for the rest.
fn panel(
    reader: &Reader<'_>,
    figure: &WireLines,
    own: &WirePanel,
    by: Option<Key>,
) -> Result<Panel, Failure> {
    let named = own.algorithms.as_ref().unwrap_or(&figure.algorithms);
    let algorithms = reader.algorithms(named)?;
    let mut held = reader.held_axes(&figure.at, &algorithms)?;
    let own_held = reader.held_axes(&own.at, &algorithms)?;
    held.extend(own_held.clone());
    let free: Vec<Key> = [figure.x.get_ref().0].into_iter().chain(by).collect();
    let drawn = figure
        .at
        .iter()
        .chain(&own.at)
        .find(|(WireKey(key), _)| free.contains(key));
    if let Some((WireKey(key), value)) = drawn {
        let title = format!("axis {key} is drawn, so `at` holds no value of it");
        return Err(reader.failure(
            value.span(),
            [
                &title,
                "here",
                "remove the value, or draw along another axis",
            ],
        ));
    }
    reader.refuse_open(named.span(), &held, &free, &algorithms)?;
    if select::on_machine(&held, &free) && !reader.measured && !free.contains(&BYTES) {
        let default = algorithms[0]
            .entry()
            .axes()
            .iter()
            .find(|axis| axis.key == BYTES)
            .and_then(|axis| axis.default);
        default.map(|bytes| held.entry(BYTES).or_insert(Held::Number(bytes)));
    }
    let over = own
        .over
        .as_ref()
        .or(figure.over.as_ref())
        .map(|over| reader.over(over, &algorithms))
        .transpose()?;
    let y = own.y.or(figure.y).unwrap_or(if reader.measured {
        Quantity::Median
    } else {
        Quantity::Cost
    });
    let has_costs =
        matches!(y, Quantity::Cost | Quantity::Analytic | Quantity::Simulated) && over.is_none();
    if let Some(table) = figure.table.as_ref().filter(|_| !has_costs) {
        let help = "draw costs, without `over`, or remove `table`";
        return Err(reader.failure(
            table.span(),
            ["times of a table are drawn beside costs", "here", help],
        ));
    }
    let beside = own.beside.as_ref().or(figure.beside.as_ref());
    if let Some(beside) = beside
        .filter(|with| !with.get_ref().is_empty() && (over.is_some() || y == Quantity::Excess))
    {
        let title = "costs cannot be drawn beside a ratio or an excess";
        return Err(reader.failure(
            beside.span(),
            [
                title,
                "drawn beside here",
                "write `with = []` in that panel",
            ],
        ));
    }
    let mut others = beside.into_iter().flat_map(|with| with.get_ref());
    let is_foreign = others.any(|beside| (*beside == Beside::Predicted) != reader.measured);
    if is_foreign || (y == Quantity::Median) != reader.measured {
        let title = "measurements have medians and predictions, sweeps have costs";
        let help = "`y = \"median\"` and `with = [\"predicted\"]` go with `measurements`, all others without";
        return Err(reader.failure(named.span(), [title, "drawn of these", help]));
    }
    Ok(Panel {
        heading: own.heading.clone(),
        own: own_held.into_keys().collect(),
        y,
        over,
        log: own.log.as_ref().unwrap_or(&figure.log).clone(),
        free: own.free.as_ref().unwrap_or(&figure.free).clone(),
        beside: beside
            .map(|with| with.get_ref().clone())
            .unwrap_or_default(),
        band: reader.band(own, &algorithms)?,
        algorithms,
        held,
    })
}
