//! Gossip on a mesh as a problem: one algorithm at one point, in all three ways.

use super::{Gossip, check_side, lower_bound, simulator, theorem_1};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;

/// Whether a mesh of this side is simulated.
pub(crate) fn is_simulated(algorithm: &dyn Gossip, n: u64, limits: &Limits) -> bool {
    check_side(n).is_ok_and(|n| too_much(algorithm, n, limits).is_none())
}

/// Evaluates a gossip at one point: the lower bound, the published figures, the steps by formula and, up to
/// `limits.hops` transfers, those of its executed schedule.
pub(crate) fn evaluate(algorithm: &dyn Gossip, n: u64, limits: &Limits) -> Result<Evaluation, Error> {
    let n = check_side(n)?;
    let analytic = algorithm.steps(n)?;
    let simulated = if let Some(reason) = too_much(algorithm, n, limits) {
        Simulated::Skipped(reason)
    } else {
        Simulated::Exact(simulator::simulate(n, algorithm.schedule(n)?.as_mut())?.steps)
    };
    Ok(Evaluation {
        lower_bound: Exact::Integer(lower_bound(n)),
        published: algorithm.published(n).into_iter().chain(theorem_1(n)).collect(),
        analytic: Some(Exact::Integer(analytic)),
        simulated,
    })
}

/// Why a mesh of this side is not simulated, if it is not.
fn too_much(algorithm: &dyn Gossip, n: u32, limits: &Limits) -> Option<String> {
    let nodes = u128::from(n) * u128::from(n);
    let transfers = nodes * nodes.saturating_sub(1);
    let most = algorithm.most_side();
    if n > most {
        Some(format!("n = {n} is above the side of {most} up to which this gossip is simulated"))
    } else if transfers > u128::from(limits.hops) {
        Some(format!("gossip at n = {n} takes {transfers} transfers, above the {} that are simulated", limits.hops))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Agreement;
    use crate::mesh::gossip::coupled::Coupled;
    use crate::mesh::gossip::optimal::Optimal;
    use crate::mesh::gossip::simulator::Violation;
    use crate::mesh::gossip::two_phase::TwoPhase;
    use crate::mesh::gossip::{MAX_CHECKED, Steps, Transfer};

    #[test]
    fn bad_sides_are_refused() {
        assert!(matches!(check_side(0), Err(Error::Parameter { symbol: "n", .. })));
        assert!(matches!(check_side(1 << 32), Err(Error::Parameter { symbol: "n", .. })));
        assert_eq!(check_side(u64::from(u32::MAX)), Ok(u32::MAX));
        for algorithm in [&TwoPhase as &dyn Gossip, &Coupled, &Optimal] {
            assert!(evaluate(algorithm, 0, &Limits::default()).is_err());
            assert!(algorithm.steps(0).is_err());
            assert!(algorithm.schedule(0).is_err());
            assert!(algorithm.schedule(algorithm.most_side() + 1).is_err());
        }
    }

    #[test]
    fn a_cost_is_stated_as_far_as_it_is_known() {
        let none = Limits { nodes: 0, hops: u64::MAX };
        let n = u128::from(u32::MAX);
        let evaluation = evaluate(&TwoPhase, u64::from(u32::MAX), &none).unwrap();
        assert_eq!(evaluation.analytic.unwrap().to_string(), ((n * n + 3 * n - 4) / 2).to_string());
        assert_eq!(evaluation.lower_bound.to_string(), (n * (n + 1) / 2).to_string());
        for (algorithm, steps) in [(&Coupled as &dyn Gossip, 128 * 129 / 2 + 63), (&Optimal, 128 * 129 / 2)] {
            assert_eq!(algorithm.steps(MAX_CHECKED), Ok(steps));
            assert!(matches!(algorithm.steps(MAX_CHECKED + 1), Err(Error::Parameter { symbol: "n", .. })));
            assert!(algorithm.schedule(MAX_CHECKED + 1).is_err());
        }
    }

    #[test]
    fn a_point_is_simulated_up_to_the_limit() {
        // 16 * 15 transfers at n = 4.
        for (hops, simulated) in [(239, false), (240, true)] {
            let limits = Limits { nodes: 0, hops };
            assert_eq!(is_simulated(&TwoPhase, 4, &limits), simulated);
            let agreement = evaluate(&TwoPhase, 4, &limits).unwrap().agreement();
            assert_eq!(agreement, if simulated { Agreement::Agree } else { Agreement::NotCompared });
        }
        let limits = Limits { nodes: 0, hops: u64::MAX };
        assert!(is_simulated(&TwoPhase, 256, &limits) && !is_simulated(&TwoPhase, 257, &limits));
        assert!(is_simulated(&Optimal, 128, &limits) && !is_simulated(&Optimal, 129, &limits));
        assert!(!is_simulated(&TwoPhase, 0, &limits) && !is_simulated(&TwoPhase, u64::MAX, &limits));
    }

    /// Takes one step by its formula; its schedule has none.
    struct Wrong;

    impl Gossip for Wrong {
        fn steps(&self, _: u32) -> Result<u64, Error> {
            Ok(1)
        }

        fn schedule(&self, _: u32) -> Result<Box<dyn Steps>, Error> {
            const NOTHING: &[Vec<Transfer>] = &[];
            Ok(Box::new(NOTHING.iter()))
        }
    }

    #[test]
    fn a_rejected_schedule_is_an_error() {
        let missing = Violation::Missing { count: 12, node: 1, message: 0 };
        assert_eq!(evaluate(&Wrong, 2, &Limits::default()), Err(missing.into()));
    }
}
