//! `castbench best`: which algorithm of a problem is best, where, by how much, and why.

pub(super) mod along;
pub(super) mod columns;
mod crossovers;
pub(super) mod explained;
mod map;
pub(super) mod question;
mod rules;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::libraries::{Family, Function, Library, functions_of};
use algorithms::catalogue::{self, PROBLEMS, entries};
use algorithms::cost::{By, Unit};
use algorithms::problem::{Axis, Entry, Problem};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde::{Serialize, Serializer};

use super::options;
use super::point::doubts;
use crate::base::answers::Answers;
use crate::base::failure::{Result, stdout, tell};
use crate::base::revision::build;
use crate::base::units::{distinct, grouped, joined, parse_count, plural, show_bytes};
use crate::config;
use crate::draw::chart::format::ImageFormat;
use crate::draw::chart::{Chart, PageFit};
use crate::figures::origin::{Origin, refuse_stranger, typed};
use crate::figures::{self, Picture};
use crate::networks::{NetworkArgs, Placed};
use crate::print::{self, Columns, Format};
use crate::record::on_network::{self, OnNetwork};
use crate::rules::openmpi;
use crate::space::machine::Machine;
use crate::space::{Cell, Given, Space, Values, Words};
use question::{Case, Choice, Executed, MAX_CASES, Question, absences, cases};

pub(crate) const HELP: &str =
    "Pipelined broadcasts are compared as one message and in segments of about each power of two from 256 B. By \
default -K is 2..4096..x2 and --bytes is 1..64MiB..x2; 2..64..x2 and 1..4MiB..x4 on a machine with levels or sizes, \
because most costs are executions there: segments are halved until they cost half as much again as the best, and \
some algorithms of leaders and lanes are compared, too. `castbench list --machines` names the machine profiles, and \
`castbench calibrate` measures your own machine.

The rules are for Open MPI's tuned component, name only its own algorithms, and leave to Open MPI the numbers of ranks \
and the sizes that were not asked:
  mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename my.rules ...

Examples:
  castbench best --machine ethernet100-switched
  castbench best --machine ethernet100-switched -K 2..4096..x2 --bytes 1..64MiB..x2 --format csv
  castbench best --machine ethernet100-switched -K 16 --bytes 1MiB --explain
  castbench best --collective allreduce -L 6 -o 2 -g 4 -c 1 -K 16 -n 1024 --ties 10
  castbench best --collective allreduce --machine ethernet100-switched --bytes 1MiB --network torus:8x8
  castbench best --machine mine.toml --svg map.svg --against mpich
  castbench best --collective allreduce -L 6 -o 2 -g 4 -c 1 -K 4,16 -n 1,1024 --svg map.svg --over allreduce-ring
  castbench best --machine mine.toml --collective broadcast,allreduce -K 16,64 --format openmpi-rules >my.rules
  castbench best --collective allreduce -L 6 -o 2 -g 4 -K 2..64..x2 -n 1024
  castbench best --problem k-port-broadcast -n 10,100,1000 -k 1,2,3 -m 16
  castbench best --problem allreduce -L 6 -o 2 -g 4 -n 1024 --along K --from 2 --to 256
  castbench best --algorithms broadcast-binomial,broadcast-chain --machine ethernet100-switched -K 16 --along bytes --from 1 --to 1MiB
  castbench best --algorithms broadcast-binomial,broadcast-scatter-allgather --machine ethernet100-switched --along bytes -K 4..64 --explain --svg map.pdf --width 88mm

--along: one axis runs from --from to --to, for each value of the others. Up to 4,096 values are all compared. Of more \
values castbench compares the powers of two, their neighbours and the values halfway. Between two of these that have \
different winners it finds a change by halving, and compares up to 2,048 values on each side of it. Several lines share \
these numbers. A row names the best, \
and then the algorithms that are best where it is not defined, as at most values of an axis for one that needs a power of \
two. Where costs cross and cross back elsewhere, the answer does not show it; it says how it was searched.";

