//! Multicast with worms as a problem: one scheme at one point, in all three ways.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::simulator::Simulator;
use super::{Scheme, Setting};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use crate::mesh::draws::Draws;

/// Evaluates a scheme at one point: the mean over the drawn multicasts of the lower bound, of the formula where there is
/// one for one multicast alone, and of the simulated time.
pub(crate) fn evaluate(scheme: &dyn Scheme, setting: &Setting, limits: &Limits) -> Result<Evaluation, Error> {
    let K = setting.check()?;
    let skipped = too_much(scheme, setting, K, limits);
    let &Setting { mesh, ports, multicasts, timing, sampling, .. } = setting;
    let mut draws = Draws::new(mesh, K, sampling.seed);
    let mut simulator = Simulator::new(mesh, timing, ports);
    let (mut bound, mut simulated) = (0u128, 0u128);
    let mut analytic = (multicasts == 1).then_some(0u128);
    for _ in 0..sampling.trials {
        simulator.clear();
        let mut farthest = 0;
        for _ in 0..multicasts {
            let (source, destinations) = draws.next();
            let hops = destinations.iter().map(|&node| mesh.distance(source, node)).max();
            farthest = farthest.max(hops.map_or(0, |hops| timing.undisturbed(hops.into())));
            analytic = analytic.and_then(|sum| {
                let time = scheme.time(mesh, timing, ports, source, destinations)?;
                Some(sum + u128::from(time))
            });
            if skipped.is_none() {
                simulator.add(source, destinations, &scheme.worms(mesh, source, destinations))?;
            }
        }
        bound += u128::from(farthest);
        if skipped.is_none() {
            simulated += u128::from(simulator.run()?);
        }
    }
    let mean = |total: u128| Exact::from(BigRational::new(BigInt::from(total), BigInt::from(sampling.trials)));
    Ok(Evaluation {
        lower_bound: mean(bound),
        published: Vec::new(),
        analytic: analytic.map(mean),
        simulated: match skipped {
            Some(reason) => Simulated::Skipped(reason),
            None => Simulated::ExactMean(mean(simulated)),
        },
    })
}

/// Whether a point is simulated.
pub(crate) fn is_simulated(scheme: &dyn Scheme, setting: &Setting, limits: &Limits) -> bool {
    setting.check().is_ok_and(|K| too_much(scheme, setting, K, limits).is_none())
}

/// Why a point is not simulated, if it is not.
fn too_much(scheme: &dyn Scheme, setting: &Setting, K: u32, limits: &Limits) -> Option<String> {
    let worms = u128::from(setting.sampling.trials) * u128::from(setting.multicasts);
    let hops = worms * u128::from(scheme.most_hops(setting.mesh, K).max(1));
    (hops > u128::from(limits.hops))
        .then(|| format!("the worms of all trials may take {hops} hops, above the {} that are simulated", limits.hops))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Sampling;
    use crate::mesh::labelling::Mesh;
    use crate::mesh::wormhole::simulator::Violation;
    use crate::mesh::wormhole::{Timing, Worm};

    /// Takes one time unit by its formula; sends no worm.
    struct Wrong;

    impl Scheme for Wrong {
        fn worms(&self, _: Mesh, _: u32, _: &[u32]) -> Vec<Worm> {
            Vec::new()
        }

        fn time(&self, _: Mesh, _: Timing, _: u64, _: u32, _: &[u32]) -> Option<u64> {
            Some(1)
        }

        fn most_hops(&self, _: Mesh, _: u32) -> u64 {
            1
        }
    }

    #[test]
    fn rejected_worms_are_an_error() {
        let (mesh, timing) = (Mesh::new(3, 3).unwrap(), Timing::new(1, 1, 1, 1).unwrap());
        let sampling = Sampling { trials: 3, seed: 1 };
        let setting = Setting { mesh, K: 2, ports: 1, multicasts: 1, timing, sampling };
        let missed = evaluate(&Wrong, &setting, &Limits::default()).unwrap_err();
        assert!(matches!(missed.violation(), Some(Violation::Destinations(_))), "{missed:?}");
    }
}
