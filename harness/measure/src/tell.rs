//! Messages that no caller can return: from a destructor, or from a thread that ends the process.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard error in one write, because several processes may write there. Errors are ignored. Control
/// characters of foreign texts are escaped.
pub(crate) fn tell(message: impl Display) {
    let is_plain = |character: &char| !character.is_control() || matches!(character, '\n' | '\t');
    let message: String = message.to_string().chars().filter(is_plain).collect();
    let _ = io::stderr().write_all(format!("{message}\n").as_bytes());
}
