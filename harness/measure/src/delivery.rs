//! One execution of a task: distributed, timed, and its received bytes checked.

use std::time::Instant;

use super::cluster::{Channel, Cluster};
use super::error::Error;
use super::plausible::Offset;
use super::task::Task;
use super::wire::{Answer, Order, Part, Times};
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

/// Questions per clock; the fastest answer counts.
const QUESTIONS: usize = 8;

/// Executes a task. The bytes of its messages follow from its number in the run and the seed.
///
/// # Errors
/// The rank and host that failed or received wrong bytes; a request to stop.
pub fn carry_out<C: Channel>(
    ranks: &mut Cluster<'_, C>,
    task: &Task,
    number: u64,
    seed: u64,
) -> Result<Delivery, Error> {
    let mut parts = task.parts(number, seed).map_err(Error::Failed)?;
    if parts.len() > ranks.channel.size() as usize {
        return Err(Error::Failed(format!(
            "the task has {} ranks, the cluster {}",
            parts.len(),
            ranks.channel.size()
        )));
    }
    let K = task.ranks();
    let offsets = compare_clocks(ranks, K)?;
    let asked = Instant::now();
    let idle = Part {
        number,
        seed,
        ranks: K,
        steps: Vec::new(),
    };
    let all: Vec<u32> = (0..ranks.channel.in_task(K)).collect();
    parts.resize(all.len(), idle);
    let (mut starting, mut busy) = (Vec::new(), Vec::new());
    for (&rank, part) in all.iter().zip(parts) {
        starting.extend(part.starts().then_some(rank));
        // A rank without steps has no times.
        busy.extend((!part.steps.is_empty()).then_some(rank));
        ranks.tell(rank, &Order::Prepare(part))?;
    }
    ranks.start(&all, &starting, "preparing a task")?;
    let mut times = ranks.collect(&all, "the start of a task", |answer| match answer {
        Answer::Done(times) => Some(times),
        _ => None,
    })?;
    let took = asked.elapsed();
    times.truncate(K as usize);
    let busy: Vec<_> = busy
        .into_iter()
        .map(|rank| (rank, times[rank as usize], offsets[rank as usize]))
        .collect();
    plausible::together(&busy, took).map_err(|(rank, why)| ranks.failed(rank, &why))?;
    // Only now, because hashing takes the processor from other ranks.
    for &rank in &all {
        ranks.tell(rank, &Order::Verify)?;
    }
    let expected = task.expected(number, seed).map_err(Error::Failed)?;
    let doing = "checking the received bytes";
    let digests = ranks.collect(&all, doing, |answer| match answer {
        Answer::Digest { sha256 } => Some(sha256),
        _ => None,
    })?;
    for ((rank, digest), expected) in (0..).zip(digests).zip(expected) {
        if digest != expected {
            let why = format!("received wrong bytes: SHA-256 {digest} instead of {expected}");
            return Err(ranks.failed(rank, &why));
        }
    }
    Ok(delivery(&task.starters(), &times, &offsets))
}

/// The offset of each rank's clock to this process's. Ranks with the same clock are not asked.
fn compare_clocks<C: Channel>(ranks: &mut Cluster<'_, C>, K: u32) -> Result<Vec<Offset>, Error> {
    let own = clock::domain();
    let domains: Vec<String> = (0..K)
        .map(|rank| ranks.channel.clock(rank).unwrap_or_default().to_owned())
        .collect();
    // If all ranks share one clock, its offset to this process's does not matter.
    let one = !domains[0].is_empty() && domains.iter().all(|domain| *domain == domains[0]);
    let mut offsets = Vec::new();
    for (rank, domain) in (0..).zip(&domains) {
        let same = one || (!own.is_empty() && *domain == own);
        offsets.push(if same {
            Offset::default()
        } else {
            offset(ranks, rank)?
        });
    }
    Ok(offsets)
}

fn offset<C: Channel>(ranks: &mut Cluster<'_, C>, rank: u32) -> Result<Offset, Error> {
    let begin = Instant::now();
    let mut differences = Vec::new();
    for _ in 0..QUESTIONS {
        let asked = clock::now();
        ranks.tell(rank, &Order::Clock)?;
        let there = ranks.collect(&[rank], "asking for the time", |answer| match answer {
            Answer::Now { ns } => Some(ns),
            _ => None,
        })?;
        let took = clock::now() - asked;
        differences.push(Offset {
            ns: i128::from(there[0]) - i128::from(asked) - i128::from(took) / 2,
            error_ns: took.div_ceil(2),
        });
    }
    plausible::clock(&differences, begin.elapsed()).map_err(|why| ranks.failed(rank, &why))
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
