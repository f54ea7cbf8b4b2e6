//! Mesh multicasts: expectation = average over all multicasts, formula = walked routes, and the samples.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

use castbench_algorithms::cost::{Agreement, Limits, Simulated};
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::problem::{MeshMulticast, Point};
use castbench_algorithms::internals::mesh::multicast::steiner::MAX_EXACT;
use castbench_algorithms::internals::mesh::multicast::walk::{Routes, Walker};
use castbench_algorithms::internals::mesh::{Sampling, draw};
use castbench_algorithms::internals::problem::Problem as _;
use num_bigint::BigInt;
use num_rational::BigRational;

fn mesh(w: u64, h: u64) -> Mesh {
    Mesh::new(w, h).unwrap()
}

/// The destinations of every multicast from `source`, as sets of bits, one a label.
fn subsets(mesh: Mesh, source: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..1u32 << mesh.nodes())
        .filter(move |set| set >> source & 1 == 0)
        .map(move |set| (0..mesh.nodes()).filter(|label| set >> label & 1 == 1).collect())
}

#[test]
fn expectation_is_the_average_over_all_multicasts_of_tiny_meshes() {
    expectation_is_the_average_over_all_multicasts(&[(1, 1), (1, 5), (5, 1), (2, 2), (2, 3), (3, 2)]);
}

#[test]
fn expectation_is_the_average_over_all_multicasts_of_small_meshes() {
    expectation_is_the_average_over_all_multicasts(&[(3, 3), (4, 3), (2, 5)]);
}

fn expectation_is_the_average_over_all_multicasts(meshes: &[(u64, u64)]) {
    for &(w, h) in meshes {
        let mesh = mesh(w, h);
        let mut walker = Walker::new(mesh);
        let mut routes = Routes::default();
        for entry in MeshMulticast::ENTRIES {
            let algorithm = entry.algorithm;
            let mut totals = vec![(0u64, 0u64); mesh.nodes() as usize];
            let mut most = vec![0; mesh.nodes() as usize];
            for source in 0..mesh.nodes() {
                for destinations in subsets(mesh, source) {
                    routes.clear();
                    algorithm.route(mesh, source, &destinations, &mut routes);
                    let walked = walker.walk(source, &destinations, &routes).unwrap();
                    assert_eq!(walked, algorithm.links(mesh, source, &destinations), "{} {mesh}", entry.name);
                    let K = u32::try_from(destinations.len()).unwrap();
                    let possible = u64::from(K)..=algorithm.most_links(mesh, K);
                    assert!(possible.contains(&walked), "{} {mesh}: {walked}", entry.name);
                    most[destinations.len()] = walked.max(most[destinations.len()]);
                    let (total, count) = &mut totals[destinations.len()];
                    *total += walked;
                    *count += 1;
                }
            }
            // The bounds are met, or intervals that follow from them are too wide.
            if mesh.nodes() > 1 {
                let is_met = |K: u32| most[K as usize] == algorithm.most_links(mesh, K);
                assert!(is_met(1) || entry.name == "dual-path", "{} {mesh}", entry.name);
                assert!(
                    is_met(mesh.nodes() - 1) || ["unicast", "column-path"].contains(&entry.name),
                    "{} {mesh}",
                    entry.name
                );
            }
            for (K, (total, count)) in (0..).zip(totals) {
                let average = BigRational::new(BigInt::from(total), BigInt::from(count));
                // A tree beyond the reach of the exact one has no known expectation.
                if let Some(expected) = algorithm.expected_links(mesh, K) {
                    assert_eq!(expected, average, "{} {mesh} K={K}", entry.name);
                } else {
                    assert!(entry.name == "steiner" && K > MAX_EXACT, "{} {mesh} K={K}", entry.name);
                }
            }
        }
    }
}

/// Means of costs that hardly vary, so that the sample has no spread: the interval must still hold.
#[test]
fn rare_costs_do_not_look_like_a_disagreement() {
    for (w, h, K, trials) in [(8, 8, 62, 50), (8, 8, 62, 2), (16, 16, 254, 100)] {
        for seed in 0..200 {
            // The expectation of the floor is not known there.
            for entry in MeshMulticast::ENTRIES.iter().filter(|entry| entry.name != "steiner") {
                let point = Point { mesh: mesh(w, h), K, sampling: Sampling { trials, seed } };
                let evaluation = MeshMulticast::at(entry.algorithm, point, &Limits::default()).unwrap();
                assert_eq!(evaluation.agreement(), Agreement::Agree, "{} seed {seed}", entry.name);
            }
        }
    }
}

/// Sums over the draws: of one, the square of its links.
#[test]
fn a_sample_of_one_is_that_one() {
    for entry in MeshMulticast::ENTRIES.iter().filter(|entry| entry.name != "steiner") {
        let algorithm = entry.algorithm;
        let (mesh, sampling) = (mesh(8, 8), Sampling { trials: 1, seed: 7 });
        let (source, mut destinations) = draw(mesh, 5, sampling.seed);
        destinations.sort_unstable();
        let point = Point { mesh, K: 5, sampling };
        let Simulated::Mean(sample) = MeshMulticast::at(entry.algorithm, point, &Limits::default()).unwrap().simulated
        else {
            panic!("{} is sampled", entry.name)
        };
        let links = u128::from(algorithm.links(mesh, source, &destinations));
        assert_eq!((sample.total, sample.total_of_squares), (links, links * links), "{}", entry.name);
    }
}

/// The agreement test can fail: the mean of dual-path is not the expectation of unicast.
#[test]
fn a_wrong_expectation_is_caught() {
    let point = Point { mesh: mesh(8, 8), K: 4, sampling: Sampling { trials: 2_000, seed: 1 } };
    let evaluate =
        |name: &str| MeshMulticast::at(MeshMulticast::find(name).unwrap(), point, &Limits::default()).unwrap();
    let mut evaluation = evaluate("dual-path");
    evaluation.analytic = evaluate("unicast").analytic;
    assert_eq!(evaluation.agreement(), Agreement::Differ);
}

/// Known values, rounded to four places.
#[test]
fn check_values_on_8x8() {
    let table = [
        (8, 426_667, 272_845),
        (16, 853_333, 433_604),
        (32, 1_706_667, 570_917),
        (48, 2_560_000, 616_398),
        (63, 3_360_000, 630_000),
    ];
    let rounded = |name: &str, K| {
        let algorithm = MeshMulticast::find(name).unwrap();
        let scaled = algorithm.expected_links(mesh(8, 8), K).unwrap() * BigRational::from_integer(BigInt::from(10_000));
        scaled.round().to_integer()
    };
    for (K, unicast, dual_path) in table {
        assert_eq!(rounded("unicast", K), BigInt::from(unicast), "unicast K={K}");
        assert_eq!(rounded("dual-path", K), BigInt::from(dual_path), "dual-path K={K}");
    }
}
