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
//! | `D(s)`, `g(s)`, `o(s)`, `L(s)` | what a message of s words costs, see [`Machine`] |
//!
//! **A collective** is what every rank must hold at the end: a [`Goal`]. Words of all ranks stand in one numbering. A rank
//! holds *contributions* to a word: the parts of one rank, or of several that were combined.
//!
//! **An algorithm** is a [`Plan`]: which rank sends which words to which rank, in which order. Its script of
//! every rank, its number of messages and its program for the [engine](crate::engine) follow from that.
//!
//! **A rank** has one processor and k ports in each direction, one unless stated otherwise. Its sends take the ports in
//! turn, and so do its receives. A send or a receive occupies the processor for `o(s)`, and its port for `g(s)`. With duplex
//! [ports](crate::plan::task::PortRule) each port has a processor in either direction.
//! Combining the words of a message follows its receive and occupies the processor for `c` per word. The cost is the time
//! at which the last operation ends.
//!
//! **The judge** follows the contributions through an execution: [`judge`].
//!
//! **Adding a collective**: a folder with a [`Goal`] and a row [`Collective`], and a line in the [list]. **Adding an algorithm**: a file with a type that implements [`Algorithm`], and
//! an entry in its collective.

pub mod allgather;
pub mod allreduce;
pub mod alltoall;
pub mod barrier;
mod bine;
mod bounds;
pub mod broadcast;
mod circulant;
pub mod contributions;
pub mod counts;
mod directions;
mod double_tree;
pub mod gather;
pub mod hierarchy;
pub mod judge;
mod k_nomial;
pub mod known;
pub mod list;
mod n_blocks;
mod negabinary;
mod numbers;
mod parameters;
mod pat;
mod ports;
mod posted;
mod problem;
mod radix;
pub mod reduce;
pub mod reduce_scatter;
mod ring;
mod rounds;
pub mod scan;
pub mod scatter;
pub mod sequence;
mod swing;
mod switched;
#[cfg(test)]
mod tests;
mod torus;
mod trees;
mod wave;
pub mod written;

use std::fmt;

use crate::cost::{By, LARGEST};
use crate::engine::Machine;
use crate::engine::program::Program;
use crate::error::{Error, fit};
use crate::logp::{Levels, pipeline};
use crate::plan::clock;
use crate::plan::compiled::Compiled;
pub(crate) use crate::plan::task::narrow;
pub use crate::plan::task::{PortRule, Task};
pub use crate::plan::{Blocks, Counts, Plan, script};
use crate::problem::{Example, Listed, Problem};
use crate::wide::Wide;
pub use bounds::{Bound, Set, Share};
use parameters::Parameters;

/// What ranks hold at the start, and must hold at the end.
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait Goal: Sync {
    /// Into how many [blocks](Blocks) the words of all ranks are numbered: [`Goal::starts_with`] and [`Goal::ends_with`]
    /// are the same for all words of a block. One unless stated otherwise.
    fn blocks(&self, task: &Task) -> u128 {
        1
    }

    /// How many blocks all ranks hold at some time, at most. Every rank holds all unless stated otherwise.
    fn parts(&self, task: &Task) -> Wide {
        Wide::from(self.blocks(task)) * Wide::from(task.K)
    }

    /// Whether a rank holds its own contribution to a block at the start. Every rank does unless stated otherwise.
    fn starts_with(&self, task: &Task, rank: u64, block: u64) -> bool {
        true
    }

    /// The ranks whose contributions to a block a rank must hold at the end: the first, and how many; `None` where any
    /// content will do.
    fn ends_with(&self, task: &Task, rank: u64, block: u64) -> Option<(u64, u64)>;

    /// The blocks that a rank starts with, in ascending order. Cost: linear in the blocks, unless stated otherwise.
    fn starts(&self, task: &Task, rank: u64) -> Vec<u64> {
        all_blocks(self.blocks(task))
            .filter(|&block| self.starts_with(task, rank, block))
            .collect()
    }

    /// The blocks of which a rank must hold something at the end, in ascending order. Cost: as [`Goal::starts`].
    fn ends(&self, task: &Task, rank: u64) -> Vec<u64> {
        all_blocks(self.blocks(task))
            .filter(|&block| self.ends_with(task, rank, block).is_some())
            .collect()
    }

    /// The words that must enter a set of some ranks, not of all, and those that must leave it. Unless stated otherwise each rank needs
    /// contributions of all to n words.
    fn crossing(&self, task: &Task, set: &Set) -> [u128; 2] {
        if set.ranks == task.K {
            [0; 2]
        } else {
            [task.n.into(); 2]
        }
    }

    /// The words that are sent between so many groups of ranks, all together, where that is more than what must enter each of them.
    fn between(&self, task: &Task, groups: u64) -> u128 {
        0
    }

    /// How many ranks a word must come together from, or go to, counting its own: all, unless stated otherwise.
    fn involved(&self, task: &Task) -> u64 {
        task.K
    }

    /// The words of one rank that all others need, of blocks of several sizes: a bound that counts them alone beside all others.
    fn needed_by_all(&self, task: &Task) -> u64 {
        0
    }

    /// What some rank has to do. It sends or receives the words of all blocks but the shortest, and combines none, unless stated
    /// otherwise.
    fn share(&self, task: &Task) -> Share {
        Share {
            words: bounds::others(task),
            combined: Wide::ZERO,
            is_multicast: false,
        }
    }

    /// Whether a contribution may be combined twice.
    fn is_idempotent(&self) -> bool {
        false
    }
}

