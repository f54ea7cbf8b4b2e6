//! One task over MPI: this rank's part, and on rank 0 the replies of the others.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::calls::{Team, scope};
use super::contact::{Contact, GRACE};
use super::guard::{Guard, Then};
use super::inbox::Inbox;
use super::world::NAP;
use crate::act::Prepared;
use crate::delivery::{Delivery, delivery, other_bytes};
use crate::library::Library;
use crate::link::{Message, digest};
use crate::plausible::Offset;
use crate::task::{Task, Way, length};
use crate::wire::{Answer, Step, Times};
use crate::{clock, plausible};

/// Rank 0 to all: continue, or end.
const WORD: i32 = 1;
const MESSAGE: i32 = 2;
const ACKNOWLEDGMENT: i32 = 3;
const CLOCK: i32 = 4;
const ASKING: &str = "asking for the time of";
pub struct Carrier<'a> {
    pub contact: Contact<'a>,
    guard: &'a Guard<'a>,
    seed: u64,
    /// Communicators of the first K ranks for the library's functions, by K; none if this rank is not among them.
    teams: BTreeMap<u32, Option<Team>>,
}

impl<'a> Carrier<'a> {
    /// Prepares for these tasks; every rank calls this.
    pub fn new(contact: Contact<'a>, guard: &'a Guard<'a>, seed: u64, tasks: &[&Task]) -> Self {
        let library = |task: &&&Task| matches!(task.way, Way::Library { .. });
        let sizes: BTreeSet<u32> = tasks
            .iter()
            .filter(library)
            .map(|task| task.ranks())
            .collect();
        let world = contact.world;
        let team = |K: u32| (K, world.mpi.first(K));
        Self {
            teams: sizes.into_iter().map(team).collect(),
            contact,
            guard,
            seed,
        }
    }

    /// Rank 0 sends whether all continue; the others receive it.
    pub fn word(&self, on: bool) -> bool {
        if self.contact.world.rank() > 0 {
            let limit = 2 * (self.contact.limit + GRACE);
            return self
                .contact
                .next(WORD, limit, "waiting for the next task of")
                == [1];
        }
        let word = [u8::from(on)];
        for rank in 1..self.contact.world.size() {
            self.contact
                .send(rank, &word, WORD, "sending the next order to");
        }
        on
    }

    /// Executes a task; returns the times of all ranks on rank 0.
    ///
    /// # Errors
    /// On rank 0, in words: a rank that received wrong bytes.
    pub fn carry_out(&self, number: u64, task: &Task) -> Result<Option<Delivery>, String> {
        let offsets = self.offsets(task.ranks());
        let asked = Instant::now();
        let until = asked + self.contact.limit;
        let own = if self.contact.world.rank() < task.ranks() {
            Some(self.own_part(number, task, until)?)
        } else {
            self.contact.barrier();
            None
        };
        let done = own
            .as_ref()
            .map_or(Answer::Ready, |(times, _)| Answer::Done(*times));
        let times = self.aloud(task, until, "did its part, and waits for others", || {
            let times = self.contact.replies(done);
            // Only now, because hashing takes the processor from ranks that are still waiting.
            self.word(true);
            times
        });
        let took = asked.elapsed();
        let received = own.map_or(Answer::Ready, |(_, messages)| Answer::Digest {
            sha256: digest(&messages),
        });
        let digests = self.contact.replies(received);
        if self.contact.world.rank() > 0 {
            return Ok(None);
        }
        for ((rank, expected), digest) in (0..).zip(task.expected(number, self.seed)?).zip(digests)
        {
            match digest {
                Answer::Digest { sha256 } if sha256 == expected => {}
                Answer::Digest { sha256 } => {
                    return Err(format!(
                        "{} {}",
                        self.contact.world.at(rank),
                        other_bytes(&sha256, &expected)
                    ));
                }
                other => return Err(format!("rank {rank} gave an unexpected answer: {other:?}")),
            }
        }
        let done = |reply| match reply {
            Answer::Done(times) => Some(times),
            _ => None,
        };
        let times: Option<Vec<Times>> = times
            .into_iter()
            .take(task.ranks() as usize)
            .map(done)
            .collect();
        let times = times.ok_or_else(|| "a rank gave an unexpected answer".to_owned())?;
        // A rank without steps has no times.
        let busy = (0..).zip(times.iter().copied().zip(offsets.iter().copied()));
        let busy = busy.filter(|(_, (times, _))| *times != Times::default());
        let busy: Vec<_> = busy
            .map(|(rank, (times, offset))| (rank, times, offset))
            .collect();
        plausible::together(&busy, took)
            .map_err(|(rank, why)| format!("{} {why}", self.contact.world.at(rank)))?;
        Ok(Some(delivery(&task.starters(), &times, &offsets)))
    }