/// Arguments of `best`.
#[derive(Debug, Clone, Args, Serialize)]
pub struct Best {
    /// The problem whose algorithms are compared; for a rules file several [default: broadcast]
    #[arg(long, visible_alias = "collective", value_name = "NAME", value_parser = problem_names(), value_delimiter = ',')]
    pub problem: Vec<String>,
    /// Compare only these algorithms
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Configurations whose algorithms are compared, too.
    #[arg(
        long,
        value_name = "FILE",
        help = "Also compare the [[algorithm]] of this configuration; may be repeated"
    )]
    #[serde(skip)]
    pub with: Vec<PathBuf>,
    /// The values of the axes.
    #[command(
        flatten,
        next_help_heading = "Plane: values as 8,12,18 or 1..64, 0..60..4 (step), 1..1024..x2 (factor)"
    )]
    #[serde(skip)]
    pub plane: options::AxisOptions,
    /// Library whose default choice is compared
    #[serde(serialize_with = "key")]
    #[arg(long, value_name = "LIBRARY", value_enum, default_value = Library::OpenMpi4.key())]
    pub against: Library,
    /// Compare only the algorithms of that library
    #[arg(long)]
    pub only: bool,
    /// Use shorter segments only if they are more than PERCENT faster [default: 1, with --only or for rules 10]
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true)]
    pub within: Option<u64>,
    /// Name all algorithms that are at most PERCENT slower than the best [default: the error of the profile]
    #[arg(long, value_name = "PERCENT", value_parser = parse_count, allow_negative_numbers = true)]
    pub ties: Option<u64>,
    /// Print what the best, the next and the default spend their time on, along a critical path; with --along, the answer in words
    #[arg(long)]
    #[serde(skip)]
    pub explain: bool,
    /// Draw a decision map, or the ranges of --along over another axis, into a file .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub svg: Option<PathBuf>,
    /// Draw in the map the cost of this algorithm over the best, instead of that of the library's default
    #[arg(long, value_name = "ALGORITHM", requires = "svg")]
    pub over: Option<String>,
    /// Print along this axis, as K or bytes, from where to where which algorithm is the best, for each value of the other axes
    #[arg(long, value_name = "AXIS", conflicts_with_all = ["ties", "over"])]
    pub along: Option<String>,
    /// The first value of that axis [default: 2 of K, 1 of bytes]
    #[arg(long, value_name = "VALUE", requires = "along", conflicts_with_all = ["ties", "over"], value_parser = along::parse_value)]
    pub from: Option<u64>,
    /// The last value of that axis [default: 4096 of K, 64MiB of bytes; 64 and 4MiB on a machine with levels or sizes]
    #[arg(long, value_name = "VALUE", requires = "along", conflicts_with_all = ["ties", "over"], value_parser = along::parse_value)]
    pub to: Option<u64>,
    /// The network.
    #[command(flatten, next_help_heading = "Network")]
    #[serde(skip)]
    pub network: NetworkArgs,
    /// Size and parts of the picture.
    #[command(flatten, next_help_heading = "Page, with --svg")]
    #[serde(flatten)]
    pub page: PageFit,
    /// How to print
    #[arg(long, value_parser = options::formats(BestFormat::Rows, OTHERS), default_value = "table", help_heading = None)]
    #[serde(skip)]
    pub format: BestFormat,
}

fn problem_names() -> PossibleValuesParser {
    PossibleValuesParser::new(PROBLEMS.iter().map(|problem| problem.name))
}

impl ValueEnum for Library {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.key()).help(self.name());
        Some(value.aliases(self.short()))
    }
}

