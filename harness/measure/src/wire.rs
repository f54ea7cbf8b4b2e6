//! The protocol of coordinator and ranks: JSON lines over standard input and output of the rank.
//!
//! So a rank needs no port for it, `ssh` transports it, and a lost rank is noticed at once, because the pipe closes.

use std::io::{self, Write};
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::library::Library;
use super::secret::Secret;

/// An order of the coordinator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// The first order: the number of the rank, and its address. Answered by `Joined`.
    Join {
        /// Its number, from 0.
        rank: u32,
        /// The secret of the run.
        secret: Secret,
        /// Where it listens; port 0 for any free port.
        listen: SocketAddr,
        /// Most time that it waits for one other rank, ms.
        limit_ms: u64,
    },
    /// The addresses of all ranks, by number. Answered by `Ready`.
    Peers {
        /// The addresses.
        addresses: Vec<SocketAddr>,
    },
    /// Asks for the time. Answered by `Now`.
    Clock,
    /// A part of the next task. Answered by `Ready` when connections and buffers exist.
    Prepare(Part),
    /// To each rank whose part [starts](Part::starts): begin. Every rank answers with `Done` after its part.
    Go,
    /// Asks for the digest of the received bytes. Answered by `Digest`.
    Verify,
    /// An experiment of rank 0 with others; rank 0 begins at `Go`. Answered by `Ready`, then by `Probed`.
    Probe(Probe),
    /// Asks for a sign of life. Answered by `Here` at once, whatever the rank waits for.
    RollCall,
}

/// The part of one rank in a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The number of the execution in the run, which every message carries.
    pub number: u64,
    /// Seed of the bytes of messages.
    pub seed: u64,
    /// The number of ranks with a part, which begin together over MPI; over TCP `Go` lets them begin, and an order may lack it.
    #[serde(default)]
    pub ranks: u32,
    /// In order.
    pub steps: Vec<Step>,
}

/// One step of a part. A rank sends the bytes of the last message that it received with this tag and length. Without
/// one it makes them from seed, number and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
pub enum Step {
    /// Sends a message and waits for its acknowledgment.
    Send {
        /// The receiver.
        to: u32,
        /// Identifies the message.
        tag: u32,
        /// Its length.
        bytes: u64,
    },
    /// Waits for a message.
    Receive {
        /// The sender.
        from: u32,
        /// Its index among the messages from there, from 0, in the order of the sends.
        nth: u32,
        /// Identifies the message.
        tag: u32,
        /// Its length.
        bytes: u64,
        /// Relay delay before it counts as received, ns.
        hold_ns: u64,
    },
    /// Computes.
    Compute {
        /// Duration.
        ns: u64,
    },
    /// Calls a function of the MPI library, with the other ranks; the only step of a part.
    Call(Call),
}

/// A call of a function of the MPI library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The function.
    pub function: Library,
    /// The first ranks call it.
    pub ranks: u32,
    /// The root; 0 for a function without one.
    pub root: u32,
    /// Length of one block.
    pub bytes: u64,
}

impl Part {
    /// Whether the rank begins without a message. A rank without steps also gets this order: it must not answer before
    /// all ranks are ready.
    #[must_use]
    pub fn starts(&self) -> bool {
        !matches!(self.steps.first(), Some(Step::Receive { .. }))
    }
}

impl Step {
    /// The messages that a rank gets: the tags that are combined in each, and its length.
    #[must_use]
    pub fn received(&self, rank: u32) -> Vec<(Vec<u32>, u64)> {
        match *self {
            Self::Receive { tag, bytes, .. } => vec![(vec![tag], bytes)],
            Self::Call(call) => {
                let got = call.function.gets(call.ranks, call.root, rank);
                got.into_iter().map(|blocks| (blocks, call.bytes)).collect()
            }
            Self::Send { .. } | Self::Compute { .. } => Vec::new(),
        }
    }
}

/// What an experiment of `castbench calibrate` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Rank 0 sends `count` messages in a row, to several others at once; each answers them with one byte.
    Row,
    /// Ranks 0 and 1 send `count` messages to each other at once: a byte from rank 0 starts rank 1, and both acknowledge
    /// the last message.
    Cross,
    /// Rank 0 asks all others with a byte each, and has a message from each.
    Incast,
    /// Each of the first half of the ranks sends `count` messages in a row to one of the second half, which answers them.
    Pairs,
}

/// An experiment of `castbench calibrate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probe {
    /// What it is.
    pub kind: Kind,
    /// The number of the experiment in the run.
    pub number: u64,
    /// The ranks that take part, rank 0 first.
    pub ranks: Vec<u32>,
    /// Number of messages to each.
    pub count: u32,
    /// Length of each.
    pub bytes: u64,
    /// Sender: pause between two messages. Receiver: pause before it reads. In ns.
    pub pause_ns: u64,
}

/// An answer of a rank.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// It listens.
    Joined(Box<Joined>),
    /// It is ready for the next order.
    Ready,
    /// Its clock, ns.
    Now {
        /// [`super::clock::now`].
        ns: u64,
    },
    /// The times of its part.
    Done(Times),
    /// The digest of the received bytes.
    Digest {
        /// SHA-256 in hexadecimal.
        sha256: String,
    },
    /// The times of an experiment.
    Probed(Probed),
    /// A sign of life.
    Here,
    /// It cannot continue, and ends.
    Failed(Fault),
}

/// A rank that listens, with its host.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    /// Version and revision of its castbench.
    pub build: String,
    /// Its process number.
    pub process: u32,
    /// Its address.
    pub address: SocketAddr,
    /// [`super::clock::domain`].
    pub clock: String,
    /// The host.
    pub facts: Facts,
}

/// Facts about a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// Its own name.
    pub name: String,
    /// Operating system and kernel.
    pub kernel: String,
    /// The processor, as the kernel names it.
    pub processor: String,
    /// Threads that can run at the same time.
    pub cores: u64,
    /// TCP's congestion control; missing if unknown.
    pub tcp_congestion_control: Option<String>,
    /// Bytes of a send buffer: least, default, most; missing if unknown.
    pub tcp_wmem: Option<String>,
    /// Bytes of a receive buffer: least, default, most; missing if unknown.
    pub tcp_rmem: Option<String>,
}

/// The times of a rank's part, by its own clock, ns; all 0 for a rank without steps.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// Start of its first step.
    pub began: u64,
    /// Arrival of the last byte of the last message; for a rank that receives nothing, its start.
    pub received: u64,
    /// End of the relay delay of that message and of the last computation.
    pub held: u64,
    /// Acknowledgment of the last send; none if it sends nothing.
    pub sent: Option<u64>,
}

/// The times of one side of an experiment, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Probed {
    /// Sender: from before the first message to its answer. Receiver: time of reading, from its begin.
    pub whole_ns: u64,
    /// Sender: time in the calls that send, for all messages.
    pub calls_ns: u64,
}

/// Writes one line.
///
/// # Errors
/// Errors of the writer.
pub fn say(mut out: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}
