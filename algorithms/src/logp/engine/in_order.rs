//! Programs whose operations follow one another.
//!
//! There, when an operation happens depends on what its processor did before and on the message that it takes in, on
//! nothing else. So the processors are run one after the other, each until it waits for a message that is not sent
//! yet, and on from there once it is: no queue of events, and whatever the order, the times are the same.

use super::fault::{Fault, Wait};
use super::program::{Kind, Program};
use super::{Cost, NEVER, Outcome, later};

/// In place of an arrival: the receiver waits for the message, which is not sent yet.
const AWAITED: u64 = NEVER - 1;

/// The most waits that an error names.
const MOST_NAMED: usize = 8;

/// A processor between two operations.
#[derive(Clone, Copy)]
struct Processor {
    /// When it is free.
    clock: u64,
    /// When the gap after its last send, and its last receive, is over.
    send_gap: u64,
    receive_gap: u64,
}

struct Execution<'a, F> {
    program: &'a Program,
    costs: &'a [Cost],
    processors: Vec<Processor>,
    /// The next operation of each processor.
    next: Vec<u32>,
    /// When each message arrives, once it is sent.
    arrivals: Vec<u64>,
    /// Where the size of each message stands, once it is sent; empty where all have the same.
    sizes: Vec<u32>,
    /// Processors whose message has been sent.
    runnable: Vec<u32>,
    started: F,
}

/// Executes a program, `started` being told the start of every operation.
pub(super) fn run(program: &Program, costs: &[Cost], started: impl FnMut(u32, u64)) -> Result<Outcome, Fault> {
    let messages = program.messages() as usize;
    let mut execution = Execution {
        program,
        costs,
        processors: vec![Processor { clock: 0, send_gap: 0, receive_gap: 0 }; program.ranges.len()],
        next: program.ranges.iter().map(|range| range.0).collect(),
        arrivals: vec![NEVER; messages],
        sizes: vec![0; if costs.len() > 1 { messages } else { 0 }],
        runnable: Vec::new(),
        started,
    };
    for processor in 0..program.processors() {
        execution.run(processor)?;
        while let Some(woken) = execution.runnable.pop() {
            execution.run(woken)?;
        }
    }
    execution.finish()
}

impl<F: FnMut(u32, u64)> Execution<'_, F> {
    /// Runs a processor until it waits or is done.
    fn run(&mut self, processor: u32) -> Result<(), Fault> {
        let end = self.program.range(processor).end;
        let mut state = self.processors[processor as usize];
        let mut next = self.next[processor as usize];
        let result = loop {
            if next == end {
                break Ok(());
            }
            match self.step(&mut state, processor, next) {
                Ok(true) => next += 1,
                Ok(false) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        self.processors[processor as usize] = state;
        self.next[processor as usize] = next;
        result
    }

    /// Does an operation; not so where it has to wait.
    #[inline]
    fn step(&mut self, state: &mut Processor, processor: u32, operation: u32) -> Result<bool, Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let message = self.program.messages[operation as usize] as usize;
        let start = match self.program.code(operation) {
            (Kind::Compute, index) => {
                let start = state.clock;
                state.clock = later(start, self.program.times[index as usize])?;
                start
            }
            (Kind::Send, index) => {
                let cost = &self.costs[index as usize];
                let start = state.clock.max(state.send_gap);
                state.clock = later(start, cost.o)?;
                state.send_gap = later(start, cost.g)?;
                let arrival = later(state.clock, cost.L)?;
                if let Some(size) = self.sizes.get_mut(message) {
                    *size = index;
                }
                if std::mem::replace(&mut self.arrivals[message], arrival) == AWAITED {
                    self.runnable.push(self.program.peers[operation as usize]);
                }
                start
            }
            (Kind::Receive, room) => {
                let arrival = self.arrivals[message];
                if arrival >= AWAITED {
                    self.arrivals[message] = AWAITED;
                    return Ok(false);
                }
                let size = self.sizes.get(message).copied().unwrap_or(0);
                super::fits(self.program, processor, operation, size, room)?;
                let cost = &self.costs[size as usize];
                let start = state.clock.max(state.receive_gap).max(arrival);
                state.clock = later(start, cost.o)?;
                state.receive_gap = later(start, cost.g)?;
                start
            }
        };
        (self.started)(operation, start);
        Ok(true)
    }

    fn finish(self) -> Result<Outcome, Fault> {
        let waits = |processor: u32| {
            let operation = self.next[processor as usize];
            (operation < self.program.range(processor).end).then(|| Wait {
                operation,
                processor,
                from: self.program.peers[operation as usize],
                tag: self.program.tag(operation),
            })
        };
        let blocked = || (0..self.program.processors()).filter_map(waits);
        if let Some(first) = blocked().next() {
            return Err(Fault::Deadlock { waits: circle(first, waits), blocked: blocked().count() as u64 });
        }
        let ends: Vec<u64> = self.processors.iter().map(|state| state.clock).collect();
        Ok(Outcome::new(ends))
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
    while circle.len() < MOST_NAMED
        && let Some(next) = waits(circle[circle.len() - 1].from)
        && next != wait
    {
        circle.push(next);
    }
    circle
}
