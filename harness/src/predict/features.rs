//! What a message costs on a fitted machine, as counts of its parameters.
//!
//! The time of a call is linear in the parameters once its critical path is known: `time = counts . parameters`.
//! [`Model`] decides the path at present values and returns the counts.

use std::iter::Sum;
use std::ops::{Add, Mul};

/// A parameter of a fitted machine.
#[derive(Debug)]
pub struct Parameter {
    /// Its name in profiles.
    pub symbol: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its median before any measurement.
    pub median: f64,
    /// Standard deviation of its logarithm, beside that of its group.
    pub deviation: f64,
    /// Its index in [`GROUPS`]; none if it has no group.
    pub group: Option<usize>,
    /// What it costs, in a profile and in the documentation.
    pub holds: &'static str,
}

/// Standard deviations that the logarithms of a group have in common: of times, of bytes on the network, of memory.
/// A machine that is slower as a whole is then as likely as any.
pub const GROUPS: [f64; 3] = [1.5, 1.5, 0.5];

/// The number of parameters of a machine with one rank per node, the first ones.
pub const FLAT: usize = 14;
/// The number of parameters.
pub const COUNT: usize = 20;

const fn parameter(
    symbol: &'static str,
    unit: &'static str,
    (median, deviation): (f64, f64),
    group: Option<usize>,
    holds: &'static str,
) -> Parameter {
    Parameter {
        symbol,
        unit,
        median,
        deviation,
        group,
        holds,
    }
}

/// The parameters, in the order of [`Counts`].
#[rustfmt::skip]
pub const PARAMETERS: [Parameter; COUNT] = [
    parameter("t0", "ns", (1000.0, 1.0), Some(0), "each call"),
    parameter("L", "ns", (1500.0, 0.5), Some(0), "each message on the path"),
    parameter("Lr", "ns", (1000.0, 1.0), Some(0), "each message above the eager limit, more"),
    parameter("o", "ns", (250.0, 0.7), Some(0), "each send posted"),
    parameter("oi", "ns", (100.0, 1.0), Some(0), "each message that an inner rank of a tree takes in"),
    parameter("G", "ns/B", (0.05, 0.3), Some(1), "each byte at the port"),
    parameter("H", "ns/B", (0.5, 1.0), None, "each byte up to the eager limit, as latency"),
    parameter("x", "ns/B", (0.02, 1.0), Some(1), "each byte exchanged with one partner above the eager limit, more"),
    parameter("c_in", "ns/B", (0.06, 0.8), Some(2), "each combined byte"),
    parameter("c_out", "ns/B", (0.06, 1.0), Some(2), "each combined byte of a vector above 16 MiB, more"),
    parameter("m_in", "ns/B", (0.04, 0.8), Some(2), "each copied byte"),
    parameter("m_out", "ns/B", (0.06, 1.0), Some(2), "each copied byte of a vector above 16 MiB, more"),
    parameter("f_byte", "ns/B", (0.01, 2.0), None, "each byte of temporary memory that is new in each call"),
    parameter("f_msg", "ns", (500.0, 2.5), None, "each message above the eager limit in such memory"),
    parameter("Li", "ns", (500.0, 0.7), Some(0), "each message inside a node"),
    parameter("Gi", "ns/B", (0.1, 0.7), Some(2), "each byte of a message inside a node"),
    parameter("Mi", "ns/B", (0.005, 1.0), Some(2), "each byte that every other rank of the node moves in memory meanwhile"),
    parameter("Gn", "ns/B", (0.04, 0.7), Some(1), "each byte that another rank of the node sends to other nodes meanwhile"),
    parameter("on", "ns", (30.0, 1.0), Some(0), "each message that another rank of the node sends to other nodes meanwhile"),
    parameter("fi", "ns/B", (0.005, 2.0), None, "each byte of new temporary memory of another rank of the node"),
];

const T0: usize = 0;
const L: usize = 1;
const LR: usize = 2;
const O: usize = 3;
const OI: usize = 4;
/// The index of G.
pub const G: usize = 5;
const H: usize = 6;
const X: usize = 7;
const C: [usize; 2] = [8, 9];
const M: [usize; 2] = [10, 11];
const F_BYTE: usize = 12;
const F_MSG: usize = 13;
const LI: usize = 14;
const GI: usize = 15;
const MI: usize = 16;
const GN: usize = 17;
const ON: usize = 18;
const FI: usize = 19;

/// How much parameters differ from call to call: of messages between nodes, of what a rank does itself, and of what ranks of a node share.
const VARY_WIRE: f64 = 0.15;
const VARY_OWN: f64 = 0.25;
const VARY_INSIDE: f64 = 1.0;

/// A vector of more bytes is combined and copied beyond the cache.
const CACHE: f64 = (1 << 24) as f64;
/// glibc takes blocks above the first size from the system (`M_MMAP_THRESHOLD`), and raises the limit to just below the second one, because a
/// block has a header.
const MAPPED: [f64; 2] = [(1 << 17) as f64, (1 << 25) as f64];

/// How often a critical path pays each parameter.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts(pub [f64; COUNT]);

