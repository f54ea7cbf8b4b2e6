//! What carrying out tasks leaves, over any transport.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::delivery::Delivery;
use super::wire::Facts;

/// How a measurement ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "reason", rename_all = "snake_case")]
pub enum Status {
    /// Every task was measured as often as was asked.
    Complete,
    /// It was stopped; what was finished is there.
    Interrupted,
    /// A rank, a host or a connection failed; what was finished is there.
    Failed(String),
}

/// A host that took part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostEntry {
    /// Its name in the results.
    pub name: String,
    /// Its address; missing where the MPI library keeps it to itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What it said of itself.
    pub facts: Facts,
}

/// How MPI was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// What the library calls itself.
    pub library: String,
    /// How ranks waited for messages.
    pub waiting: String,
    /// What was set for the library: its parameters, as it takes them from the environment.
    pub parameters: BTreeMap<String, String>,
    /// The host of each rank, as its place in the list of hosts.
    pub placement: Vec<u32>,
}

/// A repetition of a task, each of its bytes checked at every node.
#[derive(Debug, Clone)]
pub struct Repetition {
    /// In which order tasks were carried out; warm-ups have numbers and are not kept.
    pub number: u64,
    /// Which task, as its place in the list of all.
    pub place: usize,
    /// Which time of this task, from 1.
    pub repetition: u32,
    /// When each rank was done.
    pub delivery: Delivery,
}

/// What was measured.
#[derive(Debug)]
pub struct Results {
    /// How it ended.
    pub status: Status,
    /// The hosts that took part, by their numbers in placements.
    pub hosts: BTreeMap<u32, HostEntry>,
    /// How MPI was started; none for other transports.
    pub launch: Option<Launch>,
    /// Every repetition, in the order in which they were carried out.
    pub repetitions: Vec<Repetition>,
}

impl Results {
    /// Nothing yet.
    #[must_use]
    pub fn new(launch: Option<Launch>) -> Self {
        Self { status: Status::Complete, hosts: BTreeMap::new(), launch, repetitions: Vec::new() }
    }
}
