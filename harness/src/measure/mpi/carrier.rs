//! One multicast over MPI: this rank's part of it, and on rank 0 what the others say of theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use mpi::Tag;
use mpi::collective::{CommunicatorCollectives as _, Root as _};
use mpi::point_to_point::{Destination as _, Source as _, Status as Arrival};
use mpi::request::{Request, Scope, scope};
use mpi::topology::{Color, Communicator as _, Process, SimpleCommunicator};
use serde::{Deserialize, Serialize};

use super::guard::{Guard, Then};
use super::trouble::{GRACE, Trouble};
use super::wait::For;
use super::{End, World};
use crate::measure::clock;
use crate::measure::config::{Algorithm, Config, Library};
use crate::measure::delivery::{Delivery, Offset, delivery};
use crate::measure::link::Message;
use crate::measure::plan::Point;
use crate::measure::program::Multicast;
use crate::measure::stop;
use crate::measure::wire::{Part, Probed, Times};

/// Rank 0 to all: go on, or end.
const WORD: Tag = 1;
/// A message of a multicast.
const MESSAGE: Tag = 2;
/// Its receiver has all of it.
const ACKNOWLEDGMENT: Tag = 3;
/// What time is it?
const CLOCK: Tag = 4;
/// All ranks to rank 0: what came of it.
pub(super) const OUTCOME: Tag = 5;
/// Rank 0 to all: it cannot go on. Who is there says what it waits for.
pub(super) const ROLL_CALL: Tag = 6;

/// Between two looks for a roll call, of who waits: seldom, for what waits may be timed.
const LOOK: Duration = Duration::from_millis(100);

/// What a rank says of its part.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// It had none.
    Idle,
    /// When it did what.
    Done(Times),
    /// What it saw of an experiment.
    Probed(Probed),
    /// SHA-256 of what it holds.
    Holds(String),
    /// It cannot go on.
    Failed(Trouble),
}

