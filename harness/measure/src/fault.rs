//! Why a rank cannot continue.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use super::message::Lost;

/// Why a rank cannot continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// What, why, and what to do.
    pub explanation: String,
    /// The rank that was waited for in vain, if it is a single one; it may report more.
    pub lost: Option<u32>,
}

impl Fault {
    /// A fault of this rank itself.
    #[must_use]
    pub fn own(explanation: String) -> Self {
        Self {
            explanation,
            lost: None,
        }
    }

    /// The system refuses to wait for messages.
    #[must_use]
    pub fn waiting(error: io::Error) -> Self {
        Self::own(format!("cannot wait for messages: {error}"))
    }

    /// The fate of a message between this rank and another.
    #[must_use]
    pub fn between(doing: &str, peer: u32, lost: &Lost) -> Self {
        // An unexpected message is an error, not a loss.
        let gone = !matches!(lost, Lost::Other);
        Self {
            explanation: format!("{doing} rank {peer}: {lost}"),
            lost: gone.then_some(peer),
        }
    }
}

/// The first loss, from each rank's report and the rank it lost. A rank that lost another ends, and so is lost to those
/// that wait for it. Follows these losses to a rank that has lost none.
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
        let losses = |pairs: &[(u32, u32)]| {
            first_loss(
                pairs
                    .iter()
                    .map(|&(rank, lost)| (rank, ("", lost)))
                    .collect(),
            )
        };
        assert_eq!(losses(&[(0, 2), (1, 0), (3, 1)]), Some((0, ("", 2))));
        assert_eq!(losses(&[(3, 1), (1, 2)]), Some((1, ("", 2))));
        // Each lost the other, so either may be named.
        assert_eq!(losses(&[(0, 1), (1, 0)]), Some((1, ("", 0))));
        assert_eq!(losses(&[]), None);
    }
}
