//! Lower bounds of the broadcast of a long message.

use crate::engine::Machine;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::multicast::several_ports::one_message;

/// What bounds the time of a broadcast of n words.
#[must_use]
pub fn named(n: u64) -> &'static str {
    if n == 1 {
        "latency"
    } else {
        "bandwidth, then latency"
    }
}

/// The size from which messages count where all carry this number of words or more: 1 unless shorter ones cost a port less
/// than their words, as with `o = g = 0`.
///
/// # Errors
/// Errors of [`Machine::at`].
pub(crate) fn shortest(machine: Machine, words: u64) -> Result<u64, Error> {
    let favours_short = if let Some(levels) = machine.levels() {
        levels.favours_short(words)
    } else {
        let [word, all] = [Item::new(machine, 1)?, Item::new(machine, words)?];
        word.gap.saturating_mul(words.into()) < all.gap
    };
    Ok(if favours_short { words } else { 1 })
}

/// The least time in which one rank sends this number of words over k ports, in messages of `least` words or more, and the last word
/// reaches K ranks, the sender counted.
///
/// Let `x` be the least time that a port pays for `least` words, so that a message of w words takes it `w x / least` or longer. Count each
/// word as sent once the words before it in its message have taken the port as long, and words that are new last. Then of the S words
/// of a port the last one leaves at `(S - least) x / least` or later; it is received D(least) after that or later, and two sends of it by one port are
/// x apart. So from there on it is one message with this hop and gap.
///
/// This is the bound for k items of Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model", SPAA 1993 (there
/// for one port and a gap of 1). **By words** (LogP) `x` is the gap of as many words. **By bytes** (LogGOPS) a port that sends b pieces of s
/// bytes in one message pays `gap(b*s)/b` for each: the larger of `sG + (g-G)/b` and `sO + (o-O)/b`. These are lines in 1/b, so x, the
/// minimum of the larger one for 1/b from 0 to 1, is at an end or at their crossing. Where messages of all sizes cost the same
/// ([`Machine::LogP`]), x is 0.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
pub(crate) fn over_ports(
    machine: Machine,
    [words, least]: [u64; 2],
    K: u64,
    k: u64,
) -> Result<u64, Error> {
    Item::new(machine.fastest(), least)?.spread([words, least], K, k)
}

/// The least cost of an item that is sent with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item {
    hop: u64,
    /// In thousandths of the time unit: picoseconds for nanoseconds.
    gap: u128,
}

impl Item {
    /// An item of this number of words.
    fn new(machine: Machine, words: u64) -> Result<Self, Error> {
        let model = machine.at(words)?;
        Ok(match machine {
            Machine::LogP(_) => Self {
                hop: model.D(),
                gap: 0,
            },
            Machine::Words(_) => Self {
                hop: model.D(),
                gap: u128::from(model.gap()) * 1000,
            },
            Machine::LogGops(profile) => {
                let gops = profile.network();
                let one = machine.at(1)?;
                let further = u128::from(words - 1);
                let ([G, O, H], parts) = gops.per_byte();
                let parts = u128::from(parts);
                // Rounded down, unlike the machine's times.
                let hold = further
                    .saturating_mul(u128::from(G) + 2 * u128::from(O) + u128::from(H))
                    / parts;
                let hop = u64::try_from(u128::from(one.D()).saturating_add(hold))
                    .unwrap_or(u64::MAX)
                    .min(model.D());
                let line = |first: u64, per_byte: u64| LinearTime {
                    alone: (u128::from(first) * parts)
                        .saturating_add(further.saturating_mul(per_byte.into())),
                    together: u128::from(words).saturating_mul(per_byte.into()),
                };
                Self {
                    hop,
                    gap: LinearTime::least(line(gops.g, G), line(gops.o, O)) / (parts / 1000),
                }
            }
        })
    }

    /// The bound for this number of items, of words of which `per_item` have the times of the item.
    fn spread(self, [items, per_item]: [u64; 2], K: u64, k: u64) -> Result<u64, Error> {
        let behind =
            u128::from(items.div_ceil(k).saturating_sub(per_item)).saturating_mul(self.gap);
        let behind = behind / u128::from(per_item) / 1000;
        let model = LogP::new(
            self.hop,
            0,
            u64::try_from(self.gap / 1000).unwrap_or(u64::MAX),
        )?;
        fit(behind.saturating_add(one_message(model, K, k)?.into()))
    }
}

/// A time per segment in ps or fs, a line over the segment's share of the message: from 1 to 0.
#[derive(Debug, Clone, Copy)]
struct LinearTime {
    /// For a share of 1.
    alone: u128,
    /// For a share of 0: an endless message.
    together: u128,
}

