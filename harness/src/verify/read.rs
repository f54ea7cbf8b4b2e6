//! Opens the file of a schedule and recognizes its format.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::IgnoredAny;

use super::finding::Trouble;
use super::schedule::Schedule;
use super::task::Collective;
use super::{chakra, goal, json, msccl, mscclpp, plan};
use crate::output;

/// The name of the format of castbench's own plans.
pub const PLAN: &str = "plan of castbench";
/// The name of GOAL.
pub const GOAL: &str = "GOAL";

/// A file, or those of a trace.
#[derive(Debug)]
pub struct File {
    format: FileFormat,
    /// One for each rank of a trace, otherwise one.
    contents: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Chakra,
    Goal,
    Msccl,
    MscclPp,
    /// A plan of castbench in JSON, which an algorithm of the user has.
    Plan,
    /// JSON with a mistake.
    Json,
    /// Text of no format.
    Text,
}

impl File {
    /// Reads a file, and beside `NAME.0.et` those of the other ranks.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than 256 MiB.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::new(path, output::bytes_of(output::open_user(path)?)?)
    }

    /// The file with this name and content, and beside `NAME.0.et` those of the other ranks.
    ///
    /// # Errors
    /// The file cannot be read, or is longer than 256 MiB.
    pub fn new(path: &Path, mut content: Vec<u8>) -> io::Result<Self> {
        if content.starts_with("\u{feff}".as_bytes()) {
            content.drain(.."\u{feff}".len());
        }
        if let Some((name, rank)) = path.file_name().and_then(of_trace)
            && rank > 0
        {
            return Err(io::Error::other(format!(
                "it is the trace of rank {rank}; name the one of rank 0, {name}.0.et, beside which the others are found"
            )));
        }
        let mut contents = vec![content];
        for (rank, next) in (1..).zip(others(path)) {
            let named = |error: io::Error| {
                let what = if error.kind() == io::ErrorKind::NotFound {
                    "is missing".to_owned()
                } else {
                    error.to_string()
                };
                io::Error::new(
                    error.kind(),
                    format!("the trace of rank {rank}, `{}`: {what}", next.display()),
                )
            };
            contents.push(
                output::open(&next)
                    .and_then(output::bytes_of)
                    .map_err(named)?,
            );
        }
        let begin = contents[0].iter().find(|byte| !byte.is_ascii_whitespace());
        let format = match begin {
            Some(b'<') => FileFormat::Msccl,
            Some(b'{') => match keys(&contents[0]) {
                Ok(keys) if OF_PLANS.iter().any(|key| keys.contains_key(*key)) => FileFormat::Plan,
                Ok(_) => FileFormat::MscclPp,
                Err(_) => FileFormat::Json,
            },
            Some(_) if is_goal(&contents[0]) => FileFormat::Goal,
            _ if contents[0]
                .iter()
                .take(256)
                .all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace()) =>
            {
                FileFormat::Text
            }
            _ => FileFormat::Chakra,
        };
        Ok(Self { format, contents })
    }

    /// The name of its format.
    pub fn format(&self) -> &'static str {
        match self.format {
            FileFormat::Chakra => "Chakra traces",
            FileFormat::Goal => GOAL,
            FileFormat::Msccl => "MSCCL XML",
            FileFormat::MscclPp => "MSCCL++ plan",
            FileFormat::Plan => PLAN,
            FileFormat::Json => "JSON",
            FileFormat::Text => "text",
        }
    }

    /// Whether it is a plan of castbench.
    pub fn is_plan(&self) -> bool {
        self.format == FileFormat::Plan
    }

    /// Reads the schedule. Only a plan of castbench may need the number of its ranks.
    ///
    /// # Errors
    /// A file that is not in its format, or a schedule that is wrong.
    pub fn schedule(
        &self,
        collective: Option<&'static Collective>,
        root: u32,
        ranks: Option<u32>,
    ) -> Result<Schedule, Trouble> {
        let first = || text(&self.contents[0]);
        match self.format {
            FileFormat::Chakra => chakra::read(&self.contents, collective, root),
            FileFormat::Goal => goal::read(&self.contents[0], collective, root),
            FileFormat::Msccl => msccl::read(first()?, collective, root),
            FileFormat::MscclPp => mscclpp::read(first()?, collective, root),
            FileFormat::Plan => plan::read(&self.contents[0], collective, root, ranks),
            FileFormat::Json => {
                let mistake = keys(first()?.as_bytes()).err();
                let mistake = mistake.map_or_else(String::new, |error| json::unread(&error));
                Err(Trouble::file(format!("no JSON: {mistake}")))
            }
            FileFormat::Text => {
                let explanation = "expected MSCCL XML, Chakra traces, an MSCCL++ plan or GOAL, which begins with `num_ranks`";
                Err(Trouble::unread(1, explanation))
            }
        }
    }
}

/// Whether a file that begins so is in GOAL.
pub fn is_goal(begin: &[u8]) -> bool {
    let first = begin.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'n' | b'/'))
}

/// Keys that plans of castbench have, and those of MSCCL++ do not.
const OF_PLANS: [&str; 6] = [
    "rounds",
    "operations",
    "parents",
    "then",
    "reverse",
    "algorithm",
];

/// The keys of an object in JSON.
fn keys(bytes: &[u8]) -> serde_json::Result<BTreeMap<String, IgnoredAny>> {
    serde_json::from_slice(bytes)
}

fn text(bytes: &[u8]) -> Result<&str, Trouble> {
    str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count() as u64;
        Trouble::unread(
            line,
            "it is not UTF-8, and no format of schedules that castbench reads",
        )
    })
}

/// The rank of a trace, `NAME.3.et`, and NAME.
fn of_trace(name: &OsStr) -> Option<(&str, u32)> {
    let (name, rank) = name.to_str()?.strip_suffix(".et")?.rsplit_once('.')?;
    rank.parse()
        .ok()
        .filter(|number: &u32| number.to_string() == rank)
        .map(|rank| (name, rank))
}

/// The files of the other ranks, beside `NAME.0.et`, also those that are missing below the last one.
fn others(path: &Path) -> Vec<PathBuf> {
    let Some((name, 0)) = path.file_name().and_then(of_trace) else {
        return Vec::new();
    };
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ranks = entries.filter_map(|entry| {
        let found = entry.file_name();
        of_trace(&found)
            .filter(|(own, _)| *own == name)
            .map(|(_, rank)| rank)
    });
    let mut ranks: Vec<u32> = ranks.collect();
    ranks.sort_unstable();
    // The first gap is named; what is behind it does not matter.
    let whole = ranks
        .iter()
        .zip(0..)
        .take_while(|(rank, at)| *rank == at)
        .count();
    let end = if whole < ranks.len() {
        whole + 1
    } else {
        whole
    };
    (1..end)
        .map(|rank| path.with_file_name(format!("{name}.{rank}.et")))
        .collect()
}

/// A file, and beside `NAME.0.et` those of the other ranks.
pub fn all(path: PathBuf) -> Vec<PathBuf> {
    let others = others(&path);
    [path].into_iter().chain(others).collect()
}
