//! A figure as a configuration or the command line states it, checked.

use std::collections::BTreeMap;
use std::path::Path;

use algorithms::problem::{Axis, Kind};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::select::{self, Held, HeldAxes, WireKey, is_draw, key_of};
use super::spec::{About, Layer, Over, Panel, Quantity, Side, Spec};
use crate::base::failure::{Failure, Result};
use crate::base::near;
use crate::base::units::joined;
use crate::draw::chart::PageFit;
use crate::output::diagnostics::Source;
use crate::record::measurement::Algorithm;
use crate::record::on_network::NETWORK;
use crate::space::Rules;
use crate::space::machine::Machine;
use crate::space::{Key, RANKS};

/// A table `[[figures.lines]]`, or what the options of `castbench figures --x` stand for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireLines {
    pub file: Spanned<String>,
    pub title: String,
    pub shows: Option<String>,
    pub note: Option<String>,
    #[serde(default)]
    pub page: PageFit,
    pub measurements: Option<String>,
    pub table: Option<Spanned<String>>,
    pub x: Spanned<WireKey>,
    pub by: Option<Spanned<String>>,
    pub compare: Option<Spanned<[String; 2]>>,
    pub algorithms: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    pub at: WireHeldAxes,
    pub y: Option<Quantity>,
    pub over: Option<Spanned<String>>,
    #[serde(default)]
    pub log: Vec<Side>,
    #[serde(default)]
    pub free: Vec<Side>,
    #[serde(rename = "with")]
    pub layers: Option<Spanned<Vec<Layer>>>,
    pub networks: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    pub panels: Vec<WirePanel>,
}

/// The keys of one panel; the figure's apply where they are missing.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePanel {
    pub heading: Option<String>,
    pub algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub at: WireHeldAxes,
    pub y: Option<Quantity>,
    pub over: Option<Spanned<String>>,
    pub log: Option<Vec<Side>>,
    pub free: Option<Vec<Side>>,
    #[serde(rename = "with")]
    pub layers: Option<Spanned<Vec<Layer>>>,
    pub band: Option<Spanned<BTreeMap<WireKey, Pair>>>,
}

/// A table `[[figures.winners]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireWinners {
    file: Spanned<String>,
    title: String,
    shows: Option<String>,
    note: Option<String>,
    #[serde(default)]
    pub page: PageFit,
    x: Spanned<WireKey>,
    y: Spanned<WireKey>,
    algorithms: Spanned<Vec<Spanned<String>>>,
    #[serde(default)]
    at: WireHeldAxes,
    over: Option<Spanned<String>>,
    /// Without effect: the values drawn decide the scale.
    #[serde(default, rename = "log")]
    _log: Vec<Side>,
}

/// The axis of message sizes, which a machine's times depend on: a caption states it also where it is the default.
const BYTES: Key = "bytes";

/// Two values of an axis.
type Pair = [Spanned<Value>; 2];

/// Values of axes with their positions in the document.
pub type WireHeldAxes = BTreeMap<WireKey, Spanned<Value>>;

/// Reads figures from a document or from options.
pub struct Reader<'a> {
    /// The document; none of options.
    pub source: Option<&'a Source>,
    /// Whether the figure draws measurements.
    pub measured: bool,
    /// What profiles state where a figure holds no value.
    pub rules: &'a Rules,
}

