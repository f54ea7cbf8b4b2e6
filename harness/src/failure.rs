//! How a verb ends when it does not succeed: a documented exit code and a message for people.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::Path;

use anstyle::{AnsiColor, Style};

/// The exit codes of castbench. `castbench --help` lists them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// A bug in castbench, or threads that the system refuses.
    Internal = 1,
    /// The command line asks for something that does not exist or does not fit together.
    Usage = 2,
    /// The configuration, a machine or a GOAL file is missing or invalid.
    Configuration = 3,
    /// The selection holds no point, no row for a figure, or no measurement for a claim.
    Nothing = 4,
    /// Analytic and simulated cost disagree, or a claim of castbench about a paper is wrong.
    Disagreement = 5,
    /// A cost got worse.
    Regression = 6,
    /// There is no baseline to compare with.
    NoBaseline = 7,
    /// What there is to compare with is of other points, other columns or an algorithm declared to be another one.
    Incomparable = 8,
    /// Some points of a sweep could not be evaluated.
    PointsFailed = 9,
    /// A rank, a host or a connection of a measurement failed; what was finished is kept.
    Measurement = 10,
    /// Output could not be written, or input that castbench wrote could not be read back.
    Output = 74,
    /// Interrupted; what a sweep has finished is kept for `--resume`.
    Interrupted = 130,
}

/// The table for `--help`.
pub const EXIT_CODES: &str = "Exit codes:
  0    fine
  1    internal error: a bug in castbench, or threads that the system refuses
  2    usage: an option or a value on the command line
  3    configuration, machine or GOAL file missing or invalid
  4    nothing selected: no point, no row for a figure, or no measurement for a claim
  5    analytic and simulated cost disagree, or a claim of castbench fails: a bug in castbench
  6    a cost got worse than in the baseline
  7    no baseline to compare with
  8    the baseline is not comparable: another schema, other grids, or an algorithm declared to be another one
  9    some points of a sweep could not be evaluated
  10   a measurement failed: a rank, a host or a connection; what was finished is kept
  74   output cannot be written, or results cannot be read
  130  interrupted; what a sweep has finished is kept for --resume";

/// Why a verb failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: Code,
    /// What, where, why, and what to do instead; empty where everything is said already.
    pub message: String,
}

/// The style of `error:`, as clap and rustc print it.
const ERROR: Style = AnsiColor::Red.on_default().bold();

impl Failure {
    /// A failure with a one-line (or longer) explanation.
    pub fn new(code: Code, explanation: impl Display) -> Self {
        Self { code, message: format!("{ERROR}error:{ERROR:#} {}", printable(&explanation.to_string())) }
    }

    /// The same, where somebody else says it.
    #[must_use]
    pub fn silent(self) -> Self {
        Self { message: String::new(), ..self }
    }

    /// A failure of the command line.
    pub fn usage(explanation: impl Display) -> Self {
        Self::new(Code::Usage, explanation)
    }

    /// The explanation alone, without the word `error` and without colours.
    #[must_use]
    pub fn explanation(&self) -> String {
        let plain = anstream::adapter::strip_str(&self.message).to_string();
        plain.strip_prefix("error: ").map(str::to_owned).unwrap_or(plain)
    }

    /// A file or directory that could not be written.
    pub fn write(path: &Path, error: &io::Error) -> Self {
        Self::new(Code::Output, cannot_write(path, error))
    }

    /// A file that could not be read back.
    pub fn read(path: &Path, error: impl Display) -> Self {
        Self::new(Code::Output, format_args!("cannot read `{}`: {error}", path.display()))
    }
}

/// What could not be written, why, and what to do about it.
pub fn cannot_write(path: &Path, error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room, or name another place"
        }
        io::ErrorKind::AlreadyExists => "that is no directory; name another place",
        _ => "name a place you can write to",
    };
    format!("cannot write to `{}`: {error}; {advice}", path.display())
}

/// Says something to people, on stderr, a line at once: several processes may write there. Where nobody can read it, the
/// work goes on.
pub fn tell(message: impl Display) {
    report(&printable(&message.to_string()));
}

/// Says the message of a failure, which has colours and was made [`printable`].
pub fn report(message: &str) {
    let _ = anstream::stderr().write_all(format!("{message}\n").as_bytes());
}

/// A text as a terminal may have it: what others wrote, a file's name, say, could change its title, its colours or what stands
/// on it already.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_plain = |character: char| !character.is_control() || matches!(character, '\n' | '\t');
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if is_plain(character) {
            printable.push(character);
        } else {
            printable.extend(character.escape_default());
        }
    }
    printable.into()
}

/// stdout is closed early by `head` and the like; that is the reader's good right and no failure.
///
/// # Errors
/// Any other reason why stdout could not be written.
pub fn stdout(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Code::Output, format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_commands_no_terminal() {
        assert_eq!(printable("a\tb\nc"), "a\tb\nc");
        assert_eq!(printable("\u{1b}]0;title\u{7} é\r\u{9b}31m"), "\\u{1b}]0;title\\u{7} é\\r\\u{9b}31m");
        let failure = Failure::new(Code::Usage, "\u{1b}[2J");
        assert_eq!(failure.explanation(), "\\u{1b}[2J");
    }
}
