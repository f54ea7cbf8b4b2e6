//! The tasks of ranks, and the part of each rank in a program.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use algorithms::internals::engine::{Operation, Program};

use super::library::Library;
use super::message::{HEADER, Message, digest};
use super::wire::{Call, Part, Step};

/// Something that ranks execute several times.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its name in messages.
    pub label: String,
    /// How to execute it.
    pub way: Way,
    /// The message size of the measurement. Messages of a program have their own sizes: segments are shorter.
    pub bytes: u64,
    /// Relay delay: how long a receiver holds each further byte of a message, ps.
    pub hold_ps_per_byte: u64,
    /// The host of each rank.
    pub placement: Vec<u32>,
}

/// How to execute a task.
#[derive(Debug, Clone)]
pub enum Way {
    /// Operation by operation, in the order of the program: see [`super::serial`].
    Program(Arc<Program>),
    /// By a function of the MPI library.
    Library {
        /// The function.
        function: Library,
        /// The root; 0 for a function without one.
        root: u32,
    },
}

impl Task {
    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        u32::try_from(self.placement.len()).unwrap_or(u32::MAX)
    }

    /// The number of their hosts.
    #[must_use]
    pub fn hosts(&self) -> u32 {
        let hosts: BTreeSet<u32> = self.placement.iter().copied().collect();
        u32::try_from(hosts.len()).unwrap_or(u32::MAX)
    }

    /// The ranks that begin without a message: the source of a tree, every rank of some barriers.
    #[must_use]
    pub fn starters(&self) -> Vec<u32> {
        match &self.way {
            Way::Library { function, root } if function.is_broadcast() => vec![*root],
            Way::Library { .. } => (0..self.ranks()).collect(),
            Way::Program(program) => {
                let starts = |rank: &u32| {
                    let first = program
                        .range(*rank)
                        .next()
                        .map(|operation| program.operation(operation));
                    first.is_some_and(|first| !matches!(first, Operation::Receive { .. }))
                };
                (0..program.processors()).filter(starts).collect()
            }
        }
    }

    /// For each rank, the rank that sends all its messages; none if there is no such rank or the library decides.
    #[must_use]
    pub fn senders(&self) -> Vec<Option<u32>> {
        let Way::Program(program) = &self.way else {
            return vec![None; self.placement.len()];
        };
        let sender = |rank: u32| {
            let mut senders =
                program
                    .range(rank)
                    .filter_map(|operation| match program.operation(operation) {
                        Operation::Receive { from, .. } => Some(from),
                        _ => None,
                    });
            let first = senders.next()?;
            senders.all(|other| other == first).then_some(first)
        };
        (0..program.processors()).map(sender).collect()
    }

    /// The part of each rank in the execution with this number, with bytes from the seed.
    ///
    /// # Errors
    /// A contradiction in the task, in words.
    pub fn parts(&self, number: u64, seed: u64) -> Result<Vec<Part>, String> {
        let ranks = self.ranks();
        let part = |steps| Part {
            number,
            seed,
            ranks,
            steps,
        };
        let program = match self.way {
            Way::Program(ref program) => program,
            Way::Library { function, root } => {
                let bytes = self.bytes;
                let call = Step::Call(Call {
                    function,
                    ranks,
                    root,
                    bytes,
                });
                return Ok((0..ranks).map(|_| part(vec![call])).collect());
            }
        };
        if program.processors() != ranks {
            return Err(format!(
                "{} processors for {ranks} ranks",
                program.processors()
            ));
        }
        let mut sent = sent(program);
        let steps = |rank| {
            program
                .range(rank)
                .map(|operation| self.step(program, operation, rank, &mut sent))
                .collect::<Result<_, String>>()
                .map(part)
        };
        (0..ranks).map(steps).collect()
    }

    fn step(
        &self,
        program: &Program,
        operation: u32,
        rank: u32,
        sent: &mut Sent,
    ) -> Result<Step, String> {
        Ok(match program.operation(operation) {
            Operation::Compute { time } => Step::Compute { ns: time },
            Operation::Send { to, tag, bytes } => Step::Send { to, tag, bytes },
            Operation::Receive { from, tag, .. } => {
                let (nth, bytes) = sent
                    .get_mut(&program.channel(operation))
                    .and_then(VecDeque::pop_front)
                    .ok_or_else(|| {
                        format!("rank {rank} receives a message from rank {from} that is not sent")
                    })?;
                // As in `LogGops::at`, for all bytes except the first.
                let hold_ps =
                    u128::from(self.hold_ps_per_byte) * u128::from(bytes.saturating_sub(1));
                let hold_ns = u64::try_from(hold_ps.div_ceil(1000)).unwrap_or(u64::MAX);
                Step::Receive {
                    from,
                    nth,
                    tag,
                    bytes,
                    hold_ns,
                }
            }
        })
    }

    /// The most bytes of messages, received and made, on one rank.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let program = match &self.way {
            Way::Program(program) => program,
            Way::Library { function, .. } => {
                return function.blocks(self.ranks()).saturating_mul(self.bytes);
            }
        };
        let of_rank = |rank| {
            let mut known = HashSet::new();
            let bytes = program
                .range(rank)
                .map(|operation| match program.operation(operation) {
                    Operation::Receive { tag, bytes, .. } => {
                        known.insert((tag, bytes));
                        bytes
                    }
                    Operation::Send { tag, bytes, .. } if known.insert((tag, bytes)) => bytes,
                    Operation::Send { .. } | Operation::Compute { .. } => 0,
                });
            bytes.fold(0, u64::saturating_add)
        };
        (0..program.processors()).map(of_rank).max().unwrap_or(0)
    }

    /// The [`super::act::Prepared::digest`] of each rank if every byte arrives.
    ///
    /// # Errors
    /// Errors of [`Task::parts`]; a message that does not fit in memory.
    pub fn expected(&self, number: u64, seed: u64) -> Result<Vec<String>, String> {
        // The messages of each rank, by length and by the blocks that are combined in it.
        let got = |(rank, part): (u32, Part)| {
            let got = |step: &Step| step.received(rank);
            part.steps.iter().flat_map(got).collect()
        };
        let all = (0..).zip(self.parts(number, seed)?).map(got);
        // Many ranks get the same.
        let mut known: BTreeMap<Vec<(Vec<u32>, u64)>, String> = BTreeMap::new();
        let expected = |got: Vec<(Vec<u32>, u64)>| {
            if let Some(digest) = known.get(&got) {
                return Ok(digest.clone());
            }
            let make = |(blocks, bytes): &(Vec<u32>, u64)| {
                Ok(Message::combined(number, blocks, length(*bytes)?, seed))
            };
            let digest = digest(&got.iter().map(make).collect::<Result<Vec<_>, String>>()?);
            known.insert(got, digest.clone());
            Ok(digest)
        };
        all.map(expected).collect()
    }
}

