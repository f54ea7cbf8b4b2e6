//! `cost --ends`: when each rank is done, of an algorithm or of the program in a file.

use std::fmt;
use std::io::Write;

use algorithms::cost::Limits;
use algorithms::internals::engine::{self, Completion, Program};
use serde::Serialize;

use super::{At, counted};
use crate::base::failure::Failure;
use crate::base::units::{grouped, plural};
use crate::print::{self, Columns, Format};

/// Most ranks of a table.
const MAX_LISTED: usize = 32;

/// An execution of a point.
struct Ends<'a> {
    at: &'a At<'a>,
    program: Program,
    outcome: Completion,
}

/// Executes the point and prints when each rank is done.
pub(super) fn print(
    at: &At<'_>,
    limits: &Limits,
    format: Format,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let (machine, program) = at.program("--ends", limits)?;
    let outcome = engine::run(machine, &program).map_err(|failure| at.failed(failure, limits))?;
    let unit = at.unit().plural();
    let ends = Ends {
        at,
        program,
        outcome,
    };
    let single = print::Single {
        text: &ends,
        document: &ends.json(),
    };
    print::single(format, &single, (&columns(unit), ends.rows()), out)
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

impl Ends<'_> {
    fn rows(&self) -> impl Iterator<Item = Done> {
        self.outcome.ends.iter().copied().enumerate()
    }

    fn json(&self) -> Json<'_> {
        Json {
            ranks: self.program.processors(),
            operations: self.program.operations(),
            messages: self.program.messages(),
            unit: self.at.unit().plural(),
            finish: self.outcome.finish,
            ends: &self.outcome.ends,
        }
    }
}

impl fmt::Display for Ends<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.heading(f, "")?;
        let Json {
            operations,
            messages,
            unit,
            finish,
            ends,
            ..
        } = self.json();
        let operations = plural(operations as u64, "operation");
        let messages = plural(messages.into(), "message");
        writeln!(f, "{operations}, {messages}\n")?;
        let table = print::table(&columns(unit), self.rows().take(MAX_LISTED));
        writeln!(f, "{table}")?;
        let more = ends.len().saturating_sub(MAX_LISTED) as u64;
        if more > 0 {
            writeln!(f, "and {} more; --format csv prints all", grouped(more))?;
        }
        writeln!(f, "\nall are done at {}", counted(finish, self.at.unit()))
    }
}

/// The number of a rank and when it is done.
type Done = (usize, u64);

pub(in super::super) fn columns(unit: &str) -> Columns<'static, Done> {
    let end = format!("end_{}", unit.replace(' ', "_"));
    Columns::<Done>::new()
        .column("rank", "a processor", |row| row.0 as u64)
        .column(end, "when it is done", |row| row.1)
        .title("done at")
}
