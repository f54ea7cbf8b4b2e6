//! One execution of a task on a cluster: distributed, timed, and its received bytes checked.

use std::time::Instant;

use super::cluster::Cluster;
use super::error::Error;
use super::plausible::Offset;
use super::task::Task;
use super::wire::{Answer, Order, Times};
use super::{clock, plausible};

/// When each rank finished, from the start of the first rank, ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// When the last rank finished.
    pub completion_ns: u64,
    /// Largest error between clocks of different hosts; 0 if all ranks read one clock.
    pub clock_error_ns: u64,
    /// The times of each rank, from the same start.
    pub ranks: Vec<Times>,
}

impl Offset {
    /// Questions per clock.
    pub const QUESTIONS: usize = 8;

    /// Asks for the remote time [`Self::QUESTIONS`] times; the fastest answer counts. `ask` returns the time. The inner
    /// error says why the times cannot be true.
    ///
    /// # Errors
    /// Errors of `ask`.
    pub fn measure<E>(mut ask: impl FnMut() -> Result<u64, E>) -> Result<Result<Self, String>, E> {
        let begin = Instant::now();
        let mut differences = Vec::new();
        for _ in 0..Self::QUESTIONS {
            let asked = clock::now();
            let there = ask()?;
            let answered = clock::now();
            let middle = i128::from(asked) + i128::from(answered - asked) / 2;
            let error_ns = (answered - asked).div_ceil(2);
            differences.push(Self {
                ns: i128::from(there) - middle,
                error_ns,
            });
        }
        Ok(plausible::clock(&differences, begin.elapsed()))
    }
}

impl Cluster<'_> {
    /// Executes a task. The bytes of its messages follow from its number in the run and the seed.
    ///
    /// # Errors
    /// The rank and host that failed or received wrong bytes; a request to stop.
    pub fn carry_out(&mut self, task: &Task, number: u64, seed: u64) -> Result<Delivery, Error> {
        let parts = task.parts(number, seed).map_err(Error::Failed)?;
        if parts.len() > self.size() {
            return Err(Error::Failed(format!(
                "the task has {} ranks, the cluster {}",
                parts.len(),
                self.size()
            )));
        }
        let ranks: Vec<u32> = (0..task.ranks()).collect();
        let offsets = self.compare_clocks(&ranks)?;
        let asked = Instant::now();
        let (mut starting, mut busy) = (Vec::new(), Vec::new());
        for (&rank, part) in ranks.iter().zip(parts) {
            starting.extend(part.starts().then_some(rank));
            // A rank without steps has no times.
            busy.extend((!part.steps.is_empty()).then_some(rank));
            self.tell(rank, &Order::Prepare(part))?;
        }
        let expected = task.expected(number, seed).map_err(Error::Failed)?;
        self.ready(&ranks, "preparing a task")?;
        for rank in starting {
            self.tell(rank, &Order::Go)?;
        }
        let times = self.collect(&ranks, "the start of a task", |answer| match answer {
            Answer::Done(times) => Some(times),
            _ => None,
        })?;
        let busy: Vec<_> = busy
            .into_iter()
            .map(|rank| (rank, times[rank as usize], offsets[rank as usize]))
            .collect();
        plausible::together(&busy, asked.elapsed())
            .map_err(|(rank, why)| self.failed(rank, &why))?;
        self.verify(&ranks, &expected)?;
        Ok(delivery(&task.starters(), &times, &offsets))
    }

    /// Compares the digests of all ranks. Only after the timing, because hashing takes the processor from other ranks.
    fn verify(&mut self, ranks: &[u32], expected: &[String]) -> Result<(), Error> {
        for &rank in ranks {
            self.tell(rank, &Order::Verify)?;
        }
        let digests = self.collect(
            ranks,
            "checking the received bytes",
            |answer| match answer {
                Answer::Digest { sha256 } => Some(sha256),
                _ => None,
            },
        )?;
        match ranks
            .iter()
            .zip(digests.iter().zip(expected))
            .find(|(_, (digest, expected))| digest != expected)
        {
            None => Ok(()),
            Some((&rank, (digest, expected))) => {
                Err(self.failed(rank, &other_bytes(digest, expected)))
            }
        }
    }

    /// The offset of each rank's clock to the coordinator's. Ranks with the coordinator's clock are not asked.
    fn compare_clocks(&mut self, ranks: &[u32]) -> Result<Vec<Offset>, Error> {
        let own = clock::domain();
        let domains: Vec<String> = self.joined().map(|joined| joined.clock.clone()).collect();
        // If all ranks share one clock, its offset to the coordinator's does not matter.
        let one = domains
            .iter()
            .take(ranks.len())
            .all(|domain| !domain.is_empty() && *domain == domains[0]);
        let mut offsets = Vec::new();
        for (&rank, domain) in ranks.iter().zip(&domains) {
            let same = one || (!own.is_empty() && *domain == own);
            offsets.push(if same {
                Offset::default()
            } else {
                self.offset(rank)?
            });
        }
        Ok(offsets)
    }

    fn offset(&mut self, rank: u32) -> Result<Offset, Error> {
        let ask = || {
            self.tell(rank, &Order::Clock)?;
            let there = self.collect(&[rank], "asking for the time", |answer| match answer {
                Answer::Now { ns } => Some(ns),
                _ => None,
            })?;
            Ok(there.first().copied().unwrap_or_default())
        };
        Offset::measure(ask)?.map_err(|why| self.failed(rank, &why))
    }
}

