//! An algorithm at one point.

use std::fmt;

use super::definition::{Carrier, Problem, Run};
use super::{Kind, Refused, Setting, Unit, Value};
use crate::cost::{Evaluation, Exact, LARGEST, Limits};
use crate::execution::{Event, Stage, Which};
use crate::logp::LogP;
use crate::text::grouped;

/// An algorithm at a point of its problem: [`Entry::at`](super::Entry::at) makes it of values that describe one.
///
/// The algorithm need not be defined there: [`Instance::admit`] tells.
pub trait Instance {
    /// Writes the point in a few lines for people.
    ///
    /// # Errors
    /// Those of the writer.
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    /// L, o and g of a message of the point's size, if the point has a machine profile.
    fn model(&self) -> Option<LogP>;
    /// What gives the lower bound, where it is the largest of several.
    fn bound(&self) -> Option<&'static str>;
    /// Whether a send of the smallest message takes its sender no time, because o = g = 0: any number leave at once.
    fn is_free(&self) -> bool;
    /// Whether the algorithm is defined here.
    ///
    /// # Errors
    /// [`Refused::NotHere`].
    fn admit(&self) -> Result<(), Refused>;
    /// Lower bound, published figures, analytic and simulated cost.
    ///
    /// # Errors
    /// Why there is no cost.
    fn evaluate(&self, limits: &Limits) -> Result<Evaluation, Refused>;
    /// Why an evaluation does not simulate: the point is above the limits.
    fn why_skipped(&self, limits: &Limits) -> Option<String>;
    /// About how many steps a simulation takes, each as long as crossing a link.
    fn work(&self) -> u64;
    /// How many steps the analytic cost takes where there can be many, at most `most`; a million take a second.
    fn steps(&self, most: usize) -> usize;
    /// Why there is no analytic cost, where there is none, with bounds if they are known.
    fn unknown(&self) -> String;
    /// When every operation has ended, where that can be after the cost.
    fn ended(&self) -> Option<Result<Exact, Refused>>;
    /// The size of the pieces into which the message is cut, where it is.
    fn piece(&self) -> Option<u64>;
    /// The sizes of the shortest and the longest message; `None` where they are not known.
    fn sizes(&self) -> Option<[u64; 2]>;
    /// What the processors do and on which machine; `None` where they send no messages. Without a carrier the point names machine
    /// and size.
    ///
    /// # Errors
    /// [`Refused::NotHere`], [`Refused::TooLarge`].
    fn program(&self, limits: &Limits, carrier: Option<Carrier>) -> Result<Option<Run>, Refused>;
    /// Executes the point, emits its events and returns what their numbers mean.
    ///
    /// # Errors
    /// [`Refused::NotHere`], [`Refused::TooLarge`].
    fn execute(&self, which: &Which, emit: &mut dyn FnMut(Event)) -> Result<Stage, Refused>;
}

/// An algorithm of a problem with a point.
pub(super) struct Bound<P: Problem> {
    algorithm: &'static P::Algorithm,
    point: P::Point,
    /// The machine profile and the message size that the point names.
    carrier: Carrier,
}

impl<P: Problem> Bound<P> {
    /// The algorithm with this number, which is one of the problem's, at these values.
    pub fn new(number: usize, setting: &Setting, values: &[Value]) -> Result<Self, Refused> {
        let algorithm = algorithm::<P>(number);
        let point = P::point(setting, values).map_err(Refused::Invalid)?;
        let of_kind =
            |kind| P::AXES.iter().zip(values).find(|(axis, _)| axis.kind == kind).and_then(|(_, value)| *value);
        let profile = of_kind(Kind::Profile).map(|place| setting.profile(place)).transpose();
        let profile = profile.map_err(Refused::Invalid)?;
        let carrier = Carrier { profile, bytes: of_kind(Kind::Bytes).unwrap_or(1) };
        Ok(Self { algorithm, point, carrier })
    }

