//! Multicast on a mesh under wormhole switching, in time: the fewest links do not give the least time.
//!
//! **Source of the model.** Dally, Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
//! Trans. Computers 36(5), 1987; Ni, McKinley, "A survey of wormhole routing techniques in direct networks", IEEE
//! Computer 26(2), 1993.
//!
//! - A message is a *worm*: a header and `F` flits behind it. A send first occupies a port of its sender for `t_s`. Then the header takes
//!   `t_h` per hop; after it has arrived, a flit follows every `t_f`. Undisturbed over H hops the message arrives after
//!   `t_s + H t_h + F t_f`.
//! - A node buffers one flit per link. So the worm moves as a whole: with each hop of the header, and with each flit that leaves the
//!   network at its end, all flits behind move on by one node.
//! - A link carries one worm at a time in each direction, from when its header enters until its tail has passed. A header that finds the
//!   link occupied waits and keeps its links. First come, first served; of several at one time the one listed first.
//! - A worm can pass several receivers, which copy it and have it when its tail has passed; receiving needs no port. A node forwards
//!   complete messages only. It has `k` ports, each of which sends one worm at a time and is free when the tail has left. Worms are sent
//!   in the order in which they are listed.
//!
//! The cost is the time until every destination has the message, the mean over multicasts drawn by a seed; several multicasts can run
//! simultaneously. Formula and simulation use the same multicasts and must agree on each.

mod flights;
pub mod paths;
pub mod problem;
pub mod simulator;
pub mod u_mesh;
pub mod unicasts;

use super::labelling::Mesh;
use super::{Sampling, check_destinations};
use crate::error::{Error, refuse_if};

/// The times of a send, and the length of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Timing {
    /// `t_s`, in time units.
    pub startup: u64,
    /// `t_h`, in time units a hop.
    pub hop: u64,
    /// `t_f`, in time units a flit.
    pub flit: u64,
    /// The flits behind the header.
    pub flits: u64,
}

impl Timing {
    /// The maximum of a startup, and of all flits of a message, so that times fit in 64 bits.
    pub const MOST: u64 = 1 << 40;
    /// The maximum of a hop.
    pub const MAX_HOP: u64 = 1 << 24;

    /// Checks `t_s`, `t_h`, `t_f` and the number of flits.
    ///
    /// # Errors
    /// [`Error::Parameter`] for values above [`Timing::MOST`] or [`Timing::MAX_HOP`], for a message without flits, a flit that takes no time, or a
    /// header that takes less than a flit.
    pub fn new(t_s: u64, t_h: u64, t_f: u64, flits: u64) -> Result<Self, Error> {
        let most = Self::MOST;
        refuse_if!(t_s > most, "t_s" = t_s => "expected at most {most}; use a coarser unit of time");
        refuse_if!(t_f == 0, "t_f" = t_f => "expected at least 1: a flit takes time; use a finer unit of time");
        refuse_if!(t_h < t_f, "t_h" = t_h => "expected at least t_f = {t_f}: a header is a flit that is routed, too");
        refuse_if!(t_h > Self::MAX_HOP, "t_h" = t_h =>
            "expected at most {}; use a coarser unit of time", Self::MAX_HOP);
        refuse_if!(flits == 0 || flits > most / t_f, "flits" = flits =>
            "expected from 1 to {} flits, which take {most} time units at most", most / t_f);
        Ok(Self {
            startup: t_s,
            hop: t_h,
            flit: t_f,
            flits,
        })
    }

    /// The time of an undisturbed message over this number of hops, in time units.
    ///
    /// ```
    /// # use castbench_algorithms::internals::mesh::wormhole::Timing;
    /// assert_eq!(Timing::new(100, 2, 1, 64)?.undisturbed(5), 100 + 5 * 2 + 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn undisturbed(&self, hops: u64) -> u64 {
        self.startup + hops * self.hop + self.flits * self.flit
    }
}

/// One message on its way: a worm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worm {
    /// Its nodes, the sender first; at least two.
    pub path: Vec<u32>,
    /// Its receivers, in the order of the path; the last is its end.
    pub receivers: Vec<u32>,
}

/// A multicast by worms. Nodes are labels.
pub trait Scheme: Sync {
    /// The worms of a multicast; of several of one sender the first is sent first. `destinations` are distinct and
    /// without the source.
    fn worms(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> Vec<Worm>;

    /// Whether worms of different senders can meet; `ports >= 1`.
    fn meets(&self, _ports: u64) -> bool {
        false
    }

    /// When the last of these worms of one multicast arrives if no other multicast runs, by a recurrence; `None` where worms of different
    /// senders can meet. `ports >= 1`.
    fn time(&self, timing: Timing, ports: u64, worms: &[Worm]) -> Option<u64> {
        (!self.meets(ports)).then(|| flights::last_arrival(timing, ports, worms))
    }

    /// The most hops of all worms of a multicast to K destinations.
    fn most_hops(&self, mesh: Mesh, K: u32) -> u64;
}

/// A point of the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WormholePoint {
    /// The mesh.
    pub mesh: Mesh,
    /// Destinations of a multicast, without its source.
    pub K: u64,
    /// Ports with which a node sends; at least 1.
    pub ports: u64,
    /// Simultaneous multicasts; at least 1.
    pub multicasts: u64,
    /// The times of a send.
    pub timing: Timing,
    /// Which multicasts are drawn.
    pub sampling: Sampling,
}

/// The most destinations that are drawn for a point, over all trials and multicasts.
pub const MAX_DRAWN: u64 = 100_000_000;

impl WormholePoint {
    /// Checks the values together.
    ///
    /// # Errors
    /// [`Error::Parameter`] for too many destinations, no port, no multicast, or more than [`MAX_DRAWN`] destinations.
    pub fn check(&self) -> Result<u32, Error> {
        let K = check_destinations(self.mesh, self.K)?;
        refuse_if!(self.ports == 0, "k" = 0 => "expected at least 1: a node without a port sends nothing");
        refuse_if!(self.multicasts == 0, "m" = 0 => "expected at least 1 multicast");
        let each = self.sampling.trials.saturating_mul(self.K + 1);
        if self.multicasts.saturating_mul(each) > MAX_DRAWN {
            let most = MAX_DRAWN / each.max(1);
            refuse_if!(most == 0, "trials" = self.sampling.trials =>
                "expected at most {} draws of K + 1 nodes", MAX_DRAWN / (self.K + 1));
            return Err(Error::parameter(
                "m",
                self.multicasts,
                format!("expected at most {most} multicasts at once"),
            ));
        }
        Ok(K)
    }
}
