//! Multicast under LogP as a problem: one tree at one point, in all three ways.

use super::optimal::Neighbours;
use super::simulator::execute;
use super::{Multicast, check_instance};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use crate::logp::LogP;

/// Whether a tree of this size is executed.
pub(crate) fn is_simulated(K: u64, limits: &Limits) -> bool {
    K <= limits.nodes.min(Limits::MAX_NODES)
}

/// [`evaluate_near`] of a point for itself.
pub(crate) fn evaluate(
    algorithm: &dyn Multicast,
    model: LogP,
    K: u64,
    source: u64,
    limits: &Limits,
) -> Result<Evaluation, Error> {
    evaluate_near(algorithm, model, (K, source), limits, &mut Neighbours::default())
}

/// Evaluates a tree at one point, which may be near the points before: the optimal time, the published figures, the analytic time and, up
/// to `limits.nodes`, the simulated one.
pub(crate) fn evaluate_near(
    algorithm: &dyn Multicast,
    model: LogP,
    (K, source): (u64, u64),
    limits: &Limits,
    neighbours: &mut Neighbours,
) -> Result<Evaluation, Error> {
    check_instance(K, source)?;
    let analytic = Some(Exact::Integer(algorithm.time_near(model, K, source, neighbours)?));
    let simulated = match (u32::try_from(K), u32::try_from(source)) {
        (Ok(K32), Ok(source32)) if is_simulated(K, limits) => {
            let schedule = algorithm.schedule(model, K32, source32);
            Simulated::Exact(execute(model, &schedule)?)
        }
        _ => {
            let most = limits.nodes.min(Limits::MAX_NODES);
            Simulated::Skipped(format!("K = {K} is above the {most} nodes that are simulated"))
        }
    };
    Ok(Evaluation {
        lower_bound: Exact::Integer(neighbours.time(model, K)?),
        published: algorithm.published(model, K),
        analytic,
        simulated,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logp::multicast::schedule::Schedule;
    use crate::logp::multicast::simulator::Violation;

    /// Takes one time unit by its formula; its schedule sends nothing.
    struct Wrong;

    impl Multicast for Wrong {
        fn time(&self, _: LogP, _: u64, _: u64) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: LogP, K: u32, source: u32) -> Schedule {
            Schedule::new(K, source, &[])
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let unreached = Violation::Unreached { count: 2, nodes: 3, first: 2 };
        let found = evaluate(&Wrong, LogP::new(6, 2, 4).unwrap(), 3, 1, &Limits::default());
        assert_eq!(found, Err(unreached.into()));
    }
}
