//! Any problem behind a trait object.

use std::fmt;

use super::definition::{Carrier, Problem, Run};
use super::{About, Axis, Kind, Refused, Setting, Unit, Value};
use crate::cost::{Evaluation, Exact, LARGEST, Limits};
use crate::execution::{Event, Stage, Which};
use crate::mpi::Function;
use crate::text::grouped;

/// Evaluates one algorithm at one point after the other, and keeps what neighbouring points share.
pub type Evaluator<'a> = Box<dyn FnMut(&[Value]) -> Result<Evaluation, Refused> + Send + 'a>;

/// A problem of the [catalogue](crate::catalogue). Other crates cannot implement it.
pub trait AnyProblem: Algorithms {
    /// Its name, valid as a file name.
    fn name(&self) -> &'static str;
    /// What is to be done, as a heading.
    fn title(&self) -> &'static str;
    /// Its parameters; a point has one [`Value`] for each, in this order.
    fn axes(&self) -> &'static [Axis];
    /// [`Problem::NOW`].
    fn now(&self) -> Option<&'static str>;
    /// The unit of a cost at these values.
    fn unit(&self, values: &[Value]) -> Unit;
    /// Whether the values describe an instance of the problem.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    fn check(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused>;
    /// Writes the point in a few lines for people; nothing for invalid values.
    ///
    /// # Errors
    /// Those of the writer.
    fn describe(&self, setting: &Setting, values: &[Value], out: &mut dyn fmt::Write) -> fmt::Result;
    /// What gives the lower bound, where it is the largest of several; `None` also for invalid values.
    fn bound(&self, setting: &Setting, values: &[Value]) -> Option<&'static str>;
    /// [`Problem::is_free`]; `false` also for invalid values.
    fn is_free(&self, setting: &Setting, values: &[Value]) -> bool;
    /// [`Problem::combines`].
    fn combines(&self) -> bool;
}

