//! `castbench list`: the catalogue, the machine profiles, and the reference tables.

mod bibtex;
mod columns;
mod keys;
mod known;
mod limits;
mod papers;

use std::fmt::Display;
use std::path::PathBuf;

use algorithms::catalogue::{PROBLEMS, entries};
use algorithms::internals::collectives::hierarchy::families;
use algorithms::problem::{Axis, Entry, Problem};
use clap::Args;
use clap::builder::PossibleValuesParser;
use textwrap::{Options, WordSplitter};

use super::coverage;
use crate::base::failure::{Result, stdout};
use crate::base::near;
use crate::base::units::joined;
use crate::config;
use crate::libraries;
use crate::print::{self, Column, Columns, Format};
use crate::space::machine::Machine;

/// Arguments of `list`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  castbench list                                    # problems and algorithms
  castbench list allreduce                          # the algorithms of one problem, with sources
  castbench list --format csv                       # a row for each algorithm
  castbench list --machines loopback-2-cores        # a profile, and for which sizes it is valid
  castbench list --libraries nccl                   # a library: names, numbers, which of castbench they are
  castbench list --bibtex fibonacci allreduce-ring  # the papers of algorithms
  castbench list --bibtex k-tree-time               # the paper of a claim that `castbench audit` checks
  castbench list --bibtex allreduce.svg > papers.bib  # the papers of a figure of `castbench run`

--bibtex prints each paper once; the comments above it name what it describes and where. castbench itself is the source \
of what no paper describes.")]
pub struct List {
    /// The algorithms of this problem only; with --machines the profile of this name or file, with --libraries this library only
    #[arg(value_name = "NAME", conflicts_with_all = ["problem", "columns", "keys", "limits", "verbs"])]
    pub name: Option<String>,
    /// The algorithms of one problem only
    #[arg(long, value_name = "NAME", conflicts_with = "what", value_parser = PossibleValuesParser::new(PROBLEMS.iter().map(|problem| problem.name)))]
    pub problem: Option<String>,
    /// Configurations whose algorithms are listed, too.
    #[arg(
        long,
        value_name = "FILE",
        help = "Also list the [[algorithm]] of this configuration; may be repeated",
        conflicts_with = "what"
    )]
    pub with: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// List the machine profiles instead: the origin of every number, the sizes at which the profile is valid
    #[arg(long, group = "what")]
    pub machines: bool,
    /// List the columns of all files and answers in CSV instead
    #[arg(long, group = "what")]
    pub columns: bool,
    /// List the keys of configurations, measurements and machine profiles instead
    #[arg(long, group = "what")]
    pub keys: bool,
    /// List the limits instead: the largest parameters, and what happens beyond them
    #[arg(long, group = "what")]
    pub limits: bool,
    /// List which verbs support which problem instead
    #[arg(long, group = "what")]
    pub verbs: bool,
    /// List the algorithms of libraries instead, by function and number, and which castbench has
    #[arg(long, group = "what")]
    pub libraries: bool,
    /// Print the BibTeX of the papers behind algorithms, claims, or files of figures of the built-in configuration instead
    #[arg(long, value_name = "NAME", num_args = 1.., exclusive = true)]
    pub bibtex: Vec<String>,
}

/// What the list says of an algorithm.
pub fn columns_of_algorithms() -> Columns<'static, Entry> {
    let libraries = |entry: &Entry| {
        let known = known::all()
            .into_iter()
            .filter(|known| known.is(entry.name));
        joined("; ", known.map(|known| known.location()))
    };
    let axes = |entry: &Entry| joined(" ", entry.axes().iter().map(|axis| axis.key));
    let source = |entry: &Entry| {
        let texts = [entry.paper, entry.section]
            .into_iter()
            .filter(|text| !text.is_empty());
        joined("; ", texts)
    };
    Columns::<Entry>::empty()
        .column("algorithm", "name of the algorithm", |entry| entry.name)
        .code()
        .column("problem", "name of the problem", |entry| {
            entry.problem().name
        })
        .column("axes", "axes that it reads", axes)
        .column(
            "cost",
            "what states its costs: `formula`, `clock` or `execution`",
            Entry::proof,
        )
        .column("summary", "what it does", |entry| entry.summary)
        .title("what it does")
        .column("paper", "source", |entry| entry.paper)
        .shown("source", source)
        .data("place", "where in the source", |entry| entry.section)
        .data(
            "libraries",
            "the same in libraries: function, number, name",
            libraries,
        )
        .data(
            "families",
            "names that are composed for its problem: X within nodes, Y between them, \
                 as `ring` of `allreduce-ring`; NAME a whole name, N a number",
            |entry| families(entry.problem().name).join(" "),
        )
}

