//! One rank: obeys the orders of a coordinator, over any transport.

use super::act::Prepared;
use super::clock;
use super::exchange;
use super::fault::Fault;
use super::link::Link;
use super::probe;
use super::wire::{Answer, Order};

/// A rank with its messages.
pub struct Rank<L> {
    /// How its messages move.
    pub link: L,
    kept: Prepared,
}

impl<L: Link> Rank<L> {
    /// A rank that has no part yet.
    pub fn new(link: L) -> Self {
        Self {
            link,
            kept: Prepared::default(),
        }
    }

    /// Obeys an order; returns its last answer.
    ///
    /// # Errors
    /// What happened to a message, and the rank at its other end; an order that is not expected.
    pub fn obey(&mut self, order: Order) -> Result<Answer, Fault> {
        Ok(match order {
            Order::Clock => Answer::Now { ns: clock::now() },
            Order::Prepare(part) => {
                // Released first: the messages of two tasks may not fit in memory together.
                self.kept = Prepared::default();
                self.kept = Prepared::new(&part, self.link.rank()).map_err(Fault::own)?;
                Answer::Done(exchange::run(&mut self.kept, &mut self.link)?)
            }
            Order::Verify => Answer::Digest {
                sha256: self.kept.digest(),
            },
            Order::Probe(probe) => Answer::Probed(probe::run(&probe, &mut self.link)?),
            order => return Err(unexpected(&order)),
        })
    }
}

/// The fault of a rank that gets an order which it does not expect.
pub fn unexpected(order: &Order) -> Fault {
    Fault::own(format!("received the unexpected order {order:?}"))
}
