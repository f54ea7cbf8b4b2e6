//! Collectives under strict LogGOPS: one engine, one judge, any number of algorithms.
//!
//! | symbol | meaning |
//! |---|---|
//! | `K` | ranks, numbered from 0 |
//! | `n` | words: the count of the MPI call, of the whole vector or of a block per rank; bytes on a machine profile |
//! | `c` | time to combine two words |
//! | `root` | the rank that has the operand at the start, or gets the result |
//! | `m` | segments of a vector, for algorithms that send it in segments |
//! | `r` | radix in which distances between ranks are written, for algorithms that have one |
//! | `k` | ports of a rank in each direction |
//! | `element` | size of an element: formulas count a vector in elements, and a message of s of them has `s·element` words |
//! | `D(s)`, `g(s)`, `o(s)`, `L(s)` | what a message of s words costs, see [`Machine`](crate::engine::Machine) |
//!
//! **A collective** is what every rank must hold at the end: a [`Goal`]. Words of all ranks stand in one numbering. A rank
//! holds *contributions* to a word: the parts of one rank, or of several that were combined.
//!
//! **An algorithm** is a [`Script`] for every rank: sends and receives of ranges of words, in order.
//! [`script`] turns scripts into a program of the [engine](crate::engine).
//!
//! **A rank** has one processor and k ports in each direction, one unless stated otherwise. Its sends take the ports in
//! turn, and so do its receives. A send or a receive occupies the processor for `o(s)`, and its port for `g(s)`.
//! Combining the words of a message follows its receive and occupies the processor for `c` per word. The cost is the time
//! at which the last operation ends.
//!
//! **The judge** follows the contributions through an execution: [`judge`].
//!
//! **Adding a collective**: a folder with a type that implements [`Goal`] and [`Collective`], and a line in
//! [`PROBLEMS`](crate::catalogue::PROBLEMS). **Adding an algorithm**: a file with a type that implements [`Algorithm`], and
//! an entry in its collective.

pub mod allgather;
pub mod allreduce;
pub mod alltoall;
pub mod barrier;
mod binomial;
mod bounds;
pub mod broadcast;
mod circulant;
mod double_tree;
mod folded;
pub mod gather;
#[cfg(test)]
mod golden;
mod hierarchy;
pub mod judge;
pub mod library;
mod parameters;
mod part;
mod ports;
mod posted;
mod problem;
mod radix;
pub mod reduce;
pub mod reduce_scatter;
mod rounds;
pub mod scan;
pub mod scatter;
pub mod script;
pub mod sequence;
mod task;
#[cfg(test)]
mod tests;
mod timeline;
mod trees;

use crate::cost::LARGEST;
use crate::error::Error;
use crate::mpi::Function;
use crate::problem::{Listed, Value};
use crate::wide::Wide;
pub use bounds::Bound;
use parameters::Parameters;
use script::Script;
pub use task::Task;

/// A rank or a round as programs number them: below 2^32.
fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What ranks hold at the start, and must hold at the end.
pub trait Goal: Sync {
    /// Into how many blocks of n words the words of all ranks are numbered: [`Goal::starts_with`] and [`Goal::ends_with`]
    /// are the same for all words of a block.
    fn blocks(&self, task: &Task) -> u128;

    /// Whether a rank holds its own contribution to a block at the start.
    fn starts_with(&self, task: &Task, rank: u64, block: u64) -> bool;

    /// The ranks whose contributions to a block a rank must hold at the end: the first, and how many; `None` where any
    /// content will do.
    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)>;

    /// Whether a contribution may be combined twice.
    fn is_idempotent(&self) -> bool {
        false
    }
}

/// A collective as a problem of the catalogue.
pub trait Collective: Goal + Default + 'static {
    /// See [`Problem::NAME`](crate::problem::Problem::NAME).
    const NAME: &'static str;
    /// See [`Problem::TITLE`](crate::problem::Problem::TITLE).
    const TITLE: &'static str;
    /// See [`Problem::ENTRIES`](crate::problem::Problem::ENTRIES).
    const ENTRIES: &'static [Listed<dyn Algorithm>];
    /// See [`Problem::EXAMPLES`](crate::problem::Problem::EXAMPLES).
    const EXAMPLES: &'static [&'static [Value]];
    /// See [`Problem::LIMITS`](crate::problem::Problem::LIMITS).
    const LIMITS: &'static [[&'static str; 3]] = &[];
    /// Its axes.
    const PARAMETERS: Parameters = Parameters::PLAIN;
    /// See [`Problem::MPI`](crate::problem::Problem::MPI).
    const MPI: Option<&'static Function> = None;

    /// A time that no algorithm can beat.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    fn lower_bound(task: &Task) -> Result<Bound, Error>;
}

/// An algorithm for a collective.
pub trait Algorithm: Sync {
    /// When the last operation ends, without executing; `None` where too many messages would have to be followed.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, [`Error::Overflow`].
    fn time(&self, task: &Task) -> Result<Option<u64>, Error>;

    /// Bounds of the time, at any size.
    ///
    /// # Errors
    /// As [`Algorithm::time`].
    fn bounds(&self, task: &Task) -> Result<[u64; 2], Error> {
        Ok(self.time(task)?.map_or([0, LARGEST], |time| [time; 2]))
    }

    /// How many messages all ranks send.
    fn messages(&self, task: &Task) -> Wide;

    /// Whether contributions are combined in the order of the ranks, as an operator that does not commute needs it.
    fn keeps_order(&self) -> bool;

    /// Whether it sends a vector in m segments; all others are defined for `m = 1` only.
    fn is_segmented(&self) -> bool {
        false
    }

    /// Whether all segments must have one size, so that m must divide n.
    fn has_equal_segments(&self) -> bool {
        false
    }

    /// The words of a segment; the last ones may be shorter.
    fn segment(&self, task: &Task) -> u64 {
        task.n.div_ceil(task.m)
    }

    /// Whether it writes distances in base r; all others are defined for `r = 2` only.
    fn has_radix(&self) -> bool {
        false
    }

    /// Whether it is defined for several ports; all others are for `k = 1` only.
    fn has_ports(&self) -> bool {
        false
    }

    /// Whether it reads where ranks stand on a machine with levels; to others few ranks on one level are a machine of their
    /// own.
    fn is_placed(&self) -> bool {
        false
    }

    /// Whether a rank posts consecutive sends together, so that they share its port and all arrive with the last one.
    fn posts(&self) -> bool {
        false
    }

    /// Writes what a rank does.
    ///
    /// The task is one at which the algorithm is [defined](Algorithm::time), with K below 2^32.
    fn script(&self, task: &Task, rank: u32, script: &mut Script);

    /// Writes what ranks 0 to `ranks` - 1 do, and returns where the steps of each end.
    fn scripts(&self, task: &Task, ranks: u32, script: &mut Script) -> Vec<usize> {
        let write = |rank| {
            self.script(task, rank, script);
            script.steps.len()
        };
        (0..ranks).map(write).collect()
    }
}
