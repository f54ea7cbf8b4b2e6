//! The catalogue as a whole: the shorter answers of an entry are parts of its evaluation, at points it takes and at points
//! it refuses, and a point is simulated up to its limits and no further.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use std::collections::{BTreeMap, BTreeSet};

use algorithms::catalogue::{ALGORITHMS, Algorithm, Axis, Entry, Neighbours, Point, Problem, find};
use algorithms::claims::{self, Paper};
use algorithms::cost::{Evaluation, Exact, LARGEST, Limits, Published, Relation, Simulated};
use algorithms::error::Error;
use algorithms::logp::LogP;
use algorithms::logp::loggops::LogGops;
use algorithms::logp::pipeline::{Instance, Machine};
use algorithms::mesh::Sampling;
use algorithms::mesh::labelling::Mesh;
use algorithms::mesh::wormhole::{Setting, Timing};

/// Small points of a problem, with some that its algorithms refuse: nothing of something, or too much of it.
fn points(problem: Problem) -> Vec<Point> {
    let models = [LogP::new(6, 2, 4).unwrap(), LogP::new(3, 5, 2).unwrap()];
    let sampling = Sampling { trials: 3, seed: 1 };
    let mut points = Vec::new();
    match problem {
        Problem::LogpMulticast => {
            for (model, K) in product(&models, &[0, 1, 2, 7, 12]) {
                points.extend([1, K, K + 1].map(|source| Point::LogpMulticast { model, K, source }));
            }
        }
        Problem::LogpSummation => {
            for (model, P) in product(&models, &[0, 1, 2, 7]) {
                points.extend([0, 1, 5, 40].map(|operands| Point::LogpSummation { model, P, operands }));
            }
        }
        Problem::MeshMulticast => {
            let mesh = Mesh::new(4, 3).unwrap();
            points.extend([0, 1, 5, 11, 12].map(|K| Point::MeshMulticast { mesh, K, sampling }));
        }
        Problem::MeshGossip => points.extend((0..8).chain([1 << 40]).map(|n| Point::MeshGossip { n })),
        Problem::KPortBroadcast => {
            for (n, k) in product(&[0, 1, 2, 5, 8, 14], &[0, 1, 3]) {
                points.extend([0, 1, 6].map(|m| Point::KPortBroadcast { n, k, m }));
            }
        }
        Problem::PipelinedBroadcast => {
            let profile = LogGops { L: 100, o: 5, g: 7, G: 2_000, O: 100, H: 0 };
            let machines = [Machine::LogP(models[0]), Machine::Words(models[1]), Machine::LogGops(profile)];
            for (machine, K) in product(&machines, &[0, 1, 2, 8]) {
                for (k, m) in product(&[0, 1, 2], &[0, 1, 5]) {
                    points.push(Point::PipelinedBroadcast { machine, instance: Instance { K, n: 16, k, m } });
                }
            }
        }
        Problem::WormholeMulticast => {
            let (mesh, timing) = (Mesh::new(4, 3).unwrap(), Timing::new(2, 3, 2, 4).unwrap());
            for (K, ports) in product(&[0, 1, 5, 11, 12], &[0, 1, 2]) {
                points.extend([0, 1, 2].map(|multicasts| {
                    Point::WormholeMulticast(Setting { mesh, K, ports, multicasts, timing, sampling })
                }));
            }
        }
    }
    points
}

/// What papers state, word by word, and its values at these points.
#[test]
fn what_papers_state_of_each_algorithm() {
    let mut stated: BTreeMap<String, Vec<u128>> = BTreeMap::new();
    for entry in ALGORITHMS {
        for point in points(entry.problem()) {
            let Ok(evaluation) = entry.evaluate(&point, &Limits::default()) else { continue };
            for Published { place, formula, relation, value } in evaluation.published {
                let what = format!("{}, {place}: {formula} {}", entry.name, relation.symbol());
                stated.entry(what).or_default().push(value);
            }
        }
    }
    let lines = stated.iter().map(|(what, values)| format!("{what} {values:?}\n"));
    insta::assert_snapshot!(lines.collect::<String>());
}

fn product<A: Copy, B: Copy>(a: &[A], b: &[B]) -> Vec<(A, B)> {
    a.iter().flat_map(|&a| b.iter().map(move |&b| (a, b))).collect()
}

