//! Experiments of rank 0 with rank 1, or with up to four ranks at once, for `castbench calibrate`. Rank 0 chooses them, and each
//! executes its side.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use mpi::Tag;
use mpi::point_to_point::{Destination as _, Source as _};
use mpi::request::scope;

use super::contact::Contact;
use super::end::End;
use super::reply::Reply;
use super::wait::For;
use super::world::World;
use crate::calibrate::{self, MOST_OTHERS, Sample};
use crate::error::Error;
use crate::link::Message;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::wire::{Answer, Probed};
use crate::{clock, plausible};

/// Rank 0 to the others: the next experiment. Different from the tags of tasks.
const EXPERIMENT: Tag = 16;
const MESSAGE: Tag = 17;
const ACKNOWLEDGMENT: Tag = 18;
const READY: Tag = 19;

/// What an experiment is; `NO_MORE` at the end.
const ROW: u64 = 1;
const CROSS: u64 = 2;
const FAN_OUT: u64 = 3;
const INCAST: u64 = 4;

/// What it is, number, length of a message, count of messages, pause between two in ns.
type Experiment = [u64; 5];
const NO_MORE: Experiment = [0; 5];

/// Measures all sizes; rank 0 returns the results. After a loss or a request to stop the process ends with the exit
/// code of `end`.
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
    let contact = Contact { world, limit: settings.limit, stop, end };
    if world.rank() == 0 {
        let measured = calibrate::measure(&mut Pair(&contact), repetitions, settings.seed, tick);
        contact.order(world.size() - 1, &NO_MORE);
        return measured.map(Some);
    }
    while let Some(experiment) = contact.ordered() {
        let probed = match experiment[0] {
            CROSS => contact.cross(0, experiment),
            INCAST => contact.feed(experiment),
            _ => contact.receive(experiment),
        };
        contact.replies(Reply::Probed(probed));
    }
    Ok(None)
}

struct Pair<'a>(&'a Contact<'a>);

impl calibrate::Pair for Pair<'_> {
    fn run(&mut self, number: u64, bytes: u64, count: u32, pause_ns: u64) -> Result<(Probed, Probed), Error> {
        self.both([ROW, number, bytes, count.into(), pause_ns], |experiment| self.0.sender(experiment))
    }

    fn cross(&mut self, number: u64, bytes: u64) -> Result<Probed, Error> {
        self.both([CROSS, number, bytes, 1, 0], |experiment| self.0.cross(1, experiment)).map(|(own, _)| own)
    }

    fn fan(&mut self, number: u64, bytes: u64, sends: bool) -> Result<Option<(u32, Probed)>, Error> {
        let others = (self.0.world.size() - 1).min(MOST_OTHERS);
        if others < 2 {
            return Ok(None);
        }
        let kind = if sends { FAN_OUT } else { INCAST };
        let own = |experiment| self.0.fan(others, sends, experiment);
        self.with(others, [kind, number, bytes, 1, 0], own).map(|(own, _)| Some((others, own)))
    }
}

impl Pair<'_> {
    fn both(&self, experiment: Experiment, own: impl Fn(Experiment) -> Probed) -> Result<(Probed, Probed), Error> {
        self.with(1, experiment, own)
    }

    /// An experiment with the ranks from 1 to `others`. Returns the times of rank 0 and of the last one.
    fn with(
        &self,
        others: u32,
        experiment: Experiment,
        own: impl Fn(Experiment) -> Probed,
    ) -> Result<(Probed, Probed), Error> {
        let asked = Instant::now();
        self.0.order(others, &experiment);
        let sent = own(experiment);
        let mut last = sent;
        for (rank, reply) in (0..).zip(self.0.collect(Reply::Idle, others + 1)).skip(1) {
            let Reply::Probed(received) = reply else {
                return Err(Error::Bug(format!("rank {rank} answered {reply:?} to an experiment")));
            };
            let wrong = |why| Error::Failed(format!("rank {rank} on {}: {why}", self.0.world.host(rank)));
            plausible::alone(&Answer::Probed(received), asked.elapsed()).map_err(wrong)?;
            last = received;
        }
        Ok((sent, last))
    }
}