    /// As [`Instance::evaluate`], with what an evaluation before it left in the memo.
    pub fn evaluate_after(&self, limits: &Limits, memo: &mut P::Memo) -> Result<Evaluation, Refused> {
        let evaluation = Refused::or_panicked(|| P::evaluate(self.algorithm, self.point, limits, memo));
        if matches!(evaluation, Err(Refused::Broken(_))) {
            // A panic can leave it half written.
            *memo = P::Memo::default();
        }
        let evaluation = evaluation?;
        match evaluation.analytic {
            Some(Exact::Integer(cost)) if cost > LARGEST => Err(Refused::Overflow),
            _ => Ok(evaluation),
        }
    }

    /// Whether the algorithm is defined; [`Refused::Overflow`] where its cost is known to be too large.
    fn defined(&self) -> Result<(), Refused> {
        Refused::or_panicked(|| P::defined(self.algorithm, self.point).map_err(Refused::by_algorithm))
    }

    /// Whether it can be executed: it is not too large, and its cost is not.
    fn executable(&self, limits: &Limits) -> Result<(), Refused> {
        self.defined()?;
        self.why_skipped(limits).map_or(Ok(()), |why| Err(Refused::TooLarge(why)))
    }
}

impl<P: Problem> Instance for Bound<P> {
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        P::describe(self.point, out)
    }

    fn model(&self) -> Option<LogP> {
        P::model(self.point)
    }

    fn bound(&self) -> Option<&'static str> {
        P::bound(self.point)
    }

    fn is_free(&self) -> bool {
        P::is_free(self.point)
    }

    fn admit(&self) -> Result<(), Refused> {
        match self.defined() {
            // It is defined, and its cost is too large.
            Err(Refused::Overflow) => Ok(()),
            answer => answer,
        }
    }

    fn evaluate(&self, limits: &Limits) -> Result<Evaluation, Refused> {
        self.evaluate_after(limits, &mut P::Memo::default())
    }

    fn why_skipped(&self, limits: &Limits) -> Option<String> {
        P::too_large(self.algorithm, self.point, limits)
    }

    fn work(&self) -> u64 {
        P::work(self.algorithm, self.point)
    }

    fn steps(&self, most: usize) -> usize {
        P::steps(self.algorithm, self.point, most)
    }

    fn unknown(&self) -> String {
        let why = P::why_unknown(self.algorithm, self.point);
        match P::bounds(self.algorithm, self.point) {
            Some([least, LARGEST]) => format!("at least {}; {why}", grouped(least)),
            Some([least, most]) => format!("between {} and {}; {why}", grouped(least), grouped(most)),
            None => why.to_owned(),
        }
    }

    fn ended(&self) -> Option<Result<Exact, Refused>> {
        P::ended(self.algorithm, self.point).map(|time| time.map_err(Refused::by_algorithm))
    }

    fn piece(&self) -> Option<u64> {
        P::piece(self.algorithm, self.point)
    }

    fn sizes(&self) -> Option<[u64; 2]> {
        P::sizes(self.algorithm, self.point)
    }

    fn program(&self, limits: &Limits, carrier: Option<Carrier>) -> Result<Option<Run>, Refused> {
        let carrier = carrier.unwrap_or(self.carrier);
        self.executable(limits)?;
        let program = || P::program(self.algorithm, self.point, carrier).transpose().map_err(Refused::by_algorithm);
        Refused::or_panicked(program)
    }

    fn execute(&self, which: &Which, emit: &mut dyn FnMut(Event)) -> Result<Stage, Refused> {
        self.executable(&Limits::default())?;
        let executed = || P::execute(self.algorithm, self.point, which, emit).map_err(Refused::by_algorithm);
        let stage = Refused::or_panicked(executed)?;
        let unit = if self.carrier.profile.is_some() { Unit::Nanoseconds } else { P::UNIT };
        Ok(Stage { unit, first: P::FIRST, ..stage })
    }
}

/// The algorithm with a number, which is one of the problem's.
pub(super) fn algorithm<P: Problem>(number: usize) -> &'static P::Algorithm {
    P::listed(number).unwrap_or(&P::ENTRIES[0]).algorithm
}
