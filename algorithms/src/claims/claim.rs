//! A claim as data, its verdict at a point, and the points of its grid: values, what algorithms of the catalogue cost there, and the
//! command that shows it.

use std::borrow::Cow;
use std::cell::RefCell;

use super::grid::Axis as Symbol;
use crate::catalogue;
use crate::cost::{Agreement, Evaluation, Exact, Limits, Published};
use crate::error::{Broken, Error};
use crate::execution::{Event, Which};
use crate::logp::LogP;
use crate::multiport::bounds;
use crate::papers;
use crate::problem::{Axis, Entry, Evaluator, Setting, Value, spelled};

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
    NBlocks = "n-blocks", N_BLOCKS;
    TwoTrees = "two-trees", TWO_TREES;
    Butterfly = "butterfly", BUTTERFLY;
    Swing = "swing", SWING;
    Trivance = "trivance", TRIVANCE;
    Bine = "bine", BINE;
    Neighbours = "neighbours", NEIGHBOURS;
    Sparbit = "sparbit", SPARBIT;
    Pat = "pat", PAT;
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
    pub axes: Vec<Symbol>,
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
            axes: grid.split("; ").map(Symbol::parse).collect(),
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

impl Claim {
    /// The number of points, including those about which the claim says nothing.
    #[must_use]
    pub fn grid_points(&self) -> u64 {
        self.axes.iter().map(Symbol::count).product()
    }
}

/// Without profiles: claims state the parameters of their machines.
static SETTING: Setting = Setting {
    profiles: Vec::new(),
};

/// Values in place of those of a point, by the keys of their axes.
pub(super) type Others<'a> = &'a [(&'a str, u64)];

/// A point of a claim's grid.
pub struct Point<'a> {
    pub(super) claim: &'a Claim,
    values: Vec<u64>,
    /// The algorithms of the claim: an evaluator uses again what it found at the point before.
    known: RefCell<Vec<Known<'a>>>,
}

/// An algorithm, and which axis of the claim each of its own is.
pub(super) struct Known<'a> {
    pub entry: Entry,
    columns: Vec<Option<usize>>,
    evaluator: Evaluator<'a>,
}

impl<'a> Point<'a> {
    /// The point of a claim with these values of its axes.
    #[must_use]
    pub fn new(claim: &'a Claim, values: impl Into<Vec<u64>>) -> Self {
        Self {
            claim,
            values: values.into(),
            known: RefCell::default(),
        }
    }

    /// The point of a claim with this number, from 0.
    #[must_use]
    pub fn at(claim: &'a Claim, number: u64) -> Self {
        let mut point = Self::new(claim, []);
        point.go_to(number);
        point
    }

    /// Goes to the point with this number.
    pub(super) fn go_to(&mut self, mut number: u64) {
        let axes = &self.claim.axes;
        self.values.resize(axes.len(), 0);
        for (value, axis) in self.values.iter_mut().zip(axes).rev() {
            let count = axis.count();
            *value = axis.value(number % count);
            number /= count;
        }
    }

    /// The values of the first axes.
    pub(super) fn values<const N: usize>(&self) -> [u64; N] {
        std::array::from_fn(|index| self.values[index])
    }

    /// The value of an axis, in the grid or derived.
    #[must_use]
    pub fn value(&self, key: &str) -> Value {
        self.among(key, self.column(key), &[])
    }

    /// Which axis of the claim has this key.
    fn column(&self, key: &str) -> Option<usize> {
        let mut axes = self.claim.axes.iter();
        axes.position(|axis| axis.symbol == key)
    }

    fn among(&self, key: &str, column: Option<usize>, others: Others<'_>) -> Value {
        let other = others.iter().find(|(own, _)| *own == key);
        let own = || (self.claim.derived)(self, key, column.map(|column| self.values[column]));
        other.map(|(_, value)| *value).or_else(own)
    }

