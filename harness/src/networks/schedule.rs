//! Generated schedules: pieces of M, each with the trees that it takes, as files that other programs read.
//!
//! A *piece* is a range of parts of M. Its words are reduced up one tree, or spread down one, or first the one and then the other.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use algorithms::network::routes::Loads;
use algorithms::network::{Collective, Network, Route, Schedule, Tree};
use num_rational::Ratio;

use super::bound::is_vector;
use crate::base::units::joined;

/// A way from a rank to another, and the number of its route.
#[derive(Debug, Clone, Copy)]
struct Edge {
    parent: usize,
    child: usize,
    /// How far the child is from the root.
    depth: usize,
    route: usize,
}

/// See the module.
#[derive(Debug, Clone)]
struct Piece {
    root: usize,
    /// Its number of parts.
    count: u128,
    /// Parents come before their children.
    reduce: Vec<Edge>,
    spread: Vec<Edge>,
}

impl Piece {
    fn edges(&self) -> u128 {
        (self.reduce.len() + self.spread.len()) as u128
    }

    fn height(&self) -> usize {
        let of = |edges: &[Edge]| edges.iter().map(|edge| edge.depth).max().unwrap_or(0);
        of(&self.reduce) + of(&self.spread)
    }
}

/// A schedule on a network, whose trees may be some of those that reach the bound.
pub struct Generated<'a> {
    network: &'a Network,
    collective: Collective,
    routes: Vec<Route>,
    pieces: Vec<Piece>,
}

impl<'a> Generated<'a> {
    /// The pieces of a schedule.
    pub fn new(network: &'a Network, schedule: Schedule) -> Self {
        let mut pieces = Vec::new();
        for root in 0..network.ranks() {
            let of_root = |trees: &[Tree], is_reduced: bool| {
                trees
                    .iter()
                    .filter(|tree| tree.root == root)
                    .map(|tree| (tree.weight, edges(tree, &schedule.routes, is_reduced)))
                    .collect::<Vec<_>>()
            };
            let [mut reduce, mut spread] = [
                of_root(&schedule.reduce, true),
                of_root(&schedule.spread, false),
            ];
            // Where both have trees, their shares are cut at the ends of both.
            while let Some(count) = least(reduce.last(), spread.last()) {
                let take = |trees: &mut Vec<(u128, Vec<Edge>)>| {
                    let Some((left, edges)) = trees.last_mut() else {
                        return Vec::new();
                    };
                    *left -= count;
                    match left {
                        0 => trees.pop().map_or_else(Vec::new, |(_, edges)| edges),
                        _ => edges.clone(),
                    }
                };
                pieces.push(Piece {
                    root,
                    count,
                    reduce: take(&mut reduce),
                    spread: take(&mut spread),
                });
            }
        }
        let common = pieces
            .iter()
            .fold(0, |all, piece| divisor(piece.count, all))
            .max(1);
        pieces.iter_mut().for_each(|piece| piece.count /= common);
        Self {
            network,
            collective: schedule.collective,
            routes: schedule.routes,
            pieces,
        }
    }

    /// Whether each rank has a block of its own.
    fn is_in_blocks(&self) -> bool {
        !is_vector(self.collective.name())
    }

    /// Keeps the lowest trees, of these the largest: this many of M, or of each block. Trees of a block get equal shares.
    pub fn keep(&mut self, most: usize) {
        let is_in_blocks = self.is_in_blocks();
        let group = |piece: &Piece| if is_in_blocks { piece.root } else { 0 };
        self.pieces
            .sort_by_key(|piece| (group(piece), piece.height(), u128::MAX - piece.count));
        let mut kept: BTreeMap<usize, usize> = BTreeMap::new();
        self.pieces.retain(|piece| {
            let kept = kept.entry(group(piece)).or_default();
            *kept += 1;
            *kept <= most
        });
        if is_in_blocks {
            let of = |root: usize| kept[&root].min(most) as u128;
            let parts = kept
                .keys()
                .fold(1, |all, &root| all / divisor(all, of(root)) * of(root));
            for piece in &mut self.pieces {
                piece.count = parts / of(piece.root);
            }
        }
        self.pieces.sort_by_key(|piece| piece.root);
    }

    /// The number of edges of all trees.
    pub fn edges(&self) -> u128 {
        self.pieces.iter().map(Piece::edges).sum()
    }

