//! What each rank tells rank 0.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::wire::{Probed, Times};

/// What a rank says of its part.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It had none.
    Idle,
    /// When it did what.
    Done(Times),
    /// What it saw of an experiment.
    Probed(Probed),
    /// SHA-256 of what it received.
    Received(String),
    /// It cannot go on.
    Failed(Fault),
}

impl Reply {
    /// As it travels.
    pub fn text(&self) -> Vec<u8> {
        // Numbers and strings cannot fail, and an empty text would not be understood over there.
        serde_json::to_vec(self).unwrap_or_default()
    }
}
