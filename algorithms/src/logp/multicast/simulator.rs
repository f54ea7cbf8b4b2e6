//! Executes a multicast schedule under the rules of LogP. It knows the model and no algorithm.
//!
//! Every node sends as early as the rules allow: after it holds the message, `g'` apart. A send occupies the node for `o`; the message
//! arrives `L` later and occupies its receiver for another `o`.
//!
//! The other rules then hold: sends `g'` apart do not overlap, nor does the receive before them; at most `ceil(L/g')` of them begin
//! within any span of `L`; a single receive needs no gap. The [audit] checks all of this.
//!
//! All delays are constants, so each kind of event is created in order of time. Three queues replace a priority queue, and the time
//! per event is constant. Events at one time are ordered by kind (arrivals first), then by creation: a total order.

use std::collections::VecDeque;

use super::audit::{self, TimedSend};
use super::rules::{check_reached, check_send, check_source, twice};
use super::schedule::Schedule;
use crate::cost::LARGEST;
use crate::logp::LogP;
use crate::logp::rules::check_finish;
use crate::violation::Violation;

/// An executed schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// When the last node holds the message, in time units of the machine, as all times here.
    pub finish: u64,
    /// `held[v - 1]` is when node v holds the message; 0 for the source.
    pub held: Vec<u64>,
    /// When each send begins, by node and in order.
    starts: Vec<u64>,
}

impl Trace {
    /// Every send with its start, for the audit. `schedule` is the one that was executed; of another one, sends can be missing.
    pub fn timed<'a>(&'a self, schedule: &'a Schedule) -> impl Iterator<Item = TimedSend> + 'a {
        (1..=schedule.nodes()).flat_map(move |sender| {
            let starts = self.starts.get(schedule.range(sender)).unwrap_or_default();
            let timed = starts.iter().zip(schedule.targets(sender));
            timed.map(move |(&start, &receiver)| TimedSend {
                start,
                sender,
                receiver,
            })
        })
    }
}

/// Executes `schedule` on a machine.
///
/// Cost: linear in nodes and messages.
///
/// # Errors
/// The first [`Violation`] in order of time: a node that is reached twice or never, or that does not exist.
///
/// ```
/// # use castbench_algorithms::logp::LogP;
/// # use castbench_algorithms::internals::logp::multicast::schedule::Schedule;
/// # use castbench_algorithms::internals::logp::multicast::simulator::simulate;
/// let model = LogP::new(6, 2, 4)?;
/// // Node 1 sends to 3, then to 2; node 3 to 4.
/// let trace = simulate(model, &Schedule::new(4, 1, &[(1, 3), (1, 2), (3, 4)])?)?;
/// assert_eq!((trace.finish, trace.held), (20, vec![0, 14, 10, 20]));
/// assert!(simulate(model, &Schedule::new(2, 1, &[])?).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simulate(model: LogP, schedule: &Schedule) -> Result<Trace, Violation> {
    Execution::new(model, schedule)?.run()
}

/// Executes a schedule and audits the execution. Returns the time, on which both agree.
///
/// # Errors
/// The rule that was broken.
pub fn execute(model: LogP, schedule: &Schedule) -> Result<u64, Violation> {
    let trace = simulate(model, schedule)?;
    let mut sends = Vec::with_capacity(schedule.sends());
    sends.extend(trace.timed(schedule));
    let audited = audit::audit(model, schedule.nodes(), schedule.source(), sends)?;
    check_finish(trace.finish, audited)?;
    Ok(audited)
}

/// "Not yet" in [`Execution::held`].
const NEVER: u64 = u64::MAX;

struct Execution<'a> {
    model: LogP,
    schedule: &'a Schedule,
    held: Vec<u64>,
    /// (when, receiver, sender): the message leaves the network.
    arrivals: VecDeque<(u64, u32, u32)>,
    /// (when, node): the node first holds the message.
    holders: VecDeque<(u64, u32)>,
    /// (when, node, number of its next send): the gap after a send ends.
    senders: VecDeque<(u64, u32, usize)>,
    finish: u64,
    starts: Vec<u64>,
}

impl<'a> Execution<'a> {
    fn new(model: LogP, schedule: &'a Schedule) -> Result<Self, Violation> {
        let nodes = schedule.nodes();
        let source = schedule.source();
        check_source(source, nodes)?;
        let mut held = vec![NEVER; nodes as usize];
        held[source as usize - 1] = 0;
        // Enough for small trees, of which many are executed.
        let room = schedule.sends().min(64);
        let mut holders = VecDeque::with_capacity(room);
        holders.push_back((0, source));
        Ok(Self {
            model,
            schedule,
            held,
            arrivals: VecDeque::with_capacity(room),
            holders,
            senders: VecDeque::with_capacity(room),
            finish: 0,
            starts: vec![NEVER; schedule.sends()],
        })
    }

