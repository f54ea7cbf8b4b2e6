//! `list --bibtex`: BibTeX of the papers behind results.

use std::io::Write as _;

use algorithms::catalogue;

use super::papers::bibtex;
use crate::base::failure::{Result, stdout};
use crate::base::near;
use crate::base::terminal;
use crate::base::units::joined;
use crate::config::Config;
use crate::figures;
use crate::regress::audit::all_claims;

/// A paper, the name of what it describes, and where.
type Source = (&'static str, String, String);

/// Prints the paper of each of these names once, below what it describes.
pub(super) fn print(names: &[String]) -> Result {
    let mut papers: Vec<(&str, Vec<String>)> = Vec::new();
    for name in names {
        for (paper, name, section) in sources(name)? {
            let section = if section.is_empty() {
                section
            } else {
                format!(": {section}")
            };
            let comment = format!("% {name}{section}");
            match papers.iter_mut().find(|known| known.0 == paper) {
                Some((_, comments)) if comments.contains(&comment) => (),
                Some((_, comments)) => comments.push(comment),
                None => papers.push((paper, vec![comment])),
            }
        }
    }
    let entries = joined(
        "\n",
        papers
            .iter()
            .map(|(paper, comments)| format!("{}\n{}\n", comments.join("\n"), bibtex(paper))),
    );
    stdout(terminal::data().write_all(entries.as_bytes()))
}

/// The sources of a name. An algorithm comes before a claim of the same name.
fn sources(name: &str) -> Result<Vec<Source>> {
    if let Some(entry) = catalogue::find(name) {
        return Ok(vec![(
            entry.paper,
            name.to_owned(),
            entry.section.to_owned(),
        )]);
    }
    let claims = all_claims()?;
    if let Some(claim) = claims.iter().find(|claim| claim.id == name) {
        return Ok(vec![(
            claim.paper.title(),
            name.to_owned(),
            claim.section.to_string(),
        )]);
    }
    let figures = figures::of(&Config::load(None)?)?;
    if let Some(figure) = figures.iter().find(|figure| figure.file() == name) {
        let sources: Vec<Source> = figure
            .algorithms()
            .into_iter()
            .map(|entry| (entry.paper, entry.name.to_owned(), entry.section.to_owned()))
            .collect();
        // The history of costs draws no algorithm of a paper.
        let own = || vec![("castbench", name.to_owned(), String::new())];
        return Ok(if sources.is_empty() { own() } else { sources });
    }
    let known = catalogue::entries()
        .iter()
        .map(|entry| entry.name)
        .chain(claims.iter().map(|claim| claim.id.as_ref()));
    let advice = near::advice(
        name,
        known.chain(figures.iter().map(|figure| figure.file())),
        "castbench list",
    );
    let message = "no algorithm, claim or figure of the built-in configuration has the name";
    bail!("{message} `{name}`; {advice}")
}
