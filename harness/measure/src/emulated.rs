//! Emulated hosts: network namespaces of this host, joined by a switch with links of a given rate.
//!
//! Each host is a namespace with one interface, `eth0`. The other end of its link is in the switch's namespace, in a
//! bridge. `tbf` shapes both ends, so a host sends and receives at the rate of an Ethernet, and two messages to one
//! host queue at the switch. Nothing is created or changed in the namespace of this host.
//!
//! `castbench measure` makes its hosts in its own mount namespace ([`isolate`]). Only its processes see their names,
//! and the kernel removes hosts and links with the last of these processes. `castbench hosts up` makes them visible to
//! all, until `castbench hosts down`.
//!
//! A latency cannot be emulated this way, because the kernel may lack `netem`. So the receiver implements the relay
//! delay.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};

use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::error::Error;
use super::hosts::Host;
use super::tell::tell;

/// Most hosts that a 24-bit network can hold, with some reserve.
pub const MAX_HOSTS: u32 = 250;
/// Highest rate, Mbit/s: more than two processors can sustain. Tested with 100.
pub const MAX_RATE: u64 = 1000;
/// The usual rate, Mbit/s.
pub const RATE: u64 = 100;

/// The bytes that a link passes at once after a pause, whatever its rate; `discipline` has them.
pub const BURST: u64 = 4096;

/// Directory of named namespaces.
const NAMES: &str = "/run/netns";
const SWITCH: &str = "castbench-net";
const HOST: &str = "castbench-h";
/// Locked while hosts are made or removed.
const LOCK: &str = "/run/castbench-hosts.lock";
/// An alias of the loopback interface in namespaces of castbench.
const ALIAS: &str = "castbench";
/// Set to the process number in the process that runs in its own mount namespace.
const MARK: &str = "CASTBENCH_ISOLATED";

/// The links of the hosts.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Rate of every link in either direction, on the wire, Mbit/s.
    pub rate_mbit: u64,
}

impl Serialize for Shape {
    /// With derived values, for the manifest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shape = serializer.serialize_struct("Shape", 2)?;
        shape.serialize_field("rate_mbit", &self.rate_mbit)?;
        shape.serialize_field("both_ends_of_a_link", &self.discipline("eth0"))?;
        shape.end()
    }
}

impl Shape {
    /// The queueing discipline of a link's end. On the wire a frame takes 24 bytes more than the kernel counts:
    /// checksum, preamble and gap. Larger bursts would let short messages pass without delay; smaller ones lose part of the rate where
    /// timers are late, on busy hosts most.
    fn discipline(self, interface: &str) -> String {
        let rate = self.rate_mbit;
        format!(
            "qdisc add dev {interface} root tbf rate {rate}mbit burst 4kb limit 512kb overhead 24"
        )
    }
}

/// Existing hosts. Dropping it removes them, unless they are kept.
#[derive(Debug)]
pub struct Network {
    hosts: Vec<Host>,
    /// The names of those to remove.
    made: Vec<String>,
}

impl Network {
    /// Existing hosts, which stay.
    #[must_use]
    pub fn standing(hosts: Vec<Host>) -> Self {
        Self {
            hosts,
            made: Vec::new(),
        }
    }

    /// Makes `count` hosts and their switch.
    ///
    /// # Errors
    /// `ip`, `tc` or `nsenter` is missing or fails, or such hosts already exist.
    pub fn up(count: u32, shape: Shape) -> Result<Self, Error> {
        let _lock = lock();
        let There { own, others } = There::now()?;
        if let Some(name) = own.first() {
            let advice = "remove them with `castbench hosts down`";
            return Err(Error::Failed(format!(
                "emulated hosts already exist, such as `{name}`; {advice}"
            )));
        }
        if let Some(name) = others.first() {
            return Err(Error::Failed(format!(
                "`{name}` is there already: {}",
                foreign(name)
            )));
        }
        let program = std::env::current_exe().map_err(|error| Error::no_program(&error))?;
        let hosts: Vec<Host> = (1..=count).map(|number| host(number, &program)).collect();
        let mut network = Self::standing(hosts);
        network.make(shape)?;
        Ok(network)
    }