    fn run(mut self) -> Result<Trace, Violation> {
        loop {
            let due = |event: Option<u64>| event.unwrap_or(NEVER);
            let arrival = due(self.arrivals.front().map(|event| event.0));
            let holder = due(self.holders.front().map(|event| event.0));
            let sender = due(self.senders.front().map(|event| event.0));
            if arrival <= holder && arrival <= sender {
                let Some((time, receiver, from)) = self.arrivals.pop_front() else {
                    break;
                };
                self.receive(time, receiver, from)?;
            } else if holder <= sender {
                let Some((time, node)) = self.holders.pop_front() else {
                    break;
                };
                self.send(time, node, self.schedule.range(node).start)?;
            } else {
                let Some((time, node, send)) = self.senders.pop_front() else {
                    break;
                };
                self.send(time, node, send)?;
            }
        }
        check_reached(&self.held, &NEVER)?;
        Ok(Trace {
            finish: self.finish,
            held: self.held,
            starts: self.starts,
        })
    }

    /// A message leaves the network; its receiver spends `o` on it and then holds it.
    fn receive(&mut self, time: u64, receiver: u32, sender: u32) -> Result<(), Violation> {
        let held = &mut self.held[receiver as usize - 1];
        if *held != NEVER {
            return Err(twice(sender, receiver, time));
        }
        *held = later(time, self.model.o())?;
        self.finish = self.finish.max(*held);
        if !self.schedule.targets(receiver).is_empty() {
            self.holders.push_back((*held, receiver));
        }
        Ok(())
    }

    /// A node begins the send of this number, if it has that many.
    fn send(&mut self, time: u64, node: u32, send: usize) -> Result<(), Violation> {
        let end = self.schedule.range(node).end;
        if send == end {
            return Ok(());
        }
        let receiver = self.schedule.target(send);
        check_send(node, receiver, self.schedule.nodes())?;
        self.starts[send] = time;
        self.arrivals.push_back((
            later(later(time, self.model.o())?, self.model.L())?,
            receiver,
            node,
        ));
        if send + 1 < end {
            self.senders
                .push_back((later(time, self.model.gap())?, node, send + 1));
        }
        Ok(())
    }
}

/// `time + delay`; an error above the largest cost.
fn later(time: u64, delay: u64) -> Result<u64, Violation> {
    time.checked_add(delay)
        .filter(|&sum| sum <= LARGEST)
        .ok_or_else(Violation::overflow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::Rule;

    fn run(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Result<Trace, Violation> {
        simulate(
            LogP::new(6, 2, 4).unwrap(),
            &Schedule::from_sends(nodes, source, sends),
        )
    }

    #[test]
    fn times_follow_the_model() {
        // 1 sends at 0, 4 and 8; 2 holds at 10 and relays.
        let trace = run(5, 1, &[(1, 2), (1, 3), (1, 4), (2, 5)]).unwrap();
        assert_eq!(trace.held, [0, 10, 14, 18, 20]);
        assert_eq!((trace.finish, trace.starts), (20, vec![0, 4, 8, 10]));
    }

    #[test]
    fn a_node_alone_is_done_at_once() {
        assert_eq!(run(1, 1, &[]).unwrap().finish, 0);
    }

    #[test]
    fn broken_schedules_are_refused() {
        let missing =
            || Err(Rule::Missing.broken("2 of 4 nodes never get the message, node 3 among them"));
        assert_eq!(run(4, 1, &[(1, 2)]), missing());
        // A node that is never reached never runs its program.
        assert_eq!(run(4, 1, &[(1, 2), (3, 4)]), missing());
        assert_eq!(run(3, 1, &[(1, 2), (1, 3), (2, 3)]), Err(twice(2, 3, 18)));
        assert_eq!(run(2, 1, &[(1, 2), (2, 1)]), Err(twice(2, 1, 18)));
        assert_eq!(
            run(2, 1, &[(1, 1)]),
            Err(Rule::ToItself.broken("node 1 sends to itself"))
        );
        let no_node = |text: &str| Err(Rule::NoSuchNode.broken(text));
        assert_eq!(
            run(2, 1, &[(1, 3)]),
            no_node("node 1 sends to 3; the nodes are 1 to 2")
        );
        assert_eq!(
            run(2, 3, &[]),
            no_node("the source 3 is not one of the nodes 1 to 2")
        );
    }

    #[test]
    fn a_time_that_does_not_fit_is_an_error() {
        let model = LogP::new(u64::MAX - 1, 0, 1).unwrap();
        let chain = Schedule::from_sends(3, 1, &[(1, 2), (2, 3)]);
        assert_eq!(simulate(model, &chain), Err(Violation::overflow()));
    }
}
