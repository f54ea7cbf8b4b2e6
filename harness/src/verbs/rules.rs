//! `castbench rules`: decisions as the file of a library, and what such a file selects.

use std::io;
use std::path::{Path, PathBuf};

use algorithms::catalogue;
use algorithms::internals::mpi::Library;
use clap::{Args, Subcommand};

use super::best::{self, Best, BestFormat};
use crate::best::rules::Answer;
use crate::best::{Case, Choice};
use crate::failure::{Code, Failure, stdout, tell};
use crate::output;
use crate::print::{self, Column, Format};
use crate::record::rounded;
use crate::rules::{Dialect, Selected, Selects, Table, told};
use crate::units::show_bytes;

pub(crate) const HELP: &str = "A table of decisions is CSV, one a row: function of MPI, first and last number of ranks, first and last size of the \
operand (empty: no end), an algorithm of castbench (empty: the library's own choice), bytes of a segment, why. \
`castbench best --format rules` writes one. Of several decisions for a call the first counts.

Examples:
  castbench best --machine ethernet100-switched -K 8,16 --problem allreduce --format rules > rules.csv
  castbench rules write rules.csv --for openmpi-6 --out rules.json
  castbench rules check rules.json --for openmpi-6 --machine ethernet100-switched -K 8 --bytes 1KiB..1MiB..x4";

/// Arguments of `rules`.
#[derive(Debug, Args)]
pub struct Rules {
    /// What to do
    #[command(subcommand)]
    pub what: What,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum What {
    /// Write a table of decisions as the file of a library
    Write(Write),
    /// Print what the file of a library selects, and what that costs against the best
    Check(Check),
}

/// Arguments of `rules write`.
#[derive(Debug, Args)]
pub struct Write {
    /// The table of decisions
    #[arg(value_name = "TABLE")]
    pub table: PathBuf,
    /// The library
    #[arg(long = "for", value_enum, value_name = "LIBRARY")]
    pub dialect: Dialect,
    /// MPICH's own file of decisions, of the version that will read the result; a copy of it is changed
    #[arg(long, value_name = "FILE")]
    pub base: Option<PathBuf>,
    /// The file [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// Arguments of `rules check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The file of the library
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The library
    #[arg(long = "for", value_enum, value_name = "LIBRARY")]
    pub dialect: Dialect,
    /// As of `castbench best`: what is asked
    #[command(flatten)]
    pub best: Best,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid question, 3 for a file that says nothing or something else, 74 for one that cannot be read or written.
pub fn run(arguments: &Rules) -> Result<(), Failure> {
    match &arguments.what {
        What::Write(arguments) => write(arguments),
        What::Check(arguments) => check(arguments),
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    output::read_user_text(path).map_err(|error| Failure::read(path, error))
}

fn refused(path: &Path, why: &str) -> Failure {
    Failure::new(Code::Configuration, format_args!("`{}`: {why}", path.display()))
}

fn write(arguments: &Write) -> Result<(), Failure> {
    let Write { table: path, dialect, base, out } = arguments;
    let table = Table::parse(&read(path)?).map_err(|why| refused(path, &why))?;
    let base = base.as_deref().map(read).transpose()?;
    let written = dialect.write(&table, base.as_deref()).map_err(|why| refused(path, &why))?;
    match out {
        Some(file) => output::write(file, written.text.as_bytes())?,
        None => stdout(io::Write::write_all(&mut Format::Table.stdout(), written.text.as_bytes()))?,
    }
    let left: String = written.left.iter().map(|why| format!("warning: left to the library: {why}\n")).collect();
    tell(format_args!("{left}{}", told(&table)));
    Ok(())
}

/// A call, what the file selects for it, and the best.
pub(super) struct Found<'a> {
    answer: &'a Answer,
    case: &'a Case,
    /// The library's name of what is selected; none for its own choice.
    name: Option<String>,
    segment: u64,
    /// What it costs; none where castbench does not know the algorithm.
    choice: Option<Choice>,
}

fn check(arguments: &Check) -> Result<(), Failure> {
    let Check { file, dialect, best: asked } = arguments;
    let selects = dialect.read(&read(file)?).map_err(|why| refused(file, &why))?;
    let BestFormat::Rows(format) = asked.format else {
        return Err(Failure::usage("--format: `rules check` prints rows; write table, csv, json or markdown"));
    };
    let asked = best::with_default(asked)?;
    let answers = best::of_functions(&asked, &asked.problem)?;
    let cases = answers.iter().flat_map(|answer| answer.cases.iter().map(move |case| (answer, case)));
    let found = cases.map(|(answer, case)| found(*dialect, &*selects, answer, case));
    let found: Vec<Found<'_>> = found.collect::<Result<_, _>>()?;
    print::rows(format, &columns(), &found, &mut format.stdout())
}

fn found<'a>(
    dialect: Dialect,
    selects: &dyn Selects,
    answer: &'a Answer,
    case: &'a Case,
) -> Result<Found<'a>, Failure> {
    let Answer { question, function, .. } = answer;
    let call = question.call(function, &case.values);
    Ok(match selects.select(function, call) {
        Selected::Own => {
            let is_known = match dialect {
                Dialect::Openmpi | Dialect::Openmpi6 => question.against != Library::Mpich,
                Dialect::Mpich => question.against == Library::Mpich,
                Dialect::Ucc | Dialect::Intel | Dialect::Nccl => false,
            };
            Found { answer, case, name: None, segment: 0, choice: case.library.clone().filter(|_| is_known) }
        }
        Selected::Named(name, segment) => {
            let entry = dialect.ours(function, &name).and_then(catalogue::find);
            let piece = (segment > 0).then_some(segment);
            let choice = entry.map(|entry| question.priced(entry, &case.values, piece)).transpose()?.flatten();
            Found { answer, case, name: Some(name), segment, choice }
        }
    })
}

pub(super) fn columns<'a>() -> Vec<Column<'a, &'a Found<'a>>> {
    type Of<'a> = Column<'a, &'a Found<'a>>;
    let call = |found: &&Found<'_>| found.answer.question.call(found.answer.function, &found.case.values);
    let cost = |choice: &Choice| rounded(&choice.least);
    vec![
        Of::new("function", "function of MPI", |found| found.answer.function.name),
        Of::new("ranks", "number of ranks", move |found| call(found).K),
        Of::new("bytes", "size of the operand", move |found| call(found).bytes)
            .shown("bytes", move |found| show_bytes(call(found).bytes)),
        Of::new("selected", "what the file selects, by the library's name; empty for its own choice", |found| {
            found.name.clone()
        })
        .shown("selected", |found| found.name.clone().unwrap_or_else(|| "its own choice".to_owned())),
        Of::new("segment_bytes", "size of segments that the file asks for; 0 for the whole message", |found| {
            found.segment
        }),
        Of::new("algorithm", "the algorithm of castbench that is it; empty where there is none", |found| {
            found.choice.as_ref().map(|choice| choice.entry.name)
        }),
        Of::new("cost_f64", "its cost", move |found| found.choice.as_ref().and_then(cost)).untitled(),
        Of::new("best", "the best algorithm", |found| found.case.best.entry.name),
        Of::new("best_f64", "its cost", move |found| cost(&found.case.best)).untitled(),
        Of::new("over_best_f64", "the cost over that of the best", |found| {
            found.choice.as_ref().and_then(|choice| found.case.over_best(choice))
        })
        .shown("over best", |found| {
            let ratio = found.choice.as_ref().and_then(|choice| found.case.over_best(choice));
            ratio.map_or_else(|| "not known".to_owned(), |ratio| format!("{ratio:.2}x"))
        }),
    ]
}
