//! What each algorithm does, as counts on its critical path.
//!
//! Rounds are those of the rank that has the most to do; trees are followed rank by rank. `vector` is the size of the call:
//! of scatter, gather, allgather, alltoall and reduce-scatter all blocks together.

use super::features::{Counts, INSIDE, Model};
use super::trees::Tree;

/// The size of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Ranks.
    pub ranks: u64,
    /// Ranks of each node.
    pub node: u64,
    /// Bytes of the whole vector.
    pub bytes: u64,
}

impl Size {
    /// The number of nodes.
    pub fn nodes(&self) -> u64 {
        self.ranks / self.node
    }
}

/// A call of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The number of ranks, at least two.
    pub ranks: u64,
    /// The ranks of a node, which follow each other.
    pub node: u64,
    /// The size of the whole vector in bytes.
    pub bytes: f64,
    /// The size of a segment in bytes, if the algorithm's name ends in one.
    pub segment: Option<f64>,
}

/// Counts of a call.
pub type Program = fn(&Model, &Call) -> Counts;

impl Call {
    /// The call at a size, of what it is for a vector of one byte.
    pub(super) fn of(self, Size { ranks, node, bytes }: Size) -> Self {
        Self {
            ranks,
            node,
            bytes: self.bytes * bytes as f64,
            ..self
        }
    }

    fn count(&self) -> f64 {
        self.ranks as f64
    }

    pub(super) fn others(&self) -> f64 {
        (self.ranks - 1) as f64
    }

    pub(super) fn block(&self) -> f64 {
        self.bytes / self.count()
    }

    /// Rounds of halving or doubling: the binary logarithm, rounded down.
    fn rounds(&self) -> f64 {
        f64::from(self.ranks.ilog2())
    }

    fn rounds_up(&self) -> u32 {
        self.ranks.next_power_of_two().ilog2()
    }

    /// The distances of halving or doubling, the nearest first.
    fn distances(&self) -> impl DoubleEndedIterator<Item = u64> {
        (0..self.ranks.ilog2()).map(|bit| 1 << bit)
    }

    /// The vector halved again and again.
    fn halves(&self) -> impl Iterator<Item = f64> {
        std::iter::successors(Some(self.bytes / 2.0), |bytes| Some(bytes / 2.0))
            .take(self.ranks.ilog2() as usize)
    }

    /// The vector halved again and again, with the distance at which each part is sent.
    fn halves_at(&self, largest: Largest) -> impl Iterator<Item = (f64, u64)> {
        let last = self.ranks.ilog2() - 1;
        self.halves().zip((0..).map(move |bit| match largest {
            Largest::Near => 1 << bit,
            Largest::Far => 1 << (last - bit),
        }))
    }

    /// Messages in temporary memory: this number of each half.
    fn halves_times(&self, number: f64) -> impl Iterator<Item = (f64, f64)> {
        self.halves().map(move |bytes| (bytes, number))
    }
}

/// Whether neighbours or the farthest ranks exchange the largest part of a vector.
#[derive(Debug, Clone, Copy)]
pub(super) enum Largest {
    /// Distances double while parts halve.
    Near,
    /// Distances halve with the parts.
    Far,
}

/// Ranks beyond a power of two give all words to a partner before, and get `back` bytes after.
pub(super) fn folded(m: &Model, call: &Call, back: f64) -> Counts {
    if call.ranks.is_power_of_two() {
        return Counts::default();
    }
    let share = m.partner(1);
    m.message(call.bytes, share) + m.combine(call.bytes, call.bytes) + m.message(back, share)
}

pub(super) fn exchanges(m: &Model, call: &Call, largest: Largest) -> Counts {
    call.halves_at(largest)
        .map(|(bytes, distance)| m.exchange(bytes, 1.0, distance))
        .sum()
}

/// Halving with a combination in each round.
fn halving(m: &Model, call: &Call, largest: Largest) -> Counts {
    call.halves_at(largest)
        .map(|(bytes, distance)| m.exchange(bytes, 1.0, distance) + m.combine(bytes, call.bytes))
        .sum()
}

