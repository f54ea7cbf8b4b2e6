//! `castbench init`: files to begin with.

use std::io::Write as _;

use crate::cli::{Init, InitFile};
use crate::config::BuiltIn;
use crate::failure::{Failure, stdout};
use crate::machine;
use crate::terminal;

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
