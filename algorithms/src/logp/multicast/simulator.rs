//! Executes a multicast and audits the execution.

use super::audit::{TimedSend, audit};
use super::recurrence;
use super::schedule::Schedule;
use crate::engine::program::Operation;
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
    /// Every send with its start, for the audit.
    pub sends: Vec<TimedSend>,
}

/// Executes `schedule` on a machine, as early as the rules allow.
///
/// Cost: linear in nodes and messages.
///
/// # Errors
/// [`Error::Rejected`] for a schedule that is no tree: a node is reached twice or never, or does not exist. [`Error::Overflow`].
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
    // The engine finds that it is no tree, the recurrence at which node and when.
    let refused = |error| recurrence::cost(model, schedule).err().unwrap_or(error);
    let program = schedules::multicast(schedule, 1).map_err(refused)?;
    let mut starts = vec![0u64; program.operations()];
    let completion = engine::observe(Machine::LogP(model), &program, |operation, start| {
        starts[operation as usize] = start
    })
    .map_err(|failure| refused(failure.into()))?;
    let mut held = vec![0; schedule.nodes() as usize];
    let mut sends = Vec::with_capacity(schedule.sends());
    for sender in 0..program.processors() {
        for operation in program.range(sender) {
            if let Operation::Send { to, .. } = program.operation(operation) {
                let start = starts[operation as usize];
                // The engine refuses a time that does not fit.
                held[to as usize] = start.saturating_add(model.D());
                sends.push(TimedSend {
                    start,
                    sender: sender + 1,
                    receiver: to + 1,
                });
            }
        }
    }
    Ok(Trace {
        finish: completion.finish,
        held,
        sends,
    })
}

/// Executes a schedule and audits the execution. Returns the time, on which both agree.
///
/// # Errors
/// The rule that was broken; errors of [`simulate`].
pub fn execute(model: LogP, schedule: &Schedule) -> Result<u64, Error> {
    let Trace { finish, sends, .. } = simulate(model, schedule)?;
    let audited = audit(model, schedule.nodes(), schedule.source(), sends)?;
    check_finish(finish, audited)?;
    Ok(audited)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::rules::twice;
    use crate::violation::Rule;

    fn run(nodes: u32, source: u32, sends: &[(u32, u32)]) -> Result<Trace, Error> {
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
        let mut starts: Vec<u64> = trace.sends.iter().map(|send| send.start).collect();
        starts.sort_unstable();
        assert_eq!((trace.finish, starts), (20, vec![0, 4, 8, 10]));
    }

    #[test]
    fn a_node_alone_is_done_at_once() {
        assert_eq!(run(1, 1, &[]).unwrap().finish, 0);
    }

    #[test]
    fn broken_schedules_are_refused() {
        let refused = |rule: Rule, text: &str| Err(Error::from(rule.broken(text)));
        let missing = || {
            refused(
                Rule::Missing,
                "2 of 4 nodes never get the message, node 3 among them",
            )
        };
        assert_eq!(run(4, 1, &[(1, 2)]), missing());
        // A node that is never reached never runs its program.
        assert_eq!(run(4, 1, &[(1, 2), (3, 4)]), missing());
        // Two nodes that wait for each other.
        assert_eq!(run(4, 1, &[(1, 2), (3, 4), (4, 3)]), missing());
        assert_eq!(
            run(3, 1, &[(1, 2), (1, 3), (2, 3)]),
            Err(twice(2, 3, 18).into())
        );
        assert_eq!(run(2, 1, &[(1, 2), (2, 1)]), Err(twice(2, 1, 18).into()));
        assert_eq!(
            run(2, 1, &[(1, 1)]),
            refused(Rule::ToItself, "node 1 sends to itself")
        );
        assert_eq!(
            run(2, 1, &[(1, 3)]),
            refused(Rule::NoSuchNode, "node 1 sends to 3; the nodes are 1 to 2")
        );
        assert_eq!(
            run(2, 3, &[]),
            refused(
                Rule::NoSuchNode,
                "the source 3 is not one of the nodes 1 to 2"
            )
        );
    }

    #[test]
    fn a_time_that_does_not_fit_is_an_error() {
        let model = LogP::new(u64::MAX - 1, 0, 1).unwrap();
        let chain = Schedule::from_sends(3, 1, &[(1, 2), (2, 3)]);
        assert_eq!(simulate(model, &chain), Err(Error::Overflow));
    }
}
