//! What coordinator and ranks say to each other: a line of JSON each, over standard input and output of the rank.
//!
//! A rank needs no port for this, `ssh` carries it as it is, and a rank that goes away is noticed at once: the pipe closes.

use std::fmt;
use std::io::{self, Write};
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::fault::Fault;

/// What the coordinator wants of a rank. Each is answered by one [`Answer`], except `Quit`.
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
    /// A part in the next multicast. Answered by `Ready`, once its receivers are connected.
    Prepare(Part),
    /// To the source only: send. Every rank that has a part answers with `Done` when it has done it.
    Go,
    /// What did you receive? Answered by `Digest`.
    Verify,
    /// A part in an experiment between two ranks. Answered by `Ready`, then by `Probed`.
    Probe(Probe),
}

/// What one rank does in a multicast.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The multicast, counted over the run: every message carries it.
    pub number: u64,
    /// Length of the message.
    pub bytes: u64,
    /// The rank that sends the message; none for the source.
    pub sender: Option<u32>,
    /// To whom it is sent on, in this order.
    pub receivers: Vec<u32>,
    /// How long the rank holds the message before it counts as received, ns.
    pub hold_ns: u64,
    /// For the source: what the bytes are made from.
    pub seed: u64,
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
    /// What it holds.
    Digest {
        /// SHA-256 in hexadecimal.
        sha256: String,
    },
    /// How long an experiment took.
    Probed(Probed),
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

/// When a rank did its part, by its own clock, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    /// The last byte was there; for the source, the first send began.
    pub received: u64,
    /// The message was held long enough: from now on the rank has it.
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
        })
    }
}
