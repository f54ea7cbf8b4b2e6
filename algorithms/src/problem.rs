//! How a problem describes itself: its axes, its algorithms, and how one of them is evaluated at a point.
//!
//! A problem is a folder with one type that implements [`Problem`]. Everything that callers need follows from its
//! constants: options, columns, keys, titles. Callers see every problem through [`AnyProblem`] and know none by name.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

pub use crate::cost::Unit;
use crate::cost::{Evaluation, Exact, LARGEST, Limits, Published, Simulated};
use crate::engine::Machine;
use crate::engine::program::Program;
use crate::error::Error;
use crate::execution::{Event, Stage, Which};
use crate::logp::LogP;
use crate::logp::loggops::LogGops;
use crate::mpi::Function;
use crate::reach::Parameter;

/// What the values of an axis are, which decides how they are typed and printed.
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
    /// A machine profile, by its place in [`Setting::profiles`]: a column with its name and one with its basis.
    Profile,
}

/// One parameter of a problem.
#[derive(Debug)]
pub struct Axis {
    /// Its name in configurations and messages: the symbol of the paper where there is one. `K` is not `k`.
    pub key: &'static str,
    /// The option `-x`; for the sides of a mesh the side of a square one.
    pub short: Option<char>,
    /// The option `--name`.
    pub long: Option<&'static str>,
    /// Its columns in CSV, with the unit in their names.
    pub columns: &'static [&'static str],
    /// What its values are.
    pub kind: Kind,
    /// The value where none is given.
    pub default: Option<u64>,
    /// Whether it only decides how a cost is sampled, so that points that differ in nothing else are one point.
    pub samples: bool,
    /// The title of this axis in a chart.
    pub title: &'static str,
    /// One line of help.
    pub meaning: &'static str,
}

impl Axis {
    /// The option that asks for a value: `-K`, `--bytes`.
    #[must_use]
    pub fn option(&self) -> String {
        match (self.kind, self.short, self.long) {
            (Kind::Sides, _, Some(long)) | (_, None, Some(long)) => format!("--{long}"),
            (_, Some(short), _) => format!("-{short}"),
            (_, None, None) => format!("--{}", self.key),
        }
    }
}

/// The value of one axis at a point; `None` where the [form](Problem::FORMS) of the point has no such axis.
pub type Value = Option<u64>;

/// The sides of a mesh as one value: below 2^32 the side of a square, else width and height in 32 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sides {
    /// Columns.
    pub w: u64,
    /// Rows.
    pub h: u64,
}

impl Sides {
    /// The sides that a value stands for.
    #[must_use]
    pub fn of(value: u64) -> Self {
        match value >> 32 {
            0 => Self { w: value, h: value },
            w => Self { w, h: value & u64::from(u32::MAX) },
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

/// What points refer to and do not hold themselves.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The machine profiles.
    pub profiles: Vec<LogGops>,
}

impl Setting {
    /// The profile with this place.
    ///
    /// # Errors
    /// [`Error::Parameter`] where there is none.
    pub fn profile(&self, place: u64) -> Result<&LogGops, Error> {
        let found = usize::try_from(place).ok().and_then(|place| self.profiles.get(place));
        found.ok_or_else(|| Error::parameter("machine", place, "expected the place of a profile in the setting"))
    }
}

/// Why there is no cost at a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The values describe no instance of the problem.
    Invalid(Error),
    /// The algorithm is not defined for this instance of its problem.
    NotHere(Error),
    /// The cost does not fit in 64 bits.
    Overflow,
    /// The simulator rejected what the algorithm does: a bug.
    Broken(Error),
    /// The point is not executed, because it is above the limits: why.
    TooLarge(String),
}

impl Refused {
    fn by_algorithm(error: Error) -> Self {
        match error {
            Error::Parameter { .. } => Self::NotHere(error),
            other => Self::by_simulator(other),
        }
    }

    fn by_simulator(error: Error) -> Self {
        match error {
            Error::Overflow => Self::Overflow,
            other => Self::Broken(other),
        }
    }

    /// Whether the point simply has no cost, which is no failure.
    #[must_use]
    pub fn is_not_applicable(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::NotHere(_))
    }

