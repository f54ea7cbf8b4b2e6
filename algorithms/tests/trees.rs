//! Multicast trees beyond the points of `catalogue`: every source, larger sizes, the optimum and check values.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod common;
mod random;

use std::collections::BTreeSet;

use castbench_algorithms::cost::{Agreement, Exact, Limits};
use castbench_algorithms::internals::logp::multicast::problem::{LogpMulticastPoint, MULTICASTS};
use castbench_algorithms::internals::logp::multicast::simulator::execute;
use castbench_algorithms::internals::logp::multicast::{Multicast, optimal};
use castbench_algorithms::internals::problem::Listed;
use castbench_algorithms::internals::problem::{At, Case};
use castbench_algorithms::logp::LogP;
use common::MACHINES;
use proptest::prelude::*;

/// Checks one tree at one point.
fn check(entry: &Listed<dyn Multicast>, model: LogP, K: u32, source: u32) {
    let tree = entry.algorithm;
    let what = format!("{} on {model:?}, K = {K}, source {source}", entry.name);
    let analytic = tree.time(model, K.into(), source.into()).expect(&what);
    let schedule = tree.schedule(model, K, source);
    assert_eq!(
        schedule.sends(),
        K as usize - 1,
        "{what}: number of messages"
    );
    // Executed as early as the rules allow, then audited rule by rule.
    assert_eq!(
        execute(model, &schedule),
        Ok(analytic),
        "{what}: simulated against analytic"
    );
    let least = optimal::time(model, K.into()).expect(&what);
    assert!(
        least <= analytic,
        "{what}: {analytic} is below the optimum {least}"
    );
    if ["optimal", "opt-tree"].contains(&entry.name) {
        assert_eq!(analytic, least, "{what}");
    }
}

#[test]
fn every_source_position_up_to_64_nodes() {
    for (L, o, g) in MACHINES {
        let model = LogP::new(L, o, g).unwrap();
        for entry in MULTICASTS.entries {
            for K in 1..=64 {
                (1..=K).for_each(|source| check(entry, model, K, source));
            }
        }
    }
}

proptest! {
    #![proptest_config(random::cases(400, 20_021))]

    #[test]
    fn random_machines_sizes_and_sources(
        L in 0u64..200, o in 0u64..50, g in 0u64..300, K in 1u32..3000, at in 0.0f64..1.0,
    ) {
        prop_assume!(L + o > 0);
        let model = LogP::new(L, o, g).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position below K")]
        let source = 1 + (f64::from(K - 1) * at) as u32;
        for entry in MULTICASTS.entries {
            check(entry, model, K, source);
        }
    }

    /// Schedules that are too large: the promise of the closed form, N(T) >= K > N(T-1), is still checked.
    #[test]
    fn the_optimal_time_is_the_first_that_suffices(
        L in 0u64..1_000_000_000, o in 0u64..100_000, g in 0u64..2_000_000_000, K in 2u64..=1_000_000_000_000_000_000,
    ) {
        prop_assume!(L + o > 0);
        let model = LogP::new(L, o, g).unwrap();
        let time = optimal::time(model, K).unwrap();
        prop_assert_eq!(optimal::reached_by(model, time, K), K);
        prop_assert!(optimal::reached_by(model, time - 1, K) < K);
    }
}

/// The spec page's table and its K = 10^18 promise, by name, through the catalogue.
#[test]
fn check_values_of_the_papers() {
    let table = [
        (2, [10, 10, 10]),
        (3, [20, 14, 14]),
        (5, [30, 20, 20]),
        (8, [30, 24, 24]),
        (12, [40, 30, 28]),
        (18, [50, 34, 32]),
        (40, [60, 42, 40]),
        (100, [70, 52, 50]),
    ];
    let model = LogP::new(6, 2, 4).unwrap();
    for (K, times) in table {
        for (name, time) in ["halving", "fibonacci", "optimal"].into_iter().zip(times) {
            let (tree, point) = (
                MULTICASTS.find(name).unwrap(),
                LogpMulticastPoint {
                    model,
                    K,
                    source: 1,
                },
            );
            let evaluation = At {
                algorithm: tree,
                point,
            }
            .costs(&Limits::default())
            .unwrap();
            assert_eq!(
                evaluation.analytic,
                Some(Exact::Integer(time)),
                "{name} K={K}"
            );
            assert_eq!(evaluation.agreement(), Agreement::Agree, "{name} K={K}");
        }
    }
}

/// At the largest D and g' for which 64 bits suffice, and just above, costs match those computed in 128 bits.
#[test]
fn sums_of_the_largest_narrow_parameters_fit() {
    let most = u64::MAX >> 8;
    let unit = LogP::new(1, 0, 1).unwrap();
    let fibonacci =
        std::iter::successors(Some((2u64, 3u64)), |&(a, b)| Some((b, a.checked_add(b)?)));
    let sizes: BTreeSet<u64> = fibonacci
        .flat_map(|(size, _)| [size - 1, size, size + 1])
        .chain([u64::MAX, u64::MAX - 1, 1 << 63])
        .collect();
    for each in [most, most + 1] {
        let model = LogP::new(each, 0, each).unwrap();
        for tree in ["fibonacci", "halving"].map(|name| MULTICASTS.find(name).unwrap()) {
            for &K in &sizes {
                for source in [1, K / 3 + 1, K / 2 + 1, K] {
                    let hops = u128::from(tree.time(unit, K, source).unwrap());
                    assert_eq!(
                        tree.time(model, K, source).ok().map(u128::from),
                        Some(hops * u128::from(each)).filter(|&time| time <= u64::MAX.into())
                    );
                }
            }
        }
    }
}
