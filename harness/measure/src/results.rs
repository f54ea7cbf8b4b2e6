//! The results of tasks, over any transport.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::delivery::Delivery;
use super::wire::Facts;

/// How a measurement ended.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "reason", rename_all = "snake_case")]
pub enum Status {
    /// Every repetition of every task was measured.
    #[default]
    Complete,
    /// It was stopped; finished repetitions are there.
    Interrupted,
    /// A rank, a host or a connection failed; finished repetitions are there.
    Failed(String),
}

/// A host that took part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostEntry {
    /// Its name in the results.
    pub name: String,
    /// Its address; missing if the MPI library does not show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The facts that it reported.
    pub facts: Facts,
}

/// How MPI was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The library's name and version.
    pub library: String,
    /// The file of the library on the host of rank 0; none where the system does not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How ranks waited for messages.
    pub waiting: String,
    /// The library's parameters from the environment.
    pub parameters: BTreeMap<String, String>,
    /// The host of each rank, as an index into the list of hosts.
    pub placement: Vec<u32>,
}

/// A repetition of a task, with each byte checked at every node.
#[derive(Debug, Clone)]
pub struct Repetition {
    /// Its position in the order of executions; warm-ups have numbers and are not kept.
    pub number: u64,
    /// The task, as its index in the list of all.
    pub task: usize,
    /// The repetition of this task, from 1.
    pub repetition: u32,
    /// The times of the ranks.
    pub delivery: Delivery,
}

/// The results of a measurement.
#[derive(Debug, Default)]
pub struct Results {
    /// How it ended.
    pub status: Status,
    /// The hosts, by their numbers in placements.
    pub hosts: BTreeMap<u32, HostEntry>,
    /// How MPI was started; none for other transports.
    pub launch: Option<Launch>,
    /// Every repetition, in the order of execution.
    pub repetitions: Vec<Repetition>,
}
