//! What a library does with a file: what it selects, and each part that does not work as it stands there.

use crate::libraries::{Call, Function};

/// What a file selects for a call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum Selected {
    /// The library's own choice.
    #[default]
    Own,
    /// This algorithm by the library's name for it, with segments of this size; 0 for the whole message.
    Named(String, u64),
    /// No algorithm: the call fails, or castbench cannot judge the condition. Why.
    Not(String),
}

impl Selected {
    /// What it names; none for the library's own choice.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Own => None,
            Self::Named(name, _) | Self::Not(name) => Some(name),
        }
    }

    /// The size of its segments; 0 for the whole message.
    pub fn segment(&self) -> u64 {
        match self {
            Self::Named(_, segment) => *segment,
            Self::Own | Self::Not(_) => 0,
        }
    }
}

/// What a file selects for a call of a function.
pub type Selector = Box<dyn Fn(&Function, Call) -> Selected>;

/// What the library does with a part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It ignores the whole file.
    Drops,
    /// The program stops when it starts.
    Stops,
    /// What the part says differs from what the library takes from it, or castbench cannot judge it; the file gets no answer.
    Unclear,
    /// A call for which the part is selected fails.
    Fails,
    /// The part is never used.
    Skips,
    /// The part is used, but otherwise than it looks.
    Differs,
    /// The part works, for calls of which castbench says nothing.
    Outside,
    /// What the file says works, but of other calls it says nothing, and the library does not decide as without the file.
    Silent,
}

impl Effect {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Drops => "file dropped",
            Self::Stops => "program stops",
            Self::Unclear => "unclear",
            Self::Fails => "call fails",
            Self::Skips => "skipped",
            Self::Differs => "read differently",
            Self::Outside => "not judged",
            Self::Silent => "leaves calls",
        }
    }

    /// Whether nothing can be said of what the file selects.
    pub fn refuses(self) -> bool {
        self <= Self::Unclear
    }

    /// Whether the file should be corrected.
    pub fn is_fault(self) -> bool {
        self < Self::Outside
    }
}

/// A part of a file that does not work as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Where: `line 3`, or a path in JSON.
    pub place: String,
    /// What the library does.
    pub effect: Effect,
    /// Why.
    pub why: String,
}

impl Finding {
    /// A finding.
    pub fn new(place: impl Into<String>, effect: Effect, why: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            effect,
            why: why.into(),
        }
    }

    /// A finding in a line, counted from 0.
    pub fn line(number: usize, effect: Effect, why: impl Into<String>) -> Self {
        Self::new(format!("line {}", number + 1), effect, why)
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.effect.word(), self.why)
    }
}

/// A file as a version of its library reads it.
pub struct Reading {
    /// What it selects; the library's own choice if a finding refuses.
    pub selects: Selector,
    /// What does not work as it stands there.
    pub findings: Vec<Finding>,
    /// What the file is about: the library's names of collectives.
    pub about: Vec<String>,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading")
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

impl Reading {
    /// A file that selects nothing.
    pub fn refused(findings: Vec<Finding>) -> Self {
        Self {
            selects: Box::new(|_, _| Selected::Own),
            findings,
            about: Vec::new(),
        }
    }

    /// The findings for which the file gets no answer.
    pub fn refusals(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.effect.refuses())
    }
}