/// A length in memory.
///
/// # Errors
/// In words, if it does not fit.
pub fn length(bytes: u64) -> Result<usize, String> {
    let no_room = || format!("a message of {bytes} bytes does not fit in memory");
    let length = usize::try_from(bytes).map_err(|_| no_room())?;
    // Otherwise the allocation would end the process.
    Vec::<u8>::new()
        .try_reserve_exact(length.saturating_add(HEADER))
        .map_err(|_| no_room())?;
    Ok(length)
}

/// The messages of a program by channel: the index among those from the same sender to the same receiver, and the size.
type Sent = HashMap<u32, VecDeque<(u32, u64)>>;

fn sent(program: &Program) -> Sent {
    let mut sent = Sent::new();
    for rank in 0..program.processors() {
        let mut next: HashMap<u32, u32> = HashMap::new();
        for operation in program.range(rank) {
            if let Operation::Send { to, bytes, .. } = program.operation(operation) {
                let nth = next.entry(to).or_default();
                sent.entry(program.channel(operation))
                    .or_default()
                    .push_back((*nth, bytes));
                *nth += 1;
            }
        }
    }
    sent
}

#[cfg(test)]
mod tests {
    use algorithms::catalogue::entries;
    use algorithms::cost::Limits;
    use algorithms::internals::engine::schedules::multicast;
    use algorithms::internals::logp::multicast::schedule::Schedule;
    use algorithms::problem::Setting;