impl Contact<'_> {
    fn order(&self, others: u32, experiment: &Experiment) {
        for rank in 1..=others {
            scope(|scope| {
                let request = self.process(rank).immediate_send_with_tag(scope, &experiment[..], EXPERIMENT);
                self.wait(request, For::Word, self.limit, || (format!("telling rank {rank}"), Some(rank)));
            });
        }
    }

    fn ordered(&self) -> Option<Experiment> {
        let mut experiment = NO_MORE;
        // Only rank 1 has a part in most experiments.
        let limit = if self.world.rank() == 1 { self.limit } else { Duration::MAX };
        scope(|scope| {
            let request = self.process(0).immediate_receive_into_with_tag(scope, &mut experiment[..], EXPERIMENT);
            self.wait(request, For::Word, limit, || ("waiting for rank 0".to_owned(), Some(0)));
        });
        (experiment != NO_MORE).then_some(experiment)
    }

    /// Waits until this rank and the others of an experiment are ready; of two ranks both begin then.
    fn ready(&self, peers: RangeInclusive<u32>) {
        for peer in peers {
            let lost = || (format!("waiting for rank {peer} to be ready"), Some(peer));
            scope(|scope| {
                let receive = self.process(peer).immediate_receive_into_with_tag(scope, &mut [] as &mut [u8], READY);
                let send = self.process(peer).immediate_send_with_tag(scope, &[] as &[u8], READY);
                self.wait(send, For::Message, self.limit, lost);
                self.wait(receive, For::Message, self.limit, lost);
            });
        }
    }

    fn sender(&self, [_, number, bytes, count, pause_ns]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let (to, limit) = (self.process(1), self.limit);
        let lost = || ("experiment with rank 1".to_owned(), Some(1));
        let mut nothing: [u8; 0] = [];
        self.ready(1..=1);
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
    fn cross(&self, peer: u32, [_, number, bytes, ..]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let mut room = Message::blank(number, length(bytes));
        let (other, limit) = (self.process(peer), self.limit);
        let lost = || (format!("exchange with rank {peer}"), Some(peer));
        self.ready(peer..=peer);
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

    /// Rank 0 sends to all of the others at once, or receives from all, and ends with their acknowledgments.
    fn fan(&self, others: u32, sends: bool, [_, number, bytes, ..]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let own = |is_own: bool| if is_own { length(bytes) } else { 0 };
        let mut rooms: Vec<Message> = (0..others).map(|_| Message::blank(number, own(!sends))).collect();
        let doing = if sends { "fan-out to" } else { "incast from" };
        self.ready(1..=others);
        scope(|scope| {
            let begin = clock::now();
            let mut requests = Vec::new();
            for (rank, room) in (1..=others).zip(&mut rooms) {
                let other = self.process(rank);
                let (tag, room) = if sends { (ACKNOWLEDGMENT, &mut room.room()[..0]) } else { (MESSAGE, room.room()) };
                requests.push((rank, other.immediate_receive_into_with_tag(scope, room, tag)));
            }
            let mut sent = Vec::new();
            for rank in 1..=others {
                let (tag, bytes) = if sends { (MESSAGE, message.whole()) } else { (ACKNOWLEDGMENT, &[] as &[u8]) };
                sent.push((rank, self.process(rank).immediate_send_with_tag(scope, bytes, tag)));
            }
            for (rank, request) in sent {
                self.wait(request, For::Message, self.limit, || (format!("{doing} rank {rank}"), Some(rank)));
            }
            for (rank, request) in requests {
                self.wait(request, For::Message, self.limit, || (format!("{doing} rank {rank}"), Some(rank)));
            }
            Probed { whole_ns: clock::now() - begin, calls_ns: 0 }
        })
    }

    /// Sends rank 0 a message when it asks.
    fn feed(&self, [_, number, bytes, ..]: Experiment) -> Probed {
        let message = Message::make(number, 0, length(bytes), 0);
        let lost = || ("experiment with rank 0".to_owned(), Some(0));
        self.ready(0..=0);
        let begin = clock::now();
        scope(|scope| {
            let asked = self.process(0).immediate_receive_into_with_tag(scope, &mut [] as &mut [u8], ACKNOWLEDGMENT);
            self.wait(asked, For::Message, self.limit, lost);
            let sent = self.process(0).immediate_send_with_tag(scope, message.whole(), MESSAGE);
            self.wait(sent, For::Message, self.limit, lost);
        });
        Probed { whole_ns: clock::now() - begin, calls_ns: 0 }
    }

    fn receive(&self, [_, number, bytes, count, pause_ns]: Experiment) -> Probed {
        let mut room = Message::blank(number, length(bytes));
        let (from, limit) = (self.process(0), self.limit);
        let lost = || ("experiment with rank 0".to_owned(), Some(0));
        self.ready(0..=0);
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