impl Reader<'_> {
    /// A mistake in the value of a key, which is a place in the document or an option.
    fn failure<T>(&self, key: &str, at: &Spanned<T>, [title, label, help]: [&str; 3]) -> Failure {
        let Some(source) = self.source else {
            let expected = Some(label)
                .filter(|label| label.starts_with("expected"))
                .map_or_else(String::new, |label| format!(": {label}"));
            return failure!(Usage, "--{key}: {title}{expected}; {help}");
        };
        source.failure(at.span(), title, label, help)
    }

    /// The algorithms of these names, in the order of the catalogue.
    pub fn algorithms(&self, wire: &Spanned<Vec<Spanned<String>>>) -> Result<Vec<Algorithm>> {
        let failure = |complaint: [&str; 3]| self.failure("algorithms", wire, complaint);
        let mut found = wire
            .get_ref()
            .iter()
            .map(|name| self.algorithm("algorithms", name))
            .collect::<Result<Vec<_>, _>>()?;
        found.sort_by_key(|algorithm| algorithm.rank());
        found.dedup();
        let Some(first) = found.first() else {
            let help = "name the algorithms that the figure draws";
            return Err(failure(["`algorithms` is empty", "expected a name", help]));
        };
        let unit = |algorithm: &Algorithm| algorithm.entry().problem().unit(&[]);
        if let Some(other) = found
            .iter()
            .find(|other| !self.measured && unit(other) != unit(first))
        {
            let [one, other] = [first, other].map(|algorithm| {
                format!("`{}` costs {}", algorithm.name(), unit(algorithm).plural())
            });
            let help = "draw them in separate figures";
            return Err(failure([
                &format!("{one} and {other}"),
                "named together here",
                help,
            ]));
        }
        Ok(found)
    }

    fn algorithm(&self, key: &str, name: &Spanned<String>) -> Result<Algorithm> {
        let found = Algorithm::find(name.get_ref());
        found
            .filter(|found| self.measured || matches!(found, Algorithm::Program(_)))
            .ok_or_else(|| {
                let title = format!("there is no algorithm `{}`", name.get_ref());
                let help = near::algorithms(name.get_ref());
                self.failure(key, name, [&title, "not in the catalogue", &help])
            })
    }

    /// The values at which axes of these algorithms are held.
    pub fn held_axes(&self, wire: &WireHeldAxes, all: &[Algorithm]) -> Result<HeldAxes> {
        wire.iter()
            .map(|(&WireKey(key), value)| {
                let axis = self.axis("at", key, value, all)?;
                Ok((key, self.held(axis, value)?))
            })
            .collect()
    }

    fn held(&self, axis: &Axis, value: &Spanned<Value>) -> Result<Held> {
        let toml = value.get_ref();
        let text = &toml
            .as_str()
            .map_or_else(|| toml.to_string(), str::to_owned);
        let directory = self.source.map_or(Path::new(""), Source::directory);
        if axis.key == select::MACHINE {
            return Machine::name_of(text, &directory.join(text)).map(Held::Name);
        }
        Held::parse(directory, axis, text).map_err(|expected| {
            let title = format!("`{text}` is no value of axis {}", axis.key);
            let help = "write a value that the axis takes";
            self.failure("at", value, [&title, &expected, help])
        })
    }

    /// The axis with this key. All algorithms must read it; of measured ones, which may solve different problems, one
    /// must.
    fn axis<T>(
        &self,
        place: &str,
        key: Key,
        at: &Spanned<T>,
        algorithms: &[Algorithm],
    ) -> Result<&'static Axis> {
        let all = |algorithm: &Algorithm| select::axes(algorithm.entry().problem(), self.measured);
        let of = |algorithm: &Algorithm| all(algorithm).find(|axis| axis.key == key);
        let other = algorithms.iter().find(|other| of(other).is_none());
        match (algorithms.iter().find_map(of), other) {
            (Some(axis), other) if self.measured || other.is_none() => Ok(axis),
            (_, Some(other)) => {
                let keys = joined(" ", all(other).map(|axis| axis.key));
                let help = format!("it reads {keys}; hold or draw those, or remove the algorithm");
                let title = format!("`{}` does not read the axis {key}", other.name());
                Err(self.failure(place, at, [&title, "asked for here", &help]))
            }
            (_, None) => {
                let title = format!("no algorithm reads the axis {key}");
                Err(self.failure(place, at, [&title, "asked for here", ""]))
            }
        }
    }

    /// Refuses an axis that is neither held nor drawn: one series would mix rows of several values. Measurements are
    /// checked when they are drawn.
    fn refuse_open<T>(
        &self,
        at: &Spanned<T>,
        given: impl Fn(&str) -> bool,
        all: &[Algorithm],
    ) -> Result {
        let failure = |complaint| Err(self.failure("at", at, complaint));
        for algorithm in all.iter().filter(|_| !self.measured) {
            let name = algorithm.name();
            let axes = algorithm.entry().axes();
            let on_profile = axes
                .iter()
                .any(|axis| axis.kind == Kind::Profile && given(axis.key));
            let is_read = |axis: &Axis| axis.applies(on_profile);
            if let Some(Axis { key, .. }) =
                axes.iter().find(|axis| given(axis.key) && !is_read(axis))
            {
                let title =
                    format!("`{name}` does not take the axis {key} together with the others here");
                let help = "hold a machine, or the parameters of the model";
                return failure([&title, "here", help]);
            }
            if let Some(Axis { key, .. }) = axes.iter().find(|axis| {
                axis.default.is_none() && is_read(axis) && !given(axis.key) && !is_draw(axis)
            }) {
                let title = format!("axis {key} has no value for `{name}`");
                let help =
                    format!("write `at = {{ {key} = ... }}`, or draw along it with `x` or `by`");
                return failure([&title, "without a value here", &help]);
            }
        }
        Ok(())
    }

    /// What a column is divided by.
    pub fn over(
        &self,
        wire: &Spanned<String>,
        y: Quantity,
        algorithms: &[Algorithm],
    ) -> Result<Over> {
        let failure = |complaint: [&str; 3]| Err(self.failure("over", wire, complaint));
        if wire.get_ref() == "lower_bound" {
            if !matches!(y, Quantity::Excess | Quantity::LinkRatio) {
                return Ok(Over::LowerBound);
            }
            let column = y.title();
            let title = format!("`y` is the {column}, and `over` compares it with the bound again");
            let help = "remove `over`, or draw `cost` or `link_time` over the bound";
            return failure([&title, "divided by the bound here", help]);
        }
        let over = self.algorithm("over", wire)?;
        let problem = |algorithm: &Algorithm| algorithm.entry().problem();
        if let Some(other) = algorithms
            .iter()
            .find(|other| !self.measured && problem(other) != problem(&over))
        {
            let one = over.name();
            let other = other.name();
            let title = format!("`{one}` and `{other}` solve different problems");
            let help = "divide by an algorithm of the same problem";
            return failure([&title, "divided by here", help]);
        }
        Ok(Over::Algorithm(over.name()))
    }

    /// Two algorithms that are drawn.
    fn pair(
        &self,
        wire: &Spanned<[String; 2]>,
        all: &[Algorithm],
    ) -> Result<(&'static str, &'static str)> {
        let named = |name: &String| {
            all.iter()
                .map(|algorithm| algorithm.name())
                .find(|own| own == name)
                .ok_or_else(|| {
                    let title = format!("`{name}` is not an algorithm of this figure");
                    let help = "add it to `algorithms`";
                    self.failure("compare", wire, [&title, "compared here", help])
                })
        };
        let [one, other] = wire.get_ref();
        if one == other {
            let title = format!("`{one}` is compared with itself");
            let help = "name two algorithms of the figure";
            return Err(self.failure("compare", wire, [&title, "compared here", help]));
        }
        Ok((named(one)?, named(other)?))
    }

    fn band(
        &self,
        wire: &Spanned<BTreeMap<WireKey, Pair>>,
        algorithms: &[Algorithm],
    ) -> Result<Layer> {
        let [(&WireKey(key), [low, high])] = wire.get_ref().iter().collect::<Vec<_>>()[..] else {
            let help = "write `band = { machine = [\"a\", \"b\"] }`";
            let title = "a band lies between two values of one axis";
            return Err(self.failure("band", wire, [title, "expected one axis", help]));
        };
        let axis = self.axis("band", key, wire, algorithms)?;
        Ok(Layer::Band(
            key,
            [self.held(axis, low)?, self.held(axis, high)?],
        ))
    }

    /// The axis of which each value has a line of its own.
    fn by(&self, wire: &WireLines, algorithms: &[Algorithm]) -> Result<Option<Key>> {
        let by = wire.by.as_ref().filter(|by| by.get_ref() != "algorithm");
        by.map(|by| {
            let key = key_of(by.get_ref()).map_err(|explanation| {
                let help = "write `algorithm` or an axis";
                self.failure("by", by, [&explanation, "here", help])
            })?;
            self.axis("by", key, by, algorithms).map(|axis| axis.key)
        })
        .transpose()
    }

    /// A map of the algorithms of least cost.
    ///
    /// # Errors
    /// Exit code 3, with line and column.
    pub fn winners(&self, wire: WireWinners) -> Result<Spec> {
        let WireKey(up) = *wire.y.get_ref();
        let named = wire.algorithms.clone();
        let over = wire.over.clone();
        self.axis("y", up, &wire.y, &self.algorithms(&wire.algorithms)?)?;
        let held = [wire.x.get_ref(), wire.y.get_ref()].map(|key| wire.at.contains_key(key));
        if wire.x.get_ref().0 == up || held.contains(&true) {
            let title = format!("{} and {up} do not make a plane", wire.x.get_ref().0);
            let label = "expected another axis, which `at` does not hold";
            let help = "write two axes as `x` and `y`, and the others in `at`";
            return Err(self.failure("y", &wire.y, [&title, label, help]));
        }
        let lines = WireLines {
            file: wire.file,
            title: wire.title,
            shows: wire.shows,
            note: wire.note,
            page: wire.page,
            x: wire.x,
            algorithms: wire.algorithms,
            at: wire.at,
            over: wire.over,
            measurements: None,
            table: None,
            by: None,
            compare: None,
            y: None,
            log: Vec::new(),
            free: Vec::new(),
            layers: None,
            networks: None,
            panels: Vec::new(),
        };
        let spec = self.lines(lines, Some(up))?;
        let panel = &spec.panels[0];
        if let Some(over) = over.filter(|_| {
            !panel
                .over_algorithm()
                .is_some_and(|over| panel.names().any(|name| name == over))
        }) {
            let title = "`over` is not one of the algorithms compared";
            let help = "add it to `algorithms`, so that its cost is never below the least";
            return Err(self.failure("over", &over, [title, "expected one of `algorithms`", help]));
        }
        let mut entries = panel.algorithms.iter().map(|algorithm| algorithm.entry());
        if let Some(entry) = entries.find(|entry| entry.problem().fractions) {
            let title = format!("`{}` costs fractions", entry.name);
            let label = "expected algorithms with integer costs, because ties are exact";
            let help = "draw it in a [[figures.lines]]";
            return Err(self.failure("algorithms", &named, [&title, label, help]));
        }
        Ok(spec)
    }

    /// A figure along `x`: of lines, or of cells up an axis.
    ///
    /// # Errors
    /// Exit code 3, with line and column, or 2 with the option: an algorithm, an axis or a value that does not exist or
    /// does not fit the others.
    pub fn lines(&self, wire: WireLines, up: Option<Key>) -> Result<Spec> {
        let algorithms = self.algorithms(&wire.algorithms)?;
        let x = wire.x.get_ref().0;
        let axis = self.axis("x", x, &wire.x, &algorithms)?;
        if select::is_named(axis) && (x != NETWORK || up.is_some()) {
            let title = format!("axis {x} has no numbers to draw along");
            let help = match self.source {
                Some(_) => format!("write `by = \"{x}\"` for a line each"),
                None => format!("use --by {x} for a line each"),
            };
            return Err(self.failure("x", &wire.x, [&title, "here", &help]));
        }
        let by = self.by(&wire, &algorithms)?;
        let compare = wire
            .compare
            .as_ref()
            .map(|pair| self.pair(pair, &algorithms));
        let free: Vec<Key> = [x].into_iter().chain(by).chain(up).collect();
        let one = [WirePanel::default()];
        let given = if wire.panels.is_empty() {
            &one[..]
        } else {
            &wire.panels
        };
        let cells = up.map(Layer::Cells);
        let panels = given
            .iter()
            .map(|own| self.panel(&wire, own, &free, cells.clone()));
        let named = wire.networks.as_ref().filter(|_| x != NETWORK);
        if let Some(named) = named {
            let title = format!("the figure is drawn along {x}, not along networks");
            let help = "write `x = \"network\"`, or remove `networks`";
            return Err(self.failure("networks", named, [&title, "here", help]));
        }
        Ok(Spec {
            panels: panels.collect::<Result<_, _>>()?,
            networks: wire.networks.map_or_else(Vec::new, Spanned::into_inner),
            about: About {
                file: wire.file,
                title: wire.title,
                shows: wire.shows,
                note: wire.note,
                page: wire.page,
            },
            measurements: wire.measurements,
            table: wire.table.map(Spanned::into_inner),
            x,
            by,
            compare: compare.transpose()?,
            rules: self.rules.clone(),
        })
    }

    /// A panel: its own keys, and the figure's for the rest.
    fn panel(
        &self,
        figure: &WireLines,
        own: &WirePanel,
        free: &[Key],
        cells: Option<Layer>,
    ) -> Result<Panel> {
        let named = own.algorithms.as_ref().unwrap_or(&figure.algorithms);
        let algorithms = self.algorithms(named)?;
        let mut held = self.held_axes(&figure.at, &algorithms)?;
        let own_held = self.held_axes(&own.at, &algorithms)?;
        held.extend(own_held.clone());
        let mut given = figure.at.iter().chain(&own.at);
        if let Some((WireKey(key), value)) = given.find(|(key, _)| free.contains(&key.0)) {
            let title = format!("axis {key} is drawn, so `at` holds no value of it");
            let help = "remove the value, or draw along another axis";
            return Err(self.failure("at", value, [&title, "here", help]));
        }
        // A network has its ranks.
        let has_ranks = |key: &str| key == RANKS && free.contains(&NETWORK);
        let is_given = |key: &str| held.contains_key(key) || free.contains(&key) || has_ranks(key);
        self.refuse_open(named, is_given, &algorithms)?;
        if select::on_machine(&held, free) && !self.measured && !free.contains(&BYTES) {
            algorithms[0]
                .entry()
                .axes()
                .iter()
                .find(|axis| axis.key == BYTES)
                .and_then(|axis| axis.default)
                .map(|bytes| held.entry(BYTES).or_insert(Held::Number(bytes)));
        }
        let usual = if self.measured {
            Quantity::Median
        } else {
            Quantity::Cost
        };
        let y = own.y.or(figure.y).unwrap_or(usual);
        let over = own.over.as_ref().or(figure.over.as_ref());
        let over = over
            .map(|over| self.over(over, y, &algorithms))
            .transpose()?;
        let layers = own.layers.as_ref().or(figure.layers.as_ref());
        self.check_parts(figure, named, (y, over), layers)?;
        let mut layers = layers.map_or_else(Vec::new, |layers| layers.get_ref().clone());
        let band = own.band.as_ref().map(|band| self.band(band, &algorithms));
        layers.extend(band.transpose()?.into_iter().chain(cells));
        Ok(Panel {
            heading: own.heading.clone(),
            own: own_held.into_keys().collect(),
            y,
            over,
            log: own.log.as_ref().unwrap_or(&figure.log).clone(),
            free: own.free.as_ref().unwrap_or(&figure.free).clone(),
            layers,
            algorithms,
            held,
        })
    }

    /// Whether what is drawn beside a column fits it.
    fn check_parts(
        &self,
        figure: &WireLines,
        named: &Spanned<Vec<Spanned<String>>>,
        (y, over): (Quantity, Option<Over>),
        layers: Option<&Spanned<Vec<Layer>>>,
    ) -> Result {
        let is_cost = matches!(y, Quantity::Cost | Quantity::Analytic | Quantity::Simulated);
        if let Some(table) = figure.table.as_ref().filter(|_| !is_cost || over.is_some()) {
            let title = "times of a table are drawn beside costs";
            let help = "draw costs, without `over`, or remove `table`";
            return Err(self.failure("table", table, [title, "here", help]));
        }
        let is_of_costs = over.is_none() && y != Quantity::Excess && !y.is_of_links();
        if let Some(given) = layers.filter(|layers| {
            !layers.get_ref().iter().all(|layer| match layer {
                Layer::Generated | Layer::Halves => over.is_none() && y == Quantity::LinkRatio,
                _ => is_of_costs,
            })
        }) {
            let title = "costs cannot be drawn beside a ratio, an excess or link times, and `generated` and `halves` only beside `link_ratio`";
            let help = "write `with = []` in that panel";
            return Err(self.failure("with", given, [title, "drawn beside here", help]));
        }
        let is_foreign = layers
            .into_iter()
            .flat_map(|layers| layers.get_ref())
            .any(|layer| {
                let is_of_measured = matches!(layer, Layer::Predicted | Layer::Errors);
                is_of_measured != self.measured
            });
        if is_foreign || (y == Quantity::Median) != self.measured {
            let title = "measurements have medians and predictions, sweeps have costs";
            let help = "`y = \"median\"` and `with = [\"predicted\", \"errors\"]` go with `measurements`, all others without";
            return Err(self.failure("y", named, [title, "drawn of these", help]));
        }
        Ok(())
    }
}
