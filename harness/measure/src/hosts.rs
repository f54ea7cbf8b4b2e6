//! Hosts, and the mapping of ranks to hosts.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// A host that ranks can be started on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Host {
    /// Its name in results and messages.
    pub name: String,
    /// The address of its ranks.
    pub address: IpAddr,
    /// The command that starts a program there; empty on this host.
    pub launch: Vec<String>,
    /// The path of castbench on that host.
    pub program: PathBuf,
}

impl Host {
    /// This host, on its loopback interface.
    #[must_use]
    pub fn loopback(program: PathBuf) -> Self {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        Self {
            name: "localhost".to_owned(),
            address,
            launch: Vec::new(),
            program,
        }
    }

    /// The command that starts a rank there.
    #[must_use]
    pub fn rank(&self) -> Command {
        let mut command = match self.launch.split_first() {
            None => Command::new(&self.program),
            Some((launcher, arguments)) => {
                let mut command = Command::new(launcher);
                command.args(arguments).arg(&self.program);
                command
            }
        };
        command.arg("rank");
        command
    }
}

/// The mapping of more ranks than hosts. Ranks are in the order of the papers' positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mapping {
    /// Rank r is on host r mod H.
    RoundRobin,
    /// Consecutive ranks share a host: rank r is on host floor(r H / K).
    Neighbours,
    /// A host is filled before the next one: with R ranks on each, rank r is on host floor(r / R).
    Block,
}

impl Mapping {
    /// The host of each of K ranks on H hosts with R ranks each, of which the last may have fewer.
    #[must_use]
    pub fn placement(self, K: u32, H: u32, R: u32) -> Vec<u32> {
        let host = |rank: u32| match self {
            Self::RoundRobin => rank % H.max(1),
            Self::Neighbours => {
                let host = u64::from(rank) * u64::from(H) / u64::from(K.max(1));
                u32::try_from(host).unwrap_or(u32::MAX)
            }
            Self::Block => rank / R.max(1),
        };
        (0..K).map(host).collect()
    }

    /// Its name in configurations and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Neighbours => "neighbours",
            Self::Block => "block",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_a_host() {
        assert_eq!(Mapping::RoundRobin.placement(5, 3, 2), [0, 1, 2, 0, 1]);
        assert_eq!(Mapping::Neighbours.placement(5, 3, 2), [0, 0, 1, 1, 2]);
        assert_eq!(
            Mapping::Neighbours.placement(18, 8, 3),
            [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 7]
        );
        assert_eq!(Mapping::Block.placement(7, 3, 3), [0, 0, 0, 1, 1, 1, 2]);
        for mapping in [Mapping::RoundRobin, Mapping::Neighbours, Mapping::Block] {
            assert_eq!(mapping.placement(4, 4, 1), [0, 1, 2, 3]);
            assert_eq!(mapping.placement(4, 1, 4), [0, 0, 0, 0]);
        }
    }
}
