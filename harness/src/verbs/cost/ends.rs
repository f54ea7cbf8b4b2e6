//! `cost --ends`: when each rank is done, of an algorithm or of the program in a file.

use std::fmt;
use std::io::Write;

use algorithms::cost::Limits;
use algorithms::internals::engine;
use serde::Serialize;

use super::{At, counted};
use crate::base::failure::Result;
use crate::base::units::{grouped, plural};
use crate::print::{self, Columns, Format};

/// Most ranks of a table.
const MAX_LISTED: usize = 32;

/// When the ranks of a point are done, as in JSON.
#[derive(Serialize)]
struct Ends<'a> {
    #[serde(skip)]
    at: &'a At<'a>,
    ranks: u32,
    operations: usize,
    messages: u32,
    unit: &'a str,
    finish: u64,
    ends: Vec<u64>,
}

/// Executes the point and prints when each rank is done.
pub(super) fn print(at: &At<'_>, limits: &Limits, format: Format, out: &mut impl Write) -> Result {
    let (machine, program) = at.program("--ends", limits)?;
    let outcome = engine::run(machine, &program).map_err(|failure| at.failed(failure, limits))?;
    let ends = Ends {
        at,
        ranks: program.processors(),
        operations: program.operations(),
        messages: program.messages(),
        unit: at.unit().plural(),
        finish: outcome.finish,
        ends: outcome.ends,
    };
    let columns = columns(ends.unit);
    print::single(format, &ends, &ends, (&columns, ends.rows()), out)
}

impl Ends<'_> {
    fn rows(&self) -> impl Iterator<Item = Done> {
        self.ends.iter().copied().enumerate()
    }
}

impl fmt::Display for Ends<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.at.heading(f, "")?;
        let operations = plural(self.operations as u64, "operation");
        let messages = plural(self.messages.into(), "message");
        writeln!(f, "{operations}, {messages}\n")?;
        let table = print::table(&columns(self.unit), self.rows().take(MAX_LISTED));
        writeln!(f, "{table}")?;
        let more = self.ends.len().saturating_sub(MAX_LISTED) as u64;
        if more > 0 {
            writeln!(f, "and {} more; --format csv prints all", grouped(more))?;
        }
        writeln!(
            f,
            "\nall are done at {}",
            counted(self.finish, self.at.unit())
        )
    }
}

/// The number of a rank and when it is done.
type Done = (usize, u64);

pub(in super::super) fn columns(unit: &str) -> Columns<'static, Done> {
    let end = format!("end_{}", unit.replace(' ', "_"));
    Columns::<Done>::empty()
        .column("rank", "a processor", |row| row.0 as u64)
        .column(end, "when it is done", |row| row.1)
        .title("done at")
}
