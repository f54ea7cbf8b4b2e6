//! Executes programs whose operations wait for their dependencies, a cpu and a nic.
//!
//! No message may arrive in a processor's past. If all messages that its ready receives wait for have been sent, a processor runs
//! on, whatever the time elsewhere. Otherwise it may run up to the horizon: if every processor has come to time t, a message that
//! is not sent yet arrives at t + o + L or later. Later operations wait in a queue. The queue divides time into spans of at most
//! `o + L`: a message sent within a span arrives after it, so the processors of a span run in any order.
//!
//! A receive is posted when its dependencies allow it, in order of time where several compete for messages or others wait for the
//! posting. A processor with receives from any sender or with any tag never runs beyond the horizon.

mod delivery;

use super::coming::{Coming, EMPTY};
use super::dependencies::{Dependents, Waiter};
use super::fault::Fault;
use super::inbox::Inboxes;
use super::mail::Mail;
use super::ports::{Gaps, Ports, Single};
use super::program::{Program, Until};
use super::queue::Queue;
use super::several::Several;
use super::step::{Kind, NONE};
use super::times::{Begun, Completion, Cost, NEVER, fits, free_from, later};

/// The most waits that an error names.
const MAX_NAMED: usize = 4;

/// A flag in the number of a coming operation: a receive that has its message.
const HAS_MESSAGE: u32 = 1 << 31;

/// How many messages are delivered together.
const BATCH: usize = 256;

/// How many processors are fetched together.
const TOGETHER: usize = 32;

/// A processor and its next operations.
#[derive(Clone, Copy)]
struct Processor<B> {
    busy: B,
    /// Its span in the queue; 0 if it is not there.
    wake: u64,
    /// How many ready receives wait for messages that are not sent.
    receives: u32,
    /// The heap of operations that become ready at a known time.
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
    inboxes: Inboxes<'a>,
    /// Whether receives are posted in order of time.
    posts_by_time: bool,
    queue: Queue,
    coming: Coming,
    processors: Vec<Processor<P::Busy>>,
    /// For each operation that waits for several others, how many are left. Empty if there is none.
    awaited: Vec<u32>,
    /// For each operation that waits for several others, when these let it begin. Empty where a processor executes one operation at a
    /// time and posts receives in any order: there that time has passed when the last of them lets it begin.
    from: Vec<u64>,
    /// Processors whose last message has been sent.
    runnable: Vec<u32>,
    /// The length of a span is 2 to the power of this.
    shift: u32,
    /// Before this, no message arrives that is not sent yet.
    horizon: u64,
    left: usize,
    /// Whether [gaps differ](Gaps::differ).
    gaps_differ: bool,
    /// A ready operation of the processor that is being advanced, or [`NONE`].
    first: u32,
}

/// Executes a program. `started` receives every operation; `first_bytes` has
/// the time from the start of a send to the arrival of its first byte, by the index of its size.
pub(super) fn run(
    program: &Program,
    costs: &[Cost],
    first_bytes: &[u64],
    started: impl FnMut(Begun),
) -> Result<Completion, Fault> {
    match (&program.dependents, &program.classes) {
        (None, _) => super::in_order::run(program, costs, started),
        (Some(dependents), None) => {
            let ports = Single::new(program, Gaps::differ(costs));
            execute(program, dependents, (costs, first_bytes), started, ports)
        }
        (Some(dependents), Some(classes)) => {
            let ports = Several::new(classes, Gaps::differ(costs));
            execute(program, dependents, (costs, first_bytes), started, ports)
        }
    }
}

