//! Where a rank is lost, or somebody asks to stop: how the ranks end, and what rank 0 makes of what the others say.
//!
//! MPI has no way to give up a message that does not come, so the process that waits for it has to end. Whoever waited in
//! vain tells rank 0 and waits to be ended. Rank 0 calls the roll, listens for a moment, keeps what was measured, says whom
//! to look at, and has MPI end all ranks. Who was waited for need not be lost: it may wait for another, in a barrier for all.
//! Hence the roll call: a rank that is there answers what it waits for, however long it would have, and who does not is lost.

use std::collections::BTreeMap;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use mpi::point_to_point::{Destination as _, MatchedReceiveVec as _, Source as _};
use mpi::request::scope;
use mpi::topology::Communicator as _;
use serde::{Deserialize, Serialize};

use super::carrier::{Carrier, OUTCOME, Outcome, ROLL_CALL};
use super::wait::For;
use crate::failure::Code;
use crate::measure::cluster::first_loss;
use crate::measure::record::Status;
use crate::measure::stop;

/// How long after the others' own limit rank 0 still waits: what they say is more precise.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// How long other ranks let rank 0 come to its end first, which keeps what was measured; it may have a limit to wait for.
pub(super) const KEEPING: Duration = Duration::from_secs(8);
/// Between two looks for what others say.
const GLANCE: Duration = Duration::from_millis(5);

/// Why a rank cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Trouble {
    /// What happened.
    pub explanation: String,
    /// The rank that was waited for in vain; none where it was no single one.
    pub lost: Option<u32>,
}

impl Carrier<'_> {
    /// Ends this rank because somebody asked to stop, on rank 0 after keeping what was measured.
    ///
    /// A launcher that ends all ranks asks first, and kills them as soon as one has gone: so the others let rank 0 go first.
    pub(super) fn interrupted(&self) -> ! {
        if self.world.rank() > 0 {
            thread::sleep(KEEPING);
        }
        process::exit((self.end)(Status::Interrupted) as i32)
    }

    /// On rank 0: its own outcome and those of all others, by rank.
    pub(super) fn collect(&self, own: Outcome) -> Vec<Outcome> {
        let mut outcomes = BTreeMap::from([(0, own)]);
        let begin = Instant::now();
        let waited = || {
            let explanation = format!("did its part, and waited {:.1} s for the others", begin.elapsed().as_secs_f64());
            Trouble { explanation, lost: None }
        };
        while outcomes.len() < self.world.size() as usize {
            match self.heard() {
                Some((rank, Outcome::Failed(trouble))) => {
                    self.end_all(BTreeMap::from([(0, waited()), (rank, trouble)]));
                }
                Some((rank, outcome)) => {
                    outcomes.insert(rank, outcome);
                }
                None if stop::requested() => self.interrupted(),
                None if begin.elapsed() > self.config.limit + GRACE => {
                    self.end_all(BTreeMap::from([(0, waited())]));
                }
                None => self.world.waiting.pause(For::Message),
            }
        }
        outcomes.into_values().collect()
    }

    /// What another rank says, if it has arrived.
    fn heard(&self) -> Option<(u32, Outcome)> {
        let anyone = self.world.everyone.any_process();
        let (text, arrival) = anyone.immediate_matched_probe_with_tag(OUTCOME)?.matched_receive_vec::<u8>();
        let garbled = |error: serde_json::Error| {
            Outcome::Failed(Trouble { explanation: format!("cannot be understood: {error}"), lost: None })
        };
        let outcome = serde_json::from_slice(&text).unwrap_or_else(garbled);
        Some((u32::try_from(arrival.source_rank()).unwrap_or_default(), outcome))
    }

    /// Ends all ranks because of what happened to this one.
    pub(super) fn give_up(&self, explanation: String, lost: Option<u32>) -> ! {
        let trouble = Trouble { explanation, lost };
        if self.world.rank() == 0 {
            self.end_all(BTreeMap::from([(0, trouble)]));
        }
        let words = Outcome::Failed(trouble).text();
        let begin = Instant::now();
        scope(|scope| {
            let mut request = Some(self.process(0).immediate_send_with_tag(scope, &words[..], OUTCOME));
            // Rank 0 may still be waiting itself, as long as this one did.
            while begin.elapsed() < self.config.limit + 2 * GRACE {
                request = request.and_then(|request| request.test().err());
                thread::sleep(GLANCE);
            }
            process::exit(Code::Measurement as i32)
        })
    }

    /// Whether rank 0 calls the roll.
    pub(super) fn called(&self) -> bool {
        self.world.rank() > 0 && self.process(0).immediate_probe_with_tag(ROLL_CALL).is_some()
    }

    /// On rank 0: hears what each of the others waits for, keeps what was measured, and ends all ranks.
    fn end_all(&self, mut troubles: BTreeMap<u32, Trouble>) -> ! {
        let (begin, size) = (Instant::now(), self.world.size());
        scope(|scope| {
            let call = |rank| self.process(rank).immediate_send_with_tag(scope, &[] as &[u8], ROLL_CALL);
            // Nobody waits for these: where one does not arrive, that is what is to be found out.
            let _calls: Vec<_> = (1..size).map(call).collect();
            while begin.elapsed() < GRACE && troubles.len() < size as usize {
                match self.heard() {
                    Some((rank, Outcome::Failed(trouble))) => {
                        troubles.insert(rank, trouble);
                    }
                    Some(_) => {}
                    None => thread::sleep(GLANCE),
                }
            }
            let reason = diagnosis(size, |rank| format!("rank {rank} on {}", self.world.host(rank)), &troubles);
            self.world.everyone.abort((self.end)(Status::Failed(reason)) as i32)
        })
    }
}