impl Counts {
    fn one(index: usize, count: f64) -> Self {
        let mut counts = Self([0.0; COUNT]);
        counts.0[index] = count;
        counts
    }

    /// The time at these values of the parameters.
    pub fn time(&self, values: &[f64; COUNT]) -> f64 {
        // No iterators here and below: most of the time of tests, which are not optimised, would go there.
        let (mut time, mut index) = (0.0, 0);
        while index < COUNT {
            time += self.0[index] * values[index];
            index += 1;
        }
        time
    }
}

impl Counts {
    /// How much a time of these shares differs from call to call, as the standard deviation of its logarithm: what is known of the parameters
    /// that take it.
    pub fn varies(shares: &[f64; COUNT]) -> f64 {
        let of = |(index, share): (usize, &f64)| {
            share
                * match index {
                    FLAT.. => VARY_INSIDE,
                    O | OI | 8..FLAT => VARY_OWN,
                    _ => VARY_WIRE,
                }
        };
        shares.iter().enumerate().map(of).sum()
    }

    /// What share of the time each parameter has: the slope of its logarithm.
    pub fn shares(&self, values: &[f64; COUNT]) -> [f64; COUNT] {
        let time = self.time(values);
        std::array::from_fn(|index| self.0[index] * values[index] / time)
    }
}

impl Add for Counts {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        let mut index = 0;
        while index < COUNT {
            self.0[index] += other.0[index];
            index += 1;
        }
        self
    }
}

impl Mul<f64> for Counts {
    type Output = Self;

