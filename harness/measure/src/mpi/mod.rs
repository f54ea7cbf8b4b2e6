//! Tasks over MPI: the MPI launcher (`mpirun`) starts every rank, and all run the same castbench.
//!
//! Programs are executed as over TCP, message by message, each acknowledged. The library's own collectives are timed as
//! well. Every rank reads the configuration, plans the same tasks in the same order and does its part of each. Rank 0
//! starts each task, collects times and digests, and saves them.
//!
//! **Binding.** `calls.c` is compiled by the user's `mpicc` at first use and loaded (`compiled`, `calls`), so any castbench
//! measures over any MPI whose launcher and library match; tested with Open MPI 4 and 5 and MPICH 4.
//!
//! **Waiting.** A blocking call of MPI spins; with more ranks than cores it takes the processor from ranks with work.
//! So requests are polled, and a rank sleeps between two polls (`contact`). Only blocking functions of the library that are
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

use crate::calibrate::{self, Sample};
use crate::error::Error;
use crate::fault::Fault;
use crate::rank::Rank;
use crate::results::{Results, Status};
use crate::run::{Earlier, Work};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::task::Task;
pub use guard::End;
use guard::Guard;
use link::{GRACE, Ours};
use root::Root;
pub use world::World;

/// Called before the process ends without returning to the caller: on rank 0 with the results so far, elsewhere with
/// none. Returns the exit code.
pub type LastWords<'a> = &'a (dyn Fn(Option<Results>) -> i32 + Sync);

/// Measures all tasks; every rank calls this. Rank 0 calls `tick` after each task and returns the results.
///
/// After a loss or a request to stop it does not return: all ranks end, each after its `last_words`.
pub fn run(
    world: &World,
    settings: &Settings,
    tasks: &[&Task],
    stop: &Stop,
    tick: &dyn Fn(),
    last_words: LastWords<'_>,
) -> Option<Results> {
    let kept = (world.rank() == 0).then(|| Results {
        launch: Some(world.launch()),
        // Of the ranks on a host, the first one.
        hosts: world.hosts().into_iter().rev().collect(),
        ..Results::default()
    });
    let kept = Mutex::new(kept);
    let conclude = |status| {
        let results = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        results.map(|results| Results { status, ..results })
    };
    let mut work = Work {
        settings,
        tasks,
        earlier: &Earlier::default(),
        tick,
        keep: &|repetition| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(kept) = kept.as_mut() {
                kept.repetitions.push(repetition);
            }
        },
        number: 0,
    };
    let patience = 2 * (settings.limit + GRACE);
    let end = |status| last_words(conclude(status));
    let all: Vec<usize> = (0..tasks.len()).collect();
    let measured = among(world, settings, stop, &end, patience, |root| {
        work.session(root, 0, &all)
    });
    conclude(measured.map_or(Status::Complete, Status::from))
}

/// Measures all sizes; every rank calls this, and rank 0 returns the results. After a loss or a request to stop the
/// process ends with the exit code of `end`.
///
/// # Errors
/// What a rank answers that is not of the experiment, or cannot be true.
pub fn calibrate(
    world: &World,
    settings: &Settings,
    repetitions: u32,
    stop: &Stop,
    tick: &dyn Fn(),
    end: End<'_>,
) -> Result<Option<Vec<Sample>>, Error> {
    // Only rank 1 has a part in most experiments.
    let patience = match world.rank() {
        1 => 2 * (settings.limit + GRACE),
        _ => Duration::MAX,
    };
    among(world, settings, stop, end, patience, |root| {
        calibrate::measure(root, repetitions, settings.seed, tick)
    })
    .transpose()
}

/// Lets rank 0 lead; the others obey it until it has ended, and wait for each order with this patience.
fn among<T>(
    world: &World,
    settings: &Settings,
    stop: &Stop,
    end: End<'_>,
    patience: Duration,
    lead: impl FnOnce(&mut Root<'_>) -> T,
) -> Option<T> {
    let guard = Guard::new(world.rank(), stop);
    thread::scope(|threads| {
        threads.spawn(|| guard.watch(end));
        let mut rank = Rank::new(Ours::new(world, &guard, stop, settings.limit, end));
        let led = if world.rank() == 0 {
            let mut root = Root::new(rank);
            let led = lead(&mut root);
            root.rank.link.dismiss();
            Some(led)
        } else {
            if let Err(fault) = obey(&mut rank, patience) {
                rank.link.give_up(fault);
            }
            None
        };
        guard.dismiss();
        led
    })
}

fn obey(rank: &mut Rank<Ours<'_>>, patience: Duration) -> Result<(), Fault> {
    while let Some(order) = rank.link.ordered(patience)? {
        let answer = rank.obey(order)?;
        rank.link.answer(&answer)?;
    }
    Ok(())
}
