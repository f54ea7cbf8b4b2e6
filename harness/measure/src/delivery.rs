//! One task on a cluster: dealt out, timed, and what each rank received compared with what was sent.

use std::time::{Duration, Instant};

use super::clock;
use super::cluster::Cluster;
use super::error::Error;
use super::task::Task;
use super::wire::{Answer, Order, Times};

/// When each rank was done, from the start of the first rank that begins, ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The last rank was done.
    pub completion_ns: u64,
    /// By how much times on different hosts may be wrong; 0 where all ranks read one clock.
    pub clock_error_ns: u64,
    /// Of each rank.
    pub ranks: Vec<Receipt>,
}

/// What a rank did, from the start of the first rank that begins, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// The last byte of its last message was there; for a rank that receives nothing, it began.
    pub received_ns: u64,
    /// It had held that message, and its last computation was over.
    pub held_ns: u64,
    /// Its last send was acknowledged; none where it sends nothing.
    pub sent_ns: Option<u64>,
}

/// What to take off a rank's clock, and by how much that may be wrong.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offset {
    ns: i128,
    error_ns: u64,
}

impl Offset {
    /// Questions to a clock.
    pub const QUESTIONS: usize = 8;

    /// Asks for the time over there that often; the question answered fastest counts. `ask` returns it.
    ///
    /// # Errors
    /// Those of `ask`.
    pub fn measure<E>(mut ask: impl FnMut() -> Result<u64, E>) -> Result<Self, E> {
        let mut best: Option<Self> = None;
        for _ in 0..Self::QUESTIONS {
            let asked = clock::now();
            let there = ask()?;
            let answered = clock::now();
            let middle = i128::from(asked) + i128::from(answered - asked) / 2;
            let error_ns = (answered - asked).div_ceil(2);
            if best.is_none_or(|best| error_ns < best.error_ns) {
                best = Some(Self { ns: i128::from(there) - middle, error_ns });
            }
        }
        Ok(best.unwrap_or_default())
    }
}

impl Cluster<'_> {
    /// Carries out a task. The bytes of its messages are made from its number in the run and the seed.
    ///
    /// # Errors
    /// Which rank failed on which host, or received other bytes than were sent; that a request to stop came.
    pub fn carry_out(&mut self, task: &Task, number: u64, seed: u64) -> Result<Delivery, Error> {
        let parts = task.parts(number, seed).map_err(Error::Failed)?;
        if parts.len() > self.size() {
            return Err(Error::Failed(format!("{} ranks where there are {}", parts.len(), self.size())));
        }
        let ranks: Vec<u32> = (0..task.ranks()).collect();
        let offsets = self.compare_clocks(&ranks)?;
        let asked = Instant::now();
        let (mut starting, mut busy) = (Vec::new(), Vec::new());
        for (&rank, part) in ranks.iter().zip(parts) {
            starting.extend(part.starts().then_some(rank));
            // One that does nothing has no times.
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
        let busy: Vec<_> = busy.into_iter().map(|rank| (rank, times[rank as usize], offsets[rank as usize])).collect();
        if let Some((rank, why)) = implausible(&busy, asked.elapsed()) {
            return Err(self.failed(rank, &why));
        }
        self.verify(&ranks, &expected)?;
        Ok(delivery(&task.starters(), &times, &offsets))
    }

    /// Has every rank say what it received: only now, for it takes the processor from others that run there.
    fn verify(&mut self, ranks: &[u32], expected: &[String]) -> Result<(), Error> {
        for &rank in ranks {
            self.tell(rank, &Order::Verify)?;
        }
        let digests = self.collect(ranks, "asking what was received", |answer| match answer {
            Answer::Digest { sha256 } => Some(sha256),
            _ => None,
        })?;
        match ranks.iter().zip(digests.iter().zip(expected)).find(|(_, (digest, expected))| digest != expected) {
            None => Ok(()),
            Some((&rank, (digest, expected))) => Err(self.failed(rank, &other_bytes(digest, expected))),
        }
    }

    /// The offset of each rank's clock to the coordinator's. Ranks that read the same clock as it need no question.
    fn compare_clocks(&mut self, ranks: &[u32]) -> Result<Vec<Offset>, Error> {
        let own = clock::domain();
        let domains: Vec<String> = self.joined().map(|joined| joined.clock.clone()).collect();
        // Of one clock it does not matter how it differs from the coordinator's.
        let one = domains.iter().take(ranks.len()).all(|domain| !domain.is_empty() && *domain == domains[0]);
        let mut offsets = Vec::new();
        for (&rank, domain) in ranks.iter().zip(&domains) {
            let same = one || (!own.is_empty() && *domain == own);
            offsets.push(if same { Offset::default() } else { self.offset(rank)? });
        }
        Ok(offsets)
    }

    fn offset(&mut self, rank: u32) -> Result<Offset, Error> {
        Offset::measure(|| {
            self.tell(rank, &Order::Clock)?;
            let there = self.collect(&[rank], "asking for the time", |answer| match answer {
                Answer::Now { ns } => Some(ns),
                _ => None,
            })?;
            Ok(there.first().copied().unwrap_or_default())
        })
    }
}

