//! The replies of ranks to rank 0.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::wire::{Probed, Times};

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It had no part.
    Idle,
    /// Its times.
    Done(Times),
    /// Its times in an experiment.
    Probed(Probed),
    /// SHA-256 of the received bytes.
    Received(String),
    /// It cannot continue.
    Failed(Fault),
}

impl Reply {
    pub fn text(&self) -> Vec<u8> {
        // Numbers and strings cannot fail; the receiver would reject an empty text.
        serde_json::to_vec(self).unwrap_or_default()
    }
}
