//! The memory of all ranks: buffers of chunks, numbered through.

use std::collections::HashMap;

/// No channel, step or value.
pub const NONE: u32 = u32::MAX;

/// The most chunks of all buffers, beside one for each 8 bytes of the file. Each takes some 48 bytes, so that a short file needs
/// little memory.
pub const MAX_CELLS: u64 = 1 << 20;

/// Chunks of the memory of all ranks, which is numbered through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    pub fn part(self, first: impl TryInto<u32>, count: u32) -> Option<Self> {
        let first = first.try_into().ok()?;
        let is_inside = u64::from(first) + u64::from(count) <= self.count.into();
        is_inside.then(|| Self {
            first: self.first + first,
            count,
        })
    }
}

/// The buffer `i`, `o` or `s` of these three.
pub fn named(buffers: &[Span; 3], name: &str) -> Option<Span> {
    ["i", "o", "s"]
        .iter()
        .position(|known| *known == name)
        .map(|at| buffers[at])
}

/// The buffers of all ranks.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// Rank, name in the file and chunks of each, in the order of their chunks.
    buffers: Vec<(u32, &'static str, Span)>,
    /// The numbers in the file of the chunks of buffers that have only some, by the first chunk of the buffer.
    some: HashMap<u32, Vec<u32>>,
    /// How many chunks there can be beside [`MAX_CELLS`].
    more: u64,
    /// Into how many parts each chunk of the file is cut; each part is a chunk here.
    pub parts: u32,
}

/// The number of a chunk in the file, with its part if chunks are cut.
pub fn in_file(chunk: u32, parts: u32) -> String {
    match parts {
        0 | 1 => chunk.to_string(),
        _ => format!("{} (part {} of {parts})", chunk / parts, chunk % parts + 1),
    }
}

impl Memory {
    /// No buffers yet, of a file of this length.
    pub fn of_file(bytes: usize) -> Self {
        Self {
            buffers: Vec::new(),
            some: HashMap::new(),
            more: bytes as u64 / 8,
            parts: 1,
        }
    }

    /// The most chunks of all buffers.
    pub fn most(&self) -> u64 {
        MAX_CELLS + self.more
    }

    /// How many chunks there can be for the length of the file.
    pub fn more(&self) -> u64 {
        self.more
    }

    /// Adds a buffer; `None` where there are too many chunks.
    pub fn add(&mut self, rank: u32, name: &'static str, count: u64) -> Option<Span> {
        let first = self.cells();
        let end = u64::from(first)
            .checked_add(count)
            .filter(|&end| end <= self.most())?;
        let span = Span {
            first,
            count: u32::try_from(end).ok()? - first,
        };
        self.buffers.push((rank, name, span));
        Some(span)
    }

    /// Adds a buffer that has only these chunks, in ascending order.
    pub fn add_some(&mut self, rank: u32, name: &'static str, chunks: Vec<u32>) -> Option<Span> {
        let span = self.add(rank, name, chunks.len() as u64)?;
        self.some.insert(span.first, chunks);
        Some(span)
    }

    /// The place of a chunk of a buffer, by its number in the file; none where the buffer has no such chunk.
    pub fn place(&self, buffer: Span, chunk: u32) -> Option<u32> {
        let place = match self.some.get(&buffer.first) {
            Some(chunks) => number(chunks.binary_search(&chunk).ok()?),
            None => chunk,
        };
        Some(buffer.first + place)
    }

    /// How many chunks all buffers have.
    pub fn cells(&self) -> u32 {
        self.buffers
            .last()
            .map_or(0, |(.., last)| last.first + last.count)
    }

    /// A chunk in messages.
    pub fn name(&self, cell: u32) -> String {
        let at = self
            .buffers
            .partition_point(|(.., span)| span.first <= cell)
            .saturating_sub(1);
        self.buffers
            .get(at)
            .map_or_else(String::new, |(rank, name, span)| {
                let place = cell - span.first;
                let chunks = self.some.get(&span.first);
                let chunk = chunks.map_or(place, |chunks| chunks[place as usize]);
                format!(
                    "chunk {} of `{name}` of rank {rank}",
                    in_file(chunk, self.parts)
                )
            })
    }
}

/// A number of steps, spans or blocks: files are shorter than 2^32 bytes.
pub fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}