    /// Cuts M into fewer parts, so that messages carry no more than this many: shares are rounded, and trees without a part go.
    /// Returns whether they are.
    pub fn round(&mut self, most: u128) -> bool {
        let all = self
            .pieces
            .iter()
            .map(|piece| piece.count.saturating_mul(piece.edges()))
            .fold(0, u128::saturating_add);
        let whole = self.cut();
        if all <= most {
            return false;
        }
        // Products of 32 bits and of what is left fit.
        let shift = 32_u32.saturating_sub(whole.leading_zeros());
        let most = (most * (whole >> shift) / (all >> shift)).clamp(1, 1 << 32);
        let (is_in_blocks, mut before) = (self.is_in_blocks(), (0, 0));
        for piece in &mut self.pieces {
            let of_group = if is_in_blocks { piece.root } else { 0 };
            let first = if before.0 == of_group { before.1 } else { 0 };
            let end = first + piece.count;
            before = (of_group, end);
            let rounded = |count: u128| (count >> shift) * most / (whole >> shift);
            piece.count = rounded(end) - rounded(first);
        }
        self.pieces.retain(|piece| piece.count > 0);
        true
    }

    /// The most ranks that words pass one after the other.
    pub fn height(&self) -> usize {
        self.pieces.iter().map(Piece::height).max().unwrap_or(0)
    }

    /// How many trees there are: a tree to reduce and the same words' tree to spread are one.
    pub fn trees(&self) -> usize {
        self.pieces.len()
    }

    /// Into how many parts M is cut.
    pub fn parts(&self) -> u128 {
        let all: u128 = self.pieces.iter().map(|piece| piece.count).sum();
        match self.collective {
            // M is what one rank sends.
            Collective::Alltoall => all / self.network.ranks() as u128,
            _ => all,
        }
    }

    /// Whether ranks that send to their parents add up: those of a scatter do not.
    fn combines(&self) -> bool {
        !matches!(self.collective, Collective::Scatter { .. })
    }

    /// Into how many parts a block is cut.
    fn cut(&self) -> u128 {
        let blocks = if self.is_in_blocks() {
            self.network.ranks()
        } else {
            1
        };
        self.parts() / blocks as u128
    }

    /// The time of the busiest link, in M over a capacity of 1: what each piece carries is added up along its routes. `words` are those
    /// of a block, of which each part has a whole number, the first parts one more. Without `words` all parts of a block are equal.
    pub fn time(&self, words: Option<u128>) -> Ratio<u128> {
        let (cut, all) = (self.cut().max(1), self.parts().max(1));
        let words = words.unwrap_or(cut);
        let (share, longer) = (words / cut, words % cut);
        let before = |part: u128| part / cut * words + part % cut * share + longer.min(part % cut);
        let mut first = 0;
        let messages: Vec<_> = self
            .pieces
            .iter()
            .flat_map(|piece| {
                let carried = before(first + piece.count) - before(first);
                first += piece.count;
                let edges = piece.reduce.iter().chain(&piece.spread);
                edges.map(move |edge| (&self.routes[edge.route], carried))
            })
            .collect();
        match self.collective {
            Collective::Alltoall => Loads::of_pairs(self.network).time() / all,
            _ => Loads::along(self.network, messages).time() / (all / cut * words).max(1),
        }
    }

