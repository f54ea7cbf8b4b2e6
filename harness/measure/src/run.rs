//! Executes tasks over TCP: makes the hosts, starts the ranks, repeats the tasks, keeps the results.

use std::collections::BTreeSet;

use super::cluster::Cluster;
use super::emulated::Network;
use super::error::Error;
use super::hosts::Host;
use super::order::{self, Session};
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

impl Earlier {
    /// Whether a repetition is measured; for a warm-up, whether all repetitions of its task are.
    fn has(&self, task: usize, repetition: Option<u32>, repetitions: u32) -> bool {
        let has = |repetition| self.done.contains(&(task, repetition));
        repetition.map_or_else(|| (1..=repetitions).all(has), has)
    }
}

struct Work<'a> {
    settings: &'a Settings,
    tasks: &'a [&'a Task],
    earlier: &'a Earlier,
    build: &'a str,
    stop: &'a Stop,
    tick: &'a dyn Fn(),
    number: u64,
    results: Results,
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
    let sessions = order::sessions(tasks);
    let count = tasks.iter().map(|task| task.hosts()).max().unwrap_or(1);
    let network = hosts(&settings.transport, count)?;
    let (number, results) = (earlier.number, Results::default());
    let mut work = Work {
        settings,
        tasks,
        earlier,
        build,
        stop,
        tick,
        number,
        results,
    };
    let mut each = sessions.iter().enumerate();
    work.results.status =
        match each.try_for_each(|(index, session)| work.session(index, session, network.hosts())) {
            Ok(()) => Status::Complete,
            Err(Error::Interrupted) => Status::Interrupted,
            Err(error) => Status::Failed(error.to_string()),
        };
    Ok(work.results)
}

impl Work<'_> {
    fn session(&mut self, index: usize, session: &Session, hosts: &[Host]) -> Result<(), Error> {
        let has = |task, repetition| {
            self.earlier
                .has(task, repetition, self.settings.repetitions)
        };
        if session.indices.iter().all(|&task| has(task, None)) {
            return Ok(());
        }
        let mut cluster = Cluster::start(
            self.settings,
            hosts,
            &session.placement,
            self.build,
            self.stop,
        )?;
        for (&host, joined) in session.placement.iter().zip(cluster.joined()) {
            let Host { name, address, .. } = &hosts[host as usize];
            let address = Some(address.to_string());
            let entry = || HostEntry {
                name: name.clone(),
                address,
                facts: joined.facts.clone(),
            };
            self.results.hosts.entry(host).or_insert_with(entry);
        }
        for (round, repetition) in self.settings.rounds() {
            for task in order::shuffled(index, round, &session.indices, self.settings.seed) {
                if self
                    .earlier
                    .has(task, repetition, self.settings.repetitions)
                {
                    continue;
                }
                self.carry_out(&mut cluster, task, repetition)?;
                (self.tick)();
            }
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        cluster: &mut Cluster<'_>,
        index: usize,
        repetition: Option<u32>,
    ) -> Result<(), Error> {
        let task = self.tasks[index];
        self.number += 1;
        let number = self.number;
        let delivery = cluster
            .carry_out(task, number, self.settings.seed)
            .map_err(|error| match error {
                Error::Interrupted => Error::Interrupted,
                error => Error::Failed(format!("{}: {error}", task.label)),
            })?;
        if let Some(repetition) = repetition {
            self.results.repetitions.push(Repetition {
                number,
                task: index,
                repetition,
                delivery,
            });
        }
        Ok(())
    }
}
