//! Pipelined broadcast: a long message in segments, each of which is sent on while the next one comes in.
//!
//! | symbol | meaning |
//! |---|---|
//! | `K` | nodes, the source included |
//! | `n` | words of the message; bytes where the machine counts them |
//! | `m` | into how many segments it is cut, at most: of `s = ceil(n/m)` words each, the last of what is left |
//! | `c` | how many segments there are, `ceil(n/s) <= m` |
//! | `k` | ports of a node: how many of its sends run at once |
//!
//! **A segment** is one message. Under LogP a word is a small message and a segment a train of s of them, which is
//! LogGP with `G = g'`: it is held `D(s) = L + 2o + (s-1)g'` after its send began, and its port is free after `s*g'`
//! ([`Machine::Words`]). On a LogGOPS machine it is a message of s bytes ([`Machine::LogGops`]). On [`Machine::LogP`] a
//! segment costs what a word does, however long. `D` and `g'` without an s are those of a whole segment.
//!
//! A message carries whole segments: one in a tree, several where halves or blocks of the message are exchanged.
//!
//! **A node** forwards a segment once it holds all of it. It sends segment by segment, and each segment to its children
//! in their order. The cost is the time until every node holds every segment.
//!
//! **Ports.** Each of the k ports of a node has an overhead and a gap of its own, in both directions: that a node sends
//! does not keep it from taking in, as in the models with simultaneous send and receive (Bar-Noy, Kipnis, "Broadcasting
//! multiple messages in simultaneous send/receive systems", Discrete Applied Mathematics 55, 1994) and in what
//! Pjesivac-Grbovic et al. reckon with. Strict LogP has one processor for both, as the [trees](super) for one message
//! have and never feel: there a relay of a chain is busy for `2o` with each word, and where that is more than `g'` its
//! times are longer than those here.
//!
//! A port belongs to a child: child x of a node gets all its segments over port `x mod k`. Where there are twice as
//! many ports as any node of the tree has children, or more, they are dealt out to *lanes* with a port for each child,
//! and segment j takes lane `j mod lanes`, as where a library stripes fragments over its rails. So a port may stand
//! idle that a schedule made for that k would use; the lower bound knows nothing of ports that belong to someone.
//!
//! What a node takes in from different senders does not contend either. In a tree there is but one; where halves or
//! blocks are exchanged, times are those of receivers that can take in two messages at once.
//!
//! **Simulated** by the [engine](crate::engine), which knows machines, ports and programs, and nothing of trees or lanes; what its
//! messages carry is [judged](simulator) on the times that it gives.

pub mod best;
pub mod bounds;
mod cut;
pub mod library;
pub mod problem;
mod program;
pub mod scatter_allgather;
mod shape;
pub mod simulator;
pub mod split_binary;
pub mod trees;

pub use crate::engine::Machine;
use crate::engine::program::Program;
use crate::error::Error;
use crate::logp::multicast::schedule::Schedule;
pub use cut::{Cut, Instance};
pub use program::MAX_PORTS;

/// A broadcast of one long message from the first of K nodes to all.
pub trait Broadcast: Sync {
    /// When the last node holds all of it, in time units of the machine: ns where it counts bytes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits; [`Error::Parameter`] for an instance of nothing or one
    /// that the algorithm is not made for.
    fn time(&self, machine: Machine, instance: Instance) -> Result<u64, Error>;

    /// When the last operation has ended, which MPI waits for: later than [`Broadcast::time`] where a node is sent what it
    /// holds already.
    ///
    /// # Errors
    /// As [`Broadcast::time`].
    fn ended(&self, machine: Machine, instance: Instance) -> Result<u64, Error> {
        self.time(machine, instance)
    }

    /// How many parts of the tree [`Broadcast::time`] looks at, at most `most`: a million take it a second. 0 where it
    /// never looks at many, whatever the instance.
    ///
    /// Cost: that of so many parts.
    fn steps(&self, machine: Machine, instance: Instance, most: usize) -> usize {
        let _ = (machine, instance, most);
        0
    }

    /// What every node does, for the engine; node v of `1..=K` is processor v - 1.
    ///
    /// # Errors
    /// As [`Broadcast::time`], and what is too large to be executed.
    fn program(&self, machine: Machine, instance: Instance) -> Result<Program, Error>;

    /// Whether every node gets a block of the message, so that K has to divide it.
    fn is_in_blocks(&self) -> bool {
        false
    }

    /// The tree down which all segments go, where there is one.
    ///
    /// # Errors
    /// As [`Broadcast::program`].
    fn tree(&self, machine: Machine, instance: Instance) -> Result<Option<Schedule>, Error> {
        let _ = (machine, instance);
        Ok(None)
    }
}

/// A number of nodes or segments that a program can have.
fn narrow(symbol: &'static str, value: u64) -> Result<u32, Error> {
    u32::try_from(value).map_err(|_| {
        let expected = format!("expected at most {} for a program that is executed", u32::MAX);
        Error::parameter(symbol, value, expected)
    })
}
