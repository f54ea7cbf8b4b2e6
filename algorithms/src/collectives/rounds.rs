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
//! **Duplex ports** change nothing where all ranks do the same at the same time over one port. A receive of strict ports also waits for
//! the send before it, which ends `L` before the message arrives. The next send waits for the receive under either rule, and for the
//! larger of gap and overhead. Both bounds hold elsewhere, and for several ports: no operation begins later than with one strict port,
//! and a send waits for all that the rank received before, as in the chain.
//!
//! Elsewhere, and without such a chain, the [clock](crate::plan::clock) follows the times of all ranks.

use crate::collectives::{Algorithm, Closed, Properties};
use crate::error::{Error, fit};
use crate::plan::task::PortRule;
use crate::plan::timeline::RankClock;
use crate::plan::{Hop, Plan, Task, Words};
use crate::wide::Wide;

/// An algorithm whose ranks all exchange messages in rounds. An allreduce deals its words out to K blocks, combines each on the
/// way to a rank, and brings it to all ranks. A half of it alone has blocks of n words.
pub struct InRounds {
    /// Whether it combines.
    pub combines: bool,
    /// Whether it brings blocks to all ranks.
    pub gathers: bool,
    /// The times of the rounds, where messages of a round have one size, or on either side of them.
    pub times: fn(&Self, &Task, &mut RoundTimes) -> Result<(), Error>,
    /// What ranks do.
    pub plan: fn(&Self, &Task) -> Result<Plan<'static>, Error>,
}

impl InRounds {
    /// Whether the vector is dealt out to K blocks.
    pub(super) fn deals(&self) -> bool {
        self.combines && self.gathers
    }

    /// The words of a number of blocks from a first one on.
    pub(super) fn words(&self) -> fn(u64, u64) -> Words {
        if self.deals() {
            Words::Dealt
        } else {
            Words::Blocks
        }
    }

    /// The words of the longest block.
    pub(super) fn longest(&self, task: &Task) -> u64 {
        task.n.div_ceil(if self.deals() { task.K } else { 1 })
    }
}

impl Algorithm for InRounds {
    fn formula(&self, task: &Task) -> Result<Closed, Error> {
        let is_even = !self.deals() || task.n.is_multiple_of(task.K);
        let mut times = RoundTimes::new(task, is_even);
        (self.times)(self, task, &mut times)?;
        times.closed()
    }

    fn holds_on_duplex(&self, _: &Task) -> bool {
        true
    }

    fn plan(&self, task: &Task) -> Result<Plan<'_>, Error> {
        (self.plan)(self, task)
    }

    /// The combination of a block begins with another rank for each block.
    fn properties(&self) -> Properties {
        Properties {
            keeps_order: !self.combines,
            ..Properties::PLAIN
        }
    }
}

/// The time line of a rank in rounds.
#[derive(Debug, Clone, Copy)]
pub struct RoundTimes {
    line: RankClock,
    /// The time of the chain.
    chain: Wide,
    /// Whether all ranks do the same at the same time.
    is_even: bool,
}

impl RoundTimes {
    /// All ranks begin at 0. `is_even`: all messages of a round are of one size.
    pub fn new(task: &Task, is_even: bool) -> Self {
        Self {
            line: RankClock::default(),
            chain: Wide::ZERO,
            is_even: is_even && (task.k == 1 || task.rule == PortRule::Strict),
        }
    }

    /// Some ranks begin at 0. Others are free from `ready` on, send from `send` on, and began their last receive at
    /// `received`.
    pub fn late([ready, send, received]: [Wide; 3]) -> Self {
        Self {
            line: RankClock {
                ready,
                send,
                received,
            },
            chain: ready,
            is_even: false,
        }
    }

    /// Adds `rounds` rounds with messages of this cost.
    pub fn exchange(&mut self, hop: Hop, rounds: u64) {
        // From the second round on each begins as long after the one before.
        for _ in 0..rounds.min(2) {
            self.exchange_once(hop);
        }
        let period = hop.combined().max(hop.g);
        let later = rounds.saturating_sub(2) * period;
        for time in [
            &mut self.line.ready,
            &mut self.line.send,
            &mut self.line.received,
        ] {
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

    /// Adds `rounds` rounds that no chain goes through, with messages of at most this cost, or none.
    pub fn exchange_at_most(&mut self, hop: Hop, rounds: u64) {
        let chain = self.chain;
        self.exchange(hop, rounds);
        self.chain = chain;
    }

    /// A round of a gather: each rank that is left sends to another one, which receives, or is sent to.
    pub fn gather(&mut self, hop: Hop) {
        // A rank that receives does not send.
        let send = self.line.send;
        self.exchange_once(hop.without_combining());
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

    /// The cost, or its bounds.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn closed(self) -> Result<Closed, Error> {
        self.end()
            .map_or_else(|| self.bounds().map(Closed::Between), Closed::exact)
    }

    /// The last rank is done between these times.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    pub fn bounds(self) -> Result<[u64; 2], Error> {
        Ok([fit(self.chain)?, fit(self.line.ready)?])
    }
}