    /// A plan of castbench: a round for each level of the trees. A message has all that goes between its ranks in its round.
    pub fn plan(&self, comment: &str) -> String {
        let height = |edges: &dyn Fn(&Piece) -> &[Edge]| {
            self.pieces
                .iter()
                .flat_map(edges)
                .map(|edge| edge.depth)
                .max()
                .unwrap_or(0)
        };
        let (up, down) = (
            height(&|piece| &piece.reduce),
            height(&|piece| &piece.spread),
        );
        let mut rounds: Vec<BTreeMap<[usize; 2], Vec<[u128; 2]>>> =
            vec![BTreeMap::new(); up + down];
        let mut first = 0;
        for piece in &self.pieces {
            let parts = [first, first + piece.count];
            first = parts[1];
            let reduce = piece
                .reduce
                .iter()
                .map(|edge| (up - edge.depth, [edge.child, edge.parent]));
            let spread = piece
                .spread
                .iter()
                .map(|edge| (up + edge.depth - 1, [edge.parent, edge.child]));
            for (round, ends) in reduce.chain(spread) {
                rounds[round].entry(ends).or_default().push(parts);
            }
        }
        let message = |combine: &'static str| {
            move |([from, to], parts): (&[usize; 2], &Vec<[u128; 2]>)| {
                let blocks: Vec<String> = parts
                    .iter()
                    .flat_map(|[first, end]| *first..*end)
                    .map(|block| block.to_string())
                    .collect();
                let blocks = blocks.join(",");
                format!("{{\"from\":{from},\"to\":{to},\"blocks\":[{blocks}]{combine}}}")
            }
        };
        let round = |(number, messages): (usize, &BTreeMap<_, _>)| {
            let combine = if number < up && self.combines() {
                ",\"combine\":true"
            } else {
                ""
            };
            let messages = joined(",\n", messages.iter().map(message(combine)));
            format!("[{messages}]")
        };
        let rounds: Vec<String> = rounds.iter().enumerate().map(round).collect();
        let root = self
            .collective
            .root()
            .map_or_else(String::new, |root| format!("\"root\": {root},\n"));
        format!(
            "{{\"comment\": {},\n{root}\"cut\": {},\n\"rounds\": [\n{}\n]}}\n",
            serde_json::Value::from(comment),
            self.cut(),
            rounds.join(",\n")
        )
    }

    /// MSCCL XML: a channel for each tree, and in it a thread block for each neighbour.
    pub fn msccl(&self, comment: &str) -> String {
        let ranks = self.network.ranks();
        let mut gpus: Vec<Vec<Block>> = vec![Vec::new(); ranks];
        let (parts, own) = (self.parts(), self.cut());
        let is_pairs = self.collective == Collective::Alltoall;
        let mut first = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let mut wire = Wiring {
                gpus: &mut gpus,
                // Messages of an alltoall wait for none.
                channel: if is_pairs { 0 } else { number },
                count: piece.count,
                place: &|rank| self.place(piece.root, (first, own), rank),
                last: vec![None; ranks],
            };
            for edge in piece.reduce.iter().rev() {
                wire.message(edge.child, edge.parent, self.combines());
            }
            for edge in &piece.spread {
                wire.message(edge.parent, edge.child, false);
            }
            if is_pairs && piece.spread.is_empty() {
                wire.copy(piece.root, ('o', piece.root as u128 * own));
            }
            first += piece.count;
        }
        let sizes = |rank: usize| match self.collective {
            Collective::Allgather => [own, parts],
            Collective::Gather { root } => [own, if rank == root { parts } else { 0 }],
            Collective::ReduceScatter => [parts, own],
            Collective::Scatter { root } => [if rank == root { parts } else { 0 }, own],
            Collective::Alltoall => [parts, parts],
            _ => [parts, 0],
        };
        let name = self.collective.name().replace('-', "");
        let (channels, in_place) = if is_pairs {
            (1, 0)
        } else {
            (self.pieces.len(), 1)
        };
        // Two hyphens end a comment.
        let comment = comment.replace("--", "-");
        let root = self
            .collective
            .root()
            .map_or_else(String::new, |root| format!(" root=\"{root}\""));
        let mut text = format!(
            "<!-- {comment}; options have two hyphens -->\n<algo name=\"generated\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{parts}\" \
             ngpus=\"{ranks}\" coll=\"{name}\"{root} inplace=\"{in_place}\" outofplace=\"{}\" minBytes=\"0\" maxBytes=\"0\">\n",
            1 - in_place
        );
        for (id, blocks) in gpus.iter().enumerate() {
            let [input, output] = sizes(id);
            let scratch = blocks
                .iter()
                .flat_map(|block| &block.steps)
                .filter(|step| step.from.0 == 's')
                .map(|step| step.from.1 + step.count)
                .max()
                .unwrap_or(0);
            // Writing to a text does not fail.
            let _ = writeln!(
                text,
                " <gpu id=\"{id}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{scratch}\">"
            );
            for (id, block) in blocks.iter().enumerate() {
                block.write(id, &mut text);
            }
            text.push_str(" </gpu>\n");
        }
        text + "</algo>\n"
    }

    /// Where a rank has the chunks from `first` on, which belong to the block of `owner`: its buffer, and the first chunk there. A
    /// block has `own` chunks.
    fn place(&self, owner: usize, (first, own): (u128, u128), rank: usize) -> (char, u128) {
        let ranks = self.network.ranks() as u128;
        let in_block = first % own;
        match self.collective {
            Collective::Allgather => ('o', first),
            Collective::Gather { root } if rank == root => ('o', first),
            Collective::Scatter { root } if rank == root => ('i', first),
            Collective::Gather { .. } if rank == owner => ('i', in_block),
            Collective::Scatter { .. } if rank == owner => ('o', in_block),
            Collective::Gather { .. } | Collective::Scatter { .. } => ('s', first),
            Collective::Alltoall if rank == owner => ('i', first % (ranks * own)),
            Collective::Alltoall => ('o', owner as u128 * own + in_block),
            _ => ('i', first),
        }
    }
}

/// The greatest common divisor.
fn divisor(one: u128, other: u128) -> u128 {
    if other == 0 {
        one
    } else {
        divisor(other, one % other)
    }
}

/// The smaller of what is left of two trees; of one if there is no other.
fn least<T>(one: Option<&(u128, T)>, other: Option<&(u128, T)>) -> Option<u128> {
    one.into_iter().chain(other).map(|(left, _)| *left).min()
}

