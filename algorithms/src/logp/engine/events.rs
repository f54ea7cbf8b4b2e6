//! Programs whose operations wait for what they depend on, and for a cpu and a nic.
//!
//! What begins next on a processor depends on all that could begin by then: no message may arrive in its past. Where all
//! messages that its ready receives wait for have been sent, nothing can come between, and it runs on at once, whatever
//! the time elsewhere. Else it may begin what begins before the horizon: a message takes `o + L` at least, so if every
//! processor has come to time t, none that is not sent yet arrives before t + o + L. What would begin later waits in a queue
//! for the time to come there. The queue knows no finer times than spans of at most `o + L`, for all that begins within
//! one is out of reach of what is sent in it; the processors of a span run in any order.

use super::coming::{Coming, EMPTY};
use super::dependencies::{Dependents, Waiter};
use super::fault::{Fault, Wait};
use super::mail::Mail;
use super::ports::{Ports, Several, Single};
use super::program::{Kind, Program, Until};
use super::queue::Queue;
use super::{Cost, NEVER, Outcome, later};

/// The most waits that an error names.
const MOST_NAMED: usize = 4;

/// Beside the number of an operation that is coming: a receive that has its message.
const HAS_MESSAGE: u32 = 1 << 31;

/// A processor, with what it may do next.
#[derive(Clone, Copy)]
struct Processor<B> {
    busy: B,
    /// The span in which the queue has it; 0 if it has not.
    wake: u64,
    /// How many of its receives are ready and wait for messages that are not sent.
    receives: u32,
    /// What will be ready when: a heap.
    coming: u32,
}

/// An operation that waits for several others.
#[derive(Clone, Copy)]
struct Join {
    /// When those that it does not wait for any more let it begin.
    from: u64,
    /// For how many it still waits.
    left: u32,
}

struct Execution<'a, P: Ports, F> {
    program: &'a Program,
    dependents: &'a Dependents,
    costs: &'a [Cost],
    started: F,
    ports: P,
    mail: Mail,
    queue: Queue,
    coming: Coming,
    processors: Vec<Processor<P::Busy>>,
    joins: Vec<Join>,
    /// Processors whose last message has been sent.
    runnable: Vec<u32>,
    /// The length of a span is 2 to the power of this.
    shift: u32,
    /// Before this, no message arrives that is not sent yet.
    horizon: u64,
    left: usize,
}

/// Executes a program, `started` being told the start of every operation.
pub(super) fn run(program: &Program, costs: &[Cost], started: impl FnMut(u32, u64)) -> Result<Outcome, Fault> {
    match (&program.dependents, &program.classes) {
        (None, _) => super::in_order::run(program, costs, started),
        (Some(dependents), None) => execute(program, dependents, costs, started, Single::new(program)),
        (Some(dependents), Some(classes)) => execute(program, dependents, costs, started, Several::new(classes)),
    }
}

fn execute<P: Ports>(
    program: &Program,
    dependents: &Dependents,
    costs: &[Cost],
    started: impl FnMut(u32, u64),
    ports: P,
) -> Result<Outcome, Fault> {
    // At least 1.
    let ahead = costs.iter().map(|cost| cost.o.saturating_add(cost.L)).min().unwrap_or(NEVER);
    let shift = ahead.max(1).ilog2();
    let processor = Processor { busy: P::idle(), wake: 0, receives: 0, coming: EMPTY };
    let mut execution = Execution {
        program,
        dependents,
        costs,
        started,
        ports,
        mail: Mail::new(program, costs.len()),
        queue: Queue::new(),
        coming: Coming::new(),
        processors: vec![processor; program.ranges.len()],
        joins: dependents.joins.iter().map(|join| Join { from: 0, left: join.awaited }).collect(),
        runnable: Vec::new(),
        shift,
        horizon: 1 << shift,
        left: program.operations(),
    };
    execution.run()?;
    execution.finish()
}

