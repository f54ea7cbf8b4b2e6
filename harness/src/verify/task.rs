//! What must come out of a schedule: which contributions each chunk of the result has, as its collective states it.

pub use algorithms::internals::collectives::Collective;
use algorithms::internals::collectives::{Goal, Task as Stated};
use algorithms::internals::engine::Machine;
use algorithms::logp::LogP;

use super::memory::{Memory, Span, in_file, number};

/// The blocks of a collective that the input or the output of a rank has, each with the first chunk of memory that holds it.
#[derive(Debug, Clone)]
pub struct Side {
    /// The chunk of memory that messages call chunk 0.
    first: u32,
    /// In ascending order.
    blocks: Vec<(u32, u32)>,
}

/// A collective on the buffers of a schedule. Its words, of all ranks in one numbering, are chunks.
#[derive(Debug, Clone)]
pub struct Task {
    /// What has to be done.
    pub collective: &'static Collective,
    /// The point of the collective: n is the number of chunks of a block.
    stated: Stated,
    /// How many chunks there are in all; [`u32::MAX`] for too many, which no memory has.
    pub words: u32,
    /// Into how many parts a chunk of the file is cut.
    pub parts: u32,
    /// How many chunks of the input and of the output a rank has at most.
    pub chunks: [u32; 2],
    /// The inputs, with their ranks; a rank can have several copies.
    inputs: Vec<(u32, Side)>,
    /// The output of each rank.
    outputs: Vec<Side>,
    /// Whether buffers have only [some](Self::add_some) chunks of all.
    is_partial: bool,
}

/// What a chunk of a result has: the word of `count` ranks from the first one on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// The first rank.
    pub first: u32,
    /// How many ranks.
    pub count: u32,
    /// The number of the chunk among all.
    pub word: u32,
}

/// The task of ranks that contribute this number of chunks to each block.
///
/// Only the ranks, the root and the chunks matter to a collective.
pub fn stated(ranks: u32, root: u32, share: u64) -> Option<Stated> {
    let machine = Machine::Words(LogP::new(1, 1, 1).ok()?);
    Some(Stated {
        root: root.into(),
        ..Stated::new(machine, ranks.into(), share, 0)
    })
}

impl Task {
    /// The task of ranks whose larger buffer has this number of chunks; without buffers yet. `None` where that is not a number of
    /// whole blocks.
    pub fn new(
        collective: &'static Collective,
        root: u32,
        ranks: u32,
        larger: u32,
    ) -> Option<Self> {
        let task = stated(ranks, root, 1)?;
        let one = Self::of_blocks(collective, task);
        if one.words == u32::MAX {
            return Some(one);
        }
        let blocks = one.chunks[0].max(one.chunks[1]).max(1);
        let share = u64::from(larger / blocks);
        larger
            .is_multiple_of(blocks)
            .then(|| Self::of_blocks(collective, Stated { n: share, ..task }))
    }

    /// The task of ranks whose blocks have n chunks; without buffers yet.
    pub fn of_blocks(collective: &'static Collective, stated: Stated) -> Self {
        let goal = collective.goal;
        let words = goal.blocks(&stated).saturating_mul(stated.n.into());
        // The contributions of all ranks are numbered, and sums behind them.
        let is_small = words
            .checked_mul(stated.K.into())
            .is_some_and(|all| all < 1 << 31);
        let words = u32::try_from(words)
            .ok()
            .filter(|_| is_small)
            .unwrap_or(u32::MAX);
        // No rank has more blocks than one of these.
        let ranks = [0, stated.root, stated.K.saturating_sub(1)];
        let most = |blocks: &dyn Fn(u64) -> Vec<u64>| {
            let most = ranks
                .into_iter()
                .map(|rank| blocks(rank).len() as u64)
                .max()
                .unwrap_or(0);
            low(most.saturating_mul(stated.n))
        };
        let chunks = match words {
            u32::MAX => [u32::MAX; 2],
            _ => [
                most(&|rank| goal.starts(&stated, rank)),
                most(&|rank| goal.ends(&stated, rank)),
            ],
        };
        Self {
            collective,
            stated,
            words,
            parts: 1,
            chunks,
            inputs: Vec::new(),
            outputs: Vec::new(),
            is_partial: false,
        }
    }

