//! A claim as data, and how a point of it fares.

use std::borrow::Cow;

use super::axis::Axis;
use crate::cost::{self, Agreement, Evaluation, Exact, Limits};
use crate::error::Error;
use crate::papers;

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paper {
    /// Gu, Li, Liu.
    Fibonacci,
    /// Shou, Chen.
    Logp,
    /// Xie, Zhu, Kang, Wang.
    DualPath,
    /// Wang, Ying.
    Gossip,
    /// Ding, Li.
    KTree,
    /// This program, of what a paper got wrong or left open.
    Castbench,
}

impl Paper {
    /// All of them, in the order in which reports list them.
    pub const ALL: [Self; 6] =
        [Self::Fibonacci, Self::Logp, Self::DualPath, Self::Gossip, Self::KTree, Self::Castbench];

    /// Authors, year and title, as in the catalogue.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Fibonacci => papers::FIBONACCI,
            Self::Logp => papers::LOGP,
            Self::DualPath => papers::DUAL_PATH,
            Self::Gossip => papers::GOSSIP,
            Self::KTree => papers::K_TREE,
            Self::Castbench => papers::OWN,
        }
    }

    /// A word for the command line.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            Self::Fibonacci => "fibonacci",
            Self::Logp => "logp",
            Self::DualPath => "dual-path",
            Self::Gossip => "gossip",
            Self::KTree => "k-tree",
            Self::Castbench => "castbench",
        }
    }
}

/// How a claim fares at one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not; what was found instead, as in "cost 10, claimed <= 0".
    Fails(String),
    /// It says nothing of this point.
    Outside,
}

impl Outcome {
    /// Holds, or fails with what was found.
    pub(super) fn of(holds: bool, found: impl FnOnce() -> String) -> Self {
        if holds { Self::Holds } else { Self::Fails(found()) }
    }
}

/// Why a point could not be judged. Either is a bug in this crate, for a claim's grid is a constant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// An algorithm has no answer, or a simulator rejected its schedule.
    #[error(transparent)]
    Refused(#[from] Error),
    /// The formula and the execution differ, or the cost is no integer where one is expected.
    #[error("the analytic cost is {:?}, the execution says {:?}", .0.analytic, .0.simulated)]
    Disagree(Box<Evaluation>),
}

/// Checks a claim at one point, given the values of its axes in their order.
pub type Check = Box<dyn Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync>;

/// How a point can be looked at with the program `castbench`.
pub enum Repeat {
    /// By this verb and algorithm or problem, and an option for each axis.
    Options(Cow<'static, str>),
    /// By arguments of its own.
    Line(fn(&[u64]) -> String),
    /// By nothing but the audit.
    No,
}

/// A statement that is tried on a grid.
pub struct Claim {
    /// Its name.
    pub id: Cow<'static, str>,
    /// Who says so.
    pub paper: Paper,
    /// Where: section, equation, theorem.
    pub place: Cow<'static, str>,
    /// What is said, in the paper's symbols.
    pub statement: Cow<'static, str>,
    /// For a claim of castbench: the id of the claim that it mends, or sharpens where that holds.
    pub mends: Option<&'static str>,
    /// One line: why it fails, or what exactly was checked.
    pub note: &'static str,
    /// The grid is their product; the first is the slowest.
    pub axes: Vec<Axis>,
    /// How to look at a point.
    pub repeat: Repeat,
    /// The check of one point.
    pub check: Check,
}

impl Claim {
    /// A claim that has a place and words; the rest follows by the methods below.
    pub(super) fn of(paper: Paper, id: &'static str, place: &'static str, statement: &'static str) -> Self {
        Self {
            id: id.into(),
            paper,
            place: place.into(),
            statement: statement.into(),
            mends: None,
            note: "",
            axes: Vec::new(),
            repeat: Repeat::No,
            check: Box::new(|_| Ok(Outcome::Outside)),
        }
    }

    /// A claim of castbench that mends or sharpens another.
    pub(super) fn mending(
        mended: &'static str,
        id: &'static str,
        place: &'static str,
        statement: &'static str,
    ) -> Self {
        Self { mends: Some(mended), ..Self::of(Paper::Castbench, id, place, statement) }
    }

    pub(super) fn on(self, axes: impl Into<Vec<Axis>>) -> Self {
        Self { axes: axes.into(), ..self }
    }

    pub(super) fn noted(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Shown by this verb and algorithm or problem with an option for each axis.
    pub(super) fn shown_by(self, words: &'static str) -> Self {
        Self { repeat: Repeat::Options(words.into()), ..self }
    }

    /// Shown by arguments of its own.
    pub(super) fn repeated(self, line: fn(&[u64]) -> String) -> Self {
        Self { repeat: Repeat::Line(line), ..self }
    }

    pub(super) fn checked(self, check: impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static) -> Self {
        Self { check: Box::new(check), ..self }
    }
}

/// The most nodes of a tree that is executed for a claim; beyond it the formula stands alone.
pub const EXECUTED: u64 = 64;

/// Execution in an audit: small trees, everything else whole.
pub(super) const LIMITS: Limits = Limits { nodes: EXECUTED, hops: 1 << 30 };

/// An evaluation and its integer cost, on which formula and execution agree as far as it was executed.
pub(super) fn agreed(evaluation: Evaluation) -> Result<(u64, Evaluation), Cause> {
    match evaluation.analytic {
        Some(Exact::Integer(cost)) if evaluation.agreement() != Agreement::Differ => Ok((cost, evaluation)),
        _ => Err(Cause::Disagree(Box::new(evaluation))),
    }
}

/// Holds the cost of an evaluation against what its paper says at `place`; outside where that says nothing.
pub(super) fn as_published(evaluation: Evaluation, place: &str) -> Result<Outcome, Cause> {
    let (cost, evaluation) = agreed(evaluation)?;
    let claim = evaluation.published.iter().find(|claim| claim.place == place);
    Ok(claim.map_or(Outcome::Outside, |claim| compared(cost, claim)))
}

/// Holds a cost against a figure.
fn compared(cost: u64, claim: &cost::Published) -> Outcome {
    Outcome::of(claim.relation.holds(cost, claim.value), || {
        format!("cost {cost}, claimed {} {}", claim.relation.symbol(), claim.value)
    })
}

/// Holds a cost against the one number that is claimed for it.
pub(super) fn equal(what: &str, found: u64, claimed: u128) -> Outcome {
    Outcome::of(u128::from(found) == claimed, || format!("{what} {found}, claimed {claimed}"))
}

/// Holds a cost against the most that is claimed for it.
pub(super) fn at_most(what: &str, found: u64, claimed: u64) -> Outcome {
    Outcome::of(found <= claimed, || format!("{what} {found}, claimed <= {claimed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims that hold show nowhere what else would be found.
    #[test]
    fn what_differs_from_its_claim_is_told() {
        let fails = |found: &str| Outcome::Fails(found.to_owned());
        assert_eq!(equal("cost", 9, 9), Outcome::Holds);
        assert_eq!(equal("cost", 9, 10), fails("cost 9, claimed 10"));
        assert_eq!([at_most("cost", 8, 9), at_most("cost", 9, 9)], [Outcome::Holds, Outcome::Holds]);
        assert_eq!(at_most("cost", 10, 9), fails("cost 10, claimed <= 9"));
    }
}
