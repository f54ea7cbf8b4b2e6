//! Machines whose ranks are near or far: LogGOPS parameters for each level at which two ranks can meet.
//!
//! **Source.** Hierarchies of LogP-like parameters: Karonis et al., "Exploiting hierarchy in parallel computer networks to
//! optimize collective operation performance", IPDPS 2000; Träff, Hunold, "Decomposing MPI collectives for exploiting multi-lane
//! communication", CLUSTER 2020.
//!
//! The ranks of a machine stand on **seats**, numbered from 0. Level 0 is the innermost one: its groups have `ranks` seats each
//! (a node, or a socket of one); groups of the next level consist of whole groups of this one. Above all levels is the network.
//! A message has the parameters of the innermost level at which sender and receiver are in one group, else those of the network.
//!
//! | placement | the seat of rank r of K |
//! |---|---|
//! | block | `r` |
//! | round robin | over `N = ceil(K/R)` groups of the outermost level, with R seats each: `(r mod N) R + floor(r/N)` |
//! | a list | the next free seat of the group of the outermost level that the list names; ranks behind the list have no seat |
//!
//! A rank has one port in each direction, at which its messages of all levels wait for each other. Where the ranks of a node share
//! **nics**, messages through the network wait for each other there, and only messages within nodes at the ports of the ranks:
//! the rules are those of `engine::shared`.
//!
//! Instead of levels a machine can have the **latency of each pair** of ranks, sender first; o, g, G, O and H are those of all
//! pairs. Every value of these latencies is then a level of its own, the least first, and there are no nodes.
//!
//! The gap between two messages is stated by the [engine](crate::engine); it is that of
//! the message that the engine names, at its level.
//!
//! **Ranges of sizes.** At each level messages from a size on can have other parameters: an eager limit, a rendezvous, a bandwidth
//! that depends on the size. A message of s bytes has those of the last range that begins at its size or below, at `from`; L, o and g
//! are the times of a message of `from` bytes, so `L(s) = L + (s - from)(G + H)`.
//! In a range an **exchange** can take longer: a message whose receiver sends one to its sender in the
//! [same turn](crate::engine::Program::is_exchanged) is on the wire for `(s-1)x` more, in L(s) and in g(s).

pub(crate) mod load;
mod rates;

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::LogP;
use super::loggops::LogGops;
use crate::error::Error;

/// The parameters of a machine: those of messages between any two ranks, or by levels.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Any two ranks are equally near.
    Flat(LogGops),
    /// Ranks are near or far.
    Levels(&'static Levels),
}

/// A level inside the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    /// Seats in each of its groups.
    pub ranks: u64,
    /// The parameters of messages between two ranks that meet at this level.
    pub machine: LogGops,
}

/// Messages of some sizes at a level: from a size on, up to the next range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SizeRange {
    /// The least of these sizes, bytes.
    pub from: u64,
    /// The parameters of these messages: L, o and g are those of one of `from` bytes.
    pub machine: LogGops,
    /// What an exchange takes more, x: fs for each byte after the first.
    pub exchange: u64,
}

/// Where ranks stand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Placement {
    /// One group after the other is filled.
    Block,
    /// One rank to each group of the outermost level in turn.
    RoundRobin,
    /// The group of the outermost level of each rank.
    List(Vec<u32>),
}

/// A machine with levels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Levels {
    /// From the innermost one on.
    inner: Vec<Level>,
    network: LogGops,
    placement: Placement,
    /// How many ports to the network the ranks of a node share; `None` where each has its own.
    nics: Option<u64>,
    /// The seats of a [list](Placement::List).
    seats: Vec<u64>,
    pairs: Option<Pairs>,
    /// The ranges of sizes of each level, the network last; empty where no level has any.
    ranges: Vec<Vec<SizeRange>>,
}

/// The latencies of pairs of ranks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Pairs {
    ranks: usize,
    /// The parameters with each latency, the least first.
    machines: Vec<LogGops>,
    /// For each pair the index of its latency there, sender by sender.
    latencies: Vec<u16>,
}