/// A number of a machine profile: its symbol, its value with the unit, its origin.
type Number<'a> = (&'a Machine, String, String, &'a str);

fn columns_of_machines<'a>() -> Columns<'a, Number<'a>> {
    let valid = |machine: &Machine| machine.valid.as_ref().map(ToString::to_string);
    let within = |machine: &Machine| machine.valid.as_ref().map(|valid| valid.within_percent);
    Columns::<Number<'_>>::empty()
        .column("machine", "name of the profile", |row| row.0.name.clone())
        .code()
        .column(
            "basis",
            "`measured`, `estimated`, `fitted` to measured collectives, or `unreliable`",
            |row| row.0.basis.to_string(),
        )
        .column("symbol", "L, o, g, G, O or H", |row| row.1.clone())
        .column("value", "with its unit", |row| row.2.clone())
        .column("origin", "where the number comes from", |row| row.3)
        .data(
            "valid",
            "sizes of messages at which the profile matches a measurement; empty if it \
                 states none",
            move |row| valid(row.0),
        )
        .data(
            "within_percent",
            "largest error at these sizes",
            move |row| within(row.0),
        )
}

/// Runs the verb.
///
/// # Errors
/// If stdout cannot be written.
pub fn run(arguments: &List) -> Result {
    let format = arguments.format;
    if !arguments.bibtex.is_empty() {
        bibtex::print(&arguments.bibtex)
    } else if arguments.machines {
        machines(format, arguments.name.as_deref())
    } else if arguments.columns {
        reference(format, &columns::columns(), columns::all())
    } else if arguments.keys {
        reference(format, &keys::columns(), keys::keys())
    } else if arguments.libraries {
        let rows = of_library(arguments.name.as_deref())?;
        reference(format, &known::columns(), rows)
    } else if arguments.limits {
        reference(format, &limits::columns(), limits::limits())
    } else if arguments.verbs {
        verbs(format)
    } else {
        let given = config::given(&arguments.with)?;
        algorithms(
            format,
            arguments.name.as_deref().or(arguments.problem.as_deref()),
            &given,
        )
    }
}

/// The algorithms of the library, or version of one, with this name; without one of all.
fn of_library(name: Option<&str>) -> Result<Vec<known::Known>> {
    let mut rows = known::all();
    let Some(name) = name else {
        return Ok(rows);
    };
    let families = libraries::Family::ALL.into_iter();
    let versions = libraries::Library::ALL.into_iter();
    if let Some(family) = families.clone().find(|family| family.key() == name) {
        rows.retain(|row| row.is_of(family));
    } else if let Some(library) = versions.clone().find(|library| library.key() == name) {
        rows.retain(|row| row.is_in(library));
    } else {
        let known = families
            .map(|family| family.key())
            .chain(versions.map(|library| library.key()));
        let advice = near::advice(name, known, "castbench best --help");
        bail!("--libraries: there is no library `{name}`; {advice}");
    }
    Ok(rows)
}

