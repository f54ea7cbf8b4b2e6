//! How a verb fails: a documented exit code and a message for people.

use std::fmt::Display;
use std::io;
use std::path::Path;

use algorithms::cost::{Agreement, Evaluation};
use algorithms::problem::Entry;
use anstyle::{AnsiColor, Style};

pub use crate::base::terminal::{printable, report, tell};

/// Declares the exit codes; the comment of each is its line in `castbench --help` and in docs/reference/exit-codes.md.
macro_rules! codes {
    ($(#[doc = $about:literal] $(#[doc = $more:literal])* $Code:ident = $number:literal,)+) => {
        /// The exit codes of castbench.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Code {
            $(#[doc = $about] $(#[doc = $more])* $Code = $number,)+
        }

        /// Each exit code with its meaning.
        const CODES: &[(u8, &str)] = &[(0, " success"), $(($number, concat!($about, $($more),*))),+];
    };
}

codes! {
    /// internal error: a bug in castbench, or the system refuses threads
    Internal = 1,
    /// usage: an option or a value on the command line
    Usage = 2,
    /// configuration, machine, schedule, rules, benchmark or measurement file missing or invalid
    Configuration = 3,
    /// nothing selected: no point, no row for a figure, or no measurement for a claim
    Nothing = 4,
    /// analytic and simulated cost disagree, or a claim of castbench fails: a bug in castbench; a verified schedule is wrong,
    /// messages of MPI are not as expected, or a rules file has parts that its library skips, reads differently or fails at
    Disagreement = 5,
    /// a cost got worse than in the baseline
    Regression = 6,
    /// no baseline to compare with
    NoBaseline = 7,
    /// the baseline is not comparable: another schema, points that are gone, machines with other numbers, or other algorithm revisions
    Incomparable = 8,
    /// some points of a sweep could not be evaluated
    PointsFailed = 9,
    /// a measurement failed: a rank, a host or a connection; finished executions are kept. Or --summarise misses some
    Measurement = 10,
    /// a schedule was not judged: it has a key that castbench does not read, or does not say what --collective asks for
    NotJudged = 11,
    /// output cannot be written, or results cannot be read
    Output = 74,
    /// interrupted; finished points of a sweep are kept for --resume
    Interrupted = 130,
}

/// A [`Failure`] with the exit code of this name, and the explanation that is formatted.
macro_rules! failure {
    ($Code:ident, $($explanation:tt)+) => {
        $crate::base::failure::Failure::new(
            $crate::base::failure::Code::$Code,
            format_args!($($explanation)+),
        )
    };
}

/// Returns a failure: of the command line, or with the exit code of this name. What is wrong, where, and what to write instead.
macro_rules! bail {
    ($Code:ident, $($explanation:tt)+) => {
        return Err(failure!($Code, $($explanation)+))
    };
    ($($explanation:tt)+) => {
        return Err(failure!(Usage, $($explanation)+))
    };
}

/// Prints a message on standard error.
macro_rules! tell {
    ($($message:tt)+) => {
        $crate::base::failure::tell(format_args!($($message)+))
    };
}

/// The table for `--help`.
pub fn exit_codes() -> String {
    let lines: String = CODES
        .iter()
        .map(|(code, meaning)| format!("\n  {code:<4}{meaning}"))
        .collect();
    format!("Exit codes:{lines}")
}

/// Why a verb failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub code: Code,
    /// What is wrong, where, and what to do; empty if it was reported before.
    pub message: String,
}

/// What a verb or a part of it gives; by default nothing but success.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The style of `error:`, as in clap and rustc.
const ERROR: Style = AnsiColor::Red.on_default().bold();

impl Failure {
    /// A failure with an explanation of one or more lines.
    pub fn new(code: Code, explanation: impl Display) -> Self {
        Self {
            code,
            message: format!(
                "{ERROR}error:{ERROR:#} {}",
                printable(&explanation.to_string())
            ),
        }
    }

    /// This failure without a message, if another process reports it.
    pub fn silent(self) -> Self {
        Self {
            message: String::new(),
            ..self
        }
    }

    /// A failure of the command line.
    pub fn usage(explanation: impl Display) -> Self {
        Self::new(Code::Usage, explanation)
    }

