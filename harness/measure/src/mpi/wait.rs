//! How a rank waits for MPI without spinning on a processor that another needs.

use std::thread;
use std::time::Duration;

/// Between two questions, where ranks share cores. MPI moves long messages only while it is asked, so a longer nap would
/// slow down messages within a host, and a shorter one takes more of the processor.
const NAP: Duration = Duration::from_micros(50);
/// The same where nothing is timed.
const REST: Duration = Duration::from_micros(500);

/// What a rank does between two questions after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Ask again at once: every rank has a core.
    Spinning,
    /// Sleep: ranks are more than cores.
    Sleeping,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// Something that is timed.
    Message,
    /// The next thing to do.
    Word,
}

impl Waiting {
    /// For as many ranks on as many cores.
    pub fn of(ranks: usize, cores: usize) -> Self {
        if ranks > cores { Self::Sleeping } else { Self::Spinning }
    }

    /// Between two questions.
    pub fn pause(self, what: For) {
        match (self, what) {
            (Self::Spinning, _) => std::hint::spin_loop(),
            (Self::Sleeping, For::Message) => thread::sleep(NAP),
            (Self::Sleeping, For::Word) => thread::sleep(REST),
        }
    }

    /// For the manifest.
    pub fn describe(self) -> String {
        match self {
            Self::Spinning => "spinning: a core for each rank".to_owned(),
            Self::Sleeping => format!("asking every {} us: ranks are more than cores", NAP.as_micros()),
        }
    }
}
