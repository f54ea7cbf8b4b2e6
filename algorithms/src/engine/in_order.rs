//! Programs whose operations follow one another.
//!
//! There, when an operation happens depends on what its processor did before and on the message that it takes in, on
//! nothing else. So the processors are run one after the other, each until it waits for a message that is not sent
//! yet, and on from there once it is: no queue of events, and whatever the order, the times are the same.

use super::fault::{Fault, Wait};
use super::program::Program;
use super::step::{Kind, Step, decode};
use super::times::{Completion, Cost, LATEST, fits, free_from, later};

/// In place of an arrival: the receiver waits for the message, which is not sent yet.
const AWAITED: u64 = LATEST;

/// The most waits that an error names.
const MAX_NAMED: usize = 8;

/// A processor between two operations: when it is free, and when the gap after its last send and its last receive is over.
type State = [u64; 3];

/// All of this begins as zeros, and memory that stays so costs nothing: what is left of a processor that runs through at
/// once, as most do, is its end.
struct Execution<'a, F> {
    program: &'a Program,
    costs: &'a [Cost],
    /// Of each processor that waits in the midst of its program: how it does.
    states: Vec<State>,
    /// How many operations each processor had done when it last began to wait.
    done: Vec<u32>,
    /// When each processor that is through was.
    ends: Vec<u64>,
    /// When each message arrives, once it is sent. None arrives at 0, for it takes `o + L >= 1`.
    arrivals: Vec<u64>,
    /// Where the size of each message stands, once it is sent; empty where all have the same.
    sizes: Vec<u32>,
    /// Processors whose message has been sent.
    runnable: Vec<u32>,
    /// How many processors are not through.
    left: u32,
    started: F,
}

/// Executes a program, `started` being told the start of every operation and the number of its message.
pub(super) fn run(program: &Program, costs: &[Cost], started: impl FnMut(u32, u64, u32)) -> Result<Completion, Fault> {
    let (processors, messages) = (program.ranges.len(), program.messages() as usize);
    let mut execution = Execution {
        program,
        costs,
        states: vec![[0; 3]; processors],
        done: vec![0; processors],
        ends: vec![0; processors],
        arrivals: vec![0; messages],
        sizes: vec![0; if costs.len() > 1 { messages } else { 0 }],
        runnable: Vec::new(),
        left: program.processors(),
        started,
    };
    for processor in 0..program.processors() {
        execution.run(processor, 0, [0; 3])?;
        while let Some(woken) = execution.runnable.pop() {
            let (done, state) = (execution.done[woken as usize], execution.states[woken as usize]);
            execution.run(woken, done, state)?;
        }
    }
    execution.finish()
}

impl<F: FnMut(u32, u64, u32)> Execution<'_, F> {
    /// Runs a processor from where it stands until it waits or is through.
    fn run(&mut self, processor: u32, done: u32, mut state: State) -> Result<(), Fault> {
        let (start, end) = self.program.ranges[processor as usize];
        for operation in start + done..end {
            if !self.step(&mut state, processor, operation)? {
                // Else that is what is noted.
                if operation > start + done {
                    self.states[processor as usize] = state;
                    self.done[processor as usize] = operation - start;
                }
                return Ok(());
            }
        }
        self.ends[processor as usize] = state[0];
        self.left -= 1;
        Ok(())
    }

    /// Does an operation; not so where it has to wait.
    #[inline]
    fn step(&mut self, state: &mut State, processor: u32, operation: u32) -> Result<bool, Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let [clock, send_gap, receive_gap] = state;
        let Step { code, peer, message: number } = self.program.steps[operation as usize];
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
                if std::mem::replace(&mut self.arrivals[message], arrival) == AWAITED {
                    self.runnable.push(peer);
                }
                start
            }
            (Kind::Receive, room) => {
                let arrival = self.arrivals[message];
                if arrival == 0 || arrival == AWAITED {
                    self.arrivals[message] = AWAITED;
                    return Ok(false);
                }
                let size = self.sizes.get(message).copied().unwrap_or(0);
                fits(self.program, processor, operation, size, room)?;
                let cost = &self.costs[size as usize];
                let start = (*clock).max(*receive_gap).max(arrival);
                *clock = later(start, cost.o)?;
                *receive_gap = free_from(start, cost.g);
                start
            }
        };
        (self.started)(operation, start, number);
        Ok(true)
    }

    fn finish(self) -> Result<Completion, Fault> {
        if self.left == 0 {
            return Ok(Completion::new(self.ends));
        }
        let waits = |processor: u32| {
            let operation = self.program.range(processor).start + self.done[processor as usize];
            let blocked = self.program.range(processor).contains(&operation)
                && self.program.code(operation).0 == Kind::Receive
                && self.arrivals[self.program.steps[operation as usize].message as usize] == AWAITED;
            blocked.then(|| Wait {
                operation,
                processor,
                from: self.program.peer(operation),
                tag: self.program.tag(operation),
            })
        };
        let mut blocked = (0..self.program.processors()).filter_map(waits).peekable();
        let waits = blocked.peek().map_or_else(Vec::new, |&first| circle(first, waits));
        Err(Fault::Deadlock { waits, blocked: blocked.count() as u64 })
    }
}

/// Some who wait for each other in a circle. Who waits, waits for one who waits, too: else its message were sent.
fn circle(first: Wait, waits: impl Fn(u32) -> Option<Wait>) -> Vec<Wait> {
    // Brent: compare with a place that is moved on after 1, 2, 4, ... steps.
    let (mut place, mut steps, mut most) = (first, 0u64, 1u64);
    let mut wait = first;
    while let Some(next) = waits(wait.from) {
        wait = next;
        if wait == place {
            break;
        }
        steps += 1;
        if steps == most {
            (place, steps, most) = (wait, 0, most * 2);
        }
    }
    let mut circle = vec![wait];
    while circle.len() < MAX_NAMED
        && let Some(next) = waits(circle[circle.len() - 1].from)
        && next != wait
    {
        circle.push(next);
    }
    circle
}
