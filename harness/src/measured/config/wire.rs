//! What a configuration file of `castbench measure` says, and its translation into a checked [`Config`].

use std::collections::BTreeSet;
use std::fmt::Display;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use algorithms::logp::multicast::problem::LogpMulticast;
use algorithms::problem::Problem as _;
use measure::emulated::{MAX_HOSTS, MAX_RATE, Shape};
use measure::hosts::{Host, Mapping};
use measure::multicast::Library;
use measure::settings::{Settings, Transport};
use serde::Deserialize;
use toml::Spanned;

use super::{Algorithm, Config, MAX_BYTES, MAX_NODES, MAX_POINTS, Measurement};
use crate::config::axis::{Count, WireAxis, WireBytes};
use crate::config::diagnostics::{Complaint, Source};
use crate::failure::{Code, Failure};
use crate::machine::Machine;
use crate::units::{grouped, show_bytes};

/// Where the keys are explained.
const HELP: &str = "the keys and what they take are described in configs/measure.toml";
/// Longest time that one rank may wait for another, in seconds.
const MAX_SECONDS: u64 = 3600;
/// Most repetitions of a point.
const MAX_REPETITIONS: u64 = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireConfig {
    schema: Spanned<Count>,
    seed: Option<Count>,
    repetitions: Option<Spanned<Count>>,
    warm_up: Option<Spanned<Count>>,
    time_limit_seconds: Option<Spanned<Count>>,
    transport: Option<Spanned<String>>,
    tcp: Option<Spanned<WireTcp>>,
    emulated: Option<Spanned<WireEmulated>>,
    #[serde(default)]
    measurement: Vec<WireMeasurement>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTcp {
    first_port: Option<Spanned<Count>>,
    hosts: Option<Spanned<Vec<WireHost>>>,
    launch: Option<Spanned<Vec<String>>>,
    program: Option<Spanned<PathBuf>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHost {
    name: Spanned<String>,
    address: Spanned<IpAddr>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireEmulated {
    rate_mbit: Spanned<Count>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMeasurement {
    name: Spanned<String>,
    algorithms: Option<Spanned<Vec<Spanned<String>>>>,
    K: Spanned<WireAxis>,
    bytes: Spanned<Vec<WireBytes>>,
    machine: Spanned<String>,
    source: Option<Spanned<Count>>,
    hosts: Option<Spanned<Count>>,
    mapping: Option<Spanned<Vec<Mapping>>>,
    hold_ps_per_byte: Option<Spanned<WireAxis>>,
}

impl Config {
    /// Reads a configuration file, or configs/measure.toml, which is built in.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn load(path: Option<&Path>) -> Result<Self, Failure> {
        let built_in = include_str!("../../../../configs/measure.toml");
        let source = match path {
            Some(path) => Source::read(path, "configuration")?,
            None => Source::built_in("configs/measure.toml (built in)", built_in),
        };
        Self::of(&source)
    }

    /// The configuration in this document.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn of(source: &Source) -> Result<Self, Failure> {
        check(source)
    }
}

/// Reads and checks a configuration.
fn check(source: &Source) -> Result<Config, Failure> {
    let wire: WireConfig = source.parse(HELP)?;
    let check = Check { source };
    check.count("schema", Some(&wire.schema), 1, 1..=1)?;
    let transport = check.transport(&wire)?;
    let mut names = BTreeSet::new();
    let mut measurements = Vec::new();
    let mut points = 0;
    for measurement in wire.measurement {
        let (name, span) = (measurement.name.get_ref().clone(), measurement.name.span());
        if name.is_empty() || !names.insert(name.clone()) {
            let title = format!("`{name}` cannot name a measurement");
            return Err(check.failure(span, title, "expected a name of its own", "results name the measurement"));
        }
        let measurement = check.measurement(measurement, &transport)?;
        points = measurement.points().saturating_add(points);
        if points > MAX_POINTS {
            let title =
                format!("{} points are more than the {} that are measured", grouped(points), grouped(MAX_POINTS));
            let help =
                "name fewer algorithms, sizes or relay delays, or measure them one configuration after the other";
            return Err(check.failure(span, title, "up to this measurement", help));
        }
        measurements.push(measurement);
    }
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Config {
        name: source.name().to_owned(),
        settings: Settings {
            seed: wire.seed.map_or(1, |seed| seed.0),
            repetitions: small(check.count("repetitions", wire.repetitions.as_ref(), 9, 1..=MAX_REPETITIONS)?),
            warm_up: small(check.count("warm_up", wire.warm_up.as_ref(), 1, 0..=MAX_REPETITIONS)?),
            limit: Duration::from_secs(check.count(
                "time_limit_seconds",
                wire.time_limit_seconds.as_ref(),
                30,
                1..=MAX_SECONDS,
            )?),
            transport,
        },
        measurements,
    })
}

struct Check<'a> {
    source: &'a Source,
}

