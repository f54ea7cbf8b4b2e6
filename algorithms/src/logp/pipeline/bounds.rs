//! What no broadcast of a long message can beat.

use super::cut::{Hop, Instance};
use crate::engine::Machine;
use crate::error::{Error, fit};
use crate::logp::LogP;
use crate::logp::lattice::binomial;
use crate::logp::multicast::optimal;

/// The least time in which a message that is not cut reaches K nodes, where k sends of a node run at once.
///
/// Whoever holds it at t can have k receivers hold it at each `t + D + i*g'`, so a hops and b gaps down there are
/// `k^a * C(a+b-1, b)` nodes, and by t there are as many as N(t), the sum over a of
/// `k^a * C(a + floor((t - aD)/g'), a)`. That all send as soon as they can is best, as for one port: it lets no holder
/// wait, and who holds it earlier can do all that who holds it later does.
///
/// Cost: that of [`optimal::time`] for k = 1, else O(log^3 K).
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
pub fn one_message(model: LogP, K: u64, k: u64) -> Result<u64, Error> {
    if k == 1 || K <= 2 {
        return optimal::time(model, K);
    }
    if model.gap() == 0 {
        return Ok(model.D());
    }
    // Every max(D, g') each holder can tell k others, which halves what is left and more.
    let mut high = u128::from(model.D().max(model.gap())) * u128::from(u64::BITS - K.leading_zeros());
    let mut low = 0;
    while low < high {
        let middle = low + (high - low) / 2;
        if reached(model, k, middle, K) >= K {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    fit(low)
}

/// How many nodes can hold a message by t where k sends of a node run at once, or `cap` if that is less.
fn reached(model: LogP, k: u64, t: u128, cap: u64) -> u64 {
    let (D, gap) = model.wide();
    let (mut total, mut fan) = (1u64, 1u64);
    let mut hops = 1;
    // The fan at least doubles, so the cap is near.
    while let Some(left) = t.checked_sub(u128::from(hops) * D) {
        fan = fan.saturating_mul(k);
        let gaps = u64::try_from(left / gap).unwrap_or(u64::MAX);
        let ways = binomial(gaps.saturating_add(hops), hops, cap);
        total = total.saturating_add(fan.saturating_mul(ways));
        if total >= cap {
            return cap;
        }
        hops += 1;
    }
    total
}

/// A time that no broadcast of this message to K nodes on k ports can beat, where a message carries whole segments, one
/// or several. None is needed for a node alone.
///
/// Any number of segments in one message may be cheaper than each in its own, so let x be the least that a port pays
/// for a segment: `x <= gap(b*s)/b` for every b. Then b messages of one segment each, x apart, may take the place of
/// one with b: its port is taken no longer, and each is held no later, as `D(b*s) >= D(s) + (b-1)x`. So let all be sent
/// segment by segment. The source has k ports and has to send each of c segments at least once; the one that leaves it
/// first as the last does so at `(ceil(c/k) - 1)*x` or later, for until then each port has begun no more than that
/// many. From then on that segment is a single message to K nodes:
///
/// `T >= (ceil(c/k) - 1)*x + T(K)`, with T(K) that of hop `D(s)` and gap x ([`one_message`]).
///
/// This is the bound for k items of Karp, Sahay, Santos, Schauser, "Optimal broadcast and summation in the LogP model",
/// SPAA 1993 (there for one port and a gap of 1). Beside it stand what a single segment takes with its own gap, and the
/// bound by items for words in place of segments, where a shorter last segment counts.
///
/// **By words** (LogP) `x = s*g'`: trains are as dear together as apart. **By bytes** (LogGOPS) with c the larger of G
/// and O, `gap(b*s) >= max(g', (b*s - 1)c)`. Over b that is least at `x = (s-1)c` where this is at least `g'`, else
/// nowhere below `s*g'c/(g' + c)`. Where a message of any size costs the same ([`Machine::LogP`]), x is 0.
///
/// # Errors
/// [`Error::Overflow`] where it does not fit in 64 bits.
///
/// ```
/// # use algorithms::logp::{LogP, pipeline::{bounds::least_time, Instance, Machine}};
/// let machine = Machine::Words(LogP::new(6, 2, 4)?);
/// let instance = Instance { K: 8, n: 64, k: 1, m: 16 };
/// # use algorithms::problem::Problem;
/// let chain = algorithms::logp::pipeline::problem::PipelinedBroadcast::find("segmented-chain").unwrap();
/// assert!(least_time(machine, instance)? <= chain.time(machine, instance)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn least_time(machine: Machine, instance: Instance) -> Result<u64, Error> {
    let Instance { K, n, k, m: _ } = instance;
    if K == 1 {
        return Ok(0);
    }
    let cut = instance.cut();
    let whole = if cut.last == cut.words { cut.segments } else { cut.segments - 1 };
    let single = one_message(machine.at(cut.words)?, K, k)?;
    let by_segments = Item::of(machine, cut.words)?.spread(whole, K, k)?;
    let by_words = Item::of(machine, 1)?.spread(n, K, k)?;
    Ok(single.max(by_segments).max(by_words))
}

/// What an item costs at least, sent in company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item {
    hop: u64,
    /// In thousandths of the time unit: of a nanosecond, picoseconds.
    gap: u128,
}

