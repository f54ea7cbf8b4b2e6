//! Algorithms that users give: `[[algorithm]]` of a configuration, with plans from files or from a command.

pub mod files;
pub mod json;
mod own;
mod point;
pub mod shape;

use std::ops::Range;

use algorithms::catalogue::find;
use algorithms::internals::collectives::hierarchy::Known;
use algorithms::internals::collectives::known::Given;
use algorithms::problem::Entry;
use serde::Deserialize;
use toml::Spanned;

use crate::config::diagnostics::{Complaint, Source};
use crate::failure::Failure;
use crate::units::is_name;
use files::Files;
use own::{Origin, Own};
use point::Point;

/// `[[algorithm]]`, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireAlgorithm {
    name: Spanned<String>,
    problem: Spanned<String>,
    plan: Option<Spanned<String>>,
}

/// Adds the algorithms of a configuration to the catalogue.
///
/// # Errors
/// Exit code 3, with the place.
pub fn check(source: &Source, wires: Vec<WireAlgorithm>) -> Result<Vec<Entry>, Failure> {
    let mut given: Vec<Entry> = Vec::new();
    for wire in wires {
        let entry = Check { source }.algorithm(&wire, &given)?;
        given.push(entry);
    }
    Ok(given)
}

struct Check<'a> {
    source: &'a Source,
}

impl Check<'_> {
    fn failure(&self, span: Range<usize>, title: String, label: impl Into<String>, help: &str) -> Failure {
        self.source.failure(&Complaint { span, title, label: label.into(), help })
    }

    fn algorithm(&self, wire: &WireAlgorithm, others: &[Entry]) -> Result<Entry, Failure> {
        let name = wire.name.get_ref();
        let fail = |title: &str, label: &str, help: &str| Err(self.failure(wire.name.span(), title.to_owned(), label, help));
        if !is_name(name) || name.contains([':', ',', ' ', '.']) {
            return fail("this is no name of an algorithm", "expected at most 200 bytes, without `:`, `,`, `.` and blanks", "write a name as `mine`");
        }
        let is_known = find(name).is_some_and(|entry| !entry.is_given) || others.iter().any(|other| other.name == name);
        if is_known {
            return fail("another algorithm has this name", "expected a name of its own", "rows identify algorithms by it");
        }
        let collectives = Known::all();
        let collective = collectives.iter().find(|known| known.name == wire.problem.get_ref()).ok_or_else(|| {
            let names: Vec<&str> = collectives.iter().map(|known| known.name).collect();
            let title = format!("`{}` is not a collective", wire.problem.get_ref());
            self.failure(wire.problem.span(), title, "expected the problem that the algorithm solves", &format!("write one of {}", names.join(", ")))
        })?;
        let Some(plan) = &wire.plan else {
            return fail("the algorithm has no plan", "expected a key `plan`", "add `plan = \"FILE.json\"`");
        };
        let directory = self.source.resolve("");
        let files = Files::new(&directory, plan.get_ref(), &Point::KEYS).map_err(|expected| {
            let title = format!("`{}` is not a file with a plan", plan.get_ref());
            self.failure(plan.span(), title, expected, "name a file beside the configuration, as `mine-{K}.json`")
        })?;
        let place = format!("plan {}", plan.get_ref());
        let own = Own { collective: *collective, origin: Origin::Files(files) };
        let summary = "an algorithm of a user".to_owned();
        let given = Given { name: name.clone(), summary, file: self.source.name().to_owned(), place };
        given.give(collective.name, own);
        find(name).ok_or_else(|| self.failure(wire.name.span(), "this algorithm is not found".to_owned(), "", ""))
    }
}
