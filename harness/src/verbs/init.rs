//! `castbench init`: files to begin with.

use std::io::Write as _;

use clap::{Args, ValueEnum};

use crate::base::failure::{Result, stdout};
use crate::base::terminal;
use crate::base::units::joined;
use crate::output::built_in::BuiltIn;
use crate::space::machine;

/// Arguments of `init`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  castbench init machine >mine.toml && castbench best --machine mine.toml
  castbench init sweep >my.toml && castbench sweep my.toml --dry-run
  castbench init measure >cluster.toml && castbench measure cluster.toml
  castbench init figure winners >mine.toml && castbench run mine.toml --out results")]
pub struct Init {
    /// What to print
    #[arg(value_enum)]
    pub file: InitFile,
    /// Of `figure`, which kind
    #[arg(value_enum)]
    pub kind: Option<FigureKind>,
}

/// A file to begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InitFile {
    /// A machine profile, to fill in
    Machine,
    /// The default configuration of `sweep`, `run`, `figures` and `report`
    Sweep,
    /// The default configuration of `regress`
    Regress,
    /// The default configuration of `measure` and `calibrate`
    Measure,
    /// A configuration of ten lines with one figure
    Figure,
}

/// A kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FigureKind {
    /// Costs along an axis, with the lower bound
    Lines,
    /// Costs over those of one algorithm, with logarithmic axes
    Ratio,
    /// A line for each value of another axis
    Values,
    /// A panel for each value of another axis
    Panels,
    /// Simulated costs as points on the lines
    Simulated,
    /// An area between the lines for two values of an axis
    Bands,
    /// The algorithm of least cost over two axes
    Winners,
    /// Medians of `castbench measure`, in `measured` beside the sweep, with predictions
    Measured,
    /// How the costs of `castbench regress accept` changed, from history.csv beside the sweep
    History,
}

impl FigureKind {
    /// Its configuration.
    pub fn text(self) -> &'static str {
        match self {
            Self::Lines => include_str!("../../configs/figures/lines.toml"),
            Self::Ratio => include_str!("../../configs/figures/ratio.toml"),
            Self::Values => include_str!("../../configs/figures/values.toml"),
            Self::Panels => include_str!("../../configs/figures/panels.toml"),
            Self::Simulated => include_str!("../../configs/figures/simulated.toml"),
            Self::Bands => include_str!("../../configs/figures/bands.toml"),
            Self::Winners => include_str!("../../configs/figures/winners.toml"),
            Self::Measured => include_str!("../../configs/figures/measured.toml"),
            Self::History => include_str!("../../configs/figures/history.toml"),
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Only what writing to stdout gives.
pub fn run(arguments: &Init) -> Result {
    if arguments.kind.is_some() && arguments.file != InitFile::Figure {
        bail!("a kind belongs to a figure; write `castbench init figure KIND`, or remove it");
    }
    let kinds = FigureKind::value_variants()
        .iter()
        .filter_map(ValueEnum::to_possible_value);
    let kinds = joined(", ", kinds.map(|kind| kind.get_name().to_owned()));
    let text = match (arguments.file, arguments.kind) {
        (InitFile::Figure, Some(kind)) => kind.text(),
        (InitFile::Figure, None) => bail!("figure: which kind? write one of {kinds}"),
        (file, _) => file.text(),
    };
    stdout(terminal::data().write_all(text.as_bytes()))
}

impl InitFile {
    /// What it prints; a figure has a kind.
    fn text(self) -> &'static str {
        match self {
            Self::Figure => "",
            Self::Machine => machine::TEMPLATE,
            Self::Sweep => BuiltIn::Default.text(),
            Self::Regress => BuiltIn::Regress.text(),
            Self::Measure => BuiltIn::Measure.text(),
        }
    }
}