/// The numbers of blocks, of which 64 bits number all that a machine can hold.
fn all_blocks(blocks: u128) -> std::ops::Range<u64> {
    0..u64::try_from(blocks).unwrap_or(u64::MAX)
}

/// A collective: the row of the [list] from which catalogue, `verify`, plans of users, hierarchies and tests have it.
pub struct Collective {
    /// See [`Problem::name`].
    pub name: &'static str,
    /// See [`Problem::title`].
    pub title: &'static str,
    /// What ranks must hold.
    pub goal: &'static dyn Goal,
    /// Which axes it has.
    pub parameters: Parameters,
    /// See [`Problem::examples`].
    pub(crate) examples: &'static [Example],
    /// See [`Problem::limits`].
    pub limits: &'static [[&'static str; 3]],
    /// Its algorithms in the catalogue.
    pub entries: &'static [Listed<dyn Algorithm>],
}

impl Collective {
    /// The problem of the catalogue.
    pub(crate) const fn problem(&'static self) -> Problem {
        Problem {
            limits: self.limits,
            ..Problem::new(
                [self.name, self.title],
                self.parameters.0,
                self.examples,
                self,
            )
        }
    }

    /// The algorithm of the catalogue with the rest of its name.
    fn find(&self, rest: &str) -> Option<&'static dyn Algorithm> {
        let is_it = |listed: &&Listed<dyn Algorithm>| {
            let own = listed.name.strip_prefix(self.name);
            own.and_then(|own| own.strip_prefix('-')) == Some(rest)
        };
        let found = self.entries.iter().find(is_it);
        found.map(|listed| listed.algorithm)
    }
}

impl fmt::Debug for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Collectives are equal if their names are.
impl PartialEq for Collective {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Collective {}

/// What a formula says of the cost of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closed {
    /// The cost, proven on the page of the algorithm.
    Exact(u64),
    /// Bounds of the cost; the cost itself comes from the [clock].
    Between([u64; 2]),
    /// No formula and no clock knows the cost, only an execution.
    Executed {
        /// A lower bound of the cost.
        least: u64,
    },
}

impl Closed {
    /// An exact cost.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn exact(time: impl Into<Wide>) -> Result<Self, Error> {
        fit(time.into()).map(Self::Exact)
    }

    /// The bounds of the cost.
    pub fn bounds(self) -> [u64; 2] {
        match self {
            Self::Exact(time) => [time; 2],
            Self::Between(bounds) => bounds,
            Self::Executed { least } => [least, LARGEST],
        }
    }
}

/// Whether the sizes of messages are all that matters.
fn is_by_size_only(levels: &Levels) -> bool {
    levels.is_by_size_only() && !levels.has_exchange()
}

