//! The ranks from the launcher, and what they exchange before the measurement.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::time::Duration;

use mpi::Threading;
use mpi::collective::CommunicatorCollectives as _;
use mpi::datatype::PartitionMut;
use mpi::environment::{self, Universe};
use mpi::topology::{Communicator as _, SimpleCommunicator};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::Error;
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
    pub(super) everyone: SimpleCommunicator,
    rank: u32,
    ranks: Vec<Hello>,
    /// The host of each rank, as an index into the distinct hosts.
    placement: Vec<u32>,
    /// Whether there are more ranks than cores: then a rank that waits sleeps between two polls.
    pub(super) shares_cores: bool,
    library: String,
    _universe: Universe,
}

impl World {
    /// Starts MPI and exchanges greetings. All ranks must have the same `build` and `configuration`, as text.
    ///
    /// # Errors
    /// [`Error::Launched`] for a single rank, [`Error::Differ`] for different programs or configurations; MPI does not
    /// start.
    pub fn join(build: &str, configuration: &str) -> Result<Self, Error> {
        let failed = |why: &str| Error::Failed(format!("MPI cannot be started: {why}"));
        // The guard, the other thread of a rank, does not call MPI.
        let (universe, provided) = mpi::initialize_with_threading(Threading::Funneled)
            .ok_or_else(|| failed("it is already running"))?;
        if provided < Threading::Funneled {
            return Err(failed("it does not support a second thread in the process"));
        }
        let library = environment::library_version().unwrap_or_default();
        let library = library.trim_end_matches('\0').trim().to_owned();
        let everyone = universe.world();
        if everyone.size() < 2 {
            let why = alone(&library);
            return Err(Error::Launched(format!(
                "over MPI this is the only rank, and a program needs two: {why}"
            )));
        }
        let host = environment::processor_name()
            .map_err(|_| failed("it does not know the name of its host"))?;
        let configuration = Sha256::digest(configuration)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let (clock, processors, facts) = (clock::domain(), processors(), facts::here());
        let own = Hello {
            build: build.to_owned(),
            configuration,
            host,
            clock,
            processors,
            facts,
        };
        let ranks = exchange(&everyone, &own)?;
        let rank = u32::try_from(everyone.rank()).unwrap_or_default();
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
            everyone,
            rank,
            ranks,
            placement,
            shares_cores,
            library,
            _universe: universe,
        })
    }

    /// Ends this rank and so all: the launcher notices an exit without a farewell.
    pub fn leave(&self, code: i32) -> ! {
        self.everyone.abort(code)
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

    /// A rank and its host, for messages.
    pub(super) fn at(&self, rank: u32) -> String {
        format!(
            "rank {rank} on {}",
            self.ranks
                .get(rank as usize)
                .map_or("", |hello| &hello.host)
        )
    }

    /// Whether a rank reads the same clock as rank 0.
    pub(super) fn same_clock(&self, rank: u32) -> bool {
        let [first, other] =
            [0, rank].map(|rank| self.ranks.get(rank as usize).map(|hello| &hello.clock));
        first == other && first.is_some_and(|clock| !clock.is_empty())
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
        let (library, placement) = (self.library.clone(), self.placement.clone());
        let waiting = match self.shares_cores {
            false => "spinning: a core for each rank".to_owned(),
            true => format!(
                "asking every {} us: ranks are more than cores",
                NAP.as_micros()
            ),
        };
        Launch {
            library,
            waiting,
            parameters,
            placement,
        }
    }
}

/// Why there is only one rank: often the launcher is of another library.
fn alone(library: &str) -> String {
    match launcher::launched() {
        Some(launcher::Launched {
            ranks: ranks @ 2.., ..
        }) => {
            format!(
                "{ranks} were started, by the launcher of another MPI than {library}, with which castbench was built"
            )
        }
        _ => format!("start it with `mpirun -n 8 castbench measure ...`, of {library}"),
    }
}

fn processors() -> BTreeSet<usize> {
    let set = rustix::thread::sched_getaffinity(None).unwrap_or_default();
    (0..rustix::thread::CpuSet::MAX_CPU)
        .filter(|&processor| set.is_set(processor))
        .collect()
}

fn exchange(everyone: &SimpleCommunicator, own: &Hello) -> Result<Vec<Hello>, Error> {
    let bug = |error: &dyn std::fmt::Display| Error::Bug(format!("greeting other ranks: {error}"));
    let text = serde_json::to_vec(own).map_err(|error| bug(&error))?;
    let length = i32::try_from(text.len()).map_err(|error| bug(&error))?;
    let mut lengths = vec![0_i32; usize::try_from(everyone.size()).map_err(|error| bug(&error))?];
    everyone.all_gather_into(&length, &mut lengths[..]);
    let mut starts = Vec::new();
    let mut total = 0;
    for length in &lengths {
        starts.push(total);
        total += length;
    }
    let mut texts = vec![0_u8; usize::try_from(total).map_err(|error| bug(&error))?];
    everyone.all_gather_varcount_into(
        &text[..],
        &mut PartitionMut::new(&mut texts[..], &lengths[..], &starts[..]),
    );
    let mut ranks = Vec::new();
    let mut rest = &texts[..];
    for length in lengths {
        let (text, after) = rest.split_at(usize::try_from(length).map_err(|error| bug(&error))?);
        ranks.push(serde_json::from_slice(text).map_err(|error| bug(&error))?);
        rest = after;
    }
    Ok(ranks)
}

/// A rank that differs from rank 0, in words.
fn differ(ranks: &[Hello]) -> Option<String> {
    let first = ranks.first()?;
    ranks.iter().enumerate().find_map(|(rank, hello)| {
        let of = |what: &str, advice: &str| {
            format!(
                "rank {rank} on {} {what} as rank 0 on {}; {advice}",
                hello.host, first.host
            )
        };
        if hello.build != first.build {
            let (other, own) = (&hello.build, &first.build);
            return Some(of(
                &format!("does not run the same castbench ({other}, {own})"),
                "install the same version on all \
            hosts",
            ));
        }
        let same = hello.configuration == first.configuration;
        (!same).then(|| {
            of(
                "did not read the same configuration",
                "give all ranks the same file",
            )
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
