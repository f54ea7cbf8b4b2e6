//! The best algorithm of a problem at each point of a product of axes: all algorithms with all cuts of the problem are
//! compared. Each case has the runner-up, a library's default and the lower bound.
//!
//! Costs are analytic, or simulated where there is no formula. The best algorithm of each case is also simulated if
//! that is cheap ([`MAX_DELIVERIES`]).

use crate::libraries::{self, Call, Default, Function, Library, Numbered};

use algorithms::catalogue;
use algorithms::cost::{Evaluation, Exact, Limits, Simulated};
use algorithms::error::Error;
use algorithms::internals::collectives::{Collective, counts};
use algorithms::problem::{Entry, Problem, Refused};
use num_rational::BigRational;

use crate::base::answers::{Absences, Absent};
use crate::base::failure::{Code, Failure, Result, contradiction};
use crate::base::progress::Progress;
use crate::base::threads;
use crate::base::units::joined;
use crate::record::on_network::OnNetwork;
use crate::record::rounded;
use crate::space::{Cell, Points, Space};

/// Most cases of a question.
pub const MAX_CASES: u64 = 10_000;
/// The best algorithm of a case is simulated if it sends at most this many messages.
pub const MAX_DELIVERIES: u64 = 100_000;

/// A question of `castbench best`.
#[derive(Debug, Clone)]
pub struct Question {
    /// The problem.
    pub problem: &'static Problem,
    /// The algorithms compared, in the order of the catalogue, and where.
    pub space: Space,
    /// The function of the library that solves the problem.
    pub function: Option<&'static Function>,
    /// The library whose default is compared.
    pub against: Library,
    /// Whether only the algorithms of that library are compared, by the time until every operation has ended, for which a
    /// library waits, and not by the time until every node holds everything.
    pub only: bool,
    /// Whether the answer is a rules file.
    pub rules: bool,
    /// Algorithms that are slower than the best by at most this percentage are named with it; none: by the error.
    pub ties_percent: Option<u64>,
    /// Shorter segments are used only if they are faster by more than this percentage, because a profile is not exact.
    pub within_percent: u64,
    /// Which of the algorithms have no formula, so that each rank is followed.
    pub followed: Vec<&'static str>,
}

/// An algorithm with a cut, and its cost.
#[derive(Debug, Clone)]
pub struct Choice<'q> {
    /// The algorithm at its point, the axes of the cut included.
    pub cell: Cell<'q>,
    /// Size of the pieces of a message.
    pub piece: Option<u64>,
    /// Its cost.
    pub cost: Exact,
    /// The least cost of all cuts from which it was chosen. The algorithm with the least is the best, because the cost of the
    /// coarsest cut within a percentage jumps from size to size.
    pub least: Exact,
}

impl Choice<'_> {
    /// The algorithm.
    pub fn name(&self) -> &'static str {
        self.cell.entry.name
    }

    /// A size of messages that it sends for which its profile is not valid.
    pub fn invalid(&self) -> Option<u64> {
        let (_, size) = self.cell.machine()?.outside(self.cell.sizes()?)?;
        Some(size)
    }
}

/// What a simulation of a best says of its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Executed {
    /// It was not simulated.
    Not,
    /// No formula states its cost: the simulation is the cost.
    Alone,
    /// The simulation is equal to the formula.
    Equal,
}

impl Executed {
    /// How many of these were simulated, for people; `what` names a number of them.
    pub fn stated(all: &[Self], what: impl Fn(u64) -> String) -> String {
        let of = |wanted: Self, how: &str| {
            let count = all.iter().filter(|own| **own == wanted).count() as u64;
            (count > 0).then(|| format!("{} {how}", what(count)))
        };
        let stated = [
            of(Self::Equal, "also simulated, all equal"),
            of(Self::Alone, "simulated without a formula to compare"),
        ];
        let stated = joined(", ", stated.into_iter().flatten());
        match stated.is_empty() {
            true => "none simulated".to_owned(),
            false => stated,
        }
    }
}

