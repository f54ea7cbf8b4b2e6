//! Why a rank cannot go on, as it says so itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::link::Lost;

/// Why a rank cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What, why, and what to do.
    pub explanation: String,
    /// The rank that was waited for in vain, if it was a single one: it may have more to say.
    pub lost: Option<u32>,
}

impl Fault {
    /// A fault of this rank itself.
    #[must_use]
    pub fn own(explanation: String) -> Self {
        Self { explanation, lost: None }
    }

    /// What happened to a message between this rank and another.
    #[must_use]
    pub fn between(doing: &str, peer: u32, lost: &Lost) -> Self {
        // Another message than the one expected is no loss but a mistake.
        let gone = !matches!(lost, Lost::Other);
        Self { explanation: format!("{doing} rank {peer}: {lost}"), lost: gone.then_some(peer) }
    }
}

/// The loss with which it began, of what each rank says and the rank it lost: a rank that lost another ends, and so is lost
/// itself to those that wait for it. Follows from each rank to the one it lost, until one has lost none.
#[must_use]
pub fn first_loss(mut losses: BTreeMap<u32, (&str, u32)>) -> Option<(u32, (&str, u32))> {
    let mut found = losses.pop_first()?;
    while let Some(earlier) = losses.remove_entry(&found.1.1) {
        found = earlier;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_loss_is_found() {
        let losses = |pairs: &[(u32, u32)]| first_loss(pairs.iter().map(|&(rank, lost)| (rank, ("", lost))).collect());
        assert_eq!(losses(&[(0, 2), (1, 0), (3, 1)]), Some((0, ("", 2))));
        assert_eq!(losses(&[(3, 1), (1, 2)]), Some((1, ("", 2))));
        // Each lost the other: one of them is as good as the other.
        assert_eq!(losses(&[(0, 1), (1, 0)]), Some((1, ("", 0))));
        assert_eq!(losses(&[]), None);
    }
}
