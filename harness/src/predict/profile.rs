//! A learnt machine as a file: parameters with their origin, and the measured times, which predictions need.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::features::{self, COUNT, PARAMETERS};
use super::fit::Parameters;
use super::learned::Learned;
use super::measured::{File, Label, MAX_RANKS, Row, Size};
use super::process::NINETY;
use super::score;
use crate::base::failure::{Code, Failure, Result};
use crate::output::diagnostics::Source;

/// A profile.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    schema: u64,
    basis: Basis,
    /// Longer messages wait for their receiver.
    eager_limit_bytes: u32,
    /// The rows of the files that were used; none if all.
    #[serde(skip_serializing_if = "Option::is_none")]
    train: Option<String>,
    /// Usual names of algorithms with other labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, String>,
    /// The libraries that ran, where the table says it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub libraries: BTreeSet<String>,
    data: Vec<File>,
    parameter: Vec<Parameter>,
    measured: Vec<Measured>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Basis {
    Fitted,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameter {
    symbol: String,
    value: f64,
    unit: String,
    origin: String,
}

impl Parameter {
    /// A parameter of which nothing was measured.
    fn before(known: &features::Parameter) -> Self {
        Self {
            symbol: known.symbol.to_owned(),
            value: known.median,
            unit: known.unit.to_owned(),
            origin: format!("{}; {UNTOLD}", known.holds),
        }
    }
}

/// The origin of a parameter that measurements say nothing of.
const UNTOLD: &str = "not told by these data: from the prior";

/// The times of an algorithm.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Measured {
    collective: String,
    algorithm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<String>,
    /// Ranks of each node.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    ranks_per_node: u64,
    /// Ranks, bytes, ns.
    times: Vec<[u64; 3]>,
}

fn one() -> u64 {
    1
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

const HELP: &str = "`castbench fit DATA --out FILE` writes a profile";

/// The learnt machines that have names.
pub const BUILT_IN: [(&str, &str); 2] = [
    ("lumi", include_str!("../../configs/machines/lumi.toml")),
    (
        "mare-nostrum-5",
        include_str!("../../configs/machines/mare-nostrum-5.toml"),
    ),
];

/// What a learnt machine says of O.
const NO_O: &str = "O = { value = \"0ps\", origin = \"the learnt model has none: bytes are copied beside the messages\" }\n";

/// What a learnt machine says of ports.
const PORTS: &str = "ports = { value = \"strict\", origin = \"its numbers are fitted to programs on strict ports\" }\n";

/// The origin of a number of a profile of LogGOPS.
const LEARNT: &str = "learnt from measured collectives by `castbench fit`";

/// A time in a profile of LogGOPS.
fn ns(symbol: &str, value: f64, origin: &str) -> String {
    format!("{symbol} = {{ value = \"{value:.0}ns\", origin = {origin:?} }}\n")
}

/// L and o of a message that takes so long, of which the sender is busy for `o`: in LogP its receiver is as long, too.
fn ends(hop: f64, o: f64) -> [f64; 2] {
    let o = o.round().min((hop / 2.0).floor());
    [hop - 2.0 * o, o]
}

/// A time per byte.
fn ps(symbol: &str, ns: f64, origin: &str) -> String {
    let value = 1000.0 * ns;
    format!("{symbol} = {{ value = \"{value:.3}ps\", origin = {origin:?} }}\n")
}

/// How learnt machines begin, so that they replace no other TOML.
pub const MADE: &str = "# Learnt by `castbench fit`\n";

/// A learnt machine as a file.
///
/// # Errors
/// Exit code 1 if TOML cannot hold it.
pub fn document(learnt: &impl Serialize) -> Result<String> {
    let text = toml::to_string(learnt).map_err(Failure::internal)?;
    Ok(MADE.to_owned() + &text)
}

/// Whether a document is a learnt machine, and not a profile of LogGOPS.
pub fn is_learnt(text: &str) -> bool {
    text.contains("\n[[parameter]]")
}

/// The document of a profile: of a learnt machine with this name, or a file.
///
/// # Errors
/// Exit code 3 for a file that cannot be read.
pub fn source(name: &str, file: &Path) -> Result<Source> {
    match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(Source::built_in(
            &format!("configs/machines/{name}.toml"),
            text,
        )),
        None if file.exists() || name.ends_with(".toml") => Source::read(file, "profile"),
        None => {
            let known: Vec<&str> = BUILT_IN.iter().map(|(known, _)| *known).collect();
            let known = known.join(", ");
            Err(failure!(
                Configuration,
                "there is no learnt machine `{name}`; there are {known}; `castbench fit` writes the profile of another"
            ))
        }
    }
}

/// Refuses the document of a machine with another schema.
///
/// # Errors
/// Exit code 3.
pub fn check_schema(schema: u64, source: &Source) -> Result {
    let explanation = format_args!(
        "{}: this castbench reads schema 1, not schema {schema}",
        source.name()
    );
    if schema == 1 {
        Ok(())
    } else {
        Err(Failure::new(Code::Configuration, explanation))
    }
}

