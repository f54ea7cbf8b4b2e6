//! Finds the rank at fault when one fails or does not answer.
//!
//! A rank that has stopped responding reports nothing, and the first complaint often comes from a rank that only waits
//! for it. A rank may also wait for the coordinator, which waits for the stopped rank. So the coordinator asks every
//! rank for a sign of life. A rank answers at once, whatever it waits for; one that does not answer within the limit
//! has stopped responding.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use super::{Channel, Cluster, Event, GLANCE};
use crate::error::Error;
use crate::fault::{Fault, first_loss};
use crate::wire::{Answer, Order};

/// Most answers of a rank during an inquiry: two to its last order, and a sign of life.
const MAX_ANSWERS: u32 = 3;

/// What the coordinator waits for.
pub struct Question<'q> {
    /// In words, for messages.
    pub doing: &'q str,
    /// The ranks without an answer; at least one.
    pub missing: Vec<u32>,
    /// Whether the first of them closed its input; then its output ends soon.
    pub is_closing: bool,
    /// The message for the first of them if the inquiry finds nothing more.
    pub otherwise: String,
}

/// Events since the inquiry began.
#[derive(Default)]
struct Heard {
    here: BTreeSet<u32>,
    faults: BTreeMap<u32, Fault>,
    answers: BTreeMap<u32, u32>,
    /// Ranks that write something else than answers to orders, and what.
    astray: BTreeMap<u32, String>,
    /// Ranks whose output ended, after all their answers.
    closed: BTreeSet<u32>,
    /// Ranks of `closed` whose process ended.
    ended: BTreeMap<u32, ExitStatus>,
}

impl Heard {
    fn note(&mut self, rank: u32, event: Event) {
        match event {
            Event::Answer(answer) => self.note_answer(rank, answer),
            Event::Garbled(line) => {
                self.astray
                    .entry(rank)
                    .or_insert_with(|| format!("expected an answer, not `{line}`"));
            }
            Event::Closed => _ = self.closed.insert(rank),
        }
    }

    fn note_answer(&mut self, rank: u32, answer: Answer) {
        let answers = self.answers.entry(rank).or_insert(0);
        *answers += 1;
        if *answers > MAX_ANSWERS {
            self.astray
                .entry(rank)
                .or_insert_with(|| "writes answers without an order".to_owned());
        }
        match answer {
            Answer::Failed(fault) => _ = self.faults.entry(rank).or_insert(fault),
            Answer::Here => _ = self.here.insert(rank),
            _ => {}
        }
    }

    /// The report of each rank and the rank it lost, by number.
    fn losses(&self) -> BTreeMap<u32, (&str, u32)> {
        let loss = |(&rank, fault): (&u32, &'_ Fault)| Some((rank, fault.lost?));
        let lost = self.faults.iter().filter_map(loss);
        lost.map(|(rank, peer)| (rank, (self.faults[&rank].explanation.as_str(), peer)))
            .collect()
    }

    /// A rank that ended without a report, and how.
    fn dead(&self) -> Option<(u32, ExitStatus)> {
        let mut dead = self
            .ended
            .iter()
            .filter(|(rank, _)| !self.faults.contains_key(rank));
        dead.next().map(|(&rank, &status)| (rank, status))
    }

    /// A rank that failed without losing another one, and its fault.
    fn own_fault(&self) -> Option<(u32, String)> {
        let astray = self
            .astray
            .iter()
            .map(|(&rank, explanation)| (rank, explanation.clone()));
        let own = self.faults.iter().filter(|(_, fault)| fault.lost.is_none());
        own.map(|(&rank, fault)| (rank, fault.explanation.clone()))
            .chain(astray)
            .next()
    }

    /// Whether no further event of this rank can change the verdict.
    fn is_done(&self, rank: u32, question: &Question<'_>) -> bool {
        let waits = self.here.contains(&rank) && !question.missing.contains(&rank);
        self.faults.contains_key(&rank) || self.ended.contains_key(&rank) || waits
    }
}

impl<C: Channel> Cluster<'_, C> {
    pub(super) fn inquire(
        &mut self,
        question: &Question<'_>,
        event: Option<(u32, Event)>,
    ) -> Error {
        let mut heard = Heard::default();
        if let Some((rank, event)) = event {
            heard.note(rank, event);
        }
        let called = self.call_the_roll();
        let begin = Instant::now();
        while !self.stop.requested() && self.is_open(&mut heard, question, &called) {
            let Some(left) = self.limit.checked_sub(begin.elapsed()) else {
                break;
            };
            match self.channel.hear(left.min(GLANCE)) {
                Ok((rank, event)) => heard.note(rank, event),
                Err(RecvTimeoutError::Timeout) => {}
                // Every output ended; the processes end soon.
                Err(RecvTimeoutError::Disconnected) => thread::sleep(Duration::from_millis(1)),
            }
        }
        if self.stop.requested() {
            Error::Interrupted
        } else {
            self.verdict(&heard, question, &called)
        }
    }

