//! A table `[[measurement]]`: its own keys, and a key for each axis of the problems in which processors send messages.

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use algorithms::catalogue::{entries, find};
use algorithms::problem::{Entry, Kind};
use measure::emulated::MAX_HOSTS;
use measure::hosts::Mapping;
use measure::library::Library;
use measure::settings::Transport;

use serde::Deserialize;
use toml::Spanned;

use super::{MAX_BYTES, MAX_NODES, MAX_POINTS, Measurement, NODES, SOURCE};
use crate::base::count::Count;
use crate::base::failure::{Failure, Result};
use crate::base::near;
use crate::base::units::{distinct, grouped, joined, show_bytes};
use crate::output::diagnostics::{KEYS, Source};
use crate::record::measurement::Algorithm;
use crate::space::machine::Machine;
use crate::space::tables::{self, Keys, WireAxis};
use crate::space::{Key, Words};

/// The algorithms in which processors send messages.
static MEASURED: LazyLock<Vec<Entry>> =
    LazyLock::new(|| entries().iter().copied().filter(is_measured).collect());

/// Whether ranks execute it: they send messages, and no switch combines them.
fn is_measured(entry: &Entry) -> bool {
    entry.sends() && !entry.name.ends_with("-switch")
}

#[derive(Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table [[measurement]] with a name, sizes and the values of its axes"
)]
pub(super) struct WireMeasurement {
    pub name: Spanned<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    bytes: Spanned<WireAxis>,
    machine: Spanned<String>,
    source: Option<Spanned<Count>>,
    hosts: Option<Spanned<Count>>,
    ranks_per_node: Option<Spanned<Count>>,
    mapping: Option<Spanned<Vec<Mapping>>>,
    hold_ps_per_byte: Option<Spanned<WireAxis>>,
    #[serde(deserialize_with = "tables::axes::<MeasurementKeys, _>")]
    axes: BTreeMap<Key, Spanned<WireAxis>>,
}

/// The keys of a measurement, whose axes have a list of whole numbers or words.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MeasurementKeys;

impl Keys for MeasurementKeys {
    const OWN: &[&str] = &[
        "name",
        "algorithms",
        "bytes",
        "machine",
        SOURCE,
        "hosts",
        RANKS_PER_NODE,
        "mapping",
        "hold_ps_per_byte",
    ];

    fn axes() -> Vec<(&'static str, Key)> {
        let all = MEASURED.iter().flat_map(|entry| entry.axes());
        let listed = all
            .filter(|axis| matches!(axis.kind, Kind::Count | Kind::Word(_)) && axis.key != SOURCE);
        distinct(listed.map(|axis| (axis.key, axis.key)))
    }
}

const RANKS_PER_NODE: &str = "ranks_per_node";

impl WireMeasurement {
    fn gives(&self, key: &str) -> bool {
        self.axes.contains_key(key) || key == SOURCE && self.source.is_some()
    }
}

/// A document whose tables are checked.
pub(super) struct Check<'a> {
    pub source: &'a Source,
}

