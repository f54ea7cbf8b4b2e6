//! `castbench export`: a schedule in the format of another simulator.

use std::io::{BufWriter, Write};

use algorithms::cost::Limits;
use algorithms::engine::program::Program;
use algorithms::engine::schedules;
use algorithms::error::Error;
use algorithms::logp::multicast::problem::{self as multicast, LogpMulticast};
use algorithms::logp::summation::problem::{self as summation, LogpSummation};
use algorithms::problem::{Entry, Problem as _};

use super::point::{self, Asked};
use crate::cli::{Export, ExportFormat, ExportGoal};
use crate::failure::{Code, Failure, stdout};
use crate::goal::writer;
use crate::output::Draft;

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a point that makes no sense or an algorithm without programs for processors, 74 where the file cannot
/// be written.
pub fn run(arguments: &Export) -> Result<(), Failure> {
    answer(arguments, &mut std::io::stdout().lock())
}

/// Writes the schedule, into the file where one is named.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Export, out: &mut impl Write) -> Result<(), Failure> {
    let ExportFormat::Goal(arguments) = &arguments.format;
    let program = program(arguments)?;
    let Some(path) = &arguments.out else {
        let mut out = BufWriter::new(out);
        return stdout(writer::write(&program, &mut out).and_then(|()| out.flush()));
    };
    let mut draft = Draft::create(path)?;
    let mut out = BufWriter::new(draft.file());
    let written = writer::write(&program, &mut out).and_then(|()| out.flush());
    drop(out);
    written.map_err(|error| Failure::write(path, &error))?;
    Ok(draft.publish()?)
}

/// What the processors do at the point that was typed.
fn program(arguments: &ExportGoal) -> Result<Program, Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    let asked = Asked::new(entry, &arguments.point, &[])?;
    let cell = asked.cell();
    cell.check().map_err(|refused| point::refuse(&refused))?;
    // Without a machine the parameters are those of any size; 1 is the size that LogGOPSim adds nothing for.
    let bytes = cell.value("bytes").unwrap_or(1);
    let refuse = |error: Error| point::refuse_error(&error);
    let program = if let Some(tree) = LogpMulticast::find(entry.name) {
        let multicast::Point { model, K, source } =
            LogpMulticast::point(cell.machines.setting(), &cell.values).map_err(refuse)?;
        let (nodes, source) = (small("-K", K)?, small("--source", source)?);
        schedules::multicast(&tree.schedule(model, nodes, source), bytes)
    } else if let Some(tree) = LogpSummation::find(entry.name) {
        let summation::Point { model, P, operands } =
            LogpSummation::point(cell.machines.setting(), &cell.values).map_err(refuse)?;
        let schedule = tree.schedule(model, small("-P", P)?, operands).map_err(refuse)?;
        schedules::summation(&schedule, bytes)
    } else {
        return Err(Failure::usage(format_args!(
            "`{}` ({}): GOAL export supports problems in which processors send messages one by one; export a tree or a summation, as in: castbench export goal optimal -L 6 -o 2 -g 4 -K 18",
            entry.name,
            entry.problem().name()
        )));
    };
    program.map_err(|fault| bug(entry, &fault))
}

fn small(option: &str, value: u64) -> Result<u32, Failure> {
    let most = Limits::MAX_NODES;
    let found = u32::try_from(value).ok().filter(|_| value <= most);
    found.ok_or_else(|| Failure::usage(format_args!("{option} {value}: expected at most {most} to write down")))
}

fn bug(entry: Entry, explanation: &impl std::fmt::Display) -> Failure {
    Failure::new(Code::Disagreement, format_args!("{}: {explanation}; this is a bug in castbench", entry.name))
}
