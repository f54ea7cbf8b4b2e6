//! Broadcasts of several messages beyond the points of `catalogue`: useful deliveries, claims, and where bounds are met.

#![expect(
    non_snake_case,
    reason = "n, k and m as u32, N, K and M the same as u64"
)]

mod random;

use std::collections::BTreeSet;

use castbench_algorithms::error::Error;
use castbench_algorithms::internals::multiport::RoundBroadcast;
use castbench_algorithms::internals::multiport::balanced::BalancedHypercube;
use castbench_algorithms::internals::multiport::bounds::{least_rounds, theorem_2};
use castbench_algorithms::internals::multiport::grouped::GroupedHypercube;
use castbench_algorithms::internals::multiport::hypercube::Hypercube;
use castbench_algorithms::internals::multiport::k_tree::KTrees;
use castbench_algorithms::internals::multiport::problem::ROUND_BROADCASTS;
use castbench_algorithms::internals::multiport::simulator::simulate;
use proptest::prelude::*;

/// Every broadcast of the catalogue, by name.
fn broadcasts() -> impl Iterator<Item = (&'static str, &'static dyn RoundBroadcast)> {
    ROUND_BROADCASTS
        .entries
        .iter()
        .map(|entry| (entry.name, entry.algorithm))
}

/// Checks one broadcast at one point; returns its rounds, if it exists there.
fn check((name, broadcast): (&str, &dyn RoundBroadcast), n: u32, k: u32, m: u32) -> Option<u64> {
    let what = format!("{name} at n = {n}, k = {k}, m = {m}");
    let (N, K, M) = (u64::from(n), u64::from(k), u64::from(m));
    let rounds = match broadcast.rounds(N, K, M) {
        Ok(rounds) => rounds,
        Err(error) => {
            assert!(
                matches!(
                    error,
                    Error::Parameter {
                        symbol: "k" | "n",
                        ..
                    }
                ),
                "{what}: {error}"
            );
            assert_eq!(broadcast.schedule(n, k, m).err(), Some(error), "{what}");
            return None;
        }
    };
    let mut schedule = broadcast.schedule(n, k, m).expect(&what);
    let trace = simulate(n, k, m, schedule.as_mut())
        .unwrap_or_else(|violation| panic!("{what}: {violation}"));
    assert_eq!(trace.rounds, rounds, "{what}: simulated against analytic");
    assert_eq!(
        trace.sends - trace.repeated,
        M * (N - 1),
        "{what}: deliveries of use"
    );
    // What is kept for the sends of a round relies on it.
    let mut schedule = broadcast.schedule(n, k, m).expect(&what);
    let mut sends = Vec::new();
    while schedule.round(&mut sends) {
        assert!(
            sends.len() as u64 <= (N - 1) * K.min(M),
            "{what}: {} sends in a round",
            sends.len()
        );
        sends.clear();
    }
    let least = least_rounds(N, K, M).expect(&what);
    assert!(
        rounds >= least,
        "{what}: {rounds} is below the bound {least}"
    );
    for claim in broadcast
        .published(N, K, M)
        .into_iter()
        .chain(theorem_2(N, K, M))
    {
        assert!(
            claim.relation.holds(rounds, claim.value),
            "{what}: {rounds}, {claim:?}"
        );
    }
    if let Some(trees) = broadcast.trees(n, k) {
        // One round per further batch, and the height of the trees, or one less.
        let batches = M.div_ceil(K) - 1;
        let height = u64::from(trees.height());
        assert!(
            (batches + height).saturating_sub(1) <= rounds && rounds <= batches + height,
            "{what}"
        );
        assert!(
            M % K != 0 || rounds == batches + height,
            "{what}: all trees are used to the end"
        );
    }
    Some(rounds)
}