/// What an algorithm takes beyond machine, ranks and words, and what holds of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// Whether contributions are combined in the order of the ranks, as an operator that does not commute needs it. The judge
    /// rejects an algorithm that claims it wrongly.
    pub keeps_order: bool,
    /// Whether it sends a vector in m segments; all others are defined for `m = 1` only.
    pub is_segmented: bool,
    /// Whether all segments must have one size, so that m must divide n.
    pub has_equal_segments: bool,
    /// Whether it writes distances in base r; all others are defined for `r = 2` only.
    pub has_radix: bool,
    /// Whether it is defined for several ports; all others are for `k = 1` only.
    pub has_ports: bool,
    /// Whether it reads where ranks stand on a machine with levels; to others few ranks on one level are a machine of their
    /// own.
    pub is_placed: bool,
    /// Whether a rank posts consecutive sends together, so that they share its port and all arrive with the last one.
    pub posts: bool,
    /// Whether all blocks must have one size: what it does depends on that.
    pub has_equal_blocks: bool,
    /// Whether a user gave it: what it does wrong is no bug of castbench.
    pub is_given: bool,
}

impl Properties {
    /// Combines in the order of the ranks, and takes whole vectors, radix 2 and one port.
    pub const PLAIN: Self = Self {
        keeps_order: true,
        is_segmented: false,
        has_equal_segments: false,
        has_radix: false,
        has_ports: false,
        is_placed: false,
        posts: false,
        has_equal_blocks: false,
        is_given: false,
    };
}

/// An algorithm for a collective: a [plan](Plan), and beside it what is proven of its cost.
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait Algorithm: Sync {
    /// What a formula says of the cost.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, [`Error::Overflow`].
    fn formula(&self, task: &Task) -> Result<Closed, Error>;

    /// What ranks do. The task is one at which the algorithm is defined; making a plan takes time for no rank.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`].
    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error>;

    /// What it takes, and what holds of it.
    fn properties(&self) -> Properties {
        Properties::PLAIN
    }

    /// The words of a segment; the last ones may be shorter.
    fn segment(&self, task: &Task) -> u64 {
        task.n.div_ceil(task.m)
    }

    /// Whether the formula also holds with duplex [ports](crate::plan::task::PortRule), where [`Algorithm::duplex`] states none: it reads
    /// the rule, or no operation begins earlier with them, as where every rank receives first, in one message from each other rank, and
    /// then sends.
    fn holds_on_duplex(&self, task: &Task) -> bool {
        false
    }

    /// Into how many parts it cuts a block at most, where these are more than K.
    fn parts(&self, task: &Task) -> u64 {
        task.K
    }

    /// The upper bound of the cost that a user states.
    fn at_most(&self, _: &Task) -> Option<u64> {
        None
    }

    /// The algorithm for duplex ports, where it has lanes or a formula of its own for them.
    fn duplex(&self) -> Option<&dyn pipeline::Duplex> {
        None
    }

    /// The algorithm with a number that its name states, as `allgather-pat:4`; `None` for a number that it does not take.
    fn with_number(&self, number: u64) -> Option<Box<dyn Algorithm>> {
        None
    }

    /// The program of an algorithm whose result was judged elsewhere; its plan then has no more than a number of messages.
    fn judged(&self, _: &Task) -> Option<Result<Program, Error>> {
        None
    }
}

/// An algorithm without parameters, as data: the answers of [`Algorithm`].
pub struct Plain {
    /// What a formula says of the cost.
    pub formula: fn(&Task) -> Result<Closed, Error>,
    /// Whether the formula also holds with duplex ports.
    pub holds_on_duplex: fn(&Task) -> bool,
    /// What ranks do.
    pub plan: fn(&Task) -> Result<Plan<'static>, Error>,
    /// What it takes, and what holds of it.
    pub properties: Properties,
}

impl Algorithm for Plain {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        (self.formula)(task)
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        (self.plan)(task)
    }

    fn properties(&self) -> Properties {
        self.properties
    }

    fn holds_on_duplex(&self, task: &Task) -> bool {
        (self.holds_on_duplex)(task)
    }
}