fn execute<P: Ports>(
    program: &Program,
    dependents: &Dependents,
    (costs, first_bytes): (&[Cost], &[u64]),
    started: impl FnMut(Begun),
    ports: P,
) -> Result<Completion, Fault> {
    let inboxes = Inboxes::new(program, first_bytes);
    // At least 1.
    let ahead = costs
        .iter()
        .map(|cost| cost.o.saturating_add(cost.L))
        .min()
        .unwrap_or(NEVER);
    let ahead = if inboxes.are_none() {
        ahead
    } else {
        first_bytes.iter().copied().fold(ahead, u64::min)
    };
    let shift = ahead.max(1).ilog2();
    let posts_by_time = program.posts || !program.channels.is_empty() || !inboxes.are_none();
    let awaited = dependents.awaited(program.operations());
    let processor = Processor {
        busy: P::idle(),
        wake: 0,
        receives: 0,
        coming: EMPTY,
        ready: 0,
    };
    let mut processors = vec![processor; program.ranges.len()];
    for &wild in &program.wild {
        // It never runs beyond the horizon, as if it always waited for a message.
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
        from: vec![
            0;
            if P::ONE_AT_A_TIME && !posts_by_time {
                0
            } else {
                awaited.len()
            }
        ],
        awaited,
        runnable: Vec::new(),
        shift,
        horizon: 1 << shift,
        left: program.operations(),
        gaps_differ: Gaps::differ(costs),
        first: NONE,
    };
    execution.run()?;
    execution.finish()
}

