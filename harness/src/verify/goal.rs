//! Reads GOAL as a schedule. GOAL does not say what its messages carry. Where comments do, the result is judged; otherwise only a
//! broadcast and a barrier are, by which operation is certainly after which.
//!
//! GOAL, the schedules of LogGOPSim and ATLAHS (Hoefler, Siebert, Lumsdaine, "Group operation assembly language", ICPP
//! 2009), in the dialect of LogGOPSim's `txt2bin`.
//!
//! ```text
//! num_ranks 2
//! rank 0 {
//! l1: calc 100
//! l2: send 8b to 1 tag 0
//! l2 requires l1
//! }
//! rank 1 {
//! l1: recv 8b from 0 tag 0
//! }
//! ```
//!
//! An operation may have a label, a tag, a `cpu` and a `nic`, each 0 by default. `a requires b` begins a after b is
//! done, `a irequires b` after b has begun, or is posted if b is a receive. A statement ends with its line, here also
//! with `;`. Comments are `// ...` and `/* ... */`. Labels are local to their rank and may be used before their
//! definition.
//! A tag has up to 64 bits, as in schedules from traces of NCCL; a cpu and a nic up to 32.
//!
//! **Posting.** A receive is posted as soon as its requirements allow. That occupies no cpu. LogGOPSim marks it as
//! started then, and as done when its message is taken in (`OP_RECV` and `OP_MSG` in `LogGOPSim.cpp`). LogGOPSim also
//! waits for the cpu to be free before posting; castbench does not.
//!
//! **Matching.** `from -1` is any sender, `tag -1` any tag. `txt2bin.re` writes both as 2^32 - 1, so that is not a rank
//! or a tag here. A message is matched when its first byte arrives, `o + L` of one byte after its send began. It goes
//! to the first posted receive that matches, else it waits. A posted receive takes the first waiting message that
//! matches. These are the lists `rq` and `uq` of LogGOPSim (`doc/README-mpi-matching`), and MPI's rules. First bytes
//! that arrive together are ordered by sender rank, and from one sender by the begin of their sends; LogGOPSim leaves
//! such ties to its event queue. The receive begins when the last byte arrives.
//!
//! **Sizes.** LogGOPSim does not compare them. Here, as in MPI, a receive may be larger than its message, not smaller.

pub mod reader;
pub mod writer;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use algorithms::internals::collectives::Task as Stated;
use algorithms::internals::engine::{Operation, Program, Until};

use super::finding::{Finding, FindingKind, Trouble};
use super::graph::chains;
use super::memory::{Span, number};
use super::payloads::Payloads;
use super::schedule::{Channel, Schedule, Step};
use super::task::{Collective, stated};
use reader::{Goal, GoalError, Of};

/// The most operations: each takes some 200 bytes.
const MAX_OPERATIONS: usize = 1 << 22;

/// The most ranks that contribute: each of them needs an order with all ranks.
const MAX_SOURCES: usize = 1024;

/// Whether the order of messages says all: there is one block, with the contribution of one rank, or of any that come twice, too.
fn is_by_order(collective: &'static Collective, task: &Stated) -> bool {
    let goal = collective.goal;
    let sources = || {
        (0..task.K)
            .filter(|&rank| goal.starts_with(task, rank, 0))
            .take(2)
            .count()
    };
    goal.blocks(task) == 1 && (goal.is_idempotent() || sources() == 1)
}

