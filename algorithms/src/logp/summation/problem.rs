//! Summation under LogP as a problem: one algorithm at one point, in all three ways.

use super::{Summation, check_instance, optimal, simulator};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use crate::logp::LogP;

/// The most processors of a summation that is executed: one takes about 350 bytes, so these 6 GB.
const MAX_EXECUTED: u64 = 1 << 24;

/// The most operands that are really added, whatever the limits: minutes.
const MAX_ADDITIONS: u64 = 1 << 34;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Agreement;
    use crate::logp::summation::optimal::SummationOptimal;
    use crate::logp::summation::paper::SummationPaper;
    use crate::logp::summation::schedule::Schedule;
    use crate::logp::summation::simulator::Violation;

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

    /// Takes one time unit by its formula; its schedule adds nothing.
    struct Wrong;

    impl Summation for Wrong {
        fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: LogP, _: u32, operands: u64) -> Result<Schedule, Error> {
            let mut schedule = Schedule::default();
            schedule.push(operands, []);
            Ok(schedule)
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let left = Violation::NotAdded { processor: 0, left: 4 };
        let found = evaluate(&Wrong, LogP::new(6, 2, 4).unwrap(), 1, 5, &Limits::default());
        assert_eq!(found, Err(left.into()));
    }
}