    /// The key of the axis to blame.
    #[must_use]
    pub fn axis(&self) -> Option<&'static str> {
        match self {
            Self::Invalid(Error::Parameter { axis, .. }) | Self::NotHere(Error::Parameter { axis, .. }) => Some(axis),
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

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) | Self::NotHere(error) | Self::Broken(error) => error.fmt(f),
            Self::Overflow => Error::Overflow.fmt(f),
            Self::TooLarge(why) => f.write_str(why),
        }
    }
}

/// What is known of an algorithm besides what it does.
#[derive(Debug)]
pub struct About {
    /// Its name on the command line, in configurations and in results.
    pub name: &'static str,
    /// A name that it had before and that is still understood, for one version.
    pub former: Option<&'static str>,
    /// What it does, in a few words.
    pub summary: &'static str,
    /// The work that describes it.
    pub paper: &'static str,
    /// Where in that work: section, theorem, algorithm.
    pub place: &'static str,
    /// Raised with every change of what the algorithm *is*: costs of two revisions are not compared with each other.
    pub revision: u32,
}

/// An algorithm of one problem, as the problem's folder lists it.
pub struct Listed<A: ?Sized + 'static> {
    /// What is known of it.
    pub about: About,
    /// What it does.
    pub algorithm: &'static A,
}

impl<A: ?Sized> Listed<A> {
    /// An algorithm at its first revision: name, summary, paper and place in the paper.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        (paper, place): (&'static str, &'static str),
        algorithm: &'static A,
    ) -> Self {
        Self { about: About { name, former: None, summary, paper, place, revision: 1 }, algorithm }
    }

    /// The same under a name that it had before, too.
    #[must_use]
    pub const fn formerly(self, name: &'static str) -> Self {
        let Self { about, algorithm } = self;
        Self { about: About { former: Some(name), ..about }, algorithm }
    }
}

impl<A: ?Sized> fmt::Debug for Listed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Listed").field(&self.about.name).finish()
    }
}

impl<A: ?Sized> Deref for Listed<A> {
    type Target = About;

    fn deref(&self) -> &About {
        &self.about
    }
}