/// Which nodes and hops a point needs to be simulated, as the pages of the problems say; those it does not count are 0.
fn needs(entry: &Entry, point: &Point) -> (u64, u64) {
    match (entry.algorithm, *point) {
        (_, Point::LogpMulticast { K, .. }) => (K, 0),
        (_, Point::LogpSummation { P, operands, .. }) => (P, operands),
        (Algorithm::MeshMulticast(algorithm), Point::MeshMulticast { mesh, K, sampling }) => {
            let K = u32::try_from(K).unwrap();
            let each = algorithm.most_links(mesh, K).max(algorithm.steps(mesh, K)).max(1);
            (0, each * sampling.trials)
        }
        (_, Point::MeshGossip { n }) => (0, n * n * (n * n - 1)),
        (_, Point::KPortBroadcast { n, m, .. }) => (n, m * (n - 1)),
        (_, Point::PipelinedBroadcast { instance, .. }) => {
            (instance.K, instance.cut().segments * (instance.K - 1).max(1))
        }
        (Algorithm::WormholeMulticast(scheme), Point::WormholeMulticast(setting)) => {
            let most = scheme.most_hops(setting.mesh, u32::try_from(setting.K).unwrap());
            (0, setting.sampling.trials * setting.multicasts * most.max(1))
        }
        _ => unreachable!("the points are those of the problem"),
    }
}

/// Holds one entry at one point and these limits: the parts against the whole. Whether it is simulated.
fn hold(entry: &Entry, point: &Point, limits: &Limits) -> Option<bool> {
    let what = || format!("{} at {point:?} within {limits:?}", entry.name);
    let analytic = entry.analytic(point, &mut Neighbours::default());
    let takes = entry.check(point);
    match entry.evaluate(point, limits) {
        Ok(Evaluation { analytic: cost, simulated, .. }) => {
            assert_eq!((analytic, takes), (Ok(cost), Ok(())), "{}", what());
            let is_simulated = !matches!(simulated, Simulated::Skipped(_));
            assert_eq!(entry.simulates(point, limits), is_simulated, "{}", what());
            Some(is_simulated)
        }
        Err(error) => {
            assert!(matches!(error, Error::Parameter { .. }), "{}: {error}", what());
            assert_eq!(analytic, Err(error.clone()), "{}", what());
            if matches!(
                entry.problem(),
                Problem::LogpSummation | Problem::MeshGossip | Problem::KPortBroadcast | Problem::PipelinedBroadcast
            ) {
                assert_eq!(takes, Err(error), "{}", what());
            }
            None
        }
    }
}

#[test]
fn the_parts_of_an_answer_are_those_of_the_whole() {
    let nothing = Limits { nodes: 0, hops: 0 };
    for entry in ALGORITHMS {
        let (mut taken, mut refused, mut longer) = (0, 0, 0);
        for point in points(entry.problem()) {
            let Some(is_simulated) = hold(entry, &point, &Limits::default()) else {
                refused += 1;
                continue;
            };
            assert!(is_simulated, "{} at {point:?}", entry.name);
            taken += 1;
            let [least, effort] = [nothing, Limits::default()].map(|limits| entry.effort(&point, &limits));
            assert!(effort >= least && least > 0, "{} at {point:?}", entry.name);
            longer += u64::from(effort > least);
        }
        let counts = format!("{}: {taken} points taken, {refused} refused, {longer} longer", entry.name);
        assert!(taken > 3 && refused > 0 && longer > 3, "{counts}");
    }
}

/// At what it needs a point is simulated; with a node or a hop less it is not, and where it counts neither, always.
#[test]
fn a_point_is_simulated_up_to_its_limits() {
    for entry in ALGORITHMS {
        for point in points(entry.problem()) {
            if entry.evaluate(&point, &Limits { nodes: 0, hops: 0 }).is_err() {
                continue;
            }
            let (nodes, hops) = needs(entry, &point);
            assert_eq!(hold(entry, &point, &Limits { nodes, hops }), Some(true), "{} at {point:?}", entry.name);
            let less = |count: u64| count.checked_sub(1);
            for limits in [
                less(nodes).map(|nodes| Limits { nodes, hops: u64::MAX }),
                less(hops).map(|hops| Limits { nodes: u64::MAX, hops }),
            ] {
                let simulated = limits.map(|limits| hold(entry, &point, &limits));
                assert_ne!(simulated, Some(Some(true)), "{} at {point:?} within {limits:?}", entry.name);
            }
        }
    }
}

