//! A claim as data, and its outcome at a point.

use std::borrow::Cow;

use super::axis::Axis;
use crate::cost::{self, Agreement, Evaluation, Exact, Limits, Published};
use crate::error::Error;
use crate::papers;
use crate::problem::{Entry, Setting, Value};

macro_rules! papers {
    ($($name:ident = $slug:literal, $title:ident;)*) => {
        /// The paper that makes a claim; castbench on what a paper got wrong or left open.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Paper {
            $(#[doc = $slug] $name,)*
        }

        impl Paper {
            /// All of them, in the order in which reports list them.
            pub const ALL: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];

            /// Authors, year and title, as in the catalogue.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => papers::$title,)* }
            }

            /// Its short name.
            #[must_use]
            pub fn slug(self) -> &'static str {
                match self { $(Self::$name => $slug,)* }
            }
        }
    };
}

papers! {
    Fibonacci = "fibonacci", FIBONACCI;
    Logp = "logp", LOGP;
    DualPath = "dual-path", DUAL_PATH;
    Gossip = "gossip", GOSSIP;
    KTree = "k-tree", K_TREE;
    Mpich = "mpich", MPICH;
    Rabenseifner = "rabenseifner", RABENSEIFNER;
    Bruck = "bruck", BRUCK;
    Ring = "ring", RING;
    Circulant = "circulant", CIRCULANT;
    TwoTrees = "two-trees", TWO_TREES;
    Butterfly = "butterfly", BUTTERFLY;
    Swing = "swing", SWING;
    Bine = "bine", BINE;
    Neighbours = "neighbours", NEIGHBOURS;
    Sparbit = "sparbit", SPARBIT;
    Dissemination = "dissemination", DISSEMINATION;
    Guidelines = "guidelines", GUIDELINES;
    Castbench = "castbench", OWN;
}

/// The outcome of a claim at one point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It fails, with what was found instead: "cost 10, claimed <= 0".
    Fails(String),
    /// It says nothing about this point.
    Outside,
}

impl Outcome {
    /// Holds, or fails with what was found.
    pub(super) fn new(holds: bool, found: impl FnOnce() -> String) -> Self {
        if holds {
            Self::Holds
        } else {
            Self::Fails(found())
        }
    }
}

/// Why a point could not be judged. Both are bugs in this crate, because a claim's grid is a constant.
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

/// Writes the arguments that show a point, given the values of its axes.
pub type Line = Box<dyn Fn(&[u64]) -> String + Send + Sync>;

/// What a claim states at the point with these values of its axes' keys; `None` where it states nothing.
pub type Figure = Box<dyn Fn(&dyn Fn(&str) -> Value) -> Option<Published> + Send + Sync>;

/// The command of castbench that shows a point.
pub enum Repeat {
    /// This verb and algorithm or problem, and an option for each axis.
    Options(Cow<'static, str>),
    /// Other arguments.
    Line(Line),
    /// None.
    No,
}

/// A statement that is checked at every point of a grid.
pub struct Claim {
    /// Its name.
    pub id: Cow<'static, str>,
    /// The paper.
    pub paper: Paper,
    /// The part of the paper: section, equation, theorem.
    pub section: Cow<'static, str>,
    /// The statement, in the paper's symbols.
    pub statement: Cow<'static, str>,
    /// For a claim of castbench: the id of the claim that it corrects or sharpens.
    pub mends: Option<&'static str>,
    /// One line: why it fails, or what was checked.
    pub note: &'static str,
    /// The grid is their product; the first is the slowest.
    pub axes: Vec<Axis>,
    /// The command that shows a point.
    pub repeat: Repeat,
    /// The check of one point.
    pub check: Check,
    /// The cost that it states, where that is a number.
    pub figure: Figure,
}

impl Claim {
    /// A claim without grid and check, which the methods below add.
    pub(super) fn new(
        paper: Paper,
        id: &'static str,
        section: &'static str,
        statement: &'static str,
    ) -> Self {
        Self {
            id: id.into(),
            paper,
            section: section.into(),
            statement: statement.into(),
            mends: None,
            note: "",
            axes: Vec::new(),
            repeat: Repeat::No,
            check: Box::new(|_| Ok(Outcome::Outside)),
            figure: Box::new(|_| None),
        }
    }

    pub(super) fn on(self, axes: impl Into<Vec<Axis>>) -> Self {
        Self {
            axes: axes.into(),
            ..self
        }
    }

