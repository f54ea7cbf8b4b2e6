//! The TOML of `castbench measure`, and its translation into a checked [`Config`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::IpAddr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use measure::emulated::{MAX_RATE, RATE, Shape};
use measure::hosts::Host;
use measure::launcher;
use measure::settings::{Settings, Transport};
use serde::Deserialize;
use toml::Spanned;

use super::measurement::{Check, MeasurementKeys, WireMeasurement};
use super::{Config, MAX_POINTS};
use crate::base::count::Count;
use crate::base::failure::{Code, Failure, Result};
use crate::base::units::{grouped, is_name, joined};
use crate::output::built_in::BuiltIn;
use crate::output::diagnostics::{KEYS, Source};
use crate::plans::{self, WireAlgorithm};
use crate::space::tables::{self, Keys as _};

/// Most seconds that one rank waits for another.
const MAX_SECONDS: u64 = 3600;
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
    #[serde(default)]
    algorithm: Vec<WireAlgorithm>,
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

impl Config {
    /// Reads a configuration file, or the built-in configs/measure.toml.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        Self::from_source(&source(path)?)
    }

    /// Reads the settings of a configuration for a verb that measures something else, and says what that leaves out. Its
    /// measurements are not checked: they may name a profile that does not exist yet.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn load_transport(path: Option<&Path>, verb: &str) -> Result<Self> {
        let source = source(path)?;
        let mut wire = parsed(&source)?;
        let unread = [
            ("repetitions", wire.repetitions.is_some()),
            ("warm_up", wire.warm_up.is_some()),
            ("[[measurement]]", !wire.measurement.is_empty()),
            ("[[algorithm]]", !wire.algorithm.is_empty()),
        ];
        let unread = joined(
            ", ",
            unread
                .iter()
                .filter(|(_, is_given)| *is_given)
                .map(|(key, _)| key),
        );
        let is_first = launcher::launched().is_none_or(|launched| launched.rank == 0);
        if path.is_some() && is_first && !unread.is_empty() {
            tell!("note: {}: `{verb}` does not read {unread}", source.name());
        }
        wire.measurement.clear();
        check(&source, wire)
    }

    /// The configuration in this document.
    ///
    /// # Errors
    /// Exit code 3, with file, line and value.
    pub fn from_source(source: &Source) -> Result<Self> {
        check(source, parsed(source)?)
    }
}

fn parsed(source: &Source) -> Result<WireConfig> {
    source.parse_with(KEYS, |document| {
        tables::gather_axes(
            document,
            "measurement",
            MeasurementKeys::OWN,
            &["bytes", "hold_ps_per_byte"],
        )
    })
}

fn source(path: Option<&Path>) -> Result<Source> {
    path.map_or_else(
        || Ok(BuiltIn::Measure.source()),
        |path| Source::read(path, "configuration"),
    )
}

