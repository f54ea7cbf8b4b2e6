//! The messages of a rank over MPI, and how the ranks end after a loss or a request to stop.
//!
//! MPI cannot give up a message that does not arrive, so a process that waits for it has to end. A rank that waited in
//! vain reports to rank 0 and waits to be ended. Rank 0 asks every rank for a sign of life, saves the results, names the
//! rank to look at, and makes MPI end all ranks.

use std::collections::BTreeMap;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::calls::{Mpi, Request, Team};
use super::guard::{End, Guard, KEEPING};
use super::world::{NAP, World};
use crate::clock;
use crate::cluster::{Event as Written, GRACE};
use crate::fault::Fault;
use crate::library::Library;
use crate::link::{Awaited, Event, Link};
use crate::message::{Lost, Message};
use crate::results::Status;
use crate::stop::Stop;
use crate::wire::{Answer, Call, Order};

const MESSAGE: i32 = 1;
const SIGNAL: i32 = 2;
/// To a rank of a barrier: another one is there.
const PRESENT: i32 = 3;
/// Rank 0 to the others.
const ORDER: i32 = 4;
const ANSWER: i32 = 5;
/// Rank 0 asks for a sign of life.
const ROLL_CALL: i32 = 6;

/// Interval between two checks for answers.
const GLANCE: Duration = Duration::from_millis(5);
/// Interval between two checks of a waiting rank for the question: long, because the wait may be timed.
const LOOK: Duration = Duration::from_millis(100);
/// Sleep between two polls while nothing is timed.
const REST: Duration = Duration::from_micros(500);

/// A message under way.
enum Moving {
    /// Nothing waits for it.
    Quiet,
    /// With the number of its execution.
    Sent(u64),
    Received {
        from: u32,
        room: usize,
        number: u64,
        answers: bool,
    },
    Signal(u32),
}

/// One rank and its messages.
pub struct Ours<'a> {
    pub world: &'a World,
    pub guard: &'a Guard<'a>,
    pub stop: &'a Stop,
    /// Most time that one rank waits for another.
    pub limit: Duration,
    pub end: End<'a>,
    moving: Vec<(Moving, Request)>,
    teams: BTreeMap<u32, Team>,
    /// The function of the library in the last part: ranks that it blocks cannot ask.
    blocking: Option<Library>,
    /// Whether rank 0 compares clocks, and a sleep would be a part of the difference.
    is_compared: bool,
}

impl<'a> Ours<'a> {
    pub fn new(
        world: &'a World,
        guard: &'a Guard<'a>,
        stop: &'a Stop,
        limit: Duration,
        end: End<'a>,
    ) -> Self {
        Self {
            world,
            guard,
            stop,
            limit,
            end,
            moving: Vec::new(),
            teams: BTreeMap::new(),
            blocking: None,
            is_compared: false,
        }
    }

