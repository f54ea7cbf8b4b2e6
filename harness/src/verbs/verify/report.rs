//! A verdict in each format of answers.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;
use serde_json::json;

use crate::base::units::{grouped, plural, show_bytes};
use crate::print::ci::{self, Case};
use crate::print::markup;
use crate::verify::contents::Sums;
use crate::verify::read::PLAN;
use crate::verify::schedule::Schedule;
use crate::verify::{Finding, FindingKind, MAX_ROOM, Right, Trouble};

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
    /// Unknown where it could not be read.
    ranks: Option<u32>,
    right: Option<Right>,
    /// Whether races were looked for.
    has_races: bool,
    notes: Vec<String>,
    /// Why the result is not judged, of a schedule that does not say it.
    not_judged: Option<String>,
    /// What is wrong, or why nothing is said of the schedule.
    pub trouble: Option<Trouble>,
    /// What it costs.
    pub cost: Option<Cost>,
}

impl Report {
    /// A report on a file.
    pub fn new(file: &str, format: &'static str) -> Self {
        Self {
            file: file.to_owned(),
            format,
            ..Self::default()
        }
    }

    /// Says what the schedule has.
    pub fn describe(&mut self, schedule: &Schedule) {
        self.ranks = Some(schedule.ranks);
        self.collective = schedule.collective().map(|collective| collective.name);
        let count = |count: usize, what: &str| plural(count as u64, what);
        // The blocks and steps of a program are castbench's own; a plan has none that run at once.
        let steps = match &schedule.program {
            Some(program) => count(program.operations(), "operation"),
            None if self.format == PLAN => count(schedule.steps.len(), "step"),
            None => format!(
                "{}, {}",
                count(schedule.blocks.len(), "block"),
                count(schedule.steps.len(), "step")
            ),
        };
        self.about = format!(
            "{} on {}: {steps}, {}",
            self.collective.unwrap_or("a collective that is not judged"),
            plural(schedule.ranks.into(), "rank"),
            count(schedule.channels.len(), "channel"),
        );
        self.has_races = schedule.has_accesses() || self.format == PLAN;
        self.notes.extend(schedule.notes.iter().cloned());
        self.not_judged.clone_from(&schedule.not_judged);
    }