/// What costs more is refused, simulated or not.
#[test]
fn the_largest_cost_is_the_same_for_all() {
    for (entry, L) in product(ALGORITHMS, &[LARGEST, LARGEST + 1, u64::MAX]) {
        // Nobody waits for the gap.
        let model = LogP::new(L, 0, L / 2).unwrap();
        let point = match entry.problem() {
            Problem::LogpMulticast => Point::LogpMulticast { model, K: 2, source: 1 },
            Problem::PipelinedBroadcast => Point::PipelinedBroadcast {
                machine: Machine::LogP(model),
                instance: Instance { K: 2, n: 1, k: 1, m: 1 },
            },
            _ => continue,
        };
        // Some take three nodes and more.
        if matches!(entry.evaluate(&point, &Limits::default()), Err(Error::Parameter { .. })) {
            continue;
        }
        let expected = if L <= LARGEST { Ok(Some(Exact::Integer(L))) } else { Err(Error::Overflow) };
        for limits in [Limits::default(), Limits { nodes: 0, hops: 0 }] {
            let cost = entry.evaluate(&point, &limits).map(|evaluation| evaluation.analytic);
            assert_eq!(cost, expected, "{} at {point:?}", entry.name);
        }
        assert_eq!(entry.analytic(&point, &mut Neighbours::default()), expected, "{} at {point:?}", entry.name);
    }
}

#[test]
fn a_point_of_another_problem_is_refused() {
    for entry in ALGORITHMS {
        for problem in Problem::ALL.into_iter().filter(|problem| *problem != entry.problem()) {
            let point = &points(problem)[points(problem).len() / 2];
            let limits = Limits::default();
            let refused = Error::WrongProblem { algorithm: entry.name };
            assert_eq!(entry.analytic(point, &mut Neighbours::default()).err(), Some(refused.clone()));
            assert_eq!(entry.evaluate(point, &limits).err(), Some(refused));
            assert!(!entry.simulates(point, &limits), "{} and {point:?}", entry.name);
        }
    }
}

#[test]
fn every_entry_says_who_it_is() {
    for (rank, entry) in ALGORITHMS.iter().enumerate() {
        assert_eq!(entry.rank(), rank, "{}", entry.name);
        assert_eq!(find(entry.name).map(|found| found.name), Some(entry.name));
        assert_eq!(format!("{entry:?}"), format!("Entry {{ name: {:?}, .. }}", entry.name));
        let axes = entry.axes();
        assert!(!axes.is_empty() && axes.iter().all(|axis| Axis::ALL.contains(axis)), "{}", entry.name);
        assert!(!entry.summary.is_empty() && !entry.paper.is_empty() && !entry.place.is_empty(), "{}", entry.name);
        assert!(entry.revision > 0 && entry.step_ns > 0, "{}", entry.name);
    }
    assert_eq!(Entry { name: "none of them", ..ALGORITHMS[0] }.rank(), usize::MAX);
    let all_different = |names: Vec<&str>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    assert!(all_different(ALGORITHMS.iter().map(|entry| entry.name).collect()));
    assert!(all_different(Problem::ALL.map(Problem::slug).to_vec()));
    assert!(all_different(Paper::ALL.map(Paper::slug).to_vec()));
    let axes = ["L", "o", "g", "K", "n", "k", "m", "P", "operands", "t_s", "t_h", "t_f", "flits"];
    assert_eq!(Axis::ALL.map(Axis::symbol), axes);
    assert_eq!(Axis::ALL.map(|axis| axis.to_string()), axes);
    assert_eq!(Problem::ALL.map(|problem| problem.to_string()), Problem::ALL.map(Problem::slug));
    // The same words wherever a paper is named.
    for paper in Paper::ALL {
        assert!(ALGORITHMS.iter().any(|entry| entry.paper == paper.title()), "{}", paper.title());
        assert!(claims::all().iter().any(|claim| claim.paper == paper), "{}", paper.slug());
    }
    assert_eq!(Paper::ALL.map(Paper::slug), ["fibonacci", "logp", "dual-path", "gossip", "k-tree", "castbench"]);
}

/// The figure of a paper for its algorithm is its first that does not bound every algorithm.
#[test]
fn the_headline_is_no_lower_bound() {
    let claim = |relation, value| Published { place: "here", formula: "there", relation, value };
    let evaluation = |published| Evaluation {
        lower_bound: Exact::Integer(0),
        published,
        analytic: None,
        simulated: Simulated::Exact(3),
    };
    let floor = claim(Relation::AtLeast, 2);
    let (below, equal) = (claim(Relation::Below, 5), claim(Relation::Equal, 3));
    assert_eq!(evaluation(vec![]).headline(), None);
    assert_eq!(evaluation(vec![floor.clone()]).headline(), None);
    assert_eq!(evaluation(vec![floor, below.clone(), equal]).headline(), Some(&below));
    assert_eq!([2, 3, 4].map(|cost| Relation::Below.holds(cost, 3)), [true, false, false]);
    assert_eq!([2, 3, 4].map(|cost| Relation::AtMost.holds(cost, 3)), [true, true, false]);
    assert_eq!([2, 3, 4].map(|cost| Relation::AtLeast.holds(cost, 3)), [false, true, true]);
    assert_eq!([2, 3, 4].map(|cost| Relation::Equal.holds(cost, 3)), [false, true, false]);
}
