//! Hosts that are network namespaces of this one, joined by a switch whose links have a given rate.
//!
//! Each host is a namespace with one interface, `eth0`; the other end of its link is in a namespace of its own, in a
//! bridge. Both ends are shaped by `tbf`, so that what a host sends and what it receives have the rate of an Ethernet
//! each, and two messages to one host queue at the switch. Nothing is made in the namespace of this host, so nothing
//! of it can be in the way or be changed.
//!
//! `castbench measure` makes its hosts in a mount namespace of its own ([`isolate`]): their names are seen by its processes
//! alone, and the kernel removes hosts and links with the last of these, however that ended. `castbench hosts up` makes
//! them for everyone, until `castbench hosts down`.
//!
//! What cannot be emulated this way: a latency. The kernel may lack `netem`, so a relay delay is the receiver's work.

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

/// Most hosts: a 24-bit network holds a few more.
pub const MAX_HOSTS: u32 = 250;
/// Highest rate, Mbit/s. Even this much is more than two processors can carry steadily; it was tested with 100.
pub const MAX_RATE: u64 = 1000;

/// Where `ip` keeps namespaces that have names.
const NAMES: &str = "/run/netns";
/// The namespace of the switch.
const SWITCH: &str = "castbench-net";
/// What the names of hosts begin with.
const HOST: &str = "castbench-h";
/// Locked while hosts are made or removed.
const LOCK: &str = "/run/castbench-hosts.lock";
/// What the loopback interface of a namespace that castbench made is also called.
const ALIAS: &str = "castbench";
/// Set for the process that was put into a mount namespace of its own, to its number.
const MARK: &str = "CASTBENCH_ISOLATED";

/// The links of the hosts.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Rate of every link in either direction, on the wire, Mbit/s.
    pub rate_mbit: u64,
}

impl Serialize for Shape {
    /// With what follows from it, for the manifest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut shape = serializer.serialize_struct("Shape", 2)?;
        shape.serialize_field("rate_mbit", &self.rate_mbit)?;
        shape.serialize_field("both_ends_of_a_link", &self.discipline("eth0"))?;
        shape.end()
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self { rate_mbit: 100 }
    }
}

impl Shape {
    /// The discipline of a link's end. A frame takes 24 bytes more on the wire than the kernel counts: checksum,
    /// preamble and the gap after it. Larger bursts let short messages pass for nothing.
    fn discipline(self, interface: &str) -> String {
        let rate = self.rate_mbit;
        format!("qdisc add dev {interface} root tbf rate {rate}mbit burst 4kb limit 512kb overhead 24")
    }
}

/// Hosts that are there. Dropping it removes them, unless they are kept.
#[derive(Debug)]
pub struct Network {
    hosts: Vec<Host>,
    /// The namespaces that this process made.
    made: Vec<String>,
    kept: bool,
}

impl Network {
    /// Makes `count` hosts and their switch.
    ///
    /// # Errors
    /// Where `ip`, `tc` or `nsenter` is missing or refuses, or where such hosts are there already.
    pub fn up(count: u32, shape: Shape) -> Result<Self, Error> {
        let _lock = lock();
        if let Some(name) = names()?.first() {
            return Err(Error::HostsExist(name.clone()));
        }
        let program = std::env::current_exe().map_err(|error| Error::no_program(&error))?;
        let hosts: Vec<Host> = (1..=count).map(|number| host(number, &program)).collect();
        let mut network = Self { hosts, made: Vec::new(), kept: false };
        network.make(shape)?;
        Ok(network)
    }

    /// The hosts.
    #[must_use]
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Leaves them there.
    pub fn keep(mut self) {
        self.kept = true;
    }

