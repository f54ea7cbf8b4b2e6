//! What must come out of a schedule: which contributions each chunk of the result has.

use clap::ValueEnum;

use super::memory::{Memory, Span};

/// A collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Collective {
    /// Every rank has the sum of all.
    Allreduce,
    /// Every rank has its part of the sum of all.
    ReduceScatter,
    /// Every rank has the chunks of all.
    Allgather,
    /// Every rank has a part of each.
    Alltoall,
    /// Every rank has the chunks of the root.
    Broadcast,
    /// The root has the sum of all.
    Reduce,
    /// The root has the chunks of all.
    Gather,
    /// Every rank has its part of the root's chunks.
    Scatter,
    /// No rank is done before all have begun.
    Barrier,
}

impl Collective {
    /// The collective that a file names so: `reducescatter`, `reduce_scatter` and `reduce-scatter` are one.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        Self::value_variants().iter().copied().find(|known| plain(known.name()) == plain(name))
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allreduce => "allreduce",
            Self::ReduceScatter => "reduce-scatter",
            Self::Allgather => "allgather",
            Self::Alltoall => "alltoall",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Barrier => "barrier",
        }
    }

    /// Whether one rank differs from the others.
    #[must_use]
    pub fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Gather | Self::Scatter)
    }

    /// How many parts of a rank's share the input and the output of a rank have.
    fn parts(self, ranks: u64) -> [u64; 2] {
        match self {
            Self::Allreduce | Self::Broadcast | Self::Reduce => [1, 1],
            Self::Allgather | Self::Gather => [1, ranks],
            Self::ReduceScatter | Self::Scatter => [ranks, 1],
            Self::Alltoall => [ranks, ranks],
            Self::Barrier => [0, 0],
        }
    }
}

/// A collective on the buffers of a schedule.
#[derive(Debug, Clone)]
pub struct Task {
    /// What.
    pub collective: Collective,
    /// Its root.
    pub root: u32,
    /// How many chunks of the input and of the output a rank has.
    pub chunks: [u32; 2],
    /// The first chunk of the input of each rank.
    pub inputs: Vec<u32>,
    /// The first chunk of the output of each rank.
    pub outputs: Vec<u32>,
}

/// What a chunk of a result has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Chunk (rank, number).
    Chunk(u32, u32),
    /// The chunks of all ranks with this number.
    Sum(u32),
}

impl Task {
    /// Adds the buffers `i` and `o` of a rank, as large as the file declares them and the collective needs them, and gives their
    /// places; `None` where there are too many chunks. In place they share memory: that of the larger one.
    pub fn add(&mut self, memory: &mut Memory, rank: u32, declared: [u64; 2], in_place: bool) -> Option<[Span; 2]> {
        let [input, output] = [0, 1].map(|side| declared[side].max(self.chunks[side].into()));
        if !in_place {
            let spans = [memory.add(rank, "i", input)?, memory.add(rank, "o", output)?];
            self.inputs.push(spans[0].first);
            self.outputs.push(spans[1].first);
            return Some(spans);
        }
        let whole = memory.add(rank, if self.chunks[0] < self.chunks[1] { "o" } else { "i" }, input.max(output))?;
        // The smaller buffer is the part of this rank.
        let part = |side: usize| {
            let [own, other] = [self.chunks[side], self.chunks[1 - side]];
            let skipped = if own < other { (rank * own).min(whole.count) } else { 0 };
            Span { first: whole.first + skipped, count: whole.count - skipped }
        };
        let spans = [part(0), part(1)];
        self.inputs.push(spans[0].first);
        self.outputs.push(spans[1].first);
        Some(spans)
    }

    /// The task of ranks that each contribute this number of chunks to the larger buffer; without buffers yet.
    #[must_use]
    pub fn of(collective: Collective, root: u32, ranks: u32, larger: u32) -> Option<Self> {
        let parts = collective.parts(ranks.into());
        let share = u64::from(larger) / parts[0].max(parts[1]).max(1);
        let is_whole = share * parts[0].max(parts[1]).max(1) == u64::from(larger);
        let chunks = parts.map(|parts| u32::try_from(parts * share).ok());
        let [Some(input), Some(output)] = chunks else { return None };
        is_whole.then(|| Self { collective, root, chunks: [input, output], inputs: Vec::new(), outputs: Vec::new() })
    }

    /// What chunk `at` of the output of a rank has.
    #[must_use]
    pub fn expected(&self, rank: u32, at: u32) -> Option<Expected> {
        let [input, output] = self.chunks;
        let is_root = rank == self.root;
        match self.collective {
            Collective::Allreduce => Some(Expected::Sum(at)),
            Collective::Reduce => is_root.then_some(Expected::Sum(at)),
            Collective::ReduceScatter => Some(Expected::Sum(rank * output + at)),
            Collective::Broadcast => Some(Expected::Chunk(self.root, at)),
            Collective::Scatter => Some(Expected::Chunk(self.root, rank * output + at)),
            Collective::Allgather => Some(Expected::Chunk(at / input, at % input)),
            Collective::Gather => is_root.then_some(Expected::Chunk(at / input, at % input)),
            Collective::Alltoall => {
                let share = input / u32::try_from(self.inputs.len()).unwrap_or(1).max(1);
                Some(Expected::Chunk(at / share, rank * share + at % share))
            }
            Collective::Barrier => None,
        }
    }
}