    /// An algorithm of the catalogue.
    pub(super) fn find(&self, name: &str) -> Result<Known<'a>, Error> {
        let unknown = || Error::parameter("algorithm", name, "expected one of the catalogue");
        let entry = catalogue::find(name).ok_or_else(unknown)?;
        let columns = entry.axes().iter().map(|axis| self.column(axis.key));
        Ok(Known {
            entry,
            columns: columns.collect(),
            evaluator: entry.evaluator(&SETTING, self.claim.limits),
        })
    }

    /// The values of an algorithm's axes here; those that the point does not have are the defaults.
    pub(super) fn all(&self, known: &Known<'_>, others: Others<'_>) -> Vec<Value> {
        let axes = known.entry.axes().iter().zip(&known.columns);
        let value = |(axis, column): (&Axis, &Option<usize>)| {
            self.among(axis.key, *column, others).or(axis.default)
        };
        axes.map(value).collect()
    }

    /// The machine; the point is outside where the papers on trees exclude it.
    pub(super) fn machine(&self) -> Result<LogP, Objection> {
        let [L, o, g] = self.values();
        only(g >= o)?;
        Ok(LogP::new(L, o, g)?)
    }

    /// What an algorithm costs here, also executed within the limits of the claim; the point is outside where it does not apply.
    pub(super) fn evaluate(&self, name: &str, others: Others<'_>) -> Result<Evaluation, Objection> {
        let mut known = self.known.borrow_mut();
        let index = match known.iter().position(|known| known.entry.name == name) {
            Some(index) => index,
            None => {
                known.push(self.find(name)?);
                known.len() - 1
            }
        };
        let values = self.all(&known[index], others);
        match (known[index].evaluator)(&values) {
            Err(refused) if refused.is_not_applicable() => Err(Objection::Outside),
            evaluation => Ok(evaluation.map_err(Error::from)?),
        }
    }

    /// The cost of an algorithm that has no fractions, with other values.
    pub(super) fn cost_at(&self, name: &str, others: Others<'_>) -> Result<u64, Objection> {
        match agreed(self.evaluate(name, others)?)? {
            (Exact::Integer(cost), _) => Ok(cost),
            (_, evaluation) => Err(Objection::Disagree(Box::new(evaluation))),
        }
    }

    /// The cost of an algorithm that has no fractions.
    pub(super) fn cost(&self, name: &str) -> Result<u64, Objection> {
        self.cost_at(name, &[])
    }

    /// Compares the cost of an algorithm with its paper's figure at `section`; outside where there is none.
    pub(super) fn published(&self, name: &str, section: &str) -> Verdict {
        only(self.value("o") <= self.value("g"))?;
        let (cost, evaluation) = agreed(self.evaluate(name, &[])?)?;
        let mut published = evaluation.published.into_iter();
        let figure = published.find(|figure| figure.section == section);
        let (Some(figure), Exact::Integer(cost)) = (figure, cost) else {
            return Err(Objection::Outside);
        };
        let (sign, claimed) = (figure.relation.symbol(), figure.value);
        hold!(
            figure.relation.holds(cost, claimed),
            "cost {cost}, claimed {sign} {claimed}"
        )
    }

    /// The events of an algorithm's execution.
    pub(super) fn events(&self, name: &str, others: Others<'_>) -> Result<Vec<Event>, Objection> {
        let (known, mut events) = (self.find(name)?, Vec::new());
        let instance = known.entry.at(&SETTING, &self.all(&known, others));
        let executed = instance.and_then(|instance| {
            instance.execute(&Which::default(), &mut |event| events.push(event))
        });
        executed.map_err(Error::from)?;
        Ok(events)
    }

    /// The values as text: `L = 6, K = 2`.
    pub(super) fn text(&self) -> String {
        let values = self.claim.axes.iter().zip(&self.values);
        let values = values.map(|(axis, value)| format!("{} = {value}", axis.symbol));
        values.collect::<Vec<_>>().join(", ")
    }

    /// The arguments of `castbench` that show this point; `None` where the claim has none.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let words = self.claim.shown.as_ref();
        let axes = words.split(' ').find_map(|word| {
            let algorithm = catalogue::find(word).map(|entry| entry.axes());
            algorithm.or_else(|| Some(catalogue::problem(word)?.axes))
        });
        let option = |axis: &Axis| {
            let value = spelled(axis, self.value(axis.key)?);
            Some(format!(" {} {value}", axis.option()))
        };
        let options: String = axes.unwrap_or_default().iter().filter_map(option).collect();
        (!words.is_empty()).then(|| format!("{words}{options}{}", (self.claim.more)(self)))
    }
}

/// The algorithms of a problem.
pub(super) fn entries_of(problem: &str) -> impl Iterator<Item = Entry> {
    let entries = catalogue::entries().iter().copied();
    entries.filter(move |entry| entry.problem().name == problem)
}

/// A cost, and the evaluation that has it, if formula and execution agree where it was executed.
pub(super) fn agreed(evaluation: Evaluation) -> Result<(Exact, Evaluation), Objection> {
    match (&evaluation.analytic, evaluation.agreement()) {
        (Some(cost), Agreement::Agree | Agreement::NotCompared) => Ok((cost.clone(), evaluation)),
        _ => Err(Objection::Disagree(Box::new(evaluation))),
    }
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
