//! `castbench hosts`: emulated hosts that stay after the command, for people and other programs.

use measure::emulated::{self, MAX_HOSTS, MAX_RATE, Network, Shape};

use super::table::{print, table};
use crate::cli::{Hosts, HostsAction};
use crate::failure::{Failure, tell};
use crate::measured::stop::{self, STOP};
use crate::units::plural;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a number out of range, 10 if the hosts cannot be made, removed, listed or entered.
pub fn run(arguments: &Hosts) -> Result<(), Failure> {
    match &arguments.action {
        HostsAction::Up { count, rate_mbit } => up(*count, *rate_mbit),
        HostsAction::Exec { host, command } => Err(emulated::exec(host, command).into()),
        HostsAction::Down => {
            let count = emulated::down()?;
            tell(format_args!("removed {}", plural(count as u64, "emulated host")));
            Ok(())
        }
        HostsAction::Status { format } => {
            let hosts = emulated::status()?;
            let mut people = table(["host", "address", "sends"]);
            for host in &hosts {
                people.add_row([host.host.clone(), host.address.to_string(), host.sends.clone()]);
            }
            print(*format, &hosts, &people)
        }
    }
}

fn up(count: u64, rate_mbit: u64) -> Result<(), Failure> {
    let most = MAX_HOSTS;
    let count = u32::try_from(count).ok().filter(|count| (1..=most).contains(count));
    let count = count.ok_or_else(|| Failure::usage(format_args!("--count: expected 1 to {most} hosts")))?;
    if !(1..=MAX_RATE).contains(&rate_mbit) {
        return Err(Failure::usage(format_args!("--rate-mbit: expected 1 to {MAX_RATE} Mbit/s")));
    }
    // This process removes half-made hosts, so a signal must not end it.
    stop::on_interrupt()?;
    let network = Network::up(count, Shape { rate_mbit }).map_err(|error| {
        let failure = Failure::from(error);
        if rustix::process::geteuid().is_root() {
            return failure;
        }
        Failure::new(failure.code, format_args!("{}; `castbench hosts` needs root", failure.explanation()))
    })?;
    if STOP.requested() {
        return Err(Failure { code: crate::failure::Code::Interrupted, message: String::new() });
    }
    for host in network.hosts() {
        tell(format_args!("{} at {}", host.name, host.address));
    }
    network.keep();
    Ok(())
}
