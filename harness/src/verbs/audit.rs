//! `castbench audit`: which claims of the papers hold.

use std::io::{self, Write};

use algorithms::internals::claims::{Claim, Paper};
use clap::Args;
use clap::builder::PossibleValuesParser;
use textwrap::{Options, WordSplitter};

use super::options::Printed;
use crate::base::failure::{Result, stdout};
use crate::base::near;
use crate::base::progress::Progress;
use crate::base::terminal;
use crate::base::units::{grouped, plural};
use crate::print::column::Tabled as _;
use crate::print::markup;
use crate::print::{self, Columns, Format};
use crate::regress::audit::{AuditRow, all_claims, audit};

/// Arguments of `audit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  castbench audit
  castbench audit --paper gossip
  castbench audit fibonacci-9 fibonacci-11 --format json
  castbench audit --paper k-tree --format markdown

A claim of a paper that fails is a finding, with exit code 0. A claim of castbench itself (--paper castbench) that \
fails is a bug, with exit code 5. The smallest counterexample is the first in the order of the grid; the first \
symbol changes slowest.")]
pub struct Audit {
    /// Claims, by their ids [default: all]
    #[arg(value_name = "CLAIM")]
    pub claims: Vec<String>,
    /// The claims of this paper; may be repeated
    #[arg(long, value_name = "NAME", conflicts_with = "claims", value_parser = PossibleValuesParser::new(Paper::ALL.map(Paper::slug)))]
    pub paper: Vec<String>,
    /// How to print.
    #[command(flatten)]
    pub printed: Printed,
}

/// Runs the verb. A claim of a paper that fails is a finding and no error.
///
/// # Errors
/// Exit code 2 for an unknown claim, 5 if a claim of castbench fails.
pub fn run(arguments: &Audit) -> Result {
    let all = all_claims()?;
    let known = || all.iter().map(|claim| claim.id.as_ref());
    let is_unknown = |id: &&String| known().all(|claim| claim != id.as_str());
    if let Some(unknown) = arguments.claims.iter().find(is_unknown) {
        let advice = near::advice(unknown, known(), "castbench audit");
        bail!("there is no claim `{unknown}`; {advice}");
    }
    let is_among =
        |names: &[String], own: &str| names.is_empty() || names.iter().any(|name| name == own);
    let is_selected = |claim: &Claim| {
        is_among(&arguments.claims, &claim.id) && is_among(&arguments.paper, claim.paper.slug())
    };
    let points = all
        .iter()
        .filter(|claim| is_selected(claim))
        .map(Claim::grid_points)
        .sum();
    let progress = Progress::bar(points, "points");
    let rows = audit(&all, is_selected, |points| progress.advance(points, 0));
    progress.finish();
    let rows = rows?;
    let mut out = arguments.printed.format.stdout();
    match arguments.printed.format {
        Format::Table => stdout(for_people(&mut out, &rows)),
        Format::Markdown => stdout(for_documents(&mut out, &rows)),
        format => print::rows(format, &columns(), &rows, &mut out),
    }?;
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|row| row.is_own() && row.failures > 0)
        .map(|row| row.id.as_str())
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    bail!(
        Disagreement,
        "castbench's own claims fail, a bug in castbench: {}",
        wrong.join(", ")
    )
}

/// Widest line: longer ones are hard to read.
const WIDEST: u16 = 100;
const INDENT: &str = "       ";

fn for_people(out: &mut impl Write, rows: &[AuditRow]) -> io::Result<()> {
    let width = terminal::width().map_or(WIDEST, |width| width.clamp(40, WIDEST));
    for paper in rows.chunk_by(|a, b| a.paper == b.paper) {
        writeln!(out, "{}\n", paper[0].paper)?;
        for row in paper {
            claim(out, row, width.into())?;
        }
    }
    summary(out, rows)
}

fn claim(out: &mut impl Write, row: &AuditRow, width: usize) -> io::Result<()> {
    writeln!(out, "{}  {}", row.verdict, row.id)?;
    let lines = Options::new(width)
        .initial_indent(INDENT)
        .subsequent_indent(INDENT)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    for text in [&row.place, &row.statement, &count(row), &row.note] {
        writeln!(out, "{}", textwrap::fill(text, &lines))?;
    }
    writeln!(out)
}

/// At how many points the claim holds or fails, and the first point at which it fails.
fn count(row: &AuditRow) -> String {
    let points = plural(row.points, "point");
    match &row.counterexample {
        Some(first) => format!("at {} of {points}, first {first}", grouped(row.failures)),
        None => format!("on all {points}"),
    }
}

pub(super) fn columns() -> Columns<'static, AuditRow> {
    let of_data = ["paper", "points", "failures", "counterexample", "note"];
    Columns(AuditRow::columns())
        .data_only(|name| of_data.contains(&name))
        .of("id", |id| id.title("claim").code())
        .of("statement", |statement| statement.title("what it says"))
        .of("verdict", |verdict| {
            verdict.shown("verdict", |row| format!("{} {}", row.verdict, count(row)))
        })
}

fn for_documents(out: &mut impl Write, rows: &[AuditRow]) -> io::Result<()> {
    for (number, paper) in rows.chunk_by(|a, b| a.paper == b.paper).enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        let table = print::markdown(&columns(), paper);
        write!(out, "{gap}{}\n\n{table}", markup::markdown(&paper[0].paper))?;
    }
    Ok(())
}

fn summary(out: &mut impl Write, rows: &[AuditRow]) -> io::Result<()> {
    for (whose, own) in [("the papers", false), ("castbench", true)] {
        let [hold, fail] = [true, false].map(|holds| {
            rows.iter()
                .filter(|row| row.is_own() == own && row.holds() == holds)
                .count() as u64
        });
        if hold + fail > 0 {
            writeln!(
                out,
                "{} of {whose}: {hold} hold, {fail} fail",
                plural(hold + fail, "claim")
            )?;
        }
    }
    Ok(())
}