/// Halving or doubling in which each block is a message, and those of a round are posted together. A block is combined while
/// the next ones arrive.
pub(super) fn by_blocks(m: &Model, call: &Call, combining: bool, largest: Largest) -> Counts {
    let (block, mut left, mut all) = (call.block(), call.others(), Counts::default());
    let mut share = call.count();
    let distance = |bit: u32| match largest {
        Largest::Near => 1 << bit,
        Largest::Far => 1 << (call.rounds_up() - 1 - bit),
    };
    for bit in 0..call.rounds_up() {
        if left <= 0.0 {
            break;
        }
        share /= 2.0;
        let messages = share.round_ties_even().min(left).max(1.0);
        left -= messages;
        let (combine, share) = (m.combine(block, call.bytes), m.partner(distance(bit)));
        all = all
            + match combining {
                false => m.posted(block, messages, share),
                true => {
                    let train = m.train(block, messages, share);
                    let overlapped = m.train(block, 1.0, share) + combine * (messages - 1.0);
                    m.latency(block, share) + m.later(train, overlapped) + combine
                }
            };
    }
    all
}

pub(super) fn allreduce_doubling(m: &Model, call: &Call) -> Counts {
    let (v, rounds) = (call.bytes, call.rounds());
    m.start()
        + m.copy(2.0 * v, v)
        + m.fresh(&[v], [(v, rounds)])
        + call
            .distances()
            .map(|distance| m.exchange(v, 1.0, distance) + m.combine(v, v))
            .sum()
        + folded(m, call, v)
}

pub(super) fn rabenseifner(m: &Model, call: &Call, buffer: f64) -> Counts {
    let v = call.bytes;
    m.start()
        + m.copy(v, v)
        + m.fresh(&[buffer], call.halves_times(1.0))
        + halving(m, call, Largest::Near)
        + exchanges(m, call, Largest::Near)
}

/// Open MPI: ranks beyond a power of two exchange halves first.
pub(super) fn allreduce_halving_openmpi(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    let more = if call.ranks.is_power_of_two() {
        Counts::default()
    } else {
        let share = m.partner(1);
        m.exchange(v / 2.0, 1.0, 1)
            + m.combine(v / 2.0, v)
            + m.message(v / 2.0, share)
            + m.message(v, share)
    };
    rabenseifner(m, call, v) + more
}

/// Bine halving whose messages are cut; without a size into blocks, or not at all beyond a power of two.
pub(super) fn allreduce_bine_segmented(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    let default = if call.ranks.is_power_of_two() {
        call.block()
    } else {
        v
    };
    let segment = call.segment.unwrap_or(default);
    let buffer = segment.min(v / 2.0);
    let round = |(half, distance): (f64, u64)| {
        let pieces = if half > segment {
            (half / segment).floor()
        } else {
            1.0
        };
        m.exchange(half / pieces, 1.0, distance) * pieces
            + m.combine(half, v)
            + m.exchange(half, 1.0, distance)
    };
    m.start()
        + m.copy(v, v)
        + m.fresh(
            &[buffer, buffer],
            call.halves()
                .map(|half| (half.min(segment), (half / segment).floor().max(1.0))),
        )
        + call.halves_at(Largest::Near).map(round).sum()
        + folded(m, call, v)
}

pub(super) fn allreduce_ring(m: &Model, call: &Call) -> Counts {
    let (v, block) = (call.bytes, call.block());
    let rounds = m.ring(block) * (2.0 * call.others()) + m.combine(block, v) * call.others();
    m.start() + m.copy(v, v) + m.fresh(&[block, block], [(block, 2.0)]) + rounds
}

/// A chunk of NCCL's pipelines: `NCCL_BUFFSIZE` of 4 MiB in 8 steps, on four channels.
const CHUNK: f64 = (1 << 17) as f64;

/// NCCL posts from buffers that it has: nothing is copied before, and no memory is new.
pub(super) fn nccl_reduced(m: &Model, call: &Call) -> Counts {
    (m.ring(call.block()) + m.combine(call.block(), call.bytes)) * call.others()
}

