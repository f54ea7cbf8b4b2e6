//! `castbench figures`: pictures from the CSV of a sweep.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::chart::png;
use crate::config::Config;
use crate::failure::{Failure, tell};
use crate::figures::{self, Column, Side, adhoc};
use crate::output::{self, Draft};

pub(crate) const HELP: &str = "--x draws one figure of any rows, without a configuration. An axis that is neither \
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

/// Runs the verb.
///
/// # Errors
/// Exit code 3 for a bad configuration, and those of [`figures::draw_all`] and [`adhoc::draw`].
pub fn run(arguments: &Figures) -> Result<(), Failure> {
    if let (Some(x), Some(out)) = (&arguments.x, &arguments.out) {
        return draw_one(arguments, x, out);
    }
    let config = Config::load(arguments.config.as_deref())?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.from.join("figures"));
    draw(&config, &arguments.from, &out)
}

/// Draws the figures of a loaded configuration and lists the files.
pub(super) fn draw(config: &Config, from: &Path, out: &Path) -> Result<(), Failure> {
    let files = figures::draw_all(&config.figures, from, out)?;
    if files.is_empty() {
        let files: Vec<&str> = config.figures.iter().map(|figure| figure.file()).collect();
        let (files, from) = (files.join(", "), from.display());
        tell(format_args!(
            "warning: nothing was drawn; `{from}` has neither the history nor the measurements of {files}"
        ));
    }
    for file in files {
        tell(format_args!("drew {}", file.display()));
    }
    Ok(())
}

fn draw_one(arguments: &Figures, x: &str, out: &Path) -> Result<(), Failure> {
    let extension = out.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("svg" | "png")) {
        let out = out.display();
        return Err(Failure::usage(format_args!("--out {out}: expected a file name that ends in .svg or .png")));
    }
    if extension == Some("png") {
        png::check_available()?;
    }
    let svg = svg(arguments, x, out)?;
    let bytes = figures::encoded(&out.to_string_lossy(), svg)?;
    output::publish(vec![Draft::of(out, &bytes)?], &[])?;
    tell(format_args!("drew {}", out.display()));
    Ok(())
}

/// The SVG of the one figure along the axis `x`; `out` is its file, for messages.
///
/// # Errors
/// Those of [`adhoc::draw`].
pub fn svg(arguments: &Figures, x: &str, out: &Path) -> Result<String, Failure> {
    let one = &arguments.one;
    let request = adhoc::Request {
        file: out.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        x: x.to_owned(),
        y: one.y,
        by: one.by.clone(),
        log: one.log.clone(),
        free: one.free.clone(),
        over: one.over.clone(),
        problem: one.problem.clone(),
        algorithms: one.algorithms.clone(),
        at: one.at.clone(),
    };
    adhoc::draw(&request, &arguments.from)
}
