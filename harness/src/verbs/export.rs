//! `castbench export`: the execution of a point, in the format of another program.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use algorithms::cost::Limits;
use algorithms::internals::engine::Program;
use algorithms::problem::{Entry, Instance};
use clap::{Args, ValueEnum};

use super::instance::instance;
use super::options::PointArgs;
use super::point::{self, Say};
use crate::base::failure::{Failure, Result, stdout, tell};
use crate::base::terminal;
use crate::draw::trace::Trace;
use crate::output::{self, Draft, ending};
use crate::verify::goal::writer;
use crate::verify::task::Collective;

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  castbench export goal optimal -L 6 -o 2 -g 4 -K 18 --out optimal.goal
  castbench export goal halving --machine ethernet100-switched --bytes 1MiB -K 18 --out halving.goal
  castbench export trace barrier-dissemination -L 6 -o 2 -g 4 -K 18 --out barrier.json
  castbench export csv dual-path --mesh 8x8 -K 6 --seed 3")]
pub struct Export {
    /// The format
    #[arg(value_enum, value_name = "FORMAT")]
    pub format: ExportFormat,
    /// The point.
    #[command(flatten)]
    pub point: PointArgs,
    /// A destination on a mesh, instead of K random ones; may be repeated
    #[arg(long, value_name = "x,y", allow_negative_numbers = true, conflicts_with_all = ["K", "seed"], help_heading = "Point")]
    pub to: Vec<String>,
    /// Write into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The formats of schedules that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// GOAL, which LogGOPSim and ATLAHS read: problems whose processors send each other messages
    Goal,
    /// Chrome trace JSON, which Perfetto opens: a process per node, a track per port, an arrow per message
    Trace,
    /// CSV with a row for each event of the execution
    Csv,
}

/// Writing needs no execution, so only memory limits it.
fn limits() -> Limits {
    Limits {
        nodes: Limits::MAX_NODES,
        ..Limits::default()
    }
}

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an invalid point or an algorithm without programs for processors, 74 if the file cannot be written.
pub fn run(arguments: &Export) -> Result {
    answer(arguments, &mut terminal::data(), &mut |line| tell(line))
}

/// Writes the export to `out`, or into the file that the arguments name.
///
/// # Errors
/// Exit code 2 for an invalid point or an algorithm without programs for processors, 74 if the file cannot be written.
pub fn answer(arguments: &Export, out: &mut impl Write, say: Say<'_>) -> Result {
    let Export {
        format, point, to, ..
    } = arguments;
    if let Some(path) = &arguments.out {
        let own = match format {
            ExportFormat::Goal => "goal",
            ExportFormat::Trace => "json",
            ExportFormat::Csv => "csv",
        };
        ending::check(path, &[own])
            .map_err(|expected| failure!(Usage, "--out {}: {expected}", path.display()))?;
    }
    let entry = point::find(point)?;
    let verb = match format {
        ExportFormat::Goal if !entry.sends() => return Err(without_program(entry)),
        ExportFormat::Goal => "export goal",
        ExportFormat::Trace => "export trace",
        ExportFormat::Csv => "export csv",
    };
    let (asked, which) = instance(entry, verb, point, to)?;
    let cell = asked.cell();
    point::say_doubts(&cell, &point.axes.0, say);
    if cell.machines.unread(entry.problem()).is_none() {
        asked.ports(entry.problem()).into_iter().for_each(&mut *say);
    }
    let instance = cell.bind()?;
    if instance.why_skipped(&limits()).is_none() {
        point::say_work(&instance, "writes", "a smaller point is quicker", say);
    }
    if *format == ExportFormat::Goal {
        let program = program(entry, &instance)?;
        let stated = stated(entry, &instance);
        write(arguments, out, |mut out| {
            writer::write("castbench export goal", &program, stated.as_ref(), &mut out)
        })?;
        if stated.is_none() && Collective::named(entry.problem().name).is_some() {
            say(
                "note: the file does not say what its messages carry; `castbench verify` judges its order only"
                    .to_owned(),
            );
        }
        return Ok(());
    }
    let mut events = Vec::new();
    let stage = instance.execute(&which, &mut |event| events.push(event))?;
    let trace = Trace::new(stage, events);
    write(arguments, out, |mut out| match format {
        ExportFormat::Trace => trace.write_trace(&mut out),
        _ => trace.write_csv(out),
    })
}

fn write(
    arguments: &Export,
    out: &mut impl Write,
    written: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> Result {
    let Some(path) = &arguments.out else {
        let mut out = BufWriter::new(out);
        return stdout(written(&mut out).and_then(|()| out.flush()));
    };
    let mut draft = Draft::create(path)?;
    let mut out = BufWriter::new(draft.file());
    let result = written(&mut out).and_then(|()| out.flush());
    drop(out);
    result.map_err(output::unwritten(path))?;
    draft.publish()
}

fn program(entry: Entry, instance: &Instance) -> Result<Program> {
    let (_, program) = instance
        .program(&limits(), None)?
        .ok_or_else(|| without_program(entry))?;
    if program.is_posted_together() {
        let message = "GOAL has no sends that share a port until all have left; export the algorithm without `:posted`";
        bail!("`{}`: {message}", entry.name);
    }
    Ok(program)
}

/// What the messages carry, of a collective that `verify` knows.
fn stated(entry: Entry, instance: &Instance) -> Option<writer::Stated> {
    let collective = Collective::named(entry.problem().name)?.name;
    Some((collective, instance.payloads()?))
}

fn without_program(entry: Entry) -> Failure {
    failure!(
        Usage,
        "`{}` ({}): GOAL export supports problems in which processors send messages one by one; `castbench export csv` writes the events of any execution. For example: castbench export goal optimal -L 6 -o 2 -g 4 -K 18",
        entry.name,
        entry.problem().name
    )
}
