//! Rank 0: gives the orders, and obeys its own.

use std::collections::BTreeMap;
use std::time::Instant;

use super::link::{GRACE, Ours};
use super::world::NAP;
use crate::error::Error;
use crate::fault::Fault;
use crate::plausible;
use crate::rank::Rank;
use crate::ranks::Ranks;
use crate::wire::{Answer, Order};

pub struct Root<'a> {
    pub rank: Rank<Ours<'a>>,
    /// The order of this rank. It is obeyed when answers are collected, so that the others have theirs.
    own: Option<Order>,
    /// When the last order was given.
    ordered: Instant,
}

impl<'a> Root<'a> {
    pub fn new(rank: Rank<Ours<'a>>) -> Self {
        Self {
            rank,
            own: None,
            ordered: Instant::now(),
        }
    }

    /// Waits for an answer of another rank. No other rank answers in vain, so this one ends with a rank that fails.
    fn hear(&self, begin: Instant) -> (u32, Answer) {
        let link = &self.rank.link;
        let waited = || {
            let waited = begin.elapsed().as_secs_f64();
            Fault::own(format!(
                "did its part, and waited {waited:.1} s for the others"
            ))
        };
        loop {
            match link.heard() {
                Some((rank, Answer::Failed(fault))) => {
                    link.end_all(BTreeMap::from([(0, waited()), (rank, fault)]))
                }
                Some(answer) => return answer,
                None if link.stop.requested() => link.interrupted(),
                None if begin.elapsed() > link.limit + GRACE => {
                    link.end_all(BTreeMap::from([(0, waited())]))
                }
                None => link.pause(NAP),
            }
        }
    }
}

impl Ranks for Root<'_> {
    fn size(&self) -> u32 {
        self.rank.link.world.size()
    }

    /// All: a rank that gets no orders for long would think that this one is lost.
    fn in_task(&self, _K: u32) -> u32 {
        self.size()
    }

    fn clock(&self, rank: u32) -> String {
        self.rank.link.world.clock(rank).to_owned()
    }

    fn tell(&mut self, rank: u32, order: Order) -> Result<(), Error> {
        self.ordered = Instant::now();
        match rank {
            0 => self.own = Some(order),
            _ => self.rank.link.order(rank, &order),
        }
        Ok(())
    }

    /// The ranks have a barrier of their own.
    fn start(&mut self, _ranks: &[u32], _starters: &[u32], _doing: &str) -> Result<(), Error> {
        Ok(())
    }

    fn collect<T>(
        &mut self,
        ranks: &[u32],
        doing: &str,
        take: impl Fn(Answer) -> Option<T>,
    ) -> Result<Vec<T>, Error> {
        let mut answers = BTreeMap::new();
        if let Some(order) = self.own.take() {
            let answer = self.rank.obey(order);
            answers.insert(
                0,
                answer.unwrap_or_else(|fault| self.rank.link.give_up(fault)),
            );
        }
        let begin = Instant::now();
        while answers.len() < ranks.len() {
            let (rank, answer) = self.hear(begin);
            answers.insert(rank, answer);
        }
        let took = self.ordered.elapsed();
        let each = answers.into_iter().map(|(rank, answer)| {
            plausible::alone(&answer, took).map_err(|why| self.failed(rank, &why))?;
            let unexpected = || format!("gave an unexpected answer when {doing}");
            take(answer).ok_or_else(|| self.failed(rank, &unexpected()))
        });
        each.collect()
    }

    fn failed(&self, rank: u32, explanation: &str) -> Error {
        Error::Failed(format!("{} {explanation}", self.rank.link.world.at(rank)))
    }
}
