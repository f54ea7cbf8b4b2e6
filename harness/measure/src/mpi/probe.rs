//! Experiments between ranks 0 and 1 for `castbench calibrate`. Rank 0 chooses them, and both execute their side.

use std::time::Instant;

use mpi::Tag;
use mpi::point_to_point::{Destination as _, Source as _};
use mpi::request::scope;

use super::contact::Contact;
use super::end::End;
use super::reply::Reply;
use super::wait::For;
use super::world::World;
use crate::calibrate::{self, Sample};
use crate::error::Error;
use crate::link::Message;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::wire::{Answer, Probed};
use crate::{clock, plausible};

/// Rank 0 to rank 1: the next experiment. Different from the tags of tasks.
const EXPERIMENT: Tag = 16;
const MESSAGE: Tag = 17;
const ACKNOWLEDGMENT: Tag = 18;

/// Number, length of a message, count, pause between two in ns; all 0 at the end. A count of 0 is an exchange.
type Experiment = [u64; 4];
const NO_MORE: Experiment = [0; 4];

/// Measures all sizes; rank 0 returns the results. After a loss or a request to stop the process ends with the exit
/// code of `end`.
///
/// # Errors
/// [`Error::NotTwo`] without exactly two ranks.
pub fn calibrate(
    world: &World,
    settings: &Settings,
    repetitions: u32,
    stop: &Stop,
    tick: &dyn Fn(),
    end: End<'_>,
) -> Result<Option<Vec<Sample>>, Error> {
    if world.size() != 2 {
        return Err(Error::NotTwo(world.size()));
    }
    let contact = Contact { world, limit: settings.limit, stop, end };
    if world.rank() == 0 {
        let measured = calibrate::measure(&mut Pair(&contact), repetitions, settings.seed, tick);
        contact.order(&NO_MORE);
        return measured.map(Some);
    }
    while let Some(experiment) = contact.ordered() {
        let probed = if experiment[2] == 0 { contact.cross(0, experiment) } else { contact.receive(experiment) };
        contact.replies(Reply::Probed(probed));
    }
    Ok(None)
}

struct Pair<'a>(&'a Contact<'a>);

impl calibrate::Pair for Pair<'_> {
    fn run(&mut self, number: u64, bytes: u64, count: u32, pause_ns: u64) -> Result<(Probed, Probed), Error> {
        self.both([number, bytes, count.into(), pause_ns], |experiment| self.0.sender(experiment))
    }

    fn cross(&mut self, number: u64, bytes: u64) -> Result<Probed, Error> {
        self.both([number, bytes, 0, 0], |experiment| self.0.cross(1, experiment)).map(|(own, _)| own)
    }
}

impl Pair<'_> {
    fn both(&self, experiment: Experiment, own: impl Fn(Experiment) -> Probed) -> Result<(Probed, Probed), Error> {
        let asked = Instant::now();
        self.0.order(&experiment);
        let sent = own(experiment);
        match self.0.replies(Reply::Idle).pop() {
            Some(Reply::Probed(received)) => {
                let wrong = |why| Error::Failed(format!("rank 1 on {}: {why}", self.0.world.host(1)));
                plausible::alone(&Answer::Probed(received), asked.elapsed()).map_err(wrong)?;
                Ok((sent, received))
            }
            other => Err(Error::Bug(format!("rank 1 answered {other:?} to an experiment"))),
        }
    }
}

impl Contact<'_> {
    fn order(&self, experiment: &Experiment) {
        scope(|scope| {
            let request = self.process(1).immediate_send_with_tag(scope, &experiment[..], EXPERIMENT);
            self.wait(request, For::Word, self.limit, || ("telling rank 1".to_owned(), Some(1)));
        });
    }

    fn ordered(&self) -> Option<Experiment> {
        let mut experiment = NO_MORE;
        scope(|scope| {
            let request = self.process(0).immediate_receive_into_with_tag(scope, &mut experiment[..], EXPERIMENT);
            self.wait(request, For::Word, self.limit, || ("waiting for rank 0".to_owned(), Some(0)));
        });
        (experiment != NO_MORE).then_some(experiment)
    }

    fn sender(&self, [number, bytes, count, pause_ns]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let (to, limit) = (self.process(1), self.limit);
        let lost = || ("experiment with rank 1".to_owned(), Some(1));
        let mut nothing: [u8; 0] = [];
        self.barrier();
        scope(|scope| {
            let answer = to.immediate_receive_into_with_tag(scope, &mut nothing[..], ACKNOWLEDGMENT);
            let begin = clock::now();
            let mut calls_ns = 0;
            for sent in 0..count {
                let before = if sent == 0 { begin } else { clock::pause_until(clock::now(), pause_ns) };
                let request = to.immediate_send_with_tag(scope, message.whole(), MESSAGE);
                self.wait(request, For::Message, limit, lost);
                calls_ns += clock::now() - before;
            }
            self.wait(answer, For::Message, limit, lost);
            Probed { whole_ns: clock::now() - begin, calls_ns }
        })
    }

    /// Both send a message and receive one, then acknowledge it, as a library does in a round.
    fn cross(&self, peer: u32, [number, bytes, ..]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let mut room = Message::blank(number, length(bytes));
        let (other, limit) = (self.process(peer), self.limit);
        let lost = || (format!("exchange with rank {peer}"), Some(peer));
        self.barrier();
        let begin = clock::now();
        for (sent, received) in [(message.whole(), room.room()), (&[], &mut [])] {
            scope(|scope| {
                let receive = other.immediate_receive_into_with_tag(scope, received, MESSAGE);
                let send = other.immediate_send_with_tag(scope, sent, MESSAGE);
                self.wait(send, For::Message, limit, lost);
                self.wait(receive, For::Message, limit, lost);
            });
        }
        Probed { whole_ns: clock::now() - begin, calls_ns: 0 }
    }

    fn receive(&self, [number, bytes, count, pause_ns]: Experiment) -> Probed {
        let mut room = Message::blank(number, length(bytes));
        let (from, limit) = (self.process(0), self.limit);
        let lost = || ("experiment with rank 0".to_owned(), Some(0));
        self.barrier();
        let mut reading = 0;
        for _ in 0..count {
            let begin = clock::pause_until(clock::now(), pause_ns);
            scope(|scope| {
                let request = from.immediate_receive_into_with_tag(scope, room.room(), MESSAGE);
                self.wait(request, For::Message, limit, lost);
            });
            reading += clock::now() - begin;
        }
        scope(|scope| {
            let request = from.immediate_send_with_tag(scope, &[] as &[u8], ACKNOWLEDGMENT);
            self.wait(request, For::Message, limit, lost);
        });
        Probed { whole_ns: reading, calls_ns: 0 }
    }
}

/// The measured sizes fit in any memory.
fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
