//! Summation under LogP: N operands, P processors, the sum on processor 0.
//!
//! To the rules of [LogP](super) comes one: a processor adds two numbers in one time unit. While it spends its overhead
//! `o` on a send or a receive it cannot add; while a message is under way it can. The operands may lie wherever the
//! algorithm wants them.
//!
//! Summation is broadcast read backwards. A processor that must begin its send at T can use a partial sum that was
//! sent by `T - D'`, where `D' = L + 1 + 2o`: the message takes `L + 2o` and adding it a unit. The next one before
//! that must have been sent `g' = max(g, o+1)` earlier, for to receive one and to add it occupies `o + 1`. So the
//! trees are the broadcast trees of a machine with D' for D and this g'; a processor's *label* says how long before
//! the end it must begin its send.

mod audit;
pub mod optimal;
pub mod paper;
pub mod schedule;
pub mod simulator;
mod tree;
mod violation;

use super::LogP;
use crate::cost::{Evaluation, Exact, Limits, Published, Simulated};
use crate::error::Error;
use schedule::Schedule;

/// The most processors of a summation that is executed: one takes about 350 bytes, so these 6 GB.
const MAX_EXECUTED: u64 = 1 << 24;

/// The most operands that are really added, whatever the limits: minutes.
const MAX_ADDITIONS: u64 = 1 << 34;

/// A summation of `operands` numbers on `P` processors, the result on processor 0.
///
/// Both are at least 1, which all of these check with [`check_instance`].
pub trait Summation: Sync {
    /// When processor 0 holds the sum, in time units; an addition takes one.
    ///
    /// # Errors
    /// [`Error::Parameter`] for an instance the algorithm does not solve, [`Error::Overflow`] where the time does not
    /// fit in 64 bits.
    fn time(&self, model: LogP, P: u64, operands: u64) -> Result<u64, Error>;

    /// What each processor does, in which order.
    ///
    /// # Errors
    /// As [`Summation::time`].
    fn schedule(&self, model: LogP, P: u32, operands: u64) -> Result<Schedule, Error>;

    /// What the algorithm's paper says of its cost, headline first; nothing by default, nor where there is no time.
    fn published(&self, model: LogP, P: u64, operands: u64) -> Vec<Published> {
        let _ = (model, P, operands);
        Vec::new()
    }
}

/// Checks the size of a summation.
///
/// # Errors
/// [`Error::Parameter`] without a processor or without an operand.
pub fn check_instance(P: u64, operands: u64) -> Result<(), Error> {
    if P == 0 {
        return Err(Error::parameter(
            "P",
            0,
            "expected at least 1, for processor 0 holds the sum; write 1 to add alone",
        ));
    }
    if operands == 0 {
        return Err(Error::parameter(
            "operands",
            0,
            "expected at least 1, for nothing has no sum; write 1 for a sum that needs no addition",
        ));
    }
    Ok(())
}

/// Whether a summation of this size is executed.
pub(crate) fn is_simulated(P: u64, operands: u64, limits: &Limits) -> bool {
    executable(P, operands, limits).is_ok()
}

/// The processors in the numbers of a schedule, or why it is not executed.
fn executable(P: u64, operands: u64, limits: &Limits) -> Result<u32, String> {
    let most = limits.nodes.min(MAX_EXECUTED);
    let processors = u32::try_from(P).ok().filter(|_| P <= most);
    let processors = processors.ok_or_else(|| format!("P = {P} is above the {most} processors that are simulated"))?;
    let most = limits.hops.min(MAX_ADDITIONS);
    if operands > most {
        return Err(format!("operands = {operands} is above the {most} that are added one by one"));
    }
    Ok(processors)
}

