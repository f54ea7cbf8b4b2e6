//! Executes tasks: repeats them, over any transport; over TCP it also makes the hosts and starts the ranks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::cluster::{Channel, Cluster};
use super::delivery;
use super::emulated::Network;
use super::error::Error;
use super::hosts::Host;
use super::order::{self, Session};
use super::processes::Processes;
use super::results::{HostEntry, Repetition, Results, Status};
use super::settings::{Settings, Transport};
use super::stop::Stop;
use super::task::Task;

/// The hosts of a transport; emulated ones are made, `count` of them.
///
/// # Errors
/// Emulated hosts cannot be made.
pub fn hosts(transport: &Transport, count: u32) -> Result<Network, Error> {
    Ok(Network::standing(match transport {
        Transport::Loopback { .. } => {
            vec![Host::loopback(
                std::env::current_exe().map_err(|error| Error::no_program(&error))?,
            )]
        }
        Transport::Hosts { hosts, .. } => hosts.clone(),
        Transport::Emulated(shape) => return Network::up(count, *shape),
        // The launcher has already started its ranks.
        Transport::Mpi => Vec::new(),
    }))
}

/// The results of an earlier run that this one continues.
#[derive(Debug, Default)]
pub struct Earlier {
    /// Measured repetitions, with the indices of their tasks.
    pub done: BTreeSet<(usize, u32)>,
    /// The number of the last execution.
    pub number: u64,
}

/// The tasks of a run, over any transport.
pub(crate) struct Work<'a> {
    pub settings: &'a Settings,
    pub tasks: &'a [&'a Task],
    pub earlier: &'a Earlier,
    /// Called after each execution.
    pub tick: &'a dyn Fn(),
    /// Keeps a measured repetition.
    pub keep: &'a dyn Fn(Repetition),
    /// The number of the last execution.
    pub number: u64,
}

/// Measures all tasks that `earlier` lacks; calls `tick` after each execution. Repetitions before a failure are kept,
/// see the status. Ranks must have the caller's `build`.
///
/// # Errors
/// Emulated hosts cannot be made.
pub fn run(
    settings: &Settings,
    tasks: &[&Task],
    earlier: &Earlier,
    build: &str,
    stop: &Stop,
    tick: &dyn Fn(),
) -> Result<Results, Error> {
    let count = tasks.iter().map(|task| task.hosts()).max().unwrap_or(1);
    let network = hosts(&settings.transport, count)?;
    let (repetitions, mut hosts) = (RefCell::new(Vec::new()), BTreeMap::new());
    let mut work = Work {
        settings,
        tasks,
        earlier,
        tick,
        keep: &|repetition| repetitions.borrow_mut().push(repetition),
        number: earlier.number,
    };
    let each = |(index, session): (usize, &Session)| {
        if session.indices.iter().all(|&task| work.has(task, None)) {
            return Ok(());
        }
        let all = network.hosts();
        let mut cluster = Processes::start(settings, all, &session.placement, build, stop)?;
        for (&host, joined) in session.placement.iter().zip(cluster.channel.joined()) {
            let Host { name, address, .. } = &all[host as usize];
            hosts.entry(host).or_insert_with(|| HostEntry {
                name: name.clone(),
                address: Some(address.to_string()),
                facts: joined.facts.clone(),
            });
        }
        work.session(&mut cluster, index, &session.indices)
    };
    let status = order::sessions(tasks).iter().enumerate().try_for_each(each);
    Ok(Results {
        status: status.into(),
        hosts,
        launch: None,
        repetitions: repetitions.into_inner(),
    })
}

impl From<Result<(), Error>> for Status {
    fn from(ended: Result<(), Error>) -> Self {
        match ended {
            Ok(()) => Self::Complete,
            Err(Error::Interrupted) => Self::Interrupted,
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

impl Work<'_> {
    /// Whether a repetition is measured; for a warm-up, whether all repetitions of its task are.
    fn has(&self, task: usize, repetition: Option<u32>) -> bool {
        let has = |repetition| self.earlier.done.contains(&(task, repetition));
        repetition.map_or_else(|| (1..=self.settings.repetitions).all(has), has)
    }

    /// Measures the tasks with these indices on the ranks of a session.
    pub(crate) fn session<C: Channel>(
        &mut self,
        ranks: &mut Cluster<'_, C>,
        index: usize,
        tasks: &[usize],
    ) -> Result<(), Error> {
        let Settings { seed, .. } = *self.settings;
        for (round, repetition) in self.settings.rounds() {
            for task in order::shuffled(index, round, tasks, seed) {
                if self.has(task, repetition) {
                    continue;
                }
                self.number += 1;
                let (number, label) = (self.number, &self.tasks[task].label);
                let delivery = delivery::carry_out(ranks, self.tasks[task], number, seed).map_err(
                    |error| match error {
                        Error::Interrupted => Error::Interrupted,
                        error => Error::Failed(format!("{label}: {error}")),
                    },
                )?;
                if let Some(repetition) = repetition {
                    (self.keep)(Repetition {
                        number,
                        task,
                        repetition,
                        delivery,
                    });
                }
                (self.tick)();
            }
        }
        Ok(())
    }
}
