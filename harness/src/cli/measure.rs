//! Arguments and help of `measure`, `calibrate` and `hosts`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::measured::profile::Sends;
use crate::print::Format;
use crate::units::parse_count;

pub(super) const MEASURE_HELP: &str =
    "Each node is a process that exchanges real messages. After the timing, every node checks the bytes it received. \
The median is over the repetitions; its interval contains the true median with the stated coverage. Exit code 10: a \
rank, a host or a connection failed. Finished repetitions are kept then, and after Ctrl-C; --resume continues from \
there. Only --force replaces a measurement.

Examples:
  castbench measure
  castbench measure cluster.toml --out reports/measured
  castbench measure cluster.toml --out reports/measured --resume
  castbench measure cluster.toml --out reports/measured --summarise
  castbench measure cluster.toml --format csv";

pub(super) const HOSTS_HELP: &str =
    "The hosts are network namespaces of this host, castbench-h1, castbench-h2, ..., joined by a switch. `hosts up` \
needs root. `castbench measure` does not need them: it makes its own.

Examples:
  castbench hosts up --count 4 --rate-mbit 100
  castbench hosts exec castbench-h1 ping -c 3 10.77.0.2
  castbench hosts down";

pub(super) const CALIBRATE_HELP: &str =
    "Sends messages of 1 B to 4 MiB between the first two hosts of a configuration for `measure`, after Hoefler et al. 2007 and \
Kielmann et al. 2000. The profile states where each number comes from and how well it fits; NAME.csv beside it has every \
size, measured and predicted by the profile.

Examples:
  castbench calibrate --name loopback
  castbench calibrate cluster.toml --name ethernet100 --sends streamed
  castbench cost halving --machine reports/calibrated/ethernet100.toml --bytes 1MiB -K 18";

/// Arguments of `measure`.
#[derive(Debug, Args)]
pub struct Measure {
    /// Configuration file [default: the one that `castbench init measure` prints]
    pub config: Option<PathBuf>,
    /// Directory for the CSV files and manifest.json
    #[arg(long, value_name = "DIR", default_value = "reports/measurement")]
    pub out: PathBuf,
    /// Measure nothing; summarise the results in the directory again
    #[arg(long, conflicts_with_all = ["resume", "force"])]
    pub summarise: bool,
    /// Continue the measurement in the directory: measure what is missing
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,
    /// Replace the measurement in the directory
    #[arg(long)]
    pub force: bool,
    /// How to print the medians
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Arguments of `calibrate`.
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Configuration file with the transport [default: the one that `castbench init measure` prints]
    pub config: Option<PathBuf>,
    /// The name of the profile
    #[arg(long, value_name = "NAME", default_value = "calibrated")]
    pub name: String,
    /// Directory for NAME.toml and NAME.csv
    #[arg(long, value_name = "DIR", default_value = "reports/calibrated")]
    pub out: PathBuf,
    /// Repetitions of each size
    #[arg(long, value_name = "COUNT", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 21)]
    pub repetitions: u64,
    /// Replace a profile of this name
    #[arg(long)]
    pub force: bool,
    /// When the next send may begin; decides g and G of the profile
    #[arg(long, value_enum, default_value_t = Sends::Acknowledged)]
    pub sends: Sends,
    /// How to print the sizes
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Arguments of `hosts`.
#[derive(Debug, Args)]
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
        #[arg(long, value_parser = parse_count, allow_negative_numbers = true, default_value_t = 8)]
        count: u64,
        /// Rate of every link, on the wire
        #[arg(long, value_name = "MBIT/S", value_parser = parse_count, allow_negative_numbers = true, default_value_t = 100)]
        rate_mbit: u64,
    },
    /// Run a command on one of them, as `ssh` does; MPI can start its ranks with it
    Exec {
        /// The host
        host: String,
        /// Command for its shell; the words are joined
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// Remove them
    Down,
    /// List them
    Status {
        /// How to print
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
}
