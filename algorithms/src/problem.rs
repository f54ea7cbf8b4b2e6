//! Problems as callers see them: their parameters ([`Axis`]), their algorithms ([`Entry`]), and the points at which these are
//! evaluated.
//!
//! A point has one [`Value`] for each axis of the problem, in the order of [`Problem::axes`].

pub(crate) mod case;
pub(crate) mod entry;
pub(crate) mod instance;
pub(crate) mod listed;

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};

use crate::collectives::counts;
pub(crate) use crate::cost::Unit;
use crate::error::Error;
use crate::logp::{LogP, Profile};
pub(crate) use case::{Case, Memo};
pub use entry::{Entry, Evaluator};
pub(crate) use entry::{algorithms_of, composed};
pub use instance::Instance;
pub(crate) use instance::{Carrier, Run};
pub(crate) use listed::{Algorithms, At, Listed, Listing, coordinates, listed, needed};

/// A problem of the [catalogue](crate::catalogue): what is to be done, by which algorithms, at which points.
#[derive(Clone, Copy)]
pub struct Problem {
    /// Its name, valid as a file name.
    pub name: &'static str,
    /// What is to be done, as a heading.
    pub title: &'static str,
    /// Its parameters, in the order of the grid's product: the last runs fastest. A point has one [`Value`] for each.
    pub axes: &'static [Axis],
    /// The unit of costs; nanoseconds on a machine profile.
    pub(crate) unit: Unit,
    /// The number that users give node 0: 0 or 1.
    pub first: u32,
    /// Whether costs are expectations or means, which need not be whole numbers.
    pub fractions: bool,
    /// Its limits, in words: what, the largest accepted value, what happens beyond.
    pub limits: &'static [[&'static str; 3]],
    /// An algorithm's example is the first one at which it is defined. The others state what differs from the first.
    pub(crate) examples: &'static [Example],
    pub(crate) algorithms: &'static dyn Algorithms,
}

impl Problem {
    /// Costs in time units, nodes from 0, whole numbers.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        [name, title]: [&'static str; 2],
        axes: &'static [Axis],
        examples: &'static [Example],
        algorithms: &'static dyn Algorithms,
    ) -> Self {
        Self {
            name,
            title,
            axes,
            unit: Unit::Time,
            first: 0,
            fractions: false,
            limits: &[],
            examples,
            algorithms,
        }
    }

    /// The unit of a cost at these values.
    #[must_use]
    pub fn unit(&self, values: &[Value]) -> Unit {
        let mut axes = self.axes.iter().zip(values);
        if axes.any(|(axis, value)| axis.kind == Kind::Profile && value.is_some()) {
            Unit::Nanoseconds
        } else {
            self.unit
        }
    }

    /// The values of an example.
    fn example(&self, example: Example) -> Vec<Value> {
        let first = self.examples.iter().copied().take(1).flatten();
        let value = |axis: &Axis| {
            let mut stated = example.iter().chain(first.clone());
            let own = stated.find(|(key, _)| *key == axis.key);
            own.map_or(axis.default, |(_, value)| Some(*value))
        };
        self.axes.iter().map(value).collect()
    }

    /// How many algorithms it lists; those behind them are composed.
    #[must_use]
    pub fn count(&self) -> usize {
        self.algorithms.count()
    }

    /// Whether words of several nodes are combined, which takes the time c.
    #[must_use]
    pub fn combines(&self) -> bool {
        self.algorithms.combines()
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Problems are equal if their names are.
impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Problem {}

/// The kind of an axis's values, which determines how they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Count,
    /// A duration in the unit of the problem's costs.
    Time,
    /// A message size in bytes.
    Bytes,
    /// The sides of a mesh: one axis, two columns. See [`Sides`].
    Sides,
    /// A machine profile: an index into [`Setting::profiles`].
    Profile,
    /// Sizes of blocks, by a [number](crate::internals::collectives::counts) that names them.
    Counts,
    /// One of some words: an index into them.
    Word(&'static [&'static str]),
}