/// Reads a file.
///
/// # Errors
/// [`Trouble::Unread`] for other files, for receives from any rank, and for barriers of more than 1,024 ranks; [`Trouble::Wrong`] for
/// messages without a receive, receives without a message and circles of `requires`.
///
/// Cost: linear in the length.
pub fn read(
    text: &[u8],
    asked: Option<&'static Collective>,
    root: u32,
) -> Result<Schedule, Trouble> {
    let goal = goal(text)?;
    let lines: Vec<u32> = goal.lines().collect();
    let program = goal.program;
    if program.operations() > MAX_OPERATIONS {
        return Err(Trouble::not_judged(
            "verify judges at most 4,194,304 operations; `castbench cost --ends` executes more",
        ));
    }
    let ranks = program.processors();
    if program.receives_any() {
        return Err(Trouble::not_judged(
            "a receive of `-1` takes what comes first, so which message it takes depends on the machine; `castbench cost --ends` \
                    executes it",
        ));
    }
    let payloads = Payloads::read(text)?;
    let root = payloads
        .as_ref()
        .and_then(|payloads| payloads.root)
        .unwrap_or(root);
    if root >= ranks {
        return Err(Finding::result(format!(
            "there is no rank {root} to be the root: num_ranks is {ranks}"
        ))
        .into());
    }
    let mut schedule = Schedule::new(ranks, text.len());
    let payloads = payloads
        .map(|payloads| {
            payloads.judged(&mut schedule, asked, root, |rank| {
                let range = program.range(rank);
                lines[range.start as usize..range.end as usize].to_vec()
            })
        })
        .transpose()?;
    if let Some(payloads) = &payloads {
        check_sizes(&program, &lines, payloads)?;
    }
    let ends = steps(&mut schedule, &program, &lines, payloads.as_ref())?;
    match asked.zip(stated(ranks, root, 1)) {
        _ if payloads.is_some() => {}
        Some((collective, task))
            if is_by_order(collective, &task)
                && !collective.goal.is_idempotent()
                && !is_even(&program, root) =>
        {
            let explanation = "ranks are sent different numbers of bytes in all, and no comments `// blocks 0-3` say of what";
            schedule.not_judged = Some(explanation.to_owned());
        }
        Some((collective, task)) if is_by_order(collective, &task) => {
            let sources: Vec<u32> = (0..ranks)
                .filter(|&rank| collective.goal.starts_with(&task, rank.into(), 0))
                .collect();
            if sources.len() > MAX_SOURCES {
                return Err(Trouble::not_judged(format!(
                    "a {} of {ranks} ranks: verify judges those of at most {MAX_SOURCES}",
                    collective.name
                )));
            }
            let pair = |source: u32| ends.iter().map(move |&[_, end]| [source, end]);
            schedule.needed = sources
                .iter()
                .flat_map(|&source| pair(ends[source as usize][0]))
                .collect();
            schedule.judged = Some(collective);
        }
        _ => {
            let explanation = "the file does not say what its messages carry, in comments `// blocks 0-3`: only --collective broadcast and \
                        barrier are judged";
            schedule.not_judged = Some(explanation.to_owned());
        }
    }
    schedule.program = Some(program);
    Ok(schedule)
}

/// All sends of a program, by their numbers: to whom, and how many bytes.
fn sends(program: &Program) -> impl Iterator<Item = (u32, u32, u64)> {
    (0..number(program.operations())).filter_map(|operation| match program.operation(operation) {
        Operation::Send { to, bytes, .. } => Some((operation, to, bytes)),
        _ => None,
    })
}

/// Whether all ranks but the root are sent as many bytes.
fn is_even(program: &Program, root: u32) -> bool {
    let mut sent = vec![0_u64; program.processors() as usize];
    sends(program).for_each(|(_, to, bytes)| sent[to as usize] += bytes);
    sent.swap_remove(root as usize);
    sent.windows(2).all(|pair| pair[0] == pair[1])
}

/// Checks that messages with the same parts have the same size, and as many bytes as the parts one by one, where these are sent.
///
/// # Errors
/// [`Trouble::Wrong`] with the line of another size.
fn check_sizes(program: &Program, lines: &[u32], payloads: &Payloads) -> Result<(), Trouble> {
    let mut sizes: HashMap<&[Span], (u64, u32)> = HashMap::new();
    let wrong = |line: u32, message: String| {
        Trouble::Wrong(Finding {
            kind: FindingKind::Unmatched,
            location: None,
            line,
            message,
        })
    };
    for (operation, _, bytes) in sends(program) {
        let line = lines[operation as usize];
        let Some(parts) = payloads.parts(line) else {
            continue;
        };
        let &mut (known, at) = sizes.entry(parts).or_insert((bytes, line));
        if known != bytes {
            let message =
                format!("sends {bytes} bytes, and line {at} {known} bytes of the same blocks");
            return Err(wrong(line, message));
        }
    }
    let one = |first: u32| Some(sizes.get(&[Span { first, count: 1 }][..])?.0);
    for (parts, &(bytes, line)) in &sizes {
        let cells = || parts.iter().flat_map(|part| part.cells()).map(number);
        let sum: Option<u64> = cells().map(one).sum();
        if let Some(sum) = sum.filter(|&sum| sum != bytes) {
            let message =
                format!("sends {bytes} bytes; other messages have {sum} bytes of these blocks");
            return Err(wrong(line, message));
        }
    }
    Ok(())
}

