//! `castbench init`: files to begin with.

use std::io::Write as _;

use clap::{Args, ValueEnum};

use crate::base::failure::{Failure, stdout};
use crate::base::terminal;
use crate::output::built_in::BuiltIn;
use crate::space::machine;

pub(crate) const HELP: &str = "Examples:
  castbench init machine >mine.toml && castbench best --machine mine.toml
  castbench init sweep >my.toml && castbench sweep my.toml --dry-run
  castbench init measure >cluster.toml && castbench measure cluster.toml";

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// What to print
    #[arg(value_enum)]
    pub file: InitFile,
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
}

/// Runs the verb.
///
/// # Errors
/// Only what writing to stdout gives.
pub fn run(arguments: &Init) -> Result<(), Failure> {
    let text = match arguments.file {
        InitFile::Machine => machine::TEMPLATE,
        InitFile::Sweep => BuiltIn::Default.text(),
        InitFile::Regress => BuiltIn::Regress.text(),
        InitFile::Measure => BuiltIn::Measure.text(),
    };
    stdout(terminal::data().write_all(text.as_bytes()))
}
