//! The messages of a rank over MPI, and how the ranks end after a loss or a request to stop.
//!
//! MPI cannot give up a message that does not arrive, so a process that waits for it has to end. A rank that waited in
//! vain reports to rank 0 and waits to be ended. Rank 0 asks every rank for a sign of life and waits for replies. Then
//! it saves the results, names the rank to look at, and makes MPI end all ranks. The rank that rank 0 waited for may
//! itself wait for another, in a barrier for example. Hence the question: a live rank answers what it waits for, and
//! one without an answer is lost.

use std::collections::BTreeMap;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::calls::{Mpi, Request, Team};
use super::guard::{End, Guard, KEEPING};
use super::world::{NAP, World};
use crate::clock;
use crate::diagnosis::diagnosis;
use crate::fault::Fault;
use crate::library::Library;
use crate::link::{Awaited, Call, Event, Link};
use crate::message::{Lost, Message};
use crate::results::Status;
use crate::stop::Stop;
use crate::wire::{Answer, Order};

const MESSAGE: i32 = 1;
const SIGNAL: i32 = 2;
/// To a rank of a barrier: another one is there.
const PRESENT: i32 = 3;
/// Rank 0 to the others; an empty one ends the run.
const ORDER: i32 = 4;
const ANSWER: i32 = 5;
/// Rank 0 to all: it cannot continue. A live rank answers what it waits for.
const ROLL_CALL: i32 = 6;

/// Extra wait of rank 0 after the others' own limit, because their messages are more precise.
pub const GRACE: Duration = Duration::from_secs(2);
/// Interval between two checks for answers.
const GLANCE: Duration = Duration::from_millis(5);
/// Interval between two checks of a waiting rank for the question: long, because the wait may be timed.
const LOOK: Duration = Duration::from_millis(100);
/// Sleep between two polls while nothing is timed.
const REST: Duration = Duration::from_micros(500);