/// A reference table.
fn reference<R>(format: Format, columns: &[Column<'_, R>], rows: Vec<R>) -> Result {
    match format {
        Format::Table => say(format_args!("{}\n", print::table(columns, rows).narrow())),
        _ => format.rows(columns, rows),
    }
}

/// The algorithms of one problem or of all.
fn algorithms(format: Format, problem: Option<&str>, given: &[Entry]) -> Result {
    let problems: Vec<_> = PROBLEMS
        .iter()
        .filter(|known| problem.is_none_or(|name| name == known.name))
        .collect();
    if let (Some(name), []) = (problem, problems.as_slice()) {
        let advice = near::advice(
            name,
            PROBLEMS.iter().map(|problem| problem.name),
            "castbench list",
        );
        bail!("there is no problem `{name}`; {advice}");
    }
    let of = |&problem: &&'static Problem| {
        entries()
            .iter()
            .chain(given)
            .copied()
            .filter(move |entry| entry.problem() == problem)
    };
    let mut columns = columns_of_algorithms();
    if format != Format::Table {
        return format.rows(&columns, problems.iter().flat_map(of));
    }
    // The heading has the problem and its axes; for sources there is room where a problem is alone.
    let left_out = [
        "problem",
        "axes",
        if problems.len() == 1 { "" } else { "paper" },
    ];
    columns.retain(|column| !left_out.contains(&&*column.name));
    let blocks = problems.iter().map(|problem| {
        let options = joined(" ", problem.axes.iter().map(Axis::option));
        let table = print::table(&columns, of(problem)).narrow();
        let all = families(problem.name);
        let (numbered, composed): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|name| name.ends_with('N'));
        let filled = |what: &str, names: &[String]| {
            let names = format!("{what}: {}", names.join(", "));
            let whole_names = Options::new(80).word_splitter(WordSplitter::NoHyphenation);
            textwrap::fill(&names, whole_names) + "\n"
        };
        let mut more = String::new();
        if !numbered.is_empty() {
            more += &filled("with a number N", &numbered);
        }
        if !composed.is_empty() {
            more += &filled("composed, by name", &composed);
            more += "X is within nodes, Y between them\n";
        }
        format!(
            "{}: {}\noptions: {options}\n{table}\n{more}",
            problem.name, problem.title
        )
    });
    say(joined("\n", blocks))
}

/// A row for each problem, a column for each verb, and below the reasons why a verb does not support a problem.
fn verbs(format: Format) -> Result {
    let rows = coverage::rows()?;
    if !format.is_text() {
        return format.rows(&coverage::columns(), rows);
    }
    let mut reasons: Vec<&str> = rows
        .iter()
        .map(|row| row[2])
        .filter(|why_not| !why_not.is_empty())
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    let mark = |row: &coverage::Support| match reasons.iter().position(|reason| *reason == row[2]) {
        None => "yes".to_owned(),
        Some(index) => format!("no ({})", index + 1),
    };
    let mark = &mark;
    let problems = Columns::<&[coverage::Support]>::empty().text("problem", |rows| rows[0][0]);
    let columns = (0..)
        .zip(coverage::verbs())
        .fold(problems, |columns, (index, verb): (usize, _)| {
            columns.text(verb, move |rows| mark(&rows[index]))
        });
    let notes: String = reasons
        .iter()
        .enumerate()
        .map(|(index, reason)| format!("\n({}) {}\n", index + 1, format.escaped(reason)))
        .collect();
    let mut out = format.stdout();
    print::rows(
        format,
        &columns,
        rows.chunk_by(|one, other| one[0] == other[0]),
        &mut out,
    )?;
    stdout(std::io::Write::write_all(&mut out, notes.as_bytes()))
}

fn machines(format: Format, name: Option<&str>) -> Result {
    let machines = name.map_or_else(Machine::built_in, |name| {
        Ok(vec![crate::space::named_machine(name)?])
    })?;
    let numbers = |machine| {
        Machine::numbers(machine)
            .into_iter()
            .map(move |(symbol, value, origin)| (machine, symbol, value, origin))
    };
    let mut columns = columns_of_machines();
    if format != Format::Table {
        return format.rows(&columns, machines.iter().flat_map(numbers));
    }
    columns.drain(..2);
    let blocks = machines.iter().map(|machine| {
        let valid = machine.valid.as_ref().map_or_else(
            || "the profile states no sizes at which it is valid".to_owned(),
            |valid| {
                format!(
                    "valid for messages of {valid}, within {} %",
                    valid.within_percent
                )
            },
        );
        let table = print::table(&columns, numbers(machine)).narrow();
        let numbers = if machine.parameters().o == 0 && machine.parameters().g == 0 {
            "\no = g = 0, not measured: short messages cost too little"
        } else {
            ""
        };
        format!(
            "{}: {}; {valid}{numbers}\n{table}\n",
            machine.name, machine.basis
        )
    });
    say(joined("\n", blocks))
}

fn say(text: impl Display) -> Result {
    stdout(std::io::Write::write_fmt(
        &mut Format::Table.stdout(),
        format_args!("{text}"),
    ))
}
