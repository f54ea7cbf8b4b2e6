//! Brute force: searches that use only the rules of the model solve small instances of every problem. Every algorithm
//! of the catalogue is compared with the optima that they find.
//!
//! Each file states what it enumerates and why that covers every schedule. Searches share only the types of instances
//! with `algorithms`. `cargo test -p castbench-algorithms --test search -- --nocapture` prints the numbers of
//! instances and states.
//!
//! **Why whole times suffice** in a model with times. Every rule states that one time is at least an integer amount
//! after another, or that one of several such statements holds (for a processor that does one thing at a time, for
//! messages in transit). From `a >= b + c` with an integer `c` follows `floor(a) >= floor(b) + c`. So any schedule with
//! its times rounded down keeps every rule and ends no later. The searches visit all schedules with whole times,
//! including those that wait.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod collectives;
mod gossip;
mod k_port;
mod links;
mod multicast;
mod pipeline;
mod summation;
mod worms;

#[path = "../ticks/mod.rs"]
mod ticks;

use std::collections::BTreeMap;
use std::fmt;

use castbench_algorithms::cost::{Agreement, Exact, Limits};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::logp::multicast::problem::{LogpMulticastPoint, MULTICASTS};
use castbench_algorithms::internals::problem::{At, Case, Listing};
use castbench_algorithms::logp::LogP;

/// The instances and states of a search, and the algorithms compared with it.
#[derive(Debug, Default)]
struct Effort {
    instances: u64,
    states: u64,
    /// The number of instances on which each algorithm was compared.
    evaluated: BTreeMap<&'static str, u64>,
}

impl Effort {
    /// One more instance.
    fn add(&mut self, states: usize) {
        self.instances += 1;
        self.states += states as u64;
    }

    /// Compares every algorithm of the problem at one point with the least cost of all schedules: its bound is not
    /// above it, its cost not below, analytic and simulated agree. Returns the names of the algorithms that reach it.
    fn hold<A: ?Sized, P: Copy + fmt::Debug>(
        &mut self,
        listing: &'static Listing<A, P>,
        point: P,
        least: u64,
    ) -> Vec<&'static str>
    where
        At<A, P>: Case,
    {
        let cases = listing.entries.iter().map(|listed| {
            let algorithm = listed.algorithm;
            (listed.name, At { algorithm, point })
        });
        self.hold_of(cases, &point, least)
    }

    /// The same of some algorithms at this point.
    fn hold_of(
        &mut self,
        cases: impl Iterator<Item = (&'static str, impl Case)>,
        point: &dyn fmt::Debug,
        least: u64,
    ) -> Vec<&'static str> {
        let mut reaching = Vec::new();
        for (name, case) in cases {
            let count = self.evaluated.entry(name).or_default();
            let found = match case.costs(&Limits::default()) {
                Ok(found) => found,
                // Not defined for this instance; `tell` checks that it was for another.
                Err(Error::Parameter { .. }) => continue,
                Err(error) => panic!("{name} at {point:?}: {error}"),
            };
            *count += 1;
            let what = format!("{name} at {point:?}");
            assert_eq!(found.agreement(), Agreement::Agree, "{what}");
            let Exact::Integer(bound) = found.lower_bound else {
                panic!("{what}: the bound is no integer")
            };
            let Some(Exact::Integer(cost)) = found.analytic else {
                panic!("{what}: the cost is no integer")
            };
            assert!(
                bound <= least,
                "{what}: the bound {bound} is above the optimum {least}"
            );
            assert!(least <= cost, "{what}: {cost} is below the optimum {least}");
            reaching.extend((cost == least).then_some(name));
        }
        reaching
    }

    /// Prints the counts, and checks that every algorithm was compared on at least one instance.
    fn tell(self, what: &str) {
        let Self {
            instances,
            states,
            evaluated,
        } = self;
        println!("{what}: {instances} instances, {states} states");
        assert!(instances > 0 && states > 0);
        for (name, count) in evaluated {
            assert!(count > 0, "{what}: {name} refuses all instances");
        }
    }
}

/// The runner can fail: it detects an optimum that is one too high or one too low.
#[test]
fn a_wrong_optimum_is_caught() {
    let model = LogP::new(6, 2, 4).unwrap();
    let point = LogpMulticastPoint {
        model,
        K: 8,
        source: 1,
    };
    assert!(
        Effort::default()
            .hold(&MULTICASTS, point, 24)
            .contains(&"optimal")
    );
    for wrong in [23, 25] {
        assert!(
            std::panic::catch_unwind(|| Effort::default().hold(&MULTICASTS, point, wrong)).is_err(),
            "{wrong} passes for the optimum"
        );
    }
}
