//! How the ranks end after a loss or a request to stop, and how rank 0 finds the cause.
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

use super::calls::{Request, scope};
use super::world::{NAP, World};
use crate::diagnosis::diagnosis;
use crate::fault::Fault;
use crate::results::Status;
use crate::stop::Stop;
use crate::wire::Answer;

const REPLY: i32 = 5;
/// Rank 0 to all: it cannot continue. A live rank replies what it waits for.
const ROLL_CALL: i32 = 6;

/// Extra wait of rank 0 after the others' own limit, because their messages are more precise.
pub const GRACE: Duration = Duration::from_secs(2);
/// Interval between two checks for replies.
const GLANCE: Duration = Duration::from_millis(5);
/// Interval between two checks of a waiting rank for the question: long, because the wait may be timed.
const LOOK: Duration = Duration::from_millis(100);

/// Sleep between two polls while nothing is timed.
const REST: Duration = Duration::from_micros(500);
/// How long other ranks wait for rank 0 to save the results, which may itself wait for a limit. The launcher ends them
/// when rank 0 exits.
pub const KEEPING: Duration = Duration::from_secs(20);

/// Ends a measurement from any thread: rank 0 saves the results and prints how it ended. Returns the exit code. A
/// second call saves nothing.
pub type End<'a> = &'a (dyn Fn(Status) -> i32 + Sync);

/// What a rank does, and the rank that it waits for.
type Doing<'d> = (&'d str, Option<u32>);

/// One rank in contact with the others; no wait exceeds the limit.
pub struct Contact<'a> {
    pub world: &'a World,
    pub limit: Duration,
    pub stop: &'a Stop,
    pub end: End<'a>,
}

