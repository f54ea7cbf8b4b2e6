//! An algorithm of any problem.

use std::fmt;
use std::ops::Deref;

use super::{About, Axis, Instance, Memo, Problem, Refused, Setting, Value};
use crate::cost::{Evaluation, Limits};

/// Evaluates one algorithm at one point after the other, and keeps what neighbouring points share.
pub type Evaluator<'a> = Box<dyn FnMut(&[Value]) -> Result<Evaluation, Refused> + Send + 'a>;

/// An algorithm of any problem.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    problem: &'static Problem,
    number: usize,
    rank: usize,
    about: &'static About,
}

/// The algorithms of a problem, of which the first has this rank.
pub fn algorithms_of(problem: &'static Problem, first: usize) -> impl Iterator<Item = Entry> {
    let abouts = (0..problem.count())
        .filter_map(move |number| Some((number, problem.algorithms.about(number)?)));
    abouts.map(move |(number, about)| Entry {
        problem,
        number,
        rank: first + number,
        about,
    })
}

/// The algorithm of some problem whose name states what it is composed of; it stands behind all others.
pub fn composed(problems: &'static [Problem], name: &str) -> Option<Entry> {
    let of = |problem: &'static Problem| {
        let number = problem.algorithms.composed(name)?;
        Some(Entry {
            problem,
            number,
            rank: usize::MAX,
            about: problem.algorithms.about(number)?,
        })
    };
    problems.iter().find_map(of)
}

impl Entry {
    /// The problem that it solves.
    #[must_use]
    pub fn problem(&self) -> &'static Problem {
        self.problem
    }

    /// Its index in the catalogue.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The axes of its problem.
    #[must_use]
    pub fn axes(&self) -> &'static [Axis] {
        self.problem.axes
    }

    /// A point that the algorithm takes: one value for each axis.
    #[must_use]
    pub fn example(&self) -> Vec<Value> {
        // To find out where a user's command is defined would run it.
        let takes = |values: &Vec<Value>| {
            self.about.is_given
                || self
                    .at(&Setting::default(), values)
                    .is_ok_and(|instance| instance.admit().is_ok())
        };
        let mut examples =
            (self.problem.examples.iter()).map(|example| self.problem.example(example));
        // One for the levels of a machine takes none of them, and has the axes of all.
        let found = examples.clone().find(takes).or_else(|| examples.next());
        found.unwrap_or_default()
    }

    /// The algorithm at a point: one value for each axis.
    ///
    /// # Errors
    /// [`Refused::Invalid`] for values that are no point of the problem.
    pub fn at(&self, setting: &Setting, values: &[Value]) -> Result<Instance, Refused> {
        let bound = self.problem.algorithms.bind(self.number, setting, values);
        bound
            .and_then(|case| Instance::new(self.problem, case, setting, values))
            .map_err(Refused::Invalid)
    }

    /// One answer: lower bound, published figures, analytic and simulated cost.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(
        &self,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
    ) -> Result<Evaluation, Refused> {
        self.at(setting, values)?.evaluate(limits)
    }

    /// Evaluates the algorithm at one point after the other; faster than [`Entry::evaluate`] for neighbouring points.
    #[must_use]
    pub fn evaluator<'a>(&self, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        let (entry, mut memo) = (*self, Memo::default());
        Box::new(move |values| {
            entry
                .at(setting, values)?
                .evaluate_after(&limits, &mut memo)
        })
    }

    /// Whether its processors send messages: whether it has a program at its example, or one that is refused by name.
    #[must_use]
    pub fn sends(&self) -> bool {
        // A composed one has no example without the levels of a machine.
        let is_composed = self.rank == usize::MAX;
        let example = || self.at(&Setting::default(), &self.example());
        is_composed
            || example()
                .is_ok_and(|point| !matches!(point.program(&Limits::default(), None), Ok(None)))
    }

    /// In one word what states its costs: `formula`, `clock`, `execution`.
    #[must_use]
    pub fn proof(&self) -> &'static str {
        self.problem.algorithms.proof(self.number)
    }

    /// The points to compare where open axes have no value, the coarsest cut first.
    #[must_use]
    pub fn cuts(&self, values: &[Value]) -> Vec<Box<[Value]>> {
        self.problem.algorithms.cuts(self.number, values)
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
