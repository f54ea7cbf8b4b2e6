//! `castbench audit`: which claims of the papers hold.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use algorithms::internals::claims::{Claim, Paper};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde::Serialize;

use crate::audit::{AuditRow, Verdict, all_claims, audit};
use crate::failure::{Code, Failure, stdout};
use crate::markup;
use crate::measured::claims::{self, MeasuredClaim};
use crate::measured::results::Results;
use crate::near;
use crate::print::{self, Column, Format};
use crate::progress::Progress;
use crate::terminal;
use crate::units::{grouped, plural};

pub(crate) const HELP: &str = "Examples:
  castbench audit
  castbench audit --paper gossip
  castbench audit fibonacci-9 fibonacci-11 --format json
  castbench audit --paper k-tree --format markdown
  castbench audit figures-b-measured --measured reports/measured

A claim of a paper that fails is a finding, with exit code 0. A claim of castbench itself (--paper castbench) that \
fails is a bug, with exit code 5. The smallest counterexample is the first in the order of the grid; the first \
symbol changes slowest.

The claims figures-a-measured, -b- and -c- compare figures 6 and 7 of the Fibonacci paper with measurements. \
Confidence intervals decide; where they overlap, the verdict is `not decided`. These verdicts do not change the exit \
code. In JSON these claims have a tenth key, `measured`: the verdict for each message size, placing and relay delay, \
with D/g and the times that decide.";

/// Arguments of `audit`.
#[derive(Debug, Args)]
pub struct Audit {
    /// Claims, by their ids [default: all]
    #[arg(value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// The claims of this paper; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "claims", value_parser = PossibleValuesParser::new(Paper::ALL.map(Paper::slug)))]
    pub paper: Vec<String>,
    /// Directory of measurements by `castbench measure` [default: reports/measured, if it exists]
    #[arg(long, value_name = "DIR")]
    pub measured: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Entry {
    Tried(AuditRow),
    Measured(MeasuredClaim),
}

impl Entry {
    fn row(&self) -> &AuditRow {
        match self {
            Self::Tried(row) => row,
            Self::Measured(claim) => &claim.row,
        }
    }
}

/// Runs the verb. A claim of a paper that fails is a finding and no error.
///
/// # Errors
/// Exit code 2 for an unknown claim, 4 for a measured claim without measurements, 5 if a claim of castbench fails, 74
/// if measurements cannot be read.
pub fn run(arguments: &Audit) -> Result<(), Failure> {
    let all = all_claims()?;
    let measured_ids = claims::ids();
    let known = || all.iter().map(|claim| claim.id.as_ref()).chain(measured_ids.iter().map(String::as_str));
    if let Some(unknown) = arguments.claims.iter().find(|id| known().all(|claim| claim != id.as_str())) {
        let advice = near::advice(unknown, known(), "castbench audit");
        return Err(Failure::usage(format_args!("there is no claim `{unknown}`; {advice}")));
    }
    let selected = |id: &str, paper: Paper| {
        let named = arguments.claims.is_empty() || arguments.claims.iter().any(|own| own == id);
        named && (arguments.paper.is_empty() || arguments.paper.iter().any(|own| own == paper.slug()))
    };
    // First, because it fails quickly.
    let measured = if measured_ids.iter().any(|id| selected(id, Paper::Fibonacci)) {
        measured(arguments, |id| selected(id, Paper::Fibonacci))?
    } else {
        Vec::new()
    };
    let is_selected = |claim: &Claim| selected(&claim.id, claim.paper);
    let points = all.iter().filter(|claim| is_selected(claim)).map(Claim::grid_points).sum();
    let progress = Progress::bar(points, "points");
    let rows = audit(&all, is_selected, |points| progress.advance(points, 0));
    progress.finish();
    let rows = rows?;
    // Beside the other claims of their paper.
    let place = rows.iter().rposition(|row| row.paper == Paper::Fibonacci.title()).map_or(0, |last| last + 1);
    let mut entries: Vec<Entry> = rows.into_iter().map(Entry::Tried).collect();
    entries.splice(place..place, measured.into_iter().map(Entry::Measured));
    let mut out = arguments.format.stdout();
    match arguments.format {
        Format::Table => stdout(for_people(&mut out, &entries)),
        Format::Csv => print::csv(&columns(), entries.iter().map(Entry::row), &mut out),
        Format::Json => print::json(&entries, &mut out),
        Format::Markdown => stdout(for_documents(&mut out, &entries)),
    }?;
    let rows = entries.iter().map(Entry::row);
    let wrong: Vec<&str> = rows.filter(|row| row.is_own() && row.failures > 0).map(|row| row.id.as_str()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Disagreement,
        format_args!("castbench's own claims fail, a bug in castbench: {}", wrong.join(", ")),
    ))
}

const MEASURED: &str = "reports/measured";

/// The selected claims that the measurements can decide.
fn measured(arguments: &Audit, selected: impl Fn(&str) -> bool) -> Result<Vec<MeasuredClaim>, Failure> {
    let results = Results::choose(arguments.measured.as_deref(), Path::new(MEASURED))?;
    let mut found = results.as_ref().map(claims::claims).unwrap_or_default();
    found.retain(|claim| selected(&claim.row.id));
    let named = |id: &&String| arguments.claims.contains(*id) && found.iter().all(|claim| claim.row.id != **id);
    if let Some(missing) = claims::ids().iter().find(named) {
        let directory = arguments.measured.as_deref().unwrap_or(Path::new(MEASURED)).display();
        let explanation = format_args!(
            "{missing}: `{directory}` lacks the measurements of halving and Fibonacci that this claim needs; measure \
             with `castbench measure CONFIG --out DIR` and name the directory with --measured"
        );
        return Err(Failure::new(Code::Nothing, explanation));
    }
    Ok(found)
}