/// One point of the plane.
#[derive(Debug, Clone)]
pub struct Case<'q> {
    /// Whose case it is.
    pub question: &'q Question,
    /// The point of the best, without a cut.
    pub at: Cell<'q>,
    /// The least lower bound over the cuts compared.
    pub lower_bound: Exact,
    /// The best; of equal ones the first in the catalogue, with the coarsest cut.
    pub best: Choice<'q>,
    /// The best other algorithm.
    pub runner_up: Option<Choice<'q>>,
    /// Other algorithms that cost no more than the best and the error of the profile, or the percentage that is asked.
    pub tied: Vec<Choice<'q>>,
    /// The library's default.
    pub library: Option<Choice<'q>>,
    /// What the library runs by default, by its own name; none where that is not known.
    pub library_runs: Option<&'static str>,
    /// Whether the best was simulated, and its cost by formula compared with that.
    pub executed: Executed,
    /// The algorithms that were asked and have no cost here.
    pub absent: Vec<Absent>,
    /// On a network: the link time of the best, and that of the runner-up over the bound.
    pub links: Option<(OnNetwork, Option<f64>)>,
}

impl Case<'_> {
    /// The cost of a choice over that of the best.
    pub fn over_best(&self, choice: &Choice<'_>) -> Option<f64> {
        over(&choice.cost, &self.best.cost)
    }

    /// What a best without a runner-up was compared with.
    pub fn alone(&self) -> &'static str {
        if self.absent.is_empty() {
            "none: the only one asked"
        } else {
            "none: the only one defined here"
        }
    }

    /// The best over the lower bound.
    pub fn over_bound(&self) -> Option<f64> {
        over(&self.best.cost, &self.lower_bound)
    }

    /// The library's function here.
    pub fn function(&self) -> Option<&'static Function> {
        self.question.function_at(&self.at)
    }

    /// The call of the library's function here.
    pub fn call(&self) -> Call {
        call(&self.at)
    }
}

/// The algorithms without a cost in these cases, each of which is a `noun` and has a place.
pub fn absences<'c, 'q: 'c>(
    cases: impl IntoIterator<Item = &'c Case<'q>>,
    noun: &'static str,
    place: impl Fn(&Cell<'q>) -> String,
) -> Absences {
    let mut absences = Absences::new(noun);
    for case in cases {
        absences.asked += 1;
        for Absent { name, why } in &case.absent {
            absences.add(name, why, || place(&case.at));
        }
    }
    absences
}

/// The call of a library's function at a point.
fn call(at: &Cell<'_>) -> Call {
    let [K, bytes] = ["K", "bytes"].map(|key| at.value(key).unwrap_or_default());
    let element = at.value("element").unwrap_or(1);
    Call { K, bytes, element }
}

/// A ratio of costs; none if only the lesser is 0.
fn over(cost: &Exact, least: &Exact) -> Option<f64> {
    if cost == least {
        return Some(1.0);
    }
    let (cost, least) = (rounded(cost)?, rounded(least)?);
    (least > 0.0).then(|| cost / least)
}

/// Whether a cost is more than another one by more than this percentage.
pub fn exceeds(cost: &Exact, other: &Exact, percent: u64) -> bool {
    // Fractions of long numbers take longer than all costs of a case.
    if let (Exact::Integer(cost), Exact::Integer(other)) = (cost, other) {
        let of = |cost: u64, percent: u64| u128::from(cost) * u128::from(percent);
        return of(*cost, 100) > of(*other, percent.saturating_add(100));
    }
    let of = |percent: u64| BigRational::from_integer(percent.into());
    cost.to_rational() * of(100) > other.to_rational() * of(100 + percent)
}

/// The cases of some questions, each in the order of its plane.
///
/// # Errors
/// Exit code 2 if no algorithm solves a case, 5 if the analytic and the simulated cost of the best differ.
pub fn cases(questions: &[Question]) -> Result<Vec<Case<'_>>> {
    let mut all = Vec::new();
    for question in questions {
        let algorithms = question.space.algorithms.len() as u64;
        all.extend(
            question.each(algorithms, "comparisons", |at, compared_one| {
                let case = question.compare(at, compared_one)?;
                let executed = execute(&case.best)?;
                Ok(Case { executed, ..case })
            })?,
        );
    }
    Ok(all)
}

