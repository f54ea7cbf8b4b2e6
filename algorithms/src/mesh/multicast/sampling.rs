//! Monte Carlo over random multicasts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::Routing;
use super::walk::{Routes, Walker};
use crate::cost::Sample;
use crate::mesh::Sampling;
use crate::mesh::draws::Draws;
use crate::mesh::labelling::Mesh;
use crate::violation::{Rule, Violation};

/// Draws `sampling.trials` multicasts to K destinations, walks the routes of each and sums the links.
///
/// # Errors
/// Routes that break a rule, or that cross another number of links than the algorithm's formula for that multicast.
pub(super) fn run(
    algorithm: &dyn Routing,
    mesh: Mesh,
    K: u32,
    sampling: Sampling,
) -> Result<Sample, Violation> {
    // Each destination is entered through its own link, so there are at least K links.
    let range = algorithm.most_links(mesh, K).saturating_sub(K.into());
    let mut sample = Sample {
        trials: sampling.trials,
        total: 0,
        total_of_squares: 0,
        range,
    };
    let (mut walker, mut routes) = (Walker::new(mesh), Routes::default());
    let mut try_out = |source_label: u32, destinations: &[u32]| {
        routes.clear();
        let formula = algorithm.route(mesh, source_label, destinations, &mut routes);
        let walked = walker.walk(source_label, destinations, &routes)?;
        let text = || {
            format!(
                "walking crosses {walked} links from source {source_label}, the formula says {formula}"
            )
        };
        Rule::Differs.unless(walked == formula, text)?;
        sample.total += u128::from(walked);
        sample.total_of_squares += u128::from(walked) * u128::from(walked);
        Ok(())
    };
    if let Some(drawn) = Drawn::shared(mesh, K, sampling) {
        drawn.each(&mut try_out)?;
    } else {
        let mut draws = Draws::new(mesh, K, sampling.seed);
        let mut drawn = Drawn::none(mesh);
        for _ in 0..sampling.trials {
            drawn.clear();
            drawn.add(draws.next());
            drawn.each(&mut try_out)?;
        }
    }
    Ok(sample)
}

/// Most bytes of the multicasts of a point that are kept for the next algorithm.
const MOST_SHARED: u64 = 1 << 19;
/// Most points whose draws are kept. A sweep evaluates all points of one algorithm before the next.
const POINTS: usize = 128;

/// Points and their draws, the latest first. All algorithms get the same multicasts, and drawing them takes a fifth of the time.
static SHARED: Mutex<VecDeque<(Drawing, Arc<Drawn>)>> = Mutex::new(VecDeque::new());

/// What the draws depend on.
type Drawing = (Mesh, u32, Sampling);

/// Random multicasts.
struct Drawn {
    sources: Vec<u32>,
    /// For each multicast a bit per destination: reading them in the order of labels is twice as fast as sorting.
    marks: Vec<u64>,
    /// Words of a multicast.
    words: usize,
}

impl Drawn {
    fn none(mesh: Mesh) -> Self {
        Self {
            sources: Vec::new(),
            marks: Vec::new(),
            words: mesh.nodes().div_ceil(64) as usize,
        }
    }

    /// All multicasts of a point; none where they are too many to be kept.
    fn shared(mesh: Mesh, K: u32, sampling: Sampling) -> Option<Arc<Self>> {
        let point = (mesh, K, sampling);
        let mut drawn = Self::none(mesh);
        let bytes = sampling.trials.checked_mul(8 * drawn.words as u64 + 4);
        bytes.filter(|&bytes| bytes <= MOST_SHARED)?;
        let shared = || SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, drawn)) = shared().iter().find(|(other, _)| *other == point) {
            return Some(Arc::clone(drawn));
        }
        let mut draws = Draws::new(mesh, K, sampling.seed);
        for _ in 0..sampling.trials {
            drawn.add(draws.next());
        }
        let drawn = Arc::new(drawn);
        let mut shared = shared();
        shared.truncate(POINTS - 1);
        shared.push_front((point, Arc::clone(&drawn)));
        Some(drawn)
    }

    fn clear(&mut self) {
        self.sources.clear();
        self.marks.clear();
    }

    fn add(&mut self, (source, destinations): (u32, &[u32])) {
        self.sources.push(source);
        let first = self.marks.len();
        self.marks.resize(first + self.words, 0);
        for &label in destinations {
            self.marks[first + label as usize / 64] |= 1 << (label % 64);
        }
    }

    /// Calls `tell` with the source of each multicast and its destinations in order.
    fn each(
        &self,
        mut tell: impl FnMut(u32, &[u32]) -> Result<(), Violation>,
    ) -> Result<(), Violation> {
        let mut labels = Vec::new();
        for (&source, marks) in self.sources.iter().zip(self.marks.chunks_exact(self.words)) {
            labels.clear();
            for (first, &mark) in (0..).step_by(64).zip(marks) {
                let mut mark = mark;
                while mark != 0 {
                    labels.push(first + mark.trailing_zeros());
                    mark &= mark - 1;
                }
            }
            tell(source, &labels)?;
        }
        Ok(())
    }
}
