//! Experiments of rank 0 with rank 1, or with up to four ranks at once, for `castbench calibrate`. Rank 0 chooses them, and each
//! executes its side.

use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use super::calls::scope;
use super::contact::{Contact, End, text};
use super::world::World;
use crate::calibrate::{self, Sample};
use crate::error::Error;
use crate::link::Message;
use crate::rank::both_ways;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::wire::{Answer, Kind, Probe, Probed};
use crate::{clock, plausible};

/// Rank 0 to the others: the next experiment. Different from the tags of tasks.
const EXPERIMENT: i32 = 16;
const MESSAGE: i32 = 17;
const ACKNOWLEDGMENT: i32 = 18;
const READY: i32 = 19;
const EXPERIMENTING: &str = "experiment with";

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
    let contact = Contact {
        world,
        limit: settings.limit,
        stop,
        end,
    };
    if world.rank() == 0 {
        let measured = calibrate::measure(&mut Pair(&contact), repetitions, settings.seed, tick);
        contact.order(world.size() - 1, None);
        return measured.map(Some);
    }
    while let Some(probe) = contact.ordered()? {
        let probed = match probe.kind {
            Kind::Row => contact.row(&probe),
            Kind::Cross => contact.cross(0, &probe),
            Kind::Incast => contact.feed(&probe),
        };
        contact.replies(Answer::Probed(probed));
    }
    Ok(None)
}

struct Pair<'a>(&'a Contact<'a>);

impl calibrate::Pair for Pair<'_> {
    fn ranks(&self) -> u32 {
        self.0.world.size()
    }

    fn run(&mut self, probe: Probe) -> Result<(Probed, Probed), Error> {
        let asked = Instant::now();
        self.0.order(probe.others, Some(&probe));
        let own = match probe {
            Probe {
                kind: Kind::Cross, ..
            } => self.0.cross(1, &probe),
            Probe {
                kind: Kind::Row,
                others: 1,
                ..
            } => self.0.sender(&probe),
            _ => self.0.fan(&probe),
        };
        let mut last = own;
        for (rank, reply) in (0..)
            .zip(self.0.collect(Answer::Ready, probe.others + 1))
            .skip(1)
        {
            let Answer::Probed(received) = reply else {
                return Err(Error::Bug(format!(
                    "rank {rank} answered {reply:?} to an experiment"
                )));
            };
            let wrong = |why| Error::Failed(format!("{}: {why}", self.0.world.at(rank)));
            plausible::alone(&Answer::Probed(received), asked.elapsed()).map_err(wrong)?;
            last = received;
        }
        Ok((own, last))
    }
}

