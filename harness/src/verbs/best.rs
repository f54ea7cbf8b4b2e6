//! `castbench best`: which broadcast is best for a machine, where, and by how much.

use std::io::Write;
use std::path::Path;

use super::table::{table, write_json};
use crate::best::{self, Cell, Choice, MAX_CELLS, Question, Row, library::Library, map, rules};
use crate::cli::{Best, BestFormat};
use crate::failure::{Code, Failure, stdout, tell};
use crate::machine::Machine;
use crate::output;
use crate::units::{grouped, plural, show_bytes};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a question that makes no sense, 3 for a machine that is not there or not valid, 5 where a best time is not
/// the executed one, 74 where the map cannot be written.
pub fn run(arguments: &Best) -> Result<(), Failure> {
    let told = answer(arguments, &mut anstream::stdout().lock())?;
    tell(told);
    if let Some(path) = &arguments.svg {
        tell(format_args!("wrote {}", path.display()));
    }
    Ok(())
}

/// Writes the answer, and the map where one is asked for; says how much of it was executed.
///
/// # Errors
/// As [`run`].
pub fn answer(arguments: &Best, out: &mut impl Write) -> Result<String, Failure> {
    let question = question(arguments)?;
    let cells = best::answer(&question)?;
    if let Some(path) = &arguments.svg {
        let svg = map::svg(&question, &cells)
            .map_err(|error| Failure::new(Code::Internal, format_args!("the map cannot be drawn: {error}")))?;
        output::write(path, svg.as_bytes())?;
    }
    let rows = || cells.iter().map(|cell| Row::of(&question, cell)).collect::<Vec<_>>();
    match arguments.format {
        BestFormat::Table => show(&question, &cells, out)?,
        BestFormat::Json => write_json(&rows(), out)?,
        BestFormat::Csv => stdout(out.write_all(&output::csv_bytes(&rows())?))?,
        BestFormat::OpenmpiRules => stdout(out.write_all(rules::text(&question, &cells).as_bytes()))?,
    }
    let executed = cells.iter().filter(|cell| cell.executed).count() as u64;
    let cells = plural(cells.len() as u64, "cell");
    Ok(format!("{cells}; the best of {} executed, too, and found equal", grouped(executed)))
}

fn question(arguments: &Best) -> Result<Question, Failure> {
    let Best { machine: name, nodes, bytes, ports, against, only, within, format, .. } = arguments;
    let machine = Machine::find(name, Path::new(name))?
        .ok_or_else(|| Failure::usage(format_args!("--machine: there is no machine `{name}`; {}", Machine::names())))?;
    if nodes.0.len().saturating_mul(bytes.0.len()) > MAX_CELLS {
        let explanation = format_args!("more than {} cells; ask for fewer nodes or sizes", grouped(MAX_CELLS as u64));
        return Err(Failure::usage(explanation));
    }
    if *ports == 0 {
        return Err(Failure::usage("--ports: expected 1 at least"));
    }
    if *within > 100 {
        return Err(Failure::usage("--within: expected 0 to 100 percent"));
    }
    let rules = *format == BestFormat::OpenmpiRules;
    if rules && *against != Library::OpenMpi {
        return Err(Failure::usage("--format openmpi-rules: expected --against openmpi, whose rules these are"));
    }
    Ok(Question {
        machine: machine.name.clone(),
        parameters: machine.parameters(),
        K: nodes.0.clone(),
        bytes: bytes.0.clone(),
        ports: *ports,
        against: *against,
        only: *only || rules,
        within_percent: *within,
    })
}

fn show(question: &Question, cells: &[Cell], out: &mut impl Write) -> Result<(), Failure> {
    let library = question.against.name();
    let mut people =
        table(["K", "bytes", "best", "segment", "us", "over bound", "runner-up", "slower", library, "slower"]);
    let factor = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2}x")).unwrap_or_default();
    let name = |choice: Option<Choice>| choice.map(|choice| choice.entry.name.to_owned()).unwrap_or_default();
    for cell in cells {
        let Cell { K, bytes, best, .. } = *cell;
        people.add_row([
            K.to_string(),
            show_bytes(bytes),
            best.entry.name.to_owned(),
            if best.segments > 1 { show_bytes(best.segment) } else { "whole".to_owned() },
            format!("{:.1}", best.time as f64 / 1e3),
            format!("{:.2}x", best.time as f64 / cell.lower_bound.max(1) as f64),
            name(cell.runner_up),
            factor(cell.runner_up_over_best()),
            name(cell.library),
            factor(cell.library_over_best()),
        ]);
    }
    stdout(writeln!(out, "{people}"))
}
