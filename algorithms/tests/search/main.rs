//! Brute force: small instances of every problem, solved by searches that know the rules of the model and nothing of the
//! algorithms, their trees or their bounds; and every algorithm of the catalogue held against what they find.
//!
//! Each file says what it enumerates and why that is every schedule. What they share with `algorithms` are the types in
//! which an instance is stated. `cargo test --release -p castbench-algorithms --test search -- --nocapture` prints how many
//! instances were solved and how many states that took.
//!
//! **Why whole times suffice** where a model has times. All its rules say of two times that one is at least so much after
//! the other, or (of a processor that does one thing at a time, of messages in transit) that one of several such
//! statements holds, and all amounts are integers. From `a >= b + c` with an integer `c` follows
//! `floor(a) >= floor(b) + c`. So a schedule with any times, each rounded down, is a schedule with whole times that keeps
//! every rule and ends no later. The searches go through all schedules with whole times, those that wait included.

#![expect(non_snake_case, reason = "a symbol of a paper keeps the letter it has there")]

mod barrier;
mod gossip;
mod k_port;
mod links;
mod multicast;
mod pipeline;
mod summation;
mod summation_forward;
mod worms;

#[path = "../ticks/mod.rs"]
mod ticks;

use std::collections::BTreeMap;

use castbench_algorithms::cost::{Agreement, Exact, Limits};
use castbench_algorithms::error::Error;
use castbench_algorithms::logp::LogP;
use castbench_algorithms::logp::multicast::problem::{LogpMulticast, Point};
use castbench_algorithms::problem::Problem;

/// What a search went through, and which algorithms were held against what it found.
#[derive(Debug, Default)]
struct Effort {
    instances: u64,
    states: u64,
    /// How many instances each algorithm of the problem took.
    evaluated: BTreeMap<&'static str, u64>,
}

impl Effort {
    /// One more instance.
    fn add(&mut self, states: usize) {
        self.instances += 1;
        self.states += states as u64;
    }

    /// Holds every algorithm of the problem at one point against the least cost of all schedules: its bound is not above it,
    /// its cost not below, analytic and simulated agree. Returns the algorithms that reach it, by name.
    fn hold<P: Problem>(&mut self, point: P::Point, least: u64) -> Vec<&'static str> {
        let mut reaching = Vec::new();
        for entry in P::ENTRIES {
            let count = self.evaluated.entry(entry.name).or_default();
            let found = match P::at(entry.algorithm, point, &Limits::default()) {
                Ok(found) => found,
                // Not made for this instance; `tell` sees to it that it was for another.
                Err(Error::Parameter { .. }) => continue,
                Err(error) => panic!("{} at {point:?}: {error}", entry.name),
            };
            *count += 1;
            let what = format!("{} at {point:?}", entry.name);
            assert_eq!(found.agreement(), Agreement::Agree, "{what}");
            let Exact::Integer(bound) = found.lower_bound else { panic!("{what}: the bound is no integer") };
            let Some(Exact::Integer(cost)) = found.analytic else { panic!("{what}: the cost is no integer") };
            assert!(bound <= least, "{what}: the bound {bound} is above the optimum {least}");
            assert!(least <= cost, "{what}: {cost} is below the optimum {least}");
            reaching.extend((cost == least).then_some(entry.name));
        }
        reaching
    }

    /// What is printed of it; every algorithm of the problem took an instance at least.
    fn tell(self, what: &str) {
        let Self { instances, states, evaluated } = self;
        println!("{what}: {instances} instances, {states} states");
        assert!(instances > 0 && states > 0);
        for (name, count) in evaluated {
            assert!(count > 0, "{what}: {name} refuses all instances");
        }
    }
}

/// The runner can fail: an optimum that is one too high, or one too low, is told.
#[test]
fn a_wrong_optimum_is_caught() {
    let model = LogP::new(6, 2, 4).unwrap();
    let point = Point { model, K: 8, source: 1 };
    assert!(Effort::default().hold::<LogpMulticast>(point, 24).contains(&"optimal"));
    for wrong in [23, 25] {
        assert!(
            std::panic::catch_unwind(|| Effort::default().hold::<LogpMulticast>(point, wrong)).is_err(),
            "{wrong} passes for the optimum"
        );
    }
}