    fn make(&mut self, shape: Shape) -> Result<(), Error> {
        for name in [SWITCH].into_iter().chain(self.hosts.iter().map(|host| host.name.as_str())) {
            run("ip", &["netns", "add", name], &[])?;
            self.made.push(name.to_owned());
            run("ip", &["-n", name, "link", "set", "lo", "alias", ALIAS], &[])?;
        }
        let mut links = vec!["link add br0 type bridge".to_owned(), "link set br0 up".to_owned()];
        let mut disciplines = Vec::new();
        for (port, host) in (1..).zip(&self.hosts) {
            let port = format!("port{port}");
            links.push(format!("link add {port} type veth peer name eth0 netns {}", host.name));
            // Else the kernel passes on packets of many segments at once, and shapes those.
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
        // Addresses are known from the start, so no message waits for a question about one.
        let others = (1..).zip(&self.hosts).filter(|(other, _)| *other != number);
        lines.extend(others.map(|(other, host)| {
            format!("neigh add {} lladdr {} dev eth0 nud permanent", host.address, hardware(other))
        }));
        // Plain Reno: what this host prefers may need `fq`, or measures the path.
        let settings = "echo reno > /proc/sys/net/ipv4/tcp_congestion_control; \
            if [ -e /proc/sys/net/ipv6 ]; then echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6; fi";
        let enter = format!("--net={NAMES}/{}", host.name);
        run("nsenter", &[&enter, "sh", "-e", "-c", settings], &[])?;
        run("ip", &["-n", &host.name, "-batch", "-"], &lines)?;
        run("tc", &["-n", &host.name, "-batch", "-"], &[shape.discipline("eth0")])
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        if !self.kept
            && let Err(error) = remove(&self.made)
        {
            tell(format_args!("error: {error}"));
        }
    }
}

fn host(number: u32, program: &Path) -> Host {
    let name = format!("{HOST}{number}");
    let launch = vec!["nsenter".to_owned(), format!("--net={NAMES}/{name}"), "--".to_owned()];
    Host { name, address: address(number), launch, program: program.to_owned() }
}

/// Of host `number`, from 1 to [`MAX_HOSTS`].
fn address(number: u32) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 77, 0, 0)) + number))
}

fn hardware(number: u32) -> String {
    format!("02:00:0a:4d:00:{number:02x}")
}

/// The hosts that are there, and their switch, by their names; other namespaces are left out.
///
/// # Errors
/// Where the names cannot be read.
pub fn names() -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(NAMES) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(refused(&format!("cannot read {NAMES}"), error)),
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut own: Vec<(u32, String)> = names.filter_map(|name| Some((number_of(&name)?, name))).collect();
    own.sort();
    Ok(own.into_iter().map(|(_, name)| name).collect())
}

/// The number of a host of this name; 0 for the switch.
fn number_of(name: &str) -> Option<u32> {
    if name == SWITCH {
        return Some(0);
    }
    let digits = name.strip_prefix(HOST)?;
    let number: u32 = digits.parse().ok()?;
    ((1..=MAX_HOSTS).contains(&number) && number.to_string() == digits).then_some(number)
}

/// Removes the hosts that are there, and their switch. Returns how many hosts there were.
///
/// # Errors
/// Where `ip` is missing or refuses.
pub fn down() -> Result<usize, Error> {
    let _lock = lock();
    let (own, others): (Vec<String>, Vec<String>) = names()?.into_iter().partition(|name| is_own(name));
    remove(&own)?;
    for name in others {
        tell(format_args!("`{name}` stays: castbench did not make it; `ip netns del {name}` removes it"));
    }
    Ok(own.iter().filter(|name| *name != SWITCH).count())
}

/// Whether castbench made a namespace of such a name: then its loopback interface says so.
fn is_own(name: &str) -> bool {
    let mut command = Command::new("ip");
    command.args(["-n", name, "link", "show", "lo"]).stdin(Stdio::null());
    let output = command.output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().any(|line| line.trim() == format!("alias {ALIAS}"))
}

/// Held while hosts are made or removed: two processes at it at once would disturb each other. The second one waits. Hosts that
/// only this process sees need none, nor can one be had where only root may write.
fn lock() -> Option<File> {
    if is_isolated() {
        return None;
    }
    // `ip` itself locks the directory of the names.
    let lock = File::options().create(true).append(true).mode(0o600).open(LOCK).ok()?;
    lock.lock().ok().map(|()| lock)
}

fn remove(names: &[String]) -> Result<(), Error> {
    if names.is_empty() {
        return Ok(());
    }
    let delete: Vec<String> = names.iter().map(|name| format!("netns del {name}")).collect();
    run("ip", &["-force", "-batch", "-"], &delete)
}

/// Becomes a shell on a host that is there, with the words of `command` as its line, as `ssh` does. Returns only where
/// that fails: the host is not there, or `nsenter` or `unshare` is missing or refuses.
///
/// The shell finds the name of the host as its own: what is started on several hosts tells them apart by their names.
#[must_use]
pub fn exec(host: &str, command: &[String]) -> Error {
    let there = match names() {
        Ok(names) => names,
        Err(error) => return error,
    };
    if host == SWITCH || !there.iter().any(|name| name == host) {
        return Error::NoSuchHost(host.to_owned());
    }
    let script = "echo \"$0\" > /proc/sys/kernel/hostname && exec sh -c \"$1\"";
    let mut enter = Command::new("nsenter");
    enter.arg(format!("--net={NAMES}/{host}"));
    enter.args(["--", "unshare", "--uts", "--", "sh", "-c", script, host]).arg(command.join(" "));
    refused("cannot run `nsenter`", enter.exec())
}