fn check(source: &Source, wire: WireConfig) -> Result<Config> {
    let check = Check { source };
    source.count("schema", Some(&wire.schema), 1, 1..=1)?;
    let transport = check.transport(&wire)?;
    let given = plans::check(source, &wire.algorithm)?;
    let mut names = BTreeSet::new();
    let mut measurements = Vec::new();
    let mut points = 0;
    for measurement in wire.measurement {
        let (name, span) = (measurement.name.get_ref().clone(), measurement.name.span());
        if !is_name(&name) || !names.insert(name.clone()) {
            let is = if names.contains(&name) {
                "stands twice as the"
            } else {
                "is not a valid"
            };
            let title = format!("`{name}` {is} name of a measurement");
            return Err(source.failure(span, title, NAME, "results name the measurement"));
        }
        let measurement = check.measurement(&measurement, &transport)?;
        points = measurement.points().saturating_add(points);
        if points > MAX_POINTS {
            let title = format!(
                "{} points are more than the limit of {}",
                grouped(points),
                grouped(MAX_POINTS)
            );
            let help = "name fewer algorithms, sizes or relay delays, or split them into several configurations";
            return Err(source.failure(span, title, "up to this measurement", help));
        }
        measurements.push(measurement);
    }
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(Config {
        name: source.name().to_owned(),
        algorithms: plans::records(source, &wire.algorithm, &given)?,
        settings: Settings {
            seed: wire.seed.map_or(1, |seed| seed.0),
            repetitions: small(source.count(
                "repetitions",
                wire.repetitions.as_ref(),
                9,
                1..=MAX_REPETITIONS,
            )?),
            warm_up: small(source.count(
                "warm_up",
                wire.warm_up.as_ref(),
                1,
                0..=MAX_REPETITIONS,
            )?),
            limit: Duration::from_secs(source.count(
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

impl Check<'_> {
    fn transport(&self, wire: &WireConfig) -> Result<Transport> {
        let named = wire.transport.as_ref();
        let name = named.map_or("tcp", |name| name.get_ref().as_str());
        let (tcp, emulated) = (wire.tcp.as_ref(), wire.emulated.as_ref());
        let unread = [
            ("tcp", tcp.map(Spanned::span)),
            ("emulated", emulated.map(Spanned::span)),
        ]
        .into_iter()
        .find_map(|(table, span)| Some((table, span.filter(|_| table != name)?)));
        match (name, unread) {
            ("tcp" | "emulated" | "mpi", Some((table, span))) => {
                let title = format!("the transport `{name}` does not read [{table}]");
                Err(self.source.failure(
                    span,
                    title,
                    "not read",
                    "remove the table, or name its transport",
                ))
            }
            ("tcp", None) => self.tcp(tcp),
            ("emulated", None) => {
                let rate = emulated.map(|table| &table.get_ref().rate_mbit);
                let rate = self.source.count("rate_mbit", rate, RATE, 1..=MAX_RATE)?;
                Ok(Transport::Emulated(Shape { rate_mbit: rate }))
            }
            ("mpi", None) => Ok(Transport::Mpi),
            (other, _) => {
                let span = named.map_or(0..0, Spanned::span);
                let title = format!("there is no transport `{other}`");
                Err(self.source.failure(
                    span,
                    title,
                    "unknown transport",
                    "the transports are tcp, emulated and mpi",
                ))
            }
        }
    }

    fn tcp(&self, table: Option<&Spanned<WireTcp>>) -> Result<Transport> {
        let Some(table) = table else {
            return Ok(Transport::Loopback { first_port: None });
        };
        let WireTcp {
            first_port,
            hosts,
            launch,
            program,
        } = table.get_ref();
        let port = self.source.count(
            "first_port",
            first_port.as_ref(),
            0,
            1..=u64::from(u16::MAX),
        )?;
        let first_port = u16::try_from(port).ok().filter(|port| *port > 0);
        let Some(hosts) = hosts else {
            let unread = launch
                .as_ref()
                .map(Spanned::span)
                .or(program.as_ref().map(Spanned::span));
            return match unread {
                None => Ok(Transport::Loopback { first_port }),
                Some(span) => {
                    let title = "without `hosts` nothing is launched";
                    Err(self.source.failure(
                        span,
                        title,
                        "not read",
                        "add `hosts`, or remove the key",
                    ))
                }
            };
        };
        if hosts.get_ref().is_empty() {
            let help =
                "write hosts = [{ name = \"node1\", address = \"10.0.0.1\" }], or remove the key";
            return Err(self.source.failure(
                hosts.span(),
                "`hosts` is empty",
                "expected a host",
                help,
            ));
        }
        let default = ["ssh", "-o", "BatchMode=yes", "--", "{host}"]
            .map(str::to_owned)
            .to_vec();
        let launch = launch
            .as_ref()
            .map_or(default, |launch| launch.get_ref().clone());
        let program = match program {
            Some(program) => program.get_ref().clone(),
            None if is_remote_shell(&launch) => quoted(own_program()?),
            None => own_program()?,
        };
        let mut known = BTreeSet::new();
        let host = |host: &WireHost| {
            let (name, address) = (host.name.get_ref(), *host.address.get_ref());
            if !is_name(name) || !known.insert(name.clone()) {
                let title = format!("`{name}` is not a valid name of a host");
                return Err(self.source.failure(host.name.span(), title, NAME, KEYS));
            }
            if address.is_unspecified() || address.is_multicast() {
                let title = format!("ranks of `{name}` cannot listen on {address}");
                let help = "name the address at which other hosts reach it";
                return Err(self.source.failure(
                    host.address.span(),
                    title,
                    "expected an address of the host",
                    help,
                ));
            }
            let launch = launch
                .iter()
                .map(|word| word.replace("{host}", name))
                .collect();
            Ok(Host {
                name: name.clone(),
                address,
                launch,
                program: program.clone(),
            })
        };
        let hosts = hosts
            .get_ref()
            .iter()
            .map(host)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Transport::Hosts { hosts, first_port })
    }
}

const NAME: &str = "expected another name, not beginning with `=`, `+`, `-` or `@`";

/// Whether the first word of a launcher is a program that passes its command to a shell.
fn is_remote_shell(launch: &[String]) -> bool {
    launch
        .first()
        .and_then(|word| Path::new(word).file_name())
        .is_some_and(|name| name == "ssh" || name == "rsh")
}

/// A path as one word of a shell. A path has no NUL.
fn quoted(path: PathBuf) -> PathBuf {
    let quoted = shlex::bytes::try_quote(path.as_os_str().as_bytes()).map(Cow::into_owned);
    quoted.map_or(path, |quoted| OsString::from_vec(quoted).into())
}

/// The path of this program, for other processes of this host or hosts that share its files.
fn own_program() -> Result<PathBuf> {
    std::env::current_exe().map_err(|error| {
        let explanation = format_args!(
            "cannot find the path of castbench itself: {error}; name it with `program`"
        );
        Failure::new(Code::Configuration, explanation)
    })
}
