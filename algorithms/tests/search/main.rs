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

use castbench_algorithms::cost::{Agreement, Exact, Limits};
use castbench_algorithms::error::Error;
use castbench_algorithms::internals::logp::multicast::problem::{
    LogpMulticast, LogpMulticastPoint,
};
use castbench_algorithms::internals::problem::{Listed, Problem};
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
    fn hold<P: Problem>(&mut self, point: P::Point, least: u64) -> Vec<&'static str> {
        self.hold_of::<P>(P::ENTRIES.iter(), point, least)
    }

    /// The same of some algorithms of the problem.
    fn hold_of<P: Problem>(
        &mut self,
        entries: impl Iterator<Item = &'static Listed<P::Algorithm>>,
        point: P::Point,
        least: u64,
    ) -> Vec<&'static str> {
        let mut reaching = Vec::new();
        for entry in entries {
            let count = self.evaluated.entry(entry.name).or_default();
            let found = match P::at(entry.algorithm, point, &Limits::default()) {
                Ok(found) => found,
                // Not defined for this instance; `tell` checks that it was for another.
                Err(Error::Parameter { .. }) => continue,
                Err(error) => panic!("{} at {point:?}: {error}", entry.name),
            };
            *count += 1;
            let what = format!("{} at {point:?}", entry.name);
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
            reaching.extend((cost == least).then_some(entry.name));
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
            .hold::<LogpMulticast>(point, 24)
            .contains(&"optimal")
    );
    for wrong in [23, 25] {
        assert!(
            std::panic::catch_unwind(|| Effort::default().hold::<LogpMulticast>(point, wrong))
                .is_err(),
            "{wrong} passes for the optimum"
        );
    }
}
