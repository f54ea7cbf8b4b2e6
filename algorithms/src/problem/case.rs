//! An algorithm at one point, as its problem defines it.

use std::any::Any;
use std::fmt;

use super::{Carrier, Refused, Run};
use crate::cost::{By, Evaluation, Exact, Limits, Published, Simulated};
use crate::error::Error;
use crate::execution::{Emit, Stage, Which};
use crate::logp::LogP;
use crate::plan::compiled::Payloads;

/// An algorithm at a checked point of its problem. Callers have it as an [`Instance`](super::Instance).
pub trait Case {
    /// The point in a few lines for people.
    ///
    /// # Errors
    /// Errors of the writer.
    fn describe(&self, out: &mut dyn fmt::Write) -> fmt::Result;

    /// L, o and g of a message of the point's size, if the point has a machine profile.
    fn model(&self) -> Option<LogP> {
        None
    }

    /// The exact cost from a closed form, a recurrence or an enumeration, and what states it; `None` where only a simulation
    /// gives it.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, [`Error::Overflow`].
    fn analytic(&self, memo: &mut Memo) -> Result<Option<(Exact, By)>, Error>;

    /// Why a cost can have no analytic value.
    fn why_unknown(&self) -> &'static str {
        "every cost of this problem is known by formula"
    }

    /// What no execution takes longer than where [`Case::analytic`] does not give the cost; `None` where that is not known.
    fn most(&self) -> Option<u64> {
        None
    }

    /// Bounds of the cost where [`Case::analytic`] does not give it; `None` where none are known.
    fn bounds(&self) -> Option<[u64; 2]> {
        None
    }

    /// A bound below which no algorithm can be.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    fn lower_bound(&self, memo: &mut Memo) -> Result<Exact, Error>;

    /// A bound below which no algorithm can be that cuts messages no finer than those of castbench, if this is one of them.
    ///
    /// # Errors
    /// Errors of [`Case::lower_bound`].
    fn own_lower_bound(&self, memo: &mut Memo) -> Result<Exact, Error> {
        self.lower_bound(memo)
    }

    /// What gives the lower bound, where it is the largest of several.
    fn bound_name(&self) -> Option<&'static str> {
        None
    }

    /// Whether a send of the smallest message takes its sender no time, because o = g = 0: any number leave at once.
    fn is_free(&self) -> bool {
        false
    }

    /// What papers state, the most important first.
    fn published(&self) -> Vec<Published> {
        Vec::new()
    }

    /// Why the point is not simulated, if it is above the limits.
    fn too_large(&self, limits: &Limits) -> Option<String>;

    /// About how many steps a simulation takes: messages, hops or additions, times the levels of a queue or sort.
    fn work(&self) -> u64;

    /// The cost of what the algorithm does, executed by the simulator of the model.
    ///
    /// # Errors
    /// The rule that is broken, [`Error::Overflow`].
    fn simulate(&self) -> Result<Simulated, Error>;

    /// The size of the pieces into which a point cuts a message, where it cuts one.
    fn piece(&self) -> Option<u64> {
        None
    }

    /// The sizes of the shortest and the longest message, for programs of any length; `None` where they are not known.
    fn sizes(&self) -> Option<[u64; 2]> {
        None
    }

    /// What processors do; `None` for problems in which they send no messages.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, those of the builder.
    fn program(&self, _: Carrier) -> Option<Result<Run, Error>> {
        None
    }

    /// What the messages of [`Case::program`] carry; `None` where that is not known.
    fn payloads(&self) -> Option<Payloads> {
        None
    }

    /// Executes one draw of the point, the only one where nothing is random, and emits its events.
    ///
    /// # Errors
    /// Errors of [`Case::simulate`]; [`Error::Parameter`] for a draw that the point does not have.
    fn execute(&self, which: &Which, emit: Emit<'_>) -> Result<Stage, Error>;

    /// Whether the algorithm is defined here; override it where that is faster than the cost.
    ///
    /// # Errors
    /// [`Error::Parameter`] where it is not; where it is, the error of its cost.
    fn defined(&self) -> Result<(), Error> {
        self.analytic(&mut Memo::default()).map(drop)
    }

    /// How many steps [`Case::analytic`] takes, at most `most`, where there can be many: a million take 1 s.
    fn steps(&self, _most: usize) -> usize {
        0
    }

    /// All costs.
    ///
    /// # Errors
    /// Why there is no cost.
    fn evaluate(&self, limits: &Limits, memo: &mut Memo) -> Result<Evaluation, Refused> {
        let (analytic, by) = self.analytic(memo).map_err(Refused::by_algorithm)?.unzip();
        let simulated = match self.too_large(limits) {
            Some(reason) => Simulated::Skipped(reason),
            None => self.simulate().map_err(Refused::by_simulator)?,
        };
        Ok(Evaluation {
            lower_bound: self.own_lower_bound(memo).map_err(Refused::by_simulator)?,
            published: self.published(),
            most: if analytic.is_none() {
                self.most()
            } else {
                None
            },
            analytic,
            by,
            simulated,
        })
    }

    /// All costs, without those of a neighbour.
    ///
    /// # Errors
    /// Why there is no cost.
    fn costs(&self, limits: &Limits) -> Result<Evaluation, Error> {
        Ok(self.evaluate(limits, &mut Memo::default())?)
    }
}

/// What evaluations of neighbouring points share, to save time.
#[derive(Default)]
pub struct Memo(Option<Box<dyn Any + Send>>);

impl Memo {
    /// What the last evaluation left, or the default.
    pub fn of<T: Default + Send + 'static>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|kept| kept.is::<T>()) {
            self.0 = None;
        }
        self.0
            .get_or_insert_with(|| Box::<T>::default())
            .downcast_mut()
            .unwrap_or_else(|| unreachable!("it was just checked"))
    }
}
