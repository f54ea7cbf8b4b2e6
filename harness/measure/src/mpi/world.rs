//! The ranks from the launcher, and what they exchange before the measurement.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::calls::{self, Mpi};
use super::compiled::calls_digest;
use crate::error::Error;
use crate::message::hex;
use crate::results::{HostEntry, Launch};
use crate::wire::Facts;
use crate::{clock, facts, launcher};

/// Sleep between two polls if ranks share cores. MPI moves long messages only while polled, so a longer sleep would
/// slow down messages within a host; a shorter one takes more of the processor.
pub const NAP: Duration = Duration::from_micros(50);

#[derive(Debug, Serialize, Deserialize)]
struct Hello {
    build: String,
    /// SHA-256 of the configuration as read.
    configuration: String,
    /// SHA-256 of the file of C that calls MPI.
    calls: String,
    /// The name and version of the MPI library.
    library: String,
    /// Its host, by MPI's name.
    host: String,
    /// [`clock::domain`]: equal for ranks of one machine, whatever the names of their hosts.
    clock: String,
    /// The processors it may use: launchers bind ranks to some.
    processors: BTreeSet<usize>,
    facts: Facts,
}

/// All ranks. Dropping it ends MPI, after waiting for the others.
pub struct World {
    pub(super) mpi: Mpi,
    rank: u32,
    ranks: Vec<Hello>,
    /// The host of each rank, as an index into the distinct hosts.
    placement: Vec<u32>,
    /// Whether there are more ranks than cores: then a rank that waits sleeps between two polls.
    pub(super) shares_cores: bool,
}

impl World {
    /// Starts MPI and exchanges greetings. All ranks must have the same `build` and `configuration`, as text.
    ///
    /// # Errors
    /// [`Error::Launched`] if MPI cannot be loaded or has another number of ranks than the launcher started,
    /// [`Error::Differ`] for different programs, libraries or configurations.
    pub fn join(build: &str, configuration: &str) -> Result<Self, Error> {
        // The guard, the other thread of a rank, does not call MPI.
        let mpi = Mpi::start()?;
        let launched = launcher::launched().map_or(1, |launched| launched.ranks);
        if mpi.size() < 2 || mpi.size() < launched {
            return Err(Error::Launched(alone(&mpi)));
        }
        let (host, library) = (mpi.host(), calls::name(&mpi.library));
        let configuration = hex(&Sha256::digest(configuration));
        let (clock, processors, facts) = (clock::domain(), processors(), facts::here());
        let own = Hello {
            build: build.to_owned(),
            configuration,
            calls: calls_digest(),
            library,
            host,
            clock,
            processors,
            facts,
        };
        let ranks = exchange(&mpi, &own)?;
        let rank = mpi.rank();
        if let Some(explanation) = differ(&ranks) {
            return Err(Error::Differ(explanation));
        }
        let placement = placement(&ranks);
        // Emulated hosts have different names but share the cores of one machine.
        let beside: Vec<&Hello> = ranks
            .iter()
            .filter(|other| other.clock == own.clock)
            .collect();
        let processors: BTreeSet<usize> = beside
            .iter()
            .flat_map(|other| &other.processors)
            .copied()
            .collect();
        let shares_cores = beside.len() > processors.len();
        Ok(Self {
            mpi,
            rank,
            ranks,
            placement,
            shares_cores,
        })
    }

    /// Ends this rank and so all: the launcher notices an exit without a farewell.
    pub fn leave(&self, code: i32) -> ! {
        self.mpi.abort(code)
    }

    /// The rank of this process.
    #[must_use]
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// The number of ranks.
    #[must_use]
    pub fn size(&self) -> u32 {
        u32::try_from(self.ranks.len()).unwrap_or(u32::MAX)
    }

    /// The host of each rank, as an index into [`World::hosts`].
    #[must_use]
    pub fn placement(&self) -> &[u32] {
        &self.placement
    }

    /// The host of a rank, for messages.
    pub(super) fn host(&self, rank: u32) -> &str {
        self.ranks
            .get(rank as usize)
            .map_or("", |hello| &hello.host)
    }