/// Most ranks of which each pair has its latency: 32 MB.
pub const MAX_PAIRED: usize = 1 << 12;

/// Most different latencies of pairs.
const MAX_LATENCIES: usize = 1 << 16;

impl Levels {
    /// A machine on which each pair of ranks has its latency; equal machines are the same. `latency` is that from a rank to another
    /// one; the parameters of `machine`, without L, are those of all pairs.
    ///
    /// # Errors
    /// [`Error::Parameter`] for fewer than 2 ranks, more than [`MAX_PAIRED`], or more than 65,536 different latencies.
    pub fn from_pairs(
        machine: LogGops,
        ranks: usize,
        latency: impl Fn(usize, usize) -> u64,
    ) -> Result<&'static Self, Error> {
        let refused = |key, found: usize, expected: String| {
            Err(Error::parameter(key, found as u64, expected))
        };
        if !(2..=MAX_PAIRED).contains(&ranks) {
            return refused(
                "ranks",
                ranks,
                format!("expected 2 to {MAX_PAIRED} ranks with latencies"),
            );
        }
        let pairs = || (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
        let of = |(from, to): (usize, usize)| {
            if from == to {
                None
            } else {
                Some(latency(from, to))
            }
        };
        let latencies: Vec<u64> = pairs()
            .filter_map(of)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        if latencies.len() > MAX_LATENCIES {
            let expected = format!("expected at most {MAX_LATENCIES} different ones; round them");
            return refused("latencies", latencies.len(), expected);
        }
        let index = |pair| {
            of(pair)
                .and_then(|latency| latencies.binary_search(&latency).ok())
                .unwrap_or(0)
        };
        let indices = pairs()
            .map(|pair| u16::try_from(index(pair)).unwrap_or(u16::MAX))
            .collect();
        let machines: Vec<LogGops> = latencies
            .iter()
            .map(|&L| LogGops { L, ..machine })
            .collect();
        let network = machines.last().copied().unwrap_or(machine);
        let (inner, seats, placement) = (Vec::new(), Vec::new(), Placement::Block);
        let pairs = Some(Pairs {
            ranks,
            machines,
            latencies: indices,
        });
        Ok(Self {
            inner,
            network,
            placement,
            nics: None,
            seats,
            pairs,
            ranges: Vec::new(),
        }
        .kept())
    }