    /// The hosts.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Keeps them after the program ends.
    pub fn keep(mut self) {
        self.made.clear();
    }

    fn make(&mut self, shape: Shape) -> Result<(), Error> {
        for name in [SWITCH]
            .into_iter()
            .chain(self.hosts.iter().map(|host| host.name.as_str()))
        {
            run("ip", &["netns", "add", name], &[])?;
            self.made.push(name.to_owned());
            run(
                "ip",
                &["-n", name, "link", "set", "lo", "alias", ALIAS],
                &[],
            )?;
        }
        let mut links = vec![
            "link add br0 type bridge".to_owned(),
            "link set br0 up".to_owned(),
        ];
        let mut disciplines = Vec::new();
        for (port, host) in (1..).zip(&self.hosts) {
            let port = format!("port{port}");
            links.push(format!(
                "link add {port} type veth peer name eth0 netns {}",
                host.name
            ));
            // Otherwise the kernel forwards packets of many segments at once, and shapes those.
            links.push(format!("link set {port} gso_max_segs 1 master br0 up"));
            disciplines.push(shape.discipline(&port));
        }
        run("ip", &["-n", SWITCH, "-batch", "-"], &links)?;
        run("tc", &["-n", SWITCH, "-batch", "-"], &disciplines)?;
        for (number, host) in (1..).zip(&self.hosts) {
            self.set_up(number, host, shape)?;
        }
        Ok(())
    }

    fn set_up(&self, number: u32, host: &Host, shape: Shape) -> Result<(), Error> {
        let mut lines = vec![
            "link set lo up".to_owned(),
            format!("link set eth0 address {} gso_max_segs 1", hardware(number)),
            "link set eth0 up".to_owned(),
            format!("addr add {}/24 dev eth0", host.address),
        ];
        // Static neighbour entries, so no message waits for ARP.
        let others = (1..).zip(&self.hosts).filter(|(other, _)| *other != number);
        lines.extend(others.map(|(other, host)| {
            format!(
                "neigh add {} lladdr {} dev eth0 nud permanent",
                host.address,
                hardware(other)
            )
        }));
        // Plain Reno: other algorithms may need `fq`, or measure the path.
        let settings = "echo reno > /proc/sys/net/ipv4/tcp_congestion_control; \
            if [ -e /proc/sys/net/ipv6 ]; then echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; fi";
        let enter = format!("--net={NAMES}/{}", host.name);
        run("nsenter", &[&enter, "sh", "-e", "-c", settings], &[])?;
        run("ip", &["-n", &host.name, "-batch", "-"], &lines)?;
        run(
            "tc",
            &["-n", &host.name, "-batch", "-"],
            &[shape.discipline("eth0")],
        )
        .map(drop)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Err(error) = remove(&self.made) {
            tell(format_args!("error: {error}"));
        }
    }
}

fn host(number: u32, program: &Path) -> Host {
    let name = format!("{HOST}{number}");
    let launch = vec![
        "nsenter".to_owned(),
        format!("--net={NAMES}/{name}"),
        "--".to_owned(),
    ];
    Host {
        name,
        address: address(number),
        launch,
        program: program.to_owned(),
    }
}

fn address(number: u32) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(
        u32::from(Ipv4Addr::new(10, 77, 0, 0)) + number,
    ))
}

fn hardware(number: u32) -> String {
    format!("02:00:0a:4d:00:{number:02x}")
}

/// The names of the existing hosts and their switch, without other namespaces.
///
/// # Errors
/// The names cannot be read.
pub fn names() -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(NAMES) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::Failed(format!("cannot read {NAMES}: {error}"))),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut own: Vec<(u32, String)> = names
        .filter_map(|name| Some((number_of(&name)?, name)))
        .collect();
    own.sort();
    Ok(own.into_iter().map(|(_, name)| name).collect())
}