    /// The contents of inputs and outputs that the collective demands.
    pub fn goal(&self) -> &'static dyn Goal {
        self.collective.goal
    }

    /// The rank that differs from others, where one does.
    pub fn root(&self) -> u64 {
        self.stated.root
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> u32 {
        number(self.outputs.len())
    }

    /// How many chunks the larger input and the larger output of a rank have.
    pub const fn needed(&self) -> [u32; 2] {
        self.chunks
    }

    /// How many chunks a block has.
    pub fn share(&self) -> u32 {
        u32::try_from(self.stated.n).unwrap_or(u32::MAX)
    }

    /// Adds the buffers `i` and `o` of the next rank, as large as the file declares them and the collective needs them, and gives
    /// their spans; `None` where there are too many chunks. In place they share memory: that of the larger one.
    pub fn add(
        &mut self,
        memory: &mut Memory,
        declared: [u64; 2],
        in_place: bool,
    ) -> Option<[Span; 2]> {
        let rank = self.ranks();
        if self.words == u32::MAX {
            return None;
        }
        let [input, output] = [0, 1].map(|side| declared[side].max(self.chunks[side].into()));
        let spans = if in_place {
            let whole = memory.add(
                rank,
                if self.chunks[0] < self.chunks[1] {
                    "o"
                } else {
                    "i"
                },
                input.max(output),
            )?;
            // The smaller buffer is the part of this rank.
            [0, 1].map(|side| {
                let [own, other] = [self.chunks[side], self.chunks[1 - side]];
                let skipped = if own < other {
                    (rank * own).min(whole.count)
                } else {
                    0
                };
                Span {
                    first: whole.first + skipped,
                    count: whole.count - skipped,
                }
            })
        } else {
            [
                memory.add(rank, "i", input)?,
                memory.add(rank, "o", output)?,
            ]
        };
        let share = self.share();
        self.fill(&spans[..1], spans[1], |span, at, _| span.first + at * share);
        Some(spans)
    }

    /// Gives the next rank its inputs and its output; `place` says in which chunk of a buffer a block begins, from its index among those
    /// of the rank and its number.
    fn fill(&mut self, inputs: &[Span], output: Span, place: impl Fn(Span, u32, u32) -> u32) {
        let (rank, goal) = (self.ranks(), self.goal());
        let side = |blocks: Vec<u64>, span: Span| Side {
            first: span.first,
            blocks: (0..)
                .zip(blocks)
                .map(|(at, block)| (low(block), place(span, at, low(block))))
                .collect(),
        };
        let starts = goal.starts(&self.stated, rank.into());
        self.inputs.extend(
            inputs
                .iter()
                .map(|&input| (rank, side(starts.clone(), input))),
        );
        self.outputs
            .push(side(goal.ends(&self.stated, rank.into()), output));
    }

    /// Adds buffers of the next rank that have room for all chunks of all ranks, each with the input; the first has the output.
    /// `None` where there are too many chunks.
    pub fn add_whole(&mut self, memory: &mut Memory, names: &[&'static str]) -> Option<Vec<Span>> {
        let spans = names
            .iter()
            .map(|name| memory.add(self.ranks(), name, self.words.into()))
            .collect::<Option<Vec<Span>>>()?;
        let share = self.share();
        self.fill(&spans, spans[0], |span, _, block| {
            span.first + block * share
        });
        Some(spans)
    }

    /// Adds a buffer of the next rank with its input, its output and these chunks; `None` where there are too many.
    pub fn add_some(
        &mut self,
        memory: &mut Memory,
        name: &'static str,
        chunks: impl Iterator<Item = Span>,
    ) -> Option<Span> {
        let (rank, share, most) = (self.ranks(), self.share(), memory.most());
        let [starts, ends] = [
            self.goal().starts(&self.stated, rank.into()),
            self.goal().ends(&self.stated, rank.into()),
        ];
        let block = |block: u64| Span {
            first: low(block) * share,
            count: share,
        };
        let mut own: Vec<u32> = Vec::new();
        for Span { first, count } in starts.into_iter().chain(ends).map(block).chain(chunks) {
            if u64::from(count) > most {
                return None;
            }
            own.extend(first..first.checked_add(count)?);
            if own.len() as u64 > 2 * most {
                own.sort_unstable();
                own.dedup();
            }
            if own.len() as u64 > 2 * most {
                return None;
            }
        }
        own.sort_unstable();
        own.dedup();
        let span = memory.add_some(rank, name, own)?;
        self.is_partial = true;
        self.fill(&[span], span, |span, _, block| {
            memory.place(span, block * share).unwrap_or(span.first)
        });
        Some(span)
    }

    /// Each chunk of memory that has a contribution at the start, its rank and its number among all chunks.
    pub fn inputs(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let share = self.share();
        self.inputs.iter().flat_map(move |(rank, side)| {
            side.blocks.iter().flat_map(move |&(block, cell)| {
                (0..share).map(move |at| (cell + at, *rank, block * share + at))
            })
        })
    }

    /// Each chunk of memory that has a result, its rank and what it must have.
    pub fn outputs(&self) -> impl Iterator<Item = (u32, u32, Expected)> {
        let share = self.share();
        (0..)
            .zip(&self.outputs)
            .flat_map(move |(rank, side): (u32, &Side)| {
                side.blocks.iter().flat_map(move |&(block, cell)| {
                    let ranks = self
                        .goal()
                        .ends_with(&self.stated, rank.into(), block.into())
                        .unwrap_or_default();
                    let [first, count] = [ranks.0, ranks.1].map(low);
                    (0..share).map(move |at| {
                        (
                            cell + at,
                            rank,
                            Expected {
                                first,
                                count,
                                word: block * share + at,
                            },
                        )
                    })
                })
            })
    }

    /// A chunk of the input of a rank, as the file numbers it.
    pub fn chunk(&self, rank: u32, word: u32) -> String {
        if self.is_partial {
            return in_file(word, self.parts);
        }
        let of_rank = self.inputs.partition_point(|(of, _)| *of < rank);
        let (block, at) = (word / self.share().max(1), word % self.share().max(1));
        let side = self.inputs.get(of_rank).map(|(_, side)| side);
        let found = side.and_then(|side| {
            let location = side
                .blocks
                .binary_search_by_key(&block, |(block, _)| *block)
                .ok()?;
            Some(side.blocks[location].1 - side.first)
        });
        in_file(found.unwrap_or(0) + at, self.parts)
    }
}

/// A number of blocks or ranks, of which [`Task::of_blocks`] allows fewer than 2^31.
fn low(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
