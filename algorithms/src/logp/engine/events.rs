//! Programs whose operations wait for what they depend on, and for a cpu and a nic.
//!
//! What begins next on a processor depends on all that could begin by then, so no message may arrive in its past:
//! processors wake up in order of time, from a queue. A message takes `o + L` at least, so who wakes up at t cannot be
//! disturbed before t + o + L by what is not known at t, and does all that begins before that at once. Then it notes when
//! it has to wake up next. It keeps the operations that will be ready, by time, and for each kind, cpu
//! and nic those that are ready, by number: whatever the number of operations that wait for the same cpu, each is looked
//! at once.

use super::dependencies::Dependents;
use super::fault::{Fault, Wait};
use super::program::{Kind, NONE, Program, Until};
use super::queue::{Least, Queue};
use super::{Cost, NEVER, Outcome, later};

/// The most waits that an error names.
const MOST_NAMED: usize = 4;

/// Operations of a processor that occupy the same things, and so can begin at the same time.
struct Class {
    kind: Kind,
    cpu: u8,
    nic: u8,
    /// The operations that are ready.
    ready: Least<u32>,
    /// When the gap of the nic is over; of one direction, so that no other class needs it but those of other cpus.
    gap: u64,
    /// When the cpu is free.
    free: u64,
}

/// A processor, with what it may do next.
#[derive(Clone)]
struct Processor {
    /// When it wakes up next, as far as known.
    wake: u64,
    end: u64,
    /// What will be ready when.
    future: Least<(u64, u32)>,
    /// Its classes are `classes[first..end_class]`.
    first_class: u32,
    end_class: u32,
}

impl Processor {
    fn classes(&self) -> std::ops::Range<usize> {
        self.first_class as usize..self.end_class as usize
    }
}

/// An operation that has not begun.
#[derive(Clone, Copy)]
struct Waiting {
    /// When those that it does not wait for any more let it begin.
    from: u64,
    /// For how many it still waits.
    awaited: u32,
    /// Of a receive: its message, once it is ready.
    message: u32,
}

/// A channel, at its first message: how far sends and receives have come.
#[derive(Clone, Copy, Default)]
struct Channel {
    sent: u32,
    ready: u32,
}

#[derive(Clone, Copy)]
struct Message {
    arrival: u64,
    /// Where its size stands.
    size: u32,
    /// The receive that waits for it.
    receive: u32,
}

struct Execution<'a, F> {
    program: &'a Program,
    dependents: &'a Dependents,
    costs: &'a [Cost],
    started: F,
    queue: Queue,
    /// The least time from the beginning of a send to the arrival.
    ahead: u64,
    processors: Vec<Processor>,
    classes: Vec<Class>,
    operations: Vec<Waiting>,
    messages: Vec<Message>,
    /// Empty where every message has a channel of its own.
    channels: Vec<Channel>,
    left: usize,
}

/// Executes a program, `started` being told the start of every operation.
pub(super) fn run(program: &Program, costs: &[Cost], started: impl FnMut(u32, u64)) -> Result<Outcome, Fault> {
    let Some(dependents) = &program.dependents else { return super::in_order::run(program, costs, started) };
    let (processors, classes) = processors(program);
    let waiting = |&awaited: &u32| Waiting { from: 0, awaited, message: NONE };
    let mut execution = Execution {
        program,
        dependents,
        costs,
        started,
        queue: Queue::new(),
        ahead: costs.iter().map(|cost| cost.o.saturating_add(cost.L)).min().unwrap_or(NEVER),
        processors,
        classes,
        operations: dependents.awaited.iter().map(waiting).collect(),
        messages: vec![Message { arrival: NEVER, size: 0, receive: NONE }; program.messages() as usize],
        channels: vec![Channel::default(); program.channels.len()],
        left: program.operations(),
    };
    execution.run()?;
    execution.finish()
}

