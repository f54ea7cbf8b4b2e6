//! `castbench verify`: a verdict on the schedule in a file.

mod report;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use crate::libraries::{Size, functions_of};
use algorithms::catalogue::entries;
use algorithms::cost::{Exact, Limits};
use algorithms::internals::collectives::{Collective, list};
use algorithms::internals::engine::{self, waits};
use algorithms::logp::Levels;
use algorithms::problem::Entry;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::cost::slopes::Path;
use super::point;
use crate::base::failure::{Result, stdout, tell};
use crate::base::terminal;
use crate::base::units::parse_bytes;
use crate::output::ending;
use crate::print::ci;
use crate::space::Machines;
use crate::space::machine::PORTS;
use crate::verify::task::Task;
use crate::verify::{self, Trouble, entry, program, schedule::Schedule};
use report::{Cost, Report, VerdictFormat};

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "The format is recognized by the content: MSCCL XML, Chakra traces (name the file of rank 0), GOAL, MSCCL++ \
plans. The result, deadlocks and races are judged, as far as the format tells; the answer says what is not.

Exit code 0: nothing wrong was found in what is judged; without --collective that may be only that the schedule ends. 5: the schedule is wrong; the first thing wrong is printed. 3: the file has no schedule.
11: not judged, because the file has a key that castbench does not read, or does not say what --collective asks for.

Examples:
  castbench verify ring.xml
  castbench verify ring.xml --collective allreduce --machine ethernet100-switched --bytes 1MiB
  castbench verify ring.0.et --collective allreduce --format github"
)]
pub struct Verify {
    /// The file; of traces, one for each rank, the one of rank 0
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What the schedule must do [default: what the file says]
    #[arg(long, value_parser = collectives(), value_name = "NAME")]
    pub collective: Option<&'static Collective>,
    /// The root of a broadcast, reduce, gather or scatter [default: what the file says, or 0]
    #[arg(long, value_name = "RANK")]
    pub root: Option<u32>,
    /// The number of ranks, where a plan of castbench does not list all of them
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub ranks: Option<u32>,
    /// State the cost on this machine, the lower bound and the critical path, too
    #[arg(long, value_name = "NAME")]
    pub machine: Option<String>,
    /// Bytes of the collective, as 1MiB [default: what the file says, or 1 byte per chunk]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "machine", allow_negative_numbers = true)]
    pub bytes: Option<u64>,
    /// Also add the verdict in Markdown to this file, as to that of a job of GitHub Actions
    #[arg(long, value_name = "FILE", value_parser = ending::named(&["md"]))]
    pub summary: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = VerdictFormat::Table)]
    pub format: VerdictFormat,
}

/// Reads the name of a collective.
fn collectives() -> impl TypedValueParser<Value = &'static Collective> {
    let names = list::ALL.map(|known| known.name);
    PossibleValuesParser::new(names)
        .try_map(|name| Collective::named(&name).ok_or("it is not a collective"))
}

/// The most operations whose critical path is computed.
const MAX_PATH: u32 = 1 << 18;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for an unknown machine, 3 for a file without a schedule, 5 for a schedule that is wrong, 11 for one that is not judged.
pub fn run(arguments: &Verify) -> Result {
    let mut out = BufWriter::new(terminal::text_if(arguments.format == VerdictFormat::Table));
    let result = answer(arguments, &mut out);
    stdout(out.flush())?;
    result
}

/// Writes the answer.
///
/// # Errors
/// Exit code 2 for an unknown machine, 3 for a file without a schedule, 5 for a schedule that is wrong, 11 for one that is not judged.
pub fn answer(arguments: &Verify, out: &mut impl Write) -> Result {
    let name = &arguments.file.display().to_string();
    let file = entry::open(&arguments.file)?;
    let mut report = Report::new(name, file.format());
    let root = arguments.root.unwrap_or(0);
    let outcome = file.schedule(arguments.collective, root, arguments.ranks);
    if arguments.ranks.is_some() && !file.is_plan() && !matches!(outcome, Err(Trouble::Unread(..)))
    {
        bail!("--ranks: {name} lists its ranks; remove the option");
    }
    let judged = outcome.and_then(|schedule| {
        report.describe(&schedule);
        let right = verify::check(&schedule)?;
        let stated = schedule.task.as_ref().map_or(root.into(), Task::root);
        if arguments.root.is_some() && stated != u64::from(root) {
            return Err(Trouble::not_judged(format!(
                "the file says that the root is {stated}, not {root}"
            )));
        }
        match &schedule.not_judged {
            Some(reason) if arguments.collective.is_some() => Err(Trouble::not_judged(reason)),
            _ => Ok((schedule, right)),
        }
    });
    match judged {
        Err(trouble) => report.trouble = Some(trouble),
        Ok((schedule, right)) => {
            let found = schedule.collective().and_then(|found| entry_of(found.name));
            let is_rootless = |entry: &Entry| entry.axes().iter().all(|axis| axis.key != "root");
            if let Some(entry) =
                found.filter(|entry| arguments.root.is_some() && is_rootless(entry))
            {
                bail!(
                    "--root: {} has no root; remove the option",
                    entry.problem().name
                );
            }
            report.right(right);
            if let Some(machine) = arguments.machine.as_ref().filter(|_| !schedule.has_no_cost) {
                report.cost = Some(cost(&schedule, machine, arguments)?);
            }
        }
    }
    // A file that is not read has no verdict for people beside the error.
    if !matches!(
        (&report.trouble, arguments.format),
        (Some(Trouble::Unread(..)), VerdictFormat::Table)
    ) {
        stdout(report.write(arguments.format, out))?;
    }
    if let Some(path) = &arguments.summary {
        ci::summarise(path, &report.markdown())?;
    }
    match &report.trouble {
        None => Ok(()),
        Some(trouble) => Err(entry::failure(name, trouble)),
    }
}