fn goal(text: &[u8]) -> Result<Goal, Trouble> {
    let trouble = |error: GoalError| {
        let kind = match error.of {
            Of::Text => return Trouble::unread(error.line.into(), error.message),
            Of::Waits => FindingKind::Deadlock,
            Of::Messages => FindingKind::Unmatched,
        };
        Trouble::Wrong(Finding {
            kind,
            location: None,
            line: error.line,
            message: error.message,
        })
    };
    reader::read(text).map_err(trouble)
}

/// Adds all steps; gives the first and the last step of each rank.
fn steps(
    schedule: &mut Schedule,
    program: &Program,
    lines: &[u32],
    payloads: Option<&Payloads>,
) -> Result<Vec<[u32; 2]>, Trouble> {
    let mut waits = vec![Vec::new(); program.operations()];
    // What begins after the start of another operation may be over before that one.
    program
        .dependencies()
        .into_iter()
        .filter(|(.., until)| *until == Until::Done)
        .for_each(|(later, earlier, _)| waits[later as usize].push(earlier as usize));
    // The k-th message of a sender, a receiver and a tag.
    let mut counts: HashMap<(Channel, bool), u32> = HashMap::new();
    let mut channels: HashMap<(Channel, u32), u32> = HashMap::new();
    let mut ends = Vec::new();
    for rank in 0..program.processors() {
        let range = program.range(rank);
        let (first, operations) = (range.start as usize, range.len());
        let own: Vec<Vec<usize>> = (0..operations)
            .map(|at| {
                if program.is_in_order() {
                    (at > 0).then(|| at - 1).into_iter().collect()
                } else {
                    waits[first + at]
                        .iter()
                        .map(|earlier| earlier - first)
                        .collect()
                }
            })
            .collect();
        // The reader refuses circles.
        let chains = chains(&own).unwrap_or_default();
        let start = number(schedule.steps.len());
        let mut step_of = vec![0; operations];
        chains
            .iter()
            .flatten()
            .zip(start + 1..)
            .for_each(|(&at, step)| step_of[at] = step);
        schedule.block(rank, 0);
        schedule.push(Step::default(), [&[], &[]], &[]);
        for (chain, block) in chains.iter().zip(1..) {
            schedule.block(rank, block);
            for &at in chain {
                let mut before: Vec<u32> =
                    own[at].iter().map(|&earlier| step_of[earlier]).collect();
                if before.is_empty() {
                    before.push(start);
                }
                let operation = number(first + at);
                let line = lines[operation as usize];
                let new = Step {
                    number: number(at),
                    line,
                    ..Step::default()
                };
                let (peer, tag, bytes, sends) = match program.operation(operation) {
                    Operation::Send { to, tag, bytes } => (to, tag, bytes, true),
                    Operation::Receive { from, tag, bytes } => (from, tag, bytes, false),
                    Operation::Compute { time } => {
                        schedule.push(Step { time, ..new }, [&[], &[]], &before);
                        continue;
                    }
                };
                let channel = Channel::new(rank, peer, sends, tag);
                let count = counts.entry((channel, sends)).or_default();
                let all = &mut schedule.channels;
                let channel = *channels.entry((channel, *count)).or_insert_with(|| {
                    all.push(channel);
                    number(all.len() - 1)
                });
                *count += 1;
                let new = Step {
                    bytes,
                    count: 1,
                    ..new
                }
                .on(channel, sends);
                let Some(payloads) = payloads else {
                    schedule.push(new, [&[], &[]], &before);
                    continue;
                };
                let (spans, is_combined) = payloads.carried(&schedule.memory, rank, line, sends)?;
                let reads = if sends || is_combined { &*spans } else { &[] };
                let writes = if sends { &[] } else { &*spans };
                let count = spans
                    .iter()
                    .fold(0, |count: u32, span| count.saturating_add(span.count));
                // As in plans, the operand of the lower rank comes first.
                let is_last = schedule.channels[channel as usize].from > rank;
                schedule.push(
                    Step {
                        count,
                        is_last,
                        ..new
                    },
                    [reads, writes],
                    &before,
                );
            }
        }
        let all: Vec<u32> = (start..number(schedule.steps.len())).collect();
        schedule.block(rank, number(chains.len()) + 1);
        ends.push([start, schedule.push(Step::default(), [&[], &[]], &all)]);
    }
    Ok(ends)
}
