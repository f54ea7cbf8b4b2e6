//! Executes a summation schedule under the rules of LogP and adds the numbers. It knows the model and no algorithm.
//!
//! Every processor runs its program in order, each operation as early as the rules allow: a receive begins when the message has arrived
//! and g after the last receive began. A processor executes one operation at a time. After its send it holds nothing, so it sends at most
//! one message.
//!
//! Each of the N operands has its own value; processor 0 has the first ones, then processor 1, and so on. They are added one by one, and
//! processor 0 must hold the sum of all at the end.
//!
//! The time of an operation depends only on its processor's program and on the messages received there. So the processors run one after
//! the other, each until it waits for a message that is not sent yet. There is no queue of events, and the time per operation is constant.
//!
//! The audit then checks the times and the sum by every rule.

use super::audit::audit;
use super::schedule::{Operation, Schedule};
use super::trace::value;
pub use super::trace::{Span, Trace};
pub use super::violation::Violation;
use crate::logp::LogP;

/// Executes a schedule and audits the execution.
///
/// Cost: linear in operations and operands.
///
/// # Errors
/// The rule that was broken.
///
/// ```
/// # use castbench_algorithms::internals::problem::Problem;
/// # use castbench_algorithms::internals::logp::summation::simulator::execute;
/// # use castbench_algorithms::logp::LogP;
/// let optimal = castbench_algorithms::internals::logp::summation::problem::LogpSummation::find("summation-optimal").unwrap();
/// let model = LogP::new(5, 2, 4)?;
/// assert_eq!(execute(model, &optimal.schedule(model, 7, 82)?)?.finish, 29);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn execute(model: LogP, schedule: &Schedule) -> Result<Trace, Violation> {
    let trace = simulate(model, schedule)?;
    let audited = audit(model, schedule, &trace)?;
    if audited != trace.finish {
        return Err(Violation::Finish { executed: trace.finish, audited });
    }
    Ok(trace)
}

/// Executes a schedule.
///
/// Cost: linear in operations and operands.
///
/// # Errors
/// The first [`Violation`], as for a schedule that loses an operand or a partial sum, or whose processors wait for each other.
pub fn simulate(model: LogP, schedule: &Schedule) -> Result<Trace, Violation> {
    let mut execution = Execution::new(model, schedule)?;
    for p in 0..schedule.processors() {
        let mut runnable = Some(p);
        while let Some(processor) = runnable {
            runnable = execution.run(processor)?;
        }
    }
    execution.finish()
}

/// A message, identified by its sender.
#[derive(Clone, Copy)]
struct Message {
    to: u32,
    /// When it leaves the network.
    arrival: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Sent,
    Received,
    Combined,
}

/// A processor while its program runs.
struct Processor {
    /// When it is free for its next operation, and the number of that among all.
    clock: u64,
    next: usize,
    last_receive: Option<u64>,
    /// Its partial sum and the number of operands in it; kept for the receiver after the send.
    sum: u128,
    summed: u64,
    /// The first own operand that is not added yet, and how many are left.
    operand: u64,
    left: u64,
    sent: Option<Message>,
}

struct Execution<'a> {
    model: LogP,
    schedule: &'a Schedule,
    processors: Vec<Processor>,
    spans: Vec<Span>,
}

impl<'a> Execution<'a> {
    fn new(model: LogP, schedule: &'a Schedule) -> Result<Self, Violation> {
        let mut processors = Vec::with_capacity(schedule.processors() as usize);
        let mut operand = 0u64;
        for p in 0..schedule.processors() {
            let own = schedule.operands(p);
            let end = later(operand, own)?;
            let first = own.min(1);
            processors.push(Processor {
                clock: 0,
                next: schedule.range(p).start,
                last_receive: None,
                sum: u128::from(first) * u128::from(value(operand)),
                summed: first,
                operand: operand + first,
                left: own - first,
                sent: None,
            });
            operand = end;
        }
        let spans = schedule.operations().iter().map(|&operation| Span { start: 0, end: 0, operation }).collect();
        Ok(Self { model, schedule, processors, spans })
    }

    /// Runs a processor until it waits or ends. Returns the processor that waited for its message.
    fn run(&mut self, p: u32) -> Result<Option<u32>, Violation> {
        let end = self.schedule.range(p).end;
        let mut woken = None;
        while self.processors[p as usize].next < end {
            let next = self.processors[p as usize].next;
            let operation = self.spans[next].operation;
            let Some((start, end)) = self.step(p, operation)? else { break };
            self.spans[next] = Span { start, end, operation };
            let processor = &mut self.processors[p as usize];
            (processor.clock, processor.next) = (end, next + 1);
            if let Operation::Send { to } = operation {
                woken = (self.awaits(to) == Some(p)).then_some(to);
            }
        }
        Ok(woken)
    }

    /// The sender for the next operation of a processor, if it is a receive.
    fn awaits(&self, p: u32) -> Option<u32> {
        match self.schedule.operations().get(self.processors[p as usize].next) {
            Some(&Operation::Receive { from }) if self.processors[p as usize].next < self.schedule.range(p).end => {
                Some(from)
            }
            _ => None,
        }
    }

