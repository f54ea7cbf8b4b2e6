//! Samples of mesh multicasts, and their check values. `search/links.rs` has every multicast of small meshes.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

use castbench_algorithms::cost::{Agreement, Limits, Simulated};
use castbench_algorithms::internals::mesh::labelling::Mesh;
use castbench_algorithms::internals::mesh::multicast::Routing as _;
use castbench_algorithms::internals::mesh::multicast::problem::{MeshMulticastPoint, ROUTINGS};
use castbench_algorithms::internals::mesh::multicast::steiner::{MAX_EXACT, Steiner, shortest};
use castbench_algorithms::internals::mesh::multicast::walk::Routes;
use castbench_algorithms::internals::mesh::{Sampling, draw};
use castbench_algorithms::internals::problem::{At, Case};
use num_bigint::BigInt;
use num_rational::BigRational;

fn mesh(w: u64, h: u64) -> Mesh {
    Mesh::new(w, h).unwrap()
}

/// Means of costs that hardly vary, so that the sample has no spread: the interval must still hold.
#[test]
fn rare_costs_do_not_look_like_a_disagreement() {
    for (w, h, K, trials) in [(8, 8, 62, 50), (8, 8, 62, 2), (16, 16, 254, 100)] {
        for seed in 0..200 {
            // The expectation of the floor is not known there.
            for entry in ROUTINGS
                .entries
                .iter()
                .filter(|entry| entry.name != "steiner")
            {
                let point = MeshMulticastPoint {
                    mesh: mesh(w, h),
                    K,
                    sampling: Sampling { trials, seed },
                };
                let evaluation = At {
                    algorithm: entry.algorithm,
                    point,
                }
                .costs(&Limits::default())
                .unwrap();
                assert_eq!(
                    evaluation.agreement(),
                    Agreement::Agree,
                    "{} seed {seed}",
                    entry.name
                );
            }
        }
    }
}

/// Sums over the draws: of one, the square of its links.
#[test]
fn a_sample_of_one_is_that_one() {
    for entry in ROUTINGS
        .entries
        .iter()
        .filter(|entry| entry.name != "steiner")
    {
        let algorithm = entry.algorithm;
        let (mesh, sampling) = (mesh(8, 8), Sampling { trials: 1, seed: 7 });
        let (source, mut destinations) = draw(mesh, 5, sampling.seed);
        destinations.sort_unstable();
        let point = MeshMulticastPoint {
            mesh,
            K: 5,
            sampling,
        };
        let Simulated::Mean(sample) = At {
            algorithm: entry.algorithm,
            point,
        }
        .costs(&Limits::default())
        .unwrap()
        .simulated
        else {
            panic!("{} is sampled", entry.name)
        };
        let links =
            u128::from(algorithm.route(mesh, source, &destinations, &mut Routes::default()));
        assert_eq!(
            (sample.total, sample.total_of_squares),
            (links, links * links),
            "{}",
            entry.name
        );
    }
}

/// The agreement test can fail: the mean of dual-path is not the expectation of unicast.
#[test]
fn a_wrong_expectation_is_caught() {
    let point = MeshMulticastPoint {
        mesh: mesh(8, 8),
        K: 4,
        sampling: Sampling {
            trials: 2_000,
            seed: 1,
        },
    };
    let evaluate = |name: &str| {
        let algorithm = ROUTINGS.find(name).unwrap();
        At { algorithm, point }.costs(&Limits::default()).unwrap()
    };
    let mut evaluation = evaluate("dual-path");
    evaluation.analytic = evaluate("unicast").analytic;
    assert_eq!(evaluation.agreement(), Agreement::Differ);
}

/// Known values, rounded to four decimals.
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
        let algorithm = ROUTINGS.find(name).unwrap();
        let scaled = algorithm.expected_links(mesh(8, 8), K).unwrap()
            * BigRational::from_integer(BigInt::from(10_000));
        scaled.round().to_integer()
    };
    for (K, unicast, dual_path) in table {
        assert_eq!(
            rounded("unicast", K),
            BigInt::from(unicast),
            "unicast K={K}"
        );
        assert_eq!(
            rounded("dual-path", K),
            BigInt::from(dual_path),
            "dual-path K={K}"
        );
    }
}

/// Beyond brute force: between the half perimeter and the guarantee of the greedy tree.
#[test]
fn trees_on_large_meshes_stay_within_their_bounds() {
    for (w, h) in [(16, 16), (40, 3), (128, 128)] {
        let mesh = mesh(w, h);
        for seed in 0..40 {
            let (source, destinations) = draw(mesh, 9, seed);
            let terminals = [&[source], &*destinations].concat();
            let (exact, greedy) = (
                shortest(mesh, &terminals),
                Steiner.route(mesh, source, &destinations, &mut Routes::default()),
            );
            let reach = |of: fn((u32, u32)) -> u32| {
                let values = || terminals.iter().map(|&label| of(mesh.position(label)));
                u64::from(values().max().unwrap() - values().min().unwrap())
            };
            assert!(
                reach(|at| at.0) + reach(|at| at.1) <= exact,
                "{mesh} seed {seed}"
            );
            assert!(
                exact <= greedy && 2 * greedy <= 3 * exact,
                "{mesh} seed {seed}: {greedy} for {exact}"
            );
        }
    }
}

#[test]
fn the_expectation_is_known_where_it_is_counted() {
    let known = |w, h, K| Steiner.expected_links(mesh(w, h), K).is_some();
    for K in 0..12 {
        assert_eq!(known(4, 3, K), K <= MAX_EXACT || K == 11, "K={K}");
    }
    assert!(known(4, 5, 7) && known(3, 7, 2) && known(8, 8, 63));
    let is_shortest = |K| Steiner::is_shortest(mesh(8, 8), K);
    assert!(
        is_shortest(MAX_EXACT)
            && is_shortest(63)
            && !is_shortest(MAX_EXACT + 1)
            && !is_shortest(62)
    );
    assert!(!known(3, 7, 3) && !known(4, 5, 8));
}