impl Question {
    /// The library's function at a point: blocks with sizes of their own have another one.
    pub fn function_at(&self, at: &Cell<'_>) -> Option<&'static Function> {
        if !at.is_counted() {
            return self.function;
        }
        libraries::functions_of_sizes()
            .find(|function| function.collective == self.problem.name)
            .filter(|_| self.function.is_some())
    }

    /// What the library runs without rules at a point. No library reads the sizes of an alltoall with K^2 counts.
    fn default_at(&self, function: &Function, at: &Cell<'_>) -> Default {
        let call = call(at);
        let counts = at.value("counts").unwrap_or_default();
        let Some(total) = counts::total(counts, call.bytes, call.K) else {
            return function.default(self.against, call);
        };
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        let bytes = total / call.K;
        function.default_of_sizes(self.against, Call { bytes, ..call }, total)
    }

    /// The points of the plane, the same for all algorithms.
    pub fn points(&self) -> Points<'_> {
        self.space.over(self.space.algorithms[0])
    }

    /// Does some work at each point of the plane, in parallel; the results are in order. The work has this many `steps`, and
    /// tells the progress of each.
    ///
    /// # Errors
    /// That of the first point with an error.
    pub fn each<'q, T: Send>(
        &'q self,
        steps: u64,
        noun: &'static str,
        work: impl Fn(Cell<'q>, &dyn Fn()) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let points = self.points();
        let count = u64::try_from(points.size()).unwrap_or(u64::MAX);
        let progress = Progress::bar(count.saturating_mul(steps), noun);
        let results = threads::in_order(0..count, |number| {
            work(points.cell(number), &|| progress.advance(1, 0))
        });
        progress.finish();
        results
    }

    /// The axes with values, by their indices; the last varies fastest.
    pub fn plane(&self) -> Vec<(usize, Vec<u64>)> {
        self.points()
            .dimensions
            .into_iter()
            .map(|dimension| (dimension.index, dimension.values.iter().collect()))
            .collect()
    }

    /// The axes with several values.
    pub fn several(&self) -> Vec<usize> {
        let plane = self.plane().into_iter();
        plane
            .filter(|(_, values)| values.len() > 1)
            .map(|(index, _)| index)
            .collect()
    }

    /// The rule of ports of its points, and what decides it.
    pub fn ports(&self) -> Option<String> {
        self.space.ports(self.problem)
    }

    /// What two costs must differ by to differ at all: the percentage of the question, or the error of the profile.
    pub fn error_percent(&self, at: &Cell<'_>) -> u64 {
        let error = at
            .machine()
            .and_then(|machine| machine.valid.as_ref())
            .map_or(0, |valid| valid.within_percent);
        if self.only {
            error.max(self.within_percent)
        } else {
            error
        }
    }

