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
mod carrier;
mod compiled;
mod contact;
mod guard;
mod inbox;
mod probe;
mod world;

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::order;
use crate::results::{Repetition, Results, Status};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::task::Task;
use carrier::Carrier;
use contact::Contact;
pub use contact::End;
use guard::Guard;
pub use probe::calibrate;
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
    let kept = (world.rank() == 0).then(|| {
        let mut results = Results {
            launch: Some(world.launch()),
            ..Results::default()
        };
        for (host, entry) in world.hosts() {
            results.hosts.entry(host).or_insert(entry);
        }
        results
    });
    let kept = Mutex::new(kept);
    let conclude = |status| {
        let results = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        results.map(|results| Results { status, ..results })
    };
    let guard = Guard::new(world.rank(), stop);
    let end = |status| last_words(conclude(status));
    let ended = thread::scope(|threads| {
        threads.spawn(|| guard.watch(&end));
        let contact = Contact {
            world,
            limit: settings.limit,
            stop,
            end: &end,
        };
        let carrier = Carrier::new(contact, &guard, settings.seed, tasks);
        let status = all(&carrier, settings, tasks, &kept, tick);
        guard.dismiss();
        status
    });
    conclude(ended)
}

fn all(
    carrier: &Carrier<'_>,
    settings: &Settings,
    tasks: &[&Task],
    kept: &Mutex<Option<Results>>,
    tick: &dyn Fn(),
) -> Status {
    let indices: Vec<usize> = (0..tasks.len()).collect();
    let mut number = 0;
    for (round, repetition) in settings.rounds() {
        for index in order::shuffled(0, round, &indices, settings.seed) {
            number += 1;
            let task = tasks[index];
            if carrier.contact.stop.requested() {
                carrier.contact.interrupted();
            }
            if !carrier.word(true) {
                return Status::Complete;
            }
            let delivery = match carrier.carry_out(number, task) {
                Ok(delivery) => delivery,
                Err(reason) => {
                    carrier.word(false);
                    return Status::Failed(format!("{}: {reason}", task.label));
                }
            };
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(kept), Some(delivery), Some(repetition)) =
                (kept.as_mut(), delivery, repetition)
            {
                kept.repetitions.push(Repetition {
                    number,
                    task: index,
                    repetition,
                    delivery,
                });
            }
            drop(kept);
            tick();
        }
    }
    carrier.word(false);
    Status::Complete
}