    pub(super) fn noted(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Shown by this verb and algorithm or problem with an option for each axis.
    pub(super) fn shown_by(self, words: &'static str) -> Self {
        Self {
            repeat: Repeat::Options(words.into()),
            ..self
        }
    }

    /// Shown by other arguments.
    pub(super) fn repeated(self, line: impl Fn(&[u64]) -> String + Send + Sync + 'static) -> Self {
        Self {
            repeat: Repeat::Line(Box::new(line)),
            ..self
        }
    }

    pub(super) fn checked(
        self,
        check: impl Fn(&[u64]) -> Result<Outcome, Cause> + Send + Sync + 'static,
    ) -> Self {
        Self {
            check: Box::new(check),
            ..self
        }
    }
}

/// A claim of a paper: paper, id, section: statement. Or of castbench, which `mends` another claim: it corrects or sharpens
/// that one.
macro_rules! claim {
    ($id:literal mends $mended:literal, $section:literal: $statement:literal) => {
        Claim {
            mends: Some($mended),
            ..Claim::new($crate::claims::Paper::Castbench, $id, $section, $statement)
        }
    };
    ($paper:expr, $id:literal, $section:literal: $statement:literal) => {
        Claim::new($paper, $id, $section, $statement)
    };
}
pub(super) use claim;

/// The largest tree that is executed for a claim, in nodes; larger ones are checked by formula alone.
pub const EXECUTED: u64 = 64;

/// Limits of an audit: small trees; everything else is executed.
pub(super) const LIMITS: Limits = Limits {
    nodes: EXECUTED,
    hops: 1 << 30,
};

/// The values at a point of a claim by the keys of its axes.
pub(super) fn by_key<'a>(keys: &'a [&'a str], v: &'a [u64]) -> impl Fn(&str) -> Value + 'a {
    move |key| {
        keys.iter()
            .position(|own| *own == key)
            .map(|index| v[index])
    }
}

/// The point of an algorithm with these values; all others have their defaults.
pub(super) fn values(entry: &Entry, value: impl Fn(&str) -> Value) -> Vec<Value> {
    entry
        .axes()
        .iter()
        .map(|axis| value(axis.key).or(axis.default))
        .collect()
}

/// What an algorithm costs there; `None` where it does not apply.
pub(super) fn evaluated(
    entry: &Entry,
    limits: &Limits,
    value: impl Fn(&str) -> Value,
) -> Result<Option<Evaluation>, Error> {
    match entry.evaluate(&Setting::default(), &values(entry, value), limits) {
        Err(refused) if refused.is_not_applicable() => Ok(None),
        evaluation => Ok(Some(evaluation?)),
    }
}

/// An evaluation and its integer cost, if formula and execution agree where it was executed.
pub(super) fn agreed(evaluation: Evaluation) -> Result<(u64, Evaluation), Cause> {
    match evaluation.analytic {
        Some(Exact::Integer(cost))
            if matches!(
                evaluation.agreement(),
                Agreement::Agree | Agreement::NotCompared
            ) =>
        {
            Ok((cost, evaluation))
        }
        _ => Err(Cause::Disagree(Box::new(evaluation))),
    }
}

/// Compares the cost of an evaluation with its paper's figure at `section`; outside where there is none.
pub(super) fn as_published(evaluation: Evaluation, section: &str) -> Result<Outcome, Cause> {
    let (cost, evaluation) = agreed(evaluation)?;
    let claim = evaluation
        .published
        .iter()
        .find(|claim| claim.section == section);
    Ok(claim.map_or(Outcome::Outside, |claim| compared(cost, claim)))
}

/// Compares a cost with a figure.
fn compared(cost: u64, claim: &cost::Published) -> Outcome {
    Outcome::new(claim.relation.holds(cost, claim.value), || {
        format!(
            "cost {cost}, claimed {} {}",
            claim.relation.symbol(),
            claim.value
        )
    })
}

/// Compares a number with the claimed one.
pub(super) fn equal(what: &str, found: u64, claimed: u128) -> Outcome {
    Outcome::new(u128::from(found) == claimed, || {
        format!("{what} {found}, claimed {claimed}")
    })
}

/// Compares a number with the claimed maximum.
pub(super) fn at_most(what: &str, found: u64, claimed: u64) -> Outcome {
    Outcome::new(found <= claimed, || {
        format!("{what} {found}, claimed <= {claimed}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_differs_from_its_claim_is_told() {
        let fails = |found: &str| Outcome::Fails(found.to_owned());
        assert_eq!(equal("cost", 9, 9), Outcome::Holds);
        assert_eq!(equal("cost", 9, 10), fails("cost 9, claimed 10"));
        assert_eq!(
            [at_most("cost", 8, 9), at_most("cost", 9, 9)],
            [Outcome::Holds, Outcome::Holds]
        );
        assert_eq!(at_most("cost", 10, 9), fails("cost 10, claimed <= 9"));
    }
}