    /// The case at a point, not simulated; `compared_one` is called after each algorithm.
    ///
    /// # Errors
    /// The errors of [`cases`].
    pub fn compare<'q>(&'q self, at: Cell<'q>, compared_one: &dyn Fn()) -> Result<Case<'q>> {
        let error = self.ties_percent.unwrap_or_else(|| self.error_percent(&at));
        let mut compared = Compared::new(self, at, Some(error).filter(|_| !self.only));
        let algorithms = &self.space.algorithms;
        let mut all: Vec<(Entry, Vec<Choice<'q>>)> = algorithms
            .iter()
            .map(|&entry| (entry, Vec::new()))
            .collect();
        // What those cost whose cost a formula states decides which others need not be followed.
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&number| self.is_followed(algorithms[number]));
        for number in order {
            all[number].1 = compared.choices(algorithms[number])?;
            compared_one();
        }
        let (library, library_runs) = compared.by_default(&all)?;
        let mut best: Vec<(Choice<'q>, &[Choice<'q>])> = Vec::new();
        for (entry, choices) in &all {
            let taken = match self.function.filter(|_| self.only) {
                None => &choices[..],
                Some(function) => self.offered(function, call(&at), *entry, choices),
            };
            if taken.is_empty() && !choices.is_empty() {
                let why = format!("{} does not run it for this call", self.against.name());
                compared.absent.push(Absent::new(entry.name, &why));
            }
            best.extend(self.coarsest(taken).map(|choice| (choice, taken)));
        }
        // A stable sort: of equal costs, the first in the catalogue wins.
        best.sort_by(|(one, _), (other, _)| one.least.cmp(&other.least));
        let mut best = best.into_iter();
        let (Some((first, cuts)), Some(lower_bound)) = (best.next(), compared.bound.clone()) else {
            return Err(compared.nothing());
        };
        let others: Vec<Choice<'q>> = best.map(|(choice, _)| choice).collect();
        // Its segments are lengthened no further than nothing beside it costs less.
        let own = library
            .as_ref()
            .filter(|own| algorithms.contains(&own.cell.entry));
        let beside = others.iter().chain(own).map(|choice| &choice.cost).min();
        let fits = |choice: &&Choice<'q>| {
            !exceeds(&choice.cost, &first.least, self.within_percent)
                && beside.is_none_or(|most| choice.cost <= *most)
        };
        let first = cuts.iter().find(fits).map_or(first.clone(), |cut| Choice {
            least: first.least.clone(),
            ..cut.clone()
        });
        let tied = others
            .iter()
            .filter(|other| other.least == first.least || !exceeds(&other.cost, &first.cost, error))
            .cloned()
            .collect();
        Ok(Case {
            question: self,
            at: Cell {
                entry: first.cell.entry,
                ..at
            },
            lower_bound,
            best: first,
            runner_up: others.into_iter().next(),
            tied,
            library,
            library_runs,
            executed: Executed::Not,
            absent: compared.absent,
            links: None,
        })
    }

    /// Whether no formula states what an algorithm costs.
    fn is_followed(&self, entry: Entry) -> bool {
        self.followed.contains(&entry.name)
    }

    /// The cuts of an algorithm, the coarsest first, that a library can be made to run.
    fn offered<'a, 'q>(
        &self,
        function: &Function,
        call: Call,
        entry: Entry,
        choices: &'a [Choice<'q>],
    ) -> &'a [Choice<'q>] {
        if !function.runs(self.against, entry.name, call) {
            return &[];
        }
        if !function.cuts(self.against, entry.name) {
            return &choices[..choices.len().min(1)];
        }
        let is_another = function
            .numbered(self.against, entry.name)
            .is_some_and(|known| known.whole_is.is_some());
        &choices[usize::from(is_another).min(choices.len())..]
    }

    /// The coarsest cut whose cost is within the percentage of the least.
    fn coarsest<'q>(&self, choices: &[Choice<'q>]) -> Option<Choice<'q>> {
        let least = choices.iter().map(|choice| &choice.cost).min()?;
        let coarsest = choices
            .iter()
            .find(|choice| !exceeds(&choice.cost, least, self.within_percent))?;
        Some(Choice {
            least: least.clone(),
            ..coarsest.clone()
        })
    }
}

impl<'q> Case<'q> {
    /// An algorithm here, in pieces of at most this size, or whole; `None` where it has no cost.
    ///
    /// # Errors
    /// The errors of [`cases`].
    pub fn priced(&self, entry: Entry, piece: Option<u64>) -> Result<Option<Choice<'q>>> {
        let choices = Compared::new(self.question, self.at, None).choices(entry)?;
        Ok(choices
            .into_iter()
            .find(|choice| piece.is_none_or(|most| choice.piece.is_none_or(|piece| piece <= most))))
    }

    /// An algorithm here, with its best cut; `None` where it has no cost.
    ///
    /// # Errors
    /// The errors of [`cases`].
    pub fn least(&self, entry: Entry) -> Result<Option<Choice<'q>>> {
        let choices = Compared::new(self.question, self.at, Some(0)).choices(entry)?;
        Ok(self.question.coarsest(&choices))
    }
}

/// Simulates a choice if that is cheap.
///
/// # Errors
/// An execution that differs from the cost.
pub fn execute(Choice { cell, .. }: &Choice<'_>) -> Result<Executed> {
    let limits = Limits {
        hops: MAX_DELIVERIES,
        ..Limits::default()
    };
    let evaluation = cell
        .evaluate(&limits)
        .map_err(|refused| broken(cell, &refused))?;
    consistent(cell, &evaluation)?;
    Ok(match (&evaluation.simulated, &evaluation.analytic) {
        (Simulated::Skipped(_), _) => Executed::Not,
        (_, None) => Executed::Alone,
        (_, Some(_)) => Executed::Equal,
    })
}

/// Checks that the costs of a cell agree and are not below the bound.
fn consistent(cell: &Cell<'_>, evaluation: &Evaluation) -> Result {
    let explained = |failure: Failure| {
        Failure::new(
            failure.code,
            format_args!("{}: {}", cell.command(), failure.explanation()),
        )
    };
    contradiction(cell.entry, evaluation).map_or(Ok(()), |failure| Err(explained(failure)))
}