/// What castbench uses beyond the public API. `number` is an index into [`Problem::ENTRIES`]; [`Entry`](super::Entry) passes
/// only valid ones.
pub trait Algorithms: Sync {
    /// The keys of axes that go together; empty where all do. `[L o g K]` and `[machine bytes K]` exclude each other.
    fn forms(&self) -> &'static [&'static [&'static str]];
    /// [`Problem::bounds`] and [`Problem::UNKNOWN`] in words.
    fn unknown(&self, number: usize, setting: &Setting, values: &[Value]) -> String;
    /// [`Problem::LIMITS`].
    fn limits(&self) -> &'static [[&'static str; 3]];
    /// Whether costs are expectations or means, which need not be integers.
    fn fractions(&self) -> bool;
    /// Fills in L, o and g where a machine profile determines them: those of a message of the point's size. Invalid values
    /// stay as they are.
    fn resolve(&self, setting: &Setting, values: &mut [Value]);
    /// The number that users give node 0: 0 or 1.
    fn first(&self) -> u32;
    /// The keys of axes whose values [`Algorithms::cuts`] can choose.
    fn open(&self) -> &'static [&'static str];
    /// Whether nodes can be near or far, as on a machine with levels.
    fn has_distances(&self) -> bool;
    /// How many algorithms [`Problem::ENTRIES`] has; those behind them are composed.
    fn count(&self) -> usize;
    /// [`Problem::proof`].
    fn proof(&self, number: usize) -> &'static str;
    /// Name and source of an algorithm.
    fn about(&self, number: usize) -> Option<&'static About>;
    /// [`Problem::composed`].
    fn composed(&self, name: &str) -> Option<usize>;
    /// A point that the algorithm takes.
    fn example(&self, number: usize) -> &'static [Value];
    /// Whether the algorithm is defined for this instance.
    ///
    /// # Errors
    /// [`Refused::Invalid`] and [`Refused::NotHere`].
    fn admit(&self, number: usize, setting: &Setting, values: &[Value]) -> Result<(), Refused>;
    /// Whether an evaluation would simulate this point.
    fn simulates(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> bool;
    /// Why an evaluation would not simulate this point: [`Problem::too_large`]; `None` where there is no such point.
    fn why_skipped(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String>;
    /// [`Problem::work`]; 0 where there is no such point.
    fn work(&self, number: usize, setting: &Setting, values: &[Value]) -> u64;
    /// [`Problem::steps`]; 0 where there is no such point.
    fn steps(&self, number: usize, setting: &Setting, values: &[Value], most: usize) -> usize;
    /// [`Problem::program`] within the limits; `None` where processors send no messages. Without a carrier, the values name
    /// machine and size.
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    fn program(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused>;
    /// [`Problem::MPI`].
    fn mpi(&self) -> Option<&'static Function>;
    /// [`Problem::cuts`].
    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>>;
    /// [`Problem::piece`]; also `None` for invalid values.
    fn piece(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<u64>;
    /// [`Problem::sizes`]; also `None` for invalid values.
    fn sizes(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<[u64; 2]>;
    /// [`Problem::ended`]; also `None` for invalid values.
    fn ended(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>>;
    /// [`Problem::execute`].
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    fn execute(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused>;
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

    fn now(&self) -> Option<&'static str> {
        P::NOW
    }

    fn unit(&self, values: &[Value]) -> Unit {
        let on_profile = P::AXES.iter().zip(values).any(|(axis, value)| axis.kind == Kind::Profile && value.is_some());
        if on_profile { Unit::Nanoseconds } else { P::UNIT }
    }

    fn check(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        P::point(setting, values).map(|_| ()).map_err(Refused::Invalid)
    }

    fn describe(&self, setting: &Setting, values: &[Value], out: &mut dyn fmt::Write) -> fmt::Result {
        P::point(setting, values).map_or(Ok(()), |point| P::describe(point, out))
    }

    fn bound(&self, setting: &Setting, values: &[Value]) -> Option<&'static str> {
        P::bound(P::point(setting, values).ok()?)
    }

    fn is_free(&self, setting: &Setting, values: &[Value]) -> bool {
        P::point(setting, values).is_ok_and(P::is_free)
    }

    fn combines(&self) -> bool {
        P::combines()
    }
}

impl<P: Problem> Algorithms for P {
    fn forms(&self) -> &'static [&'static [&'static str]] {
        P::FORMS
    }

    fn unknown(&self, number: usize, setting: &Setting, values: &[Value]) -> String {
        let point = P::point(setting, values).ok();
        let why = point.map_or(P::UNKNOWN, |point| P::why_unknown(algorithm::<P>(number), point));
        match point.and_then(|point| P::bounds(algorithm::<P>(number), point)) {
            Some([least, LARGEST]) => format!("at least {}; {why}", grouped(least)),
            Some([least, most]) => format!("between {} and {}; {why}", grouped(least), grouped(most)),
            None => why.to_owned(),
        }
    }

    fn limits(&self) -> &'static [[&'static str; 3]] {
        P::LIMITS
    }

    fn fractions(&self) -> bool {
        P::FRACTIONS
    }

    fn resolve(&self, setting: &Setting, values: &mut [Value]) {
        let Some(model) = P::point(setting, values).ok().and_then(P::model) else { return };
        for (key, time) in [("L", model.L()), ("o", model.o()), ("g", model.g())] {
            P::AXES
                .iter()
                .zip(&mut *values)
                .filter(|(axis, _)| axis.key == key)
                .for_each(|(_, value)| *value = Some(time));
        }
    }

    fn first(&self) -> u32 {
        P::FIRST
    }

    fn open(&self) -> &'static [&'static str] {
        P::OPEN
    }

    fn has_distances(&self) -> bool {
        P::DISTANCES
    }

    fn count(&self) -> usize {
        P::ENTRIES.len()
    }

    fn proof(&self, number: usize) -> &'static str {
        P::proof(algorithm::<P>(number))
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        P::listed(number).map(|listed| &listed.about)
    }

    fn composed(&self, name: &str) -> Option<usize> {
        P::composed(name)
    }

    fn example(&self, number: usize) -> &'static [Value] {
        // To find out where a user's command is defined would run it.
        let is_given = self.about(number).is_some_and(|about| about.is_given);
        let takes = |values: &&&[Value]| is_given || self.admit(number, &Setting::default(), values).is_ok();
        // One for the levels of a machine takes none of them, and has the axes of all.
        P::EXAMPLES.iter().find(takes).or(P::EXAMPLES.first()).copied().unwrap_or(&[])
    }

    fn admit(&self, number: usize, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        let point = P::point(setting, values).map_err(Refused::Invalid)?;
        match defined::<P>(algorithm::<P>(number), point) {
            // It is defined, and its cost is too large.
            Err(Refused::Overflow) => Ok(()),
            answer => answer,
        }
    }

    fn simulates(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> bool {
        let algorithm = algorithm::<P>(number);
        P::point(setting, values).is_ok_and(|point| P::too_large(algorithm, point, limits).is_none())
    }

    fn why_skipped(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String> {
        let point = P::point(setting, values).ok()?;
        P::too_large(algorithm::<P>(number), point, limits)
    }

    fn work(&self, number: usize, setting: &Setting, values: &[Value]) -> u64 {
        P::point(setting, values).map_or(0, |point| P::work(algorithm::<P>(number), point))
    }

    fn steps(&self, number: usize, setting: &Setting, values: &[Value], most: usize) -> usize {
        P::point(setting, values).map_or(0, |point| P::steps(algorithm::<P>(number), point, most))
    }

    fn program(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused> {
        let of_kind =
            |kind| P::AXES.iter().zip(values).find(|(axis, _)| axis.kind == kind).and_then(|(_, value)| *value);
        let profile = of_kind(Kind::Profile).map(|place| setting.profile(place)).transpose();
        let named = Carrier { profile: profile.map_err(Refused::Invalid)?, bytes: of_kind(Kind::Bytes).unwrap_or(1) };
        let carrier = carrier.unwrap_or(named);
        let (algorithm, point) = executed::<P>(number, setting, values, limits)?;
        Refused::or_panicked(|| P::program(algorithm, point, carrier).transpose().map_err(Refused::by_algorithm))
    }

    fn mpi(&self) -> Option<&'static Function> {
        P::MPI
    }

    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>> {
        P::cuts(algorithm::<P>(number), values)
    }

    fn piece(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<u64> {
        P::piece(algorithm::<P>(number), P::point(setting, values).ok()?)
    }

    fn sizes(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<[u64; 2]> {
        P::sizes(algorithm::<P>(number), P::point(setting, values).ok()?)
    }

    fn ended(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>> {
        let point = P::point(setting, values).ok()?;
        P::ended(algorithm::<P>(number), point).map(|time| time.map_err(Refused::by_algorithm))
    }

    fn execute(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused> {
        let (algorithm, point) = executed::<P>(number, setting, values, &Limits::default())?;
        let executed = || P::execute(algorithm, point, which, emit).map_err(Refused::by_algorithm);
        let stage = Refused::or_panicked(executed)?;
        Ok(Stage { unit: self.unit(values), first: P::FIRST, ..stage })
    }

    fn evaluator<'a>(&self, number: usize, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        let algorithm = algorithm::<P>(number);
        let mut memo = P::Memo::default();
        Box::new(move |values| {
            let point = P::point(setting, values).map_err(Refused::Invalid)?;
            let evaluation = Refused::or_panicked(|| P::evaluate(algorithm, point, &limits, &mut memo));
            if matches!(evaluation, Err(Refused::Broken(_))) {
                // A panic can leave it half written.
                memo = P::Memo::default();
            }
            let evaluation = evaluation?;
            match evaluation.analytic {
                Some(Exact::Integer(cost)) if cost > LARGEST => Err(Refused::Overflow),
                _ => Ok(evaluation),
            }
        })
    }
}

/// The algorithm with a number, which is one of the problem's.
fn algorithm<P: Problem>(number: usize) -> &'static P::Algorithm {
    P::listed(number).unwrap_or(&P::ENTRIES[0]).algorithm
}

/// Whether an algorithm is defined at a point; [`Refused::Overflow`] where its cost is known to be too large.
fn defined<P: Problem>(algorithm: &P::Algorithm, point: P::Point) -> Result<(), Refused> {
    Refused::or_panicked(|| P::defined(algorithm, point).map_err(Refused::by_algorithm))
}

/// An algorithm at a point that is not too large to be executed, with a cost that is not.
fn executed<P: Problem>(
    number: usize,
    setting: &Setting,
    values: &[Value],
    limits: &Limits,
) -> Result<(&'static P::Algorithm, P::Point), Refused> {
    let algorithm = algorithm::<P>(number);
    let point = P::point(setting, values).map_err(Refused::Invalid)?;
    defined::<P>(algorithm, point)?;
    P::too_large(algorithm, point, limits).map_or(Ok((algorithm, point)), |why| Err(Refused::TooLarge(why)))
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