    fn mpi(&self) -> &'a Mpi {
        &self.world.mpi
    }

    /// Polls until there is an answer; none if there is none within the limit. Gives a sign of life when rank 0 asks.
    pub fn until<T>(
        &mut self,
        nap: Duration,
        limit: Duration,
        mut ask: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<T> {
        let begin = Instant::now();
        let mut next_look = LOOK;
        loop {
            let answer = ask(self);
            if answer.is_some() {
                return answer;
            }
            if self.stop.requested() {
                self.interrupted();
            }
            let waited = begin.elapsed();
            if waited > limit {
                return None;
            }
            if waited > next_look {
                next_look = waited + LOOK;
                let rank = self.world.rank();
                if rank > 0 && self.mpi().arrived(Some(0), ROLL_CALL).is_some() {
                    let here = self.mpi().send(text(&Answer::Here), 0, ANSWER);
                    self.moving.push((Moving::Quiet, here));
                }
            }
            self.pause(nap);
        }
    }

    fn pause(&self, nap: Duration) {
        if self.world.shares_cores {
            thread::sleep(nap)
        } else {
            std::hint::spin_loop()
        }
    }

    /// The next event of a message under way.
    fn look(&mut self) -> Option<Result<Event, Fault>> {
        let mpi = self.mpi();
        let found = self.moving.iter_mut().enumerate();
        let (index, whole) = found
            .filter_map(|(index, (_, request))| Some((index, mpi.test(request)?)))
            .next()?;
        let message = |number| Message::from_whole(number, whole);
        let event = match self.moving.swap_remove(index).0 {
            Moving::Sent(number) => message(number).map(Event::Sent),
            Moving::Quiet => None,
            Moving::Signal(_) => Some(Event::Signalled),
            Moving::Received {
                from,
                room,
                number,
                answers,
            } => {
                let at = clock::now();
                let Some(message) = message(number) else {
                    return Some(Err(Awaited::Message(from).lost(&Lost::Other)));
                };
                if answers && let Err(fault) = self.signal(from) {
                    return Some(Err(fault));
                }
                Some(Event::Received { room, message, at })
            }
        };
        event.map(Ok)
    }

    /// Sends bytes, and waits until they are on their way.
    fn post(&mut self, to: u32, bytes: Vec<u8>, tag: i32) -> Result<(), Fault> {
        let mut request = self.mpi().send(bytes, to, tag);
        let test = |own: &mut Self| own.mpi().test(&mut request);
        let posted = self.until(NAP, self.limit, test);
        posted.map(drop).ok_or_else(|| {
            // MPI still reads the bytes.
            self.moving.push((Moving::Quiet, request));
            Awaited::Sent(to).lost(&Lost::Silent)
        })
    }

    /// Gives an order of rank 0; none ends the run.
    pub fn order(&mut self, to: u32, order: Option<&Order>) -> Result<(), Fault> {
        self.post(to, text(&order), ORDER)
    }

    /// Asks a rank for a sign of life. A rank may not receive the question.
    pub fn ask(&mut self, rank: u32) {
        let question = self.mpi().send(Vec::new(), rank, ROLL_CALL);
        self.moving.push((Moving::Quiet, question));
    }

    /// Gives the answer of this rank to rank 0.
    pub fn answer(&mut self, answer: &Answer) -> Result<(), Fault> {
        self.post(0, text(answer), ANSWER)
    }

    /// Waits for the next order of rank 0, for so long; none at the end.
    pub fn ordered(&mut self, patience: Duration) -> Result<Option<Order>, Fault> {
        let (begin, mut is_said) = (Instant::now(), false);
        let nap = if self.is_compared { NAP } else { REST };
        let text = self.until(nap, patience, |own| {
            if !is_said && begin.elapsed() > own.limit {
                is_said = true;
                own.say("did its part, and waits for others");
            }
            own.mpi().arrived(Some(0), ORDER)
        });
        let Some((_, text)) = text else {
            // Rank 0 cannot report that it stopped. One of the others is enough.
            if self.world.rank() == 1 {
                let (here, root, waited) =
                    (self.world.here(), self.world.host(0), patience.as_secs());
                crate::tell::tell(format!(
                    "{here}: no order of rank 0 on {root} within {waited} s; if it does not end, no results are kept"
                ));
            }
            return Err(Awaited::Message(0).lost(&Lost::Silent));
        };
        let garbled = |error| Fault::own(format!("cannot understand rank 0: {error}"));
        let order = serde_json::from_slice(&text).map_err(garbled)?;
        self.is_compared = matches!(order, Some(Order::Clock));
        Ok(order)
    }

    /// Prints what this rank does if others cannot ask, because a function of the library may block them.
    fn say(&self, doing: &str) {
        if let Some(function) = self.blocking
            && self.world.rank() > 0
        {
            let (at, name) = (self.world.here(), function.name());
            crate::tell::tell(format!("{at}: at {name}: {doing}"));
        }
    }

    /// Ends this rank after a request to stop. Rank 0 saves the results first.
    ///
    /// A launcher asks all ranks to end, and kills them as soon as one has exited. So the others wait for rank 0.
    pub fn interrupted(&self) -> ! {
        if self.world.rank() > 0 {
            thread::sleep(KEEPING);
        }
        process::exit((self.end)(Status::Interrupted))
    }

    /// On rank 0: something that another rank wrote.
    pub fn heard(&mut self, within: Duration) -> Option<(u32, Written)> {
        let (rank, text) = self.until(NAP, within, |own| own.mpi().arrived(None, ANSWER))?;
        let garbled = |_| Written::Garbled(String::from_utf8_lossy(&text).into_owned());
        let written = serde_json::from_slice(&text).map_or_else(garbled, Written::Answer);
        Some((rank, written))
    }

    /// Reports the fault of this rank, and waits for rank 0 to end all.
    pub fn give_up(&mut self, fault: Fault) -> ! {
        self.say(&fault.explanation);
        let failed = text(&Answer::Failed(fault.clone()));
        let failed = self.mpi().send(failed, 0, ANSWER);
        self.moving.push((Moving::Quiet, failed));
        // Rank 0 may wait as long as this one did, and then for signs of life.
        let patience = 2 * (self.limit + GRACE);
        let _: Option<()> = self.until(GLANCE, patience, |own| {
            own.look();
            None
        });
        process::exit((self.end)(Status::Failed(fault.explanation)))
    }
}

