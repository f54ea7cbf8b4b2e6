//! One multicast over MPI: this rank's part of it, and on rank 0 what the others say of theirs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use mpi::Tag;
use mpi::collective::Root as _;
use mpi::point_to_point::{Destination as _, Source as _};
use mpi::request::scope;
use mpi::topology::{Color, Communicator as _, SimpleCommunicator};

use super::contact::{Contact, GRACE};
use super::guard::{Guard, Then};
use super::reply::Reply;
use super::wait::For;
use crate::clock;
use crate::delivery::{Delivery, Offset, delivery};
use crate::link::Message;
use crate::multicast::{Library, Multicast, Way};
use crate::wire::{Part, Times};

/// Rank 0 to all: go on, or end.
const WORD: Tag = 1;
/// A message of a multicast.
const MESSAGE: Tag = 2;
/// Its receiver has all of it.
const ACKNOWLEDGMENT: Tag = 3;
/// What time is it?
const CLOCK: Tag = 4;
/// Carries out multicasts, as one rank of all.
pub struct Carrier<'a> {
    pub contact: Contact<'a>,
    guard: &'a Guard<'a>,
    seed: u64,
    /// For the library's broadcasts: the first K ranks, by K; none where this rank is not among them.
    teams: BTreeMap<u32, Option<SimpleCommunicator>>,
}

impl<'a> Carrier<'a> {
    /// Prepares for these multicasts; every rank calls this.
    pub fn new(contact: Contact<'a>, guard: &'a Guard<'a>, seed: u64, multicasts: &[&Multicast]) -> Self {
        let library = |multicast: &&&Multicast| matches!(multicast.way, Way::Library { .. });
        let sizes: BTreeSet<u32> = multicasts.iter().filter(library).map(|multicast| multicast.ranks()).collect();
        let world = contact.world;
        let team = |K: u32| {
            let color = if world.rank() < K { Color::with_value(0) } else { Color::undefined() };
            (K, world.everyone.split_by_color(color))
        };
        Self { teams: sizes.into_iter().map(team).collect(), contact, guard, seed }
    }

    /// Rank 0 says whether all go on, the others hear it.
    pub fn word(&self, on: bool) -> bool {
        if self.contact.world.rank() > 0 {
            let mut word = [0_u8];
            let limit = 2 * (self.contact.limit + GRACE);
            scope(|scope| {
                let request = self.contact.process(0).immediate_receive_into_with_tag(scope, &mut word[..], WORD);
                self.contact.wait(request, For::Word, limit, || ("waiting for the next multicast".to_owned(), Some(0)))
            });
            return word == [1];
        }
        let word = [u8::from(on)];
        for rank in 1..self.contact.world.size() {
            self.contact.send(rank, &word, WORD, "giving the word to");
        }
        on
    }

    /// Carries out a multicast; on rank 0 when each rank had the message.
    ///
    /// # Errors
    /// On rank 0, in words, which rank holds other bytes than the source sent.
    pub fn multicast(&self, number: u64, multicast: &Multicast) -> Result<Option<Delivery>, String> {
        let takes_part = self.contact.world.rank() < multicast.ranks();
        let offsets = self.offsets(multicast.ranks());
        let bytes = usize::try_from(multicast.bytes).map_err(|_| "the message does not fit in memory".to_owned())?;
        let mut message = match (takes_part, self.contact.world.rank() == multicast.source()) {
            (false, _) => Message::default(),
            (true, true) => Message::make(number, bytes, self.seed),
            (true, false) => Message::blank(number, bytes),
        };
        let until = Instant::now() + self.contact.limit;
        let reply = match &multicast.way {
            _ if !takes_part => {
                self.contact.barrier();
                Reply::Idle
            }
            Way::Tree(_) => Reply::Done(self.tree(number, multicast, &mut message)?),
            Way::Library { function, .. } => Reply::Done(self.library(*function, multicast, until, &mut message)),
        };
        let times = self.aloud(multicast, until, "did its part, and waits for others", || {
            let times = self.contact.replies(reply);
            // Only now: a digest takes the processor from others that were still waiting.
            self.word(true);
            times
        });
        let digests = self.contact.replies(if takes_part { Reply::Holds(message.digest()) } else { Reply::Idle });
        if self.contact.world.rank() > 0 {
            return Ok(None);
        }
        let expected = Message::make(number, bytes, self.seed).digest();
        for (rank, digest) in (0..multicast.ranks()).zip(digests) {
            match digest {
                Reply::Holds(digest) if digest == expected => {}
                other => {
                    let host = self.contact.world.host(rank);
                    return Err(format!(
                        "rank {rank} on {host} holds other bytes than the source sent: {other:?} instead of {expected}"
                    ));
                }
            }
        }
        let done = |reply| match reply {
            Reply::Done(times) => Some(times),
            _ => None,
        };
        let times: Option<Vec<Times>> = times.into_iter().take(multicast.ranks() as usize).map(done).collect();
        let times = times.ok_or_else(|| "a rank answered out of turn".to_owned())?;
        Ok(Some(delivery(multicast.source() as usize, &times, &offsets)))
    }

