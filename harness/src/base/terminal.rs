//! The only module that writes to standard output and standard error.
//!
//! A terminal obeys control characters, and names in files, arguments and messages may be of another account. Text for
//! people is therefore escaped on its way out. Data is escaped on a terminal only: a pipe gets its exact bytes. Lints
//! forbid other ways to these streams.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the way to the streams"
)]

use std::fmt::Display;
use std::io::{self, IsTerminal as _, StdoutLock, Write};
use std::os::fd::AsFd as _;
use std::process::Stdio;

pub use measure::printable;
use terminal_size::{Width, terminal_size_of};

/// Standard output.
#[derive(Debug)]
pub struct Stdout {
    inner: StdoutLock<'static>,
    escapes: bool,
    /// The begin of a character whose end is not written yet.
    cut: Vec<u8>,
}

/// Standard output for text that people read.
pub fn text() -> Stdout {
    text_if(true)
}

/// Standard output for what programs read: CSV, JSON and the formats of other programs.
pub fn data() -> Stdout {
    text_if(false)
}

/// [`text`] or [`data`].
pub fn text_if(is_text: bool) -> Stdout {
    let inner = io::stdout().lock();
    Stdout {
        escapes: is_text || inner.is_terminal(),
        inner,
        cut: Vec::new(),
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.escapes {
            return self.inner.write(bytes);
        }
        self.cut.extend_from_slice(bytes);
        let (escaped, rest) = escaped(&self.cut);
        let end = self.cut.len() - rest;
        self.cut.drain(..end);
        self.inner.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    /// Flushes whole characters only, because the end of one may follow.
    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Drop for Stdout {
    fn drop(&mut self) {
        let _ = self.inner.write_all(hexadecimal(&self.cut).as_bytes());
    }
}

/// The bytes as [`printable`] text, invalid ones as `\x9d`, and the length of an unfinished character at their end.
fn escaped(bytes: &[u8]) -> (String, usize) {
    let mut text = String::new();
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text += &printable(chunk.valid());
        let invalid = chunk.invalid();
        let is_begin = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
        if is_begin && chunks.peek().is_none() {
            return (text, invalid.len());
        }
        text += &hexadecimal(invalid);
    }
    (text, 0)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

/// Prints a message on standard error, one line in one write, because several processes may write there. Errors are
/// ignored.
pub fn tell(message: impl Display) {
    report(&printable(&message.to_string()));
}

/// Prints a message with colours on standard error.
pub fn report(message: &str) {
    let _ = anstream::stderr().write_all(format!("{}\n", coloured(message)).as_bytes());
}

/// Prints a text with colours on standard output.
///
/// # Errors
/// Standard output that cannot be written.
pub fn print_coloured(text: &str) -> io::Result<()> {
    anstream::stdout().write_all(coloured(text).as_bytes())
}

/// Escapes a text except for line ends, tabs and colours.
fn coloured(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let numbers = &rest[at + 2..];
        let end = numbers.find(|sign: char| !sign.is_ascii_digit() && sign != ';');
        let colour = match end.filter(|&end| numbers[end..].starts_with('m')) {
            Some(end) => &rest[at..at + 2 + end + 1],
            None => "",
        };
        // Without a colour, the escape character is escaped as any other.
        let after = at + colour.len().max(1);
        escaped += &printable(&rest[..if colour.is_empty() { after } else { at }]);
        escaped += colour;
        rest = &rest[after..];
    }
    escaped + &printable(rest)
}

/// Standard error as the standard output of another program.
///
/// # Errors
/// The system cannot duplicate the descriptor.
pub fn as_errors() -> io::Result<Stdio> {
    io::stderr().as_fd().try_clone_to_owned().map(Stdio::from)
}

/// The width of the terminal on standard output, if it is one.
pub fn width() -> Option<u16> {
    terminal_size_of(io::stdout()).map(|(Width(width), _)| width)
}

/// Whether standard error is a terminal.
pub fn shows_progress() -> bool {
    io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_commands_no_terminal() {
        assert_eq!(printable("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(
            printable("\u{1b}]0;title\u{7} é\r\u{9b}31m"),
            "\\u{1b}]0;title\\u{7} é\\r\\u{9b}31m"
        );
        assert_eq!(
            printable("a\u{202e}b\u{2066}c\u{7f}"),
            "a\\u{202e}b\\u{2066}c\\u{7f}"
        );
        let failure = crate::base::failure::Failure::usage("\u{1b}[2J");
        assert_eq!(failure.explanation(), "\\u{1b}[2J");
    }

    /// Wherever the bytes are cut in two writes, the text is the same.
    #[test]
    fn a_cut_character_is_the_same_character() {
        let text = "\u{1b}]0;t\u{7} é \u{9d}0;t\u{9c} \u{202e} €😀".as_bytes();
        let bytes = [text, b"\x9d\xff\xe2\x28"].concat();
        let (whole, rest) = escaped(&bytes);
        assert_eq!(rest, 0);
        assert_eq!(
            whole,
            "\\u{1b}]0;t\\u{7} é \\u{9d}0;t\\u{9c} \\u{202e} €😀\\x9d\\xff\\xe2("
        );
        for at in 0..=bytes.len() {
            let (first, rest) = escaped(&bytes[..at]);
            let (second, none) = escaped(&bytes[at - rest..]);
            assert_eq!((first + &second, none), (whole.clone(), 0), "cut at {at}");
        }
    }

    #[test]
    fn colours_pass_and_other_commands_do_not() {
        for same in [
            "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m a",
            "\u{1b}[38;5;9mé\u{1b}[m",
            "",
        ] {
            assert_eq!(coloured(same), same);
        }
        for (command, escaped) in [
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{1b}[1;", "\\u{1b}[1;"),
            ("\u{1b}[\u{1b}[1m", "\\u{1b}[\u{1b}[1m"),
            ("\u{1b}]0;t\u{7}\u{1b}[1mx", "\\u{1b}]0;t\\u{7}\u{1b}[1mx"),
            ("\u{9b}1m", "\\u{9b}1m"),
        ] {
            assert_eq!(coloured(command), escaped, "{command:?}");
        }
    }
}
