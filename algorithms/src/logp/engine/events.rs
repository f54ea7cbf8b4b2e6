//! Programs whose operations wait for what they depend on, and for a cpu and a nic.
//!
//! What begins next on a processor depends on all that could begin by then, so time must not run backwards anywhere:
//! processors wake up in order of time, from a queue. A processor that wakes up begins everything that can begin then,
//! and notes when it has to wake up next. It keeps the operations that will be ready, by time, and for each kind, cpu
//! and nic those that are ready, by number: whatever the number of operations that wait for the same cpu, each is looked
//! at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::dependencies::Dependents;
use super::fault::{Fault, Wait};
use super::program::{Kind, NONE, Program, Until};
use super::queue::Queue;
use super::{Cost, NEVER, Outcome, later};

/// The most waits that an error names.
const MOST_NAMED: usize = 4;

/// Operations of a processor that occupy the same things, and so can begin at the same time.
struct Class {
    kind: Kind,
    cpu: u8,
    nic: u8,
    /// The operations that are ready.
    ready: BinaryHeap<Reverse<u32>>,
    /// When the gap of the nic is over; of one direction, so that no other class needs it but those of other cpus.
    gap: u64,
    /// When the cpu is free.
    free: u64,
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
    /// When each processor wakes up next, as far as known.
    wake: Vec<u64>,
    ends: Vec<u64>,
    /// Of each processor: what will be ready when.
    future: Vec<BinaryHeap<Reverse<(u64, u32)>>>,
    /// The classes of processor p are `classes[first[p]..first[p + 1]]`.
    first: Vec<u32>,
    classes: Vec<Class>,
    /// Of each operation: for how many it still waits, and when those that it does not wait for any more let it begin.
    awaited: Vec<u32>,
    from: Vec<u64>,
    messages: Vec<Message>,
    channels: Vec<Channel>,
    /// Of each receive: its message, once it is ready.
    taken: Vec<u32>,
    left: usize,
}

/// Executes a program, `started` being told the start of every operation.
pub(super) fn run(program: &Program, costs: &[Cost], started: impl FnMut(u32, u64)) -> Result<Outcome, Fault> {
    let Some(dependents) = &program.dependents else { return super::in_order::run(program, costs, started) };
    let (first, classes) = classes(program);
    let (processors, messages) = (program.processors() as usize, program.messages() as usize);
    let mut execution = Execution {
        program,
        dependents,
        costs,
        started,
        queue: Queue::new(),
        wake: vec![NEVER; processors],
        ends: vec![0; processors],
        future: vec![BinaryHeap::new(); processors],
        first,
        classes,
        awaited: dependents.awaited.clone(),
        from: vec![0; program.operations()],
        messages: vec![Message { arrival: NEVER, size: 0, receive: NONE }; messages],
        channels: vec![Channel::default(); messages],
        taken: vec![NONE; program.operations()],
        left: program.operations(),
    };
    execution.run()?;
    execution.finish()
}

