//! Names the rank to look at when ranks wait in vain.

use std::collections::BTreeMap;

use crate::fault::{Fault, first_loss};

/// Names the rank to look at, and why. The best evidence comes from a rank that waits for one without a reply.
/// `troubles` has the faults of those of the `size` ranks that replied; `at` names a rank and its host.
#[must_use]
pub fn diagnosis(size: u32, at: impl Fn(u32) -> String, troubles: &BTreeMap<u32, Fault>) -> String {
    let silent: Vec<u32> = (0..size)
        .filter(|rank| !troubles.contains_key(rank))
        .collect();
    let say = |rank: u32, explanation: &str| format!("{}: {explanation}", at(rank));
    if silent.is_empty() {
        let losses = troubles.iter().filter_map(|(&rank, trouble)| {
            // A rank that reports its own fault may not be the first cause.
            Some((rank, (trouble.explanation.as_str(), trouble.lost?)))
        });
        if let Some((rank, (explanation, peer))) = first_loss(losses.collect()) {
            return format!("{}; {} responds", say(rank, explanation), at(peer));
        }
    }
    let waits = |trouble: &Fault| trouble.lost.is_some_and(|peer| silent.contains(&peer));
    let witness = troubles
        .iter()
        .find(|(_, trouble)| waits(trouble))
        .or(troubles.first_key_value());
    let report = witness
        .map(|(&rank, trouble)| say(rank, &trouble.explanation))
        .unwrap_or_default();
    let names: Vec<String> = silent.iter().copied().map(at).collect();
    match names.len() {
        0 => report,
        1 => format!("{report}; no reply from {}", names[0]),
        // Ranks in a broadcast of the library cannot reply; their guards print messages.
        _ => format!(
            "{report}; no reply from {}: look at those that printed nothing",
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(size: u32, troubles: &[(u32, Option<u32>)]) -> String {
        let trouble = |&(rank, lost): &(u32, Option<u32>)| {
            let doing = lost.map_or("in a barrier".to_owned(), |peer| {
                format!("waits for {peer}")
            });
            (
                rank,
                Fault {
                    explanation: doing,
                    lost,
                },
            )
        };
        diagnosis(
            size,
            |rank| format!("rank {rank}"),
            &troubles.iter().map(trouble).collect(),
        )
    }

    #[test]
    fn a_silent_rank_is_named_whichever_was_waited_for() {
        assert_eq!(
            found(4, &[(0, Some(1)), (1, Some(3)), (2, None)]),
            "rank 1: waits for 3; no reply from rank 3"
        );
        // Rank 1 waits in a barrier that ranks 0 and 2 have left, for rank 3, which stopped in it.
        assert_eq!(
            found(4, &[(0, Some(1)), (1, None), (2, Some(0))]),
            "rank 0: waits for 1; no reply from rank 3"
        );
        assert_eq!(
            found(4, &[(0, None), (3, Some(2))]),
            "rank 3: waits for 2; no reply from rank 1, rank 2: look at those that printed nothing"
        );
    }

    #[test]
    fn where_all_are_there_the_first_loss_is_named() {
        assert_eq!(
            found(3, &[(0, Some(1)), (1, Some(2)), (2, None)]),
            "rank 1: waits for 2; rank 2 responds"
        );
        assert_eq!(found(2, &[(0, None), (1, None)]), "rank 0: in a barrier");
    }
}
