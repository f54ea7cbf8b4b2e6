//! Messages to people that no caller can pass on: from a destructor, or from a thread that is about to end the process.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard error at once: several processes may write there. Where it cannot be written, the work goes on.
/// What others wrote commands no terminal.
pub(crate) fn tell(message: impl Display) {
    let is_plain = |character: &char| !character.is_control() || matches!(character, '\n' | '\t');
    let message: String = message.to_string().chars().filter(is_plain).collect();
    let _ = io::stderr().write_all(format!("{message}\n").as_bytes());
}
