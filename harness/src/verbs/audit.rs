//! `castbench audit`: which claims of the papers hold.

use std::io::{self, Write};

use terminal_size::{Width, terminal_size_of};

use super::table::{print_csv, print_json};
use crate::audit::{AuditRow, Verdict, all_claims, audit};
use crate::cli::{Audit, Format};
use crate::failure::{Code, Failure, stdout};
use crate::units::{grouped, plural};

/// Runs the verb.
///
/// # Errors
/// Exit code 2 for a claim that is not known, 5 where a claim of castbench fails.
pub fn run(arguments: &Audit) -> Result<(), Failure> {
    let all = all_claims()?;
    if let Some(unknown) = arguments.claims.iter().find(|id| all.iter().all(|claim| claim.id != id.as_str())) {
        let known: Vec<&str> = all.iter().map(|claim| claim.id.as_ref()).collect();
        return Err(Failure::usage(format_args!("there is no claim `{unknown}`; the claims are {}", known.join(", "))));
    }
    let rows = audit(&all, |claim| {
        let named = arguments.claims.is_empty() || arguments.claims.iter().any(|id| claim.id == id.as_str());
        named && arguments.paper.as_ref().is_none_or(|paper| paper == claim.paper.slug())
    })?;
    match arguments.format {
        Format::Table => stdout(for_people(&mut anstream::stdout().lock(), &rows)),
        Format::Csv => print_csv(&rows),
        Format::Json => print_json(&rows),
    }?;
    let wrong: Vec<&str> =
        rows.iter().filter(|row| row.is_own() && row.failures > 0).map(|row| row.id.as_str()).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Code::Disagreement,
        format_args!("castbench's own claims fail, a bug in castbench: {}", wrong.join(", ")),
    ))
}

/// Widest line; longer ones are hard to read.
const WIDEST: u16 = 100;
/// Where the text of a claim begins.
const INDENT: &str = "       ";

fn for_people(out: &mut impl Write, rows: &[AuditRow]) -> io::Result<()> {
    let width = terminal_size_of(io::stdout()).map_or(WIDEST, |(Width(width), _)| width.clamp(40, WIDEST));
    for paper in rows.chunk_by(|a, b| a.paper == b.paper) {
        writeln!(out, "{}\n", paper[0].paper)?;
        for row in paper {
            claim(out, row, width.into())?;
        }
    }
    summary(out, rows)
}

fn claim(out: &mut impl Write, row: &AuditRow, width: usize) -> io::Result<()> {
    let verdict = match row.verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
    };
    writeln!(out, "{verdict}  {}", row.id)?;
    let count = match &row.counterexample {
        None => format!("on all {}", plural(row.points, "point")),
        Some(first) => format!("at {} of {}, first {first}", grouped(row.failures), plural(row.points, "point")),
    };
    for text in [&row.place, &row.statement, &count, &row.note] {
        wrap(out, text, width)?;
    }
    writeln!(out)
}

/// Writes a text in lines of at most `width` characters, indented; a longer word has a line of its own.
fn wrap(out: &mut impl Write, text: &str, width: usize) -> io::Result<()> {
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length <= width {
            write!(out, " {word}")?;
            used += 1 + length;
        } else {
            let start = if used > 0 { "\n" } else { "" };
            write!(out, "{start}{INDENT}{word}")?;
            used = INDENT.len() + length;
        }
    }
    writeln!(out)
}

fn summary(out: &mut impl Write, rows: &[AuditRow]) -> io::Result<()> {
    let count =
        |own: bool, verdict| rows.iter().filter(|row| row.is_own() == own && row.verdict == verdict).count() as u64;
    let [hold, fail] = [Verdict::Holds, Verdict::Fails].map(|verdict| count(false, verdict));
    if hold + fail > 0 {
        writeln!(out, "{} of the papers: {hold} hold, {fail} fail", plural(hold + fail, "claim"))?;
    }
    let [hold, fail] = [Verdict::Holds, Verdict::Fails].map(|verdict| count(true, verdict));
    if hold + fail > 0 {
        writeln!(out, "{} of castbench: {hold} hold, {fail} fail", plural(hold + fail, "claim"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_no_wider_than_asked() {
        let mut out = Vec::new();
        wrap(&mut out, "one two three-and-a-half four", 18).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "       one two\n       three-and-a-half\n       four\n");
    }
}
