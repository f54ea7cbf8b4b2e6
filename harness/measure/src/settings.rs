//! The settings for all tasks.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::emulated::Shape;
use super::hosts::Host;

/// The settings for all tasks.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// Seed of the order of the tasks and of the bytes of the messages.
    pub seed: u64,
    /// Repetitions of each task, without warm-up.
    pub repetitions: u32,
    /// Executions of each task before that.
    pub warm_up: u32,
    /// Most time that one rank waits for another.
    #[serde(rename = "time_limit_seconds", serialize_with = "seconds")]
    pub limit: Duration,
    /// The transport of the messages.
    pub transport: Transport,
}

fn seconds<S: Serializer>(limit: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(limit.as_secs())
}

impl Settings {
    /// The rounds of all tasks, from 0, each with its repetition; the first ones are warm-up and have none.
    pub fn rounds(&self) -> impl Iterator<Item = (u32, Option<u32>)> + use<> {
        let warm_up = self.warm_up;
        let number = move |round: u32| {
            (
                round,
                (round + 1)
                    .checked_sub(warm_up)
                    .filter(|repetition| *repetition > 0),
            )
        };
        (0..warm_up.saturating_add(self.repetitions)).map(number)
    }
}

/// The transport of messages between ranks.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Transport {
    /// TCP between processes of this host.
    Loopback {
        /// Rank r listens on this port + r; on any free port if none.
        first_port: Option<u16>,
    },
    /// TCP between the hosts of a list.
    Hosts {
        /// The hosts.
        hosts: Vec<Host>,
        /// Rank r listens on this port + r; on any free port if none.
        first_port: Option<u16>,
    },
    /// TCP between network namespaces of this host, joined by a switch of a given rate.
    Emulated(Shape),
    /// MPI between the ranks of its launcher; this process is one of them.
    Mpi,
}

impl Transport {
    /// Its name in results.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Loopback { .. } | Self::Hosts { .. } => "tcp",
            Self::Emulated(_) => "emulated",
            Self::Mpi => "mpi",
        }
    }

    /// The most hosts of a task with K ranks; over MPI the launcher decides.
    #[must_use]
    pub fn hosts(&self, K: u32) -> Option<u32> {
        let hosts = match self {
            Self::Loopback { .. } => 1,
            Self::Hosts { hosts, .. } => u32::try_from(hosts.len()).unwrap_or(u32::MAX),
            Self::Emulated(_) => K,
            Self::Mpi => return None,
        };
        Some(hosts.min(K))
    }

    /// Which two of its hosts are one, if some are: their addresses are equal, or both of the loopback interface.
    #[must_use]
    pub fn one_host(&self) -> Option<String> {
        let Self::Hosts { hosts, .. } = self else {
            return None;
        };
        let is_one = |a: &Host, b: &Host| {
            a.address == b.address || a.address.is_loopback() && b.address.is_loopback()
        };
        let mut pairs = (0..)
            .zip(hosts)
            .flat_map(|(n, b)| hosts[..n].iter().map(move |a| (a, b)));
        let (a, b) = pairs.find(|(a, b)| is_one(a, b))?;
        Some(format!(
            "{} ({}) and {} ({}) are one host",
            a.name, a.address, b.name, b.address
        ))
    }

    /// The first port of ranks, if fixed.
    #[must_use]
    pub fn first_port(&self) -> Option<u16> {
        match self {
            Self::Loopback { first_port } | Self::Hosts { first_port, .. } => *first_port,
            Self::Emulated(_) | Self::Mpi => None,
        }
    }
}