impl Check<'_> {
    pub fn measurement(
        &self,
        wire: &WireMeasurement,
        transport: &Transport,
    ) -> Result<Measurement> {
        let algorithms = self.algorithms(wire, transport)?;
        let mut axes = BTreeMap::new();
        for (&key, values) in &wire.axes {
            let bounds = if key == NODES {
                2..=MAX_NODES
            } else {
                0..=u64::MAX
            };
            let kind = MEASURED
                .iter()
                .flat_map(|entry| entry.axes())
                .find(|axis| axis.key == key)
                .map_or(Kind::Count, |axis| axis.kind);
            axes.insert(key, self.values(key, values, kind, bounds)?);
        }
        let least = axes
            .get(NODES)
            .and_then(|K| K.iter().copied().min())
            .unwrap_or(MAX_NODES);
        let source = self
            .source
            .count(SOURCE, wire.source.as_ref(), 1, 1..=least)?;
        self.refuse_unread(wire, &algorithms)?;
        let ranks_per_node = wire
            .ranks_per_node
            .as_ref()
            .map(|ranks| {
                self.source
                    .count(RANKS_PER_NODE, Some(ranks), 1, 1..=MAX_NODES)
            })
            .transpose()?
            .and_then(|ranks| u32::try_from(ranks).ok());
        let machine = self.machine(wire, ranks_per_node)?;
        self.refuse_contradictions(wire, &machine, transport)?;
        Ok(Measurement {
            name: wire.name.get_ref().clone(),
            holds: self.holds(wire.hold_ps_per_byte.as_ref(), &machine, &algorithms)?,
            algorithms,
            axes,
            bytes: self.values("bytes", &wire.bytes, Kind::Bytes, 1..=MAX_BYTES)?,
            source: u32::try_from(source).unwrap_or(1),
            hosts: self.hosts(wire.hosts.as_ref(), transport)?,
            ranks_per_node,
            mappings: self.mappings(wire, transport)?,
            machine,
        })
    }

    fn algorithms(&self, wire: &WireMeasurement, transport: &Transport) -> Result<Vec<Algorithm>> {
        let libraries = Library::ALL
            .into_iter()
            .filter(|_| matches!(transport, Transport::Mpi));
        let all: Vec<Algorithm> = MEASURED
            .iter()
            .copied()
            .map(Algorithm::Program)
            .chain(libraries.map(|(library, _)| Algorithm::Library(library)))
            .collect();
        let given = |key: &str| wire.gives(key);
        let Some(named) = wire
            .algorithms
            .as_ref()
            .filter(|named| !named.get_ref().is_empty())
        else {
            let span = wire
                .algorithms
                .as_ref()
                .map_or(wire.name.span(), Spanned::span);
            let candidates = all
                .iter()
                .filter(|algorithm| algorithm.reads(given).is_ok());
            let candidates = joined(", ", candidates.map(|algorithm| algorithm.name()));
            let help = format!(
                "write `algorithms = [...]` with some of those whose axes are here: {candidates}"
            );
            return Err(self.source.failure(
                span,
                "the measurement names no algorithm",
                "expected `algorithms`",
                help,
            ));
        };
        let mut chosen = Vec::new();
        for name in named.get_ref() {
            let wanted = name.get_ref().as_str();
            // A composed algorithm is on no list.
            let found = Algorithm::find(wanted).filter(|found| match found {
                Algorithm::Program(entry) => is_measured(entry),
                Algorithm::Library(_) => all.contains(found),
            });
            let Some(found) = found else {
                return Err(self.no_algorithm(name, &all));
            };
            if !chosen.contains(&found) {
                chosen.push(found);
            }
            if let Err(missing) = found.reads(given) {
                let title =
                    format!("`{wanted}` reads the axis {missing}, which this measurement lacks");
                let help =
                    format!("add `{missing} = [...]` to the measurement, or remove the algorithm");
                return Err(self
                    .source
                    .failure(name.span(), title, "this algorithm", help));
            }
        }
        chosen.sort_by_key(|algorithm| algorithm.rank());
        Ok(chosen)
    }

    fn no_algorithm(&self, name: &Spanned<String>, all: &[Algorithm]) -> Failure {
        let wanted = name.get_ref().as_str();
        let help = if Library::named(wanted).is_some() {
            format!("{wanted} can be measured over the transport `mpi` only")
        } else if find(wanted).is_some() {
            let names = joined(", ", all.iter().map(|algorithm| algorithm.name()));
            format!("expected one of {names}")
        } else {
            near::advice(
                wanted,
                all.iter().map(|algorithm| algorithm.name()),
                "castbench list",
            )
        };
        self.source.failure(
            name.span(),
            format!("`{wanted}` cannot be measured"),
            "this algorithm",
            help,
        )
    }

    /// Refuses an axis that no algorithm reads, because it would have no effect.
    fn refuse_unread(&self, wire: &WireMeasurement, algorithms: &[Algorithm]) -> Result {
        let is_read = |key: Key| {
            let reads =
                |algorithm: &Algorithm| algorithm.reads(|key| wire.gives(key)).unwrap_or_default();
            algorithms
                .iter()
                .any(|algorithm| reads(algorithm).contains(&key))
        };
        let source = wire.source.as_ref().map(|source| (SOURCE, source.span()));
        let given = wire
            .axes
            .iter()
            .map(|(&key, axis)| (key, axis.span()))
            .chain(source);
        for (key, span) in given {
            if !is_read(key) {
                let title = format!("no algorithm of this measurement reads `{key}`");
                let help = "remove the key, or name an algorithm that reads it and all its axes (`castbench list`)";
                return Err(self.source.failure(span, title, "not read", help));
            }
        }
        Ok(())
    }

    fn values(
        &self,
        key: Key,
        wire: &Spanned<WireAxis>,
        kind: Kind,
        bounds: RangeInclusive<u64>,
    ) -> Result<Vec<u64>> {
        let values = Words::table(self.source, String::new(), [(key, wire)])?.values(key, kind)?;
        let (least, most) = values.bounds();
        if !bounds.contains(&least) || !bounds.contains(&most) {
            let show = |end: u64| {
                if kind == Kind::Bytes {
                    show_bytes(end)
                } else {
                    grouped(end)
                }
            };
            let label = format!(
                "expected {} to {}",
                show(*bounds.start()),
                show(*bounds.end())
            );
            return Err(self.source.failure(
                wire.span(),
                format!("a value of `{key}` is out of range"),
                label,
                KEYS,
            ));
        }
        // Checked before memory is allocated for them.
        if values.count() > MAX_POINTS {
            let label = format!(
                "expected at most {}, got {}",
                grouped(MAX_POINTS),
                grouped(values.count())
            );
            return Err(self.source.failure(
                wire.span(),
                format!("`{key}` has too many values"),
                label,
                KEYS,
            ));
        }
        Ok(values.iter().collect())
    }

    /// The machine, with the given number of ranks on a node where it has nodes.
    fn machine(&self, wire: &WireMeasurement, ranks_per_node: Option<u32>) -> Result<Machine> {
        let name = wire.machine.get_ref();
        let machine = Machine::named_in(self.source, &wire.machine)?;
        let Some(ranks) = ranks_per_node.filter(|_| machine.takes_nodes()) else {
            return Ok(machine);
        };
        machine
            .with_ranks_per_node(ranks.into())
            .map_err(|failure| {
                let span = wire.ranks_per_node.as_ref().map_or(0..0, Spanned::span);
                let title = format!("machine `{name}` cannot have {ranks} ranks on a node");
                self.source
                    .failure(span, title, failure.explanation(), KEYS)
            })
    }

    /// Refuses keys that contradict each other, the machine or the transport.
    fn refuse_contradictions(
        &self,
        wire: &WireMeasurement,
        machine: &Machine,
        transport: &Transport,
    ) -> Result {
        let name = &machine.name;
        let [hosts, ranks] =
            [&wire.hosts, &wire.ranks_per_node].map(|key| key.as_ref().map(Spanned::span));
        let mapping = wire.mapping.as_ref().map(Spanned::span);
        if let Some(span) = hosts.clone().or(mapping).filter(|_| machine.has_nodes()) {
            let title = format!("machine `{name}` has [[level]], and so the node of each rank");
            let help = "remove the key; use `ranks_per_node`, and `placement` of the machine";
            return Err(self.source.failure(span, title, "not read", help));
        }
        if let (Some(_), Some(span)) = (hosts, ranks.clone()) {
            return Err(self.source.failure(
                span,
                "`hosts` and `ranks_per_node` are both given",
                "remove one of them",
                KEYS,
            ));
        }
        if let Some(span) =
            ranks.filter(|_| matches!(transport, Transport::Mpi) && !machine.has_nodes())
        {
            return Err(self.launched(span));
        }
        let levels = machine
            .profile()
            .levels()
            .filter(|levels| levels.ranks() > 1);
        if matches!(transport, Transport::Emulated(_))
            && levels.is_some_and(|levels| levels.nics() != Some(1))
        {
            let title = format!(
                "the ranks of an emulated host share one port, those of machine `{name}` do not"
            );
            let help = "write `nics = 1` into the machine";
            return Err(self.source.failure(
                wire.machine.span(),
                title,
                "a machine without `nics = 1`",
                help,
            ));
        }
        Ok(())
    }

    /// The relay delays; none on a machine with levels, and none inside the MPI library.
    fn holds(
        &self,
        wire: Option<&Spanned<WireAxis>>,
        machine: &Machine,
        algorithms: &[Algorithm],
    ) -> Result<Vec<u64>> {
        let Some(wire) = wire else { return Ok(vec![0]) };
        let holds = self.values("hold_ps_per_byte", wire, Kind::Time, 0..=u64::MAX)?;
        let mut functions = algorithms.iter().filter_map(|algorithm| match algorithm {
            Algorithm::Library(function) => Some(function.name()),
            Algorithm::Program(_) => None,
        });
        let (title, label, help) = if let Some(function) = functions.next() {
            (
                format!("castbench cannot delay the messages of `{function}`"),
                "not measured",
                "remove the key, or move the functions of the MPI library into a [[measurement]] without it",
            )
        } else if !machine.is_flat() {
            (
                format!(
                    "on machine `{}` messages have no relay delay: they see several parameters",
                    machine.name
                ),
                "not modelled",
                "remove the key, or name a machine without [[level]], `latencies`, [[sizes]] and `x`",
            )
        } else {
            return Ok(holds);
        };
        if holds == [0] {
            return Ok(holds);
        }
        Err(self.source.failure(wire.span(), title, label, help))
    }

    fn hosts(&self, wire: Option<&Spanned<Count>>, transport: &Transport) -> Result<Option<u32>> {
        let Some(wire) = wire else { return Ok(None) };
        let most = match transport {
            Transport::Loopback { .. } => {
                let help =
                    "remove the key, list hosts in [tcp], or measure over the transport `emulated`";
                return Err(self.source.failure(
                    wire.span(),
                    "all ranks are on this host",
                    "not read",
                    help,
                ));
            }
            Transport::Hosts { hosts, .. } => hosts.len() as u64,
            Transport::Emulated(_) => MAX_HOSTS.into(),
            Transport::Mpi => return Err(self.launched(wire.span())),
        };
        self.source
            .count("hosts", Some(wire), most, 1..=most)
            .map(|hosts| u32::try_from(hosts).ok())
    }

    /// The failure for a key that places ranks, where the MPI launcher does.
    fn launched(&self, span: Range<usize>) -> Failure {
        let help = "remove the key, and use options of mpirun: `--host`, `--hostfile`, `--map-by`";
        self.source.failure(
            span,
            "the launcher of MPI places the ranks",
            "not read",
            help,
        )
    }

    fn mappings(&self, wire: &WireMeasurement, transport: &Transport) -> Result<Vec<Mapping>> {
        let Some(mapping) = &wire.mapping else {
            return Ok(vec![if wire.ranks_per_node.is_some() {
                Mapping::Block
            } else {
                Mapping::RoundRobin
            }]);
        };
        if matches!(transport, Transport::Mpi) {
            return Err(self.launched(mapping.span()));
        }
        let mut mappings = mapping.get_ref().clone();
        mappings.sort_unstable();
        mappings.dedup();
        if mappings.is_empty() {
            let help = "write `mapping = [\"round-robin\"]`, or remove the key";
            let expected = "expected round-robin, neighbours or block";
            return Err(self
                .source
                .failure(mapping.span(), "`mapping` is empty", expected, help));
        }
        Ok(mappings)
    }
}
