//! An algorithm at one point.

use std::fmt;

use super::Refused;
use crate::cost::{Evaluation, Exact, Limits};
use crate::engine::Machine;
use crate::engine::program::Program;
use crate::execution::{Emit, Stage, Which};
use crate::logp::{LogP, Profile};
use crate::plan::compiled::Payloads;

/// An algorithm at a point of its problem: [`Entry::at`](super::Entry::at) makes it of values that describe one.
///
/// The algorithm need not be defined there: [`Instance::admit`] tells.
pub trait Instance {
    /// Writes the point in a few lines for people.
    ///
    /// # Errors
    /// Errors of the writer.
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    /// L, o and g of a message of the point's size, if the point has a machine profile.
    fn model(&self) -> Option<LogP>;
    /// What gives the lower bound, where it is the largest of several.
    fn bound_name(&self) -> Option<&'static str>;
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
    /// A bound below which no algorithm can be, however it cuts messages.
    ///
    /// # Errors
    /// [`Refused::Overflow`].
    fn lower_bound(&self) -> Result<Exact, Refused>;
    /// Why an evaluation does not simulate: the point is above the limits.
    fn why_skipped(&self, limits: &Limits) -> Option<String>;
    /// About how many steps a simulation takes, each as long as crossing a link.
    fn work(&self) -> u64;
    /// How many steps the analytic cost takes where there can be many, at most `most`; a million take a second.
    fn steps(&self, most: usize) -> usize;
    /// Why there is no analytic cost, where there is none, with bounds if they are known.
    fn unknown(&self) -> String;
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
    /// What the messages of the program carry; `None` where that is not known.
    fn payloads(&self) -> Option<Payloads>;
    /// Executes the point, emits its events and returns what their numbers mean.
    ///
    /// # Errors
    /// [`Refused::NotHere`], [`Refused::TooLarge`].
    fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Refused>;
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