pub(super) fn nccl_allreduce_ring(m: &Model, call: &Call) -> Counts {
    m.start() + nccl_reduced(m, call) + m.ring(call.block()) * call.others()
}

/// A chain of all ranks, in chunks: the first one passes all of them, each further one comes a message later.
pub(super) fn nccl_chain(m: &Model, call: &Call, combines: bool) -> Counts {
    if call.ranks == 1 {
        return Counts::default();
    }
    let chunk = call.segment.unwrap_or(CHUNK).min(call.bytes);
    let step = |share| {
        let message = m.message(chunk, share);
        if combines {
            message + m.combine(chunk, call.bytes)
        } else {
            message
        }
    };
    let last = m.later(m.train(chunk, 1.0, m.alone()), step(INSIDE));
    m.along(step) * call.others() + last * (call.bytes / chunk - 1.0)
}

/// A chain in every node and two binary trees between the nodes' heads, each with half of the vector, up and down at once and in
/// chunks. A head sends its half up in both trees, and down to two others in the tree where it is no leaf: all of the vector, twice.
///
/// Sanders, Speck, Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009; NCCL's `device/all_reduce.h`.
pub(super) fn nccl_allreduce_tree(m: &Model, call: &Call) -> Counts {
    let (v, nodes) = (call.bytes, call.ranks / call.node);
    let chunk = call.segment.unwrap_or(CHUNK).min(v / 2.0);
    let depth = f64::from(nodes.next_power_of_two().ilog2());
    let chain = (call.node - 1) as f64;
    let (near, far) = (m.message(chunk, INSIDE), m.message(chunk, m.alone()));
    let combine = m.combine(chunk, v);
    let first = (near * 2.0 + combine) * chain + (far * 2.0 + combine) * depth;
    let further = v / chunk - 2.0;
    let between = match nodes {
        1 => Counts::default(),
        _ => m.train(chunk, 1.0, m.alone()) * 2.0,
    };
    let inside = match call.node {
        1 => Counts::default(),
        _ => m.train(chunk, 1.0, INSIDE) * 2.0 + combine,
    };
    m.start() + first + m.later(between, inside) * further.max(0.0)
}

/// A block of all ranks to each, which a switch combines, or a block of each to all, which it copies.
pub(super) fn switched_blocks(m: &Model, call: &Call) -> Counts {
    match call.ranks {
        1 => Counts::default(),
        _ => m.posted(call.block(), call.count(), m.all()),
    }
}

/// A vector of all ranks to all of them, which a switch combines and copies.
pub(super) fn switched(m: &Model, call: &Call) -> Counts {
    match call.ranks {
        1 => Counts::default(),
        _ => m.message(call.bytes, m.all()),
    }
}

/// A block from each rank to each other one.
pub(super) fn direct(m: &Model, call: &Call) -> Counts {
    match call.ranks {
        1 => Counts::default(),
        _ => m.posted(call.block(), call.others(), m.all()),
    }
}

/// A block from each rank to each other one, which combines them.
pub(super) fn direct_combined(m: &Model, call: &Call) -> Counts {
    direct(m, call) + m.combine(call.block(), call.bytes) * call.others()
}

/// NCCL's `CollNetChain`: a chain in every node, up and down in chunks, and a switch between the heads.
pub(super) fn nccl_switched_chain(m: &Model, call: &Call) -> Counts {
    let parts: [Part; 3] = [
        |m, call| nccl_chain(m, call, true),
        switched,
        |m, call| nccl_chain(m, call, false),
    ];
    m.start() + leaders(m, call, call.bytes, parts)
}

pub(super) fn allreduce_blocks(m: &Model, call: &Call) -> Counts {
    let (v, block) = (call.bytes, call.block());
    let memory = m.copy(v, v) + m.fresh(&[v], [(block, call.others())]);
    m.start()
        + memory
        + by_blocks(m, call, true, Largest::Near)
        + by_blocks(m, call, false, Largest::Near)
}