fn key<S: Serializer>(library: &Library, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(library.key())
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BestFormat {
    /// A row for each case.
    Rows(Format),
    /// A rules file for Open MPI's tuned component.
    OpenmpiRules,
    /// Decisions as CSV, of which `castbench rules` makes the files of libraries.
    Rules,
}

const OTHERS: [(&str, &str, BestFormat); 2] = [
    (
        "rules",
        "Decisions as CSV; `castbench rules` makes the files of libraries of them",
        BestFormat::Rules,
    ),
    (
        "openmpi-rules",
        "A rules file for Open MPI's tuned component",
        BestFormat::OpenmpiRules,
    ),
];

/// The values of axes that are not given.
type Spans = [(&'static str, &'static str); 2];

const SPANS: Spans = [("K", "2..4096..x2"), ("bytes", "1..64MiB..x2")];
/// Where messages see several parameters, most costs are executions.
const FEW: Spans = [("K", "2..64..x2"), ("bytes", "1..4MiB..x4")];

/// Those on these machines.
fn spans(machines: &[Machine]) -> Spans {
    if machines.iter().all(Machine::is_flat) {
        SPANS
    } else {
        FEW
    }
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid question, 3 for a missing or invalid machine, 5 if a best cost differs from the executed
/// one, 74 if the map cannot be written.
pub fn run(arguments: &Best) -> Result {
    let mut out = match arguments.format {
        BestFormat::Rows(format) => format.stdout(),
        BestFormat::OpenmpiRules | BestFormat::Rules => Format::Table.stdout(),
    };
    let note = answer(arguments, &mut out)?;
    tell(note);
    if let Some(path) = &arguments.svg {
        tell!("wrote {}", path.display());
    }
    Ok(())
}

/// Writes the answer and, if asked, the map. Returns a note on how much of it was executed.
///
/// # Errors
/// The errors of [`run`].
pub fn answer(arguments: &Best, out: &mut impl Write) -> Result<String> {
    let mut arguments = with_default(arguments);
    let placed = arguments.network.read()?;
    if let Some(placed) = &placed {
        let other = [
            ("--explain", arguments.explain),
            ("--along", arguments.along.is_some()),
            ("rules", !matches!(arguments.format, BestFormat::Rows(_))),
        ];
        if let Some((what, _)) = other.iter().find(|other| other.1) {
            bail!("--network: it adds columns to rows, and none to {what}; remove one");
        }
        let ranks = placed.network.ranks().to_string();
        arguments.plane.0.entry("K").or_insert(ranks);
    }
    let arguments = &arguments;
    if arguments.svg.is_none() && arguments.page != PageFit::default() {
        bail!("--width, --height and other options of a page: nothing is drawn; add --svg FILE");
    }
    if arguments.svg.is_some() && arguments.explain && arguments.along.is_none() {
        bail!("--svg: --explain draws no map; remove one");
    }
    if let Some(path) = &arguments.svg {
        ImageFormat::named("--svg", path)?;
        refuse_stranger(path)?;
    }
    let BestFormat::Rows(format) = arguments.format else {
        return write_rules(arguments, out);
    };
    let [problem] = &arguments.problem[..] else {
        bail!("--problem: only --format rules and openmpi-rules take several problems; name one");
    };
    let problem = named(problem)?;
    if let Some(key) = &arguments.along {
        return along::answer(arguments, key, problem, format, out);
    }
    let functions = functions(arguments, problem);
    let library = functions.first().map(|_| arguments.against.name());
    let mut questions = vec![question(arguments, problem, functions.first().copied())?];
    let main = &questions[0];
    let sides = arguments
        .svg
        .as_ref()
        .map(|_| map::Sides::new(main))
        .transpose()
        .map_err(|explanation| failure!(Usage, "--svg: {explanation}"))?;
    let over = arguments
        .over
        .as_deref()
        .map(|name| one_of(main, name))
        .transpose()?;
    // Functions of a library that solve one problem differ in their algorithms.
    for function in functions.into_iter().skip(1).filter(|_| arguments.only) {
        questions.push(question(arguments, problem, Some(function))?);
    }
    let mut answers = answers(&questions)?;
    if let Some(placed) = &placed {
        for case in &mut answers.values {
            case.links = Some(links(placed, case)?);
        }
    }
    let main = &questions[0];
    if let Some((path, sides)) = arguments.svg.as_ref().zip(sides) {
        let is_of_main = |case: &&Case<'_>| std::ptr::eq(case.question, main);
        let count = answers.iter().take_while(is_of_main).count();
        let chart = map::chart(main, sides, &answers[..count], over)?;
        draw(path, &chart, arguments)?;
    }
    let unit = answers
        .first()
        .map_or(Unit::Time, |case| problem.unit(&case.at.values));
    let is_cut = problem.axes.iter().any(|axis| axis.is_open);
    let note = note(arguments, &answers);
    if arguments.explain {
        explained::print(format, answers, (is_cut, unit), out)?;
        return Ok(note);
    }
    let mut columns = Columns::<Case<'_>>::empty();
    if questions.len() > 1 {
        columns = columns.text("function", |case| {
            case.function().map_or("", |function| function.name)
        });
    }
    columns.extend(columns::of_axes(main, |case: &Case<'_>| &case.at).0);
    columns.extend(columns::columns(is_cut, library, unit).0);
    if placed.is_some() {
        columns.extend(on_network::columns(|case: &Case<'_>| {
            case.links.as_ref().map(|links| links.0.clone())
        }));
        columns = columns.column(
            "runner_up_link_ratio",
            "link time of the next best over the bound",
            |case| case.links.as_ref().and_then(|links| links.1),
        );
    }
    print::answers(format, &columns, &answers, out)?;
    Ok(note)
}

/// The cases of some questions, and what was not compared in them.
fn answers(questions: &[Question]) -> Result<Answers<Case<'_>>> {
    let values = cases(questions)?;
    let absences = absences(&values, "case", Cell::options);
    Ok(Answers { values, absences })
}

/// Draws a chart into a file. What a page has no room for is said.
fn draw(path: &Path, chart: &Chart, arguments: &Best) -> Result {
    let picture = Picture::new(chart, &arguments.page).map_err(|error| {
        failure!(
            Usage,
            "--svg: {error}; raise --width or --height, or lower --font-size"
        )
    })?;
    let with = arguments.with.iter();
    let with = with.flat_map(|file| ["--with".to_owned(), file.display().to_string()]);
    let words = ["best".to_owned()]
        .into_iter()
        .chain(arguments.plane.typed())
        .chain(with);
    let origin = Origin {
        arguments: words.chain(typed(arguments)).collect(),
        configuration: None,
        revision: Some(build().to_owned()),
    };
    let left_out = figures::write(vec![(path.to_owned(), picture, origin)], None)?;
    if !left_out.is_empty() {
        tell!("{}", left_out.trim_end());
    }
    Ok(())
}

/// The link time of the best, and that of the runner-up over the bound.
fn links(placed: &Placed, case: &Case<'_>) -> Result<(OnNetwork, Option<f64>)> {
    let of = |Choice { cell, .. }: &Choice<'_>| -> Result<OnNetwork> {
        Ok(placed.link_time(cell, &cell.bind()?)?.row())
    };
    let next = case.runner_up.as_ref().map(of).transpose()?;
    Ok((of(&case.best)?, next.and_then(|found| found.link_ratio)))
}

/// Without a problem broadcasts are compared.
pub(super) fn with_default(arguments: &Best) -> Best {
    let mut asked = arguments.clone();
    if asked.problem.is_empty() {
        asked.problem.push("broadcast".to_owned());
    }
    asked
}

/// The algorithm that `--over` names, one of those compared.
fn one_of(question: &Question, name: &str) -> Result<Entry> {
    let compared = &question.space.algorithms;
    let found = compared.iter().find(|entry| entry.name == name);
    found.copied().ok_or_else(|| {
        let names = joined(", ", compared.iter().map(|entry| entry.name));
        failure!(
            Usage,
            "--over: `{name}` is not compared; the algorithms are {names}"
        )
    })
}

/// Writes one file with the rules of all problems.
fn write_rules(arguments: &Best, out: &mut impl Write) -> Result<String> {
    let questions = of_functions(arguments)?;
    let answers = answers(&questions)?;
    let table = rules::table(&answers);
    let text = match arguments.format {
        BestFormat::Rules => table.text()?,
        _ => {
            openmpi::classic(&table)
                .map_err(|why| failure!(Usage, "--format openmpi-rules: {why}"))?
                .text
        }
    };
    stdout(out.write_all(text.as_bytes()))?;
    Ok(note(arguments, &answers))
}

/// A question for each function that solves one of these problems.
///
/// # Errors
/// The errors of [`run`].
pub(super) fn of_functions(arguments: &Best) -> Result<Vec<Question>> {
    let mut questions: Vec<Question> = Vec::new();
    for name in &arguments.problem {
        let problem = named(name)?;
        let functions = functions(arguments, problem);
        if functions.is_empty() {
            // Refuses it with a reason.
            question(arguments, problem, None)?;
        }
        for function in functions {
            let is_same = |known: &&Question| {
                let known = known.function;
                known.is_some_and(|known| known.number == function.number)
            };
            if let Some(twice) = questions.iter().find(is_same) {
                let (one, function) = (twice.problem.name, function.name);
                bail!(
                    "--problem: `{one}` and `{name}` are both {function}, for which a file has one list; remove one"
                );
            }
            questions.push(question(arguments, problem, Some(function))?);
        }
    }
    Ok(questions)
}

fn named(problem: &str) -> Result<&'static Problem> {
    catalogue::problem(problem).ok_or_else(|| failure!(Usage, "there is no problem `{problem}`"))
}

