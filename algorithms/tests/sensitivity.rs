//! Sensitivity to L, o and g, against costs on a fine lattice of values, just before and after each breakpoint, and far
//! away.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

mod common;
mod random;

use castbench_algorithms::internals::engine::Machine;
use castbench_algorithms::internals::engine::Operation;
use castbench_algorithms::internals::engine::schedules::multicast;
use castbench_algorithms::internals::engine::waits::{self, Link, Reason};
use castbench_algorithms::internals::logp::multicast::Multicast;
use castbench_algorithms::internals::logp::multicast::problem::LogpMulticast;
use castbench_algorithms::internals::logp::multicast::sensitivity::{Sensitivity, sensitivity};
use castbench_algorithms::internals::logp::multicast::simulator::simulate;
use castbench_algorithms::internals::problem::{Listed, Problem as _};
use castbench_algorithms::internals::reach::{Parameter, Reach, Side};
use castbench_algorithms::logp::LogP;
use common::MACHINES;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use proptest::prelude::*;

fn whole(value: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(value.into())
}

/// One tree at one point, with one of L, o and g free to take any rational value.
struct Probe<'a> {
    tree: &'a dyn Multicast,
    machine: [u64; 3],
    moved: usize,
    K: u64,
    source: u64,
}

impl Probe<'_> {
    /// The cost at this value of the parameter, computed in a unit of time in which all parameters are integers. None
    /// if a message would cost nothing.
    fn cost(&self, value: &BigRational) -> Option<BigRational> {
        let unit = value.denom();
        let scaled = |(number, &given): (usize, &u64)| {
            let value = if number == self.moved { value.clone() } else { whole(given) };
            (value * whole(unit.clone())).to_integer().to_u64().unwrap()
        };
        let values: Vec<u64> = self.machine.iter().enumerate().map(scaled).collect();
        let model = LogP::new(values[0], values[1], values[2]).ok()?;
        Some(BigRational::new(self.tree.time(model, self.K, self.source).unwrap().into(), unit.clone()))
    }

    fn value(&self) -> BigRational {
        whole(self.machine[self.moved])
    }

    /// Whether the cost at `value` matches the side.
    fn follows(&self, side: &Side, value: &BigRational) -> bool {
        let here = self.cost(&self.value()).unwrap();
        self.cost(value).is_none_or(|cost| cost == here + (value - self.value()) * whole(side.slope))
    }

    fn check(&self, name: &str, parameter: &Parameter) {
        let what =
            format!("{name} K={} source={} at {:?}, parameter {}", self.K, self.source, self.machine, self.moved);
        assert_eq!(parameter.below.is_none(), self.value().is_zero(), "{what}");
        self.check_side(&format!("{what}, above"), &parameter.above, &whole(1));
        if let Some(below) = &parameter.below {
            self.check_side(&format!("{what}, below"), below, &whole(-1));
        }
    }

    fn check_side(&self, what: &str, side: &Side, sign: &BigRational) {
        let end = match &side.reach {
            Reach::Zero => whole(0),
            // Farther than any two sums of K nodes cross.
            Reach::NoEnd => whole(self.K * 4 + 4) * whole(self.machine.iter().sum::<u64>() + 1),
            Reach::Breakpoint(end) => end.to_rational(),
            Reach::NotBefore(_) => panic!("{what}: the search was given up"),
        };
        let length = (&end - self.value()) * sign;
        assert!(length.is_positive(), "{what}: {side:?}");
        for step in 0..=12 {
            let value = self.value() + &length * sign * BigRational::new(step.into(), 12.into());
            assert!(self.follows(side, &value), "{what}: {side:?} does not hold at {value}");
        }
        if let Reach::Breakpoint(_) = side.reach {
            let little = BigRational::new(1.into(), BigInt::from(1000) * end.denom());
            let beyond = end + little * sign;
            assert!(!self.follows(side, &beyond), "{what}: {side:?} still holds at {beyond}");
        }
    }
}

/// Checks one answer against costs around it, and against the critical path of an execution.
fn check(entry: &Listed<dyn Multicast>, machine: [u64; 3], K: u32, source: u32) {
    let model = LogP::new(machine[0], machine[1], machine[2]).unwrap();
    let tree = entry.algorithm;
    let what = format!("{} on {model:?}, K={K} source={source}", entry.name);
    let around = sensitivity(tree, model, K.into(), source.into()).expect(&what);
    for (moved, parameter) in [&around.L, &around.o, &around.g].into_iter().enumerate() {
        let probe = Probe { tree, machine, moved, K: K.into(), source: source.into() };
        probe.check(entry.name, parameter);
    }
    check_path(&what, tree, model, (K, source), &around);
}