impl Outcome {
    /// As it travels.
    pub(super) fn text(&self) -> Vec<u8> {
        // Numbers and strings cannot fail, and an empty text would not be understood over there.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Carries out multicasts, as one rank of all.
pub struct Carrier<'a> {
    pub world: &'a World,
    pub config: &'a Config,
    guard: &'a Guard,
    pub(super) end: End<'a>,
    /// For the library's broadcasts: the first K ranks, by K; none where this rank is not among them.
    teams: BTreeMap<u32, Option<SimpleCommunicator>>,
}

impl<'a> Carrier<'a> {
    /// Prepares for these points; every rank calls this.
    pub fn new(world: &'a World, config: &'a Config, guard: &'a Guard, end: End<'a>, points: &[Point<'_>]) -> Self {
        let library = |point: &&Point<'_>| matches!(point.algorithm, Algorithm::Library(_));
        let sizes: BTreeSet<u32> = points.iter().filter(library).map(|point| point.K).collect();
        let team = |K: u32| {
            let color = if world.rank() < K { Color::with_value(0) } else { Color::undefined() };
            (K, world.everyone.split_by_color(color))
        };
        Self { world, config, guard, end, teams: sizes.into_iter().map(team).collect() }
    }

    /// Rank 0 says whether all go on, the others hear it.
    pub fn word(&self, on: bool) -> bool {
        if self.world.rank() > 0 {
            let mut word = [0_u8];
            let limit = 2 * (self.config.limit + GRACE);
            scope(|scope| {
                let request = self.process(0).immediate_receive_into_with_tag(scope, &mut word[..], WORD);
                self.wait(request, For::Word, limit, || ("waiting for the next multicast".to_owned(), Some(0)))
            });
            return word == [1];
        }
        let word = [u8::from(on)];
        for rank in 1..self.world.size() {
            self.send(rank, &word, WORD, "giving the word to");
        }
        on
    }

    /// Carries out a multicast; on rank 0 when each rank had the message.
    ///
    /// # Errors
    /// On rank 0, in words, which rank holds other bytes than the source sent.
    pub fn multicast(&self, number: u64, point: &Point<'_>) -> Result<Option<Delivery>, String> {
        let takes_part = self.world.rank() < point.K;
        let offsets = self.offsets(point.K);
        let bytes = usize::try_from(point.bytes).map_err(|_| "the message does not fit in memory".to_owned())?;
        let mut message = match (takes_part, self.world.rank() == point.source()) {
            (false, _) => Message::default(),
            (true, true) => Message::make(number, bytes, self.config.seed),
            (true, false) => Message::blank(number, bytes),
        };
        let until = Instant::now() + self.config.limit;
        let outcome = match point.algorithm {
            _ if !takes_part => {
                self.barrier();
                Outcome::Idle
            }
            Algorithm::Tree(_) => Outcome::Done(self.tree(number, point, &mut message)?),
            Algorithm::Library(library) => Outcome::Done(self.library(library, point, until, &mut message)),
        };
        let times = self.aloud(point, until, "did its part, and waits for others", || {
            let times = self.outcomes(outcome);
            // Only now: a digest takes the processor from who else runs there, and was still waiting.
            self.word(true);
            times
        });
        let digests = self.outcomes(if takes_part { Outcome::Holds(message.digest()) } else { Outcome::Idle });
        if self.world.rank() > 0 {
            return Ok(None);
        }
        let expected = Message::make(number, bytes, self.config.seed).digest();
        for (rank, digest) in (0..point.K).zip(digests) {
            match digest {
                Outcome::Holds(digest) if digest == expected => {}
                other => {
                    let host = self.world.host(rank);
                    return Err(format!(
                        "rank {rank} on {host} holds other bytes than the source sent: {other:?} instead of {expected}"
                    ));
                }
            }
        }
        let done = |outcome| match outcome {
            Outcome::Done(times) => Some(times),
            _ => None,
        };
        let times: Option<Vec<Times>> = times.into_iter().take(point.K as usize).map(done).collect();
        let times = times.ok_or_else(|| "a rank answered out of turn".to_owned())?;
        Ok(Some(delivery(point.source() as usize, &times, &offsets)))
    }

    /// This rank's part of a tree.
    fn tree(&self, number: u64, point: &Point<'_>, message: &mut Message) -> Result<Times, String> {
        let part = self.part(number, point)?;
        let start = match part.sender {
            None => {
                self.barrier();
                let start = clock::now();
                Times { received: start, held: start, sent: None }
            }
            Some(sender) => {
                let received = scope(|scope| {
                    let source = self.process(sender);
                    // Before the barrier: no message finds its receiver unprepared.
                    let request = source.immediate_receive_into_with_tag(scope, message.room(), MESSAGE);
                    self.barrier();
                    let lost = || (format!("receiving from rank {sender}"), Some(sender));
                    self.wait(request, For::Message, self.config.limit, lost);
                    clock::now()
                });
                if !message.is(number) {
                    self.give_up(format!("what came from rank {sender} is not the message expected"), None);
                }
                self.send(sender, &[], ACKNOWLEDGMENT, "answering");
                Times { received, held: clock::pause_until(received, part.hold_ns), sent: None }
            }
        };
        let mut sent = None;
        for &receiver in &part.receivers {
            self.deliver(receiver, message.whole());
            sent = Some(clock::now());
        }
        Ok(Times { sent, ..start })
    }

    fn part(&self, number: u64, point: &Point<'_>) -> Result<Part, String> {
        let tree = point.tree.as_ref().ok_or("a tree without a schedule")?;
        let (bytes, hold_ns, seed) = (point.bytes, point.hold_ns(), self.config.seed);
        let parts = Multicast { number, schedule: &tree.schedule, bytes, hold_ns, seed }.parts()?;
        parts.into_iter().nth(self.world.rank() as usize).ok_or_else(|| "no part for this rank".to_owned())
    }

    /// Sends a message; returns when its receiver has all of it.
    fn deliver(&self, receiver: u32, message: &[u8]) {
        let mut nothing: [u8; 0] = [];
        let limit = self.config.limit;
        scope(|scope| {
            let to = self.process(receiver);
            let answer = to.immediate_receive_into_with_tag(scope, &mut nothing[..], ACKNOWLEDGMENT);
            let sent = to.immediate_send_with_tag(scope, message, MESSAGE);
            let lost = || (format!("sending to rank {receiver}"), Some(receiver));
            self.wait(sent, For::Message, limit, lost);
            self.wait(answer, For::Message, limit, lost);
        });
    }

    /// This rank's part of a broadcast by the library. Bytes are those of a tree's message, header included.
    fn library(&self, library: Library, point: &Point<'_>, until: Instant, message: &mut Message) -> Times {
        let K = point.K;
        let Some(Some(team)) = self.teams.get(&K) else {
            self.give_up(format!("there is no communicator of {K} ranks"), None)
        };
        self.aloud(point, until, "waits for all ranks to be ready", || self.barrier());
        let begun = clock::now();
        let doing = || format!("in {} among ranks 0 to {}", library.name(), K - 1);
        // Ranks below K are few.
        let root = team.process_at_rank(i32::try_from(point.source()).unwrap_or_default());
        match library {
            Library::Bcast => {
                let limit = self.config.limit;
                let late = format!("{}: {} for more than {} s", self.place(), doing(), limit.as_secs());
                self.guard.over(Instant::now() + limit, late, Then::End, || root.broadcast_into(message.room()));
            }
            Library::Ibcast => scope(|scope| {
                let request = root.immediate_broadcast_into(scope, message.room());
                self.wait(request, For::Message, self.config.limit, || (doing(), None));
            }),
        }
        let received = if self.world.rank() == point.source() { begun } else { clock::now() };
        Times { received, held: received, sent: None }
    }

    /// Waits for others. At the library's blocking broadcast it may hold some ranks and not others, rank 0 among them, who
    /// then hears of nobody: so whoever still waits when all should be through says it.
    fn aloud<T>(&self, point: &Point<'_>, until: Instant, doing: &str, wait: impl FnOnce() -> T) -> T {
        let (rank, K) = (self.world.rank(), point.K);
        if rank == 0 || rank >= K || !matches!(point.algorithm, Algorithm::Library(Library::Bcast)) {
            return wait();
        }
        let said = format!("{}: at {} among ranks 0 to {}: {doing}", self.place(), Library::Bcast.name(), K - 1);
        self.guard.over(until, said, Then::Say, wait)
    }

    /// This rank, for messages.
    fn place(&self) -> String {
        format!("rank {} on {}", self.world.rank(), self.world.host(self.world.rank()))
    }

    /// All ranks are here.
    pub(super) fn barrier(&self) {
        let request = self.world.everyone.immediate_barrier();
        let lost = || ("waiting for all ranks to be ready".to_owned(), None);
        self.wait(request, For::Message, self.config.limit, lost);
    }

    /// Tells rank 0; there, hears of all.
    pub(super) fn outcomes(&self, own: Outcome) -> Vec<Outcome> {
        if self.world.rank() > 0 {
            self.send(0, &own.text(), OUTCOME, "telling");
            return Vec::new();
        }
        self.collect(own)
    }

    /// On rank 0: the offset of each rank's clock to this one's. Ranks that read the same clock need no question.
    fn offsets(&self, K: u32) -> Vec<Offset> {
        let mut offsets = Vec::new();
        for rank in 0..K {
            if self.world.same_clock(rank) {
                offsets.push(Offset::default());
            } else if self.world.rank() == 0 {
                let asked: Result<Offset, std::convert::Infallible> = Offset::measure(|| Ok(self.ask(rank)));
                let Ok(offset) = asked;
                offsets.push(offset);
            } else if self.world.rank() == rank {
                self.tell();
            }
        }
        offsets
    }

    /// The time on another rank.
    fn ask(&self, rank: u32) -> u64 {
        let mut there = [0_u64];
        scope(|scope| {
            let request = self.process(rank).immediate_receive_into_with_tag(scope, &mut there[..], CLOCK);
            self.send(rank, &[], CLOCK, "asking for the time");
            let lost = || (format!("asking rank {rank} for the time"), Some(rank));
            self.wait(request, For::Message, self.config.limit, lost);
        });
        there[0]
    }

    /// Tells rank 0 the time, as often as it asks.
    fn tell(&self) {
        let mut nothing: [u8; 0] = [];
        for _ in 0..Offset::QUESTIONS {
            scope(|scope| {
                let request = self.process(0).immediate_receive_into_with_tag(scope, &mut nothing[..], CLOCK);
                let lost = || ("telling rank 0 the time".to_owned(), Some(0));
                self.wait(request, For::Message, self.config.limit, lost);
            });
            let now = [clock::now()];
            scope(|scope| {
                let request = self.process(0).immediate_send_with_tag(scope, &now[..], CLOCK);
                self.wait(request, For::Message, self.config.limit, || ("telling the time".to_owned(), Some(0)));
            });
        }
    }

    pub(super) fn process(&self, rank: u32) -> Process<'_> {
        // Ranks came from MPI as such numbers.
        self.world.everyone.process_at_rank(i32::try_from(rank).unwrap_or_default())
    }