fn cost(schedule: &Schedule, machine: &str, arguments: &Verify) -> Result<Cost> {
    let found = crate::space::named_machine(machine)?;
    let machines = Machines::new(vec![found.clone()]);
    machines
        .strictly("a schedule in a file")
        .iter()
        .for_each(tell);
    let model = engine::Machine::LogGops(found.profile());
    let failed =
        |message: &dyn std::fmt::Display| failure!(Usage, "--machine {machine}: {message}");
    if let Some(levels) = model.levels() {
        levels
            .check(schedule.ranks.into())
            .map_err(|error| failed(&error))?;
    }
    if arguments.bytes.is_some() && schedule.program.is_some() {
        bail!("--bytes: each message of the file has a size of its own; remove the option");
    }
    if arguments.bytes.is_some() && schedule.task.is_none() {
        bail!("--bytes: the file does not say which part of them a message has; remove the option");
    }
    let chunk = arguments
        .bytes
        .map(|bytes| program::chunk_bytes(schedule, bytes));
    let program = match &schedule.program {
        Some(program) => Ok(program.on(model.levels())),
        None => program::program(schedule, chunk, &|_| 0, model.levels()),
    };
    let program = &program.map_err(|fault| failed(&fault))?;
    if let Some(guess) = found.guess_of(program) {
        tell!("warning: {guess}");
    }
    if !engine::is_defined(model, program) {
        return Err(failed(
            &"`nics` and `x` are defined where each rank has one block; name a machine without them",
        ));
    }
    let time = engine::run(model, program)
        .map_err(|failure| failed(&failure))?
        .finish;
    let has_ranges = model.levels().is_some_and(Levels::has_ranges);
    let path = if program::operations(schedule) <= MAX_PATH && !has_ranges {
        let around = waits::around(model, program).map_err(|failure| failed(&failure))?;
        let path = Path::new(&around, program, 0, &|symbol| {
            found.symbol(symbol.letter, symbol.level, symbol.from)
        });
        Some(format!("{}: {}", path.spelled(), path.way()))
    } else {
        None
    };
    let bytes = arguments
        .bytes
        .unwrap_or_else(|| program::all_bytes(schedule));
    let bound = bound(schedule, machine, bytes)?;
    Ok(Cost {
        machine: found.name.clone(),
        bytes,
        time,
        bound,
        path,
    })
}

/// An algorithm of a collective.
fn entry_of(collective: &str) -> Option<Entry> {
    let mut all = entries().iter();
    all.find(|entry| entry.problem().name == collective)
        .copied()
}

/// The lower bound of the collective on this machine, and its name.
fn bound(schedule: &Schedule, machine: &str, bytes: u64) -> Result<Option<(u64, &'static str)>> {
    let Some(collective) = schedule.collective() else {
        return Ok(None);
    };
    let Some(entry) = entry_of(collective.name) else {
        return Ok(None);
    };
    // Some collectives count the block of a rank.
    let of_blocks = functions_of(entry.problem().name)
        .next()
        .is_some_and(|function| function.size == Size::Blocks);
    let bytes = if of_blocks {
        bytes / u64::from(schedule.ranks)
    } else {
        bytes
    };
    let root = schedule.task.as_ref().map_or(0, Task::root);
    let values = [
        ("machine", machine.to_owned()),
        ("bytes", bytes.max(1).to_string()),
        ("K", schedule.ranks.to_string()),
        // As the schedule is executed, whatever the profile states.
        (PORTS, "strict".to_owned()),
        ("root", root.to_string()),
    ];
    let asked = point::of_values(entry, "verify", values)?;
    let cell = asked.cell();
    // A schedule can cut messages finer than the algorithms of castbench.
    let Ok(instance) = cell.bind() else {
        return Ok(None);
    };
    let Ok(bound) = instance.lower_bound() else {
        return Ok(None);
    };
    let of_all = instance
        .evaluate(&Limits { nodes: 0, hops: 0 })
        .is_ok_and(|found| found.lower_bound == bound);
    let name = instance
        .bound_name()
        .filter(|_| of_all)
        .unwrap_or("latency");
    Ok(match bound {
        Exact::Integer(bound) => Some((bound, name)),
        Exact::Rational(_) => None,
    })
}
