//! L, o, g, G and O of a transport, measured between two ranks.
//!
//! **Sources.** Hoefler, Lichei, Rehm, "Low-overhead LogGP parameter assessment for modern interconnection networks",
//! IPDPS workshops 2007: the parametrised round trip PRTT(n, d, s), n messages of s bytes with a pause d between them,
//! answered once, at the end. Kielmann, Bal, Verstoep, "Fast measurement of LogP parameters for message passing
//! platforms", IPPS workshops 2000: the overheads `os(m)` and `or(m)`, timed around the call that sends, and around the
//! call that receives a message that has already arrived.
//!
//! | median of the repetitions | meaning |
//! |---|---|
//! | `A(s) = PRTT(1, 0, s)` | an acknowledged send: a message of s bytes, and one byte back |
//! | `(PRTT(n, 0, s) - A(s)) / (n - 1)` | the gap between messages that are sent in a row without waiting |
//! | time in the call that sends, the pause d longer than any round trip | `os(s)` |
//! | time in the call that receives, begun d after the last | `or(s)` |
//!
//! | time of an exchange, in which both send a message of s bytes at once | what x adds to that of an acknowledged send |
//! | time per message of two rows at once, one in each direction | whether the overheads of sends and receives add |
//! | time of a fan-out: rank 0 sends to d ranks at once, and has d answers | whether its messages share a port |
//! | time of an incast: rank 0 asks d ranks with a byte each, and has their d messages | the same of arriving messages |
//!
//! **Departures.** The answer is one byte and not s, because the sends of `castbench measure` wait for one byte. `os`
//! is timed as in Kielmann and not from PRTT(n, d, s): a pause of the system lasts longer than asked, by as much as a
//! send takes. Neither time includes the pause.

pub mod fit;

use std::time::Duration;

use super::cluster::{Channel, Cluster};
use super::error::Error;
use super::order;
use super::statistics::Median;
use super::wire::{Answer, Kind, Order, Probe, Probed};

/// Messages with pauses for overheads, and the fewest messages in a row for the gap.
const ROW: u32 = 10;
/// Least bytes of a row of short messages, each counted as at least [`FRAME`]. A switch passes the first 32 KiB or so
/// at once, which would hide the cost of a packet.
const ROW_BYTES: u64 = 64 << 10;
/// Approximate size of the headers of a packet.
const FRAME: u64 = 64;
/// The fewest short messages in a row.
const SHORT: u64 = 200;
/// Most bytes of a row of short messages.
const MAX_ROW_BYTES: u64 = 1 << 20;
/// Longest message for overheads: a call that sends more than the socket's buffer waits for the wire.
pub const MAX_OVERHEAD_BYTES: u64 = 16 << 10;

/// Longest message for rows in both directions at once: [`AHEAD`] of them fit in any buffer.
const MAX_BOTH_BYTES: u64 = 64;
/// How many messages a rank sends before it receives the first one, where rows go in both directions.
pub const AHEAD: u32 = 128;

/// The measured sizes: 1 B to 4 MiB.
pub const SIZES: [u64; 14] = [
    1,
    4,
    16,
    64,
    256,
    1 << 10,
    2 << 10,
    4 << 10,
    8 << 10,
    16 << 10,
    64 << 10,
    256 << 10,
    1 << 20,
    4 << 20,
];

/// Most ranks to which rank 0 sends at once.
pub const MOST_OTHERS: u32 = 4;
/// The sizes of fan-outs and incasts: one packet, a buffer, and where only bytes count.
pub const FAN_SIZES: [u64; 3] = [1 << 10, 64 << 10, 1 << 20];

/// The results for one size: medians, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Length of the message.
    pub bytes: u64,
    /// An acknowledged send.
    pub acknowledged: Median,
    /// The gap between messages in a row.
    pub gap: Median,
    /// Both ranks send a message at once, and acknowledge it; one byte starts the second rank.
    pub exchange: Median,
    /// Time per message of a row while as many messages arrive, for short messages.
    pub both: Option<Median>,
    /// Overhead of a send and of a receive, for messages that fit in a buffer.
    pub overheads: Option<(Median, Median)>,
    /// For the [`FAN_SIZES`] of three or more ranks.
    pub fan: Option<Fan>,
}

/// Messages between rank 0 and several others at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fan {
    /// How many others.
    pub others: u32,
    /// From rank 0, until it has all acknowledgments.
    pub out: Median,
    /// To rank 0, from its first request until it has all messages.
    pub into: Median,
}

#[derive(Default)]
struct Times {
    acknowledged: Vec<u64>,
    gap: Vec<u64>,
    exchange: Vec<u64>,
    both: Vec<u64>,
    sending: Vec<u64>,
    receiving: Vec<u64>,
    out: Vec<u64>,
    into: Vec<u64>,
    /// Longer than a round trip.
    pause: u64,
}

