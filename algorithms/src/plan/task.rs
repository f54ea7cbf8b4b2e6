//! What is asked for: a machine, ranks and words.

use std::collections::HashMap;
use std::iter;
use std::ops::Range;

use super::sizes::Blocks;
use crate::engine::Machine;
use crate::error::{Error, fit, refuse_if};
use crate::logp::LogP;
use crate::wide::Wide;

/// Most ports: the engine numbers those of a processor with 8 bits.
pub const MAX_PORTS: u64 = 1 << 8;

/// A rank or a round as programs number them: below 2^32.
pub(crate) fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What the ports of a rank share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortRule {
    /// One processor for the overheads of all sends and receives.
    Strict,
    /// Nothing: each port has a processor in either direction, so that a rank sends and receives at once. A send waits for all that the
    /// rank received before. Combining a message follows its receive on its port, and waits for all that the rank sent and received
    /// before, because it changes words that the rank may send; what a rank combines without a message, all that follows waits for.
    /// Where the [broadcast](crate::logp::pipeline) states its program, messages from different senders do not contend at a receiver.
    Duplex,
}

impl PortRule {
    /// The values of the axis: the rules by their numbers, then strict ports beside a switch that combines and copies.
    pub const WORDS: &'static [&'static str] = &["strict", "duplex", "switch"];
}

/// A collective to carry out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Task {
    /// What messages cost by their size.
    pub machine: Machine,
    /// Ranks, at least 1.
    pub K: u64,
    /// Words, at least 1; bytes where the machine counts them, or elements.
    pub n: u64,
    /// The time to combine two words; on a machine that counts bytes, picoseconds per byte.
    pub c: u64,
    /// The rank that has the operand at the start, or gets the result; below K.
    pub root: u64,
    /// Segments of a vector, at least 1.
    pub m: u64,
    /// The radix in which distances between ranks are written, at least 2.
    pub r: u64,
    /// Ports of a rank in each direction, 1 to [`MAX_PORTS`].
    pub k: u64,
    /// How many words or bytes of the machine a word is: an element of a vector, which no cut separates. At least 1.
    pub element: u64,
    /// What ports share.
    pub rule: PortRule,
    /// Whether all ranks are at a [switch](super::switch) that combines and copies.
    pub has_switch: bool,
    /// How many words each block has.
    pub blocks: Blocks,
}

/// The indices of one of `of` parts of `all` indices; the first parts are one longer. The part behind the last is empty.
pub(crate) fn part(all: u64, part: u64, of: u64) -> Range<u64> {
    let start = |part: u64| part * (all / of) + part.min(all % of);
    start(part)..start((part + 1).min(of))
}

/// The times of one message, and of combining its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    pub o: Wide,
    pub L: Wide,
    pub g: Wide,
    /// Combining takes this long.
    pub q: Wide,
}

impl Hop {
    /// What a switch does takes no time.
    pub const OF_SWITCH: Self = Self {
        o: Wide::ZERO,
        L: Wide::ZERO,
        g: Wide::ZERO,
        q: Wide::ZERO,
    };

    /// From the start of a send until its receive has ended.
    pub fn D(self) -> Wide {
        self.L + 2 * self.o
    }

    /// From one send of a port to the next.
    pub fn gap(self) -> Wide {
        self.g.max(self.o)
    }

    /// From the start of a send until the received words are combined.
    pub fn combined(self) -> Wide {
        self.D() + self.q
    }

    /// The message where it is combined, or where nothing is.
    pub fn combining(self, is_combined: bool) -> Self {
        if is_combined {
            self
        } else {
            self.without_combining()
        }
    }

    /// The message where nothing is combined: `q` is 0.
    pub fn without_combining(self) -> Self {
        Self {
            q: Wide::ZERO,
            ..self
        }
    }
}

impl Task {
    /// A task with root 0, whole vectors, radix 2, one strict port and elements of size 1.
    pub const fn new(machine: Machine, K: u64, n: u64, c: u64) -> Self {
        Self {
            machine,
            K,
            n,
            c,
            root: 0,
            m: 1,
            r: 2,
            k: 1,
            element: 1,
            rule: PortRule::Strict,
            has_switch: false,
            blocks: Blocks::Equal,
        }
    }

    /// The value of the axis of rules.
    pub const fn ports(&self) -> usize {
        if self.has_switch {
            2
        } else {
            self.rule as usize
        }
    }

    /// The size of a message with these words, as the machine counts it.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn size(&self, words: u64) -> Result<u64, Error> {
        words.checked_mul(self.element).ok_or(Error::Overflow)
    }

    /// The machine that a message with these words sees.
    ///
    /// # Errors
    /// Errors of [`Machine::at`]; [`Error::Overflow`].
    pub fn model(&self, words: u64) -> Result<LogP, Error> {
        self.machine.at(self.size(words)?)
    }

    /// The time to combine words: c for each of the machine, and on one that counts bytes rounded up to ns.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn combining(&self, words: u64) -> Result<u64, Error> {
        fit(self.combining_time(words)?)
    }

    /// The time to combine words, also above 64 bits.
    fn combining_time(&self, words: u64) -> Result<Wide, Error> {
        let total = self.c * Wide::from(self.size(words)?);
        Ok(if matches!(self.machine, Machine::LogGops(_)) {
            total.div_ceil(1000)
        } else {
            total
        })
    }

    /// The times of a message with these words.
    pub(crate) fn hop(&self, words: u64) -> Result<Hop, Error> {
        let model = self.model(words)?;
        let [o, L, g] = [model.o(), model.L(), model.g()].map(Wide::from);
        Ok(Hop {
            o,
            L,
            g,
            q: self.combining_time(words)?,
        })
    }

    /// All words of a vector, as one range.
    pub(crate) fn vector(&self) -> impl Iterator<Item = Range<u64>> + use<> {
        iter::once(0..self.n)
    }

    /// How far a rank is behind the root, modulo K: its number in a tree whose root has number 0.
    pub(crate) fn number(&self, rank: u32) -> u64 {
        let rank = u64::from(rank);
        if rank >= self.root {
            rank - self.root
        } else {
            rank + (self.K - self.root)
        }
    }

    /// The rank with a number below K.
    pub(crate) fn rank(&self, number: u64) -> u32 {
        let before_wrap = self.K - self.root;
        narrow(if number < before_wrap {
            self.root + number
        } else {
            number - before_wrap
        })
    }

    /// These ranks by the groups of `size` seats of the machine: groups, and ranks in them, in the order in which they are first met.
    pub(crate) fn groups(&self, ranks: impl Iterator<Item = u32>, size: u64) -> Vec<Vec<u32>> {
        let levels = self.machine.levels();
        let seat = |rank: u32| levels.map_or(rank.into(), |levels| levels.seat(self.K, rank));
        let (mut indices, mut groups) = (HashMap::new(), Vec::new());
        for rank in ranks {
            let index = *indices.entry(seat(rank) / size).or_insert(groups.len());
            if index == groups.len() {
                groups.push(Vec::new());
            }
            groups[index].push(rank);
        }
        groups
    }

    /// The exponent of K.
    ///
    /// # Errors
    /// [`Error::Parameter`] where K is no power of two.
    pub(crate) fn power_of_two(&self) -> Result<u32, Error> {
        refuse_if!(!self.K.is_power_of_two(), "K" = self.K => "expected a power of two");
        Ok(self.K.ilog2())
    }

    /// The words of a block, if the vector is cut into `of` blocks, the first of them one word longer.
    pub(crate) fn block(&self, block: u64, of: u64) -> Range<u64> {
        part(self.n, block, of)
    }
}
