//! `castbench list --verbs`: which verbs support which problem, computed from the catalogue and the built-in
//! configurations.

use algorithms::catalogue::{PROBLEMS, entries, find};
use algorithms::internals::claims::{self, Claim, Point};
use algorithms::problem::Problem;

use crate::base::failure::Result;
use crate::config::Config;
use crate::output::built_in::BuiltIn;
use crate::print::Columns;

/// A problem, a verb, and why the verb does not support the problem; empty if it does.
pub(super) type Support = [&'static str; 3];

pub(super) fn columns() -> Columns<'static, Support> {
    Columns::<Support>::empty()
        .column("problem", "name of a problem", |row| row[0])
        .code()
        .column("verb", "name of a verb", |row| row[1])
        .column(
            "why_not",
            "why it does not support the problem; empty if it does",
            |row| row[2],
        )
}

/// The verbs that take any point or any sweep.
const OF_ALL: [&str; 7] = [
    "cost",
    "show",
    "export trace",
    "export csv",
    "sweep",
    "figures",
    "best",
];

/// The verbs that take a program of messages.
const OF_PROGRAMS: [&str; 3] = ["export goal", "cost --slopes", "measure"];

/// All verbs, in the order of the table's columns.
pub(super) fn verbs() -> impl Iterator<Item = &'static str> {
    OF_ALL
        .into_iter()
        .chain(OF_PROGRAMS)
        .chain(["regress", "audit"])
}

/// A row for each problem and verb.
pub(super) fn rows() -> Result<Vec<Support>> {
    let config = Config::select(None, BuiltIn::Regress, &[])?;
    let regressed = |problem| {
        config
            .grids
            .iter()
            .flat_map(|grid| &grid.algorithms)
            .any(|entry| entry.problem() == problem)
    };
    let claims = claims::all();
    let mut rows = Vec::new();
    for problem in PROBLEMS {
        let unless = |is_there: bool, why: &'static str| if is_there { "" } else { why };
        let sends = entries()
            .iter()
            .any(|entry| entry.problem() == problem && entry.sends());
        let why_no_program = unless(
            sends,
            "messages cross links or go in rounds; processors have no programs",
        );
        let is_claimed = claims.iter().any(|claim| speaks_of(claim, problem));
        let why_no_audit = unless(is_claimed, "no claim about it is in the catalogue");
        let why_no_grid =
            "the configuration that `castbench init regress` prints has no grid for it";
        let why_no_regress = unless(regressed(problem), why_no_grid);
        rows.extend(verbs().map(|verb| {
            let why_not = match verb {
                verb if OF_PROGRAMS.contains(&verb) => why_no_program,
                "regress" => why_no_regress,
                "audit" => why_no_audit,
                _ => "",
            };
            [problem.name, verb, why_not]
        }));
    }
    Ok(rows)
}

/// Whether the claim's command names the problem or one of its algorithms.
fn speaks_of(claim: &Claim, problem: &'static Problem) -> bool {
    Point::at(claim, 0)
        .command()
        .unwrap_or_default()
        .split(' ')
        .any(|word| {
            word == problem.name || find(word).is_some_and(|entry| entry.problem() == problem)
        })
}
