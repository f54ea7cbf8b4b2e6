//! What coordinator and ranks say to each other: a line of JSON each, over standard input and output of the rank.
//!
//! A rank needs no port for this, `ssh` carries it as it is, and a rank that goes away is noticed at once: the pipe closes.

use std::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::fault::Fault;

/// What the coordinator wants of a rank.
#[derive(Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The first: the number of the rank, and where it listens. Answered by `Joined`.
    Join {
        /// Its number, from 0.
        rank: u32,
        /// The secret of the run, in hexadecimal.
        secret: String,
        /// Where it listens; port 0 for any that is free.
        listen: SocketAddr,
        /// How long it waits for one other rank, ms.
        limit_ms: u64,
    },
    /// Where all ranks listen, by number. Answered by `Ready`.
    Peers {
        /// The addresses.
        addresses: Vec<SocketAddr>,
    },
    /// What time is it? Answered by `Now`.
    Clock,
    /// A part of the next task. Answered by `Ready`, once it is connected and has room for its messages.
    Prepare(Part),
    /// To each rank whose part [starts](Part::starts): begin. Every rank answers with `Done` when it has done its part.
    Go,
    /// What did you receive? Answered by `Digest`.
    Verify,
    /// A part in an experiment between two ranks. Answered by `Ready`, then by `Probed`.
    Probe(Probe),
    /// Is the rank there? Answered by `Here` at once, whatever the rank waits for.
    RollCall,
}

/// What one rank does in a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The execution, counted over the run: every message carries it.
    pub number: u64,
    /// What the bytes of messages are made from.
    pub seed: u64,
    /// One after the other.
    pub steps: Vec<Step>,
}

/// One step of a part. A rank passes on the bytes of the last message that it received with this tag and length; where it
/// received none it makes them from seed, number and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Sends a message and waits until it is acknowledged.
    Send {
        /// To this rank.
        to: u32,
        /// What tells it from other messages.
        tag: u32,
        /// Its length.
        bytes: u64,
    },
    /// Waits for a message.
    Receive {
        /// From this rank.
        from: u32,
        /// Its place among the messages from there, from 0: they are sent in this order.
        nth: u32,
        /// What tells it from other messages.
        tag: u32,
        /// Its length.
        bytes: u64,
        /// How long the rank holds it before it counts as received, ns.
        hold_ns: u64,
    },
    /// Computes.
    Compute {
        /// For so long.
        ns: u64,
    },
}

impl Part {
    /// Whether the rank begins without a message from another. One that does nothing is told when to do so, too: it must
    /// not answer before all ranks are ready.
    #[must_use]
    pub fn starts(&self) -> bool {
        self.steps.first().is_none_or(|first| first.received().is_none())
    }
}

impl Step {
    /// Tag and length of the message received; none for other steps.
    #[must_use]
    pub fn received(&self) -> Option<(u32, u64)> {
        match *self {
            Self::Receive { tag, bytes, .. } => Some((tag, bytes)),
            _ => None,
        }
    }
}

/// What one of two ranks does in an experiment of `castbench calibrate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// The experiment, counted over the run.
    pub number: u64,
    /// The other rank.
    pub peer: u32,
    /// Whether this one sends the messages; the other answers them with one byte.
    pub sends: bool,
    /// How many messages.
    pub count: u32,
    /// Length of each.
    pub bytes: u64,
    /// Sender: pause between two messages. Receiver: pause before it reads. In ns.
    pub pause_ns: u64,
}

/// What a rank says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// It listens.
    Joined(Box<Joined>),
    /// It is ready for what comes next.
    Ready,
    /// Its clock, ns.
    Now {
        /// [`super::clock::now`].
        ns: u64,
    },
    /// When it did its part.
    Done(Times),
    /// What it received.
    Digest {
        /// SHA-256 in hexadecimal.
        sha256: String,
    },
    /// How long an experiment took.
    Probed(Probed),
    /// It is there.
    Here,
    /// It cannot go on, and ends.
    Failed(Fault),
}

/// A rank that listens, and the host it found itself on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    /// Which castbench it is: version and revision.
    pub build: String,
    /// Its process.
    pub process: u32,
    /// Where it listens.
    pub address: SocketAddr,
    /// [`super::clock::domain`].
    pub clock: String,
    /// The host.
    pub facts: Facts,
}

/// What is known of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Its own name for itself.
    pub name: String,
    /// Operating system and kernel.
    pub kernel: String,
    /// The processor, as the kernel calls it.
    pub processor: String,
    /// Threads that can run at once.
    pub cores: u64,
    /// How TCP reacts to congestion there; missing where the system does not tell.
    pub tcp_congestion_control: Option<String>,
    /// Bytes of a send buffer: least, default, most; missing where the system does not tell.
    pub tcp_wmem: Option<String>,
    /// Bytes of a receive buffer: least, default, most; missing where the system does not tell.
    pub tcp_rmem: Option<String>,
}

/// When a rank did its part, by its own clock, ns; all 0, which is long ago, for a rank that does nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// It began with its first step.
    pub began: u64,
    /// The last byte of the last message was there; for a rank that receives nothing, it began.
    pub received: u64,
    /// That message was held long enough, and the last computation was over.
    pub held: u64,
    /// The last send was acknowledged; none where the rank sends nothing.
    pub sent: Option<u64>,
}

/// What a sender saw in an experiment, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probed {
    /// Sender: from before the first message to its answer. Receiver: how long reading took once it read.
    pub whole_ns: u64,
    /// Sender: spent in the calls that send, all messages together.
    pub calls_ns: u64,
}

/// Writes one line.
///
/// # Errors
/// Those of the writer.
pub fn say(mut out: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

impl fmt::Debug for Order {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Join { .. } => "Join",
            Self::Peers { .. } => "Peers",
            Self::Clock => "Clock",
            Self::Prepare(_) => "Prepare",
            Self::Go => "Go",
            Self::Verify => "Verify",
            Self::Probe(_) => "Probe",
            Self::RollCall => "RollCall",
        })
    }
}