/// The edges of a tree, parents before their children.
fn edges(tree: &Tree, routes: &[Route], is_reduced: bool) -> Vec<Edge> {
    let mut depths: BTreeMap<usize, usize> = BTreeMap::from([(tree.root, 0)]);
    let edge = |&number: &u32| {
        let route = number as usize;
        let Route { from, to, .. } = routes[route];
        let (parent, child) = if is_reduced { (to, from) } else { (from, to) };
        let depth = depths.get(&parent).copied().unwrap_or(0) + 1;
        depths.insert(child, depth);
        Edge {
            parent,
            child,
            depth,
            route,
        }
    };
    tree.routes.iter().map(edge).collect()
}

/// A step of a thread block.
#[derive(Debug, Clone)]
struct Step {
    kind: &'static str,
    /// The buffer that it reads or writes, and the first chunk there.
    from: (char, u128),
    to: (char, u128),
    count: u128,
    /// The block and the step that it waits for.
    waits: Option<(usize, usize)>,
    signals: bool,
}

/// A thread block: what a rank exchanges with a neighbour in a channel.
#[derive(Debug, Clone)]
struct Block {
    peer: usize,
    channel: usize,
    steps: Vec<Step>,
}

impl Block {
    fn write(&self, id: usize, text: &mut String) {
        let has = |kinds: &[&str]| self.steps.iter().any(|step| kinds.contains(&step.kind));
        let peer = |has: bool| {
            if has {
                self.peer.to_string()
            } else {
                "-1".to_owned()
            }
        };
        let (send, receive) = (peer(has(&["s"])), peer(has(&["r", "rrc"])));
        let channel = self.channel;
        let _ = writeln!(
            text,
            "  <tb id=\"{id}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">"
        );
        for (number, step) in self.steps.iter().enumerate() {
            let ((source, first), (target, at_target), count) = (step.from, step.to, step.count);
            let (block, at) = step
                .waits
                .map_or(("-1".to_owned(), "-1".to_owned()), |(block, at)| {
                    (block.to_string(), at.to_string())
                });
            let (kind, signals) = (step.kind, u8::from(step.signals));
            let _ = writeln!(
                text,
                "   <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{source}\" srcoff=\"{first}\" dstbuf=\"{target}\" \
                 dstoff=\"{at_target}\" cnt=\"{count}\" depid=\"{block}\" deps=\"{at}\" hasdep=\"{signals}\"/>"
            );
        }
        text.push_str("  </tb>\n");
    }
}

/// Adds the messages of a piece to the blocks of ranks.
struct Wiring<'b> {
    gpus: &'b mut Vec<Vec<Block>>,
    channel: usize,
    /// The chunks of the piece, and where a rank has them.
    count: u128,
    place: &'b dyn Fn(usize) -> (char, u128),
    /// The last step of each rank that wrote the piece.
    last: Vec<Option<(usize, usize)>>,
}

impl Wiring<'_> {
    /// A rank sends the piece to another one, which adds it to its own or keeps it.
    fn message(&mut self, from: usize, to: usize, is_combined: bool) {
        self.step(from, to, "s");
        let received = self.step(to, from, if is_combined { "rrc" } else { "r" });
        self.last[to] = Some(received);
    }

    /// A rank copies the piece to another buffer.
    fn copy(&mut self, rank: usize, to: (char, u128)) {
        let (block, step) = self.step(rank, rank, "cpy");
        self.gpus[rank][block].steps[step].to = to;
    }

    /// Adds a step to the block of a rank for a peer. It waits for the last one that wrote the piece.
    fn step(&mut self, rank: usize, peer: usize, kind: &'static str) -> (usize, usize) {
        let blocks = &mut self.gpus[rank];
        let block = blocks
            .iter()
            .rposition(|block| block.channel == self.channel && block.peer == peer)
            .unwrap_or_else(|| {
                blocks.push(Block {
                    peer,
                    channel: self.channel,
                    steps: Vec::new(),
                });
                blocks.len() - 1
            });
        // What the block itself did before is done.
        let waits = self.last[rank].filter(|(other, _)| *other != block);
        if let Some((other, step)) = waits {
            blocks[other].steps[step].signals = true;
        }
        let steps = &mut blocks[block].steps;
        let from = (self.place)(rank);
        steps.push(Step {
            kind,
            from,
            to: from,
            count: self.count,
            waits,
            signals: false,
        });
        (block, steps.len() - 1)
    }
}

/// Why castbench generates no schedule of a collective.
pub fn why_none(collective: Collective) -> &'static str {
    match collective {
        Collective::Alltoall => {
            "messages on fixed routes take longer than the bound here, or there are more than 512 ranks; which schedule takes the \
             least time is a multicommodity flow, and castbench does not solve it"
        }
        _ => "the shares of its trees do not fit in 128 bits",
    }
}