impl<P: Ports, F: FnMut(u32, u64)> Execution<'_, P, F> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut free = self.dependents.free.iter().peekable();
        for processor in 0..self.program.processors() {
            let range = self.program.range(processor);
            while let Some(&operation) = free.next_if(|operation| range.contains(operation)) {
                self.released(processor, operation, 0);
            }
            self.advance_all(processor)?;
        }
        let mut processors = Vec::new();
        while let Some(span) = self.queue.next(&mut processors) {
            // Where that is beyond all times, there is no time to wait for.
            self.horizon = (span + 1).checked_mul(1 << self.shift).unwrap_or(NEVER);
            for &processor in &processors {
                // Else it was woken before.
                if self.processors[processor as usize].wake == span {
                    self.advance_all(processor)?;
                }
            }
        }
        Ok(())
    }

    /// An operation waits for no other any more from then on.
    #[inline]
    fn released(&mut self, processor: u32, operation: u32, time: u64) {
        let state = &mut self.processors[processor as usize];
        let is_receive = self.program.code(operation).0 == Kind::Receive;
        let soon = P::ONE_AT_A_TIME || time <= P::now(&state.busy);
        if is_receive && soon && self.program.channels.is_empty() {
            self.take_message(processor, operation);
        } else if is_receive || !soon {
            // Receives of one channel get their messages in order of time.
            self.coming.push(&mut state.coming, time, operation);
        } else {
            self.ports.ready(self.program, operation);
        }
    }

    /// A receive gets its message, or waits for it.
    #[inline]
    fn take_message(&mut self, processor: u32, receive: u32) {
        let state = &mut self.processors[processor as usize];
        match self.mail.ready(self.program, receive) {
            Some(arrival) if arrival <= P::now(&state.busy) => self.ports.ready(self.program, receive),
            Some(arrival) => self.coming.push(&mut state.coming, arrival, receive | HAS_MESSAGE),
            None => state.receives += 1,
        }
    }

    /// Advances a processor and those who get their last message by that.
    #[inline]
    fn advance_all(&mut self, processor: u32) -> Result<(), Fault> {
        self.advance(processor)?;
        while let Some(processor) = self.runnable.pop() {
            self.advance(processor)?;
        }
        Ok(())
    }

    /// Begins all before which nothing can come.
    fn advance(&mut self, processor: u32) -> Result<(), Fault> {
        loop {
            let state = &mut self.processors[processor as usize];
            let (time, operation, class) = self.ports.next(self.program, processor, &state.busy);
            let coming = self.coming.peek(state.coming);
            let next = coming.map_or(time, |(coming, _)| coming.min(time));
            if next >= self.horizon && (state.receives > 0 || next == NEVER) {
                state.wake = 0;
                if next != NEVER {
                    self.wake_at(processor, next);
                }
                return Ok(());
            }
            P::wait(&mut state.busy, next);
            match coming {
                Some((coming, operation)) if coming <= time => {
                    self.coming.pop(&mut state.coming);
                    let number = operation & !HAS_MESSAGE;
                    if operation == number && self.program.code(number).0 == Kind::Receive {
                        self.take_message(processor, number);
                    } else {
                        self.ports.ready(self.program, number);
                    }
                }
                _ => self.begin(processor, operation, class, time)?,
            }
        }
    }

    #[inline]
    fn wake_at(&mut self, processor: u32, time: u64) {
        let span = time >> self.shift;
        let wake = &mut self.processors[processor as usize].wake;
        if *wake == 0 || span < *wake {
            *wake = span;
            self.queue.push(span, processor);
        }
    }

    #[inline]
    fn begin(&mut self, processor: u32, operation: u32, class: u32, now: u64) -> Result<(), Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let (kind, index) = self.program.code(operation);
        let (busy, gap) = match kind {
            Kind::Compute => (self.program.times[index as usize], 0),
            Kind::Send => (self.costs[index as usize].o, self.costs[index as usize].g),
            Kind::Receive => {
                let size = self.mail.size(self.program, operation);
                super::fits(self.program, processor, operation, size, index)?;
                (self.costs[size as usize].o, self.costs[size as usize].g)
            }
        };
        let (end, gap) = (later(now, busy)?, later(now, gap)?);
        let state = &mut self.processors[processor as usize].busy;
        self.ports.begin(self.program, processor, (operation, class), state, end, gap);
        self.left -= 1;
        (self.started)(operation, now);
        if kind == Kind::Send {
            let arrival = later(end, self.costs[index as usize].L)?;
            if let Some(receive) = self.mail.send(self.program, operation, index, arrival) {
                self.sent(processor, self.program.peers[operation as usize], receive, arrival);
            }
        }
        for waiter in self.dependents.of(operation) {
            self.release(processor, waiter, now, end);
        }
        Ok(())
    }

    /// The message that a receive of `to` waits for has been sent.
    #[inline]
    fn sent(&mut self, from: u32, to: u32, receive: u32, arrival: u64) {
        let state = &mut self.processors[to as usize];
        state.receives -= 1;
        let now = P::now(&state.busy);
        if arrival <= now {
            self.ports.ready(self.program, receive);
        } else {
            self.coming.push(&mut state.coming, arrival, receive | HAS_MESSAGE);
        }
        // Who sends is not done.
        if to != from {
            if state.receives == 0 {
                self.runnable.push(to);
            } else {
                self.wake_at(to, arrival.max(now));
            }
        }
    }

    /// What an operation waited for has begun, and ends then.
    #[inline]
    fn release(&mut self, processor: u32, waiter: Waiter, now: u64, end: u64) {
        let time = if waiter.until == Until::Started { now } else { end };
        if !waiter.is_join {
            return self.released(processor, waiter.number, time);
        }
        let join = &mut self.joins[waiter.number as usize];
        join.from = join.from.max(time);
        join.left -= 1;
        if join.left == 0 {
            let time = join.from;
            self.released(processor, self.dependents.joins[waiter.number as usize].operation, time);
        }
    }

    fn finish(self) -> Result<Outcome, Fault> {
        if self.left > 0 {
            // Whatever does not wait for a message waits in the end for what does.
            return Err(deadlock(self.program, &self.mail.blocked()));
        }
        let Self { program, ports, processors, mail, joins, .. } = self;
        // Their room goes to the outcome.
        drop((mail, joins));
        Ok(Outcome::new(ports.ends(program, processors.iter().map(|processor| processor.busy))))
    }
}

fn deadlock(program: &Program, blocked: &[u32]) -> Fault {
    let wait = |&operation: &u32| Wait {
        operation,
        processor: owner(program, operation),
        from: program.peers[operation as usize],
        tag: program.tag(operation),
    };
    Fault::Deadlock { waits: blocked.iter().take(MOST_NAMED).map(wait).collect(), blocked: blocked.len() as u64 }
}

/// Whose operation this is.
fn owner(program: &Program, operation: u32) -> u32 {
    (0..program.processors()).find(|&processor| program.range(processor).contains(&operation)).unwrap_or(0)
}
