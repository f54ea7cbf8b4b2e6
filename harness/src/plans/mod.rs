//! Algorithms that users give: `[[algorithm]]` of a configuration, with plans from files or from a command.

mod command;
pub mod files;
mod formula;
mod function;
mod kept;
mod own;
pub mod plan;
mod point;
mod process;
pub mod record;

use std::time::Duration;

use algorithms::catalogue::find;
use algorithms::internals::collectives::Collective;
use algorithms::internals::collectives::known::{Given, PROCESS};
use algorithms::internals::collectives::list::ALL;
use algorithms::problem::Entry;
use serde::Deserialize;
use toml::Spanned;

use crate::base::failure::Result;
use crate::base::units::is_name;
use crate::output::diagnostics::Source;
use command::Command;
pub use command::end_all;
use files::Files;
use formula::Formula;
use function::{Callback, Function};
use own::{Origin, Own};
use point::PlanPoint;
use record::{Digest, Record};

/// Most seconds in which a command answers, where a configuration states no other number.
const SECONDS: u64 = 10;
/// Most seconds that a configuration can state: a day.
const MAX_SECONDS: u64 = 86_400;

/// `[[algorithm]]`, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireAlgorithm {
    name: Spanned<String>,
    problem: Spanned<String>,
    plan: Option<Spanned<String>>,
    command: Option<Spanned<Vec<String>>>,
    seconds: Option<Spanned<u64>>,
    formula: Option<Spanned<String>>,
}

/// Adds the algorithms of a configuration to the catalogue.
///
/// # Errors
/// Exit code 3, with file and line.
pub fn check(source: &Source, wires: &[WireAlgorithm]) -> Result<Vec<Entry>> {
    let mut given: Vec<Entry> = Vec::new();
    for wire in wires {
        let entry = algorithm(source, wire, &given)?;
        given.push(entry);
    }
    Ok(given)
}

/// What a manifest says of the algorithms of a configuration, which is checked.
///
/// # Errors
/// Exit code 3 for a file that cannot be read.
pub fn records(source: &Source, wires: &[WireAlgorithm], entries: &[Entry]) -> Result<Vec<Record>> {
    let record = |(wire, entry): (&WireAlgorithm, &Entry)| {
        let (origin, given) = origin(source, wire)?;
        let failed = |reason: String| {
            let title = "a file of this algorithm cannot be read";
            source.failure(
                wire.name.span(),
                title,
                reason,
                "name files that you can read",
            )
        };
        let paths = match &origin {
            Origin::Files(files) => files
                .existing()
                .map_err(|error| failed(error.to_string()))?,
            Origin::Command(command) => command.files(),
            Origin::Function(_) => Vec::new(),
        };
        let files = paths
            .iter()
            .map(|path| Digest::new(path))
            .collect::<Result<_, _>>()
            .map_err(failed)?;
        let formula = wire
            .formula
            .as_ref()
            .map(|formula| formula.get_ref().clone());
        Ok(Record {
            name: entry.name.to_owned(),
            problem: entry.problem().name,
            given,
            formula,
            files,
        })
    };
    wires.iter().zip(entries).map(record).collect()
}

const NAME: &str = "expected at most 200 bytes, without `:`, `,`, `.` and blanks; not `all`, `generated` or `lower_bound`";

/// Words that stand for something else where an algorithm is named.
const RESERVED: [&str; 3] = ["all", "generated", "lower_bound"];

fn is_own_name(name: &str) -> bool {
    is_name(name) && !name.contains([':', ',', ' ', '.']) && !RESERVED.contains(&name)
}

/// Adds an algorithm whose plans a function makes to the catalogue; it replaces one of this name that was given before.
///
/// # Errors
/// Exit code 2 for a name that an algorithm of castbench has or that is none, an unknown collective, a formula that cannot be read.
pub fn give(name: &str, problem: &str, formula: Option<&str>, callback: Box<Callback>) -> Result {
    if !is_own_name(name) {
        bail!("`{name}` is no name of an algorithm; {NAME}");
    }
    if find(name).is_some_and(|entry| !entry.is_given) {
        bail!("castbench has an algorithm `{name}`; choose another name");
    }
    let collective = collective(problem).map_err(|names| {
        failure!(
            Usage,
            "`{problem}` is not a collective; expected one of {names}"
        )
    })?;
    let formula = formula.map(|text| {
        Formula::parse(text).map_err(|reason| failure!(Usage, "the formula `{text}`: {reason}"))
    });
    let origin = Origin::Function(Function::new(name, callback));
    let own = Own {
        collective,
        origin,
        formula: formula.transpose()?,
    };
    let section = format!("function {name}");
    Given {
        name: name.to_owned(),
        summary: section.clone(),
        file: PROCESS.to_owned(),
        section,
    }
    .give(collective.name, own);
    Ok(())
}

