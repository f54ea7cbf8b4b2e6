//! What is wrong with a schedule, and where.

use super::schedule::Location;
use super::task::Collective;

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingKind {
    /// A message or a step is waited for forever.
    Deadlock,
    /// A message is not received, or has another size than its receive.
    Unmatched,
    /// A channel is used by several blocks.
    Channel,
    /// Two steps use a chunk, one of them writes it, and no order between them is certain.
    Race,
    /// The result is not that of the collective.
    Result,
    /// A step names a chunk, a block or a rank that does not exist.
    Missing,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Deadlock,
        Self::Unmatched,
        Self::Channel,
        Self::Race,
        Self::Result,
        Self::Missing,
    ];

    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Unmatched => "unmatched",
            Self::Channel => "channel",
            Self::Race => "race",
            Self::Result => "result",
            Self::Missing => "missing",
        }
    }
}

/// A thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// The step, or the rank for a result.
    pub location: Option<Location>,
    /// The line of the file; 0 where it is not known.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// A step that is wrong.
    pub fn at(kind: FindingKind, location: Location, message: impl Into<String>) -> Self {
        Self {
            kind,
            location: Some(location),
            line: location.line,
            message: message.into(),
        }
    }

    /// A result that is wrong.
    pub fn result(message: impl Into<String>) -> Self {
        Self {
            kind: FindingKind::Result,
            location: None,
            line: 0,
            message: message.into(),
        }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(location) = self.location {
            write!(f, "{location}: ")?;
        }
        f.write_str(&self.message)
    }
}

/// Why a file has no schedule to execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The file breaks its format: the line, where it has lines, and what is wrong.
    Unread(Option<u64>, String),
    /// The file has a schedule, which does not do what it should.
    Wrong(Finding),
    /// The file says something that castbench does not read, or asks for more than it judges: neither right nor wrong. The line,
    /// where one says it.
    NotJudged(Option<u64>, String),
}

impl Trouble {
    /// A file that is not read as a whole.
    pub fn file(message: impl Into<String>) -> Self {
        Self::Unread(None, message.into())
    }

    /// A schedule that castbench does not judge.
    pub fn not_judged(reason: impl Into<String>) -> Self {
        Self::NotJudged(None, reason.into())
    }

    /// A line that castbench does not judge.
    pub fn line_not_judged(line: u32, reason: impl Into<String>) -> Self {
        Self::NotJudged(Some(line.into()).filter(|&line| line > 0), reason.into())
    }

    /// A file that is not one of its format.
    pub fn unread(line: u64, message: impl Into<String>) -> Self {
        Self::Unread(Some(line), message.into())
    }
}

impl From<Finding> for Trouble {
    fn from(finding: Finding) -> Self {
        Self::Wrong(finding)
    }
}

/// The collective of a file: the one that is asked for, else the one that the file names.
///
/// # Errors
/// The file names another one than is asked for.
pub fn agreed(
    asked: Option<&'static Collective>,
    named: Option<&'static Collective>,
) -> Result<Option<&'static Collective>, Finding> {
    match (asked, named) {
        (Some(asked), Some(named)) if asked != named => Err(Finding::result(format!(
            "the file has the collective {}, not {}",
            named.name, asked.name
        ))),
        _ => Ok(asked.or(named)),
    }
}
