//! `castbench hosts`: emulated hosts that stay after the command, for people and other programs.

use clap::{Args, Subcommand, value_parser};
use measure::Error;
use measure::emulated::{self, MAX_HOSTS, MAX_RATE, Network, RATE, Shape, Standing};

use crate::base::failure::{Failure, Result};
use crate::base::units::plural;
use crate::measured::stop::{self, STOP};
use crate::print::{Columns, Format};

/// Arguments of `hosts`.
#[derive(Debug, Args)]
#[command(
    after_help = "The hosts are network namespaces of this host, castbench-h1, castbench-h2, ..., joined by a switch. `hosts up` \
needs root. `castbench measure` does not need them: it makes its own.

Examples:
  castbench hosts up --count 4 --rate-mbit 100
  castbench hosts exec castbench-h1 ping -c 3 10.77.0.2
  castbench hosts down"
)]
pub struct Hosts {
    /// What to do.
    #[command(subcommand)]
    pub action: HostsAction,
}

/// What `hosts` does.
#[derive(Debug, Subcommand)]
pub enum HostsAction {
    /// Make emulated hosts
    Up {
        /// Number of hosts
        #[arg(long, value_parser = value_parser!(u32).range(1..=i64::from(MAX_HOSTS)), allow_negative_numbers = true, default_value_t = 8)]
        count: u32,
        /// Rate of every link, on the wire
        #[arg(long, value_name = "MBIT/S", value_parser = value_parser!(u64).range(1..=MAX_RATE), allow_negative_numbers = true, default_value_t = RATE)]
        rate_mbit: u64,
    },
    /// Run a command on an emulated host, as `ssh` does; MPI can start its ranks with it
    Exec {
        /// The host
        host: String,
        /// Command for its shell; the words are joined
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Remove the emulated hosts
    Down,
    /// List the emulated hosts
    Status {
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
}

pub(super) fn columns() -> Columns<'static, Standing> {
    Columns::<Standing>::empty()
        .column("host", "name of the host", |host| host.host.clone())
        .column("address", "its address", |host| host.address.to_string())
        .column(
            "sends",
            "the shaping of its sends, as `tc` prints it",
            |host| host.sends.clone(),
        )
}

/// Runs the verb.
///
/// # Errors
/// Exit code 10 if the hosts cannot be made, removed, listed or entered.
pub fn run(arguments: &Hosts) -> Result {
    match &arguments.action {
        HostsAction::Up { count, rate_mbit } => up(*count, *rate_mbit),
        HostsAction::Exec { host, command } => Err(failed(emulated::exec(host, command))),
        HostsAction::Down => {
            let count = emulated::down().map_err(failed)?;
            tell!("removed {}", plural(count as u64, "emulated host"));
            Ok(())
        }
        HostsAction::Status { format } => {
            format.rows(&columns(), emulated::status().map_err(failed)?)
        }
    }
}

/// The failure for an error, with the likely reason of another user.
fn failed(error: Error) -> Failure {
    let failure = Failure::from(error);
    if rustix::process::geteuid().is_root() {
        return failure;
    }
    let explanation = failure.explanation();
    let advice = format_args!("{explanation}; `castbench hosts` needs root");
    Failure::new(failure.code, advice)
}

fn up(count: u32, rate_mbit: u64) -> Result {
    // This process removes half-made hosts, so a signal must not end it.
    stop::on_interrupt("the hosts are removed")?;
    let network = Network::up(count, Shape { rate_mbit }).map_err(failed)?;
    if STOP.requested() {
        return Err(Failure {
            code: crate::base::failure::Code::Interrupted,
            message: String::new(),
        });
    }
    for host in network.hosts() {
        tell!("{} at {}", host.name, host.address);
    }
    network.keep();
    Ok(())
}
