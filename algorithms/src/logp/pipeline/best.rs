//! Into how many segments a message is cut best.

use super::{Broadcast, Instance, Machine};
use crate::error::Error;

/// The best cut of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Best {
    /// The least m with that time.
    pub m: u64,
    /// The time.
    pub time: u64,
}

/// The number of segments with which the broadcast takes least, at most `most` of them; `instance.m` is not read. Of several the
/// least.
///
/// The time need not fall and then rise with m, since segments are whole words: so every cut is tried. A message of n words has
/// less than `2*sqrt(n)` of them, for `ceil(n/m)` takes no more values.
///
/// Cost: that of as many [`Broadcast::time`]. None where the algorithm takes no number of segments.
///
/// # Errors
/// Those of [`Broadcast::time`], but that a number of segments is refused: an algorithm that has its own is taken with it.
pub fn best_segments(
    algorithm: &dyn Broadcast,
    machine: Machine,
    instance: Instance,
    most: u64,
) -> Result<Option<Best>, Error> {
    Instance { m: 1, ..instance }.check()?;
    let mut best: Option<Best> = None;
    let mut m = 1;
    while m <= most.min(instance.n) {
        match algorithm.time(machine, Instance { m, ..instance }) {
            Ok(time) if best.is_none_or(|best| time < best.time) => best = Some(Best { m, time }),
            Ok(_) | Err(Error::Parameter { symbol: "m", .. }) => {}
            Err(error) => return Err(error),
        }
        // The next m with shorter segments.
        match instance.n.div_ceil(m) {
            1 => break,
            words => m = instance.n.div_ceil(words - 1),
        }
    }
    Ok(best)
}