/// Which points have a value of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All points.
    Any,
    /// Points without a machine profile: they state L, o and g themselves.
    Model,
    /// Points on a machine profile.
    Profile,
}

/// One parameter of a problem.
#[derive(Debug)]
pub struct Axis {
    /// Its name in configurations and messages: the symbol of the paper where there is one. `K` is not `k`.
    pub key: &'static str,
    /// The short option in the program castbench; for the sides of a mesh, the side of a square one.
    pub short: Option<char>,
    /// The long option in the program castbench.
    pub long: Option<&'static str>,
    /// Its columns in CSV, with the unit in their names.
    pub columns: &'static [&'static str],
    /// The kind of its values.
    pub kind: Kind,
    /// The default.
    pub default: Option<u64>,
    /// The points that have it.
    pub scope: Scope,
    /// Whether a caller may leave it to [`Entry::cuts`].
    pub is_open: bool,
    /// Whether it only affects how a cost is sampled: points that differ in nothing else are one point.
    pub samples: bool,
    /// The title of this axis in a chart.
    pub title: &'static str,
    /// One line of help.
    pub meaning: &'static str,
}

impl Axis {
    /// An axis without a default. A key of one letter is a short option, another a long one.
    #[must_use]
    pub const fn new(
        key: &'static str,
        columns: &'static [&'static str],
        kind: Kind,
        title: &'static str,
        meaning: &'static str,
    ) -> Self {
        let (short, long) = match key.as_bytes() {
            [letter] => (Some(*letter as char), None),
            _ => (None, Some(key)),
        };
        let (default, scope) = (None, Scope::Any);
        Self {
            key,
            short,
            long,
            columns,
            kind,
            default,
            scope,
            is_open: false,
            samples: false,
            title,
            meaning,
        }
    }

    /// The axis with a default.
    pub(crate) const fn or(self, value: u64) -> Self {
        Self {
            default: Some(value),
            ..self
        }
    }

    /// Whether points on a machine profile, or those without, have a value of it.
    #[must_use]
    pub fn applies(&self, on_profile: bool) -> bool {
        self.scope == Scope::Any || (self.scope == Scope::Profile) == on_profile
    }

    /// Its option in the program castbench: `-K`, `--bytes`.
    #[must_use]
    pub fn option(&self) -> String {
        match (self.kind, self.short, self.long) {
            (Kind::Sides, _, Some(long)) | (_, None, Some(long)) => format!("--{long}"),
            (_, Some(short), _) => format!("-{short}"),
            (_, None, None) => format!("--{}", self.key),
        }
    }
}

/// The value of one axis at a point; `None` for an axis that the point does not use, as `machine` where L, o and g are given.
pub type Value = Option<u64>;

/// A point by the keys of axes; the other axes have their defaults.
pub(crate) type Example = &'static [(&'static str, u64)];

/// The sides of a mesh as one value: below 2^32 the side of a square, else width and height in 32 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// Columns.
    pub w: u64,
    /// Rows.
    pub h: u64,
}

impl Sides {
    /// The sides that a value encodes.
    #[must_use]
    pub fn from_value(value: u64) -> Self {
        match value >> 32 {
            0 => Self { w: value, h: value },
            w => Self {
                w,
                h: value & u64::from(u32::MAX),
            },
        }
    }

    /// The value for these sides; `None` where one of them needs more than 32 bits, or where the width is 0.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        let fits = |side: u64| side <= u64::from(u32::MAX);
        match self {
            Self { w, h } if !fits(w) || !fits(h) => None,
            Self { w, h } if w == h => Some(w),
            Self { w: 0, .. } => None,
            Self { w, h } => Some(w << 32 | h),
        }
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.w, self.h)
    }
}

/// What the values of points refer to.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The machine profiles.
    pub profiles: Vec<Profile>,
}