/// The message for a rank that received wrong bytes.
#[must_use]
pub fn other_bytes(digest: &str, expected: &str) -> String {
    format!("received wrong bytes: SHA-256 {digest} instead of {expected}")
}

/// Converts the times of the ranks, each by its own clock, to one clock that starts with the first of these ranks.
#[must_use]
pub fn delivery(starters: &[u32], times: &[Times], offsets: &[Offset]) -> Delivery {
    let began = |&rank: &u32| {
        let index = rank as usize;
        Some((
            i128::from(times.get(index)?.began) - offsets.get(index)?.ns,
            index,
        ))
    };
    let (start, first) = starters.iter().filter_map(began).min().unwrap_or_default();
    let receipt = |(times, offset): (&Times, &Offset)| {
        // With a large clock error, a message may seem to arrive before it was sent.
        let since = |time: u64| u64::try_from(i128::from(time) - offset.ns - start).unwrap_or(0);
        let [began, received, held] = [times.began, times.received, times.held].map(since);
        Times {
            began,
            received,
            held,
            sent: times.sent.map(since),
        }
    };
    let ranks: Vec<Times> = times.iter().zip(offsets).map(receipt).collect();
    let others = offsets
        .iter()
        .enumerate()
        .filter(|(rank, _)| *rank != first);
    let own = offsets.get(first).map_or(0, |offset| offset.error_ns);
    let clock_error_ns = own + others.map(|(_, offset)| offset.error_ns).max().unwrap_or(0);
    let completion_ns = ranks.iter().map(|rank| rank.held).max().unwrap_or(0);
    Delivery {
        completion_ns,
        clock_error_ns,
        ranks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_one_clock() {
        let times = [
            Times {
                began: 1_000,
                received: 1_000,
                held: 1_000,
                sent: Some(1_300),
            },
            Times {
                began: 4_000,
                received: 5_150,
                held: 5_250,
                sent: None,
            },
        ];
        let offsets = [
            Offset { ns: 0, error_ns: 3 },
            Offset {
                ns: 4_000,
                error_ns: 20,
            },
        ];
        let delivery = delivery(&[0], &times, &offsets);
        assert_eq!((delivery.completion_ns, delivery.clock_error_ns), (250, 23));
        assert_eq!(
            delivery.ranks[0],
            Times {
                began: 0,
                received: 0,
                held: 0,
                sent: Some(300)
            }
        );
        assert_eq!(
            delivery.ranks[1],
            Times {
                began: 0,
                received: 150,
                held: 250,
                sent: None
            }
        );
    }

    #[test]
    fn several_ranks_may_begin() {
        let times = |began| Times {
            began,
            received: began + 50,
            held: began + 60,
            sent: Some(began + 20),
        };
        let offsets = [
            Offset::default(),
            Offset {
                ns: 4_000,
                error_ns: 20,
            },
        ];
        let delivery = delivery(&[0, 1], &[times(1_000), times(4_900)], &offsets);
        assert_eq!((delivery.completion_ns, delivery.clock_error_ns), (160, 20));
        assert_eq!(
            delivery.ranks[1],
            Times {
                began: 0,
                received: 50,
                held: 60,
                sent: Some(20)
            }
        );
    }
}