    fn own_part(
        &self,
        number: u64,
        task: &Task,
        until: Instant,
    ) -> Result<(Times, Vec<Message>), String> {
        let rank = self.contact.world.rank();
        match &task.way {
            Way::Program(_) => {
                let part = task
                    .parts(number, self.seed)?
                    .into_iter()
                    .nth(rank as usize);
                let mut prepared =
                    Prepared::new(&part.ok_or_else(|| "no part for this rank".to_owned())?)?;
                let times = self.program(&mut prepared);
                prepared.messages.truncate(prepared.rooms);
                Ok((times, prepared.messages))
            }
            Way::Library { function, root } => {
                let (K, bytes) = (task.ranks(), length(task.bytes)?);
                let mut given = Vec::new();
                for block in function.gives(K, *root, rank) {
                    given.extend_from_slice(
                        Message::make(number, block, bytes, self.seed).content(),
                    );
                }
                let mut got = Message::blank(number, function.gets(K, *root, rank).len() * bytes);
                // A broadcast is in place.
                if function.is_broadcast() && rank == *root {
                    got.content_mut().copy_from_slice(&given);
                }
                let times =
                    self.library(*function, *root, task, until, (&given, got.content_mut()))?;
                Ok((times, vec![got]))
            }
        }
    }

    fn program(
        &self,
        Prepared {
            number,
            acts,
            messages,
            rooms,
            coming,
        }: &mut Prepared,
    ) -> Times {
        let order: Vec<(u32, usize)> = coming
            .iter()
            .flat_map(|(&from, rooms)| rooms.iter().map(move |&room| (from, room)))
            .collect();
        let (rooms, made) = messages.split_at_mut(*rooms);
        let received = rooms.len();
        scope(|scope| {
            // Before the barrier, so that every message finds its receiver ready.
            let mut inbox = Inbox::open(&self.contact, scope, *number, rooms, &order, MESSAGE);
            self.contact.barrier();
            if acts.is_empty() {
                return Times::default();
            }
            let start = clock::now();
            let mut times = Times {
                began: start,
                received: start,
                held: start,
                sent: None,
            };
            let mut done = start;
            for &mut (step, index) in acts {
                match step {
                    Step::Compute { ns } => {
                        done = clock::spin(ns);
                        times.held = done;
                    }
                    Step::Send { to, .. } => {
                        let message = match index.checked_sub(received) {
                            Some(index) => made[index].whole(),
                            None => inbox.received(index).map_or(&[][..], |(whole, _)| whole),
                        };
                        self.deliver(to, message, &mut inbox);
                        done = clock::now();
                        times.sent = Some(done);
                    }
                    Step::Receive { from, hold_ns, .. } => {
                        times.received = self.arrival(from, index, &mut inbox);
                        done = done.max(self.hold(times.received, hold_ns, &mut inbox));
                        times.held = done;
                    }
                }
            }
            times
        })
    }

    fn acknowledge(&self, from: u32) {
        self.contact.send(from, &[], ACKNOWLEDGMENT, "answering");
    }

    fn arrival(&self, from: u32, room: usize, inbox: &mut Inbox<'_, '_>) -> u64 {
        self.contact.until(
            NAP,
            self.contact.limit,
            ("receiving from", Some(from)),
            || {
                inbox.look(|from| self.acknowledge(from));
                inbox.received(room).map(|(_, arrived)| arrived)
            },
        )
    }

    /// Waits for the end of the relay delay and returns its time; without one, returns the arrival.
    fn hold(&self, arrived: u64, hold_ns: u64, inbox: &mut Inbox<'_, '_>) -> u64 {
        if hold_ns == 0 {
            return arrived;
        }
        let end = arrived.saturating_add(hold_ns);
        let limit = self.contact.limit + Duration::from_nanos(hold_ns);
        self.contact
            .until(NAP, limit, ("holding a message", None), || {
                inbox.look(|from| self.acknowledge(from));
                Some(clock::now()).filter(|now| *now >= end)
            })
    }