impl Contact<'_> {
    /// Waits for a request in a timed part. Without completion within the limit the run ends, because a request cannot be
    /// given up while its buffer lives.
    pub fn wait(&self, request: Request<'_, '_>, doing: Doing<'_>) {
        let mut pending = Some(request);
        let test = || {
            let tested = self.world.mpi.test(pending.take()?);
            tested.map_err(|request| pending = Some(request)).ok()
        };
        self.until(NAP, self.limit, doing, test);
    }

    /// Polls until there is an answer; otherwise as [`Contact::wait`].
    pub fn until<T>(
        &self,
        nap: Duration,
        limit: Duration,
        (doing, peer): Doing<'_>,
        mut ask: impl FnMut() -> Option<T>,
    ) -> T {
        let begin = Instant::now();
        let mut next_look = LOOK;
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            if self.stop.requested() {
                self.interrupted();
            }
            let waited = begin.elapsed();
            let mut over = waited > limit;
            if waited > next_look {
                next_look = waited + LOOK;
                over |= self.called();
            }
            if over {
                let rank = peer.map_or_else(String::new, |rank| format!(" rank {rank}"));
                self.give_up(
                    format!(
                        "{doing}{rank}: nothing arrived within {:.1} s",
                        waited.as_secs_f64()
                    ),
                    peer,
                );
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

    /// Waits for the next word of rank 0, while nothing is timed.
    pub fn next(&self, tag: i32, limit: Duration, doing: &str) -> Vec<u8> {
        self.until(REST, limit, (doing, Some(0)), || {
            self.world.mpi.arrived(Some(0), tag)
        })
        .1
    }

    pub fn send(&self, rank: u32, bytes: &[u8], tag: i32, doing: &str) {
        scope(|scope| {
            let request = self.world.mpi.send(scope, bytes, rank, tag);
            self.wait(request, (doing, Some(rank)));
        });
    }

    pub fn receive(&self, rank: u32, into: &mut [u8], tag: i32, doing: &str) {
        scope(|scope| {
            let request = self.world.mpi.receive(scope, into, rank, tag);
            self.wait(request, (doing, Some(rank)));
        });
    }

    pub fn barrier(&self) {
        scope(|scope| {
            let request = self.world.mpi.barrier(scope);
            self.wait(request, ("waiting for all ranks to be ready", None));
        });
    }

    /// Sends the reply to rank 0; on rank 0, returns all replies.
    pub fn replies(&self, own: Answer) -> Vec<Answer> {
        if self.world.rank() > 0 {
            self.send(0, &text(&own), REPLY, "telling");
            return Vec::new();
        }
        self.collect(own, self.world.size())
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

    /// On rank 0: the replies of the first ranks, as many as `count`.
    pub fn collect(&self, own: Answer, count: u32) -> Vec<Answer> {
        let mut replies = BTreeMap::from([(0, own)]);
        let begin = Instant::now();
        let waited = || {
            let explanation = format!(
                "did its part, and waited {:.1} s for the others",
                begin.elapsed().as_secs_f64()
            );
            Fault {
                explanation,
                lost: None,
            }
        };
        while replies.len() < count as usize {
            match self.heard() {
                Some((rank, Answer::Failed(trouble))) => {
                    self.end_all(BTreeMap::from([(0, waited()), (rank, trouble)]));
                }
                Some((rank, reply)) => {
                    replies.insert(rank, reply);
                }
                None if self.stop.requested() => self.interrupted(),
                None if begin.elapsed() > self.limit + GRACE => {
                    self.end_all(BTreeMap::from([(0, waited())]));
                }
                None => self.pause(NAP),
            }
        }
        replies.into_values().collect()
    }

    fn heard(&self) -> Option<(u32, Answer)> {
        let (rank, text) = self.world.mpi.arrived(None, REPLY)?;
        let garbled = |error: serde_json::Error| {
            Answer::Failed(Fault {
                explanation: format!("cannot be understood: {error}"),
                lost: None,
            })
        };
        let reply = serde_json::from_slice(&text).unwrap_or_else(garbled);
        Some((rank, reply))
    }

    /// Ends all ranks because of a fault of this one.
    pub fn give_up(&self, explanation: String, lost: Option<u32>) -> ! {
        let trouble = Fault { explanation, lost };
        if self.world.rank() == 0 {
            self.end_all(BTreeMap::from([(0, trouble)]));
        }
        let words = text(&Answer::Failed(trouble.clone()));
        let begin = Instant::now();
        scope(|scope| {
            let mut request = Some(self.world.mpi.send(scope, &words, 0, REPLY));
            // Rank 0 may wait as long as this one did, and then for signs of life.
            while begin.elapsed() < 2 * (self.limit + GRACE) {
                request = request.and_then(|request| self.world.mpi.test(request).err());
                thread::sleep(GLANCE);
            }
            process::exit((self.end)(Status::Failed(trouble.explanation)))
        })
    }

    /// Whether rank 0 asks for a sign of life.
    pub fn called(&self) -> bool {
        self.world.rank() > 0 && self.world.mpi.arrived(Some(0), ROLL_CALL).is_some()
    }

    /// On rank 0: collects what the others wait for, saves the results, and ends all ranks.
    fn end_all(&self, mut troubles: BTreeMap<u32, Fault>) -> ! {
        let (begin, size) = (Instant::now(), self.world.size());
        scope(|scope| {
            let call = |rank| self.world.mpi.send(scope, &[], rank, ROLL_CALL);
            // Not waited for: missing answers are the result.
            let _calls: Vec<_> = (1..size).map(call).collect();
            // A live rank answers within the limit, even on a busy machine.
            while begin.elapsed() < self.limit && troubles.len() < size as usize {
                match self.heard() {
                    Some((rank, Answer::Failed(trouble))) => {
                        troubles.insert(rank, trouble);
                    }
                    Some(_) => {}
                    None => thread::sleep(GLANCE),
                }
            }
            let reason = diagnosis(size, |rank| self.world.at(rank), &troubles);
            self.world.mpi.abort((self.end)(Status::Failed(reason)))
        })
    }
}

/// Numbers and strings cannot fail; the receiver would reject an empty text.
pub fn text(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
