//! Executes a summation schedule under the rules of LogP and adds the numbers. It knows the model and no algorithm.
//!
//! The [engine] chooses the time of each operation; it does not know the content of messages. Each of the N operands has its
//! own value; processor 0 has the first ones, then processor 1, and so on. They are added one by one, and processor 0 must hold
//! the sum of all at the end.
//!
//! The audit then checks the times and the sum by every rule.

use super::audit::audit;
use super::schedule::{Operation, Schedule};
use super::trace::value;
pub use super::trace::{Span, Trace};
use crate::engine::{self, Machine, schedules};
use crate::error::Error;
use crate::logp::LogP;
use crate::logp::rules::check_finish;
use crate::violation::Rule;

/// Executes a schedule and audits the execution.
///
/// Cost: linear in operations and operands.
///
/// # Errors
/// The rule that was broken; a [`Fault`](engine::Fault) where processors wait for each other, or for messages that are never
/// sent.
///
/// ```
/// # use castbench_algorithms::internals::logp::summation::simulator::execute;
/// # use castbench_algorithms::logp::LogP;
/// let optimal = castbench_algorithms::internals::logp::summation::problem::SUMMATIONS.find("summation-optimal").unwrap();
/// let model = LogP::new(5, 2, 4)?;
/// assert_eq!(execute(model, &optimal.schedule(model, 7, 82)?)?.finish, 29);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn execute(model: LogP, schedule: &Schedule) -> Result<Trace, Error> {
    let trace = simulate(model, schedule)?;
    check_finish(trace.finish, audit(model, schedule, &trace)?)?;
    Ok(trace)
}

/// Executes a schedule.
///
/// Cost: linear in operations and operands.
///
/// # Errors
/// A [`Fault`](engine::Fault) of the engine, or [`Error::Overflow`].
pub fn simulate(model: LogP, schedule: &Schedule) -> Result<Trace, Error> {
    let program = schedules::summation(schedule, 1)?;
    let processors = schedule.processors() as usize;
    let (mut operands, mut ends) = (0u64, Vec::with_capacity(processors));
    // The partial sum of each processor, and its operands that are not added yet.
    let mut held = Vec::with_capacity(processors);
    for p in 0..schedule.processors() {
        let first = operands;
        operands = operands
            .checked_add(schedule.operands(p))
            .ok_or(Error::Overflow)?;
        let mut left = first..operands;
        held.push((left.next().map_or(0, |index| value(index).into()), left));
        ends.push(schedule.range(p).end);
    }
    let mut spans: Vec<Span> = schedule
        .operations()
        .iter()
        .map(|&operation| Span {
            start: 0,
            end: 0,
            operation,
        })
        .collect();
    let completion = engine::observe_messages(Machine::LogP(model), &program, |begun| {
        let Span { operation, .. } = spans[begun.operation as usize];
        // The engine refuses a time that does not fit.
        let end = begun.start.saturating_add(operation.takes(model.o()));
        spans[begun.operation as usize] = Span {
            start: begun.start,
            end,
            operation,
        };
        let p = begun.processor as usize;
        let added: u128 = match operation {
            Operation::Add { operands } => {
                let count = usize::try_from(operands).unwrap_or(usize::MAX);
                held[p]
                    .1
                    .by_ref()
                    .take(count)
                    .map(|index| u128::from(value(index)))
                    .sum()
            }
            Operation::Combine { from } => held.get(from as usize).map_or(0, |sender| sender.0),
            Operation::Receive { .. } | Operation::Send { .. } => 0,
        };
        // The audit refuses a sum that is added twice.
        held[p].0 = held[p].0.wrapping_add(added);
    })?;
    let (Some(&finish), Some(&(sum, _))) = (completion.ends.first(), held.first()) else {
        return Err(Rule::NoResult.broken("there is no processor").into());
    };
    Ok(Trace {
        finish,
        sum,
        spans,
        ends,
    })
}

#[cfg(test)]
mod tests;