pub(super) fn reduce_scatter_halving(m: &Model, call: &Call, largest: Largest) -> Counts {
    let v = call.bytes;
    let memory = m.copy(v, v) + m.fresh(&[v, v], call.halves_times(2.0));
    m.start() + memory + halving(m, call, largest) + folded(m, call, call.block())
}

pub(super) fn reduce_scatter_ring(m: &Model, call: &Call) -> Counts {
    let (v, block) = (call.bytes, call.block());
    let memory = m.copy(v, v) + m.fresh(&[v, block, block], [(block, 2.0 * call.others())]);
    m.start() + memory + (m.ring(block) + m.combine(block, v)) * call.others()
}

pub(super) fn reduce_scatter_pairwise(m: &Model, call: &Call) -> Counts {
    let block = call.block();
    m.start()
        + m.copy(block, call.bytes)
        + m.fresh(&[block], [(block, call.others())])
        + m.shifts(call.ranks, |share| {
            m.message(block, share) + m.combine(block, call.bytes)
        })
}

/// MPICH: all words but those that the partner does not need.
pub(super) fn reduce_scatter_doubling(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    let memory = m.copy(2.0 * v, v) + m.fresh(&[v, v], [(v, 2.0 * call.rounds())]);
    m.start()
        + memory
        + call
            .distances()
            .map(|have| {
                let bytes = v * (1.0 - have as f64 / call.count());
                m.exchange(bytes, 1.0, have) + m.combine(bytes, v) + m.copy(2.0 * bytes, v)
            })
            .sum()
        + folded(m, call, v)
}

pub(super) fn reduce_scatter_blocks(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    let memory = m.copy(v, v) + m.fresh(&[v, v], [(call.block(), 2.0 * call.others())]);
    m.start() + memory + by_blocks(m, call, true, Largest::Near)
}

pub(super) fn own_block(m: &Model, call: &Call) -> Counts {
    m.start() + m.copy(call.block(), call.bytes)
}

/// Each round sends one block to the neighbour.
pub(super) fn allgather_ring(m: &Model, call: &Call) -> Counts {
    own_block(m, call) + m.ring(call.block()) * call.others()
}

/// Each round sends one block to a rank that is one farther.
pub(super) fn pairwise(m: &Model, call: &Call) -> Counts {
    own_block(m, call) + m.shifts(call.ranks, |share| m.message(call.block(), share))
}

/// All blocks posted together.
pub(super) fn all_blocks_posted(m: &Model, call: &Call) -> Counts {
    own_block(m, call) + posted_to_all(m, call, m.all())
}

/// A message of each rank, or of the root alone, to each other rank, posted together.
fn posted_to_all(m: &Model, call: &Call, share: f64) -> Counts {
    let (near, block) = (call.node.min(call.ranks) - 1, call.block());
    let inside = match near {
        0 => Counts::default(),
        near => m.train(block, near as f64, INSIDE),
    };
    match call.others() - near as f64 {
        0.0 => inside,
        far => inside + m.posted(block, far, share),
    }
}

pub(super) fn allgather_doubling(m: &Model, call: &Call) -> Counts {
    let all = own_block(m, call) + exchanges(m, call, Largest::Far);
    if call.ranks.is_power_of_two() {
        all
    } else {
        all + m.message(call.bytes, m.all())
    }
}

pub(super) fn allgather_neighbor(m: &Model, call: &Call) -> Counts {
    let block = call.block();
    // A neighbour is inside the node or behind its end.
    let exchange = |bytes: f64| {
        m.along(|share| m.exchange(bytes, 1.0, if share == INSIDE { 1 } else { m.node() }))
    };
    own_block(m, call) + exchange(block) + exchange(2.0 * block) * (call.count() / 2.0 - 1.0)
}

pub(super) fn allgather_bruck(m: &Model, call: &Call) -> Counts {
    let have =
        std::iter::successors(Some(1), |have| Some(2 * have)).take_while(|&have| have < call.ranks);
    m.start()
        + m.copy(2.0 * call.bytes, call.bytes)
        + have
            .map(|have| {
                let bytes = have.min(call.ranks - have) as f64 * call.block();
                m.message(bytes, m.shift(have))
            })
            .sum()
}

