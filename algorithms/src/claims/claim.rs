//! A claim as data, and its verdict at a point.

use std::borrow::Cow;

use super::grid::Axis;
use super::point::Point;
use crate::cost::{Evaluation, Limits, Published};
use crate::error::{Broken, Error};
use crate::multiport::bounds;
use crate::papers;
use crate::problem::Value;

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

/// Why a claim is not found to hold at a point.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Objection {
    /// It says nothing about this point.
    #[error("the claim says nothing about this point")]
    Outside,
    /// It fails, with what was found instead: "cost 10, claimed <= 0".
    #[error("{0}")]
    Fails(String),
    /// An algorithm has no answer, or a simulator rejected its schedule: a bug in this crate.
    #[error(transparent)]
    Refused(#[from] Error),
    /// The formula and the execution differ, or the cost is no integer where one is expected: a bug in this crate.
    #[error("the analytic cost is {:?}, the execution says {:?}", .0.analytic, .0.simulated)]
    Disagree(Box<Evaluation>),
}

impl<V: Broken> From<V> for Objection {
    fn from(violation: V) -> Self {
        Error::from(violation).into()
    }
}

/// A claim holds at a point, or why not.
pub type Verdict = Result<(), Objection>;

/// Checks a claim at one point.
pub type Check = Box<dyn Fn(&Point<'_>) -> Verdict + Send + Sync>;

/// What a claim states at the point with these values of its axes' keys; `None` where it states nothing.
pub type Figure = Box<dyn Fn(&dyn Fn(&str) -> Value) -> Option<Published> + Send + Sync>;

/// The value of an axis at a point of a claim, given its key and its value in the grid.
pub type Derived = Box<dyn Fn(&Point<'_>, &str, Value) -> Value + Send + Sync>;

/// A statement that is checked at every point of a grid.
pub struct Claim {
    /// Its name.
    pub id: Cow<'static, str>,
    /// The paper.
    pub paper: Paper,
    /// The part of the paper: section, equation, theorem.
    pub section: &'static str,
    /// The statement, in the paper's symbols.
    pub statement: Cow<'static, str>,
    /// For a claim of castbench: the id of the claim that it corrects or sharpens.
    pub mends: Option<&'static str>,
    /// One line: why it fails, or what was checked.
    pub note: &'static str,
    /// The axes and their values: `L = 1..16; K = 8, 12, 18`.
    pub grid: &'static str,
    /// The axes of [`grid`](Self::grid), which is their product; the first is the slowest.
    pub axes: Vec<Axis>,
    /// What is executed for it.
    pub limits: Limits,
    /// The verb, and the algorithm or problem, that shows a point with an option for each axis; empty for none.
    pub shown: Cow<'static, str>,
    /// More options of that command.
    pub more: fn(&Point<'_>) -> String,
    /// The values of axes that the grid does not have.
    pub derived: Derived,
    /// The check of one point.
    pub check: Check,
    /// The cost that it states, where that is a number.
    pub figure: Figure,
}

/// The largest tree that is executed for a claim, in nodes; larger ones are checked by formula alone.
pub const EXECUTED: u64 = 64;

impl Claim {
    /// A claim that is checked on a grid, given a point and the values of its axes.
    pub fn new<const N: usize>(
        paper: Paper,
        section: &'static str,
        grid: &'static str,
        check: impl Fn(&Point<'_>, [u64; N]) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        Self {
            id: "".into(),
            paper,
            section,
            statement: "".into(),
            mends: None,
            note: "",
            grid,
            axes: grid.split("; ").map(Axis::parse).collect(),
            limits: Limits {
                nodes: EXECUTED,
                hops: 1 << 30,
            },
            shown: "".into(),
            more: |_| String::new(),
            derived: Box::new(|_, _, own| own),
            check: Box::new(move |point| check(point, point.values())),
            figure: Box::new(|_| None),
        }
    }
}

/// A list of claims, a row for each: paper, id, section: statement, grid, the command that shows a point, a note, the check. A
/// claim of castbench `mends` another one: it corrects or sharpens that.
macro_rules! claims {
    ($($paper:ident $id:literal $(mends $mended:literal)? $section:literal: $statement:literal,
        $grid:expr, $shown:expr, $note:literal, $check:expr;)*) => {
        vec![$(Claim {
            id: $id.into(),
            statement: $statement.into(),
            mends: None $(.or(Some($mended)))?,
            note: $note,
            shown: $shown.into(),
            ..Claim::new($crate::claims::Paper::$paper, $section, $grid, $check)
        }),*]
    };
}
pub(super) use claims;

/// The verdict by a condition; where it fails, with what was found.
macro_rules! hold {
    ($holds:expr, $($found:tt)+) => {
        if $holds {
            Ok(())
        } else {
            Err($crate::claims::Objection::Fails(format!($($found)+)))
        }
    };
}
pub(super) use hold;

/// Leaves the point out unless a condition of the claim holds there.
pub(super) fn only(is_meant: bool) -> Verdict {
    is_meant.then_some(()).ok_or(Objection::Outside)
}

/// Compares a number with the claimed one.
pub(super) fn equal(what: &str, found: u64, claimed: impl Into<u128>) -> Verdict {
    let claimed = claimed.into();
    hold!(
        u128::from(found) == claimed,
        "{what} {found}, claimed {claimed}"
    )
}

/// Compares a number with the claimed maximum.
pub(super) fn at_most(what: &str, found: u64, claimed: impl Into<u128>) -> Verdict {
    let claimed = claimed.into();
    hold!(
        u128::from(found) <= claimed,
        "{what} {found}, claimed <= {claimed}"
    )
}

/// `ceil(log_base value)`.
pub(super) fn ceil_log(base: u64, value: u64) -> u64 {
    bounds::ceil_log(base.into(), value.into()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checks of claims that hold never report a failure elsewhere.
    #[test]
    fn what_differs_from_its_claim_is_told() {
        let fails = |found: &str| Err(Objection::Fails(found.to_owned()));
        assert_eq!(equal("cost", 9, 9u64), Ok(()));
        assert_eq!(equal("cost", 9, 10u64), fails("cost 9, claimed 10"));
        assert_eq!(
            [8, 9].map(|cost| at_most("cost", cost, 9u64)),
            [const { Ok(()) }; 2]
        );
        assert_eq!(at_most("cost", 10, 9u64), fails("cost 10, claimed <= 9"));
        assert_eq!([only(true), only(false)], [Ok(()), Err(Objection::Outside)]);
    }
}
