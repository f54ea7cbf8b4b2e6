//! Arguments and help of `figures`.

use std::path::PathBuf;

use clap::Args;

use crate::figures::{Column, Side};

pub(super) const HELP: &str = "--x draws one figure of any rows, without a configuration. An axis that is neither \
drawn nor fixed with --at takes its default or its only value; if it has up to six values, each has a panel.

Examples:
  castbench figures my.toml --from results
  castbench figures --x K --at L=6,o=2,g=4 --over optimal --log x,y --out ratio.svg
  castbench figures --x g --by K --algorithms fibonacci --at L=6,o=2 --from results --out gaps.png
  castbench figures --x m --problem pipelined-broadcast --at L=6,o=2,g=4,K=64,n=4096,k=1 --log x,y --out segments.svg";

/// Arguments of `figures`.
#[derive(Debug, Args)]
pub struct Figures {
    /// Configuration file that names the figures [default: the one that `castbench init sweep` prints]
    pub config: Option<PathBuf>,
    /// Directory with the CSV files of a sweep; with --y median, of measurements
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub from: PathBuf,
    /// Directory for the files [default: `figures` inside the one given with --from]; with --x the file, .svg or .png
    #[arg(long, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// Axis to draw along, such as K
    #[arg(long, value_name = "AXIS", conflicts_with = "config", requires = "out")]
    pub x: Option<String>,
    /// The one figure.
    #[command(flatten)]
    pub one: OneFigure,
}

/// The other options of `figures --x`.
#[derive(Debug, Args)]
pub struct OneFigure {
    /// Column to draw; `cost` is analytic, or simulated where there is no formula
    #[arg(long, value_name = "COLUMN", value_enum, default_value_t, requires = "x")]
    pub y: Column,
    /// One line for each algorithm, machine or value of another axis
    #[arg(long, value_name = "AXIS", default_value = "algorithm", requires = "x")]
    pub by: String,
    /// The axes with a logarithmic scale
    #[arg(long, value_name = "SIDES", value_enum, value_delimiter = ',', requires = "x")]
    pub log: Vec<Side>,
    /// The axes whose range each panel has for itself
    #[arg(long, value_name = "SIDES", value_enum, value_delimiter = ',', requires = "x")]
    pub free: Vec<Side>,
    /// Divide by the cost of an algorithm, or by `lower_bound`
    #[arg(long, value_name = "ALGORITHM", requires = "x")]
    pub over: Option<String>,
    /// The problem, if several have rows with these axes
    #[arg(long, requires = "x")]
    pub problem: Option<String>,
    /// Algorithms to draw [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "x")]
    pub algorithms: Vec<String>,
    /// Fix axes: L=6,o=2, machine=ethernet100-switched, bytes=1MiB
    #[arg(long, value_name = "AXIS=VALUE", value_delimiter = ',', requires = "x")]
    pub at: Vec<String>,
}
