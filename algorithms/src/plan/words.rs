//! The words of a message: how many they are is known without listing them.

use std::ops::Range;

use super::sizes::Blocks;
use super::task::Task;

/// Ranges of words.
pub type Ranges = Box<dyn Iterator<Item = Range<u64>>>;

/// The words of a message.
pub enum Words {
    /// One range.
    Range(Range<u64>),
    /// [Blocks] of ranks: the first one, which counts modulo K, and how many.
    Blocks(u64, u64),
    /// Blocks of a vector that is dealt out to K blocks: the first one, which counts modulo K, and how many.
    Dealt(u64, u64),
    /// What a number keeps of a vector after some halvings: of bit j it keeps the first half, rounded down, where that bit is 0.
    Window(u64, u32),
    /// Ranges that are made one by one. Where they are many, [`Phase::counted`](super::Phase::counted) states their words.
    Several(Ranges),
}

impl Words {
    /// Several ranges.
    pub fn several(ranges: impl Iterator<Item = Range<u64>> + 'static) -> Self {
        Self::Several(Box::new(ranges))
    }

    /// The ranges, some of which may be empty: two, or several.
    pub(super) fn ranges(self, task: &Task, deal: Deal) -> Result<[Range<u64>; 2], Ranges> {
        Ok(match self {
            Self::Range(range) => [range, 0..0],
            Self::Blocks(first, count) if task.blocks != Blocks::Dealt => {
                wrapped(task.K, first, count).map(|blocks| task.words(blocks))
            }
            Self::Blocks(first, count) | Self::Dealt(first, count) => {
                wrapped(task.K, first, count).map(|it| deal.start(it.start)..deal.start(it.end))
            }
            Self::Window(number, halvings) => [window(task.n, number, halvings), 0..0],
            Self::Several(ranges) => return Err(ranges),
        })
    }

    /// The first block of words that are blocks.
    pub(super) fn first_block(&self) -> u64 {
        match self {
            Self::Blocks(first, _) | Self::Dealt(first, _) => *first,
            _ => 0,
        }
    }

    /// How many words they are.
    pub fn count(self, task: &Task, deal: Deal) -> u64 {
        match self {
            Self::Range(range) => range.end - range.start,
            Self::Blocks(_, count) if task.blocks == Blocks::Equal => count * task.n,
            Self::Blocks(first, count) if task.is_counted() => {
                let parts = wrapped(task.K, first, count).map(|blocks| task.words(blocks));
                parts.map(|words| words.end - words.start).iter().sum()
            }
            Self::Blocks(first, count) | Self::Dealt(first, count) => {
                let [low, high] = wrapped(task.K, first, count);
                deal.start(low.end) - deal.start(low.start) + deal.start(high.end)
            }
            // A first half of w words has `floor(w/2)`, a second one `floor((w+1)/2)`: n plus the lowest bits, shifted.
            Self::Window(number, halvings) => {
                let below = (1 << halvings) - 1;
                (task.n >> halvings) + (((task.n & below) + (number & below)) >> halvings)
            }
            Self::Several(ranges) => ranges.map(|range| range.end - range.start).sum(),
        }
    }
}

/// The words that a number keeps of n after some halvings.
pub(crate) fn window(n: u64, number: u64, halvings: u32) -> Range<u64> {
    (0..halvings).fold(0..n, |window, bit| {
        let middle = window.start + (window.end - window.start) / 2;
        if number >> bit & 1 == 0 {
            window.start..middle
        } else {
            middle..window.end
        }
    })
}

/// `count` of K numbers from a first one on, modulo K: up to K, and from 0 on.
fn wrapped(K: u64, first: u64, count: u64) -> [Range<u64>; 2] {
    let first = if first < K { first } else { first % K };
    let end = first + count;
    [first..end.min(K), 0..end.saturating_sub(K)]
}

/// How a vector is dealt out to K blocks, without a division for each block: the first ones have a word more.
#[derive(Debug, Clone, Copy)]
pub struct Deal {
    share: u64,
    longer: u64,
}

impl Deal {
    /// The n words of a task to its K ranks.
    pub fn new(task: &Task) -> Self {
        Self {
            share: task.n / task.K,
            longer: task.n % task.K,
        }
    }

    /// The first word of a block; of block K the end.
    pub fn start(self, block: u64) -> u64 {
        block * self.share + block.min(self.longer)
    }
}
