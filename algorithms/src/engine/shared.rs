//! Executes programs whose processors share nics, in a total order of events.
//!
//! The ranks of a node share its nics to the network: the one with index i on its node has nic `i mod nics`. Messages of inner
//! levels keep the ports of their ranks. An operation **asks** when the one before it has ended and, for a receive, its message is
//! there. Those that ask earlier begin earlier at a nic; at one time the processor with the lower number does. Everything else is
//! as for programs [in order](super::in_order).
//!
//! Every event follows from earlier ones: what a processor asks next, and what its message lets another one ask, is not before
//! what it asked last. A message takes `o + L >= 1`, so at one time only a processor's own next operation can follow.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::fault::Fault;
use super::in_order::deadlock;
use super::program::Program;
use super::step::{Kind, NONE, decode};
use super::times::{Begun, Completion, Cost, after_receive, fits, free_from, later};
use crate::logp::Levels;

/// A port in both directions: until when the gap after its last send lasts, and when its last receive began.
#[derive(Clone, Copy, Default)]
struct Port {
    send: u64,
    received: u64,
}

/// The size of a message, and when it arrives.
#[derive(Clone, Copy)]
struct Mail {
    size: u32,
    arrival: u64,
}

struct Execution<'a> {
    program: &'a Program,
    costs: &'a [Cost],
    /// The level of the network.
    network: u32,
    /// The ports of processors, then those of nics.
    ports: Vec<Port>,
    /// For each processor the index of its nic in `ports`.
    nics: Vec<usize>,
    /// For each processor its next operation, and when the one before it ended.
    next: Vec<(u32, u64)>,
    mail: Vec<Option<Mail>>,
    /// For each processor the messages that are posted together with its next send.
    posted: Vec<Vec<(u32, Mail)>>,
    /// Who waits for each message.
    awaited: Vec<u32>,
    asked: BinaryHeap<Reverse<(u64, u32)>>,
}

/// The index of the nic of each processor among all ports, which are those of the processors, then the nics; and how many there are.
pub(super) fn ports(processors: u32, (levels, nics): (&Levels, u64)) -> (Vec<usize>, usize) {
    let mut known: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    let own = processors as usize;
    let mut nic = |processor: u32| {
        let (node, index) = levels.node(processors.into(), processor);
        let next = own + known.len();
        *known.entry((node, index % nics)).or_insert(next)
    };
    let nics: Vec<usize> = (0..processors).map(&mut nic).collect();
    (nics, own + known.len())
}

/// The level of the network.
pub(super) fn network(levels: &Levels) -> u32 {
    u32::try_from(levels.inner().len()).unwrap_or(NONE)
}

/// Executes a program. `started` receives every operation.
pub(super) fn run(
    program: &Program,
    costs: &[Cost],
    (levels, nics): (&Levels, u64),
    mut started: impl FnMut(Begun),
) -> Result<Completion, Fault> {
    let processors = program.processors();
    let own = processors as usize;
    let (nics, all) = ports(processors, (levels, nics));
    let mut execution = Execution {
        program,
        costs,
        network: network(levels),
        ports: vec![Port::default(); all],
        nics,
        next: (0..processors)
            .map(|processor| (program.range(processor).start, 0))
            .collect(),
        mail: vec![None; program.messages() as usize],
        posted: vec![Vec::new(); if program.together { own } else { 0 }],
        awaited: vec![NONE; program.messages() as usize],
        asked: BinaryHeap::new(),
    };
    for processor in 0..processors {
        execution.ask(processor);
    }
    while let Some(Reverse((time, processor))) = execution.asked.pop() {
        execution.begin(processor, time, &mut started)?;
        execution.ask(processor);
    }
    execution.finish()
}

impl Execution<'_> {
    /// A processor asks for its next operation, unless it waits for a message that is not sent.
    fn ask(&mut self, processor: u32) {
        let (operation, ready) = self.next[processor as usize];
        if !self.program.range(processor).contains(&operation) {
            return;
        }
        let step = self.program.steps[operation as usize];
        let time = match decode(step.code).0 {
            Kind::Receive => match self.mail[step.message as usize] {
                Some(mail) => ready.max(mail.arrival),
                None => {
                    self.awaited[step.message as usize] = processor;
                    return;
                }
            },
            Kind::Send | Kind::Compute => ready,
        };
        self.asked.push(Reverse((time, processor)));
    }

    /// The port of a message of this size.
    fn port(&mut self, processor: u32, size: u32) -> &mut Port {
        let level = self.program.level(size);
        let own = processor as usize;
        let port = if level == self.network {
            self.nics[own]
        } else {
            own
        };
        &mut self.ports[port]
    }

    fn begin(
        &mut self,
        processor: u32,
        asked: u64,
        started: &mut impl FnMut(Begun),
    ) -> Result<(), Fault> {
        let (operation, _) = self.next[processor as usize];
        let step = self.program.steps[operation as usize];
        let later = |time, delay| later(time, delay, (processor, operation));
        let (start, busy) = match decode(step.code) {
            (Kind::Compute, index) => (asked, self.program.times[index as usize]),
            (Kind::Send, size) => {
                let cost = self.costs[size as usize];
                let port = self.port(processor, size);
                let start = asked.max(port.send);
                port.send = free_from(start, cost.g);
                let arrival = later(later(start, cost.o)?, cost.L)?;
                self.send(processor, operation, Mail { size, arrival });
                (start, cost.o)
            }
            (Kind::Receive, room) => {
                // It asked because the message is there.
                let size = self.mail[step.message as usize].map_or(room, |mail| mail.size);
                fits(self.program, processor, operation, size, room)?;
                let cost = self.costs[size as usize];
                let port = self.port(processor, size);
                let start = asked.max(after_receive(port.received, cost.g));
                port.received = start;
                (start, cost.o)
            }
        };
        started(Begun {
            processor,
            operation,
            start,
            message: step.message,
        });
        self.next[processor as usize] = (operation + 1, later(start, busy)?);
        Ok(())
    }

    /// The message of a send is under way, unless it is posted together with the next one.
    fn send(&mut self, processor: u32, operation: u32, mail: Mail) {
        let message = self.program.steps[operation as usize].message;
        if !self.program.together {
            return self.deliver(message, mail);
        }
        self.posted[processor as usize].push((message, mail));
        if !self.program.goes_on(processor, operation) {
            let posted = std::mem::take(&mut self.posted[processor as usize]);
            let arrival = posted
                .iter()
                .map(|(_, mail)| mail.arrival)
                .max()
                .unwrap_or(0);
            posted
                .into_iter()
                .for_each(|(message, mail)| self.deliver(message, Mail { arrival, ..mail }));
        }
    }

    fn deliver(&mut self, message: u32, mail: Mail) {
        self.mail[message as usize] = Some(mail);
        let receiver = std::mem::replace(&mut self.awaited[message as usize], NONE);
        if receiver != NONE {
            self.ask(receiver);
        }
    }

    fn finish(self) -> Result<Completion, Fault> {
        let program = self.program;
        let waits = |processor: u32| {
            let (operation, _) = self.next[processor as usize];
            program
                .range(processor)
                .contains(&operation)
                .then(|| program.wait(processor, operation))
        };
        if (0..program.processors()).any(|processor| waits(processor).is_some()) {
            return Err(deadlock(program.processors(), waits));
        }
        Ok(Completion::new(
            self.next.into_iter().map(|(_, end)| end).collect(),
        ))
    }
}
