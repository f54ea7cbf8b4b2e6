//! Programs whose operations wait for what they depend on, and for a cpu and a nic.
//!
//! What begins next on a processor depends on all that could begin by then: no message may arrive in its past. Where all
//! messages that its ready receives wait for have been sent, nothing can come between, and it runs on at once, whatever
//! the time elsewhere. Else it may begin what begins before the horizon: a message takes `o + L` at least, so if every
//! processor has come to time t, none that is not sent yet arrives before t + o + L. What would begin later waits in a queue
//! for the time to come there. The queue knows no finer times than spans of at most `o + L`, for all that begins within
//! one is out of reach of what is sent in it; the processors of a span run in any order.
//!
//! A receive is posted as soon as what it depends on lets it. Where several compete for messages, or others wait for their being
//! posted, that happens in order of time. A processor with receives from any sender or with any tag never runs beyond the horizon.

mod delivery;

use super::coming::{Coming, EMPTY};
use super::dependencies::{Dependents, Waiter};
use super::fault::{Fault, Wait};
use super::inbox::Inboxes;
use super::mail::Mail;
use super::ports::{Ports, Single};
use super::program::{Program, Until};
use super::queue::Queue;
use super::several::Several;
use super::step::{Kind, NONE};
use super::times::{Completion, Cost, NEVER, fits, free_from, later};

/// The most waits that an error names.
const MAX_NAMED: usize = 4;

/// Beside the number of an operation that is coming: a receive that has its message.
const HAS_MESSAGE: u32 = 1 << 31;

/// So many messages are delivered together.
const BATCH: usize = 256;

/// So many processors are fetched together.
const TOGETHER: usize = 32;

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
    /// How many operations are ready in [`Ports`].
    ready: u32,
}

struct Execution<'a, P: Ports, F> {
    program: &'a Program,
    dependents: &'a Dependents,
    costs: &'a [Cost],
    started: F,
    ports: P,
    mail: Mail,
    inboxes: Inboxes,
    /// Whether receives are posted in order of time.
    posts_by_time: bool,
    queue: Queue,
    coming: Coming,
    processors: Vec<Processor<P::Busy>>,
    /// Of each operation that waits for several others: for how many still. Empty if there is none.
    awaited: Vec<u32>,
    /// Of each operation that waits for several others: when the others let it begin. Empty where a processor does one thing at a time
    /// and posts receives in any order, for then that has passed when the last of them does.
    from: Vec<u64>,
    /// Processors whose last message has been sent.
    runnable: Vec<u32>,
    /// The length of a span is 2 to the power of this.
    shift: u32,
    /// Before this, no message arrives that is not sent yet.
    horizon: u64,
    left: usize,
    /// Of the processor that is being advanced: an operation that is ready, if there is one, or [`NONE`].
    first: u32,
}

/// Executes a program, `started` being told the start of every operation and the number of the message that it sends or takes in.
/// Of a message `first_byte` is when its first byte arrives, from the start of its send on.
pub(super) fn run(
    program: &Program,
    costs: &[Cost],
    first_byte: u64,
    started: impl FnMut(u32, u64, u32),
) -> Result<Completion, Fault> {
    match (&program.dependents, &program.classes) {
        (None, _) => super::in_order::run(program, costs, started),
        (Some(dependents), None) => execute(program, dependents, (costs, first_byte), started, Single::new(program)),
        (Some(dependents), Some(classes)) => {
            execute(program, dependents, (costs, first_byte), started, Several::new(classes))
        }
    }
}