    /// This rank's part of a tree.
    fn tree(&self, number: u64, multicast: &Multicast, message: &mut Message) -> Result<Times, String> {
        let part = self.part(number, multicast)?;
        let start = match part.sender {
            None => {
                self.contact.barrier();
                let start = clock::now();
                Times { received: start, held: start, sent: None }
            }
            Some(sender) => {
                let received = scope(|scope| {
                    let source = self.contact.process(sender);
                    // Before the barrier: no message finds its receiver unprepared.
                    let request = source.immediate_receive_into_with_tag(scope, message.room(), MESSAGE);
                    self.contact.barrier();
                    let lost = || (format!("receiving from rank {sender}"), Some(sender));
                    self.contact.wait(request, For::Message, self.contact.limit, lost);
                    clock::now()
                });
                if !message.is(number) {
                    self.contact.give_up(format!("what came from rank {sender} is not the message expected"), None);
                }
                self.contact.send(sender, &[], ACKNOWLEDGMENT, "answering");
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

    fn part(&self, number: u64, multicast: &Multicast) -> Result<Part, String> {
        let parts = multicast.parts(number, self.seed)?;
        parts.into_iter().nth(self.contact.world.rank() as usize).ok_or_else(|| "no part for this rank".to_owned())
    }

    /// Sends a message; returns when its receiver has all of it.
    fn deliver(&self, receiver: u32, message: &[u8]) {
        let mut nothing: [u8; 0] = [];
        let limit = self.contact.limit;
        scope(|scope| {
            let to = self.contact.process(receiver);
            let answer = to.immediate_receive_into_with_tag(scope, &mut nothing[..], ACKNOWLEDGMENT);
            let sent = to.immediate_send_with_tag(scope, message, MESSAGE);
            let lost = || (format!("sending to rank {receiver}"), Some(receiver));
            self.contact.wait(sent, For::Message, limit, lost);
            self.contact.wait(answer, For::Message, limit, lost);
        });
    }

    /// This rank's part of a broadcast by the library. Bytes are those of a tree's message, header included.
    fn library(&self, library: Library, multicast: &Multicast, until: Instant, message: &mut Message) -> Times {
        let K = multicast.ranks();
        let Some(Some(team)) = self.teams.get(&K) else {
            self.contact.give_up(format!("there is no communicator of {K} ranks"), None)
        };
        self.aloud(multicast, until, "waits for all ranks to be ready", || self.contact.barrier());
        let begun = clock::now();
        let doing = || format!("in {} among ranks 0 to {}", library.name(), K - 1);
        // Ranks below K are few.
        let root = team.process_at_rank(i32::try_from(multicast.source()).unwrap_or_default());
        match library {
            Library::Bcast => {
                let limit = self.contact.limit;
                let late = format!("{}: {} for more than {} s", self.place(), doing(), limit.as_secs());
                self.guard.over(Instant::now() + limit, late, Then::End, || root.broadcast_into(message.room()));
            }
            Library::Ibcast => scope(|scope| {
                let request = root.immediate_broadcast_into(scope, message.room());
                self.contact.wait(request, For::Message, self.contact.limit, || (doing(), None));
            }),
        }
        let received = if self.contact.world.rank() == multicast.source() { begun } else { clock::now() };
        Times { received, held: received, sent: None }
    }

    /// Waits for others. At the library's blocking broadcast it may hold some ranks and not others, rank 0 among them,
    /// which then hears of none: so each that still waits when all should be through says it.
    fn aloud<T>(&self, multicast: &Multicast, until: Instant, doing: &str, wait: impl FnOnce() -> T) -> T {
        let (rank, K) = (self.contact.world.rank(), multicast.ranks());
        if rank == 0 || rank >= K || !matches!(multicast.way, Way::Library { function: Library::Bcast, .. }) {
            return wait();
        }
        let said = format!("{}: at {} among ranks 0 to {}: {doing}", self.place(), Library::Bcast.name(), K - 1);
        self.guard.over(until, said, Then::Say, wait)
    }

    /// This rank, for messages.
    fn place(&self) -> String {
        format!("rank {} on {}", self.contact.world.rank(), self.contact.world.host(self.contact.world.rank()))
    }

    /// On rank 0: the offset of each rank's clock to this one's. Ranks that read the same clock need no question.
    fn offsets(&self, K: u32) -> Vec<Offset> {
        let mut offsets = Vec::new();
        for rank in 0..K {
            if self.contact.world.same_clock(rank) {
                offsets.push(Offset::default());
            } else if self.contact.world.rank() == 0 {
                let asked: Result<Offset, std::convert::Infallible> = Offset::measure(|| Ok(self.ask(rank)));
                let Ok(offset) = asked;
                offsets.push(offset);
            } else if self.contact.world.rank() == rank {
                self.tell();
            }
        }
        offsets
    }

    /// The time on another rank.
    fn ask(&self, rank: u32) -> u64 {
        let mut there = [0_u64];
        scope(|scope| {
            let request = self.contact.process(rank).immediate_receive_into_with_tag(scope, &mut there[..], CLOCK);
            self.contact.send(rank, &[], CLOCK, "asking for the time");
            let lost = || (format!("asking rank {rank} for the time"), Some(rank));
            self.contact.wait(request, For::Message, self.contact.limit, lost);
        });
        there[0]
    }

    /// Tells rank 0 the time, as often as it asks.
    fn tell(&self) {
        let mut nothing: [u8; 0] = [];
        for _ in 0..Offset::QUESTIONS {
            scope(|scope| {
                let request = self.contact.process(0).immediate_receive_into_with_tag(scope, &mut nothing[..], CLOCK);
                let lost = || ("telling rank 0 the time".to_owned(), Some(0));
                self.contact.wait(request, For::Message, self.contact.limit, lost);
            });
            let now = [clock::now()];
            scope(|scope| {
                let request = self.contact.process(0).immediate_send_with_tag(scope, &now[..], CLOCK);
                self.contact
                    .wait(request, For::Message, self.contact.limit, || ("telling the time".to_owned(), Some(0)));
            });
        }
    }
}