#[test]
fn all_small_instances() {
    for broadcast in broadcasts() {
        for (n, k) in (1..=60).flat_map(|n| (1..=8).map(move |k| (n, k))) {
            for m in 1..=3 * k + 2 {
                if n > 1 {
                    check(broadcast, n, k, m);
                } else {
                    assert_eq!(
                        broadcast.1.rounds(1, k.into(), m.into()).unwrap_or(0),
                        0,
                        "{}",
                        broadcast.0
                    );
                }
            }
        }
    }
}

/// Where n is a power of k + 1, the bound is reached; at all other sizes this algorithm does not exist.
#[test]
fn the_hypercube_reaches_the_bound() {
    for (k, most) in [
        (1, 10),
        (2, 6),
        (3, 5),
        (4, 4),
        (5, 4),
        (6, 3),
        (7, 3),
        (31, 2),
        (1000, 1),
    ] {
        for n in (1..=most).map(|q| (k + 1u32).pow(q)) {
            for m in (1..=4 * k.min(12) + 1).chain([k, k + 1, 2 * k + 2]) {
                let rounds = check(("hypercube", &Hypercube), n, k, m);
                assert_eq!(
                    rounds,
                    least_rounds(n.into(), k.into(), m.into()).ok(),
                    "n={n} k={k} m={m}"
                );
            }
            assert_eq!(
                check(("hypercube", &Hypercube), n + 1, k, 1),
                None,
                "n={} k={k}",
                n + 1
            );
            let refused = Hypercube
                .rounds((n + 1).into(), k.into(), 1)
                .unwrap_err()
                .to_string();
            assert!(
                refused.contains(&format!("expected a power of k + 1 = {};", k + 1)),
                "{refused}"
            );
        }
    }
}

/// For n to 300, k to 8 and m to 60: the balanced hypercube takes T* where it exists, the grouped one T* or one more; and
/// both exist at the same numbers of nodes.
#[test]
fn the_balanced_hypercube_reaches_the_bound() {
    let mut missing = BTreeSet::new();
    for (n, k) in (2..=300u64).flat_map(|n| (1..=8u64).map(move |k| (n, k))) {
        for m in 1..=60 {
            let least = least_rounds(n, k, m).unwrap();
            match (
                BalancedHypercube.rounds(n, k, m),
                GroupedHypercube.rounds(n, k, m),
            ) {
                (Ok(rounds), Ok(grouped)) => {
                    assert_eq!(rounds, least, "n={n} k={k} m={m}");
                    let is_early = n > k + 1 && m % k != 1 % k && grouped > least;
                    assert_eq!(grouped - u64::from(is_early), least, "n={n} k={k} m={m}");
                }
                (Err(refused), Err(grouped)) => {
                    assert_eq!(refused, grouped);
                    missing.insert((k, n));
                }
                other => panic!("n={n} k={k} m={m}: {other:?}"),
            }
        }
    }
    let listed = [
        (5, 5),
        (5, 35),
        (5, 215),
        (6, 6),
        (6, 48),
        (7, 6),
        (7, 7),
        (7, 62),
        (7, 63),
    ];
    assert!(
        missing
            .into_iter()
            .eq(listed.into_iter().chain([(8, 7), (8, 8), (8, 79), (8, 80)]))
    );
}

