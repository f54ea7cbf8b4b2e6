//! Pipelined broadcast: a long message in segments; a node forwards one while it receives the next.
//!
//! | symbol | meaning |
//! |---|---|
//! | `K` | nodes, the source included |
//! | `n` | words of the message; bytes where the machine counts them |
//! | `m` | the most segments: they have `s = ceil(n/m)` words each, the last can be shorter |
//! | `c` | the number of segments, `ceil(n/s) <= m` |
//! | `k` | ports of a node: the number of simultaneous sends |
//!
//! **A segment** is one message. Under LogP a word is a small message and a segment a train of s of them, which is
//! LogGP with `G = g'`: it is held `D(s) = L + 2o + (s-1)g'` after its send began, and its port is free after `s*g'`
//! ([`Machine::Words`](crate::engine::Machine::Words)). On a LogGOPS machine it is a message of s bytes ([`Machine::LogGops`](crate::engine::Machine::LogGops)). On [`Machine::LogP`](crate::engine::Machine::LogP) a segment of
//! any size costs as much as a word. `D` and `g'` without an s are those of a whole segment.
//!
//! A message carries one segment in a tree, several where halves are exchanged.
//!
//! **A node** forwards a segment when it holds all of it: segment by segment, each to its children in order. The cost is the time
//! until every node holds every segment.
//!
//! **Ports.** Each of the k ports of a node has its own overhead and gap, in both directions. A node sends and receives
//! simultaneously, as in the models of Bar-Noy, Kipnis, "Broadcasting multiple messages in simultaneous send/receive systems",
//! Discrete Applied Mathematics 55, 1994, and of Pjesivac-Grbovic et al. Strict LogP has one processor for both: there a relay of a
//! chain is busy for `2o` with each word, and where that exceeds `g'`, times are longer than here.
//!
//! Child x of a node gets all its segments over port `x mod k`. With at least twice as many ports as children of any node, ports
//! form *lanes* with a port for each child, and segment j takes lane `j mod lanes`, as in libraries that stripe fragments over
//! rails. A schedule for this k could use ports that are idle here; the lower bound does not assume lanes.
//!
//! **Trees.** All segments of a message go down one tree, those of [broadcasts](crate::collectives::broadcast) with strict ports.
//! Sanders, Sibeyn, "A bandwidth latency tradeoff for broadcast and reduction", Information Processing Letters 86(1), 2003, compare
//! them; Pjesivac-Grbovic et al., "Performance analysis of MPI collective operations", Cluster Computing 10(2), 2007, give their times
//! under LogGP. The cost follows from a recurrence over the sizes of subtrees (module `shape`). With c segments of one size and one port
//! it is the time of the tree for one segment, plus (c-1) times `d*g'`, where d is the number of children of the busiest node. So a
//! chain takes `(K-1)*D + (c-1)*g'`, and flat `D + (c(K-1)-1)*g'`. With one segment the optimal tree wins. Longer messages need nodes
//! with fewer children: the binary tree, then the chain, when `c*g'` exceeds its K hops.
//!
//! Messages from different senders do not contend at a receiver. In a tree each node has one sender; where halves are exchanged, a
//! receiver takes two messages at the same time.
//!
//! **Simulation.** The [engine](crate::engine) knows machines, ports and programs, and no trees or lanes. The
//! [judge](crate::collectives::judge) of collectives checks what the messages carry, at the engine's times.

pub mod bounds;
pub(crate) mod cut;
pub(crate) mod program;
pub(crate) mod shape;
pub mod split_binary;

use crate::error::Error;
use crate::plan::Task;
use crate::plan::compiled::Compiled;
pub use cut::Cut;
pub use program::MAX_PORTS;

/// A broadcast with duplex ports: one long message from the first of K nodes to all. A task has root 0 and elements of size 1.
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait Duplex: Sync {
    /// When the last node holds all of it, in time units of the machine: ns where it counts bytes.
    ///
    /// # Errors
    /// [`Error::Overflow`] where that does not fit in 64 bits; [`Error::Parameter`] where the algorithm is not defined.
    fn time(&self, task: &Task) -> Result<u64, Error>;

    /// How many parts of the tree [`Duplex::time`] reads, at most `most`: a million take 1 s. 0 where it never reads many.
    ///
    /// Cost: reading these parts.
    fn steps(&self, task: &Task, most: usize) -> usize {
        0
    }

    /// What every node does, and what its messages carry; node v of `1..=K` is processor v - 1.
    ///
    /// # Errors
    /// Errors of [`Duplex::time`], and for programs that are too large.
    fn compiled(&self, task: &Task) -> Result<Compiled, Error>;

    /// Whether messages between two nodes can cross, as they do not down a tree.
    fn crosses(&self) -> bool {
        true
    }
}
