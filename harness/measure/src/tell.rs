//! Messages that no caller can return: from a destructor, or from a thread that ends the process.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard error in one write, because several processes may write there. Errors are ignored.
pub(crate) fn tell(message: impl Display) {
    let message = format!("{}\n", printable(&message.to_string()));
    let _ = io::stderr().write_all(message.as_bytes());
}

/// Whether a terminal obeys a character instead of showing it: a control character that is no blank, or a mark that
/// reorders the text around it.
#[must_use]
pub fn is_command(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        other => other.is_control(),
    }
}

/// Escapes what [a terminal obeys](is_command): a foreign text, such as a file name, could change its title or colours.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    // Most texts are ASCII, and every command is below the blank, is U+007F, or is not ASCII.
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
        || !text.contains(is_command)
    {
        return text.into();
    }
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        match is_command(character) {
            true => printable.extend(character.escape_default()),
            false => printable.push(character),
        }
    }
    printable.into()
}