impl dyn Algorithm + '_ {
    /// What a formula says of the cost under the task's rule of ports.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`].
    pub fn closed(&self, task: &Task) -> Result<Closed, Error> {
        match task.rule {
            _ if task.is_counted() => self.closed_uneven(task),
            PortRule::Duplex if !self.holds_on_duplex(task) => {
                let rule = PortRule::Strict;
                // With duplex ports no operation begins later.
                match self.formula(&Task { rule, ..*task }) {
                    Ok(Closed::Executed { .. }) => Ok(Closed::Executed { least: 0 }),
                    Ok(closed) => Ok(Closed::Between([0, closed.bounds()[1]])),
                    // The cost itself may fit.
                    Err(Error::Overflow) => Ok(Closed::Between([0, LARGEST])),
                    refused => refused,
                }
            }
            _ => match self.formula(task) {
                // A rank alone sends no message, however long one would take.
                Err(Error::Overflow) if task.K == 1 && !self.properties().is_given => {
                    Ok(Closed::Exact(0))
                }
                formula => formula,
            },
        }
    }

    /// Where an algorithm is defined does not depend on the sizes of blocks. Its formulas are for equal ones. What a user gives is asked
    /// for no other point.
    fn closed_uneven(&self, task: &Task) -> Result<Closed, Error> {
        if self.properties().is_given {
            return self.formula(task);
        }
        let equal = self.closed(&Task {
            n: 1,
            blocks: Blocks::Equal,
            ..*task
        });
        match equal {
            Err(Error::Overflow) | Ok(Closed::Exact(_) | Closed::Between(_)) => {
                Ok(Closed::Between([0, LARGEST]))
            }
            Ok(Closed::Executed { .. }) => Ok(Closed::Executed { least: 0 }),
            Err(error) => Err(error),
        }
    }

    /// When the last operation ends, by the formula or the [clock]; `None` where neither knows it.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`].
    pub fn time(&self, task: &Task) -> Result<Option<u64>, Error> {
        Ok(self.time_by(task)?.map(|(time, _)| time))
    }

    /// The time of a task, and whether a formula or the clock states it. Formulas hold where all messages see one machine, the clock where only their sizes matter.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`].
    pub fn time_by(&self, task: &Task) -> Result<Option<(u64, By)>, Error> {
        let levels = task.machine.levels();
        // No message has more than all words of a collective.
        let all = task
            .K
            .saturating_mul(task.K)
            .saturating_mul(task.size(task.block_words())?);
        let one = levels.and_then(|levels| levels.up_to(all));
        let machine = one.map_or(task.machine, |machine| Machine::LogGops(machine.into()));
        let by = if self.properties().is_given {
            By::Claim
        } else {
            By::Formula
        };
        match self.closed(&Task { machine, ..*task })? {
            Closed::Exact(time) if levels.is_none() || one.is_some() => Ok(Some((time, by))),
            Closed::Exact(_) | Closed::Between(_) if levels.is_none_or(is_by_size_only) => {
                Ok(clock::time(&self.plan(task)?, task)?
                    .map(fit)
                    .transpose()?
                    .map(|time| (time, By::Clock)))
            }
            _ => Ok(None),
        }
    }

    /// How many messages all ranks send; 0 where the algorithm is not defined.
    pub fn messages(&self, task: &Task) -> Wide {
        self.plan(task)
            .map_or(Wide::ZERO, |plan| plan.messages(task))
    }

    /// The plan as a program, without what its messages carry.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`] and of the engine.
    pub fn program(&self, task: &Task) -> Result<Program, Error> {
        let mut program = Compiled::program_of(&self.plan(task)?, task)?;
        program.posts_together(self.properties().posts);
        Ok(program)
    }

    /// The plan as scripts and a program.
    ///
    /// # Errors
    /// Errors of [`Algorithm::formula`] and of the engine.
    pub fn compiled(&self, task: &Task) -> Result<Compiled, Error> {
        let mut compiled = Compiled::new(&self.plan(task)?, task)?;
        compiled.program.posts_together(self.properties().posts);
        Ok(compiled)
    }
}