    /// Asks every joined rank for a sign of life; returns the ranks that were asked.
    fn call_the_roll(&mut self) -> BTreeSet<u32> {
        let ranks = 0..self.channel.size();
        let called = ranks.filter(|&rank| self.channel.clock(rank).is_some());
        let called: BTreeSet<u32> = called.collect();
        for &rank in &called {
            // A rank that accepts no orders does not answer either.
            let _ = self
                .channel
                .give(rank, &Order::RollCall, Duration::ZERO, || false);
        }
        called
    }

    fn is_open(
        &mut self,
        heard: &mut Heard,
        question: &Question<'_>,
        called: &BTreeSet<u32>,
    ) -> bool {
        for &rank in &heard.closed {
            if let Some(status) = self.channel.ended(rank) {
                heard.ended.insert(rank, status);
            }
        }
        if let Some((rank, _)) = heard.dead() {
            // Its last line may still be on its way.
            return !self.channel.complaint(rank).1;
        }
        if heard.own_fault().is_some() {
            return false;
        }
        let is_closing = question.is_closing && !heard.closed.contains(&question.missing[0]);
        if is_closing
            || heard
                .closed
                .iter()
                .any(|rank| !heard.ended.contains_key(rank))
        {
            return true;
        }
        if called.is_empty() {
            return false;
        }
        // Only a lost rank, or one that the coordinator waits for, may report more.
        let lost = first_loss(heard.losses()).map(|(_, (_, peer))| peer);
        let awaited = lost.map_or_else(|| question.missing.clone(), |peer| vec![peer]);
        let silent = called
            .iter()
            .any(|&rank| !heard.here.contains(&rank) && !heard.is_done(rank, question));
        silent
            || awaited
                .iter()
                .any(|&rank| called.contains(&rank) && !heard.is_done(rank, question))
    }

    /// In this order: a rank that died without a report, one that failed alone, one that stopped responding, one that
    /// lost another.
    fn verdict(&self, heard: &Heard, question: &Question<'_>, called: &BTreeSet<u32>) -> Error {
        if let Some((rank, status)) = heard.dead() {
            return self.failed(rank, &ended(status));
        }
        if let Some((rank, explanation)) = heard.own_fault() {
            return self.failed(rank, &explanation);
        }
        if let Some(rank) = heard
            .closed
            .iter()
            .find(|rank| !heard.faults.contains_key(rank))
        {
            return self.failed(*rank, "its output ended");
        }
        let spoke = |rank: &u32| heard.here.contains(rank) || heard.faults.contains_key(rank);
        let mut still = called.iter().copied().filter(|rank| !spoke(rank));
        if let Some(rank) = still.next() {
            let others: String = still
                .map(|rank| format!("; nor did rank {rank} on {}", self.channel.location(rank)))
                .collect();
            let (limit, doing) = (self.limit.as_secs(), question.doing);
            return self.failed(
                rank,
                &format!("did not respond: no sign of life within {limit} s ({doing}){others}"),
            );
        }
        let Some((rank, (explanation, peer))) = first_loss(heard.losses()) else {
            return self.failed(question.missing[0], &question.otherwise);
        };
        let there = peer < self.channel.size();
        let location = if there {
            format!("; rank {peer} is on {}", self.channel.location(peer))
        } else {
            String::new()
        };
        self.failed(rank, &format!("{explanation}{location}"))
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("killed by signal {signal}"),
        (None, Some(code)) => format!("ended too early with exit code {code}"),
        (None, None) => "ended too early".to_owned(),
    }
}