/// Evaluates a summation at one point: the optimal time, the published figures, the analytic time and, within the
/// limits, the simulated one.
pub(crate) fn evaluate(
    algorithm: &dyn Summation,
    model: LogP,
    P: u64,
    operands: u64,
    limits: &Limits,
) -> Result<Evaluation, Error> {
    check_instance(P, operands)?;
    let analytic = Some(Exact::Integer(algorithm.time(model, P, operands)?));
    let simulated = match executable(P, operands, limits) {
        Ok(P) => {
            let schedule = algorithm.schedule(model, P, operands)?;
            Simulated::Exact(simulator::execute(model, &schedule)?.finish)
        }
        Err(reason) => Simulated::Skipped(reason),
    };
    Ok(Evaluation {
        lower_bound: Exact::Integer(optimal::time(model, P, operands)?),
        published: algorithm.published(model, P, operands),
        analytic,
        simulated,
    })
}

/// `g' = max(g, o+1)`: what separates the partial sums that a processor takes in, in time units.
#[must_use]
pub fn gap(model: LogP) -> u64 {
    model.g().max(model.o().saturating_add(1))
}

/// The machine whose broadcast trees, read backwards, are the summation trees: `D()` is D', `gap()` is g' of the
/// module. `None` where D' does not fit in 64 bits.
fn backwards(model: LogP) -> Option<LogP> {
    LogP::new(model.L().checked_add(1)?, model.o(), gap(model)).ok()
}

/// The least number in `low..=high` that is large enough, where all above it are, too, and `high` is.
fn least(mut low: u64, mut high: u64, enough: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Agreement;
    use crate::logp::summation::optimal::SummationOptimal;
    use crate::logp::summation::paper::SummationPaper;

    const ALGORITHMS: [&dyn Summation; 2] = [&SummationPaper, &SummationOptimal];

    #[test]
    fn an_evaluation_holds_what_is_known() {
        let model = LogP::new(5, 2, 4).unwrap();
        for (algorithm, cost, claims) in [(ALGORITHMS[0], 30, 2), (ALGORITHMS[1], 29, 0)] {
            let evaluation = evaluate(algorithm, model, 7, 83, &Limits::default()).unwrap();
            assert_eq!(
                (evaluation.lower_bound.clone(), evaluation.analytic.clone()),
                (Exact::Integer(29), Some(Exact::Integer(cost)))
            );
            assert_eq!(evaluation.simulated, Simulated::Exact(cost));
            assert_eq!((evaluation.agreement(), evaluation.published.len()), (Agreement::Agree, claims));
        }
    }

    #[test]
    fn what_is_too_large_is_not_executed() {
        let model = LogP::new(5, 2, 4).unwrap();
        let limits = Limits { nodes: 7, hops: 100 };
        for (P, operands, reason) in [(8, 100, "P = 8 is above the 7"), (7, 101, "operands = 101 is above the 100")] {
            assert!(!is_simulated(P, operands, &limits) && is_simulated(7, 100, &limits));
            for algorithm in ALGORITHMS {
                let evaluation = evaluate(algorithm, model, P, operands, &limits).unwrap();
                assert!(matches!(evaluation.simulated, Simulated::Skipped(why) if why.starts_with(reason)));
            }
        }
        let huge = Limits { nodes: u64::MAX, hops: u64::MAX };
        assert!(!is_simulated(MAX_EXECUTED + 1, 1, &huge) && !is_simulated(1, MAX_ADDITIONS + 1, &huge));
    }

    #[test]
    fn an_instance_has_a_processor_and_an_operand() {
        let model = LogP::new(5, 2, 4).unwrap();
        for (P, operands, symbol) in [(0, 5, "P"), (5, 0, "operands"), (0, 0, "P")] {
            let refused = |error: Error| matches!(error, Error::Parameter { symbol: which, .. } if which == symbol);
            assert!(refused(check_instance(P, operands).unwrap_err()));
            for algorithm in ALGORITHMS {
                assert!(refused(algorithm.time(model, P, operands).unwrap_err()));
                assert!(refused(algorithm.schedule(model, P.try_into().unwrap(), operands).unwrap_err()));
                assert!(refused(evaluate(algorithm, model, P, operands, &Limits::default()).unwrap_err()));
                assert!(algorithm.published(model, P, operands).is_empty());
            }
        }
    }
}
