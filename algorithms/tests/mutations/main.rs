//! Every simulator and audit on mutated schedules: each schedule of the catalogue on small instances, changed in one
//! place in every way of a kind, must be refused with a correct error, or be legal.
//!
//! For each simulator there is a *judge*. It implements the stated rules of the model without code of `algorithms`, and
//! names all rules that a mutant breaks. If a mutant breaks none, the simulator must give the judge's cost; otherwise
//! it must refuse, naming a broken rule. Each kind of mutation lists its possible verdicts, and each of them must
//! occur.
//!
//! `cargo test -p castbench-algorithms --test mutations -- --nocapture` prints the number of mutants of each
//! kind.

#![expect(
    non_snake_case,
    reason = "a symbol of a paper keeps the letter it has there"
)]

mod gossip;
mod rounds;
mod routes;
mod summation;
mod timed_trees;
mod trees;
mod worms;

#[path = "../ticks/mod.rs"]
mod ticks;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use castbench_algorithms::internals::multiport::{Rounds, Transfer};

/// The judgement: the names of the broken rules, or the cost of the mutant.
type Judged<T> = Result<T, BTreeSet<&'static str>>;

/// The verdict of a mutant that breaks no rule.
const LEGAL: &str = "legal";

/// Copies of a schedule, each changed in one way, with the kind of change.
struct Mutants<'a, T> {
    original: &'a T,
    made: Vec<(&'static str, T)>,
}

impl<'a, T: Clone> Mutants<'a, T> {
    fn new(original: &'a T) -> Self {
        Self {
            original,
            made: Vec::new(),
        }
    }

    fn with(&mut self, kind: &'static str, change: impl FnOnce(&mut T)) {
        let mut mutant = self.original.clone();
        change(&mut mutant);
        self.made.push((kind, mutant));
    }
}

/// Column and row of a label on the snake through columns of h nodes.
fn on_snake(h: u32, label: u32) -> (u32, u32) {
    let (x, along) = (label / h, label % h);
    (
        x,
        if x.is_multiple_of(2) {
            along
        } else {
            h - 1 - along
        },
    )
}

/// The transfers of a schedule, round by round.
fn rounds(schedule: &mut dyn Rounds) -> Vec<Vec<Transfer>> {
    let mut rounds = Vec::new();
    loop {
        let mut transfers = Vec::new();
        if !schedule.round(&mut transfers) {
            return rounds;
        }
        rounds.push(transfers);
    }
}

/// The name of an error's variant.
fn variant(error: &impl Debug) -> String {
    format!("{error:?}")
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_string()
}

/// The number of mutants by kind and verdict.
struct Tally {
    simulator: &'static str,
    counts: BTreeMap<(&'static str, String), u64>,
}

impl Tally {
    fn new(simulator: &'static str) -> Self {
        Self {
            simulator,
            counts: BTreeMap::new(),
        }
    }

    /// Compares a simulator's answer for a mutant with its judge.
    fn hold<T: PartialEq + Debug, E: Debug>(
        &mut self,
        kind: &'static str,
        said: Result<T, E>,
        judged: &Judged<T>,
        mutant: &dyn Debug,
    ) {
        let verdict = match (said, judged) {
            (Ok(said), Ok(judged)) => {
                assert_eq!(said, *judged, "{}, {kind}: {mutant:?}", self.simulator);
                LEGAL.to_string()
            }
            (Err(error), Err(broken)) => {
                let named = variant(&error);
                let what = self.simulator;
                assert!(
                    broken.contains(&*named),
                    "{what}, {kind}: {error:?}, but broken are {broken:?}: {mutant:?}"
                );
                named
            }
            (said, judged) => panic!(
                "{}, {kind}: said {said:?}, judged {judged:?}: {mutant:?}",
                self.simulator
            ),
        };
        *self.counts.entry((kind, verdict)).or_default() += 1;
    }

    /// Compares a simulator with its judge on an original and on its mutants.
    fn hold_all<S: Debug, T: PartialEq + Debug, E: Debug>(
        &mut self,
        original: &S,
        mutants: Vec<(&'static str, S)>,
        run: impl Fn(&S) -> Result<T, E>,
        judge: impl Fn(&S) -> Judged<T>,
    ) {
        assert_eq!(
            run(original).ok(),
            judge(original).ok(),
            "{}: {original:?}",
            self.simulator
        );
        for (kind, mutant) in mutants {
            self.hold(kind, run(&mutant), &judge(&mutant), &mutant);
        }
    }

    /// Prints the counts, and checks that exactly these kinds and verdicts occurred.
    fn finish(self, expected: &[(&'static str, &[&str])]) {
        let mut left = self.counts.clone();
        for &(kind, verdicts) in expected {
            let counts: Vec<String> = verdicts
                .iter()
                .map(|&verdict| {
                    let count = left.remove(&(kind, verdict.to_string())).unwrap_or(0);
                    assert!(
                        count > 0,
                        "{}, {kind}: no mutant was {verdict}; {:?}",
                        self.simulator,
                        self.counts
                    );
                    format!("{verdict} {count}")
                })
                .collect();
            println!("{} | {kind} | {}", self.simulator, counts.join(", "));
        }
        assert!(
            left.is_empty(),
            "{}: verdicts that were not expected: {left:?}",
            self.simulator
        );
    }
}