/// Which rank to look at, and why: best said by one that waits for a rank of which nothing was heard.
fn diagnosis(size: u32, at: impl Fn(u32) -> String, troubles: &BTreeMap<u32, Trouble>) -> String {
    let silent: Vec<u32> = (0..size).filter(|rank| !troubles.contains_key(rank)).collect();
    let say = |rank: u32, explanation: &str| format!("{}: {explanation}", at(rank));
    if silent.is_empty() {
        let losses = troubles.iter().filter_map(|(&rank, trouble)| {
            // Who says itself what happened to it is not the one that began it.
            Some((rank, (trouble.explanation.as_str(), trouble.lost?)))
        });
        if let Some((rank, (explanation, peer))) = first_loss(losses.collect()) {
            return format!("{}; {} is there", say(rank, explanation), at(peer));
        }
    }
    let waits = |trouble: &Trouble| trouble.lost.is_some_and(|peer| silent.contains(&peer));
    let witness = troubles.iter().find(|(_, trouble)| waits(trouble)).or(troubles.first_key_value());
    let said = witness.map(|(&rank, trouble)| say(rank, &trouble.explanation)).unwrap_or_default();
    let names: Vec<String> = silent.iter().copied().map(at).collect();
    match names.len() {
        0 => said,
        1 => format!("{said}; nothing was heard of {}", names[0]),
        // Ranks in a broadcast of the library cannot answer; their guards print it.
        _ => format!("{said}; nothing was heard of {}: look at those that printed nothing, either", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(size: u32, troubles: &[(u32, Option<u32>)]) -> String {
        let trouble = |&(rank, lost): &(u32, Option<u32>)| {
            let doing = lost.map_or("in a barrier".to_owned(), |peer| format!("waits for {peer}"));
            (rank, Trouble { explanation: doing, lost })
        };
        diagnosis(size, |rank| format!("rank {rank}"), &troubles.iter().map(trouble).collect())
    }

    #[test]
    fn who_says_nothing_is_named_whoever_was_waited_for() {
        assert_eq!(
            found(4, &[(0, Some(1)), (1, Some(3)), (2, None)]),
            "rank 1: waits for 3; nothing was heard of rank 3"
        );
        // Rank 1 waits in a barrier that ranks 0 and 2 have left, for rank 3, which stopped within.
        assert_eq!(
            found(4, &[(0, Some(1)), (1, None), (2, Some(0))]),
            "rank 0: waits for 1; nothing was heard of rank 3"
        );
        assert_eq!(
            found(4, &[(0, None), (3, Some(2))]),
            "rank 3: waits for 2; nothing was heard of rank 1, rank 2: look at those that printed nothing, either"
        );
    }

    #[test]
    fn where_all_are_there_it_is_said() {
        assert_eq!(found(3, &[(0, Some(1)), (1, Some(2)), (2, None)]), "rank 1: waits for 2; rank 2 is there");
        assert_eq!(found(2, &[(0, None), (1, None)]), "rank 0: in a barrier");
    }
}