impl LinearTime {
    /// The minimum of the larger of two lines, rounded down.
    fn least(a: Self, b: Self) -> u128 {
        let ends = a.alone.max(b.alone).min(a.together.max(b.together));
        // They cross if each is the larger one at one end.
        let (over, under) = if a.alone > b.alone { (a, b) } else { (b, a) };
        if over.alone == under.alone || over.together >= under.together {
            return ends;
        }
        // The crossing is at the share `ahead / (ahead + behind)` of the way from `alone` to `together`.
        let (ahead, behind) = (over.alone - under.alone, under.together - over.together);
        let crossing = || {
            let sum = over
                .alone
                .checked_mul(behind)?
                .checked_add(over.together.checked_mul(ahead)?)?;
            Some(sum / ahead.checked_add(behind)?)
        };
        // Each single line is a lower bound of the larger one.
        let below = a.alone.min(a.together).max(b.alone.min(b.together));
        ends.min(crossing().unwrap_or(below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::loggops::LogGops;

    #[test]
    fn words_are_items() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        // Word by word: 24 for one word to 8 nodes, and 15 or 7 gaps before the last leaves.
        assert_eq!(over_ports(machine, [16, 1], 8, 1), Ok(24 + 15 * 4));
        assert_eq!(over_ports(machine, [16, 1], 8, 2), Ok(20 + 7 * 4));
        // In segments of four: a hop of 22 and a gap of 16 take 66 to 8 nodes.
        assert_eq!(over_ports(machine, [16, 4], 8, 1), Ok(66 + 3 * 16));
        assert!(over_ports(machine, [u64::MAX, 1], 2, 1).is_err());
    }

    /// By hand: with others, a segment takes the time of its bytes; the hop is rounded down.
    #[test]
    fn bytes_in_company() {
        let machine = |g, G: u64, O: u64| {
            Machine::LogGops(
                LogGops {
                    L: 1_000,
                    o: 100,
                    g,
                    G: G * 1000,
                    O: O * 1000,
                    H: 20_000,
                }
                .into(),
            )
        };
        let item =
            |g, G, O, words| Item::new(machine(g, G, O), words).map(|item| (item.hop, item.gap));
        // 63 bytes after the first add 63 * 0.42 = 26.46.
        assert_eq!(item(500, 300, 50, 64), Ok((1_226, 64 * 300)));
        assert_eq!(item(500, 300, 50, 2_000), Ok((1_200 + 839, 2_000 * 300)));
        // Where the processor is slower than the network: 63 * (0.05 + 2 * 0.3 + 0.02) = 42.21.
        assert_eq!(item(500, 50, 300, 64), Ok((1_242, 64 * 300)));
        assert_eq!(item(500, 300, 50, 1), Ok((1_200, 300)));
        assert_eq!(item(500, 0, 0, 64), Ok((1_201, 0)));
        // An overhead of 100 per message, and a gap of 0.3 - 0.3/b per byte: equal where 100 + 0.3 = 64 * 0.3 b.
        assert_eq!(item(0, 300, 0, 64), Ok((1_220, 100_000 * 19_200 / 100_300)));
        // The same in parts of ps: 63 * 1.111 + 63 * 0.02 = 71.25 ns, and 64 * 1.111 = 71.1 ps.
        let fast = Machine::LogGops(
            LogGops {
                L: 1_000,
                o: 100,
                g: 500,
                G: 1_111,
                O: 0,
                H: 20_000,
            }
            .into(),
        );
        assert_eq!(
            Item::new(fast, 64).map(|item| (item.hop, item.gap)),
            Ok((1_201, 71))
        );
    }

    /// Against both lines at every share that a crossing of small numbers can have.
    #[test]
    fn the_least_of_the_larger_line() {
        let lines = || {
            (0..6u128).flat_map(|alone| (0..6).map(move |together| LinearTime { alone, together }))
        };
        for a in lines() {
            for b in lines() {
                let larger = |part: u128, of: u128| {
                    [a, b]
                        .map(|line| line.alone * part + line.together * (of - part))
                        .into_iter()
                        .max()
                        .unwrap()
                        / of
                };
                let least = (1..=12).flat_map(|of| (0..=of).map(move |part| (part, of)));
                let least = least.map(|(part, of)| larger(part, of)).min().unwrap();
                assert_eq!(LinearTime::least(a, b), least, "{a:?} {b:?}");
            }
        }
        // Above 128 bits the lower of the two is the bound.
        let (up, down) = (
            LinearTime {
                alone: 0,
                together: u128::MAX,
            },
            LinearTime {
                alone: u128::MAX,
                together: 5,
            },
        );
        assert_eq!(LinearTime::least(up, down), 5);
    }

    /// No way to send segments together is faster to a second node than the bound by bytes.
    #[test]
    fn no_company_beats_the_bound() {
        for (g, G, O) in [
            (7, 1500, 0),
            (3, 100, 400),
            (0, 1000, 10),
            (20, 300, 300),
            (50, 7, 3),
        ] {
            for (o, size) in [
                (1, 1),
                (1, 2),
                (1, 3),
                (1, 7),
                (1, 40),
                (90, 1),
                (90, 3),
                (90, 40),
            ] {
                let machine = Machine::LogGops(
                    LogGops {
                        L: 5,
                        o,
                        g,
                        G: G * 1000,
                        O: O * 1000,
                        H: 0,
                    }
                    .into(),
                );
                // When a port can begin to send after each number of segments.
                let mut after = vec![0u128];
                for segments in 1..30 {
                    let model = |b: usize| machine.at(size * b as u64).unwrap();
                    let least = (1..=segments)
                        .map(|b| after[segments - b] + u128::from(model(b).D()))
                        .min()
                        .unwrap();
                    let c = segments as u64;
                    let bound = over_ports(machine, [size * c, size], 2, 1).unwrap();
                    assert!(
                        u128::from(bound) <= least,
                        "{c} of {size} bytes: {bound} > {least}"
                    );
                    // Several ports share the segments, at best evenly.
                    let shared = over_ports(machine, [size * c * 3, size], 2, 3).unwrap();
                    assert!(u128::from(shared) <= least);
                    after.push(
                        (1..=segments)
                            .map(|b| after[segments - b] + u128::from(model(b).gap()))
                            .min()
                            .unwrap(),
                    );
                }
            }
        }
    }
}
