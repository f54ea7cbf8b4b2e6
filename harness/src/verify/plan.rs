//! A plan of castbench as a schedule: a rank has one block, and a chunk is a word.

use std::fmt::Display;

use algorithms::error::Error;
use algorithms::internals::collectives::script::{Act, Script};
use algorithms::internals::collectives::written::Written;
use algorithms::internals::collectives::{Plan, Task as Stated};

use super::contents;
use super::finding::{Finding, FindingKind, Trouble};
use super::memory::{Memory, Span};
use super::schedule::{Location, Schedule, Step};
use super::task::{Collective, Task, stated};
use crate::base::units::{group, grouped};
use crate::verify::json;
use crate::verify::shape::Shape;

/// Names of the buffers of a rank.
const BUFFERS: [&str; 8] = [
    "blocks", "copy 1", "copy 2", "copy 3", "copy 4", "copy 5", "copy 6", "copy 7",
];

/// Most messages of a plan that is judged: each takes some 200 bytes.
const MAX_MESSAGES: u64 = 1 << 18;

/// Reads a plan in JSON, which states neither its collective nor, in every case, its ranks.
///
/// # Errors
/// [`Trouble::Unread`] for other files, and where the collective or the number of ranks is missing.
pub fn read(
    text: &[u8],
    asked: Option<&'static Collective>,
    root: u32,
    ranks: Option<u32>,
) -> Result<Schedule, Trouble> {
    let unread = |explanation: String| Trouble::file(explanation);
    let missing = |what: &str| unread(format!("a plan in JSON does not say {what}"));
    let collective =
        asked.ok_or_else(|| missing("what it must do; name that with --collective"))?;
    let ranks = match ranks {
        Some(ranks) => ranks,
        None => json::ranks(text)
            .map_err(unread)?
            .ok_or_else(|| missing("for how many ranks; add --ranks"))?,
    };
    let shape = Shape::new(collective, ranks, root).map_err(unread)?;
    let (plan, own) = json::read(text, &shape).map_err(unread)?;
    schedule(
        &Shape {
            root: own.unwrap_or(root),
            ..shape
        },
        &plan,
        text.len(),
    )
}

/// Where the steps of a plan cut the n words of a block: between two cuts words move together, as one chunk.
struct Cuts {
    n: u64,
    offsets: Vec<u64>,
}

impl Cuts {
    /// The cuts of algorithms of the catalogue. A plan that names ranks numbers the parts of its blocks: each is a chunk.
    fn new(plan: &Written, script: &Script, n: u64) -> Self {
        let mut offsets: Vec<u64> = match plan.has_ranks() {
            true => (0..n).collect(),
            false => {
                let ends = script.all_pieces().iter();
                let ends = ends.flat_map(|&(start, end)| [start % n, end % n]);
                ends.chain([0]).collect()
            }
        };
        offsets.sort_unstable();
        offsets.dedup();
        Self { n, offsets }
    }

    /// The chunk that begins at a word, or at the end of all.
    fn chunk(&self, word: u64) -> u32 {
        let own = self.offsets.partition_point(|&at| at < word % self.n);
        low(word / self.n * self.offsets.len() as u64 + own as u64)
    }
}

/// What all ranks do, and the end of the steps of each; refused where steps have more pieces than are executed.
fn scripts(
    plan: &Plan<'_>,
    task: &Stated,
    memory: &Memory,
) -> Result<(Script, Vec<usize>), Trouble> {
    let unread = |error: Error| Trouble::file(error.to_string());
    let (mut script, mut ends) = (Script::default(), Vec::new());
    let write = plan.writer(task).map_err(unread)?;
    for rank in 0..low(task.K) {
        // One rank has no other rank to exchange its segments with.
        if task.K > 1 {
            write(rank, &mut script);
        }
        let steps = script.steps().len();
        ends.push(steps);
        contents::check_accesses(script.all_pieces().len() as u64, steps, memory)?;
    }
    Ok((script, ends))
}