/// The number of the host with this name; 0 for the switch.
fn number_of(name: &str) -> Option<u32> {
    if name == SWITCH {
        return Some(0);
    }
    let digits = name.strip_prefix(HOST)?;
    let number: u32 = digits.parse().ok()?;
    ((1..=MAX_HOSTS).contains(&number) && number.to_string() == digits).then_some(number)
}

/// Removes the existing hosts and their switch. Returns the number of hosts.
///
/// # Errors
/// `ip` is missing or fails.
pub fn down() -> Result<usize, Error> {
    let _lock = lock();
    let There { own, others } = There::now()?;
    remove(&own)?;
    for name in others {
        tell(format_args!("`{name}` is kept: {}", foreign(&name)));
    }
    Ok(own.iter().filter(|name| *name != SWITCH).count())
}

/// The namespaces with names of emulated hosts or their switch.
struct There {
    own: Vec<String>,
    /// Those that castbench did not make.
    others: Vec<String>,
}

impl There {
    /// # Errors
    /// They cannot be entered to see whose they are.
    fn now() -> Result<Self, Error> {
        let [mut own, mut others] = [Vec::new(), Vec::new()];
        for name in names()? {
            let is_own = is_own(&name)?;
            if is_own { &mut own } else { &mut others }.push(name);
        }
        Ok(Self { own, others })
    }
}

/// Whether castbench made the namespace; its loopback interface has the alias.
fn is_own(name: &str) -> Result<bool, Error> {
    let shown = run("ip", &["-n", name, "link", "show", "lo"], &[])?;
    let alias = format!("alias {ALIAS}");
    Ok(shown.lines().any(|line| line.trim() == alias))
}

fn foreign(name: &str) -> String {
    format!("castbench did not make it; `ip netns del {name}` removes it")
}

/// A lock for making or removing hosts; a second process waits. Hosts that only this process sees need no lock, and an
/// ordinary user cannot have one.
fn lock() -> Option<File> {
    if is_isolated() {
        return None;
    }
    // `ip` itself locks the directory of the names.
    let lock = File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(LOCK)
        .ok()?;
    lock.lock().ok().map(|()| lock)
}

fn remove(names: &[String]) -> Result<(), Error> {
    if names.is_empty() {
        return Ok(());
    }
    let delete: Vec<String> = names
        .iter()
        .map(|name| format!("netns del {name}"))
        .collect();
    run("ip", &["-force", "-batch", "-"], &delete).map(drop)
}

/// Becomes a shell on an existing host and runs `command` as its command line, as `ssh` does. Returns only on failure:
/// the host does not exist, or `nsenter` or `unshare` is missing or fails.
///
/// In the shell the host name is that of the emulated host, by which MPI distinguishes hosts.
#[must_use]
pub fn exec(host: &str, command: &[String]) -> Error {
    let there = names().map(|names| host != SWITCH && names.iter().any(|name| name == host));
    match there.and_then(|there| {
        if there {
            is_own(host).map(Some)
        } else {
            Ok(None)
        }
    }) {
        Err(error) => return error,
        Ok(Some(true)) => {}
        Ok(Some(false)) => {
            return Error::Failed(format!("`{host}` is no emulated host: {}", foreign(host)));
        }
        Ok(None) => {
            return Error::Failed(format!(
                "there is no emulated host `{host}`; `castbench hosts status` lists them"
            ));
        }
    }
    let script = "echo \"$0\" > /proc/sys/kernel/hostname && exec sh -c \"$1\"";
    let mut enter = Command::new("nsenter");
    enter.arg(format!("--net={NAMES}/{host}"));
    enter
        .args(["--", "unshare", "--uts", "--", "sh", "-c", script, host])
        .arg(command.join(" "));
    Error::Failed(format!("cannot run `nsenter`: {}", enter.exec()))
}

/// An existing host.
#[derive(Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub host: String,
    /// Its address.
    pub address: IpAddr,
    /// The shaping of its sends, as `tc` prints it.
    pub sends: String,
}

