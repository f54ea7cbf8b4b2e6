//! Executes a multicast schedule under the rules of LogP, by the [engine], which knows the model and no algorithm.
//!
//! Every node sends as early as the rules allow: after it holds the message, `g'` apart. The [audit] checks the times of all sends.

use super::audit::{self, TimedSend};
use super::recurrence;
use super::rules::check_source;
use super::schedule::Schedule;
use crate::engine::{self, Machine, schedules};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::rules::check_finish;

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
            timed.map(move |(&start, &receiver)| TimedSend { start, sender, receiver })
        })
    }
}

/// Executes `schedule` on a machine.
///
/// Cost: linear in nodes and messages.
///
/// # Errors
/// Errors of [`recurrence::cost`]: for a node that is reached twice or never, or that does not exist.
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
pub fn simulate(model: LogP, schedule: &Schedule) -> Result<Trace, Error> {
    // What is no tree has a fault in terms of programs; the recurrence names its nodes.
    run(model, schedule).map_err(|fault| recurrence::cost(model, schedule).err().unwrap_or(fault))
}

fn run(model: LogP, schedule: &Schedule) -> Result<Trace, Error> {
    check_source(schedule.source(), schedule.nodes())?;
    let program = schedules::multicast(schedule, 1)?;
    let (mut held, mut starts) = (vec![0; schedule.nodes() as usize], vec![0; schedule.sends()]);
    engine::observe_messages(Machine::LogP(model), &program, |begun| {
        let node = begun.processor + 1;
        let sends = program.range(begun.processor).start + u32::from(node != schedule.source());
        match begun.operation.checked_sub(sends) {
            Some(number) => starts[schedule.range(node).start + number as usize] = begun.start,
            // The engine refuses a time that does not fit.
            None => held[begun.processor as usize] = begun.start.saturating_add(model.o()),
        }
    })?;
    Ok(Trace { finish: held.iter().copied().max().unwrap_or(0), held, starts })
}

/// Executes a schedule and audits the execution. Returns the time, on which both agree.
///
/// # Errors
/// Errors of [`simulate`], and the rule that was broken.
pub fn execute(model: LogP, schedule: &Schedule) -> Result<u64, Error> {
    let trace = simulate(model, schedule)?;
    let audited = audit::audit(model, schedule.nodes(), schedule.source(), trace.timed(schedule).collect())?;
    check_finish(trace.finish, audited)?;
    Ok(audited)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::rules::twice;
    use crate::violation::{Rule, Violation};

    fn run(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Result<Trace, Violation> {
        let trace = simulate(LogP::new(6, 2, 4).unwrap(), &Schedule::from_sends(nodes, source, sends));
        trace.map_err(|error| error.violation::<Violation>().cloned().unwrap())
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
        let missing = || Err(Rule::Missing.broken("2 of 4 nodes never get the message, node 3 among them"));
        assert_eq!(run(4, 1, &[(1, 2)]), missing());
        // A node that is never reached never runs its program.
        assert_eq!(run(4, 1, &[(1, 2), (3, 4)]), missing());
        assert_eq!(run(3, 1, &[(1, 2), (1, 3), (2, 3)]), Err(twice(2, 3, 18)));
        assert_eq!(run(2, 1, &[(1, 2), (2, 1)]), Err(twice(2, 1, 18)));
        assert_eq!(run(2, 1, &[(1, 1)]), Err(Rule::ToItself.broken("node 1 sends to itself")));
        let no_node = |text: &str| Err(Rule::NoSuchNode.broken(text));
        assert_eq!(run(2, 1, &[(1, 3)]), no_node("node 1 sends to 3; the nodes are 1 to 2"));
        assert_eq!(run(2, 3, &[]), no_node("the source 3 is not one of the nodes 1 to 2"));
    }

    #[test]
    fn a_time_that_does_not_fit_is_an_error() {
        let model = LogP::new(u64::MAX - 1, 0, 1).unwrap();
        let chain = Schedule::from_sends(3, 1, &[(1, 2), (2, 3)]);
        assert_eq!(simulate(model, &chain), Err(Error::Overflow));
    }
}
