//! A verdict in each format of answers.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;
use serde_json::json;

use super::contents::Sums;
use super::schedule::Schedule;
use super::{Finding, FindingKind, MAX_ROOM, Right};
use crate::markup;
use crate::print::ci::{self, Case};
use crate::units::{grouped, plural, show_bytes};

/// How a verdict is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerdictFormat {
    /// For people.
    Table,
    /// For programs.
    Json,
    /// XML that CI servers show as tests.
    Junit,
    /// A command of GitHub Actions, which annotates the file.
    Github,
    /// SARIF, which code hosts show as results of an analysis.
    Sarif,
}

/// The cost of a schedule on a machine.
#[derive(Debug, Serialize)]
pub struct Cost {
    /// The machine.
    pub machine: String,
    /// Bytes of the collective.
    pub bytes: u64,
    /// When every operation has ended, in nanoseconds.
    pub time: u64,
    /// The lower bound of the collective in nanoseconds, and its name.
    pub bound: Option<(u64, &'static str)>,
    /// The critical path, of schedules that are not too large.
    pub path: Option<String>,
}

/// A verdict.
#[derive(Debug, Default)]
pub struct Report {
    file: String,
    format: &'static str,
    /// What the schedule has; empty where it could not be read.
    about: String,
    collective: Option<&'static str>,
    ranks: u32,
    right: Option<Right>,
    notes: Vec<String>,
    /// What is wrong.
    pub finding: Option<Finding>,
    /// What it costs.
    pub cost: Option<Cost>,
}

impl Report {
    /// A report on a file.
    #[must_use]
    pub fn new(file: &str, format: &'static str) -> Self {
        Self { file: file.to_owned(), format, ..Self::default() }
    }

    /// Says what the schedule has.
    pub fn describe(&mut self, schedule: &Schedule) {
        self.ranks = schedule.ranks;
        self.collective = schedule.collective().map(|collective| collective.name);
        let count = |count: usize, what: &str| plural(count as u64, what);
        // The blocks and steps of a program are castbench's own.
        let steps = match &schedule.program {
            Some(program) => count(program.operations(), "operation"),
            None => format!("{}, {}", count(schedule.blocks.len(), "block"), count(schedule.steps.len(), "step")),
        };
        self.about = format!(
            "{} on {}: {steps}, {}",
            self.collective.unwrap_or("a collective that is not judged"),
            plural(schedule.ranks.into(), "rank"),
            count(schedule.channels.len(), "channel"),
        );
        self.notes.extend(schedule.notes.iter().cloned());
    }

