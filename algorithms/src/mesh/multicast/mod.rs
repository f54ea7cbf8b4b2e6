//! Multicast on a mesh, counted in links.

pub mod broadcast;
pub mod column_path;
mod counting;
pub mod dual_path;
pub mod fixed_path;
pub mod multi_path;
mod sampling;
pub mod steiner;
pub mod unicast;
pub mod walk;
pub mod xy_tree;

use num_rational::BigRational;

use super::labelling::Mesh;
use super::{Sampling, check_destinations};
use crate::cost::{Evaluation, Exact, Limits, Simulated};
use crate::error::Error;
use walk::Routes;

/// A multicast on a mesh. Nodes are their labels on the Hamiltonian snake, from 0.
pub trait Multicast: Sync {
    /// The expected number of links over a uniform source and `K <= w*h - 1` uniform destinations, exactly; `None` where
    /// nobody knows it, so that only sampled multicasts tell.
    fn expected_links(&self, mesh: Mesh, K: u32) -> Option<BigRational>;

    /// No multicast to `K` destinations crosses more links than this.
    fn most_links(&self, mesh: Mesh, K: u32) -> u64;

    /// About how many steps, each about as long as walking over a link, the simulation of one multicast to `K` destinations
    /// takes: its links, where finding them takes no longer.
    fn steps(&self, mesh: Mesh, K: u32) -> u64 {
        self.most_links(mesh, K)
    }

    /// The number of links of one multicast, by formula. `destinations` are distinct and without the source.
    fn links(&self, mesh: Mesh, source: u32, destinations: &[u32]) -> u64;

    /// Where the messages of one multicast go, hop by hop.
    fn route(&self, mesh: Mesh, source: u32, destinations: &[u32], routes: &mut Routes);
}

/// The most links of a multicast that reaches every destination by a shortest path, or as if, and crosses none of its
/// n-1 links into other nodes twice.
fn most_of_short_paths(mesh: Mesh, K: u32) -> u64 {
    (u64::from(K) * u64::from(mesh.w() + mesh.h() - 2)).min(u64::from(mesh.nodes() - 1))
}

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
