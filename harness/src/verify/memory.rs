//! The memory of all ranks: buffers of chunks, numbered through.

/// No channel, step or value.
pub const NONE: u32 = u32::MAX;

/// The most chunks of all buffers, beside one for each 16 bytes of the file. Each takes some 48 bytes, so that a short file needs
/// little memory.
pub const MAX_CELLS: u64 = 1 << 20;

/// Chunks of the memory of all ranks, which is numbered through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first chunk.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl Span {
    /// The chunks.
    pub fn cells(self) -> impl Iterator<Item = usize> {
        (self.first as usize..).take(self.count as usize)
    }

    /// Some of its chunks, if it has them.
    #[must_use]
    pub fn part(self, first: impl TryInto<u32>, count: u32) -> Option<Self> {
        let first = first.try_into().ok()?;
        let is_inside = u64::from(first) + u64::from(count) <= self.count.into();
        is_inside.then(|| Self { first: self.first + first, count })
    }
}

/// The buffer `i`, `o` or `s` of these three.
#[must_use]
pub fn named(buffers: &[Span; 3], name: &str) -> Option<Span> {
    ["i", "o", "s"].iter().position(|known| *known == name).map(|at| buffers[at])
}

/// A buffer of a rank.
#[derive(Debug, Clone, Copy)]
pub struct Buffer {
    /// Its rank.
    pub rank: u32,
    /// Its name in the file.
    pub name: &'static str,
    /// Its chunks.
    pub span: Span,
}

/// The buffers of all ranks.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// In order of their chunks.
    buffers: Vec<Buffer>,
    /// How many chunks there can be beside [`MAX_CELLS`].
    more: u64,
}

impl Memory {
    /// No buffers yet, of a file of this length.
    #[must_use]
    pub fn of_file(bytes: usize) -> Self {
        Self { buffers: Vec::new(), more: bytes as u64 / 16 }
    }

    /// The most chunks of all buffers.
    #[must_use]
    pub fn most(&self) -> u64 {
        MAX_CELLS + self.more
    }

    /// Adds a buffer; `None` where there are too many chunks.
    pub fn add(&mut self, rank: u32, name: &'static str, count: u64) -> Option<Span> {
        let first = self.cells();
        let end = u64::from(first).checked_add(count).filter(|&end| end <= self.most())?;
        let span = Span { first, count: u32::try_from(end).ok()? - first };
        self.buffers.push(Buffer { rank, name, span });
        Some(span)
    }

    /// How many chunks all buffers have.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.buffers.last().map_or(0, |last| last.span.first + last.span.count)
    }

    /// A chunk in messages.
    #[must_use]
    pub fn name(&self, cell: u32) -> String {
        let at = self.buffers.partition_point(|buffer| buffer.span.first <= cell).saturating_sub(1);
        self.buffers.get(at).map_or_else(String::new, |buffer| {
            format!("chunk {} of `{}` of rank {}", cell - buffer.span.first, buffer.name, buffer.rank)
        })
    }
}

/// A number of steps, spans or blocks: files are shorter than 2^32 bytes.
#[must_use]
pub fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}