impl Setting {
    /// The profile at this index.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is none.
    pub fn profile(&self, index: u64) -> Result<Profile, Error> {
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| self.profiles.get(index).copied());
        found.ok_or_else(|| {
            Error::parameter(
                "machine",
                index,
                "expected the index of a profile in the setting",
            )
        })
    }

    /// The machine that messages of this size see, for problems in which all nodes are equally near.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is none, or it has levels; those of [`Profile::at`].
    pub fn model(&self, index: u64, bytes: u64) -> Result<LogP, Error> {
        let profile = self.profile(index)?;
        if profile
            .levels()
            .is_some_and(|levels| !levels.is_by_size_only())
        {
            let expected = "expected one without [[level]] and latencies: in this problem all nodes are equally near";
            return Err(Error::parameter(
                "machine",
                "a machine whose ranks are near or far",
                expected,
            ));
        }
        profile.at(bytes)
    }
}

/// Why there is no cost at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The values are no point of the problem.
    Invalid(Error),
    /// The algorithm is not defined at this point of its problem.
    NotHere(Error),
    /// The cost does not fit in 64 bits.
    Overflow,
    /// The simulator rejected what the algorithm does, or the evaluation panicked: a bug.
    Broken(Error),
    /// The point is above the limits, for this reason.
    TooLarge(String),
}

impl Refused {
    /// What `work` returns, or [`Refused::Broken`] where it panics: a bug costs its point, not the sweep around it.
    fn or_panicked<T>(work: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .unwrap_or_else(|payload| Err(Self::of_panic(&*payload)))
    }

    fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let why = text
            .or_else(|| payload.downcast_ref().copied())
            .unwrap_or("without a message");
        // It becomes the column `note`, which is one line.
        Self::Broken(Error::Panicked(
            why.split_whitespace().collect::<Vec<_>>().join(" "),
        ))
    }

    /// Of an error of the analytic cost: a wrong parameter means that the algorithm is not defined here.
    fn by_algorithm(error: Error) -> Self {
        match error {
            Error::Parameter { .. } => Self::NotHere(error),
            other => Self::by_simulator(other),
        }
    }

    /// Of an error of a simulator: a wrong parameter is a bug.
    fn by_simulator(error: Error) -> Self {
        match error {
            Error::Overflow => Self::Overflow,
            other => Self::Broken(other),
        }
    }

    /// Whether the point has no cost by definition, which is no failure.
    #[must_use]
    pub fn is_not_applicable(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::NotHere(_))
    }

    /// The key of the axis with the wrong value.
    #[must_use]
    pub fn axis(&self) -> Option<&'static str> {
        match self {
            Self::Invalid(Error::Parameter { axis, .. })
            | Self::NotHere(Error::Parameter { axis, .. }) => Some(axis),
            _ => None,
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid(error) | Refused::NotHere(error) | Refused::Broken(error) => error,
            Refused::Overflow | Refused::TooLarge(_) => Self::Overflow,
        }
    }
}

impl std::error::Error for Refused {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) | Self::NotHere(error) | Self::Broken(error) => error.fmt(f),
            Self::Overflow => Error::Overflow.fmt(f),
            Self::TooLarge(why) => f.write_str(why),
        }
    }
}

/// Name, source and revision of an algorithm.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// Its name everywhere: in the catalogue, in configurations and in results.
    pub name: &'static str,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The work that describes it.
    pub paper: &'static str,
    /// The part of that work: section, theorem, algorithm.
    pub section: &'static str,
    /// Raised when the algorithm becomes another one: costs of two revisions are not comparable.
    pub revision: u32,
    /// Whether a user gave it; `paper` and `section` then say where.
    pub is_given: bool,
}

/// A value as text, as castbench reads it and writes it to CSV.
#[must_use]
pub fn spelled(axis: &Axis, value: u64) -> Cow<'static, str> {
    match axis.kind {
        Kind::Sides => Sides::from_value(value).to_string().into(),
        Kind::Word(words) => usize::try_from(value)
            .ok()
            .and_then(|value| words.get(value))
            .copied()
            .unwrap_or("")
            .into(),
        Kind::Counts => counts::spelled(value),
        _ => value.to_string().into(),
    }
}