/// Widest line: longer ones are hard to read.
const WIDEST: u16 = 100;
const INDENT: &str = "       ";
const DEEPER: &str = "         ";

fn for_people(out: &mut impl Write, entries: &[Entry]) -> io::Result<()> {
    let width = terminal::width().map_or(WIDEST, |width| width.clamp(40, WIDEST));
    for paper in entries.chunk_by(|a, b| a.row().paper == b.row().paper) {
        writeln!(out, "{}\n", paper[0].row().paper)?;
        for entry in paper {
            claim(out, entry, width.into())?;
        }
    }
    summary(out, entries)
}

fn claim(out: &mut impl Write, entry: &Entry, width: usize) -> io::Result<()> {
    let row = entry.row();
    writeln!(out, "{}  {}", row.verdict.word(), row.id)?;
    for text in [&row.place, &row.statement, &count(row), &row.note] {
        wrap(out, text, width, INDENT)?;
    }
    if let Entry::Measured(claim) = entry {
        for case in &claim.measured {
            let found = case.found().map(|found| format!(": {found}")).unwrap_or_default();
            let verdict = case.verdict.word();
            let text = format!("- {verdict} (K = {}): {}{found}", case.nodes(), case.describe());
            wrap(out, &text, width, DEEPER)?;
        }
    }
    writeln!(out)
}

/// At how many points the claim holds or fails, and the first point at which it fails.
fn count(row: &AuditRow) -> String {
    let points = plural(row.points, "point");
    match (&row.counterexample, row.verdict) {
        (Some(first), _) => format!("at {} of {points}, first {first}", grouped(row.failures)),
        (None, Verdict::NotDecided) => format!("wrong at none of {points}"),
        (None, _) => format!("on all {points}"),
    }
}

pub(super) fn columns<'a>() -> Vec<Column<'a, &'a AuditRow>> {
    type Of<'a> = Column<'a, &'a AuditRow>;
    let told = |row: &&AuditRow| {
        let comma = if row.verdict == Verdict::NotDecided { "," } else { "" };
        format!("{}{comma} {}", row.verdict.word(), count(row))
    };
    vec![
        Of::new("id", "name of the claim", |row| row.id.clone()).titled("claim").code(),
        Of::new("paper", "paper of the claim", |row| row.paper).untitled(),
        Of::new("place", "where in the paper", |row| row.place.clone()),
        Of::new("statement", "the statement", |row| row.statement.clone()).titled("what it says"),
        Of::new("verdict", "`holds`, `fails` or `not decided`", |row| row.verdict.word()).shown("verdict", told),
        Of::new("points", "number of points that it covers", |row| row.points).untitled(),
        Of::new("failures", "number of points at which it fails", |row| row.failures).untitled(),
        Of::new("counterexample", "the first of these, and a command that shows it", |row| row.counterexample.clone())
            .untitled(),
        Of::new("note", "why it fails, what holds instead, the grid", |row| row.note.clone()).untitled(),
    ]
}

fn for_documents(out: &mut impl Write, entries: &[Entry]) -> io::Result<()> {
    for (number, paper) in entries.chunk_by(|a, b| a.row().paper == b.row().paper).enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        let table = print::markdown(&columns(), paper.iter().map(Entry::row));
        write!(out, "{gap}{}\n\n{table}", markup::markdown(paper[0].row().paper))?;
    }
    Ok(())
}

/// Writes a text in lines of at most `width` characters; a longer word has its own line. Later lines begin with
/// `indent`.
fn wrap(out: &mut impl Write, text: &str, width: usize, indent: &str) -> io::Result<()> {
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length <= width {
            write!(out, " {word}")?;
            used += 1 + length;
        } else {
            let (start, indent) = if used > 0 { ("\n", indent) } else { ("", INDENT) };
            write!(out, "{start}{indent}{word}")?;
            used = indent.len() + length;
        }
    }
    writeln!(out)
}

fn summary(out: &mut impl Write, entries: &[Entry]) -> io::Result<()> {
    let tried = || entries.iter().filter_map(|entry| if let Entry::Tried(row) = entry { Some(row) } else { None });
    for (whose, own) in [("the papers", false), ("castbench", true)] {
        let count = |verdict| tried().filter(|row| row.is_own() == own && row.verdict == verdict).count() as u64;
        let [hold, fail] = [Verdict::Holds, Verdict::Fails].map(count);
        if hold + fail > 0 {
            writeln!(out, "{} of {whose}: {hold} hold, {fail} fail", plural(hold + fail, "claim"))?;
        }
    }
    let measured =
        || entries.iter().filter_map(|entry| if let Entry::Measured(claim) = entry { Some(claim) } else { None });
    let cases = || measured().flat_map(|claim| &claim.measured);
    let count = |verdict| cases().filter(|case| case.verdict == verdict).count();
    let [hold, fail, open] = [Verdict::Holds, Verdict::Fails, Verdict::NotDecided].map(count);
    if hold + fail + open > 0 {
        let (claims, cases) = (measured().count() as u64, cases().count() as u64);
        let (claims, cases) = (plural(claims, "claim"), plural(cases, "measured case"));
        writeln!(out, "{claims} of the papers in {cases}: {hold} hold, {fail} fail, {open} not decided")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked() {
        let mut out = Vec::new();
        wrap(&mut out, "one two three-and-a-half four", 18, INDENT).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "       one two\n       three-and-a-half\n       four\n");
    }
}