/// The existing hosts.
///
/// # Errors
/// `tc` is missing or fails.
pub fn status() -> Result<Vec<Standing>, Error> {
    let mut found = Vec::new();
    let There { own, others } = There::now()?;
    for name in others {
        tell(format_args!("`{name}` is left out: {}", foreign(&name)));
    }
    for name in own {
        let Some(number @ 1..) = number_of(&name) else {
            continue;
        };
        let text = run("tc", &["-n", &name, "qdisc", "show", "dev", "eth0"], &[])?;
        let sends = text.lines().next().unwrap_or_default().trim().to_owned();
        found.push(Standing {
            host: name,
            address: address(number),
            sends,
        });
    }
    Ok(found)
}

/// Restarts the program in its own mount namespace, as the same process: no other process sees its names, and they
/// vanish with its last process. Without root it also gets its own user namespace, in which it may make networks.
///
/// Returns if that has already happened; otherwise the program starts again and calls this function again.
///
/// # Errors
/// The kernel does not allow it, or `unshare` is missing.
pub fn isolate() -> Result<(), Error> {
    if is_isolated() {
        return Ok(());
    }
    // A user may make networks only from a network namespace of its own.
    let root = rustix::process::geteuid().is_root();
    let user: &[&str] = if root {
        &[]
    } else {
        &["--user", "--map-root-user", "--net"]
    };
    // If the directory of names cannot be created, its parent directory is covered.
    let private = format!(
        "{{ mkdir -p {NAMES} && mount -t tmpfs castbench {NAMES}; }} 2>/dev/null \
         || {{ mount -t tmpfs castbench /run && mkdir {NAMES}; }}"
    );
    // Tested first, because `exec` does not return.
    let test = format!("{private} && ip netns add castbench-h1 && ip netns del castbench-h1");
    let advice = "emulated hosts need root or the right to make user namespaces, and the programs unshare, mount and ip";
    run(
        "unshare",
        &[user, &["--mount", "--", "sh", "-c", &test]].concat(),
        &[],
    )
    .map_err(|error| Error::Failed(format!("{error}; {advice}")))?;
    let program: PathBuf = std::env::current_exe().map_err(|error| Error::no_program(&error))?;
    let mut command = Command::new("unshare");
    command.args(user).args([
        "--mount",
        "--",
        "sh",
        "-c",
        &format!("{private} && exec \"$0\" \"$@\""),
    ]);
    command
        .arg(program)
        .args(std::env::args_os().skip(1))
        .env(MARK, process::id().to_string());
    Err(Error::Failed(format!(
        "cannot run `unshare`: {}",
        command.exec()
    )))
}

/// Whether this process runs in a separate mount namespace.
fn is_isolated() -> bool {
    std::env::var(MARK).is_ok_and(|mark| mark == process::id().to_string())
}

/// Runs a program with these lines as its input; returns what it prints.
fn run(program: &str, arguments: &[&str], lines: &[String]) -> Result<String, Error> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let failed = |error: std::io::Error| Error::Failed(format!("cannot run `{program}`: {error}"));
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that ends early reports why on standard error.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let printed = String::from_utf8_lossy(&output.stderr);
    let printed = printed.trim().replace('\n', " / ");
    let why = if printed.is_empty() {
        output.status.to_string()
    } else {
        printed
    };
    Err(Error::Failed(format!("`{program}` failed: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_own() {
        assert_eq!(number_of("castbench-net"), Some(0));
        assert_eq!(number_of("castbench-h12"), Some(12));
        for other in [
            "castbench",
            "castbench-h",
            "castbench-h0",
            "castbench-h01",
            "castbench-h251",
            "castbench-hx",
            "h1",
        ] {
            assert_eq!(number_of(other), None, "{other}");
        }
    }

    #[test]
    fn hosts_have_addresses_of_their_own() {
        assert_eq!(address(1).to_string(), "10.77.0.1");
        assert_eq!(address(MAX_HOSTS).to_string(), "10.77.0.250");
        assert_eq!(hardware(MAX_HOSTS), "02:00:0a:4d:00:fa");
    }
}