    use super::*;
    use crate::serial::one_by_one;

    fn task(program: Program) -> Task {
        let placement = vec![0; program.processors() as usize];
        Task {
            label: String::new(),
            way: Way::Program(Arc::new(program)),
            bytes: 8,
            hold_ps_per_byte: 0,
            placement,
        }
    }

    fn programs() -> Vec<(&'static str, Task)> {
        let program = |name, run| Some((name, task(one_by_one(&run).ok()?.program)));
        let of = |entry: &algorithms::problem::Entry| {
            let run = entry
                .at(&Setting::default(), &entry.example())
                .ok()?
                .program(&Limits::default(), None)
                .ok()??;
            program(entry.name, run)
        };
        entries().iter().filter_map(of).collect()
    }

    /// The messages from each rank to each other, in the order of the sends, with tag and length.
    fn messages(parts: &[Part]) -> BTreeMap<(u32, u32), Vec<(u32, u64)>> {
        let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (rank, part) in (0..).zip(parts) {
            for step in &part.steps {
                if let Step::Send { to, tag, bytes } = *step {
                    all.entry((rank, to)).or_default().push((tag, bytes));
                }
            }
        }
        all
    }

    #[test]
    fn the_parts_of_every_program_fit_together() {
        let programs = programs();
        assert!(programs.len() >= 27, "{}", programs.len());
        for (name, task) in programs {
            let parts = task.parts(1, 1).unwrap();
            let mut left = messages(&parts);
            let mut received = 0;
            for (rank, part) in (0..).zip(&parts) {
                let starts = part.starts() && !part.steps.is_empty();
                assert_eq!(
                    starts,
                    task.starters().contains(&rank),
                    "{name}, rank {rank}"
                );
                for step in &part.steps {
                    let Step::Receive {
                        from,
                        nth,
                        tag,
                        bytes,
                        ..
                    } = *step
                    else {
                        continue;
                    };
                    let sent = left
                        .get_mut(&(from, rank))
                        .and_then(|sent| sent.get_mut(nth as usize));
                    // Each message is received once.
                    assert_eq!(
                        sent.map(std::mem::take),
                        Some((tag, bytes)),
                        "{name}, rank {rank} from {from}"
                    );
                    received += 1;
                }
            }
            let sent: usize = left.values().map(Vec::len).sum();
            assert_eq!(received, sent, "{name}");
            assert!(
                left.values().flatten().all(|message| *message == (0, 0)),
                "{name}"
            );
        }
    }

    /// Every program ends, even with one step after the other and sends that wait for arrival.
    #[test]
    fn no_program_waits_for_itself() {
        for (name, task) in programs() {
            let parts = task.parts(1, 1).unwrap();
            let mut next = vec![0; parts.len()];
            let mut arrived: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            loop {
                let before = next.clone();
                for (rank, part) in (0..).zip(&parts) {
                    let done = match part.steps.get(next[rank as usize]) {
                        None => false,
                        Some(&Step::Send { to, .. }) => {
                            *arrived.entry((rank, to)).or_default() += 1;
                            true
                        }
                        Some(&Step::Receive { from, nth, .. }) => {
                            arrived.get(&(from, rank)).is_some_and(|n| *n > nth)
                        }
                        Some(Step::Compute { .. } | Step::Call(_)) => true,
                    };
                    next[rank as usize] += usize::from(done);
                }
                if next == before {
                    break;
                }
            }
            assert!(
                next.iter()
                    .zip(&parts)
                    .all(|(next, part)| *next == part.steps.len()),
                "{name}: {next:?}"
            );
        }
    }

    #[test]
    fn a_tree_has_one_starter_and_one_sender_for_each_other_rank() {
        let schedule = Schedule::new(4, 2, &[(2, 4), (2, 3), (4, 1)]).unwrap();
        let task = task(multicast(&schedule, 8).unwrap());
        assert_eq!(task.starters(), [1]);
        assert_eq!(task.senders(), [Some(3), None, Some(1), Some(1)]);
        let expected = task.expected(1, 1).unwrap();
        assert!(expected[0] == expected[2] && expected[0] != expected[1]);
    }
}
