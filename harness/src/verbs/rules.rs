//! `castbench rules`: decisions as the file of a library, and what such a file selects.

pub(super) mod measured;

use std::io;
use std::path::{Path, PathBuf};

use crate::libraries::{Function, Library};
use algorithms::catalogue;
use clap::{Args, Subcommand};

use super::best::question::{Case, cases};
use super::best::{self, Best, BestFormat};
use super::fit::pair;
use crate::base::failure::{Failure, Result, stdout};
use crate::base::units::{plural, show_bytes};
use crate::output::{self, ending};
use crate::print::column::{Tabled as _, tabled};
use crate::print::{Columns, Format};
use crate::record::rounded;
use crate::rules::{Dialect, Finding, Reading, Selected, Selector, Table, mpich, summary};
use measured::Times;

/// Arguments of `rules`.
#[derive(Debug, Args)]
#[command(
    after_help = "A table of decisions is CSV with a decision in each row: function of MPI, first and last number of ranks, first and last size of the \
operand (an empty last one: no limit), an algorithm of castbench (empty: the library's default), bytes of a segment, reason. \
`castbench best --format rules` and `castbench predict --rules` write one. If several decisions fit a call, the first one holds.

`rules check` reads a file as that version of the library does. Without a machine and without measured times it lists what does not work as it \
stands in the file, for all collectives: it exits with 3 if the library drops the file or the program stops, and with 5 if a part is skipped, \
is read differently, or makes a call fail. With a question it prints the same as warnings, and exits with 5 if a call that was asked fails.

Examples:
  castbench best --machine ethernet100-switched -K 8,16 --problem allreduce --format rules > rules.csv
  castbench rules write rules.csv --for openmpi-6 --out rules.json
  castbench rules check rules.json --for openmpi-6
  castbench rules check my.rules --for openmpi --version 4.1
  castbench rules check rules.json --for openmpi-6 --machine ethernet100-switched -K 8 --bytes 1KiB..1MiB..x4
  castbench rules check my.rules --for openmpi --measured measured.csv"
)]
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
    /// Print what the file of a library selects, and its cost compared with the best
    Check(Box<Check>),
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
    /// MPICH's own decisions, of the version that will read the result, of which a copy is changed: generic.json, or libmpich.so
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
    /// Read it as this version does: of openmpi 4.1, 5.0 or 6.0, of mpich 4.0 or 4.3, of intel 2021.12 or 2021.13 [default: 5.0, 4.3, 2021.12]
    #[arg(long, value_name = "VERSION")]
    pub version: Option<String>,
    /// Compare measured times of this table, at each of its cells; may be repeated
    #[arg(long, value_name = "DATA")]
    pub measured: Vec<PathBuf>,
    /// The algorithm that DATA calls NAME is KNOWN; may be repeated
    #[arg(long, value_name = "NAME=KNOWN", value_parser = pair, value_delimiter = ',', requires = "measured")]
    pub map: Vec<(String, String)>,
    /// The question, with the options of `castbench best`
    #[command(flatten)]
    pub best: Best,
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid question, 3 for a file that cannot be read, that its library drops or that stops the program, 5 for one with
/// parts that do not work as they stand there, 74 for one that cannot be written.
pub fn run(arguments: &Rules) -> Result {
    match &arguments.what {
        What::Write(arguments) => write(arguments),
        What::Check(arguments) => check(arguments),
    }
}

fn read(path: &Path) -> Result<String> {
    output::read_user_text(path).map_err(|error| Failure::unread(path, error))
}

fn refused(path: &Path, why: &str) -> Failure {
    failure!(Configuration, "`{}`: {why}", path.display())
}

fn write(arguments: &Write) -> Result {
    let Write {
        table: path,
        dialect,
        base,
        out,
    } = arguments;
    if base.is_some() && *dialect != Dialect::Mpich {
        bail!(
            "--base: only the file for MPICH is a changed copy of another one; remove the option"
        );
    }
    if let Some(out) = out {
        ending::check(out, dialect.endings())
            .map_err(|expected| failure!(Usage, "--out {}: {expected}", out.display()))?;
    }
    let table = Table::parse(&read(path)?).map_err(|why| refused(path, &why))?;
    let base = base.as_deref().map(mpich::own).transpose()?;
    let written = dialect
        .write(&table, base.as_deref())
        .map_err(|why| refused(path, &why))?;
    // NCCL's reader cannot leave a call to NCCL whole.
    let whose = if *dialect == Dialect::Nccl {
        "left out of the file"
    } else {
        "left to the library"
    };
    let left = written.left.iter();
    let left: String = left
        .map(|why| format!("warning: {whose}: {why}\n"))
        .collect();
    if !dialect.states(&written.text) {
        // Its reader throttles each call that no line fits.
        let why = match dialect {
            Dialect::Nccl => {
                ": with it the tuner would run every call on one channel; run without a tuner"
            }
            _ => "; run without one",
        };
        if !left.is_empty() {
            tell!("{}", left.trim_end());
        }
        bail!(
            Nothing,
            "`{}`: no decision is one for {} ({}), so no file is written{why}",
            path.display(),
            dialect.family().name(),
            summary(&table)
        );
    }
    match out {
        Some(file) => output::write(file, written.text.as_bytes())?,
        None => stdout(io::Write::write_all(
            &mut Format::Table.stdout(),
            written.text.as_bytes(),
        ))?,
    }
    tell!("{left}{}: {}", path.display(), summary(&table));
    Ok(())
}

