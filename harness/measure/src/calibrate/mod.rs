//! L, o, g, G and O of a transport, measured between two ranks; over MPI also inside a node, and what its ranks share.
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
//! | time of rows from all ranks of a node to as many of another, over that of one row | how many ports to the network they share |
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
    /// The rank with which rank 0 exchanged it.
    pub partner: u32,
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

/// The bytes of the messages of pairs, and how many each sends.
const PAIRED: (u64, u32) = (1 << 20, 8);

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    /// Between rank 0 and another rank, on another node if there are several.
    pub samples: Vec<Sample>,
    /// Inside a node, where there are several nodes with several ranks.
    pub node: Option<Node>,
}

/// What was measured inside a node.
#[derive(Debug)]
pub struct Node {
    /// Between rank 0 and another rank there.
    pub samples: Vec<Sample>,
    /// A row of messages from one rank to another node.
    pub alone: Median,
    /// The last of as many rows at once, one from each rank of the node.
    pub together: Median,
}

/// How ranks stand on nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nodes {
    /// How many ranks are on each.
    pub ranks: u32,
    /// Whether a rank stands on the node behind that of the rank before it, and not beside it.
    pub is_round_robin: bool,
    /// The other ranks on the node of rank 0.
    near: Vec<u32>,
    /// The first rank of each other node.
    far: Vec<u32>,
    /// The ranks of the first two nodes.
    pairs: Vec<u32>,
}

impl Nodes {
    /// From the number of the node of each rank; none where all ranks are on one node, or each on its own.
    ///
    /// # Errors
    /// Why profiles have no levels for such ranks.
    pub fn of(placement: &[u32]) -> Result<Option<Self>, String> {
        let all = || (0u32..).zip(placement);
        let on = |node: u32| -> Vec<u32> {
            let own = all().filter(|&(_, &of)| of == node);
            own.map(|(rank, _)| rank).collect()
        };
        let nodes = placement.iter().max().map_or(0, |last| last + 1);
        let (first, second) = (on(0), on(1));
        let ranks = u32::try_from(first.len()).unwrap_or(u32::MAX);
        if nodes < 2 || u32::try_from(placement.len()) == Ok(nodes) {
            return Ok(None);
        }
        if let Some(node) = (1..nodes).find(|&node| on(node).len() != first.len()) {
            return Err(format!(
                "nodes have {ranks} and {} ranks; start as many on each",
                on(node).len()
            ));
        }
        let is_round_robin = all().all(|(rank, &node)| node == rank % nodes);
        if !is_round_robin && all().any(|(rank, &node)| node != rank / ranks) {
            return Err(
                "ranks stand on nodes neither in blocks nor in turn; start them by slot or by node"
                    .to_owned(),
            );
        }
        let far = (1..nodes).map(|node| if is_round_robin { node } else { node * ranks });
        Ok(Some(Self {
            ranks,
            is_round_robin,
            near: first[1..].to_vec(),
            far: far.collect(),
            pairs: [first, second].concat(),
        }))
    }

    /// How many sizes are measured between two ranks in a repetition.
    #[must_use]
    pub fn steps(nodes: Option<&Self>) -> u64 {
        let once = SIZES.len() as u64;
        if nodes.is_some() { 2 * once + 1 } else { once }
    }
}

/// Measures all sizes between rank 0 and another one, and on nodes with several ranks those inside one, and what they share. Calls
/// `tick` after each repetition of a size.
///
/// # Errors
/// The rank and host that failed; a request to stop.
pub fn measure<C: Channel>(
    ranks: &mut Cluster<'_, C>,
    nodes: Option<&Nodes>,
    repetitions: u32,
    seed: u64,
    tick: &dyn Fn(),
) -> Result<Measured, Error> {
    let mut number = 0;
    let Some(nodes) = nodes else {
        let others: Vec<u32> = (1..ranks.channel.size()).collect();
        let samples = sizes(ranks, &mut number, &others, repetitions, seed, tick)?;
        return Ok(Measured {
            samples,
            node: None,
        });
    };
    let mut between = |others: &[u32]| sizes(ranks, &mut number, others, repetitions, seed, tick);
    let (samples, near) = (between(&nodes.far)?, between(&nodes.near)?);
    let half = nodes.pairs.len() / 2;
    let one = [nodes.pairs[0], nodes.pairs[half]];
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for repetition in 0..=repetitions {
        for (pairs, times) in [(&one[..], &mut alone), (&nodes.pairs, &mut together)] {
            number += 1;
            let (bytes, count) = PAIRED;
            let probe = Probe {
                kind: Kind::Pairs,
                number,
                ranks: pairs.to_vec(),
                count,
                bytes,
                pause_ns: 0,
            };
            let senders = pairs.len() / 2;
            let probed = experiment(ranks, probe)?;
            let last = probed[..senders].iter().map(|probed| probed.whole_ns).max();
            // The first ones connect.
            times.extend(last.filter(|_| repetition > 0));
        }
        tick();
    }
    let shared = Median::from_times(alone).zip(Median::from_times(together));
    Ok(Measured {
        samples,
        node: shared.map(|(alone, together)| Node {
            samples: near,
            alone,
            together,
        }),
    })
}