pub(super) fn bine(m: &Model, call: &Call) -> Counts {
    own_block(m, call) + exchanges(m, call, Largest::Near)
}

/// Bine doubling with two messages a round, where there are two blocks.
pub(super) fn allgather_bine_two(m: &Model, call: &Call) -> Counts {
    let messages = |bytes: f64| if bytes <= call.block() { 1.0 } else { 2.0 };
    own_block(m, call)
        + call
            .halves_at(Largest::Near)
            .map(|(bytes, distance)| m.exchange(bytes / messages(bytes), messages(bytes), distance))
            .sum()
}

pub(super) fn bruck(m: &Model, call: &Call, send: fn(&Model, f64, u64) -> Counts) -> Counts {
    let v = call.bytes;
    let round = |bit: u32| {
        let (whole, rest) = (
            call.ranks >> (bit + 1) << bit,
            call.ranks & ((2 << bit) - 1),
        );
        let bytes = (whole + rest.saturating_sub(1 << bit)) as f64 * call.block();
        send(m, bytes, 1 << bit) + m.copy(2.0 * bytes, v)
    };
    let memory = m.copy(2.0 * v, v) + m.fresh(&[v], [(v, 2.0 * call.rounds())]);
    m.start() + memory + (0..call.rounds_up()).map(round).sum()
}

/// The vector down a tree.
pub(super) fn down(m: &Model, call: &Call, tree: Tree) -> Counts {
    m.down(tree, call.ranks, |_| call.bytes)
}

/// Down a tree with blocking sends.
pub(super) fn broadcast_blocking(m: &Model, call: &Call) -> Counts {
    m.start() + m.down_blocking(Tree::BINOMIAL, call.ranks, |_| call.bytes)
}

/// Down four chains without segments.
pub(super) fn broadcast_chain(m: &Model, call: &Call) -> Counts {
    let further = (call.ranks - 1).div_ceil(4) - 1;
    m.start()
        + m.down(Tree::FLAT, call.ranks.min(5), |_| call.bytes)
        + m.along(|share| m.message(call.bytes, share)) * further as f64
}

/// A segment reaches the last rank after as many messages as there are others, and each further one a message later.
pub(super) fn broadcast_pipeline(m: &Model, call: &Call) -> Counts {
    let segment = call.segment.unwrap_or(call.bytes).min(call.bytes);
    m.start()
        + m.along(|share| m.message(segment, share)) * call.others()
        + m.message(segment, m.alone()) * ((call.bytes / segment).ceil() - 1.0)
}

pub(super) fn broadcast_split_binary(m: &Model, call: &Call) -> Counts {
    let half = call.bytes / 2.0;
    m.start() + m.down(Tree::BINARY, call.ranks, |_| half) + m.exchange(half, 1.0, call.ranks)
}

pub(super) fn scattered(m: &Model, call: &Call) -> Counts {
    m.down_blocking(Tree::BINOMIAL, call.ranks, |below| below * call.block())
}

pub(super) fn reduce_linear(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    m.start() + m.fresh(&[v], [(v, 1.0)]) + m.up(Tree::FLAT, call.ranks, &|_| v, Some(v))
}

/// Open MPI's inner ranks have an accumulator and two buffers to receive, others one of each.
pub(super) fn reduce(m: &Model, call: &Call, tree: Tree, buffers: usize) -> Counts {
    let v = call.bytes;
    let memory = m.copy(v, v) + m.fresh(&[v; 3][..buffers], [(v, 2.0 * call.rounds())]);
    m.start() + memory + m.up(tree, call.ranks, &|_| v, Some(v))
}

pub(super) fn reduce_rabenseifner(m: &Model, call: &Call) -> Counts {
    let v = call.bytes;
    let memory = m.copy(v, v) + m.fresh(&[v, v], call.halves_times(3.0));
    let gathered = call.halves_at(Largest::Near);
    let gathered =
        gathered.map(|(bytes, distance)| m.message(bytes, m.partner(distance).min(m.alone())));
    m.start() + memory + halving(m, call, Largest::Near) + gathered.sum() + folded(m, call, 0.0)
}

