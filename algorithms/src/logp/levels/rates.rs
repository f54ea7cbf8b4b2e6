//! What messages take at least, by their levels.

use super::Levels;
use crate::logp::LogGops;

/// What the ports of a machine with levels carry, by level from the innermost one on; times in fs.
#[derive(Debug)]
pub(super) struct Rates {
    /// The least time of a byte at a port, in a message of this level or of one further out that takes the same port.
    pub per_byte: Vec<u128>,
    /// How much sooner than the time of its bytes at a port the last message of this level or one further out can be received; negative where it is later.
    pub early: Vec<i128>,
}

impl Levels {
    /// A machine on which no message of this level or one further out takes longer: the least first times, and rates by which no line
    /// from there rises above a time of any level or range.
    pub(in crate::logp) fn fastest_from(&self, level: usize) -> LogGops {
        let nearest = self
            .of_latencies()
            .and_then(|machines| machines.first())
            .unwrap_or(&self.network);
        let levels = self.inner.iter().skip(level).map(|level| level.machine);
        let levels = [self.network, *nearest].into_iter().chain(levels);
        let ranges = self
            .ranges
            .iter()
            .skip(level)
            .flatten()
            .map(|range| (range.from, range.machine));
        let all: Vec<(u64, LogGops)> = levels.map(|machine| (1, machine)).chain(ranges).collect();
        let least = |first: fn(&LogGops) -> u64, per_byte: fn(&LogGops) -> u64, floor: u64| {
            let time = all.iter().map(|(_, it)| first(it)).min().unwrap_or(0);
            let time = time.max(floor);
            let rate = all.iter().map(|(from, it)| {
                let ahead = u128::from(first(it).saturating_sub(time)) * 1_000_000;
                let most = ahead
                    .checked_div(u128::from(from - 1))
                    .and_then(|most| u64::try_from(most).ok());
                per_byte(it).min(most.unwrap_or(u64::MAX))
            });
            (time, rate.min().unwrap_or(0))
        };
        let ((o, O), (g, G)) = (
            least(|it| it.o, |it| it.O, 0),
            least(|it| it.g, |it| it.G, 0),
        );
        // Each message has L or o, so it takes at least 1, also where one of them is 0 on each.
        let (L, wire) = least(|it| it.L, |it| it.G.saturating_add(it.H), u64::from(o == 0));
        let G = G.min(wire);
        LogGops {
            L,
            o,
            g,
            G,
            O,
            H: wire - G,
        }
    }

    /// The parameters of messages of a level with sizes from `least` on: each with the size from which they count, and the sizes
    /// between which all times are on lines. The nearest pair stands for the latencies of pairs.
    fn lines(&self, level: usize, least: u64) -> Vec<(u64, LogGops, Vec<u64>)> {
        let own = self
            .of_latencies()
            .and_then(|machines| machines.first())
            .unwrap_or_else(|| self.at(level));
        let ranges = self.ranges(level);
        let begins = [(1, *own)]
            .into_iter()
            .chain(ranges.iter().map(|range| (range.from, range.machine)));
        let ends = ranges
            .iter()
            .map(|range| Some(range.from - 1))
            .chain([None]);
        let lines = begins
            .zip(ends)
            .filter(|(_, end)| end.is_none_or(|end| end >= least));
        lines
            .map(|((from, machine), end)| {
                (
                    from,
                    machine,
                    [Some(from.max(least)), end].into_iter().flatten().collect(),
                )
            })
            .collect()
    }

    /// The least time of a byte at a port in messages of a level that have `least` bytes or more, in fs.
    fn rate(&self, level: usize, least: u64) -> u128 {
        let busy = |(from, machine, sizes): &(u64, LogGops, Vec<u64>)| {
            let at = |bytes: &u64| {
                let further = u128::from(bytes - from) * u128::from(machine.G);
                (u128::from(machine.g) * 1_000_000 + further) / u128::from(*bytes)
            };
            sizes.iter().map(at).min().unwrap_or(u128::MAX)
        };
        let lines = self.lines(level, least);
        let endless = lines.last().map_or(0, |(_, machine, _)| machine.G.into());
        lines.iter().map(busy).min().unwrap_or(0).min(endless)
    }

    /// How much sooner than by this rate a message of a level is received, in fs. It is sent at once, and the overhead of the last receive of
    /// its port can be that of another message.
    fn early(&self, level: usize, rate: u128, least: u64) -> i128 {
        let fs = |ns: u64| i128::from(ns) * 1_000_000;
        let overhead = fs(self.fastest_from(0).o);
        let early = |(from, machine, sizes): &(u64, LogGops, Vec<u64>)| {
            let per_byte = u128::from(machine.G) + u128::from(machine.H) + u128::from(machine.O);
            let signed = |time: u128| i128::try_from(time).unwrap_or(i128::MAX);
            let at = |bytes: &u64| {
                let received = signed(per_byte.saturating_mul((bytes - from).into()));
                let received = received.saturating_add(fs(machine.L) + fs(machine.o) + overhead);
                signed(rate.saturating_mul(u128::from(*bytes))).saturating_sub(received)
            };
            sizes.iter().map(at).max().unwrap_or(i128::MIN)
        };
        self.lines(level, least)
            .iter()
            .map(early)
            .max()
            .unwrap_or(0)
    }

    /// The rates of messages that have `least` bytes or more. Where ranks share nics, messages through the network take no port of
    /// a rank.
    pub(super) fn rates(&self, least: u64) -> Rates {
        let network = self.inner.len();
        let mut per_byte: Vec<u128> = (0..=network).map(|level| self.rate(level, least)).collect();
        let apart = usize::from(self.nics.is_some());
        for level in (0..network.saturating_sub(apart)).rev() {
            per_byte[level] = per_byte[level].min(per_byte[level + 1]);
        }
        let mut early: Vec<i128> = (0..=network)
            .map(|level| self.early(level, per_byte[level], least))
            .collect();
        for level in (0..network).rev() {
            early[level] = early[level].max(early[level + 1]);
        }
        Rates { per_byte, early }
    }

    /// Whether a byte takes a port longer if messages have `least` bytes or more: short messages cost less than their bytes.
    pub(in crate::logp) fn favours_short(&self, least: u64) -> bool {
        (0..=self.inner.len()).any(|level| self.rate(level, 1) < self.rate(level, least))
    }
}
