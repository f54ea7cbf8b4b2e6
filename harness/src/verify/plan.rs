//! A plan of castbench as a schedule: a rank has one block, and a chunk is a word.

use algorithms::internals::collectives::script::Act;
use algorithms::internals::collectives::written::Written;

use super::finding::{Finding, FindingKind, Trouble};
use super::memory::Span;
use super::schedule::{Location, Schedule, Step};
use super::task::{Collective, Task, stated};
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

/// The schedule of a plan whose text has this many bytes.
fn schedule(shape: &Shape, plan: &Written, bytes: usize) -> Result<Schedule, Trouble> {
    let unread = |explanation: &dyn std::fmt::Display| Trouble::file(explanation.to_string());
    let too_large = || {
        Trouble::not_judged(
            "it is too large: all ranks have more than 1,048,576 chunks and one for each 4 bytes, or 262,144 messages; `castbench cost` \
             takes larger ones",
        )
    };
    let Shape {
        collective,
        ranks,
        root,
        ..
    } = *shape;
    let task = stated(ranks, root, plan.parts(ranks.into()));
    let task = task
        .filter(|task| task.root < task.K)
        .ok_or_else(|| unread(&"expected a root that is a rank"))?;
    let mut judged = Task::of_blocks(collective, task);
    // A chunk of a message is a number of a few bytes.
    let mut schedule = Schedule::new(ranks, 4 * bytes);
    if u64::from(judged.words) * u64::from(ranks) > schedule.memory.most() {
        return Err(too_large());
    }
    let plan = plan.plan(&task).map_err(|error| unread(&error))?;
    if plan.messages(&task) > MAX_MESSAGES.into() {
        return Err(too_large());
    }
    let (script, ends) = plan.scripts(&task).map_err(|error| unread(&error))?;
    let names = BUFFERS.get(..script.buffers()).ok_or_else(too_large)?;
    let mut next = 0;
    for (rank, end) in (0..).zip(ends) {
        let buffers = judged
            .add_whole(&mut schedule.memory, names)
            .ok_or_else(too_large)?;
        schedule.block(rank, 0);
        for (at, step) in (0..).zip(&script.steps()[next..end]) {
            // Algorithms of other collectives can have more blocks.
            if let Some(&(_, end)) = script
                .pieces(step)
                .iter()
                .find(|(_, end)| *end > judged.words.into())
            {
                let what = format!("names chunk {} of {}", end - 1, judged.words);
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
            let spans = |buffer: u8| {
                let first = buffers[usize::from(buffer)].first;
                script.pieces(step).iter().map(move |&(start, end)| Span {
                    first: first + low(start),
                    count: low(end - start),
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
                count: low(script.words(step)),
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