fn broken(cell: &Cell<'_>, refused: &Refused) -> Failure {
    let code = match refused {
        Refused::Broken(Error::Given(_)) => Code::Configuration,
        _ => Code::Disagreement,
    };
    Failure::new(code, format_args!("{}: {refused}", cell.command()))
}

/// What is executed where no formula states the cost. Several cases are compared at once, so that of a collective fewer messages
/// are than by `cost`: an alltoall of 4,096 ranks takes 750 MB.
fn executed(entry: Entry) -> Limits {
    let defaults = Limits::default();
    match Collective::named(entry.problem().name) {
        Some(_) => Limits {
            hops: 1 << 22,
            ..defaults
        },
        None => defaults,
    }
}

/// Nothing is simulated.
const NOTHING: Limits = Limits { nodes: 0, hops: 0 };

/// State while the algorithms of a case are compared.
struct Compared<'q> {
    question: &'q Question,
    /// The point, without a cut.
    at: Cell<'q>,
    /// The least bound of the points compared.
    bound: Option<Exact>,
    /// The algorithms without a cost.
    absent: Vec<Absent>,
    /// The least costs of two algorithms so far.
    least: Vec<Exact>,
    /// Where only the best and its ties are asked, up to how many percent more these cost.
    ties: Option<u64>,
}

impl<'q> Compared<'q> {
    const fn new(question: &'q Question, at: Cell<'q>, ties: Option<u64>) -> Self {
        Self {
            question,
            at,
            bound: None,
            absent: Vec::new(),
            least: Vec::new(),
            ties,
        }
    }

