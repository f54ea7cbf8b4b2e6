//! Times of ranks that exchange messages in rounds.
//!
//! In a round every rank sends a message, receives one of the same size, and may combine it. Where all ranks begin
//! together and all messages of a round are of one size, all ranks do the same at the same time.
//!
//! Where messages of a round differ, or some ranks begin later, two times stand on either side of the cost:
//!
//! - *above*: every rank begins as late as the last and sends the largest message of each round. An execution in order is
//!   a longest path, so no time falls where a duration grows.
//! - *below*: the largest message of each round, one after the other: each is sent by the rank that has just combined the
//!   one before. The caller states that there is such a chain.
//!
//! Where both are equal they are the cost. They are where the gap of a message is not longer than its hop. A chain of
//! the smallest messages always exists, so there are bounds at any size.
//!
//! Elsewhere, and without such a chain, the times of all ranks are followed: [`Ranks`]. Without rounds, they are followed
//! message by message: [`followed`].

use std::collections::HashMap;

use super::script::{Act, Script};
use super::task::Hop;
use super::timeline::Line;
use super::{Algorithm, Task, narrow};
use crate::error::{Error, fit};
use crate::wide::Wide;

/// The time lines of all ranks, for rounds whose messages differ from rank to rank: time and memory O(K) a round.
#[derive(Debug)]
pub(super) struct Ranks {
    lines: Vec<Line>,
}

impl Ranks {
    /// Most messages that are followed: 64 rounds of 2^16 ranks.
    const MOST: u64 = 1 << 22;

    /// All ranks begin at 0; `None` where the rounds have more messages than are followed.
    pub fn new(K: u64, rounds: u64) -> Option<Self> {
        (K.saturating_mul(rounds) <= Self::MOST).then(|| Self { lines: vec![Line::default(); narrow(K) as usize] })
    }

    /// In a round every rank sends at most one message, to the rank that `message` returns, and then receives at most one.
    ///
    /// # Errors
    /// Those of `message`.
    pub fn exchange(&mut self, message: impl Fn(u64) -> Result<Option<(u64, Hop)>, Error>) -> Result<(), Error> {
        let mut mail = Vec::with_capacity(self.lines.len());
        for (rank, line) in (0..).zip(&mut self.lines) {
            if let Some((to, hop)) = message(rank)? {
                mail.push((to, hop, line.send(hop)));
            }
        }
        for (to, hop, arrival) in mail {
            self.lines[narrow(to) as usize].receive(hop, arrival);
        }
        Ok(())
    }

    /// When the last rank is done.
    pub fn end(&self) -> Wide {
        self.lines.iter().map(|line| line.ready).max().unwrap_or_default()
    }
}

/// When the last rank is done, from the times of all ranks; `None` for too many messages.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn followed(algorithm: &dyn Algorithm, task: &Task) -> Result<Option<Wide>, Error> {
    if algorithm.messages(task) > Ranks::MOST.into() {
        return Ok(None);
    }
    let (script, ends) = Script::of(algorithm, task)?;
    let mut lines = vec![Line::default(); ends.len()];
    let mut next: Vec<_> = [0].into_iter().chain(ends.iter().copied()).collect();
    let mut arrivals = HashMap::new();
    // Those that can go on.
    let mut ranks: Vec<_> = (0..narrow(task.K)).collect();
    while let Some(rank) = ranks.pop() {
        let (line, next) = (&mut lines[rank as usize], &mut next[rank as usize]);
        for step in &script.steps[*next..ends[rank as usize]] {
            let hop = task.hop(script.words(step))?;
            match step.act {
                Act::Send => {
                    arrivals.insert((rank, step.peer, step.round), line.send(hop));
                    ranks.push(step.peer);
                }
                Act::Local { .. } => line.work(hop.q),
                act => {
                    let Some(arrival) = arrivals.remove(&(step.peer, rank, step.round)) else { break };
                    line.receive(if act == Act::Receive { hop.plain() } else { hop }, arrival);
                }
            }
            *next += 1;
        }
    }
    Ok(lines.iter().map(|line| line.ready).max())
}

/// The time line of a rank in rounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    line: Line,
    /// The time of the chain.
    chain: Wide,
    /// Whether all ranks do the same at the same time.
    is_even: bool,
}

impl Rounds {
    /// All ranks begin at 0. `is_even`: all messages of a round are of one size.
    pub fn new(is_even: bool) -> Self {
        Self { line: Line::default(), chain: Wide::ZERO, is_even }
    }

    /// Some ranks begin at 0. Others are free from `ready` on, send from `send` on, and began their last receive at
    /// `received`.
    pub fn late([ready, send, received]: [Wide; 3]) -> Self {
        Self { line: Line { ready, send, received }, chain: ready, is_even: false }
    }

    /// So many rounds with messages like this.
    pub fn exchange(&mut self, hop: Hop, rounds: u64) {
        // From the second round on each begins as long after the one before.
        for _ in 0..rounds.min(2) {
            self.exchange_once(hop);
        }
        let period = hop.combined().max(hop.g);
        let later = rounds.saturating_sub(2) * period;
        for time in [&mut self.line.ready, &mut self.line.send, &mut self.line.received] {
            *time += later;
        }
        self.chain += rounds * hop.combined();
    }

    fn exchange_once(&mut self, hop: Hop) {
        let arrival = self.line.send(hop);
        self.line.receive(hop, arrival);
    }

    /// A round with messages between these two.
    pub fn exchange_between(&mut self, [smallest, largest]: [Hop; 2]) {
        self.exchange_at_most(largest, 1);
        self.chain += smallest.combined();
    }

    /// So many rounds that no chain goes through, with messages like this or smaller ones, or none.
    pub fn exchange_at_most(&mut self, hop: Hop, rounds: u64) {
        let chain = self.chain;
        self.exchange(hop, rounds);
        self.chain = chain;
    }

    /// A round of a gather: each rank that is left sends to another one, which receives, or is sent to.
    pub fn gather(&mut self, hop: Hop) {
        // A rank that receives does not send.
        let send = self.line.send;
        self.exchange_once(hop.plain());
        self.line.send = send;
        self.chain += hop.D();
    }

    /// One more message, from a rank that took part to one that waits for it.
    pub fn hand_on(&mut self, hop: Hop) {
        self.line.ready = self.line.hand_on(hop);
        self.chain += hop.D();
    }

    /// When the last rank is done; `None` where that is not known.
    pub fn end(self) -> Option<Wide> {
        (self.is_even || self.line.ready == self.chain).then_some(self.line.ready)
    }

    /// When the last rank is done; where that is not known, what `follow` finds.
    ///
    /// # Errors
    /// Those of `follow`, [`Error::Overflow`].
    pub fn end_or(self, follow: impl FnOnce() -> Result<Option<Wide>, Error>) -> Result<Option<u64>, Error> {
        let end = self.end();
        if end.is_some() { end } else { follow()? }.map(fit).transpose()
    }

    /// The last rank is done between these times.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn bounds(self) -> Result<[u64; 2], Error> {
        Ok([fit(self.chain)?, fit(self.line.ready)?])
    }
}
