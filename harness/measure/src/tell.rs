//! Messages to people that no caller can pass on: from a destructor, or from a thread that is about to end the process.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard error at once: several processes may write there. Where it cannot be written, the work goes on.
pub(crate) fn tell(message: impl Display) {
    let _ = io::stderr().write_all(format!("{message}\n").as_bytes());
}