/// The schedules of the balanced hypercube around all sizes at which one more message ends early: up to four dimensions, and up to three
/// times as many batches.
#[test]
fn the_balanced_hypercube_ends_early_at_any_size() {
    let mut ended = 0;
    let bases = [
        (2, 5),
        (3, 4),
        (4, 3),
        (5, 3),
        (6, 3),
        (9, 2),
        (12, 2),
        (24, 2),
    ];
    for (k, q) in bases
        .into_iter()
        .flat_map(|(k, most)| (2..=most).map(move |q| (k, q)))
    {
        let (vertices, most) = ((k + 1u32).pow(q - 1), (k + 1u32).pow(q) - 1);
        for ending in 2..=k {
            for n in [
                vertices + 1,
                vertices + 2,
                vertices + k,
                most / ending - 1,
                most / ending,
                most / ending + 1,
            ] {
                for m in [0, 1, 2, 3 * q].map(|batches| batches * k + ending) {
                    let Some(rounds) = check(("hypercube-balanced", &BalancedHypercube), n, k, m)
                    else {
                        continue;
                    };
                    let (n, k, m) = (n.into(), k.into(), m.into());
                    assert_eq!(Ok(rounds), least_rounds(n, k, m), "n={n} k={k} m={m}");
                    ended += u32::from(GroupedHypercube.rounds(n, k, m) != Ok(rounds));
                }
            }
        }
    }
    assert!(ended > 1000, "{ended}");
}

/// Instances of which a solver found schedules in T* rounds, where others of the catalogue take one more; and two which counting copies
/// decided, of which it did not find any: there is one in three rounds at (22, 3, 3), and none at (9, 4, 7).
#[test]
fn the_optima_that_a_solver_found() {
    let found = [
        (7, 3, 2, 2),
        (7, 3, 5, 3),
        (8, 3, 2, 2),
        (8, 3, 5, 3),
        (8, 4, 3, 2),
        (8, 4, 7, 3),
        (14, 2, 2, 3),
        (14, 2, 4, 4),
    ];
    let larger = (22..=29)
        .map(|n| (n, 3, 2, 3))
        .chain((9..=12).map(|n| (n, 5, 3, 2)))
        .chain((15..=18).map(|n| (n, 5, 2, 2)));
    for (n, k, m, rounds) in found
        .into_iter()
        .chain(larger)
        .chain([(22, 3, 3, 3), (9, 4, 7, 4)])
    {
        assert_eq!(
            check(("hypercube-balanced", &BalancedHypercube), n, k, m),
            Some(rounds),
            "n={n} k={k} m={m}"
        );
        assert_eq!(
            least_rounds(n.into(), k.into(), m.into()),
            Ok(rounds),
            "n={n} k={k} m={m}"
        );
    }
}

/// By hand: the height follows from the least power of k that is at least n + 2k.
#[test]
fn the_published_bound_of_k_trees() {
    let value = |n, k, m| {
        KTrees::IN_ROW
            .published(n, k, m)
            .into_iter()
            .map(|claim| claim.value)
            .collect::<Vec<u128>>()
    };
    // 8 + 2*4 = 4^2, and one node more takes another level.
    assert_eq!(
        [value(8, 4, 1), value(9, 4, 1), value(9, 4, 5)],
        [vec![3], vec![4], vec![5]]
    );
}

proptest! {
    #![proptest_config(random::cases(300, 19_991))]

    #[test]
    fn random_instances(n in 2u32..2000, k in 1u32..40, m in 1u32..120) {
        for broadcast in broadcasts() {
            check(broadcast, n, k, m);
        }
        let [trees, packed] = [&KTrees::IN_ROW as &dyn RoundBroadcast, &KTrees::PACKED].map(|all| all.rounds(n.into(), k.into(), m.into()));
        if let (Ok(trees), Ok(packed)) = (trees, packed) {
            prop_assert!((packed..=packed + 1).contains(&trees), "{} and {}", trees, packed);
        }
    }

    /// Sizes around those at which a level of the trees is full.
    #[test]
    fn sizes_that_fill_a_level(k in 2u32..40, height in 1u32..6, off in 0u32..42, m in 1u32..100) {
        let full = (0..=height).map(|depth| u64::from(k).pow(depth)).sum::<u64>() + 3;
        prop_assume!(full * u64::from(m) < 3_000_000);
        let n = u32::try_from(full).unwrap().saturating_sub(off).max(2);
        for broadcast in broadcasts().filter(|(_, broadcast)| broadcast.trees(n, k).is_some()) {
            check(broadcast, n, k, m);
        }
    }
}
