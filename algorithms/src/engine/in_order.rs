//! Executes programs whose operations follow one another.
//!
//! There the time of an operation depends only on the operation before it and on the message that it receives. So the processors
//! run one after the other, each until it waits for a message that is not sent yet. There is no queue of events, and the times do
//! not depend on the order.

use std::collections::HashSet;
use std::iter;

use super::fault::{Fault, Wait};
use super::program::Program;
use super::step::{Kind, Step, decode};
use super::times::{Begun, Completion, Cost, LATEST, after_receive, fits, free_from, later};

/// Instead of an arrival: the receiver waits for the message, which is not sent yet.
const AWAITED: u64 = LATEST;

/// The most waits that an error names.
const MAX_NAMED: usize = 8;

/// A processor between two operations: when it is free, when the gap after its last send ends, and when its last receive began.
type State = [u64; 3];

/// All memory begins as zeros and costs nothing until it is written. Most processors run through at once and write only their end.
struct Execution<'a, F> {
    program: &'a Program,
    costs: &'a [Cost],
    /// For each processor its state when it last waited within its program, and how many operations it had done then; empty before one
    /// waits there.
    waited: Vec<(State, u32)>,
    /// When each finished processor ended.
    ends: Vec<u64>,
    /// When each sent message arrives. None arrives at 0, because a message takes `o + L >= 1`.
    arrivals: Vec<u64>,
    /// The index of the size of each sent message; empty where all have the same size.
    sizes: Vec<u32>,
    /// Processors whose message has been sent.
    runnable: Vec<u32>,
    /// The messages that are posted together with the next send, their receivers, and when the last of them arrives.
    posted: (Vec<(u32, u32)>, u64),
    /// How many processors have not finished.
    left: u32,
    started: F,
}

/// Executes a program. `started` receives every operation.
pub(super) fn run(
    program: &Program,
    costs: &[Cost],
    started: impl FnMut(Begun),
) -> Result<Completion, Fault> {
    let (processors, messages) = (program.ranges.len(), program.messages() as usize);
    let mut execution = Execution {
        program,
        costs,
        waited: Vec::new(),
        ends: vec![0; processors],
        arrivals: vec![0; messages],
        sizes: vec![0; if costs.len() > 1 { messages } else { 0 }],
        runnable: Vec::new(),
        posted: (Vec::new(), 0),
        left: program.processors(),
        started,
    };
    for processor in 0..program.processors() {
        execution.run(processor, 0, [0; 3])?;
        while let Some(woken) = execution.runnable.pop() {
            let (state, done) = execution
                .waited
                .get(woken as usize)
                .copied()
                .unwrap_or_default();
            execution.run(woken, done, state)?;
        }
    }
    execution.finish()
}

impl<F: FnMut(Begun)> Execution<'_, F> {
    /// Runs a processor on until it waits or ends.
    fn run(&mut self, processor: u32, done: u32, mut state: State) -> Result<(), Fault> {
        let (start, end) = self.program.ranges[processor as usize];
        for operation in start + done..end {
            if !self.step(&mut state, processor, operation)? {
                // Otherwise it is already stored.
                if operation > start + done {
                    if self.waited.is_empty() {
                        self.waited = vec![Default::default(); self.ends.len()];
                    }
                    self.waited[processor as usize] = (state, operation - start);
                }
                return Ok(());
            }
        }
        self.ends[processor as usize] = state[0];
        self.left -= 1;
        Ok(())
    }

    /// Executes an operation, unless it has to wait.
    #[inline]
    fn step(&mut self, state: &mut State, processor: u32, operation: u32) -> Result<bool, Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let [clock, send_gap, received] = state;
        let Step {
            code,
            peer,
            message: number,
        } = self.program.steps[operation as usize];
        let message = number as usize;
        let start = match decode(code) {
            (Kind::Compute, index) => {
                let start = *clock;
                *clock = later(start, self.program.times[index as usize])?;
                start
            }
            (Kind::Send, index) => {
                let cost = &self.costs[index as usize];
                let start = (*clock).max(*send_gap);
                *clock = later(start, cost.o)?;
                *send_gap = free_from(start, cost.g);
                let arrival = later(*clock, cost.L)?;
                if let Some(size) = self.sizes.get_mut(message) {
                    *size = index;
                }
                if self.program.goes_on(processor, operation) || !self.posted.0.is_empty() {
                    self.post(processor, operation, arrival);
                } else {
                    self.send(number, peer, arrival);
                }
                start
            }
            (Kind::Receive, room) => {
                let arrival = self.arrivals[message];
                if arrival == 0 || arrival == AWAITED {
                    self.arrivals[message] = AWAITED;
                    return Ok(false);
                }
                let mut size = self.sizes.get(message).copied().unwrap_or(0);
                fits(self.program, processor, operation, size, room)?;
                if self.program.has_switches {
                    size = room;
                }
                let cost = &self.costs[size as usize];
                let start = (*clock).max(after_receive(*received, cost.g)).max(arrival);
                *clock = later(start, cost.o)?;
                *received = start;
                start
            }
        };
        (self.started)(Begun {
            processor,
            operation,
            start,
            message: number,
        });
        Ok(true)
    }

    #[inline]
    fn send(&mut self, message: u32, receiver: u32, arrival: u64) {
        if std::mem::replace(&mut self.arrivals[message as usize], arrival) == AWAITED {
            self.runnable.push(receiver);
        }
    }

    /// A send that is posted together with others. A processor does not wait between them.
    fn post(&mut self, processor: u32, operation: u32, arrival: u64) {
        let Step { peer, message, .. } = self.program.steps[operation as usize];
        self.posted.0.push((message, peer));
        self.posted.1 = self.posted.1.max(arrival);
        if !self.program.goes_on(processor, operation) {
            let (mut posted, arrival) = std::mem::take(&mut self.posted);
            posted
                .drain(..)
                .for_each(|(message, receiver)| self.send(message, receiver, arrival));
            self.posted = (posted, 0);
        }
    }

    fn finish(self) -> Result<Completion, Fault> {
        if self.left == 0 {
            return Ok(Completion::new(self.ends));
        }
        let waits = |processor: u32| {
            let done = self
                .waited
                .get(processor as usize)
                .map_or(0, |&(_, done)| done);
            let operation = self.program.range(processor).start + done;
            let blocked = self.program.range(processor).contains(&operation)
                && self.program.code(operation).0 == Kind::Receive
                && self.arrivals[self.program.steps[operation as usize].message as usize]
                    == AWAITED;
            blocked.then(|| self.program.wait(processor, operation))
        };
        Err(deadlock(self.program.processors(), waits))
    }
}

/// The fault of a program in which these processors wait, with a cycle of waits.
pub(super) fn deadlock(processors: u32, waits: impl Fn(u32) -> Option<Wait>) -> Fault {
    let mut blocked = (0..processors).filter_map(&waits).peekable();
    let cycle = blocked
        .peek()
        .map_or_else(Vec::new, |&first| circle(first, &waits));
    Fault::Deadlock {
        waits: cycle,
        blocked: blocked.count() as u64,
    }
}

/// A cycle of waits. A processor waits for one that also waits: otherwise its message would have been sent.
fn circle(first: Wait, waits: impl Fn(u32) -> Option<Wait>) -> Vec<Wait> {
    let (mut met, mut wait) = (HashSet::new(), first);
    while met.insert(wait.processor)
        && let Some(next) = waits(wait.from)
    {
        wait = next;
    }
    let next = |last: &Wait| waits(last.from).filter(|next| *next != wait);
    iter::successors(Some(wait), next).take(MAX_NAMED).collect()
}