    /// Sends something short.
    fn send(&self, rank: u32, bytes: &[u8], tag: Tag, doing: &str) {
        scope(|scope| {
            let request = self.process(rank).immediate_send_with_tag(scope, bytes, tag);
            let lost = || (format!("{doing} rank {rank}"), Some(rank));
            self.wait(request, For::Message, self.config.limit, lost);
        });
    }

    /// Waits until a request is done. Who does not answer within the limit ends the run: a request cannot be given up
    /// while its buffer lives. `lost` says what was done, and who is waited for.
    pub(super) fn wait<'b, D: ?Sized, S: Scope<'b>>(
        &self,
        mut request: Request<'b, D, S>,
        what: For,
        limit: Duration,
        lost: impl Fn() -> (String, Option<u32>),
    ) -> Arrival {
        let begin = Instant::now();
        let mut next_look = LOOK;
        loop {
            match request.test() {
                Ok(arrival) => return arrival,
                Err(pending) => request = pending,
            }
            if stop::requested() {
                self.interrupted();
            }
            let waited = begin.elapsed();
            let mut over = waited > limit;
            if waited > next_look {
                next_look = waited + LOOK;
                over |= self.called();
            }
            if over {
                let (doing, peer) = lost();
                self.give_up(format!("{doing}: nothing came within {:.1} s", waited.as_secs_f64()), peer);
            }
            self.world.waiting.pause(what);
        }
    }
}
