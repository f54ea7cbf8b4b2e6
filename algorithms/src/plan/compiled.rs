//! The program of a script, which the engine executes.

use std::ops::Range;

use super::Plan;
use super::script::{Act, Script, Step};
use super::task::{PortRule, Task, narrow};
use crate::engine::Fault;
use crate::engine::builder::Builder;
use crate::engine::program::{MAX_OPERATIONS, Operation, Program, Until};
use crate::error::Error;

/// The scripts of all ranks, with the program that the engine executes.
#[derive(Debug)]
pub struct Compiled {
    /// The steps of all ranks.
    pub(crate) script: Script,
    /// The program.
    pub program: Program,
    /// The step of each operation; of combining the step of the message. Empty where each operation is a step.
    steps: Vec<u32>,
}

/// Whether a receive combines, and the parts of a message: the first and the end of each range.
pub type Payload = (bool, Vec<(u64, u64)>);

/// What the messages of a program carry: parts of the blocks of a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payloads {
    /// The root, of a collective that has one.
    pub root: Option<u64>,
    /// Into how many parts each block is cut.
    pub cut: u64,
    /// Of each operation that sends or receives.
    pub operations: Vec<Option<Payload>>,
}

impl Compiled {
    /// What its messages carry. None where a rank has several buffers, or keeps a message beside them until it combines it, and where
    /// blocks that differ are empty or cut.
    pub(crate) fn payloads(&self, task: &Task, root: Option<u64>) -> Option<Payloads> {
        let n = task.n;
        let operations = u32::try_from(self.program.operations()).ok()?;
        let is_combined = |step: &Step| matches!(step.act, Act::CombineBefore | Act::CombineAfter);
        if self.program.has_switches() {
            return None;
        }
        let is_kept = !self.program.is_in_order() && self.script.steps.iter().any(is_combined);
        if n == 0 || self.script.buffers() > 1 || is_kept {
            return None;
        }
        // How far a word is in its block; the end of all words begins one.
        let within = |word: u64| word - task.start(task.block_of(word));
        let ends = self
            .script
            .steps()
            .iter()
            .flat_map(|step| self.script.pieces(step))
            .flat_map(|&(a, b)| [within(a), within(b)]);
        let mut cuts: Vec<u64> = ends.chain([0]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let cut = cuts.len() as u64;
        if task.is_counted() && (cut > 1 || task.has_empty()) {
            return None;
        }
        let part = |word: u64| {
            task.block_of(word) * cut + cuts.partition_point(|&begin| begin < within(word)) as u64
        };
        let of = |operation: u32| {
            let step = self.step(operation);
            let is_message = !matches!(step.act, Act::Local { .. }) && !self.is_second(operation);
            let ranges = || {
                self.words(operation)
                    .iter()
                    .map(|&(first, end)| (part(first), part(end)))
                    .collect()
            };
            is_message.then(|| {
                (
                    matches!(step.act, Act::CombineBefore | Act::CombineAfter),
                    ranges(),
                )
            })
        };
        Some(Payloads {
            root,
            cut,
            operations: (0..operations).map(of).collect(),
        })
    }

    /// What a plan makes ranks do.
    ///
    /// # Errors
    /// [`Error::Overflow`] for more ranks than 32 bits can number; those of the engine, for messages without a
    /// counterpart.
    pub fn new(plan: &Plan, task: &Task) -> Result<Self, Error> {
        let (script, ends) = plan.scripts(task)?;
        Self::from_scripts(task, script, &ends)
    }

    /// The program of a script; `ends` are the ends of the ranks' parts of it.
    ///
    /// # Errors
    /// Errors of [`Compiled::new`].
    pub(crate) fn from_scripts(task: &Task, script: Script, ends: &[usize]) -> Result<Self, Error> {
        let ranks = u32::try_from(ends.len()).map_err(|_| Error::Overflow)?;
        let mut builder = Builder::new(ranks)?
            .on(task.machine.levels())
            .with_switches(switches(task, &script, ends));
        let mut steps = Vec::with_capacity(script.steps.len());
        let mut next = 0;
        for (rank, &end) in (0..).zip(ends) {
            builder.begin(rank)?;
            write_rank(task, &mut builder, (rank, &script, next..end), &mut steps)?;
            next = end;
        }
        if steps.len() == script.steps.len() {
            steps = Vec::new();
        }
        let program = finished(task, builder)?;
        Ok(Self {
            script,
            program,
            steps,
        })
    }

    /// The program of a plan, without what its messages carry: in memory is the script of one rank at a time.
    ///
    /// # Errors
    /// Errors of [`Compiled::new`].
    pub fn program_of(plan: &Plan, task: &Task) -> Result<Program, Error> {
        if plan.switches() > 0 {
            return Self::new(plan, task).map(|compiled| compiled.program);
        }
        let ranks = u32::try_from(task.K).map_err(|_| Error::Overflow)?;
        let mut builder = Builder::new(ranks)?.on(task.machine.levels());
        let mut script = Script::of_sizes();
        if ranks > 1 {
            let write = plan.writer(task)?;
            for rank in 0..ranks {
                builder.begin(rank)?;
                script.clear();
                write(rank, &mut script);
                let all = 0..script.steps.len();
                write_rank(task, &mut builder, (rank, &script, all), &mut Vec::new())?;
            }
        }
        finished(task, builder)
    }

    /// A script and a program whose operations are its steps.
    pub(crate) fn stated(script: Script, program: Program) -> Self {
        let steps = Vec::new();
        Self {
            script,
            program,
            steps,
        }
    }

    /// The step of an operation.
    pub(crate) fn step(&self, operation: u32) -> &Step {
        &self.script.steps[self
            .steps
            .get(operation as usize)
            .map_or(operation, |&step| step) as usize]
    }

    /// The ranges of words of an operation: first word and end.
    pub(crate) fn words(&self, operation: u32) -> &[(u64, u64)] {
        self.script.pieces(self.step(operation))
    }

    /// Whether an operation combines the words of the message that the operation before it received.
    pub(crate) fn is_second(&self, operation: u32) -> bool {
        let step = |operation: usize| self.steps.get(operation);
        let before = (operation as usize).checked_sub(1).and_then(step);
        before.is_some() && before == step(operation as usize)
    }
}

/// The level of each switch: that of the ranks farthest apart to which it sends, or from which it receives.
fn switches(task: &Task, script: &Script, ends: &[usize]) -> Vec<usize> {
    let level = |steps: &[Step]| {
        let (levels, first) = (task.machine.levels()?, steps.first()?.peer);
        let peers = steps.iter().map(|step| step.peer);
        peers.map(|peer| levels.between(task.K, first, peer)).max()
    };
    let switches = ends
        .windows(2)
        .skip(narrow(task.K).saturating_sub(1) as usize);
    let steps = switches.map(|ends| &script.steps[ends[0]..ends[1]]);
    steps.map(|steps| level(steps).unwrap_or(0)).collect()
}

/// Adds the operations of a rank, whose program is begun: its part of a script, and the step of each.
fn write_rank(
    task: &Task,
    builder: &mut Builder,
    (rank, script, part): (u32, &Script, Range<usize>),
    steps: &mut Vec<u32>,
) -> Result<(), Error> {
    let (mut ports, is_rank) = (Ports::new(task), u64::from(rank) < task.K);
    for (number, step) in (part.start..).zip(&script.steps[part]) {
        let (peer, tag, words) = (step.peer, step.round, script.words(step));
        let number = u32::try_from(number).unwrap_or(MAX_OPERATIONS);
        let bytes = task.size(words)?;
        let operation = match step.act {
            Act::Send => Operation::Send {
                to: peer,
                tag,
                bytes,
            },
            Act::Receive | Act::CombineBefore | Act::CombineAfter => Operation::Receive {
                from: peer,
                tag,
                bytes,
            },
            Act::Local { .. } => Operation::Compute {
                time: task.combining(words)?,
            },
        };
        ports.push(builder, operation)?;
        steps.push(number);
        // With duplex ports combining waits for sends, even where it takes no time.
        let is_combined = matches!(step.act, Act::CombineBefore | Act::CombineAfter);
        if is_combined && is_rank && (task.rule == PortRule::Duplex || task.combining(words)? > 0) {
            ports.combine(builder, task.combining(words)?)?;
            steps.push(number);
        }
    }
    Ok(())
}

fn finished(task: &Task, builder: Builder) -> Result<Program, Error> {
    Ok(match task.rule {
        PortRule::Strict => builder.in_order()?,
        PortRule::Duplex => builder.in_turns()?,
    })
}

/// The ports of a rank, whose messages take them in turn. A strict rank has one processor for all of them. A duplex one has a processor for
/// each port and direction: its sends wait for all that it received before, combining waits for all that it did before, and what it
/// combines without a message lets no later operation begin earlier.
struct Ports {
    rule: PortRule,
    count: u32,
    /// The ports that send and receive next.
    next: [u32; 2],
    /// Of duplex ports the last operation of each, first of those that send.
    last: Vec<Option<u32>>,
    /// The processor and port of the last receive.
    received: u32,
}

impl Ports {
    fn new(task: &Task) -> Self {
        let count = narrow(task.k);
        let last = if task.rule == PortRule::Duplex {
            vec![None; 2 * count as usize]
        } else {
            Vec::new()
        };
        Self {
            rule: task.rule,
            count,
            next: [0; 2],
            last,
            received: count,
        }
    }