fn execute<P: Ports>(
    program: &Program,
    dependents: &Dependents,
    (costs, first_byte): (&[Cost], u64),
    started: impl FnMut(u32, u64, u32),
    ports: P,
) -> Result<Completion, Fault> {
    let inboxes = Inboxes::new(program, first_byte);
    // At least 1.
    let ahead = costs.iter().map(|cost| cost.o.saturating_add(cost.L)).min().unwrap_or(NEVER);
    let ahead = if inboxes.are_none() { ahead } else { ahead.min(first_byte) };
    let shift = ahead.max(1).ilog2();
    let posts_by_time = program.posts || !program.channels.is_empty() || !inboxes.are_none();
    let awaited = dependents.awaited(program.operations());
    let processor = Processor { busy: P::idle(), wake: 0, receives: 0, coming: EMPTY, ready: 0 };
    let mut processors = vec![processor; program.ranges.len()];
    for &wild in &program.wild {
        // As if it always waited for a message.
        processors[wild as usize].receives = 1;
    }
    let mut execution = Execution {
        program,
        dependents,
        costs,
        started,
        ports,
        mail: Mail::new(program, costs.len()),
        inboxes,
        posts_by_time,
        queue: Queue::new(program.processors()),
        coming: Coming::new(),
        processors,
        from: vec![0; if P::ONE_AT_A_TIME && !posts_by_time { 0 } else { awaited.len() }],
        awaited,
        runnable: Vec::new(),
        shift,
        horizon: 1 << shift,
        left: program.operations(),
        first: NONE,
    };
    execution.run()?;
    execution.finish()
}

