//! An algorithm of any problem.

use std::fmt;
use std::ops::Deref;

use super::definition::{Carrier, Run};
use super::{About, AnyProblem, Axis, Evaluator, Refused, Setting, Value};
use crate::cost::{Evaluation, Exact, Limits};
use crate::execution::{Event, Stage, Which};

/// An algorithm of any problem.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    problem: &'static dyn AnyProblem,
    number: usize,
    rank: usize,
    about: &'static About,
}

/// The algorithms of a problem, of which the first has this rank.
pub fn algorithms_of(problem: &'static dyn AnyProblem, first: usize) -> impl Iterator<Item = Entry> {
    let abouts = (0..problem.count()).filter_map(move |number| Some((number, problem.about(number)?)));
    abouts.map(move |(number, about)| Entry { problem, number, rank: first + number, about })
}

/// The algorithm of some problem whose name states what it is composed of; it stands behind all others.
pub fn composed(problems: &'static [&'static dyn AnyProblem], name: &str) -> Option<Entry> {
    let of = |&problem: &&'static dyn AnyProblem| {
        let number = problem.composed(name)?;
        Some(Entry { problem, number, rank: usize::MAX, about: problem.about(number)? })
    };
    problems.iter().find_map(of)
}

impl Entry {
    /// The problem that it solves.
    #[must_use]
    pub fn problem(&self) -> &'static dyn AnyProblem {
        self.problem
    }

    /// Its place in the catalogue.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The axes of its problem.
    #[must_use]
    pub fn axes(&self) -> &'static [Axis] {
        self.problem.axes()
    }

    /// A point that the algorithm takes: one value for each axis.
    #[must_use]
    pub fn example(&self) -> &'static [Value] {
        self.problem.example(self.number)
    }

    /// Whether the values are a point of the problem, and the algorithm is defined there.
    ///
    /// # Errors
    /// [`Refused::Invalid`] and [`Refused::NotHere`].
    pub fn admit(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        self.problem.admit(self.number, setting, values)
    }

    /// Evaluates the algorithm at one point after the other; faster than [`Entry::evaluate`] for neighbouring points.
    #[must_use]
    pub fn evaluator<'a>(&self, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        self.problem.evaluator(self.number, setting, limits)
    }

    /// One answer: lower bound, published figures, analytic and simulated cost.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(&self, setting: &Setting, values: &[Value], limits: &Limits) -> Result<Evaluation, Refused> {
        self.evaluator(setting, *limits)(values)
    }
}

/// What the program castbench asks of an entry beyond the public API. It can change in every version.
#[doc(hidden)]
impl Entry {
    /// What the processors do at the point and on which machine; `None` where they send no messages. Without a carrier
    /// the values name machine and size.
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    pub fn program(
        &self,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused> {
        self.problem.program(self.number, setting, values, limits, carrier)
    }

    /// Whether an evaluation simulates this point.
    pub fn simulates(&self, setting: &Setting, values: &[Value], limits: &Limits) -> bool {
        self.problem.simulates(self.number, setting, values, limits)
    }

    /// Why an evaluation does not simulate this point: it is above the limits. `None` for invalid values.
    pub fn why_skipped(&self, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String> {
        self.problem.why_skipped(self.number, setting, values, limits)
    }

    /// About how many steps a simulation of the point takes, each as long as crossing a link. 0 for invalid values.
    pub fn work(&self, setting: &Setting, values: &[Value]) -> u64 {
        self.problem.work(self.number, setting, values)
    }

    /// How many steps the analytic cost takes where there can be many, at most `most`; a million take a second. 0 for
    /// invalid values.
    pub fn steps(&self, setting: &Setting, values: &[Value], most: usize) -> usize {
        self.problem.steps(self.number, setting, values, most)
    }

    /// When every operation has ended, where that can be after the cost; `None` elsewhere and for invalid values.
    pub fn ended(&self, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>> {
        self.problem.ended(self.number, setting, values)
    }

    /// Whether its processors send messages: whether it has a program at its example.
    pub fn sends(&self) -> bool {
        // A composed one has no example without the levels of a machine.
        let is_composed = self.rank == usize::MAX;
        is_composed
            || matches!(self.program(&Setting::default(), self.example(), &Limits::default(), None), Ok(Some(_)))
    }

    /// Executes the point, emits its events and returns what their numbers mean.
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    pub fn execute(
        &self,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused> {
        self.problem.execute(self.number, setting, values, which, emit)
    }

    /// Why the point has no analytic cost, where it has none, with bounds if they are known.
    pub fn unknown(&self, setting: &Setting, values: &[Value]) -> String {
        self.problem.unknown(self.number, setting, values)
    }

    /// In one word what states its costs: `formula`, `clock`, `execution`.
    pub fn proof(&self) -> &'static str {
        self.problem.proof(self.number)
    }

    /// The points to compare where open axes have no value, the coarsest cut first.
    pub fn cuts(&self, values: &[Value]) -> Vec<Box<[Value]>> {
        self.problem.cuts(self.number, values)
    }

    /// The size of the pieces into which the point cuts its message; `None` where it does not, or for invalid values.
    pub fn piece(&self, setting: &Setting, values: &[Value]) -> Option<u64> {
        self.problem.piece(self.number, setting, values)
    }

    /// The sizes of the shortest and the longest message; `None` where they are not known, or for invalid values.
    pub fn sizes(&self, setting: &Setting, values: &[Value]) -> Option<[u64; 2]> {
        self.problem.sizes(self.number, setting, values)
    }
}

impl Deref for Entry {
    type Target = About;

    fn deref(&self) -> &About {
        self.about
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.about.name).finish()
    }
}
