//! An algorithm of a problem at one point.

use std::fmt;

use super::definition::Problem;
use super::instance::{Carrier, Instance, Run};
use super::{Kind, Refused, Setting, Unit, Value};
use crate::cost::{Evaluation, Exact, LARGEST, Limits};
use crate::execution::{Emit, Stage, Which};
use crate::logp::LogP;
use crate::plan::compiled::Payloads;
use crate::text::grouped;

/// An algorithm of a problem with a point.
pub(crate) struct Applied<P: Problem> {
    /// The algorithm.
    pub algorithm: &'static P::Algorithm,
    /// The point.
    pub point: P::Point,
    /// The machine profile and the message size that the point names.
    pub carrier: Carrier,
}

impl<P: Problem> Applied<P> {
    /// The algorithm with this number, which is one of the problem's, at these values.
    pub fn new(number: usize, setting: &Setting, values: &[Value]) -> Result<Self, Refused> {
        let algorithm = algorithm::<P>(number);
        let point = P::point(setting, values).map_err(Refused::Invalid)?;
        let of_kind = |kind| {
            P::AXES
                .iter()
                .zip(values)
                .find(|(axis, _)| axis.kind == kind)
                .and_then(|(_, value)| *value)
        };
        let profile = of_kind(Kind::Profile)
            .map(|index| setting.profile(index))
            .transpose();
        let profile = profile.map_err(Refused::Invalid)?;
        let carrier = Carrier {
            profile,
            bytes: of_kind(Kind::Bytes).unwrap_or(1),
        };
        Ok(Self {
            algorithm,
            point,
            carrier,
        })
    }

    /// Lower bound, published figures, analytic and simulated cost, with what the previous evaluation left in the memo.
    pub fn evaluate_after(
        &self,
        limits: &Limits,
        memo: &mut P::Memo,
    ) -> Result<Evaluation, Refused> {
        let evaluation =
            Refused::or_panicked(|| P::evaluate(self.algorithm, self.point, limits, memo));
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
        Refused::or_panicked(|| {
            P::defined(self.algorithm, self.point).map_err(Refused::by_algorithm)
        })
    }

    /// Whether it can be executed: it is not too large, and its cost is not.
    fn executable(&self, limits: &Limits) -> Result<(), Refused> {
        self.defined()?;
        self.why_skipped(limits)
            .map_or(Ok(()), |why| Err(Refused::TooLarge(why)))
    }
}

impl<P: Problem> Instance for Applied<P> {
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        P::describe(self.point, out)
    }

    fn model(&self) -> Option<LogP> {
        P::model(self.point)
    }

    fn bound_name(&self) -> Option<&'static str> {
        P::bound_name(self.point)
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

    fn lower_bound(&self) -> Result<Exact, Refused> {
        P::lower_bound(self.point, &mut P::Memo::default()).map_err(Refused::by_simulator)
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
            Some([least, most]) => {
                format!("between {} and {}; {why}", grouped(least), grouped(most))
            }
            None => why.to_owned(),
        }
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
        let program = || {
            P::program(self.algorithm, self.point, carrier)
                .transpose()
                .map_err(Refused::by_algorithm)
        };
        Refused::or_panicked(program)
    }

    fn payloads(&self) -> Option<Payloads> {
        P::payloads(self.algorithm, self.point)
    }

    fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Refused> {
        self.executable(&Limits::default())?;
        let executed =
            || P::execute(self.algorithm, self.point, which, emit).map_err(Refused::by_algorithm);
        let stage = Refused::or_panicked(executed)?;
        let unit = if self.carrier.profile.is_some() {
            Unit::Nanoseconds
        } else {
            P::UNIT
        };
        Ok(Stage {
            unit,
            first: P::FIRST,
            ..stage
        })
    }
}

/// The algorithm with a number, which is one of the problem's.
pub(super) fn algorithm<P: Problem>(number: usize) -> &'static P::Algorithm {
    P::listed(number)
        .unwrap_or_else(|| &P::ENTRIES[0])
        .algorithm
}