    /// Executes an operation and returns its start and end; `None` where it has to wait for another processor.
    fn step(&mut self, p: u32, operation: Operation) -> Result<Option<(u64, u64)>, Violation> {
        let start = self.processors[p as usize].clock;
        let end = match operation {
            Operation::Add { operands } => {
                self.add(p, operands)?;
                later(start, operands)?
            }
            Operation::Receive { from } => {
                let Some(start) = self.receive(p, from)? else { return Ok(None) };
                return Ok(Some((start, later(start, self.model.o())?)));
            }
            Operation::Combine { from } => {
                self.combine(p, from)?;
                later(start, 1)?
            }
            Operation::Send { to } => {
                let end = later(start, self.model.o())?;
                self.holder(p, operation)?;
                self.other(p, to, operation)?;
                let message = Message { to, arrival: later(end, self.model.L())?, stage: Stage::Sent };
                self.processors[p as usize].sent = Some(message);
                end
            }
        };
        Ok(Some((start, end)))
    }

    fn add(&mut self, p: u32, operands: u64) -> Result<(), Violation> {
        let operation = Operation::Add { operands };
        let processor = self.holder(p, operation)?;
        let left = processor.left;
        processor.left = left.checked_sub(operands).ok_or(Violation::NoOperand { processor: p, operation, left })?;
        let added = processor.operand..processor.operand + operands;
        processor.operand = added.end;
        processor.summed += operands;
        processor.sum += added.map(|index| u128::from(value(index))).sum::<u128>();
        Ok(())
    }

    /// When the receive begins.
    fn receive(&mut self, p: u32, from: u32) -> Result<Option<u64>, Violation> {
        let Some(message) = &mut self.other(p, from, Operation::Receive { from })?.sent else { return Ok(None) };
        if message.to != p {
            return Err(Violation::NotAddressed { processor: p, from, to: message.to });
        }
        if message.stage != Stage::Sent {
            return Err(Violation::ReceivedTwice { processor: p, from });
        }
        message.stage = Stage::Received;
        let arrival = message.arrival;
        let g = self.model.g();
        let processor = &mut self.processors[p as usize];
        let spaced = processor.last_receive.map_or(Ok(0), |last| later(last, g))?;
        let start = processor.clock.max(arrival).max(spaced);
        processor.last_receive = Some(start);
        Ok(Some(start))
    }

    fn combine(&mut self, p: u32, from: u32) -> Result<(), Violation> {
        let operation = Operation::Combine { from };
        let sender = self.other(p, from, operation)?;
        match &mut sender.sent {
            Some(message) if message.to == p && message.stage == Stage::Received => message.stage = Stage::Combined,
            _ => return Err(Violation::NotReceived { processor: p, from }),
        }
        let (sum, summed) = (sender.sum, sender.summed);
        let processor = self.holder(p, operation)?;
        processor.sum += sum;
        processor.summed += summed;
        Ok(())
    }

    /// The processor, which must hold a partial sum for this operation.
    fn holder(&mut self, p: u32, operation: Operation) -> Result<&mut Processor, Violation> {
        let processor = &mut self.processors[p as usize];
        if processor.summed == 0 || processor.sent.is_some() {
            return Err(Violation::NothingHeld { processor: p, operation });
        }
        Ok(processor)
    }

    /// The other processor of an operation.
    fn other(&mut self, p: u32, other: u32, operation: Operation) -> Result<&mut Processor, Violation> {
        if other == p {
            return Err(Violation::ToItself(p));
        }
        let processors = self.schedule.processors();
        self.processors.get_mut(other as usize).ok_or(Violation::NoSuchProcessor {
            processor: p,
            operation,
            processors,
        })
    }

    /// Checks that all operations are executed and all operands are in the sum.
    fn finish(self) -> Result<Trace, Violation> {
        for p in 0..self.schedule.processors() {
            if let Some(from) = self.awaits(p) {
                return Err(match self.processors[from as usize].sent {
                    Some(Message { to, .. }) => Violation::NotAddressed { processor: p, from, to },
                    None => Violation::Deadlock { processor: p, from },
                });
            }
        }
        for (from, processor) in (0u32..).zip(&self.processors) {
            if processor.left > 0 {
                return Err(Violation::NotAdded { processor: from, left: processor.left });
            }
            match processor.sent {
                Some(Message { to, stage: Stage::Sent, .. }) => return Err(Violation::Unread { from, to }),
                Some(Message { to, stage: Stage::Received, .. }) => return Err(Violation::NotCombined { from, to }),
                None if from > 0 && processor.summed > 0 => return Err(Violation::Kept(from)),
                _ => {}
            }
        }
        match self.processors.first() {
            Some(root) if root.summed > 0 && root.sent.is_none() => {
                let ends = (0..self.schedule.processors()).map(|p| self.schedule.range(p).end).collect();
                Ok(Trace { finish: root.clock, sum: root.sum, spans: self.spans, ends })
            }
            _ => Err(Violation::NoResult),
        }
    }
}

/// `time + delay`, which must fit.
fn later(time: u64, delay: u64) -> Result<u64, Violation> {
    time.checked_add(delay).ok_or(Violation::TimeOverflow)
}

#[cfg(test)]
mod tests;
