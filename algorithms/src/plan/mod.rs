//! An algorithm as data: which rank sends which words to which rank, and in which order.
//!
//! A [`Plan`] states sends. From it follow, for any algorithm alike, the number of messages, the [script] of every rank
//! with its receives, the program that the engine executes and the judge reads ([`Compiled`](compiled::Compiled)), and the time by
//! the [clock] of this module. A closed formula stands beside the plan as an independent statement.
//!
//! | plan | states |
//! |---|---|
//! | [`Plan::Rounds`] | for every rank and round a message; receives are the sends of others |
//! | [`Plan::Tree`] | the parent and the children of a rank; a vector in segments or blocks of subtrees go down it or up |
//! | [`Plan::Then`] | plans one after the other, each with a task of its own |
//! | [`Plan::Reverse`] | a plan backwards: a gather is a scatter backwards, a reduce a broadcast |
//! | [`Plan::Groups`] | plans side by side, each among some of the ranks and on some of the words |
//! | [`Plan::Switch`] | which words pass a switch that combines and copies |
//! | [`Plan::Script`] | the operations of every rank, in order |

pub(crate) mod binomial;
mod blocks;
pub(crate) mod clock;
pub mod compiled;
pub(crate) mod groups;
pub(crate) mod rounds;
pub mod script;
pub mod sizes;
pub(crate) mod subtrees;
pub(crate) mod switch;
pub(crate) mod task;
pub(crate) mod timeline;
pub(crate) mod tree;
pub(crate) mod words;

use rounds::Inverse;

use crate::error::Error;
use crate::wide::Wide;
pub(crate) use groups::{Group, Groups, Map};
pub(crate) use rounds::Phase;
pub(crate) use script::{Act, PieceRange, RESULT, Script, Step};
pub use sizes::{Blocks, Counts};
pub(crate) use switch::{Ends, Passage, Stage};
pub(crate) use task::{Hop, Task, narrow, part};
pub(crate) use tree::{ChildGroup, Family, Load, Tree};
pub(crate) use words::Words;

