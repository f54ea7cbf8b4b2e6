//! Summations beyond the points of `catalogue`: never below the optimum, and where the paper is optimal.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod common;
mod random;

use std::collections::BTreeSet;

use castbench_algorithms::error::Error;
use castbench_algorithms::internals::logp::multicast;
use castbench_algorithms::internals::logp::summation::Summation;
use castbench_algorithms::internals::logp::summation::optimal::{self, SummationOptimal};
use castbench_algorithms::internals::logp::summation::paper::{self, SummationPaper};
use castbench_algorithms::internals::logp::summation::problem::SUMMATIONS;
use castbench_algorithms::internals::logp::summation::simulator::{Trace, execute};
use castbench_algorithms::logp::LogP;
use common::MACHINES;
use proptest::prelude::*;

/// Machines with g below o + 1, with one message in transit at most, with g' = D', and with extreme ratios.
const MORE: [(u64, u64, u64); 4] = [(4, 3, 1), (7, 1, 7), (6, 0, 7), (211, 17, 1_003)];

fn machines() -> impl Iterator<Item = LogP> {
    // Operands are added one by one, and a long latency needs many.
    MACHINES
        .into_iter()
        .filter(|machine| machine.0 < 1_000)
        .chain(MORE)
        .map(|(L, o, g)| LogP::new(L, o, g).unwrap())
}

fn run(algorithm: &dyn Summation, model: LogP, P: u32, operands: u64) -> Trace {
    let schedule = algorithm.schedule(model, P, operands).unwrap();
    assert_eq!(schedule.processors(), P);
    assert_eq!(
        (0..P).map(|p| schedule.operands(p)).sum::<u64>(),
        operands,
        "{model:?} P={P}"
    );
    execute(model, &schedule)
        .unwrap_or_else(|broken| panic!("{model:?} P={P} N={operands}: {broken}"))
}

/// Checks all algorithms at one point.
fn check(model: LogP, P: u32, operands: u64) {
    let what = format!("{model:?}, P = {P}, N = {operands}");
    let least = optimal::time(model, P.into(), operands).expect(&what);
    assert_eq!(
        SummationOptimal.time(model, P.into(), operands),
        Ok(least),
        "{what}"
    );
    for summation in SUMMATIONS.entries.iter().map(|entry| entry.algorithm) {
        match summation.time(model, P.into(), operands) {
            Ok(time) => {
                assert!(least <= time, "{what}: {time} is below the optimum {least}");
                assert_eq!(
                    run(summation, model, P, operands).finish,
                    time,
                    "{what}: simulated against analytic"
                );
            }
            Err(Error::Parameter {
                symbol: "operands", ..
            }) => {}
            Err(other) => panic!("{what}: {other}"),
        }
    }
    let least_of_paper = paper::least_operands(model, P.into()).expect(&what);
    let served = SummationPaper.time(model, P.into(), operands).is_ok();
    assert_eq!(served, u128::from(operands) >= least_of_paper, "{what}");
}

#[test]
fn every_size_up_to_20_processors_and_300_operands() {
    for model in machines() {
        for P in 1..=20 {
            for operands in 1..=300 {
                check(model, P, operands);
            }
        }
    }
}

/// Few of the 300 operands above reach `N_S` on many processors, so sizes around it are checked too.
#[test]
fn around_the_least_operands_of_the_paper() {
    for model in machines() {
        for P in (1..=64).chain([100, 233, 377, 500]) {
            let least = u64::try_from(paper::least_operands(model, P.into()).unwrap()).unwrap();
            for operands in
                (least..least + 3).chain([least + u64::from(P) - 1, least + u64::from(P)])
            {
                check(model, P, operands);
            }
        }
    }
}

proptest! {
    #![proptest_config(random::cases(400, 1_997))]

    #[test]
    fn random_machines_and_sizes(
        L in 0u64..100, o in 0u64..30, g in 0u64..150, P in 1u32..1500, operands in 1u64..20_000, more in 0u64..5_000,
    ) {
        prop_assume!(L + o > 0);
        let model = LogP::new(L, o, g).unwrap();
        check(model, P, operands);
        let least = u64::try_from(paper::least_operands(model, P.into()).unwrap()).unwrap();
        check(model, P, least + more);
    }

    /// Sizes that are too large to simulate: the promises of the closed form are still checked.
    #[test]
    fn the_optimal_time_of_any_size_is_the_least_that_suffices(
        L in 0u64..1_000_000_000, o in 0u64..100_000, g in 0u64..2_000_000_000,
        P in 1u64.., operands in 2u64..,
    ) {
        prop_assume!(L + o > 0);
        let model = LogP::new(L, o, g).unwrap();
        for P in [P, P >> 20, P >> 40].map(|P| P.max(1)) {
            for operands in [operands, operands >> 24, operands >> 44].map(|operands| operands.max(2)) {
                let time = optimal::time(model, P, operands).unwrap();
                prop_assert!(optimal::summed_by(model, P, time).unwrap() >= operands.into());
                prop_assert!(optimal::summed_by(model, P, time - 1).unwrap() < operands.into());
                let solved = paper::least_operands(model, P).is_ok_and(|least| least <= operands.into());
                let paper = SummationPaper.time(model, P, operands);
                prop_assert_eq!(solved, paper.is_ok());
                prop_assert!(paper.map_or(true, |paper| time <= paper));
            }
        }
    }
}

/// If P is a complete tree, S* is optimal without overhead, or with enough operands for every processor to save more
/// than its message costs.
#[test]
fn where_the_paper_is_optimal() {
    for model in machines() {
        let backwards = LogP::new(model.L() + 1, model.o(), model.g().max(model.o() + 1)).unwrap();
        for P in (0..400)
            .map(|t| multicast::optimal::reached_by(backwards, t, u64::MAX))
            .take_while(|&P| P < 1_000_000)
        {
            let least = u64::try_from(paper::least_operands(model, P).unwrap()).unwrap();
            let enough = least + model.o() * P;
            for operands in [enough, enough + 1, enough + P / 2, 2 * enough] {
                assert_eq!(
                    SummationPaper.time(model, P, operands),
                    optimal::time(model, P, operands),
                    "{model:?} P={P} N={operands}"
                );
            }
        }
    }
}

/// Operands have values such that every set has its own sum. Otherwise losing one operand and adding another twice
/// could go unnoticed.
#[test]
fn every_set_of_operands_has_its_own_sum() {
    let model = LogP::new(5, 2, 4).unwrap();
    let sums: Vec<u128> = (1..=12)
        .map(|operands| run(&SummationOptimal, model, 1, operands).sum)
        .collect();
    let values: Vec<u128> = std::iter::once(sums[0])
        .chain(sums.windows(2).map(|pair| pair[1] - pair[0]))
        .collect();
    let of_sets: BTreeSet<u128> = (0..1_u32 << values.len())
        .map(|set| {
            (0..values.len())
                .filter(|operand| set >> operand & 1 == 1)
                .map(|operand| values[operand])
                .sum()
        })
        .collect();
    assert_eq!(of_sets.len(), 1 << values.len());
}