    /// Says that the schedule is right, and of what use.
    pub fn right(&mut self, right: Right) {
        self.right = Some(right);
        if right.sums == Sums::AnyOrder {
            self.notes.push(
                "sums do not add the ranks in order: only for operations that commute".to_owned(),
            );
        }
        match right.room {
            Some(1) => {}
            Some(room) => self
                .notes
                .push(format!("a channel must have room for {room} messages")),
            None => self.notes.push(format!(
                "a channel must have room for more than {MAX_ROOM} messages, which NCCL's lack"
            )),
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

    /// What is wrong.
    fn finding(&self) -> Option<&Finding> {
        match &self.trouble {
            Some(Trouble::Wrong(finding)) => Some(finding),
            _ => None,
        }
    }

    /// Why the result is not known: of a file that is not read or not judged, and of a schedule that does not say it.
    fn reason(&self) -> Option<&str> {
        match &self.trouble {
            Some(Trouble::Unread(_, reason) | Trouble::NotJudged(_, reason)) => Some(reason),
            Some(Trouble::Wrong(_)) => None,
            None => self.not_judged.as_deref(),
        }
    }

    fn verdict(&self) -> String {
        match (&self.trouble, self.collective) {
            (Some(Trouble::Wrong(finding)), _) => format!("wrong, {}", finding.kind.name()),
            (Some(Trouble::NotJudged(..)), _) => "not judged".to_owned(),
            (Some(Trouble::Unread(..)), _) => "not read".to_owned(),
            (None, Some(_)) if self.has_races => "right".to_owned(),
            (None, Some(_)) => "right; races are not judged".to_owned(),
            (None, None) if self.has_races => {
                "ends, without a race; its result is not judged".to_owned()
            }
            (None, None) => "ends; neither its result nor races are judged".to_owned(),
        }
    }

    /// Whether the schedule is right; none where that is not known.
    fn is_right(&self) -> Option<bool> {
        match (&self.trouble, self.collective) {
            (Some(Trouble::Wrong(_)), _) => Some(false),
            (None, Some(_)) => Some(true),
            _ => None,
        }
    }

    /// What fails the verb: its kind and its message.
    fn failure(&self) -> Option<(&'static str, String)> {
        Some(match self.trouble.as_ref()? {
            Trouble::Wrong(finding) => (finding.kind.name(), finding.to_string()),
            Trouble::NotJudged(_, reason) => ("not-judged", format!("not judged: {reason}")),
            Trouble::Unread(_, reason) => ("not-read", format!("not read: {reason}")),
        })
    }

    /// The line of what is wrong, where its file has lines.
    fn line(&self) -> Option<u32> {
        let line = match self.trouble.as_ref()? {
            Trouble::Wrong(finding) => finding.line,
            Trouble::Unread(line, _) | Trouble::NotJudged(line, _) => {
                u32::try_from(line.unwrap_or(0)).unwrap_or(0)
            }
        };
        Some(line).filter(|&line| line > 0)
    }

    fn table(&self, out: &mut impl Write) -> io::Result<()> {
        let about = if self.about.is_empty() {
            String::new()
        } else {
            format!(", {}", self.about)
        };
        writeln!(out, "{}: {}{about}", self.file, self.format)?;
        writeln!(out, "verdict: {}", self.verdict())?;
        self.reason()
            .into_iter()
            .try_for_each(|reason| writeln!(out, "not judged: {reason}"))?;
        self.notes
            .iter()
            .try_for_each(|note| writeln!(out, "note: {note}"))?;
        let Some(cost) = &self.cost else {
            return Ok(());
        };
        let bound = cost.bound.map_or_else(String::new, |(bound, name)| {
            let times = if bound == 0 {
                String::new()
            } else {
                format!("{:.2} x ", cost.time as f64 / bound as f64)
            };
            format!(
                ", {times}the lower bound of {} ns, by {name}",
                grouped(bound)
            )
        });
        writeln!(
            out,
            "cost on {}, {}: {} ns{bound}",
            cost.machine,
            show_bytes(cost.bytes),
            grouped(cost.time)
        )?;
        cost.path
            .iter()
            .try_for_each(|path| writeln!(out, "critical path: {path}"))
    }

    fn json(&self) -> serde_json::Value {
        let finding = self.finding().map(|finding| {
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
            "right": self.is_right(),
            "judged": self.is_right().is_some(),
            "not_judged": self.reason(),
            "races_judged": self.right.map(|_| self.has_races),
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

    /// All that is said beside the verdict.
    fn remarks(&self) -> Vec<String> {
        let reason = self.not_judged.iter().filter(|_| self.trouble.is_none());
        reason
            .map(|reason| format!("not judged: {reason}"))
            .chain(self.notes.iter().cloned())
            .collect()
    }

    fn junit(&self) -> String {
        let case = Case {
            class: self.format.to_owned(),
            name: self.file.clone(),
            failure: self
                .failure()
                .map(|(kind, message)| (kind.to_owned(), message, String::new())),
            output: self.remarks().join("\n"),
        };
        ci::junit("castbench verify", &[case])
    }

    fn github(&self, out: &mut impl Write) -> io::Result<()> {
        let (level, explanation) = match (self.failure(), self.is_right()) {
            (Some((_, message)), _) => ("error", message),
            (None, Some(_)) => ("notice", self.about.clone()),
            (None, None) => ("warning", self.about.clone()),
        };
        // GitHub shows the file only where a pull request changes it.
        let title = format!("castbench verify {}: {}", self.file, self.verdict());
        writeln!(
            out,
            "{}",
            ci::annotation(level, (&self.file, self.line()), &title, &explanation)
        )?;
        let title = format!("castbench verify {}", self.file);
        let note = |note: &String| ci::annotation("notice", (&self.file, None), &title, note);
        self.remarks()
            .iter()
            .try_for_each(|explanation| writeln!(out, "{}", note(explanation)))
    }

    /// The verdict as a list in Markdown.
    pub fn markdown(&self) -> String {
        let mut lines = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.table(&mut lines);
        let lines = String::from_utf8_lossy(&lines).into_owned();
        let item = |line: &str| format!("- {}\n", markup::markdown(line));
        let finding = self
            .finding()
            .into_iter()
            .map(|finding| item(&finding.to_string()));
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
        let finding = self.failure().into_iter().map(|(kind, message)| {
            json!({
                "ruleId": kind,
                "level": "error",
                "message": { "text": message },
                "locations": [location],
            })
        });
        let remarks = self.remarks();
        let notes = remarks
            .iter()
            .map(|note| json!({ "ruleId": "note", "level": "note", "message": { "text": note }, "locations": whole }));
        let results: Vec<_> = finding.chain(notes).collect();
        let rules: Vec<_> = FindingKind::ALL
            .iter()
            .map(|kind| kind.name())
            .chain(["not-judged", "not-read", "note"])
            .map(|id| json!({ "id": id }))
            .collect();
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
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}