/// A tree of blocks has room for half of the vector at the rank below the root.
/// One message, from its send to its arrival.
pub(super) fn hop(m: &Model, call: &Call) -> Counts {
    m.message(call.bytes, m.alone())
}

/// The messages of a window of `osu_bw`.
const WINDOW: f64 = 64.0;

/// One of the messages that are posted together to one rank.
pub(super) fn stream(m: &Model, call: &Call) -> Counts {
    m.train(call.bytes, WINDOW, m.alone()) * (1.0 / WINDOW)
}

pub(super) fn half(m: &Model, call: &Call) -> Counts {
    let half = call.bytes / 2.0;
    own_block(m, call) + m.fresh(&[half], [(half, 2.0)])
}

pub(super) fn gather_binomial(m: &Model, call: &Call) -> Counts {
    half(m, call)
        + m.up(
            Tree::BINOMIAL,
            call.ranks,
            &|below| below * call.block(),
            None,
        )
}

/// Receives one after another: a long block is sent after the one before it has arrived.
pub(super) fn gather_linear(m: &Model, call: &Call) -> Counts {
    let (block, others) = (call.block(), call.others());
    if m.is_rendezvous(block) {
        m.start() + m.each(call.ranks, |share| m.message(block, share))
    } else {
        m.start()
            + m.post(1.0, m.alone())
            + m.latency(block, m.alone())
            + m.later(
                m.take(others),
                m.each(call.ranks, |share| m.wire(block, share)),
            )
    }
}

/// The root asks each rank for its block.
pub(super) fn gather_synchronized(m: &Model, call: &Call) -> Counts {
    m.start()
        + m.each(call.ranks, |share| {
            m.message(1.0, share) + m.message(call.block(), share)
        })
}

/// Blocking sends: a long block is sent after the one before it has arrived.
pub(super) fn scatter_linear(m: &Model, call: &Call) -> Counts {
    if m.is_rendezvous(call.block()) {
        m.start() + m.each(call.ranks, |share| m.message(call.block(), share))
    } else {
        scatter_posted(m, call)
    }
}

pub(super) fn scatter_posted(m: &Model, call: &Call) -> Counts {
    m.start() + posted_to_all(m, call, m.alone())
}

/// A part of an algorithm for levels.
pub(super) type Part = fn(&Model, &Call) -> Counts;

impl Call {
    /// Of one node: all of the vector there, or the blocks of its ranks.
    fn of_node(&self, bytes: f64) -> Self {
        Self {
            ranks: self.node,
            bytes,
            ..*self
        }
    }

    /// Of one rank of each node.
    fn between(&self, bytes: f64) -> Self {
        Self {
            ranks: self.ranks / self.node,
            node: 1,
            bytes,
            ..*self
        }
    }

    fn of_nodes(&self) -> f64 {
        self.bytes / self.node as f64
    }
}

/// A part in every node, one between the leaders, and one in every node again; `first` is what the first has of the vector.
pub(super) fn leaders(m: &Model, call: &Call, first: f64, parts: [Part; 3]) -> Counts {
    let [before, between, after] = parts;
    before(&m.inside(), &call.of_node(first))
        + between(&m.leaders(), &call.between(call.bytes))
        + after(&m.inside(), &call.of_node(call.bytes))
}

/// A part in every node, one in every lane on its share of the vector, and one in every node again.
pub(super) fn lanes(m: &Model, call: &Call, parts: [Part; 3]) -> Counts {
    let [before, between, after] = parts;
    before(&m.inside(), &call.of_node(call.bytes))
        + between(&m.lanes(), &call.between(call.of_nodes()))
        + after(&m.inside(), &call.of_node(call.bytes))
}

/// No part.
pub(super) fn nothing(_: &Model, _: &Call) -> Counts {
    Counts::default()
}

pub(super) fn reduce_near(m: &Model, call: &Call) -> Counts {
    reduce(m, call, Tree::BINOMIAL, 2)
}

pub(super) fn broadcast_near(m: &Model, call: &Call) -> Counts {
    down(m, call, Tree::BINOMIAL)
}