impl Contact<'_> {
    /// Tells the others the next experiment; none at the end.
    fn order(&self, others: u32, probe: Option<&Probe>) {
        let text = text(&probe);
        (1..=others).for_each(|rank| self.send(rank, &text, EXPERIMENT, "telling"));
    }

    fn ordered(&self) -> Result<Option<Probe>, Error> {
        // Only rank 1 has a part in most experiments.
        let limit = if self.world.rank() == 1 {
            self.limit
        } else {
            Duration::MAX
        };
        let text = self.next(EXPERIMENT, limit, "waiting for");
        serde_json::from_slice(&text)
            .map_err(|error| Error::Bug(format!("cannot understand rank 0: {error}")))
    }

    /// Waits until this rank and the others of an experiment are ready; of two ranks both begin then.
    fn ready(&self, peers: RangeInclusive<u32>) {
        for peer in peers {
            let lost = ("waiting for", Some(peer));
            scope(|scope| {
                let receive = self.world.mpi.receive(scope, &mut [], peer, READY);
                let send = self.world.mpi.send(scope, &[], peer, READY);
                self.wait(send, lost);
                self.wait(receive, lost);
            });
        }
    }

    fn sender(&self, probe: &Probe) -> Probed {
        let message = Message::make(probe.number, 0, length(probe.bytes), 0);
        let mpi = &self.world.mpi;
        let lost = (EXPERIMENTING, Some(1));
        let mut nothing: [u8; 0] = [];
        self.ready(1..=1);
        scope(|scope| {
            let answer = mpi.receive(scope, &mut nothing, 1, ACKNOWLEDGMENT);
            let begin = clock::now();
            let mut calls_ns = 0;
            for sent in 0..probe.count {
                let before = if sent == 0 {
                    begin
                } else {
                    clock::pause_until(clock::now(), probe.pause_ns)
                };
                let request = mpi.send(scope, message.whole(), 1, MESSAGE);
                self.wait(request, lost);
                calls_ns += clock::now() - before;
            }
            self.wait(answer, lost);
            Probed {
                whole_ns: clock::now() - begin,
                calls_ns,
            }
        })
    }

    /// Both send a message and receive one, as a library does in a round, or a row of them; then both acknowledge.
    fn cross(&self, peer: u32, probe: &Probe) -> Probed {
        let message = Message::make(probe.number, 0, length(probe.bytes), 0);
        let mut room = Message::blank(probe.number, length(probe.bytes));
        let lost = ("exchange with", Some(peer));
        self.ready(peer..=peer);
        let begin = clock::now();
        let mut rounds: Vec<(&[u8], &mut [u8])> = vec![(&[], &mut [])];
        if probe.count == 1 {
            rounds.insert(0, (message.whole(), room.room()));
        } else {
            let send = || {
                self.send(peer, message.whole(), MESSAGE, lost.0);
                Ok::<_, Infallible>(())
            };
            let receive = || {
                self.receive(peer, room.room(), MESSAGE, lost.0);
                Ok(())
            };
            let Ok(()) = both_ways(probe.count, send, receive);
        }
        for (sent, received) in rounds {
            scope(|scope| {
                let receive = self.world.mpi.receive(scope, received, peer, MESSAGE);
                let send = self.world.mpi.send(scope, sent, peer, MESSAGE);
                self.wait(send, lost);
                self.wait(receive, lost);
            });
        }
        Probed {
            whole_ns: clock::now() - begin,
            calls_ns: 0,
        }
    }

    /// Rank 0 sends to all of the others at once, or receives from all, and ends with their acknowledgments.
    fn fan(&self, probe: &Probe) -> Probed {
        let message = Message::make(probe.number, 0, length(probe.bytes), 0);
        let sends = probe.kind == Kind::Row;
        let bytes = if sends { 0 } else { length(probe.bytes) };
        let mut rooms: Vec<Message> = (0..probe.others)
            .map(|_| Message::blank(probe.number, bytes))
            .collect();
        let doing = if sends { "fan-out to" } else { "incast from" };
        self.ready(1..=probe.others);
        scope(|scope| {
            let begin = clock::now();
            let mut requests = Vec::new();
            for (rank, room) in (1..=probe.others).zip(&mut rooms) {
                let (tag, room) = if sends {
                    (ACKNOWLEDGMENT, &mut room.room()[..0])
                } else {
                    (MESSAGE, room.room())
                };
                requests.push((rank, self.world.mpi.receive(scope, room, rank, tag)));
            }
            let mut sent = Vec::new();
            for rank in 1..=probe.others {
                let (tag, bytes) = if sends {
                    (MESSAGE, message.whole())
                } else {
                    (ACKNOWLEDGMENT, &[] as &[u8])
                };
                sent.push((rank, self.world.mpi.send(scope, bytes, rank, tag)));
            }
            for (rank, request) in sent {
                self.wait(request, (doing, Some(rank)));
            }
            for (rank, request) in requests {
                self.wait(request, (doing, Some(rank)));
            }
            Probed {
                whole_ns: clock::now() - begin,
                calls_ns: 0,
            }
        })
    }

    /// Sends rank 0 a message when it asks.
    fn feed(&self, probe: &Probe) -> Probed {
        let message = Message::make(probe.number, 0, length(probe.bytes), 0);
        self.ready(0..=0);
        let begin = clock::now();
        self.receive(0, &mut [], ACKNOWLEDGMENT, EXPERIMENTING);
        self.send(0, message.whole(), MESSAGE, EXPERIMENTING);
        Probed {
            whole_ns: clock::now() - begin,
            calls_ns: 0,
        }
    }

    fn row(&self, probe: &Probe) -> Probed {
        let mut room = Message::blank(probe.number, length(probe.bytes));
        self.ready(0..=0);
        let mut reading = 0;
        for _ in 0..probe.count {
            let begin = clock::pause_until(clock::now(), probe.pause_ns);
            self.receive(0, room.room(), MESSAGE, EXPERIMENTING);
            reading += clock::now() - begin;
        }
        self.send(0, &[], ACKNOWLEDGMENT, EXPERIMENTING);
        Probed {
            whole_ns: reading,
            calls_ns: 0,
        }
    }
}

/// The measured sizes fit in any memory.
fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