    /// This rank and its host, for messages.
    pub(super) fn here(&self) -> String {
        format!("rank {} on {}", self.rank, self.host(self.rank))
    }

    /// [`clock::domain`] of a rank.
    pub(super) fn clock(&self, rank: u32) -> &str {
        self.ranks
            .get(rank as usize)
            .map_or("", |hello| &hello.clock)
    }

    /// The hosts, for the manifest.
    #[must_use]
    pub fn hosts(&self) -> Vec<(u32, HostEntry)> {
        let entry = |hello: &Hello| HostEntry {
            name: hello.host.clone(),
            address: None,
            facts: hello.facts.clone(),
        };
        self.placement
            .iter()
            .copied()
            .zip(self.ranks.iter().map(entry))
            .collect()
    }

    /// How MPI was started, for the manifest.
    #[must_use]
    pub fn launch(&self) -> Launch {
        let parameters = launcher::parameters(env::vars_os());
        let (library, placement) = (self.mpi.library.clone(), self.placement.clone());
        let waiting = match self.shares_cores {
            false => "spinning: a core for each rank".to_owned(),
            true => format!(
                "asking every {} us: ranks are more than cores",
                NAP.as_micros()
            ),
        };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mut paths = maps
            .lines()
            .filter_map(|line| Some(Path::new(&line[line.find('/')?..])));
        let is_library = |path: &&Path| {
            path.file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"libmpi"))
        };
        Launch {
            library,
            file: paths.find(is_library).map(Path::to_owned),
            waiting,
            parameters,
            placement,
        }
    }
}

/// Why there are too few ranks: often the launcher is of another library.
fn alone(mpi: &Mpi) -> String {
    let (library, size) = (calls::name(&mpi.library), mpi.size());
    match launcher::launched() {
        Some(launcher::Launched {
            ranks: ranks @ 2.., ..
        }) => format!(
            "over MPI {size} of {ranks} ranks can be reached: the launcher is of another MPI than {library}, which \
             `mpicc` belongs to; start them with its launcher, or name the compiler of the launcher's MPI in MPICC"
        ),
        _ => format!(
            "over MPI this is the only rank, and a program needs two: write `mpirun -n 8`, of {library}, before the command"
        ),
    }
}

fn processors() -> BTreeSet<usize> {
    let set = rustix::thread::sched_getaffinity(None).unwrap_or_default();
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&processor| set.is_set(processor))
        .collect()
}

fn exchange(mpi: &Mpi, own: &Hello) -> Result<Vec<Hello>, Error> {
    let bug = |error| Error::Bug(format!("greeting other ranks: {error}"));
    let text = serde_json::to_vec(own).map_err(bug)?;
    let texts = mpi.gather_all(&text);
    let read = |text: Vec<u8>| serde_json::from_slice(&text).map_err(bug);
    texts.into_iter().map(read).collect()
}

/// A rank that differs from rank 0, in words.
fn differ(ranks: &[Hello]) -> Option<String> {
    let first = ranks.first()?;
    ranks.iter().enumerate().find_map(|(rank, hello)| {
        let differs = |what: &str, of: fn(&Hello) -> &String, advice: &str| {
            let (other, own) = (of(hello), of(first));
            (other != own).then(|| {
                format!(
                    "rank {rank} on {} does not {what} as rank 0 on {} ({other}, {own}); {advice}",
                    hello.host, first.host
                )
            })
        };
        let same = "install the same version on all hosts";
        differs("run the same castbench", |hello| &hello.build, same)
            .or_else(|| differs("call MPI by the same file", |hello| &hello.calls, same))
            .or_else(|| {
                let advice = "load the same module on all hosts";
                differs("have the same MPI", |hello| &hello.library, advice)
            })
            .or_else(|| {
                (hello.configuration != first.configuration).then(|| {
                    format!(
                        "rank {rank} on {} did not read the same configuration as rank 0 on {}; give all ranks the same file",
                        hello.host, first.host
                    )
                })
            })
    })
}

fn placement(ranks: &[Hello]) -> Vec<u32> {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let index = |hello| {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        *known.entry(hello).or_insert(next)
    };
    ranks
        .iter()
        .map(|hello| hello.host.as_str())
        .map(index)
        .collect()
}
