//! Multicasts over MPI: every rank is started by the launcher of MPI (`mpirun`) and runs the same program.
//!
//! The trees are carried out as over TCP, message by message, each acknowledged; beside them the library's own broadcast
//! is timed. Every rank reads the configuration, plans the same multicasts in the same order and does its part of each.
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
mod guard;
mod probe;
mod trouble;
mod wait;
mod world;

use std::sync::{Mutex, PoisonError};
use std::thread;

use super::config::Config;
use super::plan::{self, Point};
use super::record::{Launch, Records, Status};
use super::run::{Kept, rounds};
use super::stop;
use crate::failure::{Code, Failure, tell};
use carrier::Carrier;
use guard::Guard;
pub use probe::calibrate;
pub use world::World;

/// What to do with the records of a measurement, however it ended.
pub type Finish<'a> = &'a (dyn Fn(Records) -> Result<(), Failure> + Sync);

/// Ends a measurement on rank 0, from whichever thread comes to it: keeps what was measured, says how it ended, returns
/// the exit code. On other ranks, and the second time, there is nothing to keep.
type End<'a> = &'a (dyn Fn(Status) -> Code + Sync);

/// Measures all points; every rank calls this. On rank 0 `tick` is called after each multicast and `finish` at the end;
/// the others call neither.
///
/// Where a rank is lost there is no way back to the caller: rank 0 calls `finish`, says what it says, and ends all ranks.
///
/// # Errors
/// Those of `finish`.
pub fn run(
    world: &World,
    config: &Config,
    points: &[Point<'_>],
    tick: &dyn Fn(),
    finish: Finish<'_>,
) -> Result<(), Failure> {
    let mut kept = Kept::new(config, points);
    for (place, entry) in world.hosts() {
        kept.host(place, || entry);
    }
    let (kept, launch) = (Mutex::new((world.rank() == 0).then_some(kept)), world.launch());
    let finish = |status| conclude(&kept, launch.clone(), status, finish);
    let guard = Guard::new(world.rank());
    let end = |status| match finish(status) {
        // Somebody else has ended it already.
        Ok(()) => Code::Measurement,
        Err(Failure { code, message }) => {
            if !message.is_empty() {
                tell(message);
            }
            code
        }
    };
    let ended = thread::scope(|threads| {
        threads.spawn(|| guard.watch(&end));
        let status = all(&Carrier::new(world, config, &guard, &end, points), points, &kept, tick);
        guard.dismiss();
        status
    });
    finish(ended)
}

fn conclude(kept: &Mutex<Option<Kept<'_>>>, launch: Launch, status: Status, finish: Finish<'_>) -> Result<(), Failure> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
    kept.map_or(Ok(()), |kept| finish(kept.records(status, Some(launch))))
}

/// Carries out every round.
fn all(carrier: &Carrier<'_>, points: &[Point<'_>], kept: &Mutex<Option<Kept<'_>>>, tick: &dyn Fn()) -> Status {
    let config = carrier.config;
    let places: Vec<usize> = (0..points.len()).collect();
    let mut number = 0;
    for (round, repetition) in rounds(config) {
        for place in plan::order(0, round, &places, config.seed) {
            number += 1;
            let point = &points[place];
            if stop::requested() {
                carrier.interrupted();
            }
            if !carrier.word(true) {
                return Status::Complete;
            }
            let delivery = match carrier.multicast(number, point) {
                Ok(delivery) => delivery,
                Err(reason) => {
                    carrier.word(false);
                    return Status::Failed(format!("{}: {reason}", point.describe()));
                }
            };
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(kept), Some(delivery), Some(repetition)) = (kept.as_mut(), delivery, repetition) {
                kept.delivery(number, repetition, place, &carrier.world.names(point.K), &delivery);
            }
            drop(kept);
            tick();
        }
    }
    carrier.word(false);
    Status::Complete
}