impl<F: FnMut(u32, u64)> Execution<'_, F> {
    fn run(&mut self) -> Result<(), Fault> {
        for processor in 0..self.program.processors() {
            for operation in self.program.range(processor) {
                if self.awaited[operation as usize] == 0 {
                    self.later(processor, 0, operation);
                }
            }
        }
        while let Some((time, processor)) = self.queue.pop() {
            // Else it was woken before, and noted another time.
            if self.wake[processor as usize] == time {
                self.wake[processor as usize] = NEVER;
                self.advance(processor, time)?;
            }
        }
        Ok(())
    }

    /// An operation will be ready then.
    fn later(&mut self, processor: u32, time: u64, operation: u32) {
        self.future[processor as usize].push(Reverse((time, operation)));
        self.wake_at(processor, time);
    }

    fn wake_at(&mut self, processor: u32, time: u64) {
        if time < self.wake[processor as usize] {
            self.wake[processor as usize] = time;
            self.queue.push(time, processor);
        }
    }

    /// Begins all that can begin now.
    fn advance(&mut self, processor: u32, now: u64) -> Result<(), Fault> {
        let classes = self.first[processor as usize] as usize..self.first[processor as usize + 1] as usize;
        loop {
            self.make_ready(processor, now);
            let mut next: Option<(u32, usize)> = None;
            let mut wake = NEVER;
            for index in classes.clone() {
                let class = &self.classes[index];
                let Some(&Reverse(operation)) = class.ready.peek() else { continue };
                let time = class.free.max(class.gap);
                if time > now {
                    wake = wake.min(time);
                } else if next.is_none_or(|(least, _)| operation < least) {
                    next = Some((operation, index));
                }
            }
            let Some((operation, index)) = next else {
                let future = self.future[processor as usize].peek().map_or(NEVER, |&Reverse((time, _))| time);
                self.wake_at(processor, wake.min(future));
                return Ok(());
            };
            self.classes[index].ready.pop();
            self.begin(processor, classes.clone(), index, operation, now)?;
        }
    }

    /// Hands on what has become ready by now. A receive then gets its message, and waits for it to arrive.
    fn make_ready(&mut self, processor: u32, now: u64) {
        while let Some(&Reverse((time, operation))) = self.future[processor as usize].peek()
            && time <= now
        {
            self.future[processor as usize].pop();
            if self.program.code(operation).0 == Kind::Receive && self.taken[operation as usize] == NONE {
                let message = self.next_of_channel(operation, |channel| &mut channel.ready);
                self.taken[operation as usize] = message;
                let arrival = self.messages[message as usize].arrival;
                if arrival == NEVER {
                    self.messages[message as usize].receive = operation;
                } else {
                    self.future[processor as usize].push(Reverse((arrival.max(time), operation)));
                }
                continue;
            }
            let class = self.class(processor, operation);
            self.classes[class].ready.push(Reverse(operation));
        }
    }

    /// The next message of an operation's channel, as counted there.
    fn next_of_channel(&mut self, operation: u32, count: impl Fn(&mut Channel) -> &mut u32) -> u32 {
        let message = self.program.messages[operation as usize];
        let base = self.program.channels.get(message as usize).copied().unwrap_or(message);
        let count = count(&mut self.channels[base as usize]);
        *count += 1;
        base + *count - 1
    }

    fn class(&self, processor: u32, operation: u32) -> usize {
        let range = self.first[processor as usize] as usize..self.first[processor as usize + 1] as usize;
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
                let size = self.messages[self.taken[operation as usize] as usize].size;
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
        self.ends[processor as usize] = self.ends[processor as usize].max(end);
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
            self.from[waiter as usize] = self.from[waiter as usize].max(time);
            self.awaited[waiter as usize] -= 1;
            if self.awaited[waiter as usize] == 0 {
                self.future[processor as usize].push(Reverse((self.from[waiter as usize], waiter)));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Outcome, Fault> {
        if self.left == 0 {
            return Ok(Outcome::new(self.ends));
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

/// The classes of all processors, each processor's in order.
fn classes(program: &Program) -> (Vec<u32>, Vec<Class>) {
    let mut first = Vec::with_capacity(program.processors() as usize + 1);
    let mut classes = Vec::new();
    let mut keys = Vec::new();
    for processor in 0..program.processors() {
        first.push(u32::try_from(classes.len()).unwrap_or(NONE));
        keys.clear();
        keys.extend(program.range(processor).map(|operation| key(program, operation)));
        keys.sort_unstable();
        keys.dedup();
        let class = |&(kind, cpu, nic): &_| Class { kind, cpu, nic, ready: BinaryHeap::new(), gap: 0, free: 0 };
        classes.extend(keys.iter().map(class));
    }
    first.push(u32::try_from(classes.len()).unwrap_or(NONE));
    (first, classes)
}