impl<P: Ports, F: FnMut(u32, u64, u32)> Execution<'_, P, F> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut free = self.dependents.free.iter().peekable();
        for processor in 0..self.program.processors() {
            let range = self.program.range(processor);
            while let Some(&operation) = free.next_if(|operation| range.contains(operation)) {
                self.released(processor, operation, 0);
            }
            self.advance_all(processor)?;
            // Those who follow find their messages there, and need not wait for them.
            self.mail.post();
        }
        self.deliver_all()?;
        let mut processors = Vec::new();
        while let Some(span) = self.queue.next(&mut processors) {
            // Where that is beyond all times, there is no time to wait for.
            self.horizon = (span + 1).checked_mul(1 << self.shift).unwrap_or(NEVER);
            for processors in processors.chunks(TOGETHER) {
                self.fetch(processors);
                for &processor in processors {
                    // Else it was woken before.
                    if self.processors[processor as usize].wake == span {
                        self.advance_all(processor)?;
                    }
                }
            }
            self.deliver_all()?;
        }
        Ok(())
    }

    /// An operation waits for no other any more from then on.
    #[inline]
    fn released(&mut self, processor: u32, operation: u32, time: u64) {
        let state = &mut self.processors[processor as usize];
        let is_receive = self.program.code(operation).0 == Kind::Receive;
        let soon = P::ONE_AT_A_TIME || time <= P::now(&state.busy);
        if is_receive && soon && !self.posts_by_time {
            self.take_message(processor, operation);
        } else if is_receive || !soon {
            self.coming.push(&mut state.coming, time, operation);
        } else {
            self.ready(processor, operation);
        }
    }

    /// Posts a receive at that time, for which others may wait.
    fn post(&mut self, processor: u32, receive: u32, time: u64) {
        if self.inboxes.has(processor) {
            if let Some(message) = self.inboxes.post(self.program, processor, receive) {
                self.matched(processor, receive, message);
            }
        } else {
            self.take_message(processor, receive);
        }
        if self.program.posts {
            for waiter in self.dependents.of(receive).filter(|waiter| waiter.until == Until::Started) {
                self.release(processor, waiter, time, time);
            }
        }
    }

    /// A receive of a processor with an inbox gets this message.
    fn matched(&mut self, processor: u32, receive: u32, message: u32) {
        let arrival = self.mail.take(receive, message);
        let state = &mut self.processors[processor as usize];
        if arrival <= P::now(&state.busy) {
            self.ready(processor, receive);
        } else {
            self.coming.push(&mut state.coming, arrival, receive | HAS_MESSAGE);
        }
    }

    /// A receive gets its message, or waits for it.
    #[inline]
    fn take_message(&mut self, processor: u32, receive: u32) {
        let state = &mut self.processors[processor as usize];
        match self.mail.ready(self.program, receive) {
            Some(arrival) if arrival <= P::now(&state.busy) => self.ready(processor, receive),
            Some(arrival) => self.coming.push(&mut state.coming, arrival, receive | HAS_MESSAGE),
            None => state.receives += 1,
        }
    }

    /// An operation of the processor that is being advanced waits for nothing but for what it occupies. The first one is
    /// kept apart, for often there is no other.
    #[inline]
    fn ready(&mut self, processor: u32, operation: u32) {
        if self.first == NONE {
            self.first = operation;
        } else {
            self.keep(processor, operation);
        }
    }

    #[inline]
    fn keep(&mut self, processor: u32, operation: u32) {
        self.processors[processor as usize].ready += 1;
        self.ports.ready(self.program, processor, operation);
    }

    /// Begins all before which nothing can come.
    fn advance(&mut self, processor: u32) -> Result<(), Fault> {
        if !self.inboxes.are_none() {
            while let Some((receive, message)) = self.inboxes.admit(processor, self.horizon) {
                if let Some(receive) = receive {
                    self.matched(processor, receive, message);
                }
            }
        }
        loop {
            let state = &mut self.processors[processor as usize];
            let first = std::mem::replace(&mut self.first, NONE);
            let is_alone = first != NONE && state.ready == 0 && state.coming == EMPTY;
            let (time, operation, class) = if is_alone {
                let (time, class) = self.ports.alone(self.program, first, &state.busy);
                (time, first, class)
            } else {
                if first != NONE {
                    state.ready += 1;
                    self.ports.ready(self.program, processor, first);
                }
                self.ports.next(self.program, processor, &state.busy)
            };
            let coming = self.coming.peek(state.coming);
            let next = coming.map_or(time, |(coming, _)| coming.min(time));
            let limit = if state.receives > 0 { self.horizon } else { NEVER };
            if next >= limit {
                state.wake = 0;
                let next = next.min(self.inboxes.next(processor));
                if next != NEVER {
                    state.wake = next >> self.shift;
                    self.queue.push(state.wake, processor);
                }
                if is_alone {
                    self.keep(processor, first);
                }
                return Ok(());
            }
            P::wait(&mut state.busy, next);
            match coming {
                Some((coming, operation)) if coming <= time => {
                    self.coming.pop(&mut state.coming);
                    let number = operation & !HAS_MESSAGE;
                    if operation == number && self.program.code(number).0 == Kind::Receive {
                        self.post(processor, number, coming);
                    } else {
                        self.ready(processor, number);
                    }
                }
                _ => {
                    if !is_alone {
                        state.ready -= 1;
                        self.ports.take(self.program, processor, operation, class);
                    }
                    self.begin(processor, operation, class, time)?;
                }
            }
        }
    }

    #[inline]
    fn begin(&mut self, processor: u32, operation: u32, class: u32, now: u64) -> Result<(), Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let (kind, index) = self.program.code(operation);
        let mut message = NONE;
        let (busy, gap) = match kind {
            Kind::Compute => (self.program.times[index as usize], 0),
            Kind::Send => (self.costs[index as usize].o, self.costs[index as usize].g),
            Kind::Receive => {
                message = self.mail.taken(self.program, operation);
                let size = self.mail.size(message);
                fits(self.program, processor, operation, size, index)?;
                (self.costs[size as usize].o, self.costs[size as usize].g)
            }
        };
        let (end, gap) = (later(now, busy)?, free_from(now, gap));
        let state = &mut self.processors[processor as usize].busy;
        self.ports.begin(state, class, end, gap);
        self.left -= 1;
        if kind == Kind::Send {
            let arrival = later(end, self.costs[index as usize].L)?;
            message = self.mail.send(self.program, operation, index, arrival);
            if !self.inboxes.are_none() {
                self.send_to_inbox(processor, operation, message, now);
            }
        }
        (self.started)(operation, now, message);
        // A sender with many receivers must not fill the memory with that.
        if kind == Kind::Send && self.mail.under_way() >= BATCH {
            self.deliver();
        }
        if !P::ONE_AT_A_TIME && end > now {
            self.skip(processor, operation, end);
        }
        for waiter in self.dependents.of(operation) {
            // What waits for a receive to be posted has already continued.
            if kind != Kind::Receive || waiter.until == Until::Done {
                self.release(processor, waiter, now, end);
            }
        }
        Ok(())
    }

    /// A send has begun: its receiver is looked at again when the first byte is there.
    fn send_to_inbox(&mut self, processor: u32, send: u32, message: u32, now: u64) {
        let (to, tag) = (self.program.peer(send), self.program.tag(send));
        if let Some(first_byte) = self.inboxes.send(to, (processor, tag), message, now) {
            self.wake(to, first_byte);
        }
    }

    /// Has a processor looked at again at that time.
    fn wake(&mut self, processor: u32, time: u64) {
        let state = &mut self.processors[processor as usize];
        let span = time >> self.shift;
        if state.wake == 0 || span < state.wake {
            state.wake = span;
            self.queue.push(span, processor);
        }
    }

    /// Lets the time of a processor pass until an operation ends, if nothing else can begin before.
    fn skip(&mut self, processor: u32, operation: u32, end: u64) {
        let state = &mut self.processors[processor as usize];
        let nothing_else = state.ready == 0 && state.coming == EMPTY && (state.receives == 0 || end < self.horizon);
        if nothing_else && self.dependents.of(operation).all(|waiter| waiter.until == Until::Done) {
            P::wait(&mut state.busy, end);
        }
    }

    /// What an operation waited for has begun, and ends then.
    #[inline]
    fn release(&mut self, processor: u32, waiter: Waiter, now: u64, end: u64) {
        let time = if waiter.until == Until::Started { now } else { end };
        let Waiter { operation, is_join, .. } = waiter;
        let mut latest = time;
        if is_join {
            if let Some(from) = self.from.get_mut(operation as usize) {
                latest = time.max(*from);
                *from = latest;
            }
            let awaited = &mut self.awaited[operation as usize];
            *awaited -= 1;
            if *awaited > 0 {
                return;
            }
        }
        self.released(processor, operation, latest);
    }

    fn finish(self) -> Result<Completion, Fault> {
        if self.left > 0 {
            // Whatever does not wait for a message waits in the end for what does.
            let mut blocked: Vec<u32> = self.mail.blocked().chain(self.inboxes.blocked()).collect();
            blocked.sort_unstable();
            return Err(deadlock(self.program, &blocked));
        }
        let Self { program, ports, processors, mail, coming, queue, .. } = self;
        // Their room goes to the outcome.
        drop((mail, coming, queue));
        Ok(Completion::new(ports.ends(program, processors.iter().map(|processor| processor.busy))))
    }
}

fn deadlock(program: &Program, blocked: &[u32]) -> Fault {
    let wait = |&operation: &u32| Wait {
        operation,
        processor: owner(program, operation),
        from: program.peer(operation),
        tag: program.tag(operation),
    };
    Fault::Deadlock { waits: blocked.iter().take(MAX_NAMED).map(wait).collect(), blocked: blocked.len() as u64 }
}

/// Whose operation this is.
fn owner(program: &Program, operation: u32) -> u32 {
    (0..program.processors()).find(|&processor| program.range(processor).contains(&operation)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::ports::Clock;
    use super::*;

    /// What the page of the module says.
    #[test]
    fn a_processor_takes_little() {
        // A message takes 8 bytes; the bits of two operations and of the queue less than one.
        assert_eq!(size_of::<Processor<Clock>>() + size_of::<u64>(), 56);
        assert_eq!(size_of::<Processor<u64>>(), 32);
    }
}