/// One host that is there.
#[derive(Debug, Serialize)]
pub struct Standing {
    /// Its name.
    pub host: String,
    /// Its address.
    pub address: IpAddr,
    /// How what it sends is shaped, in the words of `tc`.
    pub sends: String,
}

/// The hosts that are there.
///
/// # Errors
/// Where `tc` is missing or refuses.
pub fn status() -> Result<Vec<Standing>, Error> {
    let mut found = Vec::new();
    for name in names()? {
        let Some(number @ 1..) = number_of(&name) else { continue };
        let mut command = Command::new("tc");
        command.args(["-n", &name, "qdisc", "show", "dev", "eth0"]);
        let output = command.output().map_err(|error| refused("cannot run `tc`", error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let sends = text.lines().next().unwrap_or_default().trim().to_owned();
        found.push(Standing { host: name, address: address(number), sends });
    }
    Ok(found)
}

/// Goes on in a mount namespace of its own, as the same process: what is named there is seen by no other process and gone with
/// the last process in it. Without root also in a user namespace of its own, in which it may make networks.
///
/// Returns where that has happened already; else the program starts anew and comes here again.
///
/// # Errors
/// Where the kernel does not allow it, or `unshare` is missing.
pub fn isolate() -> Result<(), Error> {
    if is_isolated() {
        return Ok(());
    }
    // A user may make networks only where the one it starts from is its own, too.
    let root = rustix::process::geteuid().is_root();
    let user: &[&str] = if root { &[] } else { &["--user", "--map-root-user", "--net"] };
    // Where the directory of names may not be made, the one above it is covered.
    let private = format!(
        "{{ mkdir -p {NAMES} && mount -t tmpfs castbench {NAMES}; }} 2>/dev/null \
         || {{ mount -t tmpfs castbench /run && mkdir {NAMES}; }}"
    );
    let unshare = |script: String| {
        let mut command = Command::new("unshare");
        command.args(user).args(["--mount", "--", "sh", "-c", &script]);
        command
    };
    // Tested first, for there is no way back from the second.
    let test = unshare(format!("{private} && ip netns add castbench-h1 && ip netns del castbench-h1"));
    let advice =
        "emulated hosts need root or the right to make user namespaces, and the programs unshare, mount and ip";
    check(test, advice)?;
    let program: PathBuf = std::env::current_exe().map_err(|error| Error::no_program(&error))?;
    let mut command = unshare(format!("{private} && exec \"$0\" \"$@\""));
    command.arg(program).args(std::env::args_os().skip(1)).env(MARK, process::id().to_string());
    Err(refused("cannot run `unshare`", command.exec()))
}

/// Whether this process runs in a separate mount namespace.
fn is_isolated() -> bool {
    std::env::var(MARK).is_ok_and(|mark| mark == process::id().to_string())
}

/// Runs a program with these lines as its input.
fn run(program: &str, arguments: &[&str], lines: &[String]) -> Result<(), Error> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let failed = |error: std::io::Error| refused(&format!("cannot run `{program}`"), error);
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A program that ends early says why on standard error.
        let _ = input.write_all((lines.join("\n") + "\n").as_bytes());
    }
    let output = child.wait_with_output().map_err(failed)?;
    judge(program, arguments, &output)
}

/// Runs a command that takes no input, with advice where it fails.
fn check(mut command: Command, advice: &str) -> Result<(), Error> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null());
    let output = command.output().map_err(|error| refused(&format!("cannot run `{program}`; {advice}"), error))?;
    judge(&program, &[], &output).map_err(|error| Error::Failed(format!("{error}; {advice}")))
}

fn judge(program: &str, arguments: &[&str], output: &process::Output) -> Result<(), Error> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim().replace('\n', " / ");
    let line = [&[program], arguments].concat().join(" ");
    Err(refused(&format!("`{line}` failed"), if said.is_empty() { output.status.to_string() } else { said }))
}

fn refused(what: &str, why: impl std::fmt::Display) -> Error {
    Error::Refused { what: what.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_own() {
        assert_eq!(number_of("castbench-net"), Some(0));
        assert_eq!(number_of("castbench-h12"), Some(12));
        for other in
            ["castbench", "castbench-h", "castbench-h0", "castbench-h01", "castbench-h251", "castbench-hx", "h1"]
        {
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