/// The collective of this name, or the names of all.
fn collective(name: &str) -> Result<&'static Collective, String> {
    ALL.into_iter()
        .find(|known| known.name == name)
        .ok_or_else(|| ALL.map(|known| known.name).join(", "))
}

fn algorithm(source: &Source, wire: &WireAlgorithm, others: &[Entry]) -> Result<Entry> {
    let name = wire.name.get_ref();
    let fail = |title: &str, label: &str, help: &str| {
        Err(source.failure(wire.name.span(), title.to_owned(), label, help))
    };
    if !is_own_name(name) {
        return fail(
            "this is no name of an algorithm",
            NAME,
            "write a name as `mine`",
        );
    }
    let is_known = find(name).is_some_and(|entry| !entry.is_given)
        || others.iter().any(|other| other.name == name);
    if is_known {
        return fail(
            "another algorithm has this name",
            "expected a name of its own",
            "rows identify algorithms by it",
        );
    }
    let collective = collective(wire.problem.get_ref()).map_err(|names| {
        let title = format!("`{}` is not a collective", wire.problem.get_ref());
        let label = "expected the problem that the algorithm solves";
        source.failure(
            wire.problem.span(),
            title,
            label,
            format!("write one of {names}"),
        )
    })?;
    let (origin, section) = origin(source, wire)?;
    let formula = wire.formula.as_ref().map(|text| {
        let help = "write exact arithmetic on the axes, as `ceil(log2(K)) * (L + 2*o)`";
        let title = "this formula cannot be read";
        Formula::parse(text.get_ref())
            .map_err(|reason| source.failure(text.span(), title, reason, help))
    });
    let own = Own {
        collective,
        origin,
        formula: formula.transpose()?,
    };
    let summary = format!("{section} of {}", source.name());
    Given {
        name: name.clone(),
        summary,
        file: source.name().to_owned(),
        section,
    }
    .give(collective.name, own);
    find(name).ok_or_else(|| {
        source.failure(
            wire.name.span(),
            "this algorithm is not found".to_owned(),
            "",
            "",
        )
    })
}
/// Where the plans come from, and that in words.
fn origin(source: &Source, wire: &WireAlgorithm) -> Result<(Origin, String)> {
    let directory = source.resolve("");
    let name = wire.name.span();
    match (&wire.plan, &wire.command) {
        (None, None) => {
            let help = "add `plan = \"mine-{K}.json\"` or `command = [\"python3\", \"mine.py\"]`";
            Err(source.failure(
                name,
                "the algorithm has no plan".to_owned(),
                "expected `plan` or `command`",
                help,
            ))
        }
        (Some(_), Some(command)) => {
            let title = "`plan` and `command` exclude each other";
            Err(source.failure(command.span(), title, "the second", "remove one of them"))
        }
        (Some(plan), None) => {
            if let Some(seconds) = &wire.seconds {
                let title = "`seconds` limits a command";
                return Err(source.failure(
                    seconds.span(),
                    title,
                    "this algorithm has a plan",
                    "remove the key",
                ));
            }
            let files =
                Files::new(&directory, plan.get_ref(), &PlanPoint::KEYS).map_err(|expected| {
                    let title = format!("`{}` is not a file with a plan", plan.get_ref());
                    let help = "name a file beside the configuration, as `mine-{K}.json`";
                    source.failure(plan.span(), title, expected, help)
                })?;
            Ok((Origin::Files(files), format!("plan {}", plan.get_ref())))
        }
        (None, Some(words)) => {
            let seconds = wire
                .seconds
                .as_ref()
                .map_or(SECONDS, |seconds| *seconds.get_ref());
            let failed = |reason: &str| {
                let help = "write the program and its arguments, as [\"python3\", \"mine.py\"]";
                Err(source.failure(words.span(), "this is no command".to_owned(), reason, help))
            };
            if words.get_ref().first().is_none_or(String::is_empty) {
                return failed("expected a program");
            }
            if !(1..=MAX_SECONDS).contains(&seconds) {
                return failed(&format!("expected `seconds` from 1 to {MAX_SECONDS}"));
            }
            match Command::new(&directory, words.get_ref(), Duration::from_secs(seconds)) {
                Ok(command) => Ok((
                    Origin::Command(command),
                    format!("command {}", words.get_ref().join(" ")),
                )),
                Err(error) => failed(&error.to_string()),
            }
        }
    }
}