impl<F: FnMut(u32, u64)> Execution<'_, F> {
    fn run(&mut self) -> Result<(), Fault> {
        for processor in 0..self.program.processors() {
            for operation in self.program.range(processor) {
                if self.operations[operation as usize].awaited == 0 {
                    self.later(processor, 0, operation);
                }
            }
        }
        while let Some((time, processor)) = self.queue.pop() {
            // Else it was woken before, and noted another time.
            if self.processors[processor as usize].wake == time {
                self.processors[processor as usize].wake = NEVER;
                self.advance(processor, time)?;
            }
        }
        Ok(())
    }

    /// An operation will be ready then.
    fn later(&mut self, processor: u32, time: u64, operation: u32) {
        self.processors[processor as usize].future.push((time, operation));
        self.wake_at(processor, time);
    }

    fn wake_at(&mut self, processor: u32, time: u64) {
        let wake = &mut self.processors[processor as usize].wake;
        if time < *wake {
            *wake = time;
            self.queue.push(time, processor);
        }
    }

    /// Begins all that begins now or so soon that nothing can come between.
    fn advance(&mut self, processor: u32, mut now: u64) -> Result<(), Fault> {
        let horizon = now.saturating_add(self.ahead);
        let classes = self.processors[processor as usize].classes();
        loop {
            self.make_ready(processor, now);
            let mut next: Option<(u32, usize)> = None;
            let mut wake = NEVER;
            for index in classes.clone() {
                let class = &self.classes[index];
                let Some(operation) = class.ready.peek() else { continue };
                let time = class.free.max(class.gap);
                if time > now {
                    wake = wake.min(time);
                } else if next.is_none_or(|(least, _)| operation < least) {
                    next = Some((operation, index));
                }
            }
            let Some((operation, index)) = next else {
                let future = self.processors[processor as usize].future.peek().map_or(NEVER, |(time, _)| time);
                now = wake.min(future);
                if now < horizon {
                    continue;
                }
                self.wake_at(processor, now);
                return Ok(());
            };
            self.classes[index].ready.pop();
            self.begin(processor, classes.clone(), index, operation, now)?;
        }
    }

    /// Hands on what has become ready by now. A receive then gets its message, and waits for it to arrive.
    fn make_ready(&mut self, processor: u32, now: u64) {
        while let Some((time, operation)) = self.processors[processor as usize].future.peek()
            && time <= now
        {
            self.processors[processor as usize].future.pop();
            if self.program.code(operation).0 == Kind::Receive && self.operations[operation as usize].message == NONE {
                let number = self.next_of_channel(operation, |channel| &mut channel.ready);
                self.operations[operation as usize].message = number;
                let message = &mut self.messages[number as usize];
                if message.arrival == NEVER {
                    message.receive = operation;
                } else {
                    let time = message.arrival.max(time);
                    self.processors[processor as usize].future.push((time, operation));
                }
                continue;
            }
            let class = self.class(processor, operation);
            self.classes[class].ready.push(operation);
        }
    }

    /// The next message of an operation's channel, as counted there.
    fn next_of_channel(&mut self, operation: u32, count: impl Fn(&mut Channel) -> &mut u32) -> u32 {
        let message = self.program.messages[operation as usize];
        let Some(&base) = self.program.channels.get(message as usize) else { return message };
        let count = count(&mut self.channels[base as usize]);
        *count += 1;
        base + *count - 1
    }

    fn class(&self, processor: u32, operation: u32) -> usize {
        let range = self.processors[processor as usize].classes();
        let wanted = key(self.program, operation);
        let found = self.classes[range.clone()].partition_point(|class| (class.kind, class.cpu, class.nic) < wanted);
        range.start + found
    }

    fn begin(
        &mut self,
        processor: u32,
        classes: std::ops::Range<usize>,
        class: usize,
        operation: u32,
        now: u64,
    ) -> Result<(), Fault> {
        let later = |time, delay| later(time, delay, (processor, operation));
        let (kind, index) = self.program.code(operation);
        let (busy, gap) = match kind {
            Kind::Compute => (self.program.times[index as usize], 0),
            Kind::Send => (self.costs[index as usize].o, self.costs[index as usize].g),
            Kind::Receive => {
                let size = self.messages[self.operations[operation as usize].message as usize].size;
                super::fits(self.program, processor, operation, size, index)?;
                (self.costs[size as usize].o, self.costs[size as usize].g)
            }
        };
        let (end, gap) = (later(now, busy)?, later(now, gap)?);
        let Class { cpu, nic, .. } = self.classes[class];
        for other in &mut self.classes[classes] {
            if other.cpu == cpu {
                other.free = end;
            }
            if other.nic == nic && other.kind == kind {
                other.gap = gap;
            }
        }
        let last = &mut self.processors[processor as usize].end;
        *last = end.max(*last);
        self.left -= 1;
        (self.started)(operation, now);
        if kind == Kind::Send {
            let message = self.next_of_channel(operation, |channel| &mut channel.sent);
            let message = &mut self.messages[message as usize];
            message.arrival = later(end, self.costs[index as usize].L)?;
            message.size = index;
            let (arrival, receive) = (message.arrival, message.receive);
            if receive != NONE {
                self.later(self.program.peers[operation as usize], arrival, receive);
            }
        }
        for place in self.dependents.numbers(operation) {
            let (waiter, until) = self.dependents.waiter(place);
            let time = if until == Until::Started { now } else { end };
            let waiting = &mut self.operations[waiter as usize];
            waiting.from = waiting.from.max(time);
            waiting.awaited -= 1;
            if waiting.awaited == 0 {
                self.processors[processor as usize].future.push((waiting.from, waiter));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Outcome, Fault> {
        if self.left == 0 {
            return Ok(Outcome::new(self.processors.iter().map(|processor| processor.end).collect()));
        }
        // Whatever does not wait for a message waits in the end for what does.
        let waiting = |message: &Message| message.arrival == NEVER && message.receive != NONE;
        let mut blocked: Vec<u32> =
            self.messages.iter().filter(|message| waiting(message)).map(|message| message.receive).collect();
        blocked.sort_unstable();
        let wait = |&operation: &u32| Wait {
            operation,
            processor: owner(self.program, operation),
            from: self.program.peers[operation as usize],
            tag: self.program.tag(operation),
        };
        let waits = blocked.iter().take(MOST_NAMED).map(wait).collect();
        Err(Fault::Deadlock { waits, blocked: blocked.len() as u64 })
    }
}

/// Whose operation this is.
fn owner(program: &Program, operation: u32) -> u32 {
    (0..program.processors()).find(|&processor| program.range(processor).contains(&operation)).unwrap_or(0)
}

/// What an operation occupies; a computation needs no nic.
fn key(program: &Program, operation: u32) -> (Kind, u8, u8) {
    let (cpu, nic) = program.places.get(operation as usize).copied().unwrap_or((0, 0));
    let kind = program.code(operation).0;
    (kind, cpu, if kind == Kind::Compute { 0 } else { nic })
}

/// The processors, and their classes, each processor's in order.
fn processors(program: &Program) -> (Vec<Processor>, Vec<Class>) {
    let mut processors = Vec::with_capacity(program.processors() as usize);
    let mut classes = Vec::new();
    let mut keys = Vec::new();
    for processor in 0..program.processors() {
        keys.clear();
        keys.extend(program.range(processor).map(|operation| key(program, operation)));
        keys.sort_unstable();
        keys.dedup();
        // At most one for each operation, of which there are fewer than 2^30.
        let count = |classes: &[Class]| u32::try_from(classes.len()).unwrap_or(NONE);
        let first_class = count(&classes);
        let class = |&(kind, cpu, nic): &_| Class { kind, cpu, nic, ready: Least::new(), gap: 0, free: 0 };
        classes.extend(keys.iter().map(class));
        let end_class = count(&classes);
        processors.push(Processor { wake: NEVER, end: 0, future: Least::new(), first_class, end_class });
    }
    (processors, classes)
}
