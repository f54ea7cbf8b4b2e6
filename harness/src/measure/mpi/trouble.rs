//! Where a rank is lost, or somebody asks to stop: how the ranks end, and what rank 0 makes of what the others say.
//!
//! MPI has no way to give up a message that does not come, so the process that waits for it has to end. Whoever waited in
//! vain tells rank 0 and waits to be ended; rank 0 listens for a moment, keeps what was measured, says whom to look at,
//! and has MPI end all ranks.

use std::collections::BTreeMap;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use mpi::point_to_point::{Destination as _, MatchedReceiveVec as _, Source as _};
use mpi::request::scope;
use mpi::topology::Communicator as _;
use serde::{Deserialize, Serialize};

use super::carrier::{Carrier, OUTCOME, Outcome};
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
        while outcomes.len() < self.world.size() as usize {
            match self.heard() {
                Some((rank, Outcome::Failed(trouble))) => self.end_all(BTreeMap::from([(rank, trouble)])),
                Some((rank, outcome)) => {
                    outcomes.insert(rank, outcome);
                }
                None if stop::requested() => self.interrupted(),
                None if begin.elapsed() > self.config.limit + GRACE => {
                    let explanation =
                        format!("did its part, and waited {} s for the others", begin.elapsed().as_secs());
                    let trouble = |rank| (rank, Trouble { explanation: explanation.clone(), lost: None });
                    self.end_all(outcomes.into_keys().map(trouble).collect())
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

    /// On rank 0: listens for what others say of the same, keeps what was measured, and ends all ranks.
    fn end_all(&self, mut troubles: BTreeMap<u32, Trouble>) -> ! {
        let begin = Instant::now();
        while begin.elapsed() < GRACE {
            if let Some((rank, Outcome::Failed(trouble))) = self.heard() {
                troubles.insert(rank, trouble);
            }
            thread::sleep(GLANCE);
        }
        let reason = self.diagnosis(&troubles);
        self.world.everyone.abort((self.end)(Status::Failed(reason)) as i32)
    }

    /// Which rank to look at, and why.
    fn diagnosis(&self, troubles: &BTreeMap<u32, Trouble>) -> String {
        let at = |rank: u32| format!("rank {rank} on {}", self.world.host(rank));
        let losses = troubles.iter().filter_map(|(&rank, trouble)| {
            // Who says itself what happened to it is not the one that began it.
            Some((rank, (trouble.explanation.as_str(), trouble.lost?)))
        });
        if let Some((rank, (explanation, peer))) = first_loss(losses.collect()) {
            return format!("{}: {explanation}; rank {peer} is on {}", at(rank), self.world.host(peer));
        }
        let first = troubles.first_key_value();
        let first = first.map(|(&rank, trouble)| format!("{}: {}", at(rank), trouble.explanation)).unwrap_or_default();
        let silent: Vec<String> = (0..self.world.size()).filter(|rank| !troubles.contains_key(rank)).map(at).collect();
        if silent.is_empty() { first } else { format!("{first}; nothing was heard of {}", silent.join(", ")) }
    }
}