tabled! {
    /// A call, what the file selects for it, and the best.
    pub(super) struct Found {
        /// function of MPI
        function: String,
        /// number of ranks
        ranks: u64,
        /// size of the operand
        bytes: u64,
        /// what the file selects, by the library's name; empty for its own choice
        selected: Option<String>,
        /// size of segments that the file asks for; 0 for the whole message
        segment_bytes: u64,
        /// the algorithm of castbench that is it; empty where there is none
        algorithm: Option<String>,
        /// its cost
        cost_f64: Option<f64>,
        /// the best algorithm
        best: String,
        /// its cost
        best_f64: Option<f64>,
        /// the cost over that of the best
        over_best_f64: Option<f64>,
        beside:
        /// What the file selects.
        selection: Selected,
    }
}

/// The most findings that are printed beside rows.
const MAX_WARNINGS: usize = 20;

fn check(arguments: &Check) -> Result {
    let Check {
        file,
        dialect,
        version,
        best: asked,
        ..
    } = arguments;
    let version = version
        .as_deref()
        .map(|word| dialect.version(word))
        .transpose();
    let version = version.map_err(|why| failure!(Usage, "--version: {why}"))?;
    let BestFormat::Rows(format) = asked.format else {
        bail!(
            "--format: `rules check` prints rows; write {}",
            Format::names()
        );
    };
    let text = read(file)?;
    let read_on = |node| dialect.read_on(&text, version, node);
    let reading = read_on(1);
    let version = version.or(dialect.versions().first().copied());
    if arguments.measured.is_empty() && asked.plane.0.is_empty() && asked.problem.is_empty() {
        return lint(file, version, &reading, format);
    }
    if let Some(failure) = refusal(file, version, &reading) {
        return Err(failure);
    }
    if arguments.measured.is_empty() == asked.plane.0.is_empty() {
        bail!(
            "compare on a machine, as with --machine lumi -K 16 --bytes 1KiB,1MiB, or by measured times, with --measured"
        );
    }
    if let Some(library) = version.filter(|_| !arguments.measured.is_empty()) {
        let measured = Times {
            files: &arguments.measured,
            known: arguments.map.iter().cloned().collect(),
            library,
        };
        let (found, findings) = measured.compared(*dialect, &read_on)?;
        warn(file, &findings);
        format.rows(&measured::columns_of(&found), &found)?;
        return failing(file, found.iter().map(|found| &found.selection));
    }
    let asked = best::with_default(asked);
    let questions = best::of_functions(&asked)?;
    // The machine says how many ranks a node has.
    let machine = questions
        .first()
        .and_then(|question| question.space.machines.get(0));
    let node = machine.and_then(|machine| Some(machine.profile().levels()?.ranks()));
    let reading = read_on(node.unwrap_or(1));
    warn(file, &reading.findings);
    let mut found = Vec::new();
    for case in cases(&questions)? {
        if case.at.value("n").is_some() && case.at.value("bytes").is_none() {
            bail!(
                "the file decides by bytes, and words have none; write --machine with --bytes in place of -n"
            );
        }
        if let Some(function) = case.question.function {
            found.push(select(*dialect, &reading.selects, function, &case)?);
        }
    }
    format.rows(&columns(), &found)?;
    failing(file, found.iter().map(|found| &found.selection))
}

/// Which library reads the file, for messages.
fn whose(version: Option<Library>) -> String {
    match version {
        None => "the library".to_owned(),
        Some(library @ Library::Nccl) => format!("{} (or RCCL)", library.name()),
        Some(library) => library.name().to_owned(),
    }
}

