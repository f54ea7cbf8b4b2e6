//! The benches: each algorithm of the catalogue, one large point by formula and one small point executed.

use std::hint::black_box;

use algorithms::catalogue::{self, ALGORITHMS, Entry, Point, Problem};
use algorithms::cost::{Evaluation, Limits};
use algorithms::error::Error;
use algorithms::logp::LogP;
use algorithms::logp::pipeline::{Instance, Machine};
use algorithms::mesh::Sampling;
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::wormhole::{Setting, Timing};

/// What of an algorithm is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The cost by formula with its lower bound and published figures, at a point far too large to execute.
    Analytic,
    /// The same, and the schedule made, executed and audited, at a point that takes about a millisecond.
    Simulated,
}

impl Way {
    /// Both, in the order of their names.
    pub const ALL: [Self; 2] = [Self::Analytic, Self::Simulated];

    /// The second half of a bench's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Analytic => "analytic",
            Self::Simulated => "simulated",
        }
    }
}

/// One bench.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The algorithm.
    pub entry: &'static Entry,
    /// What of it is run.
    pub way: Way,
    /// Where.
    pub point: Point,
}

impl Case {
    /// `algorithm/way`, which stays when the catalogue grows.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.entry.name, self.way.name())
    }

    /// The bench of this name. It makes no other, so that what is allocated does not grow with the catalogue.
    ///
    /// # Errors
    /// In words, where there is none.
    pub fn find(name: &str) -> Result<Self, String> {
        let (entry, way) = name
            .split_once('/')
            .and_then(|(entry, way)| Some((catalogue::find(entry)?, Way::ALL.into_iter().find(|w| w.name() == way)?)))
            .ok_or_else(|| {
                format!("no bench `{name}`; a bench is an algorithm of `castbench list`, /analytic or /simulated")
            })?;
        case(entry, way).map_err(|error| error.to_string())
    }

    /// Runs it once.
    ///
    /// # Errors
    /// Those of [`Entry::evaluate`].
    pub fn run(&self) -> Result<Evaluation, Error> {
        let limits = match self.way {
            Way::Analytic => Limits { nodes: 0, hops: 0 },
            Way::Simulated => Limits::default(),
        };
        black_box(self.entry).evaluate(black_box(&self.point), black_box(&limits))
    }
}

/// All benches, in the order of the catalogue.
///
/// # Errors
/// What an algorithm takes instead, where it takes none of its problem's points: add one to the list.
pub fn cases() -> Result<Vec<Case>, Error> {
    ALGORITHMS.iter().flat_map(|entry| Way::ALL.map(|way| case(entry, way))).collect()
}

/// The first point that the algorithm takes.
fn case(entry: &'static Entry, way: Way) -> Result<Case, Error> {
    let mut refused = Error::WrongProblem { algorithm: entry.name };
    for point in points(entry.problem(), way)? {
        match entry.check(&point) {
            Ok(()) => return Ok(Case { entry, way, point }),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

/// Where the algorithms of a problem are run: the first of these that they take.
fn points(problem: Problem, way: Way) -> Result<Vec<Point>, Error> {
    Ok(match (problem, way) {
        // Coprime parameters far apart, which no table serves; the chain's cost just fits in 64 bits.
        (Problem::LogpMulticast, Way::Analytic) => {
            let model = LogP::new(1_000_003, 17, 65_537)?;
            vec![Point::LogpMulticast { model, K: 999_999_999_989, source: 333_333_333_329 }]
        }
        (Problem::LogpMulticast, Way::Simulated) => {
            vec![Point::LogpMulticast { model: LogP::new(6, 2, 4)?, K: 5000, source: 1667 }]
        }
        // Operands enough to keep every processor busy: with fewer the paper's tree has no answer.
        (Problem::LogpSummation, Way::Analytic) => {
            let model = LogP::new(1_000_003, 17, 65_537)?;
            vec![Point::LogpSummation { model, P: 1_000_000_000_000, operands: 10_000_000_000_000_000_000 }]
        }
        (Problem::LogpSummation, Way::Simulated) => {
            vec![Point::LogpSummation { model: LogP::new(5, 2, 4)?, P: 2000, operands: 50_000 }]
        }
        (Problem::MeshMulticast, way) => {
            let (side, K) = if way == Way::Analytic { (64, 1000) } else { (8, 16) };
            vec![Point::MeshMulticast { mesh: Mesh::new(side, side)?, K, sampling: Sampling { trials: 1000, seed: 1 } }]
        }
        // Two of the algorithms state a cost as far as it was checked.
        (Problem::MeshGossip, Way::Analytic) => [4_000_000_000, 128].map(|n| Point::MeshGossip { n }).to_vec(),
        (Problem::MeshGossip, Way::Simulated) => vec![Point::MeshGossip { n: 16 }],
        // Powers of four, for who needs a power of k+1; one port, for who has no more.
        (Problem::KPortBroadcast, Way::Analytic) => {
            [3, 1].map(|k| Point::KPortBroadcast { n: 1 << 40, k, m: 1_000_003 }).to_vec()
        }
        (Problem::KPortBroadcast, Way::Simulated) => {
            [3, 1].map(|k| Point::KPortBroadcast { n: 1024, k, m: 32 }).to_vec()
        }
        // Parameters near each other, for the optimal tree has few kinds of parts there; then a segment for each node, for who needs that.
        (Problem::PipelinedBroadcast, way) => {
            let machine = Machine::Words(LogP::new(6, 2, 4)?);
            let instances = match way {
                Way::Analytic => [(1 << 40, 1 << 20, 1000), (1 << 20, 1 << 40, 1 << 20)],
                Way::Simulated => [(128, 1000, 16), (64, 1024, 64)],
            };
            let point = |(K, n, m)| Point::PipelinedBroadcast { machine, instance: Instance { K, n, k: 2, m } };
            instances.map(point).to_vec()
        }
        (Problem::WormholeMulticast, way) => {
            let (side, K, trials) = if way == Way::Analytic { (64, 1000, 1) } else { (8, 16, 20) };
            let (mesh, timing) = (Mesh::new(side, side)?, Timing::new(100, 2, 1, 64)?);
            let sampling = Sampling { trials, seed: 1 };
            vec![Point::WormholeMulticast(Setting { mesh, K, ports: 1, multicasts: 1, timing, sampling })]
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use algorithms::cost::{Agreement, Simulated};

    use super::*;

    #[test]
    fn every_algorithm_is_run_both_ways_and_answers() {
        let cases = cases().unwrap();
        let names: BTreeSet<_> = cases.iter().map(Case::name).collect();
        assert_eq!(names.len(), 2 * ALGORITHMS.len());
        for case in cases {
            assert_eq!(Case::find(&case.name()).unwrap().point, case.point, "{}", case.name());
            let evaluation = case.run().unwrap_or_else(|error| panic!("{}: {error}", case.name()));
            let skipped = matches!(evaluation.simulated, Simulated::Skipped(_));
            assert_eq!(skipped, case.way == Way::Analytic, "{}", case.name());
            assert_ne!(evaluation.agreement(), Agreement::Differ, "{}", case.name());
        }
    }

    #[test]
    fn a_bench_has_an_algorithm_and_a_way() {
        for name in ["", "halving", "halving/", "halving/fast", "nobody/analytic"] {
            assert!(Case::find(name).unwrap_err().starts_with("no bench"), "{name}");
        }
    }
}
