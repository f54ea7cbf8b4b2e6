//! Multicast on a mesh as a problem: one algorithm at one point, in all three ways.

use super::{Multicast, counting, sampling};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use crate::mesh::labelling::Mesh;
use crate::mesh::{Sampling, check_destinations};

/// Evaluates a mesh multicast at one point: lower bound and expectation, exact, and the mean of sampled
/// multicasts whose routes are walked link by link.
pub(crate) fn evaluate(
    algorithm: &dyn Multicast,
    mesh: Mesh,
    K: u64,
    sampling: Sampling,
    limits: &Limits,
) -> Result<Evaluation, Error> {
    let K = check_destinations(mesh, K)?;
    let expectation = algorithm.expected_links(mesh, K);
    let simulated = if let Some(reason) = too_much(algorithm, mesh, K, sampling, limits) {
        Simulated::Skipped(reason)
    } else {
        Simulated::Mean(sampling::run(algorithm, mesh, K, sampling)?)
    };
    Ok(Evaluation {
        lower_bound: Exact::from(counting::lower_bound(mesh, K)),
        published: Vec::new(),
        analytic: expectation.map(Exact::from),
        simulated,
    })
}

/// Whether a point is simulated.
pub(crate) fn is_simulated(algorithm: &dyn Multicast, mesh: Mesh, K: u64, sampling: Sampling, limits: &Limits) -> bool {
    check_destinations(mesh, K).is_ok_and(|K| too_much(algorithm, mesh, K, sampling, limits).is_none())
}

/// Why a point is not simulated, if it is not.
fn too_much(algorithm: &dyn Multicast, mesh: Mesh, K: u32, sampling: Sampling, limits: &Limits) -> Option<String> {
    // A trial without a hop takes its time, too.
    let of_trials = |each: u64| u128::from(each.max(1)) * u128::from(sampling.trials);
    let (hops, steps) = (of_trials(algorithm.most_links(mesh, K)), of_trials(algorithm.steps(mesh, K)));
    let (trials, most) = (sampling.trials, limits.hops);
    if hops > u128::from(most) {
        return Some(format!("{trials} trials may cross {hops} links, above the {most} that are simulated"));
    }
    (steps > u128::from(most)).then(|| {
        format!("{trials} trials take about {steps} steps, above the {most} that are simulated; draw fewer multicasts")
    })
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational;

    use super::*;
    use crate::mesh::multicast::unicast::Unicast;
    use crate::mesh::multicast::walk::{Routes, Violation};

    /// Unicast whose formula has one link too many.
    struct Wrong;

    impl Multicast for Wrong {
        fn expected_links(&self, _: Mesh, _: u32) -> Option<BigRational> {
            None
        }

        fn most_links(&self, _: Mesh, _: u32) -> u64 {
            1
        }

        fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64 {
            Unicast.links(mesh, source, destinations) + 1
        }

        fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes) {
            Unicast.route(mesh, source, destinations, routes);
        }
    }

    #[test]
    fn a_wrong_number_of_links_is_an_error() {
        let sampling = Sampling { trials: 3, seed: 1 };
        let counted = evaluate(&Wrong, Mesh::new(3, 3).unwrap(), 2, sampling, &Limits::default()).unwrap_err();
        let Some(Violation::Count { walked, formula, .. }) = counted.violation() else { panic!("{counted:?}") };
        assert_eq!(walked + 1, *formula);
    }
}