    /// What the library runs by default, with its cost, and its own name for it.
    fn by_default(
        &mut self,
        all: &[(Entry, Vec<Choice<'q>>)],
    ) -> Result<(Option<Choice<'q>>, Option<&'static str>)> {
        let (question, against) = (self.question, self.question.against);
        let Some(function) = question.function_at(&self.at) else {
            return Ok((None, None));
        };
        let known: &[&Numbered] = match &question.default_at(function, &self.at) {
            Default::Unknown if question.only || against.shows(function).is_none() => &[],
            Default::Unknown => function.algorithms(against),
            Default::Lacks(name) => return Ok((None, Some(name))),
            Default::Known(known) => &[known],
        };
        let mut priced = Vec::new();
        for known in known {
            priced.push((self.as_run(all, known)?, Some(known.name)));
        }
        let cost = |choice: &Option<Choice<'q>>| choice.as_ref().map(|choice| choice.cost.clone());
        // The first where none has a cost.
        let least = priced
            .into_iter()
            .min_by_key(|(choice, _)| (choice.is_none(), cost(choice)));
        Ok(least.unwrap_or_default())
    }

    /// An algorithm cut as the library runs it.
    fn as_run(
        &mut self,
        all: &[(Entry, Vec<Choice<'q>>)],
        known: &Numbered,
    ) -> Result<Option<Choice<'q>>> {
        let choices = match all.iter().find(|(entry, _)| entry.name == known.ours) {
            Some((_, choices)) if !known.halves && !choices.is_empty() => choices.clone(),
            // It is not one of the algorithms asked, so the bound is not of its cuts; or its cuts were left out.
            _ => {
                let mut beside = Compared::new(self.question, self.at, None);
                let entry = catalogue::find(known.ours)
                    .filter(|entry| entry.problem() == self.question.problem);
                let choices = entry.map_or(Ok(Vec::new()), |entry| beside.choices(entry))?;
                for new in beside.absent {
                    if self.absent.iter().all(|absent| absent.name != new.name) {
                        self.absent.push(new);
                    }
                }
                choices
            }
        };
        Ok(if known.chunks && !known.halves {
            self.question.coarsest(&choices)
        } else {
            let is_run = |choice: &Choice<'_>| !known.halves || choice.cell.value("m") == Some(2);
            choices.into_iter().find(is_run)
        })
    }

    /// An algorithm with each of its cuts, the coarsest first; without any, it is absent. Where the best is asked, cuts that take long
    /// and cannot be it are left out.
    fn choices(&mut self, entry: Entry) -> Result<Vec<Choice<'q>>> {
        let mut choices: Vec<Choice<'q>> = Vec::new();
        let mut why: Option<String> = None;
        let mut is_left_out = false;
        let may_skip = self.ties.is_some() && !entry.is_given && self.question.is_followed(entry);
        for cut in entry.cuts(&self.at.values) {
            let mut cell = Cell { entry, ..self.at };
            cell.values.copy_from_slice(&cut);
            let instance = cell.bind();
            if let Ok(instance) = &instance
                && may_skip
                && let Some([any, own]) = instance.least()
                && self.is_out(&choices, &own)
            {
                self.bounded(&any);
                is_left_out = true;
                continue;
            }
            let evaluated =
                instance.and_then(|instance| Ok((instance.evaluate(&NOTHING)?, instance)));
            let (mut evaluation, instance) = match evaluated {
                Ok(evaluated) => evaluated,
                Err(refused @ Refused::Broken(_)) => return Err(broken(&cell, &refused)),
                // A cost that overflows is not the best.
                Err(refused) => {
                    why.get_or_insert_with(|| refused.to_string());
                    continue;
                }
            };
            self.bounded(&evaluation.lower_bound);
            // What a user gives can be wrong: a formula alone is no cost.
            if evaluation.analytic.is_none() || entry.is_given {
                evaluation = instance
                    .evaluate(&executed(entry))
                    .map_err(|refused| broken(&cell, &refused))?;
            }
            consistent(&cell, &evaluation)?;
            let analytic = evaluation.analytic.filter(|_| !entry.is_given);
            let is_executed = analytic.is_none();
            if let Some(cost) = analytic.or_else(|| evaluation.simulated.cost()) {
                let piece = instance.piece();
                choices.push(Choice {
                    cell,
                    piece,
                    least: cost.clone(),
                    cost,
                });
                // Executions take longer the shorter the segments, whose overheads add up.
                if is_executed && Self::is_past(&choices) {
                    break;
                }
            } else if let Simulated::Skipped(reason) = evaluation.simulated {
                let unknown = if entry.is_given {
                    "a formula alone is no cost".to_owned()
                } else {
                    instance.unknown()
                };
                why.get_or_insert_with(|| format!("{unknown}; not simulated: {reason}"));
            }
        }
        if self.ties.is_some() {
            self.least
                .extend(choices.iter().map(|choice| choice.cost.clone()).min());
            self.least.sort();
            self.least.truncate(2);
        }
        if choices.is_empty() && !is_left_out {
            self.absent.push(Absent::new(
                entry.name,
                &why.unwrap_or_else(|| "it has no cut here".to_owned()),
            ));
        }
        Ok(choices)
    }

    /// Whether a cut that costs no less is neither the best of its algorithm nor of two, nor tied with the best.
    fn is_out(&self, choices: &[Choice<'_>], cost: &Exact) -> bool {
        let within = self.question.within_percent;
        let is_more = |choice: &Choice<'_>| exceeds(cost, &choice.cost, within);
        let [best, second] = &self.least[..] else {
            return choices.iter().any(is_more);
        };
        // The best is taken with the coarsest cut within the percentage.
        let tied = (100 + within)
            .saturating_mul(self.ties.unwrap_or(0).saturating_add(100))
            .div_ceil(100)
            .saturating_sub(100);
        choices.iter().any(is_more) || cost > second && exceeds(cost, best, tied)
    }

    /// Takes in a lower bound of a point.
    fn bounded(&mut self, lower_bound: &Exact) {
        if self.bound.as_ref().is_none_or(|bound| lower_bound < bound) {
            self.bound = Some(lower_bound.clone());
        }
    }

    /// Whether the last cut costs half as much again as another one.
    fn is_past(choices: &[Choice<'_>]) -> bool {
        let least = choices.iter().map(|choice| &choice.cost).min();
        let last = choices.last().map(|choice| &choice.cost);
        last.zip(least)
            .is_some_and(|(last, least)| exceeds(last, least, 50))
    }

    /// The reason why a case has no answer.
    fn nothing(&self) -> Failure {
        let mut reasons: Vec<&str> = self.absent.iter().map(|absent| &*absent.why).collect();
        reasons.dedup();
        let why = match &reasons[..] {
            _ if self.question.only && self.bound.is_some() => {
                format!(
                    "{} has none of the compared algorithms; name others",
                    self.question.against.name()
                )
            }
            [why] => (*why).to_owned(),
            _ => {
                let more = match self.absent.len().saturating_sub(3) {
                    0 => String::new(),
                    more => format!("; and {more} more have no cost here"),
                };
                joined("; ", self.absent.iter().take(3)) + &more
            }
        };
        failure!(Usage, "{}: {why}", self.at.options())
    }
}
