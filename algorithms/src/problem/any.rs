//! Any problem behind a trait object.

use std::fmt;

use super::applied::{Applied, algorithm};
use super::definition::Problem;
use super::instance::Instance;
use super::{About, Axis, Kind, Refused, Setting, Unit, Value};
use crate::cost::{Evaluation, Limits};
use crate::mpi::Function;

/// Evaluates one algorithm at one point after the other, and keeps what neighbouring points share.
pub type Evaluator<'a> = Box<dyn FnMut(&[Value]) -> Result<Evaluation, Refused> + Send + 'a>;

/// A problem of the [catalogue](crate::catalogue). Other crates cannot implement it.
///
/// `number` is an index into the problem's algorithms; [`Entry`](super::Entry) passes only valid ones.
pub trait AnyProblem: Sync {
    /// Its name, valid as a file name.
    fn name(&self) -> &'static str;
    /// What is to be done, as a heading.
    fn title(&self) -> &'static str;
    /// Its parameters; a point has one [`Value`] for each, in this order.
    fn axes(&self) -> &'static [Axis];
    /// The unit of a cost at these values.
    fn unit(&self, values: &[Value]) -> Unit;
    /// Whether words of several nodes are combined, which takes the time c.
    fn combines(&self) -> bool;
    /// Whether costs are expectations or means, which need not be integers.
    fn fractions(&self) -> bool;
    /// The number that users give node 0: 0 or 1.
    fn first(&self) -> u32;
    /// Its limits, in words: what, the largest accepted value, what happens beyond.
    fn limits(&self) -> &'static [[&'static str; 3]];
    /// The MPI function that solves it.
    fn mpi(&self) -> Option<&'static Function>;
    /// How many algorithms it lists; those behind them are composed.
    fn count(&self) -> usize;
    /// Name and source of an algorithm.
    fn about(&self, number: usize) -> Option<&'static About>;
    /// The number of an algorithm whose name states what it is composed of.
    fn composed(&self, name: &str) -> Option<usize>;
    /// In one word what states the costs of an algorithm: `formula`, `clock`, `execution`.
    fn proof(&self, number: usize) -> &'static str;
    /// A point that the algorithm takes.
    fn example(&self, number: usize) -> &'static [Value];
    /// The points to compare where open axes have no value, the coarsest cut first.
    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>>;
    /// The algorithm at these values.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Instance>, Refused>;
    /// Evaluates the algorithm at one point after the other, up to the limits.
    fn evaluator<'a>(&self, number: usize, setting: &'a Setting, limits: Limits) -> Evaluator<'a>;
}

impl<P: Problem> AnyProblem for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn title(&self) -> &'static str {
        P::TITLE
    }

    fn axes(&self) -> &'static [Axis] {
        P::AXES
    }

    fn unit(&self, values: &[Value]) -> Unit {
        let on_profile = P::AXES
            .iter()
            .zip(values)
            .any(|(axis, value)| axis.kind == Kind::Profile && value.is_some());
        if on_profile {
            Unit::Nanoseconds
        } else {
            P::UNIT
        }
    }

    fn combines(&self) -> bool {
        P::combines()
    }

    fn fractions(&self) -> bool {
        P::FRACTIONS
    }

    fn first(&self) -> u32 {
        P::FIRST
    }

    fn limits(&self) -> &'static [[&'static str; 3]] {
        P::LIMITS
    }

    fn mpi(&self) -> Option<&'static Function> {
        P::MPI
    }

    fn count(&self) -> usize {
        P::ENTRIES.len()
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        P::listed(number).map(|listed| &listed.about)
    }

    fn composed(&self, name: &str) -> Option<usize> {
        P::composed(name)
    }

    fn proof(&self, number: usize) -> &'static str {
        P::proof(algorithm::<P>(number))
    }

    fn example(&self, number: usize) -> &'static [Value] {
        // To find out where a user's command is defined would run it.
        let is_given = self.about(number).is_some_and(|about| about.is_given);
        let admits = |values: &&&[Value]| {
            Applied::<P>::new(number, &Setting::default(), values)
                .is_ok_and(|instance| instance.admit().is_ok())
        };
        let takes = |values: &&&[Value]| is_given || admits(values);
        // One for the levels of a machine takes none of them, and has the axes of all.
        P::EXAMPLES
            .iter()
            .find(takes)
            .or(P::EXAMPLES.first())
            .copied()
            .unwrap_or(&[])
    }

    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>> {
        P::cuts(algorithm::<P>(number), values)
    }

    fn bind(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Box<dyn Instance>, Refused> {
        Ok(Box::new(Applied::<P>::new(number, setting, values)?))
    }

    fn evaluator<'a>(&self, number: usize, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        let mut memo = P::Memo::default();
        Box::new(move |values| {
            Applied::<P>::new(number, setting, values)?.evaluate_after(&limits, &mut memo)
        })
    }
}

impl fmt::Debug for dyn AnyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Problems are equal if their names are.
impl PartialEq for dyn AnyProblem {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn AnyProblem {}