    /// Checks a machine with levels; equal ones are the same.
    ///
    /// # Errors
    /// [`Error::Parameter`] where a level has no seats, or not those of whole groups of the one inside it, or where a list names a
    /// group more often than it has seats.
    pub fn new(
        inner: Vec<Level>,
        network: LogGops,
        placement: Placement,
        nics: Option<u64>,
    ) -> Result<&'static Self, Error> {
        if nics == Some(0) {
            return Err(Error::parameter(
                "nics",
                0,
                "expected at least 1; leave it out where every rank has its own",
            ));
        }
        let mut last = 1;
        for level in &inner {
            let ranks = level.ranks;
            if ranks == 0 || !ranks.is_multiple_of(last) {
                return Err(Error::parameter(
                    "ranks",
                    ranks,
                    format!("expected a multiple of the {last} inside, 1 or more"),
                ));
            }
            last = ranks;
        }
        let mut taken = std::collections::HashMap::new();
        let seat = |&group: &u32| {
            let next: &mut u64 = taken.entry(group).or_default();
            *next += 1;
            match *next <= last {
                true => Ok(u64::from(group) * last + *next - 1),
                false => Err(Error::parameter(
                    "placement",
                    u64::from(group),
                    format!("expected it {last} times at most, as it has seats"),
                )),
            }
        };
        let list: &[u32] = if let Placement::List(groups) = &placement {
            groups
        } else {
            &[]
        };
        let seats = list.iter().map(seat).collect::<Result<_, _>>()?;
        Ok(Self {
            inner,
            network,
            placement,
            nics,
            seats,
            pairs: None,
            ranges: Vec::new(),
        }
        .kept())
    }

    /// A copy of the machine with ranges of sizes for each of its levels, in ascending order, the network last.
    ///
    /// # Errors
    /// [`Error::Parameter`] for the latencies of pairs, ranges that do not ascend from 1 byte on, and a message without a time.
    pub fn with_ranges(&self, ranges: Vec<Vec<SizeRange>>) -> Result<&'static Self, Error> {
        if self.pairs.is_some() {
            let expected =
                "expected L in place of the latencies of pairs, which have no ranges of sizes";
            return Err(Error::parameter("sizes", "ranges", expected));
        }
        for range in &ranges {
            let mut last = 0;
            for &SizeRange {
                from,
                machine,
                exchange,
            } in range
            {
                if from <= last {
                    let expected =
                        format!("expected more than {last}: ranges ascend from 1 byte on");
                    return Err(Error::parameter("from", from, expected));
                }
                last = from;
                machine.beyond(0, exchange.into())?;
            }
        }
        let ranges = if ranges.iter().all(Vec::is_empty) {
            Vec::new()
        } else {
            ranges
        };
        Ok(Self {
            ranges,
            ..self.clone()
        }
        .kept())
    }

    /// Points are copied by the million, so a machine is made once and kept until the process ends; there are few.
    fn kept(self) -> &'static Self {
        static KNOWN: Mutex<Option<HashSet<&'static Levels>>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.get_or_insert_default();
        if let Some(kept) = known.get(&self) {
            return kept;
        }
        let kept = Box::leak(Box::new(self));
        known.insert(kept);
        kept
    }

    /// From the innermost one on.
    #[must_use]
    pub fn inner(&self) -> &[Level] {
        &self.inner
    }

    /// The parameters of messages between groups of the outermost level, or between the ranks with the longest latency.
    #[must_use]
    pub fn network(&self) -> &LogGops {
        &self.network
    }

    /// The seats of a group of the outermost level, a node.
    #[must_use]
    pub fn ranks(&self) -> u64 {
        self.inner.last().map_or(1, |level| level.ranks)
    }

    /// The parameters of pairs, once for each latency, the least first; none where ranks meet at levels.
    #[must_use]
    pub fn of_latencies(&self) -> Option<&[LogGops]> {
        self.pairs.as_ref().map(|pairs| &*pairs.machines)
    }

    /// Whether K ranks have seats.
    ///
    /// # Errors
    /// [`Error::Parameter`] where a list or the latencies of pairs are of fewer.
    pub fn check(&self, K: u64) -> Result<(), Error> {
        let (most, of) = match (&self.placement, &self.pairs) {
            (_, Some(pairs)) => (pairs.ranks, "latencies"),
            (Placement::List(groups), None) => (groups.len(), "placement"),
            _ => return Ok(()),
        };
        if K <= most as u64 {
            return Ok(());
        }
        Err(Error::parameter(
            "K",
            K,
            format!("expected at most {most}, the ranks of the {of}"),
        ))
    }

    /// Where a rank of K stands.
    #[must_use]
    pub fn seat(&self, K: u64, rank: u32) -> u64 {
        let (rank, ranks) = (u64::from(rank), self.ranks());
        match &self.placement {
            Placement::Block => rank,
            Placement::RoundRobin => {
                let groups = K.div_ceil(ranks).max(1);
                rank % groups * ranks + rank / groups
            }
            Placement::List(_) => self
                .seats
                .get(usize::try_from(rank).unwrap_or(usize::MAX))
                .copied()
                .unwrap_or(rank),
        }
    }

    /// The node of a rank of K, a group of the outermost level, and its index there.
    #[must_use]
    pub fn node(&self, K: u64, rank: u32) -> (u64, u64) {
        let seat = self.seat(K, rank);
        (seat / self.ranks(), seat % self.ranks())
    }

    /// How many ports to the network the ranks of a node share; `None` where each has its own.
    #[must_use]
    pub fn nics(&self) -> Option<u64> {
        self.nics
    }

    /// The level at which two ranks of K meet; the number of levels for the network. For latencies of pairs the index of theirs.
    #[must_use]
    pub fn between(&self, K: u64, from: u32, to: u32) -> usize {
        if let Some(pairs) = &self.pairs {
            let pair = (from as usize)
                .checked_mul(pairs.ranks)
                .and_then(|row| row.checked_add(to as usize));
            return pair
                .and_then(|pair| pairs.latencies.get(pair))
                .map_or(0, |&index| index.into());
        }
        let [from, to] = [from, to].map(|rank| self.seat(K, rank));
        self.inner
            .iter()
            .position(|level| from / level.ranks == to / level.ranks)
            .unwrap_or(self.inner.len())
    }

    /// The level of ranks as far apart as they can be.
    #[must_use]
    pub fn outside(&self) -> usize {
        match &self.pairs {
            Some(pairs) => pairs.machines.len() - 1,
            None => self.inner.len(),
        }
    }

    /// The parameters at a level.
    #[must_use]
    pub fn at(&self, level: usize) -> &LogGops {
        let pair = self.of_latencies().and_then(|machines| machines.get(level));
        pair.or_else(|| self.inner.get(level).map(|level| &level.machine))
            .unwrap_or(&self.network)
    }

    /// The ranges of sizes of a level; none where all of its messages have the same parameters.
    pub(crate) fn ranges(&self, level: usize) -> &[SizeRange] {
        self.ranges.get(level).map_or(&[], |ranges| ranges)
    }

    /// The last range of a level that begins at this size or below.
    pub(crate) fn range(&self, level: usize, bytes: u64) -> Option<&SizeRange> {
        let ranges = self.ranges(level);
        ranges
            .partition_point(|range| range.from <= bytes)
            .checked_sub(1)
            .and_then(|last| ranges.get(last))
    }

    /// The machine that a message of this size sees at a level, in an exchange or not. 0 bytes count as 1.
    ///
    /// # Errors
    /// Errors of [`LogGops::at`].
    pub fn of_message(&self, level: usize, bytes: u64, is_exchanged: bool) -> Result<LogP, Error> {
        let bytes = bytes.max(1);
        let Some(range) = self.range(level, bytes) else {
            return self.at(level).at(bytes);
        };
        let x = if is_exchanged { range.exchange } else { 0 };
        range.machine.beyond(
            bytes - range.from,
            u128::from(x).saturating_mul((bytes - 1).into()),
        )
    }

    /// Whether the parameters of a message depend on its size.
    #[must_use]
    pub fn has_ranges(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// Whether an exchange takes longer for messages of some size.
    #[must_use]
    pub fn has_exchange(&self) -> bool {
        self.ranges.iter().flatten().any(|range| range.exchange > 0)
    }

    /// Whether times are defined for programs in order only: ranks share nics, or exchanges take longer.
    #[must_use]
    pub fn needs_order(&self) -> bool {
        self.nics.is_some() || self.has_exchange()
    }

    /// Whether all pairs of ranks are equally near, so that only the size of a message matters.
    #[must_use]
    pub fn is_by_size_only(&self) -> bool {
        self.inner.is_empty() && self.pairs.is_none()
    }

    /// The parameters of all messages up to a size between ranks that are equally near, if they are the same.
    #[must_use]
    pub fn up_to(&self, most: u64) -> Option<LogGops> {
        let [first, last] = [1, most.max(1)].map(|bytes| self.range(0, bytes));
        let takes_longer = first.is_some_and(|range| range.exchange > 0);
        (self.is_by_size_only() && first == last && !takes_longer).then_some(self.network)
    }

    /// The level of all messages between K ranks, if it is one, wherever they stand.
    fn only_level(&self, K: u64) -> Option<usize> {
        let network = self.inner.len();
        if K <= 1 || network == 0 {
            let alike = self
                .of_latencies()
                .is_none_or(|machines| machines.len() == 1);
            return (K <= 1 || alike).then_some(network);
        }
        let level = |[one, other]: [u64; 2]| {
            self.inner
                .iter()
                .position(|level| one / level.ranks == other / level.ranks)
                .unwrap_or(network)
        };
        // The nearest ranks of blocks sit side by side, as do the farthest ones of a node.
        let nodes = K.div_ceil(self.ranks());
        let (farthest, nearest) = match &self.placement {
            Placement::Block => (level([0, K - 1]), level([0, 1])),
            Placement::RoundRobin if nodes > 1 => {
                (network, if K > nodes { level([0, 1]) } else { network })
            }
            Placement::RoundRobin => (level([0, K - 1]), level([0, 1])),
            Placement::List(_) => {
                let seats = self.seats.get(..usize::try_from(K).ok()?)?;
                let farthest = level([*seats.iter().min()?, *seats.iter().max()?]);
                let mut inside = HashSet::new();
                let inner = farthest.checked_sub(1).map(|inner| self.inner[inner].ranks);
                let is_apart =
                    inner.is_none_or(|ranks| seats.iter().all(|seat| inside.insert(seat / ranks)));
                return is_apart.then_some(farthest);
            }
        };
        (farthest == nearest).then_some(farthest)
    }

    /// The machine of K ranks whose messages are all of one level and have the same parameters, if they are.
    fn only(&self, K: u64) -> Option<&LogGops> {
        let level = self
            .only_level(K)
            .filter(|&level| self.ranges(level).is_empty())?;
        Some(
            self.inner
                .get(level)
                .map_or(&self.network, |inner| &inner.machine),
        )
    }

    /// The largest of each parameter over all levels.
    fn slowest(&self) -> LogGops {
        let most = |of: fn(&LogGops) -> u64| {
            self.inner
                .iter()
                .map(|level| &level.machine)
                .chain([&self.network])
                .map(of)
                .max()
                .unwrap_or(0)
        };
        let [L, o, g] = [most(|it| it.L), most(|it| it.o), most(|it| it.g)];
        let [G, O, H] = [most(|it| it.G), most(|it| it.O), most(|it| it.H)];
        LogGops { L, o, g, G, O, H }
    }
}

