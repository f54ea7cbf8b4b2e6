//! Machine profiles: LogGOPS parameters with the origin of every number.
//!
//! The profiles in `configs/machines` are built in and have names; a path that ends in `.toml` names a user's profile.
//! [`TEMPLATE`] is a start for one.

mod latencies;
mod quantity;
mod range;
mod rule;
mod sizes;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use algorithms::logp::{Level, Levels, LogGops, Placement, Profile, SizeRange};
use algorithms::problem::{Axis, Value};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::base::failure::{Code, Failure, Result};
use crate::base::units::{NONE, is_name, joined, parse_count, show_bytes};
use crate::output::diagnostics::Source;
use crate::predict::profile;
pub use quantity::Number;
use quantity::{Nanoseconds, PerByte};
pub use range::{Range, Validity};
pub use rule::{PORTS, PortRule};

/// A machine: its name, its numbers, and the origin of each.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    schema: u64,
    /// Its name in configurations and on the command line.
    pub name: String,
    /// Whether the numbers were measured.
    #[serde(default)]
    pub basis: Basis,
    /// Latency of the first byte.
    #[serde(rename = "L", skip_serializing_if = "Option::is_none")]
    latency: Option<Nanoseconds>,
    /// The latency of each pair of ranks, instead of `L`.
    #[serde(skip_serializing_if = "Option::is_none")]
    latencies: Option<latencies::File>,
    /// Overhead of the first byte, at either end.
    #[serde(rename = "o")]
    overhead: Nanoseconds,
    /// Gap between short messages.
    #[serde(rename = "g")]
    gap: Nanoseconds,
    /// Gap for each further byte.
    #[serde(rename = "G")]
    gap_per_byte: PerByte,
    /// Overhead for each further byte, at either end.
    #[serde(rename = "O", default)]
    overhead_per_byte: PerByte,
    /// Time per further byte that a message is held on its way.
    #[serde(rename = "H", default)]
    hold_per_byte: PerByte,
    /// What an exchange takes more for each further byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<PerByte>,
    /// The numbers of longer messages, from a size on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<sizes::FromSize>,
    /// The sizes for which its times match the measurement; none if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<Validity>,
    /// Time to combine a byte; none if the profile leaves it to the point.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    combining: Option<PerByte>,
    /// What the ports of a rank share; none if the profile leaves it to the point.
    #[serde(skip_serializing_if = "Option::is_none")]
    ports: Option<PortRule>,
    /// Where ranks stand on levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    placement: Option<WirePlacement>,
    /// How many ports to the network the ranks of a node share.
    #[serde(skip_serializing_if = "Option::is_none")]
    nics: Option<u64>,
    /// The levels inside the network, from the innermost one on.
    #[serde(rename = "level", default, skip_serializing_if = "Vec::is_empty")]
    levels: Vec<Near>,
    /// The machine whose ranks stand on nodes, where this one was learnt from such as well.
    #[serde(skip)]
    on_nodes: Option<Box<Self>>,
    #[serde(skip)]
    file: Option<PathBuf>,
    /// The levels, checked, with their ranges of sizes.
    #[serde(skip)]
    kept: Option<&'static Levels>,
}

/// The axis of the time to combine a byte, and its key in profiles.
pub const COMBINING: &str = "c";
/// The axis counts whole ps, profiles fs.
const FS_PER_PS: u64 = 1000;

/// How far the numbers of a profile can be trusted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Measured on such a machine.
    Measured,
    /// Derived from data about such machines.
    #[default]
    Estimated,
    /// Measured, and far from the measurements at most sizes.
    Unreliable,
    /// Learnt from measured collectives.
    Fitted,
}