/// A message under way.
enum Moving {
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
    /// Whether rank 0 has asked for a sign of life.
    is_called: bool,
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
            is_called: false,
            is_compared: false,
        }
    }

    fn mpi(&self) -> &'a Mpi {
        &self.world.mpi
    }

    /// Polls until there is an answer; none if there is none within the limit, or when rank 0 asks for a sign of life.
    fn until<T>(
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
                let asked = || self.mpi().arrived(Some(0), ROLL_CALL).is_some();
                self.is_called |= self.world.rank() > 0 && asked();
                if self.is_called {
                    return None;
                }
            }
            self.pause(nap);
        }
    }

    pub fn pause(&self, nap: Duration) {
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
            self.moving.push((Moving::Sent(0), request));
            Awaited::Sent(to).lost(&self.lost())
        })
    }

    /// Why a wait is over.
    fn lost(&self) -> Lost {
        match self.is_called {
            true => Lost::Asked,
            false => Lost::Silent,
        }
    }

    /// Gives an order of rank 0.
    pub fn order(&mut self, to: u32, order: &Order) {
        self.post(to, text(order), ORDER)
            .unwrap_or_else(|fault| self.give_up(fault));
    }

    /// Gives the answer of this rank to rank 0.
    pub fn answer(&mut self, answer: &Answer) -> Result<(), Fault> {
        self.post(0, text(answer), ANSWER)
    }

    /// Ends the run on the other ranks.
    pub fn dismiss(&mut self) {
        for rank in 1..self.world.size() {
            self.post(rank, Vec::new(), ORDER)
                .unwrap_or_else(|fault| self.give_up(fault));
        }
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
            let explanation = format!("waiting for the next order of rank 0: {}", self.lost());
            let lost = Some(0);
            return Err(Fault { explanation, lost });
        };
        if text.is_empty() {
            return Ok(None);
        }
        let garbled = |error| Fault::own(format!("cannot understand rank 0: {error}"));
        let order = serde_json::from_slice(&text).map_err(garbled)?;
        self.is_compared = matches!(order, Order::Clock);
        Ok(Some(order))
    }

    /// Prints what this rank does if others cannot ask, because a function of the library may block them.
    fn say(&self, doing: &str) {
        if let Some(function) = self.blocking
            && self.world.rank() > 0
        {
            let (at, name) = (self.world.at(self.world.rank()), function.name());
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

    /// On rank 0: an answer that has arrived, and its rank.
    pub fn heard(&self) -> Option<(u32, Answer)> {
        let (rank, text) = self.mpi().arrived(None, ANSWER)?;
        let garbled = |error| Answer::Failed(Fault::own(format!("cannot be understood: {error}")));
        Some((rank, serde_json::from_slice(&text).unwrap_or_else(garbled)))
    }

    /// Ends all ranks because of a fault of this one.
    pub fn give_up(&self, fault: Fault) -> ! {
        if self.world.rank() == 0 {
            self.end_all(BTreeMap::from([(0, fault)]));
        }
        self.say(&fault.explanation);
        let begin = Instant::now();
        let mut request = self
            .mpi()
            .send(text(&Answer::Failed(fault.clone())), 0, ANSWER);
        // Rank 0 may wait as long as this one did, and then for signs of life.
        while begin.elapsed() < 2 * (self.limit + GRACE) {
            self.mpi().test(&mut request);
            thread::sleep(GLANCE);
        }
        process::exit((self.end)(Status::Failed(fault.explanation)))
    }

    /// On rank 0: collects what the others wait for, saves the results, and ends all ranks.
    pub fn end_all(&self, mut troubles: BTreeMap<u32, Fault>) -> ! {
        let (begin, size) = (Instant::now(), self.world.size());
        let call = |rank| self.mpi().send(Vec::new(), rank, ROLL_CALL);
        // Not waited for: missing answers are the result.
        let _calls: Vec<Request> = (1..size).map(call).collect();
        // A live rank answers within the limit, even on a busy machine.
        while begin.elapsed() < self.limit && troubles.len() < size as usize {
            match self.heard() {
                Some((rank, Answer::Failed(fault))) => {
                    troubles.insert(rank, fault);
                }
                Some(_) => {}
                None => thread::sleep(GLANCE),
            }
        }
        let reason = diagnosis(size, |rank| self.world.at(rank), &troubles);
        self.mpi().abort((self.end)(Status::Failed(reason)))
    }
}

impl Link for Ours<'_> {
    fn rank(&self) -> u32 {
        self.world.rank()
    }

    fn connect(
        &mut self,
        _to: &[u32],
        _from: &[u32],
        call: Option<(Library, u32)>,
    ) -> Result<(), Fault> {
        let blocks = |&function: &Library| function != Library::Ibcast;
        self.blocking = call.map(|(function, _)| function).filter(blocks);
        if let Some((_, ranks)) = call {
            let mpi = self.mpi();
            let team = || mpi.first(ranks);
            self.teams.entry(ranks).or_insert_with(team);
        }
        Ok(())
    }

    /// In round i, each rank tells the one 2^i behind it, and waits for the one 2^i before it.
    fn barrier(&mut self, ranks: u32, _starts: bool) -> Result<bool, Fault> {
        let (rank, mut step) = (self.rank(), 1);
        while step < ranks && rank < ranks {
            self.post((rank + step) % ranks, Vec::new(), PRESENT)?;
            let from = (rank + ranks - step) % ranks;
            let present = |own: &mut Self| own.mpi().arrived(Some(from), PRESENT);
            let is_present = self.until(NAP, self.limit, present);
            let lost = self.lost();
            is_present
                .ok_or_else(|| Fault::own(format!("waiting for all ranks to be ready: {lost}")))?;
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
        match self.until(NAP, limit, Self::look) {
            Some(event) => event.map(Some),
            None if within.is_some() && !self.is_called => Ok(None),
            None => Err(awaited.lost(&self.lost())),
        }
    }

    fn call(&mut self, call: Call, given: &[u8], got: &mut [u8]) -> Result<(u64, u64), Fault> {
        let Call {
            function,
            ranks: K,
            root,
            bytes,
        } = call;
        let (world, guard, limit) = (self.world, self.guard, self.limit);
        let mpi = &world.mpi;
        let doing = format!("in {} among ranks 0 to {}", function.name(), K - 1);
        let late = format!("{doing}: nothing arrived within {} s", limit.as_secs());
        if function == Library::Ibcast {
            let team = self.team(K)?;
            let buffer = got.to_vec();
            let began = clock::now();
            let mut request = mpi.broadcast(team, buffer, root);
            let test = |_: &mut Self| mpi.test(&mut request).map(|whole| (whole, clock::now()));
            let Some((whole, ended)) = self.until(NAP, limit, test) else {
                // MPI still writes the buffer.
                self.moving.push((Moving::Sent(0), request));
                return Err(Fault::own(late));
            };
            got.copy_from_slice(&whole);
            return Ok((began, ended));
        }
        let team = self.team(K)?;
        let call = mpi
            .call(function, team, (K, root), bytes, (given, got))
            .map_err(Fault::own)?;
        let late = format!("{}: {late}", world.at(world.rank()));
        let began = clock::now();
        guard.over(Instant::now() + limit, late, call);
        Ok((began, clock::now()))
    }
}

impl Ours<'_> {
    fn team(&self, ranks: u32) -> Result<&Team, Fault> {
        let no_team = || Fault::own(format!("there is no communicator of {ranks} ranks"));
        self.teams.get(&ranks).ok_or_else(no_team)
    }
}

/// Numbers and strings cannot fail; the receiver would reject an empty text.
fn text(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
