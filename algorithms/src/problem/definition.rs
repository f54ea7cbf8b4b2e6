//! How a problem is defined: a type that implements [`Problem`], and the list of its algorithms.

use std::fmt;
use std::ops::Deref;

use super::instance::{Carrier, Run};
use super::{About, Axis, Refused, Setting, Unit, Value};
use crate::cost::{By, Evaluation, Exact, Limits, Published, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Stage, Which};
use crate::logp::LogP;
use crate::mpi::Function;
use crate::plan::compiled::Payloads;

/// An algorithm of one problem, as the problem's folder lists it.
pub struct Listed<A: ?Sized + 'static> {
    /// Name and source.
    pub about: About,
    /// What it does.
    pub algorithm: &'static A,
}

/// The algorithms of a problem: name, algorithm, paper and section of it, summary. `"name" 2 => ...` is at its second revision.
macro_rules! listed {
    ($($name:literal $($revision:literal)? => $algorithm:expr, $source:tt: $summary:literal;)*) => {
        &[$($crate::problem::Listed {
            about: $crate::problem::About {
                name: $name,
                summary: $summary,
                paper: $source.0,
                section: $source.1,
                revision: 1 $(* $revision)?,
                is_given: false,
            },
            algorithm: &$algorithm,
        }),*]
    };
}
pub(crate) use listed;

impl<A: ?Sized> fmt::Debug for Listed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listed").field(&self.about.name).finish()
    }
}

impl<A: ?Sized> Deref for Listed<A> {
    type Target = About;

    fn deref(&self) -> &About {
        &self.about
    }
}