impl Basis {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Unreliable => "unreliable",
            Self::Fitted => "fitted",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A level inside the network: what messages cost between two ranks of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Near {
    /// What a group is, as `node` or `socket`.
    name: String,
    /// How many ranks have a seat in one.
    ranks: u64,
    #[serde(rename = "L")]
    latency: Nanoseconds,
    #[serde(rename = "o")]
    overhead: Nanoseconds,
    #[serde(rename = "g")]
    gap: Nanoseconds,
    #[serde(rename = "G")]
    gap_per_byte: PerByte,
    #[serde(rename = "O", default)]
    overhead_per_byte: PerByte,
    #[serde(rename = "H", default)]
    hold_per_byte: PerByte,
    #[serde(skip_serializing_if = "Option::is_none")]
    x: Option<PerByte>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<sizes::FromSize>,
}

impl Near {
    fn numbers(&self) -> impl Iterator<Item = (String, String, &str)> {
        let rates = [
            &self.gap_per_byte,
            &self.overhead_per_byte,
            &self.hold_per_byte,
        ];
        numbers(
            self.latency.named("L"),
            [&self.overhead, &self.gap],
            rates,
            (self.x.as_ref(), &self.sizes),
        )
    }

    fn ranges(&self) -> Vec<SizeRange> {
        sizes::ranges(self.parameters(), self.x.as_ref(), &self.sizes)
    }

    fn parameters(&self) -> LogGops {
        let [L, o, g] = [&self.latency, &self.overhead, &self.gap].map(|time| time.value);
        let [G, O, H] = [
            &self.gap_per_byte,
            &self.overhead_per_byte,
            &self.hold_per_byte,
        ]
        .map(|time| time.value);
        LogGops { L, o, g, G, O, H }
    }
}

/// Where ranks stand: a word, or the group of the outermost level of each rank.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected `block` or `round-robin` or the node of each rank, as in [0, 1, 0]"
)]
enum WirePlacement {
    Word(Word),
    List(Vec<u32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Word {
    Block,
    RoundRobin,
}

const HELP: &str = "`castbench init machine` prints a profile to start from";

/// A profile to start from, which `castbench init machine` prints.
pub const TEMPLATE: &str = include_str!("machine/template.toml");

/// What [`is_one_line`] takes, for messages.
const NAME: &str = "one line of at most 200 bytes that names it in tables, charts and files; not `none`, and not beginning with `=`, `+`, `-` or `@`";

/// Whether a text can name a machine or a level of it.
fn is_one_line(name: &str) -> bool {
    is_name(name) && name != NONE && !name.contains(char::is_control)
}

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../configs/machines/", $name, ".toml")))),*]
    };
}

const BUILT_IN: [(&str, &str); 6] = built_in![
    "celeron333-pvm",
    "celeron333-pvm-fast-hosts",
    "celeron333-pvm-slow-hosts",
    "ethernet100-switched",
    "ethernet100-held",
    "loopback-2-cores",
];

impl Machine {
    /// The profile with this name, or in this `.toml` file; none if the name is unknown. `NAME@RANKS` is the one of NAME with
    /// so many ranks on a node.
    ///
    /// # Errors
    /// Exit code 3 for a file that is missing or invalid.
    pub fn find(name: &str, file: &Path) -> Result<Option<Self>> {
        if let Some((name, ranks)) = name.rsplit_once('@')
            && !ranks.ends_with(".toml")
            && let Some(file) = file
                .to_str()
                .and_then(|file| file.strip_suffix(&format!("@{ranks}")))
        {
            let ranks = parse_count(ranks)
                .map_err(|explanation| failure!(Usage, "`{name}@{ranks}`: {explanation}"))?;
            let machine = Self::find(name, Path::new(file))?;
            return machine
                .map(|machine| machine.with_ranks_per_node(ranks))
                .transpose();
        }
        if name.ends_with(".toml") {
            let machine = Self::parse(&Source::read(file, "machine profile")?)?;
            return Ok(Some(Self {
                file: Some(file.to_owned()),
                ..machine
            }));
        }
        built_in()
            .find(|(known, _)| *known == name)
            .map(parse_built_in)
            .transpose()
    }

    /// The profile that a configuration names.
    ///
    /// # Errors
    /// Exit code 3, with file and line, for a name that is unknown or of no machine.
    pub fn named_in(source: &Source, name: &Spanned<String>) -> Result<Self> {
        let text = name.get_ref();
        let refused = |label: &str| {
            source.failure(
                name.span(),
                format!("there is no machine `{text}`"),
                label,
                Self::names(),
            )
        };
        match Self::find(text, &source.resolve(text)) {
            Err(failure) if failure.code == Code::Usage => Err(refused(&failure.explanation())),
            found => found?.ok_or_else(|| refused("unknown machine")),
        }
    }