impl<P: Ports, F: FnMut(Begun)> Execution<'_, P, F> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut free = self.dependents.free.iter().peekable();
        for processor in 0..self.program.processors() {
            let range = self.program.range(processor);
            while let Some(&operation) = free.next_if(|operation| range.contains(operation)) {
                self.released(processor, operation, 0);
            }
            self.advance_all(processor)?;
            // Later receives then find their messages without waiting.
            self.mail.post();
        }
        self.deliver_all()?;
        let mut processors = Vec::new();
        while let Some(span) = self.queue.next(&mut processors) {
            // A horizon beyond all times is no limit.
            self.horizon = (span + 1).checked_mul(1 << self.shift).unwrap_or(NEVER);
            for processors in processors.chunks(TOGETHER) {
                self.fetch(processors);
                for &processor in processors {
                    // Otherwise it was woken earlier.
                    if self.processors[processor as usize].wake == span {
                        self.advance_all(processor)?;
                    }
                }
            }
            self.deliver_all()?;
        }
        Ok(())
    }

    /// From this time on an operation waits for no other one.
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

    /// Posts a receive at this time; others can wait for that.
    fn post(&mut self, processor: u32, receive: u32, time: u64) {
        if self.inboxes.has(processor) {
            if let Some(message) = self.inboxes.post(self.program, processor, receive) {
                self.matched(processor, receive, message);
            }
        } else {
            self.take_message(processor, receive);
        }
        if self.program.posts {
            for waiter in self
                .dependents
                .waiters(receive)
                .filter(|waiter| waiter.until == Until::Started)
            {
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
            self.coming
                .push(&mut state.coming, arrival, receive | HAS_MESSAGE);
        }
    }

    /// A receive gets its message, or waits for it.
    #[inline]
    fn take_message(&mut self, processor: u32, receive: u32) {
        let state = &mut self.processors[processor as usize];
        match self.mail.ready(self.program, receive) {
            Some(arrival) if arrival <= P::now(&state.busy) => self.ready(processor, receive),
            Some(arrival) => self
                .coming
                .push(&mut state.coming, arrival, receive | HAS_MESSAGE),
            None => state.receives += 1,
        }
    }

    /// An operation of the processor that is being advanced waits only for its resources. The first one is kept apart, because often
    /// there is no other.
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

    /// Begins all operations that no message can overtake.
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
            let gaps = Gaps {
                mail: &self.mail,
                costs: self.costs,
            };
            let (time, operation, class) = if is_alone {
                let (time, class) = self.ports.alone(self.program, first, &state.busy, gaps);
                (time, first, class)
            } else {
                if first != NONE {
                    state.ready += 1;
                    self.ports.ready(self.program, processor, first);
                }
                self.ports.next(self.program, processor, &state.busy, gaps)
            };
            let coming = self.coming.peek(state.coming);
            let next = coming.map_or(time, |(coming, _)| coming.min(time));
            let limit = if state.receives > 0 {
                self.horizon
            } else {
                NEVER
            };
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
        let end = later(now, busy)?;
        let gap = if self.gaps_differ && kind == Kind::Receive {
            now
        } else {
            free_from(now, gap)
        };
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
        (self.started)(Begun {
            processor,
            operation,
            start: now,
            message,
        });
        // Bounds the memory of a sender with many receivers.
        if kind == Kind::Send && self.mail.under_way() >= BATCH {
            self.deliver();
        }
        if !P::ONE_AT_A_TIME && end > now {
            self.skip(processor, operation, end);
        }
        for waiter in self.dependents.waiters(operation) {
            // Operations that wait for the posting have already continued.
            if kind != Kind::Receive || waiter.until == Until::Done {
                self.release(processor, waiter, now, end);
            }
        }
        Ok(())
    }

    /// A send has begun: its receiver is advanced again when the first byte arrives.
    fn send_to_inbox(&mut self, processor: u32, send: u32, message: u32, now: u64) {
        let (to, tag, size) = (
            self.program.peer(send),
            self.program.tag(send),
            self.program.code(send).1,
        );
        if let Some(first_byte) = self
            .inboxes
            .send(to, (processor, tag), (message, size), now)
        {
            self.wake(to, first_byte);
        }
    }

    /// Schedules a processor to be advanced at this time.
    fn wake(&mut self, processor: u32, time: u64) {
        let state = &mut self.processors[processor as usize];
        let span = time >> self.shift;
        if state.wake == 0 || span < state.wake {
            state.wake = span;
            self.queue.push(span, processor);
        }
    }

    /// Moves the time of a processor to the end of an operation, if nothing else can begin earlier.
    fn skip(&mut self, processor: u32, operation: u32, end: u64) {
        let state = &mut self.processors[processor as usize];
        let nothing_else = state.ready == 0
            && state.coming == EMPTY
            && (state.receives == 0 || end < self.horizon);
        if nothing_else
            && self
                .dependents
                .waiters(operation)
                .all(|waiter| waiter.until == Until::Done)
        {
            P::wait(&mut state.busy, end);
        }
    }

    /// A dependency of an operation has begun, and ends at this time.
    #[inline]
    fn release(&mut self, processor: u32, waiter: Waiter, now: u64, end: u64) {
        let time = if waiter.until == Until::Started {
            now
        } else {
            end
        };
        let Waiter {
            operation, is_join, ..
        } = waiter;
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
            // Every operation that is left waits, directly or not, for a receive without a message.
            let mut blocked: Vec<u32> = self.mail.blocked().chain(self.inboxes.blocked()).collect();
            blocked.sort_unstable();
            return Err(deadlock(self.program, &blocked));
        }
        let Self {
            program,
            ports,
            processors,
            mail,
            coming,
            queue,
            ..
        } = self;
        // Free their memory for the result.
        drop((mail, coming, queue));
        Ok(Completion::new(ports.ends(
            program,
            processors.iter().map(|processor| processor.busy),
        )))
    }
}

fn deadlock(program: &Program, blocked: &[u32]) -> Fault {
    let wait = |&operation: &u32| program.wait(owner(program, operation), operation);
    Fault::Deadlock {
        waits: blocked.iter().take(MAX_NAMED).map(wait).collect(),
        blocked: blocked.len() as u64,
    }
}

/// The processor of an operation.
fn owner(program: &Program, operation: u32) -> u32 {
    (0..program.processors())
        .find(|&processor| program.range(processor).contains(&operation))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::super::ports::Clock;
    use super::*;

    /// The sizes that the module's page states.
    #[test]
    fn a_processor_takes_little() {
        // A message takes 8 bytes; the bits of two operations and of the queue less than one.
        assert_eq!(size_of::<Processor<Clock>>() + size_of::<u64>(), 56);
        assert_eq!(size_of::<Processor<u64>>(), 32);
    }
}
