//! A table `[[measurement]]`: its own keys, and a key for each axis of the problems in which processors send messages.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use algorithms::catalogue::{entries, find};
use algorithms::problem::{Entry, Kind};
use measure::emulated::MAX_HOSTS;
use measure::hosts::Mapping;
use measure::library::Library;
use measure::settings::Transport;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::check::{Check, HELP};
use super::{Algorithm, MAX_BYTES, MAX_NODES, MAX_POINTS, Measurement, NODES, SOURCE};
use crate::config::axis::{Count, Key, WireAxis};
use crate::failure::Failure;
use crate::machine::Machine;
use crate::near;
use crate::units::{grouped, show_bytes};

/// The algorithms in which processors send messages.
static MEASURED: LazyLock<Vec<Entry>> =
    LazyLock::new(|| entries().iter().copied().filter(|entry| entry.sends()).collect());

pub(super) struct WireMeasurement {
    pub name: Spanned<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    bytes: Spanned<WireAxis>,
    machine: Spanned<String>,
    source: Option<Spanned<Count>>,
    hosts: Option<Spanned<Count>>,
    mapping: Option<Spanned<Vec<Mapping>>>,
    hold_ps_per_byte: Option<Spanned<WireAxis>>,
    axes: BTreeMap<Key, Spanned<WireAxis>>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum MeasurementKey {
    Name,
    Algorithms,
    Bytes,
    Machine,
    Source,
    Hosts,
    Mapping,
    HoldPsPerByte,
    Axis(WireCount),
}

/// The keys that are not lists of whole numbers.
const OWN: [&str; 8] = ["name", "algorithms", "bytes", "machine", SOURCE, "hosts", "mapping", "hold_ps_per_byte"];

/// The key of an axis with a list of whole numbers.
struct WireCount(Key);

impl<'de> Deserialize<'de> for WireCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let axes = MEASURED.iter().flat_map(|entry| entry.axes());
        let mut keys: Vec<Key> = Vec::new();
        for axis in axes.filter(|axis| axis.kind == Kind::Count && axis.key != SOURCE) {
            if !keys.contains(&axis.key) {
                keys.push(axis.key);
            }
        }
        keys.iter().find(|key| **key == text).map(|key| Self(key)).ok_or_else(|| {
            let keys: Vec<String> = OWN.iter().chain(&keys).map(|key| format!("`{key}`")).collect();
            D::Error::custom(format_args!("unknown field `{text}`, expected one of {}", keys.join(", ")))
        })
    }
}

impl<'de> Deserialize<'de> for WireMeasurement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TableVisitor;
        impl<'de> Visitor<'de> for TableVisitor {
            type Value = WireMeasurement;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table [[measurement]] with a name, sizes and the values of its axes")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WireMeasurement, A::Error> {
                let (mut name, mut algorithms, mut bytes, mut machine) = (None, None, None, None);
                let (mut source, mut hosts, mut mapping, mut hold_ps_per_byte) = (None, None, None, None);
                let mut axes = BTreeMap::new();
                while let Some(key) = map.next_key()? {
                    match key {
                        MeasurementKey::Name => name = Some(map.next_value()?),
                        MeasurementKey::Algorithms => algorithms = Some(map.next_value()?),
                        MeasurementKey::Bytes => bytes = Some(map.next_value()?),
                        MeasurementKey::Machine => machine = Some(map.next_value()?),
                        MeasurementKey::Source => source = Some(map.next_value()?),
                        MeasurementKey::Hosts => hosts = Some(map.next_value()?),
                        MeasurementKey::Mapping => mapping = Some(map.next_value()?),
                        MeasurementKey::HoldPsPerByte => hold_ps_per_byte = Some(map.next_value()?),
                        MeasurementKey::Axis(WireCount(key)) => {
                            axes.insert(key, map.next_value()?);
                        }
                    }
                }
                let missing = A::Error::missing_field;
                let name = name.ok_or_else(|| missing("name"))?;
                let bytes = bytes.ok_or_else(|| missing("bytes"))?;
                let machine = machine.ok_or_else(|| missing("machine"))?;
                Ok(WireMeasurement { name, algorithms, bytes, machine, source, hosts, mapping, hold_ps_per_byte, axes })
            }
        }
        deserializer.deserialize_map(TableVisitor)
    }
}

impl WireMeasurement {
    fn gives(&self, key: &str) -> bool {
        self.axes.contains_key(key) || key == SOURCE && self.source.is_some()
    }
}