/// Says of which choices the cost is that of a longer message than asked, because their segments have one size.
fn longer(all: &[&Case<'_>]) -> Option<String> {
    let size = |at: &Cell<'_>| match (at.value("bytes"), at.value("n")) {
        (Some(bytes), _) => show_bytes(bytes),
        (None, words) => words.map_or_else(String::new, |words| plural(words, "word")),
    };
    let mut found = all.iter().flat_map(|case| {
        let others = case.tied.iter().chain(&case.runner_up).chain(&case.library);
        let choices = std::iter::once(&case.best).chain(others);
        choices.filter_map(|choice| {
            let [asked, taken] = [&case.at, &choice.cell].map(size);
            let name = choice.name();
            (asked != taken).then(|| format!("of {name} at {asked} is that of {taken}"))
        })
    });
    let first = found.next()?;
    let more = match found.filter(|other| *other != first).count() as u64 {
        0 => String::new(),
        count => format!(" (and {count} more)"),
    };
    Some(format!(
        "note: the cost {first}{more}: all its segments have one size; a library has a shorter last one"
    ))
}

/// What was simulated, after warnings.
fn note(arguments: &Best, answers: &[Case<'_>]) -> String {
    let executed: Vec<Executed> = answers.iter().map(|case| case.executed).collect();
    let executed = Executed::stated(&executed, |count| plural(count, "winner"));
    let count = plural(answers.len() as u64, "case");
    let all: Vec<&Case<'_>> = answers.iter().collect();
    format!("{}{count}; {executed}", warnings(arguments, &all))
}

/// A line for each warning: of costs that mean little, of answers outside the validity that a profile states, of winners without
/// a rival; and for the rules of ports.
fn warnings(arguments: &Best, all: &[&Case<'_>]) -> String {
    let mut said: Vec<String> = Vec::new();
    let firsts = || {
        let questions = all.chunk_by(|one, other| std::ptr::eq(one.question, other.question));
        questions.map(|cases| cases[0])
    };
    for Choice { cell, .. } in firsts().map(|case| &case.best) {
        if let Ok(instance) = cell.bind() {
            let doubts = doubts(cell, &instance, &arguments.plane.0).into_iter();
            said.extend(doubts.map(|doubt| format!("warning: {doubt}")));
        }
    }
    let mut guesses = all.iter().filter_map(|case| case.best.cell.guess());
    if let Some(guess) = guesses.next() {
        let count = plural(1 + guesses.count() as u64, "case");
        let is_left = |case: &&Case<'_>| case.question.rules && case.best.invalid().is_some();
        let left = if all.iter().any(is_left) {
            ", and rules leave the sizes outside to the library"
        } else {
            ""
        };
        said.push(format!("warning: {guess}, in the best of {count}{left}"));
    }
    said.extend(longer(all));
    said.extend(all.iter().filter_map(|case| of_default(case)));
    let alone = all
        .iter()
        .filter(|case| case.runner_up.is_none() && !case.absent.is_empty())
        .count() as u64;
    if alone > 0 {
        let alone = plural(alone, "case");
        said.push(format!(
            "warning: the best of {alone} is the only algorithm defined there"
        ));
    }
    // What a profile states in vain is among the doubts.
    said.extend(
        firsts()
            .map(|case| case.question)
            .filter(|question| question.space.machines.unread(question.problem).is_none())
            .filter_map(Question::ports),
    );
    let said = distinct(said).into_iter();
    said.map(|line| format!("{line}\n")).collect()
}

/// What castbench does not know of a library's default in a case.
fn of_default(case: &Case<'_>) -> Option<String> {
    let (question, function) = (case.question, case.function()?);
    let (against, name) = (question.against, function.name);
    let library = against.name();
    let undecided = against.undecided(function);
    if let Some(shows) = against.shows(function).filter(|_| !question.only) {
        let why = undecided.unwrap_or_default();
        return Some(format!(
            "note: castbench does not know what {library} chooses for {name}: {why}. The best of its algorithms stands for that; {shows}"
        ));
    }
    let unpriced = case.library_runs.filter(|_| case.library.is_none());
    if let Some(runs) = unpriced
        && let Some(why) = function.lacks(against, runs)
    {
        return Some(format!(
            "note: castbench does not price `{runs}`, which {library} runs for {name}: {why}"
        ));
    }
    let is_of_sizes = question.function.map(|equal| equal.name) != Some(name);
    undecided.filter(|_| is_of_sizes).map(|why| format!(
        "note: castbench does not know what {library} chooses for {name}, which has blocks of several sizes: {why}"
    ))
}

/// The functions that solve a problem; of those that are asked for their own algorithms the ones that have any.
fn functions(arguments: &Best, problem: &'static Problem) -> Vec<&'static Function> {
    let is_asked = arguments.only || !matches!(arguments.format, BestFormat::Rows(_));
    let against = arguments.against;
    let has_own = |function: &&Function| {
        let mut own = entries().iter().filter(|entry| entry.problem() == problem);
        own.any(|entry| function.has(against, entry.name))
    };
    let (own, left): (Vec<_>, Vec<_>) = functions_of(problem.name).partition(has_own);
    if own.is_empty() || !is_asked || !arguments.algorithms.is_empty() {
        return functions_of(problem.name).collect();
    }
    for function in left {
        let (library, left) = (against.name(), function.name);
        tell!("{library} has none of castbench's algorithms for {left}, which is left out");
    }
    own
}

/// What is asked about a problem, and a function of a library that solves it.
fn question(
    arguments: &Best,
    problem: &'static Problem,
    function: Option<&'static Function>,
) -> Result<Question> {
    let Best {
        plane,
        against,
        only,
        within,
        format,
        ..
    } = arguments;
    let name = problem.name;
    if within.is_some_and(|percent| percent > 100) {
        bail!("--within: expected 0 to 100 percent");
    }
    let rules = !matches!(format, BestFormat::Rows(_));
    let is_own = rules || *only;
    let option = if rules { "--format" } else { "--only" };
    let library = against.name();
    let unread = [
        ("--explain", arguments.explain),
        ("--ties", arguments.ties.is_some()),
        ("--svg", arguments.svg.is_some()),
        ("--along", arguments.along.is_some()),
    ];
    if let Some((option, _)) = unread.into_iter().find(|(_, is_given)| rules && *is_given) {
        bail!(
            "{option}: rules do not show it; write --format {}",
            Format::names()
        );
    }
    if *format == BestFormat::OpenmpiRules && against.family() != Family::OpenMpi {
        bail!("--format openmpi-rules: the rules are for Open MPI; write --against openmpi");
    }
    let is_compared = |function: &&Function| (rules || !*only) && against.shows(function).is_none();
    if let Some(function) = function.filter(is_compared)
        && let Some(why) = against.undecided(function)
    {
        bail!(
            "--against: castbench does not know what {library} chooses for {}: {why}; name another library, or compare its algorithms with --only",
            function.name
        );
    }
    if function.is_none() && is_own {
        bail!("{option}: `{name}` has no library to compare with; remove the option");
    }
    let mut algorithms = algorithms(
        problem,
        &arguments.algorithms,
        &config::given(&arguments.with)?,
    )?;
    if let Some(function) = function.filter(|_| is_own && arguments.algorithms.is_empty()) {
        algorithms.retain(|entry| function.has(*against, entry.name));
        if algorithms.is_empty() {
            bail!(
                "{option}: {library} has none of castbench's algorithms for {}; name another library with --against, or remove the option",
                function.name
            );
        }
    }
    let all: Vec<&str> = arguments.problem.iter().map(String::as_str).collect();
    let mut space = read(algorithms, &own(problem, &all, &plane.0))?;
    let has_counts = |values: &Values| values.iter().any(|value| value != 0);
    if is_own && space.axes.get("counts").is_some_and(has_counts) {
        bail!(
            "{option}: a library has other functions for blocks of several sizes; remove --counts"
        );
    }
    let has_nodes = |machine: &Machine| {
        let levels = machine.profile().levels();
        levels.is_some_and(|levels| !levels.inner().is_empty())
    };
    let is_open = arguments.algorithms.is_empty() && !is_own;
    if is_open && space.machines.all().iter().any(has_nodes) {
        let composed = COMPOSED.iter().filter_map(|name| catalogue::find(name));
        let composed: Vec<Entry> = composed
            .filter(|entry| entry.problem() == problem)
            .collect();
        if !composed.is_empty() {
            let names: Vec<&str> = composed.iter().map(|entry| entry.name).collect();
            tell!(
                "of the algorithms composed for levels these are compared: {}; --algorithms names others",
                names.join(", ")
            );
        }
        space.algorithms.extend(composed);
    }
    if rules {
        if space.machines.all().is_empty() {
            bail!(
                "--format: libraries count bytes, -L -o -g count words; name a machine with --machine"
            );
        }
        let is_one = |values: &Values| values.count() == 1;
        let other = problem.axes.iter().find(|axis| {
            !["K", "bytes"].contains(&axis.key) && !space.axes.get(axis.key).is_none_or(is_one)
        });
        if let Some(axis) = other {
            let option = axis.option();
            bail!("{option}: a rules file holds one value; name one");
        }
        if let Some(sizes) = space.axes.get_mut("bytes") {
            *sizes = Values::list(doubled(&sizes.iter().collect::<Vec<_>>()));
        }
        check_cases(&space)?;
    }
    let is_followed = |entry: &&Entry| entry.proof() != By::Formula.word();
    let followed = space.algorithms.iter().filter(is_followed);
    Ok(Question {
        followed: followed.map(|entry| entry.name).collect(),
        problem,
        space,
        function,
        against: *against,
        only: is_own,
        rules,
        ties_percent: arguments.ties,
        // Passing on a segment costs more than a profile states, so fewer segments are preferred.
        within_percent: within.unwrap_or(if is_own { 10 } else { 1 }),
    })
}

/// Algorithms for levels that are compared on a machine with nodes; others have to be named.
const COMPOSED: [&str; 17] = [
    "allreduce-leaders:binomial+recursive-doubling",
    "allreduce-leaders:binomial+rabenseifner",
    "allreduce-leaders:binomial+ring",
    "allreduce-lanes:ring+rabenseifner",
    "allreduce-lanes:ring+ring",
    "broadcast-leaders:binomial+binomial",
    "broadcast-leaders:chain+chain",
    "broadcast-lanes:binomial+chain+ring",
    "reduce-leaders:binomial+binomial",
    "allgather-leaders:binomial+ring",
    "allgather-lanes:ring+ring",
    "reduce-scatter-leaders:binomial+butterfly",
    "reduce-scatter-lanes:butterfly+butterfly",
    "reduce-scatter-lanes:ring+ring",
    "alltoall-lanes:pairwise+pairwise",
    "barrier-leaders:dissemination+dissemination",
    "barrier-lanes:dissemination+dissemination",
];

/// These algorithms of a problem, or all.
fn algorithms(problem: &'static Problem, names: &[String], given: &[Entry]) -> Result<Vec<Entry>> {
    let all = || {
        entries()
            .iter()
            .chain(given)
            .copied()
            .filter(|entry| entry.problem() == problem)
    };
    let find = |name: &String| {
        catalogue::find(name)
            .filter(|entry| entry.problem() == problem)
            .ok_or_else(|| {
                let known = joined(", ", all().map(|entry| entry.name));
                let problem = problem.name;
                failure!(
                    Usage,
                    "--algorithms: `{problem}` has no algorithm `{name}`; it has {known}"
                )
            })
    };
    if names.is_empty() {
        Ok(all().collect())
    } else {
        names.iter().map(find).collect()
    }
}

/// The options that a problem reads, with those that none of the problems reads.
fn own(problem: &Problem, all: &[&str], given: &Given) -> Given {
    let reads = |problem: &Problem, id: &str| problem.axes.iter().any(|axis| axis.key == id);
    let of_another = |id: &str| {
        PROBLEMS
            .iter()
            .any(|other| all.contains(&other.name) && reads(other, id))
            && !reads(problem, id)
    };
    given
        .iter()
        .filter(|(id, _)| !of_another(id))
        .map(|(id, text)| (*id, text.clone()))
        .collect()
}

/// These sizes, and the doubles of each below the next one: a rule holds from one size to the next.
fn doubled(sizes: &[u64]) -> Vec<u64> {
    let doubles = |(index, &size): (usize, &u64)| {
        let next = sizes.get(index + 1).copied().unwrap_or_default();
        std::iter::successors(Some(size), |double| double.checked_mul(2))
            .take_while(move |double| *double == size || *double < next)
    };
    sizes.iter().enumerate().flat_map(doubles).collect()
}

/// Reads the options of the axes for some algorithms of a problem.
fn read(algorithms: Vec<Entry>, given: &Given) -> Result<Space> {
    let (entry, problem) = (algorithms[0], algorithms[0].problem());
    let name = problem.name;
    let mut words = Words::options(given, name, format!("best --problem {name}"), entry)?;
    for (key, span) in spans(words.machines().all()) {
        let axis = problem.axes.iter().find(|axis| axis.key == key);
        let on_machine = !words.machines().all().is_empty();
        if let Some(axis) = axis.filter(|axis| axis.applies(on_machine)) {
            words.or(axis, span);
        }
    }
    let space = words.space(algorithms, true)?;
    check_cases(&space)?;
    Ok(space)
}

fn check_cases(space: &Space) -> Result {
    let entry = space.algorithms[0];
    if space.over(entry).size() <= MAX_CASES.into() {
        return Ok(());
    }
    let count = |axis: &&Axis| space.axes.get(axis.key).map(Values::count);
    let longest = entry.axes().iter().rev().max_by_key(count);
    let explanation = longest.and_then(|axis| {
        let (values, option) = (space.axes.get(axis.key)?, axis.option());
        let ((from, to), count) = (values.bounds(), grouped(values.count()));
        let from = from.max(1);
        Some(format!(
            "{option} has {count}; a factor takes fewer, as in {from}..{to}..x2"
        ))
    });
    bail!(
        "more than {} cases: {}",
        grouped(MAX_CASES),
        explanation.unwrap_or_default()
    )
}