/// What the ranks of a task do.
pub enum Plan<'a> {
    /// Phases of rounds, one after the other.
    Rounds(Vec<Phase<'a>>),
    /// A tree.
    Tree(Tree<'a>),
    /// Parts one after the other: a rank begins a part when it has ended the one before.
    Then(Vec<Part<'a>>),
    /// A plan backwards: a rank sends where it receives there, and receives where it sends there, in the opposite order.
    Reverse {
        /// The plan that is reversed.
        plan: Box<Plan<'a>>,
        /// Whether a rank combines what it receives.
        is_combined: bool,
    },
    /// Groups of ranks side by side.
    Groups(Groups<'a>),
    /// Stages one after the other, whose words pass the switch of the ranks.
    Switch(Vec<Stage<'a>>),
    /// Operations of every rank that a function writes.
    Script {
        /// How many messages all ranks send.
        messages: Wide,
        /// Their tags are below this.
        tags: u32,
        /// Writes what a rank does.
        write: RankWriter<'a>,
    },
}

/// Writes what a rank does.
pub type RankWriter<'a> = Box<dyn Fn(u32, &mut Script) + 'a>;

/// A part of a plan.
pub struct Part<'a> {
    /// The ranks and words of the part.
    pub task: Task,
    /// What is done.
    pub plan: Plan<'a>,
    /// Its messages have tags from this one on.
    pub tag: u32,
}

impl<'a> Plan<'a> {
    /// A plan of one phase.
    pub fn phase(phase: Phase<'a>) -> Self {
        Self::Rounds(vec![phase])
    }

    /// The plan backwards.
    pub fn reversed(self, is_combined: bool) -> Self {
        Self::Reverse {
            plan: Box::new(self),
            is_combined,
        }
    }

    /// Plans of one task, each after the end of the one before, with tags from its last one on.
    pub(crate) fn in_turn(
        task: &Task,
        plans: impl Iterator<Item = Result<Self, Error>>,
    ) -> Result<Self, Error> {
        let mut parts: Vec<Part> = Vec::new();
        for plan in plans {
            let tag = parts.last().map_or(0, |part| {
                part.tag.saturating_add(part.plan.tags(&part.task))
            });
            parts.push(Part {
                task: *task,
                plan: plan?,
                tag,
            });
        }
        Ok(Self::Then(parts))
    }

    /// Operations that `write` gives, rank by rank: `messages` in all, with tags below `tags`.
    pub fn script(
        messages: impl Into<Wide>,
        tags: u64,
        write: impl Fn(u32, &mut Script) + 'a,
    ) -> Self {
        Self::Script {
            messages: messages.into(),
            tags: narrow(tags),
            write: Box::new(write),
        }
    }

    /// How many messages all ranks send. No rank is visited, so that there may be any number of them.
    pub fn messages(&self, task: &Task) -> Wide {
        match self {
            Self::Rounds(phases) => phases.iter().map(Phase::messages).sum(),
            Self::Tree(tree) => Wide::from(task.K - 1) * Wide::from(tree.tags(task)),
            Self::Then(parts) => parts
                .iter()
                .map(|part| part.plan.messages(&part.task))
                .sum(),
            Self::Reverse { plan, .. } => plan.messages(task),
            Self::Groups(groups) => groups.messages(),
            Self::Switch(stages) => stages.iter().map(|stage| stage.messages(task)).sum(),
            Self::Script { messages, .. } => *messages,
        }
    }

    /// All tags of its messages are below this.
    pub fn tags(&self, task: &Task) -> u32 {
        match self {
            Self::Rounds(phases) => phases
                .iter()
                .map(|phase| phase.tags_end(task))
                .max()
                .unwrap_or(0),
            Self::Tree(tree) => narrow(tree.tags(task)),
            Self::Then(parts) => parts
                .iter()
                .map(|part| part.tag.saturating_add(part.plan.tags(&part.task)))
                .max()
                .unwrap_or(0),
            Self::Reverse { plan, .. } => plan.tags(task),
            Self::Groups(groups) => groups.tags(),
            Self::Switch(stages) => switch::tags(stages),
            Self::Script { tags, .. } => *tags,
        }
    }

    /// How many switches take part, numbered behind the ranks.
    pub fn switches(&self) -> u32 {
        match self {
            Self::Switch(_) => 1,
            Self::Then(parts) => parts.iter().map(|part| part.plan.switches()).sum(),
            Self::Groups(groups) => groups.switches(),
            Self::Reverse { plan, .. } => plan.switches(),
            Self::Rounds(_) | Self::Tree(_) | Self::Script { .. } => 0,
        }
    }

    /// The script of all ranks, then of all switches, and the end of the steps of each.
    ///
    /// # Errors
    /// [`Error::Overflow`] for more ranks than 32 bits can number.
    pub fn scripts(&self, task: &Task) -> Result<(Script, Vec<usize>), Error> {
        let ranks = u32::try_from(task.K).map_err(|_| Error::Overflow)?;
        let mut script = Script::default();
        if ranks == 1 {
            // One rank has no other rank to exchange its segments with, however many there are.
            return Ok((script, vec![0]));
        }
        let write = self.writer(task)?;
        let write = |rank| {
            write(rank, &mut script);
            script.steps.len()
        };
        let switches = ranks.saturating_add(self.switches());
        let ends = (0..switches).map(write).collect();
        Ok((script, ends))
    }

    /// Writes the script of a rank below K, or of a switch.
    ///
    /// # Errors
    /// [`Error::Overflow`] for more ranks than 32 bits can number.
    pub fn writer<'w>(&'w self, task: &Task) -> Result<RankWriter<'w>, Error> {
        let task = *task;
        Ok(match self {
            Self::Rounds(phases) => {
                let inverses = phases
                    .iter()
                    .map(|phase| Inverse::new(phase, &task))
                    .collect::<Result<Vec<_>, _>>()?;
                Box::new(move |rank, script| {
                    phases
                        .iter()
                        .zip(&inverses)
                        .for_each(|(phase, inverse)| phase.write(&task, inverse, rank, script));
                })
            }
            Self::Tree(tree) => Box::new(move |rank, script| tree.write(&task, rank, script)),
            Self::Then(parts) => {
                let writers = parts
                    .iter()
                    .map(|part| part.plan.writer(&part.task))
                    .collect::<Result<Vec<_>, _>>()?;
                Box::new(move |rank, script| {
                    // Each part has switches of its own.
                    let (K, mut before) = (narrow(task.K), 0);
                    for (part, write) in parts.iter().zip(&writers) {
                        let (begun, switches) = (script.steps.len(), part.plan.switches());
                        let own = (K + before..K + before + switches).contains(&rank);
                        if rank < K || own {
                            write(if own { rank - before } else { rank }, script);
                            script.later(begun, part.tag, (task.K, before));
                        }
                        before += switches;
                    }
                })
            }
            Self::Reverse { plan, is_combined } => {
                let write = plan.writer(&task)?;
                Box::new(move |rank, script| {
                    let mut forth = Script::default();
                    write(rank, &mut forth);
                    script.push_reversed(&forth, rank, *is_combined);
                })
            }
            Self::Groups(groups) => groups.writer(&task)?,
            Self::Switch(stages) => switch::writer(stages, &task),
            Self::Script { write, .. } => Box::new(write),
        })
    }

    /// Writes what a rank sends, and of plans that state more than sends also other steps. Ranks of 64 bits are no
    /// obstacle where a plan states rounds.
    ///
    /// # Errors
    /// [`Error::Overflow`] for more ranks than 32 bits can number, where all of them are visited.
    pub fn write_sends(&self, task: &Task, rank: u32, script: &mut Script) -> Result<(), Error> {
        match self {
            Self::Rounds(phases) => phases
                .iter()
                .for_each(|phase| phase.write_sends(task, rank, script)),
            Self::Then(parts) => parts
                .iter()
                .try_for_each(|part| part.plan.write_sends(&part.task, rank, script))?,
            Self::Tree(_)
            | Self::Reverse { .. }
            | Self::Groups(_)
            | Self::Switch(_)
            | Self::Script { .. } => self.writer(task)?(rank, script),
        }
        Ok(())
    }
}