impl Check<'_> {
    pub fn measurement(&self, wire: &WireMeasurement, transport: &Transport) -> Result<Measurement, Failure> {
        let algorithms = self.algorithms(wire, transport)?;
        let mut axes = BTreeMap::new();
        for (&key, values) in &wire.axes {
            let bounds = if key == NODES { 2..=MAX_NODES } else { 0..=u64::MAX };
            axes.insert(key, self.values(key, values, Kind::Count, bounds)?);
        }
        let least = axes.get(NODES).and_then(|K| K.iter().copied().min()).unwrap_or(MAX_NODES);
        let source = self.count(SOURCE, wire.source.as_ref(), 1, 1..=least)?;
        self.refuse_unread(wire, &algorithms)?;
        let holds = wire.hold_ps_per_byte.as_ref();
        Ok(Measurement {
            name: wire.name.get_ref().clone(),
            algorithms,
            axes,
            bytes: self.values("bytes", &wire.bytes, Kind::Bytes, 1..=MAX_BYTES)?,
            machine: self.machine(&wire.machine)?,
            source: u32::try_from(source).unwrap_or(1),
            hosts: self.hosts(wire.hosts.as_ref(), transport)?,
            mappings: self.mappings(wire.mapping.as_ref(), transport)?,
            holds: holds
                .map_or(Ok(vec![0]), |holds| self.values("hold_ps_per_byte", holds, Kind::Time, 0..=u64::MAX))?,
        })
    }

    fn algorithms(&self, wire: &WireMeasurement, transport: &Transport) -> Result<Vec<Algorithm>, Failure> {
        let libraries = Library::ALL.iter().filter(|_| matches!(transport, Transport::Mpi));
        let programs = MEASURED.iter().copied().map(Algorithm::Program);
        let all: Vec<Algorithm> = programs.chain(libraries.map(|&library| Algorithm::Library(library))).collect();
        let given = |key: &str| wire.gives(key);
        let Some(named) = wire.algorithms.as_ref().filter(|named| !named.get_ref().is_empty()) else {
            let span = wire.algorithms.as_ref().map_or(wire.name.span(), Spanned::span);
            let candidates = all.iter().filter(|algorithm| algorithm.reads(given).is_ok());
            let candidates: Vec<&str> = candidates.map(|algorithm| algorithm.name()).collect();
            let help =
                format!("write `algorithms = [...]` with some of those whose axes are here: {}", candidates.join(", "));
            return Err(self.failure(span, "the measurement names no algorithm", "expected `algorithms`", help));
        };
        let mut chosen = Vec::new();
        for name in named.get_ref() {
            let wanted = name.get_ref().as_str();
            let found = Algorithm::find(wanted).filter(|found| all.contains(found));
            let Some(found) = found else { return Err(self.no_algorithm(name, &all)) };
            chosen.push(found);
            if let Err(missing) = found.reads(given) {
                let title = format!("`{wanted}` reads the axis {missing}, which this measurement lacks");
                let help = format!("add `{missing} = [...]` to the measurement, or remove the algorithm");
                return Err(self.failure(name.span(), title, "this algorithm", help));
            }
        }
        chosen.sort_by_key(|algorithm| algorithm.rank());
        chosen.dedup();
        Ok(chosen)
    }

    fn no_algorithm(&self, name: &Spanned<String>, all: &[Algorithm]) -> Failure {
        let wanted = name.get_ref().as_str();
        let help = if Library::ALL.iter().any(|library| library.name() == wanted) {
            format!("{wanted} can be measured over the transport `mpi` only")
        } else if find(wanted).is_some() {
            let names: Vec<&str> = all.iter().map(|algorithm| algorithm.name()).collect();
            format!("expected one of {}", names.join(", "))
        } else {
            near::advice(wanted, all.iter().map(|algorithm| algorithm.name()), "castbench list")
        };
        self.failure(name.span(), format!("`{wanted}` cannot be measured"), "this algorithm", help)
    }

    /// Refuses an axis that no algorithm reads, because it would have no effect.
    fn refuse_unread(&self, wire: &WireMeasurement, algorithms: &[Algorithm]) -> Result<(), Failure> {
        let is_read = |key: Key| {
            let reads = |algorithm: &Algorithm| algorithm.reads(|key| wire.gives(key)).unwrap_or_default();
            algorithms.iter().any(|algorithm| reads(algorithm).contains(&key))
        };
        let source = wire.source.as_ref().map(|source| (SOURCE, source.span()));
        let given = wire.axes.iter().map(|(&key, axis)| (key, axis.span())).chain(source);
        for (key, span) in given {
            if !is_read(key) {
                let title = format!("no algorithm of this measurement reads `{key}`");
                let help = "remove the key, or name an algorithm that reads it and all its axes (`castbench list`)";
                return Err(self.failure(span, title, "not read", help));
            }
        }
        Ok(())
    }

    fn values(
        &self,
        key: &str,
        wire: &Spanned<WireAxis>,
        kind: Kind,
        bounds: RangeInclusive<u64>,
    ) -> Result<Vec<u64>, Failure> {
        let values = wire.get_ref().values(kind).map_err(|expected| {
            let help = match kind {
                Kind::Bytes => "write `bytes = [\"64KiB\", \"1MiB\"]`, or \"1KiB..1MiB..x2\"",
                _ => "write a list [2, 4, 8], \"2..8\", or { from = 2, to = 18, step = 2 }",
            };
            self.failure(wire.span(), format!("`{key}` has no usable values"), expected, help)
        })?;
        let (least, most) = values.bounds();
        if !bounds.contains(&least) || !bounds.contains(&most) {
            let show = |end: u64| if kind == Kind::Bytes { show_bytes(end) } else { grouped(end) };
            let label = format!("expected {} to {}", show(*bounds.start()), show(*bounds.end()));
            return Err(self.failure(wire.span(), format!("a value of `{key}` is out of range"), label, HELP));
        }
        // Checked before memory is allocated for them.
        if values.count() > MAX_POINTS {
            let label = format!("expected at most {}, got {}", grouped(MAX_POINTS), grouped(values.count()));
            return Err(self.failure(wire.span(), format!("`{key}` has too many values"), label, HELP));
        }
        Ok(values.iter().collect())
    }

    fn machine(&self, wire: &Spanned<String>) -> Result<Machine, Failure> {
        let name = wire.get_ref();
        let found = Machine::find(name, &self.source.resolve(name))?;
        let title = || format!("there is no machine `{name}`");
        let machine = found.ok_or_else(|| self.failure(wire.span(), title(), "unknown machine", Machine::names()))?;
        if machine.has_levels() {
            let title =
                format!("the ranks of machine `{name}` are near or far, with which measurements are not compared yet");
            let help = "name a machine without [[level]] and `latencies`".to_owned();
            return Err(self.failure(wire.span(), title, "a machine with [[level]] or `latencies`", help));
        }
        Ok(machine)
    }

    fn hosts(&self, wire: Option<&Spanned<Count>>, transport: &Transport) -> Result<Option<u32>, Failure> {
        let Some(wire) = wire else { return Ok(None) };
        let most = match transport {
            Transport::Loopback { .. } => {
                let help = "remove the key, list hosts in [tcp], or measure over the transport `emulated`";
                return Err(self.failure(wire.span(), "all ranks are on this host", "not read", help));
            }
            Transport::Hosts { hosts, .. } => hosts.len() as u64,
            Transport::Emulated(_) => MAX_HOSTS.into(),
            Transport::Mpi => return Err(self.launched(wire.span())),
        };
        self.count("hosts", Some(wire), most, 1..=most).map(|hosts| u32::try_from(hosts).ok())
    }

    /// The failure for a key that places ranks, where the MPI launcher does.
    fn launched(&self, span: Range<usize>) -> Failure {
        let help = "remove the key, and use options of mpirun: `--host`, `--hostfile`, `--map-by`";
        self.failure(span, "the launcher of MPI places the ranks", "not read", help)
    }

    fn mappings(&self, wire: Option<&Spanned<Vec<Mapping>>>, transport: &Transport) -> Result<Vec<Mapping>, Failure> {
        let Some(wire) = wire else { return Ok(vec![Mapping::RoundRobin]) };
        if matches!(transport, Transport::Mpi) {
            return Err(self.launched(wire.span()));
        }
        let mut mappings = wire.get_ref().clone();
        mappings.sort_unstable();
        mappings.dedup();
        if mappings.is_empty() {
            let help = "write `mapping = [\"round-robin\"]`, or remove the key";
            return Err(self.failure(wire.span(), "`mapping` is empty", "expected round-robin or neighbours", help));
        }
        Ok(mappings)
    }
}