    /// The name in tables of the profile that is named so, or by a path.
    ///
    /// # Errors
    /// The errors of [`Machine::find`].
    pub fn name_of(name: &str, file: &Path) -> Result<String> {
        Ok(Self::find(name, file)?.map_or_else(|| name.to_owned(), |machine| machine.name))
    }

    /// The profile in this document.
    ///
    /// # Errors
    /// Exit code 3, with line and column, for an invalid document or invalid numbers.
    pub fn parse(source: &Source) -> Result<Self> {
        if profile::is_learnt(source.text()) {
            let name = Path::new(source.name())
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy();
            let learnt = profile::Profile::parse(source)?;
            let parsed = |text: String| Self::parse(&Source::built_in(source.name(), &text));
            let on_nodes = learnt.machine_of_nodes(&name).map(parsed).transpose()?;
            return Ok(Self {
                on_nodes: on_nodes.map(Box::new),
                ..parsed(learnt.machine(&name))?
            });
        }
        let machine: Self = source.parse(HELP)?;
        profile::check_schema(machine.schema, source)?;
        if !is_one_line(&machine.name) {
            let (name, found) = (source.name(), &machine.name);
            bail!(Configuration, "{name}: name = {found:?}: expected {NAME}");
        }
        let mut levels: Vec<&str> = Vec::new();
        for Near { name, .. } in &machine.levels {
            if !is_one_line(name) || levels.contains(&name.as_str()) {
                bail!(
                    Configuration,
                    "{}: [[level]] name = {name:?}: expected {NAME}; no name twice",
                    source.name()
                );
            }
            levels.push(name);
        }
        let of_levels = machine.levels.iter().flat_map(|near| &near.sizes);
        if let Some(empty) = of_levels
            .chain(&machine.sizes)
            .find(|range| range.is_empty())
        {
            bail!(
                Configuration,
                "{}: [[sizes]] from {}: expected a number that changes there, as L or G",
                source.name(),
                empty.from()
            );
        }
        let machine = machine.with_latency(source)?;
        if let (Some(ports), Some(nics)) = (machine.ports(), machine.nics)
            && ports != "strict"
        {
            bail!(
                Configuration,
                "{}: ports = {ports:?} and nics = {nics}: ranks share nics over strict ports; remove one of the keys",
                source.name()
            );
        }
        let combining = machine.combining.as_ref();
        if let Some(time) = combining.filter(|time| time.value % FS_PER_PS != 0) {
            let (name, (_, value, _)) = (source.name(), time.named(COMBINING));
            bail!(
                Configuration,
                "{name}: c = {value:?}: expected a whole number of ps per byte"
            );
        }
        machine.checked().map_err(|error| {
            let name = source.name();
            failure!(
                Configuration,
                "{name}: the numbers describe no machine: {error}"
            )
        })
    }

    /// The machine, if it has one latency or those of all pairs; these are read.
    fn with_latency(mut self, source: &Source) -> Result<Self> {
        let refuse =
            |explanation: &str| Err(failure!(Configuration, "{}: {explanation}", source.name()));
        match (&self.latency, self.latencies.take()) {
            (None, Some(_)) if self.x.is_some() || !self.sizes.is_empty() => refuse(
                "`latencies` are those of messages of all sizes; remove [[sizes]] and `x`, or give L",
            ),
            (Some(_), None)
                if self.levels.is_empty() && (self.placement.is_some() || self.nics.is_some()) =>
            {
                refuse(
                    "`placement` and `nics` are for the ranks of a node; add a [[level]], or remove them",
                )
            }
            (Some(_), None) => Ok(self),
            (None, None) => Err(source.failure(0..0, "missing field `L`", "", HELP)),
            (Some(_), Some(_)) => refuse("`L` and `latencies` are both given; remove one of them"),
            (None, Some(_))
                if !self.levels.is_empty() || self.placement.is_some() || self.nics.is_some() =>
            {
                refuse(
                    "`latencies` are those of pairs of ranks; remove [[level]], `placement` and `nics`",
                )
            }
            (None, Some(file)) => {
                let (kept, file) = file.read(source, self.parameters())?;
                Ok(Self {
                    kept: Some(kept),
                    latencies: Some(file),
                    ..self
                })
            }
        }
    }