    fn mul(mut self, times: f64) -> Self {
        let mut index = 0;
        while index < COUNT {
            self.0[index] *= times;
            index += 1;
        }
        self
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// The parameters at present, in their order, the eager limit in bytes, and the ranks of a node, which are neighbours.
///
/// A message has a **share**: the number of ranks of a node that send to other nodes at the same time; 0 for one inside a node.
#[derive(Debug)]
pub struct Model {
    values: [f64; COUNT],
    eager: f64,
    node: u64,
    /// The share of a message that leaves its node with no other one of its algorithm; [`INSIDE`] where all ranks are on one node.
    alone: f64,
    /// The other ranks of a node that move as many bytes in memory.
    beside: f64,
}

/// The share of a message that leaves its node alone.
const ALONE: f64 = 1.0;
/// The share of a message inside a node.
pub const INSIDE: f64 = 0.0;

impl Model {
    /// A model with these values, for a call on `ranks`, `node` of them on each node.
    pub fn new(values: [f64; COUNT], eager: f64, node: u64, ranks: u64) -> Self {
        Self {
            values,
            eager,
            node,
            alone: if ranks > node { ALONE } else { INSIDE },
            beside: (node - 1) as f64,
        }
    }

    /// The same machine for what each node does for itself.
    pub fn inside(&self) -> Self {
        Self {
            alone: INSIDE,
            ..*self
        }
    }

    /// The same machine for what one rank of each node does.
    pub fn leaders(&self) -> Self {
        Self {
            node: 1,
            beside: 0.0,
            ..*self
        }
    }

    /// The same machine for what every rank of a node does with those of other nodes that have its index.
    pub fn lanes(&self) -> Self {
        Self {
            node: 1,
            alone: self.all(),
            ..*self
        }
    }

    /// The share of a message between nodes; inside, where there is one node.
    pub fn alone(&self) -> f64 {
        self.alone
    }

    /// The ranks of a node.
    pub fn node(&self) -> u64 {
        self.node
    }

    /// The share where all ranks of a node send to others.
    pub fn all(&self) -> f64 {
        self.shift(self.node)
    }

    /// Whether two ranks are on one node.
    pub fn is_inside(&self, one: u64, other: u64) -> bool {
        one / self.node == other / self.node
    }

    /// The share where each rank sends to the one at this distance.
    pub fn shift(&self, distance: u64) -> f64 {
        distance.min(self.node) as f64 * self.alone
    }

    /// The share where ranks at this distance exchange.
    pub fn partner(&self, distance: u64) -> f64 {
        if self.node.is_multiple_of(2 * distance) {
            INSIDE
        } else {
            self.shift(distance)
        }
    }

    /// A step of which one in `node` leaves the node: a chain of messages from rank to rank.
    pub fn along(&self, step: impl Fn(f64) -> Counts) -> Counts {
        let out = if self.alone == INSIDE {
            0.0
        } else {
            1.0 / self.node as f64
        };
        step(self.alone) * out + step(INSIDE) * (1.0 - out)
    }

    /// A step of each rank that sends one message to its neighbour: the messages of one node wait for each other only at its port.
    pub fn ring(&self, bytes: f64) -> Counts {
        self.later(
            self.along(|share| self.message(bytes, share)),
            self.train(bytes, 1.0, self.alone),
        )
    }

    /// A message of a rank to, or from, each of the others, one after another.
    pub fn each(&self, ranks: u64, step: impl Fn(f64) -> Counts) -> Counts {
        step(self.alone) * ranks.saturating_sub(self.node) as f64
            + step(INSIDE) * (self.node.min(ranks) - 1) as f64
    }

    /// A round for each distance, in which each rank sends to the one there.
    pub fn shifts(&self, ranks: u64, step: impl Fn(f64) -> Counts) -> Counts {
        (1..self.node.min(ranks))
            .map(|distance| step(self.shift(distance)))
            .sum::<Counts>()
            + step(self.all()) * ranks.saturating_sub(self.node) as f64
    }

    /// Whether a message of this size, in bytes, waits for its receiver.
    pub fn is_rendezvous(&self, bytes: f64) -> bool {
        bytes > self.eager
    }

    /// The slower of two paths.
    pub fn later(&self, one: Counts, other: Counts) -> Counts {
        if other.time(&self.values) > one.time(&self.values) {
            other
        } else {
            one
        }
    }

    /// A call.
    pub fn start(&self) -> Counts {
        Counts::one(T0, 1.0)
    }

    /// From the end of a message at the sender's port until its receiver has it.
    pub fn latency(&self, bytes: f64, share: f64) -> Counts {
        if share == INSIDE {
            return Counts::default();
        }
        let mut counts = Counts::one(L, 1.0);
        counts.0[LR] = f64::from(u8::from(self.is_rendezvous(bytes)));
        counts.0[H] = bytes.min(self.eager);
        counts
    }

    /// Posting sends; inside a node that is all but their bytes.
    pub fn post(&self, sends: f64, share: f64) -> Counts {
        Counts::one(if share == INSIDE { LI } else { O }, sends)
    }

    /// Bytes at the port, or in the memory of a node.
    pub fn wire(&self, bytes: f64, share: f64) -> Counts {
        if share == INSIDE {
            return Counts::one(GI, bytes) + self.moved(bytes);
        }
        Counts::one(G, bytes) + Counts::one(GN, bytes * (share - 1.0))
    }

    /// Bytes that each rank of a node moves in memory: what the others take.
    fn moved(&self, bytes: f64) -> Counts {
        Counts::one(MI, bytes * self.beside)
    }

    /// Messages that an inner rank of a tree takes in.
    pub fn take(&self, messages: f64) -> Counts {
        Counts::one(OI, messages)
    }

    /// Messages posted together, until the last one has left the port.
    pub fn train(&self, bytes: f64, messages: f64, share: f64) -> Counts {
        let others = Counts::one(ON, messages * (share - 1.0).max(0.0));
        if messages == 1.0 {
            return self.post(1.0, share) + self.wire(bytes, share) + others;
        }
        self.later(
            self.post(messages, share) + self.wire(bytes, share),
            self.post(1.0, share) + self.wire(messages * bytes, share),
        ) + others
    }

    /// A round in which each rank posts this number of messages together, to different partners.
    pub fn posted(&self, bytes: f64, messages: f64, share: f64) -> Counts {
        self.train(bytes, messages, share) + self.latency(bytes, share)
    }

    /// A round in which each rank sends one message, and gets one from another rank.
    pub fn message(&self, bytes: f64, share: f64) -> Counts {
        self.posted(bytes, 1.0, share)
    }

    /// A round in which two ranks at a distance send this number of messages to each other.
    pub fn exchange(&self, bytes: f64, messages: f64, distance: u64) -> Counts {
        let share = self.partner(distance);
        let more = if share != INSIDE && self.is_rendezvous(bytes) {
            messages * bytes
        } else {
            0.0
        };
        self.posted(bytes, messages, share) + Counts::one(X, more)
    }

    fn memory(&self, [inside, beyond]: [usize; 2], bytes: f64, vector: f64) -> Counts {
        Counts::one(inside, bytes)
            + Counts::one(beyond, if vector > CACHE { bytes } else { 0.0 })
            + self.moved(bytes)
    }

    /// The time to combine bytes, in a call on a vector of `vector` bytes.
    pub fn combine(&self, bytes: f64, vector: f64) -> Counts {
        self.memory(C, bytes, vector)
    }

    /// The time to copy bytes, in a call on a vector of `vector` bytes.
    pub fn copy(&self, bytes: f64, vector: f64) -> Counts {
        self.memory(M, bytes, vector)
    }

    /// Temporary buffers of these sizes, and the messages in them on the path of one rank: size and number.
    ///
    /// glibc gives temporaries back to the system when together they are twice the largest, or one has 32 MiB.
    /// Their pages are then new in each call, and the network registers them again for each rendezvous.
    pub fn fresh(&self, buffers: &[f64], messages: impl IntoIterator<Item = (f64, f64)>) -> Counts {
        let mapped = || buffers.iter().copied().filter(|&bytes| bytes > MAPPED[0]);
        let (sum, largest) = (mapped().sum::<f64>(), mapped().fold(0.0, f64::max));
        if largest == 0.0 || (sum < 2.0 * largest && largest < MAPPED[1]) {
            return Counts::default();
        }
        let registered = messages
            .into_iter()
            .filter(|&(bytes, _)| self.is_rendezvous(bytes));
        Counts::one(F_BYTE, sum)
            + Counts::one(FI, sum * self.beside)
            + Counts::one(F_MSG, registered.map(|(_, number)| number).sum())
    }
}