/// The schedule of a plan whose text has this many bytes.
fn schedule(shape: &Shape, plan: &Written, bytes: usize) -> Result<Schedule, Trouble> {
    let unread = |explanation: &dyn Display| Trouble::file(explanation.to_string());
    let Shape {
        collective,
        ranks,
        root,
        blocks,
    } = *shape;
    // A chunk of a message is a number of a few bytes.
    let mut schedule = Schedule::new(ranks, 2 * bytes);
    let most = schedule.memory.most();
    let too_large = |what: &str, count: &dyn Display, most: u64| {
        Trouble::not_judged(format!(
            "all ranks have {count} {what}, and castbench judges plans with at most {}; choose fewer ranks or parts, or take \
             `castbench cost`, which judges larger ones",
            grouped(most)
        ))
    };
    let chunks = |count: u64| too_large("chunks", &grouped(count), most);
    let task = stated(ranks, root, plan.parts(ranks.into()));
    let task = task
        .filter(|task| task.root < task.K)
        .ok_or_else(|| unread(&"expected a root that is a rank"))?;
    // Steps of algorithms can cut blocks into fewer parts.
    let parts = if plan.has_ranks() { task.n } else { 1 };
    let whole = u64::from(blocks) * u64::from(ranks);
    let least = whole.saturating_mul(parts);
    if least > most {
        return Err(chunks(least));
    }
    let written = plan.plan(&task).map_err(|error| unread(&error))?;
    let messages = written.messages(&task);
    if messages > MAX_MESSAGES.into() {
        let count = group(&messages.to_string());
        return Err(too_large("messages", &count, MAX_MESSAGES));
    }
    let (script, ends) = scripts(&written, &task, &schedule.memory)?;
    let cuts = Cuts::new(plan, &script, task.n);
    let share = cuts.offsets.len() as u64;
    let buffers = script.buffers();
    let names = BUFFERS
        .get(..buffers)
        .ok_or_else(|| too_large("buffers each", &buffers, BUFFERS.len() as u64))?;
    let count = whole.saturating_mul(share * buffers as u64);
    let mut judged = Task::of_blocks(collective, Stated { n: share, ..task });
    let words = u64::from(blocks) * task.n;
    let mut next = 0;
    for (rank, end) in (0..).zip(ends) {
        let buffers = judged
            .add_whole(&mut schedule.memory, names)
            .ok_or_else(|| chunks(count))?;
        schedule.block(rank, 0);
        for (at, step) in (0..).zip(&script.steps()[next..end]) {
            // Algorithms of other collectives can have more blocks.
            if let Some(&(_, end)) = script.pieces(step).iter().find(|(_, end)| *end > words) {
                let what = format!("names chunk {} of {words}", end - 1);
                return Err(Finding::at(
                    FindingKind::Missing,
                    Location {
                        rank,
                        block: 0,
                        step: at,
                        line: 0,
                    },
                    what,
                )
                .into());
            }
            let cuts = &cuts;
            let spans = |buffer: u8| {
                let first = buffers[usize::from(buffer)].first;
                script.pieces(step).iter().map(move |&(start, end)| {
                    let [start, end] = [start, end].map(|word| cuts.chunk(word));
                    Span {
                        first: first + start,
                        count: end - start,
                    }
                })
            };
            let own = || spans(step.buffer).collect::<Vec<_>>();
            let (reads, writes) = match step.act {
                Act::Send => (own(), Vec::new()),
                Act::Receive => (Vec::new(), own()),
                Act::CombineBefore | Act::CombineAfter => (own(), own()),
                Act::Local { left, right } => (spans(left).chain(spans(right)).collect(), own()),
            };
            let mut new = Step {
                number: at,
                count: own().iter().map(|span| span.count).sum(),
                ..Step::default()
            };
            new.is_last = step.act == Act::CombineAfter;
            if !matches!(step.act, Act::Local { .. }) {
                let sends = step.act == Act::Send;
                new = new.on(schedule.channel(rank, step.peer, sends, step.round), sends);
            }
            schedule.push(new, [&reads, &writes], &[]);
        }
        next = end;
    }
    schedule.task = Some(judged);
    Ok(schedule)
}

/// A number of words, of which there are at most as many as chunks.
fn low(words: u64) -> u32 {
    u32::try_from(words).unwrap_or(u32::MAX)
}