    /// The port of a message in a direction; the next message takes the next one.
    fn take_turn(&mut self, direction: usize) -> u32 {
        let port = &mut self.next[direction];
        let next = port
            .checked_add(1)
            .filter(|next| *next < self.count)
            .unwrap_or(0);
        std::mem::replace(port, next)
    }

    fn push(&mut self, builder: &mut Builder, operation: Operation) -> Result<(), Fault> {
        match operation {
            Operation::Send { .. } => {
                let port = self.take_turn(0);
                if self.rule == PortRule::Strict {
                    return builder.push_on(operation, (0, port)).map(drop);
                }
                self.push_after(builder, operation, port, self.count)
                    .map(drop)
            }
            Operation::Receive { .. } => {
                let port = self.take_turn(1);
                if self.rule == PortRule::Strict {
                    return builder.push_on(operation, (0, port)).map(drop);
                }
                self.received = self.count + port;
                self.push_after(builder, operation, self.received, 2 * self.count)
                    .map(drop)
            }
            Operation::Compute { time } => {
                let pushed = self.combine(builder, time)?;
                self.last.fill(pushed);
                Ok(())
            }
        }
    }

    /// Combines words for so long, with duplex ports those of the last receive on its port.
    fn combine(&mut self, builder: &mut Builder, time: u64) -> Result<Option<u32>, Fault> {
        let operation = Operation::Compute { time };
        if self.rule == PortRule::Strict {
            return builder.push(operation).map(|_| None);
        }
        self.push_after(builder, operation, self.received, 0)
            .map(Some)
    }

    /// An operation on a duplex port, after the last one there and those of all ports from one on.
    fn push_after(
        &mut self,
        builder: &mut Builder,
        operation: Operation,
        unit: u32,
        first: u32,
    ) -> Result<u32, Fault> {
        let pushed = builder.push_on(operation, (unit, unit))?;
        let mut earlier = self.last[first as usize..].to_vec();
        if unit < first {
            earlier.push(self.last[unit as usize]);
        }
        earlier.sort_unstable();
        earlier.dedup();
        for earlier in earlier.into_iter().flatten() {
            builder.depend(pushed, earlier, Until::Done)?;
        }
        self.last[unit as usize] = Some(pushed);
        Ok(pushed)
    }
}