/// The number of messages of this size in a row that shows the gap.
fn row(bytes: u64) -> u32 {
    let messages = (ROW_BYTES / bytes.max(FRAME))
        .max(SHORT)
        .min(MAX_ROW_BYTES / bytes);
    u32::try_from(messages).unwrap_or(u32::MAX).max(ROW)
}

/// Measures all sizes between the first two ranks, in an order that the seed decides. Calls `tick` after each
/// repetition of a size.
///
/// # Errors
/// The rank and host that failed; a request to stop.
pub fn measure<C: Channel>(
    ranks: &mut Cluster<'_, C>,
    repetitions: u32,
    seed: u64,
    tick: &dyn Fn(),
) -> Result<Vec<Sample>, Error> {
    let all = ranks.channel.size().saturating_sub(1).min(MOST_OTHERS);
    // One other rank has a port of its own.
    let fans: &[Kind] = if all < 2 {
        &[]
    } else {
        &[Kind::Row, Kind::Incast]
    };
    let mut number = 0;
    let mut run = |kind, others, bytes, count, pause_ns| {
        number += 1;
        let probe = Probe {
            kind,
            number,
            others,
            count,
            bytes,
            pause_ns,
        };
        experiment(ranks, probe)
    };
    let mut sizes: Vec<(u64, Times)> = SIZES
        .iter()
        .map(|&bytes| (bytes, Times::default()))
        .collect();
    for (bytes, times) in &mut sizes {
        // The first one connects. The second one is typical: waking a rank takes longer than sending it a byte.
        run(Kind::Row, 1, *bytes, 1, 0)?;
        let (round_trip, _) = run(Kind::Row, 1, *bytes, 1, 0)?;
        run(Kind::Cross, 1, *bytes, 1, 0)?;
        fans.iter()
            .try_for_each(|&kind| run(kind, all, *bytes, 1, 0).map(drop))?;
        times.pause = 2 * round_trip.whole_ns
            + u64::try_from(Duration::from_millis(1).as_nanos()).unwrap_or(0);
    }
    let indices: Vec<usize> = (0..sizes.len()).collect();
    for round in 0..repetitions {
        // Sizes take turns in random order, so that a temporary disturbance, or the caches after a long message, affect
        // all of them.
        for index in order::shuffled(0, round, &indices, seed) {
            let (bytes, times) = &mut sizes[index];
            let (one, _) = run(Kind::Row, 1, *bytes, 1, 0)?;
            let count = row(*bytes);
            let (row, _) = run(Kind::Row, 1, *bytes, count, 0)?;
            times.acknowledged.push(one.whole_ns);
            times
                .gap
                .push(row.whole_ns.saturating_sub(one.whole_ns) / u64::from(count - 1));
            times
                .exchange
                .push(run(Kind::Cross, 1, *bytes, 1, 0)?.0.whole_ns);
            if *bytes <= MAX_BOTH_BYTES {
                let (both, _) = run(Kind::Cross, 1, *bytes, count, 0)?;
                times
                    .both
                    .push(both.whole_ns.saturating_sub(one.whole_ns) / u64::from(count - 1));
            }
            if FAN_SIZES.contains(bytes) {
                for (&kind, taken) in fans.iter().zip([&mut times.out, &mut times.into]) {
                    taken.push(run(kind, all, *bytes, 1, 0)?.0.whole_ns);
                }
            }
            if *bytes <= MAX_OVERHEAD_BYTES {
                let (sent, received) = run(Kind::Row, 1, *bytes, ROW, times.pause)?;
                times.sending.push(sent.calls_ns / u64::from(ROW));
                times.receiving.push(received.whole_ns / u64::from(ROW));
            }
            tick();
        }
    }
    let sample = |(bytes, times): (u64, Times)| {
        let overheads = Median::from_times(times.sending).zip(Median::from_times(times.receiving));
        let [acknowledged, gap, exchange] =
            [times.acknowledged, times.gap, times.exchange].map(Median::from_times);
        let both = Median::from_times(times.both);
        let fan = Median::from_times(times.out).zip(Median::from_times(times.into));
        let fan = fan.map(|(out, into)| Fan {
            others: all,
            out,
            into,
        });
        Some(Sample {
            bytes,
            acknowledged: acknowledged?,
            gap: gap?,
            exchange: exchange?,
            both,
            overheads,
            fan,
        })
    };
    Ok(sizes.into_iter().filter_map(sample).collect())
}

/// Executes an experiment. Returns the times of ranks 0 and 1.
fn experiment<C: Channel>(
    ranks: &mut Cluster<'_, C>,
    probe: Probe,
) -> Result<(Probed, Probed), Error> {
    let all: Vec<u32> = (0..=probe.others).collect();
    for &rank in &all {
        ranks.tell(rank, &Order::Probe(probe))?;
    }
    ranks.start(&all, &[0], "preparing an experiment")?;
    let doing = "the start of an experiment";
    let probed = ranks.collect(&all, doing, |answer| match answer {
        Answer::Probed(probed) => Some(probed),
        _ => None,
    })?;
    Ok((probed[0], probed[1]))
}
