//! An algorithm at one point, as callers have it.

use std::fmt;

use super::case::{Case, Memo};
use super::{Kind, Problem, Refused, Setting, Unit, Value};
use crate::cost::{Evaluation, Exact, LARGEST, Limits};
use crate::engine::Machine;
use crate::engine::program::Program;
use crate::error::Error;
use crate::execution::{Emit, Stage, Which};
use crate::logp::{LogP, Profile};
use crate::plan::compiled::Payloads;
use crate::text::grouped;

/// An algorithm at a point of its problem: [`Entry::at`](super::Entry::at) makes it of values that describe one.
///
/// The algorithm need not be defined there: [`Instance::admit`] tells.
pub struct Instance {
    problem: &'static Problem,
    case: Box<dyn Case>,
    /// The machine profile and the message size that the point names.
    carrier: Carrier,
}

impl Instance {
    pub(super) fn new(
        problem: &'static Problem,
        case: Box<dyn Case>,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Self, Error> {
        let of_kind = |kind| {
            let mut axes = problem.axes.iter().zip(values);
            axes.find(|(axis, _)| axis.kind == kind)
                .and_then(|(_, value)| *value)
        };
        let profile = of_kind(Kind::Profile).map(|index| setting.profile(index));
        let carrier = Carrier {
            profile: profile.transpose()?,
            bytes: of_kind(Kind::Bytes).unwrap_or(1),
        };
        Ok(Self {
            problem,
            case,
            carrier,
        })
    }

    /// Writes the point in a few lines for people.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.case.describe(out)
    }

    /// L, o and g of a message of the point's size, if the point has a machine profile.
    #[must_use]
    pub fn model(&self) -> Option<LogP> {
        self.case.model()
    }

    /// What gives the lower bound, where it is the largest of several.
    #[must_use]
    pub fn bound_name(&self) -> Option<&'static str> {
        self.case.bound_name()
    }

    /// Whether a send of the smallest message takes its sender no time, because o = g = 0: any number leave at once.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.case.is_free()
    }

    /// Whether the algorithm is defined here.
    ///
    /// # Errors
    /// [`Refused::NotHere`].
    pub fn admit(&self) -> Result<(), Refused> {
        match self.defined() {
            // It is defined, and its cost is too large.
            Err(Refused::Overflow) => Ok(()),
            answer => answer,
        }
    }

    /// Lower bound, published figures, analytic and simulated cost.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(&self, limits: &Limits) -> Result<Evaluation, Refused> {
        self.evaluate_after(limits, &mut Memo::default())
    }

    /// [`Instance::evaluate`] with what the previous evaluation left.
    pub(super) fn evaluate_after(
        &self,
        limits: &Limits,
        memo: &mut Memo,
    ) -> Result<Evaluation, Refused> {
        let evaluation = Refused::or_panicked(|| self.case.evaluate(limits, memo));
        if matches!(evaluation, Err(Refused::Broken(_))) {
            // A panic can leave it half written.
            *memo = Memo::default();
        }
        let evaluation = evaluation?;
        match evaluation.analytic {
            Some(Exact::Integer(cost)) if cost > LARGEST => Err(Refused::Overflow),
            _ => Ok(evaluation),
        }
    }

    /// A bound below which no algorithm can be, however it cuts messages.
    ///
    /// # Errors
    /// [`Refused::Overflow`].
    pub fn lower_bound(&self) -> Result<Exact, Refused> {
        self.case
            .lower_bound(&mut Memo::default())
            .map_err(Refused::by_simulator)
    }

    /// What no algorithm with such pieces can be below, and what this one cannot, where both are known without its cost.
    #[must_use]
    pub fn least(&self) -> Option<[Exact; 2]> {
        let [own, _] = self.case.bounds()?;
        let any = self.case.own_lower_bound(&mut Memo::default()).ok()?;
        Some([any, Exact::Integer(own)])
    }

    /// Why an evaluation does not simulate: the point is above the limits.
    #[must_use]
    pub fn why_skipped(&self, limits: &Limits) -> Option<String> {
        self.case.too_large(limits)
    }

    /// About how many steps a simulation takes, each as long as crossing a link.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.case.work()
    }

    /// How many steps the analytic cost takes where there can be many, at most `most`; a million take a second.
    #[must_use]
    pub fn steps(&self, most: usize) -> usize {
        self.case.steps(most)
    }

    /// Why there is no analytic cost, where there is none, with bounds if they are known.
    #[must_use]
    pub fn unknown(&self) -> String {
        let why = self.case.why_unknown();
        match self.case.bounds() {
            Some([least, LARGEST]) => format!("at least {}; {why}", grouped(least)),
            Some([least, most]) => {
                format!("between {} and {}; {why}", grouped(least), grouped(most))
            }
            None => why.to_owned(),
        }
    }

    /// The size of the pieces into which the message is cut, where it is.
    #[must_use]
    pub fn piece(&self) -> Option<u64> {
        self.case.piece()
    }

    /// The sizes of the shortest and the longest message; `None` where they are not known.
    #[must_use]
    pub fn sizes(&self) -> Option<[u64; 2]> {
        self.case.sizes()
    }

    /// What the processors do and on which machine; `None` where they send no messages. Without a carrier the point names machine
    /// and size.
    ///
    /// # Errors
    /// [`Refused::NotHere`], [`Refused::TooLarge`].
    pub fn program(
        &self,
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused> {
        self.executable(limits)?;
        Refused::or_panicked(|| {
            let program = self.case.program(carrier.unwrap_or(self.carrier));
            program.transpose().map_err(Refused::by_algorithm)
        })
    }

    /// What the messages of the program carry; `None` where that is not known.
    #[must_use]
    pub fn payloads(&self) -> Option<Payloads> {
        self.case.payloads()
    }

    /// Executes the point, emits its events and returns what their numbers mean.
    ///
    /// # Errors
    /// [`Refused::NotHere`], [`Refused::TooLarge`].
    pub fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Refused> {
        self.executable(&Limits::default())?;
        let stage = Refused::or_panicked(|| {
            let executed = self.case.execute(which, emit);
            executed.map_err(Refused::by_algorithm)
        })?;
        Ok(Stage {
            unit: self
                .carrier
                .profile
                .map_or(self.problem.unit, |_| Unit::Nanoseconds),
            first: self.problem.first,
            ..stage
        })
    }

    /// Whether the algorithm is defined; [`Refused::Overflow`] where its cost is known to be too large.
    fn defined(&self) -> Result<(), Refused> {
        Refused::or_panicked(|| self.case.defined().map_err(Refused::by_algorithm))
    }

    /// Whether it can be executed: it is not too large, and its cost is not.
    fn executable(&self, limits: &Limits) -> Result<(), Refused> {
        self.defined()?;
        self.why_skipped(limits)
            .map_or(Ok(()), |why| Err(Refused::TooLarge(why)))
    }
}

/// The machine profile, where there is one, and the message size of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carrier {
    /// The machine profile.
    pub profile: Option<Profile>,
    /// Bytes of a message; 1 where the size does not matter.
    pub bytes: u64,
}

impl Carrier {
    /// A message of any size.
    pub const PLAIN: Self = Self {
        profile: None,
        bytes: 1,
    };

    /// The profile, or the machine that the point has for messages of this size.
    #[must_use]
    pub fn machine(self, model: LogP) -> Machine {
        self.profile.map_or(Machine::LogP(model), Machine::LogGops)
    }
}

/// A program, and the machine that it runs on.
pub type Run = (Machine, Program);