impl Check<'_> {
    fn failure(
        &self,
        span: std::ops::Range<usize>,
        title: impl Display,
        label: impl Display,
        help: impl Display,
    ) -> Failure {
        let help = help.to_string();
        self.source.failure(&Complaint { span, title: title.to_string(), label: label.to_string(), help: &help })
    }

    /// A number within bounds, or its default.
    fn count(
        &self,
        key: &str,
        wire: Option<&Spanned<Count>>,
        default: u64,
        bounds: std::ops::RangeInclusive<u64>,
    ) -> Result<u64, Failure> {
        let Some(wire) = wire else { return Ok(default) };
        let Count(value) = *wire.get_ref();
        if bounds.contains(&value) {
            return Ok(value);
        }
        let (least, most) = (grouped(*bounds.start()), grouped(*bounds.end()));
        let label = if least == most { format!("expected {least}") } else { format!("expected {least} to {most}") };
        Err(self.failure(wire.span(), format!("{key} = {} is out of range", grouped(value)), label, HELP))
    }

    fn transport(&self, wire: &WireConfig) -> Result<Transport, Failure> {
        let named = wire.transport.as_ref();
        let unread = |span, table: &str, name: &str| {
            let title = format!("the transport `{name}` does not read [{table}]");
            Err(self.failure(span, title, "not read", "remove the table, or name its transport"))
        };
        match named.map_or("tcp", |name| name.get_ref().as_str()) {
            "tcp" => match &wire.emulated {
                Some(table) => unread(table.span(), "emulated", "tcp"),
                None => self.tcp(wire.tcp.as_ref()),
            },
            "emulated" => match (&wire.tcp, &wire.emulated) {
                (Some(table), _) => unread(table.span(), "tcp", "emulated"),
                (None, table) => {
                    let rate = table.as_ref().map(|table| &table.get_ref().rate_mbit);
                    let rate = self.count("rate_mbit", rate, Shape::default().rate_mbit, 1..=MAX_RATE)?;
                    Ok(Transport::Emulated(Shape { rate_mbit: rate }))
                }
            },
            "mpi" => match (&wire.tcp, &wire.emulated) {
                (Some(table), _) => unread(table.span(), "tcp", "mpi"),
                (None, Some(table)) => unread(table.span(), "emulated", "mpi"),
                (None, None) => Ok(Transport::Mpi),
            },
            other => {
                let span = named.map_or(0..0, Spanned::span);
                let title = format!("there is no transport `{other}`");
                Err(self.failure(span, title, "named here", "the transports are tcp, emulated and mpi"))
            }
        }
    }

    fn tcp(&self, table: Option<&Spanned<WireTcp>>) -> Result<Transport, Failure> {
        let Some(table) = table else { return Ok(Transport::Loopback { first_port: None }) };
        let WireTcp { first_port, hosts, launch, program } = table.get_ref();
        let port = self.count("first_port", first_port.as_ref(), 0, 1..=u64::from(u16::MAX))?;
        let first_port = u16::try_from(port).ok().filter(|port| *port > 0);
        let Some(hosts) = hosts else {
            let unread = launch.as_ref().map(Spanned::span).or(program.as_ref().map(Spanned::span));
            return match unread {
                None => Ok(Transport::Loopback { first_port }),
                Some(span) => {
                    let title = "without `hosts` nothing is launched anywhere";
                    Err(self.failure(span, title, "not read", "add `hosts`, or remove the key"))
                }
            };
        };
        if hosts.get_ref().is_empty() {
            let help = "write hosts = [{ name = \"node1\", address = \"10.0.0.1\" }], or leave the key out";
            return Err(self.failure(hosts.span(), "`hosts` is empty", "expected a host", help));
        }
        let default = ["ssh", "-o", "BatchMode=yes", "{host}"].map(str::to_owned).to_vec();
        let launch = launch.as_ref().map_or(default, |launch| launch.get_ref().clone());
        let program = program.as_ref().map(|program| Ok(program.get_ref().clone())).unwrap_or_else(own_program)?;
        let mut known = BTreeSet::new();
        let host = |host: &WireHost| {
            let (name, address) = (host.name.get_ref(), *host.address.get_ref());
            if name.is_empty() || !known.insert(name.clone()) {
                let title = format!("`{name}` cannot name a host");
                return Err(self.failure(host.name.span(), title, "expected a name of its own", HELP));
            }
            if address.is_unspecified() || address.is_multicast() {
                let title = format!("ranks of `{name}` cannot listen on {address}");
                let help = "name the address by which the other hosts reach it";
                return Err(self.failure(host.address.span(), title, "expected an address of the host", help));
            }
            let launch = launch.iter().map(|word| word.replace("{host}", name)).collect();
            Ok(Host { name: name.clone(), address, launch, program: program.clone() })
        };
        let hosts = hosts.get_ref().iter().map(host).collect::<Result<Vec<_>, _>>()?;
        Ok(Transport::Hosts { hosts, first_port })
    }

    fn measurement(&self, wire: WireMeasurement, transport: &Transport) -> Result<Measurement, Failure> {
        let K = self.values("K", &wire.K, 2..=MAX_NODES)?;
        let K: Vec<u32> = K.into_iter().map(|K| u32::try_from(K).unwrap_or(u32::MAX)).collect();
        let least = K.iter().copied().min().unwrap_or(2);
        let source = self.count("source", wire.source.as_ref(), 1, 1..=least.into())?;
        let holds = wire.hold_ps_per_byte.as_ref();
        Ok(Measurement {
            name: wire.name.get_ref().clone(),
            algorithms: self.algorithms(wire.algorithms.as_ref(), transport)?,
            K,
            bytes: self.bytes(&wire.bytes)?,
            machine: self.machine(&wire.machine)?,
            source: u32::try_from(source).unwrap_or(1),
            hosts: self.hosts(wire.hosts.as_ref(), transport)?,
            mappings: self.mappings(wire.mapping.as_ref(), transport)?,
            holds: holds.map_or(Ok(vec![0]), |holds| self.values("hold_ps_per_byte", holds, 0..=u64::MAX))?,
        })
    }

    fn values(
        &self,
        key: &str,
        wire: &Spanned<WireAxis>,
        bounds: std::ops::RangeInclusive<u64>,
    ) -> Result<Vec<u64>, Failure> {
        let values = wire.get_ref().check().map_err(|expected| {
            let help = "write a list [2, 4, 8], or { from = 2, to = 18, step = 2 }";
            self.failure(wire.span(), format!("`{key}` has no usable values"), expected, help)
        })?;
        let (least, most) = values.bounds();
        if !bounds.contains(&least) || !bounds.contains(&most) {
            let label = format!("expected {} to {}", bounds.start(), grouped(*bounds.end()));
            return Err(self.failure(wire.span(), format!("a value of `{key}` is out of range"), label, HELP));
        }
        // Before room is made for them.
        if values.count() > MAX_POINTS {
            let label = format!("expected at most {}, this gives {}", grouped(MAX_POINTS), grouped(values.count()));
            return Err(self.failure(wire.span(), format!("`{key}` has too many values"), label, HELP));
        }
        Ok((0..values.count()).map(|index| values.get(index)).collect())
    }

    fn bytes(&self, wire: &Spanned<Vec<WireBytes>>) -> Result<Vec<u64>, Failure> {
        let mut bytes: Vec<u64> = wire.get_ref().iter().map(|size| size.0).collect();
        bytes.sort_unstable();
        bytes.dedup();
        match bytes.last() {
            Some(&most) if most <= MAX_BYTES => Ok(bytes),
            Some(_) => {
                let label = format!("expected at most {}", show_bytes(MAX_BYTES));
                Err(self.failure(wire.span(), "a message is too long: every rank holds all of it", label, HELP))
            }
            None => {
                let help = "write `bytes = [\"64KiB\", \"1MiB\"]`";
                Err(self.failure(wire.span(), "`bytes` is empty", "expected a size", help))
            }
        }
    }

    fn machine(&self, wire: &Spanned<String>) -> Result<Machine, Failure> {
        let name = wire.get_ref();
        let found = Machine::find(name, &self.source.resolve(name))?;
        let title = || format!("there is no machine `{name}`");
        found.ok_or_else(|| self.failure(wire.span(), title(), "named here", Machine::names()))
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

    /// A key that says where ranks go, where that is not for us to say.
    fn launched(&self, span: std::ops::Range<usize>) -> Failure {
        let help = "remove the key, and tell mpirun: `--host`, `--hostfile`, `--map-by`";
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
            let help = "write `mapping = [\"round-robin\"]`, or leave the key out";
            return Err(self.failure(wire.span(), "`mapping` is empty", "expected round-robin or neighbours", help));
        }
        Ok(mappings)
    }

    /// The algorithms named, or all that the transport has.
    fn algorithms(
        &self,
        wire: Option<&Spanned<Vec<Spanned<String>>>>,
        transport: &Transport,
    ) -> Result<Vec<Algorithm>, Failure> {
        let trees = LogpMulticast::ENTRIES.iter();
        let libraries = Library::ALL.iter().filter(|_| matches!(transport, Transport::Mpi));
        let all: Vec<Algorithm> =
            trees.map(Algorithm::Tree).chain(libraries.map(|&library| Algorithm::Library(library))).collect();
        let Some(wire) = wire else { return Ok(all) };
        let names: Vec<&str> = all.iter().map(|algorithm| algorithm.name()).collect();
        for name in wire.get_ref() {
            let wanted = name.get_ref().as_str();
            if names.contains(&wanted) {
                continue;
            }
            let title = format!("there is no multicast tree `{wanted}`");
            let help = if Library::ALL.iter().any(|library| library.name() == wanted) {
                format!("{wanted} is measured over the transport `mpi` only")
            } else {
                format!("expected one of {}", names.join(", "))
            };
            return Err(self.failure(name.span(), title, "named here", help));
        }
        if wire.get_ref().is_empty() {
            let help = "name a tree, or leave the key out for all of them";
            return Err(self.failure(wire.span(), "`algorithms` is empty", "expected a name", help));
        }
        let named = |algorithm: &Algorithm| wire.get_ref().iter().any(|name| name.get_ref() == algorithm.name());
        Ok(all.into_iter().filter(named).collect())
    }
}

/// This program, as other processes of this host, or hosts that share its files, start it.
fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        let explanation = format_args!("cannot tell where castbench itself is: {error}; name it with `program`");
        Failure::new(Code::Configuration, explanation)
    })
}
