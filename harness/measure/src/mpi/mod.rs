//! Tasks over MPI: every rank is started by the launcher of MPI (`mpirun`) and runs the same castbench.
//!
//! Programs are carried out as over TCP, message by message, each acknowledged; beside them the library's own broadcast
//! is timed. Every rank reads the configuration, plans the same tasks in the same order and does its part of each.
//! Rank 0 gives the word before each, hears of the times and the digests, and keeps them.
//!
//! **Binding.** `mpi` (rsmpi): of the bindings there are it is kept longest, and its requests cannot outlive their
//! buffers, so this crate stays without unsafe code. When it is built it asks for `mpicc` and libclang: hence a feature.
//! Any MPI will do whose launcher is that of the library the program was built with; it is tested with Open MPI.
//!
//! **Waiting.** A blocking call of MPI spins, and where ranks are more than cores it takes the processor from those that
//! have something to do. So nothing waits in MPI: requests are begun and asked after, and between two questions a rank
//! sleeps (`wait`). `MPI_Bcast` alone waits as the library does, for that is what is measured; see `guard`.

mod carrier;
mod contact;
mod end;
mod guard;
mod inbox;
mod probe;
mod reply;
mod wait;
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
pub use end::End;
use guard::Guard;
pub use probe::calibrate;
pub use world::World;

/// What to do where the process ends without a way back to the caller: on rank 0 with what was measured so far, elsewhere
/// with nothing. Returns the exit code of the process.
pub type LastWords<'a> = &'a (dyn Fn(Option<Results>) -> i32 + Sync);

/// Measures all tasks; every rank calls this. On rank 0 `tick` is called after each, and it returns what was measured.
///
/// Where a rank is lost, or a request to stop comes, there is no way back to the caller: all ranks end, each after its
/// `last_words`.
pub fn run(
    world: &World,
    settings: &Settings,
    tasks: &[&Task],
    stop: &Stop,
    tick: &dyn Fn(),
    last_words: LastWords<'_>,
) -> Option<Results> {
    let kept = (world.rank() == 0).then(|| {
        let mut results = Results::new(Some(world.launch()));
        for (place, entry) in world.hosts() {
            results.hosts.entry(place).or_insert(entry);
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
        let contact = Contact { world, limit: settings.limit, stop, end: &end };
        let carrier = Carrier::new(contact, &guard, settings.seed, tasks);
        let status = all(&carrier, settings, tasks, &kept, tick);
        guard.dismiss();
        status
    });
    conclude(ended)
}

/// Carries out every round.
fn all(
    carrier: &Carrier<'_>,
    settings: &Settings,
    tasks: &[&Task],
    kept: &Mutex<Option<Results>>,
    tick: &dyn Fn(),
) -> Status {
    let places: Vec<usize> = (0..tasks.len()).collect();
    let mut number = 0;
    for (round, repetition) in settings.rounds() {
        for place in order::shuffled(0, round, &places, settings.seed) {
            number += 1;
            let task = tasks[place];
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
            if let (Some(kept), Some(delivery), Some(repetition)) = (kept.as_mut(), delivery, repetition) {
                kept.repetitions.push(Repetition { number, place, repetition, delivery });
            }
            drop(kept);
            tick();
        }
    }
    carrier.word(false);
    Status::Complete
}
