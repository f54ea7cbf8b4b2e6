//! `castbench export`: a schedule in the format of another simulator.

use std::io::{BufWriter, Write};

use algorithms::catalogue::{Algorithm, Entry, Point};
use algorithms::cost::Limits;
use algorithms::engine::program::Program;
use algorithms::engine::schedules;
use algorithms::error::Error;
use algorithms::logp::{self, summation};

use super::point;
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
    draft.publish()
}

/// What the processors do at the point that was typed.
fn program(arguments: &ExportGoal) -> Result<Program, Failure> {
    let entry = point::find(&arguments.point.algorithm)?;
    if !matches!(entry.algorithm, Algorithm::LogpMulticast(_) | Algorithm::LogpSummation(_)) {
        return Err(Failure::usage(format_args!(
            "`{}` ({}) has no programs for processors that run on their own: its steps or rounds are those of all; export a tree or a summation, as in: castbench export goal optimal -L 6 -o 2 -g 4 -K 18",
            entry.name,
            entry.problem()
        )));
    }
    point::refuse_unread(entry, &arguments.point, &[])?;
    let machine = point::machine(&arguments.point)?;
    let cell = point::cell(entry, &arguments.point, machine.as_ref(), None)?;
    let checked = cell.point().map_err(|error| point::refuse(&error))?;
    // Without a machine the parameters are those of any size; 1 is the size that LogGOPSim adds nothing for.
    let bytes = arguments.point.bytes.unwrap_or(1);
    let program = match (entry.algorithm, checked) {
        (Algorithm::LogpMulticast(tree), Point::LogpMulticast { model, K, source }) => {
            logp::multicast::check_instance(K, source).map_err(|error| point::refuse(&error))?;
            let (nodes, source) = (small("-K", K)?, small("--source", source)?);
            schedules::multicast(&tree.schedule(model, nodes, source), bytes)
        }
        (Algorithm::LogpSummation(tree), Point::LogpSummation { model, P, operands }) => {
            summation::check_instance(P, operands).map_err(|error| point::refuse(&error))?;
            let processors = small("-P", P)?;
            let schedule = tree.schedule(model, processors, operands).map_err(|error| point::refuse(&error))?;
            schedules::summation(&schedule, bytes)
        }
        _ => return Err(point::refuse(&Error::WrongProblem { algorithm: entry.name })),
    };
    program.map_err(|fault| bug(entry, &fault))
}

fn small(option: &str, value: u64) -> Result<u32, Failure> {
    let most = Limits::MAX_NODES;
    let found = u32::try_from(value).ok().filter(|_| value <= most);
    found.ok_or_else(|| Failure::usage(format_args!("{option} {value}: expected at most {most} to write down")))
}

fn bug(entry: &Entry, explanation: &impl std::fmt::Display) -> Failure {
    Failure::new(Code::Disagreement, format_args!("{}: {explanation}; this is a bug in castbench", entry.name))
}