/// A file of which nothing can be said but why.
fn refusal(path: &Path, version: Option<Library>, reading: &Reading) -> Option<Failure> {
    let all: Vec<String> = reading
        .refusals()
        .take(MAX_WARNINGS)
        .map(Finding::to_string)
        .collect();
    let why = || format!("as {} reads it: {}", whose(version), all.join("\n"));
    (!all.is_empty()).then(|| refused(path, &why()))
}

/// Findings beside rows.
fn warn(path: &Path, findings: &[Finding]) {
    for finding in findings.iter().take(MAX_WARNINGS) {
        tell!("warning: `{}`: {finding}", path.display());
    }
    if let Some(more) = findings.len().checked_sub(MAX_WARNINGS + 1) {
        tell!(
            "warning: `{}`: {} more; `castbench rules check` without a question lists all",
            path.display(),
            more + 1
        );
    }
}

/// Exit code 5 if a call that was asked runs no algorithm.
fn failing<'a>(path: &Path, all: impl Iterator<Item = &'a Selected>) -> Result {
    let is_failing = |selected: &&Selected| matches!(selected, Selected::Not(_));
    match all.filter(is_failing).count() as u64 {
        0 => Ok(()),
        count => Err(failure!(
            Disagreement,
            "`{}`: {} for which it selects no algorithm that runs",
            path.display(),
            plural(count, "call")
        )),
    }
}

/// Lists what does not work in a file as it stands there.
fn lint(path: &Path, version: Option<Library>, reading: &Reading, format: Format) -> Result {
    let Reading {
        findings, about, ..
    } = reading;
    if !findings.is_empty() || format != Format::Table {
        format.rows(&lint_columns(), findings)?;
    }
    let faults = findings
        .iter()
        .filter(|finding| finding.effect.is_fault())
        .count();
    let of = if about.is_empty() {
        "no collective".to_owned()
    } else {
        about.join(", ")
    };
    let read = format!(
        "`{}`: as {} reads it: {of}; {}",
        path.display(),
        whose(version),
        plural(faults as u64, "fault")
    );
    if reading.refusals().next().is_some() {
        bail!(
            Configuration,
            "`{}`: {} does not follow the file",
            path.display(),
            whose(version)
        );
    }
    if faults > 0 {
        bail!(Disagreement, "{read}");
    }
    tell!("{read}");
    Ok(())
}

pub(super) fn lint_columns() -> Columns<'static, Finding> {
    Columns::<Finding>::empty()
        .column(
            "place",
            "where in the file: a line, or a path in JSON",
            |found| found.place.clone(),
        )
        .column("effect", "what the library does with it", |found| {
            found.effect.word()
        })
        .column("why", "why, and what to write instead", |found| {
            found.why.clone()
        })
}

fn select(
    dialect: Dialect,
    selects: &Selector,
    function: &'static Function,
    case: &Case<'_>,
) -> Result<Found> {
    let call = case.call();
    let selection = selects(function, call);
    let choice = match &selection {
        Selected::Own => {
            let is_known = case.question.against.family() == dialect.family();
            case.library.clone().filter(|_| is_known)
        }
        Selected::Not(_) => None,
        Selected::Named(name, segment) => {
            let entry = dialect.ours(function, name).and_then(catalogue::find);
            let piece = Some(*segment).filter(|&segment| segment > 0);
            let priced = entry.map(|entry| case.priced(entry, piece));
            priced.transpose()?.flatten()
        }
    };
    let choice = choice.as_ref();
    Ok(Found {
        function: function.name.to_owned(),
        ranks: call.K,
        bytes: call.bytes,
        selected: selection.name().map(str::to_owned),
        segment_bytes: selection.segment(),
        algorithm: choice.map(|choice| choice.name().to_owned()),
        cost_f64: choice.and_then(|choice| rounded(&choice.least)),
        best: case.best.name().to_owned(),
        best_f64: rounded(&case.best.least),
        over_best_f64: choice.and_then(|choice| case.over_best(choice)),
        selection,
    })
}

/// A ratio in a table.
fn times(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "not known".to_owned(), |ratio| format!("{ratio:.2}x"))
}

/// What a file selects, in a table.
fn choice(selected: Option<&String>) -> String {
    selected.map_or_else(|| "its own choice".to_owned(), String::clone)
}

pub(super) fn columns() -> Columns<'static, Found> {
    Columns(Found::columns())
        .data_only(|name| ["cost_f64", "best_f64"].contains(&name))
        .shown("over best", |found| times(found.over_best_f64))
        .of("selected", |all| {
            all.shown("selected", |found| choice(found.selected.as_ref()))
        })
        .of("bytes", |all| {
            all.shown("bytes", |found| show_bytes(found.bytes))
        })
}