/// A rank whose times cannot be true, and why: one that received before it began, or times that are further apart than all of
/// the execution took by the clock of the coordinator.
fn implausible(ranks: &[(u32, Times, Offset)], took: Duration) -> Option<(u32, String)> {
    let in_order = |own: &Times| {
        own.began <= own.received && own.received <= own.held && own.sent.is_none_or(|sent| own.began <= sent)
    };
    if let Some(&(rank, own, _)) = ranks.iter().find(|(_, own, _)| !in_order(own)) {
        let Times { began, received, held, .. } = own;
        let why = format!("says that it began at {began} ns, received at {received} ns and was done at {held} ns");
        return Some((rank, why));
    }
    let took = i128::try_from(took.as_nanos()).unwrap_or(i128::MAX);
    // Clocks of several hosts drift apart while they measure.
    let error = ranks.iter().map(|(_, _, offset)| i128::from(offset.error_ns)).max().unwrap_or(0);
    let most = took + took / 1000 + 2 * error;
    let ends = |(_, own, offset): &(u32, Times, Offset)| {
        let last = own.held.max(own.sent.unwrap_or(0));
        (i128::from(own.began) - offset.ns, i128::from(last) - offset.ns)
    };
    let ends: Vec<(i128, i128)> = ranks.iter().map(ends).collect();
    // By the median, for one rank may lie in either direction.
    let mut begins: Vec<i128> = ends.iter().map(|(began, _)| *began).collect();
    begins.sort_unstable();
    let middle = begins.get(begins.len() / 2).copied().unwrap_or(0);
    let is_far = |&(began, last): &(i128, i128)| middle - began > most || last - middle > most;
    let (rank, ..) = ranks[ends.iter().position(is_far)?];
    let why = format!("says times that are more than the {took} ns apart from those of the others that all took");
    Some((rank, why))
}

/// That a rank received other bytes than were sent to it.
#[must_use]
pub fn other_bytes(digest: &str, expected: &str) -> String {
    format!("received other bytes than were sent: SHA-256 {digest} instead of {expected}")
}

/// The times of the ranks, each by its own clock, as those of one clock that starts when the first of these ranks begins.
#[must_use]
pub fn delivery(starters: &[u32], times: &[Times], offsets: &[Offset]) -> Delivery {
    let began = |&rank: &u32| {
        let place = rank as usize;
        Some((i128::from(times.get(place)?.began) - offsets.get(place)?.ns, place))
    };
    let (start, first) = starters.iter().filter_map(began).min().unwrap_or_default();
    let receipt = |(times, offset): (&Times, &Offset)| {
        // Where clocks are compared badly, a message may seem to be there before it was sent.
        let since = |time: u64| u64::try_from(i128::from(time) - offset.ns - start).unwrap_or(0);
        Receipt { received_ns: since(times.received), held_ns: since(times.held), sent_ns: times.sent.map(since) }
    };
    let ranks: Vec<Receipt> = times.iter().zip(offsets).map(receipt).collect();
    let others = offsets.iter().enumerate().filter(|(rank, _)| *rank != first);
    let own = offsets.get(first).map_or(0, |offset| offset.error_ns);
    let clock_error_ns = own + others.map(|(_, offset)| offset.error_ns).max().unwrap_or(0);
    let completion_ns = ranks.iter().map(|rank| rank.held_ns).max().unwrap_or(0);
    Delivery { completion_ns, clock_error_ns, ranks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_one_clock() {
        let times = [
            Times { began: 1_000, received: 1_000, held: 1_000, sent: Some(1_300) },
            Times { began: 4_000, received: 5_150, held: 5_250, sent: None },
        ];
        let offsets = [Offset { ns: 0, error_ns: 3 }, Offset { ns: 4_000, error_ns: 20 }];
        let delivery = delivery(&[0], &times, &offsets);
        assert_eq!((delivery.completion_ns, delivery.clock_error_ns), (250, 23));
        assert_eq!(delivery.ranks[0], Receipt { received_ns: 0, held_ns: 0, sent_ns: Some(300) });
        assert_eq!(delivery.ranks[1], Receipt { received_ns: 150, held_ns: 250, sent_ns: None });
    }

    #[test]
    fn times_that_cannot_be_true_are_refused() {
        let second = Duration::from_secs(1);
        let at = |began, received, held, sent| Times { began, received, held, sent };
        let honest = at(1_000, 1_000, 1_000, Some(2_000));
        let same = Offset::default();
        let found = |own| implausible(&[(0, honest, same), (1, own, same)], second).map(|(rank, _)| rank);
        assert_eq!(found(at(1_500, 2_000, 2_500, None)), None);
        for own in [
            at(1_500, 0, 0, None),
            at(1_500, u64::MAX, u64::MAX, None),
            at(1_500, 1_600, 1_550, None),
            at(1_500, 1_600, 1_700, Some(1_400)),
            at(1_500, 1_600, 1_100_001_001, None),
        ] {
            assert_eq!(found(own), Some(1), "{own:?}");
        }
    }

    /// Time zero is when the first of several ranks begins, whatever its own clock says.
    #[test]
    fn several_ranks_may_begin() {
        let times = |began| Times { began, received: began + 50, held: began + 60, sent: Some(began + 20) };
        let offsets = [Offset::default(), Offset { ns: 4_000, error_ns: 20 }];
        let delivery = delivery(&[0, 1], &[times(1_000), times(4_900)], &offsets);
        assert_eq!((delivery.completion_ns, delivery.clock_error_ns), (160, 20));
        assert_eq!(delivery.ranks[1], Receipt { received_ns: 50, held_ns: 60, sent_ns: Some(20) });
    }
}