    /// Sends a message; returns after its acknowledgment. Acknowledges arriving messages meanwhile.
    fn deliver(&self, receiver: u32, message: &[u8], inbox: &mut Inbox<'_, '_>) {
        let mut nothing: [u8; 0] = [];
        scope(|scope| {
            let mpi = &self.contact.world.mpi;
            let mut answer = Some(mpi.receive(scope, &mut nothing, receiver, ACKNOWLEDGMENT));
            let mut sent = Some(mpi.send(scope, message, receiver, MESSAGE));
            self.contact.until(
                NAP,
                self.contact.limit,
                ("sending to", Some(receiver)),
                || {
                    inbox.look(|from| self.acknowledge(from));
                    sent = sent.take().and_then(|request| mpi.test(request).err());
                    answer = answer.take().and_then(|request| mpi.test(request).err());
                    (sent.is_none() && answer.is_none()).then_some(())
                },
            );
        });
    }

    /// This rank's part of a function of the library.
    fn library(
        &self,
        library: Library,
        root: u32,
        task: &Task,
        until: Instant,
        (given, got): (&[u8], &mut [u8]),
    ) -> Result<Times, String> {
        let (K, rank) = (task.ranks(), self.contact.world.rank());
        let Some(Some(team)) = self.teams.get(&K) else {
            self.contact
                .give_up(format!("there is no communicator of {K} ranks"), None)
        };
        self.aloud(task, until, "waits for all ranks to be ready", || {
            self.contact.barrier()
        });
        // The root of a broadcast has its operand; a rank that gets nothing ends at its start.
        let has_result = !(got.is_empty() || library.is_broadcast() && rank == root);
        let doing = format!("in {} among ranks 0 to {}", library.name(), K - 1);
        let limit = self.contact.limit;
        let late = format!(
            "{}: {doing} for more than {} s",
            self.contact.world.at(rank),
            limit.as_secs()
        );
        let mpi = &self.contact.world.mpi;
        let begun;
        if library == Library::Ibcast {
            begun = clock::now();
            scope(|scope| {
                let request = mpi.broadcast(scope, team, got, root);
                self.contact.wait(request, (&doing, None));
            });
        } else {
            let operands = (given, got);
            let call = mpi.call(library, team, (K, root), length(task.bytes)?, operands)?;
            begun = clock::now();
            self.guard
                .over(Instant::now() + limit, late, Then::End, call);
        }
        let received = if has_result || library == Library::Barrier {
            clock::now()
        } else {
            begun
        };
        Ok(Times {
            began: begun,
            received,
            held: received,
            sent: None,
        })
    }

    /// Waits for others, and prints a message if that takes too long. The library's blocking functions may block some
    /// ranks, rank 0 among them, which then cannot ask the others.
    fn aloud<T>(&self, task: &Task, until: Instant, doing: &str, wait: impl FnOnce() -> T) -> T {
        let (rank, K) = (self.contact.world.rank(), task.ranks());
        let blocking = match &task.way {
            Way::Library { function, .. } if *function != Library::Ibcast => function,
            _ => return wait(),
        };
        if rank == 0 || rank >= K {
            return wait();
        }
        let blocked = format!(
            "{}: at {} among ranks 0 to {}: {doing}",
            self.contact.world.at(rank),
            blocking.name(),
            K - 1
        );
        self.guard.over(until, blocked, Then::Say, wait)
    }

    /// On rank 0: the offset of each rank's clock to this one's. Ranks with the same clock are not asked.
    fn offsets(&self, K: u32) -> Vec<Offset> {
        let mut offsets = Vec::new();
        for rank in 0..K {
            if self.contact.world.same_clock(rank) {
                offsets.push(Offset::default());
            } else if self.contact.world.rank() == 0 {
                let asked: Result<Result<Offset, String>, std::convert::Infallible> =
                    Offset::measure(|| Ok(self.ask(rank)));
                let Ok(offset) = asked;
                let wrong = |why| {
                    self.contact
                        .give_up(format!("{} {why}", self.contact.world.at(rank)), None)
                };
                offsets.push(offset.unwrap_or_else(wrong));
            } else if self.contact.world.rank() == rank {
                self.tell();
            }
        }
        offsets
    }

    fn ask(&self, rank: u32) -> u64 {
        let mut there = [0; 8];
        scope(|scope| {
            let request = self
                .contact
                .world
                .mpi
                .receive(scope, &mut there, rank, CLOCK);
            self.contact.send(rank, &[], CLOCK, ASKING);
            self.contact.wait(request, (ASKING, Some(rank)));
        });
        u64::from_be_bytes(there)
    }

    fn tell(&self) {
        for _ in 0..Offset::QUESTIONS {
            self.contact
                .receive(0, &mut [], CLOCK, "sending the time to");
            self.contact
                .send(0, &clock::now().to_be_bytes(), CLOCK, "sending the time to");
        }
    }
}