    /// The machine, if messages of one byte have times on each level.
    fn checked(self) -> Result<Self, algorithms::error::Error> {
        self.parameters().at(1)?;
        if self.latencies.is_some() {
            return Ok(self);
        }
        let inner = self
            .levels
            .iter()
            .map(|near| {
                near.parameters().at(1).map(|_| Level {
                    ranks: near.ranks,
                    machine: near.parameters(),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let placement = match &self.placement {
            None | Some(WirePlacement::Word(Word::Block)) => Placement::Block,
            Some(WirePlacement::Word(Word::RoundRobin)) => Placement::RoundRobin,
            Some(WirePlacement::List(groups)) => Placement::List(groups.clone()),
        };
        let far = sizes::ranges(self.parameters(), self.x.as_ref(), &self.sizes);
        let ranges: Vec<_> = self.levels.iter().map(Near::ranges).chain([far]).collect();
        let levels =
            Levels::new(inner, self.parameters(), placement, self.nics)?.with_ranges(ranges)?;
        Ok(Self {
            kept: (self.has_nodes() || levels.has_ranges()).then_some(levels),
            ..self
        })
    }

    /// This machine with another number of ranks on a node, the outermost level.
    ///
    /// # Errors
    /// Exit code 2 for a machine without levels or with such a number in its name, and for a number that is none of whole groups of the
    /// level inside.
    pub fn with_ranks_per_node(mut self, ranks: u64) -> Result<Self> {
        let name = self.name.clone();
        let named = name.rsplit_once('@').map(|(_, named)| named);
        if let Some(named) = named.filter(|named| parse_count(named).is_ok()) {
            bail!(
                "machine `{name}` has two numbers of ranks on a node, {named} and {ranks}; write --ranks-per-node or NAME@COUNT, once"
            );
        }
        if let Some(machine) = self.on_nodes.take() {
            let nics = machine.nics.filter(|&nics| nics < ranks);
            self = Self {
                nics,
                file: self.file,
                ..*machine
            };
        }
        let Some(node) = self.levels.last_mut() else {
            bail!(
                "--ranks-per-node: `{name}` has no [[level]]: `castbench init machine` shows one, and `castbench fit` learns one from times of several ranks on a node"
            );
        };
        node.ranks = ranks;
        self.name = format!("{name}@{ranks}");
        self.file = self
            .file
            .map(|file| format!("{}@{ranks}", file.display()).into());
        self.checked()
            .map_err(|error| failure!(Usage, "--ranks-per-node {ranks}: {error}"))
    }

    /// All built-in profiles.
    ///
    /// # Errors
    /// None: a test reads them all.
    pub fn built_in() -> Result<Vec<Self>> {
        built_in().map(parse_built_in).collect()
    }

    /// The built-in profiles but learnt machines, which take longer to read.
    ///
    /// # Errors
    /// None: a test reads them all.
    pub fn not_learnt() -> Result<Vec<Self>> {
        BUILT_IN.into_iter().map(parse_built_in).collect()
    }

    /// A measured machine: L, o, g, G, O and H.
    pub fn measured(name: String, basis: Basis, [L, o, g, G, O, H]: [Number; 6]) -> Self {
        Self {
            schema: 1,
            name,
            basis,
            latency: Some(L.into()),
            overhead: o.into(),
            gap: g.into(),
            gap_per_byte: G.into(),
            overhead_per_byte: O.into(),
            hold_per_byte: H.into(),
            ..Self::default()
        }
    }

    /// The machine with L, o, g, G, O and H of its own from each of these sizes on.
    ///
    /// # Errors
    /// The errors of [`Levels::with_ranges`].
    pub fn measured_from(
        self,
        ranges: Vec<(u64, [Number; 6])>,
    ) -> Result<Self, algorithms::error::Error> {
        let sizes = ranges
            .into_iter()
            .map(|(from, numbers)| sizes::FromSize::measured(from, numbers))
            .collect();
        Self { sizes, ..self }.checked()
    }

    /// The machine on which exchanges take longer from these sizes on, x ps per byte.
    ///
    /// # Errors
    /// The errors of [`Levels::with_ranges`].
    pub fn with_exchange(
        mut self,
        ranges: Vec<(u64, Number)>,
    ) -> Result<Self, algorithms::error::Error> {
        for (from, x) in ranges {
            sizes::FromSize::set_exchange(&mut self.sizes, from, x);
        }
        self.checked()
    }

    /// The machine on whose nodes so many ranks are as near as on another one, and how many ports to the network they share: all
    /// have their own where these are as many.
    ///
    /// # Errors
    /// The errors of [`Levels::new`].
    pub fn with_node(
        mut self,
        near: Self,
        ranks: u64,
        is_round_robin: bool,
        nics: Number,
    ) -> Result<Self, algorithms::error::Error> {
        self.gap_per_byte.add_origin(&nics.origin);
        self.levels = vec![Near {
            name: "node".to_owned(),
            ranks,
            latency: near.latency.unwrap_or_default(),
            overhead: near.overhead,
            gap: near.gap,
            gap_per_byte: near.gap_per_byte,
            overhead_per_byte: near.overhead_per_byte,
            hold_per_byte: near.hold_per_byte,
            x: near.x,
            sizes: near.sizes,
        }];
        self.placement = is_round_robin.then_some(WirePlacement::Word(Word::RoundRobin));
        self.nics = (nics.value < ranks).then_some(nics.value);
        self.checked()
    }

    /// The machine without a rule of ports.
    pub fn without_ports(self) -> Self {
        Self {
            ports: None,
            ..self
        }
    }

    /// The machine with this rule of ports.
    pub fn with_ports(self, ports: PortRule) -> Self {
        Self {
            ports: Some(ports),
            ..self
        }
    }

    /// The rule of ports that the profile states.
    pub fn ports(&self) -> Option<&'static str> {
        self.ports.as_ref().map(PortRule::word)
    }

    /// The value of an axis that the profile states.
    pub fn stated(&self, axis: &Axis) -> Value {
        match axis.key {
            PORTS => self.ports.as_ref().map(|ports| ports.value),
            COMBINING => self.combining.as_ref().map(|time| time.value / FS_PER_PS),
            _ => None,
        }
    }

    /// The value of an axis for which a point on this machine gives none: that of the profile, else the default.
    pub fn value_of(&self, axis: &Axis) -> Value {
        self.stated(axis).or(axis.default)
    }

    /// The profile as a file.
    ///
    /// # Errors
    /// Exit code 1 if TOML cannot hold it.
    pub fn toml(&self) -> Result<String> {
        toml::to_string(self).map_err(Failure::internal)
    }

    /// A message that lists the machines.
    pub fn names() -> String {
        let known = joined(", ", built_in().map(|(known, _)| known));
        format!("the machines are {known}; name your own profile by its path, ending in .toml")
    }

    /// How the command line names this machine.
    pub fn spelling(&self) -> String {
        self.file
            .as_ref()
            .map_or_else(|| self.name.clone(), |file| file.display().to_string())
    }

    /// The numbers between ranks as far apart as they can be, without their origins.
    pub fn parameters(&self) -> LogGops {
        let [o, g] = [&self.overhead, &self.gap].map(|time| time.value);
        let [G, O, H] = [
            &self.gap_per_byte,
            &self.overhead_per_byte,
            &self.hold_per_byte,
        ]
        .map(|time| time.value);
        let farthest = self.kept.map_or(0, |levels| levels.network().L);
        let L = self
            .latency
            .as_ref()
            .map_or(farthest, |latency| latency.value);
        LogGops { L, o, g, G, O, H }
    }

    /// All numbers, without their origins.
    pub fn profile(&self) -> Profile {
        self.kept
            .map_or_else(|| self.parameters().into(), Profile::Levels)
    }

    /// Whether messages that cross take longer.
    pub fn has_exchange(&self) -> bool {
        self.kept.is_some_and(Levels::has_exchange)
    }

    /// Whether all messages see the same parameters.
    pub fn is_flat(&self) -> bool {
        self.kept.is_none()
    }

    /// Whether ranks are near or far.
    pub fn has_levels(&self) -> bool {
        self.has_nodes() || self.latencies.is_some()
    }

    /// Whether ranks stand on nodes, which have several of them.
    pub fn has_nodes(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Whether it takes a number of ranks on a node.
    pub fn takes_nodes(&self) -> bool {
        self.has_nodes() || self.on_nodes.is_some()
    }

    /// The word for its placement and the node of each of K ranks, numbered without gaps; none for a machine without nodes.
    ///
    /// # Errors
    /// The errors of [`Levels::check`].
    pub fn nodes(
        &self,
        K: u32,
    ) -> Result<Option<(&'static str, Vec<u32>)>, algorithms::error::Error> {
        let Some(levels) = self.kept else {
            return Ok(None);
        };
        levels.check(K.into())?;
        let nodes: Vec<u64> = (0..K).map(|rank| levels.node(K.into(), rank).0).collect();
        let known: BTreeSet<u64> = nodes.iter().copied().collect();
        let numbers: BTreeMap<u64, u32> = known.into_iter().zip(0..).collect();
        let word = match self.placement {
            None | Some(WirePlacement::Word(Word::Block)) => "block",
            Some(WirePlacement::Word(Word::RoundRobin)) => "round-robin",
            Some(WirePlacement::List(_)) => "list",
        };
        Ok(self
            .has_nodes()
            .then(|| (word, nodes.iter().map(|node| numbers[node]).collect())))
    }

    /// Symbol, value with unit, and origin of every number; symbols of a level begin with its name.
    pub fn numbers(&self) -> Vec<(String, String, &str)> {
        let rates = [
            &self.gap_per_byte,
            &self.overhead_per_byte,
            &self.hold_per_byte,
        ];
        let latency = match (&self.latency, &self.latencies) {
            (Some(latency), _) => latency.named("L"),
            (None, file) => {
                let machines = self.kept.and_then(Levels::of_latencies).unwrap_or_default();
                let [least, largest] = [machines.first(), machines.last()]
                    .map(|machine| machine.map_or(0, |own| own.L));
                (
                    "L",
                    format!("{least} to {largest} ns"),
                    file.as_ref().map_or("", latencies::File::name),
                )
            }
        };
        let own = numbers(
            latency,
            [&self.overhead, &self.gap],
            rates,
            (self.x.as_ref(), &self.sizes),
        );
        let mut all: Vec<_> = own.collect();
        all.extend(
            self.nics
                .map(|nics| ("nics".to_owned(), nics.to_string(), "")),
        );
        let combining = self.combining.as_ref().map(|time| time.named(COMBINING));
        all.extend(combining.map(|(symbol, value, origin)| (symbol.to_owned(), value, origin)));
        all.extend(self.ports.as_ref().map(|ports| {
            (
                PORTS.to_owned(),
                ports.word().to_owned(),
                ports.origin.as_str(),
            )
        }));
        for (level, near) in self.levels.iter().enumerate() {
            let symbol = |symbol: &str| self.symbol(symbol, Some(level), None);
            all.push((symbol("ranks"), near.ranks.to_string(), ""));
            all.extend(
                near.numbers()
                    .map(|(own, value, origin)| (symbol(&own), value, origin)),
            );
        }
        all
    }

    /// The symbol of a number of a level, none is the network, for messages from a size on.
    pub fn symbol(&self, letter: &str, level: Option<usize>, from: Option<u64>) -> String {
        let level = level.and_then(|level| self.levels.get(level));
        let level = level.map_or_else(String::new, |level| format!("{} ", level.name));
        // What messages of one byte have is a level's own.
        let from = from.filter(|&from| from > 1);
        let from = from.map_or_else(String::new, |from| format!(" from {}", show_bytes(from)));
        format!("{level}{letter}{from}")
    }
}

/// Symbol, value with unit, and origin of the numbers of the network or a level, whose L is `latency`.
fn numbers<'a>(
    latency: (&'static str, String, &'a str),
    [o, g]: [&'a Nanoseconds; 2],
    [G, O, H]: [&'a PerByte; 3],
    (x, sizes): (Option<&'a PerByte>, &'a [sizes::FromSize]),
) -> impl Iterator<Item = (String, String, &'a str)> {
    [
        latency,
        o.named("o"),
        g.named("g"),
        G.named("G"),
        O.named("O"),
        H.named("H"),
    ]
    .into_iter()
    .chain(x.map(|x| x.named("x")))
    .map(|(symbol, value, origin)| (symbol.to_owned(), value, origin))
    .chain(sizes.iter().flat_map(sizes::FromSize::numbers))
}

/// Name and text of each built-in profile.
fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILT_IN.into_iter().chain(profile::BUILT_IN)
}

fn parse_built_in((name, text): (&str, &str)) -> Result<Machine> {
    Machine::parse(&Source::built_in(
        &format!("configs/machines/{name}.toml"),
        text,
    ))
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::find;
    use algorithms::cost::Limits;
    use algorithms::problem::Setting;

    use super::*;
    use crate::record::rounded;

    #[test]
    fn built_in_profiles_are_valid_and_named_as_their_files() {
        for ((name, _), machine) in built_in().zip(Machine::built_in().unwrap()) {
            assert_eq!(machine.name, name);
            for (symbol, _, origin) in machine.numbers() {
                assert!(origin.len() > 20, "{name}: where does {symbol} come from?");
            }
        }
    }

    /// A hop up to the eager limit, and one beyond it: the o of its sender, all L and Lr, G for each byte, and H up to the limit.
    #[test]
    fn a_learnt_machine_has_its_eager_limit() {
        let lumi = Machine::find("lumi", Path::new("lumi"))
            .unwrap_or_else(|f| panic!("{}", f.message))
            .unwrap();
        let (_, text) = built_in().find(|(name, _)| *name == "lumi").unwrap();
        let file: toml::Table = text.parse().unwrap();
        let all = file["parameter"].as_array().unwrap();
        let [L, Lr, o, G, H] = ["L", "Lr", "o", "G", "H"].map(|symbol| {
            let mut all = all.iter();
            let found = all.find(|one| one["symbol"].as_str() == Some(symbol));
            found.unwrap()["value"].as_float().unwrap()
        });
        let eager = u32::try_from(file["eager_limit_bytes"].as_integer().unwrap()).unwrap();
        let hop = |bytes: u64| lumi.profile().at(bytes).unwrap().D() as f64;
        assert!(
            (hop(eager.into()) - (L + o + f64::from(eager - 1) * (G + H))).abs() < 3.0,
            "{}",
            hop(eager.into())
        );
        let long = L + Lr + o + f64::from(eager) * H + f64::from(1 << 20) * G;
        assert!((hop(1 << 20) - long).abs() < 5.0, "{} {long}", hop(1 << 20));
    }

    /// LUMI has four nics on a node: G / Gn = 3.8. As a flat machine it has none, and a machine without times of several ranks on a node
    /// cannot have nodes.
    #[test]
    fn a_learnt_machine_has_nodes_where_they_were_measured() {
        let find = |name: &str| Machine::find(name, Path::new(name)).map(Option::unwrap);
        let flat = find("lumi").unwrap_or_else(|f| panic!("{}", f.message));
        assert!(flat.levels.is_empty() && flat.nics.is_none());
        let lumi = find("lumi@56").unwrap_or_else(|f| panic!("{}", f.message));
        let node = &lumi.levels[0];
        assert_eq!((lumi.nics, node.ranks), (Some(4), 56));
        assert_eq!(find("lumi@2").map(|machine| machine.nics).ok(), Some(None));
        // Of the network only the gap of short messages is another one.
        let at = |machine: &Machine, bytes| machine.parameters().at(bytes).unwrap();
        for bytes in [1, 512, 1 << 20] {
            assert_eq!(at(&lumi, bytes).D(), at(&flat, bytes).D());
        }
        assert!(lumi.gap.value < flat.gap.value && node.gap.value < flat.gap.value);
        let (_, text) = built_in().find(|(name, _)| *name == "lumi").unwrap();
        let inside = ["Li", "Gi", "Gn", "on"].map(|symbol| format!("symbol = \"{symbol}\""));
        let told = text.split("[[parameter]]").map(|own| {
            let is_inside = inside.iter().any(|symbol| own.contains(symbol));
            let untold = own.replace(
                "; fitted; 90 % interval",
                "; not told by these data: from the prior\" #",
            );
            if is_inside { untold } else { own.to_owned() }
        });
        let told = told.collect::<Vec<_>>().join("[[parameter]]");
        let machine = Machine::parse(&Source::built_in("x.toml", &told)).unwrap();
        let why = machine.with_ranks_per_node(8).err().unwrap().message;
        assert!(why.contains("several ranks on a node"), "{why}");
    }

    #[test]
    fn ranks_stand_on_nodes_without_gaps() {
        let nodes = |placement: &str, K| {
            let near = "[[level]]\nname = \"node\"\nranks = 2\nL = \"1us\"\no = \"1us\"\ng = \"1us\"\nG = \"1ps\"\n";
            let far =
                "schema = 1\nname = \"c\"\nL = \"9us\"\no = \"1us\"\ng = \"1us\"\nG = \"1ps\"\n";
            let machine = Machine::parse(&Source::built_in(
                "c",
                &format!("{far}placement = {placement}\n{near}"),
            ));
            machine
                .unwrap_or_else(|failure| panic!("{}", failure.message))
                .nodes(K)
        };
        assert_eq!(
            nodes("\"block\"", 5).unwrap(),
            Some(("block", vec![0, 0, 1, 1, 2]))
        );
        assert_eq!(
            nodes("\"round-robin\"", 5).unwrap(),
            Some(("round-robin", vec![0, 1, 2, 0, 1]))
        );
        assert_eq!(
            nodes("[7, 2, 7, 4294967295]", 4).unwrap(),
            Some(("list", vec![1, 0, 1, 2]))
        );
        assert!(nodes("[7, 2]", 3).is_err());
        assert_eq!(Machine::built_in().unwrap()[0].nodes(3).unwrap(), None);
    }

    #[test]
    fn the_template_is_a_profile() {
        let machine = Machine::parse(&Source::built_in("template", TEMPLATE))
            .unwrap_or_else(|f| panic!("{}", f.message));
        let parameters = machine.parameters();
        assert_eq!(
            (machine.basis, parameters.L, parameters.G),
            (Basis::Estimated, 1500, 82_000)
        );
        assert_eq!((parameters.O, parameters.H), (0, 0));
        assert_eq!(machine.numbers()[4].2, "left out");
    }

    #[test]
    fn the_directory_holds_no_other_profile() {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/machines");
        assert_eq!(
            std::fs::read_dir(directory).unwrap().count(),
            built_in().count()
        );
    }

    /// The two measured profiles predict the measured times of halving and Fibonacci on one host per node, median of
    /// five in ms, within 1.5 %.
    #[test]
    fn measured_profiles_predict_the_measurements() {
        let measured = [
            ("ethernet100-switched", 1, 8, [268.0, 356.6]),
            ("ethernet100-switched", 1, 12, [361.0, 535.0]),
            ("ethernet100-switched", 1, 18, [446.0, 540.0]),
            ("ethernet100-switched", 4, 8, [1070.0, 1426.0]),
            ("ethernet100-switched", 4, 12, [1426.0, 2144.0]),
            ("ethernet100-switched", 4, 18, [1788.0, 2144.0]),
            ("ethernet100-held", 1, 8, [534.5, 446.1]),
            ("ethernet100-held", 4, 8, [2139.0, 1783.0]),
        ];
        for (name, mib, K, times) in measured {
            let machine = Machine::find(name, Path::new(name)).ok().flatten().unwrap();
            let setting = Setting {
                profiles: vec![machine.profile()],
            };
            let values = [Some(0), Some(mib << 20), None, None, None, Some(K), Some(1)];
            for (tree, time) in ["halving", "fibonacci"].into_iter().zip(times) {
                let evaluation = find(tree)
                    .unwrap()
                    .evaluate(&setting, &values, &Limits::default())
                    .unwrap();
                let predicted = rounded(&evaluation.analytic.unwrap()).unwrap() / 1e6;
                assert!(
                    (predicted / time - 1.0).abs() < 0.015,
                    "{tree} on {name}, {mib} MiB, K={K}: {predicted} ms"
                );
            }
        }
    }
}