/// A problem: what is to be done, by which algorithms, at which points.
pub trait Problem: Sync + Sized + 'static {
    /// Its name, fit for a file.
    const NAME: &'static str;
    /// What is to be done, as a heading.
    const TITLE: &'static str;
    /// The parameters, in the order of the grid's product: the last runs fastest.
    const AXES: &'static [Axis];
    /// Which axes go together, by their keys; empty where all do. `[L o g K]` and `[machine bytes K]` exclude each other.
    const FORMS: &'static [&'static [&'static str]] = &[];
    /// What costs are counted in, but on a machine profile.
    const UNIT: Unit;
    /// The algorithms, in the order in which reports list them.
    const ENTRIES: &'static [Listed<Self::Algorithm>];
    /// Points, by their values, of which every algorithm takes one; the first that it takes serves as its example.
    const EXAMPLES: &'static [&'static [Value]];
    /// The number that users know node 0 of an execution by.
    const FIRST: u32 = 0;
    /// Whether costs are expectations or means, which need not be whole numbers.
    const FRACTIONS: bool = false;
    /// The function of MPI that solves it.
    const MPI: Option<&'static Function> = None;
    /// The keys of axes that a caller may leave to [`Problem::cuts`].
    const OPEN: &'static [&'static str] = &[];
    /// Why a cost can have no analytic value.
    const UNKNOWN: &'static str = "every cost of this problem is known by formula";

    /// An instance.
    type Point: Copy + fmt::Debug + PartialEq;
    /// What its algorithms have in common.
    type Algorithm: ?Sized + Sync;
    /// What evaluations of neighbouring points share; it saves time and changes no answer.
    type Memo: Default + Send;

    /// The instance with these values, one for each axis; checked.
    ///
    /// # Errors
    /// [`Error::Parameter`] for values that describe no instance.
    fn point(setting: &Setting, values: &[Value]) -> Result<Self::Point, Error>;

    /// Fills in values of axes that the form leaves out and the point decides, as a machine decides L, o and g.
    fn resolve(point: Self::Point, values: &mut [Value]) {
        let _ = (point, values);
    }

    /// The point in a few lines for people.
    ///
    /// # Errors
    /// Those of the writer.
    fn describe(point: Self::Point, out: &mut dyn fmt::Write) -> fmt::Result;

    /// The exact cost from a closed form, a recurrence or an enumeration; `None` where only simulation tells.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, [`Error::Overflow`].
    fn analytic(algorithm: &Self::Algorithm, point: Self::Point, memo: &mut Self::Memo)
    -> Result<Option<Exact>, Error>;

    /// What no algorithm can beat.
    ///
    /// # Errors
    /// [`Error::Overflow`].
    fn lower_bound(point: Self::Point, memo: &mut Self::Memo) -> Result<Exact, Error>;

    /// What papers state, the most important first.
    fn published(algorithm: &Self::Algorithm, point: Self::Point) -> Vec<Published> {
        let _ = (algorithm, point);
        Vec::new()
    }

    /// Why the point is not simulated, if it is above the limits.
    fn too_large(algorithm: &Self::Algorithm, point: Self::Point, limits: &Limits) -> Option<String>;

    /// About how many steps a simulation of the point takes, each about as long as crossing a link: its messages, hops or
    /// additions, and where these are sorted or queued, as many for each as there are levels. Durations are estimated from it.
    fn work(algorithm: &Self::Algorithm, point: Self::Point) -> u64;

    /// The cost of what the algorithm does, executed by the simulator of the model.
    ///
    /// # Errors
    /// The rule that is broken, [`Error::Overflow`].
    fn simulate(algorithm: &Self::Algorithm, point: Self::Point) -> Result<Simulated, Error>;

    /// The points to compare for an algorithm where the [open](Problem::OPEN) axes have no value, the coarsest cut first.
    fn cuts(algorithm: &Self::Algorithm, values: &[Value]) -> Vec<Box<[Value]>> {
        let _ = algorithm;
        vec![values.into()]
    }

    /// When every operation has ended, where that may be later than the cost, which ends when the problem is solved.
    fn ended(algorithm: &Self::Algorithm, point: Self::Point) -> Option<Result<Exact, Error>> {
        let _ = (algorithm, point);
        None
    }

    /// The size of the pieces into which a point cuts a message, where it cuts one.
    fn piece(point: Self::Point) -> Option<u64> {
        let _ = point;
        None
    }

    /// What processors do at a point, where they send each other messages; `None` for other problems.
    ///
    /// # Errors
    /// [`Error::Parameter`] where the algorithm is not defined, those of the builder.
    fn program(algorithm: &Self::Algorithm, point: Self::Point, carrier: Carrier) -> Option<Result<Run, Error>> {
        let _ = (algorithm, point, carrier);
        None
    }

    /// How the cost moves with L, o and g where the algorithm may adapt to them, or where there is a formula for that;
    /// `None` where only the [program](Problem::program) tells.
    ///
    /// # Errors
    /// [`Error::Overflow`] where a cost that has to be looked at does not fit in 64 bits.
    fn sensitivity(algorithm: &Self::Algorithm, point: Self::Point) -> Option<Result<[Parameter; 3], Error>> {
        let _ = (algorithm, point);
        None
    }

    /// Executes one instance of the point and emits its events.
    ///
    /// # Errors
    /// Those of [`Problem::simulate`]; [`Error::Parameter`] for an instance that the point does not stand for.
    fn execute(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Error>;

    /// Whether the algorithm is defined at this point, without its cost where that is known sooner.
    ///
    /// # Errors
    /// [`Error::Parameter`] where it is not.
    fn defined(algorithm: &Self::Algorithm, point: Self::Point) -> Result<(), Error> {
        match Self::analytic(algorithm, point, &mut Self::Memo::default()) {
            Err(error @ Error::Parameter { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// How many steps [`Problem::analytic`] takes, at most `most`, where there may be many: a million take a second.
    fn steps(algorithm: &Self::Algorithm, point: Self::Point, most: usize) -> usize {
        let _ = (algorithm, point, most);
        0
    }

    /// All of these at one point.
    ///
    /// # Errors
    /// Why there is no cost.
    fn evaluate(
        algorithm: &Self::Algorithm,
        point: Self::Point,
        limits: &Limits,
        memo: &mut Self::Memo,
    ) -> Result<Evaluation, Refused> {
        let analytic = Self::analytic(algorithm, point, memo).map_err(Refused::by_algorithm)?;
        let simulated = match Self::too_large(algorithm, point, limits) {
            Some(reason) => Simulated::Skipped(reason),
            None => Self::simulate(algorithm, point).map_err(Refused::by_simulator)?,
        };
        let lower_bound = Self::lower_bound(point, memo).map_err(Refused::by_simulator)?;
        Ok(Evaluation { lower_bound, published: Self::published(algorithm, point), analytic, simulated })
    }

    /// The same for a point by itself.
    ///
    /// # Errors
    /// Why there is no cost.
    fn at(algorithm: &Self::Algorithm, point: Self::Point, limits: &Limits) -> Result<Evaluation, Error> {
        Self::evaluate(algorithm, point, limits, &mut Self::Memo::default()).map_err(Error::from)
    }

    /// The algorithm of this name.
    #[must_use]
    fn find(name: &str) -> Option<&'static Self::Algorithm> {
        Self::ENTRIES.iter().find(|listed| listed.about.name == name).map(|listed| listed.algorithm)
    }
}

/// The values of a point, one for each axis.
///
/// # Errors
/// [`Error::Parameter`] for another number of values than the problem has axes.
pub fn coordinates<const N: usize>(values: &[Value]) -> Result<[Value; N], Error> {
    values.try_into().map_err(|_| Error::parameter("values", values.len(), format!("expected {N}, one for each axis")))
}

/// The value of an axis that the form of the point has.
///
/// # Errors
/// [`Error::Parameter`] where it is missing.
pub fn needed(key: &'static str, value: Value) -> Result<u64, Error> {
    value.ok_or_else(|| Error::parameter(key, "nothing", "expected a value"))
}

/// What carries the messages of a point: their size, and the machine profile where there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carrier {
    /// The machine profile.
    pub profile: Option<LogGops>,
    /// Bytes of a message; 1 where the size does not matter.
    pub bytes: u64,
}

impl Carrier {
    /// A message of any size.
    pub const PLAIN: Self = Self { profile: None, bytes: 1 };

    /// The profile, or the machine that the point has for messages of this size.
    #[must_use]
    pub fn machine(self, model: LogP) -> Machine {
        self.profile.map_or(Machine::LogP(model), Machine::LogGops)
    }
}

/// A program, and the machine that it runs on.
pub type Run = (Machine, Program);

/// Answers for one algorithm, point after point; what neighbouring points share is kept in between.
pub type Evaluator<'a> = Box<dyn FnMut(&[Value]) -> Result<Evaluation, Refused> + Send + 'a>;

/// A [`Problem`] behind a trait object; `number` is the place of an algorithm in [`Problem::ENTRIES`].
pub trait AnyProblem: Sync {
    /// [`Problem::NAME`].
    fn name(&self) -> &'static str;
    /// [`Problem::TITLE`].
    fn title(&self) -> &'static str;
    /// [`Problem::AXES`].
    fn axes(&self) -> &'static [Axis];
    /// [`Problem::FORMS`].
    fn forms(&self) -> &'static [&'static [&'static str]];
    /// [`Problem::UNKNOWN`].
    fn unknown(&self) -> &'static str;
    /// [`Problem::FRACTIONS`].
    fn fractions(&self) -> bool;
    /// What a cost at these values is counted in.
    fn unit(&self, values: &[Value]) -> Unit;
    /// What is known of an algorithm.
    fn about(&self, number: usize) -> Option<&'static About>;
    /// A point that the algorithm takes.
    fn example(&self, number: usize) -> &'static [Value];
    /// Whether the values describe an instance of the problem.
    ///
    /// # Errors
    /// [`Refused::Invalid`].
    fn check(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused>;
    /// Whether the algorithm takes this instance, too.
    ///
    /// # Errors
    /// [`Refused::Invalid`] and [`Refused::NotHere`].
    fn admit(&self, number: usize, setting: &Setting, values: &[Value]) -> Result<(), Refused>;
    /// Whether an evaluation would simulate this point.
    fn simulates(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> bool;
    /// Why an evaluation would not simulate this point: [`Problem::too_large`]; `None` where there is no such point.
    fn why_skipped(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String>;
    /// [`Problem::work`]; 0 where there is no such point.
    fn work(&self, number: usize, setting: &Setting, values: &[Value]) -> u64;
    /// [`Problem::steps`]; 0 where there is no such point.
    fn steps(&self, number: usize, setting: &Setting, values: &[Value], most: usize) -> usize;
    /// [`Problem::resolve`]; nothing where there is no such point.
    fn resolve(&self, setting: &Setting, values: &mut [Value]);
    /// [`Problem::describe`]; nothing where there is no such point.
    ///
    /// # Errors
    /// Those of the writer.
    fn describe(&self, setting: &Setting, values: &[Value], out: &mut dyn fmt::Write) -> fmt::Result;
    /// [`Problem::program`] within the limits; `None` where processors do not send each other messages. Without a carrier it is
    /// the one that the values name; with one, a problem without a profile among its axes runs on that, too.
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    fn program(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused>;
    /// [`Problem::FIRST`].
    fn first(&self) -> u32;
    /// [`Problem::MPI`].
    fn mpi(&self) -> Option<&'static Function>;
    /// [`Problem::OPEN`].
    fn open(&self) -> &'static [&'static str];
    /// [`Problem::cuts`].
    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>>;
    /// [`Problem::ended`]; `None` where there is no such point, too.
    fn ended(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>>;
    /// [`Problem::piece`]; `None` where there is no such point, too.
    fn piece(&self, setting: &Setting, values: &[Value]) -> Option<u64>;
    /// [`Problem::sensitivity`].
    ///
    /// # Errors
    /// Why there is no such point; [`Refused::Overflow`].
    fn sensitivity(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Option<[Parameter; 3]>, Refused>;
    /// [`Problem::execute`].
    ///
    /// # Errors
    /// Why there is no such point, and [`Refused::TooLarge`].
    fn execute(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused>;
    /// Evaluates the algorithm at one point after the other, up to the limits.
    fn evaluator<'a>(&self, number: usize, setting: &'a Setting, limits: Limits) -> Evaluator<'a>;
}

impl<P: Problem> AnyProblem for P {
    fn name(&self) -> &'static str {
        P::NAME
    }

    fn title(&self) -> &'static str {
        P::TITLE
    }

    fn axes(&self) -> &'static [Axis] {
        P::AXES
    }

    fn forms(&self) -> &'static [&'static [&'static str]] {
        P::FORMS
    }

    fn unknown(&self) -> &'static str {
        P::UNKNOWN
    }

    fn fractions(&self) -> bool {
        P::FRACTIONS
    }

    fn unit(&self, values: &[Value]) -> Unit {
        let on_profile = P::AXES.iter().zip(values).any(|(axis, value)| axis.kind == Kind::Profile && value.is_some());
        if on_profile { Unit::Nanoseconds } else { P::UNIT }
    }

    fn about(&self, number: usize) -> Option<&'static About> {
        P::ENTRIES.get(number).map(|listed| &listed.about)
    }

    fn example(&self, number: usize) -> &'static [Value] {
        let takes = |values: &&&[Value]| self.admit(number, &Setting::default(), values).is_ok();
        P::EXAMPLES.iter().find(takes).copied().unwrap_or(&[])
    }

    fn check(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        P::point(setting, values).map(|_| ()).map_err(Refused::Invalid)
    }

    fn admit(&self, number: usize, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        let point = P::point(setting, values).map_err(Refused::Invalid)?;
        P::defined(P::ENTRIES[number].algorithm, point).map_err(Refused::NotHere)
    }

    fn simulates(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> bool {
        let algorithm = P::ENTRIES[number].algorithm;
        P::point(setting, values).is_ok_and(|point| P::too_large(algorithm, point, limits).is_none())
    }

    fn why_skipped(&self, number: usize, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String> {
        let point = P::point(setting, values).ok()?;
        P::too_large(P::ENTRIES[number].algorithm, point, limits)
    }

    fn work(&self, number: usize, setting: &Setting, values: &[Value]) -> u64 {
        P::point(setting, values).map_or(0, |point| P::work(P::ENTRIES[number].algorithm, point))
    }

    fn steps(&self, number: usize, setting: &Setting, values: &[Value], most: usize) -> usize {
        P::point(setting, values).map_or(0, |point| P::steps(P::ENTRIES[number].algorithm, point, most))
    }

    fn resolve(&self, setting: &Setting, values: &mut [Value]) {
        if let Ok(point) = P::point(setting, values) {
            P::resolve(point, values);
        }
    }

    fn describe(&self, setting: &Setting, values: &[Value], out: &mut dyn fmt::Write) -> fmt::Result {
        P::point(setting, values).map_or(Ok(()), |point| P::describe(point, out))
    }

    fn program(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused> {
        let of_kind =
            |kind| P::AXES.iter().zip(values).find(|(axis, _)| axis.kind == kind).and_then(|(_, value)| *value);
        let profile = of_kind(Kind::Profile).map(|place| setting.profile(place).copied()).transpose();
        let named = Carrier { profile: profile.map_err(Refused::Invalid)?, bytes: of_kind(Kind::Bytes).unwrap_or(1) };
        let carrier = carrier.unwrap_or(named);
        let (algorithm, point) = executed::<P>(number, setting, values, limits)?;
        P::program(algorithm, point, carrier).transpose().map_err(Refused::by_algorithm)
    }

    fn first(&self) -> u32 {
        P::FIRST
    }

    fn mpi(&self) -> Option<&'static Function> {
        P::MPI
    }

    fn open(&self) -> &'static [&'static str] {
        P::OPEN
    }

    fn cuts(&self, number: usize, values: &[Value]) -> Vec<Box<[Value]>> {
        P::cuts(P::ENTRIES[number].algorithm, values)
    }

    fn ended(&self, number: usize, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>> {
        let point = P::point(setting, values).ok()?;
        P::ended(P::ENTRIES[number].algorithm, point).map(|time| time.map_err(Refused::by_algorithm))
    }

    fn piece(&self, setting: &Setting, values: &[Value]) -> Option<u64> {
        P::point(setting, values).ok().and_then(P::piece)
    }

    fn sensitivity(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
    ) -> Result<Option<[Parameter; 3]>, Refused> {
        let algorithm = P::ENTRIES[number].algorithm;
        let point = P::point(setting, values).map_err(Refused::Invalid)?;
        P::sensitivity(algorithm, point).transpose().map_err(Refused::by_algorithm)
    }

    fn execute(
        &self,
        number: usize,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused> {
        let (algorithm, point) = executed::<P>(number, setting, values, &Limits::default())?;
        let stage = P::execute(algorithm, point, which, emit).map_err(Refused::by_algorithm)?;
        Ok(Stage { unit: self.unit(values), first: P::FIRST, ..stage })
    }

    fn evaluator<'a>(&self, number: usize, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        let algorithm = P::ENTRIES[number].algorithm;
        let mut memo = P::Memo::default();
        Box::new(move |values| {
            let point = P::point(setting, values).map_err(Refused::Invalid)?;
            let evaluation = P::evaluate(algorithm, point, &limits, &mut memo)?;
            match evaluation.analytic {
                Some(Exact::Integer(cost)) if cost > LARGEST => Err(Refused::Overflow),
                _ => Ok(evaluation),
            }
        })
    }
}

/// An algorithm at a point that is not too large to be executed.
fn executed<P: Problem>(
    number: usize,
    setting: &Setting,
    values: &[Value],
    limits: &Limits,
) -> Result<(&'static P::Algorithm, P::Point), Refused> {
    let algorithm = P::ENTRIES[number].algorithm;
    let point = P::point(setting, values).map_err(Refused::Invalid)?;
    P::defined(algorithm, point).map_err(Refused::NotHere)?;
    P::too_large(algorithm, point, limits).map_or(Ok((algorithm, point)), |why| Err(Refused::TooLarge(why)))
}

/// An algorithm of any problem.
#[derive(Clone, Copy)]
pub struct Entry {
    problem: &'static dyn AnyProblem,
    number: usize,
    rank: usize,
    about: &'static About,
}

impl Entry {
    /// The algorithms of a problem, of which the first has this rank.
    pub fn all(problem: &'static dyn AnyProblem, first: usize) -> impl Iterator<Item = Self> {
        let abouts = (0..).map_while(move |number| problem.about(number)).enumerate();
        abouts.map(move |(number, about)| Self { problem, number, rank: first + number, about })
    }

    /// What it solves.
    #[must_use]
    pub fn problem(&self) -> &'static dyn AnyProblem {
        self.problem
    }

    /// Its place in the catalogue, by which reports are ordered.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The axes of its problem.
    #[must_use]
    pub fn axes(&self) -> &'static [Axis] {
        self.problem.axes()
    }

    /// [`AnyProblem::example`].
    #[must_use]
    pub fn example(&self) -> &'static [Value] {
        self.problem.example(self.number)
    }

    /// [`AnyProblem::admit`].
    ///
    /// # Errors
    /// Those of [`AnyProblem::admit`].
    pub fn admit(&self, setting: &Setting, values: &[Value]) -> Result<(), Refused> {
        self.problem.admit(self.number, setting, values)
    }

    /// [`AnyProblem::simulates`].
    #[must_use]
    pub fn simulates(&self, setting: &Setting, values: &[Value], limits: &Limits) -> bool {
        self.problem.simulates(self.number, setting, values, limits)
    }

    /// [`AnyProblem::why_skipped`].
    #[must_use]
    pub fn why_skipped(&self, setting: &Setting, values: &[Value], limits: &Limits) -> Option<String> {
        self.problem.why_skipped(self.number, setting, values, limits)
    }

    /// [`AnyProblem::work`].
    #[must_use]
    pub fn work(&self, setting: &Setting, values: &[Value]) -> u64 {
        self.problem.work(self.number, setting, values)
    }

    /// [`AnyProblem::steps`].
    #[must_use]
    pub fn steps(&self, setting: &Setting, values: &[Value], most: usize) -> usize {
        self.problem.steps(self.number, setting, values, most)
    }

    /// [`AnyProblem::ended`].
    #[must_use]
    pub fn ended(&self, setting: &Setting, values: &[Value]) -> Option<Result<Exact, Refused>> {
        self.problem.ended(self.number, setting, values)
    }

    /// [`AnyProblem::program`].
    ///
    /// # Errors
    /// Those of [`AnyProblem::program`].
    pub fn program(
        &self,
        setting: &Setting,
        values: &[Value],
        limits: &Limits,
        carrier: Option<Carrier>,
    ) -> Result<Option<Run>, Refused> {
        self.problem.program(self.number, setting, values, limits, carrier)
    }

    /// Whether its processors send each other messages: whether it has a program at its example.
    #[must_use]
    pub fn sends(&self) -> bool {
        matches!(self.program(&Setting::default(), self.example(), &Limits::default(), None), Ok(Some(_)))
    }

    /// [`AnyProblem::sensitivity`].
    ///
    /// # Errors
    /// Those of [`AnyProblem::sensitivity`].
    pub fn sensitivity(&self, setting: &Setting, values: &[Value]) -> Result<Option<[Parameter; 3]>, Refused> {
        self.problem.sensitivity(self.number, setting, values)
    }

    /// [`AnyProblem::execute`].
    ///
    /// # Errors
    /// Those of [`AnyProblem::execute`].
    pub fn execute(
        &self,
        setting: &Setting,
        values: &[Value],
        which: &Which,
        emit: &mut dyn FnMut(Event),
    ) -> Result<Stage, Refused> {
        self.problem.execute(self.number, setting, values, which, emit)
    }

    /// [`AnyProblem::cuts`].
    #[must_use]
    pub fn cuts(&self, values: &[Value]) -> Vec<Box<[Value]>> {
        self.problem.cuts(self.number, values)
    }

    /// [`AnyProblem::evaluator`].
    #[must_use]
    pub fn evaluator<'a>(&self, setting: &'a Setting, limits: Limits) -> Evaluator<'a> {
        self.problem.evaluator(self.number, setting, limits)
    }

    /// One answer: lower bound, published figures, analytic and simulated cost.
    ///
    /// # Errors
    /// Why there is no cost.
    pub fn evaluate(&self, setting: &Setting, values: &[Value], limits: &Limits) -> Result<Evaluation, Refused> {
        self.evaluator(setting, *limits)(values)
    }
}

impl Deref for Entry {
    type Target = About;

    fn deref(&self) -> &About {
        self.about
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank && self.about.name == other.about.name
    }
}

impl Eq for Entry {}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.about.name).finish()
    }
}

/// A value as the command line and CSV take it.
#[must_use]
pub fn spelled(axis: &Axis, value: u64) -> Cow<'static, str> {
    match axis.kind {
        Kind::Sides => Sides::of(value).to_string().into(),
        _ => value.to_string().into(),
    }
}

impl fmt::Debug for dyn AnyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Problems are told apart by their names.
impl PartialEq for dyn AnyProblem {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn AnyProblem {}
