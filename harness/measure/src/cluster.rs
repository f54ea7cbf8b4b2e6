//! All ranks, as the process that gives them orders has them, over any transport: over TCP the coordinator, over MPI
//! rank 0. It never waits for a rank without limit.

mod inquiry;

use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use inquiry::Question;

use super::error::Error;
use super::plausible;
use super::stop::Stop;
use super::wire::{Answer, Order};

/// Extra wait after the ranks' own limit, because their messages are more precise.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// Interval between two checks for a request to stop.
pub(crate) const GLANCE: Duration = Duration::from_millis(50);
/// Most kept bytes of the standard error of a rank, and most characters of its fault.
pub(crate) const MAX_COMPLAINTS: usize = 2000;

/// Something that a rank wrote.
pub enum Event {
    /// An answer.
    Answer(Answer),
    /// Something else.
    Garbled(String),
    /// Its output ended.
    Closed,
}

/// How orders reach the ranks of a transport, and their answers this process.
pub trait Channel {
    /// The number of ranks.
    fn size(&self) -> u32;

    /// The number of ranks that get a part of a task of K ranks; a part can be empty.
    fn in_task(&self, K: u32) -> u32;

    /// Whether ranks wait for each other without this process.
    fn has_barrier(&self) -> bool;

    /// [`super::clock::domain`] of a rank; none if it has not joined.
    fn clock(&self, rank: u32) -> Option<&str>;

    /// Gives an order. Waits for at most `limit`, and until `stopped`.
    ///
    /// # Errors
    /// The rank does not accept it in time, or has ended.
    fn give(
        &mut self,
        rank: u32,
        order: &Order,
        limit: Duration,
        stopped: impl Fn() -> bool,
    ) -> io::Result<()>;

    /// The next event, and its rank.
    ///
    /// # Errors
    /// There is none in time, or there will be none.
    fn hear(&mut self, within: Duration) -> Result<(u32, Event), RecvTimeoutError>;

    /// How a rank ended, if it has.
    fn ended(&mut self, rank: u32) -> Option<ExitStatus>;

    /// What a rank wrote to its standard error, and whether that is all.
    fn complaint(&self, rank: u32) -> (String, bool);

    /// Its host and process, for messages.
    fn location(&self, rank: u32) -> String;
}

/// The ranks of a run.
pub struct Cluster<'a, C> {
    /// How to reach them.
    pub channel: C,
    limit: Duration,
    stop: &'a Stop,
    /// When the last order was given to each.
    ordered: Vec<Instant>,
}

impl<'a, C: Channel> Cluster<'a, C> {
    /// Ranks with at most this time to wait for each other; `stop` ends a wait for an answer.
    pub fn new(channel: C, limit: Duration, stop: &'a Stop) -> Self {
        Self {
            channel,
            limit,
            stop,
            ordered: Vec::new(),
        }
    }

    /// Gives an order.
    ///
    /// # Errors
    /// A rank that does not accept it within the limit, or has ended; a request to stop.
    pub fn tell(&mut self, rank: u32, order: &Order) -> Result<(), Error> {
        let (limit, stop) = (self.limit + GRACE, self.stop);
        self.ordered
            .resize(self.channel.size() as usize, Instant::now());
        self.ordered[rank as usize] = Instant::now();
        match self.channel.give(rank, order, limit, || stop.requested()) {
            Ok(()) => Ok(()),
            Err(_) if stop.requested() => Err(Error::Interrupted),
            Err(error) => {
                let is_closing = error.kind() != io::ErrorKind::TimedOut;
                let otherwise = match is_closing {
                    true => format!("accepts no orders: {error}"),
                    false => format!("accepted no order within {} s", limit.as_secs()),
                };
                let question = Question {
                    doing: "giving an order",
                    missing: vec![rank],
                    is_closing,
                    otherwise,
                };
                Err(self.inquire(&question, None))
            }
        }
    }

    /// Waits until each of these ranks is ready.
    ///
    /// # Errors
    /// Errors of [`Cluster::collect`].
    pub fn ready(&mut self, ranks: &[u32], doing: &str) -> Result<(), Error> {
        let ready = |answer| matches!(answer, Answer::Ready).then_some(());
        self.collect(ranks, doing, ready).map(drop)
    }

    /// Waits until these ranks are ready, and lets those of `starters` begin.
    ///
    /// # Errors
    /// Errors of [`Cluster::collect`].
    pub fn start(&mut self, ranks: &[u32], starters: &[u32], doing: &str) -> Result<(), Error> {
        if self.channel.has_barrier() {
            return Ok(());
        }
        self.ready(ranks, doing)?;
        let mut each = starters.iter();
        each.try_for_each(|&rank| self.tell(rank, &Order::Go))
    }

    /// Waits for an answer of each of these ranks, in order.
    ///
    /// # Errors
    /// A rank of the cluster that fails, gives another answer or none within the limit; a request to stop.
    pub fn collect<T>(
        &mut self,
        ranks: &[u32],
        doing: &str,
        take: impl Fn(Answer) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let mut taken: Vec<Option<T>> = ranks.iter().map(|_| None).collect();
        let limit = self.limit + GRACE;
        let mut begin = Instant::now();
        loop {
            let missing: Vec<u32> = ranks
                .iter()
                .zip(&taken)
                .filter(|(_, taken)| taken.is_none())
                .map(|(&rank, _)| rank)
                .collect();
            if missing.is_empty() {
                return Ok(taken.into_iter().flatten().collect());
            }
            if self.stop.requested() {
                return Err(Error::Interrupted);
            }
            let otherwise = format!("no answer within {} s of {doing}", limit.as_secs());
            let question = Question {
                doing,
                missing,
                is_closing: false,
                otherwise,
            };
            let left = limit.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(self.inquire(&question, None));
            }
            let (rank, event) = match self.channel.hear(left.min(GLANCE)) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.failed(question.missing[0], "its output ended"));
                }
            };
            begin = Instant::now();
            let answer = match event {
                Event::Answer(answer) if !matches!(answer, Answer::Failed(_)) => answer,
                event => return Err(self.inquire(&question, Some((rank, event)))),
            };
            plausible::alone(&answer, self.ordered[rank as usize].elapsed())
                .map_err(|why| self.failed(rank, &why))?;
            let index = ranks.iter().position(|&asked| asked == rank);
            match index
                .and_then(|index| taken.get_mut(index))
                .filter(|slot| slot.is_none())
                .zip(take(answer))
            {
                Some((slot, value)) => *slot = Some(value),
                None => {
                    let why = format!("gave an unexpected answer when {doing}");
                    return Err(self.failed(rank, &why));
                }
            }
        }
    }

    /// The error of a rank, with its standard error. Both are cut, because the rank may have written them.
    #[must_use]
    pub fn failed(&self, rank: u32, explanation: &str) -> Error {
        let complaint = match self.channel.complaint(rank).0.as_str() {
            "" => String::new(),
            text => format!("; its error output: {}", text.replace('\n', " / ")),
        };
        let explanation: String = explanation.chars().take(MAX_COMPLAINTS).collect();
        let location = self.channel.location(rank);
        Error::Failed(format!(
            "rank {rank} on {location}: {explanation}{complaint}"
        ))
    }
}
