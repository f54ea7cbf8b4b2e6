//! Monte Carlo over random multicasts.

use super::Multicast;
use super::walk::{Routes, Violation, Walker};
use crate::cost::Sample;
use crate::mesh::Sampling;
use crate::mesh::draws::Draws;
use crate::mesh::labelling::Mesh;

/// Draws `sampling.trials` multicasts to K destinations, walks the routes of each and totals the links.
///
/// # Errors
/// Routes that break a rule, or that cross another number of links than the algorithm's formula gives
/// for that very multicast.
pub(super) fn run(algorithm: &dyn Multicast, mesh: Mesh, K: u32, sampling: Sampling) -> Result<Sample, Violation> {
    let mut draws = Draws::new(mesh, K, sampling.seed);
    let mut walker = Walker::new(mesh);
    let mut routes = Routes::default();
    // Each destination is entered through a link of its own, so K links are the fewest.
    let range = algorithm.most_links(mesh, K).saturating_sub(K.into());
    let mut sample = Sample { trials: sampling.trials, total: 0, total_of_squares: 0, range };
    for _ in 0..sampling.trials {
        let (source_label, destinations) = draws.next();
        routes.clear();
        algorithm.route(mesh, source_label, destinations, &mut routes);
        let walked = walker.walk(source_label, destinations, &routes)?;
        let formula = algorithm.links(mesh, source_label, destinations);
        if walked != formula {
            return Err(Violation::Count { walked, formula, source_label });
        }
        sample.total += u128::from(walked);
        sample.total_of_squares += u128::from(walked) * u128::from(walked);
    }
    Ok(sample)
}