impl Link for Ours<'_> {
    fn rank(&self) -> u32 {
        self.world.rank()
    }

    fn connect(&mut self, _to: &[u32], call: Option<Call>) -> Result<(), Fault> {
        let blocks = |&function: &Library| function != Library::Ibcast;
        self.blocking = call.map(|call| call.function).filter(blocks);
        if let Some(Call { ranks, .. }) = call {
            let mpi = self.mpi();
            let team = || mpi.first(ranks);
            self.teams.entry(ranks).or_insert_with(team);
        }
        Ok(())
    }

    /// In round i, each of them tells the one 2^i behind it, and waits for the one 2^i before it.
    fn barrier(&mut self, ranks: &[u32], _starts: bool) -> Result<bool, Fault> {
        let (count, mut step) = (ranks.len(), 1);
        let Some(own) = ranks.iter().position(|&rank| rank == self.rank()) else {
            return Ok(true);
        };
        while step < count {
            self.post(ranks[(own + step) % count], Vec::new(), PRESENT)?;
            let from = ranks[(own + count - step) % count];
            let present = |own: &mut Self| own.mpi().arrived(Some(from), PRESENT);
            let is_present = self.until(NAP, self.limit, present);
            is_present.ok_or_else(|| Awaited::Message(from).lost(&Lost::Silent))?;
            step *= 2;
        }
        Ok(true)
    }

    fn send(&mut self, to: u32, message: Message) -> Result<(), Fault> {
        let moving = Moving::Sent(message.number());
        let request = self.mpi().send(message.into_whole(), to, MESSAGE);
        self.moving.push((moving, request));
        Ok(())
    }

    fn receive(
        &mut self,
        from: u32,
        room: usize,
        buffer: Message,
        answers: bool,
    ) -> Result<(), Fault> {
        let moving = Moving::Received {
            from,
            room,
            number: buffer.number(),
            answers,
        };
        let request = self.mpi().receive(buffer.into_whole(), from, MESSAGE);
        self.moving.push((moving, request));
        Ok(())
    }

    fn signal(&mut self, to: u32) -> Result<(), Fault> {
        self.post(to, Vec::new(), SIGNAL)
    }

    fn poll(&mut self, awaited: Awaited, within: Option<Duration>) -> Result<Option<Event>, Fault> {
        let is_awaited = |(moving, _): &(Moving, Request)| matches!(moving, Moving::Signal(peer) if awaited == Awaited::Signal(*peer));
        if let Awaited::Signal(peer) = awaited
            && !self.moving.iter().any(is_awaited)
        {
            let request = self.mpi().receive(Vec::new(), peer, SIGNAL);
            self.moving.push((Moving::Signal(peer), request));
        }
        let limit = within.unwrap_or(self.limit);
        self.until(NAP, limit, Self::look).transpose()
    }

    fn call(&mut self, call: Call, given: &[u8], got: &mut [u8]) -> Result<(u64, u64), Fault> {
        let Call {
            function,
            ranks: K,
            root,
            ..
        } = call;
        let (world, guard, limit) = (self.world, self.guard, self.limit);
        let name = function.name();
        let late = format!(
            "in {name} among ranks 0 to {}: nothing arrived within {} s",
            K - 1,
            limit.as_secs()
        );
        let no_team = || Fault::own(format!("there is no communicator of {K} ranks"));
        let team = self.teams.get(&K).ok_or_else(no_team)?;
        if function != Library::Ibcast {
            let call = world.mpi.call(call, team, given, got).map_err(Fault::own)?;
            let late = format!("{}: {late}", world.here());
            let began = clock::now();
            guard.over(Instant::now() + limit, late, call);
            return Ok((began, clock::now()));
        }
        let buffer = got.to_vec();
        let began = clock::now();
        let mut request = world.mpi.broadcast(team, buffer, root);
        let test = |own: &mut Self| Some((own.mpi().test(&mut request)?, clock::now()));
        let Some((whole, ended)) = self.until(NAP, limit, test) else {
            // MPI still writes the buffer.
            self.moving.push((Moving::Quiet, request));
            // Each of the others may be lost; rank 0 finds out.
            let lost = Some(if world.rank() == root {
                (root + 1) % K
            } else {
                root
            });
            let explanation = late;
            return Err(Fault { explanation, lost });
        };
        got.copy_from_slice(&whole);
        Ok((began, ended))
    }
}

/// Numbers and strings cannot fail; the receiver would reject an empty text.
fn text(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