    /// Says that the schedule is right, and of what use.
    pub fn right(&mut self, right: Right) {
        self.right = Some(right);
        if right.sums == Sums::AnyOrder {
            self.notes.push("sums do not add the ranks in order: only for operations that commute".to_owned());
        }
        match right.room {
            Some(1) => {}
            Some(room) => self.notes.push(format!("a channel must have room for {room} messages")),
            None => self
                .notes
                .push(format!("a channel must have room for more than {MAX_ROOM} messages, which NCCL's lack")),
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn write(&self, format: VerdictFormat, out: &mut impl Write) -> io::Result<()> {
        match format {
            VerdictFormat::Table => self.table(out),
            VerdictFormat::Json => writeln!(out, "{}", self.json()),
            VerdictFormat::Junit => writeln!(out, "{}", self.junit()),
            VerdictFormat::Github => self.github(out),
            VerdictFormat::Sarif => writeln!(out, "{}", self.sarif()),
        }
    }

    fn verdict(&self) -> String {
        match (&self.finding, self.right, self.collective) {
            (Some(finding), ..) => format!("wrong, {}", finding.kind.name()),
            (None, Some(_), Some(_)) => "right".to_owned(),
            _ => "ends, without a race; its result is not judged".to_owned(),
        }
    }

    /// The line of the finding, where its file has lines.
    fn line(&self) -> Option<u32> {
        self.finding
            .as_ref()
            .and_then(|finding| finding.location)
            .map(|location| location.line)
            .filter(|&line| line > 0)
    }

    fn table(&self, out: &mut impl Write) -> io::Result<()> {
        let about = if self.about.is_empty() { String::new() } else { format!(", {}", self.about) };
        writeln!(out, "{}: {}{about}", self.file, self.format)?;
        writeln!(out, "verdict: {}", self.verdict())?;
        self.notes.iter().try_for_each(|note| writeln!(out, "note: {note}"))?;
        let Some(cost) = &self.cost else { return Ok(()) };
        let bound = cost.bound.map_or_else(String::new, |(bound, name)| {
            let times = if bound == 0 { String::new() } else { format!("{:.2} x ", cost.time as f64 / bound as f64) };
            format!(", {times}the lower bound of {} ns, by {name}", grouped(bound))
        });
        writeln!(out, "cost on {}, {}: {} ns{bound}", cost.machine, show_bytes(cost.bytes), grouped(cost.time))?;
        cost.path.iter().try_for_each(|path| writeln!(out, "critical path: {path}"))
    }

    fn json(&self) -> serde_json::Value {
        let finding = self.finding.as_ref().map(|finding| {
            let location = finding.location;
            json!({
                "kind": finding.kind.name(),
                "rank": location.map(|location| location.rank),
                "block": location.map(|location| location.block),
                "step": location.map(|location| location.step),
                "line": self.line(),
                "message": finding.message,
            })
        });
        json!({
            "file": self.file,
            "format": self.format,
            "collective": self.collective,
            "ranks": self.ranks,
            "right": self.finding.is_none(),
            "judged": self.collective.is_some(),
            "finding": finding,
            "messages": self.right.map(|right| right.messages),
            "room": self.right.and_then(|right| right.room),
            "in_rank_order": self.right.and_then(|right| match right.sums {
                Sums::None => None,
                sums => Some(sums == Sums::ByRank),
            }),
            "notes": self.notes,
            "cost": self.cost.as_ref().map(|cost| json!({
                "machine": cost.machine,
                "bytes": cost.bytes,
                "time_ns": cost.time,
                "lower_bound_ns": cost.bound.map(|bound| bound.0),
                "lower_bound_by": cost.bound.map(|bound| bound.1),
                "critical_path": cost.path,
            })),
        })
    }

    fn junit(&self) -> String {
        let failure = |finding: &Finding| (finding.kind.name().to_owned(), finding.to_string(), String::new());
        let case = Case {
            class: self.format.to_owned(),
            name: self.file.clone(),
            failure: self.finding.as_ref().map(failure),
            output: self.notes.join("\n"),
        };
        ci::junit("castbench verify", &[case])
    }

    fn github(&self, out: &mut impl Write) -> io::Result<()> {
        let (level, explanation) = match &self.finding {
            Some(finding) => ("error", finding.to_string()),
            None => ("notice", self.about.clone()),
        };
        let title = format!("castbench verify: {}", self.verdict());
        writeln!(out, "{}", ci::annotation(level, (&self.file, self.line()), &title, &explanation))?;
        let note = |note: &String| ci::annotation("notice", (&self.file, None), "castbench verify", note);
        self.notes.iter().try_for_each(|explanation| writeln!(out, "{}", note(explanation)))
    }

    /// The verdict as a list in Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut lines = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.table(&mut lines);
        let lines = String::from_utf8_lossy(&lines).into_owned();
        let item = |line: &str| format!("- {}\n", markup::markdown(line));
        let finding = self.finding.iter().map(|finding| item(&finding.to_string()));
        lines.lines().map(item).chain(finding).collect()
    }

    fn sarif(&self) -> serde_json::Value {
        let uri: String = self.file.bytes().map(uri_byte).collect();
        let region = self.line().map(|line| json!({ "startLine": line }));
        let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri } } });
        let whole = json!([location]);
        if let Some(region) = region {
            location["physicalLocation"]["region"] = region;
        }
        let finding = self.finding.iter().map(|finding| {
            json!({
                "ruleId": finding.kind.name(),
                "level": "error",
                "message": { "text": finding.to_string() },
                "locations": [location],
            })
        });
        let notes = self
            .notes
            .iter()
            .map(|note| json!({ "ruleId": "note", "level": "note", "message": { "text": note }, "locations": whole }));
        let results: Vec<_> = finding.chain(notes).collect();
        let rules: Vec<_> =
            FindingKind::ALL.iter().map(|kind| kind.name()).chain(["note"]).map(|id| json!({ "id": id })).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "castbench", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
                "results": results,
            }],
        })
    }
}

/// A byte of a path in a URI.
fn uri_byte(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}
