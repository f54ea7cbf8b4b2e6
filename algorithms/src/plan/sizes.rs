//! The sizes of blocks, apart from the task that has them.

/// The sizes of the blocks of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// Each has n words.
    Equal,
    /// A vector of n words is dealt out to K blocks, one for each rank, the first ones a word longer.
    Dealt,
    /// Sizes of their own, some of which may be 0.
    Counted(&'static Counts),
}

/// Counts of blocks, which begin again after the last one.
#[derive(Debug, PartialEq, Eq)]
pub struct Counts {
    /// What a user calls them.
    pub name: String,
    /// The sum of the counts before each, then of all.
    pub(super) before: Vec<u64>,
    /// The sum of the smallest counts: of none, of one, ..
    pub(super) smallest: Vec<u64>,
    /// Whether they are shares of the `K n` words that K equal blocks have; else a count of 1 is n words.
    pub(super) are_shares: bool,
}

impl Counts {
    /// Counts of one word each, or shares; `None` where their sum does not fit in 64 bits.
    #[must_use]
    pub fn new(name: String, mut counts: Vec<u64>, are_shares: bool) -> Option<Self> {
        let sums = |counts: &[u64]| {
            let mut sums = vec![0u64];
            for &count in counts {
                sums.push(sums[sums.len() - 1].checked_add(count)?);
            }
            Some(sums)
        };
        let before = sums(&counts)?;
        counts.sort_unstable();
        Some(Self {
            name,
            before,
            smallest: sums(&counts)?,
            are_shares,
        })
    }

    /// Whether no block has words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before[self.before.len() - 1] == 0
    }

    /// How many words some counts are, where n and K are these.
    pub(super) fn words(&self, [n, K]: [u64; 2], counts: u64) -> u128 {
        let [counts, n] = [counts, n].map(u128::from);
        match self.before.last() {
            Some(&all) if self.are_shares => {
                counts.saturating_mul(n * u128::from(K)) / u128::from(all.max(1))
            }
            _ => counts * n,
        }
    }

    /// How many words all blocks have where n and K are these.
    pub fn total(&self, n: u64, K: u64) -> u128 {
        self.words([n, K], self.before[self.before.len() - 1])
    }

    /// The first word of a block.
    pub(super) fn start(&self, task: [u64; 2], block: u64) -> u128 {
        let (len, last) = (self.before.len() as u64 - 1, self.before.len() - 1);
        // Below the length of a list in memory.
        let rest = usize::try_from(block % len).unwrap_or(last);
        let rounds = self
            .words(task, self.before[last])
            .saturating_mul((block / len).into());
        rounds.saturating_add(self.words(task, self.before[rest]))
    }
}