/// Measures all sizes between rank 0 and the first of some others, in an order that the seed decides, and fans with several of them.
///
/// # Errors
/// The rank and host that failed; a request to stop.
fn sizes<C: Channel>(
    ranks: &mut Cluster<'_, C>,
    number: &mut u64,
    others: &[u32],
    repetitions: u32,
    seed: u64,
    tick: &dyn Fn(),
) -> Result<Vec<Sample>, Error> {
    let all = others.len().min(MOST_OTHERS as usize);
    // One other rank has a port of its own.
    let fans: &[Kind] = if all < 2 {
        &[]
    } else {
        &[Kind::Row, Kind::Incast]
    };
    let mut run = |kind, partners: usize, bytes, count, pause_ns| {
        *number += 1;
        let probe = Probe {
            kind,
            number: *number,
            ranks: [&[0], &others[..partners]].concat(),
            count,
            bytes,
            pause_ns,
        };
        let probed = experiment(ranks, probe)?;
        Ok((probed[0], probed[1]))
    };
    let mut all_times: Vec<(u64, Times)> = SIZES
        .iter()
        .map(|&bytes| (bytes, Times::default()))
        .collect();
    for (bytes, times) in &mut all_times {
        // The first one connects. The second one is typical: waking a rank takes longer than sending it a byte.
        run(Kind::Row, 1, *bytes, 1, 0)?;
        let (round_trip, _) = run(Kind::Row, 1, *bytes, 1, 0)?;
        run(Kind::Cross, 1, *bytes, 1, 0)?;
        fans.iter()
            .try_for_each(|&kind| run(kind, all, *bytes, 1, 0).map(drop))?;
        times.pause = 2 * round_trip.whole_ns
            + u64::try_from(Duration::from_millis(1).as_nanos()).unwrap_or(0);
    }
    let indices: Vec<usize> = (0..all_times.len()).collect();
    for round in 0..repetitions {
        // Sizes take turns in random order, so that a temporary disturbance, or the caches after a long message, affect
        // all of them.
        for index in order::shuffled(0, round, &indices, seed) {
            let (bytes, times) = &mut all_times[index];
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
            others: u32::try_from(all).unwrap_or(MOST_OTHERS),
            out,
            into,
        });
        Some(Sample {
            partner: others[0],
            bytes,
            acknowledged: acknowledged?,
            gap: gap?,
            exchange: exchange?,
            both,
            overheads,
            fan,
        })
    };
    Ok(all_times.into_iter().filter_map(sample).collect())
}

/// Executes an experiment. Returns the times of its ranks.
fn experiment<C: Channel>(ranks: &mut Cluster<'_, C>, probe: Probe) -> Result<Vec<Probed>, Error> {
    let all = probe.ranks.clone();
    let order = Order::Probe(probe);
    for &rank in &all {
        ranks.tell(rank, &order)?;
    }
    ranks.start(&all, &[0], "preparing an experiment")?;
    let doing = "the start of an experiment";
    ranks.collect(&all, doing, |answer| match answer {
        Answer::Probed(probed) => Some(probed),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::Nodes;

    #[test]
    fn ranks_of_nodes_are_those_that_exchange() {
        let of = |placement: &[u32]| Nodes::of(placement).unwrap();
        assert_eq!(of(&[0, 0, 0]), None);
        assert_eq!(of(&[0, 1, 2]), None);
        let nodes = Nodes {
            ranks: 2,
            is_round_robin: false,
            near: vec![1],
            far: vec![2, 4],
            pairs: vec![0, 1, 2, 3],
        };
        assert_eq!(of(&[0, 0, 1, 1, 2, 2]), Some(nodes));
        let nodes = Nodes {
            ranks: 3,
            is_round_robin: true,
            near: vec![2, 4],
            far: vec![1],
            pairs: vec![0, 2, 4, 1, 3, 5],
        };
        assert_eq!(of(&[0, 1, 0, 1, 0, 1]), Some(nodes));
        for (placement, why) in [
            (&[0, 0, 1][..], "nodes have 2 and 1 ranks"),
            (&[0, 1, 1, 0], "neither in blocks nor in turn"),
        ] {
            let found = Nodes::of(placement).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }
}
