//! Rank 0: gives the orders, and obeys its own.

use std::io;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::link::Ours;
use crate::cluster::{Channel, Event};
use crate::rank::Rank;
use crate::wire::{Answer, Order};

pub struct Root<'a> {
    pub rank: Rank<Ours<'a>>,
    /// The order of this rank. It is obeyed when answers are collected, so that the others have theirs.
    own: Option<Order>,
}

impl<'a> Root<'a> {
    pub fn new(rank: Rank<Ours<'a>>) -> Self {
        Self { rank, own: None }
    }
}

impl Channel for Root<'_> {
    fn size(&self) -> u32 {
        self.rank.link.world.size()
    }

    /// All: a rank that gets no orders for long would think that this one is lost.
    fn in_task(&self, _K: u32) -> u32 {
        self.size()
    }

    fn has_barrier(&self) -> bool {
        true
    }

    fn clock(&self, rank: u32) -> Option<&str> {
        Some(self.rank.link.world.clock(rank))
    }

    fn give(
        &mut self,
        rank: u32,
        order: &Order,
        _limit: Duration,
        _stopped: impl Fn() -> bool,
    ) -> io::Result<()> {
        match (rank, order) {
            (0, order) => self.own = Some(order.clone()),
            (_, Order::RollCall) => self.rank.link.ask(rank),
            _ => {
                let given = self.rank.link.order(rank, Some(order));
                given.map_err(|_| io::ErrorKind::TimedOut)?;
            }
        }
        Ok(())
    }

    fn hear(&mut self, within: Duration) -> Result<(u32, Event), RecvTimeoutError> {
        let answer = match self.own.take() {
            None => {
                return self
                    .rank
                    .link
                    .heard(within)
                    .ok_or(RecvTimeoutError::Timeout);
            }
            Some(Order::RollCall) => Answer::Here,
            Some(order) => self.rank.obey(order).unwrap_or_else(Answer::Failed),
        };
        Ok((0, Event::Answer(answer)))
    }

    fn ended(&mut self, _rank: u32) -> Option<ExitStatus> {
        None
    }

    fn complaint(&self, _rank: u32) -> (String, bool) {
        (String::new(), true)
    }

    fn location(&self, rank: u32) -> String {
        self.rank.link.world.host(rank).to_owned()
    }
}
