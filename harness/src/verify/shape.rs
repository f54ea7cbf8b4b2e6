//! What a reader of plans knows beside the text.

use algorithms::internals::collectives::Collective;

use crate::verify::task::stated;

/// Longest plan in a file: what is read takes at most eight times as much.
pub const MAX_BYTES: u64 = 32 << 20;

/// The collective and the ranks of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The collective.
    pub collective: &'static Collective,
    /// K, at most [`Shape::MAX_RANKS`].
    pub ranks: u32,
    /// How many blocks of n words all ranks' words are.
    pub blocks: u32,
    /// The root, for plans of any.
    pub root: u32,
}

impl Shape {
    /// Most ranks of a plan that is read.
    pub const MAX_RANKS: u32 = 1 << 16;

    /// A collective on some ranks.
    ///
    /// # Errors
    /// More ranks than are read.
    pub fn new(collective: &'static Collective, ranks: u32, root: u32) -> Result<Self, String> {
        let task = stated(ranks, root, 1).filter(|_| (1..=Self::MAX_RANKS).contains(&ranks));
        let blocks = task.and_then(|task| u32::try_from(collective.goal.blocks(&task)).ok());
        let reason = || {
            format!(
                "expected 1 to {} ranks, and fewer than 2^32 blocks",
                Self::MAX_RANKS
            )
        };
        Ok(Self {
            collective,
            ranks,
            blocks: blocks.ok_or_else(reason)?,
            root,
        })
    }

    /// How many blocks a rank that is not the root starts and ends with.
    pub fn of_another(&self) -> [usize; 2] {
        let Some(task) = stated(self.ranks, self.root, 1) else {
            return [0; 2];
        };
        let (goal, another) = (self.collective.goal, u64::from(self.root == 0));
        [
            goal.starts(&task, another).len(),
            goal.ends(&task, another).len(),
        ]
    }
}