impl Profile {
    /// The profile of a machine that was learnt from these files.
    pub fn new(
        learned: &Learned,
        data: &[File],
        train: Option<&str>,
        names: &BTreeMap<String, String>,
    ) -> Self {
        let (uninformed, deviations) = (learned.uninformed(), learned.deviations());
        let parameter = |index: usize| {
            let (known, value, deviation) = (
                &PARAMETERS[index],
                learned.parameters.values[index],
                deviations[index],
            );
            let (low, high) = (
                value * (-NINETY * deviation).exp(),
                value * (NINETY * deviation).exp(),
            );
            let explanation = if uninformed.contains(&known.symbol) {
                UNTOLD.to_owned()
            } else {
                format!("fitted; 90 % interval {low:.3} to {high:.3}")
            };
            Parameter {
                symbol: known.symbol.to_owned(),
                value,
                unit: known.unit.to_owned(),
                origin: format!("{}; {explanation}", known.holds),
            }
        };
        let mut measured: BTreeMap<(&Label, u64), Vec<[u64; 3]>> = BTreeMap::new();
        for row in &learned.rows {
            measured
                .entry((&row.label, row.size.node))
                .or_default()
                .push([row.size.ranks, row.size.bytes, row.ns]);
        }
        let of = |((label, ranks_per_node), times): ((&Label, u64), Vec<[u64; 3]>)| Measured {
            collective: label.collective.clone(),
            algorithm: label.algorithm.clone(),
            rejected: learned.rejected.get(label).cloned(),
            ranks_per_node,
            times,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "one of `fit::EAGER`"
        )]
        let eager_limit_bytes = learned.parameters.eager as u32;
        Self {
            schema: 1,
            basis: Basis::Fitted,
            eager_limit_bytes,
            train: train.map(str::to_owned),
            names: names.clone(),
            libraries: learned
                .rows
                .iter()
                .filter_map(|row| Some(row.library()?.to_owned()))
                .collect(),
            data: data.to_vec(),
            parameter: (0..COUNT).map(parameter).collect(),
            measured: measured.into_iter().map(of).collect(),
        }
    }

    /// The profile as a file.
    ///
    /// # Errors
    /// Exit code 1 if TOML cannot hold it.
    pub fn toml(&self) -> Result<String> {
        document(self)
    }

    /// The profile in a document.
    ///
    /// # Errors
    /// Exit code 3, with its position, for a document that is not such a profile.
    pub fn parse(source: &Source) -> Result<Self> {
        let mut profile: Self = source.parse(HELP)?;
        let refuse =
            |explanation: String| Err(failure!(Configuration, "{}: {explanation}", source.name()));
        check_schema(profile.schema, source)?;
        // Profiles of one rank per node were written without what several share.
        let count = profile.parameter.len();
        let missing = PARAMETERS
            .iter()
            .skip(count)
            .filter(|_| count >= features::FLAT);
        profile.parameter.extend(missing.map(Parameter::before));
        let symbols: Vec<&str> = profile
            .parameter
            .iter()
            .map(|parameter| parameter.symbol.as_str())
            .collect();
        let known: Vec<&str> = PARAMETERS
            .iter()
            .map(|parameter| parameter.symbol)
            .collect();
        if symbols != known {
            return refuse(format!(
                "expected the parameters {} in this order; {HELP}",
                known.join(" ")
            ));
        }
        if let Some(wrong) = profile
            .parameter
            .iter()
            .find(|parameter| !(1e-9..1e12).contains(&parameter.value))
        {
            return refuse(format!(
                "{} = {}: expected 1e-9 to 1e12; {HELP}",
                wrong.symbol, wrong.value
            ));
        }
        let mut units = profile.parameter.iter().zip(&PARAMETERS);
        if let Some((wrong, known)) = units.find(|(own, known)| own.unit != known.unit) {
            return refuse(format!(
                "{} in {}: expected {}; {HELP}",
                wrong.symbol, wrong.unit, known.unit
            ));
        }
        let of = |measured| {
            let Measured {
                times,
                ranks_per_node,
                ..
            }: &Measured = measured;
            times
                .iter()
                .map(move |&[ranks, bytes, ns]| ([ranks, bytes, ns], *ranks_per_node))
        };
        let is_wrong = |&([ranks, bytes, ns], node): &([u64; 3], u64)| {
            !(2..=MAX_RANKS).contains(&ranks)
                || node == 0
                || ranks % node > 0
                || bytes == 0
                || ns == 0
        };
        if let Some((wrong, node)) = profile.measured.iter().flat_map(of).find(is_wrong) {
            return refuse(format!(
                "{wrong:?} with {node} ranks per node: expected 2 to {MAX_RANKS} ranks, as many on each node, and bytes and ns above 0; {HELP}"
            ));
        }
        score::check_rows(&profile.rows()).map(|()| profile)
    }

    /// The profile of LogGOPS that has these parameters: an eager limit is a range of sizes. The time per call, what inner ranks take in,
    /// copies and temporary memory are not in it, nor what a byte of a vector beyond the cache takes more.
    pub fn machine(&self, name: &str) -> String {
        self.with_network(name, &ns("g", self.number("o"), LEARNT))
    }

    /// The profile of LogGOPS of the same machine with two ranks on each node; none if times of one rank on each node alone were learnt
    /// from. q ranks of a node that send at once take `(q-1)(on + s Gn)` more: so many nics as go into G, and a gap between their messages
    /// that comes to as much. What all ranks move in memory is not in it.
    pub fn machine_of_nodes(&self, name: &str) -> Option<String> {
        let inside = ["Li", "Gi", "Gn", "on"];
        let is_told = |symbol: &&str| !self.parameter(symbol).origin.ends_with(UNTOLD);
        inside.iter().find(|symbol| is_told(symbol))?;
        let [Li, Gi, Gn, on] = inside.map(|symbol| self.number(symbol));
        let nics = (self.number("G") / Gn).round().max(1.0);
        let origin = |symbol| format!("{symbol}: {}", self.parameter(symbol).origin);
        let shared = format!("{nics} nics, as G / Gn; {}; {}", origin("Gn"), origin("on"));
        let network = format!("nics = {nics}\n") + &ns("g", nics * on, &shared);
        // All of Li is the sender's, which is then half at either end.
        let [L, o] = ends(Li, Li);
        let level = ns("L", L, &origin("Li")) + &ns("o", o, LEARNT) + &ns("g", Li, LEARNT);
        Some(
            self.with_network(name, &network)
                + "[[level]]\nname = \"node\"\nranks = 2\n"
                + &level
                + &ps("G", Gi, &origin("Gi"))
                + NO_O,
        )
    }

    /// A profile of LogGOPS with these keys of the network.
    fn with_network(&self, name: &str, network: &str) -> String {
        let [L, Lr, o, G, H, x, c] =
            ["L", "Lr", "o", "G", "H", "x", "c_in"].map(|symbol| self.number(symbol));
        let eager = self.eager_limit_bytes;
        let above_eager = o + L + Lr + (G + H) * f64::from(eager);
        let [L, o] = ends(o + L, o);
        [
            format!("schema = 1\nname = {name:?}\nbasis = \"fitted\"\n"),
            network.to_owned(),
            ns("L", L, LEARNT) + &ns("o", o, LEARNT),
            ps("G", G, LEARNT) + NO_O + &ps("H", H, LEARNT),
            ps("c", (c * 1000.0).round() / 1000.0, LEARNT) + PORTS,
            format!("[[sizes]]\nfrom = \"{}B\"\n", eager + 1),
            ns("L", above_eager - 2.0 * o, LEARNT) + &ps("H", 0.0, LEARNT) + &ps("x", x, LEARNT),
        ]
        .concat()
    }

    fn parameter(&self, symbol: &str) -> &Parameter {
        let of = |known: &features::Parameter| known.symbol == symbol;
        let index = PARAMETERS.iter().position(of);
        &self.parameter[index.unwrap_or_default()]
    }

    fn number(&self, symbol: &str) -> f64 {
        self.parameter(symbol).value
    }

    fn rows(&self) -> Vec<Row> {
        let rows = |measured: &Measured| {
            let label = Label {
                collective: measured.collective.clone(),
                algorithm: measured.algorithm.clone(),
            };
            let known_as = self.names.get(&measured.algorithm).map(String::as_str);
            let node = measured.ranks_per_node;
            let row = |&[ranks, bytes, ns]: &[u64; 3]| {
                Row::new(label.clone(), Size { ranks, node, bytes }, ns, known_as)
            };
            measured
                .times
                .iter()
                .map(row)
                .filter(|row| row.program.is_some() || row.is_default())
                .collect::<Vec<_>>()
        };
        self.measured.iter().flat_map(rows).collect()
    }

    /// What each byte takes at the port of a node.
    pub fn ns_per_byte(&self) -> f64 {
        self.parameter[features::G].value
    }

    /// The name of castbench for an algorithm of the measurements.
    pub fn usual<'a>(&'a self, algorithm: &'a String) -> &'a str {
        self.names.get(algorithm).unwrap_or(algorithm)
    }

    /// The machine.
    pub fn learned(&self) -> Learned {
        let values = std::array::from_fn(|index| self.parameter[index].value);
        let parameters = Parameters {
            values,
            eager: f64::from(self.eager_limit_bytes),
        };
        let rejected = self.measured.iter().filter_map(
            |Measured {
                 collective,
                 algorithm,
                 rejected,
                 ..
             }| {
                Some((
                    Label {
                        collective: collective.clone(),
                        algorithm: algorithm.clone(),
                    },
                    rejected.clone()?,
                ))
            },
        );
        Learned::new(parameters, self.rows(), rejected.collect())
    }
}
