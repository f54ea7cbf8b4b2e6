//! `castbench import`: simulates a schedule in the format of another simulator.

use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use algorithms::internals::engine;
use algorithms::logp::LogP;
use clap::{Args, Subcommand};
use serde::Serialize;

use super::point::Say;
use crate::failure::{Code, Failure, stdout, tell};
use crate::goal::reader::{self, GoalError};
use crate::output;
use crate::print::{self, Column, Format};
use crate::space::Machines;
use crate::units::{grouped, parse_model_time, plural};

const IMPORT_HELP: &str = "Examples:
  castbench import goal optimal.goal -L 6 -o 2 -g 4
  castbench import goal halving.goal --machine ethernet100-switched --format json";

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct Import {
    /// The format.
    #[command(subcommand)]
    pub format: ImportFormat,
}

/// The formats of schedules that are read.
#[derive(Debug, Subcommand)]
pub enum ImportFormat {
    /// GOAL, as LogGOPSim reads it
    #[command(after_help = IMPORT_HELP)]
    Goal(ImportGoal),
}

/// Arguments of `import goal`.
#[derive(Debug, Args)]
pub struct ImportGoal {
    /// The file; - is standard input
    pub file: PathBuf,
    /// Latency of the network, in time units
    #[arg(short = 'L', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub L: Option<u64>,
    /// Overhead of a send or a receive, in time units
    #[arg(short = 'o', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub o: Option<u64>,
    /// Gap between two sends or two receives of one nic, in time units
    #[arg(short = 'g', value_name = "TIME", value_parser = parse_model_time, allow_negative_numbers = true)]
    pub g: Option<u64>,
    /// Machine instead of -L -o -g, times in ns; under -L -o -g a message of s bytes is a train of s small messages
    #[arg(long, value_name = "NAME", conflicts_with_all = ["L", "o", "g"])]
    pub machine: Option<String>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

const MAX_LISTED: usize = 32;

/// Longest file: more than `export goal` writes of its largest trees.
const MAX_BYTES: u64 = 4 << 30;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 without a machine, 3 for a file that cannot be read or executed.
pub fn run(arguments: &Import) -> Result<(), Failure> {
    let ImportFormat::Goal(goal) = &arguments.format;
    let mut out = BufWriter::new(goal.format.stdout());
    answer(arguments, &mut out, &mut |line| tell(line))?;
    stdout(out.flush())
}

/// Writes the answer.
///
/// # Errors
/// Exit code 2 without a machine, 3 for a file that cannot be read or executed.
pub fn answer(arguments: &Import, out: &mut impl Write, say: Say<'_>) -> Result<(), Failure> {
    let ImportFormat::Goal(arguments) = &arguments.format;
    let machine = arguments
        .machine
        .as_deref()
        .map(crate::space::named_machine)
        .transpose()?;
    let machines = Machines::new(machine.iter().cloned().collect());
    machines
        .strictly("a schedule in a file")
        .into_iter()
        .for_each(say);
    let model = match &machine {
        Some(machine) => engine::Machine::LogGops(machine.profile()),
        None => engine::Machine::Words(logp(arguments)?),
    };
    let name = match arguments.file == Path::new("-") {
        true => "standard input".to_owned(),
        false => arguments.file.display().to_string(),
    };
    let unread = |error: io::Error| {
        Failure::new(
            Code::Configuration,
            format_args!("cannot read the GOAL file `{name}`: {error}; name an existing file"),
        )
    };
    let refuse =
        |error: GoalError| Failure::new(Code::Configuration, format_args!("{name}:{error}"));
    let file = output::open_user(&arguments.file).map_err(unread)?;
    let about = file.metadata().map_err(unread)?;
    // The length of a pipe is not known in advance.
    let most_bytes = if about.is_file() {
        about.len().min(MAX_BYTES)
    } else {
        MAX_BYTES
    };
    let goal = reader::read_from(file.take(MAX_BYTES + 1), most_bytes, model.levels()).map_err(
        |failure| match failure {
            reader::Failure::Io(error) => unread(error),
            reader::Failure::Goal(error) => refuse(error),
        },
    )?;
    if !engine::is_defined(model, &goal.program) {
        return Err(Failure::usage(format_args!(
            "--machine {}: `nics` and `x` are defined where each operation of a rank requires the one before it; name a \
             machine without them",
            machine.as_ref().map_or("", |machine| &machine.name)
        )));
    }
    let outcome = engine::run(model, &goal.program).map_err(|failure| match failure {
        engine::Failure::Program(fault) => refuse(goal.tell(&fault)),
        engine::Failure::Machine(error) => {
            Failure::new(Code::Configuration, format_args!("{name}: {error}"))
        }
    })?;
    let unit = if machine.is_some() {
        "ns"
    } else {
        "time units"
    };
    let (program, ends) = (&goal.program, &outcome.ends);
    let (ranks, operations, messages) = (
        program.processors(),
        program.operations(),
        program.messages(),
    );
    let rows = || ends.iter().copied().enumerate();
    match arguments.format {
        Format::Table => {
            let ranks = plural(ranks.into(), "rank");
            let operations = plural(operations as u64, "operation");
            let about = format!(
                "{name}: {ranks}, {operations}, {}",
                plural(messages.into(), "message")
            );
            let machine = match (machine, model) {
                (Some(machine), _) => {
                    let suffix = if machine.has_levels() {
                        " and by where its ranks stand"
                    } else {
                        ""
                    };
                    format!("machine {}, each message by its size{suffix}", machine.name)
                }
                (None, model) => format!(
                    "{}; a message of s bytes is a train of s small messages",
                    spelled(model)
                ),
            };
            let table = print::table(&columns(unit), rows().take(MAX_LISTED));
            let more = match ends.len().saturating_sub(MAX_LISTED) {
                0 => String::new(),
                more => format!(
                    "and {} more; --format csv prints all\n",
                    grouped(more as u64)
                ),
            };
            let finish = grouped(outcome.finish);
            stdout(writeln!(
                out,
                "{about}\n{machine}\n\n{table}\n{more}\nall are done at {finish} {unit}"
            ))
        }
        Format::Json => print::line(
            &Json {
                ranks,
                operations,
                messages,
                unit,
                finish: outcome.finish,
                ends,
            },
            out,
        ),
        format => print::rows(format, &columns(unit), rows(), out),
    }
}

/// The numbers of a model of words.
fn spelled(model: engine::Machine) -> String {
    let engine::Machine::Words(model) = model else {
        return String::new();
    };
    format!(
        "L = {}, o = {}, g = {}",
        grouped(model.L()),
        grouped(model.o()),
        grouped(model.g())
    )
}

/// The number of a rank and when it is done.
type Done = (usize, u64);

pub(super) fn columns(unit: &str) -> Vec<Column<'static, Done>> {
    type Of = Column<'static, Done>;
    let end = format!("end_{}", unit.replace(' ', "_"));
    vec![
        Of::new("rank", "a processor", |row| row.0 as u64),
        Of::new(end, "when it is done", |row| row.1).title("done at"),
    ]
}

fn logp(arguments: &ImportGoal) -> Result<LogP, Failure> {
    let ImportGoal { L, o, g, .. } = *arguments;
    let (Some(L), Some(o), Some(g)) = (L, o, g) else {
        return Err(Failure::usage(
            "a GOAL file does not name its machine: give -L, -o and -g, as in -L 6 -o 2 -g 4, or --machine NAME",
        ));
    };
    Ok(LogP::new(L, o, g)?)
}

#[derive(Serialize)]
struct Json<'a> {
    ranks: u32,
    operations: usize,
    messages: u32,
    unit: &'a str,
    finish: u64,
    ends: &'a [u64],
}
