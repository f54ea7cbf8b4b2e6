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
    let mut order = Order { marks: vec![0; mesh.nodes().div_ceil(64) as usize], labels: Vec::new() };
    let mut walker = Walker::new(mesh);
    let mut routes = Routes::default();
    // Each destination is entered through a link of its own, so K links are the fewest.
    let range = algorithm.most_links(mesh, K).saturating_sub(K.into());
    let mut sample = Sample { trials: sampling.trials, total: 0, total_of_squares: 0, range };
    for _ in 0..sampling.trials {
        let (source_label, destinations) = draws.next();
        let destinations = order.of(destinations);
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

/// Destinations in the order of their labels, in which most algorithms visit them.
struct Order {
    /// A bit for each node.
    marks: Vec<u64>,
    labels: Vec<u32>,
}

impl Order {
    /// The same labels, sorted: twice as fast as comparing them.
    fn of(&mut self, labels: &[u32]) -> &[u32] {
        for &label in labels {
            self.marks[label as usize / 64] |= 1 << (label % 64);
        }
        self.labels.clear();
        for (first, mark) in (0..).step_by(64).zip(&mut self.marks) {
            while *mark != 0 {
                self.labels.push(first + mark.trailing_zeros());
                *mark &= *mark - 1;
            }
        }
        &self.labels
    }
}