impl Profile {
    /// The parameters of messages between ranks as far apart as they can be; of the shortest ones where sizes matter.
    #[must_use]
    pub fn network(&self) -> &LogGops {
        match self {
            Self::Flat(machine) => machine,
            Self::Levels(levels) => &levels.network,
        }
    }

    /// The machine that a message of `bytes` bytes sees between such ranks.
    ///
    /// # Errors
    /// Errors of [`LogGops::at`].
    pub fn at(&self, bytes: u64) -> Result<LogP, Error> {
        match self {
            Self::Flat(machine) => machine.at(bytes),
            Self::Levels(levels) => levels.of_message(levels.outside(), bytes, false),
        }
    }

    /// The levels, where ranks are near or far.
    #[must_use]
    pub fn levels(&self) -> Option<&'static Levels> {
        match self {
            Self::Flat(_) => None,
            Self::Levels(levels) => Some(levels),
        }
    }

    /// The machine for K ranks: flat where all of them are equally near.
    #[must_use]
    pub fn of_ranks(self, K: u64) -> Self {
        self.levels()
            .and_then(|levels| levels.only(K))
            .map_or(self, |machine| Self::Flat(*machine))
    }

    /// A machine on which no message takes longer.
    #[must_use]
    pub fn fastest(&self) -> LogGops {
        self.levels()
            .map_or(*self.network(), |levels| levels.fastest_from(0))
    }

    /// Whether no message takes longer than one through the network, at ports that ranks do not share.
    #[must_use]
    pub fn is_slowest_outside(&self) -> bool {
        self.levels().is_none_or(|levels| {
            levels.slowest() == levels.network && levels.nics.is_none() && !levels.has_ranges()
        })
    }
}

impl From<LogGops> for Profile {
    fn from(machine: LogGops) -> Self {
        Self::Flat(machine)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flat(machine) => machine.fmt(f),
            Self::Levels(levels) => levels.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
