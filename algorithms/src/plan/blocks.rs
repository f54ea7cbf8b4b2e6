//! How many words each block of a collective has.

use std::ops::Range;

use super::sizes::Blocks;
use super::task::{Task, narrow};
use super::words::Deal;

impl Task {
    /// The first word of a block; of the number of all blocks the end of the last one.
    #[must_use]
    pub fn start(&self, block: u64) -> u64 {
        match self.blocks {
            Blocks::Equal => block * self.n,
            Blocks::Dealt => Deal::new(self).start(block),
            Blocks::Counted(counts) => {
                u64::try_from(counts.start([self.n, self.K], block)).unwrap_or(u64::MAX)
            }
        }
    }

    /// How many words all blocks have.
    pub(crate) fn all_words(&self, blocks: u128) -> u128 {
        match (self.blocks, u64::try_from(blocks)) {
            (Blocks::Equal, _) => blocks.saturating_mul(self.n.into()),
            (Blocks::Dealt, _) => self.n.into(),
            (Blocks::Counted(counts), Ok(blocks)) => counts.start([self.n, self.K], blocks),
            (Blocks::Counted(_), Err(_)) => u128::MAX,
        }
    }

    /// The words of some blocks in a row.
    #[must_use]
    pub fn words(&self, blocks: Range<u64>) -> Range<u64> {
        self.start(blocks.start)..self.start(blocks.end)
    }

    /// The block of a word.
    pub(crate) fn block_of(&self, word: u64) -> u64 {
        let Blocks::Counted(_) = self.blocks else {
            return word / self.n;
        };
        // The last block that begins there: those before it are empty.
        let (mut low, mut high) = (0, self.K.saturating_mul(self.K) + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.start(middle) <= word {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Whether blocks have sizes of their own.
    #[must_use]
    pub fn is_counted(&self) -> bool {
        matches!(self.blocks, Blocks::Counted(_))
    }

    /// The words of the longest block.
    #[must_use]
    pub fn block_words(&self) -> u64 {
        match self.blocks {
            Blocks::Equal => self.n,
            Blocks::Dealt => self.n.div_ceil(self.K),
            Blocks::Counted(_) => self.sizes().max().unwrap_or(0),
        }
    }

    /// Whether a block is empty.
    pub(crate) fn has_empty(&self) -> bool {
        self.is_counted() && self.sizes().any(|size| size == 0)
    }

    /// The words of the shortest block that has some.
    pub(crate) fn least_words(&self) -> u64 {
        match self.blocks {
            Blocks::Counted(_) => self.sizes().filter(|&size| size > 0).min().unwrap_or(0),
            _ => self.n,
        }
    }

    /// The words of blocks before their sizes begin again.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        let count = match self.blocks {
            Blocks::Counted(counts) => counts.before.len() as u64 - 1,
            _ => 1,
        };
        (0..count).map(|block| self.start(block + 1) - self.start(block))
    }

    /// A number of words that some blocks of K have at least, whichever they are: all of them if there are K.
    pub(crate) fn at_least(&self, blocks: u64) -> u64 {
        match self.blocks {
            Blocks::Counted(counts) if blocks < self.K => {
                // The sizes of shares are rounded down or up.
                let rounded = if counts.are_shares { blocks } else { 0 };
                let smallest = counts.smallest[narrow(blocks) as usize];
                let words = counts
                    .words([self.n, self.K], smallest)
                    .saturating_sub(rounded.into());
                u64::try_from(words).unwrap_or(u64::MAX)
            }
            _ => self.start(blocks),
        }
    }
}