    /// A bug in castbench.
    pub fn internal(explanation: impl Display) -> Self {
        Self::new(Code::Internal, explanation)
    }

    /// This failure as one of an algorithm.
    pub fn of(self, algorithm: &str) -> Self {
        Self::new(
            self.code,
            format_args!("{algorithm}: {}", self.explanation()),
        )
    }

    /// The explanation without `error:` and colours.
    pub fn explanation(&self) -> String {
        let plain = anstream::adapter::strip_str(&self.message).to_string();
        plain
            .strip_prefix("error: ")
            .map(str::to_owned)
            .unwrap_or(plain)
    }

    /// A file or directory that cannot be written.
    pub fn write(path: &Path, error: &io::Error) -> Self {
        Self::new(Code::Output, cannot_write(path, error))
    }

    /// A file of the user that cannot be read.
    pub fn unread(path: &Path, error: impl Display) -> Self {
        let path = path.display();
        Self::new(
            Code::Configuration,
            format_args!("cannot read `{path}`: {error}"),
        )
    }

    /// A file of castbench that cannot be read.
    pub fn read(path: &Path, error: impl Display) -> Self {
        Self::new(
            Code::Output,
            format_args!("cannot read `{}`: {error}", path.display()),
        )
    }
}

/// A row that the CSV library cannot write.
impl From<csv::Error> for Failure {
    fn from(error: csv::Error) -> Self {
        Self::internal(error)
    }
}

/// What is wrong with the costs of an algorithm: they differ, or one is below the lower bound.
pub fn contradiction(entry: Entry, evaluation: &Evaluation) -> Option<Failure> {
    let explanation = match evaluation.agreement() {
        Agreement::Agree | Agreement::NotCompared => return None,
        Agreement::Differ => differ(entry),
        Agreement::BelowBound if entry.is_given && evaluation.analytic.is_some() => {
            "the cost is below the lower bound of all algorithms; correct the formula"
        }
        Agreement::BelowBound => {
            "the cost is below the lower bound of all algorithms; this is a bug in castbench"
        }
    };
    Some(Failure::new(Code::Disagreement, explanation))
}

/// What a row with the status `disagree` means.
pub fn disagreement(entry: Entry) -> &'static str {
    if entry.is_given {
        "formula and execution differ, or one is below the lower bound; correct the formula or the plan"
    } else {
        "analytic and simulated cost differ, or one is below the lower bound; this is a bug in castbench"
    }
}

/// Two costs of an algorithm differ, and what to do.
pub fn differ(entry: Entry) -> &'static str {
    if entry.is_given {
        "the formula and the execution differ; correct the formula or the plan"
    } else {
        "analytic and simulated cost differ; this is a bug in castbench"
    }
}

/// What cannot be written, why, and what to do.
pub fn cannot_write(path: &Path, error: &io::Error) -> String {
    let advice = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space, or name another place"
        }
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "it is not a directory; name another place"
        }
        _ => "name a place that you can write to",
    };
    format!("cannot write to `{}`: {error}; {advice}", path.display())
}

/// The result of writing to stdout. A closed pipe, as of `head`, is not a failure.
///
/// # Errors
/// Any other reason why stdout cannot be written.
pub fn stdout(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            Code::Output,
            format_args!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue;
    use algorithms::cost::{Exact, Simulated};

    use super::*;

    /// A cost below the bound is exit code 5, with and without a formula; one that reaches it is none.
    #[test]
    fn a_cost_below_the_bound_is_an_error() {
        let entry = catalogue::find("gather-linear").unwrap();
        let of = |analytic: Option<u64>, simulated| {
            let evaluation = Evaluation {
                lower_bound: Exact::Integer(30_000),
                published: Vec::new(),
                analytic: analytic.map(Exact::Integer),
                by: None,
                most: None,
                simulated: Simulated::Exact(simulated),
            };
            contradiction(entry, &evaluation).map(|failure| failure.code)
        };
        assert_eq!(of(None, 29_999), Some(Code::Disagreement));
        assert_eq!(of(Some(29_999), 29_999), Some(Code::Disagreement));
        assert_eq!(of(Some(30_001), 30_000), Some(Code::Disagreement));
        assert_eq!([of(None, 30_000), of(Some(30_000), 30_000)], [None, None]);
        assert_eq!(Code::Disagreement as u8, 5);
    }
}