fn check_path(what: &str, tree: &dyn Multicast, model: LogP, (K, source): (u32, u32), around: &Sensitivity) {
    let schedule = tree.schedule(model, K, source);
    let trace = simulate(model, &schedule).expect(what);
    let program = multicast(&schedule, 1).expect(what);
    let path = waits::around(Machine::LogP(model), &program).expect(what).path;
    let sends = |link: &Link| matches!(program.operation(link.operation), Operation::Send { .. });
    let hops = path.iter().filter(|link| link.reason == Reason::Message).count() as u64;
    // A send waits for the send before it: for the gap, or for its end if o is longer.
    let gaps = path.windows(2).filter(|pair| pair.iter().all(sends)).count() as u64;
    assert_eq!(trace.finish, around.cost, "{what}");
    for piece in [around.slower_hops, around.slower_gaps] {
        assert_eq!(piece.hops * model.D() + piece.gaps * model.gap(), around.cost, "{what}: {piece:?}");
    }
    // Inside a piece of a tree that does not adapt every critical path is that piece.
    if !tree.adapts() && around.slower_hops == around.slower_gaps && model.gap() > 0 {
        assert_eq!((hops, gaps), (around.slower_gaps.hops, around.slower_gaps.gaps), "{what}");
    }
}

#[test]
fn small_trees_on_every_machine() {
    trees_on_every_machine(&[1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn larger_trees_on_every_machine() {
    trees_on_every_machine(&[9, 10, 11, 12, 13, 18, 21, 34, 40]);
}

fn trees_on_every_machine(sizes: &[u32]) {
    for (L, o, g) in MACHINES {
        for entry in LogpMulticast::ENTRIES {
            for &K in sizes {
                for source in [1, K / 3 + 1, K / 2 + 1, K] {
                    check(entry, [L, o, g], K, source);
                }
            }
        }
    }
}

#[test]
fn every_small_machine() {
    for L in 0..5 {
        for o in 0..4 {
            for g in 0..6 {
                if L + o > 0 {
                    for entry in LogpMulticast::ENTRIES {
                        [2, 3, 5, 7, 12, 23].into_iter().for_each(|K| check(entry, [L, o, g], K, 1));
                    }
                }
            }
        }
    }
}

/// Without latency a hop takes two gaps from g = o down, and more for each of the gaps below that.
#[test]
fn machines_without_latency() {
    for o in 1..10 {
        for g in 0..=o {
            for entry in LogpMulticast::ENTRIES {
                [6, 8, 9, 14].into_iter().for_each(|K| check(entry, [0, o, g], K, 1));
            }
        }
    }
}

/// The search for the end of a piece relies on this.
#[test]
fn trees_adapt_only_if_they_declare_it() {
    let machines = MACHINES.map(|(L, o, g)| LogP::new(L, o, g).unwrap());
    for entry in LogpMulticast::ENTRIES {
        let tree = entry.algorithm;
        let differs = |K: u32| machines.iter().any(|&on| tree.schedule(on, K, 1) != tree.schedule(machines[0], K, 1));
        assert_eq!((1..=64).any(differs), tree.adapts(), "{}", entry.name);
    }
}

/// A search that is given up reports its valid partial result as such.
#[test]
fn a_search_that_is_given_up_is_reported() {
    let tree = &castbench_algorithms::internals::logp::multicast::optimal::Optimal;
    let (machine, K) = ([1, 0, 10_000_000], 10_000_000_000_000);
    let around = sensitivity(tree, LogP::new(1, 0, 10_000_000).unwrap(), K, 1).unwrap();
    for (moved, side) in [(0, around.L.above), (2, around.g.below.unwrap())] {
        let Reach::NotBefore(so_far) = &side.reach else { panic!("{side:?}") };
        let so_far = so_far.to_rational();
        let probe = Probe { tree, machine, moved, K, source: 1 };
        assert_ne!(so_far, probe.value());
        assert!(probe.follows(&side, &so_far));
        assert!(probe.follows(&side, &((so_far + probe.value()) / whole(2))));
    }
}

proptest! {
    #![proptest_config(random::cases(150, 71_005))]

    #[test]
    fn random_machines_sizes_and_sources(
        L in 0u64..200, o in 0u64..50, g in 0u64..300, K in 1u32..300, at in 0.0f64..1.0,
    ) {
        prop_assume!(L + o > 0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position")]
        let source = (f64::from(K) * at) as u32 + 1;
        for entry in LogpMulticast::ENTRIES {
            check(entry, [L, o, g], K, source);
        }
    }

    #[test]
    fn times_in_nanoseconds(
        L in 0u64..100_000, o in 0u64..20_000, g in 0u64..100_000, K in 2u32..3000,
    ) {
        prop_assume!(L + o > 0);
        for entry in LogpMulticast::ENTRIES {
            check(entry, [L, o, g], K, K / 2 + 1);
        }
    }
}
