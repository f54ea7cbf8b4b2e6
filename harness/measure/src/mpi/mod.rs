//! Tasks over MPI: the MPI launcher (`mpirun`) starts every rank, and all run the same castbench.
//!
//! Programs are executed as over TCP, message by message, each acknowledged. The library's own collectives are timed as
//! well. Rank 0 plans the tasks, gives the orders to all ranks and to itself, collects times and digests, and saves them.
//!
//! **Binding.** `calls.c` is compiled by the user's `mpicc` at first use and loaded (`compiled`, `calls`), so any castbench
//! measures over any MPI whose launcher and library match; tested with Open MPI 4 and 5 and MPICH 4.
//!
//! **Waiting.** A blocking call of MPI spins; with more ranks than cores it takes the processor from ranks with work.
//! So requests are polled, and a rank sleeps between two polls (`link`). Only blocking functions of the library that are
//! measured wait in it; see `guard`.

mod calls;
mod compiled;
mod guard;
mod link;
mod root;
mod world;

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::calibrate::{self, Measured, Nodes};
use crate::cluster::{Cluster, GRACE};
use crate::error::Error;
use crate::rank::Rank;
use crate::results::{Results, Status};
use crate::run::{Earlier, Work};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::task::Task;
pub use guard::End;
use guard::Guard;
use link::Ours;
use root::Root;
pub use world::World;

/// Called before the process of rank 0 ends without returning to the caller, with the results so far; none if they were
/// given before. Returns the exit code.
pub type LastWords<'a> = &'a (dyn Fn(Option<Results>) -> i32 + Sync);

/// Measures all tasks as rank 0; calls `tick` after each. The other ranks [`obey`].
///
/// After a loss or a request to stop it does not return: all ranks end, this one after its `last_words`.
pub fn run(
    world: &World,
    settings: &Settings,
    tasks: &[&Task],
    stop: &Stop,
    tick: &dyn Fn(),
    last_words: LastWords<'_>,
) -> Option<Results> {
    let kept = Mutex::new(Some(Results {
        launch: Some(world.launch()),
        // Of the ranks on a host, the first one.
        hosts: world.hosts().into_iter().rev().collect(),
        ..Results::default()
    }));
    let locked = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let conclude = |status| {
        let results = locked().take();
        results.map(|results| Results { status, ..results })
    };
    let keep = |repetition| {
        if let Some(kept) = locked().as_mut() {
            kept.repetitions.push(repetition);
        }
    };
    let mut work = Work {
        settings,
        tasks,
        earlier: &Earlier::default(),
        tick,
        keep: &keep,
        number: 0,
    };
    let all: Vec<usize> = (0..tasks.len()).collect();
    let end = |status| last_words(conclude(status));
    lead(world, settings, stop, &end, |root| {
        work.session(root, 0, &all)
    });
    conclude(Status::Complete)
}

/// Measures all sizes as rank 0; the other ranks [`obey`]. After a loss or a request to stop the process ends with the
/// exit code of `end`.
pub fn calibrate(
    world: &World,
    settings: &Settings,
    nodes: Option<&Nodes>,
    repetitions: u32,
    stop: &Stop,
    tick: &dyn Fn(),
    end: End<'_>,
) -> Measured {
    lead(world, settings, stop, end, |root| {
        calibrate::measure(root, nodes, repetitions, settings.seed, tick)
    })
}

/// Obeys rank 0 until it has ended. After a loss or a request to stop the process ends with the exit code of `end`; one
/// that gets no orders for long, if it is `awaited`, has lost rank 0.
pub fn obey(world: &World, settings: &Settings, stop: &Stop, end: End<'_>, awaited: bool) {
    let patience = match awaited {
        true => 2 * (settings.limit + GRACE),
        false => Duration::MAX,
    };
    guarded(world, settings, stop, end, |mut rank| {
        let mut obey = || {
            while let Some(order) = rank.link.ordered(patience)? {
                let answer = rank.obey(order)?;
                rank.link.answer(&answer)?;
            }
            Ok(())
        };
        if let Err(fault) = obey() {
            rank.link.give_up(fault);
        }
    });
}

fn lead<T>(
    world: &World,
    settings: &Settings,
    stop: &Stop,
    end: End<'_>,
    lead: impl FnOnce(&mut Cluster<'_, Root<'_>>) -> Result<T, Error>,
) -> T {
    guarded(world, settings, stop, end, |rank| {
        let mut root = Cluster::new(Root::new(rank), settings.limit, stop);
        let led = lead(&mut root).and_then(|led| {
            let dismiss = |rank| root.channel.rank.link.order(rank, None);
            let dismissed = (1..world.size()).try_for_each(dismiss);
            dismissed.map_err(|fault| Error::Failed(fault.explanation))?;
            Ok(led)
        });
        led.unwrap_or_else(|error| world.leave(end(Err(error).into())))
    })
}

/// Lets this rank act while a guard watches it.
fn guarded<T>(
    world: &World,
    settings: &Settings,
    stop: &Stop,
    end: End<'_>,
    act: impl FnOnce(Rank<Ours<'_>>) -> T,
) -> T {
    let guard = Guard::new(world.rank(), stop);
    thread::scope(|threads| {
        threads.spawn(|| guard.watch(end));
        let link = Ours::new(world, &guard, stop, settings.limit, end);
        let acted = act(Rank::new(link));
        guard.dismiss();
        acted
    })
}
