//! How a rank waits for MPI without taking a processor from other ranks.

use std::thread;
use std::time::Duration;

/// Sleep between two polls if ranks share cores. MPI moves long messages only while polled, so a longer sleep would
/// slow down messages within a host; a shorter one takes more of the processor.
const NAP: Duration = Duration::from_micros(50);
/// Sleep between two polls while nothing is timed.
const REST: Duration = Duration::from_micros(500);

/// What a rank does between two polls of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Poll again at once: every rank has a core.
    Spinning,
    /// Sleep: there are more ranks than cores.
    Sleeping,
}

/// What a rank waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// A timed event.
    Message,
    /// The next order.
    Word,
}

impl Waiting {
    /// For these numbers of ranks and cores.
    pub fn new(ranks: usize, cores: usize) -> Self {
        if ranks > cores { Self::Sleeping } else { Self::Spinning }
    }

    /// Waits between two polls.
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