impl Item {
    /// Of so many words.
    fn of(machine: Machine, words: u64) -> Result<Self, Error> {
        let model = machine.at(words)?;
        Ok(match machine {
            Machine::LogP(_) => Self { hop: model.D(), gap: 0 },
            Machine::Words(_) => Self { hop: model.D(), gap: u128::from(model.gap()) * 1000 },
            Machine::LogGops(gops) => {
                let one = Hop::of(machine, 1)?;
                let further = u128::from(words - 1);
                // Rounded down, where the machine rounds up.
                let hold =
                    further.saturating_mul(u128::from(gops.G) + 2 * u128::from(gops.O) + u128::from(gops.H)) / 1000;
                let hop = u64::try_from(one.D.saturating_add(hold)).unwrap_or(u64::MAX).min(model.D());
                let (short, per_byte) = (one.gap * 1000, u128::from(gops.G.max(gops.O)));
                let long = further.saturating_mul(per_byte);
                let gap = if long >= short {
                    long
                } else {
                    // `s*c <= g' + c` here, and both factors stay below 2^75.
                    u128::from(words) * per_byte * short / (short + per_byte)
                };
                Self { hop, gap }
            }
        })
    }

    /// The bound for so many of them.
    fn spread(self, items: u64, K: u64, k: u64) -> Result<u64, Error> {
        let behind = u128::from(items.div_ceil(k) - 1).saturating_mul(self.gap) / 1000;
        let model = LogP::new(self.hop, 0, u64::try_from(self.gap / 1000).unwrap_or(u64::MAX))?;
        fit(behind.saturating_add(one_message(model, K, k)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::loggops::LogGops;

    /// The least t by which so many hold the message, counted by following every send.
    fn by_following(D: u64, gap: u64, K: u64, k: u64) -> u64 {
        // How many begin to hold it when.
        let mut held = vec![1u64];
        let mut total = 1;
        while total < K {
            let t = held.len() as u64;
            let senders = held.iter().zip(0..).filter(|(_, at)| t >= at + D && (t - at - D).is_multiple_of(gap));
            let new = senders.map(|(nodes, _)| nodes * k).sum();
            total += new;
            held.push(new);
        }
        held.len() as u64 - 1
    }

    #[test]
    fn several_ports_by_following_every_send() {
        for D in 1..9 {
            for gap in 1..9 {
                let model = LogP::new(D, 0, gap).unwrap();
                for k in 1..5 {
                    for K in [1, 2, 3, 4, 5, 9, 16, 17, 100, 1000] {
                        assert_eq!(
                            one_message(model, K, k),
                            Ok(by_following(D, gap, K, k)),
                            "D={D} g'={gap} K={K} k={k}"
                        );
                    }
                }
            }
        }
        assert_eq!(one_message(LogP::new(7, 0, 0).unwrap(), 50, 2), Ok(7));
        assert_eq!(one_message(LogP::new(6, 2, 4).unwrap(), u64::MAX, u64::MAX), Ok(10));
    }

    #[test]
    fn words_are_items() {
        let machine = Machine::Words(LogP::new(6, 2, 4).unwrap());
        let least = |K, n, k, m| least_time(machine, Instance { K, n, k, m });
        // Word by word: 24 for one word to 8 nodes, and 15 or 7 gaps before the last leaves.
        assert_eq!(least(8, 16, 1, 16), Ok(24 + 15 * 4));
        assert_eq!(least(8, 16, 2, 16), Ok(20 + 7 * 4));
        // In segments of four: a hop of 22 and a gap of 16 take 66 to 8 nodes.
        assert_eq!(least(8, 16, 1, 4), Ok(66 + 3 * 16));
        assert_eq!(least(1, 16, 2, 4), Ok(0));
        assert!(least(2, u64::MAX, 1, 4).is_err());
    }

    /// By hand: below the border the gap is shared out, beyond it each byte takes its own; the hop is rounded down.
    #[test]
    fn bytes_in_company() {
        let machine = |G, O| Machine::LogGops(LogGops { L: 1_000, o: 100, g: 500, G, O, H: 20 });
        let item = |G, O, words| Item::of(machine(G, O), words).map(|item| (item.hop, item.gap));
        // 63 bytes after the first hold it up 63 * 0.42 = 26.46; 64 * 300 * 500000 / 500300 = 19188.48.
        assert_eq!(item(300, 50, 64), Ok((1_226, 19_188)));
        assert_eq!(item(300, 50, 2_000), Ok((1_200 + 839, 1_999 * 300)));
        // Where the processor is slower than the network: 63 * (0.05 + 2 * 0.3 + 0.02) = 42.21.
        assert_eq!(item(50, 300, 64), Ok((1_242, 19_188)));
        assert_eq!(item(300, 50, 1), Ok((1_200, 299)));
        assert_eq!(item(0, 0, 64), Ok((1_201, 0)));
    }

    /// No way to send segments together is faster to a second node than the bound by bytes.
    #[test]
    fn no_company_beats_the_bound() {
        for (g, G, O) in [(7, 1500, 0), (3, 100, 400), (0, 1000, 10), (20, 300, 300), (50, 7, 3)] {
            let machine = Machine::LogGops(LogGops { L: 5, o: 1, g, G, O, H: 0 });
            for size in [1, 2, 3, 7, 40] {
                // When a port may begin to send after so many segments.
                let mut after = vec![0u128];
                for segments in 1..30 {
                    let hop = |b: usize| Hop::of(machine, size * b as u64).unwrap();
                    let least = (1..=segments).map(|b| after[segments - b] + hop(b).D).min().unwrap();
                    let c = segments as u64;
                    let bound = least_time(machine, Instance { K: 2, n: size * c, k: 1, m: c }).unwrap();
                    assert!(u128::from(bound) <= least, "{c} of {size} bytes: {bound} > {least}");
                    // Several ports share the segments, at best evenly.
                    let instance = Instance { K: 2, n: size * c * 3, k: 3, m: c * 3 };
                    assert!(u128::from(least_time(machine, instance).unwrap()) <= least);
                    after.push((1..=segments).map(|b| after[segments - b] + hop(b).gap).min().unwrap());
                }
            }
        }
    }
}
