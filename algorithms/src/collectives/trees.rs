//! Trees of ranks: up them a reduce combines a vector in segments, down them a broadcast sends it.
//!
//! Ranks are numbered from the root. A tree gives the parent of a number, and its children in the order in which a reduce
//! receives from them.

use std::ops::RangeInclusive;

use crate::error::{Error, fit};
use crate::plan::{Hop, Task};
use crate::wide::Wide;

/// The radices of trees: one rank's children are followed one by one.
pub(super) const RADICES: RangeInclusive<u64> = 2..=1 << 12;

/// The segments of a vector: first the longer ones, then those that are a word shorter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segments {
    /// A longer one, and a shorter one.
    pub hops: [Hop; 2],
    /// How many of each; at least one longer one.
    pub counts: [u64; 2],
}

/// How long a rank needs at least between two receives, which it combines, or between two sends, if it combines nothing.
pub(super) fn between(hop: Hop) -> Wide {
    hop.g.max(hop.o + hop.q)
}

/// How long messages between the root and all others take, one after the other.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn flat(task: &Task) -> Result<Wide, Error> {
    let Some(further) = task.K.checked_sub(2) else {
        return Ok(Wide::ZERO);
    };
    let hop = task.hop(task.n)?;
    Ok(further * between(hop) + hop.combined())
}

impl Segments {
    /// The m segments of a vector.
    ///
    /// # Errors
    /// [`Error::Overflow`], also where the root cannot receive or send all of them within 64 bits. Elsewhere all times on
    /// the way fit in 128.
    pub fn new(task: &Task) -> Result<Self, Error> {
        let (words, longer) = (task.n / task.m, task.n % task.m);
        let counts = if longer == 0 {
            [task.m, 0]
        } else {
            [longer, task.m - longer]
        };
        let first = task.hop(words + u64::from(longer > 0))?;
        let hops = [first, if longer == 0 { first } else { task.hop(words)? }];
        for (hop, count) in hops.into_iter().zip(counts) {
            fit(count.saturating_sub(1) * between(hop))?;
        }
        Ok(Self { hops, counts })
    }
}
