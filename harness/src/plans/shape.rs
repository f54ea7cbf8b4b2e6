//! What a reader of plans knows beside the text, and what it returns.

use algorithms::internals::collectives::written::Written;

/// The collective and the ranks of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The name of the collective.
    pub problem: &'static str,
    /// K, at most [`Shape::MAX_RANKS`].
    pub ranks: u32,
    /// How many blocks of n words all ranks' words are.
    pub blocks: u32,
}

impl Shape {
    /// Most ranks of a plan that is read.
    pub const MAX_RANKS: u32 = 1 << 16;
}

/// A plan that was read.
pub struct Loaded {
    /// The plan.
    pub plan: Written,
    /// The rank that has the operand at the start, or gets the result, where the text states it.
    pub root: Option<u32>,
}

/// Reads a plan; the error says where in the text, and what was expected.
pub type Read = fn(&[u8], &Shape) -> Result<Loaded, String>;