/// A problem: what is to be done, by which algorithms, at which points.
#[expect(unused_variables, reason = "a default ignores what it does not need")]
pub trait Problem: Sync + Sized + 'static {
    /// Its name, valid as a file name.
    const NAME: &'static str;
    /// What is to be done, as a heading.
    const TITLE: &'static str;
    /// The parameters, in the order of the grid's product: the last runs fastest.
    const AXES: &'static [Axis];
    /// The unit of costs; nanoseconds on a machine profile.
    const UNIT: Unit;
    /// The algorithms, in the order in which reports list them.
    const ENTRIES: &'static [Listed<Self::Algorithm>];
    /// Points, by their values; an algorithm's example is the first one at which it is defined.
    const EXAMPLES: &'static [&'static [Value]];
    /// The number that users give node 0.
    const FIRST: u32 = 0;
    /// Whether costs are expectations or means, which need not be whole numbers.
    const FRACTIONS: bool = false;
    /// The MPI function that solves it.
    const MPI: Option<&'static Function> = None;
    /// Why a cost can have no analytic value.
    const UNKNOWN: &'static str = "every cost of this problem is known by formula";
    /// Its limits, in words: what, the largest accepted value, what happens beyond.
    const LIMITS: &'static [[&'static str; 3]] = &[];

    /// A checked point.
    type Point: Copy + fmt::Debug + PartialEq;
    /// The trait of its algorithms.
    type Algorithm: ?Sized + Sync;
    /// State that evaluations of neighbouring points share, to save time.
    type Memo: Default + Send;

    /// The point with these values, one for each axis; checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] for values that are no point of the problem.
    fn point(setting: &Setting, values: &[Value]) -> Result<Self::Point, Error>;

    /// L, o and g of a message of the point's size, if the point has a machine profile.
    fn model(point: Self::Point) -> Option<LogP> {
        None
    }

    /// The point in a few lines for people.
    ///
    /// # Errors
    /// Errors of the writer.
    fn describe(point: Self::Point, out: &mut dyn fmt::Write) -> fmt::Result;

    /// The exact cost from a closed form, a recurrence or an enumeration; `None` where only a simulation gives it.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, [`Error::Overflow`].
    fn analytic(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        memo: &mut Self::Memo,
    ) -> Result<Option<Exact>, Error>;

    /// The exact cost, and what states it.
    ///
    /// # Errors
    /// Errors of [`Problem::analytic`].
    fn analytic_by(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        memo: &mut Self::Memo,
    ) -> Result<Option<(Exact, By)>, Error> {
        Ok(Self::analytic(algorithm, point, memo)?.map(|cost| (cost, By::Formula)))
    }

    /// In one word what states the costs of an algorithm: `formula` where a formula is proven at every point, `clock` where none
    /// is at some, `execution` where only an execution is exact.
    #[must_use]
    fn proof(algorithm: &Self::Algorithm) -> &'static str {
        By::Formula.word()
    }

    /// [`Problem::UNKNOWN`] at this point.
    fn why_unknown(algorithm: &Self::Algorithm, point: Self::Point) -> &'static str {
        Self::UNKNOWN
    }

    /// Bounds of the cost where [`Problem::analytic`] does not give it; `None` where none are known.
    fn bounds(algorithm: &Self::Algorithm, point: Self::Point) -> Option<[u64; 2]> {
        None
    }

    /// A bound below which no algorithm can be.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    fn lower_bound(point: Self::Point, memo: &mut Self::Memo) -> Result<Exact, Error>;

    /// A bound below which no algorithm can be that cuts messages no finer than those of castbench, if this is one of them.
    ///
    /// # Errors
    /// Errors of [`Problem::lower_bound`].
    fn lower_bound_of(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        memo: &mut Self::Memo,
    ) -> Result<Exact, Error> {
        Self::lower_bound(point, memo)
    }

    /// What gives the lower bound, where it is the largest of several.
    fn bound_name(point: Self::Point) -> Option<&'static str> {
        None
    }

    /// Whether a send of the smallest message takes its sender no time, because o = g = 0: any number leave at once.
    fn is_free(point: Self::Point) -> bool {
        false
    }

    /// Whether words of several nodes are combined, which takes the time c.
    fn combines() -> bool {
        false
    }

    /// What papers state, the most important first.
    fn published(algorithm: &Self::Algorithm, point: Self::Point) -> Vec<Published> {
        Vec::new()
    }

    /// Why the point is not simulated, if it is above the limits.
    fn too_large(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        limits: &Limits,
    ) -> Option<String>;

    /// An estimate of the steps of a simulation, for progress: messages, hops or additions, times the levels of a queue or sort.
    fn work(algorithm: &Self::Algorithm, point: Self::Point) -> u64;

    /// The cost of what the algorithm does, executed by the simulator of the model.
    ///
    /// # Errors
    /// The rule that is broken, [`Error::Overflow`].
    fn simulate(algorithm: &Self::Algorithm, point: Self::Point) -> Result<Simulated, Error>;

    /// The points to compare for an algorithm where the [open](Axis::is_open) axes have no value, the coarsest cut first.
    fn cuts(algorithm: &Self::Algorithm, values: &[Value]) -> Vec<Box<[Value]>> {
        vec![values.into()]
    }

    /// The size of the pieces into which a point cuts a message, where it cuts one.
    fn piece(algorithm: &Self::Algorithm, point: Self::Point) -> Option<u64> {
        None
    }

    /// The sizes of the shortest and the longest message, for programs of any length; `None` where they are not known.
    fn sizes(algorithm: &Self::Algorithm, point: Self::Point) -> Option<[u64; 2]> {
        None
    }

    /// What processors do at a point; `None` for problems in which they send no messages.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, those of the builder.
    fn program(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        carrier: Carrier,
    ) -> Option<Result<Run, Error>> {
        None
    }

    /// What the messages of [`Problem::program`] carry; `None` where that is not known.
    fn payloads(algorithm: &Self::Algorithm, point: Self::Point) -> Option<Payloads> {
        None
    }

    /// Executes one draw of the point, the only one where nothing is random, and emits its events.
    ///
    /// # Errors
    /// Errors of [`Problem::simulate`]; [`Error::Parameter`] for a draw that the point does not have.
    fn execute(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        which: &Which,
        emit: Emit<'_>,
    ) -> Result<Stage, Error>;

    /// Whether the algorithm is defined at this point; override it where that is faster than the cost.
    ///
    /// # Errors
    /// [`Error::Parameter`] where it is not; where it is, the error of its cost.
    fn defined(algorithm: &Self::Algorithm, point: Self::Point) -> Result<(), Error> {
        Self::analytic(algorithm, point, &mut Self::Memo::default()).map(|_| ())
    }

    /// How many steps [`Problem::analytic`] takes, at most `most`, where there can be many: a million take 1 s.
    fn steps(algorithm: &Self::Algorithm, point: Self::Point, most: usize) -> usize {
        0
    }

    /// All costs at one point.
    ///
    /// # Errors
    /// Why there is no cost.
    fn evaluate(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        limits: &Limits,
        memo: &mut Self::Memo,
    ) -> Result<Evaluation, Refused> {
        let analytic = Self::analytic_by(algorithm, point, memo).map_err(Refused::by_algorithm)?;
        let (analytic, by) = analytic.unzip();
        let simulated = match Self::too_large(algorithm, point, limits) {
            Some(reason) => Simulated::Skipped(reason),
            None => Self::simulate(algorithm, point).map_err(Refused::by_simulator)?,
        };
        let lower_bound =
            Self::lower_bound_of(algorithm, point, memo).map_err(Refused::by_simulator)?;
        Ok(Evaluation {
            lower_bound,
            published: Self::published(algorithm, point),
            analytic,
            by,
            simulated,
        })
    }

    /// Evaluates a single point, with a memo of its own.
    ///
    /// # Errors
    /// Why there is no cost.
    fn at(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        limits: &Limits,
    ) -> Result<Evaluation, Error> {
        Self::evaluate(algorithm, point, limits, &mut Self::Memo::default()).map_err(Error::from)
    }

    /// The algorithm with this number: one of [`Problem::ENTRIES`], or behind them one that was made while castbench runs.
    #[must_use]
    fn listed(number: usize) -> Option<&'static Listed<Self::Algorithm>> {
        Self::ENTRIES.get(number)
    }

    /// The number of an algorithm whose name states what it is composed of.
    #[must_use]
    fn composed(name: &str) -> Option<usize> {
        None
    }

    /// The algorithm of this name.
    #[must_use]
    fn find(name: &str) -> Option<&'static Self::Algorithm> {
        Self::ENTRIES
            .iter()
            .find(|listed| listed.about.name == name)
            .map(|listed| listed.algorithm)
    }
}

/// The values of a point, one for each axis.
///
/// # Errors
/// [`Error::Parameter`] for another number of values than the problem has axes.
pub fn coordinates<const N: usize>(values: &[Value]) -> Result<[Value; N], Error> {
    values.try_into().map_err(|_| {
        Error::parameter(
            "values",
            values.len(),
            format!("expected {N}, one for each axis"),
        )
    })
}

/// The value of an axis that the form of the point has.
///
/// # Errors
/// [`Error::Parameter`] where it is missing.
pub fn needed(key: &'static str, value: Value) -> Result<u64, Error> {
    value.ok_or_else(|| Error::parameter(key, "nothing", "expected a value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_the_first_unless_it_is_listed() {
        const LISTED: &[Listed<()>] = listed! {
            "new" => (), ("a paper", "1"): "at its first";
            "changed" 3 => (), ("a paper", "2"): "at its third";
        };
        assert_eq!(
            LISTED
                .iter()
                .map(|listed| listed.revision)
                .collect::<Vec<_>>(),
            [1, 3]
        );
    }
}
